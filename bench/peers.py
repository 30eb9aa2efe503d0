# SPDX-License-Identifier: Apache-2.0
# The other side of the benchmark's comparisons: times numpy and PyTorch, one run for each line of standard input.
"""python peers.py     (started by bench; needs numpy, PyTorch if there)

Prints one line first: the versions of numpy and torch, "-" for what is not installed. Then, for each line
"LIBRARY WORK LENGTH THREADS", one line: the seconds of one run and the processor seconds it took, "-" if the library does not have the
work, or "error MESSAGE". LENGTH is the first dimension of the work's arrays. Ends with its input."""

import mmap
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

COLUMNS, SEQUENCE, HEAD = 4096, 1024, 64
EPS = 1e-5


def array(*shape, low=0.0, high=0.0):
    """Ordinary pages of memory, all of them written to, as the benchmark's own buffers are."""
    count = int(np.prod(shape))
    values = np.frombuffer(mmap.mmap(-1, 4 * count), dtype=np.float32)
    some = np.random.default_rng(count).uniform(low, high, min(count, 1 << 20)).astype(np.float32)
    for at in range(0, count, some.size):
        values[at : at + some.size] = some[: count - at]
    return values.reshape(shape)


# ---- the works: operands and result, and for each library what it runs on them -----------------------------------------
def numpy_formula(x, y, z):
    np.multiply(x, y, out=z)
    np.add(z, np.float32(1.5), out=z)
    np.exp(z, out=z)
    np.divide(z, y, out=z)


def torch_formula(x, y, z):
    torch.mul(x, y, out=z)
    torch.add(z, 1.5, out=z)
    torch.exp(z, out=z)
    torch.div(z, y, out=z)


def torch_layer_norm(x, w, b, z, mean, rstd):
    torch.ops.aten.native_layer_norm.out(x, [COLUMNS], w, b, EPS, out0=z, out1=mean, out2=rstd)


def torch_attention(q, k, v, o):
    o.copy_(torch.nn.functional.scaled_dot_product_attention(q, k, v))


def expected_layer_norm(x, w, b, *_):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + EPS) * w + b


def expected_softmax(x, *_):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def expected_gelu(x, *_):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def expected_attention(q, k, v, *_):
    return expected_softmax(q @ k.swapaxes(1, 2) / np.sqrt(HEAD)) @ v


def triple(n):
    return array(n, low=0.5, high=2), array(n, low=0.5, high=2), array(n)


def rows(n):
    return array(n, COLUMNS, low=-2, high=2), array(n, COLUMNS)


def layer_norm_arrays(n):
    weights = array(COLUMNS, low=0.5, high=2), array(COLUMNS, low=-1, high=1)
    return array(n, COLUMNS, low=-2, high=2), *weights, array(n, COLUMNS), array(n, 1), array(n, 1)


def heads(n):
    return tuple(array(n, SEQUENCE, HEAD, low=-2, high=2) for _ in range(3)) + (array(n, SEQUENCE, HEAD),)


# name: arrays for a length, which of them is the result, what it must be (in float64, of some rows), numpy's and torch's way
WORKS = {
    "formula": (triple, 2, lambda x, y, z: np.exp(x * y + 1.5) / y, numpy_formula, torch_formula),
    "vadd": (triple, 2, lambda x, y, z: x + y, lambda x, y, z: np.add(x, y, out=z), lambda x, y, z: torch.add(x, y, out=z)),
    "triad": (triple, 2, lambda x, y, z: x + 3 * y, None, lambda x, y, z: torch.add(x, y, alpha=3, out=z)),
    "softmax": (rows, 1, expected_softmax, None, lambda x, z: torch.softmax(x, 1, out=z)),
    "layer_norm": (layer_norm_arrays, 3, expected_layer_norm, None, torch_layer_norm),
    "gelu": (rows, 1, expected_gelu, None, lambda x, z: torch.ops.aten.gelu.out(x, approximate="tanh", out=z)),
    "attention": (heads, 3, expected_attention, None, torch_attention),
}


class Work:
    """The arrays of one work; those of the last one are given back before."""

    def __init__(self, name, length):
        self.name, self.length = name, length
        make, self.result, self.expected, numpy_run, torch_run = WORKS[name]
        self.arrays = make(length)
        self.runs = {"numpy": (numpy_run, self.arrays)}
        if torch:
            self.runs["torch"] = (torch_run, tuple(map(torch.from_numpy, self.arrays)))
        self.checked = set()

    def check(self, library):
        """Some rows, after the first run."""
        n = min(self.length, 2)
        rank = self.arrays[self.result].ndim  # what has another holds for all rows
        some = [(a[:n] if a.ndim == rank else a).astype(np.float64) for a in self.arrays]
        if not np.allclose(self.expected(*some), some[self.result], rtol=1e-4, atol=1e-5):
            raise ValueError(f"{library} gets {self.name} wrong")
        self.checked.add(library)

    def time(self, library, threads):
        run, arrays = self.runs.get(library, (None, None))
        if not run or (library == "numpy" and threads > 1):
            return "-"
        if torch:
            torch.set_num_threads(threads)
        if library not in self.checked:  # it also sets up what a library sets up once
            run(*arrays)
            self.check(library)
        start, processor = time.perf_counter(), time.process_time()
        run(*arrays)
        return f"{time.perf_counter() - start:.9f} {time.process_time() - processor:.9f}"


def main():
    print(np.__version__ if np else "-", torch.__version__ if np and torch else "-", flush=True)
    work = None
    for line in sys.stdin:
        library, name, length, threads = line.split()
        try:
            if not np:
                answer = "-"
            else:
                if not work or (work.name, work.length) != (name, int(length)):
                    work = None
                    work = Work(name, int(length))
                with torch.inference_mode() if torch else np.errstate():
                    answer = work.time(library, int(threads))
        except Exception as error:  # whatever it is: bench says so
            answer = f"error {type(error).__name__}: {error}".replace("\n", " ")[:400]
        print(answer, flush=True)


if __name__ == "__main__":
    main()
