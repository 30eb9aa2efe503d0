// SPDX-License-Identifier: Apache-2.0
// Every instruction on integers on random operands and on those at the ends of ranges, against expressions of C that
// were written from the ISA.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what expressions say

static int64_t s8(uint64_t x) {
    return (int8_t)x;
}
static int64_t s16(uint64_t x) {
    return (int16_t)x;
}
static int64_t s24(uint64_t x) {
    return (int32_t)((uint32_t)x << 8) >> 8;
}
static int64_t s32(uint64_t x) {
    return (int32_t)x;
}
static int64_t half(uint64_t x, int64_t i) {
    return (uint16_t)(x >> 16 * i);
}
static int64_t shalf(uint64_t x, int64_t i) {
    return s16(x >> 16 * i);
}
static int64_t byte(uint64_t x, int64_t i) {
    return (uint8_t)(x >> 8 * i);
}
static int64_t sbyte(uint64_t x, int64_t i) {
    return s8(x >> 8 * i);
}
static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}
static int64_t distance(int64_t x, int64_t y) {
    return x < y ? y - x : x - y;
}
static int64_t average(int64_t sum) {
    return sum >= 0 ? (sum + 1) >> 1 : sum >> 1;
}
static uint64_t relu(int64_t x) {
    return x < 0 ? 0 : (uint64_t)x;
}
static uint64_t most_unsigned(uint64_t x, uint64_t y) {
    return x > y ? x : y;
}
static uint64_t with_bit(uint64_t x, unsigned bits, bool bit) {
    return (x & ((UINT64_C(1) << bits) - 1)) | (uint64_t)bit << bits;
}
static uint64_t clamp(int64_t x, int64_t low, int64_t high) {
    return (uint64_t)(x < low ? low : x > high ? high : x);
}

// The pieces of a register, each an expression of its number i; and the sum of such expressions.
#define pieces(n, expression)                                                                                          \
    ({                                                                                                                 \
        uint64_t all = 0;                                                                                              \
        for (int64_t i = 0; i < (n); i++)                                                                              \
            all |= ((uint64_t)(expression) & ((UINT64_C(1) << 32 / (n)) - 1)) << 32 / (n)*i;                           \
        all;                                                                                                           \
    })
#define sum(n, expression)                                                                                             \
    ({                                                                                                                 \
        uint64_t all = 0;                                                                                              \
        for (int64_t i = 0; i < (n); i++) all += (uint64_t)(int64_t)(expression);                                      \
        all;                                                                                                           \
    })

static uint64_t high64(uint64_t a, uint64_t b) {
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (uint32_t)middle;
    return ah * bh + (middle >> 32) + (other >> 32);
}

static uint64_t table3(unsigned table, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (uint64_t)(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return result;
}

static uint64_t ones(uint64_t x) {
    uint64_t count = 0;
    for (; x; x >>= 1) count += x & 1;
    return count;
}

static uint64_t zeros_above(uint64_t x, unsigned bits) {
    uint64_t count = 0;
    while (count < bits && !(x >> (bits - 1 - count) & 1)) count++;
    return count;
}

// Bits that are unlike the sign.
static uint64_t unlike(uint64_t x, unsigned bits) {
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return x >> (bits - 1) & 1 ? ~x & all : x;
}

static uint64_t mirrored(uint64_t x, unsigned bits) {
    uint64_t result = 0;
    for (unsigned i = 0; i < bits; i++) result |= (x >> i & 1) << (bits - 1 - i);
    return result;
}

static uint64_t field(uint64_t a, uint64_t b, uint64_t c, unsigned bits, bool is_signed) {
    const unsigned top = bits - 1, first = (uint8_t)b, length = (uint8_t)c;
    const unsigned last = first + length - 1 < top ? first + length - 1 : top;
    const uint64_t sign = !is_signed || !length ? 0 : a >> last & 1;
    uint64_t result = 0;
    for (unsigned i = 0; i <= top; i++) result |= (i < length && first + i <= top ? a >> (first + i) & 1 : sign) << i;
    return result;
}

static uint64_t inserted(uint64_t a, uint64_t b, uint64_t c, uint64_t e, unsigned bits) {
    const unsigned first = (uint8_t)c, length = (uint8_t)e;
    for (unsigned i = 0; i < length && first + i < bits; i++) {
        b &= ~(UINT64_C(1) << (first + i));
        b |= (a >> i & 1) << (first + i);
    }
    return b;
}

static uint64_t extended(uint64_t a, uint64_t count, bool is_signed) {
    uint64_t result = 0;
    for (uint64_t i = 0; i < 32 && count; i++)
        result |= (i < count ? a >> i & 1 : is_signed ? a >> (count - 1) & 1 : 0) << i;
    return result;
}

static uint64_t bit_mask(uint64_t a, uint64_t b, bool clamps) {
    uint64_t result = 0;
    const uint64_t first = clamps ? a : a % 32, count = clamps ? b : b % 32;
    for (uint64_t i = 0; i < 32; i++) result |= (uint64_t)(i >= first && i - first < count) << i;
    return result;
}

static uint64_t find_nth(uint64_t mask, uint64_t base, uint64_t offset) {
    const int32_t n = (int32_t)offset, step = n > 0 ? 1 : -1;
    if (!n) return base < 32 && mask >> base & 1 ? base : UINT64_MAX;
    int64_t left = n > 0 ? n : -(int64_t)n;
    for (int64_t i = (int64_t)base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0) return (uint64_t)i;
    return UINT64_MAX;
}

static uint64_t permuted(uint64_t a, uint64_t b, uint64_t selectors) {
    const uint64_t pool = b << 32 | a;
    return pieces(4, ({
                      const uint64_t digit = selectors >> 4 * i & 15, one = pool >> 8 * (digit & 7) & 0xff;
                      digit & 8 ? (one & 0x80 ? 0xff : 0) : one;
                  }));
}

static bool not_negative(uint64_t c, bool ftz) {
    float x;
    const uint32_t bits = (uint32_t)c;
    memcpy(&x, &bits, sizeof x);
    if (ftz && !(bits & 0x7f800000)) return true;
    return x >= 0;
}

static uint64_t packed(unsigned bits, uint64_t a, uint64_t b, uint64_t c, int64_t low, int64_t high) {
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (clamp(s32(b), low, high) & mask) | (clamp(s32(a), low, high) & mask) << bits | c << 2 * bits;
}

// ---- cases

enum { OPERANDS = 4, ROUNDS = 40, IS_PAIR = 256 };
typedef struct IntegerCase {
    const char *text;
    unsigned result;
    unsigned operands[OPERANDS];
    uint64_t (*value)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);
} IntegerCase;

#define JOINED(a, b)   a##b
#define NAMED_BY(line) JOINED(value_, line)
#define CASE(text, result, operands, expr)                                                                             \
    static uint64_t NAMED_BY(__LINE__)(uint64_t a, uint64_t b, uint64_t c, uint64_t e) {                               \
        (void)a, (void)b, (void)c, (void)e;                                                                            \
        return (uint64_t)(expr);                                                                                       \
    }
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#include "integers.def"
#undef CASE

static const IntegerCase cases[] = {
#define CASE(text, result, operands, expr) {text, result, operands, NAMED_BY(__LINE__)},
#define W(a, b, c, e)                                                                                                  \
    { a, b, c, e }
#define PAIR(bits) ((bits) | IS_PAIR)
#include "integers.def"
#undef CASE
};

static const char *register_of(unsigned bits) {
    return bits == 1 ? "p" : bits == 16 ? "h" : bits == 32 ? "r" : bits == 64 ? "l" : "q";
}

// The operand's register is named after its bits and place: %r1 is operand b of 32 bits.
static void print_name(const IntegerCase *c, char letter, Buffer *out) {
    static const char letters[] = "abce";
    const char *at = strchr(letters, letter);
    if (at)
        buffer_print(out, "%%%s%d", register_of(c->operands[at - letters]), (int)(at - letters));
    else if (letter == 'd')
        buffer_print(out, "%%%s9", register_of(c->result & ~(unsigned)IS_PAIR));
    else
        buffer_print(out, "%s",
                     letter == 'p'   ? "%p8"
                     : letter == 't' ? "%r7"
                     : letter == 'u' ? "%r6"
                     : letter == 'v' ? "%l7"
                     : letter == 'w' ? "%l6"
                                     : "%q5");
}

static void print_text(const IntegerCase *c, Buffer *out) {
    for (const char *at = c->text; *at; at++) {
        if (*at == '$')
            print_name(c, *++at, out);
        else
            buffer_append(out, at, 1);
    }
}

static void print_loads(const IntegerCase *c, Buffer *out) {
    for (int i = 0; i < OPERANDS; i++) {
        const unsigned bits = c->operands[i];
        if (!bits) continue;
        if (bits == 1)
            buffer_print(out, "ld.global.b32 %%r5, [%%in+%d]; setp.ne.b32 %%p%d, %%r5, 0;\n", 8 * i, i);
        else
            buffer_print(out, "ld.global.b%u %%%s%d, [%%in+%d];\n", bits, register_of(bits), i, 8 * i);
    }
}

static void print_stores(const IntegerCase *c, Buffer *out) {
    const unsigned bits = c->result & ~(unsigned)IS_PAIR;
    if (bits == 1)
        buffer_print(out, "selp.b64 %%l8, 1, 0, %%p9;\n");
    else if (bits < 64)
        buffer_print(out, "cvt.u64.u%u %%l8, %%%s9;\n", bits, register_of(bits));
    else
        buffer_print(out, "mov.b64 %%l8, %%l9;\n");
    if (c->result & IS_PAIR)
        buffer_print(out, "selp.b64 %%l5, 1, 0, %%p8; shl.b64 %%l5, %%l5, %u; or.b64 %%l8, %%l8, %%l5;\n", bits);
    buffer_print(out, "st.global.b64 [%%out], %%l8;\n");
}

static void print_kernel(const IntegerCase *c, unsigned number, Buffer *out) {
    buffer_print(out,
                 ".visible .entry case%u(.param .b64 in, .param .b64 out) {\n"
                 ".reg .pred %%p<10>; .reg .b16 %%h<10>; .reg .b32 %%r<10>; .reg .b64 %%l<10>; .reg .b128 %%q<10>;\n"
                 ".reg .b64 %%in, %%out; .reg .b32 %%lane;\n"
                 "mov.u32 %%lane, %%laneid; ld.param.b64 %%in, [in]; ld.param.b64 %%out, [out];\n"
                 "mad.wide.u32 %%in, %%lane, 32, %%in; mad.wide.u32 %%out, %%lane, 8, %%out;\n",
                 number);
    print_loads(c, out);
    print_text(c, out);
    buffer_print(out, "\n");
    print_stores(c, out);
    buffer_print(out, "ret;\n}\n");
}

static uint64_t cut(uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static void check_case(const Lab *lab, const IntegerCase *c, unsigned number) {
    static uint64_t in[WARP_LANES][OPERANDS], out[WARP_LANES];
    static LabRun run;
    char name[32];
    uint64_t seed = number;
    snprintf(name, sizeof name, "case%u", number);
    const unsigned bits = (c->result & ~(unsigned)IS_PAIR) + (c->result & IS_PAIR ? 1 : 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int l = 0; l < WARP_LANES; l++)
            for (int i = 0; i < OPERANDS; i++)
                in[l][i] = c->operands[i] == 1 ? lab_random(&seed) & 1 : cut(lab_number(&seed), c->operands[i]);
        run.arguments[0] = (uintptr_t)in;
        run.arguments[1] = (uintptr_t)out;
        cr_assert(lab_run(lab, name, &run), "%s", c->text);
        for (int l = 0; l < WARP_LANES; l++) {
            const uint64_t expected = cut(c->value(in[l][0], in[l][1], in[l][2], in[l][3]), bits);
            cr_assert_eq(out[l], expected, "%s of 0x%llx, 0x%llx, 0x%llx, 0x%llx is 0x%llx, not 0x%llx", c->text,
                         (unsigned long long)in[l][0], (unsigned long long)in[l][1], (unsigned long long)in[l][2],
                         (unsigned long long)in[l][3], (unsigned long long)out[l], (unsigned long long)expected);
        }
    }
}

static void check_cases(const char *header, const IntegerCase *all, unsigned count) {
    Buffer text = {0};
    Lab lab;
    buffer_print(&text, "%s", header);
    for (unsigned i = 0; i < count; i++) print_kernel(&all[i], i, &text);
    buffer_append(&text, "", 1);
    const bool opened = lab_open(&lab, (const char *)text.data, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(&lab));
    for (unsigned i = 0; i < count; i++) check_case(&lab, &all[i], i);
    lab_close(&lab);
    buffer_free(&text);
}

Test(integers, of_all_gpus) {
    check_cases(LAB_HEADER, cases, sizeof cases / sizeof *cases);
}

// ---- packed bytes, which sm_120 has

#define CASE(text, result, operands, expr)                                                                             \
    static uint64_t NAMED_BY(__LINE__)(uint64_t a, uint64_t b, uint64_t c, uint64_t e) {                               \
        (void)a, (void)b, (void)c, (void)e;                                                                            \
        return (uint64_t)(expr);                                                                                       \
    }
#include "bytes.def"
#undef CASE
static const IntegerCase byte_cases[] = {
#define CASE(text, result, operands, expr) {text, result, operands, NAMED_BY(__LINE__)},
#include "bytes.def"
#undef CASE
};

Test(integers, packed_bytes) {
    check_cases(".version 9.2\n.target sm_120a\n.address_size 64\n", byte_cases,
                sizeof byte_cases / sizeof *byte_cases);
}
