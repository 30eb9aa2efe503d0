// SPDX-License-Identifier: Apache-2.0
// What the machine that code is made for can do: data that the numerics and the lowering choose code by. The target
// fills a Machine; nothing about a machine is guessed, or named, elsewhere.
#ifndef CONGRUENT_MACHINE_H
#define CONGRUENT_MACHINE_H

#include "sanitizer/fpsan.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum MachineFeature {
#define FEATURE(id, x86, arm, vector_bits, registers, permission) MACHINE_##id,
#include "compiler/target/features.def"
#undef FEATURE
    MACHINE_FEATURE_COUNT
} MachineFeature;

typedef enum MachineKind {
    MACHINE_X86_64,
    MACHINE_AARCH64,
    MACHINE_OTHER,
    MACHINE_GPU,
    MACHINE_KIND_COUNT
} MachineKind;

typedef struct Machine {
    MachineKind kind;
    uint32_t features;    // bit per MachineFeature
    unsigned vector_bits; // of a register
    unsigned vector_registers;
    unsigned gpu;          // of GPUs the compute capability times 10 (80, 90, 120); else 0
    unsigned shared_bytes; // of GPUs: shared memory that a block may have
    // What all machines of the kind have in common.
    bool fuses;          // fused multiply-add is an instruction
    bool masks_lanes;    // loads and stores of some lanes of a vector are instructions
    bool prefetches;     // memory can be asked for in advance
    bool adds_pairs;     // products of neighbouring pairs of i16 are cheap
    bool has_libdevice;  // functions are CUDA's libdevice's; else the C library's
    bool names_rounding; // instructions name their rounding
    // LLVM makes a store of a whole lane, past the element, of a masked store of truncated values with one active lane
    // that it knows (LLVM 22, AVX-512).
    bool widens_masked_stores;
    FpsanFormat scaled_format; // in which scaled operands of dots are multiplied fastest
} Machine;

// ---- machine.c

// A machine with what its kind has. Of processors `features`: as LLVM lists them ("+avx2,+fma"). Features that need a
// permission are left out.
Machine machine_of_processor(MachineKind kind, const char *features);
Machine machine_of_gpu(unsigned compute, unsigned shared_bytes);
bool machine_has(const Machine *machine, MachineFeature feature);
void machine_add(Machine *machine, MachineFeature feature);
// Whether "+name" is among comma separated features, for each of the comma separated names.
bool machine_lists(const char *features, const char *names);
// The number of the permission that a feature needs, 0 for none; and whether LLVM's features say that it is there.
unsigned machine_permission(MachineFeature feature);
bool machine_may_have(MachineKind kind, MachineFeature feature, const char *features);

// A use of vector_instructions.def.
typedef enum MachineUse {
    MACHINE_MULTIPLY_ADD_PAIRS = 1,
    MACHINE_MULTIPLY_PAIRS = 2,
    MACHINE_VECTOR_LIBRARY = 4,
    MACHINE_SCALE = 8,
} MachineUse;
typedef struct MachineVector {
    MachineUse use;
    MachineFeature feature;
    unsigned lanes;
    const char *name;
} MachineVector;
// The first row after `after` (NULL: of all) of one of the uses (bits of MachineUse) that the machine has; NULL: none.
const MachineVector *machine_vector(const Machine *machine, unsigned uses, const MachineVector *after);

typedef enum MachineInstruction {
#define INSTRUCTION(id, name) MACHINE_##id,
#include "compiler/target/instructions.def"
#undef INSTRUCTION
    MACHINE_INSTRUCTION_COUNT
} MachineInstruction;
const char *machine_instruction(MachineInstruction instruction);

// Room for the name of a function or intrinsic.
enum { MACHINE_NAME_SIZE = 64 };
// LLVM's strict intrinsic for a rule with directed rounding; NULL: there is none.
const char *machine_strict(FpsanRule rule);
// The instruction of a rule of directed.def that names its rounding (Machine.names_rounding), on floats or doubles.
void machine_directed(FpsanRule rule, FpsanRounding rounding, bool single, char *name);
// libdevice's function of that name ("exp"), on floats or doubles (Machine.has_libdevice).
void machine_libdevice(const char *function, bool single, char *name);

// A format of operands of dots that the GPU's matrix units multiply.
typedef struct MachineMatrix {
    FpsanFormat operand, multiplied; // as the operand is, and as the unit reads it
    unsigned gpu;                    // compute capability times 10
    const char *name;                // LLVM's intrinsic
} MachineMatrix;
const MachineMatrix *machine_matrix(const Machine *machine, FpsanFormat operand); // NULL: none

#endif
