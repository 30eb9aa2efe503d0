// SPDX-License-Identifier: Apache-2.0
// Every integer op on all pairs of 1 and 8 bits, and on pairs of edges and random numbers of 16, 32 and 64: against
// exact integers of 128 bits.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 Exact;
typedef unsigned __int128 ExactBits;

// The operands as the numbers that they are, signed and unsigned; what the result is before it wraps to its width.
typedef struct Operands {
    unsigned bits;
    Exact s, t, u, v; // a and b signed, a and b unsigned
} Operands;

static Exact add(const Operands *x) {
    return x->s + x->t;
}
static Exact subtract(const Operands *x) {
    return x->s - x->t;
}
static Exact multiply(const Operands *x) {
    return (Exact)((ExactBits)x->u * (ExactBits)x->v);
}
static Exact multiply_high(const Operands *x) {
    return (Exact)((ExactBits)x->u * (ExactBits)x->v >> x->bits);
}
static Exact bits_and(const Operands *x) {
    return x->u & x->v;
}
static Exact bits_or(const Operands *x) {
    return x->u | x->v;
}
static Exact bits_xor(const Operands *x) {
    return x->u ^ x->v;
}
static Exact shift_left(const Operands *x) {
    return x->v < x->bits ? (Exact)((ExactBits)x->u << x->v) : 0;
}
static Exact shift_right(const Operands *x) {
    return x->v < x->bits ? x->u >> x->v : 0;
}
static Exact shift_right_signed(const Operands *x) {
    return x->s >> (x->v < x->bits ? x->v : x->bits - 1);
}
static Exact larger(const Operands *x) {
    return x->s > x->t ? x->s : x->t;
}
static Exact larger_unsigned(const Operands *x) {
    return x->u > x->v ? x->u : x->v;
}
static Exact smaller(const Operands *x) {
    return x->s < x->t ? x->s : x->t;
}
static Exact smaller_unsigned(const Operands *x) {
    return x->u < x->v ? x->u : x->v;
}
static Exact quotient(const Operands *x) {
    return x->s / x->t;
}
static Exact quotient_unsigned(const Operands *x) {
    return x->u / x->v;
}
static Exact quotient_down(const Operands *x) {
    Exact q = x->s / x->t;
    return q * x->t != x->s && (x->s < 0) != (x->t < 0) ? q - 1 : q;
}
static Exact quotient_up(const Operands *x) {
    Exact q = x->s / x->t;
    return q * x->t != x->s && (x->s < 0) == (x->t < 0) ? q + 1 : q;
}
static Exact quotient_up_unsigned(const Operands *x) {
    return (x->u + x->v - 1) / x->v;
}
static Exact rest(const Operands *x) {
    return x->s % x->t;
}
static Exact rest_unsigned(const Operands *x) {
    return x->u % x->v;
}
static Exact magnitude(const Operands *x) {
    return x->s < 0 ? -x->s : x->s;
}
static Exact negative(const Operands *x) {
    return -x->s;
}
static Exact as_signed(const Operands *x) {
    return x->s;
}
static Exact as_unsigned(const Operands *x) {
    return x->u;
}
static Exact low_four_signed(const Operands *x) {
    return (x->u & 15) - (x->u & 8 ? 16 : 0);
}
static Exact low_four(const Operands *x) {
    return x->u & 15;
}
#define COMPARE(name, order)                                                                                           \
    static Exact name(const Operands *x) {                                                                             \
        return x->s order x->t;                                                                                        \
    }                                                                                                                  \
    static Exact name##_unsigned(const Operands *x) {                                                                  \
        return x->u order x->v;                                                                                        \
    }
COMPARE(equal, ==)
COMPARE(not_equal, !=)
COMPARE(less_than, <)
COMPARE(less_than_or_equal, <=)
COMPARE(greater_than, >)
COMPARE(greater_than_or_equal, >=)

// The op's text between its name and its types; the bits of its result (0: as its operands); what it computes.
typedef struct IntegerRow {
    const char *op, *operands;
    unsigned result_bits;
    Exact (*compute)(const Operands *);
    bool divides;
} IntegerRow;

#define WRAPPING(op, operands, compute)                                                                                \
    {op, operands, 0, compute, false}, {op, operands " overflow<no_signed_wrap>", 0, compute, false},                  \
        {op, operands " overflow<no_unsigned_wrap>", 0, compute, false}, {                                             \
        op, operands " overflow<no_wrap>", 0, compute, false                                                           \
    }
#define COMPARISON(name)                                                                                               \
    {"cmpi", #name " %a, %b, signed", 1, name, false}, {                                                               \
        "cmpi", #name " %a, %b, unsigned", 1, name##_unsigned, false                                                   \
    }
#define CONVERSIONS(bits)                                                                                              \
    {"exti", "%a signed", bits, as_signed, false}, {"exti", "%a unsigned", bits, as_unsigned, false},                  \
        {"trunci", "%a", bits, as_unsigned, false}, {                                                                  \
        "trunci", "%a overflow<no_wrap>", bits, as_unsigned, false                                                     \
    }

static const IntegerRow rows[] = {
    WRAPPING("addi", "%a, %b", add),
    WRAPPING("subi", "%a, %b", subtract),
    WRAPPING("muli", "%a, %b", multiply),
    WRAPPING("shli", "%a, %b", shift_left),
    {"mulhii", "%a, %b", 0, multiply_high, false},
    {"andi", "%a, %b", 0, bits_and, false},
    {"ori", "%a, %b", 0, bits_or, false},
    {"xori", "%a, %b", 0, bits_xor, false},
    {"shri", "%a, %b unsigned", 0, shift_right, false},
    {"shri", "%a, %b signed", 0, shift_right_signed, false},
    {"maxi", "%a, %b signed", 0, larger, false},
    {"maxi", "%a, %b unsigned", 0, larger_unsigned, false},
    {"mini", "%a, %b signed", 0, smaller, false},
    {"mini", "%a, %b unsigned", 0, smaller_unsigned, false},
    {"divi", "%a, %b signed", 0, quotient, true},
    {"divi", "%a, %b signed rounding<negative_inf>", 0, quotient_down, true},
    {"divi", "%a, %b signed rounding<positive_inf>", 0, quotient_up, true},
    {"divi", "%a, %b unsigned", 0, quotient_unsigned, true},
    {"divi", "%a, %b unsigned rounding<positive_inf>", 0, quotient_up_unsigned, true},
    {"remi", "%a, %b signed", 0, rest, true},
    {"remi", "%a, %b unsigned", 0, rest_unsigned, true},
    {"absi", "%a", 0, magnitude, false},
    {"negi", "%a", 0, negative, false},
    {"negi", "%a overflow<no_signed_wrap>", 0, negative, false},
    {"negi", "%a overflow<no_wrap>", 0, negative, false},
    COMPARISON(equal),
    COMPARISON(not_equal),
    COMPARISON(less_than),
    COMPARISON(less_than_or_equal),
    COMPARISON(greater_than),
    COMPARISON(greater_than_or_equal),
    CONVERSIONS(1),
    CONVERSIONS(8),
    CONVERSIONS(16),
    CONVERSIONS(32),
    CONVERSIONS(64),
    {"low four", "signed", 0, low_four_signed, false},
    {"low four", "unsigned", 0, low_four, false},
};

// ---- the kernels ----------------------------------------------------------------------------------------------------

static unsigned result_bits(const IntegerRow *row, unsigned bits) {
    return row->result_bits ? row->result_bits : bits;
}

static bool is_possible(const IntegerRow *row, unsigned bits) {
    if (!strcmp(row->op, "exti")) return row->result_bits > bits;
    if (!strcmp(row->op, "trunci")) return row->result_bits < bits;
    return strcmp(row->op, "low four") || bits > 4;
}

static void print_access(Buffer *out, unsigned name, unsigned bits, size_t count) {
    buffer_print(out,
                 "%%t%c = make_tensor_view %%p%c, shape = [%zu], strides = [1] : tensor_view<%zuxi%u, strides=[1]>\n"
                 "%%v%c = make_partition_view %%t%c : partition_view<tile=(%zu), tensor_view<%zuxi%u, strides=[1]>>\n",
                 name, name, count, count, bits, name, name, count, count, bits);
}

static void print_op(Buffer *out, const IntegerRow *row, unsigned bits, size_t count) {
    unsigned to = result_bits(row, bits);
    if (!strcmp(row->op, "low four"))
        buffer_print(out,
                     "%%four = trunci %%a : tile<%zuxi%u> -> tile<%zuxi4>\n%%r = exti %%four %s : tile<%zuxi4> -> "
                     "tile<%zuxi%u>\n",
                     count, bits, count, row->operands, count, count, bits);
    else if (row->result_bits)
        buffer_print(out, "%%r = %s %s : tile<%zuxi%u> -> tile<%zuxi%u>\n", row->op, row->operands, count, bits, count,
                     to);
    else
        buffer_print(out, "%%r = %s %s : tile<%zuxi%u>\n", row->op, row->operands, count, bits);
}

static void print_kernel(Buffer *out, size_t number, unsigned bits, size_t count) {
    const IntegerRow *row = &rows[number];
    unsigned to = result_bits(row, bits);
    buffer_print(out,
                 "entry @k%zu(%%pa: tile<ptr<i%u>>, %%pb: tile<ptr<i%u>>, %%pr: tile<ptr<i%u>>) {\n%%zero = constant "
                 "<i32: 0> : tile<i32>\n",
                 number, bits, bits, to);
    for (const char *name = "ab"; *name; name++) {
        print_access(out, (unsigned)*name, bits, count);
        buffer_print(out,
                     "%%%c, %%k%c = load_view_tko weak %%v%c[%%zero] : partition_view<tile=(%zu), tensor_view<%zuxi%u, "
                     "strides=[1]>>, tile<i32> -> tile<%zuxi%u>, token\n",
                     *name, *name, *name, count, count, bits, count, bits);
    }
    print_access(out, 'r', to, count);
    print_op(out, row, bits, count);
    buffer_print(out,
                 "%%s = store_view_tko weak %%r, %%vr[%%zero] : tile<%zuxi%u>, partition_view<tile=(%zu), "
                 "tensor_view<%zuxi%u, strides=[1]>>, tile<i32> -> token\nreturn\n}\n",
                 count, to, count, count, to);
}

static CompiledModule *compile(Compiler *compiler, unsigned bits, size_t count) {
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    buffer_print(&text, "cuda_tile.module @integers {\n");
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (is_possible(&rows[i], bits)) print_kernel(&text, i, bits, count);
    buffer_print(&text, "}\n");
    TirModule *module = tir_parse_text(&diagnostics, "integers.mlir", text.data, text.size);
    CompileOptions options = {.optimize = 1};
    bool good = module && tir_verify(&diagnostics, module);
    CompiledModule *compiled = good ? compiler_load(compiler, &diagnostics, tir_program(module), &options) : NULL;
    cr_assert(compiled, "i%u: %s", bits, diagnostics.count ? diagnostics.items[0].message : "");
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return compiled;
}

// ---- the numbers ----------------------------------------------------------------------------------------------------

static uint64_t mask_of(unsigned bits) {
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static Exact read_signed(uint64_t bits, unsigned width) {
    return bits >> (width - 1) & 1 ? (Exact)bits - ((Exact)1 << width) : (Exact)bits;
}

static uint64_t edge(unsigned i, unsigned bits) {
    uint64_t top = UINT64_C(1) << (bits - 1),
             random = i * UINT64_C(0x9E3779B97F4A7C15) ^ UINT64_C(0xBF58476D1CE4E5B9) * (i * i);
    const uint64_t edges[] = {0,   1,   2,   3,       7,       bits - 1,   bits,           bits + 1,
                              255, 256, top, top - 1, top + 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 6};
    return (i < BASE_COUNT(edges) ? edges[i] : random >> i % bits) & mask_of(bits);
}

// Number k of all pairs; undefined divisions are others.
static void make_pair(const IntegerRow *row, unsigned bits, size_t k, uint64_t *a, uint64_t *b) {
    *a = bits <= 8 ? k >> bits : edge((unsigned)k / 64, bits);
    *b = bits <= 8 ? k & mask_of(bits) : edge((unsigned)k % 64, bits);
    if (!row->divides) return;
    if (!*b) *b = 1;
    if (*b == mask_of(bits) && *a == UINT64_C(1) << (bits - 1)) *a = 0; // the smallest number by -1
}

static void put(uint8_t *memory, unsigned bits, size_t index, uint64_t value) {
    size_t bytes = bits < 8 ? 1 : bits / 8;
    memcpy(memory + index * bytes, &value, bytes);
}

static uint64_t get(const uint8_t *memory, unsigned bits, size_t index) {
    size_t bytes = bits < 8 ? 1 : bits / 8;
    uint64_t value = 0;
    memcpy(&value, memory + index * bytes, bytes);
    return value;
}

static void check_row(const IntegerRow *row, const KernelInfo *kernel, unsigned bits, size_t count) {
    unsigned to = result_bits(row, bits);
    uint8_t *memory = aligned_alloc(64, 64 * count), *operands[2] = {memory, memory + 8 * count},
            *results = memory + 16 * count;
    void *scratch = aligned_alloc(64, (kernel->scratch_bytes + 127) / 64 * 64);
    cr_assert(memory && scratch);
    memset(results, 0xA5, 8 * count);
    for (size_t k = 0; k < count; k++) {
        uint64_t a, b;
        make_pair(row, bits, k, &a, &b);
        put(operands[0], bits, k, a);
        put(operands[1], bits, k, b);
    }
    uint64_t arguments[3];
    HostRange ranges[3];
    for (size_t i = 0; i < 3; i++) {
        arguments[i] = (uint64_t)(uintptr_t)memory + 8 * count * i;
        ranges[i] = (HostRange){arguments[i], arguments[i] + 8 * count};
    }
    HostLaunch launch = {
        .arguments = arguments, .argument_ranges = ranges, .buffers = ranges, .buffer_count = 3, .grid = {1, 1, 1}};
    HostFault fault;
    cr_assert_eq(kernel->entry(&launch, scratch, 0, 0, 0, &fault), 0, "%s %s", row->op, row->operands);
    for (size_t k = 0; k < count; k++) {
        uint64_t a, b;
        make_pair(row, bits, k, &a, &b);
        Operands x = {bits, read_signed(a, bits), read_signed(b, bits), a, b};
        uint64_t expected = (uint64_t)row->compute(&x) & mask_of(to), found = get(results, to, k);
        cr_assert_eq(found, expected, "%s %s of i%u %#llx and %#llx: %#llx, expected %#llx", row->op, row->operands,
                     bits, (unsigned long long)a, (unsigned long long)b, (unsigned long long)found,
                     (unsigned long long)expected);
    }
    free(memory);
    free(scratch);
}

static void check_width(unsigned bits) {
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    cr_assert(compiler);
    size_t count = bits <= 8 ? (size_t)1 << 2 * bits : 4096;
    CompiledModule *compiled = compile(compiler, bits, count);
    const KernelInfo *kernel = compiled->kernels;
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (is_possible(&rows[i], bits)) check_row(&rows[i], kernel++, bits, count);
    compiled_module_close(compiler, compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}

Test(integers, i1) {
    check_width(1);
}
Test(integers, i8) {
    check_width(8);
}
Test(integers, i16) {
    check_width(16);
}
Test(integers, i32) {
    check_width(32);
}
Test(integers, i64) {
    check_width(64);
}
