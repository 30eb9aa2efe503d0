# SPDX-License-Identifier: Apache-2.0
# The commands of a day: each does what it needs first. `cmake --preset release && cmake --build --preset release` is all of `build`.
.PHONY: setup build demo test conformance ops-table bench verdicts accuracy clean

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
# one of N files to tileiras, too. FAILURES=1 lists what fails.
conformance: build
	@status=0; \
	build/release/bin/conformance $(if $(FAILURES),--failures) $(CUDA_TILE_SRC) || status=1; \
	build/release/bin/corpus $(if $(FAILURES),--failures) $(if $(TILEIR_TOOLS),--tools=$(TILEIR_TOOLS)) \
	    $(if $(TILEIRAS),--compile=$(TILEIRAS)) tests/corpus || status=1; \
	exit $$status

# Op x element type x arithmetic: runs or refused.
ops-table: build
	@build/release/bin/ops_table

bench: build
	@build/release/bin/bench examples/*/*.yaml

# IEEE arithmetic against MPFR. SAMPLES=20: 2^20 operands for each function instead of 2^16.
accuracy: build
	@build/release/bin/accuracy $(SAMPLES) >build/accuracy.md
	@cp build/accuracy.md docs/accuracy.md && cat docs/accuracy.md

verdicts: build
	@build/release/bin/verdicts --fpdiff build/release/bin/fpdiff verdicts/*/*.yaml

clean:
	rm -rf build
