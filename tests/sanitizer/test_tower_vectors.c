// SPDX-License-Identifier: Apache-2.0
// The tower's scalar code against vectors of its executable specification (oracle/make_tower.py).
//
// A row of data/tower-model.csv is rule, chain, extra, operands.., result: `extra` is the IEEE sign of mul, div and
// fma, the IEEE operand of exp2 and exp, powi's exponent, embed's bits, a turn's fraction; compare's result is
// verdict.decided, that of first the operand that min and max take of equal numbers. A row of
// data/tower-constants-model.csv is digits, chain, the bits of the number as f64, and the payload.
#include "tests/sanitizer/tower_rows.h"

#include <math.h>
#include <stdlib.h>

static TowerPayload named(const Tower *t, const char *name) {
    if (!strcmp(name, "log2e")) return t->log2e;
    return !strcmp(name, "ln2") ? t->ln2 : t->sqrt_2_pi;
}

static TowerPayload primes_of(const Tower *t) {
    TowerPayload a = {0};
    for (unsigned i = 0; i < t->length; i++) a.component[i] = t->prime[i].p;
    return a;
}

static int parse_sign(const char *text) {
    return !strcmp(text, "nan") ? TOWER_IEEE_NAN : atoi(text);
}

static bool apply_named_rule(const Tower *t, const char *rule, const char *extra, const TowerPayload *x,
                             TowerPayload *r) {
    if (!strcmp(rule, "neg"))
        *r = tower_neg(t, x[0]);
    else if (!strcmp(rule, "add"))
        *r = tower_add(t, x[0], x[1]);
    else if (!strcmp(rule, "sub"))
        *r = tower_sub(t, x[0], x[1]);
    else if (!strcmp(rule, "mul"))
        *r = tower_mul(t, x[0], x[1], parse_sign(extra));
    else if (!strcmp(rule, "div"))
        *r = tower_div(t, x[0], x[1], parse_sign(extra));
    else if (!strcmp(rule, "fma"))
        *r = tower_fma(t, x[0], x[1], x[2], parse_sign(extra));
    else if (!strcmp(rule, "remainder"))
        *r = tower_remainder(t, x[0], x[1], x[2]);
    else if (!strcmp(rule, "exp2"))
        *r = tower_exp2(t, x[0], strtod(extra, NULL));
    else if (!strcmp(rule, "exp"))
        *r = tower_exp(t, x[0], strtod(extra, NULL));
    else if (!strcmp(rule, "log2"))
        *r = tower_log2(t, x[0]);
    else if (!strcmp(rule, "log"))
        *r = tower_log(t, x[0]);
    else if (!strcmp(rule, "sqrt"))
        *r = tower_sqrt(t, x[0]);
    else if (!strcmp(rule, "rsqrt"))
        *r = tower_rsqrt(t, x[0]);
    else if (!strcmp(rule, "tanh"))
        *r = tower_tanh(t, x[0]);
    else if (!strcmp(rule, "sinh"))
        *r = tower_sinh(t, x[0]);
    else if (!strcmp(rule, "cosh"))
        *r = tower_cosh(t, x[0]);
    else if (!strcmp(rule, "powi"))
        *r = tower_powi(t, x[0], atoi(extra));
    else if (!strcmp(rule, "pow"))
        *r = tower_pow(t, x[0], x[1], parse_sign(extra));
    else if (!strcmp(rule, "sin"))
        *r = tower_sin(t, x[0]);
    else if (!strcmp(rule, "cos"))
        *r = tower_cos(t, x[0]);
    else if (!strcmp(rule, "tan"))
        *r = tower_tan(t, x[0]);
    else if (!strcmp(rule, "erf"))
        *r = tower_tag(t, rule, x, 1);
    else if (!strcmp(rule, "atan2"))
        *r = tower_tag(t, rule, x, 2);
    else if (!strcmp(rule, "first"))
        *r = tower_goes_first(t, x[0], x[1]) ? x[0] : x[1];
    else if (!strcmp(rule, "turn_cosine"))
        *r = tower_turn_cosine(t, atoi(extra), (uint32_t)atoi(strchr(extra, '/') + 1));
    else if (!strcmp(rule, "turn_sine"))
        *r = tower_turn_sine(t, atoi(extra), (uint32_t)atoi(strchr(extra, '/') + 1));
    else if (!strcmp(rule, "named"))
        *r = named(t, extra);
    else if (!strcmp(rule, "chain"))
        *r = primes_of(t);
    else if (!strcmp(rule, "embed"))
        *r = tower_embed(t, FPSAN_F64, strtoull(extra, NULL, 16));
    else
        return false;
    return true;
}

static void compare_row(const Tower *t, const TowerRow *row, const TowerPayload *x) {
    static const char *const verdicts[] = {"equal", "differ", "roots", "unknown"};
    unsigned decided;
    TowerVerdict verdict = tower_compare(t, x[0], x[1], &decided);
    char text[64];
    snprintf(text, sizeof text, "%s.%u", verdicts[verdict], decided);
    cr_expect_str_eq(text, row->fields[row->count - 1], "%s %s", row->fields[3], row->fields[4]);
}

static size_t check_rules(const char *name) {
    FILE *file = tower_rows_open(name);
    TowerRow row;
    size_t rows = 0;
    for (; tower_rows_next(file, &row); rows++) {
        const Tower *t = tower_chain((unsigned)atoi(row.fields[1]));
        TowerPayload x[3] = {{{0}, 0}}, r;
        unsigned operands = row.count - 4;
        cr_assert(row.count >= 4 && operands <= 3);
        for (unsigned i = 0; i < operands; i++) x[i] = tower_row_payload(row.fields[3 + i]);
        if (!strcmp(row.fields[0], "compare")) {
            compare_row(t, &row, x);
            continue;
        }
        cr_assert(apply_named_rule(t, row.fields[0], row.fields[2], x, &r), "%s", row.fields[0]);
        char text[TOWER_TEXT_BYTES];
        tower_row_text(t, r, text);
        cr_expect_str_eq(text, row.fields[row.count - 1], "%s, chain %s, %s: %s %s %s", row.fields[0], row.fields[1],
                         row.fields[2], row.fields[3], operands > 1 ? row.fields[4] : "",
                         operands > 2 ? row.fields[5] : "");
    }
    fclose(file);
    return rows;
}

Test(tower_vectors, rules) {
    cr_assert_eq(check_rules("tower-model.csv"), 8293);
    cr_assert_eq(check_rules("tower-deep-model.csv"), 3588);
}

static size_t check_constants(const char *name) {
    FILE *file = tower_rows_open(name);
    TowerRow row;
    size_t rows = 0;
    for (; tower_rows_next(file, &row); rows++) {
        cr_assert_eq(row.count, 4);
        uint64_t bits = strtoull(row.fields[2], NULL, 16);
        double x;
        memcpy(&x, &bits, sizeof x);
        const Tower *t = tower_chain((unsigned)atoi(row.fields[1]));
        char text[TOWER_TEXT_BYTES];
        tower_row_text(t, tower_constant(t, x, (unsigned)atoi(row.fields[0])), text);
        cr_expect_str_eq(text, row.fields[3], "%.17g with %s digits", x, row.fields[0]);
    }
    fclose(file);
    return rows;
}

Test(tower_vectors, constants) {
    cr_assert_eq(check_constants("tower-constants-model.csv"), 10000);
    cr_assert_eq(check_constants("tower-deep-constants-model.csv"), 2000);
}

// Every bit that a rule does not read comes through.
static void check_carried(const char *name) {
    FILE *file = tower_rows_open(name);
    TowerRow row;
    while (tower_rows_next(file, &row)) {
        const Tower *t = tower_chain((unsigned)atoi(row.fields[1]));
        TowerPayload x[3] = {{{0}, 0}}, r, plain;
        unsigned operands = row.count - 4;
        if (!strcmp(row.fields[0], "compare") || !strcmp(row.fields[0], "first") || !operands) continue;
        for (unsigned i = 0; i < operands; i++) x[i] = tower_row_payload(row.fields[3 + i]);
        apply_named_rule(t, row.fields[0], row.fields[2], x, &plain);
        static const uint32_t bits[] = {TOWER_NEAR, TOWER_ROUNDED | TOWER_PASSED_8, TOWER_PASSED_24};
        uint32_t all = 0;
        const uint32_t kept = tower_carried(t); // phases and components take the place of TOWER_PASSED
        for (unsigned i = 0; i < operands; i++) x[i].state |= bits[i] & kept, all |= bits[i] & kept;
        const bool is_one = !strcmp(row.fields[0], "powi") && !atoi(row.fields[2]); // x^0, whatever number x is
        if (is_one && !tower_is_poison(plain)) all = 0;
        apply_named_rule(t, row.fields[0], row.fields[2], x, &r);
        cr_expect(!memcmp(r.component, plain.component, sizeof r.component));
        if (strcmp(row.fields[0], "pow"))
            cr_expect_eq(r.state, plain.state | all, "%s %s", row.fields[0], row.fields[2]);
    }
    fclose(file);
}

Test(tower_vectors, carried_bits_unite) {
    check_carried("tower-model.csv");
    check_carried("tower-deep-model.csv");
}
