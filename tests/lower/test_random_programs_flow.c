// SPDX-License-Identifier: Apache-2.0
// Random programs: statements, control flow, whole programs. Bodies see the values around them; loops run a few times.
#include "tests/lower/programs.h"

#include <string.h>

enum { DEPTH_MAX = 3, TRIPS_MAX = 4, TRIPS_ALL_MAX = 24 };

static void statements(RandomProgram *p, int count);

// ---- values that blocks pass on -------------------------------------------------------------------------------------

static TirType likely_type(RandomProgram *p) {
    if (program_chance(p, 75)) return program_type(p, p->values[program_roll(p, p->value_count)]);
    ProgramShape shape = program_likely_shape(p);
    return program_tile(p, p->kinds[program_roll(p, BASE_COUNT(p->kinds))], &shape);
}

// A value for a loop to carry on: often another carried one, or one made in the body.
static TirValue carry_on(RandomProgram *p, const ProgramLoop *loop, TirType type) {
    TirValue found[32];
    uint32_t count = 0;
    for (uint32_t i = loop->visible; i < p->value_count && count < 32; i++)
        if (program_type(p, p->values[i]) == type) found[count++] = p->values[i];
    if (!count || program_chance(p, 20)) return program_want(p, type);
    TirValue value = found[program_roll(p, count)];
    return p->used[value] ? found[program_roll(p, count)] : value;
}

static TirValue next_count(RandomProgram *p, TirValue counter) {
    TirValue one = program_splat(p, program_type(p, counter), 1);
    return program_binary(p, TIR_OP_addi, counter, one);
}

// Stores some of what nothing uses, so that what was computed is looked at, and a little more.
static void store_unused(RandomProgram *p, uint32_t first, unsigned count) {
    for (uint32_t i = p->value_count; i-- > first && count > 0;) {
        TirValue value = p->values[i];
        if (program_info(p, value)->kind != TIR_TYPE_tile || program_kind(p, value) == TIR_TYPE_ptr) continue;
        if (p->used[value] && program_chance(p, 80)) continue;
        uint32_t visible = p->value_count;
        program_store(p, value);
        p->value_count = visible;
        count--;
    }
}

static void end_with_continue(RandomProgram *p, const ProgramLoop *loop, bool at_end) {
    TirValue values[PROGRAM_CARRIED_MAX + 1];
    for (uint32_t i = 0; i < loop->carried_count; i++) {
        bool counts = !loop->is_for && i == 0, given = at_end && loop->next[i] != TIR_NO_VALUE;
        values[i] = counts ? next_count(p, loop->counter) : given ? loop->next[i] : carry_on(p, loop, loop->carried[i]);
    }
    program_op(p, TIR_OP_continue, 0, NULL, loop->carried_count, values, NULL);
}

static void end_with_break(RandomProgram *p, const ProgramLoop *loop) {
    TirValue values[PROGRAM_CARRIED_MAX + 1];
    for (uint32_t i = 0; i < loop->result_count; i++) values[i] = carry_on(p, loop, loop->results[i]);
    program_op(p, TIR_OP_break, 0, NULL, loop->result_count, values, NULL);
}

static void end_with_yield(RandomProgram *p, uint32_t count, const TirType *types) {
    TirValue values[PROGRAM_CARRIED_MAX + 1];
    for (uint32_t i = 0; i < count; i++) values[i] = program_want(p, types[i]);
    program_op(p, TIR_OP_yield, 0, NULL, count, values, NULL);
}

// ---- if -------------------------------------------------------------------------------------------------------------

typedef struct Scope {
    TirBlock *block;
    uint32_t visible;
} Scope;

static Scope open_scope(RandomProgram *p, TirRegion *region, uint32_t argument_count, const TirType *arguments) {
    Scope scope = {p->block, p->value_count};
    p->block = tir_block_add(region, argument_count, arguments);
    p->depth++;
    for (uint32_t i = 0; i < argument_count; i++) program_keep(p, p->block->first_argument + i);
    return scope;
}

static void close_scope(RandomProgram *p, Scope scope) {
    p->block = scope.block;
    p->value_count = scope.visible;
    p->depth--;
}

static void branch(RandomProgram *p, TirRegion *region, uint32_t count, const TirType *types) {
    Scope scope = open_scope(p, region, 0, NULL);
    statements(p, 1 + (int)program_roll(p, 4));
    if (program_chance(p, 30)) store_unused(p, scope.visible, 1);
    const ProgramLoop *loop = p->loop;
    if (loop && loop->may_continue && program_chance(p, 12))
        end_with_continue(p, loop, false);
    else if (loop && !loop->is_for && program_chance(p, 12))
        end_with_break(p, loop);
    else if (!p->in_for && program_chance(p, 2))
        program_op(p, TIR_OP_return, 0, NULL, 0, NULL, NULL);
    else
        end_with_yield(p, count, types);
    close_scope(p, scope);
}

static void choose(RandomProgram *p) {
    TirType types[PROGRAM_CARRIED_MAX];
    TirValue condition = program_want_scalar(p, TIR_TYPE_i1);
    uint32_t count = (uint32_t)program_roll(p, 4);
    for (uint32_t i = 0; i < count; i++) types[i] = likely_type(p);
    TirOp *op = program_op(p, TIR_OP_if, count, types, 1, &condition, NULL);
    branch(p, &op->regions[0], count, types);
    if (count || program_chance(p, 50)) branch(p, &op->regions[1], count, types);
    for (uint32_t i = 0; i < count; i++) program_keep(p, tir_result(op, i));
}

// ---- for ------------------------------------------------------------------------------------------------------------

// Bounds of 0 to TRIPS_MAX trips, near the ends of the type's range too.
static bool choose_bounds(RandomProgram *p, TirTypeKind kind, uint64_t trips, TirValue *bounds) {
    unsigned bits = tir_type_rows[kind].bits;
    bool is_unsigned = program_chance(p, 30);
    __int128 lowest = is_unsigned ? 0 : -((__int128)1 << (bits - 1));
    __int128 highest = lowest + (((__int128)1 << bits) - 1), step = 1 + (__int128)program_roll(p, 9);
    if (program_chance(p, 10)) step = highest - (__int128)program_roll(p, 9), trips = trips > 1 ? 1 : trips;
    __int128 length =
        trips ? (__int128)(trips - 1) * step + 1 + (__int128)program_roll(p, (uint64_t)(step > 9 ? 9 : step)) : 0;
    __int128 lower = program_chance(p, 25)   ? lowest + (__int128)program_roll(p, 3)
                     : program_chance(p, 25) ? highest - length - (__int128)program_roll(p, 2)
                     : program_chance(p, 25)
                         ? lowest + highest / 2 - (__int128)program_roll(p, 9) // unsigned: near 2^(bits-1)
                         : (__int128)program_roll(p, 20) - (is_unsigned ? 0 : 10);
    if (lower < lowest) lower = lowest;
    if (lower + length > highest) lower = highest - length;
    __int128 upper = lower + length;
    if (!trips && program_chance(p, 50) && lower > lowest) upper = lower - 1; // below the lower bound
    bounds[0] = program_scalar(p, kind, (uint64_t)lower);
    bounds[1] = program_scalar(p, kind, (uint64_t)upper);
    bounds[2] = program_scalar(p, kind, (uint64_t)step);
    return is_unsigned;
}

static void choose_carried(RandomProgram *p, ProgramLoop *loop, uint32_t first, TirValue *inits) {
    uint32_t count = first + (uint32_t)program_roll(p, PROGRAM_CARRIED_MAX - first);
    for (uint32_t i = first; i < count; i++) {
        loop->carried[i] = i > first && program_chance(p, 40) ? loop->carried[i - 1] : likely_type(p);
        inits[i] = program_want(p, loop->carried[i]);
    }
    loop->carried_count = count;
}

static bool is_accumulator(RandomProgram *p, TirType type) {
    const TirTypeInfo *info = tir_type(p->module, type);
    if (info->kind != TIR_TYPE_tile || (info->rank != 2 && info->rank != 3)) return false;
    TirTypeKind kind = tir_tile_element_kind(p->module, type);
    return kind == TIR_TYPE_f16 || kind == TIR_TYPE_f32 || kind == TIR_TYPE_f64 || kind == TIR_TYPE_i32;
}

// A product onto a carried value, often the only thing that is carried on for it: it may be made in place. Values
// computed from the old one before are read after it.
static void carried_product(RandomProgram *p, ProgramLoop *loop, uint32_t i) {
    TirValue accumulator = loop->arguments + i;
    for (uint64_t n = program_roll(p, 3); n > 0; n--)
        program_keep(p, program_chance(p, 50) ? program_move_op_on(p, accumulator)
                                              : program_element_op_on(p, accumulator));
    if (program_chance(p, 20)) accumulator = program_want(p, loop->carried[i]);
    if (program_chance(p, 25)) accumulator = program_move_op_on(p, accumulator);
    if (program_type(p, accumulator) != loop->carried[i]) accumulator = loop->arguments + i;
    TirValue product = program_dot(p, accumulator);
    bool alone = program_chance(p, 70);
    if (alone) loop->next[i] = product;
    if (!alone || program_chance(p, 20)) program_keep(p, product);
}

// The body proper; products onto what is carried are likely.
static void fill_body(RandomProgram *p, ProgramLoop *loop) {
    statements(p, 1 + (int)program_roll(p, 4));
    for (uint32_t i = 0; i < loop->carried_count; i++) {
        if (!is_accumulator(p, loop->carried[i]) || program_chance(p, 40)) continue;
        carried_product(p, loop, i);
        if (program_chance(p, 40)) statements(p, 1);
    }
    if (program_chance(p, 40)) statements(p, (int)program_roll(p, 3));
    if (program_chance(p, 40)) store_unused(p, loop->visible, 1);
}

static void open_loop(RandomProgram *p, ProgramLoop *loop, uint64_t trips) {
    loop->outer = p->loop;
    loop->may_continue = true;
    loop->visible = p->value_count;
    for (uint32_t i = 0; i < PROGRAM_CARRIED_MAX; i++) loop->next[i] = TIR_NO_VALUE;
    p->loop = loop;
    p->trips *= trips > 1 ? (unsigned)trips : 1;
}

static void close_loop(RandomProgram *p, const ProgramLoop *loop, uint64_t trips) {
    p->loop = loop->outer;
    p->trips /= trips > 1 ? (unsigned)trips : 1;
}

static uint64_t choose_trips(RandomProgram *p) {
    uint64_t trips = program_chance(p, 10) ? 0 : 1 + program_roll(p, TRIPS_MAX);
    return trips * p->trips > TRIPS_ALL_MAX ? 1 : trips;
}

static void count_loop(RandomProgram *p) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i32, TIR_TYPE_i64, TIR_TYPE_i8, TIR_TYPE_i16};
    ProgramLoop loop = {.is_for = true};
    TirValue operands[3 + PROGRAM_CARRIED_MAX];
    uint64_t trips = choose_trips(p);
    bool was_in_for = p->in_for, is_unsigned = choose_bounds(p, kinds[program_roll(p, 4)], trips, operands);
    choose_carried(p, &loop, 0, operands + 3);
    if (loop.carried_count < PROGRAM_CARRIED_MAX && program_chance(p, 35)) {
        loop.carried[loop.carried_count] = program_accumulator_type(p);
        operands[3 + loop.carried_count] = program_want(p, loop.carried[loop.carried_count]);
        loop.carried_count++;
    }
    TirOp *op = program_op(p, TIR_OP_for, loop.carried_count, loop.carried, 3 + loop.carried_count, operands, NULL);
    if (is_unsigned) tir_op_set(op, "unsigned")->integer = 1;
    TirType arguments[1 + PROGRAM_CARRIED_MAX] = {program_type(p, operands[0])};
    memcpy(arguments + 1, loop.carried, loop.carried_count * sizeof *arguments);
    open_loop(p, &loop, trips);
    p->in_for = true;
    Scope scope = open_scope(p, &op->regions[0], 1 + loop.carried_count, arguments);
    loop.arguments = p->block->first_argument + 1;
    fill_body(p, &loop);
    end_with_continue(p, &loop, true);
    close_scope(p, scope);
    p->in_for = was_in_for;
    close_loop(p, &loop, trips);
    for (uint32_t i = 0; i < loop.carried_count; i++) program_keep(p, tir_result(op, i));
}

// ---- loop -----------------------------------------------------------------------------------------------------------

// if counter >= limit { break }
static void leave_in_time(RandomProgram *p, const ProgramLoop *loop, TirValue limit) {
    static const ProgramShape scalar = {0};
    TirValue condition =
        program_value(p, TIR_OP_cmpi, program_tile(p, TIR_TYPE_i1, &scalar), 2, (TirValue[]){loop->counter, limit});
    program_set(p, condition, "predicate", TIR_predicate_greater_than_or_equal);
    program_set(p, condition, "signedness", TIR_signedness_signed);
    TirOp *op = program_op(p, TIR_OP_if, 0, NULL, 1, &condition, NULL);
    Scope scope = open_scope(p, &op->regions[0], 0, NULL);
    if (program_chance(p, 30)) statements(p, 1);
    end_with_break(p, loop);
    close_scope(p, scope);
}

static void endless_loop(RandomProgram *p) {
    static const ProgramShape scalar = {0};
    ProgramLoop loop = {.result_count = (uint32_t)program_roll(p, 4)};
    TirValue operands[PROGRAM_CARRIED_MAX + 1];
    uint64_t trips = choose_trips(p);
    operands[0] = program_scalar(p, TIR_TYPE_i32, 0);
    loop.carried[0] = program_tile(p, TIR_TYPE_i32, &scalar);
    choose_carried(p, &loop, 1, operands);
    TirValue limit = program_scalar(p, TIR_TYPE_i32, trips);
    for (uint32_t i = 0; i < loop.result_count; i++) loop.results[i] = likely_type(p);
    TirOp *op = program_op(p, TIR_OP_loop, loop.result_count, loop.results, loop.carried_count, operands, NULL);
    open_loop(p, &loop, trips + 1);
    Scope scope = open_scope(p, &op->regions[0], loop.carried_count, loop.carried);
    loop.counter = p->block->first_argument;
    loop.arguments = p->block->first_argument;
    bool first = program_chance(p, 50);
    loop.may_continue = false; // past the limit it would go on forever
    if (first) leave_in_time(p, &loop, limit);
    loop.may_continue = first;
    fill_body(p, &loop);
    if (!first) leave_in_time(p, &loop, limit);
    if (program_chance(p, 85))
        end_with_continue(p, &loop, true);
    else
        end_with_break(p, &loop);
    close_scope(p, scope);
    close_loop(p, &loop, trips + 1);
    for (uint32_t i = 0; i < loop.result_count; i++) program_keep(p, tir_result(op, i));
}

// ---- statements -----------------------------------------------------------------------------------------------------

// Where a pointer goes on from one that is there.
static void advance(RandomProgram *p) {
    static const ProgramShape scalar = {0};
    TirTypeKind kind = p->kinds[program_roll(p, BASE_COUNT(p->kinds))];
    if (program_is_packed(kind)) return;
    TirType type = program_pointer_tile(p, kind, &scalar);
    TirValue operands[2] = {program_want(p, type), program_scalar(p, TIR_TYPE_i16, program_roll(p, 9))};
    program_keep(p, program_value(p, TIR_OP_offset, type, 2, operands));
}

static void modify_memory(RandomProgram *p) {
    TirValue old = program_atomic(p, program_pick_number(p));
    if (old != TIR_NO_VALUE) program_keep(p, old);
}

static void ask_block(RandomProgram *p) {
    static const ProgramShape scalar = {0};
    TirType i32 = program_tile(p, TIR_TYPE_i32, &scalar), types[3] = {i32, i32, i32};
    TirOpKind kind = program_chance(p, 50) ? TIR_OP_get_tile_block_id : TIR_OP_get_num_tile_blocks;
    TirOp *op = program_op(p, kind, 3, types, 0, NULL, NULL);
    for (uint32_t i = 0; i < 3; i++) program_keep(p, tir_result(op, i));
}

// Products, moved tiles, branches; loops are where what is made last meets what was carried.
static void focused_statement(RandomProgram *p) {
    uint64_t roll = program_roll(p, 100);
    bool deep = p->depth >= DEPTH_MAX;
    if (roll < 35)
        program_element_op(p);
    else if (roll < 55)
        program_move_op(p);
    else if (roll < 75)
        program_keep(p, program_dot(p, TIR_NO_VALUE));
    else if (roll < 80)
        program_store(p, program_pick_number(p));
    else if (roll < 82)
        program_aggregate(p);
    else if (deep)
        program_move_op(p);
    else if (roll < 89)
        choose(p);
    else if (roll < 97)
        count_loop(p);
    else
        endless_loop(p);
}

static void statement(RandomProgram *p) {
    uint64_t roll = program_roll(p, 100);
    bool deep = p->depth >= DEPTH_MAX;
    if (p->focused)
        focused_statement(p);
    else if (roll < 36)
        program_element_op(p);
    else if (roll < 56)
        program_move_op(p);
    else if (roll < 63)
        program_aggregate(p);
    else if (roll < 69)
        program_keep(p, program_dot(p, TIR_NO_VALUE));
    else if (roll < 75)
        program_load(p);
    else if (roll < 79)
        program_store(p, program_pick_number(p));
    else if (roll < 81)
        modify_memory(p);
    else if (roll < 83)
        advance(p);
    else if (roll < 84)
        ask_block(p);
    else if (deep)
        program_element_op(p);
    else if (roll < 90)
        choose(p);
    else if (roll < 97)
        count_loop(p);
    else
        endless_loop(p);
}

static void statements(RandomProgram *p, int count) {
    for (; count > 0 && p->budget > 0 && p->value_count < PROGRAM_VALUES_MAX / 2 &&
           p->function->value_count < PROGRAM_ALL_VALUES_MAX / 2;
         count--) {
        p->budget--;
        statement(p);
    }
}

// ---- programs -------------------------------------------------------------------------------------------------------

static void choose_focus(RandomProgram *p) {
    static const TirTypeKind accumulators[] = {TIR_TYPE_f32, TIR_TYPE_f64, TIR_TYPE_f16, TIR_TYPE_i32};
    int64_t side = (int64_t)1 << (1 + program_roll(p, 4));
    for (int i = 0; i < PROGRAM_SHAPES; i++) p->shapes[i] = (ProgramShape){.rank = 2, .sizes = {side, side}};
    p->kinds[0] = p->kinds[1] = p->kinds[2] = p->kinds[3] = accumulators[program_roll(p, 4)];
    if (p->kinds[0] == TIR_TYPE_i32) p->kinds[3] = TIR_TYPE_i8;
    if (program_chance(p, 30)) p->kinds[3] = TIR_TYPE_f16;
}

static void choose_palette(RandomProgram *p) {
    if (p->focused) {
        choose_focus(p);
        return;
    }
    for (size_t i = 0; i < BASE_COUNT(p->kinds); i++) p->kinds[i] = program_kinds[program_roll(p, PROGRAM_KINDS)];
    p->shapes[0] = program_random_shape(p, 0);
    int64_t count = program_count(&p->shapes[0]);
    p->shapes[1] = program_random_shape(p, count);
    p->shapes[2] = p->shapes[0];
    for (uint32_t d = 0; d < p->shapes[2].rank; d++)
        p->shapes[2].sizes[d] = p->shapes[0].sizes[p->shapes[0].rank - 1 - d];
    p->shapes[3] = p->shapes[0];
    if (p->shapes[3].rank) p->shapes[3].sizes[program_roll(p, p->shapes[3].rank)] = 1;
    p->shapes[4] = (ProgramShape){.rank = 2, .sizes = {(int64_t)1 << program_roll(p, 6), 0}};
    p->shapes[4].sizes[1] = p->shapes[4].sizes[0];
    p->shapes[5] = program_random_shape(p, 0);
}

static void open_function(RandomProgram *p) {
    static const ProgramShape scalar = {0};
    TirType types[PROGRAM_PARAMETERS];
    for (unsigned i = 0; i < PROGRAM_KINDS; i++) types[i] = program_pointer_tile(p, program_kinds[i], &scalar);
    for (unsigned i = 0; i < PROGRAM_SCALARS; i++)
        types[PROGRAM_KINDS + i] = program_tile(p, program_scalar_kinds[i], &scalar);
    TirTypeInfo info = {.kind = TIR_TYPE_function, .parameter_count = PROGRAM_PARAMETERS, .parameters = types};
    p->function = tir_function_add(p->module, "kernel", tir_type_intern(p->module, &info), true);
    p->block = p->function->body.first;
    for (unsigned i = 0; i < PROGRAM_SCALARS; i++) program_keep(p, program_argument(p, PROGRAM_KINDS + i));
}

void random_program_open(RandomProgram *p, uint64_t seed, CompileNumeric numeric, int size) {
    *p = (RandomProgram){
        .state = seed, .numeric = numeric, .module = tir_module_open("random"), .trips = 1, .budget = size};
    open_function(p);
    p->focused = program_chance(p, 50);
    choose_palette(p);
    program_load(p);
    if (p->focused) {
        program_load(p);
        count_loop(p);
    }
    statements(p, size);
    store_unused(p, 0, 6);
    program_op(p, TIR_OP_return, 0, NULL, 0, NULL, NULL);
}

void random_program_close(RandomProgram *p) {
    tir_module_close(p->module);
    p->module = NULL;
}
