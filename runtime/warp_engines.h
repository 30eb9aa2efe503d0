// SPDX-License-Identifier: Apache-2.0
// Shared by the files that do what copy engines and tensor cores do for a block of warps: tensor maps and boxes,
// matrices in shared memory, tensor memory. Those of the first two parts need no block.
#ifndef CONGRUENT_WARP_ENGINES_H
#define CONGRUENT_WARP_ENGINES_H

#include "runtime/warp.h"

// Why something cannot be done.
typedef struct WarpProblem {
    ErrorCode code;
    char text[200];
} WarpProblem;

// ---- tensor_map.c: the 128 bytes of a tensor map --------------------------------------------------------------------

// Reads a map that rt_encode_map or warp_map_replace wrote, and checks it by the rules of rt_encode_map. False: the
// bytes are something else, a field was never set, or a rule is broken (E_RUNTIME); or it is not supported.
bool warp_map_read(const uint8_t bytes[RT_MAP_BYTES], RtMap *map, WarpProblem *problem);
// tensormap.replace: sets a field; `value` as the ISA has it (rank minus 1, its own numbers of element types). 128
// zeros are a map of which nothing is set. False and E_RUNTIME if the field cannot have the value.
bool warp_map_replace(uint8_t bytes[RT_MAP_BYTES], WarpMapField field, uint32_t ordinal, uint64_t value,
                      WarpProblem *problem);
// Of an element of the map's type: bits in global memory, and in shared memory with what pads them; bits of the
// NaN that stands outside an array of payloads. The type's name.
uint32_t warp_map_bits(const RtMap *map);
uint32_t warp_map_shared_bits(const RtMap *map);
uint64_t warp_map_nan(const RtMap *map);
const char *warp_map_type_name(RtMapType type);
// Bytes of shared memory of a row of a box; bytes after which the swizzle's pattern changes, 16 if there is none.
uint32_t warp_map_row_bytes(const RtMap *map);
uint32_t warp_map_span(const RtMap *map);

// ---- warp_box.c: boxes of an array, row by row ----------------------------------------------------------------------

// Where bytes go whose place is `address` without the swizzle of span 16 (none), 32, 64 or 128. Bits of the address
// change, so the pattern does not begin where a tile does.
static inline uint32_t warp_swizzle(uint32_t address, uint32_t span) {
    return address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

// A box at coordinates, the innermost first.
typedef struct WarpBox {
    const RtMap *map;
    int64_t at[RT_MAP_RANK_MAX];
    uint32_t size[RT_MAP_RANK_MAX]; // elements
    bool gathers;                   // rows are those of `rows`, instead of size[1] neighbours from at[1] on
    bool numbers;                   // elements of floats are numbers, no payloads: loads do to them what a GPU does
    int64_t rows[4];
    uint32_t index[RT_MAP_RANK_MAX]; // of the row that comes next
    uint32_t offset;                 // its first byte in shared memory, from the beginning of the box
    bool ended;
} WarpBox;
// A row: elements that lie one after the other in both memories.
typedef struct WarpBoxRow {
    uint32_t offset;                // of its first byte in shared memory, before it is swizzled
    uint32_t before, inside, after; // bytes of shared memory whose elements are outside the array, in it, outside
    uint64_t global, global_bytes;  // address of the elements inside, and their bytes in global memory
} WarpBoxRow;

// The box of the map at `coordinates`, as many as its rank; `mode` WARP_TILE, or WARP_GATHER4 and WARP_SCATTER4: a
// column, then four rows. False and E_RUNTIME if the map has no such box, E_UNSUPPORTED for other modes.
bool warp_box_open(WarpBox *box, const RtMap *map, WarpTileMode mode, const int32_t *coordinates, WarpProblem *problem);
// Bytes of shared memory of the whole box, a multiple of 16.
uint32_t warp_box_bytes(const WarpBox *box);
// False: there are no more rows.
bool warp_box_next(WarpBox *box, WarpBoxRow *row);
// Copies a row. `shared`: what is at address 0 of shared memory; `to`, `from`: address of the box there; `array`: the
// row's elements that are inside. Elements outside become what the map fills with, or are left out.
void warp_row_load(const WarpBox *box, const WarpBoxRow *row, uint8_t *shared, uint32_t to, const uint8_t *array);
void warp_row_store(const WarpBox *box, const WarpBoxRow *row, const uint8_t *shared, uint32_t from, uint8_t *array);

// ---- warp_matrix.c: matrices in shared memory that descriptors name -------------------------------------------------

typedef struct WarpMatrix {
    uint32_t start, lead, stride; // bytes: start address, leading and stride byte offsets
    uint32_t span;                // of the swizzle; 16: none
    bool mn_major;                // elements of neighbouring rows are neighbours, else those along the depth
    bool padded;                  // elements of 4 and 6 bits, of which 16 are at the beginning of each 16 bytes
    uint32_t rows, depth, bits;   // elements; bits of one in shared memory
} WarpMatrix;
enum { WARP_MATRIX_BYTES = 256 * 64 }; // of a dense operand, at most

// Reads a descriptor, of tcgen05 or of wgmma; leaves rows, depth, bits, mn_major and padded. False if it is not allowed
// (E_RUNTIME) or not supported.
bool warp_matrix_read(uint64_t descriptor, bool tcgen05, WarpMatrix *matrix, WarpProblem *problem);
// Whether matrices of such elements are supported in this order.
bool warp_matrix_check(const WarpMatrix *matrix, WarpProblem *problem);
// Copies the matrix: `rows` times `depth` elements one after the other, each in 1, 2 or 4 bytes (one in a byte if it
// has less than 8 bits). `shared`: what is at address 0 of shared memory, of which the addresses from WARP_SHARED_FIRST
// to `end` exist. False: *outside is the address of 16 bytes that do not.
bool warp_matrix_gather(const WarpMatrix *matrix, const uint8_t *shared, uint32_t end, void *dense, uint32_t *outside);
// Lists the shared memory of the matrix, for rows from `first` on: pieces of 16 bytes or more. The number of pieces, of
// which `pieces` holds at most WARP_MATRIX_PIECES.
enum { WARP_MATRIX_PIECES = 1024 };
uint32_t warp_matrix_pieces(const WarpMatrix *matrix, uint32_t first, uint32_t rows,
                            WarpPiece pieces[WARP_MATRIX_PIECES]);

#endif
