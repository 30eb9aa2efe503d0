// SPDX-License-Identifier: Apache-2.0
// A page of section 1, with the macros of man(7).
#include "manual/manual.h"

#include <string.h>

// A text with what roff takes for commands written as characters. In words that begin with a dash, as options do, all
// dashes are those of the keyboard.
static const char *escaped(Arena *arena, const char *text) {
    static const char *const names[128] = {
        ['\\'] = "\\e", ['`'] = "\\(ga", ['\''] = "\\(aq", ['~'] = "\\(ti", ['^'] = "\\(ha", ['"'] = "\\(dq"};
    Buffer out = {0};
    bool option = false, starts = true;
    buffer_print(&out, "%s", *text == '.' || *text == '\'' ? "\\&" : "");
    for (; *text; text++) {
        if (starts) option = *text == '-';
        const char *name = *text == '-' && option ? "\\-" : (uint8_t)*text < 128 ? names[(uint8_t)*text] : NULL;
        buffer_print(&out, name ? "%s" : "%.1s", name ? name : text);
        starts = strchr(" (`=,;", *text) && !(option && (*text == '=' || *text == ','));
    }
    const char *kept = arena_text(arena, out.data, out.size);
    buffer_free(&out);
    return kept;
}

// Lines of at most 78 columns.
static void put_text(Arena *arena, Buffer *out, const char *text) {
    enum { WIDTH = 78 };
    size_t column = 0;
    for (const char *word = escaped(arena, text); *word;) {
        const size_t length = strcspn(word, " ");
        const bool fits = column + 1 + length <= WIDTH;
        if (column) buffer_print(out, fits ? " " : "\n");
        if ((!column || !fits) && *word == '.') buffer_print(out, "\\&");
        buffer_print(out, "%.*s", (int)length, word);
        column = fits && column ? column + 1 + length : length;
        word += length + strspn(word + length, " ");
    }
    buffer_print(out, "\n");
}

static const char *sentence(Arena *arena, const char *text) {
    return strchr(".?", text[strlen(text) - 1]) ? text : arena_format(arena, "%s.", text);
}

static void put_option_name(Arena *arena, const ManualOption *option, Buffer *out) {
    static const struct {
        const char *before, *before_of_letter;
        bool letter_first;
    } forms[] = {
        [MANUAL_WORD] = {" ", " ", true}, [MANUAL_EQUALS] = {"=", " ", false}, [MANUAL_JOINED] = {"=", "", false}};
    const bool first = forms[option->form].letter_first;
    const char *names[2] = {option->alias, option->name}, *separator = "";
    buffer_print(out, ".TP\n");
    for (int i = 0; i < 2; i++) {
        const char *name = names[first ? i : !i];
        const bool letter = name && !name[1], value = option->value && !(first && letter);
        if (!name) continue;
        buffer_print(out, "%s\\fB%s\\fR", separator,
                     escaped(arena, arena_format(arena, letter ? "-%s" : "--%s", name)));
        if (value)
            buffer_print(out, "%s\\fI%s\\fR",
                         letter ? forms[option->form].before_of_letter : forms[option->form].before,
                         escaped(arena, option->value));
        separator = ", ";
    }
    buffer_print(out, "\n");
}

static void put_option(Arena *arena, const Manual *manual, const ManualOption *option, Buffer *out) {
    const char *words = manual_words(arena, manual, option);
    put_option_name(arena, option, out);
    put_text(arena, out, sentence(arena, option->help));
    if (words && strrchr(words, ' ') && !strchr(option->value, '|') && !strstr(option->help, strrchr(words, ' ') + 1)) {
        const char *list = "";
        for (const char *word = words + strspn(words, " "); *word;) {
            const size_t length = strcspn(word, " ");
            list = arena_format(arena, "%s%s%.*s", list, *list ? ", " : "", (int)length, word);
            word += length + strspn(word + length, " ");
        }
        put_text(arena, out, arena_format(arena, "%s: %s.", option->value, list));
    }
}

static void put_commands(Arena *arena, const Manual *manual, Buffer *out) {
    for (uint32_t c = 0; c < manual->command_count; c++) {
        const ManualCommand *command = &manual->commands[c];
        const char *list = "Options:", *word = command->word ? command->word : "";
        buffer_print(out, ".SS %s%s%s %s\n", manual->program, command->word ? " " : "", word,
                     escaped(arena, command->usage));
        put_text(arena, out,
                 sentence(arena, arena_format(arena, "%c%s", *command->help - 'a' + 'A', command->help + 1)));
        for (uint32_t i = 0, count = 0; i < manual->option_count; i++)
            if (manual_takes(&manual->options[i], c))
                list = arena_format(arena, "%s%s --%s", list, count++ ? "," : "", manual->options[i].name);
        buffer_print(out, ".PP\n");
        put_text(arena, out, arena_format(arena, "%s.", list));
    }
}

void manual_write_page(Arena *arena, const Manual *manual, const ManualEdition *edition, Buffer *out) {
    const char *upper = arena_format(arena, "%s", manual->program), *separator;
    for (char *at = (char *)upper; *at; at++) *at = (char)(*at - 'a' + 'A');
    buffer_print(out, ".\\\" Made from the tables of the command line when the project is built.\n");
    buffer_print(out, ".TH %s 1 %s \"congruent %s\" \"User Commands\"\n.nh\n", upper, edition->date, edition->version);
    buffer_print(out, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", manual->program, escaped(arena, manual->summary));
    for (uint32_t c = 0; c < manual->command_count; c++) {
        const char *word = manual->commands[c].word;
        buffer_print(out, "%s\\fB%s%s%s\\fR [\\fIoptions\\fR] \\fI%s\\fR\n", c ? ".br\n" : "", manual->program,
                     word ? " " : "", word ? word : "", escaped(arena, manual->commands[c].usage));
    }
    buffer_print(out, ".SH DESCRIPTION\n");
    for (const char *paragraph = manual->about;; paragraph = separator + 1) {
        separator = strchr(paragraph, '\n');
        const size_t length = separator ? (size_t)(separator - paragraph) : strlen(paragraph);
        put_text(arena, out, arena_text(arena, paragraph, length));
        if (!separator) break;
        buffer_print(out, ".PP\n");
    }
    if (manual->command_count > 1) {
        buffer_print(out, ".SH COMMANDS\n");
        put_commands(arena, manual, out);
    }
    buffer_print(out, ".SH OPTIONS\n");
    for (uint32_t i = 0; i < manual->option_count; i++) put_option(arena, manual, &manual->options[i], out);
    for (uint32_t s = 0; s < manual->section_count; s++) {
        buffer_print(out, ".SH %s\n", manual->sections[s].heading);
        for (const ManualRow *row = manual->sections[s].rows; row->name; row++) {
            buffer_print(out, ".TP\n.B %s\n", escaped(arena, row->name));
            put_text(arena, out, sentence(arena, row->text));
        }
    }
    buffer_print(out, ".SH SEE ALSO\n.BR %s (1)\n", manual->see_also);
}
