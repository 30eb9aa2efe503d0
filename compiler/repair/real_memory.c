// SPDX-License-Identifier: Apache-2.0
// Memory in real numbers: buffers of elements, views of them, loads, stores, atomics.
#include "compiler/repair/real_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- buffers --------------------------------------------------------------------------------------------------------

void real_memory_open(RealMemory *memory, uint32_t count, const TirTypeKind *kinds, const uint64_t *elements) {
    *memory = (RealMemory){.buffer_count = count, .buffers = calloc(count + 1u, sizeof *memory->buffers)};
    if (!memory->buffers) abort();
    for (uint32_t b = 0; b < count; b++) {
        RealBuffer *buffer = &memory->buffers[b];
        *buffer = (RealBuffer){.kind = kinds[b], .count = elements[b]};
        buffer->integers = calloc(elements[b] + 1, sizeof *buffer->integers);
        if (!buffer->integers) abort();
        if (tir_type_rows[kinds[b]].class != TIR_CLASS_FLOAT) continue;
        for (uint64_t i = 0; i < elements[b]; i++) buffer->floats[i] = NAN;
    }
}

void real_memory_close(RealMemory *memory) {
    for (uint32_t b = 0; b < memory->buffer_count; b++) free(memory->buffers[b].integers);
    free(memory->buffers);
    free(memory->changes);
    *memory = (RealMemory){0};
}

void real_undo(RealMemory *memory, size_t count) {
    while (memory->change_count > count) {
        const RealChange *change = &memory->changes[--memory->change_count];
        memory->buffers[change->buffer].integers[change->index] = change->integer;
    }
}

bool real_close(double a, double b, double relative, double scale) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return true;
    if (isinf(a) || isinf(b)) return false;
    const double largest = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    return fabs(a - b) <= relative * (largest > scale ? largest : scale);
}

static void keep_change(RealMemory *memory, const TirOp *by, uint32_t buffer, uint64_t index) {
    if (memory->change_count == memory->change_capacity) {
        memory->change_capacity = memory->change_capacity ? 2 * memory->change_capacity : 1024;
        memory->changes = realloc(memory->changes, memory->change_capacity * sizeof *memory->changes);
        if (!memory->changes) abort();
    }
    memory->changes[memory->change_count++] =
        (RealChange){.buffer = buffer, .by = by, .index = index, .integer = memory->buffers[buffer].integers[index]};
}

// ---- pointers -------------------------------------------------------------------------------------------------------
// A buffer's number above an offset in elements, which begins in the middle of its range: it may be negative.

enum { OFFSET_BITS = 44 };
static const int64_t OFFSET_ZERO = (int64_t)1 << (OFFSET_BITS - 1);

int64_t real_pointer(uint32_t buffer) {
    return (int64_t)(buffer + 1) << OFFSET_BITS | OFFSET_ZERO;
}

// The element that a pointer points to; NULL: it points outside. *index is its number.
static RealBuffer *find_element(const RealRun *run, int64_t pointer, uint64_t *index) {
    const int64_t buffer = (pointer >> OFFSET_BITS) - 1;
    const int64_t offset = (pointer & (((int64_t)1 << OFFSET_BITS) - 1)) - OFFSET_ZERO;
    if (buffer < 0 || buffer >= (int64_t)run->memory->buffer_count) return NULL;
    RealBuffer *found = &run->memory->buffers[buffer];
    *index = (uint64_t)offset;
    return offset < 0 || (uint64_t)offset >= found->count ? NULL : found;
}

static bool load_element(RealRun *run, const TirOp *op, int64_t pointer, bool is_float, int64_t *bits) {
    uint64_t index;
    const RealBuffer *buffer = find_element(run, pointer, &index);
    if (!buffer) return real_fail(run, op, "a load outside a buffer");
    if ((tir_type_rows[buffer->kind].class == TIR_CLASS_FLOAT) != is_float)
        return real_fail(run, op, "a load of another type");
    *bits = buffer->integers[index];
    const RealTrace *trace = run->memory->trace;
    const uint32_t writer = trace ? trace->writers[buffer - run->memory->buffers][index] : 0;
    if (writer) trace->uses[(size_t)trace->block * trace->block_count + writer - 1] = true;
    return true;
}

static bool is_expected(const RealRun *run, uint32_t buffer, uint64_t index) {
    if (!run->expected || !run->expected[buffer].count) return true;
    const RealBuffer *is = &run->memory->buffers[buffer], *right = &run->expected[buffer];
    if (tir_type_rows[is->kind].class != TIR_CLASS_FLOAT) return is->integers[index] == right->integers[index];
    return real_close(is->floats[index], right->floats[index], run->relative, run->scales[buffer]);
}

static bool store_element(RealRun *run, const TirOp *op, int64_t pointer, bool is_float, int64_t bits) {
    uint64_t index;
    RealBuffer *buffer = find_element(run, pointer, &index);
    if (!buffer) return real_fail(run, op, "a store outside a buffer");
    if ((tir_type_rows[buffer->kind].class == TIR_CLASS_FLOAT) != is_float)
        return real_fail(run, op, "a store of another type");
    const uint32_t number = (uint32_t)(buffer - run->memory->buffers);
    keep_change(run->memory, op, number, index);
    buffer->integers[index] = bits;
    if (run->memory->trace) run->memory->trace->writers[number][index] = run->memory->trace->block + 1;
    return is_expected(run, number, index) || (run->wrong = true, real_fail(run, op, "not what is expected"));
}

// ---- views ----------------------------------------------------------------------------------------------------------

static const TirTypeInfo *type_of(const RealRun *run, TirValue value) {
    return tir_type(run->module, tir_value_type(run->function, value));
}

static bool open_view(RealRun *run, const TirOp *op) {
    const TirTypeInfo *type = type_of(run, op->first_result);
    const TirValue *sizes, *strides;
    uint32_t next_size = 0, next_stride = 0;
    tir_operands(op, "shape", &sizes);
    tir_operands(op, "strides", &strides);
    RealView *view = real_scratch(run->scratch, sizeof *view);
    view->base = run->values[tir_operand(op, "base")].integers[0];
    for (uint32_t d = 0; d < type->rank; d++) {
        view->sizes[d] = type->shape[d] == TIR_DYNAMIC ? run->values[sizes[next_size++]].integers[0] : type->shape[d];
        view->strides[d] =
            type->strides[d] == TIR_DYNAMIC ? run->values[strides[next_stride++]].integers[0] : type->strides[d];
    }
    run->values[op->first_result] = (RealValue){.kind = REAL_VIEW, .view = view};
    return true;
}

// Of partition views.
static int64_t tiles_in(const RealView *view, const TirTypeInfo *type, uint32_t d) {
    return (view->sizes[type->dim_map[d]] + type->shape[d] - 1) / type->shape[d];
}

static bool count_tiles(RealRun *run, const TirOp *op) {
    const TirTypeInfo *type = type_of(run, op->operands[0]);
    if (type->kind != TIR_TYPE_partition_view) return real_fail(run, op, "a view of this kind");
    const RealView *view = run->values[op->operands[0]].view;
    for (uint32_t d = 0; d < op->result_count; d++)
        real_define(run, op->first_result + d, 1)->integers[0] = tiles_in(view, type, d);
    return true;
}

static bool tensor_shape(RealRun *run, const TirOp *op) {
    const RealView *view = run->values[op->operands[0]].view;
    for (uint32_t d = 0; d < op->result_count; d++)
        real_define(run, op->first_result + d, 1)->integers[0] = view->sizes[d];
    return true;
}

static double padding_of(const TirTypeInfo *type) {
    switch (type->padding) {
    case TIR_PAD_zero: return 0;
    case TIR_PAD_neg_zero: return -0.0;
    case TIR_PAD_pos_inf: return INFINITY;
    case TIR_PAD_neg_inf: return -INFINITY;
    default: return NAN; // nobody specified it
    }
}

// A tile of a partition view that is loaded or stored: where its elements are.
typedef struct TileAccess {
    const TirTypeInfo *type;
    const RealView *view;
    int64_t first[TIR_RANK_MAX]; // element of the tensor in each dimension of the tile
} TileAccess;

static bool open_access(RealRun *run, const TirOp *op, TileAccess *access) {
    const TirValue view = tir_operand(op, "view"), *index;
    tir_operands(op, "index", &index);
    *access = (TileAccess){.type = type_of(run, view), .view = run->values[view].view};
    if (access->type->kind != TIR_TYPE_partition_view) return real_fail(run, op, "a view of this kind");
    for (uint32_t d = 0; d < access->type->rank; d++) {
        const int64_t tile = run->values[index[d]].integers[0];
        if (tile < 0 || tile >= tiles_in(access->view, access->type, d))
            return real_fail(run, op, "a tile that is not there");
        access->first[d] = tile * access->type->shape[d];
    }
    return true;
}

// Where element `i` of the tile is. False: outside the tensor.
static bool place_of(const TileAccess *access, const int64_t *i, int64_t *pointer) {
    *pointer = access->view->base;
    for (uint32_t d = 0; d < access->type->rank; d++) {
        const int32_t dimension = access->type->dim_map[d];
        const int64_t at = access->first[d] + i[d];
        if (at >= access->view->sizes[dimension]) return false;
        *pointer += at * access->view->strides[dimension];
    }
    return true;
}

static void next_index(const TirTypeInfo *type, int64_t *i) {
    for (uint32_t d = type->rank; d-- > 0;) {
        if (++i[d] < type->shape[d]) return;
        i[d] = 0;
    }
}

static bool load_view(RealRun *run, const TirOp *op) {
    TileAccess access;
    int64_t i[TIR_RANK_MAX] = {0}, pointer;
    if (!open_access(run, op, &access)) return false;
    RealValue *tile =
        real_define(run, op->first_result, real_count(run, tir_value_type(run->function, op->first_result)));
    for (uint64_t k = 0; k < tile->count; k++, next_index(access.type, i)) {
        if (place_of(&access, i, &pointer)) {
            if (!load_element(run, op, pointer, tile->kind == REAL_FLOATS, &tile->integers[k])) return false;
        } else if (tile->kind == REAL_FLOATS) {
            tile->floats[k] = padding_of(access.type);
        } else {
            tile->integers[k] = 0;
        }
    }
    return true;
}

static bool store_view(RealRun *run, const TirOp *op) {
    TileAccess access;
    int64_t i[TIR_RANK_MAX] = {0}, pointer;
    const RealValue tile = run->values[tir_operand(op, "tile")];
    if (!open_access(run, op, &access)) return false;
    for (uint64_t k = 0; k < tile.count; k++, next_index(access.type, i))
        if (place_of(&access, i, &pointer) &&
            !store_element(run, op, pointer, tile.kind == REAL_FLOATS, tile.integers[k]))
            return false;
    return true;
}

// ---- through pointers -----------------------------------------------------------------------------------------------

static bool run_offset(RealRun *run, const TirOp *op) {
    const uint64_t count = real_count(run, tir_value_type(run->function, op->first_result));
    const int64_t *pointers = real_integers(run, op->operands[0], count),
                  *offsets = real_integers(run, op->operands[1], count);
    int64_t *to = real_define(run, op->first_result, count)->integers;
    for (uint64_t i = 0; i < count; i++) to[i] = pointers[i] + offsets[i];
    return true;
}

static bool load_pointers(RealRun *run, const TirOp *op) {
    const TirValue mask = tir_operand(op, "mask"), padding = tir_operand(op, "padding");
    RealValue *tile =
        real_define(run, op->first_result, real_count(run, tir_value_type(run->function, op->first_result)));
    const int64_t *pointers = run->values[tir_operand(op, "source")].integers,
                  *loads = mask == TIR_NO_VALUE ? NULL : run->values[mask].integers;
    for (uint64_t i = 0; i < tile->count; i++) {
        if (!loads || loads[i]) {
            if (!load_element(run, op, pointers[i], tile->kind == REAL_FLOATS, &tile->integers[i])) return false;
        } else if (padding != TIR_NO_VALUE) {
            tile->integers[i] = run->values[padding].integers[i];
        } else if (tile->kind == REAL_FLOATS) {
            tile->floats[i] = NAN;
        } else {
            tile->integers[i] = 0;
        }
    }
    return true;
}

static bool store_pointers(RealRun *run, const TirOp *op) {
    const TirValue mask = tir_operand(op, "mask");
    const RealValue tile = run->values[tir_operand(op, "value")];
    const int64_t *pointers = run->values[tir_operand(op, "destination")].integers,
                  *stores = mask == TIR_NO_VALUE ? NULL : run->values[mask].integers;
    for (uint64_t i = 0; i < tile.count; i++)
        if ((!stores || stores[i]) && !store_element(run, op, pointers[i], tile.kind == REAL_FLOATS, tile.integers[i]))
            return false;
    return true;
}

static bool combine_atomic(uint64_t mode, RealValue *old, uint64_t i, const RealValue *argument, int64_t *bits) {
    const int64_t a = old->integers[i], b = argument->integers[i];
    double sum;
    switch (mode) {
    case TIR_atomic_mode_and: *bits = a & b; return true;
    case TIR_atomic_mode_or: *bits = a | b; return true;
    case TIR_atomic_mode_xor: *bits = a ^ b; return true;
    case TIR_atomic_mode_add: *bits = a + b; return true;
    case TIR_atomic_mode_max: *bits = a > b ? a : b; return true;
    case TIR_atomic_mode_min: *bits = a < b ? a : b; return true;
    case TIR_atomic_mode_umax: *bits = (uint64_t)a > (uint64_t)b ? a : b; return true;
    case TIR_atomic_mode_umin: *bits = (uint64_t)a < (uint64_t)b ? a : b; return true;
    case TIR_atomic_mode_xchg: *bits = b; return true;
    case TIR_atomic_mode_addf:
        sum = old->floats[i] + argument->floats[i];
        memcpy(bits, &sum, sizeof sum);
        return true;
    default: return false;
    }
}

static bool run_atomic(RealRun *run, const TirOp *op) {
    const TirValue mask = tir_operand(op, "mask");
    const uint64_t mode = tir_attribute_integer(op, "mode");
    const RealValue argument = run->values[tir_operand(op, "arg")];
    const TirType type = tir_value_type(run->function, op->first_result);
    RealValue *old = real_define(run, op->first_result, argument.count);
    const int64_t *pointers = run->values[tir_operand(op, "pointers")].integers,
                  *takes = mask == TIR_NO_VALUE ? NULL : run->values[mask].integers;
    for (uint64_t i = 0; i < argument.count; i++) {
        const bool is_float = argument.kind == REAL_FLOATS;
        int64_t bits;
        if (takes && !takes[i]) continue;
        if (!load_element(run, op, pointers[i], is_float, &old->integers[i])) return false;
        if (!combine_atomic(mode, old, i, &argument, &bits)) return real_fail(run, op, "an atomic of this kind");
        if (!is_float) bits = real_wrap(bits, real_bits(run, type));
        if (!store_element(run, op, pointers[i], is_float, bits)) return false;
    }
    return true;
}

static bool run_exchange(RealRun *run, const TirOp *op) {
    const TirValue mask = tir_operand(op, "mask");
    const RealValue expected = run->values[tir_operand(op, "cmp")], value = run->values[tir_operand(op, "val")];
    RealValue *old = real_define(run, op->first_result, value.count);
    const int64_t *pointers = run->values[tir_operand(op, "pointers")].integers,
                  *takes = mask == TIR_NO_VALUE ? NULL : run->values[mask].integers;
    for (uint64_t i = 0; i < value.count; i++) {
        const bool is_float = value.kind == REAL_FLOATS;
        if (takes && !takes[i]) continue;
        if (!load_element(run, op, pointers[i], is_float, &old->integers[i])) return false;
        const bool same = is_float ? old->floats[i] == expected.floats[i] : old->integers[i] == expected.integers[i];
        if (same && !store_element(run, op, pointers[i], is_float, value.integers[i])) return false;
    }
    return true;
}

bool real_accesses(RealRun *run, const TirOp *op, bool *known) {
    *known = true;
    switch (op->kind) {
    case TIR_OP_make_token:
    case TIR_OP_join_tokens: return true;
    case TIR_OP_make_tensor_view: return open_view(run, op);
    case TIR_OP_make_partition_view: real_share(run, op->first_result, op->operands[0]); return true;
    case TIR_OP_get_index_space_shape: return count_tiles(run, op);
    case TIR_OP_get_tensor_shape: return tensor_shape(run, op);
    case TIR_OP_multimem_load_reduce_view_tko: // of one device
    case TIR_OP_load_view_tko: return load_view(run, op);
    case TIR_OP_multimem_store_view_tko:
    case TIR_OP_store_view_tko: return store_view(run, op);
    case TIR_OP_offset: return run_offset(run, op);
    case TIR_OP_load_ptr_tko: return load_pointers(run, op);
    case TIR_OP_store_ptr_tko: return store_pointers(run, op);
    case TIR_OP_atomic_rmw_tko: return run_atomic(run, op);
    case TIR_OP_atomic_cas_tko: return run_exchange(run, op);
    default: *known = false; return true;
    }
}
