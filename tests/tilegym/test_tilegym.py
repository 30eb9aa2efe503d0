# SPDX-License-Identifier: Apache-2.0
# TileGym's cuTile operators, all that its registry has, against PyTorch: CONGRUENT=1 pytest tests/tilegym
import importlib

import pytest
import rows
import torch

import tilegym.ops  # noqa: F401
import tilegym.suites.flashinfer
import tilegym.suites.liger
import tilegym.suites.unsloth  # noqa: F401
from tilegym.backend.dispatcher import _REGISTRY

for family in ("ops", "attention", "states", "flashinfer", "liger", "unsloth"):
    importlib.import_module(f"rows_{family}")
OPERATORS = sorted(name for name, backends in _REGISTRY.items() if "cutile" in backends)


@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name):
    if name in rows.REFUSED:
        pytest.skip(rows.REFUSED[name])
    assert name in rows.ROWS, f"no row for {name}"
    call, tolerance = rows.ROWS[name]
    torch.manual_seed(0)
    pairs = call(_REGISTRY[name]["cutile"])
    assert pairs
    for number, (found, expected) in enumerate(pairs):
        rtol, atol = tolerance or rows.TOLERANCES.get(found.dtype, (0, 0))
        told = lambda text: f"{name}, result {number}: {text}"  # noqa: E731
        torch.testing.assert_close(found.detach(), expected.detach().to(found.dtype), rtol=rtol, atol=atol, msg=told)


def test_each_row_is_of_an_operator():
    assert not {*rows.ROWS, *rows.REFUSED} - set(OPERATORS)
