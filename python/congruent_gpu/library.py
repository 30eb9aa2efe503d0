# SPDX-License-Identifier: Apache-2.0
"""libcongruent.so, by ctypes: what the program fpdiff does, in this process (api/congruent.h)."""

import ctypes
import os
import threading
from pathlib import Path

from .errors import UsageError

INTERFACE = 1
TEXTS = ("output", "errors", "json", "html", "markdown", "junit", "sarif")  # enum CongruentText
KINDS = ("numbers", "verdicts", "fields")  # enum CongruentArrayKind


class Contents(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_char_p), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Call(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("words", ctypes.POINTER(ctypes.c_char_p)),
        ("word_count", ctypes.c_size_t),
        ("contents", ctypes.POINTER(Contents)),
        ("content_count", ctypes.c_size_t),
        ("keeps_arrays", ctypes.c_int),
    ]


class ArrayStruct(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int),
        ("case_index", ctypes.c_uint32),
        ("variant", ctypes.c_char_p),
        ("reference", ctypes.c_char_p),
        ("mode", ctypes.c_char_p),
        ("build", ctypes.c_char_p),
        ("buffer", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("rank", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


def find_library():
    """The library: $CONGRUENT_LIBRARY, that of the installed package, or the one that was built beside this source."""
    given = os.environ.get("CONGRUENT_LIBRARY")
    package = Path(__file__).resolve().parent
    places = [package / "lib", package.parents[1] / "build" / "release" / "lib"]
    for path in [Path(given)] if given else [folder / "libcongruent.so" for folder in places]:
        if path.is_file():
            return path
    raise UsageError(
        f"{given}: there is no such file"
        if given
        else "libcongruent.so was not found: build it (make build), or name it with CONGRUENT_LIBRARY=FILE"
    )


def load():
    try:
        library = ctypes.CDLL(str(find_library()))
    except OSError as error:
        raise UsageError(f"libcongruent.so cannot be loaded: {error}") from None
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    for name, result, *arguments in (
        ("congruent_interface", ctypes.c_uint32),
        ("congruent_version", text),
        ("congruent_open", pointer),
        ("congruent_call", pointer, pointer, ctypes.POINTER(Call)),
        ("congruent_result_free", None, pointer),
        ("congruent_status", ctypes.c_int, pointer),
        ("congruent_text", text, pointer, ctypes.c_int),
        ("congruent_array_count", size, pointer),
        ("congruent_array", ctypes.c_int, pointer, size, ctypes.POINTER(ArrayStruct), size),
        ("congruent_verdict_name", text, ctypes.c_uint),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    if library.congruent_interface() < INTERFACE:
        raise UsageError(f"{library._name} has interface {library.congruent_interface()}, wanted is {INTERFACE}")
    return library


class Array:
    """What a call kept: of `kind` (KINDS) of `buffer`; `data` is bytes."""

    def __init__(self, raw):
        def word(value):
            return None if value is None else os.fsdecode(value)

        self.kind, self.case_index = KINDS[raw.kind], raw.case_index
        self.variant, self.reference, self.mode = word(raw.variant), word(raw.reference), word(raw.mode)
        self.build, self.buffer, self.type = word(raw.build), word(raw.buffer), word(raw.type)
        self.shape = tuple(raw.shape[: raw.rank])
        self.data = ctypes.string_at(raw.bytes, raw.size)


class Result:
    """What a call gave. Texts and arrays are copied when they are asked for."""

    def __init__(self, library, handle):
        self._library, self._handle = library, handle
        self.status = library.congruent_status(handle)

    def text(self, name):
        """A text of TEXTS; None: the call has none."""
        with lock:
            found = self._library.congruent_text(self._handle, TEXTS.index(name))
        return None if found is None else found.decode("utf-8", "replace")

    def arrays(self):
        raw = ArrayStruct()
        for index in range(self._library.congruent_array_count(self._handle)):
            self._library.congruent_array(self._handle, index, ctypes.byref(raw), ctypes.sizeof(raw))
            yield Array(raw)

    def __del__(self):
        if self._handle:
            self._library.congruent_result_free(self._handle)


lock = threading.RLock()
opened = None  # (process, library, session): a process that was forked opens its own


def session():
    global opened
    if opened is None or opened[0] != os.getpid():
        library = opened[1] if opened else load()
        opened = os.getpid(), library, library.congruent_open()
    return opened[1:]


def call(words, contents=(), keeps_arrays=False):
    """Does what `fpdiff WORDS...` does. contents: pairs of a buffer's name and what it begins with, an object with
    the buffer interface or a pair of an address and a size. Returns a Result."""
    words = [os.fsencode(word) for word in words]
    if any(b"\0" in word for word in words):
        raise UsageError("a word with a zero byte")
    items, kept = (Contents * max(1, len(contents)))(), []
    for item, (name, data) in zip(items, contents):
        if isinstance(data, tuple):
            address, size = data
        else:
            view = memoryview(data).cast("B")
            size = view.nbytes
            held = (ctypes.c_char * size).from_buffer(view) if not view.readonly else ctypes.c_char_p(view.tobytes())
            kept.append((view, held))
            address = ctypes.cast(held, ctypes.c_void_p).value
        item.buffer, item.bytes, item.size = os.fsencode(name), address, size
    request = Call(
        ctypes.sizeof(Call), (ctypes.c_char_p * max(1, len(words)))(*words), len(words), items, len(contents), keeps_arrays
    )
    with lock:
        library, handle = session()
        return Result(library, library.congruent_call(handle, ctypes.byref(request)))


def verdict_names():
    """The names of element verdicts, by number."""
    library, names = session()[0], []
    while (name := library.congruent_verdict_name(len(names))) is not None:
        names.append(name.decode())
    return names


def version():
    return session()[0].congruent_version().decode()
