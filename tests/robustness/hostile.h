// SPDX-License-Identifier: Apache-2.0
// Small kernels that get bad sizes, indices and addresses at run time. They are compiled in every way and run by the
// runtime; all ways must end alike. The kernel's parameters are pointers to the buffers below.
#ifndef CONGRUENT_HOSTILE_H
#define CONGRUENT_HOSTILE_H

#include "runtime/rt.h"
#include "tests/lower/lab.h"

enum { HOSTILE_DATA, HOSTILE_CONTROLS, HOSTILE_OUTPUT, HOSTILE_OTHER, HOSTILE_BUFFERS };
enum { HOSTILE_WAYS = 6, HOSTILE_OUTPUTS = 64, HOSTILE_OTHER_ELEMENTS = 16 };

typedef struct Hostile {
    Lab lab; // to build the kernel. Buffers: data of f32, controls of i64, output of 64 i64, other of 16 f32
    RtDevice *device;
    CompiledModule *compiled[HOSTILE_WAYS]; // ieee, payload and shadow; -O0 and -O3
    int64_t output[HOSTILE_OUTPUTS];        // of the last run; -1 where nothing was stored
    char fault[512];                        // of the last run
} Hostile;

// ---- test_hostile_harness.c -----------------------------------------------------------------------------------------

Hostile hostile_open(void);
void hostile_close(Hostile *x);
// Ends the kernel and compiles it, which must succeed.
void hostile_compile(Hostile *x);
// Runs it with `data_bytes` of data, floats with the bits 0, 1, 2, ..., and these controls. Every way must end as the
// first: if `fault` is NULL with the same outputs, else with the same message, which must contain `fault`. `what` is
// for messages.
void hostile_run(Hostile *x, size_t data_bytes, uint32_t control_count, const int64_t *controls, const char *fault,
                 const char *what);
#define CONTROLS(...)                                                                                                  \
    (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) {                                                    \
        __VA_ARGS__                                                                                                    \
    }

// Loads control `index`, a scalar i64; truncates it to another kind.
TirValue hostile_control(Hostile *x, uint32_t index);
TirValue hostile_narrow(Hostile *x, TirValue value, TirTypeKind kind);
// Stores a scalar integer, zero-extended, or the bits of a 1-D tile of f32, from output `at` on.
void hostile_output(Hostile *x, uint32_t at, TirValue value);
// pointer + offset elements
TirValue hostile_offset(Hostile *x, TirValue pointer, TirValue offset);
// A tensor view of what `base` points to, with dynamic sizes and strides (i64 values); views of it with this tile;
// loads and stores through these.
TirValue hostile_tensor(Hostile *x, TirValue base, uint32_t rank, const TirValue *sizes, const TirValue *strides);
TirValue hostile_partition(Hostile *x, TirValue tensor, const int64_t *tile);
TirValue hostile_strided(Hostile *x, TirValue tensor, const int64_t *tile, const int64_t *steps, TirPadding padding);
TirValue hostile_gather(Hostile *x, TirValue tensor, const int64_t *tile, uint32_t sparse);
TirValue hostile_load_view(Hostile *x, TirValue view, const TirValue *indices);
void hostile_store_view(Hostile *x, TirValue view, const TirValue *indices, TirValue tile);
// Atomically adds a tile of i32 to a tile of a view of one dimension.
void hostile_reduce_view(Hostile *x, TirValue view, TirValue index, TirValue tile);
// Sets the attribute `inbounds` of the last load or store.
void hostile_inbounds(Hostile *x, uint32_t rank, const int64_t *said);

#endif
