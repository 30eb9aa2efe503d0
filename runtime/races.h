// SPDX-License-Identifier: Apache-2.0
// The search for races between the blocks of a launch, inside the runtime. Kernels log what they access (HostRaces).
// A first run, on any number of threads, keeps boxes of the elements that each block accesses (race_boxes.c). After it
// race_sweep.c finds whether two blocks access the same element and one of them writes. Only if they do, the launch
// runs again with its blocks one at a time (fixed_order.c). Then race_judge.c finds for each element the accesses that
// are not ordered before each other, by the clocks of blocks (race_clock.c).
#ifndef CONGRUENT_RUNTIME_RACES_H
#define CONGRUENT_RUNTIME_RACES_H

#include "runtime/runtime_internal.h"

#include <pthread.h>
#include <stdatomic.h>

// ---- race_boxes.c: what blocks access -------------------------------------------------------------------------------

// Runs of half bytes on a grid of two dimensions: run r of row s has `run` half bytes and begins at
// first + r * strides[0] + s * strides[1].
typedef struct RaceBox {
    uint64_t first, run;
    uint64_t counts[2];  // at least 1
    uint64_t strides[2]; // 0 where the count is 1
    uint64_t block;
    uint32_t op;
    uint32_t kind; // HOST_ACCESS_*
} RaceBox;

// Cuts an access into boxes. Zeros at first.
typedef struct RaceCutter {
    bool begun;
    uint64_t first, run;
    uint32_t rank;
    struct {
        uint64_t count, stride;
    } dimensions[HOST_ACCESS_DIMENSIONS];
    uint64_t at[HOST_ACCESS_DIMENSIONS]; // of the dimensions beyond the second
} RaceCutter;
// The next box of the access, but for its block and kind. False if there are no more.
bool race_next_box(RaceCutter *cutter, const HostAccess *access, RaceBox *box);

// The log of one thread. In front of the scratch of the block that it runs is a pointer to it (RT_SCRATCH_HEAD).
typedef struct RaceThread {
    struct RaceRun *run;
    uint64_t block;   // that it runs now
    uint32_t last_op; // 1 + the op that logged last
    RaceBox *boxes;
    size_t count, capacity;
    uint32_t *last; // of each op: 1 + the number of its last box
    struct RaceThread *next;
} RaceThread;

typedef struct RaceJudge RaceJudge;
typedef struct FixedRun FixedRun;
typedef struct RaceRun {
    HostRaces abi;
    const RtCheckedLaunch *launch;
    RtRaces *races;
    bool ordered;        // the blocks run one at a time
    FixedRun *order;     // where blocks take turns; else NULL
    RaceJudge *judge;    // where the search judges; else NULL
    RaceThread *threads; // guarded by the mutex
    pthread_mutex_t mutex;
    uint8_t *reads;       // HostRaces.reads
    _Atomic size_t boxes; // how many all threads together have room for
    _Atomic bool full;    // boxes were left out
} RaceRun;

// How many boxes a launch may have. One that has more counts as suspicious.
enum { RACE_BOXES_MAX = 1 << 22 };
// Keeps a box; one that continues or repeats the last box of its op becomes a part of that.
void race_put_box(RaceThread *thread, const RaceBox *box);

// ---- race_run.c: the search in one launch ---------------------------------------------------------------------------

// Sets abi->races; the other fields of `abi` must be set already. False if there is no memory. In any case
// race_run_close must follow, after the launch; it also makes the sweep of RT_RACES_LOOK.
bool race_run_open(RaceRun *run, const RtCheckedLaunch *launch, HostLaunch *abi);
void race_run_close(RaceRun *run);
// Whether the blocks of the launch run one at a time, in a fixed order.
bool race_is_ordered(const RtCheckedLaunch *launch);
// The log of another thread, to be called around each block that it runs. It belongs to the run. NULL: no memory.
RaceThread *race_thread_open(RaceRun *run);
void race_begin_block(RaceThread *thread, uint64_t block);
void race_end_block(RaceThread *thread);

// ---- fixed_order.c: the blocks of a launch one at a time, in an order that is always the same -----------------------

// As rt_pool_run, but on threads of its own. One of them runs at a time, until its block waits for other blocks or
// looks at what they do. Sets wait and waiter of the launch.
bool fixed_run(const RtWork *work, HostLaunch *launch, RtFault *fault);
// The running block hands over to the next one, and waits for its next turn.
void fixed_pass(FixedRun *run);

// ---- race_sweep.c: whether boxes of two blocks meet -----------------------------------------------------------------

// Whether two boxes have a half byte in common.
bool race_boxes_meet(const RaceBox *a, const RaceBox *b);
// Whether boxes of two blocks meet, at least one of them is written, and not both are atomic. True also where it would
// take too long to find out. Sorts the boxes.
bool race_sweep(RaceBox *boxes, size_t count, const HostRange *buffers, uint64_t buffer_count);

// ---- race_clock.c: for each block how much of it another one has seen -----------------------------------------------

// Maps from blocks to numbers. A map never changes and is named by a number itself; map 0 is 0 everywhere.
typedef struct RaceClocks {
    uint32_t (*nodes)[16];
    size_t count, capacity;
    unsigned depth;
    bool full; // there was no room for a map; the maps made since then may lack entries
} RaceClocks;
void race_clocks_open(RaceClocks *clocks, uint64_t blocks); // at most 2^32
void race_clocks_close(RaceClocks *clocks);
uint32_t race_clock_get(const RaceClocks *clocks, uint32_t map, uint64_t block);
// The map with one entry replaced; the map that has the larger number of both for each block.
uint32_t race_clock_set(RaceClocks *clocks, uint32_t map, uint64_t block, uint32_t value);
uint32_t race_clock_join(RaceClocks *clocks, uint32_t a, uint32_t b);

// ---- race_judge.c: which accesses are not ordered before each other -------------------------------------------------

// Keeps what it finds in `races`. Its arguments must outlive it. NULL: no memory.
RaceJudge *race_judge_open(const RtCheckedLaunch *launch, const HostLaunch *abi, RtRaces *races);
void race_judge_close(RaceJudge *judge);
// `block`, which has its turn, makes this access.
void race_judge_access(RaceJudge *judge, uint64_t block, const HostAccess *access);
// The turn of the running block ends: memory now holds what it stored.
void race_judge_pause(RaceJudge *judge);

#endif
