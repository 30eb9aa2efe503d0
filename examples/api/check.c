// SPDX-License-Identifier: Apache-2.0
// congruent.h: compares the variants of a case, then runs one of them on data of this program. check.c is what
// docs/c-library.md explains. Usage: check GELU.yaml
#include <congruent.h>

#include <math.h>
#include <stdio.h>

static int compare(Congruent *congruent, const char *path) {
    const char *words[] = {path};
    CongruentCall call = {.struct_size = sizeof call, .words = words, .word_count = 1, .keeps_arrays = 1};
    CongruentResult *result = congruent_call(congruent, &call);
    const int status = congruent_status(result);
    if (status > 1) fputs(congruent_text(result, CONGRUENT_ERRORS), stderr);
    for (size_t i = 0; i < congruent_array_count(result); i++) {
        CongruentArray array;
        congruent_array(result, i, &array, sizeof array);
        if (array.kind != CONGRUENT_VERDICTS) continue;
        const unsigned char *verdicts = array.bytes;
        size_t equal = 0;
        for (size_t e = 0; e < array.size; e++) equal += !verdicts[e]; // 0 is "equal"
        printf("%s | %s: %zu of %zu elements of %s are equal as formulas\n", array.reference, array.variant, equal,
               array.size, array.buffer);
    }
    congruent_result_free(result);
    return status;
}

static int run(Congruent *congruent, const char *path) {
    static float bias[256];
    const CongruentContents contents[] = {{"B", bias, sizeof bias}};
    const char *words[] = {"run", path, "--variant", "one", "--mode", "ieee"};
    for (int i = 0; i < 256; i++) bias[i] = INFINITY;
    CongruentCall call = {.struct_size = sizeof call,
                          .words = words,
                          .word_count = sizeof words / sizeof *words,
                          .contents = contents,
                          .content_count = 1,
                          .keeps_arrays = 1};
    CongruentResult *result = congruent_call(congruent, &call);
    const int status = congruent_status(result);
    CongruentArray array;
    if (status) fputs(congruent_text(result, CONGRUENT_ERRORS), stderr);
    if (congruent_array(result, 0, &array, sizeof array)) {
        const unsigned short *halves = array.bytes; // f16
        printf("with an infinite bias %s[0, 0] of %s is 0x%04x\n", array.buffer, array.variant, halves[0]);
    }
    congruent_result_free(result);
    return status;
}

int main(int count, char **words) {
    if (count != 2) return fprintf(stderr, "usage: check GELU.yaml\n"), 2;
    Congruent *congruent = congruent_open();
    int status = compare(congruent, words[1]);
    if (!status) status = run(congruent, words[1]);
    congruent_close(congruent);
    return status;
}
