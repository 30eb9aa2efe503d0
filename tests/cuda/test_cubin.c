// SPDX-License-Identifier: Apache-2.0
// Reading cubins: what they say, and that damaged ones are refused without reading outside of them.
#include "runtime/cubin.h"
#include "tests/cuda/image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define TEXT UINT64_C(0x2500ff0009252064) // "d %", tab, zero, 0xff, zero, "%"
static const uint64_t usual_prints[] = {
    8, 2, TEXT, HOST_PRINT_INTEGER, 32, 0, HOST_PRINT_PAYLOAD, 16, 2, 4, 8, 0, 0, 1, 0, 'x',
};

static const ImageKernel usual = {
    .name = "kernel",
    .threads = 256,
    .shared_bytes = 4096,
    .scratch_bytes = 512,
    .site_count = 4,
    .sites = "bounds\tload\tfile.py:12:3\tload of tile (4)\n"
             "step\tfor\tfile:7.py:9\t\n"
             "rounds\tloop\tk.tileirbc+0x1f\t\n"
             "assume\tassume\t\tnot so\n",
    .print_count = 3,
    .prints = usual_prints,
    .prints_bytes = sizeof usual_prints,
};

Test(cubin, kernel) {
    Buffer image = image_make(&usual);
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    KernelInfo kernel = {0};
    cr_assert_eq(cubin_extent(image.data), image.size);
    cr_assert(cubin_kernel(&diagnostics, &arena, image.data, image.size, "kernel", &kernel));
    cr_assert_eq(kernel.threads, 256);
    cr_assert_eq(kernel.shared_bytes, 4096);
    cr_assert_eq(kernel.scratch_bytes, 512);
    cr_assert_eq(kernel.site_count, 4);
    cr_assert_str_eq(kernel.symbol, "kernel");
    const KernelSite *sites = kernel.sites;
    cr_assert(sites[0].kind == HOST_SITE_BOUNDS && sites[1].kind == HOST_SITE_STEP &&
              sites[2].kind == HOST_SITE_ROUNDS);
    cr_assert_str_eq(sites[0].op, "load");
    cr_assert_str_eq(sites[0].message, "load of tile (4)");
    cr_assert_str_eq(sites[0].at.file, "file.py");
    cr_assert(sites[0].at.line == 12 && sites[0].at.column == 3);
    cr_assert_str_eq(sites[1].at.file, "file:7.py");
    cr_assert(sites[1].at.line == 9 && sites[1].at.column == 0 && !sites[1].message);
    cr_assert_str_eq(sites[2].at.file, "k.tileirbc");
    cr_assert(sites[2].at.has_offset && sites[2].at.offset == 0x1f && sites[2].at.line == 0);
    cr_assert_null(sites[3].at.file);
    cr_assert(kernel.prints && kernel.print_form_count == 3);
    const HostPrint *forms = kernel.print_forms;
    cr_assert(forms[0].length == 8 && !memcmp(forms[0].format, "d %\t\0\xff\0%", 8) && forms[0].value_count == 2);
    cr_assert(forms[0].values[0].kind == HOST_PRINT_INTEGER && forms[0].values[0].bits == 32 &&
              forms[0].values[0].rank == 0);
    cr_assert(forms[0].values[1].kind == HOST_PRINT_PAYLOAD && forms[0].values[1].bits == 16 &&
              forms[0].values[1].rank == 2 && forms[0].values[1].shape[0] == 4 && forms[0].values[1].shape[1] == 8);
    cr_assert(!forms[1].length && !forms[1].value_count);
    cr_assert(forms[2].length == 1 && *forms[2].format == 'x' && !forms[2].value_count);
    arena_reset(&arena);
    buffer_free(&image);
}

Test(cubin, refused) {
    const struct {
        ImageKernel image;
        const char *said;
    } rows[] = {
        {{.name = "other", .threads = 32}, "the cubin does not tell how to launch kernel k"},
        {{.name = "k", .threads = 0},
         "the cubin tells that kernel k has 0 threads, 0 bytes of shared memory, 0 of "
         "scratch and 0 sites"},
        {{.name = "k", .threads = 1025}, "the cubin tells that kernel k has 1025 threads"},
        {{.name = "k", .threads = 32, .site_count = 1u << 30}, "the cubin tells that kernel k has 32 threads"},
        {{.name = "k", .threads = 32, .site_count = 1}, "the cubin's site 0 of kernel k cannot be read"},
        {{.name = "k", .threads = 32, .site_count = 1, .sites = "bounds\tload\tplace\tno end"},
         "the cubin's site 0 of kernel k cannot be read"},
        {{.name = "k", .threads = 32, .site_count = 1, .sites = "unheard\tload\tplace\t\n"},
         "the cubin's site 0 of kernel k cannot be read"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer image = image_make(&rows[i].image);
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        KernelInfo kernel = {0};
        cr_assert_not(cubin_kernel(&diagnostics, &arena, image.data, image.size, "k", &kernel));
        cr_assert(strstr(diagnostics.items[0].message, rows[i].said), "%s", diagnostics.items[0].message);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
        buffer_free(&image);
    }
}

Test(cubin, refused_prints) {
    const struct {
        uint64_t count, words[8];
        size_t bytes;
    } rows[] = {
        {1, {0}, 0},                                // nothing is there
        {UINT64_C(1) << 40, {1}, 64},               // too many
        {2, {0, 0, 7}, 24},                         // the second is cut off
        {1, {9, 0, 'x'}, 24},                       // so is the text
        {1, {UINT64_MAX, 0, 'x'}, 24},              //
        {1, {0, UINT64_MAX, 0, 8, 0}, 40},          // and the values
        {1, {0, 1, 9, 8, 0}, 40},                   // no such kind
        {1, {0, 1, 0, 24, 0}, 40},                  // no such width
        {1, {0, 1, 0, 0, 0}, 40},                   //
        {1, {0, 1, 0, 128, 0}, 40},                 //
        {1, {0, 1, 0, 8, 100}, 40},                 // more dimensions than there are words
        {1, {0, 1, 0, 8, 1, 0}, 48},                // no elements
        {1, {0, 1, 0, 8, 2, 1 << 13, 1 << 12}, 56}, // too many
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer image = image_make(&(ImageKernel){.name = "k",
                                                 .threads = 32,
                                                 .print_count = rows[i].count,
                                                 .prints = rows[i].bytes ? rows[i].words : NULL,
                                                 .prints_bytes = rows[i].bytes});
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        KernelInfo kernel = {0};
        cr_assert_not(cubin_kernel(&diagnostics, &arena, image.data, image.size, "k", &kernel), "row %zu", i);
        cr_assert_str_eq(diagnostics.items[0].message, "the cubin's prints of kernel k cannot be read");
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
        buffer_free(&image);
    }
}

static bool count_names(void *data, const char *name) {
    cr_assert_lt(strlen(name), 1000);
    return ++*(unsigned *)data;
}

// Every prefix, and every byte changed in several ways, in memory of exactly that size: ASan sees what reads outside.
Test(cubin, damaged) {
    Buffer image = image_make(&usual);
    unsigned functions = 0;
    cubin_functions(image.data, image.size, count_names, &functions);
    cr_assert_eq(functions, 1);
    for (size_t i = 0; i < 5 * image.size; i++) {
        const size_t at = i % image.size, size = i < image.size ? at : image.size;
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        KernelInfo kernel = {0};
        uint8_t *bytes = malloc(size ? size : 1);
        memcpy(bytes, image.data, size);
        if (size > at) bytes[at] ^= (uint8_t[]){0, 0xff, 0x80, 0x01, 0x10}[i / image.size];
        if (!cubin_kernel(&diagnostics, &arena, bytes, size, "kernel", &kernel)) cr_assert_eq(diagnostics.count, 1);
        cubin_functions(bytes, size, count_names, &functions);
        free(bytes);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
    buffer_free(&image);
}
