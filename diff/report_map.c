// SPDX-License-Identifier: Apache-2.0
// Maps: what the page of --html draws of a compared buffer, made while the results are in memory (docs/fpdiff.md,
// "Maps"). A map has cells, each an element or a box of them, and keeps the values of some elements. Where its bytes do
// not suffice it becomes coarser.
#include "diff/report_map_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const class_texts[CLASS_COUNT] = {
#define VERDICT(name, text, ...) [FPD_ELEMENT_##name] = text,
#include "diff/verdicts.def"
#undef VERDICT
    [CLASS_WITHIN] = "within the tolerance", [CLASS_DIFFERENT] = "different", [CLASS_BEYOND] = "beyond the tolerance"};

// How much a map shows, finest first. Elements that are not `kept` have no values; without `errors` those that are have
// none, where cells have them.
typedef struct MapDetail {
    uint32_t cells, kept;
    bool errors;
} MapDetail;
static const MapDetail details[] = {{CELLS_MAX, CELLS_MAX, true},
                                    {CELLS_MAX, CELLS_MAX, false},
                                    {CELLS_MAX, KEPT_MAX, true},
                                    {CELLS_MAX, 1000, true},
                                    {16384, 1000, true},
                                    {16384, 250, true},
                                    {4096, 250, true},
                                    {4096, 60, true},
                                    {1024, 60, true},
                                    {1024, 0, false},
                                    {256, 0, false}};

// ---- planes: bytes of all cells or of all elements that are kept

static json_t *add_plane(Mapping *m, const json_t *planes, const void *bytes, size_t size) {
    char *text = report_plane(bytes, size);
    const size_t known = json_array_size(planes), count = json_array_size(m->texts);
    size_t i = 0;
    while (i < known && strcmp(json_string_value(json_array_get(planes, i)), text)) i++;
    size_t own = 0;
    while (i == known && own < count && strcmp(json_string_value(json_array_get(m->texts, own)), text)) own++;
    if (i == known && own == count) {
        json_array_append_new(m->texts, json_string(text));
        m->size += strlen(text);
    }
    free(text);
    return json_integer((json_int_t)(i == known ? known + own : i));
}

typedef uint8_t ByteOf(Mapping *m, uint64_t index, int side);

static uint8_t rank_byte(Mapping *m, uint64_t index, int side) {
    (void)side;
    return m->rank_of[fpd_map_class(m, index)];
}

static uint8_t fields_byte(Mapping *m, uint64_t index, int side) {
    (void)side;
    return fpd_map_fields(m, index);
}

static uint8_t store_byte(Mapping *m, uint64_t index, int side) {
    return fpd_map_store(m, side, index);
}

// A byte for each of these elements.
static json_t *plane_of(Mapping *m, const json_t *planes, const uint64_t *elements, uint64_t count, ByteOf *byte_of,
                        int side) {
    Arena scratch = {0};
    uint8_t *bytes = arena_alloc(&scratch, count + 1);
    for (uint64_t i = 0; i < count; i++) bytes[i] = byte_of(m, elements[i], side);
    json_t *plane = add_plane(m, planes, bytes, count);
    arena_reset(&scratch);
    return plane;
}

static json_t *stored_planes(Mapping *m, const json_t *planes, const uint64_t *elements, uint64_t count) {
    json_t *stored = json_array();
    for (int side = 0; side < 2; side++)
        json_array_append_new(stored, plane_of(m, planes, elements, count, store_byte, side));
    return stored;
}

static json_t *json_cells(Mapping *m, const json_t *planes) {
    json_t *cells = json_object();
    Arena scratch = {0};
    uint8_t *wrong = arena_alloc(&scratch, m->cells * 4);
    json_object_set_new(cells, "class", add_plane(m, planes, m->worst_rank, m->cells));
    if (m->numbers) json_object_set_new(cells, "ulps", add_plane(m, planes, m->worst_level, m->cells));
    json_object_set_new(cells, "fields", plane_of(m, planes, m->worst, m->cells, fields_byte, 0));
    json_object_set_new(cells, "stored", stored_planes(m, planes, m->worst, m->cells));
    for (uint64_t i = 0; i < m->cells; i++)
        for (unsigned k = 0; k < 4; k++) wrong[k * m->cells + i] = (uint8_t)(m->wrong_of[i] >> 8 * k);
    json_object_set_new(cells, "wrong", add_plane(m, planes, wrong, m->cells * 4));
    if (m->errors[0] && m->errors[1]) {
        json_t *errors = json_array();
        for (int side = 0; side < 2; side++)
            json_array_append_new(errors, add_plane(m, planes, m->worst_error[side], m->cells));
        json_object_set_new(cells, "errors", errors);
    }
    arena_reset(&scratch);
    return cells;
}

// ---- values that are kept

// The lowest bytes of all, then the next, ...: of the reference its bits, of the variant the bits minus these.
static json_t *value_plane(Mapping *m, const json_t *planes, const uint64_t *elements, uint64_t count, int side) {
    Arena scratch = {0};
    const unsigned bits = element_info(m->buffer->type)->storage_bits, width = bits < 8 ? 1 : bits / 8;
    uint8_t *bytes = arena_alloc(&scratch, count * width + 1);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t reference = fpd_map_bits(m, 0, elements[i]),
                       value = side ? fpd_map_bits(m, 1, elements[i]) - reference : reference;
        for (unsigned k = 0; k < width; k++) bytes[k * count + i] = (uint8_t)(value >> 8 * k);
    }
    json_t *plane = add_plane(m, planes, bytes, count * width);
    arena_reset(&scratch);
    return plane;
}

// How far each is behind the one before, in bytes of seven bits, the lowest first; the highest bit: more follow.
static json_t *index_plane(Mapping *m, const json_t *planes, const uint64_t *elements, uint64_t count) {
    Arena scratch = {0};
    uint8_t *bytes = arena_alloc(&scratch, count * INDEX_SIZE + 1), *to = bytes;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t step = i ? elements[i] - elements[i - 1] : elements[i];
        for (; step >= 128; step >>= 7) *to++ = (uint8_t)(step | 128);
        *to++ = (uint8_t)step;
    }
    json_t *plane = add_plane(m, planes, bytes, (size_t)(to - bytes));
    arena_reset(&scratch);
    return plane;
}

// The errors of reference and variant: the lower byte of all, then the upper one.
static json_t *error_planes(Mapping *m, const json_t *planes, const uint64_t *elements, uint64_t count) {
    Arena scratch = {0};
    json_t *errors = json_array();
    uint8_t *bytes = arena_alloc(&scratch, count * 2 + 1);
    for (int side = 0; side < 2; side++) {
        for (uint64_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)m->errors[side]->codes[elements[i]];
            bytes[count + i] = (uint8_t)(m->errors[side]->codes[elements[i]] >> 8);
        }
        json_array_append_new(errors, add_plane(m, planes, bytes, count * 2));
    }
    arena_reset(&scratch);
    return errors;
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Elements that are worth keeping whatever they are: the one that is farthest apart, those with the largest errors.
static uint32_t find_farthest(const Mapping *m, uint64_t *elements) {
    uint32_t count = 0;
    if (m->numbers && m->d->distance.different) elements[count++] = m->d->distance.farthest;
    for (int side = 0; side < 2; side++) {
        const FpdError *e = m->errors[side];
        if (e && (e->infinite || e->elements)) elements[count++] = e->infinite ? e->first_infinite : e->farthest;
    }
    return count;
}

// All elements if they are so few, or the first wrong ones and the farthest.
static uint64_t *choose_kept(Mapping *m, uint64_t most, uint64_t *count) {
    enum { FARTHEST_MAX = 3 };
    const bool all = m->d->elements <= most;
    const uint64_t first = all ? m->d->elements : m->first_count < most ? m->first_count : most;
    uint64_t *elements = arena_array(m->arena, uint64_t, first + FARTHEST_MAX), given = first, kept = 0;
    for (uint64_t i = 0; i < first; i++) elements[i] = all ? i : m->first_wrong[i];
    if (most && !all) given += find_farthest(m, elements + first);
    qsort(elements, given, sizeof *elements, by_number);
    for (uint64_t i = 0; i < given; i++)
        if (!kept || elements[i] != elements[kept - 1]) elements[kept++] = elements[i];
    *count = kept;
    return elements;
}

static json_t *json_kept(Mapping *m, const json_t *planes, MapDetail detail) {
    json_t *kept = json_object();
    uint64_t count;
    const uint64_t *elements = choose_kept(m, detail.kept, &count);
    json_object_set_new(kept, "count", json_integer((json_int_t)count));
    json_object_set_new(kept, "reference", value_plane(m, planes, elements, count, 0));
    json_object_set_new(kept, "variant", value_plane(m, planes, elements, count, 1));
    if (detail.errors && m->errors[0] && m->errors[1])
        json_object_set_new(kept, "errors", error_planes(m, planes, elements, count));
    if (count == m->d->elements) return kept; // the cells have the rest
    json_object_set_new(kept, "index", index_plane(m, planes, elements, count));
    json_object_set_new(kept, "class", plane_of(m, planes, elements, count, rank_byte, 0));
    json_object_set_new(kept, "fields", plane_of(m, planes, elements, count, fields_byte, 0));
    json_object_set_new(kept, "stored", stored_planes(m, planes, elements, count));
    return kept;
}

// ---- maps

static json_t *json_sizes(uint32_t count, const uint64_t *sizes) {
    json_t *list = json_array();
    for (uint32_t d = 0; d < count; d++) json_array_append_new(list, json_integer((json_int_t)sizes[d]));
    return list;
}

static json_t *json_classes(const Mapping *m) {
    json_t *list = json_array();
    for (uint32_t rank = 0; rank < m->rank_count; rank++)
        for (unsigned class = 0; class < CLASS_COUNT; class ++) {
            if (m->rank_of[class] != rank || (rank == 0 && class != FPD_ELEMENT_EQUAL)) continue;
            json_t *one = json_object();
            json_object_set_new(one, "class", json_string(class_texts[class]));
            json_object_set_new(one, "wrong", json_boolean(rank && fpd_map_is_wrong(m, class)));
            json_object_set_new(one, "count", json_integer((json_int_t)m->classes[class]));
            json_array_append_new(list, one);
        }
    return list;
}

static json_t *json_stores(const Mapping *m) {
    json_t *list = json_array();
    const FpdRun *const runs[] = {m->comparison->left, m->comparison->right};
    for (uint32_t i = 0; i < m->store_count; i++) {
        json_t *store = fpd_json_store(m->stores[i]);
        for (int side = 0; side < 2; side++)
            if (runs[side]->last_stores && m->stores[i] == &runs[side]->last_stores[m->compared])
                json_object_set_new(store, "last_in_code", json_true());
        json_array_append_new(list, store);
    }
    return list;
}

// Cells and values in this detail. False, and nothing stays, if that is more than so many bytes.
static bool draw(Mapping *m, MapDetail detail, size_t bytes, json_t *planes, json_t *map) {
    fpd_map_coarsen(m, detail.cells);
    m->texts = json_array();
    m->size = m->store_count = 0;
    json_t *cells = json_cells(m, planes), *kept = json_kept(m, planes, detail);
    const bool fits = m->size <= bytes;
    if (fits) {
        json_object_set(map, "cells", cells);
        json_object_set(map, "kept", kept);
        json_object_set_new(map, "bin", json_sizes(m->rank, m->bin));
        json_object_set_new(map, "stores", json_stores(m));
        json_array_extend(planes, m->texts);
    }
    json_decref(m->texts);
    json_decref(cells);
    json_decref(kept);
    return fits;
}

// Whether the detail is another than the one before it.
static bool is_other(const Mapping *m, MapDetail detail) {
    if (m->d->elements > CELLS_MAX && detail.kept == CELLS_MAX) return false;
    return detail.errors || m->errors[0] || !detail.kept;
}

static bool is_plain(const FpdComparison *comparison, const FpdDifference *d) {
    return !d->elements ||
           (!d->different && !comparison->unspecified && (!d->distance.known || !d->distance.different) &&
            (!d->verdict_of || d->verdicts[FPD_ELEMENT_EQUAL].count == d->elements));
}

// How the bits of the type are read.
static void set_type(json_t *map, ElementType type) {
    static const char *const specials[] = {[FPSAN_IEEE] = "ieee",
                                           [FPSAN_FN] = "fn",
                                           [FPSAN_FNUZ] = "fnuz",
                                           [FPSAN_FINITE] = "finite",
                                           [FPSAN_POWER] = "power"};
    json_object_set_new(map, "type", json_string(element_info(type)->name));
    json_object_set_new(map, "bits", json_integer(element_info(type)->storage_bits));
    if (!element_is_float(type)) return;
    const FpsanFormatInfo *info = fpsan_format_info(element_format(type));
    json_object_set_new(map, "format",
                        json_pack("{s:i,s:i,s:i,s:i,s:s,s:b}", "exponent", (int)info->exponent_bits, "mantissa",
                                  (int)info->mantissa_bits, "bias", info->bias, "padding", (int)info->padding_bits,
                                  "specials", specials[info->specials], "signed", (int)info->is_signed));
}

static void set_tile(json_t *map, const FpdOutcome *outcome, const Mapping *m) {
    const ProgramUse *tile = outcome->runs->tiles ? &outcome->runs->tiles[m->compared] : NULL;
    json_t *sizes = json_array();
    for (uint32_t d = 0; tile && tile->tile_rank == m->buffer->rank && d < m->buffer->rank; d++)
        json_array_append_new(sizes, json_integer(tile->tile[d]));
    if (json_array_size(sizes))
        json_object_set_new(map, "tile", sizes);
    else
        json_decref(sizes);
}

// The map of buffer compare[compared]. What it needs of planes that are not there yet takes at most so many bytes.
static json_t *json_map(const FpdOutcome *outcome, const FpdComparison *comparison, uint32_t compared, json_t *planes,
                        size_t bytes) {
    Arena arena = {0};
    const FpdDifference *d = &comparison->differences[compared];
    const FpdBuffer *buffer = &outcome->cas->buffers[d->buffer];
    Mapping *m = arena_new(&arena, Mapping);
    *m = (Mapping){.arena = &arena,
                   .cas = outcome->cas,
                   .comparison = comparison,
                   .d = d,
                   .buffer = buffer,
                   .compared = compared,
                   .rank = buffer->rank ? buffer->rank : 1};
    json_t *map = json_object();
    uint64_t shape[FPD_RANK_MAX];
    for (uint32_t i = 0; i < m->rank; i++) shape[i] = fpd_map_size(m, i);
    set_type(map, buffer->type);
    json_object_set_new(map, "shape", json_sizes(m->rank, shape));
    set_tile(map, outcome, m);
    if (is_plain(comparison, d)) {
        json_object_set_new(map, "equal", json_true());
        arena_reset(&arena);
        return map;
    }
    m->numbers = d->distance.known;
    fpd_map_find_errors(m, outcome);
    json_object_set_new(map, "numbers", json_boolean(m->numbers));
    fpd_map_count_classes(m);
    json_object_set_new(map, "classes", json_classes(m));
    json_object_set_new(map, "wrong", json_integer((json_int_t)m->wrong));
    fpd_map_choose_bins(m);
    fpd_map_fill(m);
    bool drawn = false;
    for (size_t i = 0; !drawn && i < BASE_COUNT(details); i++)
        if (is_other(m, details[i])) drawn = draw(m, details[i], bytes, planes, map);
    arena_reset(&arena);
    return map;
}

void fpd_add_maps(const FpdOutcome *outcome, json_t *cas) {
    json_t *lists[] = {json_object_get(cas, "pairs"), json_object_get(cas, "builds")}, *planes = json_array();
    size_t next[] = {0, 0}, left = outcome->map_bytes, count = 0;
    for (uint32_t i = 0; i < outcome->comparison_count; i++)
        for (uint32_t c = 0; c < outcome->cas->compare_count; c++)
            count += !is_plain(&outcome->comparisons[i], &outcome->comparisons[i].differences[c]);
    for (uint32_t i = 0; i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        const int list = comparison->question == FPD_QUESTION_builds;
        json_t *buffers = json_object_get(json_array_get(lists[list], next[list]++), "buffers");
        for (uint32_t c = 0; c < outcome->cas->compare_count; c++) {
            const size_t before = json_array_size(planes);
            json_object_set_new(json_array_get(buffers, c), "map",
                                json_map(outcome, comparison, c, planes, count ? left / count : 0));
            for (size_t p = before; p < json_array_size(planes); p++)
                left -= json_string_length(json_array_get(planes, p));
            count -= !is_plain(comparison, &comparison->differences[c]);
        }
    }
    json_object_set_new(cas, "planes", planes);
}
