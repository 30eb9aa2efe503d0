# SPDX-License-Identifier: Apache-2.0
# Selective and segmented scans: state space models step by step, by scans whose regions do not commute, and in chunks.
import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run, uniform, worse
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- h_t = a_t h_{t-1} + b_t x_t, time down the rows, channels along them --------------------------------------------
@ct.kernel
def steps(a, b, x, h, T: Const):
    """Step by step; grid (column blocks)."""
    j = ct.bid(0)
    state = ct.full((1, T), 0.0, dtype=ct.float32)
    for t in range(x.shape[0]):
        at = ct.load(a, index=(t, j), shape=(1, T), padding_mode=ZERO)
        bt = ct.load(b, index=(t, j), shape=(1, T), padding_mode=ZERO)
        state = at * state + bt * ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO)
        ct.store(h, index=(t, j), tile=state)


@ct.kernel
def by_scan(a, b, x, h, L: Const, T: Const):
    """All L steps, more than there are, by one scan of (decay, state)."""
    j = ct.bid(0)
    at = ct.load(a, index=(0, j), shape=(L, T), padding_mode=ZERO)
    bt = ct.load(b, index=(0, j), shape=(L, T), padding_mode=ZERO)
    ut = bt * ct.load(x, index=(0, j), shape=(L, T), padding_mode=ZERO)
    _, state = ct.scan((at, ut), 0, lambda a1, h1, a2, h2: (a2 * a1, a2 * h1 + h2), (1.0, 0.0))
    ct.store(h, index=(0, j), tile=state)


@ct.kernel
def chunk_ends(a, b, x, products, ends, L: Const, T: Const):
    """What L steps do: the product of their decays, and the state they end with from 0; grid (chunks, column blocks)."""
    c, j = ct.bid(0), ct.bid(1)
    state = ct.full((1, T), 0.0, dtype=ct.float32)
    product = ct.full((1, T), 1.0, dtype=ct.float32)
    for t in range(c * L, min((c + 1) * L, x.shape[0])):
        at = ct.load(a, index=(t, j), shape=(1, T), padding_mode=ZERO)
        bt = ct.load(b, index=(t, j), shape=(1, T), padding_mode=ZERO)
        state = at * state + bt * ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO)
        product = product * at
    ct.store(products, index=(c, j), tile=product)
    ct.store(ends, index=(c, j), tile=state)


@ct.kernel
def chunk_starts(products, ends, starts, T: Const):
    """The state before each chunk; grid (column blocks)."""
    j = ct.bid(0)
    state = ct.full((1, T), 0.0, dtype=ct.float32)
    for c in range(ends.shape[0]):
        ct.store(starts, index=(c, j), tile=state)
        p = ct.load(products, index=(c, j), shape=(1, T), padding_mode=ZERO)
        state = p * state + ct.load(ends, index=(c, j), shape=(1, T), padding_mode=ZERO)


@ct.kernel
def chunk_states(a, b, x, starts, h, L: Const, T: Const):
    """Each chunk again, from its state; grid (chunks, column blocks)."""
    c, j = ct.bid(0), ct.bid(1)
    state = ct.load(starts, index=(c, j), shape=(1, T), padding_mode=ZERO)
    for t in range(c * L, min((c + 1) * L, x.shape[0])):
        at = ct.load(a, index=(t, j), shape=(1, T), padding_mode=ZERO)
        bt = ct.load(b, index=(t, j), shape=(1, T), padding_mode=ZERO)
        state = at * state + bt * ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO)
        ct.store(h, index=(t, j), tile=state)


@ct.kernel
def scan_blocks(a, b, x, h, L: Const, T: Const):
    """Scans of L steps, and the carried state times the running product; grid (column blocks)."""
    j = ct.bid(0)
    row = ct.arange(L, dtype=ct.int32).reshape((L, 1))
    carry = ct.full((1, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        at = ct.load(a, index=(c, j), shape=(L, T), padding_mode=ZERO)
        bt = ct.load(b, index=(c, j), shape=(L, T), padding_mode=ZERO)
        ut = bt * ct.load(x, index=(c, j), shape=(L, T), padding_mode=ZERO)
        decay, state = ct.scan((at, ut), 0, lambda a1, h1, a2, h2: (a1 * a2, a2 * h1 + h2), (1.0, 0.0))
        state = state + decay * carry
        ct.store(h, index=(c, j), tile=state)
        carry = ct.sum(ct.where(row == L - 1, state, 0.0), axis=0, keepdims=True)


@ct.kernel
def segment_sums_of_logs(a, b, x, h, L: Const, T: Const):
    """Within L steps by a triangle of decays from running sums of logarithms; grid (column blocks)."""
    j = ct.bid(0)
    row, column = ct.arange(L, dtype=ct.int32).reshape((L, 1, 1)), ct.arange(L, dtype=ct.int32).reshape((1, L, 1))
    carry = ct.full((1, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        there = c * L + ct.arange(L, dtype=ct.int32).reshape((L, 1)) < x.shape[0]
        at = ct.load(a, index=(c, j), shape=(L, T), padding_mode=ZERO)
        log = ct.cumsum(ct.where(there, ct.log(at), 0.0), axis=0)
        bt = ct.load(b, index=(c, j), shape=(L, T), padding_mode=ZERO)
        ut = bt * ct.load(x, index=(c, j), shape=(L, T), padding_mode=ZERO)
        decay = ct.where(column <= row, ct.exp(log.reshape((L, 1, T)) - log.reshape((1, L, T))), 0.0)
        state = ct.sum(decay * ut.reshape((1, L, T)), axis=1) + ct.exp(log) * carry
        ct.store(h, index=(c, j), tile=state)
        carry = ct.sum(ct.where(row.reshape((L, 1)) == L - 1, state, 0.0), axis=0, keepdims=True)


# ---- its gradient ----------------------------------------------------------------------------------------------------
@ct.kernel
def gradient_steps(a, h, dh, du, da, T: Const):
    """du_t = dh_t + a_{t+1} du_{t+1}, da_t = du_t h_{t-1}, from the last step to the first; grid (column blocks)."""
    j = ct.bid(0)
    carried = ct.full((1, T), 0.0, dtype=ct.float32)
    for back in range(h.shape[0]):
        t = h.shape[0] - 1 - back
        g = ct.load(dh, index=(t, j), shape=(1, T), padding_mode=ZERO) + carried
        ct.store(du, index=(t, j), tile=g)
        before = ct.full((1, T), 0.0, dtype=ct.float32)
        if t > 0:
            before = ct.load(h, index=(t - 1, j), shape=(1, T), padding_mode=ZERO)
        ct.store(da, index=(t, j), tile=g * before)
        carried = ct.load(a, index=(t, j), shape=(1, T), padding_mode=ZERO) * g


@ct.kernel
def gradient_by_scan(a, h, dh, du, da, L: Const, T: Const):
    """By a scan in reverse with the decays shifted by a step."""
    j = ct.bid(0)
    row, column = ct.arange(L, dtype=ct.int32).reshape((L, 1)), j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    decay = ct.gather(a, (row + 1, column), padding_value=0)
    g = ct.load(dh, index=(0, j), shape=(L, T), padding_mode=ZERO)
    _, g = ct.scan((decay, g), 0, lambda a1, g1, a2, g2: (a1 * a2, a2 * g1 + g2), (1.0, 0.0), reverse=True)
    ct.store(du, index=(0, j), tile=g)
    ct.store(da, index=(0, j), tile=g * ct.gather(h, (row - 1, column), padding_value=0))


# ---- Mamba: states of N for each channel, and of a head --------------------------------------------------------------
@ct.kernel
def mamba_steps(x, dt, a_log, b, c, skip, z, y, N: Const, T: Const):
    """h = exp(dt A) h + dt B x, y = (C h + D x) silu(z), step by step; grid (channel blocks)."""
    j = ct.bid(0)
    rate = -ct.exp(ct.load(a_log, index=(j, 0), shape=(T, N), padding_mode=ZERO))
    state = ct.full((T, N), 0.0, dtype=ct.float32)
    for t in range(x.shape[0]):
        xt = ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        raw = ct.load(dt, index=(t, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        delta = ct.log(1.0 + ct.exp(raw))
        bt, c_t = ct.load(b, index=(t, 0), shape=(1, N)), ct.load(c, index=(t, 0), shape=(1, N))
        state = ct.exp(delta * rate) * state + delta * bt * xt
        yt = ct.sum(state * c_t, axis=1, keepdims=True)
        yt = yt + ct.load(skip, index=(j,), shape=(T,), padding_mode=ZERO).reshape((T, 1)) * xt
        zt = ct.load(z, index=(t, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        ct.store(y, index=(t, j), tile=(yt * zt / (1.0 + ct.exp(-zt))).reshape((1, T)))


@ct.kernel
def mamba_blocks(x, dt, a_log, b, c, skip, z, y, L: Const, N: Const, T: Const):
    """L steps at a time: their decays and inputs, a scan, and the carried state; grid (channel blocks)."""
    j = ct.bid(0)
    row = ct.arange(L, dtype=ct.int32).reshape((L, 1, 1))
    rate = -ct.exp(ct.load(a_log, index=(j, 0), shape=(T, N), padding_mode=ZERO)).reshape((1, T, N))
    gain = ct.load(skip, index=(j,), shape=(T,), padding_mode=ZERO).reshape((1, T))
    carry = ct.full((1, T, N), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        xt = ct.load(x, index=(k, j), shape=(L, T), padding_mode=ZERO)
        delta = ct.log(1.0 + ct.exp(ct.load(dt, index=(k, j), shape=(L, T), padding_mode=ZERO)))
        bt = ct.load(b, index=(k, 0), shape=(L, N), padding_mode=ZERO).reshape((L, 1, N))
        c_t = ct.load(c, index=(k, 0), shape=(L, N), padding_mode=ZERO).reshape((L, 1, N))
        a = ct.exp(delta.reshape((L, T, 1)) * rate)
        u = (delta * xt).reshape((L, T, 1)) * bt
        decay, h = ct.scan((a, u), 0, lambda a1, h1, a2, h2: (a1 * a2, h1 * a2 + h2), (1.0, 0.0))
        h = h + decay * carry
        zt = ct.load(z, index=(k, j), shape=(L, T), padding_mode=ZERO)
        yt = ct.sum(h * c_t, axis=2) + gain * xt
        ct.store(y, index=(k, j), tile=yt * (zt / (1.0 + ct.exp(-zt))))
        carry = ct.sum(ct.where(row == L - 1, h, 0.0), axis=0, keepdims=True)


@ct.kernel
def heads_steps(x, dt, rate, b, c, y, P: Const, N: Const):
    """One decay for a head: S = exp(dt A) S + dt x B^T, y = S C; x and y are [heads, steps, P]; grid (heads)."""
    head = ct.bid(0)
    state = ct.full((P, N), 0.0, dtype=ct.float32)
    a = ct.load(rate, index=(head,), shape=(1,)).reshape((1, 1))
    for t in range(x.shape[1]):
        delta = ct.load(dt, index=(head, t), shape=(1, 1))
        xt = ct.load(x, index=(head, t, 0), shape=(1, 1, P)).reshape((P, 1))
        bt, c_t = ct.load(b, index=(t, 0), shape=(1, N)), ct.load(c, index=(t, 0), shape=(1, N))
        state = ct.exp(delta * a) * state + delta * (xt * bt)
        ct.store(y, index=(head, t, 0), tile=ct.sum(state * c_t, axis=1).reshape((1, 1, P)))


@ct.kernel
def heads_chunks(x, dt, rate, b, c, y, L: Const, P: Const, N: Const):
    """Mamba 2's dual form: (C B^T with decays) x within L steps, and the state of those before; grid (heads)."""
    head = ct.bid(0)
    row, column = ct.arange(L, dtype=ct.int32).reshape((L, 1)), ct.arange(L, dtype=ct.int32).reshape((1, L))
    a = ct.load(rate, index=(head,), shape=(1,)).reshape((1, 1))
    state = ct.full((N, P), 0.0, dtype=ct.float32)
    none = ct.full((L, L), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(1, L, P))):
        xt = ct.load(x, index=(head, k, 0), shape=(1, L, P), padding_mode=ZERO).reshape((L, P))
        delta = ct.load(dt, index=(head, k), shape=(1, L), padding_mode=ZERO).reshape((L, 1))
        bt = ct.load(b, index=(k, 0), shape=(L, N), padding_mode=ZERO)
        c_t = ct.load(c, index=(k, 0), shape=(L, N), padding_mode=ZERO)
        log = ct.cumsum(delta * a, axis=0)
        last = ct.sum(delta * a, axis=0, keepdims=True)
        weights = ct.mma(c_t, ct.transpose(bt), none)
        weights = ct.where(column <= row, weights * ct.exp(log - log.reshape((1, L))), 0.0)
        yt = ct.mma(weights, delta * xt, ct.mma(c_t, state, ct.full((L, P), 0.0, dtype=ct.float32)) * ct.exp(log))
        ct.store(y, index=(head, k, 0), tile=yt.reshape((1, L, P)))
        state = ct.mma(ct.transpose(bt * (delta * ct.exp(last - log))), xt, ct.exp(last) * state)


# ---- segments --------------------------------------------------------------------------------------------------------
@ct.kernel
def flagged_steps(x, flag, y, T: Const):
    """Running sums along rows that begin anew where flag is 0; grid (row blocks)."""
    row = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    total = ct.full((T,), 0.0, dtype=ct.float32)
    for t in range(x.shape[1]):
        xt = ct.gather(x, (row, t), padding_value=0)
        total = ct.where(ct.gather(flag, (row, t), padding_value=1) == 0, xt, total + xt)
        ct.scatter(y, (row, t), total)


@ct.kernel
def flagged_by_scan(x, flag, y, T: Const, L: Const):
    """By a scan of (begun, sum)."""
    i = ct.bid(0)
    begins = ct.where(ct.load(flag, index=(i, 0), shape=(T, L), padding_mode=ZERO) == 0, 1, 0)
    xt = ct.load(x, index=(i, 0), shape=(T, L), padding_mode=ZERO)
    _, total = ct.scan((begins, xt), 1, lambda f1, s1, f2, s2: (f1 | f2, ct.where(f2 != 0, s2, s1 + s2)), (0, 0.0))
    ct.store(y, index=(i, 0), tile=total)


@ct.kernel
def flagged_by_last(x, flag, y, L: Const):
    """By where the segment of each element began: a triangle that is cut there; grid (rows)."""
    i = ct.bid(0)
    place = ct.arange(L, dtype=ct.int32)
    begins = ct.load(flag, index=(i, 0), shape=(1, L), padding_mode=ZERO).reshape((L,)) == 0
    first = ct.scan(ct.where(begins, place, 0), 0, lambda p, q: ct.maximum(p, q), 0)
    column, row = place.reshape((1, L)), place.reshape((L, 1))
    seen = (column <= row) & (column >= first.reshape((L, 1)))
    xt = ct.load(x, index=(i, 0), shape=(1, L), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=ct.sum(ct.where(seen, xt, 0.0), axis=1).reshape((1, L)))


@ct.kernel
def ragged_loop(x, offsets, y, T: Const):
    """y[s] = the sum of rows offsets[s] to offsets[s + 1] of x; grid (segments, column blocks)."""
    s, j = ct.bid(0), ct.bid(1)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    first, last = ct.gather(offsets, s).item(), ct.gather(offsets, s + 1).item()
    for t in range(first, last):
        total = total + ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(s, j), tile=total)


@ct.kernel
def prefixes(x, p, L: Const, T: Const):
    """Running sums down the rows, in blocks with a carry; grid (column blocks)."""
    j = ct.bid(0)
    carry = ct.full((1, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        xt = ct.load(x, index=(c, j), shape=(L, T), padding_mode=ZERO)
        ct.store(p, index=(c, j), tile=carry + ct.cumsum(xt, axis=0))
        carry = carry + ct.sum(xt, axis=0, keepdims=True)


@ct.kernel
def prefix_differences(p, offsets, y, S: Const, T: Const):
    """The running sum at a segment's end less the one before its start."""
    s, j = ct.bid(0), ct.bid(1)
    segment, column = s * S + ct.arange(S, dtype=ct.int32), j * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    first = ct.gather(offsets, segment, padding_value=0).reshape((S, 1))
    last = ct.gather(offsets, segment + 1, padding_value=0).reshape((S, 1))
    before = ct.gather(p, (first - 1, column), padding_value=0)
    ct.store(y, index=(s, j), tile=ct.gather(p, (last - 1, column), padding_value=0) - before)


@ct.kernel
def ragged_product(x, offsets, y, S: Const, L: Const, T: Const):
    """A product with the matrix that says which row is in which segment; grid (segment blocks, column blocks)."""
    s, j = ct.bid(0), ct.bid(1)
    segment = s * S + ct.arange(S, dtype=ct.int32)
    first = ct.gather(offsets, segment, padding_value=0).reshape((S, 1))
    last = ct.gather(offsets, segment + 1, padding_value=0).reshape((S, 1))
    acc = ct.full((S, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        row = c * L + ct.arange(L, dtype=ct.int32).reshape((1, L))
        inside = ct.where((row >= first) & (row < last), 1.0, 0.0)
        acc = ct.mma(inside, ct.load(x, index=(c, j), shape=(L, T), padding_mode=ZERO), acc)
    ct.store(y, index=(s, j), tile=acc)


@ct.kernel
def packed_steps(a, x, offsets, h, T: Const):
    """h_t = a_t h_{t-1} + x_t for each sequence of a packed batch; grid (sequences, column blocks)."""
    s, j = ct.bid(0), ct.bid(1)
    state = ct.full((1, T), 0.0, dtype=ct.float32)
    for t in range(ct.gather(offsets, s).item(), ct.gather(offsets, s + 1).item()):
        at = ct.load(a, index=(t, j), shape=(1, T), padding_mode=ZERO)
        state = at * state + ct.load(x, index=(t, j), shape=(1, T), padding_mode=ZERO)
        ct.store(h, index=(t, j), tile=state)


@ct.kernel
def packed_resets(a, x, sequence, h, L: Const, T: Const):
    """The batch as one sequence in blocks, decays set to 0 where another sequence begins; grid (column blocks)."""
    j = ct.bid(0)
    row = ct.arange(L, dtype=ct.int32)
    carry = ct.full((1, T), 0.0, dtype=ct.float32)
    for c in range(ct.num_tiles(x, axis=0, shape=(L, T))):
        mine = ct.gather(sequence, c * L + row, padding_value=0)
        begins = (mine != ct.gather(sequence, c * L + row - 1, padding_value=-1)).reshape((L, 1))
        at = ct.where(begins, 0.0, ct.load(a, index=(c, j), shape=(L, T), padding_mode=ZERO))
        xt = ct.load(x, index=(c, j), shape=(L, T), padding_mode=ZERO)
        decay, state = ct.scan((at, xt), 0, lambda a1, h1, a2, h2: (a1 * a2, a2 * h1 + h2), (1.0, 0.0))
        state = state + decay * carry
        ct.store(h, index=(c, j), tile=state)
        carry = ct.sum(ct.where(row.reshape((L, 1)) == L - 1, state, 0.0), axis=0, keepdims=True)


# ---- logarithms of running sums --------------------------------------------------------------------------------------
@ct.kernel
def running_logs(x, y, T: Const, L: Const):
    """log of the running sums of e^x along rows; grid (row blocks)."""
    i = ct.bid(0)
    there = ct.arange(L, dtype=ct.int32).reshape((1, L)) < x.shape[1]
    xt = ct.where(there, ct.load(x, index=(i, 0), shape=(T, L), padding_mode=ZERO), -float("inf"))
    m = ct.max(xt, axis=1, keepdims=True)
    ct.store(y, index=(i, 0), tile=ct.log(ct.cumsum(ct.exp(xt - m), axis=1)) + m)


@ct.kernel
def running_logs_blocks(x, y, T: Const, L: Const):
    """In column blocks with a running maximum and sum."""
    i = ct.bid(0)
    m = ct.full((T, 1), -1e30, dtype=ct.float32)
    total = ct.full((T, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, L))):
        there = j * L + ct.arange(L, dtype=ct.int32).reshape((1, L)) < x.shape[1]
        xt = ct.where(there, ct.load(x, index=(i, j), shape=(T, L), padding_mode=ZERO), -float("inf"))
        new = ct.maximum(m, ct.max(xt, axis=1, keepdims=True))
        before = total * ct.exp(m - new)
        e = ct.exp(xt - new)
        ct.store(y, index=(i, j), tile=new + ct.log(before + ct.cumsum(e, axis=1)))
        total, m = before + ct.sum(e, axis=1, keepdims=True), new


@ct.kernel
def running_logs_scan(x, y, T: Const, L: Const):
    """By a scan of (maximum, sum below it)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(T, L), padding_mode=ZERO)
    ones = ct.full((T, L), 1.0, dtype=ct.float32)
    m, s = ct.scan(
        (xt, ones),
        1,
        lambda m1, s1, m2, s2: (
            ct.maximum(m1, m2),
            s1 * ct.exp(m1 - ct.maximum(m1, m2)) + s2 * ct.exp(m2 - ct.maximum(m1, m2)),
        ),
        (-1e30, 0.0),
    )
    ct.store(y, index=(i, 0), tile=m + ct.log(s))


@ct.kernel
def min_gru(k, v, h, T: Const):
    """h_t = (1 - z_t) h_{t-1} + z_t g_t with z = sigmoid(k), g = e^v, step by step; grid (column blocks)."""
    j = ct.bid(0)
    state = ct.full((1, T), 0.0, dtype=ct.float32)
    for t in range(k.shape[0]):
        z = 1.0 / (1.0 + ct.exp(-ct.load(k, index=(t, j), shape=(1, T), padding_mode=ZERO)))
        g = ct.exp(ct.load(v, index=(t, j), shape=(1, T), padding_mode=ZERO))
        state = state + z * (g - state)
        ct.store(h, index=(t, j), tile=state)


@ct.kernel
def min_gru_logs(k, v, h, L: Const, T: Const):
    """Heinsen's form: e^(A_t) times the running sum of e^(log(z g) - A), A the running sum of log(1 - z)."""
    j = ct.bid(0)
    kt = ct.load(k, index=(0, j), shape=(L, T), padding_mode=ZERO)
    log_a = ct.cumsum(-ct.log(1.0 + ct.exp(kt)), axis=0)
    log_b = ct.load(v, index=(0, j), shape=(L, T), padding_mode=ZERO) - ct.log(1.0 + ct.exp(-kt))
    ct.store(h, index=(0, j), tile=ct.exp(log_a) * ct.cumsum(ct.exp(log_b - log_a), axis=0))


# ---- filters ---------------------------------------------------------------------------------------------------------
@ct.kernel
def biquad(x, y, b0: float, b1: float, b2: float, a1: float, a2: float, T: Const):
    """y_t = b0 x_t + b1 x_{t-1} + b2 x_{t-2} - a1 y_{t-1} - a2 y_{t-2} along rows; grid (row blocks)."""
    row = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    zero = ct.full((T,), 0.0, dtype=ct.float32)
    x1, x2, y1, y2 = zero, zero, zero, zero
    for t in range(x.shape[1]):
        x0 = ct.gather(x, (row, t), padding_value=0)
        y0 = b0 * x0 + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        ct.scatter(y, (row, t), y0)
        x1, x2, y1, y2 = x0, x1, y0, y1


@ct.kernel
def biquad_transposed(x, y, b0: float, b1: float, b2: float, a1: float, a2: float, T: Const):
    """The transposed form, two numbers of state."""
    row = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    s1, s2 = ct.full((T,), 0.0, dtype=ct.float32), ct.full((T,), 0.0, dtype=ct.float32)
    for t in range(x.shape[1]):
        x0 = ct.gather(x, (row, t), padding_value=0)
        y0 = b0 * x0 + s1
        ct.scatter(y, (row, t), y0)
        s1, s2 = b1 * x0 - a1 * y0 + s2, b2 * x0 - a2 * y0


@ct.kernel
def second_order(p, q, x, y, T: Const):
    """y_t = p_t y_{t-1} + q_t y_{t-2} + x_t along rows; grid (row blocks)."""
    row = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    y1, y2 = ct.full((T,), 0.0, dtype=ct.float32), ct.full((T,), 0.0, dtype=ct.float32)
    for t in range(x.shape[1]):
        pt, qt = ct.gather(p, (row, t), padding_value=0), ct.gather(q, (row, t), padding_value=0)
        y0 = pt * y1 + qt * y2 + ct.gather(x, (row, t), padding_value=0)
        ct.scatter(y, (row, t), y0)
        y1, y2 = y0, y1


@ct.kernel
def second_order_matrices(p, q, x, y, T: Const, L: Const):
    """By a scan of affine maps of (y_t, y_{t-1}): 2 x 2 matrices and vectors."""
    i = ct.bid(0)
    pt = ct.load(p, index=(i, 0), shape=(T, L), padding_mode=ZERO)
    qt = ct.load(q, index=(i, 0), shape=(T, L), padding_mode=ZERO)
    xt = ct.load(x, index=(i, 0), shape=(T, L), padding_mode=ZERO)
    one, none = ct.full((T, L), 1.0, dtype=ct.float32), ct.full((T, L), 0.0, dtype=ct.float32)
    _, _, _, _, v, _ = ct.scan(
        (pt, qt, one, none, xt, none),
        1,
        lambda a, b, c, d, e, f, k, l, m, n, u, w: (
            k * a + l * c,
            k * b + l * d,
            m * a + n * c,
            m * b + n * d,
            k * e + l * f + u,
            m * e + n * f + w,
        ),
        (1.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    )
    ct.store(y, index=(i, 0), tile=v)


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
I1, I2 = array(ct.int32, 1), array(ct.int32, 2)
FILTER = [F2, F2, *[ct.float32] * 5]
MAMBA = [F2, F2, F2, F2, F2, F1, F2, F2]
HEADS = [F3, F2, F1, F2, F2, F3]
KERNELS = {
    "steps": (steps, [F2, F2, F2, F2, 16]),
    "by_scan": (by_scan, [F2, F2, F2, F2, 64, 8]),
    "chunk_ends": (chunk_ends, [F2, F2, F2, F2, F2, 8, 16]),
    "chunk_starts": (chunk_starts, [F2, F2, F2, 8]),
    "chunk_states": (chunk_states, [F2, F2, F2, F2, F2, 8, 16]),
    "scan_blocks": (scan_blocks, [F2, F2, F2, F2, 16, 16]),
    "segment_sums_of_logs": (segment_sums_of_logs, [F2, F2, F2, F2, 8, 16]),
    "gradient_steps": (gradient_steps, [F2, F2, F2, F2, F2, 16]),
    "gradient_by_scan": (gradient_by_scan, [F2, F2, F2, F2, F2, 64, 8]),
    "mamba_steps": (mamba_steps, [*MAMBA, 8, 16]),
    "mamba_blocks": (mamba_blocks, [*MAMBA, 8, 8, 8]),
    "heads_steps": (heads_steps, [*HEADS, 16, 8]),
    "heads_chunks": (heads_chunks, [*HEADS, 16, 16, 8]),
    "flagged_steps": (flagged_steps, [F2, I2, F2, 8]),
    "flagged_by_scan": (flagged_by_scan, [F2, I2, F2, 4, 128]),
    "flagged_by_last": (flagged_by_last, [F2, I2, F2, 128]),
    "ragged_loop": (ragged_loop, [F2, I1, F2, 16]),
    "prefixes": (prefixes, [F2, F2, 16, 16]),
    "prefix_differences": (prefix_differences, [F2, I1, F2, 4, 16]),
    "ragged_product": (ragged_product, [F2, I1, F2, 8, 16, 16]),
    "packed_steps": (packed_steps, [F2, F2, I1, F2, 16]),
    "packed_resets": (packed_resets, [F2, F2, I1, F2, 16, 16]),
    "running_logs": (running_logs, [F2, F2, 8, 128]),
    "running_logs_blocks": (running_logs_blocks, [F2, F2, 4, 16]),
    "running_logs_scan": (running_logs_scan, [F2, F2, 4, 128]),
    "min_gru": (min_gru, [F2, F2, F2, 16]),
    "min_gru_logs": (min_gru_logs, [F2, F2, F2, 64, 16]),
    "biquad": (biquad, [*FILTER, 8]),
    "biquad_transposed": (biquad_transposed, [*FILTER, 4]),
    "second_order": (second_order, [F2, F2, F2, F2, 8]),
    "second_order_matrices": (second_order_matrices, [F2, F2, F2, F2, 4, 64]),
}

OFFSETS = np.int32([0, 5, 5, 18, 19, 36, 50])  # of six segments of 50 rows: one is empty, one has one row
INPUTS = {"offsets.i32": OFFSETS, "sequence.i32": np.repeat(np.int32(range(6)), np.diff(OFFSETS))}

# Steps in chunks of 8 and 16: ragged, whole, with one step in the last, one step.
SIZES = {"N": [45, 48, 33, 1]}
CHUNKS_OF_8 = "cdiv(N, 8)"
SCAN = {
    "A": buffer("f32", ["N", 20], uniform(0.3, 1)),
    "B": buffer("f32", ["N", 20], NORMAL),
    "X": buffer("f32", ["N", 20], NORMAL),
    "H": buffer("f32", ["N", 20]),
}
STEPS = [run("steps", (2,), "A", "B", "X", "H")]
CHUNKS = {**SCAN, **{n: buffer("f32", [CHUNKS_OF_8, 20]) for n in ("PRODUCTS", "ENDS", "STARTS")}}
MATRIX = buffer("f32", ["N", 20], NORMAL)
RESULT = buffer("f32", ["N", 20])
STATES = {
    **{n: MATRIX for n in ("X", "DT", "Z")},
    "A_LOG": buffer("f32", [20, 8], uniform(-1, 1)),
    **{n: buffer("f32", ["N", 8], NORMAL) for n in "BC"},
    "D": buffer("f32", [20], NORMAL),
    "Y": RESULT,
}
HEADED = {
    "X": buffer("f32", [3, "N", 16], NORMAL),
    "DT": buffer("f32", [3, "N"], uniform(0.01, 1)),
    "RATE": buffer("f32", [3], uniform(-1, -0.1)),
    **{n: buffer("f32", ["N", 8], NORMAL) for n in "BC"},
    "Y": buffer("f32", [3, "N", 16]),
}
FLAGS = {
    "X": buffer("f32", [7, 100], given("rows.f32")),
    "FLAG": buffer("i32", [7, 100], integers(0, 5)),
    "Y": buffer("f32", [7, 100]),
}
RAGGED = {
    "X": buffer("f32", [50, 20], NORMAL),
    "OFFSETS": buffer("i32", [7], given("offsets.i32")),
    "Y": buffer("f32", [6, 20]),
}
ROWS = {"X": FLAGS["X"], "Y": FLAGS["Y"]}
BIQUAD = [f"f32 {value}" for value in (0.2, 0.4, 0.2, -0.6, 0.3)]

PAIRS = [
    pair(
        "selective",
        "a selective scan step by step, and by one scan of decays and states",
        SCAN,
        STEPS,
        [run("by_scan", (3,), "A", "B", "X", "H")],
        ["H"],
        [
            mutant("operands", "by_scan", "a2 * h1 + h2)", "a1 * h2 + h1)", "the region's operands are exchanged"),
            mutant("late", "by_scan", "a2 * h1 + h2)", "a2 * (h1 + h2))", "a step's own input decays too"),
            mutant("no_gate", "by_scan", "ut = bt * ct.load(x", "ut = ct.load(x", "the input is not gated"),
            mutant(
                "backwards", "by_scan", "(1.0, 0.0))", "(1.0, 0.0), reverse=True)", "from the last step to the first"
            ),
            mutant("no_decay", "by_scan", "a2 * h1 + h2)", "h1 + h2)", "the state does not decay"),
        ],
        names=("steps", "scan"),
        parameters=SIZES,
    ),
    pair(
        "selective_chunks",
        "a selective scan step by step, and chunks in parallel from the states before them",
        CHUNKS,
        STEPS,
        [
            run("chunk_ends", (CHUNKS_OF_8, 2), "A", "B", "X", "PRODUCTS", "ENDS"),
            run("chunk_starts", (3,), "PRODUCTS", "ENDS", "STARTS"),
            run("chunk_states", (CHUNKS_OF_8, 2), "A", "B", "X", "STARTS", "H"),
        ],
        ["H"],
        [
            mutant("no_decay", "chunk_starts", "state = p * state + ", "state = state + ", "the carry does not decay"),
            mutant("not_carried", "chunk_starts", "state = p * state + ", "state = ", "only the chunk before counts"),
            mutant(
                "inclusive",
                "chunk_states",
                "ct.load(starts, index=(c, j)",
                "ct.load(starts, index=(min(c + 1, starts.shape[0] - 1), j)",
                "chunks start from their own end",
            ),
            mutant(
                "first_decay",
                "chunk_ends",
                "product = product * at",
                "product = product * ct.where(ct.full((1, T), t, dtype=ct.int32) > c * L, at, 1.0)",
                "the product lacks the first decay",
            ),
            mutant(
                "last_step",
                "chunk_ends",
                "range(c * L, min((c + 1) * L, x.shape[0]))",
                "range(c * L, min((c + 1) * L - 1, x.shape[0]))",
                "a chunk's last step is left out",
            ),
            launched(
                "last_chunk",
                "grid: [cdiv(N, 8), 2], args: [A, B, X, PRODUCTS",
                "grid: [max(cdiv(N, 8) - 2, 1), 2], args: [A, B, X, PRODUCTS",
                "the end of a chunk is never computed",
            ),
            launched(
                "one_step",
                "grid: [cdiv(N, 8), 2], args: [A, B, X, STARTS",
                "grid: [max(cdiv(N - 1, 8), 1), 2], args: [A, B, X, STARTS",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "selective_blocks",
        "chunks in parallel from the states before them, and scans of blocks with a carried state",
        CHUNKS,
        [
            run("chunk_ends", (CHUNKS_OF_8, 2), "A", "B", "X", "PRODUCTS", "ENDS"),
            run("chunk_starts", (3,), "PRODUCTS", "ENDS", "STARTS"),
            run("chunk_states", (CHUNKS_OF_8, 2), "A", "B", "X", "STARTS", "H"),
        ],
        [run("scan_blocks", (2,), "A", "B", "X", "H")],
        ["H"],
        [
            mutant(
                "carry", "scan_blocks", "state + decay * carry", "state + carry", "the carried state does not decay"
            ),
            mutant(
                "decay",
                "scan_blocks",
                "state + decay * carry",
                "state + at * carry",
                "the carried state decays by one step",
            ),
            mutant(
                "row", "scan_blocks", "row == L - 1", "row == L - 2", "the state of the last step but one is carried"
            ),
            mutant("products", "scan_blocks", "(a1 * a2, a2", "(a2, a2", "decays are not multiplied up"),
            mutant("swapped", "scan_blocks", "a2 * h1 + h2)", "a1 * h2 + h1)", "the region's operands are exchanged"),
            mutant(
                "one_step",
                "scan_blocks",
                "range(ct.num_tiles(x, axis=0, shape=(L, T)))",
                "range(ct.cdiv(x.shape[0] - 1, L))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("chunks", "blocks"),
        parameters=SIZES,
    ),
    pair(
        "selective_logs",
        "a selective scan step by step, and by segment sums of logarithms in blocks",
        SCAN,
        STEPS,
        [run("segment_sums_of_logs", (2,), "A", "B", "X", "H")],
        ["H"],
        [
            mutant("strict", "segment_sums_of_logs", "column <= row", "column < row", "without the step itself"),
            mutant(
                "carry",
                "segment_sums_of_logs",
                " + ct.exp(log) * carry",
                " + ct.exp(log - log) * carry",
                "the carried state does not decay",
            ),
            mutant(
                "shifted",
                "segment_sums_of_logs",
                "+ ct.exp(log) * carry",
                "+ ct.exp(log - ct.log(at)) * carry",
                "the carried state decays one step less",
            ),
            mutant(
                "base",
                "segment_sums_of_logs",
                "ct.exp(log.reshape((L, 1, T)) -",
                "ct.exp2(log.reshape((L, 1, T)) -",
                "base 2 in the triangle",
            ),
            mutant(
                "one_step",
                "segment_sums_of_logs",
                "range(ct.num_tiles(x, axis=0, shape=(L, T)))",
                "range(ct.cdiv(x.shape[0] - 1, L))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "logs"),
        parameters=SIZES,
    ),
    pair(
        "gradient",
        "the gradient of a linear recurrence backwards step by step, and by a scan in reverse",
        {**{n: v for n, v in SCAN.items() if n == "A"}, "H": MATRIX, "DH": MATRIX, "DU": RESULT, "DA": RESULT},
        [run("gradient_steps", (2,), "A", "H", "DH", "DU", "DA")],
        [run("gradient_by_scan", (3,), "A", "H", "DH", "DU", "DA")],
        ["DU", "DA"],
        [
            mutant(
                "decay",
                "gradient_by_scan",
                "(row + 1, column)",
                "(row, column)",
                "a step's own decay for the next one's",
            ),
            mutant(
                "state",
                "gradient_by_scan",
                "(row - 1, column)",
                "(row, column)",
                "the state after the step for the one before",
            ),
            mutant("forwards", "gradient_by_scan", ", reverse=True", "", "from the first step to the last"),
            mutant(
                "operands", "gradient_by_scan", "a2 * g1 + g2)", "a1 * g2 + g1)", "the region's operands are exchanged"
            ),
        ],
        names=("steps", "scan"),
        parameters=SIZES,
    ),
    pair(
        "mamba",
        "Mamba's scan with gate and skip step by step, and in blocks by a scan",
        STATES,
        [run("mamba_steps", (2,), "X", "DT", "A_LOG", "B", "C", "D", "Z", "Y")],
        [run("mamba_blocks", (3,), "X", "DT", "A_LOG", "B", "C", "D", "Z", "Y")],
        ["Y"],
        [
            mutant("no_skip", "mamba_blocks", " + gain * xt", "", "the skip is missing"),
            mutant(
                "no_delta", "mamba_blocks", "(delta * xt).reshape", "xt.reshape", "the input is not scaled by the step"
            ),
            mutant(
                "rate",
                "mamba_blocks",
                "rate = -ct.exp(ct.load(a_log, index=(j, 0), shape=(T, N), padding_mode=ZERO))",
                "rate = ct.load(a_log, index=(j, 0), shape=(T, N), padding_mode=ZERO)",
                "log A for A",
            ),
            mutant(
                "carry", "mamba_blocks", "h + decay * carry", "h + a * carry", "the carried state decays by one step"
            ),
            mutant("gate", "mamba_blocks", "(1.0 + ct.exp(-zt))", "(1.0 + ct.exp(zt))", "1 - sigmoid in the gate"),
            mutant(
                "stale",
                "mamba_blocks",
                "ct.load(c, index=(k, 0)",
                "ct.load(c, index=(0, 0)",
                "always C of the first block",
            ),
            mutant(
                "one_step",
                "mamba_blocks",
                "range(ct.num_tiles(x, axis=0, shape=(L, T)))",
                "range(ct.cdiv(x.shape[0] - 1, L))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "blocks"),
        parameters=SIZES,
    ),
    pair(
        "state_space_dual",
        "Mamba 2's heads step by step, and in chunks by products",
        HEADED,
        [run("heads_steps", (3,), "X", "DT", "RATE", "B", "C", "Y")],
        [run("heads_chunks", (3,), "X", "DT", "RATE", "B", "C", "Y")],
        ["Y"],
        [
            mutant("mask", "heads_chunks", "column <= row", "column < row", "a step does not see itself"),
            mutant(
                "state", "heads_chunks", "ct.exp(last) * state", "state", "the state does not decay from chunk to chunk"
            ),
            mutant(
                "until",
                "heads_chunks",
                "(delta * ct.exp(last - log))",
                "delta",
                "inputs do not decay until the chunk's end",
            ),
            mutant(
                "since",
                "heads_chunks",
                "dtype=ct.float32)) * ct.exp(log))",
                "dtype=ct.float32)) * ct.exp(log - delta * a))",
                "the state decays one step less",
            ),
            mutant(
                "no_step",
                "heads_chunks",
                "ct.mma(weights, delta * xt",
                "ct.mma(weights, xt",
                "inputs of the chunk are not scaled by the step",
            ),
            mutant(
                "not_reset",
                "heads_chunks",
                "ct.exp(log - log.reshape((1, L)))",
                "ct.exp(log)",
                "decays from the chunk's beginning",
            ),
            mutant(
                "one_step",
                "heads_chunks",
                "range(ct.num_tiles(x, axis=1, shape=(1, L, P)))",
                "range(ct.cdiv(x.shape[1] - 1, L))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "flagged",
        "running sums that begin anew at flags, step by step and by a scan of flags and sums",
        FLAGS,
        [run("flagged_steps", (1,), "X", "FLAG", "Y")],
        [run("flagged_by_scan", (2,), "X", "FLAG", "Y")],
        ["Y"],
        [
            mutant("flag", "flagged_by_scan", "ct.where(f2 != 0", "ct.where(f1 != 0", "the flag of the sum so far"),
            mutant(
                "either",
                "flagged_by_scan",
                "ct.where(f2 != 0",
                "ct.where((f1 | f2) != 0",
                "never added again after the first flag",
            ),
            mutant(
                "other",
                "flagged_by_scan",
                "(f1 | f2, ct.where(f2 != 0, s2",
                "(f1 | f2, ct.where(f2 != 0, s1",
                "the sum so far at a flag",
            ),
            mutant(
                "value",
                "flagged_by_scan",
                "padding_mode=ZERO) == 0",
                "padding_mode=ZERO) == 1",
                "begins at ones, not at zeros",
            ),
        ],
        names=("steps", "scan"),
    ),
    pair(
        "flagged_starts",
        "running sums that begin anew at flags by a scan, and from where each segment began",
        FLAGS,
        [run("flagged_by_scan", (2,), "X", "FLAG", "Y")],
        [run("flagged_by_last", (7,), "X", "FLAG", "Y")],
        ["Y"],
        [
            mutant(
                "after", "flagged_by_last", "column >= first", "column > first", "without the segment's first element"
            ),
            mutant("strict", "flagged_by_last", "column <= row", "column < row", "without the element itself"),
            mutant(
                "row",
                "flagged_by_last",
                "ct.load(flag, index=(i, 0)",
                "ct.load(flag, index=(0, 0)",
                "always the first row's flags",
            ),
        ],
        names=("scan", "starts"),
    ),
    pair(
        "ragged",
        "sums of ragged segments by loops, and as differences of running sums",
        {**RAGGED, "P": buffer("f32", [50, 20])},
        [run("ragged_loop", (6, 2), "X", "OFFSETS", "Y")],
        [run("prefixes", (2,), "X", "P"), run("prefix_differences", (2, 2), "P", "OFFSETS", "Y")],
        ["Y"],
        [
            mutant(
                "inclusive",
                "prefix_differences",
                "(first - 1, column)",
                "(first, column)",
                "without the segment's first row",
            ),
            mutant(
                "end", "prefix_differences", "(last - 1, column)", "(last, column)", "with the row behind the segment"
            ),
            mutant("carry", "prefixes", "carry = carry + ct.sum", "carry = ct.sum", "only the block before is carried"),
            mutant("segment", "prefix_differences", "s * S + ct", "s + ct", "segments of the wrong block"),
        ],
        names=("loops", "differences"),
    ),
    pair(
        "ragged_product",
        "sums of ragged segments by loops, and by a product with a matrix of zeros and ones",
        RAGGED,
        [run("ragged_loop", (6, 2), "X", "OFFSETS", "Y")],
        [run("ragged_product", (1, 2), "X", "OFFSETS", "Y")],
        ["Y"],
        [
            mutant("last", "ragged_product", "row < last", "row <= last", "with the row behind the segment"),
            mutant("first", "ragged_product", "row >= first", "row > first", "without the segment's first row"),
            mutant("block", "ragged_product", "row = c * L + ", "row = ", "rows within the block"),
            mutant(
                "tail",
                "ragged_product",
                "range(ct.num_tiles(x, axis=0, shape=(L, T)))",
                "range(x.shape[0] // L)",
                "the last, incomplete block is left out",
            ),
        ],
        names=("loops", "product"),
    ),
    pair(
        "packed",
        "recurrences of a packed batch one by one, and as one that is reset where a sequence begins",
        {
            "A": buffer("f32", [50, 20], uniform(0.3, 1)),
            "X": RAGGED["X"],
            "OFFSETS": RAGGED["OFFSETS"],
            "SEQUENCE": buffer("i32", [50], given("sequence.i32")),
            "H": buffer("f32", [50, 20]),
        },
        [run("packed_steps", (6, 2), "A", "X", "OFFSETS", "H")],
        [run("packed_resets", (2,), "A", "X", "SEQUENCE", "H")],
        ["H"],
        [
            mutant(
                "next",
                "packed_resets",
                "c * L + row - 1, padding_value=-1",
                "c * L + row + 1, padding_value=-1",
                "reset at the last step of a sequence",
            ),
            mutant(
                "block",
                "packed_resets",
                "sequence, c * L + row - 1",
                "sequence, row - 1",
                "the sequence of the first block",
            ),
            mutant("never", "packed_resets", "ct.where(begins, 0.0, ", "(", "sequences run into each other"),
            mutant(
                "input",
                "packed_resets",
                "state = state + decay * carry",
                "state = state + carry",
                "the carry is not decayed",
            ),
        ],
        names=("apart", "packed"),
    ),
    pair(
        "running_logs",
        "logarithms of running sums of exponentials at once, and in blocks with a running maximum",
        ROWS,
        [run("running_logs", (1,), "X", "Y")],
        [run("running_logs_blocks", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "not_rescaled",
                "running_logs_blocks",
                "before = total * ct.exp(m - new)",
                "before = total",
                "the sum is not rescaled",
            ),
            mutant(
                "stale",
                "running_logs_blocks",
                "total, m = before + ct.sum",
                "total, m = total + ct.sum",
                "the sum before it was rescaled is carried",
            ),
            mutant(
                "no_maximum", "running_logs_blocks", "tile=new + ct.log", "tile=m + ct.log", "the old maximum is added"
            ),
            mutant(
                "own",
                "running_logs_blocks",
                "new = ct.maximum(m, ct.max(xt, axis=1, keepdims=True))",
                "new = ct.max(xt, axis=1, keepdims=True)",
                "the block's own maximum; sums shrink or grow by it",
                ("total * ct.exp(m - new)", "total"),
            ),
        ],
        names=("once", "blocks"),
    ),
    pair(
        "running_logs_scan",
        "logarithms of running sums of exponentials in blocks, and by a scan of maxima and sums",
        ROWS,
        [run("running_logs_blocks", (2,), "X", "Y")],
        [run("running_logs_scan", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "new_only",
                "running_logs_scan",
                "s1 * ct.exp(m1 - ct.maximum(m1, m2)) +",
                "s1 +",
                "the sum so far is not rescaled",
            ),
            mutant(
                "old_only",
                "running_logs_scan",
                "s2 * ct.exp(m2 - ct.maximum(m1, m2))",
                "s2",
                "the new one is not scaled",
            ),
            mutant("exchanged", "running_logs_scan", "s1 * ct.exp(m1 -", "s1 * ct.exp(m2 -", "the other's exponent"),
        ],
        names=("blocks", "scan"),
    ),
    pair(
        "min_gru",
        "a minimal GRU step by step, and by running sums in logarithms",
        {"K": MATRIX, "V": MATRIX, "H": RESULT},
        [run("min_gru", (2,), "K", "V", "H")],
        [run("min_gru_logs", (2,), "K", "V", "H")],
        ["H"],
        [
            mutant(
                "gate",
                "min_gru_logs",
                "ct.cumsum(-ct.log(1.0 + ct.exp(kt))",
                "ct.cumsum(-ct.log(1.0 + ct.exp(-kt))",
                "z for 1 - z",
            ),
            mutant("input", "min_gru_logs", " - ct.log(1.0 + ct.exp(-kt))", "", "inputs are not gated"),
            mutant("late", "min_gru_logs", "ct.exp(log_b - log_a)", "ct.exp(log_b)", "inputs decay from the beginning"),
        ],
        names=("steps", "logs"),
        parameters=SIZES,
        finding=worse("logs"),  # a difference of sums of 45 logarithms
    ),
    pair(
        "biquad",
        "a filter of second order in direct form, and transposed",
        ROWS,
        [run("biquad", (1,), "X", "Y", *BIQUAD)],
        [run("biquad_transposed", (2,), "X", "Y", *BIQUAD)],
        ["Y"],
        [
            mutant(
                "sign", "biquad_transposed", "b1 * x0 - a1 * y0 + s2", "b1 * x0 + a1 * y0 + s2", "a1 has the wrong sign"
            ),
            mutant(
                "stale",
                "biquad_transposed",
                "s1, s2 = b1 * x0 - a1 * y0 + s2, b2 * x0 - a2 * y0",
                "s2 = b2 * x0 - a2 * y0\n        s1 = b1 * x0 - a1 * y0 + s2",
                "s2 is replaced before it is used",
            ),
            mutant("input", "biquad_transposed", "b1 * x0 - a1 * y0", "b1 * x0 - a1 * x0", "x for y in the feedback"),
            launched(
                "taps",
                "Y, f32 0.2, f32 0.4, f32 0.2, f32 -0.6, f32 0.3",
                "Y, f32 0.2, f32 0.4, f32 0.2, f32 0.3, f32 -0.6",
                "a1 and a2 are swapped",
            ),
        ],
        names=("direct", "transposed"),
    ),
    pair(
        "second_order",
        "a recurrence of second order step by step, and by a scan of 2 x 2 matrices",
        {
            "P": buffer("f32", [7, "C"], uniform(-0.6, 0.6)),
            "Q": buffer("f32", [7, "C"], uniform(-0.3, 0.3)),
            "X": buffer("f32", [7, "C"], NORMAL),
            "Y": buffer("f32", [7, "C"]),
        },
        [run("second_order", (1,), "P", "Q", "X", "Y")],
        [run("second_order_matrices", (2,), "P", "Q", "X", "Y")],
        ["Y"],
        [
            mutant(
                "transposed",
                "second_order_matrices",
                "k * e + l * f + u",
                "k * e + m * f + u",
                "the matrix is transposed",
            ),
            mutant(
                "late", "second_order_matrices", "k * e + l * f + u", "a * u + b * w + e", "the maps in the other order"
            ),
            mutant(
                "identity",
                "second_order_matrices",
                "(pt, qt, one, none, xt, none)",
                "(pt, qt, one, one, xt, none)",
                "the last row is (1, 1)",
            ),
            mutant("swapped", "second_order_matrices", "(pt, qt, one", "(qt, pt, one", "p and q are swapped"),
        ],
        names=("steps", "matrices"),
        parameters={"C": [50, 64, 1]},
    ),
]
