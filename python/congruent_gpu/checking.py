# SPDX-License-Identifier: Apache-2.0
"""check(): the variants of a case compared, in this process."""

import contextlib
import itertools
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import library
from .containers import Copies, labelled
from .errors import UsageError, needs_packages
from .memory import is_numpy
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


class CheckError(RuntimeError):
    """A case is wrong, or something could not be compiled or run. `report`: what there is."""

    def __init__(self, report):
        super().__init__((report.errors or report.text).strip())
        self.report = report


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


def compare(paths, words, raises=True, folder=None):
    """A Report of `fpdiff PATHS WORDS`. folder: as for Report."""
    __tracebackhide__ = True  # in pytest's
    result = library.call([*words, "--maps", "--", *paths], keeps_arrays=True)
    report = Report(result, folder)
    if raises and report.status == 1:
        raise CheckFailed(report)
    if raises and report.status:
        raise CheckError(report)
    return report


def check(case, *, inputs=None, sizes=None, modes=None, tolerance=None, folder=None, raises=True, **options):
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
    folder: of variants, where the recorded cases are kept; default: they are not.
    options: of fpdiff's command line, with _ for -: seed=7, runs=4, math=["ieee", "fast"], reroll=True, range=True.
    raises: CheckFailed (an AssertionError, so that a test fails with the report as its text) where variants diverge or
    the case could not have failed, CheckError where it could not be run. False: the report says so, too."""
    __tracebackhide__ = True
    words = option_words({"modes": modes, **options})
    if isinstance(case, Mapping):
        with contextlib.ExitStack() as stack:
            place = folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="congruent-check-"))
            paths = record_variants(case, inputs, sizes, tolerance, Path(place))
            return compare(paths, words, raises, None if folder else place)
    if inputs is not None or tolerance is not None or folder is not None:
        raise UsageError("inputs, tolerance and folder are for variants; a case file has its own")
    paths = [os.fspath(getattr(each, "path", each)) for each in (case if isinstance(case, (list, tuple)) else [case])]
    if not paths:
        raise UsageError("check() takes the path of a case, a recording, or variants")
    return compare(paths, [*set_words(sizes), *words], raises)


# ---- variants


def combinations(sizes):
    """{name: value or values} as a list of {name: value}, the last name varying fastest."""
    sizes = checked_sizes(sizes)
    return [dict(zip(sizes, values)) for values in itertools.product(*sizes.values())]


def made_inputs(inputs, values):
    made = inputs(**values) if callable(inputs) else inputs
    if made is None:
        return dict(values)
    if not isinstance(made, Mapping):
        raise UsageError(f"inputs is a {type(made).__name__}, which has to be a mapping, or a function that returns one")
    return dict(made)


def result_arrays(value):
    """The arrays that a variant returns, by what messages call them; None where it returns none."""
    if value is None:
        return None
    found = dict(labelled(value, "result"))
    if not found and not isinstance(value, (Mapping, list, tuple)):
        raise UsageError(f"a variant returns a {type(value).__name__}; results are arrays")
    if not found:
        raise UsageError("a variant returns no arrays; one that returns None is compared by the inputs that it stores")
    return found


class Result:
    """A result of a variant: what messages call it, its allocation and buffer, and the shape that it is returned with
    (None: it is an input that was stored to)."""

    def __init__(self, label, allocation, shape=None):
        self.label, self.allocation, self.shape, self.buffer = label, allocation, shape, allocation.buffer
        if allocation.read() != allocation.current:
            raise UsageError(f"{label} was changed by the script after the last launch that had it")


def returned_result(recorder, label, array):
    """The Result of an array that was returned: a whole one, since whole buffers are compared."""
    found = recorder.memory.array(array, label)
    if found.allocation.buffer is None:
        raise UsageError(f"{label} is no array that a launch had")
    if not found.is_whole():
        raise UsageError(f"{label} is a part of an array, or turned: results are whole arrays, as launches store them")
    return Result(label, found.allocation, tuple(found.shape))


def find_results(recorder, name, returned, arguments):
    """The Results of a variant, by label: of what it returns, or, if that is None, of the inputs that it stores."""
    arrays = result_arrays(returned)
    if arrays is not None:
        return {label: returned_result(recorder, f"{label} of variant {name}", array) for label, array in arrays.items()}
    found = {}
    for label, array in labelled(arguments, "inputs"):
        allocation = recorder.memory.array(array, label).allocation
        known = any(other.allocation is allocation for other in found.values())
        if allocation.buffer is not None and allocation.buffer.written and not known:
            found[label] = Result(f"{label} of variant {name}", allocation)
    if not found and recorder.variant.launches:
        raise UsageError(f"variant {name} returns None and stores to none of its inputs: return the results")
    return found


class Reference:
    """What the first variant returned, for the others: its Results, its inputs."""

    def __init__(self, results, arguments, recorder):
        self.results = results
        self.inputs = {label: buffer_of(recorder, array) for label, array in labelled(arguments, "inputs")}
        self.compare = compared(results)


def compared(results):
    """The names of their buffers."""
    return list(dict.fromkeys(result.buffer.name for result in results.values()))


def buffer_of(recorder, array):
    return recorder.memory.array(array, "an input").allocation.buffer


def pair_results(reference, results, name):
    """Folder.add's `pairs` of a variant's results. One array is a result in all the places where the reference's is."""
    if set(results) != set(reference.results):
        said = ", ".join(sorted(set(results) ^ set(reference.results)))
        raise UsageError(f"variant {name} and the reference have other results: {said} is of one of them only")
    pairs, of = [], {}
    for label, result in results.items():
        other = reference.results[label]
        if result.shape != other.shape:
            raise UsageError(f"{result.label} has shape {result.shape}, of the reference {other.shape}")
        known = of.setdefault(id(result.buffer), other.buffer)
        if known is not other.buffer:
            raise UsageError(f"{result.label} is the array of another result, too, and of the reference it is another one")
        if all(buffer is not result.buffer for buffer, _, _ in pairs):
            pairs.append((result.buffer, other.buffer.name, result.label))
    if len(pairs) != len({old for _, old, _ in pairs}):
        raise UsageError(f"variant {name} has two arrays where the reference has one as two results")
    return pairs


def record_variant(recording, name, function, inputs, reference):
    """Records a variant with copies of the inputs. `reference`: None for the first. Returns the Reference."""
    arguments = Copies().of(inputs)
    with recording.variant(name, compare=reference.compare if reference else lambda: compared(results)) as recorder:
        returned = function(**arguments)
        arguments = getattr(function, "arguments", arguments)
        results = find_results(recorder, name, returned, arguments)
        if reference is not None:
            recorder.pairs = pair_results(reference, results, name)
            for label, array in labelled(arguments, "inputs"):
                mine, other = buffer_of(recorder, array), reference.inputs.get(label)
                if mine is not None and other is not None:
                    recorder.labelled.setdefault(id(mine), other.name)
    return reference or Reference(results, arguments, recorder)


def add_tolerance(path, tolerance):
    rtol, atol = tolerance
    with open(path, "a") as case:
        case.write(f"tolerance: {{ieee: {{rtol: {float(rtol)!r}, atol: {float(atol)!r}}}}}\n")


def quiet(text):
    """Of a recording for a check nothing is told."""


def record_variants(variants, inputs, sizes, tolerance, folder):
    """Records the variants with each combination of sizes. Returns the paths of the cases."""
    if len(variants) < 2:
        raise UsageError(f"check() needs two variants, found {', '.join(map(str, variants)) or 'none'}")
    paths = []
    for values in combinations(sizes):
        title = ", ".join(f"{name} = {value}" for name, value in values.items())
        place = folder / "_".join(f"{name}{value}" for name, value in values.items()) if values else folder
        recording, reference = record(place, title=title or " | ".join(variants), tell=quiet), None
        recording.forget()
        arguments = made_inputs(inputs, values)
        for name, function in variants.items():
            reference = record_variant(recording, name, function, arguments, reference)
        if tolerance is not None:
            add_tolerance(recording.path, tolerance)
        paths.append(os.fspath(recording.path))
    return paths
