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
    else
        *text = NULL;
}

// The array to write from or to read into, with `count` items, each of which takes a byte at least; NULL stays NULL.
static void *walk_array(Walk *w, const void *items, uint64_t count, size_t size) {
    bool there = items;
    WALK(there);
    if (w->out) return (void *)(uintptr_t)items; // the walk does not change what it writes
    w->good = w->good && (!there || count <= w->left);
    return there && w->good ? arena_alloc_array(w->arena, count + 1, size) : NULL;
}

static void walk_place(Walk *w, Location *at) {
    walk_text(w, &at->file);
    walk_text(w, &at->section);
    walk_text(w, &at->callers);
    WALK(at->offset);
    WALK(at->line);
    WALK(at->column);
    WALK(at->has_offset);
}

// Walks over an array of structs: `member` has the address, `count` how many, and the statements see each as `item`.
#define WALK_ITEMS(Type, member, count, ...)                                                                           \
    do {                                                                                                               \
        Type *items_ = walk_array(w, member, count, sizeof(Type));                                                     \
        for (uint64_t i_ = 0; items_ && i_ < (count) && w->good; i_++) {                                               \
            Type *item = &items_[i_];                                                                                  \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
        member = items_;                                                                                               \
    } while (0)

static void walk_print_value(Walk *w, HostPrintValue *value) {
    WALK(value->kind);
    WALK(value->bits);
    WALK(value->rank);
    WALK_ITEMS(int64_t, value->shape, value->rank, WALK(*item););
    if (!w->out) value->elements = NULL;
}

static void walk_print(Walk *w, HostPrint *form) {
    WALK(form->length);
    walk_characters(w, &form->format, form->length);
    WALK(form->value_count);
    WALK_ITEMS(HostPrintValue, form->values, form->value_count, walk_print_value(w, item););
}

static void walk_lists(Walk *w, KernelInfo *kernel) {
    WALK_ITEMS(KernelSite, kernel->sites, kernel->site_count, {
        WALK(item->kind);
        walk_text(w, &item->op);
        walk_text(w, &item->message);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelStore, kernel->stores, kernel->store_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        walk_text(w, &item->unspecified);
        WALK(item->passed_on);
        WALK(item->decides);
    });
    WALK_ITEMS(KernelAccess, kernel->accesses, kernel->access_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        WALK(item->kind);
    });
    WALK_ITEMS(KernelCensusSite, kernel->census_sites, kernel->census_site_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        WALK(item->order);
        WALK(item->format);
        WALK(item->cancels);
    });
    WALK_ITEMS(KernelLoss, kernel->losses, kernel->loss_count, {
        WALK(item->kind);
        walk_text(w, &item->op);
        walk_place(w, &item->at);
    });
    WALK_ITEMS(KernelUnwritten, kernel->unwritten, kernel->unwritten_count, {
        walk_text(w, &item->what);
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        WALK(item->certain);
    });
}

// A member that is added to the struct belongs into this walk, unless it is code.
_Static_assert(sizeof(KernelInfo) == 328, "walk_kernel knows all members");
static void walk_kernel(Walk *w, KernelInfo *kernel) {
    walk_text(w, &kernel->name);
    walk_text(w, &kernel->symbol);
    WALK(kernel->parameter_count);
    WALK(kernel->global_count);
    WALK(kernel->scratch_bytes);
    WALK(kernel->site_count);
    WALK(kernel->sequential);
    WALK(kernel->prints);
    WALK(kernel->has_locals);
    WALK(kernel->store_count);
    WALK(kernel->compact_records);
    WALK(kernel->stored_widths_unknown);
    WALK(kernel->access_count);
    WALK(kernel->stores_unknown);
    WALK(kernel->looks);
    WALK(kernel->waits);
    WALK(kernel->census_site_count);
    WALK(kernel->census_offset);
    WALK(kernel->threads);
    WALK(kernel->shared_bytes);
    WALK(kernel->print_form_count);
    WALK(kernel->parameter_bytes);
    WALK(kernel->static_shared);
    WALK(kernel->shared_alignment);
    WALK(kernel->required_threads);
    WALK(kernel->required_cluster);
    WALK(kernel->threads_max);
    WALK(kernel->local_bytes);
    WALK(kernel->loss_count);
    WALK(kernel->unwritten_count);
    walk_lists(w, kernel);
    const uint64_t origins = (uint64_t)kernel->parameter_count + kernel->global_count;
    WALK_ITEMS(uint32_t, kernel->stored_widths, origins, WALK(*item););
    WALK_ITEMS(uint8_t, kernel->stores_through, origins, WALK(*item););
    WALK_ITEMS(KernelParameter, kernel->parameter_layout, kernel->parameter_count, {
        WALK(item->offset);
        WALK(item->size);
        WALK(item->alignment);
    });
    WALK_ITEMS(HostPrint, kernel->print_forms, kernel->print_form_count, walk_print(w, item););
}

static void walk_image(Walk *w, KernelImage *image) {
    WALK(image->kernel_count);
    WALK(image->place_count);
    WALK_ITEMS(KernelInfo, image->kernels, image->kernel_count, walk_kernel(w, item););
    WALK_ITEMS(KernelPlace, image->places, image->place_count, {
        walk_text(w, &item->op);
        walk_place(w, &item->at);
        WALK(item->losses);
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
