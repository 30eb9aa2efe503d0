# SPDX-License-Identifier: Apache-2.0
from .jit import KernelInterface


class Config:
    def __init__(self, kwargs, num_warps=4):
        self.kwargs, self.num_warps, self.pre_hook = kwargs, num_warps, None

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps}

    def __str__(self):
        return str(self.all_kwargs())


class Autotuner(KernelInterface):
    def __init__(self, fn, configs, key, reset_to_zero):
        self.fn, self.configs, self.keys, self.arg_names = fn, configs, key, fn.arg_names
        self.base_fn, self.reset_to_zero = fn.fn, reset_to_zero or []

    def run(self, *args, **kwargs):
        raise RuntimeError("the recorder chooses")

    def prune_configs(self, kwargs):
        return self.configs


def autotune(configs, key, reset_to_zero=None):
    return lambda fn: Autotuner(fn, configs, key, reset_to_zero)
