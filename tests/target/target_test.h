// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: modules from LLVM text.
#ifndef CONGRUENT_TARGET_TEST_H
#define CONGRUENT_TARGET_TEST_H

#include "compiler/target/target.h"

#include <criterion/criterion.h>
#include <llvm-c/IRReader.h>
#include <string.h>

typedef struct TestModule {
    LLVMContextRef context;
    LLVMModuleRef module;
} TestModule;

// Parses the text, which must be good.
static inline TestModule test_parse(const Target *target, Diagnostics *diagnostics, const char *text) {
    TestModule test = {.context = LLVMContextCreate()};
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    char *message = NULL;
    cr_assert_eq(LLVMParseIRInContext(test.context, memory, &test.module, &message), 0, "%s", message ? message : "");
    target_prepare(target, diagnostics, test.module);
    return test;
}

static inline void test_close(TestModule *test) {
    LLVMDisposeModule(test->module);
    LLVMContextDispose(test->context);
}

static inline Target *test_target(const char *cpu, unsigned level) {
    Diagnostics diagnostics = {0};
    Target *target = target_open(&diagnostics, cpu, level);
    cr_assert(target, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    return target;
}

#endif
