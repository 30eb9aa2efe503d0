// SPDX-License-Identifier: Apache-2.0
// Reports of outcomes, for people and as JSON, and what `show` and `run --payload` write.
#ifndef CONGRUENT_FPD_REPORT_H
#define CONGRUENT_FPD_REPORT_H

#include "diff/judge.h"

// ---- report_text.c, report_tower.c, report_json.c, show_case.c ------------------------------------------------------

typedef struct FpdVersions {
    const char *congruent, *llvm, *cpu, *libyaml, *jansson; // llvm and cpu: NULL if the compiler was not opened
    const char *target, *gpu, *device;                      // NULL: host; none; not known
} FpdVersions;

void fpd_print_outcome(const FpdOutcome *outcome, bool color, Buffer *out);
// The report of all cases as JSON text, ending in a newline.
void fpd_print_json(const FpdOutcome *outcomes, size_t count, int status, const FpdVersions *versions, Buffer *out);
void fpd_print_program(const FpdProgram *program, Buffer *out);
// Index "[0, 3, 17]" of a linear index, and a region "[0:2, 64:128]".
void fpd_print_index(const FpdBuffer *buffer, uint64_t linear, Buffer *out);
void fpd_print_region(const FpdBuffer *buffer, const int64_t *low, const int64_t *high, Buffer *out);

// ---- payload_file.c: what `run --payload` writes --------------------------------------------------------------------

// Words of an element: four components, the state (sanitizer/tower.h), and one of these, or 0 for a value from outside.
enum { FPD_PAYLOAD_SIZE = 24, FPD_PAYLOAD_STORED = 1, FPD_PAYLOAD_LITERAL = 2 };
// Appends all elements of a buffer of floats; `records` may be NULL.
void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out);

#endif
