# SPDX-License-Identifier: Apache-2.0
# Bits of floats that an op takes which keeps numbers only; each kernel is one formula on blocks of 32 elements.
import cuda.tile as ct
from export import array

T = 32


def product(a, b):
    i = ct.bid(0)
    return ct.load(a, index=(i,), shape=(T,)) * ct.load(b, index=(i,), shape=(T,))


@ct.kernel
def largest_product(a, b, y):
    ct.store(y, index=(ct.bid(0),), tile=ct.max(ct.abs(product(a, b)), keepdims=True))


@ct.kernel
def largest_product_by_bits(a, b, y):
    """Floats that are not negative have the order of their bits."""
    bits = ct.max(ct.bitcast(ct.abs(product(a, b)), ct.int32), keepdims=True)
    ct.store(y, index=(ct.bid(0),), tile=ct.bitcast(bits, ct.float32))


@ct.kernel
def float_of_old_bits(bits, y):
    """What was there before something else is put there."""
    at = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.store(y, index=(ct.bid(0),), tile=ct.bitcast(ct.atomic_xchg(bits, at, 0), ct.float32))


F, I = array(ct.float32, 1), array(ct.int32, 1)
EXPORTS = {
    "largest_product": (largest_product, [F, F, F]),
    "largest_product_by_bits": (largest_product_by_bits, [F, F, F]),
    "float_of_old_bits": (float_of_old_bits, [I, F]),
}
