// SPDX-License-Identifier: Apache-2.0
// Inline assembly: instructions that are functions (sanitizer/format/assembly.def), reciprocals, and conversions of
// floats to narrower ones, alone or in pairs, however the text names its registers. All else is refused by its text.
//
// A text is run for `packed_element` elements at once, whose registers have as many of them as fit in 32 bits: first
// those of all results, then of all operands. Which elements these are is not said, so each element of a result has to
// come from the same ones of the operands. The text of a conversion is followed register by register: what of which
// element each of its bits holds.
#include "compiler/triton/translate.h"

// The text that a value is in Triton's own algebra.
static TirValue note_assembly(TriTranslation *t, TirValue value, const TriAttribute *text) {
    t->function->values[value].definition->math.assembly = arena_text(&t->module->arena, text->text, text->length);
    return value;
}

// ---- registers ------------------------------------------------------------------------------------------------------

typedef struct Conversion {
    TirTypeKind kind; // to which type
    uint8_t rounding; // TIR_rounding_..
    bool saturates;   // beyond the largest number is that number
    bool relu;        // below zero is zero
} Conversion;
typedef struct Field { // some bits of a register
    uint32_t bits;
    uint32_t operand, element; // of the operand of the op, and of the pack
    Conversion to;             // its own type: it was not converted
} Field;
enum { FIELDS_MAX = 16, REGISTERS_MAX = 64, PACK_MAX = 32 };
typedef struct Register {
    const char *name; // in the text
    size_t length;
    uint32_t count; // 0: nothing was put into it
    Field fields[FIELDS_MAX];
} Register;
typedef struct Assembly {
    TriTranslation *t;
    const TriOp *op;
    const char *at, *end;
    uint32_t pack;
    uint32_t operand_count; // $0 and the next ones: of results, then of operands
    uint32_t register_count;
    Register registers[REGISTERS_MAX];
} Assembly;

typedef enum Saturation { MAY_SATURATE, MUST_SATURATE, NEVER_SATURATES } Saturation; // what the text may say
// Conversions of one f32, of two, or of a pair of f16: the first of two goes into the upper half.
typedef struct Instruction {
    const char *begin, *types; // between them are modifiers
    TirTypeKind from, kind;
    uint32_t bits;
    uint8_t floats, operands; // operands: how many registers have them
    Saturation saturation;
    uint8_t rounding;
    bool relu; // the text may say it
} Instruction;
static const Instruction instructions[] = {
#define NEAREST(types, from, kind, bits, floats, operands, saturation)                                                 \
    { "cvt.rn", types, from, kind, bits, floats, operands, saturation, TIR_rounding_nearest_even, true }
    NEAREST(".e4m3x2.f32", TIR_TYPE_f32, TIR_TYPE_f8E4M3FN, 8, 2, 2, MUST_SATURATE),
    NEAREST(".e5m2x2.f32", TIR_TYPE_f32, TIR_TYPE_f8E5M2, 8, 2, 2, MUST_SATURATE),
    NEAREST(".e4m3x2.f16x2", TIR_TYPE_f16, TIR_TYPE_f8E4M3FN, 8, 2, 1, MUST_SATURATE),
    NEAREST(".e5m2x2.f16x2", TIR_TYPE_f16, TIR_TYPE_f8E5M2, 8, 2, 1, MUST_SATURATE),
    NEAREST(".e2m1x2.f32", TIR_TYPE_f32, TIR_TYPE_f4E2M1FN, 4, 2, 2, MUST_SATURATE),
    NEAREST(".f16x2.f32", TIR_TYPE_f32, TIR_TYPE_f16, 16, 2, 2, MAY_SATURATE),
    NEAREST(".bf16x2.f32", TIR_TYPE_f32, TIR_TYPE_bf16, 16, 2, 2, MAY_SATURATE),
    NEAREST(".f16.f32", TIR_TYPE_f32, TIR_TYPE_f16, 16, 1, 1, MAY_SATURATE),
    NEAREST(".bf16.f32", TIR_TYPE_f32, TIR_TYPE_bf16, 16, 1, 1, MAY_SATURATE),
    NEAREST(".tf32.f32", TIR_TYPE_f32, TIR_TYPE_tf32, 32, 1, 1, NEVER_SATURATES),
    {"cvt.rna", ".tf32.f32", TIR_TYPE_f32, TIR_TYPE_tf32, 32, 1, 1, NEVER_SATURATES, TIR_rounding_nearest_away, false},
#undef NEAREST
};

static uint32_t bits_of(TirTypeKind kind) {
    return tir_type_rows[kind].bits;
}

// Registers of a type's elements. False: the type has no registers here, or the pack does not fill them.
static bool add_registers(Assembly *a, TirTypeKind kind, uint32_t operand, bool filled) {
    const uint32_t bits = bits_of(kind);
    uint32_t each = bits && bits < 32 ? 32 / bits : 1;
    if (each > a->pack) each = a->pack;
    if (!bits || bits > 64 || a->pack % each || a->operand_count + a->pack / each > REGISTERS_MAX) return false;
    for (uint32_t element = 0; element < a->pack; element += each) {
        Register *made = &a->registers[a->operand_count++];
        *made = (Register){.count = filled ? each : 0};
        for (uint32_t i = 0; filled && i < each; i++)
            made->fields[i] = (Field){.bits = bits, .operand = operand, .element = element + i, .to.kind = kind};
    }
    a->register_count = a->operand_count;
    return true;
}

static TirTypeKind kind_of(const Assembly *a, TriValue value) {
    return tri_kind(a->t, a->t->reader->types[value].tile);
}

static bool open_registers(Assembly *a) {
    for (uint32_t i = 0; i < a->op->result_count; i++)
        if (!add_registers(a, kind_of(a, a->op->first_result + i), i, false)) return false;
    for (uint32_t i = 0; i < a->op->operand_count; i++)
        if (!add_registers(a, kind_of(a, a->op->operands[i]), i, true)) return false;
    return true;
}

// ---- the text -------------------------------------------------------------------------------------------------------

static void skip_blanks(Assembly *a) {
    a->at = fpsan_skip_blanks(a->at, a->end);
}

static bool skip_character(Assembly *a, char c) {
    skip_blanks(a);
    if (a->at == a->end || *a->at != c) return false;
    a->at++;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$' || c == '%';
}

// An instruction or a register; length 0: there is none.
static size_t read_word(Assembly *a, const char **word) {
    skip_blanks(a);
    *word = a->at;
    while (a->at < a->end && is_word(*a->at)) a->at++;
    return (size_t)(a->at - *word);
}

static bool word_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && !memcmp(word, name, length);
}

static Register *find_register(Assembly *a, const char *word, size_t length) {
    uint32_t number = 0;
    if (!length) return NULL;
    if (*word == '$') {
        for (size_t i = 1; i < length; i++) {
            if (word[i] < '0' || word[i] > '9' || number >= REGISTERS_MAX) return NULL;
            number = number * 10 + (uint32_t)(word[i] - '0');
        }
        return length > 1 && number < a->operand_count ? &a->registers[number] : NULL;
    }
    for (uint32_t i = a->operand_count; i < a->register_count; i++)
        if (a->registers[i].length == length && !memcmp(a->registers[i].name, word, length)) return &a->registers[i];
    return NULL;
}

static Register *read_register(Assembly *a) {
    const char *word;
    const size_t length = read_word(a, &word);
    return find_register(a, word, length);
}

// .reg .TYPE NAME, NAME
static bool declare_registers(Assembly *a) {
    const char *word;
    if (!read_word(a, &word) || *word != '.') return false;
    do {
        const size_t length = read_word(a, &word);
        if (!length || *word == '$' || find_register(a, word, length) || a->register_count == REGISTERS_MAX)
            return false;
        a->registers[a->register_count++] = (Register){.name = word, .length = length};
    } while (skip_character(a, ','));
    return true;
}

static bool append_fields(Register *to, const Register *from) {
    if (!from || !from->count || to->count + from->count > FIELDS_MAX) return false;
    for (uint32_t i = 0; i < from->count; i++) to->fields[to->count++] = from->fields[i];
    return true;
}

// mov.bN TO, FROM   or {FROM, FROM}, the first one lowest
static bool move(Assembly *a) {
    Register whole = {0}, *to = read_register(a);
    if (!to || !skip_character(a, ',')) return false;
    if (skip_character(a, '{')) {
        do
            if (!append_fields(&whole, read_register(a))) return false;
        while (skip_character(a, ','));
        if (!skip_character(a, '}')) return false;
    } else if (!append_fields(&whole, read_register(a))) {
        return false;
    }
    to->count = whole.count;
    memcpy(to->fields, whole.fields, sizeof whole.fields);
    return true;
}

// The field that a float of this type fills alone, and that was not converted.
static bool is_plain(const Assembly *a, const Field *field, TirTypeKind kind) {
    return field->to.kind == kind && kind_of(a, a->op->operands[field->operand]) == kind;
}

static bool take_text(const char **word, size_t *length, const char *text) {
    const size_t own = strlen(text);
    if (*length < own || memcmp(*word, text, own)) return false;
    *word += own;
    *length -= own;
    return true;
}

// The instruction of the word, and what its modifiers say. NULL: none.
static const Instruction *find_instruction(const char *word, size_t length, Conversion *to) {
    for (size_t i = 0; i < BASE_COUNT(instructions); i++) {
        const Instruction *row = &instructions[i];
        const char *rest = word;
        size_t left = length;
        *to = (Conversion){.kind = row->kind, .rounding = row->rounding};
        if (!take_text(&rest, &left, row->begin)) continue;
        while ((!to->saturates && (to->saturates = take_text(&rest, &left, ".satfinite"))) ||
               (!to->relu && (to->relu = take_text(&rest, &left, ".relu")))) {
        }
        const Saturation refused = to->saturates ? NEVER_SATURATES : MUST_SATURATE;
        if (word_is(rest, left, row->types) && row->saturation != refused && (row->relu || !to->relu)) return row;
    }
    return NULL;
}

// What is behind the word: TO, FROM   or TO, HIGH, LOW
static bool convert_floats(Assembly *a, const Instruction *row, Conversion conversion) {
    Register *to = read_register(a), *from[2];
    Field fields[2];
    if (!to) return false;
    for (uint32_t i = 0; i < row->operands; i++) {
        if (!skip_character(a, ',') || !(from[i] = read_register(a)) || from[i]->count * row->operands != row->floats)
            return false;
        if (row->operands == 2) fields[1 - i] = from[i]->fields[0];
    }
    if (row->operands == 1) memcpy(fields, from[0]->fields, row->floats * sizeof *fields);
    to->count = row->floats;
    for (uint32_t f = 0; f < row->floats; f++) {
        if (!is_plain(a, &fields[f], row->from)) return false;
        to->fields[f] = fields[f];
        to->fields[f].bits = row->bits;
        to->fields[f].to = conversion;
    }
    return true;
}

static bool run_statement(Assembly *a) {
    const char *word;
    const size_t length = read_word(a, &word);
    if (word_is(word, length, ".reg")) return declare_registers(a);
    if (length > 5 && !memcmp(word, "mov.b", 5)) return move(a);
    Conversion conversion;
    const Instruction *row = find_instruction(word, length, &conversion);
    return row && convert_floats(a, row, conversion);
}

// {STATEMENT; STATEMENT;}, the braces and the last semicolon as one likes.
static bool run_text(Assembly *a) {
    const bool braces = skip_character(a, '{');
    bool any = false;
    for (;;) {
        while (skip_character(a, ';')) {
        }
        if (braces && skip_character(a, '}')) break;
        if (a->at == a->end) return any && !braces;
        if (!run_statement(a)) return false;
        any = true;
        skip_blanks(a);
        if (a->at < a->end && *a->at != ';' && *a->at != '}') return false;
    }
    while (skip_character(a, ';')) {
    }
    skip_blanks(a);
    return any && a->at == a->end;
}

// ---- results --------------------------------------------------------------------------------------------------------

// The fields of an element of a result, from the lowest. False: bits that are missing, or of other elements.
static bool fields_of(const Assembly *a, uint32_t result, uint32_t element, Field *fields, uint32_t *count) {
    uint32_t first = 0, per_result = 0;
    const uint32_t bits = bits_of(kind_of(a, a->op->first_result + result));
    for (uint32_t i = 0; i <= result; i++) { // as add_registers does
        const uint32_t own = bits_of(kind_of(a, a->op->first_result + i));
        uint32_t each = own < 32 ? 32 / own : 1;
        if (each > a->pack) each = a->pack;
        first += i ? a->pack / per_result : 0;
        per_result = each;
    }
    const Register *from = &a->registers[first + element / per_result];
    const uint32_t begin = element % per_result * bits, end = begin + bits;
    uint32_t at = 0;
    *count = 0;
    for (uint32_t i = 0; i < from->count; at += from->fields[i++].bits) {
        if (at + from->fields[i].bits <= begin || at >= end) continue;
        if (at < begin || at + from->fields[i].bits > end || from->fields[i].element != element) return false;
        fields[(*count)++] = from->fields[i];
    }
    return at >= end && *count;
}

static bool same_conversion(const Conversion *x, const Conversion *y) {
    return x->kind == y->kind && x->rounding == y->rounding && x->saturates == y->saturates && x->relu == y->relu;
}

// Fields that are the same of each element of the pack.
static bool pattern_of(const Assembly *a, uint32_t result, Field *fields, uint32_t *count) {
    if (!fields_of(a, result, 0, fields, count)) return false;
    for (uint32_t element = 1; element < a->pack; element++) {
        Field others[FIELDS_MAX];
        uint32_t other_count;
        if (!fields_of(a, result, element, others, &other_count) || other_count != *count) return false;
        for (uint32_t i = 0; i < *count; i++)
            if (others[i].operand != fields[i].operand || !same_conversion(&others[i].to, &fields[i].to)) return false;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (is_plain(a, &fields[i], fields[i].to.kind)) return false; // moved alone
    return true;
}

static void say_split(TriTranslation *t, TirValue value, TirSplit split) {
    t->function->values[value].definition->math.split = split;
}

// `whole`: in Triton's own algebra the result is the text alone.
static TirValue convert_field(TriTranslation *t, const Field *field, TirValue x, bool whole) {
    const Conversion *to = &field->to;
    const TirType own = tri_value_tile(t, x), type = tri_with_element(t, own, to->kind);
    const bool cut = to->saturates && bits_of(to->kind) == 16;
    if (to->relu) { // as rounding keeps the order, before it
        x = tri_set(t, tri_emit2(t, TIR_OP_maxf, own, x, tri_splat_bits(t, own, 0)), "nan", 1);
        if (whole) say_split(t, x, TIR_SPLIT_OPERAND);
    }
    TirValue value = tri_emit1(t, cut ? TIR_OP_cast : TIR_OP_ftof, type, x);
    if (cut) tri_set(t, value, "satf", 1);
    tri_set(t, value, "rounding", to->rounding);
    if (to->kind != TIR_TYPE_tf32) return value;
    value = tri_emit1(t, TIR_OP_ftof, own, value); // the registers of tf32 are those of f32
    if (whole) say_split(t, value, TIR_SPLIT_ASSEMBLY);
    return tri_set(t, value, "rounding", TIR_rounding_nearest_even);
}

// Two floats of four bits as a byte.
static TirValue pack_fours(TriTranslation *t, const Field *low, const TirValue *used) {
    const TirType tile = tri_value_tile(t, used[low[0].operand]);
    const TirType element = tir_type(t->module, tile)->element, byte = tir_type_scalar(t->module, TIR_TYPE_i8);
    const int64_t count = tir_tile_elements(t->module, tile), twice = 2 * count;
    TirValue flat[2];
    for (uint32_t i = 0; i < 2; i++)
        flat[i] = tri_reshape(t, used[low[i].operand], tir_type_tile(t->module, element, 1, &count));
    const TirValue both = tri_emit_pair(t, flat[0], flat[1]),
                   floats = tri_reshape(t, both, tir_type_tile(t->module, element, 1, &twice)),
                   packed = tri_emit1(t, TIR_OP_pack, tir_type_tile(t->module, byte, 1, &count),
                                      convert_field(t, low, floats, false));
    return tri_reshape(t, packed, tri_with_element(t, tile, TIR_TYPE_i8));
}

// The integer whose bits are those of the fields.
static bool emit_bits(Assembly *a, TirType type, const Field *fields, uint32_t count, const TirValue *used,
                      TirValue *value) {
    TriTranslation *t = a->t;
    uint32_t at = 0;
    *value = TIR_NO_VALUE;
    for (uint32_t i = 0; i < count; i++) {
        const bool four = fields[i].bits == 4;
        TirValue part;
        if (four && (i + 1 == count || fields[i + 1].bits != 4)) return false;
        if (four) {
            part = pack_fours(t, &fields[i], used);
        } else {
            const uint32_t bits = fields[i].bits;
            const TirTypeKind integer = bits == 8 ? TIR_TYPE_i8 : bits == 16 ? TIR_TYPE_i16 : TIR_TYPE_i32;
            const TirValue converted = convert_field(t, &fields[i], used[fields[i].operand], false);
            part = tri_emit1(t, TIR_OP_bitcast, tri_with_element(t, type, integer), converted);
        }
        if (tri_value_tile(t, part) != type)
            part = tri_set(t, tri_emit1(t, TIR_OP_exti, type, part), "signedness", TIR_signedness_unsigned);
        if (at) part = tri_emit2(t, TIR_OP_shli, type, part, tri_splat_bits(t, type, at));
        *value = i && *value != TIR_NO_VALUE ? tri_emit2(t, TIR_OP_ori, type, *value, part) : part;
        at += fields[i].bits << four;
        i += four;
    }
    return true;
}

static bool is_float(TirTypeKind kind) {
    return tir_float_format(kind) != FPSAN_FORMAT_COUNT;
}

static bool define_result(Assembly *a, uint32_t result, const Field *fields, uint32_t count, const TirValue *used) {
    TriTranslation *t = a->t;
    const TirType type = tri_type(t, a->op->first_result + result);
    TirValue value;
    for (uint32_t i = 0; i < count; i++)
        if (tri_with_element(t, tri_value_tile(t, used[fields[i].operand]), tri_kind(t, type)) != type)
            return tri_fail(t, "operands of other shapes than the result");
    if (!is_float(tri_kind(t, type)))
        return emit_bits(a, type, fields, count, used, &value) && tri_define(t, a->op->first_result + result, value);
    const bool pure = tri_attribute(a->op, "pure")->integer;
    value = convert_field(t, fields, used[0], pure);
    if (pure) note_assembly(t, value, tri_attribute(a->op, "asm_string"));
    return tri_define(t, a->op->first_result + result, value);
}

static TirTypeKind register_kind(const Field *field) {
    return field->to.kind == TIR_TYPE_tf32 ? TIR_TYPE_f32 : field->to.kind;
}

// Conversions. *known: whether the text is one.
static bool convert_by_assembly(TriTranslation *t, const TriOp *op, bool *known) {
    const TriAttribute *text = tri_attribute(op, "asm_string"), *packed = tri_attribute(op, "packed_element");
    Assembly *a = arena_array(&t->p->scratch, Assembly, 1);
    *a = (Assembly){.t = t, .op = op, .at = text->text, .end = text->text + text->length};
    *known = false;
    if (packed->integer < 1 || packed->integer > PACK_MAX || !op->operand_count || op->operand_count > PACK_MAX ||
        !op->result_count)
        return true;
    a->pack = (uint32_t)packed->integer;
    if (!open_registers(a) || !run_text(a)) return true;
    TirValue used[PACK_MAX];
    Field fields[FIELDS_MAX];
    uint32_t count;
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (!pattern_of(a, i, fields, &count)) return true;
        // What cannot be told by the fields is refused as a text that is not known.
        const TirTypeKind kind = kind_of(a, op->first_result + i);
        if (is_float(kind) ? count != 1 || register_kind(fields) != kind || op->operand_count + op->result_count != 2
                           : bits_of(kind) > 32)
            return true;
        for (uint32_t f = 0; f < count; f++)
            if (fields[f].bits == 4 && (f & 1 ? fields[f - 1].bits != 4 : f + 1 == count || fields[f + 1].bits != 4))
                return true;
    }
    *known = true;
    if (!tri_use_all(t, op, used)) return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        pattern_of(a, i, fields, &count);
        if (!define_result(a, i, fields, count, used)) return false;
    }
    return true;
}

// ---- whole texts ----------------------------------------------------------------------------------------------------

// 1 / x; in Triton's own algebra the assembly that it is.
static bool emit_reciprocal(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    if (!tri_use(t, op->operands[0], &x)) return false;
    if (tri_kind(t, type) != TIR_TYPE_f32 || tri_value_tile(t, x) != type)
        return tri_fail(t, "operands that are no f32");
    const TirValue one = tri_splat_bits(t, type, fpsan_encode_nearest(FPSAN_F32, 1));
    const TirValue value = tri_emit2(t, TIR_OP_divf, type, one, x);
    tri_set(t, value, "rounding", TIR_rounding_nearest_even);
    say_split(t, value, TIR_SPLIT_ASSEMBLY);
    return tri_define(t, op->first_result, note_assembly(t, value, tri_attribute(op, "asm_string")));
}

// How versions before 3.7 say tt.grid_dependency_wait and .._launch_dependents, with a result that nobody reads.
static bool is_launch_control(const TriAttribute *text) {
    return fpsan_same_assembly(text->text, text->length, "griddepcontrol.wait;") ||
           fpsan_same_assembly(text->text, text->length, "griddepcontrol.launch_dependents;");
}

static bool refuse_text(TriTranslation *t, const TriAttribute *text) {
    Buffer shown = {0};
    for (size_t i = 0; i < text->length && i < 60; i++) {
        const char c = text->text[i];
        const char printed = c >= 32 && c < 127 ? c : ' ';
        buffer_append(&shown, &printed, 1);
    }
    buffer_print(&shown, "%s", text->length > 60 ? "..." : "");
    const bool refused = tri_refuse(t, "\"%s\"", shown.data);
    buffer_free(&shown);
    return refused;
}

bool tri_op_assembly(TriTranslation *t, const TriOp *op) {
    const TriAttribute *text = tri_attribute(op, "asm_string");
    const TriAttribute *packed = tri_attribute(op, "packed_element");
    const char *known = fpsan_assembly(text->text, text->length, false);
    const bool one = packed->integer == 1 && op->result_count == 1 && op->operand_count == 1;
    bool converts;
    if (one && known) {
        TirValue value;
        if (!tri_emit_function(t, op, known) || !tri_use(t, op->first_result, &value)) return false;
        note_assembly(t, value, text);
        return true;
    }
    if (one && (fpsan_same_assembly(text->text, text->length, "rcp.approx.f32 $0, $1;") ||
                fpsan_same_assembly(text->text, text->length, "rcp.approx.ftz.f32 $0, $1;")))
        return emit_reciprocal(t, op);
    if (!op->operand_count && op->result_count == 1 && is_launch_control(text))
        return tri_define(t, op->first_result, tri_splat_bits(t, tri_result_type(t, op), 0));
    if (!convert_by_assembly(t, op, &converts)) return false;
    return converts || refuse_text(t, text);
}
