// SPDX-License-Identifier: Apache-2.0
// mma.sync: products of matrices that lie in the registers of a warp, as shuffles of vectors of lanes and steps.
//
// Fragments of the ISA: with P elements in a register of 32 bits, lane 4 g + t has of row g + 8 i of A, and of column
// g + 8 i of B, the P elements from depth 4 P j + P t on, in register i + j * (rows / 8) of A and i + j * (columns / 8)
// of B. Sums come in pairs: columns 2 t and 2 t + 1 of row g, for each 8 x 8 block, blocks of a row of blocks first.
// All shapes of mma.sync are so but m8n8k4 of f16; for wmma, whose fragments nobody knows, it is as good as any.
#include "compiler/warp/lane_products.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { REGISTERS_MAX = 16, UNITS_MAX = 8 };

// ---- fragments

typedef struct Source { // of a unit: which vector of units, which lane of it
    unsigned vector, lane;
} Source;

typedef struct Place { // of an element of the sums
    unsigned row, column;
} Place;

typedef struct Layout {
    const LaneFragment *fragment;
    unsigned units_a, units_b,
        per_register; // units in a register; elements of the depth that the four lanes of a row have
    unsigned steps;
} Layout;

static unsigned row_blocks(const LaneFragment *fragment) {
    return fragment->rows / 8;
}

static unsigned column_blocks(const LaneFragment *fragment) {
    return fragment->columns / 8;
}

// m8n8k4: lanes 4 q .. 4 q + 3 and 16 more make the product number q.
static Source old_source_a(const Layout *layout, unsigned step, unsigned lane, unsigned row) {
    const unsigned high = row / 4, quad = lane % 16 / 4;
    if (!layout->fragment->a_by_column) return (Source){step, 16 * high + 4 * quad + row % 4};
    return (Source){row % 4, 16 * high + 4 * quad + step};
}

static Source old_source_b(const Layout *layout, unsigned step, unsigned lane, unsigned column) {
    const unsigned high = column / 4, quad = lane % 16 / 4;
    if (!layout->fragment->b_by_column) return (Source){column % 4, 16 * high + 4 * quad + step};
    return (Source){step, 16 * high + 4 * quad + column % 4};
}

// The vectors of units of register r are number units * r and on.
static Source source_a(const Layout *layout, unsigned step, unsigned lane, unsigned row) {
    if (layout->fragment->old) return old_source_a(layout, step, lane, row);
    const unsigned unit = step % layout->units_a, t = step / layout->units_a % 4, j = step / layout->units_a / 4;
    const unsigned number = j * row_blocks(layout->fragment) + row / 8;
    return (Source){number * layout->units_a + unit, 4 * (row % 8) + t};
}

static Source source_b(const Layout *layout, unsigned step, unsigned lane, unsigned column) {
    if (layout->fragment->old) return old_source_b(layout, step, lane, column);
    const unsigned unit = step % layout->units_b, t = step / layout->units_b % 4, j = step / layout->units_b / 4;
    const unsigned number = j * column_blocks(layout->fragment) + column / 8;
    return (Source){number * layout->units_b + unit, 4 * (column % 8) + t};
}

// Of element `index` of a lane's sums.
static Place place_of(const LaneFragment *fragment, bool narrow, unsigned index, unsigned lane) {
    if (!fragment->old) {
        const unsigned block = index / 2;
        return (Place){8 * (block / column_blocks(fragment)) + lane / 4,
                       8 * (block % column_blocks(fragment)) + 2 * (lane % 4) + index % 2};
    }
    const unsigned high = lane / 16 * 4;
    if (narrow) return (Place){high + lane % 4, index};
    return (Place){high + (lane & 1) + (index & 2), (index & 4) + (lane & 2) + (index & 1)};
}

// ---- shuffles

// Vectors that steps read, each made once.
typedef struct Shuffled {
    uint16_t key[WARP_LANES]; // vector * WARP_LANES + lane
    LLVMValueRef value;
} Shuffled;
enum { SHUFFLED_MAX = 256 };
typedef struct Shuffles {
    NumericContext *cx;
    const LLVMValueRef *vectors;
    unsigned count;
    Shuffled all[SHUFFLED_MAX];
} Shuffles;

// The lanes of `value` where `key` has no lane of `vector`, else those.
static LLVMValueRef take_lanes(const Shuffles *s, LLVMValueRef value, unsigned first, unsigned vector,
                               const uint16_t *key) {
    LLVMValueRef mask[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const bool taken = key[i] / WARP_LANES == vector;
        const unsigned lane = key[i] % WARP_LANES + (taken ? WARP_LANES : 0),
                       kept = value == s->vectors[first] ? lane : i;
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(s->cx->context), taken ? lane : kept, 0);
    }
    return LLVMBuildShuffleVector(s->cx->builder, value, s->vectors[vector], LLVMConstVector(mask, WARP_LANES), "");
}

static LLVMValueRef build_shuffle(const Shuffles *s, const uint16_t *key) {
    const unsigned first = key[0] / WARP_LANES;
    LLVMValueRef value = s->vectors[first];
    uint64_t seen = UINT64_C(1) << first;
    bool more = false;
    for (unsigned i = 1; i < WARP_LANES; i++) {
        const unsigned vector = key[i] / WARP_LANES;
        if (seen >> vector & 1) continue;
        seen |= UINT64_C(1) << vector;
        value = take_lanes(s, value, first, vector, key);
        more = true;
    }
    if (more) return value;
    LLVMValueRef mask[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++)
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(s->cx->context), key[i] % WARP_LANES, 0);
    return LLVMBuildShuffleVector(s->cx->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(mask, WARP_LANES), "");
}

// A vector with the lanes that sources name.
static LLVMValueRef shuffle_lanes(Shuffles *s, const Source *sources) {
    uint16_t key[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) key[i] = (uint16_t)(sources[i].vector * WARP_LANES + sources[i].lane);
    for (unsigned i = 0; i < s->count; i++)
        if (!memcmp(s->all[i].key, key, sizeof key)) return s->all[i].value;
    assert(s->count < SHUFFLED_MAX);
    Shuffled *next = &s->all[s->count++];
    memcpy(next->key, key, sizeof key);
    return next->value = build_shuffle(s, key);
}

// ---- the body

typedef struct Product {
    LaneDot dot;
    const LaneMatrix *matrix;
    unsigned registers_a, registers_b, sums; // sums: vectors of 32 lanes
    bool embedded;                           // factors come as payloads
    unsigned parts;                          // sums in a register
} Product;

// Scales: of row g the lanes 4 g + x, of row g + 8 those 4 g + x + 1; of column g the lanes 4 g + y. x, y and the first
// byte in the register are constants that the instruction names; here the lanes are in place already.
static LLVMValueRef scale_of_unit(NumericContext *cx, LLVMValueRef scales, unsigned byte) {
    LLVMValueRef bits = scales;
    if (byte) bits = LLVMBuildLShr(cx->builder, bits, vector_integer_like(bits, 32, 8 * byte), "");
    return LLVMBuildTrunc(cx->builder, bits, LLVMVectorType(LLVMInt8TypeInContext(cx->context), WARP_LANES), "");
}

// The part of the depth that a unit of register `number` lies in, among `count` equal parts; of lane t of a row.
static unsigned scale_number(const Product *product, unsigned block, unsigned t, unsigned elements) {
    const LaneFragment *fragment = &product->matrix->fragment;
    return (block * 4 * elements + t * elements) * product->matrix->scale_count / fragment->depth;
}

// For each lane its scale of the register's depth: lanes of a row lie in one part or in two.
static LLVMValueRef scales_of_register(NumericContext *cx, const Product *product, LLVMValueRef scales, unsigned block,
                                       unsigned elements) {
    const unsigned first = scale_number(product, block, 0, elements), last = scale_number(product, block, 3, elements);
    LLVMValueRef low = scale_of_unit(cx, scales, first);
    if (first == last) return low;
    LLVMValueRef mask[WARP_LANES], high = scale_of_unit(cx, scales, last);
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const unsigned number = scale_number(product, block, i % 4, elements);
        assert(number == first || number == last);
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(cx->context), i + (number == last ? WARP_LANES : 0), 0);
    }
    return LLVMBuildShuffleVector(cx->builder, low, high, LLVMConstVector(mask, WARP_LANES), "");
}

typedef struct Factor {
    LaneElement element;
    unsigned registers, blocks; // registers; how many of them stand beside one another
    const LLVMValueRef *scales; // for each of them; NULL: none
} Factor;

static void unpack_factor(NumericContext *cx, const Product *product, const Factor *factor,
                          const LLVMValueRef *registers, LLVMValueRef *units) {
    const unsigned width = factor->element.bits == 64 ? 64 : 32;
    const unsigned count = lane_dot_units(&product->dot, factor->element, width);
    for (unsigned r = 0; r < factor->registers; r++) {
        lane_dot_unpack(cx, &product->dot, factor->element, registers[r], product->embedded, &units[count * r]);
        if (!factor->scales) continue;
        LLVMValueRef scales = scales_of_register(cx, product, factor->scales[r % factor->blocks], r / factor->blocks,
                                                 width / factor->element.bits);
        for (unsigned i = 0; i < count; i++)
            units[count * r + i] =
                lane_dot_scale(cx, &product->dot, product->matrix->scale, units[count * r + i], scales);
    }
}

static LLVMValueRef sum_up(NumericContext *cx, const Product *product, const Layout *layout, Shuffles *a, Shuffles *b,
                           unsigned index, LLVMValueRef sums) {
    const bool narrow = product->parts == 2;
    for (unsigned step = 0; step < layout->steps; step++) {
        Source from_a[WARP_LANES], from_b[WARP_LANES];
        for (unsigned lane = 0; lane < WARP_LANES; lane++) {
            const Place place = place_of(layout->fragment, narrow, index, lane);
            from_a[lane] = source_a(layout, step, lane, place.row);
            from_b[lane] = source_b(layout, step, lane, place.column);
        }
        sums = lane_dot_step(cx, &product->dot, sums, shuffle_lanes(a, from_a), shuffle_lanes(b, from_b));
    }
    return sums;
}

// Every second lane of a vector, from `first` on.
static LLVMValueRef every_second(NumericContext *cx, LLVMValueRef value, unsigned first) {
    LLVMValueRef mask[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++)
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(cx->context), 2 * i + first, 0);
    return LLVMBuildShuffleVector(cx->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(mask, WARP_LANES), "");
}

static LLVMValueRef join_lanes(NumericContext *cx, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef mask[2 * WARP_LANES];
    for (unsigned i = 0; i < 2 * WARP_LANES; i++)
        mask[i] = LLVMConstInt(LLVMInt32TypeInContext(cx->context), i / 2 + (i % 2 ? WARP_LANES : 0), 0);
    return LLVMBuildShuffleVector(cx->builder, low, high, LLVMConstVector(mask, 2 * WARP_LANES), "");
}

// The sum of an accumulator and what was summed from 0: integers may be saturated.
static LLVMValueRef finish_sum(NumericContext *cx, const Product *product, LLVMValueRef start, LLVMValueRef sums) {
    if (!product->matrix->saturate) return sums;
    return vector_intrinsic(cx, "llvm.sadd.sat", (LLVMValueRef[]){start, sums}, 2);
}

static LLVMValueRef emit_sums(NumericContext *cx, const Product *product, const Layout *layout, Shuffles *a,
                              Shuffles *b, const LLVMValueRef *starts) {
    LLVMTypeRef types[REGISTERS_MAX];
    const unsigned registers = product->sums / product->parts;
    for (unsigned i = 0; i < registers; i++) types[i] = LLVMTypeOf(starts[i]);
    LLVMValueRef all = LLVMGetUndef(LLVMStructTypeInContext(cx->context, types, registers, false));
    for (unsigned r = 0; r < registers; r++) {
        LLVMValueRef parts[2];
        for (unsigned i = 0; i < product->parts; i++) {
            LLVMValueRef start = product->parts == 2 ? every_second(cx, starts[r], i) : starts[r];
            start = lane_dot_begin(cx, &product->dot, start);
            LLVMValueRef first = product->matrix->saturate ? LLVMConstNull(LLVMTypeOf(start)) : start;
            parts[i] = sum_up(cx, product, layout, a, b, r * product->parts + i, first);
            parts[i] = lane_dot_end(cx, &product->dot, finish_sum(cx, product, start, parts[i]));
        }
        LLVMValueRef value = product->parts == 2 ? join_lanes(cx, parts[0], parts[1]) : parts[0];
        all = LLVMBuildInsertValue(cx->builder, all, value, r, "");
    }
    return all;
}

// Operands: registers of A, of B, of the sums, scales of blocks of rows and of columns.
static bool body_product(NumericContext *cx, const void *data, const LLVMValueRef *operands, LLVMValueRef *result) {
    const Product *product = data;
    const LaneMatrix *matrix = product->matrix;
    const LaneFragment *fragment = &matrix->fragment;
    LLVMValueRef a[REGISTERS_MAX * UNITS_MAX], b[REGISTERS_MAX * UNITS_MAX];
    const LLVMValueRef *in_b = operands + product->registers_a, *starts = in_b + product->registers_b;
    const LLVMValueRef *scales = matrix->scale_count ? starts + product->sums / product->parts : NULL;
    const Factor factor_a = {matrix->a, product->registers_a, fragment->old ? 1 : row_blocks(fragment), scales};
    const Factor factor_b = {matrix->b, product->registers_b, fragment->old ? 1 : column_blocks(fragment),
                             scales ? scales + row_blocks(fragment) : NULL};
    const unsigned width = matrix->a.bits == 64 ? 64 : 32;
    Layout layout = {.fragment = fragment,
                     .units_a = lane_dot_units(&product->dot, matrix->a, width),
                     .units_b = lane_dot_units(&product->dot, matrix->b, width)};
    layout.steps = fragment->old ? 4 : product->registers_b / column_blocks(fragment) * layout.units_b * 4;
    unpack_factor(cx, product, &factor_a, operands, a);
    unpack_factor(cx, product, &factor_b, in_b, b);
    Shuffles shuffles_a = {.cx = cx, .vectors = a}, shuffles_b = {.cx = cx, .vectors = b};
    *result = emit_sums(cx, product, &layout, &shuffles_a, &shuffles_b, starts);
    return true;
}

// ---- operands

static const PtxOperand *register_of(const PtxOperand *list, unsigned index) {
    return list->kind == PTX_LIST ? &list->items[index] : list;
}

static unsigned list_length(const PtxOperand *list) {
    return list->kind == PTX_LIST ? list->count : 1;
}

// How many registers of a factor hold it; wmma has more.
static unsigned registers_needed(unsigned across, unsigned depth, LaneElement element) {
    return element.bits == 64 ? across / 8 * depth / 4 : across * depth * element.bits / 32 / WARP_LANES;
}

static LLVMValueRef read_factor(LaneCode *code, const PtxOperand *operand, LaneElement element, bool embedded) {
    const unsigned width = element.bits == 64 ? 64 : 32;
    if (!embedded) return lane_read(code, operand, width, false);
    return lane_read_float(code, operand, lane_register_format(code, element.format), width / element.bits).parts[0];
}

static LLVMValueRef read_sum(LaneCode *code, const PtxOperand *operand, PtxType type, unsigned parts) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (info->format == FPSAN_FORMAT_COUNT) return lane_read(code, operand, 32, false);
    return lane_read_float(code, operand, info->format, parts).parts[0];
}

static void write_sum(LaneCode *code, const PtxOperand *operand, PtxType type, unsigned parts, LLVMValueRef sum) {
    const PtxTypeInfo *info = ptx_type_info(type);
    const NumericValue value = {.parts = {sum}};
    if (info->format == FPSAN_FORMAT_COUNT)
        lane_write(code, operand, sum, type);
    else
        lane_write_float(code, operand, info->format, parts, &value);
}

// ---- scales

// The register of scales in the lanes that use them: lane 4 g + t gets that of lane 4 g + from.
static LLVMValueRef spread_scales(LaneCode *code, LLVMValueRef value, unsigned from) {
    LLVMValueRef mask[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) mask[i] = code_i32(&code->cx, (int32_t)(i / 4 * 4 + from));
    return LLVMBuildShuffleVector(code->cx.builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(mask, WARP_LANES), "");
}

// {byte, thread}: constants.
static bool read_selectors(LaneCode *code, const PtxOperand *list, uint64_t *byte, uint64_t *thread) {
    const bool good = list->kind == PTX_LIST && list->count == 2 &&
                      lane_literal(code, &list->items[0], PTX_u16, byte) &&
                      lane_literal(code, &list->items[1], PTX_u16, thread);
    return good || lane_refuse(code, "the selectors of a scale have to be constants");
}

// Operands for the shared function: scales of each block of rows, then of each block of columns.
static bool read_scales(LaneCode *code, const LaneMatrix *matrix, LLVMValueRef *scales) {
    uint64_t byte[2], thread[2];
    for (unsigned i = 0; i < 2; i++) {
        const PtxOperand *data = &matrix->scale_operands[2 * i];
        if (!read_selectors(code, &matrix->scale_operands[2 * i + 1], &byte[i], &thread[i])) return false;
        if (byte[i] + matrix->scale_count > 4 || thread[i] >= (i ? 4 : 2))
            return lane_refuse(code, "scale selectors {%u, %u} do not exist", (unsigned)byte[i], (unsigned)thread[i]);
        LLVMValueRef value = lane_read(code, register_of(data, 0), 32, false);
        if (byte[i]) value = LLVMBuildLShr(code->cx.builder, value, lane_constant(code, 32, 8 * byte[i]), "");
        if (i) {
            scales[2] = spread_scales(code, value, (unsigned)thread[i]);
            break;
        }
        for (unsigned row = 0; row < 2; row++) scales[row] = spread_scales(code, value, 2 * (unsigned)thread[i] + row);
    }
    return true;
}

// ---- instructions

// Everything that tells two products apart.
static void name_product(char *name, size_t size, const Product *product) {
    const LaneMatrix *m = product->matrix;
    snprintf(name, size, "mma.m%un%uk%u.%d%d%d.%u.%u.%u%d.%u.%u.%u%d.%d.%u.%d%d%d.%u.%u", m->fragment.rows,
             m->fragment.columns, m->fragment.depth, m->fragment.old, m->fragment.a_by_column, m->fragment.b_by_column,
             m->a.format, m->a.bits, m->a.shift, m->a.is_signed, m->b.format, m->b.bits, m->b.shift, m->b.is_signed,
             product->embedded, m->sum_type, m->saturate, m->of_bits, m->exclusive, m->scale_count, m->scale);
}

static bool plan_product(LaneCode *code, const LaneMatrix *matrix, Product *product) {
    const LaneFragment *fragment = &matrix->fragment;
    const unsigned wide = matrix->a.bits;
    *product = (Product){.matrix = matrix, .parts = matrix->sum.bits == 16 ? 2 : 1};
    if (!lane_dot_plan(code, matrix->a, matrix->b, matrix->sum, matrix->scale_count, &product->dot)) return false;
    if (matrix->of_bits) {
        product->dot.kind = matrix->exclusive ? LANE_DOT_XOR_BITS : LANE_DOT_AND_BITS;
        product->dot.group = 1;
    }
    product->embedded = lane_in_place(code) && matrix->a.format != FPSAN_FORMAT_COUNT && wide >= 16;
    if (fragment->old) {
        product->dot.kind = product->dot.kind == LANE_DOT_PAIRS ? LANE_DOT_RING : product->dot.kind;
        product->dot.group = 1;
        product->registers_a = product->registers_b = 2;
        product->sums = 8;
    } else {
        product->registers_a = registers_needed(fragment->rows, fragment->depth, matrix->a);
        product->registers_b = registers_needed(fragment->columns, fragment->depth, matrix->b);
        product->sums = fragment->rows * fragment->columns / WARP_LANES;
    }
    assert(product->registers_a <= REGISTERS_MAX && product->registers_b <= REGISTERS_MAX &&
           product->sums / product->parts <= REGISTERS_MAX);
    return true;
}

static bool check_lists(LaneCode *code, const Product *product, const PtxOperand *lists) {
    const unsigned needed[4] = {product->sums / product->parts, product->registers_a, product->registers_b,
                                product->sums / product->parts};
    for (unsigned i = 0; i < 4; i++)
        if (list_length(&lists[i]) < needed[i])
            return lane_refuse(code, "a matrix is in %u registers, not in %u", needed[i], list_length(&lists[i]));
    return true;
}

// `lists`: d, a, b, c.
bool lane_multiply_matrices(LaneCode *code, const LaneMatrix *matrix, const PtxOperand *lists) {
    Product product;
    LLVMValueRef operands[LANE_SHARED_OPERANDS], result;
    LLVMTypeRef types[REGISTERS_MAX];
    char name[128];
    unsigned count = 0;
    if (!plan_product(code, matrix, &product) || !check_lists(code, &product, lists)) return false;
    const unsigned registers = product.sums / product.parts;
    for (unsigned i = 0; i < product.registers_a; i++)
        operands[count++] = read_factor(code, register_of(&lists[1], i), matrix->a, product.embedded);
    for (unsigned i = 0; i < product.registers_b; i++)
        operands[count++] = read_factor(code, register_of(&lists[2], i), matrix->b, product.embedded);
    for (unsigned i = 0; i < registers; i++) {
        operands[count] = read_sum(code, register_of(&lists[3], i), matrix->sum_type, product.parts);
        types[i] = LLVMTypeOf(operands[count++]);
    }
    if (matrix->scale_count) {
        if (!read_scales(code, matrix, &operands[count])) return false;
        count += 3;
    }
    assert(count <= LANE_SHARED_OPERANDS);
    name_product(name, sizeof name, &product);
    LLVMTypeRef type = LLVMStructTypeInContext(code->cx.context, types, registers, false);
    if (!lane_call_shared(code, &(LaneShared){name, type, body_product, &product}, operands, count, &result))
        return false;
    for (unsigned i = 0; i < registers; i++)
        write_sum(code, register_of(&lists[0], i), matrix->sum_type, product.parts,
                  LLVMBuildExtractValue(code->cx.builder, result, i, ""));
    return true;
}

// "m16n8k16"
static bool read_shape(LaneCode *code, const PtxInstruction *instruction, LaneFragment *fragment) {
    const char *text = ptx_word_text(ptx_find(instruction, PTX_SET_shape));
    return sscanf(text, "m%un%uk%u", &fragment->rows, &fragment->columns, &fragment->depth) == 3 ||
           lane_refuse(code, "'%s' is no shape of a product", text);
}

// Types in the order of the text: d, a, b, c. Formats of less than 8 bits are alone in a byte; those of 4 bits lie in
// the middle of it.
static bool read_types(LaneCode *code, const PtxInstruction *instruction, LaneMatrix *matrix) {
    const bool packed = ptx_has(instruction, PTX_WORD_kind_mxf4) || ptx_has(instruction, PTX_WORD_kind_mxf4nvf4);
    if (instruction->types[0] != instruction->types[3]) return lane_refuse(code, "sums of two types are not supported");
    matrix->sum_type = (PtxType)instruction->types[0];
    matrix->sum = lane_element(matrix->sum_type);
    matrix->a = lane_element((PtxType)instruction->types[1]);
    matrix->b = lane_element((PtxType)instruction->types[2]);
    matrix->of_bits = instruction->types[1] == PTX_b1;
    for (unsigned i = 0; i < 2; i++) {
        LaneElement *element = i ? &matrix->b : &matrix->a;
        if (packed || element->format == FPSAN_FORMAT_COUNT || element->bits >= 8) continue;
        element->shift = element->bits == 4 ? 2 : 0;
        element->bits = 8;
    }
    return true;
}

static bool read_matrix(LaneCode *code, const PtxInstruction *instruction, LaneMatrix *matrix) {
    if (!read_shape(code, instruction, &matrix->fragment) || !read_types(code, instruction, matrix)) return false;
    matrix->saturate = ptx_has(instruction, PTX_WORD_satfinite);
    matrix->exclusive = ptx_has(instruction, PTX_WORD_xor);
    matrix->fragment.old = matrix->fragment.rows == 8 && matrix->fragment.depth == 4 && matrix->a.bits == 16;
    matrix->fragment.a_by_column = ptx_find_next(instruction, PTX_SET_layout, 0) == PTX_WORD_col;
    matrix->fragment.b_by_column = ptx_find_next(instruction, PTX_SET_layout, 1) == PTX_WORD_col;
    return true;
}

bool lane_emit_matrix_product(LaneCode *code, const PtxInstruction *instruction) {
    LaneMatrix matrix = {0};
    return read_matrix(code, instruction, &matrix) && lane_multiply_matrices(code, &matrix, instruction->operands);
}

// Each scale is for 32 elements, or for 16 of scale_vec::4X.
bool lane_emit_scaled_matrix_product(LaneCode *code, const PtxInstruction *instruction) {
    LaneMatrix matrix = {0};
    if (!read_matrix(code, instruction, &matrix)) return false;
    matrix.scale_count = ptx_has(instruction, PTX_WORD_scale_vec_4X) ? 4 : matrix.fragment.depth / 32;
    matrix.scale = ptx_type_info((PtxType)instruction->types[4])->format;
    matrix.scale_operands = &instruction->operands[4];
    return lane_multiply_matrices(code, &matrix, instruction->operands);
}
