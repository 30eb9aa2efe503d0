// SPDX-License-Identifier: Apache-2.0
// What the parts of mutate_module share: the function being changed, and its ops in order.
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

// ---- mutate_forms.c: how many of what there is ----------------------------------------------------------------------

void edit_segment(Editor *editor);   // an operand more or less
void edit_rank(Editor *editor);      // a dimension more or less
void edit_element(Editor *editor);   // what a type is of, by reference: any other type of the module
void edit_signature(Editor *editor); // types of a parameter, of a block's argument
void edit_identity(Editor *editor);
void edit_text(Editor *editor); // formats, messages, names of globals
void edit_global(Editor *editor);
void edit_hints(Editor *editor);
void edit_results(Editor *editor); // one less

#endif
