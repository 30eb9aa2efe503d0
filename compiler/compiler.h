// SPDX-License-Identifier: Apache-2.0
// Compiling a Tile IR module: options, text and object output, kernels in memory. No LLVM type appears here; the LLVM
// half is a shared library that compiler_open opens, so that a program that only reads files starts without it.
#ifndef CONGRUENT_COMPILER_H
#define CONGRUENT_COMPILER_H

#include "base/base.h"
#include "base/kernel_info.h"
#include "compiler/program.h"
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
#define OPTION(type, field, identity) type field;
#include "compiler/compile_options.def"
#undef OPTION
} CompileOptions;

// ---- compile_options.c: what tells compilations apart ---------------------------------------------------------------

// Appends bytes that differ where the options make other code of a program, and are the same for the same options. All
// caches of compiled code ask this.
void compile_options_identity(const CompileOptions *options, Buffer *out);

// ---- open_backend.c: the compiler -----------------------------------------------------------------------------------

// For GPUs COMPILE_ASM is PTX and COMPILE_OBJECT a cubin.
typedef enum CompileOutput { COMPILE_LLVM, COMPILE_ASM, COMPILE_OBJECT } CompileOutput;

// Kernels ready to be launched. All that they point to lives in the module: the Program may be closed before they run.
typedef struct CompiledModule {
    uint32_t kernel_count;
    const KernelInfo *kernels; // one per entry, in module order
} CompiledModule;

typedef struct Compiler Compiler;

// Opens the LLVM half; NULL and E_BACKEND if it cannot be opened. compiler_close(NULL) is fine.
Compiler *compiler_open(Diagnostics *diagnostics);
void compiler_close(Compiler *compiler);
// "22.1.8", the LLVM in use; and the name of this machine's processor as LLVM spells it.
const char *compiler_llvm_version(const Compiler *compiler);
const char *compiler_host_cpu(const Compiler *compiler);
// Appends what identifies the files that code for GPUs is made by and from, by their contents: for keys of caches.
void compiler_toolchain(const Compiler *compiler, Buffer *out);

// Compiles a program to text or an object file (appended to *out). False and diagnostics: E_UNSUPPORTED, E_LLVM,
// E_LIMIT; E_BACKEND where ptxas or libdevice is missing.
bool compiler_emit(Compiler *compiler, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                   CompileOutput output, Buffer *out);
// Compiles a program into memory. NULL and diagnostics on failure, E_TARGET if options->cpu has what this machine's
// processor lacks. Threads may load different programs at the same time.
CompiledModule *compiler_load(Compiler *compiler, Diagnostics *diagnostics, const Program *program,
                              const CompileOptions *options);
void compiled_module_close(Compiler *compiler, CompiledModule *module);

// For people, and for caches of others that ask `tileiras --version`: a line for each file whose change changes what is
// compiled (the LLVM half, ptxas, libdevice), its path, size and time of change. None of them is opened.
void compiler_print_tools(Buffer *out);

// ---- toolkit.c: CUDA's files, found by looking at folders -----------------------------------------------------------

typedef enum ToolkitFileId { TOOLKIT_PTXAS, TOOLKIT_LIBDEVICE } ToolkitFileId;
// The path of the first found, in CUDA_HOME, CUDA_PATH, PATH, the folders of the system, the packages of VIRTUAL_ENV
// and of the python3 on PATH; NULL if it is nowhere. toolkit_search: `system`: those folders, NULL at their end.
char *toolkit_find(Arena *arena, ToolkitFileId id);
char *toolkit_search(Arena *arena, ToolkitFileId id, const char *const *system);

// ---- backend.c: the LLVM half, which exports one symbol, congruent_backend ------------------------------------------

typedef struct CompilerBackend {
    uint32_t abi; // COMPILER_BACKEND_ABI
    const char *(*llvm_version)(void);
    const char *(*host_cpu)(void);
    void (*toolchain)(Buffer *);
    bool (*emit)(Diagnostics *, const Program *, const CompileOptions *, CompileOutput, Buffer *);
    CompiledModule *(*load)(Diagnostics *, const Program *, const CompileOptions *);
    void (*unload)(CompiledModule *);
} CompilerBackend;
enum { COMPILER_BACKEND_ABI = 9 };

#endif
