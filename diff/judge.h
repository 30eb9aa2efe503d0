// SPDX-License-Identifier: Apache-2.0
// Comparisons: two runs and a question. A case plans a list of them. They are judged, explained by notes and, with
// --reroll, repeated in other chains. All of that is the outcome of the case.
#ifndef CONGRUENT_FPD_JUDGE_H
#define CONGRUENT_FPD_JUDGE_H

#include "diff/compare.h"

// ---- judge.c: verdicts of a case ------------------------------------------------------------------------------------

// What a report says beside a verdict to explain it (notes.def, explain.c).
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
typedef struct FpdNoteView { // the tiles of a buffer in a kernel's view
    const char *buffer;      // NULL: not known
    uint32_t rank;
    int64_t tile[FPD_RANK_MAX], extent[FPD_RANK_MAX];
} FpdNoteView;
typedef struct FpdNoteRead {          // a launch reads a buffer that nothing has filled
    uint32_t variant, launch, buffer; // numbers from 0: in the case, in the variant, in the case
    bool in_part;                     // an earlier launch may have written a part of it
} FpdNoteRead;
typedef struct FpdNoteBuffer { // a buffer that is not compared, and differs
    FpdDifference difference;
    const FpdStore *stored[2]; // who stored the first different element, per side; NULL: not known
} FpdNoteBuffer;
typedef struct FpdNote {
    FpdNoteKind kind;
    const char *message; // lines for people
    uint32_t left;       // how many more constants, views, buffers or reads there are than are listed here
    uint32_t constant_count, view_count, buffer_count, read_count;
    const FpdNoteConstant *constants;
    const FpdNoteView *views;
    const FpdNoteBuffer *buffers;
    const FpdNoteRead *reads;
    uint64_t elements; // of masks: how many elements
} FpdNote;
const char *fpd_note_text(FpdNoteKind kind); // in the JSON report

// How sure a pair that is equal is so: a bound on the chance that a difference was missed.
typedef struct FpdCertainty {
    const char *none;             // why no bound is known; NULL: one is
    bool differs;                 // because other data show another formula
    double log2;                  // of the bound
    uint64_t degree;              // the highest of the differences of the formulas, at most
    unsigned fields;              // the fewest that decide about an element
    uint64_t elements, uncovered; // that the bound is about, and others: integers, ties, not finite ones
    uint32_t runs;                // that it is the product of
} FpdCertainty;

// How far the floats of a buffer are from the numbers that they would be without rounding, had all decisions fallen as
// they did. In units in the last place of the type at that number.
typedef struct FpdError {
    bool is_measured;                  // it has elements, of floats with records; else all others are 0
    uint64_t elements;                 // whose error is known
    uint64_t unknown;                  // whose is not
    uint64_t lost;                     // of these, NaN or infinite where the reference is finite
    uint64_t infinite, first_infinite; // that are NaN or infinite, though the number is in the type's range
    uint64_t as_reference;             // of `unknown` and `infinite`: where the reference has the same float
    double largest, most, mean;        // most: of 99.9 % of the elements
    double usual;                      // of three quarters of them
    double relative;                   // the largest, relative to the largest magnitude of the reference's row
    double of_rows;                    // `relative`; of short rows, that of three quarters of them
    uint64_t farthest;                 // where the largest is
    const uint16_t *codes;             // fpd_error_code of each element; NULL: nobody draws them
} FpdError;
typedef struct FpdVariantAccuracy {
    const char *none;    // why nothing is known of it; NULL: it is
    FpdError *errors;    // per compared buffer; with `none` all are as if not measured
    bool exceeds;        // the bound of the case
    bool much_worse;     // than the reference, by our rule
    uint32_t numbers_of; // the variant whose numbers without rounding its results are compared with, mostly its own
} FpdVariantAccuracy;
typedef struct FpdAccuracy {
    const char *none; // why nothing is known of the reference, and so of none; NULL: it is
    FpdVariantAccuracy *variants;
    bool met_by_none; // the case's bound; by the reference neither
} FpdAccuracy;

// What other data say of the ties of a pair that is equal.
typedef struct FpdLook {
    uint64_t ties, apart; // elements; of those that are equal as payloads with other data
    uint32_t runs;        // with other data, in which the pair is equal, too
    uint32_t unclear; // further ones, in which only elements differ that depend on close calls; first with this seed:
    uint64_t unclear_seed;
    const char *none; // why there is none; NULL: there is one, or they failed
    uint8_t **told;   // per compared buffer: a bit for each element of `apart`
} FpdLook;

// Two runs and a question, and the answer.
typedef struct FpdComparison {
    const FpdRun *left, *right; // the reference is on the left
    FpdQuestion question;
    FpdVerdict verdict;
    FpdDifference *differences;   // per compared buffer
    uint64_t elements, different; // over all compared buffers
    // Of records, per side: the run wrote floats, and of none of them a field is known. Nothing of what it computed can
    // be compared.
    bool lost[2];
    uint64_t unspecified; // in both runs: ops that an unspecified value decided about; without records, elements
    uint64_t beyond;      // of numbers: elements beyond the tolerance that no unspecified value explains
    bool all_unspecified; // of records: every compared element is unspecified in one of the runs
    // Of one variant in two builds: the build changes more than the case allows; then what each single licence of the
    // build does alone (culprits.c).
    bool fails;
    uint32_t culprit_count;
    const struct FpdCulprit *culprits;
    // With --reroll: in how many spare chains a divergence was repeated, and how many elements diverge in all chains.
    uint32_t reroll_count;
    uint64_t reroll_different;
    FpdCertainty *certainty; // of formulas that are equal; NULL: nobody looked
    FpdLook *look;           // where some elements of these are ties; NULL: none is
    uint32_t note_count;
    FpdNote notes[FPD_NOTE_COUNT]; // of each kind at most one
} FpdComparison;

// A licence of a build, alone on top of the first build of the case.
typedef struct FpdCulprit {
    const char *name;                // "contract"
    const FpdComparison *comparison; // of the variant in the first build and in that one
} FpdCulprit;

// Why a case is vacuous: it could not have failed. The texts are for the JSON report.
#define FPD_VACUOUS_KINDS(VACUOUS)                                                                                     \
    VACUOUS(UNWRITTEN, "unwritten")                                                                                    \
    VACUOUS(CONSTANT, "constant")                                                                                      \
    VACUOUS(EMPTY, "empty")                                                                                            \
    VACUOUS(NOTHING, "nothing judged")
typedef enum FpdVacuousKind {
#define VACUOUS(name, text) FPD_VACUOUS_##name,
    FPD_VACUOUS_KINDS(VACUOUS)
#undef VACUOUS
} FpdVacuousKind;
typedef struct FpdVacuous {
    FpdVacuousKind kind;
    FpdMode mode;
    uint32_t variant, buffer; // not of NOTHING
    uint64_t count, first;    // of UNWRITTEN: how many elements, and the first of them
    const char *message;      // one line
    bool allowed;             // by the case, and so no failure
} FpdVacuous;

// What the range census says of a line: of an op in a source line of a kernel, in all its launches.
typedef struct FpdRangeLine {
    FpdCensusSite site;       // of its first launch, with the counts of all
    double largest, smallest; // magnitudes; 0: there is none
    double own;               // the largest that no operand had (KernelCensusCell)
    double to_overflow;       // doublings from the largest to the largest number of the type, INFINITY if that is 0
    double own_to_overflow;   // from the largest of its own
    double argument;          // of exponentials: doublings of the argument until they overflow; else INFINITY
    double to_subnormal;      // doublings from the smallest normal number of the type to the smallest
    unsigned lost;            // bits, of additions: the most that cancelled, where the result is not zero
} FpdRangeLine;
typedef struct FpdRange {
    const FpdRun *run; // NULL: nothing of the variant was counted
    uint32_t line_count;
    FpdRangeLine *lines;         // in the order of launches and of the code
    uint32_t type_count;         // what all lines of a type come to, in the order in which types occur: their
    FpdRangeLine *types;         // `site` has a format and counts alone, and `argument` is INFINITY
    const FpdRangeLine *made;    // the first that made infinities or NaN of finite numbers; NULL: none did
    const FpdRangeLine *nearest; // of those that made none that which is nearest to overflow (fpd_line_headroom), but
                                 // for types of 8 bits and less; NULL: there is none
    uint64_t not_finite;         // how many compared elements are infinite or NaN
    // With 1 in place of the infinities and NaN that `made` made: how many of these are finite, and how many compared
    // elements are others. Not `tried`: nothing is known.
    bool tried;
    uint64_t finite, changed;
} FpdRange;

typedef struct FpdOutcome {
    const FpdCase *cas; // NULL: the case could not be read
    const char *path;
    FpdParameters parameters; // known also of a case that cannot be read to its end
    const FpdRuns *runs;
    bool judged; // false: the case could not be run
    uint32_t comparison_count, vacuous_count;
    FpdComparison *comparisons;
    FpdVacuous *vacuous;
    uint32_t diverged;       // judged comparisons that diverged
    uint32_t unknown;        // comparisons whose verdict is UNKNOWN
    uint32_t races;          // runs in which blocks race
    uint32_t misuses;        // runs in which parts of a block work together wrongly
    uint32_t schedules;      // runs that another schedule changes
    uint32_t builds_failed;  // comparisons of builds that fail
    bool diverges;           // as `expect: diverge` asks
    bool expectation_met;    // the case is as `expect` says, and numbers are within the tolerance
    FpdAccuracy *accuracy;   // NULL: nobody asked
    FpdRange *ranges;        // of each variant; NULL: nothing was counted
    bool all_ranges;         // each line of them is wanted
    uint32_t inaccurate;     // variants that exceed the case's bound of accuracy
    int status;              // exit status of the case: 0, 1, 2, 3
    bool several_seeds;      // the case was compared with other seeds, too
    bool second_look;        // it has other data than the case, in which something diverged that was a tie, or equal
    uint64_t own_seed;       // the case's, before another run or look
    uint32_t run, run_count; // with --runs: run `run` of `run_count` decided, from 1 on; 0: there is one, or all agree
    const char *target;      // what it ran on, for people; NULL: the host
    bool races_checked;      // races between blocks were looked for, in launches of tiles
    bool has_threads, has_tiles; // launches of either kind of kernels
    bool has_parts;              // and of tiles whose blocks have parts
    const Diagnostics *errors;   // if status is 2 or 3
    size_t map_bytes;            // that maps of its buffers may take; 0: nobody draws them
} FpdOutcome;

// Sets outcome->has_threads, has_tiles and has_parts.
void fpd_see_forms(const FpdPrograms *programs, FpdOutcome *outcome);
// Plans the comparisons that a case asks for: each variant with the reference, in each build and mode, by the mode's
// question; then each variant in each further build with the same in the first.
void fpd_plan_comparisons(Arena *arena, const FpdCase *cas, const FpdRuns *runs, FpdOutcome *outcome);
// Makes the planned comparisons, after the runs have been made, and decides.
void fpd_judge(Arena *arena, FpdOutcome *outcome);
// Why a judged case could not have failed, of what the case does not allow: one line. NULL: it could.
const char *fpd_vacuous_reason(const FpdOutcome *outcome);
// Makes one comparison of builds: fills in all that follows from its runs.
void fpd_judge_build(Arena *arena, const FpdCase *cas, const ProgramUse *tiles, FpdComparison *comparison);
// Writes "fpsan", or "ieee/fpsan" for runs in different modes, to `text`, of FPD_MODE_TEXT_SIZE bytes.
enum { FPD_MODE_TEXT_SIZE = 64 };
void fpd_comparison_mode(const FpdComparison *comparison, char *text);
// Whether a comparison that was made speaks against its case: it may not be as it is, whatever the others are.
bool fpd_comparison_fails(const FpdCase *cas, const FpdComparison *comparison);
// Whether payloads in records are compared, so that each element has a verdict.
bool fpd_compares_records(const FpdComparison *comparison);
// Of all its buffers: elements that the deep tower decided about.
uint64_t fpd_deep_elements(const FpdCase *cas, const FpdComparison *comparison);
// The exit status of fpdiff for these diagnostics: 2 for wrong usage, a wrong case or a missing file, 3 for anything
// else; 0 if there are none.
int fpd_exit_status(const Diagnostics *diagnostics);

// ---- culprits.c: which licence of a build --------------------------------------------------------------------------

// For each comparison of builds that fails: runs the variant with each single licence of the build. False and
// diagnostics if something cannot be run.
bool fpd_find_culprits(const FpdRunner *runner, FpdOutcome *outcome);

// ---- certainty.c: how sure "equal" is
// --------------------------------------------------------------------------------

// Fills in the certainty of the pairs of a judged case that are equal. Runs their variants again.
void fpd_find_certainty(const FpdRunner *runner, FpdOutcome *outcome);
// Another run of the case, with other data and fields, found the same: its chances are multiplied to those of
// `outcome`.
void fpd_add_certainty(FpdOutcome *outcome, const FpdOutcome *other);

// ---- second_look.c: other data where equal rests on close calls ----------------------------------------------------

enum { FPD_LOOKS = 3 }; // with other data
// Finds the pairs of a judged case that are equal with some ties, in each build, and sets their `look`. False if there
// is none, or the case has no other data: no fill is random.
bool fpd_plan_look(Arena *arena, FpdOutcome *outcome);
const char *fpd_look_reason(const FpdLook *look); // why it has no runs, for people
// How many builds have to run so that all pairs with a `look` are compared.
uint32_t fpd_look_builds(const FpdOutcome *outcome);
// Leaves the modes whose payloads are compared, and so many builds; of what is planned the comparisons of variants.
void fpd_look_at_formulas(FpdCase *cas, uint32_t builds);
void fpd_look_at_pairs(FpdOutcome *outcome);
// Whether a look with other data found another formula: elements differ that do not depend on close calls. (Right
// kernels have some that do.)
bool fpd_look_diverges(const FpdOutcome *other);
// Adds what an outcome with other data, where that is not so, says of the ties.
void fpd_add_look(FpdOutcome *outcome, const FpdOutcome *other);

// ---- accuracy.c: how accurate ---------------------------------------------------------------------------------------

// What `fpdiff run -m wide` writes for all elements of buffer compare[c] of a run in mode wide or wider: two doubles
// for each, little-endian, whose sum is the number without rounding.
void fpd_print_numbers(const FpdCase *cas, const FpdRun *run, uint32_t c, Buffer *out);
// Runs the variants in mode wide or wider, each in its first build. Those with kernels of threads have no such run:
// NULL. NULL and a diagnostic if one cannot be run.
FpdRun *const *fpd_run_wide(const FpdRunner *runner, FpdMode mode);
// How far an element of buffer compare[c] (floats) is from the number that it would be without rounding.
typedef struct FpdElementError {
    enum { FPD_KNOWN_ERROR, FPD_UNKNOWN_ERROR, FPD_INFINITE_RESULT } known; // as in FpdError
    double error, unit; // where it is known: |float - number|; the unit in the last place of the type at that number
} FpdElementError;
// What the errors of a variant are found by. Arrays have an entry per compared buffer.
typedef struct FpdMeasured {
    const FpdRun *wide, *wider; // runs of one variant in these modes, which have the numbers without rounding
    uint8_t *const *floats;     // what is measured: the bytes of these runs, or those of another variant
    const FpdRun *payloads;     // the variant's run in the tower, which says whether a formula is NaN; NULL: none
    uint8_t *const *initial;    // what was there before the first launch: data, which are what they are
} FpdMeasured;
// Known errors are off by 1 % of themselves at most, or by 0.005 units.
FpdElementError fpd_element_error(const FpdCase *cas, const FpdMeasured *of, uint32_t c, uint64_t index);
// Runs all variants in their first build with the numbers without rounding, and fills in outcome->accuracy. The case
// fails where a variant exceeds its bound.
void fpd_find_accuracy(const FpdRunner *runner, FpdOutcome *outcome);
// Whether the case's bound of accuracy says something about any result.
bool fpd_judges_accuracy(const FpdCase *cas);
// An error in two bytes: the bits of a float from its exponent on, with eight of the mantissa. NAN is `not known`, and
// INFINITY a result that is NaN or infinite.
enum { FPD_ERROR_MOST = 0xfeff, FPD_ERROR_INFINITE, FPD_ERROR_UNKNOWN };
uint16_t fpd_error_code(double error);
// 0: no error; 1: at most half a unit; n: at most 2^(n - 2). 254: NaN or infinite; 255: not known.
enum { FPD_LEVEL_MOST = 253, FPD_LEVEL_INFINITE, FPD_LEVEL_UNKNOWN };
uint8_t fpd_error_level(uint16_t code);

// ---- range.c: how near the edge -------------------------------------------------------------------------------------

// Fills in outcome->ranges from the counts of the runs.
void fpd_find_ranges(Arena *arena, FpdOutcome *outcome);
// What comes of what an op makes that is not finite: runs variants in which one does again, with 1 in its place.
void fpd_find_reached(const FpdRunner *runner, FpdOutcome *outcome);
// Doublings until the op overflows: of what is its own or, if that is less, of its argument.
double fpd_line_headroom(const FpdRangeLine *line);

// ---- explain.c: why -------------------------------------------------------------------------------------------------

// Adds notes to the comparisons of a case that was judged. Runs variants again where only that can tell. Leaves out
// what cannot be found out.
void fpd_explain(const FpdRunner *runner, FpdOutcome *outcome);

// ---- second_runs.c: runs again, with other settings -----------------------------------------------------------------

// Makes the second runs (second_runs.def) that the plain runs ask for, before the comparisons are made. `planned`:
// fpd_plan_comparisons. False and diagnostics if something cannot be run.
bool fpd_run_second(const FpdRunner *runner, FpdRuns *runs, const FpdOutcome *planned);
// Repeats the comparisons of records that diverged, in the spare chains, and fills in their reroll_ fields. False and
// diagnostics if something cannot be run.
bool fpd_reroll(const FpdRunner *runner, FpdOutcome *outcome);

#endif
