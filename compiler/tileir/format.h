// SPDX-License-Identifier: Apache-2.0
// What the reader and the writer of bytecode both know of the format (tile-ir.md 1): sections, flags, the fields of
// debug attributes; and what the reader keeps for the writer.
#ifndef CONGRUENT_TILEIR_FORMAT_H
#define CONGRUENT_TILEIR_FORMAT_H

#include "compiler/tileir/tir.h"

enum {
    SECTION_END,
    SECTION_STRING,
    SECTION_FUNC,
    SECTION_DEBUG,
    SECTION_CONSTANT,
    SECTION_TYPE,
    SECTION_GLOBAL,
    SECTION_PRODUCER,
    SECTION_COUNT
};

static const uint8_t bytecode_magic[8] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};
// The alignment that each section's payload needs.
static const uint8_t section_alignments[SECTION_COUNT] = {
    [SECTION_END] = 1,      [SECTION_STRING] = 4, [SECTION_FUNC] = 8,   [SECTION_DEBUG] = 8,
    [SECTION_CONSTANT] = 8, [SECTION_TYPE] = 4,   [SECTION_GLOBAL] = 1, [SECTION_PRODUCER] = 1,
};
enum { FUNCTION_PRIVATE = 1, FUNCTION_ENTRY = 2, FUNCTION_HINTS = 4 };   // flags of a function record
enum { ALONG_FLAG = 2, EVERY_FLAG = 1, LOWER_FLAG = 1, UPPER_FLAG = 2 }; // which numbers of div_by and bounded follow
enum { FLOAT_LONG = 1 }; // TirAttribute.flags of an f64: the file's number had a 65th bit (tile-ir.md gotcha 1)
// The versions in which fields of the container changed.
enum { SINCE_VIEW_FLAGS = 1303, SINCE_GLOBAL_FLAGS = 1303, SINCE_PRODUCER = 1303, SINCE_POINTER_FLAGS = 1304 };

// ---- debug attributes ----------------------------------------

enum { DEBUG_NESTING_MAX = 1000 }; // of calls and scopes in each other

// A field of an attribute: where it is in TirDebug and what it is called.
typedef enum DebugField {
    FIELD_END,
    FIELD_REF0,
    FIELD_REF1,
    FIELD_NAME,
    FIELD_LINKAGE,
    FIELD_LINE,
    FIELD_COLUMN,
    FIELD_SCOPE_LINE,
} DebugField;
// In the order of the file.
static const uint8_t debug_fields[TIR_DEBUG_TAG_COUNT][7] = {
    [TIR_DEBUG_COMPILE_UNIT] = {FIELD_REF0},
    [TIR_DEBUG_FILE] = {FIELD_NAME, FIELD_LINKAGE},
    [TIR_DEBUG_LEXICAL_BLOCK] = {FIELD_REF0, FIELD_REF1, FIELD_LINE, FIELD_COLUMN},
    [TIR_DEBUG_LOCATION] = {FIELD_REF0, FIELD_NAME, FIELD_LINE, FIELD_COLUMN},
    [TIR_DEBUG_SUBPROGRAM] = {FIELD_REF0, FIELD_LINE, FIELD_NAME, FIELD_LINKAGE, FIELD_REF1, FIELD_SCOPE_LINE},
    [TIR_DEBUG_CALL_SITE] = {FIELD_REF0, FIELD_REF1},
};

// ---- tables, kept with the module ----------------------------------------

typedef struct ReadSection { // as found in the file, in its order
    uint8_t id;
    bool aligned;
    uint64_t alignment;
    size_t offset, size; // of the payload
} ReadSection;

typedef struct ReadFunction { // what TirFunction does not say of its record
    uint8_t flags;
    uint64_t debug_row; // + 1, 0 = none
} ReadFunction;

// The order of the file's tables: what the writer needs, beyond the module, to give back the same bytes.
struct TirReadTables {
    ReadSection *sections;
    uint32_t section_count, string_count, type_count, constant_count, function_count;
    size_t section_capacity;
    // Some writers pad the end of section Func, others an empty table of constants.
    bool functions_padded, constants_padded;
    const char **strings; // zero-terminated; TirAttribute.text and names point at these
    uint32_t *string_lengths;
    TirType *types; // of each index of the file
    TirConstant *constants;
    ReadFunction *functions; // one per TirModule.functions
};

typedef struct TirReadTables ReadTables;

#endif
