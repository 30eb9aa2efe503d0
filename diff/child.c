// SPDX-License-Identifier: Apache-2.0
// Numbers go to a child through one pipe, and JSON comes back through another: the size of a text in four bytes, then
// the text.
#include "diff/child.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- signals

void fpd_watch_begin(FpdWatch *watch) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_BLOCK, &mask, &watch->mask_before);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &watch->pipe_before);
    watch->signals = signalfd(-1, &mask, SFD_CLOEXEC);
}

void fpd_watch_end(FpdWatch *watch) {
    close(watch->signals);
    sigaction(SIGPIPE, &watch->pipe_before, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigprocmask(SIG_SETMASK, &watch->mask_before, NULL);
}

// ---- the process

pid_t fpd_child_start(const FpdWatch *watch, FpdChild *child) {
    int orders[2], results[2];
    if (pipe2(orders, O_CLOEXEC)) return -1;
    if (pipe2(results, O_CLOEXEC)) {
        close(orders[0]), close(orders[1]);
        return -1;
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &watch->mask_before, NULL);
        close(orders[1]), close(results[0]), close(watch->signals);
        *child = (FpdChild){0, orders[0], results[1]};
        return 0;
    }
    close(orders[0]), close(results[1]);
    if (pid < 0) close(orders[1]), close(results[0]);
    if (pid > 0) *child = (FpdChild){pid, orders[1], results[0]};
    return pid;
}

int fpd_child_end(FpdChild *child, bool by_force) {
    int status = 0;
    if (by_force) kill(child->pid, SIGKILL);
    close(child->orders);
    close(child->results);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
    *child = (FpdChild){0};
    return status;
}

FpdEvent fpd_child_wait(const FpdWatch *watch, const FpdChild *child, double seconds) {
    const double end = clock_wall_seconds() + seconds;
    struct signalfd_siginfo signal;
    struct pollfd files[] = {{.fd = watch->signals, .events = POLLIN}, {.fd = child->results, .events = POLLIN}};
    for (;;) {
        const double left = seconds > 0 ? (end - clock_wall_seconds()) * 1e3 : -1;
        const int wait = seconds <= 0 ? -1 : left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)ceil(left);
        const int count = poll(files, 2, wait);
        if (count < 0) continue;
        if (!count && seconds > 0 && clock_wall_seconds() >= end) return FPD_EVENT_LATE;
        if (files[0].revents && read(watch->signals, &signal, sizeof signal) > 0) return FPD_EVENT_SIGNAL;
        if (files[1].revents & POLLIN) return FPD_EVENT_RESULT;
        if (files[1].revents) return FPD_EVENT_END;
    }
}

// ---- what goes through the pipes

static bool write_all(int file, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size) {
        const ssize_t count = write(file, from, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        from += count;
        size -= (size_t)count;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t size) {
    char *to = bytes;
    while (size) {
        const ssize_t count = read(file, to, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        to += count;
        size -= (size_t)count;
    }
    return true;
}

bool fpd_child_order(const FpdChild *child, uint64_t order) {
    return write_all(child->orders, &order, sizeof order);
}

bool fpd_child_take_order(const FpdChild *child, uint64_t *order) {
    return read_all(child->orders, order, sizeof *order);
}

bool fpd_child_send(const FpdChild *child, json_t *result) {
    char *text = json_dumps(result, JSON_COMPACT);
    const uint32_t size = text ? (uint32_t)strlen(text) : 0;
    const bool good = write_all(child->results, &size, sizeof size) && write_all(child->results, text, size);
    free(text);
    json_decref(result);
    return good;
}

json_t *fpd_child_read(const FpdChild *child) {
    uint32_t size;
    if (!read_all(child->results, &size, sizeof size)) return NULL;
    char *text = malloc((size_t)size + 1);
    json_t *result = NULL;
    if (text && read_all(child->results, text, size)) result = json_loadb(text, size, 0, NULL);
    free(text);
    return result;
}
