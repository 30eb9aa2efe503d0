# SPDX-License-Identifier: Apache-2.0
"""Makes kernels.tar.zst of the kernels in kernels/*.py: python make_kernels.py    (triton 3.9.0, numpy, ml_dtypes; no GPU)

The archive has what make_oracle.py says of its own, and for each case NAME.plain.ttir, the same in @triton.jit."""
import importlib
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'kernels')]
from library import TYPES

TTIR = '../../ttir/oracle'
COPIED = 1024  # elements that a block of its copy_TYPE.mlir copies
FILES = ('hopper_more', 'blackwell_more', 'clusters')


def launch_of(case, launch, module):
    return f'[{{module: {module}, grid: {list(launch.grid)}, args: [{case.arguments(launch)}]}}]'


def case_text(case, references, ptx=None):
    """The case of all variants; with `references` that of the kernel against numpy, with `ptx` against PTX."""
    lines = ['buffers:']
    for name, buffer in case.buffers.items():
        lines.append(f'  {name}: {{type: {buffer.type}, shape: {list(buffer.shape)}, fill: {{file: {case.name}/{name}.in.bin}}}}')
    for name in references:
        buffer = case.buffers[name]
        lines.append(f'  E{name}: {{type: {buffer.type}, shape: {list(buffer.shape)}, fill: {{file: {case.name}/{name}.ieee.bin}}}}')
    lines.append('variants:')
    if references:
        lines.append('  numpy:')
        for name in references:
            kind, count = case.buffers[name].type, int(np.prod(case.buffers[name].shape))
            lines.append(f'    - {{module: {TTIR}/copy_{kind}.mlir, grid: [{-(-count // COPIED)}], args: [E{name}.ptr, {name}.ptr, i32 {count}]}}')
    elif case.plain and not ptx:
        lines.append(f'  plain: {launch_of(case, case.plain, case.name + ".plain.ttir")}')
    for gpu in ptx or {}:
        lines.append(f'  ptx_{gpu}: [{{module: {case.name}.sm_{gpu}.ptx, grid: {list(case.launch.grid)}, {ptx[gpu]}}}]')
    for gpu in ptx or case.gpus:
        lines.append(f'  sm_{gpu}: {launch_of(case, case.launch, f"{case.name}.sm_{gpu}.ttgir")}')
    lines.append(f'compare: [{", ".join(case.outputs)}]')
    if references:
        lines += ['modes: [ieee]', 'allow: [vacuous]']
    if ptx:
        lines += ['modes: [fpsan]', 'profile: triton-3.9', 'allow: [vacuous]']
    elif references or case.plain:
        lines.append(f'tolerance: {{ieee: {{rtol: {case.tolerance[0]}, atol: {case.tolerance[1]}}}}}')
    return '\n'.join(lines) + '\n'


def write_case(case, out):
    put = lambda name, text: open(os.path.join(out, name), 'w').write(text)
    os.makedirs(os.path.join(out, case.name))
    inputs = case.inputs()
    for name, array in inputs.items():
        array.tofile(os.path.join(out, case.name, f'{name}.in.bin'))
    references = case.reference(inputs) if case.reference else {}
    for name, array in references.items():
        buffer = case.buffers[name]
        np.ascontiguousarray(np.asarray(array).astype(TYPES[buffer.type]).reshape(buffer.shape)).tofile(os.path.join(out, case.name, f'{name}.ieee.bin'))
    for gpu in case.gpus:
        put(f'{case.name}.sm_{gpu}.ttgir', case.text(case.launch, gpu))
    if case.plain:
        put(f'{case.name}.plain.ttir', case.text(case.plain, 90, 'ttir'))
    put(f'{case.name}.yaml', case_text(case, []))
    if references:
        put(f'{case.name}.ieee.yaml', case_text(case, list(references)))
    if case.launch.blocks == 1 and not case.no_ptx and not case.bug:
        ptx = {}
        for gpu in case.gpus[-1:]:
            text, ptx[gpu] = case.ptx(case.launch, gpu)
            put(f'{case.name}.sm_{gpu}.ptx', text)
        put(f'{case.name}.ptx.yaml', case_text(case, [], ptx))
    return f'{case.name} {"bug" if case.bug else "gluon"}\n'


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'kernels')
        os.makedirs(out)
        lines = [write_case(case, out) for file in FILES for case in importlib.import_module(file).CASES]
        open(os.path.join(out, 'list.txt'), 'w').writelines(lines)
        for file in FILES:  # which reports name
            shutil.copy(os.path.join(HERE, 'kernels', f'{file}.py'), out)
        subprocess.run(['sh', os.path.join(HERE, '..', 'ptx', 'pack.sh'), folder, 'kernels', HERE], check=True)
    sys.stdout.flush()
    os._exit(0)  # without the complaints of Triton's bindings


main()
