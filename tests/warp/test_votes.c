// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together, against the pseudocode of the ISA: in whole warps, in parts of warps, in groups
// that have come apart, and where a lane is missing.
#include "kernel_lab.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ROUNDS = 200 };
static LabRun run;
static LabWords in, out;

static void open_lab(Lab *lab, const char *text) {
    const bool opened = lab_open(lab, text, COMPILE_IEEE);
    cr_assert(opened, "%s", lab_problem(lab));
}

static void fill(uint64_t *seed) {
    for (int l = 0; l < WARP_LANES; l++)
        for (int i = 0; i < LAB_WORDS; i++) in[l][i] = lab_number(seed);
    memset(out, 0x77, sizeof out);
}

// ---- shuffles

typedef enum Mode { UP, DOWN, BFLY, IDX } Mode;

// The lane that `lane` reads; *inside: the predicate.
static int source_lane(Mode mode, int lane, unsigned b, unsigned c, bool *inside) {
    const int step = b & 31, bound = c & 31, mask = c >> 8 & 31;
    const int most = (lane & mask) | (bound & ~mask), least = lane & mask;
    int from = mode == UP     ? lane - step
               : mode == DOWN ? lane + step
               : mode == BFLY ? lane ^ step
                              : least | (step & ~mask);
    *inside = mode == UP ? from >= most : from <= most;
    return *inside ? from : lane;
}

static void check_shuffle(Mode mode, uint32_t lanes, const unsigned *b, const unsigned *c) {
    for (int l = 0; l < WARP_LANES; l++) {
        bool inside;
        if (!(lanes >> l & 1)) {
            cr_assert_eq(out[l][0], UINT64_C(0x7777777777777777));
            continue;
        }
        const int from = source_lane(mode, l, b[l], c[l], &inside);
        cr_assert_eq((uint32_t)out[l][0], (uint32_t)in[from][0], "mode %d, lane %d: %x, not that of lane %d: %x", mode,
                     l, (unsigned)out[l][0], from, (unsigned)in[from][0]);
        cr_assert_eq(out[l][1], inside, "mode %d, lane %d", mode, l);
    }
}

#define SHUFFLE(name, mode, b, c)                                                                                      \
    LAB_KERNEL(name, "ld.global.b32 %r0, [%in]; ld.global.b32 %r1, [%in+8]; ld.global.b32 %r2, [%in+16];\n"            \
                     "shfl.sync." mode ".b32 %r3|%p0, %r0, " b ", " c ", -1;\n"                                        \
                     "st.global.b64 [%out], 0; st.global.b32 [%out], %r3;\n"                                           \
                     "selp.b64 %l0, 1, 0, %p0; st.global.b64 [%out+8], %l0;")

static const char *const shuffle_names[] = {"up", "down", "bfly", "idx"};

Test(votes, shuffles) {
    Lab lab;
    uint64_t seed = 1;
    open_lab(&lab, LAB_HEADER SHUFFLE("up", "up", "%r1", "%r2") SHUFFLE("down", "down", "%r1", "%r2")
                       SHUFFLE("bfly", "bfly", "%r1", "%r2") SHUFFLE("idx", "idx", "%r1", "%r2"));
    for (int round = 0; round < ROUNDS; round++)
        for (Mode mode = UP; mode <= IDX; mode++) {
            unsigned b[WARP_LANES], c[WARP_LANES];
            fill(&seed);
            for (int l = 0; l < WARP_LANES; l++) {
                b[l] = (unsigned)(in[l][1] = lab_random(&seed) & (round % 2 ? 31 : UINT32_MAX));
                c[l] = (unsigned)(in[l][2] = round % 3 ? lab_random(&seed) & 0x1f1f : mode == UP ? 0 : 31);
            }
            cr_assert(lab_run_words(&lab, shuffle_names[mode], &run, in, out));
            check_shuffle(mode, UINT32_MAX, b, c);
        }
    lab_close(&lab);
}

Test(votes, shuffles_by_literals) {
    static const struct {
        const char *kernel;
        Mode mode;
        unsigned b, c;
    } rows[] = {{"a", BFLY, 16, 31}, {"b", BFLY, 1, 31}, {"c", IDX, 5, 31}, {"d", DOWN, 3, 0x1807}, {"e", UP, 1, 0}};
    Lab lab;
    uint64_t seed = 2;
    open_lab(&lab, LAB_HEADER SHUFFLE("a", "bfly", "16", "31") SHUFFLE("b", "bfly", "1", "31")
                       SHUFFLE("c", "idx", "5", "31") SHUFFLE("d", "down", "3", "0x1807") SHUFFLE("e", "up", "1", "0"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned b[WARP_LANES], c[WARP_LANES];
        for (int l = 0; l < WARP_LANES; l++) b[l] = rows[i].b, c[l] = rows[i].c;
        fill(&seed);
        cr_assert(lab_run_words(&lab, rows[i].kernel, &run, in, out));
        check_shuffle(rows[i].mode, UINT32_MAX, b, c);
    }
    lab_close(&lab);
}

// Lanes that have come apart shuffle in groups, each with its own mask, at one instruction or at two.
#define BODY_OF_GROUPS                                                                                                 \
    "ld.global.b32 %r0, [%in]; mov.u32 %r2, 0xffff; setp.ge.u32 %p1, %lane, 16; selp.b32 %r2, 0xffff0000, %r2, %p1;\n"
#define END_OF_GROUPS                                                                                                  \
    "st.global.b64 [%out], 0; st.global.b32 [%out], %r3; selp.b64 %l0, 1, 0, %p0; st.global.b64 [%out+8], %l0;"
static const char groups[] = LAB_HEADER LAB_KERNEL("together", BODY_OF_GROUPS
                                                   "shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2;\n" END_OF_GROUPS)
    LAB_KERNEL("apart", BODY_OF_GROUPS "@%p1 bra upper;\n"
                                       "shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2;\n bra both;\n"
                                       "upper: shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2;\n both:\n" END_OF_GROUPS)
    // Odd lanes come later.
    LAB_KERNEL("late", BODY_OF_GROUPS "and.b32 %r5, %lane, 1; setp.eq.u32 %p2, %r5, 0; mov.u32 %r6, 0;\n"
                                      "@%p2 bra there;\n"
                                      "again: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, %lane; @%p3 bra again;\n"
                                      "there: shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2;\n" END_OF_GROUPS)
    // Each quarter has come apart from the others, and the code of the upper ones stands first.
    LAB_KERNEL("reversed", BODY_OF_GROUPS "@%p1 bra upper; bra lower;\n"
                                          "upper: shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2; bra both;\n"
                                          "lower: shfl.sync.bfly.b32 %r3|%p0, %r0, 3, 31, %r2;\n both:" END_OF_GROUPS);

Test(votes, shuffles_in_groups) {
    static const char *const names[] = {"together", "apart", "late", "reversed"};
    Lab lab;
    uint64_t seed = 3;
    open_lab(&lab, groups);
    for (int i = 0; i < 4; i++) {
        unsigned b[WARP_LANES], c[WARP_LANES];
        for (int l = 0; l < WARP_LANES; l++) b[l] = 3, c[l] = 31;
        fill(&seed);
        cr_assert(lab_run_words(&lab, names[i], &run, in, out), "%s", names[i]);
        check_shuffle(BFLY, UINT32_MAX, b, c);
    }
    lab_close(&lab);
}

static const char missing[] = LAB_HEADER
    // Lane 5 does not take part.
    LAB_KERNEL("absent", "mov.u32 %r2, -33; setp.eq.u32 %p1, %lane, 5; @%p1 bra end;\n"
                         "shfl.sync.bfly.b32 %r3, %lane, 1, 31, %r2; end:")
    // The mask lacks a lane that is there.
    LAB_KERNEL("unnamed", "shfl.sync.bfly.b32 %r3, %lane, 0, 31, 0xfffffffe;")
    // The mask names lanes that never come.
    LAB_KERNEL("never", "setp.ne.u32 %p1, %lane, 7; @%p1 bra other;\n"
                        "shfl.sync.idx.b32 %r3, %lane, 7, 31, -1; bra end;\n"
                        "other: vote.sync.all.pred %p2, %p1, -1; end:")
    // The guard holds for some lanes only, and others read from the rest.
    LAB_KERNEL("guarded", "setp.lt.u32 %p1, %lane, 8; @%p1 shfl.sync.down.b32 %r3, %lane, 1, 31, 0xff;");

Test(votes, lanes_that_are_missing) {
    Lab lab;
    open_lab(&lab, missing);
    cr_assert(!lab_run_words(&lab, "absent", &run, in, out));
    cr_assert_eq(run.end, LAB_TRAP);
    cr_assert_eq(run.trap, WARP_TRAP_SHUFFLE);
    cr_assert_eq(run.trap_lanes, 1u << 4);
    cr_assert(!lab_run_words(&lab, "unnamed", &run, in, out));
    cr_assert_eq(run.end, LAB_TRAP);
    cr_assert_eq(run.trap, WARP_TRAP_MASK);
    cr_assert_eq(run.trap_lanes, 1u);
    cr_assert(!lab_run_words(&lab, "never", &run, in, out));
    cr_assert_eq(run.end, LAB_STUCK);
    cr_assert_eq(run.trap_lanes, UINT32_MAX);
    cr_assert(!lab_run_words(&lab, "guarded", &run, in, out));
    cr_assert_eq(run.end, LAB_TRAP);
    cr_assert_eq(run.trap, WARP_TRAP_SHUFFLE);
    cr_assert_eq(run.trap_lanes, 1u << 7);
    lab_close(&lab);
}

// ---- votes, matches, reductions, elections

#define READ_TWO  "ld.global.b32 %r0, [%in]; ld.global.b64 %l0, [%in]; setp.lt.s32 %p0, %r0, 0;\n"
#define PREDICATE "selp.b64 %l1, 1, 0, %p1; st.global.b64 [%out], %l1;"
#define NUMBER    "st.global.b64 [%out], 0; st.global.b32 [%out], %r1;"
static const char votes[] = LAB_HEADER LAB_KERNEL("all", READ_TWO "vote.sync.all.pred %p1, %p0, -1;" PREDICATE)
    LAB_KERNEL("any", READ_TWO "vote.sync.any.pred %p1, !%p0, -1;" PREDICATE)
        LAB_KERNEL("uni", READ_TWO "vote.sync.uni.pred %p1, %p0, -1;" PREDICATE)
            LAB_KERNEL("ballot", READ_TWO "vote.sync.ballot.b32 %r1, %p0, -1;" NUMBER) LAB_KERNEL(
                "match32", READ_TWO "match.any.sync.b32 %r1, %r0, -1;" NUMBER)
                LAB_KERNEL("match64", READ_TWO "match.any.sync.b64 %r1, %l0, -1;" NUMBER) LAB_KERNEL(
                    "match_all", READ_TWO "match.all.sync.b32 %r1|%p1, %r0, -1;" NUMBER
                                          "selp.b64 %l1, 1, 0, %p1; st.global.b64 [%out+8], %l1;")
                    LAB_KERNEL("elect",
                               "elect.sync %r1|%p1, -1;" NUMBER "selp.b64 %l1, 1, 0, %p1; st.global.b64 [%out+8], %l1;")
                        LAB_KERNEL("activemask", "activemask.b32 %r1;" NUMBER)
                            LAB_KERNEL("add.u32", READ_TWO "redux.sync.add.u32 %r1, %r0, -1;" NUMBER) LAB_KERNEL(
                                "add.s32", READ_TWO "redux.sync.add.s32 %r1, %r0, -1;" NUMBER)
                                LAB_KERNEL("min.u32", READ_TWO "redux.sync.min.u32 %r1, %r0, -1;" NUMBER) LAB_KERNEL(
                                    "min.s32", READ_TWO "redux.sync.min.s32 %r1, %r0, -1;" NUMBER)
                                    LAB_KERNEL("max.u32", READ_TWO "redux.sync.max.u32 %r1, %r0, -1;" NUMBER)
                                        LAB_KERNEL("max.s32", READ_TWO "redux.sync.max.s32 %r1, %r0, -1;" NUMBER)
                                            LAB_KERNEL("and.b32", READ_TWO "redux.sync.and.b32 %r1, %r0, -1;" NUMBER)
                                                LAB_KERNEL("or.b32", READ_TWO "redux.sync.or.b32 %r1, %r0, -1;" NUMBER)
                                                    LAB_KERNEL("xor.b32",
                                                               READ_TWO "redux.sync.xor.b32 %r1, %r0, -1;" NUMBER);

static uint32_t answer(const char *name, uint32_t lanes, int lane) {
    uint32_t yes = 0, same32 = 0, same64 = 0, unlike = 0, sum = 0, every = UINT32_MAX, some = 0, odd = 0;
    uint32_t low = UINT32_MAX, high = 0;
    int32_t slow = INT32_MAX, shigh = INT32_MIN;
    for (int l = 0; l < WARP_LANES; l++) {
        const uint32_t bit = 1u << l, value = (uint32_t)in[l][0];
        if (!(lanes & bit)) continue;
        if ((int32_t)value < 0) yes |= bit;
        if (value == (uint32_t)in[lane][0]) same32 |= bit;
        if (in[l][0] == in[lane][0]) same64 |= bit;
        if (value != (uint32_t)in[lane][0]) unlike |= bit;
        sum += value, every &= value, some |= value, odd ^= value;
        low = value < low ? value : low;
        high = value > high ? value : high;
        slow = (int32_t)value < slow ? (int32_t)value : slow;
        shigh = (int32_t)value > shigh ? (int32_t)value : shigh;
    }
    const struct {
        const char *name;
        uint32_t value;
    } rows[] = {{"all", yes == lanes},
                {"any", yes != lanes},
                {"uni", yes == lanes || !yes},
                {"ballot", yes},
                {"match32", same32},
                {"match64", same64},
                {"match_all", unlike ? 0 : lanes},
                {"elect", (uint32_t)__builtin_ctz(lanes)},
                {"activemask", lanes},
                {"add.u32", sum},
                {"add.s32", sum},
                {"min.u32", low},
                {"min.s32", (uint32_t)slow},
                {"max.u32", high},
                {"max.s32", (uint32_t)shigh},
                {"and.b32", every},
                {"or.b32", some},
                {"xor.b32", odd}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return rows[i].value;
    cr_assert_fail("%s", name);
    return 0;
}

static const char *const vote_names[] = {"all",       "any",     "uni",        "ballot",  "match32", "match64",
                                         "match_all", "elect",   "activemask", "add.u32", "add.s32", "min.u32",
                                         "min.s32",   "max.u32", "max.s32",    "and.b32", "or.b32",  "xor.b32"};

Test(votes, votes_and_reductions) {
    Lab lab;
    uint64_t seed = 5;
    char text[sizeof votes + 64];
    // Names of kernels have no dots.
    memcpy(text, votes, sizeof votes);
    for (char *at = text; (at = strstr(at, ".entry ")); at += 7)
        for (char *c = at + 7; *c != '('; c++)
            if (*c == '.') *c = '_';
    open_lab(&lab, text);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < sizeof vote_names / sizeof *vote_names; i++) {
            static const uint32_t sets[] = {UINT32_MAX, UINT32_MAX, 0x1fffff, 1, 0x3};
            const uint32_t lanes = sets[(unsigned)round % 5];
            char kernel[32] = "";
            strcat(kernel, vote_names[i]);
            for (char *c = kernel; *c; c++)
                if (*c == '.') *c = '_';
            fill(&seed);
            const unsigned kind = (unsigned)(lab_random(&seed) % 4);
            for (int l = 1; l < WARP_LANES && kind < 2; l++)
                if (kind == 0 || lab_random(&seed) % 4) in[l][0] = in[lab_random(&seed) % (unsigned)l][0];
            for (int l = 1; l < WARP_LANES && kind == 2; l++) in[l][0] = in[0][0] ^ (uint64_t)(l % 2) << 40;
            run.lanes = lanes;
            cr_assert(lab_run_words(&lab, kernel, &run, in, out), "%s", kernel);
            for (int l = 0; l < WARP_LANES; l++) {
                if (!(lanes >> l & 1)) continue;
                const uint32_t expected = answer(vote_names[i], lanes, l);
                cr_assert_eq((uint32_t)out[l][0], expected, "%s of lanes %x, lane %d: %x, not %x", kernel, lanes, l,
                             (unsigned)out[l][0], expected);
                if (!strcmp(kernel, "match_all")) cr_assert_eq(out[l][1], expected != 0);
                if (!strcmp(kernel, "elect")) cr_assert_eq(out[l][1], (uint32_t)l == expected);
            }
        }
    lab_close(&lab);
}

// Under a mask: lanes 4, 9 and 20 to 31, of which the lowest is elected.
Test(votes, some_lanes) {
    static const char text[] = LAB_HEADER LAB_KERNEL(
        "some", "mov.u32 %r9, 0xfff00210; shr.u32 %r8, %r9, %lane; and.b32 %r8, %r8, 1; setp.eq.u32 %p5, %r8, 0;\n"
                "@%p5 bra end; ld.global.b32 %r0, [%in];\n"
                "redux.sync.max.s32 %r1, %r0, %r9; elect.sync %r2|%p1, %r9;\n"
                "bar.warp.sync %r9; vote.sync.ballot.b32 %r3, %p1, %r9; activemask.b32 %r4;\n"
                "st.global.v4.b32 [%out], {%r1, %r2, %r3, %r4}; end:");
    Lab lab;
    uint64_t seed = 6;
    open_lab(&lab, text);
    fill(&seed);
    run.lanes = 0;
    cr_assert(lab_run_words(&lab, "some", &run, in, out));
    const uint32_t lanes = 0xfff00210;
    for (int l = 0; l < WARP_LANES; l++) {
        uint32_t words[4];
        memcpy(words, out[l], sizeof words);
        if (!(lanes >> l & 1)) {
            cr_assert_eq(words[0], 0x77777777);
            continue;
        }
        cr_assert_eq(words[0], answer("max.s32", lanes, 0));
        cr_assert_eq(words[1], 4);
        cr_assert_eq(words[2], 1 << 4);
        cr_assert_eq(words[3], lanes);
    }
    lab_close(&lab);
}

// ---- floats

static float float_at(int lane) {
    float x;
    memcpy(&x, &in[lane][0], sizeof x);
    return x;
}

Test(votes, extremes_of_floats) {
    static const char text[] =
        LAB_HEADER LAB_KERNEL("least", "ld.global.b32 %r0, [%in]; redux.sync.min.f32 %r1, %r0, -1;" NUMBER)
            LAB_KERNEL("most", "ld.global.b32 %r0, [%in]; redux.sync.max.f32 %r1, %r0, -1;" NUMBER)
                LAB_KERNEL("most_abs", "ld.global.b32 %r0, [%in]; redux.sync.max.abs.f32 %r1, %r0, -1;" NUMBER)
                    LAB_KERNEL("least_nan", "ld.global.b32 %r0, [%in]; redux.sync.min.NaN.f32 %r1, %r0, -1;" NUMBER);
    Lab lab;
    uint64_t seed = 7;
    open_lab(&lab, text);
    run.lanes = 0xffff;
    for (int round = 0; round < ROUNDS; round++) {
        float least = __builtin_inff(), most = -__builtin_inff(), most_abs = 0, result;
        fill(&seed);
        for (int l = 0; l < WARP_LANES; l++) {
            float x = (float)((int64_t)lab_random(&seed) % 1000) / 8;
            if (round % 2 && l == 3) x = __builtin_nanf("");
            memcpy(&in[l][0], &x, sizeof x);
            if (l >= 16 || x != x) continue;
            least = x < least ? x : least;
            most = x > most ? x : most;
            most_abs = __builtin_fabsf(x) > most_abs ? __builtin_fabsf(x) : most_abs;
        }
        cr_assert(lab_run_words(&lab, "least", &run, in, out));
        memcpy(&result, &out[5][0], sizeof result);
        cr_assert_eq(result, least);
        cr_assert(lab_run_words(&lab, "most", &run, in, out));
        memcpy(&result, &out[15][0], sizeof result);
        cr_assert_eq(result, most);
        cr_assert(lab_run_words(&lab, "most_abs", &run, in, out));
        memcpy(&result, &out[0][0], sizeof result);
        cr_assert_eq(result, most_abs);
        cr_assert(lab_run_words(&lab, "least_nan", &run, in, out));
        memcpy(&result, &out[7][0], sizeof result);
        cr_assert(float_at(3) == float_at(3) ? result == least : result != result);
    }
    lab_close(&lab);
}
