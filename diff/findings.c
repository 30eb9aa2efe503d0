// SPDX-License-Identifier: Apache-2.0
// What launches find wrong with how the parts of a block work together (RtFindings), in terms of the case.
#include "diff/run.h"

#include <string.h>

// On one line, whatever names are in it.
static const char *keep_message(Arena *arena, const char *message) {
    char *text = arena_text(arena, message, strlen(message));
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = '?';
    return text;
}

void fpd_keep_findings(Arena *arena, const RtLaunch *launch, uint32_t index, FpdFindings *findings) {
    const RtFindings *found = launch->findings;
    findings->more |= found->more;
    for (uint32_t i = 0; i < found->count; i++) {
        const RtFinding *from = &found->items[i];
        const uint64_t row = from->block / launch->grid[0];
        findings->items =
            arena_grow(arena, findings->items, findings->count, &findings->capacity, sizeof *findings->items);
        findings->items[findings->count++] =
            (FpdFinding){.launch = index,
                         .kernel = arena_keep(arena, launch->name ? launch->name : launch->kernel->name),
                         .kind = rt_finding_name(from->kind),
                         .message = keep_message(arena, from->message),
                         .at = location_keep(arena, from->at),
                         .other = location_keep(arena, from->other),
                         .block = {(uint32_t)(from->block % launch->grid[0]), (uint32_t)(row % launch->grid[1]),
                                   (uint32_t)(row / launch->grid[1])}};
    }
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(const Location *a, const Location *b) {
    return a->line == b->line && a->column == b->column && a->offset == b->offset && same_text(a->file, b->file);
}

bool fpd_same_finding(const FpdFinding *a, const FpdFinding *b) {
    return a->launch == b->launch && !strcmp(a->kind, b->kind) && same_place(&a->at, &b->at) &&
           same_place(&a->other, &b->other);
}

bool fpd_has_findings(const FpdRun *run) {
    return run->findings && run->findings->count;
}
