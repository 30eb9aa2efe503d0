# SPDX-License-Identifier: Apache-2.0
"""A kernel as TTIR or TTGIR without a launch: where its arguments are known, and there is no script that launches it."""

from .gluon_target import check_target
from .triton_launches import lower, neutral_locations


def ttir(function, types, constants=(), arch=90, neutral=neutral_locations):
    """The TTIR of a @triton.jit function.

    types: of its parameters that are no constants, in order, in one text, as Triton writes them: `*fp32` for a pointer
    (aligned to 16 bytes), `i32`, `fp32`; `i32:16`: divisible by 16. constants: values of the others by name. neutral:
    what becomes of the folders in locations."""
    from triton.compiler import ASTSource

    return neutral(exported(ASTSource, function, types.split(), constants, arch, {}))


def ttgir(function, types, constants=(), arch=100, options=(), neutral=neutral_locations):
    """The TTGIR of a @gluon.jit function. Needs Triton 3.9.

    types: as of ttir(), or a list of them, in which a descriptor is the type of its elements, the sizes of its
    tile, and its layout in shared memory: `("fp32", [32, 32], layout)`. options: of the launch, by name: `num_warps`,
    `num_ctas`, ... arch: of the GPU that the kernel is written for: 100 is Blackwell, 90 Hopper."""
    from triton.experimental.gluon import GluonASTSource

    types = types.split() if isinstance(types, str) else list(map(type_text, types))
    text = exported(GluonASTSource, function, types, constants, arch, dict(options))
    check_target(function.__name__, text, arch)
    return neutral(text)


def type_text(kind):
    """A type as Triton writes it."""
    if isinstance(kind, str):
        return kind
    element, tile, layout = kind
    return f"tensordesc<{element}[{','.join(map(str, tile))}],{layout!r}>"


def exported(source_of, function, types, constants, arch, options):
    """The text that lower() makes of a function with these types, for a GPU of version `arch`."""
    from triton.backends.compiler import GPUTarget

    constants = dict(constants)
    names = [parameter.name for parameter in function.params]
    free = [name for name in names if name not in constants]
    if len(free) != len(types) or not constants.keys() <= set(names):
        raise ValueError(f"{function.__name__}: {len(types)} types for the parameters {', '.join(free)}")
    signature, values, hints = {}, {}, {}
    for place, name in enumerate(names):
        if name in constants:
            signature[name], values[(place,)] = "constexpr", constants[name]
            continue
        kind = types[free.index(name)]
        signature[name], _, divisor = kind.partition(":") if "<" not in kind else (kind, "", "")
        if divisor or signature[name].startswith("*"):
            hints[(place,)] = [["tt.divisibility", int(divisor or 16)]]
    text, _, _ = lower(source_of(function, signature, values, hints), GPUTarget("cuda", arch, 32), options)
    return text
