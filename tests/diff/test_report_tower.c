// SPDX-License-Identifier: Apache-2.0
// The reports of profile tower, text and JSON, on made-up results.
#include "tests/diff/report_text.h"
#include "tests/diff/tower_sample.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>

static void expect_text(TowerSample *s, const char *expected) {
    const char *text = sample_text(s);
    cr_expect_str_eq(text, expected, "\n%s\n%s", text, expected);
}

Test(report_tower, equal) {
    TowerSample s;
    sample_open(&s, 300);
    expect_text(&s, "case.yaml\n"
                    "  a | b  fpsan  EQUAL     300 elements of Y; IEEE identical\n"
                    "  a | b  ieee   MEASURED  identical\n"
                    "  shadow memory: a 4.0 KiB, b 8.0 KiB\n"
                    "  OK\n");
    s.cas.mode_count = 1; // the IEEE difference is that of the same run
    sample_number(&s, 1, 8, 9.5f);
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->shadow_bytes = (3 << 20) + (1 << 19);
    expect_text(&s,
                "case.yaml\n"
                "  a | b  fpsan  EQUAL     300 elements of Y; IEEE at most 0.5 apart (relative 0.0556, 524288 ulp)\n"
                "      numbers far apart: Y[8] by 0.0017 of the largest in its row, 2.8e+04 times what a rounding costs"
                "; --accuracy says which variant is nearer\n"
                "  shadow memory: a 4.0 KiB, b 3.5 MiB\n"
                "  OK\n");
    sample_close(&s);
}

// A plain divergence: no word about its kind, and the lines of source once.
Test(report_tower, diverged) {
    TowerSample s;
    sample_open(&s, 300);
    s.cas.mode_count = 1;
    for (uint64_t i = 30; i < 37; i++) sample_payload(&s, 1, i, 15, 0), sample_number(&s, 1, i, (float)i + 1.5f);
    expect_text(&s,
                "case.yaml\n"
                "  a | b  fpsan  DIVERGED  7 of 300 elements of Y (2.3 %); IEEE at most 0.5 apart (relative 0.0161, "
                "262144 ulp)\n"
                "      within Y[30:37]: all of that region\n"
                "      Y     a   b\n"
                "      [30]  31  31.5  262144 ulp  0 of 4 fields agree\n"
                "      [31]  32  32.5  131072 ulp  0 of 4 fields agree\n"
                "      [32]  33  33.5  131072 ulp  0 of 4 fields agree\n"
                "      [33]  34  34.5  131072 ulp  0 of 4 fields agree\n"
                "      [34]  35  35.5  131072 ulp  0 of 4 fields agree\n"
                "      ... and 2 more\n"
                "      stored by a: reference.py:41, by b: variant.py:77\n"
                "  shadow memory: a 4.0 KiB, b 8.0 KiB\n"
                "  FAILED: 1 pair diverged\n");
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->stores = fpd_find_run(&s.runs, FPD_MODE_fpsan, 0)->stores;
    cr_expect(strstr(sample_text(&s), "      stored by both: reference.py:41\n"));
    s.cas.expect_diverge = true;
    cr_expect(strstr(sample_text(&s), "  OK, diverges as expected\n"));
    sample_close(&s);
}

// Every kind of verdict: counts and what they mean, then the first elements of those that diverge, each with its lines.
Test(report_tower, every_verdict) {
    TowerSample s;
    sample_open(&s, 300);
    s.cas.mode_count = 1;
    for (uint64_t i = 30; i < 37; i++) sample_payload(&s, 1, i, 15, 0);
    sample_payload(&s, 1, 40, 1, 0);
    sample_payload(&s, 1, 41, 15, TOWER_ROUNDED);
    sample_number(&s, 0, 42, NAN);
    sample_number(&s, 0, 43, NAN), sample_number(&s, 1, 43, NAN);
    sample_payload(&s, 1, 43, 15, 0);
    sample_nothing(&s, 1, 44);
    sample_payload(&s, 1, 45, 15, TOWER_NEAR);
    s.records[0][31].store = 1, s.records[1][31].store = 1;
    s.records[1][32] = (HostRecord){0};
    sample_number(&s, 1, 32, 33.5f);
    expect_text(
        &s,
        "case.yaml\n"
        "  a | b  fpsan  DIVERGED  11 of 300 elements of Y (3.7 %); IEEE at most 0.5 apart (relative 0.0152, 131072 "
        "ulp), and 1 element NaN or infinite on one side\n"
        "      within Y[30:45]\n"
        "      differ    7 of Y (2.3 %)  payloads differ\n"
        "      one NaN   1 of Y (0.3 %)  NaN in one variant only\n"
        "      rounded   1 of Y (0.3 %)  payloads differ, and floor, ceil or an integer made from a float took part; "
        "look at what is rounded to integers first\n"
        "      unknown   1 of Y (0.3 %)  there is no field that both know; compare intermediate results: each exp or "
        "log inside another costs a field, half a logarithm the sign\n"
        "      roots     1 of Y (0.3 %)  payloads differ, but agree in a field, or up to signs and so do the numbers, "
        "as sqrt(x)^2 and x; equal with "
        "allow: [roots]\n"
        "      tie       1 of Y (0.3 %)  payloads differ, numbers agree, and close calls that fall otherwise "
        "make them equal; the first at [45]\n"
        "      both NaN  1 of Y (0.3 %)  equal only because both are NaN; the first at [43]\n"
        "      Y     a    b                                               stored by a      stored by b\n"
        "      [30]  31   31    0 ulp       differ   0 of 4 fields agree  reference.py:41  variant.py:77\n"
        "      [31]  32   32    0 ulp       differ   0 of 4 fields agree  reference.py:52  store_ptr_tko, line not "
        "known\n"
        "      [32]  33   33.5  131072 ulp  differ   0 of 4 fields agree  reference.py:41  no store of floats\n"
        "      [42]  nan  43                one NaN  4 of 4 fields agree  reference.py:41  variant.py:77\n"
        "      [41]  42   42    0 ulp       rounded  0 of 4 fields agree  reference.py:41  variant.py:77\n"
        "      [44]  45   45    0 ulp       unknown  lost in b            reference.py:41  variant.py:77\n"
        "      [40]  41   41    0 ulp       roots    3 of 4 fields agree  reference.py:41  variant.py:77\n"
        "      ... and 4 more\n"
        "  shadow memory: a 4.0 KiB, b 8.0 KiB\n"
        "  FAILED: 1 pair diverged\n");
    sample_close(&s);
}

Test(report_tower, more_ties_than_allowed) {
    TowerSample s;
    sample_open(&s, 100);
    s.cas.mode_count = 1;
    sample_payload(&s, 1, 45, 15, TOWER_NEAR), sample_payload(&s, 1, 46, 15, TOWER_NEAR);
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "      tie  2 of Y (2.0 %)  payloads differ, numbers agree, and close calls that fall "
                           "otherwise make them equal; more than 1 % is no accident\n      Y     a   b\n"
                           "      [45]  46  46  0 ulp  0 of 4 fields agree\n"),
              "%s", text);
    sample_close(&s);
}

Test(report_tower, roots_allowed) {
    TowerSample s;
    sample_open(&s, 100);
    s.cas.mode_count = 1, s.cas.allow_roots = true;
    sample_payload(&s, 1, 45, 3, 0), sample_payload(&s, 1, 46, 1, 0);
    expect_text(&s, "case.yaml\n"
                    "  a | b  fpsan  EQUAL     100 elements of Y; IEEE identical\n"
                    "      roots  2 of Y (2.0 %)  payloads differ, but agree in a field, or up to signs and so do the "
                    "numbers, as sqrt(x)^2 and x; the "
                    "first at [45]\n"
                    "  shadow memory: a 4.0 KiB, b 8.0 KiB\n"
                    "  OK\n");
    sample_close(&s);
}

Test(report_tower, infinities_and_fields_that_are_not_known) {
    TowerSample s;
    sample_open(&s, 100);
    s.cas.mode_count = 1;
    for (uint64_t i = 0; i < 3; i++) sample_nothing(&s, 0, i);
    sample_nothing(&s, 1, 1);
    s.records[0][2].state = HOST_RECORD_VALID | 3, s.records[1][2].state = HOST_RECORD_VALID | 12;
    s.records[0][3] = record_of(4, tower_special(TOWER_NEGATIVE_INFINITY), 0);
    s.records[0][4] = record_of(5, tower_special(TOWER_NAN), 0);
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "      [3]  4  4  0 ulp  differ   -inf and finite\n"
                           "      [4]  5  5  0 ulp  differ   NaN and finite\n"
                           "      [0]  1  1  0 ulp  unknown  lost in a\n"
                           "      [1]  2  2  0 ulp  unknown  lost in both\n"
                           "      [2]  3  3  0 ulp  unknown  no field in common\n"),
              "%s", text);
    sample_close(&s);
}

Test(report_tower, everything_lost) {
    TowerSample s;
    sample_open(&s, 100);
    s.cas.mode_count = 1;
    for (uint64_t i = 0; i < 100; i++) sample_nothing(&s, 0, i), sample_nothing(&s, 1, i);
    expect_text(&s, "case.yaml\n"
                    "  a | b  fpsan  UNKNOWN   100 of 100 elements of Y (100 %); IEEE identical\n"
                    "      lost its information: no field is known of any result of a and b. Each exp or log inside "
                    "another costs a field;\n"
                    "      compare intermediate results instead\n"
                    "  shadow memory: a 4.0 KiB, b 8.0 KiB\n"
                    "  FAILED: 1 pair lost all information\n");
    for (uint64_t i = 0; i < 100; i++) sample_payload(&s, 0, i, 0, 0);
    cr_expect(strstr(sample_text(&s), "of any result of b. Each"));
    sample_payload(&s, 1, 4, 0, 0);
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "  a | b  fpsan  UNKNOWN   99 of 100 elements of Y (99.0 %); IEEE identical\n") &&
                  strstr(text, "      unknown  99 of Y (99.0 %)  there is no field that both know; compare") &&
                  strstr(text, "  FAILED: 1 pair unknown\n") && !strstr(text, "lost its information"),
              "%s", text);
    s.cas.expect_diverge = true;
    cr_expect(strstr(sample_text(&s), "  FAILED: no pair diverged, the case expects one to\n"));
    sample_close(&s);
}

Test(report_tower, integers) {
    TowerSample s;
    sample_open(&s, 100);
    s.cas.mode_count = 1, s.cas.compare_count = 2;
    ((int32_t *)fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->bytes[1])[1] = 9;
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "DIVERGED  1 of 2 elements of N (50.0 %); IEEE at most 8 apart (relative 8, 0 ulp)\n"
                           "      within N[1:2]\n"
                           "      N    a  b\n"
                           "      [1]  1  9\n"
                           "  shadow memory"),
              "%s", text);
    sample_close(&s);
}

Test(report_tower, reroll) {
    TowerSample s;
    Buffer text = {0};
    sample_open(&s, 100);
    sample_payload(&s, 1, 45, 15, 0);
    sample_judge(&s);
    s.outcome.comparisons[0].reroll_count = 2, s.outcome.comparisons[0].reroll_different = 1;
    fpd_print_outcome(&s.outcome, false, &text);
    cr_expect(strstr(text.data, "      stands in 2 more chains of fields: 1 element\n"), "%s", text.data);
    text.size = 0;
    s.outcome.comparisons[0].reroll_count = 1, s.outcome.comparisons[0].reroll_different = 0;
    fpd_print_outcome(&s.outcome, false, &text);
    cr_expect(strstr(text.data, "      does not stand in 1 more chain of fields: no element diverges in all\n"), "%s",
              text.data);
    buffer_free(&text);
    sample_close(&s);
}

// Where a variant has several launches: which one, and its kernel.
Test(report_tower, launches_of_stores) {
    TowerSample s;
    sample_open(&s, 100);
    const FpdStore stores[] = {
        {.by = {.op = "store", .at = {.file = "/src/b.py", .line = 7}}, .launch = 1, .kernel = "softmax"}};
    s.variants[1].launch_count = 3;
    fpd_find_run(&s.runs, FPD_MODE_fpsan, 1)->stores = stores;
    sample_payload(&s, 1, 45, 15, 0);
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "      stored by a: reference.py:41, by b: launch 2 of 3, softmax, b.py:7\n"), "%s", text);
    sample_close(&s);
}

// Names in bytecode are any bytes: none of them steers a terminal, and a path that ends in a slash stays.
Test(report_tower, hostile_names) {
    TowerSample s;
    sample_open(&s, 100);
    const FpdStore stores[] = {{.by = {.op = "store", .at = {.file = "/a/\033[2J.py", .line = 3}}},
                               {.by = {.op = "store", .at = {.file = "/a/b/", .has_offset = true, .offset = 0x1c}}}};
    for (int v = 0; v < 2; v++) fpd_find_run(&s.runs, FPD_MODE_fpsan, v)->stores = stores;
    sample_payload(&s, 1, 45, 15, 0);
    s.records[1][45].store = 1;
    const char *text = sample_text(&s);
    cr_expect(strstr(text, "      stored by a: ?[2J.py:3, by b: /a/b/ offset 0x1c\n"), "%s", text);
    sample_close(&s);
}

// ---- JSON

static json_t *json_of(TowerSample *s) {
    Buffer text = {0};
    json_error_t error;
    sample_judge(s);
    s->outcome.comparisons[0].reroll_count = 2, s->outcome.comparisons[0].reroll_different = 1;
    print_report(&s->outcome, 1, &(FpdVersions){"0.1.0", "22.1.0", "a-cpu", "0.2", "2.14", "2", NULL, NULL, NULL},
                 &text);
    json_t *root = json_loads(text.data, JSON_REJECT_DUPLICATES, &error);
    cr_assert(root, "%s", error.text);
    buffer_free(&text);
    return root;
}

Test(report_tower, json) {
    TowerSample s;
    sample_open(&s, 300);
    sample_payload(&s, 1, 30, 7, 0);
    s.records[1][30].store = 1;
    sample_number(&s, 1, 30, 31.5f);
    sample_nothing(&s, 1, 31);
    sample_payload(&s, 1, 45, 15, TOWER_NEAR);
    json_t *root = json_of(&s), *one = json_array_get(json_object_get(root, "cases"), 0), *pair, *buffer, *first,
           *components, *equal_first, *lost;
    const char *profile, *verdict, *op, *file, *kind, *bits;
    int shadow_a, shadow_b, different, chains, stands, equal, ties, tie_diverges, roots, roots_diverge, unknown, index,
        line, fields, agree, ulps, state;
    double value;
    cr_expect_null(json_object_get(one, "casts"));
    cr_assert_eq(json_unpack(one, "{s:s s:{s:i s:i} s:[o, o]}", "profile", &profile, "shadow_bytes", "a", &shadow_a,
                             "b", &shadow_b, "pairs", &pair, &buffer),
                 0);
    cr_expect(!strcmp(profile, "tower") && shadow_a == 4096 && shadow_b == 8192);
    cr_expect(!json_object_get(buffer, "lost") && !json_object_get(buffer, "reroll")); // mode ieee
    cr_assert_eq(json_unpack(pair, "{s:s s:o s:{s:i s:i} s:[o]}", "verdict", &verdict, "lost", &lost, "reroll",
                             "chains", &chains, "different", &stands, "buffers", &buffer),
                 0);
    cr_expect(!strcmp(verdict, "diverged") && json_array_size(lost) == 0 && chains == 2 && stands == 1);
    cr_assert_eq(json_unpack(buffer, "{s:i s:{s:i} s:{s:{s:i s:o} s:{s:i s:b} s:{s:i s:b s:[o]} s:{s:i}}}", "different",
                             &different, "distance", "ulps", &ulps, "verdicts", "equal", "count", &equal, "first",
                             &equal_first, "tie", "count", &ties, "diverges", &tie_diverges, "roots", "count", &roots,
                             "diverges", &roots_diverge, "first", &first, "unknown", "count", &unknown),
                 0);
    cr_expect(different == 2 && ulps == 262144 && equal == 297 && json_array_size(equal_first) == 0 && ties == 1 &&
              !tie_diverges && roots == 1 && roots_diverge && unknown == 1);
    cr_expect_eq(json_object_size(json_object_get(buffer, "verdicts")), 4);
    cr_assert_eq(json_unpack(first, "{s:[i] s:i s:i s:{s:s s:f s:s s:o s:i s:{s:s s:s s:i}}}", "index", &index,
                             "fields", &fields, "agree", &agree, "reference", "bits", &bits, "value", &value, "kind",
                             &kind, "components", &components, "state", &state, "stored", "op", &op, "file", &file,
                             "line", &line),
                 0);
    cr_expect(index == 30 && fields == 4 && agree == 1 && !strcmp(bits, "0x41f80000") && value == 31 &&
              !strcmp(kind, "finite") && state == 0 && line == 41 && !strcmp(op, "store_view_tko") &&
              !strcmp(file, "/src/reference.py"));
    cr_expect(json_array_size(components) == 4 && json_integer_value(json_array_get(components, 3)) == 31);
    cr_assert_eq(json_unpack(first, "{s:{s:o}}", "variant", "stored", &one), 0);
    cr_expect(json_object_size(one) == 3 && json_object_get(one, "op")); // no line is known
    cr_expect(json_integer_value(json_object_get(one, "launch")) == 1 && json_object_get(one, "kernel"));
    first = json_array_get(json_object_get(buffer, "first"), 1);
    cr_assert_eq(json_unpack(first, "{s:[i] s:i s:{s:i s:o}}", "index", &index, "fields", &fields, "variant", "state",
                             &state, "components", &components),
                 0);
    cr_expect(index == 31 && fields == 0 && state == TOWER_MISSING && json_is_null(json_array_get(components, 0)));
    json_decref(root);
    sample_close(&s);
}

Test(report_tower, json_of_lost_and_outside) {
    TowerSample s;
    sample_open(&s, 10);
    s.cas.compare_count = 2;
    for (uint64_t i = 0; i < 10; i++) sample_nothing(&s, 1, i), s.records[0][i] = (HostRecord){0};
    json_t *root = json_of(&s), *pair, *numbers, *floats, *integers, *first;
    const char *verdict, *lost;
    int equal;
    cr_assert_eq(json_unpack(root, "{s:[{s:[o, o]}]}", "cases", "pairs", &pair, &numbers), 0);
    cr_assert_eq(
        json_unpack(pair, "{s:s s:[s] s:[o, o]}", "verdict", &verdict, "lost", &lost, "buffers", &floats, &integers),
        0);
    cr_assert_eq(json_unpack(integers, "{s:{s:{s:i}}}", "verdicts", "equal", "count", &equal), 0);
    cr_expect(!strcmp(verdict, "unknown") && !strcmp(lost, "b") && equal == 2);
    first = json_object_get(json_array_get(json_object_get(floats, "first"), 0), "reference");
    cr_expect(json_is_null(json_object_get(first, "stored")));
    json_decref(root);
    sample_close(&s);
}
