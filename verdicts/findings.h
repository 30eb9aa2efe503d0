// SPDX-License-Identifier: Apache-2.0
// Pairs that are equal as formulas and not as good in numbers: what is expected of them (FAMILY/findings.json), and
// what fpdiff says of them and of all other pairs.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Finding {
    const char *path;
    const json_t *expected; // {"less_accurate": VARIANT, "range": {...}}; NULL: of a pair that is as good
    bool ran;
    bool worse;        // EQUAL, LESS ACCURATE
    bool far_apart;    // called out without --accuracy
    bool ranges_known; // this fpdiff counts ranges
    bool in_range;     // the op that is expected is named
    bool at_edge;      // some op of some variant is
} Finding;

// The object of findings.json beside a case file, keyed by pairs. NULL without *wrong: the family has none. The caller
// owns it.
json_t *findings_beside(const char *path, bool *wrong);
// Reads one case of a report of fpdiff with --accuracy. A case with parameters has several.
void finding_take(Finding *finding, const json_t *entry);
// Whether what is said is what is expected; else it says so on stderr.
bool finding_check(const Finding *finding);
void findings_print(const Finding *findings, size_t count);
