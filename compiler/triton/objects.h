// SPDX-License-Identifier: Apache-2.0
// Memory objects of TTGIR in the translation: how views of them lie in the block's memory, parts of kernels, and
// operations of blocks (base/block_abi.h).
//
// A memdesc is an offset in the block's memory (i64), and a TriView that says where its elements are from there. Shared
// memory holds tiles in row-major order, unless memdesc_reinterpret looks at the object in another way: then bytes lie
// where the layout says. Tensor memory has 128 rows, and bytes always lie in the columns that the layout says.
#ifndef CONGRUENT_TRITON_OBJECTS_H
#define CONGRUENT_TRITON_OBJECTS_H

#include "base/block_abi.h"
#include "compiler/triton/translate.h"

enum {
    TRI_VIEW_STEPS = 48,     // bits of all indices of a view
    TRI_PIECES_MAX = 32,     // of a view
    TENSOR_COLUMN_BYTES = 4, // of a row
    TRI_OPERATE_MAX = 255    // operands of an operation
};

// Bit b of the index in dimension d moves steps[first[d] + b] bytes: moves add up; where `swizzled`, they are exclusive
// ors, and so is the offset of the view, whose object lies at a multiple of its size, a power of two.
struct TriView {
    TirTypeKind kind; // of elements
    uint32_t rank;
    int64_t shape[TIR_RANK_MAX];
    uint32_t first[TIR_RANK_MAX + 1];
    uint64_t steps[TRI_VIEW_STEPS];
    bool swizzled, tensor;
    bool physical; // bytes lie where the layout says
};

// ---- layouts.c: where layouts put elements --------------------------------------------------------------------------

// The view of a whole object in memory of its own. *bytes: that it takes, *columns: of tensor memory, else 0.
// `physical`: as the layout says. `pitch`: of tensor memory, bytes from one row to the next; 0: as many as it takes.
// False and a diagnostic: the layout is not supported, or has no place for all elements.
bool tri_layout_view(TriTranslation *t, const TriType *type, bool physical, uint64_t pitch, TriView *view,
                     uint64_t *bytes, uint32_t *columns);
// Views of views. False and a diagnostic if they do not fit. `*delta`: how many bytes the view begins behind.
bool tri_view_index(TriTranslation *t, const TriView *from, TriView *view); // the first dimension is gone
bool tri_view_slice(TriTranslation *t, const TriView *from, const int64_t *offsets, const TirTypeInfo *shape,
                    TriView *view, uint64_t *delta);
bool tri_view_permute(TriTranslation *t, const TriView *from, const int64_t *order, size_t count, TriView *view);
bool tri_view_reshape(TriTranslation *t, const TriView *from, const TirTypeInfo *shape, TriView *view);
bool tri_same_view(const TriView *a, const TriView *b);

// What a view covers: rows of bytes, at an offset from where it begins, with the bits of `turn` turned and without
// those of `mask`.
typedef struct TriPiece {
    uint64_t offset, rows, bytes, pitch, turn, mask;
} TriPiece;
uint32_t tri_view_pieces(const TriView *view, TriPiece pieces[TRI_PIECES_MAX]); // 0: too many

// ---- translate_objects.c: accesses to views ------------------------------------------------------------------------

// A view of another value at the same place, or elsewhere.
bool tri_define_view(TriTranslation *t, TriValue value, TirValue offset, const TriView *view);
const TriView *tri_view_of(TriTranslation *t, TriValue value); // NULL after a diagnostic
bool tri_use_view(TriTranslation *t, TriValue value, TirValue *offset, const TriView **view);
TirValue tri_load_view(TriTranslation *t, const TriView *view, TirValue offset);
void tri_store_view(TriTranslation *t, const TriView *view, TirValue offset, TirValue value);
// The view as a partition view of one tile, before what is stored there is made: the lowering may make it in place.
// TIR_NO_VALUE: its elements lie in another order than the tile's.
TirValue tri_partition(TriTranslation *t, const TriView *view, TirValue offset);
TirValue tri_load_partition(TriTranslation *t, const TriView *view, TirValue partition);
void tri_store_partition(TriTranslation *t, const TriView *view, TirValue partition, TirValue value);
// A tile of pointers to elements of the view: the index along a dimension is from a tile of integers, which must be
// below the view's size.
TirValue tri_indexed_pointers(TriTranslation *t, const TriView *view, TirValue offset, TirValue indices, uint32_t axis);
// Tells that this part is about to access the view; and both.
bool tri_touch(TriTranslation *t, BlockOperation access, const TriView *view, TirValue offset);
bool tri_read_view(TriTranslation *t, TriValue value, TirValue *tile);
bool tri_write_view(TriTranslation *t, TriValue value, TirValue tile);
// A place in the block's memory for `bytes` bytes, a multiple of `alignment`, a power of two.
bool tri_place(TriTranslation *t, uint64_t bytes, uint64_t alignment, uint64_t *offset);

// ---- translate_parts.c: operations and parts -----------------------------------------------------------------------

// The operands of an operation, as they are collected.
typedef struct TriWords {
    uint32_t count;
    TirValue words[TRI_OPERATE_MAX];
} TriWords;
void tri_word(TriWords *words, TirValue value);
void tri_number(TriTranslation *t, TriWords *words, int64_t number);
// Adds BlockAccess and piece for each piece of the view, and counts them.
bool tri_words_of_view(TriTranslation *t, TriWords *words, TirValue access, const TriView *view, TirValue offset,
                       int64_t *count);
TirValue tri_operate(TriTranslation *t, BlockOperation operation, const TriWords *words);
TirValue tri_operate1(TriTranslation *t, BlockOperation operation, TirValue word);
TirValue tri_operate2(TriTranslation *t, BlockOperation operation, TirValue x, TirValue y);

// The body of a part: gets its parameters, without the block's memory. False after a diagnostic.
typedef bool TriBody(TriTranslation *t, const TirValue *parameters, const void *data);
// For the kernel: the parts that it will have, none yet. The type of the parameter that is the block's memory.
typedef struct TriParts TriParts;
TriParts *tri_open_parts(TriTranslation *t);
void tri_close_parts(TriTranslation *t); // says how much memory there is
TirType tri_memory_type(TriTranslation *t);
// The number of the part of that name, of the same op's line; its body is made if it is new. 0 after a diagnostic.
uint32_t tri_part(TriTranslation *t, const char *name, uint32_t count, const TirType *parameters, TriBody *body,
                  const void *data);
// An asynchronous operation: `barrier` and `arrives` TIR_NO_VALUE: none.
typedef struct TriIssue {
    BlockQueue queue;
    TirValue barrier, bytes, part; // i64
    TriWords pieces;               // BlockAccess and piece each
    int64_t piece_count;
    TriWords arguments;
} TriIssue;
bool tri_issue(TriTranslation *t, const TriIssue *issue);

// A descriptor as arguments of a part, their types, and the descriptor in the part.
void tri_words_of_descriptor(const TriDescriptor *desc, TriWords *words);
uint32_t tri_descriptor_types(TriTranslation *t, const TriDescriptor *desc, TirType *types);
TriDescriptor tri_descriptor_from(TriTranslation *t, const TriDescriptor *like, const TirValue **next);
// Memory that holds a tile in row-major order.
TriView tri_tile_view(TriTranslation *t, TirType tile);

// An `if` whose only result is a token; each of its arms ends with tri_close_arm.
TirOp *tri_open_choice(TriTranslation *t, TirValue condition);
void tri_close_arm(TriTranslation *t, const TriMark *mark);
// An `if` around what is translated in between, unless the condition is TIR_NO_VALUE or known to be true.
typedef struct TriGuard {
    TirOp *op;
    TriMark mark;
} TriGuard;
bool tri_open_guard(TriTranslation *t, TriValue predicate, TriGuard *guard);
void tri_close_guard(TriTranslation *t, TriGuard *guard);

// 0 or 1 of an i1 that is a constant; -1: it is none.
int tri_known_bool(const TriTranslation *t, TirValue value);
// The name with how the view lies behind it: what tells parts apart.
const char *tri_name_of_view(TriTranslation *t, const char *name, const TriView *view);

// ---- translate_barriers.c ------------------------------------------------------------------------------------------

bool tri_use_barrier(TriTranslation *t, TriValue value, TirValue *offset);
void tri_end_group(TriTranslation *t, BlockQueue queue);
// `ends`: what has been issued is a group first.
void tri_wait_groups(TriTranslation *t, BlockQueue queue, uint64_t pendings, bool read_only, bool ends);

// ---- translate_carried.c: what loops, ifs and parts carry ----------------------------------------------------------

// Values are carried in parts: tokens have none, block pointers their offsets, descriptors what they say, memdescs and
// pending products an offset.
uint32_t tri_parts_of(const TriTranslation *t, TriValue first, uint32_t count);
void tri_part_types(TriTranslation *t, TriValue first, uint32_t count, TirType *types);
// `into`: the values that these become (block arguments or results).
bool tri_use_parts(TriTranslation *t, const TriValue *values, uint32_t count, TriValue into, TirValue *used);
// Defines values from parts; block pointers and memdescs are static as `like` is.
bool tri_define_parts(TriTranslation *t, TriValue first, uint32_t count, const TriValue *like, const TirValue *parts);
// Whether the static facts of `values` are those of `like`.
bool tri_check_parts(TriTranslation *t, const TriValue *values, uint32_t count, const TriValue *like);
TirValue *tri_consecutive(TriTranslation *t, TirValue first, uint32_t count); // first, first + 1, ..

// ---- translate_products.c ------------------------------------------------------------------------------------------

// A slot in staging memory that holds a tile: made of a tile, and the tile of it.
bool tri_use_slot(TriTranslation *t, TriValue value, TirValue *slot);
TirValue tri_slot_tile(TriTranslation *t, TriValue value, TirValue slot);
bool tri_select_slot(TriTranslation *t, const TriOp *op);  // of two accumulators of which one may be pending
TirValue tri_stage_tile(TriTranslation *t, TirValue tile); // the offset of staging memory that holds it now
// d = a * b + c, as tt.dot multiplies.
TirValue tri_emit_product(TriTranslation *t, TirValue a, TirValue b, TirValue c);
TirValue tri_convert_float(TriTranslation *t, TirValue x, TirTypeKind kind); // to another float
TirValue tri_emit_transpose(TriTranslation *t, TirValue x);                  // exchanges the last two dimensions
TirValue tri_unpack_last(TriTranslation *t, TirValue x); // bytes of two fp4, along the last dimension
typedef struct TriScaledProduct {
    TirValue a, b, c, a_scale, b_scale; // scales: TIR_NO_VALUE: none
    uint64_t a_kind, b_kind;            // TRI_scaled_..
    bool a_k_pack, b_k_pack;            // fp4: two neighbours along the depth are a byte
} TriScaledProduct;
bool tri_emit_scaled_product(TriTranslation *t, const TriScaledProduct *given, TirValue *product);

// ---- facts.c: what is known of a function's values before it is translated -----------------------------------------

struct TriFacts {
    TriValue first; // of the function; the arrays are by values from it on
    bool needs_memory;
    bool sees_bits;      // some memory holds values of several types, or is changed by atomics, which work on bits
    bool *pending;       // an accumulator of an asynchronous product, in a slot
    uint8_t *uses;       // 0, 1, more: several, or in a loop that the value is not of
    bool *shared;        // its slot may be that of a value with more uses
    uint32_t *physical;  // whose memory lies as the layout says (union-find: the class)
    bool *reinterpreted; // by class
};
// NULL: it has no memory objects and no partitions.
const TriFacts *tri_find_facts(TriTranslation *t, const TriFunction *function);
bool tri_is_physical(const TriTranslation *t, TriValue value);
bool tri_is_pending(const TriTranslation *t, TriValue value);
bool tri_is_own(const TriTranslation *t, TriValue value); // its slot is that of no value that is used later

#endif
