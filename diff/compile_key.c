// SPDX-License-Identifier: Apache-2.0
// All that tells one compilation from another, as a key: of cubins on disk, and of what this process has compiled.
#include "diff/machine.h"

#include <string.h>

bool fpd_compile_key(const FpdMachine *machine, const Program *program, const CompileOptions *options, CacheKey *key) {
    Diagnostics ignored = {0};
    Arena arena = {0};
    Buffer identity = {0}, asked = {0}, toolchain = {0};
    uint8_t *file;
    size_t size;
    bool good = program_print_identity(program, &identity);
    if (good) {
        // What makes the code stays the same in a process; on disk it may be another's.
        if (machine->target == FPD_TARGET_cuda) compiler_toolchain(machine->compiler, &toolchain);
        CacheParts *parts = cache_parts_open();
        cache_part_text(parts, fpd_target_name(machine->target));
        cache_part(parts, toolchain.data, toolchain.size);
        cache_part_text(parts, compiler_llvm_version(machine->compiler));
        cache_part(parts, identity.data, identity.size);
        // Places in messages are those of the file, which may be text.
        cache_part_text(parts, program->path);
        if (program->path && file_read(&ignored, &arena, program->path, &file, &size)) cache_part(parts, file, size);
        compile_options_identity(options, &asked);
        cache_part(parts, asked.data, asked.size);
        *key = cache_parts_close(parts);
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    buffer_free(&identity);
    buffer_free(&asked);
    buffer_free(&toolchain);
    return good;
}
