# SPDX-License-Identifier: Apache-2.0
# The launches of the corpus that the real FpSan is asked about: sizes, grids, inputs. make_oracle.py runs them.
"""all_cases() gives a Case for each launch: the kernels of the corpus as they are, at three sizes or with three inputs, and
kernels without sizes of their own also compiled for other constants."""

import dataclasses

from make_corpus import Work

NORMAL, BITS, ZEROS = {"normal": {"mean": 0, "std": 1}}, "bits", "zeros"
PAIRS_OF_NIBBLES = {"integers": {"low": -128, "high": 127}}
SCALES = {"integers": {"low": 100, "high": 127}}  # bytes of e8m0: 2^-27 to 1
SMALL_SCALES = {"uniform": {"low": 0.125, "high": 4}}  # e4m3 without signs


@dataclasses.dataclass(frozen=True)
class Buffer:
    name: str
    kind: str  # element type of a case file
    shape: tuple
    fill: object = ZEROS
    out: bool = False


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """The argument that Triton makes of a host descriptor: the map, then shape and strides of the buffer."""

    buffer: str


@dataclasses.dataclass(frozen=True)
class Case:
    work: Work
    number: int
    title: str
    buffers: list
    arguments: list  # a buffer's name, TensorMap, int (i32) or float (f32)
    grid: tuple
    seed: int
    lost: str = ""  # row of losses of PTX (README.md): the normal build gives other payloads; or SUMS

    @property
    def name(self):
        return "%s.%s.sm_%d.%d" % (self.work.language, self.work.name, self.work.gpu, self.number)


def output(name, kind, *shape):
    return Buffer(name, kind, shape, out=True)


def bits_in_third(number):
    """Random bit patterns, NaN, infinities and subnormals among them, are the input of every third case."""
    return BITS if number == 2 else NORMAL


# ---- Triton: each function gives (title, buffers, arguments, grid) of case 0, 1, 2


def softmax(number, gpu):
    rows, stride, n = ((2, 1024, 1024), (3, 1040, 976), (5, 64, 16))[number]
    buffers = [Buffer("x", "f32", (rows, stride), NORMAL), output("z", "f32", rows, stride)]
    return "%d rows of %d" % (rows, n), buffers, ["x", "z", stride, n], (rows, 1, 1)


def layer_norm(number, gpu):
    rows, stride, epsilon = ((2, 1024, 1e-5), (5, 1040, 1e-5), (3, 1024, 0.25))[number]
    fill = bits_in_third(number)
    buffers = [Buffer("x", "f16", (rows, stride), fill), Buffer("w", "f32", (1024,), NORMAL), Buffer("b", "f32", (1024,), fill)]
    return "%d rows" % rows, [*buffers, output("z", "f32", rows, stride)], ["x", "w", "b", "z", epsilon, stride], (rows, 1, 1)


def gelu_tanh(number, gpu):
    blocks, n = ((1, 512), (3, 1200), (2, 528))[number]
    buffers = [Buffer("x", "bf16", (blocks * 512,), NORMAL), output("z", "bf16", blocks * 512)]
    return "%d elements" % n, buffers, ["x", "z", n], (blocks, 1, 1)


def functions(number, gpu):
    blocks = (1, 3, 2)[number]
    buffers = [Buffer(name, "f32", (blocks * 256,), NORMAL) for name in "xy"]
    return "%d blocks" % blocks, [*buffers, output("z", "f32", blocks * 256)], ["x", "y", "z", blocks * 256], (blocks, 1, 1)


def atomics(number, gpu):
    blocks, n = ((1, 512), (3, 1200), (5, 2560))[number]
    buffers = [Buffer("x", "f32", (blocks * 512,), NORMAL), output("z", "f32", 4), output("lock", "i32", 1)]
    return "%d blocks, %d elements" % (blocks, n), buffers, ["x", "z", n, "lock"], (blocks, 1, 1)


def matmul(kind, result, tile):
    def case(number, gpu):
        (gm, gn), steps, pad = (((1, 1), 1, 0), ((2, 1), 3, 16), ((1, 2), 2, 0))[number]
        m, n, k = gm * tile[0], gn * tile[1], steps * tile[2]
        fill = bits_in_third(number)
        buffers = [Buffer("x", kind, (m, k + pad), fill), Buffer("y", kind, (k, n + pad), fill), output("z", result, m, n + pad)]
        return "%d x %d x %d" % (m, n, k), buffers, ["x", "y", "z", k, k + pad, n + pad, n + pad], (gm, gn, 1)

    return case


def matmul_scaled(vector, scale_kind, scales):
    def case(number, gpu):
        (gm, gn), steps = (((1, 1), 1), ((2, 1), 2), ((1, 2), 1))[number]
        m, n, k = gm * 128, gn * 128, steps * 128
        buffers = []
        for name, rows in (("x", m), ("y", n)):
            buffers.append(Buffer(name, "i8", (rows, k // 2), PAIRS_OF_NIBBLES))
            buffers.append(Buffer(name + "s", scale_kind, (rows, k // vector), scales))
        return "%d x %d x %d" % (m, n, k), [*buffers, output("z", "f32", m, n)], ["x", "xs", "y", "ys", "z", k], (gm, gn, 1)

    return case


def matmul_tma(number, gpu):
    (gm, gn), (m, n, k) = (((1, 1), (128, 128, 192)), ((2, 1), (200, 104, 72)), ((1, 2), (96, 256, 320)))[number]
    fill = bits_in_third(number)
    buffers = [Buffer("x", "f16", (m, k), fill), Buffer("y", "f16", (n, k), fill), output("z", "f16", m, n)]
    arguments = [TensorMap("x"), TensorMap("y"), TensorMap("z"), m, n, k]
    return "%d x %d x %d" % (m, n, k), buffers, arguments, (gm, gn, 1)


def attention(number, gpu):
    blocks, heads, keys, scale = ((1, 1, 64, 0.125), (2, 2, 128, 0.25), (1, 1, 192, 1.0))[number]
    rows = max(128 * blocks, keys)
    buffers = [Buffer(name, "f16", (heads, rows, 64), bits_in_third(number) if name == "v" else NORMAL) for name in "qkv"]
    arguments = ["q", "k", "v", "o", scale, keys, rows * 64, 64]
    return "%d rows, %d heads, %d keys" % (128 * blocks, heads, keys), [*buffers, output("o", "f16", heads, rows, 64)], arguments, (blocks, heads, 1)


# ---- Gluon


def matmul_once(kind, constants):
    def case(number, gpu):
        m, n, k = (constants[number][name] for name in "MNK")
        fill = bits_in_third(number)
        buffers = [Buffer("x", kind, (m, k), fill), Buffer("y", kind, (k, n), fill), output("z", "f32", m, n)]
        return "%d x %d x %d" % (m, n, k), buffers, ["x", "y", "z"], (1, 1, 1)

    return case


def matmul_loop(kind, result, tile):
    def case(number, gpu):
        (gm, gn), steps, pad = (((1, 1), 1, 0), ((2, 1), 3, 16), ((1, 2), 4, 0))[number]
        m, n, k = gm * tile[0], gn * tile[1], steps * tile[2]
        fill = bits_in_third(number)
        buffers = [Buffer("x", kind, (m, k + pad), fill), Buffer("y", kind, (n, k + pad), fill), output("z", result, m, n + pad)]
        return "%d x %d x %d" % (m, n, k), buffers, ["x", "y", "z", k, k + pad, k + pad, n + pad], (gm, gn, 1)

    return case


def matmul_pipe(number, gpu):
    (gm, gn), (m, n, k) = (((1, 1), (128, 128, 128)), ((2, 1), (256, 128, 256)), ((2, 2), (136, 136, 456)))[number]
    fill = bits_in_third(number)
    buffers = [Buffer("x", "f16", (m, k), fill), Buffer("y", "f16", (n, k), fill), output("z", "f16", m, n)]
    return "%d x %d x %d" % (m, n, k), buffers, [TensorMap("x"), TensorMap("y"), TensorMap("z"), k], (gm, gn, 1)


def scaled(kind, pack, vector, scale_kind, scales):
    def case(number, gpu):
        data = (NORMAL if kind != "i8" else PAIRS_OF_NIBBLES) if number < 2 else BITS
        factor = BITS if number == 2 else scales
        m, n, k = (BLOCK_SCALED[number][name] for name in "MNK")
        buffers = []
        for name, rows in (("x", m), ("y", n)):
            buffers += [Buffer(name, kind, (rows, k // pack), data), Buffer(name + "s", scale_kind, (rows, k // vector), factor)]
        return "%d x %d x %d" % (m, n, k), [*buffers, output("z", "f32", m, n)], ["x", "xs", "y", "ys", "z"], (1, 1, 1)

    return case


def same_shape(names, kind, constants, shape):
    """Inputs and one output of one shape, a function of the constants."""

    def case(number, gpu):
        sizes = shape(constants[number])
        buffers = [Buffer(name, kind, sizes, bits_in_third(number)) for name in names]
        title = " x ".join(map(str, sizes)) + (", any bits" if number == 2 else "")
        return title, [*buffers, output("z", kind, *sizes)], [*names, "z"], (1, 1, 1)

    return case


def cp_async(number, gpu):
    rows, n = ((7, 7), (2, 1), (12, 12))[number]
    return "%d rounds" % n, [Buffer("x", "f32", (rows, 512), bits_in_third(number)), output("z", "f32", 512)], ["x", "z", n], (1, 1, 1)


def add_tma(number, gpu):
    blocks, rows = ((1, 64), (3, 192), (2, 100))[number]
    buffers = [Buffer("x", "f32", (rows, 32), NORMAL), output("z", "f32", 64, 32)]
    return "%d blocks, %d rows" % (blocks, rows), buffers, [TensorMap("x"), TensorMap("z")], (blocks, 1, 1)


def two_ctas(number, gpu):
    buffers = [Buffer("x", "f16", (256, 64), NORMAL), Buffer("y", "f16", (64, 128), NORMAL), output("z", "f16", 256, 128)]
    return "256 x 128 x 64", buffers, [TensorMap("x"), TensorMap("y"), TensorMap("z")], (1, 1, 1)


def persistent(number, gpu):
    blocks = (1, 3, 8)[number]
    buffers = [Buffer("x", "f32", (blocks * 512,), bits_in_third(number)), output("z", "f32", blocks * 512)]
    return "%d blocks" % blocks, buffers, ["x", "z", blocks * 512], (blocks, 1, 1)


# Constants of case 0, 1, 2 where they are sizes.
ONCE = [dict(M=128, N=64, K=64), dict(M=128, N=32, K=32), dict(M=128, N=64, K=64)]
ONCE_M64 = [dict(M=64, N=32, K=32), dict(M=64, N=16, K=64), dict(M=64, N=32, K=32)]
ONCE_F8 = [dict(M=128, N=64, K=64), dict(M=64, N=32, K=32), dict(M=128, N=64, K=64)]
BLOCK_SCALED = [dict(M=128, N=128, K=128), dict(M=128, N=32, K=128), dict(M=128, N=128, K=128)]
COPIED, ROUND = [dict(M=128, N=64), dict(M=128, N=32), dict(M=128, N=64)], [dict(M=128, N=32), dict(M=128, N=16), dict(M=128, N=32)]
ROUND_F16 = [dict(M=128, N=64), dict(M=128, N=32), dict(M=128, N=64)]
FLAT = [dict(T=512), dict(T=1024), dict(T=512)]


def tile_shape(constants):
    return constants["M"], constants["N"]


def flat_shape(constants):
    return (constants["T"],)


TRITON = {
    "softmax": softmax,
    "layer_norm": layer_norm,
    "gelu_tanh": gelu_tanh,
    "functions": functions,
    "atomics": atomics,
    "matmul_f16": matmul("f16", "f16", (128, 128, 64)),
    "matmul_bf16": matmul("bf16", "f32", (64, 64, 32)),
    "matmul_tf32": matmul("f32", "f32", (64, 64, 32)),
    "matmul_f8": matmul("f8e4m3fn", "f32", (128, 64, 64)),
    "matmul_mxfp4": matmul_scaled(32, "i8", SCALES),
    "matmul_nvfp4": matmul_scaled(16, "f8e4m3fn", SMALL_SCALES),
    "matmul_tma": matmul_tma,
    "matmul_tma_ws": matmul_tma,
    "attention": attention,
}
GLUON = {
    "matmul_once_f16": matmul_once("f16", ONCE),
    "matmul_once_bf16_m64": matmul_once("bf16", ONCE_M64),
    "matmul_once_tmem": matmul_once("f16", ONCE),
    "matmul_once_f8": matmul_once("f8e4m3fn", ONCE_F8),
    "matmul_loop": matmul_loop("f16", "f16", (128, 64, 64)),
    "matmul_loop_bf16": matmul_loop("bf16", "f32", (128, 128, 32)),
    "matmul_pipe": matmul_pipe,
    "scaled_mxfp8": scaled("f8e4m3fn", 1, 32, "i8", SCALES),
    "scaled_mxfp4": scaled("i8", 2, 32, "i8", SCALES),
    "scaled_nvfp4": scaled("i8", 2, 16, "f8e4m3fn", SMALL_SCALES),
    "copy_tile": same_shape("x", "f32", COPIED, tile_shape),
    "wgmma_loop": matmul_loop("f16", "f16", (64, 64, 64)),
    "wgmma_loop_bf16": matmul_loop("bf16", "f32", (64, 128, 32)),
    "wgmma_f8": matmul_loop("f8e4m3fn", "f32", (64, 64, 64)),
    "cp_async": cp_async,
    "packed": same_shape("xy", "f32", FLAT, flat_shape),
    "load_max": same_shape("x", "f32", COPIED, tile_shape),
    "add_tma": add_tma,
    "two_ctas": two_ctas,
    "persistent": persistent,
    "tmem_32x32b": same_shape("x", "f32", ROUND, tile_shape),
    "tmem_16x64b": same_shape("x", "f32", ROUND, tile_shape),
    "tmem_16x128b": same_shape("x", "f32", ROUND, tile_shape),
    "tmem_f16": same_shape("x", "f16", ROUND_F16, tile_shape),
}
CONSTANTS = {
    **dict.fromkeys(["matmul_once_f16", "matmul_once_tmem"], ONCE),
    "matmul_once_bf16_m64": ONCE_M64,
    "matmul_once_f8": ONCE_F8,
    **dict.fromkeys(["copy_tile", "load_max"], COPIED),
    **dict.fromkeys(["scaled_mxfp8", "scaled_mxfp4", "scaled_nvfp4"], BLOCK_SCALED),
    "packed": FLAT,
    **dict.fromkeys(["tmem_32x32b", "tmem_16x64b", "tmem_16x128b"], ROUND),
    "tmem_f16": ROUND_F16,
}
LOST = {"gelu_tanh": "L4", "persistent": "L4"}
LOST_ON = {("matmul_mxfp4", 90): "L16", ("functions", 80): "L16"}
SUMS = "sums"  # what the kernel adds to memory are real sums in Triton, which are payloads as long as there is one for each element
SUMMING = ("atomics", "add_tma")


def loss(work, grid):
    if work.name in SUMMING:
        return SUMS if grid == (1, 1, 1) else "L12"
    return LOST.get(work.name) or LOST_ON.get((work.name, work.gpu), "")


SHAPES = {"triton": TRITON, "gluon": GLUON}
CASES_OF_KERNEL = 3


def all_cases(works):
    for work in works:
        for number in range(CASES_OF_KERNEL):
            title, buffers, arguments, grid = SHAPES[work.language][work.name](number, work.gpu)
            sizes = CONSTANTS.get(work.name)
            own = tuple(sizes[number].items()) if sizes and sizes[number] != sizes[0] else ()
            at = dataclasses.replace(work, constants=own)
            yield Case(at, number, title, buffers, arguments, grid, seed=1 + number, lost=loss(work, grid))
