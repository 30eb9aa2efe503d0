// SPDX-License-Identifier: Apache-2.0
// Compiles files of bytecode and text to cubins in both arithmetics: what the host compiles, GPUs do.
#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"

#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS_MAX = 32, JOBS_MAX = 64, MISSING = 77 }; // MISSING: the exit status where there is no ptxas or libdevice

// What became of a compilation.
typedef enum Outcome {
    ASSEMBLED,
    REFUSED_BY_ALL, // by the host, too
    FOR_DEVICES,    // memory of several devices, which no GPU code is made for
    OF_PARTS,       // blocks have parts, which processors run
    NOT_READ,       // a file that is refused before anything is compiled
    LACKING,        // this machine has no ptxas, or no libdevice
    FAILED,
    OUTCOMES
} Outcome;
static const char *const outcome_names[OUTCOMES] = {"assembled",
                                                    "refused by the host, too",
                                                    "for several devices",
                                                    "of blocks that have parts",
                                                    "not read",
                                                    "without ptxas or libdevice",
                                                    "FAILED"};

typedef struct Run {
    Arena arena;
    char **files;
    size_t file_count, file_capacity;
    char *gpus[GPUS_MAX];
    size_t gpu_count;
    bool rotate; // one GPU for a file
    bool ops;    // only files that have an op on a type that none before has
    bool ptx;    // no further than PTX
    unsigned part, parts, jobs;
    Compiler *compiler;
    atomic_size_t next;
    atomic_uint outcomes[OUTCOMES];
    pthread_mutex_t printing;
} Run;

// ---- one compilation ------------------------------------------------------------------------------------------------

static CompileOptions make_options(CompileNumeric numeric, const char *gpu) {
    CompileOptions options = {.numeric = numeric, .gpu = gpu, .optimize = 3};
    options.instrumentation = (FpsanInstrumentation){numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    return options;
}

static bool host_compiles(const Run *run, const Program *program, CompileNumeric numeric) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    CompileOptions options = make_options(numeric, NULL);
    options.optimize = 0;
    bool good = compiler_emit(run->compiler, &diagnostics, program, &options, COMPILE_LLVM, &out);
    buffer_free(&out);
    diagnostics_close(&diagnostics);
    return good;
}

static bool has_parts(const Program *program) {
    for (uint32_t k = 0; k < program->kernel_count; k++)
        if (program->kernels[k].has_parts) return true;
    return false;
}

static Outcome judge(const Run *run, const Program *program, CompileNumeric numeric, const Diagnostic *error) {
    if (error->code == E_BACKEND) return LACKING;
    if (error->code != E_UNSUPPORTED && error->code != E_LIMIT) return FAILED;
    for (uint32_t k = 0; k < program->kernel_count; k++)
        if (program->kernels[k].several_devices && error->code == E_UNSUPPORTED) return FOR_DEVICES;
    if (error->code == E_UNSUPPORTED && has_parts(program)) return OF_PARTS;
    return host_compiles(run, program, numeric) ? FAILED : REFUSED_BY_ALL;
}

static void compile(Run *run, const Program *program, const char *file, CompileNumeric numeric, const char *gpu) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    CompileOptions options = make_options(numeric, gpu);
    bool good =
        compiler_emit(run->compiler, &diagnostics, program, &options, run->ptx ? COMPILE_ASM : COMPILE_OBJECT, &out);
    if (good && !run->ptx) good = out.size > 4 && !memcmp(out.data, "\177ELF", 4);
    Outcome outcome = good                ? ASSEMBLED
                      : diagnostics.count ? judge(run, program, numeric, &diagnostics.items[0])
                                          : FAILED;
    atomic_fetch_add(&run->outcomes[outcome], 1);
    if (outcome == FAILED) {
        Buffer text = {0};
        buffer_print(&text, "%s, %s, %s: ", file, gpu, numeric == COMPILE_IEEE ? "ieee" : "payload");
        if (diagnostics.count) diag_print(&diagnostics.items[0], &text);
        pthread_mutex_lock(&run->printing);
        printf("%s", text.data);
        pthread_mutex_unlock(&run->printing);
        buffer_free(&text);
    }
    buffer_free(&out);
    diagnostics_close(&diagnostics);
}

static void compile_file(Run *run, size_t index) {
    static const CompileNumeric numerics[] = {COMPILE_IEEE, COMPILE_PAYLOAD};
    Diagnostics diagnostics = {0};
    const Program *program = program_read(&diagnostics, run->files[index]);
    if (program) {
        for (size_t n = 0; n < BASE_COUNT(numerics); n++)
            for (size_t g = 0; g < run->gpu_count; g++)
                if (!run->rotate || g == index / run->parts % run->gpu_count)
                    compile(run, program, run->files[index], numerics[n], run->gpus[g]);
    } else {
        atomic_fetch_add(&run->outcomes[NOT_READ], 1);
    }
    program_close(program);
    diagnostics_close(&diagnostics);
}

static void *work(void *data) {
    Run *run = data;
    for (;;) {
        size_t index = atomic_fetch_add(&run->next, 1);
        if (index >= run->file_count) return NULL;
        if (index % run->parts == run->part) compile_file(run, index);
    }
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static Run *walking; // nftw passes nothing on

static void add_file(Run *run, const char *path) {
    run->files = arena_grow(&run->arena, run->files, run->file_count, &run->file_capacity, sizeof *run->files);
    run->files[run->file_count++] = arena_text(&run->arena, path, strlen(path));
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)walk;
    const char *dot = strrchr(path, '.');
    if (kind == FTW_F && dot && (!strcmp(dot, ".tileirbc") || !strcmp(dot, ".mlir"))) add_file(walking, path);
    return 0;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// ---- a file for each op ---------------------------------------------------------------------------------------------

typedef bool Seen[TIR_OP_COUNT][TIR_TYPE_COUNT]; // by the type of elements of a result or operand

static bool see(Seen seen, TirOpKind op, const TirFunction *function, TirValue value, bool mark) {
    TirType type = tir_value_type(function, value);
    const TirModule *module = function->module;
    TirTypeKind kind = tir_type(module, type)->kind;
    if (kind == TIR_TYPE_tile) kind = tir_tile_element_kind(module, type);
    bool is_new = !seen[op][kind];
    if (mark) seen[op][kind] = true;
    return is_new;
}

static bool see_module(Seen seen, const TirModule *module, bool mark) {
    bool any = false;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirFunction *function = &module->functions[f];
        for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op)) {
            for (uint32_t i = 0; i < op->result_count; i++)
                any |= see(seen, op->kind, function, tir_result(op, i), mark);
            for (uint32_t i = 0; i < op->operand_count; i++)
                any |= see(seen, op->kind, function, op->operands[i], mark);
        }
    }
    return any;
}

// Leaves out files whose ops stand in others before, and those that the host refuses or alone compiles.
static void choose_files(Run *run) {
    Seen seen = {0};
    size_t kept = 0;
    for (size_t i = 0; i < run->file_count; i++) {
        Diagnostics diagnostics = {0};
        TirModule *module = tir_read_file(&diagnostics, run->files[i]);
        if (module && tir_verify(&diagnostics, module) && !has_parts(tir_program(module)) &&
            see_module(seen, module, false) && host_compiles(run, tir_program(module), COMPILE_PAYLOAD)) {
            see_module(seen, module, true);
            run->files[kept++] = run->files[i];
        }
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
    run->file_count = kept;
}

static bool usage(void) {
    fprintf(stderr,
            "usage: assemble [--gpus=NAME,..] [--rotate] [--ops] [--ptx] [--part=I/N] [--jobs=N] FILE|FOLDER...\n"
            "  --rotate: a file is compiled for one of the GPUs in turn, not for each\n"
            "  --ops: only files that have an operation on a type that no file before has\n");
    return false;
}

static bool read_arguments(Run *run, int argc, char **argv) {
    static char all[] = "sm_80,sm_90,sm_100,sm_120";
    char *gpus = all;
    run->parts = run->jobs = 1;
    for (int i = 1; i < argc; i++) {
        char *argument = argv[i];
        if (!strncmp(argument, "--gpus=", 7)) {
            gpus = argument + 7;
        } else if (!strcmp(argument, "--rotate")) {
            run->rotate = true;
        } else if (!strcmp(argument, "--ops")) {
            run->ops = true;
        } else if (!strcmp(argument, "--ptx")) {
            run->ptx = true;
        } else if (!strncmp(argument, "--part=", 7)) {
            if (sscanf(argument + 7, "%u/%u", &run->part, &run->parts) != 2 || run->part >= run->parts) return usage();
        } else if (!strncmp(argument, "--jobs=", 7)) {
            if (sscanf(argument + 7, "%u", &run->jobs) != 1 || !run->jobs || run->jobs > JOBS_MAX) return usage();
        } else if (*argument == '-') {
            return usage();
        } else {
            walking = run;
            if (nftw(argument, visit, 16, FTW_PHYS)) return usage();
        }
    }
    for (char *state, *name = strtok_r(gpus, ",", &state); name && run->gpu_count < GPUS_MAX;
         name = strtok_r(NULL, ",", &state))
        run->gpus[run->gpu_count++] = name;
    if (!run->file_count || !run->gpu_count) return usage();
    qsort(run->files, run->file_count, sizeof *run->files, compare);
    return true;
}

int main(int argc, char **argv) {
    Run run = {.printing = PTHREAD_MUTEX_INITIALIZER};
    Diagnostics diagnostics = {0};
    pthread_t threads[JOBS_MAX];
    unsigned started = 0;
    bool good = read_arguments(&run, argc, argv) && (run.compiler = compiler_open(&diagnostics));
    if (good && run.ops) choose_files(&run);
    if (good) {
        while (started + 1 < run.jobs && !pthread_create(&threads[started], NULL, work, &run)) started++;
        work(&run);
        for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < OUTCOMES; i++)
            if (run.outcomes[i]) printf("%u %s\n", run.outcomes[i], outcome_names[i]);
        good = run.outcomes[ASSEMBLED] && !run.outcomes[FAILED];
    }
    int status = run.outcomes[LACKING] && !run.outcomes[FAILED] ? MISSING : good ? 0 : 1;
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    compiler_close(run.compiler);
    arena_reset(&run.arena);
    return status;
}
