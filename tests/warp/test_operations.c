// SPDX-License-Identifier: Apache-2.0
// What instructions pass on to those who run warps: details, operands, lists of registers; what becomes of results; and
// barriers, at which lanes wait.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static LabRun run;
static LabWords in, out;

static void open_lab(Lab *lab, const char *text, CompileNumeric numeric) {
    const bool opened = lab_open(lab, text, numeric);
    cr_assert(opened, "%s", lab_problem(lab));
}

// ---- rows

typedef enum PassedResult { NOTHING, WORD, LANES } PassedResult;
typedef struct PassedRow {
    const char *text;
    WarpKind kind;
    uint32_t details[WARP_DETAILS];
    uint64_t operands[LAB_OPERANDS];
    PassedResult result;
} PassedRow;
// clang-format off
static const PassedRow rows[] = {
#define D(...) {__VA_ARGS__}
#define O(...) {__VA_ARGS__}
#define PASSES(text, kind, details, operands, result) {text, WARP_##kind, details, operands, result},
#include "operations.def"
};
// clang-format on

#define REGISTERS                                                                                                      \
    "shl.b32 %r1, %lane, 4; add.u32 %r1, %r1, 1040; mov.u32 %r2, %lane; mov.u32 %r3, 7; mov.u32 %r4, 2000;\n"          \
    "cvt.u64.u32 %l1, %r1; cvta.shared.u64 %l1, %l1; cvt.u64.u32 %l2, %lane; add.u64 %l2, %l2, 0x5000;\n"              \
    "mov.u64 %l3, 0x123456789a; and.b32 %r5, %lane, 1; setp.eq.u32 %p1, %r5, 1; setp.eq.u32 %p2, 0, 0;\n"              \
    "mov.u16 %h1, 9; mov.u32 %r9, 5; mov.u64 %l9, 6; setp.eq.u32 %p9, 0, 0;\n"
#define RESULTS                                                                                                        \
    "st.global.b64 [%out], 0; st.global.b32 [%out], %r9; st.global.b64 [%out+8], %l9; selp.b64 %l5, 1, 0, %p9;\n"      \
    "st.global.b64 [%out+16], %l5;"

static uint32_t answer(LabRun *r, uint32_t mask, const WarpOperation *operation, WarpLanes *operands, void *data) {
    const PassedRow *row = r->owner;
    (void)data, (void)operation;
    for (uint32_t l = 0; row->result == WORD && l < WARP_LANES; l++) operands[0][l] = 1000 + l;
    return row->result == LANES ? mask & 0xaaaaaaaa : mask;
}

static void check_row(const Lab *lab, const PassedRow *row, const char *kernel, bool guarded) {
    run.operate = answer;
    run.owner = (void *)(uintptr_t)row;
    cr_assert(lab_run_words(lab, kernel, &run, in, out), "%s", row->text);
    cr_assert_eq(run.call_count, 1, "%s: %u calls", row->text, run.call_count);
    const LabCall *call = &run.calls[0];
    const uint32_t mask = guarded ? 0xffff0 : UINT32_MAX;
    const uint32_t lane = guarded ? 5 : 3;
    cr_assert_eq(call->mask, mask, "%s", row->text);
    cr_assert_eq(call->operation.kind, row->kind, "%s: operation %u", row->text, call->operation.kind);
    for (int i = 0; i < WARP_DETAILS; i++)
        cr_assert_eq(call->operation.detail[i], row->details[i], "%s: detail %d is %u, not %u", row->text, i,
                     call->operation.detail[i], row->details[i]);
    for (int i = 0; !guarded && i < call->operation.operand_count && i < LAB_OPERANDS; i++)
        cr_assert_eq(call->operands[i][3], row->operands[i], "%s: operand %d is 0x%llx, not 0x%llx", row->text, i,
                     (unsigned long long)call->operands[i][3], (unsigned long long)row->operands[i]);
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const bool active = mask >> l & 1;
        const uint64_t word = row->result == WORD && active ? 1000 + l : 0;
        const bool narrow = strstr(row->text, "%r9"), wide = strstr(row->text, "%l9");
        cr_assert_eq(out[l][0], narrow && word ? word : 5, "%s, lane %u", row->text, l);
        cr_assert_eq(out[l][1], wide && word ? word : 6, "%s, lane %u", row->text, l);
        cr_assert_eq(out[l][2], row->result == LANES && active ? l % 2 : 1, "%s, lane %u", row->text, l);
    }
    (void)lane;
}

static bool is_aligned(const PassedRow *row) {
    return strstr(row->text, "aligned");
}

// Each alone, and, unless it is aligned, with a guard that holds for lanes 4 to 19.
Test(operations, what_is_passed_on) {
    Buffer text = {0};
    Lab lab;
    buffer_print(&text, "%s", LAB_HEADER);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char form[] = LAB_KERNEL("NAME", REGISTERS "TEXT\n" RESULTS);
        for (int guarded = 0; guarded < (is_aligned(&rows[i]) ? 1 : 2); guarded++) {
            const char *name = strstr(form, "NAME"), *here = strstr(form, "TEXT");
            buffer_append(&text, form, (size_t)(name - form));
            buffer_print(&text, "k%zu_%d", i, guarded);
            buffer_append(&text, name + 4, (size_t)(here - name - 4));
            if (guarded)
                buffer_print(&text, "%s", "setp.ge.u32 %p7, %lane, 4; setp.lt.and.u32 %p7, %lane, 20, %p7; @%p7 ");
            buffer_print(&text, "%s%s", rows[i].text, here + 4);
        }
    }
    buffer_append(&text, "", 1);
    open_lab(&lab, (const char *)text.data, COMPILE_IEEE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int guarded = 0; guarded < (is_aligned(&rows[i]) ? 1 : 2); guarded++) {
            char kernel[32];
            snprintf(kernel, sizeof kernel, "k%zu_%d", i, guarded);
            check_row(&lab, &rows[i], kernel, guarded);
        }
    lab_close(&lab);
    buffer_free(&text);
}

// ---- lists of registers

static uint32_t move_data(LabRun *r, uint32_t mask, const WarpOperation *operation, WarpLanes *operands, void *data) {
    uint32_t *words = data;
    const uint32_t count = *(const uint32_t *)r->owner;
    (void)operation, (void)operands;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            uint32_t *word = &words[WARP_LANES * i + l];
            if (operation->kind == WARP_MATRIX_LOAD || operation->kind == WARP_TENSOR_LOAD)
                *word = 100 * i + l;
            else
                cr_assert_eq(*word, 10 * i + l, "register %u, lane %u: %u", i, l, *word);
        }
    return mask;
}

#define SOURCES "add.u32 %r10, %lane, 0; add.u32 %r11, %lane, 10; add.u32 %r12, %lane, 20; add.u32 %r13, %lane, 30;\n"
#define FOUR    "st.global.v4.b32 [%out], {%r10, %r11, %r12, %r13};"
static const char lists[] = LAB_HEADER LAB_KERNEL(
    "load4", REGISTERS "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r10, %r11, %r12, %r13}, [%r1];" FOUR)
    LAB_KERNEL("load1", REGISTERS SOURCES "ldmatrix.sync.aligned.m8n8.x1.b16 {%r11}, [%l1];" FOUR) LAB_KERNEL(
        "store2", REGISTERS SOURCES "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r10, %r11};" FOUR)
        LAB_KERNEL("tensor_load",
                   REGISTERS "tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r10, %r11, %r12, %r13}, [%r4];" FOUR)
            LAB_KERNEL("tensor_load2", REGISTERS SOURCES
                       "tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32 {%r10, %r13}, [%r4], 16;" FOUR)
                LAB_KERNEL("tensor_store", REGISTERS SOURCES
                           "tcgen05.st.sync.aligned.16x64b.x4.unpack::16b.b32 [%r4], {%r10, %r11, %r12, %r13};" FOUR)
                    LAB_KERNEL("guarded", REGISTERS SOURCES
                               "setp.eq.u32 %p3, %r3, 8; setp.eq.u32 %p4, %r3, 7;\n"
                               "@%p3 tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r10, %r11}, [%r4];\n"
                               "@%p4 tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r12, %r13}, [%r4];" FOUR);

Test(operations, lists_of_registers) {
    static const struct {
        const char *kernel;
        WarpKind kind;
        uint32_t details[WARP_DETAILS], count, words[4];
        uint64_t operands[2]; // of lane 3
    } list_rows[] = {
        {"load4", WARP_MATRIX_LOAD, {4, 1}, 4, {0, 100, 200, 300}, {1088}},
        {"load1", WARP_MATRIX_LOAD, {1}, 1, {0, 0, 20, 30}, {1088}},
        {"store2", WARP_MATRIX_STORE, {2}, 2, {0, 10, 20, 30}, {1088}},
        {"tensor_load", WARP_TENSOR_LOAD, {WARP_16X256B, 1, 0, 0, 0, 4}, 4, {0, 100, 200, 300}, {2000, 0}},
        {"tensor_load2", WARP_TENSOR_LOAD, {WARP_16X32BX2, 2, 1, 0, 0, 2}, 2, {0, 10, 20, 100}, {2000, 16}},
        {"tensor_store", WARP_TENSOR_STORE, {WARP_16X64B, 4, 1, 0, 0, 4}, 4, {0, 10, 20, 30}, {2000, 0}},
        {"guarded", WARP_TENSOR_LOAD, {WARP_32X32B, 2, 0, 0, 0, 2}, 2, {0, 10, 0, 100}, {2000, 0}},
    };
    Lab lab;
    open_lab(&lab, lists, COMPILE_IEEE);
    for (size_t i = 0; i < sizeof list_rows / sizeof *list_rows; i++) {
        uint32_t words[4], count = list_rows[i].count;
        run.operate = move_data;
        run.owner = &count;
        cr_assert(lab_run_words(&lab, list_rows[i].kernel, &run, in, out), "%s", list_rows[i].kernel);
        cr_assert_eq(run.call_count, 1);
        cr_assert_eq(run.calls[0].operation.kind, list_rows[i].kind);
        cr_assert_arr_eq(run.calls[0].operation.detail, list_rows[i].details, sizeof list_rows[i].details, "%s",
                         list_rows[i].kernel);
        cr_assert_eq(run.calls[0].operands[0][3], list_rows[i].operands[0]);
        if (list_rows[i].kind >= WARP_TENSOR_LOAD) cr_assert_eq(run.calls[0].operands[1][3], list_rows[i].operands[1]);
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            memcpy(words, out[l], sizeof words);
            for (int k = 0; k < 4; k++)
                cr_assert_eq(words[k], list_rows[i].words[k] + l, "%s, lane %u, register %d: %u", list_rows[i].kernel,
                             l, k, words[k]);
        }
    }
    lab_close(&lab);
}

// ld.red gets a function for its reduction.
static uint32_t reduce_two(LabRun *r, uint32_t mask, const WarpOperation *operation, WarpLanes *operands, void *data) {
    const float a = -3, b = 2;
    float c;
    (void)r, (void)operands, (void)data;
    operation->combine(&a, &b, NULL, &c);
    memcpy((float *)data + 2 * WARP_LANES, &c, sizeof c);
    return mask;
}

Test(operations, reductions_of_tensor_memory) {
    static const char text[] = ".version 9.2\n.target sm_103a\n.address_size 64\n" LAB_KERNEL(
        "least", "mov.u32 %r4, 0; tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {%r1, %r2}, {%r3}, [%r4];\n"
                 "st.global.b32 [%out], %r3;")
        LAB_KERNEL("most_abs",
                   "mov.u32 %r4, 0; tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.f32 {%r1, %r2}, {%r3}, [%r4];\n"
                   "st.global.b32 [%out], %r3;");
    Lab lab;
    float x;
    open_lab(&lab, text, COMPILE_IEEE);
    run.operate = reduce_two;
    cr_assert(lab_run_words(&lab, "least", &run, in, out));
    memcpy(&x, out[0], sizeof x);
    cr_assert_eq(x, -3);
    cr_assert_eq(run.calls[0].operation.detail[3], 1);
    cr_assert(lab_run_words(&lab, "most_abs", &run, in, out));
    memcpy(&x, out[0], sizeof x);
    cr_assert_eq(x, 3);
    lab_close(&lab);
}

// ---- wgmma

static uint32_t add_thousand(LabRun *r, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                             void *data) {
    float *sums = data;
    (void)r, (void)operands;
    if (operation->kind != WARP_WGMMA) return mask;
    cr_assert_not_null(operation->product);
    for (uint32_t i = 0; i < operation->detail[4] * WARP_LANES; i++) sums[i] += 1000;
    return mask;
}

#define WGMMA_START "mov.b32 %r0, 0f3f800000; add.f32 %r1, %r0, %r0; add.f32 %r2, %r1, %r0; add.f32 %r3, %r2, %r0;\n"
#define WGMMA_END   "wgmma.wait_group.sync.aligned 0; st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};"
static const char wgmmas[] = ".version 8.0\n.target sm_90a\n.address_size 64\n" LAB_KERNEL(
    "descriptors",
    WGMMA_START "mov.u64 %l0, 0x111; mov.u64 %l1, 0x222; setp.eq.u32 %p0, 0, 0;\n"
                "wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, %l0, %l1, %p0, 1, -1, 0, 1;\n"
                "wgmma.commit_group.sync.aligned;\n" WGMMA_END)
    LAB_KERNEL("registers", WGMMA_START
               "mov.u64 %l1, 0x222; setp.ne.u32 %p0, 0, 0; mov.u32 %r4, 4; mov.u32 %r5, 5;\n"
               "mov.u32 %r6, 6; mov.u32 %r7, 7; wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, %l1, "
               "%p0, 1, 1, 1;\nwgmma.commit_group.sync.aligned;\n" WGMMA_END);

Test(operations, wgmma) {
    Lab lab;
    open_lab(&lab, wgmmas, COMPILE_IEEE);
    run.operate = add_thousand;
    for (int i = 0; i < 2; i++) {
        cr_assert(lab_run_words(&lab, i ? "registers" : "descriptors", &run, in, out));
        cr_assert_eq(run.call_count, 4);
        const LabCall *call = &run.calls[1];
        const uint32_t details[7] = {8, 16, 16, 16, 4, (uint32_t)i, 0};
        cr_assert_eq(call->operation.kind, WARP_WGMMA);
        cr_assert_arr_eq(call->operation.detail, details, sizeof details);
        const uint64_t operands[2][7] = {{0x111, 0x222, 1, 1, UINT32_MAX, 0, 1}, {0, 0x222, 0, 1, 1, 0, 1}};
        for (int k = 0; k < 7; k++) cr_assert_eq(call->operands[k][9], operands[i][k], "operand %d", k);
        float sums[4];
        memcpy(sums, out[7], sizeof sums);
        for (int k = 0; k < 4; k++) cr_assert_eq(sums[k], 1001 + k);
    }
    lab_close(&lab);
}

// ---- answers of launch control

Test(operations, launch_control) {
    static const char text[] = LAB_HEADER LAB_KERNEL(
        "answer", "ld.global.v2.b64 {%l0, %l1}, [%in]; mov.b128 %q0, {%l0, %l1};\n"
                  "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %q0; selp.b32 %r9, 1, 0, %p0;\n"
                  "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r0, %r1, %r2, _}, %q0;\n"
                  "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r3, %q0;\n"
                  "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3}; st.global.b32 [%out+16], %r9;");
    Lab lab;
    open_lab(&lab, text, COMPILE_IEEE);
    run.operate = NULL;
    for (uint32_t l = 0; l < WARP_LANES; l++) memcpy(in[l], ((uint32_t[]){l % 2, 5, 6, 7}), 16);
    cr_assert(lab_run_words(&lab, "answer", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++)
        cr_assert_arr_eq(out[l], ((uint32_t[]){5, 6, 7, 6, l % 2}), 5 * sizeof(uint32_t));
    lab_close(&lab);
}

// ---- barriers

// Tokens are 40 + lane. Lanes that wait come back after as many calls as bits 0 and 1 of their number say.
typedef struct BarrierBox {
    uint32_t arrivals[WARP_LANES], tries[WARP_LANES];
} BarrierBox;

static uint32_t meet(LabRun *r, uint32_t mask, const WarpOperation *operation, WarpLanes *operands, void *data) {
    BarrierBox *box = r->owner;
    uint32_t done = 0;
    (void)data;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        if (!(mask >> l & 1)) continue;
        if (operation->kind == WARP_BARRIER_ARRIVE) {
            box->arrivals[l]++;
            operands[0][l] = 40 + l;
        } else if (operation->kind == WARP_BARRIER_WAIT) {
            cr_assert_eq(operands[1][l], 40 + l);
            if (mask != UINT32_MAX && box->tries[l]++ < l % 4) continue;
            operands[0][l] = 7 + l % 2;
            done |= UINT32_C(1) << l;
        }
    }
    return operation->kind == WARP_BARRIER_WAIT ? done : mask;
}

static const char barriers[] = LAB_HEADER LAB_KERNEL("sync", "bar.sync 3, 64; st.global.b32 [%out], %lane;")
    LAB_KERNEL("arrive", "bar.arrive 4, 64; st.global.b32 [%out], %lane;") LAB_KERNEL(
        "count", "setp.lt.u32 %p0, %lane, 5; bar.red.popc.u32 %r0, 1, 32, %p0; st.global.b32 [%out], %r0;")
        LAB_KERNEL("vote",
                   "setp.lt.u32 %p0, %lane, 5; barrier.red.or.aligned.pred %p1, 1, !%p0; selp.b32 %r0, 1, 2, %p1;\n"
                   "st.global.b32 [%out], %r0;")
            LAB_KERNEL("apart", "setp.lt.u32 %p0, %lane, 10; mov.u32 %r1, 2; @%p0 bra low;\n"
                                "barrier.sync %r1; add.u32 %r0, %lane, 500; bra end;\n"
                                "low: barrier.sync %r1; add.u32 %r0, %lane, 900; end: st.global.b32 [%out], %r0;")
                LAB_KERNEL("apart_red",
                           "setp.lt.u32 %p0, %lane, 10; mov.u32 %r0, 3; @%p0 barrier.red.popc.u32 %r0, 2, 32, %p0;\n"
                           "st.global.b32 [%out], %r0;")
                    LAB_KERNEL("torn", "setp.lt.u32 %p0, %lane, 10; @%p0 bar.sync 1;") LAB_KERNEL(
                        "gone",
                        "setp.lt.u32 %p0, %lane, 10; @%p0 bra end; bar.sync 1; bra more; end: add.u32 %r0, %r0, 1;\n"
                        "back: setp.eq.u32 %p1, %r0, %r0; @%p1 bra back; more:");

Test(operations, barriers_of_whole_warps) {
    static BarrierBox box;
    Lab lab;
    open_lab(&lab, barriers, COMPILE_IEEE);
    run.operate = meet;
    run.owner = &box;
    cr_assert(lab_run_words(&lab, "sync", &run, in, out));
    cr_assert_eq(run.call_count, 2);
    cr_assert_eq(run.calls[0].operation.kind, WARP_BARRIER_ARRIVE);
    cr_assert_arr_eq(run.calls[0].operation.detail, ((uint32_t[]){1, 1}), 8);
    cr_assert_eq(run.calls[0].operands[0][9], 3);
    cr_assert_eq(run.calls[0].operands[1][9], 64);
    cr_assert_eq(run.calls[1].operation.kind, WARP_BARRIER_WAIT);
    cr_assert(lab_run_words(&lab, "arrive", &run, in, out));
    cr_assert_eq(run.call_count, 1);
    cr_assert_arr_eq(run.calls[0].operation.detail, ((uint32_t[]){1, 0}), 8);
    cr_assert(lab_run_words(&lab, "count", &run, in, out));
    cr_assert_eq(run.calls[0].operands[2][4], 1);
    cr_assert_eq(run.calls[0].operands[2][5], 0);
    cr_assert_eq(run.calls[1].operation.detail[1], 1);
    for (uint32_t l = 0; l < WARP_LANES; l++) cr_assert_eq((uint32_t)out[l][0], 7 + l % 2);
    cr_assert(lab_run_words(&lab, "vote", &run, in, out));
    cr_assert_eq(run.calls[0].operands[2][4], 0);
    cr_assert_eq(run.calls[1].operation.detail[1], 3);
    cr_assert_eq((uint32_t)out[6][0], 1);
    lab_close(&lab);
}

Test(operations, barriers_of_single_lanes) {
    static BarrierBox box;
    Lab lab;
    open_lab(&lab, barriers, COMPILE_IEEE);
    run.operate = meet;
    run.owner = &box;
    cr_assert(lab_run_words(&lab, "apart", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        cr_assert_eq((uint32_t)out[l][0], l + (l < 10 ? 900 : 500));
        cr_assert_eq(box.arrivals[l], 1, "lane %u arrives %u times", l, box.arrivals[l]);
    }
    cr_assert_geq(run.yields, 3);
    box = (BarrierBox){0};
    cr_assert(lab_run_words(&lab, "apart_red", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) cr_assert_eq((uint32_t)out[l][0], l < 10 ? 7 + l % 2 : 3);
    lab_close(&lab);
}

Test(operations, barriers_that_some_lanes_miss) {
    static BarrierBox box;
    Lab lab;
    open_lab(&lab, barriers, COMPILE_IEEE);
    run.operate = meet;
    run.owner = &box;
    cr_assert(!lab_run_words(&lab, "torn", &run, in, out));
    cr_assert_eq(run.end, LAB_TRAP);
    cr_assert_eq(run.trap, WARP_TRAP_LANES);
    cr_assert(!lab_run_words(&lab, "gone", &run, in, out));
    cr_assert_eq(run.end, LAB_ENDLESS);
    lab_close(&lab);
}

// ---- what is refused

Test(operations, refused_by_name) {
    static const struct {
        const char *text, *message;
    } refused[] = {
        {"multimem.st.relaxed.sys.global.u32 [%l0], %r0;", "multimem"},
        {"tcgen05.mma.cta_group::1.kind::f16.ashift [%r0], [%r0], %l0, %r0, %p0;", "ashift"},
        {"tcgen05.mma.sp.cta_group::1.kind::f16 [%r0], %l0, %l0, [%r0], %r0, %p0;", "sparse"},
        {"stacksave.u64 %l0;", "stack"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Lab lab;
        Buffer text = {0};
        static const char form[] = LAB_KERNEL("k", "TEXT");
        const char *here = strstr(form, "TEXT");
        buffer_print(&text, "%s%.*s%s%s", LAB_HEADER, (int)(here - form), form, refused[i].text, here + 4);
        buffer_append(&text, "", 1);
        cr_assert(!lab_open(&lab, (const char *)text.data, COMPILE_IEEE), "%s", refused[i].text);
        cr_assert_eq(lab.diagnostics.items[0].code, E_UNSUPPORTED, "%s", lab_problem(&lab));
        cr_assert(strstr(lab_problem(&lab), refused[i].message), "%s", lab_problem(&lab));
        lab_close(&lab);
        buffer_free(&text);
    }
}
