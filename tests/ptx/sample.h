// SPDX-License-Identifier: Apache-2.0
// Instructions made from the rows of instructions.def, in a kernel of their own.
#ifndef CONGRUENT_TESTS_PTX_SAMPLE_H
#define CONGRUENT_TESTS_PTX_SAMPLE_H

#include "compiler/ptx/ptx.h"

typedef struct Sample {
    PtxOp op;
    unsigned form;
    // Of each slot the number of the alternative that is taken; -1: none.
    int choices[PTX_SLOTS_MAX];
    bool optional; // with the operands that may be left out
    bool second;   // of two kinds of an operand the other one
} Sample;

// The alternatives of a slot.
unsigned sample_alternatives(const struct PtxSlot *slot);
// The plainest: the first alternatives, nothing that may be left out.
Sample sample_plain(PtxOp op, unsigned form);
// False: there are no samples of it (branches, calls, textures).
bool sample_is_possible(PtxOp op, unsigned form);
// What a kernel with the sample has to say.
unsigned sample_version(const Sample *sample);
const PtxTargetInfo *sample_target(const Sample *sample);
// Appends the instruction alone, and a whole kernel with it.
void sample_print_instruction(const Sample *sample, Buffer *out);
void sample_print(const Sample *sample, unsigned version, const PtxTargetInfo *target, Buffer *out);

#endif
