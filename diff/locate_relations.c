// SPDX-License-Identifier: Apache-2.0
// What wrong elements are, in payloads: exact ratios, differences and places. A relation is counted only for elements
// whose payloads have it in every field that both know, and in two at least.
#include "diff/locate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, WRONG_MAX = 1 << 20, FRACTION_MAX = 64, ROOT_MAX = 256 };

typedef struct Wrong { // a wrong element
    uint64_t index;
    TowerPayload right, is;
    double right_number, is_number;
} Wrong;

typedef struct Relater {
    Arena *arena; // of what is found
    Arena scratch;
    const FpdCase *cas;
    const FpdComparison *comparison;
    const Tower *tower;
    const FpdBuffer *buffer;
    uint32_t compared, number; // of the buffer: among the compared ones, of the case
    size_t count;
    Wrong *wrong;
    FpdLocated *located;
} Relater;

bool fpd_same_payload(const Tower *tower, TowerPayload a, TowerPayload b) {
    unsigned agree;
    const unsigned fields = fpd_fields(tower, a, b, &agree);
    return fields >= 2 && agree == fields && !((a.state ^ b.state) & TOWER_KIND) && !tower_is_poison(a);
}

bool fpd_is_finite(TowerPayload a) {
    return (a.state & TOWER_KIND) >> TOWER_KIND_SHIFT == TOWER_FINITE && !tower_is_poison(a);
}

void fpd_add_relation(Arena *arena, const FpdCase *cas, const FpdRelation *relation, FpdLocated *located) {
    const char *name = cas->buffers[relation->buffer].name, *detail = relation->detail ? relation->detail : "";
    if (located->relation_count == FPD_RELATIONS_MAX) return;
    if (!located->relations) located->relations = arena_array(arena, FpdRelation, FPD_RELATIONS_MAX);
    FpdRelation *added = &located->relations[located->relation_count++];
    *added = *relation;
    added->message = relation->count == relation->of
                         ? arena_format(arena, "all %" PRIu64 " wrong elements of %s %s%s", relation->of, name,
                                        relation->what, detail)
                         : arena_format(arena, "%" PRIu64 " of %" PRIu64 " wrong elements of %s %s%s", relation->count,
                                        relation->of, name, relation->what, detail);
}

static void add(Relater *r, FpdRelationKind kind, uint64_t count, const char *what, const char *detail) {
    const FpdRelation relation = {
        .kind = kind, .buffer = r->number, .count = count, .of = r->count, .what = what, .detail = detail};
    fpd_add_relation(r->arena, r->cas, &relation, r->located);
}

// A relation is worth a line if a quarter of the wrong elements have it.
static bool is_many(const Relater *r, uint64_t count) {
    return count >= LEAST && count * 4 >= r->count;
}

// ---- unwritten ------------------------------------------------------------------------------------------------------

// Said of buffers without `fill` alone: elsewhere an element that nobody wrote looks like one from outside.
static void find_unwritten(Relater *r) {
    const HostRecord *records = r->comparison->right->records[r->compared];
    uint64_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const Wrong *w = &r->wrong[i];
        const bool nobodys = tower_is_poison(w->is) && tower_origin(r->tower, w->is) == FPD_ORIGIN_BUFFER + r->number;
        count += nobodys && !(records && fpd_was_stored(&records[w->index])); // one that was stored is from elsewhere
    }
    if (count) add(r, FPD_RELATION_unwritten, count, "were written by no launch", NULL);
}

// ---- groups of equal payloads ---------------------------------------------------------------------------------------

typedef struct Group { // elements whose ratio or difference is the same
    TowerPayload payload;
    uint64_t count;
    size_t first; // of Relater.wrong
} Group;

// The payloads of wrong elements, relative to the right ones; false: there is none.
typedef bool Relate(const Relater *r, const Wrong *w, TowerPayload *payload);

static bool ratio_of(const Relater *r, const Wrong *w, TowerPayload *payload) {
    if (!fpd_is_finite(w->right) || !fpd_is_finite(w->is) || tower_is_zero(r->tower, w->right) ||
        tower_is_zero(r->tower, w->is))
        return false;
    *payload = tower_div(r->tower, w->is, w->right, TOWER_IEEE_POSITIVE);
    return fpd_is_finite(*payload);
}

static bool difference_of(const Relater *r, const Wrong *w, TowerPayload *payload) {
    if (!fpd_is_finite(w->right) || !fpd_is_finite(w->is)) return false;
    *payload = tower_sub(r->tower, w->is, w->right);
    return fpd_is_finite(*payload);
}

// The payload that most of the elements have, if the first few already show it.
static Group largest_group(const Relater *r, Relate *relate, const size_t *elements, size_t count) {
    enum { TRIED = 16 };
    Group best = {.count = 0};
    for (size_t t = 0; t < TRIED && t < count; t++) {
        const size_t first = elements[t * count / (count < TRIED ? count : TRIED)];
        Group group = {.first = first};
        if (!relate(r, &r->wrong[first], &group.payload)) continue;
        for (size_t i = 0; i < count; i++) {
            TowerPayload other;
            group.count +=
                relate(r, &r->wrong[elements[i]], &other) && fpd_same_payload(r->tower, group.payload, other);
        }
        if (group.count > best.count) best = group;
    }
    return best;
}

// ---- constants ------------------------------------------------------------------------------------------------------

static const char *try_number(const Relater *r, TowerPayload payload, double about, TowerPayload known, double value,
                              const char *text) {
    return fabs(about - value) <= 0.05 * fabs(value) && fpd_same_payload(r->tower, payload, known)
               ? arena_keep(r->arena, text)
               : NULL;
}

// The factor in words: "3/2", "log2(e)", "1/sqrt(64)"; NULL: it is not recognised. `about`: the ratio of the numbers.
static const char *recognise(const Relater *r, TowerPayload payload, double about) {
    static const double values[] = {1, 1.4426950408889634, 0.6931471805599453};
    static const char *const names[] = {"", "log2(e)", "ln(2)"};
    const TowerPayload units[] = {r->tower->one, r->tower->log2e, r->tower->ln2};
    char text[64];
    if (!(fabs(about) <= 2.0 * FRACTION_MAX * FRACTION_MAX)) return NULL; // no number that is known, or none at all
    for (size_t u = 0; u < BASE_COUNT(units); u++)
        for (int q = 1; q <= FRACTION_MAX; q++) {
            const int p = (int)nearbyint(about / values[u] * q);
            if (!p || abs(p) > FRACTION_MAX * FRACTION_MAX) continue;
            if (q == 1)
                snprintf(text, sizeof text, "%d%s%s", p, u ? " " : "", names[u]);
            else
                snprintf(text, sizeof text, "%d/%d%s%s", p, q, u ? " " : "", names[u]);
            const char *name = try_number(
                r, payload, about, tower_mul(r->tower, tower_rational(r->tower, p, q), units[u], TOWER_IEEE_POSITIVE),
                values[u] * p / q, text);
            if (name) return name;
        }
    for (int n = 2; n <= ROOT_MAX; n++)
        for (int inverse = 0; inverse < 2; inverse++) {
            const TowerPayload root = tower_sqrt(r->tower, tower_rational(r->tower, n, 1));
            snprintf(text, sizeof text, inverse ? "1/sqrt(%d)" : "sqrt(%d)", n);
            const char *name = try_number(
                r, payload, about, inverse ? tower_div(r->tower, r->tower->one, root, TOWER_IEEE_POSITIVE) : root,
                inverse ? 1 / sqrt(n) : sqrt(n), text);
            if (name) return name;
        }
    return NULL;
}

static bool find_multiple(Relater *r) {
    size_t *all = arena_array(&r->scratch, size_t, r->count + 1);
    for (size_t i = 0; i < r->count; i++) all[i] = i;
    const Group group = largest_group(r, ratio_of, all, r->count);
    if (!is_many(r, group.count)) return false;
    const Wrong *w = &r->wrong[group.first];
    const double about = w->is_number / w->right_number;
    const char *name = recognise(r, group.payload, about);
    if (name)
        add(r, FPD_RELATION_multiple, group.count, arena_format(r->arena, "are %s times the right ones", name), NULL);
    else
        add(r, FPD_RELATION_multiple, group.count, "are the right ones times one constant",
            arena_format(r->arena, ", about %.4g", about));
    return true;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// Where a row of dimension d begins that holds the element.
static uint64_t row_of(const FpdBuffer *buffer, uint32_t d, uint64_t index) {
    uint64_t inner = 1;
    for (uint32_t k = d + 1; k < buffer->rank; k++) inner *= (uint64_t)buffer->shape[k];
    const uint64_t size = (uint64_t)buffer->shape[d];
    return index / (inner * size) * inner * size + index % inner;
}

typedef struct Member {
    uint64_t row;
    size_t element;
} Member;

static int compare_members(const void *a, const void *b) {
    const Member *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

// How many wrong elements lie in rows of dimension d of which all wrong ones, three or more, are related alike. Where
// all right ones are the same, too, that says nothing.
static uint64_t count_in_rows(Relater *r, Relate *relate, uint32_t d, uint64_t *rows) {
    Member *members = arena_array(&r->scratch, Member, r->count + 1);
    uint64_t count = 0;
    *rows = 0;
    for (size_t i = 0; i < r->count; i++) members[i] = (Member){row_of(r->buffer, d, r->wrong[i].index), i};
    qsort(members, r->count, sizeof *members, compare_members);
    for (size_t i = 0, next; i < r->count; i = next) {
        TowerPayload first, other;
        bool alike = relate(r, &r->wrong[members[i].element], &first), told = false;
        for (next = i; next < r->count && members[next].row == members[i].row; next++) {
            const Wrong *w = &r->wrong[members[next].element];
            alike = alike && relate(r, w, &other) && fpd_same_payload(r->tower, first, other);
            told |= !fpd_same_payload(r->tower, w->right, r->wrong[members[i].element].right);
        }
        if (!alike || !told || next - i < 3) continue;
        count += next - i;
        ++*rows;
    }
    return count;
}

static bool find_rows(Relater *r, Relate *relate, FpdRelationKind kind, const char *what) {
    uint64_t best = 0, rows, best_rows = 0;
    uint32_t dimension = 0;
    for (uint32_t d = r->buffer->rank; d-- > 0;) {
        const uint64_t count = count_in_rows(r, relate, d, &rows);
        if (count <= best) continue;
        best = count, best_rows = rows, dimension = d;
    }
    if (!is_many(r, best)) return false;
    add(r, kind, best, arena_format(r->arena, "are %s, the same along dimension %" PRIu32, what, dimension + 1),
        arena_format(r->arena, " (in %" PRIu64 " rows)", best_rows));
    return true;
}

// ---- moved ----------------------------------------------------------------------------------------------------------

typedef struct Known { // an element of the reference
    uint64_t key;
    uint64_t index;
} Known;

static uint64_t key_of(TowerPayload a) { // components 1 and 2 are known longest
    return (uint64_t)a.component[1] << 32 | a.component[2];
}

static bool has_key(const Tower *tower, TowerPayload a) {
    return fpd_is_finite(a) && !(a.state & (6u << TOWER_MISSING_SHIFT)) && !tower_is_zero(tower, a);
}

static int compare_known(const void *a, const void *b) {
    const Known *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// The elements of the reference whose payload is there once, sorted.
static Known *list_known(Relater *r, size_t *count) {
    Known *all = arena_array(&r->scratch, Known, r->buffer->elements + 1);
    size_t listed = 0, kept = 0;
    for (uint64_t i = 0; i < r->buffer->elements; i++) {
        const TowerPayload a = fpd_element_of(r->cas, r->comparison->left, r->compared, i).payload;
        if (has_key(r->tower, a)) all[listed++] = (Known){key_of(a), i};
    }
    qsort(all, listed, sizeof *all, compare_known);
    for (size_t i = 0; i < listed; i++)
        if ((!i || all[i].key != all[i - 1].key) && (i + 1 == listed || all[i].key != all[i + 1].key))
            all[kept++] = all[i];
    *count = kept;
    return all;
}

static const Known *find_known(const Relater *r, const Known *known, size_t count, TowerPayload a) {
    const Known wanted = {.key = key_of(a)};
    size_t low = 0, high = count;
    if (!has_key(r->tower, a)) return NULL;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (known[middle].key < wanted.key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || known[low].key != wanted.key) return NULL;
    const TowerPayload right = fpd_element_of(r->cas, r->comparison->left, r->compared, known[low].index).payload;
    return fpd_same_payload(r->tower, right, a) ? &known[low] : NULL;
}

static void split_index(const FpdBuffer *buffer, uint64_t index, int64_t *at) {
    for (uint32_t d = buffer->rank; d-- > 0; index /= (uint64_t)buffer->shape[d])
        at[d] = (int64_t)(index % (uint64_t)buffer->shape[d]);
}

// Where an element belongs that is at `is`: shifted by `shift`, or with dimensions a and b exchanged.
typedef struct Move {
    int64_t shift[FPD_RANK_MAX];
    int a, b; // -1: a shift
} Move;

static bool is_moved(const FpdBuffer *buffer, const Move *move, uint64_t is, uint64_t from) {
    int64_t x[FPD_RANK_MAX], y[FPD_RANK_MAX];
    split_index(buffer, is, x);
    split_index(buffer, from, y);
    for (uint32_t d = 0; d < buffer->rank; d++) {
        const uint32_t source = move->a < 0         ? d
                                : (int)d == move->a ? (uint32_t)move->b
                                : (int)d == move->b ? (uint32_t)move->a
                                                    : d;
        if (y[d] != x[source] + (move->a < 0 ? move->shift[d] : 0)) return false;
    }
    return true;
}

static const char *name_move(Relater *r, const Move *move) {
    if (move->a >= 0)
        return arena_format(r->arena, "are those of the reference with dimensions %d and %d exchanged", move->a + 1,
                            move->b + 1);
    const char *text = "are those of the reference at the index plus (";
    for (uint32_t d = 0; d < r->buffer->rank; d++)
        text = arena_format(r->arena, "%s%s%" PRId64, text, d ? ", " : "", move->shift[d]);
    return arena_format(r->arena, "%s)", text);
}

static uint64_t count_moved(const Relater *r, const Known *known, size_t known_count, const Move *move) {
    uint64_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const Known *from = find_known(r, known, known_count, r->wrong[i].is);
        count += from && is_moved(r->buffer, move, r->wrong[i].index, from->index);
    }
    return count;
}

static void find_moved(Relater *r) {
    enum { TRIED = 16 };
    size_t known_count;
    const Known *known = list_known(r, &known_count);
    Move best = {.a = -1};
    uint64_t most = 0;
    for (size_t t = 0; t < TRIED && t < r->count; t++) {
        const Wrong *w = &r->wrong[t * r->count / (r->count < TRIED ? r->count : TRIED)];
        const Known *from = find_known(r, known, known_count, w->is);
        int64_t x[FPD_RANK_MAX], y[FPD_RANK_MAX];
        Move move = {.a = -1};
        if (!from) continue;
        split_index(r->buffer, w->index, x);
        split_index(r->buffer, from->index, y);
        for (uint32_t d = 0; d < r->buffer->rank; d++) move.shift[d] = y[d] - x[d];
        const uint64_t count = count_moved(r, known, known_count, &move);
        if (count > most) most = count, best = move;
    }
    for (int a = 0; most && a < (int)r->buffer->rank; a++)
        for (int b = a + 1; b < (int)r->buffer->rank; b++) {
            const Move move = {.a = a, .b = b};
            const uint64_t count = count_moved(r, known, known_count, &move);
            if (count > most) most = count, best = move;
        }
    if (is_many(r, most)) add(r, FPD_RELATION_moved, most, name_move(r, &best), NULL);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static void collect_wrong(Relater *r, const FpdDifference *d) {
    r->wrong = arena_array(&r->scratch, Wrong, (d->different < WRONG_MAX ? d->different : WRONG_MAX) + 1);
    for (uint64_t i = 0; i < d->elements && r->count < WRONG_MAX; i++) {
        if (!fpd_element_diverges(d, i) || r->count >= d->different) continue;
        const FpdShadowed a = fpd_element_of(r->cas, r->comparison->left, r->compared, i),
                          b = fpd_element_of(r->cas, r->comparison->right, r->compared, i);
        r->wrong[r->count++] = (Wrong){i, a.payload, b.payload, fpd_element_value(r->buffer->type, a.bits),
                                       fpd_element_value(r->buffer->type, b.bits)};
    }
}

void fpd_find_relations(Arena *arena, const FpdCase *cas, const FpdComparison *comparison, FpdLocated *located) {
    Relater r = {
        .arena = arena, .cas = cas, .comparison = comparison, .tower = comparison->left->tower, .located = located};
    for (r.compared = 0; fpd_compares_records(comparison) && r.compared < cas->compare_count; r.compared++) {
        const FpdDifference *d = &comparison->differences[r.compared];
        r.number = cas->compare[r.compared];
        r.buffer = &cas->buffers[r.number];
        r.count = 0;
        if (!d->different || !element_is_float(r.buffer->type)) continue;
        collect_wrong(&r, d);
        find_unwritten(&r);
        find_moved(&r);
        if (!find_multiple(&r)) find_rows(&r, ratio_of, FPD_RELATION_row, "the right ones times a factor");
        find_rows(&r, difference_of, FPD_RELATION_shifted, "the right ones plus a term");
        arena_reset(&r.scratch);
    }
}
