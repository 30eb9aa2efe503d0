// SPDX-License-Identifier: Apache-2.0
// Completion for fish.
#include "manual/manual.h"

#include <string.h>

static void put_quoted(const char *text, Buffer *out) {
    buffer_print(out, "'");
    for (; *text; text++) buffer_print(out, strchr("'\\", *text) ? "\\%.1s" : "%.1s", text);
    buffer_print(out, "'");
}

static const char *command_name(const ManualCommand *command) {
    return command->word ? command->word : "none";
}

static void put_condition(const Manual *manual, const ManualOption *option, Buffer *out) {
    if (manual->command_count == 1) return;
    buffer_print(out, " -n '__%s_takes", manual->program);
    for (uint32_t c = 0; c < manual->command_count; c++)
        if (manual_takes(option, c)) buffer_print(out, " %s", command_name(&manual->commands[c]));
    buffer_print(out, "'");
}

static void put_option(Arena *arena, const Manual *manual, const ManualOption *option, Buffer *out) {
    const char *words = manual_words(arena, manual, option);
    buffer_print(out, "complete -c %s", manual->program);
    put_condition(manual, option, out);
    buffer_print(out, " -l %s", option->name);
    if (option->alias) buffer_print(out, " %s %s", strlen(option->alias) == 1 ? "-s" : "-l", option->alias);
    if (words) {
        words += strspn(words, " ");
        if (manual_is_list(option))
            words = arena_format(arena, "(__fish_complete_list , \"string split ' ' '%s'\")", words);
        buffer_print(out, " -x -a ");
        put_quoted(words, out);
    } else if (option->value) {
        buffer_print(out, manual_is_file(option)     ? " -r -F"
                          : manual_is_folder(option) ? " -x -a '(__fish_complete_directories)'"
                                                     : " -x");
    }
    buffer_print(out, " -d ");
    put_quoted(option->help, out);
    buffer_print(out, "\n");
}

void manual_write_fish(Arena *arena, const Manual *manual, const ManualEdition *edition, Buffer *out) {
    const char *program = manual->program;
    (void)edition;
    buffer_print(out, "# Completion of %s for fish. Made from the tables of its command line.\n", program);
    if (manual->command_count > 1) {
        buffer_print(out,
                     "function __%s_takes\n    set -l command none\n    for word in (commandline -opc)[2..-1]\n"
                     "        if contains -- $word",
                     program);
        for (uint32_t c = 0; c < manual->command_count; c++)
            if (manual->commands[c].word) buffer_print(out, " %s", manual->commands[c].word);
        buffer_print(out, "\n            set command $word\n            break\n        end\n    end\n"
                          "    contains -- $command $argv\nend\n");
        buffer_print(out, "complete -c %s -f\n", program);
    }
    for (uint32_t c = 0; c < manual->command_count; c++) {
        const ManualCommand *command = &manual->commands[c];
        const char *suffix = manual_suffix(command);
        if (command->word) {
            buffer_print(out, "complete -c %s -n __fish_is_first_arg -a %s -d ", program, command->word);
            put_quoted(command->help, out);
            buffer_print(out, "\n");
        }
        if (suffix)
            buffer_print(out, "complete -c %s -n '__%s_takes %s' -k -a '(__fish_complete_suffix %s)'\n", program,
                         program, command_name(command), suffix);
    }
    for (uint32_t i = 0; i < manual->option_count; i++) put_option(arena, manual, &manual->options[i], out);
}
