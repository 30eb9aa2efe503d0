// SPDX-License-Identifier: Apache-2.0
// Attributes of ops and tagged attributes of the bytecode.
#include "compiler/tileir/write_internal.h"

// ---- tagged attributes ----------------------------------------

static bool write_integer_attribute(Writer *writer, Buffer *out, const TirAttribute *attribute) {
    if (!write_type(writer, out, attribute->type)) return false;
    if (tir_type(writer->module, attribute->type)->kind == TIR_TYPE_i1)
        write_byte(out, attribute->integer != 0);
    else
        write_varint(out, attribute->integer);
    return true;
}

// One byte up to 8 bits, else the bits as a signed varint; FLOAT_LONG: as an unsigned number of 65 bits.
static bool write_float_attribute(Writer *writer, Buffer *out, const TirAttribute *attribute) {
    if (!write_type(writer, out, attribute->type)) return false;
    unsigned bits = tir_type_rows[tir_type(writer->module, attribute->type)->kind].bits;
    uint64_t value = attribute->integer;
    if (bits <= 8) {
        write_byte(out, (uint8_t)value);
    } else if (attribute->flags & FLOAT_LONG) {
        value <<= 1;
        for (int i = 0; i < 9; i++, value >>= 7) write_byte(out, (uint8_t)(value | 0x80));
        write_byte(out, (uint8_t)(value | 2));
    } else {
        write_svarint(out, (int64_t)value);
    }
    return true;
}

static bool write_array(Writer *writer, Buffer *out, const TirAttribute *attribute) {
    write_varint(out, attribute->length);
    for (size_t i = 0; i < attribute->length; i++)
        if (!write_tagged_attribute(writer, out, &attribute->items[i])) return false;
    return true;
}

static bool write_dictionary(Writer *writer, Buffer *out, const TirAttribute *attribute) {
    write_varint(out, attribute->length);
    for (size_t i = 0; i < attribute->length; i++) {
        write_name(writer, out, attribute->entries[i].name);
        if (!write_tagged_attribute(writer, out, &attribute->entries[i].value)) return false;
    }
    return true;
}

static bool write_div_by(Buffer *out, const TirAttribute *attribute) {
    write_varint(out, (uint64_t)attribute->numbers[0]);
    write_varint(out, attribute->flags);
    if (attribute->flags & EVERY_FLAG) write_svarint(out, attribute->numbers[1]);
    if (attribute->flags & ALONG_FLAG) write_svarint(out, attribute->numbers[2]);
    return true;
}

static bool write_bounded(Buffer *out, const TirAttribute *attribute) {
    write_varint(out, attribute->flags);
    if (attribute->flags & LOWER_FLAG) write_svarint(out, attribute->numbers[0]);
    if (attribute->flags & UPPER_FLAG) write_svarint(out, attribute->numbers[1]);
    return true;
}

bool write_tagged_attribute(Writer *writer, Buffer *out, const TirAttribute *attribute) {
    write_varint(out, attribute->tag);
    switch (attribute->tag) {
    case TIR_TAG_INTEGER: return write_integer_attribute(writer, out, attribute);
    case TIR_TAG_FLOAT: return write_float_attribute(writer, out, attribute);
    case TIR_TAG_BOOL: write_byte(out, attribute->integer != 0); return true;
    case TIR_TAG_TYPE: return write_type(writer, out, attribute->type);
    case TIR_TAG_STRING: write_string(writer, out, attribute->text, attribute->length); return true;
    case TIR_TAG_ARRAY: return write_array(writer, out, attribute);
    case TIR_TAG_DIV_BY: return write_div_by(out, attribute);
    case TIR_TAG_SAME_ELEMENTS: write_number_list(out, attribute->numbers, attribute->length, 8); return true;
    case TIR_TAG_DICTIONARY:
    case TIR_TAG_HINTS: return write_dictionary(writer, out, attribute);
    case TIR_TAG_BOUNDED: return write_bounded(out, attribute);
    case TIR_TAG_REDUCTION:
        write_varint(out, attribute->integer);
        return version_has(writer, SINCE_REDUCTION_ATTRIBUTES, "an attribute of kind multimem_reduction_kind", NULL);
    case TIR_TAG_NONE:
    case TIR_TAG_DENSE: break;
    }
    return WRITE_FAIL(writer, E_VERIFY, "%s: an attribute of kind %d cannot be written", writer->subject,
                      attribute->tag);
}

// ---- attributes of ops ----------------------------------------

// One bool per index; none is in bounds by default.
static void write_bools(Buffer *out, const TirOp *op, const TirAttribute *attribute) {
    if (attribute->present) {
        write_number_list(out, attribute->numbers, attribute->length, 1);
        return;
    }
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->operand_count; i++)
        if (info->operands[i].arity == TIR_VARIADIC) count = op->segments[i];
    write_varint(out, count);
    while (count--) write_byte(out, 0);
}

bool write_op_attribute(Writer *writer, Buffer *out, const TirOp *op, uint32_t index) {
    const TirAttributeInfo *row = &tir_op_info(op->kind)->attributes[index];
    const TirAttribute *attribute = &op->attributes[index];
    bool defaulted = row->kind <= TIR_ATTR_I64 || row->kind == TIR_ATTR_BOOL_ARRAY;
    if (!attribute->present && !defaulted)
        return WRITE_FAIL(writer, E_VERIFY, "%s: attribute '%s' is missing", writer->subject, row->name);
    // A file may use a word before its time; it is given back so, but nothing else is written so.
    if (row->kind == TIR_ATTR_ENUM && !writer->kept) {
        const char *word = tir_enum_word(row->enumeration, attribute->integer);
        uint16_t since = tir_enum_since(row->enumeration, attribute->integer);
        if (!version_has(writer, since, row->name, word)) return false;
    }
    switch (row->kind) {
    case TIR_ATTR_UNIT: return true; // its flag says it
    case TIR_ATTR_BOOL: write_byte(out, attribute->integer != 0); return true;
    case TIR_ATTR_ENUM:
    case TIR_ATTR_I32:
    case TIR_ATTR_I64: write_varint(out, attribute->integer); return true;
    case TIR_ATTR_STRING: write_string(writer, out, attribute->text, attribute->length); return true;
    case TIR_ATTR_I32_ARRAY: write_number_list(out, attribute->numbers, attribute->length, 4); return true;
    case TIR_ATTR_BOOL_ARRAY: write_bools(out, op, attribute); return true;
    case TIR_ATTR_ARRAY: return write_array(writer, out, attribute);
    case TIR_ATTR_HINTS: return write_dictionary(writer, out, attribute);
    case TIR_ATTR_CONSTANT: write_constant(writer, out, &attribute->constant); return true;
    case TIR_ATTR_TAGGED: return write_tagged_attribute(writer, out, attribute);
    }
    return false;
}

// ---- debug information ----------------------------------------------------------------------------------------------

static bool write_field(Writer *writer, Buffer *out, DebugField field, const TirDebug *debug) {
    switch (field) {
    case FIELD_REF0: write_varint(out, debug->refs[0]); break;
    case FIELD_REF1: write_varint(out, debug->refs[1]); break;
    case FIELD_NAME: write_name(writer, out, debug->name); break;
    case FIELD_LINKAGE: write_name(writer, out, debug->linkage_name); break;
    case FIELD_LINE: write_varint(out, debug->line); break;
    case FIELD_COLUMN: write_varint(out, debug->column); break;
    case FIELD_SCOPE_LINE: write_varint(out, debug->scope_line); break;
    case FIELD_DECLARATION:
        if (writer->version < SINCE_SUBPROGRAM_FLAGS)
            return !debug->declaration || version_has(writer, SINCE_SUBPROGRAM_FLAGS, "flags of a subprogram", NULL);
        write_varint(out, debug->declaration);
        break;
    case FIELD_END: break;
    }
    return true;
}

static bool write_attributes(Writer *writer, Buffer *out) {
    // NVIDIA's reader fails on an empty table at the end of the section.
    static const TirDebug unknown = {.tag = TIR_DEBUG_UNKNOWN};
    const TirModule *module = writer->module;
    const TirDebug *debug = module->debug;
    size_t count = module->debug_count;
    if (!count && !writer->kept) debug = &unknown, count = 1;
    size_t *offsets = arena_array(&writer->scratch, size_t, count);
    Buffer data = {0};
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = data.size;
        write_varint(&data, debug[i].tag);
        for (const uint8_t *field = debug_fields[debug[i].tag]; *field && good; field++)
            good = write_field(writer, &data, (DebugField)*field, &debug[i]);
    }
    write_table(out, 4, count, offsets, &data);
    buffer_free(&data);
    return good;
}

bool write_debug_section(Writer *writer) {
    Buffer *out = &writer->payloads[SECTION_DEBUG];
    bool kept = false;
    for (uint32_t i = 0; writer->kept && i < writer->kept->section_count; i++)
        kept |= writer->kept->sections[i].id == SECTION_DEBUG;
    if (!writer->debug_row_count && !kept) return true;
    writer->needed[SECTION_DEBUG] = true;
    write_varint(out, writer->debug_row_count);
    write_padding(out, 4);
    buffer_append(out, writer->debug_starts.data, writer->debug_starts.size);
    write_varint(out, writer->debug_refs.size / 8);
    write_padding(out, 8);
    buffer_append(out, writer->debug_refs.data, writer->debug_refs.size);
    return write_attributes(writer, out);
}
