// SPDX-License-Identifier: Apache-2.0
// Calls of functions that are known by name: the math functions of CUDA that compilers were told to keep. In payload
// arithmetic such a call is its rule, whatever body the module has; in IEEE arithmetic a body is run, and only without
// one the numeric's function stands for it.
#include "compiler/warp/lane_floats.h"

#include <stdio.h>
#include <string.h>

// ---- names

enum { PARAMETERS_MAX = 4, SYMBOL_SIZE = 64 };

typedef struct Known {
    FpsanRule rule;
    const char *parameters; // as in functions.def
    FpsanFormat format;
    char symbol[SYMBOL_SIZE]; // libdevice's
} Known;

static const struct FunctionRow {
    const char *name;
    FpsanRule rule;
    const char *parameters;
} function_rows[] = {
#define FUNCTION(name, rule, parameters) {#name, FPSAN_RULE_##rule, parameters},
#include "compiler/warp/functions.def"
#undef FUNCTION
};

// What stands behind a prefix.
static const char *base_name(const char *name) {
    static const char *const prefixes[] = {"__nv_", "keep_"};
    for (size_t i = 0; i < BASE_COUNT(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return name + strlen(prefixes[i]);
    return name;
}

static const char *parameters_of(FpsanRule rule) {
    if (rule == FPSAN_RULE_POWI) return "xi";
    static const char *const all[] = {"", "x", "xx", "xxx"};
    return all[fpsan_rule_info(rule)->operands];
}

// A symbol of rules.def: there it stands for its format.
static bool find_symbol(Known *known) {
    for (FpsanRule rule = 0; rule < FPSAN_RULE_COUNT; rule++) {
        const FpsanRuleInfo *info = fpsan_rule_info(rule);
        const bool single = !strcmp(known->symbol, info->narrow) || !strcmp(known->symbol, info->fast);
        if (!single && strcmp(known->symbol, info->wide) != 0) continue;
        *known = (Known){.rule = rule, .parameters = parameters_of(rule), .format = single ? FPSAN_F32 : FPSAN_F64};
        return true;
    }
    return false;
}

// `length` characters of `name` as the name of a function on doubles.
static bool find_function(const char *name, size_t length, Known *known) {
    for (size_t i = 0; i < BASE_COUNT(function_rows); i++) {
        const struct FunctionRow *row = &function_rows[i];
        if (strlen(row->name) != length || strncmp(row->name, name, length) != 0) continue;
        known->rule = row->rule;
        known->parameters = row->parameters;
        return true;
    }
    for (FpsanRule rule = 0; rule < FPSAN_RULE_COUNT; rule++) {
        const char *library = fpsan_rule_info(rule)->library;
        if (!*library || strlen(library) != length || strncmp(library, name, length) != 0) continue;
        known->rule = rule;
        known->parameters = parameters_of(rule);
        return true;
    }
    return false;
}

// A name ends in f where floats are meant: "erf" does as well.
static bool find_known(const char *name, Known *known) {
    const char *base = base_name(name);
    const size_t length = strlen(base);
    if (!length || length + sizeof "__nv_" > SYMBOL_SIZE) return false;
    snprintf(known->symbol, sizeof known->symbol, "__nv_%s", base);
    if (find_symbol(known)) return true;
    known->format = FPSAN_F64;
    if (find_function(base, length, known)) return true;
    known->format = FPSAN_F32;
    return base[length - 1] == 'f' && find_function(base, length - 1, known);
}

// ---- signatures

static bool fits(const Known *known, const PtxFunction *function) {
    const unsigned bytes = fpsan_format_info(known->format)->bits / 8;
    const uint32_t count = (uint32_t)strlen(known->parameters);
    const bool stores = strchr(known->parameters, 'p');
    if (function->parameter_count != count || function->result_count != (stores ? 0 : 1)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned wanted = known->parameters[i] == 'x' ? bytes : known->parameters[i] == 'i' ? 4 : 8;
        if (function->variables[i].size != wanted) return false;
    }
    return stores || function->variables[count].size == bytes;
}

static bool find_call(bool in_place, const PtxFunction *function, Known *known) {
    if (!find_known(function->name, known) || !fits(known, function)) return false;
    return in_place || (!function->has_body && known->rule != FPSAN_RULE_EXTERN);
}

bool lane_is_known(const LaneModule *module, const PtxFunction *function) {
    Known known;
    return find_call(module->options->numeric == COMPILE_PAYLOAD, function, &known);
}

// ---- calls

static unsigned memory_alignment(unsigned bits) {
    return bits > 8 ? 64 : 32;
}

static LLVMValueRef read_parameter(LaneCode *code, const PtxOperand *operand, unsigned bits) {
    if (operand->kind != PTX_VARIABLE) return lane_read_type(code, operand, bits == 64 ? PTX_f64 : PTX_f32);
    return code_load(&code->cx, lane_type(code, bits), lane_parameter_memory(code, operand->index),
                     memory_alignment(bits));
}

static void write_result(LaneCode *code, const PtxOperand *operand, FpsanFormat format, const NumericValue *value) {
    NumericContext *cx = &code->cx;
    const unsigned bits = fpsan_format_info(format)->bits;
    if (operand->kind != PTX_VARIABLE) {
        lane_write_float(code, operand, format, 1, value);
        return;
    }
    LLVMValueRef memory = lane_parameter_memory(code, operand->index);
    LLVMValueRef old = code_load(cx, lane_type(code, bits), memory, memory_alignment(bits));
    LLVMValueRef all = lane_bits_of_float(code, format, value);
    code_store(cx, LLVMBuildSelect(cx->builder, code->mask, all, old, ""), memory, memory_alignment(bits));
}

// sincos(x, sine, cosine)
static bool store_sine_and_cosine(LaneCode *code, FpsanFormat format, const NumericValue *x,
                                  const PtxOperand *parameters) {
    static const FpsanRule rules[2] = {FPSAN_RULE_SIN, FPSAN_RULE_COS};
    const uint8_t bytes = (uint8_t)(fpsan_format_info(format)->bits / 8);
    const WarpAccess access = {.place = code->place, .space = WARP_GENERIC, .bytes = bytes, .count = 1};
    for (unsigned i = 0; i < 2; i++) {
        const FloatOp op = float_rule(rules[i], format);
        NumericValue result;
        if (!lane_apply(code, &op, x, 1, &result)) return false;
        LLVMValueRef bits = lane_bits_of_float(code, format, &result);
        LLVMValueRef addresses = read_parameter(code, &parameters[1 + i], 64);
        LaneGuard guard = lane_guard_open(code);
        lane_store(code, &access, addresses, &bits);
        lane_guard_close(code, &guard, 0, NULL);
    }
    return true;
}

static bool apply_known(LaneCode *code, const Known *known, const NumericValue *operands, unsigned count,
                        NumericValue *result) {
    const FloatOp op = float_rule(known->rule, known->format);
    if (known->rule != FPSAN_RULE_EXTERN) return lane_apply(code, &op, operands, count, result);
    *result = lane_apply_extern(code, known->symbol, known->format, operands, count);
    return true;
}

bool lane_call_known(LaneCode *code, const PtxInstruction *instruction, const PtxFunction *function,
                     const PtxOperand *results, const PtxOperand *parameters, bool *known) {
    Known call;
    NumericValue operands[PARAMETERS_MAX], result;
    (void)instruction;
    *known = find_call(lane_in_place(code), function, &call);
    if (!*known) return true;
    const unsigned count = (unsigned)strlen(call.parameters), bits = fpsan_format_info(call.format)->bits;
    if (!parameters || parameters->count != count)
        return lane_refuse(code, "%s has %u parameters", function->name, count);
    for (unsigned i = 0; i < count; i++) {
        const PtxOperand *operand = &parameters->items[i];
        if (call.parameters[i] == 'i') operands[i].parts[0] = read_parameter(code, operand, 32);
        if (call.parameters[i] == 'x')
            operands[i] = lane_float_of_bits(code, call.format, read_parameter(code, operand, bits));
    }
    if (strchr(call.parameters, 'p')) return store_sine_and_cosine(code, call.format, operands, parameters->items);
    if (!apply_known(code, &call, operands, count, &result)) return false;
    if (results && results->count) write_result(code, &results->items[0], call.format, &result);
    return true;
}
