// SPDX-License-Identifier: Apache-2.0
// A case: what a case file says, read into an FpdCase. Everything lives in the arena given to the reader; errors go to
// the Diagnostics given. The parts that read it share case_internal.h.
#ifndef CONGRUENT_FPD_CASE_H
#define CONGRUENT_FPD_CASE_H

#include "compiler/compiler.h"
#include "diff/element.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

// ---- case_nodes.c: YAML as a tree -----------------------------------------------------------------------------------

typedef struct FpdNode FpdNode;
struct FpdNode {
    enum { FPD_SCALAR, FPD_LIST, FPD_MAPPING } kind;
    const char *text; // of a scalar
    uint32_t column;  // of the scalar's first character; 0 if its characters are not one column each in one line
    uint32_t count;   // items of a list, pairs of a mapping
    FpdNode *items;   // list items, values of a mapping
    FpdNode *keys;    // of a mapping: scalars, no two alike
    Location at;
};
enum { FPD_DEPTH_MAX = 8, FPD_CASE_SIZE_MAX = 1 << 20, FPD_ITEMS_MAX = 4096 };

// Reads YAML of one document without anchors, aliases, tags and duplicate keys. NULL and one diagnostic (E_CASE with
// line and column) otherwise. `path` is what messages name; `text` is not kept.
FpdNode *fpd_parse_nodes(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);

// ---- profile.c: families of profiles, modes -------------------------------------------------------------------------

typedef enum FpdFamily {
#define FAMILY(name, ...) FPD_FAMILY_##name,
#include "diff/families.def"
#undef FAMILY
    FPD_FAMILY_COUNT
} FpdFamily;
typedef struct FpdFamilyInfo { // columns of families.def
    const char *profile;
    bool meanings, casts, everywhere;
} FpdFamilyInfo;
const FpdFamilyInfo *fpd_family_info(FpdFamily family);

typedef struct FpdProfile {
    FpdFamily family;
    const FpsanProfile *ring; // of family ring; NULL: not said
} FpdProfile;
const char *fpd_profile_list(Arena *arena); // "tower, triton-3.9"
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

// Where the payloads of a run are: in place of its floats, or beside them in records.
typedef enum FpdPayloads {
    FPD_PAYLOADS_NONE,
    FPD_PAYLOADS_IN_PLACE,
    FPD_PAYLOADS_BESIDE,
    FPD_PAYLOADS_COUNT
} FpdPayloads;
typedef struct FpdArithmetic { // how a mode computes in the profiles of a family: a column of modes.def
    CompileNumeric numeric;
    FpdPayloads payloads;
    FpdQuestion question;
    FpdMode numbers_of;
} FpdArithmetic;
const FpdArithmetic *fpd_arithmetic(FpdFamily family, FpdMode mode);
const char *fpd_mode_name(FpdMode mode);
bool fpd_mode_by_name(const char *name, FpdMode *mode);

// ---- load_case.c, case_keys.c, case_buffers.c, meaning.c: case files ------------------------------------------------

typedef enum FpdFillKind {
#define FILL(name, ...) FPD_FILL_##name,
#include "diff/fills.def"
#undef FILL
    FPD_FILL_COUNT
} FpdFillKind;

typedef struct FpdFill {
    FpdFillKind kind;
    bool given;          // the case says so; otherwise zeros
    uint64_t constant;   // bits
    double low, high;    // uniform; normal: mean and standard deviation; adversarial: high is the scale
    int64_t first, last; // integers, both included; adversarial: first is the axis
    const char *file;    // path
    Location at;
} FpdFill;

typedef struct FpdBuffer {
    const char *name;
    ElementType type;
    uint32_t rank;
    int64_t shape[FPD_RANK_MAX];
    uint64_t elements, bytes;
    FpdFill fill;
    bool literal; // tower: its elements are read as constants of the program are
    Location at;
} FpdBuffer;

typedef enum FpdArgumentKind {
    FPD_ARGUMENT_BUFFER,
    FPD_ARGUMENT_POINTER,
    FPD_ARGUMENT_SHAPE,
    FPD_ARGUMENT_STRIDE,
    FPD_ARGUMENT_VALUE
} FpdArgumentKind;
typedef struct FpdArgument {
    FpdArgumentKind kind;
    const char *text;   // as written
    uint32_t buffer;    // index into the case's buffers
    uint32_t dimension; // of a shape or stride
    ElementType type;   // of a value
    uint64_t bits;      // of a value
    Location at;
} FpdArgument;

typedef struct FpdLaunch {
    const char *module; // path as written
    const char *path;   // resolved against the case file
    const char *kernel; // or NULL
    uint32_t grid[3];
    uint32_t argument_count;
    FpdArgument *arguments;
    Location at, module_at, kernel_at, arguments_at;
} FpdLaunch;

typedef struct FpdVariant {
    const char *name;
    uint32_t launch_count;
    FpdLaunch *launches;
    Location at;
} FpdVariant;

// `means: {NUMBER: EXPRESSION}`: what a constant of the program stands for.
typedef struct FpdMeaning {
    const char *number, *expression; // as written
    double value;
    TowerPayload payload[TOWER_COUNT]; // of the expression, in each tower
    Location at;
} FpdMeaning;

// How far apart numbers may be: |reference - other| <= atol + rtol * |reference|. Not given: they must be equal.
typedef struct FpdTolerance {
    bool given;
    double rtol, atol;
} FpdTolerance;

typedef struct FpdCase {
    const char *path, *title; // the title may be NULL
    uint32_t buffer_count, variant_count, compare_count, mode_count;
    FpdBuffer *buffers;
    FpdVariant *variants; // the first is the reference
    uint32_t *compare;    // indices of buffers
    FpdMode modes[FPD_MODE_COUNT];
    FpdFamily family;     // of its profile
    bool profile_given;   // the case file names the profile
    unsigned chain;       // of family tower
    FpsanAlgebra algebra; // of family ring
    uint32_t meaning_count;
    FpdMeaning *meanings;
    uint64_t seed;
    FpdTolerance tolerance;
    bool expect_diverge;
    bool allow_vacuous, allow_roots, allow_unspecified;
} FpdCase;

const char *fpd_profile_name(const FpdCase *cas);
bool fpd_is_compared(const FpdCase *cas, uint32_t buffer);
// Whether the answers to a question are judged in the case, and not just measured.
bool fpd_is_judged(const FpdCase *cas, FpdQuestion question);

// Reads a case file; NULL and one diagnostic (E_CASE with line and column, E_FILE) if it is wrong. Files it names must
// exist.
FpdCase *fpd_load_case(Diagnostics *diagnostics, Arena *arena, const char *path);
// The same of text that lies in memory; the files it names are looked for beside `path`.
FpdCase *fpd_parse_case(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size);

// ---- fill.c, npy.c: initial contents of buffers ---------------------------------------------------------------------

// 128 random bits of a counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011).
void fpd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]);
// The inverse of the normal distribution function at 0 < p < 1, in plain double arithmetic (no math library), error
// below 1e-15 relative: Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), 477-484, with a logarithm of its
// own.
double fpd_normal_quantile(double p);
double fpd_log(double x); // natural logarithm of a positive normal number, the same bits on every machine

// Writes the initial contents of the buffer to `bytes` (buffer->bytes of them, zeroed). Random fills depend on seed,
// buffer name and element index only; up to `jobs` threads work. False and a diagnostic if a file is missing or does
// not fit.
bool fpd_fill_buffer(Diagnostics *diagnostics, const FpdBuffer *buffer, uint64_t seed, unsigned jobs, uint8_t *bytes);
// The data of a .npy file whose type and shape must be the buffer's; *data points into `file`.
bool fpd_read_npy(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *file, size_t size,
                  const uint8_t **data);

#endif
