// SPDX-License-Identifier: Apache-2.0
// The verifier: walks the module; each op is checked against its row, then by the check that the row names, then its
// regions.
//
// A row's special check runs only after the row itself holds, and an op's regions are entered only after the op holds,
// so a check may rely on counts, types and the ops around it.
#include "base/block_abi.h"
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    bool (*check)(Verifier *v, const TirOp *op);
    bool declaration; // never an op in a body
} op_checks[TIR_OP_COUNT] = {
#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)                  \
    [TIR_OP_##name] = {check_##check, false},
#define OP_DECLARATION(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)      \
    [TIR_OP_##name] = {check_##check, true},
#include "compiler/tileir/ops.def"
#undef OP
};

bool check_none(Verifier *v, const TirOp *op) {
    (void)v;
    (void)op;
    return true;
}

const char *verify_op_name(const TirOp *op) {
    if (op->source_name) return op->source_name;
    return (uint32_t)op->kind < TIR_OP_COUNT ? tir_op_info(op->kind)->text_name : "unknown";
}

bool verify_fail(Verifier *v, const TirOp *op, const char *format, ...) {
    if (v->diagnostics->count == DIAGNOSTICS_MAX) return diag_fail(v->diagnostics, op->at, E_VERIFY, "one more");
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&v->texts, format, args);
    va_end(args);
    return diag_fail(v->diagnostics, op->at, E_VERIFY, "'%s' op %s", verify_op_name(op), text);
}

// ---- helpers --------------------------------------------------------------------------------------------------------

const TirTypeInfo *verify_operand(const Verifier *v, const TirOp *op, const char *name) {
    TirValue value = tir_operand(op, name);
    return value == TIR_NO_VALUE ? NULL : tir_type(v->module, verify_value_type(v, value));
}

const TirTypeInfo *verify_result(const Verifier *v, const TirOp *op, uint32_t index) {
    return tir_type(v->module, verify_value_type(v, tir_result(op, index)));
}

TirTypeKind verify_element(const Verifier *v, const TirTypeInfo *tile) {
    return tir_type(v->module, tile->element)->kind;
}

// ---- ops, blocks, regions -------------------------------------------------------------------------------------------

static bool verify_region(Verifier *v, const TirRegion *region, uint32_t depth);

// Ops outside functions end with none that ends a block.
static bool verify_is_loose(const TirOp *op) {
    const TirFunction *function = tir_op_function(op);
    return !op->block->region->owner && !function->entry && !*function->name;
}

static bool verify_op(Verifier *v, const TirOp *op, uint32_t depth) {
    if ((uint32_t)op->kind >= TIR_OP_COUNT)
        return diag_fail(v->diagnostics, op->at, E_VERIFY, "unknown op %d", (int)op->kind);
    const TirOpInfo *info = tir_op_info(op->kind);
    if (op_checks[op->kind].declaration) return verify_fail(v, op, "is a declaration, it cannot stand in a body");
    if (op->region_count != info->region_count)
        return verify_fail(v, op, "has %" PRIu32 " regions, expected %u", op->region_count, info->region_count);
    if (!verify_row(v, op)) return false;
    if (info->terminator && op->next) return verify_fail(v, op, "ends its block, but another op follows");
    if (!info->terminator && !op->next && !verify_is_loose(op))
        return verify_fail(v, op, "is the last one of its block, expected an op that ends it");
    if (info->region_count && depth == TIR_NESTING_MAX)
        return verify_fail(v, op, "is nested more than %d regions deep", TIR_NESTING_MAX);
    if (!op_checks[op->kind].check(v, op)) return false;
    bool valid = true;
    for (uint32_t r = 0; r < op->region_count; r++) valid &= verify_region(v, &op->regions[r], depth + 1);
    return valid;
}

static bool verify_region(Verifier *v, const TirRegion *region, uint32_t depth) {
    bool valid = true;
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) {
            valid &= verify_op(v, op, depth);
            arena_reset(&v->texts);
        }
    return valid;
}

// ---- functions ------------------------------------------------------------------------------------------------------

static bool function_fail(Verifier *v, const char *format, ...) BASE_PRINTF(2, 3);
static bool function_fail(Verifier *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&v->texts, format, args);
    va_end(args);
    return diag_fail(v->diagnostics, v->function->at, E_VERIFY, "%s @%s %s", v->function->owner ? "part" : "entry",
                     v->function->name, text);
}

static bool verify_value_types(Verifier *v) {
    if (v->function->type >= v->module->type_count) return function_fail(v, "has no type");
    for (TirValue value = 0; value < v->function->value_count; value++)
        if (v->function->values[value].type >= v->module->type_count)
            return function_fail(v, "has value %" PRIu32 " without a type", value);
    return true;
}

// An entry takes scalar tiles of numbers and pointers: what else the dialect lets through (views, tokens, bare numbers)
// no compiler of it accepts.
static bool verify_signature(Verifier *v) {
    const TirTypeInfo *type = tir_type(v->module, v->function->type);
    if (type->kind != TIR_TYPE_function)
        return function_fail(v, "has the type %s, expected a function", verify_type_text(v, v->function->type));
    if (type->result_count) return function_fail(v, "returns %u values, expected none", type->result_count);
    const TirBlock *block = v->function->body.first;
    if (!block || block->next) return function_fail(v, "has %u blocks, expected one", v->function->body.block_count);
    if (block->argument_count != type->parameter_count)
        return function_fail(v, "has a body with %u arguments, but its type has %u", block->argument_count,
                             type->parameter_count);
    for (uint32_t i = 0; i < type->parameter_count; i++) {
        TirType argument = verify_value_type(v, block->first_argument + i);
        const TirTypeInfo *info = tir_type(v->module, argument);
        if (argument != type->parameters[i])
            return function_fail(v, "has argument %u of %s, but its type says %s", i, verify_type_text(v, argument),
                                 verify_type_text(v, type->parameters[i]));
        if (info->kind != TIR_TYPE_tile || info->rank)
            return function_fail(v, "has argument %u of %s, expected a scalar tile", i, verify_type_text(v, argument));
    }
    return true;
}

// A dictionary for each argument, whose names are those of a dialect: they have a dot.
static bool verify_argument_attributes(Verifier *v) {
    const TirAttribute *attributes = &v->function->argument_attributes;
    const uint32_t count = tir_type(v->module, v->function->type)->parameter_count;
    if (!attributes->present) return true;
    if (attributes->length != count)
        return function_fail(v, "has attributes of %zu arguments, expected %" PRIu32, attributes->length, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *problem = verify_argument_problem(v, &attributes->items[i]);
        if (problem) return function_fail(v, "has argument %" PRIu32 " that %s", i, problem);
    }
    return true;
}

// Of kernels whose blocks have parts (base/block_abi.h).
static bool verify_memory(Verifier *v) {
    const TirFunction *function = v->function;
    const TirTypeInfo *type = tir_type(v->module, function->type);
    if (!function->memory_bytes) return true;
    if (function->memory_bytes > BLOCK_MEMORY_MAX)
        return function_fail(v, "has %" PRIu64 " bytes of memory of the block, at most %d are possible",
                             function->memory_bytes, BLOCK_MEMORY_MAX);
    const uint32_t last = type->parameter_count - 1; // none: too large
    const TirTypeInfo *memory = type->parameter_count ? tir_type(v->module, type->parameters[last]) : NULL;
    const TirTypeInfo *pointer = memory ? tir_type(v->module, memory->element) : NULL;
    if (!pointer || pointer->kind != TIR_TYPE_ptr || tir_type(v->module, pointer->element)->kind != TIR_TYPE_i8)
        return function_fail(v, "has memory of the block, so its last argument has to be a tile<ptr<i8>>");
    for (uint32_t i = 0; function->owner && i < last; i++) {
        const TirTypeKind kind = tir_tile_element_kind(v->module, type->parameters[i]);
        if (kind != TIR_TYPE_ptr && tir_type_rows[kind].class != TIR_CLASS_INTEGER)
            return function_fail(v, "has argument %" PRIu32 " of %s, expected an integer or a pointer", i,
                                 verify_type_text(v, type->parameters[i]));
    }
    return true;
}

// Parts stand behind all entries, and each has an owner among those.
static bool verify_owner(Verifier *v, uint32_t index) {
    const TirFunction *functions = v->module->functions, *function = &functions[index];
    if (!function->owner)
        return !index || !functions[index - 1].owner || function_fail(v, "stands behind a part, expected before it");
    const TirFunction *owner = function->owner <= index ? &functions[function->owner - 1] : NULL;
    if (!owner || !owner->entry || owner->owner) return function_fail(v, "is a part of no entry before it");
    return (owner->memory_bytes && owner->memory_bytes == function->memory_bytes &&
            owner->uniform_memory == function->uniform_memory) ||
           function_fail(v, "is a part of @%s, which has no memory of the block, or other memory", owner->name);
}

static bool verify_body(Verifier *v) {
    const TirOp *last = v->function->body.first->last;
    if (!last) return function_fail(v, "has no op, expected a return at its end");
    if (last->kind != TIR_OP_return) return verify_fail(v, last, "is the last one of the entry, expected return");
    return verify_region(v, &v->function->body, 0);
}

// What only the tests of the dialect have: a function with results and any arguments, and the nameless one of ops
// outside functions.
static bool verify_testing_function(Verifier *v) {
    const TirTypeInfo *type = tir_type(v->module, v->function->type);
    const TirBlock *block = v->function->body.first;
    if (type->kind != TIR_TYPE_function || !block || block->next || block->argument_count != type->parameter_count)
        return function_fail(v, "has no body that fits its type");
    if (!*v->function->name) return verify_region(v, &v->function->body, 0);
    const TirOp *last = block->last;
    if (!last || last->kind != TIR_OP_return) return function_fail(v, "does not end with return");
    return verify_region(v, &v->function->body, 0);
}

static bool verify_function(Verifier *v, const TirFunction *function) {
    v->function = function;
    if (v->module->testing && !function->entry && function->name) {
        return verify_value_types(v) && verify_testing_function(v) && verify_debug(v);
    }
    if (!function->name || !*function->name)
        return diag_fail(v->diagnostics, function->at, E_VERIFY, "an entry has no name");
    if (!function->entry)
        return diag_fail(v->diagnostics, function->at, E_VERIFY, "function @%s is not an entry", function->name);
    if (!verify_value_types(v) || !verify_signature(v) || !verify_memory(v) || !verify_argument_attributes(v))
        return false;
    const char *problem = function->hints.present ? verify_hints_problem(v, &function->hints) : NULL;
    bool valid = !problem || function_fail(v, "%s", problem);
    return verify_body(v) && verify_debug(v) && valid;
}

// ---- module ---------------------------------------------------------------------------------------------------------

static bool verify_global(Verifier *v, const TirGlobal *global) {
    const Location at = global->at.file ? global->at : (Location){.file = v->module->path};
    if (!global->name || !*global->name) return diag_fail(v->diagnostics, at, E_VERIFY, "a global has no name");
    if (global->type >= v->module->type_count)
        return diag_fail(v->diagnostics, at, E_VERIFY, "global @%s has no type", global->name);
    const TirTypeInfo *type = tir_type(v->module, global->type);
    if (type->kind != TIR_TYPE_tile || type->rank != 1)
        return diag_fail(v->diagnostics, at, E_VERIFY, "global @%s is %s, expected a tile of rank 1", global->name,
                         verify_type_text(v, global->type));
    if (!verify_constant_fits(v->module, global->type, &global->value))
        return diag_fail(v->diagnostics, at, E_VERIFY, "global @%s has a value of %zu bytes, which does not fit %s",
                         global->name, global->value.size, verify_type_text(v, global->type));
    if (global->alignment & (global->alignment - 1))
        return diag_fail(v->diagnostics, at, E_VERIFY, "global @%s has alignment %" PRIu64 ", expected a power of two",
                         global->name, global->alignment);
    if ((global->constant || global->is_private) && v->module->version < 1303)
        return diag_fail(v->diagnostics, at, E_VERIFY, "global @%s is constant or private, which needs version 13.3",
                         global->name);
    return true;
}

static bool verify_symbol(Verifier *v, Map *symbols, Location at, const char *name) {
    if (!name || map_insert(symbols, &v->scratch, verify_text_key(v, name), 0)) return true;
    return diag_fail(v->diagnostics, at, E_VERIFY, "symbol @%s is defined twice", name);
}

static bool verify_module_types(Verifier *v) {
    bool valid = true;
    const Location at = {.file = v->module->path};
    for (TirType type = 0; type < v->module->type_count; type++) {
        const TirTypeInfo *info = tir_type(v->module, type);
        // Only the text of a problem is written to the module, into its arena.
        const char *problem = tir_type_problem((TirModule *)v->module, info);
        if (problem)
            valid =
                diag_fail(v->diagnostics, at, E_VERIFY, "type %s is not valid: %s", verify_type_text(v, type), problem);
        uint16_t since = tir_type_rows[info->kind].since;
        if (since > v->module->version)
            valid = diag_fail(v->diagnostics, at, E_VERIFY, "type %s needs version %u.%u, the module is %u.%u",
                              verify_type_text(v, type), since / 100, since % 100, v->module->version / 100,
                              v->module->version % 100);
        arena_reset(&v->texts);
    }
    return valid;
}

bool tir_verify(Diagnostics *diagnostics, const TirModule *module) {
    Verifier v = {.diagnostics = diagnostics, .module = module};
    const Location at = {.file = module->path};
    if (module->version < TIR_VERSION_MIN || module->version > TIR_VERSION_MAX)
        return diag_fail(diagnostics, at, E_VERIFY, "the module has version %u.%u, expected %d.%d to %d.%d",
                         module->version / 100, module->version % 100, TIR_VERSION_MIN / 100, TIR_VERSION_MIN % 100,
                         TIR_VERSION_MAX / 100, TIR_VERSION_MAX % 100);
    bool valid = verify_module_types(&v);
    Map symbols = {0};
    for (uint32_t i = 0; valid && i < module->global_count; i++) {
        const TirGlobal *global = &module->globals[i];
        bool found =
            verify_global(&v, global) && verify_symbol(&v, &symbols, global->at.file ? global->at : at, global->name);
        if (found) map_insert(&v.globals, &v.scratch, verify_text_key(&v, global->name), i);
        valid &= found;
    }
    bool types_valid = valid;
    for (uint32_t i = 0; types_valid && i < module->function_count; i++) {
        const TirFunction *function = &module->functions[i];
        if (!function->name || *function->name) valid &= verify_symbol(&v, &symbols, function->at, function->name);
        valid &= verify_function(&v, function) && verify_owner(&v, i);
    }
    arena_reset(&v.texts);
    arena_reset(&v.scratch);
    return valid;
}

// ---- texts that were seen: a file can use one long string in very many places, each is looked at once ---------------

typedef char TextKey[48];

static const char *address_key(TextKey key, const char *text, size_t length) {
    snprintf(key, sizeof(TextKey), "%" PRIxPTR ".%zx", (uintptr_t)text, length);
    return key;
}

const char *verify_text_key(Verifier *v, const char *text) {
    TextKey key;
    uint64_t number;
    address_key(key, text, 0);
    if (!map_find(&v->addresses, key, &number)) {
        if (!map_find(&v->contents, text, &number)) {
            number = v->contents.count;
            map_insert(&v->contents, &v->scratch, text, number);
        }
        map_insert(&v->addresses, &v->scratch, key, number);
    }
    return arena_format(&v->texts, "%" PRIu64, number);
}

bool verify_text_measured(Verifier *v, const char *text, size_t length, uint64_t *measure) {
    TextKey key;
    return map_find(&v->measures, address_key(key, text, length), measure);
}

void verify_text_measure(Verifier *v, const char *text, size_t length, uint64_t measure) {
    TextKey key;
    map_insert(&v->measures, &v->scratch, address_key(key, text, length), measure);
}
