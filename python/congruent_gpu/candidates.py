# SPDX-License-Identifier: Apache-2.0
"""same(): which candidates of a tuner compute what the reference computes."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .checking import compare, listed, made_inputs, option_words, quiet, record, record_variant
from .containers import Saved, labelled
from .errors import RecordError, UsageError

# Candidates of one case: each keeps its results and their payloads until the case is compared.
TOGETHER = 16


class Candidate:
    """A candidate, and what was found: `result` is "same", "different" or "failed"; `why`: the verdict, what went
    wrong, or what "same" does not cover; `pair`: of the report, with the elements (None where it failed)."""

    def __init__(self, name, config, function):
        self.name, self.config, self.function = name, config, function
        self.result, self.why, self.pair = None, "", None

    def __repr__(self):
        return f"<candidate {self.name}: {self.result}>"


class Candidates:
    """What same() found. True if all candidates compute the same. `reports`: of fpdiff, with a pair for each."""

    def __init__(self, reference, candidates, reports):
        self.reference, self.candidates, self.reports = reference, candidates, reports

    def _of(self, result):
        return [candidate for candidate in self.candidates if candidate.result == result]

    same = property(lambda self: self._of("same"), doc="Candidates that compute what the reference computes.")
    different = property(lambda self: self._of("different"), doc="Those that compute another formula.")
    failed = property(lambda self: self._of("failed"), doc="Those that cannot be exported or run.")

    def __bool__(self):
        return len(self.same) == len(self.candidates)

    def __str__(self):
        width = max((len(candidate.name) for candidate in self.candidates), default=0)
        lines = [f"{len(self.same)} of {len(self.candidates)} candidates compute what {self.reference} computes"]
        for candidate in self.candidates:
            why = " ".join(candidate.why.split())
            lines.append(f"  {candidate.name:<{width}}  {candidate.result}{': ' + why if why else ''}")
        return "\n".join(lines)

    __repr__ = __str__


class Launching:
    """Launches a tuner's candidate. `arguments`: of the last launch; restore() gives their arrays what they had before,
    for the next candidate."""

    def __init__(self, config, kernel, grid_fn, args_fn, hints_fn):
        self.config, self.kernel, self.grid_fn, self.args_fn, self.hints_fn = config, kernel, grid_fn, args_fn, hints_fn
        self.arguments, self._before = {}, None

    def __call__(self):
        import cuda.tile as ct

        chosen = self.kernel if isinstance(self.kernel, ct.kernel) else self.kernel(self.config)
        if self.hints_fn is not None:
            chosen = chosen.replace_hints(**self.hints_fn(self.config))
        arguments = tuple(self.args_fn(self.config))
        self._before = Saved([array for _, array in labelled(arguments, "arguments")])
        self.arguments = {"arguments": arguments}
        ct.launch(None, self.grid_fn(self.config), chosen, arguments)

    def restore(self):
        if self._before is not None:
            self._before.restore()
        self.arguments, self._before = {}, None


def restore(function):
    if isinstance(function, Launching):
        function.restore()


def named(candidates, of_tuner):
    """The candidates: of {name: function}, or of a tuner's search space, whose names are their configs."""
    if isinstance(candidates, Mapping) and not of_tuner:
        return [Candidate(str(name), name, function) for name, function in candidates.items()]
    if not of_tuner:
        raise UsageError("same() takes {name: function}, or a search space with kernel, grid_fn and args_fn")
    return [Candidate(str(config), config, Launching(config, **of_tuner)) for config in candidates]


def check_group(reference, group, inputs, words, folder, settings):
    """Compares candidates with the reference in one case. Returns the Report, or None where all of them fail."""
    recording = record(folder, title=f"candidates of {reference.name}", tell=quiet, **settings)
    try:
        first, about, _ = record_variant(recording, "reference", reference.function, inputs, None)
    finally:
        restore(reference.function)
    variants, notes = {}, {}
    for number, candidate in enumerate(group, 1):
        name = f"c{number}_" + re.sub(r"\W+", "_", candidate.name, flags=re.ASCII).strip("_")[:40]
        try:
            _, found, _ = record_variant(recording, name, candidate.function, inputs, first)
            variants[name], notes[name] = candidate, about + found
        except Exception as error:  # whatever a candidate's code, cuTile or the launch says
            candidate.result, candidate.why = "failed", f"{type(error).__name__}: {str(error).strip()}"
        finally:
            restore(candidate.function)
    if not variants:
        return None
    report = compare([str(recording.path)], words, raises=False, folder=folder, warns=False)
    if report.status and not report.cases:
        raise UsageError(report.errors.strip())
    if report.status > 1 and len(variants) > 1:  # one of them: each for itself
        return None
    for pair in report.pairs:
        if pair.mode == "fpsan":
            judge(variants[pair.variant], pair, notes[pair.variant])
    for candidate in variants.values():
        if candidate.result is None:
            candidate.result, candidate.why = "failed", report.errors.strip() or report.text.strip()
    return report


def judge(candidate, pair, notes):
    """Sets what a pair says of a candidate."""
    missed = pair.missed or {}
    vacuous = [
        row["message"]
        for row in pair.case.row.get("vacuous", [])
        if not row.get("allowed") and row.get("variant") in (None, pair.reference, pair.variant)
    ]
    candidate.pair = pair
    if pair.verdict != "equal":
        candidate.result, candidate.why = "different", pair.verdict
    elif vacuous:
        candidate.result, candidate.why = "failed", f"it could not have differed: {'; '.join(vacuous)}"
    elif missed.get("differs"):
        candidate.result, candidate.why = "different", missed["reason"]
    else:
        about = [missed["reason"]] if "reason" in missed else []
        candidate.result, candidate.why = "same", "; ".join(about + notes)


def same(candidates, reference, *, inputs=None, kernel=None, grid_fn=None, args_fn=None, hints_fn=None, **options):
    """Checks which candidates compute what the reference computes, as formulas. Returns Candidates.

        congruent.same({"tiles of 64": f, "tiles of 128": g}, plain, inputs={"x": x})
        congruent.same(search_space, search_space[0], kernel=matmul, grid_fn=grid, args_fn=args)

    candidates and reference: functions that launch kernels of cuTile and return their results, called with copies of
    `inputs` (a mapping); or what ct.tune.exhaustive_search takes: a search space and one of its configs (or a function),
    with `kernel`, `grid_fn`, `args_fn` and `hints_fn` as there. A candidate that cannot be exported or run is "failed".
    options: of fpdiff's command line, as for check()."""
    of_tuner = None
    if kernel is not None or grid_fn is not None or args_fn is not None:
        if kernel is None or grid_fn is None or args_fn is None:
            raise UsageError("a search space needs kernel, grid_fn and args_fn")
        of_tuner = {"kernel": kernel, "grid_fn": grid_fn, "args_fn": args_fn, "hints_fn": hints_fn}
    found = named(candidates, of_tuner)
    if not found:
        raise UsageError("there are no candidates")
    if callable(reference):
        first = Candidate(getattr(reference, "__name__", "the reference"), None, reference)
    elif of_tuner:
        first = Candidate(str(reference), reference, Launching(reference, **of_tuner))
    else:
        raise UsageError("the reference is no function")
    if "fpsan" not in listed(options.get("modes", "fpsan")):
        raise UsageError("same() compares formulas: modes has to have fpsan")
    made, words, reports = made_inputs(inputs, {}), option_words({"modes": ["fpsan"], **options}), []
    settings = {"outside_tiles": options.get("outside_tiles") or "error"}
    with tempfile.TemporaryDirectory(prefix="congruent-same-") as place:
        groups = [found[i : i + TOGETHER] for i in range(0, len(found), TOGETHER)]
        while groups:
            group = groups.pop(0)
            folder = Path(place) / f"group{len(reports)}_{len(groups)}_{len(group)}"
            try:
                report = check_group(first, group, made, words, folder, settings)
            except RecordError as error:
                raise RecordError(f"the reference, {first.name}: {error}") from error
            if report is not None:
                reports.append(report)
                report.arrays()  # the files go
            else:
                groups = [[candidate] for candidate in group if candidate.result is None] + groups
    return Candidates(first.name, found, reports)
