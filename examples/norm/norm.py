# SPDX-License-Identifier: Apache-2.0
# Layer norm and RMS norm of bfloat16 rows: a whole row at a time, and in column blocks.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def layer_norm(x, w, b, y, eps: float, TM: Const, TN: Const):
    """y = (x - mean) / sqrt(variance + eps) * w + b for each row, TN at least its length; grid (row blocks)."""
    i = ct.bid(0)
    n = x.shape[1]
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < n
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(t, axis=1, keepdims=True) / n
    centred = ct.where(inside, t - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / n
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    bt = ct.load(b, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    ct.store(y, index=(i, 0), tile=(centred * ct.rsqrt(variance + eps) * wt + bt).astype(y.dtype))


@ct.kernel
def layer_norm_blocks(x, w, b, y, eps: float, TM: Const, TN: Const):
    """As layer_norm, in blocks of TN columns; grid (row blocks)."""
    i = ct.bid(0)
    n = x.shape[1]
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    total = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        total += ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(total, axis=1, keepdims=True) / n
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < n
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        centred = ct.where(inside, t - mean, 0.0)
        squares += ct.sum(centred * centred, axis=1, keepdims=True)
    rstd = ct.rsqrt(squares / n + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        bt = ct.load(b, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=((t - mean) * (rstd * wt) + bt).astype(y.dtype))


@ct.kernel
def rms_norm(x, w, y, eps: float, TM: Const, TN: Const):
    """y = x / sqrt(mean of squares + eps) * w for each row, TN at least its length; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    wt = ct.load(w, index=(0,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(t * rstd * wt).astype(y.dtype))


@ct.kernel
def rms_norm_blocks(x, w, y, eps: float, TM: Const, TN: Const):
    """As rms_norm, in blocks of TN columns; grid (row blocks)."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    squares = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        squares = squares + t * t
    rstd = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / x.shape[1] + eps)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
        wt = ct.load(w, index=(j,), shape=(TN,), padding_mode=ZERO).astype(ct.float32)
        ct.store(y, index=(i, j), tile=(t * (wt * rstd)).astype(y.dtype))


ROWS, COLUMNS = array(ct.bfloat16, 2), array(ct.bfloat16, 1)
EXPORTS = {
    "layer_norm": (layer_norm, [ROWS, COLUMNS, COLUMNS, ROWS, ct.float32, 4, 1024]),
    "layer_norm_blocks": (layer_norm_blocks, [ROWS, COLUMNS, COLUMNS, ROWS, ct.float32, 8, 128]),
    "rms_norm": (rms_norm, [ROWS, COLUMNS, ROWS, ct.float32, 4, 1024]),
    "rms_norm_blocks": (rms_norm_blocks, [ROWS, COLUMNS, ROWS, ct.float32, 8, 128]),
}
