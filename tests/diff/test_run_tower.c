// SPDX-License-Identifier: Apache-2.0
// Whole cases in profile tower: the records that runs leave, what literals and arguments begin with, rerolls, payload
// files.
#include "tests/diff/session.h"

#define TOWER     SOURCE_DIR "/tests/cases/tower/"
#define COPY      SOURCE_DIR "/tests/cases/copy/copy_"
#define COPY_TILE SOURCE_DIR "/tests/bad/copy_aligned.tileirbc" // 64 elements a block: args [X, Y]
#define SQRT      SOURCE_DIR "/tests/bad/checked_sqrt.tileirbc" // args [X, Y]
#define XY                                                                                                             \
    "buffers:\n  X: {type: f32, shape: [256], fill: {uniform: {low: 0, high: 2}}}\n  Y: {type: f32, shape: [256]}\n"

static bool same_payload(const HostRecord *record, TowerPayload payload) {
    return (record->state & TOWER_RULED) == payload.state &&
           !memcmp(record->component, payload.component, sizeof payload.component);
}

// In every type: a copy keeps the exact value, and says where it was stored.
Test(run_tower, records_of_copies) {
    static const ElementType types[] = {ELEMENT_F64,  ELEMENT_F32,      ELEMENT_F16,
                                        ELEMENT_BF16, ELEMENT_F8E4M3FN, ELEMENT_F8E5M2};
    for (size_t t = 0; t < BASE_COUNT(types); t++) {
        Session s;
        Buffer text = {0};
        const char *name = element_info(types[t])->name;
        buffer_print(&text,
                     "buffers:\n  X: {type: %s, shape: [8, 128], fill: bits}\n  Y: {type: %s, shape: [8, 128]}\n"
                     "variants:\n  one: [{module: " COPY
                     "%s.tileirbc, grid: [1], args: [X, Y]}]\n  two: [{module: " COPY
                     "%s.tileirbc, grid: [1], args: [X, Y]}]\ncompare: [Y]\ntolerance: {ieee: {atol: 0}}\n",
                     name, name, name, name);
        session_run(&s, 2, "tower", text.data);
        cr_expect_eq(s.outcome.status, 0, "%s", name);
        for (uint32_t v = 0; v < 2; v++) {
            const FpdRun *run = fpd_find_run(&s.runs, FPD_MODE_fpsan, v);
            cr_assert_eq(run->store_count, 1);
            cr_expect(run->stores[0].by.at.line > 0 && strstr(run->stores[0].by.op, "store"));
            cr_expect_gt(run->shadow_bytes, 1024 * sizeof(HostRecord) / 2);
            for (uint64_t i = 0; i < 1024; i++) {
                const HostRecord *record = &run->records[0][i];
                uint64_t bits = fpd_element_bits(types[t], run->bytes[0], i);
                cr_expect(fpd_was_stored(record) && record->store == 0);
                cr_expect_eq((uint64_t)record->high << 32 | record->low, bits);
                TowerPayload expected = tower_embed(tower_chain(0), element_format(types[t]), bits);
                cr_expect(same_payload(record, expected), "%s[%llu]: state %x", name, (unsigned long long)i,
                          record->state);
            }
            cr_expect_eq(fpd_find_run(&s.runs, FPD_MODE_ieee, v)->bytes, run->bytes); // one run for both modes
            cr_expect_null(fpd_find_run(&s.runs, FPD_MODE_ieee, v)->records);
        }
        session_close(&s);
        buffer_free(&text);
    }
}

// Stores are numbered over the launches of a variant, and the payload goes from launch to launch.
Test(run_tower, stores_of_several_launches) {
    Session s;
    session_run(
        &s, 1, "tower",
        XY "variants:\n  one: [{module: " TOWER "scale_constant.tileirbc, grid: [4], args: [X, Y]}, {module: " TOWER
           "scale_constant.tileirbc, grid: [2], args: [Y, X]}, {module: " COPY_TILE ", grid: [1], args: [Y, X]}]\n"
           "compare: [X, Y]\nmodes: [fpsan]\n");
    const FpdRun *run = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0);
    const Tower *t = tower_chain(0);
    TowerPayload tenth = tower_rational(t, 1, 10);
    cr_assert_eq(run->store_count, 3);
    cr_expect_eq(run->stores[0].by.at.line, run->stores[1].by.at.line);
    cr_expect_neq(run->stores[0].by.at.line, run->stores[2].by.at.line);
    uint8_t initial[1024];
    cr_assert(fpd_fill_buffer(&s.diagnostics, &s.programs->cas->buffers[0], 1, 1, memset(initial, 0, sizeof initial)));
    for (uint64_t i = 0; i < 256; i++) {
        uint64_t bits = fpd_element_bits(ELEMENT_F32, initial, i);
        TowerPayload x = tower_embed(t, FPSAN_F32, bits), y = tower_mul(t, x, tenth, TOWER_IEEE_POSITIVE);
        TowerPayload z = i < 64 ? y : tower_mul(t, y, tenth, TOWER_IEEE_POSITIVE);
        const HostRecord *of_x = &run->records[0][i], *of_y = &run->records[1][i];
        cr_expect_eq(of_y->store, 0);
        cr_expect_arr_eq(of_y->component, y.component, sizeof y.component);
        cr_expect_eq(fpd_was_stored(of_x), i < 128, "%llu", (unsigned long long)i);
        if (i >= 128) continue;
        cr_expect_eq(of_x->store, i < 64 ? 2 : 1);
        cr_expect_arr_eq(of_x->component, z.component, sizeof z.component, "%llu", (unsigned long long)i);
    }
    cr_expect(run->unwritten[0] == 128 && run->first_unwritten[0] == 128 && !run->unwritten[1]);
    session_close(&s);
}

// Arguments, literals and meanings are constants of the chain that runs.
Test(run_tower, constants_in_every_chain) {
    Session s;
    session_run(
        &s, 1, "tower",
        "buffers:\n  X: {type: f32, shape: [64], fill: iota}\n  S: {type: f32, shape: [1], literal: true, fill: "
        "{constant: 1.3}}\n  Y: {type: f32, shape: [64]}\nvariants:\n  tensor: [{module: " TOWER
        "scale_tensor.tileirbc, grid: [1], args: [X, S, Y]}]\n  argument: [{module: " TOWER
        "scale_argument.tileirbc, grid: [1], args: [X, f32 1.3, Y]}]\ncompare: [Y]\n"
        "means: {1.3: 13*ln2*log2e/10}\n");
    FpdCase *cas = (FpdCase *)s.programs->cas;
    for (cas->chain = 0; cas->chain < TOWER_CHAINS; cas->chain++) {
        FpdRuns runs;
        FpdOutcome outcome;
        const Tower *t = tower_chain(cas->chain);
        cr_assert(session_make(&s, &runs, &outcome));
        for (uint32_t v = 0; v < 2; v++)
            for (int64_t i = 0; i < 64; i++) {
                TowerPayload expected = tower_rational(t, 13 * i, 10);
                cr_expect_arr_eq(fpd_find_run(&runs, FPD_MODE_fpsan, v)->records[0][i].component, expected.component,
                                 sizeof expected.component, "chain %u, variant %u, %lld", cas->chain, v, (long long)i);
            }
    }
    session_close(&s);
}

Test(run_tower, shown) {
    Session s;
    Buffer text = {0};
    session_run(&s, 1, "tower",
                "buffers:\n  X: {type: f32, shape: [2, 64], literal: true, fill: adversarial}\n  Y: {type: f32, shape: "
                "[64], literal: false, fill: iota}\nvariants:\n  one: [{module: " TOWER
                "stored_back.tileirbc, grid: [1], args: [Y]}]\ncompare: [Y]\nmodes: [fpsan]\nallow: [roots]\n"
                "means: {0.75: 3/4, 0.3535: 0.3535}\n");
    fpd_print_programs(s.programs, &text);
    cr_expect(strstr(text.data, "X  f32 [2, 64], 512 bytes, adversarial (std 1, axis 0), literal\n"), "%s", text.data);
    cr_expect(strstr(text.data, "Y  f32 [64], 256 bytes, iota, compared\n"));
    cr_expect(strstr(
        text.data,
        "  means 0.75 is 3/4; 0.3535 is 0.3535\n  modes fpsan (profile tower, version 2, roots allowed); seed 1"));
    text.size = 0;
    ((FpdCase *)s.programs->cas)->family = FPD_FAMILY_ring; // as with --profile triton-3.9
    fpd_print_programs(s.programs, &text);
    cr_expect(strstr(text.data, "adversarial (std 1, axis 0)\n") && !strstr(text.data, "means"), "%s", text.data);
    cr_expect(strstr(text.data, "  modes fpsan (profile triton-3.9, casts mix); seed 1"));
    buffer_free(&text);
    session_close(&s);
}

// The records that literals begin with are no stores; a value that is stored back is one.
Test(run_tower, what_counts_as_written) {
    Session s;
    session_run(
        &s, 1, "tower",
        "buffers:\n  X: {type: f32, shape: [64], literal: true, fill: iota}\n  Y: {type: f32, shape: [64], fill: "
        "iota}\n  I: {type: i32, shape: [64], fill: iota}\nvariants:\n  one: [{module: " COPY_TILE
        ", grid: [1], args: [X, Y]}]\n  two: [{module: " TOWER
        "stored_back.tileirbc, grid: [1], args: [Y]}]\ncompare: [X, Y, I]\n");
    for (uint32_t v = 0; v < 2; v++) {
        const FpdRun *run = fpd_find_run(&s.runs, FPD_MODE_fpsan, v);
        cr_expect(run->unwritten[0] == 64 && run->unwritten[1] == 0 && run->unwritten[2] == 64);
        cr_expect(run->records[0][1].state & HOST_RECORD_VALID && run->records[0][1].store == FPD_NO_STORE);
        cr_expect_null(run->records[2]);
    }
    session_close(&s);
}

Test(run_tower, ieee_alone_needs_no_shadow) {
    Session s;
    session_run(&s, 1, "tower",
                XY "variants:\n  one: [{module: " COPY_TILE ", grid: [4], args: [X, Y]}]\n  two: [{module: " COPY_TILE
                   ", grid: [4], args: [X, Y]}]\ncompare: [Y]\nmodes: [ieee]\ntolerance: {ieee: {atol: 0}}\n");
    cr_expect(s.outcome.status == 0 && !s.machine.shadow);
    cr_expect(!fpd_find_run(&s.runs, FPD_MODE_fpsan, 0) && !fpd_find_run(&s.runs, FPD_MODE_ieee, 0)->records);
    session_close(&s);
}

// One machine for cases with and without shadow memory, whatever comes first.
Test(run_tower, one_machine_for_all_profiles) {
    static const char text[] =
        XY "variants:\n  one: [{module: " COPY_TILE ", grid: [4], args: [X, Y]}]\n  two: [{module: " SQRT
           ", grid: [4], args: [X, Y]}]\ncompare: [Y]\n";
    Session s, other;
    session_run(&s, 1, "triton-3.9", text);
    cr_expect_not(s.machine.shadow);
    session_run(&other, 1, "tower", text);
    for (int round = 0; round < 2; round++) {
        FpdPrograms *own = s.programs;
        FpdRuns runs;
        FpdOutcome outcome;
        cr_assert(session_make(&s, &runs, &outcome));
        cr_expect_eq(outcome.comparisons[0].different, s.outcome.comparisons[0].different);
        s.programs = other.programs;
        cr_assert(session_make(&s, &runs, &outcome));
        cr_expect(s.machine.shadow && outcome.comparisons[0].different == other.outcome.comparisons[0].different);
        s.programs = own;
    }
    session_close(&other);
    session_close(&s);
}

// Only what diverged is repeated, with the right variant; each element that diverges does so in all chains.
Test(run_tower, reroll) {
    Session s;
    session_run(&s, 1, "tower",
                XY "variants:\n  one: [{module: " COPY_TILE ", grid: [4], args: [X, Y]}]\n  two: [{module: " COPY_TILE
                   ", grid: [4], args: [X, Y]}]\n  three: [{module: " SQRT
                   ", grid: [4], args: [X, Y]}]\n  four: [{module: " TOWER
                   "scale_constant.tileirbc, grid: [2], args: [X, Y]}]\ncompare: [Y]\nallow: [vacuous]\n");
    cr_assert_eq(s.outcome.comparison_count, 6);
    const FpdRunner runner = session_runner(&s);
    cr_assert(fpd_reroll(&runner, &s.outcome));
    for (uint32_t p = 0; p < 6; p++) {
        const FpdComparison *pair = &s.outcome.comparisons[p];
        bool repeated = pair->question == FPD_QUESTION_formula && pair->right->variant > 1;
        cr_expect_eq(pair->verdict == FPD_VERDICT_DIVERGED, repeated, "pair %u", p);
        cr_expect_eq(pair->reroll_count, repeated ? TOWER_CHAINS - 1 : 0, "pair %u", p);
        cr_expect_eq(pair->reroll_different, repeated ? pair->different : 0, "pair %u", p);
        cr_expect(!repeated || pair->different > 200);
    }
    cr_expect_eq(s.programs->cas->chain, 0);
    session_close(&s);
}

Test(run_tower, reroll_leaves_other_cases_alone) {
    Session s;
    session_run(&s, 1, "triton-3.9",
                XY "variants:\n  one: [{module: " COPY_TILE ", grid: [4], args: [X, Y]}]\n  two: [{module: " SQRT
                   ", grid: [4], args: [X, Y]}]\ncompare: [Y]\n");
    const FpdRunner runner = session_runner(&s);
    cr_assert(fpd_reroll(&runner, &s.outcome));
    cr_expect(s.outcome.comparisons[0].verdict == FPD_VERDICT_DIVERGED && !s.outcome.comparisons[0].reroll_count);
    session_close(&s);
}

// The documented layout, byte by byte.
Test(run_tower, payload_file) {
    FpdBuffer buffer = {.name = "Y", .type = ELEMENT_F16, .rank = 1, .shape = {3}, .elements = 3, .bytes = 6};
    FpdCase cas = {.family = FPD_FAMILY_tower, .buffers = &buffer, .buffer_count = 1};
    uint8_t bytes[6] = {0x00, 0x3c, 0x00, 0x3c, 0x00, 0xc0}; // 1, 1, -2
    HostRecord records[3] = {
        {.state = 0x80100003, .component = {0, 0, 0x01020304, 5}, .low = 0x3c00, .store = 7},
        {.state = HOST_RECORD_VALID, .component = {1, 1, 1, 1}, .low = 0x3c00, .store = FPD_NO_STORE},
    };
    static const uint8_t expected[2 * FPD_PAYLOAD_SIZE] = {0, 0, 0,  0, 0, 0, 0, 0, 4, 3, 2, 1, 5, 0, 0, 0,
                                                           3, 0, 16, 0, 1, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
                                                           1, 0, 0,  0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0};
    Buffer out = {0};
    fpd_print_payloads(&cas, &buffer, bytes, records, &out);
    cr_assert_eq(out.size, 3 * FPD_PAYLOAD_SIZE);
    cr_expect_arr_eq(out.data, expected, sizeof expected);
    uint32_t last[6]; // without a record: the value of the bits
    memcpy(last, out.data + 2 * FPD_PAYLOAD_SIZE, sizeof last);
    for (int i = 0; i < TOWER_LENGTH; i++) cr_expect_eq(last[i], tower_chain(0)->prime[i].p - 2);
    cr_expect(last[4] == 0 && last[5] == TOWER_VERSION << FPD_PAYLOAD_VERSION_SHIFT);
    buffer_free(&out);
    fpd_print_payloads(&cas, &buffer, bytes, NULL, &out);
    cr_expect_eq(memcmp(out.data + 2 * FPD_PAYLOAD_SIZE, last, sizeof last), 0);
    buffer_free(&out);
}
