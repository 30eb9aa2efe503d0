# SPDX-License-Identifier: Apache-2.0
# Writes the inputs and expected results of the cases whose results are known bit by bit, and the case files themselves.
"""python tests/cases/expect.py FOLDER     (needs numpy and ml_dtypes)

FOLDER holds payload_model.py, the executable form of the payload algebra (profile triton-3.9). IEEE results come from
exact fractions, rounded once, or from numpy's long double where the function is not rational; payloads come from the
model. Nothing here runs this project."""

import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
import expect_elements as elements  # noqa: E402
import expect_ops  # noqa: E402
import expect_tiles as tiles  # noqa: E402
from expect_views import views  # noqa: E402

# One random generator serves all, so the order matters to the bytes.
for write in (
    elements.elementwise,
    elements.casts,
    elements.integers,
    tiles.reductions,
    tiles.scans,
    tiles.shapes,
    tiles.padding,
    tiles.dots,
    elements.newer,
    views,
    expect_ops.ops,
    tiles.trees,
):
    write()
