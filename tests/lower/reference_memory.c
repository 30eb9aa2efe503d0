// SPDX-License-Identifier: Apache-2.0
// The reference interpreter's memory: views, loads, stores and atomics through them and through pointers.
#include "tests/lower/reference.h"

#include <math.h>
#include <string.h>

// ---- elements in buffers --------------------------------------------------------------------------------------------

static bool is_inside(const ReferenceMachine *m, uint64_t address, unsigned bytes) {
    for (uint32_t i = 0; i < m->run->buffer_count; i++)
        if (address >= m->run->buffers[i].begin && address + bytes <= m->run->buffers[i].end) return true;
    return false;
}

// Of elements of four bits, of which two share a byte, the address is twice that of the byte, or one more.
static bool shares_byte(const ReferenceElement *element) {
    return element->is_float && element->format == FPSAN_F4E2M1FN;
}

static bool load_element(ReferenceMachine *m, const TirOp *op, uint64_t address, ReferenceTile *tile, uint64_t i) {
    ReferenceElement element = reference_element(m, tile->type);
    bool shares = shares_byte(&element), upper = shares && address % 2;
    if (shares) address /= 2;
    if (!is_inside(m, address, element.bytes)) return reference_problem(m, op, "load outside the buffers");
    uint64_t bits = 0;
    memcpy(&bits, (const void *)(uintptr_t)address, element.bytes);
    if (shares) bits = upper ? bits >> 4 : bits & 15;
    reference_set_bits(m, tile, i, element.bits == 1 ? bits != 0 : bits);
    if (!element.has_shadow || shares) return true;
    const ReferenceRecord *record = reference_record(m->run->records, address, element.bytes);
    if (record) reference_set_payload(tile, i, record->payload);
    return true;
}

static bool store_element(ReferenceMachine *m, const TirOp *op, uint64_t address, const ReferenceTile *tile,
                          uint64_t i) {
    ReferenceElement element = reference_element(m, tile->type);
    bool shares = shares_byte(&element), upper = shares && address % 2;
    if (shares) address /= 2;
    if (!is_inside(m, address, element.bytes)) return reference_problem(m, op, "store outside the buffers");
    uint64_t bits = reference_to_bits(m, &element, tile->parts[0][i]);
    if (shares) {
        uint8_t *byte = (uint8_t *)(uintptr_t)address;
        bits = upper ? (*byte & 15) | bits << 4 : (*byte & 0xF0) | bits;
    }
    memcpy((void *)(uintptr_t)address, &bits, element.bytes);
    if (m->run->numeric != COMPILE_SHADOW) return true;
    bool has_record = element.has_shadow && !shares;
    TowerPayload payload = has_record ? reference_payload(tile, i) : (TowerPayload){0};
    reference_store_record(m->run->records, address, element.bytes, has_record ? &payload : NULL, op->at.line);
    return true;
}

// ---- pointers -------------------------------------------------------------------------------------------------------

static bool is_active(ReferenceMachine *m, TirValue mask, uint64_t i) {
    return mask == TIR_NO_VALUE || reference_tile(m, mask)->parts[0][i];
}

static bool load_pointers(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *pointers = reference_tile(m, tir_operand(op, "source"));
    TirValue mask = tir_operand(op, "mask"), padding = tir_operand(op, "padding");
    ReferenceTile *result = reference_result(m, op, 0);
    reference_result(m, op, 1);
    for (uint64_t i = 0; i < result->count; i++) {
        if (is_active(m, mask, i)) {
            if (!load_element(m, op, pointers->parts[0][i], result, i)) return false;
        } else if (padding != TIR_NO_VALUE) {
            for (unsigned p = 0; p < REFERENCE_PARTS; p++)
                if (result->parts[p]) result->parts[p][i] = reference_tile(m, padding)->parts[p][i];
        }
    }
    return true;
}

static bool store_pointers(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *pointers = reference_tile(m, tir_operand(op, "destination"));
    const ReferenceTile *value = reference_tile(m, tir_operand(op, "value"));
    TirValue mask = tir_operand(op, "mask");
    reference_result(m, op, 0);
    for (uint64_t i = 0; i < value->count; i++)
        if (is_active(m, mask, i) && !store_element(m, op, pointers->parts[0][i], value, i)) return false;
    return true;
}

// ---- atomics: one element after the other --------------------------------------------------------------------------

static uint64_t combine_integers(uint64_t mode, unsigned bits, uint64_t a, uint64_t b) {
    int64_t x = reference_signed(a, bits), y = reference_signed(b, bits);
    switch (mode) {
    case TIR_atomic_mode_and: return a & b;
    case TIR_atomic_mode_or: return a | b;
    case TIR_atomic_mode_xor: return a ^ b;
    case TIR_atomic_mode_add: return (a + b) & reference_mask(bits);
    case TIR_atomic_mode_max: return x > y ? a : b;
    case TIR_atomic_mode_min: return x < y ? a : b;
    case TIR_atomic_mode_umax: return a > b ? a : b;
    case TIR_atomic_mode_umin: return a < b ? a : b;
    default: return b; // xchg
    }
}

// The operand that is combined with memory, or stored there.
static TirValue atomic_argument(const TirOp *op) {
    switch (op->kind) {
    case TIR_OP_atomic_cas_tko: return tir_operand(op, "val");
    case TIR_OP_atomic_red_view_tko: return tir_operand(op, "value");
    case TIR_OP_multimem_reduce_view_tko: return tir_operand(op, "tile");
    default: return tir_operand(op, "arg");
    }
}

// A reduction over devices has the word of an atomic mode, but for sums of floats.
static uint64_t atomic_mode(const TirOp *op, bool is_float) {
    if (op->kind == TIR_OP_atomic_cas_tko) return TIR_atomic_mode_xchg;
    if (op->kind != TIR_OP_multimem_reduce_view_tko) return tir_attribute_integer(op, "mode");
    const char *word = tir_enum_word(&tir_enum_multimem_reduction, tir_attribute_integer(op, "reduction"));
    uint64_t mode = 0;
    while (strcmp(tir_enum_word(&tir_enum_atomic_mode, mode), word)) mode++;
    return mode == TIR_atomic_mode_add && is_float ? TIR_atomic_mode_addf : mode;
}

// Element i of `next` becomes what the op writes over element i of `old`; false: nothing is written.
static bool next_element(ReferenceMachine *m, const TirOp *op, const ReferenceElement *element,
                         const ReferenceTile *old, ReferenceTile *next, uint64_t i) {
    bool swaps = op->kind == TIR_OP_atomic_cas_tko;
    const ReferenceTile *argument = reference_tile(m, atomic_argument(op));
    uint64_t mode = atomic_mode(op, element->is_float);
    if (mode == TIR_atomic_mode_addf) {
        next->parts[0][i] = reference_sum(m, element, old->parts[0][i], argument->parts[0][i]);
        if (element->has_shadow)
            reference_set_payload(
                next, i,
                reference_shadow_sum(m, element->format, reference_payload(old, i), reference_payload(argument, i)));
    } else {
        next->parts[0][i] = combine_integers(mode, element->bits, old->parts[0][i], argument->parts[0][i]);
        if (element->has_shadow) reference_set_payload(next, i, reference_payload(argument, i)); // xchg
    }
    return !swaps || old->parts[0][i] == reference_tile(m, tir_operand(op, "cmp"))->parts[0][i];
}

static bool run_atomic(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *pointers = reference_tile(m, tir_operand(op, "pointers"));
    TirValue mask = tir_operand(op, "mask");
    ReferenceTile next = *reference_result(m, op, 0), *old = reference_result(m, op, 0);
    ReferenceElement element = reference_element(m, old->type);
    reference_result(m, op, 1);
    for (uint64_t i = 0; i < old->count; i++) {
        if (!is_active(m, mask, i)) {
            for (unsigned p = 0; p < element.parts && op->kind == TIR_OP_atomic_cas_tko; p++)
                old->parts[p][i] = reference_tile(m, tir_operand(op, "cmp"))->parts[p][i];
            continue;
        }
        if (!load_element(m, op, pointers->parts[0][i], old, i)) return false;
        if (next_element(m, op, &element, old, &next, i) && !store_element(m, op, pointers->parts[0][i], &next, i))
            return false;
    }
    return true;
}

// ---- views ----------------------------------------------------------------------------------------------------------

static void make_tensor_view(ReferenceMachine *m, const TirOp *op) {
    const TirValue *shape, *strides;
    tir_operands(op, "shape", &shape);
    tir_operands(op, "strides", &strides);
    ReferenceTile *view = reference_result(m, op, 0);
    const TirTypeInfo *type = tir_type(m->run->module, view->type);
    view->base = reference_tile(m, tir_operand(op, "base"))->parts[0][0];
    for (uint32_t d = 0; d < type->rank; d++) {
        view->sizes[d] =
            type->shape[d] == TIR_DYNAMIC ? (int64_t)reference_tile(m, *shape++)->parts[0][0] : type->shape[d];
        view->strides[d] =
            type->strides[d] == TIR_DYNAMIC ? (int64_t)reference_tile(m, *strides++)->parts[0][0] : type->strides[d];
    }
}

static void make_tile_view(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *tensor = reference_tile(m, op->operands[0]);
    ReferenceTile *view = reference_result(m, op, 0);
    TirType type = view->type;
    *view = *tensor;
    view->type = type;
}

static uint32_t tensor_dimension(const TirTypeInfo *view, uint32_t k) {
    return view->dim_map ? (uint32_t)view->dim_map[k] : k;
}

// Elements from index to index of a view.
static int64_t index_step(const TirTypeInfo *view, uint32_t k) {
    if (view->kind == TIR_TYPE_strided_view) return view->strides[k];
    return view->kind == TIR_TYPE_gather_scatter_view ? 1 : view->shape[k];
}

static void get_shape(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *view = reference_tile(m, op->operands[0]);
    const TirTypeInfo *type = tir_type(m->run->module, view->type);
    for (uint32_t d = 0; d < op->result_count; d++) {
        ReferenceTile *result = reference_result(m, op, d);
        int64_t size = view->sizes[type->kind == TIR_TYPE_tensor_view ? d : tensor_dimension(type, d)],
                step = type->kind == TIR_TYPE_tensor_view ? 1 : index_step(type, d);
        size = (size + step - 1) / step;
        result->parts[0][0] = (uint64_t)size & reference_mask(reference_element(m, result->type).bits);
    }
}

// The address of tile element i at the op's index; false past the edge of the tensor.
static bool element_address(ReferenceMachine *m, const TirOp *op, uint64_t i, const ReferenceElement *element,
                            uint64_t *address) {
    bool shares = shares_byte(element);
    const ReferenceTile *view = reference_tile(m, tir_operand(op, "view"));
    const TirTypeInfo *type = tir_type(m->run->module, view->type);
    const TirValue *index;
    tir_operands(op, "index", &index);
    bool inside = true;
    *address = view->base << shares;
    for (uint32_t k = type->rank; k-- > 0;) {
        uint64_t size = (uint64_t)type->shape[k], within = i % size, at;
        i /= size;
        const uint64_t *number = reference_tile(m, index[k])->parts[0];
        uint32_t d = tensor_dimension(type, k);
        if (type->kind != TIR_TYPE_gather_scatter_view)
            at = number[0] * (uint64_t)index_step(type, k) + within;
        else if (k == type->sparse_dim)
            at = number[within];
        else if (number[0] < (uint64_t)view->sizes[d])
            at = number[0] + within;
        else // it begins before the tensor
            at = (uint64_t)reference_signed(number[0], reference_element(m, reference_tile(m, index[k])->type).bits) +
                 within;
        inside &= at < (uint64_t)view->sizes[d];
        *address += at * (uint64_t)view->strides[d] * (shares ? 1 : element->bytes);
    }
    return inside;
}

// Whether the whole tile lies in the tensor along the dimensions that are said to be in bounds.
static bool keeps_bounds(ReferenceMachine *m, const TirOp *op) {
    const TirAttribute *inbounds = tir_attribute(op, "inbounds");
    const ReferenceTile *view = reference_tile(m, tir_operand(op, "view"));
    const TirTypeInfo *type = tir_type(m->run->module, view->type);
    const TirValue *index;
    tir_operands(op, "index", &index);
    for (uint32_t k = 0; inbounds && k < type->rank; k++) {
        const ReferenceTile *numbers = reference_tile(m, index[k]);
        uint64_t size = (uint64_t)view->sizes[tensor_dimension(type, k)];
        bool rows = type->kind == TIR_TYPE_gather_scatter_view && k == type->sparse_dim;
        for (uint64_t i = 0; inbounds->numbers[k] && i < numbers->count; i++)
            if (numbers->parts[0][i] * (uint64_t)index_step(type, k) + (uint64_t)(rows ? 1 : type->shape[k]) > size)
                return reference_problem(m, op, "is not inbounds");
    }
    return true;
}

static uint64_t padding_bits(const ReferenceElement *element, TirPadding padding) {
    double value = 0;
    switch (padding) {
    case TIR_PAD_none:
    case TIR_PAD_zero: break;
    case TIR_PAD_neg_zero: value = -0.0; break;
    case TIR_PAD_nan: value = NAN; break;
    case TIR_PAD_pos_inf: value = INFINITY; break;
    case TIR_PAD_neg_inf: value = -INFINITY; break;
    }
    return element->is_float ? fpsan_encode_nearest(element->format, value) : 0;
}

static bool load_view(ReferenceMachine *m, const TirOp *op) {
    const TirTypeInfo *type = tir_type(m->run->module, reference_tile(m, tir_operand(op, "view"))->type);
    ReferenceTile *result = reference_result(m, op, 0);
    ReferenceElement element = reference_element(m, result->type);
    reference_result(m, op, 1);
    if (!keeps_bounds(m, op)) return false;
    for (uint64_t i = 0; i < result->count; i++) {
        uint64_t address;
        if (element_address(m, op, i, &element, &address)) {
            if (!load_element(m, op, address, result, i)) return false;
            continue;
        }
        reference_set_bits(m, result, i, padding_bits(&element, type->padding));
    }
    return true;
}

static bool store_view(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *tile = reference_tile(m, tir_operand(op, "tile"));
    ReferenceElement element = reference_element(m, tile->type);
    reference_result(m, op, 0);
    if (!keeps_bounds(m, op)) return false;
    for (uint64_t i = 0; i < tile->count; i++) {
        uint64_t address;
        if (element_address(m, op, i, &element, &address) && !store_element(m, op, address, tile, i)) return false;
    }
    return true;
}

static bool reduce_view(ReferenceMachine *m, const TirOp *op) {
    const ReferenceTile *value = reference_tile(m, atomic_argument(op));
    ReferenceTile old = reference_new_tile(m, value->type), next = reference_new_tile(m, value->type);
    ReferenceElement element = reference_element(m, value->type);
    reference_result(m, op, 0);
    for (uint64_t i = 0; i < value->count; i++) {
        uint64_t address;
        if (!element_address(m, op, i, &element, &address)) continue;
        if (!load_element(m, op, address, &old, i)) return false;
        if (next_element(m, op, &element, &old, &next, i) && !store_element(m, op, address, &next, i)) return false;
    }
    return true;
}

bool reference_memory(ReferenceMachine *m, const TirOp *op, bool *known) {
    *known = true;
    switch (op->kind) {
    case TIR_OP_load_ptr_tko: return load_pointers(m, op);
    case TIR_OP_store_ptr_tko: return store_pointers(m, op);
    case TIR_OP_atomic_rmw_tko:
    case TIR_OP_atomic_cas_tko: return run_atomic(m, op);
    case TIR_OP_make_tensor_view: make_tensor_view(m, op); return true;
    case TIR_OP_make_partition_view:
    case TIR_OP_make_strided_view:
    case TIR_OP_make_gather_scatter_view: make_tile_view(m, op); return true;
    case TIR_OP_get_tensor_shape:
    case TIR_OP_get_index_space_shape: get_shape(m, op); return true;
    case TIR_OP_multimem_load_reduce_view_tko: // of one device
    case TIR_OP_load_view_tko: return load_view(m, op);
    case TIR_OP_multimem_store_view_tko:
    case TIR_OP_store_view_tko: return store_view(m, op);
    case TIR_OP_multimem_reduce_view_tko:
    case TIR_OP_atomic_red_view_tko: return reduce_view(m, op);
    default: *known = false; return true;
    }
}
