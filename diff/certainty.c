// SPDX-License-Identifier: Apache-2.0
// How sure "equal" is: a bound on the chance that a difference was missed (docs/how-it-works.md). Variants of pairs
// that are equal run twice more: with bounds of degrees in place of payloads (TOWER_DEGREES), and with payloads of the
// data that are drawn at random from each field, whatever few values the numbers have.
#include "diff/judge.h"

#include <math.h>
#include <string.h>

// Where all values that data can have are roots of a formula, no data shows it: a fill that can give only a few is no
// source of chance. How many it can give is seen in so many elements.
enum { VALUES_MIN = 64, SAMPLES = 4096 };

static bool has_contents(const FpdBuffer *buffer) {
    return buffer->fill.kind == FPD_FILL_file || buffer->fill.contents;
}

// Rounded to the type of the buffer: between 1 and 1.01 there are eleven numbers of f16. What a file has is all there
// is.
static bool gives_many_values(const FpdBuffer *buffer) {
    uint64_t values[VALUES_MIN], count = 0;
    Arena arena = {0};
    Diagnostics ignored = {0};
    FpdBuffer sample = *buffer;
    if (!has_contents(buffer)) {
        sample.rank = 1;
        sample.shape[0] = sample.elements = SAMPLES;
        sample.bytes = fpd_type_bytes(sample.type, SAMPLES);
    }
    if (sample.fill.kind == FPD_FILL_adversarial || sample.fill.kind == FPD_FILL_correlated) sample.fill.first = 0;
    uint8_t *bytes = arena_array(&arena, uint8_t, sample.bytes);
    const bool good = fpd_fill_buffer(&ignored, &sample, 1, 1, bytes);
    for (uint64_t i = 0; good && i < sample.elements && count < VALUES_MIN; i++) {
        uint64_t k = 0;
        values[count] = fpd_element_bits(sample.type, bytes, i);
        while (values[k] != values[count]) k++;
        count += k == count;
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    return count == VALUES_MIN;
}

static bool draws_values(const FpdBuffer *buffer) {
    const FpdFill *fill = &buffer->fill;
    const unsigned bits = element_info(buffer->type)->bits;
    if (!element_is_float(buffer->type) || !fill->given || buffer->literal || bits < 8 || has_contents(buffer))
        return false;
    switch (fill->kind) {
    case FPD_FILL_uniform:
    case FPD_FILL_normal:
    case FPD_FILL_adversarial:
    case FPD_FILL_correlated:
    case FPD_FILL_log_uniform:
    case FPD_FILL_integers:
    case FPD_FILL_bits: return gives_many_values(buffer);
    case FPD_FILL_zeros:
    case FPD_FILL_constant:
    case FPD_FILL_iota:
    case FPD_FILL_addresses:
    case FPD_FILL_file:
    case FPD_FILL_offset: // read as another
    case FPD_FILL_near_overflow:
    case FPD_FILL_COUNT: break;
    }
    return false;
}

// Files may be data or tables. Where they are all that a case has, as in one that was recorded, they are taken for
// data: of tables pairs are not equal then, and there is no bound.
static bool is_file_of_data(const FpdBuffer *buffer) {
    return element_is_float(buffer->type) && element_info(buffer->type)->bits >= 8 && !buffer->literal &&
           has_contents(buffer) && gives_many_values(buffer);
}

// Where data are files, one that has few values may be a factor that is 1, or a mask: which power of it a formula has
// no other payloads show.
static bool reads_few_values(const FpdPrograms *programs, const bool *sources, uint32_t variant) {
    const FpdCase *cas = programs->cas;
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdBuffer *buffer = &cas->buffers[b];
        if (sources[b] || !element_is_float(buffer->type) || !buffer->fill.given) continue;
        for (uint32_t i = 0; i < cas->variants[variant].launch_count; i++) {
            const ProgramUse use = fpd_launch_use(programs, variant, i, b);
            if (use.reads) return true;
            if (use.writes) break;
        }
    }
    return false;
}

static bool are_files(const FpdCase *cas, const bool *sources) {
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (sources[b] && has_contents(&cas->buffers[b])) return true;
    return false;
}

// Buffers whose payloads are drawn, in both variants.
static const bool *find_sources(Arena *arena, const FpdCase *cas) {
    bool *sources = arena_array(arena, bool, cas->buffer_count + 1u), found = false;
    for (uint32_t b = 0; b < cas->buffer_count; b++) found |= sources[b] = draws_values(&cas->buffers[b]);
    for (uint32_t b = 0; !found && b < cas->buffer_count; b++) sources[b] = is_file_of_data(&cas->buffers[b]);
    return sources;
}

// Of each buffer: whether what a variant leaves in it may depend on data that a fill has drawn. A launch may compute
// all that it writes from all that it reads.
static bool *find_drawn(Arena *arena, const FpdPrograms *programs, const bool *sources, uint32_t variant) {
    const FpdCase *cas = programs->cas;
    bool *drawn = arena_array(arena, bool, cas->buffer_count + 1u);
    for (uint32_t b = 0; b < cas->buffer_count; b++) drawn[b] = sources[b];
    for (uint32_t i = 0; i < cas->variants[variant].launch_count; i++) {
        bool any = false;
        for (uint32_t b = 0; b < cas->buffer_count; b++)
            any |= drawn[b] && fpd_launch_use(programs, variant, i, b).reads;
        for (uint32_t b = 0; any && b < cas->buffer_count; b++)
            drawn[b] |= fpd_launch_use(programs, variant, i, b).writes;
    }
    return drawn;
}

// Of each compared buffer: whether both variants compute it from drawn data. NULL: none is.
static const bool *find_chances(Arena *arena, const FpdPrograms *programs, const bool *sources,
                                const FpdComparison *comparison) {
    const FpdCase *cas = programs->cas;
    const bool *left = find_drawn(arena, programs, sources, comparison->left->variant),
               *right = find_drawn(arena, programs, sources, comparison->right->variant);
    bool *chances = arena_array(arena, bool, cas->compare_count + 1u), found = false;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        chances[c] = left[cas->compare[c]] && right[cas->compare[c]];
        found |= chances[c];
    }
    return found ? chances : NULL;
}

// ---- degrees --------------------------------------------------------------------------------------------------------

static TowerDegree degree_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    const FpdShadowed element = fpd_element_of(cas, run, compared, index);
    if (!element.record) return (TowerDegree){.over = 1}; // a value from outside
    const uint32_t *words = element.record->component;
    return (TowerDegree){words[0],
                         {words[1] & TOWER_DEGREE_MAX, words[2] & TOWER_DEGREE_MAX}, // the second one has a mark
                         {words[3], words[4]}};
}

// Of the numerator of a difference of two quotients, over the least common denominator; UINT64_MAX: any.
static uint64_t degree_of_difference(TowerDegree a, TowerDegree b) {
    uint64_t over[2] = {a.over, b.over};
    uint32_t most = a.over > b.over ? a.over : b.over;
    for (int k = 0; k < 2; k++) {
        const bool same = a.part[k] == b.part[k] && a.identity[k] == b.identity[k];
        if (!same) over[0] += b.part[k], over[1] += a.part[k];
        if (a.part[k] > most) most = a.part[k];
        if (b.part[k] > most) most = b.part[k];
    }
    const uint64_t degree = over[0] > over[1] ? over[0] : over[1];
    return most == TOWER_DEGREE_MAX ? UINT64_MAX : degree ? degree : 1;
}

// Fields that do not decide about two payloads.
static uint32_t unsure_fields(const Tower *tower, TowerPayload a, TowerPayload b) {
    const uint32_t states = a.state | b.state;
    return tower_group(tower, states, TOWER_MISSING_SHIFT) | tower_group(tower, states, TOWER_WEAK_SHIFT);
}

// The logarithm of a bound on the chance that two other payloads agree in all fields that decide about these.
static double chance_of_element(const Tower *tower, uint32_t unsure, uint64_t degree, unsigned *fields) {
    double sum = 0;
    *fields = 0;
    for (unsigned i = 0; i < tower->length; i++) {
        if (unsure >> i & 1) continue;
        // Powers of 2 and roots have half of the values of a field.
        const double one = log2((double)degree) - log2((tower->prime[i].p - 1) / 2.0);
        sum += one < 0 ? one : 0;
        ++*fields;
    }
    return sum;
}

typedef struct Survey {
    const FpdCase *cas;
    const FpdComparison *comparison;
    const FpdRun *degrees[2]; // of left and right
    const FpdRun *drawn[2];   // likewise, with payloads that are drawn
    const FpdRun *signs[2];   // the same with roots that know their signs; NULL: nobody asked for these
    const FpdRun *deep[2];    // the same in the deep tower, for what the plain one knows nothing of; or NULL
    const bool *chances;      // find_chances
    FpdCertainty *found;
    double most; // the largest of the chances of elements
    struct {     // of the element before, which most often has the same
        const Tower *tower;
        uint64_t degree;
        uint32_t unsure;
        unsigned fields;
        double chance;
    } last;
    uint64_t different; // elements that are equal with the payloads of these data only
} Survey;

static bool same_components(TowerPayload a, TowerPayload b) {
    return !memcmp(a.component, b.component, sizeof a.component);
}

// The payloads of an element in two runs with drawn ones. False: they differ.
static bool equal_when_drawn(const Survey *s, const FpdRun *const *runs, uint32_t c, uint64_t i, TowerPayload *a,
                             TowerPayload *b) {
    if (!runs[0] || !runs[1]) return false;
    *a = fpd_element_of(s->cas, runs[0], c, i).payload;
    *b = fpd_element_of(s->cas, runs[1], c, i).payload;
    return tower_compare(runs[0]->tower, *a, *b, NULL) == TOWER_EQUAL;
}

static void survey_element(Survey *s, uint32_t c, uint64_t i, const FpdShadowed *a, const FpdShadowed *b) {
    FpdCertainty *found = s->found;
    TowerPayload x, y;
    const bool deep = fpd_have_no_field(a, b);
    const bool plain = equal_when_drawn(s, deep ? s->deep : s->drawn, c, i, &x, &y);
    if (plain && !deep && same_components(a->payload, x) && same_components(b->payload, y)) {
        found->uncovered++; // of constants alone: no chance took part
        return;
    }
    if (!plain && (deep || !equal_when_drawn(s, s->signs, c, i, &x, &y))) {
        s->different++;
        return;
    }
    const uint64_t degree =
        degree_of_difference(degree_of(s->cas, s->degrees[0], c, i), degree_of(s->cas, s->degrees[1], c, i));
    const Tower *tower = deep ? s->deep[0]->tower : tower_chain(s->cas->chain);
    const uint32_t unsure = unsure_fields(tower, x, y);
    if (s->last.tower != tower || s->last.degree != degree || s->last.unsure != unsure) {
        s->last.chance = exp2(chance_of_element(tower, unsure, degree, &s->last.fields));
        s->last.tower = tower;
        s->last.degree = degree;
        s->last.unsure = unsure;
    }
    s->most = fmax(s->most, s->last.chance);
    if (degree > found->degree) found->degree = degree;
    if (!found->elements || s->last.fields < found->fields) found->fields = s->last.fields;
    found->elements++;
}

static void survey_buffer(Survey *s, uint32_t c) {
    const FpdRun *left = s->comparison->left, *right = s->comparison->right;
    const FpdDifference *d = &s->comparison->differences[c];
    FpdCertainty *found = s->found;
    if (!s->chances[c]) {
        found->uncovered += d->elements;
        return;
    }
    for (uint64_t i = 0; i < d->elements; i++) {
        const FpdShadowed a = fpd_element_of(s->cas, left, c, i), b = fpd_element_of(s->cas, right, c, i);
        const bool finite = !((a.payload.state | b.payload.state) & TOWER_KIND);
        if (!element_is_float(s->cas->buffers[d->buffer].type) || !finite || !d->verdict_of ||
            d->verdict_of[i] != FPD_ELEMENT_EQUAL)
            found->uncovered++;
        else
            survey_element(s, c, i, &a, &b);
    }
}

static void survey(Survey *s) {
    FpdCertainty *found = s->found;
    const bool two_towers = s->signs[0]; // an element has two chances
    for (uint32_t c = 0; c < s->cas->compare_count; c++) survey_buffer(s, c);
    found->log2 = log2(s->most) + two_towers;
    found->differs = s->different;
    if (s->different)
        found->none = "some elements are equal for such data only: with payloads that are drawn at random they differ";
    else if (!found->elements)
        found->none = "no compared element is a finite float that is computed from drawn data and equal as a formula";
    else if (found->degree == UINT64_MAX)
        found->none = "no bound of the degree is known";
    else if (found->log2 >= 0)
        found->none = "the degree is too high for the fields that are left";
}

// ---- runs -----------------------------------------------------------------------------------------------------------

// Runs that are made again with the same settings, each once.
typedef struct AgainRuns {
    FpdSettings settings;
    uint32_t count;
    const FpdRun **plain;
    FpdRun **again;
} AgainRuns;

static const FpdRun *run_again(Arena *arena, const FpdRun *plain, AgainRuns *runs) {
    for (uint32_t r = 0; r < runs->count; r++)
        if (runs->plain[r] == plain) return runs->again[r];
    runs->plain[runs->count] = plain;
    runs->again[runs->count] = fpd_plan_again(arena, plain, &runs->settings);
    return runs->again[runs->count++];
}

static const char *why_not(const FpdPrograms *programs, const bool *sources, const FpdComparison *comparison,
                           const bool *chances) {
    if (!fpd_compares_records(comparison)) return "integers modulo 2^k have zero divisors";
    if (are_files(programs->cas, sources) && (reads_few_values(programs, sources, comparison->left->variant) ||
                                              reads_few_values(programs, sources, comparison->right->variant)))
        return "floats that are read have few values, so their payloads cannot be drawn";
    return chances ? NULL : "no data that both read is drawn at random";
}

enum { DEGREES, DRAWN, SIGNS, DEEP, KINDS }; // of further runs

// Whether code of degrees, which no other run shares, is better made quickly: code that is not optimised takes two
// to three times as long to run, and optimising it longer than such runs take. Code that is kept is made once only.
static bool run_quickly(const FpdMachine *machine, const AgainRuns *degrees) {
    const double seconds_max = machine->cache.folder ? 0 : 0.1;
    double seconds = 0;
    for (uint32_t r = 0; r < degrees->count; r++) seconds += degrees->plain[r]->processor_seconds;
    return seconds < seconds_max;
}

static void plan_survey(Arena *arena, AgainRuns *runs, Survey *s) {
    const FpdRun *const sides[] = {s->comparison->left, s->comparison->right};
    const bool signs = sides[0]->again[FPD_SECOND_signs] && sides[1]->again[FPD_SECOND_signs];
    const bool deep = sides[0]->again[FPD_SECOND_deep] && sides[1]->again[FPD_SECOND_deep];
    for (int side = 0; side < 2; side++) {
        s->degrees[side] = run_again(arena, sides[side], &runs[DEGREES]);
        s->drawn[side] = run_again(arena, sides[side], &runs[DRAWN]);
        s->signs[side] = signs ? run_again(arena, sides[side], &runs[SIGNS]) : NULL;
        s->deep[side] = deep ? run_again(arena, sides[side], &runs[DEEP]) : NULL;
    }
}

// All of them are kept until the survey.
static bool fits_memory(const FpdRunner *runner, const AgainRuns *runs) {
    uint32_t count = 0, most = 0;
    for (int k = 0; k < KINDS; k++) most += runs[k].count;
    FpdRun **all = arena_array(runner->arena, FpdRun *, most + 1u);
    for (int k = 0; k < KINDS; k++)
        for (uint32_t r = 0; r < runs[k].count; r++) all[count++] = runs[k].again[r];
    return !count || fpd_check_memory(runner->diagnostics, runner->machine, runner->programs, true, count, all);
}

void fpd_find_certainty(const FpdRunner *runner, FpdOutcome *outcome) {
    Arena arena = {0};
    Diagnostics ignored = {0};
    const FpdRunner again = {&ignored, &arena, runner->machine, runner->programs};
    const uint64_t results = runner->programs->results;
    const uint32_t most = 2 * outcome->comparison_count + 1;
    AgainRuns runs[KINDS];
    Survey *surveys = arena_array(&arena, Survey, most);
    for (int k = 0; k < KINDS; k++)
        runs[k] = (AgainRuns){fpd_plain_settings(runner->machine, outcome->cas), 0,
                              arena_array(&arena, const FpdRun *, most), arena_array(&arena, FpdRun *, most)};
    runs[DEGREES].settings.degrees = true;
    runs[SIGNS].settings.signed_roots = true;
    runs[DEEP].settings.deep = true;
    const bool *sources = NULL;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question != FPD_QUESTION_formula || comparison->verdict != FPD_VERDICT_EQUAL) continue;
        FpdCertainty *found = comparison->certainty = arena_new(runner->arena, FpdCertainty);
        found->runs = 1;
        if (!sources) sources = find_sources(&arena, outcome->cas);
        for (int k = 0; k < KINDS; k++) runs[k].settings.drawn = sources;
        const bool *chances = find_chances(&arena, runner->programs, sources, comparison);
        found->none = why_not(runner->programs, sources, comparison, chances);
        if (found->none) continue;
        surveys[i] = (Survey){.cas = outcome->cas, .comparison = comparison, .found = found, .chances = chances};
        plan_survey(&arena, runs, &surveys[i]);
    }
    const bool quickly = run_quickly(again.machine, &runs[DEGREES]);
    for (uint32_t r = 0; r < runs[DEGREES].count; r++) runs[DEGREES].again[r]->settings.quickly = quickly;
    const bool fits = fits_memory(&again, runs);
    bool good = fits;
    for (int k = 0; k < KINDS; k++)
        good = good && (!runs[k].count || fpd_run_again(&again, runs[k].count, runs[k].again));
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        if (!surveys[i].comparison) continue;
        if (good)
            survey(&surveys[i]);
        else
            surveys[i].found->none =
                fits ? "the runs that it needs failed" : "the runs that it needs take more memory than there may be";
    }
    diagnostics_close(&ignored);
    arena_reset(&arena);
    runner->programs->results = results;
}

void fpd_add_certainty(FpdOutcome *outcome, const FpdOutcome *other) {
    for (uint32_t i = 0; i < outcome->comparison_count && i < other->comparison_count; i++) {
        FpdCertainty *all = outcome->comparisons[i].certainty;
        const FpdCertainty *one = other->comparisons[i].certainty;
        if (all && one && one->differs) all->differs = true, all->none = one->none;
        if (!all || !one || all->none || one->none) continue;
        all->log2 += one->log2;
        all->runs++;
        if (one->degree > all->degree) all->degree = one->degree;
        if (one->fields < all->fields) all->fields = one->fields;
        if (one->elements < all->elements) all->elements = one->elements;
        if (one->uncovered > all->uncovered) all->uncovered = one->uncovered;
    }
}
