// SPDX-License-Identifier: Apache-2.0
// Names of values: derived from the ops that make them, as tileirdisasm does (tile-ir.md section 4, Names).
//
// A block is numbered whole, arguments first, before the regions of its ops; a region starts from the counters as they
// stand at the end of the block around it, so sibling regions use the same numbers. A name that is taken gets _N from a
// counter of clashes.
#include "compiler/tileir/print_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_LENGTH_MAX = 256
}; // a chain of assume ops would make names as long as the chain; longer ones become plain numbers

typedef struct Counters {
    uint32_t number, argument, clash;
} Counters;

typedef struct Namer {
    Arena *arena, scratch;
    const TirFunction *function;
    ValueNames names;
    Counters counters;
    Map taken;      // every name ever used to its place in `live`
    bool *live;     // whether the name is used in an open region
    uint32_t *used; // places in `live` in the order of use, to close a region's names
    size_t live_count, live_capacity, used_count, used_capacity;
} Namer;

// ---- one name -------------------------------------------------------------------------------------------------------

static bool take_name(Namer *namer, const char *name) {
    uint64_t place;
    if (map_find(&namer->taken, name, &place)) {
        if (namer->live[place]) return false;
    } else {
        place = namer->live_count;
        namer->live =
            arena_grow(&namer->scratch, namer->live, namer->live_count++, &namer->live_capacity, sizeof *namer->live);
        map_insert(&namer->taken, &namer->scratch, name, place);
    }
    namer->live[place] = true;
    namer->used =
        arena_grow(&namer->scratch, namer->used, namer->used_count, &namer->used_capacity, sizeof *namer->used);
    namer->used[namer->used_count++] = (uint32_t)place;
    return true;
}

// The name itself or, where it is taken, with a suffix; an empty one gives the next number.
static const char *unique_name(Namer *namer, const char *name) {
    if (!*name) return arena_format(namer->arena, "%" PRIu32, namer->counters.number++);
    if (take_name(namer, name)) return arena_text(namer->arena, name, strlen(name));
    for (;;) {
        const char *other = arena_format(namer->arena, "%s_%" PRIu32, name, namer->counters.clash++);
        if (take_name(namer, other)) return other;
    }
}

// ---- base names -----------------------------------------------------------------------------------------------------

typedef char NameText[NAME_LENGTH_MAX];

// true, false, cst_5_i32, cst_f32: the value is there if all elements are equal and, for floats, if it is exactly an
// unsigned integer.
static void constant_name(const TirOp *op, NameText name) {
    const TirModule *module = tir_op_function(op)->module;
    TirType type = tir_value_type(tir_op_function(op), op->first_result);
    const TirConstant *constant = &op->attributes[0].constant;
    snprintf(name, NAME_LENGTH_MAX, "cst");
    if (!tir_constant_has_elements(module, type, constant)) return;
    TirTypeKind kind = tir_tile_element_kind(module, type);
    bool splat = tir_constant_is_splat(module, type, constant);
    uint64_t bits = tir_constant_bits(module, type, constant, 0), value;
    const char *kind_name = tir_type_rows[kind].name;
    if (kind == TIR_TYPE_i1 && splat) {
        snprintf(name, NAME_LENGTH_MAX, "%s", bits ? "true" : "false");
    } else if (!splat || kind == TIR_TYPE_i1) {
        snprintf(name, NAME_LENGTH_MAX, "cst_%s", kind_name);
    } else if (tir_type_rows[kind].class == TIR_CLASS_INTEGER) {
        uint32_t unused = 64 - tir_type_rows[kind].bits;
        snprintf(name, NAME_LENGTH_MAX, "cst_%" PRId64 "_%s", (int64_t)(bits << unused) >> unused, kind_name);
    } else if (tir_float_is_nan(kind, bits)) {
        snprintf(name, NAME_LENGTH_MAX, "cst_NaN_%s", kind_name);
    } else if (tir_float_is_integer(kind, bits, &value)) {
        snprintf(name, NAME_LENGTH_MAX, "cst_%" PRIu64 "_%s", value, kind_name);
    } else {
        snprintf(name, NAME_LENGTH_MAX, "cst_%s", kind_name);
    }
}

// Word `index` of space separated words.
static void word_of(const char *words, uint32_t index, NameText name) {
    for (; index > 0; index--) words += strcspn(words, " ") + 1;
    snprintf(name, NAME_LENGTH_MAX, "%.*s", (int)strcspn(words, " "), words);
}

static bool base_name(const TirOp *op, uint32_t result, NameText name);

// The op that makes the operand of an assume op, NULL for an argument.
static const TirOp *assumed_op(const TirOp *op) {
    return tir_value(tir_op_function(op), op->operands[0])->definition;
}

// assume_ and the base name of the operand's op, if that is one of those that name their results (perhaps as nothing).
static void assume_name(const TirOp *op, NameText name) {
    size_t depth = 0; // assume ops under each other
    const TirOp *producer = assumed_op(op);
    for (; producer && producer->kind == TIR_OP_assume && depth < NAME_LENGTH_MAX; producer = assumed_op(op), depth++)
        op = producer;
    NameText inner = "";
    name[0] = 0;
    if (depth == NAME_LENGTH_MAX) return;
    bool named = producer && base_name(producer, tir_value(tir_op_function(op), op->operands[0])->index, inner);
    if (strlen(inner) + (depth + 1) * strlen("assume_") >= NAME_LENGTH_MAX) return;
    for (size_t i = 0; i <= depth; i++) strcat(name, i < depth || named ? "assume_" : "assume");
    strcat(name, inner);
}

// The name that the op itself gives to one of its results, "" for a number. Returns false if ops of its kind name
// nothing.
static bool base_name(const TirOp *op, uint32_t result, NameText name) {
    const char *fixed = "";
    name[0] = 0;
    switch (op->kind) {
    case TIR_OP_assume: assume_name(op, name); return true;
    case TIR_OP_constant: constant_name(op, name); return true;
    case TIR_OP_broadcast: fixed = "bcast"; break;
    case TIR_OP_reshape: fixed = "reshape"; break;
    case TIR_OP_make_tensor_view: fixed = "tview"; break;
    case TIR_OP_make_partition_view: fixed = "pview"; break;
    case TIR_OP_make_strided_view: fixed = "sview"; break;
    case TIR_OP_make_gather_scatter_view: fixed = "gsview"; break;
    case TIR_OP_reduce: fixed = "reduce"; break;
    case TIR_OP_for: fixed = "for"; break;
    case TIR_OP_if:
    case TIR_OP_loop:
    case TIR_OP_scan: break;
    default:
        if (tir_op_info(op->kind)->result_count < 2) return false;
        word_of(tir_op_info(op->kind)->result_names, result, name);
        return true;
    }
    if (result == 0) snprintf(name, NAME_LENGTH_MAX, "%s", fixed);
    return true;
}

// ---- ops and blocks -------------------------------------------------------------------------------------------------

bool tir_result_is_upgraded(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    return info->result_count == 1 && op->result_count == 0 && info->results[0].since > info->since;
}

// Declared results have a name each; the variadic ones of an op share that of the first: %for:2, used as %for#1.
static void name_results(Namer *namer, const TirOp *op) {
    NameText name;
    if (tir_result_is_upgraded(op))
        namer->names.upgraded[op->number] = arena_format(namer->arena, "%%%s", unique_name(namer, ""));
    if (!op->result_count) return;
    const char **uses = namer->names.uses + op->first_result, **head = &namer->names.heads[op->first_result];
    if (tir_op_info(op->kind)->result_count < 0 || op->result_count == 1) {
        base_name(op, 0, name);
        const char *base = unique_name(namer, name);
        *head = op->result_count == 1 ? arena_format(namer->arena, "%%%s", base)
                                      : arena_format(namer->arena, "%%%s:%" PRIu32, base, op->result_count);
        uses[0] = base;
        for (uint32_t i = 0; op->result_count > 1 && i < op->result_count; i++)
            uses[i] = arena_format(namer->arena, "%s#%" PRIu32, base, i);
        return;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        base_name(op, i, name);
        uses[i] = unique_name(namer, name);
        *head =
            i ? arena_format(namer->arena, "%s, %%%s", *head, uses[i]) : arena_format(namer->arena, "%%%s", uses[i]);
    }
}

static void argument_name(const TirBlock *block, uint32_t index, NameText name) {
    const TirOp *owner = block->region->owner;
    name[0] = 0;
    if (owner && owner->kind == TIR_OP_for) {
        if (index == 0)
            snprintf(name, NAME_LENGTH_MAX, "loopIdx");
        else
            snprintf(name, NAME_LENGTH_MAX, "iterArg%" PRIu32, index - 1);
    } else if (owner && owner->kind == TIR_OP_reduce) {
        const char *side = index % 2 ? "reduce_rhs" : "reduce_lhs";
        if (block->argument_count > 2)
            snprintf(name, NAME_LENGTH_MAX, "%s%" PRIu32, side, index / 2);
        else
            snprintf(name, NAME_LENGTH_MAX, "%s", side);
    }
}

static void name_block(Namer *namer, const TirBlock *block) {
    for (uint32_t i = 0; i < block->argument_count; i++) {
        NameText name;
        argument_name(block, i, name);
        if (!*name) snprintf(name, sizeof name, "arg%" PRIu32, namer->counters.argument++);
        namer->names.uses[block->first_argument + i] = unique_name(namer, name);
    }
    for (const TirOp *op = block->first; op; op = op->next) name_results(namer, op);
}

static void name_region(Namer *namer, const TirRegion *region) {
    Counters outside = namer->counters;
    size_t names_outside = namer->used_count;
    for (const TirBlock *block = region->first; block; block = block->next) name_block(namer, block);
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next)
            for (uint32_t r = 0; r < op->region_count; r++) name_region(namer, &op->regions[r]);
    namer->counters = outside;
    while (namer->used_count > names_outside) namer->live[namer->used[--namer->used_count]] = false;
}

ValueNames tir_name_values(Arena *arena, const TirFunction *function) {
    Namer namer = {.arena = arena, .function = function};
    namer.names.uses = arena_array(arena, const char *, function->value_count);
    namer.names.heads = arena_array(arena, const char *, function->value_count);
    namer.names.upgraded = arena_array(arena, const char *, function->op_count);
    name_region(&namer, &function->body);
    arena_reset(&namer.scratch);
    return namer.names;
}
