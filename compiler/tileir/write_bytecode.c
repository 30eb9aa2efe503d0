// SPDX-License-Identifier: Apache-2.0
// The bytecode writer: the file, its sections, strings and constants, and the writes that everything else is made of.
#include "compiler/tileir/write_internal.h"

#include <assert.h>

enum { PADDING_BYTE = 0xcb };

// ---- primitives ----------------------------------------

void write_varint(Buffer *out, uint64_t value) {
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    buffer_append(out, bytes, size);
}

void write_svarint(Buffer *out, int64_t value) {
    write_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void write_fixed(Buffer *out, uint64_t value, size_t size) {
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++, value >>= 8) bytes[i] = (uint8_t)value;
    buffer_append(out, bytes, size);
}

void write_padding(Buffer *out, size_t alignment) {
    while (out->size & (alignment - 1)) write_byte(out, PADDING_BYTE);
}

void write_number_list(Buffer *out, const int64_t *numbers, size_t count, size_t width) {
    write_varint(out, count);
    for (size_t i = 0; i < count; i++) write_fixed(out, (uint64_t)numbers[i], width);
}

void write_table(Buffer *out, size_t width, size_t count, const size_t *offsets, const Buffer *data) {
    write_varint(out, count);
    if (count) write_padding(out, width);
    for (size_t i = 0; i < count; i++) write_fixed(out, offsets[i], width);
    buffer_append(out, data->data, data->size);
}

// ---- strings and constants ----------------------------------------

static uint32_t *bytes_slot(const BytesTable *table, const void *bytes, size_t size) {
    uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    size_t at = (hash ^ hash >> 29) & (table->slot_capacity - 1);
    for (; table->slots[at]; at = (at + 1) & (table->slot_capacity - 1)) {
        const BytesItem *item = &table->items[table->slots[at] - 1];
        if (item->size == size && !memcmp(item->bytes, bytes, size)) break;
    }
    return &table->slots[at];
}

static void grow_slots(Arena *arena, BytesTable *table) {
    if (table->count * 2 < table->slot_capacity) return;
    if (!table->slot_capacity) table->slot_capacity = 64;
    while (table->slot_capacity <= table->count * 2) table->slot_capacity *= 2; // items that were kept came at once
    table->slots = arena_array(arena, uint32_t, table->slot_capacity);
    for (size_t i = 0; i < table->count; i++) {
        uint32_t *slot = bytes_slot(table, table->items[i].bytes, table->items[i].size);
        if (!*slot) *slot = (uint32_t)i + 1;
    }
}

static uint32_t add_item(Arena *arena, BytesTable *table, const void *bytes, size_t size) {
    table->items = arena_grow(arena, table->items, table->count, &table->item_capacity, sizeof *table->items);
    table->items[table->count] = (BytesItem){bytes, size};
    return (uint32_t)table->count++;
}

static uint32_t intern_bytes(Arena *arena, BytesTable *table, const void *bytes, size_t size) {
    grow_slots(arena, table);
    uint32_t *slot = bytes_slot(table, bytes, size);
    if (!*slot) *slot = add_item(arena, table, bytes, size) + 1;
    return *slot - 1;
}

// Which string of the file `text` is by its address; the strings lie one after another. `count` if none.
static uint32_t known_string(const struct TirReadTables *tables, const char *text) {
    uint32_t low = 0, high = tables->string_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tables->strings[middle] == text) return middle;
        if ((uintptr_t)tables->strings[middle] < (uintptr_t)text)
            low = middle + 1;
        else
            high = middle;
    }
    return tables->string_count;
}

// A table that is written, and the file's own, which had `known_count` rows: indices[k] is 1 + the new index of row k.
typedef struct IndexedTable {
    BytesTable *written;
    uint32_t *indices, known_count;
} IndexedTable;

// The index of the bytes, which are row `known` of the file's table if it has such a one.
static uint32_t index_of(Writer *writer, const IndexedTable *table, const void *bytes, size_t size, uint32_t known) {
    if (known >= table->known_count) return intern_bytes(&writer->scratch, table->written, bytes, size);
    if (writer->kept) return known;
    if (!table->indices[known]) table->indices[known] = intern_bytes(&writer->scratch, table->written, bytes, size) + 1;
    return table->indices[known] - 1;
}

void write_string(Writer *writer, Buffer *out, const char *text, size_t length) {
    if (!text) text = "", length = 0;
    const struct TirReadTables *tables = writer->module->tables;
    const IndexedTable table = {&writer->strings, writer->string_indices, tables ? tables->string_count : 0};
    write_varint(out, index_of(writer, &table, text, length, tables ? known_string(tables, text) : 0));
}

void write_name(Writer *writer, Buffer *out, const char *name) {
    write_string(writer, out, name, name ? strlen(name) : 0);
}

void write_constant(Writer *writer, Buffer *out, const TirConstant *constant) {
    const struct TirReadTables *tables = writer->module->tables;
    uint32_t count = tables ? tables->constant_count : 0, known = constant->index;
    // A constant that was made later may bear any index.
    if (known < count &&
        (tables->constants[known].bytes != constant->bytes || tables->constants[known].size != constant->size))
        known = count;
    const IndexedTable table = {&writer->constants, writer->constant_indices, count};
    write_varint(out, index_of(writer, &table, constant->bytes, constant->size, known));
}

// Takes over the file's tables, with what nothing uses too.
static void keep_tables(Writer *writer) {
    const struct TirReadTables *kept = writer->kept;
    for (uint32_t i = 0; i < kept->string_count; i++)
        add_item(&writer->scratch, &writer->strings, kept->strings[i], kept->string_lengths[i]);
    for (uint32_t i = 0; i < kept->constant_count; i++)
        add_item(&writer->scratch, &writer->constants, kept->constants[i].bytes, kept->constants[i].size);
    // Slots for what is already there are made when something is looked for.
    keep_types(writer);
}

static void write_bytes_section(Writer *writer, int id, const BytesTable *table, bool sized, size_t width) {
    Buffer data = {0};
    size_t *offsets = arena_array(&writer->scratch, size_t, table->count);
    for (size_t i = 0; i < table->count; i++) {
        offsets[i] = data.size;
        if (sized) write_varint(&data, table->items[i].size);
        buffer_append(&data, table->items[i].bytes, table->items[i].size);
    }
    write_table(&writer->payloads[id], width, table->count, offsets, &data);
    writer->needed[id] |= table->count > 0;
    buffer_free(&data);
}

// ---- sections ----------------------------------------

static void write_producer_section(Writer *writer) {
    const char *producer = writer->module->producer;
    if (!producer || (!writer->kept && writer->version < SINCE_PRODUCER)) return;
    write_name(writer, &writer->payloads[SECTION_PRODUCER], producer);
    writer->needed[SECTION_PRODUCER] = true;
}

// Every payload; strings, constants and types last, since the others add to them.
static bool write_payloads(Writer *writer) {
    writer->needed[SECTION_FUNC] = writer->needed[SECTION_TYPE] = writer->needed[SECTION_STRING] = true;
    if (!write_global_section(writer) || !write_function_section(writer)) return false;
    write_bytes_section(writer, SECTION_CONSTANT, &writer->constants, true, 8);
    if (!writer->constants.count && writer->kept && writer->kept->constants_padded)
        write_padding(&writer->payloads[SECTION_CONSTANT], section_alignments[SECTION_CONSTANT]);
    writer->subject = "the module";
    if (!write_debug_section(writer)) return false;
    write_type_section(writer);
    write_producer_section(writer);
    write_bytes_section(writer, SECTION_STRING, &writer->strings, false, 4);
    if (!writer->strings.count && writer->kept && writer->kept->strings_padded)
        write_padding(&writer->payloads[SECTION_STRING], section_alignments[SECTION_STRING]);
    return true;
}

// `begin`: where the file begins in `out`.
static void write_section(const Writer *writer, Buffer *out, size_t begin, int id, uint64_t alignment, bool aligned) {
    const Buffer *payload = &writer->payloads[id];
    write_byte(out, (uint8_t)(id | (aligned ? 0x80 : 0)));
    write_varint(out, payload->size);
    if (aligned) write_varint(out, alignment);
    while ((out->size - begin) & (alignment - 1)) write_byte(out, PADDING_BYTE);
    buffer_append(out, payload->data, payload->size);
}

// The sections of the file that was read at their places, then what it did not have. Of two of one kind, which only a
// file made by hand has, the later one counted.
static void write_sections(const Writer *writer, Buffer *out, size_t begin) {
    static const uint8_t order[] = {SECTION_GLOBAL, SECTION_FUNC,     SECTION_CONSTANT, SECTION_DEBUG,
                                    SECTION_TYPE,   SECTION_PRODUCER, SECTION_STRING};
    bool done[SECTION_COUNT] = {false};
    uint32_t last[SECTION_COUNT] = {0};
    const struct TirReadTables *kept = writer->kept;
    for (uint32_t i = 0; kept && i < kept->section_count; i++) last[kept->sections[i].id] = i;
    for (uint32_t i = 0; kept && i < kept->section_count; i++) {
        const ReadSection *section = &kept->sections[i];
        if (last[section->id] != i) continue;
        write_section(writer, out, begin, section->id, section->alignment, section->aligned);
        done[section->id] = true;
    }
    for (size_t i = 0; i < BASE_COUNT(order); i++) {
        uint8_t id = order[i], alignment = section_alignments[id];
        if (writer->needed[id] && !done[id]) write_section(writer, out, begin, id, alignment, alignment > 1);
    }
    write_byte(out, SECTION_END);
}

static void write_header(const Writer *writer, Buffer *out) {
    buffer_append(out, bytecode_magic, sizeof bytecode_magic);
    write_byte(out, (uint8_t)(writer->version / 100));
    write_byte(out, (uint8_t)(writer->version % 100));
    write_fixed(out, 0, 2); // tag
}

static bool math_is_lost(Diagnostics *diagnostics, Location at, const char *what, const char *of) {
    return diag_fail(diagnostics, at, E_VERSION, "bytecode has no place for %s of '%s'; --drop-math writes it without",
                     what, of);
}

// The first op, entry or block that says how floats are computed.
static bool refuse_math(Diagnostics *diagnostics, const TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirFunction *function = &module->functions[f];
        Buffer what = {0};
        if (function->math) {
            buffer_print(&what, "math<%s>", function->math->settings);
            math_is_lost(diagnostics, function->at, what.data, function->name);
        }
        for (const TirOp *op = tir_first_op(&function->body); op && !what.size; op = tir_next_op(&function->body, op)) {
            if (op->math.flags) {
                buffer_print(&what, "fastmath<");
                math_print_flags(op->math.flags, &what);
            } else if (op->math.max_error) {
                buffer_print(&what, "max_error<");
                math_print_bound(op->math.max_error, &what);
            } else if (op->math_block) {
                buffer_print(&what, "math<%s", op->math_block->settings);
            } else {
                continue;
            }
            buffer_print(&what, ">");
            math_is_lost(diagnostics, op->at, what.data, tir_op_info(op->kind)->text_name);
        }
        const bool lost = what.size;
        buffer_free(&what);
        if (lost) return false;
    }
    return true;
}

bool tir_write_bytecode(Diagnostics *diagnostics, const TirModule *module, uint16_t version, Buffer *out) {
    assert(version >= TIR_VERSION_MIN && version <= TIR_VERSION_MAX);
    const bool keeps = version == module->version && module->tables && types_can_be_kept(module);
    Writer writer = {.diagnostics = diagnostics,
                     .module = module,
                     .kept = keeps ? module->tables : NULL,
                     .version = version,
                     .at = {.file = module->path},
                     .subject = "the module"};
    // One more than the module's types: a token type, where only the newer version needs one.
    writer.types = arena_array(&writer.scratch, TirType, module->type_count + 1);
    writer.type_indices = arena_array(&writer.scratch, uint32_t, module->type_count + 1);
    while (writer.token < module->type_count && tir_type(module, writer.token)->kind != TIR_TYPE_token) writer.token++;
    if (writer.kept) keep_tables(&writer);
    if (module->tables && !writer.kept) {
        writer.string_indices = arena_array(&writer.scratch, uint32_t, module->tables->string_count);
        writer.constant_indices = arena_array(&writer.scratch, uint32_t, module->tables->constant_count);
    }
    bool good = refuse_math(diagnostics, module) && write_payloads(&writer);
    if (good) {
        size_t begin = out->size;
        write_header(&writer, out);
        write_sections(&writer, out, begin);
    }
    for (int id = 0; id < SECTION_COUNT; id++) buffer_free(&writer.payloads[id]);
    buffer_free(&writer.debug_refs);
    buffer_free(&writer.debug_starts);
    arena_reset(&writer.scratch);
    return good;
}
