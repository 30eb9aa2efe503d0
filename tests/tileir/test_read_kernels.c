// SPDX-License-Identifier: Apache-2.0
// Real bytecode (data/*.tileirbc): every op at its place as NVIDIA's disassembler sees it; cut short and damaged, as is
// a file of 13.4, it never does harm.
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA SOURCE_DIR "/tests/tileir/data"
enum { FILES_MAX = 64 };

typedef struct DataFiles {
    char paths[FILES_MAX][512];
    size_t count;
} DataFiles;

static void list_files(DataFiles *files) {
    DIR *folder = opendir(DATA);
    cr_assert(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length < 9 || strcmp(entry->d_name + length - 9, ".tileirbc")) continue;
        cr_assert_lt(files->count, FILES_MAX);
        snprintf(files->paths[files->count++], sizeof files->paths[0], DATA "/%s", entry->d_name);
    }
    closedir(folder);
    cr_assert_geq(files->count, 19);
}

static TirModule *read_data(const char *name) {
    char path[512];
    snprintf(path, sizeof path, DATA "/%s.tileirbc", name);
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_file(&diagnostics, path);
    cr_assert(module, "%s: %s", name, diagnostics.count ? diagnostics.items[0].message : "?");
    diagnostics_close(&diagnostics);
    return module;
}

// ---- what is read ----------------------------------------

static void list_op(const TirOp *op, Buffer *out);
static void list_region(const TirRegion *region, Buffer *out) {
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) list_op(op, out);
}

// The text leaves out terminators that say nothing.
static void list_op(const TirOp *op, Buffer *out) {
    bool silent = (op->kind == TIR_OP_yield || op->kind == TIR_OP_continue) && !op->operand_count;
    if (!silent && op->at.line)
        buffer_print(out, "%s %s:%u:%u\n", tir_op_info(op->kind)->text_name, op->at.file, op->at.line, op->at.column);
    else if (!silent)
        buffer_print(out, "%s -\n", tir_op_info(op->kind)->text_name);
    for (uint32_t i = 0; i < op->region_count; i++) list_region(&op->regions[i], out);
}

Test(read_kernels, ops_and_places_are_those_of_the_disassembler) {
    DataFiles files = {0};
    list_files(&files);
    for (size_t i = 0; i < files.count; i++) {
        Diagnostics diagnostics = {0};
        TirModule *module = tir_read_file(&diagnostics, files.paths[i]);
        cr_assert(module, "%s: %s", files.paths[i], diagnostics.count ? diagnostics.items[0].message : "?");
        Buffer ops = {0};
        for (uint32_t f = 0; f < module->function_count; f++) list_region(&module->functions[f].body, &ops);
        Arena arena = {0};
        uint8_t *expected;
        size_t size;
        strcpy(strrchr(files.paths[i], '.'), ".ops");
        cr_assert(file_read(&diagnostics, &arena, files.paths[i], &expected, &size));
        cr_assert_str_eq(ops.data, (char *)expected, "%s", files.paths[i]);
        buffer_free(&ops);
        arena_reset(&arena);
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}

static TirOp *nth(const TirBlock *block, TirOpKind kind, uint32_t n) {
    for (TirOp *op = block->first; op; op = op->next)
        if (op->kind == kind && n-- == 0) return op;
    cr_assert_fail("no such op");
    return NULL;
}

static void expect_type(const TirFunction *function, TirValue value, const char *text) {
    Buffer out = {0};
    tir_type_print(function->module, tir_value_type(function, value), &out);
    cr_assert_str_eq(out.data, text);
    buffer_free(&out);
}

Test(read_kernels, attention) {
    TirModule *module = read_data("read_attention_131");
    cr_assert(module->version == 1301 && module->function_count == 1 && module->global_count == 0 && !module->producer);
    const TirFunction *function = &module->functions[0];
    cr_assert(function->entry && !function->is_private && !strncmp(function->name, "attention_", 10));
    cr_assert(function->at.line == 20 && !strcmp(function->at.file, "/src/read_kernels.py"));
    cr_assert(function->hints.present && function->hints.length == 1 &&
              !strcmp(function->hints.entries[0].name, "sm_100"));
    expect_type(function, 0, "tile<ptr<f16>>");
    expect_type(function, 28, "tile<f32>");
    const TirBlock *body = function->body.first;
    cr_assert_eq(body->argument_count, 29);
    const TirOp *assume = nth(body, TIR_OP_assume, 0), *bounded = nth(body, TIR_OP_assume, 4);
    const TirAttribute *predicate = tir_attribute(assume, "predicate");
    cr_assert(predicate->tag == TIR_TAG_DIV_BY && predicate->numbers[0] == 16 && predicate->flags == 0 &&
              predicate->numbers[1] == -1);
    predicate = tir_attribute(bounded, "predicate");
    cr_assert(predicate->tag == TIR_TAG_BOUNDED && predicate->numbers[0] == 0 && predicate->flags == 1);
    const TirOp *view = nth(body, TIR_OP_make_tensor_view, 0);
    const TirValue *shape, *strides;
    cr_assert_eq(tir_operands(view, "shape", &shape), 3);
    cr_assert_eq(tir_operands(view, "strides", &strides), 2);
    cr_assert_eq(strides, shape + 3);
    expect_type(function, view->first_result, "tensor_view<?x?x?xf16, strides=[?,?,1]>");
    const TirOp *minus_infinity = nth(body, TIR_OP_constant, 5);
    expect_type(function, minus_infinity->first_result, "tile<64x1xf32>");
    const TirConstant *constant = &tir_attribute(minus_infinity, "value")->constant;
    cr_assert(constant->size == 4 && !memcmp(constant->bytes, (uint8_t[]){0, 0, 0x80, 0xff}, 4));
    tir_module_close(module);
}

Test(read_kernels, loops_carry_values_in_and_out) {
    TirModule *module = read_data("read_attention_133");
    const TirFunction *function = &module->functions[0];
    const TirBlock *body = function->body.first;
    const TirOp *loop = nth(body, TIR_OP_for, 0);
    cr_assert(tir_operands(loop, "init", NULL) == 3 && loop->result_count == 3 && loop->region_count == 1);
    cr_assert_null(tir_attribute(loop, "unsigned"));
    const TirBlock *inner = loop->regions[0].first;
    cr_assert(inner->argument_count == 4 && loop->regions[0].block_count == 1 && loop->regions[0].owner == loop);
    expect_type(function, inner->first_argument, "tile<i32>");
    expect_type(function, inner->first_argument + 1, "tile<64x64xf32>");
    const TirOp *load = nth(inner, TIR_OP_load_view_tko, 0), *reduce = nth(inner, TIR_OP_reduce, 0),
                *last = inner->last;
    const TirValue *index;
    cr_assert_eq(tir_operands(load, "index", &index), 3);
    cr_assert_eq(index[2], inner->first_argument);
    const TirAttribute *hints = tir_attribute(load, "hints");
    cr_assert(hints && !strcmp(hints->entries[0].name, "default") && hints->entries[0].value.tag == TIR_TAG_DICTIONARY);
    cr_assert_str_eq(hints->entries[0].value.entries[0].name, "latency");
    cr_assert_eq(hints->entries[0].value.entries[0].value.integer, 4);
    cr_assert_null(tir_attribute(load, "scope"));
    const TirAttribute *identities = tir_attribute(reduce, "identities");
    cr_assert(identities->length == 1 && identities->items[0].tag == TIR_TAG_FLOAT &&
              identities->items[0].integer == 0xff800000);
    cr_assert_eq(reduce->regions[0].first->argument_count, 2);
    cr_assert_eq(tir_attribute_integer(reduce, "dim"), 1);
    // What the loop hands on is what its body computed, and what comes after uses the loop's results.
    cr_assert(last->kind == TIR_OP_continue && last->operand_count == 3);
    for (uint32_t i = 0; i < 3; i++) cr_assert_eq(tir_value(function, last->operands[i])->definition->block, inner);
    const TirOp *divide = nth(body, TIR_OP_divf, 0);
    cr_assert_eq(tir_operand(divide, "lhs"), loop->first_result);
    tir_module_close(module);
}

Test(read_kernels, globals_and_prints) {
    TirModule *module = read_data("read_prints_131");
    cr_assert_eq(module->global_count, 1);
    const TirGlobal *global = &module->globals[0];
    cr_assert(global->name[0] && !global->is_private && !global->constant);
    cr_assert_eq(tir_type(module, global->type)->rank, 1);
    cr_assert_neq(global->value.size, 0);
    const TirOp *print = nth(module->functions[0].body.first, TIR_OP_print_tko, 0);
    cr_assert_eq(print->result_count, 0); // 13.1 has no token
    cr_assert(strstr(tir_attribute(print, "str")->text, "x: %f\n"));
    tir_module_close(module);
    module = read_data("read_prints_133");
    print = nth(module->functions[0].body.first, TIR_OP_print_tko, 0);
    cr_assert_eq(print->result_count, 1);
    cr_assert_neq(tir_operand(print, "token"), TIR_NO_VALUE);
    tir_module_close(module);
}

Test(read_kernels, older_files_have_the_default_of_newer_attributes) {
    for (int minor = 1; minor <= 3; minor++) {
        char name[64];
        snprintf(name, sizeof name, "read_elementwise_13%d", minor);
        TirModule *module = read_data(name);
        const TirBlock *body = module->functions[0].body.first;
        const TirOp *exp = nth(body, TIR_OP_exp, 0), *tanh = nth(body, TIR_OP_tanh, 0);
        cr_assert(tir_attribute_integer(exp, "rounding") == TIR_rounding_full &&
                  tir_attribute_integer(tanh, "rounding") == TIR_rounding_full);
        cr_assert_eq(tir_attribute(exp, "rounding") != NULL, minor >= 3);
        cr_assert_eq(tir_attribute(tanh, "rounding") != NULL, minor >= 2);
        tir_module_close(module);
    }
}

// ---- damaged files ----------------------------------------

static void check_ranges(const TirModule *module, const TirRegion *region) {
    for (const TirBlock *block = region->first; block; block = block->next) {
        cr_assert_eq(block->region, region);
        for (const TirOp *op = block->first; op; op = op->next) {
            const TirFunction *function = region->function;
            cr_assert(op->kind < TIR_OP_COUNT && op->block == block &&
                      op->first_result + op->result_count <= function->value_count);
            uint32_t total = 0;
            for (uint32_t i = 0; i < TIR_OPERANDS_MAX; i++) total += op->segments[i];
            cr_assert_eq(total, op->operand_count);
            for (uint32_t i = 0; i < op->operand_count; i++) cr_assert_lt(op->operands[i], function->value_count);
            for (uint32_t i = 0; i < op->result_count; i++)
                cr_assert_lt(tir_value_type(function, op->first_result + i), module->type_count);
            cr_assert_leq(op->debug, module->debug_count);
            for (uint32_t i = 0; i < op->region_count; i++) check_ranges(module, &op->regions[i]);
        }
    }
}

// A module that was read can be written, also if it breaks rules of the dialect: in its version so that reading it
// gives the same bytes again, in others without harm.
static void write_damaged(const TirModule *module) {
    Diagnostics diagnostics = {0};
    Buffer out = {0}, again = {0}, other = {0};
    cr_assert(tir_write_bytecode(&diagnostics, module, module->version, &out), "%s", diagnostics.items[0].message);
    TirModule *same = tir_read_bytecode(&diagnostics, "written", (const uint8_t *)out.data, out.size);
    cr_assert(same, "%s", diagnostics.items[0].message);
    cr_assert(tir_write_bytecode(&diagnostics, same, same->version, &again));
    cr_assert(again.size == out.size && !memcmp(again.data, out.data, out.size));
    uint16_t version = module->version == TIR_VERSION_MIN ? TIR_VERSION_MAX : (uint16_t)(module->version - 1);
    bool good = tir_write_bytecode(&diagnostics, module, version, &other);
    cr_assert_eq(diagnostics.count, good ? 0 : 1);
    tir_module_close(same);
    buffer_free(&out);
    buffer_free(&again);
    buffer_free(&other);
    diagnostics_close(&diagnostics);
}

// Reads damaged bytes: refused with one error, or a module whose every index is in range.
static bool read_damaged(const uint8_t *data, size_t size) {
    // The exact bytes, so that reading past the end is found by ASan.
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "damaged", copy, size);
    cr_assert_eq(diagnostics.count, module ? 0 : 1);
    for (size_t i = 0; i < diagnostics.count; i++) {
        ErrorCode code = diagnostics.items[i].code;
        cr_assert(code == E_BYTECODE || code == E_VERSION || code == E_LIMIT);
        cr_assert(diagnostics.items[i].at.has_offset && diagnostics.items[i].at.offset <= size);
    }
    for (uint32_t i = 0; module && i < module->function_count; i++) check_ranges(module, &module->functions[i].body);
    Buffer text = {0};
    for (uint32_t i = 0; module && i < module->type_count; i++) tir_type_print(module, i, &text);
    buffer_free(&text);
    bool read = module != NULL;
    if (read) write_damaged(module);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    free(copy);
    return read;
}

typedef void (*DamageCheck)(const char *path, uint8_t *data, size_t size);

static void for_each_file(DamageCheck check) {
    DataFiles files = {0};
    list_files(&files);
    strcpy(files.paths[files.count++], SOURCE_DIR "/tests/tileir/print/since_13_4-13.4.tileirbc");
    for (size_t i = 0; i < files.count; i++) {
        Diagnostics diagnostics = {0};
        Arena arena = {0};
        uint8_t *data;
        size_t size;
        cr_assert(file_read(&diagnostics, &arena, files.paths[i], &data, &size));
        check(files.paths[i], data, size);
        arena_reset(&arena);
        diagnostics_close(&diagnostics);
    }
}

static void cut_short(const char *path, uint8_t *data, size_t size) {
    for (size_t length = 0; length < size; length++)
        cr_assert_not(read_damaged(data, length), "%s cut to %zu bytes is accepted", path, length);
    cr_assert(read_damaged(data, size));
}

Test(read_kernels, every_prefix_is_refused, .timeout = 120) {
    for_each_file(cut_short);
}

enum { DAMAGES = 5 };

// Damages each byte, in each way or in one.
static void damage_each_byte(uint8_t *data, size_t size, bool in_each_way) {
    size_t accepted = 0;
    for (size_t at = 0; at < size; at++) {
        const uint8_t original = data[at],
                      values[DAMAGES] = {original ^ 1, original ^ 0x80, 0, 0xff, (uint8_t)(original + 1)};
        for (size_t i = in_each_way ? 0 : at % DAMAGES; i < DAMAGES; i += in_each_way ? 1 : DAMAGES) {
            data[at] = values[i];
            accepted += read_damaged(data, size);
        }
        data[at] = original;
    }
    cr_assert(accepted > 0 && accepted < size * (in_each_way ? DAMAGES : 1));
}

static void damage_in_one_way(const char *path, uint8_t *data, size_t size) {
    (void)path;
    damage_each_byte(data, size, false);
}

Test(read_kernels, damaged_bytes_do_no_harm, .timeout = 300) {
    for_each_file(damage_in_one_way);
}

static void damage_in_each_way(const char *path, uint8_t *data, size_t size) {
    (void)path;
    damage_each_byte(data, size, true);
}

Test(read_kernels, damaged_bytes_in_each_way, .timeout = 300) {
    for_each_file(damage_in_each_way);
}

// ---- files that are none ----------------------------------------

Test(read_kernels, missing_and_foreign_files) {
    Diagnostics diagnostics = {0};
    cr_assert_null(tir_read_file(&diagnostics, DATA "/no_such_file"));
    cr_assert_eq(diagnostics.items[0].code, E_FILE);
    cr_assert_null(tir_read_file(&diagnostics, DATA "/read_kernels.py"));
    cr_assert_eq(diagnostics.items[1].code, E_TEXT); // what does not begin as bytecode is read as text
    cr_assert_eq(diagnostics.items[1].at.line, 1);
    diagnostics_close(&diagnostics);
}
