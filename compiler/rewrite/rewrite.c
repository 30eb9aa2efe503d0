// SPDX-License-Identifier: Apache-2.0
// The passes of numeric modes, in order.
#include "compiler/rewrite/rewrite_internal.h"
#include "compiler/rewrite/rewrite_rules.h"

#include <string.h>

bool rewrite_fail(const Rewriting *r, const TirOp *op, const char *format, ...) {
    Arena arena = {0};
    va_list args;
    va_start(args, format);
    diag_fail(r->diagnostics, op->at, E_UNSUPPORTED, "%s", arena_vformat(&arena, format, args));
    va_end(args);
    arena_reset(&arena);
    return false;
}

// A bound permits nothing in strict, which clears flags that are written: the block says them.
static const TirMathBlock *strict_block(TirModule *module, const TirMath *math, const TirMathBlock *before) {
    Buffer text = {0};
    buffer_print(&text, "strict%s", math->flush ? ",ftz" : "");
    for (unsigned bit = 1; bit <= MATH_FLAGS_ALL; bit <<= 1) {
        if (math->flags & bit) buffer_print(&text, ",+");
        math_print_flags((uint8_t)(math->flags & bit), &text);
    }
    TirMathBlock *block = NULL;
    if (!before || strcmp(before->settings, text.data) != 0) {
        block = arena_new(&module->arena, TirMathBlock);
        block->settings = arena_text(&module->arena, text.data, text.size);
        block->layer = (MathLayer){.mode = 1 + MATH_strict, .added = math->flags};
        if (math->flush) block->layer.denormals = MATH_DENORMALS_PRESERVE_SIGN;
    }
    buffer_free(&text);
    return block ? block : before;
}

// Entries and blocks have done their work: what they said is on the ops. In text a block is needed for flushing, of ops
// that have no attribute for it, and for strict ops with a bound.
static void forget_blocks(TirModule *module) {
    static const TirMathBlock flushing = {.settings = "ftz", .layer = {.denormals = MATH_DENORMALS_PRESERVE_SIGN}};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        const TirMathBlock *strict = NULL; // the last one
        module->functions[f].math = NULL;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
            const bool limited = op->math.mode == MATH_strict && op->math.max_error;
            if (limited) strict = strict_block(module, &op->math, strict);
            op->math_block = limited ? strict : op->math.flush ? &flushing : NULL;
        }
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
