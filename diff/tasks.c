// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: each combination of the parameters of each case, with each seed. A shard takes every N-th of
// them.
#include "diff/command.h"

#include <stdio.h>
#include <xxhash.h>

static void add_to_key(XXH3_state_t *key, const FpdTask *task) {
    XXH3_64bits_update(key, task->path, strlen(task->path) + 1);
    XXH3_64bits_update(key, &task->combination, sizeof task->combination);
    XXH3_64bits_update(key, &task->nth_seed, sizeof task->nth_seed);
}

static void add_text_to_key(XXH3_state_t *key, const char *text) { // NULL: an empty one
    XXH3_64bits_update(key, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_parameters_to_key(XXH3_state_t *key, const FpdParameters *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        XXH3_64bits_update(key, set->items[i].name, strlen(set->items[i].name) + 1);
        XXH3_64bits_update(key, &set->items[i].value, sizeof set->items[i].value);
    }
}

// What a comparison finds may depend on them. Those that change no result, such as --jobs, are not among them.
static void add_options_to_key(XXH3_state_t *key, const FpdOptions *o) {
    const uint64_t numbers[] = {
        o->has_seed,      o->run_count,      o->iterations,      o->schedule,    o->check_assume, o->check_fences,
        o->outside_tiles, o->no_races,       o->has_unspecified, o->unspecified, o->has_casts,    (uint64_t)o->casts,
        o->has_profile,   o->profile.family, o->reroll,          o->async_early,
    };
    const char *texts[] = {o->math, o->profile.ring ? o->profile.ring->name : NULL};
    XXH3_64bits_update(key, numbers, sizeof numbers);
    for (size_t i = 0; i < BASE_COUNT(texts); i++) add_text_to_key(key, texts[i]);
}

bool fpd_plan_tasks(Diagnostics *diagnostics, Arena *arena, const FpdOptions *options, FpdTasks *tasks) {
    uint32_t *counts = arena_array(arena, uint32_t, options->case_count + 1);
    *tasks = (FpdTasks){.hashes = arena_array(arena, const char *, options->case_count + 1)};
    for (size_t c = 0; c < options->case_count; c++) {
        tasks->hashes[c] = fpd_hash_file(arena, options->cases[c]);
        counts[c] = options->quick ? 1 : fpd_count_combinations(options->cases[c], &options->set);
        tasks->total += counts[c] * options->seed_count;
        if (tasks->total > FPD_TASKS_MAX)
            return diag_fail(diagnostics, (Location){0}, E_USAGE,
                             "cases, their parameters and seeds are more than %d comparisons", FPD_TASKS_MAX);
    }
    XXH3_state_t *key = XXH3_createState();
    XXH3_64bits_reset_withSeed(key, options->has_seed ? options->seed : 0);
    add_parameters_to_key(key, &options->set);
    add_options_to_key(key, options);
    tasks->items = arena_array(arena, FpdTask, tasks->total / options->shard_count + 1);
    FpdTask task = {0};
    for (size_t c = 0; c < options->case_count; c++) {
        task.path = options->cases[c];
        add_text_to_key(key, tasks->hashes[c]);
        for (task.combination = 0; task.combination < counts[c]; task.combination++)
            for (task.nth_seed = 0; task.nth_seed < options->seed_count; task.nth_seed++, task.number++) {
                add_to_key(key, &task);
                if (task.number % options->shard_count == options->shard - 1) tasks->items[tasks->count++] = task;
            }
    }
    snprintf(tasks->key, sizeof tasks->key, "%016llx", (unsigned long long)XXH3_64bits_digest(key));
    XXH3_freeState(key);
    return true;
}
