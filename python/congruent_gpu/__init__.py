# SPDX-License-Identifier: Apache-2.0
"""Records what a Python script launches on a GPU, without one, as a case of fpdiff: `python -m congruent_gpu record`.

- `__main__.py`: the command line.
- `errors.py`: what can go wrong.
- `memory.py`: arrays of numpy and torch as buffers: allocations, views, what nobody has written yet.
- `casefile.py`: a recording in a folder: files, matching of two recordings, case.yaml.
- `runner.py`: one launch by `fpdiff run`, results back into the script's arrays.
- `stores.py`: what launches store: results that stay although they are overwritten, what no launch stores.
- `triton_launches.py`: Triton's launches: driver, compilation as far as TTIR, autotuner, arguments.
- `torch_on_cpu.py`: what scripts ask of torch.cuda, on the CPU.
- `export.py`: a kernel as TTIR without a launch."""
