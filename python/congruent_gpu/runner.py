# SPDX-License-Identifier: Apache-2.0
"""One launch on the CPU, by `fpdiff run`: the memory that it reaches goes out as files and comes back in place."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .casefile import Buffer, View, argument, fill_yaml, launch_yaml, numbers
from .errors import RecordError, UsageError
from .memory import contents


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


def run_launch(fpdiff, launch, used, extra):
    """Runs a Launch. `used`: pairs of (Buffer, Allocation), whose bytes it takes and replaces. `extra`: options."""
    with tempfile.TemporaryDirectory(prefix="congruent-record-") as folder:
        folder = Path(folder)
        (folder / "kernel.ttir").write_text(launch.module)
        text, results = "buffers:\n", []
        for number, (buffer, allocation) in enumerate(used):
            buffer.name = f"b{number}"
        for buffer, allocation in used:
            fill = {"file": buffer.name + ".in"}
            if buffer.addresses is not None:
                fill = {"addresses": [argument(value) for value in buffer.addresses]}
            else:
                (folder / fill["file"]).write_bytes(contents(buffer.type, allocation.read()))
                if allocation.size:
                    results.append((buffer, allocation))
            text += f"  {buffer.name}: {{type: {buffer.type}, shape: {numbers(buffer.shape)}{fill_yaml(fill)}}}\n"
        if not results:  # a case has to compare something
            text += "  nothing: {type: i1, shape: [1], fill: zeros}\n"
        compare = [buffer.name for buffer, _ in results] or ["nothing"]
        text += "variants:\n  launch:\n"
        text += launch_yaml("kernel.ttir", launch.grid, [argument(value) for value in launch.arguments])
        text += f"compare: [{', '.join(compare)}]\n"
        (folder / "case.yaml").write_text(text)
        command = [fpdiff, "run", "case.yaml", "-v", "launch", "-m", "ieee", "-o", "out", "--quiet", *extra]
        done = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            reason = done.stderr.strip() or f"fpdiff ended with status {done.returncode}"
            raise RecordError(f"{launch.kernel} cannot be run here: {reason}")
        for buffer, allocation in results:
            after = (folder / "out" / (buffer.name + ".bin")).read_bytes()
            if len(after) != allocation.size:
                raise RecordError(f"{launch.kernel}: fpdiff wrote {len(after)} bytes of a buffer of {allocation.size}")
            buffer.result = after != contents(buffer.type, allocation.read())
            if buffer.result:
                buffer.written = True
                allocation.write(after)


__all__ = ["Buffer", "View", "find_fpdiff", "run_launch"]
