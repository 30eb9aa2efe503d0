// SPDX-License-Identifier: Apache-2.0
// What the files of the emulator share: code for GPUs run by processors (base/simt_abi.h). The threads of a block are
// fibers on one thread of the pool, which switch at block barriers, warp operations and pauses only.
#ifndef CONGRUENT_SIMT_H
#define CONGRUENT_SIMT_H

#include "runtime/runtime_internal.h"

#include <pthread.h>
#include <setjmp.h>

typedef struct SimtWorker SimtWorker;

// ---- simt_fiber.c: stacks that one thread switches between ----------------------------------------------------------

typedef struct SimtFiber {
    jmp_buf here;            // where it was left
    jmp_buf begin;           // where it begins
    bool restart;            // it goes on at `begin`
    bool closing;            // it is entered for the last time
    void (*run)(void *data); // what it does from the beginning; does not return
    void *data;
    uint8_t *stack; // NULL: the stack of the thread
    size_t stack_bytes;
    void *sanitizer_stack, *sanitizer_thread; // of ASan and TSan
} SimtFiber;

typedef struct SimtStacks {
    uint8_t *memory; // of all fibers, an unmapped page below each
    size_t size;
    uint32_t count;
} SimtStacks;

// The calling thread as a fiber; to be called each time before it switches to others.
void simt_fiber_adopt(SimtFiber *thread);
// Stacks for `count` fibers: false if they cannot be had; errno says why. simt_stacks_close is fine in any state.
bool simt_stacks_open(SimtStacks *stacks, uint32_t count);
void simt_stacks_close(SimtStacks *stacks);
// The fiber number `index` of the stacks, which will begin with run(data). `thread` is the calling thread.
void simt_fiber_open(SimtFiber *fiber, SimtFiber *thread, const SimtStacks *stacks, uint32_t index,
                     void (*run)(void *data), void *data);
void simt_fiber_close(SimtFiber *fiber, SimtFiber *thread);
// Whatever the fiber was doing, it goes on at its beginning.
void simt_fiber_restart(SimtFiber *fiber);
// Leaves `from`, the fiber that calls, and goes on with `to`.
void simt_fiber_switch(SimtFiber *from, SimtFiber *to);

// ---- simt_memory.c: which accesses are allowed, and which race ------------------------------------------------------

// Who made accesses of one kind to some bytes, as far as later ones may race with them.
typedef struct SimtAccess {
    uint32_t lanes;       // of `warp`
    uint16_t warp;        // 1 + its number; 0: nobody
    uint16_t time;        // of the lanes (simt_time)
    uint16_t place;       // of the last of them; PLACE_UNKNOWN where it does not fit
    uint16_t other;       // 1 + a thread of another warp; 0: there is none
    uint16_t other_place; // of that one
} SimtAccess;

enum { SIMT_CELL_WRITE, SIMT_CELL_ATOMIC_WRITE, SIMT_CELL_READ, SIMT_CELL_ATOMIC_READ, SIMT_CELL_KINDS };
typedef struct SimtCell {
    SimtAccess access[SIMT_CELL_KINDS];
} SimtCell;

// The accesses to 64 bytes since the last barrier of the block; cells are of 2^shift bytes each.
typedef struct SimtLine {
    uint64_t line;  // address / 64
    uint64_t epoch; // not the shadow's: nothing is known
    SimtCell *cells;
    uint32_t shift;
} SimtLine;

typedef struct SimtShadow {
    uint64_t epoch;
    SimtLine *shared;   // of shared memory, one after the other
    SimtLine *far;      // of all other memory, by a hash of the address
    uint32_t far_count; // in use
    uint8_t *cells;     // taken one after the other
    size_t cells_used;
} SimtShadow;

bool simt_shadow_open(SimtShadow *shadow, size_t shared_bytes);
void simt_shadow_close(SimtShadow *shadow, size_t shared_bytes);
void simt_shadow_clear(SimtShadow *shadow); // all cells are stale
void simt_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place);
// As simt_access, by thread `thread` of the block; false, and the fault, if it is not allowed.
bool simt_check_access(SimtWorker *worker, uint32_t thread, uint64_t address, uint32_t bytes, uint32_t flags,
                       uint32_t place);

// ---- simt_block.c: the threads of a block ---------------------------------------------------------------------------

typedef enum SimtFaultKind {
    SIMT_FAULT_NONE,
    SIMT_FAULT_RACE,      // sides 0 and 1
    SIMT_FAULT_BOUNDS,    // side 0, at `address`
    SIMT_FAULT_ALIGNMENT, // side 0, at `address`, which is no multiple of `number`
    SIMT_FAULT_SCRATCH,   // side 0, at `address`: scratch of another block, or of nobody
    SIMT_FAULT_BARRIER,   // side 0 waits at a barrier that side 1 does not come to
    SIMT_FAULT_WARP,      // side 0 waits in a warp operation that side 1 does not come to
    SIMT_FAULT_MASK,      // side 0 is not in its own mask `number`
    SIMT_FAULT_LANE,      // side 0 shuffles from lane `number`, which does not take part
    SIMT_FAULT_FULL_WARP, // side 0: an operation of whole warps where lanes are missing (`number`: the lanes)
    SIMT_FAULT_OPERANDS,  // side 0: an operation that GPUs do not have
    SIMT_FAULT_ROW,       // side 0: a matrix row at `address`, which is not allowed
    SIMT_FAULT_TRAP,      // side 0
    SIMT_FAULT_MEMORY,    // none to run the block
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
    const char *space; // of the address, if it is of shared memory or scratch; then it is an offset
} SimtFault;

typedef struct SimtThread {
    SimtFiber fiber;
    SimtWorker *worker;
    SimtDoing doing;
    uint32_t place;
    // Of a warp operation; lanes that come together agree in these and in `doing` and `place`.
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
    // When is an access of lane v ordered before what lane u does now? If it was made at time `t` and seen[u][v] > t.
    // While `split` is false, that is while all lanes of the warp have come to each operation since the last barrier,
    // each seen[u][v] is `time`. The time of what a lane u does is seen[u][u].
    uint32_t time;
    bool split;
    uint16_t seen[SIMT_WARP][SIMT_WARP];
} SimtWarp;

// What one launch has in common. `host` is first: blocks get it.
typedef struct SimtLaunch {
    HostLaunch host;
    const KernelInfo *kernel;
    GpuLaunch gpu;
    GpuFault fault;
    uint32_t *locks;
    uint8_t *scratch;
    size_t scratch_bytes; // of a slot
    uint32_t slots;
    GpuPrints *prints; // NULL: nothing is printed
    size_t prints_bytes;
    uint32_t worker_limit;
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t idle;   // a worker is free
    SimtWorker *free;
    uint32_t worker_count;
    uint64_t failed_block; // lowest with a fault of the emulator, UINT64_MAX if none
    SimtFault failed;      // that
} SimtLaunch;

// What it takes to run a block; used by one thread at a time, from block to block.
struct SimtWorker {
    SimtWorker *next; // that nobody uses
    SimtLaunch *launch;
    uint32_t threads, current;
    uint32_t position[3]; // of the block
    uint64_t block;       // its linear id
    uint32_t arrived;     // threads at the barrier
    uint32_t returned, exited;
    uint32_t first_at_barrier;
    HostRange recent;     // a buffer
    int64_t scratch_slot; // -1: not known yet
    bool stopped;         // without a fault: nobody needs the block any more
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

#define SIMT_SITE UINT32_MAX // of a fault that SimtLaunch.failed describes

extern const SimtOps simt_ops;
// The block that the calling thread runs. The functions of SimtOps have no argument to find it by.
extern _Thread_local SimtWorker *simt_running;

// NULL: no memory; errno says why. simt_worker_close(NULL) is fine.
SimtWorker *simt_worker_open(uint32_t threads, size_t shared_bytes);
void simt_worker_close(SimtWorker *worker);
// Runs a block of worker->launch; worker->fault or worker->stopped say how it ended.
void simt_run_block(SimtWorker *worker);
// Ends the block with worker->fault, or with that of the one that fails.
_Noreturn void simt_stop(SimtWorker *worker);
_Noreturn void simt_fail(SimtWorker *worker, SimtFault fault);
SimtSide simt_side(const SimtWorker *worker, uint32_t thread); // and what it is doing
// What the block's threads have done is ordered before what they will do.
void simt_begin_interval(SimtWorker *worker);
// Runs other threads until somebody makes the current one ready; it has noted what it waits for.
void simt_wait(SimtWorker *worker);

// ---- simt_warp.c: operations of warps -------------------------------------------------------------------------------

void simt_warp_barrier(uint32_t mask, uint32_t place);
uint32_t simt_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, uint32_t place);
void simt_mma(uint32_t kind_a, uint32_t kind_b, const uint32_t a[4], const uint32_t b[2], uint32_t sums[4],
              uint32_t place);
void simt_load_matrix(uint32_t count, bool transposed, const void *row, uint32_t *result, uint32_t place);
// Completes what waits for lanes of the warp that have exited.
void simt_warp_after_exit(SimtWorker *worker, uint32_t warp);
// Lanes of the warp whose operation waits for lane `lane`'s: the first that does not come.
uint32_t simt_warp_missing(const SimtWorker *worker, uint32_t thread);

// ---- simt_mma.c: the arithmetic of tensor cores ---------------------------------------------------------------------

// False: there is no such operation.
bool simt_mma_exists(uint32_t kind_a, uint32_t kind_b);
// For all lanes of a warp.
void simt_mma_compute(uint32_t kind_a, uint32_t kind_b, const uint32_t *const a[SIMT_WARP],
                      const uint32_t *const b[SIMT_WARP], uint32_t *const sums[SIMT_WARP]);

// ---- simt_message.c -------------------------------------------------------------------------------------------------

// Records a fault of the block with this linear id as a diagnostic; always false.
bool simt_report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                 const SimtFault *fault);

#endif
