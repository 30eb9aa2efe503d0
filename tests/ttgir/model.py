# SPDX-License-Identifier: Apache-2.0
"""A model of how parts of a block synchronise in TTGIR, which knows nothing of fpdiff: for mutate.py.

It runs the integers of a kernel (loops, conditions, indices, phases) and follows what reads what that whom wrote, and what is known
to be done before what. `run` gives a Trace: what is wrong, and for each access of shared or tensor memory which writes it reads. Two
texts of one kernel of which both have nothing wrong, and whose traces are the same, compute the same: each op has the same operands.

An event is a bit of an integer; what a part knows to be done is a set of events. An mbarrier hands on what those who arrive know.
Asynchronous operations have events of their own, which nobody knows until a barrier or a group says that they are done. Tiles have no
values, so the model says `Unknown` where one decides what happens. It does not know clusters, cluster launch control, and races
between warps of one part."""

import re

NAME = r"%[A-Za-z_0-9$.]+(?:#\d+)?"
BITS = {"f64": 64, "i64": 64, "f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i16": 16, "i8": 8, "f8E4M3FN": 8, "f8E5M2": 8, "i1": 8}


class Unknown(Exception):
    """The model does not know what happens."""


class Wrong(Exception):
    """The kernel is wrong: a race, a deadlock, a barrier that does not fit."""


# ---- reading

OPERATION = re.compile(r'^\s*(?:(?P<results>%[^=]*?) = )?"?(?P<name>[a-z_]+\.[a-z_0-9.]+)"?(?P<rest>.*)$')


def before_types(rest):
    depth = 0
    for i, letter in enumerate(rest):
        depth += letter in "([{<"
        depth -= letter in ")]}>"
        if depth == 0 and rest[i : i + 3] == " : ":
            return rest[:i], rest[i + 3 :]
    return rest, ""


class Op:
    def __init__(self, line, found):
        self.line, self.name, self.rest = line, found["name"], found["rest"]
        self.head, self.types = before_types(self.rest)
        self.operands = re.findall(NAME, self.head)
        self.results = []
        for name, count in re.findall(r"(%\w+)(?::(\d+))?", found["results"] or ""):
            self.results += ["%s#%d" % (name, i) for i in range(int(count))] if count else [name]
        self.regions, self.heads = [], []

    def number(self, pattern, default=None):
        found = re.search(pattern, self.head)
        return int(found[1]) if found else default


class Reader:
    """Ops of a module without locations, whose regions are lists of ops. origins: the line that each line was."""

    def __init__(self, text, origins):
        self.lines, self.origins, self.at = text.split("\n"), origins, 0

    def block(self):
        ops = []
        while self.at < len(self.lines):
            line, number = self.lines[self.at], self.at
            if re.match(r"\s*\}", line):
                return ops
            self.at += 1
            found = OPERATION.match(line)
            if re.match(r"\s*(default|partition\d+\(.*)", line) and line.rstrip().endswith("{"):
                ops[-1].heads.append(line)
                ops[-1].regions.append(self.region())
            elif re.match(r"\s*\^bb\d*\(", line):
                ops.append(re.findall(r"(%\w+):", line))  # arguments of a block
            elif found:
                op = Op(self.origins[number], found)
                ops.append(op)
                while self.lines[self.at - 1].rstrip().endswith("{"):
                    op.regions.append(self.region())
        return ops

    def region(self):
        ops = self.block()
        self.at += 1  # the line that closes it; it may open another one
        return ops


def shape_of(type_text):
    """Sizes and bytes of the last memdesc of a list of types."""
    found = re.findall(r"memdesc<((?:\d+x)*)(\w+)", type_text)
    sizes = [int(n) for n in found[-1][0].split("x") if n]
    bytes_ = BITS[found[-1][1]] // 8
    for n in sizes:
        bytes_ *= n
    return sizes, bytes_


# ---- memory


class Root:
    """An object in shared or tensor memory: disjoint pieces with the write that is there, and all accesses."""

    def __init__(self, label, tensor):
        self.label, self.tensor, self.dead = label, tensor, False
        self.pieces, self.accesses = [], []  # (rectangle, (write, its rectangle)); (rectangle, event, writes, generic)


class View:
    """A rectangle of an object. axes: of the object, for each axis of the view; None: it has another shape."""

    def __init__(self, root, box, axes):
        self.root, self.box, self.axes = root, box, axes


def overlap(a, b):
    box = tuple((max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b))
    return box if all(low < high for low, high in box) else None


def without(box, hole):
    """What is left of a rectangle, in rectangles."""
    common = overlap(box, hole)
    if not common:
        return [box]
    left, rest = [], list(box)
    for axis, ((low, high), (first, last)) in enumerate(zip(box, common)):
        if low < first:
            left.append(tuple(rest[:axis] + [(low, first)] + rest[axis + 1 :]))
        if last < high:
            left.append(tuple(rest[:axis] + [(last, high)] + rest[axis + 1 :]))
        rest[axis] = (first, last)
    return left


def area(box):
    size = 1
    for low, high in box:
        size *= high - low
    return size


class Barrier:
    def __init__(self, count):
        self.count, self.pending, self.bytes, self.phase = count, count, 0, 0
        self.known, self.fenced = 0, 0  # of the phase so far
        self.done_known, self.done_fenced = 0, 0  # of phases that are over

    def change(self, arrivals, bytes_):
        self.pending -= arrivals
        self.bytes += bytes_
        if self.pending < 0:
            raise Wrong("more arrivals than a phase has")
        if self.bytes < 0:
            raise Wrong("more bytes than announced")
        if not self.pending and not self.bytes:
            self.done_known |= self.known
            self.done_fenced |= self.fenced
            self.pending, self.phase = self.count, self.phase + 1


# ---- running


class Part:
    def __init__(self, name, known, fenced, warps):
        self.name, self.known, self.fenced, self.warps = name, known, fenced, warps
        self.tensor = 0  # events of tcgen05 so far
        self.stores = []  # of TMA, one group each
        self.copies, self.copy_groups = 0, []
        self.products = []  # of wgmma
        self.ended = False


# Ops that may take a result of wgmma that is not there yet.
PENDING = ("ttng.warp_group_dot", "ttng.warp_group_dot_wait", "arith.select", "scf.for", "scf.if", "scf.yield")


class Block:
    """One block of the grid. late: asynchronous loads are done when nobody can go on."""

    def __init__(self, function, arguments, place, grid, late):
        self.place, self.grid, self.late = place, grid, late
        self.events, self.roots, self.barriers, self.trace, self.counts = 0, {}, {}, {}, {}
        self.loads, self.outstanding = [], 0
        self.turns = 0
        main = Part("default", 0, 0, 4)
        self.parts, self.runs = [main], [self.run(main, function, dict(arguments))]
        self.schedule()
        if self.outstanding & ~main.known:
            raise Wrong("asynchronous operations are pending at the end")

    def schedule(self):
        """Each part runs until it waits, the first one first."""
        while self.runs[0] is not None:
            moved = False
            for i, _ in enumerate(self.runs):  # a part may begin others behind it
                while self.runs[i] is not None:
                    self.turns += 1
                    if self.turns > 200000:
                        raise Unknown("too many turns")
                    try:
                        if not next(self.runs[i]):
                            break
                        moved = True
                    except StopIteration:
                        self.runs[i], self.parts[i].ended, moved = None, True, True
            if not moved and self.loads:
                self.loads.pop(0)()
            elif not moved:
                raise Wrong("deadlock")

    # Each step of a run is True; False where it waits.
    def run(self, part, ops, names):
        for op in ops:
            if isinstance(op, list):
                continue
            if op.name in ("scf.yield", "scf.condition", "tt.return", "ttg.warp_return", "ttg.warp_yield", "tt.reduce.return", "tt.scan.return"):
                return op.name, [names.get(o) for o in op.operands]
            yield from self.step(part, op, names)
        return None, []

    def value(self, names, name):
        value = names.get(name)
        if not isinstance(value, int):
            raise Unknown("%s is not known" % name)
        return value

    def step(self, part, op, names):
        short = op.name.split(".", 1)[1]
        if op.name not in PENDING:
            for given in op.operands:
                value = names.get(given)
                if isinstance(value, tuple) and not value[1] & part.known:
                    raise Wrong("a result of wgmma that is not there yet")
        control = getattr(self, "do_" + op.name.replace(".", "_"), None)
        if control:
            yield from control(part, op, names)
        elif op.name.startswith("arith.") or op.name in ("tt.get_program_id", "tt.get_num_programs"):
            names.update(zip(op.results, [self.scalar(op, short, names)]))
        elif short in ("memdesc_index", "memdesc_subslice", "memdesc_trans", "memdesc_reshape", "memdesc_reinterpret", "tmem_subslice"):
            names[op.results[0]] = self.view(op, short, names)
        else:
            for result in op.results:
                names[result] = None
            if any(isinstance(names.get(o), View) for o in op.operands) and op.name.split(".")[0] in ("ttg", "ttng"):
                raise Unknown(op.name)
            if "clc" in op.name or "cluster" in op.name:
                raise Unknown(op.name)

    # ---- integers

    def scalar(self, op, short, names):
        if short == "constant":
            found = re.match(r"\s*(-?\d+|true|false)\b(?! *:.*tensor)", op.rest)
            if not found or "dense" in op.rest:
                return None
            return {"true": 1, "false": 0}.get(found[1], None) if found[1] in ("true", "false") else int(found[1])
        if short in ("get_program_id", "get_num_programs"):
            axis = "xyz".index(op.rest.strip()[0])
            return (self.place if short == "get_program_id" else self.grid)[axis]
        values = [names.get(o) for o in op.operands]
        if short == "select":
            if not isinstance(values[0], int):
                return None
            return values[1] if values[0] else values[2]
        if not all(isinstance(v, int) for v in values):
            return None
        if short == "cmpi":
            a, b = values
            how = op.head.split(",")[0].strip()
            unsigned = lambda n: n & 0xFFFFFFFFFFFFFFFF
            if how[0] == "u":
                a, b = unsigned(a), unsigned(b)
            return int({"eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b, "ult": a < b, "ule": a <= b,
                        "ugt": a > b, "uge": a >= b}[how])  # fmt: skip
        if len(values) == 1:
            if short in ("extsi", "extui", "trunci", "index_cast"):
                return -values[0] if short == "extsi" and ": i1 to" in op.rest else values[0]
            return None
        a, b = values
        quotient = lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        try:
            return {"addi": lambda: a + b, "subi": lambda: a - b, "muli": lambda: a * b, "divsi": quotient, "divui": quotient,
                    "remsi": lambda: a - quotient() * b, "remui": lambda: a - quotient() * b, "andi": lambda: a & b, "ori": lambda: a | b,
                    "xori": lambda: a ^ b, "maxsi": lambda: max(a, b), "minsi": lambda: min(a, b), "shli": lambda: a << b,
                    "shrsi": lambda: a >> b, "ceildivsi": lambda: -(-a // b)}[short]()  # fmt: skip
        except (KeyError, ZeroDivisionError):
            return None

    # ---- control

    def do_scf_for(self, part, op, names):
        counter, first, last, step = re.findall(NAME, op.head)[:4]
        carried = re.findall(r"(%%\w+) = (%s)" % NAME, op.head[op.head.find("iter_args") :]) if "iter_args" in op.head else []
        values = [names.get(given) for _, given in carried]
        at, end, by = (self.value(names, n) for n in (first, last, step))
        while at < end:
            inner = dict(names)
            inner[counter] = at
            inner.update(zip([name for name, _ in carried], values))
            _, values = yield from self.run(part, op.regions[0], inner)
            at += by
        names.update(zip(op.results, values))

    def do_scf_if(self, part, op, names):
        chosen = 0 if self.value(names, op.operands[0]) else 1
        values = []
        if chosen < len(op.regions):
            _, values = yield from self.run(part, op.regions[chosen], dict(names))
        names.update(zip(op.results, values))

    def do_scf_while(self, part, op, names):
        carried = re.findall(r"(%%\w+) = (%s)" % NAME, op.head)
        values = [names.get(given) for _, given in carried]
        while True:
            inner = dict(names)
            inner.update(zip([name for name, _ in carried], values))
            _, values = yield from self.run(part, op.regions[0], inner)
            if not isinstance(values[0], int):
                raise Unknown("a condition")
            if not values[0]:
                break
            inner = dict(names)
            inner.update(zip(op.regions[1][0], values[1:]))
            _, values = yield from self.run(part, op.regions[1], inner)
        names.update(zip(op.results, values[1:]))

    def do_ttg_warp_specialize(self, part, op, names):
        begun = []
        for head, ops in zip(op.heads, op.regions):
            if head.strip().startswith("default"):
                default = ops
                continue
            inner = dict(zip(re.findall(r"(%\w+):", head), [names.get(o) for o in op.operands]))
            warps = re.search(r"num_warps\((\d+)\)", head)
            child = Part(head.strip().split("(")[0], part.known, part.fenced, int(warps[1]))
            begun.append(child)
            self.parts.append(child)
            self.runs.append(self.run(child, ops, inner))
        _, values = yield from self.run(part, default, dict(names))
        names.update(zip(op.results, values))
        while not all(child.ended for child in begun):
            yield False
        for child in begun:
            part.known |= child.known
            part.fenced |= child.fenced

    def do_tt_func(self, part, op, names):
        yield from self.run(part, op.regions[0], names)

    # ---- objects and views

    def new_root(self, part, op, names, tensor):
        label = self.label(part, op)
        sizes, _ = shape_of(op.types)
        root = self.roots[label] = Root(label, tensor)
        names[op.results[0]] = View(root, tuple((0, n) for n in sizes), tuple(range(len(sizes))))
        for result in op.results[1:]:
            names[result] = None
        if [o for o in op.operands if not isinstance(names.get(o), View)] and "() ->" not in op.types:
            self.access(part, op, label, names[op.results[0]], writes=True, generic=not tensor)
        return
        yield

    def do_ttg_local_alloc(self, part, op, names):
        yield from self.new_root(part, op, names, False)

    def do_ttng_tmem_alloc(self, part, op, names):
        yield from self.new_root(part, op, names, True)

    def do_ttg_local_dealloc(self, part, op, names):
        view = names[op.operands[0]]
        self.access(part, op, self.label(part, op), view, writes=True, ends=True)
        view.root.dead = True
        return
        yield

    def view(self, op, short, names):
        source = names.get(op.operands[0])
        if not isinstance(source, View):
            raise Unknown(op.name)
        box, axes = list(source.box), source.axes
        if short in ("memdesc_reshape", "memdesc_reinterpret"):
            return View(source.root, source.box, None)
        if axes is None and short == "memdesc_trans":
            return View(source.root, source.box, None)
        if axes is None:
            raise Unknown("a slice of another shape")
        if short == "memdesc_index":
            index = self.value(names, op.operands[1])
            low, high = box[axes[0]]
            if not 0 <= index < high - low:
                raise Wrong("an index outside")
            box[axes[0]] = (low + index, low + index + 1)
            axes = axes[1:]
        elif short == "memdesc_trans":
            axes = tuple(axes[int(i)] for i in re.search(r"array<i32: ([\d, ]+)>", op.head)[1].split(","))
        else:
            sizes, _ = shape_of(op.types)
            if short == "tmem_subslice":
                offsets = [0] * len(sizes)
                offsets[op.number(r"dim = (\d+)", 1) if len(sizes) == 2 else -1] = op.number(r"(?:N|offset) = (\d+)")
            else:
                offsets = [int(n) for n in re.search(r"\[([\d, ]+)\]", op.head)[1].split(",")]
            for axis, offset, size in zip(axes, offsets, sizes):
                box[axis] = (box[axis][0] + offset, box[axis][0] + offset + size)
        return View(source.root, tuple(box), axes)

    # ---- accesses

    def label(self, part, op):
        key = (part.name, op.line, op.name)
        self.counts[key] = self.counts.get(key, 0) + 1
        return (*key, self.counts[key])

    def event(self):
        self.events += 1
        return 1 << self.events

    def access(self, part, op, label, view, writes=False, reads=False, event=None, known=None, generic=False, fence=False, ends=False):
        """One access. event: of an asynchronous operation, which knows `known`; else the part knows its own at once."""
        root, box = view.root, view.box
        if root.dead:
            raise Wrong("use of what has ended")
        own = event is None
        if own:
            event, known = self.event(), part.known
        for other, before, wrote, was_generic in root.accesses:
            if (writes or wrote) and overlap(box, other):
                if before != event and not before & known:
                    raise Wrong("no order between %s and another access of %s" % (label, root.label))
                if fence and wrote and was_generic and not before & part.fenced:
                    raise Wrong("no fence before %s" % (label,))
        found = set()
        if reads:
            covered = 0
            for piece, (by, whole) in root.pieces:
                common = overlap(piece, box)
                if common:  # which part of what was written is read where
                    apart = lambda a, b: tuple(x[0] - y[0] for x, y in zip(a, b))
                    found.add((by, apart(common, whole), apart(common, box), tuple(high - low for low, high in common)))
                    covered += area(common)
            if covered < area(box):
                raise Wrong("%s reads what nobody wrote" % (label,))
        if writes and not ends:
            root.pieces = [(rest, by) for piece, by in root.pieces for rest in without(piece, box)] + [(box, (label, box))]
        root.accesses.append((box, event, writes, generic))
        if own:
            part.known |= event
        return frozenset(found)

    def record(self, label, *what):
        self.trace[label] = what

    def simple(self, part, op, names, writes, reads, generic):
        label = self.label(part, op)
        views = [names[o] for o in op.operands if isinstance(names.get(o), View)]
        found = self.access(part, op, label, views[0], writes, reads, generic=generic)
        self.record(label, found)
        for result in op.results:
            names[result] = None
        return
        yield

    def do_ttg_local_load(self, part, op, names):
        yield from self.simple(part, op, names, False, True, True)

    def do_ttg_local_gather(self, part, op, names):
        yield from self.simple(part, op, names, False, True, True)

    def do_ttg_local_store(self, part, op, names):
        yield from self.simple(part, op, names, True, False, True)

    def do_ttg_local_scatter(self, part, op, names):
        yield from self.simple(part, op, names, True, True, True)

    do_ttg_local_atomic_scatter_rmw = do_ttg_local_scatter

    def do_ttng_tmem_load(self, part, op, names):
        yield from self.simple(part, op, names, False, True, False)

    def do_ttng_tmem_store(self, part, op, names):
        predicates = [names.get(o) for o in op.operands if isinstance(names.get(o), int)]
        if not predicates or predicates[-1]:
            yield from self.simple(part, op, names, True, False, False)

    # ---- asynchronous operations

    def do_ttng_async_tma_copy_global_to_local(self, part, op, names):
        *where, destination, bar, predicate = op.operands
        if not self.value(names, predicate):
            return
        label, event, view = self.label(part, op), self.event(), names[destination]
        self.outstanding |= event
        known = part.known
        self.access(part, op, label, view, writes=True, event=event, known=known)
        self.record(label, [names.get(o) for o in where[1:]])
        barrier = self.barrier(names, bar)
        bytes_ = shape_of(op.types)[1]

        def done():
            barrier.known |= event | known
            barrier.change(0, -bytes_)

        if self.late:
            self.loads.append(done)
        else:
            done()
        yield True

    do_ttng_async_tma_gather = do_ttng_async_tma_copy_global_to_local

    def do_ttng_async_tma_copy_local_to_global(self, part, op, names):
        label, event = self.label(part, op), self.event()
        self.outstanding |= event
        found = self.access(part, op, label, names[op.operands[-1]], reads=True, event=event, known=part.known, fence=True)
        self.record(label, found, [names.get(o) for o in op.operands[1:-1]])
        part.stores.append(event)
        return
        yield

    do_ttng_async_tma_reduce = do_ttng_async_tma_copy_local_to_global
    do_ttng_async_tma_scatter = do_ttng_async_tma_copy_local_to_global

    def do_ttng_async_tma_store_wait(self, part, op, names):
        pendings = op.number(r"pendings = (\d+)")
        for event in part.stores[: max(len(part.stores) - pendings, 0)]:
            part.known |= event
        return
        yield

    def do_ttg_async_copy_global_to_local(self, part, op, names):
        label, event = self.label(part, op), self.event()  # may be pending at the end
        view = next(names[o] for o in op.operands if isinstance(names.get(o), View))
        self.access(part, op, label, view, writes=True, event=event, known=part.known, generic=True)
        self.record(label)
        part.copies |= event
        names.update((r, None) for r in op.results)
        return
        yield

    def do_ttg_async_commit_group(self, part, op, names):
        taken = 0
        for group in part.copy_groups:
            taken |= group
        part.copy_groups.append(part.copies & ~taken)
        names.update((r, None) for r in op.results)
        return
        yield

    def do_ttg_async_wait(self, part, op, names):
        for group in part.copy_groups[: max(len(part.copy_groups) - op.number(r"num = (\d+)"), 0)]:
            part.known |= group
        names.update((r, None) for r in op.results)
        return
        yield

    def do_ttng_async_copy_mbarrier_arrive(self, part, op, names):
        barrier = self.barrier(names, op.operands[0])
        barrier.known |= part.copies
        barrier.change(part.warps * 32 if "noIncrement" in op.head else 0, 0)
        yield True

    def product(self, part, op, names, a, b, scales, accumulator, adds, predicate, barriers):
        if not self.value(names, predicate):
            return
        label, event = self.label(part, op), self.event()
        self.outstanding |= event
        known = part.known | part.tensor
        adds = self.value(names, adds)
        found = [self.access(part, op, label, names[o], reads=True, event=event, known=known, fence=not names[o].root.tensor) for o in (a, b, *scales)]
        found.append(self.access(part, op, label, names[accumulator], writes=True, reads=bool(adds), event=event, known=known))
        self.record(label, *found, adds)
        part.tensor |= event | known
        for bar, condition in barriers:
            if self.value(names, condition):
                self.commit(part, names, bar)

    def commit(self, part, names, bar):
        barrier = self.barrier(names, bar)
        barrier.known |= part.tensor
        barrier.change(1, 0)

    def do_ttng_tc_gen5_mma(self, part, op, names):
        head = op.head.replace("[]", "")
        barriers = re.findall(r"(%\w+)\[(%\w+)\]", head)
        plain = [o for o in re.findall(NAME, re.sub(r"%\w+\[%\w+\]", "", head))]
        a, b, accumulator, *scales, adds, predicate = plain
        self.product(part, op, names, a, b, scales, accumulator, adds, predicate, barriers)
        names.update((r, None) for r in op.results)
        yield True

    do_ttng_tc_gen5_mma_scaled = do_ttng_tc_gen5_mma

    def do_ttng_tmem_copy(self, part, op, names):
        label, event = self.label(part, op), self.event()
        self.outstanding |= event
        known = part.known | part.tensor
        found = self.access(part, op, label, names[op.operands[0]], reads=True, event=event, known=known, fence=True)
        self.access(part, op, label, names[op.operands[1]], writes=True, event=event, known=known)
        self.record(label, found)
        part.tensor |= event | known
        return
        yield

    def do_ttng_tc_gen5_commit(self, part, op, names):
        if len(op.operands) < 2 or self.value(names, op.operands[1]):
            self.commit(part, names, op.operands[0])
        yield True

    def do_ttng_warp_group_dot(self, part, op, names):
        label, event = self.label(part, op), self.event()
        self.outstanding |= event
        views = [names[o] for o in op.operands if isinstance(names.get(o), View)]
        self.record(label, *[self.access(part, op, label, v, reads=True, event=event, known=part.known, fence=True) for v in views])
        part.products.append(event)
        if "isAsync = true" not in op.head:
            part.known |= event
        names.update((r, ("pending", event)) for r in op.results)
        return
        yield

    def do_ttng_warp_group_dot_wait(self, part, op, names):
        for event in part.products[: max(len(part.products) - op.number(r"pendings = (\d+)"), 0)]:
            part.known |= event
        names.update(zip(op.results, [names.get(o) for o in op.operands]))
        return
        yield

    # ---- mbarriers

    def place_of(self, names, name):
        view = names.get(name)
        if not isinstance(view, View):
            raise Unknown("a barrier")
        return view.root.label, view.box

    def barrier(self, names, name):
        barrier = self.barriers.get(self.place_of(names, name))
        if not barrier or names[name].root.dead:
            raise Wrong("a barrier that is not there")
        return barrier

    def do_ttng_init_barrier(self, part, op, names):
        place = self.place_of(names, op.operands[0])
        if self.barriers.get(place):
            raise Wrong("a barrier is made twice")
        self.barriers[place] = Barrier(op.number(r", (\d+)"))
        return
        yield

    def do_ttng_inval_barrier(self, part, op, names):
        self.barrier(names, op.operands[0])
        self.barriers[self.place_of(names, op.operands[0])] = None
        return
        yield

    def do_ttng_barrier_expect(self, part, op, names):
        if self.value(names, op.operands[1]):
            self.arrive(part, self.barrier(names, op.operands[0]), 1, op.number(r", (\d+)"))
        yield True

    def arrive(self, part, barrier, count, bytes_=0):
        barrier.known |= part.known
        barrier.fenced |= part.fenced
        barrier.change(count, bytes_)

    def do_ttng_arrive_barrier(self, part, op, names):
        if len(op.operands) < 2 or self.value(names, op.operands[1]):
            self.arrive(part, self.barrier(names, op.operands[0]), op.number(r", (\d+)"))
        yield True

    def do_ttng_wait_barrier(self, part, op, names):
        given = re.findall(NAME, op.head.split(" deps ")[0])
        if len(given) > 2 and not self.value(names, given[2]):
            return
        barrier, parity = self.barrier(names, op.operands[0]), self.value(names, op.operands[1])
        while barrier.phase & 1 == parity & 1:
            yield False
        part.known |= barrier.done_known
        part.fenced |= barrier.done_fenced
        yield True

    def do_ttng_fence_async_shared(self, part, op, names):
        part.fenced |= part.known
        return
        yield


def arguments_of(head, given, shapes):
    """Values of the entry's parameters. given: those of the case file; shapes: of buffers."""
    values, given, descriptor = {}, iter(given), None
    for name, kind in re.findall(r"(%[\w.]+): ([!\w]+(?:\.\w+)*)", head):
        field = re.fullmatch(r"%\w+\.(shape|stride)\.(\d+)", name)
        if field and descriptor:
            sizes, axis = shapes[descriptor], int(field[2])
            stride = 1
            for n in sizes[axis + 1 :]:
                stride *= n
            values[name] = sizes[axis] if field[1] == "shape" else stride
            continue
        value = next(given)
        descriptor = value if kind == "!tt.tensordesc" else None
        number = re.fullmatch(r"i\d+ (-?\d+)", value)
        values[name] = int(number[1]) if number else None
    return values


def run(text, origins, grid, given, shapes):
    """Traces of all blocks of the grid, both with early and with late loads. Raises Wrong or Unknown."""
    reader = Reader(text, origins)
    traces = []
    for line in reader.lines:
        if "tt.func public" in line:
            break
        reader.at += 1
    reader.at += 1
    ops = reader.block()
    values = arguments_of(line, given, shapes)
    for late in (False, True):
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    traces.append(Block(ops, values, (x, y, z), grid, late).trace)
    return traces
