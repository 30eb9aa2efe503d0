// SPDX-License-Identifier: Apache-2.0
// The text of what a kernel prints (host_abi.h). Plain C, usable alone: in a program that links kernels from object
// files, HostLaunch.print can call it.
#ifndef CONGRUENT_HOST_PRINT_H
#define CONGRUENT_HOST_PRINT_H

#include "base/host_abi.h"

#include <stdio.h>

// Writes one print. A tile of rank 1 is written as [a, b], one of rank 2 as [[a, b], [c, d]], and so on, each element
// by the value's conversion. d and i write integers as signed, o, u, x and X as unsigned; a boolean is 0 or 1. a, e, f
// and g (A, E, F, G) are for floats. Where the conversion does not fit the value, an integer is written as by d, a
// float as by g. Flags, width and precision are printf's, width and precision at most 99; length modifiers (h, l) are
// not needed. All NaNs look alike. Whatever the conversion, payloads are written in hexadecimal with all their digits
// and pointers in hexadecimal; only its width counts.
void host_print(FILE *out, const HostPrint *print);

#endif
