# SPDX-License-Identifier: Apache-2.0
"""check(): the variants of a case compared, in this process."""

import os
from collections.abc import Mapping

from . import library
from .errors import UsageError
from .report import Report


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


def compare(paths, words, raises=True):
    """A Report of `fpdiff PATHS WORDS`."""
    result = library.call([*words, "--maps", "--", *paths], keeps_arrays=True)
    report = Report(result)
    if raises and report.status == 1:
        raise CheckFailed(report)
    if raises and report.status:
        raise CheckError(report)
    return report


def check(case, *, sizes=None, modes=None, raises=True, **options):
    """Compares the variants of a case, and returns a Report.

        congruent.check("attention.yaml", sizes={"N": [1000, 1024]})

    case: the path of a case file, or several; or a recording.
    sizes: values of the case's parameters in place of its own, {name: value or values}: each combination is compared.
    modes: "fpsan", "ieee", or both (what the case says); with "wide" the accuracy is measured, too.
    options: of fpdiff's command line, with _ for -: seed=7, runs=4, math=["ieee", "fast"], reroll=True, range=True.
    raises: CheckFailed (an AssertionError, so that a test fails with the report as its text) where variants diverge or
    the case could not have failed, CheckError where it could not be run. False: the report says so, too."""
    paths = [os.fspath(getattr(each, "path", each)) for each in (case if isinstance(case, (list, tuple)) else [case])]
    if isinstance(case, Mapping) or not paths:
        raise UsageError("check() takes the path of a case, or a recording")
    words = [*set_words(sizes), *option_words({"modes": modes, **options})]
    return compare(paths, words, raises)
