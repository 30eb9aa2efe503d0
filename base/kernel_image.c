// SPDX-License-Identifier: Apache-2.0
// Kernels' descriptions as bytes. One walk over the members both writes and reads them.
#include "base/kernel_info.h"

#include <string.h>

// Writes if `out` is there, else reads. Bytes are believed only as far as they go: a member that is not there whole is
// zero, and the walk no longer good.
typedef struct Walk {
    Buffer *out;
    Arena *arena;
    const uint8_t *in;
    size_t left;
    bool good;
} Walk;

static void walk_bytes(Walk *w, void *bytes, size_t size) {
    if (w->out) {
        buffer_append(w->out, bytes, size);
        return;
    }
    if (!w->good || size > w->left) {
        w->good = false;
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, w->in, size);
    w->in += size;
    w->left -= size;
}
#define WALK(member) walk_bytes(w, &(member), sizeof(member))

// A text of `length` bytes with a zero behind it.
static void walk_characters(Walk *w, const char **text, uint64_t length) {
    if (w->out) {
        buffer_append(w->out, *text, length);
        return;
    }
    w->good = w->good && length <= w->left;
    *text = w->good ? arena_text(w->arena, (const char *)w->in, length) : "";
    if (!w->good) return;
    w->in += length;
    w->left -= length;
}

static void walk_text(Walk *w, const char **text) {
    uint64_t length = w->out && *text ? strlen(*text) + 1 : 0; // 0: NULL
    WALK(length);
    if (length)
        walk_characters(w, text, length - 1);
    else if (!w->out)
        *text = NULL;
}

// The array to write from or to read into, with `count` items, each of which takes its size at least; NULL stays NULL.
static void *walk_array(Walk *w, const void *items, uint64_t count, size_t size) {
    bool there = items;
    WALK(there);
    if (w->out) return (void *)(uintptr_t)items; // the walk does not change what it writes
    w->good = w->good && (!there || count <= w->left / size);
    return there && w->good ? arena_alloc_array(w->arena, count + 1, size) : NULL;
}

// Structs are copied as they are, so that no number is forgotten, and then what they point to. A pointer that is added
// to one of them changes its size.
static void walk_place(Walk *w, Location *at) {
    _Static_assert(sizeof *at == 48, "all pointers are walked");
    walk_text(w, &at->file);
    walk_text(w, &at->section);
    walk_text(w, &at->callers);
}

// Walks over an array of structs: `member` has the address, `count` how many, and the statements see each as `item`.
#define WALK_ITEMS(Type, member, count, ...)                                                                           \
    do {                                                                                                               \
        Type *items_ = walk_array(w, member, count, sizeof(Type));                                                     \
        for (uint64_t i_ = 0; items_ && i_ < (count) && w->good; i_++) {                                               \
            Type *item = &items_[i_];                                                                                  \
            WALK(*item);                                                                                               \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
        member = items_;                                                                                               \
    } while (0)

static void walk_print_value(Walk *w, HostPrintValue *value) {
    _Static_assert(sizeof *value == 32, "all pointers are walked");
    WALK_ITEMS(int64_t, value->shape, value->rank, (void)item;);
    if (!w->out) value->elements = NULL;
}

static void walk_print(Walk *w, HostPrint *form) {
    _Static_assert(sizeof *form == 32, "all pointers are walked");
    walk_characters(w, &form->format, form->length);
    WALK_ITEMS(HostPrintValue, form->values, form->value_count, walk_print_value(w, item););
}

_Static_assert(sizeof(KernelSite) == 72 && sizeof(KernelStore) == 72 && sizeof(KernelAccess) == 64 &&
                   sizeof(KernelCensusSite) == 72 && sizeof(KernelLoss) == 64 && sizeof(KernelUnwritten) == 72 &&
                   sizeof(KernelPlace) == 64 && sizeof(KernelParameter) == 12,
               "all pointers are walked");
static void walk_lists(Walk *w, KernelInfo *kernel) {
    WALK_ITEMS(KernelSite, kernel->sites, kernel->site_count, {
        walk_text(w, &item->op);
        walk_text(w, &item->message);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelStore, kernel->stores, kernel->store_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        walk_text(w, &item->unspecified);
    });
    WALK_ITEMS(KernelAccess, kernel->accesses, kernel->access_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelCensusSite, kernel->census_sites, kernel->census_site_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelLoss, kernel->losses, kernel->loss_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelUnwritten, kernel->unwritten, kernel->unwritten_count, {
        walk_text(w, &item->what);
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
}

static void walk_part(Walk *w, KernelPart *part) {
    _Static_assert(sizeof *part == 40, "all pointers are walked");
    walk_text(w, &part->symbol);
    WALK_ITEMS(bool, part->pointers, part->parameter_count, (void)item;);
    if (!w->out) part->entry = NULL;
}

static void walk_kernel(Walk *w, KernelInfo *kernel) {
    _Static_assert(sizeof *kernel == 368, "all pointers are walked");
    walk_text(w, &kernel->name);
    walk_text(w, &kernel->symbol);
    walk_lists(w, kernel);
    const uint64_t origins = (uint64_t)kernel->parameter_count + kernel->global_count;
    WALK_ITEMS(uint32_t, kernel->stored_widths, origins, (void)item;);
    WALK_ITEMS(uint8_t, kernel->stores_through, origins, (void)item;);
    WALK_ITEMS(KernelParameter, kernel->parameter_layout, kernel->parameter_count, (void)item;);
    WALK_ITEMS(HostPrint, kernel->print_forms, kernel->print_form_count, walk_print(w, item););
    WALK_ITEMS(KernelPart, kernel->parts, kernel->part_count, walk_part(w, item););
    if (w->out) return;
    kernel->entry = NULL;
    kernel->simt = NULL;
    kernel->launch = NULL;
    kernel->simt_ops = NULL;
    kernel->places = NULL;
    kernel->warp = NULL;
    kernel->warp_functions = NULL;
    kernel->image = NULL;
}

static void walk_image(Walk *w, KernelImage *image) {
    WALK(image->kernel_count);
    WALK(image->place_count);
    WALK_ITEMS(KernelInfo, image->kernels, image->kernel_count, walk_kernel(w, item););
    WALK_ITEMS(KernelPlace, image->places, image->place_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
}

void kernel_image_write(const KernelImage *image, Buffer *out) {
    Walk w = {.out = out, .good = true};
    KernelImage written = *image;
    walk_image(&w, &written);
}

bool kernel_image_read(Arena *arena, const uint8_t *bytes, size_t size, KernelImage *image, size_t *used) {
    Walk w = {.arena = arena, .in = bytes, .left = size, .good = true};
    walk_image(&w, image);
    *used = size - w.left;
    if (!w.good || (image->kernel_count && !image->kernels)) return false;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        image->kernels[i].place_count = image->place_count;
        image->kernels[i].places = image->places;
    }
    return true;
}
