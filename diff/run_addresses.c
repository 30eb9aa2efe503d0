// SPDX-License-Identifier: Apache-2.0
// Addresses in memory: what buffers hold that are filled with addresses, and the tables that stand for lists of arrays.
#include "diff/run.h"

#include <inttypes.h>

static uint64_t address_of(const FpdAddresses *a, const FpdArgument *argument) {
    return a->buffers[argument->buffer]->address + (argument->view ? argument->view->offset : 0);
}

bool fpd_put_addresses(const FpdAddresses *a, Diagnostics *diagnostics, uint32_t buffer) {
    const FpdBuffer *of = &a->cas->buffers[buffer];
    Arena scratch = {0};
    if (!of->fill.addresses) return true;
    uint64_t *words = arena_array(&scratch, uint64_t, of->elements + 1);
    for (uint64_t i = 0; i < of->elements; i++) {
        const FpdArgument *address = &of->fill.addresses[i];
        words[i] = address->kind == FPD_ARGUMENT_VALUE ? address->bits : address_of(a, address);
    }
    const bool good = rt_copy_in(a->device, diagnostics, a->buffers[buffer], 0, words, of->bytes);
    arena_reset(&scratch);
    return good;
}

// The buffer that begins at the address, or has it inside; NULL: none has.
static const RtBuffer *buffer_at(const FpdAddresses *a, uint64_t address) {
    for (uint32_t b = 0; b < a->cas->buffer_count; b++)
        if (address >= a->buffers[b]->address && address - a->buffers[b]->address < a->cas->buffers[b].bytes)
            return a->buffers[b];
    return NULL;
}

bool fpd_check_addresses(const FpdAddresses *a, Diagnostics *diagnostics, const FpdPrograms *programs, uint32_t variant,
                         uint8_t *const *results) {
    for (uint32_t c = 0; c < a->cas->compare_count; c++) {
        const FpdBuffer *buffer = &a->cas->buffers[a->cas->compare[c]];
        if (!fpd_may_hold_addresses(programs, variant, a->cas->compare[c])) continue;
        for (uint64_t i = 0; i < buffer->elements; i++) {
            const RtBuffer *held = buffer_at(a, fpd_element_bits(buffer->type, results[c], i));
            if (held)
                return diag_fail(diagnostics, buffer->at, E_CASE,
                                 "compare names '%s', but variant %s leaves addresses there (in element %" PRIu64
                                 " one of %s): they differ from run to run",
                                 buffer->name, a->cas->variants[variant].name, i, held->name);
        }
    }
    return true;
}

// ---- arrays that begin where no buffer could ------------------------------------------------------------------------

// `arguments`: of a launch, of a list or struct, or addresses in a buffer.
static bool begins_inside(uint64_t count, const FpdArgument *arguments) {
    enum { ALIGNMENT = 64 }; // of buffers
    for (uint64_t i = 0; i < count; i++)
        if ((arguments[i].view && arguments[i].view->offset % ALIGNMENT) ||
            begins_inside(arguments[i].item_count, arguments[i].items))
            return true;
    return false;
}

bool fpd_begins_inside(const FpdCase *cas) {
    bool inside = false;
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        inside |=
            cas->buffers[b].fill.addresses && begins_inside(cas->buffers[b].elements, cas->buffers[b].fill.addresses);
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++)
            inside |=
                begins_inside(cas->variants[v].launches[i].argument_count, cas->variants[v].launches[i].arguments);
    return inside;
}

// ---- lists of arrays ------------------------------------------------------------------------------------------------

static RtBuffer *open_table(const FpdAddresses *a, Diagnostics *diagnostics, const FpdArgument *list) {
    Arena scratch = {0};
    uint64_t *words = arena_array(&scratch, uint64_t, list->item_count * (1 + 2 * (size_t)FPD_RANK_MAX) + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < list->item_count; i++) {
        const FpdView view = fpd_argument_view(a->cas, &list->items[i]);
        words[count++] = address_of(a, &list->items[i]);
        for (uint32_t d = 0; d < view.rank; d++) words[count++] = (uint64_t)view.shape[d];
        for (uint32_t d = 0; d < view.rank; d++) words[count++] = (uint64_t)view.stride[d];
    }
    RtBuffer *table = rt_alloc(a->device, diagnostics, count * sizeof *words);
    const bool good = table && rt_copy_in(a->device, diagnostics, table, 0, words, count * sizeof *words);
    if (table) table->name = "the table of a list";
    arena_reset(&scratch);
    if (good) return table;
    rt_free(a->device, table);
    return NULL;
}

RtBuffer **fpd_open_tables(const FpdAddresses *a, Diagnostics *diagnostics, const FpdResolvedLaunch *launch) {
    RtBuffer **tables = arena_array(a->arena, RtBuffer *, launch->entry->parameter_count + 1u);
    uint32_t count = 0;
    for (uint32_t v = 0; !launch->threads && v < launch->entry->parameter_count; v++) {
        if (!launch->values[v].list) continue;
        tables[count] = open_table(a, diagnostics, launch->values[v].list);
        if (tables[count++]) continue;
        fpd_close_tables(a, tables);
        return NULL;
    }
    return tables;
}

void fpd_close_tables(const FpdAddresses *a, RtBuffer **tables) {
    for (; *tables; tables++) rt_free(a->device, *tables);
}

RtBuffer **fpd_reached_buffers(const FpdAddresses *a, const FpdResolvedLaunch *launch) {
    RtBuffer **reached = arena_array(a->arena, RtBuffer *, launch->reached_count + 1u);
    for (uint32_t i = 0; i < launch->reached_count; i++) reached[i] = a->buffers[launch->reached[i]];
    return reached;
}
