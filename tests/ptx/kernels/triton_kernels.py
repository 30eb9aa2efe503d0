# SPDX-License-Identifier: Apache-2.0
# Kernels in Triton: softmax, norms, functions, atomics, products of every float format, attention. make_corpus.py compiles them.
import triton
import triton.language as tl


@triton.jit
def softmax(x, z, stride, n, T: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, T)
    t = tl.load(x + i * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(t - tl.max(t, 0))
    tl.store(z + i * stride + at, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def layer_norm(x, w, b, z, eps, stride, T: tl.constexpr):
    i, at = tl.program_id(0), tl.arange(0, T)
    t = tl.load(x + i * stride + at).to(tl.float32)
    c = t - tl.sum(t, 0) / T
    v = tl.sum(c * c, 0) / T
    tl.store(z + i * stride + at, c * tl.rsqrt(v + eps) * tl.load(w + at) + tl.load(b + at))


@triton.jit
def gelu_tanh(x, z, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    t = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    u = 0.7978845608028654 * (t + 0.044715 * t * t * t)
    e = tl.exp(2.0 * u)
    tl.store(z + at, (0.5 * t * (1.0 + (e - 1.0) / (e + 1.0))).to(tl.bfloat16), mask=at < n)


@triton.jit
def functions(x, y, z, n, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    a = tl.load(x + at)
    b = tl.load(y + at)
    r = tl.exp(a) + tl.exp2(b) + tl.log(a) + tl.log2(b) + tl.sin(a) * tl.cos(b) + tl.sqrt(a) + tl.rsqrt(b)
    r += tl.sqrt_rn(a) + tl.div_rn(a, b) + a / b + tl.erf(a) + tl.floor(a) + tl.ceil(b) + tl.abs(a) + tl.fma(a, b, r)
    r = tl.where(a > b, tl.maximum(r, a), tl.minimum(r, b))
    r += a.to(tl.float16).to(tl.float32) + b.to(tl.float8e5).to(tl.float32) + a.to(tl.bfloat16).to(tl.float32)
    r += a.to(tl.int32).to(tl.float32) + tl.cumsum(a, 0) + tl.sigmoid(b)
    tl.store(z + at, r)


@triton.jit
def matmul(x, y, z, K, sx, sy, sz, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rows = tl.program_id(0) * TM + tl.arange(0, TM)
    columns = tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), dtype=tl.float32)
    for k in range(0, K, TK):
        at = k + tl.arange(0, TK)
        a = tl.load(x + rows[:, None] * sx + at[None, :])
        b = tl.load(y + at[:, None] * sy + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(z + rows[:, None] * sz + columns[None, :], acc.to(z.dtype.element_ty))


@triton.jit
def matmul_tma(x, y, z, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, WS: tl.constexpr):
    # x: [M, K], y: [N, K], z: [M, N]: descriptors filled by the host
    i, j = tl.program_id(0) * TM, tl.program_id(1) * TN
    acc = tl.zeros((TM, TN), dtype=tl.float32)
    for k in tl.range(0, K, TK, warp_specialize=WS, num_stages=3):
        a = x.load([i, k])
        b = y.load([j, k])
        acc = tl.dot(a, b.T, acc)
    z.store([i, j], acc.to(tl.float16))


@triton.jit
def matmul_scaled(x, xs, y, ys, z, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, FORMAT: tl.constexpr,
                  PACK: tl.constexpr, VEC: tl.constexpr):
    rows, columns = tl.program_id(0) * TM + tl.arange(0, TM), tl.program_id(1) * TN + tl.arange(0, TN)
    acc = tl.zeros((TM, TN), dtype=tl.float32)
    for k in range(0, K, TK):
        at, sat = k // PACK + tl.arange(0, TK // PACK), k // VEC + tl.arange(0, TK // VEC)
        a = tl.load(x + rows[:, None] * (K // PACK) + at[None, :])
        b = tl.load(y + columns[None, :] * (K // PACK) + at[:, None])
        sa = tl.load(xs + rows[:, None] * (K // VEC) + sat[None, :])
        sb = tl.load(ys + columns[:, None] * (K // VEC) + sat[None, :])
        acc = tl.dot_scaled(a, sa, FORMAT, b, sb, FORMAT, acc)
    N = tl.num_programs(1) * TN
    tl.store(z + rows[:, None] * N + columns[None, :], acc)


@triton.jit
def attention(q, k, v, o, scale, keys, head, stride, D: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr,
              CAUSAL: tl.constexpr):
    rows, depth = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, D)
    base = tl.program_id(1) * head
    m = tl.full((TM,), float("-inf"), dtype=tl.float32)
    l = tl.zeros((TM,), dtype=tl.float32)
    acc = tl.zeros((TM, D), dtype=tl.float32)
    qt = tl.load(q + base + rows[:, None] * stride + depth[None, :])
    for j in range(0, keys, TN):
        at = j + tl.arange(0, TN)
        kt = tl.load(k + base + at[None, :] * stride + depth[:, None])
        vt = tl.load(v + base + at[:, None] * stride + depth[None, :])
        s = tl.dot(qt, kt) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= at[None, :], s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(vt.dtype), vt, acc * alpha[:, None])
        m = m_new
    tl.store(o + base + rows[:, None] * stride + depth[None, :], (acc / l[:, None]).to(o.dtype.element_ty))


@triton.jit
def atomics(x, z, n, lock, T: tl.constexpr):
    at = tl.program_id(0) * T + tl.arange(0, T)
    t = tl.load(x + at, mask=at < n, other=0.0)
    tl.atomic_add(z, tl.sum(t, 0))
    tl.atomic_max(z + 1, tl.max(t, 0))
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(z + 2, tl.load(z + 2) + tl.sum(t * t, 0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)



# Name: kernel, types of its arguments (TYPES of make_corpus.py, or a descriptor), constants, GPUs.
def desc(element, *block):
    return "tensordesc<%s[%s]>" % (element, ",".join(map(str, block)))


ALL, TMA = (80, 90, 100), (90, 100)
TILES = [desc("fp16", 128, 64), desc("fp16", 128, 64), desc("fp16", 128, 128), *"iii"]
SCALED = dict(TM=128, TN=128, TK=128, FORMAT="e2m1", PACK=2)
WORKS = {
    "softmax": (softmax, "ffii", dict(T=1024), ALL),
    "layer_norm": (layer_norm, "hfffsi", dict(T=1024), ALL),
    "gelu_tanh": (gelu_tanh, "bbi", dict(T=512), ALL),
    "functions": (functions, "fffi", dict(T=256), ALL),
    "atomics": (atomics, "ffiI", dict(T=512), ALL),
    "matmul_f16": (matmul, "hhhiiii", dict(TM=128, TN=128, TK=64), ALL),
    "matmul_bf16": (matmul, "bbfiiii", dict(TM=64, TN=64, TK=32), ALL),
    "matmul_tf32": (matmul, "fffiiii", dict(TM=64, TN=64, TK=32), ALL),
    "matmul_f8": (matmul, "eefiiii", dict(TM=128, TN=64, TK=64), TMA),
    "matmul_mxfp4": (matmul_scaled, "uuuufi", dict(VEC=32, **SCALED), TMA),
    "matmul_nvfp4": (matmul_scaled, "ueuefi", dict(VEC=16, **SCALED), (100,)),
    "matmul_tma": (matmul_tma, TILES, dict(TM=128, TN=128, TK=64, WS=False), TMA),
    "matmul_tma_ws": (matmul_tma, TILES, dict(TM=128, TN=128, TK=64, WS=True), (100,)),
    "attention": (attention, "hhhhsiii", dict(D=64, TM=128, TN=64, CAUSAL=False), ALL),
}
