// SPDX-License-Identifier: Apache-2.0
// Comparisons: two runs and a question. A case plans a list of them; they are judged, explained by notes and, where
// asked, repeated in other fields. All of that is the outcome of the case.
#ifndef CONGRUENT_FPD_JUDGE_H
#define CONGRUENT_FPD_JUDGE_H

#include "diff/compare.h"

// ---- judge.c: verdicts of a case ------------------------------------------------------------------------------------

// What a report says beside a verdict, so that it can be understood (explain.c).
typedef enum FpdNoteKind {
#define NOTE(name, ...) FPD_NOTE_##name,
#include "diff/notes.def"
#undef NOTE
    FPD_NOTE_COUNT
} FpdNoteKind;
typedef struct FpdNoteConstant { // a constant or a scalar argument of a variant
    uint32_t variant;
    FpsanFormat format;
    uint64_t bits;
    Location at;
} FpdNoteConstant;
typedef struct FpdNoteView { // the tiles of a buffer, as a kernel takes them
    const char *buffer;      // NULL: not known
    uint32_t rank;
    int64_t tile[FPD_RANK_MAX], extent[FPD_RANK_MAX];
} FpdNoteView;
typedef struct FpdNoteRead {          // of a buffer that nothing filled in
    uint32_t variant, launch, buffer; // of the variant, from 0; of the case
    bool in_part;                     // an earlier launch may have written some of it
} FpdNoteRead;
typedef struct FpdNoteBuffer { // of a buffer that is not compared
    FpdDifference difference;
    const FpdStore *stored[2]; // of the first element that differs: who stored it; NULL: not known
} FpdNoteBuffer;
typedef struct FpdNote {
    FpdNoteKind kind;
    const char *message; // lines for people
    uint32_t left;       // how many more constants, views, buffers or reads there are
    uint32_t constant_count, view_count, buffer_count, read_count;
    const FpdNoteConstant *constants;
    const FpdNoteView *views;
    const FpdNoteBuffer *buffers;
    const FpdNoteRead *reads;
    uint64_t elements; // of masks: how many
} FpdNote;
const char *fpd_note_text(FpdNoteKind kind); // for programs

// Two runs and a question, and the answer.
typedef struct FpdComparison {
    const FpdRun *left, *right; // the reference is on the left
    FpdQuestion question;
    FpdVerdict verdict;
    FpdDifference *differences;   // per compared buffer
    uint64_t elements, different; // over all compared buffers
    // Of records: the left run, and the right one, wrote floats of which no field is known in any: nothing is left of
    // what was computed.
    bool lost[2];
    uint64_t unspecified; // of both: ops that an unspecified value decided about, or else elements
    // Of numbers: of the elements beyond the tolerance those that are so though nothing about them is unspecified.
    uint64_t beyond;
    bool all_unspecified; // of records: every compared element is, in one of the two
    // Of --reroll: in how many spare chains a divergence was repeated, and the elements that diverge in all chains.
    uint32_t reroll_count;
    uint64_t reroll_different;
    uint32_t note_count;
    FpdNote notes[FPD_NOTE_COUNT]; // of each kind at most one
} FpdComparison;

// Why a case could not have failed, and how the JSON report calls it.
#define FPD_VACUOUS_KINDS(VACUOUS)                                                                                     \
    VACUOUS(UNWRITTEN, "unwritten")                                                                                    \
    VACUOUS(CONSTANT, "constant")                                                                                      \
    VACUOUS(NOTHING, "nothing judged")
typedef enum FpdVacuousKind {
#define VACUOUS(name, text) FPD_VACUOUS_##name,
    FPD_VACUOUS_KINDS(VACUOUS)
#undef VACUOUS
} FpdVacuousKind;
typedef struct FpdVacuous {
    FpdVacuousKind kind;
    FpdMode mode;
    uint32_t variant, buffer; // of UNWRITTEN and CONSTANT
    uint64_t count, first;    // of UNWRITTEN
    const char *message;      // one line
} FpdVacuous;

typedef struct FpdOutcome {
    const FpdCase *cas; // NULL: the case could not be read
    const char *path;
    const FpdRuns *runs;
    bool judged; // false: the case could not be run
    uint32_t comparison_count, vacuous_count;
    FpdComparison *comparisons;
    FpdVacuous *vacuous;
    uint32_t diverged;         // judged comparisons that diverged
    uint32_t unknown;          // comparisons whose verdict is UNKNOWN
    uint32_t races;            // runs in which blocks race
    bool expectation_met;      // of `expect` and the IEEE tolerance
    int status;                // exit status of the case: 0, 1, 2, 3
    bool several_seeds;        // the case was compared with others, too
    const char *target;        // on what it ran, for people; NULL: the host
    bool races_checked;        // races between blocks were looked for
    const Diagnostics *errors; // where status is 2 or 3
} FpdOutcome;

// The comparisons that a case asks for: each variant with the reference, in each mode, by the mode's question.
void fpd_plan_comparisons(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdOutcome *outcome);
// Makes the comparisons of a case whose runs are made, and decides.
void fpd_judge(Arena *arena, FpdOutcome *outcome);
// "fpsan"; of runs in different modes "ieee/fpsan". At most FPD_MODE_TEXT_SIZE bytes.
enum { FPD_MODE_TEXT_SIZE = 64 };
void fpd_comparison_mode(const FpdComparison *comparison, char *text);
// Whether the payloads beside the numbers are compared: each element has a verdict of its own.
bool fpd_compares_records(const FpdComparison *comparison);
// The exit status that diagnostics ask for: 2 wrong usage, case or a missing file, 3 anything else; 0 if there are
// none.
int fpd_exit_status(const Diagnostics *diagnostics);

// ---- explain.c: why -------------------------------------------------------------------------------------------------

// Adds notes to the comparisons of a case that was judged; variants run again where only that can tell. What cannot be
// found out is not said.
void fpd_explain(const FpdRunner *runner, FpdOutcome *outcome);

// ---- second_runs.c: runs in which something is otherwise ------------------------------------------------------------

// The second runs (second_runs.def) that the plain ones ask for, before the comparisons are made.
bool fpd_run_second(const FpdRunner *runner, FpdRuns *runs, const FpdOutcome *planned);
// Repeats comparisons of records that diverged, in the spare chains, and fills their reroll_ fields. False and
// diagnostics if something cannot be run.
bool fpd_reroll(const FpdRunner *runner, FpdOutcome *outcome);

#endif
