// SPDX-License-Identifier: Apache-2.0
// What each op may do: modes, single options, scopes, blocks, splitting, flushing, keys, bounds; as --emit=tileir-math
// prints it, before and after implementations are chosen.
#include "compiler/implementation.h"
#include "compiler/rewrite/rewrite.h"

#include <criterion/criterion.h>
#include <stdio.h>

// The rewritten module of a text; NULL and *message (in the arena) if it is refused. Close it before `source`.
typedef struct Decided {
    Arena arena;
    Diagnostics diagnostics;
    MathSettings settings;
    TirModule *source, *module;
} Decided;

static void say(Decided *d, const char *settings) {
    const MathReader reader = {.diagnostics = &d->diagnostics, .arena = &d->arena, .code = E_USAGE, .from = "test"};
    char *copy = arena_text(&d->arena, settings, strlen(settings));
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (value) *value++ = 0;
        cr_assert(math_set(&reader, &d->settings, &d->settings.command, word, value), "%s: %s", settings,
                  d->diagnostics.items[0].message);
    }
}

static bool decide(Decided *d, const char *text, const char *settings, const char *gpu, bool choose) {
    *d = (Decided){0};
    say(d, settings);
    d->source = tir_parse_text(&d->diagnostics, "k.mlir", text, strlen(text));
    cr_assert(d->source && tir_verify(&d->diagnostics, d->source), "%s\n%s", text,
              d->diagnostics.count ? d->diagnostics.items[0].message : "?");
    const RewriteRequest request = {.settings = &d->settings, .gpu = gpu, .choose = choose};
    return rewrite_module(&d->diagnostics, d->source, &request, &d->module);
}

static void forget(Decided *d) {
    tir_module_close(d->module);
    tir_module_close(d->source);
    arena_reset(&d->arena);
    diagnostics_close(&d->diagnostics);
}

// The ops between the entry's braces, each behind a '|', with one blank between words.
static const char *ops_of(Decided *d) {
    Buffer out = {0};
    tir_print(d->module ? d->module : d->source, false, &out);
    buffer_append(&out, "", 1);
    char *text = arena_text(&d->arena, out.data, strlen(out.data)), *to = text, *at = strchr(text, '{') + 2;
    bool blank = false;
    for (char *end = strrchr(text, '}'); at < end; at++) {
        if (*at == '\n') {
            *to++ = '|';
            blank = false;
        } else if (*at == ' ') {
            blank = to > text && to[-1] != '|';
        } else {
            if (blank) *to++ = ' ';
            blank = false;
            *to++ = *at;
        }
    }
    *to = 0;
    buffer_free(&out);
    return text;
}

#define ENTRY(ops)      "entry @k(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {\n" ops "\n}"
#define MANGLED(ops)    "entry @det_Kt1_Sf32_Sf32_Sf32(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {\n" ops "\n}"
#define MATH(math, ops) "entry @k(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) math<" math "> {\n" ops "\n}"
#define FMA             "%x = fma %a, %b, %c : tile<f32>"
#define CROSS           "%p = mulf %a, %b : tile<f32>\n%q = mulf %b, %c : tile<f32>\n%x = subf %p, %q : tile<f32>"
#define SINE            "%x = sin %a : tile<f32>"
#define ROOT            "%x = sqrt %a : tile<f32>"
#define FLAGGED         "%x = sin %a fastmath<afn, nnan> : tile<f32>"

Test(decide, flags) {
    static const struct {
        const char *text, *settings, *expected;
    } cases[] = {
        // Modes: what is written is kept or cleared, what is added.
        {ENTRY(FLAGGED), "", "%0 = sin %arg0 fastmath<nnan, afn> : tile<f32>|return|"},
        {ENTRY(FLAGGED), "math=ieee", "%0 = sin %arg0 fastmath<nnan, afn> : tile<f32>|return|"},
        {ENTRY(FLAGGED), "math=strict", "%0 = sin %arg0 : tile<f32>|return|"},
        {ENTRY(FLAGGED), "math=precise", "%0 = sin %arg0 fastmath<nnan, afn> : tile<f32>|return|"},
        {ENTRY(SINE), "math=fast", "math<ftz> {|%0 = sin %arg0 fastmath<fast> : tile<f32>|}|return|"},
        {ENTRY(ROOT), "math=fast", "%0 = sqrt %arg0 flush_to_zero fastmath<fast> : tile<f32>|return|"},
        // Single options.
        {ENTRY(FLAGGED), "fast-math-flags=ninf,-nnan", "%0 = sin %arg0 fastmath<ninf, afn> : tile<f32>|return|"},
        {ENTRY(FLAGGED), "fast-math-flags=none", "%0 = sin %arg0 : tile<f32>|return|"},
        {ENTRY(FLAGGED), "fast-math-flags=none,nsz", "%0 = sin %arg0 fastmath<nsz> : tile<f32>|return|"},
        {ENTRY(SINE), "fast ftz=false fast-math-flags=-afn",
         "%0 = sin %arg0 fastmath<reassoc, nnan, ninf, nsz, arcp, contract> : tile<f32>|return|"},
        {ENTRY(SINE), "use_fast_math ftz=false", "%0 = sin %arg0 fastmath<afn> : tile<f32>|return|"},
        {ENTRY(ROOT), "use_fast_math ftz=false", "%0 = sqrt %arg0 fastmath<afn> : tile<f32>|return|"},
        {ENTRY(ROOT), "use_fast_math ftz=false prec-sqrt", "%0 = sqrt %arg0 : tile<f32>|return|"},
        {ENTRY(ROOT), "use_fast_math ftz=false reflect=__CUDA_PREC_SQRT=1", "%0 = sqrt %arg0 : tile<f32>|return|"},
        {ENTRY("%x = divf %a, %b : tile<f32>"), "use_fast_math ftz=false prec-div",
         "%0 = divf %arg0, %arg1 : tile<f32>|return|"},
        {ENTRY(ROOT), "ftz", "%0 = sqrt %arg0 flush_to_zero : tile<f32>|return|"},
        {ENTRY(ROOT), "denormal-fp-math=positive-zero", "%0 = sqrt %arg0 : tile<f32>|return|"},
        {ENTRY(SINE), "ftz", "math<ftz> {|%0 = sin %arg0 : tile<f32>|}|return|"},
        {ENTRY(SINE), "max-error=3:sin,cos", "%0 = sin %arg0 max_error<3> : tile<f32>|return|"},
        {ENTRY(SINE), "max-error=3:cos max-error=4", "%0 = sin %arg0 max_error<4> : tile<f32>|return|"},
        {ENTRY("%x = pow %a, %b : tile<f32>"), "max-error=5:pow",
         "%0 = fpowf %arg0, %arg1 max_error<5> : tile<f32>|return|"},
        {ENTRY("%x = sin %a max_error<2> : tile<f32>"), "max-error=3",
         "%0 = sin %arg0 max_error<2> : tile<f32>|return|"},
        {ENTRY("%x = cmpf equal ordered %a, %b max_error<2> : tile<f32> -> tile<i1>"), "max-error=3",
         "%0 = cmpf equal ordered %arg0, %arg1 max_error<2> : tile<f32> -> tile<i1>|return|"},
        // A bound permits nothing in strict, also where the text is read again.
        {ENTRY("%x = sin %a fastmath<afn> max_error<2> : tile<f32>\n%y = cos %a : tile<f32>"), "math=strict",
         "math<strict> {|%0 = sin %arg0 max_error<2> : tile<f32>|}|%1 = cos %arg0 : tile<f32>|return|"},
        {ENTRY(SINE), "math=strict fast-math-flags=contract,nsz ftz max-error=2",
         "math<strict,ftz,+nsz,+contract> {|%0 = sin %arg0 fastmath<nsz, contract> max_error<2> : "
         "tile<f32>|}|return|"},
        {ENTRY("%x = maxf %a, %b : tile<f32>"), "fast-math-flags=nsz",
         "%0 = maxf %arg0, %arg1 fastmath<nsz> : tile<f32>|return|"},
        // The exception of precise, and what has none.
        {ENTRY(CROSS), "math=precise",
         "%0 = mulf %arg0, %arg1 fastmath<contract> : tile<f32>|%1 = mulf %arg1, %arg2 fastmath<contract> : "
         "tile<f32>|%2 = subf %0, %1 : tile<f32>|return|"},
        {ENTRY(CROSS "\n%t = print_tko \"%f\", %x : tile<f32> -> token"), "fmad",
         "%0 = mulf %arg1, %arg2 fastmath<contract> : tile<f32>|%1 = negf %0 fastmath<contract> : tile<f32>|%2 = fma "
         "%arg0, %arg1, %1 fastmath<contract> : tile<f32>|%3 = print_tko \"%f\", %2 : tile<f32> -> token|return|"},
        {ENTRY("%p = mulf %a, %b : tile<f32>\n%q = mulf %b, %c : tile<f32>\n%n = negf %q : tile<f32>\n"
               "%x = addf %n, %p : tile<f32>"),
         "math=precise",
         "%0 = mulf %arg0, %arg1 fastmath<contract> : tile<f32>|%1 = mulf %arg1, %arg2 fastmath<contract> : "
         "tile<f32>|%2 = negf %1 fastmath<contract> : tile<f32>|%3 = addf %2, %0 : tile<f32>|return|"},
        // An option is stronger than the mode, but takes no flag that is written or asked for.
        {ENTRY("%p = mulf %a, %b : tile<f32>\n%x = addf %p, %c fastmath<contract> : tile<f32>"),
         "math=precise fmad=false",
         "%0 = mulf %arg0, %arg1 : tile<f32>|%1 = addf %0, %arg2 fastmath<contract> : tile<f32>|return|"},
        {ENTRY(SINE), "fast ftz=false fmad=false",
         "%0 = sin %arg0 fastmath<reassoc, nnan, ninf, nsz, arcp, afn> : tile<f32>|return|"},
        {ENTRY("%x = negf %a : tile<f32>"), "use_fast_math ftz=false fmad=false",
         "%0 = negf %arg0 : tile<f32>|return|"},
        {ENTRY("%x = negf %a : tile<f32>"), "math=precise fmad=false math-scope=op=negf:precise",
         "%0 = negf %arg0 fastmath<contract> : tile<f32>|return|"},
        // fma is split where that is said, or for cuTile's entries in strict and precise.
        {ENTRY(FMA), "math=strict", "%0 = fma %arg0, %arg1, %arg2 : tile<f32>|return|"},
        {ENTRY(FMA), "math=strict split-fma",
         "%0 = mulf %arg0, %arg1 : tile<f32>|%1 = addf %0, %arg2 : tile<f32>|return|"},
        {MANGLED(FMA), "math=strict", "%0 = mulf %arg0, %arg1 : tile<f32>|%1 = addf %0, %arg2 : tile<f32>|return|"},
        {MANGLED(FMA), "math=strict split-fma=false", "%0 = fma %arg0, %arg1, %arg2 : tile<f32>|return|"},
        {MANGLED(FMA), "math=fast ftz=false", "%0 = fma %arg0, %arg1, %arg2 fastmath<fast> : tile<f32>|return|"},
        {ENTRY("%x = fma %a, %b, %c rounding<zero> : tile<f32>"), "split-fma",
         "%0 = fma %arg0, %arg1, %arg2 rounding<zero> : tile<f32>|return|"},
        {ENTRY("%x = fma %a, %b, %c flush_to_zero fastmath<nsz> max_error<2> : tile<f32>"), "split-fma",
         "%0 = mulf %arg0, %arg1 flush_to_zero fastmath<nsz> max_error<2> : tile<f32>|%1 = addf %0, %arg2 "
         "flush_to_zero fastmath<nsz> max_error<2> : tile<f32>|return|"},
        {ENTRY(FMA), "split-fma max-error=1:fma max-error=3:mulf",
         "%0 = mulf %arg0, %arg1 max_error<1> : tile<f32>|%1 = addf %0, %arg2 max_error<1> : tile<f32>|return|"},
        {ENTRY(FMA), "split-fma max-error=2 max-error=1:mulf math-scope=op=fma:max-error=4",
         "%0 = mulf %arg0, %arg1 max_error<1> : tile<f32>|%1 = addf %0, %arg2 max_error<2> : tile<f32>|return|"},
        // Entries, blocks and scopes, the strongest last.
        {MATH("fast,noftz", SINE), "math=strict", "%0 = sin %arg0 fastmath<fast> : tile<f32>|return|"},
        {MATH("strict", "math<ieee,+nsz> {\n" FLAGGED "\n}"), "fast",
         "%0 = sin %arg0 fastmath<nnan, nsz, afn> : tile<f32>|return|"},
        {MATH("strict", "math<ieee,+nsz> {\n" FLAGGED "\n}"), "math-scope=op=sin:-nsz",
         "%0 = sin %arg0 fastmath<nnan, afn> : tile<f32>|return|"},
        {ENTRY(SINE), "math-scope=op=sin:+nsz math-scope=entry=k:-nsz,+afn",
         "%0 = sin %arg0 fastmath<afn> : tile<f32>|return|"},
        {ENTRY(SINE), "max-error=9 math-scope=line=k.mlir:2-2:max-error=3",
         "%0 = sin %arg0 max_error<3> : tile<f32>|return|"},
        {ENTRY(SINE), "math-scope=line=k.mlir:3-4:max-error=3", "%0 = sin %arg0 : tile<f32>|return|"},
        {MANGLED(SINE), "math-scope=entry=det:+nsz", "%0 = sin %arg0 fastmath<nsz> : tile<f32>|return|"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Decided d;
        cr_expect(decide(&d, cases[i].text, cases[i].settings, NULL, false), "%s: %s", cases[i].settings,
                  d.diagnostics.count ? d.diagnostics.items[0].message : "?");
        if (!d.diagnostics.count)
            cr_expect_str_eq(ops_of(&d), cases[i].expected, "%s, %s:\n%s\n%s", cases[i].text, cases[i].settings,
                             ops_of(&d), cases[i].expected);
        if (d.module) cr_expect(tir_verify(&d.diagnostics, d.module));
        forget(&d);
    }
}

// Settings reach the parts of a kernel's blocks, those for the kernel alone, too.
Test(decide, parts) {
    static const char text[] = "entry @k(%m: tile<ptr<i8>>) memory<64> {\nreturn\n}\n"
                               "entry @other(%m: tile<ptr<i8>>) memory<64> {\nreturn\n}\n"
                               "part @p of @k(%m: tile<ptr<i8>>) {\n%a = constant <f32: 1.0> : tile<f32>\n"
                               "%x = sin %a : tile<f32>\nreturn\n}\n";
    static const struct {
        const char *settings;
        uint8_t flags;
    } cases[] = {
        {"math-scope=op=sin:+nsz", MATH_FLAG_nsz},
        {"math-scope=entry=k:+nsz", MATH_FLAG_nsz},
        {"math-scope=op=sin:+nsz math-scope=entry=other:-nsz", MATH_FLAG_nsz},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Decided d;
        cr_assert(decide(&d, text, cases[i].settings, NULL, false) && d.module);
        const TirOp *op = tir_first_op(&d.module->functions[2].body);
        cr_expect_eq(op->next->math.flags, cases[i].flags, "%s", cases[i].settings);
        forget(&d);
    }
}

// The table of docs/numeric-modes.md: which ops flush under preserve-sign, by their attribute or by TirMath.flush.
Test(decide, flushing) {
    static const struct {
        const char *op;
        bool flushes;
    } cases[] = {
        {"%x = addf %a, %b : tile<f32>", true},
        {"%x = exp2 %a : tile<f32>", true},
        {"%x = maxf %a, %b : tile<f32>", true},
        {"%x = exp %a : tile<f32>", true},
        {"%x = pow %a, %b : tile<f32>", true},
        {"%x = remf %a, %b : tile<f32>", true},
        {"%x = floor %a : tile<f32>", true},
        {"%x = negf %a : tile<f32>", true},
        {"%x = cmpf equal ordered %a, %b : tile<f32> -> tile<i1>", true},
        {"%x = ftof %a : tile<f32> -> tile<f64>", true},
        {"%y = ftof %a : tile<f32> -> tile<f16>", false},
        {"%y = ftoi %a signed : tile<f32> -> tile<i32>", false},
        {"%y = bitcast %a : tile<f32> -> tile<i32>", false},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        char text[256];
        Decided d;
        snprintf(text, sizeof text, "entry @k(%%a: tile<f32>, %%b: tile<f32>) {\n%s\n}", cases[i].op);
        cr_assert(decide(&d, text, "ftz", NULL, false));
        const TirOp *op = tir_first_op(&d.module->functions[0].body);
        const TirOpInfo *info = tir_op_info(op->kind);
        bool found = op->math.flush;
        for (unsigned a = 0; a < info->attribute_count; a++)
            found |= !strcmp(info->attributes[a].name, "ftz") && op->attributes[a].present;
        cr_expect_eq(found, cases[i].flushes, "%s", cases[i].op);
        forget(&d);
    }
}

// What is not f32 is not flushed, in silence.
Test(decide, other_types_do_not_flush) {
    static const char *const types[] = {"f64", "f16", "bf16"};
    for (size_t i = 0; i < BASE_COUNT(types); i++) {
        char text[256];
        Decided d;
        snprintf(text, sizeof text, "entry @k(%%a: tile<%s>) {\n%%x = addf %%a, %%a : tile<%s>\n}", types[i], types[i]);
        cr_assert(decide(&d, text, "fast", NULL, true));
        const TirOp *op = tir_first_op(&d.module->functions[0].body);
        cr_expect(!op->math.flush && !tir_attribute(op, "ftz"), "%s", types[i]);
        forget(&d);
    }
}

Test(decide, refused) {
    static const struct {
        const char *text, *settings, *gpu, *message;
    } cases[] = {
        {ENTRY(SINE), "reflect=__CUDA_FTZ=1", NULL,
         "function FTZ disagrees with libdevice FTZ: denormal-fp-math is ieee, __CUDA_FTZ is 1, at 'sin'"},
        {ENTRY(ROOT), "reflect=__CUDA_FTZ=0 ftz", "sm_90",
         "denormal-fp-math is preserve-sign, __CUDA_FTZ is 0, at 'sqrt'"},
        {ENTRY(ROOT), "reflect=__CUDA_FTZ=1 denormal-fp-math=positive-zero", NULL,
         "denormal-fp-math is positive-zero, which flushes nothing, __CUDA_FTZ is 1, at 'sqrt'"},
        {ENTRY("%x = sqrt %a flush_to_zero : tile<f32>"), "reflect=__CUDA_FTZ=0", NULL,
         "the op says flush_to_zero, __CUDA_FTZ is 0, at 'sqrt'"},
        {ENTRY(SINE), "max-error=0.5", "sm_90",
         "'sin' of f32 cannot be within 0.5 ulp on sm_90: the best is 0.51 (__nv_sin)"},
        {ENTRY(SINE), "max-error=0.5", NULL, "'sin' of f32 cannot be within 0.5 ulp on processors: the best is 0.51"},
        {ENTRY("%x = addf %a, %b rounding<zero> : tile<f32>"), "max-error=0.75", NULL,
         "'addf' of f32 cannot be within 0.75 ulp on processors: the best is 1 (its rounding is directed)"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Decided d;
        cr_expect(!decide(&d, cases[i].text, cases[i].settings, cases[i].gpu, true), "accepted: %s", cases[i].settings);
        cr_assert_eq(d.diagnostics.count, 1);
        cr_expect(strstr(d.diagnostics.items[0].message, cases[i].message), "%s", d.diagnostics.items[0].message);
        cr_expect_eq(d.diagnostics.items[0].code, E_UNSUPPORTED);
        cr_expect_eq(d.diagnostics.items[0].at.line, 2);
        forget(&d);
    }
}

// How ops are computed: by licence, key, word or bound.
Test(decide, implementations) {
    static const struct {
        const char *op, *settings, *gpu;
        FloatImplementation expected;
    } cases[] = {
        {ROOT, "", NULL, FLOAT_EXACT},
        {ROOT, "prec-sqrt=false", NULL, FLOAT_APPROXIMATED},
        {ROOT, "prec-sqrt=false prec-div", "sm_80", FLOAT_APPROXIMATED},
        {ROOT, "reflect=__CUDA_PREC_SQRT=0", "sm_80", FLOAT_APPROXIMATED},
        {ROOT, "fast-math-flags=afn", NULL, FLOAT_APPROXIMATED},
        {ROOT, "fast", NULL, FLOAT_APPROXIMATED},
        {ROOT, "fast max-error=0.5", NULL, FLOAT_EXACT},
        {ROOT, "fast prec-sqrt", NULL, FLOAT_EXACT},
        {ROOT, "fast prec-div", NULL, FLOAT_APPROXIMATED},
        {ROOT, "fast prec-sqrt fast-math-flags=afn", NULL, FLOAT_APPROXIMATED},
        {"%x = divf %a, %b : tile<f32>", "fast prec-div", NULL, FLOAT_EXACT},
        {"%x = divf %a, %b : tile<f32>", "fast prec-sqrt", NULL, FLOAT_APPROXIMATED},
        {ROOT, "strict-math max-error=2", NULL, FLOAT_EXACT},
        {ROOT, "max-error=2", NULL, FLOAT_APPROXIMATED},
        {"%x = sqrt %a rounding<approx> : tile<f32>", "", NULL, FLOAT_EXACT},
        {"%x = sqrt %a rounding<approx> : tile<f32>", "fast", NULL, FLOAT_APPROXIMATED},
        {"%x = sqrt %a rounding<approx> : tile<f32>", "fast fast-math-flags=none", NULL, FLOAT_APPROXIMATED},
        {"%x = sqrt %a rounding<zero> : tile<f32>", "fast", NULL, FLOAT_EXACT},
        {"%x = divf %a, %b : tile<f32>", "prec-div=false", NULL, FLOAT_FULL_RANGE_DIVISION},
        {"%x = divf %a, %b : tile<f32>", "fast-math-flags=afn", NULL, FLOAT_APPROXIMATED},
        {"%x = divf %a, %b : tile<f32>", "max-error=2.5", NULL, FLOAT_FULL_RANGE_DIVISION},
        {"%x = divf %a, %b rounding<full> : tile<f32>", "fast fast-math-flags=none", NULL, FLOAT_FULL_RANGE_DIVISION},
        {"%x = divf %a, %b rounding<approx> : tile<f32>", "fast fast-math-flags=none", NULL, FLOAT_APPROXIMATED},
        {"%x = tanh %a : tile<f32>", "fast fast-math-flags=none", NULL, FLOAT_EXACT},
        {"%x = rsqrt %a : tile<f32>", "reflect=__CUDA_PREC_RSQRT=0", NULL, FLOAT_APPROXIMATED},
        {"%x = rsqrt %a : tile<f32>", "max-error=0.51", NULL, FLOAT_BY_DOUBLE},
        {"%x = log %a : tile<f32>", "reflect=__CUDA_PREC_LOG=0", NULL, FLOAT_APPROXIMATED},
        {"%x = log2 %a : tile<f32>", "reflect=__CUDA_PREC_LOG=0", NULL, FLOAT_APPROXIMATED},
        {"%x = log %a : tile<f32>", "max-error=1", "sm_90", FLOAT_BY_DOUBLE},
        {"%x = log %a : tile<f32>", "max-error=1", NULL, FLOAT_EXACT},
        {"%x = exp %a : tile<f32>", "max-error=100", NULL, FLOAT_EXACT},
        {"%x = exp %a : tile<f32>", "max-error=124", NULL, FLOAT_APPROXIMATED},
        {SINE, "fast max-error=100", NULL, FLOAT_EXACT}, // an approximate sine has no bound
        {"%x = sinh %a : tile<f32>", "fast", NULL, FLOAT_EXACT},
        {"%o = constant <f32: 1.0> : tile<f32>\n%x = divf %o, %a : tile<f32>", "fast-math-flags=afn", NULL,
         FLOAT_RECIPROCAL},
        {"%o = constant <f32: 1.0> : tile<f32>\n%x = divf %o, %a : tile<f32>", "max-error=1.5", "sm_80",
         FLOAT_RECIPROCAL},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        char text[512];
        Decided d;
        snprintf(text, sizeof text, "entry @k(%%a: tile<f32>, %%b: tile<f32>) {\n%s\n}", cases[i].op);
        cr_expect(decide(&d, text, cases[i].settings, cases[i].gpu, true), "%s, %s: %s", cases[i].op, cases[i].settings,
                  d.diagnostics.count ? d.diagnostics.items[0].message : "?");
        const TirOp *op = d.module ? d.module->functions[0].body.first->last->previous : NULL;
        if (op)
            cr_expect_eq((int)op->math.implementation, (int)cases[i].expected, "%s, %s: %s", cases[i].op,
                         cases[i].settings, float_implementation_name((FloatImplementation)op->math.implementation));
        if (!op) cr_expect_eq(cases[i].expected, FLOAT_EXACT, "%s", cases[i].settings);
        forget(&d);
    }
}

// Words, keys and modes are licences, too: a division that rewrites make has those that all its sources had.
Test(decide, implementations_of_what_rewrites_make) {
#define SHARED(first, second) first "\n" second "\n%x = subf %d, %e rounding<zero> : tile<f32>"
    static const struct {
        const char *ops, *settings;
        FloatImplementation expected;
    } cases[] = {
        {SHARED("%d = divf %a, %c rounding<approx> : tile<f32>", "%e = divf %b, %c rounding<approx> : tile<f32>"),
         "fast fast-math-flags=-afn", FLOAT_RECIPROCAL},
        {SHARED("%d = divf %a, %c rounding<approx> : tile<f32>", "%e = divf %b, %c : tile<f32>"),
         "fast fast-math-flags=-afn", FLOAT_EXACT},
        {SHARED("%d = divf %a, %c : tile<f32>", "%e = divf %b, %c rounding<approx> : tile<f32>"),
         "fast fast-math-flags=-afn", FLOAT_EXACT},
        {SHARED("%d = divf %a, %c : tile<f32>", "%e = divf %b, %c : tile<f32>"), "prec-div=false fast-math-flags=arcp",
         FLOAT_FULL_RANGE_DIVISION},
        {SHARED("%d = divf %a, %c : tile<f32>", "math<ieee,+arcp> { %e = divf %b, %c : tile<f32> }"),
         "prec-div=false fast-math-flags=arcp", FLOAT_EXACT},
        {"%d = divf %b, %c : tile<f32>\n%x = divf %a, %d : tile<f32>", "prec-div=false fast-math-flags=arcp",
         FLOAT_FULL_RANGE_DIVISION},
        {"math<ieee,+arcp> { %d = divf %b, %c : tile<f32> }\n%x = divf %a, %d : tile<f32>",
         "prec-div=false fast-math-flags=arcp", FLOAT_EXACT},
        {"math<ieee,+arcp> { %d = divf %b, %c rounding<approx> : tile<f32> }\n"
         "%x = divf %a, %d rounding<approx> : tile<f32>",
         "fast ftz=false fast-math-flags=-afn", FLOAT_EXACT},
        // Of constants alone: exact, as E says, and LLVM folds it, which is why it does not flush either.
        {"%k = constant <f32: 4.0> : tile<f32>\n%x = divf %a, %k fastmath<afn> max_error<1.5> : tile<f32>", "",
         FLOAT_EXACT},
        {"%k = constant <f32: 3.0> : tile<f32>\n%x = divf %a, %k : tile<f32>", "fast", FLOAT_EXACT},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        char text[512];
        Decided d;
        unsigned count = 0;
        snprintf(text, sizeof text,
                 "entry @k(%%a: tile<f32>, %%b: tile<f32>, %%c: tile<f32>) {\n%s\n"
                 "%%t = print_tko \"%%f\", %%x : tile<f32> -> token\n}",
                 cases[i].ops);
        cr_assert(decide(&d, text, cases[i].settings, "sm_90", true), "%s", d.diagnostics.items[0].message);
        const TirRegion *body = &d.module->functions[0].body;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
            if (op->kind != TIR_OP_divf) continue;
            count++;
            cr_expect_eq((int)op->math.implementation, (int)cases[i].expected, "case %zu: %s", i,
                         float_implementation_name((FloatImplementation)op->math.implementation));
            if (strstr(text, "constant")) cr_expect(!tir_attribute(op, "ftz"), "case %zu", i);
        }
        cr_expect_eq(count, 1, "case %zu: %s", i, ops_of(&d));
        forget(&d);
    }
}

// Nothing is said: the module is compiled as it is, without a copy.
Test(decide, nothing_to_do) {
    Decided d;
    cr_expect(decide(&d, ENTRY(SINE), "", NULL, true) && !d.module);
    forget(&d);
    cr_expect(decide(&d, ENTRY(SINE), "math=ieee", NULL, true) && !d.module);
    forget(&d);
}

Test(decide, scopes_that_match_nothing) {
    static const struct {
        const char *settings, *message;
    } cases[] = {
        {"math-scope=op=cos:strict", "test: 'op=cos' matches no op"},
        {"math-scope=entry=other:strict", "test: 'entry=other' matches no op"},
        {"math-scope=func=k:strict", "test: 'func=k' matches no op: there is no debug information"},
        {"math-scope=op=sin:strict math-scope=op=sin&entry=q:fast", "'op=sin&entry=q' matches no op"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Decided d;
        bool matched[4] = {false};
        cr_assert(decide(&d, ENTRY(SINE), cases[i].settings, NULL, false));
        rewrite_match_scopes(d.source, &d.settings, matched);
        cr_expect(!rewrite_check_scopes(&d.diagnostics, (Location){0}, E_USAGE, &d.settings, matched, false));
        cr_assert_eq(d.diagnostics.count, 1);
        cr_expect(strstr(d.diagnostics.items[0].message, cases[i].message), "%s", d.diagnostics.items[0].message);
        forget(&d);
    }
}
