// SPDX-License-Identifier: Apache-2.0
// Shared by the files of tensor cores and tensor memory (sm_100: tcgen05; sm_90: wgmma). All operations of the tensor
// cores are asynchronous. They are carried out when they are issued, or later with the reverse schedule; who may see
// what they did, and who may overwrite what they read, is checked when they are issued.
//
// Tensor memory has 128 lanes and 512 columns of 4 bytes. All instructions but two access 16 lanes together, so what is
// known of its cells is kept for a *strip*: a column of 16 lanes.
#ifndef CONGRUENT_WARP_TENSOR_H
#define CONGRUENT_WARP_TENSOR_H

#include "runtime/warp.h"
#include "runtime/warp_engines.h"

enum {
    TENSOR_LANES = 128,
    TENSOR_COLUMNS = 512,
    TENSOR_STRIPS = 8, // of a column
    TENSOR_STRIP_LANES = 16,
    TENSOR_STRIDE = 528,    // words from a lane to the next: not a power of two, for the processor's caches
    TENSOR_DEEDS = 1 << 13, // how many operations are remembered
    TENSOR_ALLOCATIONS = 1 << 10,
    TENSOR_ROWS_MAX = 256, // rows of A or B
};

// An operation on tensor memory.
typedef enum TensorDeedKind {
    TENSOR_IS_LOAD,
    TENSOR_IS_STORE,
    TENSOR_IS_PRODUCT,
    TENSOR_IS_COPY,
    TENSOR_IS_SHIFT,
} TensorDeedKind;
typedef struct TensorDeed {
    WarpSide side;
    WarpTicket ticket;
    uint16_t warp;
    uint8_t kind;
    // Of products: what their sums are.
    uint8_t product_kind, rows, sum_format;
    uint16_t column, columns;
} TensorDeed;

// Cells: the lanes of each strip, in columns from `column` on.
typedef struct TensorRegion {
    uint16_t lanes[TENSOR_STRIPS];
    uint32_t column, columns;
} TensorRegion;

typedef struct TensorAllocation {
    uint32_t column, columns;
    WarpSide maker, freer;
    bool live;
} TensorAllocation;

typedef struct TensorMemory {
    uint32_t cells[TENSOR_LANES][TENSOR_STRIDE];
    // Of strips: numbers of deeds, 0: none.
    uint32_t writer[TENSOR_STRIPS][TENSOR_COLUMNS];
    uint32_t loader[TENSOR_STRIPS][TENSOR_COLUMNS]; // the last load since it was written
    uint32_t reader[TENSOR_STRIPS][TENSOR_COLUMNS]; // the last product or shift that read it
    uint16_t unwritten[TENSOR_STRIPS][TENSOR_COLUMNS];
    // 0xFF: sums of f32 in register form (WarpFunctions), not as bits; else 0.
    uint8_t form[TENSOR_STRIPS][TENSOR_COLUMNS];
    TensorDeed deeds[TENSOR_DEEDS];      // deed n is number n % TENSOR_DEEDS; those before are taken to be known
    uint32_t deed_count;                 // the last deed's number
    uint16_t allocation[TENSOR_COLUMNS]; // 1 + number of the allocation; 0: never allocated
    TensorAllocation allocations[TENSOR_ALLOCATIONS]; // the last ones: number n is n % TENSOR_ALLOCATIONS
    uint32_t allocation_count;
    WarpSide relinquished; // place 0: not yet
    // tcgen05.fence: the last deed of all warps when each warp executed one, before_thread_sync and after_thread_sync.
    uint32_t fenced_before[WARP_BLOCK_WARPS], fenced_after[WARP_BLOCK_WARPS];
} TensorMemory;

// How a tile of shared memory was written by the copy engine, for each 128 bytes.
typedef struct WarpTileMark {
    uint32_t place; // of the instruction; 0: not known
    uint32_t first, end; // addresses of the tile
    uint32_t reader;     // place of a product that has read something of these bytes; 0: none has
    uint8_t span;
    bool dense; // each row is as long as the span
} WarpTileMark;
enum { WARP_TILE_BYTES = 128 };

// A tile that threads wrote and a product reads.
typedef struct WarpWatch {
    WarpMatrix matrix;
    WarpSide side;            // of the product
    uint32_t first, end;      // addresses
    uint32_t forgotten, next; // the block's records when it began
    bool shifted;             // other products read some of these bytes as another part of their matrix
} WarpWatch;
enum { WARP_WATCHES = 32, WARP_WATCHED = 256 };

// Groups of asynchronous operations that a warp's lanes have committed, the oldest first.
typedef struct WarpGroup {
    uint32_t lanes, ticket; // number of the last ticket of the group
} WarpGroup;
enum { WARP_GROUPS_MAX = 256 }; // older ones are forgotten
typedef enum WarpGroupKind { WARP_GROUP_COPY, WARP_GROUP_BULK, WARP_GROUP_WGMMA, WARP_GROUP_KINDS } WarpGroupKind;
typedef struct WarpGroups {
    WarpGroup *groups; // WARP_GROUPS_MAX; NULL: none was committed
    uint32_t count;
    uint32_t last[WARP_LANES]; // number of the last ticket of each lane
    WarpSide side;             // of the last one, for messages
} WarpGroups;

// What four warps do together.
typedef struct WarpGroupMeeting {
    const WarpCall *calls[4];
    uint32_t come;     // a bit for each warp
    uint32_t products; // how often all four have met
} WarpGroupMeeting;

struct WarpEngines {
    TensorMemory *tensor; // NULL: the kernel has not used it
    bool tensor_used;     // by this block
    _Alignas(64) uint8_t a[WARP_MATRIX_BYTES];
    _Alignas(64) uint8_t b[WARP_MATRIX_BYTES];
    _Alignas(64) uint8_t reordered[WARP_MATRIX_BYTES];          // b in another order
    _Alignas(64) uint32_t sums[TENSOR_LANES * TENSOR_ROWS_MAX]; // of a wgmma, or of lanes that a product must not write
    uint32_t window[WARP_LANES][TENSOR_COLUMNS];                // cells on their way from or to registers
    uint8_t scale_a[TENSOR_ROWS_MAX * 4], scale_b[TENSOR_ROWS_MAX * 4];
    WarpTileMark tiles[WARP_SHARED_MAX / WARP_TILE_BYTES + 16];
    uint32_t tile_end; // marks from here on are empty
    WarpWatch watches[WARP_WATCHES];
    uint32_t watch_count;
    uint8_t watched[WARP_WATCHED]; // how often products have been watched: a hash table of their places and operands
    WarpGroups groups[WARP_GROUP_KINDS][WARP_BLOCK_WARPS];
    WarpGroupMeeting meetings[WARP_BLOCK_WARPS / 4];
    bool product_fence[WARP_BLOCK_WARPS];                // the warp has executed a wgmma.fence
    WarpSide last_load[WARP_BLOCK_WARPS];                // tcgen05.ld
    uint32_t product_lane[WARP_BLOCK_WARPS][WARP_LANES]; // tcgen05: number of the last ticket of each lane
};

// ---- warp_tensor_cells.c: what is known of tensor memory
// -------------------------------------------------------------

// `lanes` lanes from `lane` on, both multiples of 16.
TensorRegion tensor_lanes(uint32_t lane, uint32_t lanes, uint32_t column, uint32_t columns);
// Whether cells are in both; *address is one of them.
bool tensor_overlap(const TensorRegion *a, const TensorRegion *b, uint32_t *address);
// Does not return if the region is not all in one allocation that lives.
void tensor_check_allocated(WarpBlock *block, const WarpSide *side, const TensorRegion *region);
// Notes an operation. `deed`: all but the ticket, for which the queue gives the next one. Returns the deed's number.
uint32_t tensor_begin(WarpBlock *block, const TensorDeed *deed, WarpQueue queue);
// An access by an operation.
typedef struct TensorUse {
    Warp *warp;
    uint32_t lanes;  // of the warp, that issue the operation
    uint32_t number; // of the deed
    uint32_t agent;  // whose earlier deeds of these kinds are ordered before this one, as in a pipeline
    uint32_t kinds;  // a bit for each TensorDeedKind
} TensorUse;
// What has to be written of a region that is read.
typedef enum TensorNeed {
    TENSOR_NEEDS_NOTHING,
    TENSOR_NEEDS_COLUMNS, // some lane of each column
    TENSOR_NEEDS_STRIPS,  // some lane of each strip
} TensorNeed;
// Checks that what was written to the region is there and known to be done, and remembers who reads.
void tensor_read(WarpBlock *block, const TensorUse *use, const TensorRegion *region, TensorNeed need);
// Checks that those who read and wrote the region are known to be done, and remembers who writes.
void tensor_write(WarpBlock *block, const TensorUse *use, const TensorRegion *region);
// The same check of columns that are freed. Warns, as tensor_write does, of sums that loads have left out.
void tensor_end(WarpBlock *block, const TensorUse *use, const TensorRegion *region);
// Makes the sums of the region bits, or sums in register form.
void tensor_to_bits(WarpBlock *block, const TensorRegion *region);
void tensor_to_registers(WarpBlock *block, const TensorRegion *region);
// Says that they are now.
void tensor_set_form(WarpBlock *block, const TensorRegion *region, bool registers);
// Copies `columns` cells of a lane, as bits.
void tensor_copy_lane(WarpBlock *block, uint32_t lane, uint32_t column, uint32_t columns, uint32_t *to);

// ---- warp_groups.c --------------------------------------------------------------------------------------------------

// The lanes have issued the operation with this ticket.
void warp_group_add(Warp *warp, WarpGroupKind kind, const WarpSide *side, WarpTicket ticket);
// A fault if a block ends while operations are pending that must have ended before.
WarpFault warp_groups_end(WarpBlock *block);

// ---- warp_operand.c: what tensor cores read of shared memory
// ----------------------------------------------------------

// Rows `first` to first + rows - 1 of the matrix are read as `deed` says. Does not return if they are not all in shared
// memory, or may not be read yet. Warns if the copy engine wrote them with another swizzle.
void warp_matrix_touch(WarpBlock *block, const WarpSide *side, const WarpDeed *deed, const WarpMatrix *matrix,
                       uint32_t first, uint32_t rows);
// The copy engine writes a tile with this swizzle to shared memory, in rows of `row` bytes.
void warp_mark_tile(WarpBlock *block, uint32_t place, uint32_t address, uint32_t bytes, uint32_t span, uint32_t row);
// What is there will be overwritten, or the block ends: warns of tiles that products have read in part and nobody else.
void warp_end_tiles(WarpBlock *block, uint32_t address, uint32_t end);

// ---- warp_watch.c: tiles that threads wrote -------------------------------------------------------------------------

// A product reads a matrix that threads wrote. Warns if it reads some bytes twice.
void warp_watch(WarpBlock *block, const WarpSide *side, const WarpMatrix *matrix);
// These bytes are about to be overwritten, or the block ends: warns of tiles that products have read in part and nobody
// else.
void warp_end_watches(WarpBlock *block, uint64_t address, uint64_t end);

// ---- warp_tensor.c --------------------------------------------------------------------------------------------------

// The tensor memory of the block. Does not return if the kernel has not allocated any.
TensorMemory *tensor_memory(WarpBlock *block, const WarpSide *side);
// One lane of a call, as a side.
WarpSide warp_lane_side(const WarpCall *call, uint32_t lane);
// Ends the block: what the problem says, for an operation of `side`.
_Noreturn void tensor_fail(WarpBlock *block, const WarpSide *side, const WarpProblem *problem);
_Noreturn void tensor_fail_at(WarpBlock *block, WarpFaultKind kind, const WarpSide *side, uint32_t address);

#endif
