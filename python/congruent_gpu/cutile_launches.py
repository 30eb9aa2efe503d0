# SPDX-License-Identifier: Apache-2.0
"""Launches of cuTile's kernels, as they are made, without a GPU.

Replaced in cuTile: `launch`, the tuner's search (nothing is measured: the first candidate that can be exported), and
what asks for the GPU's capability. A module that took one of these names with `from` gets them, too."""

import contextlib
import functools
import inspect
import sys

import cuda.tile as ct
import cuda.tile._cext
import cuda.tile._compile
import cuda.tile._execution
import cuda.tile.tune
import cuda.tile.tune._tune

from .captured import check_captured
from .cutile_arguments import Arguments
from .cutile_export import bytecode, neutral_paths, signature_of
from .errors import RecordError
from .memory import Memory
from .recording import Recorder, checked_grid, kept

ARCH = 100  # of the GPU that kernels are exported for


class Modules:
    """Kernels that were exported, by kernel and what they were compiled for."""

    def __init__(self, neutral):
        self.neutral, self.found = neutral, {}

    def get(self, kernel, constraints):
        check_captured(kernel._pyfunc)
        signature = signature_of(kernel, constraints)
        key = kernel, signature.symbol
        if key not in self.found:
            with neutral_paths() if self.neutral else contextlib.nullcontext():
                self.found[key] = bytecode(kernel, signature)
        return self.found[key]


@functools.cache
def shared_modules():
    """Those of all launches that are only run, with the paths that their sources have."""
    return Modules(neutral=False)


def checked_kernel(kernel):
    if not isinstance(kernel, ct.kernel):
        raise RecordError(f"a {type(kernel).__name__} is launched, which is no kernel of cuTile (@ct.kernel)")
    return kernel._pyfunc.__name__


class CutileRecorder(Recorder):
    """Records the launches of one variant."""

    def __init__(self, engine, variant, tell, earlier=()):
        super().__init__(engine, variant, tell, earlier)
        self.modules = Modules(neutral=True)

    @kept
    def launch(self, stream, grid, kernel, values, /, **_):
        """In place of ct.launch: records one launch and runs it."""
        name = checked_kernel(kernel)
        grid = checked_grid(grid, name)
        if min(grid) == 0:
            self.tell_once(f"{name}: a launch with an empty grid does nothing, and is not recorded")
            return
        arguments = Arguments(kernel, values, self.memory)
        module = self.modules.get(kernel, arguments.constraints)
        used = {}
        listed = arguments.values(lambda what, parameter, array: self.buffer(what, parameter, array, used))
        self.launch_module(module, name, grid, listed, used)

    @kept
    def search(self, *arguments, **options):
        return search(self.modules, self.tell_once, *arguments, **options)


def search(modules, tell, space, stream, grid_fn, kernel, args_fn, hints_fn=None, **_):
    """In place of ct.tune.exhaustive_search: the first candidate that can be exported. Its time is 0, of no samples:
    programs that search several times keep what is less than what they had, and nothing is less than nan."""
    space, failures = list(space), []
    if not space:
        raise ValueError("Search space is empty.")
    for config in space:
        made = kernel if isinstance(kernel, ct.kernel) else kernel(config)
        try:
            made = made.replace_hints(**(hints_fn(config) if hints_fn is not None else {}))
            checked_grid(grid_fn(config), checked_kernel(made))
            modules.get(made, Arguments(made, tuple(args_fn(config)), Memory()).constraints)
        except Exception as error:  # of any candidate, whatever it is, as in cuTile's own search
            failures.append((config, type(error), str(error)))
            continue
        number = space.index(config) + 1
        if len(space) > 1:
            tell(f"{made._pyfunc.__name__} is tuned: nothing is measured, and candidate {number} of {len(space)} is taken")
        best = ct.tune.Measurement(config=config, mean_us=0.0, num_samples=0, error_margin_us=0.0)
        return ct.tune.TuningResult(best=best, successes=(best,), failures=tuple(failures))
    config, kind, message = failures[0]
    raise ValueError(f"No valid config found in search space.\nConfig: {config}\n{kind.__name__}: {message}")


def replace_everywhere(pairs):
    """Puts each new object in the place of the old one, in all modules that have it. Returns what undoes it."""
    by_id, done = {id(old): new for old, new in pairs}, []
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in by_id and not name.startswith("__"):
                done.append((module, name, value))
                setattr(module, name, by_id[id(value)])

    def undo():
        for module, name, value in done:
            setattr(module, name, value)

    return undo


def bound_as(function):
    """A function that is a TypeError for arguments that one of cuTile's does not have."""
    name = function.__name__
    with contextlib.suppress(ValueError):  # of some functions in C nothing is known
        signature = inspect.signature(function)

        def check(*arguments, **options):
            try:
                bound = signature.bind(*arguments, **options).arguments
            except TypeError as error:
                raise TypeError(f"{name}(): {error}") from None
            values = bound.get("kernel_args", ())
            if not isinstance(values, tuple):
                raise TypeError(f"{name}(): the arguments of the kernel are a {type(values).__name__}, expected a tuple")

        return check
    return lambda *arguments, **options: None


@contextlib.contextmanager
def installed(handler):
    """cuTile's launches go to `handler.launch`, searches to `handler.search`. What a module takes of cuTile in here and
    keeps is cuTile's own again afterwards."""
    active = [True]

    def through(old, new):
        check = bound_as(old)

        def function(*arguments, **options):
            check(*arguments, **options)
            return (new if active else old)(*arguments, **options)

        function.__name__ = function.__qualname__ = getattr(old, "__name__", "launch")
        function.__doc__ = old.__doc__
        return function

    pairs = [
        (ct.launch, handler.launch),
        (ct.tune.exhaustive_search, handler.search),
        (cuda.tile._cext.get_compute_capability, lambda device_id=0: divmod(ARCH, 10)),
    ]
    undo = replace_everywhere([(old, through(old, new)) for old, new in pairs])
    try:
        yield handler
    finally:
        active.clear()
        undo()
