// SPDX-License-Identifier: Apache-2.0
// Cases of single instructions (make_samples.c): operands, an instruction's text taken apart, and the module that runs
// it.
#ifndef CONGRUENT_TESTS_GPU_SAMPLES_H
#define CONGRUENT_TESTS_GPU_SAMPLES_H

#include "tests/ptx/sample.h"

enum {
    POOL = 1 << 13,        // operands
    POOL_CLASSES = 8,      // kinds of operands, neighbours in a pool
    APPROXIMATE = 1 << 16, // operands, and threads, of approximate instructions
    THREADS = 2048,
    BLOCK = 128,
    VERSION = 87, // of the ISA; sm_90a
    MEMORY = 16,  // bytes that a thread has
    TEXT = 2048,
    OPERANDS = 12,
    REGISTERS = 128
};

// ---- sample_pools.c: buffers of random and of special bits

typedef struct SamplePool {
    char letter; // of registers
    unsigned bits;
    const char *name, *type; // of buffers
} SamplePool;
enum { POOLS = 4 };
extern const SamplePool pools[POOLS];
// splitmix64
uint64_t next_random(uint64_t *state);
// Writes the buffers' files into the folder.
bool write_pools(const char *folder);

// ---- sample_parts.c: an instruction's text, taken apart

typedef struct Operand {
    char text[TEXT];
    const PtxOperandRule *rule; // NULL: not known
} Operand;

typedef struct Taken {
    const PtxOpInfo *info;
    const PtxForm *form;
    char opcode[TEXT];
    unsigned count;
    Operand operands[OPERANDS]; // the first is the result
    char results[REGISTERS][8]; // registers
    unsigned result_count;
    bool has_predicate; // a second result, %p0
} Taken;

// The result, and what its buffer has.
typedef struct Result {
    const char *type; // of the buffer
    unsigned bits;    // of a register
    char register_name;
} Result;

// False: it has more parts than fit.
bool take_apart(const Sample *sample, const char *text, Taken *taken);
// Whether the opcode has the word.
bool has_word(const Taken *taken, const char *word);
bool is_named(const Operand *operand, const char *name);
bool is_wgmma(const Taken *taken);
bool is_approximate(const Taken *taken);
// Whether it accesses memory; whether that is shared memory.
bool has_memory(const Taken *taken);
bool has_shared(const Taken *taken);
// The first type in the opcode if that is a float's, else "".
const char *first_type(const Taken *taken);
Result result_of(const Taken *taken);

// ---- sample_module.c

// The module that runs the instruction in each thread.
void print_module(const Taken *taken, const char *text, Buffer *out);

#endif
