// SPDX-License-Identifier: Apache-2.0
// What blocks touch, as boxes of half bytes: the accesses that kernels log, taken apart, one list for each thread.
#include "runtime/races.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- from accesses to boxes -----------------------------------------------------------------------------------------

// Dimensions in the order of their strides, all positive; those that go on where the one before ends are one.
static bool open_cutter(RaceCutter *cutter, const HostAccess *access) {
    cutter->begun = true;
    cutter->first = access->first;
    cutter->run = (uint64_t)access->size;
    for (uint32_t d = 0; d < access->rank; d++) {
        int64_t count = access->dimensions[d].count, stride = access->dimensions[d].stride;
        if (count <= 0) return false;
        if (count == 1 || !stride) continue;
        if (stride < 0) cutter->first += (uint64_t)((count - 1) * stride);
        uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
        uint32_t at = cutter->rank++;
        for (; at && cutter->dimensions[at - 1].stride > step; at--)
            cutter->dimensions[at] = cutter->dimensions[at - 1];
        cutter->dimensions[at].count = (uint64_t)count;
        cutter->dimensions[at].stride = step;
    }
    uint32_t kept = 0;
    for (uint32_t d = 0; d < cutter->rank; d++) {
        uint64_t count = cutter->dimensions[d].count, stride = cutter->dimensions[d].stride;
        if (!kept && stride == cutter->run)
            cutter->run *= count;
        else if (kept && stride == cutter->dimensions[kept - 1].stride * cutter->dimensions[kept - 1].count)
            cutter->dimensions[kept - 1].count *= count;
        else
            cutter->dimensions[kept++] = cutter->dimensions[d];
    }
    cutter->rank = kept;
    return cutter->run;
}

static bool next_place(RaceCutter *cutter) {
    for (uint32_t d = 2; d < cutter->rank; d++) {
        if (++cutter->at[d] < cutter->dimensions[d].count) return true;
        cutter->at[d] = 0;
    }
    return false;
}

bool race_next_box(RaceCutter *cutter, const HostAccess *access, RaceBox *box) {
    if (!(cutter->begun ? next_place(cutter) : open_cutter(cutter, access))) return false;
    *box = (RaceBox){.first = cutter->first, .run = cutter->run, .counts = {1, 1}, .op = access->op};
    for (uint32_t d = 0; d < cutter->rank && d < 2; d++) {
        box->counts[d] = cutter->dimensions[d].count;
        box->strides[d] = cutter->dimensions[d].stride;
    }
    for (uint32_t d = 2; d < cutter->rank; d++) box->first += cutter->at[d] * cutter->dimensions[d].stride;
    return true;
}

// ---- putting them down ----------------------------------------------------------------------------------------------

static bool is_run(const RaceBox *box) {
    return box->counts[0] == 1 && box->counts[1] == 1;
}

// Whether the box is part of the one before, or goes on where that ends.
static bool extend(RaceBox *before, const RaceBox *box) {
    if (before->block != box->block || before->run == 0) return false;
    if (before->first == box->first && before->run == box->run &&
        !memcmp(before->counts, box->counts, sizeof box->counts) &&
        !memcmp(before->strides, box->strides, sizeof box->strides))
        return true;
    if (!is_run(box) || before->counts[1] != 1) return false;
    if (is_run(before) && box->first == before->first + before->run) {
        before->run += box->run;
        return true;
    }
    if (before->run != box->run || box->first <= before->first) return false;
    uint64_t stride = is_run(before) ? box->first - before->first : before->strides[0];
    if (box->first != before->first + before->counts[0] * stride || stride < box->run) return false;
    before->strides[0] = stride;
    before->counts[0]++;
    return true;
}

static bool make_room(RaceThread *thread) {
    RaceRun *run = thread->run;
    if (thread->count < thread->capacity) return true;
    size_t capacity = thread->capacity ? 2 * thread->capacity : 256, more = capacity - thread->capacity;
    if (atomic_fetch_add(&run->boxes, more) + more > RACE_BOXES_MAX) return false;
    RaceBox *boxes = realloc(thread->boxes, capacity * sizeof *boxes);
    if (!boxes) return false;
    thread->boxes = boxes;
    thread->capacity = capacity;
    return true;
}

void race_put_box(RaceThread *thread, const RaceBox *box) {
    uint32_t *last = &thread->last[box->op];
    if (*last && extend(&thread->boxes[*last - 1], box)) return;
    if (!make_room(thread)) {
        atomic_store(&thread->run->full, true);
        return;
    }
    thread->boxes[thread->count++] = *box;
    *last = (uint32_t)thread->count;
}
