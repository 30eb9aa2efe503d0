// SPDX-License-Identifier: Apache-2.0
// A made-up case of profile tower: variants a (the reference) and b, buffers Y (f32, the values 1, 2, ...) and N (two
// i32). Both variants have results that agree, until a test changes something.
#ifndef CONGRUENT_TEST_TOWER_SAMPLE_H
#define CONGRUENT_TEST_TOWER_SAMPLE_H

#include "diff/report.h"

#include <math.h>
#include <string.h>

typedef struct TowerSample {
    Arena arena;
    FpdCase cas;
    FpdBuffer buffers[2];
    FpdVariant variants[2];
    uint32_t compare[2];
    FpdRuns runs;
    ProgramUse tiles[2];
    FpdOutcome outcome;
    HostRecord *records[2]; // of Y, per variant
    bool unexplained;       // in second runs near elements get payloads that neither variant has; else those of the
                            // other variant
} TowerSample;

static inline uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline HostRecord record_of(float value, TowerPayload payload, uint32_t store) {
    HostRecord record = {.state = payload.state | HOST_RECORD_VALID, .low = float_bits(value), .store = store};
    memcpy(record.component, payload.component, sizeof record.component);
    return record;
}

static inline float *sample_values(TowerSample *s, uint32_t variant) {
    return (float *)fpd_find_run(&s->runs, FPD_MODE_fpsan, variant)->bytes[0];
}

// Changes a number, and the bits in its record.
static inline void sample_number(TowerSample *s, uint32_t variant, uint64_t index, float value) {
    sample_values(s, variant)[index] = value;
    s->records[variant][index].low = float_bits(value);
}

// Sets a payload to that of the integer index + 1, off by one in the fields whose bits `other` has.
static inline void sample_payload(TowerSample *s, uint32_t variant, uint64_t index, unsigned other, uint32_t state) {
    TowerPayload payload = tower_embed_integer(tower_chain(0), index + 1, 64, false);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) payload.component[i] += other >> i & 1;
    payload.state = state;
    s->records[variant][index] = record_of(sample_values(s, variant)[index], payload, s->records[variant][index].store);
}

// Sets a payload of which no field is known.
static inline void sample_nothing(TowerSample *s, uint32_t variant, uint64_t index) {
    s->records[variant][index] = record_of(sample_values(s, variant)[index], (TowerPayload){.state = TOWER_MISSING},
                                           s->records[variant][index].store);
}

static inline void sample_open(TowerSample *s, uint64_t elements) {
    static const FpdStore stores[2][2] = {
        {{.by = {.op = "store_view_tko", .at = {.file = "/src/reference.py", .line = 41}}},
         {.by = {.op = "store_ptr_tko", .at = {.file = "/src/reference.py", .line = 52}}}},
        {{.by = {.op = "store_view_tko", .at = {.file = "/src/variant.py", .line = 77}}},
         {.by = {.op = "store_ptr_tko"}}}};
    *s = (TowerSample){.cas = {.path = "case.yaml", .family = FPD_FAMILY_tower, .seed = 1}};
    s->buffers[0] = (FpdBuffer){"Y", ELEMENT_F32, 1, {(int64_t)elements}, elements, elements * 4, {0}, false, {0}};
    s->buffers[1] = (FpdBuffer){"N", ELEMENT_I32, 1, {2}, 2, 8, {0}, false, {0}};
    s->variants[0].name = "a", s->variants[1].name = "b";
    s->compare[1] = 1;
    s->cas.buffers = s->buffers, s->cas.buffer_count = 2, s->cas.variants = s->variants, s->cas.variant_count = 2;
    s->cas.compare = s->compare, s->cas.compare_count = 1;
    s->cas.modes[0] = FPD_MODE_fpsan, s->cas.modes[1] = FPD_MODE_ieee, s->cas.mode_count = 2;
    s->cas.algebra = fpsan_default_algebra();
    s->runs = fpd_plan_runs(&s->arena, &s->cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    s->runs.tiles = s->tiles;
    for (uint32_t v = 0; v < 2; v++) {
        FpdRun *run = fpd_find_run(&s->runs, FPD_MODE_fpsan, v);
        s->records[v] = arena_array(&s->arena, HostRecord, elements);
        run->records = arena_array(&s->arena, HostRecord *, 2);
        run->records[0] = s->records[v];
        run->stores = stores[v], run->store_count = 2, run->shadow_bytes = 4096u << v;
        run->bytes = arena_array(&s->arena, uint8_t *, 2);
        run->unwritten = arena_array(&s->arena, uint64_t, 2);
        run->first_unwritten = arena_array(&s->arena, uint64_t, 2);
        for (int c = 0; c < 2; c++) run->bytes[c] = arena_alloc(&s->arena, s->buffers[c].bytes);
        ((int32_t *)run->bytes[1])[1] = 1;
        for (uint64_t i = 0; i < elements; i++) {
            sample_values(s, v)[i] = (float)i + 1;
            sample_payload(s, v, i, 0, 0);
        }
    }
}

// Makes the second runs of both variants: near elements get the payloads of the other variant, if `settled` those of
// variant a; if `unexplained` payloads that neither has.
static inline void sample_second(TowerSample *s, FpdSecond second, bool settled) {
    for (uint32_t v = 0; v < 2; v++) {
        HostRecord *records = arena_array(&s->arena, HostRecord, s->buffers[0].elements);
        FpdRun *plain = fpd_find_run(&s->runs, FPD_MODE_fpsan, v), *again = arena_new(&s->arena, FpdRun);
        *again = *plain;
        again->records = arena_array(&s->arena, HostRecord *, 2);
        again->records[0] = records;
        plain->again[second] = again;
        for (uint64_t i = 0; i < s->buffers[0].elements; i++) {
            records[i] = s->records[v][i];
            if (!(records[i].state & TOWER_NEAR)) continue;
            if (s->unexplained)
                records[i].component[2] += 5;
            else
                memcpy(records[i].component, s->records[settled ? 0 : 1 - v][i].component, sizeof records[i].component);
        }
    }
}

static inline void sample_judge(TowerSample *s) {
    sample_second(s, FPD_SECOND_flips, false);
    sample_second(s, FPD_SECOND_settled, true);
    for (uint32_t v = 0; v < 2; v++) fpd_share_numbers(fpd_find_run(&s->runs, FPD_MODE_ieee, v));
    s->outcome = (FpdOutcome){.path = s->cas.path};
    fpd_plan_comparisons(&s->arena, &s->cas, &s->runs, &s->outcome);
    fpd_judge(&s->arena, &s->outcome);
}

static inline const char *sample_text(TowerSample *s) {
    Buffer text = {0};
    sample_judge(s);
    fpd_print_outcome(&s->outcome, false, &text);
    const char *kept = arena_text(&s->arena, text.data, text.size);
    buffer_free(&text);
    return kept;
}

static inline void sample_close(TowerSample *s) {
    arena_reset(&s->arena);
}

#endif
