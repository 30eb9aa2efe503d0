// SPDX-License-Identifier: Apache-2.0
// `means: {NUMBER: EXPRESSION}`: what a constant of a program stands for.
//
//     sum     = product {("+" | "-") product}
//     product = negated {("*" | "/") negated}
//     negated = {"-"} power
//     power   = atom ["^" ["-"] digits]
//     atom    = decimal | name | function "(" sum ")" | "(" sum ")"
//
// An expression is computed twice: in the fields of every chain, where it is exact and names are the hashes that the
// tower has for them, and in double, to tell a slip of the pen.
#include "diff/case_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPRESSION_SIZE = 1000, EXPRESSION_DEPTH = 64, EXPRESSION_POWER = 1000, EXPRESSION_DIGITS = 400 };
static const double EXPRESSION_ERROR = 1e-6; // relative; a number in f32 is within 6e-8

typedef struct Meant {
    double number;
    TowerPayload payload[TOWER_ALL];
    bool is_fraction, is_angle; // numerator / denominator in lowest terms, below 2^53; times pi if it is an angle
    int64_t numerator, denominator;
} Meant;

typedef struct Expression {
    CaseReader *reader;
    const FpdNode *node;
    const char *at; // what comes next
    unsigned depth;
} Expression;

// ---- places and words

static Location expression_place(const Expression *x, const char *at) {
    Location place = x->node->at;
    if (x->node->column) place.column = x->node->column + (uint32_t)(at - x->node->text);
    return place;
}

#define expression_wrong(x, place, ...) case_wrong((x)->reader, expression_place((x), (place)), __VA_ARGS__)

static void skip_blanks(Expression *x) {
    while (*x->at == ' ') x->at++;
}

static bool take_character(Expression *x, char character) {
    skip_blanks(x);
    if (*x->at != character) return false;
    x->at++;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool expected_here(Expression *x, const char *what) {
    skip_blanks(x);
    if (!*x->at) return expression_wrong(x, x->at, "'%s' ends where %s is expected", x->node->text, what);
    unsigned char c = (unsigned char)*x->at;
    if (c < 0x20 || c >= 0x7f) return expression_wrong(x, x->at, "found byte 0x%02x, expected %s", c, what);
    return expression_wrong(x, x->at, "found '%c', expected %s", c, what);
}

// ---- arithmetic

static const int64_t INTEGER_END = INT64_C(1) << 53;

static bool is_integer(const Meant *a) {
    return a->is_fraction && !a->is_angle && a->denominator == 1;
}

// The denominator is not 0, if it is a fraction.
static void set_fraction(Meant *a, bool is_fraction, bool is_angle, __int128 numerator, __int128 denominator) {
    __int128 x = numerator < 0 ? -numerator : numerator, y = denominator < 0 ? -denominator : denominator;
    while (is_fraction && y) {
        __int128 rest = x % y;
        x = y;
        y = rest;
    }
    __int128 sign = denominator < 0 ? -1 : 1, n = is_fraction ? sign * numerator / x : 0,
             d = is_fraction ? sign * denominator / x : 1;
    a->is_fraction = is_fraction && n > -INTEGER_END && n < INTEGER_END && d < INTEGER_END;
    a->is_angle = is_angle && n; // 0 is a number
    a->numerator = a->is_fraction ? (int64_t)n : 0;
    a->denominator = a->is_fraction ? (int64_t)d : 1;
}

static void integer_meant(Meant *a, int64_t integer) {
    a->number = (double)integer;
    set_fraction(a, true, false, integer, 1);
    for (unsigned c = 0; c < TOWER_ALL; c++) a->payload[c] = tower_rational(tower_chain(c), integer, 1);
}

// An operand: signed towers ask whether it is negative.
static TowerPayload meant_operand(const Meant *a, unsigned c) {
    TowerPayload payload = a->payload[c];
    if (a->number < 0 && tower_chain(c)->plain) payload.state |= TOWER_NEGATIVE;
    return payload;
}

static void meant_negate(Meant *a) {
    a->number = -a->number;
    a->numerator = -a->numerator;
    for (unsigned c = 0; c < TOWER_ALL; c++) a->payload[c] = tower_neg(tower_chain(c), a->payload[c]);
}

static void meant_add(Meant *a, const Meant *b) {
    bool alike = a->is_angle == b->is_angle || !a->numerator || !b->numerator;
    a->number += b->number;
    set_fraction(a, a->is_fraction && b->is_fraction && alike, a->is_angle || b->is_angle,
                 (__int128)a->numerator * b->denominator + (__int128)b->numerator * a->denominator,
                 (__int128)a->denominator * b->denominator);
    for (unsigned c = 0; c < TOWER_ALL; c++) a->payload[c] = tower_add(tower_chain(c), a->payload[c], b->payload[c]);
}

static void meant_multiply(Meant *a, const Meant *b) {
    set_fraction(a, a->is_fraction && b->is_fraction && !(a->is_angle && b->is_angle), a->is_angle || b->is_angle,
                 (__int128)a->numerator * b->numerator, (__int128)a->denominator * b->denominator);
    for (unsigned c = 0; c < TOWER_ALL; c++)
        a->payload[c] = tower_mul(tower_chain(c), meant_operand(a, c), meant_operand(b, c), TOWER_IEEE_POSITIVE);
    a->number *= b->number;
}

static bool meant_divide(Expression *x, Meant *a, const Meant *b, const char *place) {
    bool zero = false;
    for (unsigned c = 0; c < TOWER_ALL; c++)
        for (unsigned i = 0; i < tower_chain(c)->length; i++)
            zero |= b->payload[c].component[i] == 0 &&
                    !(tower_group(tower_chain(c), b->payload[c].state, TOWER_MISSING_SHIFT) >> i & 1);
    if (b->number == 0) return expression_wrong(x, place, "this divides by 0");
    if (zero) return expression_wrong(x, place, "this divides by what is 0 in a field of the tower");
    bool fractions = a->is_fraction && b->is_fraction && b->numerator && (a->is_angle || !b->is_angle);
    set_fraction(a, fractions, a->is_angle && !b->is_angle, (__int128)a->numerator * b->denominator,
                 (__int128)a->denominator * b->numerator);
    for (unsigned c = 0; c < TOWER_ALL; c++)
        a->payload[c] = tower_div(tower_chain(c), meant_operand(a, c), meant_operand(b, c), TOWER_IEEE_POSITIVE);
    a->number /= b->number;
    return true;
}

// By squaring.
static bool meant_raise(Expression *x, Meant *a, int exponent, const char *place) {
    Meant power = *a, result, one;
    double number = pow(a->number, exponent);
    integer_meant(&one, 1);
    result = one;
    for (unsigned n = (unsigned)abs(exponent); n; n >>= 1) {
        if (n & 1) meant_multiply(&result, &power);
        meant_multiply(&power, &power);
    }
    if (exponent < 0) {
        if (!meant_divide(x, &one, &result, place)) return false;
        result = one;
    }
    *a = result;
    a->number = number;
    return true;
}

// ---- functions, of their argument, in its place

// As the tower reads constants: the positive root of a square, else the root in the fields.
static bool square_root(Expression *x, Meant *a, const char *place) {
    if (!is_integer(a) || a->numerator < 0)
        return expression_wrong(x, place, "sqrt is for integers from 0 to 2^53 here; sqrt(2/3) is sqrt(2)/sqrt(3)");
    int64_t root = (int64_t)sqrt((double)a->numerator);
    if (root * root == a->numerator) return integer_meant(a, root), true;
    a->number = sqrt(a->number);
    set_fraction(a, false, false, 0, 1);
    for (unsigned c = 0; c < TOWER_ALL; c++) a->payload[c] = tower_sqrt(tower_chain(c), a->payload[c]);
    return true;
}

static bool logarithm_to(Expression *x, Meant *a, const char *place, bool natural) {
    if (!(a->number > 0)) return expression_wrong(x, place, "this takes the logarithm of %g", a->number);
    a->number = natural ? log(a->number) : log2(a->number);
    set_fraction(a, false, false, 0, 1);
    for (unsigned c = 0; c < TOWER_ALL; c++) {
        const Tower *t = tower_chain(c);
        a->payload[c] = natural ? tower_log(t, a->payload[c]) : tower_log2(t, a->payload[c]);
    }
    return true;
}

static bool natural_logarithm(Expression *x, Meant *a, const char *place) {
    return logarithm_to(x, a, place, true);
}

static bool binary_logarithm(Expression *x, Meant *a, const char *place) {
    return logarithm_to(x, a, place, false);
}

static bool exponential(Expression *x, Meant *a, const char *place) {
    double number = exp(a->number);
    if (a->number <= TOWER_MASKED || !isfinite(number))
        return expression_wrong(x, place, "exp(%g) is out of range", a->number);
    for (unsigned c = 0; c < TOWER_ALL; c++) a->payload[c] = tower_exp(tower_chain(c), a->payload[c], a->number);
    a->number = number;
    set_fraction(a, false, false, 0, 1);
    return true;
}

// Angles are parts of a turn: pi p/q is the p-th of 2 q.
static bool coordinate_of(Expression *x, Meant *a, const char *place, bool is_sine) {
    enum { PARTS = TOWER_TURNS / 2 };
    if (!a->is_fraction || !(a->is_angle || !a->numerator))
        return expression_wrong(x, place, "cos and sin are for pi*p/q with integers p and q here");
    if (PARTS % a->denominator)
        return expression_wrong(x, place, "cos and sin of pi*p/%lld are known in no field; q has to divide %d",
                                (long long)a->denominator, PARTS);
    for (unsigned c = 0; c < TOWER_ALL; c++) {
        const Tower *t = tower_chain(c);
        uint32_t denominator = 2 * (uint32_t)a->denominator;
        a->payload[c] =
            is_sine ? tower_turn_sine(t, a->numerator, denominator) : tower_turn_cosine(t, a->numerator, denominator);
    }
    int64_t part = a->numerator % (2 * a->denominator); // of so many half turns
    double angle = M_PI * (double)part / (double)a->denominator;
    bool upright = 2 * part % a->denominator == 0 && 2 * part / a->denominator % 2 != 0,
         flat = part % a->denominator == 0;
    a->number = is_sine ? flat ? 0 : sin(angle) : upright ? 0 : cos(angle);
    set_fraction(a, false, false, 0, 1);
    return true;
}

static bool cosine_of(Expression *x, Meant *a, const char *place) {
    return coordinate_of(x, a, place, false);
}

static bool sine_of(Expression *x, Meant *a, const char *place) {
    return coordinate_of(x, a, place, true);
}

static const struct {
    const char *name;
    bool (*apply)(Expression *x, Meant *a, const char *place);
} named_functions[] = {
    {"sqrt", square_root},      {"cos", cosine_of},         {"sin", sine_of},
    {"log", natural_logarithm}, {"log2", binary_logarithm}, {"exp", exponential},
};

// ---- atoms

static const struct Named {
    const char *name;
    double number;
    size_t payload; // offset in Tower
} named_numbers[] = {
    {"log2e", M_LOG2E, offsetof(Tower, log2e)},
    {"ln2", M_LN2, offsetof(Tower, ln2)},
    {"sqrt_2_pi", 0.79788456080286535588, offsetof(Tower, sqrt_2_pi)}, // sqrt(2 / pi)
};

// 2 / sqrt(2/pi)^2: so pi goes with the constant of GELU.
static void pi_meant(Meant *a) {
    *a = (Meant){.number = M_PI, .is_fraction = true, .is_angle = true, .numerator = 1, .denominator = 1};
    for (unsigned c = 0; c < TOWER_ALL; c++) {
        const Tower *t = tower_chain(c);
        TowerPayload square = tower_mul(t, t->sqrt_2_pi, t->sqrt_2_pi, TOWER_IEEE_POSITIVE);
        a->payload[c] = tower_div(t, tower_rational(t, 2, 1), square, TOWER_IEEE_POSITIVE);
    }
}

static bool read_sum(Expression *x, Meant *a);

static bool read_parentheses(Expression *x, Meant *a) {
    if (!take_character(x, '(')) return expected_here(x, "(");
    if (++x->depth > EXPRESSION_DEPTH)
        return expression_wrong(x, x->at - 1, "parentheses are nested deeper than %d", EXPRESSION_DEPTH);
    if (!read_sum(x, a)) return false;
    x->depth--;
    return take_character(x, ')') || expected_here(x, ")");
}

static bool read_name(Expression *x, Meant *a) {
    const char *start = x->at;
    while (begins_name(*x->at) || is_digit(*x->at)) x->at++;
    size_t length = (size_t)(x->at - start);
    for (size_t i = 0; i < BASE_COUNT(named_functions); i++)
        if (strlen(named_functions[i].name) == length && !memcmp(start, named_functions[i].name, length))
            return read_parentheses(x, a) && named_functions[i].apply(x, a, start);
    if (length == 2 && !memcmp(start, "pi", 2)) return pi_meant(a), true;
    for (size_t i = 0; i < BASE_COUNT(named_numbers); i++) {
        const struct Named *named = &named_numbers[i];
        if (strlen(named->name) != length || memcmp(start, named->name, length)) continue;
        *a = (Meant){.number = named->number, .denominator = 1};
        for (unsigned c = 0; c < TOWER_ALL; c++)
            memcpy(&a->payload[c], (const char *)tower_chain(c) + named->payload, sizeof(TowerPayload));
        return true;
    }
    return expression_wrong(x, start,
                            "unknown name '%.*s', expected one of: log2e, ln2, sqrt_2_pi, pi, sqrt(...), cos(...), "
                            "sin(...), log(...), log2(...), exp(...)",
                            length < 40 ? (int)length : 40, start);
}

// Digits, a point, an exponent of ten: exactly.
static bool read_number_exactly(Expression *x, Meant *a) {
    const char *start = x->at;
    Meant ten, digit;
    int after = 0, digits = 0;
    bool point = false;
    integer_meant(&ten, 10);
    integer_meant(a, 0);
    for (; is_digit(*x->at) || (*x->at == '.' && !point); x->at++) {
        if (*x->at == '.') {
            point = true;
            continue;
        }
        if (++digits > EXPRESSION_DIGITS)
            return expression_wrong(x, start, "a number has more than %d digits", EXPRESSION_DIGITS);
        integer_meant(&digit, *x->at - '0');
        meant_multiply(a, &ten);
        meant_add(a, &digit);
        after += point;
    }
    bool exponent = *x->at == 'e' || *x->at == 'E', integer = is_integer(a) && !point && !exponent;
    long shift = 0;
    if (exponent) {
        const char *digits_at = x->at + 1 + (x->at[1] == '-' || x->at[1] == '+');
        if (!is_digit(*digits_at)) return x->at++, expected_here(x, "an exponent");
        char *end;
        shift = strtol(x->at + 1, &end, 10);
        x->at = end;
    }
    if (shift < -EXPRESSION_DIGITS || shift > EXPRESSION_DIGITS)
        return expression_wrong(x, start, "a number has an exponent beyond %d", EXPRESSION_DIGITS);
    if (!meant_raise(x, &ten, (int)shift - after, start)) return false;
    meant_multiply(a, &ten);
    a->is_fraction &= integer; // of decimals nothing is said
    a->number = strtod(start, NULL);
    if (!isfinite(a->number)) return expression_wrong(x, start, "a number is too large");
    return !begins_name(*x->at) || expected_here(x, "an operator");
}

static bool read_atom(Expression *x, Meant *a) {
    skip_blanks(x);
    if (*x->at == '(') return read_parentheses(x, a);
    if (begins_name(*x->at)) return read_name(x, a);
    return is_digit(*x->at) ? read_number_exactly(x, a) : expected_here(x, "a number, a name or (");
}

// ---- operators

static bool read_power(Expression *x, Meant *a) {
    if (!read_atom(x, a)) return false;
    if (!take_character(x, '^')) return true;
    const char *place = x->at - 1;
    bool negative = take_character(x, '-');
    skip_blanks(x);
    if (!is_digit(*x->at)) return expected_here(x, "an integer exponent");
    char *end;
    long exponent = strtol(x->at, &end, 10);
    if (exponent > EXPRESSION_POWER)
        return expression_wrong(x, x->at, "exponents go from -%d to %d", EXPRESSION_POWER, EXPRESSION_POWER);
    x->at = end;
    return meant_raise(x, a, (int)(negative ? -exponent : exponent), place);
}

static bool read_negated(Expression *x, Meant *a) {
    bool negative = false;
    while (take_character(x, '-')) negative = !negative;
    if (!read_power(x, a)) return false;
    if (negative) meant_negate(a);
    return true;
}

static bool read_product(Expression *x, Meant *a) {
    if (!read_negated(x, a)) return false;
    for (;;) {
        Meant b;
        bool times = take_character(x, '*'), over = !times && take_character(x, '/');
        const char *place = x->at - 1;
        if (!times && !over) return true;
        if (!read_negated(x, &b)) return false;
        if (times)
            meant_multiply(a, &b);
        else if (!meant_divide(x, a, &b, place))
            return false;
    }
}

static bool read_sum(Expression *x, Meant *a) {
    if (!read_product(x, a)) return false;
    for (;;) {
        Meant b;
        bool plus = take_character(x, '+'), minus = !plus && take_character(x, '-');
        if (!plus && !minus) return true;
        if (!read_product(x, &b)) return false;
        if (minus) meant_negate(&b);
        meant_add(a, &b);
    }
}

// ---- the mapping

// Numbers are compared with constants as f32 and f64 numbers: beyond f32's normal range two would become 0 or infinity.
static bool read_meant_number(CaseReader *r, const FpdNode *node, FpdMeaning *meaning) {
    if (!case_read_real(r, node, "a number of means", &meaning->value)) return false;
    double magnitude = fabs(meaning->value);
    return (magnitude >= FLT_MIN && magnitude <= FLT_MAX) ||
           case_wrong(r, node->at, "a number of means is '%s', expected a normal number of f32", node->text);
}

static bool read_meaning(CaseReader *r, const FpdNode *number, const FpdNode *node, FpdMeaning *meaning) {
    Expression x = {.reader = r, .node = node, .at = node->text};
    Meant meant;
    meaning->at = number->at;
    meaning->number = number->text;
    meaning->expression = node->text;
    if (!read_meant_number(r, number, meaning)) return false;
    if (!case_expect_kind(r, node, VALUE_SCALAR, arena_format(r->arena, "the meaning of %s", number->text)))
        return false;
    if (strlen(node->text) > EXPRESSION_SIZE)
        return case_wrong(r, node->at, "the meaning of %s has more than %d characters", number->text, EXPRESSION_SIZE);
    if (!read_sum(&x, &meant)) return false;
    skip_blanks(&x);
    if (*x.at) return expected_here(&x, "an operator");
    if (!(fabs(meant.number - meaning->value) <= EXPRESSION_ERROR * fabs(meaning->value)))
        return case_wrong(r, node->at, "'%s' is %.9g, but it is to be the meaning of %s", node->text, meant.number,
                          number->text);
    memcpy(meaning->payload, meant.payload, sizeof meaning->payload);
    return true;
}

// The first of two would win silently.
static bool check_meanings(CaseReader *r, uint32_t index) {
    const FpdMeaning *all = r->cas->meanings;
    for (uint32_t i = 0; i < index; i++)
        if ((float)fabs(all[i].value) == (float)fabs(all[index].value))
            return case_wrong(r, all[index].at, "%s and %s in line %u are the same number in f32", all[index].number,
                              all[i].number, all[i].at.line);
    return true;
}

bool case_read_meanings(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    if (!node) return true;
    if (!node->count) return case_wrong(r, node->at, "means is empty, expected {NUMBER: EXPRESSION}");
    cas->meanings = arena_array(r->arena, FpdMeaning, node->count);
    for (; cas->meaning_count < node->count; cas->meaning_count++)
        if (!read_meaning(r, &node->keys[cas->meaning_count], &node->items[cas->meaning_count],
                          &cas->meanings[cas->meaning_count]) ||
            !check_meanings(r, cas->meaning_count))
            return false;
    return true;
}
