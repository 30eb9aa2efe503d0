# SPDX-License-Identifier: Apache-2.0
"""Makes oracle.tar.zst of TTGIR: kernels of Gluon, and what Triton's passes made of the kernels of tests/ttir.

python make_oracle.py MATERIAL    MATERIAL has cases.json, ir/NAME.ttir, ir/NAME.sm_NN.ttgir, gluon/*.py and
data/NAME/BUFFER.WHAT.bin, as tests/ttir/make_oracle.py says. What has no numpy reference or no payloads there gets them of
models.py. MATERIAL/../oracle/payload_model.py is the model of payloads.

The archive has NAME.sm_NN.ttgir; NAME.plain.ttir, the same in @triton.jit (kernels/twins.py); NAME.yaml, all variants of it;
NAME.ptx.yaml and NAME.sm_NN.ptx, PTX of kernels of Gluon; NAME.ieee.yaml, the kernel against copies of the numpy
reference; NAME/BUFFER.WHAT.bin; the sources of Gluon that findings name; and a line of list.txt for each case: the name, its kind,
and the outputs that have bits. Kinds: `triton` (TTIR and TTGIR of one kernel), `gluon`, `bug` (a mistake in the kernel: bugs.txt).
What tests/ttir has is read from there: inputs, and the TTIR."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, 'kernels')]
# Of TTGIR in IEEE arithmetic: Triton makes a product in tf32x3, bf16x3 and the like several products and sums (precisions), and a
# quotient a product with a reciprocal (attention).
LOOSE = ('precisions', 'attention', 'attention_causal')
LOGARITHMS = (('g_attention', 'L'),)  # polynomials in PTX
DOUBLED = ('g_views', 'g_tmem_round')  # 2 * x is x + x in PTX: other payloads (tests/ptx/README.md)
TTIR = '../../ttir/oracle'  # as the case files name it, in the build folder


def ttir_oracle():
    spec = importlib.util.spec_from_file_location('ttir_oracle', os.path.join(HERE, '..', 'ttir', 'make_oracle.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ttir = ttir_oracle()


def buffers_of(case, folder, references=()):
    lines = ['buffers:']
    for name, buffer in case['buffers'].items():
        kind, shape = ttir.type_of(buffer), buffer['shape']
        fill = ttir.fill_of(case, name)
        if folder:
            fill = fill.replace('{file: ', '{file: %s/' % folder)
        lines.append(f'  {name}: {{type: {kind}, shape: {shape}, fill: {fill}}}')
    for name in references:
        buffer = case['buffers'][name]
        lines.append(f'  E{name}: {{type: {ttir.type_of(buffer)}, shape: {buffer["shape"]}, '
                     f'fill: {{file: {case["name"]}/{name}.ieee.bin}}}}')
    return lines


def launch(case, module):
    arguments = ', '.join(map(ttir.argument, case['arguments']))
    return f'{{module: {module}, grid: {case["grid"]}, args: [{arguments}]}}'


def of_triton(case, variants):
    """TTIR against TTGIR: equal in all arithmetics, IEEE exactly but for LOOSE."""
    lines = buffers_of(case, TTIR) + ['variants:']
    lines.append(f'  ttir: [{launch(case, "%s/%s.ttir" % (TTIR, case["name"]))}]')
    for gpu in variants:
        lines.append(f'  {gpu}: [{launch(case, "%s.%s.ttgir" % (case["name"], gpu))}]')
    lines.append(f'compare: [{", ".join(case["outputs"])}]')
    lines.append('allow: [vacuous]')  # some kernels leave elements as they are
    tolerance = case['tolerance'] if case['name'] in LOOSE else dict(relative=0, absolute=0)
    lines.append(f'tolerance: {{ieee: {{rtol: {tolerance["relative"]}, atol: {tolerance["absolute"]}}}}}')
    return '\n'.join(lines) + '\n'


def plain_of(case):
    """The launch of the same kernel in @triton.jit, and its TTIR, where there is one; else None."""
    from library import Buffer, Case
    from twins import PLAIN

    if case['name'] not in PLAIN:
        return None
    buffers = {name: Buffer(ttir.type_of(buffer), buffer['shape']) for name, buffer in case['buffers'].items()}
    own, launched = Case(case['name'], None, buffers, case['outputs']), PLAIN[case['name']]
    module = f'{case["name"]}.plain.ttir'
    return f'{{module: {module}, grid: {list(launched.grid)}, args: [{own.arguments(launched)}]}}', own.text(launched, 90, 'ttir')


def ptx_of(case, source):
    """The case of TTGIR against PTX of a kernel of Gluon, and its PTX by file name. source: the case in the material's Python."""
    import library

    gpu = source.archs[-1]
    given = []
    for argument in case['arguments']:
        descriptor = argument.get('descriptor')
        given.append((descriptor['buffer'], descriptor['shape'], descriptor['strides']) if descriptor else ttir.argument(argument))
    text, rest = library.ptx_of(source.source(gpu)[3], gpu, dict(num_warps=case['num_warps']), given)
    module = f'{case["name"]}.sm_{gpu}.ptx'
    lines = buffers_of(case, '') + ['variants:', f'  ptx_{gpu}: [{{module: {module}, grid: {case["grid"]}, {rest}}}]']
    lines.append(f'  sm_{gpu}: [{launch(case, "%s.sm_%s.ttgir" % (case["name"], gpu))}]')
    outputs = [o for o in case['outputs'] if (case['name'], o) not in LOGARITHMS]
    lines += [f'compare: [{", ".join(outputs)}]', 'modes: [fpsan]', 'profile: triton-3.9', 'allow: [vacuous]']
    return '\n'.join(lines) + '\n', module, text


def of_gluon(case, variants, references, plain=None):
    lines = buffers_of(case, '', references) + ['variants:']
    if references:
        lines.append('  numpy:')
        for name in references:
            buffer = case['buffers'][name]
            kind, count = ttir.type_of(buffer), ttir.size(buffer)
            lines.append(f'    - {{module: {TTIR}/copy_{kind}.mlir, grid: [{-(-count // ttir.COPIED)}], '
                         f'args: [E{name}.ptr, {name}.ptr, i32 {count}]}}')
    if plain:
        lines.append(f'  plain: [{plain}]')
    for gpu in variants:
        lines.append(f'  {gpu}: [{launch(case, "%s.%s.ttgir" % (case["name"], gpu))}]')
    lines.append(f'compare: [{", ".join(references or case["outputs"])}]')
    tolerance = case['tolerance']
    if references:
        lines += ['modes: [ieee]']
    if references or plain:
        lines += ['allow: [vacuous]',  # some kernels leave elements as they are
                  f'tolerance: {{ieee: {{rtol: {tolerance["relative"]}, atol: {tolerance["absolute"]}}}}}']
    return '\n'.join(lines) + '\n'


def main():
    material = os.path.abspath(sys.argv[1])
    sys.path.insert(0, os.path.join(material, '..', 'oracle'))
    sys.path.insert(0, material)
    import models
    import library  # before Triton is
    import build

    sources = {case.name: case for case in build.load(('gluon',))}
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'oracle')
        os.makedirs(out)
        lines = []
        for case in json.load(open(os.path.join(material, 'cases.json'))):
            name = case['name']
            variants = [gpu for gpu in ('sm_90', 'sm_100') if os.path.exists(os.path.join(material, 'ir', f'{name}.{gpu}.ttgir'))]
            for gpu in variants:
                shutil.copy(os.path.join(material, 'ir', f'{name}.{gpu}.ttgir'), out)
            if os.path.exists(os.path.join(material, 'ir', f'{name}.ttir')):
                open(os.path.join(out, f'{name}.yaml'), 'w').write(of_triton(case, variants))
                lines.append(f'{name} triton\n')
                continue
            data, own = os.path.join(material, 'data', name), os.path.join(out, name)
            shutil.copytree(data, own)
            subprocess.run(['chmod', '-R', 'u+w', own], check=True)
            models.complete(case, own)
            has = lambda what: [b for b in case['outputs'] if os.path.exists(os.path.join(own, f'{b}.{what}.bin'))]
            plain = None if case.get('bug') else plain_of(case)
            if plain:
                open(os.path.join(out, f'{name}.plain.ttir'), 'w').write(plain[1])
            open(os.path.join(out, f'{name}.yaml'), 'w').write(of_gluon(case, variants, [], plain and plain[0]))
            if not case.get('bug') and name not in DOUBLED:
                text, module, ptx = ptx_of(case, sources[name])
                open(os.path.join(out, f'{name}.ptx.yaml'), 'w').write(text)
                open(os.path.join(out, module), 'w').write(ptx)
            if has('ieee'):
                open(os.path.join(out, f'{name}.ieee.yaml'), 'w').write(of_gluon(case, variants, has('ieee')))
            lines.append(' '.join([name, 'bug' if case.get('bug') else 'gluon', *has('mix')]) + '\n')
        for source in ('hopper.py', 'blackwell.py'):
            shutil.copy(os.path.join(material, 'gluon', source), out)
        open(os.path.join(out, 'list.txt'), 'w').writelines(lines)
        subprocess.run(['chmod', '-R', 'u+w', out], check=True)
        subprocess.run(['sh', os.path.join(HERE, '..', 'ptx', 'pack.sh'), folder, 'oracle', HERE], check=True)


if __name__ == '__main__':
    main()
    sys.stdout.flush()
    os._exit(0)  # without the complaints of Triton's bindings
