// SPDX-License-Identifier: Apache-2.0
// Every op that takes or gives floats, compiled with payloads and run, against sanitizer/fpsan.h and
// sanitizer/tower.h: each program of op_programs.h on random bits, with both kinds of casts, and in shadow on random
// payloads. The functions that results are held against are those of the reference interpreter.
#include "runtime/runtime_internal.h"
#include "sanitizer/tower_internal.h"
#include "tests/lower/lab.h"
#include "tests/lower/op_programs.h"
#include "tests/sanitizer/random_bits.h"

#include <stdio.h>
#include <string.h>

// A module holds so many programs; buffers so many elements.
enum { MODULE_PROGRAMS = 64, ELEMENTS = 256 };

typedef struct Way {
    CompileNumeric numeric;
    FpsanCasts casts;
    const char *name;
    enum { ALL, SOME, FEW } share; // of the programs
} Way;

static bool is_float_kind(TirTypeKind kind) {
    return tir_type_rows[kind].class == TIR_CLASS_FLOAT;
}

// ---- operands -------------------------------------------------------------------------------------------------------

static uint32_t random_state(uint64_t *state) {
    uint32_t bits = (uint32_t)random_next(state), few = bits & (uint32_t)random_next(state);
    few &= ~(uint32_t)TOWER_POISON;
    if (bits % 4 < 2) return few & TOWER_CARRIED;
    return tower_normal_state(
        tower_chain(0), few & (TOWER_CARRIED | TOWER_MISSING | TOWER_LOST | TOWER_WEAK | TOWER_SIGN | TOWER_BASE_E));
}

static TowerPayload random_payload(const Tower *t, uint64_t *state) {
    TowerPayload payload = t->zero;
    switch (random_next(state) % 16) {
    case 0: return tower_special((TowerKind)(1 + random_next(state) % 3));
    case 1: break;
    case 2: payload = t->log2e; break;
    case 3:
    case 4: payload = tower_rational(t, (int64_t)(random_next(state) % 9) - 4, 1); break;
    default:
        for (unsigned i = 0; i < TOWER_LENGTH; i++)
            payload.component[i] = (uint32_t)(random_next(state) % t->prime[i].p);
    }
    payload.state = random_state(state);
    return payload;
}

// The second operand, 4 elements on, is sometimes the first one or its neighbour. Integers, exponents among them, are
// often small.
static uint64_t random_element(Lab *lab, uint32_t buffer, TirTypeKind kind, uint64_t i, uint64_t *state) {
    uint64_t roll = random_next(state);
    if (!is_float_kind(kind)) {
        uint64_t bits = random_integer(state, tir_type_rows[kind].bits);
        return roll & 1 ? bits & 31 : bits;
    }
    if (i >= 4 && roll % 8 == 1) return lab_get(lab, buffer, kind, i - 4) ^ (roll >> 8 & 1);
    return random_bits(state, lab_format(kind));
}

static void fill_buffers(Lab *lab, const OpProgram *program, CompileNumeric numeric) {
    uint64_t state = 97 * lab->entry + (uint64_t)program->op, payloads = state;
    for (uint32_t b = 0; b < OP_PARAMETERS; b++) {
        TirTypeKind kind = program->kinds[b];
        unsigned bytes = tir_type_rows[kind].storage_bytes;
        rt_shadow_clear(&lab->device.shadow, &lab->buffers[b]);
        lab->buffers[b] = (RtBuffer){.address = lab->ranges[b].begin, .size = ELEMENTS * bytes};
        lab->ranges[b].end = lab->ranges[b].begin + ELEMENTS * bytes;
        for (uint64_t i = 0; i < ELEMENTS; i++) {
            lab_put(lab, b, kind, i, b == OP_RESULT ? 0 : random_element(lab, b, kind, i, &state));
            if (numeric == COMPILE_SHADOW && b != OP_RESULT && is_float_kind(kind) && random_next(&payloads) % 8)
                lab_put_record(lab, b, kind, i, random_payload(tower_chain(0), &payloads));
        }
    }
}

// ---- running --------------------------------------------------------------------------------------------------------

// What a kernel of IEEE arithmetic stores: the real bits of the op's results.
static void real_results(Lab *lab, const OpProgram *program, uint64_t *results) {
    fill_buffers(lab, program, COMPILE_IEEE);
    cr_assert(lab_run(lab), "in IEEE arithmetic it stops\n%s", program->text);
    for (uint32_t i = 0; i < program->results; i++) results[i] = lab_get(lab, OP_RESULT, program->kinds[OP_RESULT], i);
}

static void check_program(Lab *lab, const Way *way, const OpProgram *program, const uint64_t *results) {
    char what[4096];
    LabCheck check = {way->numeric, way->casts, program->op, results, what};
    snprintf(what, sizeof what, "%s:\n%s", way->name, program->text);
    fill_buffers(lab, program, way->numeric);
    lab_compare(lab, &check);
}

static void choose_kernel(Lab *lab, const OpProgram *program, size_t number) {
    lab->entry = (uint32_t)number;
    lab->kinds = program->kinds;
}

static void compile(Lab *lab, CompileNumeric numeric, FpsanCasts casts) {
    cr_assert(lab_compile(lab, numeric, casts, NULL), "%s",
              lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
}

// Programs of one module, `real`: held against IEEE arithmetic, too. `seen`: the ops that had floats.
static void check_module(const Way *way, const OpProgram *const *programs, size_t count, bool real, bool *seen) {
    static uint64_t bits[MODULE_PROGRAMS][ELEMENTS];
    TirModule *module = op_programs_module(programs, count);
    cr_assert(module);
    Lab lab = lab_open_module(module, OP_PARAMETERS, programs[0]->kinds);
    if (real) compile(&lab, COMPILE_IEEE, way->casts);
    for (size_t i = 0; i < count; i++) {
        choose_kernel(&lab, programs[i], i);
        if (real) real_results(&lab, programs[i], bits[i]);
        for (int kind = 0; kind < TIR_OP_COUNT; kind++)
            seen[kind] = seen[kind] || op_takes_floats(module, &module->functions[i], (TirOpKind)kind);
    }
    compile(&lab, way->numeric, way->casts);
    for (size_t i = 0; i < count; i++) {
        choose_kernel(&lab, programs[i], i);
        check_program(&lab, way, programs[i], real ? bits[i] : NULL);
    }
    lab_close(&lab);
}

// ---- coverage -------------------------------------------------------------------------------------------------------

// Ops of which ops.def does not say that they take no floats: entries return nothing, and predicates are of integers
// and pointers.
static const TirOpKind without_floats[] = {TIR_OP_assume, TIR_OP_return};

static bool may_be_float(const TirTypeRule *rule) {
    uint32_t floats = 0;
    for (int k = 0; k < TIR_TYPE_COUNT; k++) floats |= is_float_kind((TirTypeKind)k) ? 1u << k : 0;
    bool related = rule->relation_count && rule->kinds == (1u << TIR_TYPE_COUNT) - 1; // has no set of its own
    return rule->elements & floats && !related;
}

// Whether some operand or result may be a tile of floats.
static bool takes_floats(TirOpKind kind) {
    const TirOpInfo *info = tir_op_info(kind);
    bool found = false;
    for (unsigned i = 0; i < info->operand_count; i++) found |= may_be_float(&info->operands[i].type);
    for (int i = 0; i < (info->result_count < 0 ? 1 : info->result_count); i++)
        found |= may_be_float(&info->results[i].type);
    for (size_t i = 0; i < BASE_COUNT(without_floats); i++) found &= without_floats[i] != kind;
    return found;
}

// ---- the tests ------------------------------------------------------------------------------------------------------

// Whether the kind of casts decides what the program computes.
static bool has_casts(const OpProgram *program) {
    return program->op == TIR_OP_ftof || program->op == TIR_OP_cast || program->op == TIR_OP_mmaf ||
           program->op == TIR_OP_mmaf_scaled || program->op == TIR_OP_dot;
}

// Compiling takes long. Some programs are the first of each op and type, and the modifiers of each; tiles of every size
// are of f32; of orders of memory and signs of integers, which are the same code, each type has some. Few are those of
// f32, and a sixth of the others: other types for each op.
static bool is_asked(const Way *way, const OpProgram *program) {
    FpsanRule rule;
    bool conversion = program->types[0] >= 0 && program->types[1] >= 0 && op_is_elementwise(program->op);
    const bool first = program->is_first && (program->types[0] == TIR_TYPE_f32 || program->op == TIR_OP_mmaf_scaled);
    if (way->share == FEW && program->types[0] >= 0 && !first &&
        (program->op + program->types[0] + 3 * program->types[1] + (int)program->choice) % 6 != 0)
        return false;
    if (way->share == ALL) return way->casts == FPSAN_CASTS_MIX || has_casts(program);
    if (program->is_first) return true;
    if (reference_float_rule(program->op, &rule)) return program->choice > 0 || program->types[0] == TIR_TYPE_f32;
    return !conversion && (program->choice + (unsigned)program->types[0]) % 4 == 1;
}

static bool has_real_results(const Way *way, const OpProgram *program) {
    FpsanRule rule;
    return way->numeric == COMPILE_SHADOW && program->results && reference_float_rule(program->op, &rule);
}

// Those for which IEEE arithmetic is compiled, too, or those for which it is not.
static void check_some(const Way *way, const OpPrograms *programs, bool real, bool *seen) {
    const OpProgram *chosen[MODULE_PROGRAMS];
    size_t count = 0;
    for (size_t i = 0; i < programs->count; i++) {
        const OpProgram *program = &programs->items[i];
        if (!is_asked(way, program) || has_real_results(way, program) != real) continue;
        chosen[count++] = program;
        if (count < MODULE_PROGRAMS) continue;
        check_module(way, chosen, count, real, seen);
        count = 0;
    }
    if (count) check_module(way, chosen, count, real, seen);
}

static void check_all(const Way *way, bool *seen) {
    OpPrograms programs;
    op_programs_open(&programs);
    check_some(way, &programs, false, seen);
    check_some(way, &programs, true, seen);
    op_programs_close(&programs);
}

static void expect_all(const bool *seen) {
    static const TirOpKind lowered[] = {
#define ELEMENT(op, function) TIR_OP_##op,
#define INDEX(op)             TIR_OP_##op,
#define MAP(op, function)     TIR_OP_##op,
#define CODE(op, function)    TIR_OP_##op,
#define NO_CODE(name)
#include "compiler/lower/lowering.def"
#undef ELEMENT
#undef INDEX
#undef MAP
#undef CODE
#undef NO_CODE
    };
    for (size_t i = 0; i < BASE_COUNT(lowered); i++)
        cr_expect(seen[lowered[i]] || !takes_floats(lowered[i]), "no program has a %s of floats",
                  tir_op_info(lowered[i])->name);
}

Test(every_op, ring) {
    bool seen[TIR_OP_COUNT] = {false};
    check_all(&(Way){COMPILE_PAYLOAD, FPSAN_CASTS_MIX, "ring", FEW}, seen);
    expect_all(seen);
}

Test(every_op, ring_of_all) {
    bool seen[TIR_OP_COUNT] = {false};
    check_all(&(Way){COMPILE_PAYLOAD, FPSAN_CASTS_MIX, "ring", ALL}, seen);
    expect_all(seen);
}

Test(every_op, homomorphic_casts) {
    bool seen[TIR_OP_COUNT] = {false};
    check_all(&(Way){COMPILE_PAYLOAD, FPSAN_CASTS_HOMOMORPHIC, "ring with homomorphic casts", ALL}, seen);
    cr_expect(seen[TIR_OP_ftof] && seen[TIR_OP_mmaf] && seen[TIR_OP_mmaf_scaled]);
}

Test(every_op, tower) {
    bool seen[TIR_OP_COUNT] = {false};
    check_all(&(Way){COMPILE_SHADOW, FPSAN_CASTS_MIX, "tower", SOME}, seen);
    expect_all(seen);
}
