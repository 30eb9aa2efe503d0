// SPDX-License-Identifier: Apache-2.0
// Arithmetic and functions of the numerics `wide` and `wider`: IEEE arithmetic, and beside it the same on doubles or on
// pairs of doubles, without any rounding to the float's format. What numbers decide (min, max, the sign of abs, floor,
// the quotient of rem) is as the floats decide it.
#include "compiler/numeric/wide.h"
#include "compiler/target/wide_runtime.h"

#include <string.h>

// What a rule is given.
typedef struct WideCall {
    const NumericContext *cx;
    const FloatOp *op;
    const NumericValue *operands;
    unsigned count;
    Pair x[FPSAN_FUNCTION_OPERANDS_MAX]; // what is beside the operands
    LLVMValueRef result;                 // in IEEE arithmetic
} WideCall;
typedef Pair WideRule(const WideCall *call);

static bool has_low(const WideCall *c) {
    return c->x[0].low;
}

static FpsanFormat format_of(const WideCall *c) {
    return c->op->result;
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

static Pair negative(const NumericContext *cx, Pair a) {
    return a.low ? pair_negative(cx, a) : (Pair){LLVMBuildFNeg(cx->builder, a.high, ""), NULL};
}

static Pair sum(const NumericContext *cx, Pair a, Pair b) {
    return a.low ? pair_add(cx, a, b) : (Pair){LLVMBuildFAdd(cx->builder, a.high, b.high, ""), NULL};
}

Pair wide_fma(const NumericContext *cx, Pair a, Pair b, Pair c) {
    return a.low ? pair_fma(cx, a, b, c) : (Pair){ieee_dot_step(cx, NULL, c.high, a.high, b.high), NULL};
}

static Pair quotient(const NumericContext *cx, Pair a, Pair b) {
    return a.low ? pair_divide(cx, a, b) : (Pair){LLVMBuildFDiv(cx->builder, a.high, b.high, ""), NULL};
}

static Pair root(const NumericContext *cx, Pair a) {
    return a.low ? pair_root(cx, a) : (Pair){vector_intrinsic(cx, "llvm.sqrt", &a.high, 1), NULL};
}

static Pair rule_add(const WideCall *c) {
    return sum(c->cx, c->x[0], c->x[1]);
}

static Pair rule_sub(const WideCall *c) {
    return sum(c->cx, c->x[0], negative(c->cx, c->x[1]));
}

static Pair rule_mul(const WideCall *c) {
    if (has_low(c)) return pair_multiply(c->cx, c->x[0], c->x[1]);
    return (Pair){LLVMBuildFMul(c->cx->builder, c->x[0].high, c->x[1].high, ""), NULL};
}

static Pair rule_neg(const WideCall *c) {
    return negative(c->cx, c->x[0]);
}

static Pair rule_fma(const WideCall *c) {
    return wide_fma(c->cx, c->x[0], c->x[1], c->x[2]);
}

static Pair rule_div(const WideCall *c) {
    return quotient(c->cx, c->x[0], c->x[1]);
}

static Pair rule_sqrt(const WideCall *c) {
    return root(c->cx, c->x[0]);
}

static Pair rule_rsqrt(const WideCall *c) {
    LLVMValueRef like = c->x[0].high, one = vector_real_like(like, vector_element(LLVMTypeOf(like)), 1.0);
    return quotient(c->cx, (Pair){one, has_low(c) ? LLVMConstNull(LLVMTypeOf(one)) : NULL}, root(c->cx, c->x[0]));
}

// ---- what floats decide ---------------------------------------------------------------------------------------------

static LLVMValueRef has_bits(const WideCall *c, LLVMValueRef bits, LLVMValueRef number) {
    return LLVMBuildICmp(c->cx->builder, LLVMIntEQ, bits, ieee_bits(c->cx, format_of(c), number), "");
}

// What is beside the operand with the result's bits, which may be flushed; where both have them, beside the first. NaN
// where the result is one.
static Pair rule_extreme(const WideCall *c) {
    LLVMValueRef bits = ieee_bits(c->cx, format_of(c), c->result), first = c->operands[0].parts[WIDE_IEEE],
                 is_first = has_bits(c, bits, first);
    if (c->op->flush_to_zero && format_of(c) == FPSAN_F32)
        is_first = LLVMBuildOr(c->cx->builder, is_first, has_bits(c, bits, ieee_flush(c->cx, first)), "");
    Pair chosen = wide_select(c->cx, is_first, c->x[0], c->x[1]), own = wide_exact(c->cx, format_of(c), c->result);
    return wide_select(c->cx, ieee_is_nan(c->cx, format_of(c), c->result), own, chosen);
}

// Negated where the float was.
static Pair rule_abs(const WideCall *c) {
    LLVMValueRef before = ieee_bits(c->cx, format_of(c), c->operands[0].parts[WIDE_IEEE]),
                 after = ieee_bits(c->cx, format_of(c), c->result),
                 kept = LLVMBuildICmp(c->cx->builder, LLVMIntEQ, before, after, "");
    return wide_select(c->cx, kept, c->x[0], negative(c->cx, c->x[0]));
}

// The integer itself.
static Pair rule_floor(const WideCall *c) {
    return wide_exact(c->cx, format_of(c), c->result);
}

// How far what is beside operand `index` is from the float.
static Pair beside_operand(const WideCall *c, unsigned index) {
    return sum(c->cx, c->x[index],
               negative(c->cx, wide_exact(c->cx, format_of(c), c->operands[index].parts[WIDE_IEEE])));
}

// a - q b with the quotient q = (x - r) / y of the floats, an integer that may have more digits than a double: so it is
// r + (a - x) - q (b - y), of which only the last term, 0 where b is the float itself, knows q.
static Pair rule_remainder(const WideCall *c) {
    LLVMBuilderRef b = c->cx->builder;
    LLVMValueRef x = ieee_to_double(c->cx, format_of(c), c->operands[0].parts[WIDE_IEEE]),
                 y = ieee_to_double(c->cx, format_of(c), c->operands[1].parts[WIDE_IEEE]);
    Pair r = wide_exact(c->cx, format_of(c), c->result), off = beside_operand(c, 1);
    LLVMValueRef q = LLVMBuildFDiv(b, LLVMBuildFSub(b, x, r.high, ""), y, "");
    q = LLVMBuildFNeg(b, vector_intrinsic(c->cx, "llvm.rint", &q, 1), "");
    Pair shifted = sum(c->cx, r, beside_operand(c, 0)),
         moved = wide_fma(c->cx, (Pair){q, has_low(c) ? LLVMConstNull(LLVMTypeOf(q)) : NULL}, off, shifted);
    LLVMValueRef is_exact = LLVMBuildFCmp(b, LLVMRealOEQ, c->x[1].high, y, "");
    if (has_low(c))
        is_exact =
            LLVMBuildAnd(b, is_exact, LLVMBuildFCmp(b, LLVMRealOEQ, c->x[1].low, LLVMConstNull(LLVMTypeOf(y)), ""), "");
    return wide_select(c->cx, is_exact, shifted, moved);
}

// ---- functions ------------------------------------------------------------------------------------------------------

// Integers are doubles exactly.
static Pair operand_of(const WideCall *c, unsigned index) {
    LLVMValueRef integer = c->operands[index].parts[0];
    const bool is_exponent = c->op->rule == FPSAN_RULE_POWI && index == 1;
    if (!is_exponent && !(c->op->function && c->op->function->parameters[index] == 'i')) return c->x[index];
    LLVMTypeRef type = vector_type_like(LLVMDoubleTypeInContext(c->cx->context), integer);
    LLVMValueRef real = LLVMBuildSIToFP(c->cx->builder, integer, type, "");
    return (Pair){real, has_low(c) ? LLVMConstNull(type) : NULL};
}

// An array of doubles in the entry block of the function being made: one of each size serves all calls.
static LLVMValueRef call_memory(const NumericContext *cx, unsigned count) {
    LLVMTypeRef type = LLVMArrayType2(LLVMDoubleTypeInContext(cx->context), count);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInsertBlock(cx->builder)));
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    size_t length;
    for (LLVMValueRef i = first; i && LLVMIsAAllocaInst(i); i = LLVMGetNextInstruction(i))
        if (LLVMGetAllocatedType(i) == type && !strcmp(LLVMGetValueName2(i, &length), WIDE_FUNCTION_NAME)) return i;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(cx->context);
    LLVMPositionBuilder(builder, entry, first);
    LLVMValueRef memory = LLVMBuildAlloca(builder, type, WIDE_FUNCTION_NAME);
    LLVMSetAlignment(memory, 64);
    LLVMDisposeBuilder(builder);
    return memory;
}

// congruent_wide_function of all lanes, through memory: the highs of all lanes, then the lows.
static Pair call_function(const WideCall *c, uint32_t number) {
    const NumericContext *cx = c->cx;
    LLVMBuilderRef b = cx->builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), i32 = LLVMInt32TypeInContext(cx->context),
                i64 = LLVMInt64TypeInContext(cx->context), type = LLVMTypeOf(c->x[0].high);
    const unsigned lanes = vector_lanes(c->x[0].high), width = lanes ? lanes : 1;
    LLVMTypeRef parameters[] = {i32, i32, pointer, pointer};
    LLVMTypeRef function_type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), parameters, 4, false);
    LLVMValueRef function = LLVMGetNamedFunction(cx->module, WIDE_FUNCTION_NAME);
    if (!function) function = LLVMAddFunction(cx->module, WIDE_FUNCTION_NAME, function_type);
    LLVMValueRef memory = call_memory(cx, 6 * width);
#define AT(part)                                                                                                       \
    LLVMBuildGEP2(b, LLVMDoubleTypeInContext(cx->context), memory,                                                     \
                  (LLVMValueRef[]){LLVMConstInt(i64, (uint64_t)(part)*width, false)}, 1, "")
    for (unsigned i = 0; i < c->count; i++) {
        const Pair x = operand_of(c, i);
        LLVMSetAlignment(LLVMBuildStore(b, x.high, AT(2 * i)), 8);
        LLVMSetAlignment(LLVMBuildStore(b, x.low, AT(2 * i + 1)), 8);
    }
    LLVMValueRef arguments[] = {LLVMConstInt(i32, number, false), LLVMConstInt(i32, width, false), memory, AT(4)};
    LLVMBuildCall2(b, function_type, function, arguments, 4, "");
    Pair result = {LLVMBuildLoad2(b, type, AT(4), ""), LLVMBuildLoad2(b, type, AT(5), "")};
#undef AT
    LLVMSetAlignment(result.high, 8);
    LLVMSetAlignment(result.low, 8);
    return result;
}

static Pair rule_function(const WideCall *c) {
    LLVMValueRef x[2];
    if (has_low(c)) return call_function(c, c->op->rule);
    for (unsigned i = 0; i < c->count; i++) x[i] = operand_of(c, i).high;
    return (Pair){wide_function(c->cx, c->op->rule, x), NULL};
}

// ---- functions by name ----------------------------------------------------------------------------------------------

static Pair square_sum(const WideCall *c) {
    Pair all = {NULL, NULL};
    for (unsigned i = 0; i < c->count; i++) {
        const Pair x = c->x[i];
        Pair square =
            has_low(c) ? pair_multiply(c->cx, x, x) : (Pair){LLVMBuildFMul(c->cx->builder, x.high, x.high, ""), NULL};
        all = all.high ? sum(c->cx, all, square) : square;
    }
    return all;
}

static Pair reciprocal(const WideCall *c, Pair x) {
    LLVMValueRef one = vector_real_like(x.high, vector_element(LLVMTypeOf(x.high)), 1.0);
    return quotient(c->cx, (Pair){one, has_low(c) ? LLVMConstNull(LLVMTypeOf(one)) : NULL}, x);
}

// What floats decide, and roots of more squares than hypot has. False: another function.
static bool known_function(const WideCall *c, Pair *result) {
    LLVMBuilderRef b = c->cx->builder;
    switch (c->op->function->law) {
    case FPSAN_LAW_TRUNC:
    case FPSAN_LAW_NEAREST: *result = rule_floor(c); return true;
    case FPSAN_LAW_REMAINDER: *result = rule_remainder(c); return true;
    case FPSAN_LAW_COPYSIGN: *result = rule_abs(c); return true;
    case FPSAN_LAW_FDIM: {
        LLVMValueRef zero = vector_real_like(c->x[0].high, vector_element(LLVMTypeOf(c->x[0].high)), 0.0);
        LLVMValueRef bits = ieee_bits(c->cx, format_of(c), c->result);
        LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
        *result = wide_select(c->cx, is_zero, (Pair){zero, has_low(c) ? zero : NULL}, rule_sub(c));
        return true;
    }
    case FPSAN_LAW_NORM:
        if (c->count > 2) *result = root(c->cx, square_sum(c));
        return c->count > 2;
    case FPSAN_LAW_RNORM:
        if (c->count > 2) *result = reciprocal(c, root(c->cx, square_sum(c)));
        return c->count > 2;
    default: return false;
    }
}

static bool apply_function(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                           NumericValue *result) {
    WideCall call = {.cx = cx, .op = op, .operands = operands, .count = count};
    NumericValue real;
    Pair number;
    if (!numeric_ieee.apply(cx, op, operands, count, &real)) return false;
    for (unsigned i = 0; i < count; i++)
        if (op->function->parameters[i] == 'x') call.x[i] = wide_number(&operands[i]);
    call.result = real.parts[0];
    if (!known_function(&call, &number)) {
        LLVMValueRef x[FPSAN_FUNCTION_OPERANDS_MAX];
        if (has_low(&call)) {
            const uint32_t function = WIDE_FUNCTIONS_BY_NAME + fpsan_function_number(op->function);
            if (!congruent_wide_knows(function))
                return numeric_refuse(cx, "%s has no function %s", cx->numeric->name, op->function->name);
            number = call_function(&call, function);
        } else {
            for (unsigned i = 0; i < count; i++)
                x[i] = op->function->parameters[i] == 'x' ? call.x[i].high : operands[i].parts[0];
            if (!ieee_function_of_doubles(cx, op, x, count, &number.high)) return false;
            number.low = NULL;
        }
    }
    *result = wide_value(call.result, number);
    return true;
}

// ---- all rules ------------------------------------------------------------------------------------------------------

static WideRule *const rules[FPSAN_RULE_COUNT] = {
    [FPSAN_RULE_ADD] = rule_add,        [FPSAN_RULE_SUB] = rule_sub,       [FPSAN_RULE_MUL] = rule_mul,
    [FPSAN_RULE_NEG] = rule_neg,        [FPSAN_RULE_FMA] = rule_fma,       [FPSAN_RULE_DIV] = rule_div,
    [FPSAN_RULE_REM] = rule_remainder,  [FPSAN_RULE_MIN] = rule_extreme,   [FPSAN_RULE_MAX] = rule_extreme,
    [FPSAN_RULE_ABS] = rule_abs,        [FPSAN_RULE_EXP] = rule_function,  [FPSAN_RULE_EXP2] = rule_function,
    [FPSAN_RULE_SIN] = rule_function,   [FPSAN_RULE_COS] = rule_function,  [FPSAN_RULE_LOG] = rule_function,
    [FPSAN_RULE_LOG2] = rule_function,  [FPSAN_RULE_SQRT] = rule_sqrt,     [FPSAN_RULE_SQRT_RN] = rule_sqrt,
    [FPSAN_RULE_RSQRT] = rule_rsqrt,    [FPSAN_RULE_ERF] = rule_function,  [FPSAN_RULE_FLOOR] = rule_floor,
    [FPSAN_RULE_CEIL] = rule_floor,     [FPSAN_RULE_TAN] = rule_function,  [FPSAN_RULE_SINH] = rule_function,
    [FPSAN_RULE_COSH] = rule_function,  [FPSAN_RULE_TANH] = rule_function, [FPSAN_RULE_POW] = rule_function,
    [FPSAN_RULE_ATAN2] = rule_function, [FPSAN_RULE_POWI] = rule_function,
};

bool wide_apply(const NumericContext *cx, const FloatOp *op, const NumericValue *operands, unsigned count,
                NumericValue *result) {
    WideCall call = {.cx = cx, .op = op, .operands = operands, .count = count};
    NumericValue real;
    if (op->function) return apply_function(cx, op, operands, count, result);
    if (!rules[op->rule] || count > BASE_COUNT(call.x))
        return numeric_refuse(cx, "%s has no %s of %u operands", cx->numeric->name, fpsan_rule_info(op->rule)->name,
                              count);
    if (!numeric_ieee.apply(cx, op, operands, count, &real)) return false;
    for (unsigned i = 0; i < count; i++) call.x[i] = wide_number(&operands[i]);
    call.result = real.parts[0];
    *result = wide_value(call.result, rules[op->rule](&call));
    return true;
}
