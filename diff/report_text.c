// SPDX-License-Identifier: Apache-2.0
// The report for people: a line per comparison, below a divergence where it lies and what its first
// elements are.
#include "diff/report_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fpd_text_styled(const TextReport *t, TextStyle style, const char *text) {
    static const char *const codes[] = {
#define STYLE(name, code) code,
        TEXT_STYLES(STYLE)
#undef STYLE
    };
    if (t->color)
        buffer_print(t->out, "\033[%sm%s\033[0m", codes[style], text);
    else
        buffer_print(t->out, "%s", text);
}

void fpd_print_index(const FpdBuffer *buffer, uint64_t linear, Buffer *out) {
    int64_t at[FPD_RANK_MAX];
    for (uint32_t d = buffer->rank; d-- > 0; linear /= (uint64_t)buffer->shape[d])
        at[d] = (int64_t)(linear % (uint64_t)buffer->shape[d]);
    buffer_print(out, "[");
    for (uint32_t d = 0; d < buffer->rank; d++) buffer_print(out, "%s%" PRId64, d ? ", " : "", at[d]);
    buffer_print(out, "]");
}

// "[0:2, 64:128]", a region with both ends given as indices inside it.
static void print_region(const FpdBuffer *buffer, const int64_t *low, const int64_t *high, Buffer *out) {
    buffer_print(out, "[");
    for (uint32_t d = 0; d < buffer->rank; d++)
        buffer_print(out, "%s%" PRId64 ":%" PRId64, d ? ", " : "", low[d], high[d] + 1);
    buffer_print(out, "]");
}

// A share that is neither 0 nor 1 never prints as 0 % or 100 %.
void fpd_text_share(Buffer *out, uint64_t part, uint64_t whole) {
    double percent = 100.0 * (double)part / (double)whole;
    if (part == whole)
        buffer_print(out, "100 %%");
    else if (percent > 99.9)
        buffer_print(out, "over 99.9 %%");
    else if (percent < 0.1)
        buffer_print(out, "below 0.1 %%");
    else
        buffer_print(out, "%.1f %%", percent);
}

// ---- one line per comparison ----------------------------------------------------------------------------------------

static void print_counts(const TextReport *t, const FpdComparison *comparison) {
    const char *comma = "";
    for (uint32_t c = 0; c < t->cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        const char *name = t->cas->buffers[d->buffer].name;
        if (comparison->different && !d->different) continue;
        if (!d->different)
            buffer_print(t->out, "%s%" PRIu64 " elements of %s", comma, d->elements, name);
        else {
            buffer_print(t->out, "%s%" PRIu64 " of %" PRIu64 " elements of %s (", comma, d->different, d->elements,
                         name);
            fpd_text_share(t->out, d->different, d->elements);
            buffer_print(t->out, ")");
        }
        comma = ", ";
    }
}

// Where the numbers of two runs are compared: where their payloads are beside the numbers, with these.
static const FpdComparison *numbers_for(const FpdOutcome *outcome, const FpdComparison *comparison) {
    if (comparison->left->arithmetic->payloads != FPD_PAYLOADS_IN_PLACE) return comparison;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *other = &outcome->comparisons[i];
        if (other->question == FPD_QUESTION_numbers && other->left->variant == comparison->left->variant &&
            other->right->variant == comparison->right->variant && other->left->build == comparison->left->build)
            return other;
    }
    return NULL;
}

static FpdDistance largest_distance(const FpdCase *cas, const FpdComparison *comparison) {
    return comparison ? fpd_largest_distance(cas->compare_count, comparison->differences, NULL) : (FpdDistance){0};
}

static void print_distance(const TextReport *t, const FpdDistance *d) {
    if (!d->different) {
        buffer_print(t->out, "identical");
        return;
    }
    if (d->different > d->incomparable)
        buffer_print(t->out, "at most %.3g apart (relative %.3g, %" PRIu64 " ulp)", d->absolute, d->relative, d->ulps);
    if (d->incomparable)
        buffer_print(t->out, "%s%" PRIu64 " element%s NaN or infinite on one side",
                     d->different > d->incomparable ? ", and " : "", d->incomparable, d->incomparable == 1 ? "" : "s");
}

static void print_verdict(const TextReport *t, const FpdComparison *comparison) {
    enum { STYLE_EXPECTED = -1, STYLE_BUILD = -2 };
    static const struct {
        const char *text;
        int style;
    } rows[FPD_VERDICT_COUNT] = {
#define ANSWER(verdict, programs, people, style) {people, STYLE_##style},
#include "diff/answers.def"
#undef ANSWER
    };
    int style = rows[comparison->verdict].style;
    if (style == STYLE_EXPECTED) { // numbers beyond the tolerance never are
        const bool beyond = comparison->verdict == FPD_VERDICT_DIVERGED && comparison->beyond;
        style = t->cas->expect_diverge && !beyond ? STYLE_WARN : STYLE_BAD;
    }
    if (style == STYLE_BUILD) style = comparison->fails ? STYLE_BAD : STYLE_GOOD;
    char text[16];
    snprintf(text, sizeof text, "%-*s", comparison->question == FPD_QUESTION_builds ? 9 : 8,
             rows[comparison->verdict].text);
    if (fpd_is_less_accurate(t->outcome, comparison)) {
        fpd_text_styled(t, (TextStyle)style, rows[comparison->verdict].text);
        fpd_text_styled(t, STYLE_WARN, ", LESS ACCURATE");
        return;
    }
    fpd_text_styled(t, (TextStyle)style, text);
}

// Whether nothing but unspecified values makes numbers diverge, or ops and elements that no verdict of an element
// counts.
static bool decides(const FpdComparison *comparison) {
    if (comparison->unspecified) return true;
    return comparison->question == FPD_QUESTION_numbers && comparison->verdict == FPD_VERDICT_DIVERGED &&
           comparison->beyond < comparison->different;
}

static const char *name_of(const TextReport *t, const FpdRun *run) {
    return t->cas->variants[run->variant].name;
}

// The build, in a column of its own where there are several.
static void print_build(const TextReport *t, const FpdComparison *comparison) {
    if (fpd_run_builds(t->cas) > 1)
        buffer_print(t->out, "%-*s  ", t->build_width, fpd_build_name(t->cas, comparison->right->build));
}

static void print_tolerance(const TextReport *t, uint64_t beyond) {
    buffer_print(t->out, "; ");
    if (beyond) buffer_print(t->out, "%" PRIu64 " ", beyond);
    buffer_print(t->out, "%s rtol %g, atol %g", beyond ? "beyond" : "within", t->cas->tolerance.rtol,
                 t->cas->tolerance.atol);
}

// ", most at Y[3, 7], cross.py:31": where two builds are farthest apart.
static void print_farthest(const TextReport *t, const FpdComparison *comparison) {
    uint32_t compared = 0;
    char place[TEXT_CELL_SIZE];
    const FpdDistance distance = fpd_largest_distance(t->cas->compare_count, comparison->differences, &compared);
    const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[compared]];
    const FpdRun *run = comparison->right;
    const FpdStore *writer = fpd_writer_of(t->cas, run, compared, distance.farthest);
    buffer_print(t->out, ", %s %s", distance.incomparable ? "the first at" : "most at", buffer->name);
    fpd_print_index(buffer, distance.farthest, t->out);
    if (!writer) return;
    fpd_text_store(writer, &t->cas->variants[run->variant], place);
    buffer_print(t->out, ", %s", place);
}

// Tolerances are for floats.
static bool floats_changed(const FpdCase *cas, const FpdComparison *comparison) {
    bool changed = false;
    for (uint32_t c = 0; c < cas->compare_count; c++)
        changed |=
            element_is_float(cas->buffers[cas->compare[c]].type) && comparison->differences[c].distance.different;
    return changed;
}

// "  online  fast  NUMERIC  ...": what another build changes in a variant.
static void print_build_line(const TextReport *t, const FpdComparison *comparison) {
    const FpdDistance distance = largest_distance(t->cas, comparison);
    buffer_print(t->out, "  %-*s  ", t->variant_width, name_of(t, comparison->right));
    print_build(t, comparison);
    print_verdict(t, comparison);
    buffer_print(t->out, "  ");
    if (comparison->left->arithmetic->payloads == FPD_PAYLOADS_IN_PLACE) {
        buffer_print(t->out, "payloads of %s", fpd_profile_name(t->cas));
    } else if (!distance.different) {
        buffer_print(t->out, "the same numbers%s",
                     comparison->verdict == FPD_VERDICT_NUMERIC ? ", other signs of zeros or bits of NaN" : "");
    } else {
        buffer_print(t->out, "%" PRIu64 " of %" PRIu64 " elements (", distance.different, comparison->elements);
        fpd_text_share(t->out, distance.different, comparison->elements);
        buffer_print(t->out, ") ");
        if (distance.ulps || distance.incomparable)
            print_distance(t, &distance);
        else // integers
            buffer_print(t->out, "at most %.3g apart", distance.absolute);
        print_farthest(t, comparison);
    }
    if (t->cas->tolerance.given && floats_changed(t->cas, comparison)) print_tolerance(t, comparison->beyond);
    buffer_print(t->out, "\n");
}

// What "equal" is worth.
static void print_certainty(const TextReport *t, const FpdCertainty *certainty) {
    if (!certainty) return;
    if (certainty->none) {
        buffer_print(t->out, "      no bound on the chance of a missed difference: %s\n", certainty->none);
        return;
    }
    buffer_print(t->out,
                 "      chance of a missed difference below 2^%.0f: degree %" PRIu64 ", %u field%s, %" PRIu64
                 " elements",
                 ceil(certainty->log2), certainty->degree, certainty->fields, certainty->fields == 1 ? "" : "s",
                 certainty->elements);
    if (certainty->uncovered) buffer_print(t->out, ", not %" PRIu64 " others", certainty->uncovered);
    if (certainty->runs > 1) buffer_print(t->out, "; %u runs", certainty->runs);
    buffer_print(t->out, "\n");
}

// What other data say of ties.
static void print_look(const TextReport *t, const FpdLook *look) {
    if (!look) return;
    const bool one = look->ties == 1;
    buffer_print(t->out, "      %" PRIu64 " tie%s: ", look->ties, one ? "" : "s");
    if (!look->runs)
        buffer_print(t->out, "not told apart with other data: %s\n", fpd_look_reason(look));
    else
        buffer_print(t->out, "with other data (%" PRIu32 " seed%s) nothing diverges, and ", look->runs,
                     look->runs == 1 ? "" : "s");
    if (look->runs && look->apart == look->ties)
        buffer_print(t->out, one ? "it is equal\n" : "all are equal\n");
    else if (look->runs && look->apart)
        buffer_print(t->out, "%" PRIu64 " of them %s equal\n", look->apart, look->apart == 1 ? "is" : "are");
    else if (look->runs)
        buffer_print(t->out, one ? "it stays one\n" : "all stay ties\n");
    if (look->unclear)
        buffer_print(t->out,
                     "      with %" PRIu32 " other seed%s (%" PRIu64 ") elements differ, all after close calls\n",
                     look->unclear, look->unclear == 1 ? "" : "s", look->unclear_seed);
}

static void print_comparison_line(const TextReport *t, const FpdComparison *comparison) {
    const bool formula = comparison->question == FPD_QUESTION_formula;
    const FpdComparison *numbers = numbers_for(t->outcome, comparison);
    const FpdDistance distance = largest_distance(t->cas, numbers);
    char mode[FPD_MODE_TEXT_SIZE];
    fpd_comparison_mode(comparison, mode);
    buffer_print(t->out, "  %s | %-*s  %-5s  ", name_of(t, comparison->left), t->name_width,
                 name_of(t, comparison->right), mode);
    print_build(t, comparison);
    print_verdict(t, comparison);
    buffer_print(t->out, "  ");
    fpd_text_errors(t, comparison);
    if (comparison->verdict != FPD_VERDICT_REPORTED) print_counts(t, comparison);
    if (!formula && t->cas->tolerance.given)
        buffer_print(t->out, "%s rtol %g, atol %g", comparison->different ? " beyond" : " within",
                     t->cas->tolerance.rtol, t->cas->tolerance.atol);
    if (decides(comparison)) buffer_print(t->out, "%s unspecified values decide", comparison->different ? ";" : ",");
    if (distance.known) {
        buffer_print(t->out, "%s", formula ? "; IEEE " : comparison->verdict == FPD_VERDICT_REPORTED ? "" : "; ");
        print_distance(t, &distance);
    }
    buffer_print(t->out, "\n");
}

// ---- the first elements of a divergence, as a table -----------------------------------------------------------------

void fpd_text_cell(TextTable *table, unsigned row, unsigned column, const char *format, ...) {
    va_list arguments;
    assert(row < TEXT_ROWS && column < TEXT_COLUMNS);
    va_start(arguments, format);
    vsnprintf(table->cells[row][column], TEXT_CELL_SIZE, format, arguments);
    va_end(arguments);
    if (row >= table->rows) table->rows = row + 1;
    if (column >= table->columns) table->columns = column + 1;
}

void fpd_text_table(const TextReport *t, const TextTable *table) {
    for (unsigned r = 0; r < table->rows; r++) {
        buffer_print(t->out, "      ");
        unsigned last = table->columns;
        while (last && !*table->cells[r][last - 1]) last--; // no blanks at the end of a line
        for (unsigned c = 0; c < last; c++) {
            size_t width = 0;
            for (unsigned i = 0; i < table->rows; i++)
                if (strlen(table->cells[i][c]) > width) width = strlen(table->cells[i][c]);
            if (c + 1 < last)
                buffer_print(t->out, "%-*s  ", (int)width, table->cells[r][c]);
            else
                buffer_print(t->out, "%s", table->cells[r][c]);
        }
        buffer_print(t->out, "\n");
    }
}

// A payload has two hexadecimal digits for each byte of its type; integers stay decimal numbers.
static void set_payload(const TextReport *t, TextTable *table, unsigned row, unsigned column, ElementType type,
                        uint64_t bits) {
    const ElementInfo *info = element_info(type);
    char text[FPD_TEXT_SIZE];
    fpd_element_text(type, bits, text);
    if (!element_is_float(type))
        fpd_text_cell(table, row, column, "%s", text);
    else
        fpd_text_cell(table, row, column, "0x%0*" PRIx64, (int)(info->storage_bits / 4),
                      fpsan_embed(t->cas->algebra.profile, element_format(type), bits));
}

void fpd_text_numbers(TextTable *table, unsigned row, unsigned column, ElementType type, uint64_t a, uint64_t b) {
    char x[FPD_TEXT_SIZE], y[FPD_TEXT_SIZE];
    fpd_element_text(type, a, x);
    fpd_element_text(type, b, y);
    fpd_text_cell(table, row, column, "%s", x);
    fpd_text_cell(table, row, column + 1, "%s", y);
    bool numbers =
        element_is_float(type) && strcmp(x, "nan") && strcmp(y, "nan") && !strstr(x, "inf") && !strstr(y, "inf");
    if (numbers) fpd_text_cell(table, row, column + 2, "%" PRIu64 " ulp", fpd_element_ulps(type, a, b));
}

static void print_elements(const TextReport *t, const FpdComparison *comparison, uint32_t c) {
    const FpdDifference *d = &comparison->differences[c];
    const FpdBuffer *buffer = &t->cas->buffers[d->buffer];
    const bool builds = comparison->question == FPD_QUESTION_builds; // of one variant
    const char *first = builds ? fpd_build_name(t->cas, comparison->left->build) : name_of(t, comparison->left),
               *second = builds ? fpd_build_name(t->cas, comparison->right->build) : name_of(t, comparison->right);
    const bool payload = comparison->left->arithmetic->payloads == FPD_PAYLOADS_IN_PLACE;
    const FpdComparison *numbers = payload ? numbers_for(t->outcome, comparison) : NULL;
    TextTable table = {.rows = 0};
    fpd_text_cell(&table, 0, 0, "%s", buffer->name);
    fpd_text_cell(&table, 0, 1, "%.60s%s", first, payload ? " payload" : "");
    fpd_text_cell(&table, 0, 2, "%.60s%s", second, payload ? " payload" : "");
    if (numbers) {
        fpd_text_cell(&table, 0, 3, "%.60s in IEEE", first);
        fpd_text_cell(&table, 0, 4, "%.60s in IEEE", second);
    }
    for (uint32_t i = 0; i < d->first_count; i++) {
        uint64_t at = d->first[i], a = fpd_element_bits(buffer->type, d->reference, at),
                 b = fpd_element_bits(buffer->type, d->other, at);
        Buffer index = {0};
        fpd_print_index(buffer, at, &index);
        fpd_text_cell(&table, i + 1, 0, "%s", index.data);
        buffer_free(&index);
        if (payload) {
            set_payload(t, &table, i + 1, 1, buffer->type, a);
            set_payload(t, &table, i + 1, 2, buffer->type, b);
        } else
            fpd_text_numbers(&table, i + 1, 1, buffer->type, a, b);
        if (numbers)
            fpd_text_numbers(&table, i + 1, 3, buffer->type,
                             fpd_element_bits(buffer->type, numbers->differences[c].reference, at),
                             fpd_element_bits(buffer->type, numbers->differences[c].other, at));
    }
    fpd_text_table(t, &table);
    if (d->different > d->first_count)
        buffer_print(t->out, "      ... and %" PRIu64 " more\n", d->different - d->first_count);
}

void fpd_text_region(const TextReport *t, const FpdDifference *d) {
    buffer_print(t->out, "      within %s", t->cas->buffers[d->buffer].name);
    print_region(&t->cas->buffers[d->buffer], d->low, d->high, t->out);
    if (d->pattern) buffer_print(t->out, ": %s", d->pattern);
    buffer_print(t->out, "\n");
}

static void print_divergence(const TextReport *t, const FpdComparison *comparison) {
    for (uint32_t c = 0; c < t->cas->compare_count; c++) {
        const FpdDifference *d = &comparison->differences[c];
        if (!d->different) continue;
        fpd_text_region(t, d);
        print_elements(t, comparison, c);
        fpd_text_writers(t, comparison, c);
    }
    fpd_text_losses(t, comparison);
}

// ---- builds ---------------------------------------------------------------------------------------------------------

static const char *people_of(FpdVerdict verdict) {
    static const char *const texts[FPD_VERDICT_COUNT] = {
#define ANSWER(verdict, programs, people, style) people,
#include "diff/answers.def"
#undef ANSWER
    };
    return texts[verdict];
}

// "12 ulp": how far apart, in one cell.
static void print_ulps(const FpdDistance *distance, char *text) {
    if (distance->incomparable)
        snprintf(text, TEXT_CELL_SIZE, "NaN or inf");
    else if (distance->different && !distance->ulps) // integers
        snprintf(text, TEXT_CELL_SIZE, "%.3g apart", distance->absolute);
    else
        snprintf(text, TEXT_CELL_SIZE, "%" PRIu64 " ulp", distance->ulps);
}

// What each licence of the build does alone; in one line those that change nothing.
static void print_culprits(const TextReport *t, const FpdComparison *comparison) {
    TextTable table = {.rows = 0};
    uint32_t failing = 0, idle = 0;
    for (uint32_t i = 0; i < comparison->culprit_count; i++) {
        const FpdCulprit *culprit = &comparison->culprits[i];
        const FpdDistance distance = largest_distance(t->cas, culprit->comparison);
        const unsigned row = table.rows;
        failing += culprit->comparison->fails;
        idle += culprit->comparison->verdict == FPD_VERDICT_IDENTICAL;
        if (culprit->comparison->verdict == FPD_VERDICT_IDENTICAL || row == TEXT_ROWS) continue;
        fpd_text_cell(&table, row, 0, "%s alone", culprit->name);
        fpd_text_cell(&table, row, 1, "%s", people_of(culprit->comparison->verdict));
        if (distance.different) print_ulps(&distance, table.cells[row][2]), table.columns = 4;
        if (culprit->comparison->fails)
            fpd_text_cell(&table, row, 3, "%s", culprit->comparison->beyond ? "beyond the tolerance" : "fails");
        else
            fpd_text_cell(&table, row, 3, "as the case allows");
    }
    fpd_text_table(t, &table);
    const char *between = idle ? "      nothing changes by one alone of: " : "";
    for (uint32_t i = 0; i < comparison->culprit_count; i++) {
        if (comparison->culprits[i].comparison->verdict != FPD_VERDICT_IDENTICAL) continue;
        buffer_print(t->out, "%s%s", between, comparison->culprits[i].name);
        between = ", ";
    }
    if (idle) buffer_print(t->out, "\n");
    if (comparison->culprit_count && !failing)
        buffer_print(t->out, "      none of these alone is to blame: they change the results together\n");
}

// Whether the pair diverges just so in the first build, of which all was said.
static bool was_told(const TextReport *t, const FpdComparison *comparison) {
    for (const FpdComparison *earlier = t->outcome->comparisons; earlier < comparison; earlier++)
        if (comparison->left->build && !earlier->left->build && earlier->question == comparison->question &&
            earlier->right->variant == comparison->right->variant && earlier->right->mode == comparison->right->mode)
            return earlier->verdict == comparison->verdict && earlier->different == comparison->different;
    return false;
}

static void print_build_comparison(const TextReport *t, const FpdComparison *comparison) {
    const bool shown = comparison->fails || comparison->verdict == FPD_VERDICT_DECISION;
    print_build_line(t, comparison);
    if (fpd_compares_records(comparison) && shown)
        fpd_text_records(t, comparison);
    else if (comparison->fails)
        print_divergence(t, comparison), fpd_text_unspecified(t, comparison);
    print_culprits(t, comparison);
}

// The part of the matrix that begins with that variant and build; as much as goes into a table.
static void print_matrix_part(const TextReport *t, uint32_t first_variant, uint32_t first_build) {
    TextTable table = {.rows = 0};
    fpd_text_cell(&table, 0, 0, "from %s", fpd_build_name(t->cas, 0));
    for (uint32_t i = 0; i < t->outcome->comparison_count; i++) {
        const FpdComparison *comparison = &t->outcome->comparisons[i];
        const FpdDistance distance = largest_distance(t->cas, comparison);
        const uint32_t column = comparison->right->build - first_build + 1,
                       row = comparison->right->variant - first_variant + 1; // 0 and huge ones are in other parts
        char ulps[TEXT_CELL_SIZE];
        Buffer share = {0};
        if (comparison->question != FPD_QUESTION_builds || !distance.known) continue;
        if (column - 1 >= MATRIX_COLUMNS - 1 || row - 1 >= TEXT_ROWS - 1) continue;
        fpd_text_cell(&table, 0, column, "%.60s", fpd_build_name(t->cas, comparison->right->build));
        fpd_text_cell(&table, row, 0, "%.60s", name_of(t, comparison->right));
        print_ulps(&distance, ulps);
        fpd_text_share(&share, distance.different, comparison->elements);
        if (distance.different)
            fpd_text_cell(&table, row, column, "%.60s, %.20s", ulps, share.data);
        else
            fpd_text_cell(&table, row, column, "0 ulp");
        buffer_free(&share);
    }
    if (table.rows > 1) fpd_text_table(t, &table);
}

// Variants x builds: the largest distance from the first build, and how many elements differ from it.
static void print_matrix(const TextReport *t) {
    const uint32_t builds = fpd_run_builds(t->cas);
    if (builds < 3 && t->cas->variant_count < 2) return; // one line says it
    for (uint32_t v = 0; v < t->cas->variant_count; v += TEXT_ROWS - 1)
        for (uint32_t b = 1; b < builds; b += MATRIX_COLUMNS - 1) print_matrix_part(t, v, b);
}

// "  NOTE  online, strict: each fma of flash is split ..": one line for each variant and build.
static void print_split(const TextReport *t) {
    const FpdRuns *runs = t->outcome->runs;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const FpdRun *run = &runs->runs[r];
        if (!run->split || run->mode != t->cas->modes[0]) continue; // once, not in each mode
        buffer_print(t->out, "  ");
        fpd_text_styled(t, STYLE_DIM, "NOTE");
        buffer_print(t->out, "  %s, %s: each fma that cuTile made in %s is a product and a sum again\n",
                     name_of(t, run), fpd_build_name(t->cas, run->build), run->split);
    }
}

// ---- why ------------------------------------------------------------------------------------------------------------

// The very words that an earlier comparison was given say nothing new.
static bool was_said(const TextReport *t, const FpdComparison *comparison, const FpdNote *note) {
    for (const FpdComparison *earlier = t->outcome->comparisons; earlier < comparison; earlier++)
        for (uint32_t n = 0; n < earlier->note_count; n++)
            if (!strcmp(earlier->notes[n].message, note->message)) return true;
    return false;
}

static void print_notes(const TextReport *t, const FpdComparison *comparison) {
    for (uint32_t n = 0; n < comparison->note_count; n++) {
        if (was_said(t, comparison, &comparison->notes[n])) continue;
        const char *line = comparison->notes[n].message, *head = "note: ";
        for (const char *end; (end = strchr(line, '\n')); line = end + 1, head = "  ")
            buffer_print(t->out, "      %s%.*s\n", head, (int)(end - line), line);
    }
}

// ---- races between blocks -------------------------------------------------------------------------------------------

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
                 side->by.kind & HOST_ACCESS_WRITES ? "stores" : "reads", side->by.op);
    print_place(&side->by.at, out);
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
        same &= !strcmp(a->sides[i].by.op, b->sides[i].by.op) && a->sides[i].by.at.line == b->sides[i].by.at.line &&
                a->sides[i].by.at.offset == b->sides[i].by.at.offset;
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

static void print_races(const TextReport *t) {
    for (uint32_t r = 0; r < t->outcome->runs->run_count; r++) print_run(t, &t->outcome->runs->runs[r]);
}

// ---- the case -------------------------------------------------------------------------------------------------------

static void print_reason(const TextReport *t, const char **comma, uint32_t count, const char *what) {
    if (!count) return;
    buffer_print(t->out, "%s %u pair%s %s", *comma, count, count == 1 ? "" : "s", what);
    *comma = ",";
}

static void print_conclusion(const TextReport *t) {
    const FpdOutcome *o = t->outcome;
    bool vacuous = fpd_vacuous_reason(o);
    buffer_print(t->out, "  ");
    if (!o->status) {
        fpd_text_styled(t, STYLE_GOOD, "OK");
        buffer_print(t->out, "%s%s\n", t->cas->expect_diverge ? ", diverges as expected" : "",
                     o->vacuous_count ? ", vacuous as allowed" : "");
        return;
    }
    fpd_text_styled(t, STYLE_BAD, "FAILED");
    buffer_print(t->out, ":");
    const char *comma = "";
    uint32_t payload = 0, numbers = 0, lost = 0, unknown = 0, races = 0, misuses = 0;
    for (uint32_t p = 0; p < o->comparison_count; p++) {
        const FpdComparison *comparison = &o->comparisons[p];
        if (comparison->question == FPD_QUESTION_builds) continue;
        bool diverged = comparison->verdict == FPD_VERDICT_DIVERGED,
             is_lost = comparison->lost[0] || comparison->lost[1];
        payload += diverged && !comparison->beyond;
        numbers += diverged && comparison->beyond;
        lost += is_lost;
        unknown += comparison->verdict == FPD_VERDICT_UNKNOWN && !is_lost;
        races += comparison->verdict == FPD_VERDICT_RACE;
        misuses += comparison->verdict == FPD_VERDICT_MISUSE;
    }
    if (t->cas->expect_diverge && !payload && !o->races && !o->misuses && !o->schedules) {
        buffer_print(t->out, " no pair diverged, the case expects one to");
        comma = ",";
    } else if (!t->cas->expect_diverge) {
        print_reason(t, &comma, payload, "diverged");
        print_reason(t, &comma, races, races == 1 ? "races" : "race");
        if (o->races && !races) buffer_print(t->out, "%s blocks race", comma), comma = ",";
        print_reason(t, &comma, misuses, misuses == 1 ? "has misuse" : "have misuse");
        if (o->misuses && !misuses) buffer_print(t->out, "%s misuse", comma), comma = ",";
        if (o->schedules) buffer_print(t->out, "%s payloads depend on the schedule", comma), comma = ",";
        print_reason(t, &comma, unknown, "unknown");
    }
    if (o->builds_failed) {
        buffer_print(t->out, "%s %u build%s change%s more than the case allows", comma, o->builds_failed,
                     o->builds_failed == 1 ? "" : "s", o->builds_failed == 1 ? "s" : "");
        comma = ",";
    }
    const uint32_t unmeasured = o->accuracy ? fpd_count_unmeasured(o) : 0, inaccurate = o->inaccurate - unmeasured;
    if (inaccurate)
        buffer_print(t->out, "%s %u variant%s less accurate than the case allows", comma, inaccurate,
                     inaccurate == 1 ? " is" : "s are"),
            comma = ",";
    if (unmeasured || (t->cas->accuracy.given && o->accuracy && o->accuracy->none))
        buffer_print(t->out, "%s the accuracy is not known", comma), comma = ",";
    print_reason(t, &comma, lost, "lost all information");
    print_reason(t, &comma, numbers, "beyond the IEEE tolerance");
    if (vacuous) buffer_print(t->out, "%s vacuous", comma);
    buffer_print(t->out, "\n");
}

// ", N = 64, D = 32" behind the path.
static void print_parameters(const TextReport *t) {
    const FpdParameters *p = &t->outcome->parameters;
    for (uint32_t i = 0; i < p->count; i++)
        buffer_print(t->out, ", %s = %" PRId64, p->items[i].name, p->items[i].value);
}

// The widths of columns.
static void find_widths(TextReport *t) {
    const FpdOutcome *outcome = t->outcome;
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        const int width = (int)strlen(name_of(t, comparison->right));
        Buffer accuracy = {0};
        fpd_print_accuracy(outcome, comparison, &accuracy);
        if (width > t->variant_width) t->variant_width = width;
        if (comparison->question != FPD_QUESTION_builds && width > t->name_width) t->name_width = width;
        if ((int)accuracy.size > t->accuracy_width) t->accuracy_width = (int)accuracy.size;
        buffer_free(&accuracy);
    }
    for (uint32_t b = 0; b < fpd_run_builds(t->cas); b++) {
        const int width = (int)strlen(fpd_build_name(t->cas, b));
        if (width > t->build_width) t->build_width = width;
    }
}

void fpd_print_outcome(const FpdOutcome *outcome, bool color, Buffer *out) {
    TextReport t = {.outcome = outcome, .cas = outcome->cas, .out = out, .color = color};
    fpd_text_styled(&t, STYLE_BOLD, outcome->path);
    print_parameters(&t);
    if (outcome->run) buffer_print(out, ", run %u of %u", outcome->run, outcome->run_count);
    if (outcome->second_look) buffer_print(out, ", other data");
    if (t.cas && (outcome->several_seeds || outcome->run > 1 || outcome->second_look))
        buffer_print(out, ", seed %" PRIu64, t.cas->seed);
    if (t.cas && t.cas->title) buffer_print(out, ": %s", t.cas->title);
    buffer_print(out, "\n");
    if (outcome->second_look && outcome->several_seeds)
        buffer_print(out, "  with seed %" PRIu64 " nothing diverges, but some elements are ties\n", outcome->own_seed);
    else if (outcome->second_look)
        buffer_print(out, "  with the case's own data nothing diverges, but some elements are ties\n");
    if (outcome->target)
        buffer_print(out, "  on %s; races between blocks are looked for on the host only\n", outcome->target);
    if (outcome->has_threads) buffer_print(out, "  PTX is emulated; races between its blocks are not looked for\n");
    if (outcome->has_parts) buffer_print(out, "  blocks have parts; races between such blocks are not looked for\n");
    if (!outcome->judged) { // standard error says why
        if (outcome->runs && t.cas) fpd_print_findings(t.cas, outcome->runs, "  ", out);
        buffer_print(out, "  ");
        fpd_text_styled(&t, STYLE_BAD, "ERROR");
        buffer_print(out, ": %s\n", outcome->status == 2 ? "wrong input" : "it could not be compiled or run");
        fpd_print_deadlocks(outcome->errors, "    ", out);
        return;
    }
    find_widths(&t);
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (comparison->question == FPD_QUESTION_builds) {
            print_build_comparison(&t, comparison);
            continue;
        }
        print_comparison_line(&t, comparison);
        fpd_text_far_apart(&t, comparison);
        print_certainty(&t, comparison->certainty);
        fpd_text_deep(&t, comparison);
        if (was_told(&t, comparison)) continue;
        if (fpd_compares_records(comparison))
            fpd_text_records(&t, comparison), print_look(&t, comparison->look);
        else if (comparison->verdict == FPD_VERDICT_DIVERGED)
            print_divergence(&t, comparison), fpd_text_unspecified(&t, comparison);
        else
            fpd_text_losses(&t, comparison);
        print_notes(&t, comparison);
    }
    fpd_text_accuracy(&t);
    fpd_text_ranges(&t);
    if (fpd_run_builds(t.cas) > 1) print_matrix(&t);
    print_split(&t);
    print_races(&t);
    fpd_print_findings(t.cas, outcome->runs, "  ", out);
    fpd_text_schedules(&t);
    for (uint32_t i = 0; i < outcome->vacuous_count; i++) {
        buffer_print(out, "  ");
        fpd_text_styled(&t, STYLE_WARN, "VACUOUS");
        buffer_print(out, "  %s\n", outcome->vacuous[i].message);
    }
    fpd_text_shadow_memory(&t);
    print_conclusion(&t);
}
