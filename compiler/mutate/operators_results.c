// SPDX-License-Identifier: Apache-2.0
// Operators that change what an op gives.
#include "compiler/mutate/mutate_internal.h"

#include <math.h>

// ---- replace_op -----------------------------------------------------------------------------------------------------

static const struct Replacement {
    TirOpKind from, to;
} replacements[] = {
#define REPLACE(from, to) {TIR_OP_##from, TIR_OP_##to},
#include "compiler/mutate/replacements.def"
#undef REPLACE
};

static const struct Replacement *find_replacement(const Site *s, uint32_t part) {
    for (size_t i = 0; i < BASE_COUNT(replacements); i++)
        if (replacements[i].from == s->op->kind && !part--) return &replacements[i];
    return NULL;
}

uint32_t count_replace_kind(const Site *s) {
    uint32_t count = 0;
    while (find_replacement(s, count)) count++;
    return count;
}

const char *words_replace_kind(Arena *arena, const Site *s, uint32_t part) {
    return arena_format(arena, "it becomes %s", tir_op_info(find_replacement(s, part)->to)->text_name);
}

static void edit_with_kind(Edit *e, TirOpKind to) {
    TirValue operands[TIR_OPERANDS_MAX];
    for (uint32_t i = 0; i < e->site.op->operand_count; i++) operands[i] = edit_operand(e, i);
    edit_open_results(e);
    edit_set_result(e, 0,
                    edit_add(e, to, e->site.op->operand_count, operands, site_result_type(&e->site, 0), e->site.op));
}

void edit_replace_kind(Edit *e, uint32_t part) {
    edit_with_kind(e, find_replacement(&e->site, part)->to);
}

// ---- drop_op --------------------------------------------------------------------------------------------------------

// Ops whose result may be one of their operands. Such that only move elements and keep the type do nothing.
static bool may_be_dropped(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    switch (op->kind) {
    case TIR_OP_reshape:
    case TIR_OP_broadcast:
    case TIR_OP_bitcast:
    case TIR_OP_ptr_to_ptr:
    case TIR_OP_extract: return false;
    case TIR_OP_scan: return op->result_count == 1;
    default: return info->pure && op->result_count == 1 && !op->region_count;
    }
}

static bool find_kept(const Site *s, uint32_t part, uint32_t *operand, uint32_t *count) {
    *count = 0;
    if (!may_be_dropped(s->op) || !site_is_tile(s, site_result_type(s, 0))) return false;
    for (uint32_t i = s->op->kind == TIR_OP_select; i < s->op->operand_count; i++) { // the condition decides, no more
        if (site_operand_type(s, i) != site_result_type(s, 0)) continue;
        if (i && s->op->operands[i] == s->op->operands[i - 1]) continue;
        *operand = i;
        if ((*count)++ == part) return true;
    }
    return false;
}

uint32_t count_drop_op(const Site *s) {
    uint32_t operand, count;
    find_kept(s, UINT32_MAX, &operand, &count);
    return count;
}

const char *words_drop_op(Arena *arena, const Site *s, uint32_t part) {
    uint32_t operand = 0, count;
    find_kept(s, part, &operand, &count);
    if (s->op->kind == TIR_OP_select)
        return arena_format(arena, "the mask is dropped: all elements are of operand %u", operand + 1);
    if (s->op->operand_count == 1) return "it is left out";
    return arena_format(arena, "it is left out: operand %u is in its place", operand + 1);
}

void edit_drop_op(Edit *e, uint32_t part) {
    uint32_t operand, count;
    if (!find_kept(&e->site, part, &operand, &count)) return;
    edit_open_results(e);
    edit_set_result(e, 0, edit_operand(e, operand));
}

// ---- scale_result ---------------------------------------------------------------------------------------------------

uint32_t count_scale(const Site *s) {
    const TirOp *op = s->op;
    const bool computes = tir_op_info(op->kind)->rule != FPSAN_RULE_COUNT || op->kind == TIR_OP_mmaf ||
                          op->kind == TIR_OP_mmaf_scaled || op->kind == TIR_OP_dot || op->kind == TIR_OP_reduce ||
                          op->kind == TIR_OP_scan || op->kind == TIR_OP_load_view_tko ||
                          op->kind == TIR_OP_multimem_load_reduce_view_tko || op->kind == TIR_OP_load_ptr_tko ||
                          op->kind == TIR_OP_ftof || op->kind == TIR_OP_itof || op->kind == TIR_OP_fpowi ||
                          op->kind == TIR_OP_function;
    if (!computes || !op->result_count || !site_is_number_tile(s, site_result_type(s, 0)) ||
        !site_is_used(s, tir_result(op, 0)))
        return 0;
    switch (tir_tile_element_kind(s->module, site_result_type(s, 0))) {
    case TIR_TYPE_f16:
    case TIR_TYPE_bf16:
    case TIR_TYPE_f32:
    case TIR_TYPE_f64: return 2;
    default: return 0;
    }
}

const char *words_scale(Arena *arena, const Site *s, uint32_t part) {
    (void)arena, (void)s;
    return part ? "its result is negated" : "its result is multiplied by 2";
}

void edit_scale(Edit *e, uint32_t part) {
    const TirType type = site_result_type(&e->site, 0);
    edit_open_results(e);
    TirValue operands[2] = {edit_result(e, 0)};
    if (!part) operands[1] = edit_splat(e, type, 2);
    edit_set_result(e, 0, edit_add(e, part ? TIR_OP_negf : TIR_OP_mulf, part ? 1 : 2, operands, type, NULL));
}

// ---- constant -------------------------------------------------------------------------------------------------------

uint32_t count_constant_op(const Site *s) {
    if (s->op->kind != TIR_OP_constant || !site_is_number_tile(s, site_result_type(s, 0))) return 0;
    const TirTypeRow *row = &tir_type_rows[tir_tile_element_kind(s->module, site_result_type(s, 0))];
    return row->class == TIR_CLASS_INTEGER && row->bits > 1 ? 2 : 1;
}

const char *words_constant_op(Arena *arena, const Site *s, uint32_t part) {
    const TirTypeKind kind = tir_tile_element_kind(s->module, site_result_type(s, 0));
    const TirConstant *constant = &tir_attribute(s->op, "value")->constant;
    const bool splat = tir_constant_is_splat(s->module, site_result_type(s, 0), constant);
    const uint64_t bits = tir_constant_bits(s->module, site_result_type(s, 0), constant, 0);
    const FpsanFormat format = tir_float_format(kind);
    if (kind == TIR_TYPE_i1) return "it becomes the opposite";
    if (format == FPSAN_FORMAT_COUNT && splat)
        return arena_format(arena, "%llu becomes one %s", (unsigned long long)bits, part ? "less" : "more");
    if (format == FPSAN_FORMAT_COUNT) return part ? "its elements become one less" : "its elements become one more";
    if (!splat) return "its elements become twice as large";
    const double number = fpsan_decode(format, bits);
    return arena_format(arena, "%g becomes %g", number, !isfinite(number) ? 0 : number == 0 ? 1 : 2 * number);
}

static uint64_t changed_bits(TirTypeKind kind, uint64_t bits, uint32_t part) {
    const FpsanFormat format = tir_float_format(kind);
    if (format == FPSAN_FORMAT_COUNT) return part ? bits - 1 : bits + 1;
    const double number = fpsan_decode(format, bits);
    return fpsan_encode_saturating(format, !isfinite(number) ? 0 : number == 0 ? 1 : 2 * number, FPSAN_NEAREST_EVEN);
}

void edit_constant_op(Edit *e, uint32_t part) {
    const TirType type = site_result_type(&e->site, 0);
    const TirTypeKind kind = tir_tile_element_kind(e->site.module, type);
    const TirConstant *constant = &tir_attribute(e->site.op, "value")->constant;
    const size_t width = (tir_type_rows[kind].bits + 7u) / 8u;
    uint8_t *bytes = arena_alloc(e->in->arena, constant->size + 1);
    for (size_t i = 0; i < constant->size; i++) bytes[i] = (uint8_t)~constant->bytes[i]; // of i1
    for (size_t at = 0; kind != TIR_TYPE_i1 && at + width <= constant->size; at += width) {
        uint64_t bits = 0;
        for (size_t i = 0; i < width; i++) bits |= (uint64_t)constant->bytes[at + i] << 8 * i;
        bits = changed_bits(kind, bits, part);
        if (tir_type_rows[kind].bits < 8) bits &= BASE_BITS(tir_type_rows[kind].bits);
        for (size_t i = 0; i < width; i++) bytes[at + i] = (uint8_t)(bits >> 8 * i);
    }
    edit_open_results(e);
    edit_set_result(e, 0, edit_constant(e, type, bytes, constant->size));
}

// ---- off_by_one -----------------------------------------------------------------------------------------------------

typedef struct Offset {
    bool operand; // else a result
    uint32_t index;
} Offset;

static void see_operands(const Site *s, const char *name, uint32_t part, Offset *found, uint32_t *count) {
    uint32_t many;
    const uint32_t first = site_operands(s->op, name, &many);
    for (uint32_t i = 0; i < many; i++, (*count)++)
        if (*count == part) *found = (Offset){true, first + i};
}

static uint32_t see_offsets(const Site *s, uint32_t part, Offset *found) {
    uint32_t count = 0;
    switch (s->op->kind) {
    case TIR_OP_get_tile_block_id:
    case TIR_OP_get_num_tile_blocks:
    case TIR_OP_get_index_space_shape:
    case TIR_OP_get_tensor_shape:
    case TIR_OP_iota:
        for (uint32_t i = 0; i < s->op->result_count; i++) {
            if (!site_is_used(s, tir_result(s->op, i))) continue;
            if (count++ == part) *found = (Offset){false, i};
        }
        break;
    case TIR_OP_load_view_tko:
    case TIR_OP_store_view_tko:
    case TIR_OP_multimem_load_reduce_view_tko:
    case TIR_OP_multimem_reduce_view_tko:
    case TIR_OP_multimem_store_view_tko:
    case TIR_OP_atomic_red_view_tko: see_operands(s, "index", part, found, &count); break;
    case TIR_OP_make_tensor_view:
        see_operands(s, "shape", part, found, &count);
        see_operands(s, "strides", part, found, &count);
        break;
    default: break;
    }
    return count;
}

uint32_t count_offset(const Site *s) {
    Offset found;
    return 2 * see_offsets(s, UINT32_MAX, &found);
}

const char *words_offset(Arena *arena, const Site *s, uint32_t part) {
    Offset found = {0};
    see_offsets(s, part / 2, &found);
    return arena_format(arena, "%s %u becomes one %s", found.operand ? "operand" : "result", found.index + 1,
                        part % 2 ? "less" : "more");
}

void edit_offset(Edit *e, uint32_t part) {
    const TirOpKind kind = part % 2 ? TIR_OP_subi : TIR_OP_addi;
    Offset found = {0};
    see_offsets(&e->site, part / 2, &found);
    if (found.operand) {
        const TirType type = site_operand_type(&e->site, found.index);
        edit_open_operands(e);
        const TirValue operands[] = {edit_operand(e, found.index), edit_splat(e, type, 1)};
        edit_set_operand(e, found.index, edit_add(e, kind, 2, operands, type, NULL));
    } else {
        const TirType type = site_result_type(&e->site, found.index);
        edit_open_results(e);
        const TirValue operands[] = {edit_result(e, found.index), edit_splat(e, type, 1)};
        edit_set_result(e, found.index, edit_add(e, kind, 2, operands, type, NULL));
    }
}
