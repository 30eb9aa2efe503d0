// SPDX-License-Identifier: Apache-2.0
// The functions that are made when the project is built (precompiled.def) against those that modules have.
#include "compiler/numeric/shadow.h"
#include "compiler/target/target.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = TOWER_LENGTH_MAX + 1, OPERANDS_MAX = 3, LANES_MAX = 16, ROUNDS = 64 };
enum { WORDS_MAX = (OPERANDS_MAX * PARTS_MAX + 1) * LANES_MAX };
typedef void RuleCode(const uint32_t *operands, uint32_t *result);

// The rules of a tower on so many lanes, made for this machine in a module of their own.
static Jit *make_rules(Diagnostics *diagnostics, const Tower *tower, unsigned lanes) {
    Target *target = target_open(diagnostics, NULL, 1);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("rules", context);
    target_prepare(target, diagnostics, module);
    const NumericContext cx = {.context = context,
                               .module = module,
                               .builder = LLVMCreateBuilderInContext(context),
                               .tower = tower,
                               .machine = *target_machine(target)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    LLVMValueRef caller = LLVMAddFunction(module, "caller", type);
    LLVMPositionBuilderAtEnd(cx.builder, LLVMAppendBasicBlockInContext(context, caller, ""));
    const TowerEmit e = shadow_emit(&cx);
    tower_emit_private(&e, lanes);
    LLVMBuildRetVoid(cx.builder);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) LLVMSetLinkage(f, LLVMExternalLinkage);
    Jit *jit = jit_open(diagnostics);
    cr_assert(target_optimize(target, diagnostics, module) && jit_add(jit, diagnostics, target, module));
    LLVMDisposeBuilder(cx.builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    target_close(target);
    return jit;
}

static uint32_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

// Payloads; of the states few have more than a bit, as most rules ask for some alone.
static void draw_operands(uint64_t *state, const Tower *tower, unsigned lanes, unsigned round, uint32_t *words) {
    for (unsigned k = 0; k < OPERANDS_MAX; k++)
        for (unsigned part = 0; part <= tower->length; part++)
            for (unsigned lane = 0; lane < lanes; lane++) {
                const uint32_t word = draw(state), bits = (tower_ruled(tower) | tower_carried(tower)) & draw(state);
                const bool is_small = word % 4 == 0;
                *words++ = part < tower->length ? (is_small ? word / 4 % 3 : word % tower->prime[part].p)
                           : round % 3          ? bits & UINT32_C(1) << (word % 32)
                                                : bits;
            }
    for (unsigned lane = 0; lane < lanes; lane++) *words++ = draw(state) % 3;
}

// The number of functions of the set for the tower and lanes.
static size_t check_functions(const MachineFunction *functions, const char *set, unsigned tower, unsigned lanes) {
    Diagnostics diagnostics = {0};
    char suffix[16];
    snprintf(suffix, sizeof suffix, ".%u.%u", lanes, tower_chain(tower)->index);
    Jit *jit = NULL;
    size_t count = 0;
    for (const MachineFunction *function = functions; function->name; function++) {
        const size_t length = strlen(function->name), end = strlen(suffix);
        if (length < end || strcmp(function->name + length - end, suffix)) continue;
        if (!jit) jit = make_rules(&diagnostics, tower_chain(tower), lanes);
        RuleCode *own = (RuleCode *)jit_lookup(jit, &diagnostics, function->name), *ready = (RuleCode *)function->code;
        cr_assert(own, "%s", function->name);
        uint64_t state = 7;
        for (unsigned round = 0; round < ROUNDS; round++) {
            _Alignas(64) uint32_t operands[WORDS_MAX] = {0}, expected[WORDS_MAX] = {0}, found[WORDS_MAX] = {0};
            // The extra operand lies behind as many as the rule takes: it is a word of another one, or small.
            draw_operands(&state, tower_chain(tower), lanes, round, operands);
            own(operands, expected);
            ready(operands, found);
            cr_assert(!memcmp(expected, found, sizeof found), "%s of %s, round %u", function->name, set, round);
        }
        count++;
    }
    jit_close(jit);
    return count;
}

// What such code returns: components, then the state.
typedef struct Plain {
    uint32_t words[TOWER_LENGTH + 1];
} Plain;
typedef struct Deep {
    uint32_t words[TOWER_LENGTH_MAX + 1];
} Deep;
typedef Plain PlainCode(uint32_t bits);
typedef Deep DeepCode(uint32_t bits);

static void check_embedding(const Machine *machine, unsigned number, FpsanFormat format) {
    const Tower *tower = tower_chain(number);
    char name[80];
    snprintf(name, sizeof name, "congruent.tower.embed.%s.%u", fpsan_format_info(format)->name, tower->index);
    const MachineFunction *function = machine_function(machine, name);
    cr_assert(function, "%s", name);
    const bool is_short = fpsan_format_info(format)->lane_bits == 16;
    uint64_t state = 7;
    for (unsigned round = 0; round < 100 * ROUNDS; round++) {
        const uint32_t bits = is_short ? draw(&state) & UINT16_MAX : draw(&state);
        const TowerPayload expected = tower_embed(tower, format, bits);
        Deep found = {{0}};
        if (tower->length > TOWER_LENGTH) {
            found = ((DeepCode *)function->code)(bits);
        } else {
            const Plain plain = ((PlainCode *)function->code)(bits);
            memcpy(&found, &plain, sizeof plain);
        }
        for (unsigned i = 0; i < tower->length; i++)
            cr_assert_eq(found.words[i], expected.component[i], "%s of 0x%x", name, bits);
        cr_assert_eq(found.words[tower->length], expected.state, "%s of 0x%x", name, bits);
    }
}

Test(precompiled, functions_are_those_of_modules) {
    static const unsigned towers[] = {0, TOWER_DEEP}, lanes[] = {4, 8, 16};
    static const FpsanFormat formats[] = {FPSAN_F32, FPSAN_TF32, FPSAN_F16, FPSAN_BF16};
    static const char *const shared[] = {
        "congruent.census.f32",
        "congruent.census.f32.not_largest",
        "congruent.census.f32.greater.f32",
        "congruent.census.f32.greater.f32.f32",
        "congruent.census.f32.greater.sum.f32.f32",
        "congruent.census.f32.greater.sum.f32.f32.f32",
        "congruent.census.f32.handed_on.f16",
        "congruent.census.f32.handed_on.bf16",
        "congruent.census.f16.not_largest.f32",
        "congruent.census.bf16.not_largest.f32",
        "congruent.count.f32",
        "congruent.count.f32.not_largest",
        "congruent.count.f32.greater.f32",
        "congruent.count.f32.greater.f32.f32",
        "congruent.count.f32.greater.sum.f32.f32",
        "congruent.count.f32.greater.sum.f32.f32.f32",
        "congruent.count.f32.handed_on.f16",
        "congruent.count.f32.handed_on.bf16",
        "congruent.count.f16.not_largest.f32",
        "congruent.count.bf16.not_largest.f32",
        "congruent.view.1.2",
        "congruent.view.1.4",
        "congruent.view.2.2",
        "congruent.view.2.4",
        "congruent.view.3.2",
        "congruent.view.3.4",
    };
    for (size_t index = 0; precompiled_set(index); index++) {
        const MachineFunction *functions = precompiled_functions(index);
        if (!functions || !precompiled_runs_here(index)) continue;
        const Machine machine = {.functions = functions};
        for (size_t i = 0; i < BASE_COUNT(shared); i++)
            cr_expect(machine_function(&machine, shared[i]), "%s", shared[i]);
        size_t count = 0;
        for (size_t t = 0; t < BASE_COUNT(towers); t++) {
            for (size_t l = 0; l < BASE_COUNT(lanes); l++)
                count += check_functions(functions, precompiled_set(index)->cpu, towers[t], lanes[l]);
            for (size_t f = 0; f < BASE_COUNT(formats); f++) check_embedding(&machine, towers[t], formats[f]);
        }
        cr_expect_eq(count, 85, "%s: %zu, not 17 rules of five rows", precompiled_set(index)->cpu, count);
    }
}
