// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma: what its instruction descriptor says, where operands and sums are, and the product.
#include "runtime/warp_tensor.h"
#include "sanitizer/format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- kinds

// An element type of A or B, by its number in the descriptor.
typedef struct OperandType {
    uint8_t bits; // in shared memory; 0: the number means nothing
    bool padded;  // 16 of them in 16 bytes
    bool is_signed;
    uint8_t format; // FpsanFormat
} OperandType;
enum { OPERAND_TYPES = 8 };

#define SMALL_FLOATS                                                                                                   \
    {                                                                                                                  \
        {8, false, false, FPSAN_F8E4M3FN}, {8, false, false, FPSAN_F8E5M2}, {0}, {6, true, false, FPSAN_F6E2M3FN},     \
            {6, true, false, FPSAN_F6E3M2FN}, {4, true, false, FPSAN_F4E2M1FN},                                        \
    }
typedef struct ProductKind {
    const char *name;
    uint8_t depth;
    bool scaled, integers, can_negate;
    uint8_t sums; // number of the type of the sums that is supported
    OperandType types[OPERAND_TYPES];
} ProductKind;
static const ProductKind product_kinds[] = {
    [WARP_KIND_F16] =
        {"f16", 16, false, false, true, 1, {{16, false, false, FPSAN_F16}, {16, false, false, FPSAN_BF16}}},
    [WARP_KIND_TF32] = {"tf32", 8, false, false, true, 1, {[2] = {32, false, false, FPSAN_TF32}}},
    [WARP_KIND_F8F6F4] = {"f8f6f4", 32, false, false, true, 1, SMALL_FLOATS},
    [WARP_KIND_I8] = {"i8", 32, false, true, false, 2, {{8, false, false, 0}, {8, false, true, 0}}},
    [WARP_KIND_MXF8F6F4] = {"mxf8f6f4", 32, true, false, true, 1, SMALL_FLOATS},
    [WARP_KIND_MXF4] = {"mxf4", 64, true, false, true, 1, {[1] = {4, false, false, FPSAN_F4E2M1FN}}},
    [WARP_KIND_MXF4NVF4] = {"mxf4nvf4", 64, true, false, true, 1, {[1] = {4, false, false, FPSAN_F4E2M1FN}}},
};

// Bits of detail[2].
enum { A_IN_TENSOR = 1, SCALES_D = 2, HAS_LANES = 4, IS_WS = 8, IS_SPARSE = 16 };
// Operands.
enum { FOR_D, FOR_A, FOR_B, FOR_DESCRIPTOR, FOR_ENABLE, FOR_SCALE_D, FOR_SCALES_A, FOR_SCALES_B, FOR_LANES };

// ---- one instruction of one lane

typedef struct TensorProduct {
    WarpTensorKind kind;
    const OperandType *type_a, *type_b;
    uint32_t rows, columns, depth; // M, N, K
    bool negate_a, negate_b, saturate, ws;
    bool accumulate;
    uint32_t scale_input_d;
    WarpProduct *product;
    // Where. Sums lie in `parts` parts of part_rows rows and part_columns columns, lane_step lanes apart.
    uint32_t d_lane, d_column, parts, part_rows, part_columns, lane_step;
    bool a_in_tensor;
    uint32_t a_lane, a_column; // of A's first row in tensor memory
    WarpMatrix a, b;
    uint32_t scale_count, scale_id_a, scale_id_b, scale_column_a, scale_column_b;
    bool scale_ue4m3;
    uint32_t disabled[TENSOR_LANES / 32]; // a bit for each lane
    bool disables;
    TensorRegion d, d_strips; // what is written; the same with all lanes of its strips
} TensorProduct;

typedef struct ProductCall {
    const WarpCall *call;
    uint32_t lane; // of the warp, that issues it
    WarpSide side;
} ProductCall;

static uint64_t operand(const ProductCall *pc, uint32_t number) {
    return pc->call->operands[number][pc->lane];
}

_Noreturn static void fail_product(const ProductCall *pc, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);
_Noreturn static void fail_product(const ProductCall *pc, ErrorCode code, const char *format, ...) {
    WarpProblem problem = {.code = code};
    va_list args;
    va_start(args, format);
    vsnprintf(problem.text, sizeof problem.text, format, args);
    va_end(args);
    tensor_fail(pc->call->block, &pc->side, &problem);
}

// ---- the instruction descriptor

static const OperandType *read_type(const ProductCall *pc, const ProductKind *kind, uint32_t number, char name) {
    const OperandType *type = &kind->types[number];
    if (!type->bits) fail_product(pc, E_RUNTIME, "kind::%s has no element type %u for %c", kind->name, number, name);
    return type;
}

static void check_reserved(const ProductCall *pc, const TensorProduct *p, uint32_t descriptor) {
    const ProductKind *kind = &product_kinds[p->kind];
    uint32_t reserved = kind->scaled ? UINT32_C(0x00000048) : UINT32_C(0x20800040);
    if (!kind->scaled && !p->ws) reserved |= UINT32_C(0xC0000000);
    if (!kind->scaled && !kind->integers) reserved |= 8;
    if (!kind->can_negate) reserved |= UINT32_C(0x6000);
    if (!(descriptor & 4)) reserved |= 3; // which of four elements a sparse matrix keeps
    if (descriptor & reserved)
        fail_product(pc, E_RUNTIME,
                     "instruction descriptor 0x%08" PRIx32 " has bits 0x%08" PRIx32
                     " set, which kind::%s does not have",
                     descriptor, descriptor & reserved, kind->name);
    if (descriptor & 4) fail_product(pc, E_UNSUPPORTED, "a sparse matrix");
    if (kind->scaled && descriptor >> 31) fail_product(pc, E_UNSUPPORTED, "products with a depth of 96");
    if (!kind->scaled && (descriptor >> 4 & 3) != kind->sums) {
        if ((descriptor >> 4 & 3) == 0 && !kind->integers && p->kind != WARP_KIND_TF32)
            fail_product(pc, E_UNSUPPORTED, "sums of f16 in tensor memory");
        fail_product(pc, E_RUNTIME, "kind::%s cannot have sums of type %" PRIu32, kind->name, descriptor >> 4 & 3);
    }
}

static void check_shape(const ProductCall *pc, const TensorProduct *p) {
    const bool scaled = product_kinds[p->kind].scaled;
    const uint32_t m = p->rows, n = p->columns, step = m == 64 || scaled ? 8 : 16;
    bool good_m = m == 128 || (m == 64 && !scaled), good_n = n >= step && n <= 256 && n % step == 0;
    if (p->ws) {
        good_m = m == 32 || m == 64 || m == 128;
        good_n = n == 64 || n == 128 || n == 256;
    }
    if (!good_m || !good_n)
        fail_product(pc, E_RUNTIME, "a product with M %" PRIu32 " and N %" PRIu32 " does not exist for kind::%s%s", m,
                     n, product_kinds[p->kind].name, p->ws ? " with .ws" : "");
}

static void read_descriptor(const ProductCall *pc, TensorProduct *p) {
    const ProductKind *kind = &product_kinds[p->kind];
    const uint32_t descriptor = (uint32_t)operand(pc, FOR_DESCRIPTOR);
    check_reserved(pc, p, descriptor);
    p->type_a = read_type(pc, kind, descriptor >> 7 & 7, 'A');
    p->type_b = read_type(pc, kind, descriptor >> 10 & (kind->depth == 64 ? 3 : 7), 'B');
    p->saturate = kind->integers && descriptor >> 3 & 1;
    p->negate_a = descriptor >> 13 & 1;
    p->negate_b = descriptor >> 14 & 1;
    p->a.mn_major = descriptor >> 15 & 1;
    p->b.mn_major = descriptor >> 16 & 1;
    p->columns = (descriptor >> 17 & 63) * 8;
    p->rows = (descriptor >> 24 & 31) * 16;
    p->depth = kind->depth;
    check_shape(pc, p);
    if (!kind->scaled) return;
    p->scale_id_b = descriptor >> 4 & 3;
    p->scale_id_a = descriptor >> 29 & 3;
    p->scale_ue4m3 = p->kind == WARP_KIND_MXF4NVF4 && !(descriptor >> 23 & 1);
}

// ---- where operands and sums are

// How the sums of M rows lie in lanes.
static void lay_out_sums(const ProductCall *pc, TensorProduct *p) {
    const uint32_t address = (uint32_t)operand(pc, FOR_D);
    p->d_lane = address >> 16;
    p->d_column = address & 0xFFFF;
    p->parts = 1;
    p->part_rows = p->rows;
    p->part_columns = p->columns;
    if (p->rows < 128) {
        p->parts = p->ws ? 128 / p->rows : 4;
        p->lane_step = 128 / p->parts;
        p->part_rows = p->ws ? p->rows : 16;
        p->part_columns = p->ws ? p->columns / p->parts : p->columns;
    }
    // Sums of 64 rows are in every other strip of lanes, the even ones or the odd ones.
    const bool half = p->rows == 64 && !p->ws;
    if (p->d_lane && !(half && p->d_lane == 16)) {
        warp_fail(pc->call->block, (WarpFault){.kind = WARP_FAULT_TENSOR_LANE,
                                               .space = WARP_TENSOR_SPACE,
                                               .sides = {pc->side},
                                               .address = address,
                                               .numbers = {half ? 16 : 128}});
    }
    p->d = (TensorRegion){.column = p->d_column, .columns = p->part_columns};
    for (uint32_t part = 0; part < p->parts; part++)
        for (uint32_t row = 0; row < p->part_rows; row += TENSOR_STRIP_LANES)
            p->d.lanes[(p->d_lane + part * p->lane_step + row) / TENSOR_STRIP_LANES] = UINT16_MAX;
    p->d_strips = p->d;
    for (uint32_t strip = 0; strip < TENSOR_STRIPS && p->disables; strip++)
        p->d.lanes[strip] &= (uint16_t) ~(p->disabled[strip / 2] >> strip % 2 * 16);
}

static void read_matrix(const ProductCall *pc, uint64_t descriptor, const OperandType *type, uint32_t rows,
                        uint32_t depth, WarpMatrix *matrix) {
    const bool mn_major = matrix->mn_major;
    WarpProblem problem;
    bool good = warp_matrix_read(descriptor, true, matrix, &problem);
    if (good) {
        matrix->mn_major = mn_major;
        matrix->padded = type->padded;
        matrix->rows = rows;
        matrix->depth = depth;
        matrix->bits = type->bits;
        good = warp_matrix_check(matrix, &problem);
    }
    if (!good) tensor_fail(pc->call->block, &pc->side, &problem);
}

// The lane of a row of A in tensor memory: that of a row of the sums.
static uint32_t lane_of_a(const TensorProduct *p, uint32_t row) {
    return p->a_lane + row / p->part_rows * p->lane_step + row % p->part_rows;
}

static void place_a(const ProductCall *pc, TensorProduct *p) {
    const uint32_t address = (uint32_t)operand(pc, FOR_A);
    const bool half = p->rows == 64;
    if ((p->rows != 128 && !half) || p->ws)
        fail_product(pc, E_UNSUPPORTED, "a matrix of less than 64 rows, or of .ws, in tensor memory");
    if (p->type_a->bits < 8) fail_product(pc, E_UNSUPPORTED, "elements of less than 8 bits in tensor memory");
    if (p->a.mn_major) fail_product(pc, E_RUNTIME, "an MN-major matrix in tensor memory");
    if (address >> 16 && !(half && address >> 16 == 16))
        warp_fail(pc->call->block, (WarpFault){.kind = WARP_FAULT_TENSOR_LANE,
                                               .space = WARP_TENSOR_SPACE,
                                               .sides = {pc->side},
                                               .address = address,
                                               .numbers = {half ? 16 : 128}});
    p->a_lane = address >> 16;
    p->a_column = address & 0xFFFF;
}

static uint32_t count_scales(const ProductCall *pc, const TensorProduct *p) {
    static const uint8_t defaults[] = {[WARP_KIND_MXF8F6F4] = 1, [WARP_KIND_MXF4] = 2, [WARP_KIND_MXF4NVF4] = 4};
    const uint32_t said = pc->call->operation->detail[3];
    const uint32_t count = said == 0 ? defaults[p->kind] : said >= 16 ? p->depth / said : said;
    const bool good =
        p->kind == WARP_KIND_MXF8F6F4 ? count == 1 : count == 2 || (p->kind == WARP_KIND_MXF4NVF4 && count == 4);
    if (!good)
        fail_product(pc, E_RUNTIME, "kind::%s does not have %" PRIu32 " scale factors for a row",
                     product_kinds[p->kind].name, count);
    return count;
}

// The upper two bits of the addresses of scale factors may say their byte, as the descriptor does.
static uint32_t scale_column(const ProductCall *pc, uint32_t number) {
    const uint32_t address = (uint32_t)operand(pc, number) & 0x3FFFFFFF;
    if (address >> 16)
        warp_fail(pc->call->block, (WarpFault){.kind = WARP_FAULT_TENSOR_LANE,
                                               .space = WARP_TENSOR_SPACE,
                                               .sides = {pc->side},
                                               .address = address,
                                               .numbers = {128}});
    return address & 0xFFFF;
}

static void place_scales(const ProductCall *pc, TensorProduct *p) {
    p->scale_count = count_scales(pc, p);
    p->scale_column_a = scale_column(pc, FOR_SCALES_A);
    p->scale_column_b = scale_column(pc, FOR_SCALES_B);
    const uint32_t most = 4 - p->scale_count;
    if (p->scale_id_a > most || p->scale_id_b > most || (p->scale_count == 2 && (p->scale_id_a | p->scale_id_b) & 1))
        fail_product(pc, E_RUNTIME, "scale factors from bytes %" PRIu32 " and %" PRIu32 " on, %" PRIu32 " of them",
                     p->scale_id_a, p->scale_id_b, p->scale_count);
}

static TensorProduct open_product(const ProductCall *pc) {
    const uint32_t *detail = pc->call->operation->detail, flags = detail[2];
    TensorProduct p = {.kind = (WarpTensorKind)detail[0],
                       .ws = flags & IS_WS,
                       .a_in_tensor = flags & A_IN_TENSOR,
                       .disables = flags & HAS_LANES,
                       .accumulate = operand(pc, FOR_ENABLE) != 0,
                       .product = pc->call->operation->product};
    if (flags & IS_SPARSE) fail_product(pc, E_UNSUPPORTED, "a sparse matrix");
    if (!p.product) fail_product(pc, E_UNSUPPORTED, "a product of this kind");
    if (flags & SCALES_D) p.scale_input_d = (uint32_t)operand(pc, FOR_SCALE_D);
    if (p.scale_input_d && p.kind != WARP_KIND_F16 && p.kind != WARP_KIND_TF32)
        fail_product(pc, E_RUNTIME, "kind::%s cannot scale its sums", product_kinds[p.kind].name);
    if (p.scale_input_d > 15)
        fail_product(pc, E_RUNTIME, "scale-input-d is %" PRIu32 "; allowed are 0 to 15", p.scale_input_d);
    for (uint32_t i = 0; i < BASE_COUNT(p.disabled) && p.disables; i++)
        p.disabled[i] = (uint32_t)operand(pc, FOR_LANES + i);
    read_descriptor(pc, &p);
    lay_out_sums(pc, &p);
    if (p.a_in_tensor)
        place_a(pc, &p);
    else
        read_matrix(pc, operand(pc, FOR_A), p.type_a, p.rows, p.depth, &p.a);
    read_matrix(pc, operand(pc, FOR_B), p.type_b, p.columns, p.depth, &p.b);
    if (product_kinds[p.kind].scaled) place_scales(pc, &p);
    return p;
}

// ---- who may do that now

static TensorRegion region_of_a(const TensorProduct *p) {
    TensorRegion region = {.column = p->a_column, .columns = 8}; // 32 bytes of each row
    for (uint32_t row = 0; row < p->rows; row += TENSOR_STRIP_LANES)
        region.lanes[lane_of_a(p, row) / TENSOR_STRIP_LANES] = UINT16_MAX;
    return region;
}

static TensorRegion region_of_scales(uint32_t column, uint32_t rows) {
    return tensor_lanes(0, TENSOR_LANES, column, (rows + 31) / 32);
}

static void check_apart(const ProductCall *pc, const TensorProduct *p, const TensorRegion *other, const char *text) {
    WarpFault fault = {.kind = WARP_FAULT_TENSOR_OVERLAP, .space = WARP_TENSOR_SPACE, .sides = {pc->side}};
    uint32_t address;
    if (!tensor_overlap(&p->d, other, &address)) return;
    fault.address = address;
    fault.text = strdup(text);
    warp_fail(pc->call->block, fault);
}

// Whether another kind of product made the sums in this column of a strip: these mean something else.
static bool is_other(const ProductCall *pc, const TensorProduct *p, uint32_t strip, uint32_t column) {
    const TensorMemory *memory = pc->call->block->engines->tensor;
    const uint32_t number = memory->writer[strip][column];
    const TensorDeed *deed = &memory->deeds[number % TENSOR_DEEDS];
    if (!number || number + TENSOR_DEEDS <= memory->deed_count || deed->kind != TENSOR_IS_PRODUCT) return false;
    const bool same_columns = deed->column == p->d.column && deed->columns == p->d.columns;
    return deed->product_kind != p->kind || deed->rows != p->rows || !same_columns;
}

static void compare_sums(const ProductCall *pc, const TensorProduct *p) {
    const TensorMemory *memory = pc->call->block->engines->tensor;
    uint32_t strip = 0, column = p->d.column;
    while (strip < TENSOR_STRIPS - 1 && !p->d.lanes[strip]) strip++;
    if (!is_other(pc, p, strip, column)) column += p->d.columns - 1;
    if (!is_other(pc, p, strip, column)) return;
    const TensorDeed *deed = &memory->deeds[memory->writer[strip][column] % TENSOR_DEEDS];
    char text[150];
    snprintf(text, sizeof text,
             "kind::%s with M %" PRIu32 ", %" PRIu32 " columns from %" PRIu32
             " on, after kind::%s with M %u, %u columns from %u on",
             product_kinds[p->kind].name, p->rows, p->d.columns, p->d.column, product_kinds[deed->product_kind].name,
             deed->rows, deed->columns, deed->column);
    warp_warn(pc->call->block, (WarpFault){.kind = WARP_FAULT_TENSOR_SUMS,
                                           .space = WARP_TENSOR_SPACE,
                                           .sides = {pc->side, deed->side},
                                           .address = (strip * TENSOR_STRIP_LANES) << 16 | column,
                                           .text = strdup(text)});
}

static void touch_tensor(const ProductCall *pc, const TensorProduct *p, uint32_t number) {
    WarpBlock *block = pc->call->block;
    const uint32_t products = 1u << TENSOR_IS_PRODUCT, others = 1u << TENSOR_IS_COPY | 1u << TENSOR_IS_SHIFT;
    TensorUse use = {.warp = pc->call->warp,
                     .lanes = UINT32_C(1) << pc->lane,
                     .number = number,
                     .agent = warp_agent(block, WARP_QUEUE_TENSOR, pc->call->warp->number),
                     .kinds = others};
    if (p->a_in_tensor) {
        const TensorRegion a = region_of_a(p);
        tensor_read(block, &use, &a, TENSOR_NEEDS_COLUMNS);
    }
    if (p->scale_count) {
        const TensorRegion a = region_of_scales(p->scale_column_a, p->rows);
        const TensorRegion b = region_of_scales(p->scale_column_b, p->columns);
        tensor_read(block, &use, &a, TENSOR_NEEDS_STRIPS);
        tensor_read(block, &use, &b, TENSOR_NEEDS_STRIPS);
    }
    use.kinds = products | others;
    if (p->accumulate) tensor_read(block, &use, &p->d, TENSOR_NEEDS_STRIPS);
    tensor_write(block, &use, &p->d);
}

// All of tensor memory that the product uses is allocated, and what it writes is none of what it reads.
static void check_places(const ProductCall *pc, const TensorProduct *p) {
    WarpBlock *block = pc->call->block;
    tensor_check_allocated(block, &pc->side, &p->d_strips);
    if (p->a_in_tensor) {
        const TensorRegion a = region_of_a(p);
        tensor_check_allocated(block, &pc->side, &a);
        check_apart(pc, p, &a, "the sums and A overlap");
    }
    if (!p->scale_count) return;
    const TensorRegion a = region_of_scales(p->scale_column_a, p->rows);
    const TensorRegion b = region_of_scales(p->scale_column_b, p->columns);
    tensor_check_allocated(block, &pc->side, &a);
    tensor_check_allocated(block, &pc->side, &b);
    check_apart(pc, p, &a, "the sums and the scale factors of A overlap");
    check_apart(pc, p, &b, "the sums and the scale factors of B overlap");
}

// ---- the product itself

static void gather_a(WarpBlock *block, const TensorProduct *p) {
    WarpEngines *engines = block->engines;
    uint32_t outside;
    if (!p->a_in_tensor) {
        warp_matrix_gather(&p->a, block->shared, block->shared_end, engines->a, &outside);
        return;
    }
    for (uint32_t row = 0; row < p->rows; row++)
        tensor_copy_lane(block, lane_of_a(p, row), p->a_column, 8, (uint32_t *)engines->a + 8 * row);
}

// Scale factors of rows: byte `id` and those after it of the cell in lane row % 32 and column row / 32.
static void gather_scales(const TensorMemory *memory, uint32_t column, uint32_t rows, uint32_t id, uint32_t count,
                          uint8_t *scales) {
    for (uint32_t row = 0; row < rows; row++)
        memcpy(scales + row * count, (const uint8_t *)&memory->cells[row % 32][column + row / 32] + id, count);
}

static void multiply(WarpBlock *block, const TensorProduct *p) {
    WarpEngines *engines = block->engines;
    const uint32_t element_bytes = p->type_a->bits < 8 ? 1 : p->type_a->bits / 8u;
    WarpProductJob job = {.rows = p->part_rows,
                          .columns = p->part_columns,
                          .depth = p->depth,
                          .d_stride = TENSOR_STRIDE,
                          .accumulate = p->accumulate,
                          .negate_a = p->negate_a,
                          .negate_b = p->negate_b,
                          .scale_input_d = p->scale_input_d,
                          .scale_count = p->scale_count,
                          .scale_ue4m3 = p->scale_ue4m3,
                          .format_a = p->type_a->format,
                          .format_b = p->type_b->format,
                          .signed_a = p->type_a->is_signed,
                          .signed_b = p->type_b->is_signed,
                          .saturate = p->saturate};
    for (uint32_t part = 0; part < p->parts; part++) {
        const uint32_t row = p->ws ? 0 : part * p->part_rows, column = p->ws ? part * p->part_columns : 0;
        const uint32_t bytes_b = p->type_b->bits < 8 ? 1 : p->type_b->bits / 8u;
        job.a = engines->a + row * p->depth * element_bytes;
        job.b = engines->b + column * p->depth * bytes_b;
        job.d = &engines->tensor->cells[p->d_lane + part * p->lane_step][p->d_column];
        if (p->scale_count) {
            job.scale_a = engines->scale_a + row * p->scale_count;
            job.scale_b = engines->scale_b + column * p->scale_count;
        }
        p->product(&job);
    }
}

static bool is_disabled(const TensorProduct *p, uint32_t lane) {
    return p->disabled[lane / 32] >> lane % 32 & 1;
}

// Keeps the sums in disabled lanes, or puts them back.
static void move_disabled(WarpBlock *block, const TensorProduct *p, bool back) {
    WarpEngines *engines = block->engines;
    for (uint32_t lane = 0; lane < TENSOR_LANES; lane++) {
        if (!p->d_strips.lanes[lane / TENSOR_STRIP_LANES] || !is_disabled(p, lane)) continue;
        uint32_t *sums = &engines->tensor->cells[lane][p->d_column], *kept = &engines->sums[lane * TENSOR_ROWS_MAX];
        memcpy(back ? sums : kept, back ? kept : sums, p->part_columns * sizeof *sums);
    }
}

static void carry_out(WarpBlock *block, void *data) {
    const TensorProduct *p = data;
    WarpEngines *engines = block->engines;
    const bool integers = product_kinds[p->kind].integers;
    uint32_t outside;
    if (p->accumulate || p->disables) (integers ? tensor_to_bits : tensor_to_registers)(block, &p->d_strips);
    if (p->disables) move_disabled(block, p, false);
    gather_a(block, p);
    warp_matrix_gather(&p->b, block->shared, block->shared_end, engines->b, &outside);
    if (p->scale_count) {
        gather_scales(engines->tensor, p->scale_column_a, p->rows, p->scale_id_a, p->scale_count, engines->scale_a);
        gather_scales(engines->tensor, p->scale_column_b, p->columns, p->scale_id_b, p->scale_count, engines->scale_b);
    }
    multiply(block, p);
    if (p->disables) move_disabled(block, p, true);
    tensor_set_form(block, &p->d_strips, !integers);
}

// ---- issuing

// Scale factors are the same in all four quarters of the lanes.
static void check_quarters(const ProductCall *pc, uint32_t column, uint32_t rows, uint32_t id, uint32_t count) {
    const TensorMemory *memory = pc->call->block->engines->tensor;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << 8 * count) - 1) << 8 * id;
    for (uint32_t lane = 32; lane < TENSOR_LANES; lane++)
        for (uint32_t c = column; c < column + (rows + 31) / 32; c++) {
            if (32 * (c - column) + lane % 32 >= rows) continue;
            if (!((memory->cells[lane][c] ^ memory->cells[lane % 32][c]) & mask)) continue;
            warp_fail(pc->call->block, (WarpFault){.kind = WARP_FAULT_TENSOR_SCALES,
                                                   .space = WARP_TENSOR_SPACE,
                                                   .sides = {pc->side},
                                                   .address = lane << 16 | c,
                                                   .numbers = {lane / 32 * 32}});
        }
}

static void issue(const ProductCall *pc) {
    WarpBlock *block = pc->call->block;
    const TensorProduct p = open_product(pc);
    check_places(pc, &p);
    const TensorDeed deed = {.side = pc->side,
                             .warp = (uint16_t)pc->call->warp->number,
                             .kind = TENSOR_IS_PRODUCT,
                             .product_kind = (uint8_t)p.kind,
                             .column = (uint16_t)p.d.column,
                             .columns = (uint16_t)p.d.columns,
                             .rows = (uint8_t)p.rows};
    if (p.accumulate) compare_sums(pc, &p);
    const uint32_t number = tensor_begin(block, &deed, WARP_QUEUE_TENSOR);
    touch_tensor(pc, &p, number);
    const WarpTicket ticket = block->engines->tensor->deeds[number % TENSOR_DEEDS].ticket;
    const WarpDeed read = {.warp = pc->call->warp,
                           .lanes = UINT32_C(1) << pc->lane,
                           .place = pc->side.place,
                           .flags = WARP_DEED_ASYNC,
                           .ticket = ticket,
                           .before = {(uint16_t)ticket.agent}};
    if (!p.a_in_tensor) warp_matrix_touch(block, &pc->side, &read, &p.a, 0, p.rows);
    warp_matrix_touch(block, &pc->side, &read, &p.b, 0, p.columns);
    block->engines->product_lane[pc->call->warp->number][pc->lane] = ticket.number;
    warp_start(block, ticket.agent, carry_out, &p, sizeof p);
    if (!p.scale_count || block->reverse) return;
    check_quarters(pc, p.scale_column_a, p.rows, p.scale_id_a, p.scale_count);
    check_quarters(pc, p.scale_column_b, p.columns, p.scale_id_b, p.scale_count);
}

uint32_t warp_operate_TENSOR_PRODUCT(const WarpCall *call) {
    if (call->operation->detail[1] != 1) warp_refuse(call, "cta_group::2");
    for (uint32_t lanes = call->mask; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const ProductCall pc = {.call = call, .lane = lane, .side = warp_lane_side(call, lane)};
        tensor_memory(call->block, &pc.side);
        issue(&pc);
    }
    return call->mask;
}
