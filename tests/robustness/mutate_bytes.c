// SPDX-License-Identifier: Apache-2.0
// Changes to bytecode as bytes. Changes inside a section keep the headers around it right, so that they reach what lies
// behind the reader's first checks.
#include "tests/robustness/mutation.h"

#include <string.h>

enum { SECTION_FUNC = 2, SECTIONS_MAX = 16, HEADER_BYTES = 12, RANGE_MAX = 24 };

typedef struct Section {
    uint8_t id; // with the bit that says an alignment follows
    uint64_t alignment;
    Buffer bytes; // payload
} Section;
typedef struct Image { // a file, taken apart
    uint8_t header[HEADER_BYTES];
    uint32_t count;
    Section sections[SECTIONS_MAX];
} Image;

static bool take_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

static void put_varint(Buffer *out, uint64_t value) {
    do {
        uint8_t byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        buffer_append(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static bool take_apart(const CorpusFile *file, Image *image) {
    size_t at = HEADER_BYTES;
    *image = (Image){0};
    if (file->size < HEADER_BYTES) return false;
    memcpy(image->header, file->bytes, HEADER_BYTES);
    while (at < file->size && image->count < SECTIONS_MAX) {
        Section section = {.id = file->bytes[at++], .alignment = 1};
        uint64_t length;
        if (!section.id) return true;
        if (!take_varint(file->bytes, file->size, &at, &length)) return false;
        if (section.id & 0x80) {
            if (!take_varint(file->bytes, file->size, &at, &section.alignment) || !section.alignment) return false;
            at = (at + section.alignment - 1) / section.alignment * section.alignment;
        }
        if (at > file->size || length > file->size - at) return false;
        buffer_append(&section.bytes, file->bytes + at, length);
        at += length;
        image->sections[image->count++] = section;
    }
    return false;
}

static void put_together(const Image *image, Buffer *out) {
    buffer_append(out, image->header, HEADER_BYTES);
    for (uint32_t i = 0; i < image->count; i++) {
        const Section *section = &image->sections[i];
        buffer_append(out, &section->id, 1);
        put_varint(out, section->bytes.size);
        if (section->id & 0x80) {
            put_varint(out, section->alignment);
            while (out->size % section->alignment) buffer_append(out, "\xcb", 1);
        }
        buffer_append(out, section->bytes.data, section->bytes.size);
    }
    buffer_append(out, "", 1);
}

static void free_image(Image *image) {
    for (uint32_t i = 0; i < image->count; i++) buffer_free(&image->sections[i].bytes);
}

// ---- changes that keep the length
// ------------------------------------------------------------------------------------

static void set_word(Random *random, uint8_t *bytes, size_t size) {
    size_t width = (size_t)1 << random_below(random, 4);
    if (size < width) return;
    size_t at = random_below(random, size - width + 1);
    uint64_t value = random_edge(random);
    memcpy(bytes + at, &value, width);
}

static uint8_t random_opcode(Random *random) {
    const TirOpInfo *info = tir_op_info((TirOpKind)random_below(random, TIR_OP_COUNT));
    return (uint8_t)info->opcode;
}

static void change_bytes(Random *random, uint8_t *bytes, size_t size) {
    if (!size) return;
    size_t at = random_below(random, size), other = random_below(random, size);
    uint8_t byte = bytes[at];
    switch (random_below(random, 8)) {
    case 0: bytes[at] ^= (uint8_t)(1u << random_below(random, 8)); break;
    case 1: bytes[at] = (uint8_t)random_edge(random); break;
    case 2: bytes[at] = (uint8_t)(byte + 1 + random_below(random, 4)); break;
    case 3: bytes[at] = (uint8_t)(byte - 1 - random_below(random, 4)); break;
    case 4: bytes[at] = bytes[other]; break;
    case 5: bytes[at] = bytes[other], bytes[other] = byte; break;
    case 6: bytes[at] = random_opcode(random); break;
    default: set_word(random, bytes, size); break;
    }
}

// ---- changes of a range
// ------------------------------------------------------------------------------------------------

static void replace_range(Buffer *bytes, size_t at, size_t removed, const void *added, size_t size) {
    Buffer tail = {0};
    buffer_append(&tail, bytes->data + at + removed, bytes->size - at - removed);
    bytes->size = at;
    buffer_append(bytes, added, size);
    buffer_append(bytes, tail.data, tail.size);
    buffer_free(&tail);
}

static void change_range(Random *random, Buffer *bytes) {
    uint8_t added[RANGE_MAX];
    size_t at = random_below(random, bytes->size + 1), left = bytes->size - at,
           limit = left < RANGE_MAX ? left : RANGE_MAX;
    size_t count = random_below(random, limit + 1);
    Buffer number = {0};
    switch (random_below(random, 4)) {
    case 0: replace_range(bytes, at, count, NULL, 0); break; // removed
    case 1:                                                  // doubled
        if (count) memcpy(added, bytes->data + at, count);
        replace_range(bytes, at, 0, added, count);
        break;
    case 2: // random
        count = random_below(random, RANGE_MAX);
        for (size_t i = 0; i < count; i++) added[i] = (uint8_t)random_next(random);
        replace_range(bytes, at, random_below(random, limit + 1), added, count);
        break;
    default: // a number of another length
        put_varint(&number, random_edge(random));
        replace_range(bytes, at, left ? 1 : 0, number.data, number.size);
        buffer_free(&number);
    }
}

// The offset of the byte length of the last function's body: a number that equals what follows it. 0 if none is found.
static size_t find_body(const Buffer *function, size_t *begin) {
    for (size_t at = 4; at + 1 < function->size; at++) {
        uint64_t length;
        *begin = at;
        if (take_varint((const uint8_t *)function->data, function->size, begin, &length) &&
            length == function->size - *begin)
            return at;
    }
    return 0;
}

// A range of the body of a function, whose length is written before it.
static void change_body(Random *random, Buffer *function) {
    size_t begin, at = find_body(function, &begin);
    if (!at) return;
    Buffer body = {0}, length = {0};
    buffer_append(&body, function->data + begin, function->size - begin);
    change_range(random, &body);
    put_varint(&length, body.size);
    replace_range(function, at, function->size - at, length.data, length.size);
    buffer_append(function, body.data, body.size);
    buffer_free(&body);
    buffer_free(&length);
}

// ---- changes of sections
// -----------------------------------------------------------------------------------------------

static void copy_section(Section *to, const Section *from) {
    to->id = from->id;
    to->alignment = from->alignment;
    to->bytes.size = 0;
    buffer_append(&to->bytes, from->bytes.data, from->bytes.size);
}

static void change_sections(Random *random, Image *image, const CorpusFile *other) {
    uint32_t at = (uint32_t)random_below(random, image->count), with = (uint32_t)random_below(random, image->count);
    Section section = image->sections[at];
    Image donor;
    switch (random_below(random, 5)) {
    case 0: // left out
        buffer_free(&section.bytes);
        image->sections[at] = image->sections[--image->count];
        break;
    case 1: // doubled
        if (image->count == SECTIONS_MAX) break;
        image->sections[image->count] = (Section){0};
        copy_section(&image->sections[image->count++], &section);
        break;
    case 2: // moved
        image->sections[at] = image->sections[with];
        image->sections[with] = section;
        break;
    case 3: // another file's
        if (take_apart(other, &donor))
            for (uint32_t i = 0; i < donor.count; i++)
                if (donor.sections[i].id == section.id) copy_section(&image->sections[at], &donor.sections[i]);
        free_image(&donor);
        break;
    default: // under another number or alignment
        if (random_below(random, 2))
            image->sections[at].id ^= (uint8_t)(1u << random_below(random, 8));
        else
            image->sections[at].alignment = UINT64_C(1) << random_below(random, 12);
    }
}

static void change_image(Random *random, Image *image, const CorpusFile *other) {
    uint32_t at = 0;
    for (uint32_t tries = 0; tries < 3; tries++) { // functions and types rather than strings and debug information
        at = (uint32_t)random_below(random, image->count);
        if ((image->sections[at].id & 0x7f) == SECTION_FUNC) break;
    }
    Section *section = &image->sections[at];
    switch (random_below(random, 16)) {
    case 0: change_sections(random, image, other); break;
    case 1: image->header[9] = (uint8_t)(1 + random_below(random, 3)); break;
    case 2: change_range(random, &section->bytes); break;
    case 3:
    case 4:
    case 5:
    case 6:
        if ((section->id & 0x7f) == SECTION_FUNC) {
            change_body(random, &section->bytes);
            break;
        }
        // fall through
    default: change_bytes(random, (uint8_t *)section->bytes.data, section->bytes.size);
    }
}

uint8_t *mutate_bytes(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, size_t *size) {
    Image image;
    Buffer out = {0};
    unsigned changes = 1 + (unsigned)random_below(random, random_below(random, 2) ? 2 : 5);
    bool parts = random_below(random, 12) != 0;
    if (parts && !take_apart(file, &image)) {
        free_image(&image);
        parts = false;
    }
    if (!parts) {
        buffer_append(&out, file->bytes, file->size);
        while (changes--) {
            change_bytes(random, (uint8_t *)out.data, out.size);
            if (!random_below(random, 3)) change_range(random, &out);
            if (!random_below(random, 4)) out.size = random_below(random, out.size + 1);
        }
    } else {
        while (changes-- && image.count) change_image(random, &image, other);
        put_together(&image, &out);
        free_image(&image);
    }
    uint8_t *bytes = arena_alloc(arena, out.size + 1);
    if (out.size) memcpy(bytes, out.data, out.size);
    *size = out.size;
    buffer_free(&out);
    return bytes;
}
