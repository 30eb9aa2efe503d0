# SPDX-License-Identifier: Apache-2.0
# Writes the bytecode of the public cuTile kernels of a checkout of NVIDIA/cutile-python, without running them.
"""python export.py CHECKOUT FOLDER     (needs what samples.py needs)

FOLDER gets KERNEL-N.tileirbc for each specialisation that the rows of table.py launch. `make bench CUTILE_SRC=CHECKOUT` times compiling
them."""

import re
import sys
from pathlib import Path

import ml_dtypes  # noqa: F401  (numpy learns its dtypes)
from launch import Arguments, bytecode
from samples import run_row
from table import ROWS


class Exporter:
    """Stands for a Device: launches are written down."""

    def __init__(self, folder):
        self.folder, self.written, self.row = folder, {}, None

    def launch(self, stream, grid, kernel, values, **ignored):
        code = bytecode(kernel, Arguments(kernel, values).constraints)
        if code not in self.written:
            name = re.sub(r"\W+", "_", self.row.name)
            self.written[code] = name
            number = sum(other == name for other in self.written.values())
            (self.folder / f"{name}-{number}.tileirbc").write_bytes(code)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.tileirbc"):
        old.unlink()
    exporter = Exporter(folder)
    for row in ROWS:
        exporter.row = row
        for tile in row.tiles:
            run_row(exporter, root, row, tile)
    print(f"{len(exporter.written)} kernels of {len(ROWS)} rows")


if __name__ == "__main__":
    main()
