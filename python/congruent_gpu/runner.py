# SPDX-License-Identifier: Apache-2.0
"""One launch on the CPU, by `fpdiff run`: the memory that it reaches goes out as files and comes back in place.

All calls of fpdiff are in Engine."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .casefile import Buffer, View, argument, fill_yaml, launch_yaml, module_bytes, module_suffix, numbers
from .errors import RecordError, UsageError
from .memory import contents, digest
from .stores import Use, find_stored, launch_key, needs_other_contents, other_contents

CASE, VARIANT = "case.yaml", "launch"


def find_fpdiff(given=None):
    """The program: as given, $FPDIFF, the one that was built beside this package, or that of the PATH."""
    built = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "fpdiff"
    for found in (given, os.environ.get("FPDIFF"), built if built.exists() else None, shutil.which("fpdiff")):
        if found:
            path = shutil.which(str(found))
            if path is None:
                raise UsageError(f"{found} is no program that can be run")
            return os.path.abspath(path)
    raise UsageError("fpdiff was not found: build it (make build), or name it with --fpdiff FILE")


class EngineError(RecordError):
    """What fpdiff says of a launch that it cannot run, or that fails."""


class Engine:
    """What runs cases. `options`: of `fpdiff run`, in addition. A case is in a folder, as CASE with its files, and has
    one variant, VARIANT. Kernels' prints go to `prints`, a function of a text, or are not heard (None)."""

    def __init__(self, program=None, options=(), prints=None):
        self.program, self.options, self.prints = find_fpdiff(program), list(options), prints
        self.known_uses = {}

    def call(self, arguments, folder):
        """What fpdiff prints. Where its status is not 0: an EngineError with its words."""
        command = [self.program, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        if done.returncode:
            reason = done.stderr.strip() or f"fpdiff ended with status {done.returncode}"
            raise EngineError(reason)
        return done.stdout

    def run(self, folder, output, prints=True):
        """Runs the case's variant in IEEE arithmetic. What is in its compared buffers goes to files NAME.bin of the
        folder `output` in `folder`."""
        printed = self.call(["run", CASE, "-v", VARIANT, "-m", "ieee", "--quiet", *self.options, "-o", output], folder)
        if printed and prints and self.prints is not None:
            self.prints(re.sub(rf"^{re.escape(CASE)}: variant .*, prints:\n", "", printed, flags=re.MULTILINE))

    def uses(self, folder, key):
        """{name of a buffer: whether the launch reads it, writes it, may do so through addresses}. `key`: equal for
        equal cases."""
        if key in self.known_uses:
            return self.known_uses[key]
        shown = self.call(["show", CASE], folder)
        line = re.search(r"^ +(reads .*; writes .*)$", shown, re.MULTILINE)
        if line is None:
            raise EngineError(f"{self.program} does not say what it reads and writes: it is of another version")
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
    module = "kernel" + module_suffix(launch.module)
    (folder / module).write_bytes(module_bytes(launch.module))
    text, filled = "buffers:\n", []
    for buffer, allocation in used:
        fill = {"file": buffer.name + ".in"}
        if buffer.addresses is not None:
            fill = {"addresses": [argument(value) for value in buffer.addresses]}
        elif allocation.size:
            filled.append(buffer.name)
        text += f"  {buffer.name}: {{type: {buffer.type}, shape: {numbers(buffer.shape)}{fill_yaml(fill)}}}\n"
    if not filled:  # a case has to compare something
        text += "  nothing: {type: i1, shape: [1], fill: zeros}\n"
    text += f"variants:\n  {VARIANT}:\n"
    text += launch_yaml(module, launch.grid, [argument(value) for value in launch.arguments])
    text += f"compare: [{', '.join(filled or ['nothing'])}]\n"
    (folder / CASE).write_text(text)
    return text, filled


def run_launch(engine, launch, used):
    """Runs a Launch. `used`: pairs of (Buffer, Allocation), whose bytes it takes and replaces. Returns a Use of each."""
    try:
        with tempfile.TemporaryDirectory(prefix="congruent-record-") as folder:
            return run_in(Path(folder), engine, launch, used)
    except EngineError as error:
        raise RecordError(f"{launch.kernel} cannot be run here: {error}") from None


def run_in(folder, engine, launch, used):
    for number, (buffer, allocation) in enumerate(used):
        buffer.name = f"b{number}"
    text, filled = write_case(folder, launch, used)
    uses = []
    for buffer, allocation in used:
        before = contents(buffer.type, allocation.read()) if buffer.addresses is None else b""
        if buffer.addresses is None:
            (folder / (buffer.name + ".in")).write_bytes(before)
        uses.append(Use(buffer, allocation, before, before))
    known = engine.uses(folder, digest(module_bytes(launch.module) + b"\0" + text.encode()))
    for use in uses:
        use.reads, use.writes, use.may = known.get(use.buffer.name, (False, False, False))
    key = launch_key(launch, uses)
    engine.run(folder, "out")
    again = []
    for use in uses:
        use.key = key
        if use.buffer.name not in filled:
            use.writes = False
            continue
        use.after = (folder / "out" / (use.buffer.name + ".bin")).read_bytes()
        if len(use.after) != use.allocation.size:
            size = f"{len(use.after)} bytes of a buffer of {use.allocation.size}"
            raise RecordError(f"{launch.kernel}: fpdiff wrote {size}")
        use.writes |= use.after != use.before
        if needs_other_contents(use):
            again.append(use)
            (folder / (use.buffer.name + ".in")).write_bytes(other_contents(use.buffer, use.before))
    if again:
        engine.run(folder, "again", prints=False)
    for use in uses:
        find_stored(use, (folder / "again" / (use.buffer.name + ".bin")).read_bytes() if use in again else None)
    check_writable(launch, uses)
    for use in uses:
        if use.after != use.before:
            use.allocation.write(use.after)
    return uses


__all__ = ["Buffer", "Engine", "EngineError", "View", "find_fpdiff", "run_launch"]
