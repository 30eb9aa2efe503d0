# SPDX-License-Identifier: Apache-2.0
"""check(): the variants of a case compared, in this process."""

import contextlib
import itertools
import math
import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

from . import library
from .containers import Copies, labelled, leaves, merged_memory
from .errors import RecordError, UsageError, needs_packages
from .memory import has_memory, is_array, is_numpy, plain
from .replayed import replay_notes
from .report import Report


def record(*arguments, **named):
    with needs_packages():  # checks of case files do not need cuTile
        from .cutile_recording import record as begin

    return begin(*arguments, **named)


class CheckFailed(AssertionError):
    """Variants diverge, or a case could not have failed. The text is the report; `report` is it, too."""

    def __init__(self, report):
        super().__init__("\n" + str(report).rstrip())
        self.report = report

    def __reduce__(self):
        return type(self), (self.report,)


class CheckError(RuntimeError):
    """A case is wrong, or something could not be compiled or run. `report`: what there is."""

    def __init__(self, report):
        super().__init__((report.errors or report.text).strip())
        self.report = report

    def __reduce__(self):
        return type(self), (self.report,)


def listed(value):
    """A value, or a list of values (also an array of one dimension), as a list."""
    if is_numpy(value) and value.ndim == 1:
        return value.tolist()
    return list(value) if isinstance(value, (list, tuple, range)) else [value]


def checked_sizes(sizes):
    """{name: value or values} as {name: list of integers}."""
    found = {}
    for name, values in (sizes or {}).items():
        found[name] = listed(values)
        if not found[name] or any(isinstance(v, bool) or not hasattr(v, "__index__") for v in found[name]):
            raise UsageError(f"sizes: {name} is {values!r}, which has to be an integer or a list of them")
        found[name] = [value.__index__() for value in found[name]]
    return found


def set_words(sizes):
    """--set for sizes."""
    parts = [f"{name}={':'.join(map(str, values))}" for name, values in checked_sizes(sizes).items()]
    return ["--set", ",".join(parts)] if parts else []


def option_words(named):
    """Options of fpdiff from Python's: seed=7 is --seed 7, reroll=True is --reroll, a list has commas."""
    words = []
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        words.append(option)
        if value is not True:
            words.append(",".join(map(str, listed(value))))
    return words


class CheckWarning(UserWarning):
    """What a check that passes does not cover."""


def compare(paths, words, raises=True, folder=None, notes=(), left=None, warns=True):
    """A Report of `fpdiff PATHS WORDS`. folder: as for Report. notes, left: of record_variants(). warns: notes of what
    passes are warnings."""
    __tracebackhide__ = True  # in pytest's
    result = library.call([*words, "--maps", "--", *paths], keeps_arrays=True)
    report = Report(result, folder)
    if report.status == 0 and not report.cases:
        raise UsageError(f"nothing was compared, with these options: {' '.join(words)}")
    report.notes = [*notes, *(note for pair in report.pairs for note in pair_notes(pair)), *replay_notes(report, left or {})]
    if warns and report.status == 0:
        for note in report.notes:
            warnings.warn(note, CheckWarning, stacklevel=3)
    if raises and report.status == 1:
        raise CheckFailed(report)
    if raises and report.status:
        raise CheckError(report)
    return report


def pair_notes(pair):
    """What an equal pair's data could not tell."""
    missed = pair.missed or {}
    return [f"{pair.reference} | {pair.variant}: {missed['reason']}"] if missed.get("differs") else []


def check(case, *, inputs=None, sizes=None, modes=None, tolerance=None, folder=None, outside_tiles=None, raises=True, **options):
    """Compares the variants of a case, and returns a Report.

        congruent.check("attention.yaml", sizes={"N": [1000, 1024]})
        congruent.check({"plain": plain, "fused": fused}, inputs=make, sizes={"n": [1000, 1024]})

    case: the path of a case file, or several; a recording; or variants, {name: function}, the first the reference. Each
    function is recorded (congruent.record), with the same data; the arrays that it returns are the results, or, if it
    returns None, the inputs that it stores to.
    inputs: of variants, what the functions are called with: a mapping, or a function that makes one of the sizes. Each
    variant gets copies of arrays.
    sizes: values of the case's parameters in place of its own, {name: value or values}: each combination is compared.
    modes: "fpsan", "ieee", or both (what the case says); with "wide" the accuracy is measured, too.
    tolerance: of variants, for the numbers: (rtol, atol).
    outside_tiles: what a tile wholly outside its array is: "error" (default) or "padding", as GPUs make of it.
    folder: of variants, where the recorded cases are kept; default: they are not.
    options: of fpdiff's command line, with _ for -: seed=7, runs=4, math=["ieee", "fast"], reroll=True, range=True.
    raises: CheckFailed (an AssertionError, so that a test fails with the report as its text) where variants diverge or
    the case could not have failed, CheckError where it could not be run. False: the report says so, too."""
    __tracebackhide__ = True
    words = option_words({"modes": modes, "outside_tiles": outside_tiles, **options})
    if isinstance(case, Mapping):
        with contextlib.ExitStack() as stack:
            place = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="congruent-check-"))
            settings = {"outside_tiles": outside_tiles or "error"}
            paths, notes, left = record_variants(case, inputs, sizes, tolerance, Path(place), settings)
            return compare(paths, words, raises, None if folder else place, notes, left=left)
    if inputs is not None or tolerance is not None or folder is not None:
        raise UsageError("inputs, tolerance and folder are for variants; a case file has its own")
    try:
        paths = [os.fspath(getattr(each, "path", each)) for each in (case if isinstance(case, (list, tuple)) else [case])]
    except TypeError as error:
        raise UsageError(f"check() takes the path of a case, a recording, or variants: {error}") from None
    if not paths:
        raise UsageError("check() takes the path of a case, a recording, or variants")
    return compare(paths, [*set_words(sizes), *words], raises)


# ---- variants


def combinations(sizes):
    """{name: value or values} as a list of {name: value}, the last name varying fastest."""
    sizes = checked_sizes(sizes)
    return [dict(zip(sizes, values)) for values in itertools.product(*sizes.values())]


def made_inputs(inputs, values):
    if callable(inputs):
        from .cutile_recording import torch_on_cpu

        with torch_on_cpu(quiet):
            made = inputs(**values)
    else:
        made = inputs
    if made is None:
        return dict(values)
    if not isinstance(made, Mapping):
        raise UsageError(f"inputs is a {type(made).__name__}, which has to be a mapping, or a function that returns one")
    return dict(made)


PLAIN = (type(None), bool, int, float, complex, str, bytes)


def result_leaves(value, name):
    """What a variant returns: its arrays, and its numbers and texts, both by what messages call them."""
    arrays, others = {}, {}
    for label, leaf in leaves(value, "result"):
        if label in arrays or label in others:
            raise UsageError(f"variant {name} returns two values that are called {label}: give them other keys")
        if is_array(leaf):
            arrays[label] = leaf
        elif isinstance(plain(leaf), PLAIN):
            others[label] = plain(leaf)
        else:
            raise UsageError(f"variant {name} returns a {type(leaf).__name__} ({label}); results are arrays")
    if not arrays and value is not None:
        raise UsageError(
            f"variant {name} returns no arrays; one that returns None is compared by the inputs that it stores: results "
            "are arrays"
        )
    return arrays, others


class Result:
    """A result of a variant: what messages call it, its allocation and buffer, and the shape and element type that it is
    returned with (None: it is an input that was stored to)."""

    def __init__(self, label, allocation, shape=None, dtype=None):
        self.label, self.allocation, self.buffer = label, allocation, allocation.buffer
        self.shape, self.dtype = shape, dtype
        if allocation.read() != allocation.current:
            raise UsageError(f"{label} was changed by the script after the last launch that had it")


def returned_result(recorder, label, array):
    """The Result of an array that was returned: a whole one, since whole buffers are compared."""
    found = recorder.memory.array(array, label)
    if 0 in found.shape:
        raise UsageError(f"{label} has no elements, so there is nothing to compare")
    if found.allocation.buffer is None:
        raise UsageError(f"{label} is no array that a launch had")
    if not found.is_whole():
        raise UsageError(f"{label} is a part of an array, or turned: results are whole arrays, as launches store them")
    return Result(label, found.allocation, tuple(found.shape), str(array.dtype).removeprefix("torch."))


def array_bytes(array):
    """The elements of an array, row by row; None of a tensor without memory here."""
    if is_numpy(array):
        return array.tobytes()
    if not has_memory(array):
        return None
    import torch

    return array.detach().resolve_neg().resolve_conj().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def stored_inputs(recorder, name, arguments, before):
    """The Results of a variant that returns None, by label: the inputs that its launches stored to. `before`: {label:
    array as it was}; one that the script itself changed is an error, since that is not compared."""
    found = {}
    for label, array in labelled(arguments, "inputs"):
        said, allocation = f"{label} of variant {name}", allocation_of(recorder, array)
        if allocation is None:  # no kernel can have it
            continue
        if allocation.buffer is not None and allocation.buffer.written:
            if all(other.allocation is not allocation for other in found.values()):
                found[label] = Result(said, allocation)
            continue
        changed = allocation.buffer is not None and allocation.read() != allocation.current
        if changed or (label in before and array_bytes(array) != array_bytes(before[label])):
            raise UsageError(f"{said} was changed by the script and not by a launch, and only what launches store is compared")
    if not found and recorder.variant.launches:
        raise UsageError(f"variant {name} returns None and stores to none of its inputs: return the results")
    return found


def find_results(recorder, name, returned, arguments, before):
    """The Results of a variant, by label: of what it returns, or, if that is None, of the inputs that it stores; and the
    numbers and texts beside them."""
    arrays, others = result_leaves(returned, name)
    if returned is None:
        return stored_inputs(recorder, name, arguments, before), {}
    results = {label: returned_result(recorder, f"{label} of variant {name}", array) for label, array in arrays.items()}
    return results, others


class Reference:
    """What the first variant returned, for the others: its Results and what is beside them, its inputs."""

    def __init__(self, results, others, arguments, recorder):
        self.results, self.others = results, others
        self.inputs = {label: buffer_of(recorder, array) for label, array in labelled(arguments, "inputs")}
        self.compare = compared(results)


def compared(results):
    """The names of their buffers."""
    return list(dict.fromkeys(result.buffer.name for result in results.values()))


def allocation_of(recorder, array):
    """None of an array that kernels cannot have."""
    try:
        return recorder.memory.array(array, "an input").allocation
    except RecordError:
        return None


def buffer_of(recorder, array):
    return getattr(allocation_of(recorder, array), "buffer", None)


def pair_results(reference, results, others, name):
    """Folder.add's `pairs` of a variant's results. One array is a result in all the places where the reference's is."""
    mine, its = set(results) | set(others), set(reference.results) | set(reference.others)
    if mine != its or set(results) != set(reference.results):
        said = ", ".join(sorted(mine ^ its or set(results) ^ set(reference.results)))
        raise UsageError(f"variant {name} and the reference have other results: {said} is of one of them only")
    for label, value in others.items():
        if repr(value) != repr(reference.others[label]):
            raise UsageError(f"{label} of variant {name} is {value!r}, of the reference {reference.others[label]!r}")
    pairs, of = [], {}
    for label, result in results.items():
        other = reference.results[label]
        if result.shape != other.shape:
            raise UsageError(f"{result.label} has shape {result.shape}, of the reference {other.shape}")
        if result.dtype != other.dtype:
            raise UsageError(f"{result.label} has elements of type {result.dtype}, of the reference {other.dtype}")
        known = of.setdefault(id(result.buffer), other.buffer)
        if known is not other.buffer:
            raise UsageError(f"{result.label} is the array of another result, too, and of the reference it is another one")
        if all(buffer is not result.buffer for buffer, _, _ in pairs):
            pairs.append((result.buffer, other.buffer.name, result.label))
    if len(pairs) != len({old for _, old, _ in pairs}):
        raise UsageError(f"variant {name} has two arrays where the reference has one as two results")
    return pairs


def record_variant(recording, name, function, inputs, reference):
    """Records a variant with copies of the inputs. `reference`: None for the first. Returns the Reference; notes:
    what is not compared, although launches stored it; {(name, buffer): what a result holds}."""
    arguments = Copies(inputs).made()
    with recording.variant(name, compare=reference.compare if reference else lambda: compared(results)) as recorder:
        know_memory(recorder, arguments)
        returned = function(**arguments)
        arguments = getattr(function, "arguments", arguments)
        results, others = find_results(recorder, name, returned, arguments, dict(labelled(inputs, "inputs")))
        if reference is not None:
            recorder.pairs = pair_results(reference, results, others, name)
            for label, array in labelled(arguments, "inputs"):
                mine, other = buffer_of(recorder, array), reference.inputs.get(label)
                if mine is not None and other is not None:
                    recorder.labelled.setdefault(id(mine), other.name)
    notes = [
        f"variant {name}: {buffer.name}, which a launch stores, is neither read by a later launch nor returned: it is not "
        "compared, nor what the code makes of it"
        for buffer in recorder.variant.buffers
        if buffer.result and buffer.addresses is None and buffer.name not in recording.compared
    ]
    left = {(name, result.buffer.name): result.allocation.current for result in results.values()}
    return reference or Reference(results, others, arguments, recorder), notes, left


def know_memory(recorder, arguments):
    """Tells a recorder of the memory that the arrays among the arguments lie in, as a whole, whichever view a launch has
    first."""
    for low, high, keep in merged_memory(array for _, array in labelled(arguments, "inputs")):
        recorder.memory.add(low, high - low, keep)
    for label, array in labelled(arguments, "inputs"):
        with contextlib.suppress(RecordError):  # what kernels cannot have: it is no error unless a launch has it
            found = recorder.memory.array(array, label)
            recorder.known.setdefault(found.allocation.start, found)


def add_tolerance(path, tolerance):
    rtol, atol = tolerance
    with open(path, "a") as case:
        case.write(f"tolerance: {{ieee: {{rtol: {rtol!r}, atol: {atol!r}}}}}\n")


def quiet(text):
    """Of a recording for a check nothing is told."""


def checked_tolerance(tolerance):
    """(rtol, atol) as floats, of which 0 and more are finite."""
    try:
        rtol, atol = map(float, tolerance)
    except (TypeError, ValueError):
        raise UsageError(f"tolerance is {tolerance!r}, which has to be (rtol, atol)") from None
    if not (0 <= rtol < math.inf and 0 <= atol < math.inf):
        raise UsageError(f"tolerance is {tolerance!r}, which has to be finite and not negative")
    return rtol, atol


def record_variants(variants, inputs, sizes, tolerance, folder, settings):
    """Records the variants with each combination of sizes. `settings`: of record(). Returns the paths of the cases,
    notes, and {(index of the case, variant, buffer): what a result holds}."""
    for name, function in variants.items():
        if not isinstance(name, str) or not callable(function):
            raise UsageError(f"variants are {{name: function}}, found {name!r}: {function!r}")
    tolerance = tolerance if tolerance is None else checked_tolerance(tolerance)
    if len(variants) < 2:
        raise UsageError(f"check() needs two variants, found {', '.join(map(str, variants)) or 'none'}")
    paths, notes, left = [], [], {}
    for values in combinations(sizes):
        title = ", ".join(f"{name} = {value}" for name, value in values.items())
        place = folder / "_".join(f"{name}{value}" for name, value in values.items()) if values else folder
        recording, reference = record(place, title=title or " | ".join(variants), tell=quiet, **settings), None
        recording.forget()
        arguments = made_inputs(inputs, values)
        for name, function in variants.items():
            reference, found, results = record_variant(recording, name, function, arguments, reference)
            left.update({(len(paths), *key): data for key, data in results.items()})
            notes += [f"{title}: {note}" if title else note for note in found]
        if tolerance is not None:
            add_tolerance(recording.path, tolerance)
        paths.append(os.fspath(recording.path))
    return paths, notes, left
