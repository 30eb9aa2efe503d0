// SPDX-License-Identifier: Apache-2.0
// The commands of fpdiff, and what they share. A command is a row of commands.def and a function that returns the exit
// status.
#ifndef CONGRUENT_FPD_COMMAND_H
#define CONGRUENT_FPD_COMMAND_H

#include "diff/options.h"
#include "diff/report.h"

#include <stdio.h>

typedef struct FpdSession FpdSession;

// What a buffer of the cases begins with, whatever its fill.
typedef struct FpdContents {
    const char *buffer;
    const void *bytes;
    size_t size;
} FpdContents;

// A program that uses the commands as a library (api/). What a function is given is valid during the call.
typedef struct FpdHost {
    const FpdContents *contents;
    size_t content_count;
    void (*see_outcome)(void *data, const FpdOutcome *outcome);         // of compare
    void (*see_run)(void *data, const FpdCase *cas, const FpdRun *run); // of run
    void (*see_report)(void *data, const FpdSession *, Report *report); // of compare and explain; may take it over
    void *data;
} FpdHost;

struct FpdSession {
    FpdOptions options;
    FILE *out, *err;     // where reports and errors go
    const FpdHost *host; // NULL: this is the program fpdiff. Else tasks run in this process, and results go to it
    FpdMachine machine;  // opened by the first case that runs
    bool color;
    uint64_t task_total; // FpdTasks.total of the command
    uint32_t unopened;   // cases for which the compiler or the device could not be opened
    Arena arena;         // of the command line
};

// ---- run_words.c

// Reads a command line, words[0] being the program's name, and does what it says: session->out and err get what is to
// be printed. Returns the exit status. The options stay valid as long as the words and the session's arena.
int fpd_run_words(FpdSession *session, int count, char **words);
#define COMMAND(name, function, ...) int function(FpdSession *session);
#include "diff/commands.def"
#undef COMMAND

// ---- session.c

// Opens the compiler and the device if they are not open yet, or for another target, device or number of threads; if
// they are, the settings become those of the command line. `cas`: NULL, or what runs first. False and diagnostics.
bool fpd_session_open(FpdSession *session, Diagnostics *diagnostics, const FpdCase *cas);
// Closes them: the next fpd_session_open opens them anew.
void fpd_session_close_machine(FpdSession *session);
// Prints the errors of a case. That nothing can be opened is said of the first case only. `unopened`: that of the
// session before the case.
void fpd_put_errors(const FpdSession *session, uint32_t unopened, const Diagnostics *errors);
typedef struct FpdTask {
    const char *path;
    uint32_t combination; // of the case's parameters
    uint64_t nth_seed;    // added to the first seed
    uint64_t number;      // of all tasks, also those of other shards
} FpdTask;
// A task's case and its programs; flags of the command line win over the file. NULL and diagnostics; *cas then is the
// case if that much could be read, else NULL. *parameters: those of the combination, as far as they could be read; may
// be NULL.
FpdPrograms *fpd_session_load(FpdSession *session, Diagnostics *diagnostics, Arena *arena, const FpdTask *task,
                              FpdCase **cas, FpdParameters *parameters);
// The head of a report of this session. `device`, `llvm` and `cpu` are null until the machine is open.
json_t *fpd_session_head(const FpdSession *session);
// Closes it. Returns the exit status of the process: `status`, or 2 where reports could not be written.
int fpd_session_close(FpdSession *session, int status);
// Ends the process with that status, closing of the session what the system does not close by itself.
_Noreturn void fpd_session_exit(FpdSession *session, int status);

// Calls the function for each case of the command line, first combination, and puts what it prints to standard output.
// Returns the exit status.
typedef void FpdPrintCase(FpdSession *session, const FpdTask *task, Arena *arena, FpdPrograms *programs, Buffer *out);
int fpd_print_cases(FpdSession *session, FpdPrintCase *print);

static inline int fpd_worse(int a, int b) {
    return a > b ? a : b;
}
void fpd_put(const FpdSession *session, const Buffer *text); // among the reports
void fpd_put_diagnostics(const FpdSession *session, const Diagnostics *diagnostics);
// Puts warnings of the runs among the errors.
void fpd_put_warnings(const FpdSession *session, const FpdCase *cas, const FpdRuns *runs);
// And what is wrong with blocks that have parts.
void fpd_put_findings(const FpdSession *session, const FpdCase *cas, const FpdRuns *runs);

// ---- write_reports.c

// Writes a text to a file, or to standard output if the path is "-". False and a diagnostic on failure; that of
// standard output is seen by fpd_session_close.
bool fpd_write_text(const FpdSession *session, Diagnostics *diagnostics, const char *path, const Buffer *text);
// Writes what --json and its like ask for. Returns 0, or 2 where one of them cannot be written: the verdict still
// stands.
int fpd_write_reports(const FpdSession *session, const Report *report);

// ---- command_mutate.c, command_merge.c, merge_mutants.c: reports of mutants, and what joins reports of all kinds

// Puts a report of mutants out as the command line says. Returns the exit status.
int fpd_put_mutation(const FpdSession *session, Diagnostics *diagnostics, const json_t *report);
// Joins the reports of the command line, which are all of mutants. Returns the exit status.
int fpd_merge_mutations(FpdSession *session, Diagnostics *diagnostics);
// Whether a part may be of the same run as the first one, which says what all must be: what is under `key` in both is
// alike, or null in one, as a part in which nothing ran does not know all. False and E_REPORT, which names the key.
bool fpd_parts_agree(Diagnostics *diagnostics, const char *path, const json_t *first, const json_t *part,
                     const char *key);
// Takes what is null in the first part, at any depth, from another.
void fpd_complete_part(json_t *first, const json_t *part);

// ---- contents.c: hashes of files

// The hash of a file's bytes, 16 hexadecimal digits in the arena. NULL: it cannot be read, or is no regular file.
const char *fpd_hash_file(Arena *arena, const char *path);
// Adds a path with its hash, NULL for null, to an object of such.
void fpd_json_add_hash(json_t *contents, const char *path, const char *hash);
// All files that a case was made from: itself, its modules and its data. NULL for a case that cannot be read.
json_t *fpd_json_contents(const char *path, const FpdCase *cas);

// ---- tasks.c: what a command that takes many cases does, one after the other

enum { FPD_TASKS_MAX = 1 << 20 };
typedef struct FpdTasks {
    FpdTask *items; // of this shard
    size_t count;
    uint64_t total;
    const char **hashes; // of each case file of the command line: fpd_hash_file
    char key[17];        // of the list of all, in hexadecimal: equal where the tasks of two runs are
} FpdTasks;
// Each combination of each case with each seed. False and E_USAGE if that is more than FPD_TASKS_MAX.
bool fpd_plan_tasks(Diagnostics *diagnostics, Arena *arena, const FpdOptions *options, FpdTasks *tasks);

// ---- supervise.c: tasks run in a process of their own

// What a task gives: a case of a report, with its "status".
typedef json_t *FpdTaskFunction(FpdSession *session, const FpdTask *task);
// All of a command: plans the tasks of the command line, runs them in a child process (with a host in this one, and
// then --timeout is refused) and writes the reports. A task
// that crashes, or takes longer than options->timeout, is a case with that error, and the tasks behind it run in
// another child. SIGINT and SIGTERM end the child; the tasks that were not finished are in the report as "not checked",
// and its status is REPORT_STATUS_INTERRUPTED. From then on the process ignores both. Returns the exit status.
int fpd_run_tasks(FpdSession *session, FpdTaskFunction *run);

#endif
