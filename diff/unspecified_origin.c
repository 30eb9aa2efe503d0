// SPDX-License-Identifier: Apache-2.0
// Who made what is unspecified. Floats know (tower_origin), integers only in a second run (FPD_SECOND_origins): in the
// plain one there is but the op that passed something on as an integer, or depended on it.
#include "diff/compare.h"

#include <string.h>

// The op that a number of an origin names; NULL: none.
static const FpdStore *op_of(const FpdRun *run, uint32_t origin) {
    return origin && origin <= run->store_count && run->stores[origin - 1].unspecified ? &run->stores[origin - 1]
                                                                                       : NULL;
}

static FpdOrigin describe_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t origin) {
    const FpdStore *op = op_of(run, origin);
    if (origin >= FPD_ORIGIN_BUFFER && origin - FPD_ORIGIN_BUFFER < cas->buffer_count)
        return (FpdOrigin){arena_format(arena, "%s has no fill, and nothing wrote it before",
                                        cas->buffers[origin - FPD_ORIGIN_BUFFER].name),
                           NULL};
    return op ? (FpdOrigin){op->unspecified, op} : (FpdOrigin){"who made it is not known", NULL};
}

static uint32_t origin_of_element(const FpdRun *run, FpdShadowed element) {
    return tower_origin(run->tower, element.payload);
}

static bool is_passed_on(const FpdRun *run, uint32_t origin) {
    const FpdStore *op = op_of(run, origin);
    return op && op->passed_on;
}

bool fpd_needs_origins(const FpdCase *cas, const FpdRun *run) {
    for (uint32_t s = 0; run->uses && s < run->store_count; s++)
        if (run->uses[s]) return true;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; run->records && run->records[c] && i < cas->buffers[cas->compare[c]].elements; i++) {
            const FpdShadowed element = fpd_element_of(cas, run, c, i);
            if (tower_is_poison(element.payload) && is_passed_on(run, origin_of_element(run, element))) return true;
        }
    return false;
}

// The origin of an element, and the run that counts it so: the plain one or another. False: it is not unspecified.
static bool find_element_origin(const FpdCase *cas, uint32_t compared, uint64_t index, const FpdRun **run,
                                uint32_t *origin) {
    const FpdRun *again = (*run)->again[FPD_SECOND_origins];
    const FpdShadowed element = fpd_element_of(cas, *run, compared, index);
    if (!tower_is_poison(element.payload)) return false;
    *origin = origin_of_element(*run, element);
    if (!again || !is_passed_on(*run, *origin)) return true;
    const FpdShadowed other = fpd_element_of(cas, again, compared, index);
    if (tower_is_poison(other.payload)) *run = again, *origin = origin_of_element(again, other);
    return true;
}

FpdOrigin fpd_element_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    uint32_t origin;
    return find_element_origin(cas, compared, index, &run, &origin) ? describe_origin(arena, cas, run, origin)
                                                                    : (FpdOrigin){0};
}

// The numbers of ops are others where integers know origins, as these have no ops then that pass something on.
static bool is_same_use(const FpdStore *a, const FpdStore *b) {
    return a->launch == b->launch && !strcmp(a->op, b->op) && b->unspecified &&
           !strcmp(a->unspecified, b->unspecified) && a->at.line == b->at.line && a->at.column == b->at.column &&
           a->at.offset == b->at.offset && (!a->at.file || !b->at.file || !strcmp(a->at.file, b->at.file));
}

FpdOrigin fpd_use_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t use) {
    const FpdRun *again = run->again[FPD_SECOND_origins];
    for (uint32_t s = 0; again && s < again->store_count; s++)
        if (again->uses[s] && is_same_use(&run->stores[use], &again->stores[s]))
            return describe_origin(arena, cas, again, again->use_origins[s]);
    return (FpdOrigin){0};
}

static void note_buffer(const FpdCase *cas, uint32_t origin, bool *buffers) {
    if (origin >= FPD_ORIGIN_BUFFER && origin - FPD_ORIGIN_BUFFER < cas->buffer_count)
        buffers[origin - FPD_ORIGIN_BUFFER] = true;
}

void fpd_find_origin_buffers(const FpdCase *cas, const FpdRun *run, bool *buffers) {
    const FpdRun *again = run->again[FPD_SECOND_origins];
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; i < cas->buffers[cas->compare[c]].elements; i++) {
            const FpdRun *counts = run;
            uint32_t origin;
            if (find_element_origin(cas, c, i, &counts, &origin)) note_buffer(cas, origin, buffers);
        }
    for (uint32_t s = 0; again && s < again->store_count; s++)
        if (again->uses[s]) note_buffer(cas, again->use_origins[s], buffers);
}
