// SPDX-License-Identifier: Apache-2.0
// Devices of kind cuda against the fake driver: buffers, launches, what the kernel is told, failures, and every call of
// the driver failing once.
#include "runtime/cubin.h"
#include "tests/cuda/image.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct Bench {
    FakeDriver fake;
    Diagnostics diagnostics;
    RtDevice *device;
} Bench;

static Bench open_bench(void) {
    Bench b = {.fake = fake_driver()};
    b.device = rt_open_cuda(&b.diagnostics, &(RtDeviceOptions){0});
    cr_assert(b.device, "%s", b.diagnostics.count ? b.diagnostics.items[0].message : "");
    return b;
}

static const char *message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "";
}

// Closes the device: the driver was used well, and nothing of it is left.
static void close_bench(Bench *b) {
    rt_close(b->device);
    cr_assert_null(b->fake.state->misuse, "%s", b->fake.state->misuse);
    if (!b->fake.state->push_failed) cr_assert_eq(b->fake.state->leaked, 0);
    cr_assert_eq(b->fake.state->retained, 0);
    cr_assert_eq(b->fake.state->pushed, 0);
    diagnostics_close(&b->diagnostics);
}

// ---- a kernel: out[i] = in[i] * factor + block of the value; the arguments in, out, factor (i16), a global

static CudaStatus scale(const FakeLaunch *launch) {
    const uint64_t in = *(uint64_t *)launch->parameters[0], out = *(uint64_t *)launch->parameters[1];
    const int16_t factor = *(int16_t *)launch->parameters[2];
    const HostRange *ranges = fake_at(launch->launch->argument_ranges), *globals = fake_at(launch->launch->globals),
                    *buffers = fake_at(launch->launch->buffers);
    const int32_t *x = fake_at(in), *bias = fake_at(globals[0].begin);
    int32_t *y = fake_at(out);
    cr_assert_eq(ranges[0].begin, in);
    cr_assert_eq(ranges[1].begin, out);
    cr_assert_eq(ranges[2].begin, 0);
    cr_assert_eq(globals[0].end - globals[0].begin, 4);
    cr_assert_eq(launch->launch->buffer_count, 3);
    cr_assert(buffers[0].end <= buffers[1].begin && buffers[1].end <= buffers[2].begin);
    const uint64_t count = (ranges[0].end - ranges[0].begin) / 4;
    cr_assert_eq(count, (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
    for (uint64_t i = 0; i < count; i++) y[i] = x[i] * factor + *bias;
    return CUDA_SUCCESS;
}

static KernelInfo kernel_of(Arena *arena, const Buffer *image, const char *symbol, uint32_t parameters,
                            uint32_t globals) {
    KernelInfo kernel = {.name = "shown", .parameter_count = parameters, .global_count = globals};
    Diagnostics diagnostics = {0};
    cr_assert(cubin_kernel(&diagnostics, arena, image->data, image->size, symbol, &kernel), "%s",
              message(&diagnostics));
    return kernel;
}

// Runs it on new buffers. False where something failed, which must then have been told.
static bool run_scale(Bench *b, const KernelInfo *kernel, int32_t *got) {
    const int32_t in[6] = {1, 2, 3, 4, 5, -6}, bias = 100;
    bool good = false;
    RtBuffer *x = rt_alloc(b->device, &b->diagnostics, sizeof in);
    RtBuffer *y = x ? rt_alloc(b->device, &b->diagnostics, sizeof in) : NULL;
    RtBuffer *g = y ? rt_alloc(b->device, &b->diagnostics, sizeof bias) : NULL;
    if (g && rt_copy_in(b->device, &b->diagnostics, x, 0, in, sizeof in) &&
        rt_copy_in(b->device, &b->diagnostics, g, 0, &bias, sizeof bias)) {
        RtArgument arguments[] = {{x->address, x}, {y->address, y}, {(uint16_t)-3, NULL}, {g->address, g}};
        good = rt_launch(b->device, &b->diagnostics,
                         &(RtLaunch){.label = "label", .kernel = kernel, .grid = {3, 2, 1}, .arguments = arguments}) &&
               rt_copy_out(b->device, &b->diagnostics, y, 0, got, sizeof in);
    }
    rt_free(b->device, g);
    rt_free(b->device, y);
    rt_free(b->device, x);
    return good;
}

static const ImageKernel scale_image = {.name = "scale", .threads = 128, .shared_bytes = 1000};

Test(cuda_device, launch) {
    Bench b = open_bench();
    Arena arena = {0};
    Buffer image = image_make(&scale_image);
    b.fake.kernel("scale", scale);
    KernelInfo kernel = kernel_of(&arena, &image, "scale", 3, 1);
    int32_t got[6];
    cr_assert_str_eq(rt_name(b.device), "cuda");
    cr_assert_str_eq(rt_gpu_name(b.device), "sm_90");
    cr_assert_str_eq(rt_description(b.device), "Fake GPU 0 (sm_90, driver for CUDA 13.0)");
    for (int turn = 0; turn < 3; turn++) {
        memset(got, 0, sizeof got);
        cr_assert(run_scale(&b, &kernel, got), "%s", message(&b.diagnostics));
        const int32_t want[6] = {97, 94, 91, 88, 85, 118};
        cr_assert_arr_eq(got, want, sizeof want);
    }
    cr_assert_eq(b.fake.state->launches, 3);
    cr_assert_eq(b.fake.state->modules, 1); // loaded once
    cr_assert_eq(b.fake.state->last.block[0], 128);
    cr_assert_eq(b.fake.state->last.block[1] * b.fake.state->last.block[2], 1);
    cr_assert_eq(b.fake.state->last.shared_bytes, 1000);
    rt_unload(b.device, image.data, image.size);
    cr_assert_eq(b.fake.state->modules, 0);
    close_bench(&b);
    buffer_free(&image);
    arena_reset(&arena);
}

static void keep_text(void *data, const char *text, size_t size) {
    buffer_append(data, text, size);
}

// Wherever the driver fails, there is one error with its name, and nothing is left behind.
Test(cuda_device, every_call_fails_once) {
    Arena arena = {0};
    const uint64_t form[2] = {0};
    Buffer text = {0},
           image = image_make(&(ImageKernel){"scale", .threads = 128, .shared_bytes = 60000, .scratch_bytes = 100,
                                             .print_count = 1, .prints = form, .prints_bytes = sizeof form});
    KernelInfo kernel = kernel_of(&arena, &image, "scale", 3, 1);
    unsigned failed = 0, call = 1;
    for (bool finished = false; !finished; call++) {
        Bench b = {.fake = fake_driver()};
        int32_t got[6];
        b.fake.kernel("scale", scale);
        b.fake.state->fail_at = call;
        b.fake.state->fail_with = 1;
        b.device = rt_open_cuda(&b.diagnostics, &(RtDeviceOptions){0});
        if (b.device) rt_print_to(b.device, keep_text, &text);
        bool good = b.device && run_scale(&b, &kernel, got);
        finished = b.fake.state->fail_at; // it was never reached
        cr_assert(!finished || good);
        cr_assert_eq(good, !b.diagnostics.count, "call %u", call);
        if (!good) {
            failed++;
            cr_assert_eq(b.diagnostics.count, 1);
            cr_assert(strstr(message(&b.diagnostics), "CUDA_ERROR_INVALID_VALUE (invalid argument)"), "call %u: %s",
                      call, message(&b.diagnostics));
            cr_assert(b.diagnostics.items[0].code == E_RUNTIME || b.diagnostics.items[0].code == E_DEVICE);
        }
        close_bench(&b);
        cr_assert_lt(call, 200);
    }
    cr_assert_gt(failed, 30); // frees, pops and releases have nobody to tell
    buffer_free(&image);
    buffer_free(&text);
    arena_reset(&arena);
}

// ---- failures of blocks

static CudaStatus out_of_bounds(const FakeLaunch *launch) {
    GpuFault *fault = fake_at(launch->launch->fault);
    cr_assert_eq(fault->site, 0);
    const HostRange *ranges = fake_at(launch->launch->argument_ranges);
    *fault = (GpuFault){.site = 2, .block = 5, .fault = {.address = ranges[0].end + 8}};
    return CUDA_SUCCESS;
}

Test(cuda_device, failed_block) {
    Bench b = open_bench();
    Arena arena = {0};
    Buffer image = image_make(&(ImageKernel){.name = "bad",
                                             .threads = 32,
                                             .site_count = 2,
                                             .sites = "assert\tassert\tk.py:3:1\tno\n"
                                                      "bounds\tload_ptr_tko\tdir/k.py:12:7\tload of tile (4)\n"});
    b.fake.kernel("bad", out_of_bounds);
    KernelInfo kernel = kernel_of(&arena, &image, "bad", 1, 0);
    RtBuffer *x = rt_alloc(b.device, &b.diagnostics, 100);
    x->name = "X";
    for (int turn = 0; turn < 2; turn++) { // the second begins without a fault
        Diagnostics diagnostics = {0};
        cr_assert_not(rt_launch(
            b.device, &diagnostics,
            &(RtLaunch){
                .label = "L", .kernel = &kernel, .grid = {4, 2, 1}, .arguments = (RtArgument[]){{x->address, x}}}));
        Buffer text = {0};
        diag_print(&diagnostics.items[0], &text);
        cr_assert_str_eq(text.data,
                         "dir/k.py:12:7: error: L: kernel shown: block (1, 1, 0): load_ptr_tko (load of tile "
                         "(4)): an access at byte 108 of buffer X (argument 0, 100 bytes) [E501]\n");
        buffer_free(&text);
        diagnostics_close(&diagnostics);
    }
    close_bench(&b);
    buffer_free(&image);
    arena_reset(&arena);
}

static CudaStatus trap(const FakeLaunch *launch) {
    (void)launch;
    return 719;
}

// After a trap the driver refuses everything: each error says since when.
Test(cuda_device, stopped) {
    Bench b = open_bench();
    Arena arena = {0};
    Buffer image = image_make(&(ImageKernel){.name = "trap", .threads = 32});
    b.fake.kernel("trap", trap);
    KernelInfo kernel = kernel_of(&arena, &image, "trap", 0, 0);
    cr_assert_not(rt_launch(b.device, &b.diagnostics,
                            &(RtLaunch){.label = "case.yaml, launch 1", .kernel = &kernel, .grid = {1, 1, 1}}));
    cr_assert_str_eq(message(&b.diagnostics),
                     "case.yaml, launch 1: kernel shown: CUDA_ERROR_LAUNCH_FAILED (unspecified "
                     "launch failure)");
    cr_assert_null(rt_alloc(b.device, &b.diagnostics, 10));
    cr_assert_str_eq(b.diagnostics.items[1].message,
                     "cannot allocate a buffer of 10 bytes on Fake GPU 0: CUDA_ERROR_LAUNCH_FAILED (unspecified launch "
                     "failure); the driver refuses everything since case.yaml, launch 1");
    close_bench(&b);
    buffer_free(&image);
    arena_reset(&arena);
}

// ---- scratch

static unsigned seen_slots;
static uint64_t seen_scratch;

static CudaStatus use_scratch(const FakeLaunch *launch) {
    const GpuLaunch *l = launch->launch;
    uint32_t *locks = fake_at(l->scratch_locks);
    seen_slots = (unsigned)l->scratch_slots;
    seen_scratch = l->scratch;
    cr_assert_eq(l->scratch % 256, 0);
    for (uint64_t s = 0; s < l->scratch_slots; s++) {
        cr_assert_eq(locks[s], 0);
        memset((uint8_t *)fake_at(l->scratch) + s * 1024, 1, 1000);
    }
    locks[0] = 1; // a kernel that failed may leave it locked
    return CUDA_SUCCESS;
}

Test(cuda_device, scratch) {
    Bench b = open_bench();
    Arena arena = {0};
    Buffer image = image_make(&(ImageKernel){.name = "s", .threads = 256, .scratch_bytes = 1000});
    b.fake.kernel("s", use_scratch);
    KernelInfo kernel = kernel_of(&arena, &image, "s", 0, 0);
    cr_assert(rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1000, 1, 1}}));
    cr_assert_eq(seen_slots, 4 * 8); // what 4 multiprocessors run of blocks of 256 threads
    cr_assert(rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {5, 1, 1}}));
    cr_assert_eq(seen_slots, 5); // no more than there are blocks
    b.fake.state->memory_max = b.fake.state->allocated + 20000;
    Buffer other = image_make(&(ImageKernel){.name = "s", .threads = 256, .scratch_bytes = 1023 * 8});
    kernel.scratch_bytes = 8192; // 4 slots fit into what is there now, 32 do not
    cr_assert(rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1000, 1, 1}}),
              "%s", message(&b.diagnostics));
    cr_assert_eq(seen_slots, 4);
    b.fake.state->memory_max = 0;
    kernel.scratch_bytes = 1 << 20;
    cr_assert_not(
        rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1000, 1, 1}}));
    cr_assert_str_eq(message(&b.diagnostics), "L: no memory for 1048576 bytes of scratch of kernel shown: "
                                              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    close_bench(&b);
    buffer_free(&image);
    buffer_free(&other);
    arena_reset(&arena);
}

// ---- prints

static const uint64_t print_form[] = {9, 1, UINT64_C(0x6425206b636f6c62), '\n', HOST_PRINT_INTEGER, 32, 0};
static const ImageKernel print_image = {.name = "p",
                                        .threads = 32,
                                        .site_count = 1,
                                        .sites = "assert\tassert\tk.py:3:1\tno\n",
                                        .print_count = 1,
                                        .prints = print_form,
                                        .prints_bytes = sizeof print_form};
enum { PRINT_BYTES = 2 * GPU_PRINT_ALIGNMENT }; // of a record
static unsigned print_blocks, failing_block;    // 0: none fails

// All blocks print their number, the last one first.
static CudaStatus print_number(const FakeLaunch *launch) {
    if (!launch->launch->prints) return CUDA_SUCCESS;
    GpuPrints *prints = fake_at(launch->launch->prints);
    cr_assert_eq(launch->launch->prints % GPU_PRINT_ALIGNMENT, 0);
    for (unsigned block = print_blocks; block-- > 0;) {
        uint8_t *at = (uint8_t *)prints + GPU_PRINT_ALIGNMENT + prints->used;
        prints->used += PRINT_BYTES;
        if (prints->used > prints->size) continue;
        cr_assert_eq(at[0] | at[GPU_PRINT_ALIGNMENT], 0); // nothing of earlier launches
        memcpy(at, &(GpuPrintRecord){block, 1, PRINT_BYTES}, sizeof(GpuPrintRecord));
        memcpy(at + GPU_PRINT_ALIGNMENT, &(uint32_t){block}, 4);
    }
    GpuFault *fault = fake_at(launch->launch->fault);
    if (failing_block) *fault = (GpuFault){.site = 1, .block = failing_block};
    return CUDA_SUCCESS;
}

// A launch of `blocks` blocks, of which a text comes, and perhaps an error.
static void expect_prints(Bench *b, const KernelInfo *kernel, unsigned blocks, unsigned failing, const char *text,
                          const char *error) {
    Buffer found = {0};
    Diagnostics diagnostics = {0};
    print_blocks = blocks;
    failing_block = failing;
    rt_print_to(b->device, keep_text, &found);
    cr_expect_eq(
        rt_launch(b->device, &diagnostics, &(RtLaunch){.label = "L", .kernel = kernel, .grid = {blocks, 1, 1}}),
        !error);
    buffer_append(&found, "", 1);
    cr_expect_str_eq(found.data, text);
    cr_expect(!error || strstr(message(&diagnostics), error), "%s", message(&diagnostics));
    rt_print_to(b->device, NULL, NULL);
    buffer_free(&found);
    diagnostics_close(&diagnostics);
}

Test(cuda_device, prints) {
    Bench b = {.fake = fake_driver()};
    Arena arena = {0};
    Buffer image = image_make(&print_image);
    b.device = rt_open_cuda(&b.diagnostics, &(RtDeviceOptions){.print_bytes = 4 * PRINT_BYTES + 100});
    cr_assert(b.device);
    b.fake.kernel("p", print_number);
    KernelInfo kernel = kernel_of(&arena, &image, "p", 0, 0);
    for (int turn = 0; turn < 2; turn++) {
        expect_prints(&b, &kernel, 3, 0, "block 0\nblock 1\nblock 2\n", NULL);
        expect_prints(&b, &kernel, 4, 2, "block 0\nblock 1\nblock 2\n", "block (2, 0, 0): assert");
        expect_prints(&b, &kernel, 5, 0, "block 1\nblock 2\nblock 3\nblock 4\n",
                      "L: the blocks of kernel shown print 640 bytes of elements and their records, more than the 576 "
                      "that cuda keeps for a launch: some of it is missing");
    }
    cr_assert(rt_launch(b.device, &b.diagnostics,
                        &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1, 1, 1}})); // nobody listens
    rt_close(b.device);
    b.device = rt_open_cuda(&b.diagnostics, &(RtDeviceOptions){0});
    b.fake.state->memory_max = b.fake.state->allocated + 1000;
    expect_prints(&b, &kernel, 1, 0, "",
                  "L: no memory for 67108928 bytes that kernel shown may print: CUDA_ERROR_OUT_OF_MEMORY");
    close_bench(&b);
    buffer_free(&image);
    arena_reset(&arena);
}

// ---- what is refused

typedef struct RefusedRow {
    ImageKernel image;
    uint32_t grid[3];
    ErrorCode code;
    const char *said;
} RefusedRow;

Test(cuda_device, refused) {
    const RefusedRow rows[] = {
        {{.name = "k", .threads = 32},
         {1, 65536, 1},
         E_ARGUMENT,
         "L: grid dimension y is 65536, Fake GPU 0 (sm_90, driver for CUDA 13.0) allows 1 to 65535"},
        {{.name = "k", .threads = 32}, {1, 1, 0}, E_ARGUMENT, "L: grid dimension z is 0, allowed are 1 to 16777215"},
        {{.name = "k", .threads = 32, .shared_bytes = 300000},
         {1, 1, 1},
         E_RUNTIME,
         "L: kernel shown needs 300000 bytes of shared memory for each block, Fake GPU 0 (sm_90, driver for CUDA 13.0) "
         "has 232448"},
        {{.name = "k", .threads = 32, .scratch_bytes = 8, .no_launch = true},
         {1, 1, 1},
         E_RUNTIME,
         "L: kernel shown needs scratch, but its cubin has no congruent_launch to say where it is"},
        {{.name = "k", .threads = 32, .launch_bytes = 16},
         {1, 1, 1},
         E_RUNTIME,
         "L: kernel shown: congruent_launch of its cubin has 16 bytes, expected 72"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Bench b = open_bench();
        Arena arena = {0};
        Buffer image = image_make(&rows[i].image);
        KernelInfo kernel = kernel_of(&arena, &image, "k", 0, 0);
        cr_assert_not(rt_launch(
            b.device, &b.diagnostics,
            &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {rows[i].grid[0], rows[i].grid[1], rows[i].grid[2]}}));
        cr_assert_str_eq(message(&b.diagnostics), rows[i].said);
        cr_assert_eq(b.diagnostics.items[0].code, rows[i].code);
        close_bench(&b);
        buffer_free(&image);
        arena_reset(&arena);
    }
}

Test(cuda_device, damaged_image) {
    Bench b = open_bench();
    Arena arena = {0};
    Buffer image = image_make(&(ImageKernel){.name = "k", .threads = 32});
    KernelInfo kernel = kernel_of(&arena, &image, "k", 0, 0);
    kernel.symbol = "other";
    cr_assert_not(rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1, 1, 1}}));
    cr_assert_str_eq(message(&b.diagnostics),
                     "L: kernel shown: its cubin has no such function: CUDA_ERROR_NOT_FOUND (named symbol not found)");
    kernel.image = "no ELF file at all";
    kernel.image_size = 18;
    cr_assert_not(rt_launch(b.device, &b.diagnostics, &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1, 1, 1}}));
    cr_assert_str_eq(b.diagnostics.items[1].message,
                     "L: kernel shown: cannot load its cubin on Fake GPU 0 (sm_90, driver for CUDA 13.0): "
                     "CUDA_ERROR_INVALID_IMAGE (device kernel image is invalid)");
    close_bench(&b);
    buffer_free(&image);
    arena_reset(&arena);
}

// ---- opening

Test(cuda_device, no_such_device) {
    const struct {
        int count;
        unsigned index;
        CudaStatus init;
        const char *said;
    } rows[] = {
        {0, 0, 0, "the CUDA driver finds no GPU"},
        {2, 2, 0, "there is no GPU 2: the CUDA driver finds 2, from 0 on"},
        {1, 0, 100, "the CUDA driver does not start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"},
        {1, 0, 34567, "the CUDA driver does not start: CUDA error 34567"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Bench b = {.fake = fake_driver()};
        b.fake.state->device_count = rows[i].count;
        b.fake.state->init_status = rows[i].init;
        cr_assert_null(rt_open_cuda(&b.diagnostics, &(RtDeviceOptions){.index = rows[i].index}));
        cr_assert_str_eq(message(&b.diagnostics), rows[i].said);
        cr_assert_eq(b.diagnostics.items[0].code, E_DEVICE);
        close_bench(&b);
    }
}

Test(cuda_device, buffers) {
    Bench b = open_bench();
    const size_t sizes[] = {0, 1, 4096, 100000};
    RtBuffer *buffers[4];
    for (int i = 0; i < 4; i++) {
        buffers[i] = rt_alloc(b.device, &b.diagnostics, sizes[i]);
        cr_assert(buffers[i], "%s", message(&b.diagnostics));
        cr_assert_eq(buffers[i]->address % 4096, 0);
        Buffer got = {0};
        for (size_t at = 0; at < sizes[i]; at++) buffer_append(&got, "x", 1);
        cr_assert(rt_copy_out(b.device, &b.diagnostics, buffers[i], 0, got.data, sizes[i]));
        for (size_t at = 0; at < sizes[i]; at++) cr_assert_eq(got.data[at], 0);
        buffer_free(&got);
    }
    uint32_t word = 0x01020304, back = 0;
    cr_assert(rt_copy_in(b.device, &b.diagnostics, buffers[3], 99996, &word, 4));
    cr_assert(rt_copy_out(b.device, &b.diagnostics, buffers[3], 99996, &back, 4));
    cr_assert_eq(back, word);
    rt_free(b.device, buffers[1]);
    rt_free(b.device, NULL);
    cr_assert_null(rt_alloc(b.device, &b.diagnostics, (size_t)1 << 40));
    cr_assert_str_eq(message(&b.diagnostics), "cannot allocate a buffer of 1099511627776 bytes on Fake GPU 0: "
                                              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    cr_assert_null(rt_alloc(b.device, &b.diagnostics, SIZE_MAX));
    close_bench(&b); // the others go with the device
}
