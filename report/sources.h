// SPDX-License-Identifier: Apache-2.0
// Where the source files that a case names are in a work tree. A kernel may have been compiled on another machine.
#ifndef CONGRUENT_REPORT_SOURCES_H
#define CONGRUENT_REPORT_SOURCES_H

#include "base/base.h"

// A place in a source, as the case names it.
typedef struct ReportPlace {
    const char *file; // NULL: not known
    uint32_t line, column;
    const char *text; // what is there: "stored by unfused"; may be NULL
} ReportPlace;
// Sources of zeros with an arena are valid. What was found is kept.
typedef struct ReportSources {
    Arena *arena;
    const char *root; // --source-root, or NULL
    Map roots, files;
} ReportSources;
typedef struct ReportSpot {
    const char *path;            // relative to the root; or absolute where it is outside
    uint32_t line;               // from 1 on; 0: the whole file
    uint32_t column;             // 0: not known
    bool in_tree;                // below the root
    bool mapped;                 // false: it is the case file, since the place is not known
    struct ReportSource *source; // NULL: it cannot be read
} ReportSpot;
// Where a place of a case is in the work tree.
ReportSpot report_spot(ReportSources *sources, const char *case_file, ReportPlace at);
// All of a file, which may be no UTF-8 and ends in no zero byte.
const char *report_source_text(const struct ReportSource *source, size_t *size);

#endif
