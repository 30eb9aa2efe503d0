// SPDX-License-Identifier: Apache-2.0
// Reading, parsing and verifying take memory in proportion to the file: files that need as much as a byte can.
#include "tests/robustness/robustness.h"
#include "tests/tileir/read_encode.h"

#include <string.h>

enum { FILE_BYTES = 200 << 10 };

// What the front end takes for each byte, beyond MEMORY_BASE.
static double measure(const char *what, const char *data, size_t size, bool text) {
    Diagnostics diagnostics = {0};
    size_t before = memory_watch();
    TirModule *module = text ? tir_parse_text(&diagnostics, what, data, size)
                             : tir_read_bytecode(&diagnostics, what, (const uint8_t *)data, size);
    if (module) tir_verify(&diagnostics, module);
    double factor = ((double)(memory_peak() - before) - MEMORY_BASE) / (double)size;
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return factor;
}

static void expect_bounded_file(const char *what, EncFile *file) {
    Buffer bytes = file_bytes(file);
    file_close(file);
    cr_expect_leq(measure(what, bytes.data, bytes.size, false), MEMORY_FACTOR, "%s", what);
    buffer_free(&bytes);
}

// An entry whose body is `head`, then `unit` again and again, then `tail`.
static void expect_bounded(const char *what, const Buffer *head, const void *unit, size_t unit_size,
                           const Buffer *tail) {
    EncFile file;
    file_open(&file, 4);
    ADD(&file.constants, 4, 0, 0, 0, 0);
    Buffer body = {0};
    buffer_append(&body, head->data, head->size);
    while (body.size < FILE_BYTES) buffer_append(&body, unit, unit_size);
    buffer_append(&body, tail->data, tail->size);
    add_function(&file, T_ENTRY, 0, body.data, body.size);
    buffer_free(&body);
    expect_bounded_file(what, &file);
}
#define UNITS(what, ...)                                                                                               \
    expect_bounded(what, &(Buffer){0}, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}),         \
                   &(Buffer){0})

Test(memory, ops) {
    UNITS("tokens", 0x44, T_TOKEN);
    UNITS("block numbers", 0x30, T_TILE_I32, T_TILE_I32, T_TILE_I32);
    UNITS("returns", RETURN);
    UNITS("joined tokens", 0x3c, 1, T_TOKEN, 0);
    UNITS("constants", 0x10, T_TILE_I32, 0);
    UNITS("loops without blocks", 0x41, 0, 0, 1, 0);
    UNITS("prints", 0x55, 1, T_TOKEN, 0, 0, 0);
}

Test(memory, regions) {
    Buffer head = {0};
    PUT(&head, 0x10, T_TILE_I32, 0);
    expect_bounded("branches without blocks", &head, (const uint8_t[]){0x32, 0, 0, 2, 0, 0}, 6, &(Buffer){0});
    head.size = 0;
    PUT(&head, 0x41, 0, 0, 1); // loop
    put_varint(&head, FILE_BYTES / 2 - 8);
    expect_bounded("blocks", &head, (const uint8_t[]){0, 0}, 2, &(Buffer){0});
    head.size = 0;
    PUT(&head, 0x41, 0, 0, 1, 1);
    put_varint(&head, FILE_BYTES - 16);
    expect_bounded("arguments", &head, (const uint8_t[]){T_TILE_I32}, 1, &(Buffer){0});
    head.size = 0;
    PUT(&head, 0x41);
    put_varint(&head, FILE_BYTES - 16);
    expect_bounded("results", &head, (const uint8_t[]){T_TILE_I32}, 1, &(Buffer){0});
    buffer_free(&head);
}

// Each dictionary is the first value of the one around it, and claims as many entries as there are bytes left.
Test(memory, claims_of_dictionaries) {
    Buffer head = {0};
    PUT(&head, 0x10, T_TILE_I32, 0, 0x06, T_TILE_I32);
    for (int depth = 0; depth < 16; depth++) {
        PUT(&head, 10);
        put_varint(&head, FILE_BYTES / 3 - 50);
        PUT(&head, 0);
    }
    expect_bounded("claims", &head, (const uint8_t[]){3, 1, 0}, 3, &(Buffer){0});
    buffer_free(&head);
}

// Many dictionaries whose keys are the same long strings.
Test(memory, keys_of_dictionaries) {
    EncFile file;
    file_open(&file, 4);
    char text[FILE_BYTES / 40];
    Buffer body = {0};
    ADD(&file.constants, 4, 0, 0, 0, 0);
    PUT(&body, 0x10, T_TILE_I32, 0);
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    for (char c = 'a'; c < 'a' + 20; c++) {
        text[0] = c;
        add_string(&file, text);
    }
    while (body.size < FILE_BYTES / 2) {
        PUT(&body, 0x06, T_TILE_I32, 10, 20);
        for (uint8_t i = 1; i <= 20; i++) PUT(&body, i, 3, 1);
        PUT(&body, 0);
    }
    add_function(&file, T_ENTRY, 0, body.data, body.size);
    buffer_free(&body);
    expect_bounded_file("keys", &file);
}

Test(memory, tables) {
    EncFile file;
    file_open(&file, 4);
    for (int i = 0; i < FILE_BYTES / 5; i++) PUT(&file.functions, 0, T_ENTRY, 2, 0, 0), file.function_count++;
    expect_bounded_file("functions", &file);
    file_open(&file, 4);
    for (int i = 0; i < FILE_BYTES / 5; i++) PUT(&file.globals, 0, T_TILE_4_F32, 0, 0, 0, 0), file.global_count++;
    memcpy(file.order, (uint8_t[]){GLOBAL, CONSTANT, FUNC, TYPE, STRING}, 5);
    ADD(&file.constants, 4, 0, 0, 0, 0);
    expect_bounded_file("globals", &file);
}

// ---- text -----------------------------------------------------------------------------------------------------------

// In `unit` # is a number that is always another one.
static void expect_bounded_text(const char *what, const char *head, const char *unit, const char *tail) {
    Buffer text = {0};
    size_t cut = strcspn(unit, "#");
    buffer_print(&text, "%s", head);
    for (int i = 0; text.size < FILE_BYTES; i++) {
        buffer_append(&text, unit, cut);
        if (unit[cut]) buffer_print(&text, "%d%s", i, unit + cut + 1);
    }
    buffer_print(&text, "%s", tail);
    cr_expect_leq(measure(what, text.data, text.size, true), MEMORY_FACTOR, "%s", what);
    buffer_free(&text);
}

Test(memory, texts) {
    expect_bounded_text("text: returns", "entry @f() {\n", "return\n", "}\n");
    expect_bounded_text("text: names", "entry @f() {\n", "%#=make_token:token ", "}\n");
    expect_bounded_text("text: elements", "entry @f() {\n %0 = constant <i8: [", "0,", "0]> : tile<4xi8>\n}\n");
    expect_bounded_text("text: brackets", "entry @f() {\n %0 = constant <i8: ", "[", "> : tile<4xi8>\n}\n");
    expect_bounded_text("text: arguments", "entry @f(", "%#:token,", ") {\n}\n");
    expect_bounded_text("text: ifs", "entry @f(%c: tile<i1>) {\n", "if %c {}", "}\n");
    expect_bounded_text("text: entries", "", "entry @a#() {}", "");
    expect_bounded_text("text: locations", "entry @f() {\n", "return loc(\"#\":1:1)\n", "}\n");
    expect_bounded_text("text: hints", "entry @f() optimization_hints=<a={", "b#=1,", "c=1}> {\n}\n");
    expect_bounded_text("text: shapes", "entry @f(%a: tile<", "1x", "i8>) {\n}\n");
}
