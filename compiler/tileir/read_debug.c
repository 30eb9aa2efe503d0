// SPDX-License-Identifier: Apache-2.0
// Section Debug of the bytecode: the attribute table, the rows of references per function, and the source line each
// attribute means.
#include "compiler/tileir/read_internal.h"

enum { FRAMES_MAX = 64 }; // of inlined calls that are looked at to find a source line

#define DEBUG_TARGETS(tag, target0, target1, ...) [TIR_DEBUG_##tag] = {target0, target1},
static const uint8_t debug_targets[TIR_DEBUG_TAG_COUNT][2] = {DEBUG_TAGS(DEBUG_TARGETS)};

static bool read_debug_field(Cursor *item, DebugField field, TirDebug *debug) {
    uint32_t count = item->reader->module->debug_count;
    switch (field) {
    case FIELD_REF0: return read_limited(item, count, &debug->refs[0], "a debug reference");
    case FIELD_REF1: return read_limited(item, count, &debug->refs[1], "a debug reference");
    case FIELD_NAME: return read_string(item, &debug->name, NULL, "a debug name");
    case FIELD_LINKAGE: return read_string(item, &debug->linkage_name, NULL, "a debug name");
    case FIELD_LINE: return read_varint(item, &debug->line, "a line number");
    case FIELD_COLUMN: return read_varint(item, &debug->column, "a column number");
    case FIELD_SCOPE_LINE: return read_varint(item, &debug->scope_line, "a line number");
    case FIELD_DECLARATION:
        return item->reader->module->version < SINCE_SUBPROGRAM_FLAGS ||
               read_limited(item, 1, &debug->declaration, "the flags of a subprogram");
    case FIELD_END: break;
    }
    return false;
}

static bool read_debug_attribute(Cursor *item, TirDebug *debug) {
    size_t begin = item->offset;
    uint64_t tag;
    if (!read_varint(item, &tag, "the tag of a debug attribute")) return false;
    if (tag >= TIR_DEBUG_TAG_COUNT)
        return READ_FAIL(item, begin, E_BYTECODE, "debug attribute tag %llu, expected 0 to %d", (unsigned long long)tag,
                         TIR_DEBUG_TAG_COUNT - 1);
    debug->tag = (uint32_t)tag;
    for (const uint8_t *field = debug_fields[tag]; *field; field++)
        if (!read_debug_field(item, (DebugField)*field, debug)) return false;
    return true;
}

static bool tag_fits(const TirModule *module, uint64_t ref, uint8_t allowed) {
    return allowed >> (ref ? module->debug[ref - 1].tag : TIR_DEBUG_UNKNOWN) & 1;
}

static bool targets_fit(const TirModule *module, const TirDebug *debug) {
    for (int i = 0; i < 2; i++) {
        uint8_t allowed = debug_targets[debug->tag][i];
        if (allowed && !tag_fits(module, debug->refs[i], allowed)) return false;
    }
    return true;
}

bool debug_is_place(const TirModule *module, uint64_t ref) {
    return tag_fits(module, ref, DEBUG_PLACES);
}

// ---- source lines ----------------------------------------

bool tir_is_installed(const char *file) {
    return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

static bool installed_package(const char *file) {
    return tir_is_installed(file) || strstr(file, "/cuda/tile/");
}

// The innermost location of attribute `ref` whose file is not part of an installed Python package (cuTile's own helpers
// are inlined into every kernel, whatever folder it was installed in); if all are, the innermost one. A call site is
// its callee, then its caller.
Location debug_resolve(const TirModule *module, uint64_t ref) {
    uint64_t pending[FRAMES_MAX + 1];
    uint32_t count = 0, seen = 0;
    const TirDebug *first = NULL, *best = NULL;
    pending[count++] = ref;
    while (count && seen++ < FRAMES_MAX && !best) {
        ref = pending[--count];
        const TirDebug *debug = ref ? &module->debug[ref - 1] : NULL;
        if (debug && debug->tag == TIR_DEBUG_CALL_SITE) {
            pending[count++] = debug->refs[1];
            pending[count++] = debug->refs[0];
        } else if (debug && debug->tag == TIR_DEBUG_LOCATION && debug->line) {
            if (!first) first = debug;
            if (!installed_package(debug->name)) best = debug;
        }
    }
    if (!best) best = first;
    if (!best || best->line > UINT32_MAX) return (Location){0};
    return (Location){.file = best->name,
                      .line = (uint32_t)best->line,
                      .column = best->column > UINT32_MAX ? 0 : (uint32_t)best->column};
}

static bool read_debug_attributes(Cursor *cursor) {
    Reader *reader = cursor->reader;
    TirModule *module = reader->module;
    ReadTable table;
    if (!read_table(cursor, 4, "the number of debug attributes", &table)) return false;
    module->debug_count = (uint32_t)table.count;
    module->debug_capacity = table.count;
    module->debug = arena_array(&module->arena, TirDebug, table.count);
    for (uint64_t i = 0; i < table.count; i++) {
        Cursor item;
        if (!table_item(&table, i, &item) || !read_debug_attribute(&item, &module->debug[i])) return false;
    }
    reader->debug_locations = arena_array(&reader->scratch, Location, table.count);
    for (uint64_t i = 0; i < table.count; i++) {
        if (!targets_fit(module, &module->debug[i]))
            return READ_FAIL(cursor, table.cursor.offset, E_BYTECODE,
                             "debug attribute %llu refers to one of the wrong kind", (unsigned long long)i + 1);
        reader->debug_locations[i] = debug_resolve(module, i + 1);
    }
    return true;
}

// varint rows; pad 4; u32 start of each row; varint references; pad 8; u64 references; the attributes
bool read_debug_section(Cursor *cursor) {
    Reader *reader = cursor->reader;
    if (!read_count(cursor, 4, &reader->debug_row_count, "the number of debug rows")) return false;
    if (!read_padding(cursor, 4)) return false;
    reader->debug_starts = read_bytes(cursor, reader->debug_row_count * 4, "the debug rows");
    if (!reader->debug_starts || !read_count(cursor, 8, &reader->debug_ref_count, "the number of debug references"))
        return false;
    if (!read_padding(cursor, 8)) return false;
    reader->debug_refs = read_bytes(cursor, reader->debug_ref_count * 8, "the debug references");
    return reader->debug_refs && read_debug_attributes(cursor);
}
