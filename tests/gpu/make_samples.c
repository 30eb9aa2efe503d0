// SPDX-License-Identifier: Apache-2.0
// Makes cases of single instructions: make_samples FOLDER [NAME...]. Each is a row of compiler/ptx/instructions.def (or
// those named) that computes in registers, is atomic, or a product of matrices: in FOLDER a case of each kind of result,
// and a module of each instruction. A thread takes its operands from pools of random and of special bits, has 16 bytes
// of memory of its own, and stores what the instruction makes of them.
//
// Samples of each form take every combination of words, or, where there are too many, every word once and some random
// combinations; those that the reader refuses, and those for other GPUs than sm_90a, are left out.
#include "tests/ptx/sample.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL_MAX = 80,         // combinations of a form
    RANDOM = 40,          // taken of more
    POOL = 1 << 13,       // operands
    POOL_CLASSES = 8,     // kinds of operands, neighbours in a pool
    APPROXIMATE = 1 << 16, // operands, and threads, of approximate instructions
    THREADS = 2048,
    BLOCK = 128,
    VERSION = 87, // of the ISA; sm_90a
    GPU = 90,
    MEMORY = 16,           // bytes that a thread has
    TILE_A = 8 << 10, TILES = 40 << 10, // bytes of the matrices of wgmma
    LITERALS = 8, // of instructions whose literal is a table
    TEXT = 2048,
    VARIANT = TEXT + 8,
    OPERANDS = 12,
    REGISTERS = 128
};

// ---- pools ----------------------------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define PICK(list, random) ((list)[(random) % BASE_COUNT(list)])
static const uint16_t special_f16[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00,
                                       0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x7fff,
                                       0xffff, 0x4000, 0x3800, 0x7d55, 0xfc01, 0x6400, 0x57ff, 0x1400};
static const uint16_t special_bf16[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f7f,
                                        0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffc0, 0x7fff, 0xffff,
                                        0x4000, 0x4f00, 0xcf00, 0x4380, 0x2000, 0xff81};
static const uint32_t special_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xff800001,
    0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 0x477fe000, 0x477ff000, 0x477fefff, 0xc77ff000, 0x38800000,
    0x387fc000, 0x33000000, 0x33000001, 0x33800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x4f7fffff,
    0x5f000000, 0xdf000000, 0x5f800000, 0x3f000000, 0x3fc00000, 0x40200000, 0x43e00000, 0x43e80000, 0x43e7ffff,
    0x47600000, 0x47700000, 0x476fffff, 0x3c800000, 0x3b000000, 0x3a800000, 0x38000000, 0x37800000, 0x7f7f8000,
    0x7f7f7fff, 0x7f7ff000, 0x7f7fefff, 0x00400000, 0x007fe000, 0x40490fdb, 0x7f234567, 0xff9abcde};
static const uint64_t special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000,
    0xfff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff,
    0x47effffff0000000, 0x3810000000000000, 0x380fffffc0000000, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x40effc0000000000, 0x40effe0000000000, 0x3f10000000000000, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000, 0x41efffffffe00000, 0x43e0000000000000,
    0xc3e0000000000000, 0x43f0000000000000, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000};
static const int64_t special_integers[] = {0,   1,   -1,  2,    7,   8,    15,    16,     23,     24,     31,        32,
                                           33,  47,  48,  63,   64,  65,   127,   128,    -128,   -129,   255,       256,
                                           257, 300, 511, 1023, -32, 32767, 32768, -32768, -32769, 65535, 65536, INT32_MAX,
                                           INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};

static uint32_t moderate_f32(uint64_t r) {
    return (uint32_t)(r & 0x807fffff) | (uint32_t)(119 + (r >> 32) % 16) << 23;
}

static uint16_t moderate_f16(uint64_t r) {
    return (uint16_t)((r & 0x83ff) | (11 + (r >> 32) % 8) << 10);
}

static uint16_t moderate_bf16(uint64_t r) {
    return (uint16_t)((r & 0x807f) | (123 + (r >> 32) % 8) << 7);
}

static uint8_t moderate_f8(uint64_t r) { // in e4m3 and in e5m2
    return (uint8_t)((r & 0x80) | (0x30 + (r >> 32) % 24));
}

static uint16_t half_of_class(unsigned class, uint64_t *random) {
    const uint64_t a = next_random(random), b = next_random(random);
    switch (class) {
    case 3: return PICK(special_f16, a);
    case 4: return moderate_f16(a);
    case 5: return b & 1 ? PICK(special_bf16, a) : moderate_bf16(a);
    default: return (uint16_t)(moderate_f8(a) | moderate_f8(b) << 8);
    }
}

static uint64_t bits_of_class(unsigned class, unsigned bits, uint64_t *random) {
    const uint64_t a = next_random(random);
    double number;
    uint64_t result = 0;
    switch (class) {
    case 0: return a;
    case 1: return bits == 64 ? PICK(special_f64, a) : bits == 16 ? PICK(special_f16, a) : PICK(special_f32, a);
    case 2:
        if (bits == 16) return moderate_f16(a);
        if (bits == 32) return moderate_f32(a);
        number = ldexp((double)(int64_t)next_random(random), (int)(a % 24) - 72); // rounds in every way
        memcpy(&result, &number, sizeof result);
        return result;
    case 6: return (uint64_t)PICK(special_integers, a);
    default:
        for (unsigned at = 0; at < bits; at += 16) result |= (uint64_t)half_of_class(class, random) << at;
        return result;
    }
}

// Of approximate instructions: all magnitudes, moderate ones, around 0, around 1.
static uint32_t bits_of_number(unsigned class, uint64_t *random) {
    const uint64_t a = next_random(random);
    float number = (float)((double)(int64_t)a * 0x1p-60); // within 8
    uint32_t bits;
    if (class == 0) return a % 64 ? (uint32_t)(a >> 32) : PICK(special_f32, a >> 32);
    if (class == 1) return (uint32_t)(a & 0x807fffff) | (uint32_t)(107 + (a >> 32) % 40) << 23;
    if (class == 3) number = (float)(1 + (double)(int64_t)a * 0x1p-64); // 0.5 to 1.5
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool write_pool(const char *folder, const char *name, size_t size, const void *bytes) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    const bool good = file_write(&diagnostics, arena_format(&arena, "%s/%s.bin", folder, name), bytes, size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return good;
}

static const struct Pool {
    char letter; // of registers
    unsigned bits;
    const char *name, *type; // of buffers
} pools[] = {{'c', 8, "P8", "i8"}, {'h', 16, "P16", "i16"}, {'r', 32, "P32", "i32"}, {'d', 64, "P64", "i64"}};

static bool write_pools(const char *folder) {
    static uint8_t bytes[POOL * 8];
    static uint32_t numbers[APPROXIMATE];
    static uint64_t memory[THREADS * MEMORY / 8];
    uint64_t random = 1;
    for (size_t i = 0; i < BASE_COUNT(memory); i++) memory[i] = bits_of_class(i / 2 % POOL_CLASSES, 64, &random);
    for (size_t i = 0; i < BASE_COUNT(memory); i++)
        if (i / 2 % POOL_CLASSES == 1 || i / 2 % POOL_CLASSES == 2) // of two f32
            memory[i] = bits_of_class(i / 2 % POOL_CLASSES, 32, &random) |
                        bits_of_class(i / 2 % POOL_CLASSES, 32, &random) << 32;
    if (!write_pool(folder, "MEMORY", sizeof memory, memory)) return false;
    for (size_t p = 0; p < BASE_COUNT(pools); p++) {
        const size_t size = pools[p].bits / 8;
        for (size_t i = 0; i < POOL; i++) {
            const uint64_t value = bits_of_class(i % POOL_CLASSES, pools[p].bits, &random);
            memcpy(bytes + i * size, &value, size);
        }
        if (!write_pool(folder, pools[p].name, POOL * size, bytes)) return false;
    }
    for (size_t i = 0; i < APPROXIMATE; i++) numbers[i] = bits_of_number(i % 4, &random);
    return write_pool(folder, "NUMBERS", sizeof numbers, numbers);
}

// ---- an instruction's text, taken apart -----------------------------------------------------------------------------

typedef struct Operand {
    char text[TEXT];
    const PtxOperandRule *rule; // NULL: not known
} Operand;

typedef struct Taken {
    const PtxOpInfo *info;
    const PtxForm *form;
    char opcode[TEXT];
    unsigned count;
    Operand operands[OPERANDS]; // the first is the result
    char results[REGISTERS][8]; // registers
    unsigned result_count;
    bool has_predicate; // a second result, %p0
} Taken;

// Whether the opcode has the word.
static bool has_word(const Taken *taken, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = taken->opcode; (at = strchr(at, '.')); at++)
        if (!strncmp(at + 1, word, length) && (!at[length + 1] || at[length + 1] == '.')) return true;
    return false;
}

static void take_results(Taken *taken) {
    if (!taken->form->rules[0].result) return;
    for (const char *at = taken->operands[0].text; (at = strchr(at, '%')); at++) {
        char name[8];
        size_t length = 1;
        while (isalnum((unsigned char)at[length]) && length < sizeof name - 1) length++;
        memcpy(name, at, length);
        name[length] = 0;
        if (!strcmp(name, "%p0"))
            taken->has_predicate = true;
        else if (taken->result_count < REGISTERS)
            strcpy(taken->results[taken->result_count++], name);
    }
}

static bool take_apart(const Sample *sample, const char *text, Taken *taken) {
    const char *at = strchr(text, ' ');
    unsigned depth = 0;
    size_t length = 0;
    *taken = (Taken){.info = ptx_op_info(sample->op), .form = &ptx_op_info(sample->op)->forms[sample->form]};
    if (!at || (size_t)(at - text) >= sizeof taken->opcode) return false;
    memcpy(taken->opcode, text, (size_t)(at - text));
    for (at++; *at; at++) {
        Operand *operand = &taken->operands[taken->count];
        if (taken->count == OPERANDS || length + 1 == sizeof operand->text) return false;
        depth += *at == '{';
        depth -= *at == '}';
        const bool end = *at == ';' || (*at == ',' && !depth);
        if (!end && (length || *at != ' ')) operand->text[length++] = *at;
        if (!end) continue;
        length = 0;
        taken->count++;
    }
    for (unsigned i = 0; taken->count == taken->form->rule_count && i < taken->count; i++)
        taken->operands[i].rule = &taken->form->rules[i];
    take_results(taken);
    return true;
}

static bool is_named(const Operand *operand, const char *name) {
    return operand->rule && !strcmp(operand->rule->name, name);
}

static bool is_wgmma(const Taken *taken) {
    return !strncmp(taken->info->id, "wgmma", 5);
}

// Whether it accesses memory; whether that is shared memory.
static bool has_memory(const Taken *taken) {
    for (unsigned i = 0; i < taken->count; i++)
        if (*taken->operands[i].text == '[') return true;
    return false;
}

static bool has_shared(const Taken *taken) {
    return has_memory(taken) && (taken->info->class == PTX_CLASS_MATRIX || strstr(taken->opcode, ".shared"));
}

// ---- the type of the result -----------------------------------------------------------------------------------------

typedef struct Result {
    const char *type; // of the buffer
    unsigned bits;    // of a register
    char register_name;
} Result;

static const char *first_type(const Taken *taken) {
    static const char *const floats[] = {"f16x2", "bf16x2", "f16", "bf16", "f32", "f64", "tf32"};
    const char *at = taken->opcode;
    while ((at = strchr(at, '.'))) {
        at++;
        for (unsigned t = 0; t < PTX_TYPE_COUNT; t++) {
            const char *name = ptx_type_info((PtxType)t)->name;
            const size_t length = strlen(name);
            if (strncmp(at, name, length) || (at[length] && at[length] != '.')) continue;
            for (size_t i = 0; i < BASE_COUNT(floats); i++)
                if (!strcmp(floats[i], name)) return floats[i];
            return "";
        }
    }
    return "";
}

static Result result_of(const Taken *taken) {
    const char *type = first_type(taken);
    const char letter = taken->result_count ? taken->results[0][1] : 'r';
    const bool half = !strncmp(type, "f16", 3), bhalf = !strncmp(type, "bf16", 4);
    switch (letter) {
    case 'p': return (Result){"i32", 32, 'p'};
    case 'c': return (Result){"i8", 8, 'c'};
    case 'h': return (Result){half ? "f16" : bhalf ? "bf16" : "i16", 16, 'h'};
    case 'd': return (Result){!strcmp(type, "f64") ? "f64" : "i64", 64, 'd'};
    default:
        return (Result){half ? "f16" : bhalf ? "bf16" : strstr(type, "f32") ? "f32" : "i32", 32, 'r'};
    }
}

// ---- a module -------------------------------------------------------------------------------------------------------

typedef struct Output {
    const char *folder;
    uint64_t random;
    unsigned samples, refused;
    char (*names)[64]; // of cases, sorted as they come
    size_t name_count;
} Output;

static bool is_approximate(const Taken *taken) {
    return has_word(taken, "approx") || has_word(taken, "full");
}

static bool is_of_warps(const Taken *taken) {
    return taken->info->class == PTX_CLASS_MATRIX;
}

// Of an approximate instruction that takes halves: all of them.
static void print_every_half(const char *name, Buffer *out) {
    if (name[1] == 'h')
        buffer_print(out, "cvt.u16.u32 %s, %%t;\n", name);
    else
        buffer_print(out, "shl.b32 %%i, %%t, 16; xor.b32 %%i, %%i, 0x5a5a0000; or.b32 %s, %%i, %%t;\n", name);
}

// Loads a register from the pool of its width: another element for each operand, of one class in a thread (in a warp,
// where a warp computes together).
static void print_load(const Taken *taken, const char *name, unsigned number, Buffer *out) {
    const char letter = name[1] == 'p' ? 'r' : name[1];
    const struct Pool *pool = pools;
    while (pool->letter != letter) pool++;
    const bool numbers = is_approximate(taken) && letter == 'r';
    if (is_approximate(taken) && strchr(first_type(taken), '1')) { // f16, bf16 and pairs
        print_every_half(name, out);
        return;
    }
    if (name[1] == 'p' && is_wgmma(taken)) { // of the whole block
        buffer_print(out, "setp.ne.u32 %s, %%b, 5;\n", name);
        return;
    }
    if (numbers && !number) {
        buffer_print(out, "mad.wide.u32 %%e, %%t, 4, %%n;\nld.global.b32 %s, [%%e];\n", name);
        return;
    }
    buffer_print(out, "mad.lo.u32 %%i, %%g, %u, %u; and.b32 %%i, %%i, %u; mad.lo.u32 %%i, %%i, %d, %%k;\n",
                 2 * (number * 37 % 491) + 1, number * 211, POOL / POOL_CLASSES - 1, POOL_CLASSES);
    buffer_print(out, "mad.wide.u32 %%e, %%i, %u, %%a%u;\n", pool->bits / 8, pool->bits);
    const char *target = name[1] == 'p' ? "%f" : name;
    buffer_print(out, "ld.global.b%u %s, [%%e];\n", pool->bits, target);
    if (name[1] == 'p')
        buffer_print(out, "shr.u32 %%f, %%f, 3; and.b32 %%f, %%f, 1; setp.ne.u32 %s, %%f, 0;\n", name);
}

// Where an operand leads to, in the register of its address.
static void print_address(const Taken *taken, const char *text, Buffer *out) {
    const int length = (int)strcspn(text + 1, "]");
    const bool generic = has_shared(taken) && !strstr(taken->opcode, ".shared");
    buffer_print(out, "%s %.*s, %s;\n", generic ? "cvta.shared.u64" : "mov.b64", length, text + 1,
                 has_shared(taken) ? "%w" : "%m");
}

// Of wgmma: matrices of rows of 128 bytes, swizzled; or of blocks of 8 x 16 bytes.
static void print_descriptor(const char *name, unsigned begin, bool swizzled, Buffer *out) {
    const uint64_t bits = swizzled ? UINT64_C(1) << 62 | UINT64_C(1024 / 16) << 32 | UINT64_C(1) << 16
                                   : UINT64_C(256 / 16) << 32 | UINT64_C(128 / 16) << 16;
    buffer_print(out,
                 "mov.u32 %%f, tiles; add.u32 %%f, %%f, %u; shr.u32 %%f, %%f, 4; and.b32 %%f, %%f, 0x3fff;\n"
                 "cvt.u64.u32 %s, %%f; or.b64 %s, %s, 0x%" PRIx64 ";\n",
                 begin, name, name, name, bits);
}

// What some operands have to be, so that the result is defined.
static void print_limits(const Taken *taken, const Operand *operand, const char *name, Buffer *out) {
    const bool sparse = strstr(taken->info->id, "_sparse") && *operand->text != '{' && name[1] == 'r';
    if (taken->info->class == PTX_CLASS_WARP && is_named(operand, "mask"))
        buffer_print(out, "mov.b32 %s, 0xffffffff;\n", name);
    if (taken->info->class == PTX_CLASS_WARP && is_named(operand, "c"))
        buffer_print(out, "and.b32 %s, %s, 0x1f1f;\n", name, name);
    if (is_named(operand, "policy")) buffer_print(out, "createpolicy.fractional.L2::evict_last.b64 %s, 1.0;\n", name);
    if (!strcmp(taken->info->id, "fns") && is_named(operand, "base"))
        buffer_print(out, "and.b32 %s, %s, 31;\n", name, name);
    if (sparse) // elements 0 and 1, or 2 and 3, of each four
        buffer_print(out, "and.b32 %s, %s, 0x11111111; mul.lo.u32 %s, %s, 10; xor.b32 %s, %s, 0x44444444;\n", name,
                     name, name, name, name, name);
}

static void print_loads(const Taken *taken, Buffer *out) {
    const bool swizzled = strlen(taken->opcode) % 2; // some are
    unsigned number = 0, first = taken->result_count && !is_wgmma(taken); // accumulators are operands
    for (unsigned i = first; i < taken->count; i++)
        if (*taken->operands[i].text == '[')
            print_address(taken, taken->operands[i].text, out);
        else if (is_wgmma(taken) && !strncmp(taken->operands[i].text, "%d", 2))
            print_descriptor(taken->operands[i].text, i == 1 ? 0 : TILE_A, swizzled, out);
        else for (const char *at = taken->operands[i].text; (at = strchr(at, '%')); at++) {
            char name[8];
            size_t length = 1;
            while (isalnum((unsigned char)at[length]) && length < sizeof name - 1) length++;
            memcpy(name, at, length);
            name[length] = 0;
            print_load(taken, name, number++, out);
            print_limits(taken, &taken->operands[i], name, out);
        }
}

// The instruction between those that give it a carry and take the one that it makes.
static void print_instruction(const Taken *taken, const char *text, Buffer *out) {
    const char *id = taken->info->id;
    if (!strcmp(id, "addc") || !strcmp(id, "subc") || !strcmp(id, "madc"))
        buffer_print(out, "%s.cc.u32 %%f, %%t, 0x%s;\n", *id == 's' ? "sub" : "add",
                     *id == 's' ? "00000100" : "ffffff00");
    if (is_wgmma(taken)) buffer_print(out, "wgmma.fence.sync.aligned;\n");
    buffer_print(out, "%s\n", text);
    if (is_wgmma(taken))
        buffer_print(out, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    if (has_word(taken, "cc")) buffer_print(out, "%sc.u32 %%f, 0, 0;\n", *id == 's' ? "sub" : "add");
}

static void print_stores(const Taken *taken, Buffer *out) {
    const Result result = result_of(taken);
    if (!taken->result_count) return;
    buffer_print(out, "mad.wide.u32 %%e, %%t, %u, %%z;\n", taken->result_count * result.bits / 8);
    for (unsigned i = 0; i < taken->result_count; i++)
        if (result.register_name == 'p')
            buffer_print(out, "selp.u32 %%f, 1, 0, %s; st.global.b32 [%%e+%u], %%f;\n", taken->results[i], i * 4);
        else
            buffer_print(out, "st.global.b%u [%%e+%u], %s;\n", result.bits, i * result.bits / 8, taken->results[i]);
}

// Copies what the thread has in M to shared memory, or back.
static void print_copy(bool back, Buffer *out) {
    const char *const from = back ? "shared" : "global", *const to = back ? "global" : "shared";
    if (back) buffer_print(out, "bar.sync 0;\n");
    buffer_print(out, "ld.%s.v4.b32 {%%i, %%f, %%b, %%s}, [%s];\nst.%s.v4.b32 [%s], {%%i, %%f, %%b, %%s};\n", from,
                 back ? "%w" : "%m", to, back ? "%m" : "%w");
    if (!back) buffer_print(out, "bar.sync 0;\n");
}

// Fills the matrices of wgmma from the pool, of one class in a block.
static void print_tiles(Buffer *out) {
    buffer_print(out,
                 "mov.u32 %%i, %%tid.x;\nand.b32 %%b, %%b, %d;\nFILL:\n"
                 "mad.lo.u32 %%f, %%i, 37, %%t; and.b32 %%f, %%f, %d; mad.lo.u32 %%f, %%f, %d, %%b;\n"
                 "mad.wide.u32 %%e, %%f, 4, %%a32;\nld.global.b32 %%f, [%%e];\n"
                 "mov.u32 %%s, tiles; mad.lo.u32 %%s, %%i, 4, %%s;\nst.shared.b32 [%%s], %%f;\n"
                 "add.u32 %%i, %%i, %d; setp.lt.u32 %%p599, %%i, %d;\n@%%p599 bra FILL;\n"
                 "fence.proxy.async;\nbar.sync 0;\n",
                 POOL_CLASSES - 1, POOL / POOL_CLASSES - 1, POOL_CLASSES, BLOCK, TILES / 4);
}

static void print_module(const Taken *taken, const char *text, Buffer *out) {
    const bool cc = has_word(taken, "cc");
    buffer_print(out,
                 ".version %u.%u\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry sample(.param .u64 p8, .param .u64 p16, .param .u64 p32, .param .u64 p64,\n"
                 "    .param .u64 pn, .param .u64 pz, .param .u64 pq, .param .u64 pm)\n{\n"
                 ".reg .pred %%p<600>;\n.reg .b8 %%c<20>;\n.reg .b16 %%h<600>;\n.reg .b32 %%r<600>;\n"
                 ".reg .b64 %%d<600>;\n.reg .b32 %%t, %%i, %%f, %%g, %%k, %%b, %%s;\n"
                 ".reg .b64 %%a8, %%a16, %%a32, %%a64, %%n, %%z, %%q, %%e, %%m, %%w;\n",
                 VERSION / 10, VERSION % 10);
    buffer_print(out, "ld.param.u64 %%a8, [p8];\nld.param.u64 %%a16, [p16];\nld.param.u64 %%a32, [p32];\n"
                      "ld.param.u64 %%a64, [p64];\nld.param.u64 %%n, [pn];\nld.param.u64 %%z, [pz];\n"
                      "ld.param.u64 %%q, [pq];\nld.param.u64 %%m, [pm];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\n"
                      "mov.u32 %%s, %%ntid.x;\nmad.lo.u32 %%t, %%b, %%s, %%t;\n");
    if (is_of_warps(taken))
        buffer_print(out, "mov.u32 %%g, %%t; shr.u32 %%k, %%t, 5; and.b32 %%k, %%k, %d;\n", POOL_CLASSES - 1);
    else
        buffer_print(out, "shr.u32 %%g, %%t, 3; and.b32 %%k, %%t, %d;\n", POOL_CLASSES - 1);
    buffer_print(out, "mad.wide.u32 %%m, %%t, %d, %%m;\n", MEMORY);
    if (has_shared(taken)) {
        buffer_print(out, ".shared .align 128 .b8 own[%d];\nmov.u32 %%i, own; mov.u32 %%f, %%tid.x;\n"
                          "mad.lo.u32 %%i, %%f, %d, %%i; cvt.u64.u32 %%w, %%i;\n", BLOCK * MEMORY, MEMORY);
        print_copy(false, out);
    }
    if (is_wgmma(taken)) {
        buffer_print(out, ".shared .align 1024 .b8 tiles[%d];\n", TILES);
        print_tiles(out);
    }
    print_loads(taken, out);
    print_instruction(taken, text, out);
    if (has_shared(taken)) print_copy(true, out);
    if (cc || taken->has_predicate) buffer_print(out, "mad.wide.u32 %%q, %%t, 4, %%q;\n");
    if (taken->has_predicate) buffer_print(out, "selp.u32 %%f, 1, 0, %%p0;\n");
    if (cc || taken->has_predicate) buffer_print(out, "st.global.b32 [%%q], %%f;\n");
    print_stores(taken, out);
    buffer_print(out, "ret;\n}\n");
}

// ---- cases ----------------------------------------------------------------------------------------------------------

static void print_case(const Taken *taken, Buffer *out) {
    const Result result = result_of(taken);
    const unsigned threads = is_approximate(taken) ? APPROXIMATE : THREADS;
    const unsigned type_bits = !strcmp(result.type, "f16") || !strcmp(result.type, "bf16") ? 16 : result.bits;
    buffer_print(out, "# SPDX-License-Identifier: Apache-2.0\n# Written by make_samples.\nprofile: triton-3.9\n"
                      "modes: [ieee]\nbuffers:\n");
    for (size_t p = 0; p < BASE_COUNT(pools); p++)
        buffer_print(out, "  %s: {type: %s, shape: [%d], fill: {file: %s.bin}}\n", pools[p].name, pools[p].type, POOL,
                     pools[p].name);
    buffer_print(out, "  NUMBERS: {type: i32, shape: [%d], fill: {file: NUMBERS.bin}}\n", APPROXIMATE);
    const unsigned results = taken->result_count ? taken->result_count : 1;
    buffer_print(out, "  Z: {type: %s, shape: [%u]}\n  Q: {type: i32, shape: [%u]}\n", result.type,
                 threads * results * (result.bits / type_bits), threads);
    buffer_print(out, "  M: {type: i32, shape: [%d], fill: {file: MEMORY.bin}}\n", THREADS * MEMORY / 4);
    buffer_print(out, "compare: [Z, Q%s]\ntolerance: {ieee: {}}\nvariants:\n", has_memory(taken) ? ", M" : "");
}

static bool append_file(const char *path, const Buffer *text) {
    FILE *file = fopen(path, "a");
    const bool good = file && fwrite(text->data, 1, text->size, file) == text->size;
    if (file) fclose(file);
    return good;
}

// "cvt-rn-f16-f32-s0123": variants have no other characters.
static void name_variant(const Taken *taken, const char *module, char name[VARIANT]) {
    snprintf(name, VARIANT, "%s-%.5s", taken->opcode, module);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-') *c = *c == '.' ? '-' : '_';
}

// A variant of the case of its kind.
static bool add_variant(Output *out, const Taken *taken, const char *module) {
    const Result result = result_of(taken);
    const unsigned threads = is_approximate(taken) ? APPROXIMATE : THREADS;
    char name[64], path[TEXT], variant[VARIANT];
    Buffer text = {0};
    name_variant(taken, module, variant);
    snprintf(name, sizeof name, "%s%s.%s.%ux%u", is_approximate(taken) ? "approximate." : "", taken->info->id,
             result.type, taken->result_count, result.bits);
    size_t known = 0;
    while (known < out->name_count && strcmp(out->names[known], name)) known++;
    if (known == out->name_count) {
        out->names = realloc(out->names, (out->name_count + 1) * sizeof *out->names);
        if (!out->names) abort();
        strcpy(out->names[out->name_count++], name);
        print_case(taken, &text);
    }
    buffer_print(&text, "  %s:\n    - {module: %s, grid: [%u], block: [%d], args: [P8, P16, P32, P64, NUMBERS, Z, Q, M]}\n",
                 variant, module, threads / BLOCK, BLOCK);
    snprintf(path, sizeof path, "%s/%s.yaml", out->folder, name);
    const bool good = append_file(path, &text);
    buffer_free(&text);
    return good;
}

static bool is_read(const Buffer *module) {
    Diagnostics diagnostics = {0};
    const Program *program =
        ptx_front_end.read(&diagnostics, "sample.ptx", (const uint8_t *)module->data, module->size);
    const bool good = program;
    program_close(program);
    diagnostics_close(&diagnostics);
    return good;
}

static bool write_sample(Output *out, const Taken *taken, const char *text) {
    Buffer module = {0};
    char name[64], path[TEXT];
    print_module(taken, text, &module);
    bool good = true;
    if (is_read(&module)) {
        snprintf(name, sizeof name, "s%04u.ptx", out->samples++);
        snprintf(path, sizeof path, "%s/%s", out->folder, name);
        FILE *file = fopen(path, "w");
        good = file && fprintf(file, "// %s\n", text) > 0;
        if (file) fclose(file);
        good = good && append_file(path, &module) && add_variant(out, taken, name);
    } else {
        out->refused++;
    }
    buffer_free(&module);
    return good;
}

// ---- samples --------------------------------------------------------------------------------------------------------

// Whether it computes in registers, of numbers.
static bool is_wanted(const PtxOpInfo *info, const PtxForm *form) {
    static const char *const left_out[] = {"cvta", "isspacep", "mapa", "getctarank", "activemask", "mov"};
    const unsigned classes = 1u << PTX_CLASS_INTEGER | 1u << PTX_CLASS_FLOAT | 1u << PTX_CLASS_MOVE |
                             1u << PTX_CLASS_MATRIX | 1u << PTX_CLASS_WARP | 1u << PTX_CLASS_VIDEO |
                             1u << PTX_CLASS_ATOMIC;
    const bool addresses = info->class == PTX_CLASS_ATOMIC || strstr(info->id, "tmatrix") || strstr(info->id, "dmatrix");
    if (!(classes >> info->class & 1) || !form->rule_count) return false;
    for (size_t i = 0; i < BASE_COUNT(left_out); i++)
        if (!strcmp(left_out[i], info->id)) return false;
    if (!strncmp(info->id, "wmma", 4)) return false; // who has what of a matrix is not documented
    for (unsigned i = 0; i < form->rule_count; i++)
        if (form->rules[i].kind >= PTX_RULE_LABEL || (form->rules[i].kind == PTX_RULE_ADDRESS && !addresses))
            return false;
    return form->rules[0].result || addresses;
}

// What assemblers refuse, though it is not wrong to read it.
static bool is_refused(const Taken *taken) {
    static const char *const integers[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};
    const char *last = strrchr(taken->opcode, '.');
    if (!last) return false;
    if (taken->info->class == PTX_CLASS_VIDEO && has_word(taken, "sat") && !strcmp(last, ".add")) return true;
    if (has_word(taken, "L2::cache_hint") && strstr(taken->opcode, ".shared")) return true;
    if (has_word(taken, "ftz") && has_word(taken, "f64") && !strcmp(last, ".bf16")) return true;
    if (has_word(taken, "ftz") && !strcmp(last, ".f64")) return !has_word(taken, "approx");
    if (strcmp(taken->info->id, "cvt_integer") || !has_word(taken, "sat")) return false;
    int types[2] = {0, 0}, count = 0; // of the result and of the operand: the result has to lack something
    for (const char *at = taken->opcode; (at = strchr(at, '.')); at++)
        for (int i = 0; i < (int)BASE_COUNT(integers) && count < 2; i++)
            if (!strncmp(at + 1, integers[i], strlen(integers[i])) && (!at[1 + strlen(integers[i])] ||
                                                                        at[1 + strlen(integers[i])] == '.'))
                types[count++] = i;
    const bool wider = types[0] % 4 > types[1] % 4;
    return types[0] / 4 == types[1] / 4 ? types[0] % 4 >= types[1] % 4 : types[0] / 4 && wider;
}

static bool write_with_literals(Output *out, const Sample *sample, const char *text) {
    Taken taken;
    if (!take_apart(sample, text, &taken) || strstr(text, "%q") || is_refused(&taken)) return true;
    for (unsigned i = 1; i < taken.count; i++) {
        if (!is_named(&taken.operands[i], "lut")) continue;
        for (int n = 0; n < LITERALS; n++) { // a literal 0 stands there
            char changed[TEXT];
            const char *at = strstr(text, ", 0");
            snprintf(changed, sizeof changed, "%.*s, %u%s", (int)(at - text), text,
                     (unsigned)(next_random(&out->random) & 255), at + 3);
            if (!take_apart(sample, changed, &taken) || !write_sample(out, &taken, changed)) return false;
        }
        return true;
    }
    return write_sample(out, &taken, text);
}

// Of wgmma: signs and, where there are some, transpositions behind the predicate; a matrix in registers has none.
static void change_numbers(Output *out, const Sample *sample, char text[TEXT]) {
    const bool transposes = strstr(ptx_op_info(sample->op)->forms[sample->form].operands, "#ta");
    const bool integers = !strstr(ptx_op_info(sample->op)->forms[sample->form].operands, "#sa");
    char *at = strstr(text, ", %p");
    at = at ? strchr(at + 2, ',') : NULL;
    if (!at || integers) return;
    const uint64_t random = next_random(&out->random);
    const bool registers = strstr(text, "}, {");
    at += snprintf(at, (size_t)(text + TEXT - at), ", %d, %d", random & 1 ? 1 : -1, random & 2 ? 1 : -1);
    if (transposes && !registers) at += snprintf(at, (size_t)(text + TEXT - at), ", %d", (int)(random >> 2 & 1));
    if (transposes) at += snprintf(at, (size_t)(text + TEXT - at), ", %d", (int)(random >> 3 & 1));
    snprintf(at, (size_t)(text + TEXT - at), ";");
}

static bool write_one(Output *out, const Sample *sample) {
    const PtxTargetInfo *target = sample_target(sample);
    const PtxForm *form = &ptx_op_info(sample->op)->forms[sample->form];
    if (!target || target->sm > GPU || (target->suffix && target->sm != GPU) || sample_version(sample) > VERSION)
        return true;
    Buffer text = {0};
    sample_print_instruction(sample, &text);
    char changed[TEXT];
    const char *space = strchr(text.data, ' '), *comma = space ? strchr(space, ',') : NULL;
    bool good = true;
    const char *type = strrchr(text.data, '.');
    const bool half = space && type < space && (!strncmp(type, ".f16 ", 5) || !strncmp(type, ".bf16 ", 6));
    if (comma && form->rules[0].pair == 1 && !half) { // with the second result
        snprintf(changed, sizeof changed, "%.*s|%%p0%s", (int)(comma - text.data), text.data, comma);
        good = write_with_literals(out, sample, changed);
    }
    if (text.size + 16 < TEXT && !strncmp(ptx_op_info(sample->op)->id, "wgmma", 5)) {
        snprintf(changed, sizeof changed, "%s", text.data);
        change_numbers(out, sample, changed);
        good = write_with_literals(out, sample, changed);
    } else if (form->rules[0].pair != 1 || ptx_op_info(sample->op)->class != PTX_CLASS_WARP) {
        good = good && write_with_literals(out, sample, text.data);
    }
    buffer_free(&text);
    return good;
}

// The choices of number `n` of all combinations.
static Sample combination(PtxOp op, unsigned form, uint64_t n) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    Sample sample = sample_plain(op, form);
    for (unsigned slot = 0; slot < f->slot_count; slot++) {
        const unsigned count = sample_alternatives(&f->slots[slot]) + f->slots[slot].optional;
        sample.choices[slot] = (int)(n % count) - f->slots[slot].optional;
        n /= count;
    }
    return sample;
}

static bool write_form(Output *out, PtxOp op, unsigned form) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    uint64_t all = 1, random = (uint64_t)op << 16 | form;
    if (!is_wanted(ptx_op_info(op), f) || !sample_is_possible(op, form)) return true;
    for (unsigned slot = 0; slot < f->slot_count; slot++)
        all *= sample_alternatives(&f->slots[slot]) + f->slots[slot].optional;
    const bool wgmma = !strncmp(ptx_op_info(op)->id, "wgmma", 5);
    for (uint64_t n = 0; n < all && all <= ALL_MAX; n++) {
        const Sample sample = combination(op, form, n);
        if (!write_one(out, &sample)) return false;
    }
    for (int n = 0; n < RANDOM && all > ALL_MAX; n++) {
        const Sample sample = combination(op, form, next_random(&random) % all);
        if (!write_one(out, &sample)) return false;
    }
    for (unsigned slot = 0; slot < f->slot_count && all > ALL_MAX; slot++)
        for (unsigned choice = 0; choice < sample_alternatives(&f->slots[slot]); choice++) {
            Sample sample = sample_plain(op, form);
            sample.choices[slot] = (int)choice;
            sample.second = wgmma && choice & 1; // matrix A in registers
            if (!write_one(out, &sample)) return false;
        }
    return true;
}

int main(int count, char **words) {
    Output out = {.folder = count > 1 ? words[1] : NULL, .random = 7};
    if (!out.folder) {
        fprintf(stderr, "usage: make_samples FOLDER [NAME...]\n");
        return 2;
    }
    bool good = write_pools(out.folder);
    for (unsigned op = 0; op < PTX_OP_COUNT && good; op++) {
        bool asked = count == 2;
        for (int i = 2; i < count; i++) asked |= !strcmp(words[i], ptx_op_info((PtxOp)op)->id);
        for (unsigned form = 0; asked && form < ptx_op_info((PtxOp)op)->form_count && good; form++)
            good = write_form(&out, (PtxOp)op, form);
    }
    printf("%u samples in %zu cases; the reader refuses %u\n", out.samples, out.name_count, out.refused);
    free(out.names);
    return !good;
}
