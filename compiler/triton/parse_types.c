// SPDX-License-Identifier: Apache-2.0
// Types of Triton's text, as types of the module: numbers, tensors, pointers, descriptors.
#include "compiler/triton/reader.h"

const char *tri_type_text(Parser *p, TriType type) {
    const char *text = type_text(p, type.tile);
    return type.descriptor ? arena_format(&p->scratch, "tensordesc of %s", text) : text;
}

TirType tri_tile(TirModule *module, TirType element, const TirTypeInfo *shape) {
    return tir_type_tile(module, element, shape->rank, shape->shape);
}

TirType tri_scalar(TirModule *module, TirTypeKind kind) {
    return tir_type_tile(module, tir_type_scalar(module, kind), 0, NULL);
}

bool tri_push_type(Parser *p, TriType type) {
    TriReader *r = tri_reader(p);
    r->type_stack = arena_grow(&p->scratch, r->type_stack, r->type_count, &r->type_capacity, sizeof *r->type_stack);
    r->type_stack[r->type_count++] = type;
    return true;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// What Triton calls numbers that only other processors have, and what is not supported of its own.
static const TirTypeKind numbers[] = {TIR_TYPE_f32,  TIR_TYPE_i32,      TIR_TYPE_i1,     TIR_TYPE_f16,
                                      TIR_TYPE_bf16, TIR_TYPE_i64,      TIR_TYPE_i8,     TIR_TYPE_i16,
                                      TIR_TYPE_f64,  TIR_TYPE_f8E4M3FN, TIR_TYPE_f8E5M2, TIR_TYPE_f8E8M0FNU};

static bool parse_number_type(Parser *p, TirTypeKind *kind) {
    for (size_t i = 0; i < BASE_COUNT(numbers); i++)
        if (parse_take_word(p, tir_type_rows[numbers[i]].name)) {
            *kind = numbers[i];
            return true;
        }
    const Token at = p->token;
    if (!parse_at(p, TOKEN_WORD)) return parse_expected(p, "a type");
    return tri_fail_unsupported(p, &at, "the type %s", token_text(p, &at));
}

// ui8 or si32, of descriptors' elements alone.
static bool take_signed_number(Parser *p, TriType *type, TirTypeKind *kind) {
    static const struct {
        const char *name;
        TirTypeKind kind;
        bool is_unsigned;
    } rows[] = {{"ui8", TIR_TYPE_i8, true},    {"ui16", TIR_TYPE_i16, true}, {"ui32", TIR_TYPE_i32, true},
                {"ui64", TIR_TYPE_i64, true},  {"si8", TIR_TYPE_i8, false},  {"si16", TIR_TYPE_i16, false},
                {"si32", TIR_TYPE_i32, false}, {"si64", TIR_TYPE_i64, false}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (parse_take_word(p, rows[i].name)) {
            *kind = rows[i].kind;
            type->is_unsigned = rows[i].is_unsigned;
            return true;
        }
    return false;
}

// ---- compounds ------------------------------------------------------------------------------------------------------

static bool finish(Parser *p, const Token *at, const TirTypeInfo *info, TirType *type) {
    const char *problem = tir_type_problem(p->module, info);
    if (problem) return parse_fail(p, at, "%s", problem);
    *type = tir_type_intern(p->module, info);
    return true;
}

static bool parse_pointer(Parser *p, const Token *at, TriType *type);

// A number or pointer: what tensors hold.
static bool parse_element(Parser *p, TriType *type, TirType *element) {
    TirTypeKind kind;
    if (take_signed_number(p, type, &kind)) {
        *element = tir_type_scalar(p->module, kind);
        return true;
    }
    if (parse_at(p, TOKEN_BANG) && !strcmp(token_name(p, &p->token), "tt.ptr")) {
        const Token at = p->token;
        TriType pointer = {0};
        parse_advance(p);
        if (!parse_pointer(p, &at, &pointer)) return false;
        *element = tir_type(p->module, pointer.tile)->element;
        return true;
    }
    if (!parse_number_type(p, &kind)) return false;
    *element = tir_type_scalar(p->module, kind);
    return true;
}

static bool refuse_layout(Parser *p) {
    const Token at = p->token;
    return tri_fail_later(p, &at, "this is TTGIR, which Triton makes of TTIR", "a tensor with a layout");
}

// 128x64xf32> or, of a descriptor, tensor<128x64xf32>>
static bool parse_shaped(Parser *p, const Token *at, TriType *type) {
    int64_t shape[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = TIR_TYPE_tile, .shape = shape};
    if (!parse_dimensions(p, false, false, &info.rank, shape) || !parse_element(p, type, &info.element)) return false;
    if (parse_at(p, ',') && !type->descriptor) return refuse_layout(p);
    while (parse_take(p, ',')) // how a descriptor's block lies in shared memory
        if (!tri_skip_value(p)) return false;
    return parse_need(p, '>', "'>'") && finish(p, at, &info, &type->tile);
}

static bool parse_tensor(Parser *p, const Token *at, TriType *type) {
    return parse_need(p, '<', "'<'") && parse_shaped(p, at, type);
}

// <f16>, <f16, 1>, and of older versions <tensor<128x64xf16>>
static bool parse_pointer(Parser *p, const Token *at, TriType *type) {
    if (!parse_need(p, '<', "'<'")) return false;
    uint64_t space = 1;
    if (parse_at_word(p, "tensor")) {
        const Token tensor = p->token;
        type->block = true;
        parse_advance(p);
        if (!parse_tensor(p, &tensor, type)) return false;
        TirType pointer = tir_type_intern(
            p->module,
            &(TirTypeInfo){.kind = TIR_TYPE_ptr, .element = tir_type(p->module, type->tile)->element, .ptr_attr = -1});
        type->tile = tri_tile(p->module, pointer, tir_type(p->module, type->tile));
    } else {
        TirTypeInfo info = {.kind = TIR_TYPE_ptr, .ptr_attr = -1};
        TriType inner = {0};
        TirType pointer = TIR_NO_TYPE;
        if (parse_at(p, TOKEN_BANG)) return tri_fail_unsupported(p, &p->token, "a pointer to pointers");
        if (!parse_element(p, &inner, &info.element) || !finish(p, at, &info, &pointer)) return false;
        type->tile = tir_type_tile(p->module, pointer, 0, NULL);
    }
    if (parse_take(p, ',')) {
        const Token space_at = p->token;
        if (!parse_unsigned(p, &space, "an address space")) return false;
        if (space > 1) return tri_fail_unsupported(p, &space_at, "a pointer to other than global memory");
    }
    return parse_need(p, '>', "'>'");
}

// <128x64xf16>, and before 3.6 <tensor<128x64xf16>>
static bool parse_descriptor(Parser *p, const Token *at, TriType *type) {
    type->descriptor = true;
    if (!parse_need(p, '<', "'<'")) return false;
    if (!parse_take_word(p, "tensor")) return parse_shaped(p, at, type);
    return parse_tensor(p, at, type) && parse_need(p, '>', "'>'");
}

bool tri_parse_type(Parser *p, char bare, TriType *type) {
    const Token at = p->token;
    *type = (TriType){0};
    if (parse_take_word(p, "tensor")) return parse_tensor(p, &at, type);
    if (parse_at(p, '<') && bare == 'p') return parse_pointer(p, &at, type);
    if (parse_at(p, '<') && bare == 'd') return parse_descriptor(p, &at, type);
    if (parse_at(p, TOKEN_BANG)) {
        const char *name = token_name(p, &at);
        if (!strcmp(name, "tt.ptr")) return parse_advance(p), parse_pointer(p, &at, type);
        if (!strcmp(name, "tt.tensordesc")) return parse_advance(p), parse_descriptor(p, &at, type);
        if (!strncmp(name, "tt", 2) && name[2] != '.')
            return tri_fail_later(p, &at, "it is of TTGIR, which Triton makes of TTIR", "the type %s",
                                  token_text(p, &at));
        return tri_fail_unsupported(p, &at, "the type %s", token_text(p, &at));
    }
    TirTypeKind kind;
    if (!parse_number_type(p, &kind)) return false;
    type->tile = tri_scalar(p->module, kind);
    return true;
}

bool tri_parse_type_list(Parser *p, uint32_t *count) {
    TriType type;
    *count = 0;
    do {
        if (!tri_parse_type(p, 0, &type) || !tri_push_type(p, type)) return false;
        ++*count;
    } while (parse_take(p, ','));
    return true;
}

bool tri_parse_type_or_list(Parser *p, uint32_t *count) {
    TriType type;
    if (!parse_take(p, '(')) {
        *count = 1;
        return tri_parse_type(p, 0, &type) && tri_push_type(p, type);
    }
    *count = 0;
    if (parse_take(p, ')')) return true;
    return tri_parse_type_list(p, count) && parse_need(p, ')', "',' or ')'");
}
