// SPDX-License-Identifier: Apache-2.0
// The matrices of a product, and whether the result is right.
#include "bench/bench_matmul.h"

#include <math.h>
#include <string.h>

enum { CHECKS = 64, PADDED = 32 };

static size_t array_bytes(const Matmul *matmul, unsigned array) {
    return (size_t)(matmul->shape[array][0] * matmul->shape[array][1]) * matmul->element_bytes[array];
}

static unsigned storage_bits(FpsanFormat format) {
    return fpsan_format_info(format)->storage_bits;
}

// ---- elements of the operands ---------------------------------------------------------------------------------------

// Bits of the array's element number `index`, of elements of `bits` bits.
static uint64_t read_bits(const Matmul *matmul, unsigned array, int64_t index, unsigned bits) {
    uint64_t value = 0;
    if (bits == 4) return matmul->bytes[array][index / 2] >> (index % 2 * 4) & 15;
    memcpy(&value, matmul->bytes[array] + index * (bits / 8), bits / 8);
    return value;
}

// Line `line` (row of x, column of y) at `depth`, where the depth has `depths` elements.
static int64_t index_of(const Matmul *matmul, unsigned side, int64_t line, int64_t depth, int64_t depths) {
    bool depth_last = side == MATMUL_X || matmul->row->operands[side]->by_rows;
    return depth_last ? line * depths + depth : depth * matmul->size + line;
}

static uint64_t operand_bits(const Matmul *matmul, unsigned side, int64_t line, int64_t depth) {
    const MatmulOperand *operand = matmul->row->operands[side];
    return read_bits(matmul, side, index_of(matmul, side, line, depth, matmul->size), storage_bits(operand->storage));
}

static uint64_t scale_bits(const Matmul *matmul, unsigned side, int64_t line, int64_t depth) {
    const MatmulOperand *operand = matmul->row->operands[side];
    int64_t block = operand->block;
    return read_bits(matmul, MATMUL_X_SCALES + side, index_of(matmul, side, line, depth / block, matmul->size / block),
                     8);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static uint64_t hash_of(uint64_t index, unsigned array) {
    return (index + 1) * (array % 2 ? 0x9E3779B97F4A7C15u : 0xC2B2AE3D27D4EB4Fu) >> 40;
}

static void fill_numbers(Matmul *matmul, unsigned array, FpsanFormat format, double low, double high) {
    unsigned bits = storage_bits(format);
    int64_t count = (int64_t)array_bytes(matmul, array) * 8 / bits;
    for (int64_t i = 0; i < count; i++) {
        double unit = ldexp((double)hash_of((uint64_t)i, array), -24);
        uint64_t value = fpsan_encode_nearest(format, low + (high - low) * unit);
        if (bits == 4)
            matmul->bytes[array][i / 2] |= (uint8_t)(value << (i % 2 * 4));
        else
            memcpy(matmul->bytes[array] + i * (bits / 8), &value, bits / 8);
    }
}

static void fill_side(Matmul *matmul, unsigned side) {
    const MatmulOperand *operand = matmul->row->operands[side];
    if (operand->is_integer) {
        for (size_t i = 0; i < array_bytes(matmul, side); i++) matmul->bytes[side][i] = (uint8_t)hash_of(i, side);
        return;
    }
    double largest = storage_bits(operand->storage) == 4 ? 6 : 1;
    fill_numbers(matmul, side, operand->storage, -largest, largest);
    if (operand->block) fill_numbers(matmul, MATMUL_X_SCALES + side, operand->scale, 0.25, 2);
}

static void set_shapes(Matmul *matmul) {
    const MatmulRow *row = matmul->row;
    int64_t size = matmul->size;
    matmul->arrays = row->operands[0]->block ? MATMUL_ARRAYS : 3;
    for (unsigned side = 0; side < 2; side++) {
        const MatmulOperand *operand = row->operands[side];
        bool depth_last = side == MATMUL_X || operand->by_rows;
        unsigned bits = storage_bits(operand->storage);
        int64_t depths = bits < 8 ? size / 2 : size, blocks = operand->block ? size / operand->block : 0;
        int64_t *shape = matmul->shape[side], *scales = matmul->shape[MATMUL_X_SCALES + side];
        shape[!depth_last] = scales[!depth_last] = size;
        shape[depth_last] = depths;
        scales[depth_last] = blocks;
        matmul->element_bytes[side] = bits < 8 ? 1 : bits / 8;
        matmul->element_bytes[MATMUL_X_SCALES + side] = 1;
    }
    matmul->shape[MATMUL_Z][0] = matmul->shape[MATMUL_Z][1] = size;
    matmul->element_bytes[MATMUL_Z] = storage_bits(row->result) / 8;
}

bool matmul_allocate(Matmul *matmul) {
    RtDevice *device = matmul->machine->device;
    set_shapes(matmul);
    for (unsigned a = 0; a < matmul->arrays; a++) {
        size_t bytes = array_bytes(matmul, a);
        matmul->bytes[a] = arena_alloc(&matmul->arena, bytes);
        matmul->buffers[a] = rt_alloc(device, &matmul->bench->diagnostics, bytes);
        if (!matmul->buffers[a]) return false;
        memset(matmul->bytes[a], 0, bytes);
    }
    for (unsigned side = 0; side < 2; side++) fill_side(matmul, side);
    for (unsigned a = 0; a < matmul->arrays; a++)
        rt_copy_in(device, &matmul->bench->diagnostics, matmul->buffers[a], 0, matmul->bytes[a],
                   array_bytes(matmul, a));
    return true;
}

// ---- the definition -------------------------------------------------------------------------------------------------

static bool check_integer(const Matmul *matmul, int64_t row, int64_t column, uint64_t bits) {
    uint32_t sum = 0;
    for (int64_t k = 0; k < matmul->size; k++) {
        uint32_t product = 1;
        for (unsigned side = 0; side < 2; side++) {
            uint8_t byte = (uint8_t)operand_bits(matmul, side, side ? column : row, k);
            product *= matmul->row->operands[side]->is_signed ? (uint32_t)(int8_t)byte : byte;
        }
        sum += product;
    }
    return (uint32_t)bits == sum;
}

static bool check_payload(const Matmul *matmul, int64_t row, int64_t column, uint64_t bits) {
    FpsanAlgebra algebra = fpsan_default_algebra();
    const MatmulRow *of = matmul->row;
    uint64_t payload = 0;
    for (int64_t k = 0; k < matmul->size; k++) {
        uint64_t values[2], scales[2] = {0};
        FpsanScaled sides[2];
        for (unsigned side = 0; side < 2; side++) {
            const MatmulOperand *operand = of->operands[side];
            int64_t line = side ? column : row;
            values[side] = fpsan_embed(algebra.profile, operand->storage, operand_bits(matmul, side, line, k));
            values[side] = fpsan_cast(&algebra, operand->storage, operand->computed, values[side], FPSAN_NEAREST_EVEN);
            if (operand->block)
                scales[side] = fpsan_embed(algebra.profile, operand->scale, scale_bits(matmul, side, line, k));
            sides[side] = (FpsanScaled){.format = operand->computed,
                                        .scale_format = operand->scale,
                                        .data = &values[side],
                                        .scales = operand->block ? &scales[side] : NULL,
                                        .stride = 1,
                                        .scale_stride = 1,
                                        .block = 1};
        }
        if (of->operands[0]->block)
            payload = fpsan_scaled_dot(&algebra, &sides[0], &sides[1], of->result, 1, payload);
        else
            payload = fpsan_dot(&algebra, sides[0].format, sides[1].format, of->result, 1, &values[0], 1, &values[1], 1,
                                payload);
    }
    return fpsan_embed(algebra.profile, of->result, bits) == payload;
}

// A sum of size + PADDED terms, each step rounded to f32 at least, and now and then to the result.
static bool check_ieee(const Matmul *matmul, int64_t row, int64_t column, uint64_t bits) {
    double sum = 0, magnitude = 0;
    for (int64_t k = 0; k < matmul->size; k++) {
        double product = 1;
        for (unsigned side = 0; side < 2; side++) {
            const MatmulOperand *operand = matmul->row->operands[side];
            int64_t line = side ? column : row;
            uint64_t value = operand_bits(matmul, side, line, k);
            value = fpsan_convert(operand->storage, operand->computed, value, FPSAN_NEAREST_EVEN);
            product *= fpsan_decode(operand->computed, value);
            if (operand->block) product *= fpsan_decode(operand->scale, scale_bits(matmul, side, line, k));
        }
        sum += product;
        magnitude += fabs(product);
    }
    const FpsanFormatInfo *result = fpsan_format_info(matmul->row->result);
    double steps = (double)matmul->size + PADDED,
           rounding = ldexp(steps, -(result->bits == 64 ? 52 : 23)) + ldexp(steps / 16, -(int)result->mantissa_bits);
    return fabs(fpsan_decode(matmul->row->result, bits) - sum) <= magnitude * rounding;
}

bool matmul_check(Matmul *matmul) {
    rt_copy_out(matmul->machine->device, &matmul->bench->diagnostics, matmul->buffers[MATMUL_Z], 0,
                matmul->bytes[MATMUL_Z], array_bytes(matmul, MATMUL_Z));
    for (uint64_t c = 0; c < CHECKS; c++) {
        int64_t row = (int64_t)(c * 2654435761u % (uint64_t)matmul->size),
                column = (int64_t)(c * 40503u % (uint64_t)matmul->size);
        uint64_t bits = read_bits(matmul, MATMUL_Z, row * matmul->size + column, matmul->element_bytes[MATMUL_Z] * 8);
        bool good = matmul->row->operands[0]->is_integer ? check_integer(matmul, row, column, bits)
                    : matmul->numeric == COMPILE_PAYLOAD ? check_payload(matmul, row, column, bits)
                                                         : check_ieee(matmul, row, column, bits);
        if (!good)
            return diag_fail(&matmul->bench->diagnostics, (Location){.file = matmul->row->file}, E_RUNTIME,
                             "element (%lld, %lld) of the product is wrong", (long long)row, (long long)column);
    }
    return true;
}
