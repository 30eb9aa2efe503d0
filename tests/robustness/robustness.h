// SPDX-License-Identifier: Apache-2.0
// Bad input for the whole way of a kernel. Bytecode and text that was changed at random goes through reader or parser,
// verifier, printer, writer, lowering, LLVM and the runtime. None of these may crash, hang, leak, access memory that is
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
    uint8_t *bytes; // initial contents
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

// In memory that the worker and the process that watches it share.
typedef struct Progress {
    uint64_t number; // of the current mutant
    Stage stage;
    CompileNumeric numeric;
    unsigned optimize;
    uint64_t kinds[MUTANT_KIND_COUNT], counts[OUTCOME_COUNT], defects;
    double slowest[STAGE_COUNT]; // seconds of processor time
    double memory[STAGE_COUNT];  // largest number of bytes taken for each byte of the file
    uint64_t slowest_number[STAGE_COUNT], memory_number[STAGE_COUNT];
} Progress;

typedef struct PipelineOptions {
    double stage_seconds;    // a stage that takes longer is a defect; after 10 times that it is stopped
    double run_seconds;      // a kernel that runs longer is stopped, which is no defect
    unsigned compile_one_in; // one in so many valid mutants is compiled
    bool print;              // the mutant's text is printed to standard output
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

// Takes a mutant through all stages: its bytes or its text; or of kind MUTANT_module the file, whose module is changed
// with `random` after it has been read.
void pipeline_run(Pipeline *pipeline, const CorpusFile *file, MutantKind kind, const uint8_t *bytes, size_t size,
                  Random *random);
void pipeline_close(Pipeline *pipeline);
// Counts a defect and prints it, on one line of standard output.
void pipeline_defect(Pipeline *pipeline, const char *format, ...) BASE_PRINTF(2, 3);
const char *stage_name(Stage stage);

// ---- memory.c -------------------------------------------------------------------------------------------------------

// At each stage before the compiler the heap may grow by MEMORY_BASE bytes and MEMORY_FACTOR bytes for each byte of the
// file. Printed text alone may be larger, because a long name can be used in many places.
enum { MEMORY_FACTOR = 160, MEMORY_BASE = 1 << 16 };
size_t memory_watch(void); // from now on memory_peak looks for the peak; returns how many bytes are in use
size_t memory_peak(void);

// ---- run_kernels.c: the kernels of a mutant -------------------------------------------------------------------------

enum { RUN_BUFFERS_MAX = 64 };
typedef struct RunResult { // of one kernel
    bool ran;              // false: it could not be launched
    char fault[512];       // or ""
    Buffer memory;         // of all buffers
    Buffer records;        // of all floats in them that have one
} RunResult;
// Runs a kernel on the buffers of the file's launch, or on made-up ones. Its scratch is filled with `fill`.
void run_kernel(Pipeline *pipeline, const CorpusFile *file, const ProgramKernel *entry, const KernelInfo *kernel,
                uint8_t fill, RunResult *result);
// Whether two runs ended alike. Unless `exact`, all NaNs are alike.
bool run_same(const RunResult *a, const RunResult *b, bool exact);

#endif
