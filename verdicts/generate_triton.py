# SPDX-License-Identifier: Apache-2.0
# Writes the TTIR and the case files of verdicts/triton from the tables in triton/*.py.
"""python verdicts/generate_triton.py [--truth]     (needs triton==3.9.0, no GPU; verdicts/generate_triton.sh provides it)

Each file has KERNELS and PAIRS as those of cuTile have (corpus.py). A kernel is a row

    "softmax": jit(softmax, "*fp32 *fp32 i32", TILE=128)

a function of Triton, the types of its parameters that are no constants, as Triton writes them (`i32:16`: divisible by
16, as pointers always are), and its constants. A launch of `../FAMILY/NAME.tileirbc` runs a kernel of cuTile. A mutant
of a function that a kernel calls is `mutant(name, "kernel:function", ...)`. Names of pairs and kernels are unique over
all files. truth.json is as generate.py says, and names the file."""

import linecache
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
from congruent_gpu import export  # noqa: E402
from writing import (  # noqa: E402
    case_yaml,
    changed_lines,
    edit_function,
    launches_yaml,
    plain,
    replace_once,
    rows_json,
)

FAMILY, SUFFIX = "triton", ".ttir"
BY = "generate_triton.py"


def run_source(text, neutral):
    """The names of a source of this text, as if it lay below /src."""
    linecache.cache[neutral] = (len(text), None, text.splitlines(keepends=True), neutral)
    names = {"__name__": Path(neutral).stem, "__file__": neutral}
    exec(compile(text, neutral, "exec"), names)
    return names


def ttir(kernel):
    return export.ttir(kernel.function, kernel.types, kernel.constants, neutral=neutral_locations)


def neutral_locations(text):
    return re.sub(r'loc\("[^"]*/(triton/language/[^"]*)"', r'loc("\1"', text)


class Writer:
    """The folder's files: all are collected first, then written, and what no row asks for is removed."""

    def __init__(self, folder):
        self.folder, self.files, self.truths = folder, {}, {}
        self.counts = {"pairs": 0, "mutants": 0, "kernels": 0}

    def add(self, name, content):
        if name in self.files:
            sys.exit(f"{name} is there twice")
        self.files[name] = content

    def source(self, path, only_truth):
        text, neutral = path.read_text(), f"/src/verdicts/triton/{path.name}"
        names = run_source(text, neutral)
        kernels, used = names["KERNELS"], set()
        for pair in names["PAIRS"]:
            used |= {launch[0] for launch in pair.reference + pair.variant}
            launches = launches_yaml(pair.variant, suffix=SUFFIX)
            self.add_case(pair.name, pair, plain(pair.title), pair.names, launches, "equal")
            self.counts["pairs"] += 1
            for mutant in pair.mutants:
                self.mutant(pair, mutant, kernels, text, neutral, path.name, only_truth)
        unused = kernels.keys() - used
        if unused:
            sys.exit(f"{path.name}: no pair uses {', '.join(sorted(unused))}")
        if not only_truth:
            for name, kernel in kernels.items():
                self.add(name + SUFFIX, ttir(kernel))
        self.counts["kernels"] += len(kernels)

    def add_case(self, stem, *case):
        self.add(stem + ".yaml", case_yaml(*case, suffix=SUFFIX, by=BY))

    def mutant(self, pair, mutant, kernels, text, neutral, file, only_truth):
        stem = f"{pair.name}.{mutant.name}"
        self.counts["mutants"] += 1
        if mutant.kernel is None:
            plain_launches = launches = launches_yaml(pair.variant, suffix=SUFFIX)
            for old, new in mutant.edits:
                launches = replace_once(launches, old, new, stem)
            self.truths[stem] = {"launch": changed_lines(plain_launches, launches)}
        else:
            kernel, _, function = mutant.kernel.partition(":")
            if kernel not in {launch[0] for launch in pair.variant}:
                sys.exit(f"{stem}: the variant does not launch {kernel}")
            edited = edit_function(text, function or kernels[kernel].function.__name__, mutant.edits, stem)
            launches = launches_yaml(pair.variant, (kernel, stem), SUFFIX)
            self.truths[stem] = {"kernel": changed_lines(text, edited), "file": file}
            if not only_truth:
                self.add(stem + SUFFIX, ttir(run_source(edited, neutral)["KERNELS"][kernel]))
        title = plain(f"{pair.title}; mutant: {mutant.comment}")
        self.add_case(stem, pair, title, (pair.names[0], "mutant"), launches, mutant.expect)

    def write(self, only_truth):
        (self.folder / "truth.json").write_text(rows_json(self.truths))
        if only_truth:
            return
        for name, content in self.files.items():
            (self.folder / name).write_text(content)
        for stale in self.folder.iterdir():
            if stale.suffix in (".yaml", SUFFIX) and stale.name not in self.files:
                stale.unlink()
        print(f"{FAMILY}: " + ", ".join(f"{count} {what}" for what, count in self.counts.items()))


if __name__ == "__main__":
    only_truth = sys.argv[1:2] == ["--truth"]
    writer = Writer(HERE / FAMILY)
    for path in sorted((HERE / FAMILY).glob("*.py")):
        writer.source(path, only_truth)
    writer.write(only_truth)
