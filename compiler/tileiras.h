// SPDX-License-Identifier: Apache-2.0
// The command line of tileiras, as the program and its man page have it, beside the options of options.def.
#ifndef CONGRUENT_TILEIRAS_H
#define CONGRUENT_TILEIRAS_H

#define TILEIRAS_ABOUT "Compiles CUDA Tile IR, bytecode or text, for this machine's processor or a GPU."
// STATUS(number, when)
#define TILEIRAS_STATUSES(STATUS)                                                                                      \
    STATUS("0", "done")                                                                                                \
    STATUS("1", "wrong usage, a file that cannot be read or written, or an unknown target")                            \
    STATUS("3", "not valid bytecode or text")                                                                          \
    STATUS("5", "cannot be compiled")

typedef enum OptionKind { OPTION_SWITCH, OPTION_ARGUMENT, OPTION_JOINED, OPTION_MATH } OptionKind;

// What --emit says: its word, what is compiled for that, whether it is of the host and of GPUs.
#define EMIT_KINDS(KIND)                                                                                               \
    KIND(OBJECT, "object", OBJECT, true, false)                                                                        \
    KIND(ASM, "asm", ASM, true, false)                                                                                 \
    KIND(CUBIN, "cubin", OBJECT, false, true)                                                                          \
    KIND(PTX, "ptx", ASM, false, true)                                                                                 \
    KIND(LLVM, "llvm", LLVM, true, true)                                                                               \
    KIND(TILEIR, "tileir", LLVM, true, true)                                                                           \
    KIND(TILEIR_MATH, "tileir-math", LLVM, true, true)                                                                 \
    KIND(BYTECODE, "bytecode", LLVM, true, true)

#endif
