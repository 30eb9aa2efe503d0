# SPDX-License-Identifier: Apache-2.0
"""How sums of mma and wgmma are rounded on sm_90: python mma_sums.py (needs numpy, ptxas and a GPU; exit status 77: none)

Every form gets matrices of nine kinds; each element of the result must be the bits that `model` says (docs/gpu.md)."""

import ctypes
import subprocess
import sys
import tempfile

import numpy as np

# exponent bits, mantissa bits, bits in memory, bits below the mantissa
FORMATS = {"f16": (5, 10, 16, 0), "bf16": (8, 7, 16, 0), "tf32": (8, 10, 32, 13), "e4m3": (4, 3, 8, 0), "e5m2": (5, 2, 8, 0),
           "f32": (8, 23, 32, 0)}
# instruction, shape, sum, a, b, bytes of a row of A
FORMS = [("mma", "m16n8k16", s, "f16", "f16", 32) for s in ("f32", "f16")]
FORMS += [("mma", "m16n8k8", s, "f16", "f16", 16) for s in ("f32", "f16")]
FORMS += [("mma", "m16n8k16", "f32", "bf16", "bf16", 32), ("mma", "m16n8k8", "f32", "bf16", "bf16", 16)]
FORMS += [("mma", "m16n8k8", "f32", "tf32", "tf32", 32), ("mma", "m16n8k4", "f32", "tf32", "tf32", 16)]
FORMS += [("wgmma", "m64n8k16", s, "f16", "f16", 32) for s in ("f32", "f16")]
FORMS += [("wgmma", "m64n8k16", "f32", "bf16", "bf16", 32), ("wgmma", "m64n8k8", "f32", "tf32", "tf32", 32)]
for instruction, shape, size in (("mma", "m16n8k32", 32), ("mma", "m16n8k16", 16), ("wgmma", "m64n8k32", 32)):
    for total in ("f32", "f16"):
        FORMS += [(instruction, shape, total, *pair, size) for pair in (("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2"))]
KINDS, WARPS = 9, 96  # of matrices; of a kind
ALL = KINDS * WARPS


# ---- the model: exact sums of doubles, cut where the units cut


def cut(x, exponent):
    """Towards zero, to a multiple of 2^exponent."""
    return np.ldexp(np.trunc(np.ldexp(x, -exponent)), exponent)


def leading(x, least):
    return np.maximum(np.frexp(x)[1] - 1, least)


def aligned(products, exponents, old, old_exponent, bits):
    """All terms, cut behind that bit below the largest exponent, added exactly."""
    nothing, least = -10000, -133  # what was measured allows -134 to -130
    largest = np.maximum(np.where(products == 0, nothing, exponents).max(-1), np.where(old == 0, nothing, old_exponent))
    last = np.maximum(largest, least) - bits
    return cut(products, last[..., None]).sum(-1) + cut(old, last)


def to_f32(x):
    near = x.astype(np.float32)
    near = np.where(np.abs(near.astype(float)) > np.abs(x), np.nextafter(near, np.float32(0)), near)
    return np.where(np.abs(x) >= 2.0**128, np.copysign(np.float32(np.inf), x), near).astype(np.float32)


def model(form, products, exponents, old, old_exponent):
    instruction, _, total, a, _, _ = form
    bytes_ = a in ("e4m3", "e5m2")
    # f16: to nearest. Zeros are positive.
    rounded = (lambda x: to_f32(x) + np.float32(0)) if total == "f32" else lambda x: x.astype(np.float16) + np.float16(0)
    if instruction == "wgmma" and bytes_:
        x = aligned(products, exponents, old, old_exponent, 13)
        return rounded(cut(x, np.frexp(x)[1] - 14) if total == "f32" else x)
    if not bytes_:
        return rounded(aligned(products, exponents, old, old_exponent, 25))
    # ptxas makes two products of f16 of it: of elements 0 and 1 of each four, then 2 and 3. The old sum is added at last.
    first = np.arange(products.shape[-1]) % 4 < 2
    x = rounded(aligned(products[..., first], exponents[..., first], 0 * old, old_exponent, 25)).astype(float)
    least = -126 if total == "f32" else -14
    x = rounded(aligned(products[..., ~first], exponents[..., ~first], x, leading(x, least), 25))
    return old.astype(x.dtype) + x


# ---- operands


def random_bits(seed, shape):
    with np.errstate(over="ignore"):  # splitmix64
        z = (np.arange(1, np.prod(shape) + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        return (z ^ z >> np.uint64(31)).reshape(shape)


def numbers(name, seed, shape, low, high):
    """Exponents from low to high, as far as there are such; finite."""
    exponent_bits, mantissa_bits, _, _ = FORMATS[name]
    r = random_bits(seed, shape)
    bias = (1 << exponent_bits - 1) - 1
    exponent = bias + low + (r >> np.uint64(32)).astype(np.int64) % (high - low + 1)
    exponent = np.clip(exponent, 0, 15 if name == "e4m3" else (1 << exponent_bits) - 2)
    sign = (r >> np.uint64(30) & np.uint64(1)).astype(np.int64)
    bits = sign << exponent_bits + mantissa_bits | exponent << mantissa_bits | (r.astype(np.int64) & (1 << mantissa_bits) - 1)
    return np.where(bits & 0x7F == 0x7F, bits ^ 1, bits) if name == "e4m3" else bits


def cancel(a, b, names, seed, range_):
    """Two products of each element cancel: columns of A are equal, rows of B but for the sign."""
    depth = a.shape[-1]
    i = (random_bits(seed, b.shape[:1]) % np.uint64(depth)).astype(int)
    j = (i + 1 + (random_bits(seed + 1, b.shape[:1]) % np.uint64(depth - 1)).astype(int)) % depth
    large_a = numbers(names[0], seed + 2, a.shape[:2], 0, range_)
    large_b = numbers(names[1], seed + 3, b.shape[:2], 2, range_)
    group = np.arange(len(b))
    b[group, :, i], b[group, :, j] = large_b, large_b ^ 1 << sum(FORMATS[names[1]][:2])
    warp = np.arange(len(a))
    a[warp, :, i[warp // 4]] = a[warp, :, j[warp // 4]] = large_a


def operands(form, number):
    """Bits of A [warp, 16, depth], of B for four warps [group, 8, depth], and of the old sums [warp, 16, 8]."""
    _, _, total, name_a, name_b, size = form
    names, depth = (name_a, name_b, total), size * 8 // FORMATS[name_a][2]
    bias = [(1 << FORMATS[name][0] - 1) - 1 for name in names]
    few = min(12, bias[0] - 1, bias[1] - 1)
    small = (-bias[0], 4 - bias[0], -bias[1], min(4, few), -bias[2], 30 - bias[2])
    large = (bias[0] - 4, bias[0] + 1, bias[1] - 4, bias[1] + 1, bias[2] - 12, bias[2])
    ranges = [(-2, 2, -2, 2, -3, 5), (-few, few, -few, few, -26, 26), (-few, few, -few, few, -20, 20),
              (-few, 6 - few, -few, 3 - few, -2 * few - 2, 10 - 2 * few), (-3, 3, -3, 3, 0, 34), small, large]
    parts = []
    for kind in range(KINDS):
        seed = (number * 16 + kind) * 16 + 1
        shapes = (WARPS, 16, depth), (WARPS // 4, 8, depth), (WARPS, 16, 8)
        if kind < len(ranges):
            r = ranges[kind]
            a, b, c = (numbers(names[i], seed + i, shapes[i], r[2 * i], r[2 * i + 1]) for i in range(3))
        else:  # any bits: all, and every other one
            widths = [sum(FORMATS[name][:2]) + 1 for name in names]
            a, b, c = (random_bits(seed + i, shapes[i]).astype(np.int64) & (1 << widths[i]) - 1 for i in range(3))
        if kind in (2, 8):  # few products
            b = np.where(random_bits(seed + 3, b.shape) % np.uint64(depth) < 3, b, 0)
            c = np.where(random_bits(seed + 4, c.shape) & np.uint64(1), c, 0)
        if kind == 3:
            cancel(a, b, names, seed + 5, few)
        parts.append((a, b, c))
    return (np.concatenate(x) for x in zip(*parts))


def decode(name, bits):
    """Values, exponents, and whether they are finite."""
    exponent_bits, mantissa_bits, _, _ = FORMATS[name]
    field, fraction = bits >> mantissa_bits & (1 << exponent_bits) - 1, bits & (1 << mantissa_bits) - 1
    exponent = np.maximum(field, 1) - ((1 << exponent_bits - 1) - 1)
    value = np.ldexp((fraction + ((field > 0) << mantissa_bits)).astype(float), exponent - mantissa_bits)
    finite = bits & 0x7F != 0x7F if name == "e4m3" else field != (1 << exponent_bits) - 1
    return np.where(bits >> exponent_bits + mantissa_bits & 1, -value, value), exponent, finite


# ---- registers: thread 4 g + t has word t of rows g and g + 8 of A, of column g of B, then those 4 words on

LANES = np.arange(32)
G, T = LANES // 4, LANES % 4


def pack(name, bits):
    _, _, width, shift = FORMATS[name]
    lanes = (bits.astype(np.uint64) << np.uint64(shift)).reshape(*bits.shape[:-1], -1, 32 // width)
    return (lanes << (np.arange(32 // width, dtype=np.uint64) * np.uint64(width))).sum(-1).astype(np.uint32)


def registers(form, a, b, c):
    words_a, words_b = pack(form[3], a), pack(form[4], b)
    half = form[5] // 32 + 1
    a = np.stack([words_a[:, G + 8 * (r % 2), T + 4 * (r // 2)] for r in range(2 * half)], 1)
    b = np.stack([words_b[:, G, T + 4 * r] for r in range(half)], 1)
    c = [c[:, G + 8 * (r // 2), 2 * T + r % 2] for r in range(4)]
    c = c if form[2] == "f32" else [c[0] | c[1] << 16, c[2] | c[3] << 16]
    return a, b, np.stack(c, 1).astype(np.uint32)


def elements(form, d):
    result = np.zeros((ALL, 16, 8), np.uint32)
    for r in range(4):
        word = d[:, r] if form[2] == "f32" else d[:, r // 2] >> np.uint32(r % 2 * 16) & np.uint32(0xFFFF)
        result[:, G + 8 * (r // 2), 2 * T + r % 2] = word
    return result


def kernel(form, name):
    instruction, shape, total, a, b, size = form
    counts = {"a": 2 * (size // 32 + 1), "b": size // 32 + 1, "c": 4 if total == "f32" else 2}
    lists = {k: "{" + ", ".join(f"%{k}{i}" for i in range(n)) + "}" for k, n in counts.items()}
    loads = "".join(f"ld.global.b32 %{k}{i}, [%d{j} + {i * 128}];\n" for j, (k, n) in enumerate(counts.items()) for i in range(n))
    stores = "".join(f"st.global.b32 [%d3 + {i * 128}], %c{i};\n" for i in range(counts["c"]))
    product = f"mma.sync.aligned.{shape}.row.col.{total}.{a}.{b}.{total} {lists['c']}, {lists['a']}, {lists['b']}, {lists['c']};\n"
    if instruction == "wgmma":
        product = f"""mov.u32 %r7, tile; mad.lo.u32 %r8, %r2, 4, %r7; st.shared.b32 [%r8], %b0; st.shared.b32 [%r8 + 128], %b1;
fence.proxy.async; bar.sync 0;
shr.u32 %r9, %r7, 4; cvt.u64.u32 %d4, %r9; or.b64 %d4, %d4, {256 // 16 << 32 | 128 // 16 << 16}; setp.eq.u32 %p0, 0, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.{shape}.{total}.{a}.{b} {lists['c']}, {lists['a']}, %d4, %p0, 1, 1{', 0' if a in ('f16', 'bf16') else ''};
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
"""
    return f""".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)
{{
.reg .pred %p<2>; .reg .b32 %r<16>; .reg .b32 %a<4>; .reg .b32 %b<2>; .reg .b32 %c<4>; .reg .b64 %d<8>;
.shared .align 1024 .b8 tile[256];
ld.param.u64 %d0, [pa]; ld.param.u64 %d1, [pb]; ld.param.u64 %d2, [pc]; ld.param.u64 %d3, [pd];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; and.b32 %r2, %r0, 31; shr.u32 %r3, %r0, 5; mad.lo.u32 %r4, %r1, 4, %r3;
mad.lo.u32 %r5, %r4, {32 * counts['a']}, %r2; mad.wide.u32 %d0, %r5, 4, %d0;
mad.lo.u32 %r5, %r1, {32 * counts['b']}, %r2; mad.wide.u32 %d1, %r5, 4, %d1;
mad.lo.u32 %r5, %r4, {32 * counts['c']}, %r2; mad.wide.u32 %d2, %r5, 4, %d2; mad.wide.u32 %d3, %r5, 4, %d3;
{loads}{product}{stores}ret;
}}
"""


# ---- the GPU


def assemble(text):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/sums.ptx", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.check_call(["ptxas", "-arch=sm_90a", "-o", f"{folder}/sums.cubin", f"{folder}/sums.ptx"])
        with open(f"{folder}/sums.cubin", "rb") as file:
            return file.read()


class Gpu:
    def __init__(self, image):
        self.driver, self.module, context, major = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, 0)  # of the compute capability
        if major.value != 9:
            raise OSError("the GPU is no sm_90")
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            raise OSError(f"{name}: status {status}")

    def memory(self, array):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_char_p(array.tobytes()), ctypes.c_size_t(array.nbytes))
        return pointer

    def run(self, name, arrays):
        function, result = ctypes.c_void_p(), np.zeros(arrays[2].shape, np.uint32)
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        pointers = [self.memory(x) for x in (*arrays, result)]
        arguments = (ctypes.c_void_p * 4)(*(ctypes.addressof(p) for p in pointers))
        self.call("cuLaunchKernel", function, ALL // 4, 1, 1, 128, 1, 1, 0, None, arguments, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", result.ctypes.data_as(ctypes.c_void_p), pointers[3], ctypes.c_size_t(result.nbytes))
        for pointer in pointers:
            self.call("cuMemFree_v2", pointer)
        return result


def check(gpu, form, number):
    bits = tuple(operands(form, number))
    found = elements(form, gpu.run(f"k{number}", registers(form, *bits)))
    (a, exponent_a, finite_a), (b, exponent_b, finite_b), (c, exponent_c, finite) = (
        decode(name, x) for name, x in zip((form[3], form[4], form[2]), bits))
    if form[0] == "mma" and form[3] in ("e4m3", "e5m2"):  # they become f16, in which few of them are subnormal
        exponent_a, exponent_b = leading(a, -14), leading(b, -14)
    b, exponent_b, finite_b = (np.repeat(x, 4, axis=0) for x in (b, exponent_b, finite_b))
    exponents = exponent_a[:, :, None] + exponent_b[:, None]
    wanted = model(form, a[:, :, None] * b[:, None], exponents, c, exponent_c)
    wanted = wanted.view(np.uint32 if form[2] == "f32" else np.uint16)
    finite &= finite_a.all(-1)[:, :, None] & finite_b.all(-1)[:, None]
    other = np.argwhere(finite & (found != wanted))
    print(f"{'.'.join(form[:5])}: {int(finite.sum())} elements, {len(other)} are not as the model says", flush=True)
    for place in map(tuple, other[:3].tolist()):
        print(f"    matrix, row, column {place}: GPU 0x{found[place]:x}, model 0x{wanted[place]:x}")
    return len(other)


def main():
    np.seterr(all="ignore")
    text = ".version 8.7\n.target sm_90a\n.address_size 64\n" + "".join(kernel(f, f"k{i}") for i, f in enumerate(FORMS))
    try:
        gpu = Gpu(assemble(text))
    except OSError as error:
        print(f"SKIPPED: {error}")
        return 77
    return int(sum(check(gpu, form, i) for i, form in enumerate(FORMS)) > 0)


if __name__ == "__main__":
    sys.exit(main())
