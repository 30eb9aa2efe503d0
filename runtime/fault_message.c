// SPDX-License-Identifier: Apache-2.0
// What a failed block did, in words. Addresses are given as offsets into buffers, so that the text is the same in every
// run.
#include "runtime/runtime_internal.h"

#include <inttypes.h>
#include <stdio.h>

// The text of one fault.
typedef struct FaultText {
    const RtDevice *device;
    const RtCheckedLaunch *launch;
    const KernelSite *site;
    const HostFault *fault;
    Buffer out;
} FaultText;

// The argument whose buffer the address is in or nearest to; -1 if the address is far from all buffers of the device.
static int64_t nearest_argument(const FaultText *text, uint64_t address) {
    const HostRange *near = &text->device->near;
    uint64_t best_distance = UINT64_MAX;
    int64_t best = -1;
    if (address < near->begin || address >= near->end) return -1;
    for (uint32_t i = 0; i < text->launch->argument_count; i++) {
        const RtBuffer *buffer = text->launch->arguments[i].buffer;
        if (!buffer) continue;
        uint64_t end = buffer->address + buffer->size;
        uint64_t distance = address < buffer->address ? buffer->address - address : address >= end ? address - end : 0;
        if (distance < best_distance) {
            best_distance = distance;
            best = i;
        }
    }
    return best;
}

static void print_argument(FaultText *text, int64_t argument) {
    const RtLaunch *asked = text->launch->asked;
    const char *name = asked && asked->parameter_names ? asked->parameter_names[argument] : NULL;
    const int64_t number = asked && asked->parameter_arguments ? asked->parameter_arguments[argument] : argument;
    buffer_print(&text->out, "argument %" PRId64 "%s%s", number, name ? ", " : "", name ? name : "");
}

static void print_buffer(FaultText *text, int64_t argument) {
    const RtBuffer *buffer = text->launch->arguments[argument].buffer;
    if (argument >= text->launch->known_count && !text->launch->kernel->warp)
        buffer_print(&text->out, "buffer %s (", buffer->name ? buffer->name : "without a name");
    else if (argument >= text->launch->parameter_count)
        buffer_print(&text->out, "global @%s (", buffer->name ? buffer->name : "");
    else if (text->launch->kernel->warp)
        buffer_print(&text->out, "buffer %s (", buffer->name ? buffer->name : "without a name");
    else if (buffer->name) {
        buffer_print(&text->out, "buffer %s (", buffer->name);
        print_argument(text, argument);
        buffer_print(&text->out, ", ");
    } else {
        buffer_print(&text->out, "the buffer of ");
        print_argument(text, argument);
        buffer_print(&text->out, " (");
    }
    buffer_print(&text->out, "%zu bytes)", buffer->size);
}

void rt_print_address(const RtDevice *device, const RtCheckedLaunch *launch, uint64_t address, Buffer *out) {
    FaultText text = {.device = device, .launch = launch, .out = *out};
    const int64_t argument = nearest_argument(&text, address);
    if (argument < 0) {
        buffer_print(&text.out, "address 0x%" PRIx64 ", which is in no buffer of the launch", address);
    } else {
        buffer_print(&text.out, "byte %" PRId64 " of ",
                     (int64_t)(address - launch->arguments[argument].buffer->address));
        print_buffer(&text, argument);
    }
    *out = text.out;
}

static void print_bounds(FaultText *text) {
    buffer_print(&text->out, "an access at ");
    rt_print_address(text->device, text->launch, text->fault->address, &text->out);
}

static void print_view(FaultText *text) {
    const HostFault *fault = text->fault;
    if (fault->found < 0) {
        buffer_print(&text->out, "a tensor view with an extent of %" PRId64, fault->found);
        return;
    }
    buffer_print(&text->out, "a tensor view of %s%" PRId64 " bytes", fault->found == INT64_MAX ? "at least " : "",
                 fault->found);
    int64_t argument = nearest_argument(text, fault->address);
    if (argument < 0) {
        buffer_print(&text->out, " from address 0x%" PRIx64 " on, which is in no buffer of the launch", fault->address);
        return;
    }
    int64_t offset = (int64_t)(fault->address - text->launch->arguments[argument].buffer->address);
    buffer_print(&text->out, " from byte %" PRId64 " of ", offset);
    print_buffer(text, argument);
}

static void print_slice(FaultText *text) {
    if (text->fault->limit)
        buffer_print(&text->out, "tile index %" PRId64 " is outside the index space 0 .. %" PRId64, text->fault->found,
                     text->fault->limit - 1);
    else
        buffer_print(&text->out, "tile index %" PRId64 " is outside the index space, which is empty",
                     text->fault->found);
}

static void print_gather(FaultText *text) {
    buffer_print(&text->out, "index %" PRId64 " is outside the elements 0 .. %" PRId64, text->fault->found,
                 text->fault->limit - 1);
}

// ", in a view of buffer x (argument 0, 256 bytes)", if it is known.
static void print_view_of(FaultText *text) {
    const int64_t argument = text->fault->address ? nearest_argument(text, text->fault->address) : -1;
    if (argument < 0) return;
    buffer_print(&text->out, ", in a view of ");
    print_buffer(text, argument);
}

static void print_index(FaultText *text) {
    print_slice(text);
    buffer_print(&text->out, " (GPUs load padding there and store nothing, and so does --outside-tiles=padding)");
    print_view_of(text);
}

static void print_inbounds(FaultText *text) {
    buffer_print(&text->out, "%" PRId64 " is not inbounds, ", text->fault->found);
    if (text->fault->limit)
        buffer_print(&text->out, "only 0 .. %" PRId64 " are", text->fault->limit - 1);
    else
        buffer_print(&text->out, "the tensor is smaller than a tile");
    print_view_of(text);
}

static void print_assert(FaultText *text) {
    buffer_print(&text->out, "assertion failed at element %" PRId64, text->fault->found);
    if (text->site->message) buffer_print(&text->out, ": %s", text->site->message);
}

static void print_step(FaultText *text) {
    buffer_print(&text->out, "loop step %" PRId64 " is not positive", text->fault->found);
}

static void print_divide(FaultText *text) {
    buffer_print(&text->out, "integer division by zero, or a quotient too large for its type, at element %" PRId64,
                 text->fault->found);
}

static void print_local(FaultText *text) {
    buffer_print(&text->out, "an access at byte %" PRId64 " of an alloca of %" PRId64 " bytes", text->fault->found,
                 text->fault->limit);
}

static void print_rounds(FaultText *text) {
    buffer_print(&text->out, "more than %" PRId64 " " RT_ROUNDS_TEXT, text->fault->limit);
}

static void print_assume(FaultText *text) {
    const HostFault *fault = text->fault;
    buffer_print(&text->out, "element %" PRId64 " is not as assumed: it ", fault->limit);
    if (!fault->address) {
        buffer_print(&text->out, "is %" PRId64, fault->found);
        return;
    }
    int64_t argument = nearest_argument(text, fault->address);
    if (argument < 0) {
        buffer_print(&text->out, "is the address 0x%" PRIx64 ", which is in no buffer of the launch", fault->address);
        return;
    }
    buffer_print(&text->out, "points to byte %" PRId64 " of ",
                 (int64_t)(fault->address - text->launch->arguments[argument].buffer->address));
    print_buffer(text, argument);
    if (fault->found) buffer_print(&text->out, ", %" PRId64 " bytes past a multiple", fault->found);
}

static const struct FaultRow {
    ErrorCode code;
    void (*print)(FaultText *);
    bool describes; // the site's own message is a description to add in brackets
} fault_rows[] = {
#define SITE(kind, name, code, describes) [HOST_SITE_##kind] = {E_##code, print_##name, describes},
#include "base/host_sites.def"
#undef SITE
};

void rt_print_block(const RtCheckedLaunch *launch, uint64_t block, Buffer *out) {
    const uint64_t row = block / launch->grid[0];
    buffer_print(out, "%s: kernel %s: block (%u, %u, %u): ", launch->label, launch->name,
                 (uint32_t)(block % launch->grid[0]), (uint32_t)(row % launch->grid[1]),
                 (uint32_t)(row / launch->grid[1]));
}

bool rt_report_fault(const RtDevice *device, const RtCheckedLaunch *launch, Diagnostics *diagnostics,
                     const RtFault *fault) {
    const KernelInfo *kernel = launch->kernel;
    FaultText text = {.device = device, .launch = launch, .fault = &fault->fault};
    rt_print_block(launch, fault->block, &text.out);
    if (fault->site > kernel->site_count || (size_t)kernel->sites[fault->site - 1].kind >= BASE_COUNT(fault_rows)) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                  "%sthe kernel names failure %u, but it has %u places that can fail", text.out.data, fault->site,
                  kernel->site_count);
        buffer_free(&text.out);
        return false;
    }
    const KernelSite *site = text.site = &kernel->sites[fault->site - 1];
    const struct FaultRow *words = &fault_rows[site->kind];
    buffer_print(&text.out, "%s", site->op);
    if (words->describes && site->message) buffer_print(&text.out, " (%s)", site->message);
    buffer_print(&text.out, ": ");
    words->print(&text);
    diag_fail(diagnostics, site->at, words->code, "%s", text.out.data);
    buffer_free(&text.out);
    return false;
}
