# SPDX-License-Identifier: Apache-2.0
# Integers made of floats that are scaled as integers. Of 4096 the first 32 may be rounded the other way.
import cuda.tile as ct
from export import array

T = 4096


def whole(x, detour):
    i = ct.arange(T, dtype=ct.int32)
    t = ct.load(x, index=(0,), shape=(T,)) * 0.5
    t = ct.where(i < detour, t / 97.0 * 97.0 / 41.0 * 41.0 / 183.0 * 183.0, t)
    return (t + 0.5).astype(ct.int32)


@ct.kernel
def integers_in_steps(x, y, detour: int):
    ct.store(y, index=(0,), tile=((whole(x, detour) * 100) >> 5).astype(ct.float32))


@ct.kernel
def integers_at_once(x, y, detour: int):
    ct.store(y, index=(0,), tile=(whole(x, detour) * 3).astype(ct.float32))


@ct.kernel
def integers_divided(x, y, detour: int, divisor: int):
    ct.store(y, index=(0,), tile=((whole(x, detour) * 100) // divisor).astype(ct.float32))


F = array(ct.float32, 1)
EXPORTS = {
    "integers_in_steps": (integers_in_steps, [F, F, ct.int32]),
    "integers_divided": (integers_divided, [F, F, ct.int32, ct.int32]),
    "integers_at_once": (integers_at_once, [F, F, ct.int32]),
}
