// SPDX-License-Identifier: Apache-2.0
// The text printer: walks the text form of each op's row in ops.def; what only one op has is a hook. It takes modules
// that were not verified, too: what is missing prints as a question mark.
#include "compiler/tileir/print_internal.h"
#include "compiler/tileir/text_form.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

typedef struct TextPrinter {
    const TirModule *module;
    const TirFunction *function;
    ValueNames names;
    const LocationPrinter *locations; // NULL: without -g
    uint32_t indent;                  // of the op that is printed
    Buffer *out;
} TextPrinter;

static void put(TextPrinter *p, const char *text) {
    buffer_append(p->out, text, strlen(text));
}

static void put_indent(TextPrinter *p) {
    for (uint32_t i = 0; i < p->indent; i++) buffer_append(p->out, "  ", 2);
}

static void put_value(TextPrinter *p, TirValue value) {
    put(p, "%");
    put(p, value < p->function->value_count && p->names.uses[value] ? p->names.uses[value] : "?");
}

static void put_type(TextPrinter *p, TirType type) {
    tir_type_print(p->module, type, p->out);
}

static void put_type_of(TextPrinter *p, TirValue value) {
    if (value < p->function->value_count)
        put_type(p, tir_value_type(p->function, value));
    else
        put(p, "?");
}

static void put_types(TextPrinter *p, uint32_t count, const TirValue *values) {
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(p, ", ");
        put_type_of(p, values[i]);
    }
}

static void put_result_types(TextPrinter *p, const TirOp *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (i) put(p, ", ");
        put_type_of(p, tir_result(op, i));
    }
}

static void put_location(TextPrinter *p, uint64_t reference) {
    if (p->locations) tir_print_location(p->locations, reference, p->out);
}

// ---- the pieces of a text form --------------------------------------------------------------------------------------

// What $x, #x or ^x names: the values of an operand or result, or an attribute.
typedef struct Piece {
    const TirAttributeInfo *attribute_info;
    const TirAttribute *attribute;
    uint32_t count;
    const TirValue *operands; // NULL for results
    TirValue first_result;
} Piece;

static TirValue piece_value(const Piece *piece, uint32_t index) {
    return piece->operands ? piece->operands[index] : piece->first_result + index;
}

static bool name_is(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool find_attribute_piece(const TirOp *op, const char *name, size_t length, Piece *piece) {
    const TirOpInfo *info = tir_op_info(op->kind);
    for (uint32_t i = 0; i < info->attribute_count; i++)
        if (name_is(info->attributes[i].name, name, length)) {
            *piece = (Piece){.attribute_info = &info->attributes[i], .attribute = &op->attributes[i]};
            return true;
        }
    return false;
}

static bool find_value_piece(const TirOp *op, const char *name, size_t length, Piece *piece) {
    const TirOpInfo *info = tir_op_info(op->kind);
    uint32_t at = 0;
    for (uint32_t i = 0; i < info->operand_count; at += op->segments[i++])
        if (name_is(info->operands[i].name, name, length)) {
            *piece = (Piece){.count = op->segments[i], .operands = op->operands + at};
            return true;
        }
    uint32_t declared = info->result_count < 0 ? 1 : (uint32_t)info->result_count;
    for (uint32_t i = 0; i < declared; i++)
        if (name_is(info->results[i].name, name, length)) {
            bool all = info->result_count < 0;
            *piece =
                (Piece){.count = all ? op->result_count : op->result_count > i, .first_result = op->first_result + i};
            return true;
        }
    return false;
}

// Whether the piece lets its group be printed.
static bool piece_is_present(const Piece *piece) {
    if (!piece->attribute) return piece->count > 0;
    const TirAttribute *attribute = piece->attribute;
    switch (piece->attribute_info->kind) {
    case TIR_ATTR_ENUM:
        if (piece->attribute_info->optional) return attribute->present;
        return !piece->attribute_info->has_default || attribute->integer != piece->attribute_info->default_value;
    case TIR_ATTR_UNIT: return attribute->present && attribute->integer;
    case TIR_ATTR_BOOL_ARRAY:
        for (size_t i = 0; i < attribute->length; i++)
            if (attribute->numbers[i]) return true;
        return false;
    default: return attribute->present;
    }
}

static void put_number_array(TextPrinter *p, const TirAttribute *attribute, bool bools) {
    put(p, "[");
    for (size_t i = 0; i < attribute->length; i++) {
        if (i) put(p, ", ");
        if (bools)
            put(p, attribute->numbers[i] ? "true" : "false");
        else
            buffer_print(p->out, "%" PRId64, attribute->numbers[i]);
    }
    put(p, "]");
}

static void put_array(TextPrinter *p, const TirAttribute *attribute) {
    put(p, "[");
    for (size_t i = 0; i < attribute->length; i++) {
        if (i) put(p, ", ");
        tir_print_tagged(p->module, &attribute->items[i], p->out);
    }
    put(p, "]");
}

static void put_attribute(TextPrinter *p, const TirOp *op, const Piece *piece) {
    const TirAttributeInfo *info = piece->attribute_info;
    const TirAttribute *attribute = piece->attribute;
    switch (info->kind) {
    case TIR_ATTR_UNIT: return;
    case TIR_ATTR_BOOL: put(p, attribute->integer ? "true" : "false"); return;
    case TIR_ATTR_ENUM: {
        const char *word = tir_enum_word(info->enumeration, attribute->integer);
        if (word)
            put(p, word);
        else
            buffer_print(p->out, "%" PRIu64, attribute->integer); // an unverified module
        return;
    }
    case TIR_ATTR_I32: buffer_print(p->out, "%" PRId32, (int32_t)attribute->integer); return;
    case TIR_ATTR_I64: buffer_print(p->out, "%" PRId64, (int64_t)attribute->integer); return;
    case TIR_ATTR_STRING:
        if (info->symbol)
            tir_print_symbol(attribute->text ? attribute->text : "", p->out);
        else
            tir_print_quoted(attribute->text, attribute->length, p->out);
        return;
    case TIR_ATTR_I32_ARRAY: put_number_array(p, attribute, false); return;
    case TIR_ATTR_BOOL_ARRAY: put_number_array(p, attribute, true); return;
    case TIR_ATTR_ARRAY: put_array(p, attribute); return;
    case TIR_ATTR_HINTS: tir_print_hints(p->module, attribute, p->out); return;
    case TIR_ATTR_CONSTANT:
        tir_print_constant(p->module, tir_value_type(p->function, op->first_result), &attribute->constant, p->out);
        return;
    case TIR_ATTR_TAGGED: tir_print_tagged(p->module, attribute, p->out); return;
    }
}

static void put_values(TextPrinter *p, const Piece *piece) {
    for (uint32_t i = 0; i < piece->count; i++) {
        if (i) put(p, ", ");
        put_value(p, piece_value(piece, i));
    }
}

// mode '1': the first type only; '=': one type if all are equal.
static void put_piece_types(TextPrinter *p, const TirOp *op, const Piece *piece, char mode) {
    if (!piece->count && tir_result_is_upgraded(op)) put(p, "token");
    if (!piece->count && mode == '1') put(p, "tile<i32>"); // of no results; the parser wants one
    uint32_t count = piece->count, differing = 0;
    for (uint32_t i = 1; i < count; i++)
        differing +=
            tir_value_type(p->function, piece_value(piece, i)) != tir_value_type(p->function, piece_value(piece, 0));
    if (count > 1 && (mode == '1' || (mode == '=' && !differing))) count = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(p, ", ");
        put_type_of(p, piece_value(piece, i));
    }
}

// ---- hooks ----------------------------------------------------------------------------------------------------------

static void put_region(TextPrinter *p, const TirRegion *region);

// The argument `index` of the op's first block.
static TirValue body_argument(const TirOp *op, uint32_t index) {
    const TirBlock *block = op->regions[0].first;
    return block && index < block->argument_count ? block->first_argument + index : TIR_NO_VALUE;
}

// shape = [%n, 16], strides = [16, 1]: operands, from *next on, stand where the type says dynamic.
static void put_extents(TextPrinter *p, const TirOp *op, const char *what, uint32_t count, const int64_t *extents,
                        uint32_t *next) {
    buffer_print(p->out, "%s = [", what);
    for (uint32_t i = 0; extents && i < count; i++) {
        if (i) put(p, ", ");
        if (extents[i] != TIR_DYNAMIC)
            buffer_print(p->out, "%" PRId64, extents[i]);
        else
            put_value(p, *next < op->operand_count ? op->operands[(*next)++] : TIR_NO_VALUE);
    }
    put(p, "]");
}

static bool has_pointer_attribute(const TextPrinter *p, TirValue value) {
    if (value >= p->function->value_count) return false;
    const TirTypeInfo *tile = tir_type(p->module, tir_value_type(p->function, value));
    return tile->kind == TIR_TYPE_tile && tir_type(p->module, tile->element)->ptr_attr >= 0;
}

// shape = [%n, 16], strides = [16, 1] : BASE, TYPE -> TENSOR_VIEW; the type of the base only if it says more than the
// element of the view, that of the values only if there are some.
static void hook_tensor_view(TextPrinter *p, const TirOp *op) {
    const TirTypeInfo *view = tir_type(p->module, tir_value_type(p->function, op->first_result));
    uint32_t next = 1;
    put_extents(p, op, "shape", view->rank, view->shape, &next);
    put(p, ", ");
    put_extents(p, op, "strides", view->rank, view->strides, &next);
    put(p, " : ");
    bool attribute = op->operand_count && has_pointer_attribute(p, op->operands[0]), dynamic = op->operand_count > 1;
    if (attribute) put_type_of(p, op->operands[0]);
    if (attribute && dynamic) put(p, ", ");
    if (dynamic) put_type_of(p, op->operands[1]);
    if (attribute || dynamic) put(p, " -> ");
    put_type_of(p, op->first_result);
}

// %iterArg0 = %init, ...
static void put_carried(TextPrinter *p, const TirOp *op, uint32_t first_argument, uint32_t first_operand) {
    put(p, "iter_values(");
    for (uint32_t i = 0; first_operand + i < op->operand_count; i++) {
        if (i) put(p, ", ");
        put_value(p, body_argument(op, first_argument + i));
        put(p, " = ");
        put_value(p, op->operands[first_operand + i]);
    }
    put(p, ")");
}

static void hook_for(TextPrinter *p, const TirOp *op) {
    Piece is_unsigned;
    if (find_attribute_piece(op, "unsigned", strlen("unsigned"), &is_unsigned) && piece_is_present(&is_unsigned))
        put(p, "unsigned ");
    put_value(p, body_argument(op, 0));
    put(p, " in (");
    put_value(p, op->operands[0]);
    put(p, " to ");
    put_value(p, op->operands[1]);
    put(p, ", step ");
    put_value(p, op->operands[2]);
    put(p, ") : ");
    put_type_of(p, op->operands[0]);
    if (op->operand_count > 3) {
        put(p, " ");
        put_carried(p, op, 1, 3);
        put(p, " -> (");
        put_result_types(p, op);
        put(p, ")");
    }
    put(p, " ");
    put_region(p, &op->regions[0]);
}

static void hook_loop(TextPrinter *p, const TirOp *op) {
    if (op->operand_count) {
        put_carried(p, op, 0, 0);
        put(p, " : ");
        put_types(p, op->operand_count, op->operands);
        put(p, " ");
    }
    if (op->result_count) {
        put(p, op->operand_count ? "-> " : ": ");
        put_result_types(p, op);
        put(p, " ");
    }
    put_region(p, &op->regions[0]);
}

static void hook_if(TextPrinter *p, const TirOp *op) {
    put_value(p, op->operands[0]);
    if (op->result_count) {
        put(p, " -> (");
        put_result_types(p, op);
        put(p, ")");
    }
    put(p, " ");
    put_region(p, &op->regions[0]);
    if (!op->regions[1].first) return;
    put(p, " else ");
    put_region(p, &op->regions[1]);
}

// The body of reduce and scan, on a line of its own, with its arguments.
static void hook_body(TextPrinter *p, const TirOp *op) {
    put(p, "\n");
    put_indent(p);
    put(p, "(");
    const TirBlock *block = op->regions[0].first;
    for (uint32_t i = 0; block && i < block->argument_count; i++) {
        if (i) put(p, ", ");
        put_value(p, block->first_argument + i);
        put(p, ": ");
        put_type_of(p, block->first_argument + i);
    }
    put(p, ") ");
    put_region(p, &op->regions[0]);
}

// {rounding = #rz, satf = true}: what nv_tileaa.cast says beyond its defaults.
static void hook_attributes(TextPrinter *p, const TirOp *op) {
    const uint64_t rounding = tir_attribute_integer(op, "rounding");
    const bool rounds = rounding != TIR_rounding_nearest_even, saturates = tir_attribute_integer(op, "satf");
    const char *word = tir_tileaa_rounding(rounding);
    if (rounds) buffer_print(p->out, " {rounding = #%s", word ? word : "?");
    if (saturates) put(p, rounds ? ", satf = true" : " {satf = true");
    if (rounds || saturates) put(p, "}");
}

// attributes {reduction = #cuda_tile.multimem_reduction_kind<min>}, but for add
static void hook_reduction(TextPrinter *p, const TirOp *op) {
    const uint64_t reduction = tir_attribute_integer(op, "reduction");
    if (reduction == TIR_multimem_reduction_add) return;
    buffer_print(p->out, " attributes {reduction = #cuda_tile.multimem_reduction_kind<%s>}",
                 tir_enum_word(&tir_enum_multimem_reduction, reduction));
}

static const struct {
    const char *name;
    void (*print)(TextPrinter *p, const TirOp *op);
} text_hooks[] = {
    {"for", hook_for},
    {"loop", hook_loop},
    {"if", hook_if},
    {"body", hook_body},
    {"attributes", hook_attributes},
    {"tensor_view", hook_tensor_view},
    {"reduction", hook_reduction},
};

static void call_hook(TextPrinter *p, const TirOp *op, const char *name, size_t length) {
    for (size_t i = 0; i < BASE_COUNT(text_hooks); i++)
        if (name_is(text_hooks[i].name, name, length)) {
            text_hooks[i].print(p, op);
            return;
        }
    assert(!"ops.def names an unknown hook");
}

// ---- walking a text form --------------------------------------------------------------------------------------------

static Piece find_piece(const TirOp *op, const TirMarker *marker) {
    Piece piece = {0};
    bool found = marker->marker == '#' ? find_attribute_piece(op, marker->name, marker->length, &piece)
                                       : find_value_piece(op, marker->name, marker->length, &piece);
    assert(found && "ops.def's text form names nothing of its op");
    (void)found;
    return piece;
}

static bool group_is_present(const TirOp *op, const char *at) {
    while (*at != '}') {
        if (!strchr("$#^", *at)) {
            at++;
            continue;
        }
        TirMarker marker = tir_take_marker(&at);
        Piece piece = find_piece(op, &marker);
        if (!piece_is_present(&piece)) return false;
    }
    return true;
}

static void put_math(TextPrinter *p, const TirMath *math) {
    if (math->flags) {
        put(p, " fastmath<");
        math_print_flags(math->flags, p->out);
        put(p, ">");
    }
    if (math->max_error) {
        put(p, " max_error<");
        math_print_bound(math->max_error, p->out);
        put(p, ">");
    }
}

static void walk_text(TextPrinter *p, const TirOp *op, const char *at) {
    bool colon = false;
    while (*at) {
        if (!colon && tir_op_info(op->kind)->licensed && !strncmp(at, " :", 2)) {
            colon = true;
            put_math(p, &op->math);
        }
        if (*at == '{') {
            at++;
            if (!group_is_present(op, at)) at = strchr(at, '}') + 1;
        } else if (*at == '}') {
            at++;
        } else if (*at == '@') {
            TirMarker hook = tir_take_marker(&at);
            call_hook(p, op, hook.name, hook.length);
        } else if (strchr("$#^", *at)) {
            TirMarker marker = tir_take_marker(&at);
            Piece piece = find_piece(op, &marker);
            if (marker.marker == '$')
                put_values(p, &piece);
            else if (marker.marker == '#')
                put_attribute(p, op, &piece);
            else
                put_piece_types(p, op, &piece, marker.mode);
        } else {
            buffer_append(p->out, at++, 1);
        }
    }
}

// ---- ops, blocks, functions -----------------------------------------------------------------------------------------

bool tir_terminator_is_omitted(const TirOp *op) {
    const TirOp *owner = op->block->region->owner;
    if (!owner || op->operand_count || op->next) return false;
    return (op->kind == TIR_OP_yield && owner->kind == TIR_OP_if) ||
           (op->kind == TIR_OP_continue && (owner->kind == TIR_OP_for || owner->kind == TIR_OP_loop));
}

static void put_op(TextPrinter *p, const TirOp *op) {
    const TirOpInfo *info = tir_op_info(op->kind);
    const char *head = op->result_count ? p->names.heads[op->first_result] : p->names.upgraded[op->number];
    put_indent(p);
    if (head) {
        put(p, head);
        put(p, " = ");
    }
    put(p, info->text_name);
    size_t bare = p->out->size;
    put(p, " ");
    walk_text(p, op, info->text);
    if (p->out->size == bare + 1) p->out->size = bare;
    put_location(p, op->debug);
    put(p, "\n");
}

// How many blocks math<> {} are between `inner` and `outer`, which is around it; 0 if it is not.
static uint32_t math_depth(const TirMathBlock *inner, const TirMathBlock *outer) {
    uint32_t depth = 0;
    while (inner && inner != outer) {
        inner = inner->outer;
        depth++;
    }
    return inner == outer ? depth : 0;
}

static void close_math_block(TextPrinter *p) {
    p->indent--;
    put_indent(p);
    put(p, "}\n");
}

// Opens the blocks between `outer`, which is open, and `inner`.
static void open_math_blocks(TextPrinter *p, const TirMathBlock *inner, const TirMathBlock *outer) {
    if (!inner || inner == outer) return;
    open_math_blocks(p, inner->outer, outer);
    put_indent(p);
    buffer_print(p->out, "math<%s> {\n", inner->settings);
    p->indent++;
}

static void put_ops(TextPrinter *p, const TirRegion *region) {
    const TirMathBlock *around = region->owner ? region->owner->math_block : NULL, *open = around;
    for (const TirBlock *block = region->first; block; block = block->next)
        for (const TirOp *op = block->first; op; op = op->next) {
            if (tir_terminator_is_omitted(op)) continue;
            const bool inside = op->math_block == around || math_depth(op->math_block, around);
            const TirMathBlock *wanted = inside ? op->math_block : around; // else a terminator that was added
            for (; open != around && open != wanted && !math_depth(wanted, open); open = open->outer)
                close_math_block(p);
            open_math_blocks(p, wanted, open);
            open = wanted;
            put_op(p, op);
        }
    for (; open != around; open = open->outer) close_math_block(p);
}

static void put_region(TextPrinter *p, const TirRegion *region) {
    put(p, "{\n");
    p->indent++;
    put_ops(p, region);
    p->indent--;
    put_indent(p);
    put(p, "}");
}

// -> TYPE or -> (TYPE, TYPE)
static void put_function_results(TextPrinter *p, const TirTypeInfo *type) {
    if (!type->result_count) return;
    put(p, type->result_count > 1 ? " -> (" : " -> ");
    for (uint32_t i = 0; i < type->result_count; i++) {
        if (i) put(p, ", ");
        put_type(p, type->results[i]);
    }
    if (type->result_count > 1) put(p, ")");
}

//  {name = value}
static void put_argument_attributes(TextPrinter *p, const TirFunction *function, uint32_t argument) {
    const TirAttribute *attributes = &function->argument_attributes;
    if (!attributes->present || argument >= attributes->length || !attributes->items[argument].length) return;
    put(p, " ");
    tir_print_tagged(p->module, &attributes->items[argument], p->out);
}

static void put_function(TextPrinter *p, const TirFunction *function) {
    Arena arena = {0};
    p->function = function;
    p->names = tir_name_values(&arena, function);
    if (!function->entry && !*function->name) { // ops outside functions
        put_ops(p, &function->body);
        arena_reset(&arena);
        return;
    }
    put(p, function->owner ? "part " : function->entry ? "entry " : "testing$func ");
    tir_print_symbol(function->name, p->out);
    if (function->owner) {
        put(p, " of ");
        tir_print_symbol(p->module->functions[function->owner - 1].name, p->out);
    }
    put(p, "(");
    const TirBlock *block = function->body.first;
    for (uint32_t i = 0; block && i < block->argument_count; i++) {
        if (i) put(p, ", ");
        put_value(p, block->first_argument + i);
        put(p, ": ");
        put_type_of(p, block->first_argument + i);
        put_argument_attributes(p, function, i);
    }
    put(p, ")");
    put_function_results(p, tir_type(p->module, function->type));
    if (function->memory_bytes && !function->owner)
        buffer_print(p->out, " memory<%" PRIu64 "%s>", function->memory_bytes,
                     function->uniform_memory ? ", uniform" : "");
    if (function->hints.length) {
        put(p, " optimization_hints=");
        tir_print_hints(p->module, &function->hints, p->out);
    }
    if (function->math) buffer_print(p->out, " math<%s>", function->math->settings);
    put(p, " ");
    put_region(p, &function->body);
    if (function->is_private) put(p, " {sym_visibility = \"private\"}");
    put_location(p, function->debug);
    put(p, "\n");
    arena_reset(&arena);
}

static void put_global(TextPrinter *p, const TirGlobal *global) {
    put(p, "global ");
    if (global->is_private) put(p, "private ");
    put(p, " ");
    if (global->constant) put(p, "constant ");
    tir_print_symbol(global->name, p->out);
    if (global->alignment) buffer_print(p->out, " alignment = %" PRIu64, global->alignment);
    put(p, " ");
    tir_print_constant(p->module, global->type, &global->value, p->out);
    put(p, " : ");
    put_type(p, global->type);
    put_location(p, 0);
    put(p, "\n");
}

void tir_print(const TirModule *module, bool locations, Buffer *out) {
    Arena arena = {0};
    TextPrinter p = {.module = module, .out = out};
    if (locations) p.locations = tir_number_locations(&arena, module);
    if (module->producer) buffer_print(out, "// Producer: %s\n", module->producer);
    for (uint32_t i = 0; i < module->global_count; i++) put_global(&p, &module->globals[i]);
    for (uint32_t i = 0; i < module->function_count; i++) put_function(&p, &module->functions[i]);
    if (!module->global_count && !module->function_count) put(&p, "\n"); // what the disassembler prints for nothing
    if (locations) tir_print_location_aliases(p.locations, out);
    arena_reset(&arena);
}
