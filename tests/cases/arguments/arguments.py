# SPDX-License-Identifier: Apache-2.0
# Arrays as launches pass them: views of buffers, two shapes of one memory, lists of arrays.
import cuda.tile as ct
from cuda.tile.compilation import ListConstraint
from export import array

Const = ct.Constant[int]


@ct.kernel
def square(x, h, T: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(T, N))
    ct.store(h, index=(i, 0), tile=t * t + 1)


@ct.kernel
def share(h, y, T: Const, N: Const):
    """Each element as a share of its row's sum."""
    i = ct.bid(0)
    t = ct.load(h, index=(i, 0), shape=(T, N))
    ct.store(y, index=(i, 0), tile=t / ct.sum(t, axis=1, keepdims=True))


@ct.kernel
def square_and_share(x, y, T: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(T, N))
    t = t * t + 1
    ct.store(y, index=(i, 0), tile=t / ct.sum(t, axis=1, keepdims=True))


@ct.kernel
def scores_of_packed(qkv, s, T: Const, D: Const):
    """Queries and keys are columns of one array."""
    i, j = ct.bid(0), ct.bid(1)
    q = ct.load(qkv, index=(i, 0), shape=(T, D))
    k = ct.load(qkv, index=(j, 1), shape=(T, D))
    ct.store(s, index=(i, j), tile=q @ k.transpose())


@ct.kernel
def scores(q, k, s, T: Const, D: Const):
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(q, index=(i, 0), shape=(T, D))
    b = ct.load(k, index=(j, 0), shape=(T, D))
    ct.store(s, index=(i, j), tile=a @ b.transpose())


@ct.kernel
def product(a, b, c, T: Const, K: Const, N: Const):
    i = ct.bid(0)
    ct.store(c, index=(i, 0), tile=ct.load(a, index=(i, 0), shape=(T, K)) @ ct.load(b, index=(0, 0), shape=(K, N)))


@ct.kernel
def grouped_product(a, b, c, T: Const, K: Const, N: Const):
    """One product for each array of the lists; block i takes the i-th tile of rows of each."""
    i = ct.bid(0)
    for g in range(len(a)):
        if i * T < a[g].shape[0]:
            t = ct.load(a[g], index=(i, 0), shape=(T, K)) @ ct.load(b[g], index=(0, 0), shape=(K, N))
            ct.store(c[g], index=(i, 0), tile=t)


F32 = array(ct.float32, 2)


def arrays(may_alias=False):
    return ListConstraint(F32, alias_groups=(), elements_may_alias=may_alias)


EXPORTS = {
    "square": (square, [F32, F32, 8, 64]),
    "share": (share, [F32, F32, 4, 128]),
    "square_and_share": (square_and_share, [F32, F32, 4, 128]),
    "scores_of_packed": (scores_of_packed, [F32, F32, 16, 32]),
    "scores": (scores, [F32, F32, F32, 16, 32]),
    "product": (product, [F32, F32, F32, 16, 32, 32]),
    "grouped_product": (grouped_product, [arrays(), arrays(True), arrays(), 16, 32, 32]),
}
