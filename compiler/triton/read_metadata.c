// SPDX-License-Identifier: Apache-2.0
// What Triton writes beside a kernel's texts, in its cache and its dumps: NAME.json.
#include <jansson.h>

#include "compiler/triton/reader.h"

enum { METADATA_MAX = 1 << 20 }; // bytes

// NAME.json beside NAME.ttir; NULL: the file is called otherwise.
static const char *path_beside(Arena *arena, const char *path) {
    static const char ending[] = ".ttir";
    const size_t length = strlen(path), cut = sizeof ending - 1;
    if (length < cut || strcmp(path + length - cut, ending)) return NULL;
    return arena_format(arena, "%.*s.json", (int)(length - cut), path);
}

static json_t *load(Arena *arena, const char *path) {
    Diagnostics ignored = {0};
    uint8_t *bytes;
    size_t size;
    json_t *root = NULL;
    if (file_read(&ignored, arena, path, &bytes, &size) && size <= METADATA_MAX)
        root = json_loadb((const char *)bytes, size, 0, NULL);
    diagnostics_close(&ignored);
    return root;
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

TirOrigin tri_read_metadata(Arena *arena, const char *path) {
    TirOrigin origin = {0};
    Arena scratch = {0};
    const char *beside = path ? path_beside(&scratch, path) : NULL;
    json_t *root = beside ? load(&scratch, beside) : NULL;
    // Other programs write files of that name, too, such as reports.
    if (json_is_string(json_object_get(root, "name")) && json_is_integer(json_object_get(root, "num_warps")))
        describe(&origin, arena, root);
    json_decref(root);
    arena_reset(&scratch);
    return origin;
}
