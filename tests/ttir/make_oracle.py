# SPDX-License-Identifier: Apache-2.0
"""Makes oracle.tar.zst of kernels of Triton, what they are run with, and what they must give.

python make_oracle.py MATERIAL [VERSIONS]    MATERIAL has cases.json, ir/NAME.ttir and data/NAME/BUFFER.WHAT.bin: what a buffer
holds before the launch (in), a numpy reference (ieee), and the bits of the real FpSan with its default casts (mix) and
homomorphic ones (hom). VERSIONS has VERSION/NAME.ttir, what other versions of Triton make of some of them: they must
give the same. They are called NAME@VERSION.

For each case the archive has NAME.ttir, NAME.yaml (to be run), NAME.ieee.yaml (the kernel against copies of the numpy
reference), NAME/BUFFER.WHAT.bin, and a line of list.txt: the name, and the outputs that have bits."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {'u8': 'i8', 'u32': 'i32', 'f8E4M3FN': 'f8e4m3fn', 'f8E5M2': 'f8e5m2'}
COPIED = 1024
# Of which texts of other versions are taken: accesses with hints, loops, descriptors, atomics, regions of several ops.
OLDER = ('attention_causal', 'cross_entropy', 'dependent', 'extremes', 'matmul', 'matmul_descriptors', 'locked_sum')
COPY = '''cuda_tile.module @copy {{
  entry @copy(%from: tile<ptr<{t}>>, %to: tile<ptr<{t}>>, %count: tile<i32>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %size = constant <i32: {n}> : tile<i32>
    %start = muli %x, %size : tile<i32>
    %one = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %one : tile<1xi32> -> tile<{n}xi32>
    %lanes = iota : tile<{n}xi32>
    %at = addi %starts, %lanes : tile<{n}xi32>
    %limit = reshape %count : tile<i32> -> tile<1xi32>
    %limits = broadcast %limit : tile<1xi32> -> tile<{n}xi32>
    %inside = cmpi less_than %at, %limits, signed : tile<{n}xi32> -> tile<{n}xi1>
    %f = reshape %from : tile<ptr<{t}>> -> tile<1xptr<{t}>>
    %fs = broadcast %f : tile<1xptr<{t}>> -> tile<{n}xptr<{t}>>
    %fa = offset %fs, %at : tile<{n}xptr<{t}>>, tile<{n}xi32> -> tile<{n}xptr<{t}>>
    %g = reshape %to : tile<ptr<{t}>> -> tile<1xptr<{t}>>
    %gs = broadcast %g : tile<1xptr<{t}>> -> tile<{n}xptr<{t}>>
    %ga = offset %gs, %at : tile<{n}xptr<{t}>>, tile<{n}xi32> -> tile<{n}xptr<{t}>>
    %none = constant <{zero}> : tile<{n}x{t}>
    %v, %read = load_ptr_tko weak %fa, %inside, %none : tile<{n}xptr<{t}>>, tile<{n}xi1>, tile<{n}x{t}> -> tile<{n}x{t}>, token
    %written = store_ptr_tko weak %ga, %v, %inside token=%read : tile<{n}xptr<{t}>>, tile<{n}x{t}>, tile<{n}xi1> -> token
    return
  }}
}}
'''


def size(buffer):
    count = 1
    for extent in buffer['shape']:
        count *= extent
    return count


def type_of(buffer):
    return TYPES.get(buffer['type'], buffer['type'])


def fill_of(case, name):
    if case['name'] == 'grouped' and name[0] == 'P':  # addresses of other buffers
        return f'{{addresses: [{name[1]}0, {name[1]}1]}}'
    return f'{{file: {case["name"]}/{name}.in.bin}}'


def argument(given):
    if 'buffer' in given:
        return given['buffer']
    if 'descriptor' in given:
        return given['descriptor']['buffer']
    kind, value = [(k, v) for k, v in given.items() if k != 'name'][0]
    return f'{ {"fp32": "f32"}.get(kind, TYPES.get(kind, kind)) } {value}'


def launch(case, text):
    return f'{{module: {text}.ttir, grid: {case["grid"]}, args: [{", ".join(map(argument, case["arguments"]))}]}}'


def text_of(case, text, references):
    lines = ['buffers:']
    for name, buffer in case['buffers'].items():
        lines.append(f'  {name}: {{type: {type_of(buffer)}, shape: {buffer["shape"]}, fill: {fill_of(case, name)}}}')
    for name in references:
        buffer = case['buffers'][name]
        lines.append(f'  E{name}: {{type: {type_of(buffer)}, shape: {buffer["shape"]}, '
                     f'fill: {{file: {case["name"]}/{name}.ieee.bin}}}}')
    lines.append('variants:')
    if references:
        lines.append('  numpy:')
        for name in references:
            buffer = case['buffers'][name]
            count = size(buffer)
            lines.append(f'    - {{module: copy_{type_of(buffer)}.mlir, grid: [{-(-count // COPIED)}], '
                         f'args: [E{name}.ptr, {name}.ptr, i32 {count}]}}')
    lines.append('  triton:')
    lines.append(f'    - {launch(case, text)}')
    lines.append(f'compare: [{", ".join(references or case["outputs"])}]')
    if references:
        tolerance = case['tolerance']
        lines.append('modes: [ieee]')
        lines.append('allow: [vacuous]')  # some kernels leave elements as they are
        lines.append(f'tolerance: {{ieee: {{rtol: {tolerance["relative"]}, atol: {tolerance["absolute"]}}}}}')
    return '\n'.join(lines) + '\n'


def main():
    material = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'oracle')
        os.makedirs(out)
        lines, types = [], set()
        for case in json.load(open(os.path.join(material, 'cases.json'))):
            name = case['name']
            ir = os.path.join(material, 'ir', f'{name}.ttir')
            if not os.path.exists(ir):
                continue
            data = os.path.join(material, 'data', name)
            shutil.copy(ir, out)
            os.makedirs(os.path.join(out, name))
            for file in sorted(os.listdir(data)):
                shutil.copy(os.path.join(data, file), os.path.join(out, name))
            has = lambda what: [b for b in case['outputs'] if os.path.exists(os.path.join(data, f'{b}.{what}.bin'))]
            texts = [name]
            for version in sorted(os.listdir(sys.argv[2])) if len(sys.argv) > 2 else []:
                other = os.path.join(sys.argv[2], version, f'{name}.ttir')
                if name in OLDER and os.path.exists(other):
                    texts.append(f'{name}@{version}')
                    shutil.copy(other, os.path.join(out, f'{name}@{version}.ttir'))
            for text in texts:
                open(os.path.join(out, f'{text}.yaml'), 'w').write(text_of(case, text, []))
                if has('ieee'):
                    open(os.path.join(out, f'{text}.ieee.yaml'), 'w').write(text_of(case, text, has('ieee')))
                    types |= {type_of(case['buffers'][b]) for b in has('ieee')}
                lines.append(' '.join([text] + has('mix')) + '\n')
        for kind in sorted(types):
            element = {'f8e4m3fn': 'f8E4M3FN', 'f8e5m2': 'f8E5M2'}.get(kind, kind)
            bits = {'f64': 64, 'f32': 32}.get(kind, 8 if '8' in kind else 16)
            zero = f'{element}: 0' if kind[0] == 'i' else f'{element}: 0x{"0" * (bits // 4)}'
            open(os.path.join(out, f'copy_{kind}.mlir'), 'w').write(COPY.format(t=element, n=COPIED, zero=zero))
        open(os.path.join(out, 'list.txt'), 'w').writelines(lines)
        subprocess.run(['sh', os.path.join(HERE, '..', 'ptx', 'pack.sh'), folder, 'oracle', HERE], check=True)


if __name__ == '__main__':
    main()
