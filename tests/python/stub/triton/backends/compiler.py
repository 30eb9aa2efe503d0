# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass


@dataclass
class GPUTarget:
    backend: str
    arch: int
    warp_size: int
