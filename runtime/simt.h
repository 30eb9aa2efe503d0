// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the emulator, which runs code for GPUs on processors (base/simt_abi.h). The threads of a block
// are fibers on one thread of the pool. They switch only at block barriers, warp operations and pauses. Here a lane is
// one of the 32 threads of a warp.
#ifndef CONGRUENT_SIMT_H
#define CONGRUENT_SIMT_H

#include "runtime/fiber.h"
#include "runtime/runtime_internal.h"

typedef struct SimtWorker SimtWorker;

// ---- simt_memory.c: which accesses are allowed, and which race ------------------------------------------------------

// The threads whose last accesses of one kind to a cell later ones may race with: lanes of one warp, and a thread of
// another warp.
typedef struct SimtAccess {
    uint32_t lanes;       // of `warp`
    uint16_t warp;        // 1 + its number; 0: nobody has accessed the cell
    uint16_t time;        // when the lanes did, see SimtWarp; the earliest time of them
    uint16_t place;       // where the last of the lanes did; PLACE_UNKNOWN if the number does not fit
    uint16_t other;       // 1 + the thread of another warp; 0: there is none
    uint16_t other_place; // where that one did
} SimtAccess;

enum { SIMT_CELL_WRITE, SIMT_CELL_ATOMIC_WRITE, SIMT_CELL_READ, SIMT_CELL_ATOMIC_READ, SIMT_CELL_KINDS };
typedef struct SimtCell {
    SimtAccess access[SIMT_CELL_KINDS];
} SimtCell;

// The accesses to 64 bytes since the last barrier of the block.
typedef struct SimtLine {
    uint64_t line;   // address / 64
    uint64_t epoch;  // other than the shadow's: stale, there were no accesses
    SimtCell *cells; // 64 >> shift of them, each for 2^shift bytes
    uint32_t shift;
} SimtLine;

typedef struct SimtShadow {
    uint64_t epoch;     // counts how often all lines became stale
    SimtLine *shared;   // lines of shared memory, one after the other
    SimtLine *far;      // lines of all other memory: a hash table of addresses
    uint32_t far_count; // entries of `far` in use
    uint8_t *cells;     // memory for cells, taken one after the other
    size_t cells_used;  // bytes
} SimtShadow;

// False if there is no memory.
bool simt_shadow_open(SimtShadow *shadow, size_t shared_bytes);
void simt_shadow_close(SimtShadow *shadow, size_t shared_bytes);
void simt_shadow_clear(SimtShadow *shadow);                                            // makes all lines stale
void simt_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place); // SimtOps.access
// Checks and notes an access by thread `thread` of the block. False, and worker->fault is set, if it is not allowed or
// races.
bool simt_check_access(SimtWorker *worker, uint32_t thread, uint64_t address, uint32_t bytes, uint32_t flags,
                       uint32_t place);

// ---- simt_block.c: the threads of a block ---------------------------------------------------------------------------

typedef enum SimtFaultKind {
    SIMT_FAULT_NONE,
    SIMT_FAULT_RACE,      // sides 0 and 1
    SIMT_FAULT_BOUNDS,    // side 0, at `address`
    SIMT_FAULT_ALIGNMENT, // side 0, at `address`, which is no multiple of `number`
    SIMT_FAULT_SCRATCH,   // side 0, at `address`: scratch of another block, or of nobody
    SIMT_FAULT_BARRIER,   // side 0 waits at a barrier that side 1 does not reach
    SIMT_FAULT_WARP,      // side 0 waits in a warp operation that side 1 does not reach
    SIMT_FAULT_MASK,      // side 0 is not in its own mask `number`
    SIMT_FAULT_LANE,      // side 0 shuffles from lane `number`, which does not take part
    SIMT_FAULT_FULL_WARP, // side 0: an operation of whole warps in which only the lanes `number` take part
    SIMT_FAULT_OPERANDS,  // side 0: an mma with operands that GPUs do not multiply
    SIMT_FAULT_ROW,       // side 0: the address of a matrix row, `address`, is not allowed
    SIMT_FAULT_TRAP,      // side 0 executed a trap
    SIMT_FAULT_MEMORY,    // there is no memory to run the block
    SIMT_FAULT_KINDS
} SimtFaultKind;

// What a thread was doing.
typedef enum SimtDoing {
    SIMT_RUNS,
    SIMT_BARRIER,
    SIMT_WARP_BARRIER,
    SIMT_UP, // shuffles, in the order of SimtShuffle
    SIMT_DOWN,
    SIMT_BFLY,
    SIMT_IDX,
    SIMT_MMA,
    SIMT_LOAD_MATRIX,
    SIMT_RETURNED,
    SIMT_EXITED,
    SIMT_READS,
    SIMT_WRITES,
    SIMT_UPDATES, // atomically
} SimtDoing;

typedef struct SimtSide {
    uint32_t thread, place;
    SimtDoing doing;
} SimtSide;

typedef struct SimtFault {
    SimtFaultKind kind;
    SimtSide sides[2];
    uint64_t address;
    uint32_t number;
    const char *space; // "shared memory", scratch: `address` is an offset into it; NULL: an address
} SimtFault;

typedef struct SimtThread {
    SimtFiber fiber;
    SimtWorker *worker;
    SimtDoing doing;
    uint32_t place;
    // A warp operation that the thread waits in. Lanes take part in the same operation if they agree in `mask`,
    // `detail` (what the operation is beyond `doing`), `doing` and `place`.
    uint32_t mask, detail;
    union {
        struct {
            uint32_t value, lane, clamp;
        } shuffle;
        struct {
            const uint32_t *a, *b;
            uint32_t *sums;
        } mma;
        struct {
            const void *row;
            uint32_t *result;
        } matrix;
    };
} SimtThread;

typedef struct SimtWarp {
    uint32_t exists;  // lanes
    uint32_t ready;   // lanes that could run
    uint32_t waiting; // lanes in a warp operation
    uint32_t barrier; // lanes at the block's barrier
    uint32_t paused;  // ready lanes that wait for something that others do
    uint32_t ended;   // lanes that have exited
    // Time counts the warp's operations since the last barrier of the block. What lane u does now happens at
    // seen[u][u]. An access that lane v made at time t is ordered before it if seen[u][v] > t. After a barrier, and
    // after each operation in which all lanes take part, all seen[u][v] are equal: then `split` is false, `time` is
    // their value, and `seen` is not kept.
    uint32_t time;
    bool split;
    uint16_t seen[SIMT_WARP][SIMT_WARP];
} SimtWarp;

// One launch, for all its blocks.
typedef struct SimtLaunch {
    HostLaunch host; // first, so that blocks, which get its address, find the rest
    const KernelInfo *kernel;
    GpuLaunch gpu;
    GpuFault fault;
    uint32_t *locks;
    uint8_t *scratch;
    size_t scratch_bytes; // of a slot
    uint32_t slots;
    GpuPrints *prints; // NULL: nothing is printed
    size_t prints_bytes;
    RtIdle workers;
    pthread_mutex_t mutex; // guards what follows
    uint64_t failed_block; // lowest block in which the emulator found a fault, UINT64_MAX if none
    SimtFault failed;      // that fault
} SimtLaunch;

// The state of a running block. One thread of the pool uses it at a time, for one block after the other.
struct SimtWorker {
    RtIdleItem item;
    SimtLaunch *launch;
    uint32_t threads, current; // threads of the block, and the one that runs
    uint32_t position[3];      // of the block in the grid
    uint64_t block;            // its linear id
    uint32_t arrived;          // threads at the barrier
    uint32_t returned, exited; // threads that have ended
    uint32_t first_at_barrier; // the thread that arrived first
    HostRange recent;          // the buffer of the last access to one
    int64_t scratch_slot;      // -1: not known yet
    bool stopped;              // ended without a fault: nobody needs the block any more
    SimtFault fault;
    uint8_t *shared;
    size_t shared_bytes;
    SimtShadow shadow;
    SimtWarp warps[SIMT_THREADS_MAX / SIMT_WARP];
    SimtFiber main;
    SimtStacks stacks;
    SimtThread *thread; // `capacity` of them
    uint32_t capacity;
};

#define SIMT_SITE UINT32_MAX // the site of faults that SimtLaunch.failed describes

extern const SimtOps simt_ops;
// The block that the calling thread of the pool runs: the functions of SimtOps have no argument that would tell it.
extern _Thread_local SimtWorker *simt_running;

// Room for blocks of that size. NULL if there is no memory; errno says why. simt_worker_close(NULL) is fine.
SimtWorker *simt_worker_open(uint32_t threads, size_t shared_bytes);
void simt_worker_close(SimtWorker *worker);
// Runs a block of worker->launch; worker->fault or worker->stopped say how it ended.
void simt_run_block(SimtWorker *worker);
// End the block: as worker->fault and worker->stopped say, or with this fault.
_Noreturn void simt_stop(SimtWorker *worker);
_Noreturn void simt_fail(SimtWorker *worker, SimtFault fault);
// The thread with what it is doing now.
SimtSide simt_side(const SimtWorker *worker, uint32_t thread);
// Orders all that the block's threads have done before all that they will do, as a barrier does.
void simt_begin_interval(SimtWorker *worker);
// Runs other threads until one of them makes the current thread ready, which has noted what it waits for.
void simt_wait(SimtWorker *worker);

// ---- simt_warp.c: operations of warps -------------------------------------------------------------------------------

// Functions of SimtOps.
void simt_warp_barrier(uint32_t mask, uint32_t place);
uint32_t simt_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, uint32_t place);
void simt_mma(uint32_t kind_a, uint32_t kind_b, const uint32_t a[4], const uint32_t b[2], uint32_t sums[4],
              uint32_t place);
void simt_load_matrix(uint32_t count, bool transposed, const void *row, uint32_t *result, uint32_t place);
// Completes the operations of the warp that waited only for lanes that have exited.
void simt_warp_after_exit(SimtWorker *worker, uint32_t warp);
// The first thread that the warp operation waits for in which `thread` waits; `thread` itself if there is none.
uint32_t simt_warp_missing(const SimtWorker *worker, uint32_t thread);

// ---- simt_mma.c: the arithmetic of tensor cores ---------------------------------------------------------------------

// Whether GPUs multiply operands of these kinds (SimtOperand).
bool simt_mma_exists(uint32_t kind_a, uint32_t kind_b);
// SimtOps.mma for all lanes of a warp.
void simt_mma_compute(uint32_t kind_a, uint32_t kind_b, const uint32_t *const a[SIMT_WARP],
                      const uint32_t *const b[SIMT_WARP], uint32_t *const sums[SIMT_WARP]);

// ---- simt_message.c -------------------------------------------------------------------------------------------------

// Records the fault of a block (by its linear id) as a diagnostic. Always false.
bool simt_report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                 const SimtFault *fault);

#endif
