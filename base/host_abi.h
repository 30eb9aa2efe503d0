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

// The payload of one float in memory, and the bits of that float. The record counts only while HOST_RECORD_VALID is set
// and the float at its address still has these bits.
typedef struct HostRecord {
    uint32_t state;        // TOWER_* of sanitizer/tower.h, and HOST_RECORD_VALID
    uint32_t component[6]; // the last two of deep towers and of degrees (KernelInfo.deep_records), else without memory
    uint32_t low;          // the float's bits, zero-extended to 64: the low word
    uint32_t store;        // who stored it: the launch's store_base plus the number of the kernel's store. No word of
                           // its own in memory, see HostStorePart
    uint32_t high;         // the high word; floats of less than 8 bytes have no memory for it
} HostRecord;
enum {
    HOST_RECORD_WORDS = sizeof(HostRecord) / sizeof(uint32_t),
    HOST_SHADOW_WIDTHS = 4, // floats of 1, 2, 4 and 8 bytes have records of their own; index k for 2^k bytes
};
#define HOST_USE_ORIGIN_BITS 25 // how many low bits of a word of HostLaunch.uses are an origin
#define HOST_RECORD_VALID    (UINT32_C(1) << 31)

// What records are of (KernelInfo.records), which says where `store` is in memory.
typedef enum HostRecords {
    HOST_RECORDS_OF_TOWERS,
    HOST_RECORDS_OF_DEGREES,
    HOST_RECORDS_OF_NUMBERS, // compact: they have no `store`, and a state that host_record_check makes
    HOST_RECORDS_KINDS
} HostRecords;
// How many low bits of a component's word in memory the component has. What is above holds a part of `store`: the first
// word as many of its low bits as there is room for, and so on. A record without any such room has no `store`.
static const uint8_t host_component_bits[HOST_RECORDS_KINDS][6] = {
    [HOST_RECORDS_OF_TOWERS] = {23, 24, 25, 26, 32, 32},
    [HOST_RECORDS_OF_DEGREES] = {32, 32, 32, 32, 32, 32},
    [HOST_RECORDS_OF_NUMBERS] = {32, 32, 32, 32, 32, 32},
};
#define HOST_STORE_BITS 30
#define HOST_NO_STORE   ((UINT32_C(1) << HOST_STORE_BITS) - 1) // no kernel did
// Bits first .. first + bits - 1 of `store`; in the word they begin at `at`.
typedef struct HostStorePart {
    unsigned first, bits, at;
} HostStorePart;
// The part in the word of a component, after those in the words before.
static inline HostStorePart host_next_store_part(HostRecords records, unsigned component, HostStorePart before) {
    HostStorePart part = {before.first + before.bits, 0, host_component_bits[records][component]};
    part.bits = 32 - part.at;
    if (part.bits > HOST_STORE_BITS - part.first) part.bits = HOST_STORE_BITS - part.first;
    return part;
}
static inline HostStorePart host_store_part(HostRecords records, unsigned component) {
    HostStorePart part = {0, 0, 0};
    for (unsigned i = 0; i <= component; i++) part = host_next_store_part(records, i, part);
    return part;
}
// The bits of a word in memory that are the component's.
static inline uint32_t host_component_mask(HostRecords records, unsigned component) {
    return (uint32_t)((UINT64_C(1) << host_component_bits[records][component]) - 1);
}

// The state of a compact record of a float of 1, 2 or 4 bytes: it holds 31 bits made of the float's, and stands for
// `low`, which is not written. The only other bits of a float of 4 bytes with that state differ in the sign and in the
// last bit, and in nothing else.
static inline uint32_t host_record_check(uint32_t bits) {
    return (bits ^ bits >> 31) | HOST_RECORD_VALID;
}
#define HOST_RECORD_POISON (UINT32_C(1) << 21) // TOWER_POISON; component[3] says who made it
// A set of widths has bit k for records of floats of 2^k bytes. This bit beside them says that the memory may hold
// unspecified values, which HostShadow.unspecified finds.
#define HOST_MAY_BE_UNSPECIFIED (UINT32_C(1) << 31)

// Memory that is unspecified until somebody writes it.
typedef struct HostUnfilled {
    uint64_t begin, end; // addresses
    uint32_t origin;     // who made what is read there (tower_origin)
} HostUnfilled;

// What is known of a byte that has no valid record.
typedef enum HostByte {
    HOST_BYTE_INITIAL,     // nobody wrote it: unspecified in a HostUnfilled range, else what it was before the launches
    HOST_BYTE_WRITTEN,     // something without a record was stored
    HOST_BYTE_UNSPECIFIED, // something unspecified was stored, or the byte is of an alloca and was not written yet
} HostByte;

// Where the records are. A float of 2^k bytes has one if its address a is a multiple of 2^k. Each word of a record lies
// in an array of its own, a plane: word w is at planes[k] + w * (plane_bytes >> k) + (a >> k) * 4, mod 2^64.
//
// The functions take `lanes` (1 to 64) addresses and look at those whose bit of `mask` is set; each address stands for
// the `bytes` bytes from there on. `widths` says which records there may be.
typedef struct HostShadow {
    uint64_t planes[HOST_SHADOW_WIDTHS];
    uint64_t plane_bytes;
    // Invalidates all records that share a byte with the addressed bytes. If `widths` has HOST_MAY_BE_UNSPECIFIED, the
    // bytes become HOST_BYTE_WRITTEN.
    void (*forget)(const struct HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes,
                   const uint64_t *addresses, uint64_t mask);
    uint64_t bytes;               // the HostByte of address a is at bytes + a, mod 2^64
    const HostUnfilled *unfilled; // of the launch, sorted
    uint64_t unfilled_count;
    // As forget, but for stores of unspecified values: the bytes become HOST_BYTE_UNSPECIFIED. origins[i] says who made
    // the value at addresses[i]; it is kept in component[3] of the 1-byte records there.
    void (*spoil)(const struct HostShadow *shadow, uint32_t widths, uint64_t bytes, uint32_t lanes,
                  const uint64_t *addresses, uint64_t mask, const uint32_t *origins);
    // Finds the lanes that read something unspecified: the result has a bit for each of them. origins[i] becomes who
    // made it; 0 where nobody knows.
    uint64_t (*unspecified)(const struct HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes,
                            const uint64_t *addresses, uint64_t mask, uint32_t *origins);
} HostShadow;

// ---- printing (print_tko)

typedef enum HostPrintKind {
    HOST_PRINT_INTEGER,
    HOST_PRINT_FLOAT,   // float or double
    HOST_PRINT_PAYLOAD, // the payload that stands for a float
    HOST_PRINT_POINTER,
} HostPrintKind;

// A tile that is printed.
typedef struct HostPrintValue {
    uint32_t kind; // HostPrintKind
    uint32_t bits; // of an element: 1, 4, 8, 16, 32 or 64. In memory an element has at least 8, the high ones 0
    uint32_t rank;
    const int64_t *shape; // `rank` sizes
    const void *elements; // one after the other, in row-major order
} HostPrintValue;

// One print: a text that has a conversion of printf for each value.
typedef struct HostPrint {
    const char *format; // `length` bytes; it need not end with 0
    uint64_t length;
    const HostPrintValue *values;
    uint64_t value_count;
} HostPrint;

// ---- races between blocks: what kernels compiled with `races` log of their accesses to memory

enum { HOST_ACCESS_DIMENSIONS = 24 };

// A regular grid of elements that one op accesses. Places and distances are in half bytes, because elements may have
// four bits: the place of a byte is twice its address.
typedef struct HostAccess {
    uint64_t first; // place of the first element
    uint32_t op;    // number of the op among KernelInfo.accesses
    uint32_t rank;  // how many dimensions follow; 0: one element
    int64_t size;   // of an element, in half bytes
    struct {
        int64_t count, stride; // elements (0 or less: the access has none at all); half bytes from one to the next
    } dimensions[HOST_ACCESS_DIMENSIONS];
} HostAccess;

// What an op does to its elements. Two accesses that are both ATOMIC do not race. An op that is atomic only within a
// block (scope tl_blk) does not count as ATOMIC.
enum {
    HOST_ACCESS_READS = 1,
    HOST_ACCESS_WRITES = 2,
    HOST_ACCESS_ATOMIC = 4,
    HOST_ACCESS_ACQUIRES = 8,     // the block sees what was released with the value that it reads
    HOST_ACCESS_RELEASES = 16,    // with what it writes it releases what the block has done
    HOST_ACCESS_LOOKS = 32,       // what the block does next may depend on what it reads
    HOST_ACCESS_LOGGED_LATE = 64, // it is logged after it was done: a compare-and-swap
};

struct HostLaunch;
typedef struct HostRaces {
    // Logs an access, before it is done. A compare-and-swap is logged after it, because only then it is known whether
    // it stores. `scratch` is the block's.
    void (*access)(const struct HostLaunch *launch, void *scratch, const HostAccess *access);
    const uint8_t *reads;   // for each argument: 1 if loads from its buffer are to be logged
    uint32_t reads_unknown; // 1 if loads through pointers of unknown origin are
    uint32_t stores;        // 1 if stores and atomics are
    uint32_t merges;        // 1: an op that goes through pointers may join pieces that follow one another into one
                            // access, which it logs after the last of them
} HostRaces;

// ---- decisions: what kernels compiled with CompileOptions.decisions ask

// An op that compares, chooses or rounds to an integer asks before it goes on, for `lanes` elements at once. inputs[i]
// are hashes of its operands: of their payloads in the low word, of their numbers in the high one. outcomes[i] is how
// numbers decide: an integer, or 1 for true and for the first operand, else 0. The op then goes on with what
// outcomes[i] has become.
typedef struct HostDecider {
    void (*decide)(struct HostDecider *decider, uint32_t lanes, const uint64_t *inputs, uint64_t *outcomes);
} HostDecider;

// ---- launches

// One launch; the same for all of its blocks. The caller owns it and what it points to.
typedef struct HostLaunch {
    // The arguments in order, 8 bytes each: pointers, integers (zero-extended) and the bits of floats (zero-extended).
    const uint64_t *arguments;
    // For each argument the buffer that may be accessed through it; begin = end = 0 for arguments that are no pointers.
    const HostRange *argument_ranges;
    // All buffers of the launch, sorted by begin, not overlapping: where pointers of unknown origin may point.
    const HostRange *buffers;
    uint64_t buffer_count;
    // For kernels compiled with shadow memory, as are the fields from store_base to all_widths; zero for others.
    const HostShadow *shadow;
    uint32_t grid[3];
    uint32_t store_base;                // see HostRecord.store
    const HostRecord *argument_records; // for each argument the record of its float, all zero if it has none
    // The widths of which there may be valid records: in the buffer of each argument, and in any buffer.
    const uint32_t *argument_widths;
    uint32_t all_widths;
    // Kernels call it for each print, on the thread that runs block (x, y, z). `print` and what it points to last for
    // the call. host_print.h makes text of it. NULL: prints do nothing. The kernel does not touch `printer`.
    void (*print)(const struct HostLaunch *launch, uint32_t x, uint32_t y, uint32_t z, const HostPrint *print);
    void *printer;
    // Where the globals of the kernel's module are, in its order. NULL: they are data of the object file that the
    // kernel is in. Kernels compiled into memory have no such data.
    const HostRange *globals;
    // Kernels call it in each iteration of a loop in which they may wait for another block. If the result is not 0 the
    // block stops and returns 0. NULL: the loop goes on for as long as it takes. The kernel does not touch `waiter`.
    uint32_t (*wait)(const struct HostLaunch *launch);
    void *waiter;
    // For kernels that find unspecified values in shadow memory. NULL: nobody asks. There is a word for each of the
    // kernel's KernelInfo.stores, all ones at first. When an op of these depends on an unspecified value, its word
    // becomes the minimum of itself and
    //   (linear id of the block << HOST_USE_ORIGIN_BITS) + who made the value (tower_origin; 0: the code cannot know).
    // The word of an op that decides (KernelStore.decides) is the address of its HostDecider.
    uint64_t *uses;
    // For kernels compiled with `races`, which need it.
    const HostRaces *races;
    // For kernels that have parts (base/block_abi.h): a BlockOperation, the number of its place (KernelInfo.places), and
    // its operands. It does not return if the operation fails.
    uint64_t (*operate)(const struct HostLaunch *launch, uint32_t operation, uint32_t place, const uint64_t *operands,
                        uint32_t count);
} HostLaunch;

// What went wrong in a block. The kernel fills it in where it returns the number of a site.
typedef struct HostFault {
    uint64_t address; // the first address of an access outside its buffer; a pointer that is not as assumed; else 0
    int64_t found;    // an index outside its space; a byte count; an offset into an alloca; the failed element of an
                      // assertion; an integer that is not as assumed
    int64_t limit;    // the first index, size or offset that is not allowed; the number of an element not as assumed
} HostFault;

// Runs block (x, y, z). `scratch` is memory of at least the size that the kernel states, aligned to 64 bytes; no other
// block may use it meanwhile. Returns 0, or 1 + the number of the site that failed: the block has then stopped, and its
// stores until then stay.
typedef uint32_t HostEntry(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                           HostFault *fault);

// How a site fails.
typedef enum HostSiteKind {
    HOST_SITE_BOUNDS,   // an access outside the buffer
    HOST_SITE_VIEW,     // a tensor view that does not fit the buffer of its base
    HOST_SITE_INDEX,    // a tile index outside the index space of a view
    HOST_SITE_ASSERT,   // an assertion of the kernel that is false
    HOST_SITE_STEP,     // a loop step that is not positive
    HOST_SITE_DIVIDE,   // integer division by zero, or with overflow
    HOST_SITE_INBOUNDS, // a tile that sticks out of the tensor, though the op says that it does not (`inbounds`)
    HOST_SITE_LOCAL,    // an access outside an alloca, or a tensor view that does not fit it
    HOST_SITE_ROUNDS,   // the loops of the block make more iterations than they may (--rounds)
    HOST_SITE_ASSUME,   // an assumption that does not hold (only in code that checks them)
    HOST_SITE_SLICE,    // the number of a slice that the tile does not have
    HOST_SITE_GATHER,   // the number of an element that a gather's source does not have
    HOST_SITE_KINDS
} HostSiteKind;

#endif
