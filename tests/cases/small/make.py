# SPDX-License-Identifier: Apache-2.0
# Writes the kernels, inputs, expected results and case files of this folder (needs numpy and ml_dtypes): casts and dots
# of the formats that only text has. Expected sums are exact: ml_dtypes says what the codes are, and numpy adds integers.
import math
import pathlib

import ml_dtypes
import numpy

HERE = pathlib.Path(__file__).parent
SPDX = "SPDX-License-Identifier: Apache-2.0\n"
TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
}
NEW = [name for name in TYPES if name not in ("f8E4M3FN", "f8E5M2")]
M, N, K = 16, 16, 64


def view(name, type_, shape):
    sizes = "x".join(map(str, shape))
    strides = ",".join(str(math.prod(shape[i + 1 :])) for i in range(len(shape)))
    tensor = f"tensor_view<{sizes}x{type_}, strides=[{strides}]>"
    partition = f"partition_view<tile=({sizes}), {tensor}>"
    text = (
        f"  %{name}_tensor = make_tensor_view %{name}_base, shape = [{', '.join(map(str, shape))}], "
        f"strides = [{strides.replace(',', ', ')}] : {tensor}\n"
        f"  %{name}_view = make_partition_view %{name}_tensor : {partition}\n"
    )
    return text, partition


class Kernel:
    def __init__(self, name, buffers):
        """buffers: (name, type, shape)"""
        self.name, self.buffers, self.partitions = name, buffers, {}
        parameters = ", ".join(f"%{b}_base: tile<ptr<{t}>>" for b, t, _ in buffers)
        self.text = f"entry @{name}({parameters}) {{\n  %zero = constant <i32: 0> : tile<i32>\n"
        for buffer in buffers:
            text, self.partitions[buffer[0]] = view(*buffer)
            self.text += text

    def tile(self, buffer):
        _, type_, shape = next(b for b in self.buffers if b[0] == buffer)
        return f"tile<{'x'.join(map(str, shape))}x{type_}>"

    def zeros(self, buffer):
        return ", ".join(["%zero"] * len(next(b for b in self.buffers if b[0] == buffer)[2]))

    def load(self, buffer):
        self.text += (
            f"  %{buffer}, %{buffer}_read = load_view_tko weak %{buffer}_view[{self.zeros(buffer)}] : "
            f"{self.partitions[buffer]}, tile<i32> -> {self.tile(buffer)}, token\n"
        )

    def store(self, value, buffer):
        self.text += (
            f"  %{buffer}_stored = store_view_tko weak {value}, %{buffer}_view[{self.zeros(buffer)}] : "
            f"{self.tile(buffer)}, {self.partitions[buffer]}, tile<i32> -> token\n"
        )

    def line(self, text):
        self.text += f"  {text}\n"

    def end(self):
        return self.text + "  return\n}\n"


def write_module(name, kernels):
    text = f"// {SPDX}// Written by make.py.\ncuda_tile.module @kernels {{\n"
    (HERE / name).write_text(text + "".join(k.end() for k in kernels) + "}\n")


def write_case(name, text):
    (HERE / name).write_text(f"# {SPDX}# Written by make.py.\n{text}")


# Once to the format, and by way of f16 there and back, which keeps every number and every payload of it.
def casts():
    kernels = []
    buffers = [("X", "f32", (256,))] + [(f"Y{i}", t, (256,)) for i, t in enumerate(NEW)]
    for way in ("once", "again"):
        kernel = Kernel(way, buffers)
        kernel.load("X")
        for i, type_ in enumerate(NEW):
            small = f"tile<256x{type_}>"
            kernel.line(f"%c{i} = nv_tileaa.cast %X : tile<256xf32> to {small} {{satf = true}}")
            if way == "again":
                kernel.line(f"%h{i} = nv_tileaa.cast %c{i} : {small} to tile<256xf16>")
                kernel.line(f"%r{i} = nv_tileaa.cast %h{i} {{satf = true}} : tile<256xf16> to {small}")
            kernel.store(f"%{'r' if way == 'again' else 'c'}{i}", f"Y{i}")
        kernels.append(kernel)
    write_module("casts.mlir", kernels)
    arguments = ", ".join(["X.ptr"] + [f"Y{i}.ptr" for i in range(len(NEW))])
    text = "title: casts to formats of text only, and by way of f16\nbuffers:\n"
    text += "  X: {type: f32, shape: [256], fill: {normal: {mean: 0, std: 4}}}\n"
    for i, type_ in enumerate(NEW):
        text += f"  Y{i}: {{type: {type_.lower()}, shape: [256]}}\n"
    text += "variants:\n"
    for way in ("once", "again"):
        text += f"  {way}:\n    - {{module: casts.mlir, kernel: {way}, grid: [1], args: [{arguments}]}}\n"
    text += f"compare: [{', '.join(f'Y{i}' for i in range(len(NEW)))}]\ntolerance: {{ieee: {{rtol: 0, atol: 0}}}}\n"
    write_case("casts.yaml", text)


def codes_near_one(random, type_, count):
    """Codes of numbers from 1/4 to 4 in magnitude, and zeros: sums of products of them are exact in f32."""
    every = numpy.arange(64 if type_.startswith("f6") else 256).astype(numpy.uint8)
    with numpy.errstate(all="ignore"):
        values = every.view(TYPES[type_]).astype(numpy.float64)
        every = every[((abs(values) >= 0.25) & (abs(values) <= 4)) | (values == 0)]
    return random.choice(every, count).astype(numpy.uint8)


def decoded(codes, type_, shape):
    return codes.view(TYPES[type_]).astype(numpy.float64).reshape(shape)


def dot_kernel(name, left, right, scaled):
    buffers = [("X", left, (M, K)), ("Y", right, (K, N)), ("Z", "f32", (M, N))]
    if scaled:
        buffers += [("S", "f8E8M0FNU", (M, K // 32)), ("T", "f8E8M0FNU", (K // 32, N))]
    kernel = Kernel(name, buffers)
    for buffer, _, _ in buffers:
        if buffer != "Z":
            kernel.load(buffer)
    kernel.line(f"%start = constant <f32: 0.0> : {kernel.tile('Z')}")
    x, y, z = (kernel.tile(b) for b in "XYZ")
    return kernel, x, y, z


def dots(random, left, right, scaled):
    name = f"{left}_by_{right}".lower() + ("_scaled" if scaled else "")
    kernel, x, y, z = dot_kernel("dot", left, right, scaled)
    if scaled:
        s, t = kernel.tile("S"), kernel.tile("T")
        kernel.line(f"%d = nv_tileaa.dot %X, %Y, %start sfa(%S) sfb(%T) : {x}, {y}, {z} sfa: {s}, sfb: {t} -> {z}")
    else:
        kernel.line(f"%d = nv_tileaa.dot %X, %Y, %start : {x}, {y}, {z} -> {z}")
    kernel.store("%d", "Z")
    # The same of f16, which has all numbers of both.
    plain, _, _, _ = dot_kernel("halves", left, right, scaled)
    for buffer, shape in (("X", (M, K)), ("Y", (K, N))):
        tile = f"tile<{shape[0]}x{shape[1]}xf16>"
        plain.line(f"%{buffer}h = nv_tileaa.cast %{buffer} : {plain.tile(buffer)} to {tile}")
    if not scaled:
        plain.line(f"%d = mmaf %Xh, %Yh, %start : tile<{M}x{K}xf16>, tile<{K}x{N}xf16>, {z}")
        plain.store("%d", "Z")
    write_module(f"{name}.mlir", [kernel] if scaled else [kernel, plain])
    codes = codes_near_one(random, left, M * K), codes_near_one(random, right, K * N)
    scales = random.integers(125, 130, M * K // 32), random.integers(125, 130, K * N // 32)
    exact = decoded(codes[0], left, (M, K)), decoded(codes[1], right, (K, N))
    if scaled:
        factors = [2.0 ** (s.astype(float) - 127) for s in scales]
        exact = (
            exact[0] * numpy.repeat(factors[0].reshape(M, K // 32), 32, axis=1),
            exact[1] * numpy.repeat(factors[1].reshape(K // 32, N), 32, axis=0),
        )
    sums = exact[0] @ exact[1]  # exact in double: few bits each
    assert (sums.astype(numpy.float32).astype(numpy.float64) == sums).all()
    codes[0].tofile(HERE / f"{name}_x.bin")
    codes[1].tofile(HERE / f"{name}_y.bin")
    sums.astype("<f4").tofile(HERE / f"{name}_z.bin")
    buffers = (
        f"  X: {{type: {left.lower()}, shape: [{M}, {K}], fill: {{file: {name}_x.bin}}}}\n"
        f"  Y: {{type: {right.lower()}, shape: [{K}, {N}], fill: {{file: {name}_y.bin}}}}\n"
    )
    arguments = "X.ptr, Y.ptr, Z.ptr"
    if scaled:
        for buffer, data, shape in (("S", scales[0], (M, K // 32)), ("T", scales[1], (K // 32, N))):
            data.astype(numpy.uint8).tofile(HERE / f"{name}_{buffer.lower()}.bin")
            buffers += f"  {buffer}: {{type: f8e8m0fnu, shape: [{shape[0]}, {shape[1]}], "
            buffers += f"fill: {{file: {name}_{buffer.lower()}.bin}}}}\n"
        arguments += ", S.ptr, T.ptr"
    expected = f"  EZ: {{type: f32, shape: [{M}, {N}], fill: {{file: {name}_z.bin}}}}\n"
    result = f"  Z: {{type: f32, shape: [{M}, {N}]}}\n"
    run = "    - {{module: " + name + ".mlir, kernel: {}, grid: [1], args: [" + arguments + "]}}\n"
    write_case(
        f"{name}_ieee.yaml",
        f"title: {left} by {right}{' with scales' if scaled else ''}, exact\nbuffers:\n{buffers}{expected}{result}"
        "variants:\n  expected:\n    - {module: ../copy/copy_f32.tileirbc, grid: [2, 1, 1], args: [EZ, Z]}\n"
        f"  kernel:\n{run.format('dot')}compare: [Z]\nmodes: [ieee]\ntolerance: {{ieee: {{rtol: 0, atol: 0}}}}\n",
    )
    if scaled:
        return
    write_case(
        f"{name}.yaml",
        f"title: {left} by {right}, and of f16\nbuffers:\n{buffers}{result}variants:\n"
        f"  dot:\n{run.format('dot')}  halves:\n{run.format('halves')}compare: [Z]\n",
    )


def main():
    random = numpy.random.default_rng(16)
    casts()
    for left, right in (("f8E4M3FN", "f8E5M2"), ("f8E4M3FNUZ", "f8E5M2FNUZ"), ("f6E2M3FN", "f6E2M3FN")):
        dots(random, left, right, False)
    for left, right in (("f6E2M3FN", "f6E3M2FN"), ("f8E5M2", "f6E3M2FN")):
        dots(random, left, right, True)


main()
