// SPDX-License-Identifier: Apache-2.0
// A program: what a front end makes of a file. Whoever compiles, launches and compares kernels sees this description of
// them; only the front end and the lowering look at the module behind it.
//
// Everything in a program belongs to it; program_close frees it.
#ifndef CONGRUENT_PROGRAM_H
#define CONGRUENT_PROGRAM_H

#include "base/base.h"
#include "sanitizer/format/format.h"

enum { PROGRAM_RANK_MAX = 8 }; // arrays of higher rank are not described

// What a kernel may do through a pointer: perhaps too much is said, never too little.
typedef struct ProgramUse {
    bool reads, writes;
    uint32_t tile_rank;             // of the tiles it stores there through a view of an array, 0 if not known
    int64_t tile[PROGRAM_RANK_MAX]; // per dimension of the array
} ProgramUse;

typedef struct ProgramParameter {
    bool pointer;
    ElementType type; // of the number, or of the pointee; ELEMENT_TYPE_COUNT: neither is a number
    ProgramUse use;   // of a pointer
} ProgramParameter;

// A size of an array: a number, or what a parameter is at launch.
typedef struct ProgramSize {
    uint32_t parameter; // 1 + its index; 0: none
    int64_t number;
} ProgramSize;

// An op that reads or writes memory.
typedef struct ProgramAccess {
    enum {
        PROGRAM_ACCESS_UNKNOWN,
        PROGRAM_ACCESS_ELEMENT, // one element
        PROGRAM_ACCESS_TILES,   // tiles that cover an array without gap or overlap
    } kind;
    // Of tiles.
    uint32_t pointer;    // 1 + the index of the parameter that points to the array; 0: not known
    uint32_t rank;       // of the array
    const int64_t *tile; // per dimension of the array
    const ProgramSize *extent;
} ProgramAccess;

// A constant of f32 or f64, whose numbers may stand for something that was rounded (FpdMeaning).
typedef struct ProgramConstant {
    FpsanFormat format;
    uint64_t count;       // elements; 1 where all of them are alike
    const uint8_t *bytes; // little endian
    Location at;
} ProgramConstant;

typedef struct ProgramKernel {
    const char *name; // any bytes but zero
    Location at;
    uint32_t parameter_count, access_count, constant_count;
    const ProgramParameter *parameters;
    const ProgramAccess *accesses; // in the order of the code
    const ProgramConstant *constants;
    bool makes_unspecified; // some of its ops may make values that nobody specified
} ProgramKernel;

enum { PROGRAM_GLOBAL_ALIGNMENT_MAX = 4096 }; // of programs that are compiled
typedef struct ProgramGlobal {
    const char *name;        // any bytes but zero
    ElementType type;        // ELEMENT_TYPE_COUNT: no element of buffers is like its own
    uint64_t elements, size; // size: bytes
    uint64_t alignment;      // 0: that of the type
    bool is_private;         // code for GPUs and object files do not export it
} ProgramGlobal;

// What is behind a program.
typedef enum ProgramForm {
    PROGRAM_TILES, // a verified module of Tile IR
    PROGRAM_FORM_COUNT
} ProgramForm;

typedef struct Program {
    const char *path;
    ProgramForm form;
    struct TirModule *tiles; // of PROGRAM_TILES
    uint32_t kernel_count, global_count, constant_count;
    const ProgramKernel *kernels; // in the order of the file
    const ProgramGlobal *globals;
    const ProgramConstant *constants; // beside those of kernels
} Program;

// A front end: a row of program.c.
typedef struct FrontEnd {
    const char *name;
    bool (*recognises)(const char *path, const uint8_t *bytes, size_t size);
    // The program that the file holds, checked. NULL and diagnostics on failure. The bytes are not kept.
    const Program *(*read)(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size);
} FrontEnd;

// ---- program.c

// Reads a file with the first front end that recognises it. NULL and diagnostics on failure.
const Program *program_read(Diagnostics *diagnostics, const char *path);
void program_close(const Program *program); // program_close(NULL) is fine
// Writes the initial contents of a global into `bytes`, which holds `size` zero bytes.
void program_fill_global(const Program *program, uint32_t global, uint8_t *bytes);
// Appends bytes that are the same for programs that are the same but for source places. False: there are none.
bool program_print_identity(const Program *program, Buffer *out);

#endif
