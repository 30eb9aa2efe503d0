// SPDX-License-Identifier: Apache-2.0
// The entry ABI of kernels compiled for the host: what `tileiras --emit=object` exports and what the runtime calls
// (docs/host-abi.md). Plain C, usable alone.
#ifndef CONGRUENT_HOST_ABI_H
#define CONGRUENT_HOST_ABI_H

#include <stdint.h>

// Bytes [begin, end) of one buffer, as addresses.
typedef struct HostRange {
    uint64_t begin, end;
} HostRange;

// ---- shadow memory: what kernels compiled with the numeric `shadow` keep beside the floats in buffers

// The payload of one float in memory, and which bits it belongs to. A record holds for the float at its address only
// while HOST_RECORD_VALID is set and the float has these bits.
typedef struct HostRecord {
    uint32_t state; // TOWER_* of sanitizer/tower.h, and HOST_RECORD_VALID
    uint32_t component[4];
    uint32_t low;   // the float's bits, zero-extended
    uint32_t store; // who stored it: the launch's store_base plus the number of the kernel's store
    uint32_t high;
} HostRecord;
enum {
    HOST_RECORD_WORDS = sizeof(HostRecord) / sizeof(uint32_t),
    HOST_SHADOW_WIDTHS = 4, // floats of 1, 2, 4 and 8 bytes have records of their own; index k for 2^k bytes
};
#define HOST_USE_ORIGIN_BITS 25 // of HostLaunch.uses
#define HOST_RECORD_VALID    (UINT32_C(1) << 31)
#define HOST_RECORD_POISON   (UINT32_C(1) << 21) // TOWER_POISON; component[0] says who made it
// Among widths of records: the memory may hold what nobody specified, which HostShadow.unspecified tells.
#define HOST_MAY_BE_UNSPECIFIED (UINT32_C(1) << 31)

// Memory in which everything is unspecified that nobody wrote.
typedef struct HostUnfilled {
    uint64_t begin, end; // addresses
    uint32_t origin;     // of what is read there (tower_origin)
} HostUnfilled;

// What is known of a byte that has no valid record.
typedef enum HostByte {
    HOST_BYTE_INITIAL,     // it is what it was before the launches, or unspecified where that is HostUnfilled
    HOST_BYTE_WRITTEN,     // something without a record was stored
    HOST_BYTE_UNSPECIFIED, // something unspecified was stored, or the byte is of an alloca and was not written yet
} HostByte;

// Where the records are. They exist for floats at addresses a that are multiples of their width 2^k; each word of a
// record lies in an array of its own: word w at planes[k] + w * (plane_bytes >> k) + (a >> k) * 4, mod 2^64.
typedef struct HostShadow {
    uint64_t planes[HOST_SHADOW_WIDTHS];
    uint64_t plane_bytes;
    // Makes all records invalid that share a byte with [addresses[i], addresses[i] + bytes), for the `lanes` (1 to 64)
    // addresses whose bit of `mask` is set and the widths in `widths` (bit k: 2^k bytes).
    void (*forget)(const struct HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes,
                   const uint64_t *addresses, uint64_t mask);
    // The HostByte of address a is at bytes + a. `forget` makes it HOST_BYTE_WRITTEN if `widths` has
    // HOST_MAY_BE_UNSPECIFIED.
    uint64_t bytes;
    const HostUnfilled *unfilled; // of the launch, sorted
    uint64_t unfilled_count;
    // As forget, but for stores of unspecified values. origins[i] says who made the value; it is kept in component[0]
    // of the 1-byte record there. An address may have any number of bytes.
    void (*spoil)(const struct HostShadow *shadow, uint32_t widths, uint64_t bytes, uint32_t lanes,
                  const uint64_t *addresses, uint64_t mask, const uint32_t *origins);
    // Which of the lanes whose bit of `mask` is set read something unspecified (a bit for each), and who made it
    // (origins[i], 0 where nobody knows).
    uint64_t (*unspecified)(const struct HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes,
                            const uint64_t *addresses, uint64_t mask, uint32_t *origins);
} HostShadow;

// ---- printing (print_tko)

typedef enum HostPrintKind {
    HOST_PRINT_INTEGER,
    HOST_PRINT_FLOAT,   // float or double
    HOST_PRINT_PAYLOAD, // what stands for a float in the payload algebra
    HOST_PRINT_POINTER,
} HostPrintKind;

// A tile that is printed. Its elements lie one after the other in row-major order.
typedef struct HostPrintValue {
    uint32_t kind; // HostPrintKind
    uint32_t bits; // of an element: 1, 4, 8, 16, 32 or 64; in memory at least 8, of which those above are 0
    uint32_t rank;
    const int64_t *shape; // `rank` sizes
    const void *elements;
} HostPrintValue;

// One print: text with a conversion, as printf knows them, for each value.
typedef struct HostPrint {
    const char *format; // `length` bytes; it need not end with 0
    uint64_t length;
    const HostPrintValue *values;
    uint64_t value_count;
} HostPrint;

// ---- races between blocks: what kernels compiled with `races` log of their accesses to memory

enum { HOST_ACCESS_DIMENSIONS = 24 };

// Elements that one op accesses, which lie in a regular way. Places and distances are in half bytes, because of
// elements of four bits: an address counts twice.
typedef struct HostAccess {
    uint64_t first; // place of the first element
    uint32_t op;    // number of the op among those of the kernel
    uint32_t rank;  // dimensions that follow
    int64_t size;   // of an element
    struct {
        int64_t count, stride; // elements (0 or less: there is none at all), and from one to the next
    } dimensions[HOST_ACCESS_DIMENSIONS];
} HostAccess;

// What an op does to its elements. Accesses that are both atomic do not race with each other; what is atomic for one
// block alone (scope tl_blk) is not among them.
enum {
    HOST_ACCESS_READS = 1,
    HOST_ACCESS_WRITES = 2,
    HOST_ACCESS_ATOMIC = 4,
    HOST_ACCESS_ACQUIRES = 8,     // sees what was released with what it reads
    HOST_ACCESS_RELEASES = 16,    // what it writes releases what the block has done
    HOST_ACCESS_LOOKS = 32,       // what the block does next may depend on what is read
    HOST_ACCESS_LOGGED_LATE = 64, // when it has been done
};

struct HostLaunch;
typedef struct HostRaces {
    // Called before the elements are accessed; for a compare-and-swap after it, because only then it is known whether
    // it stores. `scratch` is the block's. With `merges`, an op that goes through pointers may log all its pieces as
    // one access afterwards (HOST_ACCESS_LOGGED_LATE).
    void (*access)(const struct HostLaunch *launch, void *scratch, const HostAccess *access);
    const uint8_t *reads;   // for each argument: whether loads from its buffer are to be logged
    uint32_t reads_unknown; // the same of pointers of unknown origin
    uint32_t stores;        // whether stores and atomics are
    uint32_t merges;
} HostRaces;

// ---- launches

// One launch; the same for all of its blocks.
typedef struct HostLaunch {
    // The arguments in order, each 8 bytes: pointers, integers (zero-extended) and the bits of floats (zero-extended).
    const uint64_t *arguments;
    // For each argument the buffer it may be used to touch; begin = end = 0 for arguments that are not pointers.
    const HostRange *argument_ranges;
    // All buffers of the launch, sorted by begin, not overlapping: where pointers of unknown origin may point.
    const HostRange *buffers;
    uint64_t buffer_count;
    // Of kernels compiled with shadow memory, as are all fields behind the grid; zero for others.
    const HostShadow *shadow;
    uint32_t grid[3];
    uint32_t store_base;                // see HostRecord.store
    const HostRecord *argument_records; // for each argument the record of a float, all zero if it has none
    // Widths (bit k: 2^k bytes) of which there may be valid records in the buffer of each argument, and in any buffer.
    const uint32_t *argument_widths;
    uint32_t all_widths;
    // What prints of the kernel call, on the thread that runs block (x, y, z); NULL: they print nothing. `print` and
    // what it points to are the kernel's. host_print.h makes text of it. `printer` is the function's own.
    void (*print)(const struct HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print);
    void *printer;
    // Where the globals of the kernel's module are, in its order. NULL: they are data of the object file that the
    // kernel is in (not of kernels compiled into memory).
    const HostRange *globals;
    // What kernels call in each iteration of a loop in which they may wait for another block; `waiter` is its own.
    // Not 0: the block stops and returns 0. NULL: the loop goes on for as long as it takes.
    uint32_t (*wait)(const struct HostLaunch *launch);
    void *waiter;
    // Of kernels compiled with shadow memory that find unspecified values: a word for each store of the kernel
    // (HostRecord.store less store_base), all ones at first. An op that depends on such a value makes it the smallest
    // of: the block's linear id times 2^HOST_USE_ORIGIN_BITS, plus who made the value (tower_origin; 0 where code does
    // not know). NULL: nobody asks.
    uint64_t *uses;
    // Of kernels compiled with `races`, and then not NULL.
    const HostRaces *races;
} HostLaunch;

// What went wrong in a block: filled by the kernel when it returns a site other than 0.
typedef struct HostFault {
    uint64_t address; // of an access outside its buffer: the first address; a pointer that is not as assumed; else 0
    int64_t found;    // an index outside its space; a byte count; an offset into an alloca; the failed element of an
                      // assertion; an integer that is not as assumed
    int64_t limit;    // the first index, size or offset that is not allowed; the number of an element not as assumed
} HostFault;

// Runs block (x, y, z). `scratch` is 64-byte aligned memory of at least the size the kernel states, owned by the
// calling thread. Returns 0, or 1 + the number of the site that failed; the block has then stopped and its stores so
// far stay.
typedef uint32_t HostEntry(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                           HostFault *fault);

// A place in a kernel that can fail.
typedef enum HostSiteKind {
    HOST_SITE_BOUNDS,   // an access outside the buffer
    HOST_SITE_VIEW,     // a tensor view that does not fit the buffer of its base
    HOST_SITE_INDEX,    // a tile index outside the index space of a view
    HOST_SITE_ASSERT,   // an assertion
    HOST_SITE_STEP,     // a loop step that is not positive
    HOST_SITE_DIVIDE,   // integer division by zero or overflow
    HOST_SITE_INBOUNDS, // a tile that sticks out of the tensor, though it is said not to
    HOST_SITE_LOCAL,    // an access outside an alloca, or a tensor view that does not fit it
    HOST_SITE_ROUNDS,   // the loops of the block have more iterations than they were allowed
    HOST_SITE_ASSUME,   // an assumption that does not hold (only of code that checks them)
    HOST_SITE_SLICE,    // the number of a slice that the tile does not have
    HOST_SITE_KINDS
} HostSiteKind;

#endif
