// SPDX-License-Identifier: Apache-2.0
// The text of what a kernel prints (host_abi.h). Plain C, usable alone: a program that links kernels from object files
// can pass `print` of HostLaunch on to it.
#ifndef CONGRUENT_HOST_PRINT_H
#define CONGRUENT_HOST_PRINT_H

#include "base/host_abi.h"

#include <stdio.h>

// Writes one print. A value that is a tile of rank 1 or more is written as [a, b], of rank 2 as [[a, b], [c, d]], each
// element by the conversion. d and i read integers as signed, o, u, x and X as unsigned, those of one bit are 0 or 1;
// a, e, f and g (A, E, F, G) are for floats. A conversion that does not fit its value writes the value in its own way:
// an integer as d, a float as g. Flags, width and precision are printf's, width and precision up to 99; lengths (h, l)
// are not needed. All NaNs are written alike. Payloads are written in hexadecimal with all their digits, pointers in
// hexadecimal, whatever the conversion, in its width.
void host_print(FILE *out, const HostPrint *print);

#endif
