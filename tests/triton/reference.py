# SPDX-License-Identifier: Apache-2.0
# The computations of kernels.py in Triton, run by the real Triton with FpSan; writes inputs, expected bits and cases.
"""python tests/triton/reference.py FOLDER     (needs triton==3.9.0, numpy, ml_dtypes and clang-22, no GPU)

FOLDER holds triton_fpsan_cpu.py, which compiles a Triton kernel with FpSan and runs the result on the CPU."""

import re
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

if len(sys.argv) != 2:
    sys.exit(__doc__)
sys.path.insert(0, sys.argv[1])
import triton_fpsan_cpu as cpu  # noqa: E402

# What triton_fpsan_cpu.py does not know of PTX: prmt, which block-scaled products with scales in e4m3 use (byte i of the
# result is the byte of b:a that nibble i of s says, or its sign eight times), and masked loads with another value.
PERMUTE_BYTES = "define i32 @permute_bytes(i32 %a, i32 %b, i32 %s) {\n %x = zext i32 %a to i64\n %y = zext i32 %b to i64\n"
PERMUTE_BYTES += " %h = shl i64 %y, 32\n %w = or i64 %h, %x\n %r0 = add i32 0, 0\n"
for i in range(4):
    PERMUTE_BYTES += f""" %n{i} = lshr i32 %s, {4 * i}
 %p{i} = and i32 %n{i}, 7
 %q{i} = shl i32 %p{i}, 3
 %z{i} = zext i32 %q{i} to i64
 %v{i} = lshr i64 %w, %z{i}
 %b{i} = trunc i64 %v{i} to i8
 %g{i} = ashr i8 %b{i}, 7
 %m{i} = and i32 %n{i}, 8
 %c{i} = icmp ne i32 %m{i}, 0
 %k{i} = select i1 %c{i}, i8 %g{i}, i8 %b{i}
 %e{i} = zext i8 %k{i} to i32
 %f{i} = shl i32 %e{i}, {8 * i}
 %r{i + 1} = or i32 %r{i}, %f{i}
"""
PERMUTE_BYTES += " ret i32 %r4\n}\n"
LOAD_OR = """define TYPE @load_or_TYPE(TYPE %other, ptr %p, i1 %c) {
 br i1 %c, label %yes, label %no
yes:
 %v = load TYPE, ptr %p, align 1
 ret TYPE %v
no:
 ret TYPE %other
}
"""
MASKED = r'call (i\d+) asm sideeffect "mov\.u\d+ \$0, \$1;[^"]*@\$3 ld[^"]*\[ \$2 \+ 0 \];", "[^"]*"(\(i\d+ [^,()]*, ptr addrspace\(1\) %\w+, i1 %\w+\))'
to_cpu = cpu.to_cpu


def to_cpu_with_more(text):
    more = PERMUTE_BYTES if "@llvm.nvvm.prmt(" in text else ""
    text = re.sub(r"^declare .*@llvm\.nvvm\.prmt\(.*$", "", text, flags=re.M).replace("@llvm.nvvm.prmt(", "@permute_bytes(")
    for kind in sorted({match[1] for match in re.finditer(MASKED, text)}):
        more += LOAD_OR.replace("TYPE", kind)
    return to_cpu(re.sub(MASKED, r"call \1 @load_or_\1\2", text)) + more


cpu.to_cpu = to_cpu_with_more
HERE = Path(__file__).resolve().parent
random = np.random.default_rng(39)
TYPES = {
    "f16": (np.float16, "fp16"),
    "bf16": (ml_dtypes.bfloat16, "bf16"),
    "f32": (np.float32, "fp32"),
    "f64": (np.float64, "fp64"),
    "f8e4m3fn": (ml_dtypes.float8_e4m3fn, "fp8e4nv"),
    "f8e5m2": (ml_dtypes.float8_e5m2, "fp8e5"),
    "f8e8m0fnu": (ml_dtypes.float8_e8m0fnu, "u8"),  # scales are bytes in Triton
    "i8": (np.uint8, "u8"),  # f4e2m1fn, two in a byte
    "i32": (np.int32, "i32"),
}


# Arrays are padded to whole tiles in numpy; the cuTile kernels see them without the padding and pad while loading.
@triton.jit
def softmax(x, y, N: tl.constexpr):
    c = tl.program_id(0) * N + tl.arange(0, N)
    t = tl.load(x + c)
    e = tl.exp(t - tl.max(t, axis=0))
    tl.store(y + c, e / tl.sum(e, axis=0))


@triton.jit
def matmul(x, y, z, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    columns = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k, K):
        inner = start + tl.arange(0, K)
        a = tl.load(x + rows * k + inner[None, :])
        b = tl.load(y + inner[:, None] * n + columns)
        acc = tl.dot(a, b, acc)
    tl.store(z + rows * n + columns, acc)


@triton.jit
def rms_norm(x, w, y, columns, eps, N: tl.constexpr):
    c = tl.arange(0, N)
    row = tl.program_id(0) * N
    t = tl.load(x + row + c).to(tl.float32)
    g = tl.load(w + c).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(t * t, axis=0) / columns + eps)
    tl.store(y + row + c, (t * rstd * g).to(tl.bfloat16))


@triton.jit
def attention(q, k, v, o, keys, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    d = tl.arange(0, D)
    qt = tl.load(q + rows * D + d[None, :])
    m = tl.full((M,), -float("inf"), tl.float32)
    l = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, keys, N):
        n = start + tl.arange(0, N)
        kt = tl.load(k + n[None, :] * D + d[:, None])
        vt = tl.load(v + n[:, None] * D + d[None, :])
        s = tl.dot(qt, kt) * scale
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.float16), vt, acc * alpha[:, None])
        m = m_new
    tl.store(o + rows * D + d[None, :], (acc / l[:, None]).to(tl.float16))


@triton.jit
def causal(q, k, v, o, keys, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    d = tl.arange(0, D)
    qt = tl.load(q + rows * D + d[None, :])
    m = tl.full((M,), -float("inf"), tl.float32)
    l = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, keys, N):
        n = start + tl.arange(0, N)
        kt = tl.load(k + n[None, :] * D + d[:, None])
        vt = tl.load(v + n[:, None] * D + d[None, :])
        s = tl.where(rows >= n[None, :], tl.dot(qt, kt) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, axis=1)
        acc = tl.dot(p.to(tl.float16), vt, acc * alpha[:, None])
        m = m_new
    tl.store(o + rows * D + d[None, :], (acc / l[:, None]).to(tl.float16))


@triton.jit
def layer_norm(x, w, b, y, columns, eps, N: tl.constexpr):
    c = tl.arange(0, N)
    row = tl.program_id(0) * N
    t = tl.load(x + row + c)
    centred = tl.where(c < columns, t - tl.sum(t, axis=0) / columns, 0.0)
    rstd = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    tl.store(y + row + c, centred * rstd * tl.load(w + c) + tl.load(b + c))


@triton.jit
def gelu(x, y, N: tl.constexpr):
    c = tl.program_id(0) * N + tl.arange(0, N)
    t = tl.load(x + c)
    tl.store(y + c, t / (1.0 + tl.exp(-1.5957691 * (t + 0.044715 * t * t * t))))


@triton.jit
def swiglu(a, b, y, N: tl.constexpr):
    c = tl.program_id(0) * N + tl.arange(0, N)
    t = tl.load(a + c).to(tl.float32)
    tl.store(y + c, (t / (1.0 + tl.exp(-t)) * tl.load(b + c).to(tl.float32)).to(tl.float16))


@triton.jit
def rotary(x, angles, y, H: tl.constexpr):
    c = tl.arange(0, H)
    row = tl.program_id(0)
    left, right = tl.load(x + row * 2 * H + c), tl.load(x + row * 2 * H + H + c)
    cos, sin = tl.cos(tl.load(angles + row * H + c)), tl.sin(tl.load(angles + row * H + c))
    tl.store(y + row * 2 * H + c, left * cos - right * sin)
    tl.store(y + row * 2 * H + H + c, right * cos + left * sin)


@triton.jit
def running(x, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumsum(tl.load(x + at), axis=0))


@triton.jit
def fourier_stage(a, b, w, y, N: tl.constexpr):
    c = tl.arange(0, N)
    ar, ai, br, bi = tl.load(a + c), tl.load(a + N + c), tl.load(b + c), tl.load(b + N + c)
    wr, wi = tl.load(w + c), tl.load(w + N + c)
    tr, ti = br * wr - bi * wi, br * wi + bi * wr
    tl.store(y + c, ar + tr)
    tl.store(y + N + c, ai + ti)
    tl.store(y + 2 * N + c, ar - tr)
    tl.store(y + 3 * N + c, ai - ti)


@triton.jit
def expert(tokens, x, w, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    k, n = tl.arange(0, K), tl.arange(0, N)
    a = tl.load(x + tl.load(tokens + rows)[:, None] * K + k[None, :])
    b = tl.load(w + tl.program_id(0) * K * N + k[:, None] * N + n[None, :])
    tl.store(y + rows[:, None] * N + n[None, :], tl.dot(a, b))


@triton.jit
def product(x, y, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K)
    a, b = tl.load(x + rows * K + inner[None, :]), tl.load(y + inner[:, None] * N + columns[None, :])
    tl.store(z + rows * N + columns[None, :], tl.dot(a, b))


@triton.jit
def scaled(x, xs, y, ys, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k, b = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K), tl.arange(0, K // 32)
    left, right = tl.load(x + m * K + k[None, :]), tl.load(y + k[:, None] * N + n[None, :])
    left_scales = tl.load(xs + m * (K // 32) + b[None, :])
    right_scales = tl.load(ys + n[:, None] * (K // 32) + b[None, :])
    product = tl.dot_scaled(left, left_scales, "e4m3", right, right_scales, "e4m3")
    tl.store(z + m * N + n[None, :], product)


@triton.jit
def scaled_4(x, xs, y, ys, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k, b = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K // 2), tl.arange(0, K // 32)
    left, right = tl.load(x + m * (K // 2) + k[None, :]), tl.load(y + k[:, None] + n[None, :] * (K // 2))
    left_scales = tl.load(xs + m * (K // 32) + b[None, :])
    right_scales = tl.load(ys + n[:, None] * (K // 32) + b[None, :])
    product = tl.dot_scaled(left, left_scales, "e2m1", right, right_scales, "e2m1")
    tl.store(z + m * N + n[None, :], product)


@triton.jit
def scaled_nv(x, xs, y, ys, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k, b = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K // 2), tl.arange(0, K // 16)
    left, right = tl.load(x + m * (K // 2) + k[None, :]), tl.load(y + k[:, None] + n[None, :] * (K // 2))
    left_scales = tl.load(xs + m * (K // 16) + b[None, :])
    right_scales = tl.load(ys + n[:, None] * (K // 16) + b[None, :])
    product = tl.dot_scaled(left, left_scales, "e2m1", right, right_scales, "e2m1")
    tl.store(z + m * N + n[None, :], product)


@triton.jit
def scaled_e5m2(x, xs, y, ys, z, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k, b = tl.arange(0, M)[:, None], tl.arange(0, N), tl.arange(0, K), tl.arange(0, K // 32)
    left, right = tl.load(x + m * K + k[None, :]), tl.load(y + k[:, None] * N + n[None, :])
    left_scales = tl.load(xs + m * (K // 32) + b[None, :])
    right_scales = tl.load(ys + n[:, None] * (K // 32) + b[None, :])
    product = tl.dot_scaled(left, left_scales, "e5m2", right, right_scales, "e5m2")
    tl.store(z + m * N + n[None, :], product)


@triton.jit
def running_product(x, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + at, tl.cumprod(tl.load(x + at), axis=1, reverse=True))


@triton.jit
def argmax(x, y, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    t = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(y + rows * 2, tl.argmax(t, axis=1))
    tl.store(y + rows * 2 + 1, tl.argmin(t, axis=1))


@triton.jit
def masked(x, keep, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    t = tl.load(x + at, mask=tl.load(keep + at) != 0, other=0.75)
    tl.store(y + at, t * t - tl.sum(t, axis=1)[:, None])


@triton.jit
def choices(x, z, y, N: tl.constexpr):
    c = tl.arange(0, N)
    t, u = tl.load(x + c), tl.load(z + c)
    whole = t.to(tl.int32)
    product, back = t * u, whole.to(tl.float32)
    turned = (product.to(tl.int32, bitcast=True) ^ 1).to(tl.float32, bitcast=True)
    tl.store(y + c, back * u + tl.abs(u).to(tl.uint8).to(tl.float32))
    tl.store(y + N + c, tl.where(product < t + u, back, turned))
    tl.store(y + 2 * N + c, tl.where(t >= u, tl.abs(product), -u))
    tl.store(y + 3 * N + c, tl.where((product == product) & (whole != 0), t, u.to(tl.bfloat16).to(tl.float32)))


@triton.jit
def powers(x, n, y, N: tl.constexpr):
    c = tl.arange(0, N)
    tl.store(y + c, libdevice.pow(tl.load(x + c), tl.load(n + c)))


def run(kernel, arrays, scalars, constants, grid, options=None):
    """arrays: (type, numpy array of that type), the last one is the result. Returns its bits."""
    raw = [a.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[a.itemsize]) for _, a in arrays]
    names = kernel.arg_names
    signature = {name: "*" + TYPES[kind][1] for name, (kind, _) in zip(names, arrays)}
    signature |= {
        name: "fp32" if isinstance(value, float) else "i32" for name, value in zip(names[len(arrays) :], scalars)
    }
    signature |= {name: "constexpr" for name in constants}
    cpu.launch(cpu.compile_fpsan(kernel, signature, constants, options), [*raw, *scalars], grid)
    return raw[-1]


def case(name, title, arrays, arguments, result, grid, casts="mix", module=None):
    """arrays: buffer -> (type, values); result: (buffer, type, expected bits); writes the data and the case file."""
    text = f"# SPDX-License-Identifier: Apache-2.0\n# Written by reference.py.\ntitle: {title}\nbuffers:\n"
    for buffer, (kind, values) in arrays.items():
        (HERE / f"{name}.{buffer}.bin").write_bytes(values.tobytes())
        text += f"  {buffer}: {{type: {kind}, shape: {list(values.shape)}, fill: {{file: {name}.{buffer}.bin}}}}\n"
    buffer, kind, bits = result
    (HERE / f"{name}.{buffer}.bin").write_bytes(bits.tobytes())
    shape, copies = list(bits.shape), [-(-bits.shape[0] // 8), -(-bits.shape[1] // 128), 1]
    text += f"  E: {{type: {kind}, shape: {shape}, fill: {{file: {name}.{buffer}.bin}}}}\n"
    text += f"  {buffer}: {{type: {kind}, shape: {shape}}}\nvariants:\n  triton:\n"
    text += f"    - {{module: ../cases/copy/copy_{kind}.tileirbc, grid: {copies}, args: [E, {buffer}]}}\n  cutile:\n"
    text += f"    - {{module: {module or name + '.tileirbc'}, grid: {list(grid)}, args: [{', '.join(arguments)}]}}\n"
    text += f"compare: [{buffer}]\nmodes: [fpsan]\nprofile: triton-3.9\ncasts: {casts}\n"
    (HERE / (name + ".yaml")).write_text(text)


def normal(kind, shape, scale=1):
    return (random.normal(size=shape) * scale).astype(TYPES[kind][0])


def padded(array, shape, value=0):
    out = np.full(shape, value, dtype=array.dtype)
    out[tuple(map(slice, array.shape))] = array
    return out


def softmaxes():
    for name, columns in (("softmax", 128), ("softmax_padded", 100)):
        x, y = normal("f32", (12, columns), 3), np.zeros((12, 128), np.float32)
        bits = run(softmax, [("f32", padded(x, (12, 128), -np.inf)), ("f32", y)], [], {"N": 128}, (12, 1, 1))
        case(
            name,
            f"softmax of rows of {columns}",
            {"X": ("f32", x)},
            ["X", "Y"],
            ("Y", "f32", bits[:, :columns].copy()),
            (3, 1, 1),
        )


def matmuls():
    for kind in ("f16", "bf16", "f8e4m3fn", "f8e5m2"):
        m, n, k = 40, 48, 72
        x, y, z = normal(kind, (m, k)), normal(kind, (k, n)), np.zeros((48, 64), np.float32)
        bits = run(
            matmul,
            [(kind, padded(x, (48, 96))), (kind, padded(y, (96, 64))), ("f32", z)],
            [64, 96],
            {"M": 16, "N": 32, "K": 32},
            (3, 2, 1),
        )
        case(
            "matmul_" + kind,
            f"matrix product of {kind} in f32",
            {"X": (kind, x), "Y": (kind, y)},
            ["X", "Y", "Z"],
            ("Z", "f32", bits[:m, :n].copy()),
            (2, 2, 1),
        )


def norms():
    columns = 100
    x, w, y = normal("bf16", (12, columns), 2), normal("bf16", (columns,)), np.zeros((12, 128), ml_dtypes.bfloat16)
    bits = run(
        rms_norm,
        [("bf16", padded(x, (12, 128))), ("bf16", padded(w, (128,))), ("bf16", y)],
        [columns, 1e-6],
        {"N": 128},
        (12, 1, 1),
    )
    case(
        "rms_norm",
        "RMS norm of bfloat16 rows",
        {"X": ("bf16", x), "W": ("bf16", w)},
        ["X", "W", "Y", "f32 1.0e-6"],
        ("Y", "bf16", bits[:, :columns].copy()),
        (3, 1, 1),
    )


def attentions():
    q, k, v, o = (normal("f16", (rows, 32)) for rows in (32, 96, 96, 32))
    for name, casts in (("attention", "mix"), ("attention_homomorphic", "homomorphic")):
        bits = run(
            attention,
            [("f16", q), ("f16", k), ("f16", v), ("f16", o.copy())],
            [96, 0.25],
            {"M": 16, "N": 32, "D": 32},
            (2, 1, 1),
            {"fpsan_homomorphic_casts": casts == "homomorphic"},
        )
        case(
            name,
            f"flash attention of one head, {casts} casts",
            {"Q": ("f16", q), "K": ("f16", k), "V": ("f16", v)},
            ["Q", "K", "V", "O", "f32 0.25"],
            ("O", "f16", bits),
            (2 if casts == "mix" else 1, 1, 1),
            casts,
        )


def rows_of(name, title, kernel, arrays, shape, kind, constants, grid, cutile_grid, scalars=(), cutile_scalars=()):
    """A kernel whose arrays need no padding: they are the arguments in both languages, then the result Y, then scalars."""
    result = np.zeros(shape, TYPES[kind][0])
    bits = run(kernel, [*arrays.values(), (kind, result)], list(scalars), constants, grid)
    case(name, title, arrays, [*arrays, "Y", *cutile_scalars], ("Y", kind, bits), cutile_grid)


def layers():
    columns = 100
    x, w, b = normal("f32", (12, columns), 2), normal("f32", (columns,)), normal("f32", (columns,))
    bits = run(
        layer_norm,
        [("f32", padded(x, (12, 128))), ("f32", padded(w, (128,))), ("f32", padded(b, (128,))), ("f32", np.zeros((12, 128), np.float32))],
        [columns, 1e-5],
        {"N": 128},
        (12, 1, 1),
    )
    arrays = {"X": ("f32", x), "W": ("f32", w), "B": ("f32", b)}
    result = "Y", "f32", bits[:, :columns].copy()
    case("layer_norm", "layer norm of rows", arrays, [*arrays, "Y", "f32 1.0e-5"], result, (3, 1, 1))
    rows_of("gelu", "GELU", gelu, {"X": ("f32", normal("f32", (8, 128), 2))}, (8, 128), "f32", {"N": 128}, (8, 1, 1), (2, 1, 1))
    gates = {"A": ("f16", normal("f16", (8, 128), 2)), "B": ("f16", normal("f16", (8, 128)))}
    rows_of("swiglu", "SwiGLU", swiglu, gates, (8, 128), "f16", {"N": 128}, (8, 1, 1), (2, 1, 1))
    turned = {"X": ("f32", normal("f32", (8, 64))), "Angles": ("f32", normal("f32", (8, 32), 3))}
    rows_of("rotary", "rotary embedding", rotary, turned, (8, 64), "f32", {"H": 32}, (8, 1, 1), (2, 1, 1))
    whole, once = {"M": 16, "N": 32}, (1, 1, 1)
    rows_of("running", "running sums", running, {"X": ("f32", normal("f32", (16, 32)))}, (16, 32), "f32", whole, once, once)
    stage = {name: ("f32", normal("f32", (2, 64))) for name in "ABW"}
    rows_of("fourier_stage", "butterflies of a Fourier transform", fourier_stage, stage, (4, 64), "f32", {"N": 64}, (1, 1, 1), (1, 1, 1))
    routed = {
        "Tokens": ("i32", random.integers(0, 24, 48).astype(np.int32)),
        "X": ("f16", normal("f16", (24, 32))),
        "W": ("f16", normal("f16", (3, 32, 32))),
    }
    sizes = {"M": 16, "N": 32, "K": 32}
    rows_of("expert", "gathered rows times the matrix of their expert", expert, routed, (48, 32), "f32", sizes, (3, 1, 1), (3, 1, 1))
    heads = {name: ("f16", normal("f16", (96 if name != "Q" else 64, 32))) for name in "QKV"}
    sizes = {"M": 16, "N": 32, "D": 32}
    rows_of("causal", "causal attention of one head", causal, heads, (64, 32), "f16", sizes, (4, 1, 1), (2, 1, 1), [96, 0.25], ["f32 0.25"])
    factors = {"X": ("f32", normal("f32", (32, 64))), "Z": ("f32", normal("f32", (64, 32)))}
    sizes = {"M": 32, "N": 32, "K": 64}
    rows_of("matmul_tf32", "matrix product of tf32 in f32", product, factors, (32, 32), "f32", sizes, (1, 1, 1), (1, 1, 1))
    blocks = {
        "X": ("f8e4m3fn", normal("f8e4m3fn", (32, 64))),
        "XS": ("f8e8m0fnu", (2.0 ** random.integers(-4, 5, (32, 2))).astype(ml_dtypes.float8_e8m0fnu)),
        "Z": ("f8e4m3fn", normal("f8e4m3fn", (64, 32))),
        "ZS": ("f8e8m0fnu", (2.0 ** random.integers(-4, 5, (32, 2))).astype(ml_dtypes.float8_e8m0fnu)),
    }
    rows_of("matmul_scaled", "block-scaled matrix product (MXFP8)", scaled, blocks, (32, 32), "f32", sizes, (1, 1, 1), (1, 1, 1))
    blocks |= {name: ("i8", random.integers(0, 256, (32, 32)).astype(np.uint8)) for name in "XZ"}
    rows_of("matmul_scaled_4", "block-scaled matrix product (MXFP4)", scaled_4, blocks, (32, 32), "f32", sizes, (1, 1, 1), (1, 1, 1))


def whole_tiles():
    once, whole = (1, 1, 1), {"M": 16, "N": 32}
    sizes, title = {"M": 32, "N": 32, "K": 64}, "block-scaled matrix product"
    blocks = {}
    for name in "XZ":
        blocks[name] = ("i8", random.integers(0, 256, (32, 32)).astype(np.uint8))
        blocks[name + "S"] = ("f8e4m3fn", normal("f8e4m3fn", (32, 4)))
    rows_of("matmul_scaled_nv", title + " (NVFP4)", scaled_nv, blocks, (32, 32), "f32", sizes, once, once)
    blocks = {}
    for name, shape in (("X", (32, 64)), ("Z", (64, 32))):
        blocks[name] = ("f8e5m2", normal("f8e5m2", shape))
        scales = random.integers(0, 256, (32, 2)).astype(np.uint8)
        scales[::8] = [0, 255]  # the least number, and NaN
        blocks[name + "S"] = ("f8e8m0fnu", scales.view(ml_dtypes.float8_e8m0fnu))
    rows_of("matmul_scaled_e5m2", title + " (MXFP8, e5m2)", scaled_e5m2, blocks, (32, 32), "f32", sizes, once, once)
    numbers = {"X": ("bf16", normal("bf16", (16, 32)))}
    rows_of("running_product", "running products, backwards", running_product, numbers, (16, 32), "bf16", whole, once, once)
    counts = {"X": ("i32", random.integers(-(2**31), 2**31, (16, 32)).astype(np.int32))}
    rows_of("running_integers", "running sums of integers", running, counts, (16, 32), "i32", whole, once, once)
    scores = normal("f32", (16, 32))
    scores[:, 20:] = scores[:, :12]  # whatever is largest is so twice
    places = {"X": ("f32", scores)}
    rows_of("argmax", "where the largest and the smallest are", argmax, places, (16, 2), "i32", whole, once, once)
    two = {"X": ("f32", normal("f32", (1, 256), 1000)), "Z": ("f32", normal("f32", (1, 256), 60))}
    rows_of("choices", "comparisons, integers and bits of floats", choices, two, (4, 256), "f32", {"N": 256}, once, once)
    roots = {"X": ("f32", normal("f32", (256,))), "N": ("i32", random.integers(-9, 10, 256).astype(np.int32))}
    bits = run(powers, [*roots.values(), ("f32", np.zeros((1, 256), np.float32))], [], {"N": 256}, once)
    of_text, pointers = "../cases/ops/fpowi_f32.mlir", ["X.ptr", "N.ptr", "Y.ptr"]
    case("powers", "powers by integers", roots, pointers, ("Y", "f32", bits), once, module=of_text)
    some = {"X": ("f16", normal("f16", (16, 32))), "Keep": ("i32", random.integers(0, 2, (16, 32)).astype(np.int32))}
    rows_of("masked", "masked loads with another value", masked, some, (16, 32), "f16", whole, once, once)


for write in (softmaxes, matmuls, norms, attentions, layers, whole_tiles):
    write()
