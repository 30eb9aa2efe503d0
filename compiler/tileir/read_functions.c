// SPDX-License-Identifier: Apache-2.0
// Sections Func and Global of the bytecode: function records, ops, regions.
#include "compiler/tileir/read_internal.h"

typedef struct FunctionReader {
    Reader *reader;
    TirFunction *function;
    const uint8_t *refs, *refs_end; // debug references still to come; NULL: the function has none
    // The file numbers values per scope: a block's numbers are free again behind it.
    TirValue *scope;
    size_t scope_count, scope_capacity;
    // of the op being read
    TirValue *operands;
    size_t operand_count, operand_capacity;
    TirType *results;
    size_t result_count, result_capacity;
    uint32_t segments[TIR_OPERANDS_MAX];
} FunctionReader;

static bool read_op(FunctionReader *reader, Cursor *cursor, TirBlock *block, uint32_t depth);

static void push_scope(FunctionReader *reader, TirValue first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        reader->scope = arena_grow(&reader->reader->scratch, reader->scope, reader->scope_count,
                                   &reader->scope_capacity, sizeof *reader->scope);
        reader->scope[reader->scope_count++] = first + i;
    }
}

// ---- debug references ----------------------------------------

static bool open_debug_row(FunctionReader *reader, Cursor *cursor, uint64_t row) {
    const Reader *file = reader->reader;
    if (!row) return true;
    if (row > file->debug_row_count)
        return READ_FAIL(cursor, cursor->offset, E_BYTECODE, "the function's debug row is %llu, but there are %llu",
                         (unsigned long long)row, (unsigned long long)file->debug_row_count);
    uint64_t start = little_endian(file->debug_starts + (row - 1) * 4, 4);
    if (start >= file->debug_ref_count)
        return READ_FAIL(cursor, cursor->offset, E_BYTECODE,
                         "debug row %llu starts at reference %llu, but there are %llu", (unsigned long long)row,
                         (unsigned long long)start, (unsigned long long)file->debug_ref_count);
    reader->refs = file->debug_refs + start * 8;
    reader->refs_end = file->debug_refs + file->debug_ref_count * 8;
    return true;
}

// The next reference of the row and the place it means: a source line, else the byte offset `begin`.
static bool take_debug(FunctionReader *reader, Cursor *cursor, size_t begin, uint64_t *ref, Location *at) {
    const Reader *file = reader->reader;
    *at = cursor_location(cursor, begin);
    *ref = 0;
    if (!reader->refs) return true;
    if (reader->refs == reader->refs_end)
        return READ_FAIL(cursor, begin, E_BYTECODE, "the debug row of the function has no reference for this op");
    *ref = little_endian(reader->refs, 8);
    reader->refs += 8;
    if (*ref > file->module->debug_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "debug reference %llu, but there are %u attributes",
                         (unsigned long long)*ref, file->module->debug_count);
    if (!debug_is_place(file->module, *ref))
        return READ_FAIL(cursor, begin, E_BYTECODE, "debug reference %llu is to no location", (unsigned long long)*ref);
    if (*ref && file->debug_locations[*ref - 1].line) *at = file->debug_locations[*ref - 1];
    return true;
}

// ---- the parts of an op ----------------------------------------

static bool read_opcode(Cursor *cursor, TirOpKind *kind) {
    size_t begin = cursor->offset;
    uint16_t version = cursor->reader->module->version;
    uint64_t opcode;
    if (!read_varint(cursor, &opcode, "an opcode")) return false;
    *kind = tir_op_by_opcode(opcode);
    if (*kind == TIR_OP_COUNT || *kind == TIR_OP_entry || *kind == TIR_OP_global || *kind == TIR_OP_module)
        return READ_FAIL(cursor, begin, E_BYTECODE, "opcode 0x%llx is not an operation", (unsigned long long)opcode);
    const TirOpInfo *info = tir_op_info(*kind);
    if (info->since > TIR_VERSION_MAX)
        return READ_FAIL(cursor, begin, E_VERSION, "%s is a preview feature (--preview), which is not supported",
                         info->text_name);
    if (info->since > version)
        return READ_FAIL(cursor, begin, E_VERSION, "%s needs version %u.%u, the file is %u.%u", info->name,
                         info->since / 100, info->since % 100, version / 100, version % 100);
    return true;
}

static bool read_results(FunctionReader *reader, Cursor *cursor, const TirOpInfo *info) {
    size_t begin = cursor->offset;
    uint64_t count = 0, declared = 0;
    for (int i = 0; i < info->result_count; i++) declared += info->results[i].since <= reader->reader->module->version;
    if (!info->counted_results)
        count = declared;
    else if (!read_count(cursor, 1, &count, "the number of results"))
        return false;
    if (info->result_count >= 0 && count != declared)
        return READ_FAIL(cursor, begin, E_BYTECODE, "%s has %llu results, expected %llu", info->name,
                         (unsigned long long)count, (unsigned long long)declared);
    for (reader->result_count = 0; reader->result_count < count; reader->result_count++) {
        reader->results = arena_grow(&reader->reader->scratch, reader->results, reader->result_count,
                                     &reader->result_capacity, sizeof *reader->results);
        if (!read_type(cursor, &reader->results[reader->result_count], "the type of a result")) return false;
    }
    return true;
}

static bool flag_set(uint64_t flags, int8_t bit) {
    return bit >= 0 && flags >> bit & 1;
}

static bool read_attributes(FunctionReader *reader, Cursor *cursor, const TirOpInfo *info, uint64_t flags,
                            TirAttribute *attributes) {
    TirType result = reader->result_count ? reader->results[0] : TIR_NO_TYPE;
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        const TirAttributeInfo *row = &info->attributes[i];
        attributes[i] = (TirAttribute){.integer = row->default_value};
        if (row->since > reader->reader->module->version || (row->flag >= 0 && !flag_set(flags, row->flag))) continue;
        if (!read_op_attribute(cursor, row, result, &attributes[i])) return false;
    }
    return true;
}

static bool read_operand(FunctionReader *reader, Cursor *cursor, const TirOpInfo *info, uint32_t declared) {
    size_t begin = cursor->offset;
    uint64_t index;
    if (!read_varint(cursor, &index, "an operand")) return false;
    if (index >= reader->scope_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "operand %s of %s is value %llu, but only %zu are defined here",
                         info->operands[declared].name, info->name, (unsigned long long)index, reader->scope_count);
    reader->operands = arena_grow(&reader->reader->scratch, reader->operands, reader->operand_count,
                                  &reader->operand_capacity, sizeof *reader->operands);
    reader->operands[reader->operand_count++] = reader->scope[index];
    reader->segments[declared]++;
    return true;
}

// How many values each declared operand has, where one total count says it: what exceeds the fixed ones.
static bool read_total_count(Cursor *cursor, const TirOpInfo *info, uint64_t *flexible) {
    size_t begin = cursor->offset;
    uint64_t total, fixed = 0, limit = UINT32_MAX;
    if (!read_count(cursor, 1, &total, "the number of operands")) return false;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        fixed += info->operands[i].arity == TIR_ONE;
        if (info->operands[i].arity == TIR_OPTIONAL) limit = 1;
    }
    *flexible = total - fixed;
    if (total >= fixed && *flexible <= limit) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s has %llu operands, expected %llu%s", info->name,
                     (unsigned long long)total, (unsigned long long)fixed, limit == 1 ? " or one more" : " or more");
}

static bool read_operands(FunctionReader *reader, Cursor *cursor, const TirOpInfo *info, uint64_t flags) {
    uint64_t flexible = 0;
    reader->operand_count = 0;
    memset(reader->segments, 0, sizeof reader->segments);
    if (info->counted_operands && !read_total_count(cursor, info, &flexible)) return false;
    for (uint32_t i = 0; i < info->operand_count; i++) {
        uint64_t count = 1;
        if (info->operands[i].arity == TIR_VARIADIC && info->segmented) {
            if (!read_count(cursor, 1, &count, "the number of operands")) return false;
        } else if (info->operands[i].arity != TIR_ONE) {
            count = info->segmented ? flag_set(flags, info->operands[i].flag) : flexible;
        }
        while (count--)
            if (!read_operand(reader, cursor, info, i)) return false;
    }
    return true;
}

// ---- regions ----------------------------------------

// varint argument count, types, varint op count, ops
static bool read_block(FunctionReader *reader, Cursor *cursor, TirRegion *region, uint32_t depth) {
    uint64_t arguments, ops;
    size_t outer = reader->scope_count;
    if (!read_count(cursor, 1, &arguments, "the number of block arguments")) return false;
    TirType *types = arena_array(&reader->reader->scratch, TirType, arguments);
    for (uint64_t i = 0; i < arguments; i++)
        if (!read_type(cursor, &types[i], "the type of a block argument")) return false;
    TirBlock *block = tir_block_add(region, (uint32_t)arguments, types);
    push_scope(reader, block->first_argument, block->argument_count);
    if (!read_count(cursor, 1, &ops, "the number of ops")) return false;
    while (ops--)
        if (!read_op(reader, cursor, block, depth)) return false;
    reader->scope_count = outer;
    return true;
}

// varint region count, per region: varint block count, blocks
static bool read_regions(FunctionReader *reader, Cursor *cursor, TirOp *op, uint32_t depth) {
    size_t begin = cursor->offset;
    const TirOpInfo *info = tir_op_info(op->kind);
    uint64_t count, blocks;
    if (!read_varint(cursor, &count, "the number of regions")) return false;
    if (count != info->region_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "%s has %llu regions, expected %u", info->name,
                         (unsigned long long)count, info->region_count);
    if (depth == TIR_NESTING_MAX)
        return READ_FAIL(cursor, begin, E_LIMIT, "regions are nested more than %d deep", TIR_NESTING_MAX);
    for (uint32_t i = 0; i < info->region_count; i++) {
        if (!read_count(cursor, 2, &blocks, "the number of blocks")) return false;
        while (blocks--)
            if (!read_block(reader, cursor, &op->regions[i], depth + 1)) return false;
    }
    return true;
}

// opcode, results, flags, attributes, operands, regions
static bool read_op(FunctionReader *reader, Cursor *cursor, TirBlock *block, uint32_t depth) {
    size_t begin = cursor->offset;
    TirAttribute attributes[TIR_ATTRIBUTES_MAX];
    TirOpKind kind;
    Location at;
    uint64_t debug, flags = 0;
    if (!read_opcode(cursor, &kind) || !take_debug(reader, cursor, begin, &debug, &at)) return false;
    const TirOpInfo *info = tir_op_info(kind);
    if (!read_results(reader, cursor, info)) return false;
    if (info->flags_since <= reader->reader->module->version && !read_varint(cursor, &flags, "the flags of an op"))
        return false;
    if (!read_attributes(reader, cursor, info, flags, attributes) || !read_operands(reader, cursor, info, flags))
        return false;
    TirOp *op = tir_op_add(block, &(TirNewOp){.kind = kind,
                                              .operand_count = (uint32_t)reader->operand_count,
                                              .operands = reader->operands,
                                              .segments = reader->segments,
                                              .result_count = (uint32_t)reader->result_count,
                                              .results = reader->results});
    op->at = at;
    op->debug = debug;
    if (info->attribute_count) memcpy(op->attributes, attributes, info->attribute_count * sizeof *attributes);
    if (info->region_count && !read_regions(reader, cursor, op, depth)) return false;
    push_scope(reader, op->first_result, op->result_count);
    return true;
}

// ---- function records ----------------------------------------

typedef struct FunctionRecord {
    const char *name;
    TirType type;
    uint8_t flags;
    uint64_t row;
    TirAttribute hints, argument_attributes;
} FunctionRecord;

static bool read_signature(Cursor *cursor, TirType *type) {
    size_t begin = cursor->offset;
    if (!read_type(cursor, type, "the type of a function")) return false;
    const TirTypeInfo *info = tir_type(cursor->reader->module, *type);
    if (info->kind != TIR_TYPE_function)
        return READ_FAIL(cursor, begin, E_BYTECODE, "the type of a function is %s, expected a function type",
                         tir_type_rows[info->kind].name);
    if (info->result_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "an entry has %u results, expected none", info->result_count);
    return true;
}

static bool read_entry_hints(Cursor *cursor, TirAttribute *hints) {
    size_t begin = cursor->offset;
    if (!read_tagged_attribute(cursor, hints, 0)) return false;
    if (hints->tag == TIR_TAG_HINTS) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "the hints of an entry have tag %d, expected %d", hints->tag,
                     TIR_TAG_HINTS);
}

// An array with a dictionary for each parameter, or of empty ones. What says nothing is not kept as said.
static bool read_argument_attributes(Cursor *cursor, TirAttribute *attributes) {
    size_t begin = cursor->offset;
    bool any = false;
    if (!read_tagged_attribute(cursor, attributes, 0)) return false;
    if (attributes->tag != TIR_TAG_ARRAY)
        return READ_FAIL(cursor, begin, E_BYTECODE, "the attributes of arguments have tag %d, expected %d",
                         attributes->tag, TIR_TAG_ARRAY);
    for (size_t i = 0; i < attributes->length; i++) {
        if (attributes->items[i].tag != TIR_TAG_DICTIONARY)
            return READ_FAIL(cursor, begin, E_BYTECODE, "the attributes of argument %zu have tag %d, expected %d", i,
                             attributes->items[i].tag, TIR_TAG_DICTIONARY);
        any |= attributes->items[i].length > 0;
    }
    attributes->present = any;
    return true;
}

// Unknown bits mean nothing before 13.4.
static bool check_function_flags(Cursor *cursor, size_t begin, const FunctionRecord *record) {
    const uint16_t version = cursor->reader->module->version;
    const bool with_form = version >= SINCE_ARGUMENT_ATTRIBUTES;
    const unsigned known = FUNCTION_PRIVATE | FUNCTION_ENTRY | (with_form ? FUNCTION_FORM : FUNCTION_HINTS);
    if (version >= SINCE_FUNCTION_CHECKS && record->flags & ~known)
        return READ_FAIL(cursor, begin, E_BYTECODE, "function %s has flags 0x%x, expected at most 0x%x", record->name,
                         record->flags, known);
    if (with_form && record->flags & FUNCTION_FORM)
        return READ_FAIL(cursor, begin, E_VERSION,
                         "function %s is a preview feature (--preview), which is not supported", record->name);
    return record->flags & FUNCTION_ENTRY ||
           READ_FAIL(cursor, begin, E_BYTECODE, "function %s is not an entry, only entries are allowed", record->name);
}

// name, type, flags, debug row, [hints]; from 13.5 on hints, attributes of arguments
static bool read_record(Cursor *cursor, FunctionRecord *record) {
    if (!read_name(cursor, &record->name, "the name of a function") || !read_signature(cursor, &record->type))
        return false;
    size_t begin = cursor->offset;
    if (!read_byte(cursor, &record->flags, "the flags of a function")) return false;
    if (!check_function_flags(cursor, begin, record)) return false;
    if (!read_varint(cursor, &record->row, "the debug row of a function")) return false;
    if (cursor->reader->module->version < SINCE_ARGUMENT_ATTRIBUTES)
        return !(record->flags & FUNCTION_HINTS) || read_entry_hints(cursor, &record->hints);
    if (!read_entry_hints(cursor, &record->hints)) return false;
    record->hints.present = record->hints.length > 0;
    return read_argument_attributes(cursor, &record->argument_attributes);
}

static bool read_body(FunctionReader *reader, Cursor *cursor) {
    uint64_t size;
    if (!read_count(cursor, 1, &size, "the byte length of a function")) return false;
    Cursor body = *cursor;
    body.end = cursor->offset + size;
    cursor->offset += size;
    TirBlock *block = reader->function->body.first;
    push_scope(reader, block->first_argument, block->argument_count);
    while (bytes_left(&body))
        if (!read_op(reader, &body, block, 0)) return false;
    return true;
}

static bool read_function(FunctionReader *state, Cursor *cursor, uint64_t index) {
    Reader *reader = state->reader;
    TirModule *module = reader->module;
    size_t begin = cursor->offset;
    FunctionRecord record = {0};
    if (!read_record(cursor, &record)) return false;
    reader->tables->functions[index] = (ReadFunction){record.flags, record.row};
    TirFunction *function = tir_function_add(module, record.name, record.type, true);
    function->name = record.name; // as the string table holds it
    function->is_private = record.flags & FUNCTION_PRIVATE;
    function->hints = record.hints;
    function->argument_attributes = record.argument_attributes;
    state->function = function;
    state->refs = NULL;
    state->scope_count = 0;
    return open_debug_row(state, cursor, record.row) &&
           take_debug(state, cursor, begin, &function->debug, &function->at) && read_body(state, cursor);
}

bool read_function_section(Cursor *cursor) {
    Reader *reader = cursor->reader;
    uint64_t count;
    if (!read_count(cursor, 5, &count, "the number of functions")) return false;
    reader->tables->functions = arena_array(&reader->module->arena, ReadFunction, count);
    reader->tables->function_count = (uint32_t)count;
    tir_functions_reserve(reader->module, (uint32_t)count);
    FunctionReader state = {.reader = reader};
    for (uint64_t i = 0; i < count; i++)
        if (!read_function(&state, cursor, i)) return false;
    reader->tables->functions_padded = bytes_left(cursor) > 0;
    return true;
}

// ---- globals ----------------------------------------

// name, type, constant, alignment; from 13.3 on visibility, constant flag
static bool read_global(Cursor *cursor, TirGlobal *global) {
    const TirModule *module = cursor->reader->module;
    uint64_t is_private = 0, constant = 0;
    if (!read_name(cursor, &global->name, "the name of a global")) return false;
    size_t begin = cursor->offset;
    if (!read_type(cursor, &global->type, "the type of a global")) return false;
    const TirTypeInfo *type = tir_type(module, global->type);
    if (type->kind != TIR_TYPE_tile || type->rank != 1)
        return READ_FAIL(cursor, begin, E_BYTECODE, "global %s is no tile of rank 1", global->name);
    if (!read_constant(cursor, global->type, &global->value)) return false;
    if (!read_varint(cursor, &global->alignment, "the alignment of a global")) return false;
    if (module->version >= SINCE_GLOBAL_FLAGS) {
        if (!read_limited(cursor, 1, &is_private, "the visibility of a global")) return false;
        if (!read_varint(cursor, &constant, "the constant flag of a global")) return false;
    }
    global->is_private = is_private;
    global->constant = constant;
    return true;
}

bool read_global_section(Cursor *cursor) {
    TirModule *module = cursor->reader->module;
    uint64_t count;
    if (!read_count(cursor, 4, &count, "the number of globals")) return false;
    for (uint64_t i = 0; i < count; i++)
        if (!read_global(cursor, tir_global_add(module))) return false;
    return true;
}
