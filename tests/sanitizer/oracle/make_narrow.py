# SPDX-License-Identifier: Apache-2.0
"""Writes vectors of every rule at 8 and 16 bits, most of which Triton computes in fp32, from the executable spec.

    python3 make_narrow.py ORACLE_FOLDER SEED OUT.csv

ORACLE_FOLDER holds payload_model.py, which agrees with every vector taken from the real Triton."""
import csv
import random
import sys

sys.path.insert(0, sys.argv[1])
import payload_model

UNARY = ['neg', 'exp', 'exp2', 'sin', 'cos', 'log', 'log2', 'sqrt', 'sqrt_rn', 'rsqrt', 'erf', 'floor', 'ceil', 'abs']
BINARY = ['add', 'sub', 'mul', 'div', 'rem', 'min', 'max']
ROWS = 16


def rows(seed):
    draw = random.Random(seed)
    for name in ('fp16', 'bf16', 'fp8e4nv', 'fp8e5'):
        width, one = payload_model.TYPES[name]
        corners = [0, 1 << width - 1, one, one | 1 << width - 1, 1, (1 << width) - 1]
        for op in UNARY + BINARY + ['fma', 'clamp']:
            count = 1 if op in UNARY else 2 if op in BINARY else 3
            for _ in range(ROWS):
                bits = [draw.choice(corners) if draw.random() < 0.2 else draw.getrandbits(width) for _ in range(count)]
                result = payload_model.evaluate(op, [name] * count, name, bits)
                yield [op, '|'.join([name] * count), name, *(f'{b:x}' for b in bits), f'{result:x}']


if __name__ == '__main__':
    with open(sys.argv[3], 'w') as out:
        csv.writer(out, lineterminator='\n').writerows(rows(int(sys.argv[2])))
