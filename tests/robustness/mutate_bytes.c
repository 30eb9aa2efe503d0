// SPDX-License-Identifier: Apache-2.0
// Changes to bytecode as bytes. Changes inside a section keep the headers around it right, so that they reach what lies
// behind the reader's first checks.
#include "tests/robustness/bytecode_image.h"

#include <string.h>

enum { RANGE_MAX = 24 };

// ---- files in parts -------------------------------------------------------------------------------------------------

bool image_take_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

void image_put_varint(Buffer *out, uint64_t value) {
    do {
        uint8_t byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        buffer_append(out, &byte, 1);
        value >>= 7;
    } while (value);
}

bool image_open(Image *image, const uint8_t *bytes, size_t size) {
    size_t at = IMAGE_HEADER_BYTES;
    *image = (Image){0};
    if (size < IMAGE_HEADER_BYTES) return false;
    memcpy(image->header, bytes, IMAGE_HEADER_BYTES);
    while (at < size && image->count < IMAGE_SECTIONS_MAX) {
        ImageSection section = {.id = bytes[at++], .alignment = 1};
        uint64_t length;
        if (!section.id) return true;
        if (!image_take_varint(bytes, size, &at, &length)) return false;
        if (section.id & 0x80) {
            if (!image_take_varint(bytes, size, &at, &section.alignment) || !section.alignment) return false;
            at = (at + section.alignment - 1) / section.alignment * section.alignment;
        }
        if (at > size || length > size - at) return false;
        section.offset = at;
        buffer_append(&section.bytes, bytes + at, length);
        at += length;
        image->sections[image->count++] = section;
    }
    return false;
}

void image_write(const Image *image, Buffer *out) {
    buffer_append(out, image->header, IMAGE_HEADER_BYTES);
    for (uint32_t i = 0; i < image->count; i++) {
        const ImageSection *section = &image->sections[i];
        buffer_append(out, &section->id, 1);
        image_put_varint(out, section->bytes.size);
        if (section->id & 0x80) {
            image_put_varint(out, section->alignment);
            while (out->size % section->alignment) buffer_append(out, "\xcb", 1);
        }
        buffer_append(out, section->bytes.data, section->bytes.size);
    }
    buffer_append(out, "", 1);
}

void image_close(Image *image) {
    for (uint32_t i = 0; i < image->count; i++) buffer_free(&image->sections[i].bytes);
}

ImageSection *image_section(Image *image, uint8_t id) {
    for (uint32_t i = 0; i < image->count; i++)
        if ((image->sections[i].id & 0x7f) == id) return &image->sections[i];
    return NULL;
}

// ---- changes that keep the length -----------------------------------------------------------------------------------

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

void image_change_bytes(Random *random, uint8_t *bytes, size_t size) {
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

// ---- changes of a range ---------------------------------------------------------------------------------------------

void image_replace_range(Buffer *bytes, size_t at, size_t removed, const void *added, size_t size) {
    Buffer tail = {0};
    buffer_append(&tail, bytes->data + at + removed, bytes->size - at - removed);
    bytes->size = at;
    buffer_append(bytes, added, size);
    buffer_append(bytes, tail.data, tail.size);
    buffer_free(&tail);
}

void image_change_range(Random *random, Buffer *bytes) {
    uint8_t added[RANGE_MAX];
    size_t at = random_below(random, bytes->size + 1), left = bytes->size - at,
           limit = left < RANGE_MAX ? left : RANGE_MAX;
    size_t count = random_below(random, limit + 1);
    Buffer number = {0};
    switch (random_below(random, 4)) {
    case 0: image_replace_range(bytes, at, count, NULL, 0); break; // removed
    case 1:                                                        // doubled
        if (count) memcpy(added, bytes->data + at, count);
        image_replace_range(bytes, at, 0, added, count);
        break;
    case 2: // random
        count = random_below(random, RANGE_MAX);
        for (size_t i = 0; i < count; i++) added[i] = (uint8_t)random_next(random);
        image_replace_range(bytes, at, random_below(random, limit + 1), added, count);
        break;
    default: // a number of another length
        image_put_varint(&number, random_edge(random));
        image_replace_range(bytes, at, left ? 1 : 0, number.data, number.size);
        buffer_free(&number);
    }
}

// The offset of the byte length of the last function's body: a number that equals what follows it. 0 if none is found.
static size_t find_body(const Buffer *function, size_t *begin) {
    for (size_t at = 4; at + 1 < function->size; at++) {
        uint64_t length;
        *begin = at;
        if (image_take_varint((const uint8_t *)function->data, function->size, begin, &length) &&
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
    image_change_range(random, &body);
    image_put_varint(&length, body.size);
    image_replace_range(function, at, function->size - at, length.data, length.size);
    buffer_append(function, body.data, body.size);
    buffer_free(&body);
    buffer_free(&length);
}

// ---- changes of sections --------------------------------------------------------------------------------------------

static void copy_section(ImageSection *to, const ImageSection *from) {
    to->id = from->id;
    to->alignment = from->alignment;
    to->bytes.size = 0;
    buffer_append(&to->bytes, from->bytes.data, from->bytes.size);
}

static void change_sections(Random *random, Image *image, const CorpusFile *other) {
    uint32_t at = (uint32_t)random_below(random, image->count), with = (uint32_t)random_below(random, image->count);
    ImageSection section = image->sections[at];
    Image donor;
    switch (random_below(random, 5)) {
    case 0: // left out
        buffer_free(&section.bytes);
        image->sections[at] = image->sections[--image->count];
        break;
    case 1: // doubled
        if (image->count == IMAGE_SECTIONS_MAX) break;
        image->sections[image->count] = (ImageSection){0};
        copy_section(&image->sections[image->count++], &section);
        break;
    case 2: // moved
        image->sections[at] = image->sections[with];
        image->sections[with] = section;
        break;
    case 3: // another file's
        if (image_open(&donor, other->bytes, other->size))
            for (uint32_t i = 0; i < donor.count; i++)
                if (donor.sections[i].id == section.id) copy_section(&image->sections[at], &donor.sections[i]);
        image_close(&donor);
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
    ImageSection *section = &image->sections[at];
    switch (random_below(random, 16)) {
    case 0: change_sections(random, image, other); break;
    case 1: image->header[9] = (uint8_t)(1 + random_below(random, 3)); break;
    case 2: image_change_range(random, &section->bytes); break;
    case 3:
    case 4:
    case 5:
    case 6:
        if ((section->id & 0x7f) == SECTION_FUNC) {
            change_body(random, &section->bytes);
            break;
        }
        // fall through
    default: image_change_bytes(random, (uint8_t *)section->bytes.data, section->bytes.size);
    }
}

// ---- a mutant -------------------------------------------------------------------------------------------------------

// The file as bytes without a meaning: changed, cut, or with parts of another file.
static void mutate_blindly(Random *random, const CorpusFile *file, const CorpusFile *other, Buffer *out) {
    buffer_append(out, file->bytes, file->size);
    for (uint64_t changes = 1 + random_below(random, 3); changes; changes--) {
        size_t at = random_below(random, out->size + 1), from = random_below(random, other->size + 1),
               count = random_below(random, other->size - from + 1);
        switch (random_below(random, 10)) {
        case 0: out->size = at; break;
        case 1: // the end of the other one
            out->size = at;
            buffer_append(out, other->bytes + from, other->size - from);
            break;
        case 2: image_replace_range(out, at, 0, other->bytes + from, count); break;
        case 3: // in place of as many bytes
            if (count > out->size - at) count = out->size - at;
            image_replace_range(out, at, count, other->bytes + from, count);
            break;
        case 4: image_change_range(random, out); break;
        default: image_change_bytes(random, (uint8_t *)out->data, out->size);
        }
    }
}

// Payloads of sections, with the headers around them right.
static bool mutate_sections(Random *random, const CorpusFile *file, const CorpusFile *other, bool tables, Buffer *out) {
    Image image, donor;
    bool good = image_open(&image, file->bytes, file->size) && image.count;
    if (good && tables) {
        if (!image_open(&donor, other->bytes, other->size)) image_close(&donor), donor.count = 0;
        good = mutate_table(random, &image, &donor);
        image_close(&donor);
    } else if (good) {
        uint64_t changes = 1 + random_below(random, random_below(random, 2) ? 2 : 5);
        while (changes-- && image.count) change_image(random, &image, other);
    }
    if (good) image_write(&image, out);
    image_close(&image);
    return good;
}

uint8_t *mutate_bytes(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, size_t *size) {
    Buffer out = {0};
    uint64_t how = random_below(random, 16);
    bool done = false;
    if (how >= 11)
        done = mutate_records(arena, random, file, other, &out);
    else if (how >= 4)
        done = mutate_sections(random, file, other, how < 6, &out);
    if (!done) {
        out.size = 0;
        mutate_blindly(random, file, other, &out);
    }
    uint8_t *bytes = arena_alloc(arena, out.size + 1);
    if (out.size) memcpy(bytes, out.data, out.size);
    *size = out.size;
    buffer_free(&out);
    return bytes;
}
