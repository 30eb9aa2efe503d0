// SPDX-License-Identifier: Apache-2.0
// What the parts of the corpus program share: files, samples and their checks, NVIDIA's tools, coverage.
#ifndef CONGRUENT_CORPUS_H
#define CONGRUENT_CORPUS_H

#include "compiler/tileir/tir.h"

// ---- list_files.c ---------------------------------------------------------------------------------------------------

// The names of the files of a folder that end with `suffix`, sorted, in the arena; *count is 0 if there is no folder.
char **list_files(Arena *arena, const char *folder, const char *suffix, size_t *count);

// ---- samples: a file of the corpus in one version -------------------------------------------------------------------

typedef enum Check {
    CHECK_READ_WRITE,  // what was read is written back byte for byte
    CHECK_PARSE_WRITE, // what is printed, parsed and written is printed the same
    CHECK_TEXT,        // our text is the tool's
    CHECK_LOCATED,     // the same with -g
    CHECK_VERDICT,     // it is accepted, as by the tool
    CHECK_COMPILED,    // tileiras takes it, too
    CHECK_COUNT
} Check;

typedef struct Sample {
    const char *name; // text/add.mlir
    const char *half; // the folder: text
    uint16_t version; // of the bytecode
    const uint8_t *bytes;
    size_t size;
    const char *golden[2];            // files with what the tool printed, the second with -g; NULL: there is none
    Buffer text[2];                   // what we print
    Buffer again[2];                  // bytecode of what was parsed from it
    bool checked[CHECK_COUNT];        // whether the check was made
    bool failed[CHECK_COUNT];         //
    const char *problem[CHECK_COUNT]; // of a failed one: what is different
    bool accepted;                    // by our verifier
    uint32_t entries;                 // in the module
    uint32_t types;                   // the kinds of types in it, a bit each
    bool adds_bf16;                   // atomically
} Sample;

// Whether they are one kernel in two versions: the same text, or NAME-13.1.tileirbc and NAME-13.2.tileirbc.
bool is_same_kernel(const Sample *a, const Sample *b);

#define TYPE_BIT(kind) (1u << TIR_TYPE_##kind)

// What the checks need from the program.
typedef struct Corpus {
    Arena arena;
    const char *folder;
    Sample *samples;
    size_t count, capacity;
    const char *tools;      // the folder with bin/tileirdisasm, or NULL
    uint32_t compile_every; // of that many files one is given to tileiras, 0 = none
    struct Coverage *coverage;
} Corpus;

// ---- corpus_checks.c ------------------------------------------------------------------------------------------------

// The checks that need no tool: the goldens beside the file stand for tileirdisasm. Notes what occurs in it.
void check_sample(Corpus *corpus, Sample *sample);
// Records a check's outcome: failed if there is a problem.
void note_check(Sample *sample, Check check, const char *problem);
// NULL if two texts are equal, else the first line that differs, in the arena.
const char *text_difference(Arena *arena, const char *found, size_t found_size, const char *wanted, size_t wanted_size);

// ---- corpus_tools.c -------------------------------------------------------------------------------------------------

// One run of a tool. It is given `input` in a file; without input there is no run.
typedef struct ToolRun {
    const uint8_t *input;
    size_t size;
    bool located;         // of tileirdisasm: -g
    const char *gpu_name; // of tileiras; NULL: it is a run of tileirdisasm
    bool ok;              // exit status 0
    char *output;         // what it printed, standard error included if it failed
    size_t output_size;
} ToolRun;

// Runs them all, a few at a time. False, and a line on standard error, if they cannot be run at all.
bool run_tools(Arena *arena, const char *tools, ToolRun *runs, size_t count);
// The checks of all samples against the tools.
bool check_with_tools(Corpus *corpus);
// Writes what tileirdisasm prints as golden files of the text half.
bool update_goldens(Corpus *corpus);

// ---- corpus_refused.c -----------------------------------------------------------------------------------------------

// Checks the modules of FOLDER/refused, which must not be accepted; prints the figure and, with `list`, the failures.
bool check_refused(Corpus *corpus, bool list);

// ---- coverage_*.c ---------------------------------------------------------------------------------------------------

typedef struct Coverage Coverage;
Coverage *coverage_open(Arena *arena);
// Notes what occurs in a module that was read.
void coverage_note(Coverage *coverage, const TirModule *module);
// Prints the figures, what is missing and, with `reasons`, why it can be; false if that is not in coverage.def.
bool coverage_report(const Coverage *coverage, bool reasons);

#endif
