// SPDX-License-Identifier: Apache-2.0
// Functions of instructions. A kernel has a thousand instructions, but they have less than a hundred shapes: a shape is
// what an emitter can see of an instruction, but for the numbers of registers, literals, offsets of addresses and its
// place. Each shape becomes a function, void (state, frame, lanes, words). An instruction is a number of words:
//
//   WORD_SHAPE, WORD_COUNT, WORD_PLACE   the number of the shape; how many words these are; the place
//   the others                           where a register is in the frame; a literal or the offset of an address: two
//
// The words of all instructions of a module are one table. A function runs those of neighbours, one after the other.
#include "compiler/warp/lane_emitters.h"
#include "compiler/warp/lane_floats.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_SHAPE, WORD_COUNT, WORD_PLACE };
enum { STATE, FRAME, LANES, WORDS, SHAPE_PARAMETERS, END = SHAPE_PARAMETERS, RUN_PARAMETERS };

// Of the function of a shape, or, with one parameter more, of that which runs instructions: to where.
static LLVMTypeRef function_type(const LaneCode *code, unsigned parameters) {
    LLVMContextRef context = code->cx.context;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef types[RUN_PARAMETERS] = {pointer, pointer, LLVMInt32TypeInContext(context), pointer, pointer};
    return LLVMFunctionType(LLVMVoidTypeInContext(context), types, parameters, false);
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
    bool any_literal;    // literals are words
    uint32_t *registers; // that have a word
    struct LaneNumber *numbers;
    uint32_t register_count, number_count;
} Reader;

// Emitters that look at literals with lane_read only.
static LaneEmitter *const literal_readers[] = {
    lane_emit_add, lane_emit_sub, lane_emit_mul, lane_emit_mad,  lane_emit_div,  lane_emit_rem, lane_emit_min,
    lane_emit_max, lane_emit_and, lane_emit_or,  lane_emit_xor,  lane_emit_shl,  lane_emit_shr, lane_emit_bfe,
    lane_emit_bfi, lane_emit_mov, lane_emit_set, lane_emit_setp, lane_emit_selp,
};

static bool reads_any_literal(const PtxInstruction *instruction) {
    LaneEmitter *emit = lane_lowering(instruction->op)->emit;
    for (size_t i = 0; i < BASE_COUNT(literal_readers); i++)
        if (literal_readers[i] == emit) return true;
    return false;
}

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

static void add_number_words(Reader *reader, const PtxOperand *operand, uint64_t value) {
    const uint32_t word = add_word(reader, (uint32_t)value);
    add_word(reader, (uint32_t)(value >> 32));
    reader->numbers[reader->number_count++] = (struct LaneNumber){operand, word};
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
    add_number(reader, 'k', operand->kind);
    if (operand->kind == PTX_INTEGER && reader->any_literal) {
        add_number_words(reader, operand, operand->bits);
        return;
    }
    // Bytes of parameters are constants of the code.
    const PtxOperand *base = operand->kind == PTX_ADDRESS ? &operand->items[0] : NULL;
    const bool parameter = base && base->kind == PTX_VARIABLE && !base->global &&
                           reader->code->function->variables[base->index].space == PTX_PARAMETER;
    add_number(reader, 'b', operand->bits);
    add_number(reader, 'i', (uint64_t)operand->index << 2 | (unsigned)operand->negated << 1 | operand->global);
    if (base && !parameter)
        add_number_words(reader, operand, (uint64_t)operand->offset);
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
    reader->numbers = arena_array(code->module->arena, struct LaneNumber, most);
    reader->any_literal = reads_any_literal(instruction);
    reader->shapes->key.size = 0;
    add_word(reader, 0);
    add_word(reader, 0);
    add_word(reader, code->place);
    add_number(reader, 'O', instruction->op);
    add_number(reader, 'R', instruction->form);
    if (instruction->guard.kind != PTX_NONE) read_operand(reader, &instruction->guard, false);
    add_number(reader, 'G', instruction->guard.kind != PTX_NONE);
    for (uint32_t i = 0; i < instruction->word_count; i++) add_number(reader, '.', instruction->words[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        read_operand(reader, &instruction->operands[i], ptx_writes(instruction, i));
    if (lane_is_exponential(code, instruction, &x, &negated)) {
        add_number(reader, 'e', negated);
        read_register(reader, x->index, false);
    }
    add_number(reader, 'v', lane_is_validated(code, instruction));
    if (instruction->op == PTX_OP_mbarrier_try_wait || instruction->op == PTX_OP_mbarrier_test_wait)
        add_number(reader, 'u', lane_is_wait_read(code, instruction));
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
    code.state = LLVMGetParam(function, STATE);
    code.frame = LLVMGetParam(function, FRAME);
    code.words = LLVMGetParam(function, WORDS);
    code.numbers = reader->numbers;
    code.number_count = reader->number_count;
    code.known = NULL;
    code.known_count = code.known_capacity = 0;
    lane_open_slots(&code);
    code.mask_bits = LLVMGetParam(function, LANES);
    if (instruction->guard.kind != PTX_NONE)
        code.mask_bits = LLVMBuildAnd(code.cx.builder, code.mask_bits, lane_read_guard(&code, &instruction->guard), "");
    code.mask = lane_mask_of_bits(&code, code.mask_bits);
    const bool good = lane_lowering(instruction->op)->emit(&code, instruction);
    LLVMBuildRetVoid(code.cx.builder);
    lane_close_slots(&code);
    lane_forget_registers(&code);
    return good;
}

#ifndef NDEBUG
// Behind the name of the function; numbers of globals count as equal.
static bool is_same_text(const char *a, const char *b) {
    for (a = strchr(a, '('), b = strchr(b, '('); a && b && *a && *a == *b; a++, b++) {
        if (*a != '@') continue;
        while (isdigit((unsigned char)a[1])) a++;
        while (isdigit((unsigned char)b[1])) b++;
    }
    return a && b && *a == *b;
}

// Whether the instruction, emitted on its own, is the function of its shape: nothing that emitters see is missing in
// the shape's text. Builds with assertions look at each instruction.
static bool is_own_code(const Reader *reader, const PtxInstruction *instruction, LLVMValueRef function) {
    LaneCode *code = reader->code;
    CodeShared shared;
    const bool opened =
        code_shared_open(&code->cx, "congruent.shape.again", function_type(code, SHAPE_PARAMETERS), &shared);
    if (!opened || !build_function(reader, instruction, shared.function)) return false;
    code_shared_close(&code->cx, &shared);
    char *own = LLVMPrintValueToString(shared.function), *shapes = LLVMPrintValueToString(function);
    const bool same = is_same_text(own, shapes);
    if (!same) fprintf(stderr, "%s\n%s\n", own, shapes);
    LLVMDisposeMessage(own);
    LLVMDisposeMessage(shapes);
    LLVMDeleteFunction(shared.function);
    return same;
}
#endif

// The number of the shape.
static bool find_function(const Reader *reader, const PtxInstruction *instruction, uint32_t *number) {
    LaneCode *code = reader->code;
    struct LaneShapes *shapes = reader->shapes;
    uint64_t found = shapes->function_count;
    CodeShared shared;
    bool good = true;
    if (!map_find(&shapes->numbers, shapes->key.data, &found)) {
        map_insert(&shapes->numbers, code->module->arena, shapes->key.data, found);
        shapes->functions = arena_grow(code->module->arena, shapes->functions, shapes->function_count,
                                       &shapes->function_capacity, sizeof *shapes->functions);
        const char *name = arena_format(code->module->arena, "congruent.shape.%u", (unsigned)found);
        if (code_shared_open(&code->cx, name, function_type(code, SHAPE_PARAMETERS), &shared)) {
            good = build_function(reader, instruction, shared.function);
            code_shared_close(&code->cx, &shared);
        }
        shapes->functions[shapes->function_count++] = shared.function;
    } else {
        assert(is_own_code(reader, instruction, shapes->functions[found]));
    }
    *number = (uint32_t)found;
    return good;
}

bool lane_add_shape(LaneCode *code, const PtxInstruction *instruction) {
    struct LaneShapes *shapes = &code->module->shapes;
    Reader reader = {.code = code, .shapes = shapes, .first = shapes->word_count};
    read_shape(&reader, instruction);
    const bool good = find_function(&reader, instruction, &shapes->words[reader.first + WORD_SHAPE]);
    shapes->words[reader.first + WORD_COUNT] = (uint32_t)(shapes->word_count - reader.first);
    for (uint32_t i = 0; i < reader.register_count; i++) code->plan.registers[reader.registers[i]].word = 0;
    return good;
}

// ---- words

static LLVMValueRef load_word(const LaneCode *code, LLVMValueRef words, uint32_t word) {
    LLVMTypeRef type = code_integer_type(&code->cx, 32);
    return code_load(&code->cx, type, code_pointer_at(&code->cx, type, words, code_i64(&code->cx, word)), 4);
}

LLVMValueRef lane_word(const LaneCode *code, uint32_t word) {
    return load_word(code, code->words, word);
}

LLVMValueRef lane_place_word(const LaneCode *code) {
    return code->words ? lane_word(code, WORD_PLACE) : code_i32(&code->cx, (int32_t)code->place);
}

LLVMValueRef lane_number(const LaneCode *code, const PtxOperand *operand, unsigned bits) {
    const NumericContext *cx = &code->cx;
    uint32_t i = 0;
    while (i < code->number_count && code->numbers[i].operand != operand) i++;
    if (!code->words || i == code->number_count) return NULL;
    LLVMTypeRef word = code_integer_type(cx, 32), whole = code_integer_type(cx, 64);
    LLVMValueRef at = code_pointer_at(cx, word, code->words, code_i64(cx, code->numbers[i].word));
    return LLVMBuildTrunc(cx->builder, code_load(cx, whole, at, 4), code_integer_type(cx, bits), "");
}

// ---- running

// Calls the functions of instructions from WORDS to END.
static void build_run(const LaneCode *code, LLVMValueRef function) {
    const NumericContext *cx = &code->cx;
    LLVMBuilderRef builder = cx->builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0), word = code_integer_type(cx, 32);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), loop = code_block(cx, "loop"), end = code_block(cx, "end");
    LLVMValueRef arguments[SHAPE_PARAMETERS];
    for (unsigned i = 0; i < SHAPE_PARAMETERS; i++) arguments[i] = LLVMGetParam(function, i);
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    LLVMValueRef words = LLVMBuildPhi(builder, pointer, "");
    LLVMAddIncoming(words, &arguments[WORDS], &before, 1);
    LLVMValueRef number = LLVMBuildZExt(builder, load_word(code, words, WORD_SHAPE), code_integer_type(cx, 64), "");
    LLVMValueRef at = code_pointer_at(cx, pointer, code->module->shapes.function_table, number);
    arguments[WORDS] = words;
    LLVMBuildCall2(builder, function_type(code, SHAPE_PARAMETERS), code_load(cx, pointer, at, 8), arguments,
                   SHAPE_PARAMETERS, "");
    LLVMValueRef count = LLVMBuildZExt(builder, load_word(code, words, WORD_COUNT), code_integer_type(cx, 64), "");
    LLVMValueRef next = code_pointer_at(cx, word, words, count);
    LLVMAddIncoming(words, &next, &loop, 1);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, next, LLVMGetParam(function, END), ""), end, loop);
    LLVMPositionBuilderAtEnd(builder, end);
    LLVMBuildRetVoid(builder);
}

static LLVMValueRef word_at(const LaneCode *code, size_t index) {
    LLVMValueRef number = code_i64(&code->cx, (int64_t)index);
    return LLVMConstInBoundsGEP2(code_integer_type(&code->cx, 32), code->module->shapes.word_table, &number, 1);
}

void lane_run_shapes(LaneCode *code) {
    NumericContext *cx = &code->cx;
    const struct LaneShapes *shapes = &code->module->shapes;
    CodeShared shared;
    if (code->run_first == shapes->word_count) return;
    LLVMTypeRef type = function_type(code, RUN_PARAMETERS);
    if (code_shared_open(cx, "congruent.run", type, &shared)) {
        build_run(code, shared.function);
        code_shared_close(cx, &shared);
    }
    LLVMValueRef arguments[RUN_PARAMETERS] = {code->state, code->frame, code->active_bits,
                                              word_at(code, code->run_first), word_at(code, shapes->word_count)};
    LLVMBuildCall2(cx->builder, type, shared.function, arguments, RUN_PARAMETERS, "");
    code->run_first = shapes->word_count;
}

// ---- tables

static LLVMValueRef open_table(const LaneCode *code, LLVMTypeRef element, const char *name) {
    return LLVMAddGlobal(code->cx.module, LLVMArrayType2(element, 0), name);
}

static void close_table(const LaneCode *code, LLVMValueRef opened, LLVMTypeRef element, LLVMValueRef *items,
                        size_t count, unsigned alignment) {
    LLVMValueRef value = LLVMConstArray2(element, items, count);
    LLVMValueRef table = LLVMAddGlobal(code->cx.module, LLVMTypeOf(value), "");
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, alignment);
    LLVMReplaceAllUsesWith(opened, table);
    LLVMDeleteGlobal(opened);
}

void lane_open_shapes(LaneCode *code) {
    struct LaneShapes *shapes = &code->module->shapes;
    shapes->function_table = open_table(code, LLVMPointerTypeInContext(code->cx.context, 0), "congruent.shapes");
    shapes->word_table = open_table(code, code_integer_type(&code->cx, 32), "congruent.words");
}

void lane_close_shapes(LaneCode *code) {
    NumericContext *cx = &code->cx;
    struct LaneShapes *shapes = &code->module->shapes;
    LLVMValueRef *items = arena_array(code->module->arena, LLVMValueRef, shapes->word_count + 1);
    for (size_t i = 0; i < shapes->word_count; i++) items[i] = code_i32(cx, (int32_t)shapes->words[i]);
    close_table(code, shapes->word_table, code_integer_type(cx, 32), items, shapes->word_count, sizeof(uint32_t));
    close_table(code, shapes->function_table, LLVMPointerTypeInContext(cx->context, 0), shapes->functions,
                shapes->function_count, sizeof(void *));
}
