// SPDX-License-Identifier: Apache-2.0
// The tables of machines, row by row: without one of them code would only be slower, which no other test sees.
#include "target_test.h"

// The widest instruction of each use is taken, in the order of the rows.
Test(machine, vector_instructions_are_chosen_by_features) {
    static const struct {
        const char *features;
        MachineUse use;
        const char *names[4];
    } cases[] = {
        {"+avx512bw,+avx512vl,+avx512dq,+avx512vnni,+avxvnni",
         MACHINE_MULTIPLY_ADD_PAIRS,
         {"llvm.x86.avx512.vpdpwssd.512", "llvm.x86.avx512.vpdpwssd.256", "llvm.x86.avx512.vpdpwssd.128"}},
        {"+avx512bw,+avx512vl,+avx512dq,+avx2",
         MACHINE_MULTIPLY_PAIRS,
         {"llvm.x86.avx512.pmaddw.d.512", "llvm.x86.avx2.pmadd.wd", "llvm.x86.sse2.pmadd.wd"}},
        {"+avx512bw,+avx512vl,+avx512dq,+avx2", MACHINE_VECTOR_LIBRARY, {"_ZGVeN8", "_ZGVdN4", "_ZGVbN2"}},
        {"+avx512bw,+avx512vl,+avx512dq", MACHINE_SCALE, {"llvm.ldexp"}},
        {"+avx512bw,+avx512vl,+avx512dq,+avx512ifma",
         MACHINE_MULTIPLY_ADD_52,
         {"llvm.x86.avx512.vpmadd52l.uq.512", "llvm.x86.avx512.vpmadd52l.uq.256", "llvm.x86.avx512.vpmadd52l.uq.128"}},
        {"+avx512bw,+avx512vl,+avx512dq,+avx512ifma",
         MACHINE_MULTIPLY_ADD_52_HIGH,
         {"llvm.x86.avx512.vpmadd52h.uq.512", "llvm.x86.avx512.vpmadd52h.uq.256", "llvm.x86.avx512.vpmadd52h.uq.128"}},
        {"+avx512bw,+avx512vl,+avx512dq,+avx512vnni", MACHINE_MULTIPLY_ADD_52, {NULL}},
        {"+avx512bw,+avx512vl,+avx512dq", MACHINE_PICK, {"llvm.x86.avx512.vpermi2var.q.512"}},
        {"+avx2,+fma", MACHINE_MULTIPLY_ADD_PAIRS, {NULL}},
        {"+avx512bw", MACHINE_SCALE, {NULL}}, // all that a feature needs has to be there
    };
    const Machine all = {.features = UINT32_MAX};
    const MachineVector *any = NULL;
    while ((any = machine_vector(&all, ~0u, any))) { // each row is that of a case
        size_t i = 0;
        for (; i < BASE_COUNT(cases); i++) {
            const Machine machine = machine_of_processor(MACHINE_X86_64, cases[i].features);
            if (cases[i].use == any->use && machine_has(&machine, any->feature)) break;
        }
        cr_expect_lt(i, BASE_COUNT(cases), "no case has %s of %u lanes", any->name, any->lanes);
    }
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        const Machine machine = machine_of_processor(MACHINE_X86_64, cases[i].features);
        const MachineVector *row = NULL;
        for (size_t k = 0; (row = machine_vector(&machine, cases[i].use, row)); k++)
            cr_expect_str_eq(row->name, cases[i].names[k] ? cases[i].names[k] : "none", "case %zu", i);
        for (size_t k = 0; cases[i].names[k]; k++) { // none is missing
            for (row = machine_vector(&machine, cases[i].use, NULL); row && strcmp(row->name, cases[i].names[k]);)
                row = machine_vector(&machine, cases[i].use, row);
            cr_expect(row, "%s", cases[i].names[k]);
        }
    }
}

Test(machine, registers_come_with_features) {
    static const struct {
        MachineKind kind;
        const char *features;
        unsigned bits, registers;
        bool fuses;
    } cases[] = {
        {MACHINE_X86_64, "", 128, 16, false},
        {MACHINE_X86_64, "+avx2,+fma", 256, 16, true},
        {MACHINE_X86_64, "+avx2,+fma,+avx512bw,+avx512vl,+avx512dq", 512, 32, true},
        {MACHINE_AARCH64, "", 128, 32, true},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        const Machine machine = machine_of_processor(cases[i].kind, cases[i].features);
        cr_expect_eq(machine.vector_bits, cases[i].bits, "case %zu", i);
        cr_expect_eq(machine.vector_registers, cases[i].registers, "case %zu", i);
        cr_expect_eq(machine.fuses, cases[i].fuses, "case %zu", i);
    }
}

// AMX tiles are there only once the system has permitted them.
Test(machine, what_needs_a_permission_is_left_out) {
    static const char features[] = "+avx512bw,+avx512vl,+avx512dq,+amx-tile,+amx-int8";
    Machine machine = machine_of_processor(MACHINE_X86_64, features);
    cr_expect(machine_permission(MACHINE_AMX_INT8));
    cr_expect(machine_may_have(MACHINE_X86_64, MACHINE_AMX_INT8, features));
    cr_expect(!machine_may_have(MACHINE_AARCH64, MACHINE_AMX_INT8, features));
    cr_expect(!machine_has(&machine, MACHINE_AMX_INT8));
    machine_add(&machine, MACHINE_AMX_INT8);
    cr_expect(machine_has(&machine, MACHINE_AMX_INT8));
    cr_expect_eq(machine.vector_bits, 512);
}

// cvt.rn.satfinite of two floats, which sm_89 brought.
Test(machine, narrowing_is_an_instruction_of_newer_gpus) {
    static const FpsanFormat from[] = {FPSAN_F32, FPSAN_F16}, to[] = {FPSAN_F8E4M3FN, FPSAN_F8E5M2};
    static const char *const names[][2] = {{"llvm.nvvm.ff.to.e4m3x2.rn", "llvm.nvvm.ff.to.e5m2x2.rn"},
                                           {"llvm.nvvm.f16x2.to.e4m3x2.rn", "llvm.nvvm.f16x2.to.e5m2x2.rn"}};
    const Machine old = machine_of_gpu(86, 1 << 16), ada = machine_of_gpu(89, 1 << 16),
                  new = machine_of_gpu(120, 1 << 16), host = machine_of_processor(MACHINE_X86_64, "");
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++) {
            cr_expect_null(machine_narrowing(&old, from[i], to[k]));
            cr_expect_null(machine_narrowing(&host, from[i], to[k]));
            cr_expect_str_eq(machine_narrowing(&ada, from[i], to[k]), names[i][k]);
            cr_expect_str_eq(machine_narrowing(&new, from[i], to[k]), names[i][k]);
        }
    cr_expect_null(machine_narrowing(&new, FPSAN_F64, FPSAN_F8E5M2));
    cr_expect_null(
        machine_narrowing(&new, FPSAN_F32, FPSAN_F4E2M1FN)); // of targets with a or f, which are none of ours
    cr_expect_null(machine_narrowing(&new, FPSAN_F32, FPSAN_F6E2M3FN));
}

Test(machine, matrix_units_are_chosen_by_the_gpu) {
    static const struct {
        unsigned gpu;
        FpsanFormat operand, multiplied;
        const char *name;
    } cases[] = {
        {80, FPSAN_F16, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {80, FPSAN_BF16, FPSAN_BF16, "llvm.nvvm.mma.m16n8k16.row.col.bf16"},
        {80, FPSAN_TF32, FPSAN_TF32, "llvm.nvvm.mma.m16n8k8.row.col.tf32"},
        {80, FPSAN_F8E4M3FN, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {80, FPSAN_F8E5M2, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {80, FPSAN_F8E4M3FNUZ, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {86, FPSAN_F8E5M2FNUZ, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {80, FPSAN_F6E2M3FN, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {120, FPSAN_F6E3M2FN, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {89, FPSAN_F8E4M3FN, FPSAN_F8E4M3FN, "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"},
        {89, FPSAN_F8E5M2, FPSAN_F8E5M2, "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32"},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        const Machine machine = machine_of_gpu(cases[i].gpu, 1 << 16);
        const MachineMatrix *unit = machine_matrix(&machine, cases[i].operand);
        cr_assert(unit, "case %zu", i);
        cr_expect_eq(unit->multiplied, cases[i].multiplied, "case %zu", i);
        cr_expect_str_eq(unit->name, cases[i].name, "case %zu", i);
        // f16 is what is multiplied where the name does not say it.
        const char *type = element_info((ElementType)unit->multiplied)->ptx;
        cr_expect(strstr(unit->name, type) || unit->multiplied == FPSAN_F16, "%s in %s", type, unit->name);
    }
    const Machine gpu = machine_of_gpu(120, 1 << 16), host = machine_of_processor(MACHINE_X86_64, "");
    cr_expect_null(machine_matrix(&gpu, FPSAN_F64));
    cr_expect_null(machine_matrix(&host, FPSAN_F16));
}
