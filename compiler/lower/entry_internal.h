// SPDX-License-Identifier: Apache-2.0
// The function of an entry on GPUs (gpu_abi.h), for entry.c.
#ifndef CONGRUENT_ENTRY_INTERNAL_H
#define CONGRUENT_ENTRY_INTERNAL_H

#include "compiler/lower/emit.h"

void gpu_open_kernel(Emit *e, const char *symbol);
void gpu_close_kernel(Emit *e, LLVMBasicBlockRef first, LoweredKernel *kernel);
// Where GpuLaunch has a field of HostLaunch.
size_t gpu_launch_offset(size_t host_offset);
LLVMValueRef gpu_grid(Emit *e, unsigned axis);
LLVMValueRef gpu_raw_parameter(Emit *e, uint32_t index);
// Ends the thread at a site (i32), with what e->fault says.
void gpu_end_with_fault(Emit *e, LLVMValueRef site);

#endif
