// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer on the heap.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void buffer_reserve(Buffer *buffer, size_t more) {
    if (buffer->size + more <= buffer->capacity) return;
    size_t wanted = buffer->capacity ? buffer->capacity : 256;
    while (wanted < buffer->size + more) wanted *= 2;
    char *data = realloc(buffer->data, wanted);
    if (!data) {
        fprintf(stderr, "congruent: out of memory (%zu bytes)\n", wanted);
        exit(70);
    }
    buffer->data = data;
    buffer->capacity = wanted;
}

void buffer_append(Buffer *buffer, const void *bytes, size_t size) {
    buffer_reserve(buffer, size + 1);
    if (size) memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    buffer->data[buffer->size] = 0;
}

void buffer_print(Buffer *buffer, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0) {
        buffer_reserve(buffer, (size_t)length + 1);
        vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, args);
        buffer->size += (size_t)length;
    }
    va_end(args);
}

void buffer_free(Buffer *buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}
