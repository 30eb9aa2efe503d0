// SPDX-License-Identifier: Apache-2.0
// A module of PTX as a program: what its kernels take, and what its globals are.
#include "base/warp_abi.h"
#include "compiler/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

// ---- types

static ElementType element_of(PtxType type) {
    static const struct {
        PtxType type;
        const char *name;
    } integers[] = {{PTX_u8, "i8"}, {PTX_u16, "i16"}, {PTX_u32, "i32"}, {PTX_u64, "i64"},
                    {PTX_s8, "i8"}, {PTX_s16, "i16"}, {PTX_s32, "i32"}, {PTX_s64, "i64"}};
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->kind == PTX_FLOAT && info->elements == 1) return (ElementType)info->format;
    ElementType element;
    for (size_t i = 0; i < BASE_COUNT(integers); i++)
        if (integers[i].type == type && element_by_name(integers[i].name, &element)) return element;
    return ELEMENT_TYPE_COUNT;
}

// ---- kernels

static ProgramParameter describe_parameter(const PtxVariable *variable) {
    return (ProgramParameter){
        .pointer = variable->pointer,
        .type = variable->pointer || variable->rank ? ELEMENT_TYPE_COUNT : element_of(variable->type),
        .use = {.reads = true, .writes = true, .reads_own = true, .writes_own = true, .unknown = true},
        .name = variable->name,
        .size = (uint32_t)variable->size,
        .alignment = variable->alignment ? variable->alignment : 1,
        .array = variable->rank > 0,
        .pointer_alignment = variable->pointer ? variable->pointer_alignment : 0};
}

static uint32_t product(const uint32_t extent[3]) {
    return extent[0] * (extent[1] ? extent[1] : 1) * (extent[2] ? extent[2] : 1);
}

// How much shared memory a block of the module's target may have, in bytes.
static uint32_t target_shared_max(const PtxModule *module) {
    return ptx_target_info(module->sm, module->suffix)->shared_max;
}

// `reach`: of this kernel alone.
static ProgramKernel describe_function(PtxModule *module, const PtxFunction *function, const PtxReach *reach,
                                       uint32_t shared) {
    Arena *arena = &module->arena;
    ProgramParameter *parameters = arena_array(arena, ProgramParameter, function->parameter_count + 1u);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        parameters[i] = describe_parameter(&function->variables[i]);
    ProgramThreads *threads = arena_new(arena, ProgramThreads);
    *threads = (ProgramThreads){.most = product(function->maxntid),
                                .explicit_cluster = function->explicit_cluster,
                                .dynamic_shared = ptx_uses_dynamic_shared(reach),
                                .static_shared = shared,
                                .shared_max = target_shared_max(module)};
    memcpy(threads->required, function->reqntid, sizeof threads->required);
    memcpy(threads->required_cluster, function->reqnctapercluster, sizeof threads->required_cluster);
    return (ProgramKernel){.name = function->name,
                           .at = ptx_location(module, function->place),
                           .parameter_count = function->parameter_count,
                           .parameters = parameters,
                           .threads = threads};
}

// ---- globals

bool ptx_is_global(const PtxVariable *variable) {
    return variable->space == PTX_GLOBAL || variable->space == PTX_CONSTANT;
}

static bool describe_references(Diagnostics *diagnostics, PtxModule *module, const PtxVariable *variable,
                                const uint32_t *numbers, ProgramGlobal *global) {
    ProgramReference *references = arena_array(&module->arena, ProgramReference, variable->relocation_count + 1u);
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const PtxRelocation *from = &variable->relocations[i];
        if (from->function) continue;
        if (!ptx_is_global(&module->variables[from->index]))
            return diag_fail(diagnostics, variable->at, E_UNSUPPORTED,
                             "variable %s begins with the address of %s, which is not in global memory", variable->name,
                             module->variables[from->index].name);
        references[global->reference_count++] =
            (ProgramReference){from->at, from->bytes, numbers[from->index], from->offset};
    }
    global->references = references;
    return true;
}

static bool describe_globals(Diagnostics *diagnostics, PtxModule *module, Program *program) {
    uint32_t *numbers = arena_array(&module->arena, uint32_t, module->variable_count + 1u), count = 0;
    ProgramGlobal *globals = arena_array(&module->arena, ProgramGlobal, module->variable_count + 1u);
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (ptx_is_global(&module->variables[i])) numbers[i] = count++;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const PtxVariable *variable = &module->variables[i];
        if (!ptx_is_global(variable)) continue;
        if (variable->unsized || !variable->size)
            return diag_fail(diagnostics, variable->at, E_UNSUPPORTED, "variable %s is defined elsewhere",
                             variable->name);
        if (!ptx_type_info(variable->type)->bits)
            return diag_fail(diagnostics, variable->at, E_UNSUPPORTED, "variable %s is a .%s, which is not supported",
                             variable->name, ptx_type_info(variable->type)->name);
        ProgramGlobal *global = &globals[numbers[i]];
        *global = (ProgramGlobal){.name = variable->name,
                                  .type = element_of(variable->type),
                                  .elements = variable->size * 8 / ptx_type_info(variable->type)->bits,
                                  .size = variable->size,
                                  .alignment = variable->alignment,
                                  .is_private = variable->linkage == PTX_LOCAL_LINKAGE};
        if (!describe_references(diagnostics, module, variable, numbers, global)) return false;
    }
    program->globals = globals;
    program->global_count = count;
    return true;
}

void ptx_program_fill_global(const Program *program, uint32_t global, uint8_t *bytes) {
    const PtxModule *module = program->ptx;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const PtxVariable *variable = &module->variables[i];
        if (!ptx_is_global(variable) || global--) continue;
        if (variable->bytes) memcpy(bytes, variable->bytes, variable->byte_count);
        for (uint32_t k = 0; k < variable->relocation_count; k++) {
            const PtxRelocation *from = &variable->relocations[k];
            const uint64_t address = ptx_function_address(from->index);
            if (from->function) memcpy(bytes + from->at, &address, from->bytes);
        }
        return;
    }
}

uint64_t ptx_function_address(uint32_t function) {
    return ((uint64_t)PTX_FUNCTION_WINDOW << WARP_WINDOW_SHIFT) + function + 1;
}

// ---- programs

static const Program *describe_module(Diagnostics *diagnostics, PtxModule *module) {
    Program *program = arena_new(&module->arena, Program);
    PtxSharedLayout layout;
    *program = (Program){.path = module->path, .form = PROGRAM_PTX, .ptx = module};
    ProgramKernel *kernels = arena_array(&module->arena, ProgramKernel, module->function_count + 1u);
    if (!ptx_lay_out_shared(diagnostics, &module->arena, module, &layout)) return NULL;
    Arena scratch = {0};
    PtxReach reach = ptx_reach_open(&scratch, module);
    for (uint32_t i = 0; i < module->function_count; i++) {
        if (!module->functions[i].entry || !module->functions[i].has_body) continue;
        ptx_reach_add(&reach, i);
        kernels[program->kernel_count++] =
            describe_function(module, &module->functions[i], &reach, (uint32_t)layout.ends[i].bytes);
        ptx_reach_clear(&reach);
    }
    arena_reset(&scratch);
    program->kernels = kernels;
    return describe_globals(diagnostics, module, program) ? program : NULL;
}

// Blanks and comments, then ".version"; or the file's name says so.
static bool recognises_ptx(const char *path, const uint8_t *bytes, size_t size) {
    static const char first[] = ".version", suffix[] = ".ptx";
    const size_t length = strlen(path), wanted = sizeof suffix - 1;
    size_t i = 0;
    if (length >= wanted && !strcmp(path + length - wanted, suffix)) return true;
    while (i < size) {
        if (bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r')) {
            i++;
        } else if (i + 1 < size && bytes[i] == '/' && bytes[i + 1] == '/') {
            while (i < size && bytes[i] != '\n') i++;
        } else if (i + 1 < size && bytes[i] == '/' && bytes[i + 1] == '*') {
            for (i += 2; i + 1 < size && (bytes[i] != '*' || bytes[i + 1] != '/');) i++;
            i += 2;
        } else {
            return size - i >= sizeof first - 1 && !memcmp(bytes + i, first, sizeof first - 1);
        }
    }
    return false;
}

static const Program *read_ptx_program(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size) {
    PtxModule *module = ptx_read(diagnostics, path, (const char *)bytes, size);
    if (module) module->text = arena_text(&module->arena, (const char *)bytes, module->text_size = size);
    const Program *program = module ? describe_module(diagnostics, module) : NULL;
    if (!program) ptx_module_close(module);
    return program;
}

const FrontEnd ptx_front_end = {"PTX", recognises_ptx, read_ptx_program};

void ptx_program_close(const Program *program) {
    ptx_module_close(program->ptx);
}

// The text itself: kernels' places count, because messages have them.
bool ptx_program_print_identity(const Program *program, Buffer *out) {
    buffer_append(out, program->ptx->text, program->ptx->text_size);
    return true;
}
