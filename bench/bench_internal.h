// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the benchmark: what is timed, the reference programs (peers), tables and goals.
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
} BenchVerdict; // of a goal, from best to worst
typedef struct Bench {
    Diagnostics diagnostics;
    FpdMachine machine;       // one thread
    unsigned runs;            // how often everything is run; medians are printed
    int64_t size;             // of the matrices
    const char *products;     // only matrix products whose labels contain this are timed; NULL: all
    const char *tileir_tools; // the folder that has NVIDIA's bin/tileiras; NULL: none
    bool triton;              // the Python of the peers has Triton 3.9
    bool without_tiles;       // matrix products do not use AMX tiles
    char **files;             // cases and bytecode, as the command line names them
    size_t file_count;
    BenchPeers peers;
    Buffer report, goals;                // Markdown: the tables so far, and the rows of the table of goals
    unsigned goals_of[BENCH_MISSED + 1]; // how many goals have each verdict
    bool wide;                           // cells of the current table are words, not numbers
    bool report_only;                    // rows go to the report and not to standard output
} Bench;

// ---- bench.c --------------------------------------------------------------------------------------------------------

// The files of the command line with that ending; the list is in the arena.
char **bench_files(const Bench *bench, Arena *arena, const char *ending, size_t *count);

// ---- bench.c: time --------------------------------------------------------------------------------------------------

double bench_seconds(void);                        // wall time, of a clock that only goes forward
double bench_median(double *values, size_t count); // sorts the values; NAN if there are none
typedef struct BenchTime {
    double wall, processor; // seconds; `processor` is the sum over all threads
} BenchTime;
BenchTime bench_now(void);

// ---- bench_report.c: tables on standard output and in the report ----------------------------------------------------

// Begins a table; adds a row to it. Heads and cells are separated by tabs; a NAN is printed as "-".
void bench_table(Bench *bench, const char *title, const char *heads);
void bench_row(Bench *bench, const char *format, ...) BASE_PRINTF(2, 3);
void bench_note(Bench *bench, const char *format, ...) BASE_PRINTF(2, 3); // below a table

// ---- bench_report.c -------------------------------------------------------------------------------------------------

typedef enum BenchSense { BENCH_AT_MOST, BENCH_AT_LEAST } BenchSense;
// Whether the figure reaches the goal. A figure that is NAN was not measured.
BenchVerdict bench_verdict(double figure, BenchSense sense, double goal);
#define BENCH_SPEED_UP 1.8
// Of a speed-up of two threads, at least BENCH_SPEED_UP, which counts where the peer reaches it in the same run.
BenchVerdict bench_speed_up_verdict(double figure, double peer);
// Adds a figure and its goal to the table of goals at the end. `unit` follows the number ("", " ns", " %").
void bench_goal(Bench *bench, const char *what, double figure, const char *unit, BenchSense sense, double goal);
// The same with figure and goal as text.
void bench_goal_text(Bench *bench, const char *what, const char *figure, const char *goal, BenchVerdict verdict);
// Goals of the median and the worst of a figure of each kernel, which has to be at most so much. "WHAT, median of
// kernels". `figures` may be reordered.
void bench_goals_of_kernels(Bench *bench, const char *what, size_t count, double *figures, double median, double worst);
// If `size` is 1024, for which goals are: prints the table of goals and, if `path` is not NULL, writes the report to
// that file; false and E_FILE if that fails.
bool bench_report(Bench *bench, const char *path);

// ---- bench_peers.c --------------------------------------------------------------------------------------------------

// Starts bench/peers.py with this Python. NULL: there are no peers. The peers must be closed in any case.
bool bench_peers_open(Bench *bench, const char *python);
void bench_peers_close(Bench *bench);
// Times one run of `work`, a function of peers.py whose arrays have `length` as first dimension. *time is NAN if the
// peer is not installed or lacks the work. False and a diagnostic if it fails.
bool bench_peers_time(Bench *bench, BenchPeer peer, const char *work, uint64_t length, unsigned threads,
                      BenchTime *time);

// ---- bench_kernels.c ------------------------------------------------------------------------------------------------

// Times kernels in both arithmetics against numpy and PyTorch.
bool bench_kernels(Bench *bench);

// ---- bench_races.c --------------------------------------------------------------------------------------------------

// Times kernels with and without the search for races between blocks.
bool bench_races(Bench *bench);

// ---- bench_census.c -------------------------------------------------------------------------------------------------

// Times kernels with and without the range census.
bool bench_census(Bench *bench);

// ---- bench_math.c ---------------------------------------------------------------------------------------------------

// Times kernels in numeric modes against mode ieee.
bool bench_math(Bench *bench);

// ---- bench_wide.c ---------------------------------------------------------------------------------------------------

// Times kernels in the numeric `wide` against IEEE arithmetic.
bool bench_wide(Bench *bench);

// ---- bench_triton.c -------------------------------------------------------------------------------------------------

// Times kernels of Triton, run and compiled, against their versions in cuTile.
bool bench_triton(Bench *bench);

// ---- bench_gluon.c --------------------------------------------------------------------------------------------------

// Times a matrix product of Gluon against a plain one of Triton, and with and without checks of its parts.
bool bench_gluon(Bench *bench);

// ---- bench_matmul.c -------------------------------------------------------------------------------------------------

typedef struct BenchMatmul {
    const char *label, *file, *goal; // the goal as text, empty if there is none
    CompileNumeric numeric;
    double compile_seconds, seconds, rate; // rate in 1e9 multiply-adds/s
    // Its speed / the speed of sgemm on as many threads, and on one, timed in turn; sgemm's own speed-up of several
    // threads. NAN without OpenBLAS.
    double sgemm, sgemm_alone, sgemm_speed_up;
    double of_base;       // its speed / the speed of MatmulRow.base; NAN if there is none
    BenchVerdict reached; // of the goal, if there is one
} BenchMatmul;

typedef struct BenchMatmuls {
    BenchMatmul *rows;
    size_t count;
} BenchMatmuls;

// Times the products of two square matrices that matmul_rows.def lists, each in turn with OpenBLAS's sgemm, and prints
// a row for each. False and diagnostics if something fails or a result is wrong.
bool bench_matmuls(Bench *bench);

// ---- bench_blas.c ---------------------------------------------------------------------------------------------------

// The seconds that OpenBLAS takes for c = a b (row-major squares), of wall-clock time (`wall`; its threads keep waiting
// for more) or of processor time; *name becomes the name of its library. Negative if it is not installed.
double bench_sgemm(int64_t size, unsigned threads, bool wall, const float *a, const float *b, float *c,
                   const char **name);

// The version of that library, "0.3.21"; NULL if it is not installed.
const char *bench_blas_version(void);

// ---- bench_front_end.c ----------------------------------------------------------------------------------------------

// Times reading, verifying, writing, printing and parsing a module of 1 MiB of bytecode, with and without debug
// information.
bool bench_front_end(Bench *bench);

// ---- bench_shadow.c -------------------------------------------------------------------------------------------------

// Times the numeric `shadow` against IEEE arithmetic.
bool bench_shadow(Bench *bench);

// ---- bench_memory.c -------------------------------------------------------------------------------------------------

// Memory and time of large cases. Takes minutes.
bool bench_memory(Bench *bench);

// ---- bench_verdict.c ------------------------------------------------------------------------------------------------

// fpdiff from the file of an example to its verdict, cold and warm.
bool bench_verdicts(Bench *bench);

// ---- bench_cases.c --------------------------------------------------------------------------------------------------

// Times running each variant of the cases among the files.
bool bench_cases(Bench *bench);

// ---- bench_ptx.c ----------------------------------------------------------------------------------------------------

// Times kernels of PTX in payload arithmetic against kernels of Tile IR, and compiling them.
bool bench_ptx(Bench *bench);

// ---- bench_gpu.c ----------------------------------------------------------------------------------------------------

// Times compiling to cubins against NVIDIA's tileiras and Triton's FpSan, as far as they are installed. Without ptxas
// it says so and times nothing.
bool bench_gpu(Bench *bench);

// ---- bench_compile.c ------------------------------------------------------------------------------------------------

// Times compiling the bytecode among the files.
bool bench_compile(Bench *bench);

#endif
