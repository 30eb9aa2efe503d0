// SPDX-License-Identifier: Apache-2.0
// The function of an entry on GPUs (gpu_abi.h), for entry.c.
#ifndef CONGRUENT_ENTRY_INTERNAL_H
#define CONGRUENT_ENTRY_INTERNAL_H

#include "compiler/lower/emit.h"

void gpu_open_kernel(Emit *e, const char *symbol);
void gpu_close_kernel(Emit *e, LLVMBasicBlockRef first, KernelInfo *kernel);
// Where GpuLaunch has a field of HostLaunch.
size_t gpu_launch_offset(size_t host_offset);
LLVMValueRef gpu_grid(Emit *e, unsigned axis);
LLVMValueRef gpu_raw_parameter(Emit *e, uint32_t index);
// Ends the thread at a site (i32), with what e->fault says.
void gpu_end_with_fault(Emit *e, LLVMValueRef site);
// Linear id of the block (i64); a field of GpuLaunch (i64); a field of what `base` points to.
LLVMValueRef gpu_linear_id(Emit *e);
LLVMValueRef gpu_launch_field(Emit *e, size_t offset);
LLVMValueRef gpu_field_pointer(Emit *e, LLVMValueRef base, size_t offset);
// i1: whether it is recorded that this block, or one below it, has failed.
LLVMValueRef gpu_has_failed(Emit *e);

#endif
