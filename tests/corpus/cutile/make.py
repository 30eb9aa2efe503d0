# SPDX-License-Identifier: Apache-2.0
# Writes the corpus of this folder: each kernel as bytecode of every version that can say it, and what tileirdisasm prints for it.
"""python make.py PATH/TO/tileirdisasm [NAME...]     (needs `pip install cuda-tile==1.7.0` and tileirdisasm 13.5, no GPU)

Every *.py file here that defines EXPORTS is exported; its rows are as in examples/export.py, or with a third member, a dictionary:
gpu (the gpu_code, sm_100 if not said) and more (lists of parameters of further entries of the module).

A row NAME becomes NAME-13.1.tileirbc to NAME-13.4.tileirbc (or those that the file calls VERSIONS), without the versions for which
cuTile says that the kernel needs a newer one. Of a kernel that an earlier row of the file exports for the same gpu (with other types)
there is only the newest, and the oldest if that is not 13.1. Of each kernel's first row there is NAME-13.5.tileirbc, too, which cuTile
1.7 calls a version for developers. NAME-13.x.txt is the text of each, a link where it is that of the version before. Of every fourth
row NAME-13.4.g.txt and NAME-13.5.g.txt are the texts with locations. With NAMEs (of rows or of files), only these are made.
A test only reads the written files."""

import io
import subprocess
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import cuda.tile as ct  # noqa: E402
from cuda.tile import _compile  # noqa: E402
from cuda.tile.compilation import CallingConvention, KernelSignature, ScalarConstraint, export_kernel  # noqa: E402
from export import load_module, neutralise  # noqa: E402

VERSIONS = "13.1", "13.2", "13.3", "13.4"
NEWEST = "13.5"


def signature(parameters, symbol):
    constraints = [ScalarConstraint(p) if isinstance(p, ct.DType) else p for p in parameters]
    return KernelSignature(constraints, CallingConvention.cutile_python_v2(), symbol=symbol)


def bytecode(name, row, version):
    """The file's bytes, None where the version is too old for the kernel."""
    kernel, parameters, options = (*row, {})[:3]
    lists = [parameters, *options.get("more", ())]
    signatures = [signature(p, name if number == 0 else f"{name}_{number}") for number, p in enumerate(lists)]
    out = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of hints that an old version leaves out
            export_kernel(kernel, signatures, out, gpu_code=options.get("gpu", "sm_100"), output_format="tileir_bytecode",
                          bytecode_version=version)
    except ct.TileUnsupportedFeatureError:
        return None
    return out.getvalue()


def export_row(disassembler, name, row, versions, every, located):
    """How many versions there are, 0 after a failure."""
    for old in HERE.glob(name + "-13.[0-9].*"):
        old.unlink()
    files = [(version, data) for version in versions if (data := bytecode(name, row, version))]
    if [version for version, _ in files] != [*versions[-len(files):]]:
        print(f"{name}: not in the newest, or not in one between")
        return 0
    before = {}
    if not every:
        files = files[:1][: files[0][0] != versions[0] and len(files) > 1] + files[-1:]
    else:
        files.append((NEWEST, bytecode(name, row, NEWEST)))
    for version, data in files:
        path = HERE / f"{name}-{version}.tileirbc"
        path.write_bytes(data)
        for flag, suffix in (([], ".txt"), *[(["-g"], ".g.txt")][: located and version in (VERSIONS[-1], NEWEST)]):
            done = subprocess.run([disassembler, *flag, path], capture_output=True)
            if done.returncode:
                print(f"{name} {version}: {done.stderr.decode()[:2000]}")
                return 0
            text = path.with_name(path.name.removesuffix(".tileirbc") + suffix)
            if suffix in before and before[suffix].read_bytes() == done.stdout:
                text.symlink_to(before[suffix].name)
            else:
                text.write_bytes(done.stdout)
                before[suffix] = text
    return len(files)


def main():
    disassembler, wanted = sys.argv[1], set(sys.argv[2:])
    neutralise()
    _compile.dev_features_enabled = lambda: True
    for old in HERE.glob("*-13.[0-9].*") if not wanted else ():
        old.unlink()
    seen, kernels, files, failed = {}, set(), 0, 0
    for source in sorted(HERE.glob("*.py")):
        if "\nEXPORTS = " not in source.read_text():
            continue
        module = load_module(source, ROOT)
        for number, (name, row) in enumerate(module["EXPORTS"].items()):
            if name in seen:
                sys.exit(f"{name} is in {seen[name]} and in {source.name}")
            seen[name] = source.name
            kernel = source.name, row[0]._pyfunc.__name__, str(row[2:])
            every = kernel not in kernels
            kernels.add(kernel)
            if wanted and name not in wanted and source.stem not in wanted:
                continue
            try:
                count = export_row(disassembler, name, row, module.get("VERSIONS", VERSIONS), every, number % 4 == 0)
            except (ct.TileError, TypeError, ValueError) as error:
                print(f"{source.name} {name}: {str(error)[:1500]}")
                count = 0
            files += count
            failed += not count
    print(f"{len(kernels)} kernels, {len(seen)} rows, {files} files written, {failed} failures")
    sys.exit(failed != 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
