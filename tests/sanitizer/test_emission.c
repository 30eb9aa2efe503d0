// SPDX-License-Identifier: Apache-2.0
// The emitted code agrees with the scalar code: every function of fpsan_llvm.h, every format and width, scalars and
// vectors.
#include "tests/sanitizer/jit_harness.h"
#include "tests/sanitizer/random_bits.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ELEMENTS = 1000, OPERATIONS_MAX = 4096 };

typedef enum Kind {
    OP_EMBED,
    OP_UNEMBED,
    OP_RULE,
    OP_EXTERN,
    OP_CAST,
    OP_FROM_INT,
    OP_TO_INT,
    OP_COMPARE,
    OP_CLASS,
    OP_CONVERT,
    OP_INTEGER_TO_BITS,
    OP_BITS_TO_INTEGER,
    OP_DOT_STEP,
    OP_SCALE,
    OP_SCALED_OPERAND
} Kind;

// What an operand is, for drawing it.
typedef enum Draw { DRAW_BITS, DRAW_PAYLOAD, DRAW_INTEGER } Draw;

typedef struct Operation {
    Kind kind;
    FpsanFormat a, b, c; // operand, second operand or destination, accumulator or compute format
    FpsanRule rule;
    FpsanRounding rounding;
    FpsanPredicate predicate;
    bool flag; // ordered, signed
    unsigned classes, width, count;
    unsigned operand_bits[5], result_bits;
    FpsanFormat drawn[5];
    Draw draw[5];
    int index;
} Operation;

static const char test_symbol[] = "__nv_some_function";

static uint64_t run_scalar(const FpsanAlgebra *algebra, const Operation *op, const uint64_t *x) {
    const FpsanProfile *profile = algebra->profile;
    switch (op->kind) {
    case OP_EMBED: return fpsan_embed(profile, op->a, x[0]);
    case OP_UNEMBED: return fpsan_unembed(profile, op->a, x[0]);
    case OP_RULE: {
        uint64_t y[3] = {x[0], x[1], x[2]};
        if (op->rule == FPSAN_RULE_POWI) y[1] = fpsan_sign_extend(x[1], op->operand_bits[1]);
        return fpsan_apply(profile, op->rule, op->a, y);
    }
    case OP_EXTERN: return fpsan_extern(op->a, test_symbol, x, op->operand_bits, op->count);
    case OP_CAST: return fpsan_cast(algebra, op->a, op->b, x[0], op->rounding);
    case OP_FROM_INT: return fpsan_from_integer(profile, op->a, x[0], op->width, op->flag);
    case OP_TO_INT: return fpsan_to_integer(profile, op->a, x[0], op->width, op->flag);
    case OP_COMPARE: return fpsan_compare(profile, op->a, op->predicate, op->flag, x[0], x[1]);
    case OP_CLASS: return (fpsan_classify(profile, op->a, x[0]) & op->classes) != 0;
    case OP_CONVERT: return fpsan_convert(op->a, op->b, x[0], op->rounding);
    case OP_INTEGER_TO_BITS: return fpsan_integer_to_bits(op->a, x[0], op->width, op->flag);
    case OP_BITS_TO_INTEGER: return fpsan_bits_to_integer(op->a, x[0], op->width, op->flag);
    case OP_DOT_STEP: return fpsan_dot(algebra, op->a, op->b, op->c, 1, &x[0], 1, &x[1], 1, x[2]);
    case OP_SCALE: return fpsan_scale_payload(algebra, op->a, op->c, x[0]);
    case OP_SCALED_OPERAND: return fpsan_scaled_operand(algebra, op->a, op->b, op->c, x[0], x[1]);
    }
    return 0;
}

static LLVMValueRef run_emission(const FpsanEmit *e, const void *what, const LLVMValueRef *x) {
    const Operation *op = what;
    switch (op->kind) {
    case OP_EMBED: return fpsan_emit_embed(e, op->a, x[0]);
    case OP_UNEMBED: return fpsan_emit_unembed(e, op->a, x[0]);
    case OP_RULE: return fpsan_emit(e, op->rule, op->a, x, op->count);
    case OP_EXTERN: return fpsan_emit_extern(e, op->a, test_symbol, x, op->count);
    case OP_CAST: return fpsan_emit_cast(e, op->a, op->b, x[0], op->rounding);
    case OP_FROM_INT: return fpsan_emit_from_int(e, op->a, x[0], op->flag);
    case OP_TO_INT: return fpsan_emit_to_int(e, op->a, x[0], op->width, op->flag);
    case OP_COMPARE: return fpsan_emit_compare(e, op->a, op->predicate, op->flag, x[0], x[1]);
    case OP_CLASS: return fpsan_emit_is_class(e, op->a, op->classes, x[0]);
    case OP_CONVERT: return fpsan_emit_convert_bits(e, op->a, op->b, x[0], op->rounding);
    case OP_INTEGER_TO_BITS: return fpsan_emit_integer_to_bits(e, op->a, x[0], op->flag);
    case OP_BITS_TO_INTEGER: return fpsan_emit_bits_to_integer(e, op->a, x[0], op->width, op->flag);
    case OP_DOT_STEP: return fpsan_emit_dot_step(e, op->a, op->b, op->c, x[0], x[1], x[2]);
    case OP_SCALE: return fpsan_emit_scale_payload(e, op->a, op->c, x[0]);
    case OP_SCALED_OPERAND: return fpsan_emit_scaled_operand(e, op->a, op->b, op->c, x[0], x[1]);
    }
    return NULL;
}

// ---- the list of operations -----------------------------------------------------------------------------------------

typedef struct List {
    Operation *items;
    size_t count;
} List;

static unsigned lane(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

static void add_operand(Operation *op, Draw draw, FpsanFormat format, unsigned bits) {
    op->draw[op->count] = draw;
    op->drawn[op->count] = format;
    op->operand_bits[op->count++] = bits;
}

static void add_payload(Operation *op, FpsanFormat format) {
    add_operand(op, DRAW_PAYLOAD, format, lane(format));
}

static void append(List *list, const Operation *op) {
    cr_assert_lt(list->count, OPERATIONS_MAX);
    list->items[list->count++] = *op;
}

static void list_rules(List *list) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        Operation embed = {.kind = OP_EMBED, .a = f, .result_bits = lane(f)};
        add_operand(&embed, DRAW_BITS, f, lane(f));
        append(list, &embed);
        Operation unembed = {.kind = OP_UNEMBED, .a = f, .result_bits = lane(f)};
        add_payload(&unembed, f);
        append(list, &unembed);
        if (!fpsan_format_has_rules(f)) continue;
        for (FpsanRule rule = 0; rule < FPSAN_RULE_EXTERN; rule++) {
            Operation op = {.kind = OP_RULE, .a = f, .rule = rule, .result_bits = lane(f)};
            for (unsigned i = 0; i < fpsan_rule_info(rule)->operands; i++) add_payload(&op, f);
            append(list, &op);
            if (rule != FPSAN_RULE_POWI) continue;
            for (unsigned bits = 8; bits <= 64; bits *= 2) {
                Operation power = {.kind = OP_RULE, .a = f, .rule = rule, .result_bits = lane(f)};
                add_payload(&power, f);
                add_operand(&power, DRAW_INTEGER, f, bits);
                append(list, &power);
            }
        }
        for (unsigned count = 1; count <= 4; count++) {
            Operation op = {.kind = OP_EXTERN, .a = f, .result_bits = lane(f)};
            for (unsigned i = 0; i < count; i++) add_operand(&op, DRAW_INTEGER, f, i == 2 ? 1 : 8u << (f + i) % 4);
            append(list, &op);
        }
    }
}

static void list_casts(List *list) {
    for (FpsanFormat from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (FpsanFormat to = 0; to < FPSAN_FORMAT_COUNT; to++)
            for (FpsanRounding rounding = 0; rounding <= FPSAN_NEAREST_AWAY; rounding++) {
                Operation op = {.kind = OP_CAST, .a = from, .b = to, .rounding = rounding, .result_bits = lane(to)};
                add_payload(&op, from);
                append(list, &op);
                op.kind = OP_CONVERT;
                op.draw[0] = DRAW_BITS;
                append(list, &op);
            }
}

static void list_integers(List *list) {
    static const unsigned widths[] = {1, 8, 16, 24, 25, 32, 48, 53, 54, 64};
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++)
        for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
            for (unsigned flag = 0; flag < 2; flag++) {
                Operation to = {.kind = OP_TO_INT, .a = f, .width = widths[i], .flag = flag, .result_bits = widths[i]};
                add_payload(&to, f);
                append(list, &to);
                to.kind = OP_BITS_TO_INTEGER;
                to.draw[0] = DRAW_BITS;
                append(list, &to);
                Operation from = {
                    .kind = OP_FROM_INT, .a = f, .width = widths[i], .flag = flag, .result_bits = lane(f)};
                add_operand(&from, DRAW_INTEGER, f, widths[i]);
                append(list, &from);
                from.kind = OP_INTEGER_TO_BITS;
                append(list, &from);
            }
}

static void list_comparisons(List *list) {
    for (FpsanFormat f = 0; f < FPSAN_FORMAT_COUNT; f++) {
        for (FpsanPredicate p = 0; p <= FPSAN_GREATER_THAN_OR_EQUAL; p++)
            for (unsigned flag = 0; flag < 2; flag++) {
                Operation op = {.kind = OP_COMPARE, .a = f, .predicate = p, .flag = flag, .result_bits = 1};
                add_payload(&op, f);
                add_payload(&op, f);
                append(list, &op);
            }
        for (unsigned classes = 0; classes < 32; classes++) {
            Operation op = {.kind = OP_CLASS, .a = f, .classes = classes, .result_bits = 1};
            add_payload(&op, f);
            append(list, &op);
        }
    }
}

static void list_dots(List *list) {
    static const FpsanFormat accumulators[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
    for (FpsanFormat a = 0; a < FPSAN_FORMAT_COUNT; a++)
        for (FpsanFormat b = 0; b < FPSAN_FORMAT_COUNT; b++)
            for (unsigned i = 0; i < 4; i++) {
                Operation op = {
                    .kind = OP_DOT_STEP, .a = a, .b = b, .c = accumulators[i], .result_bits = lane(accumulators[i])};
                add_payload(&op, a);
                add_payload(&op, b);
                add_payload(&op, accumulators[i]);
                append(list, &op);
                if (i < 2) continue;
                Operation scaled = {.kind = OP_SCALED_OPERAND, .a = a, .b = b, .c = accumulators[i], .result_bits = 16};
                add_payload(&scaled, a);
                add_payload(&scaled, b);
                append(list, &scaled);
                if (b) continue;
                Operation scale = {.kind = OP_SCALE, .a = a, .c = accumulators[i], .result_bits = 16};
                add_payload(&scale, a);
                append(list, &scale);
            }
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static uint64_t draw(uint64_t *state, const Operation *op, unsigned i, const FpsanProfile *profile) {
    if (op->draw[i] == DRAW_INTEGER) return random_integer(state, op->operand_bits[i]);
    uint64_t bits = random_bits(state, op->drawn[i]);
    return op->draw[i] == DRAW_PAYLOAD && random_next(state) & 1 ? fpsan_embed(profile, op->drawn[i], bits) : bits;
}

// Every operand of an operation on one or two operands of 16 bits together, else random ones. Returns how many there
// are.
static size_t fill_operands(const Operation *op, const FpsanProfile *profile, bool exhaustive, uint64_t *memory[5]) {
    unsigned bits = 0;
    for (unsigned i = 0; i < op->count; i++)
        bits += op->drawn[i] == FPSAN_F4E2M1FN && op->draw[i] != DRAW_INTEGER ? 4 : op->operand_bits[i];
    if (exhaustive && bits <= 16) {
        for (size_t j = 0; j < (size_t)1 << bits; j++) {
            uint64_t rest = j;
            for (unsigned i = 0; i < op->count; i++) {
                unsigned width =
                    op->drawn[i] == FPSAN_F4E2M1FN && op->draw[i] != DRAW_INTEGER ? 4 : op->operand_bits[i];
                memory[i][j] = rest & fpsan_mask(width);
                rest >>= width;
            }
        }
        return (size_t)1 << bits;
    }
    uint64_t state = 1 + (uint64_t)op->index;
    for (size_t j = 0; j < ELEMENTS; j++)
        for (unsigned i = 0; i < op->count; i++) memory[i][j] = draw(&state, op, i, profile);
    for (size_t j = 0; j < ELEMENTS; j += 5) // equal operands, for comparisons and remainders
        for (unsigned i = 1; i < op->count; i++)
            if (op->drawn[i] == op->drawn[0] && op->draw[i] == op->draw[0]) memory[i][j] = memory[0][j];
    return ELEMENTS;
}

static void compare_operation(Jit *jit, const FpsanAlgebra *algebra, const Operation *op, const JitOptions *options,
                              bool exhaustive) {
    static uint64_t storage[5][1 << 16], results[1 << 16];
    uint64_t *memory[5] = {storage[0], storage[1], storage[2], storage[3], storage[4]};
    const uint64_t *operands[5] = {memory[0], memory[1], memory[2], memory[3], memory[4]};
    size_t count = fill_operands(op, algebra->profile, exhaustive, memory);
    jit_call(jit, op->index, count, operands, results);
    for (size_t j = 0; j < count; j++) {
        uint64_t x[5] = {memory[0][j], memory[1][j], memory[2][j], memory[3][j], memory[4][j]};
        uint64_t want = run_scalar(algebra, op, x);
        if (results[j] == want) continue;
        cr_assert_fail(
            "kind %d rule %d %s %s %s rounding %d predicate %d flag %d classes %u width %u, %u lanes%s%s, operands "
            "%llx %llx %llx: emitted %llx, scalar %llx",
            op->kind, op->rule, fpsan_format_info(op->a)->name, fpsan_format_info(op->b)->name,
            fpsan_format_info(op->c)->name, op->rounding, op->predicate, op->flag, op->classes, op->width,
            options->lanes, options->optimize ? " optimised" : "", options->baseline ? " baseline" : "",
            (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
            (unsigned long long)results[j], (unsigned long long)want);
    }
}

enum { WAYS = 4, PARTS = 10 };

// Whether operation i of a list is of the part, one of PARTS (PARTS: all). Lists are loops in loops: each combination
// of two neighbouring loops is in each part somewhere.
static bool is_in_part(size_t i, unsigned part) {
    return part == PARTS || (i + i / PARTS + i / (PARTS * PARTS) + i / (PARTS * PARTS * PARTS)) % PARTS == part;
}

static void compare_part(void (*fill)(List *), FpsanCasts casts, JitOptions options, bool exhaustive, unsigned part) {
    FpsanAlgebra algebra = fpsan_default_algebra();
    algebra.casts = casts;
    List list = {calloc(OPERATIONS_MAX, sizeof(Operation)), 0};
    cr_assert_not_null(list.items);
    fill(&list);
    cr_assert_gt(list.count, 0);
    Jit *jit = jit_open(algebra, options);
    for (size_t i = 0; i < list.count; i++) {
        Operation *op = &list.items[i];
        if (!is_in_part(i, part)) continue;
        op->index = jit_add(jit, run_emission, op, op->count, op->operand_bits, op->result_bits);
        cr_assert_geq(op->index, 0, "operation %zu was refused", i);
    }
    jit_compile(jit);
    for (size_t i = 0; i < list.count; i++)
        if (is_in_part(i, part)) compare_operation(jit, &algebra, &list.items[i], &options, exhaustive);
    jit_close(jit);
    free(list.items);
}

static void compare_all(void (*fill)(List *), FpsanCasts casts, JitOptions options, bool exhaustive) {
    compare_part(fill, casts, options, exhaustive, PARTS);
}

// Scalars, whole registers, odd lane counts; with and without LLVM's passes; this machine's instructions and the
// oldest. Each operation in each of these ways; or two of five in one of them, which operations that follow one another
// take in turn.
static void compare_in_ways(void (*fill)(List *), bool each) {
    static const JitOptions ways[WAYS] = {
        {.lanes = 0}, {.lanes = 16, .optimize = true}, {.lanes = 7}, {.lanes = 4, .baseline = true}};
    for (unsigned way = 0; way < WAYS; way++)
        compare_part(fill, FPSAN_CASTS_MIX, ways[way], false, each ? PARTS : 2 * way + 1);
}

#define COMPARE(name)                                                                                                  \
    Test(emission, name) {                                                                                             \
        compare_in_ways(list_##name, false);                                                                           \
    }                                                                                                                  \
    Test(emission, name##_in_each_way) {                                                                               \
        compare_in_ways(list_##name, true);                                                                            \
    }

COMPARE(rules)
COMPARE(casts)
COMPARE(integers)
COMPARE(comparisons)
COMPARE(dots)

// Some in make test.
#define COMPARE_HOMOMORPHIC(name, lane_count)                                                                          \
    Test(emission, name##_homomorphic) {                                                                               \
        compare_part(list_##name, FPSAN_CASTS_HOMOMORPHIC, (JitOptions){.lanes = lane_count}, false, 0);               \
        compare_part(list_##name, FPSAN_CASTS_HOMOMORPHIC, (JitOptions){.lanes = lane_count}, false, 5);               \
    }                                                                                                                  \
    Test(emission, all_##name##_homomorphic) {                                                                         \
        compare_all(list_##name, FPSAN_CASTS_HOMOMORPHIC, (JitOptions){.lanes = lane_count}, false);                   \
    }

COMPARE_HOMOMORPHIC(casts, 16)
COMPARE_HOMOMORPHIC(dots, 32)

// Every operand of 8 and 16 bits, every pair of 8 bits.
Test(emission, rules_exhaustive) {
    compare_all(list_rules, FPSAN_CASTS_MIX, (JitOptions){.lanes = 64}, true);
}

Test(emission, casts_exhaustive) {
    compare_all(list_casts, FPSAN_CASTS_MIX, (JitOptions){.lanes = 64}, true);
}

Test(emission, integers_exhaustive) {
    compare_all(list_integers, FPSAN_CASTS_MIX, (JitOptions){.lanes = 64}, true);
}

Test(emission, comparisons_exhaustive) {
    compare_all(list_comparisons, FPSAN_CASTS_MIX, (JitOptions){.lanes = 64}, true);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_invalid(const FpsanEmit *e, const void *what, const LLVMValueRef *x) {
    (void)what;
    cr_assert_null(fpsan_emit(e, FPSAN_RULE_ADD, FPSAN_F8E8M0FNU, x, 2));
    cr_assert_null(fpsan_emit(e, FPSAN_RULE_ADD, FPSAN_F4E2M1FN, x, 2));
    cr_assert_null(fpsan_emit(e, FPSAN_RULE_ADD, FPSAN_F8E5M2, x, 1));
    cr_assert_null(fpsan_emit(e, FPSAN_RULE_EXTERN, FPSAN_F8E5M2, x, 1));
    cr_assert_null(fpsan_emit_extern(e, FPSAN_FNV8E5M3FNU, "f", x, 1));
    cr_assert_null(fpsan_emit_extern(e, FPSAN_F8E5M2, "f", x, 0));
    return NULL;
}

Test(emission, invalid_requests_are_refused) {
    Jit *jit = jit_open(fpsan_default_algebra(), (JitOptions){.lanes = 4});
    cr_assert_eq(jit_add(jit, emit_invalid, NULL, 2, (unsigned[]){8, 8}, 8), -1);
    jit_close(jit);
}
