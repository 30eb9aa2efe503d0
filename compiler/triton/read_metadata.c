// SPDX-License-Identifier: Apache-2.0
// What Triton writes beside a kernel's texts, in its cache and its dumps: NAME.json. Nothing of a damaged one is used:
// it is an error with its place.
#include <jansson.h>
#include <sys/stat.h>

#include "compiler/triton/reader.h"

enum { METADATA_MAX = 1 << 20 }; // bytes

// NAME.json beside NAME.ttir; NULL: the file is called otherwise.
static const char *path_beside(Arena *arena, const char *path) {
    static const char ending[] = ".ttir";
    const size_t length = strlen(path), cut = sizeof ending - 1;
    if (length < cut || strcmp(path + length - cut, ending)) return NULL;
    return arena_format(arena, "%.*s.json", (int)(length - cut), path);
}

#define REMEDY "restore what Triton wrote beside the kernel, or remove this file"

// Whether it can be Triton's: a small regular file. Others, such as pipes, are not opened.
static bool may_be_metadata(const char *path) {
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && status.st_size <= METADATA_MAX;
}

static json_t *load(Diagnostics *diagnostics, Arena *arena, const char *path) {
    uint8_t *bytes;
    size_t size;
    json_error_t error;
    if (!file_read(diagnostics, arena, path, &bytes, &size)) return NULL;
    json_t *root = json_loadb((const char *)bytes, size, 0, &error);
    if (!root)
        diag_fail(diagnostics,
                  (Location){.file = path,
                             .line = error.line > 0 ? (uint32_t)error.line : 0,
                             .column = error.column > 0 ? (uint32_t)error.column : 0},
                  E_TEXT, "no valid JSON: %s; " REMEDY, error.text);
    return root;
}

// What is read of it, and whether it has to be there.
static const struct {
    const char *key;
    json_type type;
    const char *expected;
    bool needed;
} keys[] = {{"name", JSON_STRING, "a text", true},
            {"num_warps", JSON_INTEGER, "an integer", true},
            {"num_stages", JSON_INTEGER, "an integer", false},
            {"num_ctas", JSON_INTEGER, "an integer", false},
            {"triton_version", JSON_STRING, "a text", false},
            {"target", JSON_OBJECT, "an object", false}};

// Other programs write files of that name, too, such as reports.
static bool is_metadata(const json_t *root) {
    return json_object_get(root, "num_warps") || json_object_get(root, "num_stages") ||
           json_object_get(root, "triton_version");
}

static bool check(Diagnostics *diagnostics, const char *path, const json_t *root) {
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        const json_t *value = json_object_get(root, keys[i].key);
        if (value ? json_typeof(value) != keys[i].type : keys[i].needed)
            return diag_fail(diagnostics, (Location){.file = path}, E_TEXT, "'%s' is %s, expected %s; " REMEDY,
                             keys[i].key, value ? "something else" : "missing", keys[i].expected);
    }
    return true;
}

static void print_count(Buffer *out, const json_t *root, const char *key, const char *what) {
    const json_int_t count = json_integer_value(json_object_get(root, key));
    if (count > 0)
        buffer_print(out, "%s%lld %s%s", out->size ? ", " : "", (long long)count, what, count == 1 ? "" : "s");
}

// "cuda sm_90", "hip gfx942"
static void print_target(Buffer *out, const json_t *target) {
    const char *backend = json_string_value(json_object_get(target, "backend"));
    const json_t *arch = json_object_get(target, "arch");
    if (!backend) return;
    buffer_print(out, " for %s", backend);
    if (json_is_integer(arch)) buffer_print(out, " sm_%lld", (long long)json_integer_value(arch));
    if (json_is_string(arch)) buffer_print(out, " %s", json_string_value(arch));
}

static const char *keep(Arena *arena, const Buffer *text) {
    return arena_text(arena, text->data ? text->data : "", text->size);
}

static void describe(TirOrigin *origin, Arena *arena, const json_t *root) {
    Buffer text = {0}, settings = {0};
    const char *version = json_string_value(json_object_get(root, "triton_version"));
    buffer_print(&text, "Triton%s%s", version ? " " : "", version ? version : "");
    origin->producer = keep(arena, &text);
    print_target(&text, json_object_get(root, "target"));
    print_count(&settings, root, "num_warps", "warp");
    print_count(&settings, root, "num_stages", "stage");
    if (json_integer_value(json_object_get(root, "num_ctas")) > 1)
        buffer_print(&settings, "%sclusters of %lld blocks", settings.size ? ", " : "",
                     (long long)json_integer_value(json_object_get(root, "num_ctas")));
    if (json_is_true(json_object_get(root, "enable_fp_fusion")))
        buffer_print(&settings, "%sproducts and sums fused on the GPU", settings.size ? ", " : "");
    if (settings.size) buffer_print(&text, ": %.*s", (int)settings.size, settings.data);
    origin->text = keep(arena, &text);
    origin->kernel = arena_keep(arena, json_string_value(json_object_get(root, "name")));
    buffer_free(&text);
    buffer_free(&settings);
}

bool tri_read_metadata(Diagnostics *diagnostics, Arena *arena, const char *path, TirOrigin *origin) {
    Arena scratch = {0};
    const char *beside = path ? path_beside(&scratch, path) : NULL;
    bool ok = true;
    *origin = (TirOrigin){0};
    if (beside && may_be_metadata(beside)) {
        json_t *root = load(diagnostics, &scratch, beside);
        ok = root && (!is_metadata(root) || check(diagnostics, beside, root));
        if (ok && is_metadata(root)) describe(origin, arena, root);
        json_decref(root);
    }
    arena_reset(&scratch);
    return ok;
}
