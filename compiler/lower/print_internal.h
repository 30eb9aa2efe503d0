// SPDX-License-Identifier: Apache-2.0
// What print.c (processors) and print_gpu.c share.
#ifndef CONGRUENT_PRINT_INTERNAL_H
#define CONGRUENT_PRINT_INTERNAL_H

#include "compiler/lower/emit.h"

// What the elements of a tile are printed as.
typedef struct Printed {
    EmitElement element;
    HostPrintKind kind;
    unsigned bits;
} Printed;

Printed print_printed(const Emit *e, TirType tile);
// The integer of the width that HostPrintValue wants; an EmitConvert (`data`: the Printed) that makes lanes of it.
LLVMTypeRef print_lane_type(const Emit *e, const Printed *printed);
LLVMValueRef print_lanes(Emit *e, const void *data, const NumericValue *lanes);

bool print_on_gpu(Emit *e, const TirOp *op);

#endif
