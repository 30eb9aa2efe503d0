// SPDX-License-Identifier: Apache-2.0
// Section Debug of the bytecode: the rows of references that the functions left, and the attribute table.
#include "compiler/tileir/write_internal.h"

static void write_field(Writer *writer, Buffer *out, DebugField field, const TirDebug *debug) {
    switch (field) {
    case FIELD_REF0: write_varint(out, debug->refs[0]); break;
    case FIELD_REF1: write_varint(out, debug->refs[1]); break;
    case FIELD_NAME: write_name(writer, out, debug->name); break;
    case FIELD_LINKAGE: write_name(writer, out, debug->linkage_name); break;
    case FIELD_LINE: write_varint(out, debug->line); break;
    case FIELD_COLUMN: write_varint(out, debug->column); break;
    case FIELD_SCOPE_LINE: write_varint(out, debug->scope_line); break;
    case FIELD_END: break;
    }
}

static void write_attributes(Writer *writer, Buffer *out) {
    // NVIDIA's reader fails on an empty table at the end of the section.
    static const TirDebug unknown = {.tag = TIR_DEBUG_UNKNOWN};
    const TirModule *module = writer->module;
    const TirDebug *debug = module->debug;
    size_t count = module->debug_count;
    if (!count && !writer->kept) debug = &unknown, count = 1;
    size_t *offsets = arena_array(&writer->scratch, size_t, count);
    Buffer data = {0};
    for (size_t i = 0; i < count; i++) {
        offsets[i] = data.size;
        write_varint(&data, debug[i].tag);
        for (const uint8_t *field = debug_fields[debug[i].tag]; *field; field++)
            write_field(writer, &data, (DebugField)*field, &debug[i]);
    }
    write_table(out, 4, count, offsets, &data);
    buffer_free(&data);
}

void write_debug_section(Writer *writer) {
    Buffer *out = &writer->payloads[SECTION_DEBUG];
    bool kept = false;
    for (uint32_t i = 0; writer->kept && i < writer->kept->section_count; i++)
        kept |= writer->kept->sections[i].id == SECTION_DEBUG;
    if (!writer->debug_row_count && !kept) return;
    writer->needed[SECTION_DEBUG] = true;
    write_varint(out, writer->debug_row_count);
    write_padding(out, 4);
    buffer_append(out, writer->debug_starts.data, writer->debug_starts.size);
    write_varint(out, writer->debug_refs.size / 8);
    write_padding(out, 8);
    buffer_append(out, writer->debug_refs.data, writer->debug_refs.size);
    write_attributes(writer, out);
}
