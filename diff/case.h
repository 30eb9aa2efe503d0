// SPDX-License-Identifier: Apache-2.0
// FpdCase: what a case file says. It and all that it points to are in the arena that the reader was given. The files
// that read it share case_internal.h.
#ifndef CONGRUENT_FPD_CASE_H
#define CONGRUENT_FPD_CASE_H

#include "compiler/compiler.h"
#include "diff/element.h"
#include "runtime/rt.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

// ---- case_nodes.c: YAML as a tree -----------------------------------------------------------------------------------

typedef struct FpdNode FpdNode;
struct FpdNode {
    enum { FPD_SCALAR, FPD_LIST, FPD_MAPPING } kind;
    const char *text; // of a scalar
    bool plain;       // of a scalar: without quotes
    uint32_t column;  // of the scalar's first character, if byte i of it stands in column + i of the same line; else 0
    uint32_t count;   // items of a list, pairs of a mapping
    FpdNode *items;   // items of a list, values of a mapping
    FpdNode *keys;    // of a mapping: scalars, no two alike
    Location at;
};
enum { FPD_DEPTH_MAX = 12, FPD_CASE_SIZE_MAX = 1 << 20, FPD_ITEMS_MAX = 4096 };

// Reads one YAML document without anchors, aliases, tags and duplicate keys. NULL and one diagnostic (E_CASE with line
// and column) if it is anything else. Messages name `path`; `text` is not kept.
FpdNode *fpd_parse_nodes(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);

// ---- expression.c: integer expressions -----------------------------------------------------------------------------

enum { FPD_PARAMETERS_MAX = 32, FPD_COMBINATIONS_MAX = 4096 };
typedef struct FpdParameter { // of a case: `parameters: {N: [64, 96]}`, in one combination
    const char *name;
    int64_t value;
    Location at;
} FpdParameter;
typedef struct FpdParameters {
    uint32_t count;
    const FpdParameter *items;
} FpdParameters;
typedef struct FpdEvaluated {
    int64_t value;
    uint32_t used;       // bit i: parameter i occurs
    const char *problem; // NULL: none
    size_t offset;       // of the problem, in the text
} FpdEvaluated;
// The value of an expression: + - * // % and unary -, parentheses, min, max, cdiv, parameters. // and % round down.
// Exact: what needs more than 64 bits on the way is a problem, as are division by zero and unknown names.
FpdEvaluated fpd_evaluate(Arena *arena, const char *text, const FpdParameters *parameters);
// Whether a text that is no number was meant as an expression.
bool fpd_is_expression(const char *text, const FpdParameters *parameters);

// ---- profile.c: families of profiles, modes -------------------------------------------------------------------------

typedef enum FpdFamily {
#define FAMILY(name, ...) FPD_FAMILY_##name,
#include "diff/families.def"
#undef FAMILY
    FPD_FAMILY_COUNT
} FpdFamily;
typedef struct FpdFamilyInfo { // a row of families.def
    const char *profile;
    int version;
    bool meanings, casts, everywhere, threads;
} FpdFamilyInfo;
const FpdFamilyInfo *fpd_family_info(FpdFamily family);

typedef struct FpdProfile {
    FpdFamily family;
    const FpsanProfile *ring; // for family ring; NULL: not said
} FpdProfile;
const char *fpd_profile_list(Arena *arena); // "tower, triton-3.9"
// False if there is no such profile.
bool fpd_profile_by_name(const char *name, FpdProfile *profile);

typedef enum FpdMode {
#define MODE(name, ...) FPD_MODE_##name,
#include "diff/modes.def"
#undef MODE
    FPD_MODE_COUNT
} FpdMode;

typedef enum FpdQuestion {
#define QUESTION(name, ...) FPD_QUESTION_##name,
#include "diff/questions.def"
#undef QUESTION
    FPD_QUESTION_COUNT
} FpdQuestion;

// Where the payloads of a run are: in place of its floats, or in records beside them.
typedef enum FpdPayloads {
    FPD_PAYLOADS_NONE,
    FPD_PAYLOADS_IN_PLACE,
    FPD_PAYLOADS_BESIDE,
    FPD_PAYLOADS_COUNT
} FpdPayloads;
typedef struct FpdArithmetic { // what a mode means in the profiles of a family, see modes.def
    CompileNumeric numeric;
    FpdPayloads payloads;
    FpdQuestion question;
    FpdMode numbers_of;
} FpdArithmetic;
const FpdArithmetic *fpd_arithmetic(FpdFamily family, FpdMode mode);
const char *fpd_mode_name(FpdMode mode); // "ieee"
bool fpd_mode_is_compared(FpdMode mode); // modes.def
bool fpd_mode_by_name(const char *name, FpdMode *mode);

// ---- load_case.c, case_*.c, meaning.c: case files
// ----------------------------------------------------------------------

typedef enum FpdFillKind {
#define FILL(name, ...) FPD_FILL_##name,
#include "diff/fills.def"
#undef FILL
    FPD_FILL_COUNT
} FpdFillKind;

typedef struct FpdArgument FpdArgument;

typedef struct FpdFill {
    FpdFillKind kind;
    bool given;        // the case file has a fill; else it is zeros
    uint64_t constant; // of constant: the bits
    // Of uniform and log_uniform the bounds; of normal mean and standard deviation; of adversarial `high`: the scale;
    // of correlated the correlation and the standard deviation.
    double low, high;
    int64_t first, last; // of integers the bounds, both included; of adversarial and correlated `first`: the axis
    bool positive;       // of log_uniform: no element is negative
    const char *file;    // of file: its path
    // Of addresses: one for each element, of kind BUFFER, VIEW (their addresses, known once there is memory) or VALUE.
    const FpdArgument *addresses;
    Location at;
    const uint8_t *contents; // of the whole buffer, where they are known already; else NULL
} FpdFill;

typedef struct FpdBuffer {
    const char *name;
    ElementType type;
    uint32_t rank;
    int64_t shape[FPD_RANK_MAX];
    uint64_t elements, bytes;
    FpdFill fill;
    bool literal; // of the tower: its elements are read as constants of a program are
    Location at;
} FpdBuffer;

// An array in the memory of a buffer, all of whose elements lie there.
typedef struct FpdView {
    ElementType type; // the buffer's, or another one
    uint32_t rank;
    int64_t shape[FPD_RANK_MAX], stride[FPD_RANK_MAX]; // in elements of the type; strides of any sign
    uint64_t offset;                                   // bytes from the buffer's beginning to the element [0, 0, ...]
    bool nan; // for a descriptor of Triton: what lies outside reads as NaN, else as zero
} FpdView;

typedef enum FpdArgumentKind {
    FPD_ARGUMENT_BUFFER,
    FPD_ARGUMENT_VIEW,
    FPD_ARGUMENT_LIST, // of arrays, each of kind BUFFER or VIEW
    FPD_ARGUMENT_POINTER,
    FPD_ARGUMENT_SHAPE,
    FPD_ARGUMENT_STRIDE,
    FPD_ARGUMENT_VALUE,
    // Of kernels of threads:
    FPD_ARGUMENT_MAP,     // a tensor map
    FPD_ARGUMENT_SCRATCH, // memory that only this launch has
    FPD_ARGUMENT_BYTES,
    FPD_ARGUMENT_STRUCT
} FpdArgumentKind;
struct FpdArgument {
    FpdArgumentKind kind;
    const char *text; // as written; of mappings what messages call it
    uint32_t buffer;  // index into the case's buffers; of a view and a map too
    const FpdView *view;
    uint32_t dimension;  // of a shape or stride
    ElementType type;    // of a value
    uint64_t bits;       // of a value
    const RtMap *map;    // its address is not known yet
    uint64_t map_offset; // bytes from the buffer's beginning to the map's address
    uint64_t size;       // of bytes; of scratch: for each block
    const uint8_t *bytes;
    uint32_t item_count; // of a struct or a list
    const FpdArgument *items;
    Location at;
};

// A way to compile the kernels of a case: a numeric mode, with what stands beside it.
typedef struct FpdBuild {
    const char *name;
    MathSettings settings;
    Location at;
} FpdBuild;

typedef struct FpdLaunch {
    const char *module; // path as written
    const char *path;   // resolved against the case file
    const char *kernel; // or NULL
    uint32_t grid[3];
    uint32_t build; // 1 + index of the build that it is always run in; 0: that of the run
    // Of kernels of threads: a block's threads and a cluster's blocks, 0: not said; bytes of dynamic shared memory.
    uint32_t block[3], cluster[3], shared;
    bool shared_given;
    uint32_t argument_count;
    FpdArgument *arguments;
    Location at, module_at, kernel_at, math_at, block_at, cluster_at, shared_at, arguments_at;
} FpdLaunch;

typedef struct FpdVariant {
    const char *name;
    uint32_t launch_count;
    FpdLaunch *launches;
    Location at;
} FpdVariant;

// What a constant stands for: `means: {NUMBER: EXPRESSION}`.
typedef struct FpdMeaning {
    const char *number, *expression; // as written
    double value;                    // of the number
    TowerPayload payload[TOWER_ALL]; // of the expression, in each tower
    Location at;
} FpdMeaning;

// Numbers agree if |reference - other| <= atol + rtol * |reference|; without a tolerance if they are equal.
typedef struct FpdTolerance {
    bool given;
    double rtol, atol;
} FpdTolerance;

// How accurate variants have to be; 0: that is not said.
typedef struct FpdAccuracyBound {
    bool given;
    double ulps;  // the largest error, in units in the last place
    double times; // the largest error, relative to that of the reference, or to one unit where that is more
    Location at;
} FpdAccuracyBound;

typedef struct FpdCase {
    const char *path, *title; // the title may be NULL
    FpdParameters parameters; // with the values of this combination
    uint32_t buffer_count, variant_count, compare_count, mode_count;
    FpdBuffer *buffers;
    FpdVariant *variants; // the first is the reference
    uint32_t *compare;    // indices of the compared buffers
    FpdMode modes[FPD_MODE_COUNT];
    // Each variant runs in each of the first run_build_count builds, of which the first is the one that the others are
    // compared with; others are only for launches. Without any there is one: mode ieee.
    FpdBuild *builds;
    uint32_t build_count, run_build_count;
    FpdFamily family;     // of its profile
    bool profile_given;   // the case file names the profile
    unsigned chain;       // for family tower
    FpsanAlgebra algebra; // for family ring
    uint32_t meaning_count;
    FpdMeaning *meanings;
    uint64_t seed;
    FpdTolerance tolerance;
    FpdAccuracyBound accuracy;
    bool asks_accuracy; // it is to be measured: there is a bound, or `modes` has wide
    bool expect_diverge;
    bool allow_vacuous, allow_unwritten, allow_roots, allow_unspecified;
} FpdCase;

const char *fpd_profile_name(const FpdCase *cas);
static inline uint32_t fpd_run_builds(const FpdCase *cas) {
    return cas->build_count ? cas->run_build_count : 1;
}
bool fpd_is_compared(const FpdCase *cas, uint32_t buffer);
// Whether answers to the question decide about the case. If not, they are only measured.
bool fpd_is_judged(const FpdCase *cas, FpdQuestion question);

// One combination of the values of a case's parameters. The last parameter varies fastest.
typedef struct FpdCombination {
    uint32_t index;           // which one
    FpdParameters set;        // parameters that have these values, in order, instead of those of the file
    uint32_t count;           // found: how many there are; 1 where the file cannot be read that far
    FpdParameters parameters; // found: their values
} FpdCombination;
// Reads a case file with the combination. NULL and one diagnostic (E_FILE, or E_CASE with line and column) if it cannot
// be read or is wrong, or if a file that it names does not exist; E_USAGE if it lacks a parameter that is set.
FpdCase *fpd_load_combination(Diagnostics *diagnostics, Arena *arena, const char *path, FpdCombination *combination);
FpdCase *fpd_load_case(Diagnostics *diagnostics, Arena *arena, const char *path); // the first combination
// The same for a text in memory. Files that it names are looked for beside `path`.
FpdCase *fpd_parse_case(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);
// How many combinations a case file has; 1 where it cannot be read, or where all have the same error.
uint32_t fpd_count_combinations(const char *path, const FpdParameters *set);
// "N = 64, D = 32"; "" without parameters.
const char *fpd_parameters_text(Arena *arena, const FpdParameters *parameters);

// ---- case_views.c: views of buffers ---------------------------------------------------------------------------------

// The array that an argument is, of kind BUFFER, of a part of one, or VIEW.
FpdView fpd_argument_view(const FpdCase *cas, const FpdArgument *argument);

// ---- case_maps.c: tensor maps ---------------------------------------------------------------------------------------

typedef struct FpdMapTypeInfo { // a row of map_types.def
    const char *name;
    unsigned bits; // of an element
} FpdMapTypeInfo;

// ---- builds.c: ways to compile --------------------------------------------------------------------------------------

const char *fpd_build_name(const FpdCase *cas, uint32_t build);
// Replaces the builds that the variants run in by those of `list`, "ieee,fast": names of the case's builds, or modes,
// also with flags ("fast-reassoc"). False and E_USAGE if it names another.
bool fpd_override_math(Diagnostics *diagnostics, Arena *arena, FpdCase *cas, const char *list);

// ---- fill.c, npy.c: initial contents of buffers ---------------------------------------------------------------------

// 128 random bits from a counter and a key: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011).
void fpd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]);
// The same for FPD_PHILOX_MANY counters, whose low 64 bits are `first`, `first` + 1, ..., and whose high ones are
// `high`: result[w][i] is word w of the i-th result.
enum { FPD_PHILOX_MANY = 64 };
void fpd_philox_many(uint64_t first, const uint32_t high[2], const uint32_t key[2],
                     uint32_t result[4][FPD_PHILOX_MANY]);
// The inverse of the normal distribution function at 0 < p < 1, with a relative error below 1e-15: Wichura, "Algorithm
// AS 241", Applied Statistics 37 (1988), 477-484. In plain double arithmetic with fpd_log and no math library, so that
// every machine gives the same bits.
double fpd_normal_quantile(double p);
double fpd_log(double x); // natural logarithm of a positive normal number, the same bits on every machine

// Writes the initial contents of a buffer to `bytes`, which are buffer->bytes zeros. Random fills depend on the seed,
// the buffer's name and the element's index alone; up to `jobs` threads work. False and a diagnostic if a file is
// missing or does not fit.
bool fpd_fill_buffer(Diagnostics *diagnostics, const FpdBuffer *buffer, uint64_t seed, unsigned jobs, uint8_t *bytes);

// Finds the data of a .npy file; *data points into `file`. False and a diagnostic if type or shape are not the
// buffer's.
bool fpd_read_npy(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *file, size_t size,
                  const uint8_t **data);

// ---- fresh.c: other data for a case ---------------------------------------------------------------------------------

typedef enum FpdFresh { // from the weakest to the strongest
#define FRESH(name, ...) FPD_FRESH_##name,
#include "diff/fresh.def"
#undef FRESH
    FPD_FRESH_COUNT
} FpdFresh;
typedef struct FpdFreshInfo { // a row of fresh.def
    const char *key, *data, *shown;
} FpdFreshInfo;
const FpdFreshInfo *fpd_fresh_info(FpdFresh level);
// Whether data of the level are others than those of the level below, for this case.
bool fpd_fresh_differs(const FpdCase *cas, FpdFresh level);
// Gives the case buffers of this level, in the arena, with those contents that no fill says. Give it another seed
// first: what is random depends on that. Contents that were known already are dropped. False and a diagnostic if a file
// cannot be read.
bool fpd_make_fresh(Diagnostics *diagnostics, Arena *arena, FpdFresh level, FpdCase *cas);

#endif
