# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share: running fpdiff, cases, reading pages and maps."""
import base64
import html.parser
import json
import math
import os
import struct
import subprocess
import zlib

NASTY = "</script><script>document.title='broken'</script><!-- <b>\"'&amp; \u202e\u2028 {{"


class Tools:
    def __init__(self, fpdiff, root, folder):
        self.fpdiff, self.root, self.folder = os.path.abspath(fpdiff), os.path.abspath(root), folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words, expect=None):
        # Compiled fast: what is computed does not depend on how well.
        level = [] if "merge" in words or "-O" in words else ["-O", "0"]
        first = [words[0]] if words[0] in ("run", "merge") else []
        words = [*first, "--quiet", *level, *words[len(first):]]
        done = subprocess.run([self.fpdiff, *words], capture_output=True, text=True, cwd=self.folder)
        if expect is not None:
            assert done.returncode == expect, (words, done.returncode, done.stderr)
        return done

    def case(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def inaccurate(self, name, more=""):
        """x, and x + 4096 - 4096: equal as formulas, and the errors of the second are known exactly."""
        kernels = os.path.join(self.root, "tests", "diff", "accuracy.mlir")
        return self.case(name, f"""buffers:
  X: {{type: f32, shape: [256], fill: {{uniform: {{low: 1, high: 3}}}}}}
  Y: {{type: f32, shape: [256]}}
variants:
  a: [{{module: {kernels}, kernel: copy, grid: [1], args: [X, Y]}}]
  b: [{{module: {kernels}, kernel: shifted, grid: [1], args: [X, Y]}}]
compare: [Y]
{more}""")

    def gelu(self, name, rows, columns, title, blocks=None):
        """A matrix product, a bias and GELU in two kernels and in one, of which `blocks` fewer along the columns run."""
        folder = os.path.join(self.root, "examples", "gelu")
        return self.case(name, f"""title: {json.dumps(title)}
buffers:
  X: {{type: f16, shape: [{rows}, 64], fill: {{normal: {{mean: 0, std: 1}}}}}}
  W: {{type: f16, shape: [64, {columns}], fill: {{normal: {{mean: 0, std: 0.07}}}}}}
  B: {{type: f32, shape: [{columns}], fill: {{uniform: {{low: -0.5, high: 0.5}}}}}}
  H: {{type: f32, shape: [{rows}, {columns}]}}
  Y: {{type: f16, shape: [{rows}, {columns}], fill: zeros}}
variants:
  two:
    - {{module: {folder}/matmul.tileirbc, grid: [{rows // 64}, {columns // 64}], args: [X, W, H]}}
    - {{module: {folder}/bias_gelu.tileirbc, grid: [{rows // 32}, {columns // 128}], args: [H, B, Y]}}
  one:
    - {{module: {folder}/linear_gelu.tileirbc, grid: [{rows // 64}, {columns // 64 - (blocks or 0)}], args: [X, W, B, Y]}}
compare: [Y]
tolerance: {{ieee: {{rtol: 1.0e-2, atol: 1.0e-3}}}}
""")


class Page(html.parser.HTMLParser):
    """Elements of a page by name, with their attributes and text; what they would fetch."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.fetched, self.data = [], [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    VOID = {"meta", "input", "br", "link", "img"}

    def handle_starttag(self, name, attributes):
        element = {"name": name, "text": "", **{key: value for key, value in attributes}}
        self.elements.append(element)
        self.fetched += [value for key, value in attributes if key in ("src", "href", "action", "srcset", "data")]
        if name not in self.VOID:
            self.open.append(element)

    def handle_endtag(self, name):
        assert self.open and self.open[-1]["name"] == name, (name, [e["name"] for e in self.open])
        element = self.open.pop()
        if element.get("type") == "application/json":
            self.data[element["id"]] = json.loads(element["text"])

    def handle_data(self, text):
        for element in self.open:
            element["text"] += text

    def all(self, name, **attributes):
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        return [e for e in self.elements if e["name"] == name and all(e.get(k) == v for k, v in wanted.items())]


def read_page(path):
    with open(path, encoding="utf-8", newline="") as file:
        return Page(file.read())


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def plane(case, number):
    return zlib.decompress(base64.b64decode(case["planes"][number], validate=True))


class Map:
    """A map as docs/fpdiff.md describes it, read without any code of the page."""

    def __init__(self, case, buffer):
        self.map = buffer["map"]
        self.shape, self.bin = self.map["shape"], self.map["bin"]
        self.count = [-(-size // step) for size, step in zip(self.shape, self.bin)]
        cells, kept = self.map["cells"], self.map["kept"]
        self.cells = 1
        for count in self.count:
            self.cells *= count
        self.rank = plane(case, cells["class"])
        self.level = plane(case, cells["ulps"]) if "ulps" in cells else None
        wrong = plane(case, cells["wrong"])
        self.wrong = [sum(wrong[k * self.cells + i] << 8 * k for k in range(4)) for i in range(self.cells)]
        self.stored = [plane(case, number) for number in cells["stored"]]
        self.fields = plane(case, cells["fields"])
        self.errors = [plane(case, number) for number in cells["errors"]] if "errors" in cells else None
        self.kept_count = kept["count"]
        self.kept_errors = [self.read_errors(plane(case, number)) for number in kept.get("errors", [])]
        self.index = self.read_index(plane(case, kept["index"])) if "index" in kept else list(range(kept["count"]))
        self.reference = self.read_bits(plane(case, kept["reference"]))
        delta = self.read_bits(plane(case, kept["variant"]))
        mask = (1 << self.map["bits"]) - 1
        self.variant = [(a + d) & mask for a, d in zip(self.reference, delta)]

    def read_index(self, data):
        indices, at, index = [], 0, 0
        for _ in range(self.kept_count):
            shift = step = 0
            while True:
                byte = data[at]
                at += 1
                step |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            index += step
            indices.append(index)
        assert at == len(data)
        return indices

    def read_errors(self, data):
        assert len(data) == 2 * self.kept_count
        codes = [low | high << 8 for low, high in zip(data[:self.kept_count], data[self.kept_count:])]
        return [{0xff00: math.inf, 0xff01: math.nan}.get(code, struct.unpack("<f", struct.pack("<I", code << 15))[0])
                for code in codes]

    def read_bits(self, data):
        width, count = max(1, self.map["bits"] // 8), self.kept_count
        assert len(data) == width * count
        return [sum(data[k * count + i] << 8 * k for k in range(width)) for i in range(count)]

    def cell_of(self, linear):
        place = []
        for size in reversed(self.shape):
            place.append(linear % size)
            linear //= size
        cell = 0
        for at, step, count in zip(reversed(place), self.bin, self.count):
            cell = cell * count + at // step
        return cell

    def class_of(self, rank):
        return self.map["classes"][rank]


def level_of_f16(a, b):
    """0: equal; else 1 + log2 of the units in the last place; of finite numbers."""
    def number(bits):
        return -(bits & 0x7fff) if bits & 0x8000 else bits
    apart = abs(number(a) - number(b))
    return apart.bit_length()


def error_level(error):
    """0: none; 1: at most half a unit; n: at most 2^(n - 2)."""
    return 0 if error == 0 else max(1, math.ceil(math.log2(error)) + 2)


def read_f16(path):
    with open(path, "rb") as file:
        data = file.read()
    return struct.unpack("<%dH" % (len(data) // 2), data)
