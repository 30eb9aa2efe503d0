// SPDX-License-Identifier: Apache-2.0
// One mutant's way through everything, and what must hold at each stage.
#include "tests/robustness/robustness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STOPPED_AFTER = 10 };

static const char *const stage_names[] = {
#define STAGE(name) #name,
    STAGES(STAGE)
#undef STAGE
};
const char *stage_name(Stage stage) {
    return stage_names[stage];
}

void pipeline_defect(Pipeline *pipeline, const char *format, ...) {
    char text[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pipeline->progress->defects++;
    printf("DEFECT %s: %s: %s\n", pipeline->what, stage_names[pipeline->progress->stage], text);
    fflush(stdout);
}

// ---- stages and their time ------------------------------------------------------------------------------------------

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The process ends with SIGPROF after so much processor time.
static void set_alarm(double seconds) {
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static double enter(Pipeline *pipeline, Stage stage) {
    const PipelineOptions *options = &pipeline->options;
    pipeline->progress->stage = stage;
    set_alarm(stage == STAGE_run ? options->run_seconds : options->stage_seconds * STOPPED_AFTER);
    pipeline->memory_before = memory_watch();
    return processor_seconds();
}

static void check_memory(Pipeline *pipeline) {
    Progress *progress = pipeline->progress;
    size_t taken = memory_peak() - pipeline->memory_before;
    if (taken <= MEMORY_BASE) return;
    double factor = (double)(taken - MEMORY_BASE) / (double)(pipeline->input_size + 1);
    if (factor > progress->memory[progress->stage]) {
        progress->memory[progress->stage] = factor;
        progress->memory_number[progress->stage] = progress->number;
    }
    if (factor > MEMORY_FACTOR)
        pipeline_defect(pipeline, "%zu bytes of memory for a file of %zu", taken, pipeline->input_size);
}

static void leave(Pipeline *pipeline, double begin) {
    Progress *progress = pipeline->progress;
    if (progress->stage < STAGE_describe) check_memory(pipeline);
    const double seconds = processor_seconds() - begin;
    set_alarm(0);
    if (seconds > progress->slowest[progress->stage]) {
        progress->slowest[progress->stage] = seconds;
        progress->slowest_number[progress->stage] = progress->number;
    }
    if (progress->stage != STAGE_run && seconds > pipeline->options.stage_seconds)
        pipeline_defect(pipeline, "takes %.2f s", seconds);
}

static void count(Pipeline *pipeline, Outcome outcome) {
    pipeline->progress->counts[outcome]++;
}

// ---- before the compiler --------------------------------------------------------------------------------------------

// A failure must say why, on one line, and a success must say nothing.
static void check_messages(Pipeline *pipeline, const Diagnostics *diagnostics, bool good) {
    if (good != !diagnostics->count)
        pipeline_defect(pipeline, "%s with %zu messages", good ? "success" : "failure", diagnostics->count);
    for (size_t i = 0; i < diagnostics->count; i++) {
        const Diagnostic *item = &diagnostics->items[i];
        if (!*item->message || strchr(item->message, '\n') || strlen(item->message) > 4000)
            pipeline_defect(pipeline, "message: '%s'", item->message);
        if (item->code == E_LLVM) pipeline_defect(pipeline, "%s", item->message);
    }
}

static TirModule *read_module(Pipeline *pipeline, const CorpusFile *file, bool text, const uint8_t *bytes,
                              size_t size) {
    Diagnostics diagnostics = {0};
    pipeline->input_size = size;
    double begin = enter(pipeline, text ? STAGE_parse : STAGE_read);
    TirModule *module = text ? tir_parse_text(&diagnostics, file->path, (const char *)bytes, size)
                             : tir_read_bytecode(&diagnostics, file->path, bytes, size);
    leave(pipeline, begin);
    check_messages(pipeline, &diagnostics, module);
    if (pipeline->options.print) diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return module;
}

static void print_module(Pipeline *pipeline, const TirModule *module, bool show) {
    double begin = enter(pipeline, STAGE_print);
    for (int locations = 0; locations < 2; locations++) {
        Buffer out = {0};
        tir_print(module, locations, &out);
        bool empty = !module->function_count && !module->global_count;
        if (out.size ? out.data[out.size - 1] != '\n' : !empty)
            pipeline_defect(pipeline, "the text does not end with its line");
        if (show && !locations) fwrite(out.data, 1, out.size, stdout);
        buffer_free(&out);
    }
    leave(pipeline, begin);
}

static bool verify_module(Pipeline *pipeline, const TirModule *module) {
    Diagnostics diagnostics = {0};
    double begin = enter(pipeline, STAGE_verify);
    bool good = tir_verify(&diagnostics, module);
    leave(pipeline, begin);
    check_messages(pipeline, &diagnostics, good);
    if (pipeline->options.print) diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return good;
}

// What is valid can be written, and what was written is the same module when it is read.
static void check_written(Pipeline *pipeline, const TirModule *module, const Buffer *bytes) {
    Diagnostics diagnostics = {0};
    Buffer text = {0}, again = {0};
    TirModule *read = tir_read_bytecode(&diagnostics, module->path, (const uint8_t *)bytes->data, bytes->size);
    if (!read || !tir_verify(&diagnostics, read)) {
        pipeline_defect(pipeline, "written and read again: %s", diagnostics.items[0].message);
    } else {
        tir_print(module, true, &text);
        tir_print(read, true, &again);
        if (text.size != again.size || (text.size && memcmp(text.data, again.data, text.size)))
            pipeline_defect(pipeline, "written and read again it prints another text");
    }
    tir_module_close(read);
    buffer_free(&text);
    buffer_free(&again);
    diagnostics_close(&diagnostics);
}

static void write_module(Pipeline *pipeline, const TirModule *module, bool valid) {
    Diagnostics diagnostics = {0};
    Buffer bytes = {0};
    double begin = enter(pipeline, STAGE_write);
    bool good = tir_write_bytecode(&diagnostics, module, module->version, &bytes);
    leave(pipeline, begin);
    check_messages(pipeline, &diagnostics, good);
    const bool text_only = !good && diagnostics.count && diagnostics.items[0].code == E_VERSION &&
                           strstr(diagnostics.items[0].message, "bytecode has no place for");
    if (valid && !good && !text_only)
        pipeline_defect(pipeline, "valid, but not written: %s", diagnostics.items[0].message);
    if (valid && good) check_written(pipeline, module, &bytes);
    diagnostics_close(&diagnostics);
    buffer_free(&bytes);
}

// What fpdiff asks of a module before it runs it.
static const Program *describe_module(Pipeline *pipeline, TirModule *module) {
    Arena arena = {0};
    double begin = enter(pipeline, STAGE_describe);
    const Program *program = tir_program(module);
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        Diagnostics diagnostics = {0};
        FpdEntryName name;
        const char *problem;
        fpd_read_entry_name(&arena, program->kernels[k].name, &name, &problem);
        check_messages(pipeline, &diagnostics, fpd_check_parameters(&diagnostics, &program->kernels[k]));
        diagnostics_close(&diagnostics);
    }
    leave(pipeline, begin);
    arena_reset(&arena);
    return program;
}

// ---- compiler and runs ----------------------------------------------------------------------------------------------

static CompiledModule *compile_module(Pipeline *pipeline, const Program *program, CompileNumeric numeric,
                                      unsigned optimize) {
    Diagnostics diagnostics = {0};
    CompileOptions options = {.numeric = numeric, .optimize = optimize, .line_info = optimize == 0};
    options.instrumentation =
        (FpsanInstrumentation){.enabled = numeric == COMPILE_PAYLOAD, .algebra = fpsan_default_algebra()};
    pipeline->progress->numeric = numeric;
    pipeline->progress->optimize = optimize;
    double begin = enter(pipeline, STAGE_compile);
    CompiledModule *compiled = compiler_load(pipeline->compiler, &diagnostics, program, &options);
    leave(pipeline, begin);
    check_messages(pipeline, &diagnostics, compiled);
    if (pipeline->options.print) diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    return compiled;
}

// What is refused must leave nothing behind.
static void emit(Pipeline *pipeline, const Program *program, const CompileOptions *options, CompileOutput output) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    pipeline->progress->numeric = options->numeric;
    pipeline->progress->optimize = options->optimize;
    double begin = enter(pipeline, STAGE_compile);
    bool good = compiler_emit(pipeline->compiler, &diagnostics, program, options, output, &out);
    leave(pipeline, begin);
    check_messages(pipeline, &diagnostics, good);
    if (good != (out.size != 0))
        pipeline_defect(pipeline, "output %d: %s with %zu bytes", (int)output, good ? "success" : "failure", out.size);
    diagnostics_close(&diagnostics);
    buffer_free(&out);
}

// Text, assembly or an object file.
static void emit_output(Pipeline *pipeline, const Program *program, CompileOutput output) {
    CompileOptions options = {.numeric = COMPILE_IEEE, .optimize = output == COMPILE_ASM ? 2 : 3, .line_info = true};
    emit(pipeline, program, &options, output);
}

// PTX: LLVM ends the process at what it cannot select.
static void emit_ptx(Pipeline *pipeline, const Program *program, Random *choice) {
    static const char *const gpus[] = {"sm_80", "sm_89", "sm_90", "sm_100", "sm_120"};
    bool payload = random_below(choice, 2);
    CompileOptions options = {.numeric = payload ? COMPILE_PAYLOAD : COMPILE_IEEE,
                              .gpu = gpus[random_below(choice, BASE_COUNT(gpus))],
                              .optimize = random_below(choice, 4) ? 3 : 0,
                              .line_info = random_below(choice, 2)};
    options.instrumentation = (FpsanInstrumentation){.enabled = payload, .algebra = fpsan_default_algebra()};
    emit(pipeline, program, &options, COMPILE_ASM);
}

// One kernel, compiled in two ways, with other bytes in scratch: must end alike.
static void compare_kernels(Pipeline *pipeline, const CorpusFile *file, const ProgramKernel *entry,
                            const KernelInfo *plain, const KernelInfo *optimized) {
    RunResult results[2];
    double begin = enter(pipeline, STAGE_run);
    run_kernel(pipeline, file, entry, plain, 0x00, &results[0]);
    run_kernel(pipeline, file, entry, optimized, 0xFF, &results[1]);
    leave(pipeline, begin);
    static const char *const names[] = {"ieee", "payload", "shadow"};
    if (!run_same(&results[0], &results[1], pipeline->progress->numeric == COMPILE_PAYLOAD)) {
        size_t at = 0;
        while (at < results[0].memory.size && results[0].memory.data[at] == results[1].memory.data[at]) at++;
        pipeline_defect(pipeline, "%s at -O0 and -O%u differs from byte %zu on: '%s', '%s'",
                        names[pipeline->progress->numeric], pipeline->progress->optimize, at, results[0].fault,
                        results[1].fault);
    }
    if (results[0].ran) count(pipeline, *results[0].fault ? OUTCOME_faulted : OUTCOME_ran);
    if (pipeline->options.print && *results[0].fault) printf("fault: %s\n", results[0].fault);
    for (int i = 0; i < 2; i++) {
        buffer_free(&results[i].memory);
        buffer_free(&results[i].records);
    }
}

static void run_modules(Pipeline *pipeline, const CorpusFile *file, const Program *program,
                        CompiledModule *const modules[2]) {
    for (uint32_t k = 0; k < modules[0]->kernel_count; k++)
        compare_kernels(pipeline, file, &program->kernels[k], &modules[0]->kernels[k], &modules[1]->kernels[k]);
}

static bool compile_and_run(Pipeline *pipeline, const CorpusFile *file, const Program *program, CompileNumeric numeric,
                            unsigned optimize) {
    CompiledModule *modules[2];
    modules[0] = compile_module(pipeline, program, numeric, 0);
    modules[1] = compile_module(pipeline, program, numeric, optimize);
    bool good = modules[0] && modules[1];
    if (!modules[0] != !modules[1]) pipeline_defect(pipeline, "compiles at one optimization level only");
    if (good) run_modules(pipeline, file, program, modules);
    double begin = enter(pipeline, STAGE_close);
    for (int i = 0; i < 2; i++) compiled_module_close(pipeline->compiler, modules[i]);
    leave(pipeline, begin);
    return good;
}

// Both numerics, and output of one kind, of one in many.
static void compile_some(Pipeline *pipeline, const CorpusFile *file, const Program *program) {
    Random choice = {pipeline->progress->number};
    unsigned one_in = pipeline->options.compile_one_in;
    if (!one_in || random_below(&choice, one_in)) return;
    unsigned optimize = random_below(&choice, 2) ? 1 : 3; // 3: as fpdiff does
    bool ieee = compile_and_run(pipeline, file, program, COMPILE_IEEE, optimize);
    bool payload = compile_and_run(pipeline, file, program, COMPILE_PAYLOAD, optimize);
    // Shadow code is several times as large: not of every module.
    if (!random_below(&choice, 3)) compile_and_run(pipeline, file, program, COMPILE_SHADOW, optimize);
    count(pipeline, ieee || payload ? OUTCOME_compiled : OUTCOME_unsupported);
    if (!random_below(&choice, 4))
        emit_output(pipeline, program, (CompileOutput)random_below(&choice, COMPILE_OBJECT + 1));
    if (!random_below(&choice, 4)) emit_ptx(pipeline, program, &choice);
}

void pipeline_run(Pipeline *pipeline, const CorpusFile *file, MutantKind kind, const uint8_t *bytes, size_t size,
                  Random *random) {
    TirModule *module = read_module(pipeline, file, kind == MUTANT_text, bytes, size);
    if (!module) {
        count(pipeline, OUTCOME_unreadable);
        return;
    }
    if (kind == MUTANT_module) mutate_module(module, random);
    print_module(pipeline, module, pipeline->options.print);
    bool valid = verify_module(pipeline, module);
    count(pipeline, valid ? OUTCOME_valid : OUTCOME_invalid);
    Diagnostics diagnostics = {0};
    bool complete = tir_is_self_contained(&diagnostics, module); // else it can be neither written nor compiled
    diagnostics_close(&diagnostics);
    if (complete) write_module(pipeline, module, valid);
    if (complete && valid) compile_some(pipeline, file, describe_module(pipeline, module));
    double begin = enter(pipeline, STAGE_close);
    tir_module_close(module);
    leave(pipeline, begin);
}

void pipeline_close(Pipeline *pipeline) {
    set_alarm(0);
    if (pipeline->guarded) munmap(pipeline->guarded, pipeline->guarded_size + 2 * (size_t)sysconf(_SC_PAGESIZE));
    rt_close(pipeline->device);
    compiler_close(pipeline->compiler);
}
