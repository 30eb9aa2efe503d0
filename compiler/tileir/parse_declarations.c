// SPDX-License-Identifier: Apache-2.0
// Declarations of the text form: entry, global, module, testing$func, also in the generic form.
#include "compiler/tileir/parse_internal.h"

// ---- functions ------------------------------------------------------------------------------------------------------

typedef struct FunctionHead {
    Token at;
    bool entry, is_private;
    const char *name;
    TirType type;
    TirAttribute hints, argument_attributes;
    const TirMathBlock *math;
    uint64_t memory_bytes; // TirFunction's, and what follows it there
    bool uniform_memory;
    uint32_t owner;
} FunctionHead;

typedef struct Outside { // what a function's body hides
    TirFunction *function;
    const TirMathBlock *math_block;
    ValueScope *scope;
} Outside;

static TirFunction *open_function(Parser *p, const FunctionHead *head, ValueScope *scope, Outside *outside) {
    *outside = (Outside){.function = tile_parser(p)->function, .math_block = tile_parser(p)->math_block};
    tile_parser(p)->math_block = NULL;
    TirFunction *function = tir_function_add(p->module, head->name, head->type, head->entry);
    function->at = parse_location(p, &head->at);
    function->hints = head->hints;
    function->argument_attributes = head->argument_attributes;
    function->math = head->math;
    function->memory_bytes = head->memory_bytes;
    function->uniform_memory = head->uniform_memory;
    function->owner = head->owner;
    p->module->testing |= !head->entry;
    tile_parser(p)->function = function;
    scope_begin(p, scope, &outside->scope);
    return function;
}

static void close_function(Parser *p, const Outside *outside) {
    tile_parser(p)->function = outside->function;
    tile_parser(p)->math_block = outside->math_block;
    p->scope = outside->scope;
}

static bool parse_symbol(Parser *p, const char **name) {
    if (!parse_at(p, TOKEN_SYMBOL)) return parse_expected(p, "a symbol, @name");
    Token at = p->token;
    parse_advance(p);
    return parse_string(p, &at, name, NULL) && (**name || parse_fail(p, &at, "the name is empty"));
}

static bool visibility(Parser *p, const Token *at, const char *word, bool *is_private) {
    *is_private = strcmp(word, "private") == 0;
    return *is_private || strcmp(word, "public") == 0 ||
           parse_fail(p, at, "the visibility is '%s', expected public or private", word);
}

static bool take_function_entry(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    FunctionHead *head = context;
    TirAttribute value = {0};
    if (!has_value || strcmp(name, "sym_visibility") != 0)
        return parse_fail(p, at, "'%s' is no attribute of a function, expected sym_visibility = \"...\"", name);
    if (!parse_tagged(p, &value)) return false;
    if (value.tag != TIR_TAG_STRING) return parse_fail(p, at, "sym_visibility is no string");
    return visibility(p, at, value.text, &head->is_private);
}

static bool finish_signature(Parser *p, FunctionHead *head, uint32_t first_type, uint32_t parameters,
                             uint32_t results) {
    TirTypeInfo info = {.kind = TIR_TYPE_function, .parameter_count = parameters, .result_count = results};
    info.parameters = tile_parser(p)->types + first_type;
    info.results = tile_parser(p)->types + first_type + parameters;
    const char *problem = tir_type_problem(p->module, &info);
    if (problem) return parse_fail(p, &head->at, "%s", problem);
    head->type = tir_type_intern(p->module, &info);
    return true;
}

// of @name, behind the name of a part: the entry whose part it is.
static bool parse_owner(Parser *p, FunctionHead *head) {
    const char *name;
    if (!parse_take_word(p, "of")) return parse_expected(p, "'of' and the entry that it is a part of");
    Token at = p->token;
    if (!parse_symbol(p, &name)) return false;
    for (uint32_t i = 0; i < p->module->function_count && !head->owner; i++)
        if (!strcmp(p->module->functions[i].name, name)) head->owner = i + 1;
    if (!head->owner) return parse_fail(p, &at, "there is no entry @%s before its part", name);
    head->memory_bytes = p->module->functions[head->owner - 1].memory_bytes;
    head->uniform_memory = p->module->functions[head->owner - 1].uniform_memory;
    return true;
}

static bool parse_memory(Parser *p, FunctionHead *head) {
    if (!parse_need(p, '<', "'<'") || !parse_unsigned(p, &head->memory_bytes, "the bytes of the block's memory"))
        return false;
    head->uniform_memory = parse_take(p, ',');
    if (head->uniform_memory && !parse_take_word(p, "uniform")) return parse_expected(p, "'uniform'");
    return parse_need(p, '>', "'>'");
}

// @name(%a: TYPE) -> TYPE memory<BYTES, uniform> optimization_hints=<...> math<...>; the names stay on their stack.
static bool parse_signature(Parser *p, FunctionHead *head, bool part) {
    uint32_t first_type = (uint32_t)tile_parser(p)->type_count, parameters, results = 0;
    if (!parse_symbol(p, &head->name) || (part && !parse_owner(p, head)) || !parse_need(p, '(', "'('") ||
        !parse_arguments(p, &parameters, &head->argument_attributes))
        return false;
    if (parse_take(p, TOKEN_ARROW)) {
        if (head->entry) return parse_fail(p, &head->at, "entry @%s returns values, expected none", head->name);
        if (!parse_result_types(p, &results)) return false;
    }
    if (!finish_signature(p, head, first_type, parameters, results)) return false;
    if (head->entry && !part && parse_take_word(p, "memory") && !parse_memory(p, head)) return false;
    if (parse_take_word(p, "optimization_hints")) {
        if (!parse_need(p, '=', "'='") || !parse_hints(p, &head->hints)) return false;
        head->hints.present = head->hints.length > 0; // an empty list is not written anywhere
    }
    return !parse_at_word(p, "math") || parse_math(p, NULL, &head->math);
}

static bool parse_function(Parser *p, bool entry, bool part) {
    FunctionHead head = {.at = p->token, .entry = entry};
    ValueScope scope;
    Outside outside;
    uint32_t names = (uint32_t)tile_parser(p)->result_count;
    parse_advance(p);
    tile_parser(p)->type_count = 0;
    if (!parse_signature(p, &head, part)) return false;
    TirFunction *function = open_function(p, &head, &scope, &outside);
    if (!parse_body(p, function->body.first, names, TIR_OP_return)) return false;
    tile_parser(p)->result_count = names;
    if (parse_at(p, '{') && !parse_dictionary(p, '{', '}', take_function_entry, &head)) return false;
    function->is_private = head.is_private;
    close_function(p, &outside);
    return parse_optional_location(p, &function->debug, &function->at);
}

// ---- globals --------------------------------------------------------------------------------------------------------

// private constant @name alignment = 16 <f32: [1.0]> : TYPE
static bool parse_global(Parser *p) {
    TirGlobal global = {.at = parse_location(p, &p->token)};
    ConstantLiteral *literal = arena_new(&p->scratch, ConstantLiteral);
    Token at;
    parse_advance(p);
    if (parse_take_word(p, "private"))
        global.is_private = true;
    else
        parse_take_word(p, "public");
    global.constant = parse_take_word(p, "constant");
    if (!parse_symbol(p, &global.name)) return false;
    if (parse_take_word(p, "alignment") &&
        !(parse_need(p, '=', "'='") && parse_unsigned(p, &global.alignment, "an alignment")))
        return false;
    if (!parse_constant(p, literal) || !parse_need(p, ':', "':'")) return false;
    at = p->token;
    if (!parse_type(p, &global.type) || !constant_for_tile(p, literal, global.type, &at, &global.value)) return false;
    if (!parse_unscoped_location(p)) return false;
    *tir_global_add(p->module) = global;
    return true;
}

// ---- modules --------------------------------------------------------------------------------------------------------

static bool take_module_entry(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    (void)context;
    TirAttribute value = {0};
    if (has_value && !parse_tagged(p, &value)) return false;
    if (strcmp(name, "sym_name") == 0 || strcmp(name, "sym_visibility") == 0) return true; // modules have no name here
    if (strcmp(name, "producer") != 0) return parse_fail(p, at, "'%s' is no attribute of a module", name);
    if (value.tag != TIR_TAG_STRING) return parse_fail(p, at, "the producer is no string");
    p->module->producer = value.text;
    return true;
}

static bool parse_module_items(Parser *p) {
    if (!parse_need(p, '{', "'{'") || !parse_enter(p) || !parse_items(p, false)) return false;
    parse_leave(p);
    return parse_need(p, '}', "'}' of the module");
}

static bool parse_module(Parser *p) {
    const char *name;
    p->module->at = parse_location(p, &p->token);
    parse_advance(p);
    if (parse_at(p, TOKEN_SYMBOL) && !parse_symbol(p, &name)) return false;
    if (parse_take_word(p, "attributes") && !parse_dictionary(p, '{', '}', take_module_entry, NULL)) return false;
    return parse_module_items(p) && parse_optional_location(p, NULL, NULL);
}

// ---- generic form ---------------------------------------------------------------------------------------------------

// () -> () behind a declaration
static bool parse_empty_type(Parser *p) {
    Token at = p->token;
    uint32_t parameters, results;
    if (!parse_need(p, ':', "':'") || !parse_function_type(p, &parameters, &results)) return false;
    return !(parameters + results) || parse_fail(p, &at, "a declaration takes and gives no values");
}

static bool parse_generic_module(Parser *p) {
    p->module->at = parse_location(p, &p->token);
    parse_advance(p);
    if (!parse_need(p, '(', "'('") || !parse_need(p, ')', "')'")) return false;
    if (parse_take(p, '<') && !(parse_dictionary(p, '{', '}', take_module_entry, NULL) && parse_need(p, '>', "'>'")))
        return false;
    if (!parse_need(p, '(', "'('") || !parse_module_items(p) || !parse_need(p, ')', "')'")) return false;
    if (parse_at(p, '{') && !parse_dictionary(p, '{', '}', take_module_entry, NULL)) return false;
    return parse_empty_type(p) && parse_optional_location(p, NULL, NULL);
}

// [{name = value}, {}]: a dictionary for each argument or result.
static bool parse_dictionaries(Parser *p, TirAttribute *attributes) {
    Token at = p->token;
    if (!parse_at(p, '[')) return parse_expected(p, "'['");
    if (!parse_tagged(p, attributes)) return false;
    attributes->present = false;
    for (size_t i = 0; i < attributes->length; i++) {
        if (attributes->items[i].tag != TIR_TAG_DICTIONARY) return parse_fail(p, &at, "item %zu is no dictionary", i);
        attributes->present |= attributes->items[i].length > 0;
    }
    return true;
}

static bool take_generic_entry(Parser *p, const char *name, const Token *at, bool has_value, void *context) {
    FunctionHead *head = context;
    TirAttribute value = {0};
    if (strcmp(name, "sym_visibility") == 0) return take_function_entry(p, name, at, has_value, context);
    if (!has_value) return parse_expected(p, "'='");
    if (strcmp(name, "arg_attrs") == 0) return parse_dictionaries(p, &head->argument_attributes);
    if (strcmp(name, "res_attrs") == 0)
        return parse_dictionaries(p, &value) &&
               (!value.present || parse_fail(p, at, "functions have no results, so there are no attributes of them"));
    if (strcmp(name, "function_type") == 0) {
        if (!parse_type(p, &head->type)) return false;
        return tir_type(p->module, head->type)->kind == TIR_TYPE_function ||
               parse_fail(p, at, "function_type is no type of a function");
    }
    if (strcmp(name, "optimization_hints") == 0) {
        if (!parse_at(p, TOKEN_HASH)) return parse_expected(p, "#cuda_tile.optimization_hints");
        parse_advance(p);
        if (!parse_hints(p, &head->hints)) return false;
        head->hints.present = head->hints.length > 0;
        return true;
    }
    if (strcmp(name, "sym_name") != 0) return parse_fail(p, at, "'%s' is no attribute of a function", name);
    if (!parse_tagged(p, &value)) return false;
    if (value.tag != TIR_TAG_STRING || !value.length) return parse_fail(p, at, "sym_name is no name");
    head->name = value.text;
    return true;
}

// ({ ^bb0(%a: TYPE): ops }): the one block has the function's parameters.
static bool parse_generic_body(Parser *p, const FunctionHead *head, TirFunction *function) {
    const TirTypeInfo *type = tir_type(p->module, head->type);
    uint32_t names = (uint32_t)tile_parser(p)->result_count, count = 0;
    if (!parse_need(p, '(', "'('") || !parse_need(p, '{', "'{'") || !parse_enter(p)) return false;
    if (parse_at(p, '}')) return parse_fail(p, &head->at, "the function has no block, expected one");
    Token at = p->token;
    tile_parser(p)->type_count = 0;
    if (parse_take(p, TOKEN_BLOCK)) {
        if (parse_take(p, '(') && !parse_arguments(p, &count, NULL)) return false;
        if (!parse_need(p, ':', "':'")) return false;
    }
    bool fits = count == type->parameter_count;
    for (uint32_t i = 0; fits && i < count; i++) fits = tile_parser(p)->types[i] == type->parameters[i];
    if (!fits) return parse_fail(p, &at, "the block's arguments are not those of the function's type");
    if (!parse_block(p, function->body.first, names)) return false;
    parse_leave(p);
    tile_parser(p)->result_count = names;
    return parse_need(p, '}', "'}'") && parse_need(p, ')', "')'");
}

// "cuda_tile.entry"() <{function_type = ..., sym_name = "name"}> ({ ... }) {...} : () -> ()
static bool parse_generic_function(Parser *p, bool entry) {
    FunctionHead head = {.at = p->token, .entry = entry, .type = TIR_NO_TYPE};
    ValueScope scope;
    Outside outside;
    parse_advance(p);
    tile_parser(p)->type_count = 0;
    if (!parse_need(p, '(', "'('") || !parse_need(p, ')', "')'")) return false;
    if (parse_take(p, '<') && !(parse_dictionary(p, '{', '}', take_generic_entry, &head) && parse_need(p, '>', "'>'")))
        return false;
    if (!parse_at(p, '(')) return parse_expected(p, "'(' and the body");
    ParsePlace body = parse_place_here(p);
    if (!skip_regions(p)) return false;
    if (parse_at(p, '{') && !parse_dictionary(p, '{', '}', take_generic_entry, &head)) return false;
    if (!parse_empty_type(p)) return false;
    if (!head.name || head.type == TIR_NO_TYPE)
        return parse_fail(p, &head.at, "the function has no %s", head.name ? "function_type" : "sym_name");
    if (entry && tir_type(p->module, head.type)->result_count)
        return parse_fail(p, &head.at, "entry @%s returns values, expected none", head.name);
    TirFunction *function = open_function(p, &head, &scope, &outside);
    function->is_private = head.is_private;
    ParsePlace behind = parse_place_here(p);
    parse_return_to(p, &body);
    if (!parse_generic_body(p, &head, function)) return false;
    parse_return_to(p, &behind);
    close_function(p, &outside);
    return parse_optional_location(p, &function->debug, &function->at);
}

// ---- choosing -------------------------------------------------------------------------------------------------------

bool parse_declaration(Parser *p, bool *taken) {
    *taken = true;
    if (parse_at(p, TOKEN_WORD)) {
        const char *name = token_name(p, &p->token);
        if (!strcmp(name, "entry")) return parse_function(p, true, false);
        if (!strcmp(name, "part")) return parse_function(p, true, true);
        if (!strcmp(name, "testing$func")) return parse_function(p, false, false);
        if (!strcmp(name, "global")) return parse_global(p);
        if (!strcmp(name, "module") || !strcmp(name, "builtin.module")) return parse_module(p);
    } else if (parse_at(p, TOKEN_STRING)) {
        const char *name = token_name(p, &p->token);
        if (!strcmp(name, "entry")) return parse_generic_function(p, true);
        if (!strcmp(name, "testing$func")) return parse_generic_function(p, false);
        if (!strcmp(name, "module") || !strcmp(name, "builtin.module")) return parse_generic_module(p);
    }
    *taken = false;
    return true;
}
