# SPDX-License-Identifier: Apache-2.0
# complete.bash FILE WORD...: the completions that FILE has for the last word, one a line; = is a word of its own.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_$1" "$1"
printf '%s\n' "${COMPREPLY[@]}"
