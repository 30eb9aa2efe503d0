# SPDX-License-Identifier: Apache-2.0
# Hints: of entries, for one architecture or for each; of loads and stores; and what is assumed of parameters.
import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint
from export import array

By = ct.ByTarget


def hinted(**options):
    @ct.kernel(**options)
    def hinted(x, y):
        ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(8,)))
    return hinted


@ct.kernel
def latencies(x, y):
    total = ct.zeros((8,), ct.float32)
    for latency in ct.static_iter(range(1, 11)):
        total += ct.load(x, index=(latency,), shape=(8,), latency=latency, allow_tma=latency % 2 == 0)
    ct.store(y, index=(0,), tile=total, latency=1)
    ct.store(y, index=(1,), tile=total, latency=10, allow_tma=True)
    ct.store(y, index=(2,), tile=total, allow_tma=False)


@ct.kernel
def assumed(x, y, n: int):
    m = ct.assume_divisible_by(n, 16)
    a = ct.load(x, index=(m // 8, 0), shape=(4, 8))
    for i in range(0, m, 8):
        a += ct.load(x, index=(i, 1), shape=(4, 8))
    ct.store(y, index=(m, 0), tile=a)


@ct.kernel
def known_shape(x, y):
    total = ct.zeros((4, 8), ct.float32)
    for i in range(ct.num_tiles(x, 0, shape=(4, 8))):
        total += ct.load(x, index=(i, 0), shape=(4, 8))
    ct.store(y, index=(0, 0), tile=total * x.shape[0] + x.strides[0])


def assuming(dtype, rank, **what):
    rules = dict(index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False)
    return ArrayConstraint(dtype, rank, **{**rules, **what})


F32 = array(ct.float32, 1)
EXPORTS = {
    "for_sm_80": (hinted(occupancy=2), [F32, F32], dict(gpu="sm_80")),
    "for_sm_86": (hinted(occupancy=32, num_ctas=1), [F32, F32], dict(gpu="sm_86")),
    "for_sm_87": (hinted(occupancy=1), [F32, F32], dict(gpu="sm_87")),
    "for_sm_88": (hinted(occupancy=8), [F32, F32], dict(gpu="sm_88")),
    "for_sm_89": (hinted(num_ctas=1), [F32, F32], dict(gpu="sm_89")),
    "for_sm_90": (hinted(num_ctas=2), [F32, F32], dict(gpu="sm_90")),
    "for_sm_100": (hinted(num_ctas=16, num_worker_warps=4), [F32, F32]),
    "for_sm_103": (hinted(num_ctas=8, occupancy=3), [F32, F32], dict(gpu="sm_103")),
    "for_sm_110": (hinted(num_ctas=4, num_worker_warps=8), [F32, F32], dict(gpu="sm_110")),
    "for_sm_120": (hinted(num_ctas=By(sm_120=1, default=2)), [F32, F32], dict(gpu="sm_120")),
    "for_sm_121": (hinted(occupancy=By(sm_121=5)), [F32, F32], dict(gpu="sm_121")),
    "for_each": (hinted(
        num_ctas=By(default=1, sm_90=2, sm_100=4, sm_103=8, sm_110=2, sm_120=1, sm_121=1),
        occupancy=By(sm_80=1, sm_86=2, sm_87=3, sm_88=4, sm_89=5, sm_90=6, default=7),
        num_worker_warps=By(sm_100=8, default=4)), [F32, F32]),
    "latencies_f32": (latencies, [F32, F32]),
    "assumed_strided": (assumed, [
        assuming(ct.float32, 2, stride_constant=[None, 1], stride_divisible_by=[4, 1], shape_divisible_by=[8, 16], base_addr_divisible_by=64),
        assuming(ct.float32, 2, stride_divisible_by=2, base_addr_divisible_by=4), ct.int32]),
    "assumed_nothing": (assumed, [assuming(ct.float32, 2), assuming(ct.float32, 2, may_alias_internally=True), ct.int32]),
    "assumed_aliases": (assumed, [assuming(ct.float32, 2, alias_groups=("a", "b")), assuming(ct.float32, 2, alias_groups=("a", "b")), ct.int32]),
    "known_shape": (known_shape, [
        assuming(ct.float32, 2, shape_constant=[64, 8], stride_constant=[8, 1], base_addr_divisible_by=1024),
        assuming(ct.float32, 2, shape_constant=[1, 8], stride_constant=[8, 1], base_addr_divisible_by=16)]),
}
