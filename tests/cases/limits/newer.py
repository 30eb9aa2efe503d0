# SPDX-License-Identifier: Apache-2.0
# A function without laws, which needs bytecode 13.3.
import cuda.tile as ct
from export import array

VERSION = "13.3"


@ct.kernel
def angle(a, b, y, factor: float):
    s, t = ct.load(a, index=(ct.bid(0),), shape=(32,)), ct.load(b, index=(ct.bid(0),), shape=(32,))
    ct.store(y, index=(ct.bid(0),), tile=ct.atan2(s * factor, t * factor))


F = array(ct.float32, 1)
EXPORTS = {"angle": (angle, [F, F, F, ct.float32])}
