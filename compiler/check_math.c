// SPDX-License-Identifier: Apache-2.0
// Whether settings for floats fit the programs that they are for.
#include "compiler/compiler.h"
#include "compiler/rewrite/rewrite.h"

bool compiler_check_math(Diagnostics *diagnostics, Location at, ErrorCode code, const MathSettings *settings,
                         uint32_t count, const Program *const *programs) {
    Arena arena = {0};
    bool *matched = arena_array(&arena, bool, settings->scope_count + 1u), debug = false;
    for (uint32_t i = 0; i < count; i++) {
        if (programs[i]->form != PROGRAM_TILES) continue;
        rewrite_match_scopes(programs[i]->tiles, settings, matched);
        debug |= programs[i]->tiles->debug_count;
    }
    const bool good = rewrite_check_bounds(diagnostics, at, code, settings) &&
                      rewrite_check_scopes(diagnostics, at, code, settings, matched, debug);
    arena_reset(&arena);
    return good;
}

bool compiler_splits_kernel(const Program *program, const char *kernel, const MathSettings *settings) {
    return program->form == PROGRAM_TILES && rewrite_splits_entry(program->tiles, kernel, settings);
}
