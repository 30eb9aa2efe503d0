// SPDX-License-Identifier: Apache-2.0
// Instructions that those who run warps carry out: operations.def says for each what it passes on.
#include "compiler/warp/lane_emitters.h"
#include "compiler/warp/lane_floats.h"

#include <assert.h>

// ---- rows

typedef enum DetailSource {
    DETAIL_NONE,
    DETAIL_FIXED,
    DETAIL_IF,
    DETAIL_VALUE,
    DETAIL_LITERAL,
    DETAIL_SPACE,
    DETAIL_ORDER,
    DETAIL_SCOPE,
    DETAIL_BYTES,
    DETAIL_COUNT,
    DETAIL_UNREAD,
    DETAIL_NUMBERS,
} DetailSource;
typedef struct AsyncDetail {
    DetailSource source;
    uint32_t index;  // of WarpOperation.detail
    uint32_t word;   // PtxWord, PtxSet or number of a word
    uint32_t number; // to be added
    const char *name;
} AsyncDetail;

typedef enum OperandSource {
    OPERAND_NONE,
    OPERAND_ADDRESS,
    OPERAND_SHARED,
    OPERAND_NAMED,
    OPERAND_WORD,
    OPERAND_LONG,
    OPERAND_ITEMS,
    OPERAND_READS,
    OPERAND_NUMBER,
} OperandSource;
typedef struct AsyncOperand {
    OperandSource source;
    const char *name;
    uint32_t number;
} AsyncOperand;

typedef enum AsyncResult { NO_RESULT, WORDS, LANES, READ, WRITTEN } AsyncResult;

enum { ASYNC_DETAILS = 9, ASYNC_OPERANDS = 9 };
typedef struct AsyncRow {
    PtxOp op;
    WarpKind kind;
    AsyncDetail details[ASYNC_DETAILS];
    AsyncOperand operands[ASYNC_OPERANDS];
    AsyncResult result;
} AsyncRow;

// clang-format off
static const AsyncRow async_rows[] = {
#define NO_DETAILS         {{DETAIL_NONE, 0, 0, 0, NULL}}
#define DETAILS(...)       {__VA_ARGS__}
#define FIXED(i, n)        {DETAIL_FIXED, i, 0, n, NULL}
#define IF(i, word, n)     {DETAIL_IF, i, PTX_WORD_##word, n, NULL}
#define VALUE(i, set)      {DETAIL_VALUE, i, PTX_SET_##set, 0, NULL}
#define LITERAL(i, name)   {DETAIL_LITERAL, i, 0, 0, name}
#define SPACE(i, n)        {DETAIL_SPACE, i, n, 0, NULL}
#define ORDER(i, flags)    {DETAIL_ORDER, i, 0, flags, NULL}
#define SCOPE(i, scope)    {DETAIL_SCOPE, i, 0, scope, NULL}
#define BYTES(i)           {DETAIL_BYTES, i, 0, 0, NULL}
#define COUNT(i, name)     {DETAIL_COUNT, i, 0, 0, name}
#define UNREAD(i, n)       {DETAIL_UNREAD, i, 0, n, NULL}
#define NUMBERS(i, n)      {DETAIL_NUMBERS, i, 0, n, NULL}
#define NO_OPERANDS        {{OPERAND_NONE, NULL, 0}}
#define OPERANDS(...)      {__VA_ARGS__}
#define ADDRESS(name, n)   {OPERAND_ADDRESS, name, n}
#define SHARED(name, n)    {OPERAND_SHARED, name, n}
#define NAMED(name, space) {OPERAND_NAMED, name, PTX_##space}
#define WORD(name)         {OPERAND_WORD, name, 0}
#define WORD_OR(name, n)   {OPERAND_WORD, name, n}
#define LONG(name)         {OPERAND_LONG, name, 0}
#define ITEMS(name, n)     {OPERAND_ITEMS, name, n}
#define READS              {OPERAND_READS, NULL, 0}
#define NUMBER(n)          {OPERAND_NUMBER, NULL, n}
#define OPERATION(id, kind, details, operands, result) {PTX_OP_##id, WARP_##kind, details, operands, result},
#include "compiler/warp/operations.def"
};
// clang-format on

static const AsyncRow *find_async_row(PtxOp op) {
    for (size_t i = 0; i < BASE_COUNT(async_rows); i++)
        if (async_rows[i].op == op) return &async_rows[i];
    assert(!"operations.def lacks a row");
    return NULL;
}

// ---- details

// Numbers that words stand for.
static const struct WordValue {
    PtxWord word;
    uint32_t value;
} word_values[] = {
    {PTX_WORD_x1, 1},
    {PTX_WORD_x2, 2},
    {PTX_WORD_x4, 4},
    {PTX_WORD_x8, 8},
    {PTX_WORD_x16, 16},
    {PTX_WORD_x32, 32},
    {PTX_WORD_x64, 64},
    {PTX_WORD_x128, 128},
    {PTX_WORD_1d, 1},
    {PTX_WORD_2d, 2},
    {PTX_WORD_3d, 3},
    {PTX_WORD_4d, 4},
    {PTX_WORD_5d, 5},
    {PTX_WORD_cta_group_1, 1},
    {PTX_WORD_cta_group_2, 2},
    {PTX_WORD_32x32b, WARP_32X32B},
    {PTX_WORD_16x64b, WARP_16X64B},
    {PTX_WORD_16x128b, WARP_16X128B},
    {PTX_WORD_16x256b, WARP_16X256B},
    {PTX_WORD_16x32bx2, WARP_16X32BX2},
    {PTX_WORD_128x256b, WARP_COPY_128X256B},
    {PTX_WORD_4x256b, WARP_COPY_4X256B},
    {PTX_WORD_128x128b, WARP_COPY_128X128B},
    {PTX_WORD_64x128b, WARP_COPY_64X128B_02_13}, // warpx2::01_23 adds 1
    {PTX_WORD_32x128b, WARP_COPY_32X128B},
    {PTX_WORD_tile, WARP_TILE},
    {PTX_WORD_tile_gather4, WARP_GATHER4},
    {PTX_WORD_tile_scatter4, WARP_SCATTER4},
    {PTX_WORD_im2col, WARP_IM2COL},
    {PTX_WORD_im2col_no_offs, WARP_IM2COL},
    {PTX_WORD_im2col_w, WARP_IM2COL_W},
    {PTX_WORD_im2col_w_128, WARP_IM2COL_W_128},
    {PTX_WORD_global_address, WARP_MAP_ADDRESS},
    {PTX_WORD_rank, WARP_MAP_RANK},
    {PTX_WORD_box_dim, WARP_MAP_BOX},
    {PTX_WORD_global_dim, WARP_MAP_DIMENSION},
    {PTX_WORD_global_stride, WARP_MAP_STRIDE},
    {PTX_WORD_element_stride, WARP_MAP_ELEMENT_STRIDE},
    {PTX_WORD_elemtype, WARP_MAP_TYPE},
    {PTX_WORD_interleave_layout, WARP_MAP_INTERLEAVE},
    {PTX_WORD_swizzle_mode, WARP_MAP_SWIZZLE},
    {PTX_WORD_swizzle_atomicity, WARP_MAP_SWIZZLE_ATOM},
    {PTX_WORD_fill_mode, WARP_MAP_FILL},
    {PTX_WORD_add, WARP_REDUCE_ADD},
    {PTX_WORD_min, WARP_REDUCE_MIN},
    {PTX_WORD_max, WARP_REDUCE_MAX},
    {PTX_WORD_inc, WARP_REDUCE_INC},
    {PTX_WORD_dec, WARP_REDUCE_DEC},
    {PTX_WORD_and, WARP_REDUCE_AND},
    {PTX_WORD_or, WARP_REDUCE_OR},
    {PTX_WORD_xor, WARP_REDUCE_XOR},
    {PTX_WORD_kind_f16, WARP_KIND_F16},
    {PTX_WORD_kind_tf32, WARP_KIND_TF32},
    {PTX_WORD_kind_f8f6f4, WARP_KIND_F8F6F4},
    {PTX_WORD_kind_i8, WARP_KIND_I8},
    {PTX_WORD_kind_mxf8f6f4, WARP_KIND_MXF8F6F4},
    {PTX_WORD_kind_mxf4, WARP_KIND_MXF4},
    {PTX_WORD_kind_mxf4nvf4, WARP_KIND_MXF4NVF4},
    {PTX_WORD_scale_vec_1X, 1},
    {PTX_WORD_scale_vec_2X, 2},
    {PTX_WORD_scale_vec_4X, 4},
    {PTX_WORD_block16, 16},
    {PTX_WORD_block32, 32},
};

uint32_t lane_word_value(const PtxInstruction *instruction, PtxSet set) {
    const PtxWord word = ptx_find(instruction, set);
    for (size_t i = 0; i < BASE_COUNT(word_values); i++)
        if (word_values[i].word == word) return word_values[i].value;
    return 0;
}

static WarpSpace warp_space_of(PtxSpace space) {
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER: return WARP_SHARED;
    case PTX_GLOBAL:
    case PTX_CONSTANT: return WARP_GLOBAL;
    case PTX_LOCAL: return WARP_LOCAL;
    case PTX_PARAMETER: return WARP_PARAMETER;
    default: return WARP_GENERIC;
    }
}

static uint32_t list_length(const PtxInstruction *instruction, const char *name) {
    const PtxOperand *operand = ptx_operand(instruction, name);
    return operand->kind == PTX_LIST ? operand->count : 1;
}

static uint32_t detail_number(LaneCode *code, const PtxInstruction *instruction, const AsyncDetail *detail) {
    const WarpAccess access = lane_access(code, instruction, PTX_b32);
    switch (detail->source) {
    case DETAIL_FIXED: return detail->number;
    case DETAIL_IF: return ptx_has(instruction, (PtxWord)detail->word) ? detail->number : 0;
    case DETAIL_VALUE: return lane_word_value(instruction, (PtxSet)detail->word);
    case DETAIL_LITERAL: return (uint32_t)ptx_operand(instruction, detail->name)->bits;
    case DETAIL_SPACE: return warp_space_of(ptx_space(instruction, detail->word));
    case DETAIL_ORDER:
        if (ptx_find(instruction, PTX_SET_order) == PTX_WORD_NONE) return detail->number;
        return access.flags & (WARP_ACQUIRE | WARP_RELEASE | WARP_RELAXED);
    case DETAIL_SCOPE:
        if (ptx_has(instruction, PTX_WORD_gl)) return WARP_SCOPE_GPU;
        return ptx_find(instruction, PTX_SET_scope) == PTX_WORD_NONE ? detail->number : access.scope;
    case DETAIL_BYTES: return ptx_type_info(instruction->types[instruction->type_count - 1])->bits / 8;
    case DETAIL_COUNT: return list_length(instruction, detail->name);
    case DETAIL_UNREAD: return lane_is_wait_read(code, instruction) ? 0 : detail->number;
    case DETAIL_NUMBERS: return lane_in_place(code) ? 0 : detail->number;
    case DETAIL_NONE: break;
    }
    return 0;
}

// ---- operands

static LLVMValueRef shared_address(LaneCode *code, const PtxOperand *operand, PtxSpace space) {
    LLVMValueRef address = lane_address(code, operand, space);
    if (space != PTX_GENERIC) return address;
    // Addresses outside the window of shared memory stay large, and nobody can access them.
    const uint64_t window = (uint64_t)WARP_SHARED << WARP_WINDOW_SHIFT;
    return LLVMBuildXor(code->cx.builder, address, lane_constant(code, 64, window), "");
}

// What cp.async reads: the operand `size`, or nothing where `ignore` holds, or all.
static LLVMValueRef bytes_to_read(LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *size = ptx_operand(instruction, "size"), *ignore = ptx_operand(instruction, "ignore");
    LLVMValueRef all = lane_constant(code, 32, ptx_operand(instruction, "bytes")->bits);
    if (size) return lane_read(code, size, 32, false);
    if (!ignore) return all;
    return LLVMBuildSelect(code->cx.builder, lane_read_predicate(code, ignore), lane_constant(code, 32, 0), all, "");
}

// The item of a list, of what follows the comma of an address, or the operand itself. NULL: there are not so many.
static const PtxOperand *item_at(const PtxOperand *operand, uint32_t index) {
    if (operand && operand->kind == PTX_ADDRESS) operand = operand->count > 1 ? &operand->items[1] : NULL;
    if (!operand) return NULL;
    if (operand->kind != PTX_LIST) return index ? NULL : operand;
    return index < operand->count ? &operand->items[index] : NULL;
}

static void add_items(LaneCode *code, const PtxInstruction *instruction, const AsyncOperand *row,
                      LaneOperation *operation) {
    const PtxOperand *list = ptx_operand(instruction, row->name);
    const bool values = instruction->op == PTX_OP_st_async || instruction->op == PTX_OP_red_async;
    for (uint32_t i = 0; i < row->number; i++) {
        const PtxOperand *item = item_at(list, i);
        LLVMValueRef value = lane_constant(code, 32, 0);
        if (item && values)
            value = lane_read_type(code, item, instruction->types[instruction->type_count - 1]);
        else if (item)
            value = lane_read(code, item, 32, false);
        operation->operands[operation->operand_count++] = value;
    }
}

static LLVMValueRef read_async_operand(LaneCode *code, const PtxInstruction *instruction, const AsyncOperand *row) {
    const PtxOperand *operand = row->name ? ptx_operand(instruction, row->name) : NULL;
    switch (row->source) {
    case OPERAND_ADDRESS: return lane_address(code, operand, ptx_space(instruction, row->number));
    case OPERAND_SHARED: return shared_address(code, operand, ptx_space(instruction, row->number));
    case OPERAND_NAMED: return lane_address(code, operand, (PtxSpace)row->number);
    case OPERAND_READS: return bytes_to_read(code, instruction);
    case OPERAND_WORD: return operand ? lane_read(code, operand, 32, false) : lane_constant(code, 32, row->number);
    case OPERAND_LONG: return operand ? lane_read(code, operand, 64, false) : lane_constant(code, 64, 0);
    default: return lane_constant(code, 32, row->number);
    }
}

// ---- lists of registers

static void add_list(LaneOperation *operation, const PtxOperand **registers, const PtxOperand *list) {
    for (uint32_t i = 0; list && item_at(list, i); i++) registers[operation->data_count++] = item_at(list, i);
}

enum { ASYNC_REGISTERS = 264 }; // of an instruction, at most
void lane_operate_guarded(LaneCode *code, LaneOperation *operation) {
    const bool guarded = code->instruction->guard.kind != PTX_NONE;
    LaneGuard guard = {0};
    if (guarded) guard = lane_guard_open(code);
    lane_operate(code, operation);
    lane_copy_homes(code, operation, true);
    if (!guarded) return;
    LLVMValueRef *parts[ASYNC_REGISTERS + 2], values[ASYNC_REGISTERS + 2];
    unsigned count = 0;
    parts[count++] = &operation->done;
    if (operation->operand_count) parts[count++] = &operation->result;
    for (uint32_t i = 0; i < operation->written; i++)
        if (!lane_has_home(operation, i)) parts[count++] = &operation->data[i];
    for (unsigned i = 0; i < count; i++) values[i] = *parts[i];
    lane_guard_close(code, &guard, count, values);
    for (unsigned i = 0; i < count; i++) *parts[i] = values[i];
}

// ---- functions

// What a reduction does to memory. NULL and a diagnostic: the numeric refuses it.
static LLVMValueRef combine_of(LaneCode *code, const PtxInstruction *instruction) {
    const PtxType type = instruction->types[instruction->type_count - 1];
    const LaneCombine what = {.operation = ptx_find(instruction, PTX_SET_operation),
                              .type = type,
                              .count = 1,
                              .flushes = type == PTX_f32 && ptx_has(instruction, PTX_WORD_add),
                              .magnitudes = ptx_has(instruction, PTX_WORD_abs),
                              .propagates = ptx_has(instruction, PTX_WORD_NaN)};
    return lane_combine_function(&code->cx, &what);
}

static bool takes_combine(const AsyncRow *row, const PtxInstruction *instruction) {
    const bool can = row->kind == WARP_BULK_COPY || row->kind == WARP_STORE_ASYNC || row->kind == WARP_TENSOR_LOAD;
    return can && ptx_find(instruction, PTX_SET_operation) != PTX_WORD_NONE;
}

// ---- instructions

static bool fill_operation(LaneCode *code, const PtxInstruction *instruction, const AsyncRow *row,
                           LaneOperation *operation) {
    operation->kind = row->kind;
    for (unsigned i = 0; i < ASYNC_DETAILS && row->details[i].source; i++)
        operation->detail[row->details[i].index] += detail_number(code, instruction, &row->details[i]);
    if (takes_combine(row, instruction) && !(operation->function = combine_of(code, instruction))) return false;
    for (unsigned i = 0; i < ASYNC_OPERANDS && row->operands[i].source; i++) {
        if (row->operands[i].source == OPERAND_ITEMS)
            add_items(code, instruction, &row->operands[i], operation);
        else
            operation->operands[operation->operand_count++] = read_async_operand(code, instruction, &row->operands[i]);
    }
    return true;
}

static void write_async_results(LaneCode *code, const PtxInstruction *instruction, const AsyncRow *row,
                                const LaneOperation *operation) {
    const PtxOperand *d = row->result == WORDS || row->result == LANES ? ptx_operand(instruction, "d") : NULL;
    if (d && row->result == LANES) lane_write_predicate(code, d, lane_mask_of_bits(code, operation->done));
    if (d && row->result == WORDS) lane_write(code, d, operation->result, PTX_u64);
}

bool lane_emit_operation(LaneCode *code, const PtxInstruction *instruction) {
    const AsyncRow *row = find_async_row(instruction->op);
    const PtxOperand *registers[ASYNC_REGISTERS];
    LLVMValueRef data[ASYNC_REGISTERS];
    LaneOperation operation = {.data = data, .reads_data = row->result == READ};
    if (row->result == READ) add_list(&operation, registers, ptx_operand(instruction, "B"));
    if (row->result == WRITTEN) {
        add_list(&operation, registers, ptx_operand(instruction, "D"));
        if (instruction->op == PTX_OP_tcgen05_ld_red) add_list(&operation, registers, ptx_operand(instruction, "E"));
    }
    if (row->result == WRITTEN) operation.written = operation.data_count;
    LaneHome homes[ASYNC_REGISTERS];
    operation.homes = homes;
    for (uint32_t i = 0; i < operation.data_count; i++) {
        homes[i] = lane_register_home(code, registers[i], FPSAN_FORMAT_COUNT, operation.written);
        if (operation.reads_data && !homes[i].word) data[i] = lane_read(code, registers[i], 32, false);
    }
    if (!fill_operation(code, instruction, row, &operation)) return false;
    lane_operate_guarded(code, &operation);
    write_async_results(code, instruction, row, &operation);
    for (uint32_t i = 0; i < operation.written; i++)
        if (!homes[i].word) lane_write(code, registers[i], data[i], PTX_b32);
    return true;
}

// Operations whose lanes may have to wait come to the instruction again.
bool lane_emit_blocking(LaneCode *code, const PtxInstruction *instruction) {
    LaneOperation operation = {0};
    if (!fill_operation(code, instruction, find_async_row(instruction->op), &operation)) return false;
    lane_operate_guarded(code, &operation);
    lane_try_again(code, operation.done);
    return true;
}

// st.async and red.async without an mbarrier are ordinary accesses to global memory.
bool lane_emit_store_async(LaneCode *code, const PtxInstruction *instruction) {
    if (ptx_operand(instruction, "barrier")) return lane_emit_operation(code, instruction);
    return instruction->op == PTX_OP_st_async ? lane_emit_store(code, instruction) : lane_emit_red(code, instruction);
}
