// SPDX-License-Identifier: Apache-2.0
// Emission of calls: the private functions of the module that hold the rules in full, and the functions of
// libfpsan_tower.
//
// Values pass through memory, whatever the processor's vectors: an array holds component 0 of all lanes, then component
// 1,
// .., then the states; operands lie one after the other, then the operand that is no payload.
#include "sanitizer/tower_emit_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { OPERANDS_MAX = 3, ALIGNMENT = 64 };

// The words of a value in one lane.
static unsigned parts_of(const TowerEmit *e) {
    return e->tower->length + 1;
}

typedef TowerValue RuleBody(const TowerEmit *e, const TowerValue *x, LLVMValueRef extra);
typedef enum Extra { EXTRA_NONE, EXTRA_SIGN, EXTRA_MASK } Extra;
typedef struct RuleRow {
    const char *name;
    unsigned operands;
    Extra extra;
    RuleBody *body;
} RuleRow;

static const RuleRow rule_rows[TOWER_RULE_COUNT] = {
#define ROW(name, operands, extra, ...) {#name, operands, EXTRA_##extra, tower_rule_##name},
    TOWER_RULES(ROW)
#undef ROW
};

// ---- memory ---------------------------------------------------------------------------------------------------------

static LLVMTypeRef call_word(const TowerEmit *e) {
    return LLVMInt32TypeInContext(e->context);
}

static LLVMValueRef part_address(const TowerEmit *e, LLVMValueRef base, unsigned part, unsigned width) {
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(e->context), (uint64_t)part * width, false);
    return LLVMBuildGEP2(e->builder, call_word(e), base, &index, 1, "");
}

// An array in the entry block of the function being made; one of each name serves all calls.
static LLVMValueRef call_array(const TowerEmit *e, const char *name, unsigned words) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    for (LLVMValueRef i = at; i && LLVMGetInstructionOpcode(i) == LLVMAlloca; i = LLVMGetNextInstruction(i)) {
        size_t length;
        const char *found = LLVMGetValueName2(i, &length);
        if (length == strlen(name) && !memcmp(found, name, length)) return i;
    }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilder(builder, entry, at);
    LLVMValueRef array = LLVMBuildAlloca(builder, LLVMArrayType2(call_word(e), words), name);
    LLVMSetAlignment(array, ALIGNMENT);
    LLVMDisposeBuilder(builder);
    return array;
}

static LLVMValueRef operand_array(const TowerEmit *e) {
    return call_array(e, "tower.operands", (OPERANDS_MAX * parts_of(e) + 1) * TOWER_WIDTH_MAX);
}

static LLVMValueRef result_array(const TowerEmit *e) {
    return call_array(e, "tower.result", parts_of(e) * TOWER_WIDTH_MAX);
}

static void store_part(const TowerEmit *e, LLVMValueRef base, unsigned part, unsigned width, LLVMValueRef value) {
    LLVMSetAlignment(LLVMBuildStore(e->builder, value, part_address(e, base, part, width)), sizeof(uint32_t));
}

static LLVMValueRef load_part(const TowerEmit *e, LLVMValueRef base, unsigned part, unsigned width, LLVMTypeRef type) {
    LLVMValueRef value = LLVMBuildLoad2(e->builder, type, part_address(e, base, part, width), "");
    LLVMSetAlignment(value, sizeof(uint32_t));
    return value;
}

static void store_value(const TowerEmit *e, LLVMValueRef base, unsigned index, unsigned width, const TowerValue *a) {
    for (unsigned i = 0; i < e->tower->length; i++)
        store_part(e, base, index * parts_of(e) + i, width, a->component[i]);
    store_part(e, base, index * parts_of(e) + e->tower->length, width, a->state);
}

static TowerValue load_value(const TowerEmit *e, LLVMValueRef base, unsigned index, unsigned width, LLVMTypeRef type) {
    TowerValue a;
    for (unsigned i = 0; i < e->tower->length; i++)
        a.component[i] = load_part(e, base, index * parts_of(e) + i, width, type);
    a.state = load_part(e, base, index * parts_of(e) + e->tower->length, width, type);
    return a;
}

// ---- chunks of lanes ------------------------------------------------------------------------------------------------

// Lanes `first` .. first + width - 1 of a word, the last repeated past the end; width 1 of a scalar is itself.
static LLVMValueRef chunk_word(const TowerEmit *e, LLVMValueRef a, unsigned first, unsigned width) {
    unsigned lanes = word_lanes(a);
    if (lanes == width || (!lanes && width == 1)) return a;
    if (lanes) return tower_lanes(e, a, first, width);
    LLVMValueRef zero = LLVMConstInt(call_word(e), 0, false);
    LLVMValueRef one = LLVMBuildInsertElement(e->builder, LLVMGetPoison(LLVMVectorType(call_word(e), 1)), a, zero, "");
    return tower_lanes(e, one, 0, width);
}

static TowerValue chunk_value(const TowerEmit *e, const TowerValue *a, unsigned first, unsigned width) {
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++) r.component[i] = chunk_word(e, a->component[i], first, width);
    r.state = chunk_word(e, a->state, first, width);
    return r;
}

// `whole` with the chunk's lanes in their place.
static LLVMValueRef place_word(const TowerEmit *e, LLVMValueRef whole, LLVMValueRef chunk, unsigned first) {
    unsigned lanes = word_lanes(whole), width = word_lanes(chunk);
    if (lanes == width || !width) return chunk;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    if (!lanes) return LLVMBuildExtractElement(e->builder, chunk, LLVMConstInt(i64, 0, false), "");
    if (first % width == 0 && first + width <= lanes) {
        LLVMTypeRef types[] = {LLVMTypeOf(whole), LLVMTypeOf(chunk)};
        LLVMValueRef operands[] = {whole, chunk, LLVMConstInt(i64, first, false)};
        return tower_intrinsic(e, "llvm.vector.insert", types, 2, operands, 3);
    }
    for (unsigned i = 0; i < width && first + i < lanes; i++) {
        LLVMValueRef lane = LLVMBuildExtractElement(e->builder, chunk, LLVMConstInt(i64, i, false), "");
        whole = LLVMBuildInsertElement(e->builder, whole, lane, LLVMConstInt(i64, first + i, false), "");
    }
    return whole;
}

static void place_value(const TowerEmit *e, TowerValue *whole, const TowerValue *chunk, unsigned first) {
    for (unsigned i = 0; i < e->tower->length; i++)
        whole->component[i] = place_word(e, whole->component[i], chunk->component[i], first);
    whole->state = place_word(e, whole->state, chunk->state, first);
}

static TowerValue undefined_like(const TowerEmit *e, const TowerValue *a) {
    TowerValue r;
    for (unsigned i = 0; i < e->tower->length; i++) r.component[i] = LLVMGetPoison(LLVMTypeOf(a->component[i]));
    r.state = LLVMGetPoison(LLVMTypeOf(a->state));
    return r;
}

// ---- the private functions ------------------------------------------------------------------------------------------

// Same processor and features as the function the code is for.
static void copy_attributes(const TowerEmit *e, LLVMValueRef function) {
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width",
                                        "min-legal-vector-width"};
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMAttributeRef found =
            LLVMGetStringAttributeAtIndex(caller, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
        if (found) LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, found);
    }
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
}

// The private function of that name, with the body still to be built; without one, if *is_ready.
static LLVMValueRef add_private(const TowerEmit *e, const char *name, LLVMTypeRef type, bool *is_ready) {
    LLVMValueRef function = LLVMAddFunction(e->module, name, type);
    copy_attributes(e, function);
    *is_ready = e->is_ready && e->is_ready(e->data, name);
    if (!*is_ready) LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

static LLVMTypeRef call_type(const TowerEmit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
}

static void build_rule(const TowerEmit *e, LLVMValueRef function, const RuleRow *row, unsigned width) {
    TowerEmit inner = *e;
    inner.builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderAtEnd(inner.builder, LLVMAppendBasicBlockInContext(e->context, function, ""));
    LLVMTypeRef type = LLVMVectorType(call_word(e), width);
    LLVMValueRef operands = LLVMGetParam(function, 0);
    TowerValue x[OPERANDS_MAX];
    for (unsigned i = 0; i < row->operands; i++) x[i] = load_value(&inner, operands, i, width, type);
    LLVMValueRef extra =
        row->extra == EXTRA_NONE ? NULL : load_part(&inner, operands, row->operands * parts_of(e), width, type);
    TowerValue result = row->body(&inner, x, extra);
    result = tower_pass_poison(&inner, x, row->operands, &result);
    store_value(&inner, LLVMGetParam(function, 1), 0, width, &result);
    LLVMBuildRetVoid(inner.builder);
    LLVMDisposeBuilder(inner.builder);
}

static LLVMValueRef rule_function(const TowerEmit *e, const RuleRow *row, unsigned width) {
    char name[80];
    assert(!e->tower->degrees && !e->tower->plain); // the name does not tell these from the plain tower
    snprintf(name, sizeof name, "congruent.tower.%s.%u.%u", row->name, width, e->tower->index);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (function) return function;
    bool is_ready;
    function = add_private(e, name, call_type(e), &is_ready);
    if (!is_ready) build_rule(e, function, row, width);
    return function;
}

void tower_emit_private(const TowerEmit *e, unsigned lanes) {
    for (unsigned rule = 0; rule < TOWER_RULE_COUNT; rule++) rule_function(e, &rule_rows[rule], lanes);
}

TowerValue tower_call_rule(const TowerEmit *e, TowerRule rule, const TowerValue *x, LLVMValueRef extra) {
    const RuleRow *row = &rule_rows[rule];
    unsigned lanes = word_lanes(x[0].state), width = TOWER_WIDTH_MIN;
    while (width < lanes && width < TOWER_WIDTH_MAX) width *= 2;
    LLVMValueRef function = rule_function(e, row, width);
    LLVMValueRef arguments[] = {operand_array(e), result_array(e)};
    TowerValue result = undefined_like(e, &x[0]);
    if (!extra) extra = fpsan_constant(x[0].state, 0);
    for (unsigned first = 0; first < (lanes ? lanes : 1); first += width) {
        for (unsigned i = 0; i < row->operands; i++) {
            TowerValue chunk = chunk_value(e, &x[i], first, width);
            store_value(e, arguments[0], i, width, &chunk);
        }
        if (row->extra != EXTRA_NONE)
            store_part(e, arguments[0], row->operands * parts_of(e), width, chunk_word(e, extra, first, width));
        LLVMBuildCall2(e->builder, call_type(e), function, arguments, 2, "");
        TowerValue chunk = load_value(e, arguments[1], 0, width, LLVMVectorType(call_word(e), width));
        place_value(e, &result, &chunk, first);
    }
    return result;
}

// bits -> {components, state}, of one float.
static LLVMValueRef embed_function(const TowerEmit *e, FpsanFormat format, LLVMTypeRef type, EmbedBody *body) {
    char name[80];
    assert(!e->tower->degrees);
    snprintf(name, sizeof name, "congruent.tower.embed.%s.%u", fpsan_format_info(format)->name, e->tower->index);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (function) return function;
    bool is_ready;
    function = add_private(e, name, type, &is_ready);
    if (is_ready) return function;
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    TowerEmit inner = *e;
    inner.builder = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderAtEnd(inner.builder, LLVMAppendBasicBlockInContext(e->context, function, ""));
    const TowerValue result = body(&inner, format, LLVMGetParam(function, 0));
    const unsigned length = e->tower->length;
    LLVMValueRef parts[TOWER_LENGTH_MAX + 1];
    for (unsigned i = 0; i < length; i++) parts[i] = result.component[i];
    parts[length] = result.state;
    LLVMBuildAggregateRet(inner.builder, parts, length + 1);
    LLVMDisposeBuilder(inner.builder);
    return function;
}

TowerValue tower_call_embed(const TowerEmit *e, FpsanFormat format, LLVMValueRef bits, EmbedBody *body) {
    const unsigned length = e->tower->length;
    LLVMTypeRef parts[TOWER_LENGTH_MAX + 1], argument = LLVMTypeOf(bits);
    for (unsigned i = 0; i <= length; i++) parts[i] = call_word(e);
    LLVMTypeRef result = LLVMStructTypeInContext(e->context, parts, length + 1, false);
    LLVMTypeRef type = LLVMFunctionType(result, &argument, 1, false);
    LLVMValueRef found =
        LLVMBuildCall2(e->builder, type, embed_function(e, format, type, body), (LLVMValueRef[]){bits}, 1, "");
    TowerValue value;
    for (unsigned i = 0; i < length; i++) value.component[i] = LLVMBuildExtractValue(e->builder, found, i, "");
    value.state = LLVMBuildExtractValue(e->builder, found, length, "");
    return value;
}

// ---- functions of libfpsan_tower ------------------------------------------------------------------------------------

// name(tower, lanes, operands.., extra (if not NULL), result): an array for each of them.
static TowerValue call_runtime(const TowerEmit *e, const char *name, const TowerValue *x, unsigned count,
                               LLVMValueRef extra) {
    LLVMTypeRef word = call_word(e), pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef types[2 + OPERANDS_MAX + 2] = {word, word};
    unsigned arity = 2 + count + (extra ? 1 : 0) + 1;
    for (unsigned i = 2; i < arity; i++) types[i] = pointer;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, arity, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) function = LLVMAddFunction(e->module, name, type);
    LLVMValueRef operands = operand_array(e), results = result_array(e);
    TowerValue result = undefined_like(e, &x[0]);
    unsigned lanes = word_lanes(x[0].state), all = lanes ? lanes : 1;
    for (unsigned first = 0; first < all; first += TOWER_WIDTH_MAX) {
        unsigned width = all - first < TOWER_WIDTH_MAX ? all - first : TOWER_WIDTH_MAX;
        LLVMValueRef arguments[2 + OPERANDS_MAX + 2] = {LLVMConstInt(word, e->tower->number, false),
                                                        LLVMConstInt(word, width, false)};
        for (unsigned i = 0; i < count; i++) {
            TowerValue chunk = chunk_value(e, &x[i], first, width);
            store_value(e, operands, i, width, &chunk);
            arguments[2 + i] = part_address(e, operands, i * parts_of(e), width);
        }
        if (extra) store_part(e, operands, count * parts_of(e), width, chunk_word(e, extra, first, width));
        if (extra) arguments[2 + count] = part_address(e, operands, count * parts_of(e), width);
        arguments[arity - 1] = results;
        LLVMBuildCall2(e->builder, type, function, arguments, arity, "");
        TowerValue chunk = load_value(e, results, 0, width, lanes ? LLVMVectorType(word, width) : word);
        place_value(e, &result, &chunk, first);
    }
    return result;
}

TowerValue tower_call_binary(const TowerEmit *e, const char *name, const TowerValue *a, const TowerValue *b,
                             LLVMValueRef sign) {
    TowerValue x[] = {*a, *b};
    return call_runtime(e, name, x, 2, sign);
}

TowerValue tower_emit_pow(const TowerEmit *e, const TowerValue *a, const TowerValue *b, const TowerIeee *ieee) {
    TowerValue x[] = {*a, *b};
    return call_runtime(e, "congruent_tower_pow", x, 2, tower_power_sign(e, ieee, a->state));
}

TowerValue tower_emit_powi(const TowerEmit *e, const TowerValue *a, LLVMValueRef exponent) {
    FpsanEmit emit = {.context = e->context, .module = e->module, .builder = e->builder};
    return call_runtime(e, "congruent_tower_powi", a, 1, fpsan_resize(&emit, exponent, 32, true));
}

// ---- functions of one operand ---------------------------------------------------------------------------------------

// Of functions that know no phases: the plain tower's.
static TowerValue call_plain(const TowerEmit *e, TowerRule rule, const TowerValue *a, LLVMValueRef extra) {
    if (e->tower->degrees) return tower_degree_function(e, rule, a);
    if (!e->tower->plain) return tower_call_rule(e, rule, a, extra);
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x = tower_emit_unsigned(e, a);
    return tower_call_rule(&plain, rule, &x, extra);
}

TowerValue tower_emit_exp2(const TowerEmit *e, const TowerValue *a, const TowerIeee *ieee) {
    return call_plain(e, TOWER_RULE_exp2, a, tower_masked(e, ieee, a->state));
}

TowerValue tower_emit_exp(const TowerEmit *e, const TowerValue *a, const TowerIeee *ieee) {
    return call_plain(e, TOWER_RULE_exp, a, tower_masked(e, ieee, a->state));
}

TowerValue tower_emit_sqrt(const TowerEmit *e, const TowerValue *a) {
    if (e->tower->plain) return call_runtime(e, "congruent_tower_sqrt", a, 1, NULL);
    return call_plain(e, TOWER_RULE_sqrt, a, NULL);
}

TowerValue tower_emit_rsqrt(const TowerEmit *e, const TowerValue *a) {
    if (e->tower->plain) return call_runtime(e, "congruent_tower_rsqrt", a, 1, NULL);
    return call_plain(e, TOWER_RULE_rsqrt, a, NULL);
}

#define FUNCTION(name)                                                                                                 \
    TowerValue tower_emit_##name(const TowerEmit *e, const TowerValue *a) {                                            \
        return call_plain(e, TOWER_RULE_##name, a, NULL);                                                              \
    }
FUNCTION(log2)
FUNCTION(log)
FUNCTION(tanh)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
#undef FUNCTION

TowerValue tower_emit_tag(const TowerEmit *e, const char *name, const TowerValue *operands, unsigned count) {
    if (e->tower->degrees) return tower_degree_tag(e, name, operands, count);
    if (!e->tower->plain) return tower_rule_tag(e, name, operands, count);
    TowerEmit plain = tower_plain_emit(e);
    TowerValue x[OPERANDS_MAX];
    assert(count <= OPERANDS_MAX);
    for (unsigned i = 0; i < count; i++) x[i] = tower_emit_unsigned(e, &operands[i]);
    return tower_rule_tag(&plain, name, x, count);
}
