# SPDX-License-Identifier: Apache-2.0
# The element-wise kernels that the benchmark times, one function each; and a softmax of whole rows.
import cuda.tile as ct
from export import array


@ct.kernel
def add(x, y, z, T: ct.Constant[int]):
    """z = x + y; grid (blocks of T)."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a + ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def mul(x, y, z, T: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a * ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def div(x, y, z, T: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a / ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def axpby(x, y, z, T: ct.Constant[int]):
    """z = 0.75 x - 0.3 y."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a * 0.75 - ct.load(y, index=(i,), shape=(T,)) * 0.3)


@ct.kernel
def sqrt(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.sqrt(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def rsqrt(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.rsqrt(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def exp2(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.exp2(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def exp(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.exp(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def log2(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.log2(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def tanh(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.tanh(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def sin(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.sin(ct.load(x, index=(i,), shape=(T,))))


@ct.kernel
def silu(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a / (1.0 + ct.exp(-a)))


@ct.kernel
def widen(x, z, T: ct.Constant[int]):
    """z = x, half to float."""
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.astype(ct.load(x, index=(i,), shape=(T,)), ct.float32))


@ct.kernel
def softmax(x, z, T: ct.Constant[int]):
    """Rows of T elements; grid (rows)."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    weight = ct.exp(a - ct.max(a, axis=0, keepdims=True))
    ct.store(z, index=(i,), tile=weight / ct.sum(weight, axis=0, keepdims=True))


@ct.kernel
def horner(x, z, T: ct.Constant[int]):
    """The polynomial of exp: a chain of products and sums."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    value = ((a * (1 / 720) + 1 / 120) * a + 1 / 24) * a + 1 / 6
    value = ((value * a + 0.5) * a + 1.0) * a + 1.0
    ct.store(z, index=(i,), tile=value)


HALF, FLOAT, TILE = array(ct.float16, 1), array(ct.float32, 1), 1024
ONE = {"sqrt": sqrt, "rsqrt": rsqrt, "exp2": exp2, "exp": exp, "log2": log2, "tanh": tanh, "sin": sin, "silu": silu}
ONE |= {"horner": horner}
TWO = {"add": add, "mul": mul, "div": div, "axpby": axpby}
EXPORTS = (
    {"element_" + name: (kernel, [FLOAT, FLOAT, TILE]) for name, kernel in ONE.items()}
    | {"element_" + name: (kernel, [FLOAT, FLOAT, FLOAT, TILE]) for name, kernel in TWO.items()}
    | {"element_widen": (widen, [HALF, FLOAT, TILE]), "element_softmax": (softmax, [FLOAT, FLOAT, TILE])}
)
