// SPDX-License-Identifier: Apache-2.0
// What the blocks of a launch print, put into the order of the blocks. The lowest block that has not ended prints at
// once; what higher ones print is kept until all lower ones have ended, and dropped if one of those fails.
#include "base/host_print.h"
#include "runtime/runtime_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MAX ((size_t)64 << 20) // bytes of text

// A block above `lowest` that has printed or ended.
typedef struct PrintedBlock {
    uint64_t block;
    bool ended, failed;
    Buffer text;
} PrintedBlock;

struct RtPrinter {
    RtPrint *print;
    void *data;
    pthread_mutex_t mutex; // guards what follows
    uint64_t lowest;       // no block below it runs
    bool stopped;          // block lowest - 1 has failed
    size_t kept;           // bytes of all texts
    PrintedBlock *blocks;  // by number; the first `gone` are not there any more
    size_t gone, count, capacity;
};

RtPrinter *rt_printer_open(RtPrint *print, void *data) {
    RtPrinter *printer = calloc(1, sizeof *printer);
    if (!printer) return NULL;
    printer->print = print;
    printer->data = data;
    pthread_mutex_init(&printer->mutex, NULL);
    return printer;
}

static void write_text(RtPrinter *printer, Buffer *text) {
    if (text->size) printer->print(printer->data, text->data, text->size);
    printer->kept -= text->size;
    buffer_free(text);
}

// Everything in order, though blocks before it may still run.
static void write_all(RtPrinter *printer) {
    for (size_t i = printer->gone; i < printer->count; i++) write_text(printer, &printer->blocks[i].text);
}

void rt_printer_close(RtPrinter *printer) {
    if (!printer) return;
    if (!printer->stopped) write_all(printer); // where there was no memory to note which blocks have ended
    for (size_t i = printer->gone; i < printer->count; i++) buffer_free(&printer->blocks[i].text);
    free(printer->blocks);
    pthread_mutex_destroy(&printer->mutex);
    free(printer);
}

// The entry of the block, made if it is not there; NULL: no memory. New ones mostly belong at the end.
static PrintedBlock *entry_of(RtPrinter *printer, uint64_t block) {
    size_t low = printer->gone, high = printer->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (printer->blocks[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < printer->count && printer->blocks[low].block == block) return &printer->blocks[low];
    if (printer->gone && printer->count == printer->capacity) { // the room of those that are gone
        size_t left = printer->count - printer->gone;
        memmove(printer->blocks, printer->blocks + printer->gone, left * sizeof *printer->blocks);
        low -= printer->gone;
        printer->count = left;
        printer->gone = 0;
    }
    if (printer->count == printer->capacity) {
        size_t capacity = printer->capacity ? 2 * printer->capacity : 64;
        PrintedBlock *more = realloc(printer->blocks, capacity * sizeof *more);
        if (!more) return NULL;
        printer->blocks = more;
        printer->capacity = capacity;
    }
    memmove(printer->blocks + low + 1, printer->blocks + low, (printer->count - low) * sizeof *printer->blocks);
    printer->count++;
    printer->blocks[low] = (PrintedBlock){.block = block};
    return &printer->blocks[low];
}

// `lowest` has ended: so have those behind it that were waiting for it. The next one that runs may print at once.
static void advance(RtPrinter *printer) {
    for (;
         printer->gone < printer->count && printer->blocks[printer->gone].block == printer->lowest && !printer->stopped;
         printer->gone++) {
        PrintedBlock *first = &printer->blocks[printer->gone];
        write_text(printer, &first->text);
        if (!first->ended) return;
        printer->stopped = first->failed;
        printer->lowest++;
    }
}

void rt_printer_end(RtPrinter *printer, uint64_t block, bool failed) {
    pthread_mutex_lock(&printer->mutex);
    PrintedBlock *entry = printer->stopped ? NULL : entry_of(printer, block);
    if (entry) {
        entry->ended = true;
        entry->failed = failed;
        if (block == printer->lowest) advance(printer);
    }
    pthread_mutex_unlock(&printer->mutex);
}

static void add_text(RtPrinter *printer, uint64_t block, const char *text, size_t size) {
    PrintedBlock *entry = NULL;
    if (block > printer->lowest) entry = entry_of(printer, block);
    if (!entry) { // it is the lowest, or there is no memory to wait in
        printer->print(printer->data, text, size);
        return;
    }
    buffer_append(&entry->text, text, size);
    printer->kept += size;
    if (printer->kept > KEPT_MAX) write_all(printer);
}

// The text of a print, to be freed; false: there is none.
static bool make_text(const HostPrint *print, char **text, size_t *size) {
    *text = NULL;
    *size = 0;
    FILE *out = open_memstream(text, size);
    if (!out) return false;
    host_print(out, print);
    return !fclose(out) && *size;
}

void rt_print_one(RtPrint *print, void *data, const HostPrint *printed) {
    char *text;
    size_t size;
    if (make_text(printed, &text, &size)) print(data, text, size);
    free(text);
}

void rt_printer_text(RtPrinter *printer, uint64_t block, const char *text, size_t size) {
    pthread_mutex_lock(&printer->mutex);
    if (size && !printer->stopped) add_text(printer, block, text, size);
    pthread_mutex_unlock(&printer->mutex);
}

void rt_printer_print(const HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print) {
    RtPrinter *printer = launch->printer;
    uint64_t block = x + launch->grid[0] * (y + (uint64_t)launch->grid[1] * z);
    char *text;
    size_t size;
    bool good = make_text(print, &text, &size);
    if (good) rt_printer_text(printer, block, text, size);
    free(text);
}
