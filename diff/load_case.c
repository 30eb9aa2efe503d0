// SPDX-License-Identifier: Apache-2.0
// Case files: from a tree of YAML nodes to an FpdCase. Every rule about keys is a row of keys.def.
#include "diff/fpd.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum KeyMapping {
    IN_CASE,
    IN_BUFFER,
    IN_UNIFORM,
    IN_NORMAL,
    IN_INTEGERS,
    IN_LAUNCH,
    IN_TOLERANCE,
    IN_BOUNDS
} KeyMapping;
typedef enum KeyValue { VALUE_SCALAR, VALUE_LIST, VALUE_MAPPING, VALUE_ANY } KeyValue;
typedef enum KeyName {
#define KEY(mapping, name, ...) KEY_##mapping##_##name,
#include "diff/keys.def"
#undef KEY
    KEY_COUNT
} KeyName;
static const struct KeyRow {
    KeyMapping mapping;
    const char *name;
    bool needed;
    KeyValue value;
} key_rows[KEY_COUNT] = {
#define KEY(mapping, name, needed, value, meaning) {IN_##mapping, #name, needed, VALUE_##value},
#include "diff/keys.def"
#undef KEY
};
static const char *const mapping_names[] = {"a case",        "a buffer", "fill uniform", "fill normal",
                                            "fill integers", "a launch", "tolerance",    "tolerance ieee"};

static const struct ModeRow {
    const char *name;
    bool payload;
} mode_rows[FPD_MODE_COUNT] = {
#define MODE(name, numeric, payload, meaning) {#name, payload},
#include "diff/modes.def"
#undef MODE
};
enum { FILL_VALUE_NONE, FILL_VALUE_SCALAR, FILL_VALUE_UNIFORM, FILL_VALUE_NORMAL, FILL_VALUE_INTEGERS };
static const struct FillRow {
    const char *name;
    int value;
} fill_rows[FPD_FILL_COUNT] = {
#define FILL(name, value, meaning) {#name, FILL_VALUE_##value},
#include "diff/fills.def"
#undef FILL
};

const char *fpd_mode_name(FpdMode mode) {
    return mode_rows[mode].name;
}
bool fpd_mode_is_payload(FpdMode mode) {
    return mode_rows[mode].payload;
}
bool fpd_mode_by_name(const char *name, FpdMode *mode) {
    for (int i = 0; i < FPD_MODE_COUNT; i++)
        if (!strcmp(mode_rows[i].name, name)) {
            *mode = (FpdMode)i;
            return true;
        }
    return false;
}

typedef struct CaseReader {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdCase *cas;
} CaseReader;

typedef const FpdNode *KeyNodes[KEY_COUNT]; // the value of each key, NULL where absent

#define wrong(r, at, ...) diag_fail((r)->diagnostics, (at), E_CASE, __VA_ARGS__)

static const char *node_kind(const FpdNode *node) {
    if (node->kind == FPD_LIST) return "a list";
    if (node->kind == FPD_MAPPING) return "a mapping";
    return *node->text ? "a word" : "nothing";
}

static bool expect_kind(CaseReader *r, const FpdNode *node, KeyValue kind, const char *what) {
    static const char *const kinds[] = {"a word or number", "a list", "a mapping", "a value"};
    bool good = kind == VALUE_ANY || (kind == VALUE_LIST && node->kind == FPD_LIST) ||
                (kind == VALUE_MAPPING && node->kind == FPD_MAPPING) ||
                (kind == VALUE_SCALAR && node->kind == FPD_SCALAR && *node->text);
    return good || wrong(r, node->at, "%s is %s, expected %s", what, node_kind(node), kinds[kind]);
}

static const char *known_keys(CaseReader *r, KeyMapping mapping) {
    const char *list = NULL;
    for (int k = 0; k < KEY_COUNT; k++)
        if (key_rows[k].mapping == mapping)
            list = list ? arena_format(r->arena, "%s, %s", list, key_rows[k].name) : key_rows[k].name;
    return list;
}

// Sorts a mapping's values by key: unknown and missing keys and values of the wrong kind are errors.
static bool read_keys(CaseReader *r, const FpdNode *node, KeyMapping mapping, KeyNodes found) {
    const char *what = mapping_names[mapping];
    if (!expect_kind(r, node, VALUE_MAPPING, what)) return false;
    for (uint32_t i = 0; i < node->count; i++) {
        int k = 0;
        while (k < KEY_COUNT && (key_rows[k].mapping != mapping || strcmp(key_rows[k].name, node->keys[i].text))) k++;
        if (k == KEY_COUNT)
            return wrong(r, node->keys[i].at, "unknown key '%s' in %s, expected one of: %s", node->keys[i].text, what,
                         known_keys(r, mapping));
        if (!expect_kind(r, &node->items[i], key_rows[k].value, key_rows[k].name)) return false;
        found[k] = &node->items[i];
    }
    for (int k = 0; k < KEY_COUNT; k++)
        if (key_rows[k].mapping == mapping && key_rows[k].needed && !found[k])
            return wrong(r, node->at, "key '%s' is missing in %s", key_rows[k].name, what);
    return true;
}

static bool is_name(const char *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length && !text[length] && length <= 128 && !strchr("0123456789-", text[0]);
}

static bool expect_name(CaseReader *r, const FpdNode *key, const char *what) {
    return is_name(key->text) ||
           wrong(r, key->at, "'%s' cannot be the name of %s, expected letters, digits, _ and -, first a letter or _",
                 key->text, what);
}

// ---- numbers

static bool read_real(CaseReader *r, const FpdNode *node, const char *what, double *value) {
    char *end;
    if (!expect_kind(r, node, VALUE_SCALAR, what)) return false;
    *value = strtod(node->text, &end);
    bool good = !*end && !strpbrk(node->text, " \t\n\v\f\r") && isfinite(*value);
    return good || wrong(r, node->at, "%s is '%s', expected a finite number", what, node->text);
}

static bool read_integer(CaseReader *r, const FpdNode *node, const char *what, int64_t low, int64_t high,
                         int64_t *value) {
    char *end;
    if (!expect_kind(r, node, VALUE_SCALAR, what)) return false;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    bool good = !*end && !errno && !strpbrk(node->text, " \t\n\v\f\r") && *value >= low && *value <= high;
    return good || wrong(r, node->at, "%s is '%s', expected an integer from %lld to %lld", what, node->text,
                         (long long)low, (long long)high);
}

static bool read_seed(CaseReader *r, const FpdNode *node) {
    char *end;
    errno = 0;
    r->cas->seed = strtoull(node->text, &end, 10);
    bool good = !*end && !errno && node->text[0] >= '0' && node->text[0] <= '9';
    return good || wrong(r, node->at, "seed is '%s', expected an integer from 0 to 2^64 - 1", node->text);
}

// ---- files

static bool read_path(CaseReader *r, const FpdNode *node, const char *what, const char **path) {
    struct stat status;
    *path = file_beside(r->arena, r->cas->path, node->text);
    if (stat(*path, &status))
        return diag_fail(r->diagnostics, node->at, E_FILE, "%s %s: %s", what, *path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return diag_fail(r->diagnostics, node->at, E_FILE, "%s %s is a folder, expected a file", what, *path);
    return true;
}

// ---- buffers

static const char *type_names(Arena *arena) {
    const char *list = fpd_type_info(0)->name;
    for (int i = 1; i < FPD_TYPE_COUNT; i++) list = arena_format(arena, "%s %s", list, fpd_type_info((FpdType)i)->name);
    return list;
}

static bool read_shape(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    if (node->count > FPD_RANK_MAX)
        return wrong(r, node->at, "buffer %s has %u dimensions, the limit is %d", buffer->name, node->count,
                     FPD_RANK_MAX);
    buffer->rank = node->count;
    buffer->elements = 1;
    for (uint32_t i = 0; i < node->count; i++) {
        if (!read_integer(r, &node->items[i], arena_format(r->arena, "size %u of buffer %s", i, buffer->name), 1,
                          INT64_C(1) << 40, &buffer->shape[i]))
            return false;
        if (buffer->elements > FPD_BYTES_MAX * 2 / (uint64_t)buffer->shape[i]) // two f4 in a byte
            return wrong(r, node->at, "buffer %s is larger than the limit of %llu bytes for all buffers", buffer->name,
                         (unsigned long long)FPD_BYTES_MAX);
        buffer->elements *= (uint64_t)buffer->shape[i];
    }
    buffer->bytes = fpd_type_bytes(buffer->type, buffer->elements);
    if (buffer->type == FPD_TYPE_f4e2m1fn && buffer->elements % 2)
        return wrong(r, node->at, "buffer %s has %llu elements of f4e2m1fn, expected an even number: two share a byte",
                     buffer->name, (unsigned long long)buffer->elements);
    return true;
}

static bool read_element(CaseReader *r, const FpdNode *node, const char *what, FpdType type, uint64_t *bits) {
    const char *expected;
    if (!expect_kind(r, node, VALUE_SCALAR, what)) return false;
    return fpd_element_parse(type, node->text, bits, &expected) ||
           wrong(r, node->at, "%s is '%s', expected %s (%s)", what, node->text, expected, fpd_type_info(type)->name);
}

static bool read_uniform(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    uint64_t bits;
    FpdFill *fill = &buffer->fill;
    if (!read_keys(r, node, IN_UNIFORM, keys)) return false;
    if (!read_element(r, keys[KEY_UNIFORM_low], "low", buffer->type, &bits) ||
        !read_element(r, keys[KEY_UNIFORM_high], "high", buffer->type, &bits))
        return false;
    if (!read_real(r, keys[KEY_UNIFORM_low], "low", &fill->low) ||
        !read_real(r, keys[KEY_UNIFORM_high], "high", &fill->high))
        return false;
    if (!isfinite(fill->high - fill->low))
        return wrong(r, keys[KEY_UNIFORM_high]->at, "high - low is not a finite number");
    return fill->low <= fill->high || wrong(r, keys[KEY_UNIFORM_high]->at, "high is less than low");
}

static bool read_normal(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    if (!read_keys(r, node, IN_NORMAL, keys)) return false;
    if (!read_real(r, keys[KEY_NORMAL_mean], "mean", &fill->low) ||
        !read_real(r, keys[KEY_NORMAL_std], "std", &fill->high))
        return false;
    return fill->high >= 0 ||
           wrong(r, keys[KEY_NORMAL_std]->at, "std is '%s', expected 0 or more", keys[KEY_NORMAL_std]->text);
}

static bool read_integers(CaseReader *r, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    FpdFill *fill = &buffer->fill;
    uint64_t bits;
    if (!read_keys(r, node, IN_INTEGERS, keys)) return false;
    const FpdNode *low = keys[KEY_INTEGERS_low], *high = keys[KEY_INTEGERS_high];
    if (!read_integer(r, low, "low", INT64_MIN, INT64_MAX, &fill->first) ||
        !read_integer(r, high, "high", INT64_MIN, INT64_MAX, &fill->last))
        return false;
    if (!read_element(r, low, "low", buffer->type, &bits) || !read_element(r, high, "high", buffer->type, &bits))
        return false;
    return fill->first <= fill->last || wrong(r, high->at, "high is less than low");
}

// The type has to be able to hold the last number.
static bool check_iota(CaseReader *r, const FpdNode *node, const FpdBuffer *buffer) {
    uint64_t bits;
    const char *expected, *last = arena_format(r->arena, "%llu", (unsigned long long)buffer->elements - 1);
    if (fpd_type_info(buffer->type)->format == FPSAN_F8E8M0FNU)
        return wrong(r, node->at, "iota starts at 0, which f8e8m0fnu does not have");
    return fpd_element_parse(buffer->type, last, &bits, &expected) ||
           wrong(r, node->at, "iota of %llu elements ends beyond the range of %s", (unsigned long long)buffer->elements,
                 fpd_type_info(buffer->type)->name);
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
        return wrong(r, node->at, "fill is %s, expected one fill: %s",
                     node->kind == FPD_LIST ? "a list" : "a mapping of several keys or none", fill_list(r->arena));
    const FpdNode *word = node->kind == FPD_SCALAR ? node : &node->keys[0];
    const FpdNode *value = node->kind == FPD_SCALAR ? NULL : &node->items[0];
    int kind = 0;
    while (kind < FPD_FILL_COUNT && strcmp(fill_rows[kind].name, word->text)) kind++;
    if (kind == FPD_FILL_COUNT)
        return wrong(r, word->at, "unknown fill '%s', expected one of: %s", word->text, fill_list(r->arena));
    fill->kind = (FpdFillKind)kind;
    bool alone = fill_rows[kind].value == FILL_VALUE_NONE;
    if (alone && value)
        return wrong(r, word->at, "fill %s takes no value, expected `fill: %s`", word->text, word->text);
    if (!alone && !value)
        return wrong(r, word->at, "fill %s needs a value, expected `fill: {%s: ...}`", word->text, word->text);
    if ((kind == FPD_FILL_uniform || kind == FPD_FILL_normal) && !fpd_type_is_float(buffer->type))
        return wrong(r, word->at, "fill %s is for floats, expected integers, constant, bits or iota for %s", word->text,
                     fpd_type_info(buffer->type)->name);
    switch (fill->kind) {
    case FPD_FILL_constant: return read_element(r, value, "constant", buffer->type, &fill->constant);
    case FPD_FILL_uniform: return read_uniform(r, value, buffer);
    case FPD_FILL_normal:
        if (buffer->type == FPD_TYPE_f8e8m0fnu)
            return wrong(r, word->at, "fill normal has negative numbers, which f8e8m0fnu does not have");
        return read_normal(r, value, buffer);
    case FPD_FILL_integers: return read_integers(r, value, buffer);
    case FPD_FILL_file: return expect_kind(r, value, VALUE_SCALAR, "file") && read_path(r, value, "file", &fill->file);
    case FPD_FILL_iota: return check_iota(r, word, buffer);
    default: return true;
    }
}

static bool read_buffer(CaseReader *r, const FpdNode *key, const FpdNode *node, FpdBuffer *buffer) {
    KeyNodes keys = {0};
    if (!expect_name(r, key, "a buffer") || !read_keys(r, node, IN_BUFFER, keys)) return false;
    buffer->name = key->text;
    buffer->at = key->at;
    const FpdNode *type = keys[KEY_BUFFER_type];
    if (!fpd_type_by_name(type->text, &buffer->type))
        return wrong(r, type->at, "unknown type '%s', expected one of: %s", type->text, type_names(r->arena));
    if (!read_shape(r, keys[KEY_BUFFER_shape], buffer)) return false;
    return !keys[KEY_BUFFER_fill] || read_fill(r, keys[KEY_BUFFER_fill], buffer);
}

static bool read_buffers(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    uint64_t total = 0;
    if (!node->count) return wrong(r, node->at, "buffers is empty, expected at least one buffer");
    cas->buffers = arena_array(r->arena, FpdBuffer, node->count);
    for (; cas->buffer_count < node->count; cas->buffer_count++) {
        FpdBuffer *buffer = &cas->buffers[cas->buffer_count];
        if (!read_buffer(r, &node->keys[cas->buffer_count], &node->items[cas->buffer_count], buffer)) return false;
        if (buffer->bytes > FPD_BYTES_MAX - total)
            return wrong(r, buffer->at, "buffer %s brings all buffers to more than the limit of %llu bytes",
                         buffer->name, (unsigned long long)FPD_BYTES_MAX);
        total += buffer->bytes;
    }
    return true;
}

static bool find_buffer(const FpdCase *cas, const char *name, size_t length, uint32_t *index) {
    for (*index = 0; *index < cas->buffer_count; ++*index)
        if (strlen(cas->buffers[*index].name) == length && !memcmp(cas->buffers[*index].name, name, length))
            return true;
    return false;
}

static const char *buffer_names(CaseReader *r) {
    const char *list = r->cas->buffers[0].name;
    uint32_t shown = r->cas->buffer_count < 20 ? r->cas->buffer_count : 20;
    for (uint32_t i = 1; i < shown; i++) list = arena_format(r->arena, "%s %s", list, r->cas->buffers[i].name);
    return shown < r->cas->buffer_count ? arena_format(r->arena, "%s ...", list) : list;
}

// ---- launches

// "NAME.ptr", "NAME.shape.0", "NAME.stride.0" after the name.
static bool read_part(CaseReader *r, const FpdNode *node, const char *part, FpdArgument *argument) {
    const FpdBuffer *buffer = &r->cas->buffers[argument->buffer];
    bool shape = !strncmp(part, "shape.", 6), stride = !strncmp(part, "stride.", 7);
    if (!strcmp(part, "ptr")) {
        argument->kind = FPD_ARGUMENT_POINTER;
        return true;
    }
    const char *digit = part + (shape ? 6 : 7);
    if ((!shape && !stride) || digit[0] < '0' || digit[0] > '9' || digit[1])
        return wrong(r, node->at, "argument '%s': '%s' is no part of a buffer, expected ptr, shape.N or stride.N",
                     node->text, part);
    argument->kind = shape ? FPD_ARGUMENT_SHAPE : FPD_ARGUMENT_STRIDE;
    argument->dimension = (uint32_t)(*digit - '0');
    return argument->dimension < buffer->rank ||
           wrong(r, node->at, "argument '%s': buffer %s has %u dimensions, counted from 0", node->text, buffer->name,
                 buffer->rank);
}

static bool read_argument(CaseReader *r, const FpdNode *node, FpdArgument *argument) {
    if (!expect_kind(r, node, VALUE_SCALAR, "an argument")) return false;
    const char *text = node->text, *space = strchr(text, ' '), *dot = strchr(text, '.'), *expected;
    argument->text = text;
    argument->at = node->at;
    if (space) {
        const char *word = arena_text(r->arena, text, (size_t)(space - text)), *value = space + strspn(space, " ");
        argument->kind = FPD_ARGUMENT_VALUE;
        if (!fpd_type_by_name(word, &argument->type))
            return wrong(r, node->at, "argument '%s': unknown type '%s', expected one of: %s", text, word,
                         type_names(r->arena));
        return fpd_element_parse(argument->type, value, &argument->bits, &expected) ||
               wrong(r, node->at, "argument '%s': '%s' is not %s", text, value, expected);
    }
    argument->kind = FPD_ARGUMENT_BUFFER;
    if (!find_buffer(r->cas, text, dot ? (size_t)(dot - text) : strlen(text), &argument->buffer))
        return wrong(r, node->at, "argument '%s' is no buffer (%s) and no scalar, which is written TYPE VALUE", text,
                     buffer_names(r));
    return !dot || read_part(r, node, dot + 1, argument);
}

static bool read_launch(CaseReader *r, const FpdNode *node, FpdLaunch *launch) {
    KeyNodes keys = {0};
    if (!read_keys(r, node, IN_LAUNCH, keys)) return false;
    const FpdNode *grid = keys[KEY_LAUNCH_grid], *arguments = keys[KEY_LAUNCH_args], *module = keys[KEY_LAUNCH_module];
    launch->at = node->at;
    launch->module = module->text;
    launch->module_at = module->at;
    launch->arguments_at = arguments->at;
    if (!read_path(r, module, "module", &launch->path)) return false;
    if (keys[KEY_LAUNCH_kernel]) {
        launch->kernel = keys[KEY_LAUNCH_kernel]->text;
        launch->kernel_at = keys[KEY_LAUNCH_kernel]->at;
    }
    if (!grid->count || grid->count > 3)
        return wrong(r, grid->at, "grid has %u numbers, expected one to three", grid->count);
    for (uint32_t i = 0; i < 3; i++) {
        int64_t blocks = 1;
        if (i < grid->count &&
            !read_integer(r, &grid->items[i], "a number of blocks of grid", 1, (1 << 24) - 1, &blocks))
            return false;
        launch->grid[i] = (uint32_t)blocks;
    }
    launch->arguments = arena_array(r->arena, FpdArgument, arguments->count + 1);
    for (; launch->argument_count < arguments->count; launch->argument_count++)
        if (!read_argument(r, &arguments->items[launch->argument_count], &launch->arguments[launch->argument_count]))
            return false;
    return true;
}

static bool read_variants(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    if (!node->count) return wrong(r, node->at, "variants is empty, expected at least one variant");
    cas->variants = arena_array(r->arena, FpdVariant, node->count);
    for (; cas->variant_count < node->count; cas->variant_count++) {
        const FpdNode *key = &node->keys[cas->variant_count], *list = &node->items[cas->variant_count];
        FpdVariant *variant = &cas->variants[cas->variant_count];
        variant->name = key->text;
        variant->at = key->at;
        if (!expect_name(r, key, "a variant")) return false;
        if (!expect_kind(r, list, VALUE_LIST, arena_format(r->arena, "variant %s", key->text))) return false;
        if (!list->count) return wrong(r, list->at, "variant %s has no launches, expected at least one", key->text);
        variant->launches = arena_array(r->arena, FpdLaunch, list->count);
        for (; variant->launch_count < list->count; variant->launch_count++)
            if (!read_launch(r, &list->items[variant->launch_count], &variant->launches[variant->launch_count]))
                return false;
    }
    return true;
}

// ---- the rest

static bool read_compare(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    if (!node->count) return wrong(r, node->at, "compare is empty, expected the name of at least one buffer");
    cas->compare = arena_array(r->arena, uint32_t, node->count);
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *name = &node->items[i];
        if (!expect_kind(r, name, VALUE_SCALAR, "a name in compare")) return false;
        if (!find_buffer(cas, name->text, strlen(name->text), &cas->compare[i]))
            return wrong(r, name->at, "compare names '%s', which is no buffer, expected one of: %s", name->text,
                         buffer_names(r));
        for (uint32_t j = 0; j < i; j++)
            if (cas->compare[j] == cas->compare[i])
                return wrong(r, name->at, "compare names '%s' a second time", name->text);
        cas->compare_count++;
    }
    return true;
}

static bool read_modes(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    for (int m = 0; !node && m < FPD_MODE_COUNT; m++) cas->modes[cas->mode_count++] = (FpdMode)m;
    if (!node) return true;
    if (!node->count) return wrong(r, node->at, "modes is empty, expected fpsan, ieee or both");
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *name = &node->items[i];
        FpdMode mode;
        if (!expect_kind(r, name, VALUE_SCALAR, "a mode")) return false;
        if (!fpd_mode_by_name(name->text, &mode))
            return wrong(r, name->at, "unknown mode '%s', expected fpsan or ieee", name->text);
        for (uint32_t j = 0; j < cas->mode_count; j++)
            if (cas->modes[j] == mode) return wrong(r, name->at, "mode '%s' is here a second time", name->text);
        cas->modes[cas->mode_count++] = mode;
    }
    return true;
}

static bool read_algebra(CaseReader *r, const FpdNode *profile, const FpdNode *casts) {
    FpsanAlgebra *algebra = &r->cas->algebra;
    *algebra = fpsan_default_algebra();
    if (profile && !(algebra->profile = fpsan_profile_by_name(profile->text))) {
        const char *list = fpsan_profile_at(0)->name;
        for (size_t i = 1; fpsan_profile_at(i); i++)
            list = arena_format(r->arena, "%s, %s", list, fpsan_profile_at(i)->name);
        return wrong(r, profile->at, "unknown profile '%s', expected one of: %s", profile->text, list);
    }
    if (!casts) return true;
    algebra->casts = strcmp(casts->text, "homomorphic") ? FPSAN_CASTS_MIX : FPSAN_CASTS_HOMOMORPHIC;
    return !strcmp(casts->text, "homomorphic") || !strcmp(casts->text, "mix") ||
           wrong(r, casts->at, "casts is '%s', expected mix or homomorphic", casts->text);
}

static bool read_bound(CaseReader *r, const FpdNode *node, const char *what, double *value) {
    if (!node) return true;
    return read_real(r, node, what, value) &&
           (*value >= 0 || wrong(r, node->at, "%s is '%s', expected 0 or more", what, node->text));
}

static bool read_tolerance(CaseReader *r, const FpdNode *node) {
    KeyNodes keys = {0};
    FpdCase *cas = r->cas;
    bool used = false;
    if (!node) return true;
    for (uint32_t m = 0; m < cas->mode_count; m++) used |= cas->modes[m] == FPD_MODE_ieee;
    if (!read_keys(r, node, IN_TOLERANCE, keys) || !read_keys(r, keys[KEY_TOLERANCE_ieee], IN_BOUNDS, keys))
        return false;
    cas->has_tolerance = true;
    if (!used) return wrong(r, node->at, "a tolerance is given, but modes does not list ieee");
    return read_bound(r, keys[KEY_BOUNDS_rtol], "rtol", &cas->rtol) &&
           read_bound(r, keys[KEY_BOUNDS_atol], "atol", &cas->atol);
}

static bool read_expect(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    bool payload = false;
    if (!node) return true;
    cas->expect_diverge = !strcmp(node->text, "diverge");
    if (!cas->expect_diverge && strcmp(node->text, "equal"))
        return wrong(r, node->at, "expect is '%s', expected equal or diverge", node->text);
    for (uint32_t m = 0; m < cas->mode_count; m++) payload |= fpd_mode_is_payload(cas->modes[m]);
    return payload || !cas->expect_diverge ||
           wrong(r, node->at, "expect: diverge is about payload modes, and modes lists none");
}

// The title goes to terminals as it is: no line ends and no escape sequences.
static bool read_title(CaseReader *r, const FpdNode *node) {
    for (const char *c = node ? node->text : ""; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return wrong(r, node->at, "title has control characters, expected one line");
    r->cas->title = node ? node->text : NULL;
    return true;
}

static bool read_allow(CaseReader *r, const FpdNode *node) {
    for (uint32_t i = 0; node && i < node->count; i++) {
        if (!expect_kind(r, &node->items[i], VALUE_SCALAR, "an entry of allow")) return false;
        if (strcmp(node->items[i].text, "vacuous"))
            return wrong(r, node->items[i].at, "allow names '%s', expected vacuous", node->items[i].text);
        r->cas->allow_vacuous = true;
    }
    return true;
}

FpdCase *fpd_load_case(Diagnostics *diagnostics, Arena *arena, const char *path) {
    CaseReader r = {diagnostics, arena, arena_new(arena, FpdCase)};
    KeyNodes keys = {0};
    FpdNode *root = fpd_read_nodes(diagnostics, arena, path);
    r.cas->path = arena_text(arena, path, strlen(path));
    r.cas->seed = 1;
    bool good = root && read_keys(&r, root, IN_CASE, keys) && read_buffers(&r, keys[KEY_CASE_buffers]) &&
                read_variants(&r, keys[KEY_CASE_variants]) && read_compare(&r, keys[KEY_CASE_compare]) &&
                read_modes(&r, keys[KEY_CASE_modes]) &&
                read_algebra(&r, keys[KEY_CASE_profile], keys[KEY_CASE_casts]) &&
                (!keys[KEY_CASE_seed] || read_seed(&r, keys[KEY_CASE_seed])) &&
                read_tolerance(&r, keys[KEY_CASE_tolerance]) && read_expect(&r, keys[KEY_CASE_expect]) &&
                read_allow(&r, keys[KEY_CASE_allow]) && read_title(&r, keys[KEY_CASE_title]);
    return good ? r.cas : NULL;
}
