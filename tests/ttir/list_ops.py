# SPDX-License-Identifier: Apache-2.0
"""Prints docs/triton-ops.md: list_ops.py OPS.DEF FOLDER...    (compiler/triton/ops.def; folders of kernels, the last
three of TTGIR)

Each op of ops.def, what it becomes, and the kernels of the oracle that have it."""
import collections
import glob
import os
import re
import sys

# What the hooks do, in words.
HOOKS = {
    'float_to_integer': '`ftoi` saturating, to i8 by i16; NaN as of GPUs',
    'advance': '`addi` of offsets, which loops carry',
    'assembly': '`function`, `divf`, `ftof`: known texts',
    'assert': '`assert`',
    'assume': '`assume` of the condition as an integer',
    'atomic_cas': '`atomic_cas_tko`',
    'atomic_load': '`load_ptr_tko` with its ordering',
    'atomic_poll': '`loop` around `load_ptr_tko`, without a timeout',
    'atomic_rmw': '`atomic_rmw_tko`',
    'atomic_store': '`store_ptr_tko` with its ordering',
    'barrier': 'joins all tokens',
    'bitcast': '`bitcast`, of pointers `ptr_to_ptr`',
    'broadcast': '`broadcast`',
    'call': 'inlined',
    'cat': '`cat` along dimension 0',
    'clamp': '`maxf`, `minf`',
    'compare_floats': '`cmpf`; `ord` and `uno`: both operands with themselves',
    'compare_integers': '`cmpi`',
    'constant': '`constant`',
    'convert': '`ftof`; toward zero into eight bits `cast`',
    'descriptor_gather': '`load_ptr_tko`, masked',
    'descriptor_load': '`load_ptr_tko`, masked; outside zero or NaN',
    'descriptor_reduce': '`atomic_rmw_tko`, masked',
    'descriptor_scatter': '`store_ptr_tko`, masked',
    'descriptor_store': '`store_ptr_tko`, masked',
    'dot': '`mmaf`, of bytes `mmai`; tf32 by `ftof`; see below',
    'dot_scaled': '`mmaf_scaled`, `dot`, or scales by `mulf` and `mmaf`',
    'extern': '`function`; of bits, and questions, integer ops',
    'for': '`for`',
    'function': '`function`',
    'gather': '`gather`',
    'histogram': '`histogram`',
    'identity': 'its operand',
    'if': '`if`; for each element both branches and `select`',
    'join': '`reshape`, `cat`',
    'load': '`load_ptr_tko`',
    'make_block_pointer': 'kept until its use',
    'make_descriptor': 'kept until its use',
    'map_elementwise': 'its body on whole tiles',
    'misplaced': 'ends a region or block',
    'nothing': 'nothing: launches run one after another',
    'poison': '`constant` 0',
    'precise_sqrt': '`function` sqrt_rn',
    'print': '`print_tko`, one for each operand',
    'program_id': '`get_tile_block_id`, `get_num_tile_blocks`',
    'range': '`iota`, `addi`',
    'reduce': '`reduce`, `scan` without identities',
    'reshape': '`reshape`, row-major',
    'select': '`select`; a scalar condition is splat',
    'shift': '`shli`, `shri`',
    'splat': '`reshape`, `broadcast`',
    'split': '`extract`, `reshape`',
    'store': '`store_ptr_tko`',
    'transpose': '`permute`',
    'while': '`loop`: the first region, `if` with `break`, the second',
    'wide_product': '`muli`, `mulhii`',
    'xor': '`xori`; x ^ xor_sum(x) of two: `extract`, `cat`',
}
# The same of ops of shared and tensor memory, barriers and partitions of warps, by words of their names.
OBJECTS = {
    'memdesc_': 'an offset and strides',
    'tmem_subslice': 'an offset and strides',
    'local_atomic': '`atomic_rmw_tko`',
    'local_gather': 'masked `load_ptr_tko`',
    'local_scatter': 'masked `store_ptr_tko`',
    'local_load': '`load_ptr_tko`',
    'local_store': '`store_ptr_tko`',
    'tmem_load': '`load_ptr_tko`',
    'tmem_store': '`store_ptr_tko`',
    'fp4_to_fp': 'integer ops, `ftof`',
    'packed_arith': 'ops of floats',
    'tmem_wait': 'nothing',
    'cluster_': 'joins all tokens',
    'fence_mbarrier': 'nothing',
    'commit': '`block_operation`',
    'mbarrier_arrive': '`block_operation`',
    'cancel_sync': 'refused',
    'clc_load': '`load_ptr_tko`',
    'clc_is': 'integer ops',
    'clc_get': 'integer ops',
    'scratch': 'kept until its use',
    'tensormap': 'kept until its use',
    'tensor_descriptor': 'kept until its use',
    'warp_specialize': 'forks parts',
    'async_tma_store_wait': '`block_operation`',
    'async_wait': '`block_operation`',
    'dot_wait': '`block_operation`, a load',
    'async_': 'issues a part',
    'warp_group': 'issues a part',
    'tc_gen5_mma': 'issues a part',
    'tmem_copy': 'issues a part',
    '': '`block_operation`',
}
OF_TTGIR = ('ttg', 'ttng', 'gluon')
SHOWN = 2
WIDTH = 100


def rows(path):
    """(name, translation) of each row."""
    text = re.sub(r'//.*', '', open(path).read()).replace('\\\n', ' ')
    for row in re.findall(r'^TRI\((.*?)\)\)\s*$', text, re.M | re.S):
        dialect, name = [part.strip() for part in row.split(',')[:2]]
        kind, inside = re.search(r'(SAME|MAP|HOOK)\(([^()]*)$', row, re.S).groups()
        if kind == 'HOOK':
            hook = inside.strip()
            if hook in HOOKS or dialect not in OF_TTGIR:
                yield f'{dialect}.{name}', HOOKS[hook]
            else:
                yield f'{dialect}.{name}', next(how for word, how in OBJECTS.items() if word in name)
            continue
        op, _, words = inside.partition(',')
        words = ''.join(re.findall(r'"([^"]*)"', words))
        if 'TO_ZERO' in inside:
            words += ' rounding=nearest_int_to_zero saturating'
        words = words.replace('signedness=', '')
        yield f'{dialect}.{name}', f'`{op.strip()}`' + (f' {words}' if words else '')


def check_run(folder):
    """Each kernel of a folder is run by a case of it."""
    launched = set(re.findall(r'module: ([^,} ]*)', ''.join(open(c).read() for c in glob.glob(os.path.join(folder, '*.yaml')))))
    idle = {os.path.basename(p) for p in glob.glob(os.path.join(folder, '*.ttir'))} - launched
    if idle:
        sys.exit(f'no case of {folder} launches {", ".join(sorted(idle))}')


def kernels_of(paths):
    """The names of kernels that have an op."""
    cases = collections.defaultdict(list)
    for path in paths:
        name = os.path.basename(path).rsplit('.', 1)[0]
        if name.startswith('copy_'):  # what brings results of another program into a case
            continue
        found = set(re.findall(r'(?:^|= |")\s*((?:tt|arith|math|scf|cf|ub|llvm|ttg|ttng|gluon|gpu)\.[a-z_0-9.]+)',
                               open(path).read(), re.M))
        for op in found:
            cases[op].append(name)
    return cases


def table(rows, cases, needed):
    print('| op | becomes | in kernels |')
    print('|---|---|---|')
    for op, how in rows:
        known = [c for c in cases[op] if '@' not in c] or cases[op]
        if needed and not known:
            sys.exit(f'{op} is in no kernel')
        for shown in (SHOWN, 1):
            more = f' and {len(known) - shown} more' if len(known) > shown else ''
            line = f'| {op} | {how} | {", ".join(known[:shown])}{more} |'
            if len(line) <= WIDTH:
                break
        print(line)


def main():
    ttir, ttgir = sys.argv[2:-3], sys.argv[-3:]
    for folder in ttir:
        check_run(folder)
    texts = lambda folders, kind: [p for f in folders for p in sorted(glob.glob(os.path.join(f, '*.' + kind)))]
    all_rows = list(rows(sys.argv[1]))
    print('# Ops of Triton\n')
    print('Made of compiler/triton/ops.def by tests/ttir/list_ops.py. What an op of Triton IR becomes in Tile\n'
          'IR, and which kernels of tests/ttir have it (at most two are named). Every op that is not here is\n'
          'refused by name and Python line, and so is an attribute that is neither the op\'s nor a hint.\n')
    is_object = lambda op: op.split('.')[0] in OF_TTGIR and not kernels[op]
    kernels = kernels_of(texts(ttir, 'ttir'))
    table([r for r in all_rows if not is_object(r[0])], kernels, True)
    print('\nIn IEEE arithmetic and in the tower a dot in tf32x3, bf16x3 or bf16x6 is one product of f32; in\n'
          'profile triton-3.9 it is the products of the parts.\n')
    print('## Ops of TTGIR\n')
    print('Which kernels of tests/ttgir have them, and of texts written by hand its folder forms.\n')
    table([r for r in all_rows if is_object(r[0])], kernels_of(texts(ttgir, 'ttgir')), False)


main()
