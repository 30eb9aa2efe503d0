// SPDX-License-Identifier: Apache-2.0
// Fuzz target: text is parsed, verified, printed, written as bytecode, and what comes out goes in again.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/round_trip.h"

static void check_valid(Arena *arena, const TirModule *module) {
    Diagnostics diagnostics = {0};
    for (int locations = 0; locations < 2; locations++) fuzz_require_none(round_trip_text(arena, module, locations));
    bool writable = tir_is_self_contained(&diagnostics, module);
    fuzz_check_messages(&diagnostics, writable, true);
    if (writable) fuzz_require_none(round_trip_bytes(arena, module, TIR_VERSION_MAX, NULL));
    diagnostics_close(&diagnostics);
}

static void check_module(const TirModule *module) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    bool valid = tir_verify(&diagnostics, module);
    fuzz_check_messages(&diagnostics, valid, false);
    if (valid) {
        check_valid(&arena, module);
    } else {
        Buffer out = {0};
        tir_print(module, true, &out);
        buffer_free(&out);
    }
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "fuzz", (const char *)data, size);
    fuzz_check_messages(&diagnostics, module, true);
    if (module) check_module(module);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return 0;
}
