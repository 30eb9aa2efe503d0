// SPDX-License-Identifier: Apache-2.0
// Changes to bytecode that keep to what it is made of: the items of its tables, and the records of ops, whole or one
// byte of a field, within a file that says the right lengths around them.
#include "tests/robustness/bytecode_image.h"

#include <stdlib.h>
#include <string.h>

// ---- tables ---------------------------------------------------------------------------------------------------------

typedef struct Table { // count, padding, offsets, data
    Buffer *items;
    size_t count;
} Table;

static void free_table(Table *table) {
    for (size_t i = 0; i < table->count; i++) buffer_free(&table->items[i]);
    free(table->items);
    *table = (Table){0};
}

static bool take_table(const ImageSection *section, size_t width, Table *table) {
    const uint8_t *bytes = (const uint8_t *)section->bytes.data;
    size_t size = section->bytes.size, at = 0;
    uint64_t count;
    *table = (Table){0};
    if (!image_take_varint(bytes, size, &at, &count) || !count) return false;
    at = (at + width - 1) / width * width;
    if (at > size || count > (size - at) / width) return false;
    const uint8_t *offsets = bytes + at, *data = offsets + count * width;
    size_t left = size - at - count * width;
    table->items = calloc(count, sizeof *table->items);
    table->count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t begin, end = (uint32_t)left;
        memcpy(&begin, offsets + i * width, sizeof begin);
        if (i + 1 < count) memcpy(&end, offsets + (i + 1) * width, sizeof end);
        if (begin > end || end > left) {
            free_table(table);
            return false;
        }
        buffer_append(&table->items[i], data + begin, end - begin);
    }
    return true;
}

static void put_table(const Table *table, size_t width, Buffer *out) {
    uint64_t offset = 0;
    out->size = 0;
    image_put_varint(out, table->count);
    while (out->size % width) buffer_append(out, "\xcb", 1);
    for (size_t i = 0; i < table->count; i++) {
        buffer_append(out, &offset, width);
        offset += table->items[i].size;
    }
    for (size_t i = 0; i < table->count; i++) buffer_append(out, table->items[i].data, table->items[i].size);
}

// One item: its bytes, another one's, none, or another file's.
static void change_item(Random *random, Table *table, const Table *donor) {
    size_t at = random_below(random, table->count), with = random_below(random, table->count);
    Buffer *item = &table->items[at], kept = *item;
    const Buffer *given = &table->items[with];
    switch (random_below(random, 8)) {
    case 0:
        *item = table->items[with];
        table->items[with] = kept;
        break;
    case 1:
        given = donor->count ? &donor->items[random_below(random, donor->count)] : given;
        // fall through
    case 2:
        if (given == item) break;
        *item = (Buffer){0};
        buffer_append(item, given->data, given->size);
        buffer_free(&kept);
        break;
    case 3: item->size = random_below(random, item->size + 1); break;
    case 4: image_change_range(random, item); break;
    default: image_change_bytes(random, (uint8_t *)item->data, item->size);
    }
}

bool mutate_table(Random *random, Image *image, const Image *other) {
    static const uint8_t ids[] = {SECTION_STRING, SECTION_CONSTANT, SECTION_TYPE, SECTION_TYPE, SECTION_TYPE};
    uint8_t id = ids[random_below(random, BASE_COUNT(ids))];
    size_t width = id == SECTION_CONSTANT ? 8 : 4;
    ImageSection *section = image_section(image, id);
    const ImageSection *others = image_section((Image *)other, id);
    Table table, donor = {0};
    if (!section || !take_table(section, width, &table)) return false;
    if (others) take_table(others, width, &donor);
    for (uint64_t changes = 1 + random_below(random, 2); changes; changes--) change_item(random, &table, &donor);
    if (!random_below(random, 6)) buffer_free(&table.items[--table.count]); // the last one goes
    put_table(&table, width, &section->bytes);
    free_table(&table);
    free_table(&donor);
    return true;
}

// ---- records of ops -------------------------------------------------------------------------------------------------

typedef struct Record { // the bytes of an op
    size_t begin, end;  // in the body
} Record;
typedef struct Body { // of the last function of a file
    Image image;
    ImageSection *section;
    size_t length_at; // of its byte length, in the section
    Buffer bytes;
    Record *records;
    size_t count, capacity;
} Body;

static void list_block(Arena *arena, const TirBlock *block, size_t begin, size_t end, Body *body) {
    for (const TirOp *op = block->first; op; op = op->next) {
        // Where the last op of an inner block ends is not known, and it is left out.
        size_t stop = op->next ? op->next->at.offset - begin : end;
        if (stop) {
            body->records = arena_grow(arena, body->records, body->count, &body->capacity, sizeof *body->records);
            body->records[body->count++] = (Record){op->at.offset - begin, stop};
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const TirBlock *inner = op->regions[r].first; inner; inner = inner->next)
                list_block(arena, inner, begin, 0, body);
    }
}

static void drop_debug(TirRegion *region) {
    for (TirBlock *block = region->first; block; block = block->next)
        for (TirOp *op = block->first; op; op = op->next) {
            op->debug = 0;
            for (uint32_t r = 0; r < op->region_count; r++) drop_debug(&op->regions[r]);
        }
}

// The file without debug information, so that each op is at its offset; NULL if that cannot be.
static TirModule *read_plain(const CorpusFile *file, Buffer *bytes) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, file->path, file->bytes, file->size), *plain = NULL;
    for (uint32_t i = 0; module && i < module->function_count; i++) {
        module->functions[i].debug = module->tables->functions[i].debug_row = 0;
        drop_debug(&module->functions[i].body);
    }
    if (module && module->function_count && tir_write_bytecode(&diagnostics, module, module->version, bytes))
        plain = tir_read_bytecode(&diagnostics, file->path, (const uint8_t *)bytes->data, bytes->size);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return plain;
}

// The byte length that ends at `end`: the longest number there that says what it must.
static bool find_length(const Buffer *section, size_t end, size_t *at, uint64_t *length) {
    for (*at = end - 1; *at && end - *at < 5 && section->data[*at - 1] & 0x80; --*at) {
    }
    size_t behind = *at;
    return image_take_varint((const uint8_t *)section->data, end, &behind, length) && behind == end &&
           *length <= section->size - end;
}

static bool find_body(Arena *arena, const TirModule *module, Body *body) {
    const TirFunction *function = &module->functions[module->function_count - 1];
    const TirBlock *block = function->body.first;
    uint64_t length;
    body->section = image_section(&body->image, SECTION_FUNC);
    if (!body->section || !block || !block->first) return false;
    size_t begin = block->first->at.offset, inside = begin - body->section->offset;
    if (!inside || !find_length(&body->section->bytes, inside, &body->length_at, &length)) return false;
    buffer_append(&body->bytes, body->section->bytes.data + inside, length);
    list_block(arena, block, begin, length, body);
    return true;
}

static bool open_body(Arena *arena, const CorpusFile *file, Body *body) {
    Buffer bytes = {0};
    TirModule *module = read_plain(file, &bytes);
    *body = (Body){0};
    bool good =
        module && image_open(&body->image, (const uint8_t *)bytes.data, bytes.size) && find_body(arena, module, body);
    tir_module_close(module);
    buffer_free(&bytes);
    return good;
}

static void close_body(Body *body) {
    image_close(&body->image);
    buffer_free(&body->bytes);
}

// A number of the record: its byte, or another number in its place. The first one is the opcode.
static void change_record(Random *random, Body *body, Record record) {
    size_t size = record.end - record.begin,
           at = record.begin + (random_below(random, 6) ? random_below(random, size) : 0);
    uint8_t *byte = (uint8_t *)body->bytes.data + at;
    Buffer number = {0};
    switch (random_below(random, 6)) {
    case 0: *byte = (uint8_t)tir_op_info((TirOpKind)random_below(random, TIR_OP_COUNT))->opcode; break;
    case 1: *byte = (uint8_t)random_below(random, 24); break;
    case 2: *byte = (uint8_t)(*byte + 1); break;
    case 3: *byte = (uint8_t)(*byte - 1); break;
    case 4: *byte ^= (uint8_t)(1u << random_below(random, 8)); break;
    default:
        image_put_varint(&number, random_edge(random));
        image_replace_range(&body->bytes, at, random_below(random, 4) != 0, number.data, number.size);
        buffer_free(&number);
    }
}

static void change_records(Random *random, Body *body, const Body *donor) {
    size_t at = random_below(random, body->count);
    Record record = body->records[at], next = body->records[(at + 1) % body->count];
    const char *data = body->bytes.data;
    Buffer added = {0};
    switch (random_below(random, 12)) {
    case 0: image_replace_range(&body->bytes, record.begin, record.end - record.begin, NULL, 0); break;
    case 1: // doubled
        buffer_append(&added, data + record.begin, record.end - record.begin);
        image_replace_range(&body->bytes, record.end, 0, added.data, added.size);
        break;
    case 2: // swapped with the next one
        if (next.begin != record.end) break;
        buffer_append(&added, data + next.begin, next.end - next.begin);
        buffer_append(&added, data + record.begin, record.end - record.begin);
        image_replace_range(&body->bytes, record.begin, next.end - record.begin, added.data, added.size);
        break;
    case 3: // another file's, beside it or in its place
        if (!donor->count) break;
        next = donor->records[random_below(random, donor->count)];
        image_replace_range(&body->bytes, record.begin, random_below(random, 2) ? record.end - record.begin : 0,
                            donor->bytes.data + next.begin, next.end - next.begin);
        break;
    default: change_record(random, body, record);
    }
    buffer_free(&added);
}

bool mutate_records(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, Buffer *out) {
    Body body, donor;
    bool good = open_body(arena, file, &body) && body.count;
    if (good) {
        Buffer length = {0};
        if (!open_body(arena, other, &donor)) donor.count = 0;
        change_records(random, &body, &donor); // once: records behind a change are elsewhere
        image_put_varint(&length, body.bytes.size);
        body.section->bytes.size = body.length_at;
        buffer_append(&body.section->bytes, length.data, length.size);
        buffer_append(&body.section->bytes, body.bytes.data, body.bytes.size);
        image_write(&body.image, out);
        buffer_free(&length);
        close_body(&donor);
    }
    close_body(&body);
    return good;
}
