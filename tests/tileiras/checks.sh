# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: running tileiras and comparing exit status and text. Source it; end with `finish`.
# Arguments of the scripts: the program, the top of the source tree.
program=$(realpath "$1")
source_tree=$(realpath "$2")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset TILEIRAS_INSTRUMENTATION
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "  status $status; standard output: $(head -c 300 out); standard error: $(cat err)"
}

# run ARG...: runs the program; its status is in $status, what it printed in the files out and err.
run() {
    "$program" "$@" >out 2>err </dev/null
    status=$?
}

# expect STATUS TEXT ARG...: the status, and TEXT (basic regular expression) in what was printed; on failure one line on standard error
# and nothing on standard output.
expect() {
    expected=$1
    text=$2
    shift 2
    run "$@"
    checks=$((checks + 1))
    if [ "$status" != "$expected" ]; then fail "tileiras $*: expected status $expected"; return; fi
    cat out err >both
    [ -z "$text" ] || grep -q -e "$text" both || fail "tileiras $*: expected '$text'"
    if [ "$expected" != 0 ]; then
        [ -s out ] && fail "tileiras $*: printed to standard output although it failed"
        [ "$(wc -l <err)" = 1 ] || fail "tileiras $*: expected one line on standard error"
        grep -q 'error: .*\[E[0-9]*\]$' err || fail "tileiras $*: expected a line that ends with the number of the error"
    elif [ -s err ]; then
        fail "tileiras $*: wrote to standard error although it did what it should"
    fi
}

# check WHAT COMMAND...: the command succeeds.
check() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" = 0 ] && exit 0
    exit 1
}
