# SPDX-License-Identifier: Apache-2.0
"""In place of Triton, for tests where that is not installed: as much of it as python/congruent_gpu touches, in the form
of version 3.9. A kernel's docstring is its TTIR. It says nothing of the real one: python/record tests with that."""
from . import compiler, runtime, testing
from .compiler import compile  # noqa: A004
from .runtime.autotuner import Config, autotune
from .runtime.jit import jit

__version__ = "3.9.0"
