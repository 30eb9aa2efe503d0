// SPDX-License-Identifier: Apache-2.0
// The module of a single instruction.
#include "tests/gpu/samples.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { TILE_A = 8 << 10, TILES = 40 << 10 }; // bytes of the matrices of wgmma

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
    const SamplePool *pool = pools;
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
    if (name[1] == 'p') buffer_print(out, "shr.u32 %%f, %%f, 3; and.b32 %%f, %%f, 1; setp.ne.u32 %s, %%f, 0;\n", name);
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
    const bool swizzled = strlen(taken->opcode) % 2;                      // some are
    unsigned number = 0, first = taken->result_count && !is_wgmma(taken); // accumulators are operands
    for (unsigned i = first; i < taken->count; i++)
        if (*taken->operands[i].text == '[')
            print_address(taken, taken->operands[i].text, out);
        else if (is_wgmma(taken) && !strncmp(taken->operands[i].text, "%d", 2))
            print_descriptor(taken->operands[i].text, i == 1 ? 0 : TILE_A, swizzled, out);
        else
            for (const char *at = taken->operands[i].text; (at = strchr(at, '%')); at++) {
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
    if (is_wgmma(taken)) buffer_print(out, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
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

void print_module(const Taken *taken, const char *text, Buffer *out) {
    const bool cc = has_word(taken, "cc");
    buffer_print(out,
                 ".version %u.%u\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry sample(.param .u64 p8, .param .u64 p16, .param .u64 p32, .param .u64 p64,\n"
                 "    .param .u64 pn, .param .u64 pz, .param .u64 pq, .param .u64 pm)\n{\n"
                 ".reg .pred %%p<600>;\n.reg .b8 %%c<20>;\n.reg .b16 %%h<600>;\n.reg .b32 %%r<600>;\n"
                 ".reg .b64 %%d<600>;\n.reg .b32 %%t, %%i, %%f, %%g, %%k, %%b, %%s;\n"
                 ".reg .b64 %%a8, %%a16, %%a32, %%a64, %%n, %%z, %%q, %%e, %%m, %%w;\n",
                 VERSION / 10, VERSION % 10);
    buffer_print(out,
                 "ld.param.u64 %%a8, [p8];\nld.param.u64 %%a16, [p16];\nld.param.u64 %%a32, [p32];\n"
                 "ld.param.u64 %%a64, [p64];\nld.param.u64 %%n, [pn];\nld.param.u64 %%z, [pz];\n"
                 "ld.param.u64 %%q, [pq];\nld.param.u64 %%m, [pm];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\n"
                 "mov.u32 %%s, %%ntid.x;\nmad.lo.u32 %%t, %%b, %%s, %%t;\n");
    if (is_of_warps(taken))
        buffer_print(out, "mov.u32 %%g, %%t; shr.u32 %%k, %%t, 5; and.b32 %%k, %%k, %d;\n", POOL_CLASSES - 1);
    else
        buffer_print(out, "shr.u32 %%g, %%t, 3; and.b32 %%k, %%t, %d;\n", POOL_CLASSES - 1);
    buffer_print(out, "mad.wide.u32 %%m, %%t, %d, %%m;\n", MEMORY);
    if (has_shared(taken)) {
        buffer_print(out,
                     ".shared .align 128 .b8 own[%d];\nmov.u32 %%i, own; mov.u32 %%f, %%tid.x;\n"
                     "mad.lo.u32 %%i, %%f, %d, %%i; cvt.u64.u32 %%w, %%i;\n",
                     BLOCK * MEMORY, MEMORY);
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
