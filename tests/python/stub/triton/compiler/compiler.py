# SPDX-License-Identifier: Apache-2.0
import types


class ASTSource:
    language, ext = "triton", "ttir"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.signature, self.constants, self.attrs = fn, signature, constexprs, attrs
        self.name = fn.__name__

    def parse_options(self):
        return {}

    def make_ir(self, target, options, codegen, modules, context):
        assert context["dialects"] and target.arch == 90
        return self.fn.__doc__


class Backend:
    def parse_options(self, options):
        return types.SimpleNamespace(**{"num_warps": 4, "num_ctas": 1, **options})

    def add_stages(self, stages, options, language):
        stages["ttir"] = lambda module, metadata: module
        stages["ttgir"] = stages["cubin"] = None  # nobody may go on

    def load_dialects(self, context):
        pass

    def get_codegen_implementation(self, options):
        return {}

    def get_module_map(self):
        return {}


def make_backend(target):
    return Backend()


def compile(source, target=None, options=None):  # noqa: A001
    raise RuntimeError("the recorder compiles")
