// SPDX-License-Identifier: Apache-2.0
// Tiles that are a block's own memory, where that keeps floats as registers have them (numeric_keeps): what is loaded
// is read where it lies, what is stored is made there. So a product adds to its accumulator in place, and a copy is
// one.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

// Whether the view's elements lie as those of a tile do.
static bool is_dense(const Emit *e, TirType view) {
    const TirTypeInfo *tile = tir_type(e->module, view), *tensor = tir_type(e->module, tile->element);
    int64_t stride = 1;
    if (tile->kind != TIR_TYPE_partition_view) return false;
    for (uint32_t d = tile->rank; d-- > 0; stride *= tile->shape[d])
        if (tile->dim_map[d] != (int32_t)d || tensor->shape[d] != tile->shape[d] || tensor->strides[d] != stride)
            return false;
    return true;
}

static bool is_zero(const Emit *e, TirValue value) {
    const TirOp *op = tir_value(e->function, value)->definition;
    const TirConstant *constant = op && op->kind == TIR_OP_constant ? &tir_attribute(op, "value")->constant : NULL;
    for (size_t i = 0; constant && i < constant->size; i++)
        if (constant->bytes[i]) return false;
    return constant;
}

// An access to a tile that is all of a view of memory that keeps floats.
static bool is_kept(Emit *e, const TirOp *op, TirType tile) {
    const TirValue view = tir_operand(op, "view"), *indices;
    const uint32_t count = tir_operands(op, "index", &indices);
    for (uint32_t i = 0; i < count; i++)
        if (!is_zero(e, indices[i])) return false;
    return !e->threads.bits && is_dense(e, emit_type_of(e, view)) &&
           emit_element_at(e, tile, emit_val(e, view)->view->origin).kept;
}

// The tile that the memory is.
static EmitVal memory_of(Emit *e, const TirOp *op, TirType type, bool is_store) {
    const EmitView *view = emit_val(e, tir_operand(op, "view"))->view;
    const EmitElement element = emit_element_at(e, type, view->origin);
    const RecordPlace place = emit_record_place(e, op, element, view->origin, is_store);
    EmitVal tile = {.kind = EMIT_MEMORY, .layout = map_identity(emit_tile_bits(e, type)), .origin = -1};
    tile.value.parts[0] = emit_pointer_of(e, view->base);
    for (unsigned p = 1; p < element.parts; p++) tile.value.parts[p] = record_words(&e->cx, &place, view->base, p);
    return tile;
}

// ---- loads ----------------------------------------------------------------------------------------------------------

bool emit_is_packed_once(const Emit *e, TirValue tile) {
    const TirOp *user = plan_single_user(e, tile);
    return user && emit_is_dot(user);
}

// Whether the op looks at no tile, and leaves memory alone.
static bool is_aside(const Emit *e, const TirOp *op) {
    if (op->region_count || tir_op_does(op, TIR_READS | TIR_WRITES | TIR_WAITS | TIR_ORDERS)) return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const TirType type = emit_type_of(e, tir_result(op, i));
        if (tir_type(e->module, type)->kind == TIR_TYPE_tile && !emit_is_scalar(e, tir_result(op, i))) return false;
    }
    return true;
}

// The store of all that `made` makes, if nothing that is loaded, now or before, can be read between them.
static const TirOp *store_behind(const Emit *e, const TirOp *made) {
    const TirOp *store = plan_single_user(e, tir_result(made, 0));
    if (!store || store->kind != TIR_OP_store_view_tko || tir_operand(store, "tile") != tir_result(made, 0) ||
        !tir_op_is_weak(store))
        return NULL;
    for (const TirOp *op = made->next; op != store; op = op->next)
        if (!op || !is_aside(e, op)) return NULL;
    return store;
}

// Whether the load is of an accumulator whose sum goes where it was.
static bool is_summed_there(const Emit *e, const TirOp *load) {
    const TirValue tile = tir_result(load, 0);
    const TirOp *product = plan_single_user(e, tile);
    if (!product || !emit_is_dot(product) || tir_operand(product, "acc") != tile) return false;
    for (const TirOp *op = load->next; op != product; op = op->next)
        if (!op || op->region_count || tir_op_does(op, TIR_WRITES | TIR_WAITS | TIR_ORDERS)) return false;
    const TirOp *store = store_behind(e, product);
    return store && tir_operand(store, "view") == tir_operand(load, "view");
}

// Whether the load is of an operand that is packed before anything is written. A kernel of a dot may read operands
// where they lie, so they must not be what it adds to: memory has other values where formats differ.
static bool is_packed_there(const Emit *e, const TirOp *load) {
    const TirValue tile = tir_result(load, 0);
    if (!plan_is_lazy(e, load) || !emit_is_packed_once(e, tile)) return false;
    const TirOp *product = plan_single_user(e, tile);
    return emit_element(e, emit_type_of(e, tir_operand(product, "acc"))).format !=
           emit_element(e, emit_type_of(e, tile)).format;
}

bool emit_load_stays(Emit *e, const TirOp *op) {
    const TirType type = emit_type_of(e, tir_result(op, 0));
    if (op->kind != TIR_OP_load_view_tko || !is_kept(e, op, type)) return false;
    const bool is_sum = is_summed_there(e, op);
    if (!is_sum && !is_packed_there(e, op)) return false;
    *emit_val(e, tir_result(op, 0)) = memory_of(e, op, type, is_sum);
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE};
    return true;
}

// ---- stores ---------------------------------------------------------------------------------------------------------

// Whether the op reads nothing of the memory at `view` once it has begun to write there, though `view` be its result.
static bool may_write(Emit *e, const TirOp *op, TirValue view) {
    if (op->kind == TIR_OP_load_ptr_tko) {
        const int origin = emit_pointer_origin(e, tir_operand(op, "source"));
        return origin >= 0 && origin != emit_val(e, view)->view->origin;
    }
    return emit_is_dot(op) && emit_val(e, tir_operand(op, "acc"))->kind == EMIT_SCALAR;
}

const EmitVal *emit_kept_destination(Emit *e, const TirOp *op) {
    const bool is_dot = emit_is_dot(op);
    if ((!is_dot && op->kind != TIR_OP_load_ptr_tko) || e->threads.bits) return NULL;
    const TirOp *store = store_behind(e, op);
    if (!store) return NULL;
    const TirValue view = tir_operand(store, "view");
    const TirOp *made = tir_value(e->function, view)->definition;
    if (!made || made->block != op->block || made->number > op->number) return NULL;
    const TirOp *load = is_dot ? tir_value(e->function, tir_operand(op, "acc"))->definition : NULL;
    EmitVal *place = arena_new(e->arena, EmitVal);
    if (load && load->kind == TIR_OP_load_view_tko && emit_val(e, tir_result(load, 0))->kind == EMIT_MEMORY &&
        tir_operand(load, "view") == view && is_summed_there(e, load)) {
        *place = *emit_val(e, tir_result(load, 0));
    } else {
        const TirType type = emit_type_of(e, tir_result(op, 0));
        if (!is_kept(e, store, type) || !may_write(e, op, view)) return NULL;
        *place = memory_of(e, store, type, true);
    }
    e->kept_store = store;
    e->kept_place = place->value.parts[0];
    return place;
}

bool emit_is_stored(Emit *e, const TirOp *store) {
    const EmitVal *tile = emit_val(e, tir_operand(store, "tile"));
    return e->kept_store == store && tile->kind == EMIT_MEMORY && tile->value.parts[0] == e->kept_place;
}
