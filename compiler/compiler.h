// SPDX-License-Identifier: Apache-2.0
// The compiler: from a Program to text, object files, or kernels in memory. No LLVM type appears here: all that needs
// LLVM is in the backend, a shared library that compiler_open opens.
#ifndef CONGRUENT_COMPILER_H
#define CONGRUENT_COMPILER_H

#include "base/base.h"
#include "base/kernel_info.h"
#include "compiler/math/math_settings.h"
#include "compiler/program.h"
#include "sanitizer/fpsan.h"
#include "sanitizer/tower.h"

// The numeric: `ieee` (IEEE arithmetic), `payload` (the ring in place of floats), `shadow` (IEEE arithmetic with
// payloads of the tower beside it).
typedef enum CompileNumeric {
    COMPILE_IEEE,
    COMPILE_PAYLOAD,
    COMPILE_SHADOW,
    COMPILE_WIDE,
    COMPILE_WIDER
} CompileNumeric;

// Seconds that the steps of a compilation took: processor time of the calling thread.
typedef struct CompileTimes {
    double lower;    // to LLVM IR
    double optimize; // LLVM's passes
    double generate; // machine code, or other output
    double assemble; // of cubins: ptxas, in seconds of the clock
    double link;     // of compiler_load: making the code callable
} CompileTimes;

// What a kernel takes of a GPU, as ptxas reports it.
typedef struct CompileKernelResources {
    const char *kernel;
    unsigned registers;                                        // of 32 bits, of a thread
    unsigned stack_bytes, spill_store_bytes, spill_load_bytes; // of a thread
    unsigned shared_bytes;                                     // static ones, of a block
    unsigned barriers;                                         // of a block
} CompileKernelResources;

// Starts as zeros. arena_reset(&arena) frees it.
typedef struct CompileResources {
    Arena arena;
    CompileKernelResources *kernels;
    size_t count;
} CompileResources;

// What unspecified values are: zeros; NaN, and a fixed pattern in types without NaN; bits that look random; the largest
// and the smallest numbers (compiler/extremes.h).
typedef enum CompileUnspecified {
    COMPILE_ZEROS,
    COMPILE_NAN,
    COMPILE_RANDOM,
    COMPILE_LARGEST,
    COMPILE_SMALLEST
} CompileUnspecified;

// Which kernels of a program.
typedef struct CompileKernels {
    const bool *chosen; // in the order of Program.kernels
    uint32_t count;
} CompileKernels;

// What if: the infinities and NaN that the op at that place makes of finite operands are 1 instead.
typedef struct CompileReplaced {
    const char *kernel, *op; // mnemonic
    Location at;
} CompileReplaced;

typedef struct CompileOptions {
#define OPTION(type, field, identity) type field;
#include "compiler/compile_options.def"
#undef OPTION
} CompileOptions;

// ---- compile_options.c: what tells compilations apart ---------------------------------------------------------------

// Appends bytes that are equal for two sets of options only if both make the same code of a program: for the keys of
// all caches of code. What options point to counts by its contents.
void compile_options_identity(const CompileOptions *options, Buffer *out);

// ---- check_math.c: settings that programs can follow ----------------------------------------------------------------

// Whether each scope of the settings is for some op of one of the programs, and bounds are of ops that have one. False
// and one diagnostic with this place and code. Needs no Compiler.
bool compiler_check_math(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings,
                         uint32_t count, const Program *const *programs);
// Whether the settings make a product and a sum of each fma of the kernel although they do not say so: cuTile exported
// it, and the mode is strict or precise. Needs no Compiler.
bool compiler_splits_kernel(const Program *program, const char *kernel, const MathSettings *settings);

// ---- open_backend.c: the compiler -----------------------------------------------------------------------------------

// For GPUs COMPILE_ASM is PTX and COMPILE_OBJECT a cubin.
typedef enum CompileOutput { COMPILE_LLVM, COMPILE_ASM, COMPILE_OBJECT } CompileOutput;

// Kernels ready to be launched. All that they point to lives in the module: the Program may be closed before they run.
typedef struct CompiledModule {
    uint32_t kernel_count;
    const KernelInfo *kernels; // in the order of Program.kernels; see CompileOptions.kernels
} CompiledModule;

typedef struct Compiler Compiler;

// Opens the backend; NULL and E_BACKEND if it cannot be opened. compiler_close(NULL) is fine.
Compiler *compiler_open(Diagnostics *diagnostics);
// Opens the backend on a thread of its own, so that compiler_open need not wait for all of that. Whoever has called it
// calls compiler_settle before the process forks or ends; it waits for the thread.
void compiler_prepare(void);
void compiler_settle(void);
void compiler_close(Compiler *compiler);
// The version of LLVM ("22.1.8"), and this machine's processor as LLVM spells it. Both live as long as the compiler.
const char *compiler_llvm_version(const Compiler *compiler);
const char *compiler_host_cpu(const Compiler *compiler);
// For keys of caches on disk: appends what code depends on beside program and options. Path, size and time of change of
// the backend and LLVM; for GPUs of ptxas and libdevice too, else this machine's processor with its features.
void compiler_toolchain(const Compiler *compiler, bool for_gpu, Buffer *out);

// Compiles a program and appends the output to *out. False and diagnostics on failure: E_UNSUPPORTED, E_LLVM, E_LIMIT,
// E_TARGET for an unknown processor or GPU, E_BACKEND if ptxas or libdevice is missing or too old.
bool compiler_emit(Compiler *compiler, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                   CompileOutput output, Buffer *out);
// Compiles a program into memory. NULL and diagnostics on failure, as above; E_TARGET also if this machine's processor
// cannot run code for options->cpu. Threads may load different programs at the same time.
CompiledModule *compiler_load(Compiler *compiler, Diagnostics *diagnostics, const Program *program,
                              const CompileOptions *options);
void compiled_module_close(Compiler *compiler, CompiledModule *module);
// compiler_load in two steps, for caches: compiler_make appends what compiler_load_made loads, in this or another
// process of the same build on a machine with the same processor. The first is for code that this machine runs: no
// cubins. Of the second E_BACKEND: the bytes are damaged; E_LLVM: a function that they call is not here.
bool compiler_make(Compiler *compiler, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                   Buffer *out);
CompiledModule *compiler_load_made(Compiler *compiler, Diagnostics *diagnostics, const void *bytes, size_t size);

// For `tileiras --version`, which people read and caches of other programs compare: appends a line with name, path,
// size and time of change for the backend, ptxas and libdevice. Opens none of them, so it needs no Compiler.
void compiler_print_tools(Buffer *out);

// ---- toolkit.c: CUDA's files, found by looking at folders -----------------------------------------------------------

typedef enum ToolkitFileId { TOOLKIT_PTXAS, TOOLKIT_LIBDEVICE } ToolkitFileId;
// The path of a file, in the arena: the first that is found in CUDA_HOME, CUDA_PATH, beside a ptxas on PATH, in the
// system's folders, in the packages of VIRTUAL_ENV and of the python3 on PATH. NULL if there is none.
char *toolkit_find(Arena *arena, ToolkitFileId id);
// The same, with these folders (NULL at their end) for the system's: for tests.
char *toolkit_search(Arena *arena, ToolkitFileId id, const char *const *system);

// ---- backend.c: the backend, which exports one symbol, congruent_backend --------------------------------------------

// Its functions are those of the same names above.
typedef struct CompilerBackend {
    uint32_t interface;    // COMPILER_BACKEND_INTERFACE of backend_interface.h, which the build makes
    void (*prepare)(void); // makes what most calls need
    const char *(*llvm_version)(void);
    const char *(*host_cpu)(void);
    void (*toolchain)(bool, Buffer *);
    bool (*emit)(Diagnostics *, const Program *, const CompileOptions *, CompileOutput, Buffer *);
    CompiledModule *(*load)(Diagnostics *, const Program *, const CompileOptions *);
    bool (*make)(Diagnostics *, const Program *, const CompileOptions *, Buffer *);
    CompiledModule *(*load_made)(Diagnostics *, const uint8_t *, size_t);
    void (*unload)(CompiledModule *);
} CompilerBackend;

#endif
