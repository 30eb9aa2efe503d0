// SPDX-License-Identifier: Apache-2.0
// Shared by the files that draw maps (report_map.c).
#ifndef CONGRUENT_REPORT_MAP_INTERNAL_H
#define CONGRUENT_REPORT_MAP_INTERNAL_H

#include "diff/report.h"

enum {
    CELLS_MAX = 65536, // also: how many elements a buffer may have to be drawn one by one
    KEPT_MAX = 5000,   // values of a buffer that has more elements
    STORES_MAX = 254,  // of a map; what comes after them is OTHER_STORE
    NO_STORE = 0,      // from outside, or not known
    OTHER_STORE = 255,
    INCOMPARABLE = 255, // a level: NaN, or an infinity, on one side only
    NO_FIELDS = 255,    // payloads that are no numbers
    INDEX_SIZE = 10,    // of a number as bytes of seven bits
};

// Classes of elements: the verdicts where records are compared, else these.
typedef enum MapClass { CLASS_WITHIN = FPD_ELEMENT_COUNT, CLASS_DIFFERENT, CLASS_BEYOND, CLASS_COUNT } MapClass;

typedef struct Mapping {
    Arena *arena;
    const FpdCase *cas;
    const FpdComparison *comparison;
    const FpdDifference *d;
    const FpdBuffer *buffer;
    uint32_t compared, rank;
    bool numbers;                  // the bytes are numbers, so that there are distances
    uint64_t classes[CLASS_COUNT]; // how many elements
    uint8_t rank_of[CLASS_COUNT];  // of each class: the worse, the higher; 0: equal. CLASS_COUNT of those that occur
    uint32_t rank_count;
    uint64_t wrong;                                         // how many elements
    uint64_t bin[FPD_RANK_MAX], count[FPD_RANK_MAX], cells; // elements of a cell, cells, along each dimension; in all
    uint8_t *worst_rank, *worst_level;                      // of each cell
    uint8_t *own_level;                                     // of each cell: that of `worst`
    uint64_t *worst;                                        // of each cell: the element
    uint64_t first_wrong[KEPT_MAX];                         // elements, in order
    uint32_t first_count;
    uint32_t *wrong_of;        // of each cell
    const FpdError *errors[2]; // of reference and variant; NULL: not measured
    uint8_t *worst_error[2];   // of each cell: fpd_error_level
    const FpdStore *stores[STORES_MAX];
    uint32_t store_count;
    json_t *texts; // planes of this map
    size_t size;   // of the planes that the case does not have yet
} Mapping;

// ---- report_map_cells.c ---------------------------------------------------------------------------------------------

// The bits of an element on a side: 0 the reference, 1 the variant.
uint64_t fpd_map_bits(const Mapping *m, int side, uint64_t index);
// Its class (MapClass, or FpdElementVerdict), and whether that is wrong.
unsigned fpd_map_class(const Mapping *m, uint64_t index);
bool fpd_map_is_wrong(const Mapping *m, unsigned class);
// As `fields` of the JSON has it.
uint8_t fpd_map_fields(const Mapping *m, uint64_t index);
// Sets m->errors, if they were measured.
void fpd_map_find_errors(Mapping *m, const FpdOutcome *outcome);
// As `stored` of the JSON has it; adds to m->stores.
uint8_t fpd_map_store(Mapping *m, int side, uint64_t index);
// Elements along a dimension.
uint64_t fpd_map_size(const Mapping *m, uint32_t d);
// A cell for each element, or coarser where there are too many.
void fpd_map_choose_bins(Mapping *m);
// Finds the worst element of each cell.
void fpd_map_fill(Mapping *m);
// Until there are at most so many cells.
void fpd_map_coarsen(Mapping *m, uint64_t most);
// Counts the elements of each class, and ranks the classes.
void fpd_map_count_classes(Mapping *m);

#endif
