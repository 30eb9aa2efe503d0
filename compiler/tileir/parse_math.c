// SPDX-License-Identifier: Apache-2.0
// What the text says about how floats may be computed: flags and bounds of ops, math<SETTINGS> of entries and blocks.
#include "compiler/tileir/parse_internal.h"

static MathReader reader_at(Parser *p, const Token *at, const char *from) {
    return (MathReader){.diagnostics = p->diagnostics,
                        .arena = &p->module->arena,
                        .code = E_TEXT,
                        .at = parse_location(p, at),
                        .from = from};
}

// <contract, nsz> or <fast>
bool parse_math_flags(Parser *p, uint8_t *flags) {
    if (!parse_need(p, '<', "'<'")) return false;
    do {
        const Token at = p->token;
        const uint8_t bit = parse_at_word(p, "fast") ? MATH_FLAGS_ALL : math_flag(at.start, at.length);
        if (!parse_at(p, TOKEN_WORD) || !bit)
            return parse_expected(p, "a flag: reassoc, nnan, ninf, nsz, arcp, contract, afn or fast");
        if (*flags & bit) return parse_fail(p, &at, "the flag %s is there twice", token_text(p, &at));
        *flags |= bit;
        parse_advance(p);
    } while (parse_take(p, ','));
    return parse_need(p, '>', "',' or '>'");
}

// <2.5>
static bool parse_bound(Parser *p, MathBound *bound) {
    if (!parse_need(p, '<', "'<'")) return false;
    const Token at = p->token;
    if (!parse_at(p, TOKEN_INTEGER) && !parse_at(p, TOKEN_FLOAT)) return parse_expected(p, "a number");
    const MathReader reader = reader_at(p, &at, "max_error");
    if (!math_read_bound(&reader, at.start, at.length, bound)) return false;
    parse_advance(p);
    return parse_need(p, '>', "'>'");
}

bool parse_op_math(Parser *p, TirMath *math) {
    for (bool flags = false;;) {
        const Token at = p->token;
        const bool twice = parse_at_word(p, "fastmath") ? flags : parse_at_word(p, "max_error") && math->max_error;
        if (twice) return parse_fail(p, &at, "%s is there twice", token_text(p, &at));
        if (parse_take_word(p, "fastmath")) {
            flags = true;
            if (!parse_math_flags(p, &math->flags)) return false;
        } else if (parse_take_word(p, "max_error")) {
            if (!parse_bound(p, &math->max_error)) return false;
        } else {
            return true;
        }
    }
}

bool parse_math(Parser *p, const TirMathBlock *outer, const TirMathBlock **math) {
    const Token at = p->token;
    parse_advance(p);
    if (!parse_at(p, '<')) return parse_expected(p, "'<'");
    // The settings are no tokens: their words have signs.
    const char *begin = p->token.start + 1, *end = begin;
    while (end < p->end && *end != '>' && *end != '\n') end++;
    if (end == p->end || *end != '>') return parse_fail(p, &p->token, "math< does not end on its line");
    TirMathBlock *block = arena_new(&p->module->arena, TirMathBlock);
    const MathReader reader = reader_at(p, &at, "math");
    block->outer = outer;
    block->settings = arena_text(&p->module->arena, begin, (size_t)(end - begin));
    *math = block;
    p->at = end + 1;
    parse_advance(p);
    return math_read_layer(&reader, begin, (size_t)(end - begin), &block->layer);
}
