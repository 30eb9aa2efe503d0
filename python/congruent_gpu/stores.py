# SPDX-License-Identifier: Apache-2.0
"""What launches store, and what becomes of it: results that a later launch overwrites, elements that none writes.

A buffer counts as written by what a kernel stores, not by bytes that change: a launch may store what was there. fpdiff
knows which buffers a kernel reads and writes. Where it writes without reading, a second run from other contents tells
the elements: what it stores is the same in both."""

from dataclasses import dataclass

import numpy

from .casefile import Buffer, View, map_views, unique
from .memory import SIZES, contents, unwritten


@dataclass(eq=False)
class Use:
    """What one launch did to a buffer. `stored`: by element; of what it reads as well, the elements that changed."""

    buffer: Buffer
    allocation: object
    before: bytes = b""
    after: bytes = b""
    reads: bool = False
    writes: bool = False
    may: bool = False  # do either, through addresses in memory: `writes` is set if it changed
    stored: object = None
    key: object = None  # of the launch

    def changed(self):
        return elements(self.buffer, self.before) != elements(self.buffer, self.after)

    def is_repeated(self):
        """Whether the same launch, of the same contents, was the last one to write the buffer."""
        return self.buffer.writer is not None and self.buffer.writer.key == self.key

    def may_be_repeated(self):
        """The same where nobody knows whether it reads or writes: it changed nothing that such a launch wrote."""
        writer = self.buffer.writer
        return self.may and not self.writes and writer is not None and writer.key[:-1] == self.key[:-1]


@dataclass
class Writer:
    """The last launch that wrote a buffer."""

    key: object
    stored: object
    name: str


def elements(buffer, data):
    return numpy.frombuffer(data, f"u{SIZES[buffer.type]}")


def other_contents(buffer, data):
    """Contents of which every element is another one."""
    return (numpy.frombuffer(data, "u1") ^ (1 if buffer.type == "i1" else 255)).tobytes()


def launch_key(launch, uses):
    """Equal for launches that do the same: of one kernel, with the same arguments, on the same contents."""

    def key(view):
        return id(view.buffer), view.offset, view.shape, view.strides, view.type, view.padding

    arguments = [repr(map_views(key, value)) for value in launch.arguments]
    read = tuple((id(use.buffer), use.buffer.version) for use in uses if use.reads)
    return launch.module, launch.grid, tuple(arguments), read


def needs_other_contents(use):
    """Whether only a second run tells which elements were stored, and it matters."""
    if not use.writes or use.reads or not use.before or use.is_repeated():
        return False
    buffer = use.buffer
    matters = buffer.initial is not None or (buffer.pending is not None and buffer.pending.any())
    return matters and not use.changed().all()


def find_stored(use, again):
    """Sets `stored`. `again`: the results of a run from other contents, None without one."""
    if not use.writes:
        use.stored = numpy.zeros(len(elements(use.buffer, use.before)), bool)
    elif not use.reads and use.is_repeated():
        use.stored = use.buffer.writer.stored
    elif again is not None:
        use.stored = elements(use.buffer, use.after) == elements(use.buffer, again)
    else:
        use.stored = use.changed()


class Results:
    """Follows the results of one variant."""

    def __init__(self, variant, names, tell):
        self.variant, self.names, self.tell = variant, names, tell
        self.first_names = {}  # of buffers that were begun here: the name of the one that the script has

    def follow(self, launch, uses):
        """Takes in what the last launch of the variant did."""
        name = f"launch {len(self.variant.launches)} ({launch.kernel})"
        tables = [use.buffer for use in uses if use.buffer.addresses is not None]
        pointed = {id(item.buffer) for table in tables for item in table.addresses if isinstance(item, View)}
        for use in uses:
            if use.writes and not use.reads and not use.is_repeated():
                self._keep_overwritten(launch, use, name, id(use.buffer) in pointed)
            self._count(use, name)

    def _keep_overwritten(self, launch, use, name, pointed):
        """Results that no launch has read, and that this one overwrites, stay: what it stores is another buffer."""
        old = use.buffer
        if old.pending is None or not (old.pending & use.stored).any():
            return
        lost = int((old.pending & use.stored).sum())
        if pointed or (old.stored & ~use.stored).any():
            self.tell(f"{old.wanted}: {name} overwrites {lost} elements that {old.writer.name} stored, and that no "
                      "launch reads before: these results are not compared")  # fmt: skip
            return
        first = self.first_names.get(id(old), old.wanted)
        wanted = unique(first, self.names)
        self.names.add(wanted)
        new = Buffer(wanted, old.type, old.shape, old.initial)
        self.variant.buffers.append(new)
        self.first_names[id(new)] = first

        def replace(view):
            if view.buffer is old:
                view.buffer = new
            return view

        for value in launch.arguments:
            map_views(replace, value)
        use.buffer = use.allocation.buffer = new
        unstored = int((~old.stored).sum())
        if old.initial is None and unstored and not old.was_read:  # only the comparison would read it
            old.initial, old.left = contents(old.type, unwritten(len(use.before))), unstored
        self.tell(f"{old.wanted}: {name} overwrites what {old.writer.name} stored, and no launch reads it before: from "
                  f"there on it is another buffer, {wanted}, and both are results")  # fmt: skip

    @staticmethod
    def _count(use, name):
        buffer = use.buffer
        if buffer.stored is None:
            buffer.stored = numpy.zeros(len(use.stored), bool)
            buffer.pending = numpy.zeros(len(use.stored), bool)
        if use.reads and not buffer.stored.all():
            buffer.reads_initial = True
        if use.reads and not use.may_be_repeated():
            buffer.was_read = True
            buffer.pending[:] = False
            buffer.result = False
        if not use.writes or not (use.reads or use.stored.any()):
            return
        buffer.written = buffer.result = True
        buffer.stored |= use.stored
        buffer.pending |= use.stored
        buffer.version += 1
        buffer.writer = Writer(use.key, use.stored, name)
        after = elements(buffer, use.after)
        buffer.left = 0 if buffer.initial is None else int((~buffer.stored).sum())
        stored = after[buffer.stored]
        buffer.constant = len(after) > 1 and len(stored) > 0 and bool((stored == stored[0]).all())
