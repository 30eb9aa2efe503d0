// SPDX-License-Identifier: Apache-2.0
// Values that nobody specified: what stands in buffers without `fill` and which launches read it; the runs that find
// unspecified results where no payload says so; and who made them, where payloads do.
#include "compiler/extremes.h"
#include "diff/compare.h"

#include <string.h>

// ---- buffers without `fill` -----------------------------------------------------------------------------------------

bool fpd_leaves_unfilled(const FpdMachine *machine, const FpdCase *cas, uint32_t buffer) {
    return machine->poison && !cas->allow_unspecified && !cas->buffers[buffer].fill.given;
}

// Puts the first element, of so many bytes, everywhere.
static void repeat_first(uint8_t *bytes, uint64_t width, uint64_t size) {
    for (uint64_t done = width; done < size; done *= 2)
        memcpy(bytes + done, bytes, done < size - done ? done : size - done);
}

// What stands in a buffer that nobody filled. Integers are zeros unless they are to look random: a lock that nobody
// cleared is taken once and does not hang.
static void fill_unspecified(const FpdBuffer *buffer, CompileUnspecified unspecified, uint8_t *bytes) {
    FpsanFormat format = element_format(buffer->type);
    const bool is_float = element_is_float(buffer->type);
    if (unspecified == COMPILE_ZEROS || (!is_float && unspecified == COMPILE_NAN)) return;
    const bool alike = unspecified == COMPILE_NAN && element_info(buffer->type)->storage_bits >= 8 && buffer->elements;
    for (uint64_t i = 0; i < (alike ? 1 : buffer->elements); i++) {
        uint64_t random = (i + 1) * UINT64_C(0x9e3779b97f4a7c15), bits = random >> 32 | 1;
        double number = 1 + (double)(random >> 11) * 0x1p-53;
        if (extremes_are(unspecified))
            bits = is_float ? extreme_float(format, unspecified, i)
                            : extreme_integer(element_info(buffer->type)->storage_bits, unspecified, i);
        else if (is_float)
            bits = fpsan_encode_nearest(format, unspecified == COMPILE_NAN ? __builtin_nan("") : number);
        fpd_element_set(buffer->type, bytes, i, bits & element_info(buffer->type)->used);
    }
    if (alike) repeat_first(bytes, element_info(buffer->type)->storage_bits / 8, buffer->bytes);
}

bool fpd_fill_initial(Diagnostics *diagnostics, const FpdMachine *machine, const FpdCase *cas, uint32_t buffer,
                      CompileUnspecified unspecified, uint8_t *bytes) {
    const FpdBuffer *of = &cas->buffers[buffer];
    if (!fpd_fill_buffer(diagnostics, of, cas->seed, rt_jobs(machine->device), bytes)) return false;
    if (fpd_leaves_unfilled(machine, cas, buffer)) fill_unspecified(of, unspecified, bytes);
    return true;
}

bool fpd_reads_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer) {
    if (programs->cas->buffers[buffer].fill.given) return false;
    for (uint32_t i = 0; i < launch; i++)
        if (fpd_launch_use(programs, variant, i, buffer).writes) return false;
    return fpd_launch_use(programs, variant, launch, buffer).reads;
}

void fpd_print_unfilled(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer,
                        const char *where, Buffer *out) {
    const FpdCase *cas = programs->cas;
    const ProgramUse use = fpd_launch_use(programs, variant, launch, buffer);
    buffer_print(out, "%s %s read %s without having been filled or written before, %s is %s\n",
                 cas->buffers[buffer].name, use.unknown ? "may be" : "is", where,
                 use.writes ? "what the launch has not written itself" : "it",
                 cas->allow_unspecified ? "zeros" : "unspecified");
}

// ---- where there may be any -----------------------------------------------------------------------------------------

// A kernel that makes unspecified values, or a launch that reads a buffer before anything was written there.
static bool variant_has_any(const FpdMachine *machine, const FpdPrograms *programs, uint32_t variant) {
    const FpdCase *cas = programs->cas;
    bool any = false;
    for (uint32_t i = 0; i < cas->variants[variant].launch_count && !any; i++) {
        const FpdResolvedLaunch *launch = &programs->launches[variant][i];
        any = launch->entry->makes_unspecified;
        for (uint32_t b = 0; b < cas->buffer_count; b++)
            any |= fpd_leaves_unfilled(machine, cas, b) && fpd_reads_unfilled(programs, variant, i, b);
    }
    return any;
}

// ---- runs with other values -----------------------------------------------------------------------------------------

// What stands there in a run that is made if those before it found nothing.
typedef struct OtherValues {
    CompileUnspecified unspecified;
    uint32_t number; // FpdSettings.other_values
    bool of_threads; // only if kernels of threads read what nobody wrote
    bool of_numbers; // only of numbers, where something else may be unspecified
} OtherValues;

static const OtherValues other_values[] = {
    {COMPILE_RANDOM, 0, false, false},
    // The opposite signs: a comparison or maximum sees one.
    {COMPILE_RANDOM, 1, true, false},
    // Maxima, minima and comparisons of numbers drop NaN, and one number may be within the others.
    {COMPILE_LARGEST, 0, false, true},
    {COMPILE_SMALLEST, 0, false, true},
};

static void count_changed(const FpdCase *cas, const FpdRun *again, FpdRun *run) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        for (uint64_t i = 0; i < buffer->elements; i++) {
            if (fpd_element_bits(buffer->type, run->bytes[c], i) == fpd_element_bits(buffer->type, again->bytes[c], i))
                continue;
            if (!run->unspecified[c]++) run->first_unspecified[c] = i;
            run->is_unspecified[c][i] = true;
        }
    }
}

uint64_t fpd_count_unspecified(const FpdCase *cas, const FpdRun *run) {
    uint64_t count = run->unspecified_error != NULL;
    for (uint32_t c = 0; run->unspecified && c < cas->compare_count; c++) count += run->unspecified[c];
    return count;
}

// Whether it found something. Runs that fail with other unspecified values, which then decide more than numbers, say
// why.
static bool run_with_others(const FpdRunner *runner, const OtherValues *values, FpdRun *run) {
    enum { ITERATIONS_MAX = 1 << 22 };
    const FpdCase *cas = runner->programs->cas;
    Arena *arena = runner->arena;
    Diagnostics errors = {0};
    const FpdRunner quiet = {&errors, arena, runner->machine, runner->programs};
    FpdSettings settings = fpd_plain_settings(runner->machine, cas);
    settings.unspecified = settings.unspecified == values->unspecified ? COMPILE_NAN : values->unspecified;
    settings.other_values = values->number;
    settings.iterations = ITERATIONS_MAX;
    if (run->unwritten_reads && settings.iterations / 4 < run->unwritten_reads->rounds)
        settings.iterations = 4 * run->unwritten_reads->rounds;
    FpdRun *again = fpd_plan_again(arena, run, &settings);
    run->unspecified = arena_array(arena, uint64_t, cas->compare_count);
    run->first_unspecified = arena_array(arena, uint64_t, cas->compare_count);
    run->is_unspecified = arena_array(arena, bool *, cas->compare_count);
    for (uint32_t c = 0; c < cas->compare_count; c++)
        run->is_unspecified[c] = arena_array(arena, bool, cas->buffers[cas->compare[c]].elements);
    if (fpd_run_again(&quiet, 1, &again))
        count_changed(cas, again, run);
    else
        run->unspecified_error =
            errors.count ? arena_text(arena, errors.items[0].message, strlen(errors.items[0].message)) : "it failed";
    diagnostics_close(&errors);
    return fpd_count_unspecified(cas, run) != 0;
}

// Takes what the run never wrote in buffers without fill from what counts as unwritten: it is unspecified, and the
// second run changes it. Whether there was any.
static bool take_unwritten(const FpdMachine *machine, const FpdCase *cas, FpdRun *run) {
    bool any = false;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        if (!fpd_leaves_unfilled(machine, cas, cas->compare[c])) continue;
        any |= run->unwritten[c];
        run->unwritten[c] = 0;
    }
    return any;
}

void fpd_find_unspecified(const FpdRunner *runner, FpdRuns *runs) {
    const FpdCase *cas = runner->programs->cas;
    if (!runner->machine->poison || cas->allow_unspecified) return;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        FpdRun *run = &runs->runs[r];
        if (run->tower || run->numbers_of || !fpd_is_judged(cas, run->arithmetic->question)) continue;
        const bool reads = run->unwritten_reads && run->unwritten_reads->count;
        const bool any = take_unwritten(runner->machine, cas, run) ||
                         variant_has_any(runner->machine, runner->programs, run->variant);
        const bool numbers = any && run->arithmetic->payloads == FPD_PAYLOADS_NONE;
        for (size_t i = 0; i < BASE_COUNT(other_values) && (any || reads); i++) {
            const OtherValues *values = &other_values[i];
            if ((values->of_threads && !reads) || (values->of_numbers && !numbers)) continue;
            if (run_with_others(runner, values, run)) break;
        }
    }
}

// ---- who made them --------------------------------------------------------------------------------------------------
// Floats know (tower_origin), integers only in a second run (FPD_SECOND_origins): in the plain one there is but the op
// that passed something on as an integer, or depended on it.

// The op that a number of an origin names; NULL: none.
static const FpdStore *op_of(const FpdRun *run, uint32_t origin) {
    return origin && origin <= run->store_count && run->stores[origin - 1].by.unspecified ? &run->stores[origin - 1]
                                                                                          : NULL;
}

static FpdOrigin describe_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t origin) {
    const FpdStore *op = op_of(run, origin);
    if (origin >= FPD_ORIGIN_BUFFER && origin - FPD_ORIGIN_BUFFER < cas->buffer_count)
        return (FpdOrigin){arena_format(arena, "%s has no fill, and nothing wrote it before",
                                        cas->buffers[origin - FPD_ORIGIN_BUFFER].name),
                           NULL};
    return op ? (FpdOrigin){op->by.unspecified, op} : (FpdOrigin){"who made it is not known", NULL};
}

static uint32_t origin_of_element(const FpdRun *run, FpdShadowed element) {
    return tower_origin(run->tower, element.payload);
}

static bool is_passed_on(const FpdRun *run, uint32_t origin) {
    const FpdStore *op = op_of(run, origin);
    return op && op->by.passed_on;
}

bool fpd_needs_origins(const FpdCase *cas, const FpdRun *run) {
    for (uint32_t s = 0; run->uses && s < run->store_count; s++)
        if (run->uses[s]) return true;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; run->records && run->records[c] && i < cas->buffers[cas->compare[c]].elements; i++) {
            const FpdShadowed element = fpd_element_of(cas, run, c, i);
            if (tower_is_poison(element.payload) && is_passed_on(run, origin_of_element(run, element))) return true;
        }
    return false;
}

// The origin of an element, and the run that counts it so: the plain one or another. False: it is not unspecified.
static bool find_element_origin(const FpdCase *cas, uint32_t compared, uint64_t index, const FpdRun **run,
                                uint32_t *origin) {
    const FpdRun *again = (*run)->again[FPD_SECOND_origins];
    const FpdShadowed element = fpd_element_of(cas, *run, compared, index);
    if (!tower_is_poison(element.payload)) return false;
    *origin = origin_of_element(*run, element);
    if (!again || !is_passed_on(*run, *origin)) return true;
    const FpdShadowed other = fpd_element_of(cas, again, compared, index);
    if (tower_is_poison(other.payload)) *run = again, *origin = origin_of_element(again, other);
    return true;
}

FpdOrigin fpd_element_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    uint32_t origin;
    return find_element_origin(cas, compared, index, &run, &origin) ? describe_origin(arena, cas, run, origin)
                                                                    : (FpdOrigin){0};
}

// The numbers of ops are others where integers know origins, as these have no ops then that pass something on.
static bool is_same_use(const FpdStore *used, const FpdStore *other) {
    const KernelStore *a = &used->by, *b = &other->by;
    return used->launch == other->launch && !strcmp(a->op, b->op) && b->unspecified &&
           !strcmp(a->unspecified, b->unspecified) && a->at.line == b->at.line && a->at.column == b->at.column &&
           a->at.offset == b->at.offset && (!a->at.file || !b->at.file || !strcmp(a->at.file, b->at.file));
}

FpdOrigin fpd_use_origin(Arena *arena, const FpdCase *cas, const FpdRun *run, uint32_t use) {
    const FpdRun *again = run->again[FPD_SECOND_origins];
    for (uint32_t s = 0; again && s < again->store_count; s++)
        if (again->uses[s] && is_same_use(&run->stores[use], &again->stores[s]))
            return describe_origin(arena, cas, again, again->use_origins[s]);
    return (FpdOrigin){0};
}

static void note_buffer(const FpdCase *cas, uint32_t origin, bool *buffers) {
    if (origin >= FPD_ORIGIN_BUFFER && origin - FPD_ORIGIN_BUFFER < cas->buffer_count)
        buffers[origin - FPD_ORIGIN_BUFFER] = true;
}

void fpd_find_origin_buffers(const FpdCase *cas, const FpdRun *run, bool *buffers) {
    const FpdRun *again = run->again[FPD_SECOND_origins];
    for (uint32_t c = 0; c < cas->compare_count; c++)
        for (uint64_t i = 0; i < cas->buffers[cas->compare[c]].elements; i++) {
            const FpdRun *counts = run;
            uint32_t origin;
            if (find_element_origin(cas, c, i, &counts, &origin)) note_buffer(cas, origin, buffers);
        }
    for (uint32_t s = 0; again && s < again->store_count; s++)
        if (again->uses[s]) note_buffer(cas, again->use_origins[s], buffers);
}
