// SPDX-License-Identifier: Apache-2.0
// What kernels do wrong with tensor memory: one right kernel, and a change of it for each mistake.
#include "tests/runtime/tensor_lab.h"

#include <criterion/criterion.h>

enum { THREADS = 128, SHARED = 64 << 10, RESULT = SHARED - 128, DONE = SHARED - 64, A_AT = 0, B_AT = 16 << 10 };
enum { COLUMNS = 256, D_AT = 0, A_COLUMN = 128, SCALES_AT = 192, N = 64 };

// What is changed. Those of one kind of change are numbered from ten to ten.
enum {
    NOTHING,
    NO_WAIT = 1,
    NO_COMMIT,
    OTHER_LANE_COMMITS,
    NO_PROXY_FENCE,
    OPERAND_OVERWRITTEN,
    NO_LOAD_WAIT,
    NO_STORE_WAIT,
    WRONG_PARITY,
    LOAD_AT_THE_END,
    NOT_INITIALISED = 20,
    COLUMN_NOT_WRITTEN,
    USED_AFTER_FREE,
    OUTSIDE_ALLOCATION,
    ACROSS_ALLOCATIONS,
    FREED_TWICE,
    FREED_IN_PART,
    FREED_WHILE_USED,
    NEVER_FREED,
    ALLOC_AFTER_RELINQUISH,
    ALLOC_OF_48,
    ALLOC_OF_TOO_MANY,
    LANES_OF_ANOTHER = 40,
    LANE_NOT_ALLOWED,
    NOT_UNIFORM,
    A_OVERLAPS,
    SCALES_OVERLAP,
    SCALES_DIFFER,
    SCALES_NOT_WRITTEN,
    RESERVED_BIT = 60,
    WRONG_M,
    WRONG_N,
    WRONG_TYPE,
    HALF_SUMS,
    SPARSE,
    PAIR,
    OUTSIDE_SHARED,
    SCALE_OF_INTEGERS,
    SUM_SHAPE_CHANGES = 80,
    ALL_LANES_MULTIPLY,
    SUMS_FURTHER_ON, // of a product between two others
    LOAD_IN_PARTS,
    LOAD_OF_FIRST_COLUMNS,
    LOAD_FURTHER_ON,
    LOAD_WITH_A_GAP,
};

static uint64_t change_of(const WarpState *w) {
    return warp_lab_parameters(w)->number;
}

static LabMma right_mma(void) {
    return (LabMma){.kind = WARP_KIND_F16,
                    .d = D_AT,
                    .a = tensor_matrix(A_AT, 0, 1024, 2),
                    .b = tensor_matrix(B_AT, 0, 1024, 2),
                    .instruction = tensor_instruction(128, N, 1, 0, 0)};
}

static void change_mma(uint64_t change, LabMma *mma) {
    switch (change) {
    case NOT_INITIALISED: mma->accumulate = 1; break;
    case OUTSIDE_ALLOCATION: mma->d = COLUMNS; break;
    case ACROSS_ALLOCATIONS: mma->d = COLUMNS - 32; break;
    case A_OVERLAPS: mma->flags = 1, mma->a = D_AT + N - 8; break;
    case NO_STORE_WAIT: mma->flags = 1, mma->a = A_COLUMN; break;
    case RESERVED_BIT: mma->instruction |= 1 << 6; break;
    case WRONG_M: mma->instruction = tensor_instruction(96, N, 1, 0, 0); break;
    case WRONG_N: mma->instruction = tensor_instruction(128, 40, 1, 0, 0); break;
    case WRONG_TYPE: mma->instruction = tensor_instruction(128, N, 1, 3, 0); break;
    case HALF_SUMS: mma->instruction = tensor_instruction(128, N, 0, 0, 0); break;
    case SPARSE: mma->flags = 16; break;
    case OUTSIDE_SHARED: mma->b = tensor_matrix(SHARED - 2048, 0, 1024, 2); break;
    case SCALE_OF_INTEGERS:
        mma->kind = WARP_KIND_I8, mma->flags = 2, mma->scale_d = 1;
        mma->instruction = tensor_instruction(128, N, 2, 0, 0);
        break;
    }
    if (change == SCALES_OVERLAP || change == SCALES_DIFFER || change == SCALES_NOT_WRITTEN) {
        mma->kind = WARP_KIND_MXF8F6F4;
        mma->instruction = tensor_instruction(128, N, 0, 0, 0) | 1 << 23;
        mma->scales_a = change == SCALES_OVERLAP ? D_AT + N - 1 : SCALES_AT;
        mma->scales_b = change == SCALES_NOT_WRITTEN ? SCALES_AT + 32 : SCALES_AT + 4;
    }
}

static void allocate_more(WarpState *w, uint64_t change) {
    const WarpOperation relinquish = {.place = AT_RELINQUISH, .kind = WARP_TENSOR_RELINQUISH, .detail = {0, 1}};
    if (change == ACROSS_ALLOCATIONS) tensor_alloc(w, RESULT, 128);
    if (change == ALLOC_AFTER_RELINQUISH) {
        tensor_operate(w, w->alive, relinquish, NULL, 0, NULL);
        tensor_alloc(w, RESULT, 32);
    }
    if (change == ALLOC_OF_48) tensor_alloc(w, RESULT, 48);
    if (change == ALLOC_OF_TOO_MANY) tensor_alloc(w, RESULT, 512);
}

// Before the product: operands in shared memory, A and scale factors in tensor memory.
static void prepare(WarpState *w, uint64_t change) {
    static uint32_t words[4][32 * 32];
    const uint32_t lane = w->warp * 32;
    for (uint32_t i = w->warp * 128; i < 32 << 10; i += w->warps * 128)
        lab_store(w, w->alive, AT_STORE, i, 4, lab_all(i));
    if (change != NO_PROXY_FENCE) lab_fence_async(w, w->alive);
    for (uint32_t i = 0; i < BASE_COUNT(words[0]); i++) words[w->warp][i] = change == SCALES_DIFFER && lane == 64;
    tensor_move(w, false, lane << 16 | A_COLUMN, WARP_32X32B, 8, 0, 0, words[w->warp]);
    tensor_move(w, false, lane << 16 | SCALES_AT, WARP_32X32B, 8, 0, 0, words[w->warp]);
    if (change != NO_STORE_WAIT) tensor_wait(w, true);
}

static void multiply(WarpState *w, uint64_t change) {
    LabMma mma = right_mma();
    change_mma(change, &mma);
    if (change == PAIR) {
        const WarpOperation operation = {
            .place = AT_MMA, .kind = WARP_TENSOR_PRODUCT, .detail = {WARP_KIND_F16, 2}, .product = lab_product_16};
        tensor_operate(w, 1, operation, (const uint64_t[12]){0}, 12, NULL);
    }
    tensor_mma(w, change == ALL_LANES_MULTIPLY ? ALL : 1, &mma);
    if (change == SUMS_FURTHER_ON) {
        mma.d += 16;
        tensor_mma(w, 1, &mma);
        mma.d -= 16;
    }
    mma.place = AT_MMA_B;
    mma.accumulate = 1;
    if (change == SUM_SHAPE_CHANGES) mma.instruction = tensor_instruction(64, N, 1, 0, 0);
    tensor_mma(w, 1, &mma);
    if (change == OPERAND_OVERWRITTEN) lab_store(w, w->alive, AT_STORE, B_AT, 4, lab_all(1));
    if (change == NO_COMMIT) return;
    const uint64_t operands[] = {WARP_SHARED_FIRST + DONE, 0};
    const WarpOperation commit = {.place = AT_COMMIT, .kind = WARP_TENSOR_COMMIT, .detail = {WARP_SHARED, 1}};
    tensor_operate(w, change == OTHER_LANE_COMMITS ? 2 : 1, commit, operands, 2, NULL);
}

static void load_sums(WarpState *w, uint64_t change) {
    static uint32_t words[4][128 * 32];
    uint32_t address = w->warp << 21 | D_AT, times = 64;
    if (change == LANES_OF_ANOTHER) address ^= 1 << 21;
    if (change == COLUMN_NOT_WRITTEN) times = 128;
    if (change == LOAD_IN_PARTS || change == LOAD_WITH_A_GAP) {
        times = 32;
        tensor_move(w, true, address + (change == LOAD_IN_PARTS ? 32 : 48), WARP_32X32B, 16, 0, 0, words[w->warp]);
        if (change == LOAD_IN_PARTS) tensor_move(w, true, address + 48, WARP_32X32B, 16, 0, 0, words[w->warp]);
    }
    if (change == LOAD_OF_FIRST_COLUMNS || change == LOAD_FURTHER_ON) times = 32;
    if (change == LOAD_FURTHER_ON) address += 16;
    if (change == LANE_NOT_ALLOWED) tensor_move(w, true, address + (8 << 16), WARP_16X64B, 4, 0, 0, words[w->warp]);
    if (change == NOT_UNIFORM) {
        WarpLanes operands[2] = {{0}};
        for (uint32_t l = 0; l < WARP_LANES; l++) operands[0][l] = address + l;
        const WarpOperation load = {.place = AT_LD, .kind = WARP_TENSOR_LOAD, .detail = {WARP_32X32B, 1}};
        w->ops->operate(w, w->alive, &load, operands, words[w->warp]);
    }
    tensor_move(w, true, address, WARP_32X32B, times, 0, 0, words[w->warp]);
    if (change != NO_LOAD_WAIT) tensor_wait(w, false);
}

static void release(WarpState *w, uint64_t change) {
    if (change == NEVER_FREED) return;
    if (change == FREED_IN_PART) tensor_free(w, 0, 128);
    tensor_free(w, 0, COLUMNS);
    if (change == FREED_TWICE) tensor_free(w, 0, COLUMNS);
}

static void kernel(WarpState *w) {
    const uint64_t change = change_of(w);
    if (!w->warp) {
        lab_init(w, 1, DONE, 1);
        tensor_alloc(w, RESULT, COLUMNS);
        allocate_more(w, change);
    }
    lab_barrier(w, 0, 0);
    prepare(w, change);
    lab_barrier(w, 0, 0);
    if (!w->warp) multiply(w, change);
    if (change == FREED_WHILE_USED && !w->warp) tensor_free(w, 0, COLUMNS);
    if (change != NO_WAIT) lab_wait(w, w->alive, DONE, change == WRONG_PARITY);
    if (change == USED_AFTER_FREE && !w->warp) tensor_free(w, 0, COLUMNS);
    lab_barrier(w, 0, 0);
    load_sums(w, change);
    lab_barrier(w, 0, 0);
    if (!w->warp && change == NO_LOAD_WAIT) multiply(w, NOTHING);
    if (!w->warp) release(w, change);
    if (!w->warp && change == ACROSS_ALLOCATIONS) tensor_free(w, COLUMNS, 128);
    lab_end(w);
}

static void expect_change(uint64_t change, const char *text) {
    EXPECT_MISUSE(kernel, THREADS, SHARED, change, text);
}

static void expect_good(uint64_t change, bool check_fences, const char *warning) {
    WarpLab lab = tensor_lab_open(kernel, THREADS, SHARED);
    lab.threads.check_fences = check_fences;
    cr_expect(warp_lab_run(&lab, change), "%s", lab.text);
    cr_expect_eq(lab.warnings.count != 0, warning != NULL, "%zu", lab.warnings.count);
    bool found = !warning;
    for (size_t i = 0; i < lab.warnings.count; i++) found |= strstr(lab.warnings.items[i].message, warning) != NULL;
    cr_expect(found, "%s", warning);
    warp_lab_close(&lab);
}

Test(warp_tensor_misuse, right_kernels_are_not_reported) {
    expect_good(NOTHING, false, NULL);
    expect_good(ALL_LANES_MULTIPLY, false, NULL);
    expect_good(LOAD_IN_PARTS, false, NULL);
    expect_good(LOAD_OF_FIRST_COLUMNS, false, NULL);
}

Test(warp_tensor_misuse, who_must_wait) {
    expect_change(NO_WAIT, "before it is known that what warp 0 lane 0 in mma_b (t.ptx:8) does there is done");
    expect_change(WRONG_PARITY, "deadlock: ");
    expect_change(NO_COMMIT, "deadlock: ");
    expect_change(OTHER_LANE_COMMITS,
                  "before it is known that what warp 0 lane 0 in mma_b (t.ptx:8) does there is done");
    expect_change(NO_PROXY_FENCE, "a fence.proxy.async is missing between the two");
    expect_change(OPERAND_OVERWRITTEN, "st.shared (t.ptx:21) at byte 16384 of shared memory before it is known that "
                                       "what mma_b (t.ptx:8) does there is done");
    expect_change(NO_LOAD_WAIT, "mma (t.ptx:7) at ");
    expect_change(NO_STORE_WAIT, "before it is known that what warp 0 in st (t.ptx:5) does there is done");
    expect_change(FREED_WHILE_USED, "dealloc (t.ptx:2) at ");
}

Test(warp_tensor_misuse, columns) {
    expect_change(NOT_INITIALISED, "mma (t.ptx:7) reads lane 0, column 0 of tensor memory, where nothing has been");
    expect_change(COLUMN_NOT_WRITTEN, "column 64 of tensor memory, where nothing has been written");
    expect_change(USED_AFTER_FREE, "of tensor memory, which warp 0 in dealloc (t.ptx:2) has freed");
    expect_change(OUTSIDE_ALLOCATION, "column 256 of tensor memory, 64 columns, which nobody has allocated");
    expect_change(ACROSS_ALLOCATIONS, "column 224 of tensor memory, 64 columns, which reach beyond what warp 0 in "
                                      "alloc (t.ptx:1) has allocated");
    expect_change(FREED_TWICE, "which warp 0 in dealloc (t.ptx:2) has freed");
    expect_change(FREED_IN_PART, "frees 128 columns at lane 0, column 0 of tensor memory, but warp 0 in alloc "
                                 "(t.ptx:1) has allocated 256 columns");
    expect_change(NEVER_FREED, "alloc (t.ptx:1): its 256 columns at lane 0, column 0 of tensor memory are never freed");
    expect_change(ALLOC_AFTER_RELINQUISH,
                  "alloc (t.ptx:1) after warp 0 in relinquish (t.ptx:3) has given up the right");
    expect_change(ALLOC_OF_48, "48 columns; allowed are powers of two from 32 to 512");
    expect_change(ALLOC_OF_TOO_MANY, "in alloc (t.ptx:1) waits for 512 free columns of tensor memory");
}

Test(warp_tensor_misuse, lanes_and_operands) {
    expect_change(LANES_OF_ANOTHER, "reaches lanes ");
    expect_change(LANE_NOT_ALLOWED, "the lane has to be a multiple of 16");
    expect_change(NOT_UNIFORM, "operand 0 is not the same in all lanes");
    expect_change(A_OVERLAPS, "the sums and A overlap, both at lane 0, column 56 of tensor memory");
    expect_change(SCALES_OVERLAP, "the sums and the scale factors of A overlap");
    expect_change(SCALES_NOT_WRITTEN, "column 224 of tensor memory, where nothing has been written");
    WarpLab lab = tensor_lab_open(kernel, THREADS, SHARED);
    cr_expect_not(warp_lab_run(&lab, SCALES_DIFFER));
    cr_expect(strstr(lab.text, "scale factors at lane 64, column 192 of tensor memory differ from those 64 lanes"),
              "%s", lab.text);
    warp_lab_close(&lab);
}

Test(warp_tensor_misuse, descriptors) {
    expect_change(RESERVED_BIT, "has bits 0x00000040 set, which kind::f16 does not have");
    expect_change(WRONG_M, "a product with M 96 and N 64 does not exist for kind::f16");
    expect_change(WRONG_N, "a product with M 128 and N 40 does not exist for kind::f16");
    expect_change(WRONG_TYPE, "kind::f16 has no element type 3 for A");
    expect_change(HALF_SUMS, "not supported: sums of f16 in tensor memory");
    expect_change(SPARSE, "not supported: a sparse matrix");
    expect_change(PAIR, "not supported: cta_group::2");
    expect_change(OUTSIDE_SHARED, "mma (t.ptx:7) at byte 65536 of shared memory");
    expect_change(SCALE_OF_INTEGERS, "kind::i8 cannot scale its sums");
}

Test(warp_tensor_misuse, warnings) {
    expect_good(SUM_SHAPE_CHANGES, false,
                "kind::f16 with M 64, 64 columns from 0 on, after kind::f16 with M 128, 64 columns from 0 on");
    expect_good(SUMS_FURTHER_ON, false,
                "in mma_b (t.ptx:8) adds to sums at lane 0, column 63 of tensor memory that warp 0 lane 0 in mma "
                "(t.ptx:7) made in another way");
    expect_good(LOAD_FURTHER_ON, false,
                "in ld (t.ptx:4) reads only a part of the sums that warp 0 lane 0 in mma_b (t.ptx:8) made: nobody has "
                "read lane 0, column 0 of tensor memory");
    expect_good(LOAD_WITH_A_GAP, false, "nobody has read lane 0, column 32 of tensor memory");
    expect_good(NOTHING, true, "a tcgen05.fence::after_thread_sync is missing");
}

// ---- an allocation that has to wait for another warp's columns

static void take_turns(WarpState *w) {
    uint32_t first;
    if (!w->warp) {
        first = tensor_alloc(w, RESULT, 512);
        lab_barrier(w, 1, 64);
        w->ops->yield(w);
        tensor_free(w, first, 512);
    } else {
        lab_barrier(w, 1, 64);
        first = tensor_alloc(w, RESULT + 16, 256);
        const uint32_t second = tensor_alloc(w, RESULT + 32, 128);
        lab_store_as(w, 1, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->a, 4, lab_all(first << 16 | second));
        tensor_free(w, first, 256);
        tensor_free(w, second, 128);
    }
    lab_end(w);
}

Test(warp_tensor_misuse, allocations_wait_and_choose_columns) {
    for (int reverse = 0; reverse < 2; reverse++) {
        WarpLab lab = tensor_lab_open(take_turns, 64, SHARED);
        uint32_t word;
        lab.threads.reverse = reverse;
        cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
        warp_lab_words(&lab, 0, &word, 1);
        cr_assert_eq(word, reverse ? 256u << 16 | 128 : 256, "%x", word);
        warp_lab_close(&lab);
    }
}
