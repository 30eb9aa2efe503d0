// SPDX-License-Identifier: Apache-2.0
// Shared by the files that verify PTX.
#ifndef CONGRUENT_PTX_VERIFY_H
#define CONGRUENT_PTX_VERIFY_H

#include "compiler/ptx/ptx.h"

typedef struct Verifier {
    Diagnostics *diagnostics;
    const PtxModule *module;
    const PtxFunction *function;
    const PtxInstruction *instruction;
    Arena arena; // for texts of messages
} Verifier;

// Records E_VERIFY at the instruction: "'add.u32': ...". Always false.
bool verifier_fail(Verifier *verifier, const char *format, ...) BASE_PRINTF(2, 3);

// ---- verify_ptx.c

// Whether a register, literal or address may stand where a value of the type is wanted. `wider`: registers may have
// more bits. False and an error if not.
bool verify_value(Verifier *verifier, const PtxOperand *operand, PtxType type, bool wider);

// ---- verify_lists.c

enum { PTX_ANY_LIST = 0, PTX_NO_LIST = UINT32_MAX };
typedef struct PtxListShape {
    unsigned count; // PTX_ANY_LIST: it is checked elsewhere; PTX_NO_LIST: there may be none
    PtxType type;   // of the registers
} PtxListShape;
// Of the list that the instruction's row calls `name`.
PtxListShape ptx_list_shape(const PtxInstruction *instruction, const char *name);
// Coordinates of a tensor access.
unsigned ptx_coordinate_count(const PtxInstruction *instruction);

// ---- verify_instructions.c: what single instructions ask for

bool verify_instruction(Verifier *verifier);

#endif
