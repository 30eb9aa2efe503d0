# SPDX-License-Identifier: Apache-2.0
"""Tests that launch cuTile kernels, without a GPU: `CONGRUENT=1 pytest`, or with `-p congruent_gpu.pytest_plugin` where the
package is not installed.

Without the variable (or with CONGRUENT=0) nothing happens. With it, until pytest ends: ct.launch runs kernels on the
CPU, ct.tune takes the first candidate, tensors on "cuda" are on the CPU, and what tests ask of torch.cuda is answered.
Options of congruent_gpu.run may be its value: CONGRUENT=outside_tiles=padding,check_assume. docs/python.md."""

import contextlib
import os
import time

import pytest

from .errors import needs_packages

VARIABLE = "CONGRUENT"


SWITCHES = {"0": False, "false": False, "1": True, "true": True}
KNOWN = {"check_assume": SWITCHES, "outside_tiles": None, "unspecified": None}  # None: Runner knows the values
EXPECTED = "expected 1, or some of check_assume, outside_tiles=error|padding, unspecified=zero|nan|random"


def options_of(text):
    """Options of Runner from the variable's value: {name: value}; check_assume may be alone. ValueError: it is wrong."""
    options = {}
    for part in filter(None, map(str.strip, text.split(","))):
        if part == "1":
            continue
        name, equals, value = part.partition("=")
        if name not in KNOWN or (not equals and KNOWN[name] is None):
            raise ValueError(EXPECTED)
        if KNOWN[name] is not None:
            if equals and value.lower() not in KNOWN[name]:
                raise ValueError(f"{name} is {value!r}, which has to be 0 or 1")
            value = KNOWN[name][value.lower()] if equals else True
        options[name] = value
    return options


def launches_text(count):
    return f"{count} launch{'' if count == 1 else 'es'}"


class Plugin:
    """Installed while pytest runs. Counts launches, and remembers the slowest."""

    def __init__(self, runner):
        self.runner, self.stack = runner, contextlib.ExitStack()
        self.count, self.seconds, self.slowest, self.told = 0, 0.0, (0.0, ""), []
        self.item = ""
        self.failed = {}  # of each test: what went wrong with its first launch that failed

    def install(self):
        with contextlib.suppress(ImportError):
            import torch  # noqa: F401
        from .cutile_recording import launches_on_cpu

        self.stack.enter_context(launches_on_cpu(self, self.told.append))

    def launch(self, stream, grid, kernel, values, /, **options):
        begin = time.perf_counter()
        name = getattr(getattr(kernel, "_pyfunc", None), "__name__", "?")
        try:
            self.runner.launch(stream, grid, kernel, values, **options)
        except Exception as error:
            self.failed.setdefault(self.item, f"{type(error).__name__}: {' '.join(str(error).split())}")
            raise
        finally:
            spent = time.perf_counter() - begin
            self.count, self.seconds = self.count + 1, self.seconds + spent
            self.slowest = max(self.slowest, (spent, f"{name} in {self.item}" if self.item else name))

    def search(self, *arguments, **options):
        return self.runner.search(*arguments, **options)

    def summary(self):
        if not self.count:
            return "congruent: no launches"
        spent, where = self.slowest
        return (
            f"congruent: {launches_text(self.count)} on the CPU in {self.seconds:.1f} s, the slowest {spent:.1f} s ({where})"
        )

    def totals(self):
        return {"count": self.count, "seconds": self.seconds, "slowest": self.slowest, "told": self.told}

    def add(self, totals):
        """Those of a process that ran a part of the tests."""
        self.count, self.seconds = self.count + totals["count"], self.seconds + totals["seconds"]
        self.slowest = max(self.slowest, tuple(totals["slowest"]))
        self.told += [line for line in totals["told"] if line not in self.told]

    # ---- hooks
    def pytest_runtest_logstart(self, nodeid):
        self.item = nodeid

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """A test that passes although a launch failed went on without it, perhaps by another way."""
        outcome = yield
        if outcome.get_result().outcome == "failed":
            self.failed.pop(item.nodeid, None)

    def pytest_runtest_logfinish(self):
        error = self.failed.pop(self.item, None)
        if error is not None:
            self.told.append(f"{self.item} went on after a launch that failed: {error}")
        self.item = ""

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        self.stack.close()  # which tells what tests asked of torch.cuda in vain
        if hasattr(session.config, "workeroutput"):  # of pytest-xdist
            session.config.workeroutput["congruent"] = self.totals()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.add(getattr(node, "workeroutput", {}).get("congruent", Plugin(None).totals()))

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.write_line(self.summary())
        for line in self.told:
            terminalreporter.write_line(f"congruent: {line}")

    def pytest_unconfigure(self):
        self.stack.close()


def pytest_load_initial_conftests(early_config):
    """Before conftest.py files, which may ask for a GPU, are read."""
    value = os.environ.get(VARIABLE, "")
    if value in ("", "0"):
        return
    try:
        with needs_packages():
            from .running import Runner

        plugin = Plugin(Runner(**options_of(value)))
        early_config.add_cleanup(plugin.stack.close)  # also where pytest ends before it is configured
        plugin.install()
    except (ImportError, ValueError, RuntimeError) as error:
        raise pytest.UsageError(f"{VARIABLE}={value}: {error}") from None
    early_config.pluginmanager.register(plugin, "congruent")
