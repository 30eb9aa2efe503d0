// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: small kernels that are built with the functions of tir.h, compiled, and run on buffers
// in this process, with shadow memory.
#ifndef CONGRUENT_LOWER_LAB_H
#define CONGRUENT_LOWER_LAB_H

#include "compiler/compiler.h"
#include "compiler/tileir/tir.h"
#include "runtime/runtime_internal.h"
#include "tests/lower/reference.h"

#include <criterion/criterion.h>

enum { LAB_BUFFERS_MAX = 8, LAB_BUFFER_BYTES = 1 << 22 };
enum { LAB_PRINTED_MAX = 64 };
enum { LAB_COMPARED = 1 << 14 }; // bytes of each buffer that lab_check compares, from where the argument points
enum { LAB_STATE = TOWER_RULED | TOWER_CARRIED | TOWER_DEEP_GROUPS }; // bits of a payload's state that tests compare

typedef struct Lab {
    Compiler *compiler;
    CompiledModule *compiled;
    Diagnostics diagnostics;
    TirModule *module;
    TirBlock *block; // where ops go
    uint32_t parameter_count;
    const TirTypeKind *kinds; // of pointees and of numbers
    uint8_t *memory;          // of all buffers, LAB_BUFFER_BYTES each
    RtDevice device;          // its records
    RtBuffer buffers[LAB_BUFFERS_MAX];
    uint64_t arguments[LAB_BUFFERS_MAX];
    HostRange ranges[LAB_BUFFERS_MAX];
    HostRecord argument_records[LAB_BUFFERS_MAX];
    uint32_t pointer_count, store_base, chain;
    uint32_t entry; // number of the kernel that runs
    // The first value of the last print of a run: how many elements (0: none), their HostPrintKind, width and bits.
    uint64_t printed_count;
    uint32_t printed_kind, printed_bits;
    uint64_t printed[LAB_PRINTED_MAX];
    unsigned optimize; // 0
    bool by_element;   // CompileOptions.by_element
    bool apart;        // CompileOptions.apart
    uint32_t site;     // of the last run: 0 or 1 + number
    HostFault fault;
} Lab;

// ---- test_lab.c -----------------------------------------------------------------------------------------------------

// A module with one kernel, whose parameters are pointers to the given kinds. Each buffer has LAB_BUFFER_BYTES zeros.
Lab lab_open(uint32_t parameter_count, const TirTypeKind *pointees);
// The same with numbers after the pointers; `kinds` has their kinds after the pointees. Tests set their values in
// lab.arguments and their records in lab.argument_records.
Lab lab_open_numbers(uint32_t pointer_count, uint32_t number_count, const TirTypeKind *kinds);
// Takes over a module whose kernels have pointers to these kinds. It need not be verified.
Lab lab_open_module(TirModule *module, uint32_t pointer_count, const TirTypeKind *pointees);
void lab_close(Lab *lab);
// Verifies and compiles; the diagnostics say why it failed.
bool lab_compile(Lab *lab, CompileNumeric numeric, FpsanCasts casts, const char *cpu);
// Runs block (0, 0, 0); returns whether it ended well.
bool lab_run(Lab *lab);
// Compiles the kernel, runs it and the reference interpreter on the same memory and records, and compares all elements
// and records afterwards. The buffers and records are then those that the kernel left.
void lab_check(Lab *lab, CompileNumeric numeric);
// The same for a kernel that is compiled already.
typedef struct LabCheck {
    CompileNumeric numeric;
    FpsanCasts casts;
    TirOpKind real_op; // see Reference
    const uint64_t *real_results;
    const char *what; // names the kernel in messages
} LabCheck;
void lab_compare(Lab *lab, const LabCheck *check);
void *lab_bytes(Lab *lab, uint32_t buffer);
// Makes the buffer `bytes` long; it then ends where its memory ends.
void lab_shrink(Lab *lab, uint32_t buffer, uint64_t bytes);

TirType lab_tile(Lab *lab, TirTypeKind kind, uint32_t rank, const int64_t *shape);
TirType lab_pointer_tile(Lab *lab, TirTypeKind pointee, uint32_t rank, const int64_t *shape);
// Appends an op: any op; one with one result, which is returned.
TirOp *lab_op(Lab *lab, TirOpKind kind, uint32_t result_count, const TirType *results, uint32_t operand_count,
              const TirValue *operands, const uint32_t *segments);
TirValue lab_value(Lab *lab, TirOpKind kind, TirType result, uint32_t operand_count, const TirValue *operands);
void lab_set(TirOp *op, const char *name, uint64_t integer);
// An op on two tiles of the result's type, with default attributes; a < b of unsigned integers.
TirValue lab_binary(Lab *lab, TirOpKind kind, TirValue a, TirValue b);
TirValue lab_less(Lab *lab, TirValue a, TirValue b);
// A constant tile whose elements all have these bits.
TirValue lab_constant(Lab *lab, TirType type, uint64_t bits);
TirValue lab_argument(Lab *lab, uint32_t index);
// 0, 1, 2, ... of i32.
TirValue lab_iota(Lab *lab, int64_t count);
// (index * factor + first) mod `modulus` for each index below `count`, as i32. The modulus is a power of two.
TirValue lab_scrambled(Lab *lab, int64_t count, uint32_t factor, uint32_t first, uint32_t modulus);
// A 1-D tile of pointers to the elements first .. first + count - 1 of an argument.
TirValue lab_pointers(Lab *lab, uint32_t argument, int64_t first, int64_t count);
// Load a tile of this shape from the beginning of an argument's buffer, in row-major order; store one there.
TirValue lab_load(Lab *lab, uint32_t argument, uint32_t rank, const int64_t *shape);
void lab_store(Lab *lab, uint32_t argument, TirValue value);
TirOp *lab_load_op(Lab *lab, TirValue pointers, TirType result, TirValue mask, TirValue padding);
TirOp *lab_store_op(Lab *lab, TirValue pointers, TirValue value, TirValue mask);
void lab_return(Lab *lab);

// Read and write the bits of elements.
uint64_t lab_get(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index);
void lab_put(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, uint64_t bits); // a store of the host
// Gives the record of a float; false if there is none. Sets the record of a float, for the bits that it has.
bool lab_record(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, HostRecord *record);
void lab_put_record(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index, TowerPayload payload);
// The payload of a float; without a record it is that of a value from outside.
TowerPayload lab_payload(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t index);
bool lab_same_payload(TowerPayload a, TowerPayload b);
// The format of a float kind.
FpsanFormat lab_format(TirTypeKind kind);
// Numbers that follow from a seed.
uint64_t lab_random(uint64_t *state);

#endif
