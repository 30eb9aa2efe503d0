// SPDX-License-Identifier: Apache-2.0
// Entry names of cuTile taken apart, and the matching of arguments with parameters.
#include "diff/programs.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arguments, entry_name_of_arrays_scalars_and_constants) {
    Arena arena = {0};
    FpdEntryName name;
    const char *problem;
    cr_assert(fpd_read_entry_name(&arena,
                                  "my_Kernel_Kt2_A2f32_1t8_2s8t1_w_A3bf16_3v16l0_4t1_p16g0ga_Sf32_I_64_B1_"
                                  "F3ff0000000000000_Si16_T3Sf8m3fnI5A0b8_Sb8",
                                  &name, &problem),
              "%s", problem ? problem : "");
    cr_assert(name.mangled && name.formal_count == 7);
    cr_assert_str_eq(name.name, "my_Kernel");
    const FpdFormal *a = &name.formals[0], *b = &name.formals[1];
    cr_assert(a->kind == FPD_FORMAL_ARRAY && a->type == ELEMENT_F32 && a->rank == 2 && a->index_type == ELEMENT_I64);
    cr_assert(a->stride[0] == 8 && a->stride[1] == 1 && a->size[0] == FPD_NOT_FIXED && a->size[1] == 8 &&
              a->base_divisor == 1);
    cr_assert(b->type == ELEMENT_BF16 && b->rank == 3 && b->index_type == ELEMENT_I32 && b->base_divisor == 16);
    cr_assert(b->stride_min[0] == 0 && b->stride_min[1] == 0 && b->stride_min[2] == FPD_NOT_FIXED);
    cr_assert(b->stride_divisor[0] == 16 && b->stride_divisor[2] == 1 && b->size_divisor[2] == 1);
    cr_assert(name.formals[2].kind == FPD_FORMAL_SCALAR && name.formals[2].type == ELEMENT_F32);
    cr_assert(name.formals[3].type == ELEMENT_I16 && name.formals[4].type == ELEMENT_F8E4M3FN);
    cr_assert(name.formals[5].kind == FPD_FORMAL_ARRAY && name.formals[5].rank == 0 &&
              name.formals[5].type == ELEMENT_I1);
    cr_assert(name.formals[6].type == ELEMENT_I1);
    arena_reset(&arena);
}

Test(arguments, entry_names_of_others) {
    Arena arena = {0};
    FpdEntryName name;
    const char *problem;
    static const char *const plain[] = {"kernel", "my_Kernel", "_Kt1", "x_Kt", "x_K1", ""};
    for (size_t i = 0; i < BASE_COUNT(plain); i++) {
        cr_expect(fpd_read_entry_name(&arena, plain[i], &name, &problem), "%s", plain[i]);
        cr_expect(!name.mangled && !strcmp(name.name, plain[i]));
    }
    cr_expect(fpd_read_entry_name(&arena, "none_Kt1", &name, &problem) && name.mangled && name.formal_count == 0);
    arena_reset(&arena);
}

Test(arguments, broken_entry_names) {
    static const struct {
        const char *name, *problem;
    } names[] = {
        {"k_Kt3_Sf32", "calling convention t3"},
        {"k_Kt99999999999999999999", "a number beyond 64 bits"},
        {"k_Kt1_", "an unknown kind of parameter"},
        {"k_Kt1_Q", "an unknown kind of parameter at 'Q'"},
        {"k_Kt1Sf32", "'_' is missing"},
        {"k_Kt1_Sx9", "an unknown element type"},
        {"k_Kt1_Af32", "a number is missing"},
        {"k_Kt1_A9f32", "an array of more dimensions"},
        {"k_Kt1_A2f32_4l0", "a dimension the array does not have"},
        {"k_Kt1_A2f32_0l0", "a dimension the array does not have"},
        {"k_Kt1_A2f32_1i0", "a divisor below 1"},
        {"k_Kt1_A2f32_p0", "a divisor below 1"},
        {"k_Kt1_A2f32_pg0", "a number is missing"},
        {"k_Kt1_I", "a number is missing"},
        {"k_Kt1_F3ff", "16 hexadecimal digits"},
        {"k_Kt1_LSf32", "a list of something else than arrays at 'Sf32'"},
        {"k_Kt1_LLA1f32", "a list of something else than arrays"},
        {"k_Kt1_LgA1f32", "a number is missing"},
        {"k_Kt1_L", "a list of something else than arrays"},
        {"k_Kt1_T9999999Sf32", "an unknown kind of parameter"},
        {"k_Kt1_T1T1T1T1T1T1T1T1T1T1I5", "tuples nested too deep"},
    };
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        Arena arena = {0};
        FpdEntryName name;
        const char *problem;
        cr_expect_not(fpd_read_entry_name(&arena, names[i].name, &name, &problem), "%s", names[i].name);
        cr_expect(problem && strstr(problem, names[i].problem), "%s: '%s'", names[i].name, problem ? problem : "");
        arena_reset(&arena);
    }
}

Test(arguments, entry_name_with_lists) {
    Arena arena = {0};
    FpdEntryName name;
    const char *problem;
    cr_assert(fpd_read_entry_name(&arena, "k_Kt1_LA2f32_1l0_2t1_p16_Lg0gaiA1i8_w_A1f16", &name, &problem), "%s",
              problem ? problem : "");
    cr_assert_eq(name.formal_count, 3);
    cr_expect(name.formals[0].list && name.formals[0].kind == FPD_FORMAL_ARRAY && name.formals[0].rank == 2 &&
              name.formals[0].base_divisor == 16 && name.formals[0].stride[1] == 1);
    cr_expect(name.formals[1].list && name.formals[1].type == ELEMENT_I8 && name.formals[1].index_type == ELEMENT_I64);
    cr_expect(!name.formals[2].list && name.formals[2].type == ELEMENT_F16);
    arena_reset(&arena);
}

// ---- matching

static FpdBuffer sample_buffers[] = {
    {.name = "Q", .type = ELEMENT_F16, .rank = 3, .shape = {2, 256, 64}},
    {.name = "S", .type = ELEMENT_F32, .rank = 1, .shape = {100}},
    {.name = "B", .type = ELEMENT_I8, .rank = 2, .shape = {3000000000, 1}},
};
static const FpdCase sample_case = {.buffers = sample_buffers, .buffer_count = BASE_COUNT(sample_buffers)};

static FpdArgument buffer_argument(uint32_t buffer) {
    return (FpdArgument){.kind = FPD_ARGUMENT_BUFFER,
                         .text = sample_buffers[buffer].name,
                         .buffer = buffer,
                         .at = {.file = "c.yaml", .line = 10 + buffer}};
}
static FpdArgument part_argument(FpdArgumentKind kind, uint32_t buffer, uint32_t dimension, const char *text) {
    return (FpdArgument){
        .kind = kind, .text = text, .buffer = buffer, .dimension = dimension, .at = {.file = "c.yaml", .line = 20}};
}
static FpdArgument value_argument(ElementType type, uint64_t bits, const char *text) {
    return (FpdArgument){
        .kind = FPD_ARGUMENT_VALUE, .text = text, .type = type, .bits = bits, .at = {.file = "c.yaml", .line = 30}};
}

#define POINTER(of)                                                                                                    \
    { .pointer = true, .type = ELEMENT_##of }
#define NUMBER(of)                                                                                                     \
    { .type = ELEMENT_##of }

static const char *match(Arena *arena, const char *symbol, uint32_t count, const ProgramParameter *parameters,
                         uint32_t argument_count, FpdArgument *arguments, FpdValue **values) {
    Diagnostics diagnostics = {0};
    FpdLaunch launch = {.argument_count = argument_count,
                        .arguments = arguments,
                        .arguments_at = {.file = "c.yaml", .line = 40},
                        .module_at = {.file = "c.yaml", .line = 41}};
    const ProgramKernel kernel = {.name = symbol, .parameter_count = count, .parameters = parameters};
    bool good = fpd_match_arguments(&diagnostics, arena, &sample_case, &launch, &kernel, values);
    cr_assert_eq(diagnostics.count, good ? 0 : 1);
    if (good) return NULL;
    cr_expect(diagnostics.items[0].at.line >= 10 && diagnostics.items[0].code == E_ARGUMENT);
    const char *message = arena_format(arena, "%u: %s", diagnostics.items[0].at.line, diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    return message;
}

static const ProgramParameter attention[] = {POINTER(F16), NUMBER(I32), NUMBER(I32), NUMBER(I32),
                                             NUMBER(I32),  NUMBER(I32), NUMBER(I32), NUMBER(F32),
                                             POINTER(F32), NUMBER(I64), NUMBER(I64)};
#define ATTENTION "attention_Kt1_A3f16_3l0_4t1_p16_Sf32_I64_A1f32_1t1_w"

Test(arguments, cutile_entry) {
    Arena arena = {0};
    FpdValue *values;
    FpdArgument arguments[] = {buffer_argument(0), value_argument(ELEMENT_F32, 0x3e000000, "f32 0.125"),
                               buffer_argument(1)};
    const char *message = match(&arena, ATTENTION, BASE_COUNT(attention), attention, 3, arguments, &values);
    cr_assert_null(message, "%s", message);
    static const uint64_t bits[] = {0, 2, 256, 64, 16384, 64, 1, 0x3e000000, 0, 100, 1};
    for (size_t i = 0; i < BASE_COUNT(bits); i++) {
        cr_expect_eq(values[i].pointer, attention[i].pointer);
        cr_expect_eq(values[i].bits, bits[i], "parameter %zu", i);
    }
    cr_expect(values[0].buffer == 0 && values[8].buffer == 1);
    cr_expect_str_eq(values[5].text, "Q.stride.1 = 64");
    cr_expect_str_eq(values[7].text, "f32 0.125");
    arena_reset(&arena);
}

static void expect_misfit(const char *symbol, uint32_t count, const ProgramParameter *parameters,
                          uint32_t argument_count, FpdArgument *arguments, const char *expected) {
    Arena arena = {0};
    FpdValue *values;
    const char *message = match(&arena, symbol, count, parameters, argument_count, arguments, &values);
    cr_expect(message && strstr(message, expected), "'%s' lacks '%s'", message ? message : "accepted", expected);
    arena_reset(&arena);
}

Test(arguments, cutile_misfits) {
    const uint32_t n = BASE_COUNT(attention);
    FpdArgument q = buffer_argument(0), s = buffer_argument(1), half = value_argument(ELEMENT_F16, 0, "f16 0.125");
    FpdArgument scale = value_argument(ELEMENT_F32, 0x3e000000, "f32 0.125"),
                part = part_argument(FPD_ARGUMENT_SHAPE, 0, 1, "Q.shape.1");
    expect_misfit(ATTENTION, n, attention, 2, (FpdArgument[]){q, scale},
                  "40: kernel attention takes 3 arguments, found 2; expected: array of f16 with 3 dimensions, f32, "
                  "array of f32 with 1 dimension");
    expect_misfit(ATTENTION, n, attention, 3, (FpdArgument[]){q, half, s},
                  "30: parameter 2 of kernel attention: found f16 0.125, expected f32");
    expect_misfit(ATTENTION, n, attention, 3, (FpdArgument[]){s, scale, s},
                  "11: parameter 1 of kernel attention: found S, a buffer of f32 with 1 dimension, expected array of "
                  "f16 with 3 dimensions");
    expect_misfit(ATTENTION, n, attention, 3, (FpdArgument[]){q, part, s},
                  "20: parameter 2 of kernel attention: found Q.shape.1, an integer, expected f32");
    expect_misfit(ATTENTION, n, attention, 3, (FpdArgument[]){q, scale, scale},
                  "parameter 3 of kernel attention: found f32 0.125, expected array of f32");
    expect_misfit(ATTENTION, n - 1, attention, 3, (FpdArgument[]){q, scale, s},
                  "41: entry attention_Kt1_A3f16_3l0_4t1_p16_Sf32_I64_A1f32_1t1_w has 10 parameters of other types "
                  "than its name says");
}

Test(arguments, what_the_entry_was_compiled_for) {
    static const ProgramParameter one[] = {POINTER(F32), NUMBER(I32), NUMBER(I32)},
                                  three[] = {POINTER(F16), NUMBER(I32), NUMBER(I32), NUMBER(I32),
                                             NUMBER(I32),  NUMBER(I32), NUMBER(I32)};
    static const ProgramParameter large[] = {POINTER(I8), NUMBER(I32), NUMBER(I32), NUMBER(I32), NUMBER(I32)};
    FpdArgument q = buffer_argument(0), s = buffer_argument(1), b = buffer_argument(2);
    Arena arena = {0};
    FpdValue *values;
    cr_expect_null(match(&arena, "k_Kt1_A1f32_1s100i4t1v1l0", 3, one, 1, &s, &values));
    arena_reset(&arena);
    expect_misfit("k_Kt2_A1f32_1s99", 3, one, 1, &s,
                  "dimension 0 of buffer S has size 100, the kernel was compiled for size 99");
    expect_misfit("k_Kt1_A1f32_1i16", 3, one, 1, &s,
                  "dimension 0 of buffer S has size 100, the kernel was compiled for a multiple of 16");
    expect_misfit("k_Kt1_A3f16_4t2", 7, three, 1, &q,
                  "dimension 2 of buffer Q has stride 1, the kernel was compiled for stride 2");
    expect_misfit("k_Kt1_A3f16_4t_1", 7, three, 1, &q,
                  "dimension 2 of buffer Q has stride 1, the kernel was compiled for stride -1");
    expect_misfit("k_Kt1_A3f16_2v128", 7, three, 1, &q,
                  "dimension 1 of buffer Q has stride 64, the kernel was compiled for a multiple of 128");
    expect_misfit("k_Kt1_A3f16_2l65", 7, three, 1, &q,
                  "dimension 1 of buffer Q has stride 64, the kernel was compiled for at least 65");
    expect_misfit("k_Kt1_A1f32_p128", 3, one, 1, &s, "assumes that buffer S starts at a multiple of 128 bytes");
    expect_misfit("k_Kt1_A2i8", 5, large, 1, &b,
                  "parameter 2 of kernel k: B.shape.0 is 3000000000, which i32 cannot hold");
    expect_misfit(
        "k_Kt7_A1f32", 3, one, 1, &s,
        "41: the name of entry k_Kt7_A1f32 cannot be read: cuTile calling convention t7, known are t1 and t2");
}

Test(arguments, plain_entry) {
    static const ProgramParameter parameters[] = {POINTER(F16), POINTER(F16), NUMBER(I32), NUMBER(I64), NUMBER(F32)};
    Arena arena = {0};
    FpdValue *values;
    FpdArgument arguments[] = {buffer_argument(0), part_argument(FPD_ARGUMENT_POINTER, 0, 0, "Q.ptr"),
                               part_argument(FPD_ARGUMENT_SHAPE, 0, 1, "Q.shape.1"),
                               part_argument(FPD_ARGUMENT_STRIDE, 0, 0, "Q.stride.0"),
                               value_argument(ELEMENT_F32, 7, "f32 1e-44")};
    const char *message = match(&arena, "plain", 5, parameters, 5, arguments, &values);
    cr_assert_null(message, "%s", message);
    cr_expect(values[0].pointer && values[1].pointer && values[2].bits == 256 && values[3].bits == 16384 &&
              values[4].bits == 7);
    arena_reset(&arena);
    expect_misfit(
        "plain", 5, parameters, 4, arguments,
        "40: kernel plain takes 5 arguments, found 4; expected: a pointer to f16, a pointer to f16, i32, i64, f32");
    FpdArgument s = buffer_argument(1), size = arguments[2], number = arguments[4];
    expect_misfit("plain", 1, parameters, 1, &s,
                  "parameter 1 of kernel plain: found S, a buffer of f32 with 1 dimension, expected a pointer to f16");
    expect_misfit("plain", 1, parameters + 4, 1, &size,
                  "parameter 1 of kernel plain: found Q.shape.1, an integer, expected f32");
    expect_misfit("plain", 1, parameters + 2, 1, &number, "parameter 1 of kernel plain: found f32 1e-44, expected i32");
    expect_misfit("plain", 1, parameters + 2, 1, &s,
                  "parameter 1 of kernel plain: found S, a buffer of f32 with 1 dimension, expected i32");
}

// ---- views and lists

static const FpdView columns = {.type = ELEMENT_F32, .rank = 1, .shape = {5}, .stride = {-4}, .offset = 64};
static const FpdView halves = {.type = ELEMENT_F16, .rank = 1, .shape = {8}, .stride = {1}, .offset = 20};

static FpdArgument view_argument(uint32_t buffer, const FpdView *view) {
    FpdArgument argument = buffer_argument(buffer);
    argument.kind = FPD_ARGUMENT_VIEW;
    argument.view = view;
    argument.text = "the view";
    return argument;
}

static FpdArgument list_argument(uint32_t count, const FpdArgument *items) {
    return (FpdArgument){.kind = FPD_ARGUMENT_LIST,
                         .text = "list of arrays",
                         .item_count = count,
                         .items = items,
                         .at = {.file = "c.yaml", .line = 50}};
}

Test(arguments, views_of_buffers) {
    static const ProgramParameter one[] = {POINTER(F32), NUMBER(I32), NUMBER(I32)}, pointer[] = {POINTER(F16)};
    FpdArgument view = view_argument(1, &columns), other = view_argument(1, &halves);
    Arena arena = {0};
    FpdValue *values;
    cr_assert_null(match(&arena, "k_Kt1_A1f32_p64", 3, one, 1, &view, &values));
    cr_expect(values[0].pointer && values[0].buffer == 1 && values[0].offset == 64 && values[0].view);
    cr_expect(values[1].bits == 5 && values[2].bits == 0xfffffffc); // as i32
    cr_expect_str_eq(values[2].text, "view.stride.0 = -4");
    cr_assert_null(match(&arena, "plain", 1, pointer, 1, &other, &values));
    cr_expect(values[0].pointer && values[0].buffer == 1 && values[0].offset == 20);
    arena_reset(&arena);
    expect_misfit("k_Kt1_A1f32_1l0", 3, one, 1, &view,
                  "the view has stride -4, the kernel was compiled for at least 0");
    expect_misfit("k_Kt1_A1f32", 3, one, 1, &other, "found the view, an array of f16 with 1 dimension, expected array");
    static const ProgramParameter half[] = {POINTER(F16), NUMBER(I32), NUMBER(I32)};
    expect_misfit("k_Kt1_A1f16_p16", 3, half, 1, &other,
                  "the view starts at a multiple of 16 bytes, it starts at byte 20 of its buffer");
    expect_misfit("plain", 1, one, 1, &other,
                  "found the view, an array of f16 with 1 dimension, expected a pointer to f32");
}

Test(arguments, lists_of_arrays) {
    static const ProgramParameter list[] = {POINTER(I64), NUMBER(I32)}, wrong[] = {POINTER(F32), NUMBER(I32)};
    const FpdArgument arrays[] = {buffer_argument(1), view_argument(1, &columns)}, others[] = {buffer_argument(0)},
                      large[] = {buffer_argument(2)};
    FpdArgument good = list_argument(2, arrays), none = list_argument(0, NULL), bad = list_argument(1, others),
                too_large = list_argument(1, large), array = buffer_argument(1);
    Arena arena = {0};
    FpdValue *values;
    cr_assert_null(match(&arena, "k_Kt1_LA1f32", 2, list, 1, &good, &values));
    cr_expect(values[0].pointer && values[0].list == &good && values[0].buffer == FPD_NO_BUFFER && values[1].bits == 2);
    cr_assert_null(match(&arena, "k_Kt1_LA1f32", 2, list, 1, &none, &values));
    cr_expect(values[1].bits == 0);
    cr_assert_null(match(&arena, "plain", 1, list, 1, &good, &values)); // the table alone
    cr_expect(values[0].list == &good);
    arena_reset(&arena);
    expect_misfit(
        "k_Kt1_LA1f32", 2, list, 1, &bad,
        "10: parameter 1 of kernel k, array 0 of the list: found Q, a buffer of f16 with 3 dimensions, expected "
        "f32 with 1 dimension");
    expect_misfit("k_Kt1_LA1f32_1v16", 2, list, 1, &good, "has stride 1, the kernel was compiled for a multiple of 16");
    expect_misfit("k_Kt1_LA2i8", 2, list, 1, &too_large, "i32 cannot hold its sizes and strides");
    expect_misfit("k_Kt1_LA1f32", 2, list, 1, &array, "expected list of arrays of f32 with 1 dimension");
    expect_misfit("k_Kt1_A1f32", 3, (const ProgramParameter[]){POINTER(F32), NUMBER(I32), NUMBER(I32)}, 1, &good,
                  "50: parameter 1 of kernel k: found a list of arrays, expected array of f32 with 1 dimension");
    expect_misfit("k_Kt1_LA1f32", 2, wrong, 1, &good, "has 2 parameters of other types than its name says");
    expect_misfit("plain", 1, wrong, 1, &good, "found a list of arrays, expected a pointer to f32");
}
