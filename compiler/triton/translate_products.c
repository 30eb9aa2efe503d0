// SPDX-License-Identifier: Apache-2.0
// Products with operands in memory: wgmma and tcgen05.
//
// The result of an asynchronous wgmma is a slot: staging memory that holds the accumulator, which the product adds to
// when it is carried out. Whoever uses the result as a tile loads it from there.
#include "compiler/triton/objects.h"

// ---- slots ----------------------------------------------------------------------------------------------------------

TirValue tri_slot_tile(TriTranslation *t, TriValue value, TirValue slot) {
    const TriView view = tri_tile_view(t, t->reader->types[value].tile);
    tri_touch(t, BLOCK_READ, &view, slot);
    return tri_load_view(t, &view, slot);
}

// Staging memory for a tile.
static TirValue open_slot(TriTranslation *t, TirType tile) {
    const int64_t bytes = tir_tile_elements(t->module, tile) * tir_type_rows[tri_kind(t, tile)].storage_bytes;
    return tri_operate1(t, BLOCK_STAGE, tri_integer(t, TIR_TYPE_i64, bytes));
}

TirValue tri_stage_tile(TriTranslation *t, TirValue tile) {
    const TirValue slot = open_slot(t, tri_value_tile(t, tile));
    const TriView view = tri_tile_view(t, tri_value_tile(t, tile));
    tri_touch(t, BLOCK_WRITE, &view, slot);
    tri_store_view(t, &view, slot, tile);
    return slot;
}

bool tri_use_slot(TriTranslation *t, TriValue value, TirValue *slot) {
    TirValue tile;
    if (tri_is_pending(t, value)) return tri_use_raw(t, value, slot);
    if (!tri_use(t, value, &tile)) return false;
    *slot = tri_stage_tile(t, tile);
    return true;
}

// An `if`, so that a tile is only staged where it is chosen.
bool tri_select_slot(TriTranslation *t, const TriOp *op) {
    const TirType results[] = {tri_scalar(t->module, TIR_TYPE_i64), tri_token_type(t)};
    TirValue condition;
    if (!tri_use(t, op->operands[0], &condition)) return false;
    t->written = tri_join(t);
    TirOp *choice = tri_emit_op(
        t, &(TirNewOp){
               .kind = TIR_OP_if, .operand_count = 1, .operands = &condition, .result_count = 2, .results = results});
    for (uint32_t r = 0; r < 2; r++) {
        const TriMark mark = tri_open_region(t, tir_block_add(&choice->regions[r], 0, NULL));
        TirValue given[2];
        if (!tri_use_slot(t, op->operands[1 + r], &given[0])) return false;
        given[1] = tri_join(t);
        tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = 2, .operands = given});
        tri_close_region(t, &mark);
    }
    t->written = choice->first_result + 1;
    return tri_define(t, op->first_result, choice->first_result);
}

// ---- a product as the body of a part --------------------------------------------------------------------------------

typedef struct Product {
    const TriView *a, *b, *d;         // d: the accumulator
    const TriView *a_scale, *b_scale; // NULL: none
    const TriView *c;                 // what is added, if it is not in d; without scales
    uint64_t a_kind, b_kind;          // of scaled ones
    bool adds, tf32, is_unsigned;
} Product;
enum { PRODUCT_OPERANDS = 5 };

static void list_views(const Product *p, const TriView *views[PRODUCT_OPERANDS]) {
    views[0] = p->a, views[1] = p->b, views[2] = p->d, views[3] = p->c ? p->c : p->a_scale, views[4] = p->b_scale;
}

static bool multiply(TriTranslation *t, const Product *p, const TirValue tiles[PRODUCT_OPERANDS], TirValue *product) {
    TirValue a = tiles[0], b = tiles[1];
    if (p->a_scale)
        return tri_emit_scaled_product(t,
                                       &(TriScaledProduct){.a = a,
                                                           .b = b,
                                                           .c = tiles[2],
                                                           .a_scale = tiles[3],
                                                           .b_scale = tiles[4],
                                                           .a_kind = p->a_kind,
                                                           .b_kind = p->b_kind,
                                                           .a_k_pack = true,
                                                           .b_k_pack = true},
                                       product);
    if (p->tf32 && tri_kind(t, tri_value_tile(t, a)) == TIR_TYPE_f32) {
        a = tri_convert_float(t, a, TIR_TYPE_tf32);
        b = tri_convert_float(t, b, TIR_TYPE_tf32);
    }
    *product = tri_emit_product(t, a, b, tiles[2]);
    if (p->is_unsigned && tri_kind(t, tri_value_tile(t, a)) == TIR_TYPE_i8) {
        tri_set(t, *product, "signedness_lhs", TIR_signedness_unsigned);
        tri_set(t, *product, "signedness_rhs", TIR_signedness_unsigned);
    }
    return true;
}

static TirType tile_of(TriTranslation *t, const TriView *view) {
    return tir_type_tile(t->module, tir_type_scalar(t->module, view->kind), view->rank, view->shape);
}

// Parameters: the offsets of the views.
static bool product_body(TriTranslation *t, const TirValue *parameters, const void *data) {
    const Product *p = data;
    const TriView *views[PRODUCT_OPERANDS];
    TirValue tiles[PRODUCT_OPERANDS] = {0}, product;
    list_views(p, views);
    const TirValue sum = tri_partition(t, p->d, parameters[2]);
    for (uint32_t i = 0; i < PRODUCT_OPERANDS && views[i]; i++) {
        if (i == 2 && !p->adds)
            tiles[i] = tri_splat_bits(t, tile_of(t, p->d), 0);
        else if (i == 2 && p->c)
            tiles[i] = tri_load_view(t, p->c, parameters[3]);
        else if (i == 2 && sum != TIR_NO_VALUE)
            tiles[i] = tri_load_partition(t, p->d, sum);
        else if (i < 3 || !p->c)
            tiles[i] = tri_load_view(t, views[i], parameters[i]);
    }
    if (!multiply(t, p, tiles, &product)) return false;
    if (sum != TIR_NO_VALUE)
        tri_store_partition(t, p->d, sum, product);
    else
        tri_store_view(t, p->d, parameters[2], product);
    return true;
}

static bool product_fits(TriTranslation *t, const Product *p) {
    const TriView *a = p->a, *b = p->b, *d = p->d;
    const bool a4 = p->a_scale && p->a_kind == TRI_scaled_e2m1, b4 = p->a_scale && p->b_kind == TRI_scaled_e2m1;
    const bool fits = a->rank == 2 && b->rank == 2 && d->rank == 2 && a->shape[0] == d->shape[0] &&
                      b->shape[1] == d->shape[1] && a->shape[1] << a4 == b->shape[0] << b4;
    return fits || tri_fail(t, "operands that do not fit each other");
}

static uint32_t product_part(TriTranslation *t, const Product *p) {
    TirType types[PRODUCT_OPERANDS];
    for (uint32_t i = 0; i < PRODUCT_OPERANDS; i++) types[i] = tri_scalar(t->module, TIR_TYPE_i64);
    const TriView *views[PRODUCT_OPERANDS];
    uint32_t count = 0;
    list_views(p, views);
    while (count < PRODUCT_OPERANDS && views[count]) count++;
    const char *name = arena_format(&t->p->scratch, "d %s a * b %d %d %d %d", p->adds ? "+=" : "=", (int)p->a_kind,
                                    (int)p->b_kind, p->tf32, p->is_unsigned);
    for (uint32_t i = 0; i < count; i++) name = tri_name_of_view(t, name, views[i]);
    return tri_part(t, name, count, types, product_body, p);
}

// Issues a product. `adds`: whether it adds, an i1; TIR_NO_VALUE: it does not.
static bool issue_product(TriTranslation *t, BlockQueue queue, Product *p, TirValue adds,
                          const TirValue offsets[PRODUCT_OPERANDS]) {
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64);
    TriIssue issue = {.queue = queue, .barrier = TIR_NO_VALUE};
    const TriView *views[PRODUCT_OPERANDS];
    TirValue access = TIR_NO_VALUE;
    if (!product_fits(t, p)) return false;
    const int known = adds == TIR_NO_VALUE ? 0 : tri_known_bool(t, adds);
    uint32_t parts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (known >= 0 && known != i) continue;
        p->adds = i;
        if (!(parts[i] = product_part(t, p))) return false;
    }
    if (known >= 0) {
        issue.part = tri_integer(t, TIR_TYPE_i64, parts[known]);
        access = tri_integer(t, TIR_TYPE_i64, known && !p->c ? BLOCK_UPDATES : BLOCK_WRITES);
    } else {
        issue.part = tri_emit3(t, TIR_OP_select, i64, adds, tri_integer(t, TIR_TYPE_i64, parts[1]),
                               tri_integer(t, TIR_TYPE_i64, parts[0]));
        access =
            tri_emit3(t, TIR_OP_select, i64, adds, tri_integer(t, TIR_TYPE_i64, p->c ? BLOCK_WRITES : BLOCK_UPDATES),
                      tri_integer(t, TIR_TYPE_i64, BLOCK_WRITES));
    }
    list_views(p, views);
    for (uint32_t i = 0; i < PRODUCT_OPERANDS && views[i]; i++) {
        const TirValue how = i == 2 ? access : tri_integer(t, TIR_TYPE_i64, BLOCK_READS);
        if (!tri_words_of_view(t, &issue.pieces, how, views[i], offsets[i], &issue.piece_count)) return false;
        tri_word(&issue.arguments, offsets[i]);
    }
    return tri_issue(t, &issue);
}

// ---- wgmma ----------------------------------------------------------------------------------------------------------

static bool nothing(TriTranslation *t, const TirValue *parameters, const void *data) {
    (void)t, (void)parameters, (void)data;
    return true;
}

// A product that is waited for at once: the accumulator stays a tile; the operation only says what it reads.
static bool multiply_now(TriTranslation *t, const TriOp *op, Product *p, TirValue adds, const TirValue offsets[2],
                         const TirValue given[2]) {
    TirValue tiles[PRODUCT_OPERANDS] = {0}, product;
    const TirType tile = t->reader->types[op->first_result].tile;
    TriIssue issue = {.queue = BLOCK_PRODUCTS, .barrier = TIR_NO_VALUE};
    const TriView *views[] = {p->a, p->b};
    for (uint32_t i = 0; i < 2; i++) {
        if (given[i] != TIR_NO_VALUE) continue;
        const TirValue reads = tri_integer(t, TIR_TYPE_i64, BLOCK_READS);
        if (!tri_words_of_view(t, &issue.pieces, reads, views[i], offsets[i], &issue.piece_count)) return false;
    }
    const uint32_t part = tri_part(t, "nothing", 0, NULL, nothing, NULL);
    if (!part) return false;
    issue.part = tri_integer(t, TIR_TYPE_i64, part);
    if (!tri_issue(t, &issue)) return false;
    tri_wait_groups(t, BLOCK_PRODUCTS, 0, false, true);
    for (uint32_t i = 0; i < 2; i++)
        tiles[i] = given[i] != TIR_NO_VALUE ? given[i] : tri_load_view(t, views[i], offsets[i]);
    const TirValue zero = tri_splat_bits(t, tile, 0);
    const int known = adds == TIR_NO_VALUE ? 1 : tri_known_bool(t, adds);
    if (!tri_use(t, tri_operand(op, "c"), &tiles[2])) return false;
    if (!known) tiles[2] = zero;
    if (known < 0) {
        const TirType bits = tri_with_element(t, tile, TIR_TYPE_i1);
        tiles[2] = tri_emit3(t, TIR_OP_select, tile, tri_splat(t, adds, bits), tiles[2], zero);
    }
    return multiply(t, p, tiles, &product) && tri_define(t, op->first_result, product);
}

bool tri_op_warp_group_dot(TriTranslation *t, const TriOp *op) {
    const TriAttribute *is_async = tri_attribute(op, "isAsync"), *precision = tri_attribute(op, "inputPrecision");
    const TriValue c = tri_operand(op, "c"), use_c = tri_operand(op, "useC");
    const TirType tile = t->reader->types[op->first_result].tile;
    TriView staged, accumulator = tri_tile_view(t, tile);
    Product p = {.d = &accumulator, .tf32 = precision && precision->integer == TRI_precision_tf32};
    TirValue offsets[PRODUCT_OPERANDS], adds = TIR_NO_VALUE, given[2] = {TIR_NO_VALUE, TIR_NO_VALUE};
    const TriValue operands[] = {tri_operand(op, "a"), tri_operand(op, "b")};
    const TriView **views[] = {&p.a, &p.b};
    const bool later = is_async && is_async->integer;
    if (use_c != TRI_NO_VALUE && !tri_use(t, use_c, &adds)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (t->reader->types[operands[i]].memory) {
            if (!tri_use_view(t, operands[i], &offsets[i], views[i])) return false;
            continue;
        }
        if (i) return tri_fail(t, "the second operand is no memory object");
        if (!tri_use(t, operands[i], &given[i])) return false;
        staged = tri_tile_view(t, tri_value_tile(t, given[i]));
        *views[i] = &staged;
        if (later) offsets[i] = tri_stage_tile(t, given[i]);
    }
    if (!later) return product_fits(t, &p) && multiply_now(t, op, &p, adds, offsets, given);
    // The accumulator stays where it is if nobody else uses it, or is read when the product is carried out.
    const int known = adds == TIR_NO_VALUE ? 1 : tri_known_bool(t, adds);
    if (tri_is_pending(t, c) && tri_is_own(t, c)) {
        if (!tri_use_raw(t, c, &offsets[2])) return false;
    } else if (!known) {
        offsets[2] = open_slot(t, tile);
    } else if (tri_is_pending(t, c)) {
        p.c = &accumulator;
        offsets[2] = open_slot(t, tile);
        if (!tri_use_raw(t, c, &offsets[3])) return false;
    } else {
        TirValue tile_of_c;
        if (!tri_use(t, c, &tile_of_c)) return false;
        offsets[2] = tri_stage_tile(t, tile_of_c);
    }
    const TirValue always = adds == TIR_NO_VALUE ? tri_integer(t, TIR_TYPE_i1, 1) : adds;
    if (!issue_product(t, BLOCK_PRODUCTS, &p, always, offsets)) return false;
    tri_end_group(t, BLOCK_PRODUCTS);
    return tri_define(t, op->first_result, offsets[2]);
}

bool tri_op_warp_group_dot_wait(TriTranslation *t, const TriOp *op) {
    if (op->result_count != op->operand_count) return tri_fail(t, "results that do not fit");
    tri_wait_groups(t, BLOCK_PRODUCTS, tri_attribute(op, "pendings")->integer, false, false);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const TriValue from = op->operands[i], to = op->first_result + i;
        TirValue value;
        if (t->reader->types[from].token) continue;
        if (t->reader->types[from].memory) {
            const TriView *view;
            if (!tri_use_view(t, from, &value, &view) || !tri_define_view(t, to, value, view)) return false;
            continue;
        }
        const bool slot = tri_is_pending(t, to);
        if (slot ? !tri_use_slot(t, from, &value) : !tri_use(t, from, &value)) return false;
        if (!tri_define(t, to, value)) return false;
    }
    return true;
}

enum { CLUSTER_BITS_MAX = 4 };

// ---- tcgen05 --------------------------------------------------------------------------------------------------------

// Whether blocks whose numbers differ in these bits have the same part of the memory.
static bool share_memory(const TriLayout *layout, uint32_t bits) {
    for (uint32_t i = 0; i < layout->blocks.count; i++)
        if (bits >> i & 1 && !tri_basis_is_zero(&layout->blocks, i)) return false;
    return true;
}

// How many blocks of the cluster arrive at the barrier of one of them: those that share one of the objects with it, as
// the copies of those are for all who share them. Of pairs of blocks the first one arrives.
static bool count_commits(TriTranslation *t, const TriOp *op, const TriValue *shared, uint32_t count,
                          uint32_t *commits) {
    const TriAttribute *two = tri_attribute(op, "two_ctas");
    uint32_t bits = 0;
    *commits = !count;
    for (uint32_t i = 0; i < count; i++) {
        const TriMemory *memory = t->reader->types[shared[i]].memory;
        if (!memory) return tri_fail(t, "an operand that is no memory object");
        if (memory->layout->blocks.count > bits) bits = memory->layout->blocks.count;
    }
    if (bits > CLUSTER_BITS_MAX) return tri_refuse(t, "a cluster of so many blocks");
    for (uint32_t block = 0; count && block < 1u << bits; block += two && two->integer ? 2 : 1) {
        bool shares = false;
        for (uint32_t i = 0; i < count; i++) shares |= share_memory(t->reader->types[shared[i]].memory->layout, block);
        *commits += shares;
    }
    return true;
}

static void commit(TriTranslation *t, TirValue barrier, uint32_t commits) {
    tri_operate2(t, BLOCK_COMMIT, barrier, tri_integer(t, TIR_TYPE_i64, commits));
}

static bool commit_barriers(TriTranslation *t, const TriOp *op) {
    const TriAttribute *multicast = tri_attribute(op, "multicast");
    const TriValue *barriers, *predicates, shared[] = {tri_operand(op, "a"), tri_operand(op, "b")};
    uint32_t commits;
    const bool shares[] = {t->reader->types[shared[0]].memory && !t->reader->types[shared[0]].memory->tensor, true};
    const uint32_t first = shares[0] ? 0 : 1; // tensor memory is nobody else's
    if (!count_commits(t, op, shared + first, multicast && multicast->integer ? 2 - first : 0, &commits)) return false;
    const uint32_t count = tri_operands(op, "barriers", &barriers);
    if (tri_operands(op, "barrier_preds", &predicates) != count) return tri_fail(t, "barriers without predicates");
    for (uint32_t i = 0; i < count; i++) {
        TriGuard guard;
        TirValue barrier;
        if (!tri_open_guard(t, predicates[i], &guard) || !tri_use_barrier(t, barriers[i], &barrier)) return false;
        commit(t, barrier, commits);
        tri_close_guard(t, &guard);
    }
    return true;
}

// Asynchronous also without is_async and without barriers: Triton makes no wait of its own for those.
static bool issue_tensor_product(TriTranslation *t, const TriOp *op, Product *p) {
    const TriAttribute *is_unsigned = tri_attribute(op, "is_unsigned");
    static const char *const names[PRODUCT_OPERANDS] = {"a", "b", "d", "a_scale", "b_scale"};
    const TriView **views[] = {&p->a, &p->b, &p->d, &p->a_scale, &p->b_scale};
    TirValue offsets[PRODUCT_OPERANDS], adds;
    TriGuard guard;
    for (uint32_t i = 0; i < PRODUCT_OPERANDS; i++) {
        const TriValue value = tri_operand(op, names[i]);
        if (value != TRI_NO_VALUE && !tri_use_view(t, value, &offsets[i], views[i])) return false;
    }
    if (!p->d->tensor) return tri_fail(t, "an accumulator that is not in tensor memory");
    p->tf32 = true;
    p->is_unsigned = is_unsigned && is_unsigned->integer;
    if (!tri_use(t, tri_operand(op, "useD"), &adds)) return false;
    if (!tri_open_guard(t, tri_operand(op, "pred"), &guard)) return false;
    if (!issue_product(t, BLOCK_TENSOR_CORE, p, adds, offsets) || !commit_barriers(t, op)) return false;
    tri_close_guard(t, &guard);
    return true;
}

bool tri_op_tc_gen5_mma(TriTranslation *t, const TriOp *op) {
    return issue_tensor_product(t, op, &(Product){0});
}

bool tri_op_tc_gen5_mma_scaled(TriTranslation *t, const TriOp *op) {
    return issue_tensor_product(
        t, op,
        &(Product){.a_kind = tri_attribute(op, "a_type")->integer, .b_kind = tri_attribute(op, "b_type")->integer});
}

bool tri_op_tc_gen5_commit(TriTranslation *t, const TriOp *op) {
    TriGuard guard;
    TirValue barrier;
    const TriValue *shared = NULL;
    uint32_t commits;
    const uint32_t count = tri_operands(op, "descs", &shared);
    if (!count_commits(t, op, shared, count, &commits) || !tri_open_guard(t, tri_operand(op, "pred"), &guard) ||
        !tri_use_barrier(t, tri_operand(op, "barrier"), &barrier))
        return false;
    commit(t, barrier, commits);
    tri_close_guard(t, &guard);
    return true;
}
