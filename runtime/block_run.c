// SPDX-License-Identifier: Apache-2.0
// The parts of a block on fibers of one thread. A part runs until it has to wait; then the lowest one goes on that can.
// Where none can, asynchronous operations are carried out that arrive where somebody waits; where there are none of
// these either, it is a deadlock. So blocks do the same in every run.
#include "runtime/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// ---- ends -----------------------------------------------------------------------------------------------------------

// Leaves the fiber for good: it begins anew when it is needed again.
_Noreturn static void leave_for_good(BlockPart *part) {
    simt_fiber_restart(&part->fiber);
    simt_fiber_switch(&part->fiber, &part->block->thread);
    abort();
}

_Noreturn void block_stop(Block *block) {
    block->failed = true;
    leave_for_good(block->current);
}

_Noreturn void block_fail(Block *block, uint32_t place, const char *format, ...) {
    Buffer text = {0};
    va_list args;
    va_start(args, format);
    char short_text[600];
    vsnprintf(short_text, sizeof short_text, format, args);
    va_end(args);
    block_print_place(block, place, &text);
    buffer_print(&text, " in ");
    block_print_part(block->current->number, &text);
    buffer_print(&text, " %s", short_text);
    free(block->text);
    block->text = text.data;
    block->text_place = place;
    block_stop(block);
}

// ---- who runs -------------------------------------------------------------------------------------------------------

static bool has_children(const Block *block, uint32_t parent) {
    for (uint32_t i = 1; i < block->part_count; i++)
        if (block->parts[i].live && block->parts[i].parent == parent) return true;
    return false;
}

static bool can_go_on(const BlockPart *part) {
    const Block *block = part->block;
    const BlockWait *wait = &part->wait;
    switch (wait->kind) {
    case BLOCK_RUNS: return true;
    case BLOCK_AWAITS_BARRIER: {
        const BlockBarrier *barrier = &block->barriers[wait->barrier];
        return barrier->life == wait->life && barrier->live && barrier->phase > wait->phase;
    }
    case BLOCK_AWAITS_PARTS: return !has_children(block, part->number);
    case BLOCK_AWAITS_BLOCKS: return false; // others first
    }
    return false;
}

static bool can_help(const BlockPart *part) {
    return part->wait.kind == BLOCK_AWAITS_BARRIER && block_can_advance(part->block, part->wait.barrier);
}

static bool polls(const BlockPart *part) {
    return part->wait.kind == BLOCK_AWAITS_BLOCKS;
}

static BlockPart *lowest_part(Block *block, bool (*is)(const BlockPart *part), uint32_t from) {
    for (uint32_t i = from; i < block->part_count; i++)
        if (block->parts[i].live && is(&block->parts[i])) return &block->parts[i];
    return NULL;
}

static BlockPart *next_part(Block *block) {
    BlockPart *part = lowest_part(block, can_go_on, 0);
    if (!part) part = lowest_part(block, can_help, 0);
    if (part) return part;
    part = lowest_part(block, polls, block->turn + 1); // in turn
    if (!part) part = lowest_part(block, polls, 0);
    if (part) block->turn = part->number;
    return part;
}

void block_await(BlockPart *part, BlockWait wait) {
    part->wait = wait;
    while (!can_go_on(part)) {
        if (wait.kind == BLOCK_AWAITS_BARRIER && block_advance(part->block, wait.barrier)) continue;
        simt_fiber_switch(&part->fiber, &part->block->thread);
        if (wait.kind == BLOCK_AWAITS_BLOCKS) break;
    }
    part->wait.kind = BLOCK_RUNS;
}

uint32_t block_wait_for_blocks(const HostLaunch *host) {
    BlockPart *part = (BlockPart *)(uintptr_t)host; // whose first field it is
    const BlockLaunch *launch = part->block->launch;
    if (part != part->block->worker && part->block->part_count > 1)
        block_await(part, (BlockWait){.kind = BLOCK_AWAITS_BLOCKS});
    if (!launch->host.wait || !launch->host.wait(&launch->host)) return 0;
    part->block->in_vain = true;
    return 1;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// The kernel itself ends last.
static void end_kernel(BlockPart *part) {
    Block *block = part->block;
    for (uint32_t i = 1; i < block->part_count; i++) block->parts[i].parent = 0;
    block_await(part, (BlockWait){.kind = BLOCK_AWAITS_PARTS});
    for (uint32_t i = 1; i < block->part_count; i++) block_clock_join(block, &part->clock, &block->parts[i].clock);
    block_check_end(part);
    while (block_advance_any(block)) {
    }
}

static void run_part(void *data) {
    BlockPart *part = data;
    Block *block = part->block;
    block->site = block_entry_of(block, part->function)(&part->host, part->memory + RT_SCRATCH_HEAD, block->position[0],
                                                        block->position[1], block->position[2], &block->fault);
    if (block->site) block_stop(block);
    if (part->number)
        block_end_groups(part);
    else
        end_kernel(part);
    part->live = false;
    leave_for_good(part);
}

static void begin_part(BlockPart *part, uint32_t function, uint32_t parent) {
    Block *block = part->block;
    if (!part->open) {
        // It is opened by the fiber that runs: it comes back here when it is ready to begin.
        SimtFiber *opener = block->current ? &block->current->fiber : &block->thread;
        simt_fiber_open(&part->fiber, opener, &block->stacks, part->number, run_part, part);
        part->open = true;
    }
    simt_fiber_restart(&part->fiber);
    part->function = function;
    part->parent = parent;
    part->live = true;
    part->wait.kind = BLOCK_RUNS;
    if (part->number >= block->part_count) block->part_count = part->number + 1;
}

// What it did with those that there are; of others there is nothing.
static void forget_barriers(BlockPart *part) {
    const uint32_t count = part->block->barrier_count;
    memset(part->waited, 0, count * sizeof *part->waited);
    memset(part->used, 0, count * sizeof *part->used);
}

static void begin_block(Block *block) {
    BlockPart *first = &block->parts[0];
    block->failed = block->in_vain = false;
    block->site = 0;
    block->current = NULL;
    block->turn = 0;
    block->pendings.serial = 0;
    for (uint32_t i = 0; i < block->part_count; i++) { // that the block before used; others are zero
        BlockPart *part = &block->parts[i];
        part->live = false;
        memset(part->issued, 0, sizeof part->issued);
        memset(part->groups, 0, sizeof part->groups);
        memset(&part->clock, 0, sizeof part->clock);
        forget_barriers(part);
        memset(part->group_waits, 0, sizeof part->group_waits);
        part->commit_count = 0;
    }
    block->part_count = block->barrier_count = 0;
    first->clock.time[0] = 1;
    block_memory_begin(block);
    begin_part(first, 0, 0);
}

uint32_t block_run(Block *block, HostFault *fault) {
    BlockPart *next;
    simt_fiber_adopt(&block->thread);
    begin_block(block);
    while (!block->failed && block->parts[0].live) {
        next = next_part(block);
        if (!next) {
            if (!block->in_vain) block_deadlock(block);
            break;
        }
        block->current = next;
        simt_fiber_switch(&block->thread, &next->fiber);
        block->current = NULL;
    }
    block_memory_close(block);
    if (block->text) return UINT32_MAX;
    *fault = block->fault;
    return block->site;
}

// ---- operations -----------------------------------------------------------------------------------------------------

uint64_t block_operate_FORK(const BlockCall *call) {
    Block *block = call->block;
    uint32_t number = 1;
    while (number < BLOCK_PARTS_MAX && block->parts[number].live) number++;
    if (number == BLOCK_PARTS_MAX)
        block_fail(block, call->place, "begins a part, but %d run already, more are not possible", BLOCK_PARTS_MAX);
    BlockPart *part = &block->parts[number];
    const uint32_t function = (uint32_t)call->operands[0];
    if (call->operands[0] < 1 || call->operands[0] > block->launch->kernel->part_count)
        block_fail(block, call->place, "begins part %u, but the kernel has %u", function,
                   block->launch->kernel->part_count);
    part->number = number; // for messages
    block_set_arguments(part, function, call->operands + 1, call->count - 1);
    begin_part(part, function, call->part->number);
    block_release(call->part, &part->clock);
    part->clock.time[number]++;
    forget_barriers(part);
    return 0;
}

uint64_t block_operate_JOIN(const BlockCall *call) {
    Block *block = call->block;
    const uint32_t number = call->part->number;
    block_await(call->part, (BlockWait){.kind = BLOCK_AWAITS_PARTS, .place = call->place});
    for (uint32_t i = 1; i < block->part_count; i++)
        if (block->parts[i].parent == number) block_clock_join(block, &call->part->clock, &block->parts[i].clock);
    return 0;
}
