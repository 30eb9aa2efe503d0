// SPDX-License-Identifier: Apache-2.0
// Large modules: every stage takes time in proportion to their size (the limits are far above what it takes, and far
// below what a square would), deep ones do not overflow the stack, and what is too large is refused.
#include "tests/lower/lab.h"
#include "tests/tileir/read_encode.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// Processor time of a machine that others use too can be several times what it takes alone; a square would be a hundred
// times.
#ifdef __SANITIZE_ADDRESS__
enum { SLOWER = 16 };
#else
enum { SLOWER = 4 };
#endif

// In the numeric `shadow` a float operation is some 40 instructions, and a chain of as many as the tests have needs
// more stack than there is (it is refused): those have a shorter one.
enum { SHADOW_SLOWER = 8, LONG_CHAIN = 20000, SHADOW_CHAIN = 600 };

static const TirTypeKind kinds[2] = {TIR_TYPE_f32, TIR_TYPE_i32};
static const int64_t row[1] = {256};

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#define WITHIN(seconds, what, ...)                                                                                     \
    do {                                                                                                               \
        double begin_ = processor_seconds();                                                                           \
        __VA_ARGS__;                                                                                                   \
        double took_ = processor_seconds() - begin_;                                                                   \
        cr_assert_lt(took_, (seconds)*SLOWER, "%s took %.2f s", what, took_);                                          \
    } while (0)

// Verifies, prints, traces, compiles in all arithmetics; closes the lab.
static void take_through_some(Lab *lab, unsigned optimize, double seconds, CompileNumeric first, CompileNumeric last) {
    Buffer text = {0};
    Arena arena = {0};
    bool valid;
    WITHIN(0.5, "verifying", valid = tir_verify(&lab->diagnostics, lab->module));
    cr_assert(valid, "%s", lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
    WITHIN(1, "printing", tir_print(lab->module, true, &text));
    WITHIN(0.5, "describing", tir_program(lab->module));
    for (CompileNumeric numeric = first; numeric <= last; numeric++) {
        CompileOptions options = {.numeric = numeric, .optimize = optimize};
        options.instrumentation.enabled = numeric == COMPILE_PAYLOAD;
        options.instrumentation.algebra = fpsan_default_algebra();
        CompiledModule *compiled;
        double limit = numeric == COMPILE_SHADOW ? seconds * SHADOW_SLOWER : seconds;
        WITHIN(limit, "compiling",
               compiled = compiler_load(lab->compiler, &lab->diagnostics, tir_program(lab->module), &options));
        cr_assert(compiled, "%s", lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
        compiled_module_close(lab->compiler, compiled);
    }
    arena_reset(&arena);
    buffer_free(&text);
    lab_close(lab);
}

static void take_through(Lab *lab, unsigned optimize, double seconds) {
    take_through_some(lab, optimize, seconds, COMPILE_IEEE, COMPILE_SHADOW);
}

static TirType tile_row(Lab *lab) {
    return lab_tile(lab, TIR_TYPE_f32, 1, row);
}

static TirValue add(Lab *lab, TirType type, TirValue a, TirValue b) {
    bool floats = tir_type_is_float(lab->module, tir_type(lab->module, type)->element);
    TirOp *op = lab_op(lab, floats ? TIR_OP_addf : TIR_OP_addi, 1, &type, 2, (TirValue[]){a, b}, NULL);
    lab_set(op, floats ? "rounding" : "overflow",
            floats ? (uint64_t)TIR_rounding_nearest_even : (uint64_t)TIR_overflow_none);
    return tir_result(op, 0);
}

static TirValue load_scalar(Lab *lab) {
    return tir_result(
        lab_load_op(lab, lab_argument(lab, 1), lab_tile(lab, TIR_TYPE_i32, 0, NULL), TIR_NO_VALUE, TIR_NO_VALUE), 0);
}

// ---- many ops -------------------------------------------------------------------------------------------------------

// Each op's value is needed by the next one alone: all could be evaluated at the store, by recursion 20,000 deep.
static Lab tile_chain(int length) {
    Lab lab = lab_open(2, kinds);
    TirValue a = lab_load(&lab, 0, 1, row), b = lab_load(&lab, 0, 1, row);
    for (int i = 0; i < length; i++) a = add(&lab, tile_row(&lab), a, b);
    lab_store(&lab, 0, a);
    lab_return(&lab);
    return lab;
}

Test(scale, a_chain_of_tiles) {
    Lab lab = tile_chain(LONG_CHAIN), shorter = tile_chain(SHADOW_CHAIN);
    take_through_some(&lab, 3, 2, COMPILE_IEEE, COMPILE_PAYLOAD);
    take_through_some(&shorter, 3, 1, COMPILE_SHADOW, COMPILE_SHADOW);
}

Test(scale, a_chain_of_reshapes) {
    Lab lab = lab_open(2, kinds);
    TirType square = lab_tile(&lab, TIR_TYPE_f32, 2, (int64_t[]){16, 16});
    TirValue a = lab_load(&lab, 0, 1, row);
    for (int i = 0; i < 20000; i++) a = lab_value(&lab, TIR_OP_reshape, i % 2 ? tile_row(&lab) : square, 1, &a);
    lab_store(&lab, 0, a);
    lab_return(&lab);
    take_through(&lab, 3, 2);
}

// Tiles of which each has two users.
static Lab tile_chain_in_memory(int length) {
    Lab lab = lab_open(2, kinds);
    TirValue a = lab_load(&lab, 0, 1, row), b = lab_load(&lab, 0, 1, row);
    for (int i = 0; i < length; i++) {
        TirValue next = add(&lab, tile_row(&lab), a, b);
        b = a;
        a = next;
    }
    lab_store(&lab, 0, a);
    lab_return(&lab);
    return lab;
}

Test(scale, a_chain_of_tiles_in_memory) {
    Lab lab = tile_chain_in_memory(LONG_CHAIN), shorter = tile_chain_in_memory(SHADOW_CHAIN);
    take_through_some(&lab, 3, 6, COMPILE_IEEE, COMPILE_PAYLOAD);
    take_through_some(&shorter, 3, 1, COMPILE_SHADOW, COMPILE_SHADOW);
}

Test(scale, a_chain_of_scalars) {
    Lab lab = lab_open(2, kinds);
    TirType type = lab_tile(&lab, TIR_TYPE_i32, 0, NULL);
    TirValue first = load_scalar(&lab), a = first;
    for (int i = 0; i < 20000; i++) a = add(&lab, type, a, i % 3 ? first : a);
    lab_store_op(&lab, lab_argument(&lab, 1), a, TIR_NO_VALUE);
    lab_return(&lab);
    take_through(&lab, 1, 2);
}

Test(scale, many_accesses) {
    Lab lab = lab_open(2, kinds);
    for (int i = 0; i < 10000; i++) lab_store_op(&lab, lab_argument(&lab, 1), load_scalar(&lab), TIR_NO_VALUE);
    lab_return(&lab);
    take_through(&lab, 3, 6);
}

// Unoptimized code keeps what it loads on the stack, of which threads have little.
Test(scale, more_stack_than_threads_have) {
    Lab lab = lab_open(2, kinds);
    for (int i = 0; i < 8000; i++) lab_store(&lab, 0, lab_load(&lab, 0, 1, row));
    lab_return(&lab);
    cr_assert(tir_verify(&lab.diagnostics, lab.module));
    CompiledModule *compiled;
    WITHIN(8, "compiling",
           compiled = compiler_load(lab.compiler, &lab.diagnostics, tir_program(lab.module),
                                    &(CompileOptions){.optimize = 3}));
    cr_assert(!compiled && lab.diagnostics.count == 1);
    cr_assert_eq(lab.diagnostics.items[0].code, E_LIMIT);
    cr_assert(strstr(lab.diagnostics.items[0].message, "bytes of stack, more than 1048576"), "%s",
              lab.diagnostics.items[0].message);
    lab_close(&lab);
}

Test(scale, many_assumptions) {
    Lab lab = lab_open(2, kinds);
    TirType type = lab_tile(&lab, TIR_TYPE_i32, 0, NULL);
    static const int64_t numbers[3] = {1, -1, -1};
    TirValue a = load_scalar(&lab);
    for (int i = 0; i < 20000; i++) {
        TirOp *op = lab_op(&lab, TIR_OP_assume, 1, &type, 1, &a, NULL);
        *tir_op_set(op, "predicate") =
            (TirAttribute){.present = true, .tag = TIR_TAG_DIV_BY, .length = 3, .numbers = numbers};
        a = tir_result(op, 0);
    }
    lab_store_op(&lab, lab_argument(&lab, 1), a, TIR_NO_VALUE);
    lab_return(&lab);
    take_through(&lab, 3, 2);
}

// ---- loops ----------------------------------------------------------------------------------------------------------

typedef struct OpenLoop {
    TirOp *op;
    TirBlock *outer;
} OpenLoop;

// A loop of four rounds that carries the values; the builder goes on in its body.
static OpenLoop open_loop(Lab *lab, uint32_t count, const TirValue *inits) {
    TirType integer = lab_tile(lab, TIR_TYPE_i32, 0, NULL),
            *types = arena_array(&lab->module->arena, TirType, count + 1);
    TirValue *operands = arena_array(&lab->module->arena, TirValue, count + 3);
    const uint32_t bounds[3] = {0, 4, 1};
    types[0] = integer;
    for (int i = 0; i < 3; i++) operands[i] = lab_constant(lab, integer, bounds[i]);
    for (uint32_t i = 0; i < count; i++) {
        operands[3 + i] = inits[i];
        types[1 + i] = tir_value_type(&lab->module->functions[0], inits[i]);
    }
    TirOp *op =
        lab_op(lab, TIR_OP_for, count, types + 1, count + 3, operands, (uint32_t[TIR_OPERANDS_MAX]){1, 1, 1, count});
    OpenLoop loop = {op, lab->block};
    lab->block = tir_block_add(&op->regions[0], count + 1, types);
    return loop;
}

static void close_loop(Lab *lab, const OpenLoop *loop, uint32_t count, const TirValue *next) {
    lab_op(lab, TIR_OP_continue, 0, NULL, count, next, NULL);
    lab->block = loop->outer;
}

// x + x once more in each op: 2^1000 paths lead from the last one to the first.
Test(scale, doublings_in_a_loop) {
    Lab lab = lab_open(2, kinds);
    TirValue a = lab_load(&lab, 0, 1, row);
    OpenLoop loop = open_loop(&lab, 1, &a);
    a = lab.block->first_argument + 1;
    for (int i = 0; i < 1000; i++) a = add(&lab, tile_row(&lab), a, a);
    close_loop(&lab, &loop, 1, &a);
    lab_store(&lab, 0, tir_result(loop.op, 0));
    lab_return(&lab);
    take_through(&lab, 3, 2);
}

// Each of n carried tiles becomes the next one.
static void carry_tiles(Lab *lab, uint32_t count) {
    *lab = lab_open(2, kinds);
    TirValue first = lab_load(lab, 0, 1, (int64_t[]){16}), *values = arena_array(&lab->module->arena, TirValue, count);
    for (uint32_t i = 0; i < count; i++) values[i] = first;
    OpenLoop loop = open_loop(lab, count, values);
    for (uint32_t i = 0; i < count; i++) values[i] = lab->block->first_argument + 1 + (i + 1) % count;
    close_loop(lab, &loop, count, values);
    lab_store(lab, 0, tir_result(loop.op, 0));
    lab_return(lab);
}

Test(scale, many_carried_tiles) {
    Lab lab;
    carry_tiles(&lab, 4000);
    take_through(&lab, 1, 4);
}

Test(scale, too_many_carried_tiles) {
    Lab lab;
    carry_tiles(&lab, 4097);
    cr_assert(!lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, NULL));
    cr_assert_eq(lab.diagnostics.items[0].code, E_LIMIT);
    lab_close(&lab);
}

Test(scale, deeply_nested_loops) {
    OpenLoop loops[TIR_NESTING_MAX + 1];
    for (int depth = TIR_NESTING_MAX; depth <= TIR_NESTING_MAX + 1; depth++) {
        Lab lab = lab_open(2, kinds);
        TirValue a = lab_load(&lab, 0, 1, row);
        for (int i = 0; i < depth; i++) {
            loops[i] = open_loop(&lab, 1, &a);
            a = lab.block->first_argument + 1;
        }
        a = add(&lab, tile_row(&lab), a, a);
        for (int i = depth; i-- > 0;) {
            close_loop(&lab, &loops[i], 1, &a);
            a = tir_result(loops[i].op, 0);
        }
        lab_store(&lab, 0, a);
        lab_return(&lab);
        if (depth <= TIR_NESTING_MAX) {
            take_through(&lab, 1, 3);
            continue;
        }
        cr_assert(!tir_verify(&lab.diagnostics, lab.module));
        cr_assert(strstr(lab.diagnostics.items[0].message, "nested more than 256 regions deep"), "%s",
                  lab.diagnostics.items[0].message);
        lab_close(&lab);
    }
}

// ---- large tiles and constants --------------------------------------------------------------------------------------

// All 2^24 elements, each dimension of size 2, turned round.
Test(scale, the_largest_tile) {
    Lab lab = lab_open(2, kinds);
    int64_t shape[24], turned[24], ones[24];
    for (int i = 0; i < 24; i++) {
        shape[i] = 2;
        turned[i] = 23 - i;
        ones[i] = 1;
    }
    TirType tile = lab_tile(&lab, TIR_TYPE_f64, 24, shape);
    TirValue numbers = lab_value(&lab, TIR_OP_iota, lab_tile(&lab, TIR_TYPE_i32, 1, (int64_t[]){1 << 24}), 0, NULL);
    numbers = lab_value(&lab, TIR_OP_reshape, lab_tile(&lab, TIR_TYPE_i32, 24, shape), 1, &numbers);
    TirOp *op = lab_op(&lab, TIR_OP_itof, 1, &tile, 1, &numbers, NULL);
    lab_set(op, "signedness", TIR_signedness_signed);
    lab_set(op, "rounding", TIR_rounding_nearest_even);
    TirValue value = tir_result(op, 0);
    value = add(&lab, tile, value, value);
    op = lab_op(&lab, TIR_OP_permute, 1, &tile, 1, &value, NULL);
    *tir_op_set(op, "permutation") = (TirAttribute){.present = true, .length = 24, .numbers = turned};
    TirValue index[25] = {tir_result(op, 0)};
    for (int i = 1; i < 25; i++) index[i] = lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, 0, NULL), i == 1);
    op = lab_op(&lab, TIR_OP_extract, 1, (TirType[]){lab_tile(&lab, TIR_TYPE_f64, 24, ones)}, 25, index,
                (uint32_t[TIR_OPERANDS_MAX]){1, 24});
    value = lab_value(&lab, TIR_OP_reshape, lab_tile(&lab, TIR_TYPE_f64, 1, (int64_t[]){1}), 1,
                      (TirValue[]){tir_result(op, 0)});
    op = lab_op(&lab, TIR_OP_ftof, 1, (TirType[]){lab_tile(&lab, TIR_TYPE_f32, 1, (int64_t[]){1})}, 1, &value, NULL);
    lab_set(op, "rounding", TIR_rounding_nearest_even);
    lab_store(&lab, 0, tir_result(op, 0));
    lab_return(&lab);
    bool good = lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, NULL);
    cr_assert(good, "%s", lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    cr_assert(lab_run(&lab));
    cr_assert_eq(lab_get(&lab, 0, TIR_TYPE_f32, 0), 0x40000000); // 2 * element number 1
    lab_close(&lab);
}

static bool compile_constant(int64_t elements, bool equal) {
    Lab lab = lab_open(2, kinds);
    TirOp *op =
        lab_op(&lab, TIR_OP_constant, 1, (TirType[]){lab_tile(&lab, TIR_TYPE_f32, 1, &elements)}, 0, NULL, NULL);
    uint32_t *bits = arena_array(&lab.module->arena, uint32_t, (size_t)elements);
    for (int64_t i = 0; i < elements && !equal; i++) bits[i] = (uint32_t)i * 2654435761u;
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = (const uint8_t *)bits, .size = (size_t)elements * 4};
    lab_store(&lab, 0, tir_result(op, 0));
    lab_return(&lab);
    bool good;
    WITHIN(8, "a constant", good = lab_compile(&lab, COMPILE_PAYLOAD, FPSAN_CASTS_MIX, NULL));
    cr_assert(good || lab.diagnostics.items[0].code == E_LIMIT);
    lab_close(&lab);
    return good;
}

Test(scale, constants) {
    cr_assert(compile_constant(1 << 20, false));
    cr_assert(!compile_constant(1 << 21, false));
    cr_assert(compile_constant(1 << 24, true));
}

// ---- bytecode -------------------------------------------------------------------------------------------------------

// A body of n constants, and a return.
static Buffer many_constants(uint32_t count) {
    Buffer body = {0};
    for (uint32_t i = 0; i < count; i++) PUT(&body, 0x10, T_TILE_I32, 0);
    PUT(&body, RETURN);
    return body;
}

Test(scale, reading_many_ops) {
    EncFile file;
    file_open(&file, 3);
    ADD(&file.constants, 4, 1, 2, 3, 4);
    Buffer body = many_constants(200000);
    add_function(&file, T_ENTRY, 0, body.data, body.size);
    TirModule *module;
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    WITHIN(1, "reading", module = file_expect(&file));
    cr_assert_eq(module->functions[0].op_count, 200001);
    WITHIN(1, "verifying", cr_assert(tir_verify(&diagnostics, module)));
    WITHIN(3, "printing", tir_print(module, true, &text));
    buffer_free(&text);
    buffer_free(&body);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}

Test(scale, reading_many_functions) {
    EncFile file;
    file_open(&file, 3);
    static const uint8_t body[] = {RETURN};
    for (int i = 0; i < 500; i++) {
        char name[20];
        int length = snprintf(name, sizeof name, "kernel_%d", i);
        uint32_t index = add_item(&file.strings, name, (size_t)length);
        put_varint(&file.functions, index);
        put_varint(&file.functions, T_ENTRY);
        put_byte(&file.functions, 2);
        put_varint(&file.functions, 0);
        put_varint(&file.functions, sizeof body);
        buffer_append(&file.functions, body, sizeof body);
        file.function_count++;
    }
    TirModule *module = file_expect(&file);
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    CompiledModule *compiled;
    cr_assert(tir_verify(&diagnostics, module));
    WITHIN(3, "compiling",
           compiled = compiler_load(compiler, &diagnostics, tir_program(module), &(CompileOptions){.optimize = 3}));
    cr_assert_eq(compiled->kernel_count, 500);
    compiled_module_close(compiler, compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}
