#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes softmax.ptx with nvcc, without a GPU: examples/ptx/make_cuda.sh. -lineinfo keeps the source's lines.
set -e
cd "$(dirname "$0")/../.."
"${NVCC:-nvcc}" -arch=sm_80 -lineinfo -ptx examples/ptx/softmax.cu -o examples/ptx/softmax.ptx
# Without the folders of this machine.
sed -i -E 's|^(\s*\.file\s+[0-9]+ ")[^"]*/(examples/ptx/[^"]*")|\1\2|; s|^(\s*\.file\s+[0-9]+ ")/[^"]*/([^/"]*")|\1\2|' examples/ptx/softmax.ptx
