// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies between global and shared memory: TMA and cp.async.
#include "compiler/triton/objects.h"

// ---- TMA ------------------------------------------------------------------------------------------------------------

enum { TMA_LOAD, TMA_STORE, TMA_REDUCE };

typedef struct Copy {
    int kind;
    const TriDescriptor *desc;
    const TriView *view;
    const TriView *rows; // staged numbers of rows, of a gather or scatter; NULL: a box
    uint64_t mode;       // of TMA_REDUCE
    const TriOp *op;
    uint32_t split; // log2 of how many blocks of a cluster the memory is shared out to, each with a barrier of its own
} Copy;

// The lines of a box: from indices, or from rows that are in staging memory and a column.
static void lines_of(TriTranslation *t, const Copy *copy, const TirValue *indices, TirValue lines[TIR_RANK_MAX]) {
    const TirTypeInfo *shape = tir_type(t->module, copy->desc->block);
    if (copy->rows) {
        const TirValue rows = tri_load_view(t, copy->rows, indices[0]);
        const TirType wide = tri_with_element(t, tri_value_tile(t, rows), TIR_TYPE_i64);
        lines[0] = tri_set(t, tri_emit1(t, TIR_OP_exti, wide, rows), "signedness", TIR_signedness_signed);
        lines[1] = tri_line_of(t, indices[1], copy->view->shape[1]);
        return;
    }
    for (uint32_t d = 0; d < copy->desc->rank; d++) lines[d] = tri_line_of(t, indices[d], shape->shape[d]);
}

static TirType block_of(TriTranslation *t, const Copy *copy) {
    if (!copy->rows) return copy->desc->block;
    return tri_tile(t->module, tir_type(t->module, copy->desc->block)->element,
                    &(TirTypeInfo){.rank = 2, .shape = copy->view->shape});
}

static TirType view_tile(TriTranslation *t, const TriView *view) {
    return tir_type_tile(t->module, tir_type_scalar(t->module, view->kind), view->rank, view->shape);
}

// The copy between lines of the tensor and the memory at the offset; `whole`: all of it lies in the tensor.
static bool copy_lines(TriTranslation *t, const Copy *copy, const TirValue *lines, TirValue offset, bool whole) {
    const TirType block = block_of(t, copy), tile = view_tile(t, copy->view);
    TirValue padding = TIR_NO_VALUE, partition = TIR_NO_VALUE;
    TriBox box;
    tri_make_box(t, copy->desc, lines, block, whole ? UINT32_MAX : 0, &box);
    if (copy->kind == TMA_LOAD) {
        if (!whole && !tri_box_padding(t, copy->desc, block, &padding)) return false;
        if (block == tile) partition = tri_partition(t, copy->view, offset);
        const TirValue loaded = tri_emit_load(t, box.pointers, box.inside, padding, block);
        if (partition != TIR_NO_VALUE)
            tri_store_partition(t, copy->view, partition, loaded);
        else
            tri_store_view(t, copy->view, offset, tri_reshape(t, loaded, tile));
    } else {
        const TirValue stored = tri_reshape(t, tri_load_view(t, copy->view, offset), block);
        if (copy->kind == TMA_STORE)
            tri_emit_store(t, box.pointers, stored, box.inside);
        else
            tri_emit_rmw(t, NULL, box.pointers, copy->mode, stored, box.inside);
    }
    return true;
}

// Whether all of a box lies in the tensor.
static TirValue is_inside(TriTranslation *t, const Copy *copy, const TirValue *indices) {
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64), flag = tri_scalar(t->module, TIR_TYPE_i1);
    const TirTypeInfo *block = tir_type(t->module, copy->desc->block);
    TirValue all = TIR_NO_VALUE;
    for (uint32_t d = 0; d < copy->desc->rank; d++) {
        const TirValue first =
            tri_set(t, tri_emit1(t, TIR_OP_exti, i64, indices[d]), "signedness", TIR_signedness_signed);
        const TirValue end = tri_emit2(t, TIR_OP_addi, i64, first, tri_integer(t, TIR_TYPE_i64, block->shape[d]));
        const TirValue begins =
            tri_compare(t, first, tri_integer(t, TIR_TYPE_i64, 0), TIR_predicate_greater_than_or_equal);
        const TirValue ends = tri_compare(t, end, copy->desc->extents[d], TIR_predicate_less_than_or_equal);
        const TirValue both = tri_emit2(t, TIR_OP_andi, flag, begins, ends);
        all = all == TIR_NO_VALUE ? both : tri_emit2(t, TIR_OP_andi, flag, all, both);
    }
    return all;
}

// The copy in several ways, from the fastest on: what is known to lie side by side, and in the tensor, is copied many
// times faster. `indices` NULL: there is no box.
typedef enum Way { WAY_WHOLE, WAY_SIDE_BY_SIDE, WAY_ANY } Way;
static bool copy_by(TriTranslation *t, Way way, const Copy *copy, const TirValue *indices, const TirValue *lines,
                    TirValue offset) {
    TriDescriptor desc = *copy->desc;
    const TirValue stride = desc.strides[desc.rank - 1];
    Copy own = *copy;
    own.desc = &desc;
    if (way == WAY_WHOLE && !indices) way++;
    if (way == WAY_ANY) return copy_lines(t, copy, lines, offset, false);
    TirValue fits = tri_compare(t, stride, tri_integer(t, TIR_TYPE_i64, 1), TIR_predicate_equal);
    if (way == WAY_WHOLE)
        fits = tri_emit2(t, TIR_OP_andi, tri_scalar(t->module, TIR_TYPE_i1), fits, is_inside(t, copy, indices));
    TirOp *choice = tri_open_choice(t, fits);
    TriMark mark = tri_open_region(t, tir_block_add(&choice->regions[0], 0, NULL));
    desc.strides[desc.rank - 1] = tri_integer(t, TIR_TYPE_i64, 1);
    if (!copy_lines(t, &own, lines, offset, way == WAY_WHOLE)) return false;
    tri_close_arm(t, &mark);
    mark = tri_open_region(t, tir_block_add(&choice->regions[1], 0, NULL));
    if (!copy_by(t, way + 1, copy, indices, lines, offset)) return false;
    tri_close_arm(t, &mark);
    t->written = choice->first_result;
    return true;
}

// Parameters: the descriptor, indices (of a gather: the place of the rows, and a column), the offset of the view.
static bool copy_body(TriTranslation *t, const TirValue *parameters, const void *data) {
    const Copy *copy = data;
    const TirValue *next = parameters;
    const TriDescriptor desc = tri_descriptor_from(t, copy->desc, &next);
    Copy own = *copy;
    own.desc = &desc;
    const uint32_t index_count = copy->rows ? 2 : desc.rank;
    const TirValue *indices = next, offset = next[index_count];
    TirValue lines[TIR_RANK_MAX];
    lines_of(t, &own, indices, lines);
    if (copy->kind == TMA_REDUCE) return copy_lines(t, &own, lines, offset, false);
    return copy_by(t, WAY_WHOLE, &own, copy->rows ? NULL : indices, lines, offset);
}

static bool copy_fits(TriTranslation *t, const Copy *copy) {
    const TirType block = block_of(t, copy);
    const TirTypeInfo *shape = tir_type(t->module, copy->desc->block);
    if (copy->view->tensor) return tri_fail(t, "a copy to or from tensor memory");
    if (copy->rows && (shape->rank != 2 || copy->view->rank != 2 || copy->rows->shape[0] != copy->view->shape[0]))
        return tri_fail(t, "rows that do not fit");
    int64_t elements = 1;
    for (uint32_t d = 0; d < copy->view->rank; d++) elements *= copy->view->shape[d];
    return (elements == tir_tile_elements(t->module, block) && copy->view->kind == tri_kind(t, block)) ||
           tri_fail(t, "memory that does not fit the descriptor's block");
}

// Issues the copy; `indices` as the part gets them.
static bool issue_copy(TriTranslation *t, const Copy *copy, const TirValue *indices, TirValue offset,
                       TirValue barrier) {
    TirType types[2 * TIR_RANK_MAX + TIR_RANK_MAX + 4];
    const bool loads = copy->kind == TMA_LOAD;
    const uint32_t index_count = copy->rows ? 2 : copy->desc->rank;
    TriIssue issue = {.queue = loads ? BLOCK_LOADS : BLOCK_STORES, .barrier = barrier};
    static const char *const names[] = {"TMA load", "TMA store", "TMA reduction"};
    if (!copy_fits(t, copy)) return false;
    uint32_t count = tri_descriptor_types(t, copy->desc, types);
    tri_words_of_descriptor(copy->desc, &issue.arguments);
    for (uint32_t i = 0; i < index_count; i++) {
        tri_word(&issue.arguments, indices[i]);
        types[count++] = tri_value_tile(t, indices[i]);
    }
    tri_word(&issue.arguments, offset);
    types[count++] = tri_value_tile(t, offset);
    const char *name = arena_format(&t->p->scratch, "%s %u %u %d %u %d", names[copy->kind], (unsigned)copy->desc->block,
                                    count, copy->desc->nan, (unsigned)copy->mode, copy->desc->is_unsigned);
    if (copy->rows) name = tri_name_of_view(t, name, copy->rows);
    const uint32_t part = tri_part(t, tri_name_of_view(t, name, copy->view), count, types, copy_body, copy);
    if (!part) return false;
    issue.part = tri_integer(t, TIR_TYPE_i64, part);
    int64_t bytes = tir_type_rows[copy->view->kind].storage_bytes;
    for (uint32_t d = 0; d < copy->view->rank; d++) bytes *= copy->view->shape[d];
    bytes >>= copy->split;
    issue.bytes = tri_integer(t, TIR_TYPE_i64, bytes);
    const TirValue access = tri_integer(t, TIR_TYPE_i64, loads ? BLOCK_WRITES : BLOCK_READS);
    if (!tri_words_of_view(t, &issue.pieces, access, copy->view, offset, &issue.piece_count) || !tri_issue(t, &issue))
        return false;
    if (copy->rows) tri_operate1(t, BLOCK_UNSTAGE, indices[0]);
    if (!loads) tri_end_group(t, BLOCK_STORES);
    return true;
}

// Bits of a block's number that say which part of the memory it has.
static uint32_t split_of(const TriLayout *layout) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < layout->blocks.count; i++) bits += !tri_basis_is_zero(&layout->blocks, i);
    return bits;
}

static bool open_copy(TriTranslation *t, const TriOp *op, const char *memory, Copy *copy, TirValue *offset) {
    const TriMemory *type = t->reader->types[tri_operand(op, memory)].memory;
    copy->op = op;
    if (!type) return tri_fail(t, "an operand that is no memory object");
    copy->split = split_of(type->layout);
    copy->desc = tri_use_descriptor(t, tri_operand(op, "desc"));
    return copy->desc && tri_use_view(t, tri_operand(op, memory), offset, &copy->view);
}

static bool use_indices(TriTranslation *t, const TriOp *op, const Copy *copy, TirValue *indices) {
    const TriValue *coordinates, *offsets;
    const uint32_t count = tri_operands(op, "coord", &coordinates);
    if (tri_operands(op, "offsets", &offsets)) return tri_refuse(t, "a copy with offsets (im2col)");
    if (count != copy->desc->rank || !count)
        return tri_fail(t, "%u indices for %u dimensions", count, copy->desc->rank);
    for (uint32_t d = 0; d < count; d++) {
        if (!tri_use(t, coordinates[d], &indices[d])) return false;
        if (tri_value_tile(t, indices[d]) != tri_scalar(t->module, TIR_TYPE_i32))
            return tri_fail(t, "an index that is no i32");
    }
    return true;
}

// The rows are staged, for the part to find them.
static bool use_rows(TriTranslation *t, const TriOp *op, Copy *copy, TriView *view, TirValue indices[2]) {
    TirValue rows;
    if (!tri_use(t, tri_operand(op, "x_offsets"), &rows) || !tri_use(t, tri_operand(op, "y_offset"), &indices[1]))
        return false;
    const TirTypeInfo *shape = tir_type(t->module, tri_value_tile(t, rows));
    if (shape->rank != 1 || tri_kind(t, tri_value_tile(t, rows)) != TIR_TYPE_i32 ||
        tri_value_tile(t, indices[1]) != tri_scalar(t->module, TIR_TYPE_i32))
        return tri_fail(t, "rows that do not fit");
    *view = tri_tile_view(t, tri_value_tile(t, rows));
    copy->rows = view;
    indices[0] = tri_stage_tile(t, rows);
    return true;
}

bool tri_op_async_tma_copy_global_to_local(TriTranslation *t, const TriOp *op) {
    Copy copy = {.kind = TMA_LOAD};
    TirValue offset, barrier, indices[TIR_RANK_MAX];
    TriGuard guard;
    if (!open_copy(t, op, "result", &copy, &offset) || !use_indices(t, op, &copy, indices) ||
        !tri_use_barrier(t, tri_operand(op, "barrier"), &barrier) ||
        !tri_open_guard(t, tri_operand(op, "pred"), &guard) || !issue_copy(t, &copy, indices, offset, barrier))
        return false;
    tri_close_guard(t, &guard);
    return true;
}

bool tri_op_async_tma_gather(TriTranslation *t, const TriOp *op) {
    Copy copy = {.kind = TMA_LOAD};
    TirValue offset, barrier, indices[2];
    TriView rows;
    TriGuard guard;
    if (!open_copy(t, op, "result", &copy, &offset) || !tri_use_barrier(t, tri_operand(op, "barrier"), &barrier) ||
        !tri_open_guard(t, tri_operand(op, "pred"), &guard) || !use_rows(t, op, &copy, &rows, indices) ||
        !issue_copy(t, &copy, indices, offset, barrier))
        return false;
    tri_close_guard(t, &guard);
    return true;
}

bool tri_op_async_tma_copy_local_to_global(TriTranslation *t, const TriOp *op) {
    Copy copy = {.kind = TMA_STORE};
    TirValue offset, indices[TIR_RANK_MAX];
    return open_copy(t, op, "src", &copy, &offset) && use_indices(t, op, &copy, indices) &&
           issue_copy(t, &copy, indices, offset, TIR_NO_VALUE);
}

bool tri_op_async_tma_scatter(TriTranslation *t, const TriOp *op) {
    Copy copy = {.kind = TMA_STORE};
    TirValue offset, indices[2];
    TriView rows;
    return open_copy(t, op, "src", &copy, &offset) && use_rows(t, op, &copy, &rows, indices) &&
           issue_copy(t, &copy, indices, offset, TIR_NO_VALUE);
}

bool tri_op_async_tma_reduce(TriTranslation *t, const TriOp *op) {
    Copy copy = {.kind = TMA_REDUCE};
    TirValue offset, indices[TIR_RANK_MAX];
    if (!open_copy(t, op, "src", &copy, &offset) || !use_indices(t, op, &copy, indices)) return false;
    copy.mode = tri_reduction_mode(t, op, copy.desc, tri_kind(t, copy.desc->block));
    return copy.mode != TRI_NO_MODE && issue_copy(t, &copy, indices, offset, TIR_NO_VALUE);
}

// ---- cp.async -------------------------------------------------------------------------------------------------------

typedef struct Landing {
    const TriView *staged, *view;
} Landing;

static bool landing_body(TriTranslation *t, const TirValue *parameters, const void *data) {
    const Landing *landing = data;
    tri_store_view(t, landing->view, parameters[1], tri_load_view(t, landing->staged, parameters[0]));
    return true;
}

// Staging memory is given back, once the copy is done.
static bool issue_landing(TriTranslation *t, TriIssue *issue, const TriView *view, TirValue slot, TirValue offset) {
    const TirValue writes = tri_integer(t, TIR_TYPE_i64, BLOCK_WRITES);
    tri_word(&issue->arguments, slot);
    tri_word(&issue->arguments, offset);
    if (!tri_words_of_view(t, &issue->pieces, writes, view, offset, &issue->piece_count) || !tri_issue(t, issue))
        return false;
    tri_operate1(t, BLOCK_UNSTAGE, slot);
    return true;
}

// What is copied is read now; it lands when somebody waits for it.
bool tri_op_async_copy_global_to_local(TriTranslation *t, const TriOp *op) {
    const TriValue mask = tri_operand(op, "mask"), other = tri_operand(op, "other");
    TirValue pointers, masked = TIR_NO_VALUE, padding = TIR_NO_VALUE, offset;
    const TriView *view;
    if (!tri_use(t, tri_operand(op, "src"), &pointers) || (mask != TRI_NO_VALUE && !tri_use(t, mask, &masked)) ||
        (other != TRI_NO_VALUE && !tri_use(t, other, &padding)) ||
        !tri_use_view(t, tri_operand(op, "result"), &offset, &view))
        return false;
    const TirType tile = view_tile(t, view);
    const TirTypeInfo *shape = tir_type(t->module, tile), *given = tir_type(t->module, tri_value_tile(t, pointers));
    if (tri_kind(t, tri_value_tile(t, pointers)) != TIR_TYPE_ptr ||
        tir_type(t->module, given->element)->element != shape->element ||
        tri_tile(t->module, given->element, shape) != tri_value_tile(t, pointers))
        return tri_fail(t, "memory that does not fit the pointers");
    if (padding == TIR_NO_VALUE && masked != TIR_NO_VALUE)
        padding = tri_splat_bits(t, tile, 0); // cp.async fills with zeros
    const TirValue slot = tri_stage_tile(t, tri_emit_load(t, pointers, masked, padding, tile));
    const TriView staged = tri_tile_view(t, tile);
    const Landing landing = {&staged, view};
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64), types[] = {i64, i64};
    TriIssue issue = {.queue = BLOCK_COPIES, .barrier = TIR_NO_VALUE};
    const uint32_t part = tri_part(t, tri_name_of_view(t, "cp.async", view), 2, types, landing_body, &landing);
    if (!part) return false;
    issue.part = tri_integer(t, TIR_TYPE_i64, part);
    return issue_landing(t, &issue, view, slot, offset);
}

// A store to the memory of a block of the cluster that completes on a barrier.
bool tri_op_async_shared_store(TriTranslation *t, const TriOp *op) {
    TirValue tile, offset, barrier;
    const TriView *view;
    if (!tri_use(t, tri_operand(op, "src"), &tile) || !tri_use_view(t, tri_operand(op, "dst"), &offset, &view) ||
        !tri_use_barrier(t, tri_operand(op, "mbarrier"), &barrier))
        return false;
    if (tri_value_tile(t, tile) != view_tile(t, view)) return tri_fail(t, "a tile that does not fit the memory");
    const TriView staged = tri_tile_view(t, tri_value_tile(t, tile));
    const Landing landing = {&staged, view};
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64), types[] = {i64, i64};
    TriIssue issue = {.queue = BLOCK_LOADS, .barrier = barrier};
    const uint32_t part = tri_part(t, tri_name_of_view(t, "st.async", view), 2, types, landing_body, &landing);
    if (!part) return false;
    issue.part = tri_integer(t, TIR_TYPE_i64, part);
    const int64_t bytes =
        tir_tile_elements(t->module, tri_value_tile(t, tile)) * tir_type_rows[view->kind].storage_bytes;
    issue.bytes =
        tri_integer(t, TIR_TYPE_i64, bytes >> split_of(t->reader->types[tri_operand(op, "dst")].memory->layout));
    return issue_landing(t, &issue, view, tri_stage_tile(t, tile), offset);
}

// ---- descriptors that the kernel makes ------------------------------------------------------------------------------

// Scratch in global memory is only used for descriptors: who has the pointer has the descriptor.
bool tri_op_global_scratch_alloc(TriTranslation *t, const TriOp *op) {
    const TirValue zero = tri_integer(t, TIR_TYPE_i64, 0);
    return tri_define(t, op->first_result, tri_emit1(t, TIR_OP_int_to_ptr, tri_result_type(t, op), zero));
}

static const TriDescriptor **scratch_descriptor(TriTranslation *t, TriValue value) {
    return &t->frame->descriptors[value - t->frame->function->first_value];
}

bool tri_op_tensormap_create(TriTranslation *t, const TriOp *op) {
    const TriValue *dims, *strides, pointer = tri_operand(op, "desc_ptr");
    const uint32_t rank = tri_operands(op, "global_dim", &dims);
    TriDescriptor made = {.rank = rank, .padding = TIR_NO_VALUE, .padding_flag = TIR_NO_VALUE, .made = op};
    made.nan = tri_attribute(op, "fill_mode") && tri_attribute(op, "fill_mode")->integer;
    if (!rank || rank > TIR_RANK_MAX || tri_operands(op, "global_stride", &strides) != rank - 1)
        return tri_fail(t, "sizes and strides that do not fit");
    if (!tri_use(t, tri_operand(op, "global_address"), &made.base)) return false;
    const TirTypeInfo *type = tir_type(t->module, tri_value_tile(t, made.base));
    if (tri_kind(t, tri_value_tile(t, made.base)) != TIR_TYPE_ptr) return tri_fail(t, "an address that is no pointer");
    const uint64_t size =
        tir_type_rows[tir_type(t->module, tir_type(t->module, type->element)->element)->kind].storage_bytes;
    const TirType i64 = tri_scalar(t->module, TIR_TYPE_i64);
    for (uint32_t d = 0; d < rank; d++) { // the innermost is the first here
        TirValue extent, stride = TIR_NO_VALUE;
        if (!tri_use(t, dims[rank - 1 - d], &extent)) return false;
        if (tri_value_tile(t, extent) != i64)
            extent = tri_set(t, tri_emit1(t, TIR_OP_exti, i64, extent), "signedness", TIR_signedness_signed);
        made.extents[d] = extent;
        if (d + 1 == rank) {
            made.strides[d] = tri_integer(t, TIR_TYPE_i64, 1);
            continue;
        }
        if (!tri_use(t, strides[rank - 2 - d], &stride)) return false;
        if (tri_value_tile(t, stride) != i64) return tri_fail(t, "a stride that is no i64");
        stride = tri_emit2(t, TIR_OP_divi, i64, stride, tri_integer(t, TIR_TYPE_i64, (int64_t)size));
        tri_set(t, stride, "signedness", TIR_signedness_signed);
        made.strides[d] = tri_set(t, stride, "rounding", TIR_rounding_zero);
    }
    const TriDescriptor **slot = scratch_descriptor(t, pointer);
    if (*slot && (*slot)->here != TIR_NO_VALUE) return tri_refuse(t, "a descriptor in the place of another one");
    TriDescriptor *kept = arena_new(&t->p->scratch, TriDescriptor);
    *kept = made;
    *slot = kept;
    tri_end_with_region(t, &kept->here);
    return true;
}

bool tri_op_tensormap_fenceproxy_acquire(TriTranslation *t, const TriOp *op) {
    (void)t, (void)op;
    return true;
}

bool tri_op_reinterpret_tensor_descriptor(TriTranslation *t, const TriOp *op) {
    const TriType type = t->reader->types[op->first_result];
    const TriDescriptor *found = *scratch_descriptor(t, op->operands[0]);
    if (!found) return tri_refuse(t, "a descriptor in memory that this kernel has not made");
    if (found->here == TIR_NO_VALUE)
        return tri_refuse(t, "a descriptor behind the loop or the branch that has made it in memory");
    if (!type.descriptor || tir_type(t->module, type.tile)->rank != found->rank)
        return tri_fail(t, "a descriptor of another rank");
    TriDescriptor made = *found;
    made.block = type.tile;
    made.is_unsigned = type.is_unsigned;
    return tri_define_descriptor(t, op->first_result, &made);
}
