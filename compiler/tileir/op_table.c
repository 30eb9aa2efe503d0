// SPDX-License-Identifier: Apache-2.0
// The op table: ops.def parsed into TirOpInfo at first use, and the enumerations of attributes.
#include "compiler/tileir/tir.h"
#include "compiler/tileir/text_form.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct OpRow {
    const char *name;
    uint32_t opcode;
    uint16_t since;
    const char *operands, *attributes, *results, *traits, *effects, *text;
    FpsanRule rule;
} OpRow;

enum {
#define RULE(name, ...) RULE_##name = FPSAN_RULE_##name,
#include "sanitizer/format/rules.def"
#undef RULE
    RULE_NONE = FPSAN_RULE_COUNT
};
static const OpRow op_rows[TIR_OP_COUNT] = {
#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, rule, check)                     \
    {#name, opcode, since, operands, attributes, results, traits, effects, text, (FpsanRule)RULE_##rule},
#include "compiler/tileir/ops.def"
#undef OP
};

// Of the numbers, which types.def has by their names in Tile IR: what their rows say.
enum {
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, tile_ir, \
               ...)                                                                                                    \
    CLASS_##tile_ir = TIR_CLASS_FLOAT, TYPE_##tile_ir = ELEMENT_##name, BITS_##tile_ir = bits,                         \
    STORAGE_##tile_ir = storage,
#include "sanitizer/format/formats.def"
#undef FORMAT
#define INTEGER(name, text, bits, storage, tile_ir, ...)                                                               \
    CLASS_##tile_ir = TIR_CLASS_INTEGER, TYPE_##tile_ir = ELEMENT_##name, BITS_##tile_ir = bits,                       \
    STORAGE_##tile_ir = storage,
#include "sanitizer/format/integers.def"
#undef INTEGER
};
const TirTypeRow tir_type_rows[TIR_TYPE_COUNT] = {
#define TYPE(name, tag, since, bits, bytes) {#name, TIR_CLASS_COMPOUND, tag, since, ELEMENT_TYPE_COUNT, bits, bytes},
#define NUMBER(name, tag, since)                                                                                       \
    {#name, (TirTypeClass)CLASS_##name, tag, since, (ElementType)TYPE_##name, BITS_##name, (STORAGE_##name + 7) / 8},
#include "compiler/tileir/types.def"
#undef TYPE
};
_Static_assert(TIR_TYPE_COUNT <= 32, "a set of type kinds is a 32 bit mask");

#define TIR_WORD(enumeration, word) #word,
#define TIR_ENUM(name, words)       static const char *const enum_words_##name[] = {words};
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
#undef TIR_WORD
#define TIR_ENUM(name, words) const TirEnum tir_enum_##name = {#name, BASE_COUNT(enum_words_##name), enum_words_##name};
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
_Static_assert(TIR_PAD_zero == (int)TIR_padding_zero && TIR_PAD_neg_zero == (int)TIR_padding_neg_zero &&
                   TIR_PAD_nan == (int)TIR_padding_nan && TIR_PAD_pos_inf == (int)TIR_padding_pos_inf &&
                   TIR_PAD_neg_inf == (int)TIR_padding_neg_inf && TIR_PAD_none == (int)TIR_padding_COUNT,
               "the paddings are the words of the attribute, or none");
// Not all code names these words, whose numbers are those of the format.
_Static_assert(TIR_multimem_reduction_umax == 7 && TIR_multimem_reduction_COUNT == 8 &&
                   TIR_pointer_attribute_multicast == 2 && TIR_pointer_attribute_COUNT == 3,
               "a word is missing");

const char *tir_enum_word(const TirEnum *enumeration, uint64_t value) {
    return value < enumeration->count ? enumeration->words[value] : NULL;
}

uint16_t tir_enum_since(const TirEnum *enumeration, uint64_t value) {
    static const struct {
        const TirEnum *enumeration;
        uint64_t value;
        uint16_t since;
    } rows[] = {
#define TIR_ENUM(name, words)
#define TIR_WORD_SINCE(enumeration, word, since) {&tir_enum_##enumeration, TIR_##enumeration##_##word, since},
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].enumeration == enumeration && rows[i].value == value) return rows[i].since;
    return TIR_VERSION_MIN;
}

// ---- the table, constant once fill_op_table has run ----------------------------------------

enum { OPCODES_MAX = 0x4004, VERSION_LAST = 1305 }; // highest opcode of files + 1 and newest version in ops.def
static struct {
    TirOpInfo infos[TIR_OP_COUNT];
    uint8_t by_opcode[OPCODES_MAX]; // TIR_OP_COUNT = none
    char names[8192];               // every name of the specs once, each with its zero
    size_t names_size;
} op_table;
static pthread_once_t op_table_once = PTHREAD_ONCE_INIT;
_Static_assert(TIR_OP_COUNT < 256, "by_opcode holds bytes");

typedef struct Slice { // of a spec string
    const char *at, *end;
} Slice;

static bool slice_is(Slice slice, const char *text) {
    size_t length = (size_t)(slice.end - slice.at);
    return strlen(text) == length && memcmp(slice.at, text, length) == 0;
}

// The next word, up to a blank; empty at the end of the spec.
static Slice next_word(const char **spec) {
    const char *at = *spec + strspn(*spec, " ");
    const char *end = at + strcspn(at, " ");
    *spec = end;
    return (Slice){at, end};
}

// The characters of the slice up to one of `stops`, which are taken from it.
static Slice take_until(Slice *slice, const char *stops) {
    const char *end = slice->at;
    while (end < slice->end && !strchr(stops, *end)) end++;
    Slice taken = {slice->at, end};
    slice->at = end;
    return taken;
}

static bool take_char(Slice *slice, char c) {
    if (slice->at == slice->end || *slice->at != c) return false;
    slice->at++;
    return true;
}

static const char *intern_name(const char *text, size_t length) {
    for (const char *at = op_table.names; at < op_table.names + op_table.names_size; at += strlen(at) + 1)
        if (strlen(at) == length && memcmp(at, text, length) == 0) return at;
    assert(op_table.names_size + length + 1 <= sizeof op_table.names);
    char *name = op_table.names + op_table.names_size;
    memcpy(name, text, length);
    op_table.names_size += length + 1;
    return name;
}

static const char *intern_slice(Slice slice) {
    return intern_name(slice.at, (size_t)(slice.end - slice.at));
}

static uint16_t take_since(Slice *word, uint16_t since) {
    if (!take_char(word, '@')) return since;
    return (uint16_t)atoi(take_until(word, "=").at);
}

// ---- type rules ----------------------------------------

#define KIND_BIT(kind) (1u << TIR_TYPE_##kind)
enum {
    SET_TEXT = 0
#define TYPE(...)
#define NUMBER(...)
#define TEXT_NUMBER(name) | KIND_BIT(name)
#include "compiler/tileir/types.def"
#undef TYPE
    ,
    SET_B = KIND_BIT(f16) | KIND_BIT(bf16) | KIND_BIT(f32) | KIND_BIT(f64),
    SET_X = SET_TEXT
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, tile_ir, \
               ...)                                                                                                    \
    | KIND_BIT(tile_ir)
#include "sanitizer/format/formats.def"
#undef FORMAT
    ,
    SET_F = SET_X & ~SET_TEXT,
    SET_I = KIND_BIT(i1) | KIND_BIT(i8) | KIND_BIT(i16) | KIND_BIT(i32) | KIND_BIT(i64),
    SET_J = SET_I | KIND_BIT(i4),
    SET_N = SET_I | SET_X,
    SET_U = SET_N | KIND_BIT(i4),
    SET_T = SET_U | KIND_BIT(ptr),
};
static const struct {
    const char *name;
    uint32_t kinds, elements;
} type_sets[] = {
    {"I", KIND_BIT(tile), SET_I},
    {"J", KIND_BIT(tile), SET_J},
    {"B", KIND_BIT(tile), SET_B},
    {"F", KIND_BIT(tile), SET_F},
    {"N", KIND_BIT(tile), SET_N},
    {"U", KIND_BIT(tile), SET_U},
    {"X", KIND_BIT(tile), SET_X},
    {"P", KIND_BIT(tile), KIND_BIT(ptr)},
    {"T", KIND_BIT(tile), SET_T},
    {"V", KIND_BIT(partition_view) | KIND_BIT(strided_view) | KIND_BIT(gather_scatter_view), 0},
    {"A", (1u << TIR_TYPE_COUNT) - 1, SET_T},
};

static void add_type_set(TirTypeRule *rule, Slice name) {
    for (size_t i = 0; i < BASE_COUNT(type_sets); i++) {
        if (!slice_is(name, type_sets[i].name)) continue;
        rule->kinds |= type_sets[i].kinds;
        rule->elements |= type_sets[i].elements;
        return;
    }
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++) {
        if (!slice_is(name, tir_type_rows[kind].name)) continue;
        bool number = tir_type_rows[kind].class != TIR_CLASS_COMPOUND;
        rule->kinds |= number ? KIND_BIT(tile) : 1u << kind;
        if (number) rule->elements |= 1u << kind;
        return;
    }
    assert(!"ops.def names an unknown type set");
}

static uint32_t declared_results(const TirOpInfo *info) {
    return info->result_count < 0 ? 1 : (uint32_t)info->result_count;
}

static TirRelation relation_to(const TirOpInfo *info, char relation, Slice name) {
    for (uint8_t i = 0; i < info->operand_count; i++)
        if (slice_is(name, info->operands[i].name)) return (TirRelation){relation, false, i};
    for (uint8_t i = 0; i < declared_results(info); i++)
        if (slice_is(name, info->results[i].name)) return (TirRelation){relation, true, i};
    assert(!"ops.def relates a type to an unknown name");
    return (TirRelation){relation, false, 0};
}

// [SET][.RANK][RELATION...]
static TirTypeRule parse_type_rule(const TirOpInfo *info, Slice spec) {
    static const char relations[] = "=~^%&", anything[] = "A";
    const Slice any = {anything, anything + 1};
    TirTypeRule rule = {.rank = -1};
    Slice set = take_until(&spec, ".=~^%&");
    if (set.at == set.end) add_type_set(&rule, any);
    while (set.at < set.end) {
        add_type_set(&rule, take_until(&set, "|"));
        take_char(&set, '|');
    }
    if (take_char(&spec, '.')) rule.rank = (int8_t)(*spec.at++ - '0');
    while (spec.at < spec.end) {
        char relation = *spec.at++;
        assert(strchr(relations, relation) && rule.relation_count < TIR_RELATIONS_MAX);
        rule.relations[rule.relation_count++] = relation_to(info, relation, take_until(&spec, relations));
    }
    return rule;
}

// ---- operands, results, attributes ----------------------------------------

// [?|*]NAME[:TYPE][@SINCE] of one operand or result; the type rule waits in *rule until all names are known.
static TirOperandInfo parse_operand(const OpRow *row, Slice word, Slice *rule) {
    TirOperandInfo operand = {0};
    operand.flag = -1;
    operand.arity = take_char(&word, '?') ? TIR_OPTIONAL : take_char(&word, '*') ? TIR_VARIADIC : TIR_ONE;
    operand.name = intern_slice(take_until(&word, ":@=~^%&"));
    take_char(&word, ':');
    *rule = take_until(&word, "@");
    operand.since = take_since(&word, row->since);
    return operand;
}

static void parse_operands_and_results(TirOpInfo *info, const OpRow *row) {
    Slice operand_rules[TIR_OPERANDS_MAX], result_rules[TIR_RESULTS_MAX];
    const char *spec = row->operands;
    for (Slice word = next_word(&spec); word.at < word.end; word = next_word(&spec)) {
        assert(info->operand_count < TIR_OPERANDS_MAX);
        uint8_t index = info->operand_count++;
        info->operands[index] = parse_operand(row, word, &operand_rules[index]);
    }
    char names[64] = "";
    uint8_t count = 0;
    bool variadic = false;
    spec = row->results;
    for (Slice word = next_word(&spec); word.at < word.end; word = next_word(&spec), count++) {
        assert(count < TIR_RESULTS_MAX);
        info->results[count] = parse_operand(row, word, &result_rules[count]);
        variadic |= info->results[count].arity == TIR_VARIADIC;
        assert(strlen(names) + strlen(info->results[count].name) + 2 <= sizeof names);
        strcat(strcat(names, count ? " " : ""), info->results[count].name);
    }
    info->result_count = variadic ? -1 : (int8_t)count;
    info->result_names = intern_name(names, strlen(names));
    for (uint8_t i = 0; i < info->operand_count; i++) info->operands[i].type = parse_type_rule(info, operand_rules[i]);
    for (uint8_t i = 0; i < count; i++) info->results[i].type = parse_type_rule(info, result_rules[i]);
}

static const TirEnum *find_enumeration(Slice name) {
    static const TirEnum *const enums[] = {
#define TIR_ENUM(name, words) &tir_enum_##name,
#include "compiler/tileir/enums.def"
#undef TIR_ENUM
    };
    for (size_t i = 0; i < BASE_COUNT(enums); i++)
        if (slice_is(name, enums[i]->name)) return enums[i];
    return NULL;
}

static void parse_attribute_kind(TirAttributeInfo *attribute, Slice kind) {
    static const struct {
        const char *name;
        TirAttributeKind kind;
    } kinds[] = {
        {"bool", TIR_ATTR_BOOL},         {"i32", TIR_ATTR_I32},       {"i64", TIR_ATTR_I64},
        {"string", TIR_ATTR_STRING},     {"symbol", TIR_ATTR_STRING}, {"i32s", TIR_ATTR_I32_ARRAY},
        {"bools", TIR_ATTR_BOOL_ARRAY},  {"array", TIR_ATTR_ARRAY},   {"hints", TIR_ATTR_HINTS},
        {"constant", TIR_ATTR_CONSTANT}, {"tagged", TIR_ATTR_TAGGED},
    };
    attribute->symbol = slice_is(kind, "symbol");
    for (size_t i = 0; i < BASE_COUNT(kinds); i++) {
        if (!slice_is(kind, kinds[i].name)) continue;
        attribute->kind = kinds[i].kind;
        return;
    }
    attribute->kind = TIR_ATTR_ENUM;
    attribute->enumeration = find_enumeration(kind);
    assert(attribute->enumeration);
}

// [?|!]NAME[:KIND][@SINCE][=DEFAULT]
static TirAttributeInfo parse_attribute(const OpRow *row, Slice word) {
    TirAttributeInfo attribute = {.flag = -1};
    bool unit = take_char(&word, '!');
    attribute.optional = take_char(&word, '?');
    Slice name = take_until(&word, ":@="), kind = name;
    attribute.name = intern_slice(name);
    if (take_char(&word, ':')) kind = take_until(&word, "@=");
    if (unit)
        attribute.kind = TIR_ATTR_UNIT;
    else
        parse_attribute_kind(&attribute, kind);
    attribute.since = take_since(&word, row->since);
    if (take_char(&word, '=')) {
        attribute.has_default = true;
        while (!slice_is(word, attribute.enumeration->words[attribute.default_value])) attribute.default_value++;
    }
    return attribute;
}

static void parse_attributes(TirOpInfo *info, const OpRow *row) {
    const char *spec = row->attributes;
    for (Slice word = next_word(&spec); word.at < word.end; word = next_word(&spec)) {
        assert(info->attribute_count < TIR_ATTRIBUTES_MAX);
        info->attributes[info->attribute_count++] = parse_attribute(row, word);
    }
}

static void parse_traits(TirOpInfo *info, const char *spec) {
    for (Slice word = next_word(&spec); word.at < word.end; word = next_word(&spec)) {
        Slice name = take_until(&word, "=");
        if (slice_is(name, "pure"))
            info->pure = true;
        else if (slice_is(name, "pure_body"))
            info->pure_body = true;
        else if (slice_is(name, "terminator"))
            info->terminator = true;
        else if (slice_is(name, "text_only"))
            info->text_only = true;
        else if (slice_is(name, "licensed"))
            info->licensed = true;
        else if (slice_is(name, "regions"))
            info->region_count = (uint8_t)(word.at[1] - '0');
        else
            assert(!"ops.def names an unknown trait");
    }
}

static uint8_t operand_called(const TirOpInfo *info, Slice name) {
    for (uint8_t i = 0; i < info->operand_count; i++)
        if (slice_is(name, info->operands[i].name)) return i;
    assert(!"ops.def says an effect on an unknown operand");
    return 0;
}

// EFFECT[=OPERAND]
static void parse_effects(TirOpInfo *info, const char *spec) {
    static const struct {
        const char *name;
        TirEffect effect;
    } effects[] = {
        {"reads", TIR_READS},   {"writes", TIR_WRITES}, {"atomic", TIR_ATOMIC}, {"waits", TIR_WAITS},
        {"orders", TIR_ORDERS}, {"makes", TIR_MAKES},   {"passes", TIR_PASSES}, {"unspecified", TIR_UNSPECIFIED},
    };
    info->address = -1;
    for (Slice word = next_word(&spec); word.at < word.end; word = next_word(&spec)) {
        Slice name = take_until(&word, "=");
        size_t i = 0;
        while (i < BASE_COUNT(effects) && !slice_is(name, effects[i].name)) i++;
        assert(i < BASE_COUNT(effects) && "ops.def names an unknown effect");
        info->effects |= (uint16_t)effects[i].effect;
        if (!take_char(&word, '=')) continue;
        uint8_t operand = operand_called(info, word);
        if (effects[i].effect == TIR_PASSES)
            info->passed |= (uint8_t)(1u << operand);
        else
            info->address = (int8_t)operand; // of the reading and the writing: the same
    }
}

// How the row is encoded: tile-ir.md 1.5.
static void derive_encoding(TirOpInfo *info) {
    uint32_t flexible = 0;
    bool variadic = info->result_count < 0;
    for (uint8_t i = 0; i < info->operand_count; i++) {
        flexible += info->operands[i].arity != TIR_ONE;
        variadic |= info->operands[i].arity == TIR_VARIADIC;
    }
    info->counted_results = variadic;
    info->segmented = flexible >= 2;
    info->counted_operands = flexible == 1;
    info->flags_since = UINT16_MAX;
    int8_t bit = 0; // bits in version order; in a version attributes first, then operands
    for (uint16_t version = TIR_VERSION_MIN; version <= VERSION_LAST; version++) {
        for (uint8_t i = 0; i < info->attribute_count; i++) {
            TirAttributeInfo *attribute = &info->attributes[i];
            bool flagged = attribute->optional || attribute->kind == TIR_ATTR_UNIT;
            if (flagged && attribute->since == version) attribute->flag = bit++;
        }
        for (uint8_t i = 0; info->segmented && i < info->operand_count; i++) {
            TirOperandInfo *operand = &info->operands[i];
            if (operand->arity == TIR_OPTIONAL && operand->since == version) operand->flag = bit++;
        }
        if (bit && info->flags_since == UINT16_MAX) info->flags_since = version;
    }
}

static void fill_op_table(void) {
    memset(op_table.by_opcode, TIR_OP_COUNT, sizeof op_table.by_opcode);
    for (uint32_t kind = 0; kind < TIR_OP_COUNT; kind++) {
        const OpRow *row = &op_rows[kind];
        TirOpInfo *info = &op_table.infos[kind];
        info->name = info->text_name = row->name;
        info->opcode = row->opcode;
        info->since = row->since;
        info->rule = row->rule;
        info->text = row->text;
        if (row->text[0] == '=') {
            const char *rest = row->text + 1;
            info->text_name = intern_slice(next_word(&rest));
            info->text = rest + strspn(rest, " ");
        }
        parse_operands_and_results(info, row);
        parse_attributes(info, row);
        info->licensed = row->rule != FPSAN_RULE_COUNT;
        parse_traits(info, row->traits);
        parse_effects(info, row->effects);
        derive_encoding(info);
        if (!info->text_only) op_table.by_opcode[row->opcode] = (uint8_t)kind;
    }
}

const TirOpInfo *tir_op_info(TirOpKind kind) {
    pthread_once(&op_table_once, fill_op_table);
    return &op_table.infos[kind];
}

TirOpKind tir_op_by_opcode(uint64_t opcode) {
    pthread_once(&op_table_once, fill_op_table);
    return opcode < OPCODES_MAX ? (TirOpKind)op_table.by_opcode[opcode] : TIR_OP_COUNT;
}

// ---- text forms -----------------------------------------------------------------------------------------------------

bool tir_is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

TirMarker tir_take_marker(const char **at) {
    TirMarker marker = {.marker = *(*at)++};
    if (marker.marker == '^' && (**at == '1' || **at == '=')) marker.mode = *(*at)++;
    marker.name = *at;
    while (tir_is_name_char(**at)) (*at)++;
    marker.length = (size_t)(*at - marker.name);
    return marker;
}

// ---- what an op does with memory and pointers: column `effects` of its row, asked of one op -------------------------

TirValue tir_op_address(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    return info->address < 0 ? TIR_NO_VALUE : tir_operand(op, info->operands[info->address].name);
}

bool tir_op_passes(const TirOp *op, uint32_t operand) {
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t end = 0;
    for (uint8_t i = 0; i < info->operand_count; i++) {
        end += op->segments[i];
        if (operand < end) return info->passed >> i & 1;
    }
    return false;
}

TirValue tir_op_passed(const TirOp *op) {
    TirValue passed = TIR_NO_VALUE;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tir_op_passes(op, i)) continue;
        if (passed != TIR_NO_VALUE) return TIR_NO_VALUE;
        passed = op->operands[i];
    }
    return passed;
}

uint64_t tir_atomic_mode(const TirOp *op) {
    static const uint8_t modes[TIR_multimem_reduction_COUNT] = {
        [TIR_multimem_reduction_add] = TIR_atomic_mode_add,   [TIR_multimem_reduction_min] = TIR_atomic_mode_min,
        [TIR_multimem_reduction_max] = TIR_atomic_mode_max,   [TIR_multimem_reduction_and] = TIR_atomic_mode_and,
        [TIR_multimem_reduction_or] = TIR_atomic_mode_or,     [TIR_multimem_reduction_xor] = TIR_atomic_mode_xor,
        [TIR_multimem_reduction_umin] = TIR_atomic_mode_umin, [TIR_multimem_reduction_umax] = TIR_atomic_mode_umax,
    };
    if (op->kind != TIR_OP_multimem_reduce_view_tko) return tir_attribute_integer(op, "mode");
    const TirFunction *function = tir_op_function(op);
    const TirTypeKind element =
        tir_tile_element_kind(function->module, tir_value_type(function, tir_operand(op, "tile")));
    if (tir_type_rows[element].class == TIR_CLASS_FLOAT) return TIR_atomic_mode_addf; // the only one of floats
    return modes[tir_attribute_integer(op, "reduction")];
}

bool tir_op_is_weak(const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (!(info->effects & (TIR_READS | TIR_WRITES))) return false;
    for (uint8_t i = 0; i < info->attribute_count; i++)
        if (info->attributes[i].enumeration == &tir_enum_memory_ordering)
            return op->attributes[i].integer == TIR_memory_ordering_weak;
    return false;
}
