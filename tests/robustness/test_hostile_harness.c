// SPDX-License-Identifier: Apache-2.0
// Building, compiling and running the kernels of hostile.h.
#include "tests/robustness/hostile.h"

#include <stdio.h>
#include <string.h>

static const TirTypeKind kinds[HOSTILE_BUFFERS] = {TIR_TYPE_f32, TIR_TYPE_i64, TIR_TYPE_i64, TIR_TYPE_f32};

Hostile hostile_open(void) {
    Hostile x = {.lab = lab_open(HOSTILE_BUFFERS, kinds)};
    x.device = rt_open_host(&x.lab.diagnostics, &(RtDeviceOptions){.jobs = 2, .shadow = true});
    cr_assert(x.device);
    return x;
}

void hostile_close(Hostile *x) {
    for (int i = 0; i < HOSTILE_WAYS; i++) compiled_module_close(x->lab.compiler, x->compiled[i]);
    rt_close(x->device);
    lab_close(&x->lab);
}

void hostile_compile(Hostile *x) {
    lab_return(&x->lab);
    Diagnostics *diagnostics = &x->lab.diagnostics;
    bool valid = tir_verify(diagnostics, x->lab.module);
    cr_assert(valid, "%s", diagnostics->count ? diagnostics->items[0].message : "");
    for (int i = 0; i < HOSTILE_WAYS; i++) {
        static const CompileNumeric numerics[] = {COMPILE_IEEE, COMPILE_PAYLOAD, COMPILE_SHADOW};
        CompileOptions options = {.numeric = numerics[i % 3], .optimize = i < 3 ? 0 : 3};
        options.instrumentation.enabled = options.numeric == COMPILE_PAYLOAD;
        options.instrumentation.algebra = fpsan_default_algebra();
        x->compiled[i] = compiler_load(x->lab.compiler, diagnostics, tir_program(x->lab.module), &options);
        cr_assert(x->compiled[i], "%s", diagnostics->count ? diagnostics->items[0].message : "");
    }
}

// ---- runs -----------------------------------------------------------------------------------------------------------

typedef struct HostileRun {
    RtBuffer *buffers[HOSTILE_BUFFERS];
    RtArgument arguments[HOSTILE_BUFFERS];
} HostileRun;

static void fill_buffer(const RtBuffer *buffer, uint32_t first) {
    uint32_t *words = (uint32_t *)(uintptr_t)buffer->address;
    for (size_t i = 0; i < buffer->size / 4; i++) words[i] = first + (uint32_t)i;
}

static HostileRun open_run(Hostile *x, size_t data_bytes, uint32_t control_count, const int64_t *controls) {
    static const char *const names[] = {"data", "controls", "output", "other"};
    const size_t sizes[] = {data_bytes, control_count * 8, HOSTILE_OUTPUTS * 8, HOSTILE_OTHER_ELEMENTS * 4};
    HostileRun run;
    for (int b = 0; b < HOSTILE_BUFFERS; b++) {
        run.buffers[b] = rt_alloc(x->device, &x->lab.diagnostics, sizes[b]);
        cr_assert(run.buffers[b]);
        run.buffers[b]->name = names[b];
        run.arguments[b] = (RtArgument){run.buffers[b]->address, run.buffers[b]};
    }
    fill_buffer(run.buffers[HOSTILE_DATA], 0);
    fill_buffer(run.buffers[HOSTILE_OTHER], 1000);
    if (control_count)
        rt_copy_in(x->device, &x->lab.diagnostics, run.buffers[HOSTILE_CONTROLS], 0, controls, control_count * 8);
    memset((void *)(uintptr_t)run.buffers[HOSTILE_OUTPUT]->address, 0xFF, HOSTILE_OUTPUTS * 8);
    return run;
}

static void run_way(Hostile *x, HostileRun *run, int way, int64_t *output, char *fault) {
    const KernelInfo *compiled = &x->compiled[way]->kernels[0];
    Diagnostics diagnostics = {0};
    KernelSite sites[100];
    cr_assert_leq(compiled->site_count, BASE_COUNT(sites));
    for (uint32_t s = 0; s < compiled->site_count; s++)
        sites[s] = (KernelSite){compiled->sites[s].kind, compiled->sites[s].op, compiled->sites[s].message,
                                compiled->sites[s].at};
    KernelInfo kernel = {.name = "kernel",
                         .entry = compiled->entry,
                         .scratch_bytes = compiled->scratch_bytes,
                         .parameter_count = HOSTILE_BUFFERS,
                         .site_count = compiled->site_count,
                         .sites = sites,
                         .sequential = true,
                         .stored_widths = compiled->stored_widths,
                         .stored_widths_unknown = compiled->stored_widths_unknown};
    bool good =
        rt_launch(x->device, &diagnostics,
                  &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = run->arguments});
    cr_assert_eq(good, !diagnostics.count);
    snprintf(fault, sizeof x->fault, "%s", good ? "" : diagnostics.items[0].message);
    rt_copy_out(x->device, &x->lab.diagnostics, run->buffers[HOSTILE_OUTPUT], 0, output, HOSTILE_OUTPUTS * 8);
    for (int b = 0; b < HOSTILE_BUFFERS; b++) rt_free(x->device, run->buffers[b]);
    diagnostics_close(&diagnostics);
}

void hostile_run(Hostile *x, size_t data_bytes, uint32_t control_count, const int64_t *controls, const char *fault,
                 const char *what) {
    int64_t output[HOSTILE_OUTPUTS];
    char text[sizeof x->fault];
    for (int way = 0; way < HOSTILE_WAYS; way++) {
        HostileRun run = open_run(x, data_bytes, control_count, controls);
        run_way(x, &run, way, way ? output : x->output, way ? text : x->fault);
        if (!way) continue;
        cr_assert_str_eq(text, x->fault, "%s: way %d", what, way);
        cr_assert(!memcmp(output, x->output, sizeof output), "%s: way %d has other outputs", what, way);
    }
    if (fault)
        cr_assert(*x->fault && strstr(x->fault, fault), "%s: '%s', expected '%s'", what, x->fault, fault);
    else
        cr_assert_str_empty(x->fault, "%s: %s", what, x->fault);
}

// ---- building -------------------------------------------------------------------------------------------------------

static TirType scalar_type(Hostile *x, TirTypeKind kind) {
    return lab_tile(&x->lab, kind, 0, NULL);
}

TirValue hostile_offset(Hostile *x, TirValue pointer, TirValue offset) {
    TirType type = tir_value_type(&x->lab.module->functions[0], pointer);
    return lab_value(&x->lab, TIR_OP_offset, type, 2, (TirValue[]){pointer, offset});
}

TirValue hostile_control(Hostile *x, uint32_t index) {
    TirValue offset = lab_constant(&x->lab, scalar_type(x, TIR_TYPE_i64), index);
    TirValue pointer = hostile_offset(x, lab_argument(&x->lab, HOSTILE_CONTROLS), offset);
    return tir_result(lab_load_op(&x->lab, pointer, scalar_type(x, TIR_TYPE_i64), TIR_NO_VALUE, TIR_NO_VALUE), 0);
}

TirValue hostile_narrow(Hostile *x, TirValue value, TirTypeKind kind) {
    TirType type = scalar_type(x, kind);
    TirOp *op = lab_op(&x->lab, TIR_OP_trunci, 1, &type, 1, &value, NULL);
    lab_set(op, "overflow", TIR_overflow_none);
    return tir_result(op, 0);
}

static TirValue widen(Hostile *x, TirValue value) {
    const TirTypeInfo *from = tir_type(x->lab.module, tir_value_type(&x->lab.module->functions[0], value));
    TirType type = lab_tile(&x->lab, TIR_TYPE_i64, from->rank, from->shape);
    if (tir_value_type(&x->lab.module->functions[0], value) == type) return value;
    TirOp *op = lab_op(&x->lab, TIR_OP_exti, 1, &type, 1, &value, NULL);
    lab_set(op, "signedness", TIR_signedness_unsigned);
    return tir_result(op, 0);
}

void hostile_output(Hostile *x, uint32_t at, TirValue value) {
    const TirFunction *function = &x->lab.module->functions[0];
    TirType type = tir_value_type(function, value);
    const TirTypeInfo *info = tir_type(x->lab.module, type);
    if (tir_type_is_float(x->lab.module, info->element))
        value = lab_value(&x->lab, TIR_OP_bitcast, lab_tile(&x->lab, TIR_TYPE_i32, info->rank, info->shape), 1, &value);
    value = widen(x, value);
    TirValue pointer = info->rank ? lab_pointers(&x->lab, HOSTILE_OUTPUT, at, info->shape[0])
                                  : hostile_offset(x, lab_argument(&x->lab, HOSTILE_OUTPUT),
                                                   lab_constant(&x->lab, scalar_type(x, TIR_TYPE_i64), at));
    lab_store_op(&x->lab, pointer, value, TIR_NO_VALUE);
}

TirValue hostile_tensor(Hostile *x, TirValue base, uint32_t rank, const TirValue *sizes, const TirValue *strides) {
    int64_t dynamic[TIR_RANK_MAX];
    TirValue operands[1 + 2 * TIR_RANK_MAX] = {base};
    for (uint32_t d = 0; d < rank; d++) {
        dynamic[d] = TIR_DYNAMIC;
        operands[1 + d] = sizes[d];
        operands[1 + rank + d] = strides[d];
    }
    TirType pointer = tir_type(x->lab.module, tir_value_type(&x->lab.module->functions[0], base))->element;
    TirTypeInfo info = {.kind = TIR_TYPE_tensor_view,
                        .element = tir_type(x->lab.module, pointer)->element,
                        .rank = rank,
                        .shape = dynamic,
                        .strides = dynamic,
                        .ptr_attr = -1};
    TirType type = tir_type_intern(x->lab.module, &info);
    return tir_result(lab_op(&x->lab, TIR_OP_make_tensor_view, 1, &type, 1 + 2 * rank, operands,
                             (uint32_t[TIR_OPERANDS_MAX]){1, rank, rank}),
                      0);
}

static TirValue make_view(Hostile *x, TirOpKind op, TirTypeInfo info, TirValue tensor) {
    int32_t map[TIR_RANK_MAX];
    info.element = tir_value_type(&x->lab.module->functions[0], tensor);
    info.rank = tir_type(x->lab.module, info.element)->rank;
    for (uint32_t d = 0; d < info.rank; d++) map[d] = (int32_t)d;
    info.dim_map = map;
    return lab_value(&x->lab, op, tir_type_intern(x->lab.module, &info), 1, &tensor);
}

TirValue hostile_partition(Hostile *x, TirValue tensor, const int64_t *tile) {
    TirTypeInfo info = {.kind = TIR_TYPE_partition_view, .shape = tile, .padding = TIR_PAD_zero, .ptr_attr = -1};
    return make_view(x, TIR_OP_make_partition_view, info, tensor);
}

TirValue hostile_strided(Hostile *x, TirValue tensor, const int64_t *tile, const int64_t *steps, TirPadding padding) {
    TirTypeInfo info = {
        .kind = TIR_TYPE_strided_view, .shape = tile, .strides = steps, .padding = padding, .ptr_attr = -1};
    return make_view(x, TIR_OP_make_strided_view, info, tensor);
}

TirValue hostile_gather(Hostile *x, TirValue tensor, const int64_t *tile, uint32_t sparse) {
    TirTypeInfo info = {.kind = TIR_TYPE_gather_scatter_view,
                        .shape = tile,
                        .sparse_dim = sparse,
                        .padding = TIR_PAD_zero,
                        .ptr_attr = -1};
    return make_view(x, TIR_OP_make_gather_scatter_view, info, tensor);
}

void hostile_reduce_view(Hostile *x, TirValue view, TirValue index, TirValue tile) {
    TirType token = tir_type_scalar(x->lab.module, TIR_TYPE_token);
    TirOp *op = lab_op(&x->lab, TIR_OP_atomic_red_view_tko, 1, &token, 3, (TirValue[]){view, index, tile},
                       (uint32_t[TIR_OPERANDS_MAX]){1, 1, 1});
    lab_set(op, "ordering", TIR_memory_ordering_relaxed);
    lab_set(op, "scope", TIR_memory_scope_device);
    lab_set(op, "mode", TIR_atomic_mode_add);
}

// With the weak ordering: view, indices, and the tile between them for a store.
static TirOp *access_view(Hostile *x, TirOpKind kind, TirValue view, const TirValue *indices, TirValue tile) {
    const TirTypeInfo *info = tir_type(x->lab.module, tir_value_type(&x->lab.module->functions[0], view));
    bool loads = kind == TIR_OP_load_view_tko;
    TirValue operands[2 + TIR_RANK_MAX] = {loads ? view : tile, view};
    for (uint32_t d = 0; d < info->rank; d++) operands[(loads ? 1 : 2) + d] = indices[d];
    TirTypeKind element = tir_type(x->lab.module, tir_type(x->lab.module, info->element)->element)->kind;
    TirType results[2] = {lab_tile(&x->lab, element, info->rank, info->shape),
                          tir_type_scalar(x->lab.module, TIR_TYPE_token)};
    const uint32_t segments[2][TIR_OPERANDS_MAX] = {{1, info->rank}, {1, 1, info->rank}};
    TirOp *op = lab_op(&x->lab, kind, loads ? 2 : 1, loads ? results : results + 1, info->rank + (loads ? 1 : 2),
                       operands, segments[!loads]);
    lab_set(op, "ordering", TIR_memory_ordering_weak);
    return op;
}

void hostile_inbounds(Hostile *x, uint32_t rank, const int64_t *said) {
    int64_t *numbers = arena_array(&x->lab.module->arena, int64_t, rank);
    memcpy(numbers, said, rank * sizeof *said);
    TirAttribute *inbounds = tir_op_set(x->lab.block->last, "inbounds");
    inbounds->numbers = numbers;
    inbounds->length = rank;
}

TirValue hostile_load_view(Hostile *x, TirValue view, const TirValue *indices) {
    return tir_result(access_view(x, TIR_OP_load_view_tko, view, indices, TIR_NO_VALUE), 0);
}

void hostile_store_view(Hostile *x, TirValue view, const TirValue *indices, TirValue tile) {
    access_view(x, TIR_OP_store_view_tko, view, indices, tile);
}
