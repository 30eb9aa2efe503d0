// SPDX-License-Identifier: Apache-2.0
// Tiles that threads write and products read: descriptors that do not fit are warned of, right kernels never.
#include "tests/runtime/tensor_lab.h"

#include <criterion/criterion.h>

enum { THREADS = 128, A_AT = 0, B_AT = 32 << 10, TILE = 16 << 10, SHARED = 96 << 10, RESULT = SHARED - 128 };
enum { DONE = SHARED - 64, N = 128, COLUMNS = 256, STEPS = 4 };

// What is changed of a product of tiles of 128 rows of 128 bytes, in four steps of 32 bytes.
enum {
    NOTHING,
    A_ROUND_MORE, // two tiles one after the other at the same place
    ONE_STEP,     // the others are left out
    HALF_ROWS,    // M is 64, N 64
    ROWS_APART,   // groups of eight rows of A are 2048 bytes apart, and threads read what is between
    WRONG_STRIDE = 20,
    WRONG_STRIDE_OF_B,
    HALF_STRIDE,
    NO_STRIDE,
    SWIZZLE_64,
    SWIZZLE_64_OF_A_STEP,
    NO_SWIZZLE,
    OVERWRITTEN, // wrong stride, and the tile is overwritten afterwards
    STEPS_OF_ROWS,
};

static uint64_t change_of(const WarpState *w) {
    return warp_lab_parameters(w)->number;
}

static void write_tiles(WarpState *w) {
    for (uint32_t i = w->warp * 128; i < B_AT + TILE; i += w->warps * 128)
        lab_store(w, w->alive, AT_STORE, i, 4, lab_all(i));
    lab_fence_async(w, w->alive);
}

static LabMma make_step(uint64_t change, uint32_t step) {
    const uint32_t at = step * (change == STEPS_OF_ROWS ? 2048 : 32), rows = change == HALF_ROWS ? 64 : 128;
    LabMma mma = {.kind = WARP_KIND_F16,
                  .accumulate = step,
                  .a = tensor_matrix(A_AT + at, 16, 1024, 2),
                  .b = tensor_matrix(B_AT + step * 32, 16, 1024, 2),
                  .instruction = tensor_instruction(rows, rows, 1, 0, 0)};
    switch (change) {
    case ROWS_APART:
    case OVERWRITTEN:
    case WRONG_STRIDE: mma.a = tensor_matrix(A_AT + at, 16, 2048, 2); break;
    case WRONG_STRIDE_OF_B: mma.b = tensor_matrix(B_AT + at, 16, 2048, 2); break;
    case HALF_STRIDE: mma.a = tensor_matrix(A_AT + at, 16, 512, 2); break;
    case NO_STRIDE: mma.a = tensor_matrix(A_AT + at, 16, 0, 2); break;
    case SWIZZLE_64: mma.a = tensor_matrix(A_AT + at, 16, 1024, 4); break;
    case SWIZZLE_64_OF_A_STEP:
        if (step == 2) mma.a = tensor_matrix(A_AT + at, 16, 1024, 4);
        break;
    case NO_SWIZZLE: mma.a = tensor_matrix(A_AT + at, 16, 1024, 0); break;
    }
    return mma;
}

static void multiply(WarpState *w, uint64_t change) {
    for (uint32_t step = 0; step < (change == ONE_STEP ? 1 : STEPS); step++) {
        const LabMma mma = make_step(change, step);
        tensor_mma(w, 1, &mma);
    }
    tensor_commit(w, DONE);
}

static void read_between(WarpState *w) {
    for (uint32_t i = w->warp * 128; i < 2 * TILE; i += w->warps * 128) lab_load(w, w->alive, AT_LOAD, i, 4);
}

static void kernel(WarpState *w) {
    const uint64_t change = change_of(w);
    const uint32_t rounds = change == A_ROUND_MORE || change == OVERWRITTEN ? 3 : 1;
    if (!w->warp) {
        lab_init(w, 1, DONE, 1);
        tensor_alloc(w, RESULT, COLUMNS);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        lab_barrier(w, 0, 0);
        write_tiles(w);
        lab_barrier(w, 0, 0);
        if (!w->warp) multiply(w, change);
        if (change == ROWS_APART) read_between(w);
        lab_wait(w, w->alive, DONE, round % 2);
    }
    if (change == OVERWRITTEN) { // and read as it should have been
        write_tiles(w);
        lab_barrier(w, 0, 0);
        read_between(w);
    }
    lab_barrier(w, 0, 0);
    if (!w->warp) tensor_free(w, 0, COLUMNS);
    lab_end(w);
}

// `text`: the warning; NULL: none is expected.
static void expect_warning(uint64_t change, const char *text) {
    WarpLab lab = tensor_lab_open(kernel, THREADS, SHARED);
    cr_expect(warp_lab_run(&lab, change), "%s", lab.text);
    cr_expect_eq(lab.warnings.count != 0, text != NULL, "change %d: %zu warnings: %s", (int)change, lab.warnings.count,
                 lab.warnings.count ? lab.warnings.items[0].message : "");
    bool found = !text;
    for (size_t i = 0; i < lab.warnings.count; i++) found |= strstr(lab.warnings.items[i].message, text) != NULL;
    cr_expect(found, "change %d: %s is not in %s", (int)change, text,
              lab.warnings.count ? lab.warnings.items[0].message : "");
    warp_lab_close(&lab);
}

#define PARTLY "in mma (t.ptx:7) reads only a part of the tile that warp "
#define TWICE  "in mma (t.ptx:7) reads byte "

Test(warp_watch, right_kernels_are_not_warned_of) {
    expect_warning(NOTHING, NULL);
    expect_warning(A_ROUND_MORE, NULL);
    expect_warning(ONE_STEP, NULL);
    expect_warning(HALF_ROWS, NULL);
    expect_warning(ROWS_APART, NULL);
}

Test(warp_watch, wrong_strides) {
    expect_warning(WRONG_STRIDE, PARTLY);
    expect_warning(WRONG_STRIDE_OF_B, PARTLY);
    expect_warning(OVERWRITTEN, PARTLY);
    expect_warning(HALF_STRIDE, TWICE);
    expect_warning(NO_STRIDE, TWICE);
}

Test(warp_watch, wrong_swizzles) {
    expect_warning(SWIZZLE_64, PARTLY);
    expect_warning(SWIZZLE_64_OF_A_STEP, PARTLY);
    expect_warning(NO_SWIZZLE, TWICE);
}

Test(warp_watch, wrong_directions) {
    expect_warning(STEPS_OF_ROWS, PARTLY);
}
