// SPDX-License-Identifier: Apache-2.0
// Kernels of the corpus that need sm_90 or sm_100, in CUDA C++ with inline PTX: mbarrier, TMA, clusters, wgmma, tcgen05.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned long long *bar, unsigned phase) {
    asm volatile("{\n .reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra L;\n}" ::"r"(at(bar)), "r"(phase) : "memory");
}

K tma_copy(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap z, int rounds) {
    __shared__ __align__(1024) float tile[64 * 32];
    __shared__ unsigned long long bar;
    if (!threadIdx.x) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        if (!threadIdx.x) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&bar)), "r"(64 * 32 * 4));
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(tile)), "l"(&x), "r"(0), "r"(r * 64), "r"(at(&bar)) : "memory");
        }
        wait(&bar, r & 1);
        for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) tile[i] *= 2.0f;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (!threadIdx.x) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&z), "r"(0), "r"(r * 64), "r"(at(tile)) : "memory");
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

K __cluster_dims__(2, 1, 1) cluster_sum(const float *x, float *z) { // distributed shared memory
    __shared__ float part[128];
    auto cluster = cg::this_cluster();
    part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    cluster.sync();
    float *other = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);
    z[blockIdx.x * 128 + threadIdx.x] = part[threadIdx.x] + other[127 - threadIdx.x];
    cluster.sync();
}

K library_barrier(const float *x, float *z, int n) { // cuda::barrier and memcpy_async
    __shared__ alignas(16) float tile[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (!threadIdx.x) init(&bar, blockDim.x);
    __syncthreads();
    for (int r = 0; r < n; r++) {
        cuda::memcpy_async(&tile[threadIdx.x], &x[r * 256 + threadIdx.x], cuda::aligned_size_t<4>(4), bar);
        bar.arrive_and_wait();
        z[r * 256 + threadIdx.x] = tile[255 - threadIdx.x];
        bar.arrive_and_wait();
    }
}

K bulk(const float *x, float *z) { // one-dimensional bulk copies and a reduction
    __shared__ __align__(128) float tile[256];
    __shared__ unsigned long long bar;
    if (!threadIdx.x) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at(&bar)));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(at(tile)), "l"(x + blockIdx.x * 256), "r"(at(&bar)) : "memory");
    }
    __syncthreads();
    wait(&bar, 0);
    if (!threadIdx.x) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 1024;" ::"l"(z), "r"(at(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
    asm volatile("griddepcontrol.launch_dependents;");
}

#if __CUDA_ARCH_FEAT_SM90_ALL || defined(CLANG90)
K wgmma(const half *x, const half *y, float *z) { // 64 x 16 x 16, no swizzle
    __shared__ __align__(1024) half a[64 * 16], b[16 * 16];
    // core matrices of 8 rows of 16 bytes, one behind the other: along K 128 bytes apart, along M or N 256
    for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i / 16 / 8 * 128 + i % 16 / 8 * 64 + i / 16 % 8 * 8 + i % 8] = x[i];
    for (int i = threadIdx.x; i < 16 * 16; i += 128) b[i / 16 / 8 * 128 + i % 16 / 8 * 64 + i / 16 % 8 * 8 + i % 8] = y[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    auto describe = [](const void *p) { return (unsigned long long)(at(p) >> 4 & 0x3FFF) | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32; };
    float d[8];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 0, 1, 1, 0, 0;"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7]) : "l"(describe(a)), "l"(describe(b)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])::"memory");
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 8; i++) z[(row + i / 2 % 2 * 8) * 16 + column + i / 4 * 8 + i % 2] = d[i];
}
K registers(float *z) {
    if (threadIdx.x / 128) asm volatile("setmaxnreg.inc.sync.aligned.u32 152;"); else asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    unsigned elected, lane;
    asm volatile("{\n .reg .pred p;\n elect.sync %0|p, 0xffffffff;\n selp.u32 %1, 1, 0, p;\n}" : "=r"(lane), "=r"(elected));
    if (elected) z[threadIdx.x] = lane;
    asm volatile("bar.sync 3, 128;");
}
#endif

#if __CUDA_ARCH_FEAT_SM100_ALL
K tcgen05(const half *x, const half *y, float *z) { // 128 x 16 x 16, no swizzle
    __shared__ __align__(1024) half a[128 * 16], b[16 * 16];
    __shared__ unsigned long long bar;
    __shared__ unsigned base;
    if (threadIdx.x < 32) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at(&base)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    if (!threadIdx.x) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar)));
    for (int i = threadIdx.x; i < 128 * 16; i += 128) a[i / 16 / 8 * 128 + i % 16 / 8 * 64 + i / 16 % 8 * 8 + i % 8] = x[i];
    for (int i = threadIdx.x; i < 16 * 16; i += 128) b[i / 16 / 8 * 128 + i % 16 / 8 * 64 + i / 16 % 8 * 8 + i % 8] = y[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned d = base;
    auto describe = [](const void *p) { return (unsigned long long)(at(p) >> 4 & 0x3FFF) | (unsigned long long)(128 >> 4) << 16 | (unsigned long long)(256 >> 4) << 32 | 1ull << 46; };
    if (!threadIdx.x) {
        unsigned idesc = 1u << 4 | 0u << 7 | 0u << 10 | (16u >> 3) << 17 | (128u >> 4) << 24; // sums f32, operands f16, n 16, m 128
        asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %4, 0;\n tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d), "l"(describe(a)), "l"(describe(b)), "r"(idesc), "r"(0) : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at(&bar)) : "memory");
    }
    wait(&bar, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    float r[16];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, [%16];"
                 : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7]), "=f"(r[8]), "=f"(r[9]), "=f"(r[10]), "=f"(r[11]), "=f"(r[12]), "=f"(r[13]), "=f"(r[14]), "=f"(r[15]) : "r"(d + (threadIdx.x / 32 << 21)));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    for (int i = 0; i < 16; i++) z[threadIdx.x * 16 + i] = r[i];
    __syncthreads();
    if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
}
#endif
