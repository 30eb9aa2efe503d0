// SPDX-License-Identifier: Apache-2.0
// Accesses of a block's threads: whether they are to memory that the block may touch, and whether they race with
// accesses of other threads of the block.
//
// Two accesses of different threads to a byte, one of them a write and not both atomic, race unless a barrier of the
// block or an operation of their warp orders them. Memory has cells for that, which tell who touched it since the last
// barrier of the block: a barrier makes all of them stale at once (the epoch), and their memory is taken anew. Cells
// are as large as the accesses to their line allow, 16 bytes at most. One check is a few comparisons, and finds every
// race of the block in the order its threads happen to run in, which is the same in every run, and in most others: what
// it keeps are the accesses that are not ordered before each other. It forgets where that is more than SHADOW_BYTES or
// FAR_LINES_MAX hold; then, and in warps where only some lanes come to an operation, a race may be missed. It reports
// none that is not there.
#include "runtime/simt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_SHIFT = 6,
    CELL_SHIFT_MAX = 4,
    FAR_LINES = 1 << 18, // of the table
    FAR_LINES_MAX = FAR_LINES / 2,
    PLACE_UNKNOWN = UINT16_MAX,
};
#define SHADOW_BYTES ((size_t)64 << 20)

static void *map_zeros(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t shared_table_bytes(size_t shared_bytes) {
    return ((shared_bytes >> LINE_SHIFT) + 1) * sizeof(SimtLine);
}

bool simt_shadow_open(SimtShadow *shadow, size_t shared_bytes) {
    shadow->shared = map_zeros(shared_table_bytes(shared_bytes));
    shadow->far = map_zeros(FAR_LINES * sizeof(SimtLine));
    shadow->cells = map_zeros(SHADOW_BYTES);
    return shadow->shared && shadow->far && shadow->cells;
}

void simt_shadow_close(SimtShadow *shadow, size_t shared_bytes) {
    if (shadow->shared) munmap(shadow->shared, shared_table_bytes(shared_bytes));
    if (shadow->far) munmap(shadow->far, FAR_LINES * sizeof(SimtLine));
    if (shadow->cells) munmap(shadow->cells, SHADOW_BYTES);
}

void simt_shadow_forget(SimtShadow *shadow) {
    shadow->epoch++;
    shadow->far_count = 0;
    shadow->cells_used = 0;
}

// ---- who is ordered before whom

// The access that races with one by lane `lane` of warp `warp`, if any does.
static bool find_unordered(const SimtWorker *worker, const SimtAccess *access, uint32_t warp, uint32_t lane,
                           uint32_t *thread, uint32_t *place) {
    if (!access->warp) return false;
    if (access->other && (access->other - 1u) / SIMT_WARP != warp) {
        *thread = access->other - 1u;
        *place = access->other_place;
        return true;
    }
    *place = access->place;
    if (access->warp - 1u != warp) {
        *thread = (access->warp - 1u) * SIMT_WARP + (uint32_t)__builtin_ctz(access->lanes);
        return true;
    }
    const SimtWarp *own = &worker->warps[warp];
    uint32_t lanes = access->lanes & ~(1u << lane);
    if (!own->split && access->time < own->time) return false;
    if (own->split)
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (own->seen[lane][__builtin_ctz(rest)] > access->time) lanes &= ~(rest & -rest);
    if (!lanes) return false;
    *thread = warp * SIMT_WARP + (uint32_t)__builtin_ctz(lanes);
    return true;
}

// Adds an access to those noted, of which it replaces those that are ordered before it: what is ordered after it is
// ordered after them.
static void add_access(const SimtWorker *worker, SimtAccess *access, uint32_t warp, uint32_t lane, uint32_t place) {
    const SimtWarp *own = &worker->warps[warp];
    const uint16_t time = (uint16_t)(own->split ? own->seen[lane][lane] : own->time);
    const uint16_t short_place = place < PLACE_UNKNOWN ? (uint16_t)place : PLACE_UNKNOWN;
    if (access->warp && access->warp != warp + 1) {
        if (access->other) return; // there are accesses of two warps, so that one of them races with any
        access->other = (uint16_t)(warp * SIMT_WARP + lane + 1);
        access->other_place = short_place;
        return;
    }
    uint32_t kept = 0;
    if (access->warp && !own->split) {
        kept = access->time == time ? access->lanes : 0;
    } else if (access->warp) {
        for (uint32_t rest = access->lanes & ~(1u << lane); rest; rest &= rest - 1)
            if (own->seen[lane][__builtin_ctz(rest)] <= access->time) kept |= rest & -rest;
    }
    // Lanes of different times share the earlier one: a race may be missed, none is invented.
    access->time = kept && access->time < time ? access->time : time;
    access->lanes = kept | 1u << lane;
    access->warp = (uint16_t)(warp + 1);
    access->place = short_place;
}

// ---- cells

// The line's cells become no larger than 2^shift bytes. False: there is no room.
static bool refine_line(SimtShadow *shadow, SimtLine *line, uint32_t shift) {
    const size_t bytes = ((size_t)1 << (LINE_SHIFT - shift)) * sizeof(SimtCell);
    if (shadow->cells_used + bytes > SHADOW_BYTES) return false;
    SimtCell *cells = (SimtCell *)(void *)(shadow->cells + shadow->cells_used);
    shadow->cells_used += bytes;
    if (line->epoch == shadow->epoch)
        for (uint32_t i = 0; i < 1u << (LINE_SHIFT - shift); i++) cells[i] = line->cells[i >> (line->shift - shift)];
    else
        memset(cells, 0, bytes);
    line->cells = cells;
    line->shift = shift;
    line->epoch = shadow->epoch;
    return true;
}

// The entry of the line in the table, where it is or should be; NULL if the table is full.
static SimtLine *find_far_line(SimtShadow *shadow, uint64_t line) {
    // Four neighbours stay neighbours.
    uint64_t at = ((line >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 32) * 4 + line % 4;
    for (;; at++) {
        SimtLine *found = &shadow->far[at % FAR_LINES];
        if (found->epoch != shadow->epoch) {
            if (shadow->far_count >= FAR_LINES_MAX) return NULL;
            shadow->far_count++;
            found->line = line;
            return found;
        }
        if (found->line == line) return found;
    }
}

// The line, with cells of at most 2^shift bytes. If there is no room everything is forgotten first.
static SimtLine *open_line(SimtWorker *worker, uint64_t address, uint32_t shift) {
    SimtShadow *shadow = &worker->shadow;
    const uint64_t offset = address - (uint64_t)(uintptr_t)worker->shared;
    for (;;) {
        SimtLine *line = offset < worker->shared_bytes ? &shadow->shared[offset >> LINE_SHIFT]
                                                       : find_far_line(shadow, address >> LINE_SHIFT);
        if (line && line->epoch == shadow->epoch && line->shift <= shift) return line;
        if (line && refine_line(shadow, line, shift)) return line;
        simt_shadow_forget(shadow);
    }
}

// flags -> kinds of cells that an access races with, the kind that it is, and what the thread does
static const struct AccessRow {
    uint32_t races;
    uint32_t kind;
    SimtDoing doing;
} access_rows[] = {
    [SIMT_READ] = {1u << SIMT_CELL_WRITE | 1u << SIMT_CELL_ATOMIC_WRITE, SIMT_CELL_READ, SIMT_READS},
    [SIMT_READ | SIMT_ATOMIC] = {1u << SIMT_CELL_WRITE, SIMT_CELL_ATOMIC_READ, SIMT_READS},
    [SIMT_WRITE] = {(1u << SIMT_CELL_KINDS) - 1, SIMT_CELL_WRITE, SIMT_WRITES},
    [SIMT_WRITE | SIMT_ATOMIC] = {1u << SIMT_CELL_WRITE | 1u << SIMT_CELL_READ, SIMT_CELL_ATOMIC_WRITE, SIMT_UPDATES},
};
static const SimtDoing cell_doing[] = {SIMT_WRITES, SIMT_UPDATES, SIMT_READS, SIMT_READS}; // by kind of cell
_Static_assert(BASE_COUNT(cell_doing) == SIMT_CELL_KINDS, "a row for each kind");

static bool check_cell(SimtWorker *worker, SimtCell *cell, uint32_t thread, const struct AccessRow *row,
                       uint32_t place) {
    const uint32_t warp = thread / SIMT_WARP, lane = thread % SIMT_WARP;
    const SimtAccess *own = &cell->access[row->kind];
    // The same again: whatever raced with it would have raced with the first one.
    if (own->warp == warp + 1 && own->lanes >> lane & 1 && own->time == worker->warps[warp].time &&
        !worker->warps[warp].split)
        return true;
    SimtSide other = {0};
    for (uint32_t kind = 0; kind < SIMT_CELL_KINDS; kind++)
        if (row->races >> kind & 1 &&
            find_unordered(worker, &cell->access[kind], warp, lane, &other.thread, &other.place)) {
            other.doing = cell_doing[kind];
            worker->fault = (SimtFault){.kind = SIMT_FAULT_RACE, .sides = {other, {thread, place, row->doing}}};
            return false;
        }
    // A plain write is ordered after all accesses before it.
    if (row->kind == SIMT_CELL_WRITE) memset(cell, 0, sizeof *cell);
    add_access(worker, &cell->access[row->kind], warp, lane, place);
    return true;
}

static bool check_races(SimtWorker *worker, uint32_t thread, uint64_t address, uint32_t bytes,
                        const struct AccessRow *row, uint32_t place) {
    for (uint64_t end = address + bytes; address < end;) {
        const uint64_t next = ((address >> LINE_SHIFT) + 1) << LINE_SHIFT, stop = next < end ? next : end;
        const uint32_t shift = (uint32_t)__builtin_ctzll(address | stop | 1u << CELL_SHIFT_MAX);
        SimtLine *line = open_line(worker, address, shift);
        const uint32_t in_line = (1u << LINE_SHIFT) - 1;
        for (uint32_t i = (uint32_t)(address & in_line) >> line->shift;
             i <= (uint32_t)((stop - 1) & in_line) >> line->shift; i++)
            if (!check_cell(worker, &line->cells[i], thread, row, place)) {
                worker->fault.address = (address & ~(uint64_t)in_line) + ((uint64_t)i << line->shift);
                return false;
            }
        address = stop;
    }
    return true;
}

// ---- what may be touched

static bool is_inside(uint64_t begin, uint64_t size, uint64_t address, uint32_t bytes) {
    return address - begin < size && size - (address - begin) >= bytes;
}

static bool is_in_buffer(SimtWorker *worker, uint64_t address, uint32_t bytes) {
    const HostLaunch *host = &worker->launch->host;
    uint64_t low = 0, high = host->buffer_count; // the buffer is among them
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const HostRange *buffer = &host->buffers[middle];
        if (is_inside(buffer->begin, buffer->end - buffer->begin, address, bytes)) {
            worker->recent = *buffer;
            return true;
        }
        if (address < buffer->begin)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

// Scratch: of the slot that the block has taken first, which must be locked. False and the fault.
static bool check_scratch(SimtWorker *worker, uint64_t address, uint32_t bytes) {
    SimtLaunch *launch = worker->launch;
    const uint64_t offset = address - (uint64_t)(uintptr_t)launch->scratch;
    const int64_t slot = (int64_t)(offset / launch->scratch_bytes);
    if (worker->scratch_slot < 0) worker->scratch_slot = slot;
    return slot == worker->scratch_slot && offset % launch->scratch_bytes + bytes <= launch->scratch_bytes &&
           __atomic_load_n(&launch->locks[slot], __ATOMIC_RELAXED);
}

// What the launch tells the kernel. A lock that is touched may be given back: what the block takes next may be another.
static bool is_of_launch(SimtWorker *worker, uint64_t address, uint32_t bytes, uint32_t flags) {
    const SimtLaunch *launch = worker->launch;
    const HostLaunch *host = &launch->host;
    const KernelInfo *kernel = launch->kernel;
    const uint64_t arguments = (uint64_t)kernel->parameter_count + kernel->global_count;
    const struct {
        const void *begin;
        uint64_t size;
        bool write;
    } parts[] = {
        {launch->locks, launch->locks ? launch->slots * sizeof *launch->locks : 0, true},
        {&launch->fault, sizeof launch->fault, true},
        {launch->prints, launch->prints_bytes, true},
        {kernel->launch, sizeof *kernel->launch, false},
        {host->argument_ranges, arguments * sizeof(HostRange), false},
        {host->buffers, host->buffer_count * sizeof(HostRange), false},
        {host->arguments, arguments * sizeof(uint64_t), false},
    };
    for (size_t i = 0; i < BASE_COUNT(parts); i++)
        if (is_inside((uint64_t)(uintptr_t)parts[i].begin, parts[i].size, address, bytes) &&
            (parts[i].write || !(flags & SIMT_WRITE))) {
            if (i == 0) worker->scratch_slot = -1;
            return true;
        }
    return false;
}

// What kind of memory is touched.
typedef struct SimtSpace {
    SimtFaultKind fault; // why that is not allowed, if it is not
    bool shared;         // others see it: accesses can race
    uint64_t begin;      // messages count from here, if there is a name
    const char *name;
} SimtSpace;

static SimtSpace find_space(SimtWorker *worker, uint32_t thread, uint64_t address, uint32_t bytes, uint32_t flags) {
    const uint64_t shared = (uint64_t)(uintptr_t)worker->shared;
    if (is_inside(shared, worker->shared_bytes, address, bytes))
        return (SimtSpace){.shared = true, .begin = shared, .name = "shared memory"};
    if (is_inside(worker->recent.begin, worker->recent.end - worker->recent.begin, address, bytes) ||
        is_in_buffer(worker, address, bytes))
        return (SimtSpace){.shared = true};
    const SimtLaunch *launch = worker->launch;
    const uint64_t scratch = (uint64_t)(uintptr_t)launch->scratch;
    if (address - scratch < launch->slots * launch->scratch_bytes)
        return (SimtSpace){.fault = check_scratch(worker, address, bytes) ? SIMT_FAULT_NONE : SIMT_FAULT_SCRATCH,
                           .shared = true,
                           .begin = address - (address - scratch) % launch->scratch_bytes,
                           .name = "the block's scratch"};
    const SimtFiber *fiber = &worker->thread[thread].fiber; // what is on the thread's stack is its own
    if (is_inside((uint64_t)(uintptr_t)fiber->stack, fiber->stack_bytes, address, bytes) ||
        is_of_launch(worker, address, bytes, flags))
        return (SimtSpace){0};
    const bool near = address - shared + worker->shared_bytes < 3 * worker->shared_bytes; // that was meant, then
    return (SimtSpace){.fault = SIMT_FAULT_BOUNDS, .begin = shared, .name = near ? "shared memory" : NULL};
}

// What a GPU asks of the address: an access has at most 32 bytes there, and is aligned as its size is.
static uint32_t needed_alignment(uint32_t bytes, uint32_t flags) {
    const uint32_t known = flags >> SIMT_ALIGNMENT_SHIFT, size = 31 - (uint32_t)__builtin_clz(bytes);
    const uint32_t least = known < size ? known : size;
    return 1u << (least < 5 ? least : 5);
}

bool simt_check_access(SimtWorker *worker, uint32_t thread, uint64_t address, uint32_t bytes, uint32_t flags,
                       uint32_t place) {
    const uint32_t atomic = flags & SIMT_ATOMIC, alignment = needed_alignment(bytes, flags);
    const struct AccessRow *row = &access_rows[atomic | (flags & SIMT_WRITE ? SIMT_WRITE : SIMT_READ)];
    const SimtSpace space = find_space(worker, thread, address, bytes, flags);
    SimtFaultKind kind = space.fault;
    if (!kind && address % alignment) kind = SIMT_FAULT_ALIGNMENT;
    if (!kind && (!space.shared || check_races(worker, thread, address, bytes, row, place))) return true;
    if (kind)
        worker->fault =
            (SimtFault){.kind = kind, .sides = {{thread, place, row->doing}}, .address = address, .number = alignment};
    if (space.name) worker->fault.address -= space.begin;
    worker->fault.space = space.name;
    return false;
}

void simt_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place) {
    SimtWorker *worker = simt_running;
    if (bytes && !simt_check_access(worker, worker->current, (uint64_t)(uintptr_t)address, bytes, flags, place))
        simt_stop(worker);
}
