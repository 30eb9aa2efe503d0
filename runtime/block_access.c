// SPDX-License-Identifier: Apache-2.0
// Checks of what the parts of a block, and their asynchronous operations, access.
#include "runtime/block.h"

#include <inttypes.h>

void block_access(BlockPart *part, uint32_t place, BlockAccess access, const uint64_t *words,
                  const BlockPending *pending) {
    Block *block = part->block;
    BlockPiece piece;
    (void)access, (void)pending;
    if (!block_read_piece(words, block->all_bytes, &piece))
        block_fail(block, place,
                   "accesses %" PRIu64 " rows of %" PRIu64 " bytes, %" PRIu64 " apart, from byte %" PRIu64
                   " of the block's memory, which has %" PRIu64,
                   words[1], words[2], words[3], words[0], block->bytes);
    if (piece.rows) (void)block_find_object(block, place, &piece);
}

uint64_t block_operate_READ(const BlockCall *call) {
    block_access(call->part, call->place, BLOCK_READS, call->operands, NULL);
    return 0;
}

uint64_t block_operate_WRITE(const BlockCall *call) {
    block_access(call->part, call->place, BLOCK_WRITES, call->operands, NULL);
    return 0;
}

void block_begin_object(BlockPart *part, BlockObject *object) {
    (void)part, (void)object;
}

void block_end_object(BlockPart *part, uint32_t place, BlockObject *object, bool is_free) {
    (void)part, (void)place, (void)object, (void)is_free;
}

void block_check_end(BlockPart *part) {
    (void)part;
}
