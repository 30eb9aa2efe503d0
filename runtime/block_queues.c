// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations. They are kept in the order of issue, and carried out when somebody waits for them, or at
// once if the launch wants that. What a queue has before an operation is done before it, but for loads, which are done
// in any order.
#include "runtime/block.h"

#include <inttypes.h>
#include <stdlib.h>

static bool in_order(const BlockPending *pending) {
    return pending->queue != BLOCK_LOADS;
}

static void unlink_pending(BlockPendings *all, BlockPending *pending) {
    *(pending->previous ? &pending->previous->next : &all->first) = pending->next;
    *(pending->next ? &pending->next->previous : &all->last) = pending->previous;
    all->count--;
    pending->next = all->free;
    all->free = pending;
}

static void arrive(Block *block, const BlockPending *pending) {
    BlockBarrier *barrier = &block->barriers[pending->barrier];
    if (!barrier->live || barrier->life != pending->life) return; // it has ended meanwhile
    block_note_operation(block, pending->barrier, pending, in_order(pending));
    block_clock_learn(&barrier->arriving, &pending->known);
    if (in_order(pending)) block_learn(&barrier->arriving.done[pending->part][pending->queue], pending->number);
    if (pending->bytes) block_bytes_came(block, pending->barrier, pending->place, pending->bytes);
    if (pending->arrivals) block_arrive(block, pending->barrier, pending->place, pending->arrivals);
}

static void work(Block *block, const BlockPending *pending) {
    block_set_arguments(block->worker, pending->function, pending->words, pending->count);
    block->site = block_entry_of(block, pending->function)(&block->worker->host,
                                                           block->worker->memory + RT_SCRATCH_HEAD, block->position[0],
                                                           block->position[1], block->position[2], &block->fault);
    if (block->site) block_stop(block);
}

static void carry_out(Block *block, BlockPending *pending) {
    unlink_pending(&block->pendings, pending);
    if (pending->task == BLOCK_WORK) work(block, pending);
    if (pending->task == BLOCK_ANSWER) memcpy(block->memory + pending->words[0], &pending->words[1], 16);
    if (pending->barrier != BLOCK_NO_BARRIER) arrive(block, pending);
}

// What has to be done before it, then the operation itself.
static void carry_out_until(Block *block, BlockPending *last) {
    for (BlockPending *pending = block->pendings.first, *next; in_order(last) && pending != last; pending = next) {
        next = pending->next;
        if (pending->part == last->part && pending->queue == last->queue) carry_out(block, pending);
    }
    carry_out(block, last);
}

static BlockPending *first_to(const Block *block, uint32_t number) {
    const BlockBarrier *barrier = &block->barriers[number];
    BlockPending *pending = block->pendings.first;
    while (pending && (pending->barrier != number || pending->life != barrier->life)) pending = pending->next;
    return pending;
}

bool block_can_advance(const Block *block, uint32_t barrier) {
    return first_to(block, barrier);
}

bool block_advance(Block *block, uint32_t barrier) {
    BlockPending *pending = first_to(block, barrier);
    if (!pending) return false;
    carry_out_until(block, pending);
    return true;
}

bool block_advance_any(Block *block) {
    BlockPending *pending = block->pendings.first;
    if (!pending) return false;
    carry_out_until(block, pending);
    return true;
}

uint64_t block_oldest(const Block *block) {
    const BlockPending *pending = block->pendings.first;
    while (pending && pending->task != BLOCK_WORK) pending = pending->next;
    return pending ? pending->serial : UINT64_MAX;
}

BlockPending *block_pend(BlockPart *part, uint32_t place, BlockTask task, BlockQueue queue, uint32_t barrier) {
    Block *block = part->block;
    BlockPendings *all = &block->pendings;
    if (all->count >= BLOCK_PENDING_MAX) block_advance_any(block);
    BlockPending *pending = all->free;
    if (pending)
        all->free = pending->next;
    else if (!(pending = malloc(sizeof *pending)))
        block_fail(block, place, "cannot be kept: there is no memory");
    pending->task = task;
    pending->queue = queue;
    pending->part = part->number;
    pending->place = place;
    pending->barrier = barrier;
    pending->life = barrier == BLOCK_NO_BARRIER ? 0 : block->barriers[barrier].life;
    pending->phase = barrier == BLOCK_NO_BARRIER ? 0 : block->barriers[barrier].phase;
    pending->bytes = pending->arrivals = 0;
    if (task == BLOCK_WORK || task == BLOCK_ANSWER) part->issued[queue]++;
    pending->number = part->issued[queue];
    pending->group = part->groups[queue];
    pending->serial = ++all->serial;
    block_clock_keep(part, &pending->known);
    part->clock.time[part->number]++;
    pending->next = NULL;
    pending->previous = all->last;
    *(all->last ? &all->last->next : &all->first) = pending;
    all->last = pending;
    all->count++;
    return pending;
}

void block_issue(Block *block, BlockPending *pending) {
    if (block->launch->early) carry_out_until(block, pending);
}

static BlockQueue read_queue(const BlockCall *call) {
    if (call->operands[0] >= BLOCK_QUEUES)
        block_fail(call->block, call->place, "names queue %" PRId64 ", which does not exist",
                   (int64_t)call->operands[0]);
    return (BlockQueue)call->operands[0];
}

uint64_t block_operate_ISSUE(const BlockCall *call) {
    enum { PIECES_AT = 5, PIECE_WORDS = 5 };
    Block *block = call->block;
    const uint64_t *operands = call->operands, pieces = operands[4];
    const BlockQueue queue = read_queue(call);
    if (pieces > (call->count - PIECES_AT) / PIECE_WORDS || operands[3] < 1 ||
        operands[3] > block->launch->kernel->part_count)
        block_fail(block, call->place, "is an operation that the kernel does not have");
    const uint32_t barrier =
        operands[1] == UINT64_MAX ? BLOCK_NO_BARRIER : block_find_barrier(block, call->place, operands[1]);
    BlockPending *pending = block_pend(call->part, call->place, BLOCK_WORK, queue, barrier);
    const uint64_t begin = PIECES_AT + pieces * PIECE_WORDS;
    pending->bytes = (int64_t)operands[2];
    pending->function = (uint32_t)operands[3];
    pending->count = call->count - (uint32_t)begin;
    memcpy(pending->words, operands + begin, pending->count * sizeof *operands);
    for (uint64_t i = 0; i < pieces; i++) {
        const uint64_t *piece = operands + PIECES_AT + i * PIECE_WORDS;
        block_access(call->part, call->place, (BlockAccess)piece[0], piece + 1, pending);
    }
    block_issue(block, pending);
    return 0;
}

// `counted`: how many operands come before the count of arrivals, which may be missing.
static uint64_t arrive_after(const BlockCall *call, BlockTask task, BlockQueue queue, uint32_t counted) {
    const uint32_t barrier = block_find_barrier(call->block, call->place, call->operands[0]);
    const int64_t count = call->count > counted ? (int64_t)call->operands[counted] : 1;
    if (count < 1 || count > BLOCK_ARRIVALS_MAX)
        block_fail(call->block, call->place, "arrives %" PRId64 " times, 1 to %d are possible", count,
                   BLOCK_ARRIVALS_MAX);
    if (task == BLOCK_COPIES_ARRIVE_LATER && call->operands[1]) call->block->barriers[barrier].pending += count;
    BlockPending *pending = block_pend(call->part, call->place, task, queue, barrier);
    pending->arrivals = count;
    block_issue(call->block, pending);
    return 0;
}

uint64_t block_operate_COMMIT(const BlockCall *call) {
    BlockPart *part = call->part;
    const uint32_t barrier = block_find_barrier(call->block, call->place, call->operands[0]);
    part->commits[part->commit_count++ % BLOCK_COMMITS_KEPT] =
        (BlockCommit){part->issued[BLOCK_TENSOR_CORE], barrier, call->block->barriers[barrier].phase};
    return arrive_after(call, BLOCK_COMMITS, BLOCK_TENSOR_CORE, 1);
}

uint64_t block_operate_COPIES_ARRIVE(const BlockCall *call) {
    return arrive_after(call, BLOCK_COPIES_ARRIVE_LATER, BLOCK_COPIES, 2);
}

const BlockCommit *block_find_commit(const BlockPart *part, uint32_t number) {
    const uint32_t count = part->commit_count;
    for (uint32_t i = count < BLOCK_COMMITS_KEPT ? 0 : count - BLOCK_COMMITS_KEPT; i < count; i++)
        if (part->commits[i % BLOCK_COMMITS_KEPT].number >= number) return &part->commits[i % BLOCK_COMMITS_KEPT];
    return NULL;
}

// ---- groups ---------------------------------------------------------------------------------------------------------

static BlockPending *oldest_of(const BlockPart *part, BlockQueue queue) {
    BlockPending *pending = part->block->pendings.first;
    while (pending && (pending->part != part->number || pending->queue != queue)) pending = pending->next;
    return pending;
}

// Carries out what the part has issued up to that group.
static void carry_out_groups(BlockPart *part, BlockQueue queue, uint32_t end) {
    for (BlockPending *pending = oldest_of(part, queue); pending && pending->group < end;
         pending = oldest_of(part, queue))
        carry_out(part->block, pending);
}

uint64_t block_operate_GROUP(const BlockCall *call) {
    BlockPart *part = call->part;
    const BlockQueue queue = read_queue(call);
    part->group_ends[queue][part->groups[queue]++ % BLOCK_GROUPS_KEPT] = part->issued[queue];
    return 0;
}

uint64_t block_operate_WAIT_GROUPS(const BlockCall *call) {
    BlockPart *part = call->part;
    const BlockQueue queue = read_queue(call);
    const uint64_t open = call->operands[1];
    part->group_waits[queue] = call->place;
    if (open >= part->groups[queue]) return 0;
    const uint32_t end = part->groups[queue] - (uint32_t)open;
    carry_out_groups(part, queue, end);
    if (open < BLOCK_GROUPS_KEPT)
        block_learn(&part->clock.done[part->number][queue], part->group_ends[queue][(end - 1) % BLOCK_GROUPS_KEPT]);
    return 0;
}

void block_end_groups(BlockPart *part) {
    static const BlockQueue grouped[] = {BLOCK_STORES, BLOCK_COPIES, BLOCK_PRODUCTS};
    for (size_t i = 0; i < BASE_COUNT(grouped); i++) carry_out_groups(part, grouped[i], UINT32_MAX);
}
