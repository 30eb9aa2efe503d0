// SPDX-License-Identifier: Apache-2.0
// What all translations of ops need: values, types, appending ops; and the ops that are those of Tile IR.
#include "compiler/triton/objects.h"

enum {
    OPS_MAX = 1 << 20, // of an entry, calls inlined
    WARPS_DEFAULT = 4, // as Triton's
};

// ---- places and errors ---------------------------------------------------------------------------------------------

// Where the op that is translated is, and from where the function that it is in was called.
static Location place_of(TriTranslation *t) {
    if (!t->frame->caller) return t->op->at;
    if (t->placed != t->op) {
        t->placed = t->op;
        t->at = location_called(&t->module->arena, t->op->at, t->frame->call);
    }
    return t->at;
}

bool tri_refuse(TriTranslation *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&t->p->scratch, format, args);
    va_end(args);
    return diag_fail(t->p->diagnostics, t->op ? place_of(t) : t->frame->function->at, E_UNSUPPORTED,
                     "%s%s%s is not supported%s", t->op ? t->op->info->name : "", t->op ? ": " : "", text,
                     tri_made_by(t->p));
}

bool tri_fail(TriTranslation *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&t->p->scratch, format, args);
    va_end(args);
    return diag_fail(t->p->diagnostics, t->op ? place_of(t) : t->frame->function->at, E_TEXT, "%s%s%s",
                     t->op ? t->op->info->name : "", t->op ? ": " : "", text);
}

// ---- operands and attributes ----------------------------------------------------------------------------------------

uint32_t tri_operands(const TriOp *op, const char *name, const TriValue **values) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < op->info->operand_count; i++) {
        if (!strcmp(op->info->operands[i].name, name)) {
            if (values) *values = op->operands + at;
            return op->segments[i];
        }
        at += op->segments[i];
    }
    return 0;
}

TriValue tri_operand(const TriOp *op, const char *name) {
    const TriValue *values;
    return tri_operands(op, name, &values) ? values[0] : TRI_NO_VALUE;
}

const TriAttribute *tri_attribute(const TriOp *op, const char *name) {
    for (uint32_t i = 0; i < op->info->attribute_count; i++)
        if (!strcmp(op->info->attributes[i].name, name)) return op->attributes[i].present ? &op->attributes[i] : NULL;
    return NULL;
}

// ---- types ----------------------------------------------------------------------------------------------------------

TirType tri_type(TriTranslation *t, TriValue value) {
    const TirType type = t->reader->types[value].tile;
    const TirTypeInfo *info = tir_type(t->module, type);
    return t->lift && !info->rank ? tri_tile(t->module, info->element, t->lift) : type;
}

TirType tri_with_element(TriTranslation *t, TirType tile, TirTypeKind kind) {
    return tri_tile(t->module, tir_type_scalar(t->module, kind), tir_type(t->module, tile));
}

TirType tri_value_tile(const TriTranslation *t, TirValue value) {
    return tir_value_type(t->function, value);
}

TirType tri_token_type(TriTranslation *t) {
    return tir_type_intern(t->module, &(TirTypeInfo){.kind = TIR_TYPE_token});
}

// ---- appending ------------------------------------------------------------------------------------------------------

TirOp *tri_emit_op(TriTranslation *t, const TirNewOp *added) {
    TirOp *op = tir_op_add(t->block, added);
    t->op_count++;
    if (t->op) {
        op->at = place_of(t);
        if (added->kind != TIR_OP_assume) op->source_name = t->op->info->name; // hints are of all ops
        op->debug = t->op->debug;
    }
    return op;
}

TirValue tri_emit(TriTranslation *t, TirOpKind kind, TirType type, uint32_t count, const TirValue *operands) {
    return tri_emit_op(
               t,
               &(TirNewOp){
                   .kind = kind, .operand_count = count, .operands = operands, .result_count = 1, .results = &type})
        ->first_result;
}
TirValue tri_emit1(TriTranslation *t, TirOpKind kind, TirType type, TirValue x) {
    return tri_emit(t, kind, type, 1, &x);
}
TirValue tri_emit2(TriTranslation *t, TirOpKind kind, TirType type, TirValue x, TirValue y) {
    return tri_emit(t, kind, type, 2, (TirValue[]){x, y});
}
TirValue tri_emit3(TriTranslation *t, TirOpKind kind, TirType type, TirValue x, TirValue y, TirValue z) {
    return tri_emit(t, kind, type, 3, (TirValue[]){x, y, z});
}

TirValue tri_set(TriTranslation *t, TirValue result, const char *name, uint64_t number) {
    tir_op_set(t->function->values[result].definition, name)->integer = number;
    return result;
}

TirValue tri_splat_bits(TriTranslation *t, TirType type, uint64_t bits) {
    const TirTypeKind kind = tri_kind(t, type);
    uint8_t bytes[8];
    if (kind == TIR_TYPE_i1) bits = bits ? 0xFF : 0; // all bits of a splat (tile-ir.md, Constant payloads)
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    const TirValue value = tri_emit(t, TIR_OP_constant, type, 0, NULL);
    tir_op_set(t->function->values[value].definition, "value")->constant =
        tir_constant(t->module, bytes, (tir_type_rows[kind].bits + 7u) / 8u);
    return value;
}

TirValue tri_integer(TriTranslation *t, TirTypeKind kind, int64_t number) {
    return tri_splat_bits(t, tri_scalar(t->module, kind), (uint64_t)number);
}

TirValue tri_reshape(TriTranslation *t, TirValue value, TirType type) {
    return tri_value_tile(t, value) == type ? value : tri_emit1(t, TIR_OP_reshape, type, value);
}

TirValue tri_splat(TriTranslation *t, TirValue scalar, TirType type) {
    int64_t ones[TIR_RANK_MAX];
    const TirTypeInfo *info = tir_type(t->module, type);
    for (uint32_t i = 0; i < info->rank; i++) ones[i] = 1;
    const TirType one = tir_type_tile(t->module, info->element, info->rank, ones);
    const TirValue reshaped = tri_reshape(t, scalar, one);
    return one == type ? reshaped : tri_emit1(t, TIR_OP_broadcast, type, reshaped);
}

// ---- values ---------------------------------------------------------------------------------------------------------

// The slot of a value: in the frame whose function has it.
static TirValue *slot_of(TriTranslation *t, TriValue value) {
    const TriFunction *function = t->frame->function;
    if (value < function->first_value || value - function->first_value >= function->value_count) return NULL;
    return &t->frame->values[value - function->first_value];
}

void tri_end_with_region(TriTranslation *t, TirValue *slot) {
    t->defined = arena_grow(&t->p->scratch, t->defined, t->defined_count, &t->defined_capacity, sizeof *t->defined);
    t->defined[t->defined_count++] = slot;
}

bool tri_define(TriTranslation *t, TriValue value, TirValue defined) {
    TirValue *slot = slot_of(t, value);
    if (!slot) return tri_fail(t, "a value of another function");
    *slot = defined;
    tri_end_with_region(t, slot);
    return true;
}

bool tri_use(TriTranslation *t, TriValue value, TirValue *used) {
    TirValue *slot = slot_of(t, value);
    const TriType type = t->reader->types[value];
    if (!slot || *slot == TIR_NO_VALUE ||
        ((type.descriptor || type.block) && t->frame->descriptors[value - t->frame->function->first_value])) {
        if (slot && (type.descriptor || type.block)) return tri_refuse(t, "this use of a descriptor or block pointer");
        return tri_fail(t, "an operand is not defined on the way to this op");
    }
    *used = tri_is_pending(t, value) ? tri_slot_tile(t, value, *slot) : *slot;
    const TirTypeInfo *info = tir_type(t->module, tri_value_tile(t, *used));
    if (t->lift && !info->rank) *used = tri_splat(t, *used, tri_tile(t->module, info->element, t->lift));
    return true;
}

bool tri_use_raw(TriTranslation *t, TriValue value, TirValue *used) {
    const TirValue *slot = slot_of(t, value);
    if (!slot || *slot == TIR_NO_VALUE) return tri_fail(t, "an operand is not defined on the way to this op");
    *used = *slot;
    return true;
}

bool tri_use_all(TriTranslation *t, const TriOp *op, TirValue *used) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tri_use(t, op->operands[i], &used[i])) return false;
    return true;
}

bool tri_define_descriptor(TriTranslation *t, TriValue value, const TriDescriptor *descriptor) {
    const TriFunction *function = t->frame->function;
    TriDescriptor *kept = arena_new(&t->p->scratch, TriDescriptor);
    *kept = *descriptor;
    TirValue *slot = slot_of(t, value);
    if (!slot) return tri_fail(t, "a value of another function");
    t->frame->descriptors[value - function->first_value] = kept;
    // Gone with its region, as other values are: the slot says that it is there.
    *slot = 0;
    tri_end_with_region(t, slot);
    return true;
}

const TriDescriptor *tri_use_descriptor(TriTranslation *t, TriValue value) {
    const TriFunction *function = t->frame->function;
    const TirValue *slot = slot_of(t, value);
    const TriDescriptor *found =
        slot && *slot != TIR_NO_VALUE ? t->frame->descriptors[value - function->first_value] : NULL;
    if (!found) tri_refuse(t, "a descriptor that comes from elsewhere");
    return found;
}

// ---- ops ------------------------------------------------------------------------------------------------------------

// name=word name=word, or a flag alone
static void set_words(TirOp *op, const char *words) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (const char *at = words; *at;) {
        while (*at == ' ') at++;
        const size_t length = strcspn(at, " ="), value = at[length] == '=' ? strcspn(at + length + 1, " ") : 0;
        for (uint32_t i = 0; i < info->attribute_count; i++) {
            const TirAttributeInfo *attribute = &info->attributes[i];
            if (strlen(attribute->name) != length || memcmp(attribute->name, at, length)) continue;
            op->attributes[i].present = true;
            op->attributes[i].integer = 1;
            for (uint32_t w = 0; value && w < attribute->enumeration->count; w++)
                if (strlen(attribute->enumeration->words[w]) == value &&
                    !memcmp(attribute->enumeration->words[w], at + length + 1, value))
                    op->attributes[i].integer = w;
        }
        at += length + (at[length] == '=') + value;
    }
}

static bool translate_row(TriTranslation *t, const TriOp *op) {
    TirValue operands[TRI_OPERANDS_MAX];
    TirType results[TRI_RESULTS_MAX];
    const TriRow *row = op->info->row;
    if (!tri_use_all(t, op, operands)) return false;
    for (uint32_t i = 0; i < op->result_count; i++) results[i] = tri_type(t, op->first_result + i);
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = row->kind,
                                             .operand_count = op->operand_count,
                                             .operands = operands,
                                             .result_count = op->result_count,
                                             .results = results});
    set_words(made, row->words);
    return tri_define(t, op->first_result, made->first_result);
}

bool tri_translate_op(TriTranslation *t, const TriOp *op) {
    const TriOp *outer = t->op;
    t->op = op;
    if (t->op_count++ > OPS_MAX)
        return diag_fail(t->p->diagnostics, op->at, E_LIMIT, "more than %d ops, with functions inlined", OPS_MAX);
    const bool ok = op->info->row->hook ? op->info->row->hook(t, op) : translate_row(t, op);
    if (ok) tri_assume_hints(t, op);
    t->op = outer;
    return ok;
}

bool tri_op_misplaced(TriTranslation *t, const TriOp *op) {
    (void)op;
    return tri_fail(t, "this op cannot stand here");
}

bool tri_op_nothing(TriTranslation *t, const TriOp *op) {
    (void)t, (void)op;
    return true;
}

// A change of layouts alone.
bool tri_op_identity(TriTranslation *t, const TriOp *op) {
    TirValue value;
    if (t->reader->types[op->operands[0]].tile != t->reader->types[op->first_result].tile)
        return tri_fail(t, "the result is no tensor of the operand's type");
    return tri_use(t, op->operands[0], &value) && tri_define(t, op->first_result, value);
}

TriValue tri_result(const TriOp *op, const char *name) {
    TriValue value = op->first_result;
    for (uint32_t i = 0; i < op->info->result_count; value += op->results[i++])
        if (!strcmp(op->info->results[i].name, name)) return op->results[i] ? value : TRI_NO_VALUE;
    return TRI_NO_VALUE;
}

// ---- entries --------------------------------------------------------------------------------------------------------

TriFrame *tri_open_frame(TriTranslation *t, const TriFunction *function) {
    TriFrame *frame = arena_new(&t->p->scratch, TriFrame);
    *frame = (TriFrame){.caller = t->frame, .function = function, .call = t->frame ? place_of(t) : (Location){0}};
    t->placed = NULL;
    frame->values = arena_array(&t->p->scratch, TirValue, function->value_count + 1u);
    frame->descriptors = arena_array(&t->p->scratch, const TriDescriptor *, function->value_count + 1u);
    frame->views = arena_array(&t->p->scratch, const TriView *, function->value_count + 1u);
    for (uint32_t i = 0; i < function->value_count; i++) frame->values[i] = TIR_NO_VALUE;
    t->frame = frame;
    t->op_count += function->value_count / 8; // so that frames are bounded, too
    return frame;
}

static bool define_parameters(TriTranslation *t, const TriFunction *function) {
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const TirValue parameter = t->function->body.first->first_argument + i;
        if (!tri_define(t, function->first_argument + i, parameter)) return false;
    }
    return tri_describe_arguments(t, function);
}

// What the launcher promises of arguments. The op is where the argument is.
static void assume_divisors(TriTranslation *t, const TriFunction *function) {
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const TriArgument *argument = &function->arguments[i];
        const TirValue parameter = t->function->body.first->first_argument + i;
        const TirTypeKind kind = tri_kind(t, tri_value_tile(t, parameter));
        const bool power = argument->divisor > 1 && !(argument->divisor & (argument->divisor - 1));
        if (!power || argument->divisor >> 62 || tir_float_format(kind) != FPSAN_FORMAT_COUNT) continue;
        tri_assume_divisor(t, parameter, argument->divisor);
        t->block->last->at = location_keep(&t->module->arena, argument->at);
    }
}

// What Python calls the parameters, which are descriptors, and which say what lies outside those.
static void name_parameters(TriTranslation *t, const TriFunction *function, uint32_t count) {
    Arena *arena = &t->module->arena;
    const char **names = arena_array(arena, const char *, count + 1u);
    uint32_t *ranks = arena_array(arena, uint32_t, count + 1u), *paddings = arena_array(arena, uint32_t, count + 1u);
    uint32_t next = function->argument_count;
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const TriType type = t->reader->types[function->first_argument + i];
        names[i] = arena_keep(arena, function->argument_names[i]);
        ranks[i] = type.descriptor ? tir_type(t->module, type.tile)->rank : 0;
        if (!tri_has_padding(t, function->first_argument + i)) continue;
        names[next] = arena_format(arena, "%s.padding", names[i]);
        paddings[next++] = 1 + i;
    }
    t->function->padding_of = paddings;
    t->function->parameter_names = names;
    t->function->descriptor_ranks = ranks;
}

bool tri_translate(TriReader *reader, const TriFunction *function) {
    Parser *p = &reader->base;
    TriTranslation t = {.reader = reader, .p = p, .module = p->module, .written = TIR_NO_VALUE};
    TirType *parameters = arena_array(&p->scratch, TirType, 2u * function->argument_count + 2u);
    uint32_t count = function->argument_count;
    uint64_t memory_used = 0;
    tri_open_frame(&t, function);
    t.facts = tri_find_facts(&t, function);
    for (uint32_t i = 0; i < function->argument_count; i++) {
        const TriValue argument = function->first_argument + i;
        if (reader->types[argument].memory) return tri_refuse(&t, "a kernel with a memory object as parameter");
        parameters[i] = tri_parameter_type(&t, reader->types[argument]);
        if (tri_has_padding(&t, argument)) parameters[count++] = tri_scalar(t.module, TIR_TYPE_i32);
    }
    if (t.facts) parameters[count] = tri_memory_type(&t);
    const TirType type = tir_type_intern(p->module, &(TirTypeInfo){.kind = TIR_TYPE_function,
                                                                   .parameter_count = count + (t.facts != NULL),
                                                                   .parameters = parameters});
    t.op_count = 0;
    t.function = tir_function_add(p->module, function->name, type, true);
    t.function->at = function->at;
    name_parameters(&t, function, count);
    t.block = t.function->body.first;
    if (t.facts) {
        t.memory = t.block->first_argument + count;
        t.memory_used = &memory_used;
        t.parts = tri_open_parts(&t);
        t.warps = reader->cluster.warps ? (uint32_t)reader->cluster.warps : WARPS_DEFAULT;
    }
    if (t.facts && reader->kernel_count > 1) return tri_refuse(&t, "a kernel with memory objects beside other kernels");
    if (function->result_count) return tri_refuse(&t, "a kernel that returns values");
    assume_divisors(&t, function);
    if (!define_parameters(&t, function) || !tri_translate_body(&t, NULL)) return false;
    if (t.facts) tri_close_parts(&t);
    return true;
}
