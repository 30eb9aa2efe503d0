#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of congruent_gpu: build/wheel/congruent_gpu-VERSION-py3-none-PLATFORM.whl. The platform is what its programs need.
set -eu
cd "$(dirname "$0")/.."
work=build/wheel
VENV=$work/venv scripts/venv.sh -r packaging/requirements.txt
rm -rf $work/made $work/tree $work/*.whl
CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} $work/venv/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    -C build-dir=$work/cmake -w $work/made .
mkdir $work/tree
python3 -m zipfile -e $work/made/*.whl $work/tree
package=$work/tree/congruent_gpu
platform=$(python3 packaging/needs.py $package/bin/* $package/lib/*.so $package/lib/congruent/*.so)
$work/venv/bin/wheel tags --remove --platform-tag "$platform" $work/made/*.whl >/dev/null
mv $work/made/*.whl $work
rm -rf $work/made $work/tree
ls -l $work/*.whl
