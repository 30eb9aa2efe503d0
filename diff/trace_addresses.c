// SPDX-License-Identifier: Apache-2.0
// Which buffers a launch may reach through addresses: those that the buffers it gets hold, from the case file or
// because an earlier launch may have stored them. What a launch stores in buffers of i64 may be any address that it has
// found, or made of its pointers.
#include "diff/programs.h"

#include <string.h>

// Sets of buffers, a bit each.
typedef struct AddressTracer {
    const FpdCase *cas;
    Arena *arena;
    uint32_t words;   // of a set
    uint64_t **holds; // of each buffer: those whose addresses may be there
} AddressTracer;

static void set_add(uint64_t *set, uint32_t buffer) {
    set[buffer / 64] |= UINT64_C(1) << buffer % 64;
}

static bool set_has(const uint64_t *set, uint32_t buffer) {
    return set[buffer / 64] >> buffer % 64 & 1;
}

static AddressTracer open_addresses(Arena *arena, const FpdCase *cas) {
    AddressTracer t = {cas, arena, cas->buffer_count / 64 + 1, arena_array(arena, uint64_t *, cas->buffer_count + 1u)};
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdBuffer *buffer = &cas->buffers[b];
        t.holds[b] = arena_array(arena, uint64_t, t.words);
        for (uint64_t i = 0; buffer->fill.addresses && i < buffer->elements; i++)
            if (buffer->fill.addresses[i].kind != FPD_ARGUMENT_VALUE)
                set_add(t.holds[b], buffer->fill.addresses[i].buffer);
    }
    return t;
}

// What a launch gets pointers to.
static void add_given(const FpdResolvedLaunch *launch, uint64_t *given) {
    for (uint32_t p = 0; launch->threads && p < launch->threads->placed_count; p++)
        if (launch->threads->placed[p].kind != FPD_ARGUMENT_SCRATCH) set_add(given, launch->threads->placed[p].buffer);
    for (uint32_t v = 0; !launch->threads && v < launch->entry->parameter_count; v++)
        if (launch->values[v].pointer && !launch->values[v].list) set_add(given, launch->values[v].buffer);
}

// The arrays of its lists.
static void add_listed(const FpdResolvedLaunch *launch, uint64_t *reached) {
    for (uint32_t v = 0; !launch->threads && v < launch->entry->parameter_count; v++)
        for (uint32_t i = 0; launch->values[v].list && i < launch->values[v].list->item_count; i++)
            set_add(reached, launch->values[v].list->items[i].buffer);
}

// And all that addresses in these lead to.
static void add_held(const AddressTracer *t, const uint64_t *given, uint64_t *reached) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < t->cas->buffer_count; b++) {
            if (!set_has(given, b) && !set_has(reached, b)) continue;
            for (uint32_t w = 0; w < t->words; w++) {
                more |= (reached[w] | t->holds[b][w]) != reached[w];
                reached[w] |= t->holds[b][w];
            }
        }
    }
}

static void keep_reached(Arena *arena, const AddressTracer *t, const uint64_t *reached, FpdResolvedLaunch *launch) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < t->cas->buffer_count; b++) count += set_has(reached, b);
    launch->reached = arena_array(arena, uint32_t, count + 1u);
    for (uint32_t b = 0; b < t->cas->buffer_count; b++)
        if (set_has(reached, b)) launch->reached[launch->reached_count++] = b;
}

// Addresses that the launch may store.
static void note_stored(AddressTracer *t, const ProgramUse *use, const uint64_t *stored, uint32_t buffer) {
    if (!use->writes || t->cas->buffers[buffer].type != ELEMENT_I64) return;
    for (uint32_t w = 0; w < t->words; w++) t->holds[buffer][w] |= stored[w];
}

// Of launches of one kernel once.
static ProgramAddresses addresses_of(const FpdPrograms *programs, uint32_t variant, uint32_t launch) {
    const FpdResolvedLaunch *launches = programs->launches[variant];
    for (uint32_t i = launch; i-- > 0;)
        if (launches[i].entry == launches[launch].entry) return launches[i].addresses;
    return program_addresses(programs->modules[launches[launch].module].program, launches[launch].entry);
}

void fpd_trace_addresses(Arena *arena, FpdPrograms *programs, uint32_t variant) {
    Arena scratch = {0};
    AddressTracer t = open_addresses(&scratch, programs->cas);
    uint64_t *given = arena_array(&scratch, uint64_t, t.words), *reached = arena_array(&scratch, uint64_t, t.words);
    for (uint32_t i = 0; i < programs->cas->variants[variant].launch_count; i++) {
        FpdResolvedLaunch *launch = &programs->launches[variant][i];
        launch->addresses = addresses_of(programs, variant, i);
        const ProgramAddresses *does = &launch->addresses;
        memset(given, 0, t.words * sizeof *given);
        memset(reached, 0, t.words * sizeof *reached);
        add_given(launch, given);
        add_listed(launch, reached);
        add_held(&t, given, reached);
        if (does->followed.reads || does->followed.writes) keep_reached(arena, &t, reached, launch);
        for (uint32_t w = 0; does->made && w < t.words; w++) reached[w] |= given[w];
        for (uint32_t b = 0; b < t.cas->buffer_count; b++) {
            const ProgramUse use = fpd_launch_use(programs, variant, i, b);
            note_stored(&t, &use, reached, b);
        }
    }
    arena_reset(&scratch);
}

bool fpd_may_hold_addresses(const FpdPrograms *programs, uint32_t variant, uint32_t buffer) {
    bool may = programs->cas->buffers[buffer].fill.addresses;
    for (uint32_t i = 0; i < programs->cas->variants[variant].launch_count; i++) {
        const FpdResolvedLaunch *launch = &programs->launches[variant][i];
        may |= programs->cas->buffers[buffer].type == ELEMENT_I64 &&
               (launch->addresses.made || launch->reached_count) && fpd_launch_use(programs, variant, i, buffer).writes;
    }
    return may;
}

// ---- arguments that may overlap -------------------------------------------------------------------------------------

static bool has_overlap(const FpdResolvedLaunch *launch) {
    for (uint32_t a = 0; !launch->threads && a < launch->entry->parameter_count; a++)
        for (uint32_t b = 0; b < a && launch->values[a].pointer && !launch->values[a].list; b++)
            if (launch->values[b].pointer && launch->values[b].buffer == launch->values[a].buffer &&
                (launch->entry->parameters[a].use.writes || launch->entry->parameters[b].use.writes))
                return true;
    return false;
}

bool fpd_has_overlaps(const FpdPrograms *programs) {
    bool overlaps = false;
    for (uint32_t v = 0; v < programs->cas->variant_count; v++)
        for (uint32_t i = 0; i < programs->cas->variants[v].launch_count; i++)
            overlaps |= has_overlap(&programs->launches[v][i]);
    return overlaps;
}
