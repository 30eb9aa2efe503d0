// SPDX-License-Identifier: Apache-2.0
// Kernels' descriptions: kinds of sites, copies.
#include "base/kernel_info.h"

#include <string.h>

// ---- sites ----------------------------------------------------------------------------------------------------------

static const char *const site_kinds[] = {
#define SITE(kind, name, ...) [HOST_SITE_##kind] = #name,
#include "base/host_sites.def"
#undef SITE
};
#define SITE(kind, ...) | BASE_BIT(HOST_SITE_##kind)
_Static_assert((0
#include "base/host_sites.def"
                ) == BASE_BITS(HOST_SITE_KINDS),
               "a row for each kind");
#undef SITE

const char *kernel_site_kind(HostSiteKind kind) {
    return site_kinds[kind];
}

// ---- copies ---------------------------------------------------------------------------------------------------------

static const void *copy_array(Arena *arena, const void *items, size_t count, size_t size) {
    if (!items) return NULL;
    void *copy = arena_alloc_array(arena, count + 1, size);
    if (count) memcpy(copy, items, count * size);
    return copy;
}

#define COPY_ARRAY(arena, items, count) copy_array(arena, items, count, sizeof *(items))

static const HostPrint *copy_forms(Arena *arena, const HostPrint *from, uint32_t count) {
    HostPrint *forms = (HostPrint *)COPY_ARRAY(arena, from, count);
    for (uint32_t i = 0; forms && i < count; i++) {
        HostPrintValue *values = (HostPrintValue *)COPY_ARRAY(arena, forms[i].values, forms[i].value_count);
        for (uint64_t v = 0; values && v < forms[i].value_count; v++)
            values[v].shape = COPY_ARRAY(arena, values[v].shape, values[v].rank);
        forms[i].format = arena_text(arena, forms[i].format, forms[i].length);
        forms[i].values = values;
    }
    return forms;
}

const KernelLossInfo *kernel_loss_info(KernelLossKind kind) {
    static const KernelLossInfo rows[KERNEL_LOSS_KINDS] = {
#define LOSS(id, told, meaning) {#id, KERNEL_LOSS_TOLD_##told, meaning},
#include "base/losses.def"
#undef LOSS
    };
    return &rows[kind];
}

const KernelPlace *kernel_copy_places(Arena *arena, const KernelPlace *from, uint32_t count) {
    KernelPlace *places = (KernelPlace *)COPY_ARRAY(arena, from, count);
    for (uint32_t i = 0; places && i < count; i++) {
        places[i].op = arena_keep(arena, places[i].op);
        places[i].at = location_keep(arena, places[i].at);
    }
    return places;
}

KernelInfo kernel_copy(Arena *arena, const KernelInfo *kernel) {
    KernelInfo copy = *kernel;
    const size_t origins = (size_t)kernel->parameter_count + kernel->global_count;
    KernelSite *sites = (KernelSite *)COPY_ARRAY(arena, kernel->sites, kernel->site_count);
    for (uint32_t i = 0; sites && i < kernel->site_count; i++) {
        sites[i].op = arena_keep(arena, sites[i].op);
        sites[i].message = arena_keep(arena, sites[i].message);
        sites[i].at = location_keep(arena, sites[i].at);
    }
    KernelStore *stores = (KernelStore *)COPY_ARRAY(arena, kernel->stores, kernel->store_count);
    for (uint32_t i = 0; stores && i < kernel->store_count; i++) {
        stores[i].op = arena_keep(arena, stores[i].op);
        stores[i].at = location_keep(arena, stores[i].at);
        stores[i].unspecified = arena_keep(arena, stores[i].unspecified);
    }
    KernelAccess *accesses = (KernelAccess *)COPY_ARRAY(arena, kernel->accesses, kernel->access_count);
    for (uint32_t i = 0; accesses && i < kernel->access_count; i++) {
        accesses[i].op = arena_keep(arena, accesses[i].op);
        accesses[i].at = location_keep(arena, accesses[i].at);
    }
    KernelLoss *losses = (KernelLoss *)COPY_ARRAY(arena, kernel->losses, kernel->loss_count);
    for (uint32_t i = 0; losses && i < kernel->loss_count; i++) {
        losses[i].op = arena_keep(arena, losses[i].op);
        losses[i].at = location_keep(arena, losses[i].at);
    }
    KernelUnwritten *unwritten = (KernelUnwritten *)COPY_ARRAY(arena, kernel->unwritten, kernel->unwritten_count);
    for (uint32_t i = 0; unwritten && i < kernel->unwritten_count; i++) {
        unwritten[i].what = arena_keep(arena, unwritten[i].what);
        unwritten[i].op = arena_keep(arena, unwritten[i].op);
        unwritten[i].at = location_keep(arena, unwritten[i].at);
    }
    KernelCensusSite *census = (KernelCensusSite *)COPY_ARRAY(arena, kernel->census_sites, kernel->census_site_count);
    for (uint32_t i = 0; census && i < kernel->census_site_count; i++) {
        census[i].op = arena_keep(arena, census[i].op);
        census[i].at = location_keep(arena, census[i].at);
    }
    copy.census_sites = census;
    copy.losses = losses;
    copy.unwritten = unwritten;
    copy.name = arena_keep(arena, kernel->name);
    copy.symbol = arena_keep(arena, kernel->symbol);
    copy.sites = sites;
    copy.stores = stores;
    copy.stored_widths = COPY_ARRAY(arena, kernel->stored_widths, origins);
    copy.accesses = accesses;
    copy.stores_through = COPY_ARRAY(arena, kernel->stores_through, origins);
    copy.parameter_layout = COPY_ARRAY(arena, kernel->parameter_layout, kernel->parameter_count);
    copy.print_forms = copy_forms(arena, kernel->print_forms, kernel->print_form_count);
    return copy;
}
