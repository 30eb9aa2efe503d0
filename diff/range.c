// SPDX-License-Identifier: Apache-2.0
// How near the edge: what the range census of a variant's run (base/range_census.h) says of each of its lines.
#include "diff/judge.h"

#include <math.h>
#include <string.h>

// ---- numbers of formats ---------------------------------------------------------------------------------------------

// A lane holds tf32 as f32.
static FpsanFormat lane_format(FpsanFormat format) {
    return format == FPSAN_TF32 ? FPSAN_F32 : format;
}

static double number_of_magnitude(FpsanFormat format, uint64_t magnitude) {
    return fpsan_decode(lane_format(format), magnitude);
}

static double largest_number(FpsanFormat format) {
    return fpsan_decode(format, fpsan_encode_saturating(format, INFINITY, FPSAN_NEAREST_EVEN));
}

static double smallest_normal(FpsanFormat format) {
    return ldexp(1, 1 - fpsan_format_info(format)->bias);
}

static double doublings_to_overflow(FpsanFormat format, double number) {
    return number > 0 ? log2(largest_number(format)) - log2(number) : INFINITY;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// Ops that square their result where their argument doubles.
static bool is_exponential(const char *op) {
    static const char *const ops[] = {"exp", "exp2", "cosh", "sinh"};
    const char *dialect = strchr(op, '.'); // math.exp
    if (dialect) op = dialect + 1;
    for (size_t i = 0; i < BASE_COUNT(ops); i++)
        if (!strcmp(op, ops[i])) return true;
    return false;
}

static bool is_same_line(const FpdCensusSite *a, const FpdCensusSite *b) {
    return a->by.format == b->by.format && a->by.at.line == b->by.at.line && a->by.at.column == b->by.at.column &&
           a->by.at.offset == b->by.at.offset && !strcmp(a->by.op, b->by.op) && !strcmp(a->kernel, b->kernel) &&
           !strcmp(a->by.at.file ? a->by.at.file : "", b->by.at.file ? b->by.at.file : "");
}

static void add_count(KernelCensusCount *to, const KernelCensusCount *count) {
    if (count->largest > to->largest) to->largest = count->largest;
    if (count->smallest && (!to->smallest || count->smallest < to->smallest)) to->smallest = count->smallest;
    if (count->own > to->own) to->own = count->own;
    if (count->lost > to->lost) to->lost = count->lost;
    for (unsigned c = 0; c < CENSUS_COUNTERS; c++) to->counters[c] += count->counters[c];
}

static void fill_line(FpdRangeLine *line) {
    const FpsanFormat format = (FpsanFormat)line->site.by.format;
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const KernelCensusCount *count = &line->site.count;
    line->largest = number_of_magnitude(format, count->largest);
    line->smallest = count->smallest ? number_of_magnitude(format, count->smallest) : 0;
    line->own = count->own ? number_of_magnitude(format, count->own) : 0;
    line->to_overflow = doublings_to_overflow(format, line->largest);
    line->own_to_overflow = doublings_to_overflow(format, line->own);
    line->to_subnormal = line->smallest > 0 ? log2(line->smallest) - log2(smallest_normal(format)) : INFINITY;
    line->lost = (unsigned)(count->lost >> (info->mantissa_bits + info->padding_bits));
    line->argument = INFINITY;
    if (is_exponential(line->site.by.op) && line->own > 1)
        line->argument = log2(log2(largest_number(format)) / log2(line->own));
}

// Numbers in formats of 8 bits and less are scaled to the largest there is, and conversions to these saturate: such a
// line is at the edge on purpose.
static bool is_scaled(const FpdRangeLine *line) {
    return fpsan_format_info((FpsanFormat)line->site.by.format)->bits <= 8;
}

static bool is_finite(const FpdBuffer *buffer, const uint8_t *bytes, uint64_t index) {
    return isfinite(fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, index)));
}

// The elements that are infinite or NaN among those that the run is compared by; with `other` only those that are not
// so in that run.
static uint64_t count_not_finite(const FpdCase *cas, const FpdRun *run, const FpdRun *other) {
    uint64_t count = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        if (!element_is_float(buffer->type)) continue;
        for (uint64_t i = 0; i < buffer->elements; i++)
            count += !is_finite(buffer, run->bytes[c], i) && (!other || is_finite(buffer, other->bytes[c], i));
    }
    return count;
}

static void sum_types(Arena *arena, FpdRange *range) {
    range->types = arena_array(arena, FpdRangeLine, range->line_count + 1u);
    for (uint32_t i = 0; i < range->line_count; i++) {
        const FpdCensusSite *site = &range->lines[i].site;
        uint32_t t = 0;
        while (t < range->type_count && range->types[t].site.by.format != site->by.format) t++;
        if (t == range->type_count) range->types[range->type_count++].site.by.format = site->by.format;
        range->types[t].site.by.op = "";
        range->types[t].site.by.cancels |= site->by.cancels;
        add_count(&range->types[t].site.count, &site->count);
    }
    for (uint32_t t = 0; t < range->type_count; t++) fill_line(&range->types[t]);
}

static void fill_range(Arena *arena, const FpdCase *cas, const FpdRun *run, FpdRange *range) {
    size_t capacity = 0;
    range->run = run;
    for (uint32_t s = 0; s < run->census_count; s++) {
        const FpdCensusSite *site = &run->census[s];
        uint32_t i = 0;
        if (!site->count.counters[CENSUS_RESULTS]) continue;
        while (i < range->line_count && !is_same_line(&range->lines[i].site, site)) i++;
        if (i < range->line_count) {
            add_count(&range->lines[i].site.count, &site->count);
            continue;
        }
        range->lines = arena_grow(arena, range->lines, range->line_count, &capacity, sizeof *range->lines);
        range->lines[range->line_count++] = (FpdRangeLine){.site = *site};
    }
    for (uint32_t i = 0; i < range->line_count; i++) {
        FpdRangeLine *line = &range->lines[i];
        fill_line(line);
        const bool made = line->site.count.counters[CENSUS_MADE];
        if (made && !range->made) range->made = line;
        if (made || is_scaled(line)) continue; // beyond the edge, or there on purpose
        if (!range->nearest || fpd_line_headroom(line) < fpd_line_headroom(range->nearest)) range->nearest = line;
    }
    sum_types(arena, range);
    range->not_finite = count_not_finite(cas, run, NULL);
}

double fpd_line_headroom(const FpdRangeLine *line) {
    return fmin(line->own_to_overflow, line->argument);
}

// The run of the variant whose floats are counted, in the first build; NULL: there is none.
static const FpdRun *counted_run(const FpdRuns *runs, uint32_t variant) {
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdRun *run = &runs->runs[r];
        if (run->census && run->variant == variant && !run->build) return run;
    }
    return NULL;
}

void fpd_find_ranges(Arena *arena, FpdOutcome *outcome) {
    const FpdCase *cas = outcome->cas;
    FpdRange *ranges = arena_array(arena, FpdRange, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        const FpdRun *run = counted_run(outcome->runs, v);
        if (!run) continue;
        fill_range(arena, cas, run, &ranges[v]);
        outcome->ranges = ranges;
    }
}

// ---- what if --------------------------------------------------------------------------------------------------------

static uint64_t count_changed(const FpdCase *cas, const FpdRun *run, const FpdRun *other) {
    uint64_t count = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        for (uint64_t i = 0; i < buffer->elements; i++)
            count +=
                fpd_element_bits(buffer->type, run->bytes[c], i) != fpd_element_bits(buffer->type, other->bytes[c], i);
    }
    return count;
}

// With other numbers loops may not end, and addresses may lead elsewhere: then nothing is said.
static void try_without(const FpdRunner *runner, FpdRange *range) {
    enum { ITERATIONS_MAX = 1 << 22 };
    const FpdCase *cas = runner->programs->cas;
    const FpdCensusSite *site = &range->made->site;
    const FpdResolvedLaunch *launch = &runner->programs->launches[range->run->variant][site->launch];
    const CompileReplaced replaced = {.kernel = launch->entry->name, .op = site->by.op, .at = site->by.at};
    Arena arena = {0};
    Diagnostics ignored = {0};
    const FpdRunner quiet = {&ignored, &arena, runner->machine, runner->programs};
    const uint64_t results = runner->programs->results;
    FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    settings.iterations = ITERATIONS_MAX;
    settings.replaced = &replaced;
    FpdRun *again = fpd_plan_again(&arena, range->run, &settings);
    range->tried = fpd_run_again(&quiet, 1, &again);
    if (range->tried) range->finite = count_not_finite(cas, range->run, again);
    if (range->tried) range->changed = count_changed(cas, range->run, again);
    diagnostics_close(&ignored);
    arena_reset(&arena);
    runner->programs->results = results;
}

void fpd_find_reached(const FpdRunner *runner, FpdOutcome *outcome) {
    for (uint32_t v = 0; outcome->ranges && v < outcome->cas->variant_count; v++)
        if (outcome->ranges[v].made && !outcome->ranges[v].run->race_count) try_without(runner, &outcome->ranges[v]);
}
