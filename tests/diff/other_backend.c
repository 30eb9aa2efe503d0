// SPDX-License-Identifier: Apache-2.0
// A backend of another interface: programs refuse it, and call nothing of it.
#include "compiler/compiler.h"

__attribute__((visibility("default"))) extern const CompilerBackend congruent_backend;
const CompilerBackend congruent_backend = {.interface = 14};
