// SPDX-License-Identifier: Apache-2.0
// What the files of the benchmark share.
#ifndef CONGRUENT_BENCH_INTERNAL_H
#define CONGRUENT_BENCH_INTERNAL_H

#include "diff/machine.h"

#include <sys/types.h>

enum { BENCH_RUNS_MAX = 1000 };

typedef enum BenchPeer { BENCH_NUMPY, BENCH_TORCH, BENCH_PEERS } BenchPeer;
typedef struct BenchPeers { // a process that runs bench/peers.py
    const char *python;     // NULL: none
    pid_t process;          // 0: none
    int to, from;           // pipes
    char versions[256];
    const char *version[BENCH_PEERS]; // "-": not installed
} BenchPeers;

typedef enum BenchVerdict {
    BENCH_REACHED,
    BENCH_NOT_MEASURED,
    BENCH_MISSED
} BenchVerdict; // of a goal, the worst one last
typedef struct Bench {
    Diagnostics diagnostics;
    FpdMachine machine;       // one thread
    unsigned runs;            // of everything; medians are printed
    int64_t size;             // of the matrices
    const char *products;     // of the matrix products: those with this in their label; NULL: all
    const char *tileir_tools; // folder of NVIDIA's bin/tileiras; NULL: none
    bool triton;              // the Python of the peers has Triton 3.9
    bool without_tiles;       // of the matrix products: the processor's tile registers are not used
    char **files;             // cases and bytecode, as the command line names them
    size_t file_count;
    BenchPeers peers;
    Buffer report, goals;                // tables so far, as Markdown; rows of goals, as bench_row takes them
    unsigned goals_of[BENCH_MISSED + 1]; // how many, by verdict
    bool wide;                           // cells are words
    bool report_only;                    // rows go to the report and not to standard output
} Bench;

// ---- bench.c --------------------------------------------------------------------------------------------------------

// The files with that ending, in the arena.
char **bench_files(const Bench *bench, Arena *arena, const char *ending, size_t *count);

// ---- bench.c: time --------------------------------------------------------------------------------------------------

double bench_seconds(void);                        // of a clock that only goes forward
double bench_median(double *values, size_t count); // sorts them; NAN if there are none
typedef struct BenchTime {
    double wall, processor; // seconds; the latter of all threads
} BenchTime;
BenchTime bench_now(void);

// ---- bench_report.c: tables on standard output and in the report ----------------------------------------------------

// Heads and cells are separated by tabs; what is printed of a NAN is "-".
void bench_table(Bench *bench, const char *title, const char *heads);
void bench_row(Bench *bench, const char *format, ...) BASE_PRINTF(2, 3);
void bench_note(Bench *bench, const char *format, ...) BASE_PRINTF(2, 3); // below a table

// ---- bench_report.c -------------------------------------------------------------------------------------------------

typedef enum BenchSense { BENCH_AT_MOST, BENCH_AT_LEAST } BenchSense;
// NAN is not measured: neither it nor what it was to be compared with needs to be there.
BenchVerdict bench_verdict(double figure, BenchSense sense, double goal);
// A figure and its goal, for the table of goals at the end. `unit` is what follows the number ("", " ns", " %").
void bench_goal(Bench *bench, const char *what, double figure, const char *unit, BenchSense sense, double goal);
// The same in words.
void bench_goal_text(Bench *bench, const char *what, const char *figure, const char *goal, BenchVerdict verdict);
// Prints the goals; writes the report to a file where `path` is not NULL.
bool bench_report(Bench *bench, const char *path);

// ---- bench_peers.c --------------------------------------------------------------------------------------------------

// Starts bench/peers.py with a Python; NULL: there are no peers. Close in any case.
bool bench_peers_open(Bench *bench, const char *python);
void bench_peers_close(Bench *bench);
// One run of a work of peers.py, whose arrays have `length` as first dimension. NAN if the peer is not there or does
// not have the work; false and a diagnostic if it fails.
bool bench_peers_time(Bench *bench, BenchPeer peer, const char *work, uint64_t length, unsigned threads,
                      BenchTime *time);

// ---- bench_kernels.c ------------------------------------------------------------------------------------------------

// Times kernels in both arithmetics against numpy and PyTorch.
bool bench_kernels(Bench *bench);

// ---- bench_races.c --------------------------------------------------------------------------------------------------

// Times kernels with and without the search for races between blocks.
bool bench_races(Bench *bench);

// ---- bench_matmul.c -------------------------------------------------------------------------------------------------

typedef struct BenchMatmul {
    const char *label, *file, *goal; // the goal as text, empty if there is none
    CompileNumeric numeric;
    double compile_seconds, seconds, rate; // rate in 1e9 multiply-adds/s
    double sgemm;         // speed as a multiple of sgemm's on one thread, timed alternately; NAN without OpenBLAS
    double of_base;       // as a multiple of the speed of the product it is compared with; NAN if there is none
    bool is_of_base;      // the goal is about that
    BenchVerdict reached; // the goal, if there is one
} BenchMatmul;

typedef struct BenchMatmuls {
    BenchMatmul *rows;
    size_t count;
} BenchMatmuls;

// Times products of two square matrices in every format and mode that is of interest (matmul_rows.def), OpenBLAS's
// sgemm after each of them, and prints a title and a row for each. False and diagnostics if something fails, wrong
// results included.
bool bench_matmuls(Bench *bench);

// ---- bench_blas.c ---------------------------------------------------------------------------------------------------

// Seconds of processor time that OpenBLAS takes for c = a b (row-major squares) on one thread; the name of its library
// in *name. A negative number if it is not installed.
double bench_sgemm(int64_t size, const float *a, const float *b, float *c, const char **name);

// "0.3.21", the version of that library; NULL if it is not installed.
const char *bench_blas_version(void);

// ---- bench_front_end.c ----------------------------------------------------------------------------------------------

// Times reading, verifying, writing, printing and parsing a module of 1 MiB of bytecode, with and without debug
// information.
bool bench_front_end(Bench *bench);

// ---- bench_shadow.c -------------------------------------------------------------------------------------------------

// Times the numeric `shadow` against IEEE arithmetic.
bool bench_shadow(Bench *bench);

// ---- bench_cases.c --------------------------------------------------------------------------------------------------

// Times running each variant of the cases among the files.
bool bench_cases(Bench *bench);

// ---- bench_gpu.c ----------------------------------------------------------------------------------------------------

// Times compiling to cubins against NVIDIA's tileiras and Triton's FpSan, where they are; says so where there is no
// ptxas.
bool bench_gpu(Bench *bench);

// ---- bench_compile.c ------------------------------------------------------------------------------------------------

// Times compiling the bytecode among the files.
bool bench_compile(Bench *bench);

#endif
