// SPDX-License-Identifier: Apache-2.0
// How code of GPU threads (PTX) runs on processors. Unlike simt_abi.h, where each thread is a call, a call runs a whole
// warp: registers are vectors with a lane for each of its 32 threads. Lanes that take different ways run one group
// after the other, under a mask; the compiled code does that itself. It calls back, through WarpOps, for accesses to
// memory and for everything that warps, tensor cores and copy engines do together.
//
// Whoever runs warps (runtime/warp.h) owns WarpState and all that it points to. Arrays of operands and results belong
// to the compiled code and last for the call. Functions that the compiled code passes (WarpCombine, WarpProduct) are
// pure: they touch only their arguments.
#ifndef CONGRUENT_WARP_ABI_H
#define CONGRUENT_WARP_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WARP_LANES = 32,
    WARP_THREADS_MAX = 1024,  // of a block
    WARP_SHARED_FIRST = 1024, // the address of the first byte of shared memory: those below are the system's
    WARP_SHARED_MAX = 228 << 10,
    WARP_LOCAL_MAX = 512 << 10,  // bytes of local memory of a thread
    WARP_PARAMETERS_MAX = 32764, // bytes of a kernel's parameters
};

// Generic addresses: those of global and constant memory are the host's. Other spaces have a window each, at addresses
// that no process has; an address in a window is the window's number << WARP_WINDOW_SHIFT plus the address in the
// space. A thread's local memory is found by its lane, so all threads have the same addresses there.
#define WARP_WINDOW_SHIFT 56
typedef enum WarpSpace {
    WARP_GENERIC, // any of the others, by its window
    WARP_SHARED,
    WARP_LOCAL,
    WARP_PARAMETER, // the kernel's parameters, read-only
    WARP_GLOBAL,    // and constant memory
    WARP_SPACES
} WarpSpace;

typedef struct WarpState WarpState;

// An instruction that accesses memory. Constant data of the compiled code.
enum {
    WARP_ACQUIRE = 1, // also of .sc and .acq_rel
    WARP_RELEASE = 2,
    WARP_RELAXED = 4,         // strong, without order; also .volatile and .mmio. None of these: weak
    WARP_READ_ONLY = 8,       // .nc, constant memory
    WARP_CLUSTER_SHARED = 16, // .shared::cluster: the address may name another block's shared memory
};
typedef enum WarpScope { WARP_SCOPE_BLOCK, WARP_SCOPE_CLUSTER, WARP_SCOPE_GPU, WARP_SCOPE_SYSTEM } WarpScope;
typedef struct WarpAccess {
    uint32_t place; // 1 + the number of the instruction among KernelInfo.places
    uint8_t space;  // WarpSpace of the addresses, which are addresses in that space
    uint8_t bytes;  // of an element: 1, 2, 4, 8 or 16
    uint8_t count;  // elements one after the other, 1 to 8; the address is a multiple of bytes * count
    uint8_t flags;
    uint8_t scope; // WarpScope
} WarpAccess;

// new = old (op) operand, for one access of an atomic: count * bytes at each pointer. `swap`: the second operand of a
// compare-and-swap, else NULL.
typedef void WarpCombine(const void *old, const void *operand, const void *swap, void *result);

// A product of matrices: d[m][n] (+)= a[m][k] * b[n][k]. Elements of a and b lie one after the other, one in each 1, 2,
// 4 or 8 bytes (formats of less than 8 bits in the low bits of a byte), from addresses that are multiples of 64 on. d
// has the sums in register form: what registers of the compiled code hold for a float, which may not be its bits; see
// WarpFunctions. One function for each kind of product (types of a, b, d; saturation of integers).
typedef struct WarpProductJob {
    uint32_t rows, columns, depth;
    const void *a, *b;
    void *d;           // 4 bytes each, f64: 8, f16 sums: 2
    uint32_t d_stride; // elements from the beginning of a row of d to that of the next, at least `columns`
    bool accumulate;   // else d is only written
    bool negate_a, negate_b;
    uint32_t scale_input_d; // d is multiplied by 2^-scale_input_d first
    // Block-scaled products: scales of rows of a and of columns of b, `scale_count` for each, which divide the depth
    // into equal parts. Bytes of type ue8m0, or ue4m3 if `scale_ue4m3`. NULL: none.
    const uint8_t *scale_a, *scale_b;
    uint32_t scale_count;
    bool scale_ue4m3;
    // Of tcgen05.mma, where the instruction's descriptor says them: formats (FpsanFormat) of kinds of floats, and what
    // integers of kind i8 are.
    uint32_t format_a, format_b;
    bool signed_a, signed_b, saturate;
} WarpProductJob;
typedef void WarpProduct(const WarpProductJob *job);

// Changes `count` floats in place between their bits and register form.
typedef void WarpConvert(void *values, uint64_t count);

// All other instructions that concern more than the lanes' registers. Constant data of the compiled code.
typedef enum WarpKind {
#define WARP_OPERATION(id, ...) WARP_##id,
#include "base/warp_operations.def"
#undef WARP_OPERATION
    WARP_KINDS
} WarpKind;
enum { WARP_DETAILS = 8, WARP_OPERANDS_MAX = 24 };
// What details say.
typedef enum WarpFence {
    WARP_FENCE_MEMORY,        // membar, fence.sc, fence.acq_rel, fence.acquire, fence.release
    WARP_FENCE_MBARRIER_INIT, // fence.mbarrier_init
    WARP_FENCE_ASYNC,         // fence.proxy.async, of any space
    WARP_FENCE_TENSORMAP,     // fence.proxy.tensormap
    WARP_FENCE_ALIAS,         // fence.proxy.alias
} WarpFence;
typedef enum WarpTileMode {
    WARP_TILE,
    WARP_GATHER4,
    WARP_SCATTER4,
    WARP_IM2COL,
    WARP_IM2COL_W,
    WARP_IM2COL_W_128
} WarpTileMode;
typedef enum WarpMapField { // in the order of tensormap.replace in the ISA
    WARP_MAP_ADDRESS,
    WARP_MAP_RANK,
    WARP_MAP_BOX,
    WARP_MAP_DIMENSION,
    WARP_MAP_STRIDE,
    WARP_MAP_ELEMENT_STRIDE,
    WARP_MAP_TYPE,
    WARP_MAP_INTERLEAVE,
    WARP_MAP_SWIZZLE,
    WARP_MAP_SWIZZLE_ATOM,
    WARP_MAP_FILL
} WarpMapField;
typedef enum WarpTensorShape { WARP_32X32B, WARP_16X64B, WARP_16X128B, WARP_16X256B, WARP_16X32BX2 } WarpTensorShape;
typedef enum WarpTensorCopyShape {
    WARP_COPY_128X256B,
    WARP_COPY_4X256B,
    WARP_COPY_128X128B,
    WARP_COPY_64X128B_02_13,
    WARP_COPY_64X128B_01_23,
    WARP_COPY_32X128B
} WarpTensorCopyShape;
typedef enum WarpTensorKind {
    WARP_KIND_F16,
    WARP_KIND_TF32,
    WARP_KIND_F8F6F4,
    WARP_KIND_I8,
    WARP_KIND_MXF8F6F4,
    WARP_KIND_MXF4,
    WARP_KIND_MXF4NVF4
} WarpTensorKind;
// Of copy engines, by the element type that a tensor map says.
typedef enum WarpReduction {
    WARP_REDUCE_NONE,
    WARP_REDUCE_ADD,
    WARP_REDUCE_MIN,
    WARP_REDUCE_MAX,
    WARP_REDUCE_INC,
    WARP_REDUCE_DEC,
    WARP_REDUCE_AND,
    WARP_REDUCE_OR,
    WARP_REDUCE_XOR,
    WARP_REDUCTIONS
} WarpReduction;
// The answer of clusterlaunchcontrol.try_cancel, 16 bytes of shared memory: what query_cancel finds in the .b128.
enum {
    WARP_CANCEL_DONE,  // word 0: 1 if a launch was cancelled (is_canceled), else 0
    WARP_CANCEL_BLOCK, // words 1 to 3: its first %ctaid (get_first_ctaid), x first
};

typedef struct WarpOperation {
    uint32_t place;
    uint16_t kind;                 // WarpKind
    uint16_t operand_count;        // those given, which may be fewer than warp_operations.def has
    uint32_t detail[WARP_DETAILS]; // see warp_operations.def
    union {
        WarpCombine *combine;
        WarpProduct *product;
    };
} WarpOperation;
typedef uint64_t WarpLanes[WARP_LANES]; // an operand or result: a word for each lane

typedef struct WarpOps {
    // `values`: for each element the 32 lanes' values, `bytes` each: element e of lane l is number 32 e + l. Only lanes
    // of `mask` take part, of the result too. Do not return if an access is not allowed.
    void (*load)(WarpState *warp, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, void *values);
    void (*store)(WarpState *warp, uint32_t mask, const WarpAccess *access, const uint64_t *addresses,
                  const void *values);
    // Lanes one after the other, the lowest first. `swap` is NULL but for compare-and-swap; `old` NULL if nobody asks
    // (red).
    void (*atomic)(WarpState *warp, uint32_t mask, const WarpAccess *access, WarpCombine *combine,
                   const uint64_t *addresses, const void *operands, const void *swap, void *old);
    // Carries out an operation for the lanes of `mask`. `operands`: as many as the operation has, in the order of
    // warp_operations.def; results replace them where it says so. `data`: registers in lists, 4 bytes for each of 32
    // lanes, register after register (32 r + l); read or written as it says. The result is a bit for each lane: a
    // predicate, or, of operations that may block, the lanes that are done; the others have to come again. If `mask`
    // has all lanes that run, it only comes back when they are done.
    uint32_t (*operate)(WarpState *warp, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                        void *data);
    // WarpState.budget is used up: other warps run, and it is filled up again. Does not return if the launch ends.
    void (*loop)(WarpState *warp, uint32_t place);
    // All lanes that run wait for something that other warps do, in operations that may block.
    void (*yield)(WarpState *warp);
    // No lane can go on: those of `waiting` wait, each at places[lane], for lanes of the warp that do not come. Does
    // not return.
    void (*stuck)(WarpState *warp, uint32_t waiting, const uint32_t *places);
    // The lanes end.
    void (*exit)(WarpState *warp, uint32_t mask);
    // A function begins. Nobody has written its registers and parameters yet, `bytes` at `frame`, a multiple of 4, nor
    // its local memory, which is the last `local` bytes in use: that gives them what stands there (`unspecified`).
    void (*enter)(WarpState *warp, void *frame, uint32_t bytes, uint32_t local);
    // Ends the launch: `kind` is WarpTrap. Does not return.
    void (*trap)(WarpState *warp, uint32_t mask, uint32_t kind, uint32_t place);
} WarpOps;

typedef enum WarpTrap {
    WARP_TRAP,         // the instruction trap
    WARP_TRAP_BRANCH,  // an index outside a table of branch targets
    WARP_TRAP_CALL,    // a call of what is no function, or one of another form
    WARP_TRAP_UNIFORM, // an operand that all lanes must agree in, and do not
    WARP_TRAP_LANES, // an aligned instruction that only some lanes of the warp come to, for example after others ended
    WARP_TRAP_SHUFFLE, // a lane reads from one that does not take part
    WARP_TRAP_MASK,    // a lane is not in its own mask of lanes
    WARP_TRAP_ENDLESS, // a function reaches its end
    WARP_TRAP_STACK,   // calls nest so deeply that local memory does not suffice
    WARP_TRAPS
} WarpTrap;

// What the compiled code sees of a warp.
struct WarpState {
    const WarpOps *ops;
    const uint8_t *parameters; // of the kernel
    const uint64_t *globals;   // addresses of the module's globals
    uint32_t alive;            // lanes that have not ended; ops->exit changes it
    uint32_t budget;           // backward branches that are left until ops->loop is due
    uint32_t local_top;        // local memory of the lanes in use, bytes; functions raise it for as long as they run
    uint32_t local_size;
    uint32_t thread[3][WARP_LANES]; // %tid
    uint32_t block[3], blocks[3];   // %ctaid, %nctaid
    uint32_t threads[3];            // %ntid
    uint32_t warp, warps;           // %warpid (thread number / 32), %nwarpid
    uint32_t cluster_block[3], cluster_blocks[3], cluster[3], clusters[3], cluster_rank, cluster_size;
    uint32_t dynamic_shared, total_shared; // bytes
    uint64_t grid;                         // %gridid
    void *frame;                           // of the function that runs; only the compiled code uses it
    uint64_t unspecified;                  // what a result that no function has stored holds, its low bits
    uint64_t stack_limit;                  // a function whose frame would lie below this address fails (WARP_TRAP_STACK)
    uint32_t call_place;                   // of the call that is made
};

// Runs a warp until all of its lanes have ended.
typedef void WarpEntry(WarpState *warp);

// What a module has for those that run it.
typedef struct WarpFunctions {
    // Of f32, and of f16 and bf16 in 2 bytes: from bits to register form and back. NULL: these are the same.
    WarpConvert *from_bits_f32, *to_bits_f32, *from_bits_f16, *to_bits_f16;
    // Reductions of floats in memory by the copy engine (cp.reduce.async.bulk.tensor), on one element: its type is
    // known only when the map is read. NULL: refused. Those of integers need no function.
    WarpCombine *reduce_f16[WARP_REDUCTIONS], *reduce_bf16[WARP_REDUCTIONS], *reduce_f32[WARP_REDUCTIONS],
        *reduce_f64[WARP_REDUCTIONS];
} WarpFunctions;

#endif
