// SPDX-License-Identifier: Apache-2.0
// `means`: what expressions stand for, in every chain, and what is refused where.
#include "diff/judge.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

// A case with one meaning, in line 4, from column 9 on.
static FpdCase *load_meaning(Arena *arena, Diagnostics *diagnostics, const char *means) {
    char path[] = "/tmp/congruent-means-XXXXXX";
    int handle = mkstemp(path);
    const char *text = arena_format(arena,
                                    "buffers: {X: {type: f32, shape: [4]}}\n"
                                    "variants: {a: [{module: /dev/null, grid: [1], args: [X]}]}\n"
                                    "compare: [X]\nmeans: {%s}\n",
                                    means);
    cr_assert(handle >= 0 && write(handle, text, strlen(text)) == (ssize_t)strlen(text));
    close(handle);
    FpdCase *cas = fpd_load_case(diagnostics, arena, path);
    unlink(path);
    return cas;
}

static TowerPayload times(const Tower *t, TowerPayload a, TowerPayload b) {
    return tower_mul(t, a, b, TOWER_IEEE_POSITIVE);
}

static TowerPayload over(const Tower *t, TowerPayload a, TowerPayload b) {
    return tower_div(t, a, b, TOWER_IEEE_POSITIVE);
}

// Payloads written down in the algebra's own functions.
static TowerPayload expected_payload(const Tower *t, int row) {
    TowerPayload two = tower_rational(t, 2, 1);
    switch (row) {
    case 0: return tower_rational(t, 3, 32);
    case 1: return times(t, tower_rational(t, 3, 32), t->log2e);
    case 2: return over(t, t->log2e, tower_sqrt(t, tower_rational(t, 80, 1)));
    case 3: return tower_neg(t, over(t, t->ln2, two));
    case 4: return times(t, t->sqrt_2_pi, tower_rational(t, 44715, 1000000));
    case 5: return tower_rational(t, 1, 1024);
    case 6: return tower_rational(t, 9, 1);
    case 7: return over(t, two, times(t, t->sqrt_2_pi, t->sqrt_2_pi));
    case 8: return tower_rational(t, 125, 10000000);
    case 9: return tower_rational(t, 12, 1);
    case 10: return tower_rational(t, -5, 1);
    case 11: return tower_rational(t, 16, 1);
    case 12: return tower_rational(t, 10, 1);
    case 14: return tower_log(t, tower_rational(t, 40, 1));
    case 15: return tower_log2(t, tower_rational(t, 1000, 1));
    case 16: return tower_exp(t, tower_rational(t, 3, 2), 1.5);
    case 17: return tower_turn_cosine(t, 3, 16);
    case 18: return tower_neg(t, tower_turn_sine(t, 1, 20));
    case 19: return over(t, tower_sqrt(t, two), two);
    case 20: return tower_turn_cosine(t, 7, 64);
    case 21: return tower_rational(t, 1, 3);
    case 22: return tower_log(t, tower_rational(t, 10000, 1));
    default: return t->one;
    }
}

Test(meaning, expressions) {
    static const char *const rows[] = {
        "0.09375: 0.09375",
        "0.13525266: 0.09375 * log2e",
        "0.16129821: log2e/sqrt(80)",
        "-0.34657359: '-ln2/2'",
        "0.035677407: \"sqrt_2_pi*0.044715\"",
        "9.765625e-4: 2^-10",
        "9: (1 + 2)^2",
        "3.1415927: pi",
        "1.25e-5: 1.25E-5",
        "12: sqrt(12 * 24 / 2)",
        "-5: -(2 + 1) - 2 ",
        "16: 2^2*--4",
        "10: ((((9.000000000000000000000000000000000)))) + 0.1e1",
        "1: log2e*ln2",
        "3.6888795: log(40)",
        "9.965784: log2(10^3)",
        "4.481689: exp(1.5)",
        "0.38268343: cos(pi*3/8)",
        "-0.30901699: sin(-(pi/20) - pi/20)",
        "0.70710678: 'sin(2*pi/3 + pi/12)'",
        "0.7730105: cos(7*pi/32 + 2*pi)",
        "0.33333333: 1/3 + cos(pi/2) + sin(pi) + sin(0)",
        "9.2103404: log(10000.0)",
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        FpdCase *cas = load_meaning(&arena, &diagnostics, rows[i]);
        cr_assert(cas, "%s: %s", rows[i], diagnostics.count ? diagnostics.items[0].message : "");
        cr_assert(cas->meaning_count == 1 && cas->family == FPD_FAMILY_tower);
        for (unsigned c = 0; c < TOWER_CHAINS; c++) {
            TowerPayload expected = expected_payload(tower_chain(c), (int)i), found = cas->meanings[0].payload[c];
            cr_expect_eq(tower_compare(tower_chain(c), expected, found, NULL), TOWER_EQUAL, "%s in chain %u", rows[i],
                         c);
            cr_expect_eq(found.state, expected.state, "%s has state %x", rows[i], found.state);
        }
        arena_reset(&arena);
    }
}

// ln 2 and log2 e stand for each other's inverse: so do a scale with and without it.
Test(meaning, used_as_a_constant) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdCase *cas = load_meaning(&arena, &diagnostics, "0.135252662: 0.09375*log2e, 1.23456789: 1 + 0.234567890");
    cr_assert(cas && cas->meaning_count == 2);
    for (unsigned c = 0; c < TOWER_CHAINS; c++) {
        const Tower *t = tower_chain(c);
        cas->chain = c;
        const TowerMeaning *meanings = fpd_chain_meanings(&arena, cas);
        float value = 0.135252662f;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        HostRecord record = fpd_literal_record(cas, meanings, ELEMENT_F32, bits);
        TowerPayload expected = times(t, tower_rational(t, 3, 32), t->log2e);
        cr_expect_arr_eq(record.component, expected.component, sizeof expected.component);
        cr_expect(record.state == HOST_RECORD_VALID && record.low == bits && !record.high);
        cr_expect_eq(record.store, FPD_NO_STORE);
        HostRecord negative = fpd_literal_record(cas, meanings, ELEMENT_F32, bits | 0x80000000);
        expected = tower_neg(t, expected);
        cr_expect_arr_eq(negative.component, expected.component, sizeof expected.component);
        HostRecord wide = fpd_literal_record(cas, meanings, ELEMENT_F64, 0xbff0000000000000);
        cr_expect_arr_eq(wide.component, t->minus_one.component, sizeof expected.component);
        cr_expect(wide.low == 0 && wide.high == 0xbff00000);
    }
    arena_reset(&arena);
}

// ~ marks the place of the error.
Test(meaning, refused) {
    static const struct {
        const char *marked, *message;
    } rows[] = {
        {"0.13525266: ~0.9375*log2e", "'0.9375*log2e' is 1.3525266, but it is to be the meaning of 0.13525266"},
        {"0.1352: ~0.09375*log2e", "'0.09375*log2e' is 0.13525266, but it is to be the meaning of 0.1352"},
        {"0.5: ~-0.5", "'-0.5' is -0.5, but it is to be the meaning of 0.5"},
        {"~x: 1", "a number of means is 'x', expected a finite number"},
        {"~nan: 1", "a number of means is 'nan', expected a finite number"},
        {"~0: 0", "a number of means is '0', expected a normal number of f32"},
        {"~1e-40: 1e-40", "a number of means is '1e-40', expected a normal number of f32"},
        {"~1e39: 1e39", "a number of means is '1e39', expected a normal number of f32"},
        {"0.5: ~[1]", "the meaning of 0.5 is a list, expected a word or number"},
        {"0.5: ~", "the meaning of 0.5 is nothing, expected a word or number"},
        {"0.5: 1/2, ~0.50000000001: 1/2", "0.50000000001 and 0.5 in line 4 are the same number in f32"},
        {"0.5: 1/2, ~-0.5: -1/2", "-0.5 and 0.5 in line 4 are the same number in f32"},
        {"0.5: 1/~x", "unknown name 'x', expected one of: log2e, ln2, sqrt_2_pi, pi, sqrt(...), cos(...), "
                      "sin(...), log(...), log2(...), exp(...)"},
        {"0.5: '1/~e'", "unknown name 'e', expected one of: log2e"},
        {"0.5: (1/2~", "'(1/2' ends where ) is expected"},
        {"0.5: 1/2~)", "found ')', expected an operator"},
        {"0.5: 1/~", "'1/' ends where a number, a name or ( is expected"},
        {"0.5: 1 ~2", "found '2', expected an operator"},
        {"0.5: 2~ln2", "found 'l', expected an operator"},
        {"0.5: 0~x1p-1", "found 'x', expected an operator"},
        {"0.5: ~.5", "found '.', expected a number, a name or ("},
        {"0.5: 0.5~.5", "found '.', expected an operator"},
        {"0.5: 2^~x", "found 'x', expected an integer exponent"},
        {"0.5: 4^-1~/2^1.0", NULL},
        {"0.5: 4^~0.5", NULL},
        {"0.5: 2^3~^2", "found '^', expected an operator"},
        {"0.5: 2^~1001", "exponents go from -1000 to 1000"},
        {"0.5: 2^~99999999999999999999", "exponents go from -1000 to 1000"},
        {"0.5: ~sqrt(0.25)", "sqrt is for integers from 0 to 2^53 here"},
        {"0.5: ~sqrt(-1)", "sqrt is for integers from 0 to 2^53 here"},
        {"0.5: ~sqrt(2^53)", "sqrt is for integers from 0 to 2^53 here"},
        {"0.5: ~cos(1)", "cos and sin are for pi*p/q with integers p and q here"},
        {"0.5: ~sin(pi*pi)", "cos and sin are for pi*p/q with integers p and q here"},
        {"0.5: ~cos(pi + 1)", "cos and sin are for pi*p/q with integers p and q here"},
        {"0.5: ~cos(pi*0.25)", "cos and sin are for pi*p/q with integers p and q here"},
        {"0.5: 1 + ~cos(pi/13)", "cos and sin of pi*p/13 are known in no field; q has to divide 36960"},
        {"0.5: ~log(1 - 1)", "this takes the logarithm of 0"},
        {"0.5: ~log2(-3)", "this takes the logarithm of -3"},
        {"0.5: ~exp(1000)", "exp(1000) is out of range"},
        {"0.5: ~cos(pi/4)", "'cos(pi/4)' is 0.707106781, but it is to be the meaning of 0.5"},
        {"0.5: sqrt ~2", "found '2', expected ("},
        {"0.5: 1~/0", "this divides by 0"},
        {"0.5: 1~/(1/3-1/3)", "this divides by 0"},
        {"0.5: 0~^-1", "this divides by 0"},
        {"0.5: 1~/7355039", "this divides by what is 0 in a field of the tower"},
        {"0.5: 1~/(0.1+0.2-0.3)", "this divides by what is 0 in a field of the tower"},
        {"0.5: 5e~x", "found 'x', expected an exponent"},
        {"0.5: ~5e401", "a number has an exponent beyond 400"},
        {"0.5: ~5e-99999999999999999999", "a number has an exponent beyond 400"},
        {"0.5: ~5e400", "a number is too large"},
        {"0.5: '1 ~\xc3\xa9'", NULL},
        {"0.5: 1 ~& 2", "found '&', expected an operator"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        const char *mark = strchr(rows[i].marked, '~');
        const char *means = arena_format(&arena, "%.*s%s", (int)(mark - rows[i].marked), rows[i].marked, mark + 1);
        cr_expect_null(load_meaning(&arena, &diagnostics, means), "%s was accepted", means);
        cr_assert_eq(diagnostics.count, 1, "%s has %zu errors", means, diagnostics.count);
        const Diagnostic *error = &diagnostics.items[0];
        if (rows[i].message) {
            cr_expect(strstr(error->message, rows[i].message), "%s: '%s'", means, error->message);
            cr_expect(error->at.line == 4 && error->at.column == 9 + (unsigned)(mark - rows[i].marked),
                      "%s: error at %u:%u", means, error->at.line, error->at.column);
        }
        cr_expect_eq(fpd_exit_status(&diagnostics), 2, "%s", means);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
}

Test(meaning, deep_and_long_ones) {
    for (int kind = 0; kind < 4; kind++)
        for (int count = 60; count <= 70000; count = count < 70 ? count + 1 : count * 5) {
            Arena arena = {0};
            Diagnostics diagnostics = {0};
            Buffer text = {0};
            buffer_print(&text, "1: \"");
            for (int i = 0; i < count; i++)
                buffer_print(&text, "%s", kind == 0 ? "(" : kind == 1 ? "--" : kind == 2 ? "sqrt(" : "1*");
            buffer_print(&text, "1");
            for (int i = 0; i < count && kind % 2 == 0; i++) buffer_print(&text, ")");
            buffer_print(&text, "\"");
            bool good = load_meaning(&arena, &diagnostics, text.data);
            bool too_long = text.size - strlen("1: \"\"") > 1000, too_deep = kind % 2 == 0 && count > 64;
            cr_expect_eq(good, !too_long && !too_deep, "kind %d, %d", kind, count);
            const char *message = too_long ? "more than 1000 characters" : "parentheses are nested deeper than 64";
            if (!good) cr_expect(strstr(diagnostics.items[0].message, message));
            buffer_free(&text);
            diagnostics_close(&diagnostics);
            arena_reset(&arena);
        }
}
