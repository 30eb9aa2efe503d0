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
    const char *what;    // what they are, in words that are the same with other data
    const char *detail;  // behind it, of these data; NULL: nothing
    const char *message; // all of that for people
    RepairPart part;     // of a partial sum: what it lacks
} FpdRelation;

enum { FPD_RELATIONS_MAX = 16 }; // of a comparison; more are not said

// A line that may hold the bug.
typedef struct FpdSuspect {
    bool of_launch; // of the case file: arguments or grid of a launch
    Location at;
    uint32_t launch;     // of the variant, from 0
    bool proven;         // an edit there makes all compared elements equal, with fresh data in other fields, too
    FpdFresh shown;      // if it is proven: the strongest such data that it holds for
    uint32_t edit_count; // how many such edits were found there
    const char *edit;    // the first of them, in words; NULL: none
    const char *reason;  // in words, without an edit
} FpdSuspect;

// A line of the variant, and how many values of an op there occur in the reference.
typedef struct FpdTapped {
    Location at;
    uint32_t launch; // of the variant, from 0
    const char *op;  // mnemonic; NULL: there is no such line
    uint64_t values, found;
} FpdTapped;

// Where values on the way stop to occur in the reference, in the order of launches and of the code: the first line
// whose values do not, the last one before it whose values do, and the last one at all whose values do.
typedef struct FpdFrontier {
    FpdTapped before, first, last;
} FpdFrontier;

typedef struct FpdLocated {
    const FpdComparison *comparison;
    uint32_t relation_count, suspect_count;
    FpdRelation *relations;
    const FpdSuspect *suspects; // the likeliest first, each line once
    FpdFrontier frontier;
    const char *problem;      // why no edits were tried, or NULL
    uint64_t listed, trials;  // edits that there are; runs of edits in the search
    uint32_t proofs, refuted; // edits that were run as always, and how many of these did not make the pair equal
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
// another chain. *level: the strongest of these that it is equal with; OWN if the case's data cannot vary.
bool fpd_proves(const FpdRunner *runner, uint32_t variant, const Repair *repair, const RepairEdit *edit,
                FpdFresh *level);
// Drops the relations that do not hold with other data of this size: accidents of the case's data, unless these have
// nothing that could vary. Those that stay have the counts of the case's data.
void fpd_confirm_relations(const FpdRunner *runner, uint32_t variant, FpdLocated *located);

// ---- locate_relations.c

bool fpd_is_finite(TowerPayload payload); // and specified
// Whether two payloads are specified and agree in every field that both know, two at least.
bool fpd_same_payload(const Tower *tower, TowerPayload a, TowerPayload b);
// Keeps a relation, with "N of M wrong elements of BUFFER " in front of `what` and `detail` in its message.
void fpd_add_relation(Arena *arena, const FpdCase *cas, const FpdRelation *relation, FpdLocated *located);

// What the wrong elements of a comparison are.
void fpd_find_relations(Arena *arena, const FpdCase *cas, const FpdComparison *comparison, FpdLocated *located);

// ---- locate_partial.c

// Whether wrong elements are partial sums: the reference without the terms that a part of an input has.
void fpd_find_partial(const FpdRunner *runner, const FpdComparison *comparison, Repair *repair, double seconds,
                      FpdLocated *located);
// The same of one part. False: no buffer has many such elements.
bool fpd_try_partial(const FpdRunner *runner, const FpdComparison *comparison, const RepairPart *part,
                     FpdLocated *located);

// ---- locate_report.c

void fpd_print_located(const FpdCase *cas, const FpdLocated *located, Buffer *out);
json_t *fpd_json_located(const FpdCase *cas, const FpdLocated *located);
// Why a comparison is not explained (unexplained.def); NULL: it is, or there is nothing to explain.
const char *fpd_unexplained(const FpdOutcome *outcome, const FpdComparison *comparison);

#endif
