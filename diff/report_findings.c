// SPDX-License-Identifier: Apache-2.0
// What reports say of blocks whose parts do not work together as they should (FpdFinding).
#include "diff/report_internal.h"

#include <inttypes.h>
#include <string.h>

// Whether the variant had it in an earlier run, in another mode or build.
static bool was_found(const FpdRuns *runs, uint32_t index, const FpdFinding *finding) {
    for (uint32_t r = 0; r < index; r++) {
        const FpdRun *run = &runs->runs[r];
        if (run->variant != runs->runs[index].variant) continue;
        for (uint32_t i = 0; run->findings && i < run->findings->count; i++)
            if (fpd_same_finding(&run->findings->items[i], finding)) return true;
    }
    return false;
}

static void print_place(const Location *at, const char *level, Buffer *out) {
    if (at->file) buffer_print(out, "%s:", at->file);
    if (at->line) buffer_print(out, "%" PRIu32 ":", at->line);
    if (at->line && at->column) buffer_print(out, "%" PRIu32 ":", at->column);
    buffer_print(out, "%s%s: ", at->file ? " " : "", level);
}

// As compilers print errors, so that editors go to the place.
static void print_finding(const FpdVariant *variant, const FpdFinding *finding, const char *indent, Buffer *out) {
    buffer_print(out, "%s", indent);
    print_place(&finding->at, "error", out);
    buffer_print(out, "variant %s, launch %" PRIu32 ", block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "): %s\n",
                 variant->name, finding->launch + 1, finding->block[0], finding->block[1], finding->block[2],
                 finding->message);
    if (!finding->other.line) return;
    buffer_print(out, "%s", indent);
    print_place(&finding->other, "note", out);
    buffer_print(out, "the other of the two\n");
}

void fpd_print_findings(const FpdCase *cas, const FpdRuns *runs, const char *indent, Buffer *out) {
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdFindings *findings = runs->runs[r].findings;
        const FpdVariant *variant = &cas->variants[runs->runs[r].variant];
        uint32_t shown = 0;
        for (uint32_t i = 0; findings && i < findings->count; i++) {
            if (was_found(runs, r, &findings->items[i])) continue;
            print_finding(variant, &findings->items[i], indent, out);
            shown++;
        }
        if (shown && findings->more)
            buffer_print(out, "%snote: variant %s has such errors at other pairs of places, too\n", indent,
                         variant->name);
    }
}

// The runtime says it in one line: "...: deadlock: part 'default' waits ...; partition 0 waits ...".
void fpd_print_deadlocks(const Diagnostics *errors, const char *indent, Buffer *out) {
    static const char word[] = "deadlock: ", between[] = "; ";
    for (size_t i = 0; errors && i < errors->count; i++) {
        const Diagnostic *error = &errors->items[i];
        const char *at = error->code == E_RUNTIME ? strstr(error->message, word) : NULL;
        if (!at) continue;
        buffer_print(out, "%s%.*s\n", indent, (int)(at - error->message + sizeof word - 3), error->message);
        at += sizeof word - 1;
        for (const char *end; at; at = end ? end + sizeof between - 1 : NULL) {
            end = strstr(at, between);
            buffer_print(out, "%s  %.*s\n", indent, (int)(end ? (size_t)(end - at) : strlen(at)), at);
        }
    }
}
