// SPDX-License-Identifier: Apache-2.0
// The records of floats in memory (host_abi.h), a service of the code builder: they are loaded and stored beside the
// floats, and made invalid where something else is stored. It knows addresses, widths and planes, nothing of tiles.
// Without records (Numeric.has_records) none of it makes code.
#ifndef CONGRUENT_RECORDS_H
#define CONGRUENT_RECORDS_H

#include "compiler/lower/code.h"

// Memory that is accessed in elements of one width; made once, in front of loops.
typedef struct RecordPlace {
    bool is_float; // the elements are floats of `format`, or the bits of such
    FpsanFormat format;
    unsigned planes;       // with plane 0; 1: the elements have no records
    bool marked;           // integers: in the place of plane 1 their marks are loaded and stored
    LLVMValueRef launch;   // the kernel's HostLaunch
    unsigned width;        // log2 of the bytes of an element
    LLVMValueRef widths;   // i32: of the records that the memory may hold; NULL: nothing is done for a store
    LLVMValueRef store;    // i32: HostRecord.store
    LLVMValueRef arrays;   // i64: address of the first word of the record of address 0
    LLVMValueRef distance; // i64: bytes from word to word
} RecordPlace;
// Completes a place whose launch and width are set for elements that are floats.
void record_open(const NumericContext *cx, FpsanFormat format, RecordPlace *place);

// The lanes of one step. Their addresses were checked.
typedef struct RecordLanes {
    unsigned count;         // 0: a scalar
    LLVMValueRef addresses; // i64: of the first of neighbours, or of each lane
    LLVMValueRef mask;      // i1 or a vector of them; NULL: all lanes
} RecordLanes;
// Fills planes 1 and up of elements that are loaded.
void record_load(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes);
// For a store of any element: older records of the bytes become invalid, and planes 1 and up are stored.
void record_store(const NumericContext *cx, const RecordPlace *place, const RecordLanes *lanes, LLVMValueRef *planes);

// `bytes` bytes from an address on, and the widths of the records that may be there.
typedef struct RecordPiece {
    LLVMValueRef launch, address;
    uint64_t bytes;
    uint32_t widths;
} RecordPiece;
// Makes its records invalid; `bytes` is below 2^32.
void record_invalidate(const NumericContext *cx, const RecordPiece *piece);
// Makes it unspecified; `what` as KernelStore has it.
void record_spoil(const NumericContext *cx, const RecordPiece *piece, const char *what);

#endif
