# SPDX-License-Identifier: Apache-2.0
# The words of the tables in FAMILY/FAMILY.py: pairs, mutants, launches, buffers and their contents.
"""A family file has KERNELS and PAIRS:

    KERNELS = {"softmax_exp": (softmax_exp, [array(ct.float32, 2), array(ct.float32, 2), 4, 128])}

as EXPORTS in examples/export.py, name: (kernel, parameters), and a list of pairs. A pair is two lists of launches
that compute the same, the reference and the variant. A mutant is the variant with edits: in the source of one of its
kernels, or in its launches. Sizes may be texts: expressions of the pair's parameters. INPUTS, where a family has it,
are {name: array of numpy} for given(). A pair with a `finding` is equal as algebra and not as good in numbers: what
fpdiff has to say of it, written down before it is measured; generate.py writes them to FAMILY/findings.json."""

from dataclasses import dataclass, field

NORMAL = "{normal: {mean: 0, std: 1}}"
ZEROS = None


def uniform(low, high):
    return f"{{uniform: {{low: {low}, high: {high}}}}}"


def integers(low, high):
    return f"{{integers: {{low: {low}, high: {high}}}}}"


def given(name):
    """The contents of inputs/NAME, which generate.py writes: for all families, or from INPUTS of one."""
    return f"{{file: ../inputs/{name}}}"


def sizes(values):
    """Sizes as a list of YAML: numbers, or texts with expressions of the pair's parameters."""
    return f"[{', '.join(map(str, values))}]"


def buffer(dtype, shape, fill=ZEROS, literal=False):
    more = (f", fill: {fill}" if fill else "") + (", literal: true" if literal else "")
    return f"{{type: {dtype}, shape: {sizes(shape)}{more}}}"


def run(kernel, grid, *arguments):
    """One launch of a kernel of KERNELS: each argument is a buffer or a scalar such as "f32 0.25"."""
    return kernel, list(grid), list(arguments)


@dataclass
class Mutant:
    name: str
    kernel: str | None  # of KERNELS; None: the edits are for the launches
    edits: list  # (text, its replacement): each text occurs once in the kernel's source, or in the launches as YAML
    comment: str
    expect: str = "diverge"  # "equal": the algebra cannot see it


@dataclass
class Pair:
    name: str
    title: str
    buffers: dict
    reference: list
    variant: list
    compare: list
    mutants: list = field(default_factory=list)
    names: tuple = ("reference", "variant")
    more: str = ""  # further lines of the case file
    parameters: dict = field(default_factory=dict)  # sizes to run with, the usual one first: {name: [values]}
    finding: dict = field(default_factory=dict)  # of worse() or edge()


def pair(name, title, buffers, reference, variant, compare, mutants=(), **more):
    return Pair(name, title, buffers, reference, variant, compare, list(mutants), **more)


def worse(variant):
    """Finding: this variant, not the reference, is LESS ACCURATE."""
    return {"less_accurate": variant}


def edge(what, kernel, text, dtype="f32", worse=None):
    """Finding: "near", where the line of this text in this kernel of the variant is at most one doubling away from
    overflow in this type, or its argument is; "made", where that is the first to make an infinity. `worse`: the
    variant's name, if it is LESS ACCURATE as well."""
    finding = {"range": {"what": what, "kernel": kernel, "text": text, "type": dtype}}
    return ({"less_accurate": worse} if worse else {}) | finding


def mutant(name, kernel, old, new, comment, *edits):
    """kernel with one text replaced by another, edits: further (old, new)."""
    return Mutant(name, kernel, [(old, new), *edits], comment)


def unseen(name, kernel, old, new, comment, *edits):
    """A mutant that is wrong in IEEE arithmetic only: equal as algebra, so that no payload can tell."""
    return Mutant(name, kernel, [(old, new), *edits], comment, "equal")


def launched(name, old, new, comment):
    """The variant with other launches: a grid or a scalar argument."""
    return Mutant(name, None, [(old, new)], comment)


@dataclass
class Jit:
    """A kernel of Triton: a function, the types of its parameters that are no constants, and the constants."""

    function: object
    types: str
    constants: dict


def jit(function, types, **constants):
    return Jit(function, types, constants)
