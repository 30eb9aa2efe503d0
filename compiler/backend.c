// SPDX-License-Identifier: Apache-2.0
// The LLVM half of the compiler: lowering, passes, output, loading. A shared module that exports congruent_backend and
// nothing else.
#include "backend_interface.h"
#include "compiler/code_image.h"
#include "compiler/lower/lower.h"
#include "compiler/rewrite/rewrite.h"
#include "compiler/target/target.h"
#include "compiler/warp/lower_threads.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// ---- one compilation ------------------------------------------------------------------------------------------------

typedef struct Build {
    Arena arena; // of the kernels' descriptions
    Target *target;
    LLVMContextRef context;
    LLVMModuleRef module;
    LoweredModule lowered;
    ProgramForm form;
    bool counts;          // CompileOptions.census, in line
    TirModule *rewritten; // what is lowered in place of the program's module; NULL: that one is
    CompileTimes times;
    double since; // when the phase began
} Build;

static void end_phase(Build *build, double *seconds) {
    double now = clock_thread_seconds();
    *seconds = now - build->since;
    build->since = now;
}

static void build_close(Build *build) {
    if (build->module) LLVMDisposeModule(build->module);
    if (build->context) LLVMContextDispose(build->context);
    target_close(build->target);
    tir_module_close(build->rewritten);
    arena_reset(&build->arena);
    llvm_now(NULL, (Location){0});
    *build = (Build){0};
}

// Passes and code generators take time that grows with the square of a function's size, and recurse along chains of
// instructions in a block. Beyond these sizes (kernels people write have some thousand instructions) level 0 is used,
// whose time grows with the size.
enum { INSTRUCTIONS_MAX = 40000, BLOCK_INSTRUCTIONS_MAX = 5000 };

static bool is_large(LLVMModuleRef module) {
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
        unsigned total = 0;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
            unsigned count = 0;
            for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) count++;
            total += count;
            if (count > BLOCK_INSTRUCTIONS_MAX || total > INSTRUCTIONS_MAX) return true;
        }
    }
    return false;
}

// Kernels of PTX are long, run once, and spend their time in the checks of the emulator: better code takes three times
// as long to make and saves nothing.
static Target *open_target(Diagnostics *diagnostics, const CompileOptions *options, ProgramForm form, unsigned level) {
    if (form == PROGRAM_PTX) return target_open(diagnostics, options->cpu, 0);
    return options->gpu ? target_open_gpu(diagnostics, options->gpu, level)
                        : target_open(diagnostics, options->cpu, level);
}

static bool choose_level(Build *build, Diagnostics *diagnostics, const CompileOptions *options) {
    if (!target_level(build->target) || !is_large(build->module)) return true;
    target_close(build->target);
    build->target = open_target(diagnostics, options, build->form, 0);
    return build->target;
}

static bool check_options(Diagnostics *diagnostics, const CompileOptions *options, ProgramForm form) {
    if (!options->gpu || form == PROGRAM_PTX) return true;
    if (options->numeric == COMPILE_WIDE || options->numeric == COMPILE_WIDER)
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED, "mode wide is for the host, not for %s",
                         options->gpu);
    if (options->numeric == COMPILE_SHADOW)
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "profile tower is for the host; %s computes profile triton-3.9", options->gpu);
    return true;
}

// Tiles as the settings for floats want them.
static bool rewrite_tiles(Build *build, Diagnostics *diagnostics, const CompileOptions *options, Program *program) {
    static const MathSettings nothing;
    const RewriteRequest request = {.settings = options->math ? options->math : &nothing,
                                    .payloads = options->numeric == COMPILE_PAYLOAD ? REWRITE_FOR_RING : REWRITE_ALL,
                                    .gpu = options->gpu,
                                    .choose = true,
                                    .report = options->math_report};
    if (!rewrite_module(diagnostics, program->tiles, &request, &build->rewritten)) return false;
    if (options->numeric == COMPILE_PAYLOAD && rewrite_has_splits(program->tiles)) {
        if (!build->rewritten) build->rewritten = tir_module_copy(program->tiles);
        rewrite_split_products(build->rewritten);
    }
    if (build->rewritten) program->tiles = build->rewritten;
    return true;
}

// PTX says itself how each instruction rounds.
static bool rewrite_nothing(Build *build, Diagnostics *diagnostics, const CompileOptions *options, Program *program) {
    (void)build, (void)diagnostics, (void)options, (void)program;
    return true;
}

// What is done with each form of programs: the settings for floats are applied to the program, which is a copy; then it
// is lowered.
static const struct FormRow {
    bool (*rewrite)(Build *build, Diagnostics *diagnostics, const CompileOptions *options, Program *program);
    bool (*lower)(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered);
} form_rows[] = {
    [PROGRAM_TILES] = {rewrite_tiles, lower_module},
    [PROGRAM_PTX] = {rewrite_nothing, lower_threads},
};
_Static_assert(BASE_COUNT(form_rows) == PROGRAM_FORM_COUNT, "a row for each form");

// Lowers the program. build_close is due in any case.
static bool build_open(Build *build, Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                       bool own_globals) {
    build->since = clock_thread_seconds();
    build->form = program->form;
    build->counts = options->census && options->numeric == COMPILE_IEEE;
    build->target = open_target(diagnostics, options, build->form, options->optimize);
    if (!build->target) return false;
    if (!check_options(diagnostics, options, build->form)) return false;
    if (!own_globals && !options->cpu) target_run_here(build->target);
    build->context = LLVMContextCreate();
    build->module = LLVMModuleCreateWithNameInContext("kernels", build->context);
    target_prepare(build->target, diagnostics, build->module);
    llvm_now("lowering", (Location){.file = program->path});
    const struct FormRow *form = &form_rows[program->form];
    Program rewritten = *program;
    const LowerRequest request = {.program = &rewritten,
                                  .options = options,
                                  .machine = target_machine(build->target),
                                  .own_globals = own_globals,
                                  .llvm = build->module};
    bool good = form->rewrite(build, diagnostics, options, &rewritten) &&
                form->lower(diagnostics, &build->arena, &request, &build->lowered) &&
                choose_level(build, diagnostics, options);
    end_phase(build, &build->times.lower);
    return good;
}

static bool build_optimize(Build *build, Diagnostics *diagnostics, const Program *program) {
    llvm_now("the passes", (Location){.file = program->path});
    bool good = target_optimize(build->target, diagnostics, build->module) &&
                (!build->counts || target_take_counts_out(build->target, diagnostics, build->module));
    double seconds;
    end_phase(build, &seconds);
    build->times.optimize += seconds;
    llvm_now("code generation", (Location){.file = program->path});
    return good;
}

// ---- objects: what else an object exports (docs/host-abi.md) --------------------------------------------------------

// A constant called KERNEL_suffix, of a GPU in its global memory.
static bool add_constant(Build *build, Diagnostics *diagnostics, const char *kernel, const char *suffix,
                         LLVMValueRef value) {
    const char *name = arena_format(&build->arena, "%s_%s", kernel, suffix);
    if (LLVMGetNamedFunction(build->module, name) || LLVMGetNamedGlobal(build->module, name))
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED, "two things of the object would be called '%s'",
                         name);
    LLVMValueRef global =
        LLVMAddGlobalInAddressSpace(build->module, LLVMTypeOf(value), name, target_gpu(build->target) ? 1 : 0);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 8);
    return true;
}

// Text of the input; tabs and ends of lines are ours.
static void print_field(const char *text, Buffer *out) {
    for (; text && *text; text++) {
        bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
        buffer_append(out, control ? "?" : text, 1);
    }
}

// One line per site: kind, op, place and message, separated by tabs.
static void print_sites(const KernelInfo *kernel, Buffer *out) {
    buffer_print(out, "%s", "");
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const KernelSite *site = &kernel->sites[i];
        buffer_print(out, "%s\t%s\t", kernel_site_kind(site->kind), site->op);
        print_field(site->at.file, out);
        if (site->at.line) buffer_print(out, ":%u", site->at.line);
        if (site->at.line && site->at.column) buffer_print(out, ":%u", site->at.column);
        if (!site->at.line && site->at.has_offset) buffer_print(out, "+0x%llx", (unsigned long long)site->at.offset);
        buffer_append(out, "\t", 1);
        print_field(site->message, out);
        buffer_append(out, "\n", 1);
    }
}

static void append_word(Buffer *out, uint64_t word) {
    buffer_append(out, &word, sizeof word); // little-endian, as GPUs are and all that we run on
}

// The forms of prints as words of 64 bits: length of the format, number of values, the format with zeros up to the next
// word; of each value kind, bits, rank and shape.
static void append_print(const HostPrint *form, Buffer *out) {
    append_word(out, form->length);
    append_word(out, form->value_count);
    buffer_append(out, form->format, form->length);
    while (out->size % sizeof(uint64_t)) buffer_append(out, "", 1);
    for (uint64_t i = 0; i < form->value_count; i++) {
        const HostPrintValue *value = &form->values[i];
        append_word(out, value->kind);
        append_word(out, value->bits);
        append_word(out, value->rank);
        for (uint32_t d = 0; d < value->rank; d++) append_word(out, (uint64_t)value->shape[d]);
    }
}

static bool describe_prints(Build *build, Diagnostics *diagnostics, const KernelInfo *kernel) {
    if (!kernel->print_form_count) return true;
    Buffer forms = {0};
    for (uint32_t i = 0; i < kernel->print_form_count; i++) append_print(&kernel->print_forms[i], &forms);
    LLVMValueRef bytes = LLVMConstStringInContext2(build->context, forms.data, forms.size, true);
    LLVMValueRef count = LLVMConstInt(LLVMInt64TypeInContext(build->context), kernel->print_form_count, false);
    buffer_free(&forms);
    return add_constant(build, diagnostics, kernel->name, "print_count", count) &&
           add_constant(build, diagnostics, kernel->name, "prints", bytes);
}

static bool describe_kernel(Build *build, Diagnostics *diagnostics, const KernelInfo *kernel) {
    LLVMTypeRef word = LLVMInt64TypeInContext(build->context);
    Buffer sites = {0};
    print_sites(kernel, &sites);
    LLVMValueRef text = LLVMConstStringInContext2(build->context, sites.data, sites.size, false);
    buffer_free(&sites);
    const struct {
        const char *suffix;
        uint64_t value;
        bool host, gpu;
    } numbers[] = {
        {"block_threads", kernel->threads, false, true},      {"shared_bytes", kernel->shared_bytes, false, true},
        {"scratch_bytes", kernel->scratch_bytes, true, true}, {"sequential", kernel->sequential, true, false},
        {"site_count", kernel->site_count, true, true},
    };
    bool gpu = target_gpu(build->target);
    for (size_t i = 0; i < BASE_COUNT(numbers); i++)
        if ((gpu ? numbers[i].gpu : numbers[i].host) &&
            !add_constant(build, diagnostics, kernel->name, numbers[i].suffix,
                          LLVMConstInt(word, numbers[i].value, false)))
            return false;
    return add_constant(build, diagnostics, kernel->name, "sites", text) && describe_prints(build, diagnostics, kernel);
}

// The library that has a function of this name, among those that kernels call; NULL if none has. Asked of the library
// itself: a sanitizer's own memcpy would hide the one of libc.
static const char *library_with(const char *name) {
    static const char *const libraries[] = {"libc.so.6", "libm.so.6", "libmvec.so.1"};
    for (size_t i = 0; i < BASE_COUNT(libraries); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        bool found = library && dlsym(library, name);
        if (library) dlclose(library);
        if (found) return libraries[i];
    }
    return NULL;
}

// Names that mean something else to LLVM or to assemblers: intrinsics, local labels and sections, escapes.
static bool is_plain_name(const char *name) {
    if (*name == '.' || !strncmp(name, "llvm.", 5)) return false;
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7f) return false;
    return true;
}

// In objects: calls of memcpy or expf would reach a kernel of that name. `what`: kernel or global.
static bool check_object_symbol(Diagnostics *diagnostics, const char *what, const char *name) {
    const char *library = library_with(name);
    if (library)
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "%s '%s' has the name of a function of the C library (%s), which an object file cannot have",
                         what, name, library);
    if (!is_plain_name(name))
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "%s '%s' has a name that begins with '.' or 'llvm.' or holds control characters, which an "
                         "object file cannot have",
                         what, name);
    return true;
}

static bool check_symbol(const Build *build, Diagnostics *diagnostics, const char *what, const char *name) {
    if (!target_gpu(build->target)) {
        if (!check_object_symbol(diagnostics, what, name)) return false;
    } else if (!target_gpu_name_is_free(name)) {
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "%s '%s' has a name that code for GPUs cannot have: letters, digits, _ and $ only, no digit "
                         "first, and none of CUDA's own",
                         what, name);
    }
    if (LLVMGetNamedFunction(build->module, name) || LLVMGetNamedGlobal(build->module, name))
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                         "%s '%s' has the name of something that its code uses", what, name);
    return true;
}

// The functions get the names of their kernels.
static bool name_functions(Build *build, Diagnostics *diagnostics) {
    for (uint32_t i = 0; i < build->lowered.kernel_count; i++) {
        const KernelInfo *kernel = &build->lowered.kernels[i];
        if (!check_symbol(build, diagnostics, "kernel", kernel->name)) return false;
        LLVMValueRef function = LLVMGetNamedFunction(build->module, kernel->symbol);
        LLVMSetValueName2(function, kernel->name, strlen(kernel->name));
        if (!target_gpu(build->target)) continue;
        // A launch with another number of threads fails in the driver; and registers are there for that many.
        LLVMAddTargetDependentFunctionAttr(function, "nvvm.reqntid",
                                           arena_format(&build->arena, "%u,1,1", kernel->threads));
    }
    return true;
}

// Globals that others may see get their names.
static bool name_globals(Build *build, Diagnostics *diagnostics, const Program *program) {
    for (uint32_t i = 0; i < program->global_count; i++) {
        const ProgramGlobal *global = &program->globals[i];
        LLVMValueRef data = LLVMGetNamedGlobal(build->module, arena_format(&build->arena, EMIT_GLOBAL_NAME, i));
        if (!data || global->is_private) continue;
        if (!check_symbol(build, diagnostics, "global", global->name)) return false;
        LLVMSetValueName2(data, global->name, strlen(global->name));
        LLVMSetLinkage(data, LLVMExternalLinkage);
    }
    return true;
}

// Lowers and optimises the module, with all that it exports. build_close is due in any case.
static bool build_artifact(Build *build, Diagnostics *diagnostics, const Program *program,
                           const CompileOptions *options) {
    bool good = build_open(build, diagnostics, program, options, true) && name_functions(build, diagnostics) &&
                name_globals(build, diagnostics, program);
    for (uint32_t i = 0; good && i < build->lowered.kernel_count; i++)
        good = describe_kernel(build, diagnostics, &build->lowered.kernels[i]);
    if (good && options->gpu)
        good = target_check_calls(build->target, diagnostics, build->module) &&
               target_link_libdevice(build->target, diagnostics, build->module);
    return good && build_optimize(build, diagnostics, program);
}

static bool build_cubin(Build *build, Diagnostics *diagnostics, const CompileOptions *options, Buffer *out) {
    Buffer ptx = {0};
    bool good = target_emit(build->target, diagnostics, build->module, COMPILE_ASM, &ptx);
    end_phase(build, &build->times.generate);
    double start = clock_wall_seconds();
    good = good && target_assemble(build->target, diagnostics, options, &ptx, out);
    build->times.assemble = clock_wall_seconds() - start;
    buffer_free(&ptx);
    return good;
}

static bool backend_emit(Diagnostics *diagnostics, const Program *program, const CompileOptions *options,
                         CompileOutput output, Buffer *out) {
    Build build = {0};
    if (program->form == PROGRAM_PTX)
        return diag_fail(diagnostics, (Location){.file = program->path}, E_UNSUPPORTED,
                         "PTX is run, not translated: it can be given to fpdiff");
    for (uint32_t i = 0; output == COMPILE_OBJECT && i < program->kernel_count; i++)
        if (program->kernels[i].has_parts)
            return diag_fail(diagnostics, program->kernels[i].at, E_UNSUPPORTED,
                             "kernel '%s' has blocks with parts, which only fpdiff runs: it cannot be an object file",
                             program->kernels[i].name);
    bool good = build_artifact(&build, diagnostics, program, options);
    if (options->gpu && output == COMPILE_OBJECT) {
        good = good && build_cubin(&build, diagnostics, options, out);
    } else {
        good = good && target_emit(build.target, diagnostics, build.module, output, out);
        end_phase(&build, &build.times.generate);
    }
    if (good && options->times) *options->times = build.times;
    build_close(&build);
    return good;
}

// ---- kernels in memory ----------------------------------------------------------------------------------------------

// From the GPU's code, as it is before LLVM makes PTX of it, to this processor's.
static bool build_emulation(Build *build, Diagnostics *diagnostics, const Program *program) {
    // The passes have done what they can, and better code would take longer to make than what it saves.
    Target *host = target_open(diagnostics, NULL, 0);
    bool good = host && simt_transform(host, diagnostics, build->module);
    target_close(build->target);
    build->target = host;
    return good && build_optimize(build, diagnostics, program);
}

static bool is_emulated(const Program *program, const CompileOptions *options) {
    return options->gpu && options->simt && program->form != PROGRAM_PTX;
}

static CodeForm code_form(const Program *program, const CompileOptions *options) {
    if (program->form == PROGRAM_PTX) return CODE_OF_WARPS;
    return is_emulated(program, options) ? CODE_OF_THREADS : CODE_OF_BLOCKS;
}

static KernelImage described_kernels(const Build *build) {
    const LoweredModule *lowered = &build->lowered;
    return (KernelImage){lowered->kernel_count, lowered->place_count, lowered->kernels, lowered->places};
}

// Lowers and optimises the module for this process. build_close is due in any case.
static bool build_here(Build *build, Diagnostics *diagnostics, const Program *program, const CompileOptions *options) {
    if (!is_emulated(program, options))
        return target_runs_here(diagnostics, options->cpu) && build_open(build, diagnostics, program, options, false) &&
               build_optimize(build, diagnostics, program);
    return build_open(build, diagnostics, program, options, false) &&
           target_check_calls(build->target, diagnostics, build->module) &&
           build_optimize(build, diagnostics, program) && build_emulation(build, diagnostics, program);
}

static bool backend_make(Diagnostics *diagnostics, const Program *program, const CompileOptions *options, Buffer *out) {
    Build build = {0};
    Buffer object = {0};
    bool good = build_here(&build, diagnostics, program, options) &&
                target_emit(build.target, diagnostics, build.module, COMPILE_OBJECT, &object);
    end_phase(&build, &build.times.generate);
    if (good) {
        const KernelImage kernels = described_kernels(&build);
        code_image_write(code_form(program, options), &object, &kernels, out);
    }
    if (good && options->times) *options->times = build.times;
    buffer_free(&object);
    build_close(&build);
    return good;
}

static CompiledModule *load_cubin(Diagnostics *diagnostics, const Program *program, const CompileOptions *options) {
    Build build = {0};
    Buffer cubin = {0};
    CompiledModule *module = NULL;
    if (build_artifact(&build, diagnostics, program, options) && build_cubin(&build, diagnostics, options, &cubin)) {
        const KernelImage kernels = described_kernels(&build);
        module = code_load_cubin(&cubin, &kernels);
    }
    if (module && options->times) *options->times = build.times;
    buffer_free(&cubin);
    build_close(&build);
    return module;
}

static CompiledModule *backend_load(Diagnostics *diagnostics, const Program *program, const CompileOptions *options) {
    if (program->form != PROGRAM_PTX && options->gpu && !options->simt)
        return load_cubin(diagnostics, program, options);
    Buffer image = {0};
    CompiledModule *module = NULL;
    if (backend_make(diagnostics, program, options, &image)) {
        const double since = clock_thread_seconds();
        module = code_image_load(diagnostics, (const uint8_t *)image.data, image.size);
        if (module && options->times) options->times->link = clock_thread_seconds() - since;
    }
    buffer_free(&image);
    return module;
}

static void backend_prepare(void) {
    target_host_cpu();
    tower_prepare();
}

__attribute__((visibility("default"))) extern const CompilerBackend congruent_backend;
const CompilerBackend congruent_backend = {
    .interface = COMPILER_BACKEND_INTERFACE,
    .prepare = backend_prepare,
    .llvm_version = target_llvm_version,
    .host_cpu = target_host_cpu,
    .toolchain = target_print_toolchain,
    .emit = backend_emit,
    .load = backend_load,
    .make = backend_make,
    .load_made = code_image_load,
    .unload = code_unload,
};
