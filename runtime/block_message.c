// SPDX-License-Identifier: Apache-2.0
// What the parts of a block did wrong, in words; and findings: those of a block, then those of its launch.
#include "runtime/block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const finding_names[RT_FINDING_KINDS] = {
#define BLOCK_FINDING(id, name) [RT_FINDING_##id] = name,
#include "runtime/block_findings.def"
#undef BLOCK_FINDING
};

const char *rt_finding_name(RtFindingKind kind) {
    return finding_names[kind];
}

// ---- who and where --------------------------------------------------------------------------------------------------

static Location place_location(const KernelInfo *kernel, uint32_t place) {
    return place && place <= kernel->place_count ? kernel->places[place - 1].at : (Location){0};
}

void block_print_place(const Block *block, uint32_t place, Buffer *out) {
    const KernelInfo *kernel = block->launch->kernel;
    if (!place || place > kernel->place_count) {
        buffer_print(out, "an operation that is not known");
        return;
    }
    const KernelPlace *found = &kernel->places[place - 1];
    buffer_print(out, "%s", found->op);
    if (found->at.file && found->at.line) buffer_print(out, " (%s:%" PRIu32 ")", found->at.file, found->at.line);
}

const char *block_place_text(const Block *block, uint32_t place, char text[BLOCK_PLACE_TEXT]) {
    Buffer out = {0};
    block_print_place(block, place, &out);
    snprintf(text, BLOCK_PLACE_TEXT, "%s", out.data);
    buffer_free(&out);
    return text;
}

void block_print_part(uint32_t part, Buffer *out) {
    if (part)
        buffer_print(out, "partition %" PRIu32, part - 1);
    else
        buffer_print(out, "part 'default'");
}

// ---- deadlocks ------------------------------------------------------------------------------------------------------

static void print_barrier(const Block *block, const BlockPart *part, Buffer *out) {
    const BlockBarrier *barrier = &block->barriers[part->wait.barrier];
    buffer_print(out, " for phase %" PRIu32 " of the mbarrier that ", part->wait.phase - barrier->first);
    block_print_place(block, barrier->made, out);
    buffer_print(out, " has made");
    if (!barrier->live || barrier->life != part->wait.life) {
        buffer_print(out, ", which has ended");
        return;
    }
    const char *between = ", to which ";
    if (barrier->pending) {
        buffer_print(out, "%s%" PRId64 " of %" PRIu32 " arrivals", between, (int64_t)barrier->count - barrier->pending,
                     barrier->count);
        between = " and ";
    }
    if (barrier->bytes || barrier->expected)
        buffer_print(out, "%s%" PRId64 " of %" PRId64 " bytes", between, barrier->came, barrier->expected);
    buffer_print(out, " have come");
}

static void print_wait(const Block *block, const BlockPart *part, Buffer *out) {
    block_print_part(part->number, out);
    buffer_print(out, " waits");
    if (part->wait.place) {
        buffer_print(out, " in ");
        block_print_place(block, part->wait.place, out);
    }
    switch (part->wait.kind) {
    case BLOCK_AWAITS_BARRIER: print_barrier(block, part, out); break;
    default: buffer_print(out, " for the parts that it began to end");
    }
}

// The place is that of a part that waits for an mbarrier, if there is one: others may wait for that part.
void block_deadlock(Block *block) {
    Buffer text = {0};
    const char *between = "deadlock: ";
    block->text_place = 0;
    for (uint32_t i = 0; i < block->part_count; i++) {
        const BlockPart *part = &block->parts[i];
        if (!part->live) continue;
        buffer_print(&text, "%s", between);
        print_wait(block, part, &text);
        between = "; ";
        if (!block->text_place && part->wait.kind != BLOCK_AWAITS_PARTS) block->text_place = part->wait.place;
    }
    free(block->text);
    block->text = text.data;
    block->failed = true;
}

// ---- findings -------------------------------------------------------------------------------------------------------

// Whether the places are one for who reads of them: an op that is in the kernel several times, as its loop is unrolled
// or its function inlined, is one.
static bool same_place(const KernelInfo *kernel, uint32_t a, uint32_t b) {
    if (a == b || !a || !b || a > kernel->place_count || b > kernel->place_count) return a == b;
    const KernelPlace *first = &kernel->places[a - 1], *second = &kernel->places[b - 1];
    return first->at.line && first->at.line == second->at.line && first->at.column == second->at.column &&
           first->at.file && second->at.file && !strcmp(first->at.file, second->at.file) &&
           !strcmp(first->op, second->op);
}

// The finding of this pair of places; the count of all: there is none.
static uint32_t find_pair(const KernelInfo *kernel, const BlockFindings *findings, uint32_t place, uint32_t other) {
    uint32_t i = 0;
    while (i < findings->count && (!same_place(kernel, findings->items[i].place, place) ||
                                   !same_place(kernel, findings->items[i].other, other)))
        i++;
    return i;
}

bool block_is_new(const Block *block, uint32_t place, uint32_t other) {
    const BlockFindings *findings = &block->findings;
    return block->launch->checks && find_pair(block->launch->kernel, findings, place, other) == findings->count;
}

static int compare_findings(const BlockFinding *a, const BlockFinding *b) {
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Keeps those of the lowest blocks, each pair of places once: so it does not matter which blocks run first.
static void keep_finding(BlockLaunch *launch, BlockFinding finding) {
    BlockFindings *findings = &launch->findings;
    const uint32_t i = find_pair(launch->kernel, findings, finding.place, finding.other);
    BlockFinding *same = &findings->items[i];
    uint32_t at = 0;
    if (i < findings->count && compare_findings(same, &finding) <= 0) {
        free(finding.text);
        return;
    }
    if (i < findings->count) {
        free(same->text);
        memmove(same, same + 1, (--findings->count - i) * sizeof *same);
    }
    while (at < findings->count && compare_findings(&findings->items[at], &finding) < 0) at++;
    memmove(&findings->items[at + 1], &findings->items[at], (findings->count++ - at) * sizeof finding);
    findings->items[at] = finding;
    if (findings->count <= RT_FINDINGS_MAX) return;
    const BlockFinding *dropped = &findings->items[--findings->count];
    if (dropped->block < findings->dropped) findings->dropped = dropped->block;
    free(dropped->text);
}

void block_find(Block *block, RtFindingKind kind, uint32_t place, uint32_t other, Buffer *text) {
    BlockFindings *findings = &block->findings;
    const uint32_t order = findings->count;
    if (findings->count == RT_FINDINGS_MAX) {
        findings->dropped = block->number;
        buffer_free(text);
        return;
    }
    findings->items[findings->count++] = (BlockFinding){kind, block->number, order, place, other, text->data};
}

void block_merge_findings(Block *block) {
    BlockLaunch *launch = block->launch;
    BlockFindings *findings = &block->findings;
    if (!findings->count) return;
    pthread_mutex_lock(&launch->mutex);
    for (uint32_t i = 0; i < findings->count; i++) keep_finding(launch, findings->items[i]);
    if (findings->dropped < launch->findings.dropped) launch->findings.dropped = findings->dropped;
    pthread_mutex_unlock(&launch->mutex);
    findings->count = 0;
    findings->dropped = UINT64_MAX;
}

// Gives them to whoever launched: those of blocks up to `last`.
void block_report_findings(BlockLaunch *launch, uint64_t last) {
    RtFindings *to = launch->checked->asked->findings;
    const BlockFindings *from = &launch->findings;
    if (to) {
        to->count = 0;
        to->more = from->dropped <= last && from->dropped != UINT64_MAX;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        const BlockFinding *item = &from->items[i];
        if (to && item->block <= last)
            to->items[to->count++] =
                (RtFinding){arena_keep(to->arena, item->text), place_location(launch->kernel, item->place),
                            place_location(launch->kernel, item->other), item->block, item->kind};
        free(item->text);
    }
}
