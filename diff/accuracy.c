// SPDX-License-Identifier: Apache-2.0
// How accurate each variant is: beside each float runs the number that it would be without rounding, while the floats
// decide (modes wide and wider). First as a double; then as a pair of doubles, which says how far the double is off.
#include "diff/judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The distance of neighbouring numbers of the format at that number.
static double unit_in_last_place(FpsanFormat format, double number) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const int least = 2 - (1 << (info->exponent_bits - 1)); // of numbers that are not subnormal
    const int exponent = number == 0 ? least : ilogb(number);
    return ldexp(1, (exponent > least ? exponent : least) - (int)info->mantissa_bits);
}

// ---- what is beside a float -----------------------------------------------------------------------------------------

static bool has_record(const FpdRun *run, uint32_t c, uint64_t index) {
    return run->records[c] && run->records[c][index].state & HOST_RECORD_VALID;
}

// Without a record the float may be data still, or have been stored as an integer.
static bool has_number(const FpdCase *cas, const FpdMeasured *of, uint32_t c, uint64_t index) {
    const ElementType type = cas->buffers[cas->compare[c]].type;
    return has_record(of->wider, c, index) ||
           fpd_element_bits(type, of->wider->bytes[c], index) == fpd_element_bits(type, of->initial[c], index);
}

void fpd_print_numbers(const FpdCase *cas, const FpdRun *run, uint32_t c, Buffer *out) {
    for (uint64_t i = 0; i < cas->buffers[cas->compare[c]].elements; i++) {
        const FpdUnrounded number = fpd_unrounded(cas, run, c, i);
        uint64_t words[2];
        uint8_t text[sizeof words];
        memcpy(words, &number, sizeof words);
        for (unsigned k = 0; k < sizeof text; k++) text[k] = (uint8_t)(words[k / 8] >> k % 8 * 8);
        buffer_append(out, text, sizeof text);
    }
}

static double apart(FpdUnrounded a, FpdUnrounded b) {
    return fabs((a.high - b.high) + (a.low - b.low));
}

// ---- errors in two bytes --------------------------------------------------------------------------------------------

enum { CODE_SHIFT = 15 }; // of a float's bits

uint16_t fpd_error_code(double error) {
    if (isnan(error)) return FPD_ERROR_UNKNOWN;
    if (isinf(error)) return FPD_ERROR_INFINITE;
    const float number = error < (double)FLT_MAX ? (float)error : FLT_MAX;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits += 1u << (CODE_SHIFT - 1);
    const uint32_t code = bits >> CODE_SHIFT;
    return (uint16_t)(code ? (code < FPD_ERROR_MOST ? code : FPD_ERROR_MOST) : error > 0);
}

uint8_t fpd_error_level(uint16_t code) {
    if (code > FPD_ERROR_MOST) return code == FPD_ERROR_INFINITE ? FPD_LEVEL_INFINITE : FPD_LEVEL_UNKNOWN;
    const uint32_t bits = (uint32_t)code << CODE_SHIFT;
    float error;
    int exponent;
    memcpy(&error, &bits, sizeof error);
    if (!code) return 0;
    const bool power = frexpf(error, &exponent) <= 0.5f;
    const int level = exponent + (power ? 1 : 2);
    return (uint8_t)(level < 1 ? 1 : level < FPD_LEVEL_MOST ? level : FPD_LEVEL_MOST);
}

// ---- errors ---------------------------------------------------------------------------------------------------------

// Counts of errors by their size: the upper 18 bits of a double, so that a bucket is 2^-6 of its lower end wide.
enum { BUCKET_SHIFT = 46, BUCKETS = 1 << 17 };

typedef struct Survey {
    const FpdCase *cas;
    FpdMeasured of, reference; // the variant, and the reference
    uint64_t *buckets, *rows;  // BUCKETS of each: of elements, in units; of rows, in relation to their largest
} Survey;

static double end_of_bucket(uint32_t bucket) {
    const uint64_t bits = (uint64_t)(bucket + 1) << BUCKET_SHIFT;
    double end;
    memcpy(&end, &bits, sizeof end);
    return end;
}

static void count_error(uint64_t *buckets, double error) {
    uint64_t bits;
    memcpy(&bits, &error, sizeof bits);
    buckets[bits >> BUCKET_SHIFT]++;
}

// So that as many errors are larger.
static double find_error(const uint64_t *buckets, double largest, uint64_t left) {
    for (uint32_t b = BUCKETS; b-- > 0;) {
        if (buckets[b] > left) return fmin(b ? end_of_bucket(b) : 0, largest);
        left -= buckets[b];
    }
    return 0;
}

// The error of an element, and how far that itself may be off. The error of a pair of doubles is to that of a double as
// their units are.
static double error_of(double value, FpdUnrounded one, FpdUnrounded pair, double *unsure) {
    const FpdUnrounded is = {value, 0};
    const double error = apart(is, one), own = apart(one, pair);
    *unsure = own;
    if (own <= 0.005 * error) return error; // then it is within 1 % of the true one, too
    *unsure = own * DBL_EPSILON;
    return apart(is, pair);
}

// Whether the formula itself gives NaN, as minus infinity less minus infinity does, or an infinity: the float was data,
// or it is so in payloads, which no function overflows. (That the number without rounding is so, too, does not say it:
// in exp(1000) / exp(1000) and log(exp(1000)) doubles overflow as floats do, and the numbers would be 1 and 1000.)
static bool is_by_formula(const FpdMeasured *of, uint32_t c, uint64_t index, bool is_nan) {
    const FpdRun *payloads = of->payloads;
    if (!payloads || !payloads->records || !has_record(payloads, c, index)) return !has_record(of->wider, c, index);
    const HostRecord *record = &payloads->records[c][index];
    if (record->state & TOWER_POISON) return false;
    const TowerKind kind = (TowerKind)((record->state & TOWER_KIND) >> TOWER_KIND_SHIFT);
    return is_nan ? kind == TOWER_NAN : kind == TOWER_POSITIVE_INFINITY || kind == TOWER_NEGATIVE_INFINITY;
}

FpdElementError fpd_element_error(const FpdCase *cas, const FpdMeasured *of, uint32_t c, uint64_t index) {
    const ElementType type = cas->buffers[cas->compare[c]].type;
    const FpsanFormat format = element_format(type);
    const double value = fpd_element_value(type, fpd_element_bits(type, of->floats[c], index));
    const FpdUnrounded pair = fpd_unrounded(cas, of->wider, c, index);
    const double rounded = fpsan_decode(format, fpsan_encode_nearest(format, pair.high));
    FpdElementError e = {.known = FPD_UNKNOWN_ERROR, .unit = unit_in_last_place(format, pair.high)};
    if (!has_number(cas, of, c, index)) return e;
    if (isnan(pair.high) || (isinf(pair.high) && isinf(value))) {
        const bool is_nan = isnan(pair.high);
        if ((!is_nan || isnan(value)) && is_by_formula(of, c, index, is_nan)) e.known = FPD_KNOWN_ERROR, e.unit = 1;
        return e;
    }
    const bool same = value == rounded && !isfinite(value);
    if (!same && !isfinite(value)) {
        e.known = FPD_INFINITE_RESULT;
        return e;
    }
    if (!same && !isfinite(pair.high)) return e; // the float is finite: the format saturates, or a double overflowed
    double unsure = 0;
    if (!same) e.error = error_of(value, fpd_unrounded(cas, of->wide, c, index), pair, &unsure);
    if (unsure <= 0.01 * e.error || unsure <= 0.005 * e.unit) e.known = FPD_KNOWN_ERROR;
    return e;
}

// Whether the reference has the same float there: the same number, or both are NaN.
static bool is_as_reference(const Survey *s, uint32_t c, uint64_t index) {
    const ElementType type = s->cas->buffers[s->cas->compare[c]].type;
    const uint64_t a = fpd_element_bits(type, s->of.floats[c], index),
                   b = fpd_element_bits(type, s->reference.floats[c], index);
    return a == b || (isnan(fpd_element_value(type, a)) && isnan(fpd_element_value(type, b)));
}

static bool is_finite_in(const FpdCase *cas, const FpdMeasured *of, uint32_t c, uint64_t index) {
    const ElementType type = cas->buffers[cas->compare[c]].type;
    return isfinite(fpd_element_value(type, fpd_element_bits(type, of->floats[c], index)));
}

// *relative becomes at least the error in relation to the largest of its row. Returns the error: NAN if it is not
// known, INFINITY of a result that is NaN or infinite.
static double add_element(const Survey *s, uint32_t c, uint64_t index, double largest_of_row, FpdError *e,
                          double *relative) {
    const FpdElementError element = fpd_element_error(s->cas, &s->of, c, index);
    e->as_reference += element.known != FPD_KNOWN_ERROR && is_as_reference(s, c, index);
    switch (element.known) {
    case FPD_UNKNOWN_ERROR:
        e->unknown++;
        e->lost += !is_finite_in(s->cas, &s->of, c, index) && is_finite_in(s->cas, &s->reference, c, index);
        return NAN;
    case FPD_INFINITE_RESULT:
        if (!e->infinite++) e->first_infinite = index;
        return INFINITY;
    case FPD_KNOWN_ERROR: break;
    }
    if (largest_of_row > 0) *relative = fmax(*relative, element.error / largest_of_row);
    const double units = element.error / element.unit;
    if (units > e->largest || !e->elements) e->largest = units, e->farthest = index;
    e->mean += units;
    e->elements++;
    count_error(s->buckets, units);
    return fmin(units, DBL_MAX);
}

// Elements of a row, and of what its errors are in relation to: the row, or as many of the inner dimensions as it takes
// to have four elements. (In relation to itself alone a sum that cancels is off by any number, in right variants by
// different ones.)
typedef struct Rows {
    uint64_t columns, group;
} Rows;

static Rows rows_of(const FpdBuffer *buffer) {
    enum { SHORT_ROW = 4 };
    Rows rows = {buffer->rank ? (uint64_t)buffer->shape[buffer->rank - 1] : 1, 1};
    for (uint32_t d = buffer->rank; d-- > 0 && rows.group < SHORT_ROW;) rows.group *= (uint64_t)buffer->shape[d];
    return rows;
}

static double largest_of(const Survey *s, uint32_t c, uint64_t first, uint64_t count) {
    double largest = 0;
    for (uint64_t i = first; i < first + count; i++) {
        const double size = fabs(fpd_unrounded(s->cas, s->reference.wider, c, i).high);
        if (isfinite(size) && size > largest) largest = size;
    }
    return largest;
}

static void survey_row(const Survey *s, uint32_t c, uint64_t first, uint64_t count, double largest, FpdError *e,
                       uint16_t *codes) {
    double relative = 0;
    const uint64_t known = e->elements;
    for (uint64_t i = first; i < first + count; i++) {
        const double error = add_element(s, c, i, largest, e, &relative);
        if (codes) codes[i] = fpd_error_code(error);
    }
    e->relative = fmax(e->relative, relative);
    if (e->elements > known) count_error(s->rows, relative);
}

static bool is_measured(const FpdBuffer *buffer) {
    return fpd_has_records(buffer->type) && buffer->elements;
}

bool fpd_judges_accuracy(const FpdCase *cas) {
    bool judges = false;
    for (uint32_t c = 0; c < cas->compare_count; c++) judges |= is_measured(&cas->buffers[cas->compare[c]]);
    return judges && (cas->accuracy.ulps > 0 || (cas->accuracy.times > 0 && cas->variant_count > 1));
}

// `codes`: of each element; NULL: nobody wants them.
static void survey_buffer(const Survey *s, uint32_t c, FpdError *e, uint16_t *codes) {
    const FpdBuffer *buffer = &s->cas->buffers[s->cas->compare[c]];
    const Rows rows = rows_of(buffer);
    *e = (FpdError){.is_measured = is_measured(buffer), .codes = codes};
    if (!e->is_measured) return;
    memset(s->buckets, 0, BUCKETS * sizeof *s->buckets);
    memset(s->rows, 0, BUCKETS * sizeof *s->rows);
    double largest = 0;
    for (uint64_t first = 0; first < buffer->elements; first += rows.columns) {
        if (first % rows.group == 0) largest = largest_of(s, c, first, rows.group);
        survey_row(s, c, first, rows.columns, largest, e, codes);
    }
    if (e->elements) e->mean /= (double)e->elements;
    e->most = find_error(s->buckets, e->largest, e->elements / 1000);
    e->usual = find_error(s->buckets, e->largest, e->elements / 4);
    uint64_t row_count = 0;
    for (uint32_t b = 0; b < BUCKETS; b++) row_count += s->rows[b];
    e->of_rows = find_error(s->rows, e->relative, rows.group > rows.columns ? row_count / 4 : 0);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

FpdRun *const *fpd_run_wide(const FpdRunner *runner, FpdMode mode) {
    const FpdCase *cas = runner->programs->cas;
    if (runner->machine->target != FPD_TARGET_host) {
        diag_fail(runner->diagnostics, (Location){0}, E_UNSUPPORTED, "mode %s is for the host, found --target %s",
                  fpd_mode_name(mode), fpd_target_name(runner->machine->target));
        return NULL;
    }
    const FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    FpdRun **runs = arena_array(runner->arena, FpdRun *, cas->variant_count),
           **run = arena_array(runner->arena, FpdRun *, cas->variant_count);
    uint32_t count = 0;
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        const FpdRun plain = {.variant = v, .mode = mode, .arithmetic = fpd_arithmetic(cas->family, mode)};
        if (!fpd_has_threads(runner->programs, v))
            runs[v] = run[count++] = fpd_plan_again(runner->arena, &plain, &settings);
    }
    return !count || fpd_run_again(runner, count, run) ? runs : NULL;
}

// The variant's run with payloads in the tower, in the first build; NULL: there is none.
static const FpdRun *payloads_of(const FpdRuns *runs, uint32_t variant) {
    for (uint32_t r = 0; runs && r < runs->run_count; r++)
        if (runs->runs[r].tower && runs->runs[r].variant == variant && !runs->runs[r].build) return &runs->runs[r];
    return NULL;
}

// Whether a variant is found to be the reference's formula, in the first build.
static bool has_formula_of_reference(const FpdOutcome *outcome, uint32_t variant) {
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question == FPD_QUESTION_formula && comparison->right->variant == variant &&
            !comparison->right->build)
            return comparison->verdict == FPD_VERDICT_EQUAL;
    }
    return !variant;
}

// The variant whose numbers without rounding are the reference's formula's: of tiles, as kernels of threads have none.
// variant_count: there is none.
static uint32_t find_tiles(const FpdRunner *runner, const FpdOutcome *outcome) {
    const FpdCase *cas = outcome->cas;
    for (uint32_t v = 0; v < cas->variant_count; v++)
        if (!fpd_has_threads(runner->programs, v) && has_formula_of_reference(outcome, v)) return v;
    return cas->variant_count;
}

// Why a variant of kernels of threads cannot be measured by the numbers of the variant `tiles`. NULL: it can.
static const char *why_unmeasured(Arena *arena, const FpdOutcome *outcome, uint32_t variant, uint32_t tiles) {
    static const char none[] = "mode wide has no PTX yet";
    const FpdCase *cas = outcome->cas;
    const char *name = cas->variants[variant].name, *reference = cas->variants[0].name;
    if (tiles == cas->variant_count)
        return arena_format(arena, "%s, and no variant without PTX is found to have the formula of %s", none,
                            reference);
    if (!has_formula_of_reference(outcome, variant))
        return arena_format(arena, "%s, and %s is not found to have the formula of %s", none, name, reference);
    if (!fpd_find_run(outcome->runs, FPD_MODE_ieee, variant))
        return arena_format(arena, "%s, and of %s there is no run in mode ieee to measure", none, name);
    return NULL;
}

// What the errors of each variant are found by; `wide` NULL: as variants[].none says. NULL: the runs failed.
static FpdMeasured *run_variants(const FpdRunner *runner, const FpdOutcome *outcome, Arena *reasons,
                                 FpdVariantAccuracy *variants) {
    const FpdCase *cas = outcome->cas;
    const uint32_t tiles = find_tiles(runner, outcome);
    FpdMeasured *measured = arena_array(runner->arena, FpdMeasured, cas->variant_count);
    uint8_t **initial = arena_array(runner->arena, uint8_t *, cas->compare_count);
    const CompileUnspecified unspecified = fpd_plain_settings(runner->machine, cas).unspecified;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        initial[c] = arena_alloc(runner->arena, cas->buffers[cas->compare[c]].bytes);
        if (!fpd_fill_initial(runner->diagnostics, runner->machine, cas, cas->compare[c], unspecified, initial[c]))
            return NULL;
    }
    FpdRun *const *wide = fpd_run_wide(runner, FPD_MODE_wide), *const *wider =
                                                                   wide ? fpd_run_wide(runner, FPD_MODE_wider) : NULL;
    for (uint32_t v = 0; wider && v < cas->variant_count; v++) {
        const bool threads = fpd_has_threads(runner->programs, v);
        const uint32_t of = variants[v].numbers_of = threads ? tiles : v;
        if (threads) variants[v].none = why_unmeasured(reasons, outcome, v, tiles);
        if (variants[v].none) continue;
        measured[v] =
            (FpdMeasured){.wide = wide[of],
                          .wider = wider[of],
                          .floats = threads ? fpd_find_run(outcome->runs, FPD_MODE_ieee, v)->bytes : wider[of]->bytes,
                          .payloads = payloads_of(outcome->runs, v),
                          .initial = initial};
    }
    return wider ? measured : NULL;
}

static bool exceeds_units(const FpdAccuracyBound *bound, const FpdError *e) {
    return bound->ulps > 0 && (e->infinite + e->unknown || e->largest > bound->ulps);
}

// Where the reference has the same float, the variant is no worse than it, however far both may be off.
static bool exceeds_times(const FpdAccuracyBound *bound, const FpdError *reference, const FpdError *e) {
    return bound->times > 0 &&
           (e->infinite + e->unknown > e->as_reference || e->largest > bound->times * fmax(reference->largest, 1));
}

// Whether a variant is much less accurate than the reference: the error that a quarter of its elements exceed is TIMES
// that of the reference, or of half a unit where that is more, and rows show something of it; or the largest in
// relation to its row is ROW_TIMES that (of short rows, the one that a quarter of them exceed). (The largest error in
// units says little: beside large numbers one near to 0 may be off by any number of its own units. A few such elements
// decide about the mean, too, and about a quarter of FEW elements. Nor does the worst of short rows: where what it is
// divided by nearly cancelled, right variants are off by any number, and by different ones. What only small numbers
// beside large ones have lost, as weights of a softmax by exp2 have, no row shows.)
static bool is_much_worse(ElementType type, const FpdError *reference, const FpdError *e) {
    enum { TIMES = 16, ROW_TIMES = 20, ROW_SHOWS = 2, FEW = 64 };
    const double half = ldexp(0.5, -(int)fpsan_format_info(element_format(type))->mantissa_bits);
    if (e->infinite + e->lost > reference->infinite) return true;
    if (!e->elements || !reference->elements) return false;
    if (e->of_rows > ROW_TIMES * fmax(reference->of_rows, half)) return true;
    return e->elements >= FEW && e->usual > TIMES * fmax(reference->usual, 0.5) &&
           e->of_rows > ROW_SHOWS * fmax(reference->of_rows, half);
}

// The reference is no worse than itself. But where there is only a multiple of its error and not even it meets that, no
// variant may.
static void judge_accuracy(const FpdCase *cas, FpdAccuracy *accuracy) {
    const FpdAccuracyBound *bound = &cas->accuracy;
    accuracy->met_by_none = bound->given;
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        FpdVariantAccuracy *of = &accuracy->variants[v];
        bool units = false, times = false;
        for (uint32_t c = 0; c < cas->compare_count; c++) {
            const FpdError *reference = &accuracy->variants[0].errors[c], *e = &of->errors[c];
            if (!e->is_measured) continue;
            units |= exceeds_units(bound, e);
            times |= exceeds_times(bound, reference, e);
            of->much_worse |= v && is_much_worse(cas->buffers[cas->compare[c]].type, reference, e);
        }
        of->exceeds = bound->given && (units || (v && times) || of->none);
        accuracy->met_by_none &= units || (times && (v || bound->ulps <= 0));
    }
}

static void survey_variants(const FpdRunner *runner, const FpdOutcome *outcome, const FpdMeasured *measured,
                            FpdAccuracy *accuracy) {
    const FpdCase *cas = outcome->cas;
    Arena arena = {0};
    Survey s = {.cas = cas,
                .reference = measured[0],
                .buckets = arena_array(&arena, uint64_t, BUCKETS),
                .rows = arena_array(&arena, uint64_t, BUCKETS)};
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        FpdVariantAccuracy *of = &accuracy->variants[v];
        of->errors = arena_array(runner->arena, FpdError, cas->compare_count);
        s.of = measured[v];
        for (uint32_t c = 0; !of->none && c < cas->compare_count; c++) {
            const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
            const bool drawn = outcome->map_bytes && fpd_has_records(buffer->type);
            survey_buffer(&s, c, &of->errors[c], drawn ? arena_array(runner->arena, uint16_t, buffer->elements) : NULL);
        }
    }
    arena_reset(&arena);
}

void fpd_find_accuracy(const FpdRunner *runner, FpdOutcome *outcome) {
    const FpdCase *cas = outcome->cas;
    Arena arena = {0};
    Diagnostics errors = {0};
    const FpdRunner again = {&errors, &arena, runner->machine, runner->programs};
    const uint64_t results = runner->programs->results;
    FpdAccuracy *accuracy = outcome->accuracy = arena_new(runner->arena, FpdAccuracy);
    accuracy->variants = arena_array(runner->arena, FpdVariantAccuracy, cas->variant_count);
    const FpdMeasured *measured = run_variants(&again, outcome, runner->arena, accuracy->variants);
    if (!measured)
        accuracy->none = errors.count ? arena_keep(runner->arena, errors.items[0].message) : "it could not be run";
    else
        accuracy->none = accuracy->variants[0].none;
    if (!accuracy->none) {
        survey_variants(runner, outcome, measured, accuracy);
        judge_accuracy(cas, accuracy);
    }
    for (uint32_t v = 0; v < cas->variant_count; v++) outcome->inaccurate += accuracy->variants[v].exceeds;
    if (cas->accuracy.given && (outcome->inaccurate || accuracy->none) && !outcome->status) {
        outcome->status = 1;
        outcome->expectation_met = false;
    }
    diagnostics_close(&errors);
    arena_reset(&arena);
    runner->programs->results = results;
}
