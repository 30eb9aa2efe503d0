// SPDX-License-Identifier: Apache-2.0
// Reading and printing what is said about the computing of floats, and what of several layers holds.
#include "compiler/math/math_settings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const MathModeInfo math_modes[MATH_MODE_COUNT] = {
#define MODE(name, keeps, adds, contracts, approximates, flushes)                                                      \
    [MATH_##name] = {#name, keeps, adds, contracts, approximates, flushes},
#include "compiler/math/modes.def"
#undef MODE
};

const char *const math_key_names[MATH_KEY_COUNT] = {
#define KEY(name, option) [MATH_KEY_##name] = "__CUDA_" #name,
#include "compiler/math/keys.def"
#undef KEY
};

static const struct FlagRow {
    const char *name;
    uint8_t bit;
} flag_rows[] = {
#define FLAG(name, bit) {#name, bit},
#include "compiler/math/flags.def"
#undef FLAG
};
#define FLAG(name, bit) | (bit)
_Static_assert((0
#include "compiler/math/flags.def"
                ) == MATH_FLAGS_ALL,
               "a bit for each flag");
#undef FLAG

// ---- words ----------------------------------------------------------------------------------------------------------

// A part of a text, which is not terminated.
typedef struct Word {
    const char *at;
    size_t length;
} Word;

static Word word_of(const char *text) {
    return (Word){text, strlen(text)};
}

static bool word_is(Word word, const char *text) {
    return strlen(text) == word.length && !memcmp(word.at, text, word.length);
}

static Word trim(Word word) {
    while (word.length && isspace((unsigned char)*word.at)) word.at++, word.length--;
    while (word.length && isspace((unsigned char)word.at[word.length - 1])) word.length--;
    return word;
}

// The part before the first of `stops`, which is taken from `rest` with the stop. False: nothing is left.
static bool next_word(Word *rest, const char *stops, Word *word) {
    if (!rest->at) return false;
    size_t length = 0;
    while (length < rest->length && !strchr(stops, rest->at[length])) length++;
    *word = trim((Word){rest->at, length});
    *rest = length < rest->length ? (Word){rest->at + length + 1, rest->length - length - 1} : (Word){0};
    return true;
}

// Splits at the first `stop`; `right` is without text if there is none.
static void split(Word word, char stop, Word *left, Word *right) {
    const char *found = word.length ? memchr(word.at, stop, word.length) : NULL;
    *left = *right = (Word){word.at, word.length};
    *right = (Word){0};
    if (!found) return;
    *left = trim((Word){word.at, (size_t)(found - word.at)});
    *right = trim((Word){found + 1, word.length - (size_t)(found + 1 - word.at)});
}

#define WORD(word) (int)(word).length, (word).at

static bool fail(const MathReader *reader, const char *format, ...) BASE_PRINTF(2, 3);
static bool fail(const MathReader *reader, const char *format, ...) {
    Arena arena = {0};
    va_list args;
    va_start(args, format);
    diag_fail(reader->diagnostics, reader->at, reader->code, "%s: %s", reader->from,
              arena_vformat(&arena, format, args));
    va_end(args);
    arena_reset(&arena);
    return false;
}

// Both were said in one layer.
static bool contradicts(const MathReader *reader, const char *one, const char *other) {
    return fail(reader, "%s and %s contradict each other", one, other);
}

// ---- flags ----------------------------------------------------------------------------------------------------------

uint8_t math_flag(const char *name, size_t length) {
    for (size_t i = 0; i < BASE_COUNT(flag_rows); i++)
        if (word_is((Word){name, length}, flag_rows[i].name)) return flag_rows[i].bit;
    return 0;
}

static const char *flag_name(uint8_t bit) {
    for (size_t i = 0; i < BASE_COUNT(flag_rows); i++)
        if (flag_rows[i].bit == bit) return flag_rows[i].name;
    return "?";
}

void math_print_flags(uint8_t flags, Buffer *out) {
    const char *between = "";
    if (flags == MATH_FLAGS_ALL) {
        buffer_print(out, "fast");
        return;
    }
    for (size_t i = 0; i < BASE_COUNT(flag_rows); i++) {
        if (!(flags & flag_rows[i].bit)) continue;
        buffer_print(out, "%s%s", between, flag_rows[i].name);
        between = ", ";
    }
}

static bool unknown_flag(const MathReader *reader, Word word) {
    return fail(reader, "'%.*s' is no flag; flags are reassoc, nnan, ninf, nsz, arcp, contract and afn", WORD(word));
}

// One flag, added or removed.
static bool set_flag(const MathReader *reader, MathLayer *layer, uint8_t bit, bool add) {
    char one[32], other[32];
    uint8_t *wanted = add ? &layer->added : &layer->removed, opposite = add ? layer->removed : layer->added;
    snprintf(one, sizeof one, "%s", flag_name(bit));
    snprintf(other, sizeof other, "-%s", flag_name(bit));
    if (opposite & bit) return contradicts(reader, one, other);
    *wanted |= bit;
    return true;
}

static bool set_flags(const MathReader *reader, MathLayer *layer, Word list) {
    for (Word word; next_word(&list, ",", &word);) {
        const bool less = word.length && *word.at == '-';
        const Word name = less ? (Word){word.at + 1, word.length - 1} : word;
        const uint8_t bit = math_flag(name.at, name.length);
        if (!less && (word_is(name, "fast") || word_is(name, "none"))) {
            const bool all = word_is(name, "fast");
            if (all ? layer->none : layer->all) return contradicts(reader, "fast", "none");
            *(all ? &layer->all : &layer->none) = true;
        } else if (!bit) {
            return unknown_flag(reader, name);
        } else if (!set_flag(reader, layer, bit, !less)) {
            return false;
        }
    }
    return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool set_mode(const MathReader *reader, MathLayer *layer, Word value) {
    Buffer names = {0};
    for (unsigned mode = 0; mode < MATH_MODE_COUNT; mode++) {
        buffer_print(&names, "%s%s", !mode ? "" : mode + 1 < MATH_MODE_COUNT ? ", " : " or ", math_modes[mode].name);
        if (!word_is(value, math_modes[mode].name)) continue;
        buffer_free(&names);
        if (layer->mode && layer->mode != mode + 1)
            return contradicts(reader, math_modes[layer->mode - 1].name, math_modes[mode].name);
        layer->mode = (uint8_t)(mode + 1);
        return true;
    }
    fail(reader, "'%.*s' is no mode; expected %s", WORD(value), names.data);
    buffer_free(&names);
    return false;
}

static const struct DenormalsRow {
    const char *word;
    MathDenormals denormals;
} denormals_rows[] = {
    {"ieee", MATH_DENORMALS_IEEE},
    {"preserve-sign", MATH_DENORMALS_PRESERVE_SIGN},
    {"positive-zero", MATH_DENORMALS_POSITIVE_ZERO},
};

static const char *denormals_word(MathDenormals denormals) {
    return denormals_rows[denormals - 1].word;
}

static bool set_denormals(const MathReader *reader, MathLayer *layer, MathDenormals denormals) {
    if (layer->denormals && layer->denormals != denormals)
        return contradicts(reader, denormals_word(layer->denormals), denormals_word(denormals));
    layer->denormals = denormals;
    return true;
}

static bool set_denormals_word(const MathReader *reader, MathLayer *layer, Word value) {
    for (size_t i = 0; i < BASE_COUNT(denormals_rows); i++)
        if (word_is(value, denormals_rows[i].word)) return set_denormals(reader, layer, denormals_rows[i].denormals);
    return fail(reader, "'%.*s' is no treatment of subnormals; expected ieee, preserve-sign or positive-zero",
                WORD(value));
}

// true, 1, false, 0; without text true.
static bool read_bool(const MathReader *reader, Word value, bool *on) {
    *on = !value.at || word_is(value, "true") || word_is(value, "1");
    return *on || word_is(value, "false") || word_is(value, "0") ||
           fail(reader, "'%.*s': expected true or false", WORD(value));
}

static bool set_switch(const MathReader *reader, const char *name, Word value, MathSwitch *field) {
    bool on;
    if (!read_bool(reader, value, &on)) return false;
    if (*field && *field != (on ? MATH_ON : MATH_OFF))
        return fail(reader, "%s=true and %s=false contradict each other", name, name);
    *field = on ? MATH_ON : MATH_OFF;
    return true;
}

bool math_read_bound(const MathReader *reader, const char *text, size_t length, MathBound *bound) {
    char copy[64], *end = copy;
    // Decimal digits and a point: no inf, nan, 0x or sign, which strtod would take.
    bool plain = length && length < sizeof copy && strspn(text, "0123456789.eE+-") >= length &&
                 (isdigit((unsigned char)*text) || *text == '.');
    snprintf(copy, sizeof copy, "%.*s", plain ? (int)length : 0, text);
    *bound = plain ? strtod(copy, &end) : 0;
    if (!plain || *end || !isfinite(*bound))
        return fail(reader, "'%.*s': expected a number of units in the last place", (int)length, text);
    if (*bound < 0.5)
        return fail(reader, "%.*s units in the last place: no result is nearer than 0.5, which is correctly rounded",
                    (int)length, text);
    return true;
}

// A bound for all ops, of `word`; the layer has no other one.
static bool set_bound_of_all(const MathReader *reader, MathLayer *layer, Word word) {
    MathBound bound;
    if (!math_read_bound(reader, word.at, word.length, &bound)) return false;
    if (layer->max_error && layer->max_error != bound) return fail(reader, "two bounds for all ops");
    layer->max_error = bound;
    return true;
}

// A bound for one op, over an earlier one in other layers.
static bool add_op_bound(const MathReader *reader, MathLayer *layer, Word op, MathBound bound) {
    MathOpBound *bounds = arena_array(reader->arena, MathOpBound, layer->op_bound_count + 1u);
    for (uint32_t i = 0; i < layer->op_bound_count; i++) {
        bounds[i] = layer->op_bounds[i];
        if (word_is(op, bounds[i].op) && bounds[i].bound != bound)
            return fail(reader, "two bounds for '%s'", bounds[i].op);
    }
    bounds[layer->op_bound_count++] =
        (MathOpBound){arena_text(reader->arena, op.at, op.length), bound, arena_keep(reader->arena, reader->from),
                      location_keep(reader->arena, reader->at)};
    layer->op_bounds = bounds;
    return true;
}

// 2.5 or 2.5:sin,cos
static bool set_bound(const MathReader *reader, MathLayer *layer, Word value) {
    Word number, ops;
    MathBound bound;
    split(value, ':', &number, &ops);
    if (!ops.at) return set_bound_of_all(reader, layer, number);
    if (!math_read_bound(reader, number.at, number.length, &bound)) return false;
    for (Word op; next_word(&ops, ",", &op);) {
        if (!op.length) return fail(reader, "the name of an op is empty");
        if (!add_op_bound(reader, layer, op, bound)) return false;
    }
    return true;
}

static const MathSwitch *key_option(const MathLayer *layer, MathKey key) {
    switch (key) {
    case MATH_KEY_PREC_SQRT: return &layer->prec_sqrt;
    case MATH_KEY_PREC_DIV: return &layer->prec_div;
    default: return NULL;
    }
}

// What --reflect and the option of a key say of it.
static bool check_key(const MathReader *reader, MathLayer *layer, MathKey key) {
    static const char *const options[MATH_KEY_COUNT] = {
#define KEY(name, option) [MATH_KEY_##name] = option,
#include "compiler/math/keys.def"
#undef KEY
    };
    const MathSwitch reflected = layer->reflect[key], *option = key_option(layer, key);
    if (!option || !*option || !reflected || *option == reflected) return true;
    char name[32];
    snprintf(name, sizeof name, "%s%s", reader->in_case ? "" : "--", options[key]);
    for (char *c = name; reader->in_case && *c; c++)
        if (*c == '-') *c = '_';
    return fail(reader, "%s is %d and %s is %s", math_key_names[key], reflected == MATH_ON, name,
                *option == MATH_ON ? "true" : "false");
}

static bool unknown_key(const MathReader *reader, Word name) {
    Buffer names = {0};
    for (unsigned key = 0; key < MATH_KEY_COUNT; key++)
        buffer_print(&names, "%s%s", !key ? "" : key + 1 < MATH_KEY_COUNT ? ", " : " and ", math_key_names[key]);
    fail(reader, "'%.*s' is no key; keys are %s", WORD(name), names.data);
    buffer_free(&names);
    return false;
}

// __CUDA_FTZ=1
static bool set_reflect(const MathReader *reader, MathLayer *layer, Word value) {
    Word name, number;
    unsigned key = 0;
    split(value, '=', &name, &number);
    while (key < MATH_KEY_COUNT && !word_is(name, math_key_names[key])) key++;
    if (key == MATH_KEY_COUNT) return unknown_key(reader, name);
    if (key == MATH_KEY_ARCH)
        return fail(reader, "%s is ten times the compute capability that is compiled for; nothing else can be said",
                    math_key_names[key]);
    if (!word_is(number, "0") && !word_is(number, "1"))
        return fail(reader, "%s=%.*s: expected 0 or 1", math_key_names[key], WORD(number));
    const MathSwitch said = *number.at == '1' ? MATH_ON : MATH_OFF;
    if (layer->reflect[key] && layer->reflect[key] != said) return fail(reader, "%s is 0 and 1", math_key_names[key]);
    layer->reflect[key] = said;
    return check_key(reader, layer, (MathKey)key);
}

// ---- scopes ---------------------------------------------------------------------------------------------------------

static bool read_line(Word word, uint32_t *line) {
    uint64_t number = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (!isdigit((unsigned char)word.at[i]) || number > UINT32_MAX / 10) return false;
        number = 10 * number + (uint64_t)(word.at[i] - '0');
    }
    *line = (uint32_t)number;
    return word.length && number && number <= UINT32_MAX;
}

// FILE:A-B or FILE:A
static bool read_lines(const MathReader *reader, Word value, MathSelector *selector) {
    size_t colon = value.length;
    while (colon && value.at[colon - 1] != ':') colon--;
    Word lines = {value.at + colon, value.length - colon}, first, last;
    split(lines, '-', &first, &last);
    if (!last.at) last = first;
    if (colon < 2 || !read_line(first, &selector->first_line) || !read_line(last, &selector->last_line) ||
        selector->first_line > selector->last_line)
        return fail(reader, "%s%.*s%s: expected FILE:A-B, lines counted from 1",
                    reader->in_case ? "'" : "line=", WORD(value), reader->in_case ? "'" : "");
    selector->file = arena_text(reader->arena, value.at, colon - 1);
    return true;
}

bool math_read_lines(const MathReader *reader, const char *text, MathSelector *selector) {
    return read_lines(reader, word_of(text), selector);
}

static bool read_selector(const MathReader *reader, Word text, MathSelector *selector) {
    for (Word word; next_word(&text, "&", &word);) {
        Word key, value;
        split(word, '=', &key, &value);
        const char **field = word_is(key, "entry")  ? &selector->entry
                             : word_is(key, "func") ? &selector->function
                             : word_is(key, "line") ? &selector->file
                             : word_is(key, "op")   ? &selector->op
                                                    : NULL;
        if (!field) return fail(reader, "'%.*s': expected entry=NAME, func=NAME, line=FILE:A-B or op=NAME", WORD(word));
        if (!value.length) return fail(reader, "'%.*s' lacks a name", WORD(word));
        if (*field) return fail(reader, "'%.*s' is there twice", WORD(key));
        if (field == &selector->file) {
            if (!read_lines(reader, value, selector)) return false;
        } else {
            *field = arena_text(reader->arena, value.at, value.length);
        }
    }
    return true;
}

// Where the settings begin: behind the first colon that stands behind the last =, but for one of a line.
static size_t settings_of(Word value) {
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] != ':') continue;
        size_t begin = i;
        while (begin && value.at[begin - 1] != '&') begin--;
        if (strncmp(value.at + begin, "line=", 5)) return i;
        // FILE may have colons: the lines are behind the last one before the settings.
        size_t end = i + 1;
        while (end < value.length && (isdigit((unsigned char)value.at[end]) || value.at[end] == '-')) end++;
        if (end > i + 1 && (end == value.length || value.at[end] == '&' || value.at[end] == ':')) {
            if (end == value.length || value.at[end] == ':') return end;
            i = end;
        }
    }
    return value.length;
}

static bool add_scope(const MathReader *reader, MathSettings *settings, Word value) {
    MathScope scope = {.text = arena_text(reader->arena, value.at, value.length)};
    const size_t colon = settings_of(value);
    if (colon >= value.length || !colon) return fail(reader, "'%s': expected SELECTOR:SETTINGS", scope.text);
    scope.selected = reader->selected ? reader->selected : arena_text(reader->arena, value.at, colon);
    scope.from = arena_keep(reader->arena, reader->from);
    scope.at = location_keep(reader->arena, reader->at);
    if (!read_selector(reader, (Word){value.at, colon}, &scope.selector) ||
        !math_read_layer(reader, value.at + colon + 1, value.length - colon - 1, &scope.layer))
        return false;
    MathScope *scopes = arena_array(reader->arena, MathScope, settings->scope_count + 1u);
    for (uint32_t i = 0; i < settings->scope_count; i++) scopes[i] = settings->scopes[i];
    scopes[settings->scope_count++] = scope;
    settings->scopes = scopes;
    return true;
}

// ---- settings by name -----------------------------------------------------------------------------------------------

typedef enum SettingKind {
    SETTING_MODE,
    SETTING_FIXED_MODE, // the name says which
    SETTING_FLAGS,
    SETTING_FTZ,
    SETTING_DENORMALS,
    SETTING_SWITCH,
    SETTING_BOUND,
    SETTING_REFLECT,
    SETTING_SCOPE
} SettingKind;

static const struct SettingRow {
    const char *name;
    SettingKind kind;
    MathMode mode; // of MODE without a value, and of FIXED_MODE
    size_t field;  // of SWITCH: its place in MathLayer
} setting_rows[] = {
    {"math", SETTING_MODE, MATH_precise, 0},
    {"strict-math", SETTING_FIXED_MODE, MATH_strict, 0},
    {"fast", SETTING_FIXED_MODE, MATH_fast, 0},
    {"fast-math", SETTING_FIXED_MODE, MATH_fast, 0},
    {"fast-math-flags", SETTING_FLAGS, MATH_ieee, 0},
    {"ftz", SETTING_FTZ, MATH_ieee, 0},
    {"denormal-fp-math", SETTING_DENORMALS, MATH_ieee, 0},
    {"prec-div", SETTING_SWITCH, MATH_ieee, offsetof(MathLayer, prec_div)},
    {"prec-sqrt", SETTING_SWITCH, MATH_ieee, offsetof(MathLayer, prec_sqrt)},
    {"fmad", SETTING_SWITCH, MATH_ieee, offsetof(MathLayer, fmad)},
    {"split-fma", SETTING_SWITCH, MATH_ieee, offsetof(MathLayer, split_fma)},
    {"use_fast_math", SETTING_SWITCH, MATH_ieee, offsetof(MathLayer, use_fast_math)},
    {"max-error", SETTING_BOUND, MATH_ieee, 0},
    {"reflect", SETTING_REFLECT, MATH_ieee, 0},
    {"math-scope", SETTING_SCOPE, MATH_ieee, 0},
};

static bool set_row(const MathReader *reader, MathSettings *settings, MathLayer *layer, const struct SettingRow *row,
                    Word value) {
    bool on;
    switch (row->kind) {
    case SETTING_MODE: return set_mode(reader, layer, value.at ? value : word_of(math_modes[row->mode].name));
    case SETTING_FIXED_MODE:
        return read_bool(reader, value, &on) && (!on || set_mode(reader, layer, word_of(math_modes[row->mode].name)));
    case SETTING_FLAGS: return set_flags(reader, layer, value);
    case SETTING_FTZ:
        return read_bool(reader, value, &on) &&
               set_denormals(reader, layer, on ? MATH_DENORMALS_PRESERVE_SIGN : MATH_DENORMALS_IEEE);
    case SETTING_DENORMALS: return set_denormals_word(reader, layer, value);
    case SETTING_SWITCH:
        return set_switch(reader, row->name, value, (MathSwitch *)((char *)layer + row->field)) &&
               check_key(reader, layer, MATH_KEY_PREC_SQRT) && check_key(reader, layer, MATH_KEY_PREC_DIV);
    case SETTING_BOUND: return set_bound(reader, layer, value);
    case SETTING_REFLECT: return set_reflect(reader, layer, value);
    case SETTING_SCOPE: return add_scope(reader, settings, value);
    }
    return false;
}

bool math_set(const MathReader *reader, MathSettings *settings, MathLayer *layer, const char *name, const char *value) {
    Buffer names = {0};
    for (size_t i = 0; i < BASE_COUNT(setting_rows); i++) {
        const struct SettingRow *row = &setting_rows[i];
        buffer_print(&names, "%s%s", i ? ", " : "", row->name);
        if (strcmp(row->name, name)) continue;
        buffer_free(&names);
        const bool needs = row->kind == SETTING_FLAGS || row->kind == SETTING_DENORMALS || row->kind == SETTING_BOUND ||
                           row->kind == SETTING_REFLECT || row->kind == SETTING_SCOPE;
        if (needs && (!value || !*value)) return fail(reader, "%s needs a value", name);
        return set_row(reader, settings, layer, row, value ? trim(word_of(value)) : (Word){0});
    }
    fail(reader, "'%s' is no setting; settings are %s", name, names.data);
    buffer_free(&names);
    return false;
}

bool math_read_environment(const MathReader *reader, MathSettings *settings, const char *text) {
    Word rest = text ? word_of(text) : (Word){0};
    for (Word word; next_word(&rest, " \t\n", &word);) {
        Word name, value;
        if (!word.length) continue;
        split(word, '=', &name, &value);
        const char *copy = arena_text(reader->arena, name.at, name.length);
        const char *said = value.at ? arena_text(reader->arena, value.at, value.length) : NULL;
        if (!math_set(reader, settings, &settings->environment, copy, said)) return false;
    }
    return true;
}

// One word of the settings of an entry, a block or a scope; the mode is the first.
static bool set_layer_word(const MathReader *reader, MathLayer *layer, Word word, bool first) {
    Word name, value;
    const bool add = word.length && *word.at == '+', less = word.length && *word.at == '-';
    split(word, '=', &name, &value);
    if (add || less) {
        const Word flag = {word.at + 1, word.length - 1};
        const uint8_t bit = math_flag(flag.at, flag.length);
        if (!bit) return unknown_flag(reader, flag);
        return set_flag(reader, layer, bit, add);
    }
    if (word_is(word, "ftz")) return set_denormals(reader, layer, MATH_DENORMALS_PRESERVE_SIGN);
    if (word_is(word, "noftz")) return set_denormals(reader, layer, MATH_DENORMALS_IEEE);
    if (word_is(word, "split-fma") || word_is(name, "split-fma"))
        return set_switch(reader, "split-fma", value, &layer->split_fma);
    if (word_is(name, "denormal-fp-math")) return set_denormals_word(reader, layer, value);
    if (word_is(name, "max-error")) return set_bound_of_all(reader, layer, value);
    for (unsigned mode = 0; mode < MATH_MODE_COUNT; mode++)
        if (word_is(word, math_modes[mode].name))
            return first ? set_mode(reader, layer, word)
                         : fail(reader, "the mode %.*s stands behind another setting; it is the first", WORD(word));
    return fail(reader,
                "'%.*s' is no setting of a scope; expected ieee, strict, precise, fast, +FLAG, -FLAG, ftz, noftz, "
                "denormal-fp-math=WORD, split-fma or max-error=N",
                WORD(word));
}

bool math_read_layer(const MathReader *reader, const char *text, size_t length, MathLayer *layer) {
    Word rest = trim((Word){text, length});
    if (!rest.length) return fail(reader, "there are no settings");
    bool first = true;
    for (Word word; next_word(&rest, ",", &word); first = false)
        if (!set_layer_word(reader, layer, word, first)) return false;
    return true;
}

// ---- what holds -----------------------------------------------------------------------------------------------------

// What a mode decides, and all that nobody says anything about.
static MathState state_of_mode(MathMode mode) {
    return (MathState){.mode = mode,
                       .denormals = math_modes[mode].flushes ? MATH_DENORMALS_PRESERVE_SIGN : MATH_DENORMALS_IEEE};
}

static void apply_bundle(MathState *state, const MathLayer *layer) {
    if (layer->use_fast_math != MATH_ON) return;
    state->denormals = MATH_DENORMALS_PRESERVE_SIGN;
    state->prec_div = state->prec_sqrt = MATH_OFF;
    state->fmad = MATH_ON;
    state->fast_functions = true;
}

// The single things that a layer says.
static void apply_settings(MathState *state, const MathLayer *layer, const MathOpName *op) {
    if (layer->all) state->added = MATH_FLAGS_ALL, state->removed = 0;
    if (layer->none) state->added = 0, state->removed = MATH_FLAGS_ALL;
    state->added = (uint8_t)((state->added | layer->added) & ~layer->removed);
    state->removed = (uint8_t)((state->removed | layer->removed) & ~layer->added);
    if (layer->denormals) state->denormals = layer->denormals;
    if (layer->prec_div) state->prec_div = layer->prec_div;
    if (layer->prec_sqrt) state->prec_sqrt = layer->prec_sqrt;
    if (layer->fmad) state->fmad = layer->fmad;
    if (layer->split_fma) state->split_fma = layer->split_fma;
    if (layer->max_error) state->max_error = layer->max_error;
    for (uint32_t i = 0; i < layer->op_bound_count; i++)
        if (math_is_op(op, layer->op_bounds[i].op)) state->max_error = layer->op_bounds[i].bound;
}

MathState math_state(const MathSettings *settings, const MathOpName *op) {
    const MathLayer *environment = &settings->environment, *command = &settings->command;
    const uint8_t mode = command->mode ? command->mode : environment->mode;
    MathState state = state_of_mode(mode ? (MathMode)(mode - 1) : MATH_ieee);
    apply_bundle(&state, environment);
    apply_settings(&state, environment, op);
    apply_bundle(&state, command);
    apply_settings(&state, command, op);
    for (unsigned key = 0; key < MATH_KEY_COUNT; key++) {
        const MathSwitch *option = key_option(command, (MathKey)key);
        const bool said = option && (*option || command->use_fast_math == MATH_ON); // the command line wins
        state.reflect[key] = command->reflect[key] ? command->reflect[key]
                             : said                ? MATH_UNSAID
                                                   : environment->reflect[key];
    }
    return state;
}

void math_apply(MathState *state, const MathLayer *layer, const MathOpName *op) {
    if (layer->mode) {
        const MathState before = *state;
        *state = state_of_mode((MathMode)(layer->mode - 1));
        state->max_error = before.max_error;
        memcpy(state->reflect, before.reflect, sizeof state->reflect);
    }
    apply_settings(state, layer, op);
}

bool math_key(const MathState *state, MathKey key) {
    if (state->reflect[key]) return state->reflect[key] == MATH_ON;
    switch (key) {
    case MATH_KEY_PREC_DIV: return state->prec_div != MATH_OFF;
    case MATH_KEY_PREC_SQRT: return state->prec_sqrt != MATH_OFF;
    default: return true;
    }
}

bool math_is_ieee(const MathSettings *settings) {
    static const MathSettings nothing;
    MathSettings said = *settings;
    // These say what holds anyway.
    if (said.command.mode == MATH_ieee + 1) {
        said.command.mode = said.environment.mode = 0;
    } else if (!said.command.mode && said.environment.mode == MATH_ieee + 1) {
        said.environment.mode = 0;
    }
    return !memcmp(&said, &nothing, sizeof nothing);
}

// ---- printing -------------------------------------------------------------------------------------------------------

void math_print_bound(MathBound bound, Buffer *out) {
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, bound);
        if (strtod(text, NULL) == bound) break;
    }
    char *exponent = strchr(text, 'e');
    if (exponent && bound < 1e15)
        buffer_print(out, "%.0f", bound); // 200, not 2e+02
    else if (exponent && !strchr(text, '.'))
        buffer_print(out, "%.*s.0%s", (int)(exponent - text), text, exponent); // text has no 2e+20
    else
        buffer_print(out, "%s", text);
}

static void print_flag_list(const MathLayer *layer, Buffer *out) {
    const char *between = " fast-math-flags=";
    if (layer->all || layer->none) {
        buffer_print(out, "%s%s", between, layer->all ? "fast" : "none");
        between = ",";
    }
    for (size_t i = 0; i < BASE_COUNT(flag_rows); i++) {
        const bool add = layer->added & flag_rows[i].bit, less = layer->removed & flag_rows[i].bit;
        if (!add && !less) continue;
        buffer_print(out, "%s%s%s", between, less ? "-" : "", flag_rows[i].name);
        between = ",";
    }
}

static void print_bounds(const MathLayer *layer, Buffer *out) {
    if (layer->max_error) {
        buffer_print(out, " max-error=");
        math_print_bound(layer->max_error, out);
    }
    for (uint32_t i = 0; i < layer->op_bound_count; i++) {
        buffer_print(out, " max-error=");
        math_print_bound(layer->op_bounds[i].bound, out);
        buffer_print(out, ":%s", layer->op_bounds[i].op);
    }
}

static void print_layer(const MathLayer *layer, Buffer *out) {
    if (layer->mode) buffer_print(out, " math=%s", math_modes[layer->mode - 1].name);
    print_flag_list(layer, out);
    if (layer->denormals) buffer_print(out, " denormal-fp-math=%s", denormals_word(layer->denormals));
    for (size_t i = 0; i < BASE_COUNT(setting_rows); i++) {
        if (setting_rows[i].kind != SETTING_SWITCH) continue;
        const MathSwitch said = *(const MathSwitch *)((const char *)layer + setting_rows[i].field);
        if (said) buffer_print(out, " %s=%s", setting_rows[i].name, said == MATH_ON ? "true" : "false");
    }
    print_bounds(layer, out);
    for (unsigned key = 0; key < MATH_KEY_COUNT; key++)
        if (layer->reflect[key])
            buffer_print(out, " reflect=%s=%d", math_key_names[key], layer->reflect[key] == MATH_ON);
}

void math_print_settings(const MathSettings *settings, Buffer *out) {
    Buffer text = {0};
    print_layer(&settings->environment, &text);
    if (text.size && !math_is_ieee(&(MathSettings){.command = settings->command}))
        buffer_print(&text, " |"); // what follows is stronger
    print_layer(&settings->command, &text);
    for (uint32_t i = 0; i < settings->scope_count; i++)
        buffer_print(&text, " math-scope=%s", settings->scopes[i].text);
    buffer_print(out, "%s", text.size ? text.data + 1 : "math=ieee");
    buffer_free(&text);
}
