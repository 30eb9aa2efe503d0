// SPDX-License-Identifier: Apache-2.0
// Which cells stand for the bytes of shared and global memory that are accessed. There is a cell for each 16 bytes. If
// different things happen to their words, those get cells of their own, and so do the bytes of a word. Where all are
// accessed together again they are one cell again. Cells of global memory are in a hash table of lines of 64 bytes.
#include "runtime/warp_cells.h"
#include "runtime/warp_tensor.h"

#include <string.h>
#include <sys/mman.h>

enum {
    WORD = 4,
    GRANULE = 16,
    GRANULE_WORDS = GRANULE / WORD,
    LINE = 64,
    LINE_SHIFT = 6,
    LINES = 1 << 16, // of the hash table
    LINES_MAX = LINES / 2,
    BYTES_MAX = LINES / 4, // lines with cells for bytes
};

// Cells of a part of memory, for its 16, 4 and single bytes.
typedef struct CellSpan {
    WarpCell *granules, *words, *bytes;
} CellSpan;

// ---- memory for cells

static WarpCell *map_cells(size_t count) {
    void *memory = mmap(NULL, count * sizeof(WarpCell), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void unmap_cells(WarpCell *cells, size_t count) {
    if (cells) munmap(cells, count * sizeof(WarpCell));
}

bool warp_cells_open(WarpCells *cells, uint32_t size) {
    cells->size = size;
    cells->granules = map_cells(size / GRANULE);
    cells->words = map_cells(size / WORD);
    cells->bytes = map_cells(size);
    cells->far_granules = map_cells((size_t)LINES * LINE / GRANULE);
    cells->far_words = map_cells((size_t)LINES * LINE / WORD);
    cells->far_bytes = map_cells((size_t)BYTES_MAX * LINE);
    void *lines = mmap(NULL, LINES * sizeof(WarpFarLine), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (lines != MAP_FAILED) cells->far_lines = lines;
    cells->far_epoch = 1;
    return cells->granules && cells->words && cells->bytes && cells->far_granules && cells->far_words &&
           cells->far_bytes && cells->far_lines;
}

void warp_cells_close(WarpCells *cells) {
    unmap_cells(cells->granules, cells->size / GRANULE);
    unmap_cells(cells->words, cells->size / WORD);
    unmap_cells(cells->bytes, cells->size);
    unmap_cells(cells->far_granules, (size_t)LINES * LINE / GRANULE);
    unmap_cells(cells->far_words, (size_t)LINES * LINE / WORD);
    unmap_cells(cells->far_bytes, (size_t)BYTES_MAX * LINE);
    if (cells->far_lines) munmap(cells->far_lines, LINES * sizeof(WarpFarLine));
    *cells = (WarpCells){0};
}

void warp_cells_clear(WarpCells *cells) {
    memset(cells->granules, 0, cells->size / GRANULE * sizeof(WarpCell)); // the others are copies of these at first
    warp_cells_clear_global(cells);
}

void warp_cells_clear_global(WarpCells *cells) {
    cells->far_epoch++;
    cells->far_count = cells->far_bytes_count = 0;
    cells->far_async = false;
}

void warp_forget_global(WarpBlock *block) {
    if (!block->cells.far_async) warp_cells_clear_global(&block->cells);
}

// ---- cells of a span

static bool are_equal(const WarpCell *cells) {
    return !memcmp(&cells[0], &cells[1], sizeof *cells) && !memcmp(&cells[0], &cells[2], 2 * sizeof *cells);
}

// The cell becomes four.
static void split(WarpCell *cell, WarpCell *parts) {
    if (cell->write == WARP_CELL_SPLIT) return;
    for (uint32_t i = 0; i < 4; i++) parts[i] = *cell;
    *cell = (WarpCell){WARP_CELL_SPLIT, 0};
}

static void merge(WarpCell *cell, const WarpCell *parts) {
    if (parts[0].write != WARP_CELL_SPLIT && are_equal(parts)) *cell = parts[0];
}

static void touch_word(CellAccess *access, WarpCell *word, WarpCell *bytes, uint32_t first, uint32_t count) {
    const uint64_t address = access->address;
    if (count == WORD && word->write != WARP_CELL_SPLIT) {
        cell_touch(access, word);
        return;
    }
    split(word, bytes);
    for (uint32_t i = first; i < first + count; i++) {
        access->address = address + i - first;
        cell_touch(access, &bytes[i]);
    }
    if (count == WORD) merge(word, bytes);
}

// `count` bytes from number `first` of a granule on.
static void touch_granule(CellAccess *access, const CellSpan *span, uint32_t granule, uint32_t first, uint32_t count) {
    WarpCell *cell = &span->granules[granule], *words = &span->words[granule * GRANULE_WORDS];
    WarpCell *bytes = span->bytes ? &span->bytes[granule * GRANULE] : NULL;
    const uint64_t base = access->address - first;
    if (count == GRANULE && cell->write != WARP_CELL_SPLIT) {
        cell_touch(access, cell);
        return;
    }
    split(cell, words);
    for (uint32_t at = first, end = first + count; at < end;) {
        const uint32_t word = at / WORD, in_word = at % WORD;
        const uint32_t part = end - at < WORD - in_word ? end - at : WORD - in_word;
        access->address = base + at;
        touch_word(access, &words[word], bytes ? &bytes[word * WORD] : NULL, in_word, part);
        at += part;
    }
    if (count == GRANULE) merge(cell, words);
}

static void touch_span(CellAccess *access, const CellSpan *span, uint32_t offset, uint32_t size) {
    const uint64_t base = access->address - offset;
    while (size) {
        while (size >= GRANULE && !(offset % GRANULE) &&
               cell_touch_fast(&access->known, access->deed->flags, access->lane, &span->granules[offset / GRANULE])) {
            offset += GRANULE;
            size -= GRANULE;
        }
        if (!size) break;
        const uint32_t first = offset % GRANULE, count = size < GRANULE - first ? size : GRANULE - first;
        access->address = base + offset;
        touch_granule(access, span, offset / GRANULE, first, count);
        offset += count;
        size -= count;
    }
}

static CellSpan shared_span(const WarpCells *cells) {
    return (CellSpan){cells->granules, cells->words, cells->bytes};
}

// ---- global memory

// Where to look for a line first. Four neighbours stay neighbours.
static uint64_t hash_line(uint64_t line) {
    return ((line >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 32) * 4 + line % 4;
}

// The table is larger than what caches hold.
static void fetch_line(const WarpCells *cells, uint64_t line) {
    const uint64_t at = hash_line(line) % LINES;
    __builtin_prefetch(&cells->far_lines[at], 1);
    __builtin_prefetch(&cells->far_granules[at * (LINE / GRANULE)], 1);
}

// The entry of the line in the table, where it is or should be; NULL if the table is full.
static WarpFarLine *find_line(WarpCells *cells, uint64_t line) {
    for (uint64_t at = hash_line(line);; at++) {
        WarpFarLine *found = &cells->far_lines[at % LINES];
        if (found->epoch == cells->far_epoch && found->line == line) return found;
        if (found->epoch == cells->far_epoch) continue;
        if (cells->far_count >= LINES_MAX) return NULL;
        cells->far_count++;
        *found = (WarpFarLine){.line = line, .epoch = cells->far_epoch};
        memset(&cells->far_granules[(found - cells->far_lines) * (LINE / GRANULE)], 0,
               LINE / GRANULE * sizeof(WarpCell));
        return found;
    }
}

static CellSpan line_span(const WarpCells *cells, const WarpFarLine *line) {
    const size_t number = (size_t)(line - cells->far_lines);
    return (CellSpan){&cells->far_granules[number * (LINE / GRANULE)], &cells->far_words[number * (LINE / WORD)],
                      line->bytes ? &cells->far_bytes[(size_t)(line->bytes - 1) * LINE] : NULL};
}

// The cells of a line, with those for bytes if they are needed. If there is no room everything is forgotten first.
static CellSpan open_line(WarpCells *cells, uint64_t line, bool with_bytes) {
    for (;;) {
        WarpFarLine *found = find_line(cells, line);
        if (found && with_bytes && !found->bytes && cells->far_bytes_count < BYTES_MAX)
            found->bytes = ++cells->far_bytes_count;
        if (found && (!with_bytes || found->bytes)) return line_span(cells, found);
        warp_cells_clear_global(cells);
    }
}

static void touch_global(CellAccess *access, uint64_t address, uint64_t size) {
    WarpCells *cells = &access->block->cells;
    while (size) {
        const uint32_t offset = address % LINE;
        const uint32_t count = size < LINE - offset ? (uint32_t)size : LINE - offset;
        const CellSpan span = open_line(cells, address >> LINE_SHIFT, address % WORD || count % WORD);
        access->address = address;
        touch_span(access, &span, offset, count);
        address += count;
        size -= count;
    }
}

// ---- accesses

// What is found about one cell mostly holds for the next.
static void touch_shared_pieces(CellAccess *access, const WarpPiece *pieces, uint32_t count) {
    const CellSpan span = shared_span(&access->block->cells);
    const uint32_t flags = access->deed->flags, lane = access->lane;
    CellKnown known = access->known;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = (uint32_t)pieces[i].address, size = (uint32_t)pieces[i].bytes;
        while (size >= GRANULE && !(offset % GRANULE) &&
               cell_touch_fast(&known, flags, lane, &span.granules[offset / GRANULE])) {
            offset += GRANULE;
            size -= GRANULE;
        }
        if (!size) continue;
        access->address = offset;
        touch_span(access, &span, offset, size);
        known = access->known;
    }
}

static void touch_global_pieces(CellAccess *access, const WarpPiece *pieces, uint32_t count) {
    enum { AHEAD = 4 };
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch_line(&access->block->cells, pieces[i + AHEAD].address >> LINE_SHIFT);
        touch_global(access, pieces[i].address, pieces[i].bytes);
    }
}

// ---- what nobody has written

static inline void note_unwritten(WarpBlock *block, const WarpDeed *deed) {
    if (block->unwritten[0] && !block->unwritten_shared) block->unwritten_shared = deed->place;
}

// ---- who has written elements of buffers

static void note_writer(const RtThreads *threads, uint32_t place, uint64_t address, uint64_t bytes) {
    for (uint32_t i = 0; i < threads->writer_count; i++) {
        const RtWriters *writers = &threads->writers[i];
        if (address - writers->address >= writers->bytes) continue;
        const uint64_t first = (address - writers->address) / writers->element;
        const uint64_t last = (address - writers->address + bytes - 1) / writers->element;
        for (uint64_t e = first; e <= last; e++)
            __atomic_store_n(&writers->places[e], threads->writer_base + place, __ATOMIC_RELAXED);
        return;
    }
}

static bool notes_writers(const WarpBlock *block, const WarpDeed *deed, WarpSpace space) {
    return space == WARP_GLOBAL && deed->flags & WARP_DEED_WRITE && block->launch->threads->writer_count;
}

// Products may have read the tile that is overwritten. All lanes write to the same tile.
static inline void end_watches(WarpBlock *block, const WarpDeed *deed, WarpSpace space, uint64_t first) {
    if (space == WARP_SHARED && deed->flags & WARP_DEED_WRITE && first >= block->watch_first &&
        first < block->watch_end)
        warp_end_watches(block, first, first + 1);
}

void warp_touch_pieces(WarpBlock *block, const WarpDeed *deed, WarpSpace space, const WarpPiece *pieces,
                       uint32_t count) {
    if (space != WARP_GLOBAL && space != WARP_SHARED) return;
    if (count) end_watches(block, deed, space, pieces[0].address);
    for (uint32_t i = 0; i < count && notes_writers(block, deed, space); i++)
        note_writer(block->launch->threads, deed->place, pieces[i].address, pieces[i].bytes);
    CellAccess access = cell_open_access(block, deed, (uint8_t)space);
    cell_set_lanes(&access, deed->lanes);
    block->cells.far_async |= space == WARP_GLOBAL && !cell_is_generic(deed);
    if (space == WARP_SHARED)
        touch_shared_pieces(&access, pieces, count);
    else
        touch_global_pieces(&access, pieces, count);
    note_unwritten(block, deed);
}

void warp_touch(WarpBlock *block, const WarpDeed *deed, WarpSpace space, uint64_t offset, uint64_t bytes) {
    warp_touch_pieces(block, deed, space, &(WarpPiece){offset, bytes}, 1);
}

// The cell that stands for this memory alone, if there is one.
static inline WarpCell *cell_of(const CellSpan *span, uint32_t offset, uint32_t size) {
    WarpCell *granule = &span->granules[offset / GRANULE];
    if (size == GRANULE) return granule;
    return size == WORD && granule->write == WARP_CELL_SPLIT ? &span->words[offset / WORD] : NULL;
}

// Whether the cells of `count` lanes all say what the first one says, but for their own lanes.
static bool are_alike(const WarpCell *cells, uint32_t count) {
    uint32_t differs = 0;
    for (uint32_t i = 0; i < count; i++) differs |= (cells[i].write ^ cells[0].write) | (cells[i].read ^ cells[0].read);
    return !(differs & ~(uint32_t)(WARP_LANES - 1));
}

static void write_cells(const CellKnown *known, WarpCell *cells, uint32_t lane, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) cells[i] = (WarpCell){known->own | (lane + i), 0};
}

static void read_cells(uint32_t list, WarpCell *cells, uint32_t lane, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) cells[i].read = list | (lane + i);
}

static bool have_read(uint32_t list, const WarpCell *cells, uint32_t lane, uint32_t count) {
    uint32_t differs = 0;
    for (uint32_t i = 0; i < count; i++) differs |= cells[i].read ^ (list | (lane + i));
    return !differs;
}

// One cell for each lane, from lane `lane` on. False: they have to be touched one by one.
static bool touch_alike(const CellAccess *access, WarpCell *cells, uint32_t lane, uint32_t count) {
    const CellKnown *known = &access->known;
    const uint32_t number = ~(uint32_t)(WARP_LANES - 1), write = cells->write & number, read = cells->read & number;
    if (cells->write == WARP_CELL_SPLIT || access->deed->flags & WARP_DEED_ATOMIC || !are_alike(cells, count))
        return false;
    if (write >= known->first && write != known->after_write && write != known->own) return false;
    if (access->deed->flags & WARP_DEED_WRITE) {
        if (read >= known->first && read != known->after_reads) return false;
        write_cells(known, cells, lane, count);
    } else if (read < known->first || read == known->list) {
        if (write < known->first) *known->unwritten = true;
        read_cells(read < known->first ? known->own : known->joined, cells, lane, count);
    } else if (read != known->complete) {
        return (read == known->own || read == known->own_list) && have_read(read, cells, lane, count);
    }
    return true;
}

static bool are_split(const CellSpan *span, uint32_t offset, uint32_t size) {
    bool all = true;
    for (uint32_t i = offset / GRANULE; i <= (offset + size - 1) / GRANULE; i++)
        all &= span->granules[i].write == WARP_CELL_SPLIT;
    return all;
}

// `count` lanes whose memory lies one after the other: how many were touched.
static uint32_t touch_row(CellAccess *access, const CellSpan *span, uint32_t offset, uint32_t size, uint32_t lane,
                          uint32_t count) {
    const uint64_t address = access->address;
    if (count < 3 || (size == WORD ? !are_split(span, offset, count * size) : size != GRANULE || offset % GRANULE))
        return 0;
    cell_next_lane(access, lane);
    touch_span(access, span, offset, size);
    access->address = address;
    WarpCell *cells = size == WORD ? &span->words[offset / WORD] : &span->granules[offset / GRANULE];
    return touch_alike(access, cells + 1, lane + 1, count - 1) ? count : 1;
}

// Lane after lane. What is found about the cell of one lane mostly holds for the next.
static void touch_shared_lanes(CellAccess *access, const uint64_t *addresses, uint64_t shift, uint32_t size) {
    const CellSpan span = shared_span(&access->block->cells);
    const uint32_t flags = access->deed->flags;
    uint32_t rest = access->deed->lanes;
    access->address = addresses[0] + shift;
    if (access->deed->spread) {
        const uint32_t done = touch_row(access, &span, (uint32_t)access->address, size, 0, WARP_LANES);
        rest = done < WARP_LANES ? UINT32_MAX << done : 0;
    }
    CellKnown known = access->known;
    for (; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest), offset = (uint32_t)(addresses[lane] + shift);
        WarpCell *cell = cell_of(&span, offset, size);
        if (cell && cell_touch_fast(&known, flags, lane, cell)) continue;
        cell_next_lane(access, lane);
        access->address = offset;
        touch_span(access, &span, offset, size);
        known = access->known;
    }
}

static void touch_global_lanes(CellAccess *access, const uint64_t *addresses, uint64_t shift, uint32_t size) {
    const uint32_t flags = access->deed->flags;
    CellSpan span = {0};
    uint64_t line = UINT64_MAX;
    for (uint32_t rest = access->deed->lanes, done; rest; rest = done < WARP_LANES ? rest & UINT32_MAX << done : 0) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint64_t address = addresses[lane] + shift;
        done = lane + 1;
        if (address >> LINE_SHIFT != line) {
            const uint32_t room = (LINE - address % LINE) / size, lanes = WARP_LANES - lane;
            span = open_line(&access->block->cells, line = address >> LINE_SHIFT, size < WORD);
            access->address = address;
            if (access->deed->spread)
                done = lane + touch_row(access, &span, address % LINE, size, lane, room < lanes ? room : lanes);
            if (done > lane) continue;
            done = lane + 1;
        }
        WarpCell *cell = cell_of(&span, address % LINE, size);
        if (cell && cell_touch_fast(&access->known, flags, lane, cell)) continue;
        cell_next_lane(access, lane);
        touch_global(access, address, size);
        line = UINT64_MAX; // everything may have been forgotten
    }
}

// Lanes that know the same.
static void touch_lanes(WarpBlock *block, const WarpDeed *deed, WarpSpace space, const uint64_t *addresses,
                        uint64_t shift, uint32_t bytes) {
    CellAccess access = cell_open_access(block, deed, (uint8_t)space);
    cell_set_lanes(&access, deed->lanes & -deed->lanes);
    if (space == WARP_SHARED)
        touch_shared_lanes(&access, addresses, shift, bytes);
    else
        touch_global_lanes(&access, addresses, shift, bytes);
    note_unwritten(block, deed);
}

void warp_touch_lanes(WarpBlock *block, const WarpDeed *deed, WarpSpace space, const uint64_t *addresses,
                      uint64_t shift, uint32_t bytes) {
    const uint32_t ahead = deed->lanes & deed->warp->ahead_lanes;
    if (space != WARP_GLOBAL && space != WARP_SHARED) return;
    end_watches(block, deed, space, addresses[__builtin_ctz(deed->lanes)] + shift);
    for (uint32_t rest = notes_writers(block, deed, space) ? deed->lanes : 0; rest; rest &= rest - 1)
        note_writer(block->launch->threads, deed->place, addresses[__builtin_ctz(rest)] + shift, bytes);
    block->cells.far_async |= space == WARP_GLOBAL && !cell_is_generic(deed);
    WarpDeed part = *deed;
    if (ahead && ahead != deed->lanes) {
        part.lanes = ahead;
        touch_lanes(block, &part, space, addresses, shift, bytes);
        part.lanes = deed->lanes & ~ahead;
    }
    touch_lanes(block, &part, space, addresses, shift, bytes);
}

// The cell of a byte; NULL: nothing is known.
static const WarpCell *find_cell(WarpBlock *block, WarpSpace space, uint64_t offset) {
    CellSpan span = shared_span(&block->cells);
    if (space == WARP_GLOBAL) {
        const WarpFarLine *line = find_line(&block->cells, offset >> LINE_SHIFT);
        if (!line) return NULL;
        span = line_span(&block->cells, line);
        offset %= LINE;
    }
    const WarpCell *cell = &span.granules[offset / GRANULE];
    if (cell->write == WARP_CELL_SPLIT) cell = &span.words[offset / WORD];
    if (cell->write == WARP_CELL_SPLIT) cell = &span.bytes[offset];
    return cell;
}

WarpSide warp_writer(WarpBlock *block, WarpSpace space, uint64_t offset) {
    const WarpCell *cell = find_cell(block, space, offset);
    return cell ? cell_writer(&block->records, cell->write) : (WarpSide){0};
}

bool warp_was_read(WarpBlock *block, WarpSpace space, uint64_t offset) {
    const WarpCell *cell = find_cell(block, space, offset);
    return cell && cell->read >> CELL_LANE_BITS >= block->records.first;
}

uint32_t warp_unread_writer(WarpBlock *block, WarpSpace space, uint64_t offset) {
    const WarpCell *cell = find_cell(block, space, offset);
    if (!cell || cell->read >> CELL_LANE_BITS >= block->records.first) return 0;
    return cell_writer(&block->records, cell->write).place;
}

uint32_t warp_write_record(WarpBlock *block, WarpSpace space, uint64_t offset) {
    const WarpCell *cell = find_cell(block, space, offset);
    const uint32_t number = cell ? cell->write >> CELL_LANE_BITS : 0;
    return number < block->records.first ? 0 : number;
}
