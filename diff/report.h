// SPDX-License-Identifier: Apache-2.0
// Reports of outcomes, for people and as JSON; and what `fpdiff show` writes.
#ifndef CONGRUENT_FPD_REPORT_H
#define CONGRUENT_FPD_REPORT_H

#include "diff/judge.h"
#include "report/report.h"

// ---- report_text.c, report_tower.c, report_threads.c, report_json.c, report_lines.c, show_case.c ------------------

typedef struct FpdVersions {
    const char *congruent, *llvm, *cpu, *libyaml, *jansson, *tower; // llvm and cpu: NULL if the compiler was not opened
    const char *target, *gpu, *device;                              // NULL: the host; no GPU; not known
} FpdVersions;

// Appends a line for each warning of the runs; what a variant had in several modes once.
void fpd_print_warnings(const FpdCase *cas, const FpdRuns *runs, Buffer *out);
// The same for what is wrong with blocks that have parts; each line begins with `indent`. (report_findings.c)
void fpd_print_findings(const FpdCase *cas, const FpdRuns *runs, const char *indent, Buffer *out);
void fpd_print_outcome(const FpdOutcome *outcome, bool color, Buffer *out);
// A case of a Report, and the head of one. The caller releases them.
json_t *fpd_json_case(const FpdOutcome *outcome);
json_t *fpd_json_head(const FpdVersions *versions);
json_t *fpd_json_parameters(const FpdParameters *parameters);
json_t *fpd_json_text(const char *text); // null for NULL; paths may be any bytes
json_t *fpd_json_number(double value);   // JSON has no infinities and no NaN: "inf", "-inf", "nan"
// What stored the elements that are different in a comparison, of its variant, then of its reference: each place with
// the number of elements.
json_t *fpd_json_lines(const FpdCase *cas, const FpdComparison *comparison);
// Who stored the element, or else the last op in the code that stores to its buffer; NULL: not known.
const FpdStore *fpd_find_store(const FpdCase *cas, const FpdRun *run, uint32_t compared, uint64_t index);
json_t *fpd_json_index(const FpdBuffer *buffer, uint64_t linear); // of an element: a list
json_t *fpd_json_store(const FpdStore *store);                    // null for NULL
// What is measured of the accuracy of the comparison's variants, if fpd_has_accuracy.
json_t *fpd_json_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison);
// What the range census says of each variant: a list.
json_t *fpd_json_ranges(const FpdOutcome *outcome);
// Whether the accuracy of the comparison's variants was measured, in their first build.
bool fpd_has_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison);
// How many variants with a bound of accuracy miss it because nothing is known of them; the outcome has an accuracy.
uint32_t fpd_count_unmeasured(const FpdOutcome *outcome);
// Whether the pair is equal as a formula and the variant much less accurate.
bool fpd_is_less_accurate(const FpdOutcome *outcome, const FpdComparison *comparison);
// The case's bound and all variants, of an outcome with accuracy.
json_t *fpd_json_accuracies(const FpdOutcome *outcome);
// Of a pair that is equal as a formula: where numbers of *compared are farthest apart. NULL: they are near enough.
const FpdFarthest *fpd_far_apart(const FpdCase *cas, const FpdComparison *comparison, uint32_t *compared);
void fpd_print_programs(const FpdPrograms *programs, Buffer *out);
// Appends an index of several dimensions, "[0, 3, 17]", for a linear one.
void fpd_print_index(const FpdBuffer *buffer, uint64_t linear, Buffer *out);

// ---- report_map.c: what the page of --html draws --------------------------------------------------------------------

// Adds the map of each compared buffer to a case of a judged outcome, and the planes that they share: at most
// outcome->map_bytes of them.
void fpd_add_maps(const FpdOutcome *outcome, json_t *cas);

#endif
