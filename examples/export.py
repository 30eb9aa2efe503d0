# SPDX-License-Identifier: Apache-2.0
# scripts/export_cutile.py, under the name that kernel files import `array` from.
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from export_cutile import GPU, VERSION, array, load_module, main  # noqa: E402, F401
from congruent_gpu.cutile_export import neutralise, register_source  # noqa: E402, F401

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
