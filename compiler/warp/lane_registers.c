// SPDX-License-Identifier: Apache-2.0
// Operands of instructions as vectors of lanes: registers, literals, special registers, addresses.
#include "compiler/warp/lane_floats.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- vectors of lanes

LLVMTypeRef lane_type(const LaneCode *code, unsigned bits) {
    return LLVMVectorType(code_integer_type(&code->cx, bits), WARP_LANES);
}

LLVMValueRef lane_splat(const LaneCode *code, LLVMValueRef scalar) {
    return vector_splat(code->cx.builder, scalar, WARP_LANES);
}

LLVMValueRef lane_constant(const LaneCode *code, unsigned bits, uint64_t value) {
    return vector_integer_like(LLVMGetUndef(lane_type(code, 32)), bits, value);
}

LLVMValueRef lane_numbers(const LaneCode *code) {
    LLVMValueRef items[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) items[i] = code_i32(&code->cx, (int32_t)i);
    return LLVMConstVector(items, WARP_LANES);
}

LLVMValueRef lane_bits_of_mask(const LaneCode *code, LLVMValueRef lanes) {
    return LLVMBuildBitCast(code->cx.builder, lanes, code_integer_type(&code->cx, 32), "");
}

LLVMValueRef lane_mask_of_bits(const LaneCode *code, LLVMValueRef bits) {
    return LLVMBuildBitCast(code->cx.builder, bits, lane_type(code, 1), "");
}

LLVMValueRef lane_first(LaneCode *code, LLVMValueRef lanes) {
    LLVMValueRef operands[2] = {code->mask_bits, LLVMConstInt(code_integer_type(&code->cx, 1), 0, false)};
    LLVMValueRef lane = vector_intrinsic(&code->cx, "llvm.cttz", operands, 2);
    // Without a lane the count is 32: then it does not matter which.
    lane = LLVMBuildAnd(code->cx.builder, lane, code_i32(&code->cx, WARP_LANES - 1), "");
    return LLVMBuildExtractElement(code->cx.builder, lanes, lane, "");
}

static LLVMValueRef resize(const LaneCode *code, LLVMValueRef value, unsigned bits, bool sign) {
    const unsigned now = LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
    if (now == bits) return value;
    if (now > bits) return LLVMBuildTrunc(code->cx.builder, value, lane_type(code, bits), "");
    return sign ? LLVMBuildSExt(code->cx.builder, value, lane_type(code, bits), "")
                : LLVMBuildZExt(code->cx.builder, value, lane_type(code, bits), "");
}

// ---- registers

static unsigned register_bits(const LaneCode *code, uint32_t index) {
    return ptx_type_info(code->function->registers[index].type)->bits;
}

// How many floats of its form a register packs.
static unsigned form_elements(const LaneCode *code, uint32_t index, FpsanFormat form) {
    return register_bits(code, index) / fpsan_format_info(form)->bits;
}

// The type in which a register of that form is kept.
static LLVMTypeRef kept_type(const LaneCode *code, uint32_t index) {
    const FpsanFormat form = code->plan.registers[index].form;
    if (form == FPSAN_FORMAT_COUNT) return lane_type(code, register_bits(code, index));
    return LLVMVectorType(code->cx.numeric->part_type(&code->cx, form, 0),
                          WARP_LANES * form_elements(code, index, form));
}

// Where the register lies in the frame. In the function of a shape the calling instruction says it.
static LLVMValueRef register_place(const LaneCode *code, uint32_t index) {
    const LaneRegister *own = &code->plan.registers[index];
    LLVMValueRef offset = code_i64(&code->cx, own->offset);
    if (code->words)
        offset = LLVMBuildZExt(code->cx.builder, lane_word(code, own->word), code_integer_type(&code->cx, 64), "");
    return code_pointer_at(&code->cx, code_integer_type(&code->cx, 8), code->frame, offset);
}

static unsigned frame_alignment(const LaneCode *code, uint32_t index) {
    const unsigned bytes = register_bits(code, index) / 8 * WARP_LANES;
    return bytes && bytes < 64 ? bytes : 64;
}

// The literal of a register that always holds it, as it is kept.
static LLVMValueRef literal_value(const LaneCode *code, uint32_t index) {
    const LaneRegister *own = &code->plan.registers[index];
    LLVMValueRef bits = lane_constant(code, register_bits(code, index), own->literal);
    if (own->form == FPSAN_FORMAT_COUNT) return bits;
    LLVMTypeRef word = code_integer_type(&code->cx, fpsan_format_info(own->form)->lane_bits);
    LLVMTypeRef type = LLVMVectorType(word, WARP_LANES * form_elements(code, index, own->form));
    return code->cx.numeric->from_bits(&code->cx, own->form, LLVMBuildBitCast(code->cx.builder, bits, type, ""))
        .parts[0];
}

static void know_register(LaneCode *code, uint32_t index, LLVMValueRef value) {
    LaneRegister *own = &code->plan.registers[index];
    if (!own->value) {
        code->known =
            arena_grow(code->module->arena, code->known, code->known_count, &code->known_capacity, sizeof *code->known);
        code->known[code->known_count++] = index;
    }
    own->value = value;
}

void lane_forget_registers(LaneCode *code) {
    for (size_t i = 0; i < code->known_count; i++) code->plan.registers[code->known[i]].value = NULL;
    code->known_count = 0;
}

static LLVMValueRef load_predicate(LaneCode *code, uint32_t index) {
    return code_load(&code->cx, code_integer_type(&code->cx, 32), register_place(code, index), 4);
}

// The register as it is kept.
static LLVMValueRef get_register(LaneCode *code, uint32_t index) {
    LaneRegister *own = &code->plan.registers[index];
    if (own->value) return own->value;
    LLVMValueRef value;
    if (own->is_literal)
        value = literal_value(code, index);
    else if (register_bits(code, index) == 1)
        value = lane_mask_of_bits(code, load_predicate(code, index));
    else
        value = code_load(&code->cx, kept_type(code, index), register_place(code, index), frame_alignment(code, index));
    know_register(code, index, value);
    return value;
}

// New values for lanes of code->mask; `value` has the type in which the register is kept.
static void set_register(LaneCode *code, uint32_t index, LLVMValueRef value) {
    LaneRegister *own = &code->plan.registers[index];
    if (own->is_literal) return;
    if (!own->local || code->instruction->guard.kind != PTX_NONE) {
        LLVMValueRef old = get_register(code, index);
        LLVMTypeRef kept = LLVMTypeOf(value), lanes = lane_type(code, register_bits(code, index));
        value = LLVMBuildSelect(code->cx.builder, code->mask, LLVMBuildBitCast(code->cx.builder, value, lanes, ""),
                                LLVMBuildBitCast(code->cx.builder, old, lanes, ""), "");
        value = LLVMBuildBitCast(code->cx.builder, value, kept, "");
    }
    if (register_bits(code, index) == 1)
        code_store(&code->cx, lane_bits_of_mask(code, value), register_place(code, index), 4);
    else
        code_store(&code->cx, value, register_place(code, index), frame_alignment(code, index));
    know_register(code, index, value);
}

LaneHome lane_register_home(LaneCode *code, const PtxOperand *operand, FpsanFormat form, bool writes) {
    if (operand->kind != PTX_REGISTER || register_bits(code, operand->index) != 32) return (LaneHome){0};
    LaneRegister *own = &code->plan.registers[operand->index];
    if (!code->words || own->is_literal || (own->form != form && form != FPSAN_FORMAT_COUNT)) return (LaneHome){0};
    if (writes) own->value = NULL;
    return (LaneHome){own->word, own->form == form ? FPSAN_FORMAT_COUNT : own->form};
}

// ---- forms

static NumericValue float_of_bits(LaneCode *code, LLVMValueRef bits, FpsanFormat format, unsigned elements) {
    LLVMTypeRef type =
        LLVMVectorType(code_integer_type(&code->cx, fpsan_format_info(format)->lane_bits), WARP_LANES * elements);
    return lane_float_of_bits(code, format, LLVMBuildBitCast(code->cx.builder, bits, type, ""));
}

static LLVMValueRef bits_of_float(LaneCode *code, const NumericValue *value, FpsanFormat format, unsigned bits) {
    LLVMValueRef all = lane_bits_of_float(code, format, value);
    return LLVMBuildBitCast(code->cx.builder, all, lane_type(code, bits), "");
}

LLVMValueRef lane_keep_bits(LaneCode *code, LLVMValueRef bits, FpsanFormat form) {
    LLVMValueRef kept = float_of_bits(code, bits, form, 32 / fpsan_format_info(form)->bits).parts[0];
    return LLVMBuildBitCast(code->cx.builder, kept, lane_type(code, 32), "");
}

LLVMValueRef lane_bits_of_kept(LaneCode *code, LLVMValueRef kept, FpsanFormat form) {
    LLVMTypeRef type = LLVMVectorType(code->cx.numeric->part_type(&code->cx, form, 0),
                                      WARP_LANES * (32 / fpsan_format_info(form)->bits));
    const NumericValue value = {.parts = {LLVMBuildBitCast(code->cx.builder, kept, type, "")}};
    return bits_of_float(code, &value, form, 32);
}

// The register's bits.
static LLVMValueRef get_bits(LaneCode *code, uint32_t index) {
    const FpsanFormat form = code->plan.registers[index].form;
    LLVMValueRef value = get_register(code, index);
    if (form == FPSAN_FORMAT_COUNT) return value;
    return bits_of_float(code, &(NumericValue){.parts = {value}}, form, register_bits(code, index));
}

static void set_bits(LaneCode *code, uint32_t index, LLVMValueRef bits) {
    const FpsanFormat form = code->plan.registers[index].form;
    if (form != FPSAN_FORMAT_COUNT) bits = float_of_bits(code, bits, form, form_elements(code, index, form)).parts[0];
    set_register(code, index, bits);
}

// ---- what is no register

static LLVMValueRef state_word(LaneCode *code, size_t offset) {
    return lane_state_field(code, offset, code_integer_type(&code->cx, 32));
}

static LLVMValueRef state_splat(LaneCode *code, size_t offset) {
    return lane_splat(code, state_word(code, offset));
}

// The bits of the lanes below, ..: %lanemask_*.
static LLVMValueRef lane_mask_constant(const LaneCode *code, PtxSpecial special) {
    LLVMValueRef items[WARP_LANES];
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t own = UINT32_C(1) << i, below = own - 1;
        const uint32_t bits = special == PTX_SPECIAL_lanemask_eq   ? own
                              : special == PTX_SPECIAL_lanemask_lt ? below
                              : special == PTX_SPECIAL_lanemask_le ? below | own
                              : special == PTX_SPECIAL_lanemask_gt ? ~(below | own)
                                                                   : ~below;
        items[i] = code_i32(&code->cx, (int32_t)bits);
    }
    return LLVMConstVector(items, WARP_LANES);
}

// Special registers that are a word of WarpState, the same for all lanes.
static const struct StateSpecial {
    PtxSpecial special;
    size_t offset;
} state_specials[] = {
#define STATE(id, field)                                                                                               \
    { PTX_SPECIAL_##id, offsetof(WarpState, field) }
#define STATE3(id, field) STATE(id##_x, field[0]), STATE(id##_y, field[1]), STATE(id##_z, field[2])
    STATE3(ntid, threads),
    STATE3(ctaid, block),
    STATE3(nctaid, blocks),
    STATE3(clusterid, cluster),
    STATE3(nclusterid, clusters),
    STATE3(cluster_ctaid, cluster_block),
    STATE3(cluster_nctaid, cluster_blocks),
    STATE(cluster_ctarank, cluster_rank),
    STATE(cluster_nctarank, cluster_size),
    STATE(warpid, warp),
    STATE(nwarpid, warps),
    STATE(dynamic_smem_size, dynamic_shared),
    STATE(total_smem_size, total_shared),
#undef STATE3
#undef STATE
};

// Counters, which the emulator has.
static LLVMValueRef read_clock(LaneCode *code, bool nanoseconds) {
    LaneOperation operation = {
        .kind = WARP_CLOCK, .detail = {nanoseconds}, .operand_count = 1, .operands = {lane_constant(code, 64, 0)}};
    lane_operate(code, &operation);
    return operation.result;
}

// Of one SM with room for all blocks of a launch; features that a launch here does not have are 0.
static LLVMValueRef read_special(LaneCode *code, PtxSpecial special) {
    for (size_t i = 0; i < BASE_COUNT(state_specials); i++)
        if (state_specials[i].special == special) return state_splat(code, state_specials[i].offset);
    const uint32_t dimension = special - PTX_SPECIAL_tid_x;
    if (special >= PTX_SPECIAL_tid_x && dimension < 3) {
        LLVMValueRef at =
            lane_state_pointer(code, offsetof(WarpState, thread) + dimension * sizeof(uint32_t[WARP_LANES]));
        return code_load(&code->cx, lane_type(code, 32), at, 4);
    }
    switch (special) {
    case PTX_SPECIAL_laneid: return lane_numbers(code);
    case PTX_SPECIAL_lanemask_eq:
    case PTX_SPECIAL_lanemask_lt:
    case PTX_SPECIAL_lanemask_le:
    case PTX_SPECIAL_lanemask_gt:
    case PTX_SPECIAL_lanemask_ge: return lane_mask_constant(code, special);
    case PTX_SPECIAL_clock:
    case PTX_SPECIAL_clock_hi:
    case PTX_SPECIAL_clock64: {
        LLVMValueRef clock = read_clock(code, false);
        if (special == PTX_SPECIAL_clock64) return clock;
        if (special == PTX_SPECIAL_clock_hi)
            clock = LLVMBuildLShr(code->cx.builder, clock, lane_constant(code, 64, 32), "");
        return resize(code, clock, 32, false);
    }
    case PTX_SPECIAL_globaltimer: return read_clock(code, true);
    case PTX_SPECIAL_globaltimer_lo: return resize(code, read_clock(code, true), 32, false);
    case PTX_SPECIAL_globaltimer_hi:
        return resize(code, LLVMBuildLShr(code->cx.builder, read_clock(code, true), lane_constant(code, 64, 32), ""),
                      32, false);
    case PTX_SPECIAL_gridid:
        return lane_splat(code, lane_state_field(code, offsetof(WarpState, grid), code_integer_type(&code->cx, 64)));
    case PTX_SPECIAL_is_explicit_cluster: return lane_constant(code, 1, 0);
    case PTX_SPECIAL_nsmid: return lane_constant(code, 32, 1);
    default: return lane_constant(code, ptx_special_info(special)->type == PTX_u64 ? 64 : 32, 0);
    }
}

static const PtxVariable *variable_of(const LaneCode *code, const PtxOperand *operand) {
    return operand->global ? &code->module->ptx->variables[operand->index] : &code->function->variables[operand->index];
}

static LLVMValueRef shared_variable(LaneCode *code, const PtxOperand *operand) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMTypeRef word = code_integer_type(&code->cx, 64);
    const uint64_t offset =
        operand->global ? code->module->shared_offsets[operand->index] : code->shared_offsets[operand->index];
    if (offset != UINT64_MAX) return code_i64(&code->cx, (int64_t)offset + WARP_SHARED_FIRST);
    // Dynamic shared memory comes last.
    LLVMValueRef total = LLVMBuildZExt(builder, state_word(code, offsetof(WarpState, total_shared)), word, "");
    LLVMValueRef dynamic = LLVMBuildZExt(builder, state_word(code, offsetof(WarpState, dynamic_shared)), word, "");
    return LLVMBuildAdd(builder, LLVMBuildSub(builder, total, dynamic, ""), code_i64(&code->cx, WARP_SHARED_FIRST), "");
}

// The address of a variable in its own space, an i64.
static LLVMValueRef variable_address(LaneCode *code, const PtxOperand *operand) {
    LLVMBuilderRef builder = code->cx.builder;
    LLVMTypeRef word = code_integer_type(&code->cx, 64);
    const PtxVariable *variable = variable_of(code, operand);
    LLVMValueRef address;
    if (variable->space == PTX_SHARED) {
        address = shared_variable(code, operand);
    } else if (variable->space == PTX_LOCAL) {
        LLVMValueRef base = LLVMBuildZExt(builder, code->local_base, word, "");
        address = LLVMBuildAdd(builder, base, code_i64(&code->cx, code->plan.local_offsets[operand->index]), "");
    } else if (variable->space == PTX_PARAMETER) {
        address = code_i64(&code->cx, lane_parameter_offset(code->function, operand->index));
    } else {
        LLVMValueRef globals =
            lane_state_field(code, offsetof(WarpState, globals), LLVMPointerTypeInContext(code->cx.context, 0));
        const uint32_t number = code->module->global_numbers[operand->index];
        address = code_load(&code->cx, word, code_pointer_at(&code->cx, word, globals, code_i64(&code->cx, number)), 8);
    }
    return LLVMBuildAdd(builder, address, code_i64(&code->cx, operand->offset), "");
}

// ---- reading and writing operands

LLVMValueRef lane_read(LaneCode *code, const PtxOperand *operand, unsigned bits, bool sign) {
    switch (operand->kind) {
    case PTX_REGISTER: return resize(code, get_bits(code, operand->index), bits, sign);
    case PTX_SPECIAL: return resize(code, read_special(code, operand->index), bits, sign);
    case PTX_VARIABLE: return resize(code, lane_splat(code, variable_address(code, operand)), bits, false);
    case PTX_FUNCTION: return resize(code, lane_constant(code, 64, ptx_function_address(operand->index)), bits, false);
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64: {
        LLVMValueRef number = lane_number(code, operand, bits);
        return number ? lane_splat(code, number) : lane_constant(code, bits, operand->bits);
    }
    default: assert(!"an operand that has no bits"); return lane_constant(code, bits, 0);
    }
}

bool lane_literal_bits(const PtxOperand *operand, PtxType type, uint64_t *bits) {
    const PtxTypeInfo *info = ptx_type_info(type);
    const bool one_float = info->kind == PTX_FLOAT && info->elements == 1;
    *bits = operand->bits;
    if (one_float && operand->kind == PTX_FLOAT64 && info->bits < 64)
        *bits = fpsan_convert(FPSAN_F64, info->format, operand->bits, FPSAN_NEAREST_EVEN);
    if (one_float && operand->kind == PTX_FLOAT32 && info->bits == 64)
        *bits = fpsan_convert(FPSAN_F32, FPSAN_F64, operand->bits, FPSAN_NEAREST_EVEN);
    if (info->bits < 64) *bits &= (UINT64_C(1) << info->bits) - 1;
    return operand->kind == PTX_INTEGER || operand->kind == PTX_FLOAT32 || operand->kind == PTX_FLOAT64;
}

static uint64_t literal_bits(const PtxOperand *operand, PtxType type) {
    uint64_t bits;
    lane_literal_bits(operand, type, &bits);
    return bits;
}

LLVMValueRef lane_read_type(LaneCode *code, const PtxOperand *operand, PtxType type) {
    const PtxTypeInfo *info = ptx_type_info(type);
    if (operand->kind == PTX_FLOAT32 || operand->kind == PTX_FLOAT64)
        return lane_constant(code, info->bits, literal_bits(operand, type));
    return lane_read(code, operand, info->bits, info->kind == PTX_SIGNED);
}

LLVMValueRef lane_read_guard(LaneCode *code, const PtxOperand *operand) {
    if (operand->kind != PTX_REGISTER || code->plan.registers[operand->index].is_literal)
        return lane_bits_of_mask(code, lane_read_predicate(code, operand));
    LLVMValueRef value = load_predicate(code, operand->index);
    return operand->negated ? LLVMBuildNot(code->cx.builder, value, "") : value;
}

// Of a literal: whether it is not 0.
static LLVMValueRef literal_predicate(LaneCode *code, const PtxOperand *operand) {
    LLVMValueRef number = lane_number(code, operand, 64);
    if (!number) return lane_constant(code, 1, operand->bits != 0);
    return lane_splat(code, LLVMBuildIsNotNull(code->cx.builder, number, ""));
}

LLVMValueRef lane_read_predicate(LaneCode *code, const PtxOperand *operand) {
    LLVMValueRef value =
        operand->kind == PTX_REGISTER ? get_register(code, operand->index) : literal_predicate(code, operand);
    return operand->negated ? LLVMBuildNot(code->cx.builder, value, "") : value;
}

void lane_write(LaneCode *code, const PtxOperand *operand, LLVMValueRef bits, PtxType type) {
    if (operand->kind == PTX_SINK) return;
    assert(operand->kind == PTX_REGISTER);
    set_bits(code, operand->index,
             resize(code, bits, register_bits(code, operand->index), ptx_type_info(type)->kind == PTX_SIGNED));
}

void lane_write_predicate(LaneCode *code, const PtxOperand *operand, LLVMValueRef predicate) {
    if (operand->kind == PTX_SINK) return;
    assert(operand->kind == PTX_REGISTER);
    set_register(code, operand->index, predicate);
}

NumericValue lane_read_float(LaneCode *code, const PtxOperand *operand, FpsanFormat format, unsigned elements) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const unsigned bits = info->storage_bits * elements;
    if (operand->kind == PTX_REGISTER) {
        const LaneRegister *own = &code->plan.registers[operand->index];
        if (own->form == format && register_bits(code, operand->index) == bits)
            return (NumericValue){.parts = {get_register(code, operand->index)}};
    }
    LLVMValueRef value;
    if (operand->kind == PTX_FLOAT32 || operand->kind == PTX_FLOAT64)
        value = lane_constant(code, bits, literal_bits(operand, format == FPSAN_F64 ? PTX_f64 : PTX_f32));
    else
        value = lane_read(code, operand, bits, false);
    return float_of_bits(code, value, format, elements);
}

void lane_write_float(LaneCode *code, const PtxOperand *operand, FpsanFormat format, unsigned elements,
                      const NumericValue *value) {
    if (operand->kind == PTX_SINK) return;
    assert(operand->kind == PTX_REGISTER);
    const unsigned bits = fpsan_format_info(format)->storage_bits * elements;
    if (code->plan.registers[operand->index].form == format && register_bits(code, operand->index) == bits) {
        set_register(code, operand->index, value->parts[0]);
        return;
    }
    LLVMValueRef all = bits_of_float(code, value, format, bits);
    set_bits(code, operand->index, resize(code, all, register_bits(code, operand->index), false));
}

// ---- addresses

static WarpSpace space_of_variable(const PtxVariable *variable) {
    switch (variable->space) {
    case PTX_SHARED: return WARP_SHARED;
    case PTX_LOCAL: return WARP_LOCAL;
    case PTX_PARAMETER: return WARP_PARAMETER;
    default: return WARP_GLOBAL;
    }
}

static LLVMValueRef address_offset(LaneCode *code, const PtxOperand *operand) {
    LLVMValueRef offset = lane_number(code, operand, 64);
    if (offset) return lane_splat(code, offset);
    return lane_constant(code, 64, operand->kind == PTX_ADDRESS ? (uint64_t)operand->offset : 0);
}

LLVMValueRef lane_address(LaneCode *code, const PtxOperand *operand, PtxSpace space) {
    LLVMBuilderRef builder = code->cx.builder;
    const PtxOperand *base = operand->kind == PTX_ADDRESS ? &operand->items[0] : operand;
    LLVMValueRef address = lane_read(code, base, 64, false);
    if (base->kind == PTX_VARIABLE && space == PTX_GENERIC) {
        const WarpSpace own = space_of_variable(variable_of(code, base));
        if (own != WARP_GLOBAL)
            address = LLVMBuildAdd(builder, address, lane_constant(code, 64, (uint64_t)own << WARP_WINDOW_SHIFT), "");
    }
    address = LLVMBuildAdd(builder, address, address_offset(code, operand), "");
    if (space == PTX_SHARED || space == PTX_SHARED_CLUSTER || space == PTX_LOCAL || space == PTX_PARAMETER)
        address = LLVMBuildAnd(builder, address, lane_constant(code, 64, UINT32_MAX), "");
    return address;
}
