# SPDX-License-Identifier: Apache-2.0
# What kernels compute in IEEE arithmetic, in numpy and f64, and how far off a result may be. make_ieee.py writes the cases.
"""A reference takes a case and its buffers as arrays of f64 (integers as int64) by name, outputs as zeros, and gives {output: (numbers, bounds)}: a right result is
within the bound of the number. Bounds are rigorous where sums are long: n additions in f32 are off by at most n 2^-24 times the
sum of magnitudes; where a kernel has functions or roundings on its way, the comment says what the bound is made of."""

import ml_dtypes
import numpy as np
from fills import FLOATS

HALF_ULP = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8, "f64": 2.0**-53}  # of a number's magnitude
STEP = HALF_ULP["f32"]
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def decode(kind, bits):
    if kind not in FLOATS:
        return bits.view("i%d" % bits.itemsize).astype(np.int64)
    return bits.view(NUMPY[kind]).astype(np.float64)


def nibbles(bytes_):
    """Numbers of e2m1, two in a byte, the first in the low half."""
    pairs = np.stack([bytes_ & 15, bytes_ >> 4 & 15], -1).reshape(bytes_.shape[0], -1)
    return np.where(pairs & 8, -1.0, 1.0) * E2M1[pairs & 7]


def exact(numbers):
    return numbers, np.zeros_like(numbers)


def rounded(kind, numbers, bounds=0.0):
    """A result that is also rounded to a narrow type at the end."""
    return numbers, bounds + (np.abs(numbers) + bounds) * HALF_ULP[kind] * 1.01


def product(x, y, steps, kind="f32", factor=1.0, operands=0.0):
    """factor x @ y of `steps` additions in f32; operands: relative error of a product of two that were rounded before."""
    size = np.abs(x) @ np.abs(y) * abs(factor)
    return rounded(kind, x @ y * factor, size * (2 * steps * STEP + operands))


# ---- kernels of Triton and Gluon, by name: (case, arrays) -> {output: (numbers, bounds)}


def softmax_rows(x, columns, kind="f32"):
    """exp as ex2 of a rounded product, 2^-21 of relative error for |x| below 8; the sum and a division."""
    e = np.exp(x[:, :columns] - x[:, :columns].max(1, keepdims=True))
    result = np.zeros_like(x)
    result[:, :columns] = e / e.sum(1, keepdims=True)
    return result, result * 6e-6


def softmax(case, v):
    return {"z": softmax_rows(v["x"], case.arguments[3])}


def layer_norm(case, v):
    epsilon = case.arguments[4]
    x = v["x"][:, :1024]
    centred = x - x.mean(1, keepdims=True)
    factor = v["w"] / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon)
    result, bounds = np.zeros_like(v["x"]), np.zeros_like(v["x"])
    result[:, :1024] = centred * factor + v["b"]
    bounds[:, :1024] = 4e-6 * (np.abs(factor) * np.abs(x).max(1, keepdims=True) + np.abs(v["b"]))
    return {"z": (result, bounds)}


def gelu_tanh(case, v):
    t = v["x"].copy()
    e = np.exp(2 * 0.7978845608028654 * (t + 0.044715 * t**3))
    result = 0.5 * t * (1 + (e - 1) / (e + 1))
    result[case.arguments[2] :] = 0
    return {"z": rounded("bf16", result, 3e-6 * np.abs(t))}


def atomics(case, v):
    x = v["x"].copy()
    x[case.arguments[2] :] = 0
    blocks = len(x) // 512
    total, squares = x.sum(), (x * x).sum()
    bounds = [12 * blocks * STEP * np.abs(x).sum(), 0, 12 * blocks * STEP * squares, 0]
    return {"z": (np.array([total, max(0, x.max()), squares, 0]), np.array(bounds)), "lock": exact(np.zeros(1))}


def inside(shape, numbers, bounds):
    """The upper left part of an output that is zero elsewhere."""
    whole = np.zeros(shape), np.zeros(shape)
    for array, part in zip(whole, (numbers, bounds)):
        array[: part.shape[0], : part.shape[1]] = part
    return whole


def matmul(kind, operands=0.0):
    def reference(case, v):
        k = case.arguments[3]
        pad = v["x"].shape[1] - k
        y = v["y"][:, : v["y"].shape[1] - pad]
        return {"z": inside(v["z"].shape, *product(v["x"][:, :k], y, k, kind, operands=operands))}

    return reference


def scales_of(v, name):
    factors = v[name + "s"]
    return 2.0 ** ((factors & 255) - 127) if factors.dtype.kind == "i" else factors


def matmul_scaled(case, v):
    operands = []
    for name in "xy":
        numbers = nibbles(v[name]) if v[name].dtype.kind == "i" else v[name]
        scale = scales_of(v, name)
        operands.append(numbers * np.repeat(scale, numbers.shape[1] // scale.shape[1], 1))
    x, y = operands
    return {"z": product(x, y.T, x.shape[1])}


def matmul_transposed(kind, k_argument=None):
    def reference(case, v):
        k = case.arguments[k_argument] if k_argument else v["x"].shape[1]
        return {"z": inside(v["z"].shape, *product(v["x"][:, :k], v["y"][:, :k].T, k, kind))}

    return reference


def matmul_once(case, v):
    """Twice into the same accumulator."""
    return {"z": product(v["x"], v["y"], 2 * v["x"].shape[1], factor=2)}


def attention(case, v):
    """p is rounded to f16, sums are of f32: 2^-10 of the sum of magnitudes for the weights, 2^-11 for the result."""
    scale, keys = case.arguments[4:6]
    result, bounds = (np.zeros(v["o"].shape) for _ in range(2))
    rows = 128 * case.grid[0]
    for head in range(v["q"].shape[0]):
        s = v["q"][head, :rows] @ v["k"][head, :keys].T * scale
        p = 2.0 ** (s - s.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        numbers = p @ v["v"][head, :keys]
        spread = np.abs(s).max(1, keepdims=True) * 4e-6  # scores are rounded, exp2 makes that relative
        result[head, :rows], bounds[head, :rows] = rounded("f16", numbers, (2.0**-10 + spread) * (p @ np.abs(v["v"][head, :keys])))
    return {"o": (result, bounds)}


def times(factor):
    return lambda case, v: {"z": exact(factor * v["x"])}


def tripled(case, v):
    return {"z": rounded("f32", 3 * v["x"])}


def cp_async(case, v):
    x = v["x"][: case.arguments[2]]
    return {"z": (x.sum(0), len(x) * STEP * np.abs(x).sum(0))}


def packed(case, v):
    a, b = v["x"], v["y"]
    return {"z": (a * b + a * a + (a - b), 4 * STEP * (np.abs(a * b) + a * a + np.abs(a) + np.abs(b)))}


def load_max(case, v):
    return {"z": rounded("f32", v["x"] - v["x"].max(1, keepdims=True))}


def add_tma(case, v):
    rows = -(-v["x"].shape[0] // 64) * 64
    x = np.zeros((rows, 32))
    x[: v["x"].shape[0]] = 3 * v["x"]
    x = x.reshape(-1, 64, 32)
    return {"z": (x.sum(0), (len(x) + 1) * STEP * np.abs(x).sum(0))}


KERNELS = {
    "triton.softmax": softmax,
    "triton.layer_norm": layer_norm,
    "triton.gelu_tanh": gelu_tanh,
    "triton.atomics": atomics,
    "triton.matmul_f16": matmul("f16"),
    "triton.matmul_bf16": matmul("f32"),
    "triton.matmul_tf32": matmul("f32", operands=2.0**-9),  # of both operands the lowest 13 bits may be cut off
    "triton.matmul_f8": matmul("f32"),
    "triton.matmul_mxfp4": matmul_scaled,
    "triton.matmul_nvfp4": matmul_scaled,
    "triton.matmul_tma": matmul_transposed("f16"),
    "triton.matmul_tma_ws": matmul_transposed("f16"),
    "triton.attention": attention,
    **dict.fromkeys(["gluon.matmul_once_" + name for name in ("f16", "bf16_m64", "tmem", "f8")], matmul_once),
    "gluon.matmul_loop": matmul_transposed("f16", 3),
    "gluon.matmul_loop_bf16": matmul_transposed("f32", 3),
    "gluon.matmul_pipe": matmul_transposed("f16"),
    **dict.fromkeys(["gluon.scaled_" + name for name in ("mxfp8", "mxfp4", "nvfp4")], matmul_scaled),
    "gluon.copy_tile": tripled,
    "gluon.wgmma_loop": matmul_transposed("f16", 3),
    "gluon.wgmma_loop_bf16": matmul_transposed("f32", 3),
    "gluon.wgmma_f8": matmul_transposed("f32", 3),
    "gluon.cp_async": cp_async,
    "gluon.packed": packed,
    "gluon.load_max": load_max,
    "gluon.add_tma": add_tma,
    "gluon.persistent": times(2),
    **dict.fromkeys(["gluon.tmem_" + name for name in ("32x32b", "16x64b", "16x128b", "f16")], times(2)),
}
