# SPDX-License-Identifier: Apache-2.0
# Atomic updates: each mode of each type, each order and scope, compare and swap, by view; and ordered loads and stores.
import cuda.tile as ct
from export import array

O, S = ct.MemoryOrder, ct.MemoryScope
SCOPES = S.BLOCK, S.DEVICE, S.SYS
PAIRS = (O.RELAXED, S.BLOCK), (O.ACQUIRE, S.DEVICE), (O.RELEASE, S.SYS), (O.ACQ_REL, S.BLOCK), (O.RELAXED, S.SYS), (O.ACQ_REL, S.DEVICE)


@ct.kernel
def numbers(x, places, y):
    p = ct.load(places, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    a = ct.atomic_add(x, p, b) + ct.atomic_max(x, p, b * 9) - ct.atomic_min(x, p, b + 2)
    ct.store(y, index=(0,), tile=a + ct.atomic_xchg(x, p, a))


@ct.kernel
def bits(x, places, y):
    p = ct.load(places, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    a = ct.atomic_and(x, p, b) ^ ct.atomic_or(x, p, ~b) ^ ct.atomic_xor(x, p, b, check_bounds=False)
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def sums(x, places, y):
    p = ct.load(places, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.atomic_add(x, p, ct.load(y, index=(0,), shape=(8,))))


@ct.kernel
def swapped(x, places, y):
    p = ct.load(places, index=(0,), shape=(8,))
    a = ct.load(y, index=(0,), shape=(8,))
    old = ct.atomic_cas(x, p, 0, a) + ct.atomic_cas(x, p, a, 1, check_bounds=False)
    ct.store(y, index=(0,), tile=old + ct.atomic_xchg(x, p, a))


@ct.kernel
def every_order(x, y):
    lane = ct.arange(8, dtype=ct.int32)
    total = ct.zeros((8,), ct.int32)
    for order, scope in ct.static_iter(PAIRS):
        total += ct.atomic_add(x, lane, 1, check_bounds=False, memory_order=order, memory_scope=scope)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def every_swap(x, y):
    lane = ct.arange(8, dtype=ct.int32)
    total = ct.zeros((8,), ct.int64)
    for order, scope in ct.static_iter(PAIRS):
        total += ct.atomic_cas(x, lane, 1, 2, check_bounds=False, memory_order=order, memory_scope=scope)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def every_load(x, y):
    total = ct.zeros((8,), ct.float32)
    for order in ct.static_iter((O.RELAXED, O.ACQUIRE)):
        for scope in ct.static_iter(SCOPES):
            total += ct.load(x, index=(0,), shape=(8,), memory_order=order, memory_scope=scope)
    for order in ct.static_iter((O.RELAXED, O.RELEASE)):
        for scope in ct.static_iter(SCOPES):
            ct.store(y, index=(0,), tile=total, memory_order=order, memory_scope=scope)


@ct.kernel
def by_offset(x, y):
    memory = x.get_raw_memory()
    offset = ct.arange(8, dtype=ct.int32)
    few = offset < 5
    a = memory.atomic_add_offset(offset, 1, mask=few) + memory.atomic_max_offset(offset, offset)
    a -= memory.atomic_min_offset(offset, 3, memory_order=O.RELEASE) + memory.atomic_xchg_offset(0, 7)
    a ^= memory.atomic_and_offset(offset, 6) ^ memory.atomic_or_offset(offset, 8, memory_scope=S.SYS)
    a |= memory.atomic_xor_offset(offset, 1, mask=few) & memory.atomic_cas_offset(offset, 2, a, mask=few)
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def into_tiles(x, y):
    """Updates of a whole tile of a view."""
    a = ct.load(x, index=(ct.bid(0), 0), shape=(4, 8))
    view = y.tiled_view((4, 8))
    view.atomic_store_add((ct.bid(0), ct.bid(1)), a)
    view.atomic_store_max((ct.bid(0), ct.bid(1)), a)
    view.atomic_store_min((ct.bid(0), ct.bid(1)), a)
    view.atomic_store_and((ct.bid(0), ct.bid(1)), a)
    view.atomic_store_or((ct.bid(0), ct.bid(1)), a)
    view.atomic_store_xor((ct.bid(0), ct.bid(1)), a)


@ct.kernel
def added_into_tiles(x, y):
    a = ct.load(x, index=(ct.bid(0), 0), shape=(4, 8))
    y.tiled_view((4, 8)).atomic_store_add((0, ct.bid(1)), a)
    y.tiled_view((4, 8), traversal_steps=(2, 8)).atomic_store_add((ct.bid(0), 0), a)


@ct.kernel
def lock(turn, x, y, n: int):
    """One block after the other: a lock that is taken by compare and swap and given back by exchange."""
    for _ in range(n):
        while ct.atomic_cas(turn, 0, 0, 1, memory_order=O.ACQUIRE) == 1:
            pass
        total = ct.load(y, index=(0,), shape=(8,)) + ct.load(x, index=(ct.bid(0),), shape=(8,))
        ct.store(y, index=(0,), tile=total)
        ct.atomic_xchg(turn, 0, 0, memory_order=O.RELEASE)


@ct.kernel
def ticket(counter, x, y):
    """Work is taken from a counter; the last one to come adds up."""
    mine = ct.atomic_add(counter, 0, 1, memory_order=O.RELAXED)
    a = ct.load(x, index=(mine,), shape=(8,))
    ct.store(y, index=(mine + 1,), tile=a * 2.0, memory_order=O.RELEASE, memory_scope=S.DEVICE)
    if ct.atomic_add(counter, 1, 1) == ct.num_blocks(0) - 1:
        total = ct.zeros((8,), ct.float32)
        for i in range(ct.num_blocks(0)):
            total += ct.load(y, index=(i + 1,), shape=(8,), memory_order=O.ACQUIRE, memory_scope=S.DEVICE)
        ct.store(y, index=(0,), tile=total)


def updated(dtype):
    return [array(dtype, 1), array(ct.int32, 1), array(dtype, 1)]


EXPORTS = {
    "numbers_i32": (numbers, updated(ct.int32)),
    "numbers_u64": (numbers, updated(ct.uint64)),
    "bits_i64_atomic": (bits, updated(ct.int64)),
    "bits_u32_atomic": (bits, updated(ct.uint32)),
    "sums_f16": (sums, updated(ct.float16)),
    "sums_bf16": (sums, updated(ct.bfloat16)),
    "sums_f32": (sums, updated(ct.float32)),
    "sums_f64": (sums, updated(ct.float64)),
    "swapped_i32": (swapped, updated(ct.int32)),
    "swapped_f32": (swapped, updated(ct.float32)),
    "swapped_f64": (swapped, updated(ct.float64)),
    "every_order": (every_order, [array(ct.int32, 1), array(ct.int32, 1)]),
    "every_swap": (every_swap, [array(ct.int64, 1), array(ct.int64, 1)]),
    "every_load": (every_load, [array(ct.float32, 1), array(ct.float32, 1)]),
    "by_offset_atomic": (by_offset, [array(ct.int32, 1), array(ct.int32, 1)]),
    "into_tiles_i32": (into_tiles, [array(ct.int32, 2), array(ct.int32, 2)]),
    "into_tiles_u64": (into_tiles, [array(ct.uint64, 2), array(ct.uint64, 2)]),
    "added_into_tiles": (added_into_tiles, [array(ct.float32, 2), array(ct.float32, 2)]),
    "added_into_tiles_f16": (added_into_tiles, [array(ct.float16, 2), array(ct.float16, 2)]),
    "added_into_tiles_bf16": (added_into_tiles, [array(ct.bfloat16, 2), array(ct.bfloat16, 2)]),
    "added_into_tiles_f64": (added_into_tiles, [array(ct.float64, 2), array(ct.float64, 2)]),
    "lock": (lock, [array(ct.int32, 1), array(ct.float32, 1), array(ct.float32, 1), ct.int32]),
    "ticket": (ticket, [array(ct.int32, 1), array(ct.float32, 1), array(ct.float32, 1)]),
}
