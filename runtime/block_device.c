// SPDX-License-Identifier: Apache-2.0
// Launches of kernels whose blocks have parts: the state of a running block, what its parts get as arguments, and what
// is told of blocks that failed.
#include "runtime/block.h"

#include <stdlib.h>

enum {
    MAPPINGS_MAX = 48000, // of the 65530 that Linux gives a process; each stack takes two
    MAPPINGS_OF_BLOCK = 8,
    MEMORY_ALIGNMENT = 1024,
    // An asynchronous operation is carried out on the stack of whoever waits for it.
    PART_STACK_BYTES = SIMT_STACK_BYTES + SIMT_FRAME_MAX,
    EVERY_WIDTH = (1u << HOST_SHADOW_WIDTHS) - 1,
};
#define ANYTHING (EVERY_WIDTH | HOST_MAY_BE_UNSPECIFIED)

static size_t round_up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

// ---- what parts get -------------------------------------------------------------------------------------------------

HostEntry *block_entry_of(const Block *block, uint32_t function) {
    const KernelInfo *kernel = block->launch->kernel;
    return function ? kernel->parts[function - 1].entry : kernel->entry;
}

static void set_memory(BlockPart *part, uint32_t at) {
    const Block *block = part->block;
    const uint64_t begin = (uint64_t)(uintptr_t)block->memory;
    part->arguments.words[at] = begin;
    part->arguments.ranges[at] = (HostRange){begin, begin + block->all_bytes};
    part->arguments.widths[at] = block->buffer->widths;
}

// The kernel itself has its memory behind its parameters, in front of globals.
static void set_kernel_arguments(BlockPart *part) {
    const BlockLaunch *launch = part->block->launch;
    const HostLaunch *host = &launch->host;
    const uint32_t parameters = launch->kernel->parameter_count, globals = launch->kernel->global_count;
    for (uint32_t i = 0; i < parameters + globals; i++) {
        const uint32_t to = i < parameters ? i : i + 1;
        part->arguments.words[to] = host->arguments[i];
        part->arguments.ranges[to] = host->argument_ranges[i];
        part->arguments.widths[to] = host->argument_widths ? host->argument_widths[i] : 0;
    }
    set_memory(part, parameters);
}

// The buffer in which the address lies.
static void set_pointer(BlockPart *part, uint32_t at) {
    const BlockLaunch *launch = part->block->launch;
    const HostRange *buffers = launch->host.buffers;
    const uint64_t address = part->arguments.words[at];
    uint64_t low = 0, high = launch->host.buffer_count; // those below `low` begin at or before the address
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (buffers[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address >= buffers[low - 1].end) return;
    part->arguments.ranges[at] = buffers[low - 1];
    part->arguments.widths[at] = launch->widths[low - 1];
}

void block_set_arguments(BlockPart *part, uint32_t function, const uint64_t *words, uint32_t count) {
    Block *block = part->block;
    if (!function) {
        set_kernel_arguments(part);
        return;
    }
    const KernelPart *code = &block->launch->kernel->parts[function - 1];
    if (code->parameter_count != count)
        block_fail(block, 0, "calls a part with %u arguments, but it has %u parameters", count, code->parameter_count);
    memcpy(part->arguments.words, words, count * sizeof *words);
    memset(part->arguments.ranges, 0, count * sizeof *part->arguments.ranges);
    memset(part->arguments.widths, 0, count * sizeof *part->arguments.widths);
    for (uint32_t i = 0; i < count; i++)
        if (code->pointers[i]) set_pointer(part, i);
    set_memory(part, count);
}

// ---- states of blocks -----------------------------------------------------------------------------------------------

static bool open_part(Block *block, uint32_t number) {
    BlockPart *part = &block->parts[number];
    const size_t room = block->launch->argument_room;
    part->block = block;
    part->number = number;
    part->arguments.words = calloc(room, sizeof *part->arguments.words);
    part->arguments.ranges = calloc(room, sizeof *part->arguments.ranges);
    part->arguments.widths = calloc(room, sizeof *part->arguments.widths);
    return part->arguments.words && part->arguments.ranges && part->arguments.widths;
}

static void close_state(RtIdleItem *item) {
    Block *block = (Block *)(void *)item;
    BlockPart *parts = block->parts;
    simt_fiber_adopt(&block->thread);
    for (uint32_t i = 0; parts && i <= BLOCK_PARTS_MAX; i++) {
        if (parts[i].open) simt_fiber_close(&parts[i].fiber, &block->thread);
        free(parts[i].arguments.words);
        free(parts[i].arguments.ranges);
        free(parts[i].arguments.widths);
    }
    simt_stacks_close(&block->stacks);
    for (BlockPending *pending = block->pendings.free, *next; pending; pending = next) {
        next = pending->next;
        free(pending);
    }
    if (block->buffer) rt_host_free(block->launch->device, block->buffer);
    free(block->objects.items);
    free(block->staging.items);
    free(block->buffers);
    free(block->barriers);
    free(parts);
    free(block);
}

// The memory that floats have records in: that of the block, then the scratch of its parts.
static bool open_memory(Block *block) {
    BlockLaunch *launch = block->launch;
    const size_t scratch = launch->part_scratch + RT_SCRATCH_HEAD;
    Diagnostics diagnostics = {0};
    block->bytes = launch->kernel->memory_bytes;
    block->all_bytes = round_up(block->bytes, 64) + BLOCK_STAGING_BYTES;
    pthread_mutex_lock(&launch->mutex);
    block->buffer =
        rt_host_alloc(launch->device, &diagnostics, block->all_bytes + MEMORY_ALIGNMENT + scratch * BLOCK_PARTS_MAX);
    pthread_mutex_unlock(&launch->mutex);
    diagnostics_close(&diagnostics);
    if (!block->buffer) return false;
    if (launch->records) {
        block->buffer->records = launch->kernel->records;
        block->buffer->deep = launch->kernel->deep_records;
        block->buffer->widths =
            launch->kernel->has_locals ? ANYTHING : launch->kernel->memory_widths | HOST_MAY_BE_UNSPECIFIED;
    }
    block->memory = (uint8_t *)round_up((uintptr_t)block->buffer->address, MEMORY_ALIGNMENT);
    for (uint32_t i = 1; i <= BLOCK_PARTS_MAX; i++)
        block->parts[i].memory = block->memory + block->all_bytes + (i - 1) * scratch;
    return true;
}

// The buffers of the launch, and the block's memory.
static bool list_buffers(Block *block) {
    const HostLaunch *host = &block->launch->host;
    const uint64_t count = host->buffer_count, memory = (uint64_t)(uintptr_t)block->memory;
    uint64_t before = 0;
    block->buffers = malloc((count + 1) * sizeof *block->buffers);
    if (!block->buffers) return false;
    while (before < count && host->buffers[before].begin < memory) before++;
    if (before) memcpy(block->buffers, host->buffers, before * sizeof *block->buffers);
    block->buffers[before] = (HostRange){memory, memory + block->all_bytes};
    if (before < count)
        memcpy(block->buffers + before + 1, host->buffers + before, (count - before) * sizeof *block->buffers);
    return true;
}

static RtIdleItem *open_state(const void *asked) {
    BlockLaunch *launch = (BlockLaunch *)(uintptr_t)asked;
    Block *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->launch = launch;
    block->parts = calloc(BLOCK_PARTS_MAX + 1, sizeof *block->parts);
    block->worker = block->parts + BLOCK_PARTS_MAX;
    block->barriers = calloc(BLOCK_BARRIERS_MAX, sizeof *block->barriers);
    bool good = block->parts && block->barriers;
    for (uint32_t i = 0; good && i <= BLOCK_PARTS_MAX; i++) good = open_part(block, i);
    good = good && open_memory(block) && list_buffers(block) &&
           simt_stacks_open(&block->stacks, launch->kernel->part_count ? BLOCK_PARTS_MAX : 1, PART_STACK_BYTES);
    if (good) return &block->item;
    close_state(&block->item);
    return NULL;
}

static bool state_fits(const RtIdleItem *item, const void *launch) {
    (void)item, (void)launch;
    return false; // none is kept
}

static const RtIdleKind block_states = {open_state, close_state, state_fits};

// ---- blocks ---------------------------------------------------------------------------------------------------------

static void prepare_part(BlockPart *part) {
    const Block *block = part->block;
    HostLaunch *host = &part->host;
    *host = block->launch->host;
    host->arguments = part->arguments.words;
    host->argument_ranges = part->arguments.ranges;
    host->argument_records = host->argument_records ? block->launch->no_records : NULL;
    host->argument_widths = part->arguments.widths;
    host->buffers = block->buffers;
    host->buffer_count++;
    if (host->shadow && block->launch->records) host->all_widths |= block->buffer->widths;
    if (host->wait) host->wait = block_wait_for_blocks;
    host->operate = block_operate;
}

static void record_failure(Block *block) {
    BlockLaunch *launch = block->launch;
    pthread_mutex_lock(&launch->mutex);
    if (block->number < launch->failed_block) {
        const uint32_t place = block->text_place;
        char *other = launch->failed_text;
        launch->failed_block = block->number;
        launch->failed_text = block->text;
        launch->failed_at =
            place && place <= launch->kernel->place_count ? launch->kernel->places[place - 1].at : (Location){0};
        block->text = other;
    }
    pthread_mutex_unlock(&launch->mutex);
    free(block->text);
    block->text = NULL;
}

static bool is_taken(BlockLaunch *launch, uint64_t number) {
    if (!launch->begun) return false;
    pthread_mutex_lock(&launch->mutex);
    const bool taken = launch->begun[number];
    launch->begun[number] = 1;
    pthread_mutex_unlock(&launch->mutex);
    return taken;
}

static uint32_t run_one_block(const HostLaunch *host, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                              HostFault *fault) {
    BlockLaunch *launch = (BlockLaunch *)(uintptr_t)host; // whose first field it is
    const uint64_t number = x + (uint64_t)host->grid[0] * (y + (uint64_t)host->grid[1] * z);
    uint8_t *memory = (uint8_t *)scratch - RT_SCRATCH_HEAD;
    if (is_taken(launch, number)) return 0;
    Block *block = (Block *)(void *)rt_idle_take(&launch->blocks);
    if (!block) {
        Block lost = {.launch = launch, .number = number};
        Buffer text = {0};
        buffer_print(&text, "no memory for the block's memory and its parts");
        lost.text = text.data;
        record_failure(&lost);
        return UINT32_MAX;
    }
    block->number = number;
    block->findings.dropped = UINT64_MAX;
    memcpy(block->position, (uint32_t[]){x, y, z}, sizeof block->position);
    block->parts[0].memory = memory;
    for (uint32_t i = 0; i <= BLOCK_PARTS_MAX; i++) {
        if (i) memcpy(block->parts[i].memory, memory, RT_SCRATCH_HEAD); // who logs its accesses
        prepare_part(&block->parts[i]);
    }
    block->parts[0].host.argument_records = launch->kernel_records;
    set_kernel_arguments(&block->parts[0]);
    const uint32_t site = block_run(block, fault);
    block_merge_findings(block);
    if (block->text) record_failure(block);
    rt_idle_give(&launch->blocks, &block->item);
    return site;
}

// ---- launches -------------------------------------------------------------------------------------------------------

// The widths of the records in each of the launch's buffers.
static void list_widths(BlockLaunch *launch) {
    const RtCheckedLaunch *checked = launch->checked;
    launch->widths = arena_array(checked->arena, uint32_t, checked->buffer_count + 1);
    for (uint64_t i = 0; i < checked->buffer_count; i++)
        for (uint32_t a = 0; a < checked->argument_count; a++)
            if (checked->arguments[a].buffer && checked->arguments[a].buffer->address == checked->buffers[i].begin)
                launch->widths[i] = checked->arguments[a].buffer->widths;
}

void block_launch_open(BlockLaunch *launch, RtDevice *device, const RtCheckedLaunch *checked, RtWork *work) {
    const KernelInfo *kernel = checked->kernel;
    const RtLaunch *asked = checked->asked;
    const uint32_t known = kernel->parameter_count + kernel->global_count;
    launch->device = device;
    launch->checked = checked;
    launch->kernel = kernel;
    launch->checks = asked->findings && !asked->unchecked;
    launch->early = asked->async_early;
    launch->records = device->shadow.base && kernel->stored_widths;
    launch->failed_block = launch->findings.dropped = UINT64_MAX;
    launch->argument_room = (known > BLOCK_WORDS_MAX ? known : BLOCK_WORDS_MAX) + 1;
    launch->no_records = arena_array(checked->arena, HostRecord, launch->argument_room);
    launch->kernel_records = arena_array(checked->arena, HostRecord, launch->argument_room);
    for (uint32_t i = 0; launch->host.argument_records && i < known; i++)
        launch->kernel_records[i < kernel->parameter_count ? i : i + 1] = launch->host.argument_records[i];
    for (uint32_t i = 0; i < kernel->part_count; i++)
        if (kernel->parts[i].scratch_bytes > launch->part_scratch)
            launch->part_scratch = kernel->parts[i].scratch_bytes;
    launch->part_scratch = round_up(launch->part_scratch, 64);
    if (kernel->cancels) launch->begun = calloc(checked->block_count, 1);
    list_widths(launch);
    pthread_mutex_init(&launch->mutex, NULL);
    const uint32_t limit = MAPPINGS_MAX / (2 * BLOCK_PARTS_MAX + MAPPINGS_OF_BLOCK);
    rt_idle_open(&launch->blocks, &block_states, launch, limit, NULL);
    work->entry = run_one_block;
    work->threads_max = work->threads_max ? work->threads_max : limit > device->jobs ? limit : device->jobs;
}

bool block_launch_close(BlockLaunch *launch, Diagnostics *diagnostics, RtFault *fault) {
    const RtCheckedLaunch *checked = launch->checked;
    bool good = true;
    rt_idle_close_items(&block_states, rt_idle_close(&launch->blocks));
    pthread_mutex_destroy(&launch->mutex);
    block_report_findings(launch, fault && fault->site ? fault->block : UINT64_MAX);
    if (fault && fault->site == UINT32_MAX) {
        Buffer text = {0};
        rt_print_block(checked, fault->block, &text);
        good = diag_fail(diagnostics, launch->failed_at, E_RUNTIME, "%s%s", text.data, launch->failed_text);
        buffer_free(&text);
    }
    free(launch->failed_text);
    free(launch->begun);
    return good;
}
