// SPDX-License-Identifier: Apache-2.0
// Completion for bash, without the functions of bash-completion.
#include "manual/manual.h"

#include <string.h>

static bool is_letter(const ManualOption *option) {
    return option->alias && strlen(option->alias) == 1;
}

// "--name"; of a value that has to be in the same word "--name=".
static void put_options(const Manual *manual, uint32_t command, Buffer *out) {
    for (uint32_t i = 0; i < manual->option_count; i++) {
        const ManualOption *option = &manual->options[i];
        if (manual_takes(option, command))
            buffer_print(out, " --%s%s", option->name, option->form == MANUAL_JOINED && option->value ? "=" : "");
    }
}

static void put_pattern(const ManualOption *option, Buffer *out) {
    buffer_print(out, "    --%s", option->name);
    if (option->alias) buffer_print(out, " | %s%s", is_letter(option) ? "-" : "--", option->alias);
    buffer_print(out, ") ");
}

static void put_value(Arena *arena, const Manual *manual, const ManualOption *option, Buffer *out) {
    const char *words = manual_words(arena, manual, option);
    if (!option->value) return;
    put_pattern(option, out);
    if (option->form == MANUAL_JOINED) buffer_print(out, "((equals)) && ");
    if (words)
        buffer_print(out, "%swords='%s'", manual_is_list(option) ? "list=1 " : "", words + strspn(words, " "));
    else if (manual_is_file(option))
        buffer_print(out, "files=-f");
    else if (manual_is_folder(option))
        buffer_print(out, "files=-d");
    else
        buffer_print(out, "return 0");
    buffer_print(out, " ;;\n");
}

void manual_write_bash(Arena *arena, const Manual *manual, const ManualEdition *edition, Buffer *out) {
    const char *words = "";
    (void)edition;
    for (uint32_t c = 0; c < manual->command_count; c++)
        if (manual->commands[c].word) words = arena_format(arena, "%s %s", words, manual->commands[c].word);
    buffer_print(out, "# Completion of %s for bash. Made from the tables of its command line.\n", manual->program);
    buffer_print(out,
                 "_%s() {\n"
                 "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} before= command= words= "
                 "files= suffix= equals=0 list=0 i\n"
                 "    # Where = breaks words, an option, = and its value are three.\n"
                 "    if [[ $cur == \"=\" ]]; then\n"
                 "        cur= equals=1\n"
                 "    elif [[ $prev == \"=\" ]]; then\n"
                 "        prev=${COMP_WORDS[COMP_CWORD-2]} equals=1\n"
                 "    elif [[ $cur == --*=* ]]; then\n"
                 "        prev=${cur%%%%=*} before=${cur%%%%=*}= cur=${cur#*=} equals=1\n",
                 manual->program);
    buffer_print(out, "    fi\n    case $prev in\n");
    for (uint32_t i = 0; i < manual->option_count; i++) put_value(arena, manual, &manual->options[i], out);
    buffer_print(out, "    esac\n"
                      "    if [[ -z $words && -z $files ]]; then\n"
                      "        for ((i = 1; i < COMP_CWORD; i++)); do\n"
                      "            case ${COMP_WORDS[i]} in\n");
    for (uint32_t c = 0; c < manual->command_count; c++)
        if (manual->commands[c].word)
            buffer_print(out, "            %s) command=%s; break ;;\n", manual->commands[c].word,
                         manual->commands[c].word);
    buffer_print(out, "            -*) ;;\n            esac\n        done\n        case $command in\n");
    for (uint32_t c = 0; c < manual->command_count; c++) {
        const ManualCommand *command = &manual->commands[c];
        const char *suffix = manual_suffix(command);
        buffer_print(out, "        %s) suffix='%s' words='", command->word ? command->word : "''",
                     suffix ? suffix : "");
        put_options(manual, c, out);
        buffer_print(out, "' ;;\n");
    }
    buffer_print(out, "        esac\n"
                      "        if [[ $cur != -* ]]; then\n"
                      "            files=-f words=\n");
    if (*words) buffer_print(out, "            ((COMP_CWORD == 1)) && words='%s'\n", words + 1);
    buffer_print(out,
                 "        fi\n"
                 "    fi\n"
                 "    COMPREPLY=()\n"
                 "    if ((list)) && [[ $cur == *,* ]]; then\n"
                 "        before+=${cur%%,*}, cur=${cur##*,}\n"
                 "    fi\n"
                 "    if [[ -n $words ]]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"$cur\")\n"
                 "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
                 "    fi\n"
                 "    if [[ -n $files ]]; then\n"
                 "        compopt -o filenames 2>/dev/null\n"
                 "        while IFS= read -r i; do\n"
                 "            [[ -d $i || -z $suffix || $i == *\"$suffix\" ]] && COMPREPLY+=(\"$before$i\")\n"
                 "        done < <(compgen $files -- \"$cur\")\n"
                 "    fi\n"
                 "    return 0\n"
                 "}\n"
                 "complete -F _%s %s\n",
                 manual->program, manual->program);
}
