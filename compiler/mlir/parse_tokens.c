// SPDX-License-Identifier: Apache-2.0
// Tokens of the text form, as MLIR cuts them, and the errors that point at them.
#include "compiler/mlir/mlir.h"

#include <stdio.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static bool is_word_char(char c) {
    return is_letter(c) || is_digit(c) || c == '$' || c == '.';
}

// The character at `at`, 0 at the end of the text.
static char peek(const Parser *p, const char *at) {
    return at < p->end ? *at : 0;
}

// ---- cutting --------------------------------------------------------------------------------------------------------

static void skip_blanks(Parser *p) {
    for (;;) {
        char c = peek(p, p->at);
        if (c == '\n') {
            p->at++;
            p->line++;
            p->line_start = p->at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            p->at++;
        } else if (c == '/' && peek(p, p->at + 1) == '/') {
            while (p->at < p->end && *p->at != '\n') p->at++;
        } else {
            return;
        }
    }
}

static uint32_t lexer_fail(Parser *p, const char *why) {
    p->lexer_error = why;
    return TOKEN_ERROR;
}

static const char *skip_word(const Parser *p, const char *at) {
    while (is_word_char(peek(p, at))) at++;
    return at;
}

// A quoted text; no line ends in it.
static uint32_t cut_string(Parser *p, uint32_t kind) {
    const char *at = p->at + 1;
    for (;; at++) {
        char c = peek(p, at);
        if (c == '"') break;
        if (at >= p->end || c == '\n' || c == '\r') return lexer_fail(p, "a string that does not end on its line");
        if (c != '\\') continue;
        char escaped = peek(p, at + 1);
        if (escaped == '"' || escaped == '\\' || escaped == 'n' || escaped == 't')
            at++;
        else if (is_hex(escaped) && is_hex(peek(p, at + 2)))
            at += 2;
        else
            return lexer_fail(p, "an unknown escape in a string");
    }
    p->at = at + 1;
    return kind;
}

// 12, 0x1F, 1.5, 1.5e+3; 0x without digits is the number 0
static uint32_t cut_number(Parser *p) {
    const char *at = p->at;
    if (*at == '0' && peek(p, at + 1) == 'x' && is_hex(peek(p, at + 2))) {
        at += 2;
        while (is_hex(peek(p, at))) at++;
        p->at = at;
        return TOKEN_INTEGER;
    }
    while (is_digit(peek(p, at))) at++;
    p->at = at;
    if (peek(p, at) != '.') return TOKEN_INTEGER;
    at++;
    while (is_digit(peek(p, at))) at++;
    if (peek(p, at) == 'e' || peek(p, at) == 'E') {
        const char *exponent = at + 1;
        if (peek(p, exponent) == '+' || peek(p, exponent) == '-') exponent++;
        if (is_digit(peek(p, exponent))) {
            while (is_digit(peek(p, exponent))) exponent++;
            at = exponent;
        }
    }
    p->at = at;
    return TOKEN_FLOAT;
}

// %name, #name, ^name, !name: digits alone, or a letter or sign and what follows. % and ^ take '-' too.
static uint32_t cut_prefixed(Parser *p, uint32_t kind) {
    const char *at = p->at + 1;
    if (is_digit(peek(p, at))) {
        while (is_digit(peek(p, at))) at++;
    } else {
        while (is_word_char(peek(p, at)) || (peek(p, at) == '-' && peek(p, at + 1) != '>')) at++;
    }
    if (at == p->at + 1) return lexer_fail(p, "a sign without a name behind it");
    p->at = at;
    return kind;
}

static uint32_t cut_symbol(Parser *p) {
    if (peek(p, p->at + 1) == '"') {
        const char *start = p->at++;
        uint32_t kind = cut_string(p, TOKEN_SYMBOL);
        if (kind == TOKEN_ERROR) p->at = start;
        return kind;
    }
    if (!is_letter(peek(p, p->at + 1))) return lexer_fail(p, "'@' without a name behind it");
    p->at = skip_word(p, p->at + 1);
    return TOKEN_SYMBOL;
}

static uint32_t cut_token(Parser *p) {
    char c = *p->at;
    if (is_letter(c)) {
        p->at = skip_word(p, p->at);
        return TOKEN_WORD;
    }
    if (is_digit(c)) return cut_number(p);
    switch (c) {
    case '%': return cut_prefixed(p, TOKEN_VALUE);
    case '#': return cut_prefixed(p, TOKEN_HASH);
    case '^': return cut_prefixed(p, TOKEN_BLOCK);
    case '!': return cut_prefixed(p, TOKEN_BANG);
    case '@': return cut_symbol(p);
    case '"': return cut_string(p, TOKEN_STRING);
    case '-':
        p->at++;
        if (peek(p, p->at) != '>') return '-';
        p->at++;
        return TOKEN_ARROW;
    default:
        if (!c || !strchr("()[]{}<>,:=?+*", c)) return lexer_fail(p, "a character that nothing begins with");
        p->at++;
        return (uint8_t)c;
    }
}

void parse_advance(Parser *p) {
    p->previous = (Token){.start = p->at, .line = p->line, .column = (uint32_t)(p->at - p->line_start) + 1};
    skip_blanks(p);
    p->token = (Token){.start = p->at, .line = p->line, .column = (uint32_t)(p->at - p->line_start) + 1};
    if (p->at >= p->end) return; // TOKEN_END
    p->token.kind = cut_token(p);
    p->token.length = (size_t)(p->at - p->token.start);
}

void parse_start(Parser *p) {
    p->at = p->line_start = p->text;
    p->line = 1;
    parse_advance(p);
}

ParsePlace parse_place_here(const Parser *p) {
    return (ParsePlace){p->at, p->line_start, p->line, p->token};
}

void parse_return_to(Parser *p, const ParsePlace *place) {
    p->at = place->at;
    p->line_start = place->line_start;
    p->line = place->line;
    p->token = place->token;
}

// ---- errors ---------------------------------------------------------------------------------------------------------

Location parse_location(const Parser *p, const Token *at) {
    return (Location){.file = p->module->path, .line = at->line, .column = at->column};
}

bool parse_fail_with(Parser *p, const Token *at, ErrorCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&p->scratch, format, args);
    va_end(args);
    return diag_fail(p->diagnostics, parse_location(p, at), code, "%s", text);
}

bool parse_fail(Parser *p, const Token *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&p->scratch, format, args);
    va_end(args);
    return diag_fail(p->diagnostics, parse_location(p, at), E_TEXT, "%s", text);
}

static bool fail_expected(Parser *p, const Token *at, const char *what) {
    enum { SHOWN_MAX = 40 };
    const Token *token = &p->token;
    if (parse_at(p, TOKEN_END)) return parse_fail(p, at, "the text ends, expected %s", what);
    if (parse_at(p, TOKEN_ERROR)) return parse_fail(p, at, "found %s, expected %s", p->lexer_error, what);
    bool cut = token->length > SHOWN_MAX;
    return parse_fail(p, at, "found '%.*s%s', expected %s", (int)(cut ? SHOWN_MAX : token->length), token->start,
                      cut ? "..." : "", what);
}

bool parse_expected(Parser *p, const char *what) {
    return fail_expected(p, &p->token, what);
}

// What is missing belongs to the line before, where the next token is on another one.
static bool fail_missing(Parser *p, const char *what) {
    bool other_line = p->token.line > p->previous.line && !parse_at(p, TOKEN_ERROR);
    return fail_expected(p, other_line ? &p->previous : &p->token, what);
}

bool parse_enter(Parser *p) {
    if (++p->depth <= TIR_NESTING_MAX) return true;
    return parse_fail_with(p, &p->token, E_LIMIT, "nested more than %d deep", TIR_NESTING_MAX);
}

// ---- taking ---------------------------------------------------------------------------------------------------------

bool token_is_word(const Token *token, const char *word) {
    size_t length = strlen(word);
    return token->kind == TOKEN_WORD && token->length == length && memcmp(token->start, word, length) == 0;
}

bool parse_take(Parser *p, uint32_t kind) {
    if (p->token.kind != kind) return false;
    parse_advance(p);
    return true;
}

bool parse_take_word(Parser *p, const char *word) {
    if (!parse_at_word(p, word)) return false;
    parse_advance(p);
    return true;
}

bool parse_need(Parser *p, uint32_t kind, const char *what) {
    return parse_take(p, kind) || fail_missing(p, what);
}

bool parse_need_word(Parser *p, const char *word) {
    if (parse_take_word(p, word)) return true;
    char what[64];
    snprintf(what, sizeof what, "'%s'", word);
    return fail_missing(p, what);
}

const char *token_text(Parser *p, const Token *token) {
    return arena_text(&p->scratch, token->start, token->length);
}

const char *token_name(Parser *p, const Token *token) {
    const size_t prefix_length = p->prefix ? strlen(p->prefix) : 0;
    const char *at = token->start;
    size_t length = token->length;
    if (length && strchr("%#!^@", *at)) at++, length--;
    if (token->kind == TOKEN_STRING) at++, length -= 2;
    if (prefix_length && length > prefix_length && !memcmp(at, p->prefix, prefix_length))
        at += prefix_length, length -= prefix_length;
    if (length >= sizeof p->name) return arena_text(&p->scratch, at, length);
    memcpy(p->name, at, length);
    p->name[length] = 0;
    return p->name;
}

static uint8_t hex_digit(char c) {
    return (uint8_t)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

bool parse_string(Parser *p, const Token *token, const char **text, size_t *length) {
    const char *at = token->start, *end = token->start + token->length;
    if (token->kind == TOKEN_SYMBOL) at++;
    bool quoted = at < end && *at == '"';
    if (quoted) at++, end--;
    char *copy = arena_alloc(&p->module->arena, (size_t)(end - at) + 1);
    size_t size = 0;
    while (at < end) {
        if (!quoted || *at != '\\') {
            copy[size++] = *at++;
        } else if (is_hex(at[1]) && at + 2 < end && is_hex(at[2])) {
            copy[size++] = (char)(hex_digit(at[1]) << 4 | hex_digit(at[2]));
            at += 3;
        } else {
            copy[size++] = at[1] == 'n' ? '\n' : at[1] == 't' ? '\t' : at[1];
            at += 2;
        }
    }
    *text = copy;
    if (length)
        *length = size;
    else if (memchr(copy, 0, size))
        return parse_fail(p, token, "a name holds a zero byte");
    return true;
}

// ---- dimensions -----------------------------------------------------------------------------------------------------

// Cuts characters, because 4x8xf32 is no row of tokens.
bool parse_dimensions(Parser *p, bool dynamic, bool last, uint32_t *rank, int64_t *sizes) {
    *rank = 0;
    const Token first = p->token;
    const char *at = first.start;
    while (at < p->end && (is_digit(*at) || *at == '?')) {
        int64_t size = *at == '?' ? TIR_DYNAMIC : 0;
        Token here = first;
        here.start = at;
        here.column += (uint32_t)(at - first.start);
        if (*at == '?' && !dynamic)
            return parse_fail(p, &here, "found '?', expected a size: shapes of tiles are fixed");
        if (*at == '?')
            at++;
        else
            for (; at < p->end && is_digit(*at); at++)
                if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, *at - '0', &size))
                    return parse_fail(p, &here, "a size does not fit in 64 bits");
        if (*rank == TIR_RANK_MAX) return parse_fail_with(p, &here, E_LIMIT, "more than %d dimensions", TIR_RANK_MAX);
        sizes[(*rank)++] = size;
        if (at < p->end && *at == 'x') {
            at++;
            if (!last || (at < p->end && (is_digit(*at) || *at == '?'))) continue;
            at--;
        } else if (last) {
            break;
        }
        p->at = at;
        parse_advance(p);
        return parse_expected(p, "'x' and the next size or the element type");
    }
    p->at = at;
    parse_advance(p);
    return true;
}

static const char *skip_spaces(const Parser *p, const char *at) {
    while (at < p->end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

bool parse_spaced_dimensions(Parser *p, uint32_t *rank, int64_t *sizes) {
    *rank = 0;
    while (parse_at(p, TOKEN_INTEGER)) {
        // 0x8 cuts as a number in hexadecimal; it is the size 0.
        const Token here = p->token;
        int64_t size = 0;
        const char *at = here.start;
        for (; at < p->end && is_digit(*at); at++)
            if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, *at - '0', &size))
                return parse_fail(p, &here, "a size does not fit in 64 bits");
        if (*rank == TIR_RANK_MAX) return parse_fail_with(p, &here, E_LIMIT, "more than %d dimensions", TIR_RANK_MAX);
        sizes[(*rank)++] = size;
        const char *behind = skip_spaces(p, at);
        const bool has_x = behind < p->end && *behind == 'x';
        p->at = has_x ? behind + 1 : at;
        parse_advance(p);
        if (!has_x) return parse_expected(p, "'x' and the next size or the element type");
    }
    return true;
}
