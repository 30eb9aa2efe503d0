# SPDX-License-Identifier: Apache-2.0
# Every element-wise float operation, one row of the result for each, in the order of the names below.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

EXACT = [
    "neg",
    "abs",
    "sqrt",
    "floor",
    "ceil",
    "add",
    "sub",
    "mul",
    "div",
    "min",
    "max",
    "less",
    "less_equal",
    "equal",
    "not_equal",
    "fma",
    "where",
]
FUNCTIONS = ["exp", "exp2", "log", "log2", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "pow"]


@ct.kernel
def exact(x, z, y, T: Const):
    """What IEEE arithmetic rounds correctly."""
    i = ct.bid(0)
    a = ct.load(x, index=(0, i), shape=(1, T))
    b = ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=-a)
    ct.store(y, index=(1, i), tile=ct.abs(a))
    ct.store(y, index=(2, i), tile=ct.sqrt(a))
    ct.store(y, index=(3, i), tile=ct.floor(a))
    ct.store(y, index=(4, i), tile=ct.ceil(a))
    ct.store(y, index=(5, i), tile=a + b)
    ct.store(y, index=(6, i), tile=a - b)
    ct.store(y, index=(7, i), tile=a * b)
    ct.store(y, index=(8, i), tile=a / b)
    ct.store(y, index=(9, i), tile=ct.minimum(a, b))
    ct.store(y, index=(10, i), tile=ct.maximum(a, b))
    ct.store(y, index=(11, i), tile=(a < b).astype(y.dtype))
    ct.store(y, index=(12, i), tile=(a <= b).astype(y.dtype))
    ct.store(y, index=(13, i), tile=(a == b).astype(y.dtype))
    ct.store(y, index=(14, i), tile=(a != b).astype(y.dtype))
    ct.store(y, index=(15, i), tile=a * b + a)  # cuTile makes it one fma
    ct.store(y, index=(16, i), tile=ct.where(a > b, a, b))


@ct.kernel
def functions(x, z, y, T: Const):
    """What it approximates."""
    i = ct.bid(0)
    t = ct.load(x, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=ct.exp(t))
    ct.store(y, index=(1, i), tile=ct.exp2(t))
    ct.store(y, index=(2, i), tile=ct.log(t))
    ct.store(y, index=(3, i), tile=ct.log2(t))
    ct.store(y, index=(4, i), tile=ct.rsqrt(t))
    ct.store(y, index=(5, i), tile=ct.sin(t))
    ct.store(y, index=(6, i), tile=ct.cos(t))
    ct.store(y, index=(7, i), tile=ct.tan(t))
    ct.store(y, index=(8, i), tile=ct.sinh(t))
    ct.store(y, index=(9, i), tile=ct.cosh(t))
    ct.store(y, index=(10, i), tile=ct.tanh(t))
    ct.store(y, index=(11, i), tile=ct.pow(ct.abs(t), ct.load(z, index=(0, i), shape=(1, T))))


EXPORTS = {}
for name, dtype in {"f64": ct.float64, "f32": ct.float32, "f16": ct.float16, "bf16": ct.bfloat16}.items():
    EXPORTS["exact_" + name] = (exact, [array(dtype, 2)] * 3 + [64])
    EXPORTS["functions_" + name] = (functions, [array(dtype, 2)] * 3 + [128])
