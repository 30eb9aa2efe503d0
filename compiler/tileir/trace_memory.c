// SPDX-License-Identifier: Apache-2.0
// What a kernel may read and write: each pointer parameter is followed through the function, and every load, store and
// atomic marks the parameters its address may come from. The answer can say too much (a pointer chosen by a condition
// counts for both), never too little.
#include "compiler/addresses.h"
#include "compiler/tileir/program_internal.h"

#include <string.h>

enum { ORIGINS_MAX = 63 }; // parameters beyond share the last bit

typedef struct UseTracer {
    const TirFunction *function;
    uint64_t *origins; // per value: the pointer parameters it may point into
    uint32_t *parameter_bit;
    ProgramUse *uses; // of each parameter, then of addresses that are of none
    uint32_t parameter_count;
    bool changed;
} UseTracer;

static void add_origins(UseTracer *t, TirValue value, uint64_t origins) {
    if ((t->origins[value] | origins) == t->origins[value]) return;
    t->origins[value] |= origins;
    t->changed = true;
}

static bool points(const UseTracer *t, TirValue value) {
    const TirModule *module = t->function->module;
    const TirTypeInfo *type = tir_type(module, tir_value_type(t->function, value));
    switch (type->kind) {
    case TIR_TYPE_tile: return tir_type(module, type->element)->kind == TIR_TYPE_ptr;
    case TIR_TYPE_tensor_view:
    case TIR_TYPE_partition_view:
    case TIR_TYPE_gather_scatter_view:
    case TIR_TYPE_strided_view: return true;
    default: return false;
    }
}

// Where the op's results, or what it carries its operands to, may point. An integer made a pointer that is no pointer's
// address, as far as is known, was computed or loaded: it may be any.
static uint64_t passed_origins(const UseTracer *t, const TirOp *op) {
    if (tir_op_does(op, TIR_MAKES)) return 0;
    bool pointers = op->region_count || tir_op_info(op->kind)->terminator; // whether origins 0 are those of pointers
    uint64_t origins = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tir_op_passes(op, i)) continue;
        origins |= t->origins[op->operands[i]];
        pointers |= points(t, op->operands[i]);
    }
    return pointers || origins ? origins : UINT64_MAX;
}

static void trace_region(UseTracer *t, const TirRegion *region, uint64_t *leaving);

static void trace_op(UseTracer *t, const TirOp *op, uint64_t *leaving) {
    uint64_t origins = passed_origins(t, op);
    if (op->region_count) { // carried values may go round, and leave
        for (uint32_t r = 0; r < op->region_count; r++) {
            for (const TirBlock *block = op->regions[r].first; block; block = block->next)
                for (uint32_t a = 0; a < block->argument_count; a++)
                    if (points(t, block->first_argument + a)) add_origins(t, block->first_argument + a, origins);
            trace_region(t, &op->regions[r], &origins);
            for (const TirBlock *block = op->regions[r].first; block; block = block->next)
                for (uint32_t a = 0; a < block->argument_count; a++)
                    if (points(t, block->first_argument + a)) add_origins(t, block->first_argument + a, origins);
        }
        *leaving |= origins; // a break may belong to a loop further out
    }
    const bool address = !op->region_count && tir_op_passed(op) != TIR_NO_VALUE && points(t, tir_op_passed(op));
    for (uint32_t r = 0; r < op->result_count; r++)
        if (address || points(t, op->first_result + r)) add_origins(t, op->first_result + r, origins);
}

static void trace_region(UseTracer *t, const TirRegion *region, uint64_t *leaving) {
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) {
            trace_op(t, op, leaving);
            if (tir_op_info(op->kind)->terminator) *leaving |= passed_origins(t, op);
        }
}

// ---- accesses

static void note_tile(UseTracer *t, ProgramUse *use, TirValue view) {
    if (!use->tile_rank) tir_covering_tiles(t->function, view, &use->tile_rank, use->tile);
}

static void note_access(UseTracer *t, const TirOp *op, uint64_t origins, TirValue view) {
    const bool reads = tir_op_does(op, TIR_READS), writes = tir_op_does(op, TIR_WRITES), any = origins == UINT64_MAX;
    for (uint32_t p = 0; p < t->parameter_count + any; p++) {
        if (p < t->parameter_count && (t->parameter_bit[p] > ORIGINS_MAX || !(origins >> t->parameter_bit[p] & 1)))
            continue;
        t->uses[p].reads |= reads;
        t->uses[p].writes |= writes;
        t->uses[p].reads_own |= reads && !any;
        t->uses[p].writes_own |= writes && !any;
        if (writes) t->uses[p].stored_by = tir_op_name(op), t->uses[p].stored_at = op->at;
        if (writes && view != TIR_NO_VALUE) note_tile(t, &t->uses[p], view);
    }
}

// What goes to other parts of the block may be read and written there. Of the block's memory itself nobody outside
// knows.
static void note_escapes(UseTracer *t, const TirOp *op) {
    const TirValue *operands;
    const uint32_t count = tir_operands(op, "operands", &operands);
    for (uint32_t i = 0; i < count; i++)
        if (t->origins[operands[i]]) note_access(t, op, t->origins[operands[i]], TIR_NO_VALUE);
}

static void note_op(UseTracer *t, const TirOp *op) {
    if (op->kind == TIR_OP_block_operation) {
        note_escapes(t, op);
        return;
    }
    if (!tir_op_does(op, TIR_READS | TIR_WRITES)) return;
    const TirValue address = tir_op_address(op);
    const bool known = address != TIR_NO_VALUE;
    const bool view =
        known && tir_type(t->function->module, tir_value_type(t->function, address))->kind != TIR_TYPE_tile;
    note_access(t, op, known ? t->origins[address] : UINT64_MAX, view ? address : TIR_NO_VALUE);
}

static void note_region(UseTracer *t, const TirRegion *region) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op)) note_op(t, op);
}

ProgramUse *tir_trace_memory(Arena *arena, const TirFunction *entry) {
    Arena scratch = {0};
    const TirBlock *body = entry->body.first;
    UseTracer t = {
        .function = entry, .parameter_count = tir_type(entry->module, entry->type)->parameter_count, .changed = true};
    t.uses = arena_array(arena, ProgramUse, t.parameter_count + 1);
    t.origins = arena_array(&scratch, uint64_t, entry->value_count + 1);
    t.parameter_bit = arena_array(&scratch, uint32_t, t.parameter_count + 1);
    uint32_t pointers = 0;
    for (uint32_t p = 0; body && p < t.parameter_count; p++) {
        t.parameter_bit[p] = ORIGINS_MAX + 1; // none
        if (!points(&t, body->first_argument + p)) continue;
        t.parameter_bit[p] = pointers < ORIGINS_MAX ? pointers : ORIGINS_MAX;
        pointers++;
        t.origins[body->first_argument + p] = UINT64_C(1) << t.parameter_bit[p];
    }
    while (t.changed) { // ends: the sets only grow, and each round but the last grows one
        uint64_t leaving = 0;
        t.changed = false;
        trace_region(&t, &entry->body, &leaving);
    }
    note_region(&t, &entry->body);
    arena_reset(&scratch);
    return t.uses;
}

static const TirFunction *entry_of(const TirModule *module, const ProgramKernel *kernel) {
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].entry && !strcmp(module->functions[f].name, kernel->name))
            return &module->functions[f];
    return NULL;
}

ProgramAddresses tir_kernel_addresses(const Program *program, const ProgramKernel *kernel) {
    Arena scratch = {0};
    const TirFunction *entry = entry_of(program->tiles, kernel);
    const uint32_t parameters = tir_type(entry->module, entry->type)->parameter_count;
    ProgramAddresses addresses = {.followed = tir_trace_memory(&scratch, entry)[parameters]};
    addresses.followed.unknown = true;
    for (const TirOp *op = tir_first_op(&entry->body); op && !addresses.made; op = tir_next_op(&entry->body, op))
        addresses.made = op->kind == TIR_OP_ptr_to_int;
    arena_reset(&scratch);
    return addresses;
}
