# SPDX-License-Identifier: Apache-2.0
# Rows in Triton: softmax and its backward, layer, RMS and group norm, backward, residuals, dropout.
import triton
import triton.language as tl
from corpus import NORMAL, buffer, jit, launched, mutant, pair, run, uniform


# ---- softmax ---------------------------------------------------------------------------------------------------------
@triton.jit
def softmax(x_ptr, y_ptr, stride, n, T: tl.constexpr):
    """A row whole; grid (rows)."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * stride + at, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def softmax_online(x_ptr, y_ptr, n, T: tl.constexpr):
    """A row in blocks: first its maximum and sum, then the result."""
    x_ptr += tl.program_id(0) * n
    y_ptr += tl.program_id(0) * n
    largest = -float("inf")
    total = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=-float("inf"))
        new = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), 0)
        largest = new
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0)
        tl.store(y_ptr + at, tl.exp(x - largest) / total, mask=at < n)


@triton.jit
def softmax_rows(x_ptr, y_ptr, rows, n, ROWS: tl.constexpr, T: tl.constexpr):
    """Several rows by each of a few programs, which take turns; base 2."""
    for first in range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS):
        row, at = first + tl.arange(0, ROWS)[:, None], tl.arange(0, T)[None, :]
        inside = (row < rows) & (at < n)
        x = tl.load(x_ptr + row * n + at, mask=inside, other=-float("inf")) * 1.4426950408889634
        x = tl.where(row < rows, x, 0.0)
        e = tl.exp2(x - tl.max(x, 1)[:, None])
        tl.store(y_ptr + row * n + at, e / tl.sum(e, 1)[:, None], mask=inside)


@triton.jit
def softmax_backward(x_ptr, g_ptr, d_ptr, n, T: tl.constexpr):
    """d = y (g - sum(y g)) with y computed from x again."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))
    g = tl.load(g_ptr + row * n + at, mask=at < n, other=0.0)
    e = tl.exp(x - tl.max(x, 0))
    y = e / tl.sum(e, 0)
    tl.store(d_ptr + row * n + at, y * (g - tl.sum(y * g, 0)), mask=at < n)


# ---- norms -----------------------------------------------------------------------------------------------------------
@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, T: tl.constexpr):
    """A row whole: mean, then the variance of what is centred."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / n
    centred = tl.where(inside, x - mean, 0.0)
    r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    w = tl.load(w_ptr + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + at, (centred * r * w + b).to(tl.bfloat16), mask=inside)


@triton.jit
def layer_norm_blocks(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, T: tl.constexpr):
    """A row in blocks of lanes that are summed at the end: three passes."""
    x_ptr += tl.program_id(0) * n
    y_ptr += tl.program_id(0) * n
    total = tl.zeros((T,), tl.float32)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        total += tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / n
    squares = tl.zeros((T,), tl.float32)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        x = tl.where(at < n, x - mean, 0.0)
        squares += x * x
    r = 1 / tl.sqrt(tl.sum(squares, 0) / n + eps)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + at, ((x - mean) * r * w + b).to(tl.bfloat16), mask=at < n)


@triton.jit
def merge_moments(mean_a, square_a, count_a, mean_b, square_b, count_b):
    """Moments of two sets as those of both (Chan)."""
    count = count_a + count_b
    share = tl.where(count == 0.0, 0.0, count_b / count)
    step = mean_b - mean_a
    return mean_a + step * share, square_a + square_b + step * step * count_a * share, count


@triton.jit
def layer_norm_moments(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, T: tl.constexpr):
    """A row whole: mean and variance by one reduction of three tensors."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0).to(tl.float32)
    mean, square, count = tl.reduce((x, tl.zeros_like(x), inside.to(tl.float32)), 0, merge_moments)
    w = tl.load(w_ptr + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=inside, other=0.0).to(tl.float32)
    y = (x - mean) * tl.rsqrt(square / count + eps) * w + b
    tl.store(y_ptr + row * n + at, y.to(tl.bfloat16), mask=inside)


@triton.jit
def rms_norm(x_ptr, w_ptr, y_ptr, n, eps, T: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(x * x, 0) / n + eps)
    w = tl.load(w_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + at, (x * r * w).to(tl.bfloat16), mask=at < n)


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    z = tl.load(x_ptr + at, mask=at < n, other=0.0) + tl.load(y_ptr + at, mask=at < n, other=0.0)
    tl.store(z_ptr + at, z, mask=at < n)


@triton.jit
def rms_norm_plain(x_ptr, w_ptr, y_ptr, n, eps, T: tl.constexpr):
    """As rms_norm, in f32 and with 1 + w."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, 0) / n + eps)
    tl.store(y_ptr + row * n + at, x * r * (1.0 + tl.load(w_ptr + at, mask=at < n, other=0.0)), mask=at < n)


@triton.jit
def rms_norm_residual(x_ptr, r_ptr, w_ptr, y_ptr, n, eps, T: tl.constexpr):
    """The residual grows by x in place, and its norm times (1 + w) is the result; in blocks."""
    row = tl.program_id(0).to(tl.int64) * n
    squares = tl.zeros((T,), tl.float32)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        r = tl.load(r_ptr + row + at, mask=at < n, other=0.0) + tl.load(x_ptr + row + at, mask=at < n, other=0.0)
        tl.store(r_ptr + row + at, r, mask=at < n)
        squares += r * r
    rstd = tl.rsqrt(tl.sum(squares, 0) / n + eps)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        r = tl.load(r_ptr + row + at, mask=at < n, other=0.0)
        w = tl.load(w_ptr + at, mask=at < n, other=0.0)
        tl.store(y_ptr + row + at, r * rstd * (1.0 + w), mask=at < n)


@triton.jit
def group_norm(x_ptr, y_ptr, channels, pixels, eps, GROUP: tl.constexpr, T: tl.constexpr):
    """A group of GROUP channels of one sample; grid (samples, groups)."""
    base = (tl.program_id(0) * channels + tl.program_id(1) * GROUP) * pixels
    n = GROUP * pixels
    total = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        total += tl.sum(tl.load(x_ptr + base + at, mask=at < n, other=0.0), 0)
    mean = total / n
    squares = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        d = tl.where(at < n, tl.load(x_ptr + base + at, mask=at < n, other=0.0) - mean, 0.0)
        squares += tl.sum(d * d, 0)
    r = tl.rsqrt(squares / n + eps)
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        tl.store(y_ptr + base + at, (tl.load(x_ptr + base + at, mask=at < n, other=0.0) - mean) * r, mask=at < n)


# ---- backward --------------------------------------------------------------------------------------------------------
@triton.jit
def norm_backward(x_ptr, w_ptr, g_ptr, d_ptr, n, eps, T: tl.constexpr):
    """The gradient of layer norm's input."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
    wg = tl.load(w_ptr + at, mask=inside, other=0.0) * tl.load(g_ptr + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(inside, x - mean, 0.0)
    r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    h = centred * r
    c1 = tl.sum(h * wg, 0) / n
    c2 = tl.sum(wg, 0) / n
    tl.store(d_ptr + row * n + at, (wg - (h * c1 + c2)) * r, mask=inside)


@triton.jit
def weight_gradient_parts(x_ptr, g_ptr, dw_ptr, db_ptr, rows, n, eps, T: tl.constexpr):
    """Parts of layer norm's dw and db: a program has every GRID-th row."""
    program, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    dw = tl.zeros((T,), tl.float32)
    db = tl.zeros((T,), tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
        g = tl.load(g_ptr + row * n + at, mask=inside, other=0.0)
        centred = tl.where(inside, x - tl.sum(x, 0) / n, 0.0)
        dw += g * centred * tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
        db += g
    tl.store(dw_ptr + program * n + at, dw, mask=inside)
    tl.store(db_ptr + program * n + at, db, mask=inside)


@triton.jit
def sum_columns(parts_ptr, sum_ptr, parts, n, ROWS: tl.constexpr, T: tl.constexpr):
    """The sum of each column; grid (column blocks)."""
    at = tl.program_id(0) * T + tl.arange(0, T)
    total = tl.zeros((ROWS, T), tl.float32)
    for start in range(0, parts, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row[:, None] < parts) & (at[None, :] < n)
        total += tl.load(parts_ptr + row[:, None] * n + at[None, :], mask=inside, other=0.0)
    tl.store(sum_ptr + at, tl.sum(total, 0), mask=at < n)


# ---- dropout ---------------------------------------------------------------------------------------------------------
@triton.jit
def dropout(x_ptr, y_ptr, n, p, seed, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(y_ptr + at, tl.where(tl.rand(seed, at) > p, x / (1.0 - p), 0.0), mask=at < n)


@triton.jit
def dropout_add_norm(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, n, p, seed, eps, T: tl.constexpr):
    """Dropout, the residual and layer norm of a row in one."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
    kept = tl.rand(seed, row * n + at) > p
    t = tl.where(kept, x / (1.0 - p), 0.0) + tl.load(r_ptr + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(t, 0) / n
    centred = tl.where(inside, t - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    w, b = tl.load(w_ptr + at, mask=inside, other=0.0), tl.load(b_ptr + at, mask=inside, other=0.0)
    tl.store(y_ptr + row * n + at, centred * rstd * w + b, mask=inside)


@triton.jit
def layer_norm_plain(x_ptr, w_ptr, b_ptr, y_ptr, n, eps, T: tl.constexpr):
    """As layer_norm, in f32."""
    row, at = tl.program_id(0), tl.arange(0, T)
    inside = at < n
    x = tl.load(x_ptr + row * n + at, mask=inside, other=0.0)
    mean = tl.sum(x, 0) / n
    centred = tl.where(inside, x - mean, 0.0)
    r = tl.rsqrt(tl.sum(centred * centred, 0) / n + eps)
    w, b = tl.load(w_ptr + at, mask=inside, other=0.0), tl.load(b_ptr + at, mask=inside, other=0.0)
    tl.store(y_ptr + row * n + at, centred * r * w + b, mask=inside)


KERNELS = {
    "softmax": jit(softmax, "*fp32 *fp32 i32 i32", T=128),
    "softmax_online": jit(softmax_online, "*fp32 *fp32 i32", T=16),
    "softmax_rows": jit(softmax_rows, "*fp32 *fp32 i32 i32", ROWS=4, T=64),
    "softmax_backward": jit(softmax_backward, "*fp32 *fp32 *fp32 i32", T=64),
    "layer_norm": jit(layer_norm, "*bf16 *bf16 *bf16 *bf16 i32 fp32", T=64),
    "layer_norm_blocks": jit(layer_norm_blocks, "*bf16 *bf16 *bf16 *bf16 i32 fp32", T=16),
    "layer_norm_moments": jit(layer_norm_moments, "*bf16 *bf16 *bf16 *bf16 i32 fp32", T=64),
    "rms_norm": jit(rms_norm, "*bf16 *bf16 *bf16 i32 fp32", T=64),
    "add": jit(add, "*fp32 *fp32 *fp32 i32", T=128),
    "rms_norm_plain": jit(rms_norm_plain, "*fp32 *fp32 *fp32 i32 fp32", T=64),
    "rms_norm_residual": jit(rms_norm_residual, "*fp32 *fp32 *fp32 *fp32 i32 fp32", T=16),
    "group_norm": jit(group_norm, "*fp32 *fp32 i32 i32 fp32", GROUP=4, T=32),
    "norm_backward": jit(norm_backward, "*fp32 *fp32 *fp32 *fp32 i32 fp32", T=64),
    "weight_gradient_parts": jit(weight_gradient_parts, "*fp32 *fp32 *fp32 *fp32 i32 i32 fp32", T=64),
    "sum_columns": jit(sum_columns, "*fp32 *fp32 i32 i32", ROWS=2, T=32),
    "dropout": jit(dropout, "*fp32 *fp32 i32 fp32 i32", T=128),
    "dropout_add_norm": jit(dropout_add_norm, "*fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32 i32 fp32", T=64),
    "layer_norm_plain": jit(layer_norm_plain, "*fp32 *fp32 *fp32 *fp32 i32 fp32", T=64),
}

SIZES = {"R": [13, 9], "C": [50, 64, 33, 2]}
BY_4 = "cdiv(R, 4)"
ALL = "i32 R * C"
X, Y = buffer("f32", ["R", "C"], NORMAL), buffer("f32", ["R", "C"])
XB, YB = buffer("bf16", ["R", "C"], NORMAL), buffer("bf16", ["R", "C"])
WB, BB = buffer("bf16", ["C"], uniform(0.5, 1.5)), buffer("bf16", ["C"], NORMAL)
W = buffer("f32", ["C"], uniform(0.5, 1.5))
NORM = {"X": XB, "W": WB, "B": BB, "Y": YB}
EPS = "f32 1e-5"
LAYER = ("X", "W", "B", "Y", "i32 C", EPS)
BOTH = ("cutile", "triton")

PAIRS = [
    pair(
        "rows",
        "softmax of whole rows, of cuTile and of Triton",
        {"X": X, "Y": Y},
        [run("../softmax/softmax_rows.tileirbc", (BY_4,), "X", "Y")],
        [run("softmax", ("R",), "X", "Y", "i32 C", "i32 C")],
        ["Y"],
        [
            mutant("masked_zero", "softmax", "other=-float(\"inf\")", "other=0.0", "what is outside counts as 0"),
            mutant("not_divided", "softmax", "e / tl.sum(e, 0)", "e", "the sum is missing"),
            mutant("largest", "softmax", "e / tl.sum(e, 0)", "e / tl.max(e, 0)", "divided by the largest"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "online",
        "softmax of whole rows, and in blocks with a running maximum, both of Triton",
        {"X": X, "Y": Y},
        [run("softmax", ("R",), "X", "Y", "i32 C", "i32 C")],
        [run("softmax_online", ("R",), "X", "Y", "i32 C")],
        ["Y"],
        [
            mutant("not_rescaled", "softmax_online", "total * tl.exp(largest - new) + ", "total + ", "no rescaling"),
            mutant("rescaled_twice", "softmax_online", "total * tl.exp(largest - new) + ",
                   "total * tl.exp(2 * (largest - new)) + ", "rescaled twice"),
            mutant("last_block", "softmax_online", "for start in range(0, n, T):\n        at = start + tl.arange(0, T)\n"
                   "        x = tl.load(x_ptr + at, mask=at < n, other=-float",
                   "for start in range(0, n - T, T):\n        at = start + tl.arange(0, T)\n"
                   "        x = tl.load(x_ptr + at, mask=at < n, other=-float", "the last block is not in the sum"),
        ],
        parameters=SIZES | {"C": [50, 64, 33, 17]},
    ),
    pair(
        "turns",
        "softmax of a row by each program, and of four rows at a time by two programs, both of Triton",
        {"X": X, "Y": Y},
        [run("softmax", ("R",), "X", "Y", "i32 C", "i32 C")],
        [run("softmax_rows", (2,), "X", "Y", "i32 R", "i32 C")],
        ["Y"],
        [
            mutant("wrong_step", "softmax_rows", "tl.num_programs(0) * ROWS)", "3 * ROWS)", "a turn is left out"),
            mutant("axis", "softmax_rows", "tl.sum(e, 1)[:, None]", "tl.sum(e, 0)[None, :]", "sums of columns"),
        ],
        parameters=SIZES,
    ),
    pair(
        "softmax_backward",
        "softmax backward from the result of cuTile, and from the scores of Triton",
        {"X": X, "G": X, "Y": Y, "D": Y},
        [
            run("../softmax/softmax_rows.tileirbc", (BY_4,), "X", "Y"),
            run("../softmax/softmax_backward.tileirbc", (BY_4,), "Y", "G", "D"),
        ],
        [run("softmax_backward", ("R",), "X", "G", "D", "i32 C")],
        ["D"],
        [
            mutant("no_sum", "softmax_backward", "(g - tl.sum(y * g, 0))", "g", "only the diagonal of the Jacobian"),
            mutant("sum_of_g", "softmax_backward", "tl.sum(y * g, 0)", "tl.sum(g, 0)", "the sum is not weighted"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "layer_norm",
        "layer norm in bf16 of cuTile, and of Triton",
        NORM,
        [run("../norm/layer_norm.tileirbc", (BY_4,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm", ("R",), *LAYER)],
        ["Y"],
        [
            mutant("not_masked", "layer_norm", "tl.where(inside, x - mean, 0.0)", "x - mean", "what is outside has a share"),
            mutant("by_tile", "layer_norm", "tl.sum(centred * centred, 0) / n", "tl.sum(centred * centred, 0) / T",
                   "divided by the tile's size"),
            mutant("no_eps", "layer_norm", " / n + eps)", " / n)", "without epsilon"),
            mutant("bias_first", "layer_norm", "centred * r * w + b", "(centred * r + b) * w", "the bias is scaled, too"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "layer_norm_blocks",
        "layer norm of whole rows, and in blocks of lanes, both of Triton",
        NORM,
        [run("layer_norm", ("R",), *LAYER)],
        [run("layer_norm_blocks", ("R",), *LAYER)],
        ["Y"],
        [
            mutant("not_masked", "layer_norm_blocks", "x = tl.where(at < n, x - mean, 0.0)", "x = x - mean",
                   "what is outside has a share in the variance"),
            mutant("overwritten", "layer_norm_blocks", "squares += x * x", "squares = x * x", "only the last block counts"),
            mutant("eps_outside", "layer_norm_blocks", "1 / tl.sqrt(tl.sum(squares, 0) / n + eps)",
                   "1 / (tl.sqrt(tl.sum(squares, 0) / n) + eps)", "epsilon outside the root"),
        ],
        parameters=SIZES,
    ),
    pair(
        "layer_norm_moments",
        "layer norm by Welford's method of cuTile, and by a reduction of moments of Triton",
        NORM,
        [run("../norm/layer_norm_welford.tileirbc", (BY_4,), "X", "W", "B", "Y", EPS)],
        [run("layer_norm_moments", ("R",), *LAYER)],
        ["Y"],
        [
            mutant("count", "layer_norm_moments", "inside.to(tl.float32))", "tl.full((T,), 1.0, tl.float32))",
                   "what is outside is counted"),
            mutant("share", "layer_norm_moments:merge_moments", "count_b / count)", "count_a / count)", "the other's share"),
            mutant("step", "layer_norm_moments:merge_moments", "step * step * count_a * share", "step * step * share",
                   "the distance of the means is not weighted"),
        ],
        names=BOTH,
        parameters=SIZES | {"C": [50, 64, 33, 16]},
    ),
    pair(
        "rms_norm",
        "RMS norm by a division in column blocks of cuTile, and by rsqrt of Triton",
        {"X": XB, "W": WB, "Y": YB},
        [run("../norm/rms_norm_divided.tileirbc", ("cdiv(R, 8)",), "X", "W", "Y", EPS)],
        [run("rms_norm", ("R",), "X", "W", "Y", "i32 C", EPS)],
        ["Y"],
        [
            mutant("sum", "rms_norm", "tl.sum(x * x, 0) / n + eps", "tl.sum(x * x, 0) + eps", "the sum, not the mean"),
            mutant("root", "rms_norm", "tl.rsqrt(", "1 / (", "without the root"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "residual",
        "a sum and its RMS norm in two launches, and in one with the residual in place, both of Triton",
        {"X": X, "RES": X, "W": W, "T": Y, "Y": Y},
        [
            run("add", ("cdiv(R * C, 128)",), "X", "RES", "T", ALL),
            run("rms_norm_plain", ("R",), "T", "W", "Y", "i32 C", EPS),
        ],
        [run("rms_norm_residual", ("R",), "X", "RES", "W", "Y", "i32 C", EPS)],
        ["Y"],
        [
            mutant("old_residual", "rms_norm_residual", "tl.store(r_ptr + row + at, r, mask=at < n)",
                   "tl.store(y_ptr + row + at, r, mask=at < n)", "the residual is not kept"),
            mutant("weight_alone", "rms_norm_residual", "(1.0 + w)", "w", "w in place of 1 + w"),
            mutant("row_of_int", "rms_norm_residual", "squares += r * r", "squares += tl.abs(r)", "magnitudes, not squares"),
        ],
        parameters=SIZES,
    ),
    pair(
        "group_norm",
        "group norm of cuTile, and of Triton in blocks over channels and pixels",
        {"X": buffer("f32", [2, 12, "N"], NORMAL), "Y": buffer("f32", [2, 12, "N"])},
        [run("../layers/group_norm.tileirbc", (2, 3), "X", "Y", EPS)],
        [run("group_norm", (2, 3), "X", "Y", "i32 12", "i32 N", EPS)],
        ["Y"],
        [
            mutant("of_channels", "group_norm", "n = GROUP * pixels", "n = pixels", "the first channel of each group alone"),
            mutant("sample", "group_norm", "tl.program_id(0) * channels + ", "tl.program_id(0) * GROUP + ", "wrong stride"),
            mutant("not_masked", "group_norm", "tl.where(at < n, tl.load(x_ptr + base + at, mask=at < n, other=0.0) - mean, 0.0)",
                   "tl.load(x_ptr + base + at, mask=at < n, other=0.0) - mean", "what is outside has a share"),
        ],
        names=BOTH,
        parameters={"N": [49, 64, 50, 1]},
    ),
    pair(
        "norm_backward",
        "layer norm backward of cuTile in column blocks, and of Triton",
        {"X": X, "W": W, "G": X, "D": Y},
        [run("../norm/layer_norm_backward_cubed.tileirbc", ("cdiv(R, 8)",), "X", "W", "G", "D", EPS)],
        [run("norm_backward", ("R",), "X", "W", "G", "D", "i32 C", EPS)],
        ["D"],
        [
            mutant("no_mean", "norm_backward", "(h * c1 + c2)", "h * c1", "the mean's gradient is missing"),
            mutant("no_variance", "norm_backward", "(h * c1 + c2)", "c2", "the variance's gradient is missing"),
            mutant("sum", "norm_backward", "c1 = tl.sum(h * wg, 0) / n", "c1 = tl.sum(h * wg, 0)", "a sum, not a mean"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "weight_gradient",
        "layer norm's weight gradient in one program of cuTile, and in parts that a second kernel of Triton adds",
        {
            "X": X,
            "G": X,
            "PW": buffer("f32", [4, "C"]),
            "PB": buffer("f32", [4, "C"]),
            "DW": buffer("f32", ["C"], "zeros"),
            "DB": buffer("f32", ["C"], "zeros"),
        },
        [run("../norm/weight_gradient.tileirbc", (1,), "X", "G", "DW", "DB", EPS)],
        [
            run("weight_gradient_parts", (4,), "X", "G", "PW", "PB", "i32 R", "i32 C", EPS),
            run("sum_columns", ("cdiv(C, 32)",), "PW", "DW", "i32 4", "i32 C"),
            run("sum_columns", ("cdiv(C, 32)",), "PB", "DB", "i32 4", "i32 C"),
        ],
        ["DW", "DB"],
        [
            mutant("not_added", "weight_gradient_parts", "db += g", "db = g", "only the last row of each program"),
            mutant("part_0", "weight_gradient_parts", "dw_ptr + program * n + at", "dw_ptr + program // 2 * n + at", "two programs share one"),
            mutant("one_part", "sum_columns", "total += tl.load(", "total = tl.load(", "only the last two parts"),
        ],
        names=BOTH,
        parameters={"R": [7, 8], "C": [50, 64, 33]},
    ),
    pair(
        "dropout_norm",
        "dropout, a sum and layer norm in three launches, and in one, both of Triton",
        {"X": X, "RES": X, "W": W, "B": buffer("f32", ["C"], NORMAL), "D": Y, "T": Y, "Y": Y},
        [
            run("dropout", ("cdiv(R * C, 128)",), "X", "D", ALL, "f32 0.25", "i32 1234"),
            run("add", ("cdiv(R * C, 128)",), "D", "RES", "T", ALL),
            run("layer_norm_plain", ("R",), "T", "W", "B", "Y", "i32 C", EPS),
        ],
        [run("dropout_add_norm", ("R",), "X", "RES", "W", "B", "Y", "i32 C", "f32 0.25", "i32 1234", EPS)],
        ["Y"],
        [
            mutant("same_numbers", "dropout_add_norm", "tl.rand(seed, row * n + at)", "tl.rand(seed, at)",
                   "every row draws the same numbers"),
            mutant("not_scaled", "dropout_add_norm", "x / (1.0 - p)", "x", "what is kept is not scaled"),
            launched("seed", "i32 1234", "i32 1235", "another seed"),
        ],
        parameters=SIZES,
    ),
]
