// SPDX-License-Identifier: Apache-2.0
// What the blocks of a launch on a GPU have printed: records in memory of the launch, in the order in which blocks took
// their room, become text in the order of the blocks. No record is believed before it is known to lie inside.
#include "runtime/runtime_internal.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_USUAL ((size_t)64 << 20) // bytes

// A record that is complete.
typedef struct Found {
    uint64_t block;
    const uint8_t *at;
    const HostPrint *form;
} Found;

typedef struct FoundList {
    Found *items;
    size_t count, capacity;
} FoundList;

static size_t aligned(size_t bytes) {
    return (bytes + GPU_PRINT_ALIGNMENT - 1) / GPU_PRINT_ALIGNMENT * GPU_PRINT_ALIGNMENT;
}

size_t rt_gpu_prints_bytes(const RtDevice *device, const KernelInfo *kernel) {
    if (!kernel->print_form_count || !device->print) return 0;
    const size_t room = device->print_bytes ? device->print_bytes : ROOM_USUAL;
    return GPU_PRINT_ALIGNMENT + room / GPU_PRINT_ALIGNMENT * GPU_PRINT_ALIGNMENT;
}

GpuPrints rt_gpu_prints_head(size_t bytes) {
    return (GpuPrints){.size = bytes - GPU_PRINT_ALIGNMENT};
}

size_t rt_gpu_prints_used(const GpuPrints *head, size_t bytes) {
    const size_t room = bytes - GPU_PRINT_ALIGNMENT;
    return GPU_PRINT_ALIGNMENT + (head->used < room ? head->used : room);
}

static size_t value_bytes(const HostPrintValue *value) {
    size_t count = 1;
    for (uint32_t d = 0; d < value->rank; d++) count *= (size_t)value->shape[d];
    return aligned(count * (value->bits < 8 ? 1 : value->bits / 8));
}

static size_t form_bytes(const HostPrint *form) {
    size_t bytes = aligned(sizeof(GpuPrintRecord));
    for (uint64_t i = 0; i < form->value_count; i++) bytes += value_bytes(&form->values[i]);
    return bytes;
}

// The records up to the first that found no room. False if there is none where one should be.
static bool find_records(const RtCheckedLaunch *launch, const uint8_t *memory, size_t end, bool whole,
                         FoundList *list) {
    for (size_t at = GPU_PRINT_ALIGNMENT; at < end;) {
        GpuPrintRecord record;
        memcpy(&record, memory + at, sizeof record);
        if (!record.size) return !whole;
        if (record.size % GPU_PRINT_ALIGNMENT || record.size > end - at || record.block >= launch->block_count ||
            record.form > launch->kernel->print_form_count)
            return false;
        if (record.form) {
            const HostPrint *form = &launch->kernel->print_forms[record.form - 1];
            if (form_bytes(form) != record.size) return false;
            list->items = arena_grow(launch->arena, list->items, list->count, &list->capacity, sizeof *list->items);
            list->items[list->count++] = (Found){record.block, memory + at, form};
        }
        at += record.size;
    }
    return true;
}

static int compare_found(const void *a, const void *b) {
    const Found *left = a, *right = b;
    if (left->block != right->block) return left->block < right->block ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

static void write_record(const RtDevice *device, Arena *arena, const Found *found) {
    HostPrint print = *found->form;
    HostPrintValue *values = arena_array(arena, HostPrintValue, print.value_count + 1);
    size_t at = aligned(sizeof(GpuPrintRecord));
    for (uint64_t i = 0; i < print.value_count; i++) {
        values[i] = print.values[i];
        values[i].elements = found->at + at;
        at += value_bytes(&values[i]);
    }
    print.values = values;
    rt_print_one(device->print, device->print_data, &print);
}

bool rt_gpu_prints_write(const RtDevice *device, Diagnostics *diagnostics, const RtCheckedLaunch *launch,
                         const void *memory, size_t bytes, const RtFault *fault) {
    const GpuPrints *head = memory;
    const size_t room = bytes - GPU_PRINT_ALIGNMENT;
    const bool whole = head->used <= room;
    FoundList list = {0};
    const bool good = find_records(launch, memory, rt_gpu_prints_used(head, bytes), whole, &list);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, compare_found);
    Arena arena = {0};
    for (size_t i = 0; i < list.count && !(fault->site && list.items[i].block > fault->block); i++) {
        write_record(device, &arena, &list.items[i]);
        arena_reset(&arena);
    }
    if (good && whole) return true;
    // The failure of a block, which rt_launch would report, comes first.
    if (fault->site && fault->site <= launch->kernel->site_count) rt_report_fault(device, launch, diagnostics, fault);
    if (!good)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "%s: what kernel %s has printed cannot be read",
                         launch->label, launch->name);
    return diag_fail(diagnostics, (Location){0}, E_LIMIT,
                     "%s: the blocks of kernel %s print %llu bytes of elements and their records, more than the %zu "
                     "that %s keeps for a launch: some of it is missing",
                     launch->label, launch->name, (unsigned long long)head->used, room, device->kind->name);
}
