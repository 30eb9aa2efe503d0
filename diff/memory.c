// SPDX-License-Identifier: Apache-2.0
// How much memory runs take, which is known before they are made.
#include "diff/run.h"

#include <stdio.h>

typedef struct Needs {
    uint64_t buffers; // and what they begin with, once more
    uint64_t results; // kept of all runs, also of earlier ones, with the records of their floats
    uint64_t shadow;  // records beside the buffers, of the run that has most of them
} Needs;

// Records in shadow memory: of floats that launches store, and of those that begin with one.
static uint64_t shadow_bytes(const FpdPrograms *programs, const FpdRun *run) {
    const FpdCase *cas = programs->cas;
    const bool deep = run->tower && run->tower->length > TOWER_LENGTH;
    uint64_t bytes = 0;
    if (!run->has_records) return 0;
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdBuffer *buffer = &cas->buffers[b];
        bool recorded = run->tower && (buffer->literal || (run->settings.drawn && run->settings.drawn[b]));
        if (!fpd_has_records(buffer->type)) continue;
        for (uint32_t i = 0; i < cas->variants[run->variant].launch_count && !recorded; i++)
            recorded = fpd_launch_use(programs, run->variant, i, b).writes;
        if (recorded) bytes += buffer->elements * rt_record_bytes(element_info(buffer->type)->storage_bits / 8, deep);
    }
    return bytes;
}

static uint64_t result_bytes(const FpdCase *cas, const FpdRun *run) {
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        bytes += buffer->bytes;
        if (run->has_records && fpd_has_records(buffer->type)) bytes += buffer->elements * sizeof(HostRecord);
    }
    return bytes;
}

uint64_t fpd_result_bytes(const FpdCase *cas, uint32_t count, FpdRun *const *runs) {
    uint64_t bytes = 0;
    for (uint32_t r = 0; r < count; r++)
        if (!runs[r]->numbers_of) bytes += result_bytes(cas, runs[r]);
    return bytes;
}

static Needs needs_of(const FpdPrograms *programs, uint32_t count, FpdRun *const *runs) {
    Needs needs = {.results = programs->results + fpd_result_bytes(programs->cas, count, runs)};
    for (uint32_t b = 0; b < programs->cas->buffer_count; b++) needs.buffers += 2 * programs->cas->buffers[b].bytes;
    for (uint32_t r = 0; r < count; r++) {
        if (runs[r]->numbers_of) continue;
        const uint64_t shadow = shadow_bytes(programs, runs[r]);
        if (shadow > needs.shadow) needs.shadow = shadow;
    }
    return needs;
}

bool fpd_check_memory(Diagnostics *diagnostics, const FpdMachine *machine, const FpdPrograms *programs, bool again,
                      uint32_t count, FpdRun *const *runs) {
    const Needs needs = needs_of(programs, count, runs);
    const uint64_t all = needs.buffers + needs.results + needs.shadow,
                   limit = machine->memory ? machine->memory : system_memory();
    const char *whose = machine->memory ? "of --memory" : "of this machine, which --memory changes";
    char shadow[80] = "", later[80] = "";
    if (all <= limit) return true;
    if (needs.shadow)
        snprintf(shadow, sizeof shadow, ", %llu for payloads beside the buffers of a variant",
                 (unsigned long long)needs.shadow);
    if (!again)
        snprintf(later, sizeof later, ". Second runs, where they are needed, keep up to %llu bytes each",
                 (unsigned long long)needs.results);
    return diag_fail(diagnostics, (Location){.file = programs->cas->path}, again ? E_LIMIT : E_CASE,
                     "%s %llu bytes of memory: %llu for buffers and what they begin with, %llu for results%s%s%s; the "
                     "limit %s is %llu bytes%s",
                     again ? "second runs need" : "needs", (unsigned long long)all, (unsigned long long)needs.buffers,
                     (unsigned long long)needs.results, again ? " of these and earlier runs" : "",
                     needs.shadow ? " and their payloads" : "", shadow, whose, (unsigned long long)limit, later);
}
