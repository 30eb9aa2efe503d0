// SPDX-License-Identifier: Apache-2.0
// Debug information: lines of several files in two functions reach the assembly, and lines that are not known do no
// harm.
#include "target_test.h"

// int NAME(int a) { return a * a + 5; } with the lines given for the multiplication and the addition.
static void add_function(DebugLines *lines, LLVMModuleRef module, LLVMBuilderRef builder, const char *name, Location at,
                         Location multiply, Location add) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef word = LLVMInt32TypeInContext(context), type = LLVMFunctionType(word, &word, 1, false);
    LLVMValueRef function = LLVMAddFunction(module, name, type), a = LLVMGetParam(function, 0);
    debug_function(lines, builder, function, at);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    debug_at(lines, builder, multiply);
    LLVMValueRef square = LLVMBuildMul(builder, a, a, "");
    debug_at(lines, builder, add);
    LLVMBuildRet(builder, LLVMBuildAdd(builder, square, LLVMConstInt(word, 5, false), ""));
}

// The assembly of a module with two such functions; buffer_free is due.
static Buffer assemble_lines(bool with_lines, unsigned level) {
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    Target *target = test_target(NULL, level);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("lines", context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    target_prepare(target, &diagnostics, module);
    DebugLines *lines = with_lines ? debug_open(module, "/src/k.tileirbc", false) : NULL;
    Location f = {.file = "/src/kernel.py", .line = 10}, other = {.file = "/lib/stub.py", .line = 77, .column = 3};
    add_function(lines, module, builder, "first", f, (Location){.file = "/src/kernel.py", .line = 12, .column = 9},
                 other);
    add_function(lines, module, builder, "second", (Location){0}, (Location){.offset = 5, .has_offset = true}, other);
    debug_close(lines, builder);
    LLVMDisposeBuilder(builder);
    cr_assert(target_optimize(target, &diagnostics, module), "%s",
              diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert(target_emit(target, &diagnostics, module, COMPILE_ASM, &text));
    buffer_print(&text, "%s", "");
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    target_close(target);
    return text;
}

Test(debug_lines, reach_the_assembly) {
    for (unsigned level = 0; level <= 3; level++) {
        Buffer text = assemble_lines(true, level);
        cr_expect(strstr(text.data, ".loc\t1 12 9"), "level %u: %s", level, text.data);
        cr_expect(strstr(text.data, ".loc\t2 77 3"), "level %u: %s", level, text.data);
        cr_expect(strstr(text.data, ".debug_line"));
        buffer_free(&text);
    }
}

Test(debug_lines, are_left_out_unless_asked_for) {
    Buffer text = assemble_lines(false, 2);
    cr_expect_not(strstr(text.data, ".loc"));
    cr_expect_not(strstr(text.data, ".debug_line"));
    buffer_free(&text);
}
