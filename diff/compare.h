// SPDX-License-Identifier: Apache-2.0
// Comparing two runs, buffer by buffer: element verdicts, distances, where the differences are.
#ifndef CONGRUENT_FPD_COMPARE_H
#define CONGRUENT_FPD_COMPARE_H

#include "diff/run.h"

// ---- compare.c, compare_tower.c: two results ------------------------------------------------------------------------

enum { FPD_FIRST_MAX = 5 }; // how many elements a report shows

typedef enum FpdVerdict { // of a comparison
#define ANSWER(verdict, ...) FPD_VERDICT_##verdict,
#include "diff/answers.def"
#undef ANSWER
    FPD_VERDICT_COUNT
} FpdVerdict;

// How far apart two buffers are as numbers. NaN equals NaN, an infinity one of its sign.
typedef struct FpdDistance {
    bool known;                // false: the bytes are no numbers
    uint64_t different;        // how many elements are not equal as numbers
    uint64_t incomparable;     // how many of these are NaN or an infinity on one side only
    double absolute, relative; // the largest; relative to the reference where that is not 0
    uint64_t ulps;             // the largest; 0 for integers
    uint64_t beyond;           // how many elements are beyond the tolerance, if there is one
    uint64_t farthest;         // linear index: the first that is incomparable, or else farthest apart, if some differ
} FpdDistance;

// The verdict of an element where records are compared (docs/tower.md). Integers are EQUAL, DIFFER or UNSPECIFIED.
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
    bool diverges; // the verdict counts as a divergence
    uint64_t count;
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX]; // linear indices
} FpdElementCount;

// How far apart the numbers of two elements are, whose formulas are equal.
typedef struct FpdFarthest {
    double of_row;    // in relation to the largest magnitude in their row (in the buffer, where the row is of zeros on
                      // one side); INFINITY: NaN or infinite on one side
    double roundings; // the same, in half units in the last place of the narrowest type that they passed through
    uint64_t index;   // linear
} FpdFarthest;

typedef struct FpdDifference {        // two runs, one buffer
    uint32_t buffer;                  // index into the case's buffers
    const uint8_t *reference, *other; // the bytes
    // `different`: how many differ. Memory bits: in their bits. Numbers: beyond the tolerance, or not equal if there is
    // none. Records: how many have a verdict that counts as a divergence; of builds also those beyond the tolerance.
    uint64_t elements, different;
    uint32_t first_count;
    uint64_t first[FPD_FIRST_MAX];                 // linear indices
    int64_t low[FPD_RANK_MAX], high[FPD_RANK_MAX]; // bounding box, both included; valid if some are different
    const char *pattern;                           // fpd_pattern
    FpdDistance distance;                          // if the bytes are numbers
    // Of records:
    FpdFarthest farthest;    // of elements that are equal as formulas
    uint64_t far_rows, rows; // that have such elements; `far_rows`: some of these far apart
    FpdElementCount verdicts[FPD_ELEMENT_COUNT];
    const uint8_t *verdict_of; // of each element; NULL: records were not compared
    uint64_t deep;             // elements that the deep tower decided about
    uint64_t nothing_known[2]; // per side (reference, other): elements that are not NaN and known in no field
} FpdDifference;

// Compares buffer compare[compared] of two runs. `tile`: the tile in which the reference stores it, for the pattern.
typedef FpdDifference FpdCompare(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                 const FpdRun *left, const FpdRun *right);
FpdCompare fpd_compare_bits;                 // by memory bits
FpdCompare fpd_compare_numbers;              // as numbers, by the case's tolerance
FpdCompare fpd_compare_records;              // by the payloads beside the numbers, and by what second runs say
FpdCompare fpd_compare_builds;               // by both: one variant in two builds
bool fpd_is_of_records(FpdCompare *compare); // it gives each element a verdict
// The function that answers a question about two runs; NULL: it cannot be asked of them.
FpdCompare *fpd_compare_for(FpdQuestion question, const FpdRun *left, const FpdRun *right);
FpdDistance fpd_distance(ElementType type, uint64_t elements, FpdTolerance tolerance, const uint8_t *reference,
                         const uint8_t *other);
// The numbers of equal formulas that are farthest apart, if roundings of the types on the way hardly explain it; NULL:
// they are near enough. *compared: in which buffer.
const FpdFarthest *fpd_farthest(uint32_t count, const FpdDifference *differences, uint32_t *compared);
// The largest over all compared buffers. *compared: the one that `farthest` lies in; may be NULL.
FpdDistance fpd_largest_distance(uint32_t count, const FpdDifference *differences, uint32_t *compared);
// Whether two integers are equal, or two floats within the tolerance. NaN equals NaN.
bool fpd_element_within(ElementType type, uint64_t a, uint64_t b, FpdTolerance tolerance);
// Adds a different element to the count, the first elements, the bounding box and the bits of `marks`. Indices must be
// given in ascending order.
void fpd_mark_different(const FpdBuffer *buffer, uint64_t index, uint8_t *marks, FpdDifference *difference);
// Whether all elements have the same bits or, if `numbers`, all are NaN. False for a buffer of one element.
bool fpd_is_constant(const FpdBuffer *buffer, bool numbers, const uint8_t *bytes);

// An element of a run with records: its IEEE bits and its payload; for integers the bits alone.
typedef struct FpdShadowed {
    uint64_t bits;
    TowerPayload payload;
    const HostRecord *record; // NULL: a value from outside, which has the payload of its bits
    const Tower *tower;       // of the payload
} FpdShadowed;
const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict);
// Element `index` of a buffer; `records` may be NULL.
FpdShadowed fpd_shadowed(const Tower *tower, ElementType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index);
// Element `index` of buffer compare[compared] of a run.
FpdShadowed fpd_element_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
// Two elements to be compared.
typedef struct FpdElements {
    const FpdCase *cas; // for its tolerance
    const Tower *tower;
    ElementType type;
    FpdShadowed a, b;
    double largest; // the largest magnitude in their row; of the two results the smaller
    bool explained; // second runs show that only close calls make the payloads differ
    bool deep;      // these are the elements of the deep tower
} FpdElements;
FpdElementVerdict fpd_element_verdict(const FpdElements *elements);
// Whether there is no field that two finite elements of a tower both know. (Where signs of logarithms were lost on one
// side, fields may be left that say nothing.)
bool fpd_have_no_field(const FpdShadowed *a, const FpdShadowed *b);
// Element `index` of two runs in the tower that says most: in the deep one if it was asked and no field is left in the
// plain one.
void fpd_elements_of(const FpdCase *cas, const FpdRun *left, const FpdRun *right, uint32_t compared, uint64_t index,
                     FpdShadowed *a, FpdShadowed *b);
// Whether a deep tower may know more: of finite elements no field is known in both.
bool fpd_may_be_deep(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// How many fields decide about two finite payloads; *agree: in how many of these they agree.
unsigned fpd_fields(const Tower *tower, TowerPayload a, TowerPayload b, unsigned *agree);
// The store that wrote an element of a run; NULL for a value from outside.
const FpdStore *fpd_stored_by(const FpdRun *run, FpdShadowed element);
// The op that stored element `index` of buffer compare[compared], as its record knows, or else the last one in the code
// that stores there; NULL: not known.
const FpdStore *fpd_writer_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
// Whether some element would be a tie if flipped and settled runs explained it.
bool fpd_may_tie(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// The first element that is unspecified in a run with records. False: none is.
bool fpd_first_unspecified(const FpdCase *cas, const FpdRun *run, uint32_t *compared, uint64_t *index);
// The first element of two runs with records that diverges whatever second runs say: neither close calls nor signs of
// roots can explain it, and a field is left that says so. False: there is none.
bool fpd_first_certain(const FpdCase *cas, const FpdRun *left, const FpdRun *right, uint32_t *compared,
                       uint64_t *index);
// Whether some integer of one variant in two builds has other bits, or some float another payload: a decision may have
// fallen otherwise.
bool fpd_may_have_turned(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// Whether signed roots may make elements of two runs equal: of those with different payloads the numbers of at least
// half are no further apart than rounding may leave them.
bool fpd_may_be_signs(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// Whether numbers without rounding (FPD_SECOND_unrounded) tell more of some elements: of those that are the same with
// signed roots and whose numbers are further apart than a few roundings leave them; of those that are unknown and whose
// numbers are far apart.
bool fpd_needs_numbers(const FpdCase *cas, const FpdRun *left, const FpdRun *right);
// Whether element `index` is one of those that diverge.
bool fpd_element_diverges(const FpdDifference *d, uint64_t index);
// Describes a regular pattern of the different elements (a bit each in `marks`) within their bounding box. NULL if
// there is none.
const char *fpd_pattern(Arena *arena, const FpdBuffer *buffer, const ProgramUse *tile, const uint8_t *marks,
                        const FpdDifference *difference);

#endif
