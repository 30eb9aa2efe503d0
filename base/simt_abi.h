// SPDX-License-Identifier: Apache-2.0
// How code for GPUs runs on processors. The kernel is called once for each thread of a block. It calls back for
// everything that threads do together and before each access to memory, through a table of functions (SimtOps).
#ifndef CONGRUENT_SIMT_ABI_H
#define CONGRUENT_SIMT_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum { SIMT_WARP = 32, SIMT_THREADS_MAX = 1024 };

typedef enum SimtSpecial { // special registers
    SIMT_TID_X,
    SIMT_NTID_X,
    SIMT_CTAID_X,
    SIMT_CTAID_Y,
    SIMT_CTAID_Z,
    SIMT_NCTAID_X,
    SIMT_NCTAID_Y,
    SIMT_NCTAID_Z,
    SIMT_LANEID,
} SimtSpecial;

typedef enum SimtShuffle { SIMT_SHUFFLE_UP, SIMT_SHUFFLE_DOWN, SIMT_SHUFFLE_BFLY, SIMT_SHUFFLE_IDX } SimtShuffle;

// Flags of an access to memory. The bits from SIMT_ALIGNMENT_SHIFT on are log2 of the alignment that the instruction
// needs: a GPU stops where the address is no multiple of it.
enum { SIMT_READ = 1, SIMT_WRITE = 2, SIMT_ATOMIC = 4, SIMT_ALIGNMENT_SHIFT = 8 };

// Types of an mma's operands. The shape is m16n8k16 for f16 and bf16, m16n8k8 for tf32, m16n8k32 for the others; the
// layout is row.col. Sums are f32; for integers s32, which wrap around.
typedef enum SimtOperand {
    SIMT_F16,
    SIMT_BF16,
    SIMT_TF32,
    SIMT_E4M3,
    SIMT_E5M2,
    SIMT_S8,
    SIMT_U8,
    SIMT_OPERANDS
} SimtOperand;

// Each function is called by the thread that it acts for. `place`: 1 + the number of the op among KernelInfo.places; 0
// if it is not known.
typedef struct SimtOps {
    uint32_t (*special)(uint32_t which); // SimtSpecial
    void *(*shared)(void);               // the block's shared memory
    void (*barrier)(uint32_t place);
    void (*warp_barrier)(uint32_t mask, uint32_t place);
    // shfl.sync of 32 bits. `kind`: SimtShuffle; `clamp`: PTX's operand c.
    uint32_t (*shuffle)(uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane, uint32_t clamp, uint32_t place);
    // sums += a * b (mma.sync), by the whole warp. Each thread gives its registers, as PTX lays the fragments out; the
    // kinds are SimtOperand.
    void (*mma)(uint32_t kind_a, uint32_t kind_b, const uint32_t a[4], const uint32_t b[2], uint32_t sums[4],
                uint32_t place);
    // ldmatrix.sync.aligned.m8n8.xCOUNT.b16. `row`: this thread's address in shared memory; `result`: its `count`
    // words.
    void (*load_matrix)(uint32_t count, bool transposed, const void *row, uint32_t *result, uint32_t place);
    // Called before each access. Does not return if the access is not allowed.
    void (*access)(const void *address, uint32_t bytes, uint32_t flags, uint32_t place);
    void (*pause)(void);          // nanosleep: the thread waits for another thread or block
    void (*exit)(void);           // ends the thread; does not return
    void (*trap)(uint32_t place); // ends the launch; does not return
} SimtOps;

// Runs one thread. `arguments` has a word of 64 bits for each parameter, as HostLaunch.arguments has.
typedef void SimtEntry(const uint64_t *arguments);

#endif
