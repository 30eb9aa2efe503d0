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

// One launch; the same for all of its blocks.
typedef struct HostLaunch {
    // The arguments in order, each 8 bytes: pointers, integers (zero-extended) and the bits of floats (zero-extended).
    const uint64_t *arguments;
    // For each argument the buffer it may be used to touch; begin = end = 0 for arguments that are not pointers.
    const HostRange *argument_ranges;
    // All buffers of the launch, sorted by begin, not overlapping: where pointers of unknown origin may point.
    const HostRange *buffers;
    uint64_t buffer_count;
    // Bytes from an address to its record in the shadow plane; 0 where the kernel was compiled without one.
    int64_t shadow_displacement;
    uint32_t grid[3];
    uint32_t reserved;
} HostLaunch;

// What went wrong in a block: filled by the kernel when it returns a site other than 0.
typedef struct HostFault {
    uint64_t address; // of an access outside its buffer: the first address; else 0
    int64_t found;    // an index outside its space; a byte count; the failed element of an assertion
    int64_t limit;    // the first index or size that is not allowed
} HostFault;

// Runs block (x, y, z). `scratch` is 64-byte aligned memory of at least the size the kernel states, owned by the
// calling thread. Returns 0, or 1 + the number of the site that failed; the block has then stopped and its stores so
// far stay.
typedef uint32_t HostEntry(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                           HostFault *fault);

// A place in a kernel that can fail.
typedef enum HostSiteKind {
    HOST_SITE_BOUNDS, // an access outside the buffer
    HOST_SITE_VIEW,   // a tensor view that does not fit the buffer of its base
    HOST_SITE_INDEX,  // a tile index outside the index space
    HOST_SITE_ASSERT, // an assertion
    HOST_SITE_STEP,   // a loop step that is not positive
    HOST_SITE_DIVIDE, // integer division by zero or overflow
} HostSiteKind;

#endif
