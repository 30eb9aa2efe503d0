# SPDX-License-Identifier: Apache-2.0
"""What a check found: Report, its pairs, their elements as arrays of numpy."""

import html
import json
import math
import re
import urllib.parse
from pathlib import Path

from . import library
from .errors import UsageError, needs_packages

# What case files call a type: what numpy calls it, or ml_dtypes.
NUMPY = {
    "f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "i1": "bool",
}  # fmt: skip
ML_DTYPES = {
    "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0fnu": "float8_e8m0fnu",
    "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz", "f6e2m3fn": "float6_e2m3fn",
    "f6e3m2fn": "float6_e3m2fn", "f4e2m1fn": "float4_e2m1fn",
}  # fmt: skip
WIDE = {"bf16", "tf32"}  # of more than a byte, where ml_dtypes is not there
SUFFIXES = {".html": "html", ".md": "markdown", ".json": "json", ".xml": "junit", ".sarif": "sarif", ".txt": "output"}


def elements(array):
    """The elements of an Array of the library as an array of numpy. Of formats that numpy lacks: those of ml_dtypes, or
    their bits as unsigned integers where that is not installed."""
    with needs_packages():
        import numpy

    data = numpy.frombuffer(array.data, numpy.uint8)
    if array.kind != "numbers":
        return data.reshape(array.shape)
    if array.type == "f4e2m1fn":  # two in a byte, the first in the low half
        data = numpy.stack([data & 15, data >> 4], -1).reshape(-1)
    count = math.prod(array.shape)
    bits = {len(data) // max(count, 1): f"uint{8 * (len(data) // max(count, 1))}"} if count else {}
    name = NUMPY.get(array.type)
    if name is None:
        try:
            import ml_dtypes

            name = getattr(ml_dtypes, ML_DTYPES[array.type])
        except (ImportError, AttributeError, KeyError):
            name = next(iter(bits.values()), "uint16" if array.type in WIDE else "uint8")
    size = numpy.dtype(name).itemsize
    return data[: count * size].view(name).reshape(array.shape)


def verdicts():
    """The names of the verdicts of elements, by number."""
    return library.verdict_names()


MARKDOWN = re.compile(r"[&<>|`*_\[\]\\~#@!]")  # what the report in Markdown writes as numbers


def spellings(folder):
    """What a folder, with the / behind it, is written as in the forms of a report; the longest first."""
    path = f"{folder}/"
    escaped = json.dumps(path, ensure_ascii=False)[1:-1]
    found = {
        path,
        escaped,
        escaped.replace("<", "\\u003c"),  # in pages
        "file://" + urllib.parse.quote(path, safe="/-._~"),
        MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", path),
        html.escape(path),
        html.escape(path).replace("&#x27;", "'"),
    }
    return sorted(found, key=len, reverse=True)


class Buffer:
    """A compared buffer of a pair: `name`, `elements` (how many), `different` (how many of these), `first` (of those
    the first ones, as the report in JSON has them)."""

    def __init__(self, row):
        self.row = row
        self.name, self.elements = row["buffer"], row["elements"]
        self.different, self.first = row.get("different", 0), row.get("first", [])

    def __repr__(self):
        return f"<buffer {self.name}: {self.different} of {self.elements} elements different>"


class Pair:
    """The reference and a variant in a mode: `verdict` ("equal", "diverged", ...), `fails`, `buffers`; `missed`: of an
    equal pair in mode fpsan the chance that a difference was missed, as the report in JSON has it (`log2`, ...), else
    None; `notes`: what the report says of the pair, a list of dicts (`kind`, `message`, ...); `row`: all that the report
    in JSON says."""

    def __init__(self, report, case, row):
        self._report, self.case, self.row = report, case, row
        self.reference, self.variant, self.mode = row["reference"], row["variant"], row["mode"]
        self.build, self.verdict, self.fails = row.get("build"), row["verdict"], row["fails"]
        self.missed, self.notes = row.get("missed"), row.get("notes", [])
        self.buffers = [Buffer(buffer) for buffer in row["buffers"]]

    def __repr__(self):
        return f"<{self.reference} | {self.variant} {self.mode}: {self.verdict}>"

    def numbers(self, buffer=None):
        """What reference and variant left in a compared buffer (default: the first): two arrays."""
        find = self._report.numbers
        return tuple(find(name, buffer, self.mode, self.case, self.build) for name in (self.reference, self.variant))

    def verdicts(self, buffer=None):
        """Of profile tower: the verdict of each element, as a number that congruent.verdicts() names."""
        return self._report._find("verdicts", self.variant, buffer, self.mode, self.case, self.build)

    def agreement(self, buffer=None):
        """Payload agreement of each element: in how many fields the payloads agree, and how many fields both know: two
        arrays. Of profile triton-3.9, where payloads stand in place of numbers: 1 or 0, and 1."""
        if self._report.has("verdicts", self.variant, self.mode, self.case):
            fields = self._report._find("fields", self.variant, buffer, self.mode, self.case, self.build)
            return fields[..., 1], fields[..., 0]
        if self.mode == "ieee":
            raise UsageError("mode ieee has no payloads")
        with needs_packages():
            import numpy

        first, second = (numpy.ascontiguousarray(array) for array in self.numbers(buffer))
        bits = f"uint{8 * first.dtype.itemsize}"
        agree = (first.view(bits) == second.view(bits)).astype(numpy.uint8)
        return agree, numpy.ones_like(agree)


class Case:
    """A case that was compared: `file`, `parameters`, `result` ("ok", "FAILED", ...), `pairs`; `row`: all that the report
    in JSON says."""

    def __init__(self, report, index, row):
        self.index, self.row = index, row
        self.file, self.result, self.status = row["file"], row["result"], row["status"]
        self.parameters, self.title = row.get("parameters", {}), row.get("title")
        self.pairs = [Pair(report, self, pair) for pair in row.get("pairs", [])]

    def __repr__(self):
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"<{self.file}{' ' + values if values else ''}: {self.result}>"


class Report:
    """What a check found. True if all is as expected. print() shows what fpdiff prints; a notebook shows the page."""

    def __init__(self, result, folder=None):
        """folder: one of recordings that are not kept; texts leave it out."""
        self._result, self.status, self._folder = result, result.status, folder
        self.text, self.errors = result.text("output"), result.text("errors")
        self.text, self.errors = self.without_folder(self.text), self.without_folder(self.errors)
        self.notes = []  # what a check that passes does not cover
        self._arrays = None
        self._names = {}

    def without_folder(self, text):
        if text is None or self._folder is None:
            return text
        for spelling in spellings(self._folder):
            text = text.replace(spelling, "")
        return text

    @property
    def ok(self):
        return self.status == 0

    __bool__ = ok.fget

    def __str__(self):
        return self.text + "".join(f"note: {note}\n" for note in self.notes) + self.errors

    def __repr__(self):
        counts = {}
        for case in self.cases:
            counts[case.result] = counts.get(case.result, 0) + 1
        return f"<congruent report: {', '.join(f'{n} {what}' for what, n in counts.items()) or 'no case'}>"

    # ---- what it says
    @property
    def json(self):
        """The report as docs/fpdiff.md has it; None after wrong usage."""
        if not hasattr(self, "_json"):
            text = self.without_folder(self._result.text("json"))
            self._json = None if text is None else json.loads(text)
        return self._json

    @property
    def cases(self):
        """Each case, with each combination of its parameters."""
        if not hasattr(self, "_cases"):
            rows = self.json["cases"] if self.json else []
            self._cases = [Case(self, index, row) for index, row in enumerate(rows)]
        return self._cases

    @property
    def pairs(self):
        """The pairs of all cases."""
        return [pair for case in self.cases for pair in case.pairs]

    # ---- elements
    def arrays(self):
        """All that was kept of runs and pairs, as library.Array."""
        if self._arrays is None:
            self._arrays = list(self._result.arrays())
        return self._arrays

    def has(self, kind, variant, mode, case):
        index = case if isinstance(case, int) else case.index
        key = (kind, index, variant, mode)
        return any((a.kind, a.case_index, a.variant, a.mode) == key for a in self.arrays())

    def _find(self, kind, variant, buffer, mode, case, build=None):
        index = case if isinstance(case, int) else case.index
        for array in self.arrays():
            if (array.kind, array.case_index, array.variant) != (kind, index, variant):
                continue
            if mode in (None, array.mode) and buffer in (None, array.buffer) and build in (None, array.build):
                return elements(array)
        known = sorted({f"{a.variant}, {a.buffer}, {a.mode}" for a in self.arrays() if (a.kind, a.case_index) == (kind, index)})
        wanted = ", ".join([str(variant), *(str(part) for part in (buffer, mode) if part is not None)])
        raise UsageError(f"there are no {kind} of {wanted}; there are: {'; '.join(known) or 'none'}")

    def numbers(self, variant, buffer=None, mode=None, case=0, build=None):
        """What a variant left in a compared buffer, as an array of numpy. Default: the first buffer and mode. In mode
        fpsan of profile triton-3.9 these are payloads."""
        return self._find("numbers", variant, buffer, mode, case, build)

    # ---- other forms
    def to_html(self):
        """The report as a page."""
        return self._form("html")

    def to_markdown(self):
        return self._form("markdown")

    def _form(self, name):
        text = self.without_folder(self._result.text(name))
        if text is None:
            raise UsageError(f"there is no report to write: {self.errors.strip()}")
        return text

    def save(self, path):
        """Writes the report to a file: .html, .md, .json, .xml (JUnit), .sarif or .txt. Returns the path."""
        path = Path(path)
        if path.suffix not in SUFFIXES:
            raise UsageError(f"{path}: no form of report has this suffix, but these: {' '.join(SUFFIXES)}")
        path.write_text(self._form(SUFFIXES[path.suffix]), encoding="utf-8")
        return path

    def _repr_html_(self):
        """For notebooks: the page in a frame, so that its style stays its own."""
        if not self.json:
            return f"<pre>{html.escape(str(self))}</pre>"
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 40em; border: 1px solid #ccc"></iframe>'
