// SPDX-License-Identifier: Apache-2.0
// Lanes that take different ways: random programs of blocks that jump anywhere, against the same program run for one
// lane after the other; loops, locks, calls, exits.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static LabRun run;
static LabWords in, out;

static void open_lab(Lab *lab, const char *text) {
    const bool opened = lab_open(lab, text, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(lab));
}

// ---- random programs: four numbers, and blocks that change one of them and then go somewhere

enum { BLOCKS_MAX = 14, NUMBERS = 4, TARGETS = 4, PROGRAMS = 60 };
typedef enum Ending { FALL, JUMP, BRANCH, TABLE, EXIT, GUARDED_EXIT, ENDINGS } Ending;
typedef struct Block {
    uint32_t to, from, multiplier, addend; // numbers[to] = numbers[from] * multiplier + addend
    bool guarded;                          // if bit 1 of numbers[from] is set
    Ending ending;
    uint32_t tested, bit; // the bit of a number that decides
    uint32_t targets[TARGETS];
} Block;
typedef struct RandomProgram {
    uint32_t count;
    Block blocks[BLOCKS_MAX];
} RandomProgram;

static uint32_t below(uint64_t *seed, uint32_t limit) {
    return (uint32_t)(lab_random(seed) % limit);
}

static RandomProgram make_program(uint64_t *seed) {
    RandomProgram program = {.count = 3 + below(seed, BLOCKS_MAX - 3)};
    for (uint32_t i = 0; i < program.count; i++) {
        static const Ending endings[] = {FALL, JUMP, BRANCH, BRANCH, BRANCH, BRANCH, TABLE, TABLE, GUARDED_EXIT, EXIT};
        Block *block = &program.blocks[i];
        *block = (Block){.to = below(seed, NUMBERS),
                         .from = below(seed, NUMBERS),
                         .multiplier = below(seed, 1000) * 2 + 1,
                         .addend = below(seed, 100000),
                         .guarded = below(seed, 3) == 0,
                         .ending = endings[below(seed, 10)],
                         .tested = below(seed, NUMBERS),
                         .bit = 3 + below(seed, 12)};
        for (int t = 0; t < TARGETS; t++) block->targets[t] = below(seed, program.count);
    }
    return program;
}

// Fuel, %r10, ends programs that would not: each block takes one.
static void print_program(const RandomProgram *program, unsigned number, Buffer *text) {
    buffer_print(text,
                 ".visible .entry p%u(.param .b64 in, .param .b64 out) {\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%l<4>;\n"
                 "mov.u32 %%r11, %%laneid; ld.param.b64 %%l0, [in]; ld.param.b64 %%l1, [out];\n"
                 "mad.wide.u32 %%l0, %%r11, 32, %%l0; mad.wide.u32 %%l1, %%r11, 32, %%l1;\n"
                 "ld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%l0]; ld.global.b32 %%r10, [%%l0+16];\n",
                 number);
    for (uint32_t i = 0; i < program->count; i++) {
        const Block *b = &program->blocks[i];
        buffer_print(text, "B%u: setp.eq.u32 %%p0, %%r10, 0; @%%p0 bra End; sub.u32 %%r10, %%r10, 1;\n", i);
        if (b->guarded) buffer_print(text, "and.b32 %%r12, %%r%u, 2; setp.ne.u32 %%p1, %%r12, 0; @%%p1 ", b->from);
        buffer_print(text, "mad.lo.u32 %%r%u, %%r%u, %u, %u;\n", b->to, b->from, b->multiplier, b->addend);
        buffer_print(text, "shr.u32 %%r13, %%r%u, %u; and.b32 %%r13, %%r13, %d;\n", b->tested, b->bit,
                     b->ending == TABLE ? TARGETS - 1 : 1);
        if (b->ending == BRANCH || b->ending == GUARDED_EXIT) buffer_print(text, "setp.ne.u32 %%p2, %%r13, 0;\n");
        switch (b->ending) {
        case JUMP: buffer_print(text, "bra B%u;\n", b->targets[0]); break;
        case BRANCH: buffer_print(text, "@%s%%p2 bra B%u;\n", b->bit & 1 ? "!" : "", b->targets[0]); break;
        case TABLE:
            buffer_print(text, "T%u: .branchtargets B%u, B%u, B%u, B%u;\nbrx.idx %%r13, T%u;\n", i, b->targets[0],
                         b->targets[1], b->targets[2], b->targets[3], i);
            break;
        case EXIT: buffer_print(text, "bra End;\n"); break;
        case GUARDED_EXIT:
            buffer_print(text, "@%%p2 st.global.v4.b32 [%%l1], {%%r0, %%r1, %%r2, %%r3}; @%%p2 exit;\n");
            break;
        default: break;
        }
    }
    buffer_print(text, "End: st.global.v4.b32 [%%l1], {%%r0, %%r1, %%r2, %%r3}; ret; }\n");
}

static void run_lane(const RandomProgram *program, uint32_t *numbers, uint32_t fuel) {
    for (uint32_t at = 0; at < program->count && fuel; fuel--) {
        const Block *b = &program->blocks[at++];
        if (!b->guarded || numbers[b->from] & 2) numbers[b->to] = numbers[b->from] * b->multiplier + b->addend;
        const uint32_t index = numbers[b->tested] >> b->bit & (b->ending == TABLE ? TARGETS - 1 : 1);
        if (b->ending == EXIT || (b->ending == GUARDED_EXIT && index)) return;
        if (b->ending == JUMP || (b->ending == BRANCH && index != (b->bit & 1))) at = b->targets[0];
        if (b->ending == TABLE) at = b->targets[index];
    }
}

static void check_program(const Lab *lab, const RandomProgram *program, unsigned number, uint32_t lanes,
                          uint64_t *seed) {
    char name[16];
    snprintf(name, sizeof name, "p%u", number);
    memset(out, 0, sizeof out);
    for (int l = 0; l < WARP_LANES; l++) {
        const uint32_t words[5] = {below(seed, 1 << 20), below(seed, 1 << 20), below(seed, 1 << 20),
                                   below(seed, 1 << 20), below(seed, 60)};
        memcpy(in[l], words, sizeof words);
    }
    run.lanes = lanes;
    cr_assert(lab_run_words(lab, name, &run, in, out), "program %u: end %d", number, run.end);
    for (int l = 0; l < WARP_LANES; l++) {
        uint32_t words[5], result[4];
        memcpy(words, in[l], sizeof words);
        memcpy(result, out[l], sizeof result);
        if (lanes >> l & 1)
            run_lane(program, words, words[4]);
        else
            memset(words, 0, sizeof words);
        for (int i = 0; i < NUMBERS; i++)
            cr_assert_eq(result[i], words[i], "program %u, lane %d, number %d: %u, not %u", number, l, i, result[i],
                         words[i]);
    }
}

static void check_programs(uint64_t seed) {
    static RandomProgram programs[PROGRAMS];
    Buffer text = {0};
    Lab lab;
    buffer_print(&text, "%s", LAB_HEADER);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        programs[i] = make_program(&seed);
        print_program(&programs[i], i, &text);
    }
    buffer_append(&text, "", 1);
    open_lab(&lab, (const char *)text.data);
    for (unsigned i = 0; i < PROGRAMS; i++)
        for (int round = 0; round < 4; round++)
            check_program(&lab, &programs[i], i, round == 1 ? 0x7ffff : round == 2 ? 1 : UINT32_MAX, &seed);
    lab_close(&lab);
    buffer_free(&text);
}

Test(control, random_programs) {
    check_programs(1);
}

Test(control, more_random_programs) {
    check_programs(2);
}

// ---- loops

static const char loops[] = LAB_HEADER
    // Each lane iterates as often as its number says, in two nested loops; the inner one ends early for some.
    LAB_KERNEL("nested", "mov.u32 %r0, 0; mov.u32 %r1, 0;\n"
                         "outer: setp.ge.u32 %p0, %r1, %lane; @%p0 bra done; mov.u32 %r2, 0;\n"
                         "inner: add.u32 %r0, %r0, %r2; add.u32 %r2, %r2, 1; rem.u32 %r3, %r0, 7;\n"
                         "setp.eq.u32 %p1, %r3, 5; @%p1 bra broken; setp.lt.u32 %p2, %r2, %r1; @%p2 bra inner;\n"
                         "broken: add.u32 %r1, %r1, 1; bra outer;\n done: st.global.b32 [%out], %r0;")
    // A lock that one lane of the warp holds while the others spin.
    LAB_KERNEL("lock", "ld.global.b64 %l0, [%in]; \n"
                       "spin: atom.global.cas.b32 %r0, [%l0], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra spin;\n"
                       "ld.global.b32 %r1, [%l0+4]; add.u32 %r1, %r1, 1; st.global.b32 [%l0+4], %r1;\n"
                       "atom.global.exch.b32 %r2, [%l0], 0; st.global.b32 [%out], %r1;")
    // The same in the form that keeps lanes apart until all are done.
    LAB_KERNEL("lock_flag", "ld.global.b64 %l0, [%in]; mov.u32 %r3, 0;\n"
                            "again: atom.global.cas.b32 %r0, [%l0], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra next;\n"
                            "ld.global.b32 %r1, [%l0+4]; add.u32 %r1, %r1, 1; st.global.b32 [%l0+4], %r1;\n"
                            "mov.u32 %r3, 1; atom.global.exch.b32 %r2, [%l0], 0;\n"
                            "next: setp.eq.u32 %p1, %r3, 0; @%p1 bra again; st.global.b32 [%out], %r1;")
    // Lane 0 waits for what lane 1 does later in the text.
    LAB_KERNEL("wait", "ld.global.b64 %l0, [%in]; setp.ne.u32 %p0, %lane, 0; @%p0 bra others;\n"
                       "poll: ld.volatile.global.b32 %r0, [%l0]; setp.eq.u32 %p1, %r0, 0; @%p1 bra poll; bra end;\n"
                       "others: setp.ne.u32 %p2, %lane, 1; @%p2 bra end; st.volatile.global.b32 [%l0], 9;\n"
                       "end: st.global.b32 [%out], %r0;") LAB_KERNEL("endless", "here: bra here;");

static uint32_t nested_value(uint32_t lane) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < lane; i++) {
        uint32_t k = 0;
        do {
            sum += k++;
        } while (sum % 7 != 5 && k < i);
    }
    return sum;
}

Test(control, loops) {
    static uint32_t cells[2];
    Lab lab;
    open_lab(&lab, loops);
    cr_assert(lab_run_words(&lab, "nested", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) cr_assert_eq((uint32_t)out[l][0], nested_value(l), "lane %u", l);
    for (int l = 0; l < WARP_LANES; l++) in[l][0] = (uintptr_t)cells;
    cr_assert(lab_run_words(&lab, "lock", &run, in, out));
    cr_assert_eq(cells[1], WARP_LANES);
    cells[1] = 0;
    cr_assert(lab_run_words(&lab, "lock_flag", &run, in, out));
    cr_assert_eq(cells[1], WARP_LANES);
    cells[0] = 0;
    cr_assert(lab_run_words(&lab, "wait", &run, in, out));
    cr_assert_eq((uint32_t)out[0][0], 9);
    run.loops_max = 3;
    cr_assert(!lab_run_words(&lab, "endless", &run, in, out));
    cr_assert_eq(run.end, LAB_ENDLESS);
    lab_close(&lab);
}

// ---- calls

static const char calls[] = LAB_HEADER
    // factorial(n) = n ? n * factorial(n - 1) : 1, for each lane its own n
    ".func (.param .b32 f) factorial(.param .b32 n) {\n"
    ".reg .b32 %r<4>; .reg .pred %p; .param .b32 a; .param .b32 b;\n"
    "ld.param.b32 %r0, [n]; setp.ne.u32 %p, %r0, 0; mov.u32 %r2, 1; @!%p bra done;\n"
    "sub.u32 %r1, %r0, 1; st.param.b32 [a], %r1; call (b), factorial, (a); ld.param.b32 %r2, [b];\n"
    "mul.lo.u32 %r2, %r2, %r0;\n done: st.param.b32 [f], %r2; ret; }\n"
    ".func (.param .b32 f) twice(.param .b32 n) { .reg .b32 %r<4>; ld.param.b32 %r0, [n]; shl.b32 %r0, %r0, 1;\n"
    "st.param.b32 [f], %r0; ret; }\n"
    // Ends odd lanes.
    ".func (.param .b32 f) even(.param .b32 n) { .reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r0, [n];\n"
    "and.b32 %r1, %r0, 1; setp.ne.u32 %p, %r1, 0; @%p exit; add.u32 %r0, %r0, 100; st.param.b32 [f], %r0; ret; }\n"
    ".func endless(.param .b32 n) { .param .b32 a; .reg .b32 %r0; ld.param.b32 %r0, [n]; st.param.b32 [a], %r0;\n"
    "call endless, (a); ret; }\n" LAB_KERNEL(
        "recursive", ".param .b32 a; .param .b32 b; rem.u32 %r0, %lane, 11; st.param.b32 [a], %r0;\n"
                     "setp.lt.u32 %p0, %lane, 30; mov.u32 %r1, 77;\n"
                     "@!%p0 bra skip; call (b), factorial, (a); ld.param.b32 %r1, [b];\n"
                     "skip: st.global.b32 [%out], %r1;")
        LAB_KERNEL("by_address", ".param .b32 a; .param .b32 b; .reg .b64 %f; st.param.b32 [a], 5;\n"
                                 "and.b32 %r0, %lane, 1; setp.eq.u32 %p0, %r0, 0; mov.u64 %l0, factorial;\n"
                                 "mov.u64 %l1, twice; selp.b64 %f, %l0, %l1, %p0;\n"
                                 "form: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                 "call (b), %f, (a), form; ld.param.b32 %r1, [b]; st.global.b32 [%out], %r1;")
            LAB_KERNEL("wild", ".param .b32 a; .param .b32 b; mov.u64 %l0, 12345; st.param.b32 [a], 5;\n"
                               "form: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %l0, (a), form;")
                LAB_KERNEL("ends", ".param .b32 a; .param .b32 b; st.param.b32 [a], %lane; st.global.b32 [%out], 1;\n"
                                   "call (b), even, (a); ld.param.b32 %r0, [b]; st.global.b32 [%out], %r0;")
                    LAB_KERNEL("deep", ".param .b32 a; st.param.b32 [a], 5; call endless, (a);");

Test(control, calls) {
    Lab lab;
    open_lab(&lab, calls);
    cr_assert(lab_run_words(&lab, "recursive", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t value = 1;
        for (uint32_t i = 2; i <= l % 11; i++) value *= i;
        cr_assert_eq((uint32_t)out[l][0], l < 30 ? value : 77, "lane %u", l);
    }
    cr_assert(lab_run_words(&lab, "by_address", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) cr_assert_eq((uint32_t)out[l][0], l % 2 ? 10 : 120);
    cr_assert(lab_run_words(&lab, "ends", &run, in, out));
    for (uint32_t l = 0; l < WARP_LANES; l++) cr_assert_eq((uint32_t)out[l][0], l % 2 ? 1 : l + 100);
    cr_assert(!lab_run_words(&lab, "wild", &run, in, out));
    cr_assert_eq(run.trap, WARP_TRAP_CALL);
    cr_assert(!lab_run_words(&lab, "deep", &run, in, out));
    cr_assert_eq(run.trap, WARP_TRAP_STACK);
    lab_close(&lab);
}

Test(control, faults) {
    static const char text[] = LAB_HEADER LAB_KERNEL("table", "T: .branchtargets one, two; brx.idx %lane, T; one: two:")
        LAB_KERNEL("trap", "setp.eq.u32 %p0, %lane, 6; @%p0 trap;");
    Lab lab;
    open_lab(&lab, text);
    cr_assert(!lab_run_words(&lab, "table", &run, in, out));
    cr_assert_eq(run.trap, WARP_TRAP_BRANCH);
    cr_assert_eq(run.trap_lanes, ~3u);
    cr_assert(!lab_run_words(&lab, "trap", &run, in, out));
    cr_assert_eq(run.trap, WARP_TRAP);
    cr_assert_eq(run.trap_lanes, 1u << 6);
    lab_close(&lab);
}
