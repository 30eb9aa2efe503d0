// SPDX-License-Identifier: Apache-2.0
// Launches of kernels of threads: the keys and arguments of case files, and their layout as parameters. Each wrong one
// gives one error with line and column.
#include "diff/judge.h"
#include "diff/report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                                           \
    "profile: triton-3.9\n"                                                                                            \
    "buffers:\n"                                                                                                       \
    "  Q: {type: f16, shape: [256, 64]}\n"                                                                             \
    "  X: {type: f32, shape: [100]}\n"                                                                                 \
    "  P: {type: f4e2m1fn, shape: [64, 128]}\n"                                                                        \
    "  C: {type: bf16, shape: [2, 3, 4, 8, 16, 32]}\n"                                                                 \
    "variants:\n  a:\n    - {module: CMakeLists.txt, "
#define TAIL "}\ncompare: [X]\n"
// All but the arguments.
#define ARGS(text) HEAD "grid: [4, 2], block: [64], args: [" text "]" TAIL

static FpdCase *parse(Arena *arena, Diagnostics *diagnostics, const char *text) {
    return fpd_parse_case(diagnostics, arena, SOURCE_DIR "/tests/diff/case.yaml", (const uint8_t *)text, strlen(text));
}

// Takes the mark ~ out of the text and says where it was.
static const char *take_mark(Arena *arena, const char *marked, unsigned *line, unsigned *column) {
    const char *mark = strchr(marked, '~');
    cr_assert(mark, "no mark: %s", marked);
    *line = *column = 1;
    for (const char *c = marked; c < mark; c++) {
        *column = *c == '\n' ? 1 : *column + 1;
        *line += *c == '\n';
    }
    return arena_format(arena, "%.*s%s", (int)(mark - marked), marked, mark + 1);
}

static void expect_error(const char *text, const Diagnostics *found, const char *message, unsigned line,
                         unsigned column, int status) {
    cr_assert_eq(found->count, 1, "%zu errors:\n%s", found->count, text);
    const Diagnostic *error = &found->items[0];
    cr_expect(strstr(error->message, message), "'%s' lacks '%s'", error->message, message);
    cr_expect(error->at.line == line && error->at.column == column, "error at %u:%u, expected %u:%u\n%s",
              error->at.line, error->at.column, line, column, text);
    cr_expect_eq(fpd_exit_status(found), status, "%s", text);
}

Test(threads, keys_and_arguments) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdCase *cas = parse(&arena, &diagnostics,
                         HEAD "grid: [4, 2], block: [32, 4], cluster: [1], shared: 4096, args: ["
                              "{map: {buffer: Q, box: [64, 32], swizzle: 64}}, {scratch: 256}, {bytes: 00fFa1}, "
                              "{struct: [i8 1, Q.ptr, {struct: [f32 2]}]}]" TAIL);
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    const FpdLaunch *launch = &cas->variants[0].launches[0];
    cr_expect(launch->block[0] == 32 && launch->block[1] == 4 && launch->block[2] == 1);
    cr_expect(launch->cluster[0] == 1 && launch->cluster[2] == 1 && launch->shared == 4096 && launch->shared_given);
    const FpdArgument *map = &launch->arguments[0], *scratch = &launch->arguments[1], *bytes = &launch->arguments[2],
                      *fields = &launch->arguments[3];
    cr_assert(map->kind == FPD_ARGUMENT_MAP && map->buffer == 0);
    cr_expect(map->map->type == RT_MAP_F16 && map->map->rank == 2 && map->map->swizzle == RT_MAP_SWIZZLE_64B);
    cr_expect(map->map->dimension[0] == 64 && map->map->dimension[1] == 256 && map->map->stride[1] == 128);
    cr_expect(map->map->box[0] == 32 && map->map->box[1] == 64 && map->map->element_stride[1] == 1);
    cr_expect_str_eq(map->text, "map of Q, 256 x 64 of f16, box 64 x 32, swizzle 64");
    cr_expect(scratch->kind == FPD_ARGUMENT_SCRATCH && scratch->size == 256);
    cr_assert(bytes->kind == FPD_ARGUMENT_BYTES && bytes->size == 3);
    cr_expect(bytes->bytes[0] == 0 && bytes->bytes[1] == 0xff && bytes->bytes[2] == 0xa1);
    cr_assert(fields->kind == FPD_ARGUMENT_STRUCT && fields->item_count == 3);
    cr_expect(fields->items[1].kind == FPD_ARGUMENT_POINTER && fields->items[2].items[0].bits == 0x40000000);
    cr_expect_str_eq(fields->text, "struct {i8 1; Q.ptr; struct {f32 2}}");
    arena_reset(&arena);
}

Test(threads, every_key_of_a_map) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdCase *cas = parse(&arena, &diagnostics,
                         ARGS("{map: {buffer: P, box: [8, 32], type: u8, shape: [16, 64], strides: [256, 1], "
                              "swizzle: 128_atom_32, element_strides: [2, 1], interleave: 16, fill: nan}}, "
                              "{map: {buffer: P, box: [8, 128]}}"));
    cr_assert(cas, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    const FpdArgument *arguments = cas->variants[0].launches[0].arguments;
    const RtMap *map = arguments[0].map, *plain = arguments[1].map;
    cr_expect(map->type == RT_MAP_U8 && map->dimension[0] == 64 && map->dimension[1] == 16 && map->stride[1] == 256);
    cr_expect(map->swizzle == RT_MAP_SWIZZLE_128B_ATOM_32B && map->interleave == RT_MAP_INTERLEAVE_16B);
    cr_expect(map->fill_nan && map->element_stride[0] == 1 && map->element_stride[1] == 2);
    cr_expect(plain->type == RT_MAP_16U4_ALIGN8B && plain->stride[1] == 64 && !plain->fill_nan);
    arena_reset(&arena);
}

#define MAP(text) ARGS("{map: ~{" text "}}")
static const struct WrongText {
    const char *marked, *message;
} wrong_texts[] = {
    {HEAD "grid: [4, 2], block: ~[], args: []" TAIL, "block has 0 numbers, expected one to three"},
    {HEAD "grid: [4, 2], block: [1, ~0], args: []" TAIL, "a number of threads of block is '0', expected"},
    {HEAD "grid: [4, 2], block: [~2048], args: []" TAIL, "is '2048', expected an integer from 1 to 1024"},
    {HEAD "grid: [4, 2], cluster: [~17], args: []" TAIL, "a number of blocks of cluster is '17'"},
    {HEAD "grid: [4, 2], cluster: ~[1, 1, 1, 1], args: []" TAIL, "cluster has 4 numbers"},
    {HEAD "grid: [4, 2], shared: ~-1, args: []" TAIL, "shared is '-1', expected an integer from 0 to 233472"},
    {HEAD "grid: [4, 2], shared: ~233473, args: []" TAIL, "shared is '233473'"},
    {ARGS("[~{scratch: 1}]"), "'scratch, 1 bytes for each block' in a list of arrays, expected buffers and views"},
    {ARGS("~{}"), "an argument has 0 keys, expected those of a view, or one: map, scratch, bytes or struct"},
    {ARGS("~{scratch: 0, bytes: 00}"), "an argument has 2 keys, expected those of a view, or one"},
    {ARGS("{~mapp: {buffer: Q}}"),
     "unknown key 'mapp' in an argument, expected one of: view, map, scratch, bytes, struct"},
    {ARGS("{scratch: ~-1}"), "scratch is '-1', expected an integer from 0 to 4294967296"},
    {ARGS("{scratch: ~[]}"), "scratch is a list, expected a word or number"},
    {ARGS("{bytes: ~123}"), "bytes are '123', expected two hexadecimal digits for each of at most 32764"},
    {ARGS("{bytes: ~0x12}"), "bytes are '0x12', expected two hexadecimal digits"},
    {ARGS("{bytes: ~[00]}"), "bytes is a list, expected a word or number"},
    {ARGS("{struct: ~[]}"), "a struct has no fields"},
    {ARGS("{struct: ~X}"), "struct is a word, expected a list"},
    {ARGS("{struct: [i32 1, ~Z]}"), "argument 'Z' is no buffer"},
    {ARGS("{struct: [~i32 1.5]}"), "argument 'i32 1.5': '1.5' is not"},
    {ARGS("{map: ~Q}"), "map is a word, expected a mapping"},
    {MAP("buffer: Q"), "key 'box' is missing in a map"},
    {MAP("box: [1]"), "key 'buffer' is missing in a map"},
    {ARGS("{map: {buffer: ~Z, box: [1]}}"), "a map is of 'Z', which is no buffer, expected one of: Q X P C"},
    {ARGS("{map: {buffer: Q, box: ~[]}}"), "box has 0 numbers, expected one to 5"},
    {ARGS("{map: {buffer: C, box: ~[1, 1, 1, 1, 1, 32]}}"), "box has 6 numbers, expected one to 5"},
    {ARGS("{map: {buffer: Q, box: [~0, 8]}}"), "a number of box is '0'"},
    {MAP("buffer: Q, box: [64]"), "box has 1 numbers and buffer Q 2 dimensions: the map needs a shape of its own"},
    {ARGS("{map: {buffer: Q, box: [8, 8], shape: ~[64]}}"), "shape of a map has 1 numbers, box has 2"},
    {ARGS("{map: {buffer: Q, box: [8, 8], strides: ~[64]}}"), "strides of a map has 1 numbers, box has 2"},
    {ARGS("{map: {buffer: Q, box: [8, 8], strides: ~[64, 2]}}"), "the innermost stride of a map is 2, expected 1"},
    {ARGS("{map: {buffer: Q, box: [8, 8], type: ~f8}}"), "type of a map is 'f8', expected one of: u8, u16, u32"},
    {ARGS("{map: {buffer: Q, box: [8, 8], swizzle: ~96}}"),
     "swizzle of a map is '96', expected one of: 0, 32, 64, 128"},
    {ARGS("{map: {buffer: Q, box: [8, 8], interleave: ~8}}"), "interleave of a map is '8', expected one of: 0, 16, 32"},
    {ARGS("{map: {buffer: Q, box: [8, 8], fill: ~zero}}"), "fill of a map is 'zero', expected one of: zeros, nan"},
    {MAP("buffer: P, box: [8, 32], type: u8"),
     "elements of type u8 have 8 bits, those of buffer P 4: the map needs a shape of its own"},
    {MAP("buffer: P, box: [8, 32], strides: [127, 1]"), "is 127 elements of 4 bits: no whole bytes"},
    {MAP("buffer: Q, box: [8, 8], shape: [257, 64]"), "the map reaches to byte 32896 of buffer Q, which has 32768"},
    {MAP("buffer: Q, box: [8, 8], strides: [128, 1]"), "the map reaches to byte 65408 of buffer Q"},
    {MAP("buffer: Q, box: [1, 1, 1, 8], shape: [1099511627776, 1099511627776, 1099511627776, 64]"),
     "the map is larger than buffer Q, which has 32768 bytes"},
};

Test(threads, wrong_texts) {
    for (size_t i = 0; i < BASE_COUNT(wrong_texts); i++) {
        Arena arena = {0};
        Diagnostics diagnostics = {0};
        unsigned line, column;
        const char *text = take_mark(&arena, wrong_texts[i].marked, &line, &column);
        cr_expect_null(parse(&arena, &diagnostics, text), "accepted:\n%s", text);
        expect_error(text, &diagnostics, wrong_texts[i].message, line, column, 2);
        diagnostics_close(&diagnostics);
        arena_reset(&arena);
    }
}

// ---- launches and kernels -------------------------------------------------------------------------------------------

#define POINTER                                                                                                        \
    { .pointer = true, .type = ELEMENT_TYPE_COUNT, .size = 8, .alignment = 8 }
#define NUMBER(of, bytes)                                                                                              \
    { .type = ELEMENT_##of, .size = bytes, .alignment = bytes }
#define BITS(bytes)                                                                                                    \
    { .type = ELEMENT_TYPE_COUNT, .size = bytes, .alignment = bytes }
#define ARRAY(bytes, aligned)                                                                                          \
    { .type = ELEMENT_TYPE_COUNT, .array = true, .size = bytes, .alignment = aligned }

static const ProgramParameter all_kinds[] = {ARRAY(128, 64), POINTER,      NUMBER(F32, 4), NUMBER(I64, 8),
                                             BITS(4),        ARRAY(24, 8), NUMBER(I16, 2), POINTER};
#define GOOD_ARGS                                                                                                      \
    "{map: {buffer: Q, box: [64, 32]}}, X, f32 0.5, Q.stride.0, f32 2, {struct: [i32 1, X, i8 3]}, i16 -2, "           \
    "{scratch: 16}"

static const ProgramThreads any_block = {.shared_max = 1000, .static_shared = 100};
static const ProgramKernel kernel_of_all = {
    .name = "k", .parameter_count = BASE_COUNT(all_kinds), .parameters = all_kinds, .threads = &any_block};

static FpdThreads *match(Arena *arena, Diagnostics *diagnostics, const char *text, const ProgramKernel *kernel,
                         FpdValue **values) {
    FpdResolvedLaunch resolved = {.entry = kernel, .kernel = kernel->name};
    const FpdCase *cas = parse(arena, diagnostics, text);
    cr_assert(cas, "%s\n%s", diagnostics->count ? diagnostics->items[0].message : "", text);
    cr_expect_eq(fpd_match_threads(diagnostics, arena, cas, &cas->variants[0].launches[0], &resolved),
                 !diagnostics->count);
    *values = resolved.values;
    return resolved.threads;
}

static uint64_t word_at(const FpdThreads *threads, uint32_t offset, size_t bytes) {
    uint64_t word = 0;
    memcpy(&word, threads->parameters + offset, bytes);
    return word;
}

Test(threads, layout_of_parameters) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdValue *values;
    const FpdThreads *t = match(&arena, &diagnostics, ARGS(GOOD_ARGS), &kernel_of_all, &values);
    cr_assert(t, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    static const uint32_t offsets[] = {0, 128, 136, 144, 152, 160, 184, 192};
    for (size_t i = 0; i < BASE_COUNT(offsets); i++) cr_expect_eq(t->offsets[i], offsets[i], "parameter %zu", i);
    cr_expect_eq(t->parameter_bytes, 200);
    cr_expect(t->launch.block[0] == 64 && t->launch.block[2] == 1 && t->launch.cluster[1] == 1);
    cr_expect_eq(word_at(t, 136, 4), 0x3f000000);
    cr_expect_eq(word_at(t, 144, 8), 64);
    cr_expect_eq(word_at(t, 152, 4), 0x40000000);
    cr_expect_eq(word_at(t, 160, 8), 1);
    cr_expect_eq(word_at(t, 176, 8), 3);
    cr_expect_eq(word_at(t, 184, 2), 0xfffe);
    cr_assert_eq(t->placed_count, 4);
    const FpdPlaced *p = t->placed;
    cr_expect(p[0].kind == FPD_ARGUMENT_MAP && p[0].offset == 0 && !p[0].by_address && p[0].buffer == 0);
    cr_expect(p[1].kind == FPD_ARGUMENT_BUFFER && p[1].offset == 128 && p[1].buffer == 1);
    cr_expect(p[2].kind == FPD_ARGUMENT_BUFFER && p[2].offset == 168 && p[2].buffer == 1 && p[2].parameter == 5);
    cr_expect(p[3].kind == FPD_ARGUMENT_SCRATCH && p[3].offset == 192 && p[3].size == 16 * 8);
    cr_expect_str_eq(values[3].text, "Q.stride.0, 64");
    arena_reset(&arena);
}

// As CuTe DSL passes tensors, and LLVM halves.
Test(threads, arrays_of_bytes_that_are_something_else) {
    static const ProgramParameter parameters[] = {ARRAY(8, 8), ARRAY(2, 2), ARRAY(8, 8)};
    const ProgramKernel kernel = {.name = "k", .parameter_count = 3, .parameters = parameters, .threads = &any_block};
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdValue *values;
    const FpdThreads *t = match(&arena, &diagnostics, ARGS("X, f16 1, {scratch: 0}"), &kernel, &values);
    cr_assert(t, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect(t->placed_count == 2 && t->placed[0].offset == 0 && t->placed[1].offset == 16);
    cr_expect_eq(word_at(t, 8, 2), 0x3c00);
    arena_reset(&arena);
}

Test(threads, maps_and_structs_inside_structs) {
    static const ProgramParameter parameters[] = {ARRAY(256, 64), POINTER};
    const ProgramKernel kernel = {.name = "k", .parameter_count = 2, .parameters = parameters, .threads = &any_block};
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdValue *values;
    const FpdThreads *t =
        match(&arena, &diagnostics,
              ARGS("{struct: [i16 7, {map: {buffer: Q, box: [64, 32]}}, {struct: [i8 1, i32 2]}, {bytes: 0102}]}, "
                   "{map: {buffer: Q, box: [64, 32]}}"),
              &kernel, &values);
    cr_assert(t, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert(t->placed_count == 2 && t->placed[0].offset == 64 && !t->placed[0].by_address);
    cr_expect(t->placed[1].offset == 256 && t->placed[1].by_address);
    cr_expect_eq(word_at(t, 0, 8), 7);
    cr_expect_eq(word_at(t, 192, 8), 0x200000001);
    cr_expect_eq(word_at(t, 200, 2), 0x201);
    arena_reset(&arena);
}

static void expect_unfit(const char *marked, const ProgramKernel *kernel, const char *message, int status) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdValue *values;
    unsigned line, column;
    const char *text = take_mark(&arena, marked, &line, &column);
    cr_expect_null(match(&arena, &diagnostics, text, kernel, &values), "accepted:\n%s", text);
    expect_error(text, &diagnostics, message, line, column, status);
    diagnostics_close(&diagnostics);
    arena_reset(&arena);
}

// One argument for a kernel with this parameter alone.
static void expect_unfit_one(const char *argument, ProgramParameter parameter, const char *message) {
    Arena arena = {0};
    const ProgramKernel kernel = {.name = "k", .parameter_count = 1, .parameters = &parameter, .threads = &any_block};
    expect_unfit(arena_format(&arena, ARGS("~%s"), argument), &kernel, message, 2);
    arena_reset(&arena);
}

Test(threads, arguments_that_do_not_fit) {
    const ProgramParameter array = ARRAY(128, 64), small = ARRAY(12, 4), pointer = POINTER, f32 = NUMBER(F32, 4),
                           i32 = NUMBER(I32, 4), i64 = NUMBER(I64, 8), i16 = NUMBER(I16, 2), loose = ARRAY(128, 8),
                           f64 = NUMBER(F64, 8), bits = BITS(2);
    ProgramParameter aligned = POINTER;
    aligned.pointer_alignment = 128;
    expect_unfit_one("X", f32, "parameter 1 of kernel k: found X, a buffer of f32 with 1 dimension, expected f32");
    expect_unfit_one("X", f64, "expected f64");
    expect_unfit_one("X", i32, "expected i32");
    expect_unfit_one("X", small, "expected 12 bytes aligned to 4 (a struct)");
    expect_unfit_one("X", (ProgramParameter)ARRAY(8, 4), "expected 8 bytes aligned to 4 (a struct)");
    expect_unfit_one("i32 1", (ProgramParameter)ARRAY(8, 8), "expected 8 bytes aligned to 8 (a pointer or a struct)");
    expect_unfit_one("X", array, "expected 128 bytes aligned to 64 (a tensor map or a struct)");
    expect_unfit_one("X", aligned, "promises an address that is a multiple of 128, buffers begin at multiples of 64");
    expect_unfit_one("i32 1", f32, "found i32 1, expected f32");
    expect_unfit_one("f32 1", i32, "found f32 1, expected i32");
    expect_unfit_one("i32 1", i64, "found i32 1, expected i64 or a pointer");
    expect_unfit_one("i64 1", pointer, "found i64 1, expected a pointer");
    expect_unfit_one("f32 1", bits, "found f32 1, expected 2 bytes");
    expect_unfit_one("f4e2m1fn 1", bits, "found f4e2m1fn 1, expected 2 bytes");
    expect_unfit_one("Q.shape.0", f32, "found Q.shape.0, an integer, expected f32");
    expect_unfit_one("Q.shape.0", pointer, "found Q.shape.0, an integer, expected a pointer");
    expect_unfit_one("C.stride.0", (ProgramParameter)NUMBER(I8, 1), "C.stride.0 is 49152, which 1 bytes cannot hold");
    expect_unfit_one("{scratch: 8}", i16, "found scratch, 8 bytes for each block, expected i16");
    expect_unfit_one("{scratch: 4294967296}", pointer, "is more than 4294967296 bytes");
    expect_unfit_one("{bytes: 0011}", i32, "found 2 bytes of 2 bytes, expected i32");
    expect_unfit_one("{struct: [i32 1, f32 2]}", small, "found struct {i32 1; f32 2} of 8 bytes, expected 12 bytes");
    expect_unfit_one("{struct: [X, i64 2, i32 1]}", small, "of 24 bytes, expected 12 bytes");
    expect_unfit_one("{map: {buffer: Q, box: [64, 32]}}", small, "found a map of 128 bytes, expected 12 bytes");
    expect_unfit_one("{map: {buffer: Q, box: [64, 32]}}", loose,
                     "found a map, which is aligned to 64 bytes, the parameter to 8");
    expect_unfit_one("{map: {buffer: Q, box: [512, 32]}}", array, "512");
    expect_unfit_one("{map: {buffer: Q, box: [64, 64], swizzle: 32}}", array, "32");
}

Test(threads, fields_that_have_no_size) {
    const ProgramParameter small = ARRAY(12, 4);
    const ProgramKernel kernel = {.name = "k", .parameter_count = 1, .parameters = &small, .threads = &any_block};
    expect_unfit(
        ARGS("{struct: [i64 0, i32 1, ~Q.shape.0]}"),
        &(ProgramKernel){
            .name = "k", .parameter_count = 1, .parameters = &(ProgramParameter)ARRAY(16, 8), .threads = &any_block},
        "field 3 of a struct: Q.shape.0 has no size of its own in a struct", 2);
    expect_unfit(ARGS("{struct: [i32 0, i32 1, i32 2, ~f4e2m1fn 1]}"), &kernel, "field 4 of a struct: f4e2m1fn 1", 2);
}

Test(threads, counts) {
    expect_unfit(HEAD "grid: [1], block: [64], args: ~[X]" TAIL, &kernel_of_all,
                 "kernel k takes 8 arguments, found 1; expected: 128 bytes aligned to 64 (a tensor map or a struct), a "
                 "pointer, f32, i64 or a pointer, 4 bytes, 24 bytes aligned to 8 (a struct), i16, a pointer",
                 2);
    static const ProgramParameter triton[] = {POINTER, POINTER, POINTER};
    const ProgramKernel kernel = {.name = "k", .parameter_count = 3, .parameters = triton, .threads = &any_block};
    expect_unfit(HEAD "grid: [1], block: [64], args: ~[X]" TAIL, &kernel,
                 "(the last two of a Triton kernel are scratch memory, most often {scratch: 0})", 2);
}

// "grid: [4, 2], " and these keys, for a kernel without parameters.
static void expect_unfit_keys(const char *marked_keys, ProgramThreads threads, const char *message, int status) {
    Arena arena = {0};
    const ProgramKernel kernel = {.name = "k", .threads = &threads};
    const char *before = strchr(marked_keys, '~') ? "" : "~";
    expect_unfit(before[0] ? arena_format(&arena,
                                          "profile: triton-3.9\nbuffers:\n  X: {type: f32, shape: [4]}\nvariants:\n"
                                          "  a:\n    - ~{module: CMakeLists.txt, grid: [4, 2], %sargs: []}\n"
                                          "compare: [X]\n",
                                          marked_keys)
                           : arena_format(&arena, HEAD "grid: [4, 2], %sargs: []" TAIL, marked_keys),
                 &kernel, message, status);
    arena_reset(&arena);
}

Test(threads, blocks_clusters_and_shared_memory) {
    const ProgramThreads needs_128 = {.required = {128, 1, 1}}, most = {.most = 100}, any = {0},
                         pairs = {.required = {32, 1, 1}, .required_cluster = {2, 1, 1}},
                         triples = {.required = {32, 1, 1}, .required_cluster = {3, 1, 1}},
                         explicit = {.required = {32, 1, 1}, .explicit_cluster = true},
                         dynamic = {.required = {32, 1, 1}, .dynamic_shared = true};
    expect_unfit_keys("", any, "kernel k does not require a number of threads, so its launch needs the key block", 2);
    expect_unfit_keys("block: ~[64], ", needs_128, "block is 64 x 1 x 1, kernel k requires 128 x 1 x 1", 2);
    expect_unfit_keys("block: ~[101], ", most, "block is 101 x 1 x 1: 101 threads, kernel k allows 100", 2);
    expect_unfit_keys("block: ~[64, 64], ", any, "4096 threads, kernel k allows 1024", 2);
    expect_unfit_keys("block: ~[1, 1, 65], ", any, "its last number is at most 64", 2);
    expect_unfit_keys("cluster: ~[2], ", pairs, "kernel k runs in clusters of 2 x 1 x 1 blocks; only clusters of one",
                      3);
    expect_unfit_keys("cluster: ~[1], ", pairs, "cluster is 1 x 1 x 1, kernel k requires 2 x 1 x 1", 2);
    expect_unfit_keys("cluster: ~[3], ", triples, "a grid of 4 x 2 x 1 blocks is not divided by clusters of 3 x 1 x 1",
                      2);
    expect_unfit_keys("", explicit, "kernel k is for clusters of any size, so its launch needs the key cluster", 2);
    expect_unfit_keys("", dynamic, "kernel k uses dynamic shared memory, so its launch needs the key shared", 2);
    expect_unfit_keys("block: [32], shared: ~901, ", any_block,
                      "901 bytes of dynamic shared memory and 100 of the kernel's own are more than the 1000", 2);
}

Test(threads, what_the_kernel_requires_need_not_be_said) {
    static const ProgramThreads all = {
        .required = {128, 2, 1}, .required_cluster = {1, 1, 1}, .dynamic_shared = true, .shared_max = 1000};
    const ProgramKernel kernel = {.name = "k", .threads = &all};
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdValue *values;
    const FpdThreads *t =
        match(&arena, &diagnostics, HEAD "grid: [4, 2], shared: 1000, args: []" TAIL, &kernel, &values);
    cr_assert(t, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect(t->launch.block[0] == 128 && t->launch.block[1] == 2 && t->launch.shared_bytes == 1000);
    arena_reset(&arena);
}

// ---- what runs tell -------------------------------------------------------------------------------------------------

Test(threads, gpus_refuse_them) {
    static FpdLaunch launches[] = {{.path = "a.tileirbc"}, {.path = "b.ptx", .module_at = {.line = 7, .column = 9}}};
    static FpdVariant variants[] = {{.name = "a", .launch_count = 2, .launches = launches}};
    static FpdThreads threads;
    static FpdResolvedLaunch resolved[] = {{.kernel = "a"}, {.kernel = "b", .threads = &threads}};
    FpdResolvedLaunch *of_variants[] = {resolved};
    const FpdCase cas = {.variant_count = 1, .variants = variants};
    const FpdPrograms programs = {.cas = &cas, .launches = of_variants};
    for (int target = 0; target < 3; target++) {
        Diagnostics diagnostics = {0};
        const FpdMachine machine = {.target = (FpdTarget)target};
        cr_expect_eq(fpd_check_modules(&diagnostics, &machine, &programs), target != FPD_TARGET_cuda);
        if (diagnostics.count) {
            cr_expect_str_eq(diagnostics.items[0].message,
                             "module b.ptx is PTX, which is emulated; --target cuda cannot run it");
            cr_expect(diagnostics.items[0].at.line == 7 && fpd_exit_status(&diagnostics) == 2);
        }
        diagnostics_close(&diagnostics);
    }
}

// Both modes of one variant warn of the same, and of something else.
Test(threads, warnings_are_kept_once) {
    static FpdVariant variants[] = {{.name = "a", .launch_count = 2}, {.name = "b", .launch_count = 1}};
    const FpdCase cas = {.variant_count = 2, .variants = variants};
    Arena arena = {0};
    Buffer text = {0};
    FpdWarnings warnings[3] = {0};
    FpdRun run[3] = {{.mode = FPD_MODE_fpsan}, {.variant = 1}, {.mode = FPD_MODE_ieee}};
    const FpdRuns runs = {.run_count = 3, .runs = run};
    for (int r = 0; r < 3; r++) {
        Diagnostics found = {0};
        diag_fail(&found, (Location){.file = "k.py", .line = 3}, E_NONE, "label %d: first at 7", r);
        diag_fail(&found, (Location){.file = "k.py", .line = 3}, E_NONE, "label %d: first at 12", r);
        diag_fail(&found, (Location){.file = "k.py", .line = 3}, E_NONE, "label %d: another", r);
        diag_fail(&found, (Location){.file = "k.py", .line = 3, .column = 4}, E_NONE, "second");
        diag_fail(&found, (Location){0}, E_NONE, "third");
        run[r].warnings = &warnings[r];
        for (int again = 0; again < 2; again++)
            fpd_keep_warnings(&arena, arena_format(&arena, "label %d", r), r == 1, &found, &warnings[r]);
        cr_expect_eq(warnings[r].count, 4);
        diagnostics_close(&found);
    }
    fpd_print_warnings(&cas, &runs, &text);
    cr_expect_str_eq(text.data, "k.py:3: warning: variant a, launch 1: first at 7\n"
                                "k.py:3: warning: variant a, launch 1: another\n"
                                "k.py:3:4: warning: variant a, launch 1: second\n"
                                "warning: variant a, launch 1: third\n"
                                "k.py:3: warning: variant b, launch 2: first at 7\n"
                                "k.py:3: warning: variant b, launch 2: another\n"
                                "k.py:3:4: warning: variant b, launch 2: second\n"
                                "warning: variant b, launch 2: third\n");
    buffer_free(&text);
    arena_reset(&arena);
}

Test(threads, schedules_are_compared_bit_by_bit) {
    FpdBuffer buffers[] = {{.name = "X", .type = ELEMENT_F32, .elements = 3, .bytes = 12},
                           {.name = "Y", .type = ELEMENT_I8, .elements = 4, .bytes = 4}};
    uint32_t compare[] = {0, 1};
    const FpdCase cas = {.buffers = buffers, .buffer_count = 2, .compare = compare, .compare_count = 2};
    uint8_t x[12] = {0}, y[4] = {1, 2, 3, 4}, other_y[4] = {1, 2, 9, 9};
    uint8_t *forward[] = {x, y}, *reverse[] = {x, other_y};
    FpdRun second = {.bytes = forward};
    FpdRun run = {.bytes = forward, .again = {[FPD_SECOND_schedule] = &second}};
    Arena arena = {0};
    cr_expect_null(fpd_compare_schedules(&arena, &cas, &run));
    second.bytes = reverse;
    const FpdSchedule *schedule = fpd_compare_schedules(&arena, &cas, &run);
    cr_assert(schedule);
    cr_expect(schedule->different == 2 && schedule->buffer == 1 && schedule->first == 2);
    run.again[FPD_SECOND_schedule] = NULL;
    cr_expect_null(fpd_compare_schedules(&arena, &cas, &run));
    arena_reset(&arena);
}
