# SPDX-License-Identifier: Apache-2.0
# Losses, rotary embeddings, gates, embeddings, scans, choices in Triton.
import triton
import triton.language as tl
from corpus import NORMAL, buffer, integers, jit, launched, mutant, pair, run, uniform
from triton.language.extra import libdevice


# ---- losses ----------------------------------------------------------------------------------------------------------
@triton.jit
def cross_entropy(x_ptr, target_ptr, loss_ptr, n, ignored, T: tl.constexpr):
    """loss = log-sum-exp - the target's score, 0 where the target is `ignored`; a row in blocks."""
    row = tl.program_id(0)
    x_ptr += row * n
    target = tl.load(target_ptr + row)
    if target == ignored:
        tl.store(loss_ptr + row, 0.0)
        return
    largest = -float("inf")
    total = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), 0)
        largest = new
    tl.store(loss_ptr + row, largest + tl.log(total) - tl.load(x_ptr + target).to(tl.float32))


@triton.jit
def cross_entropy_in_place(x_ptr, target_ptr, n, rows, T: tl.constexpr):
    """The logits become their gradient (softmax - one-hot) / rows; a row in blocks."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * n
    target = tl.load(target_ptr + row)
    largest = -float("inf")
    total = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), 0)
        largest = new
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=-float("inf")).to(tl.float32)
        g = tl.exp(x - largest) / total
        g = tl.where(at == target, g - 1.0, g) / rows
        tl.store(x_ptr + at, g.to(tl.float16), mask=at < n)


@triton.jit
def copy(x_ptr, y_ptr, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def distillation(x_ptr, y_ptr, loss_ptr, n, temperature, T: tl.constexpr):
    """T^2 KL(softmax(y / T) || softmax(x / T)) of a row: log-sum-exps first, then the sum; in blocks."""
    row = tl.program_id(0)
    x_ptr += row * n
    y_ptr += row * n
    mx, sx = -float("inf"), 0.0
    my, sy = -float("inf"), 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=-float("inf")) / temperature
        y = tl.load(y_ptr + at, mask=at < n, other=-float("inf")) / temperature
        new_x, new_y = tl.maximum(mx, tl.max(x, 0)), tl.maximum(my, tl.max(y, 0))
        sx = sx * tl.exp(mx - new_x) + tl.sum(tl.exp(x - new_x), 0)
        sy = sy * tl.exp(my - new_y) + tl.sum(tl.exp(y - new_y), 0)
        mx, my = new_x, new_y
    lx, ly = mx + tl.log(sx), my + tl.log(sy)
    loss = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0) / temperature - lx
        y = tl.load(y_ptr + at, mask=at < n, other=0.0) / temperature - ly
        loss += tl.sum(tl.where(at < n, tl.exp(y) * (y - x), 0.0), 0)
    tl.store(loss_ptr + row, loss * temperature * temperature)


# ---- elementwise -----------------------------------------------------------------------------------------------------
@triton.jit
def rope(x_ptr, c_ptr, s_ptr, y_ptr, n, HALF: tl.constexpr, T: tl.constexpr):
    """Pairs (k, k + HALF) turned by tables; grid (blocks of positions, heads)."""
    row, k = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, HALF)
    inside = row[:, None] < n
    at = (tl.program_id(1) * n + row)[:, None] * (2 * HALF) + k[None, :]
    a = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(x_ptr + at + HALF, mask=inside, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + row[:, None] * HALF + k[None, :], mask=inside, other=0.0)
    s = tl.load(s_ptr + row[:, None] * HALF + k[None, :], mask=inside, other=0.0)
    tl.store(y_ptr + at, (a * c - b * s).to(tl.float16), mask=inside)
    tl.store(y_ptr + at + HALF, (b * c + a * s).to(tl.float16), mask=inside)


@triton.jit
def rope_in_place(x_ptr, c_ptr, s_ptr, heads, n, HALF: tl.constexpr, BACKWARD: tl.constexpr):
    """As rope, all heads of a position in one program, in place; BACKWARD turns back; grid (positions)."""
    row, k = tl.program_id(0), tl.arange(0, HALF)
    c, s = tl.load(c_ptr + row * HALF + k), tl.load(s_ptr + row * HALF + k)
    if BACKWARD:
        s = -s
    for head in range(0, heads):
        at = (head * n + row) * (2 * HALF) + k
        a = tl.load(x_ptr + at).to(tl.float32)
        b = tl.load(x_ptr + at + HALF).to(tl.float32)
        tl.store(x_ptr + at, (a * c - b * s).to(tl.float16))
        tl.store(x_ptr + at + HALF, (b * c + a * s).to(tl.float16))


@triton.jit
def swiglu(x_ptr, y_ptr, n, T: tl.constexpr):
    """silu(a) u of rows that hold a and u side by side; grid (rows, blocks)."""
    at = tl.program_id(1) * T + tl.arange(0, T)
    a = tl.load(x_ptr + tl.program_id(0) * 2 * n + at, mask=at < n, other=0.0).to(tl.float32)
    u = tl.load(x_ptr + tl.program_id(0) * 2 * n + n + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + tl.program_id(0) * n + at, (a / (1.0 + tl.exp(-a)) * u).to(tl.float16), mask=at < n)


@triton.jit
def gelu_gate_backward(a_ptr, u_ptr, dy_ptr, da_ptr, du_ptr, n, T: tl.constexpr):
    """gelu(a) u backward, GELU by tanh."""
    at = tl.program_id(0) * T + tl.arange(0, T)
    a = tl.load(a_ptr + at, mask=at < n, other=0.0)
    u = tl.load(u_ptr + at, mask=at < n, other=0.0)
    dy = tl.load(dy_ptr + at, mask=at < n, other=0.0)
    root = 0.7978845608028654
    t = libdevice.tanh(root * (a + 0.044715 * a * a * a))
    slope = 0.5 * (1.0 + t) + 0.5 * a * (1.0 - t * t) * root * (1.0 + 3.0 * (0.044715 * a * a))
    tl.store(da_ptr + at, dy * u * slope, mask=at < n)
    tl.store(du_ptr + at, dy * 0.5 * a * (1.0 + t), mask=at < n)


@triton.jit
def embedding(table_ptr, word_ptr, position_ptr, y_ptr, rows, width, T: tl.constexpr, D: tl.constexpr):
    """y = the words' rows of the table, plus positions; grid (row blocks)."""
    row, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    inside = (row[:, None] < rows) & (d[None, :] < width)
    word = tl.load(word_ptr + row, mask=row < rows, other=0)
    t = tl.load(table_ptr + word[:, None] * width + d[None, :], mask=inside, other=0.0)
    p = tl.load(position_ptr + row[:, None] * width + d[None, :], mask=inside, other=0.0)
    tl.store(y_ptr + row[:, None] * width + d[None, :], t + p, mask=inside)


@triton.jit
def embedding_backward(dy_ptr, word_ptr, dtable_ptr, rows, width, T: tl.constexpr, D: tl.constexpr):
    """The words' rows of the table's gradient grow by atomics; grid (row blocks)."""
    row, d = tl.program_id(0) * T + tl.arange(0, T), tl.arange(0, D)
    inside = (row[:, None] < rows) & (d[None, :] < width)
    word = tl.load(word_ptr + row, mask=row < rows, other=0)
    dy = tl.load(dy_ptr + row[:, None] * width + d[None, :], mask=inside, other=0.0)
    tl.atomic_add(dtable_ptr + word[:, None] * width + d[None, :], dy, mask=inside)


# ---- scans -----------------------------------------------------------------------------------------------------------
@triton.jit
def after(decay_a, state_a, decay_b, state_b):
    """First a, then b, as one step."""
    return decay_a * decay_b, state_a * decay_b + state_b


@triton.jit
def selective(a_ptr, b_ptr, x_ptr, h_ptr, n, width, L: tl.constexpr, T: tl.constexpr):
    """h = a h + b x along the rows, by scans of L steps with the state carried on; grid (column blocks)."""
    step, column = tl.arange(0, L), tl.program_id(0) * T + tl.arange(0, T)
    state = tl.zeros((T,), tl.float32)
    for start in range(0, n, L):
        at = (start + step)[:, None] * width + column[None, :]
        inside = ((start + step)[:, None] < n) & (column[None, :] < width)
        a = tl.load(a_ptr + at, mask=inside, other=1.0)
        u = tl.load(b_ptr + at, mask=inside, other=0.0) * tl.load(x_ptr + at, mask=inside, other=0.0)
        decay, h = tl.associative_scan((a, u), 0, after)
        h += decay * state[None, :]
        tl.store(h_ptr + at, h, mask=inside)
        state = tl.sum(tl.where(step[:, None] == L - 1, h, 0.0), 0)


@triton.jit
def gradient(a_ptr, h_ptr, dh_ptr, du_ptr, da_ptr, n, width, L: tl.constexpr, T: tl.constexpr):
    """The gradient of h = a h + u, backward by one scan in reverse; grid (column blocks)."""
    step, column = tl.arange(0, L)[:, None], tl.program_id(0) * T + tl.arange(0, T)[None, :]
    at, inside = step * width + column, (step < n) & (column < width)
    later = (step + 1 < n) & (column < width)
    a = tl.load(a_ptr + at + width, mask=later, other=0.0)
    dh = tl.load(dh_ptr + at, mask=inside, other=0.0)
    _, du = tl.associative_scan((a, dh), 0, after, reverse=True)
    before = tl.load(h_ptr + at - width, mask=inside & (step > 0), other=0.0)
    tl.store(du_ptr + at, du, mask=inside)
    tl.store(da_ptr + at, du * before, mask=inside)


@triton.jit
def running_sum(x_ptr, y_ptr, n, T: tl.constexpr):
    """Running sums of a row at once."""
    row, at = tl.program_id(0), tl.arange(0, T)
    tl.store(y_ptr + row * n + at, tl.cumsum(tl.load(x_ptr + row * n + at, mask=at < n, other=0.0), 0), mask=at < n)


@triton.jit
def running_sum_blocks(x_ptr, y_ptr, n, T: tl.constexpr):
    """The same in blocks; what came before is carried on."""
    row = tl.program_id(0)
    before = 0.0
    for start in range(0, n, T):
        at = start + tl.arange(0, T)
        x = tl.load(x_ptr + row * n + at, mask=at < n, other=0.0)
        tl.store(y_ptr + row * n + at, before + tl.cumsum(x, 0), mask=at < n)
        before += tl.sum(x, 0)


# ---- choices ---------------------------------------------------------------------------------------------------------
@triton.jit
def top_k(x_ptr, y_ptr, n, K: tl.constexpr, T: tl.constexpr):
    """Softmax of the K largest of a row: what is below the K-th in order is left out."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))
    order = tl.sort(x, descending=True)
    least = tl.min(tl.where(at < K, order, float("inf")), 0)
    x = tl.where(x >= least, x, -float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * n + at, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def route(x_ptr, weight_ptr, index_ptr, n, T: tl.constexpr):
    """The two largest scores of a token and the softmax of both; grid (tokens)."""
    row, at = tl.program_id(0), tl.arange(0, T)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf"))
    first, place = tl.max(x, 0, return_indices=True)
    x = tl.where(at == place, -float("inf"), x)
    second, other = tl.max(x, 0, return_indices=True)
    e = tl.exp(second - first)
    tl.store(weight_ptr + row * 2, 1.0 / (1.0 + e))
    tl.store(weight_ptr + row * 2 + 1, e / (1.0 + e))
    tl.store(index_ptr + row * 2, place)
    tl.store(index_ptr + row * 2 + 1, other)


KERNELS = {
    "cross_entropy": jit(cross_entropy, "*fp16 *i32 *fp32 i32 i32", T=16),
    "cross_entropy_in_place": jit(cross_entropy_in_place, "*fp16 *i32 i32 i32", T=16),
    "copy": jit(copy, "*fp16 *fp16 i32", T=128),
    "distillation": jit(distillation, "*fp32 *fp32 *fp32 i32 fp32", T=16),
    "rope": jit(rope, "*fp16 *fp32 *fp32 *fp16 i32", HALF=8, T=16),
    "rope_in_place": jit(rope_in_place, "*fp16 *fp32 *fp32 i32 i32", HALF=8, BACKWARD=False),
    "rope_backward": jit(rope_in_place, "*fp16 *fp32 *fp32 i32 i32", HALF=8, BACKWARD=True),
    "swiglu": jit(swiglu, "*fp16 *fp16 i32", T=32),
    "gelu_gate_backward": jit(gelu_gate_backward, "*fp32 *fp32 *fp32 *fp32 *fp32 i32", T=128),
    "embedding": jit(embedding, "*fp32 *i32 *fp32 *fp32 i32 i32", T=8, D=32),
    "embedding_backward": jit(embedding_backward, "*fp32 *i32 *fp32 i32 i32", T=8, D=32),
    "selective": jit(selective, "*fp32 *fp32 *fp32 *fp32 i32 i32", L=16, T=16),
    "gradient": jit(gradient, "*fp32 *fp32 *fp32 *fp32 *fp32 i32 i32", L=64, T=16),
    "running_sum": jit(running_sum, "*fp32 *fp32 i32", T=64),
    "running_sum_blocks": jit(running_sum_blocks, "*fp32 *fp32 i32", T=16),
    "top_k": jit(top_k, "*fp32 *fp32 i32", K=7, T=64),
    "route": jit(route, "*fp32 *fp32 *i32 i32", T=16),
}

SIZES = {"R": [13, 9], "C": [50, 64, 33, 2]}
BY_4, BY_8 = "cdiv(R, 4)", "cdiv(R, 8)"
LOGITS, TARGETS = buffer("f16", ["R", "C"], NORMAL), buffer("i32", ["R"], integers(0, "C - 1"))
X, Y = buffer("f32", ["R", "C"], NORMAL), buffer("f32", ["R", "C"])
TURNED = {
    "X": buffer("f16", [2, "N", 16], NORMAL),
    "C": buffer("f32", ["N", 8]),
    "S": buffer("f32", ["N", 8]),
    "Y": buffer("f16", [2, "N", 16]),
}
TABLE = run("../elementwise/rotary_table.tileirbc", ("cdiv(N, 16)",), "C", "S")
POSITIONS = {"N": [40, 64, 33, 1]}
STEPS = {"N": [45, 48, 33, 1]}
DECAYS = buffer("f32", ["N", 20], uniform(0.3, 1))
ROWS, RESULT = buffer("f32", ["N", 20], NORMAL), buffer("f32", ["N", 20])
BOTH = ("cutile", "triton")

PAIRS = [
    pair(
        "cross_entropy",
        "-log of the target's softmax of cuTile, and log-sum-exp minus its score in blocks of Triton",
        {"X": LOGITS, "T": TARGETS, "Y": buffer("f32", ["R"])},
        [run("../softmax/cross_entropy.tileirbc", (BY_4,), "X", "T", "Y")],
        [run("cross_entropy", ("R",), "X", "T", "Y", "i32 C", "i32 -100")],
        ["Y"],
        [
            mutant("no_maximum", "cross_entropy", "largest + tl.log(total) - ", "tl.log(total) - ", "the maximum is missing"),
            mutant("row_stride", "cross_entropy", "x_ptr += row * n", "x_ptr += row * (n // 2)", "wrong stride of the rows"),
            mutant("zero_padded", "cross_entropy", "other=-float(\"inf\")", "other=0.0", "what is outside counts as 0"),
            launched("ignored", "i32 -100", "i32 1", "a class that counts is ignored"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "cross_entropy_gradient",
        "the gradient of cross entropy of cuTile, and of Triton in place of the logits",
        {"X": LOGITS, "T": TARGETS, "D": buffer("f16", ["R", "C"])},
        [run("../softmax/cross_entropy_gradient.tileirbc", (BY_4,), "X", "T", "D")],
        [
            run("copy", ("cdiv(R * C, 128)",), "X", "D", "i32 R * C"),
            run("cross_entropy_in_place", ("R",), "D", "T", "i32 C", "i32 R"),
        ],
        ["D"],
        [
            mutant("no_one_hot", "cross_entropy_in_place", "tl.where(at == target, g - 1.0, g)", "g", "softmax alone"),
            mutant("only_target", "cross_entropy_in_place", "tl.where(at == target, g - 1.0, g)", "g - 1.0", "1 off everywhere"),
            mutant("by_columns", "cross_entropy_in_place", "g) / rows", "g) / n", "the mean over classes, not rows"),
            mutant("last", "cross_entropy_in_place", "total * tl.exp(largest - new) + ", "", "only the last block's sum"),
        ],
        names=BOTH,
        parameters=SIZES,
    ),
    pair(
        "distillation",
        "the divergence from a teacher by logarithms of whole rows of cuTile, and in blocks of Triton",
        {"X": X, "Y": X, "L": buffer("f32", ["R"])},
        [run("../losses/distillation.tileirbc", (BY_4,), "X", "Y", "L", "f32 2.5")],
        [run("distillation", ("R",), "X", "Y", "L", "i32 C", "f32 2.5")],
        ["L"],
        [
            mutant("weights", "distillation", "tl.exp(y) * (y - x)", "tl.exp(x) * (y - x)", "weighted by the student"),
            mutant("temperature", "distillation", "loss * temperature * temperature", "loss * temperature", "once, not squared"),
            mutant("normaliser", "distillation", "/ temperature - ly", "/ temperature - lx", "the student's normaliser"),
        ],
        names=BOTH,
        parameters={"R": [21, 17], "C": [50, 64, 33]},
    ),
    pair(
        "rope",
        "rotary embedding by tables, of cuTile and of Triton",
        TURNED,
        [TABLE, run("../elementwise/rotary.tileirbc", ("cdiv(N, 16)", 2), "X", "C", "S", "Y")],
        [TABLE, run("rope", ("cdiv(N, 16)", 2), "X", "C", "S", "Y", "i32 N")],
        ["Y"],
        [
            mutant("sign", "rope", "(b * c + a * s)", "(b * c - a * s)", "both halves are turned by minus"),
            mutant("neighbours", "rope", "x_ptr + at + HALF, mask", "x_ptr + at + 1, mask", "neighbours are paired"),
            mutant("position", "rope", "c_ptr + row[:, None] * HALF", "c_ptr + (row[:, None] % T) * HALF", "by the place in its block"),
        ],
        names=BOTH,
        parameters=POSITIONS,
    ),
    pair(
        "rope_back",
        "a copy, and a rotary embedding in place that is turned back, both of Triton",
        TURNED,
        [run("copy", ("cdiv(32 * N, 128)",), "X", "Y", "i32 32 * N")],
        [
            TABLE,
            run("copy", ("cdiv(32 * N, 128)",), "X", "Y", "i32 32 * N"),
            run("rope_in_place", ("N",), "Y", "C", "S", "i32 2", "i32 N"),
            run("rope_backward", ("N",), "Y", "C", "S", "i32 2", "i32 N"),
        ],
        ["Y"],
        [
            mutant("not_back", "rope_backward", "s = -s", "s = s", "turned on, not back"),
            launched("one_head", "rope_backward.ttir, grid: [N], args: [Y, C, S, i32 2,",
                     "rope_backward.ttir, grid: [N], args: [Y, C, S, i32 1,", "one head is not turned back"),
        ],
        parameters={"N": [40, 64, 33]},
    ),
    pair(
        "swiglu",
        "SwiGLU of two matrices of cuTile, and of one that holds both side by side of Triton",
        {
            "A": buffer("f16", [7, 50], NORMAL),
            "U": buffer("f16", [7, 50], NORMAL),
            "B": buffer("f16", [7, 100]),
            "Y": buffer("f16", [7, 50]),
        },
        [run("../elementwise/swiglu_rows.tileirbc", (7, 2), "A", "U", "Y")],
        [
            run("../elementwise/pack_halves.tileirbc", (7, 2), "A", "U", "B"),
            run("swiglu", (7, 2), "B", "Y", "i32 50"),
        ],
        ["Y"],
        [
            mutant("swapped", "swiglu", "* 2 * n + n + at", "* 2 * n + at", "the gate twice"),
            mutant("sign", "swiglu", "tl.exp(-a)", "tl.exp(a)", "the sigmoid of -a"),
        ],
        names=BOTH,
    ),
    pair(
        "gelu_gate",
        "a GELU gate backward by a sigmoid of cuTile, and by tanh of Triton",
        {
            "A": buffer("f32", ["N"], NORMAL),
            "U": buffer("f32", ["N"], NORMAL),
            "DY": buffer("f32", ["N"], NORMAL),
            "DA": buffer("f32", ["N"]),
            "DU": buffer("f32", ["N"]),
        },
        [run("../gradient/gelu_gate_backward_sigmoid.tileirbc", ("cdiv(N, 128)",), "A", "U", "DY", "DA", "DU")],
        [run("gelu_gate_backward", ("cdiv(N, 128)",), "A", "U", "DY", "DA", "DU", "i32 N")],
        ["DA", "DU"],
        [
            mutant("inner", "gelu_gate_backward", "3.0 * (0.044715", "(0.044715", "the cubic's derivative lacks the 3"),
            mutant("no_product", "gelu_gate_backward", "dy * u * slope", "dy * slope", "the other factor is missing"),
            mutant("half", "gelu_gate_backward", "dy * 0.5 * a", "dy * a", "a factor of two"),
        ],
        names=BOTH,
        parameters={"N": [700, 768, 513, 1]},
    ),
    pair(
        "embedding",
        "rows of a table multiplied by one-hot rows of cuTile, and gathered of Triton",
        {
            "TABLE": buffer("f32", ["V", 24], NORMAL),
            "WORD": buffer("i32", [37], integers(0, "V - 1")),
            "POSITION": buffer("f32", [37, 24], NORMAL),
            "Y": buffer("f32", [37, 24]),
        },
        [run("../layers/embed_one_hot.tileirbc", (3, 2), "TABLE", "WORD", "POSITION", "Y")],
        [run("embedding", (5,), "TABLE", "WORD", "POSITION", "Y", "i32 37", "i32 24")],
        ["Y"],
        [
            mutant("word", "embedding", "t = tl.load(table_ptr + word[:, None] * width", "t = tl.load(table_ptr + word[:, None] // 2 * width",
                   "two words share a row"),
            mutant("position", "embedding", "position_ptr + row[:, None]", "position_ptr + word[:, None] % 37", "of the word"),
        ],
        names=BOTH,
        parameters={"V": [43, 48, 33]},
    ),
    pair(
        "embedding_backward",
        "the gradient of a table by one-hot products of cuTile, and added by atomics of Triton",
        {
            "DY": buffer("f32", ["N", 24], NORMAL),
            "WORD": buffer("i32", ["N"], integers(0, 42)),
            "DT": buffer("f32", [43, 24]),
        },
        [run("../layers/embed_backward_one_hot.tileirbc", (6, 2), "DY", "WORD", "DT")],
        [
            run("../layers/clear.tileirbc", (6,), "DT"),
            run("embedding_backward", ("cdiv(N, 8)",), "DY", "WORD", "DT", "i32 N", "i32 24"),
        ],
        ["DT"],
        [
            mutant("stored", "embedding_backward", "tl.atomic_add(", "tl.store(", "the last of equal words wins"),
            mutant("one_less", "embedding_backward", "inside = (row[:, None] < rows)", "inside = (row[:, None] < rows - 1)",
                   "the last row is left out"),
        ],
        names=BOTH,
        parameters={"N": [37, 48, 33, 1]},
    ),
    pair(
        "selective",
        "a selective scan step by step of cuTile, and by scans in blocks of Triton",
        {"A": DECAYS, "B": ROWS, "X": ROWS, "H": RESULT},
        [run("../scan/steps.tileirbc", (2,), "A", "B", "X", "H")],
        [run("selective", (2,), "A", "B", "X", "H", "i32 N", "i32 20")],
        ["H"],
        [
            mutant("swapped", "selective:after", "state_a * decay_b + state_b", "state_b * decay_a + state_a", "b, then a"),
            mutant("no_carry", "selective", "h += decay * state[None, :]", "h += 0.0", "blocks begin with state 0"),
            mutant("carry_decay", "selective", "h += decay * state[None, :]", "h += a * state[None, :]", "decayed by one step"),
            mutant("first_state", "selective", "step[:, None] == L - 1", "step[:, None] == 0", "the first state is carried on"),
        ],
        names=BOTH,
        parameters=STEPS,
    ),
    pair(
        "gradient",
        "the gradient of a linear recurrence step by step of cuTile, and by a scan in reverse of Triton",
        {"A": DECAYS, "H": ROWS, "DH": ROWS, "DU": RESULT, "DA": RESULT},
        [run("../scan/gradient_steps.tileirbc", (2,), "A", "H", "DH", "DU", "DA")],
        [run("gradient", (2,), "A", "H", "DH", "DU", "DA", "i32 N", "i32 20")],
        ["DU", "DA"],
        [
            mutant("own_decay", "gradient", "a_ptr + at + width, mask=later", "a_ptr + at, mask=later", "a step's own decay"),
            mutant("forward", "gradient", "reverse=True", "reverse=False", "the scan runs forward"),
            mutant("own_state", "gradient", "h_ptr + at - width, mask=inside & (step > 0)", "h_ptr + at, mask=inside",
                   "the state after the step, not before"),
        ],
        names=BOTH,
        parameters=STEPS,
    ),
    pair(
        "running_sums",
        "running sums at once, and in blocks, both of Triton",
        {"X": X, "Y": Y},
        [run("running_sum", ("R",), "X", "Y", "i32 C")],
        [run("running_sum_blocks", ("R",), "X", "Y", "i32 C")],
        ["Y"],
        [
            mutant("overwritten", "running_sum_blocks", "before += tl.sum(x, 0)", "before = tl.sum(x, 0)", "one block back"),
            mutant("none", "running_sum_blocks", "before + tl.cumsum(x, 0)", "tl.cumsum(x, 0)", "blocks begin at 0"),
        ],
        parameters=SIZES,
    ),
    pair(
        "top_k",
        "softmax of the 7 largest by taking out the maximum of cuTile, and by sorting of Triton",
        {"X": buffer("f32", [13, "C"], NORMAL), "Y": buffer("f32", [13, "C"])},
        [run("../experts/top_k_masked.tileirbc", (4,), "X", "Y")],
        [run("top_k", (13,), "X", "Y", "i32 C")],
        ["Y"],
        [
            mutant("one_more", "top_k", "at < K, order", "at <= K, order", "eight are taken"),
            mutant("strict", "top_k", "x >= least", "x > least", "the seventh is left out"),
            mutant("ascending", "top_k", "tl.sort(x, descending=True)", "tl.sort(x, descending=False)", "the smallest"),
        ],
        names=BOTH,
        parameters={"C": [50, 64, 33]},
    ),
    pair(
        "route",
        "the two largest scores by ranks of cuTile, and by maxima of Triton",
        {
            "X": buffer("f32", ["R", 11], NORMAL),
            "P": buffer("f32", ["R", 2]),
            "I": buffer("i32", ["R", 2]),
        },
        [run("../experts/top_2_ranks.tileirbc", (BY_4,), "X", "P", "I")],
        [run("route", ("R",), "X", "P", "I", "i32 11")],
        ["P", "I"],
        [
            mutant("swapped", "route", "tl.exp(second - first)", "tl.exp(first - second)", "the second has the larger weight"),
            mutant("not_out", "route", "tl.where(at == place, -float(\"inf\"), x)", "tl.where(at < 0, -float(\"inf\"), x)",
                   "the first is not taken out"),
        ],
        names=BOTH,
        parameters={"R": [29, 32, 25, 1]},
    ),
]
