// SPDX-License-Identifier: Apache-2.0
// Reads the vectors of the tower's executable specification (oracle/make_tower.py): rows of fields, separated by
// commas. A payload is written c0.c1.c2.c3:state, with six components in deep
// towers, in hexadecimal. Of poison c0 is the origin, never negative.
#ifndef CONGRUENT_TESTS_TOWER_ROWS_H
#define CONGRUENT_TESTS_TOWER_ROWS_H

#include "sanitizer/tower.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOWER_ROW_BYTES = 512, TOWER_ROW_FIELDS = 12, TOWER_TEXT_BYTES = 88 };

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
    TowerPayload a = {0};
    unsigned count = 0;
    char *at = (char *)(uintptr_t)text; // as strtoul wants it
    do {
        cr_assert(count < TOWER_LENGTH_MAX, "%s", text);
        a.component[count++] = (uint32_t)strtoul(at, &at, 16);
    } while (*at++ == '.');
    cr_assert(at[-1] == ':' && (count == TOWER_LENGTH || count == TOWER_LENGTH_MAX), "%s", text);
    a.state = (uint32_t)strtoul(at, NULL, 16);
    return a;
}

// Writes a payload as in vectors to `text`, of TOWER_TEXT_BYTES bytes.
static inline void tower_row_text(const Tower *t, TowerPayload a, char *text) {
    if (tower_is_poison(a)) a.component[TOWER_ORIGIN_COMPONENT] = tower_origin(t, a);
    int at = 0;
    for (unsigned i = 0; i < t->length; i++)
        at += snprintf(text + at, TOWER_TEXT_BYTES - (size_t)at, "%s%x", i ? "." : "", a.component[i]);
    snprintf(text + at, TOWER_TEXT_BYTES - (size_t)at, ":%x", a.state);
}

#endif
