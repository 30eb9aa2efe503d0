// SPDX-License-Identifier: Apache-2.0
// The text as a whole: module, functions, aliases.
#include "compiler/triton/reader.h"

#include <ctype.h>

// The source line of an op that is not read to its end: its line mostly ends with loc(#loc12). Else the place in the
// text.
static Location source_of(Parser *p, const Token *at) {
    static const char mark[] = " loc(#";
    const size_t length = sizeof mark - 1;
    const char *stop = at->start < p->end ? memchr(at->start, '\n', (size_t)(p->end - at->start)) : NULL;
    const char *end = stop ? stop : p->end, *found = NULL;
    for (const char *from = at->start; from + length < end; from++)
        if (!memcmp(from, mark, length)) found = from + length;
    uint64_t index;
    const char *close = found ? memchr(found, ')', (size_t)(end - found)) : NULL;
    if (close &&
        map_find(&tri_reader(p)->place_names, arena_text(&p->scratch, found, (size_t)(close - found)), &index) &&
        tri_reader(p)->places[index].at.line)
        return tri_reader(p)->places[index].at;
    return parse_location(p, at);
}

bool tri_fail_unsupported(Parser *p, const Token *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&p->scratch, format, args);
    va_end(args);
    return diag_fail(p->diagnostics, source_of(p, at), E_UNSUPPORTED, "%s is not supported%s", text, tri_made_by(p));
}

bool tri_fail_advised(Parser *p, const Token *at, const char *advice, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&p->scratch, format, args);
    va_end(args);
    return diag_fail(p->diagnostics, source_of(p, at), E_UNSUPPORTED, "%s is not supported%s%s", text, advice,
                     tri_made_by(p));
}

const char tri_export_newer[] = ": it is of a version before 3.6; export with Triton 3.6 or newer";
const char tri_export_ttgir[] = ": it is not TTGIR yet; take asm['ttgir'] of the compiled kernel";
const char tri_export_plain[] =
    ": the kernel was instrumented by Triton's sanitizer, with TRITON_INSTRUMENTATION_MODE; export it without";
const char tri_export_nvidia[] = ": only kernels for GPUs of NVIDIA are read";

const char *tri_made_by(Parser *p) {
    const char *producer = p->module->origin.producer;
    return producer ? arena_format(&p->scratch, " (made by %s)", producer) : "";
}

TriValue tri_new_value(Parser *p, TriType type) {
    TriReader *r = tri_reader(p);
    r->types = arena_grow(&p->scratch, r->types, r->value_count, &r->value_capacity, sizeof *r->types);
    r->types[r->value_count] = type;
    return (TriValue)r->value_count++;
}

// ---- functions ------------------------------------------------------------------------------------------------------

// %x: TYPE {hints} loc(..)
static bool parse_argument(Parser *p, TriFunction *function, const char ***names, size_t capacities[2]) {
    TriArgument argument = {.at = parse_location(p, &p->token)};
    const Token name = p->token;
    TriType type;
    uint32_t place;
    if (!parse_need(p, TOKEN_VALUE, "the name of an argument") || !parse_need(p, ':', "':'") ||
        !tri_parse_type(p, 0, &type) || (parse_at(p, '{') && !tri_parse_argument_hints(p, &argument.divisor)) ||
        !tri_parse_place(p, &place))
        return false;
    const TriPlace *at = place == UINT32_MAX ? NULL : &tri_reader(p)->places[place];
    if (at && at->at.line) argument.at = at->at;
    function->arguments = arena_grow(&p->scratch, function->arguments, function->argument_count, &capacities[1],
                                     sizeof *function->arguments);
    function->arguments[function->argument_count] = argument;
    *names = arena_grow(&p->scratch, *names, function->argument_count, &capacities[0], sizeof **names);
    (*names)[function->argument_count++] = at && at->name ? at->name : token_text(p, &name) + 1;
    return scope_define(p, &name, tri_new_value(p, type), 1);
}

static bool parse_results(Parser *p, TriFunction *function) {
    TriReader *r = tri_reader(p);
    if (!parse_take(p, TOKEN_ARROW)) return true;
    const size_t mark = r->type_count;
    const bool list = parse_take(p, '(');
    if (list && parse_take(p, ')')) return true;
    do {
        TriType type;
        if (!tri_parse_type(p, 0, &type) || !tri_push_type(p, type)) return false;
        if (parse_at(p, '{') && list && !tri_parse_hints(p)) return false;
    } while (list && parse_take(p, ','));
    function->result_count = (uint32_t)(r->type_count - mark);
    TriType *results = arena_array(&p->scratch, TriType, function->result_count + 1u);
    memcpy(results, r->type_stack + mark, function->result_count * sizeof *results);
    function->results = results;
    r->type_count = mark;
    return !list || parse_need(p, ')', "',' or ')'");
}

static bool parse_arguments(Parser *p, TriFunction *function) {
    const char **names = NULL;
    size_t capacities[2] = {0};
    function->first_argument = function->first_value = (TriValue)tri_reader(p)->value_count;
    if (!parse_need(p, '(', "'('")) return false;
    if (parse_take(p, ')')) return true;
    do {
        if (!parse_argument(p, function, &names, capacities)) return false;
    } while (parse_take(p, ','));
    function->argument_names = names;
    return parse_need(p, ')', "',' or ')'");
}

// tt.func [public|private] @name(..) [-> ..] [attributes {..}] { .. }
static bool parse_function(Parser *p) {
    TriReader *r = tri_reader(p);
    TriFunction function = {.is_public = true};
    ValueScope scope, *outer;
    uint32_t place;
    parse_advance(p);
    if (parse_take_word(p, "private"))
        function.is_public = false;
    else
        parse_take_word(p, "public");
    const Token name = p->token;
    if (!parse_need(p, TOKEN_SYMBOL, "the function's name, @name") || !parse_string(p, &name, &function.name, NULL))
        return false;
    function.at = parse_location(p, &name);
    scope_begin(p, &scope, &outer);
    if (!parse_arguments(p, &function) || !parse_results(p, &function)) return false;
    if (parse_take_word(p, "attributes") && !tri_parse_hints(p)) return false;
    if (!parse_at(p, '{')) return tri_fail_unsupported(p, &name, "the function %s without a body", function.name);
    parse_advance(p);
    TriBlock *block = tri_add_block(p, &function.body);
    block->first_argument = function.first_argument;
    block->argument_count = function.argument_count;
    if (!tri_parse_region(p, &function.body, block) || !tri_parse_place(p, &place)) return false;
    p->scope = outer;
    if (place != UINT32_MAX && r->places[place].at.line) function.at = r->places[place].at;
    function.value_count = (TriValue)r->value_count - function.first_value;
    tri_place_ops(p, &function);
    r->functions =
        arena_grow(&p->scratch, r->functions, r->function_count, &r->function_capacity, sizeof *r->functions);
    r->functions[r->function_count] = function;
    return map_insert(&r->function_names, &p->scratch, function.name, r->function_count++) ||
           parse_fail(p, &name, "the function %s is there twice", function.name);
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool skip_line(Parser *p) {
    const uint32_t line = p->token.line;
    while (p->token.line == line && !parse_at(p, TOKEN_END) && !parse_at(p, TOKEN_ERROR)) parse_advance(p);
    return true;
}

static bool parse_alias(Parser *p) {
    const Token at = p->token;
    if (at.length >= 4 && !memcmp(at.start, "#loc", 4)) return skip_line(p);
    return tri_parse_layout_alias(p);
}

static bool parse_items(Parser *p, bool of_file) {
    uint32_t place;
    while (!parse_at(p, of_file ? TOKEN_END : '}')) {
        if (parse_at(p, TOKEN_HASH)) {
            if (!parse_alias(p)) return false;
        } else if (parse_at_word(p, "tt.func")) {
            if (!parse_function(p)) return false;
        } else if (of_file && parse_take_word(p, "module")) {
            parse_take(p, TOKEN_SYMBOL);
            if (parse_take_word(p, "attributes") && !tri_parse_module_attributes(p)) return false;
            if (!parse_need(p, '{', "'{'") || !parse_items(p, false) || !parse_need(p, '}', "'}'") ||
                !tri_parse_place(p, &place))
                return false;
        } else if (parse_at(p, '{') && of_file) { // resources behind the module
            return tri_fail_unsupported(p, &p->token, "a resource of the module");
        } else {
            const Token at = p->token;
            if (parse_at(p, TOKEN_WORD) && strchr(token_text(p, &at), '.'))
                return tri_fail_unsupported(p, &at, "'%s' outside a function", token_text(p, &at));
            return parse_expected(p, of_file ? "module or tt.func" : "tt.func or '}'");
        }
    }
    return true;
}

bool tri_parse_module(Parser *p) {
    TriReader *r = tri_reader(p);
    r->infos = tri_parse_rows(&p->scratch);
    for (size_t i = 0; i < tri_row_count; i++) map_insert(&r->op_names, &p->scratch, r->infos[i].name, i);
    if (!tri_collect_places(p)) return false;
    parse_start(p);
    return parse_items(p, true);
}
