// SPDX-License-Identifier: Apache-2.0
// Reads the vectors of the tower's executable specification (oracle/make_tower.py): rows of fields, separated by
// commas. A payload is written c0.c1.c2.c3:state, in hexadecimal. Of poison c0 is the origin, never negative.
#ifndef CONGRUENT_TESTS_TOWER_ROWS_H
#define CONGRUENT_TESTS_TOWER_ROWS_H

#include "sanitizer/tower.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { TOWER_ROW_BYTES = 512, TOWER_ROW_FIELDS = 12, TOWER_TEXT_BYTES = 80 };

typedef struct TowerRow {
    char line[TOWER_ROW_BYTES];
    char *fields[TOWER_ROW_FIELDS];
    unsigned count;
} TowerRow;

// A file of tests/sanitizer/data, which the caller closes.
static inline FILE *tower_rows_open(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/sanitizer/data/%s", SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    return file;
}

// False behind the last row.
static inline bool tower_rows_next(FILE *file, TowerRow *row) {
    if (!fgets(row->line, sizeof row->line, file)) return false;
    row->line[strcspn(row->line, "\n")] = 0;
    row->count = 0;
    char *rest = row->line;
    while (rest && row->count < TOWER_ROW_FIELDS) row->fields[row->count++] = strsep(&rest, ",");
    return true;
}

static inline TowerPayload tower_row_payload(const char *text) {
    TowerPayload a;
    cr_assert_eq(
        sscanf(text, "%x.%x.%x.%x:%x", &a.component[0], &a.component[1], &a.component[2], &a.component[3], &a.state), 5,
        "%s", text);
    return a;
}

// Writes a payload as in vectors to `text`, of TOWER_TEXT_BYTES bytes.
static inline void tower_row_text(const Tower *t, TowerPayload a, char *text) {
    if (tower_is_poison(a)) a.component[TOWER_ORIGIN_COMPONENT] = tower_origin(t, a);
    snprintf(text, TOWER_TEXT_BYTES, "%x.%x.%x.%x:%x", a.component[0], a.component[1], a.component[2], a.component[3],
             a.state);
}

#endif
