// SPDX-License-Identifier: Apache-2.0
// The records of floats in memory (host_abi.h): code that loads and stores them beside the floats, and invalidates them
// where something else is stored. A service of the code builder: tiles are not known here. For numerics without records
// (Numeric.has_records) nothing here makes code.
#ifndef CONGRUENT_RECORDS_H
#define CONGRUENT_RECORDS_H

#include "compiler/lower/code.h"

// What an op accesses: elements of one width. It is made once, in front of the op's loops.
typedef struct RecordPlace {
    bool is_float; // the elements are floats of `format`, or integers that are the bits of such floats
    FpsanFormat format;
    unsigned planes;       // of an element, plane 0 included; 1: the elements have no records
    bool marked;           // integers: their marks are loaded and stored as plane 1
    LLVMValueRef launch;   // the kernel's HostLaunch
    bool kept;             // planes are parts, and always there (numeric_keeps)
    unsigned width;        // log2 of the bytes of an element
    LLVMValueRef widths;   // i32, bit k: floats of 2^k bytes may have records there; NULL: a store invalidates nothing
    LLVMValueRef store;    // i32: HostRecord.store
    LLVMValueRef arrays;   // i64: where the first word of the record of address 0 would be
    LLVMValueRef distance; // i64: bytes from one word of a record to the next
    unsigned ahead; // bytes: how far ahead of its own words a store of neighbouring lanes asks for memory; 0: not
} RecordPlace;
// Completes a place for elements that are floats of the format. Its launch and width are set.
void record_open(const NumericContext *cx, FpsanFormat format, RecordPlace *place);

// The elements that one step of a loop accesses. Their addresses were checked.
typedef struct RecordLanes {
    unsigned count;         // 0: a scalar
    LLVMValueRef addresses; // i64: of the first of neighbouring lanes, or a vector with that of each lane
    LLVMValueRef mask;      // i1 or a vector of them; NULL: all lanes
} RecordLanes;
// Fills planes 1 and up of elements that are loaded.
void record_load(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes);
// For a store of elements of any type: invalidates older records of their bytes and stores planes 1 and up.
void record_store(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes);

// Of a place that is kept: a pointer to the words of a part, but the first, of elements from an address (i64) on.
LLVMValueRef record_words(const NumericContext *cx, const RecordPlace *place, LLVMValueRef address, unsigned part);

// `bytes` bytes from an address (i64) on.
typedef struct RecordPiece {
    LLVMValueRef launch, address;
    uint64_t bytes;
    uint32_t widths; // as RecordPlace.widths
} RecordPiece;
// Invalidates its records; `bytes` is below 2^32.
void record_invalidate(const NumericContext *cx, const RecordPiece *piece);
// Makes its bytes unspecified, by the op being lowered; `what` is KernelStore.unspecified.
void record_spoil(const NumericContext *cx, const RecordPiece *piece, const char *what);

#endif
