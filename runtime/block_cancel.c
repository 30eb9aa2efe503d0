// SPDX-License-Identifier: Apache-2.0
// Blocks that take the place of blocks that have not begun. Such a launch runs its blocks one at a time in order, so it
// is always the next one.
#include "runtime/block.h"

#include <inttypes.h>

enum { ANSWER_BYTES = 16 };

// An answer in memory.
typedef struct Answer {
    uint32_t found, position[3];
} Answer;
_Static_assert(sizeof(Answer) == ANSWER_BYTES, "it takes 16 bytes");

static Answer take_block(BlockLaunch *launch) {
    const uint64_t count = launch->checked->block_count, width = launch->host.grid[0], height = launch->host.grid[1];
    if (!launch->begun) return (Answer){0};
    pthread_mutex_lock(&launch->mutex);
    while (launch->begun_first < count && launch->begun[launch->begun_first]) launch->begun_first++;
    const uint64_t next = launch->begun_first;
    if (next < count) launch->begun[next] = 1;
    pthread_mutex_unlock(&launch->mutex);
    if (next == count) return (Answer){0};
    return (Answer){1,
                    {(uint32_t)(next % width), (uint32_t)(next / width % height), (uint32_t)(next / width / height)}};
}

uint64_t block_operate_TRY_CANCEL(const BlockCall *call) {
    Block *block = call->block;
    const uint32_t barrier = block_find_barrier(block, call->place, call->operands[1]);
    const uint64_t piece[] = {call->operands[0], 1, ANSWER_BYTES, ANSWER_BYTES};
    const Answer answer = take_block(block->launch);
    BlockPending *pending = block_pend(call->part, call->place, BLOCK_ANSWER, BLOCK_LOADS, barrier);
    pending->bytes = ANSWER_BYTES;
    pending->words[0] = call->operands[0];
    memcpy(&pending->words[1], &answer, sizeof answer);
    block_access(call->part, call->place, BLOCK_WRITES, piece, pending);
    block_issue(block, pending);
    return 0;
}

static Answer read_answer(const BlockCall *call) {
    Answer answer;
    const uint64_t piece[] = {call->operands[0], 1, ANSWER_BYTES, ANSWER_BYTES};
    block_access(call->part, call->place, BLOCK_READS, piece, NULL);
    memcpy(&answer, call->block->memory + call->operands[0], sizeof answer);
    return answer;
}

uint64_t block_operate_CANCELED(const BlockCall *call) {
    return read_answer(call).found == 1;
}

uint64_t block_operate_CANCELED_ID(const BlockCall *call) {
    if (call->operands[1] > 2)
        block_fail(call->block, call->place, "asks for axis %" PRIu64 ", which does not exist", call->operands[1]);
    return read_answer(call).position[call->operands[1]];
}
