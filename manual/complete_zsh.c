// SPDX-License-Identifier: Apache-2.0
// Completion for zsh, with its function _arguments.
#include "manual/manual.h"

#include <string.h>

// A text in single quotes and in brackets.
static void put_help(const char *text, Buffer *out) {
    for (; *text; text++) {
        if (*text == '\'')
            buffer_print(out, "'\\''");
        else
            buffer_print(out, strchr("[]\\", *text) ? "\\%.1s" : "%.1s", text);
    }
}

static void put_action(Arena *arena, const Manual *manual, const ManualOption *option, Buffer *out) {
    const char *words = manual_words(arena, manual, option);
    if (!option->value) return;
    buffer_print(out, ":value:");
    if (words)
        buffer_print(out, manual_is_list(option) ? "_values -s , value %s" : "(%s)", words + strspn(words, " "));
    else if (manual_is_file(option))
        buffer_print(out, "_files");
    else if (manual_is_folder(option))
        buffer_print(out, "_files -/");
}

static void put_option(Arena *arena, const Manual *manual, const ManualOption *option, const char *name, Buffer *out) {
    const bool letter = !name[1];
    const bool joined = option->form == MANUAL_JOINED;
    const char *value = letter ? (joined ? "-" : "+") : joined ? "=-" : "=";
    buffer_print(out, "            '%s%s%s[", letter ? "-" : "--", name, option->value ? value : "");
    put_help(option->help, out);
    buffer_print(out, "]");
    put_action(arena, manual, option, out);
    buffer_print(out, "'\n");
}

static void put_files(const ManualCommand *command, Buffer *out) {
    const char *suffix = manual_suffix(command);
    if (suffix)
        buffer_print(out, "_files -g \"*%s\"", suffix);
    else
        buffer_print(out, "_files");
}

void manual_write_zsh(Arena *arena, const Manual *manual, const ManualEdition *edition, Buffer *out) {
    const char *words = "";
    (void)edition;
    for (uint32_t c = 0; c < manual->command_count; c++)
        if (manual->commands[c].word)
            words = arena_format(arena, "%s%s%s", words, *words ? "|" : "", manual->commands[c].word);
    buffer_print(out,
                 "#compdef %s\n# Completion of %s for zsh. Made from the tables of its command line.\n_%s() {\n"
                 "    local command word\n    local -a options\n",
                 manual->program, manual->program, manual->program);
    if (*words)
        buffer_print(out,
                     "    for word in ${words[2,CURRENT-1]}; do\n        case $word in\n"
                     "        (%s) command=$word; break ;;\n        esac\n    done\n",
                     words);
    buffer_print(out, "    case $command in\n");
    for (uint32_t c = 0; c < manual->command_count; c++) {
        const ManualCommand *command = &manual->commands[c];
        buffer_print(out, "    (%s)\n        options=(\n", command->word ? command->word : "''");
        for (uint32_t i = 0; i < manual->option_count; i++) {
            const ManualOption *option = &manual->options[i];
            if (!manual_takes(option, c)) continue;
            put_option(arena, manual, option, option->name, out);
            if (option->alias) put_option(arena, manual, option, option->alias, out);
        }
        if (command->word || !*words) {
            if (command->word) buffer_print(out, "            '1:command:(%s)'\n", command->word);
        } else {
            buffer_print(out, "            '1: :{_alternative \"commands:command:((");
            for (uint32_t k = 0; k < manual->command_count; k++)
                if (manual->commands[k].word) {
                    buffer_print(out, "%s\\:\\\"", manual->commands[k].word);
                    put_help(manual->commands[k].help, out);
                    buffer_print(out, "\\\" ");
                }
            buffer_print(out, "))\" \"files:case:_files -g \\\"*%s\\\"\"}'\n", manual_suffix(command));
        }
        buffer_print(out, "            '*: :");
        put_files(command, out);
        buffer_print(out, "'\n        ) ;;\n");
    }
    buffer_print(out, "    esac\n    _arguments -s : $options\n}\n_%s \"$@\"\n", manual->program);
}
