// SPDX-License-Identifier: Apache-2.0
// Builds: the ways in which a case compiles its kernels, as key `math` and option --math say.
#include "diff/case_internal.h"

#include <string.h>

enum { BUILDS_MAX = 64 };

static MathReader reader_at(CaseReader *r, Location at, const char *from) {
    return (MathReader){
        .diagnostics = r->diagnostics, .arena = r->arena, .code = E_CASE, .at = at, .from = from, .in_case = true};
}

static int find_build(const FpdCase *cas, const char *name) {
    for (uint32_t b = 0; b < cas->build_count; b++)
        if (!strcmp(cas->builds[b].name, name)) return (int)b;
    return -1;
}

static FpdBuild *add_build(Arena *arena, FpdCase *cas, const char *name, Location at) {
    size_t capacity = cas->build_count; // there are few
    cas->builds = arena_grow(arena, cas->builds, cas->build_count, &capacity, sizeof *cas->builds);
    FpdBuild *build = &cas->builds[cas->build_count++];
    *build = (FpdBuild){.name = name, .at = at};
    return build;
}

static bool mode_by_name(const char *name, MathMode *mode) {
    for (unsigned m = 0; m < MATH_MODE_COUNT; m++)
        if (!strcmp(math_modes[m].name, name)) {
            *mode = (MathMode)m;
            return true;
        }
    return false;
}

// Reads "+contract-nsz+ftz", in which each stands once.
static bool read_changes(const char *at, MathLayer *layer) {
    while (*at) {
        const bool adds = *at++ == '+';
        const size_t length = strcspn(at, "+-");
        const uint8_t flag = math_flag(at, length);
        if (flag ? (layer->added | layer->removed) & flag : length != 3 || strncmp(at, "ftz", 3) || layer->denormals)
            return false;
        if (!flag) layer->denormals = adds ? MATH_DENORMALS_PRESERVE_SIGN : MATH_DENORMALS_IEEE;
        *(adds ? &layer->added : &layer->removed) |= flag;
        at += length;
    }
    return true;
}

// What may stand behind a mode.
static const char changes[] = "+ or - with "
#define FLAG(name, bit) #name ", "
#include "compiler/math/flags.def"
#undef FLAG
                              "or ftz, each once";

// A build that is called what it is: "fast", "ieee+contract", "fast-reassoc". NULL: that names none.
static FpdBuild *add_mode(Arena *arena, FpdCase *cas, const char *name, Location at) {
    const size_t length = strcspn(name, "+-");
    MathMode mode;
    MathLayer layer = {0};
    if (!mode_by_name(arena_text(arena, name, length), &mode) || !read_changes(name + length, &layer)) return NULL;
    layer.mode = (uint8_t)(mode + 1);
    FpdBuild *build = add_build(arena, cas, arena_keep(arena, name), at);
    build->settings.command = layer;
    return build;
}

static const char *build_names(Arena *arena, const FpdCase *cas) {
    const char *list = "ieee, strict, precise, fast";
    MathMode ignored;
    for (uint32_t b = 0; b < cas->build_count; b++)
        if (!mode_by_name(cas->builds[b].name, &ignored))
            list = arena_format(arena, "%s, %s", list, cas->builds[b].name);
    return arena_format(arena, "%s; behind a mode may stand %s", list, changes);
}

// ---- one build ------------------------------------------------------------------------------------------------------

// The scalars of a list, with commas between them.
static bool join_list(CaseReader *r, const FpdNode *list, const char *what, const char **text) {
    *text = "";
    for (uint32_t i = 0; i < list->count; i++) {
        if (!case_expect_kind(r, &list->items[i], VALUE_SCALAR, what)) return false;
        *text = arena_format(r->arena, "%s%s%s", *text, i ? "," : "", list->items[i].text);
    }
    return list->count || case_wrong(r, list->at, "%s is an empty list", what);
}

// Appends "key=text" with `between` before it, but for the first one.
static void add_word(CaseReader *r, const char **list, const char *between, const char *key, const char *text) {
    *list = arena_format(r->arena, "%s%s%s%s", *list, **list ? between : "", key, text);
}

// Reads one key of a scope, for its errors alone; `layer` has what was read before.
static bool check_scope_key(CaseReader *r, const FpdNode *node, const char *key, const char *name, MathLayer *layer) {
    const MathReader reader = reader_at(r, node->at, key);
    MathBound bound;
    if (!strcmp(name, "max-error")) return math_read_bound(&reader, node->text, strlen(node->text), &bound);
    return math_set(&reader, NULL, layer, name, node->text);
}

// A scope goes through text, which these characters divide.
static bool check_selector(CaseReader *r, const FpdNode *node, const char *key) {
    const bool lines = !strcmp(key, "line");
    if (strpbrk(node->text, lines ? "&" : "&:"))
        return case_wrong(r, node->at, "%s is '%s': there is no %s in it", key, node->text, lines ? "&" : "& and no :");
    if (!*node->text) return case_wrong(r, node->at, "%s is empty", key);
    const MathReader reader = reader_at(r, node->at, key);
    MathSelector ignored = {0};
    return !lines || math_read_lines(&reader, node->text, &ignored);
}

// {func: det, mode: strict} as "func=det:strict".
static bool read_scope(CaseReader *r, const FpdNode *node, FpdBuild *build) {
    KeyNodes keys = {0};
    const char *selector = "", *said = "", *settings = "";
    MathLayer layer = {0};
    if (!case_read_keys(r, node, IN_SCOPE, keys)) return false;
    static const struct {
        KeyName key;
        const char *text;
    } selectors[] = {
        {KEY_SCOPE_entry, "entry"}, {KEY_SCOPE_func, "func"}, {KEY_SCOPE_line, "line"}, {KEY_SCOPE_op, "op"}};
    static const struct {
        KeyName key;
        const char *text, *name, *word; // in the case, in math_set, in the scope's text or NULL
    } words[] = {{KEY_SCOPE_mode, "mode", "math", ""},
                 {KEY_SCOPE_denormal_fp_math, "denormal_fp_math", "denormal-fp-math", "denormal-fp-math="},
                 {KEY_SCOPE_split_fma, "split_fma", "split-fma", "split-fma="},
                 {KEY_SCOPE_max_error, "max_error", "max-error", "max-error="},
                 {KEY_SCOPE_ftz, "ftz", "ftz", NULL}};
    for (size_t i = 0; i < BASE_COUNT(selectors); i++) {
        const FpdNode *value = keys[selectors[i].key];
        if (!value) continue;
        if (!check_selector(r, value, selectors[i].text)) return false;
        add_word(r, &selector, "&", arena_format(r->arena, "%s=", selectors[i].text), value->text);
        add_word(r, &said, ", ", arena_format(r->arena, "%s: ", selectors[i].text), value->text);
    }
    if (!*selector) return case_wrong(r, node->at, "a scope has none of entry, func, line and op");
    for (size_t i = 0; i < BASE_COUNT(words); i++) {
        const FpdNode *value = keys[words[i].key];
        if (!value) continue;
        if (!check_scope_key(r, value, words[i].text, words[i].name, &layer)) return false;
        if (words[i].word) add_word(r, &settings, ",", words[i].word, value->text);
    }
    const FpdNode *list = keys[KEY_SCOPE_flags];
    const char *joined;
    if (list && !join_list(r, list, "flags", &joined)) return false;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const FpdNode *flag = &list->items[i];
        const MathReader reader = reader_at(r, flag->at, "flags");
        const char *word = arena_format(r->arena, "%s%s", *flag->text == '-' ? "" : "+", flag->text);
        if (!math_read_layer(&reader, word, strlen(word), &layer)) return false;
        add_word(r, &settings, ",", "", word);
    }
    if (keys[KEY_SCOPE_ftz]) add_word(r, &settings, ",", "", layer.denormals == MATH_DENORMALS_IEEE ? "noftz" : "ftz");
    MathReader reader = reader_at(r, node->at, "scopes");
    reader.selected = said;
    return math_set(&reader, &build->settings, &build->settings.command, "math-scope",
                    arena_format(r->arena, "%s:%s", selector, settings));
}

static bool read_scopes(CaseReader *r, const FpdNode *list, FpdBuild *build) {
    for (uint32_t i = 0; list && i < list->count; i++)
        if (!read_scope(r, &list->items[i], build)) return false;
    return true;
}

// {KEY: N}
static bool read_reflect(CaseReader *r, const FpdNode *node, FpdBuild *build) {
    for (uint32_t i = 0; node && i < node->count; i++) {
        const MathReader reader = reader_at(r, node->items[i].at, "reflect");
        if (!case_expect_kind(r, &node->items[i], VALUE_SCALAR, "a key of reflect") ||
            !math_set(&reader, &build->settings, &build->settings.command, "reflect",
                      arena_format(r->arena, "%s=%s", node->keys[i].text, node->items[i].text)))
            return false;
    }
    return true;
}

static bool set(CaseReader *r, FpdBuild *build, const FpdNode *node, const char *key, const char *name,
                const char *text) {
    const MathReader reader = reader_at(r, node->at, key);
    return math_set(&reader, &build->settings, &build->settings.command, name, text);
}

static bool read_build(CaseReader *r, const FpdNode *node, FpdBuild *build) {
    static const struct {
        KeyName key;
        const char *text, *name; // in the case, in math_set
    } rows[] = {{KEY_BUILD_mode, "mode", "math"},
                {KEY_BUILD_ftz, "ftz", "ftz"},
                {KEY_BUILD_denormal_fp_math, "denormal_fp_math", "denormal-fp-math"},
                {KEY_BUILD_prec_div, "prec_div", "prec-div"},
                {KEY_BUILD_prec_sqrt, "prec_sqrt", "prec-sqrt"},
                {KEY_BUILD_fmad, "fmad", "fmad"},
                {KEY_BUILD_split_fma, "split_fma", "split-fma"},
                {KEY_BUILD_use_fast_math, "use_fast_math", "use_fast_math"}};
    KeyNodes keys = {0};
    const char *text;
    if (!case_read_keys(r, node, IN_BUILD, keys)) return false;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const FpdNode *value = keys[rows[i].key];
        if (value && !set(r, build, value, rows[i].text, rows[i].name, value->text)) return false;
    }
    const FpdNode *flags = keys[KEY_BUILD_flags], *bound = keys[KEY_BUILD_max_error];
    if (flags && (!join_list(r, flags, "flags", &text) || !set(r, build, flags, "flags", "fast-math-flags", text)))
        return false;
    if (bound && bound->kind == FPD_MAPPING)
        return case_wrong(r, bound->at, "max_error is a mapping, expected N or a list");
    const uint32_t bounds = !bound ? 0 : bound->kind == FPD_LIST ? bound->count : 1;
    for (uint32_t i = 0; i < bounds; i++) {
        const FpdNode *one = bound->kind == FPD_LIST ? &bound->items[i] : bound;
        if (!case_expect_kind(r, one, VALUE_SCALAR, "max_error") ||
            !set(r, build, one, "max_error", "max-error", one->text))
            return false;
    }
    return read_reflect(r, keys[KEY_BUILD_reflect], build) && read_scopes(r, keys[KEY_BUILD_scopes], build);
}

// ---- the builds of a case -------------------------------------------------------------------------------------------

bool case_read_math(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    if (!node) return true;
    if (node->kind == FPD_SCALAR) return case_wrong(r, node->at, "math is a word, expected a list or a mapping");
    if (!node->count) return case_wrong(r, node->at, "math is empty, expected at least one build");
    if (node->count > BUILDS_MAX)
        return case_wrong(r, node->at, "math has %u builds, expected at most %d", node->count, BUILDS_MAX);
    for (uint32_t i = 0; i < node->count; i++) {
        const bool list = node->kind == FPD_LIST;
        const FpdNode *name = list ? &node->items[i] : &node->keys[i];
        if (list && !case_expect_kind(r, name, VALUE_SCALAR, "a build")) return false;
        if (!list && !case_expect_name(r, name, "a build")) return false;
        if (find_build(cas, name->text) >= 0) return case_wrong(r, name->at, "build '%s' is here twice", name->text);
        if (!list) {
            if (!read_build(r, &node->items[i], add_build(r->arena, cas, name->text, name->at))) return false;
        } else if (!add_mode(r->arena, cas, name->text, name->at)) {
            return case_wrong(r, name->at, "'%s' is no mode, expected ieee, strict, precise or fast, and after it %s",
                              name->text, changes);
        }
    }
    cas->run_build_count = cas->build_count;
    return true;
}

bool case_read_launch_math(CaseReader *r, const FpdNode *node, FpdLaunch *launch) {
    FpdCase *cas = r->cas;
    if (!node) return true;
    if (!cas->build_count) { // nothing else is said: the case runs as written
        add_mode(r->arena, cas, math_modes[MATH_ieee].name, node->at);
        cas->run_build_count = 1;
    }
    int found = find_build(cas, node->text);
    if (found < 0 && add_mode(r->arena, cas, node->text, node->at)) found = (int)cas->build_count - 1;
    launch->build = (uint32_t)(found + 1);
    return found >= 0 ||
           case_wrong(r, node->at, "math is '%s', expected one of: %s", node->text, build_names(r->arena, cas));
}

bool fpd_override_math(Diagnostics *diagnostics, Arena *arena, FpdCase *cas, const char *list) {
    const FpdCase before = *cas;
    const Location here = {.file = cas->path};
    cas->builds = NULL;
    cas->build_count = 0;
    for (const char *at = list, *end;; at = end + 1) {
        end = at + strcspn(at, ",");
        const char *name = arena_text(arena, at, (size_t)(end - at));
        const int found = find_build(&before, name);
        if (find_build(cas, name) >= 0) return diag_fail(diagnostics, here, E_USAGE, "--math names '%s' twice", name);
        if (cas->build_count == BUILDS_MAX)
            return diag_fail(diagnostics, here, E_USAGE, "--math names more than %d builds", BUILDS_MAX);
        if (found >= 0)
            *add_build(arena, cas, name, here) = before.builds[found];
        else if (!add_mode(arena, cas, name, here))
            return diag_fail(diagnostics, here, E_USAGE, "--math names '%s', expected some of: %s", name,
                             build_names(arena, &before));
        if (!*end) break;
    }
    cas->run_build_count = cas->build_count;
    // Launches that have a build of their own keep it.
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++) {
            FpdLaunch *launch = &cas->variants[v].launches[i];
            if (!launch->build) continue;
            const FpdBuild *own = &before.builds[launch->build - 1];
            int kept = find_build(cas, own->name);
            if (kept < 0) {
                *add_build(arena, cas, own->name, own->at) = *own;
                kept = (int)cas->build_count - 1;
            }
            launch->build = (uint32_t)(kept + 1);
        }
    return true;
}

const char *fpd_build_name(const FpdCase *cas, uint32_t build) {
    return build < cas->build_count ? cas->builds[build].name : math_modes[MATH_ieee].name;
}
