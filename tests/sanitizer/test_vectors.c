// SPDX-License-Identifier: Apache-2.0
// The vectors taken from the real Triton, and how check_vectors answers files that are wrong.
#include "tests/sanitizer/vectors.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_file(const char *name, size_t rows) {
    char path[512], message[512] = "";
    snprintf(path, sizeof path, "%s/tests/sanitizer/data/%s", SOURCE_DIR, name);
    VectorCounts scalar, emitted;
    cr_assert(vectors_check(path, stderr, &scalar, &emitted, message), "%s", message);
    cr_assert_eq(scalar.differ, 0);
    cr_assert_eq(emitted.differ, 0);
    cr_assert_eq(scalar.equal, rows, "%zu rows", scalar.equal);
    cr_assert_eq(emitted.equal, rows);
}

Test(vectors, elementwise) {
    check_file("elementwise-triton-3.9.0.csv", 13888);
}

Test(vectors, narrow) {
    check_file("narrow-model.csv", 1472);
}

Test(vectors, dots) {
    check_file("dots-triton-3.9.0.csv", 208);
}

Test(vectors, scaled_dots) {
    check_file("scaled-dots-triton-3.9.0.csv", 288);
}

// The exit status of check_vectors on a file of `size` bytes, its output in `said`.
static int run_check(const char *text, size_t size, char *said, size_t said_size) {
    char path[] = "/tmp/vectorsXXXXXX", command[1024];
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, text, size) == (ssize_t)size);
    close(file);
    snprintf(command, sizeof command, "%s/bin/check_vectors %s 2>&1", BINARY_DIR, path);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    size_t n = fread(said, 1, said_size - 1, pipe);
    said[n] = 0;
    int status = pclose(pipe);
    unlink(path);
    cr_assert(WIFEXITED(status), "%s", said);
    return WEXITSTATUS(status);
}

Test(vectors, program_counts_equal_and_different_rows) {
    static const char good[] = "add,fp16|fp16,fp16,0,bc00,bc00\nneg,bf16,bf16,3f80,bf80\n";
    static const char bad[] = "add,fp16|fp16,fp16,0,bc00,bc00\nadd,f16|f16,f16,0,bc00,bc01\n";
    char said[4096];
    cr_assert_eq(run_check(good, sizeof good - 1, said, sizeof said), 0, "%s", said);
    cr_assert_not_null(strstr(said, "scalar code: 2 rows equal, 0 differ; emitted code: 2 rows equal, 0 differ"), "%s",
                       said);
    cr_assert_eq(run_check(bad, sizeof bad - 1, said, sizeof said), 1, "%s", said);
    cr_assert_not_null(strstr(said, ":2: add of f16|f16 to f16: scalar code gives bc00, expected bc01"), "%s", said);
    cr_assert_not_null(strstr(said, ":2: add of f16|f16 to f16: emitted code gives bc00, expected bc01"), "%s", said);
}

Test(vectors, malformed_files_are_refused_with_a_line) {
    static const struct {
        const char *text, *said;
    } rows[] = {{"", "holds no rows"},
                {"\n", ":1: expected op"},
                {"add\n", ":1: expected op"},
                {"add,fp16|fp16,fp16,0,bc00,bc00\n\n", ":2: expected op"},
                {"fold,fp16|fp16,fp16,0,bc00,bc00\n", ":1: unknown operation 'fold'"},
                {"libdevice.,fp32,fp32,0,0\n", "unknown operation"},
                {"add_homomorphic,fp16|fp16,fp16,0,0,0\n", "unknown operation"},
                {"add.4,fp16|fp16,fp16,0,0,0\n", "unknown operation"},
                {"add,fp17|fp16,fp16,0,bc00,bc00\n", "unknown type 'fp17'"},
                {"add,fp16|fp16,fp61,0,bc00,bc00\n", "unknown type 'fp61'"},
                {"add,fp16,fp16,0,0\n", "wrong number of operand types"},
                {"add,fp16|fp16,fp16,0,0\n", "wrong number of operands"},
                {"add,fp16|fp16,fp16,0,0,0,0\n", "wrong number of operands"},
                {"add,fp16|fp16,fp32,0,0,0\n", "one format with rules"},
                {"add,f8e8m0fnu|f8e8m0fnu,f8e8m0fnu,0,0,0\n", "one format with rules"},
                {"div_via_fp32,fp32|fp32,fp32,0,0,0\n", "16-bit"},
                {"libdevice.log,fp32|fp32,fp32,0,0,0\n", "wrong number of operands"},
                {"add,fp16|fp16,fp16,0,x,0\n", "hexadecimal digits, found 'x'"},
                {"add,fp16|fp16,fp16,0,,0\n", "hexadecimal digits, found ''"},
                {"add,fp16|fp16,fp16,0,-1,0\n", "hexadecimal digits, found '-1'"},
                {"add,fp16|fp16,fp16,0,10000,0\n", "bits wider than their type: '10000'"},
                {"add,fp16|fp16,fp16,0,11112222333344445,0\n", "hexadecimal digits"},
                {"dot,fp16|fp16|fp32,fp32,0,0\n", "does not fit a dot"},
                {"dot,fp16|fp16|fp32,fp16,0,0,0,0\n", "one format with rules"},
                {"dot_scaled,fp16|none|fp16|none|fp32,fp32,0,0,0,0\n", "unknown operation"},
                {"dot_scaled.x,fp16|none|fp16|none|fp32,fp32,0,0,0,0\n", "block size"},
                {"dot_scaled.2,fp16|none|fp16|none|fp32,fp32,0,0,0,0\n", "does not fit a dot"}};
    char said[4096];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(run_check(rows[i].text, strlen(rows[i].text), said, sizeof said), 2, "%s%s", rows[i].text, said);
        cr_assert_not_null(strstr(said, rows[i].said), "%s%s", rows[i].text, said);
    }
    cr_assert_eq(run_check("add,fp16\0x\n", 11, said, sizeof said), 2, "%s", said);
    char *many = malloc(10000);
    cr_assert_not_null(many);
    memset(many, ',', 10000);
    cr_assert_eq(run_check(many, 10000, said, sizeof said), 2, "%s", said);
    cr_assert_not_null(strstr(said, "too many fields"), "%s", said);
    free(many);
}

Test(vectors, missing_files_and_arguments_are_refused) {
    char message[512] = "";
    VectorCounts scalar, emitted;
    cr_assert_not(vectors_check("/nonexistent/file.csv", stderr, &scalar, &emitted, message));
    cr_assert_str_eq(message, "/nonexistent/file.csv: cannot be opened");
    cr_assert_not(vectors_check("/tmp", stderr, &scalar, &emitted, message));
    cr_assert_str_eq(message, "/tmp: cannot be read");
    int status = system(BINARY_DIR "/bin/check_vectors 2>/dev/null");
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}
