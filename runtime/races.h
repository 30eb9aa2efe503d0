// SPDX-License-Identifier: Apache-2.0
// The search for races between the blocks of a launch, inside the runtime. Kernels log what they access (HostRaces).
// A first run only puts down which boxes of elements each block touches (race_boxes.c) and finds out afterwards whether
// two blocks touch the same elements and one of them writes (race_sweep.c): quick, on any number of threads. Only if so
// the launch is run again with its blocks one at a time (fixed_order.c), and each element knows which accesses are not
// ordered before each other (race_judge.c), by the clocks of blocks (race_clock.c).
#ifndef CONGRUENT_RUNTIME_RACES_H
#define CONGRUENT_RUNTIME_RACES_H

#include "runtime/runtime_internal.h"

#include <pthread.h>
#include <stdatomic.h>

// ---- race_boxes.c: what blocks touch --------------------------------------------------------------------------------

// Runs of half bytes, in two dimensions: run r of row s begins at first + r * strides[0] + s * strides[1].
typedef struct RaceBox {
    uint64_t first, run;
    uint64_t counts[2];  // at least 1
    uint64_t strides[2]; // 0 where the count is 1
    uint64_t block;
    uint32_t op;
    uint32_t kind; // HOST_ACCESS_*
} RaceBox;

// What one access touches as boxes, one after the other: false when there are no more. `state` begins as zeros.
typedef struct RaceCutter {
    bool begun;
    uint64_t first, run;
    uint32_t rank;
    struct {
        uint64_t count, stride;
    } dimensions[HOST_ACCESS_DIMENSIONS];
    uint64_t at[HOST_ACCESS_DIMENSIONS]; // of the dimensions beyond the second
} RaceCutter;
bool race_next_box(RaceCutter *cutter, const HostAccess *access, RaceBox *box);

// What one thread puts down. In front of the scratch of each block that runs is a pointer to it.
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
    FixedRun *order;     // of these
    RaceJudge *judge;    // of RT_RACES_JUDGE
    RaceThread *threads; // guarded by the mutex
    pthread_mutex_t mutex;
    uint8_t *reads;       // HostRaces.reads
    _Atomic size_t boxes; // of all threads, those that there is room for
    _Atomic bool full;    // some were left out
} RaceRun;

// The boxes are not more than this: beyond, the launch is suspicious.
enum { RACE_BOXES_MAX = 1 << 22 };
void race_put_box(RaceThread *thread, const RaceBox *box);

// ---- race_run.c: the search in one launch ---------------------------------------------------------------------------

// Sets `races` of the launch, whose other fields are set. False: no memory. race_run_close is due in any case, and
// finds out what the launch, which has ended, leaves to find out.
bool race_run_open(RaceRun *run, const RtCheckedLaunch *launch, HostLaunch *abi);
void race_run_close(RaceRun *run);
// The blocks run one at a time.
bool race_is_ordered(const RtCheckedLaunch *launch);
// What goes in front of the scratch of a thread; NULL: no memory. The thread begins a block; ends it.
RaceThread *race_thread_open(RaceRun *run);
void race_begin_block(RaceThread *thread, uint64_t block);
void race_end_block(RaceThread *thread);

// ---- fixed_order.c: the blocks of a launch one at a time, in an order that is always the same -----------------------

// As rt_pool_run, on threads of its own, of which one runs: until it waits for others, or looks at what others do.
bool fixed_run(const RtWork *work, HostLaunch *launch, RtFault *fault);
// The running block gives others a turn.
void fixed_pass(FixedRun *run);

// ---- race_sweep.c ---------------------------------------------------------------------------------------------------

// Whether two boxes have a half byte in common.
bool race_boxes_meet(const RaceBox *a, const RaceBox *b);
// Whether accesses of different blocks meet, at least one of them writes, and not both are atomic; true also where that
// would take too long to know. Sorts the boxes.
bool race_sweep(RaceBox *boxes, size_t count, const HostRange *buffers, uint64_t buffer_count);

// ---- race_clock.c: for each block how much of it another one has seen -----------------------------------------------

// Maps from blocks to numbers, of which all are kept: a map is a number, 0 the one that is 0 everywhere.
typedef struct RaceClocks {
    uint32_t (*nodes)[16];
    size_t count, capacity;
    unsigned depth;
    bool full; // some maps are missing what was joined last
} RaceClocks;
void race_clocks_open(RaceClocks *clocks, uint64_t blocks); // at most 2^32
void race_clocks_close(RaceClocks *clocks);
uint32_t race_clock_get(const RaceClocks *clocks, uint32_t map, uint64_t block);
uint32_t race_clock_set(RaceClocks *clocks, uint32_t map, uint64_t block, uint32_t value);
uint32_t race_clock_join(RaceClocks *clocks, uint32_t a, uint32_t b); // the larger number of each block

// ---- race_judge.c ---------------------------------------------------------------------------------------------------

// NULL: no memory.
RaceJudge *race_judge_open(const RtCheckedLaunch *launch, const HostLaunch *abi, RtRaces *races);
void race_judge_close(RaceJudge *judge);
// The block that runs accesses this, now. `shadow`: where records are, or NULL.
void race_judge_access(RaceJudge *judge, uint64_t block, const HostAccess *access);
// Another block runs from here on, or none: what was stored is what memory holds.
void race_judge_pause(RaceJudge *judge);

#endif
