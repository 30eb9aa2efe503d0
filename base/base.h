// SPDX-License-Identifier: Apache-2.0
// What every room may use: arenas, growing byte buffers, a hash map, diagnostics, clocks, whole files. libc only.
#ifndef CONGRUENT_BASE_H
#define CONGRUENT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BASE_PRINTF(text, first)
#endif

#define BASE_COUNT(array) (sizeof(array) / sizeof((array)[0]))
// Bit `number`, and the lowest `count` bits (1 to 64). A static assertion that a list has a row for each enumerator:
//     #define ROW_BIT(name, ...) | BASE_BIT(KIND_##name)
//     _Static_assert((0 ROWS(ROW_BIT)) == BASE_BITS(KIND_COUNT), "a row for each kind");
#define BASE_BIT(number) (UINT64_C(1) << (number))
#define BASE_BITS(count) (UINT64_MAX >> (64 - (count)))

// ---- containers.c: memory that is freed all at once -----------------------------------------------------------------

typedef struct ArenaChunk ArenaChunk;
// Zero-initialised is a valid, empty arena.
typedef struct Arena {
    ArenaChunk *chunks; // newest first
} Arena;

// Memory of `size` bytes, zeroed, aligned to 16; lives until arena_reset or arena_close. Never NULL: a process that is
// out of memory stops with a message (callers bound every size that comes from input).
void *arena_alloc(Arena *arena, size_t size);
// Frees everything taken from the arena; it stays usable.
void arena_reset(Arena *arena);
#define arena_new(arena, Type)          ((Type *)arena_alloc((arena), sizeof(Type)))
#define arena_array(arena, Type, count) ((Type *)arena_alloc_array((arena), (count), sizeof(Type)))
void *arena_alloc_array(Arena *arena, size_t count, size_t size);
// Copies of `length` bytes of text (a terminating zero is added), and formatted text.
char *arena_text(Arena *arena, const char *text, size_t length);
const char *arena_keep(Arena *arena, const char *text); // all of the text; NULL stays NULL
char *arena_format(Arena *arena, const char *format, ...) BASE_PRINTF(2, 3);
char *arena_vformat(Arena *arena, const char *format, va_list args);
// Room for one more item in an arena-held array that doubles as it grows: returns the (possibly moved) array.
void *arena_grow(Arena *arena, void *items, size_t count, size_t *capacity, size_t size);

// ---- containers.c: a growing byte buffer on the heap ----------------------------------------------------------------

// Zero-initialised is a valid, empty buffer. `data` is zero-terminated after every buffer_print.
typedef struct Buffer {
    char *data;
    size_t size, capacity;
} Buffer;

void buffer_append(Buffer *buffer, const void *bytes, size_t size);
void buffer_print(Buffer *buffer, const char *format, ...) BASE_PRINTF(2, 3);
void buffer_free(Buffer *buffer);

// ---- containers.c: text to integer ----------------------------------------------------------------------------------

// Open addressing, keys are copied into the arena given at each insertion. Zero-initialised is a valid, empty map.
typedef struct MapEntry {
    const char *key;
    uint64_t value;
} MapEntry;
typedef struct Map {
    MapEntry *entries;
    size_t count, capacity;
} Map;

// Sets key to value; returns false (and changes nothing) if the key is there already.
bool map_insert(Map *map, Arena *arena, const char *key, uint64_t value);
// The value of key in *value; false if it is not there. `value` may be NULL.
bool map_find(const Map *map, const char *key, uint64_t *value);

// ---- diagnostic.c: errors are values --------------------------------------------------------------------------------

typedef enum ErrorCode {
#define ERROR(name, number, exit_status, meaning) E_##name = number,
#include "base/errors.def"
#undef ERROR
} ErrorCode;

// Where something was found. Text and Python sources: file, line, column (1-based, 0 = not known). Bytecode: file,
// section, byte offset. A zero Location is "nowhere". The strings live as long as the thing that was read.
typedef struct Location {
    const char *file;
    const char *section; // bytecode section, or NULL
    uint64_t offset;     // byte offset from the start of the file; valid if has_offset
    uint32_t line, column;
    bool has_offset;
} Location;

// With its strings in the arena.
Location location_keep(Arena *arena, Location at);

typedef struct Diagnostic {
    ErrorCode code;
    Location at;
    const char *message; // one line, no trailing newline
} Diagnostic;

// The diagnostics of one context, in order. Zero-initialised is valid; diagnostics_close frees it. At most
// DIAGNOSTICS_MAX are kept, further ones only counted.
enum { DIAGNOSTICS_MAX = 100 };
typedef struct Diagnostics {
    Arena arena;
    Diagnostic *items;
    size_t count, capacity;
    size_t dropped;
} Diagnostics;

// Records an error; always returns false, so that a failing function says `return diag_fail(...)`. Strings of `at` are
// copied.
bool diag_fail(Diagnostics *diagnostics, Location at, ErrorCode code, const char *format, ...) BASE_PRINTF(4, 5);
// Appends "file:line:col: error: message [E123]\n", or "file: offset 0x12 (section Type): error: ...", to the buffer.
void diag_print(const Diagnostic *diagnostic, Buffer *out);
// Prints all of them to standard error, one line each.
void diagnostics_print(const Diagnostics *diagnostics);
// The exit status of the first diagnostic's code (errors.def), 0 if there is none.
int diagnostics_exit_status(const Diagnostics *diagnostics);
void diagnostics_close(Diagnostics *diagnostics);
// The name of an error code in errors.def.
const char *error_name(ErrorCode code);

// ---- system.c: clocks -----------------------------------------------------------------------------------------------

double clock_thread_seconds(void); // processor time that this thread has used
double clock_wall_seconds(void);   // time since some moment

// ---- system.c: whole files ------------------------------------------------------------------------------------------

enum { FILE_SIZE_MAX = 1 << 30 };
// The file's bytes in *data (arena-held, a zero byte follows) and *size. Larger than FILE_SIZE_MAX, a folder or
// unreadable: E_FILE.
bool file_read(Diagnostics *diagnostics, Arena *arena, const char *path, uint8_t **data, size_t *size);
// Writes the file whole, through a temporary name and rename, so that a failure leaves no half file. E_FILE.
bool file_write(Diagnostics *diagnostics, const char *path, const void *data, size_t size);
// The path of `name` relative to the folder of `base` (absolute names stay), arena-held.
char *file_beside(Arena *arena, const char *base, const char *name);

#endif
