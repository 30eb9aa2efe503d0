# SPDX-License-Identifier: Apache-2.0
import inspect

from .driver import driver

POINTERS = {"float32": "*fp32", "int32": "*i32", "float16": "*fp16"}


class KernelInterface:
    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


def type_of(value):
    if value is None or (isinstance(value, int) and value == 1):
        return "constexpr"
    if hasattr(value, "data_ptr"):
        assert value.data_ptr() % 4 == 0
        return POINTERS[str(value.dtype).split(".")[-1]]
    return "i32" if isinstance(value, int) else "fp32"


class JITFunction(KernelInterface):
    def __init__(self, fn):
        self.fn, self.__name__, self.__doc__ = fn, fn.__name__, fn.__doc__
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        self.caches = None

    def create_binder(self):
        from ..compiler import ASTSource, compile  # noqa: A004

        self.compile, self.ASTSource = compile, ASTSource
        return {}, driver.active.get_current_target()

    def run(self, *args, grid, warmup, **kwargs):
        device = driver.active.get_current_device()
        stream = driver.active.get_current_stream(device)
        if self.caches is None:
            self.caches = self.create_binder()
        cache, target = self.caches
        named = {name: kwargs.pop(name) for name in self.arg_names if name in kwargs}
        bound = self.signature.bind(*args, **named)
        bound.apply_defaults()
        bound = bound.arguments
        constant = [p.annotation == "constexpr" for p in self.signature.parameters.values()]
        kinds = ["constexpr" if c else type_of(v) for c, v in zip(constant, bound.values())]
        kernel = cache.get(str(kinds) + str(kwargs))
        if kernel is None:
            source = self.ASTSource(self, dict(zip(bound, kinds)), {}, {})
            kernel = cache[str(kinds) + str(kwargs)] = self.compile(source, target=target, options=kwargs)
        if not warmup:
            grid = grid(bound) if callable(grid) else grid
            x, y, z = (*grid, 1, 1)[:3]
            metadata = kernel.launch_metadata(grid, stream, *bound.values())
            kernel.run(x, y, z, stream, kernel.function, kernel.packed_metadata, metadata, None, None, *bound.values())
        return kernel


def jit(fn):
    return JITFunction(fn)
