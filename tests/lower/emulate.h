// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: a block of a kernel compiled for GPUs, run by the emulator.
#ifndef CONGRUENT_LOWER_EMULATE_H
#define CONGRUENT_LOWER_EMULATE_H

#include "compiler/compiler.h"

enum {
    EMULATE_COMPLAINS = -1,
    EMULATE_SAME_ELEMENT =
        -2, // an op stores two elements of a tile to the same place, in an order that GPUs do not have
};
// Runs a block as HostEntry does: 0, or 1 + the site that failed. If the emulator finds a fault, its message is
// appended to *complaint, and the result is one of the above. Of `launch` arguments, ranges, buffers, globals and grid
// are used.
int64_t emulate_block(const KernelInfo *kernel, const HostLaunch *launch, const uint32_t *block, HostFault *fault,
                      Buffer *complaint);

#endif
