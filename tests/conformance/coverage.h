// SPDX-License-Identifier: Apache-2.0
// Coverage of the corpus: coverage_list.c lists from the tables what a module can have, coverage.c notes what of it
// occurs. Both name an item by the same words, such as "addf rounding: zero".
#ifndef CONGRUENT_COVERAGE_H
#define CONGRUENT_COVERAGE_H

#include "tests/conformance/corpus.h"

#define COVERAGE_GROUPS(G)                                                                                             \
    G(OPS, "ops in each version")                                                                                      \
    G(OPERANDS, "operands and results, there or not")                                                                  \
    G(ELEMENTS, "types of operands and results")                                                                       \
    G(ATTRIBUTES, "attributes and their values")                                                                       \
    G(NESTING, "terminators by what is around")                                                                        \
    G(TYPES, "types and their parts")                                                                                  \
    G(CONSTANTS, "constants")                                                                                          \
    G(PREDICATES, "predicates of assume")                                                                              \
    G(DECLARATIONS, "functions, globals, hints")                                                                       \
    G(DEBUG, "debug information")

typedef enum CoverageGroup {
#define G(name, text) GROUP_##name,
    COVERAGE_GROUPS(G)
#undef G
        GROUP_COUNT
} CoverageGroup;

typedef struct CoverageItem {
    const char *key;
    CoverageGroup group;
    bool seen;
} CoverageItem;

struct Coverage {
    Arena *arena;
    Map index; // key to item
    CoverageItem *items;
    size_t count, capacity;
    const char **unlisted; // what occurs and is not in the list
    size_t unlisted_count, unlisted_capacity;
};

// Lists everything that the tables know and a file of these versions can hold.
void coverage_list(Coverage *coverage);

// Whether coverage tells the element types of the rule apart; which kinds of types but tiles it allows (TYPE_BITs).
bool coverage_has_elements(const TirTypeRule *rule);
uint32_t coverage_other_kinds(const TirTypeRule *rule);

// Formats of the keys of items.
#define KEY_OP              "%s 13.%u"
#define KEY_WITH            "%s with %s"
#define KEY_WITHOUT         "%s without %s"
#define KEY_TYPE_OF         "%s %s: %s"
#define KEY_ATTRIBUTE       "%s %s: %s"
#define KEY_NESTING         "%s in %s"
#define KEY_TYPE            "type %s"
#define KEY_TYPE_PART       "type %s, %s"
#define KEY_CONSTANT        "constant %s, %s"
#define KEY_PREDICATE       "assume %s"
#define KEY_PREDICATE_VALUE "assume %s of %s"
#define KEY_GLOBAL          "global, %s"
#define KEY_ENTRY           "entry, %s"
#define KEY_HINT            "hint %s"
#define KEY_DEBUG           "debug %s"

#endif
