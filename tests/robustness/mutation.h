// SPDX-License-Identifier: Apache-2.0
// Random changes of bytecode, modules and text, for the front end and NVIDIA's tools. The same seed gives the same
// mutants.
#ifndef CONGRUENT_MUTATION_H
#define CONGRUENT_MUTATION_H

#include "compiler/tileir/tir.h"
#include "tests/robustness/random.h"

typedef struct CorpusLaunch CorpusLaunch; // robustness.h
typedef struct CorpusFile {               // a file that mutants are made of
    const char *path;
    uint8_t *bytes;
    size_t size;
    CorpusLaunch *launch; // NULL: no case is known
} CorpusFile;

// ---- mutant.c -------------------------------------------------------------------------------------------------------

// The random numbers of one mutant of a file. They depend on the path from examples/ or tests/ on, not on the folder
// that the project lies in.
Random random_of_mutant(const char *path, uint64_t seed, uint64_t number);
const char *short_path(const char *path); // from examples/ or tests/ on

// ---- mutate_bytes.c, mutate_module.c, mutate_text.c -----------------------------------------------------------------

// The changed bytes of a file (arena-held). Some changes need a second file.
uint8_t *mutate_bytes(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, size_t *size);
// Changes a module that was read: operands, attributes, kinds of ops, types, constants, order. The functions of tir.h
// could have made the result, valid or not.
void mutate_module(TirModule *module, Random *random);
// The text with characters, words or lines changed, or parts of the other text inserted. It is in the arena; a zero
// byte follows.
char *mutate_text(Arena *arena, Random *random, const char *text, size_t text_size, const char *other,
                  size_t other_size, size_t *size);

// ---- mutate_ptx.c ---------------------------------------------------------------------------------------------------

// The same for a text of PTX, of whose mutants many are valid.
char *mutate_ptx(Arena *arena, Random *random, const char *text, size_t text_size, const char *other, size_t other_size,
                 size_t *size);

#endif
