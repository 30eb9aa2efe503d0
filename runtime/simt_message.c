// SPDX-License-Identifier: Apache-2.0
// What the threads of a block did wrong, in words.
#include "runtime/simt.h"

#include <inttypes.h>

// The text of one fault.
typedef struct SimtText {
    const RtDevice *device;
    const RtCheckedLaunch *launch;
    const SimtFault *fault;
    Buffer out;
} SimtText;

static const char *doing_words(SimtDoing doing) {
    switch (doing) {
    case SIMT_RUNS: return "runs";
    case SIMT_BARRIER: return "waits at a barrier";
    case SIMT_WARP_BARRIER: return "waits at a warp barrier";
    case SIMT_UP: return "waits in a shuffle up";
    case SIMT_DOWN: return "waits in a shuffle down";
    case SIMT_BFLY: return "waits in a butterfly shuffle";
    case SIMT_IDX: return "waits in a shuffle";
    case SIMT_MMA: return "waits in an mma";
    case SIMT_LOAD_MATRIX: return "waits in an ldmatrix";
    case SIMT_RETURNED: return "has returned";
    case SIMT_EXITED: return "has exited";
    case SIMT_READS: return "reads";
    case SIMT_WRITES: return "writes";
    case SIMT_UPDATES: return "writes atomically";
    }
    return "";
}

static const KernelPlace *find_place(const SimtText *text, uint32_t place) {
    const KernelInfo *kernel = text->launch->kernel;
    return place && place <= kernel->place_count ? &kernel->places[place - 1] : NULL;
}

// "load_view_tko (k.py:7)"
static void print_op(SimtText *text, uint32_t place) {
    const KernelPlace *found = find_place(text, place);
    if (!found) {
        buffer_print(&text->out, "an op that is not known");
        return;
    }
    buffer_print(&text->out, "%s", found->op);
    if (found->at.file && found->at.line)
        buffer_print(&text->out, " (%s:%u)", found->at.file, found->at.line);
    else if (found->at.has_offset)
        buffer_print(&text->out, " (offset 0x%" PRIx64 ")", found->at.offset);
}

static void print_side(SimtText *text, const SimtSide *side) {
    buffer_print(&text->out, "thread %u %s", side->thread, doing_words(side->doing));
    if (side->doing == SIMT_RETURNED || side->doing == SIMT_EXITED) return;
    buffer_print(&text->out, " in ");
    print_op(text, side->place);
}

static void print_address(SimtText *text) {
    if (text->fault->space)
        buffer_print(&text->out, "byte %" PRId64 " of %s", (int64_t)text->fault->address, text->fault->space);
    else
        rt_print_address(text->device, text->launch, text->fault->address, &text->out);
}

static void print_race(SimtText *text) {
    buffer_print(&text->out, "race: ");
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, " and ");
    print_side(text, &text->fault->sides[1]);
    buffer_print(&text->out, " at ");
    print_address(text);
    buffer_print(&text->out, ", which nothing orders");
}

static void print_outside(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, " at ");
    print_address(text);
}

static void print_alignment(SimtText *text) {
    print_outside(text);
    buffer_print(&text->out, ", an address that is no multiple of %u, as the code takes it to be", text->fault->number);
}

static void print_scratch(SimtText *text) {
    print_outside(text);
    buffer_print(&text->out, ", which is not that of the slot the block has locked");
}

static void print_sides(SimtText *text, const char *what) {
    buffer_print(&text->out, "%s: ", what);
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, ", but ");
    print_side(text, &text->fault->sides[1]);
}

static void print_divergent_barrier(SimtText *text) {
    print_sides(text, "divergent barrier");
}

static void print_divergent_warp(SimtText *text) {
    print_sides(text, "divergent warp operation");
}

static void print_mask(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, ", but is not in its own mask 0x%08" PRIx32, text->fault->number);
}

static void print_lane(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, " that reads from lane %u, which does not take part", text->fault->number);
}

static void print_full_warp(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, ", which takes all 32 lanes; there are only those of 0x%08" PRIx32, text->fault->number);
}

static void print_operands(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, " with operands that GPUs do not have");
}

static void print_row(SimtText *text) {
    print_side(text, &text->fault->sides[0]);
    buffer_print(&text->out, ", whose row at ");
    print_address(text);
    buffer_print(&text->out, " is not 16 aligned bytes of shared memory");
}

static void print_trap(SimtText *text) {
    buffer_print(&text->out, "thread %u traps in ", text->fault->sides[0].thread);
    print_op(text, text->fault->sides[0].place);
}

static void print_memory(SimtText *text) {
    buffer_print(&text->out, "no memory for the stacks of %u threads", text->launch->kernel->threads);
}

// code, message, which side's place is that of the diagnostic
#define SIMT_FAULTS(FAULT)                                                                                             \
    FAULT(NONE, NONE, NULL, 0)                                                                                         \
    FAULT(RACE, RUNTIME, print_race, 1)                                                                                \
    FAULT(BOUNDS, BOUNDS, print_outside, 0)                                                                            \
    FAULT(ALIGNMENT, RUNTIME, print_alignment, 0)                                                                      \
    FAULT(SCRATCH, BOUNDS, print_scratch, 0)                                                                           \
    FAULT(BARRIER, RUNTIME, print_divergent_barrier, 0)                                                                \
    FAULT(WARP, RUNTIME, print_divergent_warp, 0)                                                                      \
    FAULT(MASK, RUNTIME, print_mask, 0)                                                                                \
    FAULT(LANE, RUNTIME, print_lane, 0)                                                                                \
    FAULT(FULL_WARP, RUNTIME, print_full_warp, 0)                                                                      \
    FAULT(OPERANDS, RUNTIME, print_operands, 0)                                                                        \
    FAULT(ROW, BOUNDS, print_row, 0)                                                                                   \
    FAULT(TRAP, RUNTIME, print_trap, 0)                                                                                \
    FAULT(MEMORY, RUNTIME, print_memory, 0)
#define SIMT_FAULT_BIT(kind, ...) | BASE_BIT(SIMT_FAULT_##kind)
_Static_assert((0 SIMT_FAULTS(SIMT_FAULT_BIT)) == BASE_BITS(SIMT_FAULT_KINDS), "a row for each kind");
#define SIMT_FAULT_ROW(kind, code, print, side) [SIMT_FAULT_##kind] = {E_##code, print, side},
static const struct SimtFaultRow {
    ErrorCode code;
    void (*print)(SimtText *);
    uint32_t side;
} simt_fault_rows[] = {SIMT_FAULTS(SIMT_FAULT_ROW)};

bool simt_report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                 const SimtFault *fault) {
    const struct SimtFaultRow *row = &simt_fault_rows[fault->kind];
    SimtText text = {.device = device, .launch = launch, .fault = fault};
    rt_print_block(launch, block, &text.out);
    row->print(&text);
    const KernelPlace *place = find_place(&text, fault->sides[row->side].place);
    diag_fail(diagnostics, place ? place->at : (Location){0}, row->code, "%s", text.out.data);
    buffer_free(&text.out);
    return false;
}
