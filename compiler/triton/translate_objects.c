// SPDX-License-Identifier: Apache-2.0
// Memory objects: where they are, views of them, loads and stores.
#include "compiler/triton/objects.h"

enum { ALIGNMENT = 128 };

// ---- places ---------------------------------------------------------------------------------------------------------

bool tri_place(TriTranslation *t, uint64_t bytes, uint64_t alignment, uint64_t *offset) {
    if (alignment < ALIGNMENT) alignment = ALIGNMENT;
    uint64_t *used = t->memory_used;
    *offset = (*used + alignment - 1) / alignment * alignment;
    if (bytes > BLOCK_MEMORY_MAX || *offset > BLOCK_MEMORY_MAX - bytes)
        return diag_fail(t->p->diagnostics, t->op->at, E_LIMIT, "a kernel with more than %d MiB of memory of its own",
                         BLOCK_MEMORY_MAX >> 20);
    *used = *offset + bytes;
    return true;
}

static const TriView **slot_of(TriTranslation *t, TriValue value) {
    const TriFunction *function = t->frame->function;
    if (value < function->first_value || value - function->first_value >= function->value_count) return NULL;
    return &t->frame->views[value - function->first_value];
}

bool tri_define_view(TriTranslation *t, TriValue value, TirValue offset, const TriView *view) {
    const TriView **slot = slot_of(t, value);
    const TriMemory *memory = t->reader->types[value].memory;
    if (!slot || !tri_define(t, value, offset)) return false;
    bool fits = memory && view->rank == memory->shape.rank && view->kind == memory->kind;
    for (uint32_t d = 0; fits && d < view->rank; d++) fits = view->shape[d] == memory->sizes[d];
    if (!fits) return tri_fail(t, "a memory object whose type does not fit");
    TriView *kept = arena_new(&t->p->scratch, TriView);
    *kept = *view;
    *slot = kept;
    return true;
}

const TriView *tri_view_of(TriTranslation *t, TriValue value) {
    const TriView **slot = slot_of(t, value);
    if (!slot || !*slot || !t->reader->types[value].memory) {
        tri_fail(t, "an operand that is no memory object, or is not defined on the way to this op");
        return NULL;
    }
    return *slot;
}

bool tri_use_view(TriTranslation *t, TriValue value, TirValue *offset, const TriView **view) {
    *view = tri_view_of(t, value);
    return *view && tri_use(t, value, offset);
}

// ---- loads and stores -----------------------------------------------------------------------------------------------

static TirType tile_of(TriTranslation *t, const TriView *view) {
    return tir_type_tile(t->module, tir_type_scalar(t->module, view->kind), view->rank, view->shape);
}

static TirType pointer_to(TriTranslation *t, TirTypeKind kind) {
    return tir_type_intern(
        t->module, &(TirTypeInfo){.kind = TIR_TYPE_ptr, .element = tir_type_scalar(t->module, kind), .ptr_attr = -1});
}

static TirValue view_address(TriTranslation *t, TirTypeKind kind, TirValue offset) {
    const TirValue at = tri_emit2(t, TIR_OP_offset, tri_value_tile(t, t->memory), t->memory, offset);
    return tri_emit1(t, TIR_OP_ptr_to_ptr, tir_type_tile(t->module, pointer_to(t, kind), 0, NULL), at);
}

// Places that follow one another at equal distances: all indices of a view in row-major order.
typedef struct Strides {
    uint32_t count;
    int64_t extents[TRI_VIEW_STEPS], strides[TRI_VIEW_STEPS]; // elements
    uint32_t order[TRI_VIEW_STEPS];                           // from the largest stride to the smallest
} Strides;

static void add_stride(Strides *s, int64_t extent, int64_t stride) {
    uint32_t at = s->count;
    for (; at && s->strides[s->order[at - 1]] < stride; at--) s->order[at] = s->order[at - 1];
    s->order[at] = s->count;
    s->extents[s->count] = extent;
    s->strides[s->count++] = stride;
}

static void find_strides(const TriView *view, Strides *s) {
    const uint64_t size = tir_type_rows[view->kind].storage_bytes;
    s->count = 0;
    for (uint32_t d = 0; d < view->rank; d++) {
        const uint64_t *steps = view->steps + view->first[d];
        uint32_t end = view->first[d + 1] - view->first[d];
        while (end) {
            uint32_t begin = end - 1;
            while (begin && steps[begin] == 2 * steps[begin - 1]) begin--;
            add_stride(s, INT64_C(1) << (end - begin), (int64_t)(steps[begin] / size));
            end = begin;
        }
    }
    if (!s->count) add_stride(s, 1, 1);
}

static TirType partition_type(TriTranslation *t, const TriView *view, const Strides *s) {
    int64_t shape[TRI_VIEW_STEPS], strides[TRI_VIEW_STEPS];
    int32_t dimensions[TRI_VIEW_STEPS];
    for (uint32_t i = 0; i < s->count; i++) {
        shape[i] = s->extents[s->order[i]];
        strides[i] = s->strides[s->order[i]];
        dimensions[i] = (int32_t)i;
    }
    const TirType tensor = tir_type_intern(t->module, &(TirTypeInfo){.kind = TIR_TYPE_tensor_view,
                                                                     .element = tir_type_scalar(t->module, view->kind),
                                                                     .rank = s->count,
                                                                     .shape = shape,
                                                                     .strides = strides,
                                                                     .ptr_attr = -1});
    return tir_type_intern(t->module, &(TirTypeInfo){.kind = TIR_TYPE_partition_view,
                                                     .element = tensor,
                                                     .rank = s->count,
                                                     .shape = shape,
                                                     .dim_map = dimensions,
                                                     .padding = TIR_PAD_none});
}

static TirValue emit_partition(TriTranslation *t, const TriView *view, const Strides *s, TirValue offset) {
    const TirType type = partition_type(t, view, s), tensor = tir_type(t->module, type)->element;
    const TirValue base = view_address(t, view->kind, offset);
    const uint32_t segments[] = {1, 0, 0};
    const TirOp *op = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_make_tensor_view,
                                                 .operand_count = 1,
                                                 .operands = &base,
                                                 .segments = segments,
                                                 .result_count = 1,
                                                 .results = &tensor});
    return tri_emit1(t, TIR_OP_make_partition_view, type, op->first_result);
}

// The tile as it is in memory: dimensions of `s` in its order; and back.
static TirType ordered_type(TriTranslation *t, const TriView *view, const Strides *s, bool in_memory) {
    int64_t shape[TRI_VIEW_STEPS];
    for (uint32_t i = 0; i < s->count; i++) shape[i] = s->extents[in_memory ? s->order[i] : i];
    return tir_type_tile(t->module, tir_type_scalar(t->module, view->kind), s->count, shape);
}

static TirValue emit_permute(TriTranslation *t, TirValue tile, TirType type, const uint32_t *order, uint32_t count) {
    bool same = true;
    int64_t *numbers = arena_array(&t->module->arena, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = order[i];
        same &= order[i] == i;
    }
    if (same) return tile;
    const TirValue value = tri_emit1(t, TIR_OP_permute, type, tile);
    TirAttribute *permutation = tir_op_set(t->function->values[value].definition, "permutation");
    permutation->numbers = numbers;
    permutation->length = count;
    return value;
}

// An access of the only tile of a partition view. `tile`: what is stored; TIR_NO_VALUE: it is loaded.
static TirOp *emit_view_access(TriTranslation *t, TirValue view, uint32_t rank, TirValue tile, TirType loaded) {
    TirValue operands[TRI_VIEW_STEPS + 3];
    uint32_t count = 0, segments[4] = {1, 1, 1, 1};
    const bool stores = tile != TIR_NO_VALUE;
    if (stores) operands[count++] = tile;
    operands[count++] = view;
    const TirValue zero = tri_integer(t, TIR_TYPE_i32, 0);
    for (uint32_t i = 0; i < rank; i++) operands[count++] = zero;
    segments[stores ? 2 : 1] = rank;
    const TirValue token = tri_join(t);
    operands[count++] = token;
    const TirType results[] = {loaded, tri_token_type(t)};
    TirOp *op = tri_emit_op(t, &(TirNewOp){.kind = stores ? TIR_OP_store_view_tko : TIR_OP_load_view_tko,
                                           .operand_count = count,
                                           .operands = operands,
                                           .segments = segments,
                                           .result_count = stores ? 1 : 2,
                                           .results = results + stores});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
    return op;
}

// ---- swizzled views: tiles of pointers ------------------------------------------------------------------------------

static TirValue emit_bits(TriTranslation *t, TirOpKind kind, TirValue x, uint64_t number) {
    const TirType type = tri_value_tile(t, x);
    return tri_emit2(t, kind, type, x, tri_splat_bits(t, type, number));
}

// Where indices along a dimension lead, combined as the view combines moves.
static TirValue moves_of(TriTranslation *t, const TriView *view, uint32_t d, TirValue indices) {
    TirValue all = TIR_NO_VALUE;
    for (uint32_t b = 0; view->first[d] + b < view->first[d + 1]; b++) {
        TirValue bit = emit_bits(t, TIR_OP_shri, indices, b);
        tri_set(t, bit, "signedness", TIR_signedness_unsigned);
        bit = emit_bits(t, TIR_OP_andi, bit, 1);
        const TirValue move = emit_bits(t, TIR_OP_muli, bit, view->steps[view->first[d] + b]);
        all = all == TIR_NO_VALUE ? move : tri_emit2(t, TIR_OP_xori, tri_value_tile(t, all), all, move);
    }
    return all == TIR_NO_VALUE ? emit_bits(t, TIR_OP_muli, indices, 0) : all;
}

// `indices` along `axis`; TIR_NO_VALUE: all of them.
static TirValue pointers_of(TriTranslation *t, const TriView *view, TirValue offset, TirValue indices, uint32_t axis) {
    const TirType tile =
        indices == TIR_NO_VALUE ? tile_of(t, view) : tri_with_element(t, tri_value_tile(t, indices), view->kind);
    const TirType offsets = tri_with_element(t, tile, TIR_TYPE_i64);
    TirValue place = tri_splat(t, offset, offsets);
    for (uint32_t d = 0; d < view->rank; d++) {
        TirValue moves;
        if (indices != TIR_NO_VALUE && d == axis) {
            moves = moves_of(t, view, d, indices);
        } else {
            const TirValue line = tri_line_of(t, tri_integer(t, TIR_TYPE_i64, 0), view->shape[d]);
            moves = tri_along(t, moves_of(t, view, d, line), d, tile);
        }
        place = tri_emit2(t, view->swizzled ? TIR_OP_xori : TIR_OP_addi, offsets, place, moves);
    }
    const TirTypeInfo *shape = tir_type(t->module, tile);
    const TirType bytes = tri_tile(t->module, tir_type(t->module, tri_value_tile(t, t->memory))->element, shape);
    const TirValue pointers = tri_emit2(t, TIR_OP_offset, bytes, tri_splat(t, t->memory, bytes), place);
    return tri_emit1(t, TIR_OP_ptr_to_ptr, tri_tile(t->module, pointer_to(t, view->kind), shape), pointers);
}

// An assertion that integers are indices below `size`.
static void check_index(TriTranslation *t, TirValue index, int64_t size) {
    const TirType type = tri_value_tile(t, index);
    const TirValue below = tri_emit2(t, TIR_OP_cmpi, tri_with_element(t, type, TIR_TYPE_i1), index,
                                     tri_splat_bits(t, type, (uint64_t)size));
    static const char message[] = "the index lies outside of the memory object";
    tri_set(t, below, "predicate", TIR_predicate_less_than);
    tri_set(t, below, "signedness", TIR_signedness_unsigned);
    TirOp *op = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_assert, .operand_count = 1, .operands = &below});
    TirAttribute *text = tir_op_set(op, "message");
    text->text = arena_keep(&t->module->arena, message);
    text->length = sizeof message - 1;
}

TirValue tri_indexed_pointers(TriTranslation *t, const TriView *view, TirValue offset, TirValue indices,
                              uint32_t axis) {
    check_index(t, indices, view->shape[axis]);
    const TirType wide = tri_with_element(t, tri_value_tile(t, indices), TIR_TYPE_i64);
    if (tri_value_tile(t, indices) != wide)
        indices = tri_set(t, tri_emit1(t, TIR_OP_exti, wide, indices), "signedness", TIR_signedness_signed);
    return pointers_of(t, view, offset, indices, axis);
}

TirValue tri_load_view(TriTranslation *t, const TriView *view, TirValue offset) {
    Strides s;
    const TirType tile = tile_of(t, view);
    if (view->swizzled)
        return tri_emit_load(t, pointers_of(t, view, offset, TIR_NO_VALUE, 0), TIR_NO_VALUE, TIR_NO_VALUE, tile);
    find_strides(view, &s);
    const TirValue partition = emit_partition(t, view, &s, offset);
    const TirOp *op = emit_view_access(t, partition, s.count, TIR_NO_VALUE, ordered_type(t, view, &s, true));
    tri_add_load(t, op->first_result + 1);
    uint32_t inverse[TRI_VIEW_STEPS];
    for (uint32_t i = 0; i < s.count; i++) inverse[s.order[i]] = i;
    const TirValue loaded = emit_permute(t, op->first_result, ordered_type(t, view, &s, false), inverse, s.count);
    return tri_reshape(t, loaded, tile);
}

void tri_store_view(TriTranslation *t, const TriView *view, TirValue offset, TirValue value) {
    Strides s;
    if (view->swizzled) {
        tri_emit_store(t, pointers_of(t, view, offset, TIR_NO_VALUE, 0), value, TIR_NO_VALUE);
        return;
    }
    find_strides(view, &s);
    const TirValue rows = tri_reshape(t, value, ordered_type(t, view, &s, false));
    const TirValue stored = emit_permute(t, rows, ordered_type(t, view, &s, true), s.order, s.count);
    const TirOp *op = emit_view_access(t, emit_partition(t, view, &s, offset), s.count, stored, TIR_NO_TYPE);
    t->written = op->first_result;
}

TirValue tri_partition(TriTranslation *t, const TriView *view, TirValue offset) {
    Strides s;
    if (view->swizzled) return TIR_NO_VALUE;
    find_strides(view, &s);
    bool plain = s.count == view->rank;
    for (uint32_t d = 0; plain && d < view->rank; d++) plain = s.order[d] == d && s.extents[d] == view->shape[d];
    return plain ? emit_partition(t, view, &s, offset) : TIR_NO_VALUE;
}

TirValue tri_load_partition(TriTranslation *t, const TriView *view, TirValue partition) {
    const TirOp *op = emit_view_access(t, partition, view->rank, TIR_NO_VALUE, tile_of(t, view));
    tri_add_load(t, op->first_result + 1);
    return op->first_result;
}

void tri_store_partition(TriTranslation *t, const TriView *view, TirValue partition, TirValue value) {
    t->written = emit_view_access(t, partition, view->rank, value, TIR_NO_TYPE)->first_result;
}

// ---- accesses that are told -----------------------------------------------------------------------------------------

static TirValue piece_offset(TriTranslation *t, const TriPiece *piece, TirValue offset) {
    if (piece->turn) offset = emit_bits(t, TIR_OP_xori, offset, piece->turn);
    if (piece->mask) offset = emit_bits(t, TIR_OP_andi, offset, ~piece->mask);
    return piece->offset ? emit_bits(t, TIR_OP_addi, offset, piece->offset) : offset;
}

static void add_piece(TriTranslation *t, TriWords *words, const TriPiece *piece, TirValue offset) {
    tri_word(words, piece_offset(t, piece, offset));
    tri_number(t, words, (int64_t)piece->rows);
    tri_number(t, words, (int64_t)piece->bytes);
    tri_number(t, words, (int64_t)piece->pitch);
}

bool tri_touch(TriTranslation *t, BlockOperation access, const TriView *view, TirValue offset) {
    TriPiece pieces[TRI_PIECES_MAX];
    const uint32_t count = tri_view_pieces(view, pieces);
    if (!count) return tri_refuse(t, "a view of memory in so many pieces");
    for (uint32_t i = 0; i < count; i++) {
        TriWords words = {0};
        add_piece(t, &words, &pieces[i], offset);
        tri_operate(t, access, &words);
    }
    return true;
}

bool tri_words_of_view(TriTranslation *t, TriWords *words, TirValue access, const TriView *view, TirValue offset,
                       int64_t *count) {
    TriPiece pieces[TRI_PIECES_MAX];
    const uint32_t found = tri_view_pieces(view, pieces);
    if (!found || words->count + 5 * found > TRI_OPERATE_MAX / 4 * 3)
        return tri_refuse(t, "a view of memory in so many pieces");
    for (uint32_t i = 0; i < found; i++) {
        tri_word(words, access);
        add_piece(t, words, &pieces[i], offset);
    }
    *count += found;
    return true;
}

bool tri_read_view(TriTranslation *t, TriValue value, TirValue *tile) {
    const TriView *view;
    TirValue offset;
    if (!tri_use_view(t, value, &offset, &view) || !tri_touch(t, BLOCK_READ, view, offset)) return false;
    *tile = tri_load_view(t, view, offset);
    return true;
}

bool tri_write_view(TriTranslation *t, TriValue value, TirValue tile) {
    const TriView *view;
    TirValue offset;
    if (!tri_use_view(t, value, &offset, &view)) return false;
    if (tri_value_tile(t, tile) != tile_of(t, view)) return tri_fail(t, "a tile that does not fit the memory");
    if (!tri_touch(t, BLOCK_WRITE, view, offset)) return false;
    tri_store_view(t, view, offset, tile);
    return true;
}

// ---- the ops --------------------------------------------------------------------------------------------------------

// Shared memory that is reinterpreted lies at a multiple of its size, a power of two, where patterns begin: one of its
// views may be swizzled though it is not.
static uint64_t alignment_of(const TriView *view, uint64_t bytes) {
    uint64_t size = 1;
    while (view->physical && !view->tensor && size < bytes) size *= 2;
    return size;
}

static bool allocate(TriTranslation *t, const TriOp *op, BlockSpace space) {
    const TriValue result = op->first_result, source = tri_operand(op, "src");
    const TriType type = t->reader->types[result];
    TriView view;
    uint64_t bytes, place;
    uint32_t columns;
    if (!type.memory || type.memory->tensor != (space == BLOCK_TENSOR))
        return tri_fail(t, "a result of another memory");
    if (!tri_layout_view(t, &type, tri_is_physical(t, result), 0, &view, &bytes, &columns) ||
        !tri_place(t, bytes, alignment_of(&view, bytes), &place))
        return false;
    const TirValue offset = tri_integer(t, TIR_TYPE_i64, (int64_t)place);
    TriWords words = {0};
    tri_word(&words, offset);
    tri_number(t, &words, (int64_t)bytes);
    tri_number(t, &words, space);
    tri_number(t, &words, columns);
    tri_operate(t, BLOCK_ALLOCATE, &words);
    TirValue tile;
    if (!tri_define_view(t, result, offset, &view)) return false;
    return source == TRI_NO_VALUE || (tri_use(t, source, &tile) && tri_write_view(t, result, tile));
}

bool tri_op_local_alloc(TriTranslation *t, const TriOp *op) {
    return allocate(t, op, BLOCK_SHARED);
}

// The second result is a token, which says nothing more than the order of the program.
bool tri_op_tmem_alloc(TriTranslation *t, const TriOp *op) {
    return allocate(t, op, BLOCK_TENSOR);
}

bool tri_op_local_dealloc(TriTranslation *t, const TriOp *op) {
    TirValue offset;
    if (!tri_view_of(t, op->operands[0]) || !tri_use(t, op->operands[0], &offset)) return false;
    tri_operate1(t, BLOCK_FREE, offset);
    return true;
}

bool tri_op_local_load(TriTranslation *t, const TriOp *op) {
    TirValue tile;
    if (!tri_read_view(t, op->operands[0], &tile)) return false;
    if (tri_value_tile(t, tile) != tri_result_type(t, op)) return tri_fail(t, "a result that does not fit the memory");
    return tri_define(t, op->first_result, tile);
}

bool tri_op_local_store(TriTranslation *t, const TriOp *op) {
    TirValue tile;
    return tri_use(t, op->operands[0], &tile) && tri_write_view(t, op->operands[1], tile);
}

// ---- views ----------------------------------------------------------------------------------------------------------

static bool is_integer(const TriTranslation *t, TirValue value) {
    return tri_value_tile(t, value) == tri_scalar(t->module, TIR_TYPE_i32);
}

bool tri_op_memdesc_index(TriTranslation *t, const TriOp *op) {
    const TriView *from;
    TriView view;
    TirValue offset, index;
    if (!tri_use_view(t, op->operands[0], &offset, &from) || !tri_use(t, op->operands[1], &index)) return false;
    if (!is_integer(t, index)) return tri_fail(t, "an index that is no i32");
    if (!tri_view_index(t, from, &view)) return false;
    check_index(t, index, from->shape[0]);
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64);
    const TirValue wide = tri_set(t, tri_emit1(t, TIR_OP_exti, i64, index), "signedness", TIR_signedness_signed);
    const uint64_t stride = from->first[1] ? from->steps[0] : 0;
    const TirValue behind = emit_bits(t, TIR_OP_muli, wide, stride);
    return tri_define_view(t, op->first_result, tri_emit2(t, TIR_OP_addi, i64, offset, behind), &view);
}

static bool define_slice(TriTranslation *t, const TriOp *op, const int64_t *offsets) {
    const TriView *from;
    TriView view;
    TirValue offset;
    uint64_t delta;
    const TriMemory *result = t->reader->types[op->first_result].memory;
    if (!result) return tri_fail(t, "a result that is no memory object");
    if (!tri_use_view(t, op->operands[0], &offset, &from) ||
        !tri_view_slice(t, from, offsets, &result->shape, &view, &delta))
        return false;
    if (delta) offset = emit_bits(t, view.swizzled ? TIR_OP_xori : TIR_OP_addi, offset, delta);
    return tri_define_view(t, op->first_result, offset, &view);
}

bool tri_op_memdesc_subslice(TriTranslation *t, const TriOp *op) {
    const TriAttribute *offsets = tri_attribute(op, "offsets");
    const TriView *from = tri_view_of(t, op->operands[0]);
    if (!from) return false;
    if (offsets->length != from->rank) return tri_fail(t, "offsets of another rank");
    return define_slice(t, op, offsets->numbers);
}

bool tri_op_tmem_subslice(TriTranslation *t, const TriOp *op) {
    const TriAttribute *offset = tri_attribute(op, "offset"), *dim = tri_attribute(op, "dim");
    int64_t offsets[TIR_RANK_MAX] = {0};
    const TriView *from = tri_view_of(t, op->operands[0]);
    if (!from) return false;
    const uint64_t d = dim ? dim->integer : 1;
    if (d >= from->rank) return tri_fail(t, "a dimension that the memory does not have");
    offsets[d] = offset ? (int64_t)offset->integer : 0;
    return define_slice(t, op, offsets);
}

bool tri_op_memdesc_trans(TriTranslation *t, const TriOp *op) {
    const TriAttribute *order = tri_attribute(op, "order");
    const TriView *from;
    TriView view;
    TirValue offset;
    return tri_use_view(t, op->operands[0], &offset, &from) &&
           tri_view_permute(t, from, order->numbers, order->length, &view) &&
           tri_define_view(t, op->first_result, offset, &view);
}

bool tri_op_memdesc_reshape(TriTranslation *t, const TriOp *op) {
    const TriView *from;
    TriView view;
    TirValue offset;
    const TriMemory *result = t->reader->types[op->first_result].memory;
    if (!result) return tri_fail(t, "a result that is no memory object");
    return tri_use_view(t, op->operands[0], &offset, &from) && tri_view_reshape(t, from, &result->shape, &view) &&
           tri_define_view(t, op->first_result, offset, &view);
}

// Bytes of all elements; of tensor memory those of a row, up to the end of the last column.
static uint64_t extent_of(const TriView *view, uint64_t pitch) {
    uint64_t end = tir_type_rows[view->kind].storage_bytes;
    for (uint32_t d = 0; !pitch && d < view->rank; d++) end *= (uint64_t)view->shape[d];
    for (uint32_t d = 0; pitch && d < view->rank; d++)
        for (uint32_t i = view->first[d], b = 0; i < view->first[d + 1]; i++, b++)
            if (view->steps[i] < pitch && ((uint64_t)view->shape[d] - 1) >> b & 1) end += view->steps[i];
    return pitch ? (end + TENSOR_COLUMN_BYTES - 1) / TENSOR_COLUMN_BYTES * TENSOR_COLUMN_BYTES : end;
}

// Of tensor memory: bytes from one row to the next.
static uint64_t pitch_of(const TriView *view) {
    uint64_t pitch = 0;
    if (view->rank >= 2 && view->first[view->rank - 2] < view->first[view->rank - 1])
        pitch = view->steps[view->first[view->rank - 2]];
    return pitch;
}

bool tri_op_memdesc_reinterpret(TriTranslation *t, const TriOp *op) {
    const TriView *from;
    const TriType type = t->reader->types[op->first_result];
    TriView view;
    TirValue offset;
    uint64_t bytes;
    uint32_t columns;
    if (!tri_use_view(t, op->operands[0], &offset, &from)) return false;
    if (!type.memory || type.memory->tensor != from->tensor) return tri_fail(t, "a result of another memory");
    if (!from->physical) return tri_refuse(t, "memory that comes from elsewhere");
    const uint64_t pitch = from->tensor ? pitch_of(from) : 0;
    if (!tri_layout_view(t, &type, true, pitch, &view, &bytes, &columns)) return false;
    if (extent_of(&view, pitch) > extent_of(from, pitch))
        return tri_fail(t, "a result that is larger than what it is made of");
    return tri_define_view(t, op->first_result, offset, &view);
}
