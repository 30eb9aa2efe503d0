// SPDX-License-Identifier: Apache-2.0
// Where layouts put elements, against Triton's own words (layouts.txt, made by layouts.py).
#include "compiler/triton/objects.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 4096, ROWS = 128 };

typedef struct Row {
    char *layout, *shape, *bits, *bases;
} Row;

static bool split(char *line, Row *row) {
    char **fields[] = {&row->layout, &row->shape, &row->bits, &row->bases};
    if (*line != '#' || line[1] == ' ') return false;
    line[strcspn(line, "\n")] = 0;
    for (size_t i = 0; i < BASE_COUNT(fields); i++) {
        *fields[i] = line;
        line += strcspn(line, "|");
        if (*line) *line++ = 0;
    }
    return true;
}

// The view of such memory, as the kernel's only object would have it. False: it is refused.
static bool view_of(const Row *row, TriView *view, uint64_t *bytes) {
    const int bits = atoi(row->bits);
    const bool tensor = !strncmp(row->layout, "#ttng", 5);
    Diagnostics diagnostics = {0};
    Buffer text = {0};
    buffer_print(&text,
                 "module {\n  tt.func public @k() {\n    %%0 = \"ttg.local_alloc\"() : () -> "
                 "!ttg.memdesc<%sx%s, %s, %s, mutable>\n    tt.return\n  }\n}\n",
                 row->shape,
                 bits == 8    ? "i8"
                 : bits == 16 ? "f16"
                              : "f32",
                 row->layout, tensor ? "#ttng.tensor_memory" : "#ttg.shared_memory");
    TriReader reader = {.base = {.diagnostics = &diagnostics,
                                 .module = tir_module_open("k.ttgir"),
                                 .text = text.data,
                                 .end = text.data + text.size}};
    const bool ok = tri_parse_module(&reader.base);
    diagnostics_print(&diagnostics);
    cr_assert(ok, "%s", text.data);
    TriTranslation t = {.reader = &reader, .p = &reader.base, .module = reader.base.module};
    t.op = reader.functions[0].body.first->first;
    t.frame = &(TriFrame){.function = &reader.functions[0]};
    uint32_t columns;
    const bool laid = tri_layout_view(&t, &reader.types[t.op->first_result], true, 0, view, bytes, &columns);
    if (laid && tensor) cr_assert_eq(*bytes, (uint64_t)ROWS * 4 * columns);
    arena_reset(&reader.base.scratch);
    tir_module_close(reader.base.module);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    return laid;
}

// Where the index leads that is written there; *at: behind it.
static uint64_t place_of(const TriView *view, char **at, bool *zero) {
    uint64_t place = 0;
    *zero = true;
    for (uint32_t d = 0; d < view->rank; d++, *at += **at == ',') {
        const unsigned long index = strtoul(*at, at, 10);
        for (uint32_t b = 0; view->first[d] + b < view->first[d + 1]; b++)
            if (index >> b & 1) place ^= view->steps[view->first[d] + b];
        *zero &= !index;
    }
    *at += strspn(*at, " ");
    return place;
}

static void check_row(const Row *row) {
    TriView view;
    uint64_t bytes;
    const bool scales = strstr(row->layout, "scales"), padded = strstr(row->layout, "fp4Padded");
    const bool laid = view_of(row, &view, &bytes);
    cr_assert_eq(laid, !scales && !padded, "%s of %s", row->layout, row->shape);
    if (!laid) return;
    uint64_t unit = view.tensor ? bytes / ROWS : (uint64_t)atoi(row->bits) / 8;
    for (char *at = row->bases; *at;) {
        bool zero;
        if (*at == '/') { // what follows is of columns
            unit = (uint64_t)atoi(row->bits) / 8;
            at += 1 + strspn(at + 1, " ");
            continue;
        }
        const uint64_t place = place_of(&view, &at, &zero);
        cr_assert(zero || place == unit, "%s of %s: %llu, expected %llu", row->layout, row->shape,
                  (unsigned long long)place, (unsigned long long)unit);
        unit *= 2;
    }
}

Test(layouts, put_elements_where_Triton_does) {
    FILE *file = fopen(SOURCE_DIR "/tests/ttgir/layouts.txt", "r");
    char line[LINE];
    unsigned rows = 0;
    cr_assert_not_null(file);
    for (Row row; fgets(line, sizeof line, file);)
        if (split(line, &row)) check_row(&row), rows++;
    fclose(file);
    cr_assert_geq(rows, 130);
}
