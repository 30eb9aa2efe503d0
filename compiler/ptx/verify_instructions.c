// SPDX-License-Identifier: Apache-2.0
// What single instructions ask for beside their row: numbers, shapes and spaces that go together.
#include "compiler/ptx/verify.h"

#include <stdlib.h>
#include <string.h>

static const PtxOperand *operand_of(const Verifier *verifier, const char *name) {
    return ptx_operand(verifier->instruction, name);
}

// ---- packing

static unsigned item_bits(const Verifier *verifier, const PtxOperand *list) {
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].kind == PTX_REGISTER)
            return ptx_type_info(verifier->function->registers[list->items[i].index].type)->bits;
    return 0;
}

static bool check_packing(Verifier *verifier, const PtxOperand *list) {
    static const PtxType types[] = {PTX_b8, PTX_b16, PTX_b32, PTX_b64};
    const PtxTypeInfo *whole = ptx_type_info((PtxType)verifier->instruction->types[0]);
    if (list->kind != PTX_LIST) return true;
    if (whole->kind != PTX_BITS || (list->count != 2 && list->count != 4))
        return verifier_fail(verifier, "a type of bits is packed from 2 or 4 parts");
    const unsigned bits = item_bits(verifier, list);
    if (bits * list->count != whole->bits)
        return verifier_fail(verifier, "%u registers of %u bits are not %u bits", list->count, bits, whole->bits);
    for (uint32_t i = 0; i < list->count; i++)
        for (size_t t = 0; t < BASE_COUNT(types); t++)
            if (ptx_type_info(types[t])->bits == bits && !verify_value(verifier, &list->items[i], types[t], false))
                return false;
    return true;
}

static bool verify_mov(Verifier *verifier) {
    const PtxOperand *operands = verifier->instruction->operands;
    if (operands[0].kind == PTX_LIST && operands[1].kind == PTX_LIST)
        return verifier_fail(verifier, "a list is moved to a list");
    return check_packing(verifier, &operands[0]) && check_packing(verifier, &operands[1]);
}

// ---- memory

static unsigned vector_count(const PtxInstruction *instruction) {
    const PtxWord word = ptx_find(instruction, PTX_SET_vector);
    return word == PTX_WORD_NONE ? 1 : (unsigned)(ptx_word_text(word)[1] - '0');
}

// 128 bits at once; of global memory 256 in newer targets.
static bool verify_vector(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const unsigned bits = ptx_type_info((PtxType)instruction->types[instruction->type_count - 1])->bits;
    const unsigned count = vector_count(instruction);
    if (count == 1 || bits * count <= 128) {
        if (count == 8) return verifier_fail(verifier, "8 elements of %u bits; of 32 bits they may be 8", bits);
        return true;
    }
    const PtxModule *module = verifier->module;
    const PtxSpace space = ptx_space(instruction, 0);
    const bool large = (space == PTX_GLOBAL || space == PTX_GENERIC) && module->sm >= 100 && module->version >= 88;
    if (large && bits * count == 256 && bits >= 32 && bits <= 64) return true;
    return verifier_fail(verifier, "%u elements of %u bits are more than 128 bits", count, bits);
}

static bool verify_store(Verifier *verifier) {
    const PtxOperand *base = &verifier->instruction->operands[0].items[0];
    if (base->kind == PTX_VARIABLE && !base->global && base->index < verifier->function->parameter_count)
        return verifier_fail(verifier, "parameter %s is stored to", verifier->function->variables[base->index].name);
    return verify_vector(verifier);
}

static bool verify_short_vector(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const unsigned bits = ptx_type_info((PtxType)instruction->types[0])->bits * vector_count(instruction);
    return bits <= 128 || verifier_fail(verifier, "more than 128 bits");
}

static bool verify_cp_async(Verifier *verifier) {
    const uint64_t bytes = operand_of(verifier, "bytes")->bits;
    if (bytes == 16 || (ptx_has(verifier->instruction, PTX_WORD_ca) && (bytes == 4 || bytes == 8))) return true;
    return verifier_fail(verifier, "%llu bytes; .ca copies 4, 8 or 16, .cg copies 16", (unsigned long long)bytes);
}

// ---- atomics

static bool verify_hint(Verifier *verifier) {
    const PtxWord space = ptx_find(verifier->instruction, PTX_SET_space);
    if (!ptx_has(verifier->instruction, PTX_WORD_L2_cache_hint) || space == PTX_WORD_NONE || space == PTX_WORD_global)
        return true;
    return verifier_fail(verifier, ".L2::cache_hint is for global memory, not for .%s", ptx_word_text(space));
}

// ---- conversions

// Whether the type lacks numbers of the other one.
static bool lacks_numbers(PtxType type, PtxType other) {
    const PtxTypeInfo *to = ptx_type_info(type), *from = ptx_type_info(other);
    const bool is_signed = to->kind == PTX_SIGNED, was_signed = from->kind == PTX_SIGNED;
    if (is_signed == was_signed) return to->bits < from->bits;
    return was_signed || to->bits <= from->bits;
}

static bool verify_integer_cvt(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const PtxType to = (PtxType)instruction->types[0], from = (PtxType)instruction->types[1];
    if (!ptx_has(instruction, PTX_WORD_sat) || lacks_numbers(to, from)) return true;
    return verifier_fail(verifier, ".sat: .%s has all numbers of .%s", ptx_type_info(to)->name,
                         ptx_type_info(from)->name);
}

// ---- barriers

static bool verify_barrier(Verifier *verifier) {
    const PtxOperand *number = operand_of(verifier, "a"), *threads = operand_of(verifier, "b");
    if (number && number->kind == PTX_INTEGER && number->bits > 15)
        return verifier_fail(verifier, "barrier %lld; there are 0 to 15", (long long)number->bits);
    if (threads && threads->kind == PTX_INTEGER && (threads->bits % 32 || threads->bits > 1024))
        return verifier_fail(verifier, "%lld threads are no whole warps", (long long)threads->bits);
    return true;
}

static bool verify_setmaxnreg(Verifier *verifier) {
    const uint64_t count = operand_of(verifier, "count")->bits;
    return count % 8 == 0 || verifier_fail(verifier, "%llu is no multiple of 8", (unsigned long long)count);
}

// ---- products of warpgroups

typedef struct WgmmaRow { // depth and columns by type of the operands
    PtxType type;
    const char *depth; // of dense operands; sparse ones have twice as much
    bool integer;      // columns: steps of 8 up to 32, of 16 above
} WgmmaRow;
static const WgmmaRow wgmma_rows[] = {
    {PTX_f16, "k16", false},  {PTX_bf16, "k16", false}, {PTX_tf32, "k8", false}, {PTX_e4m3, "k32", false},
    {PTX_e5m2, "k32", false}, {PTX_u8, "k32", true},    {PTX_s8, "k32", true},   {PTX_b1, "k256", true},
};

static bool check_sign(Verifier *verifier, const char *name) {
    const PtxOperand *operand = operand_of(verifier, name);
    return !operand || operand->bits || verifier_fail(verifier, "%s is 0, not 1 or -1", name);
}

static bool verify_wgmma(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const char *shape = ptx_word_text(ptx_find(instruction, PTX_SET_shape));
    const bool sparse = ptx_has(instruction, PTX_WORD_sp);
    if (strncmp(shape, "m64n", 4)) return verifier_fail(verifier, "shape %s is not of a warpgroup", shape);
    const unsigned columns = (unsigned)strtoul(shape + 4, NULL, 10);
    const unsigned depth = (unsigned)strtoul(strchr(shape, 'k') + 1, NULL, 10);
    for (size_t i = 0; i < BASE_COUNT(wgmma_rows); i++) {
        const WgmmaRow *row = &wgmma_rows[i];
        if (row->type != instruction->types[1]) continue;
        if (depth != strtoul(row->depth + 1, NULL, 10) << sparse)
            return verifier_fail(verifier, "shape %s does not go with .%s", shape, ptx_type_info(row->type)->name);
        if (row->integer && columns != 24 && columns > 16 && columns % 16)
            return verifier_fail(verifier, "%u columns of integers", columns);
    }
    const bool registers = instruction->operands[1].kind == PTX_LIST;
    if (registers && operand_of(verifier, "tb"))
        return verifier_fail(verifier, "an operand in registers is not transposed");
    const bool transposes = instruction->types[1] == PTX_f16 || instruction->types[1] == PTX_bf16;
    if (transposes && !operand_of(verifier, registers ? "ta" : "tb"))
        return verifier_fail(verifier, "it has to say whether operands of .%s are transposed",
                             ptx_type_info((PtxType)instruction->types[1])->name);
    return check_sign(verifier, "sa") && check_sign(verifier, "sb");
}

// ---- fragments of wmma

static bool verify_wmma(Verifier *verifier) {
    static const struct {
        const char *types, *shapes;
    } rows[] = {
        {" f16 bf16 u8 s8 f32 s32 ", " m16n16k16 m8n32k16 m32n8k16 "},
        {" tf32 f32 ", " m16n16k8 "},
        {" f64 ", " m8n8k4 "},
        {" u4 s4 s32 ", " m8n8k32 "},
        {" b1 s32 ", " m8n8k128 "},
    };
    const PtxInstruction *instruction = verifier->instruction;
    const unsigned number = instruction->type_count > 2 ? 1 : 0; // of the operands, or of the sums
    char type[16] = " ", shape[24] = " ";
    strcat(strcat(type, ptx_type_info((PtxType)instruction->types[number])->name), " ");
    strcat(strcat(shape, ptx_word_text(ptx_find(instruction, PTX_SET_shape))), " ");
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (strstr(rows[i].types, type) && strstr(rows[i].shapes, shape)) return true;
    return verifier_fail(verifier, "shape%sdoes not go with%sin wmma", shape, type);
}

// ---- tensor memory

static bool verify_tensor_access(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const PtxWord shape = ptx_find(instruction, PTX_SET_shape);
    const unsigned times = (unsigned)strtoul(ptx_word_text(ptx_find(instruction, PTX_SET_times)) + 1, NULL, 10);
    const unsigned most = shape == PTX_WORD_16x256b ? 32 : shape == PTX_WORD_16x128b ? 64 : 128;
    if (times > most) return verifier_fail(verifier, "x%u; x%u is the most of this shape", times, most);
    const bool red = instruction->op == PTX_OP_tcgen05_ld_red;
    return !red || times > 1 || verifier_fail(verifier, "x1 has nothing to reduce");
}

static bool verify_columns(Verifier *verifier) {
    const PtxOperand *columns = operand_of(verifier, "columns");
    if (columns->kind != PTX_INTEGER) return true;
    const uint64_t count = columns->bits;
    if (count >= 32 && count <= 512 && !(count & (count - 1))) return true;
    return verifier_fail(verifier, "%lld columns; a power of two from 32 to 512 is wanted", (long long)count);
}

static bool is_weight_buffer(PtxWord word) { // of .ws
    return word == PTX_WORD_NONE || !strncmp(ptx_word_text(word), "collector::b", 12);
}

static bool verify_collector(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const PtxWord word = ptx_find(instruction, PTX_SET_collector);
    const bool ws = instruction->op == PTX_OP_tcgen05_mma_ws || instruction->op == PTX_OP_tcgen05_mma_ws_sparse;
    if (word == PTX_WORD_NONE || is_weight_buffer(word) == ws) return true;
    return verifier_fail(verifier, ".%s is of another instruction", ptx_word_text(word));
}

static bool verify_scale(Verifier *verifier) {
    static const struct {
        PtxWord kind, scale;
    } rows[] = {
        {PTX_WORD_kind_mxf8f6f4, PTX_WORD_scale_vec_1X}, {PTX_WORD_kind_mxf8f6f4, PTX_WORD_block32},
        {PTX_WORD_kind_mxf4, PTX_WORD_scale_vec_2X},     {PTX_WORD_kind_mxf4, PTX_WORD_block32},
        {PTX_WORD_kind_mxf4nvf4, PTX_WORD_scale_vec_2X}, {PTX_WORD_kind_mxf4nvf4, PTX_WORD_scale_vec_4X},
        {PTX_WORD_kind_mxf4nvf4, PTX_WORD_block16},      {PTX_WORD_kind_mxf4nvf4, PTX_WORD_block32},
    };
    const PtxInstruction *instruction = verifier->instruction;
    const PtxWord kind = ptx_find(instruction, PTX_SET_kind), scale = ptx_find(instruction, PTX_SET_scale);
    bool good = scale == PTX_WORD_NONE && kind != PTX_WORD_kind_mxf4nvf4;
    for (size_t i = 0; i < BASE_COUNT(rows); i++) good |= rows[i].kind == kind && rows[i].scale == scale;
    if (!good) return verifier_fail(verifier, "this kind has no such blocks of scales");
    return verify_collector(verifier);
}

// ---- tensors

static bool verify_tensor(Verifier *verifier) {
    const PtxInstruction *instruction = verifier->instruction;
    const PtxWord mode = ptx_find(instruction, PTX_SET_tensor_mode),
                  dimension = ptx_find(instruction, PTX_SET_dimension);
    const char *text = ptx_word_text(dimension);
    if (text[1] != 'd' || text[2]) return verifier_fail(verifier, ".%s is of textures", text);
    const bool rows = mode == PTX_WORD_tile_gather4 || mode == PTX_WORD_tile_scatter4;
    if (rows && dimension != PTX_WORD_2d) return verifier_fail(verifier, "four rows are of a tensor of 2d");
    const bool columns = mode != PTX_WORD_NONE && !strncmp(ptx_word_text(mode), "im2col", 6);
    if (columns && *text < '3') return verifier_fail(verifier, "im2col is of tensors of 3d to 5d");
    return true;
}

static const struct {
    PtxOp op;
    bool (*verify)(Verifier *verifier);
} rows[] = {
    {PTX_OP_mov, verify_mov},
    {PTX_OP_ld, verify_vector},
    {PTX_OP_ldu, verify_vector},
    {PTX_OP_st, verify_store},
    {PTX_OP_st_async, verify_vector},
    {PTX_OP_multimem_ld_reduce, verify_short_vector},
    {PTX_OP_multimem_st, verify_short_vector},
    {PTX_OP_multimem_red, verify_short_vector},
    {PTX_OP_cvt_integer, verify_integer_cvt},
    {PTX_OP_atom_exch, verify_hint},
    {PTX_OP_atom_integer, verify_hint},
    {PTX_OP_atom_float, verify_hint},
    {PTX_OP_red_integer, verify_hint},
    {PTX_OP_red_float, verify_hint},
    {PTX_OP_atom_vector, verify_short_vector},
    {PTX_OP_red_vector, verify_short_vector},
    {PTX_OP_bar_sync, verify_barrier},
    {PTX_OP_bar_arrive, verify_barrier},
    {PTX_OP_bar_red, verify_barrier},
    {PTX_OP_barrier_sync, verify_barrier},
    {PTX_OP_barrier_arrive, verify_barrier},
    {PTX_OP_barrier_red, verify_barrier},
    {PTX_OP_setmaxnreg, verify_setmaxnreg},
    {PTX_OP_wmma_load_a, verify_wmma},
    {PTX_OP_wmma_load_b, verify_wmma},
    {PTX_OP_wmma_load_c, verify_wmma},
    {PTX_OP_wmma_store_d, verify_wmma},
    {PTX_OP_wmma_mma, verify_wmma},
    {PTX_OP_wgmma_float, verify_wgmma},
    {PTX_OP_wgmma_integer, verify_wgmma},
    {PTX_OP_wgmma_bits, verify_wgmma},
    {PTX_OP_wgmma_sparse_float, verify_wgmma},
    {PTX_OP_wgmma_sparse_integer, verify_wgmma},
    {PTX_OP_tcgen05_ld, verify_tensor_access},
    {PTX_OP_tcgen05_ld_red, verify_tensor_access},
    {PTX_OP_tcgen05_st, verify_tensor_access},
    {PTX_OP_tcgen05_alloc, verify_columns},
    {PTX_OP_tcgen05_dealloc, verify_columns},
    {PTX_OP_tcgen05_mma, verify_collector},
    {PTX_OP_tcgen05_mma_sparse, verify_collector},
    {PTX_OP_tcgen05_mma_ws, verify_collector},
    {PTX_OP_tcgen05_mma_ws_sparse, verify_collector},
    {PTX_OP_tcgen05_mma_scaled, verify_scale},
    {PTX_OP_tcgen05_mma_sparse_scaled, verify_scale},
    {PTX_OP_cp_async, verify_cp_async},
    {PTX_OP_cp_async_bulk_tensor, verify_tensor},
    {PTX_OP_cp_async_bulk_tensor_store, verify_tensor},
    {PTX_OP_cp_reduce_async_bulk_tensor, verify_tensor},
    {PTX_OP_cp_async_bulk_prefetch_tensor, verify_tensor},
};

bool verify_instruction(Verifier *verifier) {
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].op == verifier->instruction->op) return rows[i].verify(verifier);
    return true;
}
