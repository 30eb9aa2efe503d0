# SPDX-License-Identifier: Apache-2.0
# The table of docs/tilegym.md: `python tests/tilegym/table.py` writes it there, test_tilegym.py compares.
import importlib
import sys
from pathlib import Path

import rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tilegym.md"
FAMILIES = "ops", "attention", "states", "flashinfer", "liger", "unsloth"
BEGIN, END = "| operator | here |\n|---|---|\n", "\n\n"


def load_rows():
    for family in FAMILIES:
        importlib.import_module(f"rows_{family}")


def cell(name):
    if name in rows.REFUSED:
        return f"refused: {rows.REFUSED[name]}"
    _, tolerance, note = rows.ROWS[name]
    found = "right" if tolerance is None else f"right within rtol {tolerance[0]:g}, atol {tolerance[1]:g}"
    return f"{found}: {note}" if note else found


def table(operators):
    return BEGIN + "\n".join(f"| `{name}` | {cell(name)} |" for name in operators)


def in_page(text):
    begin = text.index(BEGIN)
    return text[begin : text.index(END, begin + len(BEGIN) - 1)]


if __name__ == "__main__":
    load_rows()
    page = PAGE.read_text()
    page = page.replace(in_page(page), table(sorted({*rows.ROWS, *rows.REFUSED})))
    PAGE.write_text(page)
    sys.exit(0)
