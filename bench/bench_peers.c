// SPDX-License-Identifier: Apache-2.0
// numpy and PyTorch in a process of their own (bench/peers.py), asked through two pipes for one run at a time.
#include "bench/bench_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 120 }; // the first answer imports PyTorch

static bool fail(Bench *bench, const char *what) {
    return diag_fail(&bench->diagnostics, (Location){.file = bench->peers.python}, E_RUNTIME, "%s", what);
}

// A line without its end.
static bool read_answer(Bench *bench, char *line, size_t size) {
    double end = bench_seconds() + ANSWER_SECONDS;
    for (size_t length = 0; length < size; length++) {
        struct pollfd wait = {.fd = bench->peers.from, .events = POLLIN};
        double left = end - bench_seconds();
        int ready = left > 0 ? poll(&wait, 1, (int)(left * 1e3) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (!ready) return fail(bench, "bench/peers.py did not answer within two minutes");
        if (ready < 0 || read(bench->peers.from, line + length, 1) != 1)
            return fail(bench, "bench/peers.py ended without an answer (its own message is above)");
        if (line[length] != '\n') continue;
        line[length] = 0;
        return true;
    }
    return fail(bench, "bench/peers.py gave an answer that is too long");
}

static bool start(Bench *bench, int to[2], int from[2]) {
    extern char **environ;
    BenchPeers *peers = &bench->peers;
    char *words[] = {(char *)peers->python, BENCH_DIR "/peers.py", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    int error = posix_spawnp(&peers->process, peers->python, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) peers->process = 0;
    return !error || diag_fail(&bench->diagnostics, (Location){.file = peers->python}, E_FILE, "%s", strerror(error));
}

bool bench_peers_open(Bench *bench, const char *python) {
    BenchPeers *peers = &bench->peers;
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    *peers = (BenchPeers){.python = python, .to = -1, .from = -1, .version = {"-", "-"}};
    if (!python) return true;
    signal(SIGPIPE, SIG_IGN); // a peer that has ended is an error that says so
    bool good = !pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC);
    good = good ? start(bench, to, from) : fail(bench, "no pipe to bench/peers.py");
    peers->to = to[1];
    peers->from = from[0];
    if (to[0] >= 0) close(to[0]);
    if (from[1] >= 0) close(from[1]);
    good = good && read_answer(bench, peers->versions, sizeof peers->versions);
    char *space = good ? strchr(peers->versions, ' ') : NULL;
    if (good && !space) return fail(bench, "bench/peers.py did not begin with two versions");
    if (good) *space = 0, peers->version[BENCH_NUMPY] = peers->versions, peers->version[BENCH_TORCH] = space + 1;
    return good;
}

void bench_peers_close(Bench *bench) {
    BenchPeers *peers = &bench->peers;
    if (!peers->process) return;
    close(peers->to); // it ends with its input; whatever it does, it does not outlive us
    close(peers->from);
    kill(peers->process, SIGTERM);
    waitpid(peers->process, NULL, 0);
    peers->process = 0;
}

bool bench_peers_time(Bench *bench, BenchPeer peer, const char *work, uint64_t length, unsigned threads,
                      BenchTime *time) {
    static const char *const names[] = {"numpy", "torch"}; // by BenchPeer
    _Static_assert(BASE_COUNT(names) == BENCH_PEERS, "a name for each peer");
    BenchPeers *peers = &bench->peers;
    char line[512];
    *time = (BenchTime){NAN, NAN};
    if (!strcmp(peers->version[peer], "-")) return true;
    int size = snprintf(line, sizeof line, "%s %s %llu %u\n", names[peer], work, (unsigned long long)length, threads);
    if (write(peers->to, line, (size_t)size) != size) return fail(bench, "bench/peers.py has ended");
    if (!read_answer(bench, line, sizeof line)) return false;
    if (!strcmp(line, "-") || sscanf(line, "%lf %lf", &time->wall, &time->processor) == 2) return true;
    return diag_fail(&bench->diagnostics, (Location){.file = peers->python}, E_RUNTIME, "%s %s: %s", names[peer], work,
                     line);
}
