# SPDX-License-Identifier: Apache-2.0
# fpdiff explain names the same lines and edits when files and kernels have other names and all lines are shifted.
"""python explain_renamed.py FPDIFF TILEIRAS CASE.yaml"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHIFT = 1000


def suspects(program, case):
    command = [program, "explain", "--json", "-", "--seconds", "120", case]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    (pair,) = report["cases"][0]["explained"]
    return [(s["line"], s["edit"]) for s in pair["suspects"] if s["proven"]]


def rename(tileiras, module, number, folder):
    """The module as text: another file name, lines shifted, another kernel name. Returns its path."""
    text = subprocess.run(
        [tileiras, "--lineinfo", "--emit=tileir", module], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    text = re.sub(r'loc\("[^"]*":(\d+):(\d+)', lambda m: f'loc("/src/elsewhere.py":{int(m[1]) + SHIFT}:{m[2]}', text)
    text = re.sub(r"\w+(_Kt1_\w+)", rf"kernel{number}\1", text)
    path = folder / f"m{number}.mlir"
    path.write_text(text)
    return path


def main():
    fpdiff, tileiras, case = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    text = re.sub(r"(?m)^title:.*\n", "", case.read_text()).replace("../inputs/", f"{case.resolve().parent.parent}/inputs/")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, module in enumerate(sorted(set(re.findall(r"module: ([^,]+),", text)))):
            renamed = rename(tileiras, case.parent / module, number, folder)
            text = text.replace(f"module: {module},", f"module: {renamed.name},")
        other = folder / "case.yaml"
        other.write_text(text)
        before, after = suspects(fpdiff, case), suspects(fpdiff, other)
    shifted = lambda words: re.sub(r"line (\d+)", lambda m: f"line {int(m[1]) + SHIFT}", words)  # noqa: E731
    expected = [(line + SHIFT, shifted(edit)) for line, edit in before]
    if not before or after != expected:
        sys.exit(f"expected {expected}\nfound {after}")


if __name__ == "__main__":
    main()
