# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the public cuTile kernels of a checkout of NVIDIA/cutile-python; prints which give the right numbers.
"""python samples.py TILEIRAS CHECKOUT [NAME...]     (needs `pip install cuda-tile==1.7.0 numpy ml_dtypes`, cc; no GPU)

For each row of table.py: the processor time of the slowest compilation in milliseconds, from bytecode to object file (without some 15
for the start of tileiras and of LLVM; - for code that an earlier row had); the largest error in IEEE arithmetic against a reference in
float64, absolute and over the largest reference; whether the payloads of its variants agree, which are other tile sizes and other
kernels (`runs`: there is none). Exit status 1 if a row fails."""

import subprocess
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

import ml_dtypes  # noqa: F401  (numpy learns its dtypes)
import numpy as np
from launch import Device
from stand_ins import load_source
from table import ROWS

COMMIT = "9c3ee3ccc504f18bbabf55b0d3e6d398bb21ecc4"  # of NVIDIA/cutile-python, which the table was written for


def run_row(device, root, row, tile):
    rng = np.random.default_rng(zlib.crc32((row.like or row.name).encode()))
    launches, results = row.call(load_source(root, row.file), rng, tile, **row.more)
    for kernel, grid, arguments in launches:
        device.launch(None, grid, kernel, arguments)
    return results


def largest_error(results):
    """Absolute, and relative to the largest reference; of the result where the latter is largest."""
    worst = 0.0, 0.0
    for found, expected in results:
        found = found.astype(np.float64)
        distance = np.max(np.abs(found - expected)) if np.isfinite(found).all() else np.inf
        scale = np.max(np.abs(expected))
        worst = max(worst, (distance, distance / scale if scale else distance), key=lambda pair: pair[1])
    return worst


def payloads_agree(device, root, row):
    runs = [(row, tile) for tile in row.tiles] + [(other, other.tiles[0]) for other in ROWS if other.name == row.like != row.name]
    first, *others = ([x for x, _ in run_row(device, root, *run) if x.dtype.kind != "i"] for run in runs)
    return all(x.tobytes() == y.tobytes() for other in others for x, y in zip(first, other))


def report_row(devices, root, row):
    """Prints the row; whether it is as it should be."""
    ieee, payload = devices
    ieee.milliseconds = payload.milliseconds = 0.0
    try:
        absolute, relative = max((largest_error(run_row(ieee, root, row, tile)) for tile in row.tiles), key=lambda pair: pair[1])
        agree = payloads_agree(payload, root, row)
    except Exception as error:  # of any row, whatever it is: the others still run
        at = traceback.extract_tb(error.__traceback__)[-1]
        print(f"{row.name:36}failed: {type(error).__name__}: {str(error)[:400]} ({Path(at.filename).name}:{at.lineno})", flush=True)
        return False
    right = relative <= row.tolerance
    verdict = ("runs" if len(row.tiles) == 1 and not row.like else "equal") if agree else "DIFFER"
    times = [f"{device.milliseconds:.0f}" if device.milliseconds else "-" for device in devices]
    verdicts = f"{'right' if right else 'WRONG':6}  {verdict}"
    print(f"{row.name:36}{times[0]:>6}{times[1]:>8}  {absolute:9.2e}{relative:10.2e}  {verdicts}", flush=True)
    return right and agree


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tileiras, root, wanted = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    rows = [row for row in ROWS if not wanted or any(word in row.name for word in wanted)]
    head = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    if head and head != COMMIT and (root / ".git").exists():
        print(f"note: the table was written for {COMMIT[:12]}, the checkout is {head[:12]}")
    print(f"{'kernel':36}{'ms':>6}{'payload':>8}  {'largest':>9}{'relative':>10}  {'IEEE':6}  payload of variants")
    with tempfile.TemporaryDirectory() as folder:
        devices = [Device(tileiras, folder, mode) for mode in ("ieee", "payload")]
        failed = sum(not report_row(devices, root, row) for row in rows)
    print(f"{len(rows)} kernels, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
