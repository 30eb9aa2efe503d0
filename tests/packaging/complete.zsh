# SPDX-License-Identifier: Apache-2.0
# complete.zsh FOLDER LINE: what the line becomes by one press of Tab, with the functions of FOLDER. Waits for at most 20 s.
zmodload zsh/zpty
answer=$(mktemp)
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u"
zpty -w shell "answer() { print -r -- \"\$BUFFER\" >$answer; zle kill-buffer }; zle -N answer; bindkey '^X' answer; bindkey '^I' complete-word"
zpty -w -n shell "$2"$'\t\x18'
for ((i = 0; i < 200; i++)); do
    [[ -s $answer ]] && break
    zpty -r -t shell output
    sleep 0.1
done
cat $answer
rm $answer
zpty -d shell
