# SPDX-License-Identifier: Apache-2.0
"""A recording in a folder: case.yaml, the modules, data/ with the contents of buffers, and recording.json, from which a
second recording into the folder makes another variant of the same case.

Two recordings share a buffer where they mean the same one: by `--same`, by equal contents, or, for results, by name, or
because there is only one that fits. A buffer that only one variant has stays its own."""

import contextlib
import copy
import json
import math
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

from .errors import UsageError
from .memory import SIZES, contents, digest, row_major, unwritten

NAME = re.compile(r"[A-Za-z_][\w-]{0,127}", re.ASCII)  # of variants and buffers
RECORDING, CASE, DATA = "recording.json", "case.yaml", "data"
VERSION = 1
# what .npy headers call a type; the others' files are raw bytes
NPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "|i1", "i1": "|b1"}


@dataclass(eq=False)
class Buffer:
    """A buffer of the case that is recorded. `initial`: its bytes before the first launch, None: nobody wrote them."""

    wanted: str  # the name that it should have
    type: str
    shape: tuple
    initial: bytes | None
    addresses: list | None = None  # in place of bytes: integers and Views
    written: bool = False
    result: bool = False  # written, and no later launch reads it
    name: str = ""
    # what launches stored, by element: at all, and what no launch has read since
    stored: object = None
    pending: object = None
    was_read: bool = False
    reads_initial: bool = False  # some launch read it before all of it was stored
    version: int = 0  # how many launches wrote it
    writer: object = None  # the last of them, of stores.Writer
    left: int = 0  # elements that keep what was there
    constant: bool = False  # all elements are the same in the end

    def needs_initial(self):
        """Whether what it begins with may be in results."""
        return not self.written or self.reads_initial or self.stored is None or not self.stored.all()

    def elements(self):
        return math.prod(self.shape)


@dataclass
class View:
    """An array as an argument: where in a buffer it is."""

    buffer: Buffer
    offset: int  # elements of `type`
    shape: tuple
    strides: tuple
    type: str
    padding: str = "zero"  # what lies outside, of a descriptor

    def text(self):
        """As YAML."""
        name = self.buffer.name
        same = self.type == self.buffer.type and self.offset == 0
        plain = tuple(self.strides) == row_major(self.shape)  # also where a size is 1: kernels are compiled for strides
        if same and plain and self.shape == self.buffer.shape and self.padding == "zero":
            return name
        parts = [f"view: {name}"]
        if self.offset:
            parts.append(f"offset: {self.offset}")
        if not (same and plain and self.shape == self.buffer.shape):
            parts.append(f"shape: {numbers(self.shape)}")
        if not plain:
            parts.append(f"strides: {numbers(self.strides)}")
        if self.type != self.buffer.type:
            parts.append(f"type: {self.type}")
        if self.padding != "zero":
            parts.append(f"padding: {self.padding}")
        return "{" + ", ".join(parts) + "}"


@dataclass
class Launch:
    """One launch: the module (TTIR and TTGIR as text, Tile IR as bytes), the grid, and of each argument a View, a list of Views,
    or a text such as "i32 7"."""

    module: str | bytes
    kernel: str
    grid: tuple
    arguments: list
    file: str = ""  # the module's file, once it has one
    about: dict = None  # as Triton writes it beside the text: with what the kernel was made


@dataclass
class Variant:
    name: str
    launches: list = field(default_factory=list)
    buffers: list = field(default_factory=list)


def numbers(values):
    return f"[{', '.join(map(str, values))}]"


def argument(value):
    if isinstance(value, list):
        return f"[{', '.join(map(argument, value))}]"
    return value.text() if isinstance(value, View) else str(value)


def map_views(function, value):
    """An argument with each View in it replaced; what is no View stays."""
    if isinstance(value, list):
        return [map_views(function, item) for item in value]
    return function(value) if isinstance(value, View) else value


def module_bytes(module):
    return module if isinstance(module, bytes) else module.encode()


def module_suffix(module):
    if isinstance(module, bytes):
        return ".tileirbc"
    return ".ttgir" if '"ttg.num-warps" = ' in module else ".ttir"  # within texts of a kernel no quote is plain


def launch_yaml(module, grid, arguments):
    """A launch as an item of a variant's list, indented by four."""
    return f"    - module: {module}\n      grid: {numbers(grid)}\n      args: [{', '.join(arguments)}]\n"


def plain_name(name):
    """A parameter's name as a buffer's: without what says that it is a pointer."""
    name = re.sub(r"(?<=.)_?(ptr|desc|descriptor)s?$", "", name, flags=re.IGNORECASE).strip("_")
    return buffer_name(name)


def buffer_name(name):
    """A name of Python as one of a buffer: short enough for more behind it."""
    name = re.sub(r"\W", "_", name, flags=re.ASCII)[:100]
    if not name.strip("_"):
        return "buffer"
    return f"_{name}" if name[0].isdigit() else name


def title_text(title):
    """A title as YAML: on one line, without characters that cannot be seen."""
    text = "".join(character if character.isprintable() else " " for character in str(title))
    return text.replace("\\", "\\\\").replace('"', '\\"')


def nobodys(buffer):
    """What is in a buffer of this size that nobody has written."""
    return contents(buffer.type, unwritten(len(buffer.initial)))


def unique(name, taken):
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def npy(type_name, shape, data):
    """The bytes of a .npy file, version 1."""
    header = f"{{'descr': '{NPY[type_name]}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1") + data


class Folder:
    """The folder that is recorded into. Nothing is written before save()."""

    def __init__(self, path):
        self.path = Path(path)
        self.buffers, self.variants, self.modules, self.title = [], [], {}, None
        recording = self.path / RECORDING
        if recording.exists():
            self._load(recording)
        elif self.path.exists() and any(self.path.iterdir()):
            raise UsageError(f"{self.path} is not empty and holds no recording: --output names another folder")

    def _load(self, recording):
        try:
            old = json.loads(recording.read_text())
            if old["version"] != VERSION:
                raise UsageError(f"{recording} is of another version: record into another folder")
            self.buffers, self.variants = old["buffers"], old["variants"]
            self.modules, self.title = old["modules"], old["title"]
            case = self.path / CASE
            if case.exists() and digest(case.read_bytes()) != old["case"]:
                raise UsageError(f"{case} was changed by hand: move it away, or record into another folder")
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{recording} is no recording: {error}") from None

    def drop(self, name):
        """Forgets a variant of this name, and buffers and modules that only it has."""
        self.variants = [variant for variant in self.variants if variant["name"] != name]
        used = {buffer for variant in self.variants for buffer in variant["buffers"]}
        self.buffers = [buffer for buffer in self.buffers if buffer["name"] in used]
        files = {launch["module"] for variant in self.variants for launch in variant["launches"]}
        self.modules = {file: text for file, text in self.modules.items() if file in files}

    @contextlib.contextmanager
    def unless_it_fails(self):
        """What is added in here is forgotten if an exception ends it."""
        before = copy.deepcopy((self.buffers, self.variants, self.modules, self.title))
        try:
            yield
        except BaseException:
            self.buffers, self.variants, self.modules, self.title = before
            raise

    def module_file(self, kernel, module):
        """The name of the file for this module; equal ones have one."""
        key = digest(module_bytes(module))
        for file, other in self.modules.items():
            if other == key:
                return file
        stems = {Path(file).stem for file in self.modules} | {Path(RECORDING).stem}
        file = unique(re.sub(r"\W", "_", kernel, flags=re.ASCII)[:100], stems) + module_suffix(module)
        self.modules[file] = key
        return file

    def add(self, variant, title, same, tell, pairs=(), known=None):
        """Adds a recorded variant; `same`: {its buffer: one of the case}; `tell`: says what was taken for the same.
        pairs: (one of its buffers, the name of one of the case that it is, what messages call it). known: {id of one of
        its buffers: the name of the one that it is, unless they cannot begin alike}."""
        self.drop(variant.name)
        self.title = self.title if self.variants else title
        taken = {buffer["name"] for buffer in self.buffers}
        pairs = list(pairs)
        for name, other in same.items():
            if other not in taken:
                raise UsageError(f"--same {name}={other}: the case has no buffer {other}")
            pairs += [(b, other, f"--same {name}={other}") for b in variant.buffers if b.wanted == name]
        matched = self._match(variant, pairs, known or {}, tell)
        for buffer in variant.buffers:
            if id(buffer) in matched:
                buffer.name = matched[id(buffer)]
                # A View says its shape unless it is the buffer's, which is the case's from here on.
                buffer.shape = next(tuple(row["shape"]) for row in self.buffers if row["name"] == buffer.name)
            else:
                buffer.name = unique(buffer.wanted, taken)
                taken.add(buffer.name)
                self.buffers.append(self._row(buffer))
        launches = []
        for launch in variant.launches:
            launch.file = self.module_file(launch.kernel, launch.module)
            arguments = [argument(value) for value in launch.arguments]
            launches.append({"module": launch.file, "grid": list(launch.grid), "arguments": arguments})
        for buffer in variant.buffers:
            if buffer.addresses is not None:
                row = next(row for row in self.buffers if row["name"] == buffer.name)
                row["fill"] = {"addresses": [argument(value) for value in buffer.addresses]}
        self.variants.append(
            {
                "name": variant.name,
                "launches": launches,
                "buffers": [buffer.name for buffer in variant.buffers],
                "written": [b.name for b in variant.buffers if b.written and b.addresses is None],
                "results": [b.name for b in variant.buffers if b.result and b.addresses is None],
                "left": {b.name: b.left for b in variant.buffers if b.written and b.left},
                "constant": [b.name for b in variant.buffers if b.written and b.constant],
            }
        )

    def _row(self, buffer, name=None):
        name = name or buffer.name
        fill = None
        if buffer.initial is not None and not any(buffer.initial):
            fill = "zeros"
        elif buffer.initial is not None:
            fill = {"file": f"{DATA}/{name}.{'npy' if buffer.type in NPY else 'bin'}"}
        key = None if buffer.initial is None else digest(buffer.initial)
        return {
            "name": name,
            "needs": buffer.needs_initial(),
            "type": buffer.type,
            "shape": list(buffer.shape),
            "fill": fill,
            "digest": key,
        }

    def _begin_alike(self, buffer, row):
        """Whether a buffer and a row of the case can begin with the same: what only one of them needs. The row then has
        what both begin with."""
        key = None if buffer.initial is None else digest(buffer.initial)
        if key != row["digest"] and buffer.needs_initial():
            if row.get("needs", True):
                return False
            row.update(self._row(buffer, row["name"]), shape=row["shape"])
        return True

    def _match(self, variant, pairs, known, tell):
        """{id of a buffer: name in the case} for those that the case has already."""
        results = {name for other in self.variants for name in other["results"]}
        rows = {row["name"]: row for row in self.buffers}
        found, free, named = {}, dict(rows), []

        def take(buffer, name):
            found[id(buffer)] = name
            row = free.pop(name)
            row["needs"] = row.get("needs", True) or buffer.needs_initial()

        def fits(buffer, row):
            return row["type"] == buffer.type and math.prod(row["shape"]) == buffer.elements()

        def begins_alike(buffer, row):
            return row["digest"] == begin[id(buffer)]

        def fitting(buffer):
            return [name for name, row in free.items() if fits(buffer, row) and begins_alike(buffer, row)]

        begin = {id(b): None if b.initial is None else digest(b.initial) for b in variant.buffers}
        for buffer, old, what in pairs:
            if old not in free or not fits(buffer, free[old]):
                raise UsageError(f"{what}: the buffers differ in type or size, or it is taken by another")
            if not self._begin_alike(buffer, free[old]):
                raise UsageError(f"{what}: it begins with other contents than in other variants, and both need them")
            take(buffer, old)
        for buffer in variant.buffers:
            old = known.get(id(buffer))
            if id(buffer) not in found and old in free and fits(buffer, free[old]) and self._begin_alike(buffer, free[old]):
                take(buffer, old)
        for buffer in variant.buffers:  # inputs: the same contents
            if id(buffer) in found or buffer.initial is None:
                continue
            names, plain = fitting(buffer), not any(buffer.initial) or buffer.initial == nobodys(buffer)
            if buffer.wanted in names and (
                not plain or not buffer.written or buffer.result == (buffer.wanted in results)
            ):
                take(buffer, buffer.wanted)
                if plain and buffer.written:
                    named.append(buffer)
            elif names and not plain:
                take(buffer, names[0])
                tell(f"{buffer.wanted} is {names[0]} of the case: the same contents")
        written = [b for b in variant.buffers if b.written and b.addresses is None]
        for buffer in written:  # results, and what lies between launches: the same name
            name = buffer.wanted
            if id(buffer) not in found and name in fitting(buffer) and buffer.result == (name in results):
                take(buffer, name)
                named.append(buffer)
        for what, kind in (("results", True), ("written, and read by later launches", False)):
            names = [buffer.wanted for buffer in named if buffer.result == kind]
            if names:
                tell(f"taken for those of the same name in the case ({what}): {', '.join(names)}")
        left = [b for b in written if id(b) not in found and b.result]
        for buffer in left:  # results: the only one that fits on either side
            names = [name for name in fitting(buffer) if name in results]
            rivals = [b for b in left if id(b) not in found and b.type == buffer.type]
            rivals = [b for b in rivals if b.elements() == buffer.elements()]
            if len(names) == 1 and len(rivals) == 1:
                take(buffer, names[0])
                tell(f"{buffer.wanted} is taken for {names[0]} of the case, the only result like it")
        for buffer in variant.buffers:  # not the same ones, although they have one name
            if id(buffer) in found or buffer.addresses is not None or not rows:
                continue
            row = rows.get(buffer.wanted)
            if row is not None:
                self._tell_difference(buffer, row, fits(buffer, row), begins_alike(buffer, row), results, tell)
            elif buffer.initial is not None and not buffer.written:
                tell(f"{buffer.wanted} is of this recording only: the case has no buffer with its contents")
        return found

    @staticmethod
    def _tell_difference(buffer, row, fits, begins_alike, results, tell):
        """Why a buffer is not the one of that name in the case."""
        name = buffer.wanted
        if not fits:
            why = "has another type or size than"
        elif not begins_alike:
            why = "has other contents at first than"
        elif buffer.written and buffer.result != (name in results):
            kinds = ("what a later launch reads", "a result")
            why = f"is {kinds[buffer.result]}, and not {kinds[not buffer.result]} as"
        else:
            why = "is not"
        tell(f"{name} of this recording {why} {name} of the case")

    def compared(self):
        """The buffers that are results of every variant; if there is none, those that each writes."""
        for kind in ("results", "written"):
            sets = [set(variant[kind]) for variant in self.variants]
            common = set.intersection(*sets) if sets else set()
            if common:
                return [row["name"] for row in self.buffers if row["name"] in common]
        return []

    def left(self, compare):
        """{compared buffer: how many elements some variant leaves as they were}. Empty, too, where a comparison could
        show nothing at all: a buffer that some variant does not write, or of which all elements are the same."""
        left = {}
        for variant in self.variants:
            if not set(compare) <= set(variant["written"]) - set(variant.get("constant", ())):
                return {}
            for name, count in variant.get("left", {}).items():
                if name in compare:
                    left[name] = max(count, left.get(name, 0))
        return left

    def save(self, variant, compare=None):
        """Writes what the recorded variant adds, and case.yaml anew. Returns the path of that."""
        names = {row["name"] for row in self.buffers}
        for name in compare or []:
            if name not in names:
                raise UsageError(f"--compare {name}: the case has no such buffer; it has {', '.join(sorted(names))}")
        compare = self.last_compared = compare or self.compared()
        if not compare:
            raise UsageError(
                "no buffer is written by every variant, so there is nothing to compare: --same NEW=OLD says which "
                "buffer of this recording is which of the case, --compare NAME,... what to compare. Written by "
                + "; ".join(f"{v['name']}: {', '.join(v['written']) or 'nothing'}" for v in self.variants)
            )
        (self.path / DATA).mkdir(parents=True, exist_ok=True)
        rows = {row["name"]: row for row in self.buffers}
        for buffer in variant.buffers:
            fill = rows[buffer.name]["fill"]
            content = buffer.initial
            written_before = content is None or digest(content) != rows[buffer.name]["digest"]
            if isinstance(fill, dict) and "file" in fill and not written_before:
                if fill["file"].endswith(".npy"):
                    content = npy(buffer.type, rows[buffer.name]["shape"], content)
                (self.path / fill["file"]).write_bytes(content)
        for launch in variant.launches:
            (self.path / launch.file).write_bytes(module_bytes(launch.module))
            if launch.about:
                (self.path / launch.file).with_suffix(".json").write_text(json.dumps(launch.about) + "\n")
        self._remove_stale()
        case = self.yaml(compare)
        (self.path / CASE).write_text(case)
        recording = {
            "version": VERSION,
            "title": self.title,
            "case": digest(case.encode()),
            "buffers": self.buffers,
            "variants": self.variants,
            "modules": self.modules,
        }
        (self.path / RECORDING).write_text(json.dumps(recording, indent=1) + "\n")
        return self.path / CASE

    def _remove_stale(self):
        """Modules and contents of a recording that this one replaced."""
        kept = {row["fill"]["file"] for row in self.buffers if isinstance(row["fill"], dict) and "file" in row["fill"]}
        for path in (self.path / DATA).iterdir():
            if f"{DATA}/{path.name}" not in kept and path.suffix in (".npy", ".bin"):
                path.unlink()
        for path in [*self.path.glob("*.ttir"), *self.path.glob("*.tileirbc")]:
            if path.name not in self.modules:
                path.unlink()
                path.with_suffix(".json").unlink(missing_ok=True)

    def yaml(self, compare):
        text = f'# Written by congruent_gpu.\ntitle: "{title_text(self.title)}"\nbuffers:\n'
        for row in self.buffers:
            text += f"  {row['name']}: {{type: {row['type']}, shape: {numbers(row['shape'])}{fill_yaml(row['fill'])}}}\n"
        text += "variants:\n"
        for variant in self.variants:
            text += f"  {variant['name']}:\n"
            for launch in variant["launches"]:
                text += launch_yaml(launch["module"], launch["grid"], launch["arguments"])
        text += f"compare: [{', '.join(compare)}]\n"
        for name, count in self.left(compare).items():
            text += f"# no launch stores {count} elements of {name}: what was there stays\n"
        return text + ("allow: [unwritten]\n" if self.left(compare) else "")


def fill_yaml(fill):
    if fill is None:
        return ""
    if fill == "zeros":
        return ", fill: zeros"
    if "file" in fill:
        return f", fill: {{file: {fill['file']}}}"
    return f", fill: {{addresses: [{', '.join(fill['addresses'])}]}}"


def view_of(buffer, array, padding="zero"):
    """An Array of memory.py as a View of the buffer of its allocation."""
    size = SIZES[array.type]
    assert array.offset % size == 0
    return View(buffer, array.offset // size, array.shape, array.strides, array.type, padding)
