// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, barriers, and the tokens that order them.
#include "compiler/triton/translate.h"

// ---- tokens ---------------------------------------------------------------------------------------------------------

void tri_add_load(TriTranslation *t, TirValue token) {
    t->loads = arena_grow(&t->p->scratch, t->loads, t->load_count, &t->load_capacity, sizeof *t->loads);
    t->loads[t->load_count++] = token;
}

TirValue tri_join(TriTranslation *t) {
    if (t->written == TIR_NO_VALUE) t->written = tri_emit(t, TIR_OP_make_token, tri_token_type(t), 0, NULL);
    if (t->load_count) {
        tri_add_load(t, t->written);
        t->written = tri_emit(t, TIR_OP_join_tokens, tri_token_type(t), (uint32_t)t->load_count, t->loads);
        t->load_count = 0;
    }
    return t->written;
}

// ---- accesses -------------------------------------------------------------------------------------------------------

typedef struct Access {
    TirOpKind kind;
    TirValue operands[4]; // in the order of the row, TIR_NO_VALUE: absent
    uint32_t count;       // of them, without the token, which is the last
    TirValue token;
    TirType result; // TIR_NO_TYPE: only a token
} Access;

// Gives the op; its last result is its token.
static TirOp *emit_access(TriTranslation *t, const Access *access) {
    TirValue operands[TIR_OPERANDS_MAX];
    uint32_t segments[TIR_OPERANDS_MAX] = {0}, count = 0;
    for (uint32_t i = 0; i <= access->count; i++) {
        const TirValue operand = i < access->count ? access->operands[i] : access->token;
        segments[i] = operand != TIR_NO_VALUE;
        if (segments[i]) operands[count++] = operand;
    }
    const TirType results[] = {access->result, tri_token_type(t)};
    const bool gives = access->result != TIR_NO_TYPE;
    return tri_emit_op(t, &(TirNewOp){.kind = access->kind,
                                      .operand_count = count,
                                      .operands = operands,
                                      .segments = segments,
                                      .result_count = 1u + gives,
                                      .results = results + !gives});
}

TirValue tri_emit_load(TriTranslation *t, TirValue pointers, TirValue mask, TirValue padding, TirType type) {
    const TirOp *op = emit_access(t, &(Access){.kind = TIR_OP_load_ptr_tko,
                                               .operands = {pointers, mask, padding},
                                               .count = 3,
                                               .token = t->written,
                                               .result = type});
    tri_set(t, op->first_result, "ordering", TIR_memory_ordering_weak);
    tri_add_load(t, op->first_result + 1);
    return op->first_result;
}

void tri_emit_store(TriTranslation *t, TirValue pointers, TirValue value, TirValue mask) {
    const TirOp *op = emit_access(t, &(Access){.kind = TIR_OP_store_ptr_tko,
                                               .operands = {pointers, value, mask},
                                               .count = 3,
                                               .token = tri_join(t),
                                               .result = TIR_NO_TYPE});
    tri_set(t, op->first_result, "ordering", TIR_memory_ordering_weak);
    t->written = op->first_result;
}

static bool use_optional(TriTranslation *t, TriValue value, TirValue *used) {
    *used = TIR_NO_VALUE;
    return value == TRI_NO_VALUE || tri_use(t, value, used);
}

static bool is_pointer(TriTranslation *t, TirValue value) {
    return tri_kind(t, tri_value_tile(t, value)) == TIR_TYPE_ptr || tri_fail(t, "an address that is no pointer");
}

bool tri_op_load(TriTranslation *t, const TriOp *op) {
    TirValue pointers, mask, other;
    const TriAttribute *is_volatile = tri_attribute(op, "isVolatile");
    if (t->reader->types[op->operands[0]].block) return tri_load_block(t, op);
    if (!tri_use(t, op->operands[0], &pointers) || !use_optional(t, tri_operand(op, "mask"), &mask) ||
        !use_optional(t, tri_operand(op, "other"), &other) || !is_pointer(t, pointers))
        return false;
    const TirValue loaded = tri_emit_load(t, pointers, mask, other, tri_result_type(t, op));
    if (is_volatile && is_volatile->integer) {
        tri_set(t, loaded, "ordering", TIR_memory_ordering_relaxed);
        tri_set(t, loaded, "scope", TIR_memory_scope_device);
    }
    return tri_define(t, op->first_result, loaded);
}

bool tri_op_store(TriTranslation *t, const TriOp *op) {
    TirValue pointers, value, mask;
    if (t->reader->types[op->operands[0]].block) return tri_store_block(t, op);
    if (!tri_use(t, op->operands[0], &pointers) || !tri_use(t, op->operands[1], &value) ||
        !use_optional(t, tri_operand(op, "mask"), &mask) || !is_pointer(t, pointers))
        return false;
    tri_emit_store(t, pointers, value, mask);
    return true;
}

bool tri_op_barrier(TriTranslation *t, const TriOp *op) {
    (void)op;
    tri_join(t);
    return true;
}

// ---- atomics --------------------------------------------------------------------------------------------------------

// Tile IR's ordering and scope by what Triton's enumerations say.
static uint64_t ordering_of(const TriOp *op) {
    static const uint64_t orderings[] = {[TRI_semantic_relaxed] = TIR_memory_ordering_relaxed,
                                         [TRI_semantic_acquire] = TIR_memory_ordering_acquire,
                                         [TRI_semantic_release] = TIR_memory_ordering_release,
                                         [TRI_semantic_acq_rel] = TIR_memory_ordering_acq_rel};
    return orderings[tri_attribute(op, "sem")->integer];
}
static uint64_t scope_of(const TriOp *op) {
    static const uint64_t scopes[] = {[TRI_scope_gpu] = TIR_memory_scope_device,
                                      [TRI_scope_cta] = TIR_memory_scope_tl_blk,
                                      [TRI_scope_sys] = TIR_memory_scope_sys};
    return scopes[tri_attribute(op, "scope")->integer];
}

// An atomic access takes and gives the token of what is written.
static TirOp *emit_atomic(TriTranslation *t, const TriOp *op, Access access) {
    access.token = tri_join(t);
    TirOp *made = emit_access(t, &access);
    tir_op_set(made, "ordering")->integer = ordering_of(op);
    tir_op_set(made, "scope")->integer = scope_of(op);
    t->written = made->first_result + made->result_count - 1;
    return made;
}

TirValue tri_emit_rmw(TriTranslation *t, const TriOp *op, TirValue pointers, uint64_t mode, TirValue value,
                      TirValue mask) {
    Access access = {.kind = TIR_OP_atomic_rmw_tko,
                     .operands = {pointers, value, mask},
                     .count = 3,
                     .result = tri_value_tile(t, value),
                     .token = tri_join(t)};
    TirOp *made = emit_access(t, &access);
    tir_op_set(made, "ordering")->integer = op ? ordering_of(op) : TIR_memory_ordering_relaxed;
    tir_op_set(made, "scope")->integer = op ? scope_of(op) : TIR_memory_scope_device;
    tir_op_set(made, "mode")->integer = mode;
    t->written = made->first_result + 1;
    return made->first_result;
}

uint64_t tri_rmw_mode(const TriOp *op) {
    static const uint64_t modes[] = {[TRI_rmw_and] = TIR_atomic_mode_and,   [TRI_rmw_or] = TIR_atomic_mode_or,
                                     [TRI_rmw_xor] = TIR_atomic_mode_xor,   [TRI_rmw_add] = TIR_atomic_mode_add,
                                     [TRI_rmw_fadd] = TIR_atomic_mode_addf, [TRI_rmw_max] = TIR_atomic_mode_max,
                                     [TRI_rmw_min] = TIR_atomic_mode_min,   [TRI_rmw_umax] = TIR_atomic_mode_umax,
                                     [TRI_rmw_umin] = TIR_atomic_mode_umin, [TRI_rmw_exch] = TIR_atomic_mode_xchg};
    return modes[tri_attribute(op, "atomic_rmw_op")->integer];
}

bool tri_op_atomic_rmw(TriTranslation *t, const TriOp *op) {
    TirValue pointers, value, mask;
    if (!tri_use(t, op->operands[0], &pointers) || !tri_use(t, op->operands[1], &value) ||
        !use_optional(t, tri_operand(op, "mask"), &mask) || !is_pointer(t, pointers))
        return false;
    return tri_define(t, op->first_result, tri_emit_rmw(t, op, pointers, tri_rmw_mode(op), value, mask));
}

bool tri_op_atomic_cas(TriTranslation *t, const TriOp *op) {
    TirValue used[3];
    if (!tri_use_all(t, op, used) || !is_pointer(t, used[0])) return false;
    const TirTypeKind kind = tri_kind(t, tri_result_type(t, op));
    if (kind != TIR_TYPE_i32 && kind != TIR_TYPE_i64 && kind != TIR_TYPE_f32 && kind != TIR_TYPE_f64)
        return tri_refuse(t, "elements of %s", tir_type_rows[kind].name);
    TirOp *made = emit_atomic(t, op,
                              (Access){.kind = TIR_OP_atomic_cas_tko,
                                       .operands = {used[0], used[1], used[2], TIR_NO_VALUE},
                                       .count = 4,
                                       .result = tri_result_type(t, op)});
    return tri_define(t, op->first_result, made->first_result);
}

// A load that is ordered as if it wrote: what comes later does not move before it.
static TirValue emit_atomic_load(TriTranslation *t, const TriOp *op, TirValue pointers, TirValue mask, TirType type) {
    TirOp *made = emit_atomic(
        t, op,
        (Access){.kind = TIR_OP_load_ptr_tko, .operands = {pointers, mask, TIR_NO_VALUE}, .count = 3, .result = type});
    return made->first_result;
}

bool tri_op_atomic_load(TriTranslation *t, const TriOp *op) {
    TirValue pointers, mask;
    if (!tri_use(t, op->operands[0], &pointers) || !use_optional(t, tri_operand(op, "mask"), &mask) ||
        !is_pointer(t, pointers))
        return false;
    return tri_define(t, op->first_result, emit_atomic_load(t, op, pointers, mask, tri_result_type(t, op)));
}

bool tri_op_atomic_store(TriTranslation *t, const TriOp *op) {
    TirValue pointers, value, mask;
    if (!tri_use(t, op->operands[0], &pointers) || !tri_use(t, op->operands[1], &value) ||
        !use_optional(t, tri_operand(op, "mask"), &mask) || !is_pointer(t, pointers))
        return false;
    emit_atomic(
        t, op,
        (Access){.kind = TIR_OP_store_ptr_tko, .operands = {pointers, value, mask}, .count = 3, .result = TIR_NO_TYPE});
    return true;
}

// loop { load; if all are as expected { break }; continue }. There is no time that could run out.
bool tri_op_atomic_poll(TriTranslation *t, const TriOp *op) {
    TirValue pointers, expected;
    if (!tri_use(t, op->operands[0], &pointers) || !tri_use(t, op->operands[1], &expected) || !is_pointer(t, pointers))
        return false;
    const TirType type = tri_value_tile(t, expected), bits = tri_with_element(t, type, TIR_TYPE_i1);
    const TirTypeInfo *info = tir_type(t->module, type);
    const TirType token = tri_token_type(t);
    TirValue init = tri_join(t);
    TirOp *loop = tri_emit_op(
        t,
        &(TirNewOp){.kind = TIR_OP_loop, .operand_count = 1, .operands = &init, .result_count = 1, .results = &token});
    TirBlock *block = tir_block_add(&loop->regions[0], 1, &token);
    TriMark mark = tri_open_region(t, block);
    t->written = block->first_argument;
    const TirValue found = emit_atomic_load(t, op, pointers, TIR_NO_VALUE, type);
    TirValue differ = tri_emit2(t, TIR_OP_cmpi, bits, found, expected);
    tri_set(t, differ, "predicate", TIR_predicate_not_equal);
    tri_set(t, differ, "signedness", TIR_signedness_signed);
    for (uint32_t left = info->rank; left; left--) differ = tri_reduce_with(t, differ, 0, TIR_OP_ori);
    TirOp *choice = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_if, .operand_count = 1, .operands = &differ});
    for (uint32_t r = 0; r < 2; r++) {
        const TriMark inner = tri_open_region(t, tir_block_add(&choice->regions[r], 0, NULL));
        const TirValue out = t->written;
        tri_emit_op(t, r ? &(TirNewOp){.kind = TIR_OP_break, .operand_count = 1, .operands = &out}
                         : &(TirNewOp){.kind = TIR_OP_yield});
        tri_close_region(t, &inner);
    }
    const TirValue out = t->written;
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_continue, .operand_count = 1, .operands = &out});
    tri_close_region(t, &mark);
    t->written = loop->first_result;
    return tri_define(t, op->first_result, tri_splat_bits(t, bits, 1));
}
