// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-write and compare-and-swap through tiles of pointers, and reductions into tiles of views, one
// element after the other. Every ordering and scope is made at least as strong as asked: acquire and release, over the
// whole machine. Float addition is a compare-and-swap loop on the real bits around the numeric's addition, so payloads
// add in payload arithmetic.
#include "compiler/lower/kernel.h"
#include "compiler/lower/memory_internal.h"
#include "compiler/lower/tiles.h"

// What an op does to one element in memory.
typedef struct AtomicElement {
    const TirOp *op;
    EmitElement element;
    unsigned bytes;
    LLVMTypeRef plane; // integer type of an element in memory
    RecordPlace records;
    const NumericValue *bits; // the float whose bits an integer is that is put there; NULL where it is none
    RaceLog log;              // through pointers
} AtomicElement;

typedef struct Atomic {
    AtomicElement one;
    TirValue pointers, operands[2], mask; // arg; or cmp and val
    unsigned operand_count;
    EmitVal cells; // the old value of one element: allocas per part
    // Of an integer that is the bits of a float and becomes that float again: the old planes, allocas; else NULL.
    LLVMValueRef old_planes[NUMERIC_PLANES_MAX];
} Atomic;

// The modes: LLVM's operation on memory, and the intrinsic that computes what is stored; NULL: what is given is.
#define ATOMIC_MODES(MODE)                                                                                             \
    MODE(and, And, NULL)                                                                                               \
    MODE(or, Or, NULL)                                                                                                 \
    MODE(xor, Xor, NULL)                                                                                               \
    MODE(add, Add, NULL)                                                                                               \
    MODE(addf, FAdd, NULL)                                                                                             \
    MODE(max, Max, "llvm.smax")                                                                                        \
    MODE(min, Min, "llvm.smin")                                                                                        \
    MODE(umax, UMax, "llvm.umax")                                                                                      \
    MODE(umin, UMin, "llvm.umin")                                                                                      \
    MODE(xchg, Xchg, NULL)
#define MODE_BIT(mode, ...) | BASE_BIT(TIR_atomic_mode_##mode)
_Static_assert((0 ATOMIC_MODES(MODE_BIT)) == BASE_BITS(TIR_atomic_mode_COUNT), "a row for each mode");
#define MODE_ROW(mode, operation, intrinsic) [TIR_atomic_mode_##mode] = {LLVMAtomicRMWBinOp##operation, intrinsic},
static const struct {
    LLVMAtomicRMWBinOp operation;
    const char *intrinsic;
} atomic_modes[] = {ATOMIC_MODES(MODE_ROW)};

// An element in memory with its record, alone on one thread.
static void load_element(Emit *e, const AtomicElement *atomic, LLVMValueRef address, LLVMValueRef *planes) {
    RecordLanes lanes = {0, address, NULL};
    planes[0] = code_load(&e->cx, atomic->plane, emit_pointer_of(e, address), 1);
    record_load(&e->cx, &atomic->records, &lanes, planes);
}

// The marks of an integer in memory, in the place of plane 1.
static void load_atomic_marks(Emit *e, const AtomicElement *atomic, LLVMValueRef address, LLVMValueRef *planes) {
    RecordLanes lanes = {0, address, NULL};
    record_load(&e->cx, &atomic->records, &lanes, planes);
}

// The sum of the element in memory (as planes) and the argument, as planes.
static bool add_planes(Emit *e, const AtomicElement *atomic, const LLVMValueRef *old, const NumericValue *argument,
                       LLVMValueRef *sum) {
    const FloatOp f = float_rule(FPSAN_RULE_ADD, atomic->element.format);
    NumericValue operands[2] = {emit_value_of_planes(e, atomic->element, old), *argument}, result;
    if (!e->cx.numeric->apply(&e->cx, &f, operands, 2, &result)) return false;
    emit_planes_of_value(e, atomic->element, &result, sum);
    return true;
}

// No compare-and-swap covers a float and its record: such kernels run on one thread.
static bool add_alone(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *argument,
                      LLVMValueRef *old) {
    RecordLanes lanes = {0, address, NULL};
    LLVMValueRef sum[NUMERIC_PLANES_MAX];
    load_element(e, atomic, address, old);
    if (!add_planes(e, atomic, old, argument, sum)) return false;
    code_store(&e->cx, sum[0], emit_pointer_of(e, address), 1);
    record_store(&e->cx, &atomic->records, &lanes, sum);
    return true;
}

static bool add_loop(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *argument,
                     LLVMValueRef *old) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef pointer = emit_pointer_of(e, address),
                 first = code_load(&e->cx, atomic->plane, pointer, atomic->bytes), sum;
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), again = code_block(&e->cx, "again"),
                      after = code_block(&e->cx, "added");
    LLVMBuildBr(builder, again);
    LLVMPositionBuilderAtEnd(builder, again);
    LLVMValueRef seen = LLVMBuildPhi(builder, atomic->plane, "seen");
    if (!add_planes(e, atomic, &seen, argument, &sum)) return false;
    LLVMValueRef swap = LLVMBuildAtomicCmpXchg(builder, pointer, seen, sum, LLVMAtomicOrderingAcquireRelease,
                                               LLVMAtomicOrderingAcquire, false);
    LLVMSetAlignment(swap, atomic->bytes);
    LLVMValueRef now = LLVMBuildExtractValue(builder, swap, 0, "");
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(builder)};
    LLVMAddIncoming(seen, (LLVMValueRef[]){first, now}, from, 2);
    LLVMBuildCondBr(builder, LLVMBuildExtractValue(builder, swap, 1, ""), after, again);
    LLVMPositionBuilderAtEnd(builder, after);
    *old = seen;
    return true;
}

// Exchanges one element for the argument; its record goes with it.
static void exchange(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *argument,
                     LLVMValueRef *old) {
    RecordLanes lanes = {0, address, NULL};
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    emit_planes_of_value(e, atomic->element, argument, planes);
    if (atomic->records.planes > 1) load_element(e, atomic, address, old);
    old[0] = LLVMBuildAtomicRMW(e->cx.builder, LLVMAtomicRMWBinOpXchg, emit_pointer_of(e, address), planes[0],
                                LLVMAtomicOrderingAcquireRelease, false);
    LLVMSetAlignment(old[0], atomic->bytes);
    record_store(&e->cx, &atomic->records, &lanes, planes);
}

// The float in memory after an integer operation that made the bits `now` there.
static NumericValue float_after(Emit *e, const AtomicElement *atomic, const LLVMValueRef *old,
                                const NumericValue *argument, LLVMValueRef now) {
    FpsanFormat format = atomic->records.format;
    if (tir_atomic_mode(atomic->op) == TIR_atomic_mode_xchg) return *atomic->bits;
    NumericValue before = e->cx.numeric->from_planes(&e->cx, format, old);
    LLVMValueRef is_old = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, now, old[0], ""),
                 is_new = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, now, argument->parts[0], "");
    LLVMValueRef number = e->cx.numeric->from_bits(&e->cx, format, now).parts[0];
    return e->cx.numeric->choose(&e->cx, format, number, is_old, is_new, &before, atomic->bits);
}

// An integer that is the bits of a float is stored, or put there if it is the larger or the smaller one. Alone on one
// thread, as no operation of the processor covers the record.
static void modify_bits(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *argument,
                        LLVMValueRef *old) {
    RecordLanes lanes = {0, address, NULL};
    const char *intrinsic = atomic_modes[tir_atomic_mode(atomic->op)].intrinsic;
    LLVMValueRef planes[NUMERIC_PLANES_MAX], operands[2] = {NULL, argument->parts[0]}, now = argument->parts[0];
    load_element(e, atomic, address, old);
    operands[0] = old[0];
    if (intrinsic) now = vector_intrinsic(&e->cx, intrinsic, operands, 2);
    NumericValue after = float_after(e, atomic, old, argument, now);
    e->cx.numeric->to_planes(&e->cx, atomic->records.format, &after, planes);
    code_store(&e->cx, now, emit_pointer_of(e, address), 1);
    record_store(&e->cx, &atomic->records, &lanes, planes);
}

// Compares the real bits; the record goes with them.
static void compare_and_swap(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *operands,
                             LLVMValueRef *old) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef expected[NUMERIC_PLANES_MAX], wanted[NUMERIC_PLANES_MAX];
    emit_planes_of_value(e, atomic->element, &operands[0], expected);
    emit_planes_of_value(e, atomic->element, &operands[1], wanted);
    if (atomic->bits) e->cx.numeric->to_planes(&e->cx, atomic->records.format, atomic->bits, wanted);
    if (atomic->records.planes > 1) load_element(e, atomic, address, old);
    if (atomic->records.marked) load_atomic_marks(e, atomic, address, old);
    LLVMValueRef swap = LLVMBuildAtomicCmpXchg(builder, emit_pointer_of(e, address), expected[0], wanted[0],
                                               LLVMAtomicOrderingAcquireRelease, LLVMAtomicOrderingAcquire, false);
    LLVMSetAlignment(swap, atomic->bytes);
    old[0] = LLVMBuildExtractValue(builder, swap, 0, "");
    RecordLanes lanes = {0, address, LLVMBuildExtractValue(builder, swap, 1, "")};
    if (atomic->records.marked) wanted[1] = numeric_unite_marks(&e->cx, wanted[1], old[1]);
    emit_log_swap(e, &atomic->log, address, atomic->bytes, lanes.mask);
    record_store(&e->cx, &atomic->records, &lanes, wanted);
}

static bool modify(Emit *e, const AtomicElement *atomic, LLVMValueRef address, const NumericValue *operands,
                   LLVMValueRef *old) {
    LLVMValueRef low = LLVMBuildAnd(e->cx.builder, address, code_i64(&e->cx, atomic->bytes - 1), "");
    LLVMValueRef aligned = LLVMBuildICmp(e->cx.builder, LLVMIntEQ, low, code_i64(&e->cx, 0), "");
    emit_check(e, aligned,
               &(EmitFault){.kind = HOST_SITE_BOUNDS,
                            .message = "atomic access at an address that is no multiple of its size",
                            .address = address});
    if (atomic->op->kind != TIR_OP_atomic_cas_tko) emit_log_bytes(e, &atomic->log, address, atomic->bytes);
    if (atomic->op->kind == TIR_OP_atomic_cas_tko) {
        compare_and_swap(e, atomic, address, operands, old);
        return true;
    }
    uint64_t mode = tir_atomic_mode(atomic->op);
    if (mode == TIR_atomic_mode_addf)
        return (atomic->records.planes > 1 ? add_alone : add_loop)(e, atomic, address, &operands[0], old);
    if (atomic->element.is_float) {
        exchange(e, atomic, address, &operands[0], old);
        return true;
    }
    if (atomic->bits) {
        modify_bits(e, atomic, address, &operands[0], old);
        return true;
    }
    RecordLanes lanes = {0, address, NULL};
    LLVMValueRef stored[NUMERIC_PLANES_MAX] = {0};
    if (atomic->records.marked) {
        load_atomic_marks(e, atomic, address, old);
        stored[1] = operands[0].parts[1];
        if (mode != TIR_atomic_mode_xchg) stored[1] = numeric_unite_marks(&e->cx, stored[1], old[1]);
    }
    old[0] = LLVMBuildAtomicRMW(e->cx.builder, atomic_modes[mode].operation, emit_pointer_of(e, address),
                                operands[0].parts[0], LLVMAtomicOrderingAcquireRelease, false);
    LLVMSetAlignment(old[0], atomic->bytes);
    record_store(&e->cx, &atomic->records, &lanes, stored);
    return true;
}

// Whether the op moves what it is given, or takes it where it is the largest or smallest: bits stay those of a float.
static bool keeps_bits(const TirOp *op) {
    if (op->kind == TIR_OP_atomic_cas_tko) return true;
    switch (tir_atomic_mode(op)) {
    case TIR_atomic_mode_xchg:
    case TIR_atomic_mode_max:
    case TIR_atomic_mode_min:
    case TIR_atomic_mode_umax:
    case TIR_atomic_mode_umin: return true;
    default: return false;
    }
}

// `value`: what may be put into memory.
static AtomicElement open_element(Emit *e, const TirOp *op, EmitElement element, int origin, TirValue value) {
    AtomicElement atomic = {.op = op,
                            .element = element,
                            .bytes = emit_storage_bytes(element),
                            .records = keeps_bits(op) ? emit_bits_place(e, op, element, value, origin)
                                                      : emit_record_place(e, op, element, origin, true)};
    atomic.plane = code_integer_type(&e->cx, 8 * atomic.bytes);
    // The order of additions shows in their sum unless the numeric's addition is associative.
    if (element.is_float ? !e->cx.numeric->exact_addition || atomic.records.planes > 1 : atomic.records.planes > 1)
        e->kernel->sequential = true;
    return atomic;
}

// ---- through pointers -----------------------------------------------------------------------------------------------

static void open_cells(Emit *e, Atomic *atomic) {
    for (unsigned p = 0; p < atomic->one.element.parts; p++)
        atomic->cells.value.parts[p] = code_alloca(&e->cx, emit_register_type(e, atomic->one.element, p), "old");
}

static void write_cells(Emit *e, const Atomic *atomic, const NumericValue *value) {
    for (unsigned p = 0; p < atomic->one.element.parts; p++)
        LLVMBuildStore(e->cx.builder, value->parts[p], atomic->cells.value.parts[p]);
}

// Whether the old integer becomes a float again, of the format that is put there: its record is kept then.
static bool open_old_planes(Emit *e, Atomic *atomic, TirValue result, bool to_tile) {
    const AtomicElement *one = &atomic->one;
    RecordPlace same = one->records;
    TirType type;
    if (one->element.is_float || one->records.planes <= 1 || !plan_float_of_bits(e, result, &type)) return true;
    if (emit_element(e, type).format != one->records.format) return true;
    if (!emit_open_float_of_bits(e, result, emit_pointer_origin(e, atomic->pointers), to_tile, NULL, &same))
        return false;
    for (unsigned p = 0; p < one->records.planes; p++) {
        LLVMTypeRef plane = p ? code_integer_type(&e->cx, 32) : one->plane;
        if (p && !numeric_has_plane(e->cx.numeric, p)) continue;
        atomic->old_planes[p] = code_alloca(&e->cx, plane, "old");
    }
    return true;
}

// `planes` NULL: of an element that is masked off, which has no record.
static void write_old_planes(Emit *e, const Atomic *atomic, const LLVMValueRef *planes) {
    for (unsigned p = 0; p < atomic->one.records.planes; p++)
        if (atomic->old_planes[p]) {
            LLVMTypeRef type = p ? code_integer_type(&e->cx, 32) : atomic->one.plane;
            LLVMBuildStore(e->cx.builder, planes && planes[p] ? planes[p] : LLVMConstNull(type), atomic->old_planes[p]);
        }
}

static void keep_old_float(Emit *e, const Nest *nest, const TileMap *map, const Atomic *atomic, TirValue result,
                           const NumericValue *value) {
    LLVMValueRef planes[NUMERIC_PLANES_MAX] = {0};
    if (!atomic->old_planes[0]) return;
    for (unsigned p = 1; p < atomic->one.records.planes; p++)
        if (atomic->old_planes[p])
            planes[p] = LLVMBuildLoad2(e->cx.builder, code_integer_type(&e->cx, 32), atomic->old_planes[p], "");
    emit_store_float_of_bits(e, nest, result, map, value, planes);
}

static NumericValue read_cells(Emit *e, const Atomic *atomic) {
    NumericValue value = {0};
    for (unsigned p = 0; p < atomic->one.element.parts; p++)
        value.parts[p] = LLVMBuildLoad2(e->cx.builder, emit_register_type(e, atomic->one.element, p),
                                        atomic->cells.value.parts[p], "");
    return value;
}

// The float whose bits the integer is, if it is one.
static bool eval_bits(Emit *e, Nest *nest, const TileMap *map, AtomicElement *one, TirValue integer,
                      NumericValue *bits) {
    if (one->element.is_float || one->records.planes <= 1) return true;
    one->bits = bits;
    return emit_eval_bits(e, nest, integer, map, one->records.format, bits);
}

// One element: checked, modified, its old value left in the cells. A masked-off element gives the compared value, or
// zero.
static bool modify_one(Emit *e, Nest *nest, const TileMap *map, const Atomic *atomic) {
    LLVMBuilderRef builder = e->cx.builder;
    NumericValue address, mask, operands[2], none = {0};
    if (!nest_eval(e, nest, atomic->pointers, map, &address)) return false;
    LLVMValueRef address_marks = address.parts[1];
    for (unsigned i = 0; i < atomic->operand_count; i++)
        if (!nest_eval(e, nest, atomic->operands[i], map, &operands[i])) return false;
    for (unsigned p = 0; p < atomic->one.element.parts; p++)
        none.parts[p] = LLVMConstNull(emit_register_type(e, atomic->one.element, p));
    if (atomic->mask != TIR_NO_VALUE && atomic->operand_count == 1)
        none = emit_specified_where(e, atomic->one.element, LLVMConstNull(code_integer_type(&e->cx, 1)), &none,
                                    "the old value of a masked element");
    write_cells(e, atomic, atomic->operand_count == 2 ? &operands[0] : &none);
    write_old_planes(e, atomic, NULL);
    LLVMBasicBlockRef after = NULL;
    if (atomic->mask != TIR_NO_VALUE) {
        if (!nest_eval(e, nest, atomic->mask, map, &mask)) return false;
        emit_note_use(e, mask.parts[1], NULL, "its mask depends on something unspecified");
        LLVMBasicBlockRef active = code_block(&e->cx, "active");
        after = code_block(&e->cx, "inactive");
        LLVMBuildCondBr(builder, mask.parts[0], active, after);
        LLVMPositionBuilderAtEnd(builder, active);
    }
    emit_note_use(e, address_marks, NULL, "an address depends on something unspecified");
    emit_check_access(e, emit_pointer_origin(e, atomic->pointers), address.parts[0], atomic->one.bytes,
                      "atomic access");
    LLVMValueRef old[NUMERIC_PLANES_MAX] = {0};
    AtomicElement one = atomic->one;
    NumericValue bits;
    if (!eval_bits(e, nest, map, &one, atomic->operands[atomic->operand_count - 1], &bits) ||
        !modify(e, &one, address.parts[0], operands, old))
        return false;
    NumericValue value = emit_value_of_bits(e, atomic->one.element, &atomic->one.records, old);
    write_cells(e, atomic, &value);
    write_old_planes(e, atomic, old);
    if (after) {
        LLVMBuildBr(builder, after);
        LLVMPositionBuilderAtEnd(builder, after);
    }
    return true;
}

bool lower_atomic(Emit *e, const TirOp *op) {
    TirValue result = tir_result(op, 0);
    TirType type = emit_type_of(e, result);
    bool swap = op->kind == TIR_OP_atomic_cas_tko;
    TirValue pointers = tir_operand(op, "pointers");
    Atomic atomic = {.one = open_element(e, op, emit_element(e, type), emit_pointer_origin(e, pointers),
                                         tir_operand(op, swap ? "val" : "arg")),
                     .pointers = pointers,
                     .mask = tir_operand(op, "mask")};
    atomic.operands[0] = tir_operand(op, swap ? "cmp" : "arg");
    if (swap) atomic.operands[1] = tir_operand(op, "val");
    atomic.operand_count = swap ? 2 : 1;
    bool scalar = emit_is_scalar(e, result), to_tile = !scalar || emit_one_loads(e, LLVMAtomicOrderingAcquireRelease);
    EmitVal old = {.kind = EMIT_SCALAR, .origin = -1};
    if (to_tile && !emit_tile_alloc(e, type, NULL, &old)) return false;
    if (!open_old_planes(e, &atomic, result, to_tile)) return false;
    Nest nest;
    TileMap map = map_identity(emit_tile_bits(e, type));
    nest_init(&nest, map.bits);
    nest.vector_fixed = true; // element by element
    nest_touch(&nest, EMIT_BUFFERS, EMIT_BUFFERS | (to_tile ? EMIT_TILES : 0));
    if (!nest_need(e, &nest, atomic.pointers, &map)) return false;
    for (unsigned i = 0; i < atomic.operand_count; i++)
        if (!nest_need(e, &nest, atomic.operands[i], &map)) return false;
    if (atomic.mask != TIR_NO_VALUE && !nest_need(e, &nest, atomic.mask, &map)) return false;
    if (!emit_load_before_store(e, &nest, emit_pointer_origin(e, pointers))) return false;
    atomic.one.log = emit_race_log(e, op, emit_pointer_origin(e, pointers));
    nest_open(e, &nest, map.bits);
    open_cells(e, &atomic);
    if (!modify_one(e, &nest, &map, &atomic)) return false;
    NumericValue value = read_cells(e, &atomic);
    if (!to_tile)
        old.value = value;
    else
        emit_store_tile(e, &nest, atomic.one.element, &map, &old, &value);
    keep_old_float(e, &nest, &map, &atomic, result, &value);
    nest_close(e, &nest);
    emit_log_end(e, &atomic.one.log);
    if (scalar && to_tile) old = emit_element_value(e, atomic.one.element, &old);
    *emit_val(e, result) = old;
    *emit_val(e, tir_result(op, 1)) = (EmitVal){.kind = EMIT_NONE, .origin = -1};
    return true;
}

// ---- through views --------------------------------------------------------------------------------------------------

static bool reduce_view(Emit *e, const TirOp *op, TirValue value) {
    ViewAccess access;
    if (!emit_view_open(e, op, emit_type_of(e, value), &access)) return false;
    AtomicElement atomic = open_element(e, op, access.element, access.view->origin, value);
    if (!emit_log_view(e, &access)) return false;
    access.ordering = LLVMAtomicOrderingAcquireRelease; // element by element
    *emit_val(e, tir_result(op, 0)) = (EmitVal){.kind = EMIT_NONE};
    Nest nest;
    if (!emit_view_nest(e, &nest, &access)) return false;
    nest_touch(&nest, EMIT_BUFFERS, EMIT_BUFFERS);
    if (!nest_need(e, &nest, value, &access.order) || !emit_load_before_store(e, &nest, access.view->origin))
        return false;
    emit_view_limit_lanes(e, &nest, &access);
    nest_open(e, &nest, nest.bits);
    NumericValue argument;
    RecordLanes lane;
    LLVMValueRef old[NUMERIC_PLANES_MAX] = {0};
    if (!nest_eval(e, &nest, value, &access.order, &argument) ||
        !emit_view_lanes(e, &nest, &access, &access.order, &lane))
        return false;
    CodeGuard guard = code_guard_open(&e->cx, lane.mask);
    NumericValue bits;
    if (!eval_bits(e, &nest, &access.order, &atomic, value, &bits) ||
        !modify(e, &atomic, lane.addresses, &argument, old))
        return false;
    code_guard_close(&e->cx, &guard, 0, NULL);
    nest_close(e, &nest);
    return true;
}

bool lower_atomic_red_view(Emit *e, const TirOp *op) {
    return reduce_view(e, op, tir_operand(op, "value"));
}

bool lower_multimem_reduce(Emit *e, const TirOp *op) {
    return emit_one_device(e) && reduce_view(e, op, tir_operand(op, "tile"));
}
