# SPDX-License-Identifier: Apache-2.0
# The commands of a day: each does what it needs first. `cmake --preset release && cmake --build --preset release` is all of `build`.
.PHONY: setup build demo test conformance assemble test-gpu ops-table accuracy samples mutants delete-rows fuzz bench verdicts explain ptx-oracle ptx-ieee ptx-misuse wheel deb clean

# What runs here is of this tree: no code that another run has kept, and none is kept of thousands of modules.
export CONGRUENT_CACHE = off

setup:
	@scripts/setup.sh

build: setup
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset release

demo: build
	@scripts/demo.sh

test: build
	@ctest --preset release --parallel 2

# CUDA_TILE_SRC=DIR: a checkout of NVIDIA/cuda-tile. TILEIR_TOOLS=DIR: a folder with bin/tileirdisasm and bin/tileiras; TILEIRAS=N gives
# one of N files to tileiras, too. MUTANTS=N of bytecode and N of modules (20,000) are given to tileirdisasm. FAILURES=1 lists what fails.
conformance: build
	@status=0; \
	build/release/bin/conformance $(if $(FAILURES),--failures) $(CUDA_TILE_SRC) || status=1; \
	build/release/bin/corpus $(if $(FAILURES),--failures) $(if $(TILEIR_TOOLS),--tools=$(TILEIR_TOOLS)) \
	    $(if $(TILEIRAS),--compile=$(TILEIRAS)) tests/corpus || status=1; \
	find examples tests -name '*.tileirbc' | LC_ALL=C sort | \
	    xargs -x -s 1000000 build/release/bin/agreement --tools=$(TILEIR_TOOLS) --mutants=$(or $(MUTANTS),20000) || status=1; \
	exit $$status

# Every example and every file of the corpus and the cases to cubins for four GPUs in both arithmetics, with ptxas and libdevice of CUDA.
assemble: build
	@build/release/bin/assemble --jobs=$$(nproc) examples tests/corpus tests/cases bench

# Cases, times and cuTile on a GPU (docs/gpu.md); skipped where there is none. PYTHON=FILE: a Python with cuda-tile and PyTorch.
test-gpu: build
	@scripts/test_gpu.sh build/release "$(PYTHON)"

# Op x element type x arithmetic: runs or refused.
ops-table: build
	@build/release/bin/ops_table

# CUTILE_SRC=DIR: a checkout of NVIDIA/cutile-python. PYTHON=FILE: a Python with cuda-tile, numpy and ml_dtypes. KERNELS='NAME...': only
# those. SUITE=I/N: instead, part I of N (from 0) of that project's own tests, for which it needs torch, pytest and pytest-benchmark, too.
PYTHON = python3
samples:
	@if ! [ -d "$(CUTILE_SRC)/samples" ]; then \
	    echo "SKIPPED: CUTILE_SRC=DIR must be a checkout of NVIDIA/cutile-python (its commit: tests/samples/samples.py)"; \
	elif ! $(PYTHON) -c 'import cuda.tile, ml_dtypes, numpy' 2>/dev/null; then \
	    echo "SKIPPED: $(PYTHON) lacks cuda-tile, ml_dtypes or numpy; PYTHON=FILE names another"; \
	else \
	    $(MAKE) --no-print-directory build && \
	    $(if $(SUITE),KEEP=$(SUITE) $(PYTHON) tests/samples/suite.py build/release/bin/tileiras "$(CUTILE_SRC)" -q -W ignore --tb=short,\
	    $(PYTHON) tests/samples/samples.py build/release/bin/tileiras "$(CUTILE_SRC)" $(KERNELS) && \
	    $(PYTHON) tests/samples/tower.py build/release/bin/fpdiff "$(CUTILE_SRC)" $(KERNELS)); \
	fi

# At least MUTANTS=N of bytecode, as many of modules and of text, under ASan and UBSan: no crash, hang (1 s), leak, or memory beyond 160 times the file.
mutants:
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --target mutate
	@find examples tests -name '*.tileirbc' -o -name '*.mlir' | LC_ALL=C sort | \
	    xargs -x -s 1000000 build/asan/bin/mutate --mutants=$$((4 * $(or $(MUTANTS),20000))) --compile=0 --slow=1 --jobs=2

# Deletes each row of the tables in turn: the build or a test has to fail. TABLES='FILE.def FILE.c:LIST...': only those.
delete-rows: setup
	@python3 tests/tables/delete_rows.py $(TABLES)

# Each fuzz target for SECONDS; exit status 1 and build/fuzz/found if one finds something.
fuzz:
	@scripts/fuzz.sh $(or $(SECONDS),60)

# PYTHON=FILE: a Python with numpy, and PyTorch if there, to compare with; CUTILE_SRC=DIR as for samples: compiles those kernels, too;
# TILEIR_TOOLS=DIR as for conformance, TRITON=1 if that Python has Triton 3.9: cubins are compared with theirs.
bench: build
	@rm -rf build/samples
	@if [ -n "$(CUTILE_SRC)" ]; then $(PYTHON) tests/samples/export.py "$(CUTILE_SRC)" build/samples; fi
	@build/release/bin/bench $$(command -v $(PYTHON) >/dev/null && echo --peers $(PYTHON)) --report docs/performance.md \
	    $(if $(TILEIR_TOOLS),--tileir-tools $(TILEIR_TOOLS)) $(if $(TRITON),--triton) \
	    $(filter-out examples/ptx/%,$(shell grep -L '^\# exit' examples/*/*.yaml)) examples/*/*.tileirbc $$(find build/samples -name '*.tileirbc' 2>/dev/null | LC_ALL=C sort)

# IEEE arithmetic against MPFR. SAMPLES=20: 2^20 operands for each function instead of 2^16.
accuracy: build
	@build/release/bin/accuracy $(SAMPLES) >build/accuracy.md
	@cp build/accuracy.md docs/accuracy.md && cat docs/accuracy.md

verdicts: build
	@build/release/bin/verdicts --fpdiff build/release/bin/fpdiff verdicts/*/*.yaml

# How often fpdiff explain names the line of the bug: all mutants of verdicts/, about an hour.
explain: build
	@$(PYTHON) verdicts/explain.py --fpdiff build/release/bin/fpdiff

# Kernels of PTX against the real Triton FpSan, which computes the expected bits anew. ORACLE=DIR: a folder with triton_fpsan_llir.py.
# PYTHON=FILE: a Python with triton 3.9.0, numpy and ml_dtypes. CASES='PATTERN...': only cases with such names (tests/ptx/README.md).
ptx-oracle:
	@if ! [ -f "$(ORACLE)/triton_fpsan_llir.py" ]; then \
	    echo "SKIPPED: ORACLE=DIR must be a folder with triton_fpsan_llir.py"; \
	elif ! $(PYTHON) -c 'import triton, ml_dtypes, numpy' 2>/dev/null; then \
	    echo "SKIPPED: $(PYTHON) lacks triton, ml_dtypes or numpy; PYTHON=FILE names another"; \
	else \
	    $(MAKE) --no-print-directory build && \
	    { tests/ptx/kernels/make_cuda.sh build/ptx/cuda || [ $$? = 77 ]; } && \
	    LIBDEVICE=$$(ls $(CURDIR)/build/ptx/cuda/libdevice.noinline.bc 2>/dev/null) \
	    $(PYTHON) tests/ptx/make_oracle.py "$(ORACLE)" build/ptx $(foreach C,$(CASES),'$(C)') && \
	    build/release/bin/ptx_oracle build/ptx/oracle; \
	fi

# Kernels of PTX in IEEE arithmetic against numpy, which computes what is expected anew. PYTHON=FILE: a Python as for ptx-oracle, with scipy.
ptx-ieee:
	@if ! $(PYTHON) -c 'import triton, ml_dtypes, numpy, scipy' 2>/dev/null; then \
	    echo "SKIPPED: $(PYTHON) lacks triton, ml_dtypes, numpy or scipy; PYTHON=FILE names another"; \
	else \
	    $(MAKE) --no-print-directory build && \
	    { tests/ptx/kernels/make_cuda.sh build/release/tests/ptx/cuda || [ $$? = 77 ]; } && \
	    $(PYTHON) tests/ptx/make_ieee.py build/ptx && tests/ptx/pack.sh build/ptx ieee && \
	    cmake --build --preset release --target ptx_ieee_cases && mkdir -p build/ptx/functions && \
	    build/release/bin/ptx_ieee build/release/tests/ptx && \
	    build/release/bin/ptx_functions build/release/tests/ptx/cuda --dump build/ptx/functions && \
	    $(PYTHON) tests/ptx/check_functions.py build/ptx/functions; \
	fi

# Mistakes in kernels of PTX: DRAW=N of them by SEED=N, and all kernels as they are in both schedules; the table of docs/ptx-misuse.md.
ptx-misuse: build
	@tests/ptx/kernels/make_cuda.sh build/release/tests/ptx/cuda || [ $$? = 77 ]
	@$(PYTHON) tests/ptx/misuse.py build/release --unchanged
	@$(PYTHON) tests/ptx/misuse.py build/release --draw $(or $(DRAW),300) --seed $(or $(SEED),17)

# build/wheel/congruent_gpu-VERSION-py3-none-PLATFORM.whl, with all that it needs inside (docs/install.md).
wheel:
	@scripts/setup.sh --package
	@scripts/wheel.sh

# build/deb/*.deb, for the Debian that this is.
deb:
	@scripts/setup.sh --package
	@scripts/deb.sh

clean:
	rm -rf build
