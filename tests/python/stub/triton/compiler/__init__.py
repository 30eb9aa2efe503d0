# SPDX-License-Identifier: Apache-2.0
from .compiler import ASTSource, compile, make_backend  # noqa: A004, F401
