// SPDX-License-Identifier: Apache-2.0
// What the files of the bytecode reader share: the cursor that checks every read, and one function per section. A
// function that returns bool is false after it has recorded a diagnostic. `what` names in it what is read.
#ifndef CONGRUENT_TILEIR_READ_INTERNAL_H
#define CONGRUENT_TILEIR_READ_INTERNAL_H

#include "compiler/tileir/format.h"

#include <string.h>

// ---- the reader and its cursor -------------------------------------------------------------------------------------

typedef struct Reader {
    Diagnostics *diagnostics;
    TirModule *module;
    ReadTables *tables;
    const uint8_t *data; // the whole file
    size_t size;
    Arena scratch;
    ReadSection found[SECTION_COUNT]; // by number; id 0: not in the file
    // Of section Debug.
    const uint8_t *debug_starts, *debug_refs; // arrays of u32 and of u64, not aligned
    uint64_t debug_row_count, debug_ref_count;
    Location *debug_locations; // of each debug attribute, resolved
} Reader;

typedef struct Cursor {
    Reader *reader;
    const uint8_t *data;
    size_t offset, end,
        start;           // in the file. Nothing at or past `end` is read. `start`: where the section's payload begins
    const char *section; // its name; NULL outside sections
} Cursor;

static inline size_t bytes_left(const Cursor *cursor) {
    return cursor->end - cursor->offset;
}

static inline Location cursor_location(const Cursor *cursor, size_t offset) {
    return (Location){
        .file = cursor->reader->module->path, .section = cursor->section, .offset = offset, .has_offset = true};
}

// Records an error at a byte offset. Always false.
#define READ_FAIL(cursor, offset, code, ...)                                                                           \
    (diag_fail((cursor)->reader->diagnostics, cursor_location(cursor, offset), code, __VA_ARGS__), false)

static inline bool read_byte(Cursor *cursor, uint8_t *value, const char *what) {
    if (cursor->offset == cursor->end) return READ_FAIL(cursor, cursor->offset, E_BYTECODE, "ends before %s", what);
    *value = cursor->data[cursor->offset++];
    return true;
}

bool read_long_varint(Cursor *cursor, uint64_t *value, const char *what); // read_varint, in general
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
// A varint that counts items of at least `item_bytes` bytes each; the section must have that many bytes left.
bool read_count(Cursor *cursor, size_t item_bytes, uint64_t *count, const char *what);
// Skips to a multiple of `alignment` from the start of the payload.
bool read_padding(Cursor *cursor, size_t alignment);
// `size` bytes, NULL if fewer are left.
const uint8_t *read_bytes(Cursor *cursor, size_t size, const char *what);
uint64_t little_endian(const uint8_t *bytes, size_t size); // the number of 1 to 8 bytes
// A string, by its index. read_name: it is not empty and holds no zero byte.
bool read_string(Cursor *cursor, const char **text, size_t *length, const char *what);
bool read_name(Cursor *cursor, const char **name, const char *what);

// A table of items of varying size: count, padding, offsets of `width` bytes each, data.
typedef struct ReadTable {
    Cursor cursor; // of the data area
    uint64_t count;
    const uint8_t *offsets;
    size_t width;
    const char *what;
} ReadTable;
bool read_table(Cursor *cursor, size_t width, const char *what, ReadTable *table);
// *item: a cursor over item `index`. False if its offsets are wrong.
bool table_item(const ReadTable *table, uint64_t index, Cursor *item);

// ---- the parts -----------------------------------------------------------------------------------------------------

// A type, by its index. (read_types.c)
bool read_type(Cursor *cursor, TirType *type, const char *what);
bool read_type_section(Cursor *cursor);
// read_attributes.c
bool read_constant_section(Cursor *cursor);
bool read_tagged_attribute(Cursor *cursor, TirAttribute *attribute, uint32_t depth);
// A word of an enumeration, which the file's version must have.
bool read_word(Cursor *cursor, const TirEnum *enumeration, const char *what, uint64_t *value);
bool read_op_attribute(Cursor *cursor, const TirAttributeInfo *info, TirType result, TirAttribute *attribute);
// A constant, by its index; it must have the bytes of all elements of the tile type, or of one.
bool read_constant(Cursor *cursor, TirType type, TirConstant *constant);
// read_debug.c
bool read_debug_section(Cursor *cursor);
// Whether the debug attribute is a place: a location, a call site, or unknown (also reference 0).
bool debug_is_place(const TirModule *module, uint64_t ref);
// The source line of a place (TirOp.at); a zero Location if it has none.
Location debug_resolve(const TirModule *module, uint64_t ref);
// read_functions.c
bool read_function_section(Cursor *cursor);
bool read_global_section(Cursor *cursor);

#endif
