// SPDX-License-Identifier: Apache-2.0
// The profiles, known symbols, and the text that chooses an instrumentation.
#include "sanitizer/fpsan_internal.h"

#include <stdio.h>
#include <string.h>

// Where the numbers come from: the real Triton 3.9.0, see tests/sanitizer/data.
static const FpsanProfile profile_table[] = {
    {.name = "triton-3.9",
     .embed_multiplier = 14940041,
     .exp_scale = 648190581,
     .tag_multiplier = 314159,
     .cast_multiplier = 3511,
     .exp2_shift_divisor = 4,
     .circle_real = -3,
     .circle_imaginary = 4,
     .circle_modulus = 5,
     .tag =
         {
#define RULE(name, text, operands, kind, tag, ...) tag,
#include "sanitizer/format/rules.def"
#undef RULE
         }},
};
enum { PROFILE_COUNT = sizeof profile_table / sizeof *profile_table };

const FpsanProfile *fpsan_profile_at(size_t index) {
    return index < PROFILE_COUNT ? &profile_table[index] : NULL;
}

const FpsanProfile *fpsan_profile_by_name(const char *name) {
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (!strcmp(profile_table[i].name, name)) return &profile_table[i];
    return NULL;
}

FpsanAlgebra fpsan_default_algebra(void) {
    return (FpsanAlgebra){&profile_table[0], FPSAN_CASTS_MIX};
}

// A rule that is a function has a symbol of each width.
#define RULE(name, text, operands, kind, tag, library, narrow, wide, fast)                                             \
    _Static_assert(FPSAN_KIND_##kind != FPSAN_KIND_FUNCTION || (sizeof narrow > 1 && sizeof wide > 1), text);
#include "sanitizer/format/rules.def"
#undef RULE

const char *fpsan_rule_symbol(FpsanRule rule, FpsanFormat format) {
    const FpsanRuleInfo *info = fpsan_rule_info(rule);
    if (info->kind != FPSAN_KIND_FUNCTION) return NULL;
    return fpsan_format_info(format)->lane_bits == 64 ? info->wide : info->narrow;
}

// Symbols of rules that are functions are externs of their own, which is what these rules are.
FpsanRule fpsan_symbol_rule(const char *symbol) {
    for (FpsanRule rule = 0; *symbol && rule < FPSAN_RULE_COUNT; rule++) {
        const FpsanRuleInfo *info = fpsan_rule_info(rule);
        if (info->kind != FPSAN_KIND_FUNCTION && (!strcmp(symbol, info->narrow) || !strcmp(symbol, info->fast)))
            return rule;
    }
    return FPSAN_RULE_EXTERN;
}

const char *fpsan_casts_name(FpsanCasts casts) {
    switch (casts) {
    case FPSAN_CASTS_MIX: return "mix";
    case FPSAN_CASTS_HOMOMORPHIC: return "homomorphic";
    }
    return NULL;
}

bool fpsan_casts_by_name(const char *name, FpsanCasts *casts) {
    const char *known;
    for (unsigned i = 0; (known = fpsan_casts_name((FpsanCasts)i)); i++) {
        if (strcmp(known, name)) continue;
        *casts = (FpsanCasts)i;
        return true;
    }
    return false;
}

// ---- the instrumentation text ---------------------------------------------------------------------------------------

static bool text_is(const char *text, size_t length, const char *name) {
    return strlen(name) == length && !memcmp(text, name, length);
}

// Quotes at most 60 characters of a user's text, unprintable ones as '?', so that a message stays one line.
static bool refuse(char *message, const char *what, const char *text, size_t length, const char *expected) {
    char quoted[64];
    size_t n = length > 60 ? 60 : length;
    for (size_t i = 0; i < n; i++) quoted[i] = text[i] >= 32 && text[i] < 127 ? text[i] : '?';
    quoted[n] = 0;
    snprintf(message, FPSAN_MESSAGE_SIZE, "%s '%s%s': expected %s", what, quoted, length > n ? "..." : "", expected);
    return false;
}

static bool refuse_profile(char *message, const char *text, size_t length) {
    char names[128] = "";
    for (size_t i = 0, at = 0; i < PROFILE_COUNT && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", profile_table[i].name);
    return refuse(message, "unknown profile", text, length, names);
}

// key ::= "casts=" ("mix" | "homomorphic") | "profile=" NAME
static bool parse_key(const char *text, size_t length, bool seen[2], FpsanInstrumentation *out, char *message) {
    static const char *const keys[2] = {"casts=", "profile="};
    unsigned key = 0;
    while (key < 2 && (length < strlen(keys[key]) || memcmp(text, keys[key], strlen(keys[key])))) key++;
    if (key == 2)
        return refuse(message, "unknown instrumentation key", text, length, "casts=mix|homomorphic or profile=NAME");
    if (seen[key]) return refuse(message, "repeated instrumentation key", text, length, "each key once");
    seen[key] = true;
    const char *value = text + strlen(keys[key]);
    size_t size = length - strlen(keys[key]);
    if (key == 0) {
        const char *known;
        for (unsigned i = 0; (known = fpsan_casts_name((FpsanCasts)i)); i++)
            if (text_is(value, size, known)) {
                out->algebra.casts = (FpsanCasts)i;
                return true;
            }
        return refuse(message, "unknown casts", value, size, "mix or homomorphic");
    }
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (text_is(value, size, profile_table[i].name)) {
            out->algebra.profile = &profile_table[i];
            return true;
        }
    return refuse_profile(message, value, size);
}

bool fpsan_parse_instrumentation(const char *text, FpsanInstrumentation *instrumentation, char *message) {
    FpsanInstrumentation parsed = {.enabled = false, .algebra = fpsan_default_algebra()};
    if (!text || !*text || !strcmp(text, "none")) {
        *instrumentation = parsed;
        return true;
    }
    size_t length = strcspn(text, ",");
    if (!text_is(text, length, "fpsan"))
        return refuse(message, "unknown instrumentation", text, strlen(text),
                      "fpsan[,casts=mix|homomorphic][,profile=NAME] or none");
    parsed.enabled = true;
    bool seen[2] = {false, false};
    for (text += length; *text; text += length) {
        text++; // the comma
        length = strcspn(text, ",");
        if (!parse_key(text, length, seen, &parsed, message)) return false;
    }
    *instrumentation = parsed;
    return true;
}

void fpsan_print_instrumentation(const FpsanInstrumentation *instrumentation, char *text) {
    if (!instrumentation->enabled)
        snprintf(text, FPSAN_MESSAGE_SIZE, "none");
    else
        snprintf(text, FPSAN_MESSAGE_SIZE, "fpsan,casts=%s,profile=%s",
                 fpsan_casts_name(instrumentation->algebra.casts), instrumentation->algebra.profile->name);
}
