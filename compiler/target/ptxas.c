// SPDX-License-Identifier: Apache-2.0
// PTX to a cubin: CUDA's assembler, run in a folder of its own.
#include "compiler/target/target_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// The folder and the files in it; all are gone after close_folder.
typedef struct Assembly {
    Arena arena;
    const char *program, *folder, *ptx, *cubin, *log;
} Assembly;

static bool open_folder(Assembly *assembly, Diagnostics *diagnostics) {
    const char *above = getenv("TMPDIR");
    char *folder = arena_format(&assembly->arena, "%s/congruent-XXXXXX", above && *above ? above : "/tmp");
    if (!mkdtemp(folder))
        return diag_fail(diagnostics, (Location){.file = folder}, E_FILE, "cannot make this folder: %s",
                         strerror(errno));
    assembly->folder = folder;
    assembly->ptx = arena_format(&assembly->arena, "%s/kernels.ptx", folder);
    assembly->cubin = arena_format(&assembly->arena, "%s/kernels.cubin", folder);
    assembly->log = arena_format(&assembly->arena, "%s/log", folder);
    return true;
}

static void close_folder(Assembly *assembly) {
    const char *const files[] = {assembly->ptx, assembly->cubin, assembly->log};
    if (assembly->folder) {
        for (size_t i = 0; i < BASE_COUNT(files); i++) unlink(files[i]);
        rmdir(assembly->folder);
    }
    arena_reset(&assembly->arena);
}

// ---- running it -----------------------------------------------------------------------------------------------------

// Waits for the program, whose output goes to the log. What wait says of it, -1 and a diagnostic where it cannot run.
static int run_program(const Assembly *assembly, Diagnostics *diagnostics, char *const *arguments) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, assembly->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int error = posix_spawn(&child, assembly->program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) error = errno;
    if (!error) return status;
    diag_fail(diagnostics, (Location){.file = assembly->program}, E_BACKEND, "cannot run this: %s", strerror(error));
    return -1;
}

// What it printed; "" if that cannot be read.
static const char *read_log(Assembly *assembly) {
    Diagnostics ignored = {0};
    uint8_t *text = NULL;
    size_t size = 0;
    bool good = file_read(&ignored, &assembly->arena, assembly->log, &text, &size);
    diagnostics_close(&ignored);
    return good ? (const char *)text : "";
}

// ---- what went wrong ------------------------------------------------------------------------------------------------

// The first line with `word` in it, from the number of the line on, or past the word; NULL if there is none.
static const char *find_message(Arena *arena, const char *log, const char *word) {
    const char *found = strstr(log, word), *line = found;
    if (!found) return NULL;
    while (line > log && line[-1] != '\n') line--;
    const char *number = memmem(line, (size_t)(found - line), ", line ", 7);
    found += strlen(word);
    found += strspn(found, " :");
    const char *message = arena_text(arena, found, strcspn(found, "\n"));
    return number ? arena_format(arena, "line %lu: %s", strtoul(number + 7, NULL, 10), message) : message;
}

// Its release, times 10; 0 if that is not known.
static unsigned find_release(Assembly *assembly) {
    Diagnostics ignored = {0};
    char *arguments[] = {(char *)assembly->program, "--version", NULL};
    int status = run_program(assembly, &ignored, arguments);
    diagnostics_close(&ignored);
    const char *text = status ? NULL : strstr(read_log(assembly), "release ");
    char *end;
    if (!text) return 0;
    unsigned long major = strtoul(text + strlen("release "), &end, 10);
    return *end == '.' && major < 1000 ? (unsigned)(major * 10 + strtoul(end + 1, NULL, 10)) : 0;
}

static bool report_failure(Assembly *assembly, Diagnostics *diagnostics, const Target *target, int status) {
    static const char *const old[] = {"Unsupported .version", "is not defined for option 'gpu-name'"};
    const char *log = read_log(assembly), *message = find_message(&assembly->arena, log, "error ");
    const TargetGpu *gpu = target->gpu;
    Location at = {.file = assembly->program};
    if (WIFSIGNALED(status))
        return diag_fail(diagnostics, at, E_LLVM, "ended by signal %d (%s)", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    for (size_t i = 0; i < BASE_COUNT(old); i++) {
        unsigned release = strstr(log, old[i]) ? find_release(assembly) : 0;
        if (release)
            return diag_fail(diagnostics, at, E_BACKEND,
                             "this is CUDA %u.%u; code for %s needs release %u.%u or newer (PTX %u.%u)", release / 10,
                             release % 10, gpu->name, gpu->toolkit / 10, gpu->toolkit % 10, gpu->ptx / 10,
                             gpu->ptx % 10);
    }
    if (!message) message = find_message(&assembly->arena, log, "fatal ");
    if (!message) message = arena_text(&assembly->arena, log, strcspn(log, "\n"));
    if (!*message) message = "no reason given";
    return diag_fail(diagnostics, at, E_LLVM, "status %d: %s", WEXITSTATUS(status), message);
}

// ---- what kernels need ----------------------------------------------------------------------------------------------

// The number before `what` in the line; 0 if there is none.
static unsigned number_before(const char *line, size_t length, const char *what) {
    const char *found = memmem(line, length, what, strlen(what));
    if (!found) return 0;
    while (found > line && found[-1] == ' ') found--;
    while (found > line && found[-1] >= '0' && found[-1] <= '9') found--;
    return (unsigned)strtoul(found, NULL, 10);
}

// The text between the first quotes of the line.
static const char *quoted(Arena *arena, const char *line, size_t length) {
    const char *begin = memchr(line, '\'', length);
    const char *end = begin ? memchr(begin + 1, '\'', length - (size_t)(begin + 1 - line)) : NULL;
    return end ? arena_text(arena, begin + 1, (size_t)(end - begin - 1)) : "";
}

// "Compiling entry function 'f' for 'sm_90'", then its properties: the stack frame of it or of what it calls, and
// "Used 8 registers, used 1 barriers, 16 bytes smem".
static void read_resources(const char *log, CompileResources *resources) {
    static const char entry[] = "Compiling entry function", properties[] = "Function properties for ";
    size_t capacity = resources->count;
    CompileKernelResources *kernel = NULL;
    bool own = false; // the properties are those of the entry itself
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");
        const char *named = memmem(line, length, properties, sizeof properties - 1);
        if (memmem(line, length, entry, sizeof entry - 1)) {
            resources->kernels = arena_grow(&resources->arena, resources->kernels, resources->count, &capacity,
                                            sizeof *resources->kernels);
            kernel = &resources->kernels[resources->count++];
            *kernel = (CompileKernelResources){.kernel = quoted(&resources->arena, line, length)};
        } else if (named && kernel) {
            named += sizeof properties - 1;
            own = strlen(kernel->kernel) == length - (size_t)(named - line) &&
                  !strncmp(named, kernel->kernel, strlen(kernel->kernel));
        } else if (kernel && memmem(line, length, "bytes stack frame", 17)) {
            if (own) kernel->stack_bytes = number_before(line, length, "bytes stack frame");
            kernel->spill_store_bytes += number_before(line, length, "bytes spill stores");
            kernel->spill_load_bytes += number_before(line, length, "bytes spill loads");
        } else if (kernel && memmem(line, length, "Used ", 5)) {
            kernel->registers = number_before(line, length, "registers");
            kernel->barriers = number_before(line, length, "barriers");
            kernel->shared_bytes = number_before(line, length, "bytes smem");
        }
        line += length + (line[length] == '\n');
    }
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static bool assemble(Assembly *assembly, Diagnostics *diagnostics, const Target *target, const CompileOptions *options,
                     const Buffer *ptx, Buffer *out) {
    char level[] = "-O0", *arguments[16], **argument = arguments;
    uint8_t *cubin;
    size_t size;
    level[2] = (char)('0' + target->level);
    if (!open_folder(assembly, diagnostics) || !file_write(diagnostics, assembly->ptx, ptx->data, ptx->size))
        return false;
    *argument++ = (char *)assembly->program;
    *argument++ = "--gpu-name";
    *argument++ = (char *)target->gpu->name;
    *argument++ = level;
    *argument++ = "--fmad=false";
    if (options->line_info && !options->debugger) *argument++ = "--generate-line-info";
    if (options->debugger) *argument++ = "--device-debug";
    if (options->resources) *argument++ = "--verbose";
    *argument++ = "--output-file";
    *argument++ = (char *)assembly->cubin;
    *argument++ = (char *)assembly->ptx;
    *argument = NULL;
    int status = run_program(assembly, diagnostics, arguments);
    if (status == -1) return false;
    if (status) return report_failure(assembly, diagnostics, target, status);
    if (!file_read(diagnostics, &assembly->arena, assembly->cubin, &cubin, &size)) return false;
    buffer_append(out, cubin, size);
    if (options->resources) read_resources(read_log(assembly), options->resources);
    return true;
}

bool target_assemble(const Target *target, Diagnostics *diagnostics, const CompileOptions *options, const Buffer *ptx,
                     Buffer *out) {
    Assembly assembly = {0};
    if (options->save && !file_write(diagnostics, options->save, ptx->data, ptx->size)) return false;
    assembly.program = toolkit_find(&assembly.arena, TOOLKIT_PTXAS);
    bool good = assembly.program ? assemble(&assembly, diagnostics, target, options, ptx, out)
                                 : diag_fail(diagnostics, (Location){0}, E_BACKEND,
                                             "cubins need ptxas of CUDA %u.%u or newer, which is not in CUDA_HOME, "
                                             "CUDA_PATH, PATH, /usr/local/cuda or the packages of python3; "
                                             "'pip install nvidia-cuda-nvcc' has it, --emit=ptx does without",
                                             target->gpu->toolkit / 10, target->gpu->toolkit % 10);
    close_folder(&assembly);
    return good;
}
