// SPDX-License-Identifier: Apache-2.0
// What man pages and the completion of shells are made of, when the project is built: a Manual for each program, from
// the tables of its command line.
#ifndef CONGRUENT_MANUAL_H
#define CONGRUENT_MANUAL_H

#include "base/base.h"

// How the value of an option is written: --name VALUE, -n VALUE; --name=VALUE, -n VALUE; --name=VALUE, -nVALUE. The
// last form has to be kept to; of the others the value may also be in the same word behind =, or in the next one.
typedef enum ManualForm { MANUAL_WORD, MANUAL_EQUALS, MANUAL_JOINED } ManualForm;
typedef struct ManualOption {
    const char *name;  // written with two dashes
    const char *alias; // another name: of one letter, written with one dash; NULL
    const char *value; // what its value is called, in capitals; or words with | between them; NULL: it has none
    const char *help;
    uint32_t commands; // a bit for each command that takes it
    ManualForm form;   // of a value
} ManualOption;

// Values that are called so are among these words. Files and folders are called FILE and DIR.
typedef struct ManualValue {
    const char *value;
    const char *words; // with blanks between them
} ManualValue;

typedef struct ManualCommand {
    const char *word; // NULL: what is done without one
    const char *usage, *help;
} ManualCommand;

typedef struct ManualRow { // of a section: "0", "all as expected"
    const char *name, *text;
} ManualRow;

typedef struct ManualSection {
    const char *heading;
    const ManualRow *rows; // the last one has no name
} ManualSection;

typedef struct Manual {
    const char *program, *summary;
    const char *about; // paragraphs, with newlines between them
    const ManualCommand *commands;
    uint32_t command_count; // at least one
    const ManualOption *options;
    uint32_t option_count;
    const ManualValue *values; // the last one has no words
    const ManualSection *sections;
    uint32_t section_count;
    const char *see_also;
} Manual;

// ---- describe_fpdiff.c, describe_tileiras.c: texts are in the arena, or constants

void manual_of_fpdiff(Arena *arena, Manual *manual);
void manual_of_tileiras(Arena *arena, Manual *manual);

// ---- manual.c

// A copy of rows, of which the last one has no words, in the arena.
const ManualValue *manual_keep_values(Arena *arena, const ManualValue *values);
// The words that values of the option are among, with blanks between them. NULL: they are not known.
const char *manual_words(Arena *arena, const Manual *manual, const ManualOption *option);
// Whether values of the option are names of files, or of folders.
bool manual_is_file(const ManualOption *option);
bool manual_is_folder(const ManualOption *option);
// Whether several values may stand there with commas between them: NAME,...
bool manual_is_list(const ManualOption *option);
// The end of the names of files that the command takes: ".yaml". NULL: any.
const char *manual_suffix(const ManualCommand *command);
static inline bool manual_takes(const ManualOption *option, uint32_t command) {
    return option->commands >> command & 1;
}

// ---- man_page.c, complete_bash.c, complete_zsh.c, complete_fish.c: what they write

typedef struct ManualEdition {
    const char *version, *date; // "0.2.0", "2026-11-28"
} ManualEdition;
typedef void ManualWriter(Arena *arena, const Manual *manual, const ManualEdition *edition, Buffer *out);
ManualWriter manual_write_page, manual_write_bash, manual_write_zsh, manual_write_fish;

#endif
