// SPDX-License-Identifier: Apache-2.0
// Checks of what the parts of a block, and their asynchronous operations, access. Each object keeps who has used which
// rectangles of it: a use is forgotten when a write covers all of it, for whoever is ordered behind the write is
// ordered behind the use. A bit for each byte says whether anybody has written it.
#include "runtime/block.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    USES_FEW = 64,      // of an object
    USES_MAX = 1 << 16, // beyond, nothing would be said of some
};

// ---- who knows what -------------------------------------------------------------------------------------------------

static BlockActor make_actor(const BlockPart *part, uint32_t place, const BlockPending *pending) {
    BlockActor actor = {.kind = BLOCK_BY_PART, .part = part->number, .place = place};
    if (!pending) {
        actor.number = part->clock.time[part->number];
        return actor;
    }
    actor.queue = pending->queue;
    actor.kind =
        pending->queue == BLOCK_LOADS && pending->barrier != BLOCK_NO_BARRIER ? BLOCK_BY_BARRIER : BLOCK_BY_QUEUE;
    actor.barrier = pending->barrier;
    actor.number = actor.kind == BLOCK_BY_BARRIER ? pending->phase : pending->number;
    return actor;
}

static bool same_queue(const BlockActor *a, const BlockActor *b) {
    return a->kind == BLOCK_BY_QUEUE && b->kind == BLOCK_BY_QUEUE && a->part == b->part && a->queue == b->queue;
}

// Whether the part knows that it is over.
static bool knows(const BlockPart *part, const BlockActor *by) {
    const BlockClock *clock = &part->clock;
    switch (by->kind) {
    case BLOCK_BY_PART: return by->part == part->number || clock->time[by->part] >= by->number;
    case BLOCK_BY_QUEUE: return clock->done[by->part][by->queue] >= by->number;
    case BLOCK_BY_BARRIER: return clock->phases[by->barrier] > by->number;
    }
    return false;
}

// Whether `by` comes before what the part does now as `actor`.
static bool is_before(const BlockPart *part, const BlockActor *by, const BlockActor *actor) {
    if (knows(part, by)) return true;
    return same_queue(by, actor) && (by->queue == BLOCK_TENSOR_CORE || by->queue == BLOCK_PRODUCTS);
}

// Whether an asynchronous operation may not see what a part has written. Copies of cp.async see what threads see.
static bool needs_fence(const BlockPart *part, const BlockObject *object, const BlockUse *use,
                        const BlockActor *actor) {
    return use->writes && use->actor.kind == BLOCK_BY_PART && object->space == BLOCK_SHARED &&
           actor->kind != BLOCK_BY_PART && actor->queue != BLOCK_COPIES &&
           part->clock.fenced[use->actor.part] < use->actor.number;
}

// ---- words ----------------------------------------------------------------------------------------------------------

static const char *space_name(const BlockObject *object) {
    return object->space == BLOCK_TENSOR   ? "tensor memory"
           : object->space == BLOCK_SHARED ? "shared memory"
                                           : "a result";
}

static const char *verb_of(BlockAccess access) {
    return access == BLOCK_READS ? "reads" : access == BLOCK_WRITES ? "writes" : "adds to";
}

// The wait of the part that was meant for the operation, it seems, but came too early.
typedef struct Cause {
    uint32_t place;                   // 0: there is none
    bool groups;                      // it left groups pending
    uint32_t barrier, waited, needed; // how many phases were over, and which one it needs
} Cause;

static Cause find_cause(const BlockPart *part, const BlockActor *by) {
    Cause cause = {.barrier = by->barrier, .needed = by->number};
    if (by->kind == BLOCK_BY_PART) return cause;
    if (by->kind == BLOCK_BY_QUEUE && by->queue != BLOCK_TENSOR_CORE) {
        cause.groups = true;
        cause.place = by->part == part->number ? part->group_waits[by->queue] : 0;
        return cause;
    }
    if (by->kind == BLOCK_BY_QUEUE) {
        const BlockCommit *commit = block_find_commit(&part->block->parts[by->part], by->number);
        if (!commit) return cause;
        cause.barrier = commit->barrier;
        cause.needed = commit->phase;
    }
    cause.waited = part->waited[cause.barrier].phases;
    if (cause.waited <= cause.needed) cause.place = part->waited[cause.barrier].place;
    return cause;
}

static void print_cause(const BlockPart *part, const Cause *cause, Buffer *text) {
    const Block *block = part->block;
    if (!cause->place) {
        buffer_print(text, ": nothing that ");
        block_print_part(part->number, text);
        buffer_print(text, " has waited for says that it is done");
        return;
    }
    buffer_print(text, ": ");
    block_print_place(block, cause->place, text);
    if (cause->groups) {
        buffer_print(text, " did not wait for its group");
        return;
    }
    const uint32_t first = block->barriers[cause->barrier].first;
    if (cause->waited <= first)
        buffer_print(text, " waited for the phase before the first, which was already over");
    else
        buffer_print(text, " waited for phase %" PRIu32 " of the mbarrier", cause->waited - first - 1);
    buffer_print(text, ", but it is done in phase %" PRIu32, cause->needed - first);
}

// ---- findings -------------------------------------------------------------------------------------------------------

static void find_pending(const BlockPart *part, const BlockObject *object, const BlockUse *use, uint32_t place,
                         const char *verb, RtFindingKind kind) {
    Block *block = part->block;
    const Cause cause = find_cause(part, &use->actor);
    const uint32_t other = cause.place ? cause.place : use->actor.place;
    if (!block_is_new(block, place, other)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " %s %s that ", verb, space_name(object));
    block_print_place(block, use->actor.place, &text);
    buffer_print(&text, " still %s", use->writes ? "writes" : "reads");
    print_cause(part, &cause, &text);
    block_find(block, kind, place, other, &text);
}

static void find_race(const BlockPart *part, const BlockObject *object, const BlockUse *use, uint32_t place,
                      const char *verb, RtFindingKind kind) {
    Block *block = part->block;
    if (!block_is_new(block, place, use->actor.place)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " in ");
    block_print_part(part->number, &text);
    buffer_print(&text, " %s %s that ", verb, space_name(object));
    block_print_place(block, use->actor.place, &text);
    buffer_print(&text, " in ");
    block_print_part(use->actor.part, &text);
    buffer_print(&text, " %s, and nothing orders the two", use->writes ? "writes" : "reads");
    block_find(block, kind, place, use->actor.place, &text);
}

static void find_unordered(const BlockPart *part, const BlockObject *object, const BlockUse *use, uint32_t place,
                           const char *verb) {
    if (use->actor.kind == BLOCK_BY_PART)
        find_race(part, object, use, place, verb, RT_FINDING_RACE);
    else
        find_pending(part, object, use, place, verb, use->writes ? RT_FINDING_PENDING_WRITE : RT_FINDING_PENDING_READ);
}

static void find_fence(Block *block, const BlockObject *object, const BlockUse *use, uint32_t place, const char *verb) {
    if (!block_is_new(block, place, use->actor.place)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " %s %s that ", verb, space_name(object));
    block_print_place(block, use->actor.place, &text);
    buffer_print(&text, " has written, without a fence between that makes it known to asynchronous operations");
    block_find(block, RT_FINDING_FENCE, place, use->actor.place, &text);
}

// Of an access to an object: `words` stand between the two places.
static void find_object(Block *block, RtFindingKind kind, uint32_t place, uint32_t other, const char *before,
                        const char *space, const char *middle, const char *after) {
    if (!block_is_new(block, place, other)) return;
    Buffer text = {0};
    block_print_place(block, place, &text);
    buffer_print(&text, " %s %s %s ", before, space, middle);
    block_print_place(block, other, &text);
    buffer_print(&text, " %s", after);
    block_find(block, kind, place, other, &text);
}

// ---- bytes that somebody has written --------------------------------------------------------------------------------

// Sets bits; the result is how many were not set before.
static uint64_t set_bits(uint8_t *bits, uint64_t begin, uint64_t end) {
    uint64_t fresh = 0;
    for (; begin < end && begin % 64; begin++) {
        fresh += !(bits[begin / 8] >> begin % 8 & 1);
        bits[begin / 8] |= (uint8_t)(1 << begin % 8);
    }
    for (; end - begin >= 64; begin += 64) {
        uint64_t word;
        memcpy(&word, bits + begin / 8, sizeof word);
        if (!~word) continue;
        fresh += word ? 64 - (uint64_t)__builtin_popcountll(word) : 64;
        memset(bits + begin / 8, 0xFF, sizeof word);
    }
    for (; begin < end; begin++) {
        fresh += !(bits[begin / 8] >> begin % 8 & 1);
        bits[begin / 8] |= (uint8_t)(1 << begin % 8);
    }
    return fresh;
}

static bool all_bits(const uint8_t *bits, uint64_t begin, uint64_t end) {
    for (; begin < end && begin % 64; begin++)
        if (!(bits[begin / 8] >> begin % 8 & 1)) return false;
    for (; end - begin >= 64; begin += 64) {
        uint64_t word;
        memcpy(&word, bits + begin / 8, sizeof word);
        if (~word) return false;
    }
    for (; begin < end; begin++)
        if (!(bits[begin / 8] >> begin % 8 & 1)) return false;
    return true;
}

static void mark_written(BlockObject *object, const BlockPiece *piece) {
    if (!object->unwritten) return;
    uint64_t begin = piece->offset - object->offset;
    for (uint64_t row = 0; row < piece->rows; row++, begin += piece->pitch)
        object->unwritten -= set_bits(object->written, begin, begin + piece->bytes);
}

static bool is_written(const BlockObject *object, const BlockPiece *piece) {
    if (!object->unwritten) return true;
    uint64_t begin = piece->offset - object->offset;
    for (uint64_t row = 0; row < piece->rows; row++, begin += piece->pitch)
        if (!all_bits(object->written, begin, begin + piece->bytes)) return false;
    return true;
}

// ---- how much memory is in use at the same time ---------------------------------------------------------------------

static uint64_t size_of(const BlockObject *object) {
    return object->space == BLOCK_TENSOR ? object->columns : object->bytes;
}

static void add_size(Block *block, BlockObject *object, const BlockObject *other) {
    const bool tensor = object->space == BLOCK_TENSOR;
    const uint64_t most = tensor ? BLOCK_TENSOR_COLUMNS : BLOCK_SHARED_MAX, before = object->together;
    object->together += size_of(other);
    if (before > most || object->together <= most || !block_is_new(block, object->made, other->made)) return;
    Buffer text = {0};
    block_print_place(block, object->made, &text);
    buffer_print(&text, " needs more %s than a block has: ", space_name(object));
    buffer_print(&text, "%" PRIu64 " %s of %" PRIu64, object->together, tensor ? "columns" : "bytes", most);
    if (object != other) {
        buffer_print(&text, ", with what is in use at the same time, such as ");
        block_print_place(block, other->made, &text);
    }
    block_find(block, tensor ? RT_FINDING_TENSOR_MEMORY : RT_FINDING_SHARED_MEMORY, object->made, other->made, &text);
}

// The object is in use now: so it was when others began since it was accessed last.
static void note_life(Block *block, BlockObject *object) {
    const uint64_t since = object->counted;
    if (since == block->allocations || object->space == BLOCK_STAGING) return;
    object->counted = block->allocations;
    for (uint32_t i = 0; i < block->objects.count; i++) {
        BlockObject *other = &block->objects.items[i];
        if (other != object && other->begun > since && other->space == object->space) add_size(block, other, object);
    }
}

void block_begin_object(BlockPart *part, BlockObject *object) {
    Block *block = part->block;
    if (!block->launch->checks) return;
    const size_t bytes = (object->bytes + 63) / 64 * 8;
    if (!object->written && !(object->written = malloc(bytes)))
        block_fail(block, object->made, "cannot be checked: there is no memory");
    memset(object->written, 0, bytes);
    object->unwritten = object->bytes;
    object->use_count = 0;
    object->begun = object->counted = block->allocations;
    object->together = 0;
    add_size(block, object, object);
}

void block_end_object(BlockPart *part, uint32_t place, BlockObject *object, bool is_free) {
    if (!part->block->launch->checks) return;
    const char *verb = is_free ? "frees" : "begins again in";
    if (is_free) note_life(part->block, object);
    for (uint32_t i = 0; i < object->use_count; i++) {
        const BlockUse *use = &object->uses[i];
        if (knows(part, &use->actor)) continue;
        if (use->actor.kind == BLOCK_BY_PART)
            find_race(part, object, use, place, verb, RT_FINDING_FREED_EARLY);
        else
            find_pending(part, object, use, place, verb, RT_FINDING_FREED_EARLY);
    }
    object->use_count = 0;
}

// ---- accesses -------------------------------------------------------------------------------------------------------

// Whether who knows of `use` knows of `old`, too, for all that is checked.
static bool replaces(const BlockUse *use, const BlockUse *old) {
    if (!use->writes && (old->writes || use->actor.kind != old->actor.kind)) return false;
    if (!use->writes && use->actor.kind == BLOCK_BY_PART && use->actor.part != old->actor.part) return false;
    if (!use->writes && use->actor.kind == BLOCK_BY_QUEUE && !same_queue(&use->actor, &old->actor)) return false;
    if (!use->writes && use->actor.kind == BLOCK_BY_BARRIER && use->actor.barrier != old->actor.barrier) return false;
    return block_piece_covers(&use->piece, &old->piece);
}

// Whether all parts know of the use, and may do anything to its bytes. Parts that are to come know what the one knows
// that forks them.
static bool is_over(const Block *block, const BlockObject *object, const BlockUse *use) {
    const BlockActor load = {.kind = BLOCK_BY_QUEUE, .queue = BLOCK_LOADS};
    for (uint32_t i = 0; i < block->part_count; i++) {
        const BlockPart *part = &block->parts[i];
        if (part->live && (!knows(part, &use->actor) || needs_fence(part, object, use, &load))) return false;
    }
    return true;
}

static void make_room(Block *block, BlockObject *object, uint32_t place) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->use_count && object->use_count >= USES_FEW; i++)
        if (!is_over(block, object, &object->uses[i])) object->uses[kept++] = object->uses[i];
    if (object->use_count >= USES_FEW) object->use_count = kept;
    if (object->use_count <= object->use_room / 2 && object->use_room) return;
    const uint32_t room = object->use_room ? 2 * object->use_room : 8;
    if (room > USES_MAX)
        block_fail(block, place, "cannot be checked: %s is used in more than %d ways at the same time",
                   space_name(object), USES_MAX);
    BlockUse *uses = realloc(object->uses, room * sizeof *uses);
    if (!uses) block_fail(block, place, "cannot be checked: there is no memory");
    object->uses = uses;
    object->use_room = room;
}

static void keep_use(Block *block, BlockObject *object, const BlockUse *use) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->use_count; i++)
        if (!replaces(use, &object->uses[i])) object->uses[kept++] = object->uses[i];
    object->use_count = kept;
    if (object->use_count == object->use_room) make_room(block, object, use->actor.place);
    object->uses[object->use_count++] = *use;
}

static void check_uses(BlockPart *part, BlockObject *object, const BlockUse *own, BlockAccess access) {
    for (uint32_t i = 0; i < object->use_count; i++) {
        const BlockUse *use = &object->uses[i];
        if (!use->writes && !own->writes) continue;
        const bool before = is_before(part, &use->actor, &own->actor);
        const bool fence = before && needs_fence(part, object, use, &own->actor);
        if ((before && !fence) || !block_pieces_meet(&use->piece, &own->piece)) continue;
        if (fence)
            find_fence(part->block, object, use, own->actor.place, verb_of(access));
        else
            find_unordered(part, object, use, own->actor.place, verb_of(access));
    }
}

static void check_access(BlockPart *part, BlockObject *object, const BlockUse *own, BlockAccess access) {
    Block *block = part->block;
    const uint32_t place = own->actor.place;
    if (!object->live) {
        find_object(block, RT_FINDING_FREED, place, object->freed, verb_of(access), space_name(object), "that",
                    "has freed");
        return;
    }
    note_life(block, object);
    check_uses(part, object, own, access);
    if (access & BLOCK_READS && !is_written(object, &own->piece)) {
        if (access == BLOCK_UPDATES)
            find_object(block, RT_FINDING_ACCUMULATOR, place, object->made, "adds to an accumulator in",
                        space_name(object), "that nothing has written since", "made it");
        else
            find_object(block, RT_FINDING_UNWRITTEN, place, object->made, "reads", space_name(object),
                        "that nothing has written since", "made it");
    }
    if (access & BLOCK_WRITES) mark_written(object, &own->piece);
    keep_use(block, object, own);
}

void block_access(BlockPart *part, uint32_t place, BlockAccess access, const uint64_t *words,
                  const BlockPending *pending) {
    Block *block = part->block;
    BlockUse own = {.writes = access & BLOCK_WRITES};
    if (!block_read_piece(words, block->all_bytes, &own.piece))
        block_fail(block, place,
                   "accesses %" PRIu64 " rows of %" PRIu64 " bytes, %" PRIu64 " apart, from byte %" PRIu64
                   " of the block's memory, which has %" PRIu64,
                   words[1], words[2], words[3], words[0], block->bytes);
    if (!own.piece.rows) return;
    BlockObject *object = block_find_object(block, place, &own.piece);
    if (!block->launch->checks) return;
    own.actor = make_actor(part, place, pending);
    check_access(part, object, &own, access);
}

uint64_t block_operate_READ(const BlockCall *call) {
    block_access(call->part, call->place, BLOCK_READS, call->operands, NULL);
    return 0;
}

uint64_t block_operate_WRITE(const BlockCall *call) {
    block_access(call->part, call->place, BLOCK_WRITES, call->operands, NULL);
    return 0;
}

// ---- the end --------------------------------------------------------------------------------------------------------

// Operations that nobody has waited for. cp.async does no harm then.
static void check_awaited(BlockPart *part, const BlockUse *use) {
    Block *block = part->block;
    if (use->actor.kind == BLOCK_BY_PART || use->actor.queue == BLOCK_COPIES || knows(part, &use->actor) ||
        !block_is_new(block, use->actor.place, 0))
        return;
    Buffer text = {0};
    block_print_place(block, use->actor.place, &text);
    buffer_print(&text, " %s shared or tensor memory, and the block ends without a wait that says that it is done",
                 use->writes ? "writes" : "reads");
    block_find(block, RT_FINDING_NEVER_AWAITED, use->actor.place, 0, &text);
}

void block_check_end(BlockPart *part) {
    const BlockObjects *objects = &part->block->objects;
    if (!part->block->launch->checks) return;
    for (uint32_t i = 0; i < objects->count; i++)
        for (uint32_t k = 0; k < objects->items[i].use_count; k++) check_awaited(part, &objects->items[i].uses[k]);
    block_check_bytes(part->block);
}
