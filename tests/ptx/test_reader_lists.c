// SPDX-License-Identifier: Apache-2.0
// What is in the lists that are read: places in blocks, names, numbers, calls, lines.
#include "compiler/ptx/ptx.h"

#include <criterion/criterion.h>
#include <string.h>

static PtxModule *read_good(const char *name) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    uint8_t *bytes;
    size_t size;
    const char *path = arena_format(&arena, "%s/tests/ptx/good/%s.ptx", SOURCE_DIR, name);
    cr_assert(file_read(&diagnostics, &arena, path, &bytes, &size));
    PtxModule *module = ptx_read(&diagnostics, path, (const char *)bytes, size);
    cr_assert(module, "%s: %u: %s", path, diagnostics.items[0].at.line, diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return module;
}

static const PtxFunction *function_of(const PtxModule *module, const char *name) {
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name)) return &module->functions[i];
    cr_assert_fail("no function %s", name);
    return NULL;
}

// The `count`-th instruction of the op.
static const PtxInstruction *find(const PtxFunction *function, PtxOp op, unsigned count) {
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].op == op && !count--) return &function->instructions[i];
    cr_assert_fail("not so many %s", ptx_op_name(op));
    return NULL;
}

static const PtxRegister *register_of(const PtxFunction *function, const PtxOperand *operand) {
    cr_assert_eq(operand->kind, PTX_REGISTER);
    return &function->registers[operand->index];
}

// ---- blocks

Test(ptx_lists, a_label_in_a_block_is_found_before_one_outside) {
    PtxModule *module = read_good("scopes");
    const PtxFunction *f = function_of(module, "scopes");
    const PtxInstruction *first = find(f, PTX_OP_bra, 0), *second = find(f, PTX_OP_bra, 1);
    const PtxLabel *a = &f->labels[first->operands[0].index], *b = &f->labels[second->operands[0].index];
    cr_expect_str_eq(a->name, "waitLoop");
    cr_expect_str_eq(b->name, "waitLoop");
    cr_expect_eq(a->instruction, 2);
    cr_expect_eq(b->instruction, 5);
    cr_expect_neq(a->scope, b->scope);
    cr_expect(!first->guard.negated && second->guard.negated);
    cr_expect_str_eq(register_of(f, &first->guard)->name, "complete");
    cr_expect_neq(first->guard.index, second->guard.index, "two registers of one name");
    ptx_module_close(module);
}

Test(ptx_lists, a_register_of_a_block_hides_one_outside) {
    PtxModule *module = read_good("scopes");
    const PtxFunction *f = function_of(module, "scopes");
    const PtxInstruction *outer = find(f, PTX_OP_mov, 0), *inner = find(f, PTX_OP_mov, 2);
    cr_expect_str_eq(register_of(f, &outer->operands[0])->name, "x");
    cr_expect_str_eq(register_of(f, &inner->operands[0])->name, "x");
    cr_expect_neq(outer->operands[0].index, inner->operands[0].index);
    const PtxInstruction *range = find(f, PTX_OP_mov, 3), *behind = find(f, PTX_OP_mov, 5);
    cr_expect_str_eq(register_of(f, &range->operands[0])->name, "%r2");
    cr_expect_str_eq(register_of(f, &behind->operands[0])->name, "%r2");
    cr_expect_neq(range->operands[0].index, behind->operands[0].index, "%%r<3> of the block hides %%r2 only within");
    const PtxInstruction *nine = find(f, PTX_OP_mov, 4);
    cr_expect_eq(register_of(f, &nine->operands[0])->scope, 0, "%%r9 is not of the block's range");
    ptx_module_close(module);
}

Test(ptx_lists, blocks_have_their_instructions) {
    PtxModule *module = read_good("scopes");
    const PtxFunction *f = function_of(module, "scopes");
    static const PtxScope wanted[] = {{0, 0, 20}, {0, 2, 5}, {0, 5, 10}, {2, 9, 10}, {3, 9, 9}, {3, 10, 10}, {0, 12, 12}};
    cr_assert_eq(f->scope_count, BASE_COUNT(wanted));
    for (size_t i = 0; i < BASE_COUNT(wanted); i++) {
        cr_expect_eq(f->scopes[i].parent, wanted[i].parent, "block %zu", i);
        cr_expect_eq(f->scopes[i].begin, wanted[i].begin, "block %zu begins at %u", i, f->scopes[i].begin);
        cr_expect_eq(f->scopes[i].end, wanted[i].end, "block %zu ends at %u", i, f->scopes[i].end);
    }
    ptx_module_close(module);
}

Test(ptx_lists, parameters_and_directives) {
    PtxModule *module = read_good("scopes");
    const PtxFunction *f = function_of(module, "scopes");
    cr_assert_eq(f->parameter_count, 2);
    cr_expect(f->entry && f->variables[0].pointer && f->variables[0].pointer_space == PTX_GLOBAL);
    cr_expect_eq(f->variables[0].pointer_alignment, 16);
    cr_expect_eq(f->variables[0].size, 8);
    cr_expect_eq(f->variables[1].size, 128);
    cr_expect_eq(f->variables[1].alignment, 64);
    cr_expect(f->reqntid[0] == 128 && f->reqntid[1] == 1 && f->reqntid[2] == 1 && f->maxnreg == 64);
    const PtxInstruction *store = find(f, PTX_OP_st, 1);
    cr_expect_eq(store->operands[0].kind, PTX_ADDRESS);
    cr_expect_eq(store->operands[0].offset, -4);
    cr_expect_eq(ptx_space(store, 0), PTX_GLOBAL);
    ptx_module_close(module);
}

// ---- control

Test(ptx_lists, calls) {
    PtxModule *module = read_good("control");
    const PtxFunction *f = function_of(module, "control");
    const PtxOperand *direct = find(f, PTX_OP_call, 0)->operands, *registers = find(f, PTX_OP_call, 1)->operands;
    const PtxOperand *indirect = find(f, PTX_OP_call, 2)->operands, *table = find(f, PTX_OP_call, 3)->operands;
    cr_expect(direct[0].kind == PTX_LIST && direct[1].kind == PTX_FUNCTION && direct[3].kind == PTX_NONE);
    cr_expect_eq(&module->functions[direct[1].index], function_of(module, "late"));
    cr_expect_eq(direct[2].items[0].kind, PTX_VARIABLE);
    cr_expect_eq(registers[2].items[1].bits, 5);
    cr_expect_eq(indirect[1].kind, PTX_REGISTER);
    cr_assert_eq(indirect[3].kind, PTX_PROTOTYPE);
    cr_expect_eq(f->prototypes[indirect[3].index].form->parameter_count, 1);
    cr_assert_eq(table[3].kind, PTX_TABLE);
    cr_expect(f->tables[table[3].index].calls && f->tables[table[3].index].count == 2);
    cr_expect_eq(find(f, PTX_OP_call, 4)->operands[0].items[0].kind, PTX_SINK);
    cr_expect_str_eq(function_of(module, "other")->alias, "late");
    ptx_module_close(module);
}

Test(ptx_lists, tables_name_labels) {
    PtxModule *module = read_good("control");
    const PtxFunction *f = function_of(module, "control");
    const PtxOperand *operand = &find(f, PTX_OP_brx_idx, 0)->operands[1];
    cr_assert_eq(operand->kind, PTX_TABLE);
    const PtxTable *table = &f->tables[operand->index];
    cr_assert(table->count == 2 && !table->calls);
    cr_expect_str_eq(f->labels[table->targets[0]].name, "$L_even");
    cr_expect_str_eq(f->labels[table->targets[1]].name, "$L_odd");
    cr_expect_eq(find(f, PTX_OP_pragma, 0)->operands[0].kind, PTX_TEXT);
    ptx_module_close(module);
}

Test(ptx_lists, parameters_in_registers) {
    PtxModule *module = read_good("control");
    const PtxFunction *f = function_of(module, "plus");
    const PtxInstruction *add = find(f, PTX_OP_add_integer, 0);
    cr_expect_eq(f->variables[0].space, PTX_REGISTERS);
    cr_expect_eq(f->variables[0].number, add->operands[1].index);
    cr_expect_eq(f->variables[1].number, add->operands[2].index);
    cr_expect_eq(f->variables[2].number, add->operands[0].index, "the result stands behind the parameters");
    ptx_module_close(module);
}

// ---- numbers and variables

static void check_numbers(const PtxFunction *f) {
    static const int64_t wanted[] = {-1, 0x7771, 12, -8, 10, -6, 0x07fffffd, -1, INT64_MIN};
    for (unsigned i = 0; i < BASE_COUNT(wanted); i++) {
        const PtxOperand *operand = &find(f, PTX_OP_mov, i)->operands[1];
        cr_expect(operand->kind == PTX_INTEGER && (int64_t)operand->bits == wanted[i], "number %u is %lld", i,
                  (long long)operand->bits);
    }
}

Test(ptx_lists, numbers) {
    PtxModule *module = read_good("values");
    const PtxFunction *f = function_of(module, "values");
    check_numbers(f);
    cr_expect_eq(find(f, PTX_OP_mov, 9)->operands[1].bits, 0x3FB8AA3B);
    cr_expect_eq(find(f, PTX_OP_mov, 10)->operands[1].kind, PTX_FLOAT64);
    cr_expect_eq(find(f, PTX_OP_mov, 10)->operands[1].bits, 0xBFF8000000000000);
    cr_expect_eq(find(f, PTX_OP_ld, 2)->operands[1].offset, 8);
    cr_expect_eq(find(f, PTX_OP_ld, 2)->operands[0].kind, PTX_REGISTER, "a list of one is what it holds");
    cr_expect_eq(find(f, PTX_OP_tcgen05_ld, 0)->operands[1].offset, 16 << 16);
    cr_expect_eq(find(f, PTX_OP_tcgen05_ld, 0)->operands[0].kind, PTX_LIST);
    ptx_module_close(module);
}

Test(ptx_lists, vectors_are_registers_side_by_side) {
    PtxModule *module = read_good("values");
    const PtxFunction *f = function_of(module, "values");
    const PtxInstruction *load = find(f, PTX_OP_ld, 0), *add = find(f, PTX_OP_add_float, 0);
    cr_assert(load->operands[0].kind == PTX_LIST && load->operands[0].count == 4);
    const uint32_t first = load->operands[0].items[0].index;
    cr_expect_str_eq(f->registers[first].name, "%v.x");
    cr_expect_eq(f->registers[first].vector, 4);
    cr_expect_eq(f->registers[first + 3].vector, 1);
    cr_expect_eq(add->operands[1].index, first);
    cr_expect_eq(add->operands[2].index, first + 3);
    cr_expect_eq(find(f, PTX_OP_st, 0)->operands[1].items[2].index, first + 2, ".b is .z");
    ptx_module_close(module);
}

static const PtxVariable *variable_of(const PtxModule *module, const char *name) {
    uint64_t index;
    cr_assert(map_find(&module->names, name, &index), "%s", name);
    return &module->variables[index];
}

// What is not kept is zeros.
static void expect_value(const PtxModule *module, const char *name, const void *value, size_t size) {
    const PtxVariable *variable = variable_of(module, name);
    const uint8_t *rest = value;
    cr_assert_leq(variable->byte_count, size, "%s", name);
    cr_expect_arr_eq(variable->bytes, value, variable->byte_count, "%s", name);
    for (size_t i = variable->byte_count; i < size; i++) cr_expect_eq(rest[i], 0, "%s: byte %zu", name, i);
}

Test(ptx_lists, initial_values) {
    PtxModule *module = read_good("values");
    static const uint8_t table[6] = {1, 2, 3, 4, 5, 6};
    static const uint32_t grid[6] = {1, 2, 0, 3, 4, 5};
    static const float rows[4] = {1, -2.5f, 1, 1000};
    static const uint16_t counted[4] = {1, 65535, 65535, 7};
    cr_expect_eq(variable_of(module, "table")->byte_count, 6, "zeros at the end take no memory");
    expect_value(module, "table", table, sizeof table);
    const PtxVariable *sparse = variable_of(module, "sparse");
    expect_value(module, "grid", grid, sizeof grid);
    cr_expect(sparse->size == 16777216 && sparse->byte_count == 17);
    cr_expect_eq(variable_of(module, "zeros")->byte_count, 0);
    expect_value(module, "rows", rows, sizeof rows);
    cr_expect_eq(variable_of(module, "counted")->size, 8);
    expect_value(module, "counted", counted, sizeof counted);
    const PtxVariable *addresses = variable_of(module, "addresses");
    cr_assert_eq(addresses->relocation_count, 3);
    cr_expect(addresses->relocations[1].generic && addresses->relocations[1].offset == 16 &&
              addresses->relocations[1].at == 8 && !addresses->relocations[0].generic);
    ptx_module_close(module);
}

// ---- places

Test(ptx_lists, lines) {
    PtxModule *module = read_good("lines");
    const PtxFunction *f = function_of(module, "lines");
    cr_assert_eq(f->instruction_count, 4);
    const Location first = ptx_location(module, f->instructions[0].place);
    const Location second = ptx_location(module, f->instructions[1].place);
    cr_expect_str_eq(first.file, "/a/kernel.cu");
    cr_expect(first.line == 10 && first.column == 3);
    cr_expect_eq(second.line, 30);
    cr_expect_eq(f->instructions[1].place.line, 13);
    cr_assert_eq(f->inlined_count, 1);
    cr_expect_eq(f->instructions[2].place.inlined, 1);
    cr_expect_str_eq(f->inlined[0].function_name, "g");
    cr_expect_eq(f->inlined[0].at.source_line, 10);
    cr_expect_eq(f->instructions[3].place.inlined, 0);
    ptx_module_close(module);
}

Test(ptx_lists, code_of_no_line_is_found_in_the_text) {
    PtxModule *module = read_good("line_zero");
    const PtxFunction *f = function_of(module, "line_zero");
    const Location none = ptx_location(module, f->instructions[0].place);
    const Location some = ptx_location(module, f->instructions[1].place);
    cr_expect_str_eq(none.file, module->path);
    cr_expect_eq(none.line, 9);
    cr_expect_str_eq(some.file, "kernel.cu");
    cr_expect_eq(some.line, 3);
    ptx_module_close(module);
}
