// SPDX-License-Identifier: Apache-2.0
// Partial sums, in payloads. With f(X) for what the reference leaves of an input X, A for X with a part zero and B for
// X with the rest zero, a wrong element is a partial sum if it is f(A), and if f(X) + f(0) = f(A) + f(B): then it is
// the right value without the terms that the part has in it. Of a whole input, where A is 0, it has to be f(0), and
// f(0) + f(2 X) = 2 f(X). Of the same numbers several parts may be the one: fpd_confirm_relations tells. Candidates are
// found in real numbers (repair_partial.c).
#include "diff/locate.h"

#include <inttypes.h>
#include <string.h>

enum { LEAST = 4, TRIED = 3 };

typedef struct Partial {
    const FpdRunner *runner;
    const FpdCase *cas;
    const FpdComparison *comparison;
    const RepairPart *part;
    const FpdRun *without, *rest, *none; // f(A); f(B) or, of a whole input, f(2 X); f(0), which of those is f(A)
    bool whole;
} Partial;

// What becomes of the elements: of those in the part, and of the others.
typedef enum Keep { KEEP_IT, KEEP_ZERO, KEEP_TWICE } Keep;

static void change_part(const Partial *p, const FpdBuffer *buffer, Keep part, Keep rest, uint8_t *bytes) {
    const RepairBuffer shape = {.rank = buffer->rank, .shape = buffer->shape};
    const FpsanFormat format = element_format(buffer->type);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        const Keep keep = repair_in_part(&shape, p->part, i) ? part : rest;
        if (keep == KEEP_IT) continue;
        const double value = fpsan_decode(format, fpd_element_bits(buffer->type, bytes, i));
        fpd_element_set(buffer->type, bytes, i, keep == KEEP_ZERO ? 0 : fpsan_encode_nearest(format, 2 * value));
    }
}

// The reference once more, with another input. NULL: it cannot be run.
static const FpdRun *run_changed(const Partial *p, Arena *arena, Keep part, Keep rest) {
    Diagnostics ignored = {0};
    FpdCase cas = *p->cas;
    FpdPrograms programs = *p->runner->programs;
    const FpdRunner runner = {&ignored, arena, p->runner->machine, &programs};
    const FpdSettings settings = fpd_plain_settings(runner.machine, &cas);
    FpdRun *run = fpd_plan_again(arena, p->comparison->left, &settings);
    programs.cas = &cas;
    cas.buffers = arena_array(arena, FpdBuffer, cas.buffer_count + 1u);
    memcpy(cas.buffers, p->cas->buffers, cas.buffer_count * sizeof *cas.buffers);
    FpdBuffer *buffer = &cas.buffers[p->part->buffer];
    uint8_t *bytes = arena_alloc(arena, buffer->bytes + 1);
    bool good = fpd_fill_buffer(&ignored, buffer, cas.seed, 1, bytes);
    if (good) change_part(p, buffer, part, rest, bytes);
    buffer->fill.contents = bytes;
    good = good && fpd_run_again(&runner, 1, &run);
    diagnostics_close(&ignored);
    return good ? run : NULL;
}

static bool run_all(Partial *p, Arena *arena) {
    p->without = run_changed(p, arena, KEEP_ZERO, KEEP_IT);
    if (p->without)
        p->rest = p->whole ? run_changed(p, arena, KEEP_TWICE, KEEP_TWICE) : run_changed(p, arena, KEEP_IT, KEEP_ZERO);
    p->none = p->whole || !p->rest ? p->without : run_changed(p, arena, KEEP_ZERO, KEEP_ZERO);
    return p->without && p->rest && p->none;
}

static bool is_partial(const Partial *p, uint32_t c, uint64_t i) {
    const Tower *tower = p->comparison->left->tower;
    const TowerPayload right = fpd_element_of(p->cas, p->comparison->left, c, i).payload,
                       is = fpd_element_of(p->cas, p->comparison->right, c, i).payload,
                       without = fpd_element_of(p->cas, p->without, c, i).payload,
                       rest = fpd_element_of(p->cas, p->rest, c, i).payload,
                       none = fpd_element_of(p->cas, p->none, c, i).payload;
    if (!fpd_is_finite(right) || !fpd_is_finite(is) || !fpd_is_finite(without) || !fpd_is_finite(rest) ||
        !fpd_is_finite(none) || tower_is_zero(tower, is) || !fpd_same_payload(tower, is, without))
        return false;
    return fpd_same_payload(tower, tower_add(tower, right, p->whole ? right : none), tower_add(tower, without, rest));
}

// "X[:, 48:64]"
static const char *name_part(const Partial *p) {
    const FpdBuffer *buffer = &p->cas->buffers[p->part->buffer];
    const char *text = buffer->name;
    if (p->whole) return text;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        text = arena_format(p->runner->arena, "%s%s", text, d ? ", " : "[");
        text = d == p->part->dimension
                   ? arena_format(p->runner->arena, "%s%" PRId64 ":%" PRId64, text, p->part->first, p->part->end)
                   : arena_format(p->runner->arena, "%s:", text);
    }
    return arena_format(p->runner->arena, "%s]", text);
}

// Says of each compared buffer for how many of its wrong elements it holds, if these are many. False: of none.
static bool add_partial(const Partial *p, FpdLocated *located) {
    bool found = false;
    for (uint32_t c = 0; c < p->cas->compare_count; c++) {
        const FpdDifference *d = &p->comparison->differences[c];
        FpdRelation relation = {.kind = FPD_RELATION_partial, .buffer = d->buffer, .part = *p->part};
        if (!d->different || !element_is_float(p->cas->buffers[d->buffer].type)) continue;
        for (uint64_t i = 0; i < d->elements; i++) {
            if (!fpd_element_diverges(d, i)) continue;
            relation.of++;
            relation.count += is_partial(p, c, i);
        }
        if (relation.count < LEAST || relation.count * 4 < relation.of) continue;
        relation.what = arena_format(p->runner->arena, "are partial sums: they lack the terms of %s", name_part(p));
        fpd_add_relation(p->runner->arena, p->cas, &relation, located);
        found = true;
    }
    return found;
}

bool fpd_try_partial(const FpdRunner *runner, const FpdComparison *comparison, const RepairPart *part,
                     FpdLocated *located) {
    Arena arena = {0};
    Partial p = {.runner = runner, .cas = runner->programs->cas, .comparison = comparison, .part = part};
    const FpdBuffer *buffer = &p.cas->buffers[part->buffer];
    p.whole = part->first == 0 && part->end == buffer->shape[part->dimension];
    const bool found =
        fpsan_decode(element_format(buffer->type), 0) == 0 && run_all(&p, &arena) && add_partial(&p, located);
    arena_reset(&arena);
    return found;
}

void fpd_find_partial(const FpdRunner *runner, const FpdComparison *comparison, Repair *repair, double seconds,
                      FpdLocated *located) {
    uint32_t count;
    const RepairPart *parts = repair_missing_parts(repair, seconds, &count);
    for (uint32_t i = 0; fpd_compares_records(comparison) && i < count && i < TRIED; i++)
        fpd_try_partial(runner, comparison, &parts[i], located);
}
