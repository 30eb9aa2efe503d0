// SPDX-License-Identifier: Apache-2.0
// An image is a head, an object file, and the kernels' descriptions.
#include "compiler/code_image.h"
#include "compiler/target/target.h"
#include "compiler/warp/lower_threads.h"

#include <stdlib.h>
#include <string.h>

typedef struct ImageHead {
    uint64_t form, object_size;
} ImageHead;

typedef struct LoadedModule {
    CompiledModule module; // first: what callers see
    Arena arena;
    Jit *jit; // NULL of cubins
} LoadedModule;

void code_image_write(CodeForm form, const Buffer *object, const KernelImage *kernels, Buffer *out) {
    const ImageHead head = {form, object->size};
    buffer_append(out, &head, sizeof head);
    buffer_append(out, object->data, object->size);
    kernel_image_write(kernels, out);
}

void code_unload(CompiledModule *module) {
    LoadedModule *loaded = (LoadedModule *)module;
    if (!loaded) return;
    jit_close(loaded->jit);
    arena_reset(&loaded->arena);
    free(loaded);
}

static LoadedModule *open_module(void) {
    LoadedModule *loaded = calloc(1, sizeof *loaded);
    if (!loaded) abort(); // as arenas do
    return loaded;
}

// ---- code for this process ------------------------------------------------------------------------------------------

// What all kernels of a module share; they have no code yet.
static bool share_nothing(Jit *jit, Diagnostics *diagnostics, KernelImage *image) {
    (void)jit, (void)diagnostics, (void)image;
    return true;
}

static bool share_functions(Jit *jit, Diagnostics *diagnostics, KernelImage *image) {
    const WarpFunctions *functions = jit_lookup(jit, diagnostics, LANE_FUNCTIONS_NAME);
    for (uint32_t i = 0; i < image->kernel_count; i++) image->kernels[i].warp_functions = functions;
    return functions;
}

static bool share_emulator(Jit *jit, Diagnostics *diagnostics, KernelImage *image) {
    GpuLaunch *launch = jit_lookup(jit, diagnostics, GPU_LAUNCH_NAME);
    const SimtOps **operations = launch ? jit_lookup(jit, diagnostics, SIMT_TABLE_NAME) : NULL;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        image->kernels[i].launch = launch;
        image->kernels[i].simt_ops = operations;
    }
    return operations;
}

static void set_entry(KernelInfo *kernel, void *code) {
    kernel->entry = (HostEntry *)code;
}
static void set_warp(KernelInfo *kernel, void *code) {
    kernel->warp = (WarpEntry *)code;
}
static void set_simt(KernelInfo *kernel, void *code) {
    kernel->simt = (SimtEntry *)code;
}

static const struct CodeRow {
    bool (*share)(Jit *jit, Diagnostics *diagnostics, KernelImage *image);
    void (*set)(KernelInfo *kernel, void *code);
} code_rows[] = {
    [CODE_OF_BLOCKS] = {share_nothing, set_entry},
    [CODE_OF_WARPS] = {share_functions, set_warp},
    [CODE_OF_THREADS] = {share_emulator, set_simt},
};
_Static_assert(BASE_COUNT(code_rows) == CODE_FORM_COUNT, "a row for each form");

// The code of a kernel's parts.
static bool find_parts(Jit *jit, Diagnostics *diagnostics, const KernelInfo *kernel) {
    KernelPart *parts = (KernelPart *)(uintptr_t)kernel->parts; // the image's own
    for (uint32_t p = 0; p < kernel->part_count; p++) {
        parts[p].entry = (HostEntry *)jit_lookup(jit, diagnostics, parts[p].symbol);
        if (!parts[p].entry) return false;
    }
    return true;
}

static bool find_code(Jit *jit, Diagnostics *diagnostics, const struct CodeRow *row, KernelImage *image) {
    if (!row->share(jit, diagnostics, image)) return false;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        if (!image->kernels[i].symbol) continue; // it was not asked for
        void *code = jit_lookup(jit, diagnostics, image->kernels[i].symbol);
        if (!code) return false;
        row->set(&image->kernels[i], code);
        if (!find_parts(jit, diagnostics, &image->kernels[i])) return false;
    }
    return true;
}

static bool read_image(Diagnostics *diagnostics, Arena *arena, const uint8_t *bytes, size_t size, ImageHead *head,
                       KernelImage *image) {
    size_t used;
    bool good = size >= sizeof *head;
    if (good) memcpy(head, bytes, sizeof *head);
    good = good && head->form < CODE_FORM_COUNT && head->object_size <= size - sizeof *head;
    if (good) {
        const size_t begin = sizeof *head + head->object_size;
        good = kernel_image_read(arena, bytes + begin, size - begin, image, &used) && used == size - begin;
    }
    return good || diag_fail(diagnostics, (Location){0}, E_BACKEND, "an image of compiled code is damaged");
}

CompiledModule *code_image_load(Diagnostics *diagnostics, const uint8_t *bytes, size_t size) {
    LoadedModule *loaded = open_module();
    ImageHead head;
    KernelImage image;
    target_run_made();
    bool good = read_image(diagnostics, &loaded->arena, bytes, size, &head, &image) &&
                (loaded->jit = jit_open(diagnostics)) &&
                jit_add_object(loaded->jit, diagnostics, bytes + sizeof head, head.object_size) &&
                find_code(loaded->jit, diagnostics, &code_rows[head.form], &image);
    if (good) {
        loaded->module = (CompiledModule){.kernel_count = image.kernel_count, .kernels = image.kernels};
        return &loaded->module;
    }
    code_unload(&loaded->module);
    return NULL;
}

// ---- cubins, which whoever loads them into a GPU needs --------------------------------------------------------------

CompiledModule *code_load_cubin(const Buffer *cubin, const KernelImage *kernels) {
    LoadedModule *loaded = open_module();
    Buffer bytes = {0};
    KernelImage image;
    size_t used;
    kernel_image_write(kernels, &bytes);
    if (!kernel_image_read(&loaded->arena, (const uint8_t *)bytes.data, bytes.size, &image, &used)) abort(); // ours
    buffer_free(&bytes);
    const char *copy = arena_text(&loaded->arena, cubin->data, cubin->size);
    for (uint32_t i = 0; i < image.kernel_count; i++) {
        image.kernels[i].symbol = image.kernels[i].name;
        image.kernels[i].image = copy;
        image.kernels[i].image_size = cubin->size;
    }
    loaded->module = (CompiledModule){.kernel_count = image.kernel_count, .kernels = image.kernels};
    return &loaded->module;
}
