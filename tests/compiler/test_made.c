// SPDX-License-Identifier: Apache-2.0
// compiler_make and compiler_load_made: code of each form as bytes, loaded when program and first copy are gone, is
// described as compiler_load describes it and does what its code does; damaged bytes are refused.
#include "compiler/compiler.h"
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

static const char scale[] = SOURCE_DIR "/docs/host_abi_example/scale.tileirbc",
                  warps[] = SOURCE_DIR "/tests/cases/ptx/launches.ptx",
                  order[] = SOURCE_DIR "/tests/cases/views/order.mlir",
                  prints[] = SOURCE_DIR "/tests/cuda/kernels.mlir";

static const struct Made {
    const char *path;
    CompileOptions options;
} made[] = {
    {scale, {.optimize = 2}},
    {scale, {.optimize = 2, .numeric = COMPILE_SHADOW, .poison = true, .census = true, .races = true}},
    {scale, {.optimize = 1, .gpu = "sm_90", .simt = true}},
    {order, {.optimize = 1, .gpu = "sm_90", .simt = true}},
    {prints, {.optimize = 1, .gpu = "sm_90", .simt = true}},
    {prints, {.optimize = 1}},
    {warps, {.optimize = 1}},
};

static void expect_texts(const char *a, const char *b) {
    cr_expect(a && b ? !strcmp(a, b) : a == b, "%s and %s", a ? a : "none", b ? b : "none");
}

static void expect_places(Location a, Location b) {
    expect_texts(a.file, b.file);
    expect_texts(a.section, b.section);
    expect_texts(a.callers, b.callers);
    cr_expect(a.line == b.line && a.column == b.column && a.offset == b.offset && a.has_offset == b.has_offset);
}

static void expect_same(const KernelInfo *a, const KernelInfo *b) {
    expect_texts(a->name, b->name);
    expect_texts(a->symbol, b->symbol);
    cr_assert_eq(a->parameter_count, b->parameter_count);
    cr_assert_eq(a->global_count, b->global_count);
    cr_expect_eq(a->scratch_bytes, b->scratch_bytes);
    cr_assert_eq(a->site_count, b->site_count);
    for (uint32_t i = 0; i < a->site_count; i++) {
        cr_expect_eq(a->sites[i].kind, b->sites[i].kind);
        expect_texts(a->sites[i].op, b->sites[i].op);
        expect_texts(a->sites[i].message, b->sites[i].message);
        expect_places(a->sites[i].at, b->sites[i].at);
    }
    cr_assert_eq(a->store_count, b->store_count);
    for (uint32_t i = 0; i < a->store_count; i++) {
        expect_texts(a->stores[i].unspecified, b->stores[i].unspecified);
        expect_places(a->stores[i].at, b->stores[i].at);
    }
    cr_assert_eq(a->access_count, b->access_count);
    cr_assert_eq(a->census_site_count, b->census_site_count);
    for (uint32_t i = 0; i < a->census_site_count; i++)
        cr_expect_eq(a->census_sites[i].order, b->census_sites[i].order);
    cr_expect_eq(a->census_offset, b->census_offset);
    cr_assert_eq(a->place_count, b->place_count);
    for (uint32_t i = 0; i < a->place_count; i++) expect_places(a->places[i].at, b->places[i].at);
    cr_assert_eq(a->print_form_count, b->print_form_count);
    for (uint32_t i = 0; i < a->print_form_count; i++) {
        const HostPrint *x = &a->print_forms[i], *y = &b->print_forms[i];
        cr_assert(x->length == y->length && x->value_count == y->value_count);
        cr_expect(!memcmp(x->format, y->format, x->length));
        for (uint64_t v = 0; v < x->value_count; v++)
            cr_expect(x->values[v].kind == y->values[v].kind && x->values[v].bits == y->values[v].bits &&
                      x->values[v].rank == y->values[v].rank);
    }
    const uint32_t origins = a->parameter_count + a->global_count;
    cr_assert(!a->stored_widths == !b->stored_widths && !a->stores_through == !b->stores_through);
    if (a->stored_widths) cr_expect(!memcmp(a->stored_widths, b->stored_widths, origins * sizeof(uint32_t)));
    if (a->stores_through) cr_expect(!memcmp(a->stores_through, b->stores_through, origins));
    cr_expect(!a->entry == !b->entry && !a->simt == !b->simt && !a->warp == !b->warp && !a->launch == !b->launch &&
              !a->simt_ops == !b->simt_ops && !a->warp_functions == !b->warp_functions);
    cr_expect(a->threads == b->threads && a->shared_bytes == b->shared_bytes && a->sequential == b->sequential);
    cr_expect(a->parameter_bytes == b->parameter_bytes && a->static_shared == b->static_shared);
    if (a->parameter_layout)
        cr_expect(!memcmp(a->parameter_layout, b->parameter_layout, a->parameter_count * sizeof *a->parameter_layout));
}

// The bytes that compiler_make gives; the program is gone.
static Buffer make(Compiler *compiler, const struct Made *row) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0};
    const Program *program = program_read(&diagnostics, row->path);
    cr_assert(program && compiler_make(compiler, &diagnostics, program, &row->options, &bytes), "%s: %s", row->path,
              diagnostics.count ? diagnostics.items[0].message : "");
    program_close(program);
    return bytes;
}

Test(made, is_described_as_what_is_loaded) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    for (size_t i = 0; i < BASE_COUNT(made); i++) {
        Buffer bytes = make(compiler, &made[i]);
        const Program *program = program_read(&diagnostics, made[i].path);
        CompiledModule *expected = compiler_load(compiler, &diagnostics, program, &made[i].options);
        CompiledModule *found = compiler_load_made(compiler, &diagnostics, bytes.data, bytes.size);
        cr_assert(expected && found && expected->kernel_count == found->kernel_count);
        for (uint32_t k = 0; k < found->kernel_count; k++) expect_same(&expected->kernels[k], &found->kernels[k]);
        compiled_module_close(compiler, expected);
        compiled_module_close(compiler, found);
        program_close(program);
        buffer_free(&bytes);
    }
    compiler_close(compiler);
}

// 2 x + 0.5 of 100 elements of one block.
Test(made, runs) {
    enum { COUNT = 100 };
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    Buffer bytes = make(compiler, &made[0]);
    CompiledModule *module = compiler_load_made(compiler, &diagnostics, bytes.data, bytes.size);
    buffer_free(&bytes);
    cr_assert(module);
    float x[COUNT], y[COUNT], numbers[2] = {2.0f, 0.5f};
    for (int i = 0; i < COUNT; i++) x[i] = (float)i;
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1, .address_range = 1 << 24});
    RtBuffer *in = rt_alloc(device, &diagnostics, sizeof x), *out = rt_alloc(device, &diagnostics, sizeof y);
    rt_copy_in(device, &diagnostics, in, 0, x, sizeof x);
    RtArgument arguments[] = {{in->address, in}, {COUNT, NULL}, {1, NULL}, {out->address, out},
                              {COUNT, NULL},     {1, NULL},     {0, NULL}, {0, NULL}};
    memcpy(&arguments[6].bits, &numbers[0], 4);
    memcpy(&arguments[7].bits, &numbers[1], 4);
    cr_assert(
        rt_launch(device, &diagnostics,
                  &(RtLaunch){.label = "test", .kernel = module->kernels, .grid = {2, 1, 1}, .arguments = arguments}));
    rt_copy_out(device, &diagnostics, out, 0, y, sizeof y);
    for (int i = 0; i < COUNT; i++) cr_expect_eq(y[i], 2.0f * x[i] + 0.5f);
    rt_close(device);
    compiled_module_close(compiler, module);
    compiler_close(compiler);
}

// Of the symbols of the object in an image that begin so: how many it defines, and how many it only names.
typedef struct Symbols {
    size_t defined, named;
} Symbols;

static Symbols count_symbols(const Buffer *image, const char *prefix) {
    Symbols found = {0};
    const char *object = image->data + 2 * sizeof(uint64_t); // behind its form and size
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)object;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(object + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(object + sections[i].sh_offset);
        const char *names = object + sections[sections[i].sh_link].sh_offset;
        for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++) {
            if (strncmp(names + symbols[s].st_name, prefix, strlen(prefix))) continue;
            *(symbols[s].st_shndx == SHN_UNDEF ? &found.named : &found.defined) += 1;
        }
    }
    return found;
}

// Functions of precompiled.def were made with the project for processors like most of today's: code for this machine
// calls them, code for a processor that is named has its own.
Test(made, shared_functions_are_not_made_again) {
#if defined(__x86_64__)
    const bool ready = PRECOMPILED && __builtin_cpu_supports("x86-64-v3");
#else
    const bool ready = false;
#endif
    static const unsigned towers[] = {0, TOWER_CHAINS, TOWER_DEEP};
    static const char *const prefixes[] = {"congruent.tower.", "congruent.count.", "congruent.view."};
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    for (size_t i = 0; i < BASE_COUNT(towers); i++) {
        struct Made row = {scale, {.optimize = 2, .numeric = COMPILE_SHADOW, .chain = towers[i], .census = true}};
        Buffer here = make(compiler, &row);
        row.options.cpu = compiler_host_cpu(compiler);
        Buffer named = make(compiler, &row);
        for (size_t p = 0; p < BASE_COUNT(prefixes); p++) {
            const Symbols own = count_symbols(&named, prefixes[p]), called = count_symbols(&here, prefixes[p]);
            cr_expect(own.defined > 0 && !own.named, "tower %u, %s: %zu and %zu", towers[i], prefixes[p], own.defined,
                      own.named);
            cr_expect(ready ? called.named > 0 && !called.defined : called.defined && !called.named,
                      "tower %u, %s: %zu and %zu", towers[i], prefixes[p], called.defined, called.named);
        }
        buffer_free(&here);
        buffer_free(&named);
    }
    compiler_close(compiler);
}

Test(made, damaged_bytes_are_refused) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    for (size_t i = 0; i < BASE_COUNT(made); i++) {
        Buffer bytes = make(compiler, &made[i]);
        for (size_t size = 0; size < bytes.size; size += 1 + size / 64) {
            Diagnostics found = {0};
            char *cut = malloc(size + 1); // ends where the bytes end, for ASan
            memcpy(cut, bytes.data, size);
            cr_expect_null(compiler_load_made(compiler, &found, cut, size), "%zu of %zu bytes", size, bytes.size);
            cr_expect(found.count == 1 && found.items[0].code == E_BACKEND);
            diagnostics_close(&found);
            free(cut);
        }
        bytes.data[0] = 100; // a form that there is not
        cr_expect_null(compiler_load_made(compiler, &diagnostics, bytes.data, bytes.size));
        buffer_free(&bytes);
    }
    diagnostics_close(&diagnostics);
    compiler_close(compiler);
}

Test(made, errors_are_those_of_loading) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    const Program *program = program_read(&diagnostics, scale);
    cr_expect_not(compiler_make(compiler, &diagnostics, program, &(CompileOptions){.cpu = "nowhere"}, &bytes));
    cr_expect(diagnostics.count == 1 && diagnostics.items[0].code == E_TARGET && !bytes.size);
    program_close(program);
    diagnostics_close(&diagnostics);
    compiler_close(compiler);
}
