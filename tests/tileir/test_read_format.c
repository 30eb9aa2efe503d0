// SPDX-License-Identifier: Apache-2.0
// The container: header, sections in any order, alignment, tables, types; and each way to get them wrong.
#include "tests/tileir/read_encode.h"

Test(read_format, smallest_file) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    TirModule *module = file_expect(&file);
    cr_assert(module->function_count == 1 && module->version == 1301);
    cr_assert_str_eq(module->functions[0].name, "kernel");
    const TirOp *op = module->functions[0].body.first->first;
    cr_assert(op->kind == TIR_OP_return && !op->next && op->at.has_offset && !op->at.line);
    cr_assert_str_eq(op->at.section, "Func");
    tir_module_close(module);
}

// ---- header ----------------------------------------

Test(read_format, versions) {
    static const struct {
        uint8_t major, minor;
        bool known;
    } versions[] = {{13, 1, true},  {13, 2, true},    {13, 3, true},  {13, 4, true},   {13, 0, false}, {13, 5, true},
                    {13, 6, false}, {12, 101, false}, {14, 1, false}, {250, 0, false}, {0, 0, false}};
    for (size_t i = 0; i < BASE_COUNT(versions); i++) {
        EncFile file;
        file_open(&file, versions[i].minor);
        FUNCTION(&file, RETURN);
        file.major = versions[i].major;
        file.minor = versions[i].minor;
        if (!versions[i].known) {
            file_refuse(&file, E_VERSION, NULL, "expected 13.1 to 13.5");
            continue;
        }
        TirModule *module = file_expect(&file);
        cr_assert(module->version == 1300 + versions[i].minor);
        tir_module_close(module);
    }
}

Test(read_format, version_tag) {
    static const struct {
        uint16_t tag;
        ErrorCode code;
        const char *message;
    } tags[] = {{1, E_VERSION, "preview features (--preview), which are not supported"},
                {2, E_BYTECODE, "the tag of the version is 0x2, expected 0"},
                {3, E_BYTECODE, "the tag of the version is 0x3"},
                {0x100, E_BYTECODE, "the tag of the version is 0x100"}};
    for (size_t i = 0; i < BASE_COUNT(tags); i++)
        for (uint8_t minor = 1; minor <= 5; minor++) {
            EncFile file;
            file_open(&file, minor);
            FUNCTION(&file, RETURN);
            file.tag = tags[i].tag;
            file_refuse(&file, tags[i].code, NULL, tags[i].message);
        }
}

// ---- sections ----------------------------------------

Test(read_format, sections_in_any_order) {
    uint8_t ids[] = {STRING, FUNC, CONSTANT, TYPE};
    for (int swap = 0; swap < 24; swap++) {
        EncFile file;
        file_open(&file, 2);
        FUNCTION(&file, 0x10, T_TILE_I32, 0, RETURN); // constant
        ADD(&file.constants, 4, 1, 2, 3, 4);
        uint8_t left[4], index = (uint8_t)swap;
        memcpy(left, ids, 4);
        for (int i = 4; i > 0; index /= (uint8_t)i, i--) { // the permutation with this number
            file.order[4 - i] = left[index % i];
            memmove(&left[index % i], &left[index % i + 1], (size_t)(i - 1 - index % i));
        }
        TirModule *module = file_expect(&file);
        cr_assert_eq(tir_attribute(module->functions[0].body.first->first, "value")->constant.size, 4);
        tir_module_close(module);
    }
}

Test(read_format, the_later_of_two_equal_sections_counts) {
    EncFile file, other;
    file_open(&file, 1);
    file_open(&other, 1);
    FUNCTION(&file, RETURN);
    FUNCTION(&other, 0x44, T_TOKEN, RETURN); // make_token
    Buffer bytes = file_bytes(&file);
    bytes.size--; // the end byte
    put_section(&other, FUNC, &bytes);
    put_byte(&bytes, 0);
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "two", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(module && module->functions[0].op_count == 2);
    tir_module_close(module);
    buffer_free(&bytes);
    file_close(&file);
    file_close(&other);
}

Test(read_format, alignment) {
    static const struct {
        int id;
        uint64_t alignment;
        const char *error;
    } cases[] = {{STRING, 4, NULL},
                 {STRING, 64, NULL},
                 {TYPE, 4096, NULL},
                 {FUNC, 16, NULL},
                 {CONSTANT, 32, NULL},
                 {STRING, 0, "String has alignment 1"},
                 {FUNC, 4, "Func has alignment 4, expected a power of two from 8 on"},
                 {FUNC, 0, "Func has alignment 1"},
                 {TYPE, 12, "alignment 12"},
                 {TYPE, 2, "alignment 2"},
                 {CONSTANT, 4, "alignment 4"},
                 {TYPE, (uint64_t)1 << 63, "only"}};
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        EncFile file;
        file_open(&file, 1);
        FUNCTION(&file, 0x10, T_TILE_I32, 0, RETURN);
        ADD(&file.constants, 4, 1, 2, 3, 4);
        file.alignment[cases[i].id] = cases[i].alignment;
        if (cases[i].error) {
            file_refuse(&file, E_BYTECODE, NULL, cases[i].error);
        } else {
            TirModule *module = file_expect(&file);
            cr_assert_eq(module->function_count, 1);
            tir_module_close(module);
        }
    }
}

// A good file with bytes put at its end in place of the end byte.
static void refuse_ending(const char *part, const uint8_t *ending, size_t size) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    file.skip_end = true;
    Buffer bytes = file_bytes(&file);
    file_close(&file);
    buffer_append(&bytes, ending, size);
    Diagnostics diagnostics = {0};
    cr_assert_null(tir_read_bytecode(&diagnostics, "ending", (const uint8_t *)bytes.data, bytes.size));
    cr_assert(diagnostics.count == 1 && strstr(diagnostics.items[0].message, part), "%s", diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    buffer_free(&bytes);
}
#define ENDING(part, ...) refuse_ending(part, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(read_format, endings) {
    refuse_ending("ends before the next section", NULL, 0);
    ENDING("1 bytes follow the end", 0, 0);
    ENDING("section id 0x80", 0x80);
    ENDING("section id 0x08 is not known, expected 0 to 7", 8, 0, 0);
    ENDING("section id 0xff", 0xff, 0, 0);
    ENDING("section Global is 5 bytes long", GLOBAL, 5, 0, 0);
    ENDING("section Global is 9223372036854775807 bytes long", GLOBAL, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
           0x7f, 0);
    ENDING("a number of more than 10 bytes", GLOBAL, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0);
}

Test(read_format, missing_sections) {
    static const struct {
        uint8_t order[4], code;
        const char *part, *section;
    } cases[] = {{{FUNC, TYPE}, 0, "no section String", NULL},
                 {{STRING, TYPE}, 0, "no section Func", NULL},
                 {{STRING, FUNC}, 0, "type 0, but there are 0", "Func"}};
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        EncFile file;
        file_open(&file, 1);
        FUNCTION(&file, RETURN);
        memset(file.order, 0, sizeof file.order);
        memcpy(file.order, cases[i].order, sizeof cases[i].order);
        file_refuse(&file, E_BYTECODE, cases[i].section, cases[i].part);
    }
}

Test(read_format, producer) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    put_varint(&file.producer, add_string(&file, "me 1.0"));
    memcpy(file.order, (uint8_t[]){PRODUCER, FUNC, TYPE, STRING}, 4);
    TirModule *module = file_expect(&file);
    cr_assert_str_eq(module->producer, "me 1.0");
    tir_module_close(module);
}

// ---- strings and tables ----------------------------------------

Test(read_format, tables) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    ADD(&file.constants, 1, 0);
    ADD(&file.constants, 1, 0);
    file.constants.offsets[1] = 5; // one past the end
    file_refuse(&file, E_BYTECODE, "Constant", "item 0 lies at 0 to 5, expected growing offsets up to 4");
}

// Wrong offsets name what NVIDIA's reader takes there; such a file is given back with the right ones.
Test(read_format, strings_at_wrong_offsets) {
    static const char *const strings[] = {"aaaa", "bbbb", "cccc"};
    static const struct {
        uint32_t offset;         // of the second one, which is at 10
        const char *name, *next; // of the first and the second one
    } cases[] = {
        {10, "aaaa", "bbbb"},                // right
        {99, "aaaabbbbcccc", ""},            // past the end
        {8, "aa", "aabbbb"},                 // before
        {2, "aaaabbbbcccc", "rnelaaaabbbb"}, // before the beginning of the first
        {UINT32_MAX, "aaaabbbbcccc", ""},
        {12, "aaaabb", "bb"},     // inside it
        {17, "aaaabbbbccc", "c"}, // past its end
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        EncFile file;
        Diagnostics diagnostics = {0};
        Buffer out = {0};
        file_open(&file, 1);
        for (size_t k = 0; k < BASE_COUNT(strings); k++) add_string(&file, strings[k]);
        FUNCTION(&file, RETURN);
        file.functions.data[0] = 1; // its name
        file.strings.offsets[2] = cases[i].offset;
        memcpy(file.order, (uint8_t[]){PRODUCER, FUNC, TYPE, STRING}, 4);
        put_varint(&file.producer, 2);
        TirModule *module = file_expect(&file);
        cr_expect_str_eq(module->functions[0].name, cases[i].name);
        cr_expect_str_eq(module->producer, cases[i].next, "%zu", i);
        cr_assert(tir_write_bytecode(&diagnostics, module, 1301, &out));
        TirModule *again = tir_read_bytecode(&diagnostics, "again", (const uint8_t *)out.data, out.size);
        cr_assert(again && !diagnostics.count);
        cr_expect_str_eq(again->functions[0].name, cases[i].name);
        cr_expect_str_eq(again->producer, cases[i].next);
        tir_module_close(again);
        tir_module_close(module);
        buffer_free(&out);
    }
}

Test(read_format, strings_overlap_in_bounds) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    char text[1000] = {0};
    memset(text, 'x', sizeof text - 1);
    add_string(&file, text);
    for (int i = 0; i < 100; i++) add_string(&file, "y");
    for (uint32_t i = 2; i < file.strings.count; i++) file.strings.offsets[i] = i & 1; // half of them take all
    file_refuse(&file, E_LIMIT, "String", "strings overlap");
}

Test(read_format, table_offsets_grow) {
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    file.types.offsets[2] = file.types.offsets[3] + 1;
    file_refuse(&file, E_BYTECODE, "Type", "item 2 lies at");
}

Test(read_format, names) {
    EncFile file;
    file_open(&file, 1);
    clear_table(&file.strings);
    add_item(&file.strings, "", 0);
    FUNCTION(&file, RETURN);
    file_refuse(&file, E_BYTECODE, "Func", "the name of a function is empty");
    file_open(&file, 1);
    clear_table(&file.strings);
    add_item(&file.strings, "a\0b", 3);
    FUNCTION(&file, RETURN);
    file_refuse(&file, E_BYTECODE, "Func", "holds a zero byte");
}

// The producer and the names of debug information are texts that end at a zero byte too.
Test(read_format, zero_bytes_in_names_of_debug_information) {
    EncFile file;
    file_open(&file, 4);
    memcpy(file.order, (uint8_t[]){FUNC, DEBUG, TYPE, STRING}, 4);
    uint8_t name = (uint8_t)add_item(&file.strings, "a\0b", 3);
    ADD(&file.debug, 2, name, 0); // a file
    FUNCTION(&file, RETURN);
    file_refuse(&file, E_BYTECODE, "Debug", "a debug name holds a zero byte");
    file_open(&file, 4);
    memcpy(file.order, (uint8_t[]){FUNC, TYPE, STRING, PRODUCER}, 4);
    put_varint(&file.producer, add_item(&file.strings, "a\0b", 3));
    FUNCTION(&file, RETURN);
    file_refuse(&file, E_BYTECODE, "Producer", "the producer holds a zero byte");
}

// Sections whose counts promise more than there is must fail before anything of that size is taken.
Test(read_format, counts_beyond_the_section) {
    static const int ids[] = {STRING, TYPE, CONSTANT, FUNC, GLOBAL, DEBUG};
    for (size_t i = 0; i < BASE_COUNT(ids); i++) {
        EncFile file;
        file_open(&file, 1);
        FUNCTION(&file, RETURN);
        Buffer bytes = file_bytes(&file);
        file_close(&file);
        bytes.size--;
        put_byte(&bytes, (uint8_t)(ids[i] | 0x80));
        put_varint(&bytes, 7);
        put_varint(&bytes, 8);
        pad_to(&bytes, 8);
        PUT(&bytes, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, /* end */ 0); // 2^32 - 1
        Diagnostics diagnostics = {0};
        cr_assert_null(tir_read_bytecode(&diagnostics, "count", (const uint8_t *)bytes.data, bytes.size));
        cr_assert(strstr(diagnostics.items[0].message, "4294967295, but only 2 bytes are left"), "%s",
                  diagnostics.items[0].message);
        diagnostics_close(&diagnostics);
        buffer_free(&bytes);
    }
}

// ---- types ----------------------------------------

#define I64(value) (uint8_t)(value), 0, 0, 0, 0, 0, 0, 0
#define I32(value) (uint8_t)(value), 0, 0, 0
#define DYNAMIC    0, 0, 0, 0, 0, 0, 0, 0x80

// The type of these bytes, put behind the ten of every file, read as printed; with `error` refused.
static void check_type(uint8_t minor, const char *printed, ErrorCode error, const uint8_t *bytes, size_t size) {
    EncFile file;
    file_open(&file, minor);
    FUNCTION(&file, RETURN);
    if (file.minor < 4) // 10: tensor_view<?x16xf32, strides=[16,1]>
        ADD(&file.types, 14, T_F32, 2, DYNAMIC, I64(16), 2, I64(16), I64(1));
    else
        ADD(&file.types, 14, 0, T_F32, 2, DYNAMIC, I64(16), 2, I64(16), I64(1));
    add_item(&file.types, bytes, size);
    if (error) {
        file_refuse(&file, error, "Type", printed);
        return;
    }
    TirModule *module = file_expect(&file);
    Buffer out = {0};
    tir_type_print(module, module->type_count - 1, &out);
    cr_assert_str_eq(out.data, printed);
    buffer_free(&out);
    tir_module_close(module);
}
#define TYPE_IS(minor, printed, ...)                                                                                   \
    check_type(minor, printed, E_NONE, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define TYPE_FAILS(minor, error, part, ...)                                                                            \
    check_type(minor, part, error, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

Test(read_format, every_kind_of_type) {
    TYPE_IS(1, "i8", 1);
    TYPE_IS(1, "i16", 2);
    TYPE_IS(1, "i64", 4);
    TYPE_IS(1, "f16", 5);
    TYPE_IS(1, "bf16", 6);
    TYPE_IS(1, "tf32", 8);
    TYPE_IS(1, "f64", 9);
    TYPE_IS(1, "f8E4M3FN", 10);
    TYPE_IS(1, "f8E5M2", 11);
    TYPE_IS(2, "f8E8M0FNU", 18);
    TYPE_IS(3, "f4E2M1FN", 19);
    TYPE_IS(3, "i4", 22);
    TYPE_IS(1, "ptr<f32>", 12, T_F32);
    TYPE_IS(1, "tile<4x2xf32>", 13, T_F32, 2, I64(4), I64(2));
    TYPE_IS(1, "tensor_view<?xf32, strides=[?]>", 14, T_F32, 1, DYNAMIC, 1, DYNAMIC);
    TYPE_IS(1, "(tile<i32>, tile<f32>) -> (token)", 16, 2, T_TILE_I32, T_TILE_F32, 1, T_TOKEN);
    // partition views: a byte before the padding until 13.2, flags from 13.3 on
    TYPE_IS(1, "partition_view<tile=(4x4), tensor_view<?x16xf32, strides=[16,1]>>", 15, 2, I32(4), I32(4), 10, 2,
            I32(0), I32(1), 0);
    TYPE_IS(2, "partition_view<tile=(4x2), padding_value = nan, tensor_view<?x16xf32, strides=[16,1]>, dim_map=[1, 0]>",
            15, 2, I32(4), I32(2), 10, 2, I32(1), I32(0), 1, 2);
    TYPE_IS(3, "partition_view<tile=(4x4), tensor_view<?x16xf32, strides=[16,1]>>", 15, 0, 2, I32(4), I32(4), 10, 2,
            I32(0), I32(1));
    TYPE_FAILS(3, E_BYTECODE, "the flags of a type is 2, expected at most 1", 15, 2, 2, I32(4), I32(4), 10, 2, I32(0),
               I32(1));
    TYPE_IS(3, "partition_view<tile=(4x4), padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>", 15, 1, 2,
            I32(4), I32(4), 10, 2, I32(0), I32(1), 0);
    TYPE_IS(3, "gather_scatter_view<tile=(4x4), tensor_view<?x16xf32, strides=[16,1]>, sparse_dim=1>", 20, 0, 2, I32(4),
            I32(4), 10, 1);
    TYPE_IS(3,
            "strided_view<tile=(4x4), traversal_strides=[3,5], padding_value = neg_inf, tensor_view<?x16xf32, "
            "strides=[16,1]>>",
            21, 1, 2, I32(4), I32(4), 2, I32(3), I32(5), 10, 2, I32(0), I32(1), 4);
    // pointers and tensor views: flags and an attribute from 13.4 on
    TYPE_IS(4, "fnv8E5M3FNU", 0x82, 1);
    TYPE_IS(4, "ptr<f32>", 12, 0, T_F32);
    TYPE_IS(4, "ptr<f32, <none>>", 12, 1, T_F32, 0);
    TYPE_IS(4, "tensor_view<?xf32, strides=[?]>", 14, 0, T_F32, 1, DYNAMIC, 1, DYNAMIC);
    TYPE_IS(4, "tensor_view<?xf32, strides=[?], #cuda_tile.ptr_attr<none>>", 14, 1, T_F32, 1, DYNAMIC, 1, DYNAMIC, 0);
    TYPE_IS(5, "ptr<f32, <unicast>>", 12, 1, T_F32, 1);
    TYPE_IS(5, "tensor_view<?xf32, strides=[?], #cuda_tile.ptr_attr<multicast>>", 14, 1, T_F32, 1, DYNAMIC, 1, DYNAMIC,
            2);
}

Test(read_format, types_that_are_refused) {
    TYPE_FAILS(1, E_VERSION, "f8E8M0FNU needs version 13.2, the file is 13.1", 18);
    TYPE_FAILS(2, E_VERSION, "f4E2M1FN needs version 13.3, the file is 13.2", 19);
    TYPE_FAILS(2, E_VERSION, "i4 needs version 13.3", 22);
    TYPE_FAILS(2, E_VERSION, "gather_scatter_view needs version 13.3", 20, 0);
    TYPE_FAILS(3, E_VERSION, "fnv8E5M3FNU needs version 13.4", 0x82, 1);
    TYPE_FAILS(4, E_BYTECODE, "type tag 23 is not known", 23);
    TYPE_FAILS(4, E_BYTECODE, "the attribute of a pointer is 3, expected 0 to 2", 12, 1, T_F32, 3);
    TYPE_FAILS(4, E_VERSION, "the attribute of a pointer 'unicast' needs version 13.5", 12, 1, T_F32, 1);
    TYPE_FAILS(4, E_VERSION, "the attribute of a pointer 'multicast' needs version 13.5", 14, 1, T_F32, 0, 0, 2);
    TYPE_FAILS(4, E_BYTECODE, "the flags of a type is 2, expected at most 1", 12, 2, T_F32);
    TYPE_FAILS(4, E_BYTECODE, "ends before the attribute of a pointer", 12, 1, T_F32);
    TYPE_FAILS(4, E_BYTECODE, "ends before the flags of a type", 12);
    TYPE_FAILS(4, E_BYTECODE, "ends before the attribute of a pointer", 14, 1, T_F32, 0, 0);
    TYPE_FAILS(1, E_BYTECODE, "the pointee is type 99, but there are 12", 12, 99);
    TYPE_FAILS(1, E_BYTECODE, "ptr of tile", 12, T_TILE_F32);
    TYPE_FAILS(1, E_BYTECODE, "tile dimension 0 is 3", 13, T_F32, 1, I64(3));
    TYPE_FAILS(1, E_BYTECODE, "tile dimension 0 is 0", 13, T_F32, 1, I64(0));
    TYPE_FAILS(1, E_BYTECODE, "tile dimension 0 is -1", 13, T_F32, 1, 255, 255, 255, 255, 255, 255, 255, 255);
    TYPE_FAILS(1, E_BYTECODE, "tile has more than 16777216 elements", 13, T_F32, 1, 0, 0, 0, 2, 0, 0, 0, 0);
    TYPE_FAILS(1, E_BYTECODE, "but only", 13, T_F32, 2, I64(4));
    TYPE_FAILS(5, E_VERSION, "a type of tiles has 2 bytes of a preview feature", 13, T_F32, 1, I64(4), 0, 0);
    TYPE_FAILS(1, E_BYTECODE, "the list of tensor_view strides has 1 items, expected 2", 14, T_F32, 2, I64(4), I64(4),
               1, I64(1));
    TYPE_FAILS(1, E_BYTECODE, "extent 0 is 0", 14, T_F32, 1, I64(0), 1, I64(1));
    TYPE_FAILS(1, E_BYTECODE, "tile of rank 1 on a tensor_view of rank 2", 15, 1, I32(4), 10, 1, I32(0), 0);
}

Test(read_format, views_that_are_refused) {
    TYPE_FAILS(1, E_BYTECODE, "dim_map has 1 items, expected 2", 15, 2, I32(4), I32(4), 10, 1, I32(0), 0);
    TYPE_FAILS(1, E_BYTECODE, "dim_map names dimension 0 twice", 15, 2, I32(4), I32(4), 10, 2, I32(0), I32(0), 0);
    TYPE_FAILS(1, E_BYTECODE, "expected a tensor_view", 15, 2, I32(4), I32(4), T_F32, 2, I32(0), I32(1), 0);
    TYPE_FAILS(1, E_BYTECODE, "the padding value is 5, expected at most 4", 15, 2, I32(4), I32(4), 10, 2, I32(0),
               I32(1), 1, 5);
    TYPE_FAILS(3, E_BYTECODE, "sparse_dim is 2, expected less than 2", 20, 0, 2, I32(4), I32(4), 10, 2);
    TYPE_FAILS(3, E_BYTECODE, "traversal stride 1 is 0", 21, 0, 2, I32(4), I32(4), 2, I32(1), I32(0), 10, 2, I32(0),
               I32(1));
    TYPE_FAILS(1, E_BYTECODE, "parameter 0 of a function is a function", 16, 1, T_ENTRY, 0);
}

Test(read_format, types_refer_forward_but_not_in_circles) {
    TYPE_FAILS(1, E_BYTECODE, "in a circle", 12, 11); // 11 is the type itself
    TYPE_FAILS(1, E_BYTECODE, "in a circle", 16, 2, T_I32, 11, 0);
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    ADD(&file.types, 13, 11, 0); // a tile of what follows
    ADD(&file.types, 12, T_F32);
    TirModule *module = file_expect(&file);
    Buffer out = {0};
    tir_type_print(module, module->type_count - 1, &out);
    cr_assert_str_eq(out.data, "tile<ptr<f32>>");
    buffer_free(&out);
    tir_module_close(module);
    file_open(&file, 1); // a chain of types, each of the next one
    FUNCTION(&file, RETURN);
    for (uint8_t i = 11; i < 60; i++) ADD(&file.types, 16, 1, i, 0);
    ADD(&file.types, 3);
    file_refuse(&file, E_BYTECODE, "Type", "more than 8 deep");
}

Test(read_format, rank_limit) {
    uint8_t bytes[3 + 33 * 8] = {13, T_F32, 33};
    for (int i = 0; i < 33; i++) bytes[3 + i * 8] = 1;
    check_type(1, "is of rank 33, at most 32 is supported", E_LIMIT, bytes, sizeof bytes);
    bytes[2] = 32;
    EncFile file;
    file_open(&file, 1);
    FUNCTION(&file, RETURN);
    add_item(&file.types, bytes, sizeof bytes - 8);
    TirModule *module = file_expect(&file);
    cr_assert_eq(tir_type(module, module->type_count - 1)->rank, 32);
    tir_module_close(module);
}

// One long string in many places is looked at once: else this would take minutes.
Test(read_format, long_strings_in_many_places, .timeout = 30) {
    enum { LENGTH = 1 << 19, USES = 100000 };
    static char text[LENGTH];
    static const uint8_t uses[][6] = {{0x2c, T_TILE_I32, 0}, {0x55, 0, 0, 0}}; // get_global, print_tko, of string 0
    static const size_t sizes[] = {3, 4};
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 0; i < BASE_COUNT(uses); i++) {
        EncFile file;
        Buffer body = {0};
        Diagnostics diagnostics = {0};
        file_open(&file, 1);
        clear_table(&file.strings);
        add_string(&file, text);
        add_string(&file, "kernel");
        for (int k = 0; k < USES; k++) buffer_append(&body, uses[i], sizes[i]);
        PUT(&body, RETURN);
        add_function(&file, T_ENTRY, 0, body.data, body.size);
        file.functions.data[0] = 1; // its name
        buffer_free(&body);
        TirModule *module = file_expect(&file);
        cr_expect_eq(tir_verify(&diagnostics, module), i == 1); // there is no global
        tir_module_close(module);
        diagnostics_close(&diagnostics);
    }
}
