# SPDX-License-Identifier: Apache-2.0
"""Launches of cuTile kernels as a case: record()."""

import contextlib
import sys
import threading

from .casefile import NAME, Folder
from .cutile_launches import ARCH, CutileRecorder, installed
from .errors import RecordError, UsageError
from .recording import patching
from .runner import Engine, run_options


RECORDING = threading.RLock()  # who holds it has put its own in place of cuTile's launches


def tell_on_stderr(text):
    print(f"congruent_gpu: {text}", file=sys.stderr, flush=True)


class Recording:
    """A folder with a case, to which variants are recorded. `path`: of its case.yaml. `compared`: the names of the
    buffers that it compares."""

    def __init__(self, folder, title=None, fpdiff=None, tell=tell_on_stderr, outside_tiles="error"):
        self.folder, self.title, self.tell = Folder(folder), title, tell
        self.engine = Engine(fpdiff, run_options(outside_tiles=outside_tiles), lambda text: sys.stdout.write(text))
        self.recorders, self.compared, self._inside = [], [], False
        self.path = self.folder.path / "case.yaml"

    def forget(self):
        """Begins anew: the folder's variants go with the next one that is recorded."""
        for variant in list(self.folder.variants):
            self.folder.drop(variant["name"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    @property
    def count(self):
        """How many launches were recorded."""
        return sum(len(recorder.variant.launches) for recorder in self.recorders)

    @contextlib.contextmanager
    def variant(self, name, same=None, compare=None):
        """What is launched in here is the variant of this name; one that the folder has already is replaced. The case is
        written at the end, unless an exception ends it.

        same: {a buffer of this variant: the one of the case that it is}. compare: names of the buffers to compare;
        default: the results of every variant."""
        if not NAME.fullmatch(name):
            raise UsageError(f"variant {name}: a name has letters, digits, _ and -, a letter or _ first")
        if self._inside:
            raise UsageError(f"variant {name} begins inside of another one")
        if not RECORDING.acquire(blocking=False):
            raise UsageError(f"variant {name} begins while another thread records: one records at a time")
        recorder = CutileRecorder(self.engine, name, self.tell, tuple(self.recorders))
        self._inside = True
        try:
            with launches_on_cpu(recorder, self.tell):
                yield recorder
        finally:
            self._inside = False
            RECORDING.release()
        if recorder.failure is not None:  # caught, and the code went on without the launch
            raise recorder.failure
        if not recorder.variant.launches:
            raise RecordError(f"variant {name} launched no kernel")
        title, known = self.title or self.folder.path.name, recorder.known_buffers()
        with self.folder.unless_it_fails():
            self.folder.add(recorder.variant, title, same or {}, self.tell, pairs=recorder.pairs, known=known)
            self.folder.save(recorder.variant, compare() if callable(compare) else compare)
        self.compared = self.folder.last_compared
        self.recorders.append(recorder)


@contextlib.contextmanager
def torch_on_cpu(tell):
    """What is asked of torch.cuda is answered, if torch is there."""
    with contextlib.ExitStack() as stack:
        if "torch" in sys.modules:
            from .torch_on_cpu import installed as torch_installed

            stack.enter_context(torch_installed(ARCH, tell))
        yield


@contextlib.contextmanager
def launches_on_cpu(handler, tell):
    """cuTile's launches go to `handler`, what is asked of torch.cuda is answered (if torch is there), new arrays are
    watched by recorders."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch_on_cpu(tell))
        stack.enter_context(installed(handler))
        if hasattr(handler, "watch_arrays"):
            handler.watch_arrays(patching(stack))
        yield


def record(folder, title=None, fpdiff=None, tell=tell_on_stderr, outside_tiles="error"):
    """Records launches of cuTile kernels as a case of fpdiff, without a GPU:

        with congruent.record("case") as recording:
            with recording.variant("plain"):
                ...                                 # code that calls ct.launch
            with recording.variant("fused"):
                ...

    `folder` gets case.yaml, the kernels as bytecode and data/ with what the arrays held. It has to be empty, missing, or
    a recording, to which variants are added. Each launch runs on the CPU at once, so that later ones see results.
    tell: a function that is given lines about what was recorded; default: they go to sys.stderr. outside_tiles: what a
    tile wholly outside its array is: "error", or "padding" as GPUs make of it; fpdiff then needs --outside-tiles."""
    return Recording(folder, title, fpdiff, tell, outside_tiles)
