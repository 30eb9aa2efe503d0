# SPDX-License-Identifier: Apache-2.0
# Layers of networks, forwards and backwards.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
VERSIONS = ("13.4",)
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def softmax_backward(y, dy, dx, N: Const):
    row = ct.bid(0)
    p = ct.load(y, index=(row, 0), shape=(1, N), padding_mode=ZERO).astype(ct.float32)
    g = ct.load(dy, index=(row, 0), shape=(1, N), padding_mode=ZERO).astype(ct.float32)
    ct.store(dx, index=(row, 0), tile=(p * (g - ct.sum(p * g, axis=1, keepdims=True))).astype(dx.dtype))


@ct.kernel
def group_norm(x, weight, bias, y, eps: float, G: Const, T: Const):
    n, g = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(n, g, 0), shape=(1, G, T)).reshape((G, T)).astype(ct.float32)
    count = G * T
    mean = ct.sum(a) / count
    a = a - mean
    scale = ct.rsqrt(ct.sum(a * a) / count + eps)
    w = ct.load(weight, index=(g,), shape=(G,)).reshape((G, 1))
    b = ct.load(bias, index=(g,), shape=(G,)).reshape((G, 1))
    ct.store(y, index=(n, g, 0), tile=(a * scale * w + b).reshape((1, G, T)).astype(y.dtype))


@ct.kernel
def rms_norm_backward(x, weight, dy, dx, dw, N: Const, rows: int):
    """The gradient of the weights is summed up over rows by each block and then by atomic updates."""
    w = ct.load(weight, index=(0,), shape=(N,)).reshape((1, N))
    total = ct.zeros((1, N), ct.float32)
    for row in range(ct.bid(0), rows, ct.num_blocks(0)):
        a = ct.load(x, index=(row, 0), shape=(1, N))
        g = ct.load(dy, index=(row, 0), shape=(1, N))
        r = ct.rsqrt(ct.sum(a * a) / N + 1e-6)
        h = g * w
        ct.store(dx, index=(row, 0), tile=r * (h - a * (r * r / N * ct.sum(a * h))))
        total += g * a * r
    ct.atomic_add(dw, ct.arange(N, dtype=ct.int32), total.reshape((N,)))


@ct.kernel
def swish_gate(x, y, T: Const):
    """Half of a row opens the other half."""
    row, j = ct.bid(0), ct.bid(1)
    half = ct.num_blocks(1)
    a = ct.load(x, index=(row, j), shape=(1, T)).astype(ct.float32)
    b = ct.load(x, index=(row, j + half), shape=(1, T)).astype(ct.float32)
    ct.store(y, index=(row, j), tile=(a / (1.0 + ct.exp(-a)) * b).astype(y.dtype))


@ct.kernel
def loss_of_labels(logits, labels, loss, gradient, N: Const):
    row = ct.bid(0)
    a = ct.load(logits, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF)
    label = ct.load(labels, index=(row,), shape=())
    top = ct.max(a)
    e = ct.exp2((a - top) * 1.4426950408889634)
    total = ct.sum(e)
    hit = ct.arange(N, dtype=ct.int32).reshape((1, N)) == label
    if label < 0:
        ct.store(loss, index=(row,), tile=0.0)
    else:
        ct.store(loss, index=(row,), tile=ct.log(total) + top - ct.sum(ct.where(hit, a, 0.0)))
    ct.store(gradient, index=(row, 0), tile=e / total - ct.where(hit, 1.0, 0.0))


@ct.kernel
def dropout(x, y, seed: int, keep: float, T: Const):
    """Random numbers of a counter: ten rounds of multiply and xor (Philox 2x32)."""
    i = ct.bid(0)
    low = (ct.arange(T, dtype=ct.uint32) + ct.astype(i * T, ct.uint32))
    high = ct.zeros((T,), ct.uint32)
    key = ct.astype(seed, ct.uint32)
    for _ in range(10):
        product = low.astype(ct.uint64) * 0xD256D193
        low, high = (product >> 32).astype(ct.uint32) ^ key ^ high, product.astype(ct.uint32)
        key += ct.uint32(0x9E3779B9)
    chance = (low >> 8).astype(ct.float32) * (1.0 / 16777216.0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.where(chance < keep, a / keep, 0.0))


@ct.kernel
def embedding(tokens, table, y, T: Const, D: Const):
    """Rows of a table, one gather for a block of tokens."""
    token = ct.load(tokens, index=(ct.bid(0),), shape=(T,))
    column = ct.arange(D, dtype=ct.int32) + ct.bid(1) * D
    rows = ct.gather(table, (token[:, None], column[None, :]), mask=(token >= 0)[:, None])
    ct.store(y, index=(ct.bid(0), ct.bid(1)), tile=rows)


@ct.kernel
def best_of_row(scores, values, places, N: Const, K: Const):
    """The K largest of a row, one after the other."""
    row = ct.bid(0)
    a = ct.load(scores, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF)
    column = ct.arange(N, dtype=ct.int32).reshape((1, N))
    for k in range(K):
        place = ct.argmax(a, axis=1)
        ct.store(values, index=(row, k), tile=ct.max(a))
        ct.store(places, index=(row, k), tile=place.item())
        a = ct.where(column == place[:, None], -float("inf"), a)


@ct.kernel
def quantised_rows(x, y, scales, N: Const):
    """Rows to 8 bits, each with a scale that is a power of two."""
    row = ct.bid(0)
    a = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    largest = ct.max(ct.abs(a), propagate_nan=True)
    scale = ct.exp2(ct.ceil(ct.log2(largest / 448.0)))
    ct.store(scales, index=(row,), tile=scale)
    ct.store(y, index=(row, 0), tile=(a / scale).astype(ct.float8_e4m3fn))


@ct.kernel
def rotated_halves(x, cosines, sines, y, D: Const):
    """Rotary positions: both halves of a head turned by the angle of the place."""
    place, head = ct.bid(0), ct.bid(1)
    c = ct.load(cosines, index=(place, 0), shape=(1, D))
    s = ct.load(sines, index=(place, 0), shape=(1, D))
    a = ct.load(x, index=(place, head, 0), shape=(1, 1, D)).reshape((1, D)).astype(ct.float32)
    b = ct.load(x, index=(place, head, 1), shape=(1, 1, D)).reshape((1, D)).astype(ct.float32)
    ct.store(y, index=(place, head, 0), tile=(a * c - b * s).reshape((1, 1, D)).astype(y.dtype))
    ct.store(y, index=(place, head, 1), tile=(b * c + a * s).reshape((1, 1, D)).astype(y.dtype))


F32, M32, F16, M16, T16 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float16, 1), array(ct.float16, 2), array(ct.float16, 3)
I32 = array(ct.int32, 1)
EXPORTS = {
    "softmax_backward": (softmax_backward, [M16, M16, M16, 16]),
    "group_norm": (group_norm, [T16, F32, F32, T16, ct.float32, 4, 16]),
    "rms_norm_backward": (rms_norm_backward, [M32, F32, M32, M32, F32, 16, ct.int32]),
    "swish_gate": (swish_gate, [array(ct.bfloat16, 2), array(ct.bfloat16, 2), 16]),
    "loss_of_labels": (loss_of_labels, [M32, I32, F32, M32, 16]),
    "dropout": (dropout, [F32, F32, ct.int32, ct.float32, 16]),
    "embedding": (embedding, [I32, M16, M16, 8, 8]),
    "best_of_row": (best_of_row, [M32, M32, array(ct.int32, 2), 16, 4]),
    "quantised_rows": (quantised_rows, [M16, array(ct.float8_e4m3fn, 2), F32, 32]),
    "rotated_halves": (rotated_halves, [T16, M32, M32, T16, 8]),
}
