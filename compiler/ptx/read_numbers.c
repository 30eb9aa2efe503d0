// SPDX-License-Identifier: Apache-2.0
// Numbers of PTX: literals, and constant expressions of integers. Integers are 64 bits, signed unless they say
// otherwise.
#include "compiler/ptx/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool reader_starts_number(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '~' || c == '(' || c == '.';
}

// ---- literals

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static bool read_digits(PtxReader *reader, int base, uint64_t *value) {
    const char *first = reader->at;
    *value = 0;
    for (; reader->at < reader->end && digit_of(*reader->at) < base; reader->at++)
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit_of(*reader->at), value))
            return reader_fail(reader, E_TEXT, "an integer beyond 64 bits");
    if (reader->at == first) return reader_fail(reader, E_TEXT, "a number without digits");
    return true;
}

// 0f and 8 digits, 0d and 16.
static bool read_float_bits(PtxReader *reader, PtxOperand *operand) {
    const int digits = reader->at[1] == 'f' || reader->at[1] == 'F' ? 8 : 16;
    reader->at += 2;
    const char *first = reader->at;
    operand->kind = digits == 8 ? PTX_FLOAT32 : PTX_FLOAT64;
    if (!read_digits(reader, 16, &operand->bits)) return false;
    if (reader->at - first == digits) return true;
    return reader_fail(reader, E_TEXT, "a float literal with %d digits; it needs %d", (int)(reader->at - first),
                       digits);
}

static bool read_decimal_float(PtxReader *reader, PtxOperand *operand) {
    char text[64];
    size_t length = 0;
    const char *at = reader->at;
    while (at < reader->end && length < sizeof text - 1) {
        const bool sign = (*at == '-' || *at == '+') && length && (text[length - 1] | 32) == 'e';
        if (!(*at >= '0' && *at <= '9') && *at != '.' && (*at | 32) != 'e' && !sign) break;
        text[length++] = *at++;
    }
    text[length] = 0;
    char *end;
    const double value = strtod(text, &end);
    if (*end || end == text || !isfinite(value)) return reader_fail(reader, E_TEXT, "not a float: '%s'", text);
    reader->at = at;
    operand->kind = PTX_FLOAT64;
    memcpy(&operand->bits, &value, sizeof value);
    return true;
}

static bool is_decimal_float(const PtxReader *reader) {
    const char *at = reader->at;
    while (at < reader->end && *at >= '0' && *at <= '9') at++;
    return at < reader->end && (*at == '.' || (*at | 32) == 'e');
}

typedef struct Value {
    uint64_t bits;
    bool is_unsigned;
} Value;

static bool read_integer(PtxReader *reader, Value *value) {
    static const struct {
        char letter;
        int base;
    } bases[] = {{'x', 16}, {'b', 2}};
    const size_t left = (size_t)(reader->end - reader->at);
    int base = 10;
    if (*reader->at == '0' && left > 1) {
        base = reader->at[1] >= '0' && reader->at[1] <= '9' ? 8 : 10;
        for (size_t i = 0; i < BASE_COUNT(bases); i++)
            if ((reader->at[1] | 32) == bases[i].letter) base = bases[i].base;
        if (base == 16 || base == 2) reader->at += 2;
    }
    if (!read_digits(reader, base, &value->bits)) return false;
    value->is_unsigned = value->bits >> 63;
    if (reader->at < reader->end && *reader->at == 'U') {
        reader->at++;
        value->is_unsigned = true;
    }
    return true;
}

// ---- expressions

static bool read_expression(PtxReader *reader, unsigned level, unsigned depth, Value *value);

static bool read_cast(PtxReader *reader, unsigned depth, Value *value) {
    Name type;
    if (!reader_dot_word(reader, &type) || !(name_is(type, "s64") || name_is(type, "u64")))
        return reader_fail(reader, E_TEXT, "expected .s64 or .u64");
    if (!reader_need(reader, ')') || !read_expression(reader, 10, depth + 1, value)) return false;
    value->is_unsigned = *type.at == 'u';
    return true;
}

static bool read_primary(PtxReader *reader, unsigned depth, Value *value) {
    Name name;
    if (depth > READER_DEPTH_MAX) return reader_fail(reader, E_LIMIT, "an expression that is nested too deep");
    if (reader_take(reader, '(')) {
        if (reader_peek(reader) == '.') return read_cast(reader, depth, value);
        return read_expression(reader, 0, depth + 1, value) && reader_need(reader, ')');
    }
    const char c = reader_peek(reader);
    if (c == '-' || c == '~' || c == '!' || c == '+') {
        reader->at++;
        if (!read_expression(reader, 10, depth + 1, value)) return false;
        if (c == '-') value->bits = 0 - value->bits;
        if (c == '~') value->bits = ~value->bits;
        if (c == '!') *value = (Value){!value->bits, false};
        return true;
    }
    if (c >= '0' && c <= '9') return read_integer(reader, value);
    if (!reader_need_name(reader, "a number", &name)) return false;
    if (!name_is(name, "WARP_SZ")) return reader_fail(reader, E_TEXT, "'%.*s' is no number", NAME_SHOWN(name));
    *value = (Value){32, false};
    return true;
}

typedef enum Operator {
    OR_ELSE, // a || b
    AND_ALSO,
    OR,
    XOR,
    AND,
    EQUAL,
    UNEQUAL,
    LESS_EQUAL,
    GREATER_EQUAL,
    LEFT,
    RIGHT,
    LESS,
    GREATER,
    PLUS,
    MINUS,
    TIMES,
    DIVIDE,
    REMAINDER,
} Operator;
static const struct {
    const char *text;
    unsigned level;
} operators[] = {
    [OR_ELSE] = {"||", 0}, [AND_ALSO] = {"&&", 1},   [OR] = {"|", 2},
    [XOR] = {"^", 3},      [AND] = {"&", 4},         [EQUAL] = {"==", 5},
    [UNEQUAL] = {"!=", 5}, [LESS_EQUAL] = {"<=", 6}, [GREATER_EQUAL] = {">=", 6},
    [LEFT] = {"<<", 7},    [RIGHT] = {">>", 7},      [LESS] = {"<", 6},
    [GREATER] = {">", 6},  [PLUS] = {"+", 8},        [MINUS] = {"-", 8},
    [TIMES] = {"*", 9},    [DIVIDE] = {"/", 9},      [REMAINDER] = {"%", 9},
};

static bool find_operator(PtxReader *reader, Operator *found) {
    reader_peek(reader);
    const size_t left = (size_t)(reader->end - reader->at);
    for (unsigned i = 0; i < BASE_COUNT(operators); i++) { // "||" stands before "|"
        const size_t length = strlen(operators[i].text);
        if (left < length || memcmp(reader->at, operators[i].text, length)) continue;
        *found = (Operator)i;
        return true;
    }
    return false;
}

static bool divide(PtxReader *reader, Operator operator, Value * a, Value b, bool is_unsigned) {
    if (!b.bits || (!is_unsigned && b.bits == UINT64_MAX && a->bits == UINT64_C(1) << 63))
        return reader_fail(reader, E_TEXT, "a division that has no result");
    if (is_unsigned)
        a->bits = operator== DIVIDE ? a->bits / b.bits : a->bits % b.bits;
    else
        a->bits =
            (uint64_t)(operator== DIVIDE ? (int64_t)a->bits / (int64_t)b.bits : (int64_t)a->bits % (int64_t)b.bits);
    a->is_unsigned = is_unsigned;
    return true;
}

static bool compare(Operator operator, Value a, Value b, bool is_unsigned) {
    const bool less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits, equal = a.bits == b.bits;
    switch (operator) {
    case EQUAL: return equal;
    case UNEQUAL: return !equal;
    case LESS: return less;
    case LESS_EQUAL: return less || equal;
    case GREATER: return !less && !equal;
    default: return !less;
    }
}

static Value shift(Operator operator, Value a, Value b) {
    const bool fill = operator== RIGHT && !a.is_unsigned && a.bits>> 63;
    if (b.bits > 63) return (Value){fill ? UINT64_MAX : 0, a.is_unsigned};
    uint64_t bits = operator== LEFT ? a.bits << b.bits : a.bits>> b.bits;
    if (fill && b.bits) bits |= UINT64_MAX << (64 - b.bits);
    return (Value){bits, a.is_unsigned};
}

static bool combine(PtxReader *reader, Operator operator, Value * a, Value b) {
    const bool is_unsigned = a->is_unsigned || b.is_unsigned;
    switch (operator) {
    case OR_ELSE: *a = (Value){a->bits || b.bits, false}; return true;
    case AND_ALSO: *a = (Value){a->bits && b.bits, false}; return true;
    case OR: *a = (Value){a->bits | b.bits, is_unsigned}; return true;
    case XOR: *a = (Value){a->bits ^ b.bits, is_unsigned}; return true;
    case AND: *a = (Value){a->bits & b.bits, is_unsigned}; return true;
    case PLUS: *a = (Value){a->bits + b.bits, is_unsigned}; return true;
    case MINUS: *a = (Value){a->bits - b.bits, is_unsigned}; return true;
    case TIMES: *a = (Value){a->bits * b.bits, is_unsigned}; return true;
    case LEFT:
    case RIGHT: *a = shift(operator, * a, b); return true;
    case DIVIDE:
    case REMAINDER: return divide(reader, operator, a, b, is_unsigned);
    default: *a = (Value){compare(operator, * a, b, is_unsigned), false}; return true;
    }
}

static bool read_expression(PtxReader *reader, unsigned level, unsigned depth, Value *value) {
    Operator operator;
    if (!read_primary(reader, depth, value)) return false;
    while (level < 10 && find_operator(reader, &operator) && operators[operator].level >= level) {
        Value right;
        reader->at += strlen(operators[operator].text);
        if (!read_expression(reader, operators[operator].level + 1, depth + 1, &right) ||
            !combine(reader, operator, value, right))
            return false;
    }
    if (level || reader_peek(reader) != '?') return true;
    Value yes, no;
    reader->at++;
    if (!read_expression(reader, 0, depth + 1, &yes) || !reader_need(reader, ':') ||
        !read_expression(reader, 0, depth + 1, &no))
        return false;
    *value = value->bits ? yes : no;
    return true;
}

// ---- numbers

static bool is_float_bits(const PtxReader *reader) {
    if (reader->end - reader->at < 2 || *reader->at != '0') return false;
    const char letter = reader->at[1] | 32;
    return letter == 'f' || letter == 'd';
}

// `level`: 0 takes a whole expression, 10 only what needs no operator between two numbers.
static bool read_number(PtxReader *reader, unsigned level, PtxOperand *operand) {
    bool minus = false;
    *operand = (PtxOperand){.kind = PTX_INTEGER};
    reader_peek(reader);
    const char *first = reader->at, *line_start = reader->line_start;
    const uint32_t line = reader->line;
    while (reader_take(reader, '-')) minus = !minus;
    const char c = reader_peek(reader);
    if (is_float_bits(reader) || c == '.' || (c >= '0' && c <= '9' && is_decimal_float(reader))) {
        if (!(is_float_bits(reader) ? read_float_bits(reader, operand) : read_decimal_float(reader, operand)))
            return false;
        if (minus) operand->bits ^= UINT64_C(1) << (operand->kind == PTX_FLOAT32 ? 31 : 63);
        return true;
    }
    Value value;
    reader->at = first;
    reader->line = line;
    reader->line_start = line_start;
    if (!read_expression(reader, level, 0, &value)) return false;
    operand->bits = value.bits;
    return true;
}

bool reader_number(PtxReader *reader, PtxOperand *operand) {
    return read_number(reader, 0, operand);
}

static bool read_whole(PtxReader *reader, unsigned level, int64_t *value) {
    PtxOperand operand;
    if (!read_number(reader, level, &operand)) return false;
    if (operand.kind != PTX_INTEGER) return reader_fail(reader, E_TEXT, "expected an integer");
    *value = (int64_t)operand.bits;
    return true;
}

bool reader_integer(PtxReader *reader, int64_t *value) {
    return read_whole(reader, 0, value);
}

bool reader_count(PtxReader *reader, uint32_t low, uint32_t high, const char *what, uint32_t *value) {
    int64_t number = 0;
    if (!read_whole(reader, 10, &number)) return false;
    if (number < low || number > high)
        return reader_fail(reader, E_VERIFY, "%s is %lld, not %u to %u", what, (long long)number, low, high);
    *value = (uint32_t)number;
    return true;
}

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool reader_literal_bits(const PtxOperand *literal, PtxType type, uint64_t *bits) {
    const PtxTypeInfo *info = ptx_type_info(type);
    *bits = literal->bits;
    if (literal->kind == PTX_INTEGER) return info->kind != PTX_FLOAT;
    if (info->kind == PTX_BITS) return info->bits == (literal->kind == PTX_FLOAT32 ? 32 : 64);
    if (literal->kind == PTX_FLOAT64 && type == PTX_f32) {
        double value;
        memcpy(&value, &literal->bits, sizeof value);
        *bits = float_bits((float)value);
    } else if (literal->kind == PTX_FLOAT32 && type == PTX_f64) {
        const uint32_t narrow = (uint32_t)literal->bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        const double wide = value;
        memcpy(bits, &wide, sizeof wide);
    }
    return type == PTX_f32 || type == PTX_f64;
}
