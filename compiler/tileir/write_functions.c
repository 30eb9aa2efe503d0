// SPDX-License-Identifier: Apache-2.0
// Sections Func and Global of the bytecode: function records, ops, regions, and the debug references on the way.
#include "compiler/tileir/write_internal.h"

#include <stdio.h>

typedef struct FunctionWriter {
    Writer *writer;
    const TirFunction *function;
    bool debug; // every op leaves a reference
    // The file numbers values per scope; these are the numbers of what is in scope, NO_NUMBER else.
    uint32_t *numbers;
    TirValue *scope;
    uint32_t scope_count, depth;
} FunctionWriter;

enum { NO_NUMBER = UINT32_MAX, NEWER_RESULT = UINT32_MAX - 1 }; // NEWER_RESULT: the version has no such result

static bool write_op(FunctionWriter *writer, Buffer *out, const TirOp *op);

// ---- values ----------------------------------------

static void push_value(FunctionWriter *writer, TirValue value) {
    writer->numbers[value] = writer->scope_count;
    writer->scope[writer->scope_count++] = value;
}

static void pop_values(FunctionWriter *writer, uint32_t count) {
    while (writer->scope_count > count) {
        TirValue value = writer->scope[--writer->scope_count];
        if (value != TIR_NO_VALUE) writer->numbers[value] = NO_NUMBER;
    }
}

// How many results the version gives an op; -1: as many as there are.
static int results_in(uint16_t version, const TirOpInfo *info) {
    if (info->result_count < 0) return -1;
    int count = 0;
    for (int i = 0; i < info->result_count; i++) count += info->results[i].since <= version;
    return count;
}

// A result that only the newer version has is nobody's operand, but takes a number.
static void push_results(FunctionWriter *writer, const TirOp *op) {
    int count = results_in(writer->writer->version, tir_op_info(op->kind));
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (count < 0 || i < (uint32_t)count)
            push_value(writer, op->first_result + i);
        else
            writer->numbers[op->first_result + i] = NEWER_RESULT;
    }
    for (int i = (int)op->result_count; i < count; i++) writer->scope[writer->scope_count++] = TIR_NO_VALUE;
}

// ---- the parts of an op ----------------------------------------

static void write_debug_ref(FunctionWriter *writer, uint64_t ref) {
    if (writer->debug) write_fixed(&writer->writer->debug_refs, ref, 8);
}

static bool write_results(FunctionWriter *writer, Buffer *out, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    int declared = results_in(writer->writer->version, info);
    uint32_t count = declared < 0 ? op->result_count : (uint32_t)declared;
    if (info->counted_results) write_varint(out, count);
    for (uint32_t i = 0; i < count; i++) {
        // What an older version lacks is always a token.
        bool written = i < op->result_count
                           ? write_type(writer->writer, out, tir_value_type(writer->function, op->first_result + i))
                           : write_token_type(writer->writer, out);
        if (!written) return false;
    }
    return true;
}

// Whether leaving the attribute out would change the op.
static bool attribute_says_something(const TirAttributeInfo *row, const TirAttribute *attribute) {
    if (!attribute->present) return false;
    if (row->kind == TIR_ATTR_ENUM && row->has_default) return attribute->integer != row->default_value;
    if (row->kind != TIR_ATTR_BOOL_ARRAY) return true;
    bool any = false;
    for (size_t i = 0; i < attribute->length; i++) any |= attribute->numbers[i] != 0;
    return any;
}

static uint64_t op_flags(const FunctionWriter *writer, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    uint16_t version = writer->writer->version;
    uint64_t flags = 0;
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        const TirAttributeInfo *row = &info->attributes[i];
        if (row->flag >= 0 && row->since <= version && op->attributes[i].present) flags |= UINT64_C(1) << row->flag;
    }
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (info->operands[i].flag >= 0 && op->segments[i]) flags |= UINT64_C(1) << info->operands[i].flag;
    return flags;
}

static bool write_attributes(FunctionWriter *writer, Buffer *out, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        const TirAttributeInfo *row = &info->attributes[i];
        const TirAttribute *attribute = &op->attributes[i];
        if (row->since > writer->writer->version) {
            if (attribute_says_something(row, attribute) &&
                !version_has(writer->writer, row->since, "attribute", row->name))
                return false;
        } else if (row->flag < 0 || attribute->present) {
            if (!write_op_attribute(writer->writer, out, op, i)) return false;
        }
    }
    return true;
}

static bool write_operand(FunctionWriter *writer, Buffer *out, const TirOp *op, uint32_t declared, TirValue value) {
    const TirOperandInfo *row = &tir_op_info(op->kind)->operands[declared];
    uint32_t number = value < writer->function->value_count ? writer->numbers[value] : NO_NUMBER;
    if (number < NEWER_RESULT) {
        write_varint(out, number);
        return true;
    }
    if (number == NO_NUMBER)
        return WRITE_FAIL(writer->writer, E_VERIFY, "%s: operand '%s' is not defined before the op",
                          writer->writer->subject, row->name);
    const TirValueInfo *info = tir_value(writer->function, value);
    const TirOpInfo *definition = tir_op_info(info->definition->kind);
    const TirOperandInfo *result = &definition->results[info->index];
    char what[2 * TIR_NAME_MAX + 64];
    snprintf(what, sizeof what, "operand '%s' is a result of %s that", row->name, definition->name);
    return version_has(writer->writer, result->since, what, NULL);
}

static bool write_operands(FunctionWriter *writer, Buffer *out, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    const TirValue *value = op->operands;
    if (info->counted_operands) write_varint(out, op->operand_count);
    for (uint32_t i = 0; i < info->operand_count; i++) {
        const TirOperandInfo *row = &info->operands[i];
        if (op->segments[i] && !version_has(writer->writer, row->since, "operand", row->name)) return false;
        if (row->arity == TIR_VARIADIC && info->segmented) write_varint(out, op->segments[i]);
        for (uint32_t j = 0; j < op->segments[i]; j++)
            if (!write_operand(writer, out, op, i, *value++)) return false;
    }
    return true;
}

// ---- regions ----------------------------------------

static bool write_ops(FunctionWriter *writer, Buffer *out, const TirBlock *block) {
    for (const TirOp *op = block->first; op; op = op->next)
        if (!write_op(writer, out, op)) return false;
    return true;
}

static bool write_block(FunctionWriter *writer, Buffer *out, const TirBlock *block) {
    uint32_t outer = writer->scope_count;
    write_varint(out, block->argument_count);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        TirValue argument = block->first_argument + i;
        if (!write_type(writer->writer, out, tir_value_type(writer->function, argument))) return false;
        push_value(writer, argument);
    }
    write_varint(out, block->op_count);
    bool good = write_ops(writer, out, block);
    pop_values(writer, outer);
    return good;
}

static bool write_regions(FunctionWriter *writer, Buffer *out, const TirOp *op) {
    if (writer->depth == TIR_NESTING_MAX)
        return WRITE_FAIL(writer->writer, E_LIMIT, "regions are nested more than %d deep", TIR_NESTING_MAX);
    writer->depth++;
    write_varint(out, op->region_count);
    for (uint32_t i = 0; i < op->region_count; i++) {
        write_varint(out, op->regions[i].block_count);
        for (const TirBlock *block = op->regions[i].first; block; block = block->next)
            if (!write_block(writer, out, block)) return false;
    }
    writer->depth--;
    return true;
}

static void begin_subject(Writer *writer, Location at, const char *subject) {
    writer->at = at;
    writer->subject = subject;
}

// reduce and scan of ours may have no identities.
static bool lacks_identities(const TirOp *op) {
    if (op->kind != TIR_OP_reduce && op->kind != TIR_OP_scan) return false;
    const TirAttribute *identities = tir_attribute(op, "identities");
    return identities && !identities->length;
}

// opcode, results, flags, attributes, operands, regions
static bool write_op(FunctionWriter *writer, Buffer *out, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    begin_subject(writer->writer, op->at, info->name);
    if (info->text_only)
        return WRITE_FAIL(writer->writer, E_VERSION, "bytecode has no place for the op '%s'", info->text_name);
    if (lacks_identities(op))
        return WRITE_FAIL(writer->writer, E_VERSION, "bytecode has no place for a '%s' without identities",
                          info->text_name);
    if (!version_has(writer->writer, info->since, "the op", NULL)) return false;
    write_varint(out, info->opcode);
    write_debug_ref(writer, op->debug);
    if (!write_results(writer, out, op)) return false;
    if (info->flags_since <= writer->writer->version) write_varint(out, op_flags(writer, op));
    if (!write_attributes(writer, out, op) || !write_operands(writer, out, op)) return false;
    if (info->region_count && !write_regions(writer, out, op)) return false;
    push_results(writer, op);
    return true;
}

// ---- function records ----------------------------------------

// Whether the function has a row of debug references: as in the file, else if anything in it has one.
static bool has_debug(const TirFunction *function) {
    const struct TirReadTables *tables = function->module->tables;
    size_t index = (size_t)(function - function->module->functions);
    if (tables && index < tables->function_count && tables->functions[index].debug_row) return true;
    const TirOp *op = tir_first_op(&function->body);
    while (op && !op->debug) op = tir_next_op(&function->body, op);
    return function->debug || op;
}

static uint8_t function_flags(const Writer *writer, const TirFunction *function) {
    const uint8_t known = FUNCTION_PRIVATE | FUNCTION_ENTRY | FUNCTION_HINTS;
    const bool says_hints = writer->version < SINCE_ARGUMENT_ATTRIBUTES && function->hints.present;
    size_t index = (size_t)(function - function->module->functions);
    uint8_t flags = (function->is_private ? FUNCTION_PRIVATE : 0) | (function->entry ? FUNCTION_ENTRY : 0) |
                    (says_hints ? FUNCTION_HINTS : 0);
    if (writer->kept && index < writer->kept->function_count)
        flags |= writer->kept->functions[index].flags & (uint8_t)~known;
    return flags;
}

static void open_debug_row(FunctionWriter *writer, Buffer *out) {
    Writer *file = writer->writer;
    writer->debug = has_debug(writer->function);
    if (writer->debug) {
        write_fixed(&file->debug_starts, file->debug_refs.size / 8, 4);
        file->debug_row_count++;
    }
    write_varint(out, writer->debug ? file->debug_row_count : 0);
    write_debug_ref(writer, writer->function->debug);
}

static bool write_body(FunctionWriter *writer, Buffer *out) {
    const TirFunction *function = writer->function;
    const TirBlock *block = function->body.first;
    Arena scratch = {0};
    Buffer body = {0};
    size_t values = (size_t)function->value_count + 1;
    // A result that the version adds takes a number too.
    size_t numbers = values + (size_t)function->op_count * TIR_RESULTS_MAX;
    writer->numbers = arena_array(&scratch, uint32_t, values);
    writer->scope = arena_array(&scratch, TirValue, numbers);
    memset(writer->numbers, 0xff, values * sizeof *writer->numbers);
    for (uint32_t i = 0; i < block->argument_count; i++) push_value(writer, block->first_argument + i);
    bool good = write_ops(writer, &body, block);
    if (good) {
        write_varint(out, body.size);
        buffer_append(out, body.data, body.size);
    }
    buffer_free(&body);
    arena_reset(&scratch);
    return good;
}

// Hints, if there are some; from 13.5 on always, and attributes of arguments.
static bool write_entry_attributes(Writer *writer, Buffer *out, const TirFunction *function) {
    const bool always = writer->version >= SINCE_ARGUMENT_ATTRIBUTES;
    TirAttribute hints = function->hints, arguments = function->argument_attributes;
    hints.tag = TIR_TAG_HINTS;
    arguments.tag = TIR_TAG_ARRAY;
    if (!function->hints.present) hints.length = 0;
    if ((hints.present || always) && !write_tagged_attribute(writer, out, &hints)) return false;
    if (always) return write_tagged_attribute(writer, out, &arguments);
    return !arguments.present || version_has(writer, SINCE_ARGUMENT_ATTRIBUTES, "attributes of arguments", NULL);
}

// name, type, flags, debug row, hints, attributes of arguments, body
static bool write_function(Writer *writer, Buffer *out, const TirFunction *function) {
    begin_subject(writer, function->at, arena_format(&writer->scratch, "entry @%s", function->name));
    if (!function->entry)
        return WRITE_FAIL(writer, E_VERSION, "function @%s is not an entry, which no version of the bytecode has",
                          function->name);
    if (function->body.block_count != 1)
        return WRITE_FAIL(writer, E_VERIFY, "%s has %u blocks, expected one", writer->subject,
                          function->body.block_count);
    if (function->memory_bytes)
        return WRITE_FAIL(writer, E_VERSION, "%s has memory of the block, which bytecode has no place for",
                          writer->subject);
    FunctionWriter state = {.writer = writer, .function = function};
    write_name(writer, out, function->name);
    if (!write_type(writer, out, function->type)) return false;
    write_byte(out, function_flags(writer, function));
    open_debug_row(&state, out);
    return write_entry_attributes(writer, out, function) && write_body(&state, out);
}

bool write_function_section(Writer *writer) {
    const TirModule *module = writer->module;
    Buffer *out = &writer->payloads[SECTION_FUNC];
    write_varint(out, module->function_count);
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!write_function(writer, out, &module->functions[i])) return false;
    if (!writer->kept || writer->kept->functions_padded) write_padding(out, section_alignments[SECTION_FUNC]);
    return true;
}

// ---- globals ----------------------------------------

static bool write_global(Writer *writer, Buffer *out, const TirGlobal *global) {
    begin_subject(writer, (Location){.file = writer->module->path},
                  arena_format(&writer->scratch, "global @%s", global->name));
    write_name(writer, out, global->name);
    if (!write_type(writer, out, global->type)) return false;
    write_constant(writer, out, &global->value);
    write_varint(out, global->alignment);
    if (writer->version >= SINCE_GLOBAL_FLAGS) {
        write_varint(out, global->is_private);
        write_varint(out, global->constant);
        return true;
    }
    return (!global->is_private || version_has(writer, SINCE_GLOBAL_FLAGS, "attribute", "private")) &&
           (!global->constant || version_has(writer, SINCE_GLOBAL_FLAGS, "attribute", "constant"));
}

bool write_global_section(Writer *writer) {
    const TirModule *module = writer->module;
    Buffer *out = &writer->payloads[SECTION_GLOBAL];
    write_varint(out, module->global_count);
    writer->needed[SECTION_GLOBAL] = module->global_count > 0;
    for (uint32_t i = 0; i < module->global_count; i++)
        if (!write_global(writer, out, &module->globals[i])) return false;
    return true;
}
