// SPDX-License-Identifier: Apache-2.0
// Runs kernels of short PTX texts with one warp. The laboratory plays those who run warps (WarpOps): memory is checked
// for nothing, accesses of lanes come in their order, and operations are noted down.
#ifndef CONGRUENT_KERNEL_LAB_H
#define CONGRUENT_KERNEL_LAB_H

#include "base/warp_abi.h"
#include "compiler/compiler.h"

#include <setjmp.h>

enum {
    LAB_ARGUMENTS = 8,
    LAB_SHARED = 4096, // bytes; addresses begin with WARP_SHARED_FIRST
    LAB_LOCAL = 4096,  // bytes of a lane
    LAB_CALLS = 64,
    LAB_DATA = 512 * WARP_LANES,
    LAB_OPERANDS = WARP_OPERANDS_MAX,
};

typedef struct Lab {
    Diagnostics diagnostics;
    const Program *program;
    Compiler *compiler;
    CompiledModule *module;
} Lab;
// False if it does not compile; lab->diagnostics says why. The text lacks what LAB_HEADER has.
bool lab_open(Lab *lab, const char *text, CompileNumeric numeric);
void lab_close(Lab *lab);
const char *lab_problem(const Lab *lab); // the text of its first diagnostic
#define LAB_HEADER ".version 9.2\n.target sm_100a\n.address_size 64\n"

// A kernel that has pointers to 4 words of 64 bits for each lane, %in and %out, and registers of all widths: %p %h %r
// %l %q with numbers from 0 to 19, %lane.
#define LAB_OPEN(name)                                                                                                 \
    ".visible .entry " name "(.param .b64 in, .param .b64 out) {\n"                                                    \
    ".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %l<20>; .reg .b128 %q<20>;\n"                    \
    ".reg .b64 %in, %out; .reg .b32 %lane;\n"                                                                          \
    "mov.u32 %lane, %laneid; ld.param.b64 %in, [in]; ld.param.b64 %out, [out];\n"                                      \
    "mad.wide.u32 %in, %lane, 32, %in; mad.wide.u32 %out, %lane, 32, %out;\n"
#define LAB_KERNEL(name, body) LAB_OPEN(name) body "\nret;\n}\n"
enum { LAB_WORDS = 4 };
typedef uint64_t LabWords[WARP_LANES][LAB_WORDS];

// How a run ended.
typedef enum LabEnd { LAB_DONE, LAB_TRAP, LAB_STUCK, LAB_ENDLESS, LAB_YIELDS, LAB_MANY_CALLS } LabEnd;

// A call of WarpOps.operate.
typedef struct LabCall {
    uint32_t mask;
    WarpOperation operation;
    WarpLanes operands[LAB_OPERANDS];
    const void *data; // while it runs
} LabCall;

typedef struct LabRun LabRun;
// What operations do; the result is that of WarpOps.operate. NULL: all lanes of the mask, and nothing.
typedef uint32_t LabOperate(LabRun *run, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                            void *data);
struct LabRun {
    // Given.
    uint32_t lanes; // that exist; 0: all
    uint64_t arguments[LAB_ARGUMENTS];
    LabOperate *operate;
    void *owner;
    uint64_t loops_max; // WarpOps.loop; 0: many
    // Found.
    LabEnd end;
    WarpTrap trap;
    uint32_t trap_lanes; // of LAB_TRAP and LAB_STUCK
    uint32_t trap_place;
    uint64_t yields, loops;
    uint32_t relaxed_loads; // calls of WarpOps.load for memory that others change with atomics
    uint32_t call_count;
    LabCall calls[LAB_CALLS]; // all but WARP_SYNC
    uint8_t shared[WARP_SHARED_FIRST + LAB_SHARED], local[WARP_LANES][LAB_LOCAL];
    // Inside.
    WarpState state; // of the warp
    jmp_buf out;
};
// Runs the kernel with the first of `lanes`, or all; true if all lanes ended as they should.
bool lab_run(const Lab *lab, const char *kernel, LabRun *run);

// The same for a LAB_KERNEL.
bool lab_run_words(const Lab *lab, const char *kernel, LabRun *run, LabWords in, LabWords out);

// Random numbers, among them many at the ends of ranges.
uint64_t lab_random(uint64_t *state);
uint64_t lab_number(uint64_t *state);

#endif
