// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks that one thread switches between. A fiber is entered once through libc's makecontext; from then on
// switches are _setjmp and _longjmp, which unlike swapcontext need no call of the system. A fiber lives as long as its
// stack: when its function is done it waits at its beginning to run again. Switches are announced to ASan and TSan.
#undef _FORTIFY_SOURCE // its longjmp allows no jump to another stack
#include "runtime/fiber.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum {
    GUARD_BYTES = SIMT_FRAME_MAX, // no function leaps over it
    // The tops of stacks lie at different places of their pages, as the first-level cache wants it.
    STAGGER_BYTES = 192,
};

// ---- what sanitizers have to know

static void announce_leave(SimtFiber *from, const SimtFiber *to, bool forever) {
    (void)from, (void)to, (void)forever;
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(forever ? NULL : &from->sanitizer_stack, to->stack, to->stack_bytes);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->sanitizer_thread, 0);
#endif
}

static void announce_enter(SimtFiber *to) {
    (void)to;
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(to->sanitizer_stack, NULL, NULL);
#endif
}

void simt_fiber_adopt(SimtFiber *thread) {
    (void)thread;
#ifdef FIBER_ASAN
    pthread_attr_t attributes;
    void *stack = NULL;
    if (!pthread_getattr_np(pthread_self(), &attributes)) {
        pthread_attr_getstack(&attributes, &stack, &thread->stack_bytes);
        pthread_attr_destroy(&attributes);
    }
    thread->stack = stack;
#endif
#ifdef FIBER_TSAN
    thread->sanitizer_thread = __tsan_get_current_fiber();
#endif
}

// ---- stacks

bool simt_stacks_open(SimtStacks *stacks, uint32_t count, size_t stack_bytes) {
    const size_t stride = stack_bytes + GUARD_BYTES, size = count * stride;
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    *stacks = (SimtStacks){memory, size, stack_bytes, count};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *stack = stacks->memory + i * stride + GUARD_BYTES;
        if (!mprotect(stack, stack_bytes, PROT_READ | PROT_WRITE)) continue;
        const int reason = errno;
        simt_stacks_close(stacks);
        errno = reason;
        return false;
    }
    madvise(memory, size, MADV_NOHUGEPAGE); // each stack uses a page or two
    return true;
}

void simt_stacks_close(SimtStacks *stacks) {
    if (stacks->memory) munmap(stacks->memory, stacks->size);
    *stacks = (SimtStacks){0};
}

// ---- fibers

// What every fiber does. Its frame stays for as long as the fiber lives, so it can always begin again.
static void fiber_main(unsigned low, unsigned high, unsigned thread_low, unsigned thread_high) {
    SimtFiber *const fiber = (SimtFiber *)(uintptr_t)((uint64_t)high << 32 | low);
    SimtFiber *const thread = (SimtFiber *)(uintptr_t)((uint64_t)thread_high << 32 | thread_low);
    announce_enter(fiber);
    if (!_setjmp(fiber->begin)) {
        announce_leave(fiber, thread, false);
        _longjmp(thread->here, 1);
    }
    announce_enter(fiber);
    if (fiber->closing) {
        // `data` is then the thread that closes it.
        announce_leave(fiber, fiber->data, true);
        _longjmp(((SimtFiber *)fiber->data)->here, 1);
    }
    fiber->restart = false;
    fiber->run(fiber->data);
}

void simt_fiber_open(SimtFiber *fiber, SimtFiber *thread, const SimtStacks *stacks, uint32_t index,
                     void (*run)(void *data), void *data) {
    *fiber = (SimtFiber){.restart = true,
                         .run = run,
                         .data = data,
                         .stack = stacks->memory + index * (stacks->stack_bytes + GUARD_BYTES) + GUARD_BYTES,
                         .stack_bytes = stacks->stack_bytes - index % 16 * STAGGER_BYTES};
#ifdef FIBER_TSAN
    fiber->sanitizer_thread = __tsan_create_fiber(0);
#endif
    ucontext_t there;
    getcontext(&there);
    there.uc_stack.ss_sp = fiber->stack;
    there.uc_stack.ss_size = fiber->stack_bytes;
    there.uc_link = NULL;
    const uint64_t a = (uintptr_t)fiber, b = (uintptr_t)thread;
    makecontext(&there, (void (*)(void))fiber_main, 4, (unsigned)a, (unsigned)(a >> 32), (unsigned)b,
                (unsigned)(b >> 32));
    if (!_setjmp(thread->here)) {
        announce_leave(thread, fiber, false);
        setcontext(&there);
    }
    announce_enter(thread);
}

void simt_fiber_close(SimtFiber *fiber, SimtFiber *thread) {
    simt_fiber_restart(fiber);
    fiber->closing = true;
    fiber->data = thread;
    simt_fiber_switch(thread, fiber);
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(fiber->sanitizer_thread);
#endif
}

void simt_fiber_restart(SimtFiber *fiber) {
    fiber->restart = true; // its frames need no care: ASan forgot them when _longjmp left the stack
}

void simt_fiber_switch(SimtFiber *from, SimtFiber *to) {
    if (!_setjmp(from->here)) {
        announce_leave(from, to, false);
        _longjmp(to->restart ? to->begin : to->here, 1);
    }
    announce_enter(from);
}
