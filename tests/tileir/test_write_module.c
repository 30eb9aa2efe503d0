// SPDX-License-Identifier: Apache-2.0
// Writing built modules: defaults, every version, and each thing that a version or the format does not have.
#include "compiler/tileir/format.h"
#include "tests/tileir/read_encode.h"
#include "tests/tileir/verify_cases.h"

// ---- what cannot be written -----------------------------------------------------------------------------------------

typedef struct WriteCase {
    void (*build)(Case *c);
    uint16_t version, oldest; // `version` cannot be written, and `oldest` is the first that can (0: none)
    ErrorCode code;
    const char *expected; // part of the message
} WriteCase;

static void write_case(const WriteCase *test, uint16_t version, ErrorCode code, const char *expected) {
    Case c;
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    case_open(&c, NULL);
    test->build(&c);
    add(&c, TIR_OP_return, NULL, NO_VALUES);
    bool good = tir_write_bytecode(&diagnostics, c.module, version, &out);
    if (!expected) {
        cr_expect(good && out.size, "%s as %u: %s", test->expected, version, good ? "" : diagnostics.items[0].message);
    } else {
        cr_assert(!good && diagnostics.count == 1 && !out.size, "%s as %u", expected, version);
        cr_expect(strstr(diagnostics.items[0].message, expected), "message is %s", diagnostics.items[0].message);
        cr_expect_eq(diagnostics.items[0].code, code, "%s", expected);
    }
    buffer_free(&out);
    tir_module_close(c.module);
    diagnostics_close(&diagnostics);
}

static void op_too_new(Case *c) {
    TirValue x = value_of(c, "f32");
    add(c, TIR_OP_atan2, "f32", VALUES(x, x));
    add(c, TIR_OP_fpowi, "f32", VALUES(x, value_of(c, "i32")));
}
static void type_too_new(Case *c) {
    value_of(c, "4xfnv8E5M3FNU");
}
static void type_of_13_2(Case *c) {
    value_of(c, "4xf8E8M0FNU");
}
static void view_too_new(Case *c) {
    view_of(c, TIR_TYPE_strided_view, TIR_PAD_none);
}
static void attribute_too_new(Case *c) {
    set(add(c, TIR_OP_exp, "f32", VALUES(value_of(c, "f32"))), "rounding", TIR_rounding_approx);
}
static void flag_too_new(Case *c) {
    TirOp *op = add(c, TIR_OP_ftoi, "i32", VALUES(value_of(c, "f32")));
    set(op, "signedness", TIR_signedness_signed);
    set(op, "saturating", 1);
}
static void word_too_new(Case *c) {
    set(add(c, TIR_OP_ftof, "tf32", VALUES(value_of(c, "f32"))), "rounding", TIR_rounding_nearest_away);
}
static void bools_too_new(Case *c) {
    TirValue view = view_of(c, TIR_TYPE_partition_view, TIR_PAD_none), zero = value_of(c, "i32");
    const TirType types[] = {type_named(c, "4x8xf32"), type_named(c, "token")};
    TirValue operands[] = {view, zero, zero};
    TirOp *load = add_typed(c, TIR_OP_load_view_tko, (uint32_t[]){1, 2, 0}, 2, types, 3, operands);
    set(load, "ordering", TIR_memory_ordering_weak);
    set_numbers(c, load, "inbounds", TIR_TAG_NONE, 0, 2, (int64_t[]){0, 1});
}
static TirOp *print(Case *c, TirValue token) {
    TirType type = type_named(c, "token");
    uint32_t count = token != TIR_NO_VALUE;
    TirOp *op = add_typed(c, TIR_OP_print_tko, (uint32_t[]){0, count}, 1, &type, count, &token);
    return set_text(op, "str", "x");
}
static void operand_too_new(Case *c) {
    print(c, value_of(c, "token"));
}
static void result_too_new(Case *c) {
    TirValue token = print(c, TIR_NO_VALUE)->first_result;
    add(c, TIR_OP_join_tokens, "token", VALUES(token, token));
}
static void global_too_new(Case *c) {
    TirGlobal *global = c->module->globals = arena_new(&c->module->arena, TirGlobal);
    c->module->global_count = 1;
    *global = (TirGlobal){.name = "table", .type = type_named(c, "4xi8"), .value = {(const uint8_t *)"1", 1, 0}};
    global->constant = true;
}
static void pointer_too_new(Case *c) {
    TirTypeInfo pointer = {.kind = TIR_TYPE_ptr,
                           .element = tir_type_scalar(c->module, TIR_TYPE_f32),
                           .ptr_attr = TIR_pointer_attribute_none};
    TirType type = tir_type_tile(c->module, tir_type_intern(c->module, &pointer), 0, NULL);
    TirValue bits = value_of(c, "i64");
    add_typed(c, TIR_OP_int_to_ptr, NULL, 1, &type, 1, &bits);
}
static void no_entry(Case *c) {
    c->function->entry = false;
}
static void undefined(Case *c) { // of a region that has ended
    TirOp *choice = add(c, TIR_OP_if, NULL, VALUES(value_of(c, "i1")));
    enter(c, choice, 0, NULL);
    TirValue x = value_of(c, "f32");
    add(c, TIR_OP_yield, NULL, NO_VALUES);
    leave(c, choice);
    add(c, TIR_OP_negf, "f32", VALUES(x));
}
static void missing(Case *c) {
    add(c, TIR_OP_assert, NULL, VALUES(value_of(c, "i1")));
}
static void named_function(Case *c) {
    set_text(add(c, TIR_OP_function, "4xf32", VALUES(value_of(c, "4xf32"))), "name", "erf");
}
static void without_identities(Case *c) {
    TirOp *op = add(c, TIR_OP_reduce, "f32", VALUES(value_of(c, "4xf32")));
    set(op, "dim", 0);
    tir_op_set(op, "identities");
}
static void missing_identities(Case *c) {
    set(add(c, TIR_OP_reduce, "f32", VALUES(value_of(c, "4xf32"))), "dim", 0);
}
static void nested(Case *c) {
    TirValue condition = value_of(c, "i1");
    for (int i = 0; i <= TIR_NESTING_MAX; i++) enter(c, add(c, TIR_OP_if, NULL, VALUES(condition)), 0, NULL);
}

Test(write_module, refusals) {
    static const WriteCase cases[] = {
        {op_too_new, 1301, 1304, E_VERSION, "atan2: the op needs version 13.2, the bytecode to be written is 13.1"},
        {op_too_new, 1303, 1304, E_VERSION, "fpowi: the op needs version 13.4, the bytecode to be written is 13.3"},
        {type_too_new, 1303, 1304, E_VERSION, "constant: type 'fnv8E5M3FNU' needs version 13.4"},
        {type_of_13_2, 1301, 1302, E_VERSION, "constant: type 'f8E8M0FNU' needs version 13.2"},
        {view_too_new, 1302, 1303, E_VERSION, "make_strided_view: the op needs version 13.3"},
        {attribute_too_new, 1302, 1303, E_VERSION, "exp: attribute 'rounding' needs version 13.3"},
        {flag_too_new, 1303, 1304, E_VERSION, "ftoi: attribute 'saturating' needs version 13.4"},
        {word_too_new, 1303, 1304, E_VERSION, "ftof: rounding 'nearest_away' needs version 13.4"},
        {bools_too_new, 1303, 1304, E_VERSION, "load_view_tko: attribute 'inbounds' needs version 13.4"},
        {operand_too_new, 1301, 1302, E_VERSION, "print_tko: operand 'token' needs version 13.2"},
        {result_too_new, 1301, 1302, E_VERSION,
         "join_tokens: operand 'tokens' is a result of print_tko that needs version 13.2"},
        {global_too_new, 1302, 1303, E_VERSION, "global @table: attribute 'constant' needs version 13.3"},
        {pointer_too_new, 1303, 1304, E_VERSION, "int_to_ptr: the attribute of type 'ptr' needs version 13.4"},
        {no_entry, 1304, 0, E_VERSION, "function @entry is not an entry, which no version of the bytecode has"},
        {undefined, 1304, 0, E_VERIFY, "negf: operand 'source' is not defined before the op"},
        {missing, 1304, 0, E_VERIFY, "assert: attribute 'message' is missing"},
        {named_function, 1304, 0, E_VERSION, "bytecode has no place for the op 'function'"},
        {without_identities, 1304, 0, E_VERSION, "bytecode has no place for a 'reduce' without identities"},
        {missing_identities, 1304, 0, E_VERIFY, "reduce: attribute 'identities' is missing"},
        {nested, 1304, 0, E_LIMIT, "regions are nested more than 256 deep"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        write_case(&cases[i], cases[i].version, cases[i].code, cases[i].expected);
        if (cases[i].oldest) write_case(&cases[i], cases[i].oldest, E_NONE, NULL);
    }
}

// ---- what an older version leaves out -------------------------------------------------------------------------------

static TirModule *written(const TirModule *module, uint16_t version) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    cr_assert(tir_write_bytecode(&diagnostics, module, version, &out), "%s", diagnostics.items[0].message);
    TirModule *read = tir_read_bytecode(&diagnostics, "written", (const uint8_t *)out.data, out.size);
    cr_assert(read && tir_verify(&diagnostics, read), "%s", diagnostics.items[0].message);
    buffer_free(&out);
    return read;
}

Test(write_module, results_come_and_go) {
    Case c;
    case_open(&c, NULL);
    print(&c, TIR_NO_VALUE);
    TirValue x = value_of(&c, "f32");
    add(&c, TIR_OP_addf, "f32", VALUES(x, x));
    add(&c, TIR_OP_return, NULL, NO_VALUES);
    TirModule *old = written(c.module, 1301);
    const TirOp *op = old->functions[0].body.first->first;
    cr_assert_eq(op->result_count, 0);
    cr_assert(op->next->next->kind == TIR_OP_addf && op->next->next->operands[1] == 0);
    // A token type comes with the token: the old module has none.
    for (uint32_t i = 0; i < old->type_count; i++) cr_assert_neq(tir_type(old, i)->kind, TIR_TYPE_token);
    TirModule *again = written(old, 1304);
    op = again->functions[0].body.first->first;
    cr_assert(op->result_count == 1 && op->next->next->operands[1] == 1);
    cr_assert_eq(tir_type(again, tir_value_type(&again->functions[0], op->first_result))->kind, TIR_TYPE_token);
    tir_module_close(again);
    tir_module_close(old);
    tir_module_close(c.module);
}

// What is not set is written as its default, and attributes that came later have it when an old file is written anew.
Test(write_module, defaults) {
    Case c;
    case_open(&c, NULL);
    TirValue x = value_of(&c, "f32"), view = view_of(&c, TIR_TYPE_partition_view, TIR_PAD_nan),
             zero = value_of(&c, "i32");
    add(&c, TIR_OP_exp, "f32", VALUES(x));
    const TirType types[] = {type_named(&c, "4x8xf32"), type_named(&c, "token")};
    TirValue operands[] = {view, zero, zero};
    TirOp *load = add_typed(&c, TIR_OP_load_view_tko, (uint32_t[]){1, 2, 0}, 2, types, 3, operands);
    set(load, "ordering", TIR_memory_ordering_weak);
    add(&c, TIR_OP_return, NULL, NO_VALUES);
    TirModule *old = written(c.module, 1301), *again = written(old, 1304);
    const TirOp *last = again->functions[0].body.first->last;
    const TirAttribute *inbounds = tir_attribute(last->previous, "inbounds");
    cr_assert(inbounds && inbounds->length == 2 && !inbounds->numbers[0] && !inbounds->numbers[1]);
    cr_assert_eq(tir_attribute(last->previous->previous, "rounding")->integer, TIR_rounding_full);
    cr_assert_null(tir_attribute(old->functions[0].body.first->last->previous, "inbounds"));
    tir_module_close(again);
    tir_module_close(old);
    tir_module_close(c.module);
}

Test(write_module, debug_rows) {
    static TirDebug rows[] = {
        {.tag = TIR_DEBUG_FILE, .name = "k.py", .linkage_name = "/src"},
        {.tag = TIR_DEBUG_COMPILE_UNIT, .refs = {1}},
        {.tag = TIR_DEBUG_SUBPROGRAM, .refs = {1, 2}, .name = "entry", .linkage_name = "entry", .line = 3},
        {.tag = TIR_DEBUG_LOCATION, .refs = {3}, .name = "k.py", .line = 7, .column = 2}};
    Case c;
    case_open(&c, NULL);
    c.module->debug = rows;
    c.module->debug_count = BASE_COUNT(rows);
    value_of(&c, "f32");
    c.function->debug = 4;
    add(&c, TIR_OP_return, NULL, NO_VALUES)->debug = 4;
    TirModule *read = written(c.module, 1302);
    const TirFunction *function = &read->functions[0];
    cr_assert(function->debug == 4 && function->body.first->first->debug == 0 &&
              function->body.first->last->debug == 4);
    cr_assert(function->body.first->last->at.line == 7 && !strcmp(function->body.first->last->at.file, "k.py"));
    cr_assert_eq(read->debug_count, 4);
    tir_module_close(read);
    // An error is at the line.
    c.function->body.first->last->at = (Location){.file = "k.py", .line = 7};
    c.function->body.first->last->operand_count = 1;
    c.function->body.first->last->segments[0] = 1;
    c.function->body.first->last->operands = &(TirValue){99};
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    cr_assert_not(tir_write_bytecode(&diagnostics, c.module, 1304, &out));
    cr_assert(diagnostics.items[0].at.line == 7 && diagnostics.items[0].code == E_VERIFY);
    diagnostics_close(&diagnostics);
    tir_module_close(c.module);
}

// ---- what only a file has -------------------------------------------------------------------------------------------

static void expect_same_bytes(EncFile *file) {
    Buffer bytes = file_bytes(file), out = {0};
    Diagnostics diagnostics = {0};
    file_close(file);
    TirModule *module = tir_read_bytecode(&diagnostics, "file", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(module, "%s", diagnostics.items[0].message);
    cr_assert(tir_write_bytecode(&diagnostics, module, module->version, &out));
    size_t at = 0;
    for (; at < bytes.size && at < out.size; at++) // sections are padded with 0x11 here, with 0xcb by writers
        if (bytes.data[at] != out.data[at] && (bytes.data[at] != 0x11 || out.data[at] != (char)0xcb)) break;
    cr_assert(at == bytes.size && at == out.size, "differs at byte %zu of %zu, %zu are written", at, bytes.size,
              out.size);
    tir_module_close(module);
    buffer_free(&bytes);
    buffer_free(&out);
}

Test(write_module, keeps_what_the_file_chose) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, 0x10, T_TILE_F32, 1, 0x10, T_TILE_I32, 0, RETURN);
    ADD(&file.constants, 4, 1, 2, 3, 4);
    ADD(&file.constants, 4, 1, 2, 3, 4); // twice the same, and one that is not used
    ADD(&file.constants, 1, 9);
    add_string(&file, "not used");
    put_varint(&file.producer, add_string(&file, "me")); // a producer before its version
    memcpy(file.order, (uint8_t[]){STRING, PRODUCER, TYPE, CONSTANT, GLOBAL, FUNC}, 6);
    file.alignment[TYPE] = 64;
    file.alignment[STRING] = 16;
    expect_same_bytes(&file);
}

// New strings and constants in a module whose file had many.
Test(write_module, adds_to_large_tables, .timeout = 30) {
    EncFile file;
    file_open(&file, 1);
    enum { MANY = 500 };
    for (int i = 0; i < MANY; i++) {
        char text[16];
        snprintf(text, sizeof text, "text %d", i);
        add_string(&file, text);
        ADD(&file.constants, 4, (uint8_t)i, (uint8_t)(i >> 8), 0, 0);
    }
    FUNCTION(&file, 0x10, T_TILE_I32, 0, RETURN);
    Buffer bytes = file_bytes(&file);
    file_close(&file);
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "file", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(module, "%s", diagnostics.items[0].message);
    static const uint8_t fresh[] = {1, 2, 3, 4};
    module->functions[0].name = "fresh";
    module->functions[0].body.first->first->attributes[0].constant = (TirConstant){fresh, sizeof fresh, 0};
    TirModule *again = written(module, 1301);
    cr_expect_str_eq(again->functions[0].name, "fresh");
    cr_expect_arr_eq(again->functions[0].body.first->first->attributes[0].constant.bytes, fresh, sizeof fresh);
    cr_expect_eq(again->tables->constant_count, MANY + 1);
    tir_module_close(again);
    tir_module_close(module);
    buffer_free(&bytes);
}

// cuTile writes negative f64 attributes with a 65th bit, which no reader takes.
Test(write_module, keeps_the_long_form_of_doubles) {
    EncFile file;
    file_open(&file, 3);
    uint32_t f64 = ADD(&file.types, 9), tile = ADD(&file.types, 13, (uint8_t)f64, 0),
             vector = ADD(&file.types, 13, (uint8_t)f64, 1, 4, 0, 0, 0, 0, 0, 0, 0);
    ADD(&file.constants, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    // reduce: -0.0 as 0x8000000000000000 << 1
    FUNCTION(&file, 0x10, (uint8_t)vector, 0, 0x58, 1, (uint8_t)tile, 0, 1, 2, (uint8_t)f64, 0x80, 0x80, 0x80, 0x80,
             0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 1, 0, 1, 1, 2, (uint8_t)tile, (uint8_t)tile, 1, 0x6d, 0, 1, 1, RETURN);
    expect_same_bytes(&file);
}

// Time stays in proportion to the file: sections that come again and again, and many values that only the newer version
// has.
Test(write_module, no_quadratic_time, .timeout = 30) {
    EncFile file;
    file_open(&file, 1);
    Buffer body = {0};
    enum { PRINTS = 30000, SECTIONS_MORE = 200000 };
    for (int i = 0; i < PRINTS; i++) PUT(&body, 0x55, 0, 0, 0); // print_tko without arguments
    PUT(&body, RETURN);
    add_function(&file, T_ENTRY, 0, body.data, body.size);
    buffer_free(&body);
    Buffer bytes = file_bytes(&file);
    file_close(&file);
    bytes.size--; // the end byte
    for (int i = 0; i < SECTIONS_MORE; i++) PUT(&bytes, GLOBAL, 1, 0);
    put_byte(&bytes, 0);
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "file", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(module, "%s", diagnostics.items[0].message);
    Buffer out = {0};
    cr_assert(tir_write_bytecode(&diagnostics, module, 1301, &out));
    cr_assert_lt(out.size, bytes.size - SECTIONS_MORE * 2);
    TirModule *newer = written(module, 1304);
    cr_assert_eq(newer->functions[0].value_count, PRINTS);
    tir_module_close(newer);
    tir_module_close(module);
    buffer_free(&out);
    buffer_free(&bytes);
}

// A module that was read and changed: its file's tables are kept, however long, and what is new comes behind.
Test(write_module, new_constants_behind_many, .timeout = 30) {
    enum { CONSTANTS = 100 };
    static const uint8_t added[4] = {0xFF, 0xFF, 0x12, 0x34};
    Case c;
    case_open(&c, NULL);
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        value_of(&c, "i32");
        uint32_t *bytes = arena_new(&c.module->arena, uint32_t);
        *bytes = i;
        tir_op_set(c.block->last, "value")->constant = (TirConstant){.bytes = (uint8_t *)bytes, .size = sizeof *bytes};
    }
    add(&c, TIR_OP_return, NULL, NO_VALUES);
    TirModule *read = written(c.module, 1304);
    TirOp *first = read->functions[0].body.first->first;
    tir_op_set(first, "value")->constant = (TirConstant){.bytes = added, .size = 4, .index = UINT32_MAX};
    TirModule *again = written(read, 1304);
    const TirOp *op = again->functions[0].body.first->first;
    cr_assert(!memcmp(tir_attribute(op, "value")->constant.bytes, added, 4));
    for (uint32_t i = 1; i < CONSTANTS; i++) {
        op = op->next;
        cr_expect_eq(tir_attribute(op, "value")->constant.bytes[0], i);
    }
    tir_module_close(c.module);
    tir_module_close(read);
    tir_module_close(again);
}
