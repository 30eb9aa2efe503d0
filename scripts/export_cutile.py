#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Exports kernels of cuTile Python as Tile IR bytecode that fpdiff reads, with what is needed to write a case.
"""export_cutile.py FILE.py|FOLDER... [options]     (needs `pip install cuda-tile==1.7.0`, no GPU)

Without --kernel, every FILE.py, and every *.py of a FOLDER, that defines EXPORTS is exported:

    EXPORTS = {"matmul": (matmul, [array(ct.float16, 2), array(ct.float16, 2), array(ct.float32, 2), 64, 64, 32])}

The list describes the kernel's parameters in order: array(dtype, rank) for an array (`from export import array` gives
it), a dtype for a scalar, a Python number for a compile-time constant. A file that needs newer bytecode than --bytecode
says VERSION = "13.3". With --kernel a file needs no change:

    export_cutile.py swiglu.py --kernel 'swiglu(f32[1], f32[1], f32[1], 256)' --case

f32[1] is an array of rank 1, f32 a scalar, 256 a constant. NAME=KERNEL(...) gives the file another name.

Bytecode holds paths of sources. They become those below the root (--root; else the work tree of git around the file,
else its folder), with /src in front, so that the same sources give the same bytes everywhere, and reports of fpdiff
find the lines in any work tree."""

import argparse
import ast
import hashlib
import json
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

try:
    import cuda.tile as ct
    from cuda.tile.compilation import (
        ArrayConstraint,
        CallingConvention,
        KernelSignature,
        ScalarConstraint,
        export_kernel,
    )
except ImportError as missing:
    sys.exit(f"export_cutile.py: {missing}: needs 'pip install cuda-tile==1.7.0'")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from congruent_gpu.cutile_export import GPU, TYPES, array, find_root, neutral_paths, type_name  # noqa: E402

VERSION = "13.1"


class WrongInput(Exception):
    """What is wrong with the command line or a source, in one line."""


def is_source(path, root):
    """Whether a module belongs to the sources below the root, and not to an installed package there."""
    path = Path(path).resolve()
    installed = "site-packages" in path.parts or path.is_relative_to(Path(sys.prefix).resolve())
    return path.is_relative_to(root) and not installed and path != Path(__file__).resolve()


def load_module(path, root=None):
    """Runs a source file and returns its names."""
    root = root or find_root(path)
    if not path.is_relative_to(root):
        raise WrongInput(f"{path}: is not below the root, {root}")
    names = {"__name__": path.stem, "__file__": str(path)}
    sys.path.insert(0, str(path.parent))
    before = set(sys.modules)
    try:
        exec(compile(path.read_text(), str(path), "exec"), names)
    finally:
        sys.path.remove(str(path.parent))
        for name in set(sys.modules) - before:  # another folder may have modules of the same names
            file = getattr(sys.modules[name], "__file__", None)
            if file and is_source(file, root):
                del sys.modules[name]
    return names


# ---- what is exported


class Export:
    """A kernel, its parameters as EXPORTS has them, and the name of its file."""

    def __init__(self, name, kernel, parameters, path, bytecode):
        self.name, self.kernel, self.parameters, self.path, self.bytecode = name, kernel, parameters, path, bytecode
        function = kernel._pyfunc
        self.function, self.line = function.__name__, function.__code__.co_firstlineno
        self.names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
        if len(self.names) != len(parameters):
            raise WrongInput(
                f"{path}:{self.line}: kernel {self.function} has {len(self.names)} parameters "
                f"({', '.join(self.names)}), found {len(parameters)} for {name}"
            )

    def write(self, file, gpu, root):
        constraints = [ScalarConstraint(p) if isinstance(p, ct.DType) else p for p in self.parameters]
        signature = KernelSignature(constraints, CallingConvention.cutile_python_v1())
        try:
            with neutral_paths(root):
                export_kernel(
                    self.kernel,
                    [signature],
                    file,
                    gpu_code=gpu,
                    output_format="tileir_bytecode",
                    bytecode_version=self.bytecode,
                )
        except (ct.TileError, ValueError, TypeError) as error:
            raise WrongInput(f"{self.path}: {self.name}: {error}") from error


def read_dtype(word, where):
    if word not in TYPES or not hasattr(ct, TYPES[word]):
        raise WrongInput(f"{where}: unknown type '{word}', expected one of: {' '.join(TYPES)}")
    return getattr(ct, TYPES[word])


def read_parameter(word, where):
    """f32[2], f32 or a literal of Python."""
    match = re.fullmatch(r"(\w+)\[(\d)\]", word)
    if match:
        return array(read_dtype(match[1], where), int(match[2]))
    if re.fullmatch(r"[a-z]+\d\w*", word):
        return read_dtype(word, where)
    try:
        value = ast.literal_eval(word)
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, (bool, int, float)):
        raise WrongInput(f"{where}: parameter '{word}': expected TYPE[RANK], TYPE, or a number")
    return value


def read_kernel_option(text, module, path, bytecode):
    match = re.fullmatch(r"\s*(?:([\w.-]+)\s*=)?\s*(\w+)\s*\((.*)\)\s*", text, re.S)
    if not match:
        raise WrongInput(f"--kernel is '{text}', expected KERNEL(PARAMETERS) or NAME=KERNEL(PARAMETERS)")
    name, kernel = match[1] or match[2], module.get(match[2])
    if not isinstance(kernel, ct.kernel):
        kernels = [n for n, value in module.items() if isinstance(value, ct.kernel)]
        raise WrongInput(f"{path}: has no kernel '{match[2]}', its kernels are: {' '.join(kernels) or '(none)'}")
    words = [word.strip() for word in match[3].split(",") if word.strip()]
    return Export(name, kernel, [read_parameter(w, f"--kernel {name}") for w in words], path, bytecode)


def exports_of(path, root, options):
    try:
        module = load_module(path, root)
    except (SyntaxError, ImportError) as error:
        raise WrongInput(f"{path}: cannot be run: {error}") from error
    bytecode = options.bytecode or module.get("VERSION", VERSION)
    if options.kernel:
        return [read_kernel_option(text, module, path, bytecode) for text in options.kernel]
    if "EXPORTS" not in module:
        raise WrongInput(f"{path}: defines no EXPORTS, and there is no --kernel")
    return [Export(name, *row, path, bytecode) for name, row in module["EXPORTS"].items()]


# ---- what is written beside the bytecode


def describe(name, parameter):
    if isinstance(parameter, ArrayConstraint):
        return {"name": name, "kind": "array", "type": type_name(parameter.dtype), "rank": parameter.ndim}
    if isinstance(parameter, (ct.DType, ScalarConstraint)):
        return {"name": name, "kind": "scalar", "type": type_name(getattr(parameter, "dtype", parameter))}
    if isinstance(parameter, (bool, int, float)):
        return {"name": name, "kind": "constant", "value": parameter}
    return {"name": name, "kind": "other", "text": str(parameter)}


def written_parameters(export, text):
    """Parameters that the kernel's own source stores to."""
    function = next(
        (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == export.function), None
    )
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call)] if function else []
    found = {
        call.args[0].id
        for call in calls
        if call.args
        and isinstance(call.args[0], ast.Name)
        and re.match(r"(\w+\.)?(store|scatter|atomic_\w+)$", ast.unparse(call.func))
    }
    return [name for name in export.names if name in found]


def manifest_of(export, file, gpu, root):
    return {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "kernel": export.function,
        "source": export.path.relative_to(root).as_posix(),
        "line": export.line,
        "arguments": [describe(*pair) for pair in zip(export.names, export.parameters)],
        "versions": {
            "cuda-tile": version("cuda-tile"),
            "python": platform.python_version(),
            "bytecode": export.bytecode,
            "gpu": gpu,
        },
    }


def fill_of(type_word):
    if type_word[0] in "i":
        return "{integers: {low: 0, high: 1}}" if type_word == "i1" else "{integers: {low: -8, high: 8}}"
    return "{normal: {mean: 0, std: 1}}"


def sizes_of(parameter):
    """Of each dimension: what the export fixes, else a size that is no multiple of most tiles, if it may be none."""
    fixed = parameter.shape_constant or [None] * parameter.ndim
    divisor = parameter.shape_divisible_by
    divisors = [divisor] * parameter.ndim if isinstance(divisor, int) else list(divisor or [1] * parameter.ndim)
    return [size if size is not None else -(-100 // by) * by for size, by in zip(fixed, divisors)]


def case_text(export, manifest, written):
    versions = manifest["versions"]
    arrays = [(n, p) for n, p in zip(export.names, export.parameters) if isinstance(p, ArrayConstraint)]
    outputs = written or [name for name, _ in arrays]
    width = max((len(name) for name, _ in arrays), default=0) + 1
    lines = [
        f"# Skeleton for {manifest['source']}:{export.line}, kernel {export.function}, by export_cutile.py:",
        f"# cuda-tile {versions['cuda-tile']}, bytecode {versions['bytecode']} for {versions['gpu']}. Set what is",
        "# marked <-, and add the variant to compare with: with one variant the case is VACUOUS.",
        f"title: {export.name}",
        "buffers:",
    ]
    for name, parameter in arrays:
        word = type_name(parameter.dtype)
        fill = "" if name in written else f", fill: {fill_of(word)}"
        sizes = ", ".join(map(str, sizes_of(parameter)))
        lines.append(f"  {name + ':':{width}} {{type: {word}, shape: [{sizes}]{fill}}}  # <- sizes")
    arguments = []
    for name, parameter in zip(export.names, export.parameters):
        what = describe(name, parameter)
        if what["kind"] == "array":
            arguments.append(name)
        elif what["kind"] == "scalar":
            arguments.append(f"{what['type']} 1")
    scalars = any(isinstance(p, (ct.DType, ScalarConstraint)) for p in export.parameters)
    constants = [f"{n} = {p}" for n, p in zip(export.names, export.parameters) if isinstance(p, (bool, int, float))]
    grid = "# <- blocks in each dimension" + ("; values of scalars" if scalars else "")
    lines += [
        "variants:",
        f"  {export.name}:" + (f"  # {', '.join(constants)}" if constants else ""),
        f"    - {{module: {manifest['file']}, grid: [1, 1, 1], args: [{', '.join(arguments)}]}}  {grid}",
        "  # other:  # <- what it is to be equal to: the first variant is the reference",
        "  #   - {module: other.tileirbc, grid: [1, 1, 1], args: []}",
        f"compare: [{', '.join(outputs)}]",
        "tolerance: {ieee: {rtol: 1.0e-3, atol: 1.0e-4}}  # <-",
    ]
    return "\n".join(lines) + "\n"


def is_plain(export):
    """Names of buffers and variants of a case."""
    return all(re.fullmatch(r"[A-Za-z_][\w-]*", name) for name in [export.name, *export.names])


def write_export(export, root, options):
    folder = Path(options.output) if options.output else export.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    file, case = folder / f"{export.name}.tileirbc", folder / f"{export.name}.yaml"
    export.write(file, options.gpu, root)
    print(file)
    manifest = manifest_of(export, file, options.gpu, root)
    if options.case and not is_plain(export):
        raise WrongInput(f"{export.path}: {export.name}: a case cannot have a variant or buffer of such a name")
    if options.case and case.exists():
        print(f"{case}: exists and is left as it is", file=sys.stderr)
    elif options.case:
        case.write_text(case_text(export, manifest, written_parameters(export, export.path.read_text())))
        print(case)
    return manifest


def find_sources(arguments):
    for argument in arguments:
        path = Path(argument).resolve()
        if path.is_dir():
            found = [p for p in sorted(path.glob("*.py")) if "\nEXPORTS = " in p.read_text()]
            if not found:
                raise WrongInput(f"{argument}: no *.py of it defines EXPORTS")
            yield from found
        elif path.is_file():
            yield path
        else:
            raise WrongInput(f"{argument}: no such file or folder")


def read_command_line(words):
    parser = argparse.ArgumentParser(
        prog="export_cutile.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", metavar="FILE.py|FOLDER")
    parser.add_argument("-k", "--kernel", action="append", help="a kernel and its parameters; may be repeated")
    parser.add_argument("-o", "--output", metavar="DIR", help="where files go; default: beside the source")
    parser.add_argument("--case", action="store_true", help="also write NAME.yaml, the skeleton of a case")
    parser.add_argument("--manifest", metavar="FILE", help="write arguments and versions of all exports as JSON")
    parser.add_argument("--root", metavar="DIR", help="what paths of sources in the bytecode are relative to")
    parser.add_argument("--bytecode", metavar="VERSION", help=f"13.1 to 13.4; default: the file's VERSION, or {VERSION}")
    parser.add_argument("--gpu", default=GPU, help=f"what cuTile compiles for; default: {GPU}")
    options = parser.parse_args(words)
    if options.kernel and len(options.sources) != 1:
        parser.error("--kernel takes one source")
    return options


def main(words):
    options = read_command_line(words)
    sys.modules["export"] = sys.modules[__name__]  # what a kernel file means by `from export import array`
    manifests = []
    try:
        for path in find_sources(options.sources):
            root = Path(options.root).resolve() if options.root else find_root(path)
            manifests += [write_export(export, root, options) for export in exports_of(path, root, options)]
        if options.manifest:
            Path(options.manifest).write_text(json.dumps({"exports": manifests}, indent=2) + "\n")
    except (WrongInput, OSError) as error:
        print(f"export_cutile.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
