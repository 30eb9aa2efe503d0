// SPDX-License-Identifier: Apache-2.0
// The report for people, payloads beside the numbers: what became of the elements of a comparison, and which lines of
// source stored them.
#include "diff/report_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The elements of one buffer that are shown: the first of each verdict that is judged as a divergence.
enum { EXAMPLES_OF_ONE = FPD_FIRST_MAX, EXAMPLES_OF_EACH = 3, EXAMPLES_MAX = TEXT_ROWS - 1 };
typedef struct Example {
    uint64_t index;
    FpdElementVerdict verdict;
    FpdShadowed element[2];
    char place[2][TEXT_CELL_SIZE]; // "flash.py:77"
} Example;
typedef struct Examples {
    const FpdBuffer *buffer;
    const FpdDifference *difference;
    const char *names[2]; // of the reference and the variant
    bool one_kind;        // there is one verdict beside `equal`
    uint32_t count;
    Example items[EXAMPLES_MAX];
} Examples;

// ---- who stored it --------------------------------------------------------------------------------------------------

void fpd_text_source(const Location *place, const char *op, char *text) {
    const char *file = place->file, *slash = file ? strrchr(file, '/') : NULL;
    if (slash && slash[1]) file = slash + 1;
    if (file && place->line)
        snprintf(text, TEXT_CELL_SIZE, "%.100s:%" PRIu32, file, place->line);
    else if (file && place->has_offset)
        snprintf(text, TEXT_CELL_SIZE, "%.100s offset 0x%" PRIx64, file, place->offset);
    else
        snprintf(text, TEXT_CELL_SIZE, "%.100s, line not known", op);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = '?';
}

void fpd_text_store(const FpdStore *store, const FpdVariant *variant, char *text) {
    char source[TEXT_CELL_SIZE];
    if (!store) {
        snprintf(text, TEXT_CELL_SIZE, "no store of floats");
        return;
    }
    fpd_text_source(&store->by.at, store->by.op, source);
    if (variant->launch_count > 1)
        snprintf(text, TEXT_CELL_SIZE, "launch %" PRIu32 " of %" PRIu32 ", %.40s, %.120s", store->launch + 1,
                 variant->launch_count, store->kernel, source);
    else
        snprintf(text, TEXT_CELL_SIZE, "%s", source);
}

// Whether all examples have the same place on that side.
static bool one_place(const Examples *x, int side) {
    for (uint32_t i = 1; i < x->count; i++)
        if (strcmp(x->items[i].place[side], x->items[0].place[side])) return false;
    return true;
}

static void print_one_place(const TextReport *t, const Examples *x) {
    const char *a = x->items[0].place[0], *b = x->items[0].place[1];
    if (!strcmp(a, b))
        buffer_print(t->out, "      stored by both: %s\n", a);
    else
        buffer_print(t->out, "      stored by %s: %s, by %s: %s\n", x->names[0], a, x->names[1], b);
}

// ---- what the payloads say ------------------------------------------------------------------------------------------

static const char *kind_text(TowerPayload a) {
    static const char *const texts[] = {"finite", "inf", "-inf", "NaN"};
    _Static_assert(BASE_COUNT(texts) == (TOWER_KIND >> TOWER_KIND_SHIFT) + 1, "all kinds of payloads");
    if (tower_is_poison(a)) return "unspecified";
    return texts[(a.state & TOWER_KIND) >> TOWER_KIND_SHIFT];
}

static bool knows_nothing(const Tower *tower, TowerPayload a) {
    return tower_group(tower, a.state, TOWER_MISSING_SHIFT) == tower_components(tower);
}

static void set_payloads(const Examples *x, const Example *example, TextTable *table, unsigned row, unsigned column) {
    const Tower *tower = example->element[0].tower;
    TowerPayload a = example->element[0].payload, b = example->element[1].payload;
    bool a_lost = knows_nothing(tower, a), b_lost = knows_nothing(tower, b);
    unsigned agree, fields = fpd_fields(tower, a, b, &agree);
    if ((a.state | b.state) & TOWER_KIND)
        fpd_text_cell(table, row, column, "%s and %s", kind_text(a), kind_text(b));
    else if (fields)
        fpd_text_cell(table, row, column, "%u of %u fields agree", agree, fields);
    else if (a_lost || b_lost)
        fpd_text_cell(table, row, column, "lost in %.60s", a_lost && b_lost ? "both" : x->names[b_lost]);
    else
        fpd_text_cell(table, row, column, "no field in common");
}

// ---- examples -------------------------------------------------------------------------------------------------------

static void add_example(const TextReport *t, const FpdComparison *comparison, uint64_t at, Examples *x) {
    const FpdDifference *d = x->difference;
    const FpdRun *const runs[2] = {comparison->left, comparison->right};
    const uint32_t compared = (uint32_t)(d - comparison->differences);
    if (x->count == EXAMPLES_MAX) return;
    Example *example = &x->items[x->count++];
    *example = (Example){.index = at, .verdict = (FpdElementVerdict)d->verdict_of[at]};
    fpd_elements_of(t->cas, runs[0], runs[1], compared, at, &example->element[0], &example->element[1]);
    for (int side = 0; side < 2; side++) {
        fpd_text_store(fpd_stored_by(runs[side], example->element[side]), &t->cas->variants[runs[side]->variant],
                       example->place[side]);
    }
}

static void add_examples(const TextReport *t, const FpdComparison *comparison, FpdElementVerdict verdict,
                         uint32_t at_most, Examples *x) {
    const FpdElementCount *count = &x->difference->verdicts[verdict];
    for (uint32_t i = 0; i < count->first_count && i < at_most; i++) add_example(t, comparison, count->first[i], x);
}

static void print_examples(const TextReport *t, const Examples *x) {
    bool is_float = element_is_float(x->buffer->type), together = one_place(x, 0) && one_place(x, 1);
    TextTable table = {.rows = 0};
    unsigned fields = x->one_kind ? 4 : 5, places = fields + 1;
    fpd_text_cell(&table, 0, 0, "%s", x->buffer->name);
    for (unsigned side = 0; side < 2; side++) {
        fpd_text_cell(&table, 0, 1 + side, "%.60s", x->names[side]);
        if (is_float && !together) fpd_text_cell(&table, 0, places + side, "stored by %.60s", x->names[side]);
    }
    for (unsigned i = 0; i < x->count; i++) {
        const Example *example = &x->items[i];
        Buffer index = {0};
        fpd_print_index(x->buffer, example->index, &index);
        fpd_text_cell(&table, i + 1, 0, "%s", index.data);
        buffer_free(&index);
        fpd_text_numbers(&table, i + 1, 1, x->buffer->type, example->element[0].bits, example->element[1].bits);
        if (!is_float) continue;
        if (!x->one_kind) fpd_text_cell(&table, i + 1, 4, "%s", fpd_element_verdict_info(example->verdict)->text);
        set_payloads(x, example, &table, i + 1, fields);
        for (unsigned side = 0; side < 2 && !together; side++)
            fpd_text_cell(&table, i + 1, places + side, "%s", example->place[side]);
    }
    fpd_text_table(t, &table);
    if (x->difference->different > x->count)
        buffer_print(t->out, "      ... and %" PRIu64 " more\n", x->difference->different - x->count);
    if (is_float && together) print_one_place(t, x);
}

// ---- verdicts -------------------------------------------------------------------------------------------------------

// ", stored at relu.py:12", where that is known.
static void print_writer(const TextReport *t, const FpdComparison *comparison, const FpdDifference *d, uint64_t index,
                         Buffer *out) {
    const FpdRun *run = comparison->right;
    const FpdStore *writer = fpd_writer_of(t->cas, run, (uint32_t)(d - comparison->differences), index);
    char place[TEXT_CELL_SIZE];
    if (!writer) return;
    fpd_text_store(writer, &t->cas->variants[run->variant], place);
    buffer_print(out, ", stored at %s", place);
}

// "      roots     12 (0.1 %)  payloads differ, but agree in a field, as sqrt(x)^2 and x do; equal with allow: [roots]"
static void print_verdicts(const TextReport *t, const FpdComparison *comparison, const FpdDifference *d) {
    const FpdBuffer *buffer = &t->cas->buffers[d->buffer];
    TextTable table = {.rows = 0};
    for (int v = FPD_ELEMENT_COUNT - 1; v > FPD_ELEMENT_EQUAL; v--) {
        const FpdElementVerdictInfo *info = fpd_element_verdict_info((FpdElementVerdict)v);
        const FpdElementCount *count = &d->verdicts[v];
        unsigned row = table.rows;
        Buffer text = {0};
        if (!count->count) continue;
        fpd_text_cell(&table, row, 0, "%s", info->text);
        buffer_print(&text, "%" PRIu64 " of %s (", count->count, buffer->name);
        fpd_text_share(&text, count->count, d->elements);
        buffer_print(&text, ")");
        fpd_text_cell(&table, row, 1, "%s", text.data);
        text.size = 0;
        buffer_print(&text, "%s", info->meaning);
        if (count->diverges && info->advice) buffer_print(&text, "; %s", info->advice);
        if (!count->diverges) buffer_print(&text, "; the first at "), fpd_print_index(buffer, count->first[0], &text);
        if (v == FPD_ELEMENT_DECISION) print_writer(t, comparison, d, count->first[0], &text);
        fpd_text_cell(&table, row, 2, "%s", text.data);
        buffer_free(&text);
    }
    fpd_text_table(t, &table);
}

static const char *origin_text(const TextReport *t, Arena *arena, const FpdRun *run, FpdOrigin origin) {
    if (!origin.op) return origin.what;
    char place[TEXT_CELL_SIZE];
    fpd_text_store(origin.op, &t->cas->variants[run->variant], place);
    return arena_format(arena, "%s at %s: %s", origin.op->by.op, place, origin.what);
}

// "      unspecified in flash: load_view_tko at flash.py:12: elements outside the tensor, for which there is no padding
// value": each origin of the examples once.
static void print_origins(const TextReport *t, const FpdComparison *comparison, const FpdDifference *d) {
    const FpdElementCount *count = &d->verdicts[FPD_ELEMENT_UNSPECIFIED];
    Arena scratch = {0};
    for (int side = 0; side < 2; side++) {
        const FpdRun *run = side ? comparison->right : comparison->left;
        const char *said[FPD_FIRST_MAX];
        uint32_t said_count = 0;
        for (uint32_t i = 0; i < count->first_count; i++) {
            FpdOrigin origin =
                fpd_element_origin(&scratch, t->cas, run, (uint32_t)(d - comparison->differences), count->first[i]);
            if (!origin.what) continue;
            const char *text = origin_text(t, &scratch, run, origin);
            bool known = false;
            for (uint32_t k = 0; k < said_count; k++) known |= !strcmp(said[k], text);
            if (known) continue;
            said[said_count++] = text;
            buffer_print(t->out, "      unspecified in %s: %s\n", t->cas->variants[run->variant].name, text);
        }
    }
    arena_reset(&scratch);
}

// "          origin: load_view_tko at flash.py:11: elements outside the tensor, .."
static void print_use_origin(const TextReport *t, const FpdRun *run, uint32_t use) {
    Arena scratch = {0};
    FpdOrigin origin = fpd_use_origin(&scratch, t->cas, run, use);
    if (origin.what) buffer_print(t->out, "          origin: %s\n", origin_text(t, &scratch, run, origin));
    arena_reset(&scratch);
}

// "      unspecified in flash: load_ptr_tko at flash.py:12: its mask depends on something unspecified (launch 1, block
// 3)", and the value's origin.
void fpd_text_unspecified(const TextReport *t, const FpdComparison *comparison) {
    enum { USES_MAX = 5 };
    for (int side = 0; side < 2; side++) {
        const FpdRun *run = side ? comparison->right : comparison->left;
        const FpdVariant *variant = &t->cas->variants[run->variant];
        uint32_t said = 0;
        for (uint32_t s = 0; run->uses && s < run->store_count; s++) {
            if (!run->uses[s] || said++ >= USES_MAX) continue;
            char place[TEXT_CELL_SIZE];
            fpd_text_store(&run->stores[s], variant, place);
            buffer_print(t->out, "      unspecified in %s: %s at %s: %s (launch %" PRIu32 ", block %" PRIu64 ")\n",
                         variant->name, run->stores[s].by.op, place, run->stores[s].by.unspecified,
                         run->stores[s].launch + 1, run->uses[s] - 1);
            print_use_origin(t, run, s);
        }
        if (said > USES_MAX) buffer_print(t->out, "      ... and %" PRIu32 " more ops\n", said - USES_MAX);
        if (run->unspecified_error)
            buffer_print(t->out, "      unspecified in %s: with other values where nothing is specified it fails: %s\n",
                         variant->name, run->unspecified_error);
        for (uint32_t c = 0; run->unspecified && c < t->cas->compare_count; c++) {
            const FpdBuffer *buffer = &t->cas->buffers[t->cas->compare[c]];
            if (!run->unspecified[c]) continue;
            buffer_print(t->out,
                         "      unspecified in %s: %" PRIu64 " of %" PRIu64
                         " elements of %s are others with other values where nothing is specified, the first at ",
                         variant->name, run->unspecified[c], buffer->elements, buffer->name);
            fpd_print_index(buffer, run->first_unspecified[c], t->out);
            buffer_print(t->out, "\n");
        }
        fpd_text_unwritten(t, run);
    }
}

// "      fell otherwise: cmpf at flash.py:12, 3 times": the ops that the build decides otherwise.
static void print_turns(const TextReport *t, const FpdComparison *comparison) {
    enum { TURNS_MAX = 4 };
    const FpdTurns *turns = comparison->right->turns;
    const uint32_t count = turns ? turns->count : 0;
    for (uint32_t i = 0; i < count && i < TURNS_MAX; i++) {
        const FpdTurn *turn = &turns->items[i];
        char place[TEXT_CELL_SIZE];
        fpd_text_store(&turn->op, &t->cas->variants[comparison->right->variant], place);
        buffer_print(t->out, "      fell otherwise: %s at %s, %" PRIu64 " time%s\n", turn->op.by.op, place, turn->count,
                     turn->count == 1 ? "" : "s");
    }
    if (count > TURNS_MAX)
        buffer_print(t->out, "      ... and %" PRIu32 " more op%s\n", count - TURNS_MAX,
                     count - TURNS_MAX == 1 ? "" : "s");
}

static void print_compared(const TextReport *t, const FpdComparison *comparison, const FpdDifference *d) {
    unsigned kinds = 0, diverging = 0;
    Examples x = {.buffer = &t->cas->buffers[d->buffer], .difference = d};
    for (int side = 0; side < 2; side++) {
        const FpdRun *run = side ? comparison->right : comparison->left;
        x.names[side] = comparison->question == FPD_QUESTION_builds ? fpd_build_name(t->cas, run->build)
                                                                    : t->cas->variants[run->variant].name;
    }
    for (int v = 1; v < FPD_ELEMENT_COUNT; v++) kinds += d->verdicts[v].count > 0, diverging += d->verdicts[v].diverges;
    x.one_kind = kinds == 1;
    if (d->different) fpd_text_region(t, d);
    // A plain divergence needs no word about its kind.
    if (!x.one_kind || !d->verdicts[FPD_ELEMENT_DIFFER].count) print_verdicts(t, comparison, d);
    // Of builds also elements of the same formula that are beyond the tolerance.
    const bool builds = comparison->question == FPD_QUESTION_builds;
    for (uint32_t i = 0; builds && i < d->first_count; i++) add_example(t, comparison, d->first[i], &x);
    for (int v = FPD_ELEMENT_COUNT - 1; v > FPD_ELEMENT_EQUAL && !builds; v--)
        if (d->verdicts[v].diverges)
            add_examples(t, comparison, (FpdElementVerdict)v, diverging == 1 ? EXAMPLES_OF_ONE : EXAMPLES_OF_EACH, &x);
    if (x.count) print_examples(t, &x);
    print_origins(t, comparison, d);
}

static void print_lost(const TextReport *t, const FpdComparison *comparison) {
    const char *first = t->cas->variants[comparison->left->variant].name,
               *second = t->cas->variants[comparison->right->variant].name;
    if (!comparison->lost[0] && !comparison->lost[1]) return;
    buffer_print(t->out, "      ");
    fpd_text_styled(t, STYLE_BAD, "lost its information");
    buffer_print(t->out,
                 ": no field is known of any result of %s%s%s. Each exp or log inside another costs a field;\n"
                 "      compare intermediate results instead\n",
                 comparison->lost[0] ? first : second, comparison->lost[0] && comparison->lost[1] ? " and " : "",
                 comparison->lost[0] && comparison->lost[1] ? second : "");
}

static void print_reroll(const TextReport *t, const FpdComparison *comparison) {
    if (!comparison->reroll_count) return;
    const char *plural = comparison->reroll_count == 1 ? "" : "s";
    buffer_print(t->out, "      ");
    if (comparison->reroll_different)
        buffer_print(t->out, "stands in %" PRIu32 " more chain%s of fields: %" PRIu64 " element%s\n",
                     comparison->reroll_count, plural, comparison->reroll_different,
                     comparison->reroll_different == 1 ? "" : "s");
    else
        buffer_print(t->out, "does not stand in %" PRIu32 " more chain%s of fields: no element diverges in all\n",
                     comparison->reroll_count, plural);
}

void fpd_text_deep(const TextReport *t, const FpdComparison *comparison) {
    const FpdRun *deep = comparison->left->again[FPD_SECOND_deep];
    const uint64_t elements = fpd_deep_elements(t->cas, comparison);
    if (!elements) return;
    buffer_print(t->out,
                 "      %" PRIu64
                 " element%s decided in the deep tower, of %u fields: of the plain one's no field was left "
                 "there\n",
                 elements, elements == 1 ? " was" : "s were", deep->tower->length);
}

void fpd_text_records(const TextReport *t, const FpdComparison *comparison) {
    print_lost(t, comparison);
    if (comparison->all_unspecified) {
        buffer_print(t->out, "      ");
        fpd_text_styled(t, STYLE_BAD, "every compared value is unspecified");
        buffer_print(t->out, "\n");
    }
    if (comparison->verdict == FPD_VERDICT_UNKNOWN && (comparison->lost[0] || comparison->lost[1]))
        return; // nothing more to say
    for (uint32_t c = 0; c < t->cas->compare_count; c++) print_compared(t, comparison, &comparison->differences[c]);
    print_turns(t, comparison);
    fpd_text_unspecified(t, comparison);
    print_reroll(t, comparison);
}

// ---- the case -------------------------------------------------------------------------------------------------------

static void print_bytes(Buffer *out, size_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    double size = (double)bytes / 1024;
    int unit = 0;
    while (unit < 2 && size >= 1024) size /= 1024, unit++;
    buffer_print(out, "%.1f %s", size, units[unit]);
}

void fpd_text_shadow_memory(const TextReport *t) {
    const FpdRuns *runs = t->outcome->runs;
    Buffer text = {0};
    for (uint32_t r = 0; r < runs->run_count; r++) {
        if (!runs->runs[r].tower || runs->runs[r].build) continue; // further builds need as much
        buffer_print(&text, "%s %s ", text.size ? "," : "shadow memory:", t->cas->variants[runs->runs[r].variant].name);
        print_bytes(&text, runs->runs[r].shadow_bytes);
    }
    if (text.size) {
        buffer_print(t->out, "  ");
        fpd_text_styled(t, STYLE_DIM, text.data);
        buffer_print(t->out, "\n");
    }
    buffer_free(&text);
}
