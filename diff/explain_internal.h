// SPDX-License-Identifier: Apache-2.0
// What the files that explain verdicts share.
#ifndef CONGRUENT_EXPLAIN_INTERNAL_H
#define CONGRUENT_EXPLAIN_INTERNAL_H

#include "diff/judge.h"

typedef struct Explain {
    Arena *arena; // of the notes
    FpdMachine *machine;
    const FpdProgram *program;
    const FpdCase *cas;
    const FpdRuns *runs;
    FpdRun *masked[TOWER_MASKS_VANISHED + 1]; // per variant: runs with other masks, where they were needed
} Explain;

// Each adds its note to a pair in one of its modes, or leaves it.
#define NOTE(name, text, explain, modes) void explain(Explain *x, FpdPair *pair);
#include "diff/notes.def"
#undef NOTE

enum { NOTE_ITEMS_MAX = 4 }; // constants, views and buffers that one note names

// The note, to be filled in.
FpdNote *fpd_note_add(FpdPair *pair, FpdNoteKind kind);
// The text as a message, in the arena; frees the buffer.
const char *fpd_note_message(Explain *x, Buffer *text);

#endif
