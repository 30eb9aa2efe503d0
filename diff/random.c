// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers and normal deviates that have the same bits on every machine: integer arithmetic, and
// doubles with
// + - * / and square root alone (the build never contracts them).
#include "diff/case.h"

#include <math.h>
#include <string.h>

// Philox4x32-10: ten rounds of two 32 x 32 bit products whose halves are swapped and mixed with a key that steps each
// round.
void fpd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)c[0] * 0xd2511f53, q = (uint64_t)c[2] * 0xcd9e8d57;
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k[1],
                            (uint32_t)p};
        memcpy(c, next, sizeof c);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
    memcpy(result, c, sizeof c);
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log x = k log 2 + 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716: the series to
// s^21 is exact to double precision. k log 2 is added in two parts, the first with trailing zeros, so that it is exact.
double fpd_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        k++;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 21; n >= 3; n -= 2) sum = square * (sum + 1.0 / n);
    return k * 0x1.62e42fefa3800p-1 + (2 * s + (2 * s * sum + k * 0x1.ef35793c76730p-45));
}

// Ratio of two polynomials of degree 7, coefficients from the constant up.
static double normal_ratio(const double *above, const double *below, double x) {
    double p = above[7], q = below[7];
    for (int i = 6; i >= 0; i--) {
        p = p * x + above[i];
        q = q * x + below[i];
    }
    return p / q;
}

double fpd_normal_quantile(double p) {
    static const double centre[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
         4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
         3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
    static const double middle[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
    double q = p - 0.5;
    if (fabs(q) <= 0.425) return q * normal_ratio(centre[0], centre[1], 0.180625 - q * q);
    double r = sqrt(-fpd_log(q < 0 ? p : 1 - p));
    double result = r <= 5 ? normal_ratio(middle[0], middle[1], r - 1.6) : normal_ratio(tail[0], tail[1], r - 5);
    return q < 0 ? -result : result;
}
