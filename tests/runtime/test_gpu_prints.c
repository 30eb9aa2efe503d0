// SPDX-License-Identifier: Apache-2.0
// What kernels for GPUs print: records that blocks write in any order become text in the order of the blocks, up to the
// one that fails; what found no room is told, and records that are none are not believed.
#include "tests/runtime/simt_lab.h"

#include <criterion/criterion.h>

enum { RECORD_BYTES = 3 * GPU_PRINT_ALIGNMENT, PIECE = 5 };

static const int64_t piece_shape[] = {PIECE};
static const HostPrintValue lab_values[] = {
    {.kind = HOST_PRINT_INTEGER, .bits = 32},
    {.kind = HOST_PRINT_INTEGER, .bits = 8, .rank = 1, .shape = piece_shape},
};
static const HostPrint lab_forms[] = {
    {.format = "block %d\0 has %d\n", .length = 17, .values = lab_values, .value_count = 2},
    {.format = "that was all\n", .length = 13},
};

// ---- what compiled code does

static void store_bytes(uint8_t *at, uint64_t value, uint32_t bytes) {
    lab_ops->access(at, bytes, SIMT_WRITE, 0);
    memcpy(at, &value, bytes);
}

// NULL: there is no room.
static uint8_t *take_room(uint64_t size) {
    GpuPrints *prints = (GpuPrints *)(uintptr_t)lab_launch.prints;
    lab_ops->access(&prints->used, 8, SIMT_READ | SIMT_WRITE | SIMT_ATOMIC, 0);
    const uint64_t used = __atomic_fetch_add(&prints->used, size, __ATOMIC_RELAXED);
    lab_ops->access(&prints->size, 8, SIMT_READ, 0);
    return used + size <= prints->size ? (uint8_t *)prints + GPU_PRINT_ALIGNMENT + used : NULL;
}

static void put_head(uint8_t *at, uint64_t form, uint64_t size) {
    store_bytes(at + offsetof(GpuPrintRecord, block), lab_ops->special(SIMT_CTAID_X), 8);
    store_bytes(at + offsetof(GpuPrintRecord, form), form, 8);
    store_bytes(at + offsetof(GpuPrintRecord, size), size, 8);
}

// Both prints of a block.
static void print_both(void) {
    const uint64_t block = lab_ops->special(SIMT_CTAID_X);
    uint8_t *record = lab_thread() || !lab_launch.prints ? NULL : take_room(RECORD_BYTES);
    if (record) {
        put_head(record, 1, RECORD_BYTES);
        store_bytes(record + GPU_PRINT_ALIGNMENT, block, 4);
        for (uint64_t i = 0; i < PIECE; i++) store_bytes(record + 2 * GPU_PRINT_ALIGNMENT + i, block + i, 1);
    }
    if (lab_thread() || !lab_launch.prints || !(record = take_room(GPU_PRINT_ALIGNMENT))) return;
    put_head(record, 2, GPU_PRINT_ALIGNMENT);
}

static void print_kernel(const uint64_t *arguments) {
    print_both();
    if (lab_ops->special(SIMT_CTAID_X) == arguments[2]) lab_fail(arguments[2], 7);
}

// ---- the lab

static void keep_text(void *data, const char *text, size_t size) {
    buffer_append(data, text, size);
}

static Lab open_printing(unsigned jobs, SimtEntry *entry, size_t print_bytes, Buffer *found) {
    Lab lab = lab_open(jobs, entry, 64, 64);
    rt_close(lab.device);
    lab.device =
        rt_open_simt(&lab.diagnostics,
                     &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28, .print_bytes = print_bytes});
    cr_assert(lab.device);
    for (int i = 0; i < LAB_BUFFERS; i++) lab.buffers[i] = rt_alloc(lab.device, &lab.diagnostics, LAB_BUFFER_BYTES);
    lab.kernel.prints = true;
    lab.kernel.print_forms = lab_forms;
    lab.kernel.print_form_count = BASE_COUNT(lab_forms);
    lab.grid[0] = 40;
    *found = (Buffer){0};
    rt_print_to(lab.device, keep_text, found);
    return lab;
}

static void append_block(Buffer *text, uint32_t block) {
    buffer_print(text, "block %u", block);
    buffer_append(text, "", 1);
    buffer_print(text, " has [%u, %u, %u, %u, %u]\n", block, block + 1, block + 2, block + 3, block + 4);
}

static Buffer expected_text(uint32_t blocks) {
    Buffer text = {0};
    for (uint32_t block = 0; block < blocks; block++) {
        append_block(&text, block);
        buffer_print(&text, "that was all\n");
    }
    return text;
}

static void expect_text(const Buffer *found, Buffer expected) {
    cr_expect(found->size == expected.size && (!found->size || !memcmp(found->data, expected.data, found->size)),
              "found %.*s", (int)found->size, found->data);
    buffer_free(&expected);
}

Test(gpu_prints, blocks_in_order) {
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        Buffer found;
        Lab lab = open_printing(jobs, print_kernel, 0, &found);
        cr_expect(lab_run(&lab, UINT64_MAX), "%s", lab.text);
        expect_text(&found, expected_text(40));
        rt_print_to(lab.device, NULL, NULL); // kernels are not asked to print then
        cr_expect(lab_run(&lab, UINT64_MAX), "%s", lab.text);
        expect_text(&found, expected_text(40));
        lab_close(&lab);
        buffer_free(&found);
    }
}

Test(gpu_prints, nothing_above_the_block_that_fails) {
    for (unsigned jobs = 1; jobs <= 4; jobs += 3)
        for (uint32_t block = 0; block < 40; block += 13) {
            Buffer found;
            Lab lab = open_printing(jobs, print_kernel, 0, &found);
            cr_expect_not(lab_run(&lab, block));
            cr_expect(strstr(lab.text, "assert"), "%s", lab.text);
            cr_expect_eq(lab.diagnostics.count, 1);
            expect_text(&found, expected_text(block + 1));
            lab_close(&lab);
            buffer_free(&found);
        }
}

// Room for the prints of three blocks and a half; the failure of a block comes first.
Test(gpu_prints, no_room) {
    const struct { uint64_t failing, bytes; } rows[] = {{UINT64_MAX, 40 * 256}, {20, 21 * 256}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer found, expected = expected_text(3), message = {0};
        Lab lab = open_printing(1, print_kernel, 3 * 256 + RECORD_BYTES + 3, &found);
        append_block(&expected, 3);
        cr_expect_not(lab_run(&lab, rows[i].failing));
        cr_assert_eq(lab.diagnostics.count, i + 1);
        if (i) cr_expect_eq(lab.diagnostics.items[0].code, E_ASSERT);
        cr_expect_eq(lab.diagnostics.items[i].code, E_LIMIT);
        buffer_print(
            &message,
            "test: the blocks of kernel lab print %u bytes of elements and their records, more than the 960 that "
            "simt keeps for a launch: some of it is missing",
            (unsigned)rows[i].bytes);
        cr_expect_str_eq(lab.diagnostics.items[i].message, message.data);
        expect_text(&found, expected);
        lab_close(&lab);
        buffer_free(&message);
        buffer_free(&found);
    }
}

// ---- records that are none

static const GpuPrintRecord bad_records[] = {
    {.block = 40, .form = 2, .size = 64},             // there is no such block
    {.block = 0, .form = 3, .size = 64},              // no such print
    {.block = 0, .form = 2, .size = 128},             // not of its size
    {.block = 0, .form = 2, .size = 65},              // no multiple
    {.block = 0, .form = 1, .size = 64},              // cut off
    {.block = 0, .form = 2, .size = UINT64_MAX - 63}, // beyond all memory
    {.block = 0, .form = 2, .size = 0},               // nothing
};

static void bad_kernel(const uint64_t *arguments) {
    if (lab_ops->special(SIMT_CTAID_X) != 39) return;
    print_both();
    uint8_t *record = lab_thread() ? NULL : take_room(GPU_PRINT_ALIGNMENT);
    if (record) {
        lab_ops->access(record, sizeof(GpuPrintRecord), SIMT_WRITE, 0);
        memcpy(record, &bad_records[arguments[2]], sizeof(GpuPrintRecord));
    }
}

Test(gpu_prints, damaged_records) {
    for (uint64_t i = 0; i < BASE_COUNT(bad_records); i++) {
        Buffer found, expected = {0};
        Lab lab = open_printing(1, bad_kernel, 0, &found);
        append_block(&expected, 39);
        buffer_print(&expected, "that was all\n");
        cr_expect_not(lab_run(&lab, i));
        cr_expect(strstr(lab.text, "what kernel lab has printed cannot be read"), "row %u: %s", (unsigned)i, lab.text);
        expect_text(&found, expected);
        lab_close(&lab);
        buffer_free(&found);
    }
}

// A block that failed while it wrote a record leaves it out.
static void unfinished_kernel(const uint64_t *arguments) {
    (void)arguments;
    uint8_t *record = lab_thread() ? NULL : take_room(RECORD_BYTES);
    if (record) put_head(record, 0, RECORD_BYTES);
    if (!lab_ops->special(SIMT_CTAID_X)) print_both();
}

Test(gpu_prints, unfinished_records) {
    Buffer found;
    Lab lab = open_printing(1, unfinished_kernel, 0, &found);
    cr_expect(lab_run(&lab, 0), "%s", lab.text);
    expect_text(&found, expected_text(1));
    lab_close(&lab);
    buffer_free(&found);
}

// Nothing but the room for prints may be touched.
static void outside_kernel(const uint64_t *arguments) {
    GpuPrints *prints = (GpuPrints *)(uintptr_t)lab_launch.prints;
    store_bytes((uint8_t *)prints + GPU_PRINT_ALIGNMENT + prints->size + arguments[2] - 8, 1, 8);
}

Test(gpu_prints, outside) {
    Buffer found;
    Lab lab = open_printing(1, outside_kernel, 4096, &found);
    cr_expect_not(lab_run(&lab, 8));
    cr_expect(strstr(lab.text, "is in no buffer"), "%s", lab.text);
    lab_close(&lab);
    buffer_free(&found);
}
