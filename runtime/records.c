// SPDX-License-Identifier: Apache-2.0
// Records of floats in buffers, as the owner of a device puts and gets them.
#include "runtime/shadow_words.h"

#include <assert.h>
#include <string.h>

static unsigned width_index(unsigned width) {
    assert(width == 1 || width == 2 || width == 4 || width == 8);
    return (unsigned)__builtin_ctz(width);
}

static uint64_t element_address(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width) {
    assert(device->shadow.base && offset <= buffer->size && width <= buffer->size - offset);
    (void)device, (void)width;
    uint64_t address = buffer->address + offset;
    assert(address % width == 0);
    return address;
}

// The bits of a float in memory; x86 and AArch64 keep the lowest byte first.
static uint64_t float_bits(uint64_t address, unsigned width) {
    uint64_t bits = 0;
    memcpy(&bits, (const void *)(uintptr_t)address, width);
    return bits;
}

static bool is_checked(const RtBuffer *buffer, unsigned width) {
    return buffer->records == HOST_RECORDS_OF_NUMBERS && width < 3;
}

// Between a record as callers have it, and its words in memory.
static void pack(HostRecords records, uint32_t *words) {
    HostStorePart part = {0, 0, 0};
    for (unsigned i = 0; i < BASE_COUNT(host_component_bits[0]); i++) {
        part = host_next_store_part(records, i, part);
        const uint32_t piece = words[STORE] >> part.first & (uint32_t)((UINT64_C(1) << part.bits) - 1);
        assert(!(words[COMPONENT + i] & ~host_component_mask(records, i)));
        if (part.bits) words[COMPONENT + i] |= piece << part.at;
    }
}

static void unpack(HostRecords records, uint32_t *words) {
    HostStorePart part = {0, 0, 0};
    words[STORE] = 0;
    for (unsigned i = 0; i < BASE_COUNT(host_component_bits[0]); i++) {
        part = host_next_store_part(records, i, part);
        if (part.bits) words[STORE] |= words[COMPONENT + i] >> part.at << part.first;
        words[COMPONENT + i] &= host_component_mask(records, i);
    }
}

bool rt_get_record(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width, HostRecord *record) {
    unsigned k = width_index(width);
    uint64_t address = element_address(device, buffer, offset, width), bits = float_bits(address, width);
    uint32_t words[HOST_RECORD_WORDS] = {0};
    *record = (HostRecord){0};
    if (!(buffer->widths >> k & 1)) return false;
    for (unsigned word = 0; word < HOST_RECORD_WORDS; word++)
        if (keeps_word(buffer, k, word)) words[word] = *word_at(&device->shadow.abi, k, word, address);
    HostRecord found;
    unpack(buffer->records, words);
    memcpy(&found, words, sizeof found);
    if (is_checked(buffer, k)) {
        if (found.state != host_record_check((uint32_t)bits)) return false;
        found.state = HOST_RECORD_VALID;
        found.low = (uint32_t)bits;
    }
    if (!(found.state & HOST_RECORD_VALID) || found.low != (uint32_t)bits || found.high != bits >> 32) return false;
    *record = found;
    return true;
}

void rt_put_record(RtDevice *device, RtBuffer *buffer, size_t offset, unsigned width, const HostRecord *record) {
    unsigned k = width_index(width);
    uint64_t address = element_address(device, buffer, offset, width), bits = float_bits(address, width);
    HostRecord kept = *record;
    uint32_t words[HOST_RECORD_WORDS];
    kept.state |= HOST_RECORD_VALID;
    kept.low = (uint32_t)bits;
    kept.high = (uint32_t)(bits >> 32);
    if (is_checked(buffer, k)) kept.state = host_record_check((uint32_t)bits);
    memcpy(words, &kept, sizeof words);
    pack(buffer->records, words);
    buffer->deep |= kept.component[4] || kept.component[5];
    rt_shadow_expect(&device->shadow, buffer, 1u << k);
    for (unsigned word = 0; word < HOST_RECORD_WORDS; word++)
        if (keeps_word(buffer, k, word)) *word_at(&device->shadow.abi, k, word, address) = words[word];
}

void rt_expect_records(RtDevice *device, RtBuffer *buffer, unsigned width, bool deep) {
    buffer->deep |= deep;
    rt_shadow_expect(&device->shadow, buffer, 1u << width_index(width));
}

// ---- records of many floats: word by word, for they lie in other places ---------------------------------------------

// `low` and `high` of floats that follow one another.
static void floats_bits(uint64_t address, unsigned width, size_t count, uint32_t *low, uint32_t *high) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = float_bits(address + i * width, width);
        low[i] = (uint32_t)bits;
        high[i] = (uint32_t)(bits >> 32);
    }
}

enum { AT_ONCE = 256 }; // floats

static void put_some(RtDevice *device, const RtBuffer *buffer, uint64_t address, unsigned width, size_t count,
                     const HostRecord *records) {
    const unsigned k = width_index(width);
    const HostShadow *shadow = &device->shadow.abi;
    const bool checked = is_checked(buffer, k);
    HostStorePart part = {0, 0, 0};
    uint32_t low[AT_ONCE], high[AT_ONCE];
    floats_bits(address, width, count, low, high);
    uint32_t *states = word_at(shadow, k, 0, address), *lows = word_at(shadow, k, LOW, address),
             *highs = word_at(shadow, k, HOST_RECORD_WORDS - 1, address);
    for (size_t i = 0; i < count; i++) {
        if (!(records[i].state & HOST_RECORD_VALID)) continue;
        states[i] = checked ? host_record_check(low[i]) : records[i].state;
        lows[i] = low[i];
        if (width == 8) highs[i] = high[i];
    }
    for (unsigned c = 0; c < BASE_COUNT(records->component); c++) {
        uint32_t *words = word_at(shadow, k, COMPONENT + c, address);
        part = host_next_store_part(buffer->records, c, part);
        const uint32_t mask = (uint32_t)((UINT64_C(1) << part.bits) - 1);
        const unsigned first = part.bits ? part.first : 0, at = part.bits ? part.at : 0;
        if (!keeps_word(buffer, k, COMPONENT + c)) continue;
        for (size_t i = 0; i < count; i++)
            if (records[i].state & HOST_RECORD_VALID)
                words[i] = records[i].component[c] | (records[i].store >> first & mask) << at;
    }
}

void rt_put_records(RtDevice *device, RtBuffer *buffer, size_t offset, unsigned width, size_t count,
                    const HostRecord *records) {
    if (!count) return;
    const uint64_t address = element_address(device, buffer, offset, width);
    assert(count * width <= buffer->size - offset && buffer->widths >> width_index(width) & 1);
    for (size_t i = 0; i < count; i += AT_ONCE)
        put_some(device, buffer, address + i * width, width, count - i < AT_ONCE ? count - i : AT_ONCE, records + i);
}

static size_t get_some(const RtDevice *device, const RtBuffer *buffer, uint64_t address, unsigned width, size_t count,
                       HostRecord *records) {
    const unsigned k = width_index(width);
    const bool checked = is_checked(buffer, k);
    uint32_t low[AT_ONCE], high[AT_ONCE], all[HOST_RECORD_WORDS][AT_ONCE] = {0};
    size_t found = 0;
    floats_bits(address, width, count, low, high);
    for (unsigned word = 0; word < HOST_RECORD_WORDS; word++)
        if (keeps_word(buffer, k, word))
            memcpy(all[word], word_at(&device->shadow.abi, k, word, address), count * sizeof all[word][0]);
    for (size_t i = 0; i < count; i++) {
        uint32_t words[HOST_RECORD_WORDS];
        for (unsigned word = 0; word < HOST_RECORD_WORDS; word++) words[word] = all[word][i];
        const bool valid =
            checked ? words[0] == host_record_check(low[i]) : words[0] & HOST_RECORD_VALID && words[LOW] == low[i];
        if (!valid || words[HOST_RECORD_WORDS - 1] != high[i]) {
            records[i] = (HostRecord){0};
            continue;
        }
        unpack(buffer->records, words);
        memcpy(&records[i], words, sizeof records[i]);
        if (checked) {
            records[i].state = HOST_RECORD_VALID;
            records[i].low = low[i];
        }
        found++;
    }
    return found;
}

size_t rt_get_records(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned width, size_t count,
                      HostRecord *records) {
    size_t found = 0;
    if (!count) return 0;
    if (!(buffer->widths >> width_index(width) & 1)) {
        memset(records, 0, count * sizeof *records);
        return 0;
    }
    const uint64_t address = element_address(device, buffer, offset, width);
    assert(count * width <= buffer->size - offset);
    for (size_t i = 0; i < count; i += AT_ONCE)
        found += get_some(device, buffer, address + i * width, width, count - i < AT_ONCE ? count - i : AT_ONCE,
                          records + i);
    return found;
}
