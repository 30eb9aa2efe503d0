// SPDX-License-Identifier: Apache-2.0
// How libFuzzer changes bytecode: its bytes, or the module in it as mutate_module.c does, which far more often gives
// another valid one.
#include "tests/robustness/robustness.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); // of libFuzzer
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// 0: the bytes hold no module, or it cannot be written.
static size_t change_module(uint8_t *data, size_t size, size_t max_size, Random *random) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    size_t changed = 0;
    TirModule *module = tir_read_bytecode(&diagnostics, "fuzz", data, size);
    if (module) {
        uint64_t edits = 1 + random_below(random, 3);
        for (uint64_t i = 0; i < edits; i++) mutate_module(module, random);
        if (tir_write_bytecode(&diagnostics, module, module->version, &out) && out.size <= max_size) {
            memcpy(data, out.data, out.size);
            changed = out.size;
        }
    }
    tir_module_close(module);
    buffer_free(&out);
    diagnostics_close(&diagnostics);
    return changed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    Random random = {seed};
    size_t changed = random_below(&random, 3) ? change_module(data, size, max_size, &random) : 0;
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
