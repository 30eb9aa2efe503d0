// SPDX-License-Identifier: Apache-2.0
// The translation of what was read into a function of Tile IR, and its hooks by file.
//
// A hook translates one op: it appends ops to the current block, and says what the op's results are. Its operands are
// there, and have the types that the reader saw. False after a diagnostic.
//
// Memory. Triton orders accesses as the program has them. The token of the last op that may write is `written`; every
// load takes it. A load's own token waits in `loads` for the next op that may write, which takes them all. Loops whose
// body may write carry one token; `if` gives one where a branch may write.
#ifndef CONGRUENT_TRITON_TRANSLATE_H
#define CONGRUENT_TRITON_TRANSLATE_H

#include "compiler/triton/reader.h"

typedef struct TriDescriptor { // a tensor in memory, and the block of it that is accessed
    TirValue base;             // scalars
    uint32_t rank;
    TirValue extents[TIR_RANK_MAX], strides[TIR_RANK_MAX]; // i64; strides in elements
    TirValue offsets[TIR_RANK_MAX];                        // i64: of a block pointer
    bool nan;                                              // what lies outside is NaN, else zero
    TirValue padding;                                      // TIR_NO_VALUE, or a scalar: what lies outside
    TirValue padding_flag;                                 // with it: an i1, whether that is NaN
    const TriOp *made;                                     // of a block pointer: the op that made it
    bool is_unsigned;
    TirType block; // the tile
    TirValue here; // of one in the kernel's memory: TIR_NO_VALUE where the region is over that made it
} TriDescriptor;

typedef struct TriView TriView;   // objects.h
typedef struct TriFacts TriFacts; // objects.h
typedef struct TriFrame TriFrame;
struct TriFrame { // a function whose ops are translated
    TriFrame *caller;
    const TriFunction *function;
    Location call;                     // of an inlined function: where it is called
    TirValue *values;                  // of its values; TIR_NO_VALUE: not there (yet)
    const TriDescriptor **descriptors; // of those that are descriptors
    const TriView **views;             // of those that are memory objects
};

struct TriTranslation {
    TriReader *reader;
    Parser *p;
    TirModule *module;
    TirFunction *function;
    TirBlock *block; // what is translated is appended here
    TriFrame *frame;
    const TriOp *op;         // the one that is translated
    const TriOp *placed;     // the op that `at` is the place of
    Location at;             // in a function that is called
    const TirTypeInfo *lift; // of a body that is applied to each element: the tile's shape; else NULL
    TirValue written;
    TirValue *loads;
    size_t load_count, load_capacity;
    TirValue **defined; // values set since the function began, for the ends of regions
    size_t defined_count, defined_capacity;
    uint32_t depth, op_count;
    // Of functions with memory objects (objects.h).
    const TriFacts *facts;  // NULL: it has none
    TirValue memory;        // the address of the block's memory
    uint64_t *memory_used;  // bytes, of the kernel and its parts
    struct TriParts *parts; // of the kernel
    uint32_t warps;         // that run what is translated
};

// ---- translate.c ---------------------------------------------------------------------------------------------------

// How many parts (objects.h) the ops of a region may need, at most.
uint32_t tri_count_parts(const TriRegion *region);
// Translates a public function into an entry.
bool tri_translate(TriReader *reader, const TriFunction *function);
bool tri_translate_op(TriTranslation *t, const TriOp *op);
// E_UNSUPPORTED, or E_TEXT, at the op that is translated.
bool tri_refuse(TriTranslation *t, const char *format, ...) BASE_PRINTF(2, 3);
bool tri_fail(TriTranslation *t, const char *format, ...) BASE_PRINTF(2, 3);

// Operands by index, and by their name in ops.def (variadic ones by their first); TIR_NO_VALUE: absent.
bool tri_use(TriTranslation *t, TriValue value, TirValue *used);
bool tri_use_raw(TriTranslation *t, TriValue value, TirValue *used);  // of a pending product: the slot
bool tri_use_all(TriTranslation *t, const TriOp *op, TirValue *used); // of as many as it has
TriValue tri_operand(const TriOp *op, const char *name);
uint32_t tri_operands(const TriOp *op, const char *name, const TriValue **values);
TriValue tri_result(const TriOp *op, const char *name);               // TRI_NO_VALUE: an optional one that is absent
const TriAttribute *tri_attribute(const TriOp *op, const char *name); // NULL: absent
void tri_end_with_region(TriTranslation *t, TirValue *slot); // which becomes TIR_NO_VALUE where the region ends
bool tri_define(TriTranslation *t, TriValue value, TirValue defined);
bool tri_define_descriptor(TriTranslation *t, TriValue value, const TriDescriptor *descriptor);
const TriDescriptor *tri_use_descriptor(TriTranslation *t, TriValue value); // NULL after a diagnostic
// The type of a value as a tile, with the shape of `lift` where that holds.
TirType tri_type(TriTranslation *t, TriValue value);
static inline TirType tri_result_type(TriTranslation *t, const TriOp *op) {
    return tri_type(t, op->first_result);
}
static inline const TirTypeInfo *tri_tile_info(const TriTranslation *t, TirType tile) {
    return tir_type(t->module, tile);
}
static inline TirTypeKind tri_kind(const TriTranslation *t, TirType tile) {
    return tir_tile_element_kind(t->module, tile);
}
TirType tri_with_element(TriTranslation *t, TirType tile, TirTypeKind kind); // of the same shape
TirType tri_value_tile(const TriTranslation *t, TirValue value);             // its type

// Appends an op with these operands, and gives its result.
TirOp *tri_emit_op(TriTranslation *t, const TirNewOp *added);
TirValue tri_emit(TriTranslation *t, TirOpKind kind, TirType type, uint32_t count, const TirValue *operands);
TirValue tri_emit1(TriTranslation *t, TirOpKind kind, TirType type, TirValue x);
TirValue tri_emit2(TriTranslation *t, TirOpKind kind, TirType type, TirValue x, TirValue y);
TirValue tri_emit3(TriTranslation *t, TirOpKind kind, TirType type, TirValue x, TirValue y, TirValue z);
// Sets an attribute of the op that gave the value.
TirValue tri_set(TriTranslation *t, TirValue result, const char *name, uint64_t number);
TirValue tri_splat_bits(TriTranslation *t, TirType type, uint64_t bits);   // a constant, all elements alike
TirValue tri_integer(TriTranslation *t, TirTypeKind kind, int64_t number); // a scalar constant
// Splats a scalar, and broadcasts a tile, to a tile type of the same element.
TirValue tri_splat(TriTranslation *t, TirValue scalar, TirType type);
TirValue tri_reshape(TriTranslation *t, TirValue value, TirType type);
TirValue tri_cast_from(const TriTranslation *t, TirValue value); // of the bits of a float: the float; else the value
TirType tri_token_type(TriTranslation *t);
TirValue tri_emit_pair(TriTranslation *t, TirValue x, TirValue y);            // joined along a new last dimension
bool tri_emit_function(TriTranslation *t, const TriOp *op, const char *name); // of functions.def, for the op
// translate_bits.c. *known: whether the symbol of tt.extern_elementwise is one of its rows.
bool tri_emit_bits(TriTranslation *t, const TriOp *op, bool *known);

// ---- blocks and control flow (translate_control.c) -----------------------------------------------------------------

typedef struct TriMark { // where a region of Tile IR begins
    TirBlock *block;
    size_t defined, loads;
    TirValue written;
} TriMark;
TriMark tri_open_region(TriTranslation *t, TirBlock *block);
void tri_close_region(TriTranslation *t, const TriMark *mark);
bool tri_translate_ops(TriTranslation *t, const TriBlock *block, const TriOp **end); // *end: the terminator
static inline bool tri_op_is(const TriOp *op, const char *name) {
    return !strcmp(op->info->name, name);
}
static inline bool tri_is_of_blocks(const TriOp *op) { // of TTGIR's own dialects
    return !strncmp(op->info->name, "ttg.", 4) || !strncmp(op->info->name, "ttng.", 5);
}
// Ends the block with these values, and a token if there is one to carry.
bool tri_end_block(TriTranslation *t, TirOpKind kind, const TriValue *values, uint32_t count, bool with_token);
// Whether the end of a region (NULL: nothing) has so many operands from `first` on.
bool tri_check_count(TriTranslation *t, const TriOp *end, uint32_t first, uint32_t count);
// translate_blocks.c: translates the blocks of the frame's function. In an entry tt.return ends it; in an inlined
// function its values are put into `results`.
bool tri_translate_body(TriTranslation *t, TirValue *results);
bool tri_may_write(const TriTranslation *t, const TriRegion *region);

// ---- tokens (translate_memory.c) -----------------------------------------------------------------------------------

TirValue tri_join(TriTranslation *t); // the token that an op which writes waits for; the loads are gone then
void tri_add_load(TriTranslation *t, TirValue token); // of a load
TirValue tri_emit_load(TriTranslation *t, TirValue pointers, TirValue mask, TirValue padding, TirType type);
void tri_emit_store(TriTranslation *t, TirValue pointers, TirValue value, TirValue mask);

uint64_t tri_rmw_mode(const TriOp *op); // what atomic_rmw_op says
// `op`: whose ordering and scope it has; NULL: relaxed, of the device. Gives the old values.
TirValue tri_emit_rmw(TriTranslation *t, const TriOp *op, TirValue pointers, uint64_t mode, TirValue value,
                      TirValue mask);

// ---- reductions (translate_reduce.c) -------------------------------------------------------------------------------

// Combines the elements along a dimension with an op of two operands.
TirValue tri_reduce_with(TriTranslation *t, TirValue value, uint32_t dim, TirOpKind kind);

// ---- assumptions (translate_assume.c), which --check-assume checks -------------------------------------------------

// Integers or addresses are multiples of a power of two.
void tri_assume_divisor(TriTranslation *t, TirValue value, uint64_t divisor);
void tri_assume_hints(TriTranslation *t, const TriOp *op); // of its result

// ---- descriptors (translate_descriptor.c) --------------------------------------------------------------------------

TirType tri_parameter_type(TriTranslation *t, TriType type); // of a descriptor: the pointer
// Whether a parameter behind the arguments says what lies outside a descriptor that is one.
bool tri_has_padding(const TriTranslation *t, TriValue argument);
// Makes descriptors of arguments that are some, from the sizes and strides that follow them.
bool tri_describe_arguments(TriTranslation *t, const TriFunction *function);

typedef struct TriBox { // the pointers of a block, and which of them lie in the tensor
    TirValue pointers, inside;
    TirType block; // the tile of numbers
} TriBox;
// lines[d]: the index of each element along dimension d of the block, a tile of rank 1 of i64. `unchecked`: a bit for
// each dimension in which nothing lies outside.
void tri_make_box(TriTranslation *t, const TriDescriptor *desc, const TirValue *lines, TirType block,
                  uint32_t unchecked, TriBox *box);
TirValue tri_compare(TriTranslation *t, TirValue x, TirValue y, uint64_t predicate); // signed integers
TirValue tri_line_of(TriTranslation *t, TirValue first, int64_t size);               // first, first + 1, .., as i64
TirValue tri_along(TriTranslation *t, TirValue line, uint32_t d, TirType block); // the line as dimension d of the block
TirValue tri_padding_of(TriTranslation *t, TirValue flag, TirTypeKind kind);     // a scalar: NaN or zero
// What lies outside of a box, as its tile. False and a diagnostic: the block's elements have no such value.
bool tri_box_padding(TriTranslation *t, const TriDescriptor *desc, TirType block, TirValue *padding);
#define TRI_NO_MODE UINT64_MAX // after a diagnostic
uint64_t tri_reduction_mode(TriTranslation *t, const TriOp *op, const TriDescriptor *desc, TirTypeKind kind);

bool tri_load_block(TriTranslation *t, const TriOp *op); // through block pointers
bool tri_store_block(TriTranslation *t, const TriOp *op);
uint32_t tri_block_rank(const TriTranslation *t, TriValue value); // 0: it is no block pointer

// ---- functions

TriFrame *tri_open_frame(TriTranslation *t, const TriFunction *function);

// ---- the hooks of ops.def

#define TRI_HOOK(name) bool tri_op_##name(TriTranslation *t, const TriOp *op);
#define SAME(op)
#define MAP(op, words)
#define HOOK(name)                                                       TRI_HOOK(name)
#define TRI(dialect, ...)                                                TRI_LAST(__VA_ARGS__)
#define TRI_LAST(name, operands, attributes, results, text, translation) translation
#include "compiler/triton/ops.def"
#undef TRI_LAST
#undef HOOK
#undef MAP
#undef SAME
#undef TRI_HOOK

#endif
