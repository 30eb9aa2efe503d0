# SPDX-License-Identifier: Apache-2.0
"""What kernels read of Python's variables, which are constants of the compiled code.

cuTile compiles a kernel once for arguments of one kind, and functions that kernels call once at all: it would not see
that such a variable has changed since. Here that is an error."""

import dis
import functools
import inspect
import types
import weakref

from .errors import RecordError

PLAIN = (type(None), bool, int, float, str, bytes)
known = weakref.WeakKeyDictionary()  # of each function that was compiled: {variable: what it was}


@functools.cache
def names_of(code):
    """Names of globals and of attributes that the code reads, with the code inside of it."""
    found, attributes = set(), set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            more = names_of(constant)
            found, attributes = found | more[0], attributes | more[1]
    return frozenset(found), frozenset(attributes)


def own_function(value):
    """The function of the script's that something is, or None."""
    value = getattr(value, "_pyfunc", value)
    value = inspect.unwrap(value) if callable(value) else value
    foreign = getattr(value, "__module__", None) or ""
    return value if isinstance(value, types.FunctionType) and not foreign.startswith("cuda.tile") else None


def is_constant(value):
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(is_constant, value)))


def attribute(value, name):
    """An attribute that is just there; nothing is called for it."""
    found = inspect.getattr_static(value, name, None)
    return found if is_constant(found) else None


def described(value, name, attributes):
    """{variable: its value as text} of what a name stands for: constants, functions by their code, constants that are
    attributes of something else."""
    if is_constant(value):
        return {name: repr(value)}
    if type(value).__module__.startswith("cuda.tile") and not callable(value):
        return {name: str(value)}  # a type of elements, say
    function = own_function(value)
    if function is not None:
        code = function.__code__
        constants = [each for each in code.co_consts if not isinstance(each, types.CodeType)]
        return {name: f"a function ({code.co_name}, {hash((code.co_code, repr(constants), code.co_names)):x})"}
    if isinstance(value, types.ModuleType) and value.__name__.startswith("cuda.tile"):
        return {}
    found = {f"{name}.{each}": attribute(value, each) for each in sorted(attributes)}
    return {each: repr(constant) for each, constant in found.items() if constant is not None}


def variables(function):
    """What a function reads from outside, {name: value}."""
    names, _ = names_of(function.__code__)
    found = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return found


def check_captured(function, seen=None):
    """Remembers what a kernel's function, and those that it calls, read from outside. A RecordError where that is not
    what it was when they were compiled first."""
    seen = set() if seen is None else seen
    if function in seen:
        return
    seen.add(function)
    found, now = variables(function), {}
    for name, value in found.items():
        now.update(described(value, name, names_of(function.__code__)[1]))
    before = known.setdefault(function, now)
    for name in now.keys() & before.keys():
        if now[name] != before[name]:
            raise RecordError(
                f"{function.__name__} reads {name}, which was {before[name]} when it was compiled, and is {now[name]} now: "
                f"cuTile does not compile it again. Pass it as a ct.Constant, or make the kernel in a function of {name}"
            )
    for value in found.values():
        if own_function(value) is not None:
            check_captured(own_function(value), seen)
