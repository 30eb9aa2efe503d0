// SPDX-License-Identifier: Apache-2.0
// Layouts of TTGIR: how tensors lie in registers, which says nothing about values, and how they lie in shared and
// tensor memory. The text defines most of them before the module: #shared = #ttg.nvmma_shared<{..}>.
#include "compiler/triton/reader.h"

// ---- their names ----------------------------------------------------------------------------------------------------

typedef struct LayoutRow {
    const char *name;
    TriEncodingKind kind;
    TriLayoutKind layout; // of TRI_MEMORY
    const char *advice;   // why it is not supported; NULL: it is
} LayoutRow;

static const LayoutRow rows[] = {
    {"ttg.blocked", TRI_REGISTERS, 0, NULL},
    {"ttg.linear", TRI_REGISTERS, 0, NULL},
    {"ttg.generic_linear", TRI_REGISTERS, 0, NULL},
    {"ttg.slice", TRI_REGISTERS, 0, NULL},
    {"ttg.dot_op", TRI_REGISTERS, 0, NULL},
    {"ttg.nvidia_mma", TRI_REGISTERS, 0, NULL},
    {"ttg.nvmma_shared", TRI_MEMORY, TRI_LAYOUT_NVMMA, NULL},
    {"ttg.swizzled_shared", TRI_MEMORY, TRI_LAYOUT_SWIZZLED, NULL},
    {"ttg.shared_linear", TRI_MEMORY, TRI_LAYOUT_LINEAR, NULL},
    {"ttng.tensor_memory_encoding", TRI_MEMORY, TRI_LAYOUT_TENSOR, NULL},
    {"ttng.tensor_memory_scales_encoding", TRI_MEMORY, TRI_LAYOUT_SCALES, NULL},
    {"ttg.shared_memory", TRI_SHARED_SPACE, 0, NULL},
    {"ttng.tensor_memory", TRI_TENSOR_SPACE, 0, NULL},
    {"gluon.auto_encoding", TRI_REGISTERS, 0, tri_export_ttgir},
    {"gluon.coalesced_encoding", TRI_REGISTERS, 0, tri_export_ttgir},
    {"ttg.shared", TRI_MEMORY, 0, tri_export_newer},
    {"ttg.amd_mfma", TRI_REGISTERS, 0, tri_export_nvidia},
    {"ttg.amd_wmma", TRI_REGISTERS, 0, tri_export_nvidia},
    {"ttg.amd_rotating_shared", TRI_MEMORY, 0, tri_export_nvidia},
    {"ttg.padded_shared", TRI_MEMORY, 0, tri_export_nvidia},
    {"ttg.partitioned_shared", TRI_MEMORY, 0, tri_export_nvidia},
};

static bool find_row(Parser *p, const Token *at, const LayoutRow **row) {
    const char *name = token_name(p, at);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *row = &rows[i];
        return !rows[i].advice || tri_fail_advised(p, at, rows[i].advice, "the layout #%s", name);
    }
    if (!strncmp(name, "triton_", 7)) return tri_fail_advised(p, at, tri_export_newer, "the layout #%s", name);
    if (!strchr(name, '.')) return parse_fail(p, at, "the layout #%s is not defined", name);
    return tri_fail_unsupported(p, at, "the layout #%s", name);
}

// ---- lists ----------------------------------------------------------------------------------------------------------

typedef struct Numbers {
    int64_t *items;
    size_t count, capacity;
} Numbers;

static bool take_number(Parser *p, Numbers *numbers) {
    numbers->items =
        arena_grow(&p->scratch, numbers->items, numbers->count, &numbers->capacity, sizeof *numbers->items);
    return parse_integer(p, &numbers->items[numbers->count++], "a number");
}

// [1, 0]
static bool parse_numbers(Parser *p, Numbers *numbers) {
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        if (!take_number(p, numbers)) return false;
    } while (parse_take(p, ','));
    return parse_need(p, ']', "',' or ']'");
}

// [[0, 1], [1, 0]]
static bool parse_bases(Parser *p, TriBases *bases) {
    Numbers numbers = {0};
    const Token at = p->token;
    *bases = (TriBases){0};
    if (!parse_need(p, '[', "'['")) return false;
    if (parse_take(p, ']')) return true;
    do {
        const size_t before = numbers.count;
        const Token row = p->token;
        if (!parse_numbers(p, &numbers)) return false;
        const size_t rank = numbers.count - before;
        if (!bases->count) bases->rank = (uint32_t)rank;
        if (!rank || rank > TIR_RANK_MAX || rank != bases->rank)
            return parse_fail(p, &row, "a basis of %zu numbers", rank);
        for (size_t i = before; i < numbers.count; i++)
            if (numbers.items[i] < 0 || numbers.items[i] > TIR_TILE_ELEMENTS_MAX)
                return parse_fail(p, &row, "%lld in a basis", (long long)numbers.items[i]);
        if (++bases->count > 32) return parse_fail(p, &at, "more than 32 bases");
    } while (parse_take(p, ','));
    bases->numbers = numbers.items;
    return parse_need(p, ']', "',' or ']'");
}

// ---- layouts of memory ----------------------------------------------------------------------------------------------

typedef struct Split { // over how many blocks of a cluster rows and columns of tensor memory are: as 3.6 and 3.7 say it
    uint32_t of_m, of_n;
} Split;

typedef enum FieldKind { FIELD_NUMBER, FIELD_BOOL, FIELD_ORDER, FIELD_BASES, FIELD_REPEATS, FIELD_SPLIT } FieldKind;
typedef struct Field {
    const char *name;
    unsigned layouts; // a bit for each TriLayoutKind
    FieldKind kind;
    size_t offset; // in TriLayout, or in Split
} Field;

#define BIT(kind)      (1u << TRI_LAYOUT_##kind)
#define SHARED         (BIT(NVMMA) | BIT(SWIZZLED))
#define TENSORS        (BIT(TENSOR) | BIT(SCALES))
#define PART(member)   offsetof(TriLayout, member)
#define OF_OLD(member) offsetof(Split, member)
static const Field fields[] = {
    {"swizzlingByteWidth", BIT(NVMMA), FIELD_NUMBER, PART(swizzle)},
    {"transposed", BIT(NVMMA), FIELD_BOOL, PART(transposed)},
    {"elementBitWidth", BIT(NVMMA), FIELD_NUMBER, PART(element_bits)},
    {"fp4Padded", BIT(NVMMA) | BIT(TENSOR), FIELD_BOOL, PART(fp4_padded)},
    {"rank", BIT(NVMMA), FIELD_NUMBER, PART(rank)},
    {"vec", BIT(SWIZZLED), FIELD_NUMBER, PART(vec)},
    {"perPhase", BIT(SWIZZLED), FIELD_NUMBER, PART(per_phase)},
    {"maxPhase", BIT(SWIZZLED), FIELD_NUMBER, PART(max_phase)},
    {"order", BIT(SWIZZLED), FIELD_ORDER, 0},
    {"offset", BIT(LINEAR), FIELD_BASES, PART(offsets)},
    {"block", BIT(LINEAR), FIELD_BASES, PART(blocks)},
    {"alignment", BIT(LINEAR), FIELD_NUMBER, PART(alignment)},
    {"blockM", BIT(TENSOR), FIELD_NUMBER, PART(block_m)},
    {"blockN", BIT(TENSOR), FIELD_NUMBER, PART(block_n)},
    {"colStride", BIT(TENSOR), FIELD_NUMBER, PART(column_stride)},
    {"twoCTAs", BIT(TENSOR), FIELD_BOOL, PART(two_ctas)},
    {"blockRepOrder", BIT(SCALES), FIELD_REPEATS, 0},
    {"CGALayout", SHARED | TENSORS, FIELD_BASES, PART(blocks)},
    {"CTASplitM", TENSORS, FIELD_SPLIT, OF_OLD(of_m)},
    {"CTASplitN", TENSORS, FIELD_SPLIT, OF_OLD(of_n)},
};

static bool parse_small(Parser *p, uint32_t *number, const char *what) {
    const Token at = p->token;
    uint64_t wide;
    if (!parse_unsigned(p, &wide, what)) return false;
    if (wide > 1 << 20) return parse_fail(p, &at, "%s is %llu", what, (unsigned long long)wide);
    *number = (uint32_t)wide;
    return true;
}

static bool parse_order(Parser *p, TriLayout *layout) {
    const Token at = p->token;
    Numbers order = {0};
    uint32_t seen = 0;
    if (!parse_numbers(p, &order)) return false;
    for (size_t i = 0; i < order.count; i++) {
        const int64_t dimension = order.items[i];
        if (order.count > TIR_RANK_MAX || dimension < 0 || dimension >= (int64_t)order.count || seen >> dimension & 1)
            return parse_fail(p, &at, "the order of a layout is no order of its dimensions");
        seen |= 1u << dimension;
        layout->order[i] = (uint32_t)dimension;
    }
    layout->rank = (uint32_t)order.count;
    return true;
}

// kThenMn or #ttng.blockRepOrder<kThenMn>
static bool parse_repeats(Parser *p, bool *k_first) {
    const bool wrapped = parse_at(p, TOKEN_HASH);
    if (wrapped) {
        parse_advance(p);
        if (!parse_need(p, '<', "'<'")) return false;
    }
    *k_first = parse_take_word(p, "kThenMn");
    if (!*k_first && !parse_take_word(p, "mnThenK")) return parse_expected(p, "kThenMn or mnThenK");
    return !wrapped || parse_need(p, '>', "'>'");
}

static bool parse_field(Parser *p, const Field *field, TriLayout *layout, Split *split) {
    void *const at = (char *)(field->kind == FIELD_SPLIT ? (void *)split : (void *)layout) + field->offset;
    switch (field->kind) {
    case FIELD_NUMBER: return parse_small(p, at, field->name);
    case FIELD_BOOL:
        *(bool *)at = parse_at_word(p, "true");
        return parse_take_word(p, "true") || parse_take_word(p, "false") || parse_expected(p, "true or false");
    case FIELD_ORDER: return parse_order(p, layout);
    case FIELD_BASES: return parse_bases(p, at);
    case FIELD_REPEATS: return parse_repeats(p, &layout->k_first);
    case FIELD_SPLIT: return parse_small(p, at, field->name);
    }
    return false;
}

static bool parse_fields(Parser *p, TriLayout *layout, Split *split, uint32_t *seen) {
    do {
        const Token at = p->token;
        const char *name = token_text(p, &at);
        size_t i = 0;
        while (i < BASE_COUNT(fields) && (strcmp(fields[i].name, name) || !(fields[i].layouts >> layout->kind & 1)))
            i++;
        if (!parse_need(p, TOKEN_WORD, "the name of a part of the layout")) return false;
        if (i == BASE_COUNT(fields) && (!strcmp(name, "unpacked") || !strncmp(name, "CTA", 3)))
            return tri_fail_advised(p, &at, tri_export_newer, "'%s' of a layout", name);
        if (i == BASE_COUNT(fields)) return tri_fail_unsupported(p, &at, "'%s' of this layout", name);
        if (*seen >> i & 1) return parse_fail(p, &at, "'%s' is there twice", name);
        *seen |= 1u << i;
        if (!parse_need(p, '=', "'='") || !parse_field(p, &fields[i], layout, split)) return false;
    } while (parse_take(p, ','));
    return true;
}

static bool is_power(uint32_t number) {
    return number && !(number & (number - 1));
}

// A basis for each bit of so many parts, that of rows first.
static bool split_bases(Parser *p, const Token *at, const Split *split, TriBases *bases) {
    int64_t *numbers = arena_array(&p->scratch, int64_t, 2 * 2 * 20);
    if (bases->count) return parse_fail(p, at, "a layout that says twice where the blocks of a cluster are");
    const uint32_t parts[] = {split->of_m, split->of_n};
    for (uint32_t d = 0; d < 2; d++) {
        if (parts[d] && !is_power(parts[d])) return parse_fail(p, at, "a tensor in %u parts", parts[d]);
        for (uint32_t step = 1; step < parts[d]; step *= 2) numbers[2 * bases->count++ + d] = step;
    }
    bases->rank = 2;
    bases->numbers = bases->count ? numbers : NULL;
    return true;
}

// Numbers that others divide by, or take for powers of two.
static const char *layout_problem(const TriLayout *layout) {
    switch (layout->kind) {
    case TRI_LAYOUT_NVMMA:
        if (layout->swizzle && (!is_power(layout->swizzle) || layout->swizzle < 32 || layout->swizzle > 128))
            return "swizzlingByteWidth is not 0, 32, 64 or 128";
        return is_power(layout->element_bits) && layout->element_bits >= 8 && layout->element_bits <= 64
                   ? NULL
                   : "elementBitWidth is not 8, 16, 32 or 64";
    case TRI_LAYOUT_SWIZZLED:
        if (!layout->rank) return "it has no order";
        return is_power(layout->vec) && is_power(layout->per_phase) && is_power(layout->max_phase)
                   ? NULL
                   : "vec, perPhase or maxPhase is no power of two";
    case TRI_LAYOUT_LINEAR: return layout->offsets.count || layout->alignment ? NULL : "it says nothing";
    case TRI_LAYOUT_TENSOR:
        if (layout->block_m != 64 && layout->block_m != 128) return "blockM is not 64 or 128";
        if (!is_power(layout->block_n)) return "blockN is no power of two";
        return is_power(layout->column_stride) && layout->column_stride <= 4 ? NULL : "colStride is not 1, 2 or 4";
    case TRI_LAYOUT_SCALES: return NULL;
    }
    return NULL;
}

// Whether each basis is zero, or a power of two of one dimension.
static bool is_permutation(const TriBases *bases) {
    for (uint32_t i = 0; i < bases->count; i++) {
        uint32_t others = 0;
        for (uint32_t d = 0; d < bases->rank; d++) {
            const int64_t number = tri_basis(bases, i)[d];
            if (number && !is_power((uint32_t)number)) return false;
            others += number != 0;
        }
        if (others > 1) return false;
    }
    return true;
}

static bool finish_layout(Parser *p, const Token *at, TriLayout *layout, const Split *split) {
    if ((split->of_m || split->of_n) && !split_bases(p, at, split, &layout->blocks)) return false;
    for (uint32_t i = 0; i < layout->blocks.count * layout->blocks.rank; i++)
        layout->is_split |= layout->blocks.numbers[i] != 0;
    const char *problem = layout_problem(layout);
    if (!problem && layout->kind != TRI_LAYOUT_LINEAR && !is_permutation(&layout->blocks))
        problem = "the blocks of a cluster split no dimension into halves";
    return !problem || parse_fail(p, at, "not a layout: %s", problem);
}

static bool same_bases(const TriBases *a, const TriBases *b) {
    return a->count == b->count &&
           (!a->count ||
            (a->rank == b->rank && !memcmp(a->numbers, b->numbers, a->count * a->rank * sizeof *a->numbers)));
}

bool tri_same_layout(const TriLayout *a, const TriLayout *b) {
    if (a == b || !a || !b) return a == b;
    return a->kind == b->kind && a->transposed == b->transposed && a->fp4_padded == b->fp4_padded &&
           a->two_ctas == b->two_ctas && a->swizzle == b->swizzle && a->element_bits == b->element_bits &&
           a->vec == b->vec && a->per_phase == b->per_phase && a->max_phase == b->max_phase && a->rank == b->rank &&
           !memcmp(a->order, b->order, sizeof a->order) && a->block_m == b->block_m && a->block_n == b->block_n &&
           a->column_stride == b->column_stride && a->k_first == b->k_first && a->alignment == b->alignment &&
           same_bases(&a->offsets, &b->offsets) && same_bases(&a->blocks, &b->blocks);
}

uint32_t tri_layout_rank(const TriLayout *layout) {
    const uint32_t own = layout->kind == TRI_LAYOUT_LINEAR ? layout->offsets.rank : layout->rank;
    const uint32_t known = own > layout->blocks.rank ? own : layout->blocks.rank;
    return known ? known : 2;
}

// <{a = 1, b = [0]}, alignment = 16>, <a = 1> or <>
static bool parse_memory_body(Parser *p, const Token *at, TriLayoutKind kind, const TriLayout **made) {
    TriLayout *layout = arena_new(&p->scratch, TriLayout);
    Split split = {0};
    uint32_t seen = 0;
    layout->kind = kind;
    if (!parse_need(p, '<', "'<'")) return false;
    if (parse_take(p, '{')) {
        if (!parse_at(p, '}') && !parse_fields(p, layout, &split, &seen)) return false;
        if (!parse_need(p, '}', "',' or '}'")) return false;
        if (!parse_at(p, '>') && !parse_need(p, ',', "',' or '>'")) return false;
    }
    if (!parse_at(p, '>') && !parse_fields(p, layout, &split, &seen)) return false;
    *made = layout;
    return parse_need(p, '>', "',' or '>'") && finish_layout(p, at, layout, &split);
}

// ---- layouts of registers -------------------------------------------------------------------------------------------

static bool parse_encoding(Parser *p, TriEncoding *encoding);

static bool check_nested(Parser *p) {
    TriEncoding nested;
    uint64_t known;
    const char *name = token_name(p, &p->token);
    if (map_find(&tri_reader(p)->layouts, name, &known)) {
        parse_advance(p);
        return true;
    }
    return parse_encoding(p, &nested);
}

// <{dim = 1, parent = #blocked}>: the names of layouts in it are checked.
static bool skip_register_body(Parser *p) {
    if (!parse_need(p, '<', "'<'") || !parse_enter(p)) return false;
    uint32_t depth = 1;
    while (depth) {
        if (parse_at(p, TOKEN_END) || parse_at(p, TOKEN_ERROR)) return parse_expected(p, "the end of a layout");
        if (parse_at(p, TOKEN_HASH)) {
            if (!check_nested(p)) return false;
            continue;
        }
        if (parse_at(p, '<') || parse_at(p, '{') || parse_at(p, '[') || parse_at(p, '(')) depth++;
        if (parse_at(p, '>') || parse_at(p, '}') || parse_at(p, ']') || parse_at(p, ')')) depth--;
        parse_advance(p);
    }
    parse_leave(p);
    return true;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// #blocked, which is defined, or #ttg.blocked<{..}>, #ttg.shared_memory.
static bool parse_encoding(Parser *p, TriEncoding *encoding) {
    const Token at = p->token;
    const TriReader *r = tri_reader(p);
    const LayoutRow *row = NULL;
    uint64_t index;
    *encoding = (TriEncoding){0};
    if (!parse_at(p, TOKEN_HASH)) return parse_expected(p, "a layout, #name");
    if (map_find(&r->layouts, token_name(p, &at), &index)) {
        *encoding = r->encodings[index];
        parse_advance(p);
        return true;
    }
    if (!find_row(p, &at, &row)) return false;
    parse_advance(p);
    encoding->kind = row->kind;
    if (row->kind == TRI_MEMORY) return parse_memory_body(p, &at, row->layout, &encoding->layout);
    return row->kind != TRI_REGISTERS || skip_register_body(p);
}

bool tri_parse_register_layout(Parser *p) {
    const Token at = p->token;
    TriEncoding encoding;
    return parse_encoding(p, &encoding) &&
           (encoding.kind == TRI_REGISTERS || parse_fail(p, &at, "%s is no layout of a tensor", token_text(p, &at)));
}

bool tri_parse_memory_layout(Parser *p, const TriLayout **layout) {
    const Token at = p->token;
    TriEncoding encoding;
    if (!parse_encoding(p, &encoding)) return false;
    *layout = encoding.layout;
    return encoding.kind == TRI_MEMORY || parse_fail(p, &at, "%s is no layout of memory", token_text(p, &at));
}

bool tri_parse_space(Parser *p, bool *tensor) {
    const Token at = p->token;
    TriEncoding encoding;
    if (!parse_encoding(p, &encoding)) return false;
    *tensor = encoding.kind == TRI_TENSOR_SPACE;
    return *tensor || encoding.kind == TRI_SHARED_SPACE || parse_fail(p, &at, "%s is no memory", token_text(p, &at));
}

bool tri_parse_layout_alias(Parser *p) {
    TriReader *r = tri_reader(p);
    const Token name = p->token;
    const char *key = token_text(p, &name) + 1;
    TriEncoding encoding;
    parse_advance(p);
    if (!parse_need(p, '=', "'='") || !parse_encoding(p, &encoding)) return false;
    r->encodings =
        arena_grow(&p->scratch, r->encodings, r->encoding_count, &r->encoding_capacity, sizeof *r->encodings);
    r->encodings[r->encoding_count] = encoding;
    return map_insert(&r->layouts, &p->scratch, key, r->encoding_count++) ||
           parse_fail(p, &name, "#%s is defined a second time", key);
}
