// SPDX-License-Identifier: Apache-2.0
// Kernels of tiles whose blocks have parts (base/block_abi.h): parts run on fibers of one thread until they have to
// wait, the lowest one that can run first; asynchronous operations are carried out as late as possible. Beside the
// values, vector clocks of parts and queues find accesses that nothing orders.
//
//   block_device.c    launches: a state for each running block, what its parts get as arguments
//   block_run.c       parts on fibers, who runs next, deadlocks
//   block_operate.c   what parts ask for
//   block_memory.c    objects in the block's memory, staging memory
//   block_barriers.c  mbarriers
//   block_phases.c    waits for phases that others overtake
//   block_queues.c    asynchronous operations
//   block_cancel.c    blocks that take the place of others
//   block_order.c     what parts know of each other
//   block_pieces.c    rectangles of bytes
//   block_access.c    checks of accesses
//   block_message.c   what went wrong, in words
#ifndef CONGRUENT_BLOCK_H
#define CONGRUENT_BLOCK_H

#include "base/block_abi.h"
#include "runtime/fiber.h"
#include "runtime/runtime_internal.h"

#include <string.h>

enum {
    BLOCK_BARRIERS_MAX = 256,
    BLOCK_PENDING_MAX = 1024, // operations that are kept; beyond that the oldest are carried out early
    BLOCK_WORDS_MAX = 256,    // operands of an operation, arguments of a part
    BLOCK_GROUPS_KEPT = 64,
    BLOCK_COMMITS_KEPT = 64,
    BLOCK_ARRIVALS_MAX = (1 << 20) - 1,
    BLOCK_NO_BARRIER = UINT32_MAX,
    BLOCK_STAGING = 2, // a BlockSpace of our own
};

typedef struct Block Block;
typedef struct BlockPart BlockPart;

// ---- block_order.c: what a part, or those who arrived at an mbarrier, know of the block -----------------------------

typedef struct BlockClock {
    uint32_t time[BLOCK_PARTS_MAX];   // of each part: what it accessed at that time and before
    uint32_t fenced[BLOCK_PARTS_MAX]; // likewise, of its writes that a fence made known to asynchronous operations
    uint32_t done[BLOCK_PARTS_MAX][BLOCK_QUEUES]; // of each queue: that so many of its operations are done
    uint32_t phases[BLOCK_BARRIERS_MAX];          // of each mbarrier: that so many of its phases are over
} BlockClock;

// How many parts and mbarriers a block has had: what clocks say of others is zero.
typedef struct BlockExtent {
    uint32_t parts, barriers;
} BlockExtent;
typedef struct BlockKept { // what a part once knew
    BlockExtent extent;    // of then: beyond, nothing is kept
    BlockClock clock;
} BlockKept;

void block_clock_join(const Block *block, BlockClock *clock, const BlockClock *other);
void block_clock_clear(const Block *block, BlockClock *clock);
void block_clock_keep(const BlockPart *part, BlockKept *kept);
void block_clock_learn(BlockClock *clock, const BlockKept *kept);
// The part hands on what it knows and did.
void block_release(BlockPart *part, BlockClock *clock);
static inline void block_learn(uint32_t *number, uint32_t least) {
    if (*number < least) *number = least;
}

// ---- block_pieces.c: rectangles of bytes ----------------------------------------------------------------------------

typedef struct BlockPiece {
    uint64_t offset, rows, bytes, pitch; // rows of so many bytes; contiguous ones are one row
} BlockPiece;

// Of four operands. False: it does not lie in the first `limit` bytes. An empty one has no rows.
bool block_read_piece(const uint64_t *operands, uint64_t limit, BlockPiece *piece);
static inline uint64_t block_piece_end(const BlockPiece *piece) {
    return piece->offset + (piece->rows - 1) * piece->pitch + piece->bytes;
}
// Whether they share a byte; whether all of `inner` is in `outer`. They are not empty.
bool block_pieces_meet(const BlockPiece *a, const BlockPiece *b);
bool block_piece_covers(const BlockPiece *outer, const BlockPiece *inner);

// ---- block_access.c: checks of accesses -----------------------------------------------------------------------------

// Who accesses: a part, in its time; or an operation, which is done when the part's queue has done `number` of them, or
// when phase `number` of an mbarrier is over.
typedef enum BlockActorKind { BLOCK_BY_PART, BLOCK_BY_QUEUE, BLOCK_BY_BARRIER } BlockActorKind;
typedef struct BlockActor {
    BlockActorKind kind;
    uint32_t part, queue, barrier, number;
    uint32_t place;
} BlockActor;
typedef struct BlockUse {
    BlockPiece piece;
    BlockActor actor;
    bool writes;
} BlockUse;

// ---- block_memory.c -------------------------------------------------------------------------------------------------

typedef struct BlockObject {
    uint64_t offset, bytes;
    uint32_t space; // BlockSpace, BLOCK_STAGING
    uint32_t columns;
    bool live, filled;    // all of its bytes are 0xFF
    uint32_t made, freed; // places
    // Staging memory: given back; when what was issued up to here is done, others get it.
    bool returned;
    uint64_t last_use; // number of an operation
    // For checks:
    uint8_t *written; // a bit for each byte
    uint64_t unwritten;
    BlockUse *uses;
    uint32_t use_count, use_room;
    uint64_t begun, counted; // numbers of allocations: its own; the last one when it was accessed last
    uint64_t together;       // bytes or columns of the objects that were in use when it began
} BlockObject;
typedef struct BlockObjects {
    BlockObject *items; // sorted by offset, not overlapping
    uint32_t count, room;
} BlockObjects;

// ---- block_barriers.c -----------------------------------------------------------------------------------------------

// What one has to know to know that a phase is over: arrivals in it and in those before.
typedef struct BlockArrivals {
    uint32_t time[BLOCK_PARTS_MAX];               // of parts: when they arrived
    uint32_t done[BLOCK_PARTS_MAX][BLOCK_QUEUES]; // of operations of queues
    uint32_t phases;                              // phases of the mbarrier, if loads arrived
} BlockArrivals;
typedef struct BlockEnd {
    uint32_t place; // of who arrived last
    BlockArrivals arrivals;
} BlockEnd;
enum { BLOCK_ENDS_KEPT = 4 };

typedef struct BlockBarrier {
    uint64_t offset;
    bool live, awaited;                      // a part waited for it once
    uint32_t life;                           // how often it was made
    uint32_t count;                          // arrivals of a phase
    int64_t pending;                         // arrivals that are missing
    int64_t bytes;                           // that are to come
    int64_t expected, came;                  // bytes of this phase, for messages
    uint32_t first, phase;                   // phases over when it was made, and now
    uint32_t made, ended, expecter, bringer; // places; the last two of bytes
    uint32_t changer, changed;               // the part that made or ended it last, and when
    uint32_t arriver;                        // the place of the operation that arrived last
    BlockClock arriving, completed;          // of those who arrived in this phase; in phases that are over
    BlockArrivals arrivals;                  // so far
    BlockEnd ends[BLOCK_ENDS_KEPT];          // of phase n, modulo this; the last field, for it is not cleared
} BlockBarrier;

// The mbarrier of an operand, which the running part uses; the block fails if there is none. Results are numbers.
uint32_t block_find_barrier(Block *block, uint32_t place, uint64_t offset);
void block_arrive(Block *block, uint32_t barrier, uint32_t place, int64_t count);
void block_bytes_came(Block *block, uint32_t barrier, uint32_t place, int64_t bytes);
// At the end: more bytes have come than were announced.
void block_check_bytes(Block *block);
// Mbarriers in these bytes end.
void block_end_barriers(Block *block, uint32_t place, uint64_t offset, uint64_t bytes);

// ---- block_queues.c -------------------------------------------------------------------------------------------------

typedef enum BlockTask { BLOCK_WORK, BLOCK_COMMITS, BLOCK_COPIES_ARRIVE_LATER, BLOCK_ANSWER } BlockTask;
typedef struct BlockPending {
    struct BlockPending *previous, *next; // in the order of issue
    BlockTask task;
    BlockQueue queue;
    uint32_t part, place;
    uint32_t barrier, life, phase; // where it arrives, and in which phase; BLOCK_NO_BARRIER: nowhere
    int64_t bytes, arrivals;       // that come there
    uint32_t number, group;        // among those of the part's queue
    uint64_t serial;               // among all of the block
    uint32_t function, count;      // BLOCK_WORK: the part of the kernel, and its arguments
    uint64_t words[BLOCK_WORDS_MAX];
    BlockKept known; // what the part knew
} BlockPending;
typedef struct BlockPendings {
    BlockPending *first, *last, *free;
    uint32_t count;
    uint64_t serial; // of the last one
} BlockPendings;

typedef struct BlockCommit {         // when products are known to be done
    uint32_t number, barrier, phase; // up to that one; in which phase of which mbarrier
} BlockCommit;

// Adds an operation of the part to the queue; it is carried out at once if the launch wants that.
BlockPending *block_pend(BlockPart *part, uint32_t place, BlockTask task, BlockQueue queue, uint32_t barrier);
void block_issue(Block *block, BlockPending *pending);
// Carries out the first operation that arrives at the mbarrier, and what must be done before it. False: there is none.
bool block_advance(Block *block, uint32_t barrier);
bool block_can_advance(const Block *block, uint32_t barrier);
// Carries out the oldest operation. False: there is none.
bool block_advance_any(Block *block);
// The number of the oldest operation that is not done; UINT64_MAX: all are.
uint64_t block_oldest(const Block *block);
// The first commit that covers a product of the part; NULL: none does.
const BlockCommit *block_find_commit(const BlockPart *part, uint32_t number);
// The part ends: nobody can wait for its groups any more.
void block_end_groups(BlockPart *part);

// ---- block_phases.c -------------------------------------------------------------------------------------------------

// The part arrives in the phase that is under way; an operation does.
void block_note_arrival(Block *block, uint32_t barrier, const BlockPart *part, uint32_t place);
void block_note_operation(Block *block, uint32_t barrier, const BlockPending *pending, bool in_order);
// The place of an operation of which the part does not know that it has arrived; 0: there is none.
uint32_t block_find_arriver(const BlockPart *part, uint32_t barrier);
// A phase of the mbarrier has ended, with an arrival of `place`.
void block_end_of_phase(Block *block, uint32_t barrier, uint32_t place);
// The part is about to wait until so many phases are over.
void block_check_phase(const BlockPart *part, uint32_t barrier, uint32_t place, uint32_t parity, uint32_t phases);

// ---- block_run.c ----------------------------------------------------------------------------------------------------

typedef enum BlockWaitKind { BLOCK_RUNS, BLOCK_AWAITS_BARRIER, BLOCK_AWAITS_PARTS, BLOCK_AWAITS_BLOCKS } BlockWaitKind;
typedef struct BlockWait {
    BlockWaitKind kind;
    uint32_t place, barrier, phase, life;
} BlockWait;
typedef struct BlockArguments { // of a part
    uint64_t *words;
    HostRange *ranges;
    uint32_t *widths;
} BlockArguments;
typedef struct BlockWaited {
    uint32_t place, phases; // how many phases were over then
    uint32_t life, time;    // of the mbarrier; when the part went on
} BlockWaited;
typedef struct BlockUsed {
    uint32_t place, life, time;
} BlockUsed;
struct BlockPart {
    HostLaunch host; // what its code sees
    Block *block;
    uint32_t number;   // 0: the kernel itself; the others in the order of their forks
    uint32_t function; // of the kernel's parts, from 1 on; 0: the kernel itself
    uint32_t parent;
    bool open, live;
    SimtFiber fiber;
    uint8_t *memory; // RT_SCRATCH_HEAD bytes, then its scratch
    BlockArguments arguments;
    BlockWait wait;
    uint32_t issued[BLOCK_QUEUES], groups[BLOCK_QUEUES];
    uint32_t group_ends[BLOCK_QUEUES][BLOCK_GROUPS_KEPT]; // what was issued when group n, modulo this, was closed
    uint32_t group_waits[BLOCK_QUEUES];                   // places of the last waits for groups
    BlockCommit commits[BLOCK_COMMITS_KEPT];              // of tensor cores, number n at n modulo this
    uint32_t commit_count;
    BlockClock clock;
    BlockWaited waited[BLOCK_BARRIERS_MAX]; // of each mbarrier: its last wait
    BlockUsed used[BLOCK_BARRIERS_MAX];     // whatever it did last with it
};

// Runs the block; the result is that of an entry.
uint32_t block_run(Block *block, HostFault *fault);
// The part waits for what `wait` says.
void block_await(BlockPart *part, BlockWait wait);
// HostLaunch.wait of parts.
uint32_t block_wait_for_blocks(const HostLaunch *host);
// Ends the block: with a message of its own, or with a site of the kernel.
_Noreturn void block_fail(Block *block, uint32_t place, const char *format, ...) BASE_PRINTF(3, 4);
_Noreturn void block_stop(Block *block);

// ---- block_device.c -------------------------------------------------------------------------------------------------

typedef struct BlockFinding {
    RtFindingKind kind;
    uint64_t block;
    uint32_t order, place, other; // among those of its block; places
    char *text;
} BlockFinding;
typedef struct BlockFindings {
    uint32_t count;
    BlockFinding items[RT_FINDINGS_MAX + 1];
    uint64_t dropped; // the lowest block of one that found no room; UINT64_MAX: there was room
} BlockFindings;

typedef struct BlockLaunch {
    HostLaunch host; // what the pool sees
    RtDevice *device;
    const RtCheckedLaunch *checked;
    const KernelInfo *kernel;
    bool checks, early, records;
    uint32_t *widths; // of each of the launch's buffers
    size_t part_scratch;
    uint32_t argument_room;
    HostRecord *no_records, *kernel_records; // of the arguments of parts, and of the kernel's own
    RtIdle blocks;
    pthread_mutex_t mutex; // guards what follows, and memory of the device
    uint64_t failed_block; // the lowest one that failed with a message of its own
    char *failed_text;
    Location failed_at;
    uint8_t *begun;       // of each block: it has begun, or another one took its place. NULL: nobody asks
    uint64_t begun_first; // those below it have
    BlockFindings findings;
} BlockLaunch;

struct Block {
    RtIdleItem item;
    BlockLaunch *launch;
    RtBuffer *buffer;
    uint8_t *memory;
    uint64_t bytes, all_bytes; // of memory; with staging memory
    HostRange *buffers;        // HostLaunch.buffers of parts
    SimtStacks stacks;
    SimtFiber thread;
    uint64_t number;
    uint32_t position[3];
    BlockPart *current;
    BlockPart *parts;     // BLOCK_PARTS_MAX, and the worker
    uint32_t part_count;  // that have been used
    uint32_t turn;        // who waited for other blocks last
    BlockPart *worker;    // carries out asynchronous operations: has no fiber
    bool failed, in_vain; // in_vain: a part waited for a block that a fault left out
    uint32_t site;
    HostFault fault;
    char *text; // of a failure without a site
    uint32_t text_place;
    BlockObjects objects, staging;
    uint64_t allocations;
    BlockBarrier *barriers;
    uint32_t barrier_count;
    BlockPendings pendings;
    BlockFindings findings;
};

// Launches the kernel: `work` has all but its entry and launch.
void block_launch_open(BlockLaunch *launch, RtDevice *device, const RtCheckedLaunch *checked, RtWork *work);
// After it. True: no block failed in a way that is reported here.
bool block_launch_close(BlockLaunch *launch, Diagnostics *diagnostics, RtFault *fault);
// Gives the arguments to a part; `function` as in BlockPart.
void block_set_arguments(BlockPart *part, uint32_t function, const uint64_t *words, uint32_t count);
HostEntry *block_entry_of(const Block *block, uint32_t function);

// ---- block_memory.c, again ------------------------------------------------------------------------------------------

void block_memory_begin(Block *block);
void block_memory_close(Block *block);
// The object in which the piece lies; the block fails if there is none. It may have been freed.
BlockObject *block_find_object(Block *block, uint32_t place, const BlockPiece *piece);

// ---- block_access.c, again ------------------------------------------------------------------------------------------

// A part accesses memory, or has issued an operation that does.
void block_access(BlockPart *part, uint32_t place, BlockAccess access, const uint64_t *piece,
                  const BlockPending *pending);
// An object begins; it ends because of FREE, or because another one begins there.
void block_begin_object(BlockPart *part, BlockObject *object);
void block_end_object(BlockPart *part, uint32_t place, BlockObject *object, bool is_free);
// The block ends.
void block_check_end(BlockPart *part);

// ---- block_message.c ------------------------------------------------------------------------------------------------

void block_print_place(const Block *block, uint32_t place, Buffer *out);
void block_print_part(uint32_t part, Buffer *out);
enum { BLOCK_PLACE_TEXT = 200 };
const char *block_place_text(const Block *block, uint32_t place, char text[BLOCK_PLACE_TEXT]);
// Keeps a finding; texts are as in printf, and need not be formatted if it is known.
bool block_is_new(const Block *block, uint32_t place, uint32_t other);
void block_find(Block *block, RtFindingKind kind, uint32_t place, uint32_t other, Buffer *text);
void block_deadlock(Block *block);
void block_merge_findings(Block *block);
void block_report_findings(BlockLaunch *launch, uint64_t last);

// ---- block_operate.c and operations
// -----------------------------------------------------------------------------------------------------

// HostLaunch.operate of parts, and of asynchronous operations.
uint64_t block_operate(const HostLaunch *host, uint32_t operation, uint32_t place, const uint64_t *operands,
                       uint32_t count);
typedef struct BlockCall {
    Block *block;
    BlockPart *part;
    uint32_t place;
    const uint64_t *operands;
    uint32_t count;
} BlockCall;
#define BLOCK_OPERATION(id, ...) uint64_t block_operate_##id(const BlockCall *call);
#include "base/block_operations.def"
#undef BLOCK_OPERATION

#endif
