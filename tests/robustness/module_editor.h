// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of mutate_module: the function that is changed, and its ops in order.
#ifndef CONGRUENT_MODULE_EDITOR_H
#define CONGRUENT_MODULE_EDITOR_H

#include "tests/robustness/mutation.h"

typedef struct Ops {
    TirOp **items;
    uint32_t count;
} Ops;

typedef struct Editor {
    TirModule *module;
    TirFunction *function;
    Random *random;
    Ops ops;
} Editor;

// Some op for which `good` holds, NULL if none is found.
TirOp *editor_any_op_with(Editor *editor, bool (*good)(const TirOp *));

// ---- mutate_forms.c: changes of how many there are, and of what
// ------------------------------------------------------

void edit_segment(Editor *editor);   // an operand more or less
void edit_rank(Editor *editor);      // a dimension more or less
void edit_element(Editor *editor);   // the element type of a type becomes any other type of the module
void edit_signature(Editor *editor); // the type of a parameter, or of a block's argument
void edit_identity(Editor *editor);
void edit_text(Editor *editor); // formats, messages, names of globals
void edit_global(Editor *editor);
void edit_hints(Editor *editor);
void edit_results(Editor *editor); // one less

#endif
