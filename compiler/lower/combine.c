// SPDX-License-Identifier: Apache-2.0
// The body of a reduce or scan. One of element-wise ops works on all lanes at once; any other is run for one lane after
// the other, where every op of a body will do.
#include "compiler/lower/emit.h"

#include <string.h>

// ---- does it commute? -----------------------------------------------------------------------------------------------

// What an op computes, by the numbers of its operands: equal numbers are equal values.
typedef struct Term {
    const TirOp *op;
    uint64_t operands[TIR_OPERANDS_MAX];
} Term;

// The values of a body, numbered twice: [0] of its arguments as they are, [1] of these with each pair exchanged.
enum { COMMUTES_OPS_MAX = 64 }; // of longer bodies nobody asks
typedef struct Numbering {
    const Emit *e;
    const TirBlock *block;
    const TirOp *ops[COMMUTES_OPS_MAX];
    uint64_t numbers[2][COMMUTES_OPS_MAX];
    Term terms[2 * COMMUTES_OPS_MAX];
    unsigned op_count, term_count;
} Numbering;

// Whether its first two operands may change places.
static bool is_commutative(TirOpKind kind) {
    static const TirOpKind kinds[] = {TIR_OP_addf, TIR_OP_addi, TIR_OP_andi, TIR_OP_fma,  TIR_OP_maxf,
                                      TIR_OP_maxi, TIR_OP_minf, TIR_OP_mini, TIR_OP_mulf, TIR_OP_mulhii,
                                      TIR_OP_muli, TIR_OP_ori,  TIR_OP_xori};
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (kinds[i] == kind) return true;
    return false;
}

// Whether two ops are the same but for their operands. Attributes that no op on numbers has are never the same.
static bool is_same_op(const Emit *e, const TirOp *a, const TirOp *b) {
    const TirOpInfo *info = tir_op_info(a->kind);
    if (a == b) return true;
    if (a->kind != b->kind || a->operand_count != b->operand_count ||
        emit_type_of(e, tir_result(a, 0)) != emit_type_of(e, tir_result(b, 0)))
        return false;
    for (unsigned i = 0; i < info->attribute_count; i++) {
        const TirAttribute *x = &a->attributes[i], *y = &b->attributes[i];
        TirAttributeKind kind = info->attributes[i].kind;
        if (x->present != y->present || x->integer != y->integer) return false;
        if (kind == TIR_ATTR_CONSTANT) {
            if (x->constant.size != y->constant.size || memcmp(x->constant.bytes, y->constant.bytes, x->constant.size))
                return false;
        } else if (kind > TIR_ATTR_I64) {
            return false;
        }
    }
    return true;
}

static uint64_t number_value(const Numbering *n, TirValue value, unsigned exchanged) {
    const TirValueInfo *info = tir_value(n->e->function, value);
    if (!info->definition && info->block == n->block) return info->index ^ exchanged;
    for (unsigned i = 0; i < n->op_count; i++)
        if (n->ops[i] == info->definition) return n->numbers[exchanged][i];
    return UINT64_C(1) << 32 | value; // from outside
}

static uint64_t number_term(Numbering *n, const TirOp *op, unsigned exchanged) {
    Term term = {.op = op};
    unsigned i = 0;
    for (uint32_t k = 0; k < op->operand_count; k++) term.operands[k] = number_value(n, op->operands[k], exchanged);
    if (is_commutative(op->kind) && term.operands[0] > term.operands[1]) {
        uint64_t first = term.operands[0];
        term.operands[0] = term.operands[1];
        term.operands[1] = first;
    }
    while (i < n->term_count && !(is_same_op(n->e, n->terms[i].op, op) &&
                                  !memcmp(n->terms[i].operands, term.operands, sizeof term.operands)))
        i++;
    if (i == n->term_count) n->terms[n->term_count++] = term;
    return n->block->argument_count + i;
}

bool emit_commutes(const Emit *e, const TirRegion *region) {
    Numbering n = {.e = e, .block = region->first};
    const TirOp *op = n.block->first;
    for (; op->kind != TIR_OP_yield; op = op->next) {
        if (n.op_count == COMMUTES_OPS_MAX || op->region_count || op->result_count != 1 ||
            op->operand_count > TIR_OPERANDS_MAX)
            return false;
        for (unsigned exchanged = 0; exchanged < 2; exchanged++)
            n.numbers[exchanged][n.op_count] = number_term(&n, op, exchanged);
        n.ops[n.op_count++] = op;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (number_value(&n, op->operands[i], 0) != number_value(&n, op->operands[i], 1)) return false;
    return true;
}

// ---- one lane -------------------------------------------------------------------------------------------------------

static void bind_arguments(Emit *e, const TirBlock *block, const NumericValue *arguments) {
    for (uint32_t i = 0; i < block->argument_count; i++)
        *emit_val(e, block->first_argument + i) = (EmitVal){.kind = EMIT_SCALAR, .value = arguments[i], .origin = -1};
}

static bool run_body(Emit *e, const TirBlock *block, const NumericValue *arguments, NumericValue *results) {
    const TirBlock *outer = e->block;
    const EmitScratch mark = e->scratch_top;
    const TirOp *op = block->first;
    bool good = true;
    bind_arguments(e, block, arguments);
    e->block = block;
    for (; good && op->kind != TIR_OP_yield; op = op->next) good = emit_op(e, op);
    e->block = outer;
    e->scratch_top = mark;
    for (uint32_t i = 0; good && i < op->operand_count; i++) results[i] = emit_val(e, op->operands[i])->value;
    return good;
}

// A vector of lanes as an array in memory; lanes of less than a byte have one there.
static LLVMValueRef spill_lanes(Emit *e, EmitElement element, unsigned part, unsigned lanes, LLVMValueRef value) {
    LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, element, part), lanes);
    LLVMValueRef slot = code_alloca(&e->cx, type, "lanes");
    if (value) {
        if (LLVMTypeOf(value) != type) value = LLVMBuildZExt(e->cx.builder, value, type, "");
        LLVMBuildStore(e->cx.builder, value, slot);
    }
    return slot;
}

static LLVMValueRef narrow_to_register(Emit *e, EmitElement element, unsigned part, LLVMValueRef value) {
    LLVMTypeRef type = vector_type_like(emit_register_type(e, element, part), value);
    return LLVMTypeOf(value) == type ? value : LLVMBuildTrunc(e->cx.builder, value, type, "");
}

static LLVMValueRef lane_pointer(Emit *e, EmitElement element, unsigned part, LLVMValueRef slot, LLVMValueRef lane) {
    return code_pointer_at(&e->cx, emit_memory_type(e, element, part), slot, lane);
}

typedef LLVMValueRef Slots[NUMERIC_PARTS_MAX]; // of the lanes of one value

static bool combine_one_by_one(Emit *e, const TirBlock *block, const NumericValue *arguments, NumericValue *results) {
    LLVMBuilderRef builder = e->cx.builder;
    const TirOp *yield = block->last;
    const unsigned lanes = vector_lanes(arguments[0].parts[0]);
    if (!lanes) return run_body(e, block, arguments, results);
    Slots *from = arena_array(e->arena, Slots, block->argument_count),
          *to = arena_array(e->arena, Slots, yield->operand_count);
    EmitElement *elements = arena_array(e->arena, EmitElement, block->argument_count);
    NumericValue *one = arena_array(e->arena, NumericValue, block->argument_count);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        elements[i] = emit_element(e, emit_type_of(e, block->first_argument + i));
        for (unsigned p = 0; p < elements[i].parts; p++) {
            from[i][p] = spill_lanes(e, elements[i], p, lanes, arguments[i].parts[p]);
        }
    }
    for (uint32_t i = 0; i < yield->operand_count; i++) // result i is as arguments 2i and 2i + 1 are
        for (unsigned p = 0; p < elements[2 * i].parts; p++) to[i][p] = spill_lanes(e, elements[2 * i], p, lanes, NULL);
    CodeLoop loop = code_loop_open(&e->cx, code_i64(&e->cx, lanes));
    for (uint32_t i = 0; i < block->argument_count; i++)
        for (unsigned p = 0; p < elements[i].parts; p++) {
            LLVMTypeRef memory = emit_memory_type(e, elements[i], p);
            LLVMValueRef at = lane_pointer(e, elements[i], p, from[i][p], loop.index);
            one[i].parts[p] =
                narrow_to_register(e, elements[i], p, code_load(&e->cx, memory, at, code_type_bits(memory) / 8));
        }
    if (!run_body(e, block, one, results)) return false;
    for (uint32_t i = 0; i < yield->operand_count; i++)
        for (unsigned p = 0; p < elements[2 * i].parts; p++) {
            LLVMTypeRef memory = emit_memory_type(e, elements[2 * i], p);
            LLVMValueRef part = results[i].parts[p];
            if (LLVMTypeOf(part) != memory) part = LLVMBuildZExt(builder, part, memory, "");
            code_store(&e->cx, part, lane_pointer(e, elements[2 * i], p, to[i][p], loop.index),
                       code_type_bits(memory) / 8);
        }
    code_loop_close(&e->cx, &loop);
    for (uint32_t i = 0; i < yield->operand_count; i++)
        for (unsigned p = 0; p < elements[2 * i].parts; p++) {
            LLVMTypeRef type = LLVMVectorType(emit_memory_type(e, elements[2 * i], p), lanes);
            results[i].parts[p] =
                narrow_to_register(e, elements[2 * i], p, LLVMBuildLoad2(builder, type, to[i][p], ""));
        }
    return true;
}

// ---- all lanes ------------------------------------------------------------------------------------------------------

// A value that the body uses, in as many lanes as its arguments have: constants and values from outside are scalars.
static NumericValue body_operand(Emit *e, TirValue value, unsigned lanes) {
    NumericValue operand = emit_val(e, value)->value;
    unsigned parts = emit_element(e, emit_type_of(e, value)).parts;
    for (unsigned p = 0; p < parts; p++)
        if (!vector_lanes(operand.parts[p])) operand.parts[p] = vector_splat(e->cx.builder, operand.parts[p], lanes);
    return operand;
}

bool emit_is_lanewise(const Emit *e, const TirRegion *region) {
    for (const TirOp *op = region->first->first; op->kind != TIR_OP_yield; op = op->next) {
        if (op->kind != TIR_OP_constant && emit_row(op->kind)->class != EMIT_CLASS_ELEMENT) return false;
        if (!emit_is_scalar(e, tir_result(op, 0))) return false;
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (!emit_is_scalar(e, op->operands[i])) return false;
    }
    return true;
}

bool emit_combine(Emit *e, const TirRegion *region, const NumericValue *arguments, NumericValue *results) {
    const TirBlock *block = region->first;
    const unsigned lanes = vector_lanes(arguments[0].parts[0]);
    const EmitPlace outer = emit_enter(e, block->first);
    bool good = true;
    if (!emit_is_lanewise(e, region)) {
        e->threads.alone++;
        good = combine_one_by_one(e, block, arguments, results);
        e->threads.alone--;
        emit_leave(e, outer);
        return good;
    }
    bind_arguments(e, block, arguments);
    const TirOp *op = block->first;
    for (; good && op->kind != TIR_OP_yield; op = op->next) {
        NumericValue operands[TIR_OPERANDS_MAX];
        EmitVal *val = emit_val(e, tir_result(op, 0));
        emit_enter(e, op);
        *val = (EmitVal){.kind = EMIT_SCALAR, .origin = -1};
        for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = body_operand(e, op->operands[i], lanes);
        good = op->kind == TIR_OP_constant ? emit_constant_splat(e, op, &val->value)
                                           : emit_call_element(e, op, operands, &val->value);
    }
    emit_leave(e, outer);
    for (uint32_t i = 0; good && i < op->operand_count; i++) results[i] = body_operand(e, op->operands[i], lanes);
    return good;
}
