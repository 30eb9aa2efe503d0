// SPDX-License-Identifier: Apache-2.0
// Two results of a buffer with payloads beside the numbers: payloads decide, and what numbers and states say beside
// them (verdicts.def).
#include "diff/glance.h"

#include <float.h>
#include <math.h>

// `near` means that a jump was decided by at most 8 units in the last place of the narrowest type on the way; two
// variants may lie on the two sides of it. In small formats, and of what was rounded to integers, 16 units say nothing.
enum { TIE_UNITS = 16 };
#define TIE_SHARE_MAX 0x1p-5
// No rounding leaves numbers of equal formulas further apart, of which no close call makes more.
#define ROUNDING_SHARE_MAX 0x1p-3

// How many times what one rounding costs numbers of equal formulas may be apart in relation to their row. Of the right
// pairs of verdicts/ none has more, but for three whose variant is less accurate: 8,000 and more. At their usual sizes
// none of the others has more than 26; a norm of two columns has 214.
enum { FAR_ROUNDINGS = 256 };

static const FpdElementVerdictInfo verdict_infos[FPD_ELEMENT_COUNT] = {
#define VERDICT(name, text, divergence, meaning, advice) {text, FPD_DIVERGES_##divergence, meaning, advice},
#include "diff/verdicts.def"
#undef VERDICT
};

const FpdElementVerdictInfo *fpd_element_verdict_info(FpdElementVerdict verdict) {
    return &verdict_infos[verdict];
}

FpdShadowed fpd_shadowed(const Tower *tower, ElementType type, const uint8_t *bytes, const HostRecord *records,
                         uint64_t index) {
    FpdShadowed element = {.tower = tower, .bits = fpd_element_bits(type, bytes, index)};
    const HostRecord *record = records ? &records[index] : NULL;
    const bool is_poison = record && record->state & HOST_RECORD_VALID && record->state & HOST_RECORD_POISON;
    if (!element_is_float(type) && !is_poison) return element;
    if (!record || !(record->state & HOST_RECORD_VALID) ||
        ((uint64_t)record->high << 32 | record->low) != element.bits) {
        element.payload = tower_embed(tower, element_format(type), element.bits);
        return element;
    }
    element.record = record;
    element.payload.state = record->state & ~HOST_RECORD_VALID;
    for (unsigned i = 0; i < tower->length; i++) element.payload.component[i] = record->component[i];
    return element;
}

FpdShadowed fpd_element_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    return fpd_shadowed(run->tower, cas->buffers[cas->compare[compared]].type, run->bytes[compared],
                        run->records ? run->records[compared] : NULL, index);
}

const FpdStore *fpd_stored_by(const FpdRun *run, FpdShadowed element) {
    return element.record && element.record->store < run->store_count ? &run->stores[element.record->store] : NULL;
}

const FpdStore *fpd_writer_of(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index) {
    if (run->records && run->records[compared]) return fpd_stored_by(run, fpd_element_of(cas, run, compared, index));
    const FpdTraced *traced = fpd_traced(cas, run, compared, index);
    if (traced) return &traced->store;
    return run->writers && run->writers[compared].by.op ? &run->writers[compared] : NULL;
}

// ---- one pair of elements -------------------------------------------------------------------------------------------

unsigned fpd_fields(const Tower *tower, TowerPayload a, TowerPayload b, unsigned *agree) {
    unsigned known = ~tower_group(tower, a.state | b.state, TOWER_MISSING_SHIFT) & tower_components(tower), same = 0;
    unsigned strong = known & ~tower_group(tower, a.state ^ b.state, TOWER_WEAK_SHIFT);
    for (unsigned i = 0; i < tower->length; i++) same |= (unsigned)(a.component[i] == b.component[i]) << i;
    if (!strong) strong = known & same; // weak on one side only: can only speak for equality
    *agree = (unsigned)__builtin_popcount(strong & same);
    return (unsigned)__builtin_popcount(strong);
}

// Bits of the significand of the narrowest type that either value passed through.
static int narrowest_digits(ElementType type, uint32_t state) {
    int digits = (int)fpsan_format_info(element_format(type))->mantissa_bits + 1;
    for (size_t i = 0; i < TOWER_PASSED_TYPES; i++) {
        int passed = (int)tower_passed_types[i].significant;
        if (state & tower_passed_types[i].bit && passed < digits) digits = passed;
    }
    return digits;
}

// Whether two numbers of an element are within that share of the larger one, and half as much of the largest in their
// row, where a sum may have cancelled.
static bool are_within(const FpdElements *e, double x, double y, double share) {
    if (!isfinite(x) || !isfinite(y)) return x == y;
    return fabs(x - y) <= share * (fmax(fabs(x), fabs(y)) + e->largest / 2);
}

// Whether the numbers are within the case's tolerance and within that share.
static bool numbers_within(const FpdElements *e, double share) {
    if (e->cas->tolerance.given && !fpd_element_within(e->type, e->a.bits, e->b.bits, e->cas->tolerance)) return false;
    return are_within(e, fpd_element_value(e->type, e->a.bits), fpd_element_value(e->type, e->b.bits), share);
}

// Whether the numbers agree: within TIE_UNITS.
static bool numbers_agree(const FpdElements *e) {
    uint32_t state = e->a.payload.state | e->b.payload.state;
    double share = ldexp(TIE_UNITS, 1 - narrowest_digits(e->type, state));
    if (share > TIE_SHARE_MAX || state & TOWER_ROUNDED) share = TIE_SHARE_MAX;
    return numbers_within(e, share);
}

FpdElementVerdict fpd_element_verdict(const FpdElements *e) {
    const TowerPayload a = e->a.payload, b = e->b.payload;
    if (tower_is_poison(a) || tower_is_poison(b)) return FPD_ELEMENT_UNSPECIFIED;
    if (!element_is_float(e->type)) return e->a.bits == e->b.bits ? FPD_ELEMENT_EQUAL : FPD_ELEMENT_DIFFER;
    bool a_nan = isnan(fpd_element_value(e->type, e->a.bits)), b_nan = isnan(fpd_element_value(e->type, e->b.bits));
    if (a_nan != b_nan) return FPD_ELEMENT_ONE_NAN;
    TowerVerdict verdict = tower_compare(e->tower, a, b, NULL);
    if (verdict == TOWER_EQUAL) return FPD_ELEMENT_EQUAL;
    if (a_nan) return FPD_ELEMENT_BOTH_NAN;
    if (verdict == TOWER_UNKNOWN) return FPD_ELEMENT_UNKNOWN;
    uint32_t state = a.state | b.state;
    if (state & TOWER_NEAR && e->explained && numbers_agree(e)) return FPD_ELEMENT_TIE;
    if (verdict == TOWER_ROOTS) return FPD_ELEMENT_ROOTS; // after a jump that fell otherwise no field would agree
    // Roots of what is no square in any field: then the numbers tell it from a wrong sign.
    if (tower_equal_up_to_signs(e->tower, a, b) && numbers_agree(e)) return FPD_ELEMENT_ROOTS;
    return state & TOWER_ROUNDED ? FPD_ELEMENT_ROUNDED : FPD_ELEMENT_DIFFER;
}

// ---- a buffer -------------------------------------------------------------------------------------------------------

static void count_element(FpdElementCount *count, uint64_t index) {
    count->count++;
    if (count->first_count < FPD_FIRST_MAX) count->first[count->first_count++] = index;
}

static bool count_diverges(const FpdCase *cas, FpdElementVerdict verdict, uint64_t count, uint64_t elements) {
    switch (verdict_infos[verdict].divergence) {
    case FPD_DIVERGES_NEVER: return false;
    case FPD_DIVERGES_ALWAYS: return count;
    case FPD_DIVERGES_ROOTS: return count && !cas->allow_roots;
    case FPD_DIVERGES_TIES: return count > elements / 100;
    }
    return true;
}

bool fpd_element_diverges(const FpdDifference *d, uint64_t index) {
    return d->verdicts[d->verdict_of[index]].diverges;
}

// A payload that says nothing compares as unknown with itself.
static bool nothing_known(const Tower *tower, ElementType type, FpdShadowed a) {
    return element_is_float(type) && !isnan(fpd_element_value(type, a.bits)) && !tower_is_poison(a.payload) &&
           tower_compare(tower, a.payload, a.payload, NULL) == TOWER_UNKNOWN;
}

static uint64_t columns_of(const FpdBuffer *buffer) {
    return buffer->rank ? (uint64_t)buffer->shape[buffer->rank - 1] : 1;
}

// As largest_in_row; `mask`: fpd_exponent_mask.
static double largest_by_bits(const FpdBuffer *buffer, uint64_t mask, const uint8_t *const sides[2], uint64_t row) {
    const unsigned width = element_info(buffer->type)->storage_bits / 8;
    const uint64_t columns = columns_of(buffer), magnitude = mask | ((mask & -mask) - 1);
    uint64_t most[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (uint64_t i = row * columns; i < (row + 1) * columns; i++) {
            const uint64_t bits = fpd_bits_at(sides[side], width, i) & magnitude;
            if (bits > most[side] && bits < mask) most[side] = bits;
        }
    return fpd_element_value(buffer->type, most[0] < most[1] ? most[0] : most[1]);
}

// The largest finite magnitude in a row of the innermost dimension, in both results: the smaller one.
static double largest_in_row(const FpdBuffer *buffer, const uint8_t *a, const uint8_t *b, uint64_t row) {
    const uint64_t columns = columns_of(buffer), mask = fpd_exponent_mask(buffer->type);
    if (mask) return largest_by_bits(buffer, mask, (const uint8_t *const[2]){a, b}, row);
    double most[2] = {0, 0};
    for (uint64_t i = row * columns; i < (row + 1) * columns; i++)
        for (int side = 0; side < 2; side++) {
            double x = fabs(fpd_element_value(buffer->type, fpd_element_bits(buffer->type, side ? b : a, i)));
            if (isfinite(x) && x > most[side]) most[side] = x;
        }
    return fmin(most[0], most[1]);
}

// Of all rows, if there is one that is not of zeros on one side.
static double largest_of_all(const double *largest, uint64_t rows) {
    double most = 0;
    for (uint64_t r = 0; r < rows; r++) most = fmax(most, largest[r]);
    return most;
}

static double *largest_in_rows(Arena *arena, const FpdBuffer *buffer, const uint8_t *a, const uint8_t *b,
                               uint64_t *columns) {
    *columns = columns_of(buffer);
    uint64_t rows = *columns ? buffer->elements / *columns : 0;
    double *largest = arena_array(arena, double, rows + 1);
    for (uint64_t r = 0; r < rows; r++) largest[r] = largest_in_row(buffer, a, b, r);
    return largest;
}

// ---- two results ----------------------------------------------------------------------------------------------------

// Result `compared` of two runs.
typedef struct Results {
    const FpdCase *cas;
    uint32_t compared;
    const FpdBuffer *buffer;
    const FpdRun *runs[2];
    uint64_t columns; // of a row
    double *largest;  // per row
    double most;      // of these
} Results;

static Results compared_results(Arena *scratch, const FpdCase *cas, uint32_t compared, const FpdRun *left,
                                const FpdRun *right) {
    Results r = {cas, compared, &cas->buffers[cas->compare[compared]], {left, right}, 0, NULL, 0};
    r.largest = largest_in_rows(scratch, r.buffer, left->bytes[compared], right->bytes[compared], &r.columns);
    r.most = largest_of_all(r.largest, r.columns ? r.buffer->elements / r.columns : 0);
    return r;
}

static FpdElements elements_at(const Results *r, uint64_t index) {
    return (FpdElements){.cas = r->cas,
                         .tower = r->runs[0]->tower,
                         .type = r->buffer->type,
                         .a = fpd_element_of(r->cas, r->runs[0], r->compared, index),
                         .b = fpd_element_of(r->cas, r->runs[1], r->compared, index),
                         .largest = r->largest[index / r->columns],
                         .explained = true};
}

// The payload of an element in a second run, or else in the plain one.
static TowerPayload payload_in(const Results *r, int side, FpdSecond second, uint64_t index, FpdShadowed element) {
    const FpdRun *run = r->runs[side]->again[second];
    return run ? fpd_element_of(r->cas, run, r->compared, index).payload : element.payload;
}

// Whether close calls that fall otherwise change the payload of one of the two, and payloads that decide all of them
// make the two equal. That flipping some of them makes one variant's payload the other's is not enough: of small
// numbers nearly all calls are close, and a row that is rounded down has in each element what another choice would have
// given.
static bool is_explained(const Results *r, const FpdElements *e, uint64_t index) {
    static const FpdSecond flips[] = {FPD_SECOND_flips, FPD_SECOND_other_flips};
    TowerPayload settled[2];
    bool changes = false;
    if (!((e->a.payload.state | e->b.payload.state) & TOWER_NEAR)) return false;
    for (int side = 0; side < 2; side++) {
        const FpdShadowed element = side ? e->b : e->a;
        for (size_t k = 0; k < BASE_COUNT(flips); k++)
            changes |= tower_compare(e->tower, element.payload, payload_in(r, side, flips[k], index, element), NULL) !=
                       TOWER_EQUAL;
        settled[side] = payload_in(r, side, FPD_SECOND_settled, index, element);
    }
    return changes && tower_compare(e->tower, settled[0], settled[1], NULL) == TOWER_EQUAL;
}

// What the other convention for roots may change: the payloads differ, and the numbers do not say that they should.
static bool may_be_signs(const FpdElements *e, FpdElementVerdict verdict) {
    return (verdict == FPD_ELEMENT_ROOTS || verdict == FPD_ELEMENT_DIFFER || verdict == FPD_ELEMENT_TIE) &&
           element_is_float(e->type) && numbers_within(e, ROUNDING_SHARE_MAX);
}

// Both variants with signed roots, with the numbers of the plain runs.
static bool same_with_signs(const Results *r, const FpdElements *e, uint64_t index) {
    const FpdRun *left = r->runs[0]->again[FPD_SECOND_signs], *right = r->runs[1]->again[FPD_SECOND_signs];
    if (!left || !right) return false;
    FpdShadowed x = fpd_element_of(r->cas, left, r->compared, index),
                y = fpd_element_of(r->cas, right, r->compared, index);
    return x.bits == e->a.bits && y.bits == e->b.bits &&
           tower_compare(left->tower, x.payload, y.payload, NULL) == TOWER_EQUAL;
}

// The numbers of an element without rounding, by the choices of the floats. False: nobody asked for them.
static bool find_unrounded(const Results *r, const FpdElements *e, uint64_t index, double *x, double *y) {
    const FpdRun *left = r->runs[0]->again[FPD_SECOND_unrounded], *right = r->runs[1]->again[FPD_SECOND_unrounded];
    if (!left || !right || fpd_element_bits(e->type, left->bytes[r->compared], index) != e->a.bits ||
        fpd_element_bits(e->type, right->bytes[r->compared], index) != e->b.bits)
        return false;
    *x = fpd_unrounded(r->cas, left, r->compared, index).high;
    *y = fpd_unrounded(r->cas, right, r->compared, index).high;
    return true;
}

// Whether the numbers tell the signs of roots: they agree, or, where rounding has driven them apart, they do without
// it. Then they are within a few units of f32, which constants may be off by.
static bool signs_are_told(const Results *r, const FpdElements *e, uint64_t index) {
    double x, y;
    return numbers_agree(e) ||
           (find_unrounded(r, e, index, &x, &y) && are_within(e, x, y, TIE_UNITS * (double)FLT_EPSILON));
}

// Of an element that payloads cannot tell: whether the numbers may say that it is another formula. No rounding makes
// them so, but a close call might.
static bool may_be_apart(const FpdElements *e) {
    return !((e->a.payload.state | e->b.payload.state) & (TOWER_NEAR | TOWER_ROUNDED | TOWER_KIND));
}

static FpdElementVerdict verdict_of_unknown(const Results *r, const FpdElements *e, uint64_t index) {
    double x, y;
    const bool found = may_be_apart(e) && find_unrounded(r, e, index, &x, &y) && isfinite(x) && isfinite(y);
    return found && !are_within(e, x, y, TIE_SHARE_MAX) ? FPD_ELEMENT_APART : FPD_ELEMENT_UNKNOWN;
}

bool fpd_have_no_field(const FpdShadowed *a, const FpdShadowed *b) {
    const uint32_t states = a->payload.state | b->payload.state;
    return !(states & TOWER_KIND) && tower_group(a->tower, states, TOWER_MISSING_SHIFT) == tower_components(a->tower);
}

// No field is left, and a longer chain may leave one.
static bool may_be_deep(const FpdElements *e, FpdElementVerdict verdict) {
    return verdict == FPD_ELEMENT_UNKNOWN && fpd_have_no_field(&e->a, &e->b);
}

// The same elements in the deep tower, with the numbers of the plain runs. False: nobody asked for it.
static bool find_deep(const Results *r, uint64_t index, FpdElements *e) {
    const FpdRun *left = r->runs[0]->again[FPD_SECOND_deep], *right = r->runs[1]->again[FPD_SECOND_deep];
    if (!left || !right) return false;
    const FpdShadowed a = fpd_element_of(r->cas, left, r->compared, index),
                      b = fpd_element_of(r->cas, right, r->compared, index);
    if (a.bits != e->a.bits || b.bits != e->b.bits) return false;
    e->tower = left->tower;
    e->a = a;
    e->b = b;
    e->explained = false; // close calls were not settled there
    e->deep = true;
    return true;
}

void fpd_elements_of(const FpdCase *cas, const FpdRun *left, const FpdRun *right, uint32_t compared, uint64_t index,
                     FpdShadowed *a, FpdShadowed *b) {
    const Results r = {.cas = cas, .compared = compared, .runs = {left, right}};
    FpdElements e = {.a = fpd_element_of(cas, left, compared, index), .b = fpd_element_of(cas, right, compared, index)};
    if (e.a.tower && fpd_have_no_field(&e.a, &e.b)) find_deep(&r, index, &e);
    *a = e.a;
    *b = e.b;
}

static FpdElementVerdict verdict_at(const Results *r, FpdElements *e, uint64_t index) {
    e->explained = is_explained(r, e, index);
    FpdElementVerdict verdict = fpd_element_verdict(e);
    FpdElements deep = *e;
    if (may_be_deep(e, verdict) && find_deep(r, index, &deep)) {
        const FpdElementVerdict other = fpd_element_verdict(&deep);
        if (other != verdict) *e = deep;
        if (other != FPD_ELEMENT_UNKNOWN) return other;
    }
    if (verdict == FPD_ELEMENT_UNKNOWN) return verdict_of_unknown(r, e, index);
    const bool same = may_be_signs(e, verdict) && same_with_signs(r, e, index) && signs_are_told(r, e, index);
    return same ? FPD_ELEMENT_EQUAL : verdict;
}

// ---- what asks for second runs --------------------------------------------------------------------------------------

// Whether any compared float is such a one. No equal one is.
static bool any_element(const FpdCase *cas, const FpdRun *left, const FpdRun *right,
                        bool (*is_such)(const Results *r, uint64_t index, const FpdElements *e,
                                        FpdElementVerdict verdict)) {
    bool found = false;
    for (uint32_t c = 0; c < cas->compare_count && !found; c++) {
        Arena scratch = {0};
        if (!element_is_float(cas->buffers[cas->compare[c]].type)) continue;
        if (fpd_all_equal_at_a_glance(cas, c, left, right)) continue;
        const FpdGlance glance = fpd_glance_at(cas, c, left, right);
        const Results r = compared_results(&scratch, cas, c, left, right);
        for (uint64_t i = 0; i < r.buffer->elements && !found; i++) {
            if (fpd_equal_at_a_glance(&glance, i)) continue;
            const FpdElements e = elements_at(&r, i);
            found = is_such(&r, i, &e, fpd_element_verdict(&e));
        }
        arena_reset(&scratch);
    }
    return found;
}

static bool asks_for_depth(const Results *r, uint64_t index, const FpdElements *e, FpdElementVerdict verdict) {
    (void)r, (void)index;
    return may_be_deep(e, verdict);
}

bool fpd_may_be_deep(const FpdCase *cas, const FpdRun *left, const FpdRun *right) {
    return any_element(cas, left, right, asks_for_depth);
}

bool fpd_may_be_signs(const FpdCase *cas, const FpdRun *left, const FpdRun *right) {
    uint64_t near = 0, far = 0;
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        Arena scratch = {0};
        if (!element_is_float(cas->buffers[cas->compare[c]].type)) continue;
        if (fpd_all_equal_at_a_glance(cas, c, left, right)) continue;
        const FpdGlance glance = fpd_glance_at(cas, c, left, right);
        const Results r = compared_results(&scratch, cas, c, left, right);
        for (uint64_t i = 0; i < r.buffer->elements; i++) {
            if (fpd_equal_at_a_glance(&glance, i)) continue;
            const FpdElements e = elements_at(&r, i);
            FpdElementVerdict verdict = fpd_element_verdict(&e);
            if (verdict_infos[verdict].divergence == FPD_DIVERGES_NEVER || verdict == FPD_ELEMENT_TIE ||
                verdict == FPD_ELEMENT_UNKNOWN)
                continue;
            const bool possible = may_be_signs(&e, verdict);
            far += !possible;
            near += possible && !(verdict == FPD_ELEMENT_ROOTS && cas->allow_roots);
        }
        arena_reset(&scratch);
    }
    return near && near >= far;
}

static bool asks_for_numbers(const Results *r, uint64_t index, const FpdElements *e, FpdElementVerdict verdict) {
    FpdElements element = *e;
    return verdict == FPD_ELEMENT_UNKNOWN
               ? may_be_apart(e) && !numbers_within(e, ROUNDING_SHARE_MAX) &&
                     verdict_at(r, &element, index) == FPD_ELEMENT_UNKNOWN
               : may_be_signs(e, verdict) && !numbers_agree(e) && same_with_signs(r, e, index);
}

bool fpd_needs_numbers(const FpdCase *cas, const FpdRun *left, const FpdRun *right) {
    return any_element(cas, left, right, asks_for_numbers);
}

static bool is_tie(const Results *r, uint64_t index, const FpdElements *e, FpdElementVerdict verdict) {
    (void)r, (void)index, (void)e;
    return verdict == FPD_ELEMENT_TIE;
}

bool fpd_may_tie(const FpdCase *cas, const FpdRun *left, const FpdRun *right) {
    return any_element(cas, left, right, is_tie);
}

bool fpd_first_unspecified(const FpdCase *cas, const FpdRun *run, uint32_t *compared, uint64_t *index) {
    for (*compared = 0; *compared < cas->compare_count; ++*compared)
        for (*index = 0; *index < cas->buffers[cas->compare[*compared]].elements; ++*index)
            if (tower_is_poison(fpd_element_of(cas, run, *compared, *index).payload)) return true;
    return false;
}

static bool is_certain(const FpdElements *e) {
    const FpdElementVerdict verdict = fpd_element_verdict(e);
    return verdict != FPD_ELEMENT_UNSPECIFIED && verdict_infos[verdict].divergence == FPD_DIVERGES_ALWAYS &&
           !may_be_signs(e, verdict) && !may_be_deep(e, verdict);
}

bool fpd_first_certain(const FpdCase *cas, const FpdRun *left, const FpdRun *right, uint32_t *compared,
                       uint64_t *index) {
    for (*compared = 0; *compared < cas->compare_count; ++*compared) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[*compared]];
        const uint64_t columns = columns_of(buffer);
        double largest = 0;
        Results r = {cas, *compared, buffer, {left, right}, buffer->elements + 1, &largest, 0};
        for (*index = 0; *index < buffer->elements; ++*index) {
            if (*index % columns == 0)
                largest = largest_in_row(buffer, left->bytes[*compared], right->bytes[*compared], *index / columns);
            const FpdElements e = elements_at(&r, *index);
            if (is_certain(&e)) return true;
        }
    }
    return false;
}

// ---- equal as a formula, and far apart as numbers -------------------------------------------------------------------

// Of an element that is equal as a formula. In short rows all elements may be what is left of others that cancelled; so
// they may in a row of which one variant has zeros only, if they are small beside those of other rows. What was rounded
// to integers on its way may be a step apart. Constants of f64 may be no better than f32: cuTile makes them so, and
// payloads forgive it.
static FpdFarthest numbers_apart(const Results *r, const FpdElements *e, uint64_t index) {
    enum { SHORT_ROW = 4 };
    const uint32_t state = e->a.payload.state | e->b.payload.state;
    const double x = fpd_element_value(e->type, e->a.bits), y = fpd_element_value(e->type, e->b.bits);
    FpdFarthest apart = {.index = index};
    if (!element_is_float(e->type) || e->a.bits == e->b.bits || x == y || (isnan(x) && isnan(y))) return apart;
    const bool finite = isfinite(x) && isfinite(y);
    const double largest = e->largest > 0 ? e->largest : r->most;
    if (state & TOWER_ROUNDED || (finite && (r->columns < SHORT_ROW || largest == 0))) return apart;
    apart.of_row = finite ? fabs(x - y) / largest : INFINITY;
    const int digits = narrowest_digits(e->type, state);
    apart.roundings = ldexp(apart.of_row, digits < FLT_MANT_DIG ? digits : FLT_MANT_DIG);
    return apart;
}

// Of some rows alone nothing is said: where what they are divided by nearly cancelled, right variants are far apart.
static bool has_far_rows(const FpdDifference *difference) {
    enum { SHARE = 4 };
    return isinf(difference->farthest.roundings) || difference->far_rows > difference->rows / SHARE;
}

const FpdFarthest *fpd_farthest(uint32_t count, const FpdDifference *differences, uint32_t *compared) {
    const FpdFarthest *farthest = NULL;
    for (uint32_t c = 0; c < count; c++) {
        const FpdFarthest *one = &differences[c].farthest;
        if (!has_far_rows(&differences[c]) || one->roundings <= FAR_ROUNDINGS) continue;
        if (farthest && one->roundings <= farthest->roundings) continue;
        farthest = one;
        *compared = c;
    }
    return farthest;
}

// Of elements in order; `row`: the farthest of the row so far.
static void add_apart(const Results *r, const FpdElements *e, uint64_t index, FpdFarthest *row, FpdDifference *d) {
    const FpdFarthest apart = numbers_apart(r, e, index);
    const bool begins = !d->rows || row->index / r->columns != index / r->columns;
    if (begins) *row = (FpdFarthest){.index = index}, d->rows++;
    if (apart.roundings > FAR_ROUNDINGS && row->roundings <= FAR_ROUNDINGS) d->far_rows++;
    row->roundings = fmax(row->roundings, apart.roundings);
    if (apart.roundings > d->farthest.roundings) d->farthest = apart;
}

typedef FpdElementVerdict VerdictAt(const Results *r, FpdElements *e, uint64_t index);

// Whether the second build has the payload of the first one if all decides as there (decisions.c).
static bool same_if_decided_alike(const Results *r, const FpdElements *e, uint64_t index) {
    const FpdTurns *turns = r->runs[1]->turns;
    if (!turns || !turns->count) return false;
    const FpdShadowed again = fpd_element_of(r->cas, turns->replayed, r->compared, index);
    return tower_compare(e->tower, e->a.payload, again.payload, NULL) == TOWER_EQUAL;
}

// The element of one variant in two builds. Of an integer nothing is known but its bits: what it was made from fell
// otherwise.
static FpdElementVerdict build_verdict_at(const Results *r, FpdElements *e, uint64_t index) {
    const TowerPayload a = e->a.payload, b = e->b.payload;
    const bool same = e->a.bits == e->b.bits;
    if (tower_is_poison(a) || tower_is_poison(b)) return FPD_ELEMENT_UNSPECIFIED;
    if (!element_is_float(e->type)) return same ? FPD_ELEMENT_EQUAL : FPD_ELEMENT_DECISION;
    const bool a_nan = isnan(fpd_element_value(e->type, e->a.bits)),
               b_nan = isnan(fpd_element_value(e->type, e->b.bits));
    if (a_nan != b_nan) return FPD_ELEMENT_NAN_IN_ONE;
    const TowerVerdict verdict = tower_compare(e->tower, a, b, NULL);
    if (verdict == TOWER_EQUAL) return same ? FPD_ELEMENT_EQUAL : FPD_ELEMENT_NUMERIC;
    const bool close = (a.state | b.state) & (TOWER_NEAR | TOWER_ROUNDED), special = (a.state | b.state) & TOWER_KIND;
    if (a_nan && (verdict == TOWER_UNKNOWN || close || special)) return FPD_ELEMENT_BOTH_NAN;
    if (verdict == TOWER_UNKNOWN && same) return FPD_ELEMENT_EQUAL; // of the same bits nothing says that they differ
    if (close) return FPD_ELEMENT_DECISION;
    // Without records, as two f4E2M1FN in a byte are, payloads are those of the bits and know no formula.
    if (verdict == TOWER_UNKNOWN || (!e->a.record && !e->b.record)) return FPD_ELEMENT_UNKNOWN;
    return same_if_decided_alike(r, e, index) ? FPD_ELEMENT_DECISION : FPD_ELEMENT_REWRITE;
}

bool fpd_may_have_turned(const FpdCase *cas, const FpdRun *left, const FpdRun *right) {
    bool found = false;
    for (uint32_t c = 0; c < cas->compare_count && !found; c++) {
        Arena scratch = {0};
        const Results r = compared_results(&scratch, cas, c, left, right);
        for (uint64_t i = 0; i < r.buffer->elements && !found; i++) {
            FpdElements e = elements_at(&r, i);
            const FpdElementVerdict verdict = build_verdict_at(&r, &e, i);
            found = verdict == FPD_ELEMENT_DECISION || verdict == FPD_ELEMENT_REWRITE;
        }
        arena_reset(&scratch);
    }
    return found;
}

// Whether the numbers are beyond the tolerance, if there is one. It says nothing of integers.
static bool is_beyond(const Results *r, uint64_t index) {
    const ElementType type = r->buffer->type;
    return r->cas->tolerance.given && element_is_float(type) &&
           !fpd_element_within(type, fpd_element_bits(type, r->runs[0]->bytes[r->compared], index),
                               fpd_element_bits(type, r->runs[1]->bytes[r->compared], index), r->cas->tolerance);
}

static FpdDifference compare_results(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                     const FpdRun *const runs[2], VerdictAt *verdict_of) {
    Arena scratch = {0};
    const FpdRun *left = runs[0], *right = runs[1];
    const bool builds = verdict_of == build_verdict_at;
    const Results r = compared_results(&scratch, cas, compared, left, right);
    const FpdBuffer *buffer = r.buffer;
    uint8_t *marks = arena_alloc(&scratch, buffer->elements / 8 + 1),
            *verdicts = arena_alloc(arena, buffer->elements + 1);
    FpdDifference d = {.buffer = cas->compare[compared],
                       .elements = buffer->elements,
                       .reference = left->bytes[compared],
                       .other = right->bytes[compared],
                       .verdict_of = verdicts};
    FpdFarthest farthest_of_row = {0};
    const FpdGlance glance = fpd_glance_at(cas, compared, left, right);
    for (uint64_t i = 0; i < buffer->elements; i++) {
        if (!builds && fpd_equal_at_a_glance(&glance, i)) {
            const FpdElements e = {.cas = cas,
                                   .tower = glance.tower,
                                   .type = buffer->type,
                                   .a = fpd_element_at_a_glance(&glance, 0, i),
                                   .b = fpd_element_at_a_glance(&glance, 1, i),
                                   .largest = r.largest[i / r.columns]};
            verdicts[i] = FPD_ELEMENT_EQUAL;
            count_element(&d.verdicts[FPD_ELEMENT_EQUAL], i);
            add_apart(&r, &e, i, &farthest_of_row, &d);
            continue;
        }
        FpdElements e = elements_at(&r, i);
        verdicts[i] = (uint8_t)verdict_of(&r, &e, i);
        count_element(&d.verdicts[verdicts[i]], i);
        d.deep += e.deep;
        if (verdicts[i] == FPD_ELEMENT_EQUAL && !builds) add_apart(&r, &e, i, &farthest_of_row, &d);
        d.nothing_known[0] += nothing_known(e.tower, e.type, e.a);
        d.nothing_known[1] += nothing_known(e.tower, e.type, e.b);
    }
    for (int v = 0; v < FPD_ELEMENT_COUNT; v++)
        d.verdicts[v].diverges = count_diverges(cas, (FpdElementVerdict)v, d.verdicts[v].count, d.elements);
    for (uint64_t i = 0; i < buffer->elements; i++)
        if (d.verdicts[verdicts[i]].diverges || (builds && is_beyond(&r, i))) fpd_mark_different(buffer, i, marks, &d);
    if (d.different) d.pattern = fpd_pattern(arena, buffer, tile, marks, &d);
    d.distance = fpd_distance(buffer->type, buffer->elements, cas->tolerance, d.reference, d.other);
    arena_reset(&scratch);
    return d;
}

FpdDifference fpd_compare_records(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                  const FpdRun *left, const FpdRun *right) {
    return compare_results(arena, cas, compared, tile, (const FpdRun *const[2]){left, right}, verdict_at);
}

FpdDifference fpd_compare_builds(Arena *arena, const FpdCase *cas, uint32_t compared, const ProgramUse *tile,
                                 const FpdRun *left, const FpdRun *right) {
    return compare_results(arena, cas, compared, tile, (const FpdRun *const[2]){left, right}, build_verdict_at);
}
