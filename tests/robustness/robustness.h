// SPDX-License-Identifier: Apache-2.0
// Bad input for the whole way of a kernel: bytecode and text that was changed at random goes through reader or parser,
// verifier, printer, writer, lowering, LLVM and the runtime; nothing of it may crash, hang, leak, touch memory that is
// not the kernel's, or fail without a message.
#ifndef CONGRUENT_ROBUSTNESS_H
#define CONGRUENT_ROBUSTNESS_H

#include "compiler/compiler.h"
#include "diff/programs.h"
#include "runtime/rt.h"
#include "tests/robustness/mutation.h"

// ---- corpus.c: what is changed --------------------------------------------------------------------------------------

typedef struct CorpusBuffer {
    ElementType type;
    size_t size;
    uint8_t *bytes; // at the beginning
} CorpusBuffer;
typedef struct CorpusArgument {
    bool pointer;
    uint32_t buffer;
    uint64_t bits;
} CorpusArgument;
struct CorpusLaunch {   // how a case file runs the module
    const char *kernel; // symbol of the entry
    uint32_t grid[3], argument_count, buffer_count;
    CorpusArgument *arguments;
    CorpusBuffer *buffers;
};
typedef struct Corpus {
    Arena arena;
    CorpusFile *files;
    size_t count, capacity;
} Corpus;

// Adds bytecode files, and for each case file (*.yaml) the modules of its launches with their arguments. False after
// printing why.
bool corpus_add(Corpus *corpus, const char *path);

// ---- pipeline.c: one mutant -----------------------------------------------------------------------------------------

#define STAGES(X) X(mutate) X(read) X(parse) X(verify) X(print) X(write) X(describe) X(compile) X(run) X(close)
typedef enum Stage {
#define STAGE(name) STAGE_##name,
    STAGES(STAGE)
#undef STAGE
        STAGE_COUNT
} Stage;
#define OUTCOMES(X) X(unreadable) X(invalid) X(valid) X(unsupported) X(compiled) X(ran) X(faulted) X(unfinished)
typedef enum Outcome {
#define OUTCOME(name) OUTCOME_##name,
    OUTCOMES(OUTCOME)
#undef OUTCOME
        OUTCOME_COUNT
} Outcome;

typedef enum MutantKind { MUTANT_bytes, MUTANT_module, MUTANT_text, MUTANT_KIND_COUNT } MutantKind;

// In memory shared by the worker and who watches it.
typedef struct Progress {
    uint64_t number; // of the mutant being worked on
    Stage stage;
    CompileNumeric numeric;
    unsigned optimize;
    uint64_t kinds[MUTANT_KIND_COUNT], counts[OUTCOME_COUNT], defects;
    double slowest[STAGE_COUNT]; // seconds of processor time
    double memory[STAGE_COUNT];  // bytes taken for each byte of the file
    uint64_t slowest_number[STAGE_COUNT], memory_number[STAGE_COUNT];
} Progress;

typedef struct PipelineOptions {
    double stage_seconds;    // a stage that takes longer is a defect; it is stopped after 10 times that
    double run_seconds;      // a kernel that runs longer is stopped: it is allowed to
    unsigned compile_one_in; // of the valid mutants, one in this many is compiled
    bool print;              // the mutant's text, to standard output
} PipelineOptions;

typedef struct Pipeline {
    PipelineOptions options;
    Progress *progress;
    Compiler *compiler;
    RtDevice *device;
    const char *what; // the mutant, for messages
    size_t input_size, memory_before;
    uint8_t *guarded; // scratch that ends at an unmapped page
    size_t guarded_size;
} Pipeline;

// Takes a mutant through everything: bytes or text of it, or a file whose module is changed with `random` when it has
// been read.
void pipeline_run(Pipeline *pipeline, const CorpusFile *file, MutantKind kind, const uint8_t *bytes, size_t size,
                  Random *random);
void pipeline_close(Pipeline *pipeline);
// Says that something is wrong, on one line of standard output.
void pipeline_defect(Pipeline *pipeline, const char *format, ...) BASE_PRINTF(2, 3);
const char *stage_name(Stage stage);

// ---- memory.c -------------------------------------------------------------------------------------------------------

// At each stage before the compiler the heap may grow by this many bytes for each byte of the file, and by this many in
// any case. Only what is printed may be larger: a long name can be used in many places.
enum { MEMORY_FACTOR = 160, MEMORY_BASE = 1 << 16 };
size_t memory_watch(void); // the peak is looked for from now on; returns what is in use
size_t memory_peak(void);

// ---- run_kernels.c: the kernels of a mutant -------------------------------------------------------------------------

enum { RUN_BUFFERS_MAX = 64 };
typedef struct RunResult { // of one kernel
    bool ran;              // false: it could not be launched
    char fault[512];       // or ""
    Buffer memory;         // of all buffers
    Buffer records;        // of all floats in them that have one
} RunResult;
// Runs a kernel on the buffers of the file's launch, or made-up ones, with scratch filled with `fill`.
void run_kernel(Pipeline *pipeline, const CorpusFile *file, const ProgramKernel *entry, const KernelInfo *kernel,
                uint8_t fill, RunResult *result);
// Whether two runs ended alike; unless `exact`, NaNs are alike.
bool run_same(const RunResult *a, const RunResult *b, bool exact);

#endif
