# SPDX-License-Identifier: Apache-2.0
# Runs the test suite of a checkout of NVIDIA/cutile-python on the CPU: a plugin of pytest that puts our launch in the place of cuTile's.
"""python suite.py TILEIRAS CHECKOUT [ARGUMENTS OF PYTEST...]

Needs cuda-tile==1.7.0, torch, ml_dtypes, pytest, pytest-benchmark and cc; no GPU.

In the environment KEEP=I/N, I from 0 to N - 1, is the part of the variants of each test that is run, and MODE=payload runs all of them in
payload arithmetic, where only integers are as the tests want them: what fails then is of interest if it says LaunchError."""

import os
import sys
import tempfile
import types
import zlib
from pathlib import Path

import cuda.tile as ct
import cuda.tile._cext
import cuda.tile._compile
import cuda.tile._execution
import pytest
import torch
from cuda.tile._bytecode.version import BytecodeVersion
from torch.overrides import TorchFunctionMode

# Tests of what cuTile does before a kernel runs, or of the GPU's driver.
HOST_SIDE = [f"test_{name}.py" for name in (
    "bytecode", "bytecode_version_compat", "check_dtype_support", "code_motion", "compiler_options", "cudagraph", "debug", "dispatcher",
    "export_compat", "float_encoding", "function_debuginfo", "name_mangling", "print", "stream", "tune", "tuple_arguments", "typeinfer")]  # fmt: skip
CAPABILITY = 10, 0
LARGEST = 1 << 28  # bytes of a tensor
OPTIONS = ("--outside-tiles=padding", "--check-assume")  # some tests read beyond the last tile, which the dialect leaves undefined


class OnThisMachine(TorchFunctionMode):
    """Tensors asked for on the GPU are made here, and say that they are on it."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function is torch.Tensor.is_cuda.__get__:
            return True
        if function is torch.Tensor.cuda:
            return args[0]
        if str(kwargs.get("device", "")).startswith("cuda"):
            named = {name: value for name, value in kwargs.items() if name != "generator"}
            shape = function(*args, **{**named, "device": "meta"})
            if isinstance(shape, torch.Tensor) and shape.nbytes > LARGEST:
                pytest.skip(f"a tensor of {shape.nbytes >> 20} MiB")
            kwargs["device"] = "cpu"
        if function is torch.Tensor.to:
            args = tuple("cpu" if isinstance(a, (str, torch.device)) and str(a).startswith("cuda") else a for a in args)
        return function(*args, **kwargs)


def replace_everywhere(name, value):
    """In cuTile's modules that are loaded, as many have taken the name with `from`."""
    for module in [m for n, m in sys.modules.items() if n.startswith("cuda.tile") and m]:
        if name in vars(module):
            setattr(module, name, value)


class Plugin:
    def __init__(self, device):
        self.device, self.launches = device, 0

    def launch(self, *arguments, **named):
        self.launches += 1
        self.device.launch(*arguments, **named)

    def pytest_collection_modifyitems(self, config, items):
        part, parts = map(int, os.environ.get("KEEP", "0/1").split("/"))
        chosen = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts == part or "[" not in item.nodeid]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        try:
            return (yield)
        except (OSError, torch.AcceleratorError) as error:
            if not any(word in str(error) for word in ("libcuda", "CUDA driver")):
                raise
            pytest.skip("asks a GPU's driver")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from launch import Device

    tileiras, root = (Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        plugin = Plugin(Device(tileiras, folder, os.environ.get("MODE", "ieee"), OPTIONS))
        for name, value in {
            "launch": plugin.launch,
            "get_compute_capability": lambda device=0: CAPABILITY,
            "get_sm_arch": lambda device=0: f"sm_{CAPABILITY[0]}{CAPABILITY[1]}",
            "_get_max_supported_bytecode_version": lambda *ignored, **more: BytecodeVersion.V_13_4,
            "_find_compiler_bin": lambda: types.SimpleNamespace(path=str(tileiras)),
        }.items():
            replace_everywhere(name, value)
        stream = types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None, wait_stream=lambda other: None)
        for name in ("current_stream", "default_stream", "Stream"):
            setattr(torch.cuda, name, lambda *ignored: stream)
        torch.cuda.synchronize = lambda *ignored: None
        torch.cuda.get_device_capability = lambda *ignored: CAPABILITY
        torch.cuda.get_device_properties = lambda *ignored: types.SimpleNamespace(multi_processor_count=4)
        os.chdir(root / "test")
        sys.path[:0] = [str(root / "test"), str(root / "samples"), str(root)]
        ignored = [f"--ignore={name}" for name in HOST_SIDE]
        with OnThisMachine():
            status = pytest.main(["-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", *ignored, *sys.argv[3:]], [plugin])
        print(f"{plugin.launches} launches")
    sys.exit(status)


if __name__ == "__main__":
    main()
