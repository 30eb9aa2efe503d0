// SPDX-License-Identifier: Apache-2.0
// Shared by the files of copy engines: what their instructions have in common.
#ifndef CONGRUENT_WARP_COPY_H
#define CONGRUENT_WARP_COPY_H

#include "runtime/warp_tensor.h"

// detail[2] and detail[3] of bulk copies (base/warp_operations.def).
enum { WARP_COPY_PREFETCHES, WARP_COPY_COMPLETES, WARP_COPY_GROUPS };
enum { WARP_COPY_MULTICAST = 1, WARP_COPY_PAIR = 2, WARP_COPY_CLUSTER = 4, WARP_COPY_BYTE_MASK = 8 };

// ---- warp_copy.c ----------------------------------------------------------------------------------------------------

// Does not return if the flags or the mask name blocks beside the only one of the cluster.
void warp_check_blocks(const WarpCall *call, const WarpSide *side, uint32_t flags, uint64_t mask);
// What an asynchronous operation of the side's lanes does.
WarpDeed warp_lane_deed(const WarpCall *call, const WarpSide *side, uint32_t flags, WarpTicket ticket);

// ---- warp_reduce.c: reductions by the type that a tensor map says ---------------------------------------------------

// The function for one element; NULL: there is none.
WarpCombine *warp_map_combine(const KernelInfo *kernel, RtMapType type, WarpReduction reduction);

#endif
