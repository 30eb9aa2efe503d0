// SPDX-License-Identifier: Apache-2.0
// What is rewritten where: reciprocals and loops, chains, constants, shapes, the carve-out, flags that merge. Modules
// are text, before and after.
#include "compiler/rewrite/rewrite_rules.h"

#include <criterion/criterion.h>
#include <string.h>

static TirModule *parse(Diagnostics *diagnostics, const char *text) {
    TirModule *module = tir_parse_text(diagnostics, "k.mlir", text, strlen(text));
    cr_assert(module && tir_verify(diagnostics, module), "%s\n%s",
              diagnostics->count ? diagnostics->items[0].message : "?", text);
    return module;
}

// The kernel (its body without the final return) in a build with these settings, as text. The caller frees *out.
static void rewrite_text(const char *body, const char *math, RewritePayloads payloads, Buffer *out) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    MathSettings settings = {0};
    const MathReader reader = {.diagnostics = &diagnostics, .arena = &arena, .code = E_USAGE, .from = "here"};
    if (math) cr_assert(math_read_environment(&reader, &settings, math));
    TirModule *module = parse(
        &diagnostics, arena_format(&arena,
                                   "entry @k(%%p: tile<ptr<f32>>, %%s: tile<f32>, %%n: tile<i32>) {\n"
                                   "  %%q = reshape %%p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
                                   "  %%b = broadcast %%q : tile<1xptr<f32>> -> tile<8xptr<f32>>\n"
                                   "  %%i = iota : tile<8xi32>\n"
                                   "  %%at = offset %%b, %%i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>\n"
                                   "  %%x, %%t0 = load_ptr_tko weak %%at : tile<8xptr<f32>> -> tile<8xf32>, token\n"
                                   "  %%y, %%t1 = load_ptr_tko weak %%at : tile<8xptr<f32>> -> tile<8xf32>, token\n"
                                   "  %%z, %%t2 = load_ptr_tko weak %%at : tile<8xptr<f32>> -> tile<8xf32>, token\n"
                                   "%s"
                                   "  %%t3 = store_ptr_tko weak %%at, %%r : tile<8xptr<f32>>, tile<8xf32> -> token\n"
                                   "  return\n"
                                   "}\n",
                                   body));
    const RewriteRequest request = {.settings = &settings, .payloads = payloads};
    TirModule *copy = NULL;
    cr_assert(rewrite_module(&diagnostics, module, &request, &copy), "%s", diagnostics.items[0].message);
    if (copy) cr_assert(tir_verify(&diagnostics, copy), "%s", diagnostics.items[0].message);
    tir_print(copy ? copy : module, false, out);
    buffer_append(out, "", 1);
    tir_module_close(copy);
    tir_module_close(module);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}

static unsigned count_of(const char *text, const char *part) {
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

// After rewriting, each of `counts` says how often a text is there: "divf 1, mulf 2", in the order of `parts`.
typedef struct PlaceCase {
    const char *body, *math;
    RewritePayloads payloads;
    const char *parts[5];
    unsigned counts[5];
} PlaceCase;

static void check_counts(const PlaceCase *cases, size_t count) {
    for (size_t c = 0; c < count; c++) {
        Buffer out = {0};
        rewrite_text(cases[c].body, cases[c].math, cases[c].payloads, &out);
        for (unsigned i = 0; i < BASE_COUNT(cases[c].parts) && cases[c].parts[i]; i++)
            cr_expect_eq(count_of((const char *)out.data, cases[c].parts[i]), cases[c].counts[i],
                         "case %zu, '%s':\n%s\nbecomes\n%s", c, cases[c].parts[i], cases[c].body,
                         (const char *)out.data);
        buffer_free(&out);
    }
}

#define OP(result, op, operands, flags) "  %" result " = " op " " operands " fastmath<" flags "> : tile<8xf32>\n"
#define SPREAD                                                                                                         \
    "  %s1 = reshape %s : tile<f32> -> tile<1xf32>\n"                                                                  \
    "  %v = broadcast %s1 : tile<1xf32> -> tile<8xf32>\n"
#define CONSTANT(name, text) "  %" name " = constant <f32: " text "> : tile<8xf32>\n"
#define LOOP(body)                                                                                                     \
    "  %r = for %j in (%n to %n, step %n) : tile<i32> iter_values(%c = %x) -> (tile<8xf32>) {\n" body                  \
    "    continue %d : tile<8xf32>\n"                                                                                  \
    "  }\n"

Test(places, reciprocals_are_made_where_they_pay) {
    static const PlaceCase cases[] = {
        // One division by a tile: nothing is won.
        {OP("r", "divf", "%x, %y", "arcp"), NULL, REWRITE_ALL, {"divf", "mulf"}, {1, 0}},
        // Two of them in the block share the reciprocal; a third, in a scope of its own, may not.
        {OP("a", "divf", "%x, %y", "arcp, nsz") OP("d", "divf", "%z, %y", "arcp, afn") OP("r", "addf", "%a, %d", "nsz"),
         NULL,
         REWRITE_ALL,
         {"divf", "mulf", "fastmath<arcp> ", "fastmath<nsz, arcp>", "fastmath<arcp, afn>"},
         {1, 2, 1, 1, 1}},
        {OP("a", "divf", "%x, %y", "arcp") OP("d", "divf", "%z, %y", "nsz") OP("r", "addf", "%a, %d", "nsz"),
         NULL,
         REWRITE_ALL,
         {"divf", "mulf"},
         {2, 0}},
        // A bound is kept: a product with a reciprocal has none.
        {"  %a = divf %x, %y fastmath<arcp> max_error<1> : tile<8xf32>\n" OP("d", "divf", "%z, %y", "arcp")
             OP("r", "addf", "%a, %d", "nsz"),
         NULL,
         REWRITE_ALL,
         {"divf", "mulf"},
         {2, 0}},
        // Of a scalar, before it is broadcast.
        {SPREAD OP("r", "divf", "%x, %v", "arcp"), NULL, REWRITE_ALL, {"divf", "mulf", "arcp> : tile<f32>"}, {1, 1, 1}},
        // By a constant; a power of two needs no flag.
        {CONSTANT("k", "3.0") OP("r", "divf", "%x, %k", "arcp"), NULL, REWRITE_ALL, {"divf", "mulf %result"}, {1, 1}},
        {CONSTANT("k", "8.0") OP("r", "divf", "%x, %k", "nnan"), NULL, REWRITE_ALL, {"divf", "mulf %result"}, {1, 1}},
        {CONSTANT("k", "6.0") OP("r", "divf", "%x, %k", "nnan"), NULL, REWRITE_ALL, {"divf %result", "mulf"}, {1, 0}},
        // A reciprocal stays one.
        {CONSTANT("k", "1.0") SPREAD OP("r", "divf", "%k, %v", "arcp"), NULL, REWRITE_ALL, {"divf", "mulf"}, {1, 0}},
        // From outside of the loop.
        {LOOP(OP("d", "divf", "%c, %y", "arcp")), NULL, REWRITE_ALL, {"divf", "mulf"}, {1, 1}},
        // Of a value that the loop carries: no.
        {LOOP(OP("d", "divf", "%x, %c", "arcp")), NULL, REWRITE_ALL, {"divf", "mulf"}, {1, 0}},
    };
    check_counts(cases, BASE_COUNT(cases));
}

Test(places, reciprocals_come_before_the_outermost_loop) {
    Buffer out = {0};
    rewrite_text(LOOP("  %d = for %l in (%n to %n, step %n) : tile<i32> iter_values(%e = %c) -> (tile<8xf32>) {\n"
                      "    %v1 = reshape %s : tile<f32> -> tile<1xf32>\n"
                      "    %v2 = broadcast %v1 : tile<1xf32> -> tile<8xf32>\n" OP(
                          "f", "divf", "%e, %v2", "arcp") "    continue %f : tile<8xf32>\n"
                                                          "  }\n"),
                 NULL, REWRITE_ALL, &out);
    const char *text = (const char *)out.data, *division = strstr(text, "divf"), *loop = strstr(text, " for ");
    cr_assert(division && loop, "%s", text);
    cr_expect_lt(division, loop, "%s", text);
    cr_expect_eq(count_of(text, "divf"), 1);
    buffer_free(&out);
}

Test(places, trees_end_at_shapes_and_blocks) {
    static const PlaceCase cases[] = {
        // A product that is reshaped is no product of this sum.
        {OP("a", "mulf", "%x, %y",
            "contract") "  %a1 = reshape %a : tile<8xf32> -> tile<2x4xf32>\n"
                        "  %a2 = reshape %a1 : tile<2x4xf32> -> tile<8xf32>\n" OP("r", "addf", "%a2, %z", "contract"),
         NULL,
         REWRITE_ALL,
         {"fma"},
         {0}},
        // Nor is one from outside of the loop, or one that the loop carries.
        {OP("a", "mulf", "%x, %y", "contract") LOOP(OP("d", "addf", "%a, %c", "contract")),
         NULL,
         REWRITE_ALL,
         {"fma"},
         {0}},
        {OP("a", "mulf", "%x, %y", "contract") LOOP(OP("d", "mulf", "%c, %c", "contract")),
         NULL,
         REWRITE_ALL,
         {"fma"},
         {0}},
        {LOOP(OP("a", "mulf", "%x, %y", "contract") OP("d", "addf", "%a, %c", "contract")),
         NULL,
         REWRITE_ALL,
         {"fma"},
         {1}},
    };
    check_counts(cases, BASE_COUNT(cases));
}

#define SUM_OF_PRODUCTS(flags)                                                                                         \
    OP("a", "mulf", "%x, %y", flags) OP("d", "mulf", "%z, %z", flags) OP("r", "subf", "%a, %d", flags)

Test(places, sums_of_two_products_are_carved_out) {
    static const PlaceCase cases[] = {
        {SUM_OF_PRODUCTS("nsz"), "math=precise", REWRITE_ALL, {"fma", "mulf"}, {0, 2}},
        {OP("a", "mulf", "%x, %y", "nsz") OP("r", "addf", "%z, %a", "nsz"), "math=precise", REWRITE_ALL, {"fma"}, {1}},
        // The left product goes into the fma.
        {SUM_OF_PRODUCTS("nsz"), "fmad", REWRITE_ALL, {"fma %result, %result_0", "mulf", "negf"}, {1, 1, 1}},
        {SUM_OF_PRODUCTS("contract"), NULL, REWRITE_ALL, {"fma %result, %result_0", "mulf", "negf"}, {1, 1, 1}},
        {SUM_OF_PRODUCTS("contract"), "math=strict", REWRITE_ALL, {"fma", "mulf"}, {0, 2}},
        {SUM_OF_PRODUCTS("nsz"), "math=fast", REWRITE_ALL, {"fma"}, {1}},
    };
    check_counts(cases, BASE_COUNT(cases));
}

Test(places, plain_modules_stay_as_they_are) {
    static const char *const body = CONSTANT("k", "8.0") "  %r = divf %x, %k  : tile<8xf32>\n";
    static const PlaceCase cases[] = {
        {body, NULL, REWRITE_ALL, {"divf"}, {1}},
        {body, NULL, REWRITE_ALL, {"mulf"}, {0}},
        // Exact rewrites come with any mode.
        {body, "math=strict", REWRITE_ALL, {"mulf"}, {1}},
        {body, "math=strict", REWRITE_FOR_RING, {"mulf"}, {1}},
        {body, "math=strict ftz", REWRITE_ALL, {"mulf"}, {0}},
    };
    check_counts(cases, BASE_COUNT(cases));
}

Test(places, constants_stay_normal) {
    static const PlaceCase cases[] = {
        {CONSTANT("k", "1.0e20") CONSTANT("m", "1.0e-20") OP("a", "mulf", "%x, %k", "reassoc")
             OP("r", "mulf", "%a, %m", "reassoc"),
         NULL,
         REWRITE_ALL,
         {"mulf %cst"},
         {1}},
        {CONSTANT("k", "1.0e20") CONSTANT("m", "1.0e20") OP("a", "mulf", "%x, %k", "reassoc")
             OP("r", "mulf", "%a, %m", "reassoc"),
         NULL,
         REWRITE_ALL,
         {"mulf %cst"},
         {0}},
        {CONSTANT("k", "1.0e-20") CONSTANT("m", "1.0e-20") OP("a", "mulf", "%x, %k", "reassoc")
             OP("r", "mulf", "%a, %m", "reassoc"),
         NULL,
         REWRITE_ALL,
         {"mulf %cst"},
         {0}},
        {CONSTANT("k", "2.5") CONSTANT("m", "-2.5") OP("a", "addf", "%x, %k", "reassoc")
             OP("r", "addf", "%a, %m", "reassoc"),
         NULL,
         REWRITE_ALL,
         {"addf %cst"},
         {0}},
        // 2^-n has to be normal: 2^127 has none.
        {CONSTANT("k", "0x7F000000") OP("r", "divf", "%x, %k", "nnan"), NULL, REWRITE_ALL, {"divf %result"}, {1}},
        {CONSTANT("k", "0x7E800000") OP("r", "divf", "%x, %k", "nnan"), NULL, REWRITE_ALL, {"divf %result"}, {0}},
    };
    check_counts(cases, BASE_COUNT(cases));
}

// Chains of thousands of ops take time in proportion to them.
Test(places, long_chains_are_rewritten_soon, .timeout = 60) {
    enum { LENGTH = 12000 };
    Buffer body = {0}, out = {0};
    buffer_print(&body, "  %%v0 = addf %%x, %%y fastmath<fast> : tile<8xf32>\n");
    for (unsigned i = 0; i < LENGTH; i++)
        buffer_print(&body, "  %%v%u = %s %%v%u, %%y fastmath<fast> : tile<8xf32>\n", i + 1,
                     i < LENGTH / 2 ? "divf" : "addf", i);
    buffer_print(&body, "  %%r = negf %%v%u : tile<8xf32>\n", LENGTH);
    buffer_append(&body, "", 1);
    rewrite_text((const char *)body.data, NULL, REWRITE_ALL, &out);
    cr_expect_eq(count_of((const char *)out.data, "divf"), 1);
    cr_expect_eq(count_of((const char *)out.data, "mulf") + count_of((const char *)out.data, "fma"), LENGTH / 2);
    buffer_free(&body);
    buffer_free(&out);
}
