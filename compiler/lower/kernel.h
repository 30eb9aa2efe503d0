// SPDX-License-Identifier: Apache-2.0
// The function of an entry: what it knows of its launch, how it fails and ends, the threads of its block, and memory of
// its own. What differs between processors and GPUs is an EmitTarget.
#ifndef CONGRUENT_KERNEL_H
#define CONGRUENT_KERNEL_H

#include "compiler/lower/emit.h"

// ---- entry.c --------------------------------------------------------------------------------------------------------

enum { EMIT_GENERIC = 0, EMIT_GLOBAL = 1, EMIT_SHARED = 3 }; // address spaces of NVPTX
enum { EMIT_POINTER_LANES_BITS_MAX = 4 };
// The kind of target: entry.c has that of processors, entry_gpu.c that of GPUs, where all threads of a block run the
// code and share the steps of nests (Emit.threads).
struct EmitTarget {
    // The function, to the end of its blocks; of GPUs how many threads a block has.
    void (*open_kernel)(Emit *e, const char *symbol);
    void (*close_kernel)(Emit *e, LLVMBasicBlockRef first);
    // What the launch says: the offset of a field of HostLaunch; the grid's extent (i32); a parameter as i64.
    size_t (*launch_offset)(size_t host_offset);
    LLVMValueRef (*grid)(Emit *e, unsigned axis);
    LLVMValueRef (*raw_parameter)(Emit *e, uint32_t index);
    // Ends the block, which did not fail; ends it at a site (i32) with what e->fault says.
    void (*end_block)(Emit *e);
    void (*end_with_fault)(Emit *e, LLVMValueRef site);
    // Between two iterations of a loop that waits for others or, with ends_failed_blocks, of any.
    void (*next_iteration)(Emit *e, bool waits, LLVMBasicBlockRef next);
    LLVMValueRef (*scratch)(Emit *e); // the block's scratch that is not shared memory
    bool (*print)(Emit *e, const TirOp *op);
    bool knows_buffers;          // the launch always says where buffers are
    bool ends_failed_blocks;     // threads of a block that has failed go on until they ask
    unsigned buffer_space;       // address space of buffers
    unsigned pointer_lanes_bits; // log2 of the lanes that are accessed through pointers together
};
extern const EmitTarget emit_on_host, emit_on_gpu;
void emit_open_kernel(Emit *e, const char *symbol);
// Ends the function, whose code begins with block `first`; sets what the kernel takes of memory and threads.
void emit_close_kernel(Emit *e, LLVMBasicBlockRef first);
// Parameter `index` of the entry, zero-extended to i64.
LLVMValueRef emit_raw_parameter(Emit *e, uint32_t index);
// The range of memory that a parameter may be used to touch: e->argument_ranges.
void emit_parameter_range(Emit *e, uint32_t index);
// Ends the block, which did not fail.
void emit_return(Emit *e);
// The end of a range out of `ranges` (ptr): of GPUs, where these are not known, that of all memory.
LLVMValueRef emit_unknown_end(Emit *e, LLVMValueRef ranges, LLVMValueRef end);
// Fields of the launch: one that never changes; grid dimension 0..2 (i32).
LLVMValueRef emit_launch_field(Emit *e, size_t offset, LLVMTypeRef type);
LLVMValueRef emit_grid(Emit *e, unsigned axis);

// ---- emit_value.c: checks -------------------------------------------------------------------------------------------

// What a failed check says: the site gets op, place and `message` (arena-held or NULL); i64 values, NULL: 0.
typedef struct EmitFault {
    HostSiteKind kind;
    const char *message;
    LLVMValueRef address, found, limit;
} EmitFault;
// Fails the block unless `good` (i1).
void emit_check(Emit *e, LLVMValueRef good, const EmitFault *fault);
// The same of a check that stored the fault where it failed: address, found and limit, at a pointer.
void emit_check_stored(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message);
void emit_store_fault(Emit *e, LLVMValueRef fault, const LLVMValueRef *values);

// ---- lower_module.c, control.c --------------------------------------------------------------------------------------

// Address range (i64) that a pointer of this origin may touch; asserts origin >= 0.
void emit_origin_range(Emit *e, int origin, LLVMValueRef *begin, LLVMValueRef *end);
int emit_pointer_origin(Emit *e, TirValue pointer);
// Begins to count the iterations of loops, if they are limited.
void emit_count_iterations(Emit *e);

// ---- entry_gpu.c ----------------------------------------------------------------------------------------------------

// Linear id of the block (i64); a field of GpuLaunch (i64); a field of what `base` points to.
LLVMValueRef gpu_linear_id(Emit *e);
LLVMValueRef gpu_launch_field(Emit *e, size_t offset);
LLVMValueRef gpu_field_pointer(Emit *e, LLVMValueRef base, size_t offset);
// i1: whether it is recorded that this block, or one below it, has failed.
LLVMValueRef gpu_has_failed(Emit *e);

// ---- print.c --------------------------------------------------------------------------------------------------------

bool emit_print_on_host(Emit *e, const TirOp *op);
bool emit_print_on_gpu(Emit *e, const TirOp *op);

// ---- threads.c: the threads of a block on GPUs; on processors there is one, and nothing here makes code -------------

// Kinds of memory that threads share: tiles in scratch; the buffers of the launch and allocas.
enum { EMIT_TILES = 1, EMIT_BUFFERS = 2 };
enum { EMIT_WARP_BITS = 5 }; // log2 of the threads of a warp
// Finds how many threads the function's blocks have.
void emit_open_threads(Emit *e);
// log2 of the threads that share the steps of a nest here; 0: there is one, or the code is each thread's own.
unsigned emit_thread_bits(const Emit *e);
// What follows reads and writes such memory: a barrier comes first, where that is a hazard with what other threads did.
void emit_barrier(Emit *e, unsigned reads, unsigned writes);
// At a join, where code from several places comes together: any access may be a hazard.
void emit_assume_hazards(Emit *e);
// Code of one thread of the block.
CodeGuard emit_first_thread_open(Emit *e);
// Of the threads below 2^bits, which are not all.
CodeGuard emit_some_threads_open(Emit *e, unsigned bits);
void emit_first_thread_close(Emit *e, const CodeGuard *guard);
// A tile of one element as a scalar, the same for all threads.
EmitVal emit_element_value(Emit *e, EmitElement element, const EmitVal *tile);
// All bytes become that value.
void emit_fill(Emit *e, LLVMValueRef pointer, uint64_t bytes, uint8_t value);
// What the thread whose number differs in the bits of `mask` (1 .. 16) has; on all lanes of a vector. For all threads.
LLVMValueRef emit_exchange(Emit *e, LLVMValueRef value, unsigned mask);

// ---- own_memory.c ---------------------------------------------------------------------------------------------------

// Finds out where the module's globals are; at the beginning of an entry that uses some.
bool emit_place_globals(Emit *e);
// Finds places for the function's `count` alloca ops, at least one; at the beginning of its code.
bool emit_place_locals(Emit *e, uint32_t count);
// Whether the origin is an alloca; the addresses [begin, end) of all of them; the widths of the records that there may
// be in one, or in all (-1).
bool emit_is_local(const Emit *e, int origin);
LLVMValueRef emit_local_range(Emit *e, unsigned end);
uint32_t emit_local_widths(const Emit *e, int origin);

#endif
