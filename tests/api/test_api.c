// SPDX-License-Identifier: Apache-2.0
// libcongruent: what its calls give is what the program fpdiff prints; contents and arrays; wrong words.
#include "api/congruent.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES SOURCE_DIR "/tests/cases/"

static Congruent *congruent;

static void set_up(void) {
    setenv("CONGRUENT_CACHE", "off", 1);
    congruent = congruent_open();
}

static void tear_down(void) {
    congruent_close(congruent);
}

TestSuite(api, .init = set_up, .fini = tear_down);

#define CALL(...) call((const char *const[]){__VA_ARGS__, NULL}, NULL, 0)

static CongruentResult *call(const char *const *words, const CongruentContents *contents, size_t content_count) {
    CongruentCall asked = {.struct_size = sizeof asked,
                           .words = words,
                           .contents = contents,
                           .content_count = content_count,
                           .keeps_arrays = 1};
    while (words[asked.word_count]) asked.word_count++;
    return congruent_call(congruent, &asked);
}

static CongruentArray array_of(const CongruentResult *result, size_t index) {
    CongruentArray array;
    cr_assert(congruent_array(result, index, &array, sizeof array));
    return array;
}

// What the program prints to standard output.
static char *printed_by_program(const char *words, int *status) {
    static char text[1 << 16];
    char command[1024];
    snprintf(command, sizeof command, "%s/bin/fpdiff %s 2>&1", BINARY_DIR, words);
    FILE *pipe = popen(command, "r");
    const size_t size = fread(text, 1, sizeof text - 1, pipe);
    text[size] = 0;
    *status = pclose(pipe) >> 8;
    return text;
}

static void expect_same_as_program(const char *words, CongruentResult *result) {
    int status;
    char mine[1 << 16];
    const char *theirs = printed_by_program(words, &status);
    snprintf(mine, sizeof mine, "%s%s", congruent_text(result, CONGRUENT_OUTPUT),
             congruent_text(result, CONGRUENT_ERRORS));
    cr_expect_eq(congruent_status(result), status, "%s: status %d, of the program %d", words, congruent_status(result),
                 status);
    cr_expect_str_eq(mine, theirs, "%s", words);
    congruent_result_free(result);
}

Test(api, says_what_the_program_says) {
    expect_same_as_program(CASES "tower/scale_literal.yaml", CALL(CASES "tower/scale_literal.yaml"));
    expect_same_as_program(CASES "tower/relu_ties.yaml", CALL(CASES "tower/relu_ties.yaml"));
    expect_same_as_program("show " CASES "tower/relu_ties.yaml", CALL("show", CASES "tower/relu_ties.yaml"));
    expect_same_as_program("suggest " CASES "tower/relu_ties.yaml", CALL("suggest", CASES "tower/relu_ties.yaml"));
    expect_same_as_program("--help", CALL("--help"));
    expect_same_as_program("no_such.yaml", CALL("no_such.yaml"));
    expect_same_as_program("--nonsense", CALL("--nonsense"));
}

// Other options from call to call: another profile, target and number of threads, with the device that is open and
// without.
Test(api, settings_do_not_stay) {
    for (int i = 0; i < 2; i++) {
        expect_same_as_program(CASES "tower/relu_ties.yaml --profile triton-3.9",
                               CALL(CASES "tower/relu_ties.yaml", "--profile", "triton-3.9"));
        expect_same_as_program(CASES "tower/relu_ties.yaml --range", CALL(CASES "tower/relu_ties.yaml", "--range"));
        expect_same_as_program(CASES "tower/relu_ties.yaml -O 0 --jobs 1",
                               CALL(CASES "tower/relu_ties.yaml", "-O", "0", "--jobs", "1"));
        expect_same_as_program(CASES "tower/relu_ties.yaml --cpu x86-64-v3",
                               CALL(CASES "tower/relu_ties.yaml", "--cpu", "x86-64-v3"));
        expect_same_as_program(CASES "tower/relu_ties.yaml", CALL(CASES "tower/relu_ties.yaml"));
    }
}

Test(api, errors_are_values) {
    CongruentResult *result = CALL("mutate", CASES "tower/relu_ties.yaml");
    cr_expect_eq(congruent_status(result), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), "the program fpdiff can do it"));
    cr_expect_null(congruent_text(result, CONGRUENT_JSON));
    congruent_result_free(result);
    result = CALL(CASES "tower/relu_ties.yaml", "--timeout", "3");
    cr_expect_eq(congruent_status(result), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), "--timeout"));
    congruent_result_free(result);
    result = call((const char *const[]){NULL}, NULL, 0);
    cr_expect_eq(congruent_status(result), 2);
    cr_expect_null(congruent_text(result, (CongruentText)1000));
    cr_expect_null(congruent_text(result, (CongruentText)-1));
    CongruentArray array;
    cr_expect_not(congruent_array(result, 0, &array, sizeof array));
    congruent_result_free(result);
    congruent_result_free(NULL);
    congruent_close(NULL);
    cr_expect_null(congruent_verdict_name(1000));
    cr_expect_str_eq(congruent_verdict_name(0), "equal");
}

static float kept[200];

Test(api, contents_and_results_of_a_run) {
    float x[200];
    for (int i = 0; i < 200; i++) x[i] = (float)i;
    const CongruentContents contents[] = {{"X", x, sizeof x}};
    CongruentResult *result =
        call((const char *const[]){"run", CASES "tower/scale_literal.yaml", "-v", "constant", "-m", "ieee", NULL},
             contents, 1);
    cr_assert_eq(congruent_status(result), 0, "%s", congruent_text(result, CONGRUENT_ERRORS));
    cr_assert_eq(congruent_array_count(result), 1);
    const CongruentArray array = array_of(result, 0);
    cr_expect_eq(array.kind, CONGRUENT_NUMBERS);
    cr_expect_str_eq(array.buffer, "Y");
    cr_expect_str_eq(array.type, "f32");
    cr_expect_str_eq(array.variant, "constant");
    cr_expect_str_eq(array.mode, "ieee");
    cr_expect_null(array.reference);
    cr_expect(array.rank == 1 && array.shape[0] == 200 && array.size == sizeof kept);
    memcpy(kept, array.bytes, sizeof kept);
    for (int i = 0; i < 200; i++) cr_expect_eq(kept[i], (float)i * 0.1f, "element %d", i);
    congruent_result_free(result);
}

static void expect_refused(const CongruentContents *contents, const char *text) {
    CongruentResult *result = call((const char *const[]){CASES "tower/scale_literal.yaml", NULL}, contents, 1);
    cr_expect_eq(congruent_status(result), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), text), "%s", congruent_text(result, CONGRUENT_ERRORS));
    congruent_result_free(result);
}

Test(api, wrong_contents_are_refused) {
    static const float x[201];
    expect_refused(&(CongruentContents){"Z", x, 4}, "contents for buffer Z, which this case has not");
    expect_refused(&(CongruentContents){"X", x, sizeof x}, "buffer X has 800 bytes, its contents 804");
    expect_refused(&(CongruentContents){"X", NULL, 0}, "buffer X has 800 bytes, its contents 0");
}

// Of each run numbers, of the pair in the tower a verdict and two counts for each element.
Test(api, arrays_of_a_comparison) {
    CongruentResult *result = CALL(CASES "tower/scale_literal.yaml", CASES "tower/relu_ties.yaml");
    size_t numbers = 0, verdicts = 0, fields = 0;
    for (size_t i = 0; i < congruent_array_count(result); i++) {
        const CongruentArray array = array_of(result, i);
        const uint8_t *bytes = array.bytes;
        numbers += array.kind == CONGRUENT_NUMBERS;
        verdicts += array.kind == CONGRUENT_VERDICTS;
        fields += array.kind == CONGRUENT_FIELDS;
        if (array.kind == CONGRUENT_NUMBERS) continue;
        cr_expect_str_eq(array.reference, array.case_index ? "exact" : "constant");
        cr_expect_str_eq(array.mode, "fpsan");
        for (int64_t e = 0; array.kind == CONGRUENT_VERDICTS && e < array.shape[0] && !array.case_index; e++)
            cr_expect_str_eq(congruent_verdict_name(bytes[e]), "equal");
        if (array.kind == CONGRUENT_FIELDS) cr_expect(array.rank == 2 && array.shape[1] == 2);
        for (int64_t e = 0; array.kind == CONGRUENT_FIELDS && e < array.shape[0] && !array.case_index; e++)
            cr_expect(bytes[2 * e] >= 3 && bytes[2 * e] == bytes[2 * e + 1]);
    }
    cr_expect_eq(numbers, (3 + 2) * 2); // variants in two modes
    cr_expect_eq(verdicts, 2 + 1);
    cr_expect_eq(fields, 2 + 1);
    cr_expect(strstr(congruent_text(result, CONGRUENT_JSON), "\"cases\""));
    cr_expect(strstr(congruent_text(result, CONGRUENT_HTML), "<html"));
    cr_expect(strstr(congruent_text(result, CONGRUENT_JUNIT), "<testsuite"));
    cr_expect(strstr(congruent_text(result, CONGRUENT_SARIF), "2.1.0"));
    cr_expect(strlen(congruent_text(result, CONGRUENT_MARKDOWN)) > 0);
    congruent_close(congruent); // results stay
    congruent = NULL;
    cr_expect_str_eq(array_of(result, 0).buffer, "Y");
    congruent_result_free(result);
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) found++;
    return found;
}

Test(api, modes_of_the_command_line) {
    CongruentResult *result = CALL(CASES "tower/scale_literal.yaml", "--modes", "ieee");
    cr_expect_eq(congruent_status(result), 0);
    cr_expect_eq(count(congruent_text(result, CONGRUENT_OUTPUT), " ieee "), 2);
    cr_expect_eq(count(congruent_text(result, CONGRUENT_OUTPUT), " fpsan "), 0);
    congruent_result_free(result);
    result = CALL(CASES "tower/scale_literal.yaml", "--modes", "fpsan,wide");
    cr_expect_eq(congruent_status(result), 0);
    cr_expect_eq(count(congruent_text(result, CONGRUENT_OUTPUT), " fpsan "), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_OUTPUT), "accuracy"), "%s",
              congruent_text(result, CONGRUENT_OUTPUT));
    congruent_result_free(result);
    result = CALL(SOURCE_DIR "/examples/attention/bug_sum.yaml", "--modes", "ieee");
    cr_expect_eq(congruent_status(result), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), "--modes lists none"));
    congruent_result_free(result);
}

// What a careless caller passes.
Test(api, pointers_that_are_missing) {
    const char *words[] = {"--version", NULL};
    const CongruentContents contents[] = {{NULL, "", 0}, {"X", NULL, 800}};
    const CongruentCall calls[] = {{.words = words, .word_count = 2},
                                   {.word_count = 1},
                                   {.words = words, .word_count = 1, .content_count = 1},
                                   {.words = words, .word_count = 1, .contents = contents, .content_count = 1},
                                   {.words = words, .word_count = 1, .contents = &contents[1], .content_count = 1}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        CongruentResult *result = congruent_call(congruent, &calls[i]);
        cr_expect_eq(congruent_status(result), 2, "call %zu", i);
        cr_expect(strlen(congruent_text(result, CONGRUENT_ERRORS)) > 0);
        congruent_result_free(result);
    }
    static const float x[200];
    const CongruentContents twice[] = {{"X", x, sizeof x}, {"X", x, sizeof x}};
    const char *const compare[] = {CASES "tower/scale_literal.yaml", NULL};
    CongruentResult *result = call(compare, twice, 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), "two contents for buffer X"));
    congruent_result_free(result);
    result = call((const char *const[]){"explain", CASES "tower/scale_literal.yaml", NULL}, twice, 1);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), "explain takes no contents"));
    congruent_result_free(result);
}

// How the caller rounds does not matter, and stays.
Test(api, floats_of_the_caller) {
    CongruentResult *plain = CALL(CASES "tower/scale_literal.yaml", "--json", "/dev/null");
    fesetround(FE_UPWARD);
    CongruentResult *upward = CALL(CASES "tower/scale_literal.yaml", "--json", "/dev/null");
    cr_expect_eq(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    cr_expect_str_eq(congruent_text(plain, CONGRUENT_OUTPUT), congruent_text(upward, CONGRUENT_OUTPUT));
    congruent_result_free(plain);
    congruent_result_free(upward);
}

// A struct of a later version is larger, one of an earlier one smaller.
Test(api, structs_of_other_sizes) {
    union {
        CongruentArray array;
        char bytes[2 * sizeof(CongruentArray)];
    } space;
    CongruentResult *result = CALL(CASES "tower/relu_ties.yaml");
    memset(&space, 0xff, sizeof space);
    cr_assert(congruent_array(result, 0, &space.array, sizeof space));
    cr_expect_eq(space.bytes[sizeof space - 1], 0);
    memset(&space, 0xff, sizeof space);
    cr_assert(congruent_array(result, 0, &space.array, offsetof(CongruentArray, variant)));
    cr_expect_eq((uintptr_t)space.array.variant, UINTPTR_MAX);
    congruent_result_free(result);
}

static void expect_refused_call(Congruent *caller, const CongruentCall *asked, const char *text) {
    CongruentResult *result = congruent_call(caller, asked);
    cr_expect_eq(congruent_status(result), 2);
    cr_expect(strstr(congruent_text(result, CONGRUENT_ERRORS), text), "%s", congruent_text(result, CONGRUENT_ERRORS));
    cr_expect_null(congruent_text(result, CONGRUENT_JSON));
    congruent_result_free(result);
}

Test(api, calls_that_are_missing) {
    static const char *const words[] = {"--version"};
    expect_refused_call(congruent, NULL, "the call is missing");
    expect_refused_call(NULL, &(CongruentCall){.words = words, .word_count = 1}, "the Congruent is missing");
    expect_refused_call(NULL, NULL, "the Congruent is missing");
}

Test(api, calls_of_other_sizes) {
    static const char *const words[] = {"--version"};
    struct {
        CongruentCall call;
        int64_t later[2]; // fields of a later version
    } asked = {.call = {.words = words, .word_count = 1}};
    const size_t wrong[] = {1, 4, sizeof asked.call - 1, SIZE_MAX, (size_t)1 << 40};
    const size_t right[] = {0, sizeof asked.call, sizeof asked};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        asked.call.struct_size = wrong[i];
        expect_refused_call(congruent, &asked.call, "struct_size is neither 0 nor sizeof(CongruentCall)");
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        asked.call.struct_size = right[i];
        CongruentResult *result = congruent_call(congruent, &asked.call);
        cr_expect_eq(congruent_status(result), 0, "struct_size %zu", right[i]);
        congruent_result_free(result);
    }
    asked.later[1] = 1;
    expect_refused_call(congruent, &asked.call, "a field of a later version");
}

static void *call_alone(void *unused) {
    static const char *const words[] = {CASES "tower/relu_ties.yaml", "--jobs", "1"};
    Congruent *own = congruent_open();
    int *status = malloc(sizeof *status);
    (void)unused;
    for (int i = 0; i < 3; i++) {
        CongruentResult *result = congruent_call(own, &(CongruentCall){.words = words, .word_count = 3});
        *status = congruent_status(result);
        congruent_result_free(result);
    }
    congruent_close(own);
    return status;
}

Test(api, several_threads_with_one_each) {
    pthread_t threads[3];
    int expected;
    printed_by_program(CASES "tower/relu_ties.yaml", &expected);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, call_alone, NULL);
    for (int i = 0; i < 3; i++) {
        int *status;
        pthread_join(threads[i], (void **)&status);
        cr_expect_eq(*status, expected);
        free(status);
    }
}
