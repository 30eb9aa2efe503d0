// SPDX-License-Identifier: Apache-2.0
// Loop nests over an index space of 2^bits elements, and the access to arrays in them.
#include "compiler/lower/kernel.h"
#include "compiler/lower/nest.h"

void nest_init(Nest *nest, unsigned bits) {
    *nest = (Nest){.bits = bits, .widest = 8};
}

// ---- what the body will need: where loops must be split, and how wide elements are ----------------------------------

static bool continues(const TileMap *map, unsigned i) {
    return map->to[i] == (map->to[i - 1] < 0 ? -1 : map->to[i - 1] + 1);
}

void nest_need_memory(Nest *nest, unsigned element_bits, const TileMap *map) {
    if (element_bits > nest->widest) nest->widest = element_bits;
    for (unsigned i = 1; i < map->bits; i++)
        if (!continues(map, i)) nest->breaks |= UINT64_C(1) << i;
}

void nest_touch(Nest *nest, unsigned reads, unsigned writes) {
    nest->reads |= (uint8_t)reads;
    nest->writes |= (uint8_t)writes;
}

// ---- loops ----------------------------------------------------------------------------------------------------------

static void open_loop(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse) {
    NestLoop *loop = &nest->loops[nest->loop_count++];
    loop->first = (uint8_t)first;
    loop->count = (uint8_t)count;
    loop->loop = code_loop_open(&e->cx, code_i64(&e->cx, (int64_t)1 << count));
    loop->position = loop->loop.index;
    if (reverse)
        loop->position = LLVMBuildSub(e->cx.builder, code_i64(&e->cx, ((int64_t)1 << count) - 1), loop->position, "");
}

static void forget_step(Nest *nest) {
    for (size_t i = 0; i < nest->entry_count; i++) nest->entries[i].done = nest->entries[i].masked = false;
}

void nest_open_bits(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse) {
    for (unsigned end = first + count; end > first;) {
        unsigned start = end - 1;
        while (start > first && !(nest->breaks >> start & 1)) start--;
        open_loop(e, nest, start, end - start, reverse);
        end = start;
    }
    forget_step(nest); // values of an outer step are stale
}

// No more than that all threads have some.
unsigned nest_lanes_bits(const Emit *e, unsigned element_bits, unsigned bits) {
    const unsigned beside = e->cx.numeric->lane_bits;
    if (beside && element_bits > beside) element_bits = beside;
    unsigned lanes = e->cx.machine.vector_bits / element_bits, most = map_log2(lanes ? lanes : 1);
    if (most > NEST_VECTOR_BITS_MAX) most = NEST_VECTOR_BITS_MAX;
    unsigned threads = emit_thread_bits(e), left = bits - (bits < threads ? bits : threads);
    return most < left ? most : left;
}

// The steps of iteration bits from `first` on that threads share; the number of the first bit beyond them.
static unsigned open_threads(Emit *e, Nest *nest, unsigned first, unsigned end) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned all = emit_thread_bits(e), count = end - first < all ? end - first : all, next;
    emit_barrier(e, nest->reads, nest->writes);
    if (nest->writes && !nest->collective && count < all) {
        nest->guard = emit_some_threads_open(e, count);
        nest->guarded = true;
    }
    for (unsigned start = first; start < first + count; start = next) {
        next = start + 1;
        while (next < first + count && !(nest->breaks >> next & 1)) next++;
        LLVMValueRef position = e->threads.index;
        if (start > first) position = LLVMBuildLShr(builder, position, code_i64(&e->cx, start - first), "");
        if (next - first < all)
            position = LLVMBuildAnd(builder, position, code_i64(&e->cx, (INT64_C(1) << (next - start)) - 1), "");
        nest->loops[nest->loop_count++] =
            (NestLoop){(uint8_t)start, (uint8_t)(next - start), .position = position, .is_fixed = true};
    }
    return first + count;
}

void nest_open(Emit *e, Nest *nest, unsigned top_bits) {
    if (!nest->vector_fixed) nest->vector_bits = nest_lanes_bits(e, nest->widest, top_bits);
    unsigned first = nest->vector_bits;
    first = open_threads(e, nest, first, top_bits);
    if (nest->copy_bits > top_bits - first) nest->copy_bits = top_bits - first;
    nest_open_bits(e, nest, first + nest->copy_bits, top_bits - first - nest->copy_bits, false);
    for (unsigned i = first; i < first + nest->copy_bits; i++)
        nest->loops[nest->loop_count++] = (NestLoop){.first = (uint8_t)i, .count = 1, .is_fixed = true};
}

void nest_copy(Emit *e, Nest *nest, unsigned copy) {
    for (unsigned i = 0; i < nest->copy_bits; i++)
        nest->loops[nest->loop_count - nest->copy_bits + i].position = code_i64(&e->cx, copy >> i & 1);
    forget_step(nest);
}

void nest_close_to(Emit *e, Nest *nest, unsigned loop_count) {
    while (nest->loop_count > loop_count)
        if (!nest->loops[--nest->loop_count].is_fixed) code_loop_close(&e->cx, &nest->loops[nest->loop_count].loop);
    forget_step(nest); // they do not dominate what follows
}

void nest_close(Emit *e, Nest *nest) {
    nest_close_to(e, nest, 0);
    if (nest->guarded) code_guard_close(&e->cx, &nest->guard, 0, NULL);
}

LLVMValueRef nest_index(Emit *e, const Nest *nest, const TileMap *map) {
    LLVMValueRef index = NULL;
    for (unsigned i = 0; i < nest->loop_count; i++) {
        const NestLoop *loop = &nest->loops[i];
        if (loop->first >= map->bits || map->to[loop->first] < 0) continue;
        LLVMValueRef term = loop->position;
        if (map->to[loop->first]) term = LLVMBuildShl(e->cx.builder, term, code_i64(&e->cx, map->to[loop->first]), "");
        index = index ? LLVMBuildAdd(e->cx.builder, index, term, "") : term;
    }
    return index ? index : code_i64(&e->cx, 0);
}

unsigned nest_lane_offset(const Nest *nest, const TileMap *map, unsigned lane) {
    unsigned offset = 0;
    for (unsigned i = 0; i < nest->vector_bits && i < map->bits; i++)
        if (lane >> i & 1 && map->to[i] >= 0) offset |= 1u << map->to[i];
    return offset;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static unsigned alignment_of(unsigned bytes) {
    return bytes > 64 ? 64 : bytes;
}

bool nest_is_uniform(const Nest *nest, const TileMap *map) {
    for (unsigned i = 0; i < nest->vector_bits && i < map->bits; i++)
        if (map->to[i] >= 0) return false;
    return true;
}

// How many low lane bits are consecutive index bits 0, 1, ..., in that order; all of them: one plain vector access.
static bool is_contiguous(const Nest *nest, const TileMap *map) {
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] != (int)i) return false;
    return true;
}

// Number c of index bits 0..c-1 that all come from lanes: chunks of 2^c neighbours can be loaded at once.
static unsigned chunk_bits(const Nest *nest, const TileMap *map) {
    unsigned covered = 0;
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] >= 0) covered |= 1u << map->to[i];
    return (unsigned)__builtin_ctz(~covered);
}

static LLVMValueRef concatenate(Emit *e, LLVMValueRef *chunks, unsigned count, unsigned lanes) {
    for (; count > 1; count /= 2, lanes *= 2) {
        LLVMValueRef order[1 << NEST_VECTOR_BITS_MAX];
        for (unsigned i = 0; i < 2 * lanes; i++) order[i] = code_i32(&e->cx, (int32_t)i);
        LLVMValueRef both = LLVMConstVector(order, 2 * lanes);
        for (unsigned i = 0; i < count / 2; i++)
            chunks[i] = LLVMBuildShuffleVector(e->cx.builder, chunks[2 * i], chunks[2 * i + 1], both, "");
    }
    return chunks[0];
}

// One past the largest offset of a lane.
static unsigned lane_span(const Nest *nest, const TileMap *map) {
    return nest_lane_offset(nest, map, (1u << nest->vector_bits) - 1) + 1;
}

// Lanes that lie within a few vectors' length: vectors of all that lies there are loaded, the last one up to the last
// lane, and shuffled into place two at a time.
static LLVMValueRef load_within(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    unsigned lanes = 1u << nest->vector_bits, span = lane_span(nest, map), bytes = code_type_bits(type) / 8;
    LLVMTypeRef vector = LLVMVectorType(type, lanes);
    LLVMValueRef result = NULL;
    for (unsigned first = 0; first < span; first += 2 * lanes) {
        LLVMValueRef pair[2] = {NULL, LLVMGetUndef(vector)}, order[1 << NEST_VECTOR_BITS_MAX],
                     blend[1 << NEST_VECTOR_BITS_MAX];
        unsigned begin[2] = {0, 0};
        for (unsigned i = 0; i < 2 && first + i * lanes < span; i++) {
            begin[i] = first + i * lanes + lanes <= span ? first + i * lanes : span - lanes;
            pair[i] =
                code_load(&e->cx, vector, code_pointer_at(&e->cx, type, start, code_i64(&e->cx, begin[i])), bytes);
        }
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned offset = nest_lane_offset(nest, map, lane), i = offset / lanes & 1;
            bool here = offset / (2 * lanes) == first / (2 * lanes);
            order[lane] = here ? code_i32(&e->cx, (int32_t)(offset - begin[i] + i * lanes)) : code_i32(&e->cx, 0);
            blend[lane] = code_i32(&e->cx, (int32_t)(lane + (here ? lanes : 0)));
        }
        LLVMValueRef placed =
            LLVMBuildShuffleVector(e->cx.builder, pair[0], pair[1], LLVMConstVector(order, lanes), "");
        result =
            result ? LLVMBuildShuffleVector(e->cx.builder, result, placed, LLVMConstVector(blend, lanes), "") : placed;
    }
    return result;
}

// Single elements, far apart.
static LLVMValueRef load_elements(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    unsigned lanes = 1u << nest->vector_bits;
    LLVMValueRef result = LLVMGetUndef(LLVMVectorType(type, lanes));
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef pointer =
            code_pointer_at(&e->cx, type, start, code_i64(&e->cx, nest_lane_offset(nest, map, lane)));
        LLVMValueRef one = code_load(&e->cx, type, pointer, code_type_bits(type) / 8);
        result = LLVMBuildInsertElement(e->cx.builder, result, one, code_i32(&e->cx, (int32_t)lane), "");
    }
    return result;
}

// Lanes that are spread: chunks of neighbours are loaded, joined, and shuffled into place.
static LLVMValueRef load_spread(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef start, const TileMap *map) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned lanes = 1u << nest->vector_bits, chunk = chunk_bits(nest, map),
             bytes = (code_type_bits(type) / 8) << chunk;
    unsigned far[NEST_VECTOR_BITS_MAX], far_count = 0; // index bits beyond the chunk
    for (unsigned i = 0; i < nest->vector_bits; i++)
        if (map->to[i] >= (int)chunk) far[far_count++] = (unsigned)map->to[i];
    unsigned span = lane_span(nest, map), vectors = (span + lanes - 1) / lanes;
    if (span >= lanes && 2 * vectors <= 1u << far_count) return load_within(e, nest, type, start, map);
    if (!chunk && 1u << far_count == lanes) return load_elements(e, nest, type, start, map);
    LLVMValueRef chunks[1 << NEST_VECTOR_BITS_MAX];
    for (unsigned c = 0; c < 1u << far_count; c++) {
        unsigned offset = 0;
        for (unsigned i = 0; i < far_count; i++)
            if (c >> i & 1) offset |= 1u << far[i];
        LLVMTypeRef loaded = chunk ? LLVMVectorType(type, 1u << chunk) : type;
        LLVMValueRef pointer = code_pointer_at(&e->cx, type, start, code_i64(&e->cx, offset));
        chunks[c] = code_load(&e->cx, loaded, pointer, alignment_of(bytes));
        if (!chunk) { // a scalar becomes the only lane of a vector
            LLVMValueRef one = LLVMGetUndef(LLVMVectorType(type, 1));
            chunks[c] = LLVMBuildInsertElement(builder, one, chunks[c], code_i32(&e->cx, 0), "");
        }
    }
    LLVMValueRef all = concatenate(e, chunks, 1u << far_count, 1u << chunk);
    LLVMValueRef order[1 << NEST_VECTOR_BITS_MAX];
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned from = nest_lane_offset(nest, map, lane) & ((1u << chunk) - 1);
        unsigned offset = nest_lane_offset(nest, map, lane);
        for (unsigned i = 0; i < far_count; i++)
            if (offset >> far[i] & 1) from |= 1u << (chunk + i);
        order[lane] = code_i32(&e->cx, (int32_t)from);
    }
    return LLVMBuildShuffleVector(builder, all, LLVMGetUndef(LLVMTypeOf(all)), LLVMConstVector(order, lanes), "");
}

LLVMValueRef nest_load(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map) {
    LLVMValueRef start = code_pointer_at(&e->cx, type, base, nest_index(e, nest, map));
    unsigned lanes = 1u << nest->vector_bits, bytes = code_type_bits(type) / 8;
    if (nest->vector_bits == 0) return code_load(&e->cx, type, start, bytes);
    if (nest_is_uniform(nest, map)) return vector_splat(e->cx.builder, code_load(&e->cx, type, start, bytes), lanes);
    if (is_contiguous(nest, map))
        return code_load(&e->cx, LLVMVectorType(type, lanes), start, alignment_of(bytes * lanes));
    return load_spread(e, nest, type, start, map);
}

void nest_store(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map,
                LLVMValueRef lanes) {
    LLVMValueRef start = code_pointer_at(&e->cx, type, base, nest_index(e, nest, map));
    unsigned count = 1u << nest->vector_bits, bytes = code_type_bits(type) / 8;
    if (nest->vector_bits == 0 || is_contiguous(nest, map)) {
        code_store(&e->cx, lanes, start, alignment_of(bytes * count));
        return;
    }
    unsigned chunk = 0; // log2 of how many lanes are neighbours
    while (map->to[chunk] == (int)chunk) chunk++;
    for (unsigned lane = 0; lane < count; lane += 1u << chunk) {
        LLVMValueRef pointer =
            code_pointer_at(&e->cx, type, start, code_i64(&e->cx, nest_lane_offset(nest, map, lane)));
        code_store(&e->cx, code_lanes(&e->cx, lanes, lane, 1u << chunk), pointer, alignment_of(bytes << chunk));
    }
}
