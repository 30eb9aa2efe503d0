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

// ---- who stored it, and what was lost -------------------------------------------------------------------------------

// Whether the place at which a variant stored this one of the first different elements stored none before.
static bool is_new_place(const TextReport *t, const FpdRun *run, const FpdDifference *d, uint32_t compared,
                         uint32_t number) {
    const FpdTraced *own = fpd_traced(t->cas, run, compared, d->first[number]);
    for (uint32_t i = 0; i < number; i++)
        if (fpd_traced(t->cas, run, compared, d->first[i]) == own) return false;
    return own != NULL;
}

// ", which depends on `doubled`, `bits`"
static void print_dependences(const TextReport *t, uint32_t kinds) {
    const char *before = ", which depends on";
    for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++) {
        if (!(kinds >> kind & 1)) continue;
        buffer_print(t->out, "%s `%s`", before, kernel_loss_info((KernelLossKind)kind)->name);
        before = ",";
    }
}

static void print_writers(const TextReport *t, const FpdRun *run, const FpdRun *other, const FpdDifference *d,
                          uint32_t compared) {
    const FpdVariant *variant = &t->cas->variants[run->variant];
    char place[TEXT_CELL_SIZE];
    for (uint32_t i = 0; i < d->first_count; i++) {
        if (!is_new_place(t, run, d, compared, i)) continue;
        const FpdTraced *traced = fpd_traced(t->cas, run, compared, d->first[i]);
        fpd_text_store(&traced->store, variant, place);
        buffer_print(t->out, "      ");
        fpd_print_index(&t->cas->buffers[d->buffer], d->first[i], t->out);
        buffer_print(t->out, " stored by %s: %s (%s)", variant->name, place, traced->store.by.op);
        print_dependences(t, traced->losses & fpd_told_losses(run, other, true));
        buffer_print(t->out, "\n");
    }
}

void fpd_text_writers(const TextReport *t, const FpdComparison *comparison, uint32_t compared) {
    const FpdDifference *d = &comparison->differences[compared];
    print_writers(t, comparison->left, comparison->right, d, compared);
    print_writers(t, comparison->right, comparison->left, d, compared);
}

static void print_loss(const TextReport *t, const FpdRun *run, KernelLossKind kind) {
    const FpdVariant *variant = &t->cas->variants[run->variant];
    const KernelLossInfo *info = kernel_loss_info(kind);
    const FpdLoss *first = NULL;
    uint32_t count = 0;
    for (size_t i = 0; i < run->trace->loss_count; i++) {
        if (run->trace->losses[i].kind != kind) continue;
        if (!first) first = &run->trace->losses[i];
        count++;
    }
    if (!first) return;
    const FpdStore store = {.by = {.op = first->op, .at = first->at}, .launch = first->launch, .kernel = first->kernel};
    char place[TEXT_CELL_SIZE];
    fpd_text_store(&store, variant, place);
    buffer_print(t->out, "      note: %s, `%s`: %s: %s (%s)", variant->name, info->name, info->meaning, place,
                 first->op);
    if (count > 1) buffer_print(t->out, " and %" PRIu32 " more", count - 1);
    buffer_print(t->out, "\n");
}

static void print_losses(const TextReport *t, const FpdRun *run, uint32_t told) {
    for (uint32_t kind = 0; kind < KERNEL_LOSS_KINDS; kind++)
        if (told >> kind & 1) print_loss(t, run, (KernelLossKind)kind);
}

void fpd_text_losses(const TextReport *t, const FpdComparison *comparison) {
    const FpdRun *left = comparison->left, *right = comparison->right;
    const bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED;
    if (left->arithmetic->payloads != FPD_PAYLOADS_IN_PLACE) return;
    print_losses(t, left, fpd_told_losses(left, right, diverged));
    if (right->variant != left->variant) print_losses(t, right, fpd_told_losses(right, left, diverged));
}

// ---- what nobody has written ----------------------------------------------------------------------------------------

// "      origin in flash: add.f32 at flash.py:12 reads %f3, which is not written on every way there"
void fpd_text_unwritten(const TextReport *t, const FpdRun *run) {
    enum { READS_MAX = 4 };
    const FpdUnwritten *reads = run->unwritten_reads;
    const FpdVariant *variant = &t->cas->variants[run->variant];
    if (!reads || !fpd_count_unspecified(t->cas, run)) return;
    for (uint32_t i = 0; i < reads->count && i < READS_MAX; i++) {
        char place[TEXT_CELL_SIZE];
        fpd_text_store(&reads->items[i].by, variant, place);
        buffer_print(t->out, "      possible origin in %s: %s at %s reads %s\n", variant->name,
                     reads->items[i].by.by.op, place, reads->items[i].what);
    }
    if (reads->count > READS_MAX) buffer_print(t->out, "      ... and %" PRIu32 " more\n", reads->count - READS_MAX);
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
