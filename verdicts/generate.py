# SPDX-License-Identifier: Apache-2.0
# Writes the bytecode, the case files and the inputs of the corpus from the tables in FAMILY/FAMILY.py.
"""python verdicts/generate.py [--truth] [FAMILY...]     (needs cuda-tile==1.7.0 and numpy, no GPU; verdicts/generate.sh
provides both)

For each family: NAME.tileirbc for each kernel, PAIR.yaml for each pair, PAIR.MUTANT.tileirbc and PAIR.MUTANT.yaml for
each mutant; files of these kinds that no row asks for any more are removed. The same sources give the same bytes.

truth.json says for each mutant where its bug is: {"kernel": [LINES]} of FAMILY.py as the mutant has it, or {"launch":
[LINES]}, from 1 on in the variant's list of launches. --truth writes that alone. `make explain` measures against it.
findings.json, of families that have such pairs, says what is expected of each; `make verdicts` measures against it."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]
import cuda.tile as ct  # noqa: E402
import numpy as np  # noqa: E402
import export as machinery  # noqa: E402  (examples/export.py)
from cuda.tile.compilation import CallingConvention, KernelSignature, ScalarConstraint, export_kernel  # noqa: E402
from writing import (  # noqa: E402
    case_yaml,
    changed_lines,
    edit_function,
    launches_yaml,
    plain,
    replace_once,
    rows_json,
)


def run_family(text, neutral):
    """The names of a family file of this text, as if it lay below /src."""
    machinery.register_source(text, neutral)
    names = {"__name__": Path(neutral).stem, "__file__": neutral}
    exec(compile(text, neutral, "exec"), names)
    return names


def write_kernel(kernel, parameters, version, path, what):
    constraints = [ScalarConstraint(p) if isinstance(p, ct.DType) else p for p in parameters]
    signature = KernelSignature(constraints, CallingConvention.cutile_python_v1())
    try:
        export_kernel(
            kernel, [signature], path, gpu_code=machinery.GPU, output_format="tileir_bytecode", bytecode_version=version
        )
    except ct.TileError as error:
        sys.exit(f"{what}: {error}")


def finding_json(pair, kernels, text, what):
    """What is expected of a pair, with the line of the text in place of that."""
    finding = dict(pair.finding)
    if finding.get("less_accurate", pair.names[1]) != pair.names[1]:
        sys.exit(f"{what}: {finding['less_accurate']} is not the variant")
    if "range" in finding:
        place = dict(finding["range"])
        kernel, part = place.pop("kernel"), place.pop("text")
        if kernel not in {launch[0] for launch in pair.variant}:
            sys.exit(f"{what}: the variant does not launch {kernel}")
        function = kernels[kernel][0]._pyfunc.__name__
        edited = edit_function(text, function, [(part, part + "@")], what)  # the text occurs once
        finding["range"] = {"variant": pair.names[1], **place, "line": changed_lines(text, edited)[0]}
    return finding


def generate(family, only_truth):
    folder = HERE / family
    path = folder / (family + ".py")
    text, neutral = path.read_text(), f"/src/verdicts/{family}/{family}.py"
    names = run_family(text, neutral)
    kernels, version = names["KERNELS"], names.get("VERSION", machinery.VERSION)
    texts, edited, used = {}, {}, set()  # case files by name; edited sources by mutant
    truths, findings = {}, {}  # by mutant, by pair

    def add_case(stem, *case):
        if stem in texts:
            sys.exit(f"{family}: {stem} is there twice")
        texts[stem] = case_yaml(*case)

    for pair in names["PAIRS"]:
        used |= {launch[0] for launch in pair.reference + pair.variant}
        add_case(pair.name, pair, plain(pair.title), pair.names, launches_yaml(pair.variant), "equal")
        for mutant in pair.mutants:
            stem = f"{pair.name}.{mutant.name}"
            what = f"{family}/{stem}"
            if mutant.kernel is None:
                launches = launches_yaml(pair.variant)
                for old, new in mutant.edits:
                    launches = replace_once(launches, old, new, what)
                truths[stem] = {"launch": changed_lines(launches_yaml(pair.variant), launches)}
            else:
                if mutant.kernel not in {launch[0] for launch in pair.variant}:
                    sys.exit(f"{what}: the variant does not launch {mutant.kernel}")
                function = kernels[mutant.kernel][0]._pyfunc.__name__
                edited[stem] = mutant.kernel, edit_function(text, function, mutant.edits, what)
                launches = launches_yaml(pair.variant, (mutant.kernel, stem))
                truths[stem] = {"kernel": changed_lines(text, edited[stem][1])}
            title = plain(f"{pair.title}; mutant: {mutant.comment}")
            add_case(stem, pair, title, (pair.names[0], "mutant"), launches, mutant.expect)
        if pair.finding:
            findings[pair.name] = finding_json(pair, kernels, text, f"{family}/{pair.name}")
    if truths:
        (folder / "truth.json").write_text(rows_json(truths))
    if findings:
        (folder / "findings.json").write_text(rows_json(findings))
    if only_truth:
        return
    for kernel in kernels.keys() - used:
        sys.exit(f"{family}: no pair uses the kernel {kernel}")
    for name, (kernel, parameters) in kernels.items():
        write_kernel(kernel, parameters, version, folder / (name + ".tileirbc"), f"{family}/{name}")
    for stem, (kernel, source) in edited.items():
        parameters = run_family(source, neutral)["KERNELS"][kernel]
        write_kernel(*parameters, version, folder / (stem + ".tileirbc"), f"{family}/{stem}")
    for name, content in texts.items():
        (folder / (name + ".yaml")).write_text(content)
    for name, values in names.get("INPUTS", {}).items():
        (HERE / "inputs" / name).write_bytes(values.tobytes())
    written = {name + ".yaml" for name in texts} | {name + ".tileirbc" for name in kernels.keys() | edited.keys()}
    for stale in folder.iterdir():
        if stale.suffix in (".yaml", ".tileirbc") and stale.name not in written:
            stale.unlink()
    mutants = sum(len(pair.mutants) for pair in names["PAIRS"])
    print(f"{family}: {len(names['PAIRS'])} pairs, {mutants} mutants, {len(kernels)} kernels")


def write_inputs():
    """Inputs as kernels meet them at the edges: scores that ascend, descend, or hardly vary."""
    folder = HERE / "inputs"
    folder.mkdir(exist_ok=True)
    random = np.random.Generator(np.random.PCG64(4))

    def write(name, values, dtype):
        (folder / name).write_bytes(np.ascontiguousarray(values, dtype=dtype).tobytes())

    # Attention, [heads, 72, 16]: the keys drift along one direction, and each query has its own share of it.
    steps, width = 72, 16
    direction = random.standard_normal(width)
    direction /= np.linalg.norm(direction)
    drift = np.linspace(-2, 2, steps)[:, None] * direction
    keys = 0.5 * random.standard_normal((2, steps, width)) + drift
    share = np.array([0.0, -2.0, -4.0, 1.0, -1.0, 2.0, 3.0, 4.0])[np.arange(steps) % 8][:, None]
    queries = 0.7 * random.standard_normal((4, steps, width)) + share * direction
    queries[:, ::8] *= 0.01  # rows of nearly constant scores
    write("q.f16", queries, "<f2")
    write("k.f16", keys, "<f2")
    write("kt.f16", np.float16(keys).transpose(0, 2, 1), "<f2")
    write("pages.i32", [4, 0, 6, 1, 3], "<i4")  # where the pages of a sequence are
    # Rows of 100 numbers for softmax and norms: ascending, descending, nearly constant, shifted, and normal ones.
    rows = random.standard_normal((7, 100))
    rows[0] = np.linspace(-4, 4, 100) + 0.1 * rows[0]
    rows[1] = np.linspace(3, -3, 100) + 0.1 * rows[1]
    rows[2] = 0.75 + 0.001 * rows[2]
    rows[3] += 3
    for name, dtype in (("rows.f32", "<f4"), ("rows.f16", "<f2")):
        write(name, rows, dtype)

    def bfloat16(values):
        bits = np.float32(values).view(np.uint32)
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16

    write("rows.bf16", bfloat16(rows), "<u2")
    square = random.standard_normal((72, 72))
    write("square.bf16", bfloat16(square), "<u2")
    write("square_turned.bf16", bfloat16(square.T), "<u2")


if __name__ == "__main__":
    only_truth = sys.argv[1:2] == ["--truth"]
    machinery.neutralise()
    if not only_truth:
        write_inputs()
    families = sys.argv[1 + only_truth :] or sorted(p.parent.name for p in HERE.glob("*/*.py") if p.stem == p.parent.name)
    for family in families:
        generate(family, only_truth)
