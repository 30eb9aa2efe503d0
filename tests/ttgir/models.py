# SPDX-License-Identifier: Apache-2.0
"""Numpy references and payloads of kernels of Gluon, by their formulas, where the material of make_oracle.py has none.

Payloads are of the profile triton-3.9 with its default casts (mix) and homomorphic ones (hom). payload_model.py, the model of
payloads, has to be on the path. A function here takes the buffers as arrays of bits and `homomorphic`, and returns outputs as bits."""
import os

import numpy as np

from payload_model import Ring, cast_payload

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NUMPY = {'f32': np.float32, 'f16': np.float16, 'i32': np.int32}


class Payloads:
    """Arrays of payloads of one float type."""

    def __init__(self, name):
        self.ring = Ring(name)
        self.type = UNSIGNED[self.ring.width // 8]

    def embed(self, bits):
        return np.array([self.ring.embed(int(b)) for b in np.ravel(bits)], self.type).reshape(np.shape(bits))

    def unembed(self, payloads):
        return np.array([self.ring.unembed(int(p)) for p in np.ravel(payloads)], self.type).reshape(np.shape(payloads))

    def number(self, value):
        return self.type(self.ring.embed(int(np.array(value, {2: np.float16, 4: np.float32}[self.ring.width // 8]).view(self.type))))


SINGLE, HALF = Payloads('fp32'), Payloads('fp16')


def cast(payloads, source, target, homomorphic):
    cast_one = lambda p: cast_payload(int(p), source.ring.width, target.ring.width, homomorphic)
    return np.array([cast_one(p) for p in np.ravel(payloads)], target.type).reshape(np.shape(payloads))


def sums(b, homomorphic):
    return {'Z': SINGLE.unembed(SINGLE.embed(b['X']) + SINGLE.embed(b['Y']))}


def reduced(b, homomorphic):
    return {'Z': SINGLE.unembed(SINGLE.embed(b['X']).reshape(4, 32, 32).sum(0, dtype=np.uint32))}


def views(b, homomorphic):
    x = SINGLE.embed(b['X'])
    n, twice = len(x), x * SINGLE.number(2)
    gathered = np.take_along_axis(x, (np.arange(n)[:, None] + np.arange(n)) % n, 1)
    scattered = np.roll(gathered * SINGLE.number(3), 1, 1)
    half = np.concatenate([SINGLE.unembed(twice[n // 2:]).ravel(), np.ravel(b['Z'])[n * n * 3 // 2:2 * n * n]])
    return {'Z': np.concatenate([SINGLE.unembed(x.T + twice).ravel(), half, np.ravel(b['X']), SINGLE.unembed(gathered).ravel(),
                                 SINGLE.unembed(scattered).ravel()])}


def tmem_round(b, homomorphic):
    x = SINGLE.embed(b['X'])
    half = x.shape[1] // 2
    changed = x.copy()
    changed[:, half:] += SINGLE.number(1)
    parts = [x * SINGLE.number(2), x[:, half:], changed, x + x * SINGLE.number(3)]
    return {'Z': np.concatenate([SINGLE.unembed(p).ravel() for p in parts])}


def swizzled(rows, columns, vec, per_phase, max_phase):
    """For each element of a row-major matrix its place, in elements: swizzled_shared of Triton, order [1, 0]."""
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    return i * columns + ((j // vec) ^ (i // per_phase % max_phase)) * vec + j % vec


def reinterpreted_words(x):
    """What lies in shared memory where a 32 x 32 matrix was stored with vec 4, perPhase 1, maxPhase 4."""
    words = np.empty(x.size, x.dtype)
    words[swizzled(32, 32, 4, 1, 4)] = x
    return words


def reinterpreted_payloads(b, homomorphic):
    words = reinterpreted_words(b['X'])
    return {'Z': np.concatenate([words, SINGLE.unembed(cast(HALF.embed(words.view(np.uint16)), HALF, SINGLE, homomorphic))])}


def reinterpreted_numbers(b):
    words = reinterpreted_words(b['X'])
    return {'Z': np.concatenate([words.view(np.float32), words.view(np.float16).astype(np.float32)])}


def rows_by_number(b, homomorphic):
    z = b['Z'].copy()
    z[b['I'], 64:] = b['X'][b['I'], 64:]
    return {'Z': z}


PAYLOADS = {
    'g_async_copy_add': sums, 'g_specialized_add': sums, 'g_reduce_through_tma': reduced, 'g_views': views,
    'g_tmem_round': tmem_round, 'g_reinterpreted': reinterpreted_payloads, 'g_rows_by_number': rows_by_number,
    'g_tmem_halves': lambda b, homomorphic: {'Z': b['X'].view(np.uint32)},
}  # fmt: skip
NUMBERS = {'g_reinterpreted': reinterpreted_numbers}


def read(case, folder, name):
    buffer = case['buffers'][name]
    bits = np.fromfile(os.path.join(folder, f'{name}.in.bin'), np.uint8)
    count = int(np.prod(buffer['shape']))
    return bits.view(UNSIGNED[bits.size // count]).reshape(buffer['shape'])


def complete(case, folder):
    """Writes into the folder of a case what it has not."""
    name = case['name']
    buffers = {n: read(case, folder, n) for n in case['buffers']} if name in PAYLOADS or name in NUMBERS else {}
    def put(output, what, array):
        path = os.path.join(folder, f'{output}.{what}.bin')
        if not os.path.exists(path):
            open(path, 'wb').write(np.ascontiguousarray(array).tobytes())
    if name in NUMBERS:
        for output, array in NUMBERS[name](buffers).items():
            put(output, 'ieee', array.astype(NUMPY[case['buffers'][output]['type']]))
    if name in PAYLOADS:
        for what in ('mix', 'hom'):
            for output, array in PAYLOADS[name](buffers, what == 'hom').items():
                put(output, what, array)
