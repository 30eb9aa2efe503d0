// SPDX-License-Identifier: Apache-2.0
// Cases with kernels of PTX on a GPU: NVIDIA's driver compiles the text, and the results are compared with those of the
// emulator. native_gpu.c loads and launches, native_case.c makes and compares results, native_ptx.c is the program.
#ifndef CONGRUENT_TESTS_NATIVE_H
#define CONGRUENT_TESTS_NATIVE_H

#include "diff/run.h"

typedef enum NativeOutcome {
#define OUTCOME(id, ...) NATIVE_##id,
#include "tests/gpu/native_outcomes.def"
#undef OUTCOME
    NATIVE_OUTCOMES
} NativeOutcome;

// ---- native_gpu.c

typedef struct NativeGpu NativeGpu;
// The first GPU. NULL and diagnostics (E_DEVICE: there is none) on failure. native_close(NULL) is fine.
NativeGpu *native_open(Diagnostics *diagnostics);
void native_close(NativeGpu *gpu);
// Which GPU and driver it is, for people.
const char *native_description(const NativeGpu *gpu);
// Whether a failed launch has ended the process's use of the GPU.
bool native_is_stopped(const NativeGpu *gpu);
// Runs all launches of a variant. `contents`: what the case's buffers begin with. NATIVE_same: results[c] is what
// compared buffer c holds then, in the arena. Another outcome: *reason says more.
NativeOutcome native_run(NativeGpu *gpu, Arena *arena, const FpdPrograms *programs, uint32_t variant,
                         uint8_t *const *contents, uint8_t **results, const char **reason);

// ---- native_case.c

// What all cases of a process share.
typedef struct NativeSession {
    Diagnostics diagnostics;
    NativeGpu *gpu;       // opened when the first case needs it
    FpdMachine emulator;  // likewise; without a compiler: not open
    const char *emulated; // folder where the emulator's results are kept, NULL: nowhere
    const char *dump;     // folder that receives results that are not the same, NULL: none does
    bool only_emulate;
} NativeSession;

typedef struct NativeCase {
    Arena arena;
    FpdCase *cas;
    FpdPrograms *programs;
    uint8_t **contents; // of each buffer
} NativeCase;

// How results of a variant compare: of all elements how many have other bits, and how many of these are NaNs both.
typedef struct NativeCounts {
    uint64_t elements, other, nans;
} NativeCounts;

// False and session->diagnostics on failure; native_case_close is due in any case.
bool native_case_open(NativeSession *session, const char *path, NativeCase *opened);
void native_case_close(NativeSession *session, NativeCase *opened);
// Runs a variant in both ways. *text, in the case's arena, says what there is to say; NULL: nothing.
NativeOutcome native_case_check(NativeSession *session, NativeCase *opened, uint32_t variant, NativeCounts *counts,
                                const char **text);
void native_session_close(NativeSession *session);

#endif
