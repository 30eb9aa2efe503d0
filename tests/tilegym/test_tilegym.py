# SPDX-License-Identifier: Apache-2.0
# TileGym's cuTile operators, all that its registry has, against PyTorch: CONGRUENT=outside_tiles=padding pytest tests/tilegym
import os
import subprocess
import sys
import time

import pytest
import rows
import table
import torch

import congruent_gpu as congruent
import tilegym.ops  # noqa: F401
import tilegym.suites.flashinfer
import tilegym.suites.liger
import tilegym.suites.unsloth  # noqa: F401
from tilegym.backend.dispatcher import _REGISTRY

table.load_rows()
OPERATORS = sorted(name for name, backends in _REGISTRY.items() if "cutile" in backends)
# Runs a program, and prints how many MiB it needed.
MEASURED = """import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(status)"""


def call(name):
    """The pairs of an operator's row."""
    if name in rows.REFUSED:
        pytest.skip(rows.REFUSED[name])
    assert name in rows.ROWS, f"no row for {name}"
    torch.manual_seed(0)
    return rows.ROWS[name][0](_REGISTRY[name]["cutile"])


@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name):
    pairs = call(name)
    assert pairs
    for number, (found, expected) in enumerate(pairs):
        rtol, atol = rows.ROWS[name][1] or rows.TOLERANCES.get(found.dtype, (0, 0))
        told = lambda text: f"{name}, result {number}: {text}"  # noqa: E731
        torch.testing.assert_close(found.detach(), expected.detach().to(found.dtype), rtol=rtol, atol=atol, msg=told)


@pytest.mark.parametrize("name", rows.GRADIENTS)
def test_gradient(name, monkeypatch):
    monkeypatch.setattr(rows, "LEAVES", leaves := [])
    pairs = [pair for pair in call(name) if pair[0].requires_grad and pair[1].requires_grad]
    weights = [torch.randn(found.shape) for found, _ in pairs]

    def gradients(column):  # PyTorch's first, as operators may store theirs into what the forward pass kept
        total = sum((pair[column].float() * weight).sum() for pair, weight in zip(pairs, weights))
        return torch.autograd.grad(total, leaves, allow_unused=True, retain_graph=column == 1)

    expected, found = gradients(1), gradients(0)
    both = [(x.float(), y.float()) for x, y in zip(found, expected) if x is not None and y is not None]
    assert both
    rtol, atol = rows.ROWS[name][1] or (0, 0)
    for x, y in both:
        size = max(1, float(y.abs().max()))
        torch.testing.assert_close(x, y, rtol=max(rtol, 2e-2), atol=max(atol, 2e-2) * size)


def test_operator_table():
    assert not {*rows.ROWS, *rows.REFUSED} - set(OPERATORS)
    assert len(rows.REFUSED) <= len(OPERATORS) // 10
    assert table.in_page(table.PAGE.read_text()) == table.table(OPERATORS)


@pytest.fixture(scope="module")
def measured(request):
    """What test_tower measures: (seconds, MiB, operator) of each. The most of each is printed in the end."""
    found = []
    yield found
    if found:
        seconds, memory = max(found), max(found, key=lambda row: row[1])
        with request.config.pluginmanager.get_plugin("capturemanager").global_and_fixture_disabled():
            print(f"\nslowest in the tower: {seconds[0]:.1f} s, {seconds[2]}; most memory: {memory[1]} MiB, {memory[2]}")


@pytest.mark.parametrize("name", OPERATORS)
def test_tower(name, tmp_path, measured):
    """The launches of the operator, recorded as a case, run with payloads: no argument is refused, nothing fails."""
    recording = congruent.record(tmp_path / "case", tell=lambda text: None, outside_tiles="padding")
    with recording.variant("one"):
        call(name)
    run = ["run", recording.path, "-v", "one", "-m", "fpsan", "--quiet", "--outside-tiles=padding", "-o", tmp_path / "out"]
    begin = time.perf_counter()
    command = [sys.executable, "-S", "-c", MEASURED, os.environ["FPDIFF"], *run]
    done = subprocess.run(command, capture_output=True, text=True)
    measured.append((time.perf_counter() - begin, int(done.stdout), name))
    assert not done.returncode, done.stderr
