// SPDX-License-Identifier: Apache-2.0
// The evaluation of values in nests. There is one description of how a value is evaluated now (Evaluation), and two
// walks over it: nest_need, before the loops, and nest_eval, in their body.
#include "compiler/lower/census.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

#include <assert.h>

// ---- entries: a value at a map -------------------------------------------------------------------------------------

static NestEntry *find_entry(Nest *nest, TirValue value, const TileMap *map, bool uniform) {
    for (size_t i = 0; i < nest->entry_count; i++)
        if (nest->entries[i].value == value && nest->entries[i].uniform == uniform &&
            map_equal(&nest->entries[i].map, map))
            return &nest->entries[i];
    return NULL;
}

NestEntry *nest_evaluated(Nest *nest, TirValue value, const TileMap *map) {
    NestEntry *entry = find_entry(nest, value, map, !nest->vector_bits);
    return entry && entry->done ? entry : NULL;
}

static NestEntry *add_entry(Emit *e, Nest *nest, TirValue value, const TileMap *map, bool uniform) {
    nest->entries =
        arena_grow(e->arena, nest->entries, nest->entry_count, &nest->entry_capacity, sizeof *nest->entries);
    nest->entries[nest->entry_count] = (NestEntry){.value = value, .map = *map, .uniform = uniform};
    return &nest->entries[nest->entry_count++];
}

// Where the nest finds the value.
static const EmitVal *nest_val(Emit *e, const Nest *nest, TirValue value) {
    for (size_t i = 0; i < nest->entry_count; i++)
        if (nest->entries[i].value == value && nest->entries[i].memory) return nest->entries[i].memory;
    return emit_val(e, value);
}

// ---- tiles and indices ---------------------------------------------------------------------------------------------

static NumericValue splat_parts(Emit *e, const NumericValue *scalar, unsigned parts, unsigned lanes) {
    NumericValue value = {0};
    for (unsigned p = 0; p < parts; p++) value.parts[p] = vector_splat(e->cx.builder, scalar->parts[p], lanes);
    return value;
}

// Of a step; 0: scalars.
static unsigned step_lanes(const Nest *nest) {
    return nest->vector_bits ? 1u << nest->vector_bits : 0;
}

static NumericValue load_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map) {
    TileMap at = map_compose(map, &tile->layout);
    NumericValue lanes = {0};
    for (unsigned p = 0; p < element.parts; p++) {
        LLVMTypeRef memory = emit_memory_type(e, element, p), type = emit_register_type(e, element, p);
        LLVMValueRef part = nest_load(e, nest, memory, tile->value.parts[p], &at);
        lanes.parts[p] = memory == type ? part : LLVMBuildTrunc(e->cx.builder, part, vector_type_like(type, part), "");
    }
    return lanes;
}

void nest_eval_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map,
                    NumericValue *lanes) {
    *lanes = tile->kind == EMIT_SCALAR ? splat_parts(e, &tile->value, element.parts, step_lanes(nest))
                                       : load_tile(e, nest, tile, element, map);
}

static LLVMValueRef iota_lanes(Emit *e, const Nest *nest, EmitElement element, const TileMap *map) {
    LLVMTypeRef type = code_integer_type(&e->cx, element.bits);
    LLVMValueRef start = LLVMBuildIntCast2(e->cx.builder, nest_index(e, nest, map), type, false, "");
    if (nest->vector_bits == 0) return start;
    LLVMValueRef offsets[1 << NEST_VECTOR_BITS_MAX];
    unsigned lanes = 1u << nest->vector_bits;
    for (unsigned lane = 0; lane < lanes; lane++)
        offsets[lane] = LLVMConstInt(type, nest_lane_offset(nest, map, lane), false);
    return LLVMBuildAdd(e->cx.builder, vector_splat(e->cx.builder, start, lanes), LLVMConstVector(offsets, lanes), "");
}

// ---- the ways to evaluate a value ----------------------------------------------------------------------------------

// How a nest evaluates a value at a map of its iteration bits.
typedef struct Evaluation {
    const struct EvaluationWay *way;
    const EmitVal *val; // where the nest finds the value
    const TileMap *map;
    EmitElement element;
    const TirOp *op;    // of a lazy value
    FpsanFormat format; // of a float that is made again of its bits
    // What a lazy value is computed from, and the map at which.
    uint32_t operand_count;
    TirValue operands[TIR_OPERANDS_MAX];
    TileMap operand_map;
} Evaluation;

// A way serves both walks. `need`, before the loops: what memory the body touches, and how wide its elements are; the
// needs of the operands are declared for it. `eval`: the lanes of a step. Both record a diagnostic where they fail.
typedef struct EvaluationWay {
    bool (*need)(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits);
    bool (*eval)(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes);
} EvaluationWay;

static bool need_nothing(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits) {
    (void)e, (void)nest, (void)evaluation, (void)element_bits;
    return true;
}

static bool need_lanes(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits) {
    (void)e, (void)evaluation;
    if (element_bits > nest->widest) nest->widest = element_bits;
    return true;
}

static bool eval_splat(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    *lanes = splat_parts(e, &evaluation->val->value, evaluation->element.parts, step_lanes(nest));
    return true;
}

static bool eval_registers(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    (void)e, (void)nest;
    *lanes = evaluation->val->value;
    return true;
}

static bool need_memory(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits) {
    const EmitVal *tile = evaluation->val;
    TileMap at = map_compose(evaluation->map, &tile->layout);
    (void)e;
    nest_need_memory(nest, element_bits, &at);
    if (!LLVMIsAGlobalVariable(tile->value.parts[0])) nest_touch(nest, EMIT_TILES, 0); // those are constants
    return true;
}

static bool eval_memory(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    *lanes = load_tile(e, nest, evaluation->val, evaluation->element, evaluation->map);
    return true;
}

static bool need_load(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits) {
    if (!emit_view_need(e, nest, evaluation->val->load, evaluation->map)) return false;
    nest_touch(nest, EMIT_BUFFERS, 0);
    return need_lanes(e, nest, evaluation, element_bits);
}

static bool eval_load(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    const EmitPlace outer = emit_enter(e, evaluation->op);
    bool good = emit_eval_load(e, nest, evaluation->val->load, evaluation->map, lanes);
    emit_leave(e, outer);
    return good;
}

static bool need_index(Emit *e, Nest *nest, const Evaluation *evaluation, unsigned element_bits) {
    (void)e;
    nest_need_memory(nest, element_bits, evaluation->map);
    return true;
}

static bool eval_index(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    *lanes = emit_unmarked(e, evaluation->element, iota_lanes(e, nest, evaluation->element, evaluation->map));
    return true;
}

static bool eval_operand(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    return nest_eval(e, nest, evaluation->operands[0], &evaluation->operand_map, lanes);
}

// What a loop carries as another tile moved by a number.
static bool eval_moved(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    if (!eval_operand(e, nest, evaluation, lanes)) return false;
    LLVMValueRef by = vector_splat(e->cx.builder, evaluation->val->moved->by, vector_lanes(lanes->parts[0]));
    lanes->parts[0] = LLVMBuildAdd(e->cx.builder, lanes->parts[0], by, "");
    return true;
}

static bool eval_bits(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    return emit_eval_bits(e, nest, evaluation->operands[0], &evaluation->operand_map, evaluation->format, lanes);
}

static bool eval_element(Emit *e, Nest *nest, const Evaluation *evaluation, NumericValue *lanes) {
    NumericValue operands[TIR_OPERANDS_MAX];
    for (uint32_t i = 0; i < evaluation->operand_count; i++)
        if (!nest_eval(e, nest, evaluation->operands[i], &evaluation->operand_map, &operands[i])) return false;
    // Errors inside name the op that is evaluated, not the one that needs it.
    const EmitPlace outer = emit_enter(e, evaluation->op);
    const CensusMask before = census_set_mask(e, census_mask(e, nest, tir_result(evaluation->op, 0), evaluation->map));
    bool good = emit_call_element(e, evaluation->op, operands, lanes);
    census_set_mask(e, before);
    emit_leave(e, outer);
    return good;
}

static const EvaluationWay splat_way = {need_nothing, eval_splat};
static const EvaluationWay registers_way = {need_nothing, eval_registers};
static const EvaluationWay memory_way = {need_memory, eval_memory};
static const EvaluationWay load_way = {need_load, eval_load};
static const EvaluationWay index_way = {need_index, eval_index};
static const EvaluationWay operand_way = {need_nothing, eval_operand}; // the value is its operand, elsewhere
static const EvaluationWay moved_way = {need_lanes, eval_moved};
static const EvaluationWay bits_way = {need_lanes, eval_bits};
static const EvaluationWay element_way = {need_lanes, eval_element};

static void take_operands(Evaluation *evaluation, const TirValue *operands, uint32_t count) {
    assert(count <= TIR_OPERANDS_MAX);
    evaluation->operand_count = count;
    for (uint32_t i = 0; i < count; i++) evaluation->operands[i] = operands[i];
}

static void describe_lazy(const Emit *e, Evaluation *evaluation) {
    const TirOp *op = evaluation->op;
    evaluation->operand_map = *evaluation->map;
    if (evaluation->val->moved) {
        evaluation->way = &moved_way;
        take_operands(evaluation, &evaluation->val->moved->from, 1);
        return;
    }
    const EmitRow *row = emit_row(op->kind);
    const TirValue restored = emit_restored(e, op);
    if (evaluation->val->load) {
        evaluation->way = &load_way;
    } else if (row->class == EMIT_CLASS_INDEX) {
        evaluation->way = &index_way;
    } else if (restored != TIR_NO_VALUE) {
        evaluation->way = &operand_way;
        take_operands(evaluation, &restored, 1);
    } else {
        evaluation->way = row->class == EMIT_CLASS_MAP                        ? &operand_way
                          : emit_is_float_of_bits(e, op, &evaluation->format) ? &bits_way
                                                                              : &element_way;
        if (row->class == EMIT_CLASS_MAP) evaluation->operand_map = emit_operand_map(e, op, evaluation->map);
        take_operands(evaluation, op->operands, op->operand_count);
    }
}

static Evaluation describe(const Emit *e, const EmitVal *val, TirValue value, const TileMap *map) {
    static const EvaluationWay *const ways[EMIT_VIEW + 1] = {
        [EMIT_SCALAR] = &splat_way, [EMIT_MEMORY] = &memory_way, [EMIT_REGISTERS] = &registers_way};
    Evaluation evaluation = {.val = val,
                             .map = map,
                             .element = emit_element(e, emit_type_of(e, value)),
                             .op = tir_value(e->function, value)->definition};
    if (val->kind == EMIT_LAZY)
        describe_lazy(e, &evaluation);
    else
        evaluation.way = ways[val->kind];
    assert(evaluation.way); // tokens and views are evaluated nowhere
    return evaluation;
}

// ---- before the loops ----------------------------------------------------------------------------------------------

static unsigned register_bits(const Emit *e, TirValue value) {
    EmitElement element = emit_element(e, emit_type_of(e, value));
    unsigned widest = 8;
    for (unsigned p = 0; p < element.parts; p++) {
        unsigned bits = code_type_bits(emit_register_type(e, element, p));
        if (bits > widest) widest = bits;
    }
    return widest;
}

// Whether the nest's lanes and threads have just what the value's have.
static bool is_at_hand(const Nest *nest, const EmitVal *val, const TileMap *map) {
    return nest->vector_fixed && nest->vector_bits == val->register_bits && nest->bits == val->layout.bits &&
           map_equal(map, &val->layout);
}

// Registers in memory that only this nest knows of, as it is given back soon.
static const EmitVal *copy_to_memory(Emit *e, TirValue value) {
    EmitVal *memory = arena_new(e->arena, EmitVal);
    bool good = emit_tile_alloc(e, emit_type_of(e, value), NULL, memory) && emit_materialise_to(e, value, memory);
    return good ? memory : NULL;
}

// Where the nest will find the value: what it cannot evaluate at the map becomes memory. NULL on failure.
static const EmitVal *place_value(Emit *e, const Nest *nest, TirValue value, const TileMap *map) {
    const EmitVal *val = nest_val(e, nest, value);
    if (val->kind == EMIT_REGISTERS && !is_at_hand(nest, val, map))
        return e->temporary ? copy_to_memory(e, value) : emit_materialise(e, value);
    return val->load && !emit_load_fits(e, nest, val->load, map) ? emit_materialise(e, value) : val;
}

bool nest_need(Emit *e, Nest *nest, TirValue value, const TileMap *map) {
    if (nest_val(e, nest, value)->kind == EMIT_SCALAR || find_entry(nest, value, map, false)) return true;
    const EmitVal *val = place_value(e, nest, value, map);
    if (!val) return false;
    NestEntry *entry = add_entry(e, nest, value, map, false);
    if (val != emit_val(e, value)) entry->memory = val;
    census_need(e, nest, value, map);
    const Evaluation evaluation = describe(e, val, value, map);
    if (!evaluation.way->need(e, nest, &evaluation, register_bits(e, value))) return false;
    for (uint32_t i = 0; i < evaluation.operand_count; i++)
        if (!nest_need(e, nest, evaluation.operands[i], &evaluation.operand_map)) return false;
    return true;
}

// ---- in the body ---------------------------------------------------------------------------------------------------

// The same for all lanes: evaluated once, as a scalar.
static bool eval_uniform(Emit *e, Nest *nest, const Evaluation *evaluation, TirValue value, NumericValue *lanes) {
    const unsigned vector_bits = nest->vector_bits;
    NumericValue one;
    nest->vector_bits = 0;
    bool good = nest_eval(e, nest, value, evaluation->map, &one);
    nest->vector_bits = vector_bits;
    if (good) *lanes = splat_parts(e, &one, evaluation->element.parts, step_lanes(nest));
    return good;
}

bool nest_eval(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes) {
    const EmitVal *val = nest_val(e, nest, value);
    const Evaluation evaluation = describe(e, val, value, map);
    const unsigned count = step_lanes(nest);
    assert(val->kind != EMIT_REGISTERS || is_at_hand(nest, val, map));
    if (val->kind == EMIT_REGISTERS || val->kind == EMIT_SCALAR)
        return evaluation.way->eval(e, nest, &evaluation, lanes);
    NestEntry *entry = find_entry(nest, value, map, count == 0);
    if (!entry) entry = add_entry(e, nest, value, map, count == 0);
    const size_t index = (size_t)(entry - nest->entries); // the array may move below
    if (!entry->done) {
        NumericValue result = {0};
        bool good = count && nest_is_uniform(nest, map) ? eval_uniform(e, nest, &evaluation, value, &result)
                                                        : evaluation.way->eval(e, nest, &evaluation, &result);
        if (!good) return false;
        nest->entries[index].lanes = result;
        nest->entries[index].done = true;
    }
    *lanes = nest->entries[index].lanes;
    return true;
}
