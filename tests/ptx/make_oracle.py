# SPDX-License-Identifier: Apache-2.0
# Asks the real Triton 3.9 FpSan what each launch of oracle_cases.py computes; writes case files and check sums of the bits.
"""python tests/ptx/make_oracle.py ORACLE OUT [PATTERN...]   (needs triton==3.9.0, numpy, ml_dtypes, clang-22; no GPU)

ORACLE is the folder that holds triton_fpsan_llir.py, which runs what Triton compiles in FpSan mode on the CPU.
OUT/corpus/...             PTX of the kernels as corpus.tar.zst has them
OUT/oracle/ptx/...         PTX of kernels with other constants
OUT/oracle/NAME.yaml       a case for fpdiff: variant fpsan is Triton's FpSan build, normal the normal one
OUT/oracle/expected.txt    a line for each case and output: its bits (README.md)
OUT/model/...              the same for the Python model of PTX: cases.json, both builds, inputs, expected bits
LIBDEVICE=FILE: what kernels/make_libdevice.sh makes; kernels with functions of libdevice then have a normal build, too.
PATTERN: shell patterns of names of cases; without, all."""

import fnmatch
import json
import multiprocessing
import os
import re
import sys
import traceback
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "kernels"))

import numpy as np  # noqa: E402
from fills import fill_bits  # noqa: E402
from make_corpus import FPSAN, LIBDEVICE, LIBRARY, NORMAL, all_works, compile_work, write_ptx  # noqa: E402
from oracle_cases import SUMS, TensorMap, all_cases  # noqa: E402

CHUNK = 4096  # bytes of a check sum
KINDS = {"f32": "f4", "f16": "f2", "bf16": "bf", "f8e4m3fn": "e4", "i8": "u1", "i32": "i4"}  # names of the oracle and the model
SWIZZLES = (0, 32, 64, 128)


def contents(case):
    return {b.name: fill_bits(b.name, b.kind, b.shape, b.fill, case.seed) for b in case.buffers}


def scratch_sizes(compiled):
    return [compiled.metadata.global_scratch_size, compiled.metadata.profile_scratch_size]


def tensor_maps(compiled):
    return [(list(m["block_size"]), int(m["swizzle"])) for m in getattr(compiled.metadata, "tensordesc_meta", None) or []]


def threads_of(compiled):
    found = re.search(r'"nvvm\.reqntid"="(\d+)', compiled.asm["llir"])
    return int(found.group(1)) if found else compiled.metadata.num_warps * 32


# ---- the oracle


# What the oracle does not know of the IR. Cluster launch control: no request for another block is granted, which is always
# allowed; the answer is 16 zero bytes, which the mbarrier counts. Halves in bf16 that are only moved are bits, lest the C
# compiler widens them to f32 and back.
CANCEL = "if (v[2] & 1) { memset((void *)v[0], 0, 16); nv_mb_tx(v[1], -16); }"
REWRITES = (
    (r"\{ ptr addrspace\(3\), i32 \} \{ (ptr addrspace\(3\) [^{}]*), i32 0 \}", r"\1"),
    (r'tail call (i1|i32) asm "clusterlaunchcontrol[^"]*", "=[br],q"\(i128 (%\w+)\)[^\n]*', r"trunc i128 \2 to \1"),
)
BF16_ARITHMETIC = r"\b(f\w+|sitofp|uitofp|call|tail call) .*\bbfloat\b|bfloat 0x"


def adapt(oracle, compiled):
    code = compiled.asm["llir"]
    for pattern, text in REWRITES:
        code = re.sub(pattern, text, code)
    if not re.search(BF16_ARITHMETIC, code):
        code = re.sub(r"\bbfloat\b", "i16", code)
    compiled.asm["llir"] = code
    c_of_asm = oracle.c_of_asm
    oracle.c_of_asm = lambda text, outs: CANCEL if "clusterlaunchcontrol.try_cancel" in text else c_of_asm(text, outs)


def ask(oracle, case, compiled):
    """The contents of each buffer after the launch of the FpSan build."""
    bits, maps, arguments = contents(case), tensor_maps(compiled), []
    kinds = {b.name: KINDS[b.kind] for b in case.buffers}
    for argument in case.arguments:
        if isinstance(argument, TensorMap):
            array, (box, swizzle) = bits[argument.buffer], maps.pop(0)
            arguments.append(oracle.TensorMap(array, list(array.shape[::-1]), box[::-1], swizzle, kinds[argument.buffer]))
        else:
            arguments.append(bits[argument] if isinstance(argument, str) else argument)
    adapt(oracle, compiled)
    oracle.run(compiled, arguments, case.grid)
    return bits


def merge_nans(case, buffer, bits):
    """Triton leaves sums in memory to the hardware (L12), which has NaNs of its own: they all count as one."""
    real = case.lost in ("L12", SUMS) and buffer.kind == "f32"
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, np.uint32(0x7FFFFFFF), bits) if real else bits


def expected_lines(case, results):
    for buffer in case.buffers:
        if buffer.out:
            data = merge_nans(case, buffer, results[buffer.name]).tobytes()
            sums = ["%08x" % zlib.crc32(data[i : i + CHUNK]) for i in range(0, len(data), CHUNK)]
            yield "%s %s %s %s %d %s\n" % (case.name, case.lost or "-", buffer.name, buffer.kind, len(data), " ".join(sums))


# ---- the case file


def yaml_value(value):
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (key, yaml_value(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(yaml_value, value))
    return str(value)


def launch_arguments(case, compiled):
    maps, shapes = tensor_maps(compiled), {b.name: b.shape for b in case.buffers}
    for argument in case.arguments:
        if isinstance(argument, TensorMap):
            box, swizzle = maps.pop(0)
            shape = shapes[argument.buffer]
            yield {"map": {"buffer": argument.buffer, "box": box, "swizzle": SWIZZLES[swizzle]}}
            yield from ("i32 %d" % size for size in shape)
            yield from ("i64 %d" % np.prod(shape[i + 1 :], dtype=np.int64) for i in range(len(shape)))
        elif isinstance(argument, float):
            yield "f32 %s" % float(np.float32(argument)).hex()
        else:
            yield argument if isinstance(argument, str) else "i32 %d" % argument
    yield from ({"scratch": size} for size in scratch_sizes(compiled))


def variant_text(case, mode, compiled):
    folder = "ptx" if case.work.constants else "../corpus"
    launch = {
        "module": "%s/%s" % (folder, case.work.file(mode)),
        "kernel": compiled.metadata.name,
        "grid": list(case.grid),
        "shared": compiled.metadata.shared,
        "args": list(launch_arguments(case, compiled)),
    }
    return "  %s:\n    - %s\n" % (mode or "normal", yaml_value(launch))


def is_lost(case):
    return case.lost not in ("", SUMS)


def case_text(case, builds):
    text = "# Written by make_oracle.py.%s\n" % (" The normal build has other payloads: %s of README.md." % case.lost if is_lost(case) else "")
    text += "title: %s of %s for sm_%d, %s\n" % (case.work.name, case.work.language.capitalize(), case.work.gpu, case.title)
    text += "profile: triton-3.9\nmodes: [fpsan]\nseed: %d\nbuffers:\n" % case.seed
    for b in case.buffers:
        text += "  %s: {type: %s, shape: %s, fill: %s}\n" % (b.name, b.kind, yaml_value(b.shape), yaml_value(b.fill))
    text += "variants:\n" + "".join(variant_text(case, mode, builds[mode]) for mode in (FPSAN, NORMAL) if mode in builds)
    return text + "compare: [%s]\n%s" % (", ".join(b.name for b in case.buffers if b.out), "expect: diverge\n" if is_lost(case) and NORMAL in builds else "")


# ---- what the Python model of PTX reads


def model_build(compiled):
    sizes = dict(zip(("global_scratch", "profile_scratch"), scratch_sizes(compiled)))
    maps = [dict(swizzle=swizzle, box=box) for box, swizzle in tensor_maps(compiled)]
    return dict(threads=threads_of(compiled), shared=compiled.metadata.shared, maps=maps, **sizes)


def model_case(case, builds):
    arguments, maps = [], 0
    for argument in case.arguments:
        if isinstance(argument, TensorMap):
            arguments.append(dict(tensormap=argument.buffer, map=maps))
            maps += 1
        elif isinstance(argument, float):
            arguments.append(dict(f32="0x%08x" % int(np.float32(argument).view("u4"))))
        else:
            arguments.append(dict(buffer=argument) if isinstance(argument, str) else dict(i32=argument))
    buffers = {b.name: dict(kind=KINDS[b.kind], shape=list(b.shape), out=b.out) for b in case.buffers}
    made = {mode or "normal": model_build(compiled) for mode, compiled in builds.items()}
    return dict(entry=builds[FPSAN].metadata.name, sm=case.work.gpu, grid=list(case.grid), args=arguments, buffers=buffers, builds=made)


def write_model(out, case, builds, results):
    folder = out / "model" / case.name
    folder.mkdir(parents=True, exist_ok=True)
    for mode, compiled in builds.items():
        (folder / ((mode or "normal") + ".ptx")).write_text(compiled.asm["ptx"])
    for buffer in case.buffers:
        bits = results[buffer.name] if buffer.out else contents(case)[buffer.name]
        bits.tofile(folder / (buffer.name + (".out" if buffer.out else ".in")))
    (folder / "case.json").write_text(json.dumps(model_case(case, builds)))


# ---- all of it


def make_case(folder, out, case):
    """The lines of expected.txt, or why there are none."""
    sys.path.insert(0, folder)
    import triton_fpsan_llir as oracle

    try:
        builds = {mode: compile_work(case.work, mode) for mode in case.work.modes()}
        results = ask(oracle, case, builds[FPSAN])
    except (Exception, SystemExit) as error:
        if os.environ.get("TRACE"):
            traceback.print_exc()
        return case.name, None, (str(error).strip() or repr(error)).splitlines()[-1][:300]
    for mode, compiled in builds.items():
        write_ptx(out / ("oracle/ptx" if case.work.constants else "corpus"), case.work, mode, compiled)
    write_model(out, case, builds, results)
    if case.work.name in LIBRARY and not LIBDEVICE:
        builds.pop(NORMAL, None)
    (out / "oracle" / (case.name + ".yaml")).write_text(case_text(case, builds))
    return case.name, "".join(expected_lines(case, results)), ""


def lines_of_cases(path):
    """Of an expected.txt that is there: the lines of each case."""
    lines = {}
    for line in path.read_text().splitlines(keepends=True) if path.exists() else ():
        name = line.split()[0]
        lines[name] = lines.get(name, "") + line
    return lines


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, out, patterns = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    (out / "oracle").mkdir(parents=True, exist_ok=True)
    cases = [c for c in all_cases(all_works()) if not patterns or any(fnmatch.fnmatch(c.name, p) for p in patterns)]
    expected = out / "oracle" / "expected.txt"
    lines, failed = lines_of_cases(expected), 0
    with multiprocessing.Pool(int(os.environ.get("JOBS", "2")), maxtasksperchild=8) as pool:
        for name, found, why in pool.starmap(make_case, [(folder, out, case) for case in cases], chunksize=3):
            lines[name] = found
            failed += found is None
            if found is None:
                print(name, "cannot be asked:", why, flush=True)
    expected.write_text("".join(lines[name] for name in sorted(lines) if lines[name]))
    models = {path.parent.name: json.loads(path.read_text()) for path in sorted((out / "model").glob("*/case.json"))}
    (out / "model" / "cases.json").write_text(json.dumps(models, indent=1))
    print("%d cases, %d that cannot be asked" % (len(cases) - failed, failed))


if __name__ == "__main__":
    main()
