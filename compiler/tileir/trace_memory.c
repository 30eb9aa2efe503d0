// SPDX-License-Identifier: Apache-2.0
// What a kernel may read and write: each pointer parameter is followed through the function, and every load, store and
// atomic marks the parameters its address may come from. The answer can say too much (a pointer chosen by a condition
// counts for both), never too little.
#include "compiler/addresses.h"
#include "compiler/tileir/program_internal.h"

#include <string.h>

enum { ORIGINS_MAX = 63 }; // parameters beyond share the last bit

// What a part of the function's block does through each of its parameters, the block's memory, and then through
// addresses that may be any.
typedef struct PartUses {
    const TirFunction *function;
    uint32_t parameter_count; // without the block's memory
    ProgramUse *uses;
} PartUses;

typedef struct UseTracer {
    const TirFunction *function;
    uint64_t *origins; // per value: the pointer parameters it may point into
    uint32_t *parameter_bit;
    ProgramUse *uses; // of each parameter, then of addresses that are of none
    uint32_t parameter_count;
    const PartUses *parts; // those of the entry, by their numbers less 1
    uint32_t part_count;
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

// ---- parts of the block (base/block_abi.h)

static void take_use(ProgramUse *use, const ProgramUse *of_part, bool any) {
    use->reads |= of_part->reads;
    use->writes |= of_part->writes;
    use->reads_own |= of_part->reads_own && !any;
    use->writes_own |= of_part->writes_own && !any;
    if (of_part->stored_by) use->stored_by = of_part->stored_by, use->stored_at = of_part->stored_at;
    if (use->tile_rank || !of_part->tile_rank) return;
    use->tile_rank = of_part->tile_rank;
    memcpy(use->tile, of_part->tile, sizeof use->tile);
}

static void take_uses(UseTracer *t, uint64_t origins, const ProgramUse *of_part) {
    const bool any = origins == UINT64_MAX;
    for (uint32_t p = 0; p < t->parameter_count + any; p++)
        if (p == t->parameter_count || (t->parameter_bit[p] <= ORIGINS_MAX && origins >> t->parameter_bit[p] & 1))
            take_use(&t->uses[p], of_part, any);
}

// The operand is a constant.
static bool is_number(const UseTracer *t, TirValue value, uint64_t *number) {
    const TirOp *op = tir_value(t->function, value)->definition;
    if (!op || op->kind != TIR_OP_constant) return false;
    *number = tir_constant_bits(t->function->module, tir_value_type(t->function, value),
                                &tir_attribute(op, "value")->constant, 0);
    return true;
}

// The part that the op names, and its first argument among the operands; NULL: nobody knows, or it names none.
static const PartUses *part_of(const UseTracer *t, const TirOp *op, const TirValue *operands, uint32_t count,
                               uint32_t *first) {
    enum { FORK_ARGUMENTS = 1, ISSUE_PART = 3, ISSUE_PIECES, ISSUE_ARGUMENTS, PIECE_WORDS = 5 };
    const char *operation = tir_attribute(op, "operation")->text;
    const bool issues = !strcmp(operation, "issue"), names = issues || !strcmp(operation, "fork");
    uint64_t number, pieces = 0;
    if (!names || !is_number(t, operands[issues ? ISSUE_PART : 0], &number)) return NULL;
    if (issues && !is_number(t, operands[ISSUE_PIECES], &pieces)) return NULL;
    if (pieces > count / PIECE_WORDS || !number || number > t->part_count) return NULL;
    *first = issues ? ISSUE_ARGUMENTS + (uint32_t)pieces * PIECE_WORDS : FORK_ARGUMENTS;
    return &t->parts[number - 1];
}

// What goes to a part is used as the part uses it. Where nobody knows which part that is, or what a pointer is there
// for, it is read and written.
static void note_operands(UseTracer *t, const TirOp *op) {
    static const ProgramUse all = {.reads = true, .writes = true, .reads_own = true, .writes_own = true};
    const TirValue *operands;
    uint32_t first = 0;
    const uint32_t count = tir_operands(op, "operands", &operands);
    const PartUses *part = part_of(t, op, operands, count, &first);
    for (uint32_t i = 0; i < count; i++) {
        const bool known = part && i >= first && i - first < part->parameter_count;
        take_uses(t, t->origins[operands[i]], known ? &part->uses[i - first] : &all);
    }
    for (uint32_t i = 0; i < t->part_count; i++)
        if (!part || part == &t->parts[i]) take_uses(t, UINT64_MAX, &t->parts[i].uses[t->parts[i].parameter_count + 1]);
}

static void note_op(UseTracer *t, const TirOp *op) {
    if (op->kind == TIR_OP_block_operation) {
        note_operands(t, op);
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

// What the function does, if parts do what is known of them.
static ProgramUse *trace_function(Arena *arena, const TirFunction *function, const PartUses *parts,
                                  uint32_t part_count) {
    Arena scratch = {0};
    const TirBlock *body = function->body.first;
    UseTracer t = {.function = function,
                   .parameter_count = tir_type(function->module, function->type)->parameter_count,
                   .parts = parts,
                   .part_count = part_count,
                   .changed = true};
    t.uses = arena_array(arena, ProgramUse, t.parameter_count + 1);
    t.origins = arena_array(&scratch, uint64_t, function->value_count + 1);
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
        trace_region(&t, &function->body, &leaving);
    }
    note_region(&t, &function->body);
    arena_reset(&scratch);
    return t.uses;
}

static bool does_more(const ProgramUse *use, const ProgramUse *before, uint32_t count) {
    bool more = false;
    for (uint32_t i = 0; i < count; i++)
        more |= use[i].reads > before[i].reads || use[i].writes > before[i].writes ||
                use[i].reads_own > before[i].reads_own || use[i].writes_own > before[i].writes_own;
    return more;
}

// Parts may ask for each other: at first none does anything, and what they do only grows.
static void trace_parts(Arena *arena, PartUses *parts, uint32_t count) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            ProgramUse *uses = trace_function(arena, parts[i].function, parts, count);
            more |= does_more(uses, parts[i].uses, parts[i].parameter_count + 2);
            parts[i].uses = uses;
        }
    }
}

ProgramUse *tir_trace_memory(Arena *arena, const TirFunction *entry) {
    const TirModule *module = entry->module;
    const uint32_t owner = (uint32_t)(entry - module->functions) + 1;
    PartUses *parts = NULL;
    uint32_t count = 0;
    for (uint32_t f = 0; entry->memory_bytes && f < module->function_count; f++) {
        const TirFunction *function = &module->functions[f];
        if (function->owner != owner) continue;
        if (!parts) parts = arena_array(arena, PartUses, module->function_count);
        const uint32_t parameters = tir_type(module, function->type)->parameter_count;
        parts[count++] = (PartUses){function, parameters - 1, arena_array(arena, ProgramUse, parameters + 1)};
    }
    trace_parts(arena, parts, count);
    return trace_function(arena, entry, parts, count);
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
