// SPDX-License-Identifier: Apache-2.0
// Profiles and modes: what they are (families.def, modes.def), and which profile a case runs in. That is what the case
// file says, and what the command line says over it. Without either it is the tower; who says `casts` and names no
// profile wants triton-3.9, the only one that has them.
#include "diff/case_internal.h"
#include "diff/options.h"

#include <string.h>

static const FpdFamilyInfo family_infos[FPD_FAMILY_COUNT] = {
#define FAMILY(name, profile, version, meanings, casts, everywhere, threads)                                           \
    {profile, version, meanings, casts, everywhere, threads},
#include "diff/families.def"
#undef FAMILY
};

const FpdFamilyInfo *fpd_family_info(FpdFamily family) {
    return &family_infos[family];
}

static const struct ModeRow {
    const char *name;
    bool compared;
    FpdArithmetic arithmetic[FPD_FAMILY_COUNT];
} mode_rows[FPD_MODE_COUNT] = {
#define RING(numeric, payloads, question, numbers_of)                                                                  \
    { numeric, FPD_PAYLOADS_##payloads, FPD_QUESTION_##question, FPD_MODE_##numbers_of }
#define TOWER                             RING
#define MODE(name, compared, ring, tower) {#name, compared, {[FPD_FAMILY_ring] = ring, [FPD_FAMILY_tower] = tower}},
#include "diff/modes.def"
#undef MODE
#undef TOWER
#undef RING
};
_Static_assert(FPD_FAMILY_COUNT == 2, "each family is a column of modes.def");

bool fpd_mode_is_compared(FpdMode mode) {
    return mode_rows[mode].compared;
}

const char *fpd_mode_name(FpdMode mode) {
    return mode_rows[mode].name;
}

bool fpd_mode_by_name(const char *name, FpdMode *mode) {
    for (int i = 0; i < FPD_MODE_COUNT; i++)
        if (!strcmp(mode_rows[i].name, name)) {
            *mode = (FpdMode)i;
            return true;
        }
    return false;
}

const FpdArithmetic *fpd_arithmetic(FpdFamily family, FpdMode mode) {
    return &mode_rows[mode].arithmetic[family];
}

static const bool question_needs_tolerance[FPD_QUESTION_COUNT] = {
#define QUESTION(name, needs_tolerance, ...) needs_tolerance,
#include "diff/questions.def"
#undef QUESTION
};

bool fpd_is_judged(const FpdCase *cas, FpdQuestion question) {
    return cas->tolerance.given || !question_needs_tolerance[question];
}

// ---- profiles -------------------------------------------------------------------------------------------------------

const char *fpd_profile_list(Arena *arena) {
    const char *list = "";
    for (int f = FPD_FAMILY_COUNT; f-- > 0;)
        if (family_infos[f].profile) list = arena_format(arena, "%s%s", list, family_infos[f].profile);
    for (size_t i = 0; fpsan_profile_at(i); i++) list = arena_format(arena, "%s, %s", list, fpsan_profile_at(i)->name);
    return list;
}

bool fpd_profile_by_name(const char *name, FpdProfile *profile) {
    *profile = (FpdProfile){FPD_FAMILY_ring, fpsan_profile_by_name(name)};
    for (int f = 0; f < FPD_FAMILY_COUNT; f++)
        if (family_infos[f].profile && !strcmp(family_infos[f].profile, name)) profile->family = (FpdFamily)f;
    return profile->ring || profile->family != FPD_FAMILY_ring;
}

static void choose_profile(FpdCase *cas, FpdProfile profile) {
    cas->family = profile.family;
    if (profile.ring) cas->algebra.profile = profile.ring;
}

const char *fpd_profile_name(const FpdCase *cas) {
    const char *only = family_infos[cas->family].profile;
    return only ? only : cas->algebra.profile->name;
}

// Keys that only families with meanings understand.
static bool refuse_meanings(CaseReader *r, const KeyNodes keys) {
    const char *name = fpd_profile_name(r->cas), *why = r->cas->profile_given ? "" : ", which `casts` selects";
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
    FpdProfile chosen = {.family = casts ? FPD_FAMILY_ring : FPD_FAMILY_tower};
    if (profile && !fpd_profile_by_name(profile->text, &chosen))
        return case_wrong(r, profile->at, "unknown profile '%s', expected one of: %s", profile->text,
                          fpd_profile_list(r->arena));
    cas->algebra = fpsan_default_algebra();
    cas->profile_given = profile;
    choose_profile(cas, chosen);
    if (casts && !fpsan_casts_by_name(casts->text, &cas->algebra.casts))
        return case_wrong(r, casts->at, "casts is '%s', expected mix or homomorphic", casts->text);
    if (casts && !family_infos[cas->family].casts)
        return case_wrong(r, casts->at, "casts is for profile %s, this case says profile: %s",
                          fpsan_default_algebra().profile->name, fpd_profile_name(cas));
    return family_infos[cas->family].meanings || refuse_meanings(r, keys);
}

static bool asks_formula(const FpdCase *cas) {
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (fpd_arithmetic(cas->family, cas->modes[m])->question == FPD_QUESTION_formula) return true;
    return false;
}

bool fpd_override_modes(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options) {
    if (!options->modes) return true;
    cas->mode_count = 0;
    cas->asks_accuracy = cas->accuracy.given;
    for (int m = 0; m < FPD_MODE_COUNT; m++) {
        if (!(options->modes >> m & 1)) continue;
        if (fpd_mode_is_compared((FpdMode)m))
            cas->modes[cas->mode_count++] = (FpdMode)m;
        else
            cas->asks_accuracy = true;
    }
    return !cas->expect_diverge || asks_formula(cas) ||
           diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                     "expect: diverge is about payload modes, and --modes lists none");
}

bool fpd_override_profile(Diagnostics *diagnostics, FpdCase *cas, const FpdOptions *options) {
    if (options->has_profile) choose_profile(cas, options->profile);
    if (!options->has_casts) return true;
    if (!options->has_profile && cas->profile_given && !family_infos[cas->family].casts)
        return diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                         "--casts is for profile %s, this case says profile: %s; --profile %s runs it in the other",
                         cas->algebra.profile->name, fpd_profile_name(cas), cas->algebra.profile->name);
    cas->family = FPD_FAMILY_ring;
    cas->algebra.casts = options->casts;
    return true;
}
