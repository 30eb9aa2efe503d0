// SPDX-License-Identifier: Apache-2.0
// What warps did wrong, in words. The text of each kind of fault is a row of warp_faults.def.
#include "runtime/warp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct WarpFaultRow {
    ErrorCode code;
    const char *text;
} warp_fault_rows[] = {
    [WARP_FAULT_NONE] = {E_NONE, ""},
#define WARP_FAULT(id, code, text) [WARP_FAULT_##id] = {E_##code, text},
#include "runtime/warp_faults.def"
#undef WARP_FAULT
};
_Static_assert(BASE_COUNT(warp_fault_rows) == WARP_FAULT_KINDS, "a row for each kind");

// ---- who and where

static void print_instruction(const KernelInfo *kernel, uint32_t place, Buffer *out) {
    if (!place || place > kernel->place_count) {
        buffer_print(out, "an instruction that is not known");
        return;
    }
    const KernelPlace *found = &kernel->places[place - 1];
    buffer_print(out, "%s", found->op);
    if (found->at.file && found->at.line) buffer_print(out, " (%s:%u)", found->at.file, found->at.line);
}

static void print_lanes(uint32_t lanes, Buffer *out) {
    const uint32_t first = (uint32_t)__builtin_ctz(lanes), last = WARP_LANES - 1 - (uint32_t)__builtin_clz(lanes);
    if (first == last)
        buffer_print(out, " lane %u", first);
    else if (lanes + (UINT32_C(1) << first) == (last == WARP_LANES - 1 ? 0 : UINT32_C(2) << last))
        buffer_print(out, " lanes %u to %u", first, last);
    else
        buffer_print(out, " lanes 0x%08" PRIx32, lanes);
}

void warp_print_side(const KernelInfo *kernel, const WarpSide *side, Buffer *out) {
    if (side->agent < WARP_BLOCK_WARPS && side->place) {
        buffer_print(out, "warp %u", side->agent);
        if (side->lanes && side->lanes != UINT32_MAX) print_lanes(side->lanes, out);
        buffer_print(out, " in ");
    }
    print_instruction(kernel, side->place, out);
}

void warp_print_shared(uint64_t address, Buffer *out) {
    buffer_print(out, "byte %" PRId64 " of shared memory", (int64_t)(address - WARP_SHARED_FIRST));
}

static void print_where(const RtDevice *device, const RtCheckedLaunch *launch, const WarpFault *fault, Buffer *out) {
    const int64_t address = (int64_t)fault->address;
    switch (fault->space) {
    case WARP_SHARED: warp_print_shared(fault->address, out); break;
    case WARP_LOCAL: buffer_print(out, "byte %" PRId64 " of local memory", address); break;
    case WARP_PARAMETER: buffer_print(out, "byte %" PRId64 " of the parameters", address); break;
    case WARP_TENSOR_SPACE:
        buffer_print(out, "lane %u, column %u of tensor memory", (uint32_t)address >> 16, (uint32_t)address & 0xFFFF);
        break;
    default: rt_print_address(device, launch, fault->address, out); break;
    }
}

// ---- templates

static void print_number(char form, const WarpFault *fault, char digit, Buffer *out) {
    const int64_t number = fault->numbers[digit - '0'];
    if (form == 'n')
        buffer_print(out, "%" PRId64, number);
    else
        buffer_print(out, "0x%" PRIx64, (uint64_t)number);
}

static void print_fault(const RtDevice *device, const RtCheckedLaunch *launch, const WarpFault *fault, Buffer *out) {
    for (const char *text = warp_fault_rows[fault->kind].text; *text; text++) {
        const size_t plain = strcspn(text, "$");
        buffer_print(out, "%.*s", (int)plain, text);
        text += plain;
        if (!*text) return;
        switch (*++text) {
        case '0':
        case '1': warp_print_side(launch->kernel, &fault->sides[*text - '0'], out); break;
        case 'a': print_where(device, launch, fault, out); break;
        case 't': buffer_print(out, "%s", fault->text ? fault->text : ""); break;
        default: print_number(text[0], fault, text[1], out); text++;
        }
    }
}

static bool report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                   const WarpFault *fault) {
    const KernelInfo *kernel = launch->kernel;
    const uint32_t place = fault->sides[0].place;
    const Location at = place && place <= kernel->place_count ? kernel->places[place - 1].at : (Location){0};
    Buffer out = {0};
    rt_print_block(launch, block, &out);
    print_fault(device, launch, fault, &out);
    diag_fail(diagnostics, at, warp_fault_rows[fault->kind].code, "%s", out.data);
    buffer_free(&out);
    return false;
}

bool warp_report(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics, uint64_t block,
                 const WarpFault *fault) {
    return report(device, launch, diagnostics, block, fault);
}

// ---- warnings

static int compare_warnings(const WarpFault *a, const WarpFault *b) {
    const uint32_t left[] = {a->sides[0].place, a->kind, a->sides[1].place},
                   right[] = {b->sides[0].place, b->kind, b->sides[1].place};
    for (size_t i = 0; i < BASE_COUNT(left); i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

// Keeps the first ones in the order of places, each of the lowest block: so it does not matter which blocks run first.
static void add_warning(WarpLaunch *launch, WarpWarning warning) {
    WarpWarning *warnings = launch->warnings;
    uint32_t at = launch->warning_count;
    while (at && compare_warnings(&warning.fault, &warnings[at - 1].fault) < 0) at--;
    if (at && !compare_warnings(&warning.fault, &warnings[at - 1].fault)) {
        WarpWarning *same = &warnings[at - 1];
        WarpWarning other = warning;
        if (warning.block < same->block) {
            other = *same;
            *same = warning;
        }
        free(other.fault.text);
        return;
    }
    memmove(&warnings[at + 1], &warnings[at], (launch->warning_count - at) * sizeof *warnings);
    warnings[at] = warning;
    if (launch->warning_count < WARP_WARNINGS_MAX)
        launch->warning_count++;
    else
        free(warnings[WARP_WARNINGS_MAX].fault.text);
}

void warp_warn(WarpBlock *block, WarpFault warning) {
    WarpLaunch *launch = block->launch;
    pthread_mutex_lock(&launch->mutex);
    add_warning(launch, (WarpWarning){warning, block->number});
    pthread_mutex_unlock(&launch->mutex);
}

void warp_report_warnings(const RtDevice *device, const WarpLaunch *launch, uint64_t last) {
    Diagnostics *diagnostics = launch->checked->asked->warnings;
    for (uint32_t i = 0; diagnostics && i < launch->warning_count; i++)
        if (launch->warnings[i].block <= last)
            report(device, launch->checked, diagnostics, launch->warnings[i].block, &launch->warnings[i].fault);
}
