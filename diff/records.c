// SPDX-License-Identifier: Apache-2.0
// Records: the payloads that arguments and literal buffers begin with, those that a variant leaves, and the file of
// them that `fpdiff run --payload` writes.
#include "diff/run.h"

#include <math.h>
#include <string.h>

const TowerMeaning *fpd_chain_meanings(Arena *arena, const FpdCase *cas) {
    TowerMeaning *meanings = arena_array(arena, TowerMeaning, cas->meaning_count + 1);
    for (uint32_t i = 0; i < cas->meaning_count && cas->chain != TOWER_DEGREES; i++)
        meanings[i] = (TowerMeaning){cas->meanings[i].value, cas->meanings[i].payload[cas->chain]};
    return meanings;
}

HostRecord fpd_literal_record(const FpdCase *cas, const TowerMeaning *meanings, ElementType type, uint64_t bits) {
    TowerPayload payload =
        tower_constant_meant(tower_chain(cas->chain), element_format(type), bits, meanings, cas->meaning_count);
    HostRecord record = {.state = payload.state | HOST_RECORD_VALID,
                         .low = (uint32_t)bits,
                         .store = FPD_NO_STORE,
                         .high = (uint32_t)(bits >> 32)};
    memcpy(record.component, payload.component, sizeof record.component);
    return record;
}

bool fpd_has_records(ElementType type) {
    return element_is_float(type) && element_info(type)->storage_bits >= 8;
}

void fpd_put_literals(const FpdCase *cas, const TowerMeaning *meanings, const FpdBuffer *buffer, RtDevice *device,
                      RtBuffer *memory, const uint8_t *bytes) {
    unsigned width = element_info(buffer->type)->storage_bits / 8;
    HostRecord record = {0};
    memory->records = cas->chain == TOWER_DEGREES ? HOST_RECORDS_OF_DEGREES : HOST_RECORDS_OF_TOWERS;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t bits = fpd_element_bits(buffer->type, bytes, i);
        if (!i || bits != ((uint64_t)record.high << 32 | record.low)) // constant fills are common
            record = fpd_literal_record(cas, meanings, buffer->type, bits);
        rt_put_record(device, memory, i * width, width, &record);
    }
}

// ---- payloads that are drawn at random ------------------------------------------------------------------------------

enum { DRAWN_AT_ONCE = FPD_PHILOX_MANY, DRAWN_PART = 1 << 13 }; // elements; of a part, which one thread draws

typedef struct Drawing {
    const FpdCase *cas;
    uint32_t buffer; // index
    const Tower *tower;
    RtDevice *device;
    RtBuffer *memory;
    const uint8_t *bytes;
} Drawing;

// random % p, for p of a chain.
static uint32_t remainder_of(uint32_t random, const TowerPrime *prime) {
    const uint32_t quotient = (uint32_t)((uint64_t)(random >> (prime->bits - 1)) * prime->barrett >> 32),
                   rest = random - quotient * prime->p;
    return rest >= prime->p ? rest - prime->p : rest;
}

static void draw_components(const Tower *tower, uint32_t random[2 * TOWER_LENGTH][DRAWN_AT_ONCE], HostRecord *records) {
    for (unsigned f = 0; f < tower->length && !tower->degrees; f++)
        for (size_t i = 0; i < DRAWN_AT_ONCE; i++)
            records[i].component[f] = remainder_of(random[f][i], &tower->prime[f]);
    for (size_t i = 0; i < DRAWN_AT_ONCE && tower->degrees; i++) { // a variable, which no other is
        records[i].component[0] = 1;
        records[i].component[TOWER_LENGTH_MAX - 1] = random[0][i] % TOWER_VALUE_PRIME;
    }
}

static void draw_some(const Drawing *d, uint64_t first, size_t count) {
    enum { STREAM = 0x64726177 }; // apart from those of fills
    const ElementType type = d->cas->buffers[d->buffer].type;
    const unsigned width = element_info(type)->storage_bits / 8, words = d->tower->degrees ? 1 : d->tower->length;
    const uint32_t key[2] = {(uint32_t)d->cas->seed ^ STREAM, (uint32_t)(d->cas->seed >> 32)};
    uint32_t random[2 * TOWER_LENGTH][DRAWN_AT_ONCE];
    HostRecord records[DRAWN_AT_ONCE] = {0};
    for (uint32_t half = 0; half * TOWER_LENGTH < words; half++) { // the second is for deep towers
        const uint32_t high[2] = {d->buffer, STREAM + half};
        fpd_philox_many(first, high, key, random + half * TOWER_LENGTH);
    }
    draw_components(d->tower, random, records);
    const uint64_t mask = fpd_exponent_mask(type);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = fpd_bits_at(d->bytes, width, first + i);
        const bool finite = mask ? (bits & mask) != mask : isfinite(fpd_element_value(type, bits));
        records[i].state = finite ? HOST_RECORD_VALID : 0;
        records[i].store = FPD_NO_STORE;
    }
    rt_put_records(d->device, d->memory, first * width, width, count, records);
}

static void draw_part(void *data, uint32_t part) {
    const Drawing *d = data;
    const uint64_t all = d->cas->buffers[d->buffer].elements, begin = (uint64_t)part * DRAWN_PART,
                   end = all - begin < DRAWN_PART ? all : begin + DRAWN_PART;
    for (uint64_t i = begin; i < end; i += DRAWN_AT_ONCE)
        draw_some(d, i, end - i < DRAWN_AT_ONCE ? end - i : DRAWN_AT_ONCE);
}

void fpd_put_drawn(const FpdCase *cas, uint32_t index, const Tower *tower, RtDevice *device, RtBuffer *memory,
                   const uint8_t *bytes) {
    const FpdBuffer *buffer = &cas->buffers[index];
    Drawing drawing = {cas, index, tower, device, memory, bytes};
    memory->records = tower->degrees ? HOST_RECORDS_OF_DEGREES : HOST_RECORDS_OF_TOWERS;
    rt_expect_records(device, memory, element_info(buffer->type)->storage_bits / 8, tower->length > TOWER_LENGTH);
    rt_share_out(device, (uint32_t)((buffer->elements + DRAWN_PART - 1) / DRAWN_PART), draw_part, &drawing);
}

HostRecord *fpd_get_records(Arena *arena, const FpdBuffer *buffer, const RtDevice *device, const RtBuffer *memory) {
    unsigned width = element_info(buffer->type)->storage_bits / 8;
    const bool is_float = fpd_has_records(buffer->type);
    HostRecord *records = is_float ? arena_array(arena, HostRecord, buffer->elements) : NULL;
    if (!width) return NULL; // two in a byte
    if (is_float && rt_get_records(device, memory, 0, width, buffer->elements, records) == buffer->elements)
        return records;
    for (uint64_t i = 0; i < buffer->elements && memory->widths & HOST_MAY_BE_UNSPECIFIED; i++) {
        uint32_t origin;
        if (is_float && records[i].state & HOST_RECORD_VALID) continue;
        if (!rt_is_unspecified(device, memory, i * width, width, &origin)) continue;
        if (!records) records = arena_array(arena, HostRecord, buffer->elements);
        uint64_t bits = fpd_element_bits(buffer->type, (const uint8_t *)(uintptr_t)memory->address, i);
        records[i] = (HostRecord){.state = tower_poison(0).state | HOST_RECORD_VALID,
                                  .component = {[TOWER_ORIGIN_COMPONENT] = origin},
                                  .low = (uint32_t)bits,
                                  .store = FPD_NO_STORE,
                                  .high = (uint32_t)(bits >> 32)};
    }
    return records;
}

static double double_of(const uint32_t *words) {
    const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

FpdUnrounded fpd_unrounded(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    const ElementType type = cas->buffers[cas->compare[compared]].type;
    const HostRecord *record = run->records[compared] ? &run->records[compared][index] : NULL;
    if (!record || !(record->state & HOST_RECORD_VALID))
        return (FpdUnrounded){fpd_element_value(type, fpd_element_bits(type, run->bytes[compared], index)), 0};
    return (FpdUnrounded){double_of(record->component),
                          run->mode == FPD_MODE_wider ? double_of(record->component + 2) : 0};
}

bool fpd_was_stored(const HostRecord *record) {
    return record->state & HOST_RECORD_VALID && record->store != FPD_NO_STORE;
}

// ---- a buffer of floats as a file: 24 bytes for each element, little-endian (docs/fpdiff.md) ------------------------

// words: four components, the state, flags
enum { WORD_STATE = TOWER_LENGTH, WORD_FLAGS, WORDS };
_Static_assert(WORDS * sizeof(uint32_t) == FPD_PAYLOAD_SIZE, "the layout is documented");

static void element_words(const FpdCase *cas, const FpdBuffer *buffer, uint64_t bits, const HostRecord *record,
                          uint32_t *words) {
    bool valid = record && record->state & HOST_RECORD_VALID;
    TowerPayload outside = {{0}, 0};
    if (!valid) outside = tower_embed(tower_chain(cas->chain), element_format(buffer->type), bits);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) words[i] = valid ? record->component[i] : outside.component[i];
    words[WORD_STATE] = valid ? record->state & ~HOST_RECORD_VALID : outside.state;
    words[WORD_FLAGS] = TOWER_VERSION << FPD_PAYLOAD_VERSION_SHIFT;
    words[WORD_FLAGS] |= valid ? (fpd_was_stored(record) ? FPD_PAYLOAD_STORED : FPD_PAYLOAD_LITERAL) : 0;
}

void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out) {
    for (uint64_t e = 0; e < buffer->elements; e++) {
        uint32_t words[WORDS];
        uint8_t text[FPD_PAYLOAD_SIZE];
        element_words(cas, buffer, fpd_element_bits(buffer->type, bytes, e), records ? &records[e] : NULL, words);
        for (unsigned i = 0; i < FPD_PAYLOAD_SIZE; i++) text[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
        buffer_append(out, text, sizeof text);
    }
}
