// SPDX-License-Identifier: Apache-2.0
// The rows of ops.def with the functions that translate them.
#include "compiler/triton/translate.h"

#define SAME(op)          TIR_OP_##op, "", NULL
#define MAP(op, words)    TIR_OP_##op, words, NULL
#define HOOK(function)    TIR_OP_COUNT, "", tri_op_##function
#define TRI(dialect, ...) TRI_ROW(dialect, __VA_ARGS__)
#define TRI_ROW(dialect, name, operands, attributes, results, text, ...)                                               \
    {#dialect "." #name, operands, attributes, results, text, __VA_ARGS__},
const TriRow tri_rows[] = {
#include "compiler/triton/ops.def"
};
const size_t tri_row_count = BASE_COUNT(tri_rows);
