// SPDX-License-Identifier: Apache-2.0
// The processor to compile for: LLVM's target machine, and the features that the lowering may use.
#include "compiler/target/target_internal.h"

#include <assert.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const TargetPipeline target_pipelines[TARGET_LEVELS] = {
#define PIPELINE(level, code_generator, passes, gpu_passes)                                                            \
    [level] = {LLVMCodeGenLevel##code_generator, passes, gpu_passes},
#include "compiler/target/pipelines.def"
#undef PIPELINE
};
_Static_assert(0
#define PIPELINE(level, code_generator, passes, gpu_passes) +1
#include "compiler/target/pipelines.def"
#undef PIPELINE
                   == TARGET_LEVELS,
               "a row for each level");

static const struct {
    const char *triple; // of objects for another kind of machine than this
    void (*info)(void), (*target)(void), (*machine_code)(void), (*printer)(void);
} architectures[] = {
    [MACHINE_X86_64] = {"x86_64-unknown-linux-gnu", LLVMInitializeX86TargetInfo, LLVMInitializeX86Target,
                        LLVMInitializeX86TargetMC, LLVMInitializeX86AsmPrinter},
    [MACHINE_AARCH64] = {"aarch64-unknown-linux-gnu", LLVMInitializeAArch64TargetInfo, LLVMInitializeAArch64Target,
                         LLVMInitializeAArch64TargetMC, LLVMInitializeAArch64AsmPrinter},
};
#if defined(__x86_64__)
#define HOST_KIND MACHINE_X86_64
#elif defined(__aarch64__)
#define HOST_KIND MACHINE_AARCH64
#else
#define HOST_KIND MACHINE_OTHER
#endif

static const struct ProcessorRow {
    const char *name;
    MachineKind kind;
    const char *features;
} processors[] = {
#define PROCESSOR(architecture, name, features) {name, MACHINE_##architecture, features},
#include "compiler/target/processors.def"
};

// ---- this machine ---------------------------------------------------------------------------------------------------

// Read once, constant afterwards; LLVM's strings, kept for the life of the process.
static struct HostFacts {
    char *cpu, *features;
    char version[40];
    uint32_t permitted; // features (bit per MachineFeature) that target_run_here has asked the system for
} host_facts;

// What only LLVM's command line can say, for all code of the process. Strength reduction in loops: it takes a quarter
// of the time of the code generator and gains nothing here, as addresses are a base, an index and a constant already.
static const char *const llvm_options[] = {"congruent", "-disable-lsr"};

static void find_host(void) {
    LLVMParseCommandLineOptions(BASE_COUNT(llvm_options), llvm_options, NULL);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    host_facts.cpu = LLVMGetHostCPUName();
    host_facts.features = LLVMGetHostCPUFeatures();
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(host_facts.version, sizeof host_facts.version, "%u.%u.%u", major, minor, patch);
}

static const struct HostFacts *host(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_host);
    llvm_install_fatal_handler();
    return &host_facts;
}

const char *target_host_cpu(void) {
    return host()->cpu;
}
const char *target_llvm_version(void) {
    return host()->version;
}
const char *target_cpu_at(size_t index) {
    return index < BASE_COUNT(processors) ? processors[index].name : NULL;
}

// What the levels of x86-64 promise (System V psABI, "x86-64 microarchitecture levels"), each beyond the one before.
static const struct {
    const char *cpu, *features[10];
} levels[] = {
    {"x86-64", {0}},
    {"x86-64-v2", {"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"}},
    {"x86-64-v3", {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}},
    {"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
};

bool target_runs_here(Diagnostics *diagnostics, const char *cpu) {
    if (!cpu || !strcmp(cpu, host()->cpu)) return true;
    size_t level = 0;
    while (level < BASE_COUNT(levels) && strcmp(levels[level].cpu, cpu)) level++;
    if (level == BASE_COUNT(levels))
        return diag_fail(
            diagnostics, (Location){0}, E_TARGET,
            "code for '%s' may not run on this machine's processor, %s; x86-64, x86-64-v2, -v3 and -v4 do where "
            "it has their features",
            cpu, host()->cpu);
    for (size_t below = 0; below <= level; below++)
        for (size_t f = 0; f < BASE_COUNT(levels[below].features) && levels[below].features[f]; f++)
            if (!machine_lists(host()->features, levels[below].features[f]))
                return diag_fail(diagnostics, (Location){0}, E_TARGET,
                                 "this machine's processor, %s, lacks %s, which code for %s may use", host()->cpu,
                                 levels[below].features[f], cpu);
    return true;
}

// ---- targets --------------------------------------------------------------------------------------------------------

static const struct ProcessorRow *find_processor(Diagnostics *diagnostics, const char *cpu) {
    for (size_t i = 0; i < BASE_COUNT(processors); i++)
        if (!strcmp(processors[i].name, cpu)) return &processors[i];
    Buffer known = {0};
    for (size_t i = 0; i < BASE_COUNT(processors); i++) buffer_print(&known, "%s%s", i ? ", " : "", processors[i].name);
    diag_fail(diagnostics, (Location){0}, E_TARGET, "unknown processor '%s'; this machine is '%s', known are: %s", cpu,
              target_host_cpu(), known.data);
    buffer_free(&known);
    return NULL;
}

static void start_architectures(void) {
    for (size_t i = 0; i < BASE_COUNT(architectures); i++) {
        architectures[i].info();
        architectures[i].target();
        architectures[i].machine_code();
        architectures[i].printer();
    }
}

// The triple of the architecture, which LLVM then knows.
static char *choose_triple(MachineKind kind) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (kind == HOST_KIND) return LLVMGetDefaultTargetTriple();
    pthread_once(&once, start_architectures);
    return LLVMCreateMessage(architectures[kind].triple);
}

bool target_open_machine(Target *target, Diagnostics *diagnostics, const char *cpu, const char *features) {
    LLVMTargetRef llvm;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(target->triple, &llvm, &message))
        return llvm_fail(diagnostics, message, "finding the target");
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, cpu);
    LLVMTargetMachineOptionsSetFeatures(options, features);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, target_pipelines[target->level].code_generator);
    if (!target->gpu) {
        LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC); // objects are linked into programs and libraries
        LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
    }
    target->llvm = LLVMCreateTargetMachineWithOptions(llvm, target->triple, options);
    LLVMDisposeTargetMachineOptions(options);
    if (!target->llvm)
        return diag_fail(diagnostics, (Location){0}, E_LLVM, "LLVM has no code generator for %s on %s", cpu,
                         target->triple);
    target->layout = LLVMCreateTargetDataLayout(target->llvm);
    return true;
}

Target *target_open(Diagnostics *diagnostics, const char *cpu, unsigned optimize) {
    const struct HostFacts *facts = host();
    bool is_host = !cpu || !strcmp(cpu, facts->cpu);
    const struct ProcessorRow *row = is_host ? NULL : find_processor(diagnostics, cpu);
    if (!is_host && !row) return NULL;
    const Machine machine =
        is_host ? machine_of_processor(HOST_KIND, facts->features) : machine_of_processor(row->kind, row->features);
    Target *target = calloc(1, sizeof *target);
    if (!target) abort(); // as arenas do
    target->machine = machine;
    target->is_host = is_host;
    target->triple = is_host ? LLVMGetDefaultTargetTriple() : choose_triple(row->kind);
    target->level = optimize < TARGET_LEVELS ? optimize : TARGET_LEVELS - 1;
    // LLVM prefers 256-bit vectors on some processors that have wider ones; the lowering asks for width on purpose.
    Buffer features = {0};
    buffer_print(&features, "%s%s", is_host ? facts->features : "",
                 machine.vector_bits < 512 ? ""
                 : is_host                 ? ",-prefer-256-bit"
                                           : "-prefer-256-bit");
    bool good = target_open_machine(target, diagnostics, is_host ? facts->cpu : cpu, features.data);
    buffer_free(&features);
    if (good) return target;
    target_close(target);
    return NULL;
}

void target_close(Target *target) {
    if (!target) return;
    if (target->layout) LLVMDisposeTargetData(target->layout);
    if (target->llvm) LLVMDisposeTargetMachine(target->llvm);
    LLVMDisposeMessage(target->triple);
    free(target);
}

// The system saves some registers (AMX tiles) only for processes that have asked for them, whose threads then all may
// use them.
static void ask_for_permissions(void) {
#if defined(__x86_64__) && defined(__linux__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023 };
    for (unsigned feature = 0; feature < MACHINE_FEATURE_COUNT; feature++) {
        const unsigned permission = machine_permission(feature);
        if (permission && machine_may_have(HOST_KIND, feature, host()->features) &&
            !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, permission))
            host_facts.permitted |= UINT32_C(1) << feature;
    }
#endif
}

static uint32_t permitted(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask_for_permissions);
    return host_facts.permitted;
}

void target_run_here(Target *target) {
    const uint32_t features = permitted();
    if (target->is_host) target->machine.functions = precompiled_here();
    for (unsigned feature = 0; target->is_host && feature < MACHINE_FEATURE_COUNT; feature++)
        if (features >> feature & 1) machine_add(&target->machine, feature);
}

void target_run_made(void) {
    permitted();
}

void target_print_host(Buffer *out) {
    buffer_print(out, "%s %s %x\n", host()->cpu, host()->features, permitted());
}

const Machine *target_machine(const Target *target) {
    return &target->machine;
}
unsigned target_level(const Target *target) {
    return target->level;
}

void target_prepare(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    LLVMSetTarget(module, target->triple);
    LLVMSetModuleDataLayout(module, target->layout);
    llvm_install_reports(LLVMGetModuleContext(module), diagnostics);
}
