// SPDX-License-Identifier: Apache-2.0
// check_vectors FILE.csv...: checks vector files (vectors.h) against the scalar and the emitted payload algebra.
// Exit status: 0 all rows equal, 1 some differ, 2 a file cannot be read or is malformed.
#include "tests/sanitizer/vectors.h"

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: check_vectors FILE.csv...\n");
        return 2;
    }
    int status = 0;
    for (int i = 1; i < argc; i++) {
        VectorCounts scalar, emitted;
        char message[512];
        if (!vectors_check(argv[i], stdout, &scalar, &emitted, message)) {
            fprintf(stderr, "%s\n", message);
            status = 2;
            continue;
        }
        printf("%s: scalar code: %zu rows equal, %zu differ; emitted code: %zu rows equal, %zu differ\n", argv[i],
               scalar.equal, scalar.differ, emitted.equal, emitted.differ);
        if ((scalar.differ || emitted.differ) && !status) status = 1;
    }
    return status;
}
