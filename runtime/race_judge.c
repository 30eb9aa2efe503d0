// SPDX-License-Identifier: Apache-2.0
// All races of a launch whose blocks run one at a time. Memory that is accessed has cells, as large as the elements
// that are accessed there. A cell knows the accesses that a later one may race with: the last store, and the loads and
// atomic accesses since. What orders accesses are the clocks of blocks: a block's own number grows with each release;
// with what it has acquired comes what the releasing block had seen (Flanagan, Freund, "FastTrack: efficient and
// precise dynamic race detection", PLDI 2009).
//
// A store that leaves memory as it was does no harm, and a race of such ones is told apart: what is stored is compared
// when another block gets its turn.
#include "runtime/races.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BITS = 13, // of half bytes
    PAGE_SIZE = 1 << PAGE_BITS,
    GRAIN_BITS_MAX = 4, // a cell has at most 8 bytes
    MEMO_SIZE = 64,
};
static const size_t JUDGE_BYTES_MAX = (size_t)3 << 30;

enum { CELL_CHANGED = 1, CELL_EQUAL_RACE = 2, CELL_RACE = 4 };
typedef struct JudgeCell {
    uint32_t store;          // access; 0: none
    uint32_t loads, atomics; // lists of accesses since the store
    uint32_t released;       // clocks, by what an atomic operation has written here
    uint32_t open;           // 1 + number among what the running block has stored; 0: it has not
    uint32_t flags;
} JudgeCell;

typedef struct JudgePage {
    JudgeCell *cells; // NULL: nothing was accessed
    unsigned grain;   // log2 of the half bytes of a cell
} JudgePage;

typedef struct JudgeAccess {
    uint32_t block, clock, op, kind;
} JudgeAccess;

typedef struct JudgeNode {
    uint32_t access, next;
} JudgeNode;

// Where the running block has stored.
typedef struct JudgeOpen {
    uint64_t place, size, before; // `before`: what memory held
    bool plain, late;             // plain: not by atomics alone; late: it was stored before `before` was known
    bool changed;                 // set at the end of the turn
} JudgeOpen;

// A race with a store whose effect is not known yet.
typedef struct JudgePending {
    size_t open;
    uint32_t earlier, later;
    bool changed; // by the earlier access
} JudgePending;

typedef struct JudgeMemo {
    uint32_t list, access, result;
} JudgeMemo;

typedef struct JudgeBlock {
    uint32_t clocks, own;
} JudgeBlock;

struct RaceJudge {
    const RtCheckedLaunch *launch;
    const HostLaunch *abi;
    HostRecords records; // of the kernel
    RtRaces *races;
    size_t bytes; // of memory in use
    bool stopped; // too many
    bool acquires;
    RaceClocks clocks;
    JudgeBlock *blocks;
    JudgePage **pages; // per buffer
    JudgeAccess *accesses;
    JudgeNode *nodes;
    JudgeOpen *open;
    JudgePending *pending;
    size_t access_count, access_room, node_count, node_room, open_count, open_room, pending_count, pending_room;
    JudgeMemo memo[MEMO_SIZE];
};

// ---- memory of the judge --------------------------------------------------------------------------------------------

static bool stop(RaceJudge *j) {
    j->stopped = j->races->incomplete = true;
    return false;
}

static bool take(RaceJudge *j, size_t bytes) {
    j->bytes += bytes;
    return j->bytes <= JUDGE_BYTES_MAX || stop(j);
}

static bool grow(RaceJudge *j, void *items, size_t count, size_t *room, size_t size) {
    void **at = items;
    if (count < *room) return true;
    size_t more = *room ? 2 * *room : 1024;
    if (!take(j, (more - *room) * size)) return false;
    void *grown = realloc(*at, more * size);
    if (!grown) return stop(j);
    *at = grown;
    *room = more;
    return true;
}

RaceJudge *race_judge_open(const RtCheckedLaunch *launch, const HostLaunch *abi, RtRaces *races) {
    RaceJudge *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    j->launch = launch;
    j->abi = abi;
    j->records = launch->kernel->records;
    j->races = races;
    race_clocks_open(&j->clocks, launch->block_count);
    for (uint32_t i = 0; i < launch->kernel->access_count; i++)
        j->acquires |= launch->kernel->accesses[i].kind & HOST_ACCESS_ACQUIRES;
    size_t blocks = launch->block_count > UINT32_MAX ? 0 : launch->block_count;
    j->pages = calloc(launch->buffer_count + 1, sizeof *j->pages);
    j->blocks = blocks && take(j, blocks * sizeof *j->blocks) ? calloc(blocks, sizeof *j->blocks) : NULL;
    j->access_count = j->node_count = 1; // 0 is none
    if (!j->pages || !j->blocks) stop(j);
    return j;
}

static size_t page_count(const HostRange *buffer) {
    return ((2 * buffer->end - 1) >> PAGE_BITS) - ((2 * buffer->begin) >> PAGE_BITS) + 1;
}

void race_judge_close(RaceJudge *j) {
    if (!j) return;
    for (uint64_t b = 0; j->pages && b < j->launch->buffer_count; b++) {
        for (size_t p = 0; j->pages[b] && p < page_count(&j->launch->buffers[b]); p++) free(j->pages[b][p].cells);
        free(j->pages[b]);
    }
    free(j->pages);
    free(j->blocks);
    free(j->accesses);
    free(j->nodes);
    free(j->open);
    free(j->pending);
    race_clocks_close(&j->clocks);
    free(j);
}

// ---- what memory holds ----------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

// The payload of a float that shares bytes with the address, if there is one.
static uint64_t mix_record(const RaceJudge *j, uint64_t hash, unsigned width, uint64_t address) {
    const HostShadow *shadow = j->abi->shadow;
    uint64_t words = shadow->planes[width] + (address >> width) * sizeof(uint32_t);
    const uint64_t distance = shadow->plane_bytes >> width;
    uint32_t state = *(const uint32_t *)(uintptr_t)words;
    if (!(state & HOST_RECORD_VALID)) return hash;
    hash = mix(hash, state);
    for (unsigned i = 0; i < 4; i++) { // without who stored it
        const uint32_t word = *(const uint32_t *)(uintptr_t)(words + (1 + i) * distance);
        hash = mix(hash, word & host_component_mask(j->records, i));
    }
    return hash;
}

static uint64_t contents(const RaceJudge *j, uint64_t place, uint64_t size) {
    uint64_t hash = size;
    if (size == 1) {
        uint8_t byte = *(const uint8_t *)(uintptr_t)(place / 2);
        return mix(hash, byte >> 4 * (place & 1) & 15);
    }
    uint64_t bits = 0;
    memcpy(&bits, (const void *)(uintptr_t)(place / 2), size / 2); // at most 8 bytes
    hash = mix(hash, bits);
    for (unsigned k = 0; j->abi->shadow && k < HOST_SHADOW_WIDTHS; k++) {
        if (!(j->abi->all_widths >> k & 1)) continue;
        for (uint64_t at = place / 2 >> k; at <= (place + size - 1) / 2 >> k; at++)
            hash = mix_record(j, hash, k, at << k);
    }
    return hash;
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// The number of the buffer that a place lies in; buffer_count: none.
static uint64_t find_buffer(const RaceJudge *j, uint64_t place) {
    uint64_t low = 0, high = j->launch->buffer_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (place < 2 * j->launch->buffers[middle].begin)
            high = middle;
        else if (place >= 2 * j->launch->buffers[middle].end)
            low = middle + 1;
        else
            return middle;
    }
    return j->launch->buffer_count;
}

// Cells of 2^grain half bytes.
static bool refine(RaceJudge *j, JudgePage *page, unsigned grain) {
    const size_t count = PAGE_SIZE >> grain;
    if (!take(j, count * sizeof(JudgeCell))) return false;
    JudgeCell *cells = calloc(count, sizeof *cells);
    if (!cells) return stop(j);
    for (size_t i = 0; page->cells && i < count; i++) cells[i] = page->cells[i >> (page->grain - grain)];
    free(page->cells);
    *page = (JudgePage){cells, grain};
    return true;
}

// The page of a place in buffer `b`, with cells no larger than 2^grain; NULL: no memory.
static JudgePage *find_page(RaceJudge *j, uint64_t b, uint64_t place, unsigned grain) {
    const HostRange *buffer = &j->launch->buffers[b];
    if (!j->pages[b]) {
        if (!take(j, page_count(buffer) * sizeof *j->pages[b])) return NULL;
        j->pages[b] = calloc(page_count(buffer), sizeof *j->pages[b]);
        if (!j->pages[b]) stop(j);
        if (!j->pages[b]) return NULL;
    }
    JudgePage *page = &j->pages[b][(place >> PAGE_BITS) - ((2 * buffer->begin) >> PAGE_BITS)];
    if (page->cells && page->grain <= grain) return page;
    return refine(j, page, grain) ? page : NULL;
}

static JudgeCell *cell_of(const JudgePage *page, uint64_t place) {
    return &page->cells[(place & (PAGE_SIZE - 1)) >> page->grain];
}

// ---- order ----------------------------------------------------------------------------------------------------------

static bool is_before(const RaceJudge *j, uint32_t access, uint64_t block) {
    const JudgeAccess *a = &j->accesses[access];
    return a->block == block || a->clock <= race_clock_get(&j->clocks, j->blocks[block].clocks, a->block);
}

// The list with the access, without those that are before it. Without acquires two of different blocks are enough: what
// is not ordered with all is not with one of them.
static uint32_t add_to_list(RaceJudge *j, uint32_t list, uint32_t access) {
    JudgeMemo *memo = &j->memo[(list * 31u + access) % MEMO_SIZE];
    if (memo->access == access && memo->list == list) return memo->result;
    const uint64_t block = j->accesses[access].block;
    uint32_t result = 0, kept = 0;
    for (uint32_t n = list; n; n = j->nodes[n].next) {
        uint32_t other = j->nodes[n].access;
        bool same_kind = j->accesses[other].kind == j->accesses[access].kind;
        if (is_before(j, other, block) && (same_kind || !(j->accesses[other].kind & HOST_ACCESS_WRITES))) continue;
        if (!j->acquires && same_kind && kept++ >= 2) continue;
        if (!grow(j, &j->nodes, j->node_count, &j->node_room, sizeof *j->nodes)) return 0;
        j->nodes[j->node_count] = (JudgeNode){other, result};
        result = (uint32_t)j->node_count++;
    }
    if (!grow(j, &j->nodes, j->node_count, &j->node_room, sizeof *j->nodes)) return 0;
    j->nodes[j->node_count] = (JudgeNode){access, result};
    result = (uint32_t)j->node_count++;
    *memo = (JudgeMemo){list, access, result};
    return result;
}

// ---- what was found -------------------------------------------------------------------------------------------------

static RtBuffer *named_buffer(const RaceJudge *j, uint64_t b) {
    for (uint32_t i = 0; i < j->launch->argument_count; i++)
        if (j->launch->arguments[i].buffer && j->launch->arguments[i].buffer->address == j->launch->buffers[b].begin)
            return j->launch->arguments[i].buffer;
    return NULL;
}

static RtRace *find_race(RaceJudge *j, RtBuffer *buffer, uint32_t earlier, uint32_t later) {
    RtRaces *races = j->races;
    for (uint32_t i = 0; i < races->count; i++)
        if (races->races[i].buffer == buffer && races->races[i].sides[0].access == j->accesses[earlier].op &&
            races->races[i].sides[1].access == j->accesses[later].op)
            return &races->races[i];
    if (races->count == RT_RACES_MAX) {
        races->more = true;
        return NULL;
    }
    races->races[races->count] = (RtRace){.buffer = buffer};
    return &races->races[races->count++];
}

// Two accesses that race in a cell.
typedef struct FoundRace {
    uint64_t buffer; // among those of the launch
    JudgeCell *cell;
    uint64_t place, size; // half bytes
    uint32_t earlier, later;
    bool changes;
} FoundRace;

static void report(RaceJudge *j, const FoundRace *found) {
    RtBuffer *buffer = named_buffer(j, found->buffer);
    uint32_t *flags = &found->cell->flags;
    if (*flags & CELL_RACE || (*flags & CELL_EQUAL_RACE && !found->changes)) return;
    RtRace *race = find_race(j, buffer, found->earlier, found->later);
    *flags |= found->changes ? CELL_RACE : CELL_EQUAL_RACE;
    if (!race) return;
    if (found->changes ? !race->changing : !race->changing && !race->equal) {
        const JudgeAccess *a = &j->accesses[found->earlier], *c = &j->accesses[found->later];
        race->first = found->place - 2 * j->launch->buffers[found->buffer].begin;
        race->sides[0] = (RtRaceSide){a->block, a->op};
        race->sides[1] = (RtRaceSide){c->block, c->op};
    }
    *(found->changes ? &race->changing : &race->equal) += found->size;
}

// ---- one access to one cell -----------------------------------------------------------------------------------------

typedef struct Touch {
    RaceJudge *j;
    uint64_t block, buffer;
    uint32_t access, kind;
} Touch;

static bool open_cell(const Touch *t, JudgeCell *cell, uint64_t place, uint64_t size) {
    RaceJudge *j = t->j;
    const bool plain = !(t->kind & HOST_ACCESS_ATOMIC), late = t->kind & HOST_ACCESS_LOGGED_LATE;
    if (cell->open) {
        j->open[cell->open - 1].plain |= plain;
        return true;
    }
    if (j->open_count == UINT32_MAX || !grow(j, &j->open, j->open_count, &j->open_room, sizeof *j->open)) return false;
    j->open[j->open_count++] = (JudgeOpen){place, size, late ? 0 : contents(j, place, size), plain, late, false};
    cell->open = (uint32_t)j->open_count;
    return true;
}

// The access races with an earlier one, if that is not ordered before it.
static void meet(const Touch *t, JudgeCell *cell, uint64_t place, uint64_t size, uint32_t earlier) {
    RaceJudge *j = t->j;
    if (!earlier || is_before(j, earlier, t->block)) return;
    const JudgeAccess *other = &j->accesses[earlier];
    const bool changed = other->kind & HOST_ACCESS_WRITES && cell->flags & CELL_CHANGED;
    if (!(t->kind & HOST_ACCESS_WRITES)) {
        report(j, &(FoundRace){t->buffer, cell, place, size, earlier, t->access, changed});
        return;
    }
    if (!grow(j, &j->pending, j->pending_count, &j->pending_room, sizeof *j->pending)) return;
    const bool both_plain = !((other->kind | t->kind) & HOST_ACCESS_ATOMIC);
    j->pending[j->pending_count++] = (JudgePending){cell->open - 1, earlier, t->access, changed && !both_plain};
}

// A release goes on through atomic operations of others that read and write, and ends with a store.
static void synchronise(const Touch *t, JudgeCell *cell) {
    RaceJudge *j = t->j;
    JudgeBlock *own = &j->blocks[t->block];
    const uint32_t released = cell->released;
    if (t->kind & HOST_ACCESS_ACQUIRES && released) own->clocks = race_clock_join(&j->clocks, own->clocks, released);
    if (!(t->kind & HOST_ACCESS_WRITES)) return;
    uint32_t left = t->kind & HOST_ACCESS_READS ? released : 0;
    if (t->kind & HOST_ACCESS_RELEASES) left = race_clock_join(&j->clocks, left, own->clocks);
    cell->released = left;
}

static void touch(const Touch *t, JudgeCell *cell, uint64_t place, uint64_t size) {
    RaceJudge *j = t->j;
    const bool writes = t->kind & HOST_ACCESS_WRITES, atomic = t->kind & HOST_ACCESS_ATOMIC;
    if (atomic) synchronise(t, cell);
    if (writes && !open_cell(t, cell, place, size)) return;
    meet(t, cell, place, size, cell->store);
    for (uint32_t n = writes ? cell->loads : 0; n; n = j->nodes[n].next) meet(t, cell, place, size, j->nodes[n].access);
    for (uint32_t n = atomic ? 0 : cell->atomics; n; n = j->nodes[n].next)
        if (writes || j->accesses[j->nodes[n].access].kind & HOST_ACCESS_WRITES)
            meet(t, cell, place, size, j->nodes[n].access);
    if (j->stopped) return;
    if (atomic)
        cell->atomics = add_to_list(j, cell->atomics, t->access);
    else if (!writes)
        cell->loads = add_to_list(j, cell->loads, t->access);
    else
        cell->store = t->access, cell->loads = cell->atomics = cell->released = 0;
}

// Cells of at most 2^grain half bytes in [place, place + size).
static void touch_run(const Touch *t, uint64_t place, uint64_t size, unsigned grain) {
    for (uint64_t end = place + size; place < end;) {
        JudgePage *page = find_page(t->j, t->buffer, place, grain);
        if (!page) return;
        uint64_t stop_at = (place | (PAGE_SIZE - 1)) + 1, step = UINT64_C(1) << page->grain;
        if (stop_at > end) stop_at = end;
        for (; place < stop_at && !t->j->stopped; place += step) touch(t, cell_of(page, place), place, step);
        if (t->j->stopped) return;
    }
}

// ---- an access ------------------------------------------------------------------------------------------------------

static uint32_t note_access(RaceJudge *j, uint64_t block, uint32_t op, uint32_t kind) {
    const JudgeAccess *last = j->access_count > 1 ? &j->accesses[j->access_count - 1] : NULL;
    const uint32_t clock = j->blocks[block].own;
    if (last && last->block == block && last->clock == clock && last->op == op) return (uint32_t)j->access_count - 1;
    if (j->access_count == UINT32_MAX) stop(j);
    if (j->stopped || !grow(j, &j->accesses, j->access_count, &j->access_room, sizeof *j->accesses)) return 0;
    j->accesses[j->access_count] = (JudgeAccess){(uint32_t)block, clock, op, kind};
    return (uint32_t)j->access_count++;
}

static unsigned grain_of(const HostAccess *access) {
    uint64_t all = access->first | (uint64_t)access->size | UINT64_C(1) << GRAIN_BITS_MAX;
    for (uint32_t d = 0; d < access->rank; d++) all |= (uint64_t)access->dimensions[d].stride;
    return (unsigned)__builtin_ctzll(all);
}

static void tick(RaceJudge *j, uint64_t block) {
    JudgeBlock *own = &j->blocks[block];
    own->clocks = race_clock_set(&j->clocks, own->clocks, block, ++own->own);
}

void race_judge_access(RaceJudge *j, uint64_t block, const HostAccess *access) {
    const uint32_t kind = j->launch->kernel->accesses[access->op].kind;
    const uint64_t buffer = find_buffer(j, access->first);
    if (j->stopped || buffer == j->launch->buffer_count) return;
    if (!j->blocks[block].own) tick(j, block);
    Touch t = {j, block, buffer, note_access(j, block, access->op, kind), kind};
    RaceBox box;
    RaceCutter cutter = {0};
    while (!j->stopped && race_next_box(&cutter, access, &box))
        for (uint64_t y = 0; y < box.counts[1]; y++)
            for (uint64_t x = 0; x < box.counts[0]; x++)
                touch_run(&t, box.first + y * box.strides[1] + x * box.strides[0], box.run, grain_of(access));
    if (kind & HOST_ACCESS_RELEASES) tick(j, block);
    if (j->clocks.full) stop(j);
}

// ---- the end of a turn ----------------------------------------------------------------------------------------------

static void close_open(RaceJudge *j, JudgeOpen *open) {
    JudgePage *page = find_page(j, find_buffer(j, open->place), open->place, GRAIN_BITS_MAX);
    open->changed = open->late || contents(j, open->place, open->size) != open->before;
    if (!page) return;
    for (uint64_t at = open->place; at < open->place + open->size; at += UINT64_C(1) << page->grain) {
        JudgeCell *cell = cell_of(page, at);
        cell->open = 0;
        if (open->plain) cell->flags &= ~(uint32_t)CELL_CHANGED;
        if (open->changed) cell->flags |= CELL_CHANGED;
    }
}

void race_judge_pause(RaceJudge *j) {
    for (size_t i = 0; i < j->open_count && !j->stopped; i++) close_open(j, &j->open[i]);
    for (size_t i = 0; i < j->pending_count && !j->stopped; i++) {
        const JudgePending *pending = &j->pending[i];
        const JudgeOpen *open = &j->open[pending->open];
        const uint64_t b = find_buffer(j, open->place);
        JudgePage *page = find_page(j, b, open->place, GRAIN_BITS_MAX);
        if (page)
            report(j, &(FoundRace){b, cell_of(page, open->place), open->place, open->size, pending->earlier,
                                   pending->later, open->changed || pending->changed});
    }
    j->open_count = j->pending_count = 0;
}
