// SPDX-License-Identifier: Apache-2.0
// Which profile a case runs in: what the case file says, and what the command line says over it. Without either it is
// the tower; who says `casts` and names no profile wants triton-3.9, the only one that has them.
#include "diff/case_internal.h"

#include <string.h>

const char *fpd_profile_list(Arena *arena) {
    const char *list = FPD_TOWER;
    for (size_t i = 0; fpsan_profile_at(i); i++) list = arena_format(arena, "%s, %s", list, fpsan_profile_at(i)->name);
    return list;
}

bool fpd_casts_by_name(const char *name, FpsanCasts *casts) {
    *casts = strcmp(name, "homomorphic") ? FPSAN_CASTS_MIX : FPSAN_CASTS_HOMOMORPHIC;
    return *casts == FPSAN_CASTS_HOMOMORPHIC || !strcmp(name, "mix");
}

// Keys that only the tower understands.
static bool refuse_tower_keys(CaseReader *r, const KeyNodes keys) {
    const char *name = r->cas->algebra.profile->name, *why = r->cas->profile_given ? "" : ", which `casts` selects";
    const FpdNode *means = keys[KEY_CASE_means];
    if (means) return case_wrong(r, means->at, "means is for profile tower, this case is for %s%s", name, why);
    for (uint32_t b = 0; b < r->cas->buffer_count; b++)
        if (r->cas->buffers[b].literal)
            return case_wrong(r, r->cas->buffers[b].at, "literal is for profile tower, this case is for %s%s", name,
                              why);
    return true;
}

bool case_read_profile(CaseReader *r, const KeyNodes keys) {
    const FpdNode *profile = keys[KEY_CASE_profile], *casts = keys[KEY_CASE_casts];
    FpdCase *cas = r->cas;
    cas->algebra = fpsan_default_algebra();
    cas->profile_given = profile;
    cas->tower = profile ? !strcmp(profile->text, FPD_TOWER) : !casts;
    if (profile && !cas->tower) cas->algebra.profile = fpsan_profile_by_name(profile->text);
    if (!cas->algebra.profile)
        return case_wrong(r, profile->at, "unknown profile '%s', expected one of: %s", profile->text,
                          fpd_profile_list(r->arena));
    if (casts && !fpd_casts_by_name(casts->text, &cas->algebra.casts))
        return case_wrong(r, casts->at, "casts is '%s', expected mix or homomorphic", casts->text);
    if (casts && cas->tower)
        return case_wrong(r, casts->at, "casts is for profile %s, this case says profile: %s",
                          fpsan_default_algebra().profile->name, FPD_TOWER);
    return cas->tower || refuse_tower_keys(r, keys);
}

bool fpd_override_profile(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options) {
    bool given = options->tower || options->profile;
    if (given) cas->tower = options->tower;
    if (options->profile) cas->algebra.profile = options->profile;
    if (!options->has_casts) return true;
    if (!given && cas->tower && cas->profile_given)
        return diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                         "--casts is for profile %s, this case says profile: %s; --profile %s runs it in the other",
                         cas->algebra.profile->name, FPD_TOWER, cas->algebra.profile->name);
    cas->tower = false;
    cas->algebra.casts = options->casts;
    return true;
}
