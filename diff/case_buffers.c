// SPDX-License-Identifier: Apache-2.0
// Buffers of a case file and their fills.
#include "diff/case_internal.h"

#include <math.h>
#include <string.h>

enum {
    FILL_VALUE_NONE,
    FILL_VALUE_SCALAR,
    FILL_VALUE_LIST,
    FILL_VALUE_UNIFORM,
    FILL_VALUE_NORMAL,
    FILL_VALUE_INTEGERS,
    FILL_VALUE_OPTIONAL, // the name alone is allowed from here on
    FILL_VALUE_ADVERSARIAL = FILL_VALUE_OPTIONAL,
    FILL_VALUE_CORRELATED,
    FILL_VALUE_LOG_UNIFORM,
    FILL_VALUE_OFFSET,
    FILL_VALUE_NEAR_OVERFLOW
};
enum { FILL_OF_ANY, FILL_OF_FLOATS, FILL_OF_SIGNED };
static const struct FillRow {
    const char *name;
    int value, types;
} fill_rows[FPD_FILL_COUNT] = {
#define FILL(name, value, types, meaning) {#name, FILL_VALUE_##value, FILL_OF_##types},
#include "diff/fills.def"
#undef FILL
};

// ---- buffers

const char *case_type_names(Arena *arena) {
    const char *list = element_info(0)->name;
    for (int i = 1; i < ELEMENT_TYPE_COUNT; i++) {
        const ElementInfo *info = element_info((ElementType)i);
        if (info->in_cases) list = arena_format(arena, "%s %s", list, info->name);
    }
    return list;
}

static bool read_shape(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    if (node->count > FPD_RANK_MAX)
        return case_wrong(r, node->at, "buffer %s has %u dimensions, the limit is %d", buffer->name, node->count,
                          FPD_RANK_MAX);
    bool empty = false;
    buffer->rank = node->count;
    buffer->elements = 1; // sizes of 0 count as 1 until the end
    for (uint32_t i = 0; i < node->count; i++) {
        if (!case_read_integer(r, &node->items[i], arena_format(r->arena, "size %u of buffer %s", i, buffer->name), 0,
                               INT64_C(1) << 40, &buffer->shape[i]))
            return false;
        const uint64_t size = (uint64_t)(buffer->shape[i] ? buffer->shape[i] : 1);
        if (buffer->elements > FPD_BYTES_MAX * 2 / size) // two f4 in a byte
            return case_wrong(r, node->at, "buffer %s is larger than the limit of %llu bytes for all buffers",
                              buffer->name, (unsigned long long)FPD_BYTES_MAX);
        buffer->elements *= size;
        empty |= !buffer->shape[i];
    }
    if (empty) buffer->elements = 0;
    buffer->bytes = fpd_type_bytes(buffer->type, buffer->elements);
    if (buffer->type == ELEMENT_F4E2M1FN && buffer->elements % 2)
        return case_wrong(r, node->at,
                          "buffer %s has %llu elements of f4e2m1fn, expected an even number: two share a byte",
                          buffer->name, (unsigned long long)buffer->elements);
    return true;
}

static bool read_element(CaseReader *r, const FpdNode *node, const char *what, ElementType type, uint64_t *bits) {
    return case_expect_kind(r, node, VALUE_SCALAR, what) && case_read_element(r, node, what, type, node->text, bits);
}

static bool read_uniform(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    uint64_t bits;
    FpdFill *fill = &buffer->fill;
    if (!case_read_keys(r, node, IN_UNIFORM, keys)) return false;
    if (!read_element(r, keys[KEY_UNIFORM_low], "low", buffer->type, &bits) ||
        !read_element(r, keys[KEY_UNIFORM_high], "high", buffer->type, &bits))
        return false;
    if (!case_read_real(r, keys[KEY_UNIFORM_low], "low", &fill->low) ||
        !case_read_real(r, keys[KEY_UNIFORM_high], "high", &fill->high))
        return false;
    if (!isfinite(fill->high - fill->low))
        return case_wrong(r, keys[KEY_UNIFORM_high]->at, "high - low is not a finite number");
    return fill->low <= fill->high || case_wrong(r, keys[KEY_UNIFORM_high]->at, "high is less than low");
}

static bool read_normal(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    if (!case_read_keys(r, node, IN_NORMAL, keys)) return false;
    if (!case_read_real(r, keys[KEY_NORMAL_mean], "mean", &fill->low) ||
        !case_read_real(r, keys[KEY_NORMAL_std], "std", &fill->high))
        return false;
    return fill->high >= 0 ||
           case_wrong(r, keys[KEY_NORMAL_std]->at, "std is '%s', expected 0 or more", keys[KEY_NORMAL_std]->text);
}

static bool read_integers(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    uint64_t bits;
    if (!case_read_keys(r, node, IN_INTEGERS, keys)) return false;
    const FpdNode *low = keys[KEY_INTEGERS_low], *high = keys[KEY_INTEGERS_high];
    if (!case_read_integer(r, low, "low", INT64_MIN, INT64_MAX, &fill->first) ||
        !case_read_integer(r, high, "high", INT64_MIN, INT64_MAX, &fill->last))
        return false;
    if (!read_element(r, low, "low", buffer->type, &bits) || !read_element(r, high, "high", buffer->type, &bits))
        return false;
    return fill->first <= fill->last || case_wrong(r, high->at, "high is less than low");
}

// Without a value: std 1, rows along the last dimension but one.
static bool read_rows(CaseReader *r, const FpdNode *std, const FpdNode *axis, FpdBuffer *buffer) {
    FpdFill *fill = &buffer->fill;
    fill->high = 1;
    fill->first = buffer->rank > 1 ? buffer->rank - 2 : 0;
    if (std && !case_read_real(r, std, "std", &fill->high)) return false;
    if (fill->high <= 0) return case_wrong(r, std->at, "std is '%s', expected more than 0", std->text);
    return !axis || case_read_integer(r, axis, "axis", 0, buffer->rank - 1, &fill->first);
}

static bool read_adversarial(CaseReader *r, const FpdNode *word, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    if (!buffer->rank)
        return case_wrong(r, word->at, "fill adversarial needs a dimension along which rows ascend, found shape []");
    if (node && !case_read_keys(r, node, IN_ADVERSARIAL, keys)) return false;
    return read_rows(r, keys[KEY_ADVERSARIAL_std], keys[KEY_ADVERSARIAL_axis], buffer);
}

static bool read_correlated(CaseReader *r, const FpdNode *word, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    if (!buffer->rank)
        return case_wrong(r, word->at, "fill correlated needs a dimension along which rows are, found shape []");
    if (node && !case_read_keys(r, node, IN_CORRELATED, keys)) return false;
    const FpdNode *correlation = keys[KEY_CORRELATED_correlation];
    fill->low = 0.99;
    if (correlation && !case_read_real(r, correlation, "correlation", &fill->low)) return false;
    if (fill->low < 0 || fill->low > 1)
        return case_wrong(r, correlation->at, "correlation is '%s', expected a number from 0 to 1", correlation->text);
    // What rows have for themselves is then less than an eighth of a unit in the last place of what they share.
    const int most = (int)fpsan_format_info(element_format(buffer->type))->mantissa_bits + 3;
    if (sqrt(1 - fill->low) < ldexp(1, -most))
        return case_wrong(r, correlation->at,
                          "correlation is '%s', which makes all rows of %s the same, and a wrong row the right one; "
                          "expected at most 1 - 2^-%d",
                          correlation->text, element_info(buffer->type)->name, 2 * most);
    return read_rows(r, keys[KEY_CORRELATED_std], keys[KEY_CORRELATED_axis], buffer);
}

static bool read_signs(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    const bool none = element_format(buffer->type) == FPSAN_F8E8M0FNU;
    buffer->fill.positive = none;
    if (!node) return true;
    buffer->fill.positive = strcmp(node->text, "true");
    if (buffer->fill.positive && strcmp(node->text, "false"))
        return case_wrong(r, node->at, "signs is '%s', expected true or false", node->text);
    return buffer->fill.positive || !none ||
           case_wrong(r, node->at, "signs is 'true', but f8e8m0fnu has no negative numbers");
}

static double largest_number(ElementType type) {
    const FpsanFormat format = element_format(type);
    return fpsan_decode(format, fpsan_encode_saturating(format, INFINITY, FPSAN_NEAREST_EVEN));
}

static double in_type(ElementType type, double value) {
    return fpsan_decode(element_format(type), fpsan_encode_nearest(element_format(type), value));
}

// A magnitude that the type has, rounded.
static bool read_magnitude(CaseReader *r, const FpdNode *node, const char *what, ElementType type, double *value) {
    uint64_t bits;
    if (!node) return true;
    if (!case_read_real(r, node, what, value) || !read_element(r, node, what, type, &bits)) return false;
    return (*value > 0 && fpsan_decode(element_format(type), bits) > 0) ||
           case_wrong(r, node->at, "%s is '%s', expected a positive number that %s does not round to 0", what,
                      node->text, element_info(type)->name);
}

// Without bounds products of two are finite, and no element is subnormal.
static bool read_log_uniform(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    fill->high = ldexp(1, ilogb(largest_number(buffer->type)) / 2);
    fill->low = 1 / fill->high;
    if (node && !case_read_keys(r, node, IN_LOG_UNIFORM, keys)) return false;
    const FpdNode *low = keys[KEY_LOG_UNIFORM_low], *high = keys[KEY_LOG_UNIFORM_high];
    if (!read_magnitude(r, low, "low", buffer->type, &fill->low) ||
        !read_magnitude(r, high, "high", buffer->type, &fill->high) ||
        !read_signs(r, keys[KEY_LOG_UNIFORM_signs], buffer))
        return false;
    if (fill->low > fill->high)
        return case_wrong(r, (high ? high : low)->at, "high is %g, less than low, %g", fill->high, fill->low);
    return in_type(buffer->type, fill->low) < in_type(buffer->type, fill->high) ||
           case_wrong(r, (high ? high : low)->at,
                      "low and high are the same number of %s, expected a range; one value is `constant`",
                      element_info(buffer->type)->name);
}

static bool read_near_overflow(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    const FpsanFormatInfo *info = fpsan_format_info(element_format(buffer->type));
    int64_t doublings = 2;
    fill->kind = FPD_FILL_log_uniform;
    fill->high = largest_number(buffer->type);
    if (node && !case_read_keys(r, node, IN_NEAR_OVERFLOW, keys)) return false;
    const FpdNode *given = keys[KEY_NEAR_OVERFLOW_doublings];
    const int octaves = ilogb(fill->high) - (1 - info->bias); // then no element is subnormal
    if (given && !case_read_integer(r, given, "doublings", 1, octaves, &doublings)) return false;
    fill->low = ldexp(fill->high, (int)-doublings);
    return read_signs(r, keys[KEY_NEAR_OVERFLOW_signs], buffer);
}

// The square of the default mean is the variance times 2^p: it takes all bits of a variance that is computed from sums
// of squares.
static bool read_offset(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    uint64_t bits;
    FpdFill *fill = &buffer->fill;
    const unsigned significand = fpsan_format_info(element_format(buffer->type))->mantissa_bits + 1;
    fill->kind = FPD_FILL_normal;
    fill->high = 1;
    if (node && !case_read_keys(r, node, IN_OFFSET, keys)) return false;
    const FpdNode *mean = keys[KEY_OFFSET_mean], *std = keys[KEY_OFFSET_std];
    if (std && !case_read_real(r, std, "std", &fill->high)) return false;
    if (fill->high <= 0) return case_wrong(r, std->at, "std is '%s', expected more than 0", std->text);
    if (mean) return case_read_real(r, mean, "mean", &fill->low) && read_element(r, mean, "mean", buffer->type, &bits);
    const double offset = ldexp(1, (int)(significand + 1) / 2);
    fill->low = fill->high * offset;
    return fill->low <= largest_number(buffer->type) ||
           case_wrong(r, std->at, "the mean, std times %g, is beyond the range of %s", offset,
                      element_info(buffer->type)->name);
}

// The type has to be able to hold the last number.
static bool check_iota(CaseReader *r, const FpdNode *node, const FpdBuffer *buffer) {
    uint64_t bits;
    if (!buffer->elements) return true;
    const char *expected, *last = arena_format(r->arena, "%llu", (unsigned long long)buffer->elements - 1);
    if (element_format(buffer->type) == FPSAN_F8E8M0FNU)
        return case_wrong(r, node->at, "iota starts at 0, which f8e8m0fnu does not have");
    return fpd_element_parse(buffer->type, last, &bits, &expected) ||
           case_wrong(r, node->at, "iota of %llu elements ends beyond the range of %s",
                      (unsigned long long)buffer->elements, element_info(buffer->type)->name);
}

// They may be of buffers that come later.
static bool note_addresses(CaseReader *r, const FpdNode *word, const FpdNode *value, const FpdBuffer *buffer) {
    if (!case_expect_kind(r, value, VALUE_LIST, "addresses")) return false;
    if (buffer->type != ELEMENT_I64)
        return case_wrong(r, word->at, "fill addresses is for i64, buffer %s has %s", buffer->name,
                          element_info(buffer->type)->name);
    r->addresses[buffer - r->cas->buffers] = value;
    return true;
}

static const char *fill_list(Arena *arena) {
    const char *list = fill_rows[0].name;
    for (int i = 1; i < FPD_FILL_COUNT; i++) list = arena_format(arena, "%s %s", list, fill_rows[i].name);
    return list;
}

static bool read_fill(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    FpdFill *fill = &buffer->fill;
    fill->given = true;
    fill->at = node->at;
    if (node->kind == FPD_LIST || (node->kind == FPD_MAPPING && node->count != 1))
        return case_wrong(r, node->at, "fill is %s, expected one fill: %s",
                          node->kind == FPD_LIST ? "a list" : "a mapping of several keys or none", fill_list(r->arena));
    const FpdNode *word = node->kind == FPD_SCALAR ? node : &node->keys[0];
    const FpdNode *value = node->kind == FPD_SCALAR ? NULL : &node->items[0];
    int kind = 0;
    while (kind < FPD_FILL_COUNT && strcmp(fill_rows[kind].name, word->text)) kind++;
    if (kind == FPD_FILL_COUNT)
        return case_wrong(r, word->at, "unknown fill '%s', expected one of: %s", word->text, fill_list(r->arena));
    fill->kind = (FpdFillKind)kind;
    bool alone = fill_rows[kind].value == FILL_VALUE_NONE, either = fill_rows[kind].value >= FILL_VALUE_OPTIONAL;
    if (alone && value)
        return case_wrong(r, word->at, "fill %s takes no value, expected `fill: %s`", word->text, word->text);
    if (!alone && !either && !value)
        return case_wrong(r, word->at, "fill %s needs a value, expected `fill: {%s: ...}`", word->text, word->text);
    if (fill_rows[kind].types != FILL_OF_ANY && !element_is_float(buffer->type))
        return case_wrong(r, word->at, "fill %s is for floats, expected integers, constant, bits or iota for %s",
                          word->text, element_info(buffer->type)->name);
    if (fill_rows[kind].types == FILL_OF_SIGNED && buffer->type == ELEMENT_F8E8M0FNU)
        return case_wrong(r, word->at, "fill %s has negative numbers, which f8e8m0fnu does not have", word->text);
    switch (fill->kind) {
    case FPD_FILL_constant: return read_element(r, value, "constant", buffer->type, &fill->constant);
    case FPD_FILL_uniform: return read_uniform(r, value, buffer);
    case FPD_FILL_adversarial: return read_adversarial(r, word, value, buffer);
    case FPD_FILL_normal: return read_normal(r, value, buffer);
    case FPD_FILL_correlated: return read_correlated(r, word, value, buffer);
    case FPD_FILL_log_uniform: return read_log_uniform(r, value, buffer);
    case FPD_FILL_offset: return read_offset(r, value, buffer);
    case FPD_FILL_near_overflow: return read_near_overflow(r, value, buffer);
    case FPD_FILL_integers: return read_integers(r, value, buffer);
    case FPD_FILL_file:
        return case_expect_kind(r, value, VALUE_SCALAR, "file") && case_read_path(r, value, "file", &fill->file);
    case FPD_FILL_iota: return check_iota(r, word, buffer);
    case FPD_FILL_addresses: return note_addresses(r, word, value, buffer);
    case FPD_FILL_zeros:
    case FPD_FILL_bits:
    case FPD_FILL_COUNT: break;
    }
    return true;
}

static bool read_literal(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    buffer->literal = !strcmp(node->text, "true");
    if (!buffer->literal && strcmp(node->text, "false"))
        return case_wrong(r, node->at, "literal is '%s', expected true or false", node->text);
    if (!buffer->literal) return true;
    if (!element_is_float(buffer->type) || element_info(buffer->type)->storage_bits < 8)
        return case_wrong(r, node->at, "literal is for floats of at least a byte, buffer %s has %s", buffer->name,
                          element_info(buffer->type)->name);
    return buffer->fill.given || case_wrong(r, node->at, "literal is for inputs: buffer %s has no fill", buffer->name);
}

static bool read_buffer(CaseReader *r, const FpdNode *key, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    if (!case_expect_name(r, key, "a buffer") || !case_read_keys(r, node, IN_BUFFER, keys)) return false;
    buffer->name = key->text;
    buffer->at = key->at;
    const FpdNode *type = keys[KEY_BUFFER_type];
    if (!element_by_name(type->text, &buffer->type))
        return case_wrong(r, type->at, "unknown type '%s', expected one of: %s", type->text, case_type_names(r->arena));
    if (!read_shape(r, keys[KEY_BUFFER_shape], buffer)) return false;
    if (keys[KEY_BUFFER_fill] && !read_fill(r, keys[KEY_BUFFER_fill], buffer)) return false;
    return !keys[KEY_BUFFER_literal] || read_literal(r, keys[KEY_BUFFER_literal], buffer);
}

bool case_read_buffers(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    uint64_t total = 0;
    if (!node->count) return case_wrong(r, node->at, "buffers is empty, expected at least one buffer");
    cas->buffers = arena_array(r->arena, FpdBuffer, node->count);
    r->addresses = arena_array(r->arena, const FpdNode *, node->count);
    for (; cas->buffer_count < node->count; cas->buffer_count++) {
        FpdBuffer *buffer = &cas->buffers[cas->buffer_count];
        if (!read_buffer(r, &node->keys[cas->buffer_count], &node->items[cas->buffer_count], buffer)) return false;
        if (buffer->bytes > FPD_BYTES_MAX - total)
            return case_wrong(r, buffer->at, "buffer %s brings all buffers to more than the limit of %llu bytes",
                              buffer->name, (unsigned long long)FPD_BYTES_MAX);
        total += buffer->bytes;
    }
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (!case_read_addresses(r, &cas->buffers[b])) return false;
    return true;
}

// ---- names

bool case_find_buffer(const FpdCase *cas, const char *name, size_t length, uint32_t *index) {
    for (*index = 0; *index < cas->buffer_count; ++*index)
        if (strlen(cas->buffers[*index].name) == length && !memcmp(cas->buffers[*index].name, name, length))
            return true;
    return false;
}

const char *case_buffer_names(CaseReader *r) {
    const char *list = r->cas->buffers[0].name;
    uint32_t shown = r->cas->buffer_count < 20 ? r->cas->buffer_count : 20;
    for (uint32_t i = 1; i < shown; i++) list = arena_format(r->arena, "%s %s", list, r->cas->buffers[i].name);
    return shown < r->cas->buffer_count ? arena_format(r->arena, "%s ...", list) : list;
}
