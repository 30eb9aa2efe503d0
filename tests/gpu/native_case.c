// SPDX-License-Identifier: Apache-2.0
// A variant on the GPU and in the emulator, in IEEE arithmetic, and how the results compare.
#include "diff/compare.h"
#include "tests/gpu/native.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool native_case_open(NativeSession *session, const char *path, NativeCase *opened) {
    *opened = (NativeCase){0};
    opened->cas = fpd_load_case(&session->diagnostics, &opened->arena, path);
    opened->programs = opened->cas ? fpd_load_programs(&session->diagnostics, &opened->arena, opened->cas) : NULL;
    if (!opened->programs) return false;
    FpdCase *cas = opened->cas;
    cas->mode_count = 1;
    cas->modes[0] = FPD_MODE_ieee;
    opened->contents = arena_array(&opened->arena, uint8_t *, cas->buffer_count + 1u);
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        opened->contents[b] = arena_alloc(&opened->arena, cas->buffers[b].bytes + 1);
        if (!fpd_fill_buffer(&session->diagnostics, &cas->buffers[b], cas->seed, 1, opened->contents[b])) return false;
    }
    return true;
}

void native_case_close(NativeSession *session, NativeCase *opened) {
    if (opened->programs && session->emulator.compiler) fpd_close_compiled(&session->emulator, opened->programs);
    fpd_programs_close(opened->programs);
    arena_reset(&opened->arena);
}

void native_session_close(NativeSession *session) {
    native_close(session->gpu);
    fpd_machine_close(&session->emulator);
    diagnostics_close(&session->diagnostics);
}

// ---- the emulator ---------------------------------------------------------------------------------------------------

static bool open_emulator(NativeSession *session) {
    if (session->emulator.compiler) return true;
    session->emulator = (FpdMachine){.target = FPD_TARGET_host, .optimize = 1, .keep_compiled = true};
    if (!fpd_machine_open(&session->diagnostics, 1, &session->emulator)) return false;
    session->emulator.kept = fpd_kept_open(session->emulator.compiler); // several cases are of one file
    return true;
}

// The file of what was made of a variant, WHAT: its path and the variant's name without what divides folders.
static const char *file_of(NativeCase *opened, const char *folder, uint32_t variant, const char *what) {
    char *name = arena_format(&opened->arena, "%s.%s%s", opened->cas->path, opened->cas->variants[variant].name, what);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '+';
    return arena_format(&opened->arena, "%s/%s", folder, name);
}

static uint64_t result_bytes(const FpdCase *cas) {
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) bytes += cas->buffers[cas->compare[c]].bytes;
    return bytes;
}

// Files of results have the compared buffers one after the other; an empty one says that there are none.
static bool write_results(NativeSession *session, NativeCase *opened, const char *path, uint8_t *const *results) {
    const FpdCase *cas = opened->cas;
    uint8_t *all = arena_alloc(&opened->arena, result_bytes(cas) + 1);
    uint64_t at = 0;
    for (uint32_t c = 0; results && c < cas->compare_count; c++) {
        const uint64_t bytes = cas->buffers[cas->compare[c]].bytes;
        memcpy(all + at, results[c], bytes);
        at += bytes;
    }
    return file_write(&session->diagnostics, path, all, at);
}

// Whether the file is there; *results: NULL if it says that there are none.
static bool read_results(NativeCase *opened, const char *path, uint8_t ***results) {
    const FpdCase *cas = opened->cas;
    Diagnostics diagnostics = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    const bool there = file_read(&diagnostics, &opened->arena, path, &bytes, &size);
    diagnostics_close(&diagnostics);
    *results = NULL;
    if (!there || (size && size != result_bytes(cas))) return false;
    if (!size) return true;
    *results = arena_array(&opened->arena, uint8_t *, cas->compare_count + 1u);
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        (*results)[c] = bytes;
        bytes += cas->buffers[cas->compare[c]].bytes;
    }
    return true;
}

static const FpdRun *run_emulator(NativeSession *session, NativeCase *opened, uint32_t variant) {
    if (!open_emulator(session)) return NULL;
    const FpdRunner runner = {&session->diagnostics, &opened->arena, &session->emulator, opened->programs};
    FpdRuns runs = fpd_plan_runs(&opened->arena, opened->cas, FPD_ALL_MODES, (int)variant);
    return fpd_run_case(&runner, false, &runs) ? &runs.runs[0] : NULL;
}

// The compared buffers as the emulator leaves them; NULL: it cannot, *text says why.
static uint8_t **emulate(NativeSession *session, NativeCase *opened, uint32_t variant, const char **text) {
    const char *path = session->emulated ? file_of(opened, session->emulated, variant, "") : NULL;
    uint8_t **results = NULL;
    if (path && read_results(opened, path, &results)) {
        *text = "as was found earlier";
        return results;
    }
    const FpdRun *run = run_emulator(session, opened, variant);
    results = run ? run->bytes : NULL;
    if (!run && session->diagnostics.count) *text = arena_keep(&opened->arena, session->diagnostics.items[0].message);
    diagnostics_close(&session->diagnostics);
    session->diagnostics = (Diagnostics){0};
    if (path) write_results(session, opened, path, results);
    return results;
}

// ---- comparing ------------------------------------------------------------------------------------------------------

// Sums in another order, and other functions. What numbers may differ by where the case has no tolerance of its own.
// Sums of the units for matrices keep few bits more than their inputs (of f8: 13 or so).
static double rounding_errors(const FpdBuffer *buffer, const uint8_t *bytes) {
    enum { SUM_BITS = 11 };
    double largest = 0;
    if (!element_is_float(buffer->type)) return 0;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        double number = fabs(fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, i)));
        if (isfinite(number) && number > largest) largest = number;
    }
    double rounding = ldexp(64, -(int)fpsan_format_info(element_format(buffer->type))->mantissa_bits);
    return largest * fmax(rounding, ldexp(1, -SUM_BITS));
}

typedef struct Comparison {
    NativeOutcome outcome;
    uint64_t other, nans, beyond, first; // first: of the worst kind that there is
    double farthest;                     // of those that differ and are numbers, relative to the emulator's
} Comparison;

static void compare_element(const FpdBuffer *buffer, uint64_t i, uint64_t found, uint64_t wanted, FpdTolerance within,
                            Comparison *result) {
    const double value = fpd_element_value(buffer->type, found), other = fpd_element_value(buffer->type, wanted);
    const bool is_float = element_is_float(buffer->type), nan = is_float && isnan(value) && isnan(other);
    NativeOutcome outcome = nan ? NATIVE_nans : NATIVE_differs;
    if (found == wanted) return;
    if (is_float && !nan && fpd_element_within(buffer->type, wanted, found, within)) outcome = NATIVE_near;
    if (!nan && fabs(value - other) / fabs(other) > result->farthest)
        result->farthest = fabs(value - other) / fabs(other);
    result->other++;
    result->nans += nan;
    result->beyond += outcome == NATIVE_differs;
    if (outcome <= result->outcome) return;
    result->outcome = outcome;
    result->first = i;
}

static Comparison compare_buffer(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *found,
                                 const uint8_t *wanted) {
    FpdTolerance within = cas->tolerance;
    Comparison result = {0};
    if (!within.given) within = (FpdTolerance){true, 0, rounding_errors(buffer, wanted)};
    for (uint64_t i = 0; i < buffer->elements; i++)
        compare_element(buffer, i, fpd_element_bits(buffer->type, found, i), fpd_element_bits(buffer->type, wanted, i),
                        within, &result);
    return result;
}

static const char *comparison_text(Arena *arena, const FpdBuffer *buffer, const Comparison *c, const uint8_t *found,
                                   const uint8_t *wanted) {
    return arena_format(arena,
                        "%s[%" PRIu64 "]: GPU 0x%" PRIx64 ", emulator 0x%" PRIx64 "; of %" PRIu64 " elements %" PRIu64
                        " have other bits, %" PRIu64 " of them NaNs, %" PRIu64 " beyond the tolerance, by %.3g at most",
                        buffer->name, c->first, fpd_element_bits(buffer->type, found, c->first),
                        fpd_element_bits(buffer->type, wanted, c->first), buffer->elements, c->other, c->nans,
                        c->beyond, c->farthest);
}

static NativeOutcome compare_results(NativeCase *opened, uint8_t *const *found, uint8_t *const *wanted,
                                     NativeCounts *counts, const char **text) {
    const FpdCase *cas = opened->cas;
    NativeOutcome worst = NATIVE_same;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const Comparison one = compare_buffer(cas, buffer, found[c], wanted[c]);
        counts->elements += buffer->elements;
        counts->other += one.other;
        counts->nans += one.nans;
        if (one.outcome <= worst) continue;
        worst = one.outcome;
        *text = comparison_text(&opened->arena, buffer, &one, found[c], wanted[c]);
    }
    return worst;
}

// ---- a variant ------------------------------------------------------------------------------------------------------

// Addresses differ, so that nothing compared may hold some.
static bool is_possible(const NativeCase *opened, uint32_t variant, NativeOutcome *outcome, const char **text) {
    const FpdCase *cas = opened->cas;
    *outcome = NATIVE_not_ptx;
    for (uint32_t i = 0; i < cas->variants[variant].launch_count; i++)
        if (!opened->programs->launches[variant][i].threads) return false;
    *outcome = NATIVE_impossible;
    *text = "a compared buffer may hold addresses";
    for (uint32_t c = 0; c < cas->compare_count; c++)
        if (fpd_may_hold_addresses(opened->programs, variant, cas->compare[c])) return false;
    *text = NULL;
    return true;
}

NativeOutcome native_case_check(NativeSession *session, NativeCase *opened, uint32_t variant, NativeCounts *counts,
                                const char **text) {
    NativeOutcome outcome;
    *text = NULL;
    *counts = (NativeCounts){0};
    if (!is_possible(opened, variant, &outcome, text)) return outcome;
    uint8_t **wanted = emulate(session, opened, variant, text);
    if (!wanted) return NATIVE_emulator;
    *text = NULL;
    if (session->only_emulate) return NATIVE_same;
    uint8_t **found = arena_array(&opened->arena, uint8_t *, opened->cas->compare_count + 1u);
    outcome = native_run(session->gpu, &opened->arena, opened->programs, variant, opened->contents, found, text);
    if (outcome) return outcome;
    outcome = compare_results(opened, found, wanted, counts, text);
    if (session->dump && outcome > NATIVE_nans) {
        write_results(session, opened, file_of(opened, session->dump, variant, ".gpu"), found);
        write_results(session, opened, file_of(opened, session->dump, variant, ".emulator"), wanted);
    }
    return outcome;
}
