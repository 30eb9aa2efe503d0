// SPDX-License-Identifier: Apache-2.0
// Shared by warp_cells.c, which finds the cells of an access, and warp_records.c, which checks it against what a cell
// says.
#ifndef CONGRUENT_WARP_CELLS_H
#define CONGRUENT_WARP_CELLS_H

#include "runtime/warp.h"

enum { CELL_LANE_BITS = 5, CELL_FOUND = 8 };

// What an access has found about other cells and would find again. All are numbers of records << CELL_LANE_BITS, or
// CELL_NONE.
#define CELL_NONE ((UINT32_MAX - 1) << CELL_LANE_BITS) // WARP_CELL_SPLIT is another
typedef struct CellKnown {
    uint32_t first;                    // all below are empty
    uint32_t own;                      // the record of the access
    uint32_t after_write, after_reads; // a write, a list of reads, that are ordered before, whatever their lane
    uint32_t own_write, own_read;      // that are, if they are of the same lane
    uint32_t list, joined;             // a list of reads, and that list with the access
    uint32_t own_list;                 // one that begins with the access already, if the lane is the same
    uint32_t complete;                 // one that has it further on
    bool *unwritten;                   // is set by a read of what nobody has written
} CellKnown;

typedef struct CellAccess {
    WarpBlock *block;
    const WarpDeed *deed;
    const WarpClock *clock; // what those know who make it
    uint32_t lanes, lane;   // of the deed, that access the cell; the lane, if it is one, else 0
    CellKnown known;
    uint32_t writes[CELL_FOUND], reads[CELL_FOUND]; // all values that known.after_write and after_reads had
    uint8_t space;
    uint64_t address; // of the cell
} CellAccess;

static inline bool cell_is_generic(const WarpDeed *deed) {
    return deed->ticket.agent == deed->warp->number;
}

// ---- warp_records.c

CellAccess cell_open_access(WarpBlock *block, const WarpDeed *deed, uint8_t space);
// The lanes that access the next cells.
void cell_set_lanes(CellAccess *access, uint32_t lanes);
// Checks the access to the cell, and notes it there.
void cell_touch_slowly(CellAccess *access, WarpCell *cell);
WarpSide cell_writer(const WarpRecords *records, uint32_t write);

// The next lane, after cell_set_lanes with one lane.
static inline void cell_next_lane(CellAccess *access, uint32_t lane) {
    access->lanes = UINT32_C(1) << lane;
    access->lane = lane;
}

// What the slow way would do, where that is known. False: it is not.
static inline bool cell_touch_fast(const CellKnown *known, uint32_t flags, uint32_t lane, WarpCell *cell) {
    const uint32_t write = cell->write & ~(uint32_t)(WARP_LANES - 1), read = cell->read & ~(uint32_t)(WARP_LANES - 1);
    const bool written = write >= known->first, own = write == known->own;
    if (written && write != known->after_write && !own && cell->write != (known->own_write | lane)) return false;
    if (flags & WARP_DEED_WRITE) {
        if (flags & WARP_DEED_ATOMIC && (read >= known->first || (written && !own))) return false;
        if (read >= known->first && read != known->after_reads && cell->read != (known->own_read | lane)) return false;
        *cell = (WarpCell){known->own | lane, 0};
        return true;
    }
    if (read < known->first) {
        if (!written) *known->unwritten = true;
        cell->read = known->own | lane;
    } else if (read == known->list) {
        cell->read = known->joined | lane;
    } else {
        return cell->read == (known->own | lane) || cell->read == (known->own_list | lane) || read == known->complete;
    }
    return true;
}

static inline void cell_touch(CellAccess *access, WarpCell *cell) {
    if (!cell_touch_fast(&access->known, access->deed->flags, access->lane, cell)) cell_touch_slowly(access, cell);
}

#endif
