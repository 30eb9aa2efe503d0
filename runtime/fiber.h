// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks that one thread of the system switches between (simt_fiber.c). The emulators of threads (simt.h) and
// of warps (warp.h) run on them.
#ifndef CONGRUENT_FIBER_H
#define CONGRUENT_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimtFiber {
    jmp_buf here;            // where it was left
    jmp_buf begin;           // where it begins
    bool restart;            // the next switch to it goes to `begin`, not to `here`
    bool closing;            // the next switch to it is the last
    void (*run)(void *data); // what it does from the beginning; does not return
    void *data;
    uint8_t *stack; // NULL: the fiber is a thread of the system, on its own stack
    size_t stack_bytes;
    void *sanitizer_stack, *sanitizer_thread; // what ASan and TSan know it by
} SimtFiber;

typedef struct SimtStacks {
    uint8_t *memory; // of all fibers, an unmapped page below each
    size_t size, stack_bytes;
    uint32_t count;
} SimtStacks;

// Makes a fiber of the calling thread. To be called again whenever another thread is to switch to fibers with it.
void simt_fiber_adopt(SimtFiber *thread);
// Functions that a compiler made have frames of at most this size each (llvm_error.c).
enum { SIMT_FRAME_MAX = 1 << 20, SIMT_STACK_BYTES = 3 * SIMT_FRAME_MAX };
// Allocates stacks of so many bytes, a multiple of SIMT_FRAME_MAX, for `count` fibers. False if there is too little memory; errno says why. They may be closed in any
// state.
bool simt_stacks_open(SimtStacks *stacks, uint32_t count, size_t stack_bytes);
void simt_stacks_close(SimtStacks *stacks);
// Makes a fiber on stack `index`, which begins with run(data) when it is first switched to. `thread`: the calling
// thread.
void simt_fiber_open(SimtFiber *fiber, SimtFiber *thread, const SimtStacks *stacks, uint32_t index,
                     void (*run)(void *data), void *data);
void simt_fiber_close(SimtFiber *fiber, SimtFiber *thread);
// Whatever the fiber was doing, it begins anew when it is next switched to.
void simt_fiber_restart(SimtFiber *fiber);
// Leaves `from`, the running fiber, and goes on with `to`. Returns when somebody switches back to `from`.
void simt_fiber_switch(SimtFiber *from, SimtFiber *to);

#endif
