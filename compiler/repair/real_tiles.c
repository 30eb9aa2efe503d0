// SPDX-License-Identifier: Apache-2.0
// Ops on whole tiles in real numbers: shapes, products, reductions.
#include "compiler/repair/real_internal.h"

#include <string.h>

static const TirTypeInfo *tile_of(const RealRun *run, TirValue value) {
    return tir_type(run->module, tir_value_type(run->function, value));
}

// How many elements lie between neighbours in each dimension.
static void strides_of(const TirTypeInfo *tile, int64_t *strides) {
    int64_t stride = 1;
    for (uint32_t d = tile->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= tile->shape[d];
    }
}

// Copies elements: that at index i of the result is the one at `first` + the sum of i[d] * strides[d].
static void gather(RealRun *run, const TirTypeInfo *tile, const RealValue *from, int64_t first, const int64_t *strides,
                   RealValue *to) {
    int64_t index[TIR_RANK_MAX] = {0}, at = first;
    (void)run;
    for (uint64_t i = 0; i < to->count; i++) {
        to->integers[i] = from->integers[at];
        for (uint32_t d = tile->rank; d-- > 0;) {
            at += strides[d];
            if (++index[d] < tile->shape[d]) break;
            at -= strides[d] * tile->shape[d];
            index[d] = 0;
        }
    }
}

static bool run_broadcast(RealRun *run, const TirOp *op) {
    const TirTypeInfo *from = tile_of(run, op->operands[0]), *to = tile_of(run, op->first_result);
    int64_t strides[TIR_RANK_MAX];
    strides_of(from, strides);
    for (uint32_t d = 0; d < from->rank; d++)
        if (from->shape[d] == 1) strides[d] = 0;
    const RealValue source = run->values[op->operands[0]];
    gather(run, to, &source, 0, strides,
           real_define(run, op->first_result, real_count(run, tir_value_type(run->function, op->first_result))));
    return true;
}

static bool run_permute(RealRun *run, const TirOp *op) {
    const TirTypeInfo *from = tile_of(run, op->operands[0]), *to = tile_of(run, op->first_result);
    const TirAttribute *permutation = tir_attribute(op, "permutation");
    int64_t own[TIR_RANK_MAX], strides[TIR_RANK_MAX];
    strides_of(from, own);
    for (uint32_t d = 0; d < to->rank; d++) strides[d] = own[permutation->numbers[d]];
    const RealValue source = run->values[op->operands[0]];
    gather(run, to, &source, 0, strides, real_define(run, op->first_result, source.count));
    return true;
}

static bool run_extract(RealRun *run, const TirOp *op) {
    const TirTypeInfo *from = tile_of(run, op->operands[0]), *to = tile_of(run, op->first_result);
    int64_t strides[TIR_RANK_MAX], first = 0, count = 1;
    strides_of(from, strides);
    for (uint32_t d = 0; d < to->rank; d++) {
        const int64_t slice = run->values[op->operands[1 + d]].integers[0];
        if (slice < 0 || slice >= from->shape[d] / to->shape[d]) return real_fail(run, op, "a slice that is not there");
        first += slice * to->shape[d] * strides[d];
        count *= to->shape[d];
    }
    const RealValue source = run->values[op->operands[0]];
    gather(run, to, &source, first, strides, real_define(run, op->first_result, (uint64_t)count));
    return true;
}

static bool run_cat(RealRun *run, const TirOp *op) {
    const TirTypeInfo *to = tile_of(run, op->first_result), *left = tile_of(run, op->operands[0]),
                      *right = tile_of(run, op->operands[1]);
    const uint64_t d = tir_attribute_integer(op, "dim");
    uint64_t inner[2], outer = 1;
    inner[0] = (uint64_t)left->shape[d], inner[1] = (uint64_t)right->shape[d];
    for (uint32_t k = (uint32_t)d + 1; k < to->rank; k++)
        inner[0] *= (uint64_t)to->shape[k], inner[1] *= (uint64_t)to->shape[k];
    for (uint32_t k = 0; k < d; k++) outer *= (uint64_t)to->shape[k];
    const RealValue a = run->values[op->operands[0]], b = run->values[op->operands[1]];
    RealValue *value = real_define(run, op->first_result, a.count + b.count);
    for (uint64_t i = 0; i < outer; i++) {
        int64_t *row = value->integers + i * (inner[0] + inner[1]);
        memcpy(row, a.integers + i * inner[0], inner[0] * sizeof *row);
        memcpy(row + inner[0], b.integers + i * inner[1], inner[1] * sizeof *row);
    }
    return true;
}

// ---- products -------------------------------------------------------------------------------------------------------

static bool run_mmaf(RealRun *run, const TirOp *op) {
    const TirTypeInfo *left = tile_of(run, op->operands[0]), *to = tile_of(run, op->first_result);
    const uint32_t r = to->rank;
    const uint64_t m = (uint64_t)to->shape[r - 2], n = (uint64_t)to->shape[r - 1], k = (uint64_t)left->shape[r - 1],
                   count = (uint64_t)tir_tile_elements(run->module, tir_value_type(run->function, op->first_result));
    const double *a = run->values[op->operands[0]].floats, *b = run->values[op->operands[1]].floats,
                 *acc = run->values[op->operands[2]].floats;
    double *sum = real_define(run, op->first_result, count)->floats;
    memcpy(sum, acc, count * sizeof *sum);
    for (uint64_t batch = 0; batch < count / (m * n); batch++)
        for (uint64_t i = 0; i < m; i++)
            for (uint64_t l = 0; l < k; l++) {
                const double x = a[(batch * m + i) * k + l], *row = b + (batch * k + l) * n;
                double *out = sum + (batch * m + i) * n;
                for (uint64_t j = 0; j < n; j++) out[j] += x * row[j];
            }
    return true;
}

static int64_t operand_of_mmai(int64_t value, bool sign) {
    return sign ? value : value & 0xff;
}

static bool run_mmai(RealRun *run, const TirOp *op) {
    const TirTypeInfo *left = tile_of(run, op->operands[0]), *to = tile_of(run, op->first_result);
    const uint32_t r = to->rank;
    const uint64_t m = (uint64_t)to->shape[r - 2], n = (uint64_t)to->shape[r - 1], k = (uint64_t)left->shape[r - 1],
                   count = (uint64_t)tir_tile_elements(run->module, tir_value_type(run->function, op->first_result));
    const bool signs[2] = {tir_attribute_integer(op, "signedness_lhs"), tir_attribute_integer(op, "signedness_rhs")};
    const int64_t *a = run->values[op->operands[0]].integers, *b = run->values[op->operands[1]].integers,
                  *acc = run->values[op->operands[2]].integers;
    int64_t *sum = real_define(run, op->first_result, count)->integers;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = i / n, column = i % n, batch = row / m;
        int64_t total = acc[i];
        for (uint64_t l = 0; l < k; l++)
            total +=
                operand_of_mmai(a[row * k + l], signs[0]) * operand_of_mmai(b[(batch * k + l) * n + column], signs[1]);
        sum[i] = real_wrap(total, 32);
    }
    return true;
}

// ---- reductions -----------------------------------------------------------------------------------------------------
// All results are made at once: the region's scalars have an element for each of them.

typedef struct Lanes {
    uint64_t outer, length, inner; // elements before, in and behind the reduced dimension
} Lanes;

static Lanes lanes_of(const TirTypeInfo *tile, uint64_t dim) {
    Lanes lanes = {1, (uint64_t)tile->shape[dim], 1};
    for (uint32_t d = 0; d < tile->rank; d++)
        if (d != dim) *(d < dim ? &lanes.outer : &lanes.inner) *= (uint64_t)tile->shape[d];
    return lanes;
}

// The elements number `step` of all lanes.
static void take_lanes(RealRun *run, const Lanes *lanes, const RealValue *from, uint64_t step, TirValue to) {
    RealValue *value = real_define(run, to, lanes->outer * lanes->inner);
    for (uint64_t o = 0; o < lanes->outer; o++)
        memcpy(value->integers + o * lanes->inner, from->integers + (o * lanes->length + step) * lanes->inner,
               lanes->inner * sizeof *value->integers);
}

static void put_lanes(const Lanes *lanes, const RealValue *from, uint64_t step, uint64_t length, RealValue *to) {
    for (uint64_t o = 0; o < lanes->outer; o++)
        memcpy(to->integers + (o * length + step) * lanes->inner, from->integers + o * lanes->inner,
               lanes->inner * sizeof *to->integers);
}

// The region combines what is there with the next elements. Its arguments are pairs: for each operand what is there and
// the element.
static bool combine(RealRun *run, const TirOp *op, RealValue *sums) {
    const TirBlock *body = op->regions[0].first;
    const TirOp *last;
    for (uint32_t i = 0; i < op->operand_count; i++) real_copy(run, body->first_argument + 2 * i, &sums[i]);
    if (real_ops(run, body, &last) == REAL_FAILED) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const double *from = real_floats(run, last->operands[i], sums[i].count);
        memmove(sums[i].floats, from, sums[i].count * sizeof *from);
    }
    return true;
}

static bool run_reduction(RealRun *run, const TirOp *op) {
    const TirTypeInfo *tile = tile_of(run, op->operands[0]);
    const bool scans = op->kind == TIR_OP_scan, reverse = scans && tir_attribute_integer(op, "reverse");
    const Lanes lanes = lanes_of(tile, tir_attribute_integer(op, "dim"));
    const uint64_t count = lanes.outer * lanes.inner, before = run->lanes;
    const TirBlock *body = op->regions[0].first;
    RealValue *sums = real_scratch(run->scratch, op->operand_count * sizeof *sums);
    if (before) return real_fail(run, op, "a reduction inside a reduction");
    RealValue *all = real_scratch(run->scratch, op->operand_count * sizeof *all);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        all[i] = run->values[op->operands[i]];
        real_define(run, op->first_result + i, scans ? count * lanes.length : count);
    }
    run->lanes = count;
    bool good = true;
    for (uint64_t k = 0; good && k < lanes.length; k++) {
        const uint64_t step = reverse ? lanes.length - 1 - k : k;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const TirValue element = body->first_argument + 2 * i + 1;
            take_lanes(run, &lanes, &all[i], step, element);
            if (k) continue;
            sums[i] = run->values[element];
            sums[i].floats = real_scratch(run->scratch, count * sizeof(double));
            memcpy(sums[i].floats, run->values[element].floats, count * sizeof(double));
        }
        if (k) good = combine(run, op, sums);
        for (uint32_t i = 0; good && scans && i < op->operand_count; i++)
            put_lanes(&lanes, &sums[i], step, lanes.length, &run->values[op->first_result + i]);
    }
    run->lanes = before;
    for (uint32_t i = 0; good && !scans && i < op->operand_count; i++)
        put_lanes(&lanes, &sums[i], 0, 1, &run->values[op->first_result + i]);
    return good;
}

bool real_tiles(RealRun *run, const TirOp *op, bool *known) {
    *known = true;
    switch (op->kind) {
    case TIR_OP_assume:
    case TIR_OP_reshape: real_share(run, op->first_result, op->operands[0]); return true;
    case TIR_OP_broadcast: return run_broadcast(run, op);
    case TIR_OP_permute: return run_permute(run, op);
    case TIR_OP_extract: return run_extract(run, op);
    case TIR_OP_cat: return run_cat(run, op);
    case TIR_OP_mmaf: return run_mmaf(run, op);
    case TIR_OP_mmai: return run_mmai(run, op);
    case TIR_OP_reduce:
    case TIR_OP_scan: return run_reduction(run, op);
    default: *known = false; return true;
    }
}
