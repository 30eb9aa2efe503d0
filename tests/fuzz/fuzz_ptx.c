// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text of PTX is read and verified, printed, and what is printed is the same list.
#include "tests/fuzz/fuzz.h"
#include "tests/ptx/compare_ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Diagnostics diagnostics = {0};
    Arena arena = {0};
    PtxModule *module = ptx_read(&diagnostics, "fuzz.ptx", (const char *)data, size);
    fuzz_check_messages(&diagnostics, module, true);
    if (module) fuzz_require_none(ptx_round_trip(&arena, module));
    ptx_module_close(module);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
    return 0;
}
