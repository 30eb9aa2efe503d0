// SPDX-License-Identifier: Apache-2.0
// Instructions made from the rows of instructions.def: ptx_samples [--share=N] [--each=N] [NAME...]
// Every sample that the verifier accepts is printed and read again as the same list, and compiled in both arithmetics,
// or refused with one message that names its line; LLVM must not end the process. Samples of each form take every
// alternative of each slot, and up to --each (12) combinations of them. --share: one sample in N is compiled (1); NAME:
// rows of instructions.def that are taken. Exit status 1 if anything went wrong.
#include "compiler/compiler.h"
#include "tests/ptx/compare_ptx.h"
#include "tests/ptx/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 400 };

typedef struct Counts { // in memory that the processes share
    uint64_t number;    // of the sample at work
    char text[400];     // the instruction
    uint64_t samples, refused, compiled, unsupported, defects;
} Counts;

typedef struct Run {
    Counts *counts;
    Compiler *compiler;
    uint64_t first, share, each, next; // samples below `first` were done by other processes; next: number of this one
    char **names;
    int name_count;
} Run;

static void defect(Run *run, const char *format, ...) BASE_PRINTF(2, 3);
static void defect(Run *run, const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("DEFECT %s: ", run->counts->text);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
    run->counts->defects++;
}

// ---- one sample

static unsigned line_of(const Buffer *text, const char *instruction) {
    const char *at = strstr(text->data, instruction);
    unsigned line = 1;
    for (const char *c = text->data; c < at; c++) line += *c == '\n';
    return line;
}

// One message, with the file and the line of the instruction.
static void check_refusal(Run *run, const Diagnostics *diagnostics, unsigned line) {
    const Diagnostic *first = diagnostics->items;
    if (diagnostics->count != 1)
        defect(run, "%zu messages", diagnostics->count);
    else if (first->code != E_UNSUPPORTED && first->code != E_LIMIT)
        defect(run, "%s: %s", error_name(first->code), first->message);
    else if (!first->at.file || strcmp(first->at.file, "sample.ptx") || first->at.line != line)
        defect(run, "line %u, not %u: %s", first->at.line, line, first->message);
}

static void compile(Run *run, const Program *program, CompileNumeric numeric, unsigned line) {
    Diagnostics diagnostics = {0};
    const CompileOptions options = {
        .numeric = numeric, .optimize = 1, .instrumentation = {numeric == COMPILE_PAYLOAD, fpsan_default_algebra()}};
    CompiledModule *module = compiler_load(run->compiler, &diagnostics, program, &options);
    if (module && diagnostics.count) defect(run, "compiled, with a message: %s", diagnostics.items[0].message);
    if (!module) check_refusal(run, &diagnostics, line);
    if (module)
        run->counts->compiled++;
    else
        run->counts->unsupported++;
    if (module) compiled_module_close(run->compiler, module);
    diagnostics_close(&diagnostics);
}

static void check_read(Run *run, const Program *program, unsigned line) {
    Arena arena = {0};
    const char *problem = ptx_round_trip(&arena, program->ptx);
    if (problem) defect(run, "%s", problem);
    arena_reset(&arena);
    if (run->next % run->share) return;
    for (int payload = 0; payload < 2; payload++) compile(run, program, payload ? COMPILE_PAYLOAD : COMPILE_IEEE, line);
}

// False: the verifier refuses it.
static bool do_sample(Run *run, const Sample *sample) {
    Buffer text = {0}, instruction = {0};
    Diagnostics diagnostics = {0};
    sample_print(sample, sample_version(sample), sample_target(sample), &text);
    sample_print_instruction(sample, &instruction);
    run->counts->number = run->next;
    snprintf(run->counts->text, sizeof run->counts->text, "%s", instruction.data);
    run->counts->samples++;
    const unsigned line = line_of(&text, instruction.data);
    const Program *program = ptx_front_end.read(&diagnostics, "sample.ptx", (const uint8_t *)text.data, text.size);
    if (program) check_read(run, program, line);
    if (!program && diagnostics.count != 1) defect(run, "%zu messages of the reader", diagnostics.count);
    if (!program) run->counts->refused++;
    const bool good = program;
    program_close(program);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    buffer_free(&instruction);
    return good;
}

// ---- all samples, in one order

// Takes a sample unless another process has done it. False: this process has done its part.
static bool visit(Run *run, const Sample *sample) {
    if (run->next >= run->first + BATCH) return false;
    if (run->next >= run->first) do_sample(run, sample);
    run->next++;
    return true;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static bool visit_combinations(Run *run, PtxOp op, unsigned form) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    uint64_t random = (uint64_t)op << 16 | form;
    for (uint64_t i = 0; i < run->each; i++) {
        Sample sample = sample_plain(op, form);
        for (unsigned slot = 0; slot < f->slot_count; slot++) {
            const unsigned count = sample_alternatives(&f->slots[slot]);
            const bool none = f->slots[slot].optional && next_random(&random) % 2;
            sample.choices[slot] = none ? -1 : (int)(next_random(&random) % count);
        }
        sample.optional = next_random(&random) & 1;
        sample.second = next_random(&random) & 1;
        if (!visit(run, &sample)) return false;
    }
    return true;
}

static bool visit_form(Run *run, PtxOp op, unsigned form) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    if (!sample_is_possible(op, form)) return true;
    for (int operands = 0; operands < 4; operands++) {
        Sample sample = sample_plain(op, form);
        sample.optional = operands & 1;
        sample.second = operands & 2;
        if (!visit(run, &sample)) return false;
    }
    for (unsigned slot = 0; slot < f->slot_count; slot++)
        for (unsigned choice = 0; choice < sample_alternatives(&f->slots[slot]); choice++) {
            Sample sample = sample_plain(op, form);
            sample.choices[slot] = (int)choice;
            if (!visit(run, &sample)) return false;
        }
    return visit_combinations(run, op, form);
}

static bool is_asked(const Run *run, PtxOp op) {
    for (int i = 0; i < run->name_count; i++)
        if (!strcmp(run->names[i], ptx_op_info(op)->id)) return true;
    return !run->name_count;
}

// False: there are more.
static bool visit_all(Run *run) {
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        for (unsigned form = 0; is_asked(run, (PtxOp)op) && form < ptx_op_info((PtxOp)op)->form_count; form++)
            if (!visit_form(run, (PtxOp)op, form)) return false;
    return true;
}

// ---- processes

// In one of its own: a batch from `first` on. Whether there are more.
static bool do_batch(Run *run) {
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) exit(2);
    if (!child) exit(visit_all(run) ? 0 : 3);
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3)) {
        run->first += BATCH;
        return WEXITSTATUS(status) == 3;
    }
    defect(run, "the process ends with %s %d", WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    run->first = run->counts->number + 1;
    return true;
}

int main(int count, char **texts) {
    Run run = {.share = 1, .each = 12};
    Diagnostics diagnostics = {0};
    for (; count > 1 && !strncmp(texts[1], "--", 2); count--, texts++) {
        const bool share = !strncmp(texts[1], "--share=", 8), each = !strncmp(texts[1], "--each=", 7);
        if (share) run.share = strtoull(texts[1] + 8, NULL, 10);
        if (each) run.each = strtoull(texts[1] + 7, NULL, 10);
        if ((!share && !each) || !run.share) return 2;
    }
    run.names = texts + 1;
    run.name_count = count - 1;
    run.counts = mmap(NULL, sizeof *run.counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run.counts == MAP_FAILED) return 2;
    run.compiler = compiler_open(&diagnostics);
    diagnostics_print(&diagnostics);
    if (!run.compiler) return 2;
    while (do_batch(&run)) run.next = 0;
    const Counts *counts = run.counts;
    printf("%llu samples: %llu that the verifier refuses; %llu compiled, %llu unsupported; %llu defects\n",
           (unsigned long long)counts->samples, (unsigned long long)counts->refused,
           (unsigned long long)counts->compiled, (unsigned long long)counts->unsupported,
           (unsigned long long)counts->defects);
    compiler_close(run.compiler);
    diagnostics_close(&diagnostics);
    return counts->defects || !counts->compiled;
}
