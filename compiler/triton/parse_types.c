// SPDX-License-Identifier: Apache-2.0
// Types of Triton's text, as types of the module: numbers, tensors, pointers, descriptors, memory objects, tokens.
#include "compiler/triton/reader.h"

const char *tri_type_text(Parser *p, TriType type) {
    const char *text = type_text(p, type.tile);
    if (type.token) return "a token";
    if (type.wide) return "i128";
    if (type.memory)
        return arena_format(&p->scratch, "%s of %s", type.memory->tensor ? "tensor memory" : "shared memory",
                            type_text(p, tir_type_tile(p->module, tir_type_scalar(p->module, type.memory->kind),
                                                       type.memory->shape.rank, type.memory->sizes)));
    return type.descriptor ? arena_format(&p->scratch, "tensordesc of %s", text) : text;
}

static bool same_sizes(uint32_t rank, const int64_t *a, const int64_t *b) {
    return !memcmp(a, b, rank * sizeof *a);
}

static bool same_memory(const TriMemory *a, const TriMemory *b) {
    return a->tensor == b->tensor && tri_same_layout(a->layout, b->layout) && a->kind == b->kind &&
           a->shape.rank == b->shape.rank && same_sizes(a->shape.rank, a->sizes, b->sizes) &&
           a->whole_rank == b->whole_rank && same_sizes(a->whole_rank, a->whole, b->whole);
}

bool tri_same_type(TriType a, TriType b) {
    if (a.tile != b.tile || a.descriptor != b.descriptor || a.block != b.block) return false;
    if (a.token != b.token || a.wide != b.wide || !a.memory != !b.memory) return false;
    return a.memory ? same_memory(a.memory, b.memory) : tri_same_layout(a.shared, b.shared);
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

// 128x64xf32> with or without a layout or, of a descriptor, tensor<128x64xf32>>
static bool parse_shaped(Parser *p, const Token *at, TriType *type) {
    int64_t shape[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = TIR_TYPE_tile, .shape = shape};
    if (!parse_dimensions(p, false, false, &info.rank, shape) || !parse_element(p, type, &info.element)) return false;
    if (parse_take(p, ',') &&
        !(type->descriptor ? tri_parse_memory_layout(p, &type->shared) : tri_parse_register_layout(p)))
        return false;
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

// The sizes of memory objects are any: 3x128x64xf16.
static bool check_sizes(Parser *p, const Token *at, uint32_t rank, const int64_t *sizes) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] <= 0 || sizes[i] > TIR_TILE_ELEMENTS_MAX / elements)
            return parse_fail(p, at, "size %lld of a memory object", (long long)sizes[i]);
        elements *= sizes[i];
    }
    return true;
}

// <128x64xf16, #shared, #smem>, then maybe mutable and the shape of the whole: 256x64
static bool parse_memory(Parser *p, const Token *at, TriType *type) {
    int64_t shape[TIR_RANK_MAX];
    TirTypeInfo info = {.kind = TIR_TYPE_tile, .shape = shape};
    TriMemory *memory = arena_new(&p->scratch, TriMemory);
    type->memory = memory;
    if (!parse_need(p, '<', "'<'")) return false;
    if (parse_at_word(p, "tensor")) return tri_fail_advised(p, at, tri_export_newer, "a memdesc of a tensor");
    if (!parse_dimensions(p, false, false, &info.rank, shape) || !parse_element(p, type, &info.element) ||
        !check_sizes(p, at, info.rank, shape))
        return false;
    if (tir_type_rows[tir_type(p->module, info.element)->kind].class == TIR_CLASS_COMPOUND)
        return tri_fail_unsupported(p, at, "a memory object of pointers");
    if (!parse_need(p, ',', "',' and the layout") || !tri_parse_memory_layout(p, &memory->layout) ||
        !parse_need(p, ',', "',' and the memory") || !tri_parse_space(p, &memory->tensor))
        return false;
    const bool of_tensor = memory->layout->kind == TRI_LAYOUT_TENSOR || memory->layout->kind == TRI_LAYOUT_SCALES;
    if (of_tensor != memory->tensor) return parse_fail(p, at, "the layout is of other memory");
    if (info.rank < tri_layout_rank(memory->layout))
        return parse_fail(p, at, "memory of fewer dimensions than its layout");
    memory->whole_rank = info.rank;
    memcpy(memory->whole, shape, info.rank * sizeof *shape);
    bool more = parse_take(p, ',');
    if (more && parse_take_word(p, "mutable")) {
        memory->is_mutable = true;
        more = parse_take(p, ',');
    }
    if (more && (!parse_dimensions(p, false, true, &memory->whole_rank, memory->whole) ||
                 !check_sizes(p, at, memory->whole_rank, memory->whole)))
        return false;
    memory->kind = tir_type(p->module, info.element)->kind;
    if (memory->layout->kind == TRI_LAYOUT_TENSOR &&
        tir_type_rows[memory->kind].bits * memory->layout->column_stride > 32)
        return parse_fail(p, at, "elements of tensor memory that are wider than 32 bits");
    memcpy(memory->sizes, shape, info.rank * sizeof *shape);
    memory->shape = (TirTypeInfo){.rank = info.rank, .shape = memory->sizes};
    type->tile = tri_scalar(p->module, TIR_TYPE_i64);
    if (memory->whole_rank < info.rank) return parse_fail(p, at, "a slice of something of fewer dimensions");
    for (uint32_t i = 0; i < info.rank; i++)
        if (shape[i] > memory->whole[memory->whole_rank - info.rank + i])
            return parse_fail(p, at, "a slice of something smaller");
    return parse_need(p, '>', "'>'");
}

static bool refuse_type(Parser *p, const Token *at, const char *name) {
    if (!strncmp(name, "triton_", 7))
        return tri_fail_advised(p, at, tri_export_newer, "the type %s", token_text(p, at));
    return tri_fail_unsupported(p, at, "the type %s", token_text(p, at));
}

// !tt.ptr<..>, !ttg.memdesc<..>, ..
static bool parse_named_type(Parser *p, const Token *at, TriType *type) {
    const char *name = token_name(p, at);
    static const struct {
        const char *name;
        bool (*parse)(Parser *p, const Token *at, TriType *type);
    } compounds[] = {{"tt.ptr", parse_pointer}, {"tt.tensordesc", parse_descriptor}, {"ttg.memdesc", parse_memory}};
    for (size_t i = 0; i < BASE_COUNT(compounds); i++)
        if (!strcmp(name, compounds[i].name)) return parse_advance(p), compounds[i].parse(p, at, type);
    if (strcmp(name, "ttg.async.token") != 0) return refuse_type(p, at, name);
    parse_advance(p);
    type->token = true;
    type->tile = tri_scalar(p->module, TIR_TYPE_i1);
    return true;
}

bool tri_parse_type(Parser *p, char bare, TriType *type) {
    const Token at = p->token;
    *type = (TriType){0};
    if (parse_take_word(p, "tensor")) return parse_tensor(p, &at, type);
    if (parse_at(p, '<') && bare == 'p') return parse_pointer(p, &at, type);
    if (parse_at(p, '<') && bare == 'd') return parse_descriptor(p, &at, type);
    if (parse_at(p, '<') && bare == 'm') return parse_memory(p, &at, type);
    if (parse_at(p, TOKEN_BANG)) return parse_named_type(p, &at, type);
    if (parse_take_word(p, "i128")) {
        type->wide = true;
        type->tile = tri_scalar(p->module, TIR_TYPE_i64);
        return true;
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
