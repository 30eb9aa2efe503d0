# SPDX-License-Identifier: Apache-2.0
# Launches of the kernels of kernels.cu, kernels_90.cu and cute_kernels.py that are more than one function, with references in
# numpy as in ieee_kernels.py. (Functions alone: ieee_functions.def.)

import dataclasses

import ml_dtypes
import numpy as np
from ieee_kernels import HALF_ULP, STEP, exact, product, rounded, softmax_rows
from oracle_cases import NORMAL, Buffer, output


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    grid: tuple
    block: object  # one number or a tuple; of cute the file says it
    arguments: list  # as in case files
    buffers: list
    reference: object
    shared: int = 0
    family: str = "kernels"  # kernels, kernels_90, kernels_100 or cute
    entry: str = ""


# Files of each family (but kernels.keep, whose functions nobody has in IEEE arithmetic); FAST ones have the looser bounds.
FAMILIES = {
    "kernels": ["nvcc.sm_80", "nvcc.sm_90", "nvcc.sm_100", "clang.sm_80", "clang_noinline.sm_80", "calls.sm_90", "fast.sm_90", "ftz.sm_90"],
    "kernels_90": ["nvcc.sm_90", "nvcc.sm_100"],
    "kernels_90a": ["nvcc.sm_90"],
    "kernels_100a": ["nvcc.sm_100"],
}
FAST = ("fast.sm_90", "ftz.sm_90")


def uniform(low, high):
    return {"uniform": {"low": low, "high": high}}


def constant(value):
    return {"constant": value}


def floats(name, *shape, kind="f32", fill=NORMAL):
    return Buffer(name, kind, shape, fill)


# ---- references: (arrays, fast) -> {output: (numbers, bounds)}


def vadd(v, fast):
    result = v["x"] + v["y"]
    result[1000:] = 0
    return {"z": rounded("f32", result)}


def axpby(v, fast):
    result, bounds = 0.75 * v["x"] - 1.25 * v["y"], 3 * STEP * (np.abs(v["x"]) + 2 * np.abs(v["y"]))
    result[1000:] = bounds[1000:] = 0
    return {"z": (result, bounds)}


def sum_shuffle(v, fast):
    return {"z": (v["x"].sum(1), 20 * STEP * np.abs(v["x"]).sum(1))}


def sum_groups(v, fast):
    """z[0] is made of shared memory that nobody has written; z[1] counts threads."""
    return {"z": (np.array([0.0, 256]), np.array([np.inf, 0]))}


def softmax(v, fast):
    """expf is off by 2 steps, with fast math by 2 + 1.2 |x|; a sum of 300; a division."""
    result, _ = softmax_rows(v["x"], v["x"].shape[1])
    return {"z": (result, result * (3e-5 if fast else 5e-6))}


def rms_norm(v, fast):
    x = v["x"]
    result = x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5) * v["w"]
    return {"z": rounded("bf16", result, 2e-5 * np.abs(result))}


def sgemm(v, fast):
    return {"c": product(v["a"], v["b"], 64)}


def gemm_wmma(v, fast):
    return {"c": product(v["a"], v["b"].T, 64, factor=0.5)}


def gemm_mma(v, fast):
    return {"c": product(v["a"], v["b"].T, 64)}


def pipeline(v, fast):
    x = v["x"]
    return {"z": (x.sum(0), len(x) * STEP * np.abs(x).sum(0))}


class Trace:
    """Computes in f64 and keeps the largest magnitude of each element on its way."""

    def __init__(self):
        self.largest = 0.0

    def __call__(self, numbers):
        self.largest = np.maximum(self.largest, np.abs(numbers))
        return numbers


def halves(v, fast):
    """Twelve operations in f16, some with errors of two steps: 16 steps of the largest number on the way, of both halves."""
    a, b = v["x"].reshape(-1, 2), v["y"].reshape(-1, 2)
    t = Trace()
    r = t(a * b + (a + b))
    r = t(r * (a - b))
    r = t(np.maximum(r, t(np.exp2(a))))
    r = t(r + 1 / np.sqrt(b))
    r = t(r + t(np.stack([np.exp(a[:, 0]), a[:, 1] / b[:, 1]], 1)))
    r = t(r + r[:, ::-1])
    r = r + np.tanh(b)
    t.largest = t.largest.max(1, keepdims=True) + 0 * r
    r = np.where((a[:, 0] > b[:, 1])[:, None], r, -np.abs(r))
    return {"z": (r.reshape(-1), 24 * HALF_ULP["f16"] * t.largest.reshape(-1))}


def bfloats(v, fast):
    a, b = v["x"].reshape(-1, 2), v["y"].reshape(-1, 2)
    t = Trace()
    r = t(a * b + t(a + b))
    r = t(r * t(a - b))
    r = t(np.maximum(r, t(np.exp2(a))))
    r = t(np.stack([2 * r[:, 0], r[:, 1] + 1], 1))
    result = np.maximum(t(t(r * a) + b), 0)
    growth = 1 + np.abs(a) + np.abs(b)
    return {"z": (result.reshape(-1), (12 * HALF_ULP["bf16"] * t.largest * growth).reshape(-1))}


def fp8(v, fast):
    x = v["x"].astype(np.float32)
    four = np.clip(x, -448, 448).astype(ml_dtypes.float8_e4m3fn)
    five = np.clip(x, -57344, 57344).astype(ml_dtypes.float8_e5m2)
    half = four.astype(np.float16) + x.astype(np.float16)
    z = np.where(np.arange(len(x)) % 2 == 0, half.astype(np.float64), four.astype(np.float64))
    return {"e4": exact(four.astype(np.float64)), "e5": exact(five.astype(np.float64)), "h": exact(half.astype(np.float64)), "z": exact(z)}


def atomics(v, fast):
    """256 threads with 2.5; what all lanes of a warp store is the same."""
    total = 256 * 2.5
    small = np.zeros(2, ml_dtypes.bfloat16)
    for _ in range(256):
        small = small + np.array(2.5, ml_dtypes.bfloat16)
    words = [5, 5, 5, 5, 5, (-1 + 64 + 0xA0000000 + 29 + 1 + 0x00050005 - 1) & 0xFFFFFFFF, 5, 5, 5, 5, 5, 30 + 640 + 10]
    signed = np.array(words + [5] * 8, np.uint32).view(np.int32).astype(np.float64)
    return {
        "f": exact(np.array([total, 2.5, 2.5])),
        "i": exact(np.array([2.0, 0])),
        "u": exact(signed),
        "l": exact(np.array([2.0, 1 + 3 * 256])),
        "d": exact(np.array([total])),
        "h": exact(np.array([total, total])),
        "b": exact(small.astype(np.float64)),
    }


def calls(v, fast):
    """One thread. The table and the device's scratch are zeros; case 2 of the switch stores a 3."""
    return {"z": exact(np.array([0.0, 0, 3, 0]))}


def doubled(v, fast):
    return {"z": exact(2 * v["x"])}


def reversed_rows(v, fast):
    return {"z": exact(v["x"].reshape(-1, 256)[:, ::-1].reshape(-1))}


def bulk(v, fast):
    return {"z": (v["x"].reshape(-1, 256).sum(0), 3 * STEP * np.abs(v["x"]).reshape(-1, 256).sum(0))}


def small_product(v, fast):
    return {"z": product(v["x"], v["y"].T, 16)}


def elected(v, fast):
    """Lane 0 of each warp is the one; it stores its number."""
    return {"z": exact(np.zeros(256))}


def row_sum(v, fast):
    result = 1 / np.sqrt((v["x"] ** 2).mean(1) + 1e-5)
    return {"z": (result, 3e-6 * result)}


def converted(v, fast):
    x = v["x"].astype(np.float32)
    four = np.clip(x, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float64)
    return {"y": exact(x.astype(ml_dtypes.bfloat16).astype(np.float64)), "z": exact(four)}


def cute_gemm(v, fast):
    return {"z": product(v["x"], v["y"].T, 256, "f16")}


def a_map(buffer, *box, swizzle=0):
    return {"map": {"buffer": buffer, "box": list(box), "swizzle": swizzle}}


def tensor(buffer):
    """CuTe passes a struct that has but a pointer."""
    return {"struct": [buffer]}


def halves_of(name, *shape):
    return floats(name, *shape, kind="f16")


N = "i32 1000"
POSITIVE = uniform(0.25, 4)
KERNELS = [
    Kernel("vadd", (8, 1, 1), 128, ["x", "y", "z", N], [floats("x", 1024), floats("y", 1024), output("z", "f32", 1024)], vadd),
    Kernel("axpby", (2, 1, 1), 128, ["f32 0.75", "x", "f32 -1.25", "y", "z", N], [floats("x", 1024), floats("y", 1024), output("z", "f32", 1024)], axpby),
    Kernel("sum_shuffle", (3, 1, 1), 256, ["x", "z", N], [floats("x", 3, 1000), output("z", "f32", 3)], sum_shuffle),
    Kernel("sum_groups", (1, 1, 1), 256, ["x", "z", N], [floats("x", 1000), output("z", "f32", 2)], sum_groups),
    Kernel("softmax", (3, 1, 1), 256, ["x", "z", "i32 300"], [floats("x", 3, 300), output("z", "f32", 3, 300)], softmax),
    Kernel(
        "rms_norm", (2, 1, 1), 128, ["x", "w", "z", "i32 300", "f32 1e-5"],
        [floats("x", 2, 300, kind="bf16"), floats("w", 300, kind="bf16"), output("z", "bf16", 2, 300)], rms_norm, shared=1200,
    ),
    Kernel("sgemm", (3, 2, 1), (16, 16), ["a", "b", "c", "i32 32", "i32 48", "i32 64"], [floats("a", 32, 64), floats("b", 64, 48), output("c", "f32", 32, 48)], sgemm),
    Kernel("gemm_wmma", (2, 3, 1), 32, ["a", "b", "c", "i32 32", "i32 48", "i32 64"], [halves_of("a", 32, 64), halves_of("b", 48, 64), output("c", "f32", 32, 48)], gemm_wmma),
    Kernel("gemm_mma", (2, 3, 1), 32, ["a", "b", "c", "i32 24", "i32 64"], [halves_of("a", 32, 64), halves_of("b", 24, 64), output("c", "f32", 32, 24)], gemm_mma),
    Kernel("pipeline", (1, 1, 1), 128, ["x", "z", "i32 9"], [floats("x", 9, 512), output("z", "f32", 512)], pipeline),
    Kernel("halves", (2, 1, 1), 128, ["x", "y", "z"], [floats("x", 512, kind="f16", fill=uniform(-2, 2)), floats("y", 512, kind="f16", fill=POSITIVE), output("z", "f16", 512)], halves),
    Kernel("bfloats", (2, 1, 1), 128, ["x", "y", "z"], [floats("x", 512, kind="bf16", fill=uniform(-2, 2)), floats("y", 512, kind="bf16"), output("z", "bf16", 512)], bfloats),
    Kernel(
        "fp8", (2, 1, 1), 128, ["x", "e4", "e5", "h", "z"],
        [floats("x", 512, fill={"normal": {"mean": 0, "std": 300}}), output("e4", "f8e4m3fn", 512), output("e5", "f8e5m2", 512), output("h", "f16", 512), output("z", "f32", 512)], fp8,
    ),
    Kernel(
        "atomics", (2, 1, 1), 128, ["f", "i", "u", "l", "d", "h", "b", "x"],
        [output("f", "f32", 3), output("i", "i32", 2), Buffer("u", "i32", (20,), constant(5), out=True), Buffer("l", "i64", (2,), constant(1), out=True),
         output("d", "f64", 1), output("h", "f16", 2), output("b", "bf16", 2), floats("x", 256, fill=constant(2.5))], atomics,
    ),
    Kernel("calls", (1, 1, 1), 1, [{"struct": ["f32 1.5", "i32 2"]}, "z", {"scratch": 0}], [output("z", "f32", 4)], calls),
    Kernel("tma_copy", (1, 1, 1), 128, [a_map("x", 64, 32), a_map("z", 64, 32), "i32 3"], [floats("x", 192, 32), output("z", "f32", 192, 32)], doubled, family="kernels_90"),
    Kernel("library_barrier", (1, 1, 1), 256, ["x", "z", "i32 3"], [floats("x", 768), output("z", "f32", 768)], reversed_rows, family="kernels_90"),
    Kernel("bulk", (3, 1, 1), 32, ["x", "z"], [floats("x", 768), output("z", "f32", 256)], bulk, family="kernels_90"),
    Kernel("wgmma", (1, 1, 1), 128, ["x", "y", "z"], [halves_of("x", 64, 16), halves_of("y", 16, 16), output("z", "f32", 64, 16)], small_product, family="kernels_90a"),
    Kernel("registers", (1, 1, 1), 256, ["z"], [output("z", "f32", 256)], elected, family="kernels_90a"),
    Kernel("tcgen05", (1, 1, 1), 128, ["x", "y", "z"], [halves_of("x", 128, 16), halves_of("y", 16, 16), output("z", "f32", 128, 16)], small_product, family="kernels_100a"),
    *[Kernel("row_sum.sm_%d" % gpu, (16, 1, 1), 0, [tensor("x"), tensor("z")], [floats("x", 16, 1024), output("z", "f32", 16)], row_sum, family="cute") for gpu in (80, 100)],
    Kernel("convert.sm_100", (1, 1, 1), 0, [tensor("x"), tensor("y"), tensor("z")], [floats("x", 512, fill={"normal": {"mean": 0, "std": 300}}), output("y", "bf16", 512), output("z", "f8e4m3fn", 512)], converted, family="cute"),
    Kernel(
        "gemm.sm_100", (2, 2, 1), 0, [{"bytes": '"%s"' % ("00" * 32)}, a_map("x", 128, 64, swizzle=128), a_map("y", 128, 64, swizzle=128), tensor("z")],
        [halves_of("x", 256, 256), halves_of("y", 256, 256), output("z", "f16", 256, 256)], cute_gemm, shared=100352, family="cute",
    ),
]  # fmt: skip
