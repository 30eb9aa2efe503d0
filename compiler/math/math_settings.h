// SPDX-License-Identifier: Apache-2.0
// Numeric modes: what somebody says about how the floats of a program may be computed (docs/numeric-modes.md). This
// room reads, holds and prints what is said; compiler/rewrite applies it to a module.
//
// What is said comes in layers, the weakest first: the environment, the command line (or a build of a case), `math<>`
// of an entry, blocks `math<> {}` of its text, scopes. Each layer says only some things.
#ifndef CONGRUENT_MATH_SETTINGS_H
#define CONGRUENT_MATH_SETTINGS_H

#include "base/base.h"

#include <string.h>

// ---- flags, modes, keys ---------------------------------------------------------------------------------------------

typedef enum MathFlag {
#define FLAG(name, bit) MATH_FLAG_##name = (bit),
#include "compiler/math/flags.def"
#undef FLAG
    MATH_FLAGS_ALL = 127,
    MATH_FLAGS_OF_VALUES = MATH_FLAG_nnan | MATH_FLAG_ninf | MATH_FLAG_nsz, // the others allow rewrites
} MathFlag;

typedef enum MathMode {
#define MODE(name, ...) MATH_##name,
#include "compiler/math/modes.def"
#undef MODE
    MATH_MODE_COUNT
} MathMode;
typedef struct MathModeInfo { // the columns of modes.def
    const char *name;
    bool keeps;
    uint8_t adds;
    bool contracts, approximates, flushes;
} MathModeInfo;
extern const MathModeInfo math_modes[MATH_MODE_COUNT];

typedef enum MathKey {
#define KEY(name, option) MATH_KEY_##name,
#include "compiler/math/keys.def"
#undef KEY
    MATH_KEY_COUNT
} MathKey;
extern const char *const math_key_names[MATH_KEY_COUNT]; // "__CUDA_FTZ", ...

// ---- what a layer says ----------------------------------------------------------------------------------------------

typedef enum MathSwitch { MATH_UNSAID, MATH_OFF, MATH_ON } MathSwitch;
typedef enum MathDenormals {
    MATH_DENORMALS_UNSAID,
    MATH_DENORMALS_IEEE,
    MATH_DENORMALS_PRESERVE_SIGN,
    MATH_DENORMALS_POSITIVE_ZERO, // is taken, and flushes nothing
} MathDenormals;

// A bound on the error of results, in units in the last place of the exact value; 0: there is none.
typedef double MathBound;
typedef struct MathOpBound {
    const char *op; // a mnemonic of Tile IR
    MathBound bound;
    const char *from; // MathReader's
    Location at;
} MathOpBound;

// Fields of zeros say nothing.
typedef struct MathLayer {
    uint8_t mode;           // 1 + MathMode
    uint8_t all, none;      // bool: the flags `fast` and `none`, to which the next two are exceptions
    uint8_t added, removed; // bits of MathFlag; disjoint
    MathDenormals denormals;
    MathSwitch prec_div, prec_sqrt, fmad, split_fma, use_fast_math;
    MathSwitch reflect[MATH_KEY_COUNT];
    MathBound max_error;
    const MathOpBound *op_bounds; // in the order in which they were said
    uint32_t op_bound_count;
} MathLayer;

// The ops that a scope is for: those to which all of this applies. NULL and 0 apply to all.
typedef struct MathSelector {
    const char *entry, *function, *file, *op;
    uint32_t first_line, last_line; // of `file`
} MathSelector;
typedef struct MathScope {
    const char *text, *selected; // as it was said: SELECTOR:SETTINGS, SELECTOR (in a case "op: exp")
    const char *from;            // MathReader's
    Location at;
    MathSelector selector;
    MathLayer layer;
} MathScope;

// What a compilation is told. Zeros: mode ieee, and nothing else.
typedef struct MathSettings {
    MathLayer environment, command;
    const MathScope *scopes; // a later one is stronger
    uint32_t scope_count;
} MathSettings;

// ---- what holds for an op -------------------------------------------------------------------------------------------

typedef struct MathState {
    MathMode mode;
    uint8_t added, removed;  // flags, beside what the mode adds and clears
    MathDenormals denormals; // never UNSAID
    MathSwitch fmad;         // ON: mulf, addf, subf and negf get `contract`, sums of two products too; OFF: no op
                             // gets it from the mode
    MathSwitch split_fma;    // UNSAID: as the mode does for the entry
    bool fast_functions;     // divf and all functions get `afn`
    // OFF: f32 divisions, roots to nearest are approximate; ON: the mode gives them no licence to be.
    MathSwitch prec_div, prec_sqrt;
    MathSwitch reflect[MATH_KEY_COUNT];
    MathBound max_error;
} MathState;

// What an op is called: its name, and its mnemonic in text (pow, fpowf).
typedef struct MathOpName {
    const char *name, *text;
} MathOpName;
static inline bool math_is_op(const MathOpName *op, const char *said) {
    return !strcmp(op->name, said) || !strcmp(op->text, said);
}

// What holds where only the settings say something: not yet what entries, blocks and scopes say.
MathState math_state(const MathSettings *settings, const MathOpName *op);
// What holds where this layer of an entry, a block or a scope says something, too. If it names a mode, all that modes
// decide and weaker layers said is forgotten, but not bounds.
void math_apply(MathState *state, const MathLayer *layer, const MathOpName *op);
// The flags that the mode gives to all ops.
static inline uint8_t math_flags_of_mode(const MathState *state) {
    return (uint8_t)(math_modes[state->mode].adds & ~(state->fmad == MATH_OFF ? MATH_FLAG_contract : 0));
}
// The key's value, but for FTZ and ARCH.
bool math_key(const MathState *state, MathKey key);
// Whether the settings leave a program without flags, bounds and blocks as it is.
bool math_is_ieee(const MathSettings *settings);

// ---- reading (math_settings.c) --------------------------------------------------------------------------------------

// Where settings are read from, for messages; what is read is copied into the arena.
typedef struct MathReader {
    Diagnostics *diagnostics;
    Arena *arena;
    ErrorCode code;       // of errors
    Location at;          // of errors
    const char *from;     // begins each message: "--math-scope", "TILEIRAS_MATH", "scopes"
    bool in_case;         // names are keys of a case: max_error, not max-error
    const char *selected; // of a scope: MathScope.selected; NULL: as the text has it
} MathReader;

// Sets what the option `name` says with `value` (NULL: it has none) in the layer: of the environment, the command line
// or a build. `math-scope` and `reflect` are only for layers of `settings`; in others `settings` is NULL. False and a
// diagnostic if the name or the value is not known, or contradicts what the layer already says.
bool math_set(const MathReader *reader, MathSettings *settings, MathLayer *layer, const char *name, const char *value);
// Reads "NAME=VALUE NAME ...", as TILEIRAS_MATH has it, into settings->environment.
bool math_read_environment(const MathReader *reader, MathSettings *settings, const char *text);
// Reads the settings of an entry, a block or a scope: "strict,+contract,max-error=2" of that length.
bool math_read_layer(const MathReader *reader, const char *text, size_t length, MathLayer *layer);
// The lines of a selector: "FILE:A-B".
bool math_read_lines(const MathReader *reader, const char *text, MathSelector *selector);
// A bound: a decimal number from 0.5 on.
bool math_read_bound(const MathReader *reader, const char *text, size_t length, MathBound *bound);
// The flag of this name; 0: there is none.
uint8_t math_flag(const char *name, size_t length);

// ---- printing (math_settings.c) -------------------------------------------------------------------------------------

// "reassoc, contract"; "fast" for all of them.
void math_print_flags(uint8_t flags, Buffer *out);
void math_print_bound(MathBound bound, Buffer *out); // "2.5": as few digits as give the same number back
// All that the settings say, as TILEIRAS_MATH would: the same text only for settings that mean the same. "math=ieee" if
// nothing is said.
void math_print_settings(const MathSettings *settings, Buffer *out);

#endif
