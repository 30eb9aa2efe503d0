# SPDX-License-Identifier: Apache-2.0
# Gives the public cuTile kernels of a checkout of NVIDIA/cutile-python to fpdiff: what the tower says of them.
"""python tower.py FPDIFF CHECKOUT [NAME...]     (needs what samples.py needs)

Each row of table.py becomes a case whose variants are its tile sizes, and those of the rows that it is like; where there is one variant
only it is compared with itself, so that what is unspecified and what races is looked for all the same. Prints the verdict of each case and
how many elements are not simply equal. Exit status 1 if a case is not as it should be. KEEP=DIR keeps the cases there."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from launch import Arguments, array_of, bytecode
from samples import run_row
from table import ROWS

TYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
    "float8_e8m0fnu": "f8e8m0fnu", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "i8", "bool": "i1",
}  # fmt: skip


class Refused(Exception):
    """A launch that a case file cannot say."""


class Recorder:
    """Stands for a Device: launches are noted, with what their arrays hold before the first of them."""

    def __init__(self):
        self.launches, self.arrays = [], {}

    def launch(self, stream, grid, kernel, values, **ignored):
        if any(isinstance(v, list) for v in values):
            raise Refused("a list of arrays")
        values = [v if array_of(v) is None else np.ascontiguousarray(v) for v in values]
        arguments = Arguments(kernel, values)
        for value in values:
            if array_of(value):
                self.arrays.setdefault(value.ctypes.data, value)
        self.launches.append((bytecode(kernel, arguments.constraints), tuple(grid), list(zip(arguments.types, arguments.words))))


def scalar(dtype, word):
    """A word as an argument of a case file."""
    bits = int(dtype[1:])
    if dtype[0] == "f":
        return f"{dtype} {np.frombuffer(word.to_bytes(4, 'little'), np.float32)[0]!s}"
    return f"{dtype} {word - 2**bits if bits > 1 and word >> (bits - 1) else word}"


class Case:
    def __init__(self, folder):
        self.folder, self.buffers, self.variants, self.compared = folder, {}, {}, None

    def buffer(self, name, array):
        if name in self.buffers:
            return
        (self.folder / f"{name}.bin").write_bytes(array.tobytes())
        shape = list(array.shape) or [1]
        self.buffers[name] = f"{{type: {TYPES[array.dtype.name]}, shape: {shape}, fill: {{file: {name}.bin}}}}"

    def add(self, name, recorder, results):
        """A variant: buffers are its own but for the results, which are the ones that are compared."""
        names = {result.ctypes.data: f"R{i}" for i, (result, _) in enumerate(results)}
        for address, array in recorder.arrays.items():
            names.setdefault(address, f"{name}_{len(names)}")
            self.buffer(names[address], array)
        mine = [n for n in names.values() if re.fullmatch(r"R\d+", n) and n in self.buffers]
        self.compared = mine if self.compared is None else [n for n in self.compared if n in mine]  # which all variants have
        lines = []
        for number, (code, grid, arguments) in enumerate(recorder.launches):
            module = f"{name}_{number}.tileirbc"
            (self.folder / module).write_bytes(code)
            texts = [f"{names[word]}.ptr" if dtype == "pointer" else scalar(dtype, word) for dtype, word in arguments]
            lines.append(f"    - {{module: {module}, grid: {list(grid)}, args: [{', '.join(texts)}]}}\n")
        self.variants[name] = "".join(lines)

    def write(self, allowed):
        text = "buffers:\n" + "".join(f"  {name}: {value}\n" for name, value in self.buffers.items())
        text += "variants:\n" + "".join(f"  {name}:\n{lines}" for name, lines in self.variants.items())
        text += f"compare: [{', '.join(self.compared)}]\nprofile: tower\n"
        if allowed:
            text += f"allow: [{', '.join(allowed)}]\n"
        path = self.folder / "case.yaml"
        path.write_text(text)
        return path


def make_case(folder, root, row):
    case = Case(folder)
    runs = [(row, tile) for tile in row.tiles] + [(other, other.tiles[0]) for other in ROWS if other.name == row.like != row.name]
    if len(runs) == 1:
        runs *= 2
    for number, (of, tile) in enumerate(runs):
        recorder = Recorder()
        case.add(f"v{number}", recorder, run_row(recorder, root, of, tile))
    return case.write(row.allow)


def run_case(fpdiff, path):
    done = subprocess.run([fpdiff, "--json", "-", path], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["cases"][0], done.stderr
    except (ValueError, KeyError, IndexError):
        return None, done.stderr


def summary(report):
    """Verdicts of the pairs, and the elements that are not simply equal."""
    verdicts = {pair["verdict"] for pair in report["pairs"] if pair["mode"] == "fpsan"}
    elements = {}
    for pair in report["pairs"]:
        for buffer in pair["buffers"]:
            for name, found in buffer.get("verdicts", {}).items():
                if name != "equal":
                    elements[name] = elements.get(name, 0) + found["count"]
    return ", ".join(sorted(verdicts)), ", ".join(f"{count} {name}" for name, count in sorted(elements.items()))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    fpdiff, root, wanted = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    rows = [row for row in ROWS if not wanted or any(word in row.name for word in wanted)]
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for row in rows:
            folder = Path(os.environ.get("KEEP", temporary)) / re.sub(r"\W+", "_", row.name)
            folder.mkdir(parents=True, exist_ok=True)
            try:
                report, errors = run_case(fpdiff, make_case(folder, root, row))
            except Refused as why:
                print(f"{row.name:40}refused: {why}", flush=True)
                continue
            if not report or "pairs" not in report:
                failed += 1
                print(f"{row.name:40}failed: {errors.strip()[:400]}", flush=True)
                continue
            failed += report["status"] != 0
            verdict, elements = summary(report)
            print(f"{row.name:40}{report['result']:8}{verdict:12}{elements}", flush=True)
    print(f"{len(rows)} kernels, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
