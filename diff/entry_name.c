// SPDX-License-Identifier: Apache-2.0
// The names that cuTile gives entries. They say what the kernel's author declared, which the entry's own parameters no
// longer show:
//   entry  ::= NAME "_K" convention { "_" formal }            convention ::= "t1" | "t2"
//   formal ::= "A" array | "L" { "g" hex } ["i"] "A" array | "S" dtype | "T" count formal* | constant
//   array  ::= rank dtype { "_" axes fact+ } [ "_" ["p" int] { "g" hex } ["i"] ["u" | "w"] ]
//   axes   ::= hex (bit d: dimension d)     fact ::= "s" size | "i" size divisor | "t" stride | "v" stride divisor |
//   "l" least stride constant ::= "I" int | "B" 0/1 | "F" 16 hex digits         int ::= ["_" for minus] digits
#include "diff/programs.h"

#include <stdlib.h>
#include <string.h>

enum { FORMALS_MAX = 1024, TUPLE_DEPTH_MAX = 8 };

typedef struct NameReader {
    Arena *arena;
    const char *at;
    FpdEntryName *name;
    size_t capacity;
    const char *problem;
} NameReader;

static bool name_fail(NameReader *r, const char *what) {
    if (!r->problem) r->problem = arena_format(r->arena, "%s at '%.16s'", what, r->at);
    return false;
}

static bool name_take(NameReader *r, char c) {
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static bool name_digits(NameReader *r, unsigned base, int64_t *value) {
    *value = 0;
    const char *first = r->at;
    for (; *r->at; r->at++) {
        char c = *r->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base) break;
        if (*value > (INT64_MAX - 15) / (int64_t)base) return name_fail(r, "a number beyond 64 bits");
        *value = *value * base + digit;
    }
    return r->at > first || name_fail(r, "a number is missing");
}

static bool name_integer(NameReader *r, int64_t *value) {
    bool minus = name_take(r, '_');
    if (!name_digits(r, 10, value)) return false;
    if (minus) *value = -*value;
    return true;
}

// The longest name that fits: inside a tuple the next formal follows at once.
static bool name_dtype(NameReader *r, ElementType *found) {
    size_t best = 0;
    for (unsigned type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const char *const names[] = {element_info((ElementType)type)->cutile,
                                     element_info((ElementType)type)->cutile_unsigned};
        for (size_t i = 0; i < BASE_COUNT(names); i++) {
            size_t length = strlen(names[i]);
            if (length <= best || strncmp(r->at, names[i], length) != 0) continue;
            best = length;
            *found = (ElementType)type;
        }
    }
    r->at += best;
    return best || name_fail(r, "an unknown element type");
}

static FpdFormal *name_formal(NameReader *r) {
    FpdEntryName *name = r->name;
    name->formals = arena_grow(r->arena, name->formals, name->formal_count, &r->capacity, sizeof *name->formals);
    FpdFormal *formal = &name->formals[name->formal_count++];
    *formal = (FpdFormal){.index_type = ELEMENT_I32, .base_divisor = 1};
    for (int d = 0; d < FPD_RANK_MAX; d++) {
        formal->size[d] = formal->stride[d] = formal->stride_min[d] = FPD_NOT_FIXED;
        formal->size_divisor[d] = formal->stride_divisor[d] = 1;
    }
    return formal;
}

static bool name_facts(NameReader *r, FpdFormal *formal) {
    struct {
        char letter;
        int64_t *facts;
    } const kinds[] = {{'s', formal->size},
                       {'i', formal->size_divisor},
                       {'t', formal->stride},
                       {'v', formal->stride_divisor},
                       {'l', formal->stride_min}};
    int64_t axes, value;
    if (!name_digits(r, 16, &axes)) return false;
    if (!axes || axes >> formal->rank) return name_fail(r, "a dimension the array does not have");
    for (size_t k = 0; k < BASE_COUNT(kinds); k++) {
        if (!name_take(r, kinds[k].letter)) continue;
        if (!name_integer(r, &value)) return false;
        if ((kinds[k].letter == 'i' || kinds[k].letter == 'v') && value < 1) return name_fail(r, "a divisor below 1");
        for (uint32_t d = 0; d < formal->rank; d++)
            if (axes >> d & 1) kinds[k].facts[d] = value;
    }
    return true;
}

static bool name_array(NameReader *r) {
    int64_t rank, group;
    FpdFormal *formal = name_formal(r);
    formal->kind = FPD_FORMAL_ARRAY;
    if (!name_digits(r, 10, &rank)) return false;
    if (rank > FPD_RANK_MAX) return name_fail(r, "an array of more dimensions than this program handles");
    formal->rank = (uint32_t)rank;
    if (!name_dtype(r, &formal->type)) return false;
    while (r->at[0] == '_' && r->at[1] && strchr("0123456789abcdef", r->at[1])) {
        r->at++;
        if (!name_facts(r, formal)) return false;
    }
    if (r->at[0] != '_' || !r->at[1] || !strchr("pgiuw", r->at[1])) return true;
    r->at++;
    if (name_take(r, 'p') && (!name_integer(r, &formal->base_divisor) || formal->base_divisor < 1))
        return name_fail(r, "a divisor below 1");
    while (name_take(r, 'g'))
        if (!name_digits(r, 16, &group)) return false;
    name_take(r, 'i');
    if (name_take(r, 'w'))
        formal->index_type = ELEMENT_I64;
    else
        name_take(r, 'u');
    return true;
}

// Of arrays. What may overlap what changes nothing here.
static bool name_list(NameReader *r) {
    int64_t group;
    while (name_take(r, 'g'))
        if (!name_digits(r, 16, &group)) return false;
    name_take(r, 'i');
    if (!name_take(r, 'A')) return name_fail(r, "a list of something else than arrays");
    const uint32_t index = r->name->formal_count;
    if (!name_array(r)) return false;
    r->name->formals[index].list = true;
    return true;
}

static bool name_item(NameReader *r, unsigned depth) {
    int64_t number;
    if (r->name->formal_count >= FORMALS_MAX) return name_fail(r, "too many parameters");
    char code = *r->at;
    if (code) r->at++;
    switch (code) {
    case 'A': return name_array(r);
    case 'S': {
        FpdFormal *formal = name_formal(r);
        formal->kind = FPD_FORMAL_SCALAR;
        return name_dtype(r, &formal->type);
    }
    case 'I': return name_integer(r, &number);
    case 'B': return name_digits(r, 10, &number);
    case 'F':
        if (strspn(r->at, "0123456789abcdef") < 16) return name_fail(r, "16 hexadecimal digits are missing");
        r->at += 16;
        return true;
    case 'T':
        if (depth == TUPLE_DEPTH_MAX) return name_fail(r, "tuples nested too deep");
        if (!name_digits(r, 10, &number)) return false;
        for (int64_t i = 0; i < number; i++)
            if (!name_item(r, depth + 1)) return false;
        return true;
    case 'L': return name_list(r);
    default:
        if (code) r->at--;
        return name_fail(r, "an unknown kind of parameter");
    }
}

bool fpd_read_entry_name(Arena *arena, const char *symbol, FpdEntryName *name, const char **problem) {
    const char *mark = program_cutile_mangling(symbol);
    *name = (FpdEntryName){.name = arena_text(arena, symbol, strlen(symbol))};
    *problem = NULL;
    if (!mark) return true;
    NameReader r = {.arena = arena, .at = mark + 3, .name = name};
    int64_t convention;
    if (!name_digits(&r, 10, &convention)) goto fail;
    if (convention < 1 || convention > 2) {
        *problem = arena_format(arena, "cuTile calling convention t%lld, known are t1 and t2", (long long)convention);
        return false;
    }
    name->mangled = true;
    name->name = arena_text(arena, symbol, (size_t)(mark - symbol));
    while (*r.at)
        if (!(name_take(&r, '_') || name_fail(&r, "'_' is missing")) || !name_item(&r, 0)) goto fail;
    return true;
fail:
    *problem = r.problem;
    return false;
}
