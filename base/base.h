// SPDX-License-Identifier: Apache-2.0
// What every room may use: arenas, growing byte buffers, a hash map, diagnostics, clocks, files. Needs libc only.
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
// Bit `number`; the lowest `count` bits (1 to 64). With them a static assertion says that a list has a row for each
// enumerator:
//     #define ROW_BIT(name, ...) | BASE_BIT(KIND_##name)
//     _Static_assert((0 ROWS(ROW_BIT)) == BASE_BITS(KIND_COUNT), "a row for each kind");
#define BASE_BIT(number) (UINT64_C(1) << (number))
#define BASE_BITS(count) (UINT64_MAX >> (64 - (count)))

// ---- containers.c: memory that is freed all at once -----------------------------------------------------------------

typedef struct ArenaChunk ArenaChunk;
// An arena of zeros is valid and empty.
typedef struct Arena {
    ArenaChunk *chunks; // newest first
} Arena;

// `size` bytes of zeros, aligned to 16 bytes; they live until arena_reset. Never NULL: a process that is out of memory
// ends with a message and status 70. (Callers bound every size that comes from input.)
void *arena_alloc(Arena *arena, size_t size);
// Frees everything taken from the arena, which is empty then and can be used again. There is no other way to close one.
void arena_reset(Arena *arena);
#define arena_new(arena, Type)          ((Type *)arena_alloc((arena), sizeof(Type)))
#define arena_array(arena, Type, count) ((Type *)arena_alloc_array((arena), (count), sizeof(Type)))
void *arena_alloc_array(Arena *arena, size_t count, size_t size);
// Texts in the arena, zero-terminated: a copy of `length` bytes, a copy of a whole text, formatted text.
char *arena_text(Arena *arena, const char *text, size_t length);
const char *arena_keep(Arena *arena, const char *text); // NULL stays NULL
char *arena_format(Arena *arena, const char *format, ...) BASE_PRINTF(2, 3);
char *arena_vformat(Arena *arena, const char *format, va_list args);
// Makes room for one more item in an array of the arena that holds `count` items of `size` bytes. Returns the array; it
// moves, and *capacity doubles, where there was no room.
void *arena_grow(Arena *arena, void *items, size_t count, size_t *capacity, size_t size);

// ---- containers.c: a growing byte buffer on the heap ----------------------------------------------------------------

// A buffer of zeros is valid and empty. `data` is zero-terminated after every buffer_print, not after buffer_append. A
// process that is out of memory ends, as with arenas.
typedef struct Buffer {
    char *data;
    size_t size, capacity;
} Buffer;

void buffer_append(Buffer *buffer, const void *bytes, size_t size);
void buffer_print(Buffer *buffer, const char *format, ...) BASE_PRINTF(2, 3);
void buffer_free(Buffer *buffer);

// ---- containers.c: text to integer ----------------------------------------------------------------------------------

// A hash map. A map of zeros is valid and empty. All its memory, copies of the keys included, is in the arena that
// map_insert is given, which must be the same each time.
typedef struct MapEntry {
    const char *key;
    uint64_t value;
} MapEntry;
typedef struct Map {
    MapEntry *entries;
    size_t count, capacity;
} Map;

// Adds a key with its value. False, and nothing changes, if the key is there already.
bool map_insert(Map *map, Arena *arena, const char *key, uint64_t value);
// Gives the value of the key in *value, which may be NULL. False if the key is not there.
bool map_find(const Map *map, const char *key, uint64_t *value);

// ---- diagnostic.c: errors are values --------------------------------------------------------------------------------

typedef enum ErrorCode {
#define ERROR(name, number, exit_status, meaning) E_##name = number,
#include "base/errors.def"
#undef ERROR
} ErrorCode;

// Where something was found: in text and Python sources file, line and column; in bytecode file, section and byte
// offset. A Location of zeros is "nowhere". Its strings live as long as the module or case that was read there.
typedef struct Location {
    const char *file;
    const char *section;   // bytecode section, or NULL
    uint64_t offset;       // byte offset from the start of the file; valid if has_offset
    uint32_t line, column; // from 1 on; 0: not known
    bool has_offset;
    const char *callers; // where it was called from, innermost first: "k.py:5:4, k.py:10:4"; NULL: not known
} Location;

// The location with copies of its strings in the arena.
Location location_keep(Arena *arena, Location at);
// The location in a function that was called from there, text in the arena. Of long ways the outer end is left out.
Location location_called(Arena *arena, Location at, Location caller);

typedef struct Diagnostic {
    ErrorCode code;
    Location at;
    const char *message; // one line, no trailing newline
} Diagnostic;

// Errors in the order in which they were found. Zeros are valid: no errors. DIAGNOSTICS_MAX of them are kept; those
// beyond are only counted.
enum { DIAGNOSTICS_MAX = 100 };
typedef struct Diagnostics {
    Arena arena;
    Diagnostic *items;
    size_t count, capacity;
    size_t dropped;
} Diagnostics;

// Records an error. Always false, so that a failing function can say `return diag_fail(...)`. Strings of `at` are
// copied; its callers go into the message: " (called from ..)" behind it.
bool diag_fail(Diagnostics *diagnostics, Location at, ErrorCode code, const char *format, ...) BASE_PRINTF(4, 5);
// Appends "file:line:col: error: message [E123]\n" or "file: offset 0x12 (section Type): error: message [E123]\n".
void diag_print(const Diagnostic *diagnostic, Buffer *out);
// Appends all of them, each on a line, and how many more there were; prints that to standard error.
void diagnostics_text(const Diagnostics *diagnostics, Buffer *out);
void diagnostics_print(const Diagnostics *diagnostics);
// The exit status of tileiras for the first error's code (errors.def); 0 if there is none.
int diagnostics_exit_status(const Diagnostics *diagnostics);
void diagnostics_close(Diagnostics *diagnostics);
const char *error_name(ErrorCode code); // "VERIFY"

// ---- system.c: clocks -----------------------------------------------------------------------------------------------

double clock_thread_seconds(void);  // processor time that this thread has used
double clock_process_seconds(void); // that all threads of the process have used
double clock_wall_seconds(void);    // of a clock that only goes forward, from an arbitrary moment on

// ---- system.c: memory -----------------------------------------------------------------------------------------------

// Bytes that this process may have: those of the machine, or less where a cgroup says so.
uint64_t system_memory(void);

// ---- system.c: whole files ------------------------------------------------------------------------------------------

enum { FILE_SIZE_MAX = 1 << 30 };
// Reads a whole file into the arena: *size bytes at *data, followed by a zero byte. False and E_FILE if it cannot be
// read, is a folder or is larger than FILE_SIZE_MAX.
bool file_read(Diagnostics *diagnostics, Arena *arena, const char *path, uint8_t **data, size_t *size);
// Writes a whole file under a temporary name and renames it, so that a failure leaves no half file. What is no regular
// file (a link, /dev/null, a pipe) is written in place. False and E_FILE on failure.
bool file_write(Diagnostics *diagnostics, const char *path, const void *data, size_t size);
// `name` as a path beside the file `base`: in the same folder, unless `name` is absolute. In the arena.
char *file_beside(Arena *arena, const char *base, const char *name);

#endif
