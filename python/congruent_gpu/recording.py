# SPDX-License-Identifier: Apache-2.0
"""What recorders of all kinds of kernels share: buffers of arrays, tables of addresses, launches, and arrays that nobody
has written."""

import functools
import operator
import struct
import sys
import traceback

from .casefile import Buffer, Launch, Variant, View, map_views, plain_name, unique, view_of
from .errors import RecordError, script_line
from .memory import SIZES, TYPES, Memory, contents, is_array, row_major, unwritten
from .runner import run_launch
from .stores import Results


def kept(method):
    """A method of Recorder whose first RecordError is kept: a script may catch it, and the recording fails anyway."""

    @functools.wraps(method)
    def keeping(recorder, *arguments, **options):
        try:
            return method(recorder, *arguments, **options)
        except RecordError as error:
            if recorder.failure is None:
                recorder.failure = error
                error.place = script_line(traceback.extract_stack())
            raise

    return keeping


def checked_grid(grid, kernel):
    """Three sizes of a grid; an error unless they are integers that are not negative."""
    try:
        sizes = tuple(operator.index(size) for size in grid)
    except TypeError:
        raise RecordError(f"{kernel}: the grid is {grid}; its sizes have to be integers") from None
    if min(sizes, default=-1) < 0 or len(sizes) > 3:
        raise RecordError(f"{kernel}: the grid is {grid}")
    return sizes + (1,) * (3 - len(sizes))


class Recorder:
    """Records the launches of one variant. What launches are, and how they are caught, a class for each kind says."""

    def __init__(self, engine, variant, tell, earlier=()):
        self.engine, self.tell = engine, tell
        self.memory, self.variant = Memory(), Variant(variant)
        self.names, self.told = set(), set()
        self.results = Results(self.variant, self.names, self.tell_once)
        self.failure = None  # the first RecordError
        self.misused = []  # launches, from 1, within whose blocks parts work together wrongly
        self.known = {}  # by start of its allocation: an Array of it, for tables of addresses
        self.before = {}  # by id of a buffer: what it held before earlier variants of this script wrote it
        self.earlier = earlier  # the recorders of those variants
        self.pairs, self.labelled = [], {}  # of Folder.add, where somebody knows them

    def tell_once(self, text):
        if text not in self.told:
            self.told.add(text)
            self.tell(text)

    def launch_module(self, module, kernel, grid, values, used, about=None):
        """Runs a launch, and adds it to the variant. `values`: Views, lists of them and texts; `used`: allocations."""
        self.follow_addresses(used)
        pairs = [(allocation.buffer, allocation) for allocation in used.values()]
        launch = Launch(module, kernel, grid, values, about=about)
        uses = run_launch(self.engine, launch, pairs, lambda text: self._tell_misuse(kernel, text))
        for _, allocation in pairs:
            allocation.current = allocation.read()
        for use in uses:
            before = self.before.pop(id(use.buffer), None)
            if before is not None and use.writes and not use.reads:
                use.buffer.initial = before[0]
        self.variant.launches.append(launch)
        self.results.follow(launch, uses)

    def _tell_misuse(self, kernel, text):
        """The launch at hand goes on, and is recorded: its case has the verdict MISUSE."""
        self.misused.append(len(self.variant.launches) + 1)
        self.tell_once(text.replace("error: variant launch, launch 1, ", f"error: {kernel}, "))

    def buffer(self, what, name, array, used):
        """The buffer of an array's allocation, as it is before this launch."""
        allocation = array.allocation
        allocation.writable = array.writable or (allocation.start in used and allocation.writable)
        used[allocation.start] = allocation
        self.known.setdefault(allocation.start, array)
        now = allocation.read()
        if allocation.buffer is not None and now == allocation.current:
            return allocation.buffer
        if allocation.buffer is not None:
            self.tell_once(f"{what} was changed by the script between launches: from there on it is another buffer")
        shape, type_name = array.buffer_form()
        wanted = unique(plain_name(name), self.names)
        self.names.add(wanted)
        nobody = allocation.unwritten and now == unwritten(allocation.size)
        buffer = Buffer(wanted, type_name, shape, None if nobody else contents(type_name, now))
        if allocation.buffer is None:
            self._remember_before(buffer, allocation, now)
        allocation.buffer, allocation.current = buffer, now
        self.variant.buffers.append(buffer)
        self._find_addresses(buffer, now)
        return buffer

    def _remember_before(self, buffer, allocation, now):
        """Results of an earlier variant, which this one may overwrite: each variant begins with what was there before."""
        for recorder in reversed(self.earlier):
            for other in recorder.memory.allocations:
                same = (other.start, other.size) == (allocation.start, allocation.size)
                if same and other.buffer is not None and other.buffer.written and other.current == now:
                    self.before[id(buffer)] = recorder.before.get(id(other.buffer)) or (other.buffer.initial,)
                    return

    def known_buffers(self):
        """Folder.add's `known`: buffers of arrays that earlier variants had, too, which are still there."""
        found = dict(self.labelled)
        for recorder in self.earlier:
            there = {(a.start, a.size): a.buffer for a in recorder.memory.allocations if a.buffer is not None and a.size}
            for allocation in self.memory.allocations:
                other = there.get((allocation.start, allocation.size))
                if allocation.buffer is not None and other is not None:
                    found.setdefault(id(allocation.buffer), other.name)
        return found

    # ---- addresses in buffers ----
    def _find_addresses(self, buffer, now):
        """A buffer of i64 in which addresses of known arrays are becomes a table of addresses."""
        if buffer.type != "i64" or len(now) > 1 << 20:
            return
        words = struct.unpack(f"<{len(now) // 8}q", now)
        if any(word > 4096 and self.memory.find(word) for word in words):
            buffer.addresses = list(words)

    def follow_addresses(self, used):
        """Takes the arrays that tables point to, too, and puts their names where the addresses are."""
        queue = [allocation for allocation in used.values() if allocation.buffer.addresses is not None]
        for table in queue:
            words = struct.unpack(f"<{table.size // 8}q", table.read())
            items = []
            for word in words:
                allocation = self.memory.find(word) if word > 4096 else None
                if allocation is None:
                    items.append(word)
                    continue
                array = self.known[allocation.start]
                name = f"{table.buffer.wanted}_target"
                buffer = self.buffer(f"an array that {table.buffer.wanted} points to", name, array, used)
                size = SIZES[buffer.type]
                if (word - allocation.start) % size:
                    raise RecordError(f"{table.buffer.wanted} points into the middle of an element")
                at = type(array)(allocation, buffer.type, word - allocation.start, buffer.shape, (), True)
                at.shape = buffer.shape if word == allocation.start else ((allocation.size - at.offset) // size,)
                at.strides = row_major(at.shape)
                items.append(view_of(buffer, at))
                if buffer.addresses is not None and allocation not in queue:
                    queue.append(allocation)
            self._fill_table(table, items)

    def _fill_table(self, table, items):
        """Puts the Views of a table in its buffer: in a new one if its arrays became other buffers since a launch."""
        old = table.buffer
        pairs = zip(old.addresses, items)
        if any(isinstance(a, View) and a.buffer is not b.buffer for a, b in pairs):
            wanted = unique(old.wanted, self.names)
            self.names.add(wanted)
            table.buffer = Buffer(wanted, old.type, old.shape, old.initial)
            self.variant.buffers.append(table.buffer)
        table.buffer.addresses = items

    # ---- new arrays ----
    def watch_arrays(self, patch):
        """New arrays that nobody has written are marked; tensors whose address a script takes are remembered."""
        modules = [sys.modules[name] for name in ("numpy", "torch") if name in sys.modules]
        for module in modules:
            for name in ("empty", "empty_like", "empty_strided"):
                if hasattr(module, name):
                    patch(module, name, self._marking(getattr(module, name)))
        torch = sys.modules.get("torch")
        if torch is None or not hasattr(torch, "Tensor"):
            return
        for name in ("new_empty", "new_empty_strided"):
            if hasattr(torch.Tensor, name):
                patch(torch.Tensor, name, self._marking(getattr(torch.Tensor, name)))
        old = torch.Tensor.data_ptr

        def data_ptr(tensor):
            address = old(tensor)
            if tensor.device.type == "cpu" and tensor.numel() and str(tensor.dtype).removeprefix("torch.") in TYPES:
                array = self.memory.array(tensor, "a tensor whose address is taken")
                self.known.setdefault(array.allocation.start, array)
            return address

        patch(torch.Tensor, "data_ptr", data_ptr)

    def _marking(self, function):
        def empty(*arguments, **options):
            return self.memory.mark_unwritten(function(*arguments, **options))

        return empty


def patching(stack):
    """A function that replaces an attribute until the stack ends."""

    def patch(owner, name, value):
        if name in owner.__dict__:
            stack.callback(setattr, owner, name, owner.__dict__[name])
        else:  # a class that inherits it
            stack.callback(delattr, owner, name)
        setattr(owner, name, value)

    return patch


__all__ = ["Recorder", "checked_grid", "is_array", "kept", "map_views", "patching"]
