# SPDX-License-Identifier: Apache-2.0
"""What kernels read of Python's variables, which are constants of the compiled code.

cuTile compiles a kernel once for arguments of one kind, and functions that kernels call once at all: it would not see
that such a variable has changed since. Here that is an error."""

import dis
import enum
import functools
import inspect
import re
import types
import weakref

from .errors import RecordError

PLAIN = (type(None), bool, int, float, complex, str, bytes, enum.Enum)
MISSING = object()
FUNCTION = r"(the function \w+) <[-\w]+>"
known = weakref.WeakKeyDictionary()  # of each function that was compiled: {variable: what it was}


@functools.cache
def paths_of(code):
    """What the code reads from outside, with the code inside of it: ("CONFIG", "tile") is CONFIG.tile."""
    found, path = set(), ()
    for instruction in dis.get_instructions(code):
        if path and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            path += (instruction.argval,)
            continue
        if path:
            found.add(path)
        begins = instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
        path = (instruction.argval,) if begins else ()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= paths_of(constant)
    return frozenset(found)


def own_function(value):
    """The function of the script's that something is, or None."""
    value = getattr(value, "_pyfunc", value) if not isinstance(value, types.ModuleType) else None
    value = inspect.unwrap(value) if callable(value) else value
    foreign = getattr(value, "__module__", None) or ""
    return value if isinstance(value, types.FunctionType) and not foreign.startswith("cuda.tile") else None


def attribute(value, name):
    """An attribute that is just there; no code of the script is called for it."""
    found = inspect.getattr_static(value, name, MISSING)
    if isinstance(found, (staticmethod, classmethod)):
        return found.__func__
    if isinstance(found, types.MemberDescriptorType):  # of __slots__
        try:
            return found.__get__(value)
        except AttributeError:
            return MISSING
    return found


def cells(function):
    """{name: value} of what a function has from the functions around it."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return found


def described(value, inside=()):
    """A constant as text, a function by its code and what it was made with; None of anything else. inside: functions
    that this one is described for."""
    if isinstance(value, tuple):
        return f"({', '.join(described(item, inside) or '?' for item in value)})"
    kind = type(value)
    if isinstance(value, PLAIN) or (kind.__module__ == "numpy" and getattr(value, "shape", None) == ()):
        return repr(value)
    if kind.__module__.startswith("cuda.tile") and not callable(value):
        return str(value)  # a type of elements, say
    function = own_function(value)
    if function is None or function in inside:
        return None
    code = function.__code__
    constants = [each for each in code.co_consts if not isinstance(each, types.CodeType)]
    made_with = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells(function).values()]
    made_with = [described(each, (*inside, function)) for each in made_with]
    key = hash((code.co_code, repr(constants), code.co_names, repr(made_with)))
    return f"the function {code.co_name} <{key:x}>"


def variables(function):
    """What a function reads from outside: {"CONFIG.tile": its value}."""
    found, closure = {}, cells(function)
    for path in sorted(paths_of(function.__code__)):
        value = closure.get(path[0], function.__globals__.get(path[0], MISSING))
        length = 1
        while length < len(path) and value is not MISSING and described(value) is None:
            if isinstance(value, types.ModuleType) and value.__name__.startswith("cuda.tile"):
                value = MISSING
                break
            value = attribute(value, path[length])
            length += 1
        if value is not MISSING:
            found[".".join(path[:length])] = value
    return found


def check_captured(function, seen=None):
    """Remembers what a kernel's function, and those that it calls, read from outside. A RecordError where that is not
    what it was when they were compiled first."""
    seen = set() if seen is None else seen
    if function in seen:
        return
    seen.add(function)
    found = variables(function)
    now = {name: text for name, value in found.items() if (text := described(value)) is not None}
    before = known.setdefault(function, now)
    for name in now.keys() & before.keys():
        if now[name] != before[name]:
            was, is_now = (re.sub(FUNCTION, r"\1", text) for text in (before[name], now[name]))
            is_now = "another one" if was == is_now else is_now
            raise RecordError(
                f"{function.__name__} reads {name}, which was {was} when it was compiled, and is {is_now} now: "
                f"cuTile does not compile it again. Pass it as a ct.Constant, or make the kernel in a function of {name}"
            )
    for value in found.values():
        if own_function(value) is not None:
            check_captured(own_function(value), seen)
