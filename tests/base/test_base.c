// SPDX-License-Identifier: Apache-2.0
// Arena, buffer, map, diagnostics and files.
#include "base/base.h"
#include "base/kernel_info.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(base, arena_gives_zeroed_aligned_memory_of_any_size) {
    Arena arena = {0};
    for (size_t size = 0; size < 100000; size = size * 3 + 1) {
        unsigned char *at = arena_alloc(&arena, size);
        cr_assert_eq((uintptr_t)at % 16, 0);
        for (size_t i = 0; i < size; i++) cr_assert_eq(at[i], 0);
        memset(at, 0xff, size);
    }
    cr_assert_str_eq(arena_format(&arena, "%d-%s", 7, "x"), "7-x");
    arena_reset(&arena);
    cr_assert_null(arena.chunks);
}

Test(base, map_finds_what_was_inserted_and_nothing_else) {
    Arena arena = {0};
    Map map = {0};
    char key[16];
    for (uint64_t i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "key%d", (int)i);
        cr_assert(map_insert(&map, &arena, key, i));
    }
    cr_assert_not(map_insert(&map, &arena, "key7", 8));
    for (uint64_t i = 0, value; i < 1000; i++) {
        snprintf(key, sizeof key, "key%d", (int)i);
        cr_assert(map_find(&map, key, &value));
        cr_assert_eq(value, i);
    }
    cr_assert_not(map_find(&map, "key1000", NULL));
    arena_reset(&arena);
}

Test(base, diagnostics_name_place_and_number) {
    Diagnostics diagnostics = {0};
    cr_assert_not(
        diag_fail(&diagnostics, (Location){.file = "a.py", .line = 3, .column = 7}, E_VERIFY, "bad\n%s", "thing"));
    diag_fail(&diagnostics, (Location){.file = "a\n\033b", .has_offset = true, .offset = 18, .section = "Type"},
              E_BYTECODE, "cut");
    Buffer text = {0};
    diag_print(&diagnostics.items[0], &text);
    diag_print(&diagnostics.items[1], &text);
    cr_assert_str_eq(text.data,
                     "a.py:3:7: error: bad?thing [E203]\na??b: offset 0x12 (section Type): error: cut [E201]\n");
    cr_assert_eq(diagnostics_exit_status(&diagnostics), 3);
    for (int i = 0; i < 200; i++) diag_fail(&diagnostics, (Location){0}, E_FILE, "%d", i);
    cr_assert_eq(diagnostics.count, (size_t)DIAGNOSTICS_MAX);
    cr_assert_eq(diagnostics.dropped, (size_t)102);
    buffer_free(&text);
    diagnostics_close(&diagnostics);
}

Test(base, places_in_called_functions_say_who_called) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    const Location here = {.file = "a.py", .line = 3, .column = 7}, outer = {.file = "b.py", .line = 9};
    Location at = location_called(&arena, here, (Location){0});
    cr_assert_null(at.callers);
    at = location_called(&arena, location_called(&arena, at, here), outer);
    cr_assert_str_eq(at.callers, "a.py:3:7, b.py:9");
    at = location_keep(&arena, at);
    diag_fail(&diagnostics, at, E_VERIFY, "bad");
    cr_assert_str_eq(diagnostics.items[0].message, "bad (called from a.py:3:7, b.py:9)");
    for (int i = 0; i < 100; i++) at = location_called(&arena, at, here);
    cr_assert_lt(strlen(at.callers), 300);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

Test(base, files_round_trip_and_missing_ones_are_errors) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint8_t *data;
    size_t size;
    char path[] = "/tmp/congruent-test-XXXXXX";
    close(mkstemp(path));
    cr_assert(file_write(&diagnostics, path, "a\0b", 3));
    cr_assert(file_read(&diagnostics, &arena, path, &data, &size));
    cr_assert_eq(size, 3);
    cr_assert_arr_eq(data, "a\0b", 4);
    char link[] = "/tmp/congruent-link-XXXXXX";
    close(mkstemp(link));
    unlink(link);
    cr_assert_eq(symlink(path, link), 0);
    cr_assert(file_write(&diagnostics, link, "c", 1)); // through the link, which stays
    cr_assert_geq(readlink(link, (char[64]){0}, 64), 1);
    cr_assert(file_read(&diagnostics, &arena, path, &data, &size) && size == 1);
    unlink(link);
    unlink(path);
    cr_assert_not(file_read(&diagnostics, &arena, path, &data, &size));
    cr_assert_not(file_read(&diagnostics, &arena, "/tmp", &data, &size));
    cr_assert_not(file_write(&diagnostics, "/nonexistent/x", "a", 1));
    cr_assert_eq(diagnostics.count, 3);
    cr_assert_str_eq(file_beside(&arena, "a/b.yaml", "c"), "a/c");
    cr_assert_str_eq(file_beside(&arena, "b.yaml", "c"), "c");
    cr_assert_str_eq(file_beside(&arena, "a/b.yaml", "/c"), "/c");
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

// ---- kernels' descriptions ------------------------------------------------------------------------------------------

// Every byte that is no pointer comes back, whatever members there are.
Test(kernel_image, every_number_comes_back) {
    KernelInfo kernel;
    memset(&kernel, 1, sizeof kernel);
    kernel.name = kernel.symbol = NULL;
    kernel.sites = NULL;
    kernel.stores = NULL;
    kernel.stored_widths = NULL;
    kernel.accesses = NULL;
    kernel.stores_through = NULL;
    kernel.census_sites = NULL;
    kernel.print_forms = NULL;
    kernel.entry = NULL;
    kernel.simt = NULL;
    kernel.launch = NULL;
    kernel.simt_ops = NULL;
    kernel.places = NULL;
    kernel.warp = NULL;
    kernel.warp_functions = NULL;
    kernel.parameter_layout = NULL;
    kernel.losses = NULL;
    kernel.unwritten = NULL;
    kernel.parts = NULL;
    kernel.image = NULL;
    Location at = {
        .file = "k.py", .section = "s", .offset = 5, .line = 6, .column = 7, .has_offset = true, .callers = "c"};
    KernelPlace place = {.op = "addf", .at = at, .losses = 3};
    Buffer bytes = {0};
    Arena arena = {0};
    size_t used;
    kernel_image_write(&(KernelImage){1, 1, &kernel, &place}, &bytes);
    KernelImage image;
    cr_assert(kernel_image_read(&arena, (const uint8_t *)bytes.data, bytes.size, &image, &used));
    cr_assert(used == bytes.size && image.kernel_count == 1 && image.place_count == 1);
    cr_expect_eq(image.kernels[0].places, image.places);
    image.kernels[0].places = NULL;
    image.kernels[0].place_count = kernel.place_count;
    cr_expect(!memcmp(&image.kernels[0], &kernel, sizeof kernel));
    const KernelPlace *read = image.places;
    cr_expect(!strcmp(read->op, "addf") && read->losses == 3 && !strcmp(read->at.file, "k.py"));
    cr_expect(!strcmp(read->at.section, "s") && !strcmp(read->at.callers, "c") && read->at.has_offset);
    cr_expect(read->at.offset == 5 && read->at.line == 6 && read->at.column == 7);
    for (size_t size = 0; size < bytes.size; size++)
        cr_expect_not(kernel_image_read(&arena, (const uint8_t *)bytes.data, size, &image, &used) &&
                      used == bytes.size);
    arena_reset(&arena);
    buffer_free(&bytes);
}

Test(kernel_image, parts_come_back_without_code) {
    const bool pointers[] = {true, false};
    const KernelPart parts[] = {{"a", 2, pointers, 64, (HostEntry *)1}, {"b", 0, pointers, 0, NULL}};
    KernelInfo kernel = {.name = "k", .memory_bytes = 4096, .part_count = 2, .parts = parts};
    Buffer bytes = {0};
    Arena arena = {0};
    KernelImage image;
    size_t used;
    kernel_image_write(&(KernelImage){1, 0, &kernel, NULL}, &bytes);
    cr_assert(kernel_image_read(&arena, (const uint8_t *)bytes.data, bytes.size, &image, &used));
    const KernelInfo *read = &image.kernels[0];
    cr_assert(read->memory_bytes == 4096 && read->part_count == 2);
    cr_expect(!strcmp(read->parts[0].symbol, "a") && !strcmp(read->parts[1].symbol, "b"));
    cr_expect(read->parts[0].parameter_count == 2 && read->parts[0].pointers[0] && !read->parts[0].pointers[1]);
    cr_expect(read->parts[0].scratch_bytes == 64 && !read->parts[0].entry && !read->parts[1].entry);
    arena_reset(&arena);
    buffer_free(&bytes);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

Test(system, memory) {
    cr_expect_geq(system_memory(), UINT64_C(16) << 20);
}
