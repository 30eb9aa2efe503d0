# SPDX-License-Identifier: Apache-2.0
"""A kernel as TTIR without a launch: for kernels whose arguments are known, and no script that launches them is there."""

from .triton_launches import lower, neutral_locations


def ttir(function, types, constants=(), arch=90, neutral=neutral_locations):
    """The TTIR of a @triton.jit function.

    types: of its parameters that are no constants, in order, in one text, as Triton writes them: `*fp32` for a pointer
    (aligned to 16 bytes), `i32`, `fp32`; `i32:16`: divisible by 16. constants: values of the others by name. neutral:
    what becomes of the folders in locations."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constants, types = dict(constants), types.split()
    names = [parameter.name for parameter in function.params]
    free = [name for name in names if name not in constants]
    if len(free) != len(types) or not constants.keys() <= set(names):
        raise ValueError(f"{function.__name__}: {len(types)} types for the parameters {', '.join(free)}")
    signature, values, hints = {}, {}, {}
    for place, name in enumerate(names):
        if name in constants:
            signature[name], values[(place,)] = "constexpr", constants[name]
            continue
        signature[name], _, divisor = types[free.index(name)].partition(":")
        if divisor or signature[name].startswith("*"):
            hints[(place,)] = [["tt.divisibility", int(divisor or 16)]]
    source = ASTSource(function, signature, values, hints)
    text, _, _ = lower(source, GPUTarget("cuda", arch, 32), {})
    return neutral(text)
