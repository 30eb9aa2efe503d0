// SPDX-License-Identifier: Apache-2.0
// What cells remember: records of accesses, and whether an access is ordered after those that it must come after.
//
// A record is shared by all cells that the same instruction of the same warp has accessed at the same time, so that a
// cell needs a number and a lane alone. Reads that are not ordered before each other form a list, which cells share as
// well. A write must come after the last write and all reads of the list, a read after the last write; either then
// takes their place. Atomic writes need not come after each other. So an atomic write that is replaced by another one,
// and what came before the first of them, is in the list as well.
//
// All cells become empty by raising the first number that counts, in O(1): when a block begins, and when there is no
// room for more records. Then a race may be missed. It may be, too, where two lanes access the same bytes in one
// instruction or iteration, and where only some lanes of a warp come to a .sync instruction. None is reported that is
// not there.
#include "runtime/warp_cells.h"

#include <string.h>
#include <sys/mman.h>

enum {
    RECORDS_MAX = 1 << 21,
    NUMBER_MAX = (1 << 27) - 3, // of a record; WARP_CELL_SPLIT and CELL_NONE are none
    LIST_MAX = 24,              // reads
};
#define NUMBER (~(uint32_t)(WARP_LANES - 1)) // what is no lane in a cell

bool warp_records_open(WarpRecords *records) {
    void *memory = mmap(NULL, RECORDS_MAX * sizeof(WarpRecord), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    records->records = memory;
    records->first = records->next = 1;
    return true;
}

void warp_records_close(WarpRecords *records) {
    if (records->records) munmap(records->records, RECORDS_MAX * sizeof(WarpRecord));
    records->records = NULL;
}

// ---- records

// All cells are empty from here on.
static void forget_all(WarpBlock *block) {
    WarpRecords *records = &block->records;
    warp_cells_clear_global(&block->cells);
    records->first = records->next;
    if (records->next < NUMBER_MAX - RECORDS_MAX) return;
    // Numbers begin anew.
    warp_cells_clear(&block->cells);
    memset(records->table, 0, sizeof records->table);
    records->first = records->next = 1;
}

void warp_records_begin(WarpBlock *block) {
    forget_all(block);
}

static const WarpRecord *record_of(const WarpRecords *records, uint32_t number) {
    return &records->records[number - records->first];
}

static uint32_t hash_record(const WarpRecord *record) {
    uint64_t hash = record->number * UINT64_C(0x9E3779B97F4A7C15) + record->place;
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9) + ((uint64_t)record->lanes << 32 | record->rest);
    hash = (hash ^ hash >> 32) * UINT64_C(0x94D049BB133111EB) + (record->agent | (uint64_t)record->flags << 16);
    return (uint32_t)(hash >> 40) % WARP_RECORD_TABLE;
}

// The number of the record, which is there only once as far as the table remembers.
static uint32_t add_record(WarpBlock *block, WarpRecord record) {
    WarpRecords *records = &block->records;
    uint32_t *found = &records->table[hash_record(&record)];
    if (*found >= records->first && *found < records->next &&
        !memcmp(record_of(records, *found), &record, sizeof record))
        return *found;
    if (records->next - records->first >= RECORDS_MAX) {
        forget_all(block);
        record.rest = 0;
    }
    records->records[records->next - records->first] = record;
    return *found = records->next++;
}

// ---- one access

static WarpRecord make_record(const WarpDeed *deed, uint32_t lanes, uint32_t rest) {
    const bool one = !(lanes & (lanes - 1));
    return (WarpRecord){.number = cell_is_generic(deed) ? deed->warp->time : deed->ticket.number,
                        .place = deed->place,
                        .lanes = one ? 0 : lanes,
                        .rest = rest,
                        .agent = (uint16_t)deed->ticket.agent,
                        .flags = (uint16_t)(deed->flags | (one ? 0 : WARP_DEED_LANES))};
}

// The record of one lane's access. That of the warp's last access at the same place is kept.
static uint32_t find_own_record(WarpBlock *block, const WarpDeed *deed) {
    WarpRecords *records = &block->records;
    const WarpRecord record = make_record(deed, 1, 0);
    if (!cell_is_generic(deed)) return add_record(block, record);
    uint32_t *recent = &deed->warp->recent_records[deed->place % WARP_RECENT_RECORDS];
    if (*recent < records->first || memcmp(record_of(records, *recent), &record, sizeof record))
        *recent = add_record(block, record);
    return *recent;
}

void cell_set_lanes(CellAccess *access, uint32_t lanes) {
    const bool one = !(lanes & (lanes - 1));
    const uint32_t number = one ? find_own_record(access->block, access->deed)
                                : add_record(access->block, make_record(access->deed, lanes, 0));
    access->lanes = lanes;
    access->lane = one ? (uint32_t)__builtin_ctz(lanes) : 0;
    access->known = (CellKnown){.first = access->block->records.first << CELL_LANE_BITS,
                                .own = number << CELL_LANE_BITS,
                                .after_write = CELL_NONE,
                                .after_reads = CELL_NONE,
                                .own_write = CELL_NONE,
                                .own_read = CELL_NONE,
                                .list = CELL_NONE,
                                .own_list = CELL_NONE,
                                .complete = CELL_NONE,
                                .unwritten = &access->block->unwritten[access->space != WARP_SHARED]};
    memset(access->writes, 0, sizeof access->writes);
    memset(access->reads, 0, sizeof access->reads);
}

CellAccess cell_open_access(WarpBlock *block, const WarpDeed *deed, uint8_t space) {
    return (CellAccess){.block = block, .deed = deed, .clock = warp_known(deed->warp, deed->lanes), .space = space};
}

_Noreturn static void fail_access(const CellAccess *access, const WarpRecord *other, uint32_t lanes,
                                  WarpFaultKind kind) {
    const WarpDeed *deed = access->deed;
    warp_fail(access->block, (WarpFault){.kind = kind,
                                         .space = access->space,
                                         .sides = {{deed->place, access->lanes, (uint16_t)deed->ticket.agent},
                                                   {other->place, lanes, other->agent}},
                                         .address = access->address});
}

typedef enum CellOrder { CELL_UNORDERED, CELL_ORDERED, CELL_ORDERED_LANES } CellOrder;

// Whether the record is of a cp.async of the lane that makes the access, which has waited for it.
static bool is_own_copy(const CellAccess *access, const WarpRecord *other, uint32_t lanes) {
    const Warp *warp = access->deed->warp;
    if (!warp->copies || other->agent != access->block->order.queues[WARP_QUEUE_COPY][warp->number]) return false;
    if (lanes & ~access->lanes || (lanes && access->lanes & (access->lanes - 1))) return false;
    for (uint32_t rest = lanes ? lanes : access->lanes; rest; rest &= rest - 1)
        if (warp->copied[__builtin_ctz(rest)] < other->number) return false;
    return true;
}

// Whether what the record says is ordered before the access: all of it, or as far as these lanes did it. No lanes: that
// of none is known.
static CellOrder find_order(const CellAccess *access, const WarpRecord *other, uint32_t lanes) {
    const WarpDeed *deed = access->deed;
    const Warp *warp = deed->warp;
    const uint32_t agent = other->agent;
    if (access->clock->time[agent] >= other->number) return CELL_ORDERED;
    if (agent >= WARP_BLOCK_WARPS) {
        if (agent == deed->before[0] || agent == deed->before[1]) return CELL_ORDERED;
        return is_own_copy(access, other, lanes) ? CELL_ORDERED_LANES : CELL_UNORDERED;
    }
    if (agent == warp->number && other->number < warp->synced) return CELL_ORDERED;
    const bool several = cell_is_generic(deed) && access->lanes & (access->lanes - 1);
    if (agent == warp->number && !(lanes & ~access->lanes) && (!lanes || !several)) return CELL_ORDERED_LANES;
    if (agent == warp->number && warp_have_met(warp, access->lanes, lanes, other->number)) return CELL_ORDERED_LANES;
    if (access->clock->part[agent] >= other->number && !(lanes & ~access->clock->lanes[agent]))
        return CELL_ORDERED_LANES;
    return CELL_UNORDERED;
}

static uint32_t record_lanes(const WarpRecord *record, uint32_t lane) {
    return record->flags & WARP_DEED_LANES ? record->lanes : UINT32_C(1) << lane;
}

// Checks against one record. True: the same holds for all lanes of it.
static bool check_record(const CellAccess *access, const WarpRecord *other, uint32_t lanes) {
    const WarpDeed *deed = access->deed;
    if (deed->flags & other->flags & WARP_DEED_ATOMIC || !((deed->flags | other->flags) & WARP_DEED_WRITE)) return true;
    const CellOrder order = find_order(access, other, lanes);
    const bool generic = cell_is_generic(deed) && other->agent < WARP_BLOCK_WARPS;
    if (order == CELL_UNORDERED && generic && other->flags & WARP_DEED_WRITE && deed->same && deed->same(deed->store))
        return false;
    if (order == CELL_UNORDERED) fail_access(access, other, lanes, generic ? WARP_FAULT_RACE : WARP_FAULT_EARLY);
    const bool fenced = !(deed->flags & WARP_DEED_ASYNC) || deed->flags & WARP_DEED_WRITE ||
                        warp_is_fenced(access->block, access->clock, (WarpTicket){other->agent, other->number});
    if (!fenced) fail_access(access, other, lanes, WARP_FAULT_FENCE);
    return order == CELL_ORDERED;
}

static uint32_t *find_slot(uint32_t *table, uint32_t number) {
    return &table[(number >> CELL_LANE_BITS) % CELL_FOUND];
}

// Whether the number is in a table of those that the access comes after. It is then the last one found.
static bool is_found(uint32_t *table, uint32_t number, uint32_t *last) {
    if (*find_slot(table, number) != (number & NUMBER)) return false;
    *last = number & NUMBER;
    return true;
}

// Whether the record is of this warp, which has not come to a .sync instruction since: lanes alone decide.
static bool is_own(const CellAccess *access, const WarpRecord *other) {
    return other->agent == access->deed->warp->number && other->number >= access->deed->warp->synced &&
           !(other->flags & WARP_DEED_LANES) && other->rest < access->block->records.first;
}

static void check_write(CellAccess *access, uint32_t write) {
    const WarpRecord *other = record_of(&access->block->records, write >> CELL_LANE_BITS);
    if ((write & NUMBER) == access->known.own) return; // by the same instruction
    if (access->deed->flags & WARP_DEED_CONSTANT)
        fail_access(access, other, record_lanes(other, write & (WARP_LANES - 1)), WARP_FAULT_NOT_CONSTANT);
    if (check_record(access, other, record_lanes(other, write & (WARP_LANES - 1))))
        find_slot(access->writes, write)[0] = access->known.after_write = write & NUMBER;
    else if (is_own(access, other))
        access->known.own_write = write & NUMBER;
}

static void check_reads(CellAccess *access, uint32_t read) {
    const WarpRecords *records = &access->block->records;
    const WarpRecord *other = record_of(records, read >> CELL_LANE_BITS);
    bool all = check_record(access, other, record_lanes(other, read & (WARP_LANES - 1)));
    while (other->rest >= records->first) {
        other = record_of(records, other->rest);
        all &= check_record(access, other, other->flags & WARP_DEED_LANES ? other->lanes : 0);
    }
    if (all)
        find_slot(access->reads, read)[0] = access->known.after_reads = read & NUMBER;
    else if (is_own(access, record_of(records, read >> CELL_LANE_BITS)))
        access->known.own_read = read & NUMBER;
}

// ---- lists of reads

// Whether what must come after `other` must come after the access, too, which is ordered after `other`.
static bool covers(uint32_t flags, uint32_t other) {
    return !(other & WARP_DEED_WRITE & ~flags) && !(flags & WARP_DEED_ATOMIC & ~other);
}

// What of a list has still to be in it after the access. True: that are all of it.
static bool keep_reads(const CellAccess *access, uint32_t read, WarpRecord *kept, uint32_t *count) {
    const WarpRecords *records = &access->block->records;
    uint32_t lanes = 0, seen = 0;
    *count = 0;
    for (uint32_t number = read >> CELL_LANE_BITS; number >= records->first;) {
        const WarpRecord *other = record_of(records, number);
        lanes = !seen                            ? record_lanes(other, read & (WARP_LANES - 1))
                : other->flags & WARP_DEED_LANES ? other->lanes
                                                 : 0;
        const bool atomic = access->deed->flags & other->flags & WARP_DEED_ATOMIC;
        const bool repeated = other->agent == access->deed->ticket.agent && other->place == access->deed->place &&
                              (atomic || !(lanes & ~access->lanes));
        const bool covered = repeated || find_order(access, other, lanes) == CELL_ORDERED;
        if (!(covered && covers(access->deed->flags, other->flags)) && *count < LIST_MAX) kept[(*count)++] = *other;
        seen++;
        number = other->rest;
    }
    return *count == seen;
}

// Adds a record to the front of a list whose lanes are not in the cell.
static uint32_t put_first(WarpBlock *block, WarpRecord record, uint32_t rest) {
    const WarpRecords *records = &block->records;
    record.rest = rest;
    if (!(record.flags & WARP_DEED_LANES)) record.lanes = 0;
    record.flags |= WARP_DEED_LANES;
    if (record.flags & WARP_DEED_WRITE || (rest >= records->first && record_of(records, rest)->flags & WARP_DEED_MIXED))
        record.flags |= WARP_DEED_MIXED;
    return add_record(block, record);
}

// What is left of a list.
static uint32_t keep_list(CellAccess *access, uint32_t read) {
    WarpRecord kept[LIST_MAX];
    uint32_t count, rest = 0;
    if (keep_reads(access, read, kept, &count)) return read >> CELL_LANE_BITS;
    while (count) rest = put_first(access->block, kept[--count], rest);
    return rest;
}

static uint32_t join_reads(CellAccess *access, uint32_t read) {
    const WarpRecords *records = &access->block->records;
    const uint32_t rest = keep_list(access, read);
    if (rest < records->first) return access->known.own | access->lane;
    WarpRecord record = make_record(access->deed, access->lanes, rest);
    record.flags |= record_of(records, rest)->flags & WARP_DEED_MIXED;
    return add_record(access->block, record) << CELL_LANE_BITS | access->lane;
}

// An atomic write takes the place of `write`, which stays in the list if others need not come after it.
static void join_write(CellAccess *access, WarpCell *cell) {
    WarpRecords *records = &access->block->records;
    const uint32_t old = cell->read >> CELL_LANE_BITS;
    uint32_t list = old >= records->first ? keep_list(access, cell->read) : 0;
    if (cell->write >> CELL_LANE_BITS >= records->first) {
        const WarpCell last = {.read = cell->write};
        WarpRecord kept[LIST_MAX];
        uint32_t count;
        keep_reads(access, last.read, kept, &count);
        if (count) list = put_first(access->block, kept[0], list);
    }
    // A record of one lane does not say which: the cell does.
    cell->read = list << CELL_LANE_BITS | (list == old ? cell->read & (WARP_LANES - 1) : 0);
}

static bool same_deed(const WarpRecord *a, const WarpRecord *b) {
    return a->number == b->number && a->place == b->place && a->agent == b->agent &&
           !((a->flags ^ b->flags) & ~(WARP_DEED_LANES | WARP_DEED_MIXED));
}

static bool is_in_list(const WarpRecords *records, uint32_t list, const WarpRecord *record) {
    while (list >= records->first) {
        const WarpRecord *other = record_of(records, list);
        if (same_deed(other, record)) return true;
        list = other->rest;
    }
    return false;
}

// The cell has been read before.
static void add_read(CellAccess *access, WarpCell *cell) {
    const WarpRecords *records = &access->block->records;
    const WarpRecord *head = record_of(records, cell->read >> CELL_LANE_BITS);
    const WarpRecord own = make_record(access->deed, access->lanes, 0);
    const uint32_t list = cell->read & NUMBER, lanes = record_lanes(head, cell->read & (WARP_LANES - 1));
    if (head->flags & WARP_DEED_MIXED) check_reads(access, cell->read);
    if (same_deed(head, &own) && !(access->lanes & ~lanes)) {
        if (!(head->flags & WARP_DEED_LANES)) access->known.own_list = list;
        return;
    }
    if (same_deed(head, &own)) { // by other lanes
        WarpRecord joined = make_record(access->deed, lanes | access->lanes, head->rest);
        joined.flags |= head->flags & WARP_DEED_MIXED;
        cell->read = add_record(access->block, joined) << CELL_LANE_BITS;
        return;
    }
    const bool foreign = head->agent != access->deed->warp->number || head->number < access->deed->warp->synced;
    if (is_in_list(records, head->rest, &own)) {
        if (foreign) access->known.complete = list;
        return;
    }
    cell->read = join_reads(access, cell->read);
    if (!foreign) return; // the lane matters
    access->known.list = list;
    access->known.joined = cell->read & NUMBER;
}

// ---- cells

void cell_touch_slowly(CellAccess *access, WarpCell *cell) {
    const uint32_t first = access->block->records.first << CELL_LANE_BITS, own = access->known.own | access->lane;
    if (cell->write >= first && !is_found(access->writes, cell->write, &access->known.after_write))
        check_write(access, cell->write);
    if (access->deed->flags & WARP_DEED_WRITE) {
        if (cell->read >= first && !is_found(access->reads, cell->read, &access->known.after_reads))
            check_reads(access, cell->read);
        if (access->deed->flags & WARP_DEED_ATOMIC)
            join_write(access, cell);
        else
            cell->read = 0;
        cell->write = own;
    } else if (cell->read < first) {
        if (cell->write < first) *access->known.unwritten = true;
        cell->read = own;
    } else if (cell->read != own) {
        add_read(access, cell);
    }
    access->known.first = access->block->records.first << CELL_LANE_BITS; // everything may have been forgotten
}

WarpSide cell_writer(const WarpRecords *records, uint32_t write) {
    const uint32_t number = write >> CELL_LANE_BITS;
    if (number < records->first || write == WARP_CELL_SPLIT) return (WarpSide){0};
    const WarpRecord *record = record_of(records, number);
    return (WarpSide){record->place, record_lanes(record, write & (WARP_LANES - 1)), record->agent};
}
