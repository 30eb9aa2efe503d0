// SPDX-License-Identifier: Apache-2.0
// A module of PTX: where its variables are, its kernels' descriptions, the code of all functions.
#include "compiler/warp/lower_threads.h"
#include "compiler/warp/lanes.h"

#include <stdio.h>
#include <string.h>

// ---- places and refusals

uint32_t lane_place(LaneCode *code, const PtxInstruction *instruction) {
    LaneModule *module = code->module;
    const Location at = ptx_location(module->ptx, instruction->place);
    const char *op = ptx_spelling(module->arena, instruction);
    const uint32_t losses = code->dependences ? code->dependences[instruction - code->function->instructions] : 0;
    const KernelPlace *last = module->place_count ? &module->places[module->place_count - 1] : NULL;
    if (last && last->at.line == at.line && last->at.column == at.column && last->at.file == at.file &&
        !strcmp(last->op, op)) {
        module->places[module->place_count - 1].losses |= losses;
        return (uint32_t)module->place_count;
    }
    module->places = arena_grow(module->result, module->places, module->place_count, &module->place_capacity,
                                sizeof *module->places);
    module->places[module->place_count++] =
        (KernelPlace){.op = arena_keep(module->result, op), .at = location_keep(module->result, at), .losses = losses};
    return (uint32_t)module->place_count;
}

bool lane_refuse(LaneCode *code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = arena_vformat(code->module->arena, format, args);
    va_end(args);
    return diag_fail(code->cx.diagnostics, code->cx.at, E_UNSUPPORTED, "'%s': %s", code->cx.op_name, why);
}

typedef struct Lowering {
    Diagnostics *diagnostics;
    const LowerRequest *request;
    LaneModule module;
    LaneCode code; // what all functions begin with
    PtxSharedLayout shared;
} Lowering;

static bool place_variables(Lowering *l) {
    const PtxModule *ptx = l->module.ptx;
    uint32_t globals = 0;
    l->module.global_numbers = arena_array(l->module.arena, uint32_t, ptx->variable_count + 1u);
    for (uint32_t i = 0; i < ptx->variable_count; i++)
        if (ptx_is_global(&ptx->variables[i])) l->module.global_numbers[i] = globals++;
    if (!ptx_lay_out_shared(l->diagnostics, l->module.arena, ptx, &l->shared)) return false;
    l->module.shared_offsets = l->shared.module;
    return true;
}

// ---- kernels

static uint64_t align_to(uint64_t at, uint64_t alignment) {
    return alignment > 1 ? (at + alignment - 1) / alignment * alignment : at;
}

uint32_t lane_parameter_offset(const PtxFunction *function, uint32_t parameter) {
    uint64_t at = 0;
    for (uint32_t i = 0;; i++) {
        const PtxVariable *variable = &function->variables[i];
        at = align_to(at, variable->alignment);
        if (i == parameter) return (uint32_t)at;
        at += variable->size;
    }
}

static bool describe_parameters(Lowering *l, const PtxFunction *function, KernelInfo *kernel) {
    KernelParameter *layout = arena_array(l->module.result, KernelParameter, function->parameter_count + 1);
    uint64_t end = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const PtxVariable *variable = &function->variables[i];
        const uint32_t offset = lane_parameter_offset(function, i);
        layout[i] = (KernelParameter){offset, (uint32_t)variable->size, variable->alignment};
        end = offset + variable->size;
        if (end > WARP_PARAMETERS_MAX)
            return diag_fail(l->diagnostics, variable->at, E_LIMIT, "kernel %s: more than %d bytes of parameters",
                             function->name, WARP_PARAMETERS_MAX);
    }
    kernel->parameter_count = function->parameter_count;
    kernel->parameter_layout = layout;
    kernel->parameter_bytes = (uint32_t)end;
    return true;
}

static uint32_t count_threads(const uint32_t extent[3]) {
    return extent[0] * (extent[1] ? extent[1] : 1) * (extent[2] ? extent[2] : 1);
}

static bool describe_kernel(Lowering *l, uint32_t number, KernelInfo *kernel) {
    const PtxFunction *function = &l->module.ptx->functions[number];
    *kernel = (KernelInfo){.name = arena_keep(l->module.result, function->name),
                           .symbol = arena_format(l->module.result, "congruent.kernel.%u", number),
                           .global_count = l->request->program->global_count,
                           .threads_max = count_threads(function->maxntid)};
    if (!describe_parameters(l, function, kernel)) return false;
    kernel->static_shared = (uint32_t)l->shared.ends[number].bytes;
    kernel->shared_alignment = l->shared.ends[number].alignment;
    memcpy(kernel->required_threads, function->reqntid, sizeof kernel->required_threads);
    memcpy(kernel->required_cluster, function->reqnctapercluster, sizeof kernel->required_cluster);
    return true;
}

// ---- functions

static bool is_kernel(const PtxFunction *function) {
    return function->entry && function->has_body;
}

// The functions that need code: the kernels that are asked for, and what they may call.
static PtxReach find_wanted(Lowering *l) {
    const PtxModule *ptx = l->module.ptx;
    const CompileKernels *asked = l->request->options->kernels;
    PtxReach wanted = ptx_reach_open(l->module.arena, ptx);
    for (uint32_t i = 0, kernel = 0; i < ptx->function_count; i++) {
        if (!is_kernel(&ptx->functions[i])) continue;
        if (!asked || (kernel < asked->count && asked->chosen[kernel])) ptx_reach_add(&wanted, i);
        kernel++;
    }
    return wanted;
}

static void declare_functions(Lowering *l) {
    const PtxModule *ptx = l->module.ptx;
    LLVMContextRef context = l->code.cx.context;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef entry = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
    l->module.functions = arena_array(l->module.arena, LLVMValueRef, ptx->function_count + 1);
    const PtxReach wanted = find_wanted(l);
    for (uint32_t i = 0; i < ptx->function_count; i++) {
        const PtxFunction *function = &ptx->functions[i];
        if (!wanted.reached[i] || !function->has_body || (!function->entry && lane_is_known(&l->module, function))) continue;
        char name[64];
        snprintf(name, sizeof name, "congruent.%s.%u", function->entry ? "kernel" : "function", i);
        l->module.functions[i] =
            LLVMAddFunction(l->code.cx.module, name, function->entry ? entry : lane_function_type(&l->module, context));
        if (!function->entry) LLVMSetLinkage(l->module.functions[i], LLVMInternalLinkage);
    }
}

// Parameters and results are memory that caller and callee share.
static bool check_parameters(const Lowering *l, const PtxFunction *function) {
    for (uint32_t i = 0; i < function->parameter_count + function->result_count; i++)
        if (function->variables[i].space == PTX_REGISTERS)
            return diag_fail(l->diagnostics, function->at, E_UNSUPPORTED,
                             "function %s: parameters and results in registers (.reg) are not supported",
                             function->name);
    return true;
}

static bool emit_function(Lowering *l, uint32_t number) {
    LaneCode code = l->code;
    Arena scratch = {0};
    CodeSlots slots = {.arena = &scratch};
    LaneModule *module = &l->module;
    code.module = module;
    code.function = &module->ptx->functions[number];
    code.shared_offsets = l->shared.functions[number];
    code.cx.function = module->functions[number];
    code.cx.slots = &slots;
    code.run_first = module->shapes.word_count;
    code.state = LLVMGetParam(code.cx.function, 0);
    if (!code.function->entry) {
        code.caller_lanes = LLVMGetParam(code.cx.function, 1);
        code.arguments = LLVMGetParam(code.cx.function, 2);
    }
    code.cx.entry_block = code_block(&code.cx, "entry");
    LLVMPositionBuilderAtEnd(code.cx.builder, code.cx.entry_block);
    lane_open_slots(&code);
    module->function_unwritten[number].begin = module->unwritten_count;
    bool good = check_parameters(l, code.function) &&
                lane_check_wgmma(l->diagnostics, module->ptx, code.function) && lane_plan(&code, &scratch);
    module->function_unwritten[number].end = module->unwritten_count;
    if (good) code.validated = lane_find_validated(code.function, module->checks, &scratch);
    module->function_losses[number].begin = module->loss_count;
    if (good && code.cx.numeric == &numeric_payload) lane_find_losses(&code);
    module->function_losses[number].end = module->loss_count;
    good = good && lane_emit_body(&code);
    lane_close_slots(&code);
    arena_reset(&scratch);
    return good;
}

// Those of the kernel, and of all functions that are no kernels.
static void keep_losses(Lowering *l, uint32_t number, KernelInfo *kernel) {
    const LaneModule *module = &l->module;
    KernelLoss *losses = arena_array(module->result, KernelLoss, module->loss_count + 1);
    for (uint32_t i = 0; i < module->ptx->function_count; i++)
        for (size_t k = module->function_losses[i].begin; k < module->function_losses[i].end; k++)
            if (i == number || !module->ptx->functions[i].entry) losses[kernel->loss_count++] = module->losses[k];
    kernel->losses = losses;
}

// Those of the kernel and of the functions that it may call.
static void keep_unwritten(Lowering *l, const PtxReach *reach, KernelInfo *kernel) {
    const LaneModule *module = &l->module;
    KernelUnwritten *unwritten = arena_array(module->result, KernelUnwritten, module->unwritten_count + 1);
    for (uint32_t i = 0; i < module->ptx->function_count; i++)
        for (size_t k = module->function_unwritten[i].begin; k < module->function_unwritten[i].end; k++)
            if (reach->reached[i]) unwritten[kernel->unwritten_count++] = module->unwritten[k];
    kernel->unwritten = unwritten;
}

static const Numeric *numeric_of(const CompileOptions *options) {
    return options->numeric == COMPILE_PAYLOAD ? &numeric_payload : &numeric_ieee;
}

static void open_context(Lowering *l) {
    const LowerRequest *request = l->request;
    LLVMContextRef context = LLVMGetModuleContext(request->llvm);
    l->code.cx = (NumericContext){.context = context,
                                  .module = request->llvm,
                                  .builder = LLVMCreateBuilderInContext(context),
                                  .numeric = numeric_of(request->options),
                                  .instrumentation = request->options->instrumentation,
                                  .machine = *request->machine,
                                  .diagnostics = l->diagnostics};
}

static bool lower_all(Lowering *l, LoweredModule *lowered) {
    const PtxModule *ptx = l->module.ptx;
    if (!place_variables(l)) return false;
    declare_functions(l);
    l->module.checks = lane_find_checks(ptx, l->module.arena);
    lowered->kernels = arena_array(l->module.result, KernelInfo, ptx->function_count + 1);
    l->module.function_losses = arena_array(l->module.arena, struct LaneLosses, ptx->function_count + 1);
    l->module.function_unwritten = arena_array(l->module.arena, struct LaneLosses, ptx->function_count + 1);
    for (uint32_t i = 0; i < ptx->function_count; i++) {
        if (!is_kernel(&ptx->functions[i])) continue;
        KernelInfo *kernel = &lowered->kernels[lowered->kernel_count++];
        *kernel = (KernelInfo){.name = arena_keep(l->module.result, ptx->functions[i].name)};
        if (!l->module.functions[i]) continue; // nobody asks for it
        if (!describe_kernel(l, i, kernel)) return false;
    }
    lane_open_shapes(&l->code);
    for (uint32_t i = 0; i < ptx->function_count; i++)
        if (l->module.functions[i] && !emit_function(l, i)) return false;
    lane_close_shapes(&l->code);
    PtxReach reach = ptx_reach_open(l->module.arena, ptx);
    for (uint32_t i = 0, k = 0; i < ptx->function_count; i++) {
        if (!is_kernel(&ptx->functions[i])) continue;
        KernelInfo *kernel = &lowered->kernels[k++];
        if (!l->module.functions[i]) continue;
        ptx_reach_add(&reach, i);
        kernel->sequential = lane_depends_on_order(&reach, l->code.cx.numeric);
        keep_unwritten(l, &reach, kernel);
        ptx_reach_clear(&reach);
        keep_losses(l, i, kernel);
    }
    if (!lane_emit_table(&l->code)) return false;
    lowered->places = l->module.places;
    lowered->place_count = (uint32_t)l->module.place_count;
    return true;
}

bool lower_threads(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered) {
    Arena scratch = {0};
    Lowering l = {
        .diagnostics = diagnostics,
        .request = request,
        .module = {.arena = &scratch, .result = arena, .ptx = request->program->ptx, .options = request->options}};
    if (request->options->numeric == COMPILE_SHADOW)
        return diag_fail(diagnostics, (Location){.file = request->program->path}, E_UNSUPPORTED,
                         "profile tower has no PTX yet; say `profile: triton-3.9`");
    if (request->options->numeric == COMPILE_WIDE || request->options->numeric == COMPILE_WIDER)
        return diag_fail(diagnostics, (Location){.file = request->program->path}, E_UNSUPPORTED,
                         "mode wide has no PTX yet");
    open_context(&l);
    l.code.module = &l.module;
    const bool good = lower_all(&l, lowered);
    LLVMDisposeBuilder(l.code.cx.builder);
    buffer_free(&l.module.shapes.key);
    arena_reset(&scratch);
    return good;
}
