# SPDX-License-Identifier: Apache-2.0
# Writes the modules that the bad cases of this folder name: kernels that fail when they run, and damaged bytecode.
""".venv/bin/python tests/bad/make_modules.py     (needs `pip install cuda-tile==1.7.0`, no GPU)"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "examples"))
import export
from export import array, load_module, neutralise

import cuda.tile as ct
from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel


def write(kernel, name, *signatures, convention=CallingConvention.cutile_python_v1()):
    signatures = [KernelSignature(parameters, convention) for parameters in signatures]
    export_kernel(kernel, signatures, FOLDER / f"{name}.tileirbc", gpu_code=export.GPU, output_format="tileir_bytecode", bytecode_version="13.1")


def damage():
    good = (FOLDER.parent.parent / "tests/cases/copy/copy_f32.tileirbc").read_bytes()
    files = {
        "truncated": good[: len(good) // 2],
        "too_new": good[:9] + bytes([9]) + good[10:],
        "no_bytecode": b"not bytecode\n",
        "empty": b"",
    }
    for name, data in files.items():
        (FOLDER / f"{name}.tileirbc").write_bytes(data)


if __name__ == "__main__":
    neutralise()
    kernels = load_module(FOLDER / "kernels.py")
    f32, f16, i32 = array(ct.float32, 1), array(ct.float16, 1), array(ct.int32, 1)
    write(kernels["copy_tile"], "two_entries", [f32, f32, 64], [f16, f16, 64])
    write(kernels["copy_tile"], "copy_aligned", [array(ct.float32, 1, shape_divisible_by=16)] * 2 + [64])
    write(kernels["copy_tile"], "copy_size_64", [array(ct.float32, 1, shape_constant=[64])] * 2 + [64],
          convention=CallingConvention.cutile_python_v2())
    write(kernels["gather_unchecked"], "gather_unchecked", [f32, i32, f32, 64])
    write(kernels["scatter_unchecked"], "scatter_unchecked", [f32, i32, f32, 64])
    write(kernels["checked_sqrt"], "checked_sqrt", [f32, f32, 64])
    damage()
