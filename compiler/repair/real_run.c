// SPDX-License-Identifier: Apache-2.0
// Running a kernel in real numbers: values, control flow, and which file knows an op.
#include "compiler/repair/real_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- memory of values -----------------------------------------------------------------------------------------------

typedef struct RealPiece {
    char *bytes;
    size_t size;
} RealPiece;
enum { PIECE_SIZE = 1 << 20, OP_COST = 4, PRODUCTS = 8 }; // so many products of a dot cost as much as an element

static RealPiece open_piece(size_t size) {
    RealPiece piece = {malloc(size), size};
    if (!piece.bytes) abort();
    return piece;
}

void *real_scratch(RealScratch *scratch, size_t size) {
    size = (size + 63) & ~(size_t)63;
    while (scratch->current < scratch->count && scratch->pieces[scratch->current].size - scratch->used < size) {
        scratch->current++;
        scratch->used = 0;
    }
    if (scratch->current == scratch->count) {
        RealPiece *pieces = realloc(scratch->pieces, (scratch->count + 1) * sizeof *pieces);
        if (!pieces) abort();
        scratch->pieces = pieces;
        pieces[scratch->count++] = open_piece(size > PIECE_SIZE ? size : PIECE_SIZE);
        scratch->used = 0;
    }
    char *bytes = scratch->pieces[scratch->current].bytes + scratch->used;
    scratch->used += size;
    return bytes;
}

void real_scratch_close(RealScratch *scratch) {
    for (uint32_t i = 0; i < scratch->count; i++) free(scratch->pieces[i].bytes);
    free(scratch->pieces);
    *scratch = (RealScratch){0};
}

// ---- values ---------------------------------------------------------------------------------------------------------

bool real_fail(RealRun *run, const TirOp *op, const char *problem) {
    run->failed = op;
    run->problem = problem;
    return false;
}

uint64_t real_count(const RealRun *run, TirType type) {
    const uint64_t count = (uint64_t)tir_tile_elements(run->module, type);
    return run->lanes ? count * run->lanes : count;
}

static bool is_float(const RealRun *run, TirType type) {
    return tir_type_is_float(run->module, tir_type(run->module, type)->element);
}

unsigned real_bits(const RealRun *run, TirType type) {
    return tir_type_rows[tir_tile_element_kind(run->module, type)].bits;
}

RealValue *real_define(RealRun *run, TirValue value, uint64_t count) {
    RealValue *v = &run->values[value];
    if (v->kind && v->count == count && !v->borrowed) return v;
    v->kind = is_float(run, tir_value_type(run->function, value)) ? REAL_FLOATS : REAL_INTEGERS;
    v->count = count;
    v->borrowed = false;
    v->floats = real_scratch(run->scratch, count * sizeof(double));
    return v;
}

static const void *repeated(RealRun *run, TirValue value, uint64_t count) {
    const RealValue *v = &run->values[value];
    if (v->count == count) return v->floats;
    double *all = real_scratch(run->scratch, count * sizeof *all);
    for (uint64_t i = 0; i < count; i++) all[i] = v->floats[0]; // bits are copied: of integers alike
    return all;
}

const double *real_floats(RealRun *run, TirValue value, uint64_t count) {
    return repeated(run, value, count);
}

const int64_t *real_integers(RealRun *run, TirValue value, uint64_t count) {
    const RealValue *v = &run->values[value];
    if (v->count == count) return v->integers;
    int64_t *all = real_scratch(run->scratch, count * sizeof *all);
    for (uint64_t i = 0; i < count; i++) all[i] = v->integers[0];
    return all;
}

int64_t real_wrap(int64_t value, unsigned bits) {
    if (bits == 1) return value & 1;
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

void real_copy(RealRun *run, TirValue to, const RealValue *from) {
    RealValue *v = &run->values[to];
    if (from->kind == REAL_VIEW || from->kind == REAL_NOTHING) {
        *v = *from;
        return;
    }
    v = real_define(run, to, from->count);
    if (v->floats != from->floats) memmove(v->floats, from->floats, from->count * sizeof *v->floats);
}

void real_share(RealRun *run, TirValue to, TirValue from) {
    run->values[to] = run->values[from];
    run->values[to].borrowed = true;
}

// ---- control flow ---------------------------------------------------------------------------------------------------

// Hands operands to values: all are read before any is written, because they may be the same.
static void hand_over(RealRun *run, const TirValue *from, TirValue to, uint32_t count) {
    RealScratch *scratch = run->scratch;
    const uint32_t before = scratch->current;
    const size_t used_before = scratch->used;
    RealValue *staged = real_scratch(scratch, (count + 1) * sizeof *staged);
    for (uint32_t i = 0; i < count; i++) {
        staged[i] = run->values[from[i]];
        if (staged[i].kind != REAL_FLOATS && staged[i].kind != REAL_INTEGERS) continue;
        staged[i].floats = real_scratch(scratch, staged[i].count * sizeof(double));
        memcpy(staged[i].floats, run->values[from[i]].floats, staged[i].count * sizeof(double));
    }
    const uint32_t after = scratch->current;
    const size_t used_after = scratch->used;
    for (uint32_t i = 0; i < count; i++) real_copy(run, to + i, &staged[i]);
    if (scratch->current != after || scratch->used != used_after) return; // the values got memory behind the copies
    scratch->current = before;
    scratch->used = used_before;
}

static int64_t scalar(const RealRun *run, TirValue value) {
    return run->values[value].integers[0];
}

static bool run_for(RealRun *run, const TirOp *op, RealEnd *end) {
    const TirBlock *body = op->regions[0].first;
    const bool is_unsigned = tir_attribute_integer(op, "unsigned");
    const TirValue *init;
    const uint32_t carried = tir_operands(op, "init", &init);
    const int64_t upper = scalar(run, tir_operand(op, "upper")), step = scalar(run, tir_operand(op, "step"));
    int64_t i = scalar(run, tir_operand(op, "lower"));
    if (step <= 0) return real_fail(run, op, "a step that is not positive");
    hand_over(run, init, body->first_argument + 1, carried);
    for (; is_unsigned ? (uint64_t)i < (uint64_t)upper : i < upper; i += step) {
        const TirOp *last;
        RealValue *index = real_define(run, body->first_argument, 1);
        index->integers[0] = i;
        *end = real_ops(run, body, &last);
        if (*end == REAL_FAILED || *end == REAL_RETURNS) return *end == REAL_RETURNS;
        hand_over(run, last->operands, *end == REAL_BREAKS ? op->first_result : body->first_argument + 1, carried);
        if (*end == REAL_BREAKS) {
            *end = REAL_YIELDS;
            return true;
        }
    }
    for (uint32_t c = 0; c < carried; c++)
        real_copy(run, op->first_result + c, &run->values[body->first_argument + 1 + c]);
    *end = REAL_YIELDS;
    return true;
}

static bool run_loop(RealRun *run, const TirOp *op, RealEnd *end) {
    const TirBlock *body = op->regions[0].first;
    hand_over(run, op->operands, body->first_argument, op->operand_count);
    for (;;) {
        const TirOp *last;
        *end = real_ops(run, body, &last);
        if (*end == REAL_FAILED || *end == REAL_RETURNS) return *end == REAL_RETURNS;
        const bool over = *end == REAL_BREAKS;
        hand_over(run, last->operands, over ? op->first_result : body->first_argument, last->operand_count);
        if (!over) continue;
        *end = REAL_YIELDS;
        return true;
    }
}

static bool run_if(RealRun *run, const TirOp *op, RealEnd *end, const TirOp **last) {
    const TirRegion *region = &op->regions[scalar(run, tir_operand(op, "condition")) ? 0 : 1];
    *end = REAL_YIELDS;
    if (!region->first) return true;
    *end = real_ops(run, region->first, last);
    if (*end == REAL_FAILED) return false;
    if (*end == REAL_YIELDS) hand_over(run, (*last)->operands, op->first_result, op->result_count);
    return true;
}

static bool run_op(RealRun *run, const TirOp *op) {
    bool known = false;
    bool good = real_elements(run, op, &known);
    if (!known) good = real_tiles(run, op, &known);
    if (!known) good = real_functions(run, op, &known);
    if (!known) good = real_accesses(run, op, &known);
    if (!known) return real_fail(run, op, "an op that is not run in real numbers");
    if (good && run->tap && op->result_count && run->values[op->first_result].kind == REAL_FLOATS)
        run->tap(run->context, op, &run->values[op->first_result]);
    return good;
}

static uint64_t cost_of(const RealRun *run, const TirOp *op) {
    uint64_t cost = OP_COST;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const TirType type = tir_value_type(run->function, op->first_result + i);
        if (tir_type(run->module, type)->kind != TIR_TYPE_tile) continue;
        cost += (uint64_t)tir_tile_elements(run->module, type);
    }
    if (op->kind != TIR_OP_mmaf && op->kind != TIR_OP_mmai) return cost;
    const TirTypeInfo *left = tir_type(run->module, tir_value_type(run->function, op->operands[0]));
    return cost + cost * (uint64_t)left->shape[left->rank - 1] / PRODUCTS;
}

static RealEnd ops_from(RealRun *run, const TirOp *first, const TirOp **last) {
    for (const TirOp *op = first; op; op = op->next) {
        RealEnd end = REAL_YIELDS;
        bool good = true;
        *last = op;
        const uint64_t cost = cost_of(run, op);
        if (cost > run->budget) return real_fail(run, op, "more work than it may take"), REAL_FAILED;
        run->budget -= cost;
        switch (op->kind) {
        case TIR_OP_yield: return REAL_YIELDS;
        case TIR_OP_continue: return REAL_CONTINUES;
        case TIR_OP_break: return REAL_BREAKS;
        case TIR_OP_return: return REAL_RETURNS;
        case TIR_OP_for: good = run_for(run, op, &end); break;
        case TIR_OP_loop: good = run_loop(run, op, &end); break;
        case TIR_OP_if: good = run_if(run, op, &end, last); break;
        default: good = run_op(run, op); break;
        }
        if (!good) return REAL_FAILED;
        if (end != REAL_YIELDS) return end; // out of an `if`, or out of everything
    }
    return REAL_YIELDS;
}

RealEnd real_ops(RealRun *run, const TirBlock *block, const TirOp **last) {
    return ops_from(run, block->first, last);
}

// ---- kernels --------------------------------------------------------------------------------------------------------

static void give_arguments(RealRun *run) {
    const TirBlock *body = run->function->body.first;
    for (uint32_t i = 0; i < body->argument_count; i++) {
        const RealArgument *argument = &run->arguments[i];
        const TirType type = tir_value_type(run->function, body->first_argument + i);
        RealValue *value = real_define(run, body->first_argument + i, 1);
        const TirTypeKind kind = tir_tile_element_kind(run->module, type);
        if (argument->pointer)
            value->integers[0] = real_pointer(argument->buffer) + argument->offset;
        else if (value->kind == REAL_FLOATS)
            value->floats[0] = real_meant(tir_float_format(kind), fpsan_decode(tir_float_format(kind), argument->bits));
        else
            value->integers[0] = real_wrap((int64_t)argument->bits, tir_type_rows[kind].bits);
    }
}

void real_open(RealRun *run) {
    const size_t size = run->function->value_count * sizeof *run->values;
    run->module = run->function->module;
    run->scratch->current = 0;
    run->scratch->used = 0;
    run->values = real_scratch(run->scratch, size + 1);
    memset(run->values, 0, size);
    give_arguments(run);
}

static bool run_from(RealRun *run, const TirOp *first, const uint32_t block[3]) {
    const TirOp *last;
    memcpy(run->block, block, sizeof run->block);
    run->lanes = 0;
    run->failed = NULL;
    run->problem = NULL;
    run->wrong = false;
    return ops_from(run, first, &last) != REAL_FAILED;
}

bool real_block(RealRun *run, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t current = run->scratch->current;
    const size_t used = run->scratch->used;
    RealValue *values = run->values;
    const size_t count = run->function->value_count;
    run->values = real_scratch(run->scratch, (count + 1) * sizeof *values); // each block begins with the arguments
    memcpy(run->values, values, count * sizeof *values);
    const bool good = run_from(run, run->function->body.first->first, (uint32_t[]){x, y, z});
    if (run->keep) return good;
    run->values = values;
    run->scratch->current = current;
    run->scratch->used = used;
    return good;
}

bool real_resume(RealRun *run, const RealValue *known, uint32_t known_count, const TirOp *first,
                 const uint32_t block[3]) {
    for (uint32_t v = 0; v < known_count; v++) {
        run->values[v] = known[v];
        run->values[v].borrowed = true;
    }
    return run_from(run, first, block);
}
