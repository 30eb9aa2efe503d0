// SPDX-License-Identifier: Apache-2.0
// Whole cases on real kernels: which elements count as written, the same report for every number of threads, what a
// kernel reads and writes.
#include "tests/diff/report_text.h"
#include "tests/diff/session.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_TILE SOURCE_DIR "/tests/bad/copy_aligned.tileirbc"      // 64 elements a block: args [X, Y]
#define SCATTER   SOURCE_DIR "/tests/bad/scatter_unchecked.tileirbc" // Y[I] = X: args [X, I, Y]
#define SQRT      SOURCE_DIR "/tests/bad/checked_sqrt.tileirbc"      // args [X, Y]

static const char *const profiles[] = {"triton-3.9", "tower"};

// Zeros stored over zeros are written: found by the second run with inverted bits, or by their records.
Test(run, stored_zeros_count_as_written) {
    for (size_t p = 0; p < BASE_COUNT(profiles); p++) {
        Session s;
        session_run(&s, 1, profiles[p],
                    "buffers:\n  X: {type: f32, shape: [256], fill: {integers: {low: 0, high: 1}}}\n  Y: {type: f32, "
                    "shape: [256]}\n"
                    "variants:\n  one: [{module: " COPY_TILE ", grid: [4], args: [X, Y]}]\n  two: [{module: " COPY_TILE
                    ", grid: [4], args: [X, Y]}]\ncompare: [Y]\ntolerance: {ieee: {atol: 0}}\n");
        cr_expect(s.outcome.status == 0 && s.outcome.vacuous_count == 0);
        uint64_t zeros = 0;
        for (uint64_t i = 0; i < 256; i++)
            zeros += !fpd_element_bits(ELEMENT_F32, fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->bytes[0], i);
        cr_expect(zeros > 60 && zeros < 200, "%llu zeros", (unsigned long long)zeros); // or the test would show nothing
        session_close(&s);
    }
}

// Exactly the elements that the scattered indices leave out, although X stores zeros too; the buffer's own fill does
// not matter.
Test(run, unwritten_elements_are_counted_exactly) {
    static const char *const fills[] = {"zeros", "iota", "bits", "{integers: {low: 0, high: 1}}"};
    for (size_t f = 0; f < BASE_COUNT(fills) * BASE_COUNT(profiles); f++) {
        const char *profile = profiles[f / BASE_COUNT(fills)];
        Session s;
        Buffer text = {0};
        buffer_print(&text,
                     "buffers:\n  X: {type: f32, shape: [64], fill: {integers: {low: 0, high: 1}}}\n"
                     "  I: {type: i32, shape: [64], fill: {integers: {low: 5, high: 90}}}\n  Y: {type: f32, shape: "
                     "[100], fill: %s}\n"
                     "variants:\n  one: [{module: " SCATTER
                     ", grid: [1], args: [X, I, Y]}]\ncompare: [Y, I]\nmodes: [fpsan]\n",
                     fills[f % BASE_COUNT(fills)]);
        session_run(&s, 1, profile, text.data);
        bool written[100] = {false};
        const uint8_t *indices = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->bytes[1];
        uint64_t count = 0, first = 100;
        for (uint64_t i = 0; i < 64; i++) written[fpd_element_bits(ELEMENT_I32, indices, i)] = true;
        for (uint64_t i = 0; i < 100; i++) {
            if (written[i]) continue;
            if (!count++) first = i;
        }
        // I is compared as well, and no launch writes it; the second run, with other indices, would leave Y's memory:
        // it fails, and what did not change then counts as not written. So Y is judged with I left out of `compare`:
        session_close(&s);
        char *compare = strstr(text.data, "[Y, I]");
        memcpy(compare, "[Y]   ", 6);
        session_run(&s, 1, profile, text.data);
        cr_expect_eq(fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->unwritten[0], count,
                     "fill %s: %llu unwritten, expected %llu", fills[f % BASE_COUNT(fills)],
                     (unsigned long long)fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->unwritten[0],
                     (unsigned long long)count);
        cr_expect_eq(fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->first_unwritten[0], first);
        session_close(&s);
        buffer_free(&text);
    }
}

// The second run fails on indices outside the buffer: the case itself still has its result, and I counts as not
// written.
Test(run, a_second_run_that_fails) {
    for (size_t p = 0; p < BASE_COUNT(profiles); p++) {
        Session s;
        session_run(
            &s, 1, profiles[p],
            "buffers:\n  X: {type: f32, shape: [64], fill: iota}\n  I: {type: i32, shape: [64], fill: iota}\n  Y: "
            "{type: f32, shape: [64]}\n"
            "variants:\n  one: [{module: " SCATTER ", grid: [1], args: [X, I, Y]}]\ncompare: [I]\nmodes: [fpsan]\n");
        cr_expect_eq(fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->unwritten[0], 64);
        cr_expect_eq(s.diagnostics.count, 0);
        session_close(&s);
    }
}

static char *report_of(Session *s) {
    Buffer text = {0};
    json_error_t error;
    fpd_print_outcome(&s->outcome, false, &text);
    print_report(&s->outcome, 1, &(FpdVersions){.congruent = "x"}, &text);
    char *json = strstr(text.data, "{\n");
    json_t *root = json_loads(json, 0, &error);
    json_object_del(json_array_get(json_object_get(root, "cases"), 0), "times");
    char *without = json_dumps(root, JSON_INDENT(2));
    *json = 0;
    Buffer all = {0};
    buffer_print(&all, "%s%s", text.data, without);
    free(without);
    json_decref(root);
    buffer_free(&text);
    return all.data;
}

Test(run, the_same_report_for_every_number_of_threads) {
    for (size_t p = 0; p < BASE_COUNT(profiles); p++) {
        char *first = NULL;
        for (unsigned jobs = 1; jobs <= 4; jobs++) {
            Session s;
            session_run(
                &s, jobs, profiles[p],
                "buffers:\n  X: {type: f32, shape: [4096], fill: {uniform: {low: 0, high: 2}}}\n  Y: {type: f32, "
                "shape: [4096]}\n"
                "variants:\n  one: [{module: " COPY_TILE ", grid: [64], args: [X, Y]}]\n  two: [{module: " SQRT
                ", grid: [64], args: [X, Y]}]\ncompare: [Y]\ntolerance: {ieee: {rtol: 0.1}}\n");
            cr_expect_eq(s.outcome.status, 1);
            char *report = report_of(&s);
            if (!first)
                first = report;
            else {
                cr_expect_str_eq(report, first, "%u threads", jobs);
                free(report);
            }
            session_close(&s);
        }
        free(first);
    }
}

Test(run, what_kernels_read_and_write) {
    Session s;
    session_run(&s, 1, "tower",
                "buffers:\n  X: {type: f32, shape: [64], fill: iota}\n  I: {type: i32, shape: [64], fill: iota}\n  Y: "
                "{type: f32, shape: [64]}\n"
                "variants:\n  one: [{module: " SCATTER ", grid: [1], args: [X, I, Y]}, {module: " COPY_TILE
                ", grid: [1], args: [Y, X]}]\n"
                "compare: [Y]\nmodes: [fpsan]\n");
    const FpdResolvedLaunch *scatter = &s.programs->launches[0][0], *copy = &s.programs->launches[0][1];
    cr_assert(scatter->entry->parameter_count == 9 && copy->entry->parameter_count == 6);
    const ProgramParameter *to = copy->entry->parameters;
    for (uint32_t v = 0; v < 9; v++) {
        cr_expect_eq(scatter->entry->parameters[v].use.reads, v == 0 || v == 3, "parameter %u", v);
        cr_expect_eq(scatter->entry->parameters[v].use.writes, v == 6, "parameter %u", v);
    }
    cr_expect(to[0].use.reads && !to[0].use.writes && !to[3].use.reads && to[3].use.writes);
    ProgramUse tile = fpd_stored_tile(s.programs, 0, 0);
    cr_expect(tile.tile_rank == 1 && tile.tile[0] == 64);
    cr_expect_eq(fpd_stored_tile(s.programs, 0, 2).tile_rank, 0); // written through pointers
    Buffer text = {0};
    fpd_print_programs(s.programs, &text);
    cr_expect(strstr(text.data, "         reads X, I; writes Y\n"));
    cr_expect(strstr(text.data, "         Y  Y.shape.0 = 64  Y.stride.0 = 1\n         reads"), "%s", text.data);
    cr_expect_not(strstr(text.data, "note:"));
    buffer_free(&text);
    session_close(&s);
    session_run(&s, 1, "tower",
                "buffers:\n  X: {type: f32, shape: [64]}\n  Y: {type: f32, shape: [64]}\n"
                "variants:\n  one: [{module: " COPY_TILE ", grid: [1], args: [X, Y]}]\ncompare: [Y]\nmodes: [fpsan]\n");
    fpd_print_programs(s.programs, &text);
    cr_expect(strstr(text.data,
                     "         note: X is read here without having been filled or written before, it is unspecified\n"),
              "%s", text.data);
    buffer_free(&text);
    session_close(&s);
}
