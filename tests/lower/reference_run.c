// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: control flow, what moves elements, reductions, dots.
#include "tests/lower/reference.h"

#include <string.h>

typedef enum Step { STEP_NEXT, STEP_YIELD, STEP_CONTINUE, STEP_BREAK, STEP_RETURN, STEP_BAD } Step;

static Step run_block(ReferenceMachine *m, const TirBlock *block);

// ---- tiles ----------------------------------------------------------------------------------------------------------

bool reference_problem(ReferenceMachine *m, const TirOp *op, const char *text) {
    m->problem = arena_format(m->run->arena, "op %u, %s: %s", op->number, tir_op_info(op->kind)->name, text);
    return false;
}

ReferenceTile *reference_tile(ReferenceMachine *m, TirValue value) {
    return &m->tiles[value];
}

static const TirTypeInfo *info_of(const ReferenceMachine *m, const ReferenceTile *tile) {
    return tir_type(m->run->module, tile->type);
}

ReferenceTile reference_new_tile(const ReferenceMachine *m, TirType type) {
    ReferenceTile tile = {.type = type};
    if (tir_type(m->run->module, type)->kind != TIR_TYPE_tile) return tile;
    tile.count = (uint64_t)tir_tile_elements(m->run->module, type);
    for (unsigned p = 0; p < reference_element(m, type).parts; p++)
        tile.parts[p] = arena_array(m->run->arena, uint64_t, tile.count);
    return tile;
}

ReferenceTile *reference_result(ReferenceMachine *m, const TirOp *op, uint32_t index) {
    ReferenceTile *tile = &m->tiles[tir_result(op, index)];
    *tile = reference_new_tile(m, tir_value_type(m->function, tir_result(op, index)));
    return tile;
}

static uint64_t scalar(ReferenceMachine *m, TirValue value) {
    return m->tiles[value].parts[0][0];
}

static void copy_element(ReferenceTile *to, uint64_t to_index, const ReferenceTile *from, uint64_t from_index) {
    for (unsigned p = 0; p < REFERENCE_PARTS; p++)
        if (to->parts[p]) to->parts[p][to_index] = from->parts[p][from_index];
}

static void unflatten(const TirTypeInfo *tile, uint64_t index, uint64_t *coordinates) {
    for (uint32_t d = tile->rank; d-- > 0;) {
        coordinates[d] = index % (uint64_t)tile->shape[d];
        index /= (uint64_t)tile->shape[d];
    }
}

static uint64_t flatten(const TirTypeInfo *tile, const uint64_t *coordinates) {
    uint64_t index = 0;
    for (uint32_t d = 0; d < tile->rank; d++) index = index * (uint64_t)tile->shape[d] + coordinates[d];
    return index;
}

// ---- what moves elements --------------------------------------------------------------------------------------------

// Dense elements as tile-ir.md section 2 has them.
static uint64_t constant_bits(const TirConstant *constant, unsigned bits, uint64_t count, uint64_t index) {
    uint64_t bytes = bits == 1 ? 1 : (bits + 7) / 8, value = 0;
    uint64_t full = bits == 1 ? (count + 7) / 8 : count * bytes;
    if (constant->size < full) index = 0;
    if (bits == 1) return constant->bytes[index / 8] >> index % 8 & 1;
    memcpy(&value, constant->bytes + index * bytes, bytes);
    return value;
}

static void run_constant(ReferenceMachine *m, const TirOp *op) {
    ReferenceTile *result = reference_result(m, op, 0);
    ReferenceElement element = reference_element(m, result->type);
    unsigned bits = tir_type_rows[tir_tile_element_kind(m->run->module, result->type)].bits;
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t value = constant_bits(&tir_attribute(op, "value")->constant, bits, result->count, i);
        if (element.is_float && element.format == FPSAN_TF32) value <<= 13;
        reference_set_constant(m, result, i, value);
    }
}

static void run_move(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *source = &m->tiles[op->operands[0]];
    ReferenceTile *result = reference_result(m, op, 0);
    const TirTypeInfo *from = info_of(m, source), *to = info_of(m, result);
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t at[TIR_RANK_MAX], source_at[TIR_RANK_MAX], start = i;
        unflatten(to, i, at);
        for (uint32_t d = 0; d < to->rank; d++) {
            if (op->kind == TIR_OP_broadcast) source_at[d] = from->shape[d] == 1 ? 0 : at[d];
            if (op->kind == TIR_OP_permute) source_at[tir_attribute(op, "permutation")->numbers[d]] = at[d];
            if (op->kind == TIR_OP_extract)
                source_at[d] = scalar(m, op->operands[1 + d]) * (uint64_t)to->shape[d] + at[d];
        }
        if (op->kind == TIR_OP_gather) {
            const ReferenceTile *indices = &m->tiles[op->operands[1]];
            memcpy(source_at, at, sizeof at);
            source_at[tir_attribute_integer(op, "dim")] = indices->parts[0][i];
        }
        if (op->kind != TIR_OP_reshape) start = flatten(from, source_at);
        copy_element(result, i, source, start);
    }
}

static void run_cat(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *sides[2] = {&m->tiles[op->operands[0]], &m->tiles[op->operands[1]]};
    ReferenceTile *result = reference_result(m, op, 0);
    uint64_t d = tir_attribute_integer(op, "dim"), first = (uint64_t)info_of(m, sides[0])->shape[d];
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t at[TIR_RANK_MAX];
        unflatten(info_of(m, result), i, at);
        const ReferenceTile *side = sides[at[d] >= first];
        if (at[d] >= first) at[d] -= first;
        copy_element(result, i, side, flatten(info_of(m, side), at));
    }
}

static void run_histogram(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *values = &m->tiles[op->operands[0]],
                        *mask = op->operand_count > 1 ? &m->tiles[op->operands[1]] : NULL;
    const unsigned bits = reference_element(m, values->type).bits;
    ReferenceTile *result = reference_result(m, op, 0);
    for (uint64_t i = 0; i < result->count; i++) result->parts[0][i] = 0;
    for (uint64_t i = 0; i < values->count; i++) {
        const uint64_t bin = (uint64_t)reference_signed(values->parts[0][i], bits);
        if (bin < result->count && (!mask || mask->parts[0][i])) result->parts[0][bin]++;
    }
}

static void run_iota(ReferenceMachine *m, const TirOp *op) {
    ReferenceTile *result = reference_result(m, op, 0);
    for (uint64_t i = 0; i < result->count; i++) result->parts[0][i] = i;
}

static void run_print(ReferenceMachine *m, const TirOp *op) {
    const TirValue *values;
    if (tir_operands(op, "args", &values) && m->run->printed) *m->run->printed = m->tiles[values[0]];
    for (uint32_t i = 0; i < op->result_count; i++) reference_result(m, op, i);
}

static void run_scalars(ReferenceMachine *m, const TirOp *op) {
    const uint32_t *from = op->kind == TIR_OP_get_tile_block_id ? m->run->block : m->run->grid;
    for (uint32_t i = 0; i < op->result_count; i++) reference_result(m, op, i)->parts[0][0] = from[i];
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

typedef struct Fold {
    const TirOp *op;
    uint64_t length, stride; // of the reduced dimension
    uint64_t start;          // index of its first element
} Fold;

// first = body(first, second). The arrays hold one-element tiles.
static bool combine(ReferenceMachine *m, const TirOp *op, ReferenceTile *first, const ReferenceTile *second) {
    const TirBlock *block = op->regions[0].first;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        m->tiles[block->first_argument + 2 * i] = first[i];
        m->tiles[block->first_argument + 2 * i + 1] = second[i];
    }
    if (run_block(m, block) != STEP_YIELD) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) first[i] = m->passed[i];
    return true;
}

static bool same_attributes(const TirOp *a, const TirOp *b) {
    const TirOpInfo *info = tir_op_info(a->kind);
    for (unsigned i = 0; a != b && i < info->attribute_count; i++) {
        const TirAttribute *x = &a->attributes[i], *y = &b->attributes[i];
        if (x->present != y->present || x->integer != y->integer || info->attributes[i].kind == TIR_ATTR_TAGGED)
            return false;
        if (info->attributes[i].kind == TIR_ATTR_CONSTANT &&
            (x->constant.size != y->constant.size || memcmp(x->constant.bytes, y->constant.bytes, x->constant.size)))
            return false;
    }
    return true;
}

// Whether v is what w is once the arguments of each pair have changed places.
static bool same_exchanged(const ReferenceMachine *m, const TirBlock *block, TirValue v, TirValue w) {
    const TirValueInfo *x = tir_value(m->function, v), *y = tir_value(m->function, w);
    const TirOp *a = x->definition, *b = y->definition;
    if (x->block != block || y->block != block) return v == w;
    if (!a || !b) return !a && !b && (x->index ^ 1) == y->index;
    if (a->kind != b->kind || x->type != y->type || a->operand_count != b->operand_count || !same_attributes(a, b))
        return false;
    bool straight = true, crossed = false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        straight = straight && same_exchanged(m, block, a->operands[i], b->operands[i]);
    switch (a->kind) {
    case TIR_OP_addf:
    case TIR_OP_mulf:
    case TIR_OP_maxf:
    case TIR_OP_minf:
    case TIR_OP_fma:
    case TIR_OP_addi:
    case TIR_OP_muli:
    case TIR_OP_mulhii:
    case TIR_OP_maxi:
    case TIR_OP_mini:
    case TIR_OP_andi:
    case TIR_OP_ori:
    case TIR_OP_xori:
        crossed = same_exchanged(m, block, a->operands[0], b->operands[1]) &&
                  same_exchanged(m, block, a->operands[1], b->operands[0]);
        if (a->kind == TIR_OP_fma) crossed = crossed && same_exchanged(m, block, a->operands[2], b->operands[2]);
        break;
    default: break;
    }
    return straight || crossed;
}

static bool commutes(const ReferenceMachine *m, const TirBlock *block) {
    const TirOp *op = block->first;
    for (; op != block->last; op = op->next)
        if (op->region_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!same_exchanged(m, block, op->operands[i], op->operands[i])) return false;
    return true;
}

static void take(ReferenceMachine *m, const Fold *fold, uint64_t j, ReferenceTile *elements) {
    for (uint32_t i = 0; i < fold->op->operand_count; i++) {
        TirType type = tir_value_type(m->function, fold->op->regions[0].first->first_argument + 2 * i);
        elements[i] = reference_new_tile(m, type);
        copy_element(&elements[i], 0, &m->tiles[fold->op->operands[i]], fold->start + j * fold->stride);
    }
}

// In runs of `lanes` neighbours, each of which are combined two by two.
static bool reduce_in_sequence(ReferenceMachine *m, const Fold *fold, uint64_t lanes, ReferenceTile *result) {
    uint32_t count = fold->op->operand_count;
    ReferenceTile *run = arena_array(m->run->arena, ReferenceTile, lanes * count);
    for (uint64_t start = 0; start < fold->length; start += lanes) {
        for (uint64_t l = 0; l < lanes; l++) take(m, fold, start + l, &run[l * count]);
        for (uint64_t step = 1; step < lanes; step *= 2)
            for (uint64_t l = 0; l < lanes; l += 2 * step)
                if (!combine(m, fold->op, &run[l * count], &run[(l + step) * count])) return false;
        if (start && !combine(m, fold->op, result, run)) return false;
        if (!start) memcpy(result, run, count * sizeof *result);
    }
    return true;
}

// Every `lanes`-th element in order, then the lanes in halves.
static bool reduce_one(ReferenceMachine *m, const Fold *fold, uint64_t lanes, ReferenceTile *result) {
    uint32_t count = fold->op->operand_count;
    ReferenceTile *sums = arena_array(m->run->arena, ReferenceTile, lanes * count);
    for (uint64_t l = 0; l < lanes; l++) {
        take(m, fold, l, &sums[l * count]);
        for (uint64_t j = l + lanes; j < fold->length; j += lanes) {
            ReferenceTile elements[4];
            take(m, fold, j, elements);
            if (!combine(m, fold->op, &sums[l * count], elements)) return false;
        }
    }
    for (uint64_t half = lanes / 2; half; half /= 2)
        for (uint64_t l = 0; l < half; l++)
            if (!combine(m, fold->op, &sums[l * count], &sums[(l + half) * count])) return false;
    memcpy(result, sums, count * sizeof *result);
    return true;
}

static bool scan_one(ReferenceMachine *m, const Fold *fold, bool reverse, const uint64_t *results) {
    ReferenceTile sums[4], elements[4];
    for (uint64_t n = 0; n < fold->length; n++) {
        uint64_t j = reverse ? fold->length - 1 - n : n;
        take(m, fold, j, elements);
        if (n == 0)
            memcpy(sums, elements, sizeof sums);
        else if (!combine(m, fold->op, sums, elements))
            return false;
        for (uint32_t i = 0; i < fold->op->operand_count; i++)
            copy_element(&m->tiles[results[i]], fold->start + j * fold->stride, &sums[i], 0);
    }
    return true;
}

// reduce.c states the order of combination: it depends on the type and the body alone.
static uint64_t lanes_of(ReferenceMachine *m, const Fold *fold) {
    if (fold->stride > 1 || fold->op->kind == TIR_OP_scan) return 1;
    uint64_t lanes = reference_element(m, m->tiles[fold->op->operands[0]].type).bytes == 8 ? 32 : 64;
    return lanes < fold->length ? lanes : fold->length;
}

static bool run_aggregate(ReferenceMachine *m, const TirOp *op) {
    const TirTypeInfo *tile = info_of(m, &m->tiles[op->operands[0]]);
    uint64_t d = tir_attribute_integer(op, "dim"), results[4], count = m->tiles[op->operands[0]].count, done = 0;
    Fold fold = {.op = op, .length = (uint64_t)tile->shape[d], .stride = 1};
    if (op->operand_count > 4) return reference_problem(m, op, "too many operands");
    for (uint32_t i = (uint32_t)d + 1; i < tile->rank; i++) fold.stride *= (uint64_t)tile->shape[i];
    for (uint32_t i = 0; i < op->result_count; i++) {
        reference_result(m, op, i);
        results[i] = tir_result(op, i);
    }
    for (fold.start = 0; fold.start < count; fold.start++) {
        ReferenceTile sums[4];
        if (fold.start / fold.stride % fold.length) continue; // not the first along the dimension
        if (op->kind == TIR_OP_scan) {
            if (!scan_one(m, &fold, tir_attribute_integer(op, "reverse"), results)) return false;
            continue;
        }
        bool good = commutes(m, op->regions[0].first) ? reduce_one(m, &fold, lanes_of(m, &fold), sums)
                                                      : reduce_in_sequence(m, &fold, lanes_of(m, &fold), sums);
        if (!good) return false;
        for (uint32_t i = 0; i < op->result_count; i++) copy_element(&m->tiles[results[i]], done, &sums[i], 0);
        done++;
    }
    return true;
}

// ---- dots -----------------------------------------------------------------------------------------------------------

static uint64_t dot_integers(const TirOp *op, uint64_t length, const uint64_t *a, const uint64_t *b, uint64_t b_stride,
                             uint64_t start) {
    bool left = tir_attribute_integer(op, "signedness_lhs") == TIR_signedness_signed;
    bool right = tir_attribute_integer(op, "signedness_rhs") == TIR_signedness_signed;
    for (uint64_t k = 0; k < length; k++) {
        int64_t x = left ? reference_signed(a[k], 8) : (int64_t)a[k];
        int64_t y = right ? reference_signed(b[k * b_stride], 8) : (int64_t)b[k * b_stride];
        start += (uint64_t)(x * y);
    }
    return start & reference_mask(32);
}

// An operand times its scales, in `format`; `d` is the dimension that is summed over.
static ReferenceTile *scale_operand(ReferenceMachine *m, const ReferenceTile *operand, const ReferenceTile *scale,
                                    uint32_t d, FpsanFormat format) {
    const TirTypeInfo *from = info_of(m, operand), *scales = info_of(m, scale);
    ReferenceElement element = reference_element(m, operand->type), factor = reference_element(m, scale->type);
    ReferenceTile *result = arena_new(m->run->arena, ReferenceTile);
    *result = reference_new_tile(m, operand->type);
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t at[TIR_RANK_MAX];
        unflatten(from, i, at);
        at[d] /= (uint64_t)(from->shape[d] / scales->shape[d]);
        uint64_t j = flatten(scales, at);
        result->parts[0][i] = reference_scaled(m, &element, &factor, format, operand->parts[0][i], scale->parts[0][j]);
        if (element.has_shadow) reference_set_payload(result, i, reference_shadow_scaled(m, operand, i, scale, j));
    }
    return result;
}

// An operand in a format that has all of its numbers.
static ReferenceTile *widen_operand(ReferenceMachine *m, const ReferenceTile *operand, FpsanFormat format) {
    ReferenceElement element = reference_element(m, operand->type);
    ReferenceTile *result = arena_new(m->run->arena, ReferenceTile);
    *result = reference_new_tile(m, operand->type);
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t x = operand->parts[0][i];
        result->parts[0][i] = element.is_payload
                                  ? fpsan_cast(&m->run->algebra, element.format, format, x, FPSAN_NEAREST_EVEN)
                                  : fpsan_convert(element.format, format, x, FPSAN_NEAREST_EVEN);
        if (element.has_shadow) reference_set_payload(result, i, reference_payload(operand, i));
    }
    return result;
}

static bool is_scaled(const TirOp *op) {
    return op->kind == TIR_OP_mmaf_scaled || (op->kind == TIR_OP_dot && op->operand_count == 5);
}

static void run_dot(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *a = &m->tiles[op->operands[0]], *b = &m->tiles[op->operands[1]],
                        *c = &m->tiles[op->operands[2]];
    ReferenceTile *result = reference_result(m, op, 0);
    ReferenceElement operand = reference_element(m, a->type), accumulator = reference_element(m, c->type);
    const TirTypeInfo *left = info_of(m, a), *right = info_of(m, b);
    uint64_t rows = (uint64_t)left->shape[left->rank - 2], depth = (uint64_t)left->shape[left->rank - 1],
             columns = (uint64_t)right->shape[right->rank - 1];
    const FpsanFormat other = reference_element(m, b->type).format;
    if (op->kind == TIR_OP_dot && !is_scaled(op) && other != operand.format) {
        operand.format = FPSAN_F16;
        a = widen_operand(m, a, operand.format);
        b = widen_operand(m, b, operand.format);
    }
    if (is_scaled(op)) {
        operand.format = reference_scaled_format(m, operand.format, reference_element(m, b->type).format);
        a = scale_operand(m, a, &m->tiles[op->operands[3]], left->rank - 1, operand.format);
        b = scale_operand(m, b, &m->tiles[op->operands[4]], right->rank - 2, operand.format);
    }
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t batch = i / (rows * columns), row = i / columns % rows, column = i % columns;
        uint64_t x = (batch * rows + row) * depth, y = batch * depth * columns + column;
        if (op->kind == TIR_OP_mmai) {
            result->parts[0][i] = dot_integers(op, depth, a->parts[0] + x, b->parts[0] + y, columns, c->parts[0][i]);
            continue;
        }
        result->parts[0][i] = reference_dot(m, &operand, &accumulator, depth, a->parts[0] + x, 1, b->parts[0] + y,
                                            columns, c->parts[0][i]);
    }
    ReferenceDot dot = {a, b, c, operand.format, rows, depth, columns};
    if (accumulator.parts > 1) reference_shadow_dot(m, &dot, result);
}

// ---- control flow ---------------------------------------------------------------------------------------------------

static void pass(ReferenceMachine *m, const TirOp *op) {
    ReferenceTile *passed = arena_array(m->run->arena, ReferenceTile, op->operand_count + 1u);
    for (uint32_t i = 0; i < op->operand_count; i++) passed[i] = m->tiles[op->operands[i]];
    m->passed = passed;
}

static void bind(ReferenceMachine *m, TirValue first, uint32_t count, const ReferenceTile *tiles) {
    if (count) memcpy(&m->tiles[first], tiles, count * sizeof *tiles);
}

static Step run_if(ReferenceMachine *m, const TirOp *op) {
    const TirRegion *region = &op->regions[scalar(m, op->operands[0]) ? 0 : 1];
    if (!region->first) return STEP_NEXT;
    Step step = run_block(m, region->first);
    if (step != STEP_YIELD) return step;
    bind(m, op->first_result, op->result_count, m->passed);
    return STEP_NEXT;
}

static ReferenceTile *initial(ReferenceMachine *m, const TirOp *op, uint32_t first) {
    ReferenceTile *carried = arena_array(m->run->arena, ReferenceTile, op->operand_count + 1u);
    for (uint32_t i = first; i < op->operand_count; i++) carried[i - first] = m->tiles[op->operands[i]];
    return carried;
}

static Step run_for(ReferenceMachine *m, const TirOp *op) {
    const TirBlock *body = op->regions[0].first;
    unsigned bits = reference_element(m, m->tiles[op->operands[0]].type).bits;
    bool is_unsigned = tir_attribute(op, "unsigned");
    __int128 bounds[3];
    for (int i = 0; i < 3; i++) {
        uint64_t value = scalar(m, op->operands[i]);
        bounds[i] = is_unsigned ? (__int128)value : (__int128)reference_signed(value, bits);
    }
    if (bounds[2] <= 0) return reference_problem(m, op, "step"), STEP_BAD;
    uint32_t count = op->operand_count - 3;
    const ReferenceTile *carried = initial(m, op, 3);
    for (__int128 i = bounds[0]; i < bounds[1]; i += bounds[2]) {
        ReferenceTile index = reference_new_tile(m, m->tiles[op->operands[0]].type);
        index.parts[0][0] = (uint64_t)i & reference_mask(bits);
        bind(m, body->first_argument, 1, &index);
        bind(m, body->first_argument + 1, count, carried);
        Step step = run_block(m, body);
        if (step != STEP_CONTINUE) return step;
        carried = m->passed;
    }
    bind(m, op->first_result, op->result_count, carried);
    return STEP_NEXT;
}

static Step run_loop(ReferenceMachine *m, const TirOp *op) {
    const TirBlock *body = op->regions[0].first;
    const ReferenceTile *carried = initial(m, op, 0);
    for (;;) {
        bind(m, body->first_argument, op->operand_count, carried);
        Step step = run_block(m, body);
        if (step == STEP_BREAK) {
            bind(m, op->first_result, op->result_count, m->passed);
            return STEP_NEXT;
        }
        if (step != STEP_CONTINUE) return step;
        carried = m->passed;
    }
}

// ---- ops ------------------------------------------------------------------------------------------------------------

static Step run_op(ReferenceMachine *m, const TirOp *op) {
    bool known, good = true;
    switch (op->kind) {
    case TIR_OP_yield: return pass(m, op), STEP_YIELD;
    case TIR_OP_continue: return pass(m, op), STEP_CONTINUE;
    case TIR_OP_break: return pass(m, op), STEP_BREAK;
    case TIR_OP_return: return STEP_RETURN;
    case TIR_OP_if: return run_if(m, op);
    case TIR_OP_for: return run_for(m, op);
    case TIR_OP_loop: return run_loop(m, op);
    case TIR_OP_reduce:
    case TIR_OP_scan: good = run_aggregate(m, op); break;
    case TIR_OP_mmaf:
    case TIR_OP_mmaf_scaled:
    case TIR_OP_dot:
    case TIR_OP_mmai: run_dot(m, op); break;
    case TIR_OP_constant: run_constant(m, op); break;
    case TIR_OP_histogram: run_histogram(m, op); break;
    case TIR_OP_gather:
    case TIR_OP_reshape:
    case TIR_OP_broadcast:
    case TIR_OP_permute:
    case TIR_OP_extract: run_move(m, op); break;
    case TIR_OP_cat: run_cat(m, op); break;
    case TIR_OP_insert: reference_insert(m, op); break;
    case TIR_OP_pack:
    case TIR_OP_unpack: reference_repack(m, op); break;
    case TIR_OP_iota: run_iota(m, op); break;
    case TIR_OP_print_tko: run_print(m, op); break;
    case TIR_OP_get_tile_block_id:
    case TIR_OP_get_num_tile_blocks: run_scalars(m, op); break;
    case TIR_OP_assume: m->tiles[op->first_result] = m->tiles[op->operands[0]]; break;
    case TIR_OP_make_token:
    case TIR_OP_join_tokens: reference_result(m, op, 0); break;
    default:
        good = reference_elementwise(m, op, &known);
        if (good && !known) good = reference_memory(m, op, &known);
        if (good && !known) good = reference_problem(m, op, "not known to the reference");
        break;
    }
    return good ? STEP_NEXT : STEP_BAD;
}

static Step run_block(ReferenceMachine *m, const TirBlock *block) {
    for (const TirOp *op = block->first; op; op = op->next) {
        Step step = run_op(m, op);
        if (step != STEP_NEXT) return step;
    }
    return STEP_NEXT;
}

static void bind_parameters(ReferenceMachine *m) {
    const TirBlock *body = m->function->body.first;
    for (uint32_t i = 0; i < body->argument_count; i++) {
        ReferenceTile *tile = &m->tiles[body->first_argument + i];
        *tile = reference_new_tile(m, tir_value_type(m->function, body->first_argument + i));
        reference_set_bits(m, tile, 0, m->run->arguments[i]);
        const HostRecord *record = m->run->argument_records ? &m->run->argument_records[i] : NULL;
        if (!reference_element(m, tile->type).has_shadow || !record || !(record->state & HOST_RECORD_VALID)) continue;
        TowerPayload payload = {.state = record->state & ~HOST_RECORD_VALID};
        memcpy(payload.component, record->component, sizeof payload.component);
        reference_set_payload(tile, 0, payload);
    }
}

static bool has_op(const TirRegion *region, TirOpKind kind) {
    const TirOp *op = tir_first_op(region);
    while (op && op->kind != kind) op = tir_next_op(region, op);
    return op;
}

const char *reference_run(const Reference *reference) {
    const TirFunction *function = &reference->module->functions[reference->entry];
    ReferenceMachine m = {.run = reference, .function = function};
    m.tiles = arena_array(reference->arena, ReferenceTile, function->value_count);
    m.marks_integers = has_op(&function->body, TIR_OP_ftoi);
    bind_parameters(&m);
    Step step = run_block(&m, function->body.first);
    return step == STEP_RETURN ? NULL : m.problem ? m.problem : "the entry does not return";
}
