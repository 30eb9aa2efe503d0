// SPDX-License-Identifier: Apache-2.0
// What is known of tensor memory: which columns are allocated, who wrote and who reads them, and which cells hold sums
// in register form.
#include "runtime/warp_tensor.h"

TensorRegion tensor_lanes(uint32_t lane, uint32_t lanes, uint32_t column, uint32_t columns) {
    TensorRegion region = {.column = column, .columns = columns};
    for (uint32_t strip = lane / TENSOR_STRIP_LANES; strip * TENSOR_STRIP_LANES < lane + lanes; strip++)
        if (strip < TENSOR_STRIPS) region.lanes[strip] = UINT16_MAX;
    return region;
}

bool tensor_overlap(const TensorRegion *a, const TensorRegion *b, uint32_t *address) {
    const uint32_t first = a->column > b->column ? a->column : b->column;
    const uint32_t end_a = a->column + a->columns, end_b = b->column + b->columns;
    if (first >= end_a || first >= end_b) return false;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++)
        if (a->lanes[strip] & b->lanes[strip]) {
            const uint32_t both = a->lanes[strip] & b->lanes[strip];
            *address = (strip * TENSOR_STRIP_LANES + (uint32_t)__builtin_ctz(both)) << 16 | first;
            return true;
        }
    return false;
}

// ---- allocations

static const TensorAllocation *allocation_of(const TensorMemory *memory, uint32_t column) {
    const uint32_t number = memory->allocation[column];
    return number ? &memory->allocations[(number - 1) % TENSOR_ALLOCATIONS] : NULL;
}

static uint32_t first_lane(const TensorRegion *region) {
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++)
        if (region->lanes[strip]) return strip * TENSOR_STRIP_LANES + (uint32_t)__builtin_ctz(region->lanes[strip]);
    return 0;
}

void tensor_check_allocated(WarpBlock *block, const WarpSide *side, const TensorRegion *region) {
    const TensorMemory *memory = tensor_memory(block, side);
    WarpFault fault = {.kind = WARP_FAULT_TENSOR_OUTSIDE,
                       .space = WARP_TENSOR_SPACE,
                       .sides = {*side},
                       .address = first_lane(region) << 16 | region->column,
                       .numbers = {region->columns}};
    const TensorAllocation *allocation = region->column < TENSOR_COLUMNS ? allocation_of(memory, region->column) : NULL;
    if (!allocation) warp_fail(block, fault);
    fault.sides[1] = allocation->maker;
    if (!allocation->live) {
        fault.kind = WARP_FAULT_TENSOR_FREED;
        fault.sides[1] = allocation->freer;
        warp_fail(block, fault);
    }
    if (region->column + region->columns <= allocation->column + allocation->columns) return;
    fault.kind = WARP_FAULT_TENSOR_ACROSS;
    warp_fail(block, fault);
}

// ---- order

uint32_t tensor_begin(WarpBlock *block, const TensorDeed *deed, WarpQueue queue) {
    TensorMemory *memory = tensor_memory(block, &deed->side);
    const uint32_t number = ++memory->deed_count;
    TensorDeed *kept = &memory->deeds[number % TENSOR_DEEDS];
    *kept = *deed;
    kept->ticket = warp_issue(block, warp_agent(block, queue, deed->warp));
    return number;
}

static const TensorDeed *find_deed(const TensorMemory *memory, uint32_t number) {
    if (!number || number + TENSOR_DEEDS <= memory->deed_count) return NULL; // none, or too long ago to be remembered
    return &memory->deeds[number % TENSOR_DEEDS];
}

// Warns where both a fence of the other warp and one of this warp, or one of the two, is missing.
static void check_fences(WarpBlock *block, const TensorUse *use, uint32_t number, uint32_t address) {
    const TensorMemory *memory = block->engines->tensor;
    const TensorDeed *deed = find_deed(memory, number), *mine = find_deed(memory, use->number);
    if (deed->warp == use->warp->number || !mine) return;
    // A commit is a fence, too.
    const bool before = deed->kind != TENSOR_IS_LOAD && deed->kind != TENSOR_IS_STORE
                            ? true
                            : memory->fenced_before[deed->warp] >= number;
    if (before && memory->fenced_after[use->warp->number] >= number) return;
    warp_warn(block, (WarpFault){.kind = before ? WARP_FAULT_TENSOR_FENCE_AFTER : WARP_FAULT_TENSOR_FENCE_BEFORE,
                                 .space = WARP_TENSOR_SPACE,
                                 .sides = {mine->side, deed->side},
                                 .address = address});
}

// Checks one deed that the operation has to come after.
static void check_deed(WarpBlock *block, const TensorUse *use, uint32_t number, uint32_t address) {
    const TensorMemory *memory = block->engines->tensor;
    const TensorDeed *deed = find_deed(memory, number);
    if (!deed || number == use->number) return;
    if (deed->ticket.agent == use->agent && use->kinds >> deed->kind & 1) return;
    if (warp_knows(use->warp, use->lanes, deed->ticket)) {
        if (block->launch->threads->check_fences) check_fences(block, use, number, address);
        return;
    }
    const TensorDeed *mine = find_deed(memory, use->number);
    warp_fail(block, (WarpFault){.kind = WARP_FAULT_EARLY,
                                 .space = WARP_TENSOR_SPACE,
                                 .sides = {mine ? mine->side : (WarpSide){0}, deed->side},
                                 .address = address});
}

// Checks the deeds that a row of strips names: mostly all are the same.
static void check_deeds(WarpBlock *block, const TensorUse *use, const uint32_t *deeds, uint32_t count,
                        uint32_t address) {
    uint32_t differ = 0;
    for (uint32_t i = 1; i < count; i++) differ |= deeds[i] ^ deeds[0];
    check_deed(block, use, deeds[0], address);
    if (!differ) return;
    for (uint32_t i = 1; i < count; i++)
        if (deeds[i] != deeds[i - 1]) check_deed(block, use, deeds[i], address + i);
}

static uint32_t strip_address(const TensorRegion *region, uint32_t strip) {
    const uint32_t lane = strip * TENSOR_STRIP_LANES + (uint32_t)__builtin_ctz(region->lanes[strip]);
    return lane << 16 | region->column;
}

_Noreturn static void fail_unwritten(WarpBlock *block, const TensorUse *use, uint32_t address) {
    const TensorDeed *mine = find_deed(block->engines->tensor, use->number);
    tensor_fail_at(block, WARP_FAULT_TENSOR_UNWRITTEN, &mine->side, address);
}

static void check_written(WarpBlock *block, const TensorUse *use, const TensorRegion *region, TensorNeed need) {
    const TensorMemory *memory = block->engines->tensor;
    uint16_t written[TENSOR_COLUMNS] = {0};
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        const uint16_t lanes = region->lanes[strip];
        if (!lanes) continue;
        const uint16_t *unwritten = &memory->unwritten[strip][region->column];
        for (uint32_t i = 0; i < region->columns; i++) written[i] |= (uint16_t)(lanes & ~unwritten[i]);
        if (need != TENSOR_NEEDS_STRIPS) continue;
        for (uint32_t i = 0; i < region->columns; i++)
            if (!(lanes & ~unwritten[i])) fail_unwritten(block, use, strip_address(region, strip) + i);
    }
    for (uint32_t i = 0; i < region->columns; i++)
        if (!written[i]) fail_unwritten(block, use, (first_lane(region) << 16 | region->column) + i);
}

void tensor_read(WarpBlock *block, const TensorUse *use, const TensorRegion *region, TensorNeed need) {
    TensorMemory *memory = block->engines->tensor;
    const TensorDeed *mine = find_deed(memory, use->number);
    if (need) check_written(block, use, region, need);
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        if (!region->lanes[strip]) continue;
        const uint32_t c = region->column;
        check_deeds(block, use, &memory->writer[strip][c], region->columns, strip_address(region, strip));
        uint32_t *reader = mine->kind == TENSOR_IS_LOAD ? &memory->loader[strip][c] : &memory->reader[strip][c];
        for (uint32_t i = 0; i < region->columns; i++) reader[i] = use->number;
    }
}

// Whether the sums of a product that nobody has read lie before others that a load has read; then the load's number.
static uint32_t find_load_behind(const TensorMemory *memory, uint32_t strip, uint32_t column) {
    const uint32_t writer = memory->writer[strip][column];
    const TensorDeed *deed = find_deed(memory, writer);
    if (!deed || deed->kind != TENSOR_IS_PRODUCT) return 0;
    for (uint32_t c = column + 1; c < deed->column + deed->columns && c < TENSOR_COLUMNS; c++)
        if (memory->writer[strip][c] == writer && memory->loader[strip][c]) return memory->loader[strip][c];
    return 0;
}

// Warns of sums that are about to be lost and that loads have left out.
static void check_left_out(WarpBlock *block, const TensorUse *use, const TensorRegion *region) {
    const TensorMemory *memory = block->engines->tensor;
    const uint32_t end = region->column + region->columns;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        const uint32_t *writer = memory->writer[strip], *reader = memory->reader[strip],
                       *loader = memory->loader[strip];
        uint32_t c = region->column;
        if (!region->lanes[strip] || reader[c] == use->number) continue; // sums that are added to
        while (c < end && (loader[c] || reader[c] || !writer[c])) c++;
        const TensorDeed *load = c < end ? find_deed(memory, find_load_behind(memory, strip, c)) : NULL;
        if (!load) continue;
        warp_warn(block, (WarpFault){.kind = WARP_FAULT_TENSOR_LEFT_OUT,
                                     .space = WARP_TENSOR_SPACE,
                                     .sides = {load->side, find_deed(memory, writer[c])->side},
                                     .address = (strip * TENSOR_STRIP_LANES) << 16 | c});
        return;
    }
}

void tensor_end(WarpBlock *block, const TensorUse *use, const TensorRegion *region) {
    const TensorMemory *memory = block->engines->tensor;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        if (!region->lanes[strip]) continue;
        const uint32_t address = strip_address(region, strip), c = region->column;
        check_deeds(block, use, &memory->writer[strip][c], region->columns, address);
        check_deeds(block, use, &memory->loader[strip][c], region->columns, address);
        check_deeds(block, use, &memory->reader[strip][c], region->columns, address);
    }
    check_left_out(block, use, region);
}

void tensor_write(WarpBlock *block, const TensorUse *use, const TensorRegion *region) {
    TensorMemory *memory = block->engines->tensor;
    tensor_end(block, use, region);
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++) {
        if (!region->lanes[strip]) continue;
        const uint16_t others = (uint16_t)~region->lanes[strip];
        for (uint32_t i = 0; i < region->columns; i++) {
            const uint32_t c = region->column + i;
            memory->writer[strip][c] = use->number;
            memory->loader[strip][c] = memory->reader[strip][c] = 0;
            memory->unwritten[strip][c] &= others;
        }
    }
}

// ---- register form

// Changes the columns of a strip whose form is `from`.
static void change_strip(TensorMemory *memory, uint32_t strip, const TensorRegion *region, uint8_t from,
                         WarpConvert *convert) {
    uint8_t *form = memory->form[strip];
    const uint32_t end = region->column + region->columns;
    for (uint32_t c = region->column; c < end; c++) {
        const uint32_t first = c;
        while (c < end && form[c] == from) form[c++] ^= UINT8_MAX;
        if (c == first) continue;
        for (uint32_t lane = 0; lane < TENSOR_STRIP_LANES; lane++)
            convert(&memory->cells[strip * TENSOR_STRIP_LANES + lane][first], c - first);
    }
}

static void change_form(WarpBlock *block, const TensorRegion *region, uint8_t from, WarpConvert *convert) {
    if (!convert) return;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++)
        if (region->lanes[strip]) change_strip(block->engines->tensor, strip, region, from, convert);
}

void tensor_to_bits(WarpBlock *block, const TensorRegion *region) {
    const WarpFunctions *functions = block->kernel->warp_functions;
    change_form(block, region, UINT8_MAX, functions ? functions->to_bits_f32 : NULL);
}

void tensor_to_registers(WarpBlock *block, const TensorRegion *region) {
    const WarpFunctions *functions = block->kernel->warp_functions;
    change_form(block, region, 0, functions ? functions->from_bits_f32 : NULL);
}

void tensor_set_form(WarpBlock *block, const TensorRegion *region, bool registers) {
    const WarpFunctions *functions = block->kernel->warp_functions;
    if (!functions || !functions->to_bits_f32) return; // the forms are the same, and all is bits
    TensorMemory *memory = block->engines->tensor;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS; strip++)
        for (uint32_t i = 0; i < region->columns && region->lanes[strip]; i++)
            memory->form[strip][region->column + i] = registers ? UINT8_MAX : 0;
}

void tensor_copy_lane(WarpBlock *block, uint32_t lane, uint32_t column, uint32_t columns, uint32_t *to) {
    const TensorMemory *memory = block->engines->tensor;
    const uint8_t *form = &memory->form[lane / TENSOR_STRIP_LANES][column];
    __builtin_memcpy(to, &memory->cells[lane][column], columns * sizeof *to);
    for (uint32_t i = 0; i < columns; i++) {
        const uint32_t first = i;
        while (i < columns && form[i]) i++;
        if (i > first) block->kernel->warp_functions->to_bits_f32(to + first, i - first);
    }
}
