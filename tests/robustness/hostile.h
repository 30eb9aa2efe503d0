// SPDX-License-Identifier: Apache-2.0
// Small kernels that are given sizes, indices and addresses at run time, and run through the runtime in every way they
// can be compiled: each must end in the same way. The kernel's parameters: pointers to the buffers below.
#ifndef CONGRUENT_HOSTILE_H
#define CONGRUENT_HOSTILE_H

#include "runtime/rt.h"
#include "tests/lower/lab.h"

enum { HOSTILE_DATA, HOSTILE_CONTROLS, HOSTILE_OUTPUT, HOSTILE_OTHER, HOSTILE_BUFFERS };
enum { HOSTILE_WAYS = 6, HOSTILE_OUTPUTS = 64, HOSTILE_OTHER_ELEMENTS = 16 };

typedef struct Hostile {
    Lab lab; // to build the kernel: data f32, controls i64, output i64 (64 of them), other f32 (16 of them)
    RtDevice *device;
    CompiledModule *compiled[HOSTILE_WAYS]; // ieee, payload and shadow; -O0 and -O3
    int64_t output[HOSTILE_OUTPUTS];        // of the last run; -1 where nothing was stored
    char fault[512];                        // of the last run
} Hostile;

// ---- test_hostile_harness.c -----------------------------------------------------------------------------------------

Hostile hostile_open(void);
void hostile_close(Hostile *x);
// Ends the kernel and compiles it. Asserts that it can be.
void hostile_compile(Hostile *x);
// Runs it with `data_bytes` of data, 4 bytes each of the bits 0, 1, 2, ... (as floats), and the controls. Every way
// must end as the first: with the same outputs, or with the same message, which must contain `fault`; NULL: without a
// fault. `what` is for messages.
void hostile_run(Hostile *x, size_t data_bytes, uint32_t control_count, const int64_t *controls, const char *fault,
                 const char *what);
#define CONTROLS(...)                                                                                                  \
    (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) {                                                    \
        __VA_ARGS__                                                                                                    \
    }

// Scalar i64 number `index` of the controls; and narrower.
TirValue hostile_control(Hostile *x, uint32_t index);
TirValue hostile_narrow(Hostile *x, TirValue value, TirTypeKind kind);
// Stores the scalar integer, zero-extended, or the elements of a 1-D tile of f32 as bits, from output `at` on.
void hostile_output(Hostile *x, uint32_t at, TirValue value);
// pointer + offset elements
TirValue hostile_offset(Hostile *x, TirValue pointer, TirValue offset);
// A view of what the base points to with dynamic sizes and strides (i64 values), and a partition view of it with this
// tile; then a load of it.
TirValue hostile_tensor(Hostile *x, TirValue base, uint32_t rank, const TirValue *sizes, const TirValue *strides);
TirValue hostile_partition(Hostile *x, TirValue tensor, const int64_t *tile);
TirValue hostile_strided(Hostile *x, TirValue tensor, const int64_t *tile, const int64_t *steps, TirPadding padding);
TirValue hostile_gather(Hostile *x, TirValue tensor, const int64_t *tile, uint32_t sparse);
TirValue hostile_load_view(Hostile *x, TirValue view, const TirValue *indices);
void hostile_store_view(Hostile *x, TirValue view, const TirValue *indices, TirValue tile);
// Adds a tile of i32 to that of a view of one dimension.
void hostile_reduce_view(Hostile *x, TirValue view, TirValue index, TirValue tile);
// What the last load or store says of its dimensions.
void hostile_inbounds(Hostile *x, uint32_t rank, const int64_t *said);

#endif
