// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of the lanes of a warp: which memory they may access, and how they get there. All lanes of
// an access are handled at once where they are in one buffer, or in shared memory.
#include "runtime/warp.h"

#include <string.h>

enum { ELEMENTS_MAX = 8, ELEMENT_MAX = 16, WORD_BYTES = 4 };

// ---- what may be accessed

static bool find_buffer(WarpBlock *block, uint64_t address, uint64_t bytes) {
    const HostLaunch *host = &block->launch->host;
    uint64_t low = 0, high = host->buffer_count; // the buffer is among them
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const HostRange *buffer = &host->buffers[middle];
        if (address < buffer->begin) {
            high = middle;
        } else if (address >= buffer->end) {
            low = middle + 1;
        } else {
            block->recent = *buffer;
            return bytes <= buffer->end - address;
        }
    }
    return false;
}

static bool in_range(uint64_t begin, uint64_t end, uint64_t address, uint64_t bytes) {
    return address >= begin && address < end && bytes <= end - address;
}

// Finds the space of an address, and the address in it.
static void split_address(uint32_t space, uint64_t address, WarpWhere *where) {
    const uint64_t window = address >> WARP_WINDOW_SHIFT;
    where->offset = address;
    where->space = (WarpSpace)space;
    if (space != WARP_GENERIC) return;
    const bool known = window == WARP_SHARED || window == WARP_LOCAL || window == WARP_PARAMETER;
    where->space = known ? (WarpSpace)window : WARP_GLOBAL;
    if (known) where->offset = address & ((UINT64_C(1) << WARP_WINDOW_SHIFT) - 1);
}

// False: not all of it is memory that the warp may access. `where` has space and offset in any case.
static bool look(Warp *warp, uint32_t space, uint64_t address, uint64_t bytes, WarpWhere *where) {
    WarpBlock *block = warp->block;
    split_address(space, address, where);
    const uint64_t offset = where->offset;
    where->bytes = NULL;
    switch (where->space) {
    case WARP_SHARED:
        where->bytes = block->shared + offset;
        return in_range(WARP_SHARED_FIRST, block->shared_end, offset, bytes);
    case WARP_LOCAL: return in_range(0, warp->state.local_top, offset, bytes);
    case WARP_PARAMETER:
        where->bytes = (uint8_t *)(uintptr_t)warp->state.parameters + offset;
        return in_range(0, block->kernel->parameter_bytes, offset, bytes);
    case WARP_GLOBAL:
        where->bytes = (uint8_t *)(uintptr_t)offset;
        return in_range(block->recent.begin, block->recent.end, offset, bytes) || find_buffer(block, offset, bytes);
    default: return false;
    }
}

WarpWhere warp_find(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address, uint64_t bytes,
                    uint32_t alignment, bool write) {
    WarpWhere where;
    const bool inside = look(&block->warps[side->agent], space, address, bytes, &where);
    WarpFault fault = {
        .space = (uint8_t)where.space, .sides = {*side}, .address = where.offset, .numbers = {alignment}};
    if (!inside)
        fault.kind = WARP_FAULT_BOUNDS;
    else if (where.offset & (alignment - 1))
        fault.kind = WARP_FAULT_ALIGNMENT;
    else if (write && where.space == WARP_PARAMETER)
        fault.kind = WARP_FAULT_READ_ONLY;
    if (fault.kind) warp_fail(block, fault);
    return where;
}

WarpWhere warp_find_shared(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address, uint64_t bytes,
                           uint32_t alignment) {
    const WarpWhere where = warp_find(block, side, space, address, bytes, alignment, false);
    if (where.space != WARP_SHARED)
        warp_fail(block, (WarpFault){.kind = WARP_FAULT_SPACE,
                                     .space = (uint8_t)where.space,
                                     .sides = {*side},
                                     .address = where.offset});
    return where;
}

// ---- one access of all lanes

typedef struct LaneAccess {
    Warp *warp;
    uint32_t mask;
    const WarpAccess *access;
    const uint64_t *addresses;
    uint32_t size;   // bytes of a lane
    bool one;        // all lanes are in one space and buffer: `where` is what the lowest address is
    uint64_t lowest; // of the addresses
    WarpWhere where;
    bool spread; // lane l is at `base` + l * size
    bool same;   // all are at `lowest`
    uint64_t base;
} LaneAccess;

static WarpSide lane_side(const LaneAccess *a, uint32_t lanes) {
    return (WarpSide){a->access->place, lanes, (uint16_t)a->warp->number};
}

static bool is_spread(uint32_t mask, const uint64_t *addresses, uint32_t size, uint64_t *base) {
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint64_t begin = addresses[first] - (uint64_t)first * size, differs = 0;
    *base = begin;
    if (mask == UINT32_MAX)
        for (uint32_t lane = 0; lane < WARP_LANES; lane++, begin += size) differs |= addresses[lane] ^ begin;
    else
        for (uint32_t lane = 0; lane < WARP_LANES; lane++, begin += size)
            differs |= mask >> lane & 1 ? addresses[lane] ^ begin : 0;
    return !differs;
}

// The lowest address, the distance of the highest one from it, and all bits that an address has.
static void find_extremes(uint32_t mask, const uint64_t *addresses, uint64_t *low, uint64_t *distance, uint64_t *bits) {
    uint64_t lowest = UINT64_MAX, highest = 0, all = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint64_t address = addresses[__builtin_ctz(rest)];
        lowest = address < lowest ? address : lowest;
        highest = address > highest ? address : highest;
        all |= address;
    }
    *low = lowest;
    *distance = highest - lowest;
    *bits = all;
}

static LaneAccess open_lanes(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses) {
    LaneAccess a = {.warp = (Warp *)(void *)state,
                    .mask = mask,
                    .access = access,
                    .addresses = addresses,
                    .size = (uint32_t)access->bytes * access->count};
    uint64_t distance, bits;
    a.warp->place = access->place;
    a.spread = is_spread(mask, addresses, a.size, &a.base);
    if (a.spread) {
        const uint32_t first = (uint32_t)__builtin_ctz(mask), last = WARP_LANES - 1 - (uint32_t)__builtin_clz(mask);
        a.lowest = bits = addresses[first];
        distance = (uint64_t)(last - first) * a.size;
    } else {
        find_extremes(mask, addresses, &a.lowest, &distance, &bits);
        a.same = !distance;
    }
    a.one = distance < UINT64_MAX - a.size && look(a.warp, access->space, a.lowest, distance + a.size, &a.where) &&
            !(bits & (a.size - 1));
    return a;
}

// Where a lane accesses memory that not all lanes have in common.
static WarpWhere find_lane(const LaneAccess *a, uint32_t lane, bool write) {
    if (a->one) {
        WarpWhere where = a->where;
        const uint64_t distance = a->addresses[lane] - a->lowest;
        where.offset += distance;
        if (where.bytes) where.bytes += distance;
        return where;
    }
    const WarpSide side = lane_side(a, UINT32_C(1) << lane);
    return warp_find(a->warp->block, &side, a->access->space, a->addresses[lane], a->size, a->size, write);
}

enum { STRONG = WARP_ACQUIRE | WARP_RELEASE | WARP_RELAXED };

static bool stores_same(const void *store);

// `store`: a LaneStore, or NULL.
static void touch_lanes(const LaneAccess *a, uint32_t flags, const void *store) {
    WarpBlock *block = a->warp->block;
    const uint32_t access = a->access->flags;
    if (access & STRONG) flags |= WARP_DEED_ATOMIC;
    if (access & WARP_READ_ONLY) flags |= WARP_DEED_CONSTANT;
    WarpDeed deed = {.warp = a->warp,
                     .lanes = a->mask,
                     .place = a->access->place,
                     .flags = flags,
                     .ticket.agent = a->warp->number,
                     .same = store ? stores_same : NULL,
                     .store = store};
    if (a->one && a->where.space != WARP_SHARED && a->where.space != WARP_GLOBAL) return;
    const uint32_t ahead = a->mask & a->warp->ahead_lanes;
    if (a->same && a->one && (!ahead || ahead == a->mask)) {
        warp_touch(block, &deed, a->where.space, a->where.offset, a->size);
        return;
    }
    if (a->one) {
        deed.spread = a->spread && a->mask == UINT32_MAX;
        warp_touch_lanes(block, &deed, a->where.space, a->addresses, a->where.offset - a->lowest, a->size);
        return;
    }
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        const WarpWhere where = find_lane(a, (uint32_t)__builtin_ctz(rest), flags & WARP_DEED_WRITE);
        deed.lanes = rest & -rest;
        warp_touch(block, &deed, where.space, where.offset, a->size);
    }
}

// What strong accesses order. Lanes at one address are handled together.
static void meet(const LaneAccess *a, bool reads, bool writes) {
    const uint32_t flags = a->access->flags;
    for (uint32_t rest = a->mask; rest;) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t lanes = 0;
        for (uint32_t i = lane; i < WARP_LANES; i++)
            if (rest >> i & 1 && a->addresses[i] == a->addresses[lane]) lanes |= UINT32_C(1) << i;
        const WarpWhere where = find_lane(a, lane, writes);
        if (reads) warp_strong_read(a->warp, lanes, flags, where.space, where.offset);
        if (writes) warp_strong_write(a->warp, lanes, flags, where.space, where.offset);
        rest &= ~lanes;
    }
}

// ---- moving elements

// Local memory, whose words lie apart.
static uint8_t *local_byte(const Warp *warp, uint32_t lane, uint64_t offset) {
    return warp->local + (offset / WORD_BYTES * WARP_LANES + lane) * WORD_BYTES + offset % WORD_BYTES;
}

static void use_local(const LaneAccess *a, uint32_t lanes, uint64_t offset, bool write) {
    if (write)
        warp_write_local(a->warp, lanes, offset, a->size);
    else
        warp_read_local(a->warp, lanes, offset, a->size, a->access->place);
}

static void copy_local(const Warp *warp, uint32_t lane, uint64_t offset, void *bytes, uint32_t size, bool write) {
    uint8_t *other = bytes;
    while (size) {
        const uint32_t part = size < WORD_BYTES ? size : WORD_BYTES;
        uint8_t *own = local_byte(warp, lane, offset);
        memcpy(write ? own : other, write ? other : own, part);
        offset += part;
        other += part;
        size -= part;
    }
}

// All lanes at one address: their words lie one after the other.
static void move_local_words(const LaneAccess *a, uint8_t *values, bool write) {
    uint8_t *memory = local_byte(a->warp, 0, a->where.offset);
    use_local(a, UINT32_MAX, a->where.offset, write);
    memcpy(write ? memory : values, write ? values : memory, (size_t)WARP_LANES * a->size);
}

// Between memory and the compiled code's values, which have element e of lane l as number 32 e + l. `at`: where the
// elements of lanes are in memory.
typedef struct LaneMove {
    uint32_t mask, count;
    uint8_t *memory;
    const uint64_t *addresses;
    uint64_t lowest; // the address of `memory`
} LaneMove;
#define MOVE_LANES(Type)                                                                                               \
    static void load_##Type(const LaneMove *move, void *values) {                                                      \
        Type *to = values;                                                                                             \
        for (uint32_t rest = move->mask; rest; rest &= rest - 1) {                                                     \
            const uint32_t lane = (uint32_t)__builtin_ctz(rest);                                                       \
            const uint8_t *from = move->memory + (move->addresses[lane] - move->lowest);                               \
            for (uint32_t e = 0; e < move->count; e++)                                                                 \
                memcpy(&to[WARP_LANES * e + lane], from + e * sizeof(Type), sizeof(Type));                             \
        }                                                                                                              \
    }                                                                                                                  \
    static void store_##Type(const LaneMove *move, const void *values) {                                               \
        const Type *from = values;                                                                                     \
        for (uint32_t rest = move->mask; rest; rest &= rest - 1) {                                                     \
            const uint32_t lane = (uint32_t)__builtin_ctz(rest);                                                       \
            uint8_t *to = move->memory + (move->addresses[lane] - move->lowest);                                       \
            for (uint32_t e = 0; e < move->count; e++)                                                                 \
                memcpy(to + e * sizeof(Type), &from[WARP_LANES * e + lane], sizeof(Type));                             \
        }                                                                                                              \
    }
typedef struct LanePair {
    uint64_t half[2];
} LanePair;
MOVE_LANES(uint8_t)
MOVE_LANES(uint16_t)
MOVE_LANES(uint32_t)
MOVE_LANES(uint64_t)
MOVE_LANES(LanePair)

static void load_lanes(uint32_t bytes, const LaneMove *move, void *values) {
    switch (bytes) {
    case 1: load_uint8_t(move, values); break;
    case 2: load_uint16_t(move, values); break;
    case 4: load_uint32_t(move, values); break;
    case 8: load_uint64_t(move, values); break;
    default: load_LanePair(move, values); break;
    }
}

static void store_lanes(uint32_t bytes, const LaneMove *move, const void *values) {
    switch (bytes) {
    case 1: store_uint8_t(move, values); break;
    case 2: store_uint16_t(move, values); break;
    case 4: store_uint32_t(move, values); break;
    case 8: store_uint64_t(move, values); break;
    default: store_LanePair(move, values); break;
    }
}

// One lane.
static const uint64_t no_distance[WARP_LANES];
static void load_lane(void *values, const WarpAccess *access, uint32_t lane, const uint8_t *from) {
    load_lanes(access->bytes,
               &(LaneMove){UINT32_C(1) << lane, access->count, (uint8_t *)(uintptr_t)from, no_distance, 0}, values);
}

static void store_lane(uint8_t *to, const WarpAccess *access, uint32_t lane, const void *values) {
    store_lanes(access->bytes, &(LaneMove){UINT32_C(1) << lane, access->count, to, no_distance, 0}, values);
}

// Strong accesses to memory that other blocks see: element by element, each at once.
static void load_strong(uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t count) {
    for (; count; count--, to += bytes, from += bytes) switch (bytes) {
        case 1: *to = __atomic_load_n(from, __ATOMIC_ACQUIRE); break;
        case 2:
            *(uint16_t *)(void *)to = __atomic_load_n((const uint16_t *)(const void *)from, __ATOMIC_ACQUIRE);
            break;
        case 4:
            *(uint32_t *)(void *)to = __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE);
            break;
        case 8:
            *(uint64_t *)(void *)to = __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE);
            break;
        default: memcpy(to, from, bytes); break;
        }
}

static void store_strong(uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t count) {
    for (; count; count--, to += bytes, from += bytes) switch (bytes) {
        case 1: __atomic_store_n(to, *from, __ATOMIC_RELEASE); break;
        case 2:
            __atomic_store_n((uint16_t *)(void *)to, *(const uint16_t *)(const void *)from, __ATOMIC_RELEASE);
            break;
        case 4:
            __atomic_store_n((uint32_t *)(void *)to, *(const uint32_t *)(const void *)from, __ATOMIC_RELEASE);
            break;
        case 8:
            __atomic_store_n((uint64_t *)(void *)to, *(const uint64_t *)(const void *)from, __ATOMIC_RELEASE);
            break;
        default: memcpy(to, from, bytes); break;
        }
}

typedef uint8_t LaneBytes[ELEMENTS_MAX * ELEMENT_MAX] __attribute__((aligned(ELEMENT_MAX)));

// One lane, wherever it is.
static void move_lane(const LaneAccess *a, uint32_t lane, void *values, bool write) {
    const WarpAccess *access = a->access;
    const WarpWhere where = find_lane(a, lane, write);
    const bool strong = access->flags & STRONG && where.space == WARP_GLOBAL;
    LaneBytes bytes;
    if (write) store_lane(bytes, access, lane, values);
    if (where.space == WARP_LOCAL) {
        use_local(a, UINT32_C(1) << lane, where.offset, write);
        copy_local(a->warp, lane, where.offset, bytes, a->size, write);
    } else if (write && strong)
        store_strong(where.bytes, bytes, access->bytes, access->count);
    else if (write)
        memcpy(where.bytes, bytes, a->size);
    else if (strong)
        load_strong(bytes, where.bytes, access->bytes, access->count);
    else
        memcpy(bytes, where.bytes, a->size);
    if (!write) load_lane(values, access, lane, bytes);
}

// All lanes. `values` is only read if it is to be written to memory.
static void move_lanes(const LaneAccess *a, void *values, bool write) {
    const WarpAccess *access = a->access;
    const bool plain = a->one && a->where.bytes && !(access->flags & STRONG);
    const LaneMove move = {a->mask, access->count, a->where.bytes, a->addresses, a->lowest};
    if (plain && a->spread && a->mask == UINT32_MAX && access->count == 1)
        memcpy(write ? a->where.bytes : values, write ? values : a->where.bytes, (size_t)WARP_LANES * a->size);
    else if (plain && write)
        store_lanes(access->bytes, &move, values);
    else if (plain)
        load_lanes(access->bytes, &move, values);
    else if (a->same && a->one && a->where.space == WARP_LOCAL && a->mask == UINT32_MAX && access->bytes == WORD_BYTES)
        move_local_words(a, values, write);
    else
        for (uint32_t rest = a->mask; rest; rest &= rest - 1)
            move_lane(a, (uint32_t)__builtin_ctz(rest), values, write);
}

static void check_writable(const LaneAccess *a) {
    if (!a->one || a->where.space != WARP_PARAMETER) return;
    const WarpSide side = lane_side(a, a->mask);
    warp_find(a->warp->block, &side, WARP_PARAMETER, a->where.offset, a->size, 1, true);
}

void warp_load(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, void *values) {
    if (!mask) return;
    const LaneAccess a = open_lanes(state, mask, access, addresses);
    touch_lanes(&a, 0, NULL);
    move_lanes(&a, values, false);
    if (!(access->flags & STRONG)) return;
    a.warp->block->looks = true;
    meet(&a, true, false);
}

// Another lane, after this one, at the same address; WARP_LANES: there is none.
static uint32_t find_rival(const LaneAccess *a, uint32_t lane) {
    uint32_t other = lane + 1;
    while (other < WARP_LANES && (!(a->mask >> other & 1) || a->addresses[other] != a->addresses[lane])) other++;
    return other;
}

// Lanes that have written different values to the same bytes: which of them is there is not defined. It is that of the
// highest lane, and with the reverse schedule that of the lowest.
static void settle_overlap(const LaneAccess *a, const void *values) {
    bool differs = false;
    if (a->spread || (a->one && a->where.space == WARP_LOCAL)) return;
    for (uint32_t rest = a->mask & (a->mask - 1) ? a->mask : 0; rest && !differs; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const WarpWhere where = find_lane(a, lane, true);
        LaneBytes bytes;
        store_lane(bytes, a->access, lane, values);
        if (!where.bytes || !memcmp(bytes, where.bytes, a->size)) continue;
        const uint32_t other = find_rival(a, lane);
        if (other == WARP_LANES) continue; // another block has written there meanwhile
        differs = true;
        warp_warn(a->warp->block, (WarpFault){.kind = WARP_FAULT_LANES,
                                              .space = (uint8_t)where.space,
                                              .sides = {lane_side(a, a->mask)},
                                              .address = where.offset,
                                              .numbers = {lane, other}});
    }
    if (!differs || !a->warp->block->reverse) return;
    for (uint32_t rest = a->mask, lane; rest; rest &= ~(UINT32_C(1) << lane)) {
        lane = WARP_LANES - 1 - (uint32_t)__builtin_clz(rest);
        move_lane(a, lane, (void *)(uintptr_t)values, true);
    }
}

typedef struct LaneStore {
    const LaneAccess *access;
    const void *values;
} LaneStore;

// Whether memory has these bytes already. Layouts of compilers hold some elements in several warps, which all store
// them.
static bool stores_same(const void *store) {
    const LaneAccess *a = ((const LaneStore *)store)->access;
    if (a->access->flags & STRONG) return false;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const WarpWhere where = find_lane(a, lane, true);
        LaneBytes bytes;
        store_lane(bytes, a->access, lane, ((const LaneStore *)store)->values);
        if (!where.bytes || memcmp(bytes, where.bytes, a->size)) return false;
    }
    return true;
}

void warp_store(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses,
                const void *values) {
    if (!mask) return;
    const LaneAccess a = open_lanes(state, mask, access, addresses);
    check_writable(&a);
    const LaneStore store = {&a, values};
    touch_lanes(&a, WARP_DEED_WRITE, &store);
    if (access->flags & STRONG) meet(&a, false, true);
    move_lanes(&a, (void *)(uintptr_t)values, true);
    settle_overlap(&a, values);
    a.warp->block->idle = 0;
}

// ---- atomics

static bool exchange(void *at, uint32_t bytes, void *old, const void *new) {
    switch (bytes) {
    case 1:
        return __atomic_compare_exchange_n((uint8_t *)at, (uint8_t *)old, *(const uint8_t *)new, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_compare_exchange_n((uint16_t *)at, (uint16_t *)old, *(const uint16_t *)new, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_compare_exchange_n((uint32_t *)at, (uint32_t *)old, *(const uint32_t *)new, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    default:
        return __atomic_compare_exchange_n((uint64_t *)at, (uint64_t *)old, *(const uint64_t *)new, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

typedef struct AtomicJob {
    WarpBlock *block;
    uint8_t *at;
    uint32_t bytes, count; // of an element, elements
    WarpCombine *combine;
    const void *operand, *swap;
} AtomicJob;

static void update_alone(const AtomicJob *job, LaneBytes old) {
    LaneBytes new;
    const uint32_t size = job->bytes * job->count;
    memcpy(old, job->at, size);
    job->combine(old, job->operand, job->swap, new);
    memcpy(job->at, new, size);
}

// In memory that other blocks see. Elements are exchanged one after the other, each at once.
static void update_global(const AtomicJob *job, LaneBytes old) {
    LaneBytes new;
    if (job->bytes == ELEMENT_MAX) {
        pthread_mutex_lock(&job->block->launch->mutex);
        update_alone(job, old);
        pthread_mutex_unlock(&job->block->launch->mutex);
        return;
    }
    load_strong(old, job->at, job->bytes, job->count);
    job->combine(old, job->operand, job->swap, new);
    for (uint32_t i = 0; i < job->count; i++)
        while (!exchange(job->at + i * job->bytes, job->bytes, old + i * job->bytes, new + i * job->bytes))
            job->combine(old, job->operand, job->swap, new);
}

void warp_combine(WarpBlock *block, const WarpWhere *where, uint32_t bytes, WarpCombine *combine, const void *operand) {
    const AtomicJob job = {block, where->bytes, bytes, 1, combine, operand, NULL};
    LaneBytes old;
    if (where->space == WARP_GLOBAL)
        update_global(&job, old);
    else
        update_alone(&job, old);
}

// Atomics reach global and shared memory.
static void check_atomic(const LaneAccess *a) {
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        const WarpWhere where = find_lane(a, (uint32_t)__builtin_ctz(rest), true);
        if (where.space == WARP_GLOBAL || where.space == WARP_SHARED) continue;
        warp_fail(a->warp->block, (WarpFault){.kind = WARP_FAULT_SPACE,
                                              .space = (uint8_t)where.space,
                                              .sides = {lane_side(a, rest & -rest)},
                                              .address = where.offset});
    }
}

static void update_lane(const LaneAccess *a, uint32_t lane, AtomicJob *job, const void *operands, const void *swap,
                        void *old) {
    const WarpWhere where = find_lane(a, lane, true);
    LaneBytes operand, swapped, before;
    store_lane(operand, a->access, lane, operands);
    if (swap) store_lane(swapped, a->access, lane, swap);
    job->at = where.bytes;
    job->operand = operand;
    job->swap = swap ? swapped : NULL;
    if (where.space == WARP_GLOBAL)
        update_global(job, before);
    else
        update_alone(job, before);
    if (old) load_lane(old, a->access, lane, before);
}

void warp_atomic(WarpState *state, uint32_t mask, const WarpAccess *access, WarpCombine *combine,
                 const uint64_t *addresses, const void *operands, const void *swap, void *old) {
    if (!mask) return;
    const LaneAccess a = open_lanes(state, mask, access, addresses);
    WarpBlock *block = a.warp->block;
    block->looks = true;
    AtomicJob job = {.block = block, .bytes = access->bytes, .count = access->count, .combine = combine};
    if (!a.one || (a.where.space != WARP_GLOBAL && a.where.space != WARP_SHARED)) check_atomic(&a);
    for (uint32_t rest = block->unwritten[0] ? 0 : mask; rest; rest &= rest - 1) {
        const WarpWhere where = find_lane(&a, (uint32_t)__builtin_ctz(rest), true);
        if (where.space == WARP_SHARED) warp_update_shared(block, where.offset, a.size, access->place);
    }
    touch_lanes(&a, WARP_DEED_WRITE | WARP_DEED_ATOMIC, NULL);
    if (block->order.meets || access->flags & WARP_RELEASE || a.warp->fence) meet(&a, true, true);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        update_lane(&a, (uint32_t)__builtin_ctz(rest), &job, operands, swap, old);
    block->idle = 0;
}
