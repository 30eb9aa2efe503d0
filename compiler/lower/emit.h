// SPDX-License-Identifier: Apache-2.0
// Tile IR to LLVM IR. Entry: lower_module. Everything a file of this folder shares is here.
//
// A tile of 2^n elements is walked in its flat (row-major) order. All extents are powers of two, so how one tile's
// elements lie in another (broadcast, reshape, permute, memory layouts, packing for a dot) is a map from index bits to
// index bits: a TileMap. A Nest is a loop nest over such an index space, its lowest bits the lanes of explicit vectors,
// the others loops, split only where some operand's map is not consecutive. An element-wise op makes no code by itself:
// its value is EMIT_LAZY and is evaluated, lanes at a time, in the nest of whoever needs it; a tile becomes memory
// (EMIT_MEMORY, in the block's scratch) only where it must.
#ifndef CONGRUENT_EMIT_H
#define CONGRUENT_EMIT_H

#include "base/base.h"
#include "base/host_abi.h"
#include "compiler/compiler.h"
#include "compiler/numeric/numeric_dot.h"
#include "compiler/target/target.h"
#include "compiler/tileir/tir.h"

#include <llvm-c/Core.h>

// ---- lower_module.c
// --------------------------------------------------------------------------------------------------

typedef struct LoweredKernel {
    const char *name;
    const char *symbol;  // of the LLVM function: one that no library and no other entry has
    uint32_t threads;    // of GPUs: of a block
    size_t shared_bytes; // of GPUs: dynamic shared memory of a block
    size_t scratch_bytes;
    CompiledParameter *parameters;
    uint32_t parameter_count, global_count;
    CompiledSite *sites;
    uint32_t site_count;
    bool sequential, prints, has_locals;
    HostPrint *print_forms; // of GPUs
    uint32_t print_form_count;
    CompiledStore *stores;
    uint32_t store_count;
    uint32_t *stored_widths, stored_widths_unknown;
    CompiledAccess *accesses;
    uint32_t access_count;
    uint8_t *stores_through; // as CompiledKernel has them
    bool stores_unknown, looks, waits;
} LoweredKernel;

typedef struct LoweredModule {
    LoweredKernel *kernels; // one per entry, in module order
    uint32_t kernel_count, place_count;
    CompiledPlace *places; // of code to be run with `simt`: what the lines of its debug locations are, from 1 on
} LoweredModule;

// One LLVM function per entry of the verified module, a HostEntry or, for GPUs, as gpu_abi.h says. Results live in the
// arena.
// `own_globals`: globals are data of the LLVM module where the launch gives none.
// False and a diagnostic with the op's name and source line (E_UNSUPPORTED, E_LIMIT).
bool lower_module(Diagnostics *diagnostics, Arena *arena, const TirModule *module, const CompileOptions *options,
                  bool own_globals, const NumericMachine *machine, LLVMContextRef context, LLVMModuleRef llvm,
                  LoweredModule *lowered);

// ---- shared types
// ------------------------------------------------------------------------------------------------------

// Tiles have at most 2^24 elements. A dot goes over batch, rows, columns and depths: the batch and any two of the
// others are a tile, so that makes at most 2^36 steps.
enum { TILE_BITS_MAX = 24, MAP_BITS_MAX = TILE_BITS_MAX / 2 * 3, EMIT_SCRATCH_MAX = 1 << 30 };

// What a tile's elements are.
typedef struct EmitElement {
    bool is_float, is_pointer;
    bool points_to_halves; // pointers to elements of four bits are twice the address, and 1 more for a byte's high half
    FpsanFormat format;    // floats
    unsigned bits;         // integers (i1: 1); pointers: 64
    unsigned parts;        // LLVM values per element; of integers the second are marks (numeric.h)
} EmitElement;

// Iteration index bit i is bit to[i] of a tile's flat index; -1: the tile does not depend on it.
typedef struct TileMap {
    uint8_t bits;
    int8_t to[MAP_BITS_MAX];
} TileMap;

// A tensor view, or a partition view of one, at run time. Sizes and strides are i64, in elements.
typedef struct EmitView {
    LLVMValueRef base;  // address, i64
    LLVMValueRef first; // number of the first element from there on (i64): of elements of four bits it may be 1
    int origin;         // argument the address came from, -1 unknown
    LLVMValueRef sizes[TIR_RANK_MAX], strides[TIR_RANK_MAX];
} EmitView;

typedef enum EmitKind {
    EMIT_NONE,   // tokens
    EMIT_SCALAR, // one element: parts are LLVM scalars
    EMIT_MEMORY, // a tile in memory: parts are addresses (ptr) of arrays; flat index bit i is bit layout.to[i] of the
                 // array index
    EMIT_REGISTERS, // a tile of GPUs: parts are vectors of 2^register_bits lanes, or scalars, of each thread; bit i of
                    // lane and then thread is flat index bit layout.to[i]
    EMIT_LAZY,      // a tile evaluated where it is used
    EMIT_VIEW,
} EmitKind;
typedef struct EmitVal {
    EmitKind kind;
    NumericValue value;
    TileMap layout;
    unsigned register_bits;
    int origin; // pointers (scalars and tiles): argument they came from, -1 unknown
    const EmitView *view;
    const struct ViewAccess *load; // EMIT_LAZY: of a load_view_tko that reads when it is evaluated; else NULL
} EmitVal;

// How much memory is in use: shared memory (of GPUs), and other.
typedef struct EmitScratch {
    size_t shared, memory;
} EmitScratch;

typedef struct EmitLoop EmitLoop;   // control.c
typedef struct EmitPlan EmitPlan;   // plan.c
typedef struct EmitLocal EmitLocal; // local.c
typedef struct EmitDot EmitDot;     // dot_function.c

// An alloca for the lanes of one memory access (memory_pointer.c).
typedef struct EmitLaneSlot {
    LLVMTypeRef type;
    unsigned index;
    LLVMValueRef slot;
} EmitLaneSlot;

typedef struct Emit {
    NumericContext cx;
    Arena *arena;
    const TirModule *module;
    const TirFunction *function;
    const EmitPlan *plan;
    LLVMValueRef kernel, launch, scratch, block_id[3], fault; // the LLVM function and its parameters
    struct EmitThreads {                                      // threads.c; of processors all zero
        unsigned bits;                                        // log2 of the threads of a block
        LLVMValueRef index;                                   // number of this thread, i64
        LLVMValueRef shared;                                  // the block's shared memory
        unsigned alone;        // not 0: the code is each thread's own, others need not come to it
        uint8_t read, written; // EMIT_TILES, EMIT_BUFFERS: by any thread since all met
    } threads;
    LLVMValueRef *argument_ranges; // per origin (parameters, globals, allocas): begin, end (i64), or NULL
    EmitLocal *locals;             // alloca ops; origins local_origin and up
    uint32_t local_count;
    int local_origin;
    LLVMBasicBlockRef entry_block, fail_block; // allocas go to the entry block
    LLVMBasicBlockRef exit_block;              // of GPUs: where a block ends that did not fail
    LLVMValueRef fail_phi[4];                  // site, address, found, limit
    LLVMBasicBlockRef told_block;              // of checks that stored the fault themselves
    LLVMValueRef told_phi;                     // site
    EmitVal *values;                           // by TirValue
    struct EmitFloatOfBits *
        *float_of_bits;  // by TirValue: what is loaded or in memory and known as the bits of a float; NULL: others
    EmitLoop *loop;      // innermost loop or if
    uint64_t rounds_max; // of CompileOptions, as the next two
    bool check_assume, outside_tiles;
    CompileUnspecified unspecified;
    bool poison;           // the numeric has it, and the options ask for it
    LLVMValueRef rounds;   // how many there were so far: an alloca; NULL: nobody counts
    const TirBlock *block; // whose ops are being lowered
    EmitScratch scratch_top, scratch_bytes;
    unsigned temporary; // not 0: scratch that is taken now is given back before the op ends
    CompiledSite *sites;
    size_t site_count, site_capacity;
    bool sequential, prints, own_globals;
    HostPrint *print_forms; // of GPUs: what print ops print, without elements
    size_t print_form_count, print_form_capacity;
    bool marks_integers;   // integers of more than one bit have marks: some are made from floats
    CompiledStore *stores; // of floats, where they have records
    size_t store_count, store_capacity;
    uint32_t *stored_widths, stored_widths_unknown; // as RtKernel has them
    bool races;                                     // accesses are told to the launch (race_log.c)
    CompiledAccess *accesses;
    size_t access_count, access_capacity;
    uint8_t *stores_through;
    bool stores_unknown, looks, waits;
    LLVMValueRef access_slot, run_slots[2]; // allocas
    EmitLaneSlot *lane_slots;
    size_t lane_slot_count, lane_slot_capacity;
    const EmitDot *dots;         // functions of dots
    bool many_dots;              // more than one
    DebugLines *debug;           // NULL: no source lines in the output
    CompiledPlace *places;       // of the function, by numbers of ops; NULL: nobody asks
    uint32_t first_place, place; // 1 + the number of its first one; of the op being lowered
    // Set while an op is lowered whose tile result should go to given memory (a loop's carried tile); control.c.
    const EmitVal *destination;
} Emit;

#define EMIT_PLACES "places" // the file of debug locations that say numbers of places

// Records E_UNSUPPORTED (or `code`) at the op being lowered: "'exp2' ...". Always false.
bool emit_fail(Emit *e, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);

// The op that errors, checks and source lines name from here on; emit_leave goes back to the one before.
typedef struct EmitPlace {
    Location at;
    const char *op_name;
    uint32_t number; // of the module's places
} EmitPlace;
EmitPlace emit_enter(Emit *e, const TirOp *op);
void emit_leave(Emit *e, EmitPlace outer);

// ---- emit_value.c: types and small pieces of LLVM
// ------------------------------------------------------------------------

EmitElement emit_element(const Emit *e, TirType tile);
LLVMTypeRef emit_mark_type(const Emit *e);                                         // of an integer's marks
LLVMTypeRef emit_register_type(const Emit *e, EmitElement element, unsigned part); // scalar type in registers
LLVMTypeRef emit_memory_type(const Emit *e, EmitElement element, unsigned part);   // in scratch arrays: i1 is i8
unsigned emit_storage_bytes(EmitElement element);                                  // in buffers, per element
LLVMTypeRef emit_integer_type(const Emit *e, unsigned bits);
LLVMValueRef emit_i64(const Emit *e, int64_t value);
LLVMValueRef emit_i32(const Emit *e, int32_t value);
TirType emit_type_of(const Emit *e, TirValue value);
unsigned emit_tile_bits(const Emit *e, TirType tile); // log2 of the number of elements
bool emit_is_scalar(const Emit *e, TirValue value);   // one element
EmitVal *emit_val(Emit *e, TirValue value);
// Binds a one-element integer or pointer that is made from no float.
void emit_bind_scalar(Emit *e, TirValue value, LLVMValueRef scalar);
// An address (i64, or a vector) as a pointer in registers, and back: of a half of a byte, the byte's address.
LLVMValueRef emit_pointer_from_address(Emit *e, EmitElement pointer, LLVMValueRef address);
LLVMValueRef emit_address_of_pointer(Emit *e, EmitElement pointer, LLVMValueRef value);
// Binds a pointer to memory that begins at the address.
void emit_bind_address(Emit *e, TirValue value, LLVMValueRef address, int origin);
// The value with the marks of an integer made from no float, if integers of the type have marks.
NumericValue emit_unmarked(const Emit *e, EmitElement element, LLVMValueRef integer);
// parts[0] of a one-element integer or pointer; an integer sign- or zero-extended to i64.
LLVMValueRef emit_scalar(Emit *e, TirValue value);
LLVMValueRef emit_scalar_i64(Emit *e, TirValue value, bool is_signed);
LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, const char *name); // in the entry block: mem2reg's business
LLVMBasicBlockRef emit_block(Emit *e, const char *name);
LLVMValueRef emit_pointer_at(Emit *e, LLVMTypeRef element, LLVMValueRef base, LLVMValueRef index); // &base[index]
// `count` neighbours of a vector's lanes; one alone is a scalar, as is one of a scalar.
LLVMValueRef emit_lanes(Emit *e, LLVMValueRef vector, unsigned first, unsigned count);
// Loads and stores with an alignment that is at most 64 and divides `bytes`-sized steps.
LLVMValueRef emit_load(Emit *e, LLVMTypeRef type, LLVMValueRef pointer, unsigned align);
void emit_store(Emit *e, LLVMValueRef value, LLVMValueRef pointer, unsigned align);
// Code that runs only where `condition` (i1) holds. After it `values` are 0 where it did not run.
typedef struct EmitGuard {
    LLVMBasicBlockRef before, join;
} EmitGuard;
EmitGuard emit_guard_open(Emit *e, LLVMValueRef condition);
void emit_guard_close(Emit *e, const EmitGuard *guard, unsigned count, LLVMValueRef *values);
// Fails the block unless `good` (i1): the site gets op, location and `message` (arena-held or NULL). i64 values, NULL =
// 0.
void emit_check(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message, LLVMValueRef address,
                LLVMValueRef found, LLVMValueRef limit);
// The same of a check that stored the fault where it failed: address, found and limit, at a pointer.
void emit_check_told(Emit *e, LLVMValueRef good, HostSiteKind kind, const char *message);
void emit_store_fault(Emit *e, LLVMValueRef fault, const LLVMValueRef *values);
// A counted loop 0 .. count-1 (count i64, at least 1): between open and close the code of the body, `index` i64.
typedef struct EmitCount {
    LLVMBasicBlockRef body;
    LLVMValueRef index, count;
} EmitCount;
EmitCount emit_count_open(Emit *e, LLVMValueRef count);
void emit_count_close(Emit *e, const EmitCount *loop);

// ---- shared_function.c
// ----------------------------------------------------------------------------------------------------------------

// Code that the kernels of a module share, as a function of their LLVM module. True if there is none of that name yet:
// then the builder, and e->kernel, stand in a new one until it is closed. Names begin with "congruent.".
typedef struct EmitShared {
    LLVMValueRef function, caller;
    LLVMBasicBlockRef here;
    LLVMMetadataRef line;
} EmitShared;
bool emit_shared_open(Emit *e, const char *name, LLVMTypeRef type, EmitShared *shared);
void emit_shared_close(Emit *e, const EmitShared *shared);

// ---- entry.c: the function of an entry: its parameters, its launch, and how it ends
// ----------------------------------------------------------------------------------------------------------------

// Code for a GPU: all threads of a block run it, and spread the steps of nests among them.
bool emit_is_gpu(const Emit *e);
void emit_open_kernel(Emit *e, const char *symbol);
// Ends the function, whose code begins with block `first`; sets what the kernel takes of memory and threads.
void emit_close_kernel(Emit *e, LLVMBasicBlockRef first, LoweredKernel *kernel);
// Parameter `index` of the entry, zero-extended to i64.
LLVMValueRef emit_raw_parameter(Emit *e, uint32_t index);
// The range of memory that a parameter may be used to touch: e->argument_ranges.
void emit_parameter_range(Emit *e, uint32_t index);
// Ends the block, which did not fail.
void emit_return(Emit *e);
// Between two rounds of a loop on GPUs: ends threads of a block that has failed, and, where the loop waits for
// others, of any block once some block has.
void emit_gpu_round(Emit *e, bool waits, LLVMBasicBlockRef next_round);
// The end of a range out of `ranges` (ptr): of GPUs, where these are not known, that of all memory.
LLVMValueRef emit_unknown_end(Emit *e, LLVMValueRef ranges, LLVMValueRef end);

// ---- threads.c: the threads of a block on GPUs; on processors there is one, and nothing here makes code
// ----------------------------------------------------------------------------------------------------------------

// Kinds of memory that threads share: tiles in scratch; the buffers of the launch and allocas.
enum { EMIT_TILES = 1, EMIT_BUFFERS = 2 };
enum { EMIT_WARP_BITS = 5 };                                 // log2 of the threads of a warp
enum { EMIT_GENERIC = 0, EMIT_GLOBAL = 1, EMIT_SHARED = 3 }; // address spaces of NVPTX
// Finds how many threads the function's blocks have.
void emit_open_threads(Emit *e);
// What follows reads and writes such memory: first all threads meet where others may have touched it.
void emit_order(Emit *e, unsigned reads, unsigned writes);
// Nobody knows what was touched: at the beginning of a block that code from several places comes to.
void emit_forget_order(Emit *e);
// Code of one thread of the block.
EmitGuard emit_first_thread_open(Emit *e);
// Of the threads below 2^bits, which are not all.
EmitGuard emit_some_threads_open(Emit *e, unsigned bits);
void emit_first_thread_close(Emit *e, const EmitGuard *guard);
// A tile of one element as a scalar, the same for all threads.
EmitVal emit_element_value(Emit *e, EmitElement element, const EmitVal *tile);
// All bytes become that value.
void emit_fill(Emit *e, LLVMValueRef pointer, uint64_t bytes, uint8_t value);
// What the thread whose number differs in the bits of `mask` (1 .. 16) has; on all lanes of a vector. For all threads.
LLVMValueRef emit_exchange(Emit *e, LLVMValueRef value, unsigned mask);

// ---- tile_map.c: index bits
// ----------------------------------------------------------------------------------------------

TileMap map_identity(unsigned bits);
TileMap map_compose(const TileMap *outer, const TileMap *inner); // iteration bit -> outer -> inner
TileMap map_invert(const TileMap *map);                          // of a permutation
bool map_is_identity(const TileMap *map);
bool map_equal(const TileMap *a, const TileMap *b);
// Flat index bits of the result of broadcast / permute -> those of the source.
TileMap map_broadcast(const TirTypeInfo *source, const TirTypeInfo *result);
TileMap map_permute(const TirTypeInfo *source, const TirTypeInfo *result, const int64_t *permutation);
// First flat index bit of dimension d of a tile, and how many bits it has.
unsigned map_dimension_bit(const TirTypeInfo *tile, uint32_t dimension);
unsigned map_log2(int64_t size);

// ---- nest.c: loop nests and evaluation in them
// -----------------------------------------------------------------------------

typedef struct NestLoop {
    uint8_t first, count; // iteration bits
    EmitCount loop;
    LLVMValueRef position; // of this step: the loop's index, or counted from the end
    bool is_threads;       // no loop: threads have the steps
} NestLoop;
typedef struct NestEntry { // a value at a map, evaluated at most once per step
    TirValue value;
    TileMap map;
    const EmitVal *memory; // where the value is, if elsewhere than all others find it; else NULL
    bool uniform, done;    // uniform: evaluated as a scalar
    NumericValue lanes;
} NestEntry;
typedef struct Nest {
    unsigned bits, vector_bits; // vector_bits: set by nest_open (or before, with vector_fixed)
    bool vector_fixed;
    uint64_t breaks; // bit i: no loop spans iteration bits i - 1 and i
    unsigned widest; // bits of the widest register element met
    NestLoop loops[MAP_BITS_MAX];
    unsigned loop_count;
    uint8_t reads, writes; // EMIT_TILES, EMIT_BUFFERS: what its body touches
    bool collective; // on GPUs: all threads come through its body, where they exchange values; it guards its writes
    bool guarded;    // on GPUs: fewer threads than there are do what it writes
    EmitGuard guard;
    NestEntry *entries;
    size_t entry_count, entry_capacity;
} Nest;

void nest_init(Nest *nest, unsigned bits);
// Declares that the body will evaluate `value` at `map`, or touch memory of `element_bits` at `map`. Before nest_open.
void nest_need(Emit *e, Nest *nest, TirValue value, const TileMap *map);
void nest_need_memory(Nest *nest, unsigned element_bits, const TileMap *map);
// Declares that the body reads or writes memory that threads share, beside what it evaluates. One that writes gives no
// value to the code behind it.
void nest_touch(Nest *nest, unsigned reads, unsigned writes);
// Opens the loops over iteration bits vector_bits .. bits-1 (outermost first), chooses vector_bits. nest_loop_bits
// opens one more group of iteration bits inside (for a reduction's axis), nest_close closes all.
void nest_open(Emit *e, Nest *nest, unsigned top_bits);
// log2 of the lanes that suit elements of that width in 2^bits steps.
unsigned nest_lanes_bits(const Emit *e, unsigned element_bits, unsigned bits);
void nest_close(Emit *e, Nest *nest);
void nest_open_bits(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse);
void nest_close_to(Emit *e, Nest *nest, unsigned loop_count);
// The lanes of `value` at this step: vectors of 2^vector_bits lanes, scalars if that is 0.
bool nest_eval(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes);
TileMap nest_operand_map(const Emit *e, const TirOp *op, const TileMap *map); // of operand 0 of a MAP op
// The lanes of a tile (EMIT_MEMORY, or EMIT_SCALAR) that is no value of the function.
void nest_eval_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map,
                    NumericValue *lanes);
// Index of the step's first lane under a map (iteration bits to index bits), i64; and the constant offsets of the
// lanes.
LLVMValueRef nest_index(Emit *e, const Nest *nest, const TileMap *map);
unsigned nest_lane_offset(const Nest *nest, const TileMap *map, unsigned lane);
// Loads or stores the step's lanes of an array of `type` at `base`, under a map to array index bits.
LLVMValueRef nest_load(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map);
void nest_store(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map, LLVMValueRef lanes);

// ---- memory_view.c: loads that are deferred (EmitVal.load)
// ------------------------------------------------------------------------------------------------------------

// As nest_need and nest_eval. False: lanes at this map are no neighbours in memory, so the tile had better be loaded.
bool emit_need_load(Emit *e, Nest *nest, TirValue value, const TileMap *map);
bool emit_eval_load(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes);
// Loads the tile where the code now stands; its value is EMIT_MEMORY then.
bool emit_load_now(Emit *e, TirValue value);

// ---- tile_memory.c: tiles in scratch
// -----------------------------------------------------------------------------------------

// Scratch that is taken between these two is given back by the second.
EmitScratch emit_open_temporary(Emit *e);
void emit_close_temporary(Emit *e, EmitScratch mark);
// 64-byte aligned scratch; freed by setting e->scratch_top back. NULL and E_LIMIT when a block would need more than
// EMIT_SCRATCH_MAX.
LLVMValueRef emit_scratch(Emit *e, size_t bytes);
LLVMValueRef emit_mark_scratch(Emit *e, unsigned bits); // for the marks of 2^bits integers
// A tile of this type in scratch with the given layout (NULL: identity).
bool emit_tile_alloc(Emit *e, TirType tile, const TileMap *layout, EmitVal *tile_out);
bool emit_elements_alloc(Emit *e, EmitElement element, unsigned bits, const TileMap *layout, EmitVal *tile_out);
// Evaluates `value` into `destination` (EMIT_MEMORY); nothing if it is that memory already.
bool emit_materialise_to(Emit *e, TirValue value, const EmitVal *destination);
// `value` as EMIT_MEMORY (EMIT_SCALAR if it has one element); NULL on failure.
EmitVal *emit_materialise(Emit *e, TirValue value);
// `value` as EMIT_REGISTERS of that layout.
bool emit_to_registers(Emit *e, TirValue value, const TileMap *layout, unsigned register_bits, EmitVal *registers);
// Stores the lanes of all parts of a value into a tile in memory: the step's positions under `map` are array indices.
void emit_store_tile(Emit *e, const Nest *nest, EmitElement element, const TileMap *map, const EmitVal *tile,
                     const NumericValue *value);
// Bits of a scalar LLVM number type.
unsigned emit_type_bits(LLVMTypeRef type);
// Evaluates values once, into arrays: index bit i of each array is flat index bit maps[v].to[i] of value v. `combine`
// makes one value of two (NULL: there is only values[0]), `convert` makes of its lanes what is stored.
typedef bool EmitCombine(Emit *e, const void *data, const NumericValue *lanes, NumericValue *result);
typedef struct EmitSource {
    TirValue values[2];
    TileMap maps[2];
    EmitCombine *combine;
    const void *data;     // of combine
    unsigned vector_bits; // of a step's lanes; 0: as many as suit
    const TileMap *order; // the order of evaluation: iteration bits to index bits of the arrays; NULL: theirs
} EmitSource;
// Its result may have other lanes, in the order of the array, if it has as many bytes.
typedef LLVMValueRef EmitConvert(Emit *e, const void *data, const NumericValue *lanes);
typedef struct EmitPacked {
    LLVMTypeRef type; // of an array's elements
    LLVMValueRef base;
    EmitConvert *convert;
    const void *data;
    // Where element i is: i with swizzle_count bits from bit swizzle_to on xored with those from swizzle_from on. A
    // step's lanes then are neighbours.
    uint8_t swizzle_from, swizzle_to, swizzle_count;
} EmitPacked;
bool emit_pack(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count);

// ---- float_bits.c: integers that are the bits of floats, where floats have records
// -----------------------------------------------------------------------------------------------------------------

EmitElement emit_float_element(const Emit *e, FpsanFormat format);
// The float that an integer in memory is the bits of, or a loaded one, for when it becomes one again.
typedef struct EmitFloatOfBits {
    FpsanFormat format;
    EmitVal value; // EMIT_SCALAR or EMIT_MEMORY, as the integer's
} EmitFloatOfBits;
// Whether the integer is known as bits of a float.
bool emit_bits_format(const Emit *e, TirValue integer, FpsanFormat *format);
// The float whose bits it is, in a nest that was declared to need the integer; of any other a value from outside.
bool emit_eval_bits(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format, NumericValue *lanes);
// Keeps that float beside an integer, if it is known, that is about to become memory. False if scratch runs out.
bool emit_keep_float_of_bits(Emit *e, TirValue integer);
// Whether the op makes a float again of what is known as the bits of one.
bool emit_is_float_of_bits(const Emit *e, const TirOp *op, FpsanFormat *format);

// ---- plan.c: which values are lazy, and who reads what last
// -----------------------------------------------------------------

bool plan_function(Emit *e);                                  // sets e->plan
bool plan_is_lazy(const Emit *e, const TirOp *op);            // its result need not become memory at its definition
const TirOp *plan_single_user(const Emit *e, TirValue value); // the only op that uses it, or NULL
// The number of the last op at which `value` may still be read, deferred evaluation included.
uint32_t plan_last_read(const Emit *e, TirValue value);
// Whether the integer becomes a float of its width again by a bitcast, maybe in another shape: a type for it.
bool plan_float_of_bits(const Emit *e, TirValue integer, TirType *type);
// Whether evaluating `value` now reads the memory of `tile`; *in_place: only element i of it for element i.
bool plan_reads_memory(const Emit *e, TirValue value, const EmitVal *tile, bool *in_place);

// ---- global.c
// ---------------------------------------------------------------------------------------------------------------------

#define EMIT_GLOBAL_NAME "congruent.global.%u" // of own data, by number in the module
// Finds out where the module's globals are; at the beginning of an entry that uses some.
bool emit_place_globals(Emit *e);

// ---- local.c
// ---------------------------------------------------------------------------------------------------------------------

// Finds places for the function's `count` alloca ops, at least one; at the beginning of its code.
bool emit_place_locals(Emit *e, uint32_t count);
// Whether the origin is an alloca; the addresses [begin, end) of all of them; the widths of the records that there may
// be in one, or in all (-1).
bool emit_is_local(const Emit *e, int origin);
LLVMValueRef emit_local_range(Emit *e, unsigned end);
uint32_t emit_local_widths(const Emit *e, int origin);

// ---- unspecified.c: values that nobody specified
// ----------------------------------------------------------------

// Whether they are other than plain zeros.
bool emit_has_unspecified(const Emit *e);
// Such a value, in `lanes` lanes (0: a scalar); `what` is CompiledStore.unspecified.
NumericValue emit_unspecified(Emit *e, EmitElement element, unsigned lanes, const char *what);
// Each byte of memory that is unspecified, of elements of that type.
uint8_t emit_unspecified_byte(const Emit *e, TirTypeKind kind);
// `value`, and such a value in the lanes where `mask` (i1, or a vector of them; NULL: everywhere) does not hold.
NumericValue emit_specified_where(Emit *e, EmitElement element, LLVMValueRef mask, const NumericValue *value,
                                  const char *what);
// Tells the launch where a lane of `mask` (i1, or a vector of them; NULL: all) whose marks say that it is unspecified
// decides what the op being lowered does; `what` as above. `marks` NULL: nothing is unspecified.
void emit_note_use(Emit *e, LLVMValueRef marks, LLVMValueRef mask, const char *what);
// The number (i32) by which values know that the op being lowered has made them: tower_origin. `what` and `passed_on`
// are CompiledStore's.
LLVMValueRef emit_origin(Emit *e, const char *what, bool passed_on);

// ---- ops: lowering.def names for each op its class and function
// ----------------------------------------------------------------

// Element-wise ops: operands and result are lanes or scalars.
typedef bool EmitElementOp(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
// All others.
typedef bool EmitOp(Emit *e, const TirOp *op);
typedef enum EmitClass {
    EMIT_CLASS_NONE,    // no lowering: refused by name
    EMIT_CLASS_ELEMENT, // element by element, no side effect
    EMIT_CLASS_MAP,     // moves elements: evaluated lazily through an index map
    EMIT_CLASS_OP,      // code where it stands
} EmitClass;
typedef struct EmitRow {
    EmitClass class;
    EmitElementOp *element;
    EmitOp *op;
} EmitRow;
const EmitRow *emit_row(TirOpKind kind);
bool emit_region(Emit *e, const TirRegion *region);
bool emit_ops(Emit *e, const TirBlock *block);
bool emit_op(Emit *e, const TirOp *op); // of e->block
// Begins to count the rounds of loops, if they are limited.
void emit_start_rounds(Emit *e);
// The carried tile of the enclosing loop that the op's result may be written into at once, or NULL (control.c).
const EmitVal *emit_carried_destination(Emit *e, const TirOp *op);
// The body of a reduce or scan on lanes: arguments -> yielded values (combine.c).
bool emit_combine(Emit *e, const TirRegion *region, const NumericValue *arguments, NumericValue *results);
// Whether such a body gives the same if the two values that it combines change places. False is always safe.
bool emit_commutes(const Emit *e, const TirRegion *region);
// Whether all ops of such a body are element-wise, on one element: then nothing in it can fail.
bool emit_is_lanewise(const Emit *e, const TirRegion *region);
// The value of a constant op: splat (or one element) as scalars; false if its elements differ.
bool emit_constant_splat(Emit *e, const TirOp *op, NumericValue *value);
// Address range (i64) that a pointer of this origin may touch; asserts origin >= 0.
void emit_origin_range(Emit *e, int origin, LLVMValueRef *begin, LLVMValueRef *end);
int emit_pointer_origin(Emit *e, TirValue pointer);
// How many ops of the kind are in the region and inside its ops.
uint32_t emit_count_ops(const TirRegion *region, TirOpKind kind);
// Fields of the launch: one that never changes; grid dimension 0..2 (i32).
LLVMValueRef emit_launch_field(Emit *e, size_t offset, LLVMTypeRef type);
LLVMValueRef emit_grid(Emit *e, unsigned axis);
// The float that a bitcast of a bitcast gives back: bits alone would lose its payload. TIR_NO_VALUE if the op is no
// such one, or the integer between is a tile in memory.
TirValue emit_restored(const Emit *e, const TirOp *op);
// Of a select.
void emit_select_float(Emit *e, const NumericValue *condition, const NumericValue *a, const NumericValue *b,
                       NumericValue *result);
// What is said about an op on floats (float_op.c). False, with a diagnostic, where an attribute is not known.
bool emit_float_op(Emit *e, const TirOp *op, FloatOp *f);
// The integer with what its marks say it would be if close calls had fallen otherwise; NULL unless code asks for that
// (NumericContext.flips).
LLVMValueRef emit_flipped(const Emit *e, const NumericValue *integer);
// The result of an element-wise op, marks included.
bool emit_call_element(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);

#define ELEMENT(name, function)                                                                                        \
    bool function(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
#define MAP(name)
#define CODE(name, function) bool function(Emit *e, const TirOp *op);
#define NO_CODE(name)
#include "compiler/lower/lowering.def"
#undef ELEMENT
#undef MAP
#undef CODE
#undef NO_CODE

#endif
