// SPDX-License-Identifier: Apache-2.0
// Every message and error of LLVM becomes a diagnostic and is freed here; fatal errors end the process with one line.
#include "compiler/target/target_internal.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// LLVM's messages may have several lines; a diagnostic has one.
static const char *first_line(Arena *arena, const char *text) {
    while (*text == '\n' || *text == ' ') text++;
    return arena_text(arena, text, strcspn(text, "\n"));
}

static bool record(Diagnostics *diagnostics, const char *doing, const char *text) {
    Arena arena = {0};
    diag_fail(diagnostics, (Location){0}, E_LLVM, "%s: %s", doing, first_line(&arena, text));
    arena_reset(&arena);
    return false;
}

bool llvm_check(Diagnostics *diagnostics, LLVMErrorRef error, const char *doing) {
    if (!error) return true;
    char *message = LLVMGetErrorMessage(error); // frees the error
    record(diagnostics, doing, message);
    LLVMDisposeErrorMessage(message);
    return false;
}

bool llvm_fail(Diagnostics *diagnostics, char *message, const char *doing) {
    record(diagnostics, doing, message ? message : "no reason given");
    LLVMDisposeMessage(message);
    return false;
}

// What the thread is doing, for the fatal handler alone, which LLVM gives no context to.
static _Thread_local struct {
    const char *op;
    Location at;
} llvm_doing;

void llvm_now(const char *op, Location at) {
    llvm_doing.op = op;
    llvm_doing.at = at;
}

// What the attribute "warn-stack-size" asks for: a frame too large for the threads that kernels run on.
static void take_frame_report(LLVMDiagnosticInfoRef info, Diagnostics *diagnostics) {
    static const char known[] = "stack frame size (";
    char *text = LLVMGetDiagInfoDescription(info), *found = strstr(text, known);
    if (found)
        diag_fail(diagnostics, llvm_doing.at, E_LIMIT, "a kernel needs %llu bytes of stack, more than %d",
                  strtoull(found + strlen(known), NULL, 10), TARGET_STACK_MAX);
    LLVMDisposeMessage(text);
}

static void take_report(LLVMDiagnosticInfoRef info, void *diagnostics) {
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSWarning) take_frame_report(info, diagnostics);
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    llvm_fail(diagnostics, LLVMGetDiagInfoDescription(info), "LLVM reports");
}

void llvm_install_reports(LLVMContextRef context, Diagnostics *diagnostics) {
    LLVMContextSetDiagnosticHandler(context, take_report, diagnostics);
}

static void end_process(const char *reason) {
    Diagnostics diagnostics = {0};
    const char *op = llvm_doing.op;
    Arena arena = {0};
    diag_fail(&diagnostics, llvm_doing.at, E_LLVM, "LLVM cannot go on%s%s: %s", op ? " with " : "", op ? op : "",
              first_line(&arena, reason));
    diagnostics_print(&diagnostics);
    _exit(5);
}

static void install(void) {
    LLVMInstallFatalErrorHandler(end_process);
}

void llvm_install_fatal_handler(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}
