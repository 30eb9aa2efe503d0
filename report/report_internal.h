// SPDX-License-Identifier: Apache-2.0
// Shared by the files that write reports: what is wrong in a report, and where its sources are.
#ifndef CONGRUENT_REPORT_ROOM_INTERNAL_H
#define CONGRUENT_REPORT_ROOM_INTERNAL_H

#include "report/report.h"
#include "report/sources.h"

// ---- rules.c: kinds of findings -------------------------------------------------------------------------------------

typedef enum ReportLevel { REPORT_NONE, REPORT_NOTE, REPORT_WARNING, REPORT_ERROR } ReportLevel;
typedef enum ReportRule {
#define RULE(id, ...) REPORT_RULE_##id,
#include "report/rules.def"
#undef RULE
#define ERROR(name, ...) REPORT_RULE_error_##name,
#include "base/errors.def"
#undef ERROR
    REPORT_RULE_COUNT
} ReportRule;
typedef struct ReportRuleInfo {
    const char *name; // "diverged", "error-verify"
    ReportLevel level;
    const char *short_text, *help;
} ReportRuleInfo;
const ReportRuleInfo *report_rule_info(ReportRule rule);
// REPORT_RULE_COUNT if there is none of that name.
ReportRule report_rule_by_name(const char *name);
bool report_rule_is_error(ReportRule rule); // the case could not be run

// ---- find.c: what is wrong in a case --------------------------------------------------------------------------------

enum { REPORT_RELATED_MAX = 8 };
typedef struct ReportFinding {
    ReportRule rule;
    ReportLevel level;
    bool expected;            // the case expects it: level is NOTE
    const json_t *comparison; // of "pairs" or "builds"; NULL: it is about the case
    const json_t *variant;    // of "accuracy", one that exceeds the bound; NULL: it is not about that
    const json_t *range;      // of "range", what is near an edge or beyond it; NULL: it is not about that
    ReportPlace at;
    ReportPlace related[REPORT_RELATED_MAX];
    uint32_t related_count;
    const char *message; // one line
} ReportFinding;
typedef struct ReportFindings {
    ReportFinding *items;
    size_t count, capacity;
} ReportFindings;
// All findings of a case, in its order. A case whose status is not 0 has one of level ERROR, or NOT_CHECKED. Texts are
// the case's or in the arena.
ReportFindings report_find(Arena *arena, const json_t *cas);
// Whether the case was not run because the run ended before it.
bool report_is_unchecked(const json_t *cas);

// ---- figures.c: comparisons in words --------------------------------------------------------------------------------

// "unfused | flash, fpsan, fast"; of builds "flash, ieee -> fast, fpsan"
const char *report_comparison_name(Arena *arena, const json_t *comparison);
const char *report_verdict(const json_t *comparison);
const char *report_text(const json_t *object, const char *key);  // NULL: there is no such text
json_int_t report_number(const json_t *object, const char *key); // 0: there is no such integer
// "27840 of 32768 elements of O (85.0 %) within O[0:4, 0:128], at most 0.00464 apart (relative 10.9, 502 ulp)"
const char *report_figures(Arena *arena, const json_t *comparison);
// All buffers of a comparison together.
typedef struct ReportFigures {
    json_int_t elements, different, ulps, incomparable, beyond;
    double absolute, relative;
    bool has_distance, has_beyond;
} ReportFigures;
ReportFigures report_sum(const json_t *comparison);
// Calls `take` with "pairs", then "builds".
typedef void ReportComparisonFunction(void *context, const json_t *comparison);
void report_each_comparison(const json_t *cas, ReportComparisonFunction *take, void *context);

// ---- accuracy.c: how accurate variants are, in words ----------------------------------------------------------------

// "mean 0.1 | 12.5, largest 0.5 | 471 ulp": of the buffer in which the variant's mean error is largest, of reference
// and variant; "inf" of NaN and infinities, "?" where nothing is known. "not known"; NULL: nobody asked.
const char *report_accuracy(Arena *arena, const json_t *comparison);
// Whether the pair is equal as a formula and the variant much less accurate.
bool report_is_less_accurate(const json_t *comparison);
// Of the same buffer: {"buffer", "reference", "variant"}. NULL: there is none.
const json_t *report_worst_error(const json_t *comparison);
// "mean 12.5, largest 471 ulp": of a variant of "accuracy" of a case. NULL: nothing is known, or it has no floats.
const char *report_variant_accuracy(Arena *arena, const json_t *variant);
// "4 ulp, 2 times the reference's error", of "accuracy" of a case.
const char *report_accuracy_bound(Arena *arena, const json_t *accuracy);
// "Y: the largest error is 471 ulp at [3, 29], the mean 1.5; Z: ...", of a variant of "accuracy" of a case.
const char *report_variant_errors(Arena *arena, const json_t *variant);
// Its buffer with the largest error. NULL: there is none.
const json_t *report_worst_of_variant(const json_t *variant);

// ---- range.c: how near the edges of their types numbers come --------------------------------------------------------

// Of an item of "range" of a case: the first op that makes infinities or NaN, and what is less than one doubling from
// overflow, unless it overflows already; each as a line of text with the op's place. NULL: there is none.
const char *report_range_made(Arena *arena, const json_t *range, ReportPlace *at);
const char *report_range_near(Arena *arena, const json_t *range, ReportPlace *at);

// ---- sources.c: lines of files in a work tree ----------------------------------------------------------------------

// What GitHub computes as primaryLocationLineHash: a hash of the line's first 100 characters that are not blank, with
// those of the next lines if it has fewer; a colon; the number of the line among those with the same hash. `text`:
// REPORT_HASH_SIZE bytes. False if the source cannot be read.
enum { REPORT_HASH_SIZE = 40 };
bool report_line_hash(ReportSources *sources, const ReportSpot *spot, char *text);
// The line without blanks at its ends, and its number among equal ones. `text`: in the arena. False as above.
bool report_line_text(const ReportSources *sources, const ReportSpot *spot, const char **text, uint32_t *number);
// Line `line` as it is, without its end, and its length; *text NULL: there is none.
size_t report_line(const struct ReportSource *source, uint32_t line, const char **text);

#endif
