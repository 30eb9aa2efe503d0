// SPDX-License-Identifier: Apache-2.0
// Building, compiling and running small kernels; see lab.h.
#include "tests/lower/lab.h"

#include <stdlib.h>
#include <string.h>

// ---- life -----------------------------------------------------------------------------------------------------------

static TirType pointer_type(TirModule *module, TirTypeKind pointee) {
    TirTypeInfo info = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(module, pointee), .ptr_attr = -1};
    return tir_type_intern(module, &info);
}

Lab lab_open(uint32_t parameter_count, const TirTypeKind *pointees) {
    Lab lab = {.module = tir_module_open("lab"), .parameter_count = parameter_count, .kinds = pointees};
    lab.compiler = compiler_open(&lab.diagnostics);
    cr_assert(lab.compiler, "%s", lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    TirType parameters[LAB_BUFFERS_MAX];
    for (uint32_t i = 0; i < parameter_count; i++)
        parameters[i] = tir_type_tile(lab.module, pointer_type(lab.module, pointees[i]), 0, NULL);
    TirTypeInfo type = {.kind = TIR_TYPE_function, .parameter_count = parameter_count, .parameters = parameters};
    TirFunction *function = tir_function_add(lab.module, "kernel", tir_type_intern(lab.module, &type), true);
    lab.block = function->body.first;
    for (int p = 0; p < 2; p++) {
        lab.planes[p] = calloc(LAB_BUFFERS_MAX, LAB_BUFFER_BYTES);
        cr_assert(lab.planes[p]);
    }
    for (uint32_t i = 0; i < parameter_count; i++) {
        uint64_t begin = (uint64_t)(uintptr_t)lab.planes[0] + (uint64_t)i * LAB_BUFFER_BYTES;
        lab.ranges[i] = (HostRange){begin, begin + LAB_BUFFER_BYTES};
        lab.arguments[i] = begin;
    }
    return lab;
}

void lab_close(Lab *lab) {
    compiled_module_close(lab->compiler, lab->compiled);
    compiler_close(lab->compiler);
    tir_module_close(lab->module);
    diagnostics_close(&lab->diagnostics);
    for (int p = 0; p < 2; p++) free(lab->planes[p]);
}

bool lab_compile(Lab *lab, CompileNumeric numeric, FpsanCasts casts, const char *cpu) {
    CompileOptions options = {.numeric = numeric, .cpu = cpu, .optimize = 2};
    options.instrumentation.enabled = numeric != COMPILE_IEEE;
    options.instrumentation.algebra = fpsan_default_algebra();
    options.instrumentation.algebra.casts = casts;
    compiled_module_close(lab->compiler, lab->compiled);
    lab->compiled = NULL;
    if (!tir_verify(&lab->diagnostics, lab->module)) return false;
    lab->compiled = compiler_load(lab->compiler, &lab->diagnostics, lab->module, &options);
    return lab->compiled;
}

bool lab_run(Lab *lab) {
    const CompiledKernel *kernel = &lab->compiled->kernels[0];
    HostLaunch launch = {.arguments = lab->arguments,
                         .argument_ranges = lab->ranges,
                         .buffers = lab->ranges, // begin in order
                         .buffer_count = lab->parameter_count,
                         .shadow_displacement = (int64_t)((uintptr_t)lab->planes[1] - (uintptr_t)lab->planes[0]),
                         .grid = {1, 1, 1}};
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    cr_assert(scratch);
    memset(scratch, 0xA5, kernel->scratch_bytes); // what a kernel does not write itself is not zero
    lab->fault = (HostFault){0};
    lab->site = kernel->entry(&launch, scratch, 0, 0, 0, &lab->fault);
    free(scratch);
    return lab->site == 0;
}

void *lab_bytes(Lab *lab, uint32_t buffer, unsigned plane) {
    return lab->planes[plane] + (lab->arguments[buffer] - (uint64_t)(uintptr_t)lab->planes[0]);
}

void lab_shrink(Lab *lab, uint32_t buffer, uint64_t bytes) {
    lab->ranges[buffer].begin = lab->ranges[buffer].end - bytes;
    lab->arguments[buffer] = lab->ranges[buffer].begin;
}

// ---- building -------------------------------------------------------------------------------------------------------

TirType lab_tile(Lab *lab, TirTypeKind kind, uint32_t rank, const int64_t *shape) {
    return tir_type_tile(lab->module, tir_type_scalar(lab->module, kind), rank, shape);
}

TirType lab_pointer_tile(Lab *lab, TirTypeKind pointee, uint32_t rank, const int64_t *shape) {
    return tir_type_tile(lab->module, pointer_type(lab->module, pointee), rank, shape);
}

TirOp *lab_op(Lab *lab, TirOpKind kind, uint32_t result_count, const TirType *results, uint32_t operand_count,
              const TirValue *operands, const uint32_t *segments) {
    TirOp *op = tir_op_add(lab->block, kind, operand_count, operands, segments, result_count, results);
    op->at = (Location){.file = "lab.py", .line = op->number + 1};
    return op;
}

TirValue lab_value(Lab *lab, TirOpKind kind, TirType result, uint32_t operand_count, const TirValue *operands) {
    return tir_result(lab_op(lab, kind, 1, &result, operand_count, operands, NULL), 0);
}

void lab_set(TirOp *op, const char *name, uint64_t integer) {
    tir_op_set(op, name)->integer = integer;
}

TirValue lab_constant(Lab *lab, TirType type, uint64_t bits) {
    TirOp *op = lab_op(lab, TIR_OP_constant, 1, &type, 0, NULL, NULL);
    TirTypeKind kind = tir_tile_element_kind(lab->module, type);
    size_t size = kind == TIR_TYPE_tf32 ? 3 : ((size_t)tir_type_rows[kind].bits + 7) / 8;
    uint8_t *bytes = arena_alloc(&lab->module->arena, 8);
    if (kind == TIR_TYPE_tf32) bits >>= 13;
    if (kind == TIR_TYPE_i1) bits = bits ? 0xFF : 0;
    memcpy(bytes, &bits, size);
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = bytes, .size = size};
    return tir_result(op, 0);
}

TirValue lab_argument(Lab *lab, uint32_t index) {
    return lab->module->functions[0].body.first->first_argument + index;
}

TirValue lab_iota(Lab *lab, int64_t count) {
    return lab_value(lab, TIR_OP_iota, lab_tile(lab, TIR_TYPE_i32, 1, &count), 0, NULL);
}

TirValue lab_pointers(Lab *lab, uint32_t argument, int64_t first, int64_t count) {
    TirTypeKind kind = lab->kinds[argument];
    int64_t one = 1;
    TirValue pointer = lab_argument(lab, argument), index = lab_iota(lab, count);
    TirType integers = lab_tile(lab, TIR_TYPE_i32, 1, &count);
    TirValue start = lab_constant(lab, integers, (uint64_t)first);
    TirOp *sum = lab_op(lab, TIR_OP_addi, 1, &integers, 2, (TirValue[]){index, start}, NULL);
    lab_set(sum, "overflow", TIR_overflow_none);
    pointer = lab_value(lab, TIR_OP_reshape, lab_pointer_tile(lab, kind, 1, &one), 1, &pointer);
    pointer = lab_value(lab, TIR_OP_broadcast, lab_pointer_tile(lab, kind, 1, &count), 1, &pointer);
    return lab_value(lab, TIR_OP_offset, lab_pointer_tile(lab, kind, 1, &count), 2,
                     (TirValue[]){pointer, tir_result(sum, 0)});
}

TirOp *lab_load_op(Lab *lab, TirValue pointers, TirType result, TirValue mask, TirValue padding) {
    TirValue operands[3] = {pointers, mask, padding};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, mask != TIR_NO_VALUE, padding != TIR_NO_VALUE, 0};
    TirTypeInfo token = {.kind = TIR_TYPE_token};
    TirType results[2] = {result, tir_type_intern(lab->module, &token)};
    TirOp *op = lab_op(lab, TIR_OP_load_ptr_tko, 2, results, 1 + segments[1] + segments[2], operands, segments);
    lab_set(op, "ordering", TIR_memory_ordering_weak);
    return op;
}

TirOp *lab_store_op(Lab *lab, TirValue pointers, TirValue value, TirValue mask) {
    TirValue operands[3] = {pointers, value, mask};
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, mask != TIR_NO_VALUE, 0};
    TirTypeInfo token = {.kind = TIR_TYPE_token};
    TirType result = tir_type_intern(lab->module, &token);
    TirOp *op = lab_op(lab, TIR_OP_store_ptr_tko, 1, &result, 2 + segments[2], operands, segments);
    lab_set(op, "ordering", TIR_memory_ordering_weak);
    return op;
}

TirValue lab_load(Lab *lab, uint32_t argument, uint32_t rank, const int64_t *shape) {
    int64_t count = 1;
    for (uint32_t d = 0; d < rank; d++) count *= shape[d];
    TirTypeKind kind = lab->kinds[argument];
    TirValue flat = tir_result(lab_load_op(lab, lab_pointers(lab, argument, 0, count), lab_tile(lab, kind, 1, &count),
                                           TIR_NO_VALUE, TIR_NO_VALUE),
                               0);
    return lab_value(lab, TIR_OP_reshape, lab_tile(lab, kind, rank, shape), 1, &flat);
}

void lab_store(Lab *lab, uint32_t argument, TirValue value) {
    TirTypeKind kind = lab->kinds[argument];
    int64_t count = tir_tile_elements(lab->module, tir_value_type(&lab->module->functions[0], value));
    TirValue flat = lab_value(lab, TIR_OP_reshape, lab_tile(lab, kind, 1, &count), 1, &value);
    lab_store_op(lab, lab_pointers(lab, argument, 0, count), flat, TIR_NO_VALUE);
}

void lab_return(Lab *lab) {
    lab_op(lab, TIR_OP_return, 0, NULL, 0, NULL, NULL);
}

// ---- elements -------------------------------------------------------------------------------------------------------

uint64_t lab_get(Lab *lab, uint32_t buffer, unsigned plane, TirTypeKind kind, uint64_t index) {
    size_t size = tir_type_rows[kind].storage_bytes;
    uint64_t bits = 0;
    memcpy(&bits, (uint8_t *)lab_bytes(lab, buffer, plane) + index * size, size);
    return bits;
}

void lab_put(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, uint64_t bits) {
    size_t size = tir_type_rows[kind].storage_bytes;
    for (unsigned p = 0; p < 2; p++) memcpy((uint8_t *)lab_bytes(lab, buffer, p) + index * size, &bits, size);
}

FpsanFormat lab_format(TirTypeKind kind) {
    switch (kind) {
    case TIR_TYPE_f64: return FPSAN_F64;
    case TIR_TYPE_f32: return FPSAN_F32;
    case TIR_TYPE_tf32: return FPSAN_TF32;
    case TIR_TYPE_f16: return FPSAN_F16;
    case TIR_TYPE_bf16: return FPSAN_BF16;
    case TIR_TYPE_f8E4M3FN: return FPSAN_F8E4M3FN;
    case TIR_TYPE_f8E5M2: return FPSAN_F8E5M2;
    default: cr_assert_fail("no float kind: %d", (int)kind);
    }
    return FPSAN_FORMAT_COUNT;
}

uint64_t lab_random(uint64_t *state) { // splitmix64
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}
