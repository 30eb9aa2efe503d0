// SPDX-License-Identifier: Apache-2.0
// The function of an entry: what it knows of its launch, how it fails and ends, the threads of its block, and memory of
// its own. What differs between processors and GPUs is an EmitTarget.
#ifndef CONGRUENT_KERNEL_H
#define CONGRUENT_KERNEL_H

#include "compiler/lower/emit.h"

// ---- entry.c --------------------------------------------------------------------------------------------------------

enum { EMIT_GENERIC = 0, EMIT_GLOBAL = 1, EMIT_SHARED = 3 }; // address spaces of NVPTX
enum { EMIT_POINTER_LANES_BITS_MAX = 4 };
// What differs between processors (entry.c) and GPUs (entry_gpu.c), where all threads of a block run the code and share
// the steps of nests (Emit.threads).
struct EmitTarget {
    // Adds the function of a kernel. On GPUs this also decides how many threads a block has.
    void (*open_kernel)(Emit *e, const char *symbol);
    // Completes it and the KernelInfo; `first` is the first LLVM block of the kernel's own code.
    void (*close_kernel)(Emit *e, LLVMBasicBlockRef first);
    // Where the launch has the field that HostLaunch has at that offset.
    size_t (*launch_offset)(size_t host_offset);
    LLVMValueRef (*grid)(Emit *e, unsigned axis);           // the grid's extent along axis 0..2 (i32)
    LLVMValueRef (*raw_parameter)(Emit *e, uint32_t index); // parameter `index`, zero-extended to i64
    void (*end_block)(Emit *e);                             // ends the block, which has not failed
    void (*end_with_fault)(Emit *e, LLVMValueRef site);     // ends it with the fault in e->fault, at a site (i32)
    // Between two iterations of a loop that waits for other blocks; with ends_failed_blocks, of any loop.
    void (*next_iteration)(Emit *e, bool waits, LLVMBasicBlockRef next);
    LLVMValueRef (*scratch)(Emit *e); // the block's scratch that is not shared memory
    bool (*print)(Emit *e, const TirOp *op);
    bool knows_buffers;          // the launch always says where buffers are
    bool ends_failed_blocks;     // threads of a failed block go on until they ask whether it has failed
    unsigned buffer_space;       // address space of buffers
    unsigned pointer_lanes_bits; // log2 of the lanes that are accessed through pointers together
};
extern const EmitTarget emit_on_host, emit_on_gpu;
// EmitTarget.open_kernel, close_kernel and raw_parameter.
void emit_open_kernel(Emit *e, const char *symbol);
void emit_close_kernel(Emit *e, LLVMBasicBlockRef first);
LLVMValueRef emit_raw_parameter(Emit *e, uint32_t index);
// Sets e->argument_ranges of a parameter: the memory that it may be used to touch.
void emit_parameter_range(Emit *e, uint32_t index);
void emit_return(Emit *e); // EmitTarget.end_block
// `end`, the end of one of `ranges` (ptr); where the launch knows no ranges (NULL; on GPUs), the end of all memory.
LLVMValueRef emit_unknown_end(Emit *e, LLVMValueRef ranges, LLVMValueRef end);
// A field of 8 bytes of the launch that never changes.
LLVMValueRef emit_launch_field(Emit *e, size_t offset, LLVMTypeRef type);
LLVMValueRef emit_grid(Emit *e, unsigned axis); // EmitTarget.grid

// ---- emit_value.c: checks -------------------------------------------------------------------------------------------

// What a failed check reports. The op being lowered and its place go with it.
typedef struct EmitFault {
    HostSiteKind kind;
    const char *message;                // KernelSite.message; kept: in the arena, a literal, or NULL
    LLVMValueRef address, found, limit; // HostFault's; i64, NULL: 0
} EmitFault;
// Fails the block unless `good` (i1).
void emit_check(Emit *e, LLVMValueRef good, const EmitFault *fault);
// The same for code that has stored address, found and limit in the fault itself, with emit_store_fault, where it
// found the failure.
void emit_check_stored(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message);
void emit_store_fault(Emit *e, LLVMValueRef fault, const LLVMValueRef *values);

// ---- lower_module.c, control.c --------------------------------------------------------------------------------------

// The addresses [begin, end) (i64) that a pointer of this origin (not -1) may touch.
void emit_origin_range(Emit *e, int origin, LLVMValueRef *begin, LLVMValueRef *end);
int emit_pointer_origin(Emit *e, TirValue pointer); // EmitVal.origin
// At the beginning of an entry: sets up e->iterations, if CompileOptions.iterations limits them.
void emit_count_iterations(Emit *e);

// ---- operand_flushing.c: kernels that run while float instructions read subnormal operands as zeros ----------------

// Sets e->cx.flushes_operands and e->escapes. Before anything is lowered.
void emit_choose_flushing(Emit *e);
// Makes the function one that is run so, or one that is not (`flushes`), by emit_call_with_flushing alone.
void emit_set_flushing(Emit *e, LLVMValueRef function, bool flushes);
// The body of `outer`, which has none: it calls `inner`, of the same type, in that state, and returns what that does.
void emit_call_with_flushing(Emit *e, LLVMValueRef outer, LLVMValueRef inner, bool flushes);

// ---- entry_gpu.c ----------------------------------------------------------------------------------------------------

LLVMValueRef gpu_linear_id(Emit *e);                                       // the block's number in the grid (i64)
LLVMValueRef gpu_launch_field(Emit *e, size_t offset);                     // of GpuLaunch (i64)
LLVMValueRef gpu_field_pointer(Emit *e, LLVMValueRef base, size_t offset); // `offset` bytes behind `base`
// i1: whether the launch has recorded that this block, or one with a lower number, has failed.
LLVMValueRef gpu_has_failed(Emit *e);

// ---- print.c --------------------------------------------------------------------------------------------------------

bool emit_print_on_host(Emit *e, const TirOp *op);
bool emit_print_on_gpu(Emit *e, const TirOp *op);

// ---- threads.c: the threads of a block on GPUs; on processors there is one, and nothing here makes code -------------

// Kinds of memory that threads share: tiles in scratch; the buffers of the launch and allocas.
enum { EMIT_TILES = 1, EMIT_BUFFERS = 2 };
enum { EMIT_WARP_BITS = 5 }; // log2 of the threads of a warp
// Chooses how many threads the function's blocks have: a quarter of the elements of its largest tile, 32 to 256.
void emit_open_threads(Emit *e);
// log2 of the threads that share the steps of a nest here. 0: there is one, or each runs the code for itself.
unsigned emit_thread_bits(const Emit *e);
// Call it before code that reads and writes those kinds of memory. Emits a barrier if there is a hazard with accesses
// since the last one.
void emit_barrier(Emit *e, unsigned reads, unsigned writes);
// At a join: from here on any access may be a hazard, up to the next barrier.
void emit_assume_hazards(Emit *e);
// Code that only the block's first thread runs; only the first 2^bits threads, fewer than there are.
CodeGuard emit_first_thread_open(Emit *e);
CodeGuard emit_some_threads_open(Emit *e, unsigned bits);
void emit_first_thread_close(Emit *e, const CodeGuard *guard); // of both
// The element of a tile of one element, as a scalar that all threads have.
EmitVal emit_element_value(Emit *e, EmitElement element, const EmitVal *tile);
// Sets bytes of memory to a value.
void emit_fill(Emit *e, LLVMValueRef pointer, uint64_t bytes, uint8_t value);
// The `value` of the thread of the warp whose number is this thread's xor `mask` (1 .. 16); lane by lane for vectors.
// All threads of the warp must come to it.
LLVMValueRef emit_exchange(Emit *e, LLVMValueRef value, unsigned mask);

// ---- own_memory.c ---------------------------------------------------------------------------------------------------

// At the beginning of an entry that uses globals: sets their ranges.
bool emit_place_globals(Emit *e);
// At the beginning of an entry with `count` alloca ops, at least one: takes scratch for them and sets their ranges.
bool emit_place_locals(Emit *e, uint32_t count);
// Whether the origin is an alloca.
bool emit_is_local(const Emit *e, int origin);
// Where all allocas together begin (`end` 0), and end (1).
LLVMValueRef emit_local_range(Emit *e, unsigned end);
// Bit k: floats of 2^k bytes may have records in the alloca of this origin; -1: in any.
uint32_t emit_local_widths(const Emit *e, int origin);

#endif
