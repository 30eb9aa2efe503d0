// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the corpus program: files, samples and their checks, NVIDIA's tools, coverage.
#ifndef CONGRUENT_CORPUS_H
#define CONGRUENT_CORPUS_H

#include "compiler/tileir/tir.h"

// ---- list_files.c ---------------------------------------------------------------------------------------------------

// The names of the files of a folder that end with `suffix`, sorted, in the arena. *count is 0 if there is no such
// folder.
char **list_files(Arena *arena, const char *folder, const char *suffix, size_t *count);

// ---- samples: a file of the corpus in one version -------------------------------------------------------------------

typedef enum Check {
    CHECK_READ_WRITE,  // read and written, it is the same bytes
    CHECK_PARSE_WRITE, // printed, parsed, written and read, it prints the same
    CHECK_TEXT,        // our text is that of tileirdisasm
    CHECK_LOCATED,     // our text is that of tileirdisasm -g
    CHECK_VERDICT,     // our verifier accepts it, as the tool does
    CHECK_COMPILED,    // NVIDIA's tileiras compiles it
    CHECK_COUNT
} Check;

typedef struct Sample {
    const char *name; // text/add.mlir
    const char *half; // the folder: text
    uint16_t version; // of the bytecode
    const uint8_t *bytes;
    size_t size;
    const char *golden[2];            // files with what the tool printed, without and with -g; NULL: there is none
    Buffer text[2];                   // what we print, without and with locations
    Buffer again[2];                  // the bytecode of what was parsed from that
    bool checked[CHECK_COUNT];        // the check was made
    bool failed[CHECK_COUNT];         // and failed
    const char *problem[CHECK_COUNT]; // of a failed check: what is different
    bool accepted;                    // by our verifier
    uint32_t entries;                 // in the module
    uint32_t types;                   // the kinds of types in it, TYPE_BITs
    bool adds_bf16;                   // it has an atomic addition of bf16
    bool reaches_devices;             // it has pointers to memory of other devices
} Sample;

// Whether two samples are one kernel in two versions: the same text, or NAME-13.1.tileirbc and NAME-13.2.tileirbc.
bool is_same_kernel(const Sample *a, const Sample *b);

#define TYPE_BIT(kind) (1u << TIR_TYPE_##kind)

// All samples, and what their checks need.
typedef struct Corpus {
    Arena arena;
    const char *folder;
    Sample *samples;
    size_t count, capacity;
    const char *tools;      // the folder that has bin/tileirdisasm, or NULL
    uint32_t compile_every; // one of so many files is given to tileiras; 0: none
    struct Coverage *coverage;
} Corpus;

// ---- corpus_checks.c ------------------------------------------------------------------------------------------------

// Makes the checks that need no tool: golden files beside the sample stand for tileirdisasm. Notes what occurs in it
// for the coverage.
void check_sample(Corpus *corpus, Sample *sample);
// Records the outcome of a check. `problem` NULL: it succeeded.
void note_check(Sample *sample, Check check, const char *problem);
// NULL if two texts are equal, else the first line that differs, in the arena.
const char *text_difference(Arena *arena, const char *found, size_t found_size, const char *wanted, size_t wanted_size);

// ---- corpus_tools.c -------------------------------------------------------------------------------------------------

// One run of a tool on a file that holds `input`. Without input there is no run.
typedef struct ToolRun {
    const uint8_t *input;
    size_t size;
    bool located;         // of tileirdisasm: -g
    const char *gpu_name; // for tileiras; NULL: this is a run of tileirdisasm
    bool ok;              // exit status 0
    char *output;         // what it printed, standard error included if it failed
    size_t output_size;
} ToolRun;

// Makes all runs, a few at a time. False, and a line on standard error, if the tools cannot be run.
bool run_tools(Arena *arena, const char *tools, ToolRun *runs, size_t count);
// Checks all samples against the tools.
bool check_with_tools(Corpus *corpus);
// Writes what tileirdisasm prints of the samples in FOLDER/text as their golden files.
bool update_goldens(Corpus *corpus);

// ---- corpus_refused.c -----------------------------------------------------------------------------------------------

// Checks that no module of FOLDER/refused is accepted. Prints how many are not and, with `list`, those that are.
bool check_refused(Corpus *corpus, bool list);

// ---- coverage_*.c ---------------------------------------------------------------------------------------------------

typedef struct Coverage Coverage;
Coverage *coverage_open(Arena *arena);
// Notes what occurs in a module that was read.
void coverage_note(Coverage *coverage, const TirModule *module);
// Prints the figures, what is missing and, with `reasons`, why it may be missing (coverage.def). False if something is
// missing for which coverage.def has no reason.
bool coverage_report(const Coverage *coverage, bool reasons);

#endif
