// SPDX-License-Identifier: Apache-2.0
// Races between blocks in the report for people.
#include "diff/report_internal.h"

#include <inttypes.h>
#include <string.h>

enum { RACES_SHOWN = 5 }; // of a run

static void print_place(const Location *at, Buffer *out) {
    const char *file = at->file ? strrchr(at->file, '/') : NULL;
    file = file ? file + 1 : at->file ? at->file : "?";
    buffer_print(out, "%s", file);
    if (at->line)
        buffer_print(out, ":%u", at->line);
    else if (at->has_offset)
        buffer_print(out, "+0x%" PRIx64, at->offset);
}

static void print_side(const FpdRaceSide *side, Buffer *out) {
    buffer_print(out, "block (%u, %u, %u) %s it, %s at ", side->block[0], side->block[1], side->block[2],
                 side->writes ? "stores" : "reads", side->op);
    print_place(&side->at, out);
}

static void print_race(const TextReport *t, const FpdRace *race) {
    const FpdVariant *variant = &t->cas->variants[race->variant];
    buffer_print(t->out, "  ");
    if (race->harmless)
        fpd_text_styled(t, STYLE_DIM, "NOTE");
    else
        fpd_text_styled(t, t->cas->expect_diverge ? STYLE_WARN : STYLE_BAD, "RACE");
    buffer_print(t->out, "  %s, launch %u of %u (%s): %s ", variant->name, race->launch + 1, variant->launch_count,
                 race->kernel, race->harmless ? "without harm, blocks race for" : "blocks race for");
    if (race->buffer >= 0) {
        buffer_print(t->out, "%" PRIu64 " element%s of %s, first ", race->elements, race->elements == 1 ? "" : "s",
                     race->name);
        fpd_print_index(&t->cas->buffers[race->buffer], race->first, t->out);
    } else {
        buffer_print(t->out, "byte %" PRIu64 " of %s", race->first, race->name);
    }
    buffer_print(t->out, "\n        ");
    print_side(&race->sides[0], t->out);
    buffer_print(t->out, "; ");
    print_side(&race->sides[1], t->out);
    buffer_print(t->out, "\n");
}

static bool same_race(const FpdRace *a, const FpdRace *b) {
    bool same = a->launch == b->launch && !strcmp(a->name, b->name) && a->harmless == b->harmless;
    for (int i = 0; i < 2; i++)
        same &= !strcmp(a->sides[i].op, b->sides[i].op) && a->sides[i].at.line == b->sides[i].at.line &&
                a->sides[i].at.offset == b->sides[i].at.offset;
    return same;
}

// Whether an earlier run of the variant had it, in another mode.
static bool was_shown(const TextReport *t, const FpdRun *run, const FpdRace *race) {
    for (const FpdRun *earlier = t->outcome->runs->runs; earlier < run; earlier++)
        for (uint32_t i = 0; earlier->variant == run->variant && i < earlier->race_count; i++)
            if (same_race(&earlier->races[i], race)) return true;
    return false;
}

static void print_run(const TextReport *t, const FpdRun *run) {
    uint32_t shown = 0, more = 0;
    for (int harmless = 0; harmless < 2; harmless++)
        for (uint32_t i = 0; i < run->race_count; i++) {
            if (run->races[i].harmless != harmless || was_shown(t, run, &run->races[i])) continue;
            if (shown++ < RACES_SHOWN)
                print_race(t, &run->races[i]);
            else
                more++;
        }
    if (more) buffer_print(t->out, "        ... and %u more\n", more);
    if (!run->races_incomplete) return;
    buffer_print(t->out, "  ");
    fpd_text_styled(t, STYLE_WARN, "NOTE");
    buffer_print(t->out, "  %s: the race check is incomplete: what blocks access is too much to keep\n",
                 t->cas->variants[run->variant].name);
}

void fpd_text_races(const TextReport *t) {
    for (uint32_t r = 0; r < t->outcome->runs->run_count; r++) print_run(t, &t->outcome->runs->runs[r]);
}
