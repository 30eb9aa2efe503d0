// SPDX-License-Identifier: Apache-2.0
// The format of bytecode, for the reader and the writer (tile-ir.md 1): sections, flags, the fields of debug
// attributes. And the tables that the reader keeps for the writer.
#ifndef CONGRUENT_TILEIR_FORMAT_H
#define CONGRUENT_TILEIR_FORMAT_H

#include "compiler/tileir/tir.h"

// The sections, in the order of their numbers in a file.
// SECTION(id, name, alignment of the payload, whether every module has it, function that reads it)
#define SECTIONS(SECTION)                                                                                              \
    SECTION(END, "End", 1, false, NULL)                                                                                \
    SECTION(STRING, "String", 4, true, read_string_section)                                                            \
    SECTION(FUNC, "Func", 8, true, read_function_section)                                                              \
    SECTION(DEBUG, "Debug", 8, false, read_debug_section)                                                              \
    SECTION(CONSTANT, "Constant", 8, false, read_constant_section)                                                     \
    SECTION(TYPE, "Type", 4, false, read_type_section)                                                                 \
    SECTION(GLOBAL, "Global", 1, false, read_global_section)                                                           \
    SECTION(PRODUCER, "Producer", 1, false, read_producer_section)
#define SECTION_NUMBER(id, ...) SECTION_##id,
enum { SECTIONS(SECTION_NUMBER) SECTION_COUNT };

static const uint8_t bytecode_magic[8] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};
#define SECTION_ALIGNMENT(id, name, alignment, ...) alignment,
static const uint8_t section_alignments[SECTION_COUNT] = {SECTIONS(SECTION_ALIGNMENT)};
// Flags of a function record. From 13.5 on hints are always there, and bits 2 and 3 say which preview a function is of.
enum { FUNCTION_PRIVATE = 1, FUNCTION_ENTRY = 2, FUNCTION_HINTS = 4, FUNCTION_FORM = 12 };
enum { VERSION_TAG_PREVIEW = 1 }; // bit of the version's tag: the file has preview features
enum { ALONG_FLAG = 2, EVERY_FLAG = 1, LOWER_FLAG = 1, UPPER_FLAG = 2 }; // of div_by, bounded: which numbers follow
enum { FLOAT_LONG = 1 }; // TirAttribute.flags of an f64: the file's number had a 65th bit (tile-ir.md gotcha 1)
// The versions in which fields of the container changed.
enum {
    SINCE_VIEW_FLAGS = 1303,
    SINCE_GLOBAL_FLAGS = 1303,
    SINCE_PRODUCER = 1303,
    SINCE_POINTER_FLAGS = 1304,
    SINCE_FUNCTION_CHECKS = 1304,
    SINCE_ARGUMENT_ATTRIBUTES = 1305,
    SINCE_SUBPROGRAM_FLAGS = 1305,
    SINCE_REDUCTION_ATTRIBUTES = 1305
};

// ---- debug attributes ----------------------------------------------------------------------------------------------

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
    FIELD_DECLARATION, // from SINCE_SUBPROGRAM_FLAGS on
} DebugField;
// The kinds of attributes.
// TAG(id, targets of reference 0, targets of reference 1, fields in the order of the file...)
// Targets are bits of the tags that a reference may lead to; 0: the kind has no such reference. A reference of 0 leads
// to the unknown attribute.
#define DEBUG_TAGS(TAG)                                                                                                \
    TAG(UNKNOWN, 0, 0, FIELD_END)                                                                                      \
    TAG(COMPILE_UNIT, DEBUG_FILES, 0, FIELD_REF0)                                                                      \
    TAG(FILE, 0, 0, FIELD_NAME, FIELD_LINKAGE)                                                                         \
    TAG(LEXICAL_BLOCK, DEBUG_SCOPES, DEBUG_FILES, FIELD_REF0, FIELD_REF1, FIELD_LINE, FIELD_COLUMN)                    \
    TAG(LOCATION, DEBUG_SCOPES, 0, FIELD_REF0, FIELD_NAME, FIELD_LINE, FIELD_COLUMN)                                   \
    TAG(SUBPROGRAM, DEBUG_FILES, DEBUG_UNITS, FIELD_REF0, FIELD_LINE, FIELD_NAME, FIELD_LINKAGE, FIELD_REF1,           \
        FIELD_SCOPE_LINE, FIELD_DECLARATION)                                                                           \
    TAG(CALL_SITE, DEBUG_PLACES, DEBUG_PLACES, FIELD_REF0, FIELD_REF1)
enum {
    DEBUG_FILES = 1 << TIR_DEBUG_FILE,
    DEBUG_UNITS = 1 << TIR_DEBUG_COMPILE_UNIT,
    DEBUG_SCOPES = 1 << TIR_DEBUG_LEXICAL_BLOCK | 1 << TIR_DEBUG_SUBPROGRAM,
    DEBUG_PLACES = 1 << TIR_DEBUG_UNKNOWN | 1 << TIR_DEBUG_LOCATION | 1 << TIR_DEBUG_CALL_SITE,
};
#define DEBUG_BIT(tag, ...) | BASE_BIT(TIR_DEBUG_##tag)
_Static_assert((0 DEBUG_TAGS(DEBUG_BIT)) == BASE_BITS(TIR_DEBUG_TAG_COUNT), "a row for each tag");

#define DEBUG_FIELDS(tag, target0, target1, ...) [TIR_DEBUG_##tag] = {__VA_ARGS__},
static const uint8_t debug_fields[TIR_DEBUG_TAG_COUNT][8] = {DEBUG_TAGS(DEBUG_FIELDS)};

// ---- tables, kept with the module ----------------------------------------------------------------------------------

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
    // Some writers pad the end of section Func, others an empty table of constants or strings.
    bool functions_padded, constants_padded, strings_padded;
    const char **strings; // zero-terminated; TirAttribute.text and names point to these
    uint32_t *string_lengths;
    TirType *types; // by index in the file
    TirConstant *constants;
    ReadFunction *functions; // one per TirModule.functions
};

typedef struct TirReadTables ReadTables;

#endif
