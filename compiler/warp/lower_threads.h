// SPDX-License-Identifier: Apache-2.0
// PTX to LLVM IR for processors, for other rooms: a WarpEntry and a KernelInfo for each kernel of a module.
#ifndef CONGRUENT_LOWER_THREADS_H
#define CONGRUENT_LOWER_THREADS_H

#include "compiler/lower/lower.h"

// As lower_module, of a program of form PROGRAM_PTX: adds an LLVM function of type WarpEntry for each kernel, and one
// for each function that they call. WarpFunctions is the module's constant of that name.
bool lower_threads(Diagnostics *diagnostics, Arena *arena, const LowerRequest *request, LoweredModule *lowered);

#define LANE_FUNCTIONS_NAME "congruent.warp_functions"

#endif
