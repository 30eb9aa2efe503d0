// SPDX-License-Identifier: Apache-2.0
// Integer expressions of case files: + - * // %, parentheses, min, max, cdiv, parameters. Exact in 64 bits; // and %
// round down, as Python's do. A value beyond 64 bits on the way is an error.
#include "diff/case.h"

#include <inttypes.h>
#include <string.h>

enum { NESTED_MAX = 64 };

typedef struct ExpressionReader {
    Arena *arena;
    const FpdParameters *parameters;
    const char *text, *at; // all of it; the next character
    unsigned depth;
    FpdEvaluated *result;
} ExpressionReader;

// Keeps the first problem. Always false.
static bool expression_fails(ExpressionReader *r, const char *at, const char *problem) {
    if (r->result->problem) return false;
    r->result->problem = problem;
    r->result->offset = (size_t)(at - r->text);
    return false;
}

static void skip_spaces(ExpressionReader *r) {
    r->at += strspn(r->at, " ");
}

// Takes the word if it comes next.
static bool take(ExpressionReader *r, const char *word) {
    skip_spaces(r);
    const size_t length = strlen(word);
    if (strncmp(r->at, word, length)) return false;
    r->at += length;
    return true;
}

static bool expect_sign(ExpressionReader *r, const char *sign) {
    if (take(r, sign)) return true;
    return expression_fails(r, r->at,
                            *r->at ? arena_format(r->arena, "found '%.20s', expected '%s'", r->at, sign)
                                   : arena_format(r->arena, "the expression ends, expected '%s'", sign));
}

// ---- arithmetic

static bool divide_down(int64_t a, int64_t b, int64_t *quotient, int64_t *rest) {
    if (b == -1) { // the machine's division of the least integer by -1 traps
        *rest = 0;
        return !__builtin_sub_overflow(0, a, quotient);
    }
    *quotient = a / b;
    *rest = a % b;
    if (*rest && (*rest < 0) != (b < 0)) {
        *quotient -= 1;
        *rest += b;
    }
    return true;
}

typedef enum ExpressionOp { OP_ADD, OP_SUB, OP_MUL, OP_FLOOR, OP_REST, OP_MIN, OP_MAX, OP_CDIV } ExpressionOp;
static const struct {
    const char *before, *between, *after;
} op_texts[] = {[OP_ADD] = {"", " + ", ""},     [OP_SUB] = {"", " - ", ""},      [OP_MUL] = {"", " * ", ""},
                [OP_FLOOR] = {"", " // ", ""},  [OP_REST] = {"", " % ", ""},     [OP_MIN] = {"min(", ", ", ")"},
                [OP_MAX] = {"max(", ", ", ")"}, [OP_CDIV] = {"cdiv(", ", ", ")"}};

static bool apply(ExpressionReader *r, ExpressionOp op, const char *at, int64_t *a, int64_t b) {
    const int64_t left = *a;
    int64_t quotient, rest;
    bool good = true;
    if ((op == OP_FLOOR || op == OP_REST || op == OP_CDIV) && b == 0)
        return expression_fails(r, at, op == OP_REST ? "% by zero" : "division by zero");
    switch (op) {
    case OP_ADD: good = !__builtin_add_overflow(left, b, a); break;
    case OP_SUB: good = !__builtin_sub_overflow(left, b, a); break;
    case OP_MUL: good = !__builtin_mul_overflow(left, b, a); break;
    case OP_FLOOR: good = divide_down(left, b, a, &rest); break;
    case OP_REST: divide_down(left, b, &quotient, a); break; // the rest is right where the quotient has no room
    case OP_CDIV:
        good = divide_down(left, b, a, &rest);
        *a += rest != 0;
        break;
    case OP_MIN: *a = left < b ? left : b; break;
    case OP_MAX: *a = left > b ? left : b; break;
    }
    if (good) return true;
    return expression_fails(r, at,
                            arena_format(r->arena, "%s%" PRId64 "%s%" PRId64 "%s is beyond 64 bits",
                                         op_texts[op].before, left, op_texts[op].between, b, op_texts[op].after));
}

// ---- grammar

static bool read_sum(ExpressionReader *r, int64_t *value);

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (is_letter(text[length]) || (text[length] >= '0' && text[length] <= '9')) length++;
    return length;
}

// digits, or 0x and hexadecimal digits. `negative`: a minus stands before it, which makes room for -2^63.
static bool read_digits(ExpressionReader *r, bool negative, int64_t *value) {
    const char *begin = r->at, *digits = begin;
    const size_t length = word_length(begin);
    const bool hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    uint64_t magnitude = 0;
    bool good = true, room = true;
    if (hex) digits += 2;
    good = digits < begin + length && (hex || length == 1 || *digits != '0');
    for (const char *c = digits; good && c < begin + length; c++) {
        const char *all = "0123456789abcdef", *digit = strchr(all, *c >= 'A' && *c <= 'F' ? *c + 32 : *c);
        good = digit && digit - all < (hex ? 16 : 10);
        room = room && !__builtin_mul_overflow(magnitude, hex ? 16u : 10u, &magnitude) &&
               !__builtin_add_overflow(magnitude, good ? (uint64_t)(digit - all) : 0, &magnitude);
    }
    if (!good || begin[length] == '.')
        return expression_fails(r, begin, arena_format(r->arena, "'%.20s' is no integer", begin));
    if (!room || magnitude > (uint64_t)INT64_MAX + negative)
        return expression_fails(
            r, begin, arena_format(r->arena, "%s%.*s is beyond 64 bits", negative ? "-" : "", (int)length, begin));
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    r->at += length;
    return true;
}

// "(a, b, ...)" behind the name of a function.
static bool read_function(ExpressionReader *r, ExpressionOp op, const char *name, int64_t *value) {
    if (!expect_sign(r, "(") || !read_sum(r, value)) return false;
    for (unsigned count = 1;; count++) {
        int64_t next;
        if (count >= 2 && (op == OP_CDIV || !take(r, ","))) return expect_sign(r, ")");
        if (count == 1 && !expect_sign(r, ",")) return false;
        if (!read_sum(r, &next) || !apply(r, op, name, value, next)) return false;
    }
}

static bool read_name(ExpressionReader *r, int64_t *value) {
    static const struct {
        const char *name;
        ExpressionOp op;
    } functions[] = {{"min", OP_MIN}, {"max", OP_MAX}, {"cdiv", OP_CDIV}};
    const char *name = r->at;
    const size_t length = word_length(name);
    const FpdParameters *p = r->parameters;
    const char *known = "";
    r->at += length;
    for (size_t i = 0; i < BASE_COUNT(functions); i++)
        if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
            return read_function(r, functions[i].op, name, value);
    for (uint32_t i = 0; i < p->count; i++) {
        if (strlen(p->items[i].name) == length && !memcmp(p->items[i].name, name, length)) {
            *value = p->items[i].value;
            r->result->used |= UINT32_C(1) << i;
            return true;
        }
        known = arena_format(r->arena, "%s%s, ", known, p->items[i].name);
    }
    return expression_fails(
        r, name, arena_format(r->arena, "unknown name '%.*s', expected %smin, max or cdiv", (int)length, name, known));
}

// number, name, function, parentheses.
static bool read_primary(ExpressionReader *r, bool negative, int64_t *value) {
    skip_spaces(r);
    if (*r->at >= '0' && *r->at <= '9') return read_digits(r, negative, value);
    const char *at = r->at;
    bool good;
    if (is_letter(*at))
        good = read_name(r, value);
    else if (take(r, "("))
        good = read_sum(r, value) && expect_sign(r, ")");
    else
        return expression_fails(r, at,
                                *at ? arena_format(r->arena, "found '%.20s', expected a number or a name", at)
                                    : "the expression ends, expected a number or a name");
    if (!good || !negative) return good;
    const int64_t positive = *value;
    return !__builtin_sub_overflow(0, positive, value) ||
           expression_fails(r, at, arena_format(r->arena, "-(%" PRId64 ") is beyond 64 bits", positive));
}

static bool read_factor(ExpressionReader *r, int64_t *value) {
    skip_spaces(r);
    const char *at = r->at;
    bool good;
    if (r->depth == NESTED_MAX) return expression_fails(r, at, "the expression is nested too deeply");
    r->depth++;
    if (!take(r, "-"))
        good = read_primary(r, false, value);
    else if (r->at += strspn(r->at, " "), *r->at != '-')
        good = read_primary(r, true, value);
    else {
        int64_t inner = 0;
        good = read_factor(r, &inner);
        if (good && __builtin_sub_overflow(0, inner, value))
            good = expression_fails(r, at, arena_format(r->arena, "-(%" PRId64 ") is beyond 64 bits", inner));
    }
    r->depth--;
    return good;
}

static bool read_product(ExpressionReader *r, int64_t *value) {
    if (!read_factor(r, value)) return false;
    for (;;) {
        int64_t next;
        skip_spaces(r);
        const char *at = r->at;
        if (!strncmp(at, "**", 2)) return expression_fails(r, at, "'**' is no operator of these expressions");
        const bool quotient = take(r, "//");
        if (!quotient && *at == '/') return expression_fails(r, at, "'/' would be no integer, '//' rounds down");
        const bool product = !quotient && take(r, "*");
        if (!quotient && !product && !take(r, "%")) return true;
        if (!read_factor(r, &next) || !apply(r, quotient ? OP_FLOOR : product ? OP_MUL : OP_REST, at, value, next))
            return false;
    }
}

static bool read_sum(ExpressionReader *r, int64_t *value) {
    if (!read_product(r, value)) return false;
    for (;;) {
        int64_t next;
        skip_spaces(r);
        const char *at = r->at;
        const bool plus = take(r, "+");
        if (!plus && !take(r, "-")) return true;
        if (!read_product(r, &next) || !apply(r, plus ? OP_ADD : OP_SUB, at, value, next)) return false;
    }
}

FpdEvaluated fpd_evaluate(Arena *arena, const char *text, const FpdParameters *parameters) {
    FpdEvaluated result = {0};
    ExpressionReader r = {.arena = arena, .parameters = parameters, .text = text, .at = text, .result = &result};
    if (!read_sum(&r, &result.value)) return result;
    skip_spaces(&r);
    if (*r.at) expression_fails(&r, r.at, arena_format(arena, "found '%.20s', expected an operator", r.at));
    return result;
}

bool fpd_is_expression(const char *text, const FpdParameters *parameters) {
    const char *sign = *text == '-' || *text == '+' ? text + 1 : text;
    if (strpbrk(sign, "+-*/%()") || !strncmp(sign, "0x", 2)) return true;
    return (parameters->count && is_letter(*sign)) || (is_letter(*sign) && strchr(sign, ' '));
}
