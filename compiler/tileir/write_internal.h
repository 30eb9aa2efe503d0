// SPDX-License-Identifier: Apache-2.0
// What the files of the bytecode writer share: tables of strings, constants and types, and one function per section.
#ifndef CONGRUENT_TILEIR_WRITE_INTERNAL_H
#define CONGRUENT_TILEIR_WRITE_INTERNAL_H

#include "compiler/tileir/format.h"

#include <string.h>

// ---- the writer and its tables -------------------------------------------------------------------------------------

typedef struct BytesItem {
    const void *bytes;
    size_t size;
} BytesItem;

// Strings or constants, found by content: a hash table whose slots hold an index + 1.
typedef struct BytesTable {
    BytesItem *items;
    size_t count, item_capacity, slot_capacity;
    uint32_t *slots;
} BytesTable;

typedef struct Writer {
    Diagnostics *diagnostics;
    const TirModule *module;
    const struct TirReadTables
        *kept; // tables of the file that was read, whose order is written again; NULL: a new order
    uint16_t version;
    Arena scratch;
    // What is being written, for errors.
    Location at;
    const char *subject;
    BytesTable strings, constants;
    // In a new order: 1 + the new index of each string and constant of the file that was read; 0: not looked for yet.
    uint32_t *string_indices, *constant_indices;
    TirType token;                      // the token type; the module's type_count if it has none
    TirType *types;                     // by index in the file to be written
    uint32_t type_count, *type_indices; // by type: 1 + its index in that file, 0: none yet
    Buffer payloads[SECTION_COUNT];
    bool needed[SECTION_COUNT]; // the section has to be written
    Buffer debug_refs;          // u64 each
    Buffer debug_starts;        // u32 each: where a function's references begin
    uint32_t debug_row_count;
} Writer;

// Records an error at writer->at. Always false.
#define WRITE_FAIL(writer, code, ...) diag_fail((writer)->diagnostics, (writer)->at, code, __VA_ARGS__)

// Whether the bytecode's version has something of the subject that came with version `since`. False, with an error, if
// not: `what` ("operand") and `name` (or NULL) say what it is.
static inline bool version_has(Writer *writer, uint16_t since, const char *what, const char *name) {
    if (since <= writer->version) return true;
    return WRITE_FAIL(writer, E_VERSION, "%s: %s%s%s%s needs version %u.%u, the bytecode to be written is %u.%u",
                      writer->subject, what, name ? " '" : "", name ? name : "", name ? "'" : "", since / 100,
                      since % 100, writer->version / 100, writer->version % 100);
}

// ---- primitives (write_bytecode.c) ---------------------------------------------------------------------------------

static inline void write_byte(Buffer *out, uint8_t byte) {
    buffer_append(out, &byte, 1);
}
void write_varint(Buffer *out, uint64_t value);
void write_svarint(Buffer *out, int64_t value);
void write_fixed(Buffer *out, uint64_t value, size_t size); // little endian
void write_padding(Buffer *out, size_t alignment);          // to a multiple of it from the start of `out`
// Varint count, then the numbers, `width` bytes each.
void write_number_list(Buffer *out, const int64_t *numbers, size_t count, size_t width);
// A table of `count` items that lie in `data` at `offsets`. Each offset is written in `width` bytes.
void write_table(Buffer *out, size_t width, size_t count, const size_t *offsets, const Buffer *data);
// Write the index of a string, which becomes part of the table of strings. NULL is the empty string.
void write_string(Writer *writer, Buffer *out, const char *text, size_t length);
void write_name(Writer *writer, Buffer *out, const char *name);

// ---- the parts -----------------------------------------------------------------------------------------------------

// Writes the index of a type; false, with an error, if the version lacks the type. (write_types.c)
bool write_type(Writer *writer, Buffer *out, TirType type);
// The same of the token type, also if the module has none.
bool write_token_type(Writer *writer, Buffer *out);
// Gives types the indices that they have in the file that was read (writer->kept).
void keep_types(Writer *writer);
// Whether bytecode has all types of a file that was read (module->tables).
bool types_can_be_kept(const TirModule *module);
void write_type_section(Writer *writer);
// write_attributes.c
bool write_tagged_attribute(Writer *writer, Buffer *out, const TirAttribute *attribute);
// Writes attribute `index` of the op's row, without a tag.
bool write_op_attribute(Writer *writer, Buffer *out, const TirOp *op, uint32_t index);
void write_constant(Writer *writer, Buffer *out, const TirConstant *constant);
// write_attributes.c
bool write_debug_section(Writer *writer);
// write_functions.c
bool write_function_section(Writer *writer);
bool write_global_section(Writer *writer);

#endif
