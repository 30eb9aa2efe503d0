// SPDX-License-Identifier: Apache-2.0
// Operations of blocks, parts of kernels, and warp_specialize.
#include "compiler/triton/objects.h"

// ---- operations -----------------------------------------------------------------------------------------------------

void tri_word(TriWords *words, TirValue value) {
    if (words->count < TRI_OPERATE_MAX) words->words[words->count] = value;
    words->count++; // too many: the verifier says so
}

void tri_number(TriTranslation *t, TriWords *words, int64_t number) {
    tri_word(words, tri_integer(t, TIR_TYPE_i64, number));
}

TirValue tri_operate(TriTranslation *t, BlockOperation operation, const TriWords *words) {
    TirValue operands[TRI_OPERATE_MAX + 1];
    const uint32_t count = words->count < TRI_OPERATE_MAX ? words->count : TRI_OPERATE_MAX;
    memcpy(operands, words->words, count * sizeof *operands);
    operands[count] = tri_join(t);
    const uint32_t segments[] = {count, 1};
    const TirType results[] = {tri_scalar(t->module, TIR_TYPE_i64), tri_token_type(t)};
    TirOp *op = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_block_operation,
                                           .operand_count = count + 1,
                                           .operands = operands,
                                           .segments = segments,
                                           .result_count = 2,
                                           .results = results});
    const char *texts[] = {block_operation_rows[operation].name, t->op->info->name};
    TirAttribute *attributes[] = {tir_op_set(op, "operation"), tir_op_set(op, "op")};
    for (size_t i = 0; i < BASE_COUNT(texts); i++) {
        attributes[i]->text = arena_keep(&t->module->arena, texts[i]);
        attributes[i]->length = strlen(texts[i]);
    }
    t->written = op->first_result + 1;
    return op->first_result;
}

TirValue tri_operate1(TriTranslation *t, BlockOperation operation, TirValue word) {
    const TriWords words = {1, {word}};
    return tri_operate(t, operation, &words);
}

TirValue tri_operate2(TriTranslation *t, BlockOperation operation, TirValue x, TirValue y) {
    const TriWords words = {2, {x, y}};
    return tri_operate(t, operation, &words);
}

bool tri_issue(TriTranslation *t, const TriIssue *issue) {
    TriWords words = {0};
    tri_number(t, &words, issue->queue);
    if (issue->barrier == TIR_NO_VALUE) {
        tri_number(t, &words, -1);
        tri_number(t, &words, 0);
    } else {
        tri_word(&words, issue->barrier);
        tri_word(&words, issue->bytes);
    }
    tri_word(&words, issue->part);
    tri_number(t, &words, issue->piece_count);
    for (uint32_t i = 0; i < issue->pieces.count && i < TRI_OPERATE_MAX; i++) tri_word(&words, issue->pieces.words[i]);
    for (uint32_t i = 0; i < issue->arguments.count && i < TRI_OPERATE_MAX; i++)
        tri_word(&words, issue->arguments.words[i]);
    if (words.count > TRI_OPERATE_MAX) return tri_refuse(t, "an asynchronous operation with so many operands");
    tri_operate(t, BLOCK_ISSUE, &words);
    return true;
}

// ---- guards ---------------------------------------------------------------------------------------------------------

int tri_known_bool(const TriTranslation *t, TirValue value) {
    const TirOp *op = t->function->values[value].definition;
    if (!op || op->kind != TIR_OP_constant) return -1;
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    return constant->size == 1 ? constant->bytes[0] != 0 : -1;
}

TirOp *tri_open_choice(TriTranslation *t, TirValue condition) {
    const TirType token = tri_token_type(t);
    t->written = tri_join(t);
    return tri_emit_op(
        t, &(TirNewOp){
               .kind = TIR_OP_if, .operand_count = 1, .operands = &condition, .result_count = 1, .results = &token});
}

bool tri_open_guard(TriTranslation *t, TriValue predicate, TriGuard *guard) {
    TirValue condition;
    guard->op = NULL;
    if (predicate == TRI_NO_VALUE) return true;
    if (!tri_use(t, predicate, &condition)) return false;
    if (tri_value_tile(t, condition) != tri_scalar(t->module, TIR_TYPE_i1))
        return tri_fail(t, "a predicate that is no i1");
    if (tri_known_bool(t, condition) == 1) return true;
    guard->op = tri_open_choice(t, condition);
    guard->mark = tri_open_region(t, tir_block_add(&guard->op->regions[0], 0, NULL));
    return true;
}

void tri_close_arm(TriTranslation *t, const TriMark *mark) {
    const TirValue token = tri_join(t);
    tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_yield, .operand_count = 1, .operands = &token});
    tri_close_region(t, mark);
}

void tri_close_guard(TriTranslation *t, TriGuard *guard) {
    if (!guard->op) return;
    tri_close_arm(t, &guard->mark);
    const TriMark other = tri_open_region(t, tir_block_add(&guard->op->regions[1], 0, NULL));
    tri_close_arm(t, &other);
    t->written = guard->op->first_result;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

typedef struct TriPartName {
    const char *name;
    uint32_t number;
    struct TriPartName *next;
} TriPartName;
struct TriParts {
    const TirFunction *kernel;
    uint32_t count;
    TriPartName *names;
};

TriParts *tri_open_parts(TriTranslation *t) {
    TriParts *parts = arena_new(&t->p->scratch, TriParts);
    parts->kernel = t->function;
    return parts;
}

// An asynchronous operation has two at most.
uint32_t tri_count_parts(const TriRegion *region) {
    uint32_t count = 0;
    for (const TriBlock *block = region->first; block; block = block->next)
        for (const TriOp *op = block->first; op; op = op->next) {
            if (tri_is_of_blocks(op)) count += 2 + op->region_count;
            for (uint32_t r = 0; r < op->region_count; r++) count += tri_count_parts(&op->regions[r]);
        }
    return count;
}

static void say_memory(TirFunction *function, uint64_t bytes, bool uniform) {
    function->memory_bytes = bytes;
    function->uniform_memory = uniform;
}

void tri_close_parts(TriTranslation *t) {
    const uint64_t bytes = *t->memory_used ? *t->memory_used : 1;
    const uint32_t owner = 1 + (uint32_t)(t->function - t->module->functions);
    for (uint32_t i = 0; i < t->module->function_count; i++)
        if (t->module->functions[i].owner == owner)
            say_memory(&t->module->functions[i], bytes, !t->facts->sees_bits);
    say_memory(t->function, bytes, !t->facts->sees_bits);
}

TirType tri_memory_type(TriTranslation *t) {
    const TirTypeInfo pointer = {
        .kind = TIR_TYPE_ptr, .element = tir_type_scalar(t->module, TIR_TYPE_i8), .ptr_attr = -1};
    return tir_type_tile(t->module, tir_type_intern(t->module, &pointer), 0, NULL);
}

static TirFunction *add_part(TriTranslation *t, uint32_t count, const TirType *parameters) {
    TirType *all = arena_array(&t->p->scratch, TirType, count + 1u);
    if (count) memcpy(all, parameters, count * sizeof *all);
    all[count] = tri_memory_type(t);
    const TirType type = tir_type_intern(
        t->module, &(TirTypeInfo){.kind = TIR_TYPE_function, .parameter_count = count + 1, .parameters = all});
    const TirFunction *kernel = t->parts->kernel;
    const char *name = arena_format(&t->module->arena, "%s.%u", kernel->name, t->parts->count + 1);
    TirFunction *part = tir_function_add(t->module, name, type, true);
    part->at = t->op->at;
    part->owner = 1 + (uint32_t)(kernel - t->module->functions);
    return part;
}

static bool make_body(TriTranslation *t, TirFunction *part, uint32_t count, TriBody *body, const void *data) {
    const TriTranslation outer = *t;
    TirValue *parameters = arena_array(&t->p->scratch, TirValue, count + 1u);
    t->function = part;
    t->block = part->body.first;
    for (uint32_t i = 0; i < count; i++) parameters[i] = part->body.first->first_argument + i;
    t->memory = part->body.first->first_argument + count;
    t->lift = NULL;
    t->written = TIR_NO_VALUE;
    t->loads = NULL;
    t->load_count = t->load_capacity = 0;
    t->defined = NULL;
    t->defined_count = t->defined_capacity = 0;
    TriFrame *frame = tri_open_frame(t, outer.frame->function);
    frame->caller = outer.frame->caller;
    frame->call = outer.frame->call;
    const bool ok = body(t, parameters, data);
    if (ok) tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_return});
    const uint32_t op_count = t->op_count;
    *t = outer;
    t->op_count = op_count;
    return ok;
}

uint32_t tri_part(TriTranslation *t, const char *name, uint32_t count, const TirType *parameters, TriBody *body,
                  const void *data) {
    const char *own = arena_format(&t->p->scratch, "%s at %s:%u:%u %p", name, t->op->at.file ? t->op->at.file : "",
                                   t->op->at.line, t->op->at.column, (const void *)t->op->at.callers);
    for (uint32_t i = 0; i < count; i++) own = arena_format(&t->p->scratch, "%s %u", own, (unsigned)parameters[i]);
    for (const TriPartName *known = t->parts->names; known; known = known->next)
        if (!strcmp(known->name, own)) return known->number;
    if (t->module->function_count >= t->reader->function_room) // a function that is inlined again and again
        return tri_refuse(t, "so many asynchronous operations"), 0;
    TirFunction *part = add_part(t, count, parameters);
    TriPartName *known = arena_new(&t->p->scratch, TriPartName);
    *known = (TriPartName){own, ++t->parts->count, t->parts->names};
    t->parts->names = known;
    return make_body(t, part, count, body, data) ? known->number : 0;
}

const char *tri_name_of_view(TriTranslation *t, const char *name, const TriView *view) {
    Buffer text = {0};
    buffer_print(&text, "%s %d%d%d", name, view->kind, view->swizzled, view->rank);
    for (uint32_t d = 0; d < view->rank; d++) buffer_print(&text, " %lld", (long long)view->shape[d]);
    for (uint32_t i = 0; i < view->first[view->rank]; i++)
        buffer_print(&text, ",%llx", (unsigned long long)view->steps[i]);
    const char *kept = arena_text(&t->p->scratch, text.data, text.size);
    buffer_free(&text);
    return kept;
}

// ---- warp_specialize ------------------------------------------------------------------------------------------------

// How a value that a partition captures gets there.
enum { CAPTURE_NOTHING, CAPTURE_WORD, CAPTURE_DESCRIPTOR, CAPTURE_TILE };

typedef struct Partition {
    const TriOp *op;
    const TriRegion *region;
    const TriFrame *frame; // that it is in
    uint32_t count;        // of captures
    const uint8_t *kinds;
    const uint64_t *places; // of CAPTURE_TILE in the block's memory
} Partition;

static uint8_t capture_kind(TriTranslation *t, TriValue value) {
    const TriType type = t->reader->types[value];
    if (type.token) return CAPTURE_NOTHING;
    if (type.descriptor) return CAPTURE_DESCRIPTOR;
    if (type.memory || type.wide) return CAPTURE_WORD;
    const TirTypeKind kind = tri_kind(t, type.tile);
    const bool scalar = !tir_type(t->module, type.tile)->rank;
    return scalar && tir_float_format(kind) == FPSAN_FORMAT_COUNT ? CAPTURE_WORD : CAPTURE_TILE;
}

TriView tri_tile_view(TriTranslation *t, TirType tile) {
    const TirTypeInfo *info = tir_type(t->module, tile);
    const TirTypeKind kind = tri_kind(t, tile);
    TriView view = {.kind = kind, .rank = info->rank};
    uint32_t count = 0;
    uint64_t next = tir_type_rows[kind].storage_bytes;
    for (uint32_t d = 0; d < info->rank; d++) {
        view.shape[d] = info->shape[d];
        view.first[d] = count;
        for (int64_t size = 1; size < info->shape[d]; size *= 2) count++;
    }
    view.first[info->rank] = count;
    for (uint32_t d = info->rank; d-- > 0;)
        for (uint32_t i = view.first[d]; i < view.first[d + 1]; i++, next *= 2) view.steps[i] = next;
    return view;
}

void tri_words_of_descriptor(const TriDescriptor *desc, TriWords *words) {
    tri_word(words, desc->base);
    for (uint32_t d = 0; d < desc->rank; d++) tri_word(words, desc->extents[d]);
    for (uint32_t d = 0; d < desc->rank; d++) tri_word(words, desc->strides[d]);
    if (desc->padding_flag != TIR_NO_VALUE) tri_word(words, desc->padding_flag);
}

uint32_t tri_descriptor_types(TriTranslation *t, const TriDescriptor *desc, TirType *types) {
    TriWords words = {0};
    tri_words_of_descriptor(desc, &words);
    for (uint32_t i = 0; i < words.count; i++) types[i] = tri_value_tile(t, words.words[i]);
    return words.count;
}

TriDescriptor tri_descriptor_from(TriTranslation *t, const TriDescriptor *like, const TirValue **next) {
    TriDescriptor made = *like;
    made.base = *(*next)++;
    for (uint32_t d = 0; d < made.rank; d++) made.extents[d] = *(*next)++;
    for (uint32_t d = 0; d < made.rank; d++) made.strides[d] = *(*next)++;
    if (made.padding_flag != TIR_NO_VALUE) {
        made.padding_flag = *(*next)++;
        made.padding = tri_padding_of(t, made.padding_flag, tri_kind(t, made.block));
    }
    return made;
}

static bool define_capture(TriTranslation *t, const Partition *p, uint32_t i, const TirValue **next) {
    const TriValue outer = p->op->operands[i], inner = p->region->first->first_argument + i;
    const TriFunction *function = p->frame->function;
    const uint32_t at = outer - function->first_value;
    switch (p->kinds[i]) {
    case CAPTURE_NOTHING: return true;
    case CAPTURE_WORD:
        if (t->reader->types[outer].memory) return tri_define_view(t, inner, *(*next)++, p->frame->views[at]);
        return tri_define(t, inner, *(*next)++);
    case CAPTURE_DESCRIPTOR: {
        const TriDescriptor made = tri_descriptor_from(t, p->frame->descriptors[at], next);
        return tri_define_descriptor(t, inner, &made);
    }
    default: {
        const TriView view = tri_tile_view(t, t->reader->types[outer].tile);
        return tri_define(t, inner, tri_load_view(t, &view, tri_integer(t, TIR_TYPE_i64, (int64_t)p->places[i])));
    }
    }
}

static bool partition_body(TriTranslation *t, const TirValue *parameters, const void *data) {
    const Partition *p = data;
    const TirValue *next = parameters;
    const TriOp *end;
    t->warps = p->region->warps;
    for (uint32_t i = 0; i < p->count; i++)
        if (!define_capture(t, p, i, &next)) return false;
    if (p->region->first->next) return tri_refuse(t, "a partition of several blocks");
    return tri_translate_ops(t, p->region->first, &end) &&
           ((end && tri_op_is(end, "ttg.warp_return")) ||
            tri_fail(t, "a partition that does not end with ttg.warp_return"));
}

// The words of the captures, and what they are; tiles and floats are stored where the parts find them.
static bool use_captures(TriTranslation *t, Partition *p, TriWords *words, TirType *types) {
    uint8_t *kinds = arena_array(&t->p->scratch, uint8_t, p->count + 1u);
    uint64_t *places = arena_array(&t->p->scratch, uint64_t, p->count + 1u);
    p->kinds = kinds;
    p->places = places;
    for (uint32_t i = 0; i < p->count; i++) {
        const TriValue value = p->op->operands[i];
        TirValue used;
        kinds[i] = capture_kind(t, value);
        if (tri_is_pending(t, value)) return tri_refuse(t, "a pending product that a partition captures");
        if (kinds[i] == CAPTURE_DESCRIPTOR) {
            const TriDescriptor *desc = tri_use_descriptor(t, value);
            if (!desc) return false;
            if (words->count + 2 * desc->rank + 2 > TRI_OPERATE_MAX) return tri_refuse(t, "so many captures");
            tri_words_of_descriptor(desc, words);
        } else if (kinds[i] != CAPTURE_NOTHING) {
            if (t->reader->types[value].memory && !tri_view_of(t, value)) return false;
            if (!tri_use(t, value, &used)) return false;
            if (kinds[i] == CAPTURE_WORD) {
                tri_word(words, used);
                continue;
            }
            const TirTypeKind kind = tri_kind(t, tri_value_tile(t, used));
            if (kind == TIR_TYPE_i1 || kind == TIR_TYPE_ptr)
                return tri_refuse(t, "a tile of %s that a partition captures", tir_type_rows[kind].name);
            const TriView view = tri_tile_view(t, tri_value_tile(t, used));
            if (!tri_place(t,
                           (uint64_t)tir_tile_elements(t->module, tri_value_tile(t, used)) *
                               tir_type_rows[kind].storage_bytes,
                           1, &places[i]))
                return false;
            tri_store_view(t, &view, tri_integer(t, TIR_TYPE_i64, (int64_t)places[i]), used);
        }
    }
    if (words->count >= TRI_OPERATE_MAX) return tri_refuse(t, "so many captures");
    for (uint32_t i = 0; i < words->count; i++) types[i] = tri_value_tile(t, words->words[i]);
    return true;
}

static bool fork_partition(TriTranslation *t, Partition *p, uint32_t number, const TriWords *captures,
                           const TirType *types) {
    const TriBlock *block = p->op->regions[number].first;
    p->region = &p->op->regions[number];
    if (!block || block->argument_count != p->count) return tri_fail(t, "a partition whose arguments do not fit");
    for (uint32_t i = 0; i < p->count; i++)
        if (!tri_same_type(t->reader->types[p->op->operands[i]], t->reader->types[block->first_argument + i]))
            return tri_fail(t, "a partition whose arguments do not fit");
    // A function that is inlined again has partitions again: what they capture is elsewhere.
    const char *name =
        arena_format(&t->p->scratch, "partition %u %p %p", number, (const void *)p->op, (const void *)p->frame);
    const uint32_t part = tri_part(t, name, captures->count, types, partition_body, p);
    if (!part) return false;
    TriWords words = {0};
    tri_number(t, &words, part);
    for (uint32_t i = 0; i < captures->count; i++) tri_word(&words, captures->words[i]);
    tri_operate(t, BLOCK_FORK, &words);
    return true;
}

bool tri_op_warp_specialize(TriTranslation *t, const TriOp *op) {
    Partition p = {.op = op, .frame = t->frame, .count = op->operand_count};
    TriWords captures = {0};
    TirType types[TRI_OPERATE_MAX];
    const TriOp *end;
    if (op->region_count < 1 || !op->regions[0].first) return tri_fail(t, "no default region");
    if (op->region_count > BLOCK_PARTS_MAX) return tri_refuse(t, "more than %d partitions", BLOCK_PARTS_MAX - 1);
    if (!use_captures(t, &p, &captures, types)) return false;
    for (uint32_t i = 1; i < op->region_count; i++)
        if (!fork_partition(t, &p, i, &captures, types)) return false;
    if (op->regions[0].first->next) return tri_refuse(t, "a region of several blocks");
    if (!tri_translate_ops(t, op->regions[0].first, &end)) return false;
    if (!end || !tri_op_is(end, "ttg.warp_yield")) return tri_fail(t, "a region that does not end with ttg.warp_yield");
    if (end->operand_count != op->result_count) return tri_fail(t, "results that do not fit");
    tri_operate(t, BLOCK_JOIN, &(TriWords){0});
    const uint32_t parts = tri_parts_of(t, op->first_result, op->result_count);
    TirValue *values = arena_array(&t->p->scratch, TirValue, parts + 1u);
    if (!tri_use_parts(t, end->operands, op->result_count, op->first_result, values)) return false;
    return tri_define_parts(t, op->first_result, op->result_count, end->operands, values);
}
