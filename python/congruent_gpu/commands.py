# SPDX-License-Identifier: Apache-2.0
"""The programs fpdiff and tileiras of the installed package, as commands of its environment. Imports little: each call
of a command pays for it."""

import os
import sys


def program(name):
    """The path of a program that was installed with the package; None: there is none, as where the source is used."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    return path if os.path.isfile(path) else None


def run(name):
    path = program(name)
    if path is None:
        sys.exit(f"{name}: this is the source of congruent_gpu, in which there are no programs: build it (make build)")
    os.execv(path, [name, *sys.argv[1:]])


def fpdiff():
    run("fpdiff")


def tileiras():
    run("tileiras")
