// SPDX-License-Identifier: Apache-2.0
// Random valid modules, with every op, type and attribute of a version. Operands fit the op's row in ops.def and what
// its check demands. The modules are made with the functions of tir.h.
#ifndef CONGRUENT_GENERATE_H
#define CONGRUENT_GENERATE_H

#include "compiler/tileir/tir.h"
#include "tests/robustness/random.h"

// ---- generate_module.c ----------------------------------------------------------------------------------------------

// The module of a seed, always the same. Any four seeds in a row have all versions. How many ops of each kind it has is
// added to `counts`.
TirModule *generate_module(uint64_t seed, uint64_t counts[TIR_OP_COUNT]);
// Whether ops of this kind can stand in a body, in some version that can be written.
bool generate_has_kind(TirOpKind kind);

// ---- state ----------------------------------------------------------------------------------------------------------

typedef struct Loop { // the innermost for or loop around the next op
    TirOpKind kind;
    uint32_t carried_count, result_count;
    const TirType *carried, *results;
} Loop;

typedef struct Generator {
    Random random;
    TirModule *module;
    Arena scratch;
    TirFunction *function;
    TirBlock *block; // where the next op goes
    TirValue *visible;
    uint32_t visible_count;
    size_t visible_capacity;
    uint32_t depth, budget; // how many regions are around; how many ops may still be asked for
    bool text_only;         // ops and types that bytecode lacks may be in the module
    bool pure;              // only ops without side effects: inside reduce or scan
    bool may_return;        // inside the entry, if and loop only
    const Loop *loop;
    uint64_t *locations; // of this function's ops: references into the debug table
    uint32_t location_count;
    uint64_t *counts;
} Generator;

static inline uint64_t below(Generator *g, uint64_t limit) {
    return random_below(&g->random, limit);
}
static inline bool one_in(Generator *g, uint64_t count) {
    return !below(g, count);
}

// ---- generate_types.c -----------------------------------------------------------------------------------------------

#define KIND(kind) (1u << TIR_TYPE_##kind)
enum {
    KINDS_INTEGER = KIND(i1) | KIND(i8) | KIND(i16) | KIND(i32) | KIND(i64),
    KINDS_FLOAT = KIND(f16) | KIND(bf16) | KIND(f32) | KIND(f64) | KIND(tf32) | KIND(f8E4M3FN) | KIND(f8E5M2) |
                  KIND(f8E8M0FNU) | KIND(f4E2M1FN) | KIND(fnv8E5M3FNU),
    KINDS_TEXT = KIND(f8E4M3FNUZ) | KIND(f8E5M2FNUZ) | KIND(f6E2M3FN) | KIND(f6E3M2FN), // in Generator.text_only
    KINDS_NUMBER = KINDS_INTEGER | KINDS_FLOAT | KINDS_TEXT, // what constants and memory may hold
    KINDS_POINTEE = KINDS_NUMBER & ~KIND(f4E2M1FN),          // of tiles of pointers: tools of 13.5 take no others
    KINDS_VIEW = KIND(partition_view) | KIND(strided_view) | KIND(gather_scatter_view),
};
enum { SHAPE_RANK_MAX = 4, SHAPE_ELEMENTS_MAX = 64, ANY_RANK = -1 };

typedef struct Shape {
    uint32_t rank;
    int64_t sizes[SHAPE_RANK_MAX];
} Shape;

// A kind of the set that the module's version has. The set must have one that all versions have.
TirTypeKind random_kind(Generator *g, uint32_t kinds);
// As random_kind, without those that tiles of this shape cannot hold.
TirTypeKind random_kind_for(Generator *g, uint32_t kinds, const Shape *shape);
Shape random_shape(Generator *g, int rank);
// A shape that tiles of f4E2M1FN may have, too: one with more than one element. `rank` is not 0.
Shape random_even_shape(Generator *g, int rank);
int64_t shape_elements(const Shape *shape);
Shape shape_of(const Generator *g, TirType type);
TirType tile_of(Generator *g, TirType element, const Shape *shape);
TirType number_tile(Generator *g, TirTypeKind kind, const Shape *shape);
TirType scalar_of(Generator *g, TirTypeKind kind);
// ptr_attr: -1: none; a word of pointer_attribute; ANY_POINTER: one of these.
enum { ANY_POINTER = TIR_pointer_attribute_COUNT };
TirType pointer_to(Generator *g, TirType pointee, int32_t ptr_attr);
TirType pointer_tile(Generator *g, TirTypeKind pointee, const Shape *shape);
// A tensor view with elements of one of these kinds and with that rank (ANY_RANK: any); a view of a kind in `kinds` on
// such a tensor view.
TirType random_tensor_view(Generator *g, uint32_t elements, int rank);
TirType random_view(Generator *g, uint32_t kinds, uint32_t elements, bool padded);
// Any type that loops may carry: tiles and tokens.
TirType random_carried(Generator *g);
// A type that the rule's columns allow. `related`: the type that each relation of the rule refers to, or TIR_NO_TYPE.
TirType random_type(Generator *g, const TirTypeRule *rule, const TirType *related);

// ---- generate_values.c ----------------------------------------------------------------------------------------------

// Appends an op and makes its results visible.
TirOp *add_op(Generator *g, TirOpKind kind, uint32_t operand_count, const TirValue *operands, const uint32_t *segments,
              uint32_t result_count, const TirType *results);
// Makes results visible for which add_op did not, because the op's regions came first.
void see_values(Generator *g, TirValue first, uint32_t count);
// A visible value of the type. If there is none, adds ops that make one.
TirValue value_of(Generator *g, TirType type);
TirConstant random_constant(Generator *g, TirType tile);
uint64_t random_bits(Generator *g, TirTypeKind kind);
// Text of any bytes, and names without a zero byte.
const char *random_text(Generator *g, size_t *length);
const char *random_name(Generator *g);
// A number as a tagged attribute.
TirAttribute random_number(Generator *g, TirTypeKind kind);
void random_hints(Generator *g, TirAttribute *hints, bool of_entry);
// A dictionary for each of `count` arguments of an entry.
void random_argument_attributes(Generator *g, TirAttribute *attributes, uint32_t count);

// ---- generate_ops.c -------------------------------------------------------------------------------------------------

enum { PLAN_VALUES_MAX = 8 };
typedef struct Plan { // an op to be
    TirOpKind kind;
    const TirOpInfo *info;
    TirType operands[TIR_OPERANDS_MAX], results[PLAN_VALUES_MAX]; // TIR_NO_TYPE: not chosen yet
    uint32_t counts[TIR_OPERANDS_MAX], result_count;
    TirType each[PLAN_VALUES_MAX]; // if has_each: the types of the variadic operand, which are chosen one by one
    bool has_each;
    TirAttribute attributes[TIR_ATTRIBUTES_MAX];
    bool set[TIR_ATTRIBUTES_MAX]; // the attribute has been chosen; else plan_add does, by its kind
} Plan;

// A plan in which only the counts of optional and variadic operands are chosen, at random.
Plan plan_open(Generator *g, TirOpKind kind);
TirType *plan_operand(Plan *plan, const char *name);
uint32_t *plan_count(Plan *plan, const char *name);
// The attribute, marked present and chosen; NULL if the op has none of that name.
TirAttribute *plan_attribute(Plan *plan, const char *name);
// Chooses one of the words of an enumeration attribute whose bits are set in `words`; returns it.
uint64_t plan_word(Generator *g, Plan *plan, const char *name, uint64_t words);
// Chooses the types that have not been chosen, by the columns of the row.
void plan_types(Generator *g, Plan *plan);
// Chooses values and attributes and adds the op.
TirOp *plan_add(Generator *g, Plan *plan);
TirTypeKind element_kind(const Generator *g, TirType tile);

// Adds ops until the budget of `count` is used up.
void add_random_ops(Generator *g, uint32_t count);

// For each name in the last column of ops.def: adds an op of the kind. NULL if such an op cannot stand at this place.
#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)                  \
    TirOp *make_##check(Generator *g, TirOpKind kind);
#include "compiler/tileir/ops.def"
#undef OP

#endif
