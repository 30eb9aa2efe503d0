// SPDX-License-Identifier: Apache-2.0
// The bytecode reader: the file, its sections, strings, and the reads that everything else is made of.
#include "compiler/tileir/read_internal.h"

enum { STRINGS_OVERLAP_MAX = 8 };

// ---- primitives ----------------------------------------

// LEB128 of at most 10 bytes. The 10th keeps its low bit only: some writers put more than 64 bits (tile-ir.md gotcha
// 1).
bool read_long_varint(Cursor *cursor, uint64_t *value, const char *what) {
    size_t begin = cursor->offset;
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (cursor->offset == cursor->end)
            return READ_FAIL(cursor, begin, E_BYTECODE, "ends %s %s", shift ? "inside" : "before", what);
        uint8_t byte = cursor->data[cursor->offset++];
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *value = result;
        return true;
    }
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s is a number of more than 10 bytes", what);
}

bool read_svarint(Cursor *cursor, int64_t *value, const char *what) {
    uint64_t zigzag;
    if (!read_varint(cursor, &zigzag, what)) return false;
    *value = (int64_t)(zigzag >> 1 ^ -(zigzag & 1));
    return true;
}

bool read_limited(Cursor *cursor, uint64_t max, uint64_t *value, const char *what) {
    size_t begin = cursor->offset;
    if (!read_varint(cursor, value, what)) return false;
    if (*value <= max) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s is %llu, expected at most %llu", what, (unsigned long long)*value,
                     (unsigned long long)max);
}

bool read_count(Cursor *cursor, size_t item_bytes, uint64_t *count, const char *what) {
    size_t begin = cursor->offset;
    if (!read_varint(cursor, count, what)) return false;
    if (*count <= bytes_left(cursor) / item_bytes && *count < UINT32_MAX) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "%s is %llu, but only %zu bytes are left", what,
                     (unsigned long long)*count, bytes_left(cursor));
}

bool read_padding(Cursor *cursor, size_t alignment) {
    size_t padding = -(cursor->offset - cursor->start) & (alignment - 1);
    if (padding > bytes_left(cursor))
        return READ_FAIL(cursor, cursor->offset, E_BYTECODE, "ends inside padding to %zu bytes", alignment);
    cursor->offset += padding;
    return true;
}

const uint8_t *read_bytes(Cursor *cursor, size_t size, const char *what) {
    if (size > bytes_left(cursor)) {
        (void)READ_FAIL(cursor, cursor->offset, E_BYTECODE, "%s takes %zu bytes, but only %zu are left", what, size,
                        bytes_left(cursor));
        return NULL;
    }
    const uint8_t *bytes = cursor->data + cursor->offset;
    cursor->offset += size;
    return bytes;
}

uint64_t little_endian(const uint8_t *bytes, size_t size) {
    uint64_t value = 0;
    while (size--) value = value << 8 | bytes[size];
    return value;
}

bool read_table(Cursor *cursor, size_t width, const char *what, ReadTable *table) {
    *table = (ReadTable){.width = width, .what = what};
    if (!read_count(cursor, width, &table->count, what)) return false;
    if (table->count) {
        if (!read_padding(cursor, width)) return false;
        table->offsets = read_bytes(cursor, table->count * width, what);
        if (!table->offsets) return false;
    }
    table->cursor = *cursor;
    return true;
}

bool table_item(const ReadTable *table, uint64_t index, Cursor *item) {
    *item = table->cursor;
    size_t size = bytes_left(item);
    uint64_t begin = little_endian(table->offsets + index * table->width, table->width), end = size;
    if (index + 1 < table->count) end = little_endian(table->offsets + (index + 1) * table->width, table->width);
    if (begin > end || end > size)
        return READ_FAIL(item, (size_t)(table->offsets - item->data) + index * table->width, E_BYTECODE,
                         "%s: item %llu lies at %llu to %llu, expected growing offsets up to %zu", table->what,
                         (unsigned long long)index, (unsigned long long)begin, (unsigned long long)end, size);
    item->end = item->offset + end;
    item->offset += begin;
    return true;
}

// ---- strings ----------------------------------------

// What wrong offsets name is what NVIDIA's reader takes there: both ends are cut to the data, and a string whose end
// lies before its beginning goes to the end of the data.
static size_t string_length(const ReadTable *table, uint64_t index, size_t *begin) {
    const uint8_t *offset = table->offsets + index * table->width;
    size_t size = bytes_left(&table->cursor);
    uint32_t from = (uint32_t)little_endian(offset, 4), to = (uint32_t)size;
    if (index + 1 < table->count) to = (uint32_t)little_endian(offset + table->width, 4);
    uint32_t length = to - from; // wraps
    *begin = from < size ? from : size;
    return length < size - *begin ? length : size - *begin;
}

// Strings that overlap could take any memory. `total`: of their lengths.
static bool measure_strings(const Cursor *cursor, const ReadTable *table, size_t *total) {
    const size_t limit = (bytes_left(&table->cursor) + table->count) * STRINGS_OVERLAP_MAX;
    *total = 0;
    for (uint64_t i = 0; i < table->count; i++) {
        size_t begin;
        *total += string_length(table, i, &begin);
        if (*total > limit)
            return READ_FAIL(cursor, cursor->start, E_LIMIT, "strings overlap: more than %d times the bytes there are",
                             STRINGS_OVERLAP_MAX);
    }
    return true;
}

static bool read_string_section(Cursor *cursor) {
    Reader *reader = cursor->reader;
    ReadTable table;
    size_t total;
    if (!read_table(cursor, 4, "the number of strings", &table) || !measure_strings(cursor, &table, &total))
        return false;
    reader->tables->strings_padded = !table.count && bytes_left(cursor);
    Arena *arena = &reader->module->arena;
    const uint8_t *data = table.cursor.data + table.cursor.offset;
    reader->tables->string_count = (uint32_t)table.count;
    reader->tables->strings = arena_array(arena, const char *, table.count);
    reader->tables->string_lengths = arena_array(arena, uint32_t, table.count);
    char *copy = arena_alloc(arena, total + table.count);
    for (uint64_t i = 0; i < table.count; i++) {
        size_t begin, length = string_length(&table, i, &begin);
        if (length) memcpy(copy, data + begin, length);
        reader->tables->strings[i] = copy;
        reader->tables->string_lengths[i] = (uint32_t)length;
        copy += length + 1;
    }
    return true;
}

bool read_string(Cursor *cursor, const char **text, size_t *length, const char *what) {
    const ReadTables *tables = cursor->reader->tables;
    size_t begin = cursor->offset;
    uint64_t index;
    if (!read_varint(cursor, &index, what)) return false;
    if (index >= tables->string_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "%s is string %llu, but there are %u", what,
                         (unsigned long long)index, tables->string_count);
    *text = tables->strings[index];
    if (length) *length = tables->string_lengths[index];
    return length || !memchr(*text, 0, tables->string_lengths[index]) ||
           READ_FAIL(cursor, begin, E_BYTECODE, "%s holds a zero byte", what);
}

bool read_name(Cursor *cursor, const char **name, const char *what) {
    size_t begin = cursor->offset;
    if (!read_string(cursor, name, NULL, what)) return false;
    return **name || READ_FAIL(cursor, begin, E_BYTECODE, "%s is empty", what);
}

static bool read_producer_section(Cursor *cursor) {
    return read_string(cursor, &cursor->reader->module->producer, NULL, "the producer");
}

// ---- sections ----------------------------------------

#define SECTION_ROW(id, name, alignment, mandatory, read) {name, mandatory, read},
static const struct {
    const char *name;
    bool mandatory;
    bool (*read)(Cursor *cursor);
} section_rows[SECTION_COUNT] = {SECTIONS(SECTION_ROW)};

static bool check_version_tag(Cursor *cursor, unsigned tag) {
    if (tag & ~(unsigned)VERSION_TAG_PREVIEW)
        return READ_FAIL(cursor, 10, E_BYTECODE, "the tag of the version is 0x%x, expected 0", tag);
    return !tag ||
           READ_FAIL(cursor, 10, E_VERSION, "the file has preview features (--preview), which are not supported");
}

// magic, major, minor, tag
static bool read_header(Cursor *cursor) {
    TirModule *module = cursor->reader->module;
    if (bytes_left(cursor) < sizeof bytecode_magic || memcmp(cursor->data, bytecode_magic, sizeof bytecode_magic))
        return READ_FAIL(cursor, 0, E_BYTECODE, "not Tile IR bytecode: expected it to begin with 7f 'TileIR' 00");
    cursor->offset = sizeof bytecode_magic;
    const uint8_t *version = read_bytes(cursor, 4, "the version");
    if (!version) return false;
    module->version = (uint16_t)(version[0] * 100 + version[1]);
    const unsigned tag = (unsigned)little_endian(version + 2, 2);
    if (version[1] < 100 && module->version >= TIR_VERSION_MIN && module->version <= TIR_VERSION_MAX)
        return check_version_tag(cursor, tag);
    return READ_FAIL(cursor, 8, E_VERSION, "bytecode version %u.%u is not supported, expected %u.%u to %u.%u",
                     version[0], version[1], TIR_VERSION_MIN / 100, TIR_VERSION_MIN % 100, TIR_VERSION_MAX / 100,
                     TIR_VERSION_MAX % 100);
}

// length, [alignment, padding]; the payload is left to be skipped.
static bool read_section_header(Cursor *cursor, ReadSection *section) {
    const char *name = section_rows[section->id].name;
    size_t begin = cursor->offset, needed = section_alignments[section->id];
    uint64_t length;
    if (!read_varint(cursor, &length, "the length of a section")) return false;
    section->alignment = 1;
    if (section->aligned && !read_varint(cursor, &section->alignment, "the alignment of a section")) return false;
    if (section->alignment % needed || (section->alignment & (section->alignment - 1)) || !section->alignment)
        return READ_FAIL(cursor, begin, E_BYTECODE,
                         "section %s has alignment %llu, expected a power of two from %zu on", name,
                         (unsigned long long)section->alignment, needed);
    uint64_t padding = -(uint64_t)cursor->offset & (section->alignment - 1);
    if (padding > bytes_left(cursor) || length > bytes_left(cursor) - padding)
        return READ_FAIL(cursor, begin, E_BYTECODE, "section %s is %llu bytes long, but only %zu bytes are left", name,
                         (unsigned long long)length, bytes_left(cursor));
    section->offset = cursor->offset += padding;
    section->size = length;
    return true;
}

// Sections up to the end byte, which is the file's last one. Of two with the same id the later one counts.
static bool read_sections(Cursor *cursor) {
    Reader *reader = cursor->reader;
    ReadTables *tables = reader->tables;
    for (;;) {
        size_t begin = cursor->offset;
        uint8_t byte;
        if (!read_byte(cursor, &byte, "the next section")) return false;
        ReadSection section = {.id = byte & 0x7f, .aligned = byte >> 7};
        if (section.id >= SECTION_COUNT || byte == 0x80)
            return READ_FAIL(cursor, begin, E_BYTECODE, "section id 0x%02x is not known, expected 0 to %d", byte,
                             SECTION_COUNT - 1);
        if (section.id == SECTION_END) break;
        if (!read_section_header(cursor, &section)) return false;
        cursor->offset += section.size;
        reader->found[section.id] = section;
        tables->sections = arena_grow(&reader->module->arena, tables->sections, tables->section_count,
                                      &tables->section_capacity, sizeof *tables->sections);
        tables->sections[tables->section_count++] = section;
    }
    if (bytes_left(cursor))
        return READ_FAIL(cursor, cursor->offset, E_BYTECODE, "%zu bytes follow the end of the file's sections",
                         bytes_left(cursor));
    return true;
}

static bool read_section(Reader *reader, int id) {
    const ReadSection *section = &reader->found[id];
    Cursor cursor = {.reader = reader,
                     .data = reader->data,
                     .offset = section->offset,
                     .start = section->offset,
                     .end = section->offset + section->size,
                     .section = section_rows[id].name};
    if (section->id) return section_rows[id].read(&cursor);
    if (!section_rows[id].mandatory) return true;
    cursor = (Cursor){.reader = reader};
    return READ_FAIL(&cursor, reader->size, E_BYTECODE, "the file has no section %s", section_rows[id].name);
}

static bool read_all(Reader *reader) {
    static const uint8_t order[] = {SECTION_STRING,   SECTION_PRODUCER, SECTION_TYPE,
                                    SECTION_CONSTANT,                                  // strings come first,
                                    SECTION_DEBUG,    SECTION_GLOBAL,   SECTION_FUNC}; // functions use all others
    Cursor cursor = {.reader = reader, .data = reader->data, .end = reader->size};
    if (!read_header(&cursor) || !read_sections(&cursor)) return false;
    for (size_t i = 0; i < BASE_COUNT(order); i++)
        if (!read_section(reader, order[i])) return false;
    return true;
}

TirModule *tir_read_bytecode(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size) {
    TirModule *module = tir_module_open(path);
    module->tables = arena_new(&module->arena, ReadTables);
    Reader reader = {
        .diagnostics = diagnostics, .module = module, .tables = module->tables, .data = data, .size = size};
    bool ok = read_all(&reader);
    arena_reset(&reader.scratch);
    if (ok) return module;
    tir_module_close(module);
    return NULL;
}

// Bytecode begins with a byte that no text has; a file that is named as bytecode must be some.
static bool is_bytecode(const char *path, const uint8_t *data, size_t size) {
    static const char suffix[] = ".tileirbc";
    size_t length = strlen(path), wanted = sizeof suffix - 1;
    return !size || data[0] == 0x7f || (length >= wanted && !strcmp(path + length - wanted, suffix));
}

TirModule *tir_read_bytes(Diagnostics *diagnostics, const char *path, const uint8_t *data, size_t size) {
    if (is_bytecode(path, data, size)) return tir_read_bytecode(diagnostics, path, data, size);
    TirModule *module = tir_parse_text(diagnostics, path, (const char *)data, size);
    if (!module || tir_is_self_contained(diagnostics, module)) return module;
    tir_module_close(module);
    return NULL;
}

TirModule *tir_read_file(Diagnostics *diagnostics, const char *path) {
    Arena arena = {0};
    uint8_t *data;
    size_t size;
    TirModule *module = NULL;
    if (file_read(diagnostics, &arena, path, &data, &size)) module = tir_read_bytes(diagnostics, path, data, size);
    arena_reset(&arena);
    return module;
}
