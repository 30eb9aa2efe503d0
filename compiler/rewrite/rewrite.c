// SPDX-License-Identifier: Apache-2.0
// The passes of numeric modes, in order.
#include "compiler/rewrite/rewrite_internal.h"
#include "compiler/rewrite/rewrite_rules.h"

bool rewrite_fail(const Rewriting *r, const TirOp *op, const char *format, ...) {
    Arena arena = {0};
    va_list args;
    va_start(args, format);
    diag_fail(r->diagnostics, op->at, E_UNSUPPORTED, "%s", arena_vformat(&arena, format, args));
    va_end(args);
    arena_reset(&arena);
    return false;
}

// Entries and blocks have done their work: what they said is on the ops. Only flushing, of ops that have no attribute
// for it, needs a block in text.
static void forget_blocks(TirModule *module) {
    static const TirMathBlock flushing = {.settings = "ftz", .layer = {.denormals = MATH_DENORMALS_PRESERVE_SIGN}};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        module->functions[f].math = NULL;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            op->math_block = op->math.flush ? &flushing : NULL;
    }
}

bool rewrite_module(Diagnostics *diagnostics, const TirModule *module, const RewriteRequest *request, TirModule **out) {
    *out = NULL;
    if (math_is_ieee(request->settings) && !tir_has_math(module) && !request->report) return true;
    Rewriting r = {.diagnostics = diagnostics, .request = request, .module = tir_module_copy(module)};
    RewriteFirings firings = {0};
    const RewriteProfile profile = {.payloads = request->payloads};
    bool good = rewrite_decide(&r) && rewrite_apply_rules(diagnostics, r.module, &profile, &firings) &&
                (!request->choose || rewrite_choose(&r));
    forget_blocks(r.module);
    tir_number_ops(r.module); // also where fma ops were split and no rule was applied
    if (good && request->report) {
        rewrite_report(&r, request->report);
        rewrite_report_firings(&firings, request->report);
    }
    if (good)
        *out = r.module;
    else
        tir_module_close(r.module);
    return good;
}
