// SPDX-License-Identifier: Apache-2.0
// What a machine can do that code is made for. The target fills in a Machine; the numerics and the lowering choose code
// by it, and know nothing else about machines.
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

// A function that code may call instead of defining it.
typedef struct MachineFunction {
    const char *name;
    void *code;
} MachineFunction;

typedef struct Machine {
    MachineKind kind;
    uint32_t features;    // bit per MachineFeature
    unsigned vector_bits; // of a vector register
    unsigned vector_registers;
    unsigned gpu;          // of GPUs the compute capability times 10 (80, 90, 120); else 0
    unsigned shared_bytes; // of GPUs: shared memory that a block may have
    bool fuses;            // fused multiply-add is an instruction
    bool masks_lanes;      // loads and stores of some lanes of a vector are instructions
    bool prefetches;       // memory can be asked for in advance
    bool adds_pairs;       // sums of products of neighbouring i16 lanes are cheap
    bool has_libdevice;    // math functions come from CUDA's libdevice; else from the C library
    bool names_rounding;   // instructions name their rounding
    // MACHINE_GET_CONTROL and MACHINE_SET_CONTROL reach a state in which float instructions read subnormal operands as
    // zeros of their sign, and do nothing else differently (MXCSR.DAZ of x86).
    bool flushes_operands;
    // LLVM 22 with AVX-512 turns a masked store of truncated values into a plain one where it knows that one lane is
    // active, and stores the lane's full width, past the end of the element.
    bool widens_masked_stores;
    FpsanFormat scaled_format; // in which block-scaled operands of dots are multiplied fastest
    // What the process that runs the code has of functions made beforehand (precompiled.def); NULL: none. The last
    // one's name is NULL.
    const MachineFunction *functions;
} Machine;

// ---- precompiled.c

// The process's function of that name; NULL: it has none, and code defines its own.
const MachineFunction *machine_function(const Machine *machine, const char *name);

// ---- machine.c

// A processor of the kind with these features, listed as LLVM does ("+avx2,+fma"). Those that need a permission are
// left out: machine_add adds them.
Machine machine_of_processor(MachineKind kind, const char *features);
// A GPU: its compute capability times 10, and Machine.shared_bytes.
Machine machine_of_gpu(unsigned compute, unsigned shared_bytes);
bool machine_has(const Machine *machine, MachineFeature feature);
void machine_add(Machine *machine, MachineFeature feature);
// Whether `features` has "+name" for each of the comma separated names.
bool machine_lists(const char *features, const char *names);
// The number of the permission that a feature needs; 0: none.
unsigned machine_permission(MachineFeature feature);
// Whether LLVM's `features` of a processor of the kind imply the feature. It may still need a permission.
bool machine_may_have(MachineKind kind, MachineFeature feature, const char *features);

// The column `use` of vector_instructions.def; bits.
typedef enum MachineUse {
    MACHINE_MULTIPLY_ADD_PAIRS = 1,
    MACHINE_MULTIPLY_PAIRS = 2,
    MACHINE_VECTOR_LIBRARY = 4,
    MACHINE_SCALE = 8,
    MACHINE_MULTIPLY_ADD_52 = 16,
    MACHINE_MULTIPLY_ADD_52_HIGH = 32,
    MACHINE_PICK = 64,
} MachineUse;
typedef struct MachineVector {
    MachineUse use;
    MachineFeature feature;
    unsigned lanes;
    const char *name;
} MachineVector;
// The machine's next row of one of the uses (bits of MachineUse) behind `after`; the first one for NULL. NULL: no more.
const MachineVector *machine_vector(const Machine *machine, unsigned uses, const MachineVector *after);

typedef enum MachineInstruction {
#define INSTRUCTION(id, name) MACHINE_##id,
#include "compiler/target/instructions.def"
#undef INSTRUCTION
    MACHINE_INSTRUCTION_COUNT
} MachineInstruction;
// The name of LLVM's intrinsic.
const char *machine_instruction(MachineInstruction instruction);

// Room for the name of a function or intrinsic.
enum { MACHINE_NAME_SIZE = 64 };
// LLVM's constrained intrinsic for a rule of directed.def; NULL for other rules.
const char *machine_strict(FpsanRule rule);
// Where machines name their rounding: writes the intrinsic of a rule of directed.def, on floats (`single`) or doubles,
// to nearest too. `flush`: the form, on floats, that flushes subnormal operands and results. False for other rules.
bool machine_directed(FpsanRule rule, FpsanRounding rounding, bool single, bool flush, char *name);
// Of GPUs: the intrinsic of a rule of flushing.def; NULL for other rules.
const char *machine_flushing(FpsanRule rule, bool propagate_nan);
// What a function of libdevice is told of the code that calls it (target_link_libdevice).
typedef struct MachineKeys {
    bool flush;             // __CUDA_FTZ
    bool approximate_roots; // __CUDA_PREC_SQRT is 0
} MachineKeys;
// Where machines have libdevice: writes its name of a function ("exp"), on floats (`single`) or doubles, with the keys
// behind it: "__nv_expf", "__nv_expf.ftz", "__nv_expf.sqrt", "__nv_expf.ftz.sqrt".
void machine_libdevice(const char *function, bool single, MachineKeys keys, char *name);
// The keys behind a name.
MachineKeys machine_keys(const char *name);

// A row of matrix_units.def.
typedef struct MachineMatrix {
    FpsanFormat operand, multiplied;
    unsigned gpu;
    const char *name;
} MachineMatrix;
// How this GPU's matrix units multiply operands of dots in that format; NULL: they do not.
const MachineMatrix *machine_matrix(const Machine *machine, FpsanFormat operand);
// The intrinsic of narrowing.def that this machine converts two floats with; NULL: it has none.
const char *machine_narrowing(const Machine *machine, FpsanFormat from, FpsanFormat to);

#endif
