// SPDX-License-Identifier: Apache-2.0
// Triton's IR (TTIR, the file .ttir of a @triton.jit kernel) as a front end: its text becomes a verified module of Tile
// IR, a Program like any other. No LLVM here.
//
// The text is read into ops as MLIR has them (reader.h), of which ops.def has a row each; then the public functions are
// translated op by op (translate.h), calls being inlined. What Tile IR orders by tokens, Triton orders by the program:
// the translation makes the tokens.
#ifndef CONGRUENT_TRITON_H
#define CONGRUENT_TRITON_H

#include "compiler/tileir/tir.h"

// Reads the text of TTIR, and translates it. NULL and a diagnostic with line and column if it is not valid (E_TEXT), if
// it holds what is not supported, by name (E_UNSUPPORTED), or too much (E_LIMIT). `text` is not kept. An op's `at` is
// its Python line. The module is not verified.
TirModule *tri_read(Diagnostics *diagnostics, const char *path, const char *text, size_t size);
extern const FrontEnd tri_front_end;

#endif
