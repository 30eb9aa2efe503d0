// SPDX-License-Identifier: Apache-2.0
// Tokens of PTX: blanks and comments, names, words with a dot, texts.
#include "compiler/ptx/reader.h"

#include <string.h>

Location reader_location(const PtxReader *reader, uint32_t line, const char *at) {
    Location location = {.file = reader->module->path, .line = line};
    if (at && line == reader->line && at >= reader->line_start)
        location.column = (uint32_t)(at - reader->line_start) + 1;
    return location;
}

static bool fail(PtxReader *reader, Location at, ErrorCode code, const char *format, va_list args) {
    if (reader->open_comment.line) // what is missing is in it
        return diag_fail(reader->diagnostics, reader->open_comment, E_TEXT, "a comment without an end");
    const char *text = arena_vformat(&reader->scratch, format, args);
    return diag_fail(reader->diagnostics, at, code, "%s", text);
}

bool reader_fail(PtxReader *reader, ErrorCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(reader, reader_location(reader, reader->token_line, reader->token), code, format, args);
    va_end(args);
    return false;
}

bool reader_fail_line(PtxReader *reader, uint32_t line, ErrorCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(reader, reader_location(reader, line, NULL), code, format, args);
    va_end(args);
    return false;
}

// ---- blanks

static void next_line(PtxReader *reader) {
    reader->at++;
    reader->line++;
    reader->line_start = reader->at;
}

static void skip_comment(PtxReader *reader) {
    const Location begin = reader_location(reader, reader->line, reader->at);
    reader->at += 2;
    while (reader->at < reader->end) {
        if (*reader->at == '\n') {
            next_line(reader);
        } else if (*reader->at == '*' && reader->at + 1 < reader->end && reader->at[1] == '/') {
            reader->at += 2;
            return;
        } else {
            reader->at++;
        }
    }
    reader->open_comment = begin;
}

char reader_peek(PtxReader *reader) {
    for (;;) {
        const char *at = reader->at;
        if (at == reader->end) break;
        if (*at == '\n') {
            next_line(reader);
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') {
            reader->at++;
        } else if (*at == '/' && at + 1 < reader->end && at[1] == '/') {
            const char *end = memchr(at, '\n', (size_t)(reader->end - at));
            reader->at = end ? end : reader->end;
        } else if (*at == '/' && at + 1 < reader->end && at[1] == '*') {
            skip_comment(reader);
        } else {
            break;
        }
    }
    reader->token = reader->at;
    reader->token_line = reader->line;
    return reader->at == reader->end ? 0 : *reader->at;
}

// ---- tokens

// What stands where something else should, for messages.
static Name found(PtxReader *reader) {
    const char *at = reader->at;
    while (at < reader->end && at - reader->at < 40 && *at != '\n' && *at != ';' && *at != ' ') at++;
    if (at == reader->at && at < reader->end) at++;
    return at == reader->at ? (Name){"the end", 7} : (Name){reader->at, (uint32_t)(at - reader->at)};
}

bool reader_take(PtxReader *reader, char c) {
    if (reader_peek(reader) != c || reader->at == reader->end) return false;
    reader->at++;
    return true;
}

bool reader_need(PtxReader *reader, char c) {
    if (reader_take(reader, c)) return true;
    const Name name = found(reader);
    return reader_fail(reader, E_TEXT, "expected '%c', found '%.*s'", c, NAME_SHOWN(name));
}

enum { FIRST = 1, NEXT = 2, WORD = 4 };
// Of names the first and the other characters; of words behind a dot.
static const uint8_t classes[256] = {
    ['a' ... 'z'] = FIRST | NEXT | WORD,
    ['A' ... 'Z'] = FIRST | NEXT | WORD,
    ['0' ... '9'] = NEXT | WORD,
    ['_'] = FIRST | NEXT | WORD,
    ['$'] = FIRST | NEXT,
    ['%'] = FIRST,
    [':'] = WORD,
};

static Name scan(PtxReader *reader, const char *first, uint8_t class) {
    const char *at = first;
    while (at < reader->end && classes[(uint8_t)*at] & class) at++;
    reader->at = at;
    return (Name){first, (uint32_t)(at - first)};
}

bool reader_name(PtxReader *reader, Name *name) {
    if (!(classes[(uint8_t)reader_peek(reader)] & FIRST)) return false;
    const char *first = reader->at;
    *name = scan(reader, first + 1, NEXT);
    *name = (Name){first, name->length + 1};
    return true;
}

bool reader_need_name(PtxReader *reader, const char *what, Name *name) {
    if (!reader_name(reader, name)) {
        const Name other = found(reader);
        return reader_fail(reader, E_TEXT, "expected %s, found '%.*s'", what, NAME_SHOWN(other));
    }
    if (name->length > READER_NAME_MAX)
        return reader_fail(reader, E_LIMIT, "a name of %u bytes; %u are allowed", name->length, READER_NAME_MAX);
    return true;
}

bool reader_dot_word(PtxReader *reader, Name *name) {
    if (reader_peek(reader) != '.') return false;
    *name = scan(reader, reader->at + 1, WORD);
    while (name->length && name->at[name->length - 1] == ':') { // of a label or such behind it
        name->length--;
        reader->at--;
    }
    return true;
}

bool reader_text(PtxReader *reader, Name *text) {
    if (!reader_need(reader, '"')) return false;
    const char *first = reader->at;
    while (reader->at < reader->end && *reader->at != '"' && *reader->at != '\n')
        reader->at += *reader->at == '\\' && reader->end - reader->at > 1 && reader->at[1] != '\n' ? 2 : 1;
    *text = (Name){first, (uint32_t)(reader->at - first)};
    if (reader->at == reader->end || *reader->at != '"') return reader_fail(reader, E_TEXT, "a text without an end");
    reader->at++;
    return true;
}

bool name_is(Name name, const char *text) {
    return !strncmp(name.at, text, name.length) && !text[name.length];
}

uint32_t name_hash(Name name) {
    uint32_t hash = 0x811c9dc5;
    for (uint32_t i = 0; i < name.length; i++) hash = (hash ^ (uint8_t)name.at[i]) * 0x01000193;
    return hash;
}

const char *reader_keep(PtxReader *reader, Name name) {
    return arena_text(reader->arena, name.at, name.length);
}
