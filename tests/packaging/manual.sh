#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# manual.sh SHARE FPDIFF TILEIRAS: man pages have no faults and name every option of --help; shells complete. A tool or shell that is missing is not asked.
set -eu
here=$(dirname "$0")
share=$(cd "$1" && pwd)
fpdiff=$2 tileiras=$3
failed=0
fail() { echo "$*" >&2; failed=1; }
have() { command -v "$1" >/dev/null || { echo "$1 is missing: not asked"; return 1; }; }

for program in fpdiff tileiras; do
    page=$share/man/man1/$program.1
    eval "binary=\$$program"
    if have groff; then
        found=$(groff -ww -man -z "$page" 2>&1) || true
        [ -z "$found" ] || fail "groff: $found"
    fi
    if have man; then
        found=$(LC_ALL=C.UTF-8 man -l --warnings "$page" 2>&1 >/dev/null) || true
        [ -z "$found" ] || fail "man: $found"
    fi
    if have mandoc; then
        found=$(mandoc -Tlint "$page") || true
        [ -z "$found" ] || fail "mandoc: $found"
    fi
    for option in $("$binary" --help | grep -o '^ *\(-[a-zA-Z], \)\?--[a-z_-]*' | grep -o -- '--[a-z_-]*'); do
        escaped=$(printf %s "$option" | sed 's/-/\\\\-/g')
        grep -q -- "$escaped\\\\fR" "$page" || fail "$page lacks $option"
    done
done

# bash EXPECTED WORD...: the last word begins the expected ones. Where = breaks words it is one.
bash_completes() {
    expected=$1 && shift
    found=$(bash "$here/complete.bash" "$share/bash-completion/completions/$1" "$@" | LC_ALL=C sort | tr '\n' ' ')
    [ "$found" = "$expected " ] || fail "bash: $*: found '$found', expected '$expected'"
}
bash_completes '--maps --markdown --math' fpdiff --ma
bash_completes '--math' fpdiff run --mat
bash_completes 'mutate' fpdiff mu
bash_completes 'tower triton-3.9' fpdiff --profile ''
bash_completes 'triton-3.9' fpdiff --profile = tr
bash_completes 'sm_90' fpdiff run --gpu sm_9
bash_completes '--threshold' fpdiff merge --thr
bash_completes "$here/manual.sh $here/manual.yaml" fpdiff --json "$here/manual"
bash_completes "$here/manual.yaml" fpdiff "$here/manual"
bash_completes 'ieee,fast' fpdiff --math ieee,f
bash_completes "--opt-level=" tileiras --opt
bash_completes 'tileir tileir-math' tileiras --emit til
bash_completes 'tileir tileir-math' tileiras --emit = til
bash_completes '--emit=tileir --emit=tileir-math' tileiras --emit=til
bash_completes 'fast' tileiras --math = f
bash_completes "$here/manual.sh $here/manual.yaml" tileiras --math "$here/manual"

# completes EXPECTED LINE: zsh makes that of the line; fish has the last word of it.
completes() {
    program=${2%% *}
    if have zsh; then
        found=$(zsh -f "$here/complete.zsh" "$share/zsh/site-functions" "$2")
        [ "${found%[ =,]}" = "$1" ] || fail "zsh: $2: found '$found', expected '$1'"
    fi
    if have fish; then
        found=$(fish --no-config "$here/complete.fish" "$share/fish/vendor_completions.d/$program.fish" "$2" | cut -f 1)
        [ "$found" = "${1##* }" ] || fail "fish: $2: found '$found', expected '${1##* }'"
    fi
}
completes 'fpdiff --math' 'fpdiff --mat'
completes 'fpdiff mutate' 'fpdiff mu'
completes 'fpdiff --profile triton-3.9' 'fpdiff --profile tr'
completes 'fpdiff merge --threshold' 'fpdiff merge --thr'
completes 'fpdiff --math ieee,fast' 'fpdiff --math ieee,fa'
completes 'tileiras --opt-level' 'tileiras --opt'
completes 'tileiras --gpu-name=sm_90' 'tileiras --gpu-name=sm_90'
[ $failed = 0 ] && echo '1 passed, 0 failed'
exit $failed
