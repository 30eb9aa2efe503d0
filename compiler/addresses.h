// SPDX-License-Identifier: Apache-2.0
// What kernels do with addresses in memory.
#ifndef CONGRUENT_ADDRESSES_H
#define CONGRUENT_ADDRESSES_H

#include "compiler/program.h"

typedef struct ProgramAddresses {
    bool made; // it may store the address of something that its pointers point to
    // What it may do through addresses that it has loaded, or computed otherwise than from one of its pointers. Which
    // memory that is nobody knows: `unknown` is set.
    ProgramUse followed;
} ProgramAddresses;
// Of a kernel of the program. Of kernels of threads nothing is known but that they may follow addresses.
ProgramAddresses program_addresses(const Program *program, const ProgramKernel *kernel);

// ---- tileir/trace_memory.c

ProgramAddresses tir_kernel_addresses(const Program *program, const ProgramKernel *kernel);

#endif
