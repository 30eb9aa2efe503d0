// SPDX-License-Identifier: Apache-2.0
// What the parts of a block ask for: which function does it.
#include "runtime/block.h"

static uint64_t (*const operations[BLOCK_OPERATIONS])(const BlockCall *call) = {
#define BLOCK_OPERATION(id, ...) [BLOCK_##id] = block_operate_##id,
#include "base/block_operations.def"
#undef BLOCK_OPERATION
};

uint64_t block_operate(const HostLaunch *host, uint32_t operation, uint32_t place, const uint64_t *operands,
                       uint32_t count) {
    BlockPart *part = (BlockPart *)(uintptr_t)host; // whose first field it is
    Block *block = part->block;
    if (operation >= BLOCK_OPERATIONS || count < block_operation_rows[operation].least ||
        count > block_operation_rows[operation].most)
        block_fail(block, place, "asks for operation %u with %u operands, which does not exist", operation, count);
    if (part == block->worker)
        block_fail(block, place, "is a part of an asynchronous operation, which cannot ask for '%s'",
                   block_operation_rows[operation].name);
    const BlockCall call = {block, part, place, operands, count};
    return operations[operation](&call);
}
