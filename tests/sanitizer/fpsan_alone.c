// SPDX-License-Identifier: Apache-2.0
// A C program that uses libfpsan and links nothing but it and libc: the library must need no more.
#include "sanitizer/fpsan.h"

int main(void) {
    FpsanAlgebra algebra = fpsan_default_algebra();
    uint64_t x = fpsan_embed(algebra.profile, FPSAN_F32, fpsan_encode_nearest(FPSAN_F32, 0.75));
    for (int rule = 0; rule < FPSAN_RULE_EXTERN; rule++) {
        uint64_t operands[3] = {x, x, x};
        fpsan_apply(algebra.profile, (FpsanRule)rule, FPSAN_F32, operands);
    }
    uint64_t narrow = fpsan_cast(&algebra, FPSAN_F32, FPSAN_F16, x, FPSAN_NEAREST_EVEN);
    uint64_t one = fpsan_embed(algebra.profile, FPSAN_F32, 0x3f800000);
    return one != 1 || fpsan_dot(&algebra, FPSAN_F16, FPSAN_F16, FPSAN_F32, 1, &narrow, 1, &narrow, 1, 0) == 1;
}
