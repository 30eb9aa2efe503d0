// SPDX-License-Identifier: Apache-2.0
// Whether blocks touch the same elements: all boxes of a launch, buffer by buffer. Tiles of a matrix are rectangles in
// its rows and columns, and most of them lie apart: of boxes with one stride only those in the same cell of a coarse
// grid are compared. Others are compared where the spans that they lie in overlap.
#include "runtime/races.h"

#include <stdlib.h>

// Comparisons that are made for `count` boxes before the answer is "maybe".
static uint64_t patience(size_t count) {
    return 64 * (uint64_t)count + (UINT64_C(1) << 22);
}

// ---- two boxes ------------------------------------------------------------------------------------------------------

// Whether [first, first + run) meets a row of runs: first + k * stride, 0 <= k < count.
static bool run_meets_row(uint64_t first, uint64_t run, uint64_t row, uint64_t row_run, uint64_t count,
                          uint64_t stride) {
    if (row >= first + run) return false;
    if (row + row_run > first) return true;
    if (count == 1) return false;
    uint64_t k = (first - (row + row_run)) / stride + 1; // the first that ends behind `first`
    return k < count && row + k * stride < first + run;
}

static bool rows_meet(const RaceBox *a, uint64_t a_first, const RaceBox *b, uint64_t b_first) {
    if (a->counts[0] > b->counts[0]) return rows_meet(b, b_first, a, a_first);
    for (uint64_t r = 0; r < a->counts[0]; r++)
        if (run_meets_row(a_first + r * a->strides[0], a->run, b_first, b->run, b->counts[0], b->strides[0]))
            return true;
    return false;
}

bool race_boxes_meet(const RaceBox *a, const RaceBox *b) {
    for (uint64_t i = 0; i < a->counts[1]; i++)
        for (uint64_t k = 0; k < b->counts[1]; k++)
            if (rows_meet(a, a->first + i * a->strides[1], b, b->first + k * b->strides[1])) return true;
    return false;
}

// Steps of such a comparison, at most.
static uint64_t meeting_cost(const RaceBox *a, const RaceBox *b) {
    uint64_t rows = a->counts[0] < b->counts[0] ? a->counts[0] : b->counts[0];
    return a->counts[1] * b->counts[1] * rows;
}

static bool may_race(const RaceBox *a, const RaceBox *b) {
    return a->block != b->block && (a->kind | b->kind) & HOST_ACCESS_WRITES &&
           !(a->kind & b->kind & HOST_ACCESS_ATOMIC);
}

static uint64_t box_end(const RaceBox *box) {
    return box->first + box->run + (box->counts[0] - 1) * box->strides[0] + (box->counts[1] - 1) * box->strides[1];
}

// ---- boxes in any order ---------------------------------------------------------------------------------------------

static bool sweep_spans(const RaceBox *boxes, size_t count) {
    uint64_t left = patience(count);
    // Those before the box that is looked at whose ends are not known to lie before it: writers, and others.
    uint32_t *active[2] = {malloc(count * sizeof(uint32_t)), malloc(count * sizeof(uint32_t))};
    size_t sizes[2] = {0};
    bool found = !active[0] || !active[1];
    for (size_t i = 0; i < count && !found; i++) {
        const RaceBox *box = &boxes[i];
        const bool writes = box->kind & HOST_ACCESS_WRITES;
        for (int list = 0; list < (writes ? 2 : 1) && !found; list++) {
            size_t kept = 0;
            for (size_t k = 0; k < sizes[list]; k++) {
                const RaceBox *other = &boxes[active[list][k]];
                if (box_end(other) <= box->first) continue;
                active[list][kept++] = active[list][k];
                uint64_t cost = may_race(box, other) ? meeting_cost(box, other) : 1;
                if (found) continue;
                if (cost > left || (may_race(box, other) && race_boxes_meet(box, other)))
                    found = true;
                else
                    left -= cost;
            }
            sizes[list] = kept;
        }
        int own = writes ? 0 : 1;
        active[own][sizes[own]++] = (uint32_t)i;
    }
    free(active[0]);
    free(active[1]);
    return found;
}

// ---- boxes with one stride: rectangles ------------------------------------------------------------------------------

typedef struct Cell {
    uint64_t row, column;
    uint32_t box;
    bool writes;
} Cell;

static int compare_cells(const void *a, const void *b) {
    const Cell *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->writes != y->writes) return x->writes ? -1 : 1;
    return (x->box > y->box) - (x->box < y->box);
}

typedef struct Cells {
    const RaceBox *boxes;
    uint64_t base, stride, height, width; // rows and half bytes of a cell
    Cell *cells;
    size_t count, room;
} Cells;

static bool put_cells(Cells *c, uint32_t index, uint64_t first, uint64_t rows, uint64_t run) {
    uint64_t row = first / c->stride, column = first % c->stride, last = row + rows - 1, end = column + run - 1;
    if (end >= c->stride) { // into the next rows
        last += end / c->stride;
        column = 0;
        end = c->stride - 1;
    }
    for (uint64_t y = row / c->height; y <= last / c->height; y++)
        for (uint64_t x = column / c->width; x <= end / c->width; x++) {
            if (c->count == c->room) return false;
            c->cells[c->count++] = (Cell){y, x, index, c->boxes[index].kind & HOST_ACCESS_WRITES};
        }
    return true;
}

// 1: some meet; 0: none; -1: not known.
static int compare_in_cells(const Cells *c, uint64_t left) {
    for (size_t begin = 0, end; begin < c->count; begin = end) {
        const Cell *cell = &c->cells[begin];
        for (end = begin; end < c->count && c->cells[end].row == cell->row && c->cells[end].column == cell->column;)
            end++;
        for (size_t i = begin; i < end && c->cells[i].writes; i++)
            for (size_t k = i + 1; k < end; k++) {
                const RaceBox *a = &c->boxes[c->cells[i].box], *b = &c->boxes[c->cells[k].box];
                if (!left--) return -1;
                if (!may_race(a, b)) continue;
                uint64_t cost = meeting_cost(a, b);
                if (cost > left) return -1;
                left -= cost;
                if (race_boxes_meet(a, b)) return 1;
            }
    }
    return 0;
}

// -1: not known.
static int sweep_cells(const RaceBox *boxes, size_t count, uint64_t base) {
    Cells c = {.boxes = boxes, .base = base, .height = 1, .width = 1, .room = 8 * count + 4096};
    for (size_t i = 0; i < count; i++) {
        const RaceBox *box = &boxes[i];
        if (box->counts[0] == 1) continue;
        if (c.stride && box->strides[0] != c.stride) return -1;
        c.stride = box->strides[0];
        if (box->run > c.stride) return -1;
        if (box->counts[0] > c.height) c.height = box->counts[0];
        if (box->run > c.width) c.width = box->run;
    }
    if (!c.stride || !(c.cells = malloc(c.room * sizeof *c.cells))) return -1;
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++)
        for (uint64_t k = 0; k < boxes[i].counts[1] && fits; k++)
            fits = put_cells(&c, (uint32_t)i, boxes[i].first + k * boxes[i].strides[1] - base, boxes[i].counts[0],
                             boxes[i].run);
    if (fits) qsort(c.cells, c.count, sizeof *c.cells, compare_cells);
    int found = fits ? compare_in_cells(&c, patience(count)) : -1;
    free(c.cells);
    return found;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static int compare_boxes(const void *a, const void *b) {
    const RaceBox *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static bool sweep_buffer(const RaceBox *boxes, size_t count, uint64_t base) {
    bool written = false, plain = false;
    for (size_t i = 0; i < count; i++) {
        written |= boxes[i].kind & HOST_ACCESS_WRITES;
        plain |= !(boxes[i].kind & HOST_ACCESS_ATOMIC);
    }
    if (!written || !plain) return false;
    int found = sweep_cells(boxes, count, base);
    return found < 0 ? sweep_spans(boxes, count) : found;
}

bool race_sweep(RaceBox *boxes, size_t count, const HostRange *buffers, uint64_t buffer_count) {
    if (count) qsort(boxes, count, sizeof *boxes, compare_boxes);
    size_t begin = 0, end;
    for (uint64_t b = 0; b < buffer_count; b++, begin = end) { // what lies in none is the block's own
        while (begin < count && boxes[begin].first < 2 * buffers[b].begin) begin++;
        for (end = begin; end < count && boxes[end].first < 2 * buffers[b].end;) end++;
        if (sweep_buffer(boxes + begin, end - begin, 2 * buffers[b].begin)) return true;
    }
    return false;
}
