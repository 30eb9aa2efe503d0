// SPDX-License-Identifier: Apache-2.0
// Maps: what is said of an element, and the cells that elements are in.
#include "diff/report_map_internal.h"

#include <string.h>

// ---- elements

static bool is_of_records(const Mapping *m) {
    return m->d->verdict_of;
}

uint64_t fpd_map_bits(const Mapping *m, int side, uint64_t index) {
    return fpd_element_bits(m->buffer->type, side ? m->d->other : m->d->reference, index);
}

static bool is_unspecified(const Mapping *m, uint64_t index) {
    const FpdRun *const runs[] = {m->comparison->left, m->comparison->right};
    for (int side = 0; side < 2; side++)
        if (runs[side]->is_unspecified && runs[side]->is_unspecified[m->compared] &&
            runs[side]->is_unspecified[m->compared][index])
            return true;
    return false;
}

unsigned fpd_map_class(const Mapping *m, uint64_t index) {
    const ElementType type = m->buffer->type;
    const uint64_t a = fpd_map_bits(m, 0, index), b = fpd_map_bits(m, 1, index);
    const FpdTolerance tolerance = m->cas->tolerance;
    if (is_of_records(m)) {
        const bool beyond = m->comparison->question == FPD_QUESTION_builds && tolerance.given &&
                            element_is_float(type) && !fpd_element_within(type, a, b, tolerance);
        return beyond && !fpd_element_diverges(m->d, index) ? CLASS_BEYOND : m->d->verdict_of[index];
    }
    if (is_unspecified(m, index)) return FPD_ELEMENT_UNSPECIFIED;
    if (a == b) return FPD_ELEMENT_EQUAL;
    if (!m->numbers) return CLASS_DIFFERENT;
    if (fpd_element_within(type, a, b, (FpdTolerance){.given = false})) return FPD_ELEMENT_EQUAL;
    if (!fpd_element_within(type, a, b, tolerance)) return tolerance.given ? CLASS_BEYOND : CLASS_DIFFERENT;
    return CLASS_WITHIN;
}

bool fpd_map_is_wrong(const Mapping *m, unsigned class) {
    if (class >= FPD_ELEMENT_COUNT) return class != CLASS_WITHIN;
    return is_of_records(m) ? m->d->verdicts[class].diverges : class == FPD_ELEMENT_UNSPECIFIED;
}

// 0: the numbers are equal; else 1 + the logarithm to base 2 of how many units in the last place (of integers: how
// much) they are apart.
static uint8_t level_of(const Mapping *m, uint64_t index) {
    const ElementType type = m->buffer->type;
    const uint64_t a = fpd_map_bits(m, 0, index), b = fpd_map_bits(m, 1, index);
    if (!m->numbers || a == b || fpd_element_within(type, a, b, (FpdTolerance){.given = false})) return 0;
    if (!element_is_float(type)) {
        const double apart = fpd_element_apart(type, a, b);
        return (uint8_t)(64 - __builtin_clzll(apart < 0x1p64 ? (uint64_t)apart : UINT64_MAX));
    }
    const double x = fpd_element_value(type, a), y = fpd_element_value(type, b);
    if (x - x != 0 || y - y != 0) return INCOMPARABLE;
    const uint64_t ulps = fpd_element_ulps(type, a, b);
    return ulps ? (uint8_t)(64 - __builtin_clzll(ulps)) : 0;
}

// Of finite payloads beside numbers: how many fields decide, and in how many of these they agree.
uint8_t fpd_map_fields(const Mapping *m, uint64_t index) {
    if (!is_of_records(m) || !element_is_float(m->buffer->type)) return NO_FIELDS;
    FpdShadowed a, b;
    fpd_elements_of(m->cas, m->comparison->left, m->comparison->right, m->compared, index, &a, &b);
    unsigned agree, fields;
    if ((a.payload.state | b.payload.state) & TOWER_KIND || tower_is_poison(a.payload) || tower_is_poison(b.payload))
        return NO_FIELDS;
    fields = fpd_fields(a.tower, a.payload, b.payload, &agree);
    return (uint8_t)(fields << 4 | agree);
}

// The errors of reference and variant, where they were measured.
void fpd_map_find_errors(Mapping *m, const FpdOutcome *outcome) {
    const FpdRun *const runs[] = {m->comparison->left, m->comparison->right};
    if (!fpd_has_accuracy(outcome, m->comparison) || outcome->accuracy->none) return;
    for (int side = 0; side < 2; side++) {
        const FpdError *e = &outcome->accuracy->variants[runs[side]->variant].errors[m->compared];
        if (e->codes) m->errors[side] = e;
    }
}

uint8_t fpd_map_store(Mapping *m, int side, uint64_t index) {
    const FpdStore *store =
        fpd_find_store(m->cas, side ? m->comparison->right : m->comparison->left, m->compared, index);
    uint32_t i = 0;
    if (!store) return NO_STORE;
    while (i < m->store_count && m->stores[i] != store) i++;
    if (i == STORES_MAX) return OTHER_STORE;
    if (i == m->store_count) m->stores[m->store_count++] = store;
    return (uint8_t)(i + 1);
}

// ---- cells

uint64_t fpd_map_size(const Mapping *m, uint32_t d) {
    return m->buffer->rank ? (uint64_t)m->buffer->shape[d] : 1;
}

static void count_cells(Mapping *m) {
    m->cells = 1;
    for (uint32_t d = 0; d < m->rank; d++) {
        m->count[d] = (fpd_map_size(m, d) + m->bin[d] - 1) / m->bin[d];
        m->cells *= m->count[d];
    }
}

// The dimension with most cells; of several the last.
static uint32_t longest(const Mapping *m) {
    uint32_t most = 0;
    for (uint32_t d = 1; d < m->rank; d++)
        if (m->count[d] >= m->count[most]) most = d;
    return most;
}

void fpd_map_choose_bins(Mapping *m) {
    for (uint32_t d = 0; d < m->rank; d++) m->bin[d] = 1;
    for (count_cells(m); m->cells > CELLS_MAX; count_cells(m)) m->bin[longest(m)] *= 2;
}

static void open_cells(Mapping *m) {
    m->worst_rank = arena_alloc(m->arena, m->cells);
    m->worst_level = arena_alloc(m->arena, m->cells);
    m->own_level = arena_alloc(m->arena, m->cells);
    m->worst = arena_array(m->arena, uint64_t, m->cells);
    m->wrong_of = arena_array(m->arena, uint32_t, m->cells);
    for (int side = 0; side < 2; side++)
        if (m->errors[side]) m->worst_error[side] = arena_alloc(m->arena, m->cells);
    memset(m->worst, 0xff, m->cells * sizeof *m->worst); // no element
}

static void take_error(Mapping *m, int side, uint64_t cell, uint8_t level) {
    if (level > m->worst_error[side][cell]) m->worst_error[side][cell] = level;
}

// Takes an element into its cell.
static void take_element(Mapping *m, uint64_t cell, uint64_t index, uint8_t rank, uint8_t level) {
    if (level > m->worst_level[cell]) m->worst_level[cell] = level;
    if (m->worst[cell] != UINT64_MAX &&
        (rank != m->worst_rank[cell] ? rank < m->worst_rank[cell] : level <= m->own_level[cell]))
        return;
    m->worst_rank[cell] = rank;
    m->own_level[cell] = level;
    m->worst[cell] = index;
}

static uint64_t cell_of(const Mapping *m, uint64_t index) {
    uint64_t cell = 0, step = 1;
    for (uint32_t d = m->rank; d-- > 0; index /= fpd_map_size(m, d)) {
        cell += index % fpd_map_size(m, d) / m->bin[d] * step;
        step *= m->count[d];
    }
    return cell;
}

void fpd_map_fill(Mapping *m) {
    const uint64_t row = fpd_map_size(m, m->rank - 1);
    open_cells(m);
    for (uint64_t begin = 0; begin < m->d->elements; begin += row) {
        const uint64_t cells = cell_of(m, begin);
        for (uint64_t i = begin; i < begin + row; i++) {
            const uint64_t cell = cells + (i - begin) / m->bin[m->rank - 1];
            const unsigned class = fpd_map_class(m, i);
            const bool wrong = fpd_map_is_wrong(m, class);
            m->wrong_of[cell] += wrong;
            if (wrong && m->first_count < KEPT_MAX) m->first_wrong[m->first_count++] = i;
            take_element(m, cell, i, m->rank_of[class], level_of(m, i));
            for (int side = 0; side < 2; side++)
                if (m->errors[side]) take_error(m, side, cell, fpd_error_level(m->errors[side]->codes[i]));
        }
    }
}

// Joins two cells along the longest dimension, until there are at most so many.
void fpd_map_coarsen(Mapping *m, uint64_t most) {
    while (m->cells > most) {
        const Mapping fine = *m;
        m->bin[longest(m)] *= 2;
        count_cells(m);
        open_cells(m);
        for (uint64_t i = 0; i < fine.cells; i++) {
            const uint64_t cell = cell_of(m, fine.worst[i]);
            const uint8_t most_level = fine.worst_level[i];
            m->wrong_of[cell] += fine.wrong_of[i];
            take_element(m, cell, fine.worst[i], fine.worst_rank[i], fine.own_level[i]);
            if (most_level > m->worst_level[cell]) m->worst_level[cell] = most_level;
            for (int side = 0; side < 2; side++)
                if (m->errors[side]) take_error(m, side, cell, fine.worst_error[side][i]);
        }
    }
}

// Counts the classes, and puts those that occur in order: equal, then others that are not wrong, then wrong ones.
void fpd_map_count_classes(Mapping *m) {
    for (uint64_t i = 0; i < m->d->elements; i++) m->classes[fpd_map_class(m, i)]++;
    m->rank_count = 1;
    for (int wrong = 0; wrong < 2; wrong++)
        for (unsigned class = 1; class < CLASS_COUNT; class ++)
            if (m->classes[class] && fpd_map_is_wrong(m, class) == wrong) {
                m->rank_of[class] = (uint8_t)m->rank_count++;
                if (wrong) m->wrong += m->classes[class];
            }
}
