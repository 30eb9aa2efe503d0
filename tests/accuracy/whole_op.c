// SPDX-License-Identifier: Apache-2.0
// Kernels of one op each: building, compiling, running; see whole_op.h.
#include "tests/accuracy/whole_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TirTypeKind whole_op_memory(TirTypeKind kind) {
    return kind == TIR_TYPE_f4E2M1FN ? TIR_TYPE_f8E4M3FN : kind;
}

TirTypeKind whole_op_operand(const WholeOp *op, uint32_t index) {
    return op->op == TIR_OP_fpowi && index == 1 ? TIR_TYPE_i32 : op->from;
}

static bool has_attribute(TirOpKind kind, const char *name) {
    const TirOpInfo *info = tir_op_info(kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, name)) return true;
    return false;
}

const char *whole_op_text(const WholeOp *op, char *text) {
    const TirEnum *roundings = &tir_enum_rounding;
    snprintf(text, WHOLE_OP_TEXT, "%s %s%s%s%s%s%s%s%s%s%s%s%s%s%s", tir_op_info(op->op)->name,
             tir_type_rows[op->from].name, op->to == op->from ? "" : " to ",
             op->to == op->from ? "" : tir_type_rows[op->to].name, has_attribute(op->op, "rounding") ? " " : "",
             has_attribute(op->op, "rounding") ? tir_enum_word(roundings, op->rounding) : "",
             has_attribute(op->op, "signedness") ? op->is_signed ? " signed" : " unsigned" : "",
             op->op == TIR_OP_cmpf ? " " : "",
             op->op == TIR_OP_cmpf ? tir_enum_word(&tir_enum_predicate, op->predicate) : "",
             op->op == TIR_OP_cmpf ? op->ordered ? " ordered" : " unordered" : "", op->flush ? " ftz" : "",
             op->propagate_nan ? " propagate_nan" : "", op->saturating && has_attribute(op->op, "satf") ? " satf" : "",
             op->implementation == FLOAT_EXACT ? "" : " ",
             op->implementation == FLOAT_EXACT ? "" : float_implementation_name(op->implementation));
    return text;
}

// ---- building -------------------------------------------------------------------------------------------------------

typedef struct Build {
    TirModule *module;
    TirBlock *block;
    TirValue zero; // the index of the only tile
    int64_t tile;
} Build;

static TirType scalar_tile(TirModule *module, TirTypeKind kind) {
    return tir_type_tile(module, tir_type_scalar(module, kind), 0, NULL);
}

static TirType pointer_tile(TirModule *module, TirTypeKind pointee) {
    TirTypeInfo pointer = {.kind = TIR_TYPE_ptr, .element = tir_type_scalar(module, pointee), .ptr_attr = -1};
    return tir_type_tile(module, tir_type_intern(module, &pointer), 0, NULL);
}

static TirType tile_type(const Build *b, TirTypeKind kind) {
    return tir_type_tile(b->module, tir_type_scalar(b->module, kind), 1, &b->tile);
}

// All of an array of one tile, as a partition view.
static TirValue add_view(const Build *b, TirValue pointer, TirTypeKind kind) {
    int64_t one = 1;
    TirTypeInfo tensor = {.kind = TIR_TYPE_tensor_view,
                          .element = tir_type_scalar(b->module, kind),
                          .rank = 1,
                          .shape = &b->tile,
                          .strides = &one,
                          .ptr_attr = -1};
    TirType tensor_type = tir_type_intern(b->module, &tensor);
    TirTypeInfo view = {.kind = TIR_TYPE_partition_view,
                        .element = tensor_type,
                        .rank = 1,
                        .shape = &b->tile,
                        .dim_map = (int32_t[]){0},
                        .padding = TIR_PAD_none};
    TirType view_type = tir_type_intern(b->module, &view);
    TirOp *base = tir_op_add(b->block, &(TirNewOp){.kind = TIR_OP_make_tensor_view,
                                                   .operand_count = 1,
                                                   .operands = &pointer,
                                                   .segments = (uint32_t[]){1, 0, 0},
                                                   .result_count = 1,
                                                   .results = &tensor_type});
    TirValue tensor_view = tir_result(base, 0);
    return tir_result(tir_op_add(b->block, &(TirNewOp){.kind = TIR_OP_make_partition_view,
                                                       .operand_count = 1,
                                                       .operands = &tensor_view,
                                                       .result_count = 1,
                                                       .results = &view_type}),
                      0);
}

static TirValue add_conversion(const Build *b, TirValue value, TirTypeKind to) {
    TirType type = tile_type(b, to);
    TirOp *op = tir_op_add(
        b->block,
        &(TirNewOp){.kind = TIR_OP_ftof, .operand_count = 1, .operands = &value, .result_count = 1, .results = &type});
    tir_op_set(op, "rounding")->integer = TIR_rounding_nearest_even;
    return tir_result(op, 0);
}

static TirValue add_load(const Build *b, TirValue pointer, TirTypeKind kind) {
    TirTypeKind memory = whole_op_memory(kind);
    TirType results[2] = {tile_type(b, memory), tir_type_scalar(b->module, TIR_TYPE_token)};
    TirOp *op = tir_op_add(b->block, &(TirNewOp){.kind = TIR_OP_load_view_tko,
                                                 .operand_count = 2,
                                                 .operands = (TirValue[]){add_view(b, pointer, memory), b->zero},
                                                 .segments = (uint32_t[]){1, 1, 0},
                                                 .result_count = 2,
                                                 .results = results});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
    return memory == kind ? tir_result(op, 0) : add_conversion(b, tir_result(op, 0), kind);
}

// The array as a constant: i1 packed, tf32 the upper three bytes.
static TirValue add_constant(const Build *b, const void *array, TirTypeKind kind) {
    TirTypeKind memory = whole_op_memory(kind);
    TirType type = tile_type(b, memory);
    size_t bytes = memory == TIR_TYPE_tf32 ? 3 : tir_type_rows[memory].storage_bytes, size = 0;
    uint8_t *data = calloc((size_t)b->tile, 8);
    if (!data) abort();
    for (size_t i = 0; i < (size_t)b->tile; i++) {
        uint64_t bits = whole_op_get(array, memory, i);
        if (memory == TIR_TYPE_tf32) bits >>= 13;
        if (memory == TIR_TYPE_i1) {
            data[i / 8] |= (uint8_t)((bits & 1) << i % 8);
            size = i / 8 + 1;
        } else {
            memcpy(data + size, &bits, bytes);
            size += bytes;
        }
    }
    TirOp *op = tir_op_add(b->block, &(TirNewOp){.kind = TIR_OP_constant, .result_count = 1, .results = &type});
    tir_op_set(op, "value")->constant = tir_constant(b->module, data, size);
    free(data);
    return memory == kind ? tir_result(op, 0) : add_conversion(b, tir_result(op, 0), kind);
}

static void add_store(const Build *b, TirValue pointer, TirTypeKind kind, TirValue value) {
    TirTypeKind memory = whole_op_memory(kind);
    TirType token = tir_type_scalar(b->module, TIR_TYPE_token);
    if (memory != kind) value = add_conversion(b, value, memory);
    TirOp *op = tir_op_add(b->block, &(TirNewOp){.kind = TIR_OP_store_view_tko,
                                                 .operand_count = 3,
                                                 .operands = (TirValue[]){value, add_view(b, pointer, memory), b->zero},
                                                 .segments = (uint32_t[]){1, 1, 1, 0},
                                                 .result_count = 1,
                                                 .results = &token});
    tir_op_set(op, "ordering")->integer = TIR_memory_ordering_weak;
}

static void set_attributes(TirOp *op, const WholeOp *from) {
    const struct {
        const char *name;
        uint64_t value;
        bool is_flag;
    } attributes[] = {{"rounding", from->rounding, false},
                      {"signedness", from->is_signed ? TIR_signedness_signed : TIR_signedness_unsigned, false},
                      {"predicate", from->predicate, false},
                      {"ordering", from->ordered ? TIR_ordering_ordered : TIR_ordering_unordered, false},
                      {"ftz", from->flush, true},
                      {"nan", from->propagate_nan, true},
                      {"saturating", from->saturating, true},
                      {"satf", from->saturating, true}};
    for (size_t i = 0; i < BASE_COUNT(attributes); i++)
        if (has_attribute(op->kind, attributes[i].name) && (!attributes[i].is_flag || attributes[i].value))
            tir_op_set(op, attributes[i].name)->integer = attributes[i].value;
}

// What a text would say around the op, or on it.
static void set_math(TirModule *module, TirOp *op, const WholeOp *from) {
    TirMathBlock *block = arena_new(&module->arena, TirMathBlock);
    Implementation wanted;
    block->settings = "";
    if (from->flush && !has_attribute(op->kind, "ftz")) block->layer.denormals = MATH_DENORMALS_PRESERVE_SIGN;
    switch (from->implementation) {
    case FLOAT_EXACT:
    case FLOAT_IMPLEMENTATION_COUNT: break;
    case FLOAT_RECIPROCAL:
    case FLOAT_APPROXIMATED: op->math.flags = MATH_FLAG_afn; break;
    case FLOAT_FULL_RANGE_DIVISION: block->layer.prec_div = MATH_OFF; break;
    case FLOAT_BY_DOUBLE:
        implementation_of(tir_op_info(from->op)->rule, FPSAN_F32, false, FLOAT_BY_DOUBLE, &wanted);
        op->math.max_error = wanted.bound;
        break;
    }
    op->math_block = block;
}

static void add_kernel(TirModule *module, const WholeOp *from, size_t number, uint32_t tile, void *const *constants) {
    uint32_t count = tir_op_info(from->op)->operand_count;
    TirType parameters[WHOLE_OP_OPERANDS + 1], index = scalar_tile(module, TIR_TYPE_i32);
    TirValue operands[WHOLE_OP_OPERANDS];
    for (uint32_t i = 0; i <= count; i++)
        parameters[i] = pointer_tile(module, whole_op_memory(i < count ? whole_op_operand(from, i) : from->to));
    TirTypeInfo type = {.kind = TIR_TYPE_function, .parameter_count = count + 1, .parameters = parameters};
    TirFunction *function =
        tir_function_add(module, arena_format(&module->arena, "op%zu", number), tir_type_intern(module, &type), true);
    Build b = {.module = module, .block = function->body.first, .tile = tile};
    TirValue arguments = b.block->first_argument;
    TirOp *zero = tir_op_add(b.block, &(TirNewOp){.kind = TIR_OP_constant, .result_count = 1, .results = &index});
    tir_op_set(zero, "value")->constant = tir_constant(module, &(int32_t){0}, sizeof(int32_t));
    b.zero = tir_result(zero, 0);
    for (uint32_t i = 0; i < count; i++) {
        TirTypeKind kind = whole_op_operand(from, i);
        operands[i] = constants ? add_constant(&b, constants[i], kind) : add_load(&b, arguments + i, kind);
    }
    TirType result = tile_type(&b, from->to);
    TirOp *op = tir_op_add(
        b.block,
        &(TirNewOp){
            .kind = from->op, .operand_count = count, .operands = operands, .result_count = 1, .results = &result});
    set_attributes(op, from);
    if (from->implementation != FLOAT_EXACT || (from->flush && !has_attribute(op->kind, "ftz")))
        set_math(module, op, from);
    add_store(&b, arguments + count, from->to, tir_result(op, 0));
    tir_op_add(b.block, &(TirNewOp){.kind = TIR_OP_return});
}

WholeOps whole_ops_open(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count, uint32_t tile,
                        void *const (*constants)[WHOLE_OP_OPERANDS], const char *cpu) {
    WholeOps result = {.compiler = compiler, .ops = ops, .count = count, .tile = tile};
    CompileOptions options = {.numeric = COMPILE_IEEE, .cpu = cpu, .optimize = 2};
    TirModule *module = tir_module_open("ops");
    tir_functions_reserve(module, (uint32_t)count);
    for (size_t i = 0; i < count; i++) add_kernel(module, &ops[i], i, tile, constants ? constants[i] : NULL);
    if (tir_verify(diagnostics, module))
        result.compiled = compiler_load(compiler, diagnostics, tir_program(module), &options);
    tir_module_close(module);
    return result;
}

void whole_ops_close(WholeOps *ops) {
    compiled_module_close(ops->compiler, ops->compiled);
    ops->compiled = NULL;
}

bool whole_op_is_legal(const WholeOp *op, uint32_t tile) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_module_open("op");
    add_kernel(module, op, 0, tile, NULL);
    bool legal = tir_verify(&diagnostics, module);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return legal;
}

// ---- running --------------------------------------------------------------------------------------------------------

static int compare_ranges(const void *a, const void *b) {
    const HostRange *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

bool whole_op_run(const WholeOps *ops, size_t index, const void *const *operands, void *result, size_t elements) {
    const KernelInfo *kernel = &ops->compiled->kernels[index];
    const WholeOp *op = &ops->ops[index];
    uint32_t count = tir_op_info(op->op)->operand_count;
    HostRange ranges[WHOLE_OP_OPERANDS + 1], sorted[WHOLE_OP_OPERANDS + 1];
    uint64_t arguments[WHOLE_OP_OPERANDS + 1];
    size_t bytes[WHOLE_OP_OPERANDS + 1];
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    bool good = scratch;
    for (uint32_t i = 0; i <= count; i++) {
        bytes[i] = tir_type_rows[whole_op_memory(i < count ? whole_op_operand(op, i) : op->to)].storage_bytes;
        ranges[i].begin = arguments[i] = (uint64_t)(uintptr_t)(i < count ? operands[i] : result);
        ranges[i].end = ranges[i].begin + elements * bytes[i];
    }
    memcpy(sorted, ranges, sizeof sorted);
    qsort(sorted, count + 1, sizeof *sorted, compare_ranges);
    HostLaunch launch = {.arguments = arguments,
                         .argument_ranges = ranges,
                         .buffers = sorted,
                         .buffer_count = count + 1,
                         .grid = {1, 1, 1}};
    for (size_t at = 0; good && at < elements; at += ops->tile) {
        HostFault fault = {0};
        good = !kernel->entry(&launch, scratch, 0, 0, 0, &fault);
        for (uint32_t i = 0; i <= count; i++) arguments[i] += ops->tile * bytes[i];
    }
    free(scratch);
    return good;
}

uint64_t whole_op_get(const void *array, TirTypeKind kind, size_t index) {
    uint64_t bits = 0;
    size_t bytes = tir_type_rows[kind].storage_bytes;
    memcpy(&bits, (const char *)array + index * bytes, bytes);
    return bits;
}

void whole_op_put(void *array, TirTypeKind kind, size_t index, uint64_t bits) {
    size_t bytes = tir_type_rows[kind].storage_bytes;
    memcpy((char *)array + index * bytes, &bits, bytes);
}
