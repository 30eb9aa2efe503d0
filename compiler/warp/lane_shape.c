// SPDX-License-Identifier: Apache-2.0
// Functions of instructions. A kernel has a thousand instructions, but they have less than two hundred shapes: a shape is
// what an emitter can see of an instruction, but for the numbers of registers, offsets of addresses and its place. Each
// shape becomes a function, void (state, frame, mask, words), and an instruction a call of it. `words` are what is left:
//
//   words[0]   its place
//   words[i]   where a register is in the frame, or the offset of an address
//
// The words of all instructions of a module are one table.
#include "compiler/warp/lane_emitters.h"
#include "compiler/warp/lane_floats.h"

#include <assert.h>
#include <string.h>

enum { FUNCTION_PARAMETERS = 4 };

static LLVMTypeRef function_type(const LaneCode *code) {
    LLVMContextRef context = code->cx.context;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef types[FUNCTION_PARAMETERS] = {pointer, pointer, LLVMInt32TypeInContext(context), pointer};
    return LLVMFunctionType(LLVMVoidTypeInContext(context), types, FUNCTION_PARAMETERS, false);
}

// ---- which instructions

// Parameters of functions and local variables are where the function says; parameters of kernels are in WarpState.
static bool names_own_memory(const LaneCode *code, const PtxOperand *operand) {
    const PtxFunction *function = code->function;
    if (operand->kind == PTX_VARIABLE && !operand->global)
        return function->variables[operand->index].space != PTX_SHARED &&
               !(function->entry && operand->index < function->parameter_count);
    for (uint32_t i = 0; i < operand->count; i++)
        if (names_own_memory(code, &operand->items[i])) return true;
    return false;
}

static bool writes_literal(const LaneCode *code, const PtxInstruction *instruction) {
    const PtxOperand *d = &instruction->operands[0];
    return instruction->op == PTX_OP_mov && d->kind == PTX_REGISTER && code->plan.registers[d->index].is_literal;
}

bool lane_has_shape(const LaneCode *code, const PtxInstruction *instruction) {
    const LaneLowering *row = lane_lowering(instruction->op);
    if (row->ends || row->sync == LANE_BLOCKS || row->reason || writes_literal(code, instruction)) return false;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (names_own_memory(code, &instruction->operands[i])) return false;
    return true;
}

// ---- the text of a shape

typedef struct Reader { // of the instruction's shape
    LaneCode *code;
    struct LaneShapes *shapes;
    size_t first;        // its first word
    uint32_t *registers; // that have a word
    struct LaneAddressWord *addresses;
    uint32_t register_count, address_count;
} Reader;

// A letter and a number, its digits to the base 16 as characters from '0' on, lowest first.
static void add_number(Reader *reader, char letter, uint64_t value) {
    char text[1 + 16];
    size_t size = 0;
    text[size++] = letter;
    for (; value; value >>= 4) text[size++] = (char)('0' + (value & 15));
    buffer_append(&reader->shapes->key, text, size);
}

static uint32_t add_word(Reader *reader, uint32_t value) {
    struct LaneShapes *shapes = reader->shapes;
    shapes->words = arena_grow(reader->code->module->arena, shapes->words, shapes->word_count, &shapes->word_capacity,
                               sizeof *shapes->words);
    shapes->words[shapes->word_count] = value;
    return (uint32_t)(shapes->word_count++ - reader->first);
}

static void read_register(Reader *reader, uint32_t index, bool writes) {
    LaneRegister *own = &reader->code->plan.registers[index];
    add_number(reader, 'r', reader->code->function->registers[index].type);
    add_number(reader, 'f', own->form);
    if (own->is_literal) {
        add_number(reader, 'l', own->literal);
        return;
    }
    if (!own->word) {
        own->word = add_word(reader, own->offset);
        reader->registers[reader->register_count++] = index;
    }
    add_number(reader, writes && own->local ? 'W' : 'w', own->word);
}

static void read_operand(Reader *reader, const PtxOperand *operand, bool writes) {
    if (operand->kind == PTX_REGISTER) {
        read_register(reader, operand->index, writes);
        if (operand->negated) add_number(reader, 'n', 0);
        return;
    }
    // Bytes of parameters are constants of the code.
    const PtxOperand *base = operand->kind == PTX_ADDRESS ? &operand->items[0] : NULL;
    const bool parameter = base && base->kind == PTX_VARIABLE && !base->global &&
                           reader->code->function->variables[base->index].space == PTX_PARAMETER;
    const bool any_offset = base && !parameter && operand->offset == (int32_t)operand->offset;
    add_number(reader, 'k', operand->kind);
    add_number(reader, 'b', operand->bits);
    add_number(reader, 'i', (uint64_t)operand->index << 2 | (unsigned)operand->negated << 1 | operand->global);
    if (any_offset)
        reader->addresses[reader->address_count++] =
            (struct LaneAddressWord){operand, add_word(reader, (uint32_t)operand->offset)};
    else
        add_number(reader, 'o', (uint64_t)operand->offset);
    if (operand->kind == PTX_VARIABLE && !operand->global)
        add_number(reader, 'F', (uint64_t)(reader->code->function - reader->code->module->ptx->functions));
    add_number(reader, 'c', operand->count);
    for (uint32_t i = 0; i < operand->count; i++) read_operand(reader, &operand->items[i], writes && !base);
}

static uint32_t count_operands(const PtxOperand *operands, uint32_t count) {
    uint32_t all = count;
    for (uint32_t i = 0; i < count; i++) all += count_operands(operands[i].items, operands[i].count);
    return all;
}

static void read_shape(Reader *reader, const PtxInstruction *instruction) {
    LaneCode *code = reader->code;
    const PtxOperand *x;
    bool negated;
    const uint32_t most = count_operands(instruction->operands, instruction->operand_count) + 1;
    reader->registers = arena_array(code->module->arena, uint32_t, most);
    reader->addresses = arena_array(code->module->arena, struct LaneAddressWord, most);
    reader->shapes->key.size = 0;
    add_word(reader, code->place);
    add_number(reader, 'O', instruction->op);
    add_number(reader, 'R', instruction->form);
    add_number(reader, 'G', instruction->guard.kind != PTX_NONE);
    for (uint32_t i = 0; i < instruction->word_count; i++) add_number(reader, '.', instruction->words[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        read_operand(reader, &instruction->operands[i], ptx_writes(instruction, i));
    if (lane_is_exponential(code, instruction, &x, &negated)) {
        add_number(reader, 'e', negated);
        read_register(reader, x->index, false);
    }
    // Sums in flight are known by their first register.
    const PtxOperand *sums = &instruction->operands[0];
    if (lane_lowering(instruction->op)->emit == lane_emit_wgmma && sums->count && sums->items[0].kind == PTX_REGISTER)
        add_number(reader, 'S', sums->items[0].index);
    buffer_append(&reader->shapes->key, "", 1);
}

// ---- functions

static bool build_function(const Reader *reader, const PtxInstruction *instruction, LLVMValueRef function) {
    CodeSlots slots = {.arena = reader->code->module->arena};
    LaneCode code = *reader->code;
    code.cx.entry_block = LLVMGetInsertBlock(code.cx.builder);
    code.cx.slots = &slots;
    code.state = LLVMGetParam(function, 0);
    code.frame = LLVMGetParam(function, 1);
    code.mask_bits = LLVMGetParam(function, 2);
    code.mask = lane_mask_of_bits(&code, code.mask_bits);
    code.words = LLVMGetParam(function, 3);
    code.address_words = reader->addresses;
    code.address_count = reader->address_count;
    code.known = NULL;
    code.known_count = code.known_capacity = 0;
    lane_open_slots(&code);
    const bool good = lane_lowering(instruction->op)->emit(&code, instruction);
    LLVMBuildRetVoid(code.cx.builder);
    lane_close_slots(&code);
    lane_forget_registers(&code);
    return good;
}

static bool find_function(const Reader *reader, const PtxInstruction *instruction, LLVMValueRef *function) {
    LaneCode *code = reader->code;
    uint64_t found;
    CodeShared shared;
    bool good = true;
    if (map_find(&reader->shapes->functions, reader->shapes->key.data, &found)) {
        *function = (LLVMValueRef)(uintptr_t)found;
        return true;
    }
    const char *name = arena_format(code->module->arena, "congruent.shape.%zu", reader->shapes->functions.count);
    if (code_shared_open(&code->cx, name, function_type(code), &shared)) {
        good = build_function(reader, instruction, shared.function);
        code_shared_close(&code->cx, &shared);
    }
    *function = shared.function;
    map_insert(&reader->shapes->functions, code->module->arena, reader->shapes->key.data,
               (uint64_t)(uintptr_t)shared.function);
    return good;
}

bool lane_call_shape(LaneCode *code, const PtxInstruction *instruction) {
    NumericContext *cx = &code->cx;
    struct LaneShapes *shapes = &code->module->shapes;
    Reader reader = {.code = code, .shapes = shapes, .first = shapes->word_count};
    LLVMValueRef function;
    read_shape(&reader, instruction);
    const bool good = find_function(&reader, instruction, &function);
    for (uint32_t i = 0; i < reader.register_count; i++) code->plan.registers[reader.registers[i]].word = 0;
    LLVMValueRef first = code_i64(cx, (int64_t)reader.first);
    LLVMValueRef words = LLVMConstInBoundsGEP2(code_integer_type(cx, 32), shapes->table, &first, 1);
    LLVMValueRef arguments[FUNCTION_PARAMETERS] = {code->state, code->frame, code->mask_bits, words};
    LLVMBuildCall2(cx->builder, function_type(code), function, arguments, FUNCTION_PARAMETERS, "");
    return good;
}

// ---- words

LLVMValueRef lane_word(const LaneCode *code, uint32_t word) {
    LLVMTypeRef type = code_integer_type(&code->cx, 32);
    return code_load(&code->cx, type, code_pointer_at(&code->cx, type, code->words, code_i64(&code->cx, word)), 4);
}

LLVMValueRef lane_place_word(const LaneCode *code) {
    return code->words ? lane_word(code, 0) : code_i32(&code->cx, (int32_t)code->place);
}

void lane_open_shapes(LaneCode *code) {
    LLVMTypeRef type = LLVMArrayType2(code_integer_type(&code->cx, 32), 0);
    code->module->shapes.table = LLVMAddGlobal(code->cx.module, type, "congruent.words.to_come");
}

void lane_close_shapes(LaneCode *code) {
    NumericContext *cx = &code->cx;
    struct LaneShapes *shapes = &code->module->shapes;
    LLVMTypeRef word = code_integer_type(cx, 32);
    LLVMValueRef *items = arena_array(code->module->arena, LLVMValueRef, shapes->word_count + 1);
    for (size_t i = 0; i < shapes->word_count; i++) items[i] = code_i32(cx, (int32_t)shapes->words[i]);
    LLVMValueRef value = LLVMConstArray2(word, items, shapes->word_count);
    LLVMValueRef table = LLVMAddGlobal(cx->module, LLVMTypeOf(value), "congruent.words");
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, 4);
    LLVMReplaceAllUsesWith(shapes->table, table);
    LLVMDeleteGlobal(shapes->table);
    buffer_free(&shapes->key);
}
