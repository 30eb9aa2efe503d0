// SPDX-License-Identifier: Apache-2.0
// What the files that explain verdicts share.
#ifndef CONGRUENT_EXPLAIN_INTERNAL_H
#define CONGRUENT_EXPLAIN_INTERNAL_H

#include "diff/judge.h"

typedef struct Explain {
    Arena *arena; // of the notes
    FpdMachine *machine;
    FpdProgram *program;
    const FpdCase *cas;
    const FpdRuns *runs;
    FpdRun **masked[TOWER_MASKS_VANISHED + 1]; // per run: the one with other masks, where they were needed
} Explain;

// Each adds its note to a comparison, or leaves it.
#define NOTE(name, text, explain, modes) void explain(Explain *x, FpdComparison *comparison);
#include "diff/notes.def"
#undef NOTE

enum { NOTE_ITEMS_MAX = 4 }; // constants, views and buffers that one note names

// The note, to be filled in.
FpdNote *fpd_note_add(FpdComparison *comparison, FpdNoteKind kind);
// Runs that are made again for a note alone: what cannot be run is not said.
FpdRunner fpd_note_runner(const Explain *x, Diagnostics *ignored, FpdProgram *program);
// The text as a message, in the arena; frees the buffer.
const char *fpd_note_message(Explain *x, Buffer *text);

#endif
