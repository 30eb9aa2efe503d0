// SPDX-License-Identifier: Apache-2.0
// Races between the blocks of a launch: what is looked for in each launch, and what was found in terms of the case.
#include "diff/run.h"

#include <string.h>

// A launch whose blocks may race is judged on its blocks in one order, and runs in it ever after, so that what it
// computes is the same each time.
void fpd_races_before(const FpdRaceSearch *search, const FpdResolvedLaunch *resolved, RtLaunch *launch,
                      RtRaces *state) {
    const KernelInfo *kernel = launch->kernel;
    if (!kernel->stores_through) return;
    bool back = rt_races_depend_on_order(kernel), judged = resolved->ordered;
    *state = (RtRaces){.search = RT_RACES_ORDER};
    if (search && !search->backwards) state->search = judged ? RT_RACES_JUDGE : RT_RACES_LOOK;
    if (search && search->backwards && judged && back) state->search = RT_RACES_JUDGE_BACK;
    launch->races = state->search == RT_RACES_ORDER && !judged && !kernel->looks ? NULL : state;
}

static FpdRaceSide side_of(Arena *arena, const uint32_t grid[3], const KernelInfo *kernel, const RtRaceSide *from) {
    const KernelAccess *access = &kernel->accesses[from->access];
    const uint64_t row = from->block / grid[0];
    return (FpdRaceSide){
        .block = {(uint32_t)(from->block % grid[0]), (uint32_t)(row % grid[1]), (uint32_t)(row / grid[1])},
        .number = from->access,
        .by = {arena_keep(arena, access->op), location_keep(arena, access->at), access->kind}};
}

static FpdRace race_of(const FpdRaceSearch *search, uint32_t index, const RtLaunch *launch, const RtRace *from,
                       RtBuffer *const *buffers) {
    const FpdCase *cas = search->programs->cas;
    const FpdResolvedLaunch *resolved = &search->programs->launches[search->run->variant][index];
    FpdRace race = {.variant = search->run->variant,
                    .launch = index,
                    .kernel = resolved->kernel,
                    .name =
                        from->buffer && from->buffer->name ? arena_keep(search->arena, from->buffer->name) : "a global",
                    .buffer = -1,
                    .harmless = !from->changing};
    uint64_t unit = 2, extent = from->changing ? from->changing : from->equal; // half bytes
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (buffers[b] == from->buffer) {
            race.buffer = b;
            unit = element_info(cas->buffers[b].type)->storage_bits / 4;
        }
    race.first = from->first / unit;
    race.elements = (extent + unit - 1) / unit;
    for (int i = 0; i < 2; i++) race.sides[i] = side_of(search->arena, launch->grid, launch->kernel, &from->sides[i]);
    return race;
}

static bool is_known(const FpdRun *run, const FpdRace *race) {
    for (uint32_t i = 0; i < run->race_count; i++) {
        const FpdRace *other = &run->races[i];
        bool same =
            other->launch == race->launch && other->harmless == race->harmless && !strcmp(other->name, race->name);
        for (int side = 0; side < 2; side++) // they came the other way round
            same &= other->sides[side].number == race->sides[1 - side].number;
        if (same) return true;
    }
    return false;
}

void fpd_races_forget(FpdRaceSearch *search) {
    search->run->race_count = 0;
    search->run->races_incomplete = false;
}

void fpd_races_after(FpdRaceSearch *search, uint32_t index, const RtLaunch *launch, RtBuffer *const *buffers) {
    FpdRun *run = search->run;
    const RtRaces *state = launch->races;
    if (!state) return;
    if (state->suspicious) search->programs->launches[search->run->variant][index].ordered = search->again = true;
    search->back |= state->search == RT_RACES_JUDGE && rt_races_depend_on_order(launch->kernel);
    run->races_incomplete |= state->incomplete || state->more;
    if (!state->count) return;
    FpdRace *races = arena_array(search->arena, FpdRace, run->race_count + state->count);
    if (run->race_count) memcpy(races, run->races, run->race_count * sizeof *races);
    run->races = races;
    for (uint32_t i = 0; i < state->count; i++) {
        FpdRace race = race_of(search, index, launch, &state->races[i], buffers);
        if (!search->backwards || !is_known(run, &race)) races[run->race_count++] = race;
    }
}

bool fpd_has_races(const FpdRun *run) {
    for (uint32_t i = 0; i < run->race_count; i++)
        if (!run->races[i].harmless) return true;
    return false;
}
