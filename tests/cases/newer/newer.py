# SPDX-License-Identifier: Apache-2.0
# Bytecode 13.3: atan2, approximate exp and tanh, powers of two as a type; and remainders.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

VERSION = "13.3"


@ct.kernel
def functions(x, z, y, T: Const):
    i = ct.bid(0)
    a = ct.load(x, index=(0, i), shape=(1, T))
    b = ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=ct.atan2(a, b))
    ct.store(y, index=(1, i), tile=ct.exp(a, rounding_mode=ct.RoundingMode.APPROX))
    ct.store(y, index=(2, i), tile=ct.tanh(a, rounding_mode=ct.RoundingMode.APPROX))


@ct.kernel
def remainder(x, z, y, T: Const):
    i = ct.bid(0)
    a = ct.load(x, index=(0, i), shape=(1, T))
    b = ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=a % b)


@ct.kernel
def scales(x, f32, bf16, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(f32, index=(i, j), tile=t.astype(ct.float32))
    ct.store(bf16, index=(i, j), tile=t.astype(ct.bfloat16))


F = array(ct.float32, 2)
EXPORTS = {
    "functions_f32": (functions, [F, F, F, 128]),
    "remainder_f32": (remainder, [F, F, F, 128]),
    "remainder_f64": (remainder, [array(ct.float64, 2)] * 3 + [128]),
    "scales": (scales, [array(ct.float8_e8m0fnu, 2), F, array(ct.bfloat16, 2), 8, 64]),
}
