// SPDX-License-Identifier: Apache-2.0
// Compiling a Tile IR module: options, text and object output, kernels in memory. No LLVM type appears here; the LLVM
// half is a shared library that compiler_open opens, so that a program that only reads files starts without it.
#ifndef CONGRUENT_COMPILER_H
#define CONGRUENT_COMPILER_H

#include "base/base.h"
#include "base/gpu_abi.h"
#include "base/host_abi.h"
#include "base/simt_abi.h"
#include "compiler/tileir/tir.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

// IEEE arithmetic; the payload algebra in place of it; IEEE arithmetic with the payloads of the tower beside it.
typedef enum CompileNumeric { COMPILE_IEEE, COMPILE_PAYLOAD, COMPILE_SHADOW } CompileNumeric;

// Seconds of processor time of the calling thread.
typedef struct CompileTimes {
    double lower;    // the module as LLVM IR
    double optimize; // LLVM's passes
    double generate; // machine code, or whatever is emitted
    double assemble; // of a cubin: ptxas, by the clock
    double link;     // of compiler_load
} CompileTimes;

// What a kernel takes of a GPU, as ptxas reports it.
typedef struct CompileKernelResources {
    const char *kernel;
    unsigned registers; // of 32 bits, of a thread
    unsigned stack_bytes, spill_store_bytes, spill_load_bytes;
    unsigned shared_bytes; // beyond the dynamic ones
    unsigned barriers;
} CompileKernelResources;

// Zero-initialised is valid; resetting the arena frees it.
typedef struct CompileResources {
    Arena arena;
    CompileKernelResources *kernels;
    size_t count;
} CompileResources;

// What stands in the place of values that nobody specified: zeros; NaN, and in types that have none a fixed pattern;
// bits that look random.
typedef enum CompileUnspecified { COMPILE_ZEROS, COMPILE_NAN, COMPILE_RANDOM } CompileUnspecified;

typedef struct CompileOptions {
    CompileNumeric numeric;
    FpsanInstrumentation instrumentation; // of COMPILE_PAYLOAD
    unsigned chain;                       // of COMPILE_SHADOW: which tower, 0 .. TOWER_COUNT - 1
    const TowerMeaning *meanings;         // of COMPILE_SHADOW: what constants stand for, in that chain; borrowed
    uint32_t meaning_count;
    unsigned flips;     // of COMPILE_SHADOW: 0, or which close calls give the payload of the other choice (numeric.h)
    TowerMasks masks;   // of COMPILE_SHADOW
    const char *cpu;    // LLVM name of the host processor to compile for; NULL: this machine's
    const char *gpu;    // "sm_90": the GPU to compile for; NULL: a processor
    bool simt;          // of compiler_load: the code for `gpu` is run by this processor, thread by thread
    const char *save;   // path of a file that the PTX of a cubin is written to; NULL: it is not kept
    unsigned optimize;  // 0..3
    uint64_t rounds;    // how often all loops of a block together may go round before it fails; 0: any number
    bool line_info;     // keep source lines as debug information in the output
    bool debugger;      // of GPUs, with line_info: as a debugger wants them
    bool check_assume;  // assumptions that do not hold fail the block; else nobody looks
    bool outside_tiles; // tiles outside the index space of their view are padding, or not stored; else fail the block
    CompileUnspecified unspecified;
    bool poison;                 // of COMPILE_SHADOW: unspecified values say so in their payloads (tower_poison)
    bool origins;                // with poison: integers say who made what is unspecified in them, at a cost
    bool races;                  // of processors: kernels tell what they access (HostLaunch.races); else they do not
    CompileTimes *times;         // set by a compilation that succeeds, if not NULL; then of one thread only
    CompileResources *resources; // of a cubin: gets its kernels, if not NULL; then of one thread only
} CompileOptions;

// For GPUs COMPILE_ASM is PTX and COMPILE_OBJECT a cubin.
typedef enum CompileOutput { COMPILE_LLVM, COMPILE_ASM, COMPILE_OBJECT } CompileOutput;

typedef enum CompiledParameterKind { COMPILED_POINTER, COMPILED_INTEGER, COMPILED_FLOAT } CompiledParameterKind;
typedef struct CompiledParameter {
    CompiledParameterKind kind;
    ElementType type; // of the number, or of the pointee
} CompiledParameter;

typedef struct CompiledSite {
    HostSiteKind kind;
    const char *op;      // mnemonic
    const char *message; // of an assertion; what the access is otherwise ("load of tile (1x64x64)"), or NULL
    Location at;
} CompiledSite;

// An op that stores floats, or one that makes values that nobody specified.
typedef struct CompiledStore {
    const char *op; // mnemonic
    Location at;
    const char *unspecified; // NULL: a store. Else what is unspecified: "elements outside the tensor, .."
    bool passed_on;          // but it was made elsewhere: the op passes it on, or depends on it
} CompiledStore;

// An op that tells what it accesses (HostAccess.op).
typedef struct CompiledAccess {
    const char *op; // mnemonic
    Location at;
    uint32_t kind; // HOST_ACCESS_*
} CompiledAccess;

// An op that touches memory or waits for others.
typedef struct CompiledPlace {
    const char *op; // mnemonic
    Location at;
} CompiledPlace;

// A kernel ready to be called. Owned by the CompiledModule it came from.
typedef struct CompiledKernel {
    const char *name;
    HostEntry *entry;    // NULL for GPUs
    uint32_t threads;    // for GPUs: of a block
    size_t shared_bytes; // for GPUs: dynamic shared memory of a block
    SimtEntry *simt;     // with `simt`: one thread
    size_t scratch_bytes;
    uint32_t parameter_count;
    const CompiledParameter *parameters;
    uint32_t global_count; // of the module, if the kernel uses any, else 0: the launch says where they are
    uint32_t site_count;
    const CompiledSite *sites;
    bool sequential;              // blocks must run on one thread, in order (float atomics in an IEEE mode)
    bool has_locals;              // alloca: of COMPILE_SHADOW the scratch must be memory that may have records
    bool prints;                  // some of its ops print
    const HostPrint *print_forms; // for GPUs: of its prints, by the numbers that records give (GpuPrintRecord); their
    uint32_t print_form_count;    // values have no elements
    // Of COMPILE_SHADOW: the ops that store floats, by the number that records give (HostRecord.store), among them
    // those that make unspecified values, by the origin of those less 1 (tower_origin); and the widths of what they
    // store, as RtKernel has them (NULL in other numerics).
    uint32_t store_count;
    const CompiledStore *stores;
    const uint32_t *stored_widths;
    uint32_t stored_widths_unknown;
    // With `races`: the ops that tell what they access; for each parameter and global whether some of them may store
    // through it (NULL: the kernel was compiled without), and through pointers of unknown origin; whether what a block
    // does may depend on others that run at the same time (it looks at what they do with atomics), and whether it may
    // wait for them in a loop.
    uint32_t access_count;
    const CompiledAccess *accesses;
    const uint8_t *stores_through;
    bool stores_unknown, looks, waits;
} CompiledKernel;

typedef struct CompiledModule {
    uint32_t kernel_count;
    const CompiledKernel *kernels; // one per entry, in module order
    const void *image;             // for GPUs: the cubin; NULL with `simt`
    size_t image_size;
    // With `simt`: the module's variable GPU_LAUNCH_NAME, the pointer it reads the emulator's functions from, and the
    // ops that these are told of.
    GpuLaunch *launch;
    const SimtOps **simt_ops;
    uint32_t place_count;
    const CompiledPlace *places;
} CompiledModule;

typedef struct Compiler Compiler;

// Opens the LLVM half; NULL and E_BACKEND if it cannot be opened. compiler_close(NULL) is fine.
Compiler *compiler_open(Diagnostics *diagnostics);
void compiler_close(Compiler *compiler);
// "22.1.8", the LLVM in use; and the name of this machine's processor as LLVM spells it.
const char *compiler_llvm_version(const Compiler *compiler);
const char *compiler_host_cpu(const Compiler *compiler);
// Appends what tells apart the files that code for GPUs is made by and from: for keys of caches.
void compiler_toolchain(const Compiler *compiler, Buffer *out);

// Compiles a verified module to text or an object file (appended to *out). False and diagnostics (E_UNSUPPORTED,
// E_LLVM, E_LIMIT).
bool compiler_emit(Compiler *compiler, Diagnostics *diagnostics, const TirModule *module, const CompileOptions *options,
                   CompileOutput output, Buffer *out);
// Compiles a verified module into memory. NULL and diagnostics on failure, E_TARGET if options->cpu has what this
// machine's processor lacks. Threads may load different modules at the
// same time.
CompiledModule *compiler_load(Compiler *compiler, Diagnostics *diagnostics, const TirModule *module,
                              const CompileOptions *options);
void compiled_module_close(Compiler *compiler, CompiledModule *module);

// A line for each file whose change changes what is compiled (the LLVM half, ptxas, libdevice): its path, size and time
// of change. None of them is opened.
void compiler_print_tools(Buffer *out);

// ---- toolkit.c: CUDA's files, found by looking at folders
// ----------------------------------------------------------------------

typedef enum ToolkitFileId { TOOLKIT_PTXAS, TOOLKIT_LIBDEVICE } ToolkitFileId;
// The path of the first found, in CUDA_HOME, CUDA_PATH, PATH, the folders of the system, the packages of VIRTUAL_ENV
// and of the python3 on PATH; NULL if it is nowhere. toolkit_search: `system`: those folders, NULL at their end.
char *toolkit_find(Arena *arena, ToolkitFileId id);
char *toolkit_search(Arena *arena, ToolkitFileId id, const char *const *system);

// ---- the LLVM half (compiler/backend.c exports one symbol, congruent_backend)
// -----------------------------------------------

typedef struct CompilerBackend {
    uint32_t abi; // COMPILER_BACKEND_ABI
    const char *(*llvm_version)(void);
    const char *(*host_cpu)(void);
    void (*toolchain)(Buffer *);
    bool (*emit)(Diagnostics *, const TirModule *, const CompileOptions *, CompileOutput, Buffer *);
    CompiledModule *(*load)(Diagnostics *, const TirModule *, const CompileOptions *);
    void (*unload)(CompiledModule *);
} CompilerBackend;
enum { COMPILER_BACKEND_ABI = 8 };

#endif
