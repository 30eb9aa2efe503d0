# SPDX-License-Identifier: Apache-2.0
"""check(): the variants of a case compared, in this process."""

import contextlib
import itertools
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import library
from .errors import UsageError
from .memory import is_array, is_numpy, is_torch
from .report import Report


def record(*arguments, **named):
    from .cutile_recording import record as begin  # needs cuTile, which checks of case files do not

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
    """A value, or a list of values, as a list."""
    return list(value) if isinstance(value, (list, tuple, range)) else [value]


def set_words(sizes):
    """--set for sizes: {name: value or values}."""
    parts = []
    for name, values in (sizes or {}).items():
        values = listed(values)
        if not values or any(isinstance(v, bool) or not hasattr(v, "__index__") for v in values):
            raise UsageError(f"sizes: {name} is {values}, which has to be an integer or several")
        parts.append(f"{name}={':'.join(str(v.__index__()) for v in values)}")
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
    returns None, the arrays that every variant stores to and no launch reads.
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
    names = list(sizes or {})
    return [dict(zip(names, values)) for values in itertools.product(*(listed(sizes[name]) for name in names))]


def made_inputs(inputs, values):
    made = inputs(**values) if callable(inputs) else inputs
    if made is None:
        return dict(values)
    if not isinstance(made, Mapping):
        raise UsageError(f"inputs is a {type(made).__name__}, which has to be a mapping, or a function that returns one")
    return dict(made)


def copied(value):
    """Arrays of numpy and torch, also in lists and tuples, as copies with the same strides."""
    if is_numpy(value):
        return value.copy(order="K")
    if is_torch(value):
        return value.clone()
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return value


def result_arrays(value):
    """The arrays that a variant returns, in order."""
    if value is None:
        return []
    if is_array(value):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in result_arrays(item)]
    raise UsageError(f"a variant returns a {type(value).__name__}; results are arrays")


def result_names(recorder, name, returned):
    """The buffers of the arrays that a variant returns."""
    found = []
    for number, array in enumerate(result_arrays(returned), 1):
        allocation = recorder.memory.array(array, f"result {number} of variant {name}").allocation
        if allocation.buffer is None:
            raise UsageError(f"result {number} of variant {name} is no array that a launch had")
        found.append(allocation.buffer.wanted)
    return found


def record_variant(recording, name, function, arguments, results):
    """Records a variant. `results`: the names of the buffers that it returns; those of the first variant are put there,
    and those of others are the same ones."""
    same = {}
    with recording.variant(name, same=same, compare=results) as recorder:
        names = result_names(recorder, name, function(**copied_arguments(arguments)))
        if not recording.recorders:
            results += names
            return
        if len(names) != len(results):
            raise UsageError(f"variant {name} returns {len(names)} arrays, the reference {len(results)}")
        same.update(zip(names, results))


def copied_arguments(arguments):
    return {name: copied(value) for name, value in arguments.items()}


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
        recording, results = record(place, title=title or " | ".join(variants), tell=quiet), []
        arguments = made_inputs(inputs, values)
        for name, function in variants.items():
            record_variant(recording, name, function, arguments, results)
        if tolerance is not None:
            add_tolerance(recording.path, tolerance)
        paths.append(os.fspath(recording.path))
    return paths
