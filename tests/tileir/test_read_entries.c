// SPDX-License-Identifier: Apache-2.0
// Function records and debug flags of 13.5: what the reader takes and refuses, and that older versions lack them.
#include "tests/tileir/read_encode.h"

enum { S_NAME, S_KEY, S_OTHER }; // strings of the files here

// A file with one entry of an i32 and an f32: `flags`, then `rest` (hints, attributes of arguments), then a return.
static void open_entry(EncFile *file, uint8_t minor, uint8_t flags, const void *rest, size_t size) {
    static const uint8_t body[] = {RETURN};
    file_open(file, minor);
    add_string(file, "a.b");
    add_string(file, "plain");
    uint32_t type = ADD(&file->types, 16, 2, T_TILE_I32, T_TILE_F32, 0);
    PUT(&file->functions, S_NAME, (uint8_t)type, flags, 0);
    buffer_append(&file->functions, rest, size);
    put_varint(&file->functions, sizeof body);
    buffer_append(&file->functions, body, sizeof body);
    file->function_count++;
}
#define OPEN(file, minor, flags, ...)                                                                                  \
    open_entry(file, minor, flags, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define NO_HINTS     11, 0
#define NO_ARGUMENTS 6, 0
#define I32_5        1, T_I32, 5 // the attribute 5 : i32

static void expect_text(EncFile *file, const char *part) {
    TirModule *module = file_expect(file);
    Diagnostics diagnostics = {0};
    Buffer text = {0}, bytes = {0};
    cr_assert(tir_verify(&diagnostics, module), "%s", diagnostics.count ? diagnostics.items[0].message : "");
    tir_print(module, true, &text);
    buffer_print(&text, "%s", "");
    cr_expect(strstr(text.data, part), "%s, expected %s in it", text.data, part);
    // What is printed is parsed, and written as the same.
    TirModule *parsed = tir_parse_text(&diagnostics, "text", text.data, text.size);
    cr_assert(parsed, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert(tir_write_bytecode(&diagnostics, parsed, module->version, &bytes));
    TirModule *again = tir_read_bytecode(&diagnostics, "bytes", (const uint8_t *)bytes.data, bytes.size);
    cr_assert(again);
    Buffer second = {0};
    tir_print(again, true, &second);
    cr_expect(second.size == text.size && !memcmp(second.data, text.data, text.size));
    tir_module_close(again);
    tir_module_close(parsed);
    tir_module_close(module);
    buffer_free(&second);
    buffer_free(&bytes);
    buffer_free(&text);
}

static void expect_problem(EncFile *file, const char *message) {
    TirModule *module = file_expect(file);
    Diagnostics diagnostics = {0};
    cr_expect(!tir_verify(&diagnostics, module));
    cr_expect(diagnostics.count && strstr(diagnostics.items[0].message, message), "%s",
              diagnostics.count ? diagnostics.items[0].message : "");
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}

Test(read_entries, flags) {
    static const struct {
        uint8_t minor, flags;
        ErrorCode code;
        const char *message; // NULL: taken
    } rows[] = {
        {1, 0x02, E_NONE, NULL},
        {1, 0x0a, E_NONE, NULL}, // unknown bits mean nothing before 13.4
        {3, 0xfa, E_NONE, NULL},
        {4, 0x02, E_NONE, NULL},
        {4, 0x0a, E_BYTECODE, "function kernel has flags 0xa, expected at most 0x7"},
        {4, 0x82, E_BYTECODE, "function kernel has flags 0x82"},
        {4, 0x00, E_BYTECODE, "function kernel is not an entry"},
        {5, 0x02, E_NONE, NULL},
        {5, 0x06, E_VERSION, "function kernel is a preview feature (--preview), which is not supported"},
        {5, 0x04, E_VERSION, "function kernel is a preview feature (--preview), which is not supported"},
        {5, 0x0a, E_VERSION, "is a preview feature"},
        {5, 0x12, E_BYTECODE, "function kernel has flags 0x12, expected at most 0xf"},
        {5, 0x00, E_BYTECODE, "function kernel is not an entry"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        EncFile file;
        if (rows[i].minor >= 5)
            OPEN(&file, rows[i].minor, rows[i].flags, NO_HINTS, NO_ARGUMENTS);
        else
            open_entry(&file, rows[i].minor, rows[i].flags, "", 0);
        if (rows[i].message)
            file_refuse(&file, rows[i].code, "Func", rows[i].message);
        else
            tir_module_close(file_expect(&file));
    }
}

Test(read_entries, private_ones) { // which no text of the tools has since 13.5
    EncFile file;
    OPEN(&file, 5, 3, NO_HINTS, NO_ARGUMENTS);
    expect_text(&file, "} {sym_visibility = \"private\"}");
    open_entry(&file, 1, 3, "", 0);
    expect_text(&file, "} {sym_visibility = \"private\"}");
}

Test(read_entries, hints_are_always_there) {
    EncFile file;
    OPEN(&file, 5, 2, 11, 1, S_KEY, 10, 1, S_OTHER, I32_5, NO_ARGUMENTS);
    expect_text(&file, "optimization_hints=<a.b = {plain = 5}> {");
    OPEN(&file, 5, 2, NO_HINTS, NO_ARGUMENTS);
    expect_text(&file, "%arg1: tile<f32>) {");
    OPEN(&file, 5, 2, NO_ARGUMENTS);
    file_refuse(&file, E_BYTECODE, "Func", "the hints of an entry have tag 6, expected 11");
    OPEN(&file, 5, 2, NO_HINTS);
    file_refuse(&file, E_BYTECODE, "Func", "the attributes of arguments have tag 3, expected 6");
}

Test(read_entries, attributes_of_arguments) {
    EncFile file;
    OPEN(&file, 5, 2, NO_HINTS, 6, 2, 10, 1, S_KEY, I32_5, 10, 0);
    expect_text(&file, "(%arg0: tile<i32> {a.b = 5 : i32}, %arg1: tile<f32>) {");
    // div_by<16>, and an array with a dictionary in it
    OPEN(&file, 5, 2, NO_HINTS, 6, 2, 10, 0, 10, 1, S_KEY, 8, 16, 0);
    expect_text(&file, "(%arg0: tile<i32>, %arg1: tile<f32> {a.b = #cuda_tile.div_by<16>}) {");
    OPEN(&file, 5, 2, NO_HINTS, 6, 2, 10, 1, S_KEY, 6, 2, I32_5, 10, 0, 10, 0);
    expect_text(&file, "(%arg0: tile<i32> {a.b = [5 : i32, {}]}, %arg1: tile<f32>) {");
    // Empty ones may be any number.
    OPEN(&file, 5, 2, NO_HINTS, 6, 3, 10, 0, 10, 0, 10, 0);
    expect_text(&file, "(%arg0: tile<i32>, %arg1: tile<f32>) {");
    OPEN(&file, 5, 2, NO_HINTS, 6, 1, 10, 1, S_KEY, I32_5);
    expect_problem(&file, "entry @kernel has attributes of 1 arguments, expected 2");
    OPEN(&file, 5, 2, NO_HINTS, 6, 2, 10, 0, 10, 1, S_OTHER, I32_5);
    expect_problem(&file,
                   "entry @kernel has argument 1 that has the attribute 'plain', which has no name of a dialect");
    OPEN(&file, 5, 2, NO_HINTS, 6, 1, I32_5);
    file_refuse(&file, E_BYTECODE, "Func", "the attributes of argument 0 have tag 1, expected 10");
    OPEN(&file, 5, 2, NO_HINTS, 10, 0);
    file_refuse(&file, E_BYTECODE, "Func", "the attributes of arguments have tag 10, expected 6");
}

Test(read_entries, older_versions_have_no_attributes_of_arguments) {
    EncFile file;
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    OPEN(&file, 5, 2, NO_HINTS, 6, 2, 10, 1, S_KEY, I32_5, 10, 0);
    TirModule *module = file_expect(&file);
    cr_expect(!tir_write_bytecode(&diagnostics, module, 1304, &out));
    cr_expect(diagnostics.count && diagnostics.items[0].code == E_VERSION);
    cr_expect_str_eq(diagnostics.items[0].message, "entry @kernel: attributes of arguments needs version 13.5, the "
                                                   "bytecode to be written is 13.4");
    buffer_free(&out);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}

// An entry whose location is in a subprogram with these flags; `count` of them are written.
static void open_subprogram(EncFile *file, uint8_t minor, uint8_t flags, bool with_flags) {
    static const uint8_t body[] = {RETURN};
    file_open(file, minor);
    const uint32_t folder = add_string(file, "/d");
    ADD(&file->debug, 2, 0, (uint8_t)folder);                            // 1: file
    ADD(&file->debug, 1, 1);                                             // 2: compile unit
    const uint8_t subprogram[] = {5, 1, 3, 0, 0, 2, 4, flags};           // 3
    add_item(&file->debug, subprogram, sizeof subprogram - !with_flags); // file, line, names, unit, scope line
    ADD(&file->debug, 4, 3, 0, 5, 1);                                    // 4: location
    put_fixed(&file->debug_refs, 4, 8);
    put_fixed(&file->debug_refs, 4, 8);
    file->debug_rows[0] = 0;
    file->debug_row_count = 1;
    memcpy(file->order, (uint8_t[]){FUNC, CONSTANT, DEBUG, TYPE, STRING}, 5);
    add_function(file, T_ENTRY, 1, body, sizeof body);
}

Test(read_entries, flags_of_subprograms) {
    EncFile file;
    open_subprogram(&file, 5, 0, true);
    expect_text(&file, ", scopeLine = 4>");
    open_subprogram(&file, 5, 1, true);
    expect_text(&file, ", scopeLine = 4, flags = declaration>");
    open_subprogram(&file, 5, 2, true);
    file_refuse(&file, E_BYTECODE, "Debug", "the flags of a subprogram is 2, expected at most 1");
    open_subprogram(&file, 4, 0, false);
    expect_text(&file, ", scopeLine = 4>");
    open_subprogram(&file, 5, 1, true);
    TirModule *module = file_expect(&file);
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    cr_expect(!tir_write_bytecode(&diagnostics, module, 1304, &out));
    cr_expect_str_eq(diagnostics.items[0].message,
                     "the module: flags of a subprogram needs version 13.5, the bytecode to be written is 13.4");
    buffer_free(&out);
    diagnostics_close(&diagnostics);
    tir_module_close(module);
}
