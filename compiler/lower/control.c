// SPDX-License-Identifier: Apache-2.0
// Control flow: if, for, loop and what ends their blocks. A value that crosses an edge goes through a slot: an alloca
// for one element (mem2reg makes it a phi), scratch memory for a tile. A loop's tile is updated in place where nothing
// reads the old one any more.
#include "compiler/lower/dot_internal.h"
#include "compiler/lower/kernel.h"
#include "compiler/lower/tiles.h"

#include <assert.h>
#include <stddef.h>

enum {
    CARRIED_MAX = 4096, // of one op: each is compared with each
    BROADCAST_DEPTH = 8,
};

typedef struct Slot {
    TirType type;
    EmitElement element;
    bool scalar, registers;                // registers: as a dot has it
    bool moved;                            // a cell has the number by which tile `from` is moved (EmitMoved)
    TirValue from, argument;               // of moved ones: the tile, and the argument of the loop's body
    DotFragment fragment;                  // of registers
    EmitVal tile;                          // other tiles
    LLVMValueRef cells[NUMERIC_PARTS_MAX]; // scalars and registers
    int origin;                            // pointers: common origin of all values written, -1 unknown
} Slot;

struct EmitLoop { // also an if
    EmitLoop *outer;
    const TirOp *op;
    Slot *carried, *results;
    LLVMBasicBlockRef next, after; // where continue and break (or yield) go
};

static bool is_token(const Emit *e, TirType type) {
    return tir_type(e->module, type)->kind == TIR_TYPE_token;
}

static bool in_memory(const Slot *slot) {
    return !slot->scalar && !slot->registers && !slot->moved;
}

// The type of a cell: an element, or what each thread has of the tile.
static LLVMTypeRef cell_type(const Emit *e, const Slot *slot, unsigned part) {
    unsigned bits = slot->registers ? slot->fragment.register_bits : 0;
    return vector_type(emit_register_type(e, slot->element, part), bits ? 1u << bits : 0);
}

// `maker`: the op that makes what is carried, if known.
static bool open_slot(Emit *e, TirType type, const TirOp *maker, Slot *slot) {
    *slot = (Slot){.type = type, .origin = -1};
    if (is_token(e, type)) return true;
    if (tir_type(e->module, type)->kind != TIR_TYPE_tile)
        return emit_fail(e, E_UNSUPPORTED, "only tiles and tokens can be carried");
    slot->element = emit_element(e, type);
    slot->scalar = tir_tile_elements(e->module, type) == 1;
    slot->registers = !slot->scalar && maker && dot_registers(e, maker, &slot->fragment);
    if (in_memory(slot)) return emit_tile_alloc(e, type, NULL, &slot->tile);
    for (unsigned p = 0; p < slot->element.parts; p++)
        slot->cells[p] = code_alloca(&e->cx, cell_type(e, slot, p), "slot");
    return true;
}

// The op of the body that makes carried value i, where the body ends with it.
static const TirOp *maker_of(const Emit *e, const TirBlock *body, uint32_t i) {
    if (!body || body->last->kind != TIR_OP_continue) return NULL;
    const TirOp *maker = tir_value(e->function, body->last->operands[i])->definition;
    return maker && maker->block == body ? maker : NULL;
}

static void open_moved(Emit *e, const TirOp *loop, uint32_t number, Slot *slot) {
    const TirValue from = loop->operands[3 + number];
    *slot = (Slot){.type = emit_type_of(e, from),
                   .moved = true,
                   .from = from,
                   .argument = loop->regions[0].first->first_argument + 1 + number,
                   .origin = -1};
    slot->element = emit_element(e, slot->type);
    slot->cells[0] = code_alloca(&e->cx, cell_type(e, slot, 0), "slot");
}

// `body`: of the loop that carries the values; NULL: they are not carried.
static bool open_slots(Emit *e, uint32_t count, const TirType *types, const TirBlock *body, Slot **slots) {
    if (count > CARRIED_MAX)
        return emit_fail(e, E_LIMIT, "%u carried values or results, at most %d are supported", count, CARRIED_MAX);
    *slots = arena_array(e->arena, Slot, count + 1u);
    const TirOp *owner = body ? body->region->owner : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (owner && owner->kind == TIR_OP_for && plan_is_moved(e, owner, i))
            open_moved(e, owner, i, &(*slots)[i]);
        else if (!open_slot(e, types[i], maker_of(e, body, i), &(*slots)[i]))
            return false;
    }
    return true;
}

static EmitVal read_slot(Emit *e, const Slot *slot) {
    if (is_token(e, slot->type)) return (EmitVal){.kind = EMIT_NONE};
    if (in_memory(slot)) return slot->tile;
    if (slot->moved) {
        EmitMoved *moved = arena_new(e->arena, EmitMoved);
        *moved = (EmitMoved){slot->from, LLVMBuildLoad2(e->cx.builder, cell_type(e, slot, 0), slot->cells[0], "")};
        return (EmitVal){.kind = EMIT_LAZY, .origin = slot->origin, .moved = moved};
    }
    EmitVal val = {.kind = slot->registers ? EMIT_REGISTERS : EMIT_SCALAR,
                   .layout = slot->fragment.layout,
                   .register_bits = slot->fragment.register_bits,
                   .origin = slot->origin};
    for (unsigned p = 0; p < slot->element.parts; p++)
        val.value.parts[p] = LLVMBuildLoad2(e->cx.builder, cell_type(e, slot, p), slot->cells[p], "");
    return val;
}

// Whether writing the slots one after the other would destroy what values[i] still has to read.
static bool is_clobbered(Emit *e, TirValue value, const Slot *slots, uint32_t count, uint32_t own) {
    for (uint32_t k = 0; k < count; k++) {
        if (is_token(e, slots[k].type) || !in_memory(&slots[k])) continue;
        bool in_place;
        if (plan_reads_memory(e, value, &slots[k].tile, &in_place) && (k != own || !in_place)) return true;
    }
    return false;
}

// By how much `value` is moved: what the slot's tile begins with, or that moved in an iteration.
static LLVMValueRef moved_by(Emit *e, const Slot *slot, TirValue value) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = cell_type(e, slot, 0);
    LLVMValueRef sum = NULL;
    if (value == slot->from) return LLVMConstNull(type);
    for (TirValue by; value != slot->argument;) {
        const TirOp *op = tir_value(e->function, value)->definition;
        bool back;
        value = plan_moved_by(e, op, &by, &back);
        LLVMValueRef number = emit_val(e, by)->value.parts[0];
        if (slot->element.is_pointer) {
            const NumericValue operands[] = {{.parts = {LLVMConstNull(type)}}, {.parts = {number}}};
            NumericValue moved = {0};
            element_offset(e, op, operands, &moved);
            number = moved.parts[0];
        }
        if (back) number = LLVMBuildNeg(builder, number, "");
        sum = sum ? LLVMBuildAdd(builder, sum, number, "") : number;
    }
    LLVMValueRef before = emit_val(e, slot->argument)->moved->by;
    return sum ? LLVMBuildAdd(builder, before, sum, "") : before;
}

// All values are read before any slot changes.
static bool write_slots(Emit *e, Slot *slots, uint32_t count, const TirValue *values) {
    EmitScratch mark = emit_open_temporary(e);
    EmitVal *copies = arena_array(e->arena, EmitVal, count + 1u);
    for (uint32_t i = 0; i < count; i++) { // what reads another slot's memory is evaluated beside it first
        copies[i].kind = EMIT_NONE;
        if (slots[i].registers &&
            !emit_to_registers(e, values[i], &slots[i].fragment.layout, slots[i].fragment.register_bits, &copies[i]))
            return false;
        if (slots[i].registers) continue;
        if (is_token(e, slots[i].type) || !in_memory(&slots[i]) || !is_clobbered(e, values[i], slots, count, i))
            continue;
        if (!emit_tile_alloc(e, slots[i].type, NULL, &copies[i]) || !emit_materialise_to(e, values[i], &copies[i]))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        Slot *slot = &slots[i];
        if (is_token(e, slot->type)) continue;
        if (slot->moved) {
            LLVMBuildStore(e->cx.builder, moved_by(e, slot, values[i]), slot->cells[0]);
            continue;
        }
        if (!in_memory(slot)) {
            const EmitVal *val = slot->registers ? &copies[i] : emit_val(e, values[i]);
            for (unsigned p = 0; p < slot->element.parts; p++)
                LLVMBuildStore(e->cx.builder, val->value.parts[p], slot->cells[p]);
            continue;
        }
        EmitVal own = *emit_val(e, values[i]);
        if (copies[i].kind == EMIT_MEMORY) *emit_val(e, values[i]) = copies[i];
        bool good = emit_materialise_to(e, values[i], &slot->tile);
        *emit_val(e, values[i]) = own;
        if (!good) return false;
    }
    emit_close_temporary(e, mark);
    return true;
}

static void bind(Emit *e, TirValue first, uint32_t count, const Slot *slots) {
    for (uint32_t i = 0; i < count; i++) *emit_val(e, first + i) = read_slot(e, &slots[i]);
}

static void result_types(Emit *e, const TirOp *op, TirType *types) {
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = emit_type_of(e, tir_result(op, i));
}

// ---- where an op of a loop body may put its result ------------------------------------------------------------------

const EmitVal *emit_carried_destination(Emit *e, const TirOp *op) {
    const EmitLoop *loop = e->loop;
    if (!loop || !loop->carried || op->result_count != 1 || op->block->region->owner != loop->op) return NULL;
    const TirOp *end = plan_single_user(e, tir_result(op, 0));
    if (!end || end->kind != TIR_OP_continue || end->block != op->block) return NULL;
    uint32_t first = loop->op->kind == TIR_OP_for ? 1 : 0, found = UINT32_MAX;
    for (uint32_t i = 0; i < end->operand_count; i++)
        if (end->operands[i] == tir_result(op, 0)) {
            if (found != UINT32_MAX) return NULL;
            found = i;
        }
    const Slot *slot = &loop->carried[found];
    if (!in_memory(slot) || plan_last_read(e, op->block->first_argument + first + found) > op->number) return NULL;
    return &slot->tile;
}

// ---- if -------------------------------------------------------------------------------------------------------------

bool lower_if(Emit *e, const TirOp *op) {
    LLVMBuilderRef builder = e->cx.builder;
    TirType *types = arena_array(e->arena, TirType, op->result_count + 1u);
    result_types(e, op, types);
    EmitLoop scope = {.outer = e->loop, .op = op, .after = code_block(&e->cx, "endif")};
    if (!open_slots(e, op->result_count, types, NULL, &scope.results)) return false;
    LLVMBasicBlockRef branches[2] = {code_block(&e->cx, "then"), code_block(&e->cx, "else")};
    LLVMBuildCondBr(builder, emit_scalar(e, op->operands[0]), branches[0], branches[1]);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(builder, branches[i]);
        emit_assume_hazards(e);
        e->loop = &scope;
        bool good = true;
        if (op->regions[i].first)
            good = emit_region(e, &op->regions[i]);
        else
            LLVMBuildBr(builder, scope.after);
        e->loop = scope.outer;
        if (!good) return false;
    }
    LLVMPositionBuilderAtEnd(builder, scope.after);
    emit_assume_hazards(e);
    bind(e, op->first_result, op->result_count, scope.results);
    return true;
}

bool lower_yield(Emit *e, const TirOp *op) {
    if (!write_slots(e, e->loop->results, op->operand_count, op->operands)) return false;
    LLVMBuildBr(e->cx.builder, e->loop->after);
    return true;
}

// ---- loops ----------------------------------------------------------------------------------------------------------

void emit_count_iterations(Emit *e) {
    if (!e->options->iterations) return;
    e->iterations = code_alloca(&e->cx, code_integer_type(&e->cx, 64), "rounds");
    LLVMBuildStore(e->cx.builder, code_i64(&e->cx, 0), e->iterations);
}

// At the beginning of a loop's body.
static void count_iteration(Emit *e) {
    LLVMBuilderRef builder = e->cx.builder;
    if (!e->iterations) return;
    LLVMValueRef before = LLVMBuildLoad2(builder, code_integer_type(&e->cx, 64), e->iterations, ""),
                 limit = code_i64(&e->cx, (int64_t)e->options->iterations);
    emit_check(e, LLVMBuildICmp(builder, LLVMIntULT, before, limit, ""),
               &(EmitFault){.kind = HOST_SITE_ROUNDS, .limit = limit});
    LLVMBuildStore(builder, LLVMBuildAdd(builder, before, code_i64(&e->cx, 1), ""), e->iterations);
}

static EmitLoop *innermost_loop(Emit *e) {
    EmitLoop *loop = e->loop;
    while (loop->op->kind == TIR_OP_if) loop = loop->outer;
    return loop;
}

bool lower_continue(Emit *e, const TirOp *op) {
    EmitLoop *loop = innermost_loop(e);
    if (!write_slots(e, loop->carried, op->operand_count, op->operands)) return false;
    LLVMBuildBr(e->cx.builder, loop->next);
    return true;
}

bool lower_break(Emit *e, const TirOp *op) {
    EmitLoop *loop = innermost_loop(e);
    if (!write_slots(e, loop->results, op->operand_count, op->operands)) return false;
    LLVMBuildBr(e->cx.builder, loop->after);
    return true;
}

bool lower_return(Emit *e, const TirOp *op) {
    (void)op;
    emit_return(e);
    return true;
}

// Number of iterations, computed once, so that the counter cannot wrap: ceil((upper - lower) / step) if lower < upper,
// else 0.
static LLVMValueRef trip_count(Emit *e, bool is_signed, LLVMValueRef lower, LLVMValueRef upper, LLVMValueRef step) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMTypeRef type = LLVMTypeOf(lower);
    LLVMValueRef one = LLVMConstInt(type, 1, false), zero = LLVMConstNull(type);
    LLVMValueRef runs = LLVMBuildICmp(builder, is_signed ? LLVMIntSLT : LLVMIntULT, lower, upper, "");
    LLVMValueRef span = LLVMBuildSub(builder, LLVMBuildSub(builder, upper, lower, ""), one, "");
    LLVMValueRef count = LLVMBuildAdd(builder, LLVMBuildUDiv(builder, span, step, ""), one, "");
    return LLVMBuildSelect(builder, runs, count, zero, "trips");
}

// Carried pointers keep their origin if every value they take has it: found by asking the initial value and what the
// body continues with, where that is an offset from the carried pointer itself.
static int carried_origin(Emit *e, const TirOp *op, uint32_t index, TirValue init) {
    int origin = emit_val(e, init)->origin;
    const TirBlock *body = op->regions[0].first;
    const TirOp *end = body->last;
    if (origin < 0 || end->kind != TIR_OP_continue) return -1;
    for (const TirOp *inner = body->first; inner; inner = inner->next)
        if (inner->region_count && inner->kind != TIR_OP_reduce && inner->kind != TIR_OP_scan)
            return -1; // may hold a continue
    TirValue value = end->operands[index], argument = body->first_argument + (op->kind == TIR_OP_for ? 1 : 0) + index;
    while (value != argument) {
        const TirOp *definition = tir_value(e->function, value)->definition;
        TirValue passed = definition && !definition->region_count ? tir_op_passed(definition) : TIR_NO_VALUE;
        if (passed == TIR_NO_VALUE) return value == init ? origin : -1;
        value = passed;
    }
    return origin;
}

// Whether the number may be one that a thread of a GPU broadcast through memory, which is any number where that thread
// has failed. Chains of operations are followed for a while.
static bool may_be_broadcast(const Emit *e, TirValue value, unsigned depth);

static bool bounds_may_be_broadcast(const Emit *e, const TirOp *loop, unsigned depth) {
    for (uint32_t i = 0; i < 3; i++)
        if (may_be_broadcast(e, loop->operands[i], depth)) return true;
    return false;
}

static bool may_be_broadcast(const Emit *e, TirValue value, unsigned depth) {
    const TirValueInfo *info = tir_value(e->function, value);
    const TirOp *op = info->definition;
    if (!depth) return true;
    if (!op) {
        const TirOp *loop = info->block->region->owner;
        if (loop && (loop->kind != TIR_OP_for || info->index)) return true;
        return loop && bounds_may_be_broadcast(e, loop, depth - 1);
    }
    switch (op->kind) {
    case TIR_OP_constant:
    case TIR_OP_get_tile_block_id:
    case TIR_OP_get_num_tile_blocks: return false;
    default: break;
    }
    if (tir_op_does(op, TIR_READS)) return !emit_is_scalar(e, value) || !tir_op_is_weak(op); // weak: each for itself
    if (emit_row(op->kind)->class == EMIT_CLASS_OP) return true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (may_be_broadcast(e, op->operands[i], depth - 1)) return true;
    return false;
}

bool lower_for(Emit *e, const TirOp *op) {
    LLVMBuilderRef builder = e->cx.builder;
    const TirValue *inits = op->operands + 3;
    uint32_t count = op->operand_count - 3;
    const TirBlock *body = op->regions[0].first;
    bool is_signed = !tir_attribute(op, "unsigned");
    LLVMValueRef lower = emit_scalar(e, op->operands[0]), upper = emit_scalar(e, op->operands[1]);
    LLVMValueRef step = emit_scalar(e, op->operands[2]);
    LLVMTypeRef type = LLVMTypeOf(lower);
    LLVMValueRef positive = LLVMBuildICmp(builder, is_signed ? LLVMIntSGT : LLVMIntNE, step, LLVMConstNull(type), "");
    emit_check(e, positive,
               &(EmitFault){.kind = HOST_SITE_STEP, .found = emit_scalar_i64(e, op->operands[2], is_signed)});

    TirType *types = arena_array(e->arena, TirType, op->result_count + 1u);
    result_types(e, op, types);
    EmitLoop loop = {
        .outer = e->loop, .op = op, .next = code_block(&e->cx, "for.next"), .after = code_block(&e->cx, "for.after")};
    if (!open_slots(e, count, types, body, &loop.carried) || !write_slots(e, loop.carried, count, inits)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (loop.carried[i].element.is_pointer) loop.carried[i].origin = carried_origin(e, op, i, inits[i]);
    loop.results = loop.carried; // a for ends with what it carries
    LLVMValueRef trips = trip_count(e, is_signed, lower, upper, step);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), head = code_block(&e->cx, "for.head"),
                      inside = code_block(&e->cx, "for.body");
    LLVMBuildBr(builder, head);

    LLVMPositionBuilderAtEnd(builder, head);
    LLVMValueRef index = LLVMBuildPhi(builder, type, "trip");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, index, trips, ""), inside, loop.after);
    LLVMPositionBuilderAtEnd(builder, loop.next);
    if (e->target->ends_failed_blocks &&
        bounds_may_be_broadcast(e, op, BROADCAST_DEPTH)) { // such a loop may go on for hours
        LLVMBasicBlockRef again = code_block(&e->cx, "for.again");
        e->target->next_iteration(e, false, again);
        LLVMPositionBuilderAtEnd(builder, again);
    }
    LLVMValueRef next = LLVMBuildAdd(builder, index, LLVMConstInt(type, 1, false), "");
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(builder)};
    LLVMBuildBr(builder, head);
    LLVMValueRef incoming[2] = {LLVMConstNull(type), next};
    LLVMAddIncoming(index, incoming, from, 2);

    LLVMPositionBuilderAtEnd(builder, inside);
    emit_assume_hazards(e);
    count_iteration(e);
    LLVMValueRef induction = LLVMBuildAdd(builder, lower, LLVMBuildMul(builder, index, step, ""), "");
    emit_bind_scalar(e, body->first_argument, induction);
    bind(e, body->first_argument + 1, count, loop.carried);
    e->loop = &loop;
    bool good = emit_region(e, &op->regions[0]);
    e->loop = loop.outer;
    LLVMPositionBuilderAtEnd(builder, loop.after);
    emit_assume_hazards(e);
    bind(e, op->first_result, op->result_count, loop.results);
    return good;
}

static bool uses(const TirRegion *region, TirValue value) {
    for (const TirOp *op = tir_first_op(region); op; op = tir_next_op(region, op))
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op->operands[i] == value) return true;
    return false;
}

// Whether the loop looks at what another block stores while it runs. One that stores itself has work to do in its
// iterations, such as one that takes its tasks from a counter; so has one that only adds to memory.
static bool may_wait(const TirOp *loop) {
    const TirRegion *body = &loop->regions[0];
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (tir_op_does(op, TIR_WRITES) && !tir_op_does(op, TIR_READS)) return false;
    for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        if (tir_op_waits(op) && uses(body, tir_result(op, 0))) return true;
    return false;
}

bool lower_loop(Emit *e, const TirOp *op) {
    LLVMBuilderRef builder = e->cx.builder;
    const TirBlock *body = op->regions[0].first;
    TirType *types = arena_array(e->arena, TirType, op->result_count + op->operand_count + 1u);
    EmitLoop loop = {
        .outer = e->loop, .op = op, .next = code_block(&e->cx, "loop.body"), .after = code_block(&e->cx, "loop.after")};
    result_types(e, op, types);
    if (!open_slots(e, op->result_count, types, NULL, &loop.results)) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) types[i] = emit_type_of(e, op->operands[i]);
    if (!open_slots(e, op->operand_count, types, body, &loop.carried)) return false;
    if (!write_slots(e, loop.carried, op->operand_count, op->operands)) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (loop.carried[i].element.is_pointer) loop.carried[i].origin = carried_origin(e, op, i, op->operands[i]);
    LLVMBasicBlockRef inside = loop.next;
    LLVMBuildBr(builder, inside);
    const bool waits = may_wait(op);
    e->kernel->waits |= waits;
    if (waits || e->target->ends_failed_blocks) {
        loop.next = code_block(&e->cx, "loop.again");
        LLVMPositionBuilderAtEnd(builder, loop.next);
        e->target->next_iteration(e, waits, inside);
    }
    LLVMPositionBuilderAtEnd(builder, inside);
    emit_assume_hazards(e);
    count_iteration(e);
    bind(e, body->first_argument, op->operand_count, loop.carried);
    e->loop = &loop;
    bool good = emit_region(e, &op->regions[0]);
    e->loop = loop.outer;
    LLVMPositionBuilderAtEnd(builder, loop.after);
    emit_assume_hazards(e);
    bind(e, op->first_result, op->result_count, loop.results);
    return good;
}

// ---- ids, tokens, assert --------------------------------------------------------------------------------------------

bool lower_get_tile_block_id(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < 3; i++) emit_bind_scalar(e, tir_result(op, i), e->block_id[i]);
    return true;
}

bool lower_get_num_tile_blocks(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < 3; i++) emit_bind_scalar(e, tir_result(op, i), emit_grid(e, i));
    return true;
}

// Memory operations run in program order, so tokens order nothing more.
bool lower_token(Emit *e, const TirOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++) *emit_val(e, tir_result(op, i)) = (EmitVal){.kind = EMIT_NONE};
    return true;
}

bool lower_assert(Emit *e, const TirOp *op) {
    TirValue condition = op->operands[0];
    Nest nest;
    TileMap map = map_identity(emit_tile_bits(e, emit_type_of(e, condition)));
    nest_init(&nest, map.bits);
    if (!nest_need(e, &nest, condition, &map)) return false;
    nest_open(e, &nest, nest.bits);
    NumericValue lanes;
    if (!nest_eval(e, &nest, condition, &map, &lanes)) return false;
    LLVMValueRef good = lanes.parts[0];
    emit_note_use(e, lanes.parts[1], NULL, "what it asserts is unspecified");
    if (nest.vector_bits) good = vector_intrinsic(&e->cx, "llvm.vector.reduce.and", &good, 1);
    const char *message =
        arena_text(e->arena, tir_attribute(op, "message")->text, tir_attribute(op, "message")->length);
    emit_check(e, good,
               &(EmitFault){.kind = HOST_SITE_ASSERT, .message = message, .found = nest_index(e, &nest, &map)});
    nest_close(e, &nest);
    return true;
}
