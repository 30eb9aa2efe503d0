# SPDX-License-Identifier: Apache-2.0
"""python -m congruent_gpu record [OPTIONS] SCRIPT [ARGS...]; python -m congruent_gpu --version"""

import argparse
import contextlib
import os
import re
import runpy
import sys
import traceback
from pathlib import Path

from . import library
from .casefile import NAME, Folder
from .errors import RecordError, UsageError, error_line, needs_packages

DESCRIPTION = """Runs a Python script that launches Triton's kernels, without a GPU, and writes what it launched as a case
of fpdiff: the kernels as TTIR (those of Gluon as TTGIR), arguments, grids and buffers, and case.yaml. Each launch runs on this machine's
processor, so that the script gets its results. docs/triton.md says what works."""

EPILOG = """Exit status: the script's own; 1 if it fails, or if parts of a kernel's blocks work together wrongly; 2: wrong
usage; 3: a launch cannot be recorded or run."""


class PrintVersion(argparse.Action):
    def __call__(self, parser, *_):
        print(f"congruent_gpu {library.version()}")
        parser.exit()


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m congruent_gpu", description=__doc__)
    parser.add_argument("--version", action=PrintVersion, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(dest="command", required=True, metavar="record")
    record = commands.add_parser("record", description=DESCRIPTION, epilog=EPILOG, help="record a script's launches")
    record.add_argument("--output", default="recorded", metavar="DIR", help="the folder that is written (recorded)")
    record.add_argument(
        "--variant",
        metavar="NAME",
        help="the variant's name (the script's). A second recording into a folder becomes another variant",
    )
    record.add_argument("--fpdiff", metavar="FILE", help="the program (of this project's build, or of the PATH)")
    record.add_argument(
        "--target",
        metavar="sm_N",
        help="the GPU that Triton compiles for (sm_90; kernels of Gluon that it cannot run: sm_100)",
    )
    record.add_argument(
        "--same",
        action="append",
        default=[],
        metavar="NEW=OLD",
        help="this recording's buffer NEW is the case's buffer OLD; may be repeated",
    )
    record.add_argument("--compare", metavar="NAME,...", help="the buffers to compare (what every variant writes)")
    record.add_argument("script", metavar="SCRIPT")
    record.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")
    return parser.parse_args(arguments)


def options_of(parsed):
    """The parsed command line, checked: variant, architecture, {new: old}, buffers to compare."""
    script = Path(parsed.script)
    if not script.is_file():
        raise UsageError(f"{script}: there is no such file")
    variant = parsed.variant or re.sub(r"\W", "_", script.stem)
    if not NAME.fullmatch(variant):
        raise UsageError(f"--variant {variant}: a name has letters, digits, _ and -, a letter or _ first")
    target = re.fullmatch(r"sm_(\d+)a?", parsed.target or "sm_90")
    if not target or int(target.group(1)) < 90:
        raise UsageError(f"--target {parsed.target}: sm_90 or newer, such as sm_90, sm_100 (of older ones Triton takes "
                         "descriptors apart)")  # fmt: skip
    same = {}
    for pair in parsed.same:
        new, equals, old = pair.partition("=")
        if not (new and equals and old):
            raise UsageError(f"--same {pair}: NEW=OLD is wanted")
        same[new] = old
    compare = [name for name in (parsed.compare or "").split(",") if name]
    return script, variant, int(target.group(1)), same, compare


def tell(text):
    print(f"congruent_gpu: {text}", file=sys.stderr, flush=True)


def run_script(script, arguments):
    """Runs the script as Python would. Returns its exit status; an exception of its own is printed."""
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as ending:
        if isinstance(ending.code, str):
            print(ending.code, file=sys.stderr)
            return 1
        return ending.code or 0
    except (RecordError, UsageError):
        raise
    except Exception as error:
        cause = error
        while cause is not None and not isinstance(cause, RecordError):
            cause = cause.__cause__ or cause.__context__
        if cause is not None:
            raise cause from None
        traceback.print_exc()
        return 1
    return 0


def record(parsed):
    script, variant, arch, same, compare = options_of(parsed)
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "0")  # says nothing of TTIR; without it Triton 3.9 warns
    with needs_packages():
        import numpy  # noqa: F401
        import triton  # noqa: F401

        from .runner import Engine
        from .triton_launches import TritonRecorder
    engine = Engine(parsed.fpdiff, prints=sys.stdout.write)
    folder = Folder(parsed.output)
    recorder = TritonRecorder(engine, variant, arch, tell, arch_is_given=parsed.target is not None)
    with contextlib.ExitStack() as stack:
        try:
            import torch  # noqa: F401
        except ImportError:
            pass
        else:
            from .torch_on_cpu import installed

            stack.enter_context(installed(arch, tell))
        stack.enter_context(recorder.installed())
        status = run_script(script, parsed.arguments)
    if recorder.failure is not None:  # the script caught it, and went on without the launch
        raise recorder.failure
    if not recorder.variant.launches:
        if status:
            return status
        raise RecordError(f"{script} launched no kernel")
    title = " ".join([script.name, *parsed.arguments])
    folder.add(recorder.variant, title, same, tell)
    case = folder.save(recorder.variant, compare)
    left_out = [name for row in folder.variants for name in row["results"] if name not in folder.last_compared]
    if left_out and not compare:
        tell(f"not compared: {', '.join(dict.fromkeys(left_out))}, no results of every variant (--same, --compare)")
    count = len(recorder.variant.launches)
    print(f"{case}: {count} {'launch' if count == 1 else 'launches'} as variant {variant}")
    if status:
        tell(f"the script ended with status {status}")
    if recorder.misused:
        which = ", ".join(map(str, recorder.misused))
        plural = "es" if len(recorder.misused) > 1 else ""
        tell(f"launch{plural} {which} of the case: misuse, see above. What is stored may be something else on a GPU")
    return status or (1 if recorder.misused else 0)


def main():
    try:
        return record(parse(sys.argv[1:]))
    except UsageError as error:
        tell(error)
        return 2
    except RecordError as error:
        tell(f"{error_line(error)}{error}")
        return 3


if __name__ == "__main__":
    sys.exit(main())
