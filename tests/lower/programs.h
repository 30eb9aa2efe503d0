// SPDX-License-Identifier: Apache-2.0
// Random valid kernels for test_random_programs.c. Everything follows from a seed.
//
// A program loads from and stores to buffers, one of PROGRAM_BUFFER_ELEMENTS elements for each kind of element. It
// never stores to the first PROGRAM_CONTROLS elements of a buffer: there are numbers that it depends on and that the
// compiler cannot know (bounds of loops, extents, conditions).
#ifndef CONGRUENT_LOWER_PROGRAMS_H
#define CONGRUENT_LOWER_PROGRAMS_H

#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

enum {
    PROGRAM_KINDS = 14,
    PROGRAM_SCALARS = 4, // parameters after the pointers
    PROGRAM_PARAMETERS = PROGRAM_KINDS + PROGRAM_SCALARS,
    PROGRAM_BUFFER_ELEMENTS = 4096,
    PROGRAM_CONTROLS = 64,
    PROGRAM_VALUES_MAX = 256,
    PROGRAM_ALL_VALUES_MAX = 1 << 14,
    PROGRAM_ELEMENTS_MAX = 1024, // of a tile
    PROGRAM_SHAPES = 6,
    PROGRAM_CARRIED_MAX = 6
};
extern const TirTypeKind program_kinds[PROGRAM_KINDS];
extern const TirTypeKind program_scalar_kinds[PROGRAM_SCALARS];

typedef struct ProgramShape {
    uint32_t rank;
    int64_t sizes[5];
} ProgramShape;

typedef struct ProgramLoop {
    struct ProgramLoop *outer;
    bool is_for, may_continue;
    TirValue counter; // of a `loop`: its first carried value
    uint32_t carried_count, result_count;
    TirType carried[PROGRAM_CARRIED_MAX + 1], results[PROGRAM_CARRIED_MAX + 1];
    TirValue arguments;                     // the first carried value in the body
    TirValue next[PROGRAM_CARRIED_MAX + 1]; // what the body must carry on at its end; TIR_NO_VALUE: anything
    uint32_t visible;                       // values with lower numbers are from outside of the loop
} ProgramLoop;

typedef struct RandomProgram {
    uint64_t state;
    CompileNumeric numeric;
    TirModule *module;
    TirFunction *function;
    TirBlock *block;                     // where ops go
    TirValue values[PROGRAM_VALUES_MAX]; // kept values: those that ops may use here, oldest first
    uint32_t value_count;
    uint8_t used[PROGRAM_ALL_VALUES_MAX]; // by value: an op has it as an operand
    TirTypeKind kinds[4];                 // kinds that this program uses most
    bool focused; // one shape, few kinds: tiles that are carried, permuted, multiplied and added up in each other's
                  // place
    ProgramShape shapes[PROGRAM_SHAPES];
    unsigned depth, trips;
    int budget; // statements that may still be made
    ProgramLoop *loop;
    bool in_for;
    uint64_t controls[PROGRAM_KINDS][PROGRAM_CONTROLS];
    unsigned control_count[PROGRAM_KINDS];
} RandomProgram;

// Makes a program of about `size` statements, which must pass the verifier. random_program_close frees it.
void random_program_open(RandomProgram *program, uint64_t seed, CompileNumeric numeric, int size);
void random_program_close(RandomProgram *program);

// ---- test_random_programs_values.c: chance, types, values -----------------------------------------------------------

uint64_t program_random(RandomProgram *p);
uint64_t program_roll(RandomProgram *p, uint64_t n); // 0 .. n - 1
bool program_chance(RandomProgram *p, unsigned percent);
uint64_t program_bits(RandomProgram *p,
                      TirTypeKind kind);       // of an element; without NaNs where they have no one encoding
unsigned program_kind_index(TirTypeKind kind); // of its buffer
bool program_format(TirTypeKind kind, FpsanFormat *format); // false: not a float
bool program_is_float(TirTypeKind kind);
bool program_is_packed(TirTypeKind kind);      // two share a byte: in memory they are only in views
bool program_has_arithmetic(TirTypeKind kind); // f16, bf16, f32, f64
TirType program_tile(RandomProgram *p, TirTypeKind kind, const ProgramShape *shape);
TirType program_pointer_tile(RandomProgram *p, TirTypeKind pointee, const ProgramShape *shape);
TirType program_token_type(RandomProgram *p);
const TirTypeInfo *program_info(const RandomProgram *p, TirValue value);
TirType program_type(const RandomProgram *p, TirValue value);
TirTypeKind program_kind(const RandomProgram *p, TirValue value); // of a tile's elements
ProgramShape program_shape(const RandomProgram *p, TirValue value);
int64_t program_count(const ProgramShape *shape);
ProgramShape program_random_shape(RandomProgram *p, int64_t count); // of as many elements; 0: any number
ProgramShape program_likely_shape(RandomProgram *p);

TirValue program_keep(RandomProgram *p, TirValue value); // lets later ops use the value; returns it
TirOp *program_op(RandomProgram *p, TirOpKind kind, uint32_t result_count, const TirType *results,
                  uint32_t operand_count, const TirValue *operands, const uint32_t *segments);
// An op with one result, which is not kept.
TirValue program_value(RandomProgram *p, TirOpKind kind, TirType result, uint32_t operand_count,
                       const TirValue *operands);
void program_set(RandomProgram *p, TirValue value, const char *attribute, uint64_t integer);
TirValue program_binary(RandomProgram *p, TirOpKind kind, TirValue a, TirValue b);
// A kept value of the type, rather a late and unused one; TIR_NO_VALUE if there is none.
TirValue program_pick(RandomProgram *p, TirType type);
TirValue program_pick_number(RandomProgram *p); // any tile of numbers; there always is one
TirValue program_constant(RandomProgram *p, TirType type);
TirValue program_splat(RandomProgram *p, TirType type, uint64_t bits);
// A number: a constant, or loaded so that the compiler does not know it.
TirValue program_scalar(RandomProgram *p, TirTypeKind kind, uint64_t bits);
TirValue program_argument(RandomProgram *p, unsigned index);
// A value of the type: a kept one, or one made for the purpose.
TirValue program_want(RandomProgram *p, TirType type);
TirValue program_want_scalar(RandomProgram *p, TirTypeKind kind);
TirValue program_reshape(RandomProgram *p, TirValue value, const ProgramShape *shape);
TirValue program_spread(RandomProgram *p, TirValue scalar, const ProgramShape *shape); // reshape and broadcast

// ---- test_random_programs_ops.c: ops on tiles -----------------------------------------------------------------------

TirValue program_convert(RandomProgram *p, TirValue value, TirTypeKind kind);
TirValue program_element_op_on(RandomProgram *p, TirValue a); // these two do not keep what they make
TirValue program_move_op_on(RandomProgram *p, TirValue value);
void program_element_op(RandomProgram *p);
void program_move_op(RandomProgram *p);
void program_aggregate(RandomProgram *p);
TirValue program_dot(RandomProgram *p, TirValue accumulator); // TIR_NO_VALUE: any; not kept
TirType program_accumulator_type(RandomProgram *p);

// ---- test_random_programs_bits.c: these do not keep what they make either -------------------------------------------

TirValue program_insert(RandomProgram *p, TirValue value);
TirValue program_repack(RandomProgram *p, TirValue value); // the value itself, if it has no whole bytes
TirValue program_power(RandomProgram *p, TirValue value);

// ---- test_random_programs_memory.c ----------------------------------------------------------------------------------

void program_load(RandomProgram *p);
TirValue program_load_of(RandomProgram *p, TirType type);
void program_store(RandomProgram *p, TirValue value);
TirValue program_atomic(RandomProgram *p, TirValue argument); // TIR_NO_VALUE if there is none for such elements
TirTypeKind program_index_kind(RandomProgram *p);
int program_atomic_mode(RandomProgram *p, TirTypeKind kind); // of atomic_rmw; -1 if there is none
bool program_takes_token(RandomProgram *p, TirValue *token);
// Gives a load or store an ordering: weak, relaxed or `strong`.
void program_set_ordering(RandomProgram *p, TirOp *op, uint64_t strong);

// ---- test_random_programs_views.c -----------------------------------------------------------------------------------

TirValue program_load_view(RandomProgram *p, TirType type, const ProgramShape *shape);
void program_store_view(RandomProgram *p, TirValue value, const ProgramShape *shape); // or an atomic reduction

#endif
