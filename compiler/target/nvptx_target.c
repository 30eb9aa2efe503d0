// SPDX-License-Identifier: Apache-2.0
// GPUs to compile for: LLVM's target machine for NVPTX, what a block may have, what PTX may hold.
#include "compiler/target/target_internal.h"

#include <ctype.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const TargetGpu gpus[] = {
#define GPU(name, compute, ptx, toolkit, shared, threads, registers)                                                   \
    {name, compute, ptx, toolkit, (shared)*1024, threads, registers},
#include "compiler/target/gpus.def"
};

const TargetGpu *target_gpu_at(size_t index) {
    return index < BASE_COUNT(gpus) ? &gpus[index] : NULL;
}

const TargetGpu *target_gpu(const Target *target) {
    return target->gpu;
}

static const TargetGpu *find_gpu(Diagnostics *diagnostics, const char *name) {
    Buffer known = {0};
    for (size_t i = 0; i < BASE_COUNT(gpus); i++) {
        if (!strcmp(gpus[i].name, name)) {
            buffer_free(&known);
            return &gpus[i];
        }
        buffer_print(&known, "%s%s", i ? ", " : "", gpus[i].name);
    }
    diag_fail(diagnostics, (Location){0}, E_TARGET, "unknown GPU '%s'; known are: %s", name, known.data);
    buffer_free(&known);
    return NULL;
}

static void start_nvptx(void) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

Target *target_open_gpu(Diagnostics *diagnostics, const char *name, unsigned optimize) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    target_host_cpu(); // LLVM's options are set
    const TargetGpu *gpu = find_gpu(diagnostics, name);
    if (!gpu) return NULL;
    pthread_once(&once, start_nvptx);
    Target *target = calloc(1, sizeof *target);
    if (!target) abort(); // as arenas do
    target->gpu = gpu;
    target->machine = machine_of_gpu(gpu->compute, gpu->shared_bytes);
    target->triple = LLVMCreateMessage("nvptx64-nvidia-cuda");
    target->level = optimize < TARGET_LEVELS ? optimize : TARGET_LEVELS - 1;
    Buffer features = {0};
    buffer_print(&features, "+ptx%u", gpu->ptx);
    bool good = target_open_machine(target, diagnostics, name, features.data);
    buffer_free(&features);
    if (good) return target;
    target_close(target);
    return NULL;
}

// ---- names
// -----------------------------------------------------------------------------------------------------------------------

// Identifiers of PTX that need no '%', less what PTX and the libraries of CUDA define themselves.
bool target_gpu_name_is_free(const char *name) {
    static const char *const taken[] = {"_", "$", "WARP_SZ", "vprintf", "malloc", "free", "__assertfail"};
    if (!*name || isdigit((unsigned char)*name) || !strncmp(name, "__nv", 4)) return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '$') return false;
    for (size_t i = 0; i < BASE_COUNT(taken); i++)
        if (!strcmp(taken[i], name)) return false;
    return true;
}

// ---- intrinsics
// ------------------------------------------------------------------------------------------------------------------

static const struct IntrinsicRow {
    const char *name;
    unsigned compute, ptx;
} intrinsics[] = {
#define INTRINSIC(name, compute, ptx) {name, compute, ptx},
#include "compiler/target/intrinsics.def"
};

// The row that `name` is, or an overload of.
static const struct IntrinsicRow *find_intrinsic(const char *name) {
    const struct IntrinsicRow *found = NULL;
    for (size_t i = 0; i < BASE_COUNT(intrinsics); i++) {
        size_t length = strlen(intrinsics[i].name);
        if (!strncmp(intrinsics[i].name, name, length) && (!name[length] || name[length] == '.'))
            found = &intrinsics[i];
    }
    return found;
}

static bool check_intrinsic(const Target *target, Diagnostics *diagnostics, const char *name) {
    const TargetGpu *gpu = target->gpu;
    const struct IntrinsicRow *row = find_intrinsic(name);
    if (!row)
        return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED, "%s is nothing that code for %s can do", name,
                         gpu->name);
    if (row->compute <= gpu->compute && row->ptx <= gpu->ptx) return true;
    return diag_fail(diagnostics, (Location){0}, E_UNSUPPORTED,
                     "%s needs sm_%u and PTX %u.%u; code for %s is PTX %u.%u", name, row->compute, row->ptx / 10,
                     row->ptx % 10, gpu->name, gpu->ptx / 10, gpu->ptx % 10);
}

bool target_check_calls(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || target_is_of_libdevice(name)) continue;
        if (!check_intrinsic(target, diagnostics, name)) return false;
    }
    return true;
}
