// SPDX-License-Identifier: Apache-2.0
// Edits in words.
#include "compiler/repair/repair_internal.h"

#include <inttypes.h>
#include <string.h>

static const char *name_value(Arena *arena, const TirFunction *function, TirValue value);

// "the result of exp2 (line 156)"; shapes are left out.
static const char *name_result(Arena *arena, const TirFunction *function, const TirOp *op) {
    if (op->kind == TIR_OP_broadcast || op->kind == TIR_OP_reshape || op->kind == TIR_OP_assume)
        return name_value(arena, function, op->operands[0]);
    if (op->kind == TIR_OP_constant) {
        const TirModule *module = function->module;
        const TirType type = tir_value_type(function, op->first_result);
        const TirTypeKind kind = tir_tile_element_kind(module, type);
        uint64_t bits = tir_constant_bits(module, type, &tir_attribute(op, "value")->constant, 0);
        if (kind == TIR_TYPE_tf32) bits <<= 13;
        if (tir_type_rows[kind].class == TIR_CLASS_FLOAT)
            return arena_format(arena, "%.9g", fpsan_decode(tir_float_format(kind), bits));
        return arena_format(arena, "%" PRId64, (int64_t)(int32_t)bits);
    }
    return arena_format(arena, "the result of %s in line %" PRIu32, tir_op_info(op->kind)->name, op->at.line);
}

static const char *name_argument(Arena *arena, const TirFunction *function, const TirValueInfo *info) {
    const TirOp *owner = info->block->region->owner;
    if (!owner) return arena_format(arena, "parameter %" PRIu32, info->index + 1);
    if (owner->kind == TIR_OP_for && !info->index) return arena_format(arena, "the loop's index");
    (void)function;
    return arena_format(arena, "value %" PRIu32 " that the loop of line %" PRIu32 " carries",
                        info->index + (owner->kind != TIR_OP_for), owner->at.line);
}

static const char *name_value(Arena *arena, const TirFunction *function, TirValue value) {
    const TirValueInfo *info = tir_value(function, value);
    return info->definition ? name_result(arena, function, info->definition) : name_argument(arena, function, info);
}

static const char *verb_of(TirOpKind kind, bool reversed) {
    switch (kind) {
    case TIR_OP_mulf:
    case TIR_OP_muli: return "is not multiplied by";
    case TIR_OP_divf:
    case TIR_OP_divi: return reversed ? "is not what divides" : "is not divided by";
    case TIR_OP_addf:
    case TIR_OP_addi: return "is not added to";
    case TIR_OP_subf:
    case TIR_OP_subi: return reversed ? "is not subtracted from" : "is not reduced by";
    default: return "is not combined with";
    }
}

static const char *attribute_words(Arena *arena, const TirOp *op, const RepairEdit *edit) {
    const TirAttributeInfo *info = &tir_op_info(op->kind)->attributes[edit->operand];
    if (!info->enumeration)
        return arena_format(arena, "%s of %s should be %s", info->name, tir_op_info(op->kind)->name,
                            edit->bits ? "true" : "false");
    return arena_format(arena, "%s of %s should be %s, not %s", info->name, tir_op_info(op->kind)->name,
                        tir_enum_word(info->enumeration, edit->bits),
                        tir_enum_word(info->enumeration, op->attributes[edit->operand].integer));
}

static const char *launch_words(Arena *arena, const Repair *repair, const RepairEdit *edit) {
    const TirFunction *function = repair->sites[edit->launch].function;
    const TirType type = tir_value_type(function, function->body.first->first_argument +
                                                      (edit->kind == REPAIR_launch_grid ? 0 : edit->operand));
    switch (edit->kind) {
    case REPAIR_launch_grid:
        return arena_format(arena, "launch %" PRIu32 ": dimension %" PRIu32 " of the grid should be %" PRIu64,
                            edit->launch + 1, edit->operand + 1, edit->bits);
    case REPAIR_launch_swap:
        return arena_format(arena,
                            "launch %" PRIu32 ": the buffers of parameters %" PRIu32 " and %" PRIu32 " are exchanged",
                            edit->launch + 1, edit->operand + 1, edit->dimension + 1);
    case REPAIR_launch_buffer:
        return arena_format(arena,
                            "launch %" PRIu32 ": parameter %" PRIu32 " should be another buffer (number %" PRIu64 ")",
                            edit->launch + 1, edit->operand + 1, edit->bits + 1);
    case REPAIR_launch_integer:
        return arena_format(arena, "launch %" PRIu32 ": parameter %" PRIu32 " should be %" PRId64, edit->launch + 1,
                            edit->operand + 1, (int64_t)edit->bits);
    default:
        return arena_format(arena, "launch %" PRIu32 ": parameter %" PRIu32 " should be %.9g", edit->launch + 1,
                            edit->operand + 1,
                            fpsan_decode(tir_float_format(tir_tile_element_kind(function->module, type)), edit->bits));
    }
}

const char *repair_words(Arena *arena, const Repair *repair, const RepairEdit *edit) {
    const TirFunction *function = repair->sites[edit->launch].function;
    if (repair_is_of_launch(edit)) return launch_words(arena, repair, edit);
    const TirOp *op = repair->sites[edit->launch].ops[edit->op];
    const char *name = tir_op_info(op->kind)->name;
    const bool result = edit->kind == REPAIR_combine_result || edit->kind == REPAIR_apply_result ||
                        edit->kind == REPAIR_constant_number || edit->kind == REPAIR_constant_integer ||
                        edit->kind == REPAIR_padding || edit->kind == REPAIR_permute;
    const char *old =
        result || edit->operand >= op->operand_count
            ? ""
            : name_value(
                  arena, function,
                  op->operands[edit->kind == REPAIR_attribute || edit->kind == REPAIR_become ? 0 : edit->operand]);
    switch (edit->kind) {
    case REPAIR_constant_number:
        return arena_format(arena, "the constant %s should be %.9g", name_result(arena, function, op), edit->number);
    case REPAIR_constant_integer:
        return arena_format(arena, "the constant %s should be %" PRId64, name_result(arena, function, op),
                            (int64_t)edit->bits);
    case REPAIR_become: return arena_format(arena, "%s should be %s", name, tir_op_info(edit->with)->name);
    case REPAIR_attribute: return attribute_words(arena, op, edit);
    case REPAIR_swap: return arena_format(arena, "two operands of %s are exchanged", name);
    case REPAIR_operand:
        return arena_format(arena, "%s takes %s; it should take %s", name, old,
                            name_value(arena, function, edit->value));
    case REPAIR_bypass: return arena_format(arena, "%s should be left out, and %s be used", name, old);
    case REPAIR_padding: return arena_format(arena, "what is loaded outside the tensor should be another padding");
    case REPAIR_permute:
        return arena_format(arena, "dimensions %" PRIu32 " and %" PRIu32 " of the tile are exchanged",
                            edit->operand + 1, edit->dimension + 1);
    case REPAIR_combine:
        return arena_format(arena, "%s %s %s before %s", old, verb_of(edit->with, edit->reversed),
                            name_value(arena, function, edit->value), name);
    case REPAIR_combine_result:
        return arena_format(arena, "the result of %s %s %s", name, verb_of(edit->with, edit->reversed),
                            name_value(arena, function, edit->value));
    case REPAIR_scale: return arena_format(arena, "%s is not multiplied by %.9g before %s", old, edit->number, name);
    case REPAIR_shift: return arena_format(arena, "%.9g is not added to %s before %s", edit->number, old, name);
    case REPAIR_apply:
        return arena_format(arena, "%s is not taken of %s before %s", tir_op_info(edit->with)->name, old, name);
    case REPAIR_add_product:
        return arena_format(arena, "%s %s %s times %s before %s", old,
                            edit->with == TIR_OP_addf ? "lacks" : "is not reduced by",
                            name_value(arena, function, edit->value), name_value(arena, function, edit->second), name);
    case REPAIR_product:
        if (edit->second != TIR_NO_VALUE)
            return arena_format(arena, "%s lacks %s times %" PRId64, name_value(arena, function, edit->second),
                                name_value(arena, function, edit->value), (int64_t)edit->bits);
        return arena_format(arena, "%s lacks %s times %" PRId64 " in %s", old, name_value(arena, function, edit->value),
                            (int64_t)edit->bits, name);
    case REPAIR_rescale:
        return arena_format(arena, "%s is not multiplied by %s of %s minus %s before %s", old,
                            tir_op_info(edit->with)->name, name_value(arena, function, edit->value),
                            name_value(arena, function, edit->second), name);
    case REPAIR_apply_result:
        return arena_format(arena, "%s is not taken of the result of %s", tir_op_info(edit->with)->name, name);
    case REPAIR_shift_integer:
        if (edit->with == TIR_OP_muli)
            return arena_format(arena, "%s is not multiplied by %" PRId64 " before %s", old, (int64_t)edit->bits, name);
        return arena_format(arena, "%s should be larger by %" PRId64 " in %s", old, (int64_t)edit->bits, name);
    case REPAIR_mask:
        return arena_format(arena, "%s is not %.9g where %s is %s, before %s", old, edit->number,
                            name_value(arena, function, edit->value), edit->reversed ? "true" : "false", name);
    default: return "";
    }
}
