// SPDX-License-Identifier: Apache-2.0
// Processors: what processors.def says is what LLVM generates, unknown names are refused, no contraction.
#include "target_test.h"

// The assembly of a module for a processor; buffer_free is due.
static Buffer assemble(const char *cpu, unsigned level, const char *text) {
    Diagnostics diagnostics = {0};
    Buffer assembly = {0};
    Target *target = test_target(cpu, level);
    TestModule test = test_parse(target, &diagnostics, text);
    cr_assert(target_optimize(target, &diagnostics, test.module));
    cr_assert(target_emit(target, &diagnostics, test.module, COMPILE_ASM, &assembly));
    buffer_print(&assembly, "%s", "");
    test_close(&test);
    target_close(target);
    return assembly;
}

static const struct FeatureCase {
    const char *what, *instruction, *text;
    MachineFeature feature;
} feature_cases[] = {
    {"avx2", "vpaddd\t%ymm",
     "define <8 x i32> @f(<8 x i32> %a, <8 x i32> %b) { %c = add <8 x i32> %a, %b ret <8 x i32> %c }", MACHINE_AVX2},
    {"fma", "vfmadd",
     "declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)\n"
     "define <4 x float> @f(<4 x float> %a) { %c = call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> %a, <4 "
     "x float> %a)"
     " ret <4 x float> %c }",
     MACHINE_FMA},
    {"avx512bw", "%zmm",
     "define <32 x i16> @f(<32 x i16> %a, <32 x i16> %b) { %c = add <32 x i16> %a, %b ret <32 x i16> %c }",
     MACHINE_AVX512BW},
};

#if defined(__x86_64__)
Test(processor, the_table_says_what_llvm_does) {
    for (size_t i = 0; target_cpu_at(i); i++) {
        const char *cpu = target_cpu_at(i);
        Target *target = test_target(cpu, 2);
        Machine machine = *target_machine(target);
        target_close(target);
        if (machine.kind != MACHINE_X86_64) continue; // the cases are of x86-64
        for (size_t k = 0; k < BASE_COUNT(feature_cases); k++) {
            const struct FeatureCase *c = &feature_cases[k];
            Buffer assembly = assemble(cpu, 2, c->text);
            bool used = strstr(assembly.data, c->instruction) != NULL;
            cr_expect_eq(used, machine_has(&machine, c->feature), "%s: %s is %d in the table", cpu, c->what, !used);
            buffer_free(&assembly);
        }
        cr_expect_eq(machine.vector_bits,
                     machine_has(&machine, MACHINE_AVX512BW) ? 512
                     : machine_has(&machine, MACHINE_AVX2)   ? 256
                                                             : 128,
                     "%s", cpu);
    }
}

// The multiply-add-pairs instructions: LLVM makes them of the plain code only where they exist.
Test(processor, the_table_knows_multiply_add_pairs) {
    static const char text[] = "declare <8 x i32> @llvm.x86.avx512.vpdpwssd.256(<8 x i32>, <16 x i16>, <16 x i16>)\n"
                               "define <8 x i32> @f(<8 x i32> %a, <16 x i16> %b, <16 x i16> %c) {"
                               " %d = call <8 x i32> @llvm.x86.avx512.vpdpwssd.256(<8 x i32> %a, <16 x i16> %b, <16 x "
                               "i16> %c) ret <8 x i32> %d }";
    for (size_t i = 0; target_cpu_at(i); i++) {
        Target *target = test_target(target_cpu_at(i), 2);
        Machine machine = *target_machine(target);
        target_close(target);
        if (!machine_vector(&machine, MACHINE_MULTIPLY_ADD_PAIRS, NULL)) continue; // LLVM stops the process there
        Buffer assembly = assemble(target_cpu_at(i), 2, text);
        cr_expect(strstr(assembly.data, "vpdpwssd"), "%s", target_cpu_at(i));
        buffer_free(&assembly);
    }
}

Test(processor, code_for_another_architecture) {
    Buffer assembly = assemble(
        "neoverse-n1", 2, "define <4 x float> @f(<4 x float> %a) { %b = fadd <4 x float> %a, %a ret <4 x float> %b }");
    cr_expect(strstr(assembly.data, "fadd\tv0.4s, v0.4s, v0.4s"));
    buffer_free(&assembly);
}

Test(processor, code_is_run_only_where_it_can_be) {
    Diagnostics diagnostics = {0};
    cr_expect(target_runs_here(&diagnostics, NULL) && target_runs_here(&diagnostics, target_host_cpu()));
    cr_expect(target_runs_here(&diagnostics, "x86-64"));
    cr_expect(!target_runs_here(&diagnostics, "neoverse-n1") && diagnostics.count == 1);
    cr_expect_eq(diagnostics.items[0].code, E_TARGET);
    cr_expect_eq(target_runs_here(&diagnostics, "x86-64-v3"), (bool)__builtin_cpu_supports("x86-64-v3"));
    diagnostics_close(&diagnostics);
}

Test(processor, wide_vectors_are_used_where_they_exist) {
    static const char text[] = "define void @f(ptr %p) { %a = load <16 x i32>, ptr %p, align 64 %b = add <16 x i32> "
                               "%a, %a store <16 x i32> %b, ptr %p, align 64"
                               " ret void }";
    Buffer wide = assemble("skylake-avx512", 3, text), narrow = assemble("haswell", 3, text);
    cr_expect(strstr(wide.data, "%zmm"));
    cr_expect(strstr(narrow.data, "%ymm"));
    cr_expect_not(strstr(narrow.data, "%zmm"));
    buffer_free(&wide);
    buffer_free(&narrow);
}

Test(processor, nothing_is_contracted) {
    static const char text[] = "define <8 x float> @f(<8 x float> %a, <8 x float> %b, <8 x float> %c) {"
                               " %m = fmul <8 x float> %a, %b %s = fadd <8 x float> %m, %c ret <8 x float> %s }";
    for (unsigned level = 0; level <= 3; level++) {
        Buffer assembly = assemble("haswell", level, text);
        cr_expect(strstr(assembly.data, "vmulps") && strstr(assembly.data, "vaddps"));
        cr_expect_not(strstr(assembly.data, "fmadd"));
        buffer_free(&assembly);
    }
}
#endif

Test(processor, unknown_names_are_refused) {
    static const char *const names[] = {"", "pentium-unknown", "Haswell", "haswell ", "sm_100", "host"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        Diagnostics diagnostics = {0};
        cr_expect_null(target_open(&diagnostics, names[i], 2), "%s", names[i]);
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_TARGET);
        cr_expect(strstr(diagnostics.items[0].message, "known are: "));
        cr_expect(strstr(diagnostics.items[0].message, target_host_cpu()));
        diagnostics_close(&diagnostics);
    }
}

Test(processor, this_machine_needs_no_row) {
    Target *by_name = test_target(target_host_cpu(), 2), *by_default = test_target(NULL, 2);
    cr_expect_eq(target_machine(by_name)->features, target_machine(by_default)->features);
    cr_expect_eq(target_machine(by_name)->vector_bits, target_machine(by_default)->vector_bits);
    target_close(by_name);
    target_close(by_default);
    cr_expect_eq(strncmp(target_llvm_version(), "22.", 3), 0);
}
