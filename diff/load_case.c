// SPDX-License-Identifier: Apache-2.0
// Case files: from a tree of YAML nodes to an FpdCase. Every rule about keys is a row of keys.def.
#include "diff/case_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_seed(CaseReader *r, const FpdNode *node) {
    char *end;
    errno = 0;
    r->cas->seed = strtoull(node->text, &end, 10);
    bool good = !*end && !errno && node->text[0] >= '0' && node->text[0] <= '9';
    return good || case_wrong(r, node->at, "seed is '%s', expected an integer from 0 to 2^64 - 1", node->text);
}

// ---- launches

// One to three numbers from 1 on; those that are left out are 1.
static bool read_sizes(CaseReader *r, const FpdNode *node, const char *key, const char *what, int64_t most,
                       uint32_t sizes[3]) {
    if (!node->count || node->count > 3)
        return case_wrong(r, node->at, "%s has %u numbers, expected one to three", key, node->count);
    for (uint32_t i = 0; i < 3; i++) {
        int64_t size = 1;
        if (i < node->count && !case_read_integer(r, &node->items[i], what, 1, most, &size)) return false;
        sizes[i] = (uint32_t)size;
    }
    return true;
}

// What only kernels of threads have.
static bool read_threads(CaseReader *r, const KeyNodes keys, FpdLaunch *launch) {
    const FpdNode *block = keys[KEY_LAUNCH_block], *cluster = keys[KEY_LAUNCH_cluster],
                  *shared = keys[KEY_LAUNCH_shared], *math = keys[KEY_LAUNCH_math];
    int64_t bytes = 0;
    if (math) launch->math_at = math->at;
    if (block) launch->block_at = block->at;
    if (cluster) launch->cluster_at = cluster->at;
    if (shared) launch->shared_at = shared->at;
    if (block && !read_sizes(r, block, "block", "a number of threads of block", WARP_THREADS_MAX, launch->block))
        return false;
    if (cluster && !read_sizes(r, cluster, "cluster", "a number of blocks of cluster", 16, launch->cluster))
        return false;
    if (shared && !case_read_integer(r, shared, "shared", 0, WARP_SHARED_MAX, &bytes)) return false;
    launch->shared = (uint32_t)bytes;
    launch->shared_given = shared;
    return true;
}

static bool read_launch(CaseReader *r, const FpdNode *node, FpdLaunch *launch) {
    KeyNodes keys = {0};
    if (!case_read_keys(r, node, IN_LAUNCH, keys)) return false;
    const FpdNode *grid = keys[KEY_LAUNCH_grid], *arguments = keys[KEY_LAUNCH_args], *module = keys[KEY_LAUNCH_module];
    launch->at = node->at;
    launch->module = module->text;
    launch->module_at = module->at;
    launch->arguments_at = arguments->at;
    if (!case_read_path(r, module, "module", &launch->path) || !case_read_launch_math(r, keys[KEY_LAUNCH_math], launch))
        return false;
    if (keys[KEY_LAUNCH_kernel]) {
        launch->kernel = keys[KEY_LAUNCH_kernel]->text;
        launch->kernel_at = keys[KEY_LAUNCH_kernel]->at;
    }
    if (!read_sizes(r, grid, "grid", "a number of blocks of grid", (1 << 24) - 1, launch->grid) ||
        !read_threads(r, keys, launch))
        return false;
    launch->arguments = arena_array(r->arena, FpdArgument, arguments->count + 1);
    for (; launch->argument_count < arguments->count; launch->argument_count++)
        if (!case_read_argument(r, &arguments->items[launch->argument_count],
                                &launch->arguments[launch->argument_count]))
            return false;
    return true;
}

static bool read_variants(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    if (!node->count) return case_wrong(r, node->at, "variants is empty, expected at least one variant");
    cas->variants = arena_array(r->arena, FpdVariant, node->count);
    for (; cas->variant_count < node->count; cas->variant_count++) {
        const FpdNode *key = &node->keys[cas->variant_count], *list = &node->items[cas->variant_count];
        FpdVariant *variant = &cas->variants[cas->variant_count];
        variant->name = key->text;
        variant->at = key->at;
        if (!case_expect_name(r, key, "a variant")) return false;
        if (!case_expect_kind(r, list, VALUE_LIST, arena_format(r->arena, "variant %s", key->text))) return false;
        if (!list->count)
            return case_wrong(r, list->at, "variant %s has no launches, expected at least one", key->text);
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
    if (!node->count) return case_wrong(r, node->at, "compare is empty, expected the name of at least one buffer");
    cas->compare = arena_array(r->arena, uint32_t, node->count);
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *name = &node->items[i];
        if (!case_expect_kind(r, name, VALUE_SCALAR, "a name in compare")) return false;
        if (!case_find_buffer(cas, name->text, strlen(name->text), &cas->compare[i]))
            return case_wrong(r, name->at, "compare names '%s', which is no buffer, expected one of: %s", name->text,
                              case_buffer_names(r));
        if (cas->buffers[cas->compare[i]].fill.kind == FPD_FILL_addresses)
            return case_wrong(r, name->at, "compare names '%s', which holds addresses: they differ from run to run",
                              name->text);
        for (uint32_t j = 0; j < i; j++)
            if (cas->compare[j] == cas->compare[i])
                return case_wrong(r, name->at, "compare names '%s' a second time", name->text);
        cas->compare_count++;
    }
    return true;
}

static bool read_modes(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    for (int m = 0; !node && m < FPD_MODE_COUNT; m++)
        if (fpd_mode_is_compared((FpdMode)m)) cas->modes[cas->mode_count++] = (FpdMode)m;
    if (!node) return true;
    if (!node->count) return case_wrong(r, node->at, "modes is empty, expected fpsan, ieee or both");
    for (uint32_t i = 0; i < node->count; i++) {
        const FpdNode *name = &node->items[i];
        FpdMode mode;
        if (!case_expect_kind(r, name, VALUE_SCALAR, "a mode")) return false;
        if (!fpd_mode_by_name(name->text, &mode))
            return case_wrong(r, name->at, "unknown mode '%s', expected fpsan, ieee or wide", name->text);
        if (!fpd_mode_is_compared(mode)) {
            if (cas->asks_accuracy) return case_wrong(r, name->at, "modes names wide or wider twice");
            cas->asks_accuracy = true;
            continue;
        }
        for (uint32_t j = 0; j < cas->mode_count; j++)
            if (cas->modes[j] == mode) return case_wrong(r, name->at, "mode '%s' is here a second time", name->text);
        cas->modes[cas->mode_count++] = mode;
    }
    if (!cas->mode_count) return case_wrong(r, node->at, "modes has neither fpsan nor ieee, which are compared");
    return true;
}

static bool read_bound(CaseReader *r, const FpdNode *node, const char *what, double *value) {
    if (!node) return true;
    return case_read_real(r, node, what, value) &&
           (*value >= 0 || case_wrong(r, node->at, "%s is '%s', expected 0 or more", what, node->text));
}

static bool read_tolerance(CaseReader *r, const FpdNode *node) {
    KeyNodes keys = {0};
    FpdCase *cas = r->cas;
    bool used = false;
    if (!node) return true;
    for (uint32_t m = 0; m < cas->mode_count; m++) used |= cas->modes[m] == FPD_MODE_ieee;
    if (!case_read_keys(r, node, IN_TOLERANCE, keys) || !case_read_keys(r, keys[KEY_TOLERANCE_ieee], IN_BOUNDS, keys))
        return false;
    cas->tolerance.given = true;
    if (!used) return case_wrong(r, node->at, "a tolerance is given, but modes does not list ieee");
    return read_bound(r, keys[KEY_BOUNDS_rtol], "rtol", &cas->tolerance.rtol) &&
           read_bound(r, keys[KEY_BOUNDS_atol], "atol", &cas->tolerance.atol);
}

static bool read_positive(CaseReader *r, const FpdNode *node, const char *what, double *value) {
    if (!node) return true;
    return case_read_real(r, node, what, value) &&
           (*value > 0 || case_wrong(r, node->at, "%s is '%s', expected more than 0", what, node->text));
}

static bool read_accuracy(CaseReader *r, const FpdNode *node) {
    KeyNodes keys = {0};
    FpdAccuracyBound *bound = &r->cas->accuracy;
    if (!node) return true;
    if (!case_read_keys(r, node, IN_ACCURACY, keys) || !read_positive(r, keys[KEY_ACCURACY_ulp], "ulp", &bound->ulps) ||
        !read_positive(r, keys[KEY_ACCURACY_times_reference], "times_reference", &bound->times))
        return false;
    bound->given = r->cas->asks_accuracy = true;
    bound->at = node->at;
    return bound->ulps > 0 || bound->times > 0 ||
           case_wrong(r, node->at, "accuracy says no bound, expected ulp or times_reference");
}

static bool read_expect(CaseReader *r, const FpdNode *node) {
    FpdCase *cas = r->cas;
    bool payload = false;
    if (!node) return true;
    cas->expect_diverge = !strcmp(node->text, "diverge");
    if (!cas->expect_diverge && strcmp(node->text, "equal"))
        return case_wrong(r, node->at, "expect is '%s', expected equal or diverge", node->text);
    for (uint32_t m = 0; m < cas->mode_count; m++)
        payload |= fpd_arithmetic(cas->family, cas->modes[m])->question == FPD_QUESTION_formula;
    return payload || !cas->expect_diverge ||
           case_wrong(r, node->at, "expect: diverge is about payload modes, and modes lists none");
}

// The title goes to terminals as it is: no line ends and no escape sequences.
static bool read_title(CaseReader *r, const FpdNode *node) {
    for (const char *c = node ? node->text : ""; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return case_wrong(r, node->at, "title has control characters, expected one line");
    r->cas->title = node ? node->text : NULL;
    return true;
}

static bool read_allow(CaseReader *r, const FpdNode *node) {
    const struct {
        const char *text;
        bool *allowed;
    } words[] = {{"vacuous", &r->cas->allow_vacuous},
                 {"unwritten", &r->cas->allow_unwritten},
                 {"unspecified", &r->cas->allow_unspecified},
                 {"roots", &r->cas->allow_roots}};
    for (uint32_t i = 0; node && i < node->count; i++) {
        if (!case_expect_kind(r, &node->items[i], VALUE_SCALAR, "an entry of allow")) return false;
        const FpdNode *word = &node->items[i];
        bool *allowed = NULL;
        for (size_t w = 0; w < BASE_COUNT(words); w++)
            if (!strcmp(word->text, words[w].text)) allowed = words[w].allowed;
        if (!allowed)
            return case_wrong(r, word->at, "allow names '%s', expected roots, unspecified, unwritten or vacuous",
                              word->text);
        if (*allowed) return case_wrong(r, word->at, "allow names '%s' twice", word->text);
        if (allowed == &r->cas->allow_roots && !fpd_family_info(r->cas->family)->meanings)
            return case_wrong(r, word->at, "allow: [roots] is for profile tower, this case is for %s",
                              fpd_profile_name(r->cas));
        *allowed = true;
    }
    return true;
}

bool fpd_is_compared(const FpdCase *cas, uint32_t buffer) {
    for (uint32_t c = 0; c < cas->compare_count; c++)
        if (cas->compare[c] == buffer) return true;
    return false;
}

static FpdCase *parse_combination(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text,
                                  size_t size, FpdCombination *combination) {
    CaseReader r = {.diagnostics = diagnostics, .arena = arena, .cas = arena_new(arena, FpdCase)};
    KeyNodes keys = {0};
    FpdNode *root = fpd_parse_nodes(diagnostics, arena, path, text, size);
    r.cas->path = arena_text(arena, path, strlen(path));
    r.cas->seed = 1;
    combination->count = 1;
    bool good = root && case_read_keys(&r, root, IN_CASE, keys) &&
                case_read_parameters(&r, keys[KEY_CASE_parameters], keys[KEY_CASE_buffers], combination) &&
                case_read_buffers(&r, keys[KEY_CASE_buffers]) && case_read_math(&r, keys[KEY_CASE_math]) &&
                read_variants(&r, keys[KEY_CASE_variants]) && read_compare(&r, keys[KEY_CASE_compare]) &&
                read_modes(&r, keys[KEY_CASE_modes]) && case_read_profile(&r, keys) &&
                case_read_meanings(&r, keys[KEY_CASE_means]) &&
                (!keys[KEY_CASE_seed] || read_seed(&r, keys[KEY_CASE_seed])) &&
                read_tolerance(&r, keys[KEY_CASE_tolerance]) && read_accuracy(&r, keys[KEY_CASE_accuracy]) &&
                read_expect(&r, keys[KEY_CASE_expect]) && read_allow(&r, keys[KEY_CASE_allow]) &&
                read_title(&r, keys[KEY_CASE_title]) && case_check_parameters(&r);
    return good ? r.cas : NULL;
}

FpdCase *fpd_parse_case(Diagnostics *diagnostics, Arena *arena, const char *path, const uint8_t *text, size_t size) {
    FpdCombination first = {0};
    return parse_combination(diagnostics, arena, path, text, size, &first);
}

// The folder of a recorded case has it as case.yaml.
static bool refuse_folder(Diagnostics *diagnostics, Arena *arena, const char *path) {
    const char *inside = arena_format(arena, "%s%scase.yaml", path, path[strlen(path) - 1] == '/' ? "" : "/");
    if (access(inside, F_OK)) inside = NULL;
    return diag_fail(diagnostics, (Location){.file = path}, E_FILE, "is a folder, expected a file%s%s%s",
                     inside ? "; " : "", inside ? inside : "", inside ? " is there" : "");
}

// A case is read more than once: for its combinations, and to run.
static bool can_be_read(Diagnostics *diagnostics, Arena *arena, const char *path) {
    struct stat facts;
    if (stat(path, &facts) || S_ISREG(facts.st_mode)) return true; // file_read says what is wrong
    return S_ISDIR(facts.st_mode)
               ? refuse_folder(diagnostics, arena, path)
               : diag_fail(diagnostics, (Location){.file = path}, E_FILE, "is no file that can be read again");
}

FpdCase *fpd_load_combination(Diagnostics *diagnostics, Arena *arena, const char *path, FpdCombination *combination) {
    Arena bytes = {0};
    uint8_t *text;
    size_t size;
    combination->count = 1;
    bool good = can_be_read(diagnostics, &bytes, path) && file_read(diagnostics, &bytes, path, &text, &size);
    FpdCase *cas = good ? parse_combination(diagnostics, arena, path, text, size, combination) : NULL;
    arena_reset(&bytes);
    return cas;
}

FpdCase *fpd_load_case(Diagnostics *diagnostics, Arena *arena, const char *path) {
    FpdCombination first = {0};
    return fpd_load_combination(diagnostics, arena, path, &first);
}

static bool same_error(const Diagnostics *a, const Diagnostics *b) {
    return a->count && b->count && a->items[0].at.line == b->items[0].at.line &&
           a->items[0].at.column == b->items[0].at.column && !strcmp(a->items[0].message, b->items[0].message);
}

uint32_t fpd_count_combinations(const char *path, const FpdParameters *set) {
    Diagnostics errors[2] = {0}; // who runs the case says what is wrong with it
    Arena arena = {0};
    FpdCombination first = {.set = *set}, last = {.set = *set};
    uint32_t count = 1;
    const bool good = fpd_load_combination(&errors[0], &arena, path, &first);
    last.index = first.count - 1;
    // What is wrong with all of them is said once.
    if (good || first.count == 1 || fpd_load_combination(&errors[1], &arena, path, &last) ||
        !same_error(&errors[0], &errors[1]))
        count = first.count;
    diagnostics_close(&errors[0]);
    diagnostics_close(&errors[1]);
    arena_reset(&arena);
    return count;
}
