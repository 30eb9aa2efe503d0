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
// As HostEntry does it: 0, or 1 + the site that failed. If it is the emulator that has something to say, that is
// appended to *complaint, and the result is one of the above. Of `launch` what says where memory is, and the grid.
int64_t emulate_block(const KernelInfo *kernel, const HostLaunch *launch, const uint32_t *block, HostFault *fault,
                      Buffer *complaint);

#endif
