// SPDX-License-Identifier: Apache-2.0
// What the files on views and on pointers share.
#ifndef CONGRUENT_VIEW_INTERNAL_H
#define CONGRUENT_VIEW_INTERNAL_H

#include "compiler/lower/emit.h"

// The addresses [begin, end) a pointer may touch (i64): those of its argument, or of the buffer it points into if `origin` is -1
// (begin = end = pointer if it points nowhere).
void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end);
// Number of tiles along a dimension of `size` elements (i64, >= 0): ceil(size / step), step a power of two.
LLVMValueRef emit_index_space(Emit *e, LLVMValueRef size, int64_t step);

#endif
