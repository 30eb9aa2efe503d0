// SPDX-License-Identifier: Apache-2.0
// Counts the heap: the linker sends the program's own calls of malloc and so on here (--wrap), those of the front end
// among them. Unlike mallinfo it also works under ASan.
#include "tests/robustness/robustness.h"

#include <malloc.h>
#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static atomic_size_t used, peak;

static void add(size_t bytes) {
    size_t now = atomic_fetch_add(&used, bytes) + bytes;
    if (now > atomic_load(&peak)) atomic_store(&peak, now);
}

void *__wrap_malloc(size_t size) {
    void *memory = __real_malloc(size);
    add(malloc_usable_size(memory));
    return memory;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *memory = __real_calloc(count, size);
    add(malloc_usable_size(memory));
    return memory;
}

void *__wrap_realloc(void *memory, size_t size) {
    size_t before = malloc_usable_size(memory);
    void *moved = __real_realloc(memory, size);
    if (!moved) return NULL;
    atomic_fetch_sub(&used, before);
    add(malloc_usable_size(moved));
    return moved;
}

void __wrap_free(void *memory) {
    atomic_fetch_sub(&used, malloc_usable_size(memory));
    __real_free(memory);
}

size_t memory_watch(void) {
    size_t now = atomic_load(&used);
    atomic_store(&peak, now);
    return now;
}

size_t memory_peak(void) {
    return atomic_load(&peak);
}
