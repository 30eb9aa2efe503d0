// SPDX-License-Identifier: Apache-2.0
// Calls, which are inlined.
#include "compiler/triton/objects.h"

// A memory object comes with what is known of it, a descriptor is what is known.
typedef struct Given {
    TirValue used;
    const TriView *view;
    const TriDescriptor *desc;
} Given;

static bool use_argument(TriTranslation *t, TriValue value, Given *given) {
    const TriType type = t->reader->types[value];
    *given = (Given){.used = TIR_NO_VALUE};
    if (type.descriptor || type.block) return (given->desc = tri_use_descriptor(t, value)) != NULL;
    return tri_use(t, value, &given->used) && (!type.memory || (given->view = tri_view_of(t, value)));
}

static bool define_argument(TriTranslation *t, TriValue argument, const Given *given) {
    if (given->desc) return tri_define_descriptor(t, argument, given->desc);
    return given->view ? tri_define_view(t, argument, given->used, given->view) : tri_define(t, argument, given->used);
}

bool tri_op_call(TriTranslation *t, const TriOp *op) {
    uint64_t index;
    const char *name = tri_attribute(op, "callee")->text;
    if (t->lift) return tri_refuse(t, "a call for each element");
    if (!map_find(&t->reader->function_names, name, &index)) return tri_fail(t, "there is no function @%s", name);
    const TriFunction *callee = &t->reader->functions[index];
    TirValue *results = arena_array(&t->p->scratch, TirValue, callee->result_count + 1u);
    Given *given = arena_array(&t->p->scratch, Given, op->operand_count + 1u);
    if (callee->argument_count != op->operand_count || callee->result_count != op->result_count)
        return tri_fail(t, "@%s has %u arguments and %u results", name, callee->argument_count, callee->result_count);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tri_same_type(t->reader->types[callee->first_argument + i], t->reader->types[op->operands[i]]))
            return tri_fail(t, "argument %u of @%s is of another type", i, name);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (t->reader->types[op->first_result + i].memory)
            return tri_refuse(t, "a function that gives a memory object");
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!use_argument(t, op->operands[i], &given[i])) return false;
    TriFrame *caller = t->frame;
    const TriOp *outer = t->op;
    const TriFacts *facts = t->facts;
    tri_open_frame(t, callee);
    t->facts = tri_find_facts(t, callee);
    bool ok = true;
    for (uint32_t i = 0; ok && i < op->operand_count; i++)
        ok = define_argument(t, callee->first_argument + i, &given[i]);
    ok = ok && tri_translate_body(t, results);
    t->frame = caller;
    t->facts = facts;
    t->op = outer;
    t->placed = NULL;
    for (uint32_t i = 0; ok && i < op->result_count; i++) {
        if (tri_type(t, op->first_result + i) != tri_value_tile(t, results[i]))
            return tri_fail(t, "result %u of @%s is of another type", i, name);
        ok = tri_define(t, op->first_result + i, results[i]);
    }
    return ok;
}
