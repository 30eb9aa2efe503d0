#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What action.yml and ci/gitlab.yml do: ci.sh key | build | export | run
#   key     prints a hash of all that the build depends on
#   build   installs what is missing (scripts/setup.sh) and builds fpdiff, unless it is there already
#   export  exports the kernels of FPDIFF_EXPORT with cuTile Python: files and folders, one a line
#   run     runs fpdiff on FPDIFF_CASES: files, patterns and folders, one a line; of a folder all *.yaml in it,
#           of which there is one at least
# run takes options from FPDIFF_OPTIONS (words), a part I/N of the cases from FPDIFF_SHARD, and writes report.json,
# .junit.xml, .sarif and .md to FPDIFF_REPORTS (default: fpdiff-reports). Its exit status is that of fpdiff.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
fpdiff=$home/build/release/bin/fpdiff

key() {
    # The compiler is in it: another one may have another C library.
    { (cd "$home" && find . \( -name build -o -name .git -o -name .venv -o -name __pycache__ \) -prune -o \
           \( -name '*.[ch]' -o -name '*.def' -o -name 'CMake*' -o -name '*.cmake' -o -name '*.js' -o -name '*.css' -o -path ./scripts/setup.sh \) -print |
           LC_ALL=C sort | xargs cat)
      uname -m
      cat /etc/os-release 2>/dev/null || true; } | sha256sum | cut -c 1-32
}

build() {
    # What fpdiff needs at run time is needed where the build comes from a cache, too.
    "$home/scripts/setup.sh"
    [ ! -x "$fpdiff" ] || return 0
    cd "$home"
    cmake --preset release
    cmake --build --preset release --target fpdiff
}

export_kernels() {
    sources=${FPDIFF_EXPORT:-}
    [ -n "$sources" ] || return 0
    "$home/scripts/setup.sh" --python
    "$home/.venv/bin/python" -c 'import cuda.tile' 2>/dev/null || "$home/scripts/venv.sh" cuda-tile==1.7.0
    IFS='
'
    set -f
    # shellcheck disable=SC2086  (lines are words here)
    "$home/.venv/bin/python" "$home/scripts/export_cutile.py" $sources
}

run() {
    reports=${FPDIFF_REPORTS:-fpdiff-reports}
    mkdir -p "$reports"
    # Those of a run before say nothing of this one, if it ends before it writes its own.
    for kind in json junit.xml sarif md; do rm -f "$reports/report.$kind"; done
    # shellcheck disable=SC2086  (options are words)
    set -- ${FPDIFF_OPTIONS:-}
    [ -z "${FPDIFF_SHARD:-}" ] || set -- "$@" --shard "$FPDIFF_SHARD"
    set -- "$@" --json "$reports/report.json" --junit "$reports/report.junit.xml" --sarif "$reports/report.sarif" \
        --markdown "$reports/report.md" --
    IFS='
'
    for case in ${FPDIFF_CASES:-}; do # patterns are expanded; what matches nothing is an error of fpdiff
        if [ -d "$case" ]; then
            files=$(find -H "$case" -name '*.yaml' | LC_ALL=C sort)
            if [ -z "$files" ]; then
                echo "fpdiff: the folder '$case' of FPDIFF_CASES has no *.yaml" >&2
                exit 2
            fi
            for file in $files; do set -- "$@" "$file"; done
        else
            set -- "$@" "$case"
        fi
    done
    exec "$fpdiff" "$@"
}

case ${1:-} in
key) key ;;
build) build ;;
export) export_kernels ;;
run) run ;;
*)
    sed -n '3,10s/^# //p' "$0" >&2
    exit 2
    ;;
esac
