// SPDX-License-Identifier: Apache-2.0
// Accesses through tiles of pointers that go up evenly: by rows and element by element they leave the same bits and
// records, and fail at the same element with the same message. Kernels are made at random of the forms that pointers
// and masks have; numbers are such that offsets wrap, rows overlap, and masks are empty, partial or wider than buffers.
// Buffers do not overlap, so rows that are aligned may be read where they lie; a kernel may store to what it reads.
#include "tests/lower/lab.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SOURCE, TARGET, BUFFERS, NUMBERS = 6, RANK_MAX = 3, ELEMENTS = 640, RUNS = 8 };

static const TirTypeKind kinds_of_elements[] = {TIR_TYPE_f32, TIR_TYPE_f16, TIR_TYPE_i32, TIR_TYPE_f64, TIR_TYPE_i8};

// ---- the text of a kernel -------------------------------------------------------------------------------------------

typedef struct Maker {
    Buffer text;
    uint64_t state;
    const char *element;
    TirTypeKind kind;
    uint32_t rank, next; // next: number of the next name
    int64_t shape[RANK_MAX];
} Maker;

static uint32_t pick(Maker *m, uint32_t count) {
    return (uint32_t)(lab_random(&m->state) % count);
}

static bool chance(Maker *m, uint32_t of) {
    return !pick(m, of);
}

static void line(Maker *m, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buffer_print(&m->text, "  %s\n", text);
}

// "tile<1x8x..." of dimension d alone (only >= 0) or whole.
static const char *shape_text(const Maker *m, int only, char *text) {
    *text = 0;
    for (uint32_t d = 0; d < m->rank; d++)
        sprintf(text + strlen(text), "%lldx", (long long)(only < 0 || (uint32_t)only == d ? m->shape[d] : 1));
    return text;
}

// A name for a tile<Nxi32> whose elements are all the number or a parameter.
static uint32_t splat(Maker *m, const char *shape, const char *type, int64_t number, int parameter) {
    uint32_t at = m->next++;
    if (parameter < 0) {
        line(m, "%%v%u = constant <%s: %lld> : tile<%s%s>", at, type, (long long)number, shape, type);
        return at;
    }
    char ones[32] = "";
    for (const char *x = shape; *x; x++)
        if (*x == 'x') strcat(ones, "1x");
    uint32_t wide = parameter >= 0 && !strcmp(type, "i64") ? m->next++ : 0;
    if (wide) line(m, "%%v%u = exti %%p%d signed : tile<i32> -> tile<i64>", wide, parameter);
    char name[32];
    sprintf(name, wide ? "v%u" : "p%u", wide ? wide : (uint32_t)parameter);
    uint32_t one = m->next++;
    line(m, "%%v%u = reshape %%%s : tile<%s> -> tile<%s%s>", one, name, type, ones, type);
    line(m, "%%v%u = broadcast %%v%u : tile<%s%s> -> tile<%s%s>", at, one, ones, type, shape, type);
    return at;
}

static uint32_t binary(Maker *m, const char *op, uint32_t a, uint32_t b, const char *shape, const char *type) {
    uint32_t at = m->next++;
    const char *how = !strcmp(op, "remi") ? " signed" : "";
    line(m, "%%v%u = %s %%v%u, %%v%u%s : tile<%s%s>", at, op, a, b, how, shape, type);
    return at;
}

// Indices of dimension d: a first one and 0, 1, 2, ..., perhaps modulo something; a tile<1x..nx..1xi32>.
static uint32_t indices(Maker *m, uint32_t d) {
    char line_shape[32], own[64];
    sprintf(line_shape, "%lldx", (long long)m->shape[d]);
    uint32_t at = m->next++;
    line(m, "%%v%u = iota : tile<%si32>", at, line_shape);
    if (chance(m, 2))
        at = binary(m, "addi", at, splat(m, line_shape, "i32", 3, chance(m, 4) ? -1 : (int)pick(m, 2)), line_shape,
                    "i32");
    if (chance(m, 6))
        at = binary(m, "remi", at, splat(m, line_shape, "i32", 40, chance(m, 2) ? -1 : 5), line_shape, "i32");
    if (chance(m, 12)) at = binary(m, "subi", splat(m, line_shape, "i32", 63, -1), at, line_shape, "i32");
    uint32_t reshaped = m->next++;
    line(m, "%%v%u = reshape %%v%u : tile<%si32> -> tile<%si32>", reshaped, at, line_shape, shape_text(m, (int)d, own));
    return reshaped;
}

static uint32_t spread(Maker *m, uint32_t value, uint32_t d, const char *type) {
    char own[64], all[64];
    uint32_t at = m->next++;
    line(m, "%%v%u = broadcast %%v%u : tile<%s%s> -> tile<%s%s>", at, value, shape_text(m, (int)d, own), type,
         shape_text(m, -1, all), type);
    return at;
}

// The offset of dimension d, times a stride.
static uint32_t offsets(Maker *m, uint32_t index, uint32_t d, bool contiguous, const char *type) {
    static const int64_t strides[] = {0, 1, 2, 7, 16, 64, -1, -8};
    char own[64];
    shape_text(m, (int)d, own);
    if (!strcmp(type, "i64")) {
        uint32_t wide = m->next++;
        line(m, "%%v%u = exti %%v%u signed : tile<%si32> -> tile<%si64>", wide, index, own, own);
        index = wide;
    }
    if (contiguous) return index;
    const int parameter = chance(m, 2) ? 2 + (int)pick(m, 2) : -1;
    return binary(m, "muli", index, splat(m, own, type, strides[pick(m, BASE_COUNT(strides))], parameter), own, type);
}

// Pointers into a buffer; index[d]: what they were made of.
static uint32_t pointers(Maker *m, unsigned buffer, uint32_t *index) {
    char all[64], ones[32] = "";
    const char *type = chance(m, 4) ? "i64" : "i32";
    const bool chained = chance(m, 2);
    const uint32_t inner = chance(m, 3) ? pick(m, m->rank) : m->rank - 1;
    shape_text(m, -1, all);
    for (uint32_t d = 0; d < m->rank; d++) strcat(ones, "1x");
    uint32_t one = m->next++, at = m->next++, sum = 0;
    line(m, "%%v%u = reshape %%b%u : tile<ptr<%s>> -> tile<%sptr<%s>>", one, buffer, m->element, ones, m->element);
    line(m, "%%v%u = broadcast %%v%u : tile<%sptr<%s>> -> tile<%sptr<%s>>", at, one, ones, m->element, all, m->element);
    for (uint32_t d = 0; d < m->rank; d++) {
        index[d] = indices(m, d);
        uint32_t term = spread(m, offsets(m, index[d], d, d == inner, type), d, type);
        if (!chained) {
            sum = d ? binary(m, "addi", sum, term, all, type) : term;
            if (d + 1 < m->rank) continue;
            term = sum;
        }
        uint32_t next = m->next++;
        line(m, "%%v%u = offset %%v%u, %%v%u : tile<%sptr<%s>>, tile<%s%s> -> tile<%sptr<%s>>", next, at, term, all,
             m->element, all, type, all, m->element);
        at = next;
    }
    return at;
}

// 0: no mask.
static uint32_t mask(Maker *m, const uint32_t *index) {
    static const char *const predicates[] = {
        "less_than", "less_than", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal",
        "equal",     "not_equal"};
    char own[64], all[64];
    uint32_t found = 0;
    shape_text(m, -1, all);
    for (uint32_t count = pick(m, 4); count; count--) {
        const uint32_t d = pick(m, m->rank);
        shape_text(m, (int)d, own);
        uint32_t left = index[d],
                 right = splat(m, own, "i32", 9 + 5 * pick(m, 8), chance(m, 3) ? -1 : 4 + (int)pick(m, 2));
        if (chance(m, 8)) left = splat(m, own, "i32", 5, (int)pick(m, 2));  // one number for all
        if (chance(m, 8)) left = binary(m, "muli", left, left, own, "i32"); // not even
        const bool swapped = chance(m, 4);
        uint32_t bit = m->next++;
        line(m, "%%v%u = cmpi %s %%v%u, %%v%u, %s : tile<%si32> -> tile<%si1>", bit, predicates[pick(m, 8)],
             swapped ? right : left, swapped ? left : right, chance(m, 10) ? "unsigned" : "signed", own, own);
        bit = spread(m, bit, d, "i1");
        found = found ? binary(m, "andi", found, bit, all, "i1") : bit;
    }
    return found;
}

static uint32_t load(Maker *m, uint32_t at, uint32_t mask_, uint32_t padding) {
    char all[64];
    shape_text(m, -1, all);
    uint32_t value = m->next++, token = m->next++;
    char more[128] = "", types[128] = "";
    if (mask_) sprintf(more, ", %%v%u", mask_), sprintf(types, ", tile<%si1>", all);
    if (mask_ && padding) {
        sprintf(more + strlen(more), ", %%v%u", padding);
        sprintf(types + strlen(types), ", tile<%s%s>", all, m->element);
    }
    line(m, "%%v%u, %%v%u = load_ptr_tko weak %%v%u%s : tile<%sptr<%s>>%s -> tile<%s%s>, token", value, token, at, more,
         all, m->element, types, all, m->element);
    return value;
}

static void store(Maker *m, uint32_t at, uint32_t value, uint32_t mask_) {
    char all[64], more[64] = "", types[96] = "";
    shape_text(m, -1, all);
    if (mask_) sprintf(more, ", %%v%u", mask_), sprintf(types, ", tile<%si1>", all);
    line(m, "%%v%u = store_ptr_tko weak %%v%u, %%v%u%s : tile<%sptr<%s>>, tile<%s%s>%s -> token", m->next++, at, value,
         more, all, m->element, all, m->element, types);
}

// Pointers that a loop moves on, stored each time behind one another.
static void make_loop(Maker *m, uint32_t from, uint32_t to, uint32_t mask_) {
    char all[64];
    shape_text(m, -1, all);
    line(m, "%%zero = constant <i32: 0> : tile<i32>");
    line(m, "%%one = constant <i32: 1> : tile<i32>");
    line(m, "%%three = constant <i32: 3> : tile<i32>");
    const uint32_t by = splat(m, all, "i32", 16, chance(m, 2) ? -1 : 2);
    line(
        m,
        "%%r0, %%r1 = for %%i in (%%zero to %%three, step %%one) : tile<i32> iter_values(%%v%u = %%v%u, %%v%u = %%v%u) "
        "-> (tile<%sptr<%s>>, tile<%sptr<%s>>) {",
        m->next, from, m->next + 1, to, all, m->element, all, m->element);
    uint32_t a = m->next++, b = m->next++;
    store(m, b, load(m, a, mask_, 0), mask_);
    uint32_t c = m->next++, d = m->next++;
    line(m, "%%v%u = offset %%v%u, %%v%u : tile<%sptr<%s>>, tile<%si32> -> tile<%sptr<%s>>", c, a, by, all, m->element,
         all, all, m->element);
    line(m, "%%v%u = offset %%v%u, %%v%u : tile<%sptr<%s>>, tile<%si32> -> tile<%sptr<%s>>", d, b, by, all, m->element,
         all, all, m->element);
    line(m, "continue %%v%u, %%v%u : tile<%sptr<%s>>, tile<%sptr<%s>>", c, d, all, m->element, all, m->element);
    line(m, "}");
}

static void make_kernel(Maker *m, uint64_t seed) {
    uint32_t index[BUFFERS][RANK_MAX], at[BUFFERS], masks[BUFFERS], elements = 1;
    char all[64];
    *m = (Maker){.state = seed, .next = 1};
    m->kind = kinds_of_elements[pick(m, BASE_COUNT(kinds_of_elements))];
    m->element = tir_type_rows[m->kind].name;
    m->rank = 1 + pick(m, RANK_MAX);
    for (uint32_t d = 0; d < m->rank; d++) {
        m->shape[d] = (int64_t)1 << pick(m, m->rank == 1 ? 8 : 5);
        elements *= (uint32_t)m->shape[d];
    }
    if (elements > 512) m->shape[0] = 1;
    shape_text(m, -1, all);
    buffer_print(&m->text, "cuda_tile.module @m {\nentry @k(%%b0: tile<ptr<%s>>, %%b1: tile<ptr<%s>>", m->element,
                 m->element);
    for (uint32_t i = 0; i < NUMBERS; i++) buffer_print(&m->text, ", %%p%u: tile<i32>", i);
    buffer_print(&m->text, ") {\n");
    for (unsigned b = 0; b < BUFFERS; b++) {
        at[b] = pointers(m, chance(m, 8) ? SOURCE : b, index[b]);
        masks[b] = mask(m, index[b]);
    }
    if (chance(m, 4)) {
        make_loop(m, at[SOURCE], at[TARGET], masks[TARGET]);
    } else {
        uint32_t padding = 0;
        if (chance(m, 3)) padding = load(m, at[TARGET], masks[TARGET], 0);
        if (chance(m, 3) && tir_type_rows[m->kind].class == TIR_CLASS_FLOAT) {
            padding = m->next++;
            line(m, "%%v%u = constant <%s: 1.5> : tile<%s%s>", padding, m->element, all, m->element);
        }
        uint32_t value = load(m, at[SOURCE], masks[SOURCE], padding);
        if (tir_type_rows[m->kind].class == TIR_CLASS_FLOAT && chance(m, 2)) {
            uint32_t sum = m->next++;
            line(m, "%%v%u = addf %%v%u, %%v%u rounding<nearest_even> : tile<%s%s>", sum, value, value, all,
                 m->element);
            value = sum;
        }
        store(m, at[TARGET], value, masks[TARGET]);
    }
    buffer_print(&m->text, "  return\n}\n}\n");
}

// ---- running it both ways -------------------------------------------------------------------------------------------

// Numbers of a launch: first indices, strides, limits; most of them such that elements lie in the buffers.
static void choose_numbers(uint64_t *state, uint64_t *numbers) {
    static const int64_t firsts[] = {0, 0, 1, 5, 16, 33, -3, INT32_MAX - 5, INT32_MIN + 2, INT32_MAX - 100},
                         strides[] = {1, 0, 3, 16, 40, -1, INT32_MAX, 1 << 28, 64},
                         limits[] = {0, 1, 9, 16, 40, 64, 1000, -4, INT32_MAX, INT32_MIN};
#define ANY(list) list[lab_random(state) % (lab_random(state) % 3 ? 6 : BASE_COUNT(list))]
    for (unsigned i = 0; i < NUMBERS; i++) {
        const int64_t number = i < 2 ? ANY(firsts) : i < 4 ? ANY(strides) : ANY(limits);
        numbers[i] = (uint32_t)number;
    }
}

static bool has_records(const Maker *m, CompileNumeric numeric) {
    return numeric == COMPILE_SHADOW && tir_type_rows[m->kind].class == TIR_CLASS_FLOAT;
}

static void fill(Lab *lab, TirTypeKind kind, bool with_records, uint64_t seed) {
    const unsigned bytes = tir_type_rows[kind].storage_bytes;
    for (uint32_t b = 0; b < BUFFERS; b++) {
        lab_shrink(lab, b, (uint64_t)ELEMENTS * bytes);
        lab->arguments[b] += 64 * bytes; // some elements lie before it
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            uint64_t bits = lab_random(&seed);
            if (tir_type_rows[kind].class == TIR_CLASS_FLOAT)
                bits = fpsan_encode_nearest(lab_format(kind), (double)(bits % 1000) / 8);
            else if (bytes < 8)
                bits &= (UINT64_C(1) << 8 * bytes) - 1;
            RtBuffer *buffer = &lab->buffers[b];
            const size_t offset = (size_t)(lab->ranges[b].begin - buffer->address) + (size_t)i * bytes;
            rt_copy_in(&lab->device, NULL, buffer, offset, &bits, bytes);
            HostRecord record = {.component = {(uint32_t)bits % 1000, 2, 3, i}};
            if (with_records && i % 3) rt_put_record(&lab->device, buffer, offset, bytes, &record);
        }
    }
}

static const KernelSite *site_of(const Lab *lab) {
    return lab->site ? &lab->compiled->kernels[0].sites[lab->site - 1] : NULL;
}

static uint64_t place_of(const Lab *lab, uint64_t address) { // that does not depend on where the lab's memory is
    return address ? address - (uint64_t)(uintptr_t)lab->memory : 0;
}

static void compare_runs(Lab *labs, const Maker *m, CompileNumeric numeric, bool good, bool other) {
    const unsigned bytes = tir_type_rows[m->kind].storage_bytes;
    cr_assert_eq(good, other, "numeric %d: by rows it %s, by elements it %s\n%s", (int)numeric, good ? "runs" : "fails",
                 other ? "runs" : "fails", m->text.data);
    if (!good) {
        const KernelSite *a = site_of(&labs[0]), *b = site_of(&labs[1]);
        cr_assert(a->kind == b->kind && !strcmp(a->op, b->op) &&
                      !strcmp(a->message ? a->message : "", b->message ? b->message : "") && a->at.line == b->at.line,
                  "%s of line %u, and of line %u\n%s", a->message, a->at.line, b->at.line, m->text.data);
        cr_assert_eq(place_of(&labs[0], labs[0].fault.address), place_of(&labs[1], labs[1].fault.address),
                     "another element fails\n%s", m->text.data);
    }
    for (uint32_t b = 0; b < BUFFERS; b++)
        for (uint32_t i = 0; i < ELEMENTS; i++) {
            const uint64_t offset = (uint64_t)i * bytes;
            HostRecord records[2];
            bool has[2];
            uint64_t bits[2] = {0, 0};
            for (unsigned l = 0; l < 2; l++) {
                const uint64_t address = labs[l].ranges[b].begin + offset;
                memcpy(&bits[l], (void *)(uintptr_t)address, bytes);
                const RtBuffer *buffer = &labs[l].buffers[b];
                has[l] = good && has_records(m, numeric) && // of a step that fails, some may be there
                         rt_get_record(&labs[l].device, buffer, address - buffer->address, bytes, &records[l]);
            }
            cr_assert_eq(bits[0], bits[1],
                         "numeric %d: element %u of buffer %u is 0x%lx by rows, 0x%lx by elements\n%s", (int)numeric, i,
                         b, bits[0], bits[1], m->text.data);
            cr_assert_eq(has[0], has[1], "element %u of buffer %u: a record\n%s", i, b, m->text.data);
            cr_assert(!has[0] || !memcmp(&records[0], &records[1], sizeof records[0]),
                      "element %u of buffer %u: %s\n%s", i, b, "the records differ", m->text.data);
        }
}

static Lab open_lab(Maker *m, TirTypeKind *kinds, CompileNumeric numeric, bool by_element) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_parse_text(&diagnostics, "kernel", m->text.data, m->text.size);
    cr_assert(module, "%s\n%s", diagnostics.count ? diagnostics.items[0].message : "", m->text.data);
    diagnostics_close(&diagnostics);
    Lab lab = lab_open_module(module, BUFFERS, kinds);
    lab.parameter_count = BUFFERS + NUMBERS;
    lab.by_element = by_element;
    lab.apart = !by_element;
    cr_assert(lab_compile(&lab, numeric, FPSAN_CASTS_MIX, NULL), "%s\n%s",
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "", m->text.data);
    return lab;
}

static unsigned run_kernel(uint64_t seed, CompileNumeric numeric) {
    Maker m;
    unsigned good_runs = 0;
    make_kernel(&m, seed);
    buffer_append(&m.text, "", 1);
    m.text.size--;
    TirTypeKind kinds[] = {m.kind, m.kind};
    Lab labs[2] = {open_lab(&m, kinds, numeric, false), open_lab(&m, kinds, numeric, true)};
    for (unsigned r = 0; r < RUNS; r++) {
        uint64_t state = seed * 100 + r, numbers[NUMBERS];
        bool good[2];
        choose_numbers(&state, numbers);
        for (unsigned l = 0; l < 2; l++) {
            fill(&labs[l], m.kind, has_records(&m, numeric), state);
            memcpy(labs[l].arguments + BUFFERS, numbers, sizeof numbers);
            good[l] = lab_run(&labs[l]);
        }
        compare_runs(labs, &m, numeric, good[0], good[1]);
        good_runs += good[0];
    }
    for (unsigned l = 0; l < 2; l++) lab_close(&labs[l]);
    buffer_free(&m.text);
    return good_runs;
}

static void run_kernels(uint64_t first, uint64_t count) {
    static const CompileNumeric numerics[] = {COMPILE_IEEE, COMPILE_SHADOW, COMPILE_PAYLOAD, COMPILE_WIDE};
    unsigned good = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        good += run_kernel(seed, numerics[seed % BASE_COUNT(numerics)]);
    const unsigned all = (unsigned)count * RUNS;
    cr_assert(good > all / 8 && good < all - all / 8, "%u of %u runs are good", good, all);
}

Test(rows, same_as_elements) {
    run_kernels(1, 60);
}

Test(rows, more_of_same) {
    run_kernels(1000, 800);
}
