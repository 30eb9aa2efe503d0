# SPDX-License-Identifier: Apache-2.0
# complete.fish FILE LINE: the completions that FILE has for the end of the line, one a line, with their texts.
source $argv[1]
complete -C $argv[2]
