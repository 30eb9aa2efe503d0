// SPDX-License-Identifier: Apache-2.0
// Integers that are the bits of floats: a bitcast of one, or chosen from such by select, min and max, in any shape, or
// loaded where a record is. Stored they leave a record, and made floats again they have the payload. Nothing else that
// integers do keeps it. Where such an integer becomes a tile in memory the float does as well.
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

static EmitElement float_element(const Emit *e, FpsanFormat format) {
    return (EmitElement){.is_float = true, .format = format, .parts = e->cx.numeric->part_count};
}

static bool is_choice(const TirOp *op) {
    return op->kind == TIR_OP_select || op->kind == TIR_OP_maxi || op->kind == TIR_OP_mini;
}

static bool has_width(const Emit *e, TirValue integer, FpsanFormat format) {
    EmitElement element = emit_element(e, emit_type_of(e, integer));
    return !element.is_float && !element.is_pointer && element.bits == fpsan_format_info(format)->storage_bits;
}

// Evaluates the float that an integer is the bits of, in one of the ways in which that may be known.
typedef bool EvalBits(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                      NumericValue *lanes);
static EvalBits eval_kept, eval_cast, eval_choice, eval_moved;

// The way in which the integer is known as the bits of a float, and its format; NULL: it is not.
static EvalBits *find_way(const Emit *e, TirValue integer, FpsanFormat *format) {
    if (!e->cx.numeric->has_records) return NULL;
    if (e->float_of_bits[integer]) {
        *format = e->float_of_bits[integer]->format;
        return eval_kept;
    }
    const TirOp *op = tir_value(e->function, integer)->definition;
    if (!op || e->values[integer].kind == EMIT_MEMORY) return NULL;
    if (op->kind == TIR_OP_bitcast) {
        EmitElement from = emit_element(e, emit_type_of(e, op->operands[0]));
        *format = from.format;
        return from.is_float && has_width(e, integer, from.format) ? eval_cast : NULL;
    }
    if (is_choice(op)) {
        TirValue last = op->operands[op->operand_count - 1], other = op->operands[op->operand_count - 2];
        return find_way(e, last, format) || (other != last && find_way(e, other, format)) ? eval_choice : NULL;
    }
    return emit_row(op->kind)->class == EMIT_CLASS_MAP && find_way(e, op->operands[0], format) ? eval_moved : NULL;
}

static bool eval_kept(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                      NumericValue *lanes) {
    nest_eval_tile(e, nest, &e->float_of_bits[integer]->value, float_element(e, format), map, lanes);
    return true;
}

static bool eval_cast(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                      NumericValue *lanes) {
    (void)format;
    return nest_eval(e, nest, tir_value(e->function, integer)->definition->operands[0], map, lanes);
}

static bool eval_moved(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                       NumericValue *lanes) {
    const TirOp *op = tir_value(e->function, integer)->definition;
    TileMap inner = emit_operand_map(e, op, map);
    return emit_eval_bits(e, nest, op->operands[0], &inner, format, lanes);
}

static bool eval_choice(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                        NumericValue *lanes) {
    LLVMBuilderRef builder = e->cx.builder;
    const TirOp *op = tir_value(e->function, integer)->definition;
    TirValue sides[2] = {op->operands[op->operand_count - 2], op->operands[op->operand_count - 1]};
    NumericValue floats[2], integers[2], chosen;
    for (int i = 0; i < 2; i++)
        if (!emit_eval_bits(e, nest, sides[i], map, format, &floats[i]) ||
            !nest_eval(e, nest, sides[i], map, &integers[i]))
            return false;
    if (op->kind == TIR_OP_select) {
        NumericValue condition;
        if (!nest_eval(e, nest, op->operands[0], map, &condition)) return false;
        emit_select_float(e, &condition, &floats[0], &floats[1], lanes);
        return true;
    }
    if (!nest_eval(e, nest, integer, map, &chosen)) return false;
    LLVMValueRef is[2];
    for (int i = 0; i < 2; i++) is[i] = LLVMBuildICmp(builder, LLVMIntEQ, chosen.parts[0], integers[i].parts[0], "");
    LLVMValueRef number = e->cx.numeric->from_bits(&e->cx, format, chosen.parts[0]).parts[0];
    *lanes = e->cx.numeric->choose(&e->cx, format, number, is[0], is[1], &floats[0], &floats[1]);
    return true;
}

bool emit_eval_bits(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format,
                    NumericValue *lanes) {
    FpsanFormat known;
    EvalBits *way = find_way(e, integer, &known);
    if (way && known == format) return way(e, nest, integer, map, format, lanes);
    NumericValue value;
    if (!nest_eval(e, nest, integer, map, &value)) return false;
    *lanes = e->cx.numeric->from_bits(&e->cx, format, value.parts[0]);
    if (value.parts[1]) *lanes = e->cx.numeric->mark(&e->cx, lanes, value.parts[1]);
    return true;
}

bool emit_is_float_of_bits(const Emit *e, const TirOp *op, FpsanFormat *format) {
    if (op->kind != TIR_OP_bitcast || !emit_element(e, emit_type_of(e, tir_result(op, 0))).is_float) return false;
    FpsanFormat found;
    *format = emit_element(e, emit_type_of(e, tir_result(op, 0))).format;
    return find_way(e, op->operands[0], &found) && found == *format;
}

bool emit_keep_float_of_bits(Emit *e, TirValue integer) {
    FpsanFormat format;
    const bool here = tir_value(e->function, integer)->block == e->block; // else others would find it, too
    if (!here || e->float_of_bits[integer] || !find_way(e, integer, &format)) return true;
    const unsigned bits = emit_tile_bits(e, emit_type_of(e, integer));
    const TileMap map = map_identity(bits);
    EmitElement element = float_element(e, format);
    EmitFloatOfBits *kept = arena_new(e->arena, EmitFloatOfBits);
    kept->format = format;
    if (!emit_elements_alloc(e, element, bits, NULL, &kept->value)) return false;
    Nest nest;
    NumericValue lanes;
    nest_init(&nest, bits);
    if (!nest_need(e, &nest, integer, &map)) return false;
    nest_open(e, &nest, bits);
    if (!emit_eval_bits(e, &nest, integer, &map, format, &lanes)) return false;
    emit_store_tile(e, &nest, element, &map, &kept->value, &lanes);
    nest_close(e, &nest);
    e->float_of_bits[integer] = kept;
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

RecordPlace emit_bits_place(Emit *e, const TirOp *op, EmitElement element, TirValue integer, int origin) {
    FpsanFormat format;
    if (!element.is_float && find_way(e, integer, &format)) element = float_element(e, format);
    return emit_record_place(e, op, element, origin, true);
}

bool emit_bits_planes(Emit *e, Nest *nest, const RecordPlace *place, TirValue integer, const TileMap *map,
                      LLVMValueRef *planes) {
    if (emit_element(e, emit_type_of(e, integer)).is_float || place->planes <= 1) return true;
    NumericValue value;
    LLVMValueRef all[NUMERIC_PLANES_MAX] = {NULL};
    if (!emit_eval_bits(e, nest, integer, map, place->format, &value)) return false;
    e->cx.numeric->to_planes(&e->cx, place->format, &value, all);
    for (unsigned p = 1; p < place->planes; p++) planes[p] = all[p];
    return true;
}

bool emit_open_float_of_bits(Emit *e, TirValue integer, int origin, bool in_memory, const TileMap *layout,
                             RecordPlace *place) {
    const TirOp *op = tir_value(e->function, integer)->definition;
    const EmitElement element = emit_element(e, emit_type_of(e, integer));
    TirType type;
    if (element.is_float || element.is_pointer || !e->cx.numeric->has_records) return true;
    if (!plan_float_of_bits(e, integer, &type)) return true;
    EmitFloatOfBits *loaded = arena_new(e->arena, EmitFloatOfBits);
    loaded->format = emit_element(e, type).format;
    loaded->value = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
    if (in_memory && !emit_tile_alloc(e, type, layout, &loaded->value)) return false;
    *place = emit_record_place(e, op, float_element(e, loaded->format), origin, false);
    e->float_of_bits[integer] = loaded;
    return true;
}

// Lanes that were not loaded have no valid record: those become the floats that their padding is.
void emit_store_float_of_bits(Emit *e, const Nest *nest, TirValue integer, const TileMap *map,
                              const NumericValue *value, LLVMValueRef *planes) {
    EmitFloatOfBits *loaded = e->float_of_bits[integer];
    if (!loaded) return;
    planes[0] = value->parts[0];
    NumericValue real = e->cx.numeric->from_planes(&e->cx, loaded->format, planes);
    if (value->parts[1]) real = e->cx.numeric->mark(&e->cx, &real, value->parts[1]);
    if (loaded->value.kind == EMIT_SCALAR)
        loaded->value.value = real;
    else
        emit_store_tile(e, nest, float_element(e, loaded->format), map, &loaded->value, &real);
}

NumericValue emit_value_of_bits(Emit *e, EmitElement element, const RecordPlace *place, const LLVMValueRef *planes) {
    if (element.is_float || place->planes <= 1) return emit_value_of_planes(e, element, planes);
    NumericValue integer = emit_unmarked(e, element, planes[0]);
    NumericValue real = e->cx.numeric->from_planes(&e->cx, place->format, planes);
    if (element.parts > 1 && e->cx.poison) integer.parts[1] = e->cx.numeric->marks(&e->cx, &real);
    return integer;
}
