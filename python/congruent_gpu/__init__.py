# SPDX-License-Identifier: Apache-2.0
"""Kernels of cuTile and Triton on the CPU, and as cases of fpdiff.

    import congruent_gpu as congruent

    with congruent.record("case") as recording:     # launches of cuTile kernels as a case: docs/python.md
        with recording.variant("plain"): ...
        with recording.variant("fused"): ...
    congruent.run(kernel, grid, arguments)          # one launch, as a debugger would want it
    congruent.check("case/case.yaml")               # do the variants compute the same thing?
    congruent.same(candidates, reference)           # which candidates of a tuner do?

`CONGRUENT=1 pytest` runs tests that launch cuTile kernels without a GPU (pytest_plugin.py). `python -m congruent_gpu
record` records a script with kernels of Triton (docs/triton.md).

- `__main__.py`: the command line.
- `errors.py`: what can go wrong.
- `memory.py`: arrays of numpy and torch as buffers: allocations, views, what nobody has written yet.
- `casefile.py`: a recording in a folder: files, matching of two recordings, case.yaml.
- `runner.py`: one launch by fpdiff (Engine), results back into the script's arrays.
- `stores.py`: what launches store: results that stay although they are overwritten, what no launch stores.
- `recording.py`: what recorders share. `scalars.py`: numbers in case files.
- `torch_on_cpu.py`: what scripts ask of torch.cuda, on the CPU.
- `triton_launches.py`: Triton's launches: driver, compilation as far as TTIR, autotuner, arguments. `export.py`: a
  kernel as TTIR without a launch.
- `cutile_export.py`: kernels of cuTile as bytecode. `cutile_arguments.py`: what a launch says of its arguments.
  `captured.py`: what they read of Python's variables.
  `cutile_launches.py`: `ct.launch` and the tuner. `cutile_recording.py`: record(). `running.py`: run().
- `library.py`: libcongruent.so. `checking.py`: check(). `report.py`: what it returns. `candidates.py`: same().
  `replayed.py`: whether a recorded case computes what the script did. `containers.py`: arrays in what variants are
  called with and return.

Importing this imports none of them: they come when they are asked for."""

import importlib

WHERE = {
    "record": "cutile_recording",
    "run": "running",
    "KernelFault": "running",
    "check": "checking",
    "CheckFailed": "checking",
    "CheckWarning": "checking",
    "CheckError": "checking",
    "same": "candidates",
    "verdicts": "report",
    "RecordError": "errors",
    "UsageError": "errors",
}
__all__ = list(WHERE)


def __getattr__(name):
    if name == "__version__":  # which is the library's
        return importlib.import_module(".library", __name__).version()
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .errors import needs_packages

    with needs_packages():
        value = getattr(importlib.import_module(f".{WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *WHERE})
