// SPDX-License-Identifier: Apache-2.0
// The tables of what machines can do.
#include "compiler/target/machine.h"
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const struct FeatureRow {
    const char *of[MACHINE_KIND_COUNT]; // what LLVM has to say; NULL: no machine of the kind has it
    unsigned vector_bits, registers, permission;
} feature_rows[] = {
#define FEATURE(id, x86, arm, vector_bits, registers, permission)                                                      \
    {{[MACHINE_X86_64] = x86, [MACHINE_AARCH64] = arm}, vector_bits, registers, permission},
#include "compiler/target/features.def"
#undef FEATURE
};
_Static_assert(MACHINE_FEATURE_COUNT <= 32, "Machine.features has a bit for each");

// ---- features

static bool lists_one(const char *features, const char *name, size_t length) {
    for (const char *at = features; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (at[0] == '+' && !strncmp(at + 1, name, length) && (at[1 + length] == ',' || !at[1 + length])) return true;
    return false;
}

bool machine_lists(const char *features, const char *names) {
    while (*names) {
        const size_t length = strcspn(names, ",");
        if (!lists_one(features, names, length)) return false;
        names += length + (names[length] == ',');
    }
    return true;
}

unsigned machine_permission(MachineFeature feature) {
    return feature_rows[feature].permission;
}

bool machine_may_have(MachineKind kind, MachineFeature feature, const char *features) {
    const char *needed = feature_rows[feature].of[kind];
    return needed && machine_lists(features, needed);
}

bool machine_has(const Machine *machine, MachineFeature feature) {
    return machine->features >> feature & 1;
}

void machine_add(Machine *machine, MachineFeature feature) {
    const struct FeatureRow *row = &feature_rows[feature];
    machine->features |= UINT32_C(1) << feature;
    if (row->vector_bits > machine->vector_bits) machine->vector_bits = row->vector_bits;
    if (row->registers > machine->vector_registers) machine->vector_registers = row->registers;
}

Machine machine_of_processor(MachineKind kind, const char *features) {
    Machine machine = {.kind = kind,
                       .vector_bits = 128,
                       .vector_registers = 16,
                       .masks_lanes = true,
                       .prefetches = true,
                       .adds_pairs = true,
                       .widens_masked_stores = kind == MACHINE_X86_64,
                       .scaled_format = FPSAN_F32};
    for (unsigned feature = 0; feature < MACHINE_FEATURE_COUNT; feature++)
        if (!feature_rows[feature].permission && machine_may_have(kind, feature, features))
            machine_add(&machine, feature);
    machine.fuses = kind == MACHINE_OTHER || machine_has(&machine, MACHINE_FMA);
    // Without instructions for fma the C library computes them, and may look at more than its operands' values.
    machine.flushes_operands = kind == MACHINE_X86_64 && machine.fuses;
    return machine;
}

Machine machine_of_gpu(unsigned compute, unsigned shared_bytes) {
    return (Machine){.kind = MACHINE_GPU,
                     .vector_bits = 128,
                     .vector_registers = 32,
                     .gpu = compute,
                     .shared_bytes = shared_bytes,
                     .fuses = true,
                     .has_libdevice = true,
                     .names_rounding = true,
                     .scaled_format = FPSAN_BF16};
}

// ---- instructions

static const MachineVector vector_rows[] = {
#define VECTOR_INSTRUCTION(use, feature, lanes, name) {MACHINE_##use, MACHINE_##feature, lanes, name},
#include "compiler/target/vector_instructions.def"
#undef VECTOR_INSTRUCTION
};

const MachineVector *machine_vector(const Machine *machine, unsigned uses, const MachineVector *after) {
    for (const MachineVector *row = after ? after + 1 : vector_rows; row < vector_rows + BASE_COUNT(vector_rows); row++)
        if (row->use & uses && machine_has(machine, row->feature)) return row;
    return NULL;
}

const char *machine_instruction(MachineInstruction instruction) {
    static const char *const names[] = {
#define INSTRUCTION(id, name) name,
#include "compiler/target/instructions.def"
#undef INSTRUCTION
    };
    // Rows that code counts on to follow one another.
    _Static_assert(MACHINE_BLOCK_Z == MACHINE_BLOCK_X + 2 && MACHINE_GRID_Z == MACHINE_GRID_X + 2, "X, Y, Z");
    _Static_assert(MACHINE_LOAD_MATRIX_4 == MACHINE_LOAD_MATRIX + 2, "by log2 of how many");
    return names[instruction];
}

static const struct DirectedRow {
    FpsanRule rule;
    const char *strict, *gpu;
} directed_rows[] = {
#define DIRECTED(rule, strict, gpu) {FPSAN_RULE_##rule, strict, gpu},
#include "compiler/target/directed.def"
#undef DIRECTED
};

static const struct DirectedRow *directed_row(FpsanRule rule) {
    for (size_t i = 0; i < BASE_COUNT(directed_rows); i++)
        if (directed_rows[i].rule == rule) return &directed_rows[i];
    return NULL;
}

const char *machine_strict(FpsanRule rule) {
    const struct DirectedRow *row = directed_row(rule);
    return row ? row->strict : NULL;
}

bool machine_directed(FpsanRule rule, FpsanRounding rounding, bool single, bool flush, char *name) {
    static const char *const roundings[FPSAN_ROUNDING_COUNT] = {
#define ROUNDING(name, text, tile_ir, ptx, llvm) ptx,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
    };
    const struct DirectedRow *row = directed_row(rule);
    if (row)
        snprintf(name, MACHINE_NAME_SIZE, "llvm.nvvm.%s.%s%s.%c", row->gpu, roundings[rounding], flush ? ".ftz" : "",
                 single ? 'f' : 'd');
    return row;
}

const char *machine_flushing(FpsanRule rule, bool propagate_nan) {
    static const struct {
        FpsanRule rule;
        const char *names[2]; // by whether NaN propagates
    } flushing[] = {
#define FLUSHING(rule, name, propagating) {FPSAN_RULE_##rule, {name, propagating}},
#include "compiler/target/flushing.def"
#undef FLUSHING
    };
    for (size_t i = 0; i < BASE_COUNT(flushing); i++)
        if (flushing[i].rule == rule && *flushing[i].names[propagate_nan]) return flushing[i].names[propagate_nan];
    return NULL;
}

static const char key_flush[] = ".ftz", key_roots[] = ".sqrt";

void machine_libdevice(const char *function, bool single, MachineKeys keys, char *name) {
    snprintf(name, MACHINE_NAME_SIZE, "__nv_%s%s%s%s", function, single ? "f" : "", keys.flush ? key_flush : "",
             keys.approximate_roots ? key_roots : "");
}

MachineKeys machine_keys(const char *name) {
    return (MachineKeys){.flush = strstr(name, key_flush), .approximate_roots = strstr(name, key_roots)};
}

const char *machine_narrowing(const Machine *machine, FpsanFormat from, FpsanFormat to) {
    static const struct {
        FpsanFormat from, to;
        unsigned gpu;
        const char *name;
    } rows[] = {
#define NARROWING(from, to, gpu, instruction) {FPSAN_##from, FPSAN_##to, gpu, instruction},
#include "compiler/target/narrowing.def"
#undef NARROWING
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].from == from && rows[i].to == to && rows[i].gpu <= machine->gpu) return rows[i].name;
    return NULL;
}

const MachineMatrix *machine_matrix(const Machine *machine, FpsanFormat operand) {
    static const MachineMatrix units[] = {
#define MATRIX_UNIT(operand, multiplied, gpu, instruction) {FPSAN_##operand, FPSAN_##multiplied, gpu, instruction},
#include "compiler/target/matrix_units.def"
#undef MATRIX_UNIT
    };
    for (size_t i = 0; i < BASE_COUNT(units); i++)
        if (units[i].operand == operand && units[i].gpu <= machine->gpu) return &units[i];
    return NULL;
}
