// SPDX-License-Identifier: Apache-2.0
// Shared by the files that write the report for people.
#ifndef CONGRUENT_REPORT_INTERNAL_H
#define CONGRUENT_REPORT_INTERNAL_H

#include "diff/report.h"

// Styles of text, and the codes that turn them on in a terminal.
#define TEXT_STYLES(STYLE)                                                                                             \
    STYLE(BOLD, "1")                                                                                                   \
    STYLE(GOOD, "1;32")                                                                                                \
    STYLE(BAD, "1;31")                                                                                                 \
    STYLE(WARN, "1;33")                                                                                                \
    STYLE(DIM, "2")
typedef enum TextStyle {
#define STYLE(name, code) STYLE_##name,
    TEXT_STYLES(STYLE)
#undef STYLE
} TextStyle;

// What the parts of blocks wait for that can never go on: a line for each. (report_findings.c)
void fpd_print_deadlocks(const Diagnostics *errors, const char *indent, Buffer *out);

typedef struct TextReport {
    const FpdOutcome *outcome;
    const FpdCase *cas;
    Buffer *out;
    bool color;
    int name_width;                 // of the right run's name
    int variant_width, build_width; // of the names of variants, builds
    int accuracy_width;             // of fpd_print_accuracy
} TextReport;

// MATRIX_COLUMNS: of the builds. Other tables with enough columns have them in an enum beside their table.
enum { TEXT_ROWS = 24, TEXT_COLUMNS = 9, TEXT_CELL_SIZE = 200, MATRIX_COLUMNS = 8 };
_Static_assert((int)MATRIX_COLUMNS <= (int)TEXT_COLUMNS, "a table has as many columns");
typedef struct TextTable {
    char cells[TEXT_ROWS][TEXT_COLUMNS][TEXT_CELL_SIZE]; // row 0: heads, where there are any
    unsigned rows, columns;
} TextTable;

// ---- report_text.c --------------------------------------------------------------------------------------------------

void fpd_text_styled(const TextReport *t, TextStyle style, const char *text);
// Appends "47.8 %".
void fpd_text_share(Buffer *out, uint64_t part, uint64_t whole);
BASE_PRINTF(4, 5)
void fpd_text_cell(TextTable *table, unsigned row, unsigned column, const char *format, ...);
// Fills three cells: two numbers, and how many units in the last place apart they are, if both are finite.
void fpd_text_numbers(TextTable *table, unsigned row, unsigned column, ElementType type, uint64_t a, uint64_t b);
// Writes "      within O[0:4, 64:128]: pattern".
void fpd_text_region(const TextReport *t, const FpdDifference *difference);
void fpd_text_table(const TextReport *t, const TextTable *table);

// ---- report_tower.c: payloads beside the numbers --------------------------------------------------------------------

// Writes "attention.py:142" to `text`, of TEXT_CELL_SIZE bytes: the file without its folders and the line or, for
// bytecode, the offset; `op` where they are not known. Control characters, which file names in bytecode may have, are
// replaced.
void fpd_text_source(const Location *place, const char *op, char *text);
// The same for a store of a variant; if that has several launches, "launch 2 of 3, softmax, attention.py:142". `store`
// NULL: a value from outside.
void fpd_text_store(const FpdStore *store, const FpdVariant *variant, char *text);

// Writes what follows the line of a comparison of records: each verdict but `equal` with its first elements and who
// stored them.
// How many elements the deep tower decided about, if it did.
void fpd_text_deep(const TextReport *t, const FpdComparison *comparison);
void fpd_text_records(const TextReport *t, const FpdComparison *comparison);
// Writes what the run may have read although nobody had written it, if something is unspecified.
void fpd_text_unwritten(const TextReport *t, const FpdRun *run);
// Writes what FpdComparison.unspecified counts.
void fpd_text_unspecified(const TextReport *t, const FpdComparison *comparison);
// Writes how much memory the records of the runs took.
void fpd_text_shadow_memory(const TextReport *t);

// ---- report_accuracy.c ----------------------------------------------------------------------------------------------

// Writes the errors of all variants, and the bound that they exceed.
void fpd_text_accuracy(const TextReport *t);
// Appends "error 0.5 | 12 ulp": the mean errors of reference and variant. Nothing where they were not measured.
void fpd_print_accuracy(const FpdOutcome *outcome, const FpdComparison *comparison, Buffer *out);
// Writes that as a column of t->accuracy_width; nothing if that is 0.
void fpd_text_errors(const TextReport *t, const FpdComparison *comparison);
// Says that numbers of a pair that is equal as a formula are far apart, if they are.
void fpd_text_far_apart(const TextReport *t, const FpdComparison *comparison);

// ---- report_range.c -------------------------------------------------------------------------------------------------

// Writes which ops overflow or are near to it; if they are wanted, all lines.
void fpd_text_ranges(const TextReport *t);

// ---- report_threads.c -----------------------------------------------------------------------------------------------

// Writes who stored the first different elements of a buffer, of variants of threads.
void fpd_text_writers(const TextReport *t, const FpdComparison *comparison, uint32_t compared);
// Writes what the PTX of a pair of variants may have lost, and where payloads are equal, in what Triton's differ.
void fpd_text_losses(const TextReport *t, const FpdComparison *comparison);
// Writes a line for each run that another schedule changes.
void fpd_text_schedules(const TextReport *t);

#endif
