// SPDX-License-Identifier: Apache-2.0
// Modules, functions, blocks and ops: making them, walking them, and finding operands and attributes by name.
#include "compiler/tileir/tir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- modules and functions ----------------------------------------

TirModule *tir_module_open(const char *path) {
    TirModule *module = calloc(1, sizeof *module);
    if (!module) abort();
    module->path = arena_text(&module->arena, path, strlen(path));
    module->version = TIR_VERSION_MAX;
    return module;
}

void tir_module_close(TirModule *module) {
    if (!module) return;
    arena_reset(&module->arena);
    free(module);
}

void tir_functions_reserve(TirModule *module, uint32_t count) {
    assert(!module->functions);
    module->functions = arena_array(&module->arena, TirFunction, count);
    module->function_capacity = count;
}

static TirValue add_values(TirFunction *function, uint32_t count, const TirType *types, TirBlock *block,
                           TirOp *definition) {
    TirModule *module = function->module;
    TirValue first = function->value_count;
    for (uint32_t i = 0; i < count; i++) {
        size_t capacity = function->value_capacity;
        function->values =
            arena_grow(&module->arena, function->values, function->value_count, &capacity, sizeof *function->values);
        function->value_capacity = (uint32_t)capacity;
        function->values[function->value_count++] = (TirValueInfo){types[i], i, definition, block};
    }
    return first;
}

TirFunction *tir_function_add(TirModule *module, const char *name, TirType type, bool entry) {
    if (!module->functions) tir_functions_reserve(module, TIR_FUNCTIONS_MAX);
    assert(module->function_count < module->function_capacity);
    const TirTypeInfo *info = tir_type(module, type);
    assert(info->kind == TIR_TYPE_function);
    TirFunction *function = &module->functions[module->function_count++];
    function->module = module;
    function->name = arena_text(&module->arena, name, strlen(name));
    function->type = type;
    function->entry = entry;
    function->at.file = module->path;
    function->body.function = function;
    tir_block_add(&function->body, info->parameter_count, info->parameters);
    return function;
}

TirGlobal *tir_global_add(TirModule *module) {
    module->globals = arena_grow(&module->arena, module->globals, module->global_count, &module->global_capacity,
                                 sizeof *module->globals);
    TirGlobal *global = &module->globals[module->global_count++];
    *global = (TirGlobal){0};
    return global;
}

uint64_t tir_debug_add(TirModule *module, const TirDebug *row) {
    // Rows that a program set itself fill their array.
    if (module->debug_capacity < module->debug_count) module->debug_capacity = module->debug_count;
    module->debug =
        arena_grow(&module->arena, module->debug, module->debug_count, &module->debug_capacity, sizeof *module->debug);
    module->debug[module->debug_count++] = *row;
    return module->debug_count;
}

TirConstant tir_constant(TirModule *module, const void *bytes, size_t size) {
    return (TirConstant){.bytes = (const uint8_t *)arena_text(&module->arena, bytes, size), .size = size};
}

TirBlock *tir_block_add(TirRegion *region, uint32_t argument_count, const TirType *arguments) {
    TirFunction *function = region->function;
    TirBlock *block = arena_new(&function->module->arena, TirBlock);
    *(region->last ? &region->last->next : &region->first) = block;
    region->last = block;
    region->block_count++;
    block->region = region;
    block->argument_count = argument_count;
    block->first_argument = add_values(function, argument_count, arguments, block, NULL);
    return block;
}

// ---- ops ----------------------------------------

// Without segments: one value each, what is left over goes to the one optional or variadic operand.
static void default_segments(const TirOpInfo *info, TirOp *op) {
    uint32_t left = op->operand_count;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        if (info->operands[i].arity != TIR_ONE) continue;
        assert(left);
        op->segments[i] = 1;
        left--;
    }
    for (uint32_t i = 0; i < info->operand_count && left; i++) {
        if (info->operands[i].arity == TIR_ONE) continue;
        op->segments[i] = info->operands[i].arity == TIR_OPTIONAL ? 1 : left;
        left -= op->segments[i];
    }
    assert(!left);
}

// Links the op into the block, before `next`, or at the end.
static void link_op(TirBlock *block, TirOp *op, TirOp *next) {
    op->block = block;
    op->next = next;
    op->previous = next ? next->previous : block->last;
    *(op->previous ? &op->previous->next : &block->first) = op;
    *(next ? &next->previous : &block->last) = op;
    block->op_count++;
}

// An op and its arrays in one piece: a module is mostly ops.
static TirOp *allocate_op(Arena *arena, const TirOpInfo *info, uint32_t operand_count) {
    size_t attributes = info->attribute_count * sizeof(TirAttribute), regions = info->region_count * sizeof(TirRegion),
           operands = operand_count * sizeof(TirValue);
    TirOp *op = arena_alloc(arena, sizeof *op + attributes + regions + operands);
    char *at = (char *)(op + 1);
    if (attributes) op->attributes = (TirAttribute *)at;
    at += attributes;
    if (regions) op->regions = (TirRegion *)at;
    at += regions;
    if (operands) op->operands = (TirValue *)at;
    op->operand_count = operand_count;
    op->region_count = info->region_count;
    return op;
}
_Static_assert(sizeof(TirOp) % _Alignof(TirAttribute) == 0 && sizeof(TirAttribute) % _Alignof(TirRegion) == 0,
               "the arrays behind an op are aligned");

static TirOp *add_op(TirBlock *block, TirOp *next, const TirNewOp *added) {
    TirFunction *function = block->region->function;
    Arena *arena = &function->module->arena;
    const TirOpInfo *info = tir_op_info(added->kind);
    TirOp *op = allocate_op(arena, info, added->operand_count);
    op->kind = added->kind;
    op->number = function->op_count++;
    op->at.file = function->module->path; // all that is known of what a program builds
    if (added->operand_count) memcpy(op->operands, added->operands, added->operand_count * sizeof *op->operands);
    if (added->segments)
        memcpy(op->segments, added->segments, info->operand_count * sizeof *op->segments);
    else
        default_segments(info, op);
    link_op(block, op, next);
    op->result_count = added->result_count;
    op->first_result = add_values(function, added->result_count, added->results, block, op);
    for (uint32_t i = 0; i < info->attribute_count; i++) op->attributes[i].integer = info->attributes[i].default_value;
    for (uint32_t i = 0; i < info->region_count; i++) op->regions[i] = (TirRegion){.owner = op, .function = function};
    return op;
}

TirOp *tir_op_add(TirBlock *block, const TirNewOp *added) {
    return add_op(block, NULL, added);
}

TirOp *tir_op_insert(TirOp *next, const TirNewOp *added) {
    return add_op(next->block, next, added);
}

void tir_op_remove(TirOp *op) {
    TirBlock *block = op->block;
    *(op->previous ? &op->previous->next : &block->first) = op->next;
    *(op->next ? &op->next->previous : &block->last) = op->previous;
    block->op_count--;
    op->next = op->previous = NULL;
}

// ---- walking ----------------------------------------

static TirOp *first_of_blocks(const TirBlock *block) {
    while (block && !block->first) block = block->next;
    return block ? block->first : NULL;
}

static TirOp *first_of_regions(const TirOp *op, uint32_t region) {
    TirOp *found = NULL;
    for (; !found && region < op->region_count; region++) found = first_of_blocks(op->regions[region].first);
    return found;
}

TirOp *tir_first_op(const TirRegion *region) {
    return first_of_blocks(region->first);
}

TirOp *tir_next_op(const TirRegion *region, const TirOp *op) {
    TirOp *found = first_of_regions(op, 0);
    while (!found) {
        const TirRegion *around = op->block->region;
        found = op->next ? op->next : first_of_blocks(op->block->next);
        if (found || around == region) break;
        op = around->owner;
        found = first_of_regions(op, (uint32_t)(around - op->regions) + 1);
    }
    return found;
}

void tir_number_ops(TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        TirFunction *function = &module->functions[f];
        function->op_count = 0;
        for (TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
            op->number = function->op_count++;
    }
}

// ---- copies ----------------------------------------

static void copy_region(TirRegion *to, const TirRegion *from);

// The values of the copy have the same numbers, and are there already.
static TirOp *copy_op(TirBlock *block, const TirOp *from) {
    const TirOpInfo *info = tir_op_info(from->kind);
    TirFunction *function = block->region->function;
    TirOp *op = allocate_op(&function->module->arena, info, from->operand_count);
    TirOp own = *op; // its arrays
    *op = *from;
    op->operands = own.operands;
    op->attributes = own.attributes;
    op->regions = own.regions;
    if (from->operand_count) memcpy(op->operands, from->operands, from->operand_count * sizeof *op->operands);
    if (op->attributes) memcpy(op->attributes, from->attributes, info->attribute_count * sizeof *op->attributes);
    link_op(block, op, NULL);
    for (uint32_t i = 0; i < from->result_count; i++) {
        TirValueInfo *value = &function->values[from->first_result + i];
        value->definition = op;
        value->block = block;
    }
    for (uint32_t i = 0; i < from->region_count; i++) {
        op->regions[i] = (TirRegion){.owner = op, .function = function};
        copy_region(&op->regions[i], &from->regions[i]);
    }
    return op;
}

static void copy_region(TirRegion *to, const TirRegion *from) {
    TirFunction *function = to->function;
    for (const TirBlock *block = from->first; block; block = block->next) {
        TirBlock *copy = tir_block_add(to, 0, NULL);
        copy->argument_count = block->argument_count;
        copy->first_argument = block->first_argument;
        for (uint32_t i = 0; i < block->argument_count; i++) function->values[block->first_argument + i].block = copy;
        for (const TirOp *op = block->first; op; op = op->next) copy_op(copy, op);
    }
}

// Appends a copy of a function of the module that `copy` is a copy of.
static void copy_function(TirModule *copy, const TirFunction *from) {
    TirFunction *function = &copy->functions[copy->function_count++];
    *function = *from;
    function->module = copy;
    function->body = (TirRegion){.function = function};
    function->values = arena_array(&copy->arena, TirValueInfo, from->value_count + 1u);
    if (from->value_count) memcpy(function->values, from->values, from->value_count * sizeof *from->values);
    function->value_capacity = from->value_count;
    copy_region(&function->body, &from->body);
}

static TirModule *copy_functions(const TirModule *module, uint32_t first, uint32_t count) {
    TirModule *copy = calloc(1, sizeof *copy);
    if (!copy) abort();
    *copy = *module;
    copy->arena = (Arena){0};
    copy->interner = NULL;
    copy->tables = NULL;
    copy->type_capacity = copy->type_count; // so that both grow on their own
    copy->global_capacity = copy->global_count;
    copy->debug_capacity = copy->debug_count;
    copy->functions = NULL;
    copy->function_count = copy->function_capacity = 0;
    tir_functions_reserve(copy, count + 1);
    for (uint32_t f = 0; f < count; f++) copy_function(copy, &module->functions[first + f]);
    return copy;
}

TirModule *tir_module_copy(const TirModule *module) {
    return copy_functions(module, 0, module->function_count);
}

TirModule *tir_module_copy_function(const TirModule *module, uint32_t function) {
    return copy_functions(module, function, 1);
}

// ---- copies of ops ----------------------------------------

static TirOp *clone_op(TirBlock *block, TirOp *next, const TirOp *from, TirValue *values);

static void clone_region(TirRegion *to, const TirRegion *from, TirValue *values) {
    for (const TirBlock *block = from->first; block; block = block->next) {
        TirType *types = arena_array(&to->function->module->arena, TirType, block->argument_count + 1u);
        for (uint32_t i = 0; i < block->argument_count; i++)
            types[i] = to->function->values[block->first_argument + i].type;
        TirBlock *clone = tir_block_add(to, block->argument_count, types);
        for (uint32_t i = 0; i < block->argument_count; i++)
            values[block->first_argument + i] = clone->first_argument + i;
        for (const TirOp *op = block->first; op; op = op->next) clone_op(clone, NULL, op, values);
    }
}

// `values`: what each value is in the clone.
static TirOp *clone_op(TirBlock *block, TirOp *next, const TirOp *from, TirValue *values) {
    const TirOpInfo *info = tir_op_info(from->kind);
    TirFunction *function = block->region->function;
    Arena *arena = &function->module->arena;
    TirValue *operands = arena_array(arena, TirValue, from->operand_count + 1u);
    TirType *types = arena_array(arena, TirType, from->result_count + 1u);
    for (uint32_t i = 0; i < from->operand_count; i++) operands[i] = values[from->operands[i]];
    for (uint32_t i = 0; i < from->result_count; i++) types[i] = function->values[from->first_result + i].type;
    TirOp *op = add_op(block, next,
                       &(TirNewOp){.kind = from->kind,
                                   .operand_count = from->operand_count,
                                   .operands = operands,
                                   .segments = from->segments,
                                   .result_count = from->result_count,
                                   .results = types});
    if (op->attributes) memcpy(op->attributes, from->attributes, info->attribute_count * sizeof *op->attributes);
    op->at = from->at;
    op->debug = from->debug;
    op->source_name = from->source_name;
    op->math = from->math;
    op->math_block = from->math_block;
    for (uint32_t i = 0; i < from->result_count; i++) values[from->first_result + i] = op->first_result + i;
    for (uint32_t i = 0; i < from->region_count; i++) clone_region(&op->regions[i], &from->regions[i], values);
    return op;
}

TirOp *tir_op_clone(TirBlock *block, TirOp *next, const TirOp *from, TirValue *values) {
    assert(block->region->function == tir_op_function(from));
    return clone_op(block, next, from, values);
}

void tir_op_move(TirOp *op, TirBlock *block) {
    TirFunction *function = block->region->function;
    tir_op_remove(op);
    link_op(block, op, NULL);
    for (uint32_t i = 0; i < op->result_count; i++) function->values[op->first_result + i].block = block;
}

// ---- math ----------------------------------------

static bool op_has_math(const TirOp *op) {
    return op->math.flags || op->math.max_error || op->math_block;
}

bool tir_has_math(const TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        if (module->functions[f].math) return true;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            if (op_has_math(op)) return true;
    }
    return false;
}

void tir_drop_math(TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        module->functions[f].math = NULL;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
            op->math = (TirMath){0};
            op->math_block = NULL;
        }
    }
}

// ---- by name ----------------------------------------

static uint32_t operand_index(const TirOp *op, const char *name) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (!strcmp(info->operands[i].name, name)) return i;
    assert(!"the op has no operand of this name");
    return TIR_OPERANDS_MAX;
}

uint32_t tir_operands(const TirOp *op, const char *name, const TirValue **values) {
    uint32_t index = operand_index(op, name), first = 0;
    if (index == TIR_OPERANDS_MAX) return 0;
    for (uint32_t i = 0; i < index; i++) first += op->segments[i];
    if (values) *values = op->operands ? op->operands + first : NULL;
    return op->segments[index];
}

TirValue tir_operand(const TirOp *op, const char *name) {
    const TirValue *values = NULL;
    return tir_operands(op, name, &values) ? values[0] : TIR_NO_VALUE;
}

static TirAttribute *attribute_named(const TirOp *op, const char *name) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, name)) return &op->attributes[i];
    assert(!"the op has no attribute of this name");
    return NULL;
}

const TirAttribute *tir_attribute(const TirOp *op, const char *name) {
    const TirAttribute *attribute = attribute_named(op, name);
    return attribute->present ? attribute : NULL;
}

uint64_t tir_attribute_integer(const TirOp *op, const char *name) {
    return attribute_named(op, name)->integer;
}

TirAttribute *tir_op_set(TirOp *op, const char *name) {
    TirAttribute *attribute = attribute_named(op, name);
    attribute->present = true;
    return attribute;
}

const TirValueInfo *tir_value(const TirFunction *function, TirValue value) {
    assert(value < function->value_count);
    return &function->values[value];
}

TirType tir_value_type(const TirFunction *function, TirValue value) {
    return tir_value(function, value)->type;
}

// ---- elements of constants ------------------------------------------------------------------------------------------

// tile-ir.md section 2, Constant payloads: i1 is packed, and one byte for more than eight elements is a splat of its
// bit 0; all else is one element (a splat) or all of them.
uint64_t tir_constant_bits(const TirModule *module, TirType tile, const TirConstant *constant, int64_t index) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    size_t at = (size_t)index;
    if (kind == TIR_TYPE_i1) {
        if (constant->size == 1 && tir_tile_elements(module, tile) > 8) at = 0;
        return at / 8 < constant->size ? constant->bytes[at / 8] >> (at % 8) & 1 : 0;
    }
    size_t width = (tir_type_rows[kind].bits + 7u) / 8u;
    if (constant->size == width) at = 0;
    uint64_t bits = 0;
    for (size_t i = 0; i < width && (at + 1) * width <= constant->size; i++)
        bits |= (uint64_t)constant->bytes[at * width + i] << (8 * i);
    return bits;
}

bool tir_constant_is_splat(const TirModule *module, TirType tile, const TirConstant *constant) {
    int64_t count = tir_tile_elements(module, tile);
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    // One element; of bools a byte, which up to eight of them share.
    if (constant->size == (tir_type_rows[kind].bits + 7u) / 8u && (kind != TIR_TYPE_i1 || count > 8)) return true;
    uint64_t first = tir_constant_bits(module, tile, constant, 0);
    for (int64_t i = 1; i < count; i++)
        if (tir_constant_bits(module, tile, constant, i) != first) return false;
    return true;
}

uint64_t tir_memory_bytes(TirTypeKind kind, uint64_t elements) {
    return tir_type_rows[kind].bits == 4 ? (elements + 1) / 2 : elements * tir_type_rows[kind].storage_bytes;
}

void tir_constant_memory(const TirModule *module, TirType tile, const TirConstant *constant, uint8_t *memory) {
    TirTypeKind kind = tir_tile_element_kind(module, tile);
    uint64_t count = (uint64_t)tir_tile_elements(module, tile);
    unsigned bytes = tir_type_rows[kind].storage_bytes;
    memset(memory, 0, tir_memory_bytes(kind, count));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = tir_constant_bits(module, tile, constant, (int64_t)i);
        if (kind == TIR_TYPE_tf32) bits <<= 13; // in memory an f32
        if (tir_type_rows[kind].bits == 4)
            memory[i / 2] |= (uint8_t)(bits << 4 * (i % 2));
        else
            for (unsigned b = 0; b < bytes; b++) memory[i * bytes + b] = (uint8_t)(bits >> 8 * b);
    }
}
