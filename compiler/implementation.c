// SPDX-License-Identifier: Apache-2.0
// The table of implementations; see implementation.h.
#include "compiler/implementation.h"

#include "base/base.h"

#include <math.h>

#define NONE    INFINITY
#define MISSING (-1)
static const struct ImplementationRow {
    FpsanRule rule;
    FpsanFormat format;
    FloatImplementation kind;
    double bounds[2]; // of processors, of GPUs
    const char *names[2];
} rows[] = {
#define IMPLEMENTATION(rule, format, kind, cpu, gpu, cpu_name, gpu_name)                                               \
    {FPSAN_RULE_##rule, FPSAN_##format, FLOAT_##kind, {cpu, gpu}, {cpu_name, gpu_name}},
#include "compiler/implementations.def"
#undef IMPLEMENTATION
};

const char *float_implementation_name(FloatImplementation kind) {
    static const char *const names[] = {
#define NAME(id, text) text,
        FLOAT_IMPLEMENTATIONS(NAME)
#undef NAME
    };
    return names[kind];
}

// The bound of what is computed in floats and then rounded to a format of `bits` fewer bits. Correctly rounded floats
// round to the correctly rounded number (ieee_arithmetic.c).
static double rounded_bound(double bound, unsigned bits) {
    return bound <= 0.5 ? bound : 0.5 + ldexp(bound, -(int)bits);
}

static Implementation of_row(const struct ImplementationRow *row, FpsanFormat format, bool gpu) {
    double bound = row->bounds[gpu];
    if (format == FPSAN_F16 || format == FPSAN_BF16)
        bound = rounded_bound(bound, 23 - fpsan_format_info(format)->mantissa_bits);
    return (Implementation){row->kind, bound, row->names[gpu]};
}

// The next row behind `after` (NULL: the first) of a rule and format on a machine.
static const struct ImplementationRow *next_row(FpsanRule rule, FpsanFormat format, bool gpu,
                                                const struct ImplementationRow *after) {
    const FpsanFormat of = format == FPSAN_F64 ? FPSAN_F64 : FPSAN_F32;
    for (const struct ImplementationRow *row = after ? after + 1 : rows; row < rows + BASE_COUNT(rows); row++)
        if (row->rule == rule && row->format == of && row->bounds[gpu] >= 0) return row;
    return NULL;
}

static const Implementation the_exact_one = {FLOAT_EXACT, 0.5, "correctly rounded"};

bool implementation_of(FpsanRule rule, FpsanFormat format, bool gpu, FloatImplementation kind, Implementation *out) {
    const struct ImplementationRow *row = next_row(rule, format, gpu, NULL);
    *out = the_exact_one;
    if (!row) return kind == FLOAT_EXACT;
    while (row && row->kind != kind) row = next_row(rule, format, gpu, row);
    if (row) *out = of_row(row, format, gpu);
    return row;
}

bool implementation_choose(const ImplementationQuery *query, Implementation *out) {
    const struct ImplementationRow *row = next_row(query->rule, query->format, query->gpu, NULL);
    *out = the_exact_one;
    if (!row) return query->limit >= out->bound;
    out->bound = INFINITY;
    for (; row; row = next_row(query->rule, query->format, query->gpu, row)) {
        bool approximate = row->kind != FLOAT_EXACT && row->kind != FLOAT_BY_DOUBLE;
        if ((approximate && !query->approximate) || (row->kind == FLOAT_RECIPROCAL && !query->of_one)) continue;
        Implementation found = of_row(row, query->format, query->gpu);
        if (found.bound < out->bound) *out = found;
        if (found.bound <= query->limit) {
            *out = found;
            return true;
        }
    }
    return false;
}
