// SPDX-License-Identifier: Apache-2.0
// Trying edits: first in one block that stores wrong elements, then in all launches from there on.
#include "compiler/repair/repair_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLACK = 100000, SECANT_STEPS = 8, MARGIN = 12 };

// ---- one trial ------------------------------------------------------------------------------------------------------

// What is run for an edit: a launch with another kernel, other arguments or another grid.
typedef struct Trial {
    Repair *repair;
    const RepairEdit *edit;
    RepairSite *site;
    TirModule *module; // the edited copy; NULL: of a launch
    const TirFunction *function;
    const TirOp *first; // from here on results may be others; NULL: from the start
    RepairLaunch launch;
} Trial;

static bool writes_before(const TirFunction *function, const TirOp *first) {
    for (const TirOp *op = tir_first_op(&function->body); op && op != first; op = tir_next_op(&function->body, op))
        if (tir_op_does(op, TIR_WRITES)) return true;
    return false;
}

static void edit_launch(const Repair *r, const RepairEdit *edit, RepairLaunch *launch) {
    RealArgument *arguments = arena_array(r->arena, RealArgument, launch->argument_count + 1u);
    memcpy(arguments, launch->arguments, launch->argument_count * sizeof *arguments);
    if (edit->kind == REPAIR_launch_grid)
        launch->grid[edit->operand] = (uint32_t)edit->bits;
    else if (edit->kind == REPAIR_launch_swap) {
        arguments[edit->operand].buffer = launch->arguments[edit->dimension].buffer;
        arguments[edit->operand].offset = launch->arguments[edit->dimension].offset;
        arguments[edit->dimension].buffer = launch->arguments[edit->operand].buffer;
        arguments[edit->dimension].offset = launch->arguments[edit->operand].offset;
    } else if (edit->kind == REPAIR_launch_buffer)
        arguments[edit->operand].buffer = (uint32_t)edit->bits;
    else
        arguments[edit->operand].bits = edit->bits;
    launch->arguments = arguments;
}

static bool open_trial(Repair *r, const RepairEdit *edit, Trial *t) {
    *t = (Trial){
        .repair = r, .edit = edit, .site = &r->sites[edit->launch], .launch = r->variants[1].launches[edit->launch]};
    t->function = t->site->function;
    if (repair_is_of_launch(edit)) {
        edit_launch(r, edit, &t->launch);
        return true;
    }
    t->module = repair_prepare(r, edit) ? repair_apply(r, edit, &t->function, &t->first) : NULL;
    if (t->module && (!t->site->known || writes_before(t->function, t->first))) t->first = NULL;
    return t->module != NULL;
}

static void close_trial(Trial *t) {
    tir_module_close(t->module);
}

static RealRun open_run(const Trial *t, uint64_t budget, bool check) {
    Repair *r = t->repair;
    return (RealRun){.function = t->function,
                     .arguments = t->launch.arguments,
                     .grid = {t->launch.grid[0], t->launch.grid[1], t->launch.grid[2]},
                     .memory = &t->site->before,
                     .scratch = &r->scratch,
                     .budget = budget,
                     .expected = check && r->stored_once ? r->expected : NULL,
                     .relative = r->relative,
                     .scales = r->scales};
}

// Whether the launch runs the edited kernel.
static bool is_alike(const Trial *t, uint32_t launch) {
    return t->module && t->repair->sites[launch].alike == t->edit->launch;
}

// The blocks of the slice, from the edited launch on.
static bool run_slice(const Trial *t, bool check) {
    Repair *r = t->repair;
    uint32_t launch = UINT32_MAX;
    Trial at = *t;
    RealRun run;
    for (uint32_t i = t->site->first_slice; i < r->slice_count; i++) {
        const RepairBlock *block = &r->slice[i];
        const bool edited = block->launch == t->edit->launch;
        const bool alike = is_alike(t, block->launch);
        if (block->launch != launch) {
            launch = block->launch;
            if (!edited) {
                at.launch = r->variants[1].launches[launch];
                at.function = alike ? t->function : r->sites[launch].function;
            }
            run = open_run(&at, 4 * r->slice_cost + SLACK, check);
            real_open(&run);
        }
        if (edited && t->first ? !real_resume(&run, t->site->known, t->site->known_count, t->first, block->block)
                               : !real_block(&run, block->block[0], block->block[1], block->block[2]))
            return false;
    }
    return true;
}

bool repair_run_blocks(RealRun *run) {
    real_open(run);
    for (uint32_t z = 0; z < run->grid[2]; z++)
        for (uint32_t y = 0; y < run->grid[1]; y++)
            for (uint32_t x = 0; x < run->grid[0]; x++)
                if (!real_block(run, x, y, z)) return false;
    return true;
}

static bool run_all(const Trial *t, bool check) {
    const Repair *r = t->repair;
    RealRun run = open_run(t, 4 * t->site->cost + SLACK, check);
    bool good = repair_run_blocks(&run);
    for (uint32_t i = t->edit->launch + 1; good && i < r->variants[1].launch_count; i++) {
        Trial later = *t;
        later.launch = r->variants[1].launches[i];
        later.function = is_alike(t, i) ? t->function : r->sites[i].function;
        run = open_run(&later, 4 * r->sites[i].cost + SLACK, check);
        good = repair_run_blocks(&run);
    }
    return good;
}

static bool is_right(const Repair *r, const RealMemory *memory, uint32_t b, uint64_t i) {
    const RealBuffer *is = &memory->buffers[b], *right = &r->expected[b];
    return tir_type_rows[is->kind].class == TIR_CLASS_FLOAT
               ? real_close(is->floats[i], right->floats[i], r->relative, r->scales[b])
               : is->integers[i] == right->integers[i];
}

static bool all_right(const Repair *r, const RealMemory *memory) {
    for (uint32_t b = 0; b < r->buffer_count; b++)
        for (uint64_t i = 0; r->buffers[b].compared && i < r->buffers[b].elements; i++)
            if (!is_right(r, memory, b, i)) return false;
    return true;
}

static bool tries_slice(const Trial *t) {
    return t->repair->slice_count && t->edit->kind != REPAIR_launch_grid;
}

static bool slice_right(const Trial *t) {
    const Repair *r = t->repair;
    RealMemory *memory = &t->site->before;
    bool depends = false; // what is wrong, on the kernel
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++)
        depends |= r->sites[i].in_slice && (i == t->edit->launch || is_alike(t, i));
    if (!depends) return false;
    bool good = run_slice(t, true);
    for (uint32_t i = 0; good && i < r->slice_element_count; i++)
        good = is_right(r, memory, r->slice_elements[i].buffer, r->slice_elements[i].index);
    real_undo(memory, 0);
    return good;
}

// Whether the edit makes all results equal.
static bool try_edit(Repair *r, const RepairEdit *edit) {
    Trial t;
    r->trials++;
    if (!open_trial(r, edit, &t)) return false;
    bool good = !tries_slice(&t) || slice_right(&t);
    if (good) {
        good = run_all(&t, true) && all_right(r, &t.site->before);
        real_undo(&t.site->before, 0);
    }
    close_trial(&t);
    return good;
}

// ---- numbers that are found -----------------------------------------------------------------------------------------

static bool takes_number(const RepairEdit *edit) {
    return edit->kind == REPAIR_scale || edit->kind == REPAIR_shift || edit->kind == REPAIR_launch_number ||
           (edit->kind == REPAIR_constant_number && isnan(edit->number));
}

// The wrong element when the edit has this number; NAN: that cannot be run.
static double result_at(Repair *r, RepairEdit *edit, double number, ElementType type) {
    Trial t;
    RealMemory *memory;
    double result = NAN;
    edit->number = number;
    if (edit->kind == REPAIR_launch_number) edit->bits = fpsan_encode_nearest(element_format(type), number);
    r->trials++;
    if (!open_trial(r, edit, &t)) return NAN;
    memory = &t.site->before;
    if (tries_slice(&t) ? run_slice(&t, false) : run_all(&t, false))
        result = memory->buffers[r->slice_elements[0].buffer].floats[r->slice_elements[0].index];
    real_undo(memory, 0);
    close_trial(&t);
    return result;
}

static bool near(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// The number that was meant: a small fraction, alone or times a known constant or a root, or a short decimal.
static bool recognise(double number, double *meant) {
    static const double factors[] = {1,
                                     1.4426950408889634,
                                     0.6931471805599453,
                                     3.141592653589793,
                                     0.7978845608028654,
                                     1.4142135623730951,
                                     1.7320508075688772};
    for (size_t f = 0; f < BASE_COUNT(factors); f++)
        for (int inverse = 0; inverse < 2; inverse++)
            for (int denominator = 1; denominator <= 128; denominator++) {
                const double factor = inverse ? 1 / factors[f] : factors[f];
                const double numerator = nearbyint(number / factor * denominator);
                *meant = factor * numerator / denominator;
                if (fabs(numerator) <= 4096 && numerator != 0 && near(number, *meant, 1e-6)) return true;
            }
    for (int n = 2; n <= 1024; n++)
        for (int inverse = 0; inverse < 2; inverse++) {
            *meant = copysign(inverse ? 1 / sqrt(n) : sqrt(n), number);
            if (near(number, *meant, 1e-6)) return true;
            *meant *= 1.4426950408889634;
            if (near(number, *meant, 1e-6)) return true;
        }
    for (int power = 0; power <= 12; power++) {
        const double unit = pow(10, power);
        *meant = nearbyint(number * unit) / unit;
        if (fabs(*meant) * unit < 1e5 && *meant != 0 && near(number, *meant, 1e-6)) return true;
    }
    return false;
}

static double begin_with(const Repair *r, const RepairEdit *edit) {
    const RepairSite *site = &r->sites[edit->launch];
    if (edit->kind == REPAIR_scale) return 1;
    if (edit->kind == REPAIR_shift) return 0;
    if (edit->kind == REPAIR_launch_number) {
        const TirType type = tir_value_type(site->function, site->function->body.first->first_argument + edit->operand);
        return fpsan_decode(tir_float_format(tir_tile_element_kind(site->module, type)),
                            r->variants[1].launches[edit->launch].arguments[edit->operand].bits);
    }
    const TirOp *op = site->ops[edit->op];
    const TirType type = tir_value_type(site->function, op->first_result);
    const TirTypeKind kind = tir_tile_element_kind(site->module, type);
    uint64_t bits = tir_constant_bits(site->module, type, &tir_attribute(op, "value")->constant, 0);
    if (kind == TIR_TYPE_tf32) bits <<= 13;
    return fpsan_decode(tir_float_format(kind), bits);
}

// Looks for the number with which the wrong element is right, by secants.
static bool solve(Repair *r, RepairEdit *edit) {
    const RepairSite *site = &r->sites[edit->launch];
    if (!r->slice_count) return false;
    const RepairElement *element = &r->slice_elements[0];
    const RealBuffer *right = &r->expected[element->buffer];
    ElementType type = ELEMENT_F32;
    if (edit->kind == REPAIR_launch_number)
        type =
            tir_type_rows[tir_tile_element_kind(
                              site->module, tir_value_type(site->function,
                                                           site->function->body.first->first_argument + edit->operand))]
                .element;
    if (!right->count || tir_type_rows[right->kind].class != TIR_CLASS_FLOAT) return false;
    const double target = right->floats[element->index];
    double x0 = begin_with(r, edit);
    if (!isfinite(x0) || !isfinite(target)) return false;
    double x1 = x0 != 0 ? x0 * 1.0625 : 0.0625, f0 = result_at(r, edit, x0, type), f1 = result_at(r, edit, x1, type);
    for (int step = 0; step < SECANT_STEPS; step++) {
        if (!isfinite(f0) || !isfinite(f1)) return false;
        if (fabs(f1 - target) <= 1e-12 * fabs(target)) break;
        if (f1 == f0) {
            if (step) break; // as near as it gets
            return false;    // the number does not matter
        }
        const double next = x1 - (f1 - target) * (x1 - x0) / (f1 - f0);
        if (!isfinite(next) || fabs(next) > 1e9) return false;
        x0 = x1, f0 = f1, x1 = next;
        f1 = result_at(r, edit, x1, type);
    }
    if (!near(f1, target, 1e-6) || !recognise(x1, &edit->number)) return false;
    if (edit->kind == REPAIR_launch_number) edit->bits = fpsan_encode_nearest(element_format(type), edit->number);
    return try_edit(r, edit);
}

// ---- edits of launches ----------------------------------------------------------------------------------------------

static void add(Repair *r, RepairList *list, RepairEdit edit) {
    list->edits = arena_grow(r->arena, list->edits, list->count, &list->capacity, sizeof *list->edits);
    list->edits[list->count++] = edit;
}

static void list_argument(Repair *r, uint32_t launch, uint32_t p, RepairList *list) {
    const RepairLaunch *of = &r->variants[1].launches[launch];
    const TirFunction *function = r->sites[launch].function;
    const TirType type = tir_value_type(function, function->body.first->first_argument + p);
    const TirTypeKind kind = tir_tile_element_kind(function->module, type);
    RepairEdit edit = {.kind = REPAIR_launch_number, .launch = launch, .operand = p};
    if (of->arguments[p].pointer) {
        const RepairBuffer *is = &r->buffers[of->arguments[p].buffer];
        edit.kind = REPAIR_launch_swap;
        for (uint32_t q = p + 1; q < of->argument_count; q++) {
            edit.dimension = q;
            if (of->arguments[q].pointer && r->buffers[of->arguments[q].buffer].type == is->type &&
                (of->arguments[q].buffer != of->arguments[p].buffer ||
                 of->arguments[q].offset != of->arguments[p].offset))
                add(r, list, edit);
        }
        edit.kind = REPAIR_launch_buffer;
        for (uint32_t b = 0; b < r->buffer_count; b++) {
            edit.bits = b;
            if (b != of->arguments[p].buffer && r->buffers[b].type == is->type &&
                r->buffers[b].elements == is->elements)
                add(r, list, edit);
        }
    } else if (tir_type_rows[kind].class == TIR_CLASS_FLOAT) {
        add(r, list, edit);
    } else {
        const int64_t value = (int32_t)of->arguments[p].bits, others[] = {value + 1, value - 1, 2 * value, value / 2};
        edit.kind = REPAIR_launch_integer;
        for (size_t i = 0; i < BASE_COUNT(others); i++) {
            edit.bits = (uint64_t)others[i];
            add(r, list, edit);
        }
    }
}

static void list_launch(Repair *r, uint32_t launch, RepairList *list) {
    const RepairLaunch *of = &r->variants[1].launches[launch];
    for (uint32_t p = 0; p < of->argument_count; p++) list_argument(r, launch, p, list);
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t sizes[] = {of->grid[d] + 1, of->grid[d] - 1, 2 * of->grid[d], of->grid[d] / 2};
        for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
            RepairEdit edit = {.kind = REPAIR_launch_grid, .launch = launch, .operand = d, .bits = sizes[i]};
            if (sizes[i] && sizes[i] != of->grid[d]) add(r, list, edit);
        }
    }
}

// ---- the search -----------------------------------------------------------------------------------------------------

static TirType element_of(const RepairSite *site, TirValue value) {
    return tir_type(site->module, tir_value_type(site->function, value))->element;
}

// Whether the value is a constant or a parameter, in any shape.
static bool is_given(const TirFunction *function, TirValue value) {
    const TirValueInfo *info = tir_value(function, value);
    while (info->definition && (info->definition->kind == TIR_OP_broadcast ||
                                info->definition->kind == TIR_OP_reshape || info->definition->kind == TIR_OP_assume))
        info = tir_value(function, info->definition->operands[0]);
    return info->definition ? info->definition->kind == TIR_OP_constant : !info->block->region->owner;
}

// The cheaper, the likelier. Ops whose values occur in the first variant are hardly the bug, and neither are constants
// in place of what is computed.
static unsigned price(const Repair *r, const RepairEdit *edit) {
    unsigned cost = repair_cost(edit->kind);
    if (repair_is_of_launch(edit)) return cost;
    const RepairSite *site = &r->sites[edit->launch];
    const RepairTap *tap = &r->taps[site->first_tap + edit->op];
    if (tap->count >= 8 && tap->found * 10 >= tap->count * 9) cost += 15;
    if (edit->kind == REPAIR_operand) {
        if (is_given(site->function, edit->value))
            cost += tir_type_is_float(site->module, element_of(site, edit->value)) ? 18 : 8;
    }
    return cost;
}

typedef struct Priced {
    unsigned price;
    size_t index;
} Priced;

static int compare_prices(const void *a, const void *b) {
    const Priced *x = a, *y = b;
    if (x->price != y->price) return x->price < y->price ? -1 : 1;
    return x->index < y->index ? 1 : -1; // later ops first: they are nearer to what is stored
}

// The line of an edit: of what is handed to another iteration, or out of a region, the line that made it.
static void place_edits(const Repair *r, RepairList *list) {
    for (size_t i = 0; i < list->count; i++) {
        RepairEdit *edit = &list->edits[i];
        if (repair_is_of_launch(edit)) continue;
        const TirFunction *function = r->sites[edit->launch].function;
        const TirOp *op = r->sites[edit->launch].ops[edit->op];
        if (!tir_op_info(op->kind)->terminator || edit->operand >= op->operand_count) continue;
        const TirOp *maker = tir_value(function, op->operands[edit->operand])->definition;
        if (maker) edit->at = maker->at;
    }
}

static bool same_place(const RepairEdit *a, const RepairEdit *b) {
    if (repair_is_of_launch(a) || repair_is_of_launch(b)) return a->launch == b->launch && a->kind == b->kind;
    return a->at.line == b->at.line && a->at.file && b->at.file && !strcmp(a->at.file, b->at.file);
}

static uint32_t count_places(const RepairList *found) {
    uint32_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        bool known = false;
        for (size_t k = 0; k < i; k++) known |= same_place(&found->edits[i], &found->edits[k]);
        count += !known;
    }
    return count;
}

const RepairEdit *repair_search(Repair *r, const RepairOptions *options, uint32_t *count) {
    RepairList list = {0}, found = {0};
    const double until = clock_thread_seconds() + options->seconds;
    for (uint32_t i = 0; i < r->variants[1].launch_count; i++) {
        list_launch(r, i, &list);
        if (r->sites[i].alike == i) repair_list(r, i, &list);
    }
    unsigned cheapest = 0;
    r->listed = list.count;
    place_edits(r, &list);
    Priced *order = arena_array(r->arena, Priced, list.count + 1u);
    for (size_t i = 0; i < list.count; i++) order[i] = (Priced){price(r, &list.edits[i]), i};
    qsort(order, list.count, sizeof *order, compare_prices);
    for (size_t i = 0; i < list.count && clock_thread_seconds() < until; i++) {
        RepairEdit *edit = &list.edits[order[i].index];
        if (found.count && order[i].price > cheapest + MARGIN) break;
        if (takes_number(edit) ? !solve(r, edit) : !try_edit(r, edit)) continue;
        if (!found.count) cheapest = order[i].price;
        add(r, &found, *edit);
        if (count_places(&found) >= options->most) break;
    }
    *count = (uint32_t)found.count;
    return found.edits;
}

// ---- what is found --------------------------------------------------------------------------------------------------

// Written and read once more, so that the program is one of its own.
static const Program *program_of(const TirModule *module) {
    Diagnostics ignored = {0};
    TirModule *own = tir_verify(&ignored, module) ? repair_copy(module) : NULL;
    const Program *program = own && tir_verify(&ignored, own) ? tir_program(own) : NULL;
    if (!program) tir_module_close(own);
    diagnostics_close(&ignored);
    return program;
}

const Program *repair_program(const Repair *repair, const RepairEdit *edit) {
    const TirFunction *function;
    const TirOp *first;
    if (repair_is_of_launch(edit) || !repair_prepare(repair, edit)) return NULL;
    TirModule *module = repair_apply(repair, edit, &function, &first);
    if (!module) return NULL;
    tir_number_ops(module);
    const Program *program = program_of(module);
    tir_module_close(module);
    return program;
}
