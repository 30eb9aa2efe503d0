# SPDX-License-Identifier: Apache-2.0
"""One launch of a cuTile kernel on the CPU, as a debugger would want it: run()."""

import re
import sys

from .casefile import Buffer, Launch, buffer_name, unique
from .cutile_arguments import Arguments
from .cutile_launches import checked_kernel, search, shared_modules
from .errors import RecordError
from .memory import Memory, contents
from .recording import checked_grid
from .runner import Engine, EngineError, run_options, without_module, workspace, write_case


class KernelFault(RecordError):
    """A kernel did what it may not do: it touched memory outside its arrays, failed an assertion, ... The text names
    the line, the block and the array."""


class Runner:
    """Runs launches, one after the other: what they store is in the caller's arrays when they return."""

    def __init__(self, check_assume=False, outside_tiles="error", unspecified="zero", fpdiff=None, prints=None):
        options = run_options(check_assume, outside_tiles, unspecified)
        self.engine = Engine(fpdiff, options, prints or (lambda text: sys.stdout.write(text)))
        self.modules = shared_modules()

    def launch(self, stream, grid, kernel, values, /, **_):
        """As ct.launch."""
        self.run(kernel, grid, values)

    def search(self, *arguments, **options):
        return search(self.modules, lambda text: None, *arguments, **options)

    def run(self, kernel, grid, values):
        name = checked_kernel(kernel)
        grid = checked_grid(grid, name)
        memory = Memory()
        arguments = Arguments(kernel, values, memory)
        module = self.modules.get(kernel, arguments.constraints)
        if min(grid) == 0:
            return
        used, writable = {}, {}

        def buffer(what, parameter, array):
            allocation = array.allocation
            writable[allocation.start] = writable.get(allocation.start, False) or array.writable
            if allocation.buffer is None:
                allocation.buffer = self._buffer(parameter, array, {b.name for b, _ in used.values()})
            used[allocation.start] = (allocation.buffer, allocation)
            return allocation.buffer

        launch = Launch(module, name, grid, arguments.values(buffer))
        self._run_in(workspace(), launch, list(used.values()), writable)

    @staticmethod
    def _buffer(parameter, array, taken):
        """A buffer that has the parameter's name, as messages do."""
        shape, kind = array.buffer_form()
        name = unique(buffer_name(parameter), taken)
        return Buffer(name, kind, shape, None, name=name)

    def _run_in(self, folder, launch, used, writable):
        _, filled = write_case(folder, launch, used)
        before = {buffer.name: contents(buffer.type, allocation.read()) for buffer, allocation in used}
        try:
            results = self.engine.run(folder, before)
        except EngineError as error:
            text = str(error)
            if without_module(text) != text:
                raise RecordError(f"{launch.kernel} cannot be run here: {fault_text(without_module(text))}") from None
            raise KernelFault(fault_text(text)) from None
        changed = []
        for buffer, allocation in used:
            if buffer.name not in filled:
                continue
            after = results[buffer.name]
            if after == before[buffer.name]:
                continue
            if not writable[allocation.start] or allocation.is_protected():
                raise RecordError(f"{launch.kernel} writes {buffer.name}, which is read-only: pass a copy of it")
            changed.append((allocation, after))
        for allocation, after in changed:
            allocation.write(after)


def fault_text(text):
    """fpdiff's words, without what is said of the case of one launch."""
    text = re.sub(r" (\[E\d+\])$", "", text, flags=re.MULTILINE)
    return re.sub(r"error: case\.yaml: variant launch \(ieee\), launch 1 of 1: ", "", text)


def run(kernel, grid, args, *, check_assume=False, outside_tiles="error", unspecified="zero", fpdiff=None):
    """Runs one launch of a cuTile kernel on the CPU, in IEEE arithmetic. What it stores is in the arrays of `args` when
    this returns: arrays of numpy, tensors of torch on the CPU, numbers, lists and tuples, as for ct.launch.

    A kernel that touches memory outside its arrays, fails an assertion, or reads a tile that is not there, is a
    KernelFault, which names the line of the kernel, the block and the parameter; no array has changed then. What the
    kernel prints goes to sys.stdout.

    check_assume: also an error where an array is not as the kernel was compiled for, or `ct.assume_divisible_by` and
    the like do not hold. outside_tiles: what a tile wholly outside its array is: "error", or "padding" as GPUs make of
    it. unspecified: what stands where the language does not say what is there: "zero", "nan" or "random"."""
    Runner(check_assume, outside_tiles, unspecified, fpdiff).run(kernel, grid, args)
