// SPDX-License-Identifier: Apache-2.0
// Objects in a block's memory, and memory for staging behind them. What nobody has written since an object began is
// 0xFF in each byte, and unspecified in shadow memory, whatever ran before. Staging memory is written before it is
// read.
#include "runtime/block.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STAGING_ALIGNMENT = 128 };

// ---- lists of objects -----------------------------------------------------------------------------------------------

// The first one that ends behind the offset.
static uint32_t first_behind(const BlockObjects *objects, uint64_t offset) {
    uint32_t low = 0, high = objects->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const BlockObject *object = &objects->items[middle];
        if (object->offset + object->bytes <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static BlockObject *insert_object(Block *block, BlockObjects *objects, uint32_t at, uint32_t place) {
    if (objects->count == objects->room) {
        const uint32_t room = objects->room ? 2 * objects->room : 16;
        BlockObject *items = realloc(objects->items, room * sizeof *items);
        if (!items) block_fail(block, place, "cannot have memory: there is too little");
        objects->items = items;
        objects->room = room;
    }
    BlockObject *object = &objects->items[at];
    memmove(object + 1, object, (objects->count++ - at) * sizeof *object);
    *object = (BlockObject){0};
    return object;
}

static void remove_object(BlockObjects *objects, uint32_t at) {
    free(objects->items[at].written);
    free(objects->items[at].uses);
    memmove(&objects->items[at], &objects->items[at + 1], (--objects->count - at) * sizeof *objects->items);
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

static void fill(Block *block, uint64_t offset, uint64_t bytes) {
    const BlockLaunch *launch = block->launch;
    memset(block->memory + offset, 0xFF, bytes);
    if (!launch->records) return;
    const uint64_t at = (uint64_t)(uintptr_t)block->memory + offset - block->buffer->address;
    rt_shadow_spoil(&launch->device->shadow, block->buffer, at, bytes, launch->kernel->keeps_words);
}

static void fill_object(Block *block, BlockObject *object) {
    if (!object->filled) fill(block, object->offset, object->bytes);
    object->filled = true;
}

void block_memory_begin(Block *block) {
    if (!block->allocations) fill(block, 0, block->bytes); // its first block
    block->allocations = 1;
}

// What objects leave is filled at once, for the blocks to come.
void block_memory_close(Block *block) {
    for (uint32_t i = 0; i < block->objects.count; i++) fill_object(block, &block->objects.items[i]);
    while (block->objects.count) remove_object(&block->objects, block->objects.count - 1);
    while (block->staging.count) remove_object(&block->staging, block->staging.count - 1);
    for (BlockPending *pending = block->pendings.first, *next; pending; pending = next) {
        next = pending->next;
        pending->next = block->pendings.free;
        block->pendings.free = pending;
    }
    block->pendings.first = block->pendings.last = NULL;
    block->pendings.count = 0;
}

// ---- objects --------------------------------------------------------------------------------------------------------

// Other objects that had a part of these bytes are forgotten; they have ended.
static void forget_others(const BlockCall *call, uint64_t offset, uint64_t bytes) {
    Block *block = call->block;
    BlockObjects *objects = &block->objects;
    for (uint32_t i = first_behind(objects, offset); i < objects->count && objects->items[i].offset - offset < bytes;) {
        BlockObject *object = &objects->items[i];
        if (object->live) block_end_object(call->part, call->place, object, false);
        fill_object(block, object);
        remove_object(objects, i);
    }
    const uint32_t i = first_behind(objects, offset);
    if (i < objects->count && objects->items[i].offset < offset) {
        fill_object(block, &objects->items[i]);
        remove_object(objects, i);
    }
}

uint64_t block_operate_ALLOCATE(const BlockCall *call) {
    Block *block = call->block;
    const uint64_t offset = call->operands[0], bytes = call->operands[1];
    if (offset > block->bytes || bytes > block->bytes - offset || call->operands[2] > BLOCK_TENSOR)
        block_fail(block, call->place, "has %" PRIu64 " bytes at offset %" PRIu64 " of a memory of %" PRIu64, bytes,
                   offset, block->bytes);
    if (!bytes) return 0;
    uint32_t at = first_behind(&block->objects, offset);
    BlockObject *object = at < block->objects.count ? &block->objects.items[at] : NULL;
    if (!object || object->offset != offset || object->bytes != bytes) {
        forget_others(call, offset, bytes);
        at = first_behind(&block->objects, offset);
        object = insert_object(block, &block->objects, at, call->place);
        object->offset = offset;
        object->bytes = bytes;
        object->filled = true; // as all memory outside of objects
    } else if (object->live) {
        block_end_object(call->part, call->place, object, false);
    }
    block_end_barriers(block, call->place, offset, bytes);
    fill_object(block, object);
    object->filled = false;
    object->space = (uint32_t)call->operands[2];
    object->columns = (uint32_t)call->operands[3];
    object->live = true;
    object->made = call->place;
    block->allocations++;
    block_begin_object(call->part, object);
    return 0;
}

uint64_t block_operate_FREE(const BlockCall *call) {
    Block *block = call->block;
    const uint64_t offset = call->operands[0];
    const uint32_t at = first_behind(&block->objects, offset);
    BlockObject *object = at < block->objects.count ? &block->objects.items[at] : NULL;
    char freed[BLOCK_PLACE_TEXT];
    if (object && object->offset == offset && !object->live)
        block_fail(block, call->place, "frees memory that %s has freed", block_place_text(block, object->freed, freed));
    if (!object || object->offset != offset)
        block_fail(block, call->place, "frees memory at offset %" PRId64 ", where nothing is", (int64_t)offset);
    block_end_object(call->part, call->place, object, true);
    block_end_barriers(block, call->place, object->offset, object->bytes);
    object->live = false;
    object->freed = call->place;
    return 0;
}

BlockObject *block_find_object(Block *block, uint32_t place, const BlockPiece *piece) {
    BlockObjects *objects = piece->offset < block->bytes ? &block->objects : &block->staging;
    const uint32_t at = first_behind(objects, piece->offset);
    BlockObject *object = at < objects->count ? &objects->items[at] : NULL;
    if (!object || object->offset > piece->offset)
        block_fail(block, place, "accesses byte %" PRIu64 " of the block's memory, where nothing is", piece->offset);
    if (block_piece_end(piece) - object->offset <= object->bytes) return object;
    char made[BLOCK_PLACE_TEXT];
    block_fail(block, place, "accesses bytes %" PRIu64 " to %" PRIu64 " of the %" PRIu64 " that %s has made",
               piece->offset - object->offset, block_piece_end(piece) - 1 - object->offset, object->bytes,
               block_place_text(block, object->made, made));
}

// ---- staging --------------------------------------------------------------------------------------------------------

static void collect_staging(Block *block) {
    const uint64_t oldest = block_oldest(block);
    for (uint32_t i = block->staging.count; i--;)
        if (block->staging.items[i].returned && block->staging.items[i].last_use < oldest)
            remove_object(&block->staging, i);
}

static bool stage(Block *block, uint32_t place, uint64_t bytes, uint64_t *offset) {
    uint64_t at = (block->bytes + STAGING_ALIGNMENT - 1) / STAGING_ALIGNMENT * STAGING_ALIGNMENT;
    uint32_t i = 0;
    for (; i < block->staging.count && block->staging.items[i].offset - at < bytes; i++) {
        at = block->staging.items[i].offset + block->staging.items[i].bytes;
        at = (at + STAGING_ALIGNMENT - 1) / STAGING_ALIGNMENT * STAGING_ALIGNMENT;
    }
    if (at > block->all_bytes || bytes > block->all_bytes - at) return false;
    BlockObject *object = insert_object(block, &block->staging, i, place);
    *object = (BlockObject){.offset = at, .bytes = bytes, .space = BLOCK_STAGING, .live = true, .made = place};
    *offset = at;
    return true;
}

uint64_t block_operate_STAGE(const BlockCall *call) {
    Block *block = call->block;
    const uint64_t bytes = call->operands[0] ? call->operands[0] : 1;
    uint64_t offset;
    do {
        collect_staging(block);
        if (stage(block, call->place, bytes, &offset)) return offset;
    } while (block_advance_any(block));
    block_fail(block, call->place,
               "needs %" PRIu64 " more bytes beside shared and tensor memory, of which there are %d", bytes,
               BLOCK_STAGING_BYTES);
}

uint64_t block_operate_UNSTAGE(const BlockCall *call) {
    Block *block = call->block;
    const uint64_t offset = call->operands[0];
    const uint32_t at = first_behind(&block->staging, offset);
    BlockObject *object = at < block->staging.count ? &block->staging.items[at] : NULL;
    if (!object || object->offset != offset || object->returned)
        block_fail(block, call->place, "gives memory at offset %" PRId64 " back that it does not have",
                   (int64_t)offset);
    object->returned = true;
    object->last_use = block->pendings.serial;
    return 0;
}
