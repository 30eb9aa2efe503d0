// SPDX-License-Identifier: Apache-2.0
// What reports say of kernels of threads alone: what the emulator warns of, and what depends on the schedule.
#include "diff/report_internal.h"

#include <inttypes.h>

// ---- warnings -------------------------------------------------------------------------------------------------------

// Whether the variant had it in an earlier run, in another mode.
static bool was_warned(const FpdRuns *runs, uint32_t index, const FpdWarning *warning) {
    for (uint32_t r = 0; r < index; r++) {
        const FpdRun *run = &runs->runs[r];
        if (run->variant != runs->runs[index].variant) continue;
        for (uint32_t i = 0; run->warnings && i < run->warnings->count; i++)
            if (fpd_same_warning(&run->warnings->items[i], warning)) return true;
    }
    return false;
}

void fpd_print_warnings(const FpdCase *cas, const FpdRuns *runs, Buffer *out) {
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdRun *run = &runs->runs[r];
        for (uint32_t i = 0; run->warnings && i < run->warnings->count; i++) {
            const FpdWarning *warning = &run->warnings->items[i];
            if (was_warned(runs, r, warning)) continue;
            if (warning->at.file) buffer_print(out, "%s:", warning->at.file);
            if (warning->at.line) buffer_print(out, "%" PRIu32 ":", warning->at.line);
            if (warning->at.line && warning->at.column) buffer_print(out, "%" PRIu32 ":", warning->at.column);
            buffer_print(out, "%swarning: variant %s, launch %" PRIu32 ": %s\n", warning->at.file ? " " : "",
                         cas->variants[run->variant].name, warning->launch + 1, warning->message);
        }
    }
}

// ---- schedules ------------------------------------------------------------------------------------------------------

static void print_schedule(const TextReport *t, const FpdRun *run) {
    const FpdSchedule *schedule = run->schedule;
    const FpdBuffer *buffer = &t->cas->buffers[schedule->buffer];
    buffer_print(t->out, "  ");
    fpd_text_styled(t, t->cas->expect_diverge ? STYLE_WARN : STYLE_BAD, "SCHEDULE");
    buffer_print(t->out,
                 "  %s (%s): %" PRIu64 " element%s differ%s where warps run in the other order, the first at %s",
                 t->cas->variants[run->variant].name, fpd_mode_name(run->mode), schedule->different,
                 schedule->different == 1 ? "" : "s", schedule->different == 1 ? "s" : "", buffer->name);
    fpd_print_index(buffer, schedule->first, t->out);
    buffer_print(t->out, "\n");
}

void fpd_text_schedules(const TextReport *t) {
    for (uint32_t r = 0; r < t->outcome->runs->run_count; r++)
        if (t->outcome->runs->runs[r].schedule) print_schedule(t, &t->outcome->runs->runs[r]);
}
