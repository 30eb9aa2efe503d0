// SPDX-License-Identifier: Apache-2.0
// Ops, values, attributes, constants, globals and debug information in hand-made bytecode.
#include "tests/tileir/read_encode.h"

#include <stdio.h>
#include <stdlib.h>

static TirOp *op_at(const TirModule *module, uint32_t number) {
    TirOp *op = module->functions[0].body.first->first;
    while (op && number--) op = op->next;
    cr_assert(op);
    return op;
}

// A file of this version whose one function has these body bytes, refused in section Func.
static void refuse_body(uint8_t minor, ErrorCode code, const char *part, const uint8_t *body, size_t size) {
    EncFile file;
    file_open(&file, minor);
    ADD(&file.constants, 4, 1, 0, 0, 0);
    ADD(&file.constants, 1, 0xff);
    add_string(&file, "key");
    add_function(&file, T_ENTRY, 0, body, size);
    file_refuse(&file, code, "Func", part);
}
#define BODY_FAILS(minor, code, part, ...)                                                                             \
    refuse_body(minor, code, part, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static TirModule *expect_body(uint8_t minor, const uint8_t *body, size_t size) {
    EncFile file;
    file_open(&file, minor);
    ADD(&file.constants, 4, 1, 0, 0, 0);
    ADD(&file.constants, 1, 0xff);
    add_string(&file, "key");
    add_function(&file, T_ENTRY, 0, body, size);
    return file_expect(&file);
}
#define BODY(minor, ...) expect_body(minor, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define ONE              0x10, T_TILE_I32, 0 // %n = constant, of table item 0
#define TRUE             0x10, T_TILE_I1, 1

// ---- ops ----------------------------------------

Test(read_ops, opcodes) {
    BODY_FAILS(1, E_BYTECODE, "opcode 0x19 is not an operation", 0x19);
    BODY_FAILS(1, E_BYTECODE, "opcode 0x16 is not an operation", 0x16);
    BODY_FAILS(1, E_BYTECODE, "opcode 0x31 is not an operation", 0x31);
    BODY_FAILS(1, E_BYTECODE, "opcode 0x4b is not an operation", 0x4b);
    BODY_FAILS(3, E_BYTECODE, "opcode 0x3000 is not an operation", 0x80, 0x60);
    BODY_FAILS(3, E_BYTECODE, "opcode 0xffffffffffffffff", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
    BODY_FAILS(1, E_VERSION, "atan2 needs version 13.2, the file is 13.1", 0x6e);
    BODY_FAILS(2, E_VERSION, "pack needs version 13.3, the file is 13.2", 0x6f);
    BODY_FAILS(3, E_VERSION, "insert needs version 13.4", 0x76);
    BODY_FAILS(3, E_VERSION, "memory_fence_alias_tko needs version 13.4", 0x7a);
    BODY_FAILS(4, E_VERSION, "multimem_load_reduce_view_tko needs version 13.5", 0x7b);
    BODY_FAILS(4, E_VERSION, "preview$call is a preview feature (--preview)", 0x82, 0x80, 0x01);
    BODY_FAILS(5, E_VERSION, "preview$call is a preview feature (--preview)", 0x82, 0x80, 0x01);
}

Test(read_ops, unknown_flag_bits_mean_nothing) {
    TirModule *module =
        BODY(1, 0x10, T_TILE_F32, 0, 0x02, T_TILE_F32, /* flags */ 0xff, 0x01, /* rounding */ 1, 0, 0, RETURN); // addf
    TirOp *add = op_at(module, 1);
    cr_assert(tir_attribute(add, "ftz") && tir_attribute_integer(add, "rounding") == TIR_rounding_zero);
    cr_assert(tir_operand(add, "lhs") == 0 && tir_operand(add, "rhs") == 0);
    tir_module_close(module);
}

Test(read_ops, flags_and_attributes_come_with_their_version) {
    // mmaf has flags from 13.3 on, negi an overflow attribute from 13.2 on
    TirModule *module = BODY(1, ONE, 0x50, T_TILE_I32, 0, RETURN);
    cr_assert(!tir_attribute(op_at(module, 1), "overflow") &&
              tir_attribute_integer(op_at(module, 1), "overflow") == TIR_overflow_none);
    tir_module_close(module);
    module = BODY(2, ONE, 0x50, T_TILE_I32, 1, 0, RETURN);
    cr_assert_eq(tir_attribute_integer(op_at(module, 1), "overflow"), TIR_overflow_no_signed_wrap);
    tir_module_close(module);
    BODY_FAILS(2, E_BYTECODE, "overflow is 4, expected 0 to 3", ONE, 0x50, T_TILE_I32, 4, 0);
    module = BODY(2, ONE, 0x49, T_TILE_F32, 0, 0, 0, RETURN);
    cr_assert_null(tir_attribute(op_at(module, 1), "fast_acc"));
    tir_module_close(module);
    module = BODY(3, ONE, 0x49, T_TILE_F32, 1, 0, 0, 0, RETURN);
    cr_assert_not_null(tir_attribute(op_at(module, 1), "fast_acc"));
    tir_module_close(module);
    BODY_FAILS(3, E_VERSION, "rounding 'nearest_away' needs version 13.4, the file is 13.3", 0x10, T_TILE_F32, 0, 0x2a,
               T_TILE_F32, 7, 0, RETURN);
    module = BODY(4, 0x10, T_TILE_F32, 0, 0x2a, T_TILE_F32, 7, 0, RETURN);
    cr_assert_eq(tir_attribute_integer(op_at(module, 1), "rounding"), TIR_rounding_nearest_away);
    tir_module_close(module);
}

Test(read_ops, result_and_operand_counts) {
    BODY_FAILS(1, E_BYTECODE, "ends before the number of results", 0x5c);
    BODY_FAILS(1, E_BYTECODE, "ends inside an opcode", 0x80);
    BODY_FAILS(1, E_BYTECODE, "return has 1 results, expected 0", 0x5c, 1, T_TOKEN, 0);
    BODY_FAILS(1, E_BYTECODE, "print_tko has 1 results, expected 0", 0x55, 1, T_TOKEN, 1, 0);
    BODY_FAILS(2, E_BYTECODE, "print_tko has 0 results, expected 1", 0x55, 0, 0, 1, 0);
    BODY_FAILS(1, E_BYTECODE, "for has 2 operands, expected 3 or more", ONE, 0x29, 0, 2, 0, 0);
    BODY_FAILS(1, E_BYTECODE, "the number of operands is 200, but only 0 bytes are left", 0x5c, 0, 0xc8, 0x01);
    BODY_FAILS(1, E_BYTECODE, "the type of a result is type 77, but there are 10", 0x44, 77);
    BODY_FAILS(1, E_BYTECODE, "operand lhs of addi is value 1, but only 1 are defined here", ONE, 0x03, T_TILE_I32, 0,
               1, 0);
    BODY_FAILS(1, E_BYTECODE, "operand lhs of addi is value 0, but only 0 are defined here", 0x03, T_TILE_I32, 0, 0, 0);
    BODY_FAILS(1, E_BYTECODE, "ends before an operand", ONE, 0x03, T_TILE_I32, 0, 0);
}

Test(read_ops, segments) {
    // load_ptr_tko with mask and token but without scope, hints and padding
    EncFile file;
    file_open(&file, 1);
    ADD(&file.types, 12, T_F32);                        // 10
    ADD(&file.types, 13, 10, 0);                        // 11: tile<ptr<f32>>
    ADD(&file.types, 16, 3, 11, T_TILE_I1, T_TOKEN, 0); // 12
    const uint8_t body[] = {0x3d, T_TILE_F32, T_TOKEN, 0x14, /* weak */ 0, 0, 1, 2, RETURN};
    add_function(&file, 12, 0, body, sizeof body);
    TirModule *module = file_expect(&file);
    TirOp *load = op_at(module, 0);
    cr_assert(tir_operand(load, "source") == 0 && tir_operand(load, "mask") == 1 && tir_operand(load, "token") == 2);
    cr_assert_eq(tir_operand(load, "padding"), TIR_NO_VALUE);
    cr_assert(!tir_attribute(load, "scope") && !tir_attribute(load, "hints") && tir_attribute(load, "ordering"));
    tir_module_close(module);
}

// ---- values and regions ----------------------------------------

// In the file the two branches use the same numbers; the results of `if` come after its regions.
Test(read_ops, value_numbers_fall_back_at_the_end_of_a_block) {
    TirModule *module = BODY(1, TRUE,                                // 0: the condition
                             0x32, 2, T_TILE_I32, T_TILE_I32, 0,     // 1, 2: if
                             2, 1, 0, 3, ONE, ONE, 0x6d, 0, 2, 1, 2, // then: yield 1, 2 of its own
                             1, 0, 2, ONE, 0x6d, 0, 2, 1, 1,         // else: yield 1, 1 of its own
                             0x03, T_TILE_I32, 0, 1, 2,              // 3: addi of the results
                             RETURN);
    const TirFunction *function = &module->functions[0];
    TirOp *branch = op_at(module, 1), *add = op_at(module, 2);
    const TirBlock *then = branch->regions[0].first, *other = branch->regions[1].first;
    cr_assert(add->operands[0] == branch->first_result && add->operands[1] == branch->first_result + 1);
    cr_assert_eq(then->last->operands[0], then->first->first_result);
    cr_assert_eq(then->last->operands[1], then->first->next->first_result);
    cr_assert(other->last->operands[0] == other->first->first_result &&
              other->last->operands[1] == other->first->first_result);
    cr_assert_neq(then->first->first_result, other->first->first_result);
    cr_assert_eq(function->op_count, 9);
    uint32_t numbers[] = {branch->number, then->first->number, then->last->number, other->first->number, add->number};
    for (size_t i = 1; i < BASE_COUNT(numbers); i++) cr_assert_lt(numbers[i - 1], numbers[i]);
    tir_module_close(module);
    // What a branch defines is not seen behind it.
    BODY_FAILS(1, E_BYTECODE, "is value 1, but only 1 are defined", TRUE, 0x32, 0, 0, 2, 1, 0, 2, ONE, 0x6d, 0, 0, 0,
               0x03, T_TILE_I32, 0, 1, 1);
}

Test(read_ops, regions) {
    TirModule *module = BODY(1, TRUE, 0x32, 0, 0, 2, 1, 0, 1, 0x6d, 0, 0, 0, RETURN); // else without a block
    TirOp *branch = op_at(module, 1);
    cr_assert(branch->regions[0].block_count == 1 && branch->regions[1].block_count == 0 && !branch->regions[1].first);
    tir_module_close(module);
    BODY_FAILS(1, E_BYTECODE, "if has 1 regions, expected 2", TRUE, 0x32, 0, 0, 1, 0);
    BODY_FAILS(1, E_BYTECODE, "the number of blocks is 3, but only 2 bytes are left", TRUE, 0x32, 0, 0, 2, 3, 0, 0);
    BODY_FAILS(1, E_BYTECODE, "the number of block arguments is 9", 0x41, 0, 0, 1, 1, 9, 0);
    module = BODY(1, ONE, 0x41, 0, 1, 0, 1, 1, 1, T_TILE_I32, 1, 0x0a, 0, 0, RETURN); // loop with one carried value
    TirOp *loop = op_at(module, 1);
    cr_assert(loop->regions[0].first->argument_count == 1 && loop->regions[0].first->last->kind == TIR_OP_break);
    tir_module_close(module);
}

static void nest_ifs(EncFile *file, int depth) {
    Buffer body = {0};
    PUT(&body, 0x10, T_TILE_I1, 0);
    for (int i = 0; i < depth; i++) PUT(&body, 0x32, 0, 0, 2, 1, 0, 1);
    for (int i = 0; i < depth; i++) PUT(&body, 0);
    file_open(file, 1);
    ADD(&file->constants, 1, 1);
    Buffer inner = {0}; // the innermost block holds a yield
    buffer_append(&inner, body.data, body.size - (size_t)depth);
    PUT(&inner, 0x6d, 0, 0);
    buffer_append(&inner, body.data + body.size - (size_t)depth, (size_t)depth);
    PUT(&inner, RETURN);
    add_function(file, T_ENTRY, 0, inner.data, inner.size);
    buffer_free(&body);
    buffer_free(&inner);
}

Test(read_ops, nesting_is_bounded) {
    EncFile file;
    nest_ifs(&file, TIR_NESTING_MAX);
    tir_module_close(file_expect(&file));
    nest_ifs(&file, TIR_NESTING_MAX + 1);
    file_refuse(&file, E_LIMIT, "Func", "nested more than 256 deep");
    nest_ifs(&file, 100000);
    file_refuse(&file, E_LIMIT, "Func", "nested more than 256 deep");
}

// ---- attributes ----------------------------------------

#define ASSUME(...) ONE, 0x06, T_TILE_I32, __VA_ARGS__, 0, RETURN
static const TirAttribute *predicate(const TirModule *module) {
    return tir_attribute(op_at(module, 1), "predicate");
}

Test(read_ops, assume_predicates) {
    TirModule *module = BODY(1, ASSUME(8, 0x80, 0x02, 3, 8, 1)); // div_by<256, every 4 along -1>
    const int64_t *numbers = predicate(module)->numbers;
    cr_assert(numbers[0] == 256 && numbers[1] == 4 && numbers[2] == -1 && predicate(module)->flags == 3);
    tir_module_close(module);
    module = BODY(1, ASSUME(9, 2, 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0));
    cr_assert(predicate(module)->length == 2 && predicate(module)->numbers[1] == 4 &&
              predicate(module)->tag == TIR_TAG_SAME_ELEMENTS);
    tir_module_close(module);
    module = BODY(1, ASSUME(12, 2, 9)); // bounded<?, -5>
    cr_assert(predicate(module)->flags == 2 && predicate(module)->numbers[1] == -5);
    tir_module_close(module);
    module = BODY(1, ASSUME(12, 0x82, 0x00, 9)); // the flags are a varint
    cr_assert(predicate(module)->flags == 2 && predicate(module)->numbers[1] == -5);
    tir_module_close(module);
    BODY_FAILS(1, E_BYTECODE, "attribute tag 7, expected 1 to 6 or 8 to 13", ONE, 0x06, T_TILE_I32, 7, 0);
    BODY_FAILS(1, E_VERSION, "attribute tag 13 needs version 13.5, the file is", ONE, 0x06, T_TILE_I32, 13, 0);
    BODY_FAILS(1, E_BYTECODE, "attribute tag 14", ONE, 0x06, T_TILE_I32, 14, 0);
    BODY_FAILS(1, E_BYTECODE, "the length of a list is 9", ONE, 0x06, T_TILE_I32, 9, 9, 0);
}

Test(read_ops, tagged_numbers) {
    TirModule *module = BODY(1, ASSUME(1, T_I32, 0xff, 0xff, 0xff, 0xff, 0x0f));
    cr_assert(predicate(module)->tag == TIR_TAG_INTEGER && predicate(module)->integer == 0xffffffff);
    tir_module_close(module);
    module = BODY(1, ASSUME(1, T_I1, 2)); // a bool as i1
    cr_assert_eq(predicate(module)->integer, 1);
    tir_module_close(module);
    module = BODY(1, ASSUME(2, T_F32, 0x80, 0x80, 0x80, 0xf8, 0x07)); // zigzag of 0x3f800000
    cr_assert(predicate(module)->tag == TIR_TAG_FLOAT && predicate(module)->integer == 0x3f800000);
    tir_module_close(module);
    module = BODY(1, ASSUME(10, 2, 1, 5, 1, 0, 4, T_F32)); // {key = "key", kernel = f32}
    cr_assert(predicate(module)->length == 2 && !strcmp(predicate(module)->entries[0].value.text, "key"));
    cr_assert_eq(predicate(module)->entries[1].value.tag, TIR_TAG_TYPE);
    tir_module_close(module);
    BODY_FAILS(1, E_BYTECODE, "value 0x1ffffffff does not fit i32", ONE, 0x06, T_TILE_I32, 1, T_I32, 0xff, 0xff, 0xff,
               0xff, 0x1f, 0);
    BODY_FAILS(1, E_BYTECODE, "an attribute of type f32, expected an integer", ONE, 0x06, T_TILE_I32, 1, T_F32, 0);
    BODY_FAILS(1, E_BYTECODE, "an attribute of type i32, expected a float", ONE, 0x06, T_TILE_I32, 2, T_I32, 0);
}

// -inf of f64 in 10 bytes, as a writer of 64-bit numbers has it, and as cuTile writes it (bits << 1 beyond 64 bits,
// which drops the sign).
Test(read_ops, ten_byte_floats) {
    static const struct {
        uint8_t bytes[10];
        uint64_t bits;
    } cases[] = {{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9f, 0x00}, 0},
                 {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xf0, 0xff, 0x03}, 0x7ff0000000000000}};
    EncFile file;
    file_open(&file, 1);
    uint32_t f64 = ADD(&file.types, 9);
    ADD(&file.constants, 4, 1, 0, 0, 0);
    Buffer body = {0};
    PUT(&body, ONE, 0x06, T_TILE_I32, 2);
    put_varint(&body, f64);
    put_varint(&body, ~(uint64_t)0xfff0000000000000 << 1 | 1); // zigzag of the bits as a negative number
    PUT(&body, 0, 0x06, T_TILE_I32, 2);
    put_varint(&body, f64);
    buffer_append(&body, cases[1].bytes, 10);
    PUT(&body, 0, RETURN);
    add_function(&file, T_ENTRY, 0, body.data, body.size);
    buffer_free(&body);
    TirModule *module = file_expect(&file);
    cr_assert_eq(tir_attribute(op_at(module, 1), "predicate")->integer, 0xfff0000000000000);
    cr_assert_eq(tir_attribute(op_at(module, 2), "predicate")->integer, cases[1].bits);
    tir_module_close(module);
}

Test(read_ops, arrays) {
    // reduce without operands, dim 0, identities [true]
    TirModule *module = BODY(1, 0x58, 0, 0, 1, 3, 1, 0, 1, 1, 0, 1, 0x6d, 0, 0, RETURN);
    const TirAttribute *identities = tir_attribute(op_at(module, 0), "identities");
    cr_assert(identities->length == 1 && identities->items[0].tag == TIR_TAG_BOOL && identities->items[0].integer == 1);
    tir_module_close(module);
    BODY_FAILS(1, E_BYTECODE, "attribute tag 14", 0x58, 0, 0, 1, 14, 0, 0, 0, 0);
    // 16 arrays in each other, then one more
    BODY_FAILS(1, E_BYTECODE, "nested too deeply", 0x58, 0, 0, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1,
               6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 0, 0);
    BODY_FAILS(1, E_BYTECODE, "the length of an array attribute is 100", 0x58, 0, 0, 100, 5, 0, 0, 0, 0);
}

Test(read_ops, dictionaries) {
    BODY_FAILS(1, E_BYTECODE, "key 'key' is twice in a dictionary", ONE, 0x06, T_TILE_I32, 10, 2, 1, 3, 1, 1, 3, 1, 0);
    BODY_FAILS(1, E_BYTECODE, "optimization hint 'key' has tag 3, expected a dictionary", ONE, 0x06, T_TILE_I32, 11, 1,
               1, 3, 1, 0);
    EncFile file; // more keys than are compared one by one
    for (int twice = 0; twice < 2; twice++) {
        file_open(&file, 1);
        ADD(&file.constants, 4, 1, 0, 0, 0);
        Buffer body = {0};
        PUT(&body, ONE, 0x06, T_TILE_I32, 10, 100);
        for (int i = 0; i < 100; i++) {
            char key[16];
            snprintf(key, sizeof key, "key%d", twice && i == 99 ? 1 : i);
            put_varint(&body, add_string(&file, key));
            PUT(&body, 3, 1);
        }
        PUT(&body, 0, RETURN);
        add_function(&file, T_ENTRY, 0, body.data, body.size);
        buffer_free(&body);
        if (twice) {
            file_refuse(&file, E_BYTECODE, "Func", "key 'key1' is twice");
            continue;
        }
        TirModule *module = file_expect(&file);
        cr_assert(predicate(module)->length == 100 && !strcmp(predicate(module)->entries[99].name, "key99"));
        tir_module_close(module);
    }
}

Test(read_ops, attribute_nesting_is_bounded) {
    uint8_t body[6 + 4 * 1000] = {ONE, 0x06, T_TILE_I32};
    size_t size = 5;
    for (int i = 0; i < 1000; i++) {
        memcpy(body + size, (uint8_t[]){10, 1, 1}, 3);
        size += 3;
    }
    refuse_body(1, E_BYTECODE, "nested too deeply", body, size);
}

// ---- constants and globals ----------------------------------------

// A constant of `size` bytes as the type; refused unless `fits`.
static void check_constant(uint32_t type, size_t size, bool fits) {
    EncFile file;
    file_open(&file, 1);
    Buffer item = {0};
    put_varint(&item, size);
    for (size_t i = 0; i < size; i++) put_byte(&item, (uint8_t)(i + 1));
    add_item(&file.constants, item.data, item.size);
    buffer_free(&item);
    const uint8_t body[] = {0x10, (uint8_t)type, 0, RETURN};
    add_function(&file, T_ENTRY, 0, body, sizeof body);
    if (!fits) {
        file_refuse(&file, E_BYTECODE, "Func", "bytes, expected");
        return;
    }
    TirModule *module = file_expect(&file);
    const TirConstant *constant = &tir_attribute(op_at(module, 0), "value")->constant;
    cr_assert(constant->size == size && constant->index == 0);
    for (size_t i = 0; i < size; i++) cr_assert_eq(constant->bytes[i], i + 1);
    tir_module_close(module);
}

Test(read_ops, constants_are_all_elements_or_one) {
    for (size_t size = 0; size <= 20; size++) {
        check_constant(T_TILE_I32, size, size == 4);
        check_constant(T_TILE_4_F32, size, size == 4 || size == 16);
        check_constant(T_TILE_I1, size, size == 1);
        check_constant(T_TILE_16_I1, size, size == 1 || size == 2); // packed, 8 to a byte
    }
}

Test(read_ops, constants_need_a_tile_of_numbers) {
    BODY_FAILS(1, E_BYTECODE, "a constant of token, expected a tile", 0x10, T_TOKEN, 0);
    BODY_FAILS(1, E_BYTECODE, "constant 3 is used, but there are 2", 0x10, T_TILE_I32, 3);
    EncFile file;
    file_open(&file, 3);
    ADD(&file.constants, 1, 1);
    ADD(&file.types, 22);
    uint32_t tile = ADD(&file.types, 13, 10, 0);
    const uint8_t body[] = {0x10, (uint8_t)tile, 0, RETURN};
    add_function(&file, T_ENTRY, 0, body, sizeof body);
    file_refuse(&file, E_BYTECODE, "Func", "a constant of i4 elements");
}

static void open_global(EncFile *file, uint8_t minor) {
    file_open(file, minor);
    FUNCTION(file, RETURN);
    ADD(&file->constants, 4, 1, 0, 0, 0);
    add_string(file, "table");
    memcpy(file->order, (uint8_t[]){GLOBAL, FUNC, CONSTANT, TYPE, STRING}, 5);
    file->global_count = 1;
}

Test(read_ops, globals) {
    EncFile file;
    open_global(&file, 1);
    PUT(&file.globals, 1, T_TILE_4_F32, 0, 16);
    TirModule *module = file_expect(&file);
    cr_assert(module->global_count == 1 && module->globals[0].alignment == 16 && !module->globals[0].is_private &&
              !module->globals[0].constant);
    cr_assert_str_eq(module->globals[0].name, "table");
    tir_module_close(module);
    open_global(&file, 3);
    PUT(&file.globals, 1, T_TILE_4_F32, 0, 0, 1, 1);
    module = file_expect(&file);
    cr_assert(module->globals[0].is_private && module->globals[0].constant);
    tir_module_close(module);
    open_global(&file, 3);
    PUT(&file.globals, 1, T_TILE_4_F32, 0, 0, 2, 1);
    file_refuse(&file, E_BYTECODE, "Global", "the visibility of a global is 2, expected at most 1");
    open_global(&file, 1);
    PUT(&file.globals, 1, T_TILE_F32, 0, 0);
    file_refuse(&file, E_BYTECODE, "Global", "global table is no tile of rank 1");
}

// ---- function records ----------------------------------------

Test(read_ops, function_records) {
    static const struct {
        uint8_t bytes[8], size;
        const char *error;
    } cases[] = {{{0, T_ENTRY, 2 | 1 | 0x80, 0, 3, RETURN}, 8, NULL},
                 {{0, T_ENTRY, 0, 0, 3, RETURN}, 8, "function kernel is not an entry"},
                 {{0, T_I32, 2, 0, 3, RETURN}, 8, "the type of a function is i32"},
                 {{0, T_ENTRY, 2, 0, 4, RETURN}, 8, "byte length of a function is 4"},
                 {{0, T_ENTRY, 2, 0, 2, RETURN}, 8, "ends before"},
                 {{0, T_ENTRY, 2, 1, 3, RETURN}, 8, "debug row is 1, but there are 0"},
                 {{0, T_ENTRY, 6, 0, 3, 1, 3, 0}, 8, "the hints of an entry have tag 3"},
                 {{9, T_ENTRY, 2, 0, 3, RETURN}, 8, "is string 9"}};
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        EncFile file;
        file_open(&file, 1);
        buffer_append(&file.functions, cases[i].bytes, cases[i].size);
        file.function_count = 1;
        if (cases[i].error) {
            file_refuse(&file, E_BYTECODE, "Func", cases[i].error);
            continue;
        }
        TirModule *module = file_expect(&file);
        cr_assert(module->functions[0].is_private && module->functions[0].entry);
        tir_module_close(module);
    }
}

Test(read_ops, entries_have_no_results) {
    EncFile file;
    file_open(&file, 1);
    uint32_t type = ADD(&file.types, 16, 0, 1, T_TILE_I32);
    add_function(&file, type, 0, (const uint8_t[]){RETURN}, 3);
    file_refuse(&file, E_BYTECODE, "Func", "an entry has 1 results, expected none");
}

Test(read_ops, many_functions) {
    EncFile file;
    file_open(&file, 1);
    for (int i = 0; i < 200; i++) FUNCTION(&file, RETURN);
    TirModule *module = file_expect(&file);
    cr_assert_eq(module->function_count, 200);
    cr_assert_eq(tir_op_function(module->functions[199].body.first->first), &module->functions[199]);
    tir_module_close(module);
}

// ---- debug information ----------------------------------------

// 1 file, 2 compile unit, 3 subprogram, 4 a.py:10:2, 5 lib.py:20:4, 6 unknown, 7 call site of 5 at 4, 8
// /site-packages/x.py:30, 9 call site of 8 at 7, 10 call site of 8 at 6
static void open_debug(EncFile *file) {
    file_open(file, 1);
    memcpy(file->order, (uint8_t[]){FUNC, CONSTANT, DEBUG, TYPE, STRING}, 5);
    uint8_t a = (uint8_t)add_string(file, "a.py"), lib = (uint8_t)add_string(file, "lib.py"),
            x = (uint8_t)add_string(file, "/site-packages/x.py");
    ADD(&file->debug, 2, a, x);
    ADD(&file->debug, 1, 1);
    ADD(&file->debug, 5, 1, 9, 0, 0, 2, 9);
    ADD(&file->debug, 4, 3, a, 10, 2);
    ADD(&file->debug, 4, 3, lib, 20, 4);
    ADD(&file->debug, 0);
    ADD(&file->debug, 6, 5, 4);
    ADD(&file->debug, 4, 3, x, 30, 0);
    ADD(&file->debug, 6, 8, 7);
    ADD(&file->debug, 6, 8, 6);
    ADD(&file->constants, 1, 1);
    ADD(&file->constants, 1, 1);
}

static void put_refs(EncFile *file, const uint64_t *refs, size_t count) {
    file->debug_rows[file->debug_row_count++] = (uint32_t)(file->debug_refs.size / 8);
    for (size_t i = 0; i < count; i++) put_fixed(&file->debug_refs, refs[i], 8);
}
#define REFS(file, ...) put_refs(file, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static void expect_place(const TirOp *op, const char *file, uint32_t line, uint32_t column) {
    cr_assert_eq(op->at.line, line);
    if (!line)
        cr_assert(op->at.has_offset && op->at.section && !strcmp(op->at.section, "Func"));
    else
        cr_assert(!op->at.has_offset && !strcmp(op->at.file, file) && op->at.column == column, "%s", op->at.file);
}

Test(read_ops, debug_rows_are_in_pre_order) {
    EncFile file;
    open_debug(&file);
    const uint8_t body[] = {TRUE, 0x32, 0, 0, 2, 1, 0, 1, 0x6d, 0, 0, 1, 0, 1, 0x6d, 0, 0, RETURN};
    REFS(&file, 4, 4); // another function's
    add_function(&file, T_ENTRY, 1, (const uint8_t[]){RETURN}, 3);
    REFS(&file, 4, 5, 7, 9, 10, 6); // the function, constant, if, yield, yield, return
    add_function(&file, T_ENTRY, 2, body, sizeof body);
    TirModule *module = file_expect(&file);
    const TirFunction *function = &module->functions[1];
    cr_assert(function->debug == 4 && function->at.line == 10 && !strcmp(function->at.file, "a.py"));
    const TirOp *constant = function->body.first->first, *branch = constant->next;
    expect_place(constant, "lib.py", 20, 4);
    expect_place(branch, "lib.py", 20, 4);                                       // a call site is at its callee
    expect_place(branch->regions[0].first->first, "lib.py", 20, 4);              // but not inside an installed package
    expect_place(branch->regions[1].first->first, "/site-packages/x.py", 30, 0); // unless there is nothing else
    expect_place(branch->next, NULL, 0, 0);                                      // unknown: the byte offset
    cr_assert_eq(branch->debug, 7);
    cr_assert(module->debug_count == 10 && module->debug[2].tag == 5 && module->debug[2].refs[1] == 2 &&
              module->debug[2].line == 9);
    cr_assert_str_eq(module->debug[0].linkage_name, "/site-packages/x.py");
    tir_module_close(module);
}

// As NVIDIA's reader has it: any byte but 0 is true.
Test(read_ops, bools_of_a_list) {
    EncFile file;
    file_open(&file, 4);
    ADD(&file.constants, 4, 0, 0, 0, 0);
    // load_view_tko of what is no view, which the verifier would say
    FUNCTION(&file, 0x10, T_TILE_I32, 0, 0x3e, 2, T_TILE_I32, T_TOKEN, 0, 0, 3, 255, 0, 2, 0, 1, 0, RETURN);
    TirModule *module = file_expect(&file);
    const TirAttribute *inbounds = tir_attribute(op_at(module, 1), "inbounds");
    cr_assert_eq(inbounds->length, 3);
    cr_expect(inbounds->numbers[0] == 1 && inbounds->numbers[1] == 0 && inbounds->numbers[2] == 1);
    tir_module_close(module);
}

Test(read_ops, debug_rows_that_are_wrong) {
    static const struct {
        uint64_t refs[2];
        size_t count;
        uint8_t row;
        const char *error;
    } cases[] = {{{4, 4}, 1, 1, "has no reference for this op"},
                 {{4, 11}, 2, 1, "debug reference 11, but there are 10 attributes"},
                 {{4, 4}, 2, 2, "debug row is 2, but there are 1"},
                 {{4, 3}, 2, 1, "debug reference 3 is to no location"},
                 {{1, 4}, 2, 1, "debug reference 1 is to no location"},
                 {{4, UINT64_MAX}, 2, 1, "debug reference 18446744073709551615"}};
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        EncFile file;
        open_debug(&file);
        put_refs(&file, cases[i].refs, cases[i].count);
        add_function(&file, T_ENTRY, cases[i].row, (const uint8_t[]){RETURN}, 3);
        file_refuse(&file, E_BYTECODE, "Func", cases[i].error);
    }
    EncFile file;
    open_debug(&file);
    REFS(&file, 4, 4);
    file.debug_rows[0] = 2;
    add_function(&file, T_ENTRY, 1, (const uint8_t[]){RETURN}, 3);
    file_refuse(&file, E_BYTECODE, "Func", "debug row 1 starts at reference 2, but there are 2");
}

static void check_debug(const char *error, const uint8_t *bytes, size_t size) {
    EncFile file;
    open_debug(&file);
    add_item(&file.debug, bytes, size);
    REFS(&file, 11, 11);
    add_function(&file, T_ENTRY, 1, (const uint8_t[]){RETURN}, 3);
    if (error) {
        file_refuse(&file, E_BYTECODE, "Debug", error);
        return;
    }
    TirModule *module = file_expect(&file);
    expect_place(op_at(module, 0), NULL, 0, 0);
    tir_module_close(module);
}
#define DEBUG_IS(error, ...) check_debug(error, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(read_ops, debug_attributes) {
    DEBUG_IS(NULL, 6, 11, 11); // a call site of itself: no place, and no endless search
    DEBUG_IS(NULL, 6, 6, 6);
    DEBUG_IS(NULL, 4, 3, 1, 0, 0);                // line 0 is no line
    DEBUG_IS("of the wrong kind", 4, 0, 1, 1, 1); // a location needs a scope,
    DEBUG_IS("of the wrong kind", 4, 6, 1, 1, 1);
    DEBUG_IS("of the wrong kind", 3, 3, 0, 5, 1);       // a block its file,
    DEBUG_IS("of the wrong kind", 5, 1, 9, 0, 0, 0, 9); // a subprogram its compile unit,
    DEBUG_IS("of the wrong kind", 1, 0);                // a compile unit its file
    DEBUG_IS("debug attribute tag 7, expected 0 to 6", 7);
    DEBUG_IS("a debug reference is 12, expected at most 11", 6, 12, 1);
    DEBUG_IS("debug attribute 11 refers to one of the wrong kind", 4, 1, 1, 1, 1); // scope is a file
    DEBUG_IS("debug attribute 11 refers to one of the wrong kind", 6, 3, 4);
    DEBUG_IS("a debug name is string 99", 2, 99, 0);
    DEBUG_IS("ends before a line number", 4, 3, 1);
}

Test(read_ops, long_chains_of_call_sites_end) {
    EncFile file;
    open_debug(&file);
    for (uint64_t i = 11; i < 500; i++) { // each calls the one before, callee unknown
        Buffer item = {0};
        PUT(&item, 6, 6);
        put_varint(&item, i == 11 ? 4 : i - 1);
        add_item(&file.debug, item.data, item.size);
        buffer_free(&item);
    }
    REFS(&file, 12, 499);
    add_function(&file, T_ENTRY, 1, (const uint8_t[]){RETURN}, 3);
    TirModule *module = file_expect(&file);
    cr_assert_eq(module->functions[0].at.line, 10);
    cr_assert_eq(op_at(module, 0)->at.line, 0); // too far away
    tir_module_close(module);
}
