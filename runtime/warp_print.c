// SPDX-License-Identifier: Apache-2.0
// What kernels of warps print (vprintf) and assert (__assertfail): texts and arguments in memory.
#include "runtime/warp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16, CONVERSION_MAX = 48, WIDTH_DIGITS = 4, WIDTH_LIMIT = 10000 };

// Reads of one lane.
typedef struct LaneReader {
    const WarpCall *call;
    uint32_t lane;
} LaneReader;

static void read_bytes(const LaneReader *reader, uint64_t address, void *bytes, uint32_t size) {
    const WarpAccess access = {.place = reader->call->operation->place, .space = WARP_GENERIC, .bytes = 1, .count = 1};
    WarpLanes addresses = {0};
    uint8_t values[WARP_LANES];
    for (uint32_t i = 0; i < size; i++) {
        addresses[reader->lane] = address + i;
        warp_load(&reader->call->warp->state, UINT32_C(1) << reader->lane, &access, addresses, values);
        ((uint8_t *)bytes)[i] = values[reader->lane];
    }
}

// A text that ends with 0. At most TEXT_MAX bytes are read.
static void read_text(const LaneReader *reader, uint64_t address, Buffer *out) {
    for (uint32_t i = 0; i < TEXT_MAX; i++) {
        char next;
        read_bytes(reader, address + i, &next, 1);
        if (!next) break;
        buffer_append(out, &next, 1);
    }
    buffer_print(out, "%s", "");
}

// ---- printf: arguments lie one after the other, integers and pointers aligned to their size, floats as double

typedef struct LanePrintf {
    LaneReader reader;
    uint64_t at; // the next argument
    Buffer out;
} LanePrintf;

static uint64_t next_argument(LanePrintf *print, uint32_t size) {
    uint64_t value = 0;
    print->at = (print->at + size - 1) / size * size;
    read_bytes(&print->reader, print->at, &value, size);
    print->at += size;
    return value;
}

// The text of a conversion without its length ('*' is a number then), and how long its argument is.
static const char *read_conversion(LanePrintf *print, const char *from, char form[CONVERSION_MAX], bool *is_long) {
    size_t length = 0, digits = 0;
    *is_long = false;
    form[length++] = *from++;
    for (; *from && strchr("-+ #0123456789.*lhzjt", *from); from++) {
        *is_long |= *from == 'l' || *from == 'z' || *from == 'j' || *from == 't';
        if (*from == '*') {
            const int number = (int)(int32_t)next_argument(print, 4) % WIDTH_LIMIT;
            if (length + 12 < CONVERSION_MAX) length += (size_t)snprintf(form + length, 12, "%d", number);
        } else if (!strchr("lhzjt", *from) && length + 12 < CONVERSION_MAX) {
            digits = *from >= '0' && *from <= '9' ? digits + 1 : 0;
            if (digits <= WIDTH_DIGITS) form[length++] = *from;
        }
    }
    form[length] = 0;
    return from;
}

static void print_integer(LanePrintf *print, char *form, char kind, bool is_long) {
    const uint64_t value = next_argument(print, is_long ? 8 : 4);
    const size_t length = strlen(form);
    snprintf(form + length, CONVERSION_MAX - length, "ll%c", kind);
    if (kind == 'd' || kind == 'i')
        buffer_print(&print->out, form, is_long ? (long long)value : (long long)(int32_t)value);
    else
        buffer_print(&print->out, form, (unsigned long long)value);
}

static void print_conversion(LanePrintf *print, char *form, char kind, bool is_long) {
    const size_t length = strlen(form);
    form[length] = kind;
    form[length + 1] = 0;
    if (strchr("aAeEfFgG", kind)) {
        const uint64_t bits = next_argument(print, 8);
        double number;
        memcpy(&number, &bits, sizeof number);
        buffer_print(&print->out, form, number);
    } else if (kind == 'c') {
        buffer_print(&print->out, form, (int)next_argument(print, 4));
    } else if (kind == 'p') {
        buffer_print(&print->out, "0x%" PRIx64, next_argument(print, 8));
    } else if (kind == 's') {
        Buffer text = {0};
        read_text(&print->reader, next_argument(print, 8), &text);
        buffer_print(&print->out, form, text.data);
        buffer_free(&text);
    } else {
        form[length] = 0;
        print_integer(print, form, kind, is_long);
    }
}

static void print_format(LanePrintf *print, const char *format) {
    while (*format) {
        const size_t plain = strcspn(format, "%");
        buffer_append(&print->out, format, plain);
        format += plain;
        if (!*format) break;
        char form[CONVERSION_MAX];
        bool is_long;
        format = read_conversion(print, format, form, &is_long);
        if (!*format) break;
        if (strchr("diouxXaAeEfFgGcps", *format))
            print_conversion(print, form, *format, is_long);
        else
            buffer_append(&print->out, format, 1); // %%
        format++;
    }
}

uint32_t warp_operate_PRINT(const WarpCall *call) {
    RtPrinter *printer = call->block->launch->printer;
    for (uint32_t rest = call->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        LanePrintf print = {.reader = {call, lane}, .at = call->operands[1][lane]};
        Buffer format = {0};
        if (printer) {
            read_text(&print.reader, call->operands[0][lane], &format);
            print_format(&print, format.data);
            rt_printer_text(printer, call->block->number, print.out.data, print.out.size);
        }
        call->operands[0][lane] = 0;
        buffer_free(&format);
        buffer_free(&print.out);
    }
    return call->mask;
}

// ---- assertions

uint32_t warp_operate_ASSERT_FAIL(const WarpCall *call) {
    const LaneReader reader = {call, (uint32_t)__builtin_ctz(call->mask)};
    Buffer out = {0};
    buffer_print(&out, "assertion failed: ");
    read_text(&reader, call->operands[0][reader.lane], &out);
    buffer_print(&out, " (");
    read_text(&reader, call->operands[1][reader.lane], &out);
    buffer_print(&out, ":%u)", (uint32_t)call->operands[2][reader.lane]);
    warp_fail(call->block, (WarpFault){.kind = WARP_FAULT_ASSERT, .sides = {warp_call_side(call)}, .text = out.data});
}
