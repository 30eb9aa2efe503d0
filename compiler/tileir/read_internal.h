// SPDX-License-Identifier: Apache-2.0
// What the parts of the bytecode reader share: the cursor that checks every read, and one function per section.
#ifndef CONGRUENT_TILEIR_READ_INTERNAL_H
#define CONGRUENT_TILEIR_READ_INTERNAL_H

#include "compiler/tileir/format.h"

#include <string.h>

// ---- the reader and its cursor ----------------------------------------

typedef struct Reader {
    Diagnostics *diagnostics;
    TirModule *module;
    ReadTables *tables;
    const uint8_t *data; // the whole file
    size_t size;
    Arena scratch;
    ReadSection found[SECTION_COUNT]; // id 0: not in the file
    // of section Debug
    const uint8_t *debug_starts, *debug_refs; // u32 each, u64 each, unaligned
    uint64_t debug_row_count, debug_ref_count;
    Location *debug_locations; // of each debug attribute, resolved
} Reader;

typedef struct Cursor {
    Reader *reader;
    const uint8_t *data;
    size_t offset, end,
        start;           // in the file; nothing at or past `end` is read; `start` is where the section's payload begins
    const char *section; // NULL outside sections
} Cursor;

static inline size_t bytes_left(const Cursor *cursor) {
    return cursor->end - cursor->offset;
}

static inline Location cursor_location(const Cursor *cursor, size_t offset) {
    return (Location){
        .file = cursor->reader->module->path, .section = cursor->section, .offset = offset, .has_offset = true};
}

// Records an error at a byte offset and is false.
#define READ_FAIL(cursor, offset, code, ...)                                                                           \
    (diag_fail((cursor)->reader->diagnostics, cursor_location(cursor, offset), code, __VA_ARGS__), false)

static inline bool read_byte(Cursor *cursor, uint8_t *value, const char *what) {
    if (cursor->offset == cursor->end) return READ_FAIL(cursor, cursor->offset, E_BYTECODE, "ends before %s", what);
    *value = cursor->data[cursor->offset++];
    return true;
}

bool read_long_varint(Cursor *cursor, uint64_t *value, const char *what);
// A varint; `what` names it in the error.
static inline bool read_varint(Cursor *cursor, uint64_t *value, const char *what) {
    if (cursor->offset < cursor->end && cursor->data[cursor->offset] < 0x80) {
        *value = cursor->data[cursor->offset++];
        return true;
    }
    return read_long_varint(cursor, value, what);
}
bool read_svarint(Cursor *cursor, int64_t *value, const char *what);
// A varint that is at most `max`.
bool read_limited(Cursor *cursor, uint64_t max, uint64_t *value, const char *what);
// A varint that counts things of at least `item_bytes` bytes each, which must be left.
bool read_count(Cursor *cursor, size_t item_bytes, uint64_t *count, const char *what);
// Skips to a multiple of `alignment` from the start of the payload.
bool read_padding(Cursor *cursor, size_t alignment);
// `size` bytes, NULL if fewer are left.
const uint8_t *read_bytes(Cursor *cursor, size_t size, const char *what);
uint64_t little_endian(const uint8_t *bytes, size_t size);
// A string index. read_name: not empty and without a zero byte inside.
bool read_string(Cursor *cursor, const char **text, size_t *length, const char *what);
bool read_name(Cursor *cursor, const char **name, const char *what);

// Count, padding, offsets of `width` bytes, data: items of varying size.
typedef struct ReadTable {
    Cursor cursor; // of the data area
    uint64_t count;
    const uint8_t *offsets;
    size_t width;
    const char *what;
} ReadTable;
bool read_table(Cursor *cursor, size_t width, const char *what, ReadTable *table);
// A cursor over item `index`; false if its offsets are wrong.
bool table_item(const ReadTable *table, uint64_t index, Cursor *item);

// ---- the parts ----------------------------------------

// A type index, resolved. (read_types.c)
bool read_type(Cursor *cursor, TirType *type, const char *what);
bool read_type_section(Cursor *cursor);
// read_attributes.c
bool read_constant_section(Cursor *cursor);
bool read_tagged_attribute(Cursor *cursor, TirAttribute *attribute, uint32_t depth);
bool read_op_attribute(Cursor *cursor, const TirAttributeInfo *info, TirType result, TirAttribute *attribute);
// A constant index whose bytes are all elements of the tile type, or one.
bool read_constant(Cursor *cursor, TirType type, TirConstant *constant);
// read_debug.c
bool read_debug_section(Cursor *cursor);
// Whether the attribute says where something is: a location, a call site, or unknown (also reference 0).
bool debug_is_place(const TirModule *module, uint64_t ref);
// The source line that attribute `ref` means; a zero Location if it means none.
Location debug_resolve(const TirModule *module, uint64_t ref);
// read_functions.c
bool read_function_section(Cursor *cursor);
bool read_global_section(Cursor *cursor);

#endif
