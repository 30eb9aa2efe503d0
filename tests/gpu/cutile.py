# SPDX-License-Identifier: Apache-2.0
"""Kernels launched by cuTile itself on a GPU, compiled by congruent's tileiras: python cutile.py TILEIRAS

To be run with the library lib/libcongruent_cutile.so preloaded (docs/gpu.md). Needs cuda-tile and torch, and a GPU."""

import os
import sys
from pathlib import Path

import cuda.tile as ct
import cuda.tile._compile as compiler
import torch

os.environ["PATH"] = f"{Path(sys.argv[1]).resolve().parent}:{os.environ['PATH']}"
compiler._find_pip_tileiras = lambda: None  # else NVIDIA's, where that package is installed


@ct.kernel
def add(x, y, z):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (128,)) + ct.load(y, (i,), (128,)))


@ct.kernel
def rows(x, z):
    """A tile that moves between threads, and memory beyond registers."""
    a = ct.load(x, (0, 0), (256, 256))
    ct.store(z, (0, 0), ct.transpose(a) + ct.sum(a, axis=1, keepdims=True))


@ct.kernel
def matmul(x, y, z):
    acc = ct.full((64, 64), 0, ct.float32)
    for k in range(4):
        acc = ct.mma(ct.load(x, (ct.bid(0), k), (64, 64)), ct.load(y, (k, ct.bid(1)), (64, 64)), acc)
    ct.store(z, (ct.bid(0), ct.bid(1)), acc)


def numbers(*shape, dtype=torch.float32):
    return torch.randint(-8, 9, shape, device="cuda").to(dtype)  # sums of them are exact


stream = torch.cuda.current_stream()
x, y, z = numbers(1024), numbers(1024), torch.zeros(1024, device="cuda")
ct.launch(stream, (8,), add, (x, y, z))
torch.testing.assert_close(z, x + y, rtol=0, atol=0)
x, z = numbers(256, 256), torch.zeros(256, 256, device="cuda")
ct.launch(stream, (1,), rows, (x, z))
torch.testing.assert_close(z, x.T + x.sum(1, keepdim=True), rtol=0, atol=0)
x, y, z = numbers(128, 256, dtype=torch.float16), numbers(256, 128, dtype=torch.float16), torch.zeros(128, 128, device="cuda")
ct.launch(stream, (2, 2), matmul, (x, y, z))
torch.testing.assert_close(z, x.float() @ y.float(), rtol=0, atol=0)
print("cuTile: add, rows and matmul are right")
