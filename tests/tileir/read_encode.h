// SPDX-License-Identifier: Apache-2.0
// Hand-made bytecode for the reader's tests: tables grow item by item, sections are put together in any order.
#ifndef CONGRUENT_TEST_READ_ENCODE_H
#define CONGRUENT_TEST_READ_ENCODE_H

#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <string.h>

enum { STRING = 1, FUNC, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER, SECTIONS };

typedef struct EncTable { // items one after another
    Buffer data;
    uint32_t offsets[600], count;
} EncTable;

typedef struct EncFile {
    uint8_t major, minor;
    uint16_t tag;
    EncTable strings, types, constants, debug;
    Buffer functions, globals, producer, debug_refs;
    uint32_t function_count, global_count, debug_rows[8], debug_row_count;
    uint8_t order[16];            // section ids, 0 ends it
    uint64_t alignment[SECTIONS]; // 0: the section is written without an alignment
    bool skip_end;
} EncFile;

static inline void put_byte(Buffer *out, uint8_t byte) {
    buffer_append(out, &byte, 1);
}
static inline void put_varint(Buffer *out, uint64_t value) {
    for (; value >= 0x80; value >>= 7) put_byte(out, (uint8_t)(value | 0x80));
    put_byte(out, (uint8_t)value);
}
static inline void put_fixed(Buffer *out, uint64_t value, size_t size) {
    while (size--) {
        put_byte(out, (uint8_t)value);
        value >>= 8;
    }
}
static inline void pad_to(Buffer *out, size_t alignment) {
    while (out->size % alignment) put_byte(out, 0xcb);
}

static inline uint32_t add_item(EncTable *table, const void *bytes, size_t size) {
    cr_assert_lt(table->count, BASE_COUNT(table->offsets));
    table->offsets[table->count] = (uint32_t)table->data.size;
    buffer_append(&table->data, bytes, size);
    return table->count++;
}
// ADD(&file.types, 13, 1, 0) adds an item of these bytes and gives its index.
#define ADD(table, ...)  add_item(table, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define PUT(buffer, ...) buffer_append(buffer, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
static inline uint32_t add_string(EncFile *file, const char *text) {
    return add_item(&file->strings, text, strlen(text));
}

static inline void put_table(Buffer *out, const EncTable *table, size_t width) {
    put_varint(out, table->count);
    if (!table->count) return;
    pad_to(out, width);
    for (uint32_t i = 0; i < table->count; i++) put_fixed(out, table->offsets[i], width);
    buffer_append(out, table->data.data, table->data.size);
}

static inline void clear_table(EncTable *table) {
    buffer_free(&table->data);
    table->count = 0;
}

// The types every file of the tests begins with.
enum { T_ENTRY, T_I32, T_TILE_I32, T_I1, T_TILE_I1, T_TOKEN, T_F32, T_TILE_F32, T_TILE_4_F32, T_TILE_16_I1 };

static inline void file_open(EncFile *file, uint8_t minor) {
    *file = (EncFile){
        .major = 13, .minor = minor, .alignment = {[STRING] = 4, [FUNC] = 8, [DEBUG] = 8, [CONSTANT] = 8, [TYPE] = 4}};
    memcpy(file->order, (uint8_t[]){FUNC, CONSTANT, TYPE, STRING}, 4);
    add_string(file, "kernel");
    ADD(&file->types, 16, 0, 0);
    ADD(&file->types, 3);
    ADD(&file->types, 13, T_I32, 0);
    ADD(&file->types, 0);
    ADD(&file->types, 13, T_I1, 0);
    ADD(&file->types, 17);
    ADD(&file->types, 7);
    ADD(&file->types, 13, T_F32, 0);
    ADD(&file->types, 13, T_F32, 1, 4, 0, 0, 0, 0, 0, 0, 0);
    ADD(&file->types, 13, T_I1, 1, 16, 0, 0, 0, 0, 0, 0, 0);
}

// An entry of the function type `type` with these body bytes.
static inline void add_function(EncFile *file, uint32_t type, uint32_t debug_row, const void *body, size_t size) {
    put_varint(&file->functions, 0);
    put_varint(&file->functions, type);
    put_byte(&file->functions, 2);
    put_varint(&file->functions, debug_row);
    if (file->minor >= 5) PUT(&file->functions, 11, 0, 6, 0); // no hints, no attributes of arguments
    put_varint(&file->functions, size);
    buffer_append(&file->functions, body, size);
    file->function_count++;
}
#define FUNCTION(file, ...)                                                                                            \
    add_function(file, T_ENTRY, 0, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define RETURN 0x5c, 0, 0

static inline void put_payload(const EncFile *file, int id, Buffer *out) {
    switch (id) {
    case STRING: put_table(out, &file->strings, 4); break;
    case TYPE: put_table(out, &file->types, 4); break;
    case CONSTANT: put_table(out, &file->constants, 8); break;
    case PRODUCER: buffer_append(out, file->producer.data, file->producer.size); break;
    case FUNC:
        put_varint(out, file->function_count);
        buffer_append(out, file->functions.data, file->functions.size);
        break;
    case GLOBAL:
        put_varint(out, file->global_count);
        buffer_append(out, file->globals.data, file->globals.size);
        break;
    case DEBUG:
        put_varint(out, file->debug_row_count);
        pad_to(out, 4);
        for (uint32_t i = 0; i < file->debug_row_count; i++) put_fixed(out, file->debug_rows[i], 4);
        put_varint(out, file->debug_refs.size / 8);
        pad_to(out, 8);
        buffer_append(out, file->debug_refs.data, file->debug_refs.size);
        put_table(out, &file->debug, 4);
    }
}

static inline void put_section(const EncFile *file, int id, Buffer *out) {
    Buffer payload = {0};
    put_payload(file, id, &payload);
    put_byte(out, (uint8_t)(id | (file->alignment[id] ? 0x80 : 0)));
    put_varint(out, payload.size);
    if (file->alignment[id]) {
        put_varint(out, file->alignment[id]);
        for (uint64_t a = file->alignment[id]; a > 1 && a <= 4096 && out->size % a;) put_byte(out, 0x11);
    }
    buffer_append(out, payload.data, payload.size);
    buffer_free(&payload);
}

static inline void file_close(EncFile *file) {
    Buffer *buffers[] = {&file->strings.data, &file->types.data, &file->constants.data, &file->debug.data,
                         &file->functions,    &file->globals,    &file->producer,       &file->debug_refs};
    for (size_t i = 0; i < BASE_COUNT(buffers); i++) buffer_free(buffers[i]);
}

static inline Buffer file_bytes(const EncFile *file) {
    Buffer out = {0};
    PUT(&out, 0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0);
    put_byte(&out, file->major);
    put_byte(&out, file->minor);
    put_fixed(&out, file->tag, 2);
    for (const uint8_t *id = file->order; *id; id++) put_section(file, *id, &out);
    if (!file->skip_end) put_byte(&out, 0);
    return out;
}

// Reads the file and closes it. The module must be closed by the caller.
static inline TirModule *file_read_module(EncFile *file, Diagnostics *diagnostics) {
    Buffer bytes = file_bytes(file);
    file_close(file);
    TirModule *module = tir_read_bytecode(diagnostics, "test.tileirbc", (const uint8_t *)bytes.data, bytes.size);
    buffer_free(&bytes);
    return module;
}

// The file must be read without an error.
static inline TirModule *file_expect(EncFile *file) {
    Diagnostics diagnostics = {0};
    TirModule *module = file_read_module(file, &diagnostics);
    cr_assert(module, "refused: %s", diagnostics.count ? diagnostics.items[0].message : "without a message");
    cr_assert_eq(diagnostics.count, 0);
    diagnostics_close(&diagnostics);
    return module;
}

// The file must be refused with one error of this code whose message contains `part`, at a byte offset of `section`.
static inline void file_refuse(EncFile *file, ErrorCode code, const char *section, const char *part) {
    Diagnostics diagnostics = {0};
    TirModule *module = file_read_module(file, &diagnostics);
    cr_assert_null(module, "accepted, expected an error with '%s'", part);
    cr_assert_eq(diagnostics.count, 1);
    const Diagnostic *error = &diagnostics.items[0];
    cr_assert(strstr(error->message, part), "message is '%s', expected '%s' in it", error->message, part);
    cr_assert_eq(error->code, code, "code is %d: %s", error->code, error->message);
    cr_assert(error->at.has_offset);
    cr_assert_str_eq(error->at.file, "test.tileirbc");
    if (section)
        cr_assert(error->at.section && !strcmp(error->at.section, section), "section is %s", error->at.section);
    else
        cr_assert_null(error->at.section);
    diagnostics_close(&diagnostics);
}

#endif
