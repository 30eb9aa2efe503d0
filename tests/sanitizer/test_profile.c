// SPDX-License-Identifier: Apache-2.0
// Profiles, names, the instrumentation text, and use from C++.
#include "sanitizer/fpsan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(profile, is_found_by_name) {
    const FpsanProfile *profile = fpsan_profile_by_name("triton-3.9");
    cr_assert_not_null(profile);
    cr_assert_eq(profile, fpsan_profile_at(0));
    cr_assert_eq(profile, fpsan_default_algebra().profile);
    cr_assert_eq(fpsan_default_algebra().casts, FPSAN_CASTS_MIX);
    cr_assert_null(fpsan_profile_at(1));
    cr_assert_null(fpsan_profile_by_name("triton-3.8"));
    cr_assert_null(fpsan_profile_by_name(""));
}

// The rules read the profile: with other constants they give other payloads, and the laws still hold.
Test(profile, constants_are_not_repeated_in_code) {
    FpsanProfile other = *fpsan_profile_at(0);
    const FpsanProfile *usual = fpsan_profile_at(0);
    other.embed_multiplier = 922291;
    other.exp_scale = 594471359;
    other.tag_multiplier = 271829;
    other.cast_multiplier = 12345;
    uint64_t bits = 0x40490fdb, x = 12345;
    cr_assert_neq(fpsan_embed(&other, FPSAN_F32, bits), fpsan_embed(usual, FPSAN_F32, bits));
    cr_assert_eq(fpsan_unembed(&other, FPSAN_F32, fpsan_embed(&other, FPSAN_F32, bits)), bits);
    cr_assert_eq(fpsan_embed(&other, FPSAN_F32, 0x3f800000), 1);
    cr_assert_neq(fpsan_apply(&other, FPSAN_RULE_EXP, FPSAN_F32, &x),
                  fpsan_apply(usual, FPSAN_RULE_EXP, FPSAN_F32, &x));
    cr_assert_neq(fpsan_apply(&other, FPSAN_RULE_LOG, FPSAN_F32, &x),
                  fpsan_apply(usual, FPSAN_RULE_LOG, FPSAN_F32, &x));
    FpsanAlgebra mine = {&other, FPSAN_CASTS_MIX}, theirs = fpsan_default_algebra();
    cr_assert_neq(fpsan_cast(&mine, FPSAN_F32, FPSAN_F16, 0x12345678, FPSAN_NEAREST_EVEN),
                  fpsan_cast(&theirs, FPSAN_F32, FPSAN_F16, 0x12345678, FPSAN_NEAREST_EVEN));
}

Test(profile, rules_are_found_by_name) {
    for (FpsanRule rule = 0; rule < FPSAN_RULE_COUNT; rule++) {
        FpsanRule found = FPSAN_RULE_COUNT;
        cr_assert(fpsan_rule_by_name(fpsan_rule_info(rule)->name, &found));
        cr_assert_eq(found, rule);
    }
    FpsanRule none;
    cr_assert_not(fpsan_rule_by_name("nothing", &none));
    static const struct {
        const char *symbol;
        FpsanRule rule;
    } symbols[] = {
        {"__nv_expf", FPSAN_RULE_EXP},    {"__nv_exp2f", FPSAN_RULE_EXP2},   {"__nv_fast_expf", FPSAN_RULE_EXP},
        {"__nv_logf", FPSAN_RULE_LOG},    {"__nv_log2f", FPSAN_RULE_LOG2},   {"__nv_sinf", FPSAN_RULE_SIN},
        {"__nv_cosf", FPSAN_RULE_COS},    {"__nv_rsqrtf", FPSAN_RULE_RSQRT}, {"__nv_fsqrt_rn", FPSAN_RULE_SQRT_RN},
        {"__nv_fdiv_rn", FPSAN_RULE_DIV}, {"__nv_erff", FPSAN_RULE_ERF},     {"__nv_floorf", FPSAN_RULE_FLOOR},
        {"__nv_ceilf", FPSAN_RULE_CEIL},  {"__nv_fmaf", FPSAN_RULE_FMA}};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        cr_assert_eq(fpsan_symbol_rule(symbols[i].symbol), symbols[i].rule, "%s", symbols[i].symbol);
    cr_assert_eq(fpsan_symbol_rule("__nv_fma"), FPSAN_RULE_EXTERN);
    cr_assert_eq(fpsan_symbol_rule("__nv_exp"), FPSAN_RULE_EXTERN); // Triton knows the f32 names only
}

Test(profile, instrumentation_is_parsed) {
    static const struct {
        const char *text;
        bool enabled;
        FpsanCasts casts;
    } rows[] = {{NULL, false, FPSAN_CASTS_MIX},
                {"", false, FPSAN_CASTS_MIX},
                {"none", false, FPSAN_CASTS_MIX},
                {"fpsan", true, FPSAN_CASTS_MIX},
                {"fpsan,casts=mix", true, FPSAN_CASTS_MIX},
                {"fpsan,casts=homomorphic", true, FPSAN_CASTS_HOMOMORPHIC},
                {"fpsan,profile=triton-3.9", true, FPSAN_CASTS_MIX},
                {"fpsan,casts=homomorphic,profile=triton-3.9", true, FPSAN_CASTS_HOMOMORPHIC},
                {"fpsan,profile=triton-3.9,casts=homomorphic", true, FPSAN_CASTS_HOMOMORPHIC}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FpsanInstrumentation parsed, again;
        char message[FPSAN_MESSAGE_SIZE], text[FPSAN_MESSAGE_SIZE];
        cr_assert(fpsan_parse_instrumentation(rows[i].text, &parsed, message), "%s", rows[i].text);
        cr_assert_eq(parsed.enabled, rows[i].enabled);
        cr_assert_eq(parsed.algebra.casts, rows[i].casts);
        cr_assert_eq(parsed.algebra.profile, fpsan_profile_at(0));
        fpsan_print_instrumentation(&parsed, text);
        cr_assert(fpsan_parse_instrumentation(text, &again, message));
        cr_assert(again.enabled == parsed.enabled && again.algebra.casts == parsed.algebra.casts &&
                  again.algebra.profile == parsed.algebra.profile);
    }
    FpsanInstrumentation on = {true, {fpsan_profile_at(0), FPSAN_CASTS_HOMOMORPHIC}},
                         off = {false, fpsan_default_algebra()};
    char text[FPSAN_MESSAGE_SIZE];
    fpsan_print_instrumentation(&on, text);
    cr_assert_str_eq(text, "fpsan,casts=homomorphic,profile=triton-3.9");
    fpsan_print_instrumentation(&off, text);
    cr_assert_str_eq(text, "none");
}

Test(profile, anything_else_is_refused_with_a_line_that_says_what) {
    static const struct {
        const char *text, *said;
    } rows[] = {{"fpsam", "'fpsam'"},
                {"FPSAN", "'FPSAN'"},
                {" fpsan", "' fpsan'"},
                {"fpsan ", "'fpsan '"},
                {"none,casts=mix", "'none,casts=mix'"},
                {",", "','"},
                {"fpsan,", "key ''"},
                {"fpsan,,casts=mix", "key ''"},
                {"fpsan,casts", "'casts'"},
                {"fpsan,casts=", "casts ''"},
                {"fpsan,casts=Mix", "'Mix': expected mix or homomorphic"},
                {"fpsan,casts=mixed", "'mixed'"},
                {"fpsan,casts=mix,casts=mix", "repeated"},
                {"fpsan,profile=triton-3.8", "'triton-3.8': expected triton-3.9"},
                {"fpsan,profile=", "profile ''"},
                {"fpsan,profile=triton-3.9,profile=triton-3.9", "repeated"},
                {"fpsan\n", "'fpsan?'"}};
    char message[FPSAN_MESSAGE_SIZE];
    FpsanInstrumentation untouched = {true, {NULL, FPSAN_CASTS_HOMOMORPHIC}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_not(fpsan_parse_instrumentation(rows[i].text, &untouched, message), "%s", rows[i].text);
        cr_assert_not_null(strstr(message, rows[i].said), "%s: %s", rows[i].text, message);
        cr_assert_null(strchr(message, '\n'));
        cr_assert(untouched.enabled && !untouched.algebra.profile);
    }
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    cr_assert_not(fpsan_parse_instrumentation(text, &untouched, message));
    cr_assert_lt(strlen(message), FPSAN_MESSAGE_SIZE);
    memcpy(text, "fpsan,profile=", 14);
    cr_assert_not(fpsan_parse_instrumentation(text, &untouched, message));
}

// cplusplus.cc, compiled as C++.
int fpsan_used_from_cplusplus(void);

Test(profile, headers_serve_cplusplus) {
    cr_assert_eq(fpsan_used_from_cplusplus(), 1);
}
