// SPDX-License-Identifier: Apache-2.0
// A program: what a front end makes of a file. Code that compiles, launches or compares kernels sees only this
// description of them; the front end and the lowering also see the module behind it.
//
// Everything in a program belongs to it; program_close frees it.
#ifndef CONGRUENT_PROGRAM_H
#define CONGRUENT_PROGRAM_H

#include "base/base.h"
#include "sanitizer/format/format.h"

enum { PROGRAM_RANK_MAX = 8 }; // accesses to arrays of higher rank are PROGRAM_ACCESS_UNKNOWN

// What a kernel may do through a pointer. It may do less than is said, never more.
typedef struct ProgramUse {
    bool reads, writes;
    bool reads_own, writes_own; // through pointers made of it; else only through addresses that may be any
    bool unknown;               // nobody knows whether it does: all are set
    // The tiles that it stores there through a view of an array: the array's rank (0: not known), and a tile's size in
    // each dimension of the array.
    uint32_t tile_rank;
    int64_t tile[PROGRAM_RANK_MAX];
    const char *stored_by; // the mnemonic of the last op in the code that stores there; NULL: none
    Location stored_at;    // of that op
} ProgramUse;

typedef struct ProgramParameter {
    bool pointer;
    ElementType type; // of the parameter, or of what it points to; ELEMENT_TYPE_COUNT: that is no number
    ProgramUse use;   // of a pointer
    // Of kernels of threads, where parameters are bytes. What may be a pointer there is not known: any parameter of 8
    // bytes may, and fields of structs; `pointer` is set where the file says so. The type of bits of unknown kind, of
    // arrays and of what pointers point to is ELEMENT_TYPE_COUNT.
    const char *name;           // of Triton's kernels, too: what Python calls it; else NULL
    uint32_t size, alignment;   // bytes
    bool array;                 // of bytes: a struct, a tensor map
    uint32_t pointer_alignment; // what the file promises of the address, in bytes; 0: nothing
    // Of Triton's kernels: the pointer of a descriptor of this rank, whose sizes and then strides the next parameters
    // are; 0: it is none.
    uint32_t descriptor_rank;
    // Of one behind all others that no argument is for: 1 + the parameter of the descriptor that it belongs to. It is 1
    // if NaN lies outside of that, 0 if zeros do.
    uint32_t padding_of;
} ProgramParameter;

// What launches of a kernel of threads (PTX) have to know.
typedef struct ProgramThreads {
    uint32_t required[3];         // threads of a block (.reqntid); 0: not said
    uint32_t most;                // threads of a block (.maxntid); 0: not said
    uint32_t required_cluster[3]; // blocks of a cluster (.reqnctapercluster); 0: not said
    bool explicit_cluster;        // a launch has to say the cluster (.explicitcluster)
    bool dynamic_shared;          // some instruction uses dynamic shared memory
    uint32_t static_shared;       // bytes of shared memory of a block beside it
    uint32_t shared_max;          // bytes of both that the file's target has for a block
} ProgramThreads;

// A size of an array: a number, or the value that a parameter has at launch.
typedef struct ProgramSize {
    uint32_t parameter; // 1 + its index; 0: none
    int64_t number;
} ProgramSize;

// An op that reads or writes memory.
typedef struct ProgramAccess {
    enum {
        PROGRAM_ACCESS_UNKNOWN,
        PROGRAM_ACCESS_ELEMENT, // one element
        PROGRAM_ACCESS_TILES,   // a tile, of those that cover an array without gap or overlap
    } kind;
    // Of PROGRAM_ACCESS_TILES.
    uint32_t pointer;          // 1 + the index of the parameter that points to the array; 0: not known
    uint32_t rank;             // of the array
    const int64_t *tile;       // the tile's size in each dimension of the array
    const ProgramSize *extent; // the array's
} ProgramAccess;

// A constant of f32 or f64. Its numbers may be roundings of other numbers, which they stand for (FpdMeaning).
typedef struct ProgramConstant {
    FpsanFormat format;
    uint64_t count;       // of elements; 1 if all are the same
    const uint8_t *bytes; // of the elements, little endian
    Location at;
} ProgramConstant;

typedef struct ProgramKernel {
    const char *name; // any bytes but zero ones
    Location at;
    uint32_t parameter_count, access_count, constant_count;
    const ProgramParameter *parameters;
    const ProgramAccess *accesses; // in the order of the code
    const ProgramConstant *constants;
    bool makes_unspecified;        // some of its ops may make unspecified values
    bool several_devices;          // some of its ops are for memory of several devices, and run as on one
    bool has_parts;                // of tiles: its blocks have memory of their own, and parts (base/block_abi.h)
    const ProgramThreads *threads; // of a kernel of threads; NULL: of tiles
} ProgramKernel;

enum { PROGRAM_GLOBAL_ALIGNMENT_MAX = 4096 }; // of globals that can be compiled, in bytes
typedef struct ProgramReference {             // a place in a global that gets the address of one, plus an offset
    uint64_t at;                              // byte
    uint32_t bytes;                           // of the address: 4 or 8
    uint32_t global;
    int64_t offset;
} ProgramReference;
typedef struct ProgramGlobal {
    const char *name;        // any bytes but zero ones
    ElementType type;        // of its elements; ELEMENT_TYPE_COUNT: buffers have no elements of that type
    uint64_t elements, size; // size: in bytes
    uint64_t alignment;      // in bytes; 0: that of the type
    bool is_private;         // code for GPUs and object files do not export it
    uint32_t reference_count;
    const ProgramReference *references;
} ProgramGlobal;

// What is behind a program.
typedef enum ProgramForm {
    PROGRAM_TILES, // a verified module of Tile IR
    PROGRAM_PTX,   // a verified module of PTX
    PROGRAM_FORM_COUNT
} ProgramForm;

typedef struct Program {
    const char *path;
    const char *made_by;     // of Triton's kernels, with what, if a file beside it says so; else NULL
    const char *main_kernel; // and the name of the kernel that is launched
    ProgramForm form;
    struct TirModule *tiles; // of PROGRAM_TILES
    struct PtxModule *ptx;   // of PROGRAM_PTX
    uint32_t kernel_count, global_count, constant_count;
    const ProgramKernel *kernels; // in the order of the file
    const ProgramGlobal *globals;
    const ProgramConstant *constants; // those of globals; kernels have their own
} Program;

// A front end: a row of program.c.
typedef struct FrontEnd {
    const char *name;
    // Whether the file is for this front end. Not asked of the last one, which takes every file.
    bool (*recognises)(const char *path, const uint8_t *bytes, size_t size);
    // The program in the file, checked. NULL and diagnostics on failure. The bytes are not kept.
    const Program *(*read)(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size);
} FrontEnd;

// ---- tileir/describe_program.c

// Where the part begins that cuTile adds to the name of a function ("_Kt1_..."); NULL: the kernel is not cuTile's.
const char *program_cutile_mangling(const char *kernel);

// ---- program.c

// Reads a file with the first front end that recognises it. NULL and diagnostics on failure. The caller closes it.
const Program *program_read(Diagnostics *diagnostics, const char *path);
void program_close(const Program *program); // program_close(NULL) is fine
// Writes the initial contents of a global into `bytes`: ProgramGlobal.size bytes, which are zero before.
void program_fill_global(const Program *program, uint32_t global, uint8_t *bytes);
// For keys of caches: appends bytes that identify the program, whatever its source places. False: it has none.
bool program_print_identity(const Program *program, Buffer *out);

#endif
