// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text of Triton IR is read, translated, verified, described, and printed as Tile IR.
#include "compiler/triton/triton.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Diagnostics diagnostics = {0};
    TirModule *module = tri_read(&diagnostics, "fuzz", (const char *)data, size);
    fuzz_check_messages(&diagnostics, module, true);
    bool valid = module && tir_verify(&diagnostics, module);
    if (module) fuzz_check_messages(&diagnostics, valid, false);
    if (valid) {
        Buffer printed = {0};
        tir_print(module, true, &printed);
        buffer_free(&printed);
        tir_program_close(tir_program(module));
    } else {
        tir_module_close(module);
    }
    tri_front_end.recognises("fuzz", data, size);
    diagnostics_close(&diagnostics);
    return 0;
}
