// SPDX-License-Identifier: Apache-2.0
// Kernels' descriptions: kinds of sites and of losses.
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

// ---- losses --------------------------------------------------------------------------------------------------------

const KernelLossInfo *kernel_loss_info(KernelLossKind kind) {
    static const KernelLossInfo rows[KERNEL_LOSS_KINDS] = {
#define LOSS(id, told, meaning) {#id, KERNEL_LOSS_TOLD_##told, meaning},
#include "base/losses.def"
#undef LOSS
    };
    return &rows[kind];
}
