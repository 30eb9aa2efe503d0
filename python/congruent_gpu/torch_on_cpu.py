# SPDX-License-Identifier: Apache-2.0
"""What scripts ask of torch.cuda, answered without a GPU: tensors on "cuda" are on the CPU, and know of no difference.

Replaced: the names of FUNCTIONS below; `device="cuda"`, "cuda:N" and N wherever torch takes a device, `.cuda()`,
`.to("cuda")`, `Tensor.is_cuda` (true), torch.Generator, set_default_device, Stream, Event (no times: nan), stream and
device contexts. All else of torch.cuda that needs a GPU says so."""

import contextlib
import functools
import sys
import traceback
import types
from pathlib import Path

from .errors import RecordError, script_line

NAME = "congruent's CPU in place of a GPU"


def constant(value):
    return lambda *_, **__: value


def properties(arch):
    major, minor = divmod(arch, 10)
    return types.SimpleNamespace(
        name=NAME,
        major=major,
        minor=minor,
        multi_processor_count=132,
        total_memory=80 << 30,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=232448,
        shared_memory_per_multiprocessor=233472,
        L2_cache_size=50 << 20,
        gcnArchName="",
    )


class Event:
    """In place of torch.cuda.Event: there are no times."""

    def __init__(self, *_, **__):
        pass

    record = wait = synchronize = constant(None)
    query = constant(True)
    elapsed_time = constant(float("nan"))


class Stream:
    """In place of torch.cuda.Stream, and of the contexts of streams and devices."""

    cuda_stream = device_index = 0

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    wait_stream = wait_event = synchronize = record_event = constant(None)
    query = constant(True)


# Of torch.cuda: what each name is replaced by, as a function of the architecture and torch.
FUNCTIONS = {
    "is_available": lambda arch, torch: constant(True),
    "is_initialized": lambda arch, torch: constant(True),
    "is_bf16_supported": lambda arch, torch: constant(True),
    "device_count": lambda arch, torch: constant(1),
    "current_device": lambda arch, torch: constant(0),
    "init": lambda arch, torch: constant(None),
    "synchronize": lambda arch, torch: constant(None),
    "set_device": lambda arch, torch: constant(None),
    "empty_cache": lambda arch, torch: constant(None),
    "reset_peak_memory_stats": lambda arch, torch: constant(None),
    "manual_seed": lambda arch, torch: lambda seed: torch.default_generator.manual_seed(int(seed)) and None,
    "manual_seed_all": lambda arch, torch: lambda seed: torch.default_generator.manual_seed(int(seed)) and None,
    "get_device_name": lambda arch, torch: constant(NAME),
    "get_device_capability": lambda arch, torch: constant(divmod(arch, 10)),
    "get_device_properties": lambda arch, torch: constant(properties(arch)),
    "current_stream": lambda arch, torch: constant(Stream()),
    "default_stream": lambda arch, torch: constant(Stream()),
    "stream": lambda arch, torch: Stream,
    "device": lambda arch, torch: Stream,
    "device_of": lambda arch, torch: Stream,
    "Stream": lambda arch, torch: Stream,
    "Event": lambda arch, torch: Event,
}

# Of torch.cuda: what ends the process without a GPU, and does not ask for one first.
UNKNOWN = ("CUDAGraph", "graph", "graph_pool_handle", "make_graphed_callables")


def on_cpu(torch, value):
    """A device that is a GPU (also by its number) becomes the CPU; anything else stays."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "cpu"
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return value


def generator_on_cpu(torch):
    """In place of the class torch.Generator. It stays a class: scripts ask for instances, and annotate with it."""
    old = torch.Generator

    class Kind(type(old)):
        def __instancecheck__(cls, value):
            return isinstance(value, old)

    class Generator(old, metaclass=Kind):
        def __new__(cls, device="cpu"):
            return old(device=on_cpu(torch, device))

    return Generator


def asked(torch):
    """The function of torch that the script called: of the frames of torch, and of the mode below, the outermost."""
    folder, frame, name = str(Path(torch.__file__).parent), sys._getframe(1), "torch"
    while frame is not None:
        path = frame.f_code.co_filename
        if path == __file__ and "function" in frame.f_locals:
            name = torch.overrides.resolve_name(frame.f_locals["function"]) or "torch"
        elif path.startswith(folder):
            name = f"{frame.f_globals.get('__name__', 'torch')}.{frame.f_code.co_name}"
        elif path != __file__:
            break
        frame = frame.f_back
    return name


@contextlib.contextmanager
def installed(arch, tell):
    import torch
    from torch.overrides import TorchFunctionMode

    is_cuda = torch.Tensor.is_cuda.__get__
    moves = (torch.Tensor.cuda, torch.Tensor.to)

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, arguments=(), options=None):
            options = dict(options or {})
            if function == is_cuda:  # made anew by each access
                return True
            if function is torch.Tensor.cuda:
                return arguments[0]
            if function is torch.Tensor.pin_memory:
                return arguments[0]
            if function in moves:
                arguments = arguments[:1] + tuple(on_cpu(torch, value) for value in arguments[1:])
            if "device" in options:
                options["device"] = on_cpu(torch, options["device"])
            if options.get("pin_memory"):
                options["pin_memory"] = False
            return function(*arguments, **options)

    refused = {}  # what a script asked for, and perhaps went on without: lines, once each

    def refuse(*_, name=None, **__):
        called = f"{script_line(traceback.extract_stack())}{name or asked(torch)}"
        error = RecordError(
            f"{called} asks for a GPU in a way that is not replaced (docs/triton.md lists what is): make the script's "
            "tensors with device='cpu', and leave other calls of torch.cuda out"
        )
        error.place = ""  # the text has it
        refused[f"{called} asked for a GPU, and the script went on after the error"] = True
        raise error

    old_default = getattr(torch, "set_default_device", None)
    replaced = [(torch.cuda, name, make(arch, torch)) for name, make in FUNCTIONS.items() if hasattr(torch.cuda, name)]
    replaced.append((torch.cuda, "_lazy_init", refuse))
    for name in UNKNOWN:
        if hasattr(torch.cuda, name):
            replaced.append((torch.cuda, name, functools.partial(refuse, name=f"torch.cuda.{name}")))
    replaced.append((torch, "Generator", generator_on_cpu(torch)))
    if old_default is not None:
        replaced.append((torch, "set_default_device", lambda device: old_default(on_cpu(torch, device))))
    with contextlib.ExitStack() as stack:
        for owner, name, value in replaced:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        cuda = torch.nn.Module.cuda
        torch.nn.Module.cuda = lambda module, device=None: module
        stack.callback(setattr, torch.nn.Module, "cuda", cuda)
        stack.enter_context(OnCpu())
        yield
    for line in refused:
        tell(line)
