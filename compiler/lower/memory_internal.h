// SPDX-License-Identifier: Apache-2.0
// Buffers as kernels see them: what an address may touch, and how a value lies in planes. Shared by the files on views,
// pointers and atomics.
#ifndef CONGRUENT_MEMORY_INTERNAL_H
#define CONGRUENT_MEMORY_INTERNAL_H

#include "compiler/lower/emit.h"

// ---- memory.c
// ------------------------------------------------------------------------------------------------------------

// The addresses [begin, end) a pointer may touch (i64): those of its argument, or of the buffer it points into if
// `origin` is -1 (begin = end = 0 if it points into none).
void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end);
// i1: `size` bytes at `address` (i64) lie in that range.
LLVMValueRef emit_may_touch(Emit *e, int origin, LLVMValueRef address, unsigned size);

// Planes that elements have in memory: the numeric's for floats, else 1.
unsigned emit_plane_count(const Emit *e, EmitElement element);
// Pointer (or vector of pointers) to a plane of the element at `address` (i64 or a vector of them).
LLVMValueRef emit_plane_pointer(Emit *e, LLVMValueRef address, unsigned plane);
// Plane bits (integers of the storage width) to a value and back; an i1 is a byte, any but zero is true.
NumericValue emit_value_of_planes(Emit *e, EmitElement element, const LLVMValueRef *planes);
void emit_planes_of_value(Emit *e, EmitElement element, const NumericValue *value, LLVMValueRef *planes);

// ---- view.c
// ----------------------------------------------------------------------------------------------------------------

// Number of tiles along a dimension of `size` elements (i64, >= 0): ceil(size / step), step a power of two.
LLVMValueRef emit_index_space(Emit *e, LLVMValueRef size, int64_t step);

#endif
