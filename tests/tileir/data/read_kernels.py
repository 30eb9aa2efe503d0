# SPDX-License-Identifier: Apache-2.0
# The kernels of this folder's read_*.tileirbc, in cuTile Python 1.7. Bytecode holds source paths, so copy this file to a neutral folder and
# let it find the package under a neutral name (needed: the path of the installed `cuda` package):
#
#   mkdir -p /src/site-packages && ln -sfn PATH/TO/site-packages/cuda /src/site-packages/cuda && cp read_kernels.py /src
#   cd /src && PYTHONPATH=/src/site-packages python read_kernels.py OUTPUT_FOLDER
import sys

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature, ScalarConstraint, export_kernel


@ct.function
def gelu(x):
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1.0 + ct.tanh(inner))


@ct.kernel
def attention(q, k, v, o, scale: float, D: ct.Constant[int], TM: ct.Constant[int], TN: ct.Constant[int]):
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -float("inf"), dtype=ct.float32)
    total = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head, 0, j), shape=(1, D, TN), order=(0, 2, 1), latency=4).reshape((D, TN))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        new = max(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - new, flush_to_zero=True)
        alpha = ct.exp2(m - new)
        total = total * alpha + ct.sum(p, axis=-1, keepdims=True)
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), allow_tma=False).reshape((TN, D))
        acc = ct.mma(p.astype(q.dtype), vt, acc * alpha)
        m = new
    ct.store(o, index=(head, block, 0), tile=ct.truediv(acc, total).reshape((1, TM, D)).astype(o.dtype))


@ct.kernel
def elementwise(a, b, n: int):
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(64,), padding_mode=ct.PaddingMode.NEG_INF)
    y = gelu(x) + ct.sin(x) * ct.cos(x) - ct.sqrt(ct.abs(x)) / ct.log2(x)
    y = ct.where(ct.isnan(y), ct.floor(x), ct.maximum(y, ct.exp(x)))
    if i < n:
        y = y + ct.astype(ct.arange(64, dtype=ct.int32) % 7, ct.float32)
    elif i == 3 * n:
        y = ct.pow(y, x)
    count = 0
    while count < n:
        y = y * ct.rsqrt(x)
        if ct.max(y, axis=0) > 10.0:
            break
        count += 1
    ct.assert_(count >= 0, "count \"is\" negative")
    ct.store(b, index=(i,), tile=y)


@ct.kernel
def pointers(table, rows, out, histogram):
    lane = ct.arange(32, dtype=ct.int32)
    row = ct.gather(rows, lane)
    picked = ct.gather(table, (row, lane), padding_value=1.5)
    ct.scatter(out, lane, picked, mask=lane < 20)
    ct.atomic_add(histogram, row & 7, 1)
    old = ct.atomic_cas(histogram, lane, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
    ct.atomic_max(histogram, lane, old ^ (old << 2) | ~(old >> 1))


@ct.kernel
def scans(a, b, c):
    x = ct.load(a, index=(0, 0), shape=(8, 16))
    best = ct.argmax(x, axis=1)
    running = ct.cumsum(x, axis=1, reverse=True) + ct.cumprod(x, axis=0)
    parts = ct.cat((ct.extract(running, (0, 1), (8, 8)), ct.extract(running, (0, 0), (8, 8))), axis=1)
    mixed = ct.permute(ct.bitcast(parts, ct.int32), (1, 0))
    ct.store(b, index=(0,), tile=best)
    ct.store(c, index=(0, 0), tile=mixed)


@ct.kernel
def casts(a, b, c):
    x = ct.load(a, index=(0, 0), shape=(16, 32))
    small = x.astype(ct.float8_e4m3fn)
    wide = small.astype(ct.float32).astype(ct.tfloat32)
    tensor = ct.mma(wide, ct.transpose(wide), ct.zeros((16, 16), ct.float32))
    ints = ct.mma(ct.astype(x, ct.int8), ct.transpose(ct.astype(x, ct.int8)), ct.zeros((16, 16), ct.int32))
    ct.store(b, index=(0, 0), tile=tensor + ct.astype(ints, ct.float32))
    ct.store(c, index=(0, 0), tile=x.astype(ct.float8_e5m2).astype(ct.float64))


@ct.kernel
def prints(a):
    x = ct.load(a, index=(0,), shape=(4,))
    ct.printf("x: %f\n", x)


@ct.kernel
def scaled(x, sx, y, sy, out):
    a = ct.load(x, index=(0, 0), shape=(16, 64))
    b = ct.load(y, index=(0, 0), shape=(64, 16))
    s = ct.load(sx, index=(0, 0), shape=(16, 2))
    t = ct.load(sy, index=(0, 0), shape=(2, 16))
    ct.store(out, index=(0, 0), tile=ct.mma_scaled(a, s, b, t, ct.zeros((16, 16), ct.float32)))


@ct.kernel
def strided(a, b):
    view = a.tiled_view((8,), traversal_steps=(4,), padding_mode=ct.PaddingMode.ZERO)
    x = view.load((ct.bid(0),))
    bytes_ = ct.pack_to_bytes(x)
    ct.store(b, index=(ct.bid(0),), tile=bytes_)


def array(dtype, rank):
    return ArrayConstraint(dtype, rank, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
                           stride_constant=[None] * (rank - 1) + [1], base_addr_divisible_by=16)


f16, f32, i32 = array(ct.float16, 3), ScalarConstraint(ct.float32), ScalarConstraint(ct.int32)
EVERY = ["13.1", "13.2", "13.3"]
KERNELS = [
    (attention, [f16, f16, f16, f16, f32, 64, 64, 64], EVERY),
    (elementwise, [array(ct.float32, 1), array(ct.float32, 1), i32], EVERY),
    (pointers, [array(ct.float32, 2), array(ct.int32, 1), array(ct.float32, 1), array(ct.int32, 1)], EVERY),
    (scans, [array(ct.float32, 2), array(ct.int32, 1), array(ct.int32, 2)], EVERY),
    (casts, [array(ct.float16, 2), array(ct.float32, 2), array(ct.float64, 2)], EVERY),
    (prints, [array(ct.float32, 1)], ["13.1", "13.3"]),
    (scaled, [array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 2), array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 2),
              array(ct.float32, 2)], ["13.3"]),
    (strided, [array(ct.float16, 1), array(ct.uint8, 1)], ["13.3"]),
]

for kernel, parameters, versions in KERNELS:
    for version in versions:
        name = kernel._pyfunc.__name__ if hasattr(kernel, "_pyfunc") else kernel.__name__
        export_kernel(kernel, [KernelSignature(parameters, CallingConvention.cutile_python_v1())],
                      f"{sys.argv[1]}/read_{name}_{version.replace('.', '')}.tileirbc", gpu_code="sm_100",
                      output_format="tileir_bytecode", bytecode_version=version)
