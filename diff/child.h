// SPDX-License-Identifier: Apache-2.0
// A child process that does the work, and tells what it found as JSON: a signal, a crash or a kernel that never ends
// leaves its parent to write the reports.
#ifndef CONGRUENT_FPD_CHILD_H
#define CONGRUENT_FPD_CHILD_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What a process that has children waits for besides them. Until fpd_watch_end SIGINT and SIGTERM do not end it, and
// children that are gone are no signal.
typedef struct FpdWatch {
    int signals; // a file from which SIGINT and SIGTERM are read
    sigset_t mask_before;
    struct sigaction pipe_before;
} FpdWatch;
void fpd_watch_begin(FpdWatch *watch);
// From then on the process ignores SIGINT and SIGTERM: what is left to do is to write reports, and those are to be
// whole. Signals that wait are gone, too.
void fpd_watch_end(FpdWatch *watch);

typedef struct FpdChild {
    pid_t pid; // 0: there is none
    int orders, results;
} FpdChild;
// Forks, as fork does: twice, with 0 in the child, where `orders` and `results` are its own ends, and -1 on failure.
// The child ends with its parent.
pid_t fpd_child_start(const FpdWatch *watch, FpdChild *child);
// Waits for its end. Returns what waitpid says.
int fpd_child_end(FpdChild *child, bool by_force);

typedef enum FpdEvent { FPD_EVENT_RESULT, FPD_EVENT_END, FPD_EVENT_LATE, FPD_EVENT_SIGNAL } FpdEvent;
// Until the child has something to say, or `seconds` are over; 0: they never are. Signals go first: a terminal sends
// them to the child, too.
FpdEvent fpd_child_wait(const FpdWatch *watch, const FpdChild *child, double seconds);

// An order is a number. False: the other side is gone.
bool fpd_child_order(const FpdChild *child, uint64_t order);
bool fpd_child_take_order(const FpdChild *child, uint64_t *order);
// A result takes over the reference. NULL: the child has ended instead. The caller releases what it reads.
bool fpd_child_send(const FpdChild *child, json_t *result);
json_t *fpd_child_read(const FpdChild *child);

#endif
