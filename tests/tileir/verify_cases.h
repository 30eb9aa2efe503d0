// SPDX-License-Identifier: Apache-2.0
// A small language for tests of the verifier: modules with one entry, built op by op, types by name. Each case breaks
// one rule.
#ifndef CONGRUENT_TESTS_VERIFY_CASES_H
#define CONGRUENT_TESTS_VERIFY_CASES_H

#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case { // the module being built
    TirModule *module;
    TirFunction *function;
    TirBlock *block; // where ops go
    const void *context;
} Case;

typedef struct VerifyCase {
    const char *rule;       // what is tested
    void (*build)(Case *c); // everything but the final return
    const char *expected;   // part of the first message
} VerifyCase;

static inline TirTypeKind kind_named(const char *name) {
    for (uint32_t kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (!strcmp(tir_type_rows[kind].name, name)) return (TirTypeKind)kind;
    cr_assert_fail("no type %s", name);
    return TIR_TYPE_COUNT;
}

// "f32" (a scalar tile), "4x8xf32", "4x*i32" (pointers), "token".
static inline TirType type_named(Case *c, const char *name) {
    int64_t shape[8];
    uint32_t rank = 0;
    if (!strcmp(name, "token")) return tir_type_scalar(c->module, TIR_TYPE_token);
    for (char *end; *name >= '0' && *name <= '9'; name = end + 1) shape[rank++] = strtoll(name, &end, 10);
    TirType element;
    if (*name == '*') {
        TirTypeInfo pointer = {
            .kind = TIR_TYPE_ptr, .element = tir_type_scalar(c->module, kind_named(name + 1)), .ptr_attr = -1};
        element = tir_type_intern(c->module, &pointer);
    } else {
        element = tir_type_scalar(c->module, kind_named(name));
    }
    return tir_type_tile(c->module, element, rank, shape);
}

// Appends an op with the given operands and result types (a blank separated list of names, or NULL); segments as
// tir_op_add.
static inline TirOp *add_typed(Case *c, TirOpKind kind, const uint32_t *segments, uint32_t result_count,
                               const TirType *results, uint32_t operand_count, const TirValue *operands) {
    return tir_op_add(c->block, &(TirNewOp){.kind = kind,
                                            .operand_count = operand_count,
                                            .operands = operands,
                                            .segments = segments,
                                            .result_count = result_count,
                                            .results = results});
}

static inline uint32_t types_named(Case *c, const char *names, TirType *types) {
    uint32_t count = 0;
    char word[64];
    while (names && *names) {
        size_t length = strcspn(names, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, names);
        types[count++] = type_named(c, word);
        names += length + (names[length] == ' ');
    }
    return count;
}

#define VALUES(...) ((TirValue[]){__VA_ARGS__}), sizeof((TirValue[]){__VA_ARGS__}) / sizeof(TirValue)
static inline TirOp *add(Case *c, TirOpKind kind, const char *results, const TirValue *operands, size_t operand_count) {
    TirType types[8] = {0};
    uint32_t count = types_named(c, results, types);
    return add_typed(c, kind, NULL, count, types, (uint32_t)operand_count, operands);
}
#define NO_VALUES NULL, 0

static inline TirOp *set(TirOp *op, const char *attribute, uint64_t value) {
    tir_op_set(op, attribute)->integer = value;
    return op;
}

static inline TirOp *set_text(TirOp *op, const char *attribute, const char *text) {
    TirAttribute *value = tir_op_set(op, attribute);
    value->text = text;
    value->length = strlen(text);
    return op;
}

static inline TirOp *set_numbers(Case *c, TirOp *op, const char *attribute, TirTag tag, uint32_t flags, size_t count,
                                 const int64_t *numbers) {
    TirAttribute *value = tir_op_set(op, attribute);
    int64_t *copy = arena_array(&c->module->arena, int64_t, count + 1);
    if (count) memcpy(copy, numbers, count * sizeof *numbers);
    *value = (TirAttribute){.present = true, .tag = tag, .flags = (uint8_t)flags, .length = count, .numbers = copy};
    return op;
}

// A constant tile whose elements have zero bits.
static inline TirOp *add_constant(Case *c, TirType type) {
    static const uint8_t zeros[8] = {0};
    TirOp *op = add_typed(c, TIR_OP_constant, NULL, 1, &type, 0, NULL);
    TirTypeKind kind = tir_tile_element_kind(c->module, type);
    size_t size = (tir_type_rows[kind].bits + 7u) / 8u;
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = zeros, .size = size};
    return op;
}

// Some value of the type.
static inline TirValue value_of(Case *c, const char *name) {
    TirType type = type_named(c, name);
    if (!strcmp(name, "token")) return add_typed(c, TIR_OP_make_token, NULL, 1, &type, 0, NULL)->first_result;
    TirTypeKind kind = tir_tile_element_kind(c->module, type);
    if (kind != TIR_TYPE_ptr && kind != TIR_TYPE_i4) return add_constant(c, type)->first_result;
    const TirTypeInfo *info = tir_type(c->module, type);
    TirTypeKind from = kind == TIR_TYPE_ptr ? TIR_TYPE_i64 : TIR_TYPE_i8;
    TirType source = tir_type_tile(c->module, tir_type_scalar(c->module, from), info->rank, info->shape);
    TirValue value = add_constant(c, source)->first_result;
    TirOp *op = add_typed(c, kind == TIR_TYPE_ptr ? TIR_OP_int_to_ptr : TIR_OP_trunci, NULL, 1, &type, 1, &value);
    if (kind == TIR_TYPE_i4) set(op, "overflow", TIR_overflow_none);
    return op->first_result;
}

// A block in region `r` of the op, which becomes the place for new ops.
static inline TirBlock *enter(Case *c, TirOp *op, uint32_t r, const char *arguments) {
    TirType types[8] = {0};
    uint32_t count = types_named(c, arguments, types);
    return c->block = tir_block_add(&op->regions[r], count, types);
}

static inline void leave(Case *c, TirOp *op) {
    c->block = op->block;
}

static inline TirType tensor_view_type(Case *c, const char *element, uint32_t rank, const int64_t *shape,
                                       const int64_t *strides) {
    TirTypeInfo info = {.kind = TIR_TYPE_tensor_view,
                        .element = tir_type_scalar(c->module, kind_named(element)),
                        .rank = rank,
                        .shape = shape,
                        .strides = strides,
                        .padding = TIR_PAD_none,
                        .ptr_attr = -1};
    return tir_type_intern(c->module, &info);
}

// A view of 4 x 8 tiles on 64 x 64 f32: partition_view, strided_view or gather_scatter_view (sparse dimension 0).
static inline TirValue view_of(Case *c, TirTypeKind kind, TirPadding padding) {
    static const int64_t shape[] = {64, 64}, strides[] = {64, 1}, tile[] = {4, 8}, steps[] = {2, 2};
    static const int32_t identity[] = {0, 1};
    TirType tensor = tensor_view_type(c, "f32", 2, shape, strides);
    TirValue base = value_of(c, "*f32");
    const uint32_t segments[] = {1, 0, 0};
    TirValue t = add_typed(c, TIR_OP_make_tensor_view, segments, 1, &tensor, 1, &base)->first_result;
    TirTypeInfo info = {.kind = kind,
                        .element = tensor,
                        .rank = 2,
                        .shape = tile,
                        .strides = steps,
                        .dim_map = identity,
                        .padding = padding,
                        .ptr_attr = -1};
    TirType view = tir_type_intern(c->module, &info);
    TirOpKind make = kind == TIR_TYPE_partition_view ? TIR_OP_make_partition_view
                     : kind == TIR_TYPE_strided_view ? TIR_OP_make_strided_view
                                                     : TIR_OP_make_gather_scatter_view;
    return add_typed(c, make, NULL, 1, &view, 1, &t)->first_result;
}

static inline void case_open(Case *c, const void *context) {
    *c = (Case){.module = tir_module_open("case"), .context = context};
    TirTypeInfo signature = {.kind = TIR_TYPE_function, .ptr_attr = -1};
    c->function = tir_function_add(c->module, "entry", tir_type_intern(c->module, &signature), true);
    c->block = c->function->body.first;
}

// Checks that a valid module can be written, and is the same when it is read again.
static inline void write_and_read(const char *rule, const TirModule *module) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0}, text = {0}, again = {0};
    cr_assert(tir_write_bytecode(&diagnostics, module, module->version, &bytes), "%s: not written: %s", rule,
              diagnostics.items[0].message);
    TirModule *read = tir_read_bytecode(&diagnostics, "written", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(read && tir_verify(&diagnostics, read), "%s: not read again: %s", rule, diagnostics.items[0].message);
    tir_print(module, true, &text);
    tir_print(read, true, &again);
    cr_expect_str_eq(again.data, text.data, "%s", rule);
    tir_module_close(read);
    buffer_free(&bytes);
    buffer_free(&text);
    buffer_free(&again);
}

// Builds the case, ends it with return, and verifies it.
static inline bool verify_case(const VerifyCase *test, const void *context, Diagnostics *diagnostics) {
    Case c;
    case_open(&c, context);
    test->build(&c);
    add(&c, TIR_OP_return, NULL, NO_VALUES);
    bool valid = tir_verify(diagnostics, c.module);
    if (valid) write_and_read(test->rule, c.module);
    tir_module_close(c.module);
    return valid;
}

// The case must be refused with its message, or be accepted if `expected` is NULL.
static inline void run_verify_case(const VerifyCase *test, const void *context) {
    Diagnostics diagnostics = {0};
    bool valid = verify_case(test, context, &diagnostics);
    const char *message = diagnostics.count ? diagnostics.items[0].message : "";
    if (!test->expected) {
        cr_expect(valid && !diagnostics.count, "%s: refused: %s", test->rule, message);
    } else {
        cr_expect_not(valid, "%s: accepted", test->rule);
        cr_expect(diagnostics.count && diagnostics.items[0].code == E_VERIFY, "%s: no E_VERIFY", test->rule);
        cr_expect(strstr(message, test->expected), "%s:\n  message  %s\n  expected %s", test->rule, message,
                  test->expected);
    }
    diagnostics_close(&diagnostics);
}

static inline void run_verify_cases(const VerifyCase *cases, size_t count) {
    for (size_t i = 0; i < count; i++) run_verify_case(&cases[i], NULL);
}

#endif
