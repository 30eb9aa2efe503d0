// SPDX-License-Identifier: Apache-2.0
// The tasks of a run: each case with each seed. A shard takes every N-th of them.
#include "diff/command.h"

#include <stdio.h>
#include <xxhash.h>

static void add_to_key(XXH3_state_t *key, const FpdTask *task) {
    XXH3_64bits_update(key, task->path, strlen(task->path) + 1);
    XXH3_64bits_update(key, &task->nth_seed, sizeof task->nth_seed);
}

FpdTasks fpd_plan_tasks(Arena *arena, const FpdOptions *options) {
    FpdTasks tasks = {.total = options->case_count * options->seed_count};
    XXH3_state_t *key = XXH3_createState();
    XXH3_64bits_reset_withSeed(key, options->has_seed ? options->seed : 0);
    tasks.items = arena_array(arena, FpdTask, tasks.total / options->shard_count + 1);
    for (uint64_t i = 0; i < tasks.total; i++) {
        const FpdTask task = {options->cases[i / options->seed_count], i % options->seed_count, i};
        add_to_key(key, &task);
        if (i % options->shard_count == options->shard - 1) tasks.items[tasks.count++] = task;
    }
    snprintf(tasks.key, sizeof tasks.key, "%016llx", (unsigned long long)XXH3_64bits_digest(key));
    XXH3_freeState(key);
    return tasks;
}
