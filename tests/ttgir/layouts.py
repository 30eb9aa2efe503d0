# SPDX-License-Identifier: Apache-2.0
"""Prints layouts.txt: where layouts of shared and tensor memory put elements, as Triton 3.9.0 itself says (LinearLayout).

A row: the layout as TTGIR writes it | shape | bits of an element | bases. All these layouts are linear over bits: the place of the
element at an index is the XOR of the places of the index's bits. Bases are given the other way round, as Triton does: for each bit
of the place the index that lies there, lowest bit first. In shared memory the place is a number of elements; in tensor memory there
are two lists, those of the row (lane) and those of the column, and a column is an element wide; where elements are packed, 16-bit
ones are two to a column of 32 bits."""
import os
import sys

from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout


def layouts():
    for vec, per_phase, max_phase in ((1, 1, 1), (4, 1, 4), (4, 2, 4), (8, 1, 8), (2, 4, 2), (8, 2, 4)):
        for order in ([1, 0], [0, 1]):
            for shape in ([32, 32], [64, 16], [16, 128]):
                yield gl.SwizzledSharedLayout(vec, per_phase, max_phase, order), shape, 32
    for bits in (8, 16, 32):
        for swizzle in (0, 32, 64, 128):
            for transposed in (False, True):
                for shape in ([64, 64], [8, 256], [128, 32], [16, 16]):
                    if swizzle and shape[0 if transposed else 1] * bits < swizzle * 8:
                        continue
                    yield gl.NVMMASharedLayout(swizzle, bits, 2, transposed), shape, bits
    for shape in ([1, 1, 1, 2, 256], [2, 64, 64], [4, 8, 32]):
        yield gl.NVMMASharedLayout(0, 8, len(shape)), shape, 8
    yield gl.NVMMASharedLayout(128, 8, 2, False, True), [64, 64], 8
    for m, n in ((128, 64), (64, 64), (128, 8), (64, 128), (128, 256)):
        for stride in (1, 2):
            for shape in ([m, n], [2 * m, n], [m, 2 * n]):
                if shape[0] <= 128 and shape[1] * stride <= 512:
                    yield TensorMemoryLayout([m, n], col_stride=stride), shape, 32 // stride
    for shape in ([128, 4], [128, 8], [128, 16], [64, 4], [256, 4], [256, 8]):
        yield TensorMemoryScalesLayout(), shape, 8


def text_of(layout):
    """As TTGIR writes it."""
    if isinstance(layout, gl.SwizzledSharedLayout):
        return (f'#ttg.swizzled_shared<{{vec = {layout.vec}, perPhase = {layout.per_phase}, maxPhase = {layout.max_phase}, '
                f'order = {layout.order}}}>')
    if isinstance(layout, gl.NVMMASharedLayout):
        return (f'#ttg.nvmma_shared<{{swizzlingByteWidth = {layout.swizzle_byte_width}, transposed = {str(layout.transposed).lower()}, '
                f'elementBitWidth = {layout.element_bitwidth}{", fp4Padded = true" if layout.fp4_padded else ""}'
                f'{f", rank = {layout.rank}" if layout.rank != 2 else ""}}}>')
    if isinstance(layout, TensorMemoryLayout):
        return f'#ttng.tensor_memory_encoding<blockM = {layout.block[0]}, blockN = {layout.block[1]}, colStride = {layout.col_stride}>'
    return '#ttng.tensor_memory_scales_encoding<>'


def bases_of(linear):
    write = lambda bases: ' '.join(','.join(map(str, basis)) for basis in bases)
    if hasattr(linear, 'offset_bases'):
        return write(linear.offset_bases)
    return write(linear.rows) + ' / ' + write(linear.cols)


def main():
    context = ir.context()
    ir.load_dialects(context)
    make_backend(GPUTarget('cuda', 100, 32)).load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    print('# Made by layouts.py, which says what the columns are.')
    for layout, shape, bits in layouts():
        attribute = layout._to_ir(builder)
        try:
            linear = builder.to_linear_layout(attribute, shape)
        except Exception as refused:
            print(layout, shape, refused, file=sys.stderr)
            continue
        print(f'{text_of(layout)}|{"x".join(map(str, shape))}|{bits}|{bases_of(linear)}')
    sys.stdout.flush()
    os._exit(0)  # without the complaints of the bindings


main()
