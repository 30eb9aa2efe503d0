// SPDX-License-Identifier: Apache-2.0
// All that tells one compilation from another, as a key: of cubins on disk, and of what this process has compiled.
#include "diff/fpd.h"

#include <string.h>

static void add_meanings(CacheParts *parts, const CompileOptions *options) {
    cache_part_number(parts, options->meaning_count);
    for (uint32_t i = 0; i < options->meaning_count; i++) {
        const TowerMeaning *meaning = &options->meanings[i];
        cache_part(parts, &meaning->value, sizeof meaning->value);
        cache_part(parts, meaning->payload.component, sizeof meaning->payload.component);
        cache_part_number(parts, meaning->payload.state);
    }
}

// All of them, so that none is forgotten: those that are no pointers as they are in memory, and what pointers are to.
// Bytes between them that differ only mean that something is compiled again.
static void add_options(CacheParts *parts, const CompileOptions *options) {
    const FpsanProfile *profile = options->instrumentation.algebra.profile;
    CompileOptions numbers;
    memcpy(&numbers, options, sizeof numbers);
    numbers.instrumentation.algebra.profile = NULL;
    numbers.meanings = NULL;
    numbers.cpu = numbers.gpu = NULL;
    numbers.save = NULL, numbers.times = NULL, numbers.resources = NULL; // say what else to do
    cache_part(parts, &numbers, sizeof numbers);
    cache_part_text(parts, profile ? profile->name : NULL);
    cache_part_text(parts, options->cpu);
    cache_part_text(parts, options->gpu);
    add_meanings(parts, options);
}

bool fpd_compile_key(const FpdMachine *machine, const TirModule *tir, const CompileOptions *options, CacheKey *key) {
    Diagnostics ignored = {0};
    Arena arena = {0};
    Buffer bytecode = {0}, toolchain = {0};
    uint8_t *file;
    size_t size;
    bool good = tir_write_bytecode(&ignored, tir, TIR_VERSION_MAX, &bytecode);
    if (good) {
        // What makes the code stays the same in a process; on disk it may be another's.
        if (machine->target == FPD_TARGET_cuda) compiler_toolchain(machine->compiler, &toolchain);
        CacheParts *parts = cache_parts_open();
        cache_part_text(parts, fpd_target_name(machine->target));
        cache_part(parts, toolchain.data, toolchain.size);
        cache_part_text(parts, compiler_llvm_version(machine->compiler));
        cache_part(parts, bytecode.data, bytecode.size);
        // Places in messages are those of the file, which may be text.
        cache_part_text(parts, tir->path);
        if (tir->path && file_read(&ignored, &arena, tir->path, &file, &size)) cache_part(parts, file, size);
        add_options(parts, options);
        *key = cache_parts_close(parts);
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    buffer_free(&bytecode);
    buffer_free(&toolchain);
    return good;
}
