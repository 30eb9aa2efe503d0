// SPDX-License-Identifier: Apache-2.0
// What each op may do: the settings, entries, blocks, scopes and what is written on the ops become flags, bounds, keys
// and flushing. Steps 1 to 4 of the order of decisions.
#include "compiler/rewrite/rewrite_internal.h"

#include <string.h>

// ---- what is said of an op ------------------------------------------------------------------------------------------

static void apply_blocks(MathState *state, const TirMathBlock *block, const MathOpName *name) {
    if (!block) return;
    apply_blocks(state, block->outer, name); // the innermost counts
    math_apply(state, &block->layer, name);
}

static MathState state_of(const Rewriting *r, const TirOp *op) {
    const MathSettings *settings = r->request->settings;
    const MathOpName name = rewrite_op_name(op->kind);
    MathState state = math_state(settings, &name);
    apply_blocks(&state, tir_op_function(op)->math, &name);
    apply_blocks(&state, op->math_block, &name);
    for (uint32_t i = 0; i < settings->scope_count; i++)
        if (rewrite_scope_has(&settings->scopes[i], op)) math_apply(&state, &settings->scopes[i].layer, &name);
    return state;
}

// ---- kinds of ops ---------------------------------------------------------------------------------------------------

// Ops that get `contract` by the mode precise and by --fmad.
static bool can_contract(TirOpKind kind) {
    return kind == TIR_OP_mulf || kind == TIR_OP_addf || kind == TIR_OP_subf || kind == TIR_OP_negf;
}

static bool is_function(TirOpKind kind) {
    const FpsanRule rule = tir_op_info(kind)->rule;
    if (rule == FPSAN_RULE_SQRT || rule == FPSAN_RULE_RSQRT) return true;
    return rule != FPSAN_RULE_COUNT && *fpsan_rule_info(rule)->library && rule != FPSAN_RULE_REM;
}

static FpsanFormat element_of(const TirOp *op, TirValue value) {
    const TirFunction *function = tir_op_function(op);
    return tir_float_format(tir_tile_element_kind(function->module, tir_value_type(function, value)));
}

static const TirOp *definition(const TirFunction *function, TirValue value) {
    return tir_value(function, value)->definition;
}

// A mulf, also through negf.
static bool is_product(const TirFunction *function, TirValue value) {
    const TirOp *op = definition(function, value);
    while (op && op->kind == TIR_OP_negf) op = definition(function, op->operands[0]);
    return op && op->kind == TIR_OP_mulf;
}

// a * b + c * d, which precise leaves alone: it stays 0 where it should be.
static bool is_sum_of_products(const TirOp *op) {
    const TirFunction *function = tir_op_function(op);
    return (op->kind == TIR_OP_addf || op->kind == TIR_OP_subf) && is_product(function, op->operands[0]) &&
           is_product(function, op->operands[1]);
}

// ---- flags ----------------------------------------------------------------------------------------------------------

// Ops that --use_fast_math gives `afn`: not those that a single option or a key wants precise.
static bool is_fast(const MathState *state, TirOpKind kind) {
    if (kind == TIR_OP_divf) return !math_key(state, MATH_KEY_PREC_DIV);
    if (kind == TIR_OP_sqrt) return !math_key(state, MATH_KEY_PREC_SQRT);
    return is_function(kind);
}

// Divisions and roots that an option wants precise get no licence from the mode to be anything else.
static uint8_t flags_by_mode(const MathState *state, TirOpKind kind) {
    unsigned flags = math_flags_of_mode(state);
    if (kind == TIR_OP_divf && state->prec_div == MATH_ON) flags &= ~(unsigned)(MATH_FLAG_afn | MATH_FLAG_arcp);
    if (kind == TIR_OP_sqrt && state->prec_sqrt == MATH_ON) flags &= ~(unsigned)MATH_FLAG_afn;
    return (uint8_t)flags;
}

static uint8_t flags_of(const MathState *state, const TirOp *op) {
    const MathModeInfo *mode = &math_modes[state->mode];
    uint8_t flags = mode->keeps ? op->math.flags : 0;
    flags |= flags_by_mode(state, op->kind) | state->added;
    const bool by_mode = mode->contracts && state->fmad != MATH_OFF && !is_sum_of_products(op);
    if (can_contract(op->kind) && (state->fmad == MATH_ON || by_mode)) flags |= MATH_FLAG_contract;
    if (state->fast_functions && is_fast(state, op->kind)) flags |= MATH_FLAG_afn;
    return (uint8_t)(flags & ~state->removed);
}

static uint8_t cleared_keys(const MathState *state) {
    unsigned keys = 0;
    for (unsigned key = 0; key < MATH_KEY_COUNT; key++)
        if (!math_key(state, (MathKey)key)) keys |= 1u << key;
    return (uint8_t)keys;
}

// ---- flushing -------------------------------------------------------------------------------------------------------

// Ops that a function's preserve-sign reaches: those with floats to compute, and conversions between f32 and f64. A
// conversion's operand or result counts if it is f32 (docs/numeric-modes.md has the table).
static bool can_flush(const TirOp *op) {
    if (op->kind == TIR_OP_ftof) {
        const FpsanFormat from = element_of(op, op->operands[0]), to = element_of(op, tir_result(op, 0));
        return (from == FPSAN_F32 && to == FPSAN_F64) || (from == FPSAN_F64 && to == FPSAN_F32);
    }
    if (op->kind != TIR_OP_cmpf && tir_op_info(op->kind)->rule == FPSAN_RULE_COUNT) return false;
    return element_of(op, op->operands[0]) == FPSAN_F32;
}

static bool has_flush_attribute(TirOpKind kind) {
    const TirOpInfo *info = tir_op_info(kind);
    for (unsigned i = 0; i < info->attribute_count; i++)
        if (!strcmp(info->attributes[i].name, "ftz")) return true;
    return false;
}

bool rewrite_flushes(const TirOp *op) {
    return op->math.flush || (has_flush_attribute(op->kind) && tir_attribute(op, "ftz"));
}

static void set_flushing(const MathState *state, TirOp *op) {
    if (state->denormals != MATH_DENORMALS_PRESERVE_SIGN || !can_flush(op)) return;
    if (has_flush_attribute(op->kind))
        tir_op_set(op, "ftz")->integer = 1;
    else
        op->math.flush = true;
}

// Bodies of libdevice, and square roots, are chosen by __CUDA_FTZ, which is what the op does.
static bool check_flushing(const Rewriting *r, const MathState *state, const TirOp *op) {
    const FpsanRule rule = tir_op_info(op->kind)->rule;
    const MathSwitch said = state->reflect[MATH_KEY_FTZ];
    const bool asks = rule == FPSAN_RULE_SQRT || (rule != FPSAN_RULE_COUNT && *fpsan_rule_info(rule)->library);
    if (!said || !asks || element_of(op, op->operands[0]) != FPSAN_F32 || rewrite_flushes(op) == (said == MATH_ON))
        return true;
    const bool by_op = rewrite_flushes(op) && state->denormals != MATH_DENORMALS_PRESERVE_SIGN;
    return rewrite_fail(r, op, "function FTZ disagrees with libdevice FTZ: %s, __CUDA_FTZ is %d, at '%s'",
                        by_op                 ? "the op says flush_to_zero"
                        : rewrite_flushes(op) ? "denormal-fp-math is preserve-sign"
                        : state->denormals == MATH_DENORMALS_POSITIVE_ZERO
                            ? "denormal-fp-math is positive-zero, which flushes nothing"
                            : "denormal-fp-math is ieee",
                        said == MATH_ON, tir_op_info(op->kind)->text_name);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static MathBound bound_of(const MathState *state, const TirOp *op) {
    // cmpf and select are exact; what is written on them stays.
    if (tir_op_info(op->kind)->rule == FPSAN_RULE_COUNT) return op->math.max_error;
    return op->math.max_error ? op->math.max_error : state->max_error;
}

// ---- fma ------------------------------------------------------------------------------------------------------------

bool rewrite_splits_entry(const TirModule *module, const char *entry, const MathSettings *settings) {
    const MathOpName name = rewrite_op_name(TIR_OP_fma);
    const MathState state = math_state(settings, &name);
    const TirFunction *function = NULL;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (!strcmp(module->functions[f].name, entry)) function = &module->functions[f];
    if (!function || state.split_fma || (state.mode != MATH_strict && state.mode != MATH_precise)) return false;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op))
        if (op->kind == TIR_OP_fma) return program_cutile_mangling(entry);
    return false;
}

static bool is_split(const MathState *state, const TirOp *op) {
    if (op->kind != TIR_OP_fma || tir_attribute_integer(op, "rounding") != TIR_rounding_nearest_even) return false;
    if (state->split_fma) return state->split_fma == MATH_ON;
    return (state->mode == MATH_strict || state->mode == MATH_precise) &&
           program_cutile_mangling(tir_op_function(op)->name);
}

// One of the two ops that a fma becomes, in its place. A bound of the fma counts for both, also one that is said of
// fma alone.
static TirOp *add_half(const Rewriting *r, TirOp *fma, MathBound bound, TirOpKind kind, TirValue a, TirValue b) {
    const TirValue operands[2] = {a, b};
    const TirType type = tir_value_type(tir_op_function(fma), tir_result(fma, 0));
    TirOp *op = tir_op_insert(
        fma, &(TirNewOp){.kind = kind, .operand_count = 2, .operands = operands, .result_count = 1, .results = &type});
    op->at = fma->at;
    op->debug = fma->debug;
    op->math = fma->math;
    op->math_block = fma->math_block;
    *tir_op_set(op, "rounding") = *tir_attribute(fma, "rounding");
    if (tir_attribute(fma, "ftz")) *tir_op_set(op, "ftz") = *tir_attribute(fma, "ftz");
    const MathState state = state_of(r, op);
    const MathBound own = bound_of(&state, op);
    op->math.max_error = !own || (bound && bound < own) ? bound : own;
    return op;
}

// The fma becomes a mulf and an addf, before anything is decided about them.
static void split_fma(const Rewriting *r, TirOp *fma, MathBound bound) {
    TirFunction *function = fma->block->region->function;
    TirOp *product = add_half(r, fma, bound, TIR_OP_mulf, fma->operands[0], fma->operands[1]);
    TirOp *sum = add_half(r, fma, bound, TIR_OP_addf, tir_result(product, 0), fma->operands[2]);
    // The sum takes over the value of the fma, so that no use has to change.
    const TirValue made = sum->first_result, kept = fma->first_result;
    sum->first_result = kept;
    function->values[kept].definition = sum;
    function->values[made].definition = NULL;
    tir_op_remove(fma);
}

static void split_all(Rewriting *r) {
    for (uint32_t f = 0; f < r->module->function_count; f++) {
        const TirRegion *body = &r->module->functions[f].body;
        for (TirOp *op = tir_first_op(body), *next; op; op = next) {
            next = tir_next_op(body, op);
            if (op->kind != TIR_OP_fma) continue;
            const MathState state = state_of(r, op);
            if (is_split(&state, op)) split_fma(r, op, bound_of(&state, op));
        }
    }
}

// ---- all ops --------------------------------------------------------------------------------------------------------

bool rewrite_decide(Rewriting *r) {
    split_all(r);
    for (uint32_t f = 0; f < r->module->function_count; f++) {
        const TirRegion *body = &r->module->functions[f].body;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
            if (!tir_op_info(op->kind)->licensed && op->kind != TIR_OP_ftof) continue;
            const MathState state = state_of(r, op);
            const TirMath decided = {
                .flags = tir_op_info(op->kind)->licensed ? flags_of(&state, op) : 0,
                .mode = (uint8_t)state.mode,
                .cleared_keys = cleared_keys(&state),
                .max_error = bound_of(&state, op),
            };
            op->math = decided;
            set_flushing(&state, op);
            if (!check_flushing(r, &state, op)) return false;
        }
    }
    return true;
}
