// SPDX-License-Identifier: Apache-2.0
// What the text says that the compiler may assume: tl.assume, and hints of the launcher and of tl.multiple_of and the
// like. Each becomes an op whose result nobody reads, so that --check-assume can check it.
#include "compiler/triton/translate.h"

// What the compiler may assume is no part of what the kernel computes.
static void assume(TriTranslation *t, TirValue value, TirTag tag, const int64_t *given, size_t count, uint8_t flags) {
    int64_t *numbers = arena_array(&t->module->arena, int64_t, count);
    memcpy(numbers, given, count * sizeof *numbers);
    const TirType type = tri_value_tile(t, value);
    const TirValue assumed = tri_emit1(t, TIR_OP_assume, type, value); // nobody reads it: the value stays as it is
    TirAttribute *predicate = tir_op_set(t->function->values[assumed].definition, "predicate");
    predicate->tag = tag;
    predicate->numbers = numbers;
    predicate->length = count;
    predicate->flags = flags;
}

void tri_assume_divisor(TriTranslation *t, TirValue value, uint64_t divisor) {
    assume(t, value, TIR_TAG_DIV_BY, (int64_t[]){(int64_t)divisor, 0, 0}, 3, 0);
}

// ---- hints of results -----------------------------------------------------------------------------------------------

// The hint's number for a dimension, at most `most`; without the hint `otherwise`.
static int64_t number_of(const TriHint *hint, uint32_t d, int64_t most, int64_t otherwise) {
    if (!hint->count) return otherwise;
    const int64_t number = hint->numbers[hint->count == 1 ? 0 : d];
    return number < 1 ? 1 : number > most ? most : number;
}

// Along each dimension what begins a group of neighbours is divisible. Without a number of neighbours, only what is
// first of all surely begins one.
static void assume_groups(TriTranslation *t, TirValue value, const TirTypeInfo *type, const TriHint *hints) {
    for (uint32_t d = 0; d < type->rank; d++) {
        const int64_t number = number_of(&hints[TRI_DIVISIBILITY], d, INT64_MAX, 1),
                      every = number_of(&hints[TRI_CONTIGUITY], d, type->shape[d], 1);
        const int64_t divisor = number & -number; // a power of two
        if (divisor == 1 && every == 1) continue;
        if (every > 1)
            assume(t, value, TIR_TAG_DIV_BY, (int64_t[]){divisor, every, d}, 3, 3);
        else
            assume(t, value, TIR_TAG_DIV_BY, (int64_t[]){divisor, type->shape[d], d}, 3, 3 | TIR_ASSUMES_FIRST);
    }
}

static void assume_same(TriTranslation *t, TirValue value, const TirTypeInfo *type, const TriHint *same) {
    int64_t numbers[TIR_RANK_MAX];
    if (!same->count || !type->rank) return;
    for (uint32_t d = 0; d < type->rank; d++) numbers[d] = number_of(same, d, type->shape[d], 1);
    assume(t, value, TIR_TAG_SAME_ELEMENTS, numbers, type->rank, 0);
}

void tri_assume_hints(TriTranslation *t, const TriOp *op) {
    const TriFrame *frame = t->frame;
    if (!op->hints || op->result_count != 1 || t->lift) return;
    const TirValue value = frame->values[op->first_result - frame->function->first_value];
    if (value == TIR_NO_VALUE || t->reader->types[op->first_result].descriptor) return;
    const TirTypeInfo *type = tri_tile_info(t, tri_value_tile(t, value));
    const TirTypeKind kind = tir_type(t->module, type->element)->kind;
    if (kind != TIR_TYPE_ptr && tir_type_rows[kind].class != TIR_CLASS_INTEGER) return;
    for (unsigned i = 0; i < TRI_HINT_KINDS; i++)
        if (op->hints[i].count > 1 && op->hints[i].count != type->rank) return; // of nothing that is here
    const int64_t divisor = type->rank ? 1 : number_of(&op->hints[TRI_DIVISIBILITY], 0, INT64_MAX, 1);
    if (divisor > 1) tri_assume_divisor(t, value, (uint64_t)(divisor & -divisor));
    assume_groups(t, value, type, op->hints);
    assume_same(t, value, type, &op->hints[TRI_CONSTANCY]);
}

// ---- tl.assume ------------------------------------------------------------------------------------------------------

bool tri_op_assume(TriTranslation *t, const TriOp *op) {
    TirValue condition;
    if (!tri_use(t, op->operands[0], &condition)) return false;
    const TirType type = tri_with_element(t, tri_value_tile(t, condition), TIR_TYPE_i32);
    const TirValue number = tri_emit1(t, TIR_OP_exti, type, condition);
    tri_set(t, number, "signedness", TIR_signedness_unsigned);
    assume(t, number, TIR_TAG_BOUNDED, (int64_t[]){1, 1}, 2, 3);
    return true;
}
