// SPDX-License-Identifier: Apache-2.0
// Softmax of rows in CUDA C++: a block for each row, threads that stride through it, and two reductions of the block.
__device__ float reduce(float value, bool sum) {
    __shared__ float parts[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned step = 16; step; step /= 2) {
        const float other = __shfl_xor_sync(~0u, value, step);
        value = sum ? value + other : fmaxf(value, other);
    }
    if (lane == 0) parts[warp] = value;
    __syncthreads();
    value = parts[0];
    for (unsigned w = 1; w < warps; w++) value = sum ? value + parts[w] : fmaxf(value, parts[w]);
    __syncthreads(); // before the next reduction writes parts
    return value;
}

// y = softmax(x) of rows of n numbers; grid (rows).
__global__ void softmax(const float *x, float *y, int n) {
    const float *row = x + (size_t)blockIdx.x * n;
    float *out = y + (size_t)blockIdx.x * n;
    float largest = -__int_as_float(0x7f800000), sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, row[i]);
    largest = reduce(largest, false);
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(row[i] - largest);
    sum = reduce(sum, true);
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = __expf(row[i] - largest) / sum;
}
