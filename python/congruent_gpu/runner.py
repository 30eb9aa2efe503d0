# SPDX-License-Identifier: Apache-2.0
"""One launch on the CPU, by the library: what it stores comes back in place."""

import atexit
import functools
import itertools
import os
import re
import shutil
import tempfile
import threading
from pathlib import Path

from . import library
from .casefile import Buffer, View, argument, fill_yaml, launch_yaml, module_bytes, module_suffix, numbers, unique
from .errors import RecordError
from .memory import contents, digest
from .stores import Use, find_stored, launch_key, needs_other_contents, other_contents

CASE, VARIANT = "case.yaml", "launch"
MISUSE = 1  # the exit status of `fpdiff run` where the launch went on


def remove_own(process, folder):
    if os.getpid() == process:  # and not one that was forked from it
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def workspace_of(process):
    folder = tempfile.mkdtemp(prefix="congruent-")
    atexit.register(remove_own, process, folder)
    return Path(folder)


def workspace():
    """A folder for the files of one launch after the other of this thread. Modules keep their names there, so that code
    that was compiled for one is found again."""
    process = os.getpid()
    folder = workspace_of(process) / ("main" if threading.current_thread() is threading.main_thread() else thread_name())
    folder.mkdir(exist_ok=True)
    return folder


local = threading.local()
thread_numbers = itertools.count(1)


def thread_name():
    if not hasattr(local, "name"):
        local.name = f"thread{next(thread_numbers)}"
    return local.name


def run_options(check_assume=False, outside_tiles="error", unspecified="zero"):
    """Options of `fpdiff run`."""
    for name, value, known in (
        ("outside_tiles", outside_tiles, ("error", "padding")),
        ("unspecified", unspecified, ("zero", "nan", "random")),
    ):
        if value not in known:
            raise ValueError(f"{name} is {value!r}, which has to be one of: {', '.join(known)}")
    return [f"--outside-tiles={outside_tiles}", f"--unspecified={unspecified}", *(["--check-assume"] if check_assume else [])]


class EngineError(RecordError):
    """What fpdiff says of a launch that it cannot run, or that fails."""


class Engine:
    """What runs cases. `program`: fpdiff of the build whose library is used; default: library.find_library().
    `options`: of `fpdiff run`, in addition. A case is in a folder, as CASE with its files, and has one variant, VARIANT.
    Kernels' prints go to `prints`, a function of a text, or are not heard (None)."""

    def __init__(self, program=None, options=(), prints=None):
        if program is not None:
            library.use(program)
        self.options, self.prints = list(options), prints
        self.known_uses = {}

    def call(self, words, folder, good=(0,), **more):
        """A library.Result. Where its status is not one of `good`: an EngineError with the words of fpdiff."""
        done = library.call(words, **more)
        if done.status not in good:
            reason = done.text("errors").strip() or f"fpdiff ended with status {done.status}"
            raise EngineError(reason.replace(f"{folder}/", ""))
        return done

    def run(self, folder, contents, prints=True, misuse=None):
        """Runs the case's variant in IEEE arithmetic. `contents`: {name of a buffer: its bytes}. Returns the same of its
        compared buffers afterwards. `misuse`: a function of what fpdiff says of a launch whose parts work together
        wrongly; without it that is an error."""
        words = ["run", f"{folder}/{CASE}", "-v", VARIANT, "-m", "ieee", "--quiet", *self.options]
        good = (0,) if misuse is None else (0, MISUSE)
        done = self.call(words, folder, good, contents=list(contents.items()), keeps_arrays=True)
        if done.status:
            misuse(done.text("errors").strip().replace(f"{folder}/", ""))
        printed = done.text("output")
        if printed and prints and self.prints is not None:
            self.prints(re.sub(rf"^.*{re.escape(CASE)}: variant .*, prints:\n", "", printed, flags=re.MULTILINE))
        return {array.buffer: array.data for array in done.arrays()}

    def uses(self, folder, key):
        """{name of a buffer: whether the launch reads it, writes it, may do so through addresses}. `key`: equal for
        equal cases."""
        if key in self.known_uses:
            return self.known_uses[key]
        shown = self.call(["show", f"{folder}/{CASE}"], folder).text("output")
        line = re.search(r"^ +(reads .*; writes .*)$", shown, re.MULTILINE)
        self.known_uses[key] = found = {}
        for part in line.group(1).split("; "):  # "reads x, y", "writes z", "may read and write x"
            what, names = re.fullmatch(r"(reads|writes|may read|may write|may read and write) (.*)", part).groups()
            for name in names.split(", "):
                reads, writes, may = found.get(name, (False, False, False))
                maybe = what.startswith("may")
                found[name] = reads or "read" in what, writes or what == "writes", may or maybe
        return found


def check_writable(launch, uses):
    """Nothing is written into memory that the script may not write: an error, before anything else is."""
    for use in uses:
        if not use.writes or not use.stored.any():
            continue
        if not use.allocation.writable or (use.before != use.after and use.allocation.is_protected()):
            raise RecordError(f"{launch.kernel} writes {use.buffer.wanted}, which is read-only: pass a copy of it")


def write_case(folder, launch, used):
    """Writes the files of a case with one launch. Returns its text, and the names of buffers with contents."""
    code = module_bytes(launch.module)
    module = digest(code) + module_suffix(launch.module)
    if not (folder / module).exists():
        (folder / module).write_bytes(code)
    text, filled = "buffers:\n", []
    for buffer, allocation in used:
        fill = "zeros"  # in place of what run() is given
        if buffer.addresses is not None:
            fill = {"addresses": [argument(value) for value in buffer.addresses]}
        elif allocation.size:
            filled.append(buffer.name)
        text += f"  {buffer.name}: {{type: {buffer.type}, shape: {numbers(buffer.shape)}{fill_yaml(fill)}}}\n"
    nothing = unique("nothing", {buffer.name for buffer, _ in used})
    if not filled:  # a case has to compare something
        text += f"  {nothing}: {{type: i1, shape: [1], fill: zeros}}\n"
    text += f"variants:\n  {VARIANT}:\n"
    text += launch_yaml(module, launch.grid, [argument(value) for value in launch.arguments])
    text += f"compare: [{', '.join(filled or [nothing])}]\n"
    (folder / CASE).write_text(text)
    return text, filled


def run_launch(engine, launch, used, misuse=None):
    """Runs a Launch. `used`: pairs of (Buffer, Allocation), whose bytes it takes and replaces. `misuse`: a function of
    what is said where parts of a block work together wrongly. Returns a Use of each."""
    try:
        return run_in(workspace(), engine, launch, used, misuse)
    except EngineError as error:
        raise RecordError(f"{launch.kernel} cannot be run here: {without_module(str(error))}") from None


def without_module(text):
    """Words of fpdiff without the name that a module has in a case of one launch."""
    return re.sub(r"^[0-9a-f]{64}\.\w+: ", "", text, flags=re.MULTILINE)


def run_in(folder, engine, launch, used, misuse):
    for buffer, _ in used:
        buffer.name = buffer.wanted  # as messages call it
    text, filled = write_case(folder, launch, used)
    uses, given = [], {}
    for buffer, allocation in used:
        before = contents(buffer.type, allocation.read()) if buffer.addresses is None else b""
        if buffer.addresses is None:
            given[buffer.name] = before
        uses.append(Use(buffer, allocation, before, before))
    known = engine.uses(folder, digest(module_bytes(launch.module) + b"\0" + text.encode()))
    for use in uses:
        use.reads, use.writes, use.may = known.get(use.buffer.name, (False, False, False))
    key = launch_key(launch, uses)
    results = engine.run(folder, given, misuse=misuse)
    again = []
    for use in uses:
        use.key = key
        if use.buffer.name not in filled:
            use.writes = False
            continue
        use.after = results[use.buffer.name]
        if len(use.after) != use.allocation.size:
            size = f"{len(use.after)} bytes of a buffer of {use.allocation.size}"
            raise RecordError(f"{launch.kernel}: fpdiff wrote {size}")
        use.writes |= use.after != use.before
        if needs_other_contents(use):
            again.append(use)
            given[use.buffer.name] = other_contents(use.buffer, use.before)
    results = engine.run(folder, given, prints=False, misuse=misuse and (lambda text: None)) if again else {}
    for use in uses:
        find_stored(use, results[use.buffer.name] if use in again else None)
    check_writable(launch, uses)
    for use in uses:
        if use.after != use.before:
            use.allocation.write(use.after)
    return uses


__all__ = ["Buffer", "Engine", "EngineError", "View", "run_launch"]
