// SPDX-License-Identifier: Apache-2.0
// The files that code comes from: a cache must not give what other ones would make.
#include "compiler/target/target_internal.h"

#include <dlfcn.h>
#include <sys/stat.h>

static void print_file(const char *path, Buffer *out) {
    struct stat status;
    if (!path || stat(path, &status)) return;
    buffer_print(out, "%s %lld %lld.%09ld\n", path, (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                 status.st_mtim.tv_nsec);
}

void target_print_makers(Buffer *out) {
    // This module, and LLVM.
    void *const functions[] = {(void *)target_print_makers, (void *)LLVMContextCreate};
    static const ToolkitFileId files[] = {TOOLKIT_PTXAS, TOOLKIT_LIBDEVICE};
    Arena arena = {0};
    Dl_info info;
    for (size_t i = 0; i < BASE_COUNT(functions); i++)
        if (dladdr(functions[i], &info)) print_file(info.dli_fname, out);
    for (size_t i = 0; i < BASE_COUNT(files); i++) {
        buffer_print(out, "%zu: ", i);
        print_file(toolkit_find(&arena, files[i]), out);
    }
    arena_reset(&arena);
}
