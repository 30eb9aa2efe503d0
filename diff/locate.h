// SPDX-License-Identifier: Apache-2.0
// fpdiff explain: where is the bug? For a variant that diverges from the reference: what its wrong elements are
// (relations), which of its values occur in the reference (taps), and which single edits would make it equal.
#ifndef CONGRUENT_FPD_LOCATE_H
#define CONGRUENT_FPD_LOCATE_H

#include "compiler/repair/repair.h"
#include "diff/judge.h"

#include <jansson.h>

// What wrong elements are (relations.def).
typedef enum FpdRelationKind {
#define RELATION(name, ...) FPD_RELATION_##name,
#include "diff/relations.def"
#undef RELATION
    FPD_RELATION_COUNT
} FpdRelationKind;
typedef struct FpdRelation {
    FpdRelationKind kind;
    uint32_t buffer;     // of the case
    uint64_t count, of;  // holds for so many of so many wrong elements
    const char *message; // for people
} FpdRelation;

// A line that may hold the bug.
typedef struct FpdSuspect {
    bool of_launch; // of the case file: arguments or grid of a launch
    Location at;
    uint32_t launch;     // of the variant, from 0
    bool proven;         // an edit there makes all compared elements equal, with fresh data in other fields, too
    bool of_size;        // that holds for data of this size, not for larger data
    uint32_t edit_count; // how many such edits were found there
    const char *edit;    // the first of them, in words; NULL: none
    const char *reason;  // in words, without an edit
} FpdSuspect;

typedef struct FpdLocated {
    const FpdComparison *comparison;
    uint32_t relation_count, suspect_count;
    const FpdRelation *relations;
    const FpdSuspect *suspects; // the likeliest first, each line once
    const char *problem;        // why no edits were tried, or NULL
    uint64_t listed, trials;    // edits that there are; runs of edits in the search
    uint32_t proofs, refuted;   // edits that were run as always, and how many of these did not make the pair equal
    double seconds;
    Location stored_at;  // the store of the first wrong element; nowhere: not known
    uint32_t line_count; // source lines of the variant's kernels, each once
    const Location *lines;
} FpdLocated;

typedef struct FpdLocateOptions {
    double seconds; // for one pair
} FpdLocateOptions;

// ---- locate_edits.c

// Looks for the bug of a comparison of payloads that diverged. What cannot be found out is left out.
void fpd_locate(const FpdRunner *runner, const FpdOutcome *outcome, const FpdComparison *comparison,
                const FpdLocateOptions *options, FpdLocated *located);

// ---- locate_proof.c

// Whether the edited variant is equal to the reference in payloads: with the case's data, and with fresh data in
// another chain, which are larger or, where that is all that is equal, of the same size.
typedef enum FpdProof { FPD_PROOF_NONE, FPD_PROOF_THIS_SIZE, FPD_PROOF_ANY_SIZE } FpdProof;
FpdProof fpd_proves(const FpdRunner *runner, uint32_t variant, const Repair *repair, const RepairEdit *edit);

// ---- locate_relations.c

// What the wrong elements of a comparison are.
void fpd_find_relations(Arena *arena, const FpdCase *cas, const FpdComparison *comparison, FpdLocated *located);

// ---- locate_report.c

void fpd_print_located(const FpdCase *cas, const FpdLocated *located, Buffer *out);
json_t *fpd_json_located(const FpdCase *cas, const FpdLocated *located);

#endif
