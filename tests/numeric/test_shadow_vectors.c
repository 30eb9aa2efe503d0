// SPDX-License-Identifier: Apache-2.0
// What the numeric `shadow` compiles for choices and dots against vectors of the tower's executable specification
// (tests/sanitizer/oracle/make_tower.py): min and max of the payloads of equal numbers, and what is unspecified.
//
// A row of tower-choices-model.csv is rule, tower, width of the floats, flag, bits of two numbers x and y, operands..,
// result. max and min: of x and y, the flag is that NaN propagates; select: x > y chooses, the flag is that nobody
// specified whether; dot: x times y and a third payload, which is the accumulator's.
#include "numeric_harness.h"
#include "tests/sanitizer/tower_rows.h"

#include <stdlib.h>

enum { NUMBERS = 2, PAYLOADS = 3, WORDS = TOWER_LENGTH_MAX + 1, INPUTS = NUMBERS + PAYLOADS * WORDS };
// Words of a payload are as the parts of a value: components 0 to 3, the state, the components of deep towers.
enum { STATE = TOWER_LENGTH };
static const char *const choice_rules[] = {"max", "min", "select", "dot"};

// One compiled function.
typedef struct Choice {
    const char *rule;
    FpsanFormat format;
    bool flag;
    char name[32];
} Choice;

static unsigned format_width(const Choice *c) {
    return fpsan_format_info(c->format)->lane_bits;
}

static NumericValue choice_operand(NumericContext *cx, const Choice *c, const LLVMValueRef *inputs, unsigned k) {
    NumericValue value = {.parts = {NULL}};
    if (k < NUMBERS) value = numeric_ieee.from_bits(cx, c->format, inputs[k]);
    for (unsigned w = 0; w <= cx->tower->length; w++) value.parts[1 + w] = inputs[NUMBERS + k * WORDS + w];
    return value;
}

static NumericValue emit_select(NumericContext *cx, const Choice *c, const NumericValue *a, const NumericValue *b) {
    const FloatOp op = {.operand = c->format, .predicate = FPSAN_GREATER_THAN};
    NumericValue larger, result;
    cr_assert(numeric_ieee.compare(cx, &op, a, b, &larger));
    for (unsigned p = 0; p < cx->numeric->part_count; p++)
        result.parts[p] = LLVMBuildSelect(cx->builder, larger.parts[0], a->parts[p], b->parts[p], "");
    LLVMValueRef marks = vector_integer_like(a->parts[1 + STATE], 8, c->flag ? NUMERIC_MARK_POISON : 0);
    return cx->numeric->mark(cx, &result, marks);
}

static bool emit_choice(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const Choice *c = data;
    NumericValue x[PAYLOADS], result;
    for (unsigned k = 0; k < PAYLOADS; k++) x[k] = choice_operand(cx, c, inputs, k);
    const FpsanRule rule = strcmp(c->rule, "max") ? FPSAN_RULE_MIN : FPSAN_RULE_MAX;
    const FloatOp op = harness_rule((FloatOp){.propagate_nan = c->flag}, rule, c->format);
    if (!strcmp(c->rule, "select"))
        result = emit_select(cx, c, &x[0], &x[1]);
    else if (!strcmp(c->rule, "dot"))
        result = cx->numeric->dots->value_step(cx, &x[2], &x[0], &x[1]);
    else if (!cx->numeric->apply(cx, &op, x, 2, &result))
        return false;
    for (unsigned w = 0; w <= cx->tower->length; w++) outputs[w] = result.parts[1 + w];
    return true;
}

// All functions in one tower: rules, formats, flags.
enum { CHOICES = 4 * 2 * 2 };
static size_t choice_index(const char *rule, FpsanFormat format, bool flag) {
    size_t r = 0;
    while (strcmp(choice_rules[r], rule)) cr_assert_lt(++r, BASE_COUNT(choice_rules), "%s", rule);
    return (r * 2 + (format == FPSAN_F64)) * 2 + flag;
}

static void add_choices(Harness *h, Choice *all) {
    for (size_t r = 0; r < BASE_COUNT(choice_rules); r++)
        for (unsigned k = 0; k < 4; k++) {
            Choice c = {choice_rules[r], k & 2 ? FPSAN_F64 : FPSAN_F32, k & 1, ""};
            const size_t index = choice_index(c.rule, c.format, c.flag);
            snprintf(c.name, sizeof c.name, "choice%zu", index);
            all[index] = c;
            unsigned inputs[INPUTS], outputs[WORDS];
            for (unsigned i = 0; i < INPUTS; i++) inputs[i] = i < NUMBERS ? format_width(&c) : 32;
            for (unsigned w = 0; w < WORDS; w++) outputs[w] = 32;
            cr_assert(harness_add_many(h, c.name, 0, INPUTS, inputs, h->cx.tower->length + 1, outputs, emit_choice,
                                       &all[index]));
        }
    harness_finish(h);
}

static void check_choice(Harness *h, const Choice *all, const Tower *t, const TowerRow *row) {
    const char *rule = row->fields[0], *expected = row->fields[row->count - 1];
    const FpsanFormat format = !strcmp(row->fields[2], "64") ? FPSAN_F64 : FPSAN_F32;
    const Choice *c = &all[choice_index(rule, format, *row->fields[3] == '1')];
    uint64_t numbers[NUMBERS];
    uint32_t words[PAYLOADS][WORDS] = {{0}}, result[WORDS];
    const void *inputs[INPUTS];
    void *outputs[WORDS];
    for (unsigned k = 0; k < NUMBERS; k++) {
        store_element(&numbers[k], format_width(c), 0, strtoull(row->fields[4 + k], NULL, 16));
        inputs[k] = &numbers[k];
    }
    for (unsigned k = 0; k < PAYLOADS; k++)
        for (unsigned w = 0; w < WORDS; w++) inputs[NUMBERS + k * WORDS + w] = &words[k][w];
    for (unsigned k = 0; 6 + k + 1 < row->count; k++) {
        TowerPayload a = tower_row_payload(row->fields[6 + k]);
        for (unsigned i = 0; i < t->length; i++) words[k][i + (i >= STATE)] = a.component[i];
        words[k][STATE] = a.state;
    }
    for (unsigned w = 0; w < WORDS; w++) outputs[w] = &result[w];
    harness_function(h, c->name)(inputs, outputs, 1);
    TowerPayload found = {.state = result[STATE] & ~(uint32_t)TOWER_NEAR}; // the specification has no marks
    for (unsigned i = 0; i < t->length; i++) found.component[i] = result[i + (i >= STATE)];
    char text[TOWER_TEXT_BYTES];
    tower_row_text(t, found, text);
    cr_expect_str_eq(text, expected, "%s in tower %s, %s, flag %s, of %s and %s: %s, %s", rule, row->fields[1],
                     row->fields[2], row->fields[3], row->fields[4], row->fields[5], row->fields[6], row->fields[7]);
}

static void check_choices_in(unsigned tower) {
    Choice all[CHOICES];
    Harness h;
    TowerRow row;
    size_t rows = 0;
    char number[16];
    snprintf(number, sizeof number, "%u", tower);
    const bool deep = tower >= TOWER_DEEP;
    harness_open(&h, deep ? &numeric_deep_shadow : &numeric_shadow, native_machine());
    h.cx.tower = tower_chain(tower);
    add_choices(&h, all);
    FILE *file = tower_rows_open(deep ? "tower-deep-choices-model.csv" : "tower-choices-model.csv");
    while (tower_rows_next(file, &row)) {
        if (strcmp(row.fields[1], number)) continue;
        cr_assert(row.count == 9 || row.count == 10);
        check_choice(&h, all, tower_chain(tower), &row);
        rows++;
    }
    fclose(file);
    harness_close(&h);
    cr_assert_eq(rows, tower < TOWER_CHAINS || deep ? 288 : 240, "%zu rows", rows);
}

// The first chain, and its signed tower.
Test(shadow_vectors, choices_and_dots) {
    check_choices_in(0);
    check_choices_in(TOWER_CHAINS);
}
Test(shadow_vectors, choices_and_dots_in_other_towers) {
    for (unsigned tower = 1; tower < TOWER_COUNT; tower++)
        if (tower != TOWER_CHAINS) check_choices_in(tower);
    for (unsigned tower = TOWER_DEEP; tower < TOWER_ALL; tower++) check_choices_in(tower);
}
