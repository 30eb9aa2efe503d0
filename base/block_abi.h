// SPDX-License-Identifier: Apache-2.0
// Between kernels of tiles whose blocks have parts that run concurrently, and those who run them: Triton's kernels with
// shared and tensor memory, mbarriers, asynchronous operations and warp specialisation.
//
// A part is a function of the type HostEntry. The kernel itself is part 0. The runtime calls another one where the
// kernel forks it (a partition of warps), or when an asynchronous operation is carried out. Its arguments are those
// that FORK or ISSUE name, in order; the last one, of every part, is the address of the block's memory, which the
// kernel's own launch does not give.
//
// The block's memory (KernelInfo.memory_bytes, and staging memory behind it) holds all objects in shared and tensor
// memory, at offsets that the compiler chose. It begins at a multiple of 64. Floats have records there as in buffers, or
// are kept there as the kernel has them in registers, of which only the kernel knows (KernelInfo.keeps_words).
#ifndef CONGRUENT_BLOCK_ABI_H
#define CONGRUENT_BLOCK_ABI_H

#include "base/host_abi.h"

typedef enum BlockOperation {
#define BLOCK_OPERATION(id, ...) BLOCK_##id,
#include "base/block_operations.def"
#undef BLOCK_OPERATION
    BLOCK_OPERATIONS
} BlockOperation;

typedef enum BlockSpace { BLOCK_SHARED, BLOCK_TENSOR } BlockSpace;

// Who carries an asynchronous operation out, in which order.
typedef enum BlockQueue {
    BLOCK_LOADS,       // TMA to shared memory: in any order, completes on an mbarrier
    BLOCK_STORES,      // TMA from shared memory: groups
    BLOCK_COPIES,      // cp.async: groups, or COPIES_ARRIVE
    BLOCK_TENSOR_CORE, // tcgen05: one after the other, COMMIT
    BLOCK_PRODUCTS,    // wgmma: one after the other, groups
    BLOCK_QUEUES
} BlockQueue;

// What an asynchronous operation does to a piece of the block's memory.
typedef enum BlockAccess { BLOCK_READS = 1, BLOCK_WRITES = 2, BLOCK_UPDATES = 3 } BlockAccess;

// A row of block_operations.def.
typedef struct BlockOperationRow {
    const char *name;
    uint32_t least, most; // operands
} BlockOperationRow;
extern const BlockOperationRow block_operation_rows[BLOCK_OPERATIONS]; // block_abi.c

enum {
    BLOCK_PARTS_MAX = 16,          // that run at the same time, the kernel included
    BLOCK_SHARED_MAX = 227 * 1024, // bytes of shared memory that a block of a GPU has
    BLOCK_TENSOR_COLUMNS = 512,
    BLOCK_MEMORY_MAX = 1 << 28,    // bytes of the block's memory: all objects of a kernel, each in its own place
    BLOCK_STAGING_BYTES = 64 << 20, // of the memory for STAGE; pages of it that nobody asks for cost nothing
};

#endif
