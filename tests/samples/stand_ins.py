# SPDX-License-Identifier: Apache-2.0
# Stand-ins for the modules that samples import on a machine with a GPU, so that their kernels can be taken from them without one.
"""What a sample's host side does with these modules is not run; dtypes of torch that kernels name are those of cuTile."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types

import cuda.tile as ct

ABSENT = "torch", "cupy", "pytest", "matplotlib", "triton"


class StandIn(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if isinstance(getattr(ct, name, None), ct.DType):
            value = getattr(ct, name)
        elif name[:1].isupper():
            value = type(name, (), {})  # something to inherit from or to annotate with
        else:
            value = StandIn(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *arguments, **named):
        # As a decorator, with or without arguments, it changes nothing.
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) and not named else self


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def load_source(root, path):
    """The module of a source file of the checkout `root`."""
    if not any(isinstance(f, Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, Finder())
        sys.path[:0] = [str(root / "test"), str(root / "samples")]
    name = "checkout_" + path.replace("/", "_").removesuffix(".py")
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, root / path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
