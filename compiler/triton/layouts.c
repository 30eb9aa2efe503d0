// SPDX-License-Identifier: Apache-2.0
// Where layouts of shared and tensor memory put elements, and views of such memory. All sizes but those of the
// outermost dimensions are powers of two, so a place is a combination of moves, one for each bit of the indices.
//
// The formulas of layouts are those of Triton's documentation of its attributes (TritonGPUAttrDefs.td,
// TritonNvidiaGPUAttrDefs.td) and of the PTX ISA (swizzles of TMA, rows of tensor memory).
#include "compiler/triton/objects.h"

enum {
    TENSOR_ROWS = 128,
    CHUNK_BYTES = 16,    // what swizzles move
    PATTERN_BYTES = 128, // of the pattern's rows
    OBJECT_MAX = 1 << 24,
};

static bool is_power(uint64_t n) {
    return n && !(n & (n - 1));
}

static uint32_t bits_of(int64_t size) {
    uint32_t bits = 0;
    while (bits < 40 && INT64_C(1) << bits < size) bits++;
    return bits;
}

static uint32_t element_bytes(const TriView *view) {
    return tir_type_rows[view->kind].storage_bytes;
}

// ---- views in general -----------------------------------------------------------------------------------------------

// Room for the moves of such a shape, all zeros.
static bool open_view(TriTranslation *t, const TirTypeInfo *shape, TriView *view) {
    view->rank = shape->rank;
    uint32_t count = 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        view->shape[d] = shape->shape[d];
        view->first[d] = count;
        count += bits_of(shape->shape[d]);
        if (count > TRI_VIEW_STEPS) return tri_refuse(t, "memory of that size");
    }
    view->first[shape->rank] = count;
    memset(view->steps, 0, sizeof view->steps);
    return true;
}

static uint32_t dimension_bits(const TriView *view, uint32_t d) {
    return view->first[d + 1] - view->first[d];
}

static void set_stride(TriView *view, uint32_t d, uint64_t stride) {
    for (uint32_t b = 0; b < dimension_bits(view, d); b++) view->steps[view->first[d] + b] = stride << b;
}

// Dimensions 0 .. count - 1, one around the other, around tiles of so many bytes. Gives the bytes of all.
static uint64_t set_outer(TriView *view, uint32_t count, uint64_t bytes) {
    for (uint32_t d = count; d-- > 0;) {
        set_stride(view, d, bytes);
        bytes *= (uint64_t)view->shape[d];
    }
    return bytes;
}

bool tri_same_view(const TriView *a, const TriView *b) {
    return a->kind == b->kind && a->rank == b->rank && !memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) &&
           !memcmp(a->steps, b->steps, a->first[a->rank] * sizeof *a->steps) && a->swizzled == b->swizzled &&
           a->tensor == b->tensor && a->physical == b->physical;
}

// ---- shared memory --------------------------------------------------------------------------------------------------

// Rows of `span` bytes, whose chunks of 16 change places from row to row; wider tiles are blocks of such rows.
static bool lay_nvmma(TriTranslation *t, const TriLayout *layout, TriView *view, uint64_t *bytes) {
    const uint32_t size = element_bytes(view), outer = view->rank - 2;
    const uint32_t row = layout->transposed ? outer + 1 : outer, column = layout->transposed ? outer : outer + 1;
    const uint64_t width = (uint64_t)view->shape[column] * size;
    const uint64_t span = layout->swizzle && layout->swizzle < width ? layout->swizzle : width;
    if (layout->fp4_padded) return tri_refuse(t, "memdesc_reinterpret of padded fp4");
    uint32_t inside = 0;
    for (; inside < dimension_bits(view, column) && (uint64_t)size << inside < span; inside++)
        view->steps[view->first[column] + inside] = (uint64_t)size << inside;
    uint64_t next = span;
    for (uint32_t b = 0; b < dimension_bits(view, row); b++, next *= 2) {
        const uint64_t turn = layout->swizzle > CHUNK_BYTES
                                  ? (next / PATTERN_BYTES & (layout->swizzle / CHUNK_BYTES - 1)) * CHUNK_BYTES
                                  : 0;
        view->steps[view->first[row] + b] = next ^ turn;
        view->swizzled |= turn != 0;
    }
    for (uint32_t b = inside; b < dimension_bits(view, column); b++, next *= 2)
        view->steps[view->first[column] + b] = next;
    *bytes = set_outer(view, outer, next);
    return true;
}

// Chunks of `vec` elements of a row change places by the number of the row.
static bool lay_swizzled(const TriLayout *layout, TriView *view, uint64_t *bytes) {
    const uint64_t size = element_bytes(view);
    const uint32_t outer = view->rank - layout->rank;
    const uint64_t row = (uint64_t)view->shape[outer + layout->order[0]]; // elements; who would leave it stays
    uint64_t next = size;
    for (uint32_t i = 0; i < layout->rank; i++) {
        const uint32_t d = outer + layout->order[i];
        for (uint32_t b = 0; b < dimension_bits(view, d); b++, next *= 2) {
            uint64_t turn = 0;
            if (i == 1) turn = (UINT64_C(1) << b) / layout->per_phase % layout->max_phase * layout->vec % row * size;
            view->steps[view->first[d] + b] = next ^ turn;
            view->swizzled |= turn != 0;
        }
    }
    *bytes = set_outer(view, outer, next);
    return true;
}

// The layout says where each bit of a place leads in the tile: solved for the bits of the tile's indices.
static bool lay_linear(TriTranslation *t, const TriLayout *layout, TriView *view, uint64_t *bytes) {
    const uint64_t size = element_bytes(view);
    uint64_t rows[TRI_VIEW_STEPS], places[TRI_VIEW_STEPS];
    const uint32_t rank = layout->offsets.rank, outer = view->rank - rank, count = layout->offsets.count;
    if (count > TRI_VIEW_STEPS) return tri_refuse(t, "memory of that size");
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = 0;
        places[i] = UINT64_C(1) << i;
        for (uint32_t d = 0; d < rank; d++)
            rows[i] |= (uint64_t)tri_basis(&layout->offsets, i)[d] << (view->first[outer + d] - view->first[outer]);
    }
    const uint32_t bits = view->first[view->rank] - view->first[outer];
    for (uint32_t b = 0; b < bits; b++) { // Gauss: row b has bit b alone
        uint32_t found = b;
        while (found < count && !(rows[found] >> b & 1)) found++;
        if (found >= count) return tri_refuse(t, "memdesc_reinterpret of a layout without a place for each element");
        const uint64_t row = rows[found], place = places[found];
        rows[found] = rows[b], places[found] = places[b];
        rows[b] = row, places[b] = place;
        for (uint32_t i = 0; i < count; i++)
            if (i != b && rows[i] >> b & 1) rows[i] ^= row, places[i] ^= place;
    }
    for (uint32_t b = 0; b < bits; b++) {
        view->steps[view->first[outer] + b] = places[b] * size;
        view->swizzled |= !is_power(places[b]);
    }
    *bytes = set_outer(view, outer, size << count);
    return true;
}

static bool lay_rows(TriView *view, uint64_t *bytes) {
    *bytes = set_outer(view, view->rank, element_bytes(view));
    return true;
}

static bool lay_shared(TriTranslation *t, const TriLayout *layout, TriView *view, uint64_t *bytes) {
    if (!layout) return tri_refuse(t, "memdesc_reinterpret of memory without a layout");
    if (layout->is_split) return tri_refuse(t, "memdesc_reinterpret of memory of several blocks of a cluster");
    const uint32_t least = layout->kind == TRI_LAYOUT_NVMMA    ? 2
                           : layout->kind == TRI_LAYOUT_LINEAR ? layout->offsets.rank
                                                               : layout->rank;
    for (uint32_t d = view->rank < least ? 0 : view->rank - least; d < view->rank; d++)
        if (!is_power((uint64_t)view->shape[d])) return tri_refuse(t, "memory of that shape");
    if (layout->kind == TRI_LAYOUT_NVMMA && view->rank == 1) return lay_rows(view, bytes);
    if (view->rank < least) return tri_fail(t, "a layout of another rank");
    switch (layout->kind) {
    case TRI_LAYOUT_NVMMA: return lay_nvmma(t, layout, view, bytes);
    case TRI_LAYOUT_SWIZZLED: return lay_swizzled(layout, view, bytes);
    case TRI_LAYOUT_LINEAR: return lay_linear(t, layout, view, bytes);
    default: return tri_fail(t, "a layout of tensor memory");
    }
}

// ---- tensor memory --------------------------------------------------------------------------------------------------

// Where bit b of a row of a block leads among the 128 rows: of blocks of 64 rows each 16 lie in a quarter.
static uint64_t tensor_row(const TriLayout *layout, uint32_t b) {
    return layout->block_m == 64 && b >= 4 ? 2u << b : 1u << b;
}

// A block has block_m rows and block_n columns. Blocks follow one another along the rows of the tile, then along its
// columns: of those of 64 rows the second one lies in the other half of the quarters, all others in further columns.
static bool lay_tensor(TriTranslation *t, const TriLayout *layout, uint64_t pitch, TriView *view, uint64_t *bytes,
                       uint32_t *columns) {
    enum { HALF = 16 };
    const uint32_t dims[] = {view->rank - 2, view->rank - 1};
    const uint32_t inside[] = {bits_of(layout->block_m), bits_of(layout->block_n)};
    uint64_t next = (uint64_t)element_bytes(view) * layout->column_stride, *half = NULL;
    if (layout->fp4_padded) return tri_refuse(t, "padded fp4 in tensor memory");
    for (uint32_t b = 0; b < dimension_bits(view, dims[1]) && b < inside[1]; b++, next *= 2)
        view->steps[view->first[dims[1]] + b] = next;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t b = inside[i]; b < dimension_bits(view, dims[i]); b++) {
            uint64_t *step = &view->steps[view->first[dims[i]] + b];
            if (layout->block_m == 64 && !half)
                half = step;
            else
                *step = next, next *= 2;
        }
    next = (next + TENSOR_COLUMN_BYTES - 1) / TENSOR_COLUMN_BYTES * TENSOR_COLUMN_BYTES;
    const uint64_t all = set_outer(view, dims[0], next);
    if (!pitch) pitch = all;
    if (all > pitch) return tri_fail(t, "more columns than the memory has that is reinterpreted");
    for (uint32_t b = 0; b < dimension_bits(view, dims[0]) && b < inside[0]; b++)
        view->steps[view->first[dims[0]] + b] = tensor_row(layout, b) * pitch;
    if (half) *half = HALF * pitch;
    *bytes = TENSOR_ROWS * pitch;
    *columns = (uint32_t)(all / TENSOR_COLUMN_BYTES);
    return true;
}

bool tri_layout_view(TriTranslation *t, const TriType *type, bool physical, uint64_t pitch, TriView *view,
                     uint64_t *bytes, uint32_t *columns) {
    const TirTypeInfo *shape = &type->memory->shape;
    const TriLayout *layout = type->memory->layout;
    *view = (TriView){.kind = type->memory->kind, .tensor = type->memory->tensor};
    *columns = 0;
    if (!tir_type_rows[view->kind].storage_bytes || view->kind == TIR_TYPE_i1 || !shape->rank)
        return tri_refuse(t, "memory of such elements");
    uint64_t elements = 1;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (shape->shape[d] > OBJECT_MAX) return tri_refuse(t, "memory of that size");
        elements *= (uint64_t)shape->shape[d];
        if (elements > OBJECT_MAX) return tri_refuse(t, "memory of that size");
    }
    if (!open_view(t, shape, view)) return false;
    if (view->tensor && layout && layout->kind == TRI_LAYOUT_SCALES) { // copies of blocks of 32 x 4 bytes
        view->physical = physical;
        if (physical) return tri_refuse(t, "memdesc_reinterpret of scales");
        *columns = (uint32_t)((elements * element_bytes(view) + TENSOR_ROWS - 1) / TENSOR_ROWS);
        return lay_rows(view, bytes);
    }
    if (view->tensor) {
        if (!layout || layout->kind != TRI_LAYOUT_TENSOR || shape->rank < 2)
            return tri_fail(t, "tensor memory without a layout of its own");
        for (uint32_t d = shape->rank - 2; d < shape->rank; d++)
            if (!is_power((uint64_t)shape->shape[d])) return tri_refuse(t, "memory of that shape");
        view->physical = physical;
        if (!lay_tensor(t, layout, pitch, view, bytes, columns)) return false;
        return physical || lay_rows(view, bytes);
    }
    view->physical = physical;
    return physical ? lay_shared(t, layout, view, bytes) : lay_rows(view, bytes);
}

// ---- views of views -------------------------------------------------------------------------------------------------

bool tri_view_index(TriTranslation *t, const TriView *from, TriView *view) {
    if (from->rank < 2) return tri_fail(t, "an index into memory of rank %u", from->rank);
    for (uint32_t b = 1; b < dimension_bits(from, 0); b++)
        if (from->steps[b] != from->steps[0] << b)
            return tri_refuse(t, "an index along a dimension that is no row of tiles");
    *view = *from;
    view->rank--;
    memmove(view->shape, from->shape + 1, view->rank * sizeof *view->shape);
    for (uint32_t d = 0; d <= view->rank; d++) view->first[d] = from->first[d + 1] - from->first[1];
    memmove(view->steps, from->steps + from->first[1], view->first[view->rank] * sizeof *view->steps);
    return true;
}

bool tri_view_slice(TriTranslation *t, const TriView *from, const int64_t *offsets, const TirTypeInfo *shape,
                    TriView *view, uint64_t *delta) {
    if (shape->rank != from->rank) return tri_fail(t, "a slice of another rank");
    const TriView whole = *from;
    *view = whole;
    *delta = 0;
    if (!open_view(t, shape, view)) return false;
    for (uint32_t d = 0; d < whole.rank; d++) {
        if (offsets[d] < 0 || offsets[d] > whole.shape[d] - shape->shape[d])
            return tri_fail(t, "a slice that lies outside of the memory");
        for (uint32_t b = 0; b < dimension_bits(view, d); b++)
            view->steps[view->first[d] + b] = whole.steps[whole.first[d] + b];
        for (uint32_t b = 0; b < dimension_bits(&whole, d); b++) {
            const bool set = offsets[d] >> b & 1;
            if (set && b < dimension_bits(view, d))
                return tri_refuse(t, "a slice that does not begin at a multiple of its size");
            if (set && whole.swizzled) *delta ^= whole.steps[whole.first[d] + b];
            if (set && !whole.swizzled) *delta += whole.steps[whole.first[d] + b];
        }
    }
    return true;
}

bool tri_view_permute(TriTranslation *t, const TriView *from, const int64_t *order, size_t count, TriView *view) {
    const TriView source = *from;
    uint64_t seen = 0;
    if (count != source.rank) return tri_fail(t, "an order of another rank");
    *view = source;
    uint32_t next = 0;
    for (uint32_t d = 0; d < source.rank; d++) {
        if (order[d] < 0 || order[d] >= source.rank || seen >> order[d] & 1)
            return tri_fail(t, "no order of dimensions");
        seen |= UINT64_C(1) << order[d];
        const uint32_t s = (uint32_t)order[d];
        view->shape[d] = source.shape[s];
        view->first[d] = next;
        for (uint32_t b = 0; b < dimension_bits(&source, s); b++)
            view->steps[next++] = source.steps[source.first[s] + b];
    }
    view->first[source.rank] = next;
    return true;
}

bool tri_view_reshape(TriTranslation *t, const TriView *from, const TirTypeInfo *shape, TriView *view) {
    const TriView source = *from;
    *view = source;
    for (uint32_t d = 0; d < source.rank; d++)
        if (!is_power((uint64_t)source.shape[d])) return tri_refuse(t, "another shape of memory of that shape");
    if (!open_view(t, shape, view)) return false;
    uint32_t left = source.first[source.rank];
    if (view->first[view->rank] != left) return tri_fail(t, "a shape with another number of elements");
    uint64_t flat[TRI_VIEW_STEPS]; // by bits of the number of an element in row-major order
    uint32_t next = 0;
    for (uint32_t d = source.rank; d-- > 0;)
        for (uint32_t b = 0; b < dimension_bits(&source, d); b++) flat[next++] = source.steps[source.first[d] + b];
    next = 0;
    for (uint32_t d = view->rank; d-- > 0;)
        for (uint32_t b = 0; b < dimension_bits(view, d); b++) view->steps[view->first[d] + b] = flat[next++];
    return true;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------

typedef struct Run {
    uint64_t count, stride;
} Run;

static void add_run(Run *runs, uint32_t *count, uint64_t items, uint64_t stride) {
    if (items < 2) return;
    uint32_t at = (*count)++;
    for (; at && runs[at - 1].stride > stride; at--) runs[at] = runs[at - 1];
    runs[at] = (Run){items, stride};
}

static uint32_t pieces_of_runs(const Run *runs, uint32_t count, uint64_t bytes, uint64_t mask, TriPiece *pieces) {
    Run outer[TRI_VIEW_STEPS + 1];
    uint32_t left = 0, found = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (!left && runs[i].stride == bytes)
            bytes *= runs[i].count;
        else if (left && outer[left - 1].stride * outer[left - 1].count == runs[i].stride)
            outer[left - 1].count *= runs[i].count;
        else
            outer[left++] = runs[i];
    }
    const Run rows = left ? outer[0] : (Run){1, bytes};
    pieces[0] = (TriPiece){.rows = rows.count, .bytes = bytes, .pitch = rows.stride, .mask = mask};
    for (uint32_t i = 1; i < left; i++) {
        if (outer[i].count > TRI_PIECES_MAX / found) return 0;
        for (uint64_t k = 1; k < outer[i].count; k++)
            for (uint32_t j = 0; j < found; j++) {
                pieces[k * found + j] = pieces[j];
                pieces[k * found + j].offset += k * outer[i].stride;
            }
        found *= (uint32_t)outer[i].count;
    }
    return found;
}

// All exclusive ors of the moves: a basis in which no two vectors have the same highest bit, and no vector has that of
// another one. Those of single bits make boxes; there is one for each exclusive or of the others.
static uint32_t swizzled_pieces(const TriView *view, TriPiece *pieces) {
    uint64_t basis[64] = {0}, mask = 0;
    for (uint32_t i = 0; i < view->first[view->rank]; i++) {
        uint64_t vector = view->steps[i];
        for (unsigned b = 64; b-- > 0;)
            if (vector >> b & 1 && basis[b]) vector ^= basis[b];
        if (!vector) continue;
        const unsigned top = 63u - (unsigned)__builtin_clzll(vector);
        for (unsigned b = 0; b < 64; b++)
            if (basis[b] >> top & 1) basis[b] ^= vector;
        basis[top] = vector;
    }
    Run runs[TRI_VIEW_STEPS];
    uint32_t count = 0;
    for (unsigned b = 0; b < 64; b++) {
        if (!is_power(basis[b])) continue;
        mask |= basis[b];
        add_run(runs, &count, 2, basis[b]);
    }
    uint32_t found = pieces_of_runs(runs, count, element_bytes(view), mask, pieces);
    for (unsigned b = 0; b < 64; b++) {
        if (!basis[b] || is_power(basis[b])) continue;
        if (found > TRI_PIECES_MAX / 2) return 0;
        for (uint32_t i = 0; i < found; i++) {
            pieces[found + i] = pieces[i];
            pieces[found + i].turn ^= basis[b];
        }
        found *= 2;
    }
    return found;
}

uint32_t tri_view_pieces(const TriView *view, TriPiece pieces[TRI_PIECES_MAX]) {
    if (view->swizzled) return swizzled_pieces(view, pieces);
    Run runs[TRI_VIEW_STEPS];
    uint32_t count = 0;
    for (uint32_t d = 0; d < view->rank; d++) {
        const uint64_t *steps = view->steps + view->first[d];
        if (!is_power((uint64_t)view->shape[d])) {
            add_run(runs, &count, (uint64_t)view->shape[d], steps[0]);
            continue;
        }
        for (uint32_t b = 0; b < dimension_bits(view, d); b++) add_run(runs, &count, 2, steps[b]);
    }
    uint64_t bytes = element_bytes(view);
    if (view->tensor && count && runs[0].stride > bytes && runs[0].stride <= TENSOR_COLUMN_BYTES)
        bytes = runs[0].stride; // elements with room behind each: a column is one's own
    return pieces_of_runs(runs, count, bytes, 0, pieces);
}
