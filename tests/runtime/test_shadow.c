// SPDX-License-Identifier: Apache-2.0
// Shadow memory: records are where host_abi.h says, belong to the bits in memory, and become invalid when and only when
// bytes of their float are written.
#include "runtime/runtime_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WIDTHS = HOST_SHADOW_WIDTHS, ALL_WIDTHS = (1 << WIDTHS) - 1 };

static RtDevice *open_shadow(size_t range) {
    Diagnostics diagnostics = {0};
    RtDevice *device =
        rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 2, .address_range = range, .shadow = true});
    cr_assert(device, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return device;
}

static RtBuffer *new_buffer(RtDevice *device, size_t size) {
    Diagnostics diagnostics = {0};
    RtBuffer *buffer = rt_alloc(device, &diagnostics, size);
    cr_assert(buffer);
    return buffer;
}

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static HostRecord numbered_record(uint32_t number) {
    return (HostRecord){.state = number & 0xff,
                        .component = {number, number + 1, number + 2, number + 3},
                        .store = ~number & HOST_NO_STORE};
}

static bool is_numbered(const HostRecord *record, uint32_t number) {
    HostRecord expected = numbered_record(number);
    return record->state == (expected.state | HOST_RECORD_VALID) && record->store == expected.store &&
           !memcmp(record->component, expected.component, sizeof expected.component);
}

// A record for every float of the buffer, of every width.
static void put_all(RtDevice *device, RtBuffer *buffer) {
    for (unsigned width = 1; width <= 8; width *= 2)
        for (size_t at = 0; at + width <= buffer->size; at += width) {
            HostRecord record = numbered_record((uint32_t)(at * 8 + width));
            rt_put_record(device, buffer, at, width, &record);
        }
}

// Records of `widths` are valid but for those that share a byte with [from, to); all of other widths are.
static void check_all(const RtDevice *device, const RtBuffer *buffer, unsigned widths, size_t from, size_t to) {
    for (unsigned k = 0; k < WIDTHS; k++)
        for (size_t at = 0, width = (size_t)1 << k; at + width <= buffer->size; at += width) {
            HostRecord record;
            bool touched = widths >> k & 1 && from < to && at < to && from < at + width;
            bool found = rt_get_record(device, buffer, at, (unsigned)width, &record);
            cr_assert_eq(found, !touched, "[%zu, %zu): the record of %zu bytes at %zu is %s", from, to, width, at,
                         found ? "still there" : "gone");
            if (found) cr_assert(is_numbered(&record, (uint32_t)(at * 8 + width)));
        }
}

// ---- put and get ----------------------------------------------------------------------------------------------------

Test(shadow, records_are_of_their_address_and_width) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 64);
    uint8_t bytes[64];
    for (unsigned i = 0; i < 64; i++) bytes[i] = (uint8_t)(i + 100);
    rt_copy_in(device, NULL, buffer, 0, bytes, sizeof bytes);
    for (unsigned width = 1; width <= 8; width *= 2) {
        HostRecord record = numbered_record(width), found;
        cr_expect_not(rt_get_record(device, buffer, 24, width, &found));
        rt_put_record(device, buffer, 24, width, &record);
        cr_assert(rt_get_record(device, buffer, 24, width, &found));
        cr_expect(is_numbered(&found, width));
        uint64_t bits = 0;
        memcpy(&bits, bytes + 24, width);
        cr_expect_eq(found.low | (uint64_t)found.high << 32, bits);
        cr_expect_not(rt_get_record(device, buffer, 24 - width, width, &found));
        HostRecord none = {0};
        cr_expect_not(memcmp(&found, &none, sizeof none));
        cr_expect_not(rt_get_record(device, buffer, 24 + width, width, &found));
    }
    rt_close(device);
}

Test(shadow, records_are_of_their_bits) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 8);
    for (unsigned i = 0; i < 8; i++) // every other one compact
        for (unsigned byte = 0, width = 1u << i / 2; byte < width; byte++) {
            buffer->records = i % 2 ? HOST_RECORDS_OF_NUMBERS : HOST_RECORDS_OF_TOWERS;
            HostRecord record = numbered_record(1);
            rt_put_record(device, buffer, 0, width, &record);
            cr_expect(rt_get_record(device, buffer, 0, width, &record));
            uint8_t *memory = (uint8_t *)(uintptr_t)buffer->address;
            memory[byte] ^= 0x40; // not by rt_copy_in
            cr_expect_not(rt_get_record(device, buffer, 0, width, &record), "width %u, byte %u", width, byte);
            memory[byte] ^= 0x40;
        }
    rt_close(device);
}

// ---- what makes them invalid ----------------------------------------------------------------------------------------

// The bytes are those that are there already: that bits match proves nothing.
Test(shadow, copies_forget_the_records_of_their_bytes) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 48);
    uint8_t same[48] = {0};
    for (size_t from = 0; from < 48; from++)
        for (size_t to = from; to <= 48; to++) {
            put_all(device, buffer);
            rt_copy_in(device, NULL, buffer, from, same, to - from);
            check_all(device, buffer, ALL_WIDTHS, from, to);
        }
    rt_close(device);
}

typedef struct Forgotten {
    uint32_t widths, bytes, lanes;
    uint64_t mask, addresses[64];
} Forgotten;

// What a kernel does before it stores integers. Argument 0: a Forgotten.
static uint32_t forget_some(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                            HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    const Forgotten *told = (const Forgotten *)(uintptr_t)launch->arguments[0];
    launch->shadow->forget(launch->shadow, told->widths, told->bytes, told->lanes, told->addresses, told->mask);
    return 0;
}

static void run_forget(RtDevice *device, RtBuffer *buffer, const Forgotten *told) {
    static const uint32_t widths[2] = {0, 0};
    Diagnostics diagnostics = {0};
    KernelInfo kernel = {.name = "forget", .entry = forget_some, .parameter_count = 2, .stored_widths = widths};
    RtArgument arguments[] = {{(uint64_t)(uintptr_t)told, NULL}, {buffer->address, buffer}};
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
}

Test(shadow, kernels_forget_the_records_of_their_bytes) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 40);
    for (uint32_t widths = 0; widths <= ALL_WIDTHS; widths++)
        for (uint32_t bytes = 1; bytes <= 8; bytes++)
            for (size_t from = 0; from + bytes <= 40; from += widths == ALL_WIDTHS ? 1 : 3) {
                Forgotten told = {widths, bytes, 1, 1, {buffer->address + from}};
                put_all(device, buffer);
                run_forget(device, buffer, &told);
                check_all(device, buffer, widths, from, from + bytes);
            }
    rt_close(device);
}

Test(shadow, kernels_forget_only_lanes_of_the_mask) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 512);
    uint64_t state = 7;
    for (int round = 0; round < 200; round++) {
        Forgotten told = {ALL_WIDTHS, 4, 1 + (uint32_t)(next_random(&state) % 64), next_random(&state), {0}};
        bool touched[128] = {false};
        for (uint32_t i = 0; i < 64; i++) { // masked-off lanes and lanes past the last point anywhere
            uint64_t element = next_random(&state) % 128, bit = told.mask >> i & 1;
            told.addresses[i] = bit && i < told.lanes ? buffer->address + element * 4 : next_random(&state);
            if (bit && i < told.lanes) touched[element] = true;
        }
        put_all(device, buffer);
        run_forget(device, buffer, &told);
        for (size_t i = 0; i < 512; i++) {
            HostRecord record;
            cr_assert_eq(rt_get_record(device, buffer, i, 1, &record), !touched[i / 4]);
            if (i % 4 == 0) cr_assert_eq(rt_get_record(device, buffer, i, 4, &record), !touched[i / 4]);
            if (i % 8 == 0)
                cr_assert_eq(rt_get_record(device, buffer, i, 8, &record), !touched[i / 4] && !touched[i / 4 + 1]);
        }
    }
    rt_close(device);
}

// The device must forget what a buffer's records were when its addresses are used again; neighbours keep theirs,
// whatever the sizes and wherever the pages of records begin.
Test(shadow, freed_buffers_leave_no_records_and_others_keep_theirs) {
    const size_t page = page_size(), sizes[] = {8, page - 64, page, page + 8, 2 * page, 3 * page, 5 * page + 24};
    for (size_t s = 0; s < BASE_COUNT(sizes); s++)
        for (int way = 0; way < 2; way++) { // the middle one is freed, or written as a whole
            RtDevice *device = open_shadow((size_t)1 << 22);
            RtBuffer *buffers[3];
            for (int i = 0; i < 3; i++) buffers[i] = new_buffer(device, sizes[(s + (size_t)i) % BASE_COUNT(sizes)]);
            for (int i = 0; i < 3; i++) put_all(device, buffers[i]);
            size_t size = buffers[1]->size;
            uint64_t address = buffers[1]->address;
            if (way) {
                uint8_t *zeros = calloc(1, size);
                rt_copy_in(device, NULL, buffers[1], 0, zeros, size);
                free(zeros);
            } else {
                rt_free(device, buffers[1]);
                buffers[1] = new_buffer(device, size);
            }
            cr_assert_eq(buffers[1]->address, address);
            cr_assert_eq(buffers[1]->widths, 0);
            buffers[1]->widths = ALL_WIDTHS; // as after a launch that may have stored floats
            check_all(device, buffers[1], ALL_WIDTHS, 0, size);
            check_all(device, buffers[0], 0, 0, 0);
            check_all(device, buffers[2], 0, 0, 0);
            rt_close(device);
        }
}

// ---- what kernels see -----------------------------------------------------------------------------------------------

static uint32_t *word_of(const HostShadow *shadow, unsigned k, unsigned word, uint64_t address) { // host_abi.h
    return (uint32_t *)(uintptr_t)(shadow->planes[k] + word * (shadow->plane_bytes >> k) + (address >> k) * 4);
}

// Copies the records of argument 0's floats to argument 1, reversed; argument 2: log2 of the width, 3: how many.
static uint32_t copy_records(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    unsigned k = (unsigned)launch->arguments[2], width = 1u << k;
    uint64_t count = launch->arguments[3];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = launch->arguments[0] + i * width, to = launch->arguments[1] + (count - 1 - i) * width;
        memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, width);
        for (unsigned word = 0; word < HOST_RECORD_WORDS; word++)
            if (k == 3 || word != HOST_RECORD_WORDS - 1)
                *word_of(launch->shadow, k, word, to) = *word_of(launch->shadow, k, word, from);
    }
    return 0;
}

Test(shadow, kernels_read_and_write_records) {
    enum { COUNT = 3000 };
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *from = new_buffer(device, COUNT * 8), *to = new_buffer(device, COUNT * 8);
    for (unsigned k = 0; k < WIDTHS; k++) {
        Diagnostics diagnostics = {0};
        unsigned width = 1u << k;
        const uint32_t widths[4] = {0, 1u << k, 0, 0};
        KernelInfo kernel = {.name = "copy", .entry = copy_records, .parameter_count = 4, .stored_widths = widths};
        RtArgument arguments[] = {{from->address, from}, {to->address, to}, {k, NULL}, {COUNT, NULL}};
        uint64_t state = k, numbers[COUNT];
        for (unsigned i = 0; i < COUNT; i++) numbers[i] = next_random(&state);
        rt_copy_in(device, NULL, from, 0, numbers, sizeof numbers);
        for (unsigned i = 0; i < COUNT; i++) {
            HostRecord record = numbered_record(i);
            if (i % 3) rt_put_record(device, from, i * width, width, &record);
        }
        cr_assert(
            rt_launch(device, &diagnostics,
                      &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
        cr_expect(to->widths >> k & 1);
        for (unsigned i = 0; i < COUNT; i++) {
            HostRecord record;
            cr_assert_eq(rt_get_record(device, to, (COUNT - 1 - i) * width, width, &record), i % 3 != 0);
            if (i % 3) cr_assert(is_numbered(&record, i));
        }
    }
    rt_close(device);
}

typedef struct Told { // what a launch says beside arguments
    const HostShadow *shadow;
    uint32_t store_base, all_widths, widths[4];
    HostRecord records[4];
} Told;

static uint32_t note_launch(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                            HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    Told *told = (Told *)(uintptr_t)launch->arguments[3];
    *told = (Told){.shadow = launch->shadow, .store_base = launch->store_base, .all_widths = launch->all_widths};
    memcpy(told->widths, launch->argument_widths, sizeof told->widths);
    memcpy(told->records, launch->argument_records, sizeof told->records);
    return 0;
}

Test(shadow, kernels_are_told_widths_and_records) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *a = new_buffer(device, 64), *b = new_buffer(device, 64);
    Diagnostics diagnostics = {0};
    static Told told;
    HostRecord records[4] = {{0}, {0}, {.state = HOST_RECORD_VALID | 5, .component = {1, 2, 3, 4}, .low = 9}, {0}};
    const uint32_t stored[4] = {0, 1 << 2, 0, 0}, none[4] = {0};
    KernelInfo kernel = {.name = "note", .entry = note_launch, .parameter_count = 4, .stored_widths = stored};
    RtArgument arguments[] = {{a->address, a}, {b->address, b}, {9, NULL}, {(uint64_t)(uintptr_t)&told, NULL}};
    rt_put_record(device, a, 0, 2, &records[2]);
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test",
                                    .kernel = &kernel,
                                    .grid = {1, 1, 1},
                                    .arguments = arguments,
                                    .store_base = 77,
                                    .argument_records = records}));
    cr_expect(told.shadow && told.store_base == 77 && told.all_widths == 6);
    cr_expect(told.widths[0] == 2 && told.widths[1] == 4 && told.widths[2] == 0 && told.widths[3] == 0);
    cr_expect_not(memcmp(told.records, records, sizeof records));
    // What was stored stays; stores through pointers from anywhere may go to any buffer.
    kernel.stored_widths = none;
    kernel.stored_widths_unknown = 8;
    arguments[2] = (RtArgument){b->address + 8, b};
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
    cr_expect(told.widths[0] == 10 && told.widths[1] == 12 && told.widths[2] == 12 && told.widths[3] == 0);
    cr_expect_eq(told.all_widths, 14);
    memset(records, 0, sizeof records);
    cr_expect_not(memcmp(told.records, records, sizeof records));
    rt_close(device);
}

// Both arguments are one buffer: what is stored through one may be read through the other.
Test(shadow, two_arguments_of_one_buffer_have_the_same_widths) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *a = new_buffer(device, 64);
    Diagnostics diagnostics = {0};
    static Told told;
    const uint32_t stored[4] = {0, 4, 0, 0};
    KernelInfo kernel = {.name = "note", .entry = note_launch, .parameter_count = 4, .stored_widths = stored};
    RtArgument arguments[] = {{a->address, a}, {a->address + 16, a}, {9, NULL}, {(uint64_t)(uintptr_t)&told, NULL}};
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
    cr_expect(told.widths[0] == 4 && told.widths[1] == 4 && told.all_widths == 4);
    rt_close(device);
}

static uint32_t store_zeros(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                            HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    memset((void *)(uintptr_t)launch->arguments[0], 0, 64);
    return 0;
}

// It knows nothing of records, and the bits it stores may be those of one.
Test(shadow, kernels_without_shadow_leave_no_records) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *a = new_buffer(device, 64), *b = new_buffer(device, 64);
    Diagnostics diagnostics = {0};
    KernelInfo kernel = {.name = "zeros", .entry = store_zeros, .parameter_count = 1};
    RtArgument argument = {a->address, a};
    put_all(device, a);
    put_all(device, b);
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = &argument}));
    check_all(device, a, ALL_WIDTHS, 0, 64);
    check_all(device, b, 0, 0, 0);
    rt_close(device);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Bytes of this process that are in memory.
static size_t resident_bytes(void) {
    size_t total, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file);
    cr_assert_eq(fscanf(file, "%zu %zu", &total, &resident), 2);
    fclose(file);
    return resident * page_size();
}

Test(shadow, memory_is_for_records_that_were_put) {
    RtDevice *device = open_shadow(0);
    const size_t page = page_size(), size = (size_t)1 << 26;
    RtBuffer *buffer = new_buffer(device, size);
    HostRecord record = numbered_record(1);
    size_t before = resident_bytes();
    cr_expect_eq(rt_shadow_bytes(device), 0);
    rt_put_record(device, buffer, 0, 4, &record);
    cr_expect_eq(rt_shadow_bytes(device), 6 * page);
    rt_put_record(device, buffer, page - 4, 4, &record);
    cr_expect_eq(rt_shadow_bytes(device), 6 * page);
    rt_put_record(device, buffer, size / 2, 4, &record);
    cr_expect_eq(rt_shadow_bytes(device), 12 * page);
    rt_put_record(device, buffer, size - 8, 8, &record);
    cr_expect_eq(rt_shadow_bytes(device), 19 * page);
    // Looking at records that are not there, and forgetting them, makes none.
    for (size_t at = 0; at < size; at += page) cr_assert_eq(rt_get_record(device, buffer, at + 4, 4, &record), false);
    uint8_t *bytes = calloc(1, size / 4);
    rt_copy_in(device, NULL, buffer, size / 4 * 3 - 64, bytes, size / 4);
    free(bytes);
    cr_expect_eq(rt_shadow_bytes(device), 19 * page);
    cr_expect_lt(resident_bytes() - before, size / 2, "%zu bytes", resident_bytes() - before);
    rt_free(device, buffer);
    cr_expect_eq(rt_shadow_bytes(device), 0);
    rt_close(device);
}

// Who stored a float stands above the components.
Test(shadow, all_bits_of_components_and_stores) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 16);
    uint64_t seed = 7;
    for (unsigned i = 0; i < 3000; i++) {
        HostRecord record = {.state = (uint32_t)next_random(&seed) & INT32_MAX}, found;
        buffer->records = (HostRecords)(i % HOST_RECORDS_KINDS);
        for (unsigned k = 0; k < 4; k++) // all bits, now and then
            record.component[k] =
                ((i & 8 ? UINT32_MAX : (uint32_t)next_random(&seed))) & host_component_mask(buffer->records, k);
        record.store = i & 16 ? HOST_NO_STORE : (uint32_t)next_random(&seed) & HOST_NO_STORE;
        rt_put_record(device, buffer, 8, i & 1 ? 4 : 8, &record);
        cr_assert(rt_get_record(device, buffer, 8, i & 1 ? 4 : 8, &found));
        cr_assert(!memcmp(found.component, record.component, sizeof found.component));
        if (buffer->records == HOST_RECORDS_OF_NUMBERS) continue;
        cr_assert_eq(found.state, record.state | HOST_RECORD_VALID);
        if (buffer->records == HOST_RECORDS_OF_DEGREES) continue;
        cr_assert_eq(found.store, record.store);
    }
    const unsigned bits[][4] = {{9, 8, 7, 6}, {0, 0, 0, 0}, {0, 0, 0, 0}}, first[] = {0, 9, 17, 24};
    for (unsigned r = 0; r < HOST_RECORDS_KINDS; r++)
        for (unsigned k = 0; k < 4; k++) cr_expect_eq(host_store_part((HostRecords)r, k).bits, bits[r][k]);
    for (unsigned k = 0; k < 4; k++) cr_expect_eq(host_store_part(HOST_RECORDS_OF_TOWERS, k).first, first[k]);
    rt_close(device);
}

// Words of many records lie in huge pages, where the system has them; what is forgotten is a part of one.
Test(shadow, records_of_large_buffers) {
    RtDevice *device = open_shadow(0);
    enum { SIZE = 12 << 20, STEP = 20 << 10, FROM = 5 << 20, TO = 8 << 20 };
    RtBuffer *buffer = new_buffer(device, SIZE), *next = new_buffer(device, SIZE);
    RtBuffer *const buffers[] = {buffer, next};
    for (unsigned b = 0; b < 2; b++)
        for (size_t at = 0; at < SIZE; at += STEP) {
            const HostRecord record = numbered_record((uint32_t)(at / 4));
            rt_put_record(device, buffers[b], at, 4, &record);
        }
    uint8_t *bytes = calloc(1, TO - FROM);
    rt_copy_in(device, NULL, buffer, FROM, bytes, TO - FROM);
    free(bytes);
    for (unsigned b = 0; b < 2; b++)
        for (size_t at = 0; at < SIZE; at += STEP) {
            HostRecord record;
            const bool found = rt_get_record(device, buffers[b], at, 4, &record);
            cr_assert_eq(found, b || at < FROM || at >= TO, "the record at %zu", at);
            cr_assert(!found || is_numbered(&record, (uint32_t)(at / 4)));
        }
    rt_free(device, buffer);
    buffer = new_buffer(device, SIZE);
    for (size_t at = 0; at < SIZE; at += STEP) {
        HostRecord record;
        cr_assert_eq(rt_get_record(device, buffer, at, 4, &record), false);
        cr_assert(rt_get_record(device, next, at, 4, &record));
    }
    rt_close(device);
}

// Components that only deep towers have take memory where there are some, and leave none behind.
Test(shadow, memory_of_deep_records) {
    RtDevice *device = open_shadow(0);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    RtBuffer *buffer = new_buffer(device, 64);
    HostRecord record = numbered_record(5), found;
    uint8_t bytes[64] = {0};
    record.component[4] = 44, record.component[5] = 55;
    rt_put_record(device, buffer, 8, 4, &record);
    cr_assert(rt_get_record(device, buffer, 8, 4, &found));
    cr_expect(!memcmp(found.component, record.component, sizeof found.component) && found.store == record.store);
    cr_expect_eq(rt_shadow_bytes(device), 8 * page);
    rt_copy_in(device, NULL, buffer, 0, bytes, sizeof bytes);
    cr_expect_eq(rt_shadow_bytes(device), 0);
    record = numbered_record(6);
    rt_put_record(device, buffer, 8, 4, &record);
    cr_assert(rt_get_record(device, buffer, 8, 4, &found));
    cr_expect(is_numbered(&found, 6));
    cr_expect_eq(rt_shadow_bytes(device), 6 * page);
    rt_close(device);
}

Test(shadow, memory_is_six_words_for_each_float_and_goes_back) {
    enum { COUNT = 1 << 19 };
    RtDevice *device = open_shadow(0);
    RtBuffer *buffer = new_buffer(device, COUNT * 4);
    HostRecord record = numbered_record(1);
    size_t before = resident_bytes();
    for (size_t i = 0; i < COUNT; i++) rt_put_record(device, buffer, i * 4, 4, &record);
    size_t expected = (size_t)COUNT * 6 * 4, told = rt_shadow_bytes(device), grown = resident_bytes() - before;
    cr_expect_eq(told, expected);
    cr_expect(grown >= expected && grown < expected + expected / 4, "%zu bytes, told %zu", grown, told);
    uint8_t *bytes = calloc(1, buffer->size);
    rt_copy_in(device, NULL, buffer, 0, bytes, buffer->size);
    free(bytes);
    cr_expect_eq(rt_shadow_bytes(device), 0);
    cr_expect_lt(resident_bytes() - before, expected / 4);
    rt_close(device);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they need more addresses themselves
Test(shadow, addresses_that_cannot_be_had_are_an_error) {
    struct rlimit limit = {(rlim_t)9 << 30, (rlim_t)9 << 30};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    for (int round = 0; round < 50; round++) { // and nothing is kept
        Diagnostics diagnostics = {0};
        RtDeviceOptions options = {.jobs = 1, .address_range = (size_t)1 << 30, .shadow = true};
        cr_assert_null(rt_open_host(&diagnostics, &options));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_RUNTIME);
        cr_expect_str_eq(diagnostics.items[0].message,
                         "cannot reserve 1073741824 bytes of addresses and 60 times as many for shadow memory: Cannot "
                         "allocate memory");
        diagnostics_close(&diagnostics);
        options.shadow = false;
        RtDevice *device = rt_open_host(&diagnostics, &options);
        cr_assert(device);
        rt_close(device);
    }
    RtDevice *device = open_shadow((size_t)1 << 26);
    RtBuffer *buffer = new_buffer(device, (size_t)1 << 25);
    HostRecord record = numbered_record(3);
    rt_put_record(device, buffer, buffer->size - 1, 1, &record); // the last record there is room for
    rt_put_record(device, buffer, buffer->size - 8, 8, &record);
    cr_expect(rt_get_record(device, buffer, buffer->size - 8, 8, &record));
    rt_close(device);
}
#endif

// Many records at once are those that are put and got one by one.
Test(shadow, many_records_at_once) {
    enum { COUNT = 700 };
    static HostRecord put[COUNT], got[COUNT];
    RtDevice *device = open_shadow((size_t)1 << 22);
    uint64_t seed = 3;
    for (unsigned round = 0; round < 4 * HOST_RECORDS_KINDS * 2; round++) {
        const unsigned width = 1u << round % 4;
        const bool deep = round & 4;
        RtBuffer *one = new_buffer(device, (COUNT + 3) * width), *many = new_buffer(device, (COUNT + 3) * width);
        one->records = many->records = (HostRecords)(round / 8);
        for (size_t at = 0; at + 8 <= one->size; at += 8) {
            const uint64_t bits = next_random(&seed);
            rt_copy_in(device, NULL, one, at, &bits, 8);
            rt_copy_in(device, NULL, many, at, &bits, 8);
        }
        rt_expect_records(device, one, width, deep);
        rt_expect_records(device, many, width, deep);
        for (unsigned i = 0; i < COUNT; i++) {
            put[i] = (HostRecord){.state = (uint32_t)next_random(&seed) & INT32_MAX,
                                  .store = (uint32_t)next_random(&seed) & HOST_NO_STORE};
            for (unsigned k = 0; k < (deep ? 6 : 4); k++)
                put[i].component[k] = (uint32_t)next_random(&seed) & host_component_mask(one->records, k);
            put[i].state |= i % 7 == 3 ? 0 : HOST_RECORD_VALID;
            if (i % 7 != 3) rt_put_record(device, one, (i + 2) * width, width, &put[i]);
        }
        rt_put_records(device, many, 2 * width, width, COUNT, put);
        const size_t found = rt_get_records(device, many, 2 * width, width, COUNT, got);
        cr_assert_eq(found, COUNT - COUNT / 7);
        for (unsigned i = 0; i < COUNT; i++) {
            HostRecord expected, alone;
            cr_assert_eq(rt_get_record(device, one, (i + 2) * width, width, &expected), i % 7 != 3);
            rt_get_record(device, many, (i + 2) * width, width, &alone);
            cr_assert(!memcmp(&got[i], &expected, sizeof expected), "round %u, record %u", round, i);
            cr_assert(!memcmp(&got[i], &alone, sizeof alone));
        }
        const uint64_t other = ~*(const uint64_t *)(uintptr_t)(many->address / 8 * 8);
        memcpy((void *)(uintptr_t)many->address, &other, width); // the bits are no longer the record's
        cr_assert_eq(rt_get_records(device, many, 0, width, 1, got) || got[0].state, 0);
        rt_free(device, one);
        rt_free(device, many);
    }
    rt_close(device);
}

// What is kept of the records of one run is no record in the next.
Test(shadow, renewed_records_are_gone) {
    RtDevice *device = open_shadow((size_t)1 << 22);
    RtBuffer *buffer = new_buffer(device, 4096 + 64);
    HostRecord deep = numbered_record(1), found;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 0; k < WIDTHS; k++)
            for (size_t at = 0; at < buffer->size; at += (size_t)1 << k)
                cr_assert_not(rt_get_record(device, buffer, at, 1u << k, &found));
        put_all(device, buffer);
        check_all(device, buffer, 0, 0, 0);
        cr_expect_gt(rt_shadow_bytes(device), 0);
        rt_renew(device, buffer);
        cr_expect_eq(rt_shadow_bytes(device), 0);
        cr_expect_eq(buffer->widths, 0);
    }
    // Components of deep records are zero where a record has none, whatever was there.
    deep.component[4] = 44, deep.component[5] = 55;
    rt_put_record(device, buffer, 8, 4, &deep);
    rt_renew(device, buffer);
    const HostRecord plain = numbered_record(2);
    rt_put_record(device, buffer, 8, 4, &plain);
    rt_put_record(device, buffer, 16, 4, &deep);
    cr_assert(rt_get_record(device, buffer, 8, 4, &found));
    cr_expect(is_numbered(&found, 2));
    rt_leave_unfilled(device, buffer, 5);
    rt_renew(device, buffer);
    uint32_t origin;
    cr_expect_not(rt_is_unspecified(device, buffer, 0, 8, &origin));
    rt_free(device, buffer);
    cr_expect_eq(device->shadow.kept, 0);
    rt_close(device);
}

Test(shadow, so_much_memory_is_kept_and_no_more) {
    enum { SIZE = 6 << 20 };
    RtDevice *device = open_shadow(0);
    RtBuffer *buffers[4];
    const HostRecord record = numbered_record(9);
    const size_t before = resident_bytes();
    for (unsigned b = 0; b < 4; b++) {
        buffers[b] = new_buffer(device, SIZE);
        for (size_t at = 0; at < SIZE; at += 4) rt_put_record(device, buffers[b], at, 4, &record);
        rt_renew(device, buffers[b]);
        cr_expect_leq(device->shadow.kept, (size_t)64 << 20);
        cr_expect_leq(device->shadow.kept, (b + 1) * (size_t)(SIZE * 6 + (64 << 10)));
        cr_expect_eq(rt_shadow_bytes(device), 0);
    }
    cr_expect_gt(device->shadow.kept, 0);
    cr_expect_lt(resident_bytes() - before, (size_t)100 << 20);
    for (unsigned b = 0; b < 4; b++) rt_free(device, buffers[b]);
    cr_expect_eq(device->shadow.kept, 0);
    cr_expect_lt(resident_bytes() - before, (size_t)8 << 20);
    rt_close(device);
}

// ---- what nobody wrote ----------------------------------------------------------------------------------------------

static bool is_unspecified(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned size,
                           uint32_t expected) {
    uint32_t origin;
    bool found = rt_is_unspecified(device, buffer, offset, size, &origin);
    cr_expect(!found || origin == expected, "%u", origin);
    return found;
}

Test(shadow, unfilled_buffers_are_unspecified_until_something_is_written) {
    enum { ORIGIN = 77, STORED = 5 };
    Diagnostics diagnostics = {0};
    RtDevice *device = open_shadow(1 << 20);
    RtBuffer *buffer = new_buffer(device, 64), *filled = new_buffer(device, 64);
    const HostRecord plain = {.state = 0}, poison = {.state = HOST_RECORD_POISON, .component = {[3] = STORED}};
    uint8_t bytes[64] = {0};
    cr_expect(!is_unspecified(device, buffer, 0, 4, ORIGIN));
    rt_leave_unfilled(device, buffer, ORIGIN);
    cr_expect(is_unspecified(device, buffer, 0, 1, ORIGIN) && is_unspecified(device, buffer, 60, 4, ORIGIN));
    cr_expect(!is_unspecified(device, filled, 0, 4, ORIGIN));
    rt_put_record(device, buffer, 8, 4, &plain); // a float: its bytes are written, whatever reads them
    cr_expect(!is_unspecified(device, buffer, 8, 4, ORIGIN) && !is_unspecified(device, buffer, 10, 1, ORIGIN));
    cr_expect(is_unspecified(device, buffer, 8, 8, ORIGIN), "half of it is not");
    rt_put_record(device, buffer, 16, 4, &poison);
    cr_expect(is_unspecified(device, buffer, 18, 2, STORED));
    rt_copy_in(device, &diagnostics, buffer, 16, bytes, 8);
    cr_expect(!is_unspecified(device, buffer, 16, 8, 0));
    rt_copy_in(device, &diagnostics, buffer, 0, bytes, 64);
    cr_expect(!is_unspecified(device, buffer, 0, 4, 0));
    rt_free(device, filled);
    rt_free(device, buffer);
    rt_close(device);
}

Test(shadow, spoiled_bytes_are_unspecified_until_something_is_written) {
    enum { WHO = 9 };
    RtDevice *device = open_shadow(1 << 20);
    RtBuffer *buffer = new_buffer(device, 64);
    rt_leave_unfilled(device, buffer, 1);
    const HostShadow *shadow = &device->shadow.abi;
    const uint64_t address = buffer->address + 8;
    const HostRecord plain = {.state = 0};
    shadow->forget(shadow, buffer->widths, 8, 1, &address, 1); // an integer is stored
    cr_expect(!is_unspecified(device, buffer, 8, 8, 0));
    shadow->spoil(shadow, buffer->widths, 4, 1, &address, 1, &(uint32_t){WHO});
    cr_expect(is_unspecified(device, buffer, 8, 4, WHO) && !is_unspecified(device, buffer, 12, 4, 0));
    rt_put_record(device, buffer, 8, 4, &plain);
    cr_expect(!is_unspecified(device, buffer, 8, 4, WHO));
    rt_free(device, buffer);
    rt_close(device);
}

// Compact records: which other floats have the same check (docs/limits.md).
Test(shadow, checks_of_compact_records) {
    uint64_t state = 1;
    for (int i = 0; i < 100000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t bits = (uint32_t)(state >> 32), check = host_record_check(bits), low = check & INT32_MAX;
        const uint32_t same[2] = {low, UINT32_C(0x80000000) | (low ^ 1)}; // one of each sign, and no other
        cr_assert(check & HOST_RECORD_VALID);
        cr_assert(bits == same[0] || bits == same[1]);
        cr_assert(host_record_check(same[0]) == check && host_record_check(same[1]) == check);
        cr_assert_eq(same[0] ^ same[1], UINT32_C(0x80000001));
    }
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++)
        cr_assert_eq(host_record_check(bits), bits | HOST_RECORD_VALID, "narrow floats have their own");
}
