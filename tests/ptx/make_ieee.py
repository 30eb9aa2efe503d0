# SPDX-License-Identifier: Apache-2.0
# Writes what kernels compute in IEEE arithmetic according to numpy, with bounds: expected.txt and cases of CUDA kernels.
"""python tests/ptx/make_ieee.py OUT     (needs triton==3.9.0, for the names of the kernels alone, numpy and ml_dtypes)

OUT/ieee/NAME.yaml      cases of kernels in CUDA C++ and CuTe (ieee_cuda.py); those of Triton are the ones of make_oracle.py
OUT/ieee/expected.txt   for some elements of each output: number and bound (README.md)"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "kernels"))

import ieee_cuda  # noqa: E402
import ieee_kernels  # noqa: E402
import numpy as np  # noqa: E402
from fills import fill_bits  # noqa: E402
from make_corpus import LIBRARY, NORMAL, all_works  # noqa: E402
from make_oracle import yaml_value  # noqa: E402
from oracle_cases import all_cases  # noqa: E402

SAMPLES = 64  # elements of an output that are compared
CUDA_SEED = 1


def arrays(buffers, seed):
    values = {}
    for b in buffers:
        if isinstance(b.fill, dict) and "constant" in b.fill:
            values[b.name] = np.full(b.shape, b.fill["constant"], np.float64)
        else:
            values[b.name] = ieee_kernels.decode(b.kind, fill_bits(b.name, b.kind, b.shape, b.fill, seed))
    return values


def sampled(count):
    """All, or the first, the last, and some with a stride that is odd."""
    if count <= SAMPLES:
        return range(count)
    stride = (count // (SAMPLES - 1)) | 1
    return sorted({i * stride % count for i in range(SAMPLES - 1)} | {count - 1})


def element_text(index, number, bound):
    return " %d:%.*g:%.3g" % (index, 12 if bound else 17, number, bound)


def lines(case, variant, needs, kinds, results):
    for name, (numbers, bounds) in results.items():
        numbers, bounds = np.asarray(numbers).ravel(), np.broadcast_to(bounds, np.shape(numbers)).ravel()
        elements = "".join(element_text(i, numbers[i], bounds[i]) for i in sampled(len(numbers)) if np.isfinite(bounds[i]))
        yield "%s %s %s %s %s%s\n" % (case, variant, needs, name, kinds[name], elements)


def triton_lines():
    for case in all_cases(all_works()):
        key = "%s.%s" % (case.work.language, case.work.name)
        if case.number == 2 or key not in ieee_kernels.KERNELS or case.work.name in LIBRARY or NORMAL not in case.work.modes():
            continue
        results = ieee_kernels.KERNELS[key](case, arrays(case.buffers, case.seed))
        yield from lines("oracle/" + case.name, "normal", "-", {b.name: b.kind for b in case.buffers}, results)


# ---- CUDA C++ and CuTe


def builds_of(kernel):
    """(name of the build, path of its file, whether it has fast functions)"""
    if kernel.family == "cute":
        return [("cute", "corpus/cute/%s.ptx" % kernel.name, False)]
    file = "kernels" if kernel.family == "kernels" else "kernels_90"
    return [(build, "cuda/%s.%s.ptx" % (file, build), build in ieee_cuda.FAST) for build in ieee_cuda.FAMILIES[kernel.family]]


def case_text(kernel, path):
    launch = {"module": "../" + path, "grid": list(kernel.grid)}
    if kernel.family != "cute":
        launch["kernel"] = kernel.name
        launch["block"] = [kernel.block] if isinstance(kernel.block, int) else list(kernel.block)
    if kernel.shared:
        launch["shared"] = kernel.shared
    launch["args"] = kernel.arguments
    text = "# Written by make_ieee.py.\nprofile: triton-3.9\nmodes: [ieee]\nseed: %d\nbuffers:\n" % CUDA_SEED
    for b in kernel.buffers:
        text += "  %s: {type: %s, shape: %s, fill: %s}\n" % (b.name, b.kind, yaml_value(b.shape), yaml_value(b.fill))
    return text + "variants:\n  ptx:\n    - %s\ncompare: [%s]\n" % (yaml_value(launch), ", ".join(b.name for b in kernel.buffers if b.out))


def cuda_lines(folder):
    """Those of one file one after the other: it is then compiled once."""
    works = [(path, build, fast, kernel) for kernel in ieee_cuda.KERNELS for build, path, fast in builds_of(kernel)]
    for path, build, fast, kernel in sorted(works, key=lambda work: work[0]):
        name = "%s.%s" % (kernel.name, build)
        (folder / (name + ".yaml")).write_text(case_text(kernel, path))
        results = kernel.reference(arrays(kernel.buffers, CUDA_SEED), fast)
        yield from lines("ieee/" + name, "ptx", path, {b.name: b.kind for b in kernel.buffers}, results)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]) / "ieee"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "expected.txt").write_text("".join([*triton_lines(), *cuda_lines(folder)]))


if __name__ == "__main__":
    main()
