// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of bytecode is read, verified, printed, written, and what comes out goes in again.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/round_trip.h"

// A version that depends on the input, so that all are tried without the cost of all.
static uint16_t other_version(const TirModule *module, size_t size) {
    enum { VERSIONS = TIR_VERSION_MAX - TIR_VERSION_MIN + 1 };
    uint16_t version = (uint16_t)(TIR_VERSION_MIN + size % VERSIONS);
    return version == module->version ? TIR_VERSION_MAX : version;
}

static void print_only(const TirModule *module) {
    for (int locations = 0; locations < 2; locations++) {
        Buffer out = {0};
        tir_print(module, locations, &out);
        buffer_free(&out);
    }
}

static void check_module(const TirModule *module, size_t size) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    bool valid = tir_verify(&diagnostics, module);
    fuzz_check_messages(&diagnostics, valid, false);
    if (valid) {
        Diagnostics warnings = {0};
        tir_verify_hints(&warnings, module);
        diagnostics_close(&warnings);
        for (int locations = 0; locations < 2; locations++)
            fuzz_require_none(round_trip_text(&arena, module, locations));
        fuzz_require_none(round_trip_bytes(&arena, module, module->version, NULL));
        fuzz_require_none(round_trip_bytes(&arena, module, other_version(module, size), NULL));
    } else {
        print_only(module);
        fuzz_require_none(round_trip_unverified(&arena, module));
    }
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "fuzz", data, size);
    fuzz_check_messages(&diagnostics, module, true);
    if (module) check_module(module, size);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return 0;
}
