// SPDX-License-Identifier: Apache-2.0
// Bad input for the whole way of a kernel: bytecode that was changed at random goes through reader, verifier, printer,
// lowering, LLVM and the runtime; nothing of it may crash, hang, leak, touch memory that is not the kernel's, or fail
// without a message.
#ifndef CONGRUENT_ROBUSTNESS_H
#define CONGRUENT_ROBUSTNESS_H

#include "compiler/compiler.h"
#include "diff/fpd.h"
#include "runtime/rt.h"
#include "tests/robustness/random.h"

// ---- corpus.c: what is changed
// ---------------------------------------------------------------------------------------

typedef struct CorpusBuffer {
    FpdType type;
    size_t size;
    uint8_t *bytes; // at the beginning
} CorpusBuffer;
typedef struct CorpusArgument {
    bool pointer;
    uint32_t buffer;
    uint64_t bits;
} CorpusArgument;
typedef struct CorpusLaunch { // how a case file runs the module
    const char *kernel;       // symbol of the entry
    uint32_t grid[3], argument_count, buffer_count;
    CorpusArgument *arguments;
    CorpusBuffer *buffers;
} CorpusLaunch;
typedef struct CorpusFile {
    const char *path;
    uint8_t *bytes;
    size_t size;
    CorpusLaunch *launch; // NULL: no case is known
} CorpusFile;
typedef struct Corpus {
    Arena arena;
    CorpusFile *files;
    size_t count, capacity;
} Corpus;

// Adds bytecode files, and for each case file (*.yaml) the modules of its launches with their arguments. False after
// printing why.
bool corpus_add(Corpus *corpus, const char *path);

// ---- mutate_bytes.c, mutate_module.c
// ------------------------------------------------------------------------------------

// The changed bytes of a file (arena-held). Some changes need a second file.
uint8_t *mutate_bytes(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, size_t *size);
// Changes a module that was read: operands, attributes, kinds of ops, types, constants, order. What it makes is a
// module as the functions of tir.h could have made it, true or false.
void mutate_module(TirModule *module, Random *random);

// ---- pipeline.c: one mutant
// -----------------------------------------------------------------------------------------------

#define STAGES(X) X(mutate) X(read) X(verify) X(print) X(trace) X(compile) X(run) X(close)
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

// In memory shared by the worker and who watches it.
typedef struct Progress {
    uint64_t number; // of the mutant being worked on
    Stage stage;
    CompileNumeric numeric;
    unsigned optimize;
    uint64_t counts[OUTCOME_COUNT], defects;
    double slowest[STAGE_COUNT]; // seconds of processor time
    uint64_t slowest_number[STAGE_COUNT];
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
    uint8_t *guarded; // scratch that ends at an unmapped page
    size_t guarded_size;
} Pipeline;

// Takes a mutant through everything. `edit`: changes to the module after reading, NULL for none.
void pipeline_run(Pipeline *pipeline, const CorpusFile *file, const uint8_t *bytes, size_t size, Random *edit);
void pipeline_close(Pipeline *pipeline);
// Says that something is wrong, on one line of standard output.
void pipeline_defect(Pipeline *pipeline, const char *format, ...) BASE_PRINTF(2, 3);
const char *stage_name(Stage stage);

// ---- run_kernels.c: the kernels of a mutant
// -------------------------------------------------------------------------------

enum { RUN_BUFFERS_MAX = 64 };
typedef struct RunResult { // of one kernel
    bool ran;              // false: it could not be launched
    char fault[512];       // or ""
    Buffer memory;         // of all buffers
    Buffer records;        // of all floats in them that have one
} RunResult;
// Runs a kernel on the buffers of the file's launch, or made-up ones, with scratch filled with `fill`.
void run_kernel(Pipeline *pipeline, const CorpusFile *file, const CompiledKernel *kernel, uint8_t fill,
                RunResult *result);
// Whether two runs ended alike; unless `exact`, NaNs are alike.
bool run_same(const RunResult *a, const RunResult *b, bool exact);

#endif
