// SPDX-License-Identifier: Apache-2.0
// Launches of blocks.ptx: blocks that depend on each other give the same for every number of threads, namely what a
// fixed order gives; calls nest deeply, and fail where they nest too deeply; only what is launched is compiled.
#include "session.h"

#define BLOCKS SOURCE_DIR "/tests/diff/blocks.ptx"

// A launch of a kernel that writes Y. The case is kept in the session's arena.
static const char *case_of(Arena *arena, const char *launch) {
    return arena_format(arena,
                        "buffers:\n  Y: {type: f32, shape: [64], fill: zeros}\n  N: {type: i32, shape: [65], fill: "
                        "zeros}\nvariants:\n  v: [{module: " BLOCKS ", %s}]\ncompare: [Y]\n",
                        launch);
}

static float result(const Session *s, FpdMode mode, uint32_t i) {
    float value;
    memcpy(&value, fpd_find_run(&s->runs, mode, 0)->bytes[0] + i * sizeof value, sizeof value);
    return value;
}

typedef float Expected(uint32_t i);
static float same_number(uint32_t i) {
    return (float)i;
}
static float last_first(uint32_t i) {
    return 19 - (float)i;
}

static void expect_results(const char *launch, unsigned jobs, uint32_t count, Expected *expected) {
    Session s;
    Arena arena = {0};
    session_run(&s, jobs, "triton-3.9", case_of(&arena, launch));
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(result(&s, FPD_MODE_ieee, i), expected(i), "%s, %u threads: element %u is %g", launch, jobs, i,
                     (double)result(&s, FPD_MODE_ieee, i));
    session_close(&s);
    arena_reset(&arena);
}

Test(blocks, run_in_a_fixed_order) {
    static const struct {
        const char *launch;
        uint32_t blocks;
        Expected *expected;
    } rows[] = {
        {"kernel: ticket, grid: [64], block: [1], args: [Y, N]", 64, same_number},
        {"kernel: exchange, grid: [64], block: [1], args: [Y, N]", 64, same_number},
        // Blocks wait for blocks that have not begun, in one warp and in several.
        {"kernel: backwards, grid: [20], block: [32], args: [Y, N]", 20, last_first},
        {"kernel: backwards, grid: [20], block: [96], args: [Y, N]", 20, last_first},
    };
    static const unsigned jobs[] = {1, 2, 8};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        for (size_t k = 0; k < BASE_COUNT(jobs); k++)
            expect_results(rows[i].launch, jobs[k], rows[i].blocks, rows[i].expected);
}

// ---- calls

static float levels(uint32_t i) {
    (void)i;
    return 3000;
}

Test(blocks, calls_nest_deeply) {
    expect_results("kernel: deep, grid: [1], block: [64], args: [Y, i32 3000]", 1, 64, levels);
}

static void expect_failure(const char *launch, const char *message, unsigned line) {
    Session s;
    Arena arena = {0};
    cr_assert(!session_try(&s, 1, "triton-3.9", case_of(&arena, launch)), "%s", launch);
    cr_assert_eq(s.diagnostics.count, 1);
    const Diagnostic *error = &s.diagnostics.items[0];
    cr_expect(strstr(error->message, message), "%s", error->message);
    cr_expect_eq(error->at.line, line, "line %u", error->at.line);
    cr_expect(error->at.file && strstr(error->at.file, "blocks.ptx"));
    cr_expect_eq(fpd_exit_status(&s.diagnostics), 3);
    session_close(&s);
    arena_reset(&arena);
}

static unsigned line_of(const char *text) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    uint8_t *bytes;
    size_t size;
    cr_assert(file_read(&diagnostics, &arena, BLOCKS, &bytes, &size));
    const char *all = arena_text(&arena, (char *)bytes, size), *found = strstr(all, text);
    cr_assert(found, "%s", text);
    unsigned line = 1;
    for (const char *c = all; c < found; c++) line += *c == '\n';
    arena_reset(&arena);
    return line;
}

Test(blocks, calls_nest_too_deeply) {
    static const char why[] = "calls nest too deeply";
    expect_failure("kernel: endless, grid: [2], block: [64], args: [Y]", why, line_of("call forever; ret; }"));
    expect_failure("kernel: endless_local, grid: [1], block: [32], args: [Y]", why, line_of("call pong"));
    expect_failure("kernel: deep, grid: [1], block: [32], args: [Y, i32 100000000]", why, line_of("call (b), down"));
}

// ---- what is compiled

static float by_table(uint32_t i) {
    return (float)(i % 2 ? i * 7 : i + 7);
}

Test(blocks, only_what_is_launched_is_compiled) {
    expect_results("kernel: indirect, grid: [1], block: [64], args: [Y]", 1, 64, by_table);
    expect_failure("kernel: texture, grid: [1], block: [32], args: [Y]", "tex", line_of("tex.1d"));
}
