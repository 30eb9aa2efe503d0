// SPDX-License-Identifier: Apache-2.0
// Comparing two results of a buffer: verdicts, distances, where the differences are.
#ifndef CONGRUENT_FPD_COMPARE_H
#define CONGRUENT_FPD_COMPARE_H

#include "diff/run.h"

// ---- compare.c, compare_tower.c: two results ------------------------------------------------------------------------

enum { FPD_FIRST_MAX = 5 };

typedef enum FpdVerdict {
#define ANSWER(verdict, ...) FPD_VERDICT_##verdict,
#include "diff/answers.def"
#undef ANSWER
    FPD_VERDICT_COUNT
} FpdVerdict;

// How far apart two buffers are as numbers. NaN equals NaN, infinities of one sign are equal.
typedef struct FpdDistance {
    bool known;                // false: the bytes are no numbers
    uint64_t different;        // elements that are not equal as numbers
    uint64_t incomparable;     // of them: NaN or an infinity on one side only
    double absolute, relative; // largest; relative to the reference where that is not 0
    uint64_t ulps;             // largest; 0 for integers
    uint64_t beyond;           // elements beyond the tolerance, if there is one
} FpdDistance;

// What becomes of an element where records are compared (docs/tower.md). An integer is EQUAL or DIFFER, or UNSPECIFIED.
typedef enum FpdElementVerdict {
#define VERDICT(name, ...) FPD_ELEMENT_##name,
#include "diff/verdicts.def"
#undef VERDICT
    FPD_ELEMENT_COUNT
} FpdElementVerdict;
typedef struct FpdElementVerdictInfo {
    const char *text;
    enum { FPD_DIVERGES_NEVER, FPD_DIVERGES_ALWAYS, FPD_DIVERGES_ROOTS, FPD_DIVERGES_TIES } divergence;
    const char *meaning, *advice; // the advice may be NULL
} FpdElementVerdictInfo;
typedef struct FpdElementCount {
    bool diverges; // these elements are judged as a divergence
    uint64_t count;
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX]; // linear indices
} FpdElementCount;

typedef struct FpdDifference {        // two runs, one buffer
    uint32_t buffer;                  // index into the case's buffers
    const uint8_t *reference, *other; // the bytes
    uint64_t elements,
        different; // memory bits differ; of numbers: beyond the tolerance, or not equal where there is none
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX];                 // linear indices
    int64_t low[FPD_RANK_MAX], high[FPD_RANK_MAX]; // bounding box, both included; valid if different
    const char *pattern;                           // or NULL
    FpdDistance distance;                          // where these bytes are numbers
    // Of records; `different` then counts what is judged as a divergence.
    FpdElementCount verdicts[FPD_ELEMENT_COUNT];
    const uint8_t *verdict_of; // of each element; NULL: records were not compared
    uint64_t nothing_known[2]; // elements of the reference and of the other that are neither NaN nor known in any field
} FpdDifference;

// Compares result `compared` (an index of `compare`) of two runs. `tile` is what the reference stores, for the pattern.
typedef FpdDifference FpdCompare(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                 const FpdRun *left, const FpdRun *right);
FpdCompare fpd_compare_bits;    // do memory bits agree?
FpdCompare fpd_compare_numbers; // do numbers, within the case's tolerance?
FpdCompare fpd_compare_records; // do payloads beside the numbers? What second runs say is taken into account
// The function that answers a question about two runs; NULL: it cannot be asked of them.
FpdCompare *fpd_compare_for(FpdQuestion question, const FpdRun *left, const FpdRun *right);
FpdDistance fpd_distance(ElementType type, uint64_t elements, FpdTolerance tolerance, const uint8_t *reference,
                         const uint8_t *other);
// Integers: equal. Floats: within the tolerance; NaN equals NaN.
bool fpd_element_within(ElementType type, uint64_t a, uint64_t b, FpdTolerance tolerance);
// Marks `index` (which are given in ascending order) as different: count, first ones, bounding box.
void fpd_mark_different(const FpdBuffer *buffer, uint64_t index, uint8_t *marks, FpdDifference *difference);
// Whether all elements have the same bits, or all are NaN as `numbers` (a buffer of one element: false).
bool fpd_is_constant(const FpdBuffer *buffer, bool numbers, const uint8_t *bytes);

// An element of a run with records: its IEEE bits and its payload; of integers the bits alone.
typedef struct FpdShadowed {
    uint64_t bits;
    TowerPayload payload;
    const HostRecord *record; // NULL: a value from outside, its payload is that of its bits
} FpdShadowed;
const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict);
// Element `index` of a buffer; `records` may be NULL.
FpdShadowed fpd_shadowed(const Tower *tower, ElementType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index);
FpdShadowed fpd_element_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
// Two elements to be compared, and what there is to know of them.
typedef struct FpdElements {
    const FpdCase *cas; // whose tolerance is asked
    const Tower *tower;
    ElementType type;
    FpdShadowed a, b;
    double largest; // magnitude in their row
    bool explained; // close calls that payloads decide make the payloads equal
} FpdElements;
FpdElementVerdict fpd_element_verdict(const FpdElements *elements);
// How many fields decide about two finite payloads, and in how many of those they agree.
unsigned fpd_fields(TowerPayload a, TowerPayload b, unsigned *agree);
// The store that wrote an element of a run; NULL for a value from outside.
const FpdStore *fpd_stored_by(const FpdRun *run, FpdShadowed element);
// Whether some element would be a tie, if runs in which close calls fall otherwise explain it.
bool fpd_may_tie(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// Whether signed roots could make two runs equal: payloads of some elements differ, and all of these agree as numbers.
bool fpd_may_be_signs(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// Whether element `index` is among those that make two results of a buffer diverge.
bool fpd_element_diverges(const FpdDifference *d, uint64_t index);
// The regularity of what differs (one bit each in `marks`) within its bounding box: NULL if there is none to tell.
const char *fpd_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile, const uint8_t *marks,
                        const FpdDifference *difference);

#endif
