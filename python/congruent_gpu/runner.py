# SPDX-License-Identifier: Apache-2.0
"""One launch on the CPU, by `fpdiff run`: the memory that it reaches goes out as files and comes back in place."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .casefile import Buffer, View, argument, fill_yaml, launch_yaml, numbers
from .errors import RecordError, UsageError
from .memory import contents, digest
from .stores import Use, find_stored, launch_key, needs_other_contents, other_contents


def find_fpdiff(given):
    """The program: as given, $FPDIFF, the one that was built beside this package, or that of the PATH."""
    built = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "fpdiff"
    for found in (given, os.environ.get("FPDIFF"), built if built.exists() else None, shutil.which("fpdiff")):
        if found:
            path = shutil.which(str(found))
            if path is None:
                raise UsageError(f"{found} is no program that can be run")
            return os.path.abspath(path)
    raise UsageError("fpdiff was not found: build it (make build), or name it with --fpdiff FILE")


def call(fpdiff, arguments, folder, kernel, prints=None):
    """Calls fpdiff. `prints`: where what it prints goes, as subprocess calls it; PIPE: it is returned."""
    command = [fpdiff, *arguments]
    done = subprocess.run(command, cwd=folder, stdout=prints, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode:
        reason = done.stderr.strip() or f"fpdiff ended with status {done.returncode}"
        raise RecordError(f"{kernel} cannot be run here: {reason}")
    return done.stdout


known_uses = {}  # by program, module and case: what uses_of returned


def uses_of(fpdiff, folder, launch, case):
    """{name of a buffer: whether the launch reads it, writes it, may do so through addresses}, by `fpdiff show`."""
    key = digest("\0".join((fpdiff, launch.module, case)).encode())
    if key not in known_uses:
        shown = call(fpdiff, ["show", "case.yaml"], folder, launch.kernel, subprocess.PIPE)
        line = re.search(r"^ +(reads .*; writes .*)$", shown, re.MULTILINE)
        if line is None:
            raise RecordError(f"{fpdiff} does not say what {launch.kernel} reads and writes: it is of another version")
        known_uses[key] = found = {}
        for part in line.group(1).split("; "):  # "reads x, y", "writes z", "may read and write x"
            what, names = re.fullmatch(r"(reads|writes|may read|may write|may read and write) (.*)", part).groups()
            for name in names.split(", "):
                reads, writes, may = found.get(name, (False, False, False))
                maybe = what.startswith("may")
                found[name] = reads or "read" in what, writes or what == "writes", may or maybe
    return known_uses[key]


def check_writable(launch, uses):
    """Nothing is written into memory that the script may not write: an error, before anything else is."""
    for use in uses:
        if not use.writes or not use.stored.any():
            continue
        if not use.allocation.writable or (use.before != use.after and use.allocation.is_protected()):
            raise RecordError(f"{launch.kernel} writes {use.buffer.wanted}, which is read-only: pass a copy of it")


def run_launch(fpdiff, launch, used, extra):
    """Runs a Launch. `used`: pairs of (Buffer, Allocation), whose bytes it takes and replaces. `extra`: options.
    Returns a Use of each."""
    with tempfile.TemporaryDirectory(prefix="congruent-record-") as folder:
        folder = Path(folder)
        (folder / "kernel.ttir").write_text(launch.module)
        text, filled = "buffers:\n", []
        for number, (buffer, allocation) in enumerate(used):
            buffer.name = f"b{number}"
        for buffer, allocation in used:
            fill = {"file": buffer.name + ".in"}
            if buffer.addresses is not None:
                fill = {"addresses": [argument(value) for value in buffer.addresses]}
            elif allocation.size:
                filled.append(buffer.name)
            text += f"  {buffer.name}: {{type: {buffer.type}, shape: {numbers(buffer.shape)}{fill_yaml(fill)}}}\n"
        if not filled:  # a case has to compare something
            text += "  nothing: {type: i1, shape: [1], fill: zeros}\n"
        text += "variants:\n  launch:\n"
        text += launch_yaml("kernel.ttir", launch.grid, [argument(value) for value in launch.arguments])
        text += f"compare: [{', '.join(filled or ['nothing'])}]\n"
        (folder / "case.yaml").write_text(text)
        uses = []
        for buffer, allocation in used:
            before = contents(buffer.type, allocation.read()) if buffer.addresses is None else b""
            if buffer.addresses is None:
                (folder / (buffer.name + ".in")).write_bytes(before)
            uses.append(Use(buffer, allocation, before, before))
        known = uses_of(fpdiff, folder, launch, text)
        for use in uses:
            use.reads, use.writes, use.may = known.get(use.buffer.name, (False, False, False))
        key = launch_key(launch, uses)
        command = ["run", "case.yaml", "-v", "launch", "-m", "ieee", "--quiet", *extra]
        call(fpdiff, [*command, "-o", "out"], folder, launch.kernel)
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
            call(fpdiff, [*command, "-o", "again"], folder, launch.kernel, subprocess.DEVNULL)
        for use in uses:
            find_stored(use, (folder / "again" / (use.buffer.name + ".bin")).read_bytes() if use in again else None)
        check_writable(launch, uses)
        for use in uses:
            if use.after != use.before:
                use.allocation.write(use.after)
        return uses


__all__ = ["Buffer", "View", "find_fpdiff", "run_launch"]
