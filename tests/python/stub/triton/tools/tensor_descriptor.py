# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass


@dataclass
class TensorDescriptor:
    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"

    def __post_init__(self):
        assert self.base.data_ptr() % 16 == 0

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero"):
        return TensorDescriptor(tensor, tensor.shape, tensor.stride(), block_shape, padding)
