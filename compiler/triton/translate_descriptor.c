// SPDX-License-Identifier: Apache-2.0
// Descriptors: a tensor in memory, of which blocks at any element are accessed. What lies outside is zero or NaN where
// it is read, and not written. Accesses become those of tiles of pointers with a mask.
#include "compiler/triton/translate.h"

// ---- descriptors ----------------------------------------------------------------------------------------------------

TirType tri_parameter_type(TriTranslation *t, TriType type) {
    if (!type.descriptor) return type.tile;
    const TirType element = tir_type(t->module, type.tile)->element;
    const TirTypeInfo pointer = {.kind = TIR_TYPE_ptr, .element = element, .ptr_attr = -1};
    return tir_type_tile(t->module, tir_type_intern(t->module, &pointer), 0, NULL);
}

static TirValue to_i64(TriTranslation *t, TirValue x) {
    const TirType type = tri_with_element(t, tri_value_tile(t, x), TIR_TYPE_i64);
    if (tri_value_tile(t, x) == type) return x;
    return tri_set(t, tri_emit1(t, TIR_OP_exti, type, x), "signedness", TIR_signedness_signed);
}

static bool is_scalar(const TriTranslation *t, TriValue value, TirTypeKind kind) {
    return t->reader->types[value].tile == tri_scalar(t->module, kind);
}

bool tri_has_padding(const TriTranslation *t, TriValue argument) {
    const TriType type = t->reader->types[argument];
    return type.descriptor && tir_float_format(tri_kind(t, type.tile)) != FPSAN_FORMAT_COUNT;
}

TirValue tri_padding_of(TriTranslation *t, TirValue flag, TirTypeKind kind) {
    const TirType type = tri_scalar(t->module, kind);
    const uint64_t nan = fpsan_encode_nearest(tir_float_format(kind), __builtin_nan(""));
    return tri_emit3(t, TIR_OP_select, type, flag, tri_splat_bits(t, type, nan), tri_splat_bits(t, type, 0));
}

// Whether the parameter is not 0, an i1.
static TirValue flag_of(TriTranslation *t, TirValue parameter) {
    const TirValue zero = tri_integer(t, TIR_TYPE_i32, 0),
                   set = tri_emit2(t, TIR_OP_cmpi, tri_scalar(t->module, TIR_TYPE_i1), parameter, zero);
    tri_set(t, set, "predicate", TIR_predicate_not_equal);
    return tri_set(t, set, "signedness", TIR_signedness_signed);
}

bool tri_describe_arguments(TriTranslation *t, const TriFunction *function) {
    TirValue next = t->function->body.first->first_argument + function->argument_count;
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const TriValue argument = function->first_argument + i;
        const TriType type = t->reader->types[argument];
        if (!type.descriptor) continue;
        const uint32_t rank = tir_type(t->module, type.tile)->rank;
        TriDescriptor made = {.rank = rank,
                              .is_unsigned = type.is_unsigned,
                              .block = type.tile,
                              .padding = TIR_NO_VALUE,
                              .padding_flag = TIR_NO_VALUE};
        bool fits = 2 * rank < function->argument_count - i;
        for (uint32_t d = 0; fits && d < 2 * rank; d++)
            fits = is_scalar(t, argument + 1 + d, d < rank ? TIR_TYPE_i32 : TIR_TYPE_i64);
        if (!fits)
            return tri_refuse(t, "argument %u, a descriptor that its sizes (i32) and strides (i64) do not follow,", i);
        if (!tri_use(t, argument, &made.base)) return false;
        if (tri_has_padding(t, argument)) {
            made.padding_flag = flag_of(t, next++);
            made.padding = tri_padding_of(t, made.padding_flag, tri_kind(t, type.tile));
        }
        for (uint32_t d = 0; d < rank; d++) {
            if (!tri_use(t, argument + 1 + d, &made.extents[d]) ||
                !tri_use(t, argument + 1 + rank + d, &made.strides[d]))
                return false;
            made.extents[d] = to_i64(t, made.extents[d]);
        }
        if (!tri_define_descriptor(t, argument, &made)) return false;
    }
    return true;
}

bool tri_op_make_descriptor(TriTranslation *t, const TriOp *op) {
    const TriType type = t->reader->types[op->first_result];
    const TriValue *shape, *strides;
    const uint32_t rank = tri_operands(op, "shape", &shape), count = tri_operands(op, "strides", &strides);
    const TriAttribute *padding = tri_attribute(op, "padding");
    TriDescriptor made = {.rank = rank,
                          .is_unsigned = type.is_unsigned,
                          .block = type.tile,
                          .padding = TIR_NO_VALUE,
                          .padding_flag = TIR_NO_VALUE};
    if (!type.descriptor || rank != count || rank != tir_type(t->module, type.tile)->rank)
        return tri_fail(t, "sizes and strides that do not fit");
    made.nan = padding && padding->integer == TRI_pad_nan;
    if (!tri_use(t, op->operands[0], &made.base)) return false;
    for (uint32_t d = 0; d < rank; d++) {
        if (!is_scalar(t, shape[d], TIR_TYPE_i32) || !is_scalar(t, strides[d], TIR_TYPE_i64))
            return tri_fail(t, "sizes that are no i32, or strides that are no i64");
        if (!tri_use(t, shape[d], &made.extents[d]) || !tri_use(t, strides[d], &made.strides[d])) return false;
        made.extents[d] = to_i64(t, made.extents[d]);
    }
    return tri_define_descriptor(t, op->first_result, &made);
}

// ---- blocks of pointers ---------------------------------------------------------------------------------------------

// The tile of rank 1 as dimension `d` of the block.
TirValue tri_along(TriTranslation *t, TirValue line, uint32_t d, TirType block) {
    const TirTypeInfo *info = tir_type(t->module, block);
    const TirType element = tir_type(t->module, tri_value_tile(t, line))->element;
    int64_t shape[TIR_RANK_MAX];
    for (uint32_t i = 0; i < info->rank; i++) shape[i] = i == d ? info->shape[i] : 1;
    const TirValue reshaped = tri_reshape(t, line, tir_type_tile(t->module, element, info->rank, shape));
    const TirType whole = tri_tile(t->module, element, info);
    return tri_value_tile(t, reshaped) == whole ? reshaped : tri_emit1(t, TIR_OP_broadcast, whole, reshaped);
}

TirValue tri_compare(TriTranslation *t, TirValue x, TirValue y, uint64_t predicate) {
    const TirValue value = tri_emit2(t, TIR_OP_cmpi, tri_with_element(t, tri_value_tile(t, x), TIR_TYPE_i1), x, y);
    tri_set(t, value, "predicate", predicate);
    return tri_set(t, value, "signedness", TIR_signedness_signed);
}

// first, first + 1, .. of dimension d, as i64
TirValue tri_line_of(TriTranslation *t, TirValue first, int64_t size) {
    const TirType narrow = tir_type_tile(t->module, tir_type_scalar(t->module, TIR_TYPE_i32), 1, &size);
    const TirValue range = to_i64(t, tri_emit(t, TIR_OP_iota, narrow, 0, NULL));
    return tri_emit2(t, TIR_OP_addi, tri_value_tile(t, range), range,
                     tri_splat(t, to_i64(t, first), tri_value_tile(t, range)));
}

// lines[d]: the index of each element along dimension d of the block.
// unchecked: bit per dimension in which nothing lies outside.
void tri_make_box(TriTranslation *t, const TriDescriptor *desc, const TirValue *lines, TirType block,
                  uint32_t unchecked, TriBox *box) {
    TirValue offset = TIR_NO_VALUE;
    *box = (TriBox){.inside = TIR_NO_VALUE, .block = block};
    const TirType offsets = tri_with_element(t, block, TIR_TYPE_i64), bits = tri_with_element(t, block, TIR_TYPE_i1);
    for (uint32_t d = 0; d < desc->rank; d++) {
        const TirType line = tri_value_tile(t, lines[d]);
        const TirValue step =
            tri_along(t, tri_emit2(t, TIR_OP_muli, line, lines[d], tri_splat(t, desc->strides[d], line)), d, block);
        if (!(unchecked >> d & 1)) {
            const TirValue low =
                tri_compare(t, lines[d], tri_splat_bits(t, line, 0), TIR_predicate_greater_than_or_equal);
            const TirValue high =
                tri_compare(t, lines[d], tri_splat(t, desc->extents[d], line), TIR_predicate_less_than);
            const TirValue in = tri_along(t, tri_emit2(t, TIR_OP_andi, tri_value_tile(t, low), low, high), d, block);
            box->inside = box->inside == TIR_NO_VALUE ? in : tri_emit2(t, TIR_OP_andi, bits, box->inside, in);
        }
        offset = d ? tri_emit2(t, TIR_OP_addi, offsets, offset, step) : step;
    }
    const TirType pointer = tir_type(t->module, tri_value_tile(t, desc->base))->element;
    const TirType pointers = tri_tile(t->module, pointer, tir_type(t->module, block));
    box->pointers = tri_emit2(t, TIR_OP_offset, pointers, tri_splat(t, desc->base, pointers), offset);
}

static bool open_box(TriTranslation *t, const TriOp *op, TriBox *box, const TriDescriptor **desc) {
    const TriValue *indices;
    const uint32_t count = tri_operands(op, "indices", &indices);
    TirValue lines[TIR_RANK_MAX];
    *desc = tri_use_descriptor(t, tri_operand(op, "desc"));
    if (!*desc) return false;
    if (count != (*desc)->rank || !count) return tri_fail(t, "%u indices for %u dimensions", count, (*desc)->rank);
    for (uint32_t d = 0; d < count; d++) {
        TirValue index;
        if (!is_scalar(t, indices[d], TIR_TYPE_i32)) return tri_fail(t, "an index that is no i32");
        if (!tri_use(t, indices[d], &index)) return false;
        lines[d] = tri_line_of(t, index, tir_type(t->module, (*desc)->block)->shape[d]);
    }
    tri_make_box(t, *desc, lines, (*desc)->block, 0, box);
    return true;
}

// Rows by number: the block has as many rows as there are numbers.
static bool open_rows(TriTranslation *t, const TriOp *op, TirType tile, TriBox *box, const TriDescriptor **desc) {
    TirValue rows, column, lines[2];
    *desc = tri_use_descriptor(t, tri_operand(op, "desc"));
    if (!*desc) return false;
    if (!tri_use(t, tri_operand(op, "x_offsets"), &rows) || !tri_use(t, tri_operand(op, "y_offset"), &column))
        return false;
    const TirTypeInfo *block = tir_type(t->module, (*desc)->block),
                      *numbers = tir_type(t->module, tri_value_tile(t, rows)), *shape = tir_type(t->module, tile);
    if (block->rank != 2 || numbers->rank != 1 || shape->rank != 2 || shape->shape[0] != numbers->shape[0] ||
        shape->element != block->element || !is_scalar(t, tri_operand(op, "y_offset"), TIR_TYPE_i32) ||
        (tri_kind(t, tri_value_tile(t, rows)) != TIR_TYPE_i32 && tri_kind(t, tri_value_tile(t, rows)) != TIR_TYPE_i16))
        return tri_fail(t, "rows that do not fit");
    const int64_t columns = shape->shape[1];
    lines[0] = to_i64(t, rows);
    lines[1] = tri_line_of(t, column, columns);
    tri_make_box(t, *desc, lines, tile, 0, box);
    return true;
}

// ---- accesses -------------------------------------------------------------------------------------------------------

bool tri_box_padding(TriTranslation *t, const TriDescriptor *desc, TirType block, TirValue *padding) {
    const FpsanFormat format = tir_float_format(tri_kind(t, block));
    uint64_t bits = 0;
    if (desc->nan && format == FPSAN_FORMAT_COUNT) return tri_fail(t, "a padding of NaN for integers");
    if (desc->nan) bits = fpsan_encode_nearest(format, __builtin_nan(""));
    *padding = desc->padding == TIR_NO_VALUE ? tri_splat_bits(t, block, bits) : tri_splat(t, desc->padding, block);
    return true;
}

static bool load_box(TriTranslation *t, const TriOp *op, const TriBox *box, const TriDescriptor *desc) {
    const TirType result = tri_result_type(t, op);
    TirValue padding = TIR_NO_VALUE;
    if (tir_tile_elements(t->module, result) != tir_tile_elements(t->module, box->block) ||
        tri_kind(t, result) != tri_kind(t, box->block))
        return tri_fail(t, "a result that does not fit the descriptor's block");
    if (!tri_box_padding(t, desc, box->block, &padding)) return false;
    const TirValue loaded = tri_emit_load(t, box->pointers, box->inside, padding, box->block);
    return tri_define(t, op->first_result, tri_reshape(t, loaded, result));
}

bool tri_op_descriptor_load(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *desc;
    TriBox box;
    return open_box(t, op, &box, &desc) && load_box(t, op, &box, desc);
}

bool tri_op_descriptor_gather(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *desc;
    TriBox box;
    return open_rows(t, op, tri_result_type(t, op), &box, &desc) && load_box(t, op, &box, desc);
}

static bool use_block(TriTranslation *t, const TriOp *op, const TriBox *box, TirValue *value) {
    if (!tri_use(t, tri_operand(op, "src"), value)) return false;
    const TirType type = tri_value_tile(t, *value);
    if (tir_tile_elements(t->module, type) != tir_tile_elements(t->module, box->block) ||
        tri_kind(t, type) != tri_kind(t, box->block))
        return tri_fail(t, "a value that does not fit the descriptor's block");
    *value = tri_reshape(t, *value, box->block);
    return true;
}

static bool store_box(TriTranslation *t, const TriOp *op, const TriBox *box) {
    TirValue value;
    if (!use_block(t, op, box, &value)) return false;
    tri_emit_store(t, box->pointers, value, box->inside);
    return true;
}

bool tri_op_descriptor_store(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *desc;
    TriBox box;
    return open_box(t, op, &box, &desc) && store_box(t, op, &box);
}

bool tri_op_descriptor_scatter(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *desc;
    TriBox box;
    return open_rows(t, op, tri_type(t, tri_operand(op, "src")), &box, &desc) && store_box(t, op, &box);
}

uint64_t tri_reduction_mode(TriTranslation *t, const TriOp *op, const TriDescriptor *desc, TirTypeKind kind) {
    const bool is_float = tir_float_format(kind) != FPSAN_FORMAT_COUNT;
    if (is_float && tri_attribute(op, "kind")->integer != TRI_reduction_add)
        return tri_refuse(t, "another reduction of floats than a sum"), TRI_NO_MODE;
    switch (tri_attribute(op, "kind")->integer) {
    case TRI_reduction_add: return is_float ? TIR_atomic_mode_addf : TIR_atomic_mode_add;
    case TRI_reduction_min: return desc->is_unsigned ? TIR_atomic_mode_umin : TIR_atomic_mode_min;
    case TRI_reduction_max: return desc->is_unsigned ? TIR_atomic_mode_umax : TIR_atomic_mode_max;
    case TRI_reduction_and: return TIR_atomic_mode_and;
    case TRI_reduction_or: return TIR_atomic_mode_or;
    case TRI_reduction_xor: return TIR_atomic_mode_xor;
    default: return tri_refuse(t, "inc and dec"), TRI_NO_MODE;
    }
}

bool tri_op_descriptor_reduce(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *desc;
    TriBox box;
    TirValue value;
    if (!open_box(t, op, &box, &desc) || !use_block(t, op, &box, &value)) return false;
    const uint64_t mode = tri_reduction_mode(t, op, desc, tri_kind(t, box.block));
    if (mode == TRI_NO_MODE) return false;
    tri_emit_rmw(t, NULL, box.pointers, mode, value, box.inside);
    return true;
}

// ---- block pointers of versions before 3.9 --------------------------------------------------------------------------

// A block pointer is a descriptor with a place: offsets that tt.advance adds to, and that loops carry.

uint32_t tri_block_rank(const TriTranslation *t, TriValue value) {
    const TriType type = t->reader->types[value];
    return type.block ? tir_type(t->module, type.tile)->rank : 0;
}

static bool use_i64(TriTranslation *t, TriValue value, TirValue *used) {
    if (!is_scalar(t, value, TIR_TYPE_i32) && !is_scalar(t, value, TIR_TYPE_i64))
        return tri_fail(t, "a size or offset that is neither i32 nor i64");
    if (!tri_use(t, value, used)) return false;
    *used = to_i64(t, *used);
    return true;
}

bool tri_op_make_block_pointer(TriTranslation *t, const TriOp *op) {
    const TriValue *shape, *strides, *offsets;
    const uint32_t rank = tri_block_rank(t, op->first_result);
    const TirTypeInfo pointers = *tir_type(t->module, t->reader->types[op->first_result].tile);
    if (!rank || tri_operands(op, "shape", &shape) != rank || tri_operands(op, "strides", &strides) != rank ||
        tri_operands(op, "offsets", &offsets) != rank)
        return tri_fail(t, "sizes, strides and offsets that do not fit");
    TriDescriptor made = {.rank = rank, .made = op};
    made.block = tri_tile(t->module, tir_type(t->module, pointers.element)->element, &pointers);
    if (!tri_use(t, op->operands[0], &made.base)) return false;
    if (tir_type(t->module, tri_value_tile(t, made.base))->element != pointers.element)
        return tri_fail(t, "a base of another type");
    for (uint32_t d = 0; d < rank; d++)
        if (!use_i64(t, shape[d], &made.extents[d]) || !use_i64(t, strides[d], &made.strides[d]) ||
            !use_i64(t, offsets[d], &made.offsets[d]))
            return false;
    return tri_define_descriptor(t, op->first_result, &made);
}

bool tri_op_advance(TriTranslation *t, const TriOp *op) {
    const TriDescriptor *from = tri_use_descriptor(t, op->operands[0]);
    if (!from) return false;
    if (op->segments[1] != from->rank || !from->made) return tri_fail(t, "offsets that do not fit");
    TriDescriptor moved = *from;
    for (uint32_t d = 0; d < from->rank; d++) {
        TirValue step;
        if (!use_i64(t, op->operands[1 + d], &step)) return false;
        moved.offsets[d] = tri_emit2(t, TIR_OP_addi, tri_value_tile(t, step), from->offsets[d], step);
    }
    return tri_define_descriptor(t, op->first_result, &moved);
}

static bool open_block(TriTranslation *t, const TriOp *op, TriBox *box) {
    const TriDescriptor *desc = tri_use_descriptor(t, op->operands[0]);
    const TriAttribute *checked = tri_attribute(op, "boundaryCheck");
    TirValue lines[TIR_RANK_MAX];
    if (!desc) return false;
    uint32_t unchecked = UINT32_MAX;
    for (size_t i = 0; checked && i < checked->length; i++) {
        if (checked->numbers[i] < 0 || checked->numbers[i] >= desc->rank) return tri_fail(t, "no such dimension");
        unchecked &= ~(1u << checked->numbers[i]);
    }
    for (uint32_t d = 0; d < desc->rank; d++)
        lines[d] = tri_line_of(t, desc->offsets[d], tir_type(t->module, desc->block)->shape[d]);
    tri_make_box(t, desc, lines, desc->block, unchecked, box);
    return true;
}

bool tri_load_block(TriTranslation *t, const TriOp *op) {
    const TriAttribute *padding = tri_attribute(op, "padding");
    TriBox box;
    if (op->operand_count != 1) return tri_refuse(t, "a mask of a block pointer");
    if (!open_block(t, op, &box)) return false;
    if (box.inside != TIR_NO_VALUE && padding) {
        const TriDescriptor outside = {
            .nan = padding->integer == TRI_pad_nan, .padding = TIR_NO_VALUE, .padding_flag = TIR_NO_VALUE};
        return load_box(t, op, &box, &outside);
    }
    return tri_define(t, op->first_result,
                      tri_emit_load(t, box.pointers, box.inside, TIR_NO_VALUE, tri_result_type(t, op)));
}

bool tri_store_block(TriTranslation *t, const TriOp *op) {
    TriBox box;
    TirValue value;
    if (op->operand_count != 2) return tri_refuse(t, "a mask of a block pointer");
    if (!open_block(t, op, &box) || !tri_use(t, op->operands[1], &value)) return false;
    if (tri_value_tile(t, value) != box.block) return tri_fail(t, "a value that does not fit the block");
    tri_emit_store(t, box.pointers, value, box.inside);
    return true;
}
