// SPDX-License-Identifier: Apache-2.0
// The kernels that are timed: their arrays, launches and goals. Those of kernels.py against numpy and PyTorch, those of
// elementwise.py in different arithmetics.
#include "bench/bench_kernel_internal.h"

#define FORMULA 0x400000  // elements: 16 MiB
#define STREAM  0x4000000 // elements: 256 MiB

#define LINE(length, low, high)                                                                                        \
    { 1, {length}, true, low, high }
#define COLUMNS(low, high)                                                                                             \
    { 1, {4096}, false, low, high }
#define ROWS(low, high)                                                                                                \
    { 2, {4096, 4096}, true, low, high }
#define HEADS(low, high)                                                                                               \
    { 3, {8, 1024, 64}, true, low, high }
#define THREE_LINES(length)                                                                                            \
    { LINE(length, 0.5, 2), LINE(length, 0.5, 2), LINE(length, 0, 0) }
#define FOUR_HEADS                                                                                                     \
    { HEADS(-2, 2), HEADS(-2, 2), HEADS(-2, 2), HEADS(0, 0) }
#define LOG2E_EIGHTH 0.18033688f // log2(e) / sqrt(64)

const KernelRow bench_kernel_rows[] = {
    {.label = "exp(a b + 1.5) / b, 2^22",
     .work = "formula",
     .file = "peer_formula",
     .check = check_formula,
     .magnitude = 1,
     .array_count = 3,
     .arrays = THREE_LINES(FORMULA),
     .grid = {FORMULA / 1024, 1},
     .goal_numpy = 1,
     .goal_nanoseconds = 1.2},
    {.label = "a + b, 3 x 256 MiB",
     .work = "vadd",
     .file = "peer_vadd",
     .check = check_vadd,
     .magnitude = 1,
     .array_count = 3,
     .arrays = THREE_LINES(STREAM),
     .grid = {STREAM / 1024, 1},
     .streams = true,
     .goal_bandwidth = 80},
    {.label = "a + 3 b (triad), 3 x 256 MiB",
     .work = "triad",
     .file = "peer_triad",
     .check = check_triad,
     .magnitude = 1,
     .array_count = 3,
     .arrays = THREE_LINES(STREAM),
     .grid = {STREAM / 1024, 1},
     .streams = true,
     .goal_bandwidth = 80},
    {.label = "softmax, 4096 x 4096",
     .work = "softmax",
     .file = "peer_softmax",
     .check = check_softmax,
     .magnitude = 0x1p-12,
     .array_count = 2,
     .arrays = {ROWS(-2, 2), ROWS(0, 0)},
     .grid = {4096, 1},
     .goal_torch = 1},
    {.label = "layer norm, 4096 x 4096",
     .work = "layer_norm",
     .file = "peer_layer_norm",
     .check = check_layer_norm,
     .magnitude = 1,
     .array_count = 4,
     .arrays = {ROWS(-2, 2), COLUMNS(0.5, 2), COLUMNS(-1, 1), ROWS(0, 0)},
     .scalar_count = 1,
     .scalars = {1e-5f},
     .grid = {4096, 1},
     .goal_torch = 1},
    {.label = "GELU (tanh), 4096 x 4096",
     .work = "gelu",
     .file = "peer_gelu",
     .check = check_gelu,
     .magnitude = 1,
     .array_count = 2,
     .arrays = {ROWS(-2, 2), ROWS(0, 0)},
     .grid = {4096, 4},
     .goal_torch = 1},
    {.label = "attention, 8 x 1024 x 64, tiles of 64",
     .work = "attention",
     .file = "peer_attention",
     .check = check_attention,
     .magnitude = 1,
     .array_count = 4,
     .arrays = FOUR_HEADS,
     .scalar_count = 1,
     .scalars = {LOG2E_EIGHTH},
     .grid = {16, 8},
     .scaled_grid = 1,
     .goal_torch = 1.5},
    {.label = "attention, 8 x 1024 x 64, tiles of 128",
     .work = "attention",
     .file = "peer_attention_128",
     .check = check_attention,
     .magnitude = 1,
     .array_count = 4,
     .arrays = FOUR_HEADS,
     .scalar_count = 1,
     .scalars = {LOG2E_EIGHTH},
     .grid = {8, 8},
     .scaled_grid = 1,
     .goal_torch = 1.5},
};
const size_t bench_kernel_row_count = BASE_COUNT(bench_kernel_rows);

#define ELEMENTS 0x100000
#define ELEMENT(text, file_, low_, high_, operands_)                                                                   \
    {                                                                                                                  \
        .label = text ", 2^20", .file = file_, .array_count = (operands_) + 1,                                         \
        .arrays = {{1, {ELEMENTS}, true, low_, high_},                                                                 \
                   {1, {ELEMENTS}, true, low_, high_},                                                                 \
                   {1, {ELEMENTS}, true, 0, 0}},                                                                       \
        .grid = {                                                                                                      \
            ELEMENTS / 1024,                                                                                           \
            1                                                                                                          \
        }                                                                                                              \
    }
const KernelRow bench_element_rows[] = {
    ELEMENT("exp", "element_exp", -4, 4, 1),
    ELEMENT("exp2", "element_exp2", -4, 4, 1),
    ELEMENT("log2", "element_log2", 0.5, 2, 1),
    ELEMENT("sin", "element_sin", -2, 2, 1),
    ELEMENT("tanh", "element_tanh", -2, 2, 1),
    ELEMENT("sqrt", "element_sqrt", 0.5, 2, 1),
    ELEMENT("1 / sqrt", "element_rsqrt", 0.5, 2, 1),
    ELEMENT("x / y", "element_div", 0.5, 2, 2),
    ELEMENT("x / (1 + exp(-x))", "element_silu", -2, 2, 1),
    ELEMENT("softmax of 1024", "element_softmax", -2, 2, 1),
    ELEMENT("x + y", "element_add", -1, 1, 2),
    ELEMENT("x * y", "element_mul", -1, 1, 2),
    ELEMENT("polynomial of degree 6", "element_horner", -1, 1, 1),
};
const size_t bench_element_row_count = BASE_COUNT(bench_element_rows);
