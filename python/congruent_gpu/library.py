# SPDX-License-Identifier: Apache-2.0
"""libcongruent.so, by ctypes: what the program fpdiff does, in this process (api/congruent.h)."""

import ctypes
import os
import shutil
import threading
import time
from pathlib import Path

from .errors import RecordError, UsageError

INTERFACE = 1
NAME = "libcongruent.so"
FILES = (NAME, f"{NAME}.{INTERFACE}")  # the first where there is what C programs are built with
FOLDERS = ("lib", "lib64", f"lib/{os.uname().machine}-linux-gnu")  # beside bin: of a build, of an installation
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


def is_script(path):
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def beside(program):
    """The library of the build, or of the installation, that a program is of; None: there is none."""
    places = [Path(program).resolve().parents[1] / folder / file for folder in FOLDERS for file in FILES]
    return next((path for path in places if path.is_file()), None)


chosen = None  # a path: of use()


def use(program):
    """Uses the library of the build, or of the installation, that a program fpdiff is of."""
    global chosen
    path = shutil.which(program)
    if path is None:
        raise UsageError(f"{program} is no program that can be run")
    library = beside(path)
    if library is None and is_script(path):  # the command of the installed package
        library = beside(Path(__file__).resolve().parent / "bin" / "fpdiff")
    if library is None:
        raise UsageError(
            f"{program} has no {NAME} beside it, in {Path(path).resolve().parents[1]}: neither in {', '.join(FOLDERS[:-1])} "
            f"nor {FOLDERS[-1]}. It was moved away from it, or the library was not installed (libcongruent1 of Debian)"
        )
    if opened and library.resolve() != opened[1].path:
        raise UsageError(f"{library} cannot be used beside {opened[1].path}, which is")
    chosen = library


def find_library():
    """The library: that of use(), $CONGRUENT_LIBRARY, of the program $FPDIFF, of the installed package, the one that was
    built beside this source, or of the fpdiff on the PATH."""
    given, program = os.environ.get("CONGRUENT_LIBRARY"), os.environ.get("FPDIFF")
    package, on_path = Path(__file__).resolve().parent, shutil.which("fpdiff")
    if given and not Path(given).is_file():
        raise UsageError(f"CONGRUENT_LIBRARY={given}: there is no such file")
    if program and not (chosen or given):
        use(program)
    if chosen or given:
        return Path(chosen or given)
    places = [package / "bin" / "fpdiff", package.parents[1] / "build" / "release" / "bin" / "fpdiff"]
    if on_path:
        places.append(on_path)
    for place in places:
        if found := beside(place):
            return found
    where = f"not beside {on_path} either" if on_path else "and there is no fpdiff on the PATH"
    raise UsageError(f"{NAME} was not found, {where}: build it (make build), or name it with CONGRUENT_LIBRARY=FILE")


def load():
    path = find_library()
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be loaded: {error}") from None
    library.path = path.resolve()
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


class Saved:
    """A Result that was pickled or copied: what it has to say, without the library."""

    def __init__(self, status, texts, arrays):
        self.status, self._texts, self._arrays = status, texts, arrays

    def text(self, name):
        return self._texts[name]

    def arrays(self):
        return iter(self._arrays)


class Result:
    """What a call gave. Texts and arrays are copied when they are asked for."""

    _handle = None

    def __init__(self, library, handle):
        self._library, self._handle, self._lock = library, handle, threading.Lock()
        self.status = library.congruent_status(handle)

    def __reduce__(self):
        return Saved, (self.status, {name: self.text(name) for name in TEXTS}, list(self.arrays()))

    def text(self, name):
        """A text of TEXTS; None: the call has none."""
        with self._lock:  # not that of calls, of which one may never end
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
left = None  # the Worker whose call goes on by itself, since the wait for it was interrupted
opened = None  # (process, library, session): a process that was forked opens its own


def renew_lock():
    """In a process that was forked: a thread that had the lock is not there."""
    global lock, left
    lock, left = threading.RLock(), None


os.register_at_fork(after_in_child=renew_lock)


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

    def do(interrupted):
        if not take_lock(interrupted):
            return None
        try:
            library, handle = session()
            return Result(library, library.congruent_call(handle, ctypes.byref(request)))
        finally:
            lock.release()

    return interruptible(do, (kept, words, contents))


PATIENCE = 2.0  # seconds that a call waits for one that was interrupted


def take_lock(interrupted):
    """Waits for calls of other threads; but of one that was interrupted nobody knows whether it ever ends. Returns
    whether it has the lock: not if the wait was interrupted."""
    begin = time.monotonic()
    while not lock.acquire(timeout=0.1):
        if interrupted():
            return False
        waited, running = time.monotonic() - begin, left
        if waited > PATIENCE and running is not None and not running.ended.is_set():
            raise RecordError(
                f"a call that was interrupted is still running, {time.monotonic() - running.begin:.0f} s after it began, and "
                "others have to wait for it: try again later, or, if its kernel never ends, in another process"
            )
    if interrupted():
        lock.release()
        return False
    return True


class Worker(threading.Thread):
    """Runs a function that no signal ends. What is `kept` stays alive meanwhile."""

    def __init__(self, function, kept):
        super().__init__(name="congruent", daemon=True)
        self.function, self.kept, self.begin = function, kept, time.monotonic()
        self.result = self.error = None
        self.interrupted, self.ended = False, threading.Event()  # join() and is_alive() are wrong after an interruption

    def run(self):
        try:
            self.result = self.function(lambda: self.interrupted)
        except BaseException as error:
            self.error = error
        self.kept = None
        self.ended.set()


def interruptible(function, kept):
    """Calls a function that no signal ends, with a function that says whether nobody wants its result any more: on
    another thread, so that Ctrl-C ends the wait for it. Then it goes on by itself, with what is `kept` alive; later calls
    wait for it, but not for ever."""
    global left
    if threading.current_thread() is not threading.main_thread():
        return function(lambda: False)
    worker = Worker(function, kept)
    worker.start()
    try:
        worker.ended.wait()
    except BaseException:
        worker.interrupted = True
        if left is None or left.ended.is_set():
            left = worker
        raise
    if worker.error is not None:
        raise worker.error
    return worker.result


def verdict_names():
    """The names of element verdicts, by number."""
    library, names = session()[0], []
    while (name := library.congruent_verdict_name(len(names))) is not None:
        names.append(name.decode())
    return names


def version():
    return session()[0].congruent_version().decode()
