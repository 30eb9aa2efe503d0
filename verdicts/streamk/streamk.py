# SPDX-License-Identifier: Apache-2.0
# Work that is split over blocks and put together again: by a second launch, by locks, by flags, by who comes last.
import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
ACQUIRE, RELEASE, BOTH = ct.MemoryOrder.ACQUIRE, ct.MemoryOrder.RELEASE, ct.MemoryOrder.ACQ_REL


# ---- z = x y ---------------------------------------------------------------------------------------------------------
@ct.kernel
def product(x, y, z, TM: Const, TN: Const, TK: Const):
    """Grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


@ct.kernel
def shares(x, y, parts, SHARE: Const, TM: Const, TN: Const, TK: Const):
    """SHARE inner steps, no more than a tile has: what falls to a first tile, and to a second one; grid (programs)."""
    p = ct.bid(0)
    columns, steps = ct.cdiv(y.shape[1], TN), ct.cdiv(x.shape[1], TK)
    total = ct.cdiv(x.shape[0], TM) * columns * steps
    first, last = p * SHARE, min((p + 1) * SHARE, total)
    change = min((first // steps + 1) * steps, last)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for step in range(first, change):
        tile, k = step // steps, step % steps
        a = ct.load(x, index=(tile // columns, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, tile % columns), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(parts, index=(2 * p, 0, 0), tile=acc.reshape((1, TM, TN)))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for step in range(change, last):
        tile, k = step // steps, step % steps
        a = ct.load(x, index=(tile // columns, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, tile % columns), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(parts, index=(2 * p + 1, 0, 0), tile=acc.reshape((1, TM, TN)))


@ct.kernel
def put_together(parts, z, steps: int, SHARE: Const, TM: Const, TN: Const):
    """Each tile from the programs that had a share of it; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    tile = i * ct.num_blocks(1) + j
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for p in range(tile * steps // SHARE, ct.cdiv((tile + 1) * steps, SHARE)):
        slot = 2 * p
        if p * SHARE // steps < tile:
            slot = 2 * p + 1
        acc = acc + ct.load(parts, index=(slot, 0, 0), shape=(1, TM, TN)).reshape((TM, TN))
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def flagged(x, y, parts, ready, z, SHARE: Const, TM: Const, TN: Const, TK: Const):
    """SHARE inner steps, at least those of a tile: who begins a tile waits for the one that ends it; grid (programs)."""
    p = ct.bid(0)
    columns, steps = ct.cdiv(z.shape[1], TN), ct.cdiv(x.shape[1], TK)
    total = ct.cdiv(z.shape[0], TM) * columns * steps
    first, last = p * SHARE, min((p + 1) * SHARE, total)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for step in range(first, last):
        tile, k = step // steps, step % steps
        i, j = tile // columns, tile % columns
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
        if k == steps - 1:
            if step - first < steps - 1:
                ct.store(parts, index=(p, 0, 0), tile=acc.reshape((1, TM, TN)))
                ct.atomic_xchg(ready, p, 1, memory_order=RELEASE)
            else:
                ct.store(z, index=(i, j), tile=acc)
            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        elif step == last - 1:
            while ct.atomic_cas(ready, p + 1, 1, 1, memory_order=ACQUIRE) == 0:
                pass
            rest = ct.load(parts, index=(p + 1, 0, 0), shape=(1, TM, TN)).reshape((TM, TN))
            ct.store(z, index=(i, j), tile=acc + rest)


@ct.kernel
def in_turn(x, y, lock, z, SPLIT: Const, TM: Const, TN: Const, TK: Const):
    """The inner steps in SPLIT shares, each added to z in its turn; grid (row blocks, column blocks, SPLIT)."""
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    share = ct.cdiv(steps, SPLIT)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(s * share, min((s + 1) * share, steps)):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    while ct.atomic_cas(lock, (i, j), s, s, memory_order=ACQUIRE) != s:
        pass
    if s > 0:
        acc = acc + ct.load(z, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(z, index=(i, j), tile=acc)
    ct.atomic_xchg(lock, (i, j), s + 1, memory_order=RELEASE)


@ct.kernel
def last_adds(x, y, parts, count, z, SPLIT: Const, TM: Const, TN: Const, TK: Const):
    """Shares in a workspace; the block that comes last adds them and clears the count."""
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    share = ct.cdiv(steps, SPLIT)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(s * share, min((s + 1) * share, steps)):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(parts, index=(s, i, j), tile=acc.reshape((1, TM, TN)))
    if ct.atomic_add(count, (i, j), 1, memory_order=BOTH) == SPLIT - 1:
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for t in range(SPLIT):
            acc = acc + ct.load(parts, index=(t, i, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        ct.store(z, index=(i, j), tile=acc)
        ct.atomic_xchg(count, (i, j), 0, memory_order=RELEASE)


@ct.kernel
def persistent(x, y, z, TM: Const, TN: Const, TK: Const):
    """Each program takes every n-th tile and goes on in one loop of inner steps; grid (n programs)."""
    columns, steps = ct.cdiv(z.shape[1], TN), ct.cdiv(x.shape[1], TK)
    tiles, n = ct.cdiv(z.shape[0], TM) * columns, ct.num_blocks(0)
    mine = (tiles - ct.bid(0) + n - 1) // n
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    tile, k = ct.bid(0), 0
    for _ in range(mine * steps):
        i, j = tile // columns, tile % columns
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
        k = k + 1
        if k == steps:
            ct.store(z, index=(i, j), tile=acc.astype(z.dtype))
            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
            tile, k = tile + n, 0


@ct.kernel
def hybrid(x, y, z, WHOLE: Const, SHARE: Const, TM: Const, TN: Const, TK: Const):
    """The first WHOLE tiles one by one, the others in shares that are added; z is zero before; grid (programs)."""
    columns, steps = ct.cdiv(z.shape[1], TN), ct.cdiv(x.shape[1], TK)
    total = ct.cdiv(z.shape[0], TM) * columns * steps
    first, last = ct.bid(0) * steps, (ct.bid(0) + 1) * steps
    if ct.bid(0) >= WHOLE:
        first = WHOLE * steps + (ct.bid(0) - WHOLE) * SHARE
        last = min(first + SHARE, total)
    row, column = ct.arange(TM, dtype=ct.int32).reshape((TM, 1)), ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for step in range(first, last):
        tile, k = step // steps, step % steps
        i, j = tile // columns, tile % columns
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
        if k == steps - 1 or step == last - 1:
            ct.atomic_add(z, (i * TM + row, j * TN + column), acc)
            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)


# ---- with a bias, a gate and a residual behind it --------------------------------------------------------------------
@ct.kernel
def with_epilogue(x, y, bias, r, z, TM: Const, TN: Const, TK: Const):
    """z = r + silu(x y + bias)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    acc = acc + ct.load(bias, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    rt = ct.load(r, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(z, index=(i, j), tile=rt + acc / (1.0 + ct.exp(-acc)))


@ct.kernel
def split_biased(x, y, bias, parts, SPLIT: Const, TM: Const, TN: Const, TK: Const):
    """Every SPLIT-th inner step; the first share begins with the bias; grid (row blocks, column blocks, SPLIT)."""
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    if s == 0:
        acc = acc + ct.load(bias, index=(j,), shape=(TN,), padding_mode=ZERO).reshape((1, TN))
    for k in range(s, ct.num_tiles(x, axis=1, shape=(TM, TK)), SPLIT):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(parts, index=(s, i, j), tile=acc.reshape((1, TM, TN)))


@ct.kernel
def epilogue(parts, r, z, TM: Const, TN: Const):
    """r + the sum of the parts times its sigmoid, z may be r; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for s in range(parts.shape[0]):
        acc = acc + ct.load(parts, index=(s, i, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    gate = 1.0 / (1.0 + ct.exp2(acc * -1.44269504))
    ct.store(z, index=(i, j), tile=ct.load(r, index=(i, j), shape=(TM, TN), padding_mode=ZERO) + acc * gate)


# ---- rows ------------------------------------------------------------------------------------------------------------
@ct.kernel
def norm_rows(x, w, y, eps: float, D: Const):
    """RMS norm of one row; D at least its length; grid (rows)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(1, D), padding_mode=ZERO)
    wt = ct.load(w, index=(0,), shape=(D,), padding_mode=ZERO).reshape((1, D))
    ct.store(y, index=(i, 0), tile=xt * ct.rsqrt(ct.sum(xt * xt) / x.shape[1] + eps) * wt)


@ct.kernel
def norm_split(x, w, sums, count, y, eps: float, T: Const):
    """Column blocks; the block that comes last to a row normalises all of it; grid (column blocks, rows)."""
    j, i = ct.bid(0), ct.bid(1)
    xt = ct.load(x, index=(i, j), shape=(1, T), padding_mode=ZERO)
    ct.store(sums, index=(i, j), tile=ct.sum(xt * xt, axis=1, keepdims=True))
    if ct.atomic_add(count, i, 1, memory_order=BOTH) == ct.num_blocks(0) - 1:
        total = ct.full((1, 1), 0.0, dtype=ct.float32)
        for k in range(ct.num_blocks(0)):
            total = total + ct.load(sums, index=(i, k), shape=(1, 1))
        root = ct.sqrt(total / x.shape[1] + eps)
        for k in range(ct.num_blocks(0)):
            xt = ct.load(x, index=(i, k), shape=(1, T), padding_mode=ZERO)
            wt = ct.load(w, index=(k,), shape=(T,), padding_mode=ZERO).reshape((1, T))
            ct.store(y, index=(i, k), tile=xt * wt / root)


@ct.kernel
def log_sum_rows(x, y, D: Const):
    """log of the sum of e^x of each row; grid (rows)."""
    i = ct.bid(0)
    there = ct.arange(D, dtype=ct.int32).reshape((1, D)) < x.shape[1]
    xt = ct.where(there, ct.load(x, index=(i, 0), shape=(1, D), padding_mode=ZERO), -float("inf"))
    m = ct.max(xt)
    ct.store(y, index=(i,), tile=(m + ct.log(ct.sum(ct.exp(xt - m)))).reshape((1,)))


@ct.kernel
def log_sum_split(x, most, sums, count, y, T: Const, B: Const):
    """Column blocks; the block that comes last to a row merges maxima and sums; B at least the number of blocks."""
    j, i = ct.bid(0), ct.bid(1)
    there = j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)) < x.shape[1]
    xt = ct.where(there, ct.load(x, index=(i, j), shape=(1, T), padding_mode=ZERO), -float("inf"))
    m = ct.max(xt, axis=1, keepdims=True)
    ct.store(most, index=(i, j), tile=m)
    ct.store(sums, index=(i, j), tile=ct.sum(ct.exp(xt - m), axis=1, keepdims=True))
    if ct.atomic_add(count, i, 1, memory_order=BOTH) == ct.num_blocks(0) - 1:
        used = ct.arange(B, dtype=ct.int32).reshape((1, B)) < ct.num_blocks(0)
        mt = ct.where(used, ct.load(most, index=(i, 0), shape=(1, B), padding_mode=ZERO), -float("inf"))
        st = ct.load(sums, index=(i, 0), shape=(1, B), padding_mode=ZERO)
        top = ct.max(mt, axis=1, keepdims=True)
        total = ct.sum(st * ct.exp(mt - top), axis=1, keepdims=True)
        ct.store(y, index=(i,), tile=(top + ct.log(total)).reshape((1,)))


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
H2, I1, I2 = array(ct.float16, 2), array(ct.int32, 1), array(ct.int32, 2)
TILES = [16, 16, 16]
KERNELS = {
    "product": (product, [H2, H2, F2, *TILES]),
    "product_small": (product, [H2, H2, F2, 8, 32, 16]),
    "shares": (shares, [H2, H2, F3, 4, *TILES]),
    "put_together": (put_together, [F3, F2, ct.int32, 4, 16, 16]),
    "flagged": (flagged, [H2, H2, F3, I1, F2, 7, *TILES]),
    "in_turn": (in_turn, [H2, H2, I2, F2, 3, *TILES]),
    "last_adds": (last_adds, [H2, H2, F3, I2, F2, 3, *TILES]),
    "persistent": (persistent, [H2, H2, F2, *TILES]),
    "hybrid": (hybrid, [H2, H2, F2, 8, 3, *TILES]),
    "with_epilogue": (with_epilogue, [H2, H2, F1, F2, F2, *TILES]),
    "split_biased": (split_biased, [H2, H2, F1, F3, 3, *TILES]),
    "epilogue": (epilogue, [F3, F2, F2, 8, 32]),
    "norm_rows": (norm_rows, [F2, F1, F2, ct.float32, 512]),
    "norm_split": (norm_split, [F2, F1, F2, I1, F2, ct.float32, 64]),
    "log_sum_rows": (log_sum_rows, [F2, F1, 512]),
    "log_sum_split": (log_sum_split, [F2, F2, F2, I1, F1, 64, 8]),
}

SHAPE = {"X": buffer("f16", [40, "K"], NORMAL), "Y": buffer("f16", ["K", 56], NORMAL), "Z": buffer("f32", [40, 56])}
# Inner steps of 16: ragged, whole, with one element in the last, a single one, one element.
SIZES = {"K": [72, 80, 65, 16, 1]}
STEPS = "cdiv(K, 16)"
PROGRAMS = f"cdiv(12 * {STEPS}, 7)"
PLAIN = [run("product", (3, 4), "X", "Y", "Z")]
SMALL = [run("product_small", (5, 2), "X", "Y", "Z")]
# Rows in blocks of 64, at most 8 of them.
WIDTHS = {"C": [450, 512, 449, 64, 1]}
LONG = {"X": buffer("f32", [5, "C"], NORMAL), "COUNT": buffer("i32", [5], "zeros")}

PAIRS = [
    pair(
        "fix_up",
        "a product, and equal shares of inner steps that a second launch puts together",
        {**SHAPE, "PARTS": buffer("f32", [f"6 * {STEPS}", 16, 16])},
        PLAIN,
        [
            run("shares", (f"3 * {STEPS}",), "X", "Y", "PARTS"),
            run("put_together", (3, 4), "PARTS", "Z", f"i32 {STEPS}"),
        ],
        ["Z"],
        [
            mutant(
                "slot",
                "put_together",
                "p * SHARE // steps < tile",
                "p * SHARE // steps <= tile",
                "always the second part",
            ),
            mutant(
                "last",
                "put_together",
                "ct.cdiv((tile + 1) * steps, SHARE)",
                "(tile + 1) * steps // SHARE",
                "the last program of a tile is left out",
            ),
            mutant(
                "not_reset",
                "shares",
                "tile=acc.reshape((1, TM, TN)))\n    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n",
                "tile=acc.reshape((1, TM, TN)))\n",
                "the accumulator is not reset for the second tile",
            ),
            mutant(
                "change",
                "shares",
                "(first // steps + 1) * steps",
                "(first // steps + 1) * steps + 1",
                "the first tile takes a step of the second",
            ),
            launched("programs", "grid: [3 * cdiv(K, 16)]", "grid: [3 * cdiv(K, 16) - 1]", "one program too few"),
            mutant(
                "one_element",
                "shares",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "shares"),
        parameters={"K": [72, 80, 65, 64]},
    ),
    pair(
        "flags",
        "a product, and shares of inner steps where who begins a tile waits for who ends it",
        {**SHAPE, "PARTS": buffer("f32", [PROGRAMS, 16, 16]), "READY": buffer("i32", [PROGRAMS], "zeros")},
        SMALL,
        [run("flagged", (PROGRAMS,), "X", "Y", "PARTS", "READY", "Z")],
        ["Z"],
        [
            mutant(
                "no_wait",
                "flagged",
                "            while ct.atomic_cas(ready, p + 1, 1, 1, memory_order=ACQUIRE) == 0:\n                pass\n",
                "",
                "nobody waits",
            ),
            mutant(
                "own",
                "flagged",
                "ct.load(parts, index=(p + 1, 0, 0)",
                "ct.load(parts, index=(p, 0, 0)",
                "the own part, not the next one's",
            ),
            mutant("not_added", "flagged", "tile=acc + rest", "tile=rest", "only the rest is stored"),
            mutant(
                "not_reset",
                "flagged",
                "                ct.store(z, index=(i, j), tile=acc)\n            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n",
                "                ct.store(z, index=(i, j), tile=acc)\n",
                "the accumulator is not reset for the next tile",
            ),
            mutant(
                "one_element",
                "flagged",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "flags"),
        parameters=SIZES,
    ),
    pair(
        "in_turn",
        "a product, and shares of the inner dimension that add to the result in turn",
        {**SHAPE, "LOCK": buffer("i32", [3, 4], "zeros")},
        PLAIN,
        [run("in_turn", (3, 4, 3), "X", "Y", "LOCK", "Z")],
        ["Z"],
        [
            mutant("overwritten", "in_turn", "if s > 0:", "if s > 1:", "the second share replaces the first"),
            mutant("share", "in_turn", "ct.cdiv(steps, SPLIT)", "steps // SPLIT", "the share is rounded down"),
            mutant(
                "unlocked",
                "in_turn",
                "    while ct.atomic_cas(lock, (i, j), s, s, memory_order=ACQUIRE) != s:\n        pass\n",
                "",
                "nobody waits for its turn",
            ),
            mutant(
                "column",
                "in_turn",
                "acc + ct.load(z, index=(i, j)",
                "acc + ct.load(z, index=(i, 0)",
                "the first column block is added",
            ),
            mutant(
                "one_element",
                "in_turn",
                "ct.num_tiles(x, axis=1, shape=(TM, TK))",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "turns"),
        parameters=SIZES,
    ),
    pair(
        "last_adds",
        "a product, and shares of the inner dimension that the block which comes last adds",
        {**SHAPE, "PARTS": buffer("f32", [3, 40, 56]), "COUNT": buffer("i32", [3, 4], "zeros")},
        SMALL,
        [run("last_adds", (3, 4, 3), "X", "Y", "PARTS", "COUNT", "Z")],
        ["Z"],
        [
            mutant(
                "early",
                "last_adds",
                "memory_order=BOTH) == SPLIT - 1",
                "memory_order=BOTH) == SPLIT - 2",
                "the last block but one adds",
            ),
            mutant(
                "parts", "last_adds", "for t in range(SPLIT)", "for t in range(SPLIT - 1)", "the last part is left out"
            ),
            mutant(
                "twice",
                "last_adds",
                "        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n        for t",
                "        for t",
                "the own part twice",
            ),
            mutant(
                "overlap",
                "last_adds",
                "min((s + 1) * share, steps)",
                "min((s + 1) * share + 1, steps)",
                "shares overlap by a step",
            ),
            mutant(
                "one_element",
                "last_adds",
                "ct.num_tiles(x, axis=1, shape=(TM, TK))",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "last"),
        parameters=SIZES,
    ),
    pair(
        "persistent",
        "a product, and five programs that take every fifth tile in one loop",
        SHAPE,
        PLAIN,
        [run("persistent", (5,), "X", "Y", "Z")],
        ["Z"],
        [
            mutant(
                "not_reset",
                "persistent",
                "            acc = ct.full((TM, TN), 0.0, dtype=ct.float32)\n            tile",
                "            tile",
                "the accumulator is not reset for the next tile",
            ),
            mutant(
                "block",
                "persistent",
                "ct.load(x, index=(i, k)",
                "ct.load(x, index=(i, 0)",
                "always the first inner block",
            ),
            mutant(
                "stale",
                "persistent",
                "ct.load(y, index=(k, j)",
                "ct.load(y, index=(k, ct.bid(0) % columns)",
                "the first tile's column for all",
            ),
            mutant(
                "index",
                "persistent",
                "ct.load(y, index=(k, j)",
                "ct.load(y, index=(k, i)",
                "the row block for the column block",
            ),
            mutant(
                "one_element",
                "persistent",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("plain", "persistent"),
        parameters=SIZES,
    ),
    pair(
        "hybrid",
        "a product in turn, and eight tiles whole with the others in shares that are added",
        {**SHAPE, "Z": buffer("f32", [40, 56], "zeros"), "LOCK": buffer("i32", [3, 4], "zeros")},
        [run("in_turn", (3, 4, 3), "X", "Y", "LOCK", "Z")],
        [run("hybrid", (f"8 + cdiv(4 * {STEPS}, 3)",), "X", "Y", "Z")],
        ["Z"],
        [
            mutant("overlap", "hybrid", "first = WHOLE * steps + ", "first = WHOLE * steps - steps + ", "a tile twice"),
            mutant(
                "lost",
                "hybrid",
                "k == steps - 1 or step == last - 1",
                "k == steps - 1",
                "what a program has begun is not added",
            ),
            mutant(
                "end",
                "hybrid",
                "min(first + SHARE, total)",
                "min(first + SHARE - 1, total)",
                "a step of each share is left out",
            ),
            launched("programs", "3)]", "3) - 1]", "one program too few"),
            mutant(
                "one_element",
                "hybrid",
                "ct.cdiv(x.shape[1], TK)",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("turns", "hybrid"),
        parameters=SIZES,
    ),
    pair(
        "epilogue",
        "a product with bias, SiLU and residual, and split with the bias in the first share, the rest in place",
        {
            **SHAPE,
            "BIAS": buffer("f32", [56], NORMAL),
            "R": buffer("f32", [40, 56], NORMAL),
            "PARTS": buffer("f32", [3, 40, 56]),
        },
        [run("with_epilogue", (3, 4), "X", "Y", "BIAS", "R", "Z")],
        [run("split_biased", (3, 4, 3), "X", "Y", "BIAS", "PARTS"), run("epilogue", (5, 2), "PARTS", "R", "Z")],
        ["Z"],
        [
            mutant("bias", "split_biased", "if s == 0:", "if s >= 0:", "each share begins with the bias"),
            mutant(
                "each",
                "epilogue",
                "acc = acc + ct.load(parts",
                "acc = acc / (1.0 + ct.exp(-acc)) + ct.load(parts",
                "the gate for each share",
            ),
            mutant("steps", "split_biased", "TK)), SPLIT)", "TK)), SPLIT + 1)", "every fourth step"),
            mutant("gate", "epilogue", "acc * -1.44269504", "acc * 1.44269504", "1 - sigmoid"),
            mutant(
                "one_element",
                "split_biased",
                "ct.num_tiles(x, axis=1, shape=(TM, TK))",
                "ct.cdiv(x.shape[1] - 1, TK)",
                "a last step with a single element is skipped",
            ),
        ],
        names=("whole", "split"),
        parameters=SIZES,
    ),
    pair(
        "norm",
        "an RMS norm of rows, and of column blocks of which the last one normalises",
        {
            **LONG,
            "W": buffer("f32", ["C"], NORMAL),
            "SUMS": buffer("f32", [5, "cdiv(C, 64)"]),
            "Y": buffer("f32", [5, "C"]),
        },
        [run("norm_rows", (5,), "X", "W", "Y", "f32 1e-5")],
        [run("norm_split", ("cdiv(C, 64)", 5), "X", "W", "SUMS", "COUNT", "Y", "f32 1e-5")],
        ["Y"],
        [
            mutant(
                "own",
                "norm_split",
                "ct.load(sums, index=(i, k)",
                "ct.load(sums, index=(i, j)",
                "the own sum for each block's",
            ),
            mutant(
                "weights",
                "norm_split",
                "ct.load(w, index=(k,)",
                "ct.load(w, index=(j,)",
                "the own block's weights for all",
            ),
            mutant(
                "row",
                "norm_split",
                "ct.store(sums, index=(i, j)",
                "ct.store(sums, index=(0, j)",
                "all rows' sums in the first row",
            ),
            mutant(
                "mean",
                "norm_split",
                "total / x.shape[1]",
                "total / (T * ct.num_blocks(0))",
                "divided by the padded length",
            ),
            launched(
                "one_column",
                "grid: [cdiv(C, 64)",
                "grid: [max(cdiv(C - 1, 64), 1)",
                "a last block with a single column is skipped",
            ),
        ],
        names=("rows", "blocks"),
        parameters=WIDTHS,
    ),
    pair(
        "log_sum",
        "logarithms of sums of exponentials of rows, and of column blocks of which the last one merges",
        {
            **LONG,
            "MOST": buffer("f32", [5, "cdiv(C, 64)"]),
            "SUMS": buffer("f32", [5, "cdiv(C, 64)"]),
            "Y": buffer("f32", [5]),
        },
        [run("log_sum_rows", (5,), "X", "Y")],
        [run("log_sum_split", ("cdiv(C, 64)", 5), "X", "MOST", "SUMS", "COUNT", "Y")],
        ["Y"],
        [
            mutant("not_rescaled", "log_sum_split", "st * ct.exp(mt - top)", "st", "sums are not rescaled"),
            mutant("own", "log_sum_split", "(top + ct.log(total))", "(m + ct.log(total))", "the own maximum is added"),
            mutant(
                "mask",
                "log_sum_split",
                'xt = ct.where(there, ct.load(x, index=(i, j), shape=(1, T), padding_mode=ZERO), -float("inf"))',
                "xt = ct.load(x, index=(i, j), shape=(1, T), padding_mode=ZERO)",
                "the padding is summed up too",
            ),
            launched(
                "one_column",
                "grid: [cdiv(C, 64)",
                "grid: [max(cdiv(C - 1, 64), 1)",
                "a last block with a single column is skipped",
            ),
            mutant(
                "column_more",
                "log_sum_split",
                "reshape((1, T)) < x.shape[1]",
                "reshape((1, T)) <= x.shape[1]",
                "a column behind the end counts",
            ),
        ],
        names=("rows", "blocks"),
        parameters=WIDTHS,
    ),
]
