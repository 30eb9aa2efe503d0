// SPDX-License-Identifier: Apache-2.0
// Two variants in real numbers: what they leave, where they differ, and which values of the second occur in the first.
#include "compiler/repair/repair_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// There is a copy of all buffers for each launch of the second variant, and three more.
enum { ELEMENTS_MAX = 1 << 25, NUMBERS_MAX = 1 << 22, TAPPED_MAX = 1 << 14, BLOCKS_MAX = 2048 };

static TirTypeKind kind_of(ElementType type) {
    for (int kind = 0; kind < TIR_TYPE_COUNT; kind++)
        if (tir_type_rows[kind].element == type && tir_type_rows[kind].class != TIR_CLASS_COMPOUND)
            return (TirTypeKind)kind;
    return TIR_TYPE_COUNT;
}

static TirModule *module_of(const RepairLaunch *launch) {
    return launch->program->tiles;
}

// The function of a kernel: entries are kernels, in the order of the file.
static const TirFunction *function_in(const TirModule *module, uint32_t number) {
    uint32_t kernel = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].entry && kernel++ == number) return &module->functions[f];
    return NULL;
}

const TirFunction *repair_function(const RepairLaunch *launch) {
    return function_in(module_of(launch), launch->kernel);
}

// ---- numbers of the first variant -----------------------------------------------------------------------------------

struct RepairNumbers { // sorted once all are there
    size_t count;
    double *all;
};

static bool tells(double number) { // numbers that are everywhere tell nothing
    const double magnitude = fabs(number);
    return magnitude > 1e-30 && magnitude < 1e30 && magnitude != 1;
}

static void keep_numbers(void *context, const TirOp *op, const RealValue *value) {
    struct RepairNumbers *numbers = context;
    if (op->kind == TIR_OP_constant || op->kind == TIR_OP_broadcast || op->kind == TIR_OP_reshape) return;
    for (uint64_t i = 0; i < value->count && numbers->count < NUMBERS_MAX; i++)
        if (tells(value->floats[i])) numbers->all[numbers->count++] = value->floats[i];
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool occurs(const struct RepairNumbers *numbers, double number) {
    const double slack = fabs(number) * 1e-8;
    size_t low = 0, high = numbers->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (numbers->all[middle] < number - slack)
            low = middle + 1;
        else
            high = middle;
    }
    return low < numbers->count && numbers->all[low] <= number + slack;
}

typedef struct Tapping {
    Repair *repair;
    uint32_t launch;
    RepairTap **by_op; // of the launch's function, by number
} Tapping;

static void count_found(void *context, const TirOp *op, const RealValue *value) {
    Tapping *t = context;
    RepairTap *tap = t->by_op[op->number];
    for (uint64_t i = 0; i < value->count && tap->count < TAPPED_MAX; i++) {
        if (!tells(value->floats[i])) continue;
        tap->count++;
        tap->found += occurs(t->repair->numbers, value->floats[i]);
    }
}

// ---- running variants -----------------------------------------------------------------------------------------------

static void open_memory(const Repair *r, RealMemory *memory) {
    TirTypeKind *kinds = arena_array(r->arena, TirTypeKind, r->buffer_count + 1u);
    uint64_t *counts = arena_array(r->arena, uint64_t, r->buffer_count + 1u);
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        kinds[b] = kind_of(r->buffers[b].type);
        counts[b] = r->buffers[b].elements;
    }
    real_memory_open(memory, r->buffer_count, kinds, counts);
}

static void fill_memory(const Repair *r, RealMemory *memory) {
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        const RepairBuffer *from = &r->buffers[b];
        const unsigned bytes = element_info(from->type)->storage_bits / 8;
        for (uint64_t i = 0; from->bytes && i < from->elements; i++) {
            uint64_t bits = 0;
            memcpy(&bits, from->bytes + i * bytes, bytes);
            if (element_is_float(from->type))
                memory->buffers[b].floats[i] = fpsan_decode(element_format(from->type), bits);
            else
                memory->buffers[b].integers[i] = from->type == ELEMENT_I1
                                                     ? (int64_t)(bits & 1)
                                                     : (int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
        }
    }
}

static void copy_memory(const Repair *r, const RealMemory *from, RealMemory *to) {
    open_memory(r, to);
    for (uint32_t b = 0; b < r->buffer_count; b++)
        memcpy(to->buffers[b].integers, from->buffers[b].integers,
               from->buffers[b].count * sizeof *from->buffers[b].integers);
}

static RealRun open_run(Repair *r, const TirFunction *function, const RepairLaunch *launch, RealMemory *memory) {
    RealRun run = {.function = function,
                   .arguments = launch->arguments,
                   .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                   .memory = memory,
                   .scratch = &r->scratch,
                   .budget = REPAIR_BUDGET};
    return run;
}

static const char *describe_failure(const Repair *r, const RealRun *run) {
    const TirOp *op = run->failed;
    return arena_format(r->arena, "%s, line %u: %s", op ? tir_op_name(op) : "kernel", op ? op->at.line : 0,
                        run->problem ? run->problem : "cannot be run");
}

// Runs all blocks of a launch, one after the other. `costs`: NULL, or for each block what it computes.
static bool run_launch(const Repair *r, RealRun *run, uint64_t *costs, const char **problem) {
    uint32_t block = 0;
    real_open(run);
    for (uint32_t z = 0; z < run->grid[2]; z++)
        for (uint32_t y = 0; y < run->grid[1]; y++)
            for (uint32_t x = 0; x < run->grid[0]; x++) {
                const uint64_t before = run->budget;
                if (!real_block(run, x, y, z)) {
                    *problem = describe_failure(r, run);
                    return false;
                }
                if (costs) costs[block] = before - run->budget;
                if (run->memory->trace) run->memory->trace->block++;
                block++;
            }
    return true;
}

static bool run_reference(Repair *r, const char **problem) {
    open_memory(r, &r->reference);
    fill_memory(r, &r->reference);
    r->numbers->all = malloc(NUMBERS_MAX * sizeof *r->numbers->all);
    if (!r->numbers->all) abort();
    for (uint32_t i = 0; i < r->variants[0].launch_count; i++) {
        RealRun run =
            open_run(r, repair_function(&r->variants[0].launches[i]), &r->variants[0].launches[i], &r->reference);
        run.tap = keep_numbers;
        run.context = r->numbers;
        if (!run_launch(r, &run, NULL, problem)) return false;
    }
    qsort(r->numbers->all, r->numbers->count, sizeof *r->numbers->all, compare_numbers);
    return true;
}

static uint64_t blocks_of(const RepairLaunch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static void open_trace(Repair *r, RealMemory *memory) {
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++) {
        r->sites[i].first_block = (uint32_t)blocks;
        blocks += blocks_of(&r->variants[1].launches[i]);
        if (blocks > BLOCKS_MAX) return;
    }
    r->trace.block_count = (uint32_t)blocks;
    r->trace.uses = arena_array(r->arena, bool, blocks *blocks + 1);
    r->trace.writers = arena_array(r->arena, uint32_t *, r->buffer_count + 1u);
    for (uint32_t b = 0; b < r->buffer_count; b++)
        r->trace.writers[b] = arena_array(r->arena, uint32_t, r->buffers[b].elements + 1u);
    r->block_costs = arena_array(r->arena, uint64_t, blocks + 1);
    memory->trace = &r->trace;
}

static bool run_variant(Repair *r, RealMemory *memory, const char **problem) {
    open_trace(r, memory);
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++) {
        RepairSite *site = &r->sites[i];
        copy_memory(r, memory, &site->before);
        RealRun run = open_run(r, site->function, &r->variants[1].launches[i], memory);
        if (!run_launch(r, &run, r->block_costs ? r->block_costs + site->first_block : NULL, problem)) return false;
        site->cost = REPAIR_BUDGET - run.budget;
    }
    return true;
}

// ---- where they differ ----------------------------------------------------------------------------------------------

static double scale_of(const RealBuffer *buffer) {
    double sum = 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < buffer->count; i++) {
        if (!isfinite(buffer->floats[i])) continue;
        sum += buffer->floats[i] * buffer->floats[i];
        count++;
    }
    return count ? sqrt(sum / (double)count) : 0;
}

static bool is_right(const Repair *r, const RealMemory *memory, uint32_t b, uint64_t i) {
    const RealBuffer *is = &memory->buffers[b], *right = &r->reference.buffers[b];
    return tir_type_rows[is->kind].class == TIR_CLASS_FLOAT
               ? real_close(is->floats[i], right->floats[i], r->relative, r->scales[b])
               : is->integers[i] == right->integers[i];
}

static void count_wrong(Repair *r, const RealMemory *memory) {
    r->wrong = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++)
        for (uint64_t i = 0; r->buffers[b].compared && i < r->buffers[b].elements; i++) {
            r->is_wrong[b][i] = !is_right(r, memory, b, i);
            r->wrong += r->is_wrong[b][i];
        }
}

static void compare_memory(Repair *r, const RealMemory *memory) {
    static const double tolerances[] = {1e-6, 1e-8, 1e-10};
    r->scales = arena_array(r->arena, double, r->buffer_count + 1u);
    r->expected = arena_array(r->arena, RealBuffer, r->buffer_count + 1u);
    r->is_wrong = arena_array(r->arena, bool *, r->buffer_count + 1u);
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        if (!r->buffers[b].compared) continue;
        r->expected[b] = r->reference.buffers[b];
        r->is_wrong[b] = arena_array(r->arena, bool, r->buffers[b].elements + 1u);
        if (element_is_float(r->buffers[b].type)) r->scales[b] = scale_of(&r->reference.buffers[b]);
    }
    for (size_t t = 0; t < BASE_COUNT(tolerances) && !r->wrong; t++) {
        r->relative = tolerances[t];
        count_wrong(r, memory);
    }
}

// Whether the journal stores to an element of a compared buffer twice.
static bool stores_twice(const Repair *r, const RealMemory *memory) {
    bool twice = false;
    for (uint32_t b = 0; b < r->buffer_count && !twice; b++) {
        if (!r->buffers[b].compared) continue;
        bool *stored = calloc(r->buffers[b].elements + 1u, sizeof *stored);
        if (!stored) abort();
        for (size_t c = 0; c < memory->change_count && !twice; c++) {
            if (memory->changes[c].buffer != b) continue;
            twice = stored[memory->changes[c].index];
            stored[memory->changes[c].index] = true;
        }
        free(stored);
    }
    return twice;
}

// ---- the slice ------------------------------------------------------------------------------------------------------

// Marks a block and all that it needs. Blocks only need earlier ones, so one pass from the last to the first is enough.
static uint64_t mark_needed(const Repair *r, uint32_t block, bool *needed) {
    const uint32_t count = r->trace.block_count;
    uint64_t cost = 0;
    memset(needed, 0, count * sizeof *needed);
    needed[block] = true;
    for (uint32_t b = block + 1; b-- > 0;) {
        if (!needed[b]) continue;
        cost += r->block_costs[b];
        for (uint32_t k = 0; k < b; k++) needed[k] |= r->trace.uses[(size_t)b * count + k];
    }
    return cost;
}

static uint32_t launch_of(const Repair *r, uint32_t block) {
    uint32_t launch = r->variants[1].launch_count - 1;
    while (launch && r->sites[launch].first_block > block) launch--;
    return launch;
}

// The block whose wrong elements are had for the least work, of the last launch that leaves any; false: nobody stored
// what is wrong.
static bool choose_block(const Repair *r, bool *needed, uint32_t *chosen) {
    bool *seen = calloc(r->trace.block_count + 1u, sizeof *seen), found = false;
    if (!seen) abort();
    uint64_t least = 0;
    uint32_t last = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++)
        for (uint64_t i = 0; r->buffers[b].compared && i < r->buffers[b].elements; i++) {
            const uint32_t writer = r->trace.writers[b][i];
            if (!r->is_wrong[b][i] || !writer || seen[writer - 1]) continue;
            seen[writer - 1] = true;
            const uint64_t cost = mark_needed(r, writer - 1, needed);
            const uint32_t launch = launch_of(r, writer - 1);
            if (found && (launch < last || (launch == last && cost >= least))) continue;
            found = true;
            last = launch;
            least = cost;
            *chosen = writer - 1;
        }
    free(seen);
    return found;
}

static void keep_elements(Repair *r, uint32_t block) {
    size_t capacity = 0;
    for (int wrong = 1; wrong >= 0; wrong--)
        for (uint32_t b = 0; b < r->buffer_count; b++)
            for (uint64_t i = 0; r->buffers[b].compared && i < r->buffers[b].elements; i++) {
                if (r->trace.writers[b][i] != block + 1 || r->is_wrong[b][i] != wrong) continue;
                r->slice_elements = arena_grow(r->arena, r->slice_elements, r->slice_element_count, &capacity,
                                               sizeof *r->slice_elements);
                r->slice_elements[r->slice_element_count++] = (RepairElement){b, i};
            }
}

// The values of the launch's only block in the slice.
static void keep_values(Repair *r, uint32_t launch, const RepairBlock *block) {
    RepairSite *site = &r->sites[launch];
    RealRun run = open_run(r, site->function, &r->variants[1].launches[launch], &site->before);
    run.scratch = &site->scratch;
    run.keep = true;
    real_open(&run);
    if (real_block(&run, block->block[0], block->block[1], block->block[2])) {
        site->known = run.values;
        site->known_count = run.function->value_count;
    }
    real_undo(&site->before, 0);
}

static void find_slice(Repair *r) {
    bool *needed = arena_array(r->arena, bool, r->trace.block_count + 1u);
    uint32_t chosen;
    if (!r->trace.writers || !choose_block(r, needed, &chosen)) return;
    r->slice_cost = mark_needed(r, chosen, needed);
    r->slice = arena_array(r->arena, RepairBlock, r->trace.block_count + 1u);
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++) {
        RepairSite *site = &r->sites[i];
        const uint32_t *grid = r->variants[1].launches[i].grid;
        const uint32_t before = r->slice_count, blocks = (uint32_t)blocks_of(&r->variants[1].launches[i]);
        site->first_slice = before;
        for (uint32_t k = 0; k < blocks; k++)
            if (needed[site->first_block + k])
                r->slice[r->slice_count++] =
                    (RepairBlock){i, {k % grid[0], k / grid[0] % grid[1], k / grid[0] / grid[1]}};
        site->in_slice = r->slice_count > before;
        if (r->slice_count == before + 1) keep_values(r, i, &r->slice[before]);
    }
    keep_elements(r, chosen);
}

// ---- taps -----------------------------------------------------------------------------------------------------------

static void tap_launch(Repair *r, uint32_t launch) {
    const TirFunction *function = r->sites[launch].function;
    const char *ignored;
    Tapping tapping = {r, launch, arena_array(r->arena, RepairTap *, function->op_count + 1u)};
    const uint32_t first = r->tap_count;
    for (const TirOp *op = tir_first_op(&function->body); op; op = tir_next_op(&function->body, op)) {
        r->taps = arena_grow(r->arena, r->taps, r->tap_count, &r->tap_capacity, sizeof *r->taps);
        r->taps[r->tap_count++] = (RepairTap){.launch = launch,
                                              .op = op->number,
                                              .constant = op->kind == TIR_OP_constant,
                                              .name = tir_op_name(op),
                                              .at = op->at};
    }
    r->sites[launch].first_tap = first;
    for (uint32_t t = first; t < r->tap_count; t++) tapping.by_op[r->taps[t].op] = &r->taps[t];
    RealRun run = open_run(r, function, &r->variants[1].launches[launch], &r->sites[launch].before);
    run.tap = count_found;
    run.context = &tapping;
    run_launch(r, &run, NULL, &ignored);
    real_undo(&r->sites[launch].before, 0);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static const char *refuse(const Repair *r) {
    uint64_t elements = 0;
    for (uint32_t b = 0; b < r->buffer_count; b++) {
        const ElementInfo *info = element_info(r->buffers[b].type);
        if (kind_of(r->buffers[b].type) == TIR_TYPE_COUNT || info->storage_bits < 8) return "a buffer of such a type";
        elements += r->buffers[b].elements;
    }
    if (elements * (r->variants[1].launch_count + 3u) > ELEMENTS_MAX) return "buffers are too large";
    for (int v = 0; v < 2; v++)
        for (uint32_t i = 0; i < r->variants[v].launch_count; i++) {
            const RepairLaunch *launch = &r->variants[v].launches[i];
            if (launch->program->form != PROGRAM_TILES) return "a kernel that is not Tile IR";
            if (!repair_function(launch)) return "a kernel that is not there";
            if (launch->program->kernels[launch->kernel].has_parts) return "a kernel whose blocks have parts";
            if (launch->program->global_count) return "a module with globals";
        }
    return NULL;
}

// Launches of one kernel have one copy of it.
static bool open_site(Repair *r, uint32_t number, const char **problem) {
    const RepairLaunch *launch = &r->variants[1].launches[number];
    RepairSite *site = &r->sites[number];
    uint32_t alike = 0;
    while (r->variants[1].launches[alike].program != launch->program ||
           r->variants[1].launches[alike].kernel != launch->kernel)
        alike++;
    site->alike = alike;
    site->module = alike < number ? r->sites[alike].module : repair_sink(module_of(launch));
    if (!site->module) {
        *problem = "a module that cannot be copied";
        return false;
    }
    site->function = function_in(site->module, launch->kernel);
    site->ops = arena_array(r->arena, const TirOp *, site->function->op_count + 1u);
    for (const TirOp *op = tir_first_op(&site->function->body); op; op = tir_next_op(&site->function->body, op))
        site->ops[op->number] = op;
    return true;
}

static bool open_all(Repair *r, const char **problem) {
    r->numbers = arena_new(r->arena, struct RepairNumbers);
    r->sites = arena_array(r->arena, RepairSite, r->variants[1].launch_count + 1u);
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++)
        if (!open_site(r, i, problem)) return false;
    if (!run_reference(r, problem)) return false;
    open_memory(r, &r->left);
    fill_memory(r, &r->left);
    if (!run_variant(r, &r->left, problem)) return false;
    r->stored_once = !stores_twice(r, &r->left);
    compare_memory(r, &r->left);
    find_slice(r);
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++) tap_launch(r, i);
    return true;
}

Repair *repair_open(Arena *arena, uint32_t buffer_count, const RepairBuffer *buffers, const RepairVariant variants[2],
                    const char **problem) {
    Repair *r = arena_new(arena, Repair);
    *r = (Repair){
        .arena = arena, .buffer_count = buffer_count, .buffers = buffers, .variants = {variants[0], variants[1]}};
    *problem = refuse(r);
    if (!*problem && open_all(r, problem)) return r;
    repair_close(r);
    return NULL;
}

void repair_close(Repair *r) {
    if (!r) return;
    for (uint32_t i = 0; r->sites && i < r->variants[1].launch_count; i++) {
        if (r->sites[i].alike == i) tir_module_close(r->sites[i].module);
        real_memory_close(&r->sites[i].before);
        real_scratch_close(&r->sites[i].scratch);
    }
    real_memory_close(&r->reference);
    real_memory_close(&r->left);
    real_scratch_close(&r->scratch);
    if (r->numbers) free(r->numbers->all);
}

uint64_t repair_wrong_count(const Repair *repair) {
    return repair->wrong;
}

const RepairTap *repair_taps(const Repair *repair, uint32_t *count) {
    *count = repair->tap_count;
    return repair->taps;
}

uint64_t repair_trial_count(const Repair *repair) {
    return repair->trials;
}

uint64_t repair_listed_count(const Repair *repair) {
    return repair->listed;
}
