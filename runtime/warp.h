// SPDX-License-Identifier: Apache-2.0
// Shared by the files that run kernels of warps (base/warp_abi.h). A block is run by one thread of the pool; its warps
// are fibers, of which one runs at a time until it has to wait.
//
// Nothing that a block does depends on the time: which warp runs, what is found and what is reported is the same in
// every run. Faults are data; after the launch that of the lowest block becomes a diagnostic (warp_message.c).
#ifndef CONGRUENT_WARP_H
#define CONGRUENT_WARP_H

#include "runtime/fiber.h"
#include "runtime/runtime_internal.h"

typedef struct WarpBlock WarpBlock;
typedef struct Warp Warp;
typedef struct WarpLaunch WarpLaunch;
typedef struct WarpEngines WarpEngines; // what copy engines and tensor cores keep of a block (warp_tensor.c)

enum {
    WARP_BLOCK_WARPS = WARP_THREADS_MAX / WARP_LANES,
    WARP_BARRIERS = 16,
    WARP_MBARRIERS_MAX = 512,
    WARP_AGENTS_MAX = 1024,
    WARP_WARNINGS_MAX = 64,         // of a launch
    WARP_BUDGET = 4096,             // backward branches until other warps run
    WARP_BUDGET_AGAIN = 64,         // the same, of a block that has waited for others, until something happens
    WARP_SHARED_USABLE = 227 << 10, // bytes of shared memory of a block, static and dynamic
};

// ---- faults and warnings (warp_faults.def, warp_message.c) ----------------------------------------------------------

typedef enum WarpFaultKind {
    WARP_FAULT_NONE,
#define WARP_FAULT(id, ...) WARP_FAULT_##id,
#include "runtime/warp_faults.def"
#undef WARP_FAULT
    WARP_FAULT_KINDS
} WarpFaultKind;

// Who did something.
typedef struct WarpSide {
    uint32_t place; // 1 + the number of the instruction among KernelInfo.places; 0: not known
    uint32_t lanes; // of the warp; 0: not told
    uint16_t agent; // a warp's number, or an agent of asynchronous operations: then the message has op and line alone
} WarpSide;

enum { WARP_FAULT_NUMBERS = 4 };
#define WARP_TENSOR_SPACE ((uint8_t)WARP_SPACES) // WarpFault.space of tensor memory: the address is lane << 16 | column
typedef struct WarpFault {
    WarpFaultKind kind;
    uint8_t space;     // WarpSpace of the address, or WARP_TENSOR_SPACE
    WarpSide sides[2]; // the diagnostic has the place of side 0
    uint64_t address;  // in that space
    int64_t numbers[WARP_FAULT_NUMBERS];
    char *text; // on the heap; the fault owns it
} WarpFault;

// Ends the block with this fault, which takes its text. To be called on the fiber of a warp, or while one waits.
_Noreturn void warp_fail(WarpBlock *block, WarpFault fault);
// Adds a warning, whose text it takes, to those of the launch, unless it has one with the same kind and places.
void warp_warn(WarpBlock *block, WarpFault warning);
// A warning as the launch keeps it: of the lowest block that gave it.
typedef struct WarpWarning {
    WarpFault fault;
    uint64_t block;
} WarpWarning;
// Records the warnings of blocks up to `last`, sorted by place.
void warp_report_warnings(const RtDevice *device, const WarpLaunch *launch, uint64_t last);
// Records the fault of a block (by its linear id) as a diagnostic. Always false.
bool warp_report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                 const WarpFault *fault);
// "warp 3 lane 5 in st.shared.b32 (k.py:7)".
void warp_print_side(const KernelInfo *kernel, const WarpSide *side, Buffer *out);
// "byte 16 of shared memory": counted from its first byte on, which has the address WARP_SHARED_FIRST.
void warp_print_shared(uint64_t address, Buffer *out);

// ---- warp_clock.c: what is ordered before what ----------------------------------------------------------------------
//
// Agents do things one after the other and number them. Agents are the warps, and queues of asynchronous operations. A
// ticket is one thing done: agent and number. A clock says for each agent up to which number its deeds are known to be
// done. Each warp has a clock; barriers, mbarriers and strong accesses pass clocks on. Memory has cells that remember
// the last write and the reads since then (warp_cells.c). An access that is not ordered after those is a fault.

typedef enum WarpQueue {
    WARP_QUEUE_COPY,         // cp.async of a warp; WARP_COPY_WAIT and WARP_COPY_ARRIVE end them
    WARP_QUEUE_BULK_READ,    // bulk stores of a warp, as far as they read shared memory (wait_group.read)
    WARP_QUEUE_BULK_WRITE,   // .. and as far as they write global memory (wait_group)
    WARP_QUEUE_WGMMA,        // of a warpgroup (its number is the owner)
    WARP_QUEUE_TENSOR,       // tcgen05.mma, cp, shift of a warp; commit ends them
    WARP_QUEUE_TENSOR_LOAD,  // tcgen05.ld of a warp; wait::ld
    WARP_QUEUE_TENSOR_STORE, // tcgen05.st of a warp; wait::st
    WARP_QUEUES
} WarpQueue;
// Numbers of agents: those of warps, then WARP_BLOCK_WARPS and up of queues and mbarriers. Of a warp the number counts
// what it has handed on to others, of an mbarrier the phases.

typedef struct WarpTicket {
    uint32_t agent, number;
} WarpTicket;

// Of warps two numbers are known: `time` of all lanes, and `part`, which may be later, of some of them.
typedef struct WarpClock {
    uint32_t time[WARP_AGENTS_MAX];
    uint32_t part[WARP_BLOCK_WARPS];
    uint32_t lanes[WARP_BLOCK_WARPS];  // that `part` is about
    // What is also visible to the asynchronous proxy, of what warps did and of what their cp.async did.
    uint32_t fenced[WARP_BLOCK_WARPS], fenced_copies[WARP_BLOCK_WARPS];
} WarpClock;

// A place in memory by which warps order what they do.
typedef struct WarpMeeting {
    uint64_t key;     // space and address
    WarpClock *clock; // what has been released there; NULL: the entry is not used
} WarpMeeting;

enum { WARP_MEETINGS = 64 };
typedef struct WarpOrder {
    uint32_t agents, agents_most;                   // in use; that a block of this worker has had
    uint32_t issued[WARP_AGENTS_MAX];               // tickets of queues
    uint16_t queues[WARP_QUEUES][WARP_BLOCK_WARPS]; // their agents; 0: not used yet
    uint8_t copiers[WARP_AGENTS_MAX];               // of agents of WARP_QUEUE_COPY: 1 + the warp; else 0
    WarpClock *clocks;                              // `clock_count` of them are in use, clock_most have been
    uint32_t clock_count, clock_most;
    WarpMeeting meetings[WARP_MEETINGS + 1]; // the last one is for all that find no room
    bool meets;                              // there are some
} WarpOrder;

// False: no memory. May be closed in any state.
bool warp_order_open(WarpOrder *order);
void warp_order_close(WarpOrder *order);
void warp_order_begin(WarpBlock *block); // a block begins: nobody knows anything
// A clock of zeros, for as long as the block runs.
WarpClock *warp_clock_new(WarpBlock *block);
void warp_clock_clear(const WarpBlock *block, WarpClock *clock);
void warp_clock_join(const WarpBlock *block, WarpClock *clock, const WarpClock *other);
// The agent of a queue; made when it is first asked for. `owner`: number of the warp or the warpgroup.
uint32_t warp_agent(WarpBlock *block, WarpQueue queue, uint32_t owner);
uint32_t warp_new_agent(WarpBlock *block);
// The next ticket of a queue; the last one issued, whose number is 0 if there is none. (Not of warps and mbarriers.)
WarpTicket warp_issue(WarpBlock *block, uint32_t agent);
WarpTicket warp_last_ticket(const WarpBlock *block, uint32_t agent);
// These lanes of the warp know from now on that the ticket, and all of its agent before it, is done: after a wait.
void warp_learn(Warp *warp, uint32_t lanes, WarpTicket ticket);
bool warp_knows(const Warp *warp, uint32_t lanes, WarpTicket ticket);
// Whether those with this clock know that the asynchronous proxy sees what the agent did in the generic proxy, as warps
// and cp.async do. True for agents of the asynchronous proxy.
bool warp_is_fenced(const WarpBlock *block, const WarpClock *clock, WarpTicket ticket);
const WarpClock *warp_known(const Warp *warp, uint32_t lanes); // what all of the lanes know
// These lanes know that their own copies of WARP_QUEUE_COPY are done up to a number. Other lanes learn it from them.
void warp_learn_copies(Warp *warp, uint32_t lanes, uint32_t number);
// What lanes of a warp have done is ordered before what they will do.
void warp_order_lanes(Warp *warp, uint32_t lanes);
// Whether each of the lanes knows what the others did at a time, from lanes that met without all of the warp.
bool warp_have_met(const Warp *warp, uint32_t lanes, uint32_t others, uint32_t time);
// What the lanes release into a clock is known to those who acquire it later.
void warp_release(Warp *warp, uint32_t lanes, WarpClock *clock);
void warp_acquire(Warp *warp, uint32_t lanes, const WarpClock *clock);
// fence.proxy.async: what the lanes know of is from now on visible to the asynchronous proxy.
void warp_fence_async(Warp *warp, uint32_t lanes);
// fence, membar.
void warp_fence(Warp *warp, uint32_t lanes);
// A strong access. `flags`: WARP_ACQUIRE, WARP_RELEASE.
void warp_strong_read(Warp *warp, uint32_t lanes, uint32_t flags, WarpSpace space, uint64_t offset);
void warp_strong_write(Warp *warp, uint32_t lanes, uint32_t flags, WarpSpace space, uint64_t offset);

// ---- warp_cells.c: who has accessed memory --------------------------------------------------------------------------

enum {
    WARP_DEED_WRITE = 1,
    WARP_DEED_ATOMIC = 2,   // strong: atomic, relaxed, volatile. Two of those do not race
    WARP_DEED_ASYNC = 4,    // by the asynchronous proxy: what it reads of ordinary stores must have been fenced
    WARP_DEED_CONSTANT = 8, // a read of memory that nobody writes
    WARP_DEED_LANES = 16,   // of records alone: see WarpRecord.lanes
    WARP_DEED_MIXED = 32,   // .. its list has writes
};
// An access by a warp, or by an asynchronous operation that the warp issues.
typedef struct WarpDeed {
    Warp *warp;
    uint32_t lanes; // of the warp
    uint32_t place;
    uint32_t flags;    // WARP_DEED_*
    WarpTicket ticket; // of the operation; agent `warp->number`: the warp itself does it, the number is not used
    bool spread;       // of warp_touch_lanes: each lane's bytes follow those of the lane before
    // Whether a write writes what is there already, and so does not race with another write. NULL: it does not.
    bool (*same)(const void *store);
    const void *store;
    uint16_t before[2]; // agents of queues whose earlier deeds are ordered before this one, as in a pipeline; 0: none
} WarpDeed;

// What memory remembers of an access. Records have numbers that grow through all blocks of a worker.
typedef struct WarpRecord {
    uint32_t number, place; // number: of the ticket
    uint32_t lanes;         // that did it, if WARP_DEED_LANES; else the cell has the lane
    uint32_t rest;          // of reads: the record of the reads before this one; 0: none
    uint16_t agent, flags;
} WarpRecord;
// Who accessed memory: number of a record << 5 | lane. Empty if the number is below WarpRecords.first. If different
// things have happened to parts of it, `write` is WARP_CELL_SPLIT, and the parts have cells.
typedef struct WarpCell {
    uint32_t write, read;
} WarpCell;
#define WARP_CELL_SPLIT UINT32_MAX
typedef struct WarpFarLine { // the cells for 64 bytes of global memory
    uint64_t line;           // address / 64
    uint32_t epoch;          // other than WarpCells.far_epoch: the line is empty
    uint32_t bytes;          // 1 + the number of its 64 cells for bytes; 0: none
} WarpFarLine;
typedef struct WarpCells {
    uint32_t size;                      // bytes of shared memory
    WarpCell *granules, *words, *bytes; // for 16, 4 and single bytes of it
    WarpFarLine *far_lines;             // of global memory: a hash table of addresses
    WarpCell *far_granules, *far_words, *far_bytes;
    uint32_t far_epoch, far_count, far_bytes_count;
    bool far_async; // some may have records of asynchronous operations
} WarpCells;

enum { WARP_RECORD_TABLE = 4096, WARP_RECENT_RECORDS = 32 };
typedef struct WarpRecords {
    WarpRecord *records; // of the numbers `first` to `next`
    uint32_t first, next;
    uint32_t table[WARP_RECORD_TABLE]; // finds a record that is there already
} WarpRecords;

bool warp_records_open(WarpRecords *records); // as warp_order_open
void warp_records_close(WarpRecords *records);
void warp_records_begin(WarpBlock *block); // a block begins: all cells are empty
// Cells for `size` bytes of shared memory, a multiple of 16, and for global memory. False: no memory. They may be
// closed in any state.
bool warp_cells_open(WarpCells *cells, uint32_t size);
void warp_cells_close(WarpCells *cells);
void warp_cells_clear(WarpCells *cells);
void warp_cells_clear_global(WarpCells *cells);
// Checks an access to bytes of shared or global memory, and remembers it; nothing for other spaces. Does not return if
// it is not ordered after what it must come after. `offset`: address in the space.
void warp_touch(WarpBlock *block, const WarpDeed *deed, WarpSpace space, uint64_t offset, uint64_t bytes);
// The same for all of the pieces, which is faster than one after the other.
typedef struct WarpPiece {
    uint64_t address; // in the space
    uint64_t bytes;
} WarpPiece;
void warp_touch_pieces(WarpBlock *block, const WarpDeed *deed, WarpSpace space, const WarpPiece *pieces,
                       uint32_t count);
// The same for each lane of the deed: `bytes` bytes at addresses[lane] + shift, an address in the space.
void warp_touch_lanes(WarpBlock *block, const WarpDeed *deed, WarpSpace space, const uint64_t *addresses,
                      uint64_t shift, uint32_t bytes);
// Who has last written to a byte of shared or global memory; place 0 if it is not known.
WarpSide warp_writer(WarpBlock *block, WarpSpace space, uint64_t offset);
// Whether a byte has been read since it was last written, as far as is known.
bool warp_was_read(WarpBlock *block, WarpSpace space, uint64_t offset);
// The place of the write to the cell of a byte that nobody has read since; 0: there is none.
uint32_t warp_unread_writer(WarpBlock *block, WarpSpace space, uint64_t offset);
// The number of the record of the last write to a byte; 0: nobody is known to have written it.
uint32_t warp_write_record(WarpBlock *block, WarpSpace space, uint64_t offset);
// All warps know all that warps have done, so that cells of global memory need to remember nothing.
void warp_forget_global(WarpBlock *block);

// ---- warp_block.c: warps and who of them runs -----------------------------------------------------------------------

// What a warp waits for.
typedef struct WarpWait {
    // Whether it has come. Asked again whenever something has happened (warp_progress).
    bool (*ready)(const Warp *warp, const struct WarpWait *wait);
    // For messages: "waits at barrier 1, where 64 of 128 threads have arrived".
    void (*describe)(const Warp *warp, const struct WarpWait *wait, Buffer *out);
    void *object;
    uint64_t number;
    uint32_t lanes;
    bool soft; // it may give up
} WarpWait;
// Runs other warps until the wait is over. False: it is not, but nobody else can run; only if it is soft.
bool warp_wait(Warp *warp, const WarpWait *wait);
// Lanes of a warp whose others run cannot go on: the compiled code tries again, or calls WarpOps.yield.
void warp_note_blocked(Warp *warp, const WarpWait *wait);
void warp_wait_blocked(WarpState *state); // WarpOps.yield
// Something has happened that a warp may wait for.
void warp_progress(WarpBlock *block);
// Somebody waits for what the warp has just done: lets others run, unless the schedule is reverse.
void warp_hand_over(Warp *warp);
// Lets other warps run that can. `vain`: what the warp has looked for and not found, or NULL; if warps only do that for
// long, it is a deadlock.
void warp_yield(Warp *warp, const WarpWait *vain);

// Carries out an asynchronous operation: at once, or, with the reverse schedule, as late as it may be: when somebody
// waits for its agent (warp_finish), or no warp can run. `bytes` bytes at `data` are copied.
typedef void WarpAction(WarpBlock *block, void *data);
void warp_start(WarpBlock *block, uint32_t agent, WarpAction *action, const void *data, size_t bytes);
// Carries out all operations of the agent that were started.
void warp_finish(WarpBlock *block, uint32_t agent);

// Room for blocks with so many threads and shared memory up to this address. NULL: no memory; errno says why.
// warp_block_close(NULL) is fine.
WarpBlock *warp_block_open(uint32_t threads, uint32_t shared_end);
void warp_block_close(WarpBlock *block);
// Makes it ready for blocks of the launch.
void warp_block_prepare(WarpBlock *block, WarpLaunch *launch);
// Runs a block; block->fault or block->stopped say how it ended.
void warp_run_block(WarpBlock *block);

// ---- warp_operate.c: WarpOps ----------------------------------------------------------------------------------------

extern const WarpOps warp_ops;
void warp_give_budget(Warp *warp); // WarpState.budget

// A call of WarpOps.operate.
typedef struct WarpCall {
    WarpBlock *block;
    Warp *warp;
    uint32_t mask;
    const WarpOperation *operation;
    WarpLanes *operands;
    void *data;
} WarpCall;
// One function for each row of base/warp_operations.def; its result is that of WarpOps.operate.
typedef uint32_t WarpFunction(const WarpCall *call);
#define WARP_OPERATION(id, ...) WarpFunction warp_operate_##id;
#include "base/warp_operations.def"
#undef WARP_OPERATION

// Operand `number` of the call, which must be the same in all lanes of the mask. Does not return if it is not.
uint64_t warp_uniform(const WarpCall *call, uint32_t number);
// What the call's lanes do: as a deed of the warp itself, and as a side of a fault.
WarpDeed warp_own_deed(const WarpCall *call, uint32_t flags);
WarpSide warp_call_side(const WarpCall *call);
// Ends the block: "OP: not supported: WHAT".
_Noreturn void warp_refuse(const WarpCall *call, const char *what);

// ---- warp_memory.c: loads, stores, atomics --------------------------------------------------------------------------

// Functions of WarpOps.
void warp_load(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, void *values);
void warp_store(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses,
                const void *values);
void warp_atomic(WarpState *state, uint32_t mask, const WarpAccess *access, WarpCombine *combine,
                 const uint64_t *addresses, const void *operands, const void *swap, void *old);

typedef struct WarpWhere {
    uint8_t *bytes;  // in memory of the host; NULL: local memory, whose words lie apart
    WarpSpace space; // WARP_GLOBAL, WARP_SHARED, WARP_LOCAL or WARP_PARAMETER
    uint64_t offset; // address in that space
} WarpWhere;
// Finds what `bytes` bytes at an address in `space` are. Does not return if the address is no multiple of `alignment`,
// or they do not all lie in memory that the block may access. `side`: whose access it is.
WarpWhere warp_find(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address, uint64_t bytes,
                    uint32_t alignment, bool write);
// As warp_find, for an address that must be in the block's shared memory.
WarpWhere warp_find_shared(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address, uint64_t bytes,
                           uint32_t alignment);
// Adds an operand to what is in global or shared memory, as an atomic that no other block interferes with.
void warp_combine(WarpBlock *block, const WarpWhere *where, uint32_t bytes, WarpCombine *combine, const void *operand);

// ---- warp_unwritten.c: what nobody has written ---------------------------------------------------------------------

// A block begins: nobody has written its shared and local memory.
void warp_unwritten_begin(WarpBlock *block);
// Notes in the launch what the block has read of it.
void warp_unwritten_end(WarpBlock *block);
// WarpOps.enter
void warp_enter(WarpState *state, void *frame, uint32_t bytes, uint32_t local);
// Lanes read local memory, bytes that they have in common: what of it they have not written is put there.
void warp_read_local(Warp *warp, uint32_t lanes, uint64_t offset, uint32_t bytes, uint32_t place);
void warp_write_local(Warp *warp, uint32_t lanes, uint64_t offset, uint32_t bytes);
// An atomic reads the shared memory at each lane's address, before it is touched.
void warp_update_shared(WarpBlock *block, uint64_t offset, uint32_t bytes, uint32_t place);

// ---- warp_barrier.c: named barriers ---------------------------------------------------------------------------------

typedef struct WarpBarrier {
    uint32_t phase;                     // how often all have come
    uint32_t arrived;                   // threads, in this phase
    uint32_t expected;                  // threads; 0: nobody has arrived
    bool all;                           // those that have not ended
    uint32_t any, every;                // the predicates: whether one is true, all are
    uint32_t count;                     // how many are true
    uint32_t lanes[WARP_BLOCK_WARPS];   // that have arrived in this phase
    uint32_t waiting[WARP_BLOCK_WARPS]; // and wait
    WarpSide first;                     // who arrived first
    WarpClock *arriving, *completed;    // what those know who have arrived in this phase, in those before
} WarpBarrier;
enum { WARP_CLUSTER_BARRIER = WARP_BARRIERS, WARP_ALL_BARRIERS };
void warp_barriers_begin(WarpBlock *block); // a block begins
// Lanes of the warp have ended: others may wait for no more.
void warp_barriers_exit(Warp *warp);

// ---- warp_mbarrier.c ------------------------------------------------------------------------------------------------

typedef struct WarpMbarrier {
    uint32_t address; // in shared memory
    bool live;
    uint32_t phase;             // the current one, from 0 on
    uint32_t pending, expected; // arrivals: that the phase waits for, that the next one will
    int32_t bytes;              // tx-count: expected minus completed
    uint32_t agent, base;       // what completes in phase p has the number base + p + 1
    uint32_t last_number;       // of the last operation that completes here; 0: there was none
    uint32_t waited;            // that of the last phase that somebody has waited for
    WarpSide last, maker;       // who issued that one, and who made the mbarrier
    // Of warps: the number of the phase in which try_wait has given up early.
    uint32_t given_up[WARP_BLOCK_WARPS];
    WarpClock *arriving, *completed; // what those know who have arrived in this phase, in those before
} WarpMbarrier;

bool warp_mbarriers_open(WarpBlock *block); // as warp_engines_open
void warp_mbarriers_close(WarpBlock *block);
void warp_mbarriers_begin(WarpBlock *block); // a block begins
// All warps have ended. The fault says what nobody has waited for.
WarpFault warp_mbarriers_end(const WarpBlock *block);
// The mbarrier at an address. Does not return if there is none.
WarpMbarrier *warp_find_mbarrier(WarpBlock *block, const WarpSide *side, uint32_t space, uint64_t address);
// The ticket of an operation that `side` issues and that completes on the mbarrier's current phase.
WarpTicket warp_mbarrier_ticket(WarpMbarrier *mbarrier, const WarpSide *side);
// complete_tx by an asynchronous operation that `side` has issued.
void warp_mbarrier_complete(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side, uint32_t bytes);
// An arrival of count 1 by an asynchronous operation of the warp's lanes in `side`: those who wait for the phase then
// know what these lanes do, and that the ticket is done.
void warp_mbarrier_arrive(Warp *warp, WarpMbarrier *mbarrier, const WarpSide *side, WarpTicket ticket);
// cp.async.mbarrier.arrive without .noinc: one more arrival is pending.
void warp_mbarrier_raise(WarpBlock *block, WarpMbarrier *mbarrier, const WarpSide *side);

// ---- warp_tensor.c and its neighbours: copy engines and tensor cores ------------------------------------------------

// What they keep of a block. False: no memory. May be closed in any state.
bool warp_engines_open(WarpBlock *block);
void warp_engines_close(WarpBlock *block);
void warp_engines_begin(WarpBlock *block); // a block begins
// All warps have ended. The fault says what was left that must not be, such as tensor memory that is not freed.
WarpFault warp_engines_end(WarpBlock *block);

// ---- state ----------------------------------------------------------------------------------------------------------

struct Warp {
    WarpState state; // first: the compiled code has its address
    WarpBlock *block;
    uint32_t number;
    uint32_t exists; // lanes
    uint32_t place;  // where it last called
    uint32_t budget; // that it was given last
    SimtFiber fiber;
    bool ended;
    // Waiting.
    const WarpWait *wait;    // NULL: it can run
    const WarpWait *vain;    // warp_yield
    bool came;               // what it waited for
    uint64_t seen;           // WarpBlock.events when it was last found to have to wait
    WarpWait blocked;        // what lanes that cannot go on wait for, of a warp whose other lanes may
    uint64_t blocked_events; // WarpBlock.events when the first of them found that; UINT64_MAX: none has
    // Order. What a warp does now has the number `time`, what its lanes have done before `synced` is known to all of
    // them. `ahead`: what the lanes `ahead_lanes` know beyond `clock`.
    uint32_t time, synced, ahead_lanes;
    WarpClock *clock, *ahead;
    // Where some lanes came to a .sync instruction without the others, after `synced`: lane i knows what lane j did
    // before met[i][j].
    bool partly;
    uint32_t met[WARP_LANES][WARP_LANES];
    // Lanes know that their own cp.async are done up to this ticket, and other lanes do from the next .sync on.
    uint32_t copied[WARP_LANES];
    bool copies; // some have learned so since then
    uint32_t recent_records[WARP_RECENT_RECORDS]; // of its last accesses, by place
    WarpClock *fence;                             // what the warp knew at its last fence; NULL: there was none
    WarpClock *pending; // what it has read with relaxed accesses, to be known after the next fence; or NULL
    // Local memory of all lanes: word k of lane l is number 32 k + l.
    uint8_t *local;
    uint32_t *local_written; // for each byte of a lane: the lanes that have written it
    uint32_t local_used;     // bytes of a lane that may have been written
    // Barriers.
    uint32_t reduced[3][WARP_LANES]; // what bar.red gives: popc, and, or
    uint32_t cluster_phase[WARP_LANES];
};

typedef struct WarpKept { // an asynchronous operation that is not carried out yet
    struct WarpKept *next;
    uint32_t agent;
    WarpAction *action;
    max_align_t data[];
} WarpKept;

// One launch, for all its blocks.
struct WarpLaunch {
    HostLaunch host; // first, so that blocks, which get its address, find the rest
    const RtCheckedLaunch *checked;
    const KernelInfo *kernel;
    const RtThreads *threads;
    const uint64_t *globals;
    uint32_t thread_count, shared_end;
    RtPrinter *printer;
    RtIdle blocks;
    pthread_mutex_t mutex; // guards what follows
    uint64_t failed_block; // lowest block that failed, UINT64_MAX if none
    WarpFault failed;      // that fault
    RtUnwritten unwritten;
    uint64_t unwritten_shared_block, unwritten_local_block; // the lowest blocks
    uint32_t warning_count;
    WarpWarning warnings[WARP_WARNINGS_MAX + 1]; // sorted; the last one is room for another
};

// A running block. One thread of the pool uses it at a time, for one block after the other.
struct WarpBlock {
    RtIdleItem item;
    WarpLaunch *launch;
    const KernelInfo *kernel;
    uint64_t number;      // linear id
    uint32_t position[3]; // in the grid
    uint32_t thread_count, warp_count;
    bool reverse;
    Warp *warps;
    Warp *running;
    SimtFiber main;
    SimtStacks stacks;
    uint32_t fibers; // that are open
    // Shared memory: address a is shared[a]; those from WARP_SHARED_FIRST to shared_end exist.
    uint8_t *shared;
    uint32_t shared_end;
    uint8_t *local;
    uint32_t *local_written;
    size_t local_bytes; // of all warps
    bool unwritten[2];  // whether shared memory that nobody has written was read; the other one is of no interest
    uint32_t unwritten_shared, unwritten_local; // the places of the first reads, as in RtUnwritten
    HostRange recent;                           // the buffer of the last access to one
    WarpCells cells;
    WarpOrder order;
    WarpRecords records;
    WarpBarrier barriers[WARP_ALL_BARRIERS];
    WarpMbarrier *mbarriers; // WARP_MBARRIERS_MAX
    uint32_t mbarrier_count;
    uint16_t *mbarrier_at; // of each 8 bytes of shared memory: 1 + the number of the mbarrier that is or was there
    WarpEngines *engines;
    uint32_t watch_first, watch_end; // of shared memory: whoever writes there calls warp_end_watches first
    WarpKept *kept, **kept_end;      // in the order in which they were started
    uint64_t events;                 // how often something has happened
    uint32_t idle;                   // how often since then a warp has looked in vain
    uint32_t turns;                  // of warps that iterate, since something has happened
    bool looks, looked;              // at what other blocks do, since then; all warps have
    uint64_t rounds, clock;          // of loops; how often the clock was read
    bool stopped;                    // ended without a fault: nobody needs the block any more
    WarpFault fault;
};

#endif
