# SPDX-License-Identifier: Apache-2.0
# Retention, gated linear attention, delta rules and their kin: step by step, as one masked product, and in chunks.
import cuda.tile as ct
from corpus import NORMAL, buffer, mutant, pair, run, uniform
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- retention: S_t = g S_{t-1} + k_t v_t^T, o_t = q_t S_t; arrays are [heads, steps, D] ------------------------------
@ct.kernel
def retention_steps(q, k, v, decay, o, final, D: Const):
    """Step by step; the state after the last step is kept; grid (heads)."""
    head = ct.bid(0)
    g = ct.load(decay, index=(head,), shape=(1,)).reshape((1, 1))
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        state = g * state + kt * vt
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).reshape((1, 1, D)))
    ct.store(final, index=(head, 0, 0), tile=state.reshape((1, D, D)))


@ct.kernel
def retention_parallel(q, k, v, decay, o, D: Const, T: Const, L: Const):
    """(Q K^T with powers of the decay) V, over blocks of keys; grid (query blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    g = ct.load(decay, index=(head,), shape=(1,)).reshape((1, 1))
    row = i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    qt = ct.load(q, index=(head, i, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    acc = ct.full((T, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(k, axis=1, shape=(1, L, D))):
        column = j * L + ct.arange(L, dtype=ct.int32).reshape((1, L))
        kt = ct.load(k, index=(head, j, 0), shape=(1, L, D), padding_mode=ZERO).reshape((L, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, L, D), padding_mode=ZERO).reshape((L, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((T, L), 0.0, dtype=ct.float32))
        acc = ct.mma(ct.where(row >= column, s * g ** (row - column).astype(ct.float32), 0.0), vt, acc)
    ct.store(o, index=(head, i, 0), tile=acc.reshape((1, T, D)))


@ct.kernel
def retention_chunks(q, k, v, decay, o, final, D: Const, T: Const):
    """In chunks of T steps, of which the last has fewer."""
    head = ct.bid(0)
    g = ct.load(decay, index=(head,), shape=(1,)).reshape((1, 1))
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    within = ct.where(row >= column, g ** (row - column).astype(ct.float32), 0.0)
    since = g ** (row + 1).astype(ct.float32)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        count = min(T, q.shape[1] - j * T)
        until = ct.where(row < count, g ** (count - 1 - row).astype(ct.float32), 0.0)
        whole = g ** ct.full((1, 1), count, dtype=ct.float32)
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * within
        ot = ct.mma(s, vt, since * ct.mma(qt, state, ct.full((T, D), 0.0, dtype=ct.float32)))
        ct.store(o, index=(head, j, 0), tile=ot.reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt * until), vt, state * whole)
    ct.store(final, index=(head, 0, 0), tile=state.reshape((1, D, D)))


@ct.kernel
def retention_decode(q, k, v, decay, o, final, t: int, D: Const):
    """One more step, the state in place; grid (heads)."""
    head = ct.bid(0)
    g = ct.load(decay, index=(head,), shape=(1,)).reshape((1, 1))
    qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
    kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
    vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
    before = ct.load(final, index=(head, 0, 0), shape=(1, D, D)).reshape((D, D))
    ct.store(final, index=(head, 0, 0), tile=(g * before + kt * vt).reshape((1, D, D)))
    ot = g * ct.sum(qt.reshape((D, 1)) * before, axis=0, keepdims=True) + ct.sum(qt * kt.reshape((1, D))) * vt
    ct.store(o, index=(head, t, 0), tile=ot.reshape((1, 1, D)))


@ct.kernel
def retention_prefill(q, k, v, decay, o, final, first: int, D: Const, T: Const):
    """The first steps in chunks of T."""
    head = ct.bid(0)
    g = ct.load(decay, index=(head,), shape=(1,)).reshape((1, 1))
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(first, T)):
        count = min(T, first - j * T)
        there = row < count
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32))
        s = ct.where(row >= column, s * g ** (row - column).astype(ct.float32), 0.0)
        ot = ct.mma(
            s, vt, ct.mma(qt, state, ct.full((T, D), 0.0, dtype=ct.float32)) * g ** (row + 1).astype(ct.float32)
        )
        place = (head, j * T + row, ct.arange(D, dtype=ct.int32).reshape((1, D)))
        ct.scatter(o, place, ot, mask=there)
        late = ct.where(there, kt * g ** (count - 1 - row).astype(ct.float32), 0.0)
        state = ct.mma(ct.transpose(late), vt, state * g ** ct.full((1, 1), count, dtype=ct.float32))
    ct.store(final, index=(head, 0, 0), tile=state.reshape((1, D, D)))


# ---- gates for each channel: S_t = diag(a_t) S_{t-1} + k_t v_t^T -----------------------------------------------------
@ct.kernel
def gated_steps(q, k, v, a, o, D: Const):
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        at = ct.load(a, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        state = at * state + kt * vt
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).reshape((1, 1, D)))


@ct.kernel
def gated_chunks(q, k, v, a, o, D: Const, T: Const):
    """In chunks: queries times the running products of gates, keys divided by them."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        there = j * T + row < q.shape[1]
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        at = ct.load(a, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        at = ct.where(there, at, 1.0)
        product, whole = ct.cumprod(at, axis=0), ct.prod(at, axis=0).reshape((D, 1))
        qt, kt = qt * product, kt / product
        s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32))
        ot = ct.mma(ct.where(row >= column, s, 0.0), vt, ct.mma(qt, state, ct.full((T, D), 0.0, dtype=ct.float32)))
        ct.store(o, index=(head, j, 0), tile=ot.reshape((1, T, D)))
        state = whole * ct.mma(ct.transpose(kt), vt, state)


@ct.kernel
def sigmoid_gated_steps(q, k, v, x, o, D: Const):
    """The gates are sigmoid(x)^(1/16)."""
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        xt = ct.load(x, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        state = ct.exp(-ct.log(1.0 + ct.exp(-xt)) / 16.0) * state + kt * vt
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).reshape((1, 1, D)))


@ct.kernel
def sigmoid_gated_chunks(q, k, v, x, o, D: Const, T: Const):
    """In chunks with running sums of their logarithms, relative to the chunk's end."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        xt = ct.load(x, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        log = ct.log(1.0 + ct.exp(-xt)) * -0.0625
        until = ct.cumsum(log, axis=0, reverse=True) - log
        all_ = ct.sum(log, axis=0, keepdims=True)
        early, late = qt * ct.exp(-until), kt * ct.exp(until)
        s = ct.mma(early, ct.transpose(late), ct.full((T, T), 0.0, dtype=ct.float32))
        before = ct.mma(qt * ct.exp(all_ - until), state, ct.full((T, D), 0.0, dtype=ct.float32))
        ct.store(o, index=(head, j, 0), tile=ct.mma(ct.where(row >= column, s, 0.0), vt, before).reshape((1, T, D)))
        state = ct.mma(ct.transpose(late), vt, ct.exp(all_).reshape((D, 1)) * state)


@ct.kernel
def bonus_steps(r, k, v, w, u, o, D: Const):
    """RWKV 6: o_t = r_t (S_{t-1} + diag(u) k_t v_t^T), S_t = diag(w_t) S_{t-1} + k_t v_t^T."""
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    ut = ct.load(u, index=(head, 0), shape=(1, D)).reshape((D, 1))
    for t in range(r.shape[1]):
        rt = ct.load(r, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        wt = ct.load(w, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        ct.store(o, index=(head, t, 0), tile=ct.sum(rt * (state + ut * (kt * vt)), axis=0).reshape((1, 1, D)))
        state = wt * state + kt * vt


@ct.kernel
def bonus_chunks(r, k, v, w, u, o, D: Const, T: Const):
    """In chunks; the diagonal has the bonus."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    ut = ct.load(u, index=(head, 0), shape=(1, D))
    for j in range(ct.num_tiles(r, axis=1, shape=(1, T, D))):
        there = j * T + row < r.shape[1]
        rt = ct.load(r, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        wt = ct.load(w, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        wt = ct.where(there, wt, 1.0)
        product, whole = ct.cumprod(wt, axis=0), ct.prod(wt, axis=0, keepdims=True)
        early = rt * (product / wt)
        s = ct.mma(early, ct.transpose(kt / product), ct.full((T, T), 0.0, dtype=ct.float32))
        s = ct.where(row > column, s, 0.0)
        s = ct.where(row == column, ct.sum(rt * ut * kt, axis=1, keepdims=True), s)
        ot = ct.mma(s, vt, ct.mma(early, state, ct.full((T, D), 0.0, dtype=ct.float32)))
        ct.store(o, index=(head, j, 0), tile=ot.reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt * (whole / product)), vt, state * whole.reshape((D, 1)))


# ---- delta rules -----------------------------------------------------------------------------------------------------
@ct.kernel
def delta_steps(q, k, v, beta, o, D: Const):
    """S_t = S_{t-1} + beta_t k_t (v_t - k_t S_{t-1})^T, o_t = q_t S_t; grid (heads)."""
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        bt = ct.load(beta, index=(head, t), shape=(1, 1))
        state = state + bt * kt * (vt - ct.sum(kt * state, axis=0, keepdims=True))
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).reshape((1, 1, D)))


@ct.kernel
def delta_chunks(q, k, v, beta, o, D: Const, T: Const):
    """In chunks: a triangular system for what each step writes, row by row."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    none, zero = ct.full((T, T), 0.0, dtype=ct.float32), ct.full((T, D), 0.0, dtype=ct.float32)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        bt = ct.load(beta, index=(head, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        system = ct.where(row > column, bt * ct.mma(kt, ct.transpose(kt), none), 0.0)
        right = bt * (vt - ct.mma(kt, state, zero))
        u = zero
        for i in range(T):
            u = ct.where(row == i, right - ct.mma(system, u, zero), u)
        s = ct.where(row >= column, ct.mma(qt, ct.transpose(kt), none), 0.0)
        ct.store(o, index=(head, j, 0), tile=ct.mma(s, u, ct.mma(qt, state, zero)).reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt), u, state)


@ct.kernel
def delta_doubling(q, k, v, beta, o, D: Const):
    """In chunks of 16: the inverse as (1 - A)(1 + A^2)(1 + A^4)(1 + A^8), then W and U as in the paper."""
    head = ct.bid(0)
    T = 16
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    none, zero = ct.full((T, T), 0.0, dtype=ct.float32), ct.full((T, D), 0.0, dtype=ct.float32)
    one = ct.where(row == column, 1.0, 0.0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        bt = ct.load(beta, index=(head, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        system = ct.where(row > column, bt * ct.mma(kt, ct.transpose(kt), none), 0.0)
        inverse = one - system
        for _ in range(3):
            system = ct.mma(system, system, none)
            inverse = ct.mma(inverse, one + system, none)
        w = ct.mma(inverse, bt * kt, zero)
        u = ct.mma(inverse, bt * vt, zero) - ct.mma(w, state, zero)
        s = ct.where(row >= column, ct.mma(qt, ct.transpose(kt), none), 0.0)
        ct.store(o, index=(head, j, 0), tile=(ct.mma(qt, state, zero) + ct.mma(s, u, zero)).reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt), u, state)


@ct.kernel
def gated_delta_steps(q, k, v, beta, alpha, o, D: Const):
    """S_t = alpha_t (1 - beta_t k_t k_t^T) S_{t-1} + beta_t k_t v_t^T."""
    head = ct.bid(0)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        bt, at = ct.load(beta, index=(head, t), shape=(1, 1)), ct.load(alpha, index=(head, t), shape=(1, 1))
        state = at * (state - bt * kt * ct.sum(kt * state, axis=0, keepdims=True)) + bt * kt * vt
        ct.store(o, index=(head, t, 0), tile=ct.sum(qt * state, axis=0).reshape((1, 1, D)))


@ct.kernel
def gated_delta_chunks(q, k, v, beta, alpha, o, D: Const, T: Const):
    """In chunks, every product with the gates between its steps."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    none, zero = ct.full((T, T), 0.0, dtype=ct.float32), ct.full((T, D), 0.0, dtype=ct.float32)
    state = ct.full((D, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(q, axis=1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        bt = ct.load(beta, index=(head, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        at = ct.load(alpha, index=(head, j), shape=(1, T), padding_mode=ZERO).reshape((T, 1))
        log = ct.cumsum(ct.where(j * T + row < q.shape[1], ct.log(at), 0.0), axis=0)
        last = ct.min(log, axis=0, keepdims=True)
        between = ct.where(row >= column, ct.exp(log - log.reshape((1, T))), 0.0)
        system = ct.where(row > column, bt * ct.mma(kt, ct.transpose(kt), none) * between, 0.0)
        right = bt * (vt - ct.exp(log) * ct.mma(kt, state, zero))
        u = zero
        for i in range(T):
            u = ct.where(row == i, right - ct.mma(system, u, zero), u)
        s = ct.mma(qt, ct.transpose(kt), none) * between
        ot = ct.mma(s, u, ct.exp(log) * ct.mma(qt, state, zero))
        ct.store(o, index=(head, j, 0), tile=ot.reshape((1, T, D)))
        state = ct.mma(ct.transpose(kt * ct.exp(last - log)), u, ct.exp(last) * state)


# ---- with a sum to divide by -----------------------------------------------------------------------------------------
@ct.kernel
def feature_steps(q, k, v, o, eps: float, D: Const):
    """Linear attention with the features elu + 1: o_t = f(q_t) S_t / (f(q_t) z_t + eps)."""
    head = ct.bid(0)
    state, z = ct.full((D, D), 0.0, dtype=ct.float32), ct.full((D, 1), 0.0, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        qt, kt = ct.where(qt > 0.0, qt + 1.0, ct.exp(qt)), ct.where(kt > 0.0, kt + 1.0, ct.exp(kt))
        state, z = state + kt * vt, z + kt
        ot = ct.sum(qt * state, axis=0) / (ct.sum(qt * z) + eps)
        ct.store(o, index=(head, t, 0), tile=ot.reshape((1, 1, D)))


@ct.kernel
def feature_blocks(q, k, v, o, eps: float, D: Const, T: Const, L: Const):
    """As attention without a softmax, over blocks of keys up to the diagonal; grid (query blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    row = i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    qt = ct.load(q, index=(head, i, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    qt = ct.where(qt > 0.0, qt + 1.0, ct.exp(qt))
    acc, total = ct.full((T, D), 0.0, dtype=ct.float32), ct.full((T, 1), 0.0, dtype=ct.float32)
    for j in range(min(ct.num_tiles(k, axis=1, shape=(1, L, D)), ct.cdiv((i + 1) * T, L))):
        column = j * L + ct.arange(L, dtype=ct.int32).reshape((1, L))
        kt = ct.load(k, index=(head, j, 0), shape=(1, L, D), padding_mode=ZERO).reshape((L, D))
        kt = ct.where(kt > 0.0, kt + 1.0, ct.exp(kt))
        vt = ct.load(v, index=(head, j, 0), shape=(1, L, D), padding_mode=ZERO).reshape((L, D))
        s = ct.where(row >= column, ct.mma(qt, ct.transpose(kt), ct.full((T, L), 0.0, dtype=ct.float32)), 0.0)
        acc, total = ct.mma(s, vt, acc), total + ct.sum(s, axis=1, keepdims=True)
    ct.store(o, index=(head, i, 0), tile=(acc / (total + eps)).reshape((1, T, D)))


@ct.kernel
def mlstm_steps(q, k, v, i_gate, f_gate, o, D: Const):
    """xLSTM's matrix memory with exponential input gates and a running maximum; grid (heads)."""
    head = ct.bid(0)
    state, n = ct.full((D, D), 0.0, dtype=ct.float32), ct.full((D, 1), 0.0, dtype=ct.float32)
    m = ct.full((1, 1), -1e30, dtype=ct.float32)
    for t in range(q.shape[1]):
        qt = ct.load(q, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1))
        kt = ct.load(k, index=(head, t, 0), shape=(1, 1, D)).reshape((D, 1)) * 0.25
        vt = ct.load(v, index=(head, t, 0), shape=(1, 1, D)).reshape((1, D))
        it, ft = ct.load(i_gate, index=(head, t), shape=(1, 1)), ct.load(f_gate, index=(head, t), shape=(1, 1))
        log_f = -ct.log(1.0 + ct.exp(-ft))
        new = ct.maximum(log_f + m, it)
        f, i = ct.exp(log_f + m - new), ct.exp(it - new)
        state, n, m = f * state + i * kt * vt, f * n + i * kt, new
        below = ct.maximum(ct.abs(ct.sum(qt * n, axis=0, keepdims=True)), ct.exp(-m))
        ct.store(o, index=(head, t, 0), tile=(ct.sum(qt * state, axis=0, keepdims=True) / below).reshape((1, 1, D)))


@ct.kernel
def mlstm_parallel(q, k, v, i_gate, f_gate, o, D: Const, T: Const):
    """As one masked product, with the maximum of each row; grid (heads)."""
    head = ct.bid(0)
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    qt = ct.load(q, index=(head, 0, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    kt = ct.load(k, index=(head, 0, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    vt = ct.load(v, index=(head, 0, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    it = ct.load(i_gate, index=(head, 0), shape=(1, T), padding_mode=ZERO)
    log_f = -ct.log(1.0 + ct.exp(-ct.load(f_gate, index=(head, 0), shape=(1, T), padding_mode=ZERO)))
    log = ct.cumsum(log_f, axis=1)
    weights = ct.where(row >= column, log.reshape((T, 1)) - log + it, -float("inf"))
    m = ct.max(weights, axis=1, keepdims=True)
    s = ct.mma(qt, ct.transpose(kt), ct.full((T, T), 0.0, dtype=ct.float32)) * 0.25 * ct.exp(weights - m)
    below = ct.maximum(ct.abs(ct.sum(s, axis=1, keepdims=True)), ct.exp(-m))
    ot = ct.mma(s, vt, ct.full((T, D), 0.0, dtype=ct.float32)) / below
    ct.store(o, index=(head, 0, 0), tile=ot.reshape((1, T, D)))


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
RETENTION = [F3, F3, F3, F1, F3, F3]
DELTA = [F3, F3, F3, F2, F3]
KERNELS = {
    "retention_steps": (retention_steps, [*RETENTION, 16]),
    "retention_parallel": (retention_parallel, [F3, F3, F3, F1, F3, 16, 32, 16]),
    "retention_chunks": (retention_chunks, [*RETENTION, 16, 32]),
    "retention_prefill": (retention_prefill, [*RETENTION, ct.int32, 16, 16]),
    "retention_decode": (retention_decode, [*RETENTION, ct.int32, 16]),
    "gated_steps": (gated_steps, [F3, F3, F3, F3, F3, 16]),
    "gated_chunks": (gated_chunks, [F3, F3, F3, F3, F3, 16, 16]),
    "sigmoid_gated_steps": (sigmoid_gated_steps, [F3, F3, F3, F3, F3, 16]),
    "sigmoid_gated_chunks": (sigmoid_gated_chunks, [F3, F3, F3, F3, F3, 16, 16]),
    "bonus_steps": (bonus_steps, [F3, F3, F3, F3, F2, F3, 16]),
    "bonus_chunks": (bonus_chunks, [F3, F3, F3, F3, F2, F3, 16, 8]),
    "delta_steps": (delta_steps, [*DELTA, 16]),
    "delta_chunks": (delta_chunks, [*DELTA, 16, 8]),
    "delta_doubling": (delta_doubling, [*DELTA, 16]),
    "gated_delta_steps": (gated_delta_steps, [F3, F3, F3, F2, F2, F3, 16]),
    "gated_delta_chunks": (gated_delta_chunks, [F3, F3, F3, F2, F2, F3, 16, 8]),
    "feature_steps": (feature_steps, [F3, F3, F3, F3, ct.float32, 16]),
    "feature_blocks": (feature_blocks, [F3, F3, F3, F3, ct.float32, 16, 32, 16]),
    "mlstm_steps": (mlstm_steps, [F3, F3, F3, F2, F2, F3, 16]),
    "mlstm_parallel": (mlstm_parallel, [F3, F3, F3, F2, F2, F3, 16, 32]),
}

QUARTER = "{normal: {mean: 0, std: 0.25}}"
# Steps in chunks of 8, 16 and 32: ragged, whole, with one step in the last, one step.
MANY, SIZES = {"N": [100, 128, 97, 1]}, {"N": [45, 48, 33, 1]}
LONG = {n: buffer("f32", [2, "N", 16], QUARTER) for n in "QKV"}
HEADS = {
    **LONG,
    "DECAY": buffer("f32", [2], uniform(0.94, 0.99)),
    "O": buffer("f32", [2, "N", 16]),
    "S": buffer("f32", [2, 16, 16]),
}
SHORT = {**{n: buffer("f32", [2, "N", 16], QUARTER) for n in "QKV"}, "O": buffer("f32", [2, "N", 16])}
GATED = {**SHORT, "A": buffer("f32", [2, "N", 16], uniform(0.7, 1))}
BETA = {**SHORT, "BETA": buffer("f32", [2, "N"], uniform(0.1, 1))}
STEPS = [run("retention_steps", (2,), "Q", "K", "V", "DECAY", "O", "S")]
SOME = {
    **{n: buffer("f32", [2, "N", 16], NORMAL) for n in "QKV"},
    **{n: buffer("f32", [2, "N"], NORMAL) for n in ("I", "F")},
    "O": buffer("f32", [2, "N", 16]),
}

PAIRS = [
    pair(
        "parallel",
        "retention step by step, and as one product with powers of the decay up to 99",
        HEADS,
        STEPS,
        [run("retention_parallel", ("cdiv(N, 32)", 2), "Q", "K", "V", "DECAY", "O")],
        ["O"],
        [
            mutant(
                "later",
                "retention_parallel",
                "(row - column).astype",
                "(row - column + 1).astype",
                "one power too many",
            ),
            mutant("block", "retention_parallel", "column = j * L + ", "column = ", "columns within the block"),
            mutant(
                "strict",
                "retention_parallel",
                "ct.where(row >= column",
                "ct.where(row > column",
                "a step does not see itself",
            ),
            mutant(
                "head",
                "retention_parallel",
                "ct.load(decay, index=(head,)",
                "ct.load(decay, index=(0,)",
                "the decay of head 0",
            ),
            mutant(
                "tail",
                "retention_parallel",
                "range(ct.num_tiles(k, axis=1, shape=(1, L, D)))",
                "range(k.shape[1] // L)",
                "the last, incomplete block of keys is left out",
            ),
            mutant(
                "one_key",
                "retention_parallel",
                "range(ct.num_tiles(k, axis=1, shape=(1, L, D)))",
                "range(ct.cdiv(k.shape[1] - 1, L))",
                "a last block with a single key is skipped",
            ),
        ],
        names=("steps", "parallel"),
        parameters=MANY,
    ),
    pair(
        "chunks",
        "retention and its last state step by step, and in chunks of which the last has fewer steps",
        HEADS,
        STEPS,
        [run("retention_chunks", (2,), "Q", "K", "V", "DECAY", "O", "S")],
        ["O", "S"],
        [
            mutant(
                "tail",
                "retention_chunks",
                "count = min(T, q.shape[1] - j * T)",
                "count = T",
                "the state decays for a whole chunk in the last one",
            ),
            mutant(
                "since",
                "retention_chunks",
                "since = g ** (row + 1)",
                "since = g ** row",
                "the state decays one step less",
            ),
            mutant(
                "until", "retention_chunks", "g ** (count - 1 - row)", "g ** (count - row)", "keys decay one step more"
            ),
            mutant(
                "whole",
                "retention_chunks",
                "vt, state * whole)",
                "vt, state)",
                "the state does not decay from chunk to chunk",
            ),
            mutant(
                "stale",
                "retention_chunks",
                "ct.load(v, index=(head, j, 0)",
                "ct.load(v, index=(head, 0, 0)",
                "always the first chunk's values",
            ),
            mutant(
                "one_step",
                "retention_chunks",
                "range(ct.num_tiles(q, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(q.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=MANY,
    ),
    pair(
        "decode",
        "retention in chunks, and a prompt in chunks with three steps behind it, the state in place",
        HEADS,
        [run("retention_chunks", (2,), "Q", "K", "V", "DECAY", "O", "S")],
        [
            run("retention_prefill", (2,), "Q", "K", "V", "DECAY", "O", "S", "i32 N - 3"),
            *[run("retention_decode", (2,), "Q", "K", "V", "DECAY", "O", "S", f"i32 N - {back}") for back in (3, 2, 1)],
        ],
        ["O", "S"],
        [
            mutant(
                "not_decayed",
                "retention_decode",
                "ot = g * ct.sum",
                "ot = ct.sum",
                "the state is read before it decays",
            ),
            mutant(
                "own", "retention_decode", " + ct.sum(qt * kt.reshape((1, D))) * vt", "", "a step does not see itself"
            ),
            mutant(
                "not_kept",
                "retention_decode",
                "tile=(g * before + kt * vt)",
                "tile=(g * before + kt * vt * 0.0)",
                "the step is not written",
            ),
            mutant(
                "unmasked",
                "retention_prefill",
                "late = ct.where(there, kt",
                "late = ct.where(row >= 0, kt",
                "steps behind the prompt enter the state",
            ),
            mutant(
                "keys",
                "retention_prefill",
                "(count - 1 - row)",
                "(T - 1 - row)",
                "keys of the last chunk decay too much",
            ),
            mutant(
                "one_step",
                "retention_prefill",
                "range(ct.cdiv(first, T))",
                "range(ct.cdiv(first - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("chunks", "decode"),
        parameters={"N": [100, 99, 20, 4]},
    ),
    pair(
        "gated",
        "linear attention with a gate for each channel step by step, and in chunks with products of gates",
        GATED,
        [run("gated_steps", (2,), "Q", "K", "V", "A", "O")],
        [run("gated_chunks", (2,), "Q", "K", "V", "A", "O")],
        ["O"],
        [
            mutant("strict", "gated_chunks", "row >= column", "row > column", "a step does not see itself"),
            mutant(
                "whole",
                "gated_chunks",
                "state = whole * ct.mma",
                "state = ct.mma",
                "the state does not decay to the chunk's end",
            ),
            mutant(
                "axis",
                "gated_chunks",
                "ct.prod(at, axis=0).reshape((D, 1))",
                "ct.prod(at, axis=0).reshape((1, D))",
                "the gates of values, not of keys",
            ),
            mutant(
                "queries", "gated_chunks", "qt * product, kt / product", "qt, kt / product", "queries are not gated"
            ),
            mutant("exclusive", "gated_chunks", "kt / product", "kt / product * at", "keys decay one step more"),
            mutant(
                "one_step",
                "gated_chunks",
                "range(ct.num_tiles(q, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(q.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "sigmoid_gated",
        "gates that are roots of sigmoids step by step, and in chunks by their logarithms",
        {**SHORT, "X": buffer("f32", [2, "N", 16], NORMAL)},
        [run("sigmoid_gated_steps", (2,), "Q", "K", "V", "X", "O")],
        [run("sigmoid_gated_chunks", (2,), "Q", "K", "V", "X", "O")],
        ["O"],
        [
            mutant(
                "inclusive",
                "sigmoid_gated_chunks",
                "reverse=True) - log",
                "reverse=True)",
                "keys decay by their own gate",
            ),
            mutant("temperature", "sigmoid_gated_chunks", "-0.0625", "-0.125", "the eighth root"),
            mutant(
                "state",
                "sigmoid_gated_chunks",
                "ct.exp(all_).reshape((D, 1)) * state",
                "state",
                "the state does not decay",
            ),
            mutant("forwards", "sigmoid_gated_chunks", ", reverse=True)", ")", "sums from the chunk's beginning"),
            mutant(
                "one_step",
                "sigmoid_gated_chunks",
                "range(ct.num_tiles(q, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(q.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "bonus",
        "RWKV with a bonus for the step itself, step by step and in chunks",
        {**SHORT, "W": buffer("f32", [2, "N", 16], uniform(0.7, 1)), "U": buffer("f32", [2, 16], NORMAL)},
        [run("bonus_steps", (2,), "Q", "K", "V", "W", "U", "O")],
        [run("bonus_chunks", (2,), "Q", "K", "V", "W", "U", "O")],
        ["O"],
        [
            mutant(
                "inclusive",
                "bonus_chunks",
                "rt * (product / wt)",
                "rt * product",
                "the step's own decay before it is read",
            ),
            mutant("no_bonus", "bonus_chunks", "ct.sum(rt * ut * kt", "ct.sum(rt * kt", "no bonus on the diagonal"),
            mutant(
                "twice",
                "bonus_chunks",
                "ct.where(row > column, s",
                "ct.where(row > column - 1, s",
                "the diagonal is kept in the product as well",
                (
                    "ct.sum(rt * ut * kt, axis=1, keepdims=True), s)",
                    "s + ct.sum(rt * ut * kt, axis=1, keepdims=True), s)",
                ),
            ),
            mutant(
                "head", "bonus_chunks", "ct.load(u, index=(head, 0)", "ct.load(u, index=(0, 0)", "the bonus of head 0"
            ),
            mutant(
                "tail",
                "bonus_chunks",
                "state * whole.reshape((D, 1))",
                "state * product.extract((0, 0), (1, D)).reshape((D, 1))",
                "the state decays by the first step only",
            ),
            mutant(
                "one_step",
                "bonus_chunks",
                "range(ct.num_tiles(r, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(r.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "delta",
        "the delta rule step by step, and in chunks by a triangular system",
        BETA,
        [run("delta_steps", (2,), "Q", "K", "V", "BETA", "O")],
        [run("delta_chunks", (2,), "Q", "K", "V", "BETA", "O")],
        ["O"],
        [
            mutant(
                "no_system",
                "delta_chunks",
                "right - ct.mma(system, u, zero)",
                "right",
                "steps of a chunk do not see each other",
            ),
            mutant(
                "sign",
                "delta_chunks",
                "right - ct.mma(system",
                "right + ct.mma(system",
                "the system has the wrong sign",
            ),
            mutant("beta", "delta_chunks", "bt * ct.mma(kt", "ct.mma(kt", "no beta in the system"),
            mutant(
                "beta_column",
                "delta_chunks",
                "ct.where(row > column, bt * ct",
                "ct.where(row > column, bt.reshape((1, T)) * ct",
                "the other step's beta",
            ),
            mutant(
                "old_state",
                "delta_chunks",
                "bt * (vt - ct.mma(kt, state, zero))",
                "bt * vt",
                "what the state has is not taken off",
            ),
            mutant(
                "last_row", "delta_chunks", "for i in range(T)", "for i in range(T - 1)", "the last row is not solved"
            ),
            mutant(
                "one_step",
                "delta_chunks",
                "range(ct.num_tiles(q, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(q.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "delta_doubling",
        "the delta rule in chunks by a triangular system, and by an inverse as a product of powers",
        BETA,
        [run("delta_chunks", (2,), "Q", "K", "V", "BETA", "O")],
        [run("delta_doubling", (2,), "Q", "K", "V", "BETA", "O")],
        ["O"],
        [
            mutant("powers", "delta_doubling", "for _ in range(3)", "for _ in range(2)", "the last power is left out"),
            mutant(
                "start",
                "delta_doubling",
                "inverse = one - system",
                "inverse = one + system",
                "the first power has the wrong sign",
            ),
            mutant(
                "beta",
                "delta_doubling",
                "ct.mma(inverse, bt * kt, zero)",
                "ct.mma(inverse, kt, zero)",
                "W without beta",
            ),
            mutant(
                "mask",
                "delta_doubling",
                "row >= column, ct.mma(qt",
                "row > column, ct.mma(qt",
                "a step does not see itself",
            ),
        ],
        names=("rows", "doubling"),
        parameters=SIZES,
    ),
    pair(
        "gated_delta",
        "the gated delta rule step by step, and in chunks",
        {**BETA, "ALPHA": buffer("f32", [2, "N"], uniform(0.7, 1))},
        [run("gated_delta_steps", (2,), "Q", "K", "V", "BETA", "ALPHA", "O")],
        [run("gated_delta_chunks", (2,), "Q", "K", "V", "BETA", "ALPHA", "O")],
        ["O"],
        [
            mutant(
                "system",
                "gated_delta_chunks",
                "ct.mma(kt, ct.transpose(kt), none) * between",
                "ct.mma(kt, ct.transpose(kt), none)",
                "no gates in the system",
            ),
            mutant(
                "old_state",
                "gated_delta_chunks",
                "vt - ct.exp(log) * ct.mma",
                "vt - ct.mma",
                "the state is read before its gates",
            ),
            mutant(
                "late", "gated_delta_chunks", "kt * ct.exp(last - log)", "kt", "keys do not decay to the chunk's end"
            ),
            mutant(
                "state",
                "gated_delta_chunks",
                "u, ct.exp(last) * state)",
                "u, ct.exp(log.extract((0, 0), (1, 1))) * state)",
                "the state decays by the first gate only",
            ),
            mutant(
                "one_step",
                "gated_delta_chunks",
                "range(ct.num_tiles(q, axis=1, shape=(1, T, D)))",
                "range(ct.cdiv(q.shape[1] - 1, T))",
                "a last chunk with a single step is left out",
            ),
        ],
        names=("steps", "chunks"),
        parameters=SIZES,
    ),
    pair(
        "features",
        "linear attention with features and a sum to divide by, step by step and as masked products",
        SHORT,
        [run("feature_steps", (2,), "Q", "K", "V", "O", "f32 0.001")],
        [run("feature_blocks", ("cdiv(N, 32)", 2), "Q", "K", "V", "O", "f32 0.001")],
        ["O"],
        [
            mutant(
                "one",
                "feature_blocks",
                "kt + 1.0, ct.exp(kt)",
                "kt, ct.exp(kt)",
                "elu + 1 without its 1 for positive keys",
            ),
            mutant("total", "feature_blocks", "total + ct.sum(s", "ct.sum(s", "the sum of the last block only"),
            mutant(
                "diagonal",
                "feature_blocks",
                "ct.cdiv((i + 1) * T, L)",
                "ct.cdiv(i * T + 1, L)",
                "blocks near the diagonal are skipped",
            ),
            mutant("causal", "feature_blocks", "row >= column", "row >= column - 1", "a step sees the next one"),
            mutant(
                "one_key",
                "feature_blocks",
                "ct.num_tiles(k, axis=1, shape=(1, L, D))",
                "ct.cdiv(k.shape[1] - 1, L)",
                "a last block with a single key is skipped",
            ),
        ],
        names=("steps", "blocks"),
        parameters=SIZES,
    ),
    pair(
        "mlstm",
        "xLSTM's matrix memory step by step with a running maximum, and as one masked product",
        SOME,
        [run("mlstm_steps", (2,), "Q", "K", "V", "I", "F", "O")],
        [run("mlstm_parallel", (2,), "Q", "K", "V", "I", "F", "O")],
        ["O"],
        [
            mutant(
                "gate",
                "mlstm_parallel",
                "- log + it, -float",
                "- log + it + log_f, -float",
                "a step's input passes its own forget gate",
            ),
            mutant(
                "bound",
                "mlstm_parallel",
                "ct.maximum(ct.abs(ct.sum(s, axis=1, keepdims=True)), ct.exp(-m))",
                "ct.maximum(ct.abs(ct.sum(s, axis=1, keepdims=True)), 1.0)",
                "1 for e^-m below",
            ),
            mutant(
                "no_abs",
                "mlstm_parallel",
                "ct.abs(ct.sum(s, axis=1, keepdims=True))",
                "ct.sum(s, axis=1, keepdims=True)",
                "the sum below has a sign",
            ),
            mutant("scale", "mlstm_parallel", "* 0.25 * ct.exp", "* 0.125 * ct.exp", "keys are scaled by 1/8"),
        ],
        names=("steps", "parallel"),
        parameters={"N": [20, 32, 1]},
    ),
]
