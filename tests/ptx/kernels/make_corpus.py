# SPDX-License-Identifier: Apache-2.0
# Compiles the kernels of triton_kernels.py and gluon_kernels.py to PTX, normal and FpSan builds, without a GPU.
"""python tests/ptx/kernels/make_corpus.py OUT [NAME...]     (needs triton==3.9.0)

LIBDEVICE=FILE: what make_libdevice.sh makes; normal builds of kernels in LIBRARY then call its functions.
Writes OUT/triton/NAME.sm_XX.ptx, OUT/triton/NAME.sm_XX.fpsan.ptx and the same of gluon. Only the named kernels, if any is."""

import dataclasses
import importlib.machinery
import importlib.util
import linecache
import os
import re
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.experimental.gluon._runtime import GluonASTSource  # noqa: E402


def load_kernels(name):
    """The module NAME.py beside this file as if it stood in /src: debug lines name the file, but no folder of this machine."""
    path, text = "/src/%s.py" % name, (Path(__file__).parent / (name + ".py")).read_text()
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(name, None, origin=path))
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module


LANGUAGES = {"triton": (load_kernels("triton_kernels"), ASTSource), "gluon": (load_kernels("gluon_kernels"), GluonASTSource)}
TYPES = {"f": "*fp32", "h": "*fp16", "b": "*bf16", "u": "*u8", "e": "*fp8e4nv", "I": "*i32", "i": "i32", "s": "fp32"}
NORMAL, FPSAN = "", "fpsan"
LIBRARY = ("functions",)  # kernels whose normal build holds functions of libdevice: that file is not packed
LIBDEVICE = os.environ.get("LIBDEVICE")


@dataclasses.dataclass(frozen=True)
class Work:
    language: str  # of LANGUAGES
    name: str  # in WORKS of that language
    gpu: int
    constants: tuple = ()  # (name, value) that differ from those of WORKS

    def modes(self):
        """The builds that there are."""
        module, _ = LANGUAGES[self.language]
        return (FPSAN,) if (self.name, self.gpu) in getattr(module, "FPSAN_ONLY", ()) else (NORMAL, FPSAN)

    def file(self, mode):
        """Path of the PTX, without a folder that all have."""
        own = "".join("_%s%s" % (name.lower(), value) for name, value in self.constants)
        return "%s/%s%s.sm_%d%s.ptx" % (self.language, self.name, own, self.gpu, ".fpsan" if mode == FPSAN else "")


def all_works():
    for language, (module, _) in LANGUAGES.items():
        for name, (_, _, _, gpus) in module.WORKS.items():
            for gpu in gpus:
                yield Work(language, name, gpu)


def compile_work(work, mode):
    """What triton.compile returns. Pointers and integers are declared divisible by 16."""
    module, source = LANGUAGES[work.language]
    kernel, types, constants, _ = module.WORKS[work.name]
    constants = {**constants, **dict(work.constants)}
    names = kernel.arg_names
    signature = {name: "constexpr" if name in constants else TYPES.get(types[i], types[i]) for i, name in enumerate(names)}
    divisible = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names) if signature[name] == "i32" or signature[name][0] == "*"}
    values = {(names.index(name),): value for name, value in constants.items()}
    triton.knobs.nvidia.libdevice_path = LIBDEVICE if LIBDEVICE and work.name in LIBRARY else None
    triton.knobs.compilation.disable_line_info = mode == FPSAN  # nobody looks for a line in those
    options = dict(num_warps=4, instrumentation_mode=mode, **getattr(module, "OPTIONS", {}).get(work.name, {}))
    return triton.compile(source(kernel, signature, values, divisible), target=GPUTarget("cuda", work.gpu, 32), options=options)


def portable_ptx(compiled):
    """The PTX without the folder that Triton is in."""
    return re.sub(r'"[^"\n]*/site-packages/', '"/site-packages/', compiled.asm["ptx"])


def write_ptx(out, work, mode, compiled):
    path = Path(out) / work.file(mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(portable_ptx(compiled))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = 0
    for work in all_works():
        if sys.argv[2:] and work.name not in sys.argv[2:]:
            continue
        for mode in work.modes():
            try:
                write_ptx(sys.argv[1], work, mode, compile_work(work, mode))
            except Exception as error:  # whatever Triton throws
                failed += 1
                print(work.file(mode), "FAILED:", (str(error).strip().splitlines() or [repr(error)])[-1], flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
