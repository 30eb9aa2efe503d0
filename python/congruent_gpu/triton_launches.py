# SPDX-License-Identifier: Apache-2.0
"""Launches of Triton's kernels, as they are made, without a GPU.

Triton's own launch does all up to the compilation: specialisation, heuristics, hooks, the grid. What is replaced: the
driver (a GPU that is not there), the compilation (as far as TTIR; of Gluon's kernels TTGIR), the launch of what was
compiled (recorded, and run by fpdiff), the autotuner's measurements (none: its first config that is not pruned), and
times (none)."""

import contextlib
import inspect
import re
import types
from pathlib import Path

from .casefile import view_of
from .errors import RecordError, UsageError
from .gluon_target import check_target, other_target, unheard
from .memory import SIZES, Array, is_array, is_numpy
from .recording import Recorder, checked_grid, kept, patching
from .scalars import SCALARS, scalar
from .triton_arrays import take_descriptors, unwrap, wrap

# Versions whose internals are known: the first and the one behind the last.
SINCE, UNTIL = (3, 3), (3, 10)
GLUON_SINCE = (3, 9)

# What a pointer of Triton's signature points to, as case files call it.
POINTED = {name: row[0] for name, row in SCALARS.items()} | {"fp8e4nv": "f8e4m3fn", "fp8e5": "f8e5m2"}

# What a launch ignores in a kernel that was compiled: asked by scripts that compute an occupancy.
REGISTERS, SPILLS, SHARED, THREADS = 32, 0, 0, 1024
# What is said of the GPU that is not there: of an H100, where numbers have to be.
DEVICE = {
    "max_shared_mem": 232448,
    "max_num_regs": 65536,
    "multiprocessor_count": 132,
    "warpSize": 32,
    "sm_clock_rate": 1980000,
    "mem_clock_rate": 2619000,
    "mem_bus_width": 5120,
}
UNMEASURED = float("nan")
# Options of a kernel that Triton derives from the GPU.
OF_TARGET = ("arch", "ptx_version", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes",
             "max_num_imprecise_acc_default")  # fmt: skip


def numbers_of(version):
    """The first two numbers of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def check_version(version):
    """Refuses a version of Triton by name, unless its internals are known."""
    if not SINCE <= numbers_of(version) < UNTIL:
        raise UsageError(f"Triton {version} is not supported: this records with 3.3 to 3.9 (pip install triton==3.9.0)")


class Utilities:
    """Of the driver: what scripts ask the GPU for."""

    def get_device_properties(self, device=0):
        return dict(DEVICE)


class Driver:
    """In place of Triton's driver for CUDA."""

    def __init__(self, recorder):
        self.recorder, self.utils = recorder, Utilities()
        self.launcher_cls = None

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.recorder.arch, 32)

    def get_device_capability(self, device=0):
        return divmod(self.recorder.arch, 10)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_benchmarker(self):
        from triton import testing

        return testing.do_bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    @staticmethod
    def is_active():
        return True


class Compiled:
    """In place of Triton's CompiledKernel: a kernel as TTIR, or as TTGIR."""

    def __init__(self, recorder, source, options, text, metadata):
        self.recorder, self.src, self.text = recorder, source, text
        self.name = re.search(r"tt\.func public @\"?([\w.$]+)", text).group(1)
        self.asm = {"ttgir" if is_gluon(source) else "ttir": text}
        self.n_regs, self.n_spills, self.n_max_threads = REGISTERS, SPILLS, THREADS
        values = {"shared": SHARED, **vars(options), **metadata, "name": self.name}
        self.metadata = types.SimpleNamespace(**values)
        self.packed_metadata, self.function, self.module, self.hash = None, None, None, None

    def _init_handles(self):
        pass

    def result(self):
        return self

    def launch_metadata(self, grid, stream, *arguments):
        return None

    def run(self, x, y, z, stream, function, packed, launch_metadata, enter_hook, exit_hook, *arguments):
        self.recorder.launch(self, (x, y, z), arguments)

    def __getitem__(self, grid):
        grid = tuple(grid) + (1,) * (3 - len(grid))

        def launch(*arguments, stream=None):
            self.recorder.launch(self, grid, tuple(map(wrap, arguments)))

        return launch


def is_gluon(source):
    """Whether the source is one of a @gluon.jit function."""
    return getattr(source, "ext", "ttir") == "glir" or type(source).__name__ == "GluonASTSource"


def lower(source, target, options):
    """The TTIR that Triton makes of a source, or the TTGIR of one of Gluon, and what it knows of it. TTIR: all versions
    from 3.3 on."""
    import triton
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend

    if is_gluon(source) and numbers_of(triton.__version__) < GLUON_SINCE:
        raise RecordError(
            f"{source.name} is a kernel of Gluon, which Triton {triton.__version__} makes in another way: "
            "such kernels are recorded with 3.9 (pip install triton==3.9.0)"
        )
    backend = make_backend(target)
    options = backend.parse_options(dict(options or {}, **source.parse_options()))
    stages, metadata = {}, {}
    if len(inspect.signature(backend.add_stages).parameters) == 2:
        backend.add_stages(stages, options)
    else:
        backend.add_stages(stages, options, source.language)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    arguments = [options, backend.get_codegen_implementation(options), backend.get_module_map(), context]
    if "target" in inspect.signature(source.make_ir).parameters:
        arguments.insert(0, target)
    module = source.make_ir(*arguments)
    for stage in ("glir", "ttgir") if is_gluon(source) else ("ttir",):
        module = stages[stage](module, metadata)
    return str(module), options, metadata


def about(compiled, target):
    """What Triton writes beside a kernel, as far as fpdiff reads it."""
    import triton

    made = {"name": compiled.name, "triton_version": triton.__version__}
    made["target"] = {"backend": target.backend, "arch": target.arch, "warp_size": target.warp_size}
    for name in ("num_warps", "num_stages", "num_ctas", "enable_fp_fusion"):
        if hasattr(compiled.metadata, name):
            made[name] = getattr(compiled.metadata, name)
    return made


def neutral_locations(text):
    """Locations without this machine's folders: below the current folder, in Triton itself, or the file's name."""
    here = str(Path.cwd()) + "/"

    def neutral(match):
        path = match.group(1)
        if "/triton/" in path and "/site-packages/" in path:
            return 'loc("' + path[path.rindex("/triton/") + 1 :] + '"'
        if path.startswith(here):
            return 'loc("' + path[len(here) :] + '"'
        return 'loc("' + path.rsplit("/", 1)[-1] + '"'

    return re.sub(r'loc\("([^"]*/[^"]*)"', neutral, text)


def flat(signature, value):
    """Pairs of a type and a value: tuples taken apart, constants left out."""
    if isinstance(signature, (tuple, list)):
        return [pair for inner, item in zip(signature, value) for pair in flat(inner, item)]
    return [] if signature == "constexpr" else [(signature, value)]


class TritonRecorder(Recorder):
    """Records the launches of one variant. Install with `with recorder.installed():`, then run the script."""

    def __init__(self, engine, variant, arch, tell, arch_is_given=True):
        super().__init__(engine, variant, tell)
        self.arch, self.arch_is_given, self.tuned_keys = arch, arch_is_given, set()

    # ---- compilation ----
    @kept
    def compile(self, source, target=None, options=None, _env_vars=None, **_):
        target = target or self.driver.get_current_target()
        if is_gluon(source):
            text, options, metadata, target = self._lower_gluon(source, target, options)
        else:
            text, options, metadata = lower(source, target, options)
            if getattr(options, "num_ctas", 1) != 1:
                raise RecordError(f"{source.name}: clusters (num_ctas={options.num_ctas}) are not supported")
        compiled = Compiled(self, source, options, neutral_locations(text), metadata)
        compiled.about = about(compiled, target)
        return compiled

    def _lower_gluon(self, source, target, options):
        """Kernels of Gluon are written for one GPU: the one that was asked for, else the first that they fit of the
        usual one and Blackwell's. Returns what lower() does, and the target."""
        if self.arch_is_given:
            made = lower(source, target, options)
            check_target(source.name, made[0], target.arch)
            return *made, target
        first, text = None, ""
        try:
            with unheard() as said:
                text, *more = lower(source, target, options)
        except RecordError:
            raise
        except Exception as error:
            first = error
        else:
            said()
        other = other_target(text, target.arch)
        if other is None:
            self._tell_target(source.name, target.arch)
            return text, *more, target
        target, usual = type(target)(target.backend, other, target.warp_size), self.arch
        # what Triton made of the options for the usual GPU is made anew
        options = {name: value for name, value in dict(options or {}).items() if name not in OF_TARGET}
        try:
            self.arch = other  # constexpr functions ask the driver
            made = lower(source, target, options)
        except Exception as error:
            said()
            if first is None or str(error) == str(first):
                raise
            words = f"for sm_{usual}: {first}; for sm_{other}: {error}"
            raise RecordError(f"{source.name} cannot be compiled. It was tried {words}") from error
        finally:
            self.arch = usual
        check_target(source.name, made[0], other)
        self._tell_target(source.name, other)
        return *made, target

    def _tell_target(self, name, arch):
        self.tell_once(f"{name} is a kernel of Gluon, compiled for sm_{arch} (--target says otherwise)")

    # ---- launches ----
    @kept
    def launch(self, compiled, grid, arguments):
        """Records one launch and runs it: results are in the script's arrays when this returns."""
        names = list(compiled.src.signature)
        grid = checked_grid(grid, compiled.name)
        if min(grid) == 0:
            self.tell_once(f"{compiled.name}: a launch with an empty grid does nothing, and is not recorded")
            return
        used, values = {}, []
        for name, value in zip(names, arguments):
            for type_name, item in flat(compiled.src.signature[name], value):
                values.append(self._argument(f"argument {name} of {compiled.name}", name, type_name, item, used))
        self.launch_module(compiled.text, compiled.name, grid, values, used, compiled.about)

    def _argument(self, what, name, type_name, value, used):
        value = unwrap(value)
        if isinstance(type_name, str) and type_name.startswith("tensordesc"):
            return self._descriptor(what, name, value, used)
        if isinstance(type_name, str) and type_name.startswith("*"):
            if is_array(value):
                array = self.memory.array(value, what)
            else:
                array = self._at_address(what, type_name[1:], value)
            return view_of(self.buffer(what, name, array, used), array)
        return scalar(type_name, value, what)

    def _at_address(self, what, type_name, value):
        """The memory at the address of an object that is no array, such as triton.reinterpret makes of one: up to the
        end of that array's allocation."""
        address = value.data_ptr() if callable(getattr(value, "data_ptr", None)) else 0
        allocation = self.memory.find(address)
        if allocation is None or type_name not in POINTED:
            raise RecordError(f"{what} is a {type(value).__name__}: arrays of numpy or CPU tensors are recorded")
        element, offset = POINTED[type_name], address - allocation.start
        return Array(allocation, element, offset, ((allocation.size - offset) // SIZES[element],), (1,))

    def _descriptor(self, what, name, value, used):
        if type(value).__name__ == "TensorDescriptorIm2Col":
            raise RecordError(f"{what}: descriptors of im2col are not supported")
        base = unwrap(value.base)
        array = self.memory.array(base, what)
        array.shape = tuple(int(size) for size in value.shape)
        array.strides = tuple(int(stride) for stride in value.strides)
        if getattr(value, "round_f32_to_tf32", False):
            raise RecordError(f"{what}: a descriptor with round_f32_to_tf32 is not supported")
        padding = getattr(value, "padding", "zero")
        if padding not in ("zero", "nan"):
            raise RecordError(f"{what}: a descriptor with padding={padding!r} is not supported, only zero and nan")
        return view_of(self.buffer(what, name, array, used), array, padding)

    # ---- what is replaced in Triton ----
    @contextlib.contextmanager
    def installed(self):
        import triton
        from triton import testing
        from triton.runtime import autotuner, driver, jit

        check_version(triton.__version__)
        self.driver = Driver(self)
        recorder = self
        with contextlib.ExitStack() as stack:
            patch = patching(stack)
            old_binder, old_run = jit.JITFunction.create_binder, jit.JITFunction.run

            def create_binder(function):
                made = old_binder(function)
                function.compile = recorder.compile
                return made

            def run(function, *arguments, grid, warmup, **options):
                if callable(grid):
                    grid = unwrapping_grid(grid)
                arguments = [wrap(value) for value in arguments]
                options = {name: wrap(value) for name, value in options.items()}
                return old_run(function, *arguments, grid=grid, warmup=warmup, **options)

            patch(jit.JITFunction, "create_binder", create_binder)
            patch(jit.JITFunction, "run", run)
            patch(autotuner.Autotuner, "run", lambda tuner, *a, **k: recorder.tuned(tuner, a, k))
            for name in ("do_bench", "do_bench_cudagraph", "do_bench_proton"):
                if hasattr(testing, name):
                    patch(testing, name, recorder.bench)
            if hasattr(triton, "compile"):
                patch(triton, "compile", recorder.compile)
            take_descriptors(patch)
            previous = driver._active if hasattr(driver, "_active") else None
            driver.set_active(self.driver)
            if previous is not None:
                stack.callback(driver.set_active, previous)
            self.watch_arrays(patch)
            yield self

    # ---- the autotuner ----
    @kept
    def tuned(self, tuner, arguments, options):
        """Autotuner.run with the first config that is not pruned and can be compiled."""
        tuner.nargs = given = dict(zip(tuner.arg_names, arguments))
        configs, pruned = list(tuner.configs), list(tuner.configs)
        if len(configs) > 1:
            pruned = list(tuner.prune_configs(options))
        name = tuner.base_fn.__name__
        for config in pruned:
            conflicts = options.keys() & config.kwargs.keys()
            if conflicts:
                raise ValueError(f"{name}: the autotuner sets {', '.join(sorted(conflicts))}, and the launch, too")
            if len(configs) > 1:
                self.tell_once(f"{name} is autotuned: recorded with config {configs.index(config) + 1} of "
                               f"{len(configs)}, the first that is not pruned ({config})")  # fmt: skip
            tuner.nargs = given  # pruning, hooks and the grid may ask for it
            named = {**given, **options, **config.all_kwargs()}
            self._reset(tuner, named)
            if config.pre_hook is not None:
                config.pre_hook(named)
            tuner.best_config = config
            try:
                return tuner.fn.run(*arguments, **options, **config.all_kwargs())
            except Exception as error:
                if type(error).__name__ not in ("OutOfResources", "CompileTimeAssertionFailure"):
                    raise
                self.tell(f"{name}: config {config} cannot be compiled: {error}")
            finally:
                tuner.nargs = None
        raise RecordError(f"{name}: no config of the autotuner can be compiled")

    def _reset(self, tuner, named):
        """Before the first launch with a key the autotuner resets what it was told to, after measuring."""
        if len(tuner.configs) <= 1:
            return
        key = tuple(str(named[name]) for name in tuner.keys if name in named)
        if (id(tuner), key) in self.tuned_keys:
            return
        self.tuned_keys.add((id(tuner), key))
        if getattr(tuner, "user_defined_pre_hook", False):
            tuner.pre_hook(named, reset_only=True)
            return
        for name in getattr(tuner, "reset_to_zero", None) or []:
            if named.get(name) is not None:
                value = unwrap(named[name])
                value.fill(0) if is_numpy(value) else value.zero_()

    # ---- times ----
    def bench(self, function, *_, quantiles=None, return_mode="mean", **__):
        """In place of do_bench: calls once; there is no time."""
        function()
        self.tell_once("nothing is measured here: do_bench calls once, and its times are nan")
        if quantiles is not None:
            times = [UNMEASURED] * len(quantiles)
            return times[0] if len(times) == 1 else times
        return [UNMEASURED] if return_mode == "all" else UNMEASURED


def unwrapping_grid(grid):
    """A grid's function gets the script's arrays, not ours."""
    return lambda bound: grid({name: unwrap(value) for name, value in bound.items()})
