# SPDX-License-Identifier: Apache-2.0
"""What a file of kernels says about its cases, and how TTGIR is made of them: triton 3.9.0 and numpy, no GPU.

A file has a list CASES of Case. make_cases.py writes what they give."""
import dataclasses
import os
import re
import tempfile
from typing import Any, Callable, Optional

import ml_dtypes
import numpy as np

os.environ.setdefault('TRITON_DEFAULT_FP_FUSION', '0')
os.environ.setdefault('TRITON_CACHE_DIR', tempfile.mkdtemp())
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.experimental.gluon import GluonASTSource

TYPES = {'f16': np.float16, 'bf16': ml_dtypes.bfloat16, 'f32': np.float32, 'f8e4m3fn': ml_dtypes.float8_e4m3fn,
         'f8e5m2': ml_dtypes.float8_e5m2, 'i8': np.uint8, 'i16': np.int16, 'i32': np.int32, 'i64': np.int64}  # fmt: skip
TRITON = {'f16': 'fp16', 'bf16': 'bf16', 'f32': 'fp32', 'f8e4m3fn': 'fp8e4nv', 'f8e5m2': 'fp8e5', 'i8': 'u8', 'i16': 'i16', 'i32': 'i32',
          'i64': 'i64'}  # fmt: skip


def ptx_of(source, gpu, options, parameters):
    """The PTX of a kernel, and the rest of a launch in a case file. parameters: as the case file has them for TTGIR; for each
    descriptor (buffer, shape, strides)."""
    made = triton.compile(source, target=GPUTarget('cuda', gpu, 32), options=options)
    text = re.sub(r'"[^"]*/([^"/]+\.py)"', r'"\1"', made.asm['ptx'])
    maps, given = iter(made.metadata.tensordesc_meta or []), []
    for parameter in parameters:
        if isinstance(parameter, str):
            given.append(parameter)
            continue
        buffer, shape, strides = parameter
        map = next(maps)
        swizzle = (0, 32, 64, 128)[map['swizzle']]
        given.append(f'{{map: {{buffer: {buffer}, box: {list(map["block_size"])}, swizzle: {swizzle}}}}}')
        given += [f'i32 {n}' for n in shape] + [f'i64 {n}' for n in strides]
    given += ['{scratch: 0}', '{scratch: 0}']
    return text, f'shared: {made.metadata.shared}, args: [{", ".join(given)}]'


@dataclasses.dataclass
class Buffer:
    """A row-major array. fill: normal, zero, or a function of (random generator, shape)."""
    type: str
    shape: tuple
    fill: Any = 'normal'

    def make(self, random):
        if callable(self.fill):
            values = self.fill(random, self.shape)
        else:
            values = random.standard_normal(self.shape) if self.fill == 'normal' else np.zeros(self.shape)
        return np.ascontiguousarray(np.asarray(values).astype(TYPES[self.type]))


@dataclasses.dataclass
class Descriptor:
    """A tensor descriptor of a whole buffer. layout: in shared memory, of Gluon's kernels."""
    buffer: str
    block: list
    layout: Any = None


@dataclasses.dataclass
class Launch:
    """kernel: of Gluon or of Triton. arguments: for each parameter the name of a buffer, a Descriptor, a number ((type, value); a bare
    int is a constant), or a constant."""
    kernel: Any
    grid: tuple
    arguments: dict
    warps: int = 4
    blocks: int = 1  # of a cluster


@dataclasses.dataclass
class Case:
    name: str
    launch: Launch
    buffers: dict
    outputs: list
    reference: Optional[Callable] = None  # of a dict of arrays, a dict of outputs
    plain: Optional[Launch] = None  # the same in @triton.jit
    tolerance: tuple = (0, 0)  # relative, absolute
    gpus: tuple = (90, 100)
    no_ptx: bool = False  # its PTX is not compared
    bug: bool = False  # it is wrong: ../bugs.txt says how

    def signature(self, launch, names):
        types, constants, attributes = {}, {}, {}
        for i, name in enumerate(names):
            given = launch.arguments[name]
            if isinstance(given, Descriptor):
                buffer = self.buffers[given.buffer]
                block = ','.join(map(str, given.block))
                types[name] = f'tensordesc<{TRITON[buffer.type]}[{block}]' + (f',{given.layout!r}>' if given.layout else '>')
            elif isinstance(given, str) and given in self.buffers:
                types[name] = '*' + TRITON[self.buffers[given].type]
                attributes[(i,)] = [['tt.divisibility', 16]]
            elif isinstance(given, tuple) and len(given) == 2 and given[0] in ('i32', 'fp32', 'i64'):
                types[name] = given[0]
                if given[0] != 'fp32' and given[1] % 16 == 0:
                    attributes[(i,)] = [['tt.divisibility', 16]]
            else:
                types[name] = 'constexpr'
                constants[(i,)] = given
        return types, constants, attributes

    def text(self, launch, gpu, stage='ttgir'):
        """TTIR or TTGIR, whose locations are file names alone."""
        target = GPUTarget('cuda', gpu, 32)
        backend = make_backend(target)
        is_gluon = launch.kernel.is_gluon()
        signature, constants, attributes = self.signature(launch, launch.kernel.arg_names)
        source = (GluonASTSource if is_gluon else ASTSource)(launch.kernel, signature, constants, attributes)
        options = backend.parse_options(dict(num_warps=launch.warps, num_ctas=launch.blocks, **source.parse_options()))
        stages, context = {}, ir.context()
        backend.add_stages(stages, options, source.language)
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
        metadata = {}
        for name in ['glir' if is_gluon else 'ttir', 'ttgir']:
            module = stages[name](module, metadata)
            if name == stage:
                break
        return re.sub(r'loc\("[^"]*/([^"/]+\.py)"', r'loc("\1"', str(module))

    def arguments(self, launch):
        """As a case file gives them."""
        given = []
        for name in launch.kernel.arg_names:
            value = launch.arguments[name]
            if isinstance(value, Descriptor):
                given.append(value.buffer)
            elif isinstance(value, str) and value in self.buffers:
                given.append(value)
            elif isinstance(value, tuple) and len(value) == 2 and value[0] in ('i32', 'fp32', 'i64'):
                given.append(f'{ {"fp32": "f32"}.get(value[0], value[0]) } {value[1]}')
        return ', '.join(given)

    def ptx(self, launch, gpu):
        signature, constants, attributes = self.signature(launch, launch.kernel.arg_names)
        given = []
        for name in launch.kernel.arg_names:
            value = launch.arguments[name]
            if isinstance(value, Descriptor):
                shape = self.buffers[value.buffer].shape
                strides = [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
                given.append((value.buffer, shape, strides))
            elif isinstance(value, str) and value in self.buffers:
                given.append(value)
            elif isinstance(value, tuple) and len(value) == 2 and value[0] in ('i32', 'fp32', 'i64'):
                given.append(f'{ {"fp32": "f32"}.get(value[0], value[0]) } {value[1]}')
        return ptx_of(GluonASTSource(launch.kernel, signature, constants, attributes), gpu, dict(num_warps=launch.warps), given)

    def inputs(self):
        random = np.random.default_rng(1)
        return {name: buffer.make(random) for name, buffer in self.buffers.items()}
