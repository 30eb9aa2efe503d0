// SPDX-License-Identifier: Apache-2.0
// Ops in real numbers that no public version of Tile IR has: functions by name, gathering and counting.
#include "compiler/repair/real_internal.h"

#include <math.h>
#include <string.h>

typedef double (*RealFunction)(double a, double b, double c, double d);

#define REAL_FUNCTION(name, result)                                                                                    \
    static double function_##name(double a, double b, double c, double d) {                                            \
        (void)a, (void)b, (void)c, (void)d;                                                                            \
        return result;                                                                                                 \
    }
#include "compiler/repair/real_ops.def"

static const struct {
    const char *name;
    RealFunction function;
} functions[] = {
#define REAL_FUNCTION(name, result) {#name, function_##name},
#include "compiler/repair/real_ops.def"
};

static RealFunction find_function(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(functions); i++)
        if (!strcmp(functions[i].name, name)) return functions[i].function;
    return NULL;
}

static bool run_function(RealRun *run, const TirOp *op) {
    const TirType type = tir_value_type(run->function, op->first_result);
    const uint64_t count = real_count(run, type);
    const FpsanFunction *found =
        fpsan_function(tir_attribute(op, "name")->text, tir_float_format(tir_tile_element_kind(run->module, type)));
    const RealFunction function = found ? find_function(found->name) : NULL;
    const double *floats[FPSAN_FUNCTION_OPERANDS_MAX] = {0};
    const int64_t *integers[FPSAN_FUNCTION_OPERANDS_MAX] = {0};
    if (!function) return real_fail(run, op, "a function that is not run in real numbers");
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (run->values[op->operands[i]].kind == REAL_FLOATS)
            floats[i] = real_floats(run, op->operands[i], count);
        else
            integers[i] = real_integers(run, op->operands[i], count);
    double *to = real_define(run, op->first_result, count)->floats;
    for (uint64_t i = 0; i < count; i++) {
        double x[FPSAN_FUNCTION_OPERANDS_MAX] = {0};
        for (uint32_t k = 0; k < op->operand_count; k++) x[k] = floats[k] ? floats[k][i] : (double)integers[k][i];
        to[i] = function(x[0], x[1], x[2], x[3]);
    }
    return true;
}

// result[.., i, ..] = source[.., indices[.., i, ..], ..]
static bool run_gather(RealRun *run, const TirOp *op) {
    const TirTypeInfo *from = tir_type(run->module, tir_value_type(run->function, op->operands[0]));
    const TirType type = tir_value_type(run->function, op->first_result);
    const TirTypeInfo *to = tir_type(run->module, type);
    const uint64_t count = (uint64_t)tir_tile_elements(run->module, type), dim = tir_attribute_integer(op, "dim");
    uint64_t inner = 1;
    for (uint32_t d = (uint32_t)dim + 1; d < to->rank; d++) inner *= (uint64_t)to->shape[d];
    const uint64_t length = (uint64_t)to->shape[dim], size = (uint64_t)from->shape[dim];
    const int64_t *indices = real_integers(run, op->operands[1], count);
    const int64_t *source = real_integers(run, op->operands[0], count / length * size); // of floats the bits
    int64_t *result = real_define(run, op->first_result, count)->integers;
    for (uint64_t i = 0; i < count; i++) {
        if (indices[i] < 0 || (uint64_t)indices[i] >= size) return real_fail(run, op, "an index outside the source");
        result[i] = source[(i / (length * inner) * size + (uint64_t)indices[i]) * inner + i % inner];
    }
    return true;
}

static bool run_histogram(RealRun *run, const TirOp *op) {
    const uint64_t bins = (uint64_t)tir_tile_elements(run->module, tir_value_type(run->function, op->first_result));
    const uint64_t count = (uint64_t)tir_tile_elements(run->module, tir_value_type(run->function, op->operands[0]));
    const int64_t *source = real_integers(run, op->operands[0], count),
                  *mask = op->operand_count > 1 ? real_integers(run, op->operands[1], count) : NULL;
    int64_t *result = real_define(run, op->first_result, bins)->integers;
    memset(result, 0, bins * sizeof *result);
    for (uint64_t i = 0; i < count; i++)
        if ((!mask || mask[i]) && source[i] >= 0 && (uint64_t)source[i] < bins) result[source[i]]++;
    return true;
}

bool real_functions(RealRun *run, const TirOp *op, bool *known) {
    *known = true;
    switch (op->kind) {
    case TIR_OP_function: return run_function(run, op);
    case TIR_OP_gather: return run_gather(run, op);
    case TIR_OP_histogram: return run_histogram(run, op);
    default: *known = false; return true;
    }
}
