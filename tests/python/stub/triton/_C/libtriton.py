# SPDX-License-Identifier: Apache-2.0
class ir:
    @staticmethod
    def context():
        return {}

    @staticmethod
    def load_dialects(context):
        context["dialects"] = True
