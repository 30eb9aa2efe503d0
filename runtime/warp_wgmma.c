// SPDX-License-Identifier: Apache-2.0
// wgmma: the four warps of a warpgroup multiply together. The last one that comes carries the product out for all.
//
// Warp w of four has rows 16 w to 16 w + 15 of the sums. Register i of lane l is the element in row l / 4 + 8 (i / 2 %
// 2) and column 8 (i / 4) + 2 (l % 4) + i % 2. While products are computed, the columns of each eight are in the order
// 0 2 4 6 1 3 5 7, so that what four lanes have in a register lies together. Sums of f16 are two to a register:
// register i has columns 8 (i / 2) + 2 (l % 4) and the next one, of row l / 4 + 8 (i % 2).
#include "runtime/warp_tensor.h"

#include <string.h>

enum { GROUP_WARPS = 4, WARP_ROWS = 16, GROUP_ROWS = GROUP_WARPS * WARP_ROWS, ROW_BYTES = 32, ALL_HAVE_COME = 15 };
enum { FOR_A, FOR_B, FOR_SCALE_D, FOR_SCALE_A, FOR_SCALE_B, FOR_TRANSPOSE_A, FOR_TRANSPOSE_B, WGMMA_OPERANDS };

typedef struct Wgmma {
    uint32_t columns, depth, bits_a, bits_b, registers; // registers of the sums
    bool a_in_registers, half_sums;
    bool accumulate, negate_a, negate_b;
    WarpMatrix a, b;
} Wgmma;

static uint64_t value(const WarpCall *call, uint32_t number) {
    return call->operands[number][__builtin_ctz(call->mask)];
}

_Noreturn static void fail_text(const WarpCall *call, const char *text) {
    warp_fail(call->block,
              (WarpFault){.kind = WARP_FAULT_WRONG, .sides = {warp_call_side(call)}, .text = strdup(text)});
}

// ---- what is asked for

static void open_matrix(const WarpCall *call, uint64_t descriptor, uint32_t bits, bool mn_major, WarpMatrix *matrix) {
    WarpProblem problem;
    bool good = warp_matrix_read(descriptor, false, matrix, &problem);
    matrix->bits = bits;
    matrix->mn_major = mn_major;
    const WarpSide side = warp_call_side(call);
    good = good && warp_matrix_check(matrix, &problem);
    if (!good) tensor_fail(call->block, &side, &problem);
}

// 1: as it is, -1: negated.
static bool is_negated(const WarpCall *call, uint32_t number) {
    const int32_t scale = (int32_t)value(call, number);
    if (scale != 1 && scale != -1) fail_text(call, "imm-scale is neither 1 nor -1");
    return scale < 0;
}

static Wgmma open_wgmma(const WarpCall *call) {
    const uint32_t *detail = call->operation->detail;
    Wgmma w = {.columns = detail[0],
               .depth = detail[1],
               .bits_a = detail[2],
               .bits_b = detail[3],
               .registers = detail[4],
               .a_in_registers = detail[5],
               .half_sums = detail[6],
               .accumulate = value(call, FOR_SCALE_D) != 0,
               .negate_a = is_negated(call, FOR_SCALE_A),
               .negate_b = is_negated(call, FOR_SCALE_B)};
    if (!call->operation->product) warp_refuse(call, "a product of these types");
    if (w.columns > TENSOR_ROWS_MAX || w.columns % 8 || w.depth * w.bits_b != 8 * ROW_BYTES)
        warp_refuse(call, "a product of this shape");
    if (!w.a_in_registers) {
        open_matrix(call, value(call, FOR_A), w.bits_a, value(call, FOR_TRANSPOSE_A) != 0, &w.a);
        w.a.rows = GROUP_ROWS;
        w.a.depth = w.depth;
    }
    open_matrix(call, value(call, FOR_B), w.bits_b, value(call, FOR_TRANSPOSE_B) != 0, &w.b);
    w.b.rows = w.columns;
    w.b.depth = w.depth;
    return w;
}

// ---- operands and sums

// Of a warp's A: register i of lane l has 4 bytes of row l / 4 + 8 (i % 2), from byte 4 (l % 4) + 16 (i / 2) on.
static void gather_registers(const uint32_t *registers, uint32_t *rows) {
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t l = 0; l < WARP_LANES; l += 4)
            memcpy(rows + (l / 4 + 8 * (i % 2)) * (ROW_BYTES / 4) + 4 * (i / 2), registers + WARP_LANES * i + l, 16);
}

// Rows of B in the order that the columns of sums have while they are computed.
static void reorder(const uint8_t *from, uint32_t rows, uint8_t *to) {
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t in_eight = row % 4 * 2 + row % 8 / 4;
        memcpy(to + row * ROW_BYTES, from + (row / 8 * 8 + in_eight) * ROW_BYTES, ROW_BYTES);
    }
}

// Moves sums of a warp between registers and rows. Four lanes' words lie together in both.
static inline __attribute__((always_inline)) void move_words(const Wgmma *w, uint32_t *registers, uint32_t *rows,
                                                             bool half_sums, bool to_rows) {
    const uint32_t stride = half_sums ? w->columns / 2 : w->columns; // words
    for (uint32_t i = 0; i < w->registers; i++) {
        const uint32_t lower = half_sums ? i % 2 : i / 2 % 2;
        const uint32_t column = half_sums ? i / 2 * 4 : i / 4 * 8 + i % 2 * 4;
        uint32_t *lanes = registers + WARP_LANES * i, *there = rows + 8 * lower * stride + column;
        for (uint32_t l = 0; l < WARP_LANES; l += 4, there += stride)
            memcpy(to_rows ? there : lanes + l, to_rows ? lanes + l : there, 16);
    }
}

static void move_sums(const Wgmma *w, uint32_t *registers, uint32_t *rows, bool to_rows) {
    if (w->half_sums)
        to_rows ? move_words(w, registers, rows, true, true) : move_words(w, registers, rows, true, false);
    else
        to_rows ? move_words(w, registers, rows, false, true) : move_words(w, registers, rows, false, false);
}

static void multiply_group(const WarpGroupMeeting *meeting, const Wgmma *w) {
    WarpBlock *block = meeting->calls[0]->block;
    WarpEngines *engines = block->engines;
    const uint32_t warp_words = WARP_ROWS * (w->half_sums ? w->columns / 2 : w->columns);
    uint8_t *b = engines->b;
    uint32_t outside;
    if (!w->a_in_registers) warp_matrix_gather(&w->a, block->shared, block->shared_end, engines->a, &outside);
    warp_matrix_gather(&w->b, block->shared, block->shared_end, engines->b, &outside);
    if (!w->half_sums) {
        b = engines->reordered;
        reorder(engines->b, w->columns, b);
    }
    for (uint32_t i = 0; i < GROUP_WARPS; i++) {
        uint32_t *data = meeting->calls[i]->data;
        if (w->a_in_registers)
            gather_registers(data + WARP_LANES * w->registers, (uint32_t *)engines->a + i * WARP_ROWS * ROW_BYTES / 4);
        if (w->accumulate) move_sums(w, data, engines->sums + i * warp_words, true);
    }
    meeting->calls[0]->operation->product(&(WarpProductJob){.rows = GROUP_ROWS,
                                                            .columns = w->columns,
                                                            .depth = w->depth,
                                                            .a = engines->a,
                                                            .b = b,
                                                            .d = engines->sums,
                                                            .d_stride = w->columns,
                                                            .accumulate = w->accumulate,
                                                            .negate_a = w->negate_a,
                                                            .negate_b = w->negate_b});
    for (uint32_t i = 0; i < GROUP_WARPS; i++)
        move_sums(w, meeting->calls[i]->data, engines->sums + i * warp_words, false);
}

// ---- checks

static void check_same(const WarpGroupMeeting *meeting) {
    const WarpCall *first = meeting->calls[0];
    for (uint32_t i = 1; i < GROUP_WARPS; i++) {
        const WarpCall *call = meeting->calls[i];
        WarpFault fault = {.kind = WARP_FAULT_WGMMA_PLACES, .sides = {warp_call_side(call), warp_call_side(first)}};
        if (call->operation->place != first->operation->place) warp_fail(call->block, fault);
        fault.kind = WARP_FAULT_WGMMA_DIFFERS;
        for (uint32_t number = 0; number < WGMMA_OPERANDS; number++) {
            if (number == FOR_A && call->operation->detail[5]) continue;
            if (value(call, number) == value(first, number)) continue;
            fault.numbers[0] = number;
            fault.numbers[1] = (int64_t)value(call, number);
            fault.numbers[2] = (int64_t)value(first, number);
            warp_fail(call->block, fault);
        }
    }
}

// Each warp answers for its rows of A and for a quarter of B.
static void touch_operands(const WarpGroupMeeting *meeting, const Wgmma *w) {
    WarpBlock *block = meeting->calls[0]->block;
    const uint32_t agent = warp_agent(block, WARP_QUEUE_WGMMA, meeting->calls[0]->warp->number / GROUP_WARPS);
    const WarpTicket ticket = warp_issue(block, agent);
    for (uint32_t i = 0; i < GROUP_WARPS; i++) {
        const WarpCall *call = meeting->calls[i];
        const WarpSide side = warp_call_side(call);
        WarpDeed deed = warp_own_deed(call, WARP_DEED_ASYNC);
        deed.ticket = ticket;
        deed.before[0] = (uint16_t)agent;
        const uint32_t eights = w->columns / 8, first = eights * i / GROUP_WARPS * 8,
                       end = eights * (i + 1) / GROUP_WARPS * 8;
        if (!w->a_in_registers) warp_matrix_touch(block, &side, &deed, &w->a, WARP_ROWS * i, WARP_ROWS);
        if (end > first) warp_matrix_touch(block, &side, &deed, &w->b, first, end - first);
        warp_group_add(call->warp, WARP_GROUP_WGMMA, &side, ticket);
    }
}

// ---- meeting

static bool have_met(const Warp *warp, const WarpWait *wait) {
    (void)warp;
    const WarpGroupMeeting *meeting = wait->object;
    return meeting->products != wait->number;
}

static void describe_meeting(const Warp *warp, const WarpWait *wait, Buffer *out) {
    const WarpGroupMeeting *meeting = wait->object;
    uint32_t missing = 0;
    while (meeting->come >> missing & 1) missing++;
    buffer_print(out, "for the other warps of its warpgroup: warp %u has not come",
                 warp->number / GROUP_WARPS * GROUP_WARPS + missing);
}

static void check_warps(const WarpCall *call) {
    const uint32_t first = call->warp->number / GROUP_WARPS * GROUP_WARPS;
    for (uint32_t i = first; i < first + GROUP_WARPS; i++)
        if (i >= call->block->warp_count || call->block->warps[i].ended)
            warp_fail(call->block,
                      (WarpFault){.kind = WARP_FAULT_WGMMA_WARPS, .sides = {warp_call_side(call)}, .numbers = {i}});
}

uint32_t warp_operate_WGMMA(const WarpCall *call) {
    WarpEngines *engines = call->block->engines;
    WarpGroupMeeting *meeting = &engines->meetings[call->warp->number / GROUP_WARPS];
    for (uint32_t number = 0; number < WGMMA_OPERANDS; number++)
        if (number != FOR_A || !call->operation->detail[5]) warp_uniform(call, number);
    warp_order_lanes(call->warp, call->mask);
    if (!engines->product_fence[call->warp->number])
        warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_WGMMA_FENCE, .sides = {warp_call_side(call)}});
    check_warps(call);
    meeting->calls[call->warp->number % GROUP_WARPS] = call;
    meeting->come |= 1u << call->warp->number % GROUP_WARPS;
    if (meeting->come != ALL_HAVE_COME) {
        const WarpWait wait = {.ready = have_met,
                               .describe = describe_meeting,
                               .object = meeting,
                               .number = meeting->products,
                               .lanes = call->mask};
        warp_wait(call->warp, &wait);
        return call->mask;
    }
    check_same(meeting);
    const Wgmma w = open_wgmma(call);
    touch_operands(meeting, &w);
    multiply_group(meeting, &w);
    meeting->come = 0;
    meeting->products++;
    warp_progress(call->block);
    return call->mask;
}

uint32_t warp_operate_WGMMA_FENCE(const WarpCall *call) {
    call->block->engines->product_fence[call->warp->number] = true;
    return call->mask;
}
