// SPDX-License-Identifier: Apache-2.0
// The library: a session of fpdiff's commands, whose output is kept in memory.
#include "api/congruent.h"

#include "diff/command.h"

#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1 << 20, STRUCT_SIZE_MAX = 1 << 12 };

struct Congruent {
    FpdSession session;
};

struct CongruentResult {
    Arena arena;
    int status;
    bool keeps_arrays, has_report;
    uint32_t case_count; // of those that were compared so far
    char *streams[2];    // output and errors
    size_t stream_sizes[2];
    Report report;
    const char *source_root;
    Buffer texts[REPORT_FORMAT_COUNT];
    CongruentArray *arrays;
    size_t array_count, array_capacity;
};

uint32_t congruent_interface(void) {
    return CONGRUENT_INTERFACE;
}

const char *congruent_version(void) {
    return CONGRUENT_VERSION;
}

Congruent *congruent_open(void) {
    return calloc(1, sizeof(Congruent));
}

void congruent_close(Congruent *congruent) {
    if (!congruent) return;
    fpd_session_close_machine(&congruent->session);
    arena_reset(&congruent->session.arena);
    free(congruent);
}

// ---- arrays
// -----------------------------------------------------------------------------------------------------------

static const char *keep(CongruentResult *r, const char *text) {
    return text ? arena_text(&r->arena, text, strlen(text)) : NULL;
}

// An array of a compared buffer: `bytes` are copied. `width`: of another dimension behind those of the buffer; 0: none.
static void add_array(CongruentResult *r, CongruentArrayKind kind, const FpdCase *cas, const FpdRun *run,
                      const FpdBuffer *buffer, uint32_t width, const void *bytes, size_t size) {
    int64_t *shape = arena_array(&r->arena, int64_t, buffer->rank + 1u);
    memcpy(shape, buffer->shape, buffer->rank * sizeof *shape);
    if (width) shape[buffer->rank] = width;
    r->arrays = arena_grow(&r->arena, r->arrays, r->array_count, &r->array_capacity, sizeof *r->arrays);
    r->arrays[r->array_count++] =
        (CongruentArray){.kind = kind,
                         .case_index = r->case_count,
                         .variant = keep(r, cas->variants[run->variant].name),
                         .mode = fpd_mode_name(run->mode),
                         .build = keep(r, fpd_build_name(cas, run->build)),
                         .buffer = keep(r, buffer->name),
                         .type = kind == CONGRUENT_NUMBERS ? element_info(buffer->type)->name : "i8",
                         .rank = buffer->rank + !!width,
                         .shape = shape,
                         .bytes = arena_text(&r->arena, bytes, size),
                         .size = size};
}

static void add_run(CongruentResult *r, const FpdCase *cas, const FpdRun *run) {
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        add_array(r, CONGRUENT_NUMBERS, cas, run, buffer, 0, run->bytes[c], buffer->bytes);
    }
}

// How many fields both elements know, and in how many of these they agree. Integers have none.
static void count_fields(const FpdComparison *comparison, const FpdCase *cas, uint32_t compared, uint8_t *counts) {
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    for (uint64_t i = 0; element_is_float(buffer->type) && i < buffer->elements; i++) {
        FpdShadowed a, b;
        unsigned agree;
        fpd_elements_of(cas, comparison->left, comparison->right, compared, i, &a, &b);
        counts[2 * i] = (uint8_t)fpd_fields(a.tower, a.payload, b.payload, &agree);
        counts[2 * i + 1] = (uint8_t)agree;
    }
}

static void add_pair(CongruentResult *r, const FpdCase *cas, const FpdComparison *comparison) {
    const char *reference = keep(r, cas->variants[comparison->left->variant].name);
    for (uint32_t c = 0; c < cas->compare_count; c++) {
        const FpdBuffer *buffer = &cas->buffers[cas->compare[c]];
        const uint8_t *verdicts = comparison->differences[c].verdict_of;
        if (!verdicts) continue;
        add_array(r, CONGRUENT_VERDICTS, cas, comparison->right, buffer, 0, verdicts, buffer->elements);
        r->arrays[r->array_count - 1].reference = reference;
        uint8_t *counts = calloc(2, buffer->elements + 1);
        if (!counts) abort(); // as arenas do
        count_fields(comparison, cas, c, counts);
        add_array(r, CONGRUENT_FIELDS, cas, comparison->right, buffer, 2, counts, 2 * buffer->elements);
        r->arrays[r->array_count - 1].reference = reference;
        free(counts);
    }
}

static bool is_new(const FpdOutcome *outcome, uint32_t until, const FpdRun *run) {
    for (uint32_t i = 0; i < until; i++)
        if (outcome->comparisons[i].left == run || outcome->comparisons[i].right == run) return false;
    return true;
}

static void see_outcome(void *data, const FpdOutcome *outcome) {
    CongruentResult *r = data;
    for (uint32_t i = 0; r->keeps_arrays && outcome->judged && i < outcome->comparison_count; i++) {
        const FpdComparison *comparison = &outcome->comparisons[i];
        if (is_new(outcome, i, comparison->left)) add_run(r, outcome->cas, comparison->left);
        if (is_new(outcome, i, comparison->right) && comparison->right != comparison->left)
            add_run(r, outcome->cas, comparison->right);
        add_pair(r, outcome->cas, comparison);
    }
    r->case_count++;
}

static void see_run(void *data, const FpdCase *cas, const FpdRun *run) {
    CongruentResult *r = data;
    if (r->keeps_arrays) add_run(r, cas, run);
}

static void see_report(void *data, const FpdSession *session, Report *report) {
    CongruentResult *r = data;
    r->report = *report;
    *report = (Report){0};
    r->source_root = keep(r, session->options.source_root);
    r->has_report = true;
}

size_t congruent_array_count(const CongruentResult *result) {
    return result->array_count;
}

int congruent_array(const CongruentResult *result, size_t index, CongruentArray *array, size_t struct_size) {
    const size_t size = struct_size < sizeof *array ? struct_size : sizeof *array;
    if (index >= result->array_count) return 0;
    memset(array, 0, struct_size);
    memcpy(array, &result->arrays[index], size);
    return 1;
}

const char *congruent_verdict_name(unsigned verdict) {
    return verdict < FPD_ELEMENT_COUNT ? fpd_element_verdict_info((FpdElementVerdict)verdict)->text : NULL;
}

// ---- calls
// --------------------------------------------------------------------------------------------------------------

// What the words say does not outlive the call.
static void forget_settings(Congruent *c) {
    FpdMachine *m = &c->session.machine;
    if (!m->device && m->compiler)
        fpd_session_close_machine(&c->session); // half open: the next call says again what is missing
    if (m->target == FPD_TARGET_simt) m->gpu = NULL;
    m->cpu = NULL;
    m->cache = (Cache){0};
    m->output = NULL;
}

// What is wrong with the size of a call: smaller than that of interface 1, no size at all, or of a later version, with
// something in the fields that are not known here.
static const char *find_size_problem(const CongruentCall *call) {
    const unsigned char *bytes = (const unsigned char *)call;
    if (!call->struct_size) return NULL;
    if (call->struct_size < sizeof *call || call->struct_size > STRUCT_SIZE_MAX)
        return "struct_size is neither 0 nor sizeof(CongruentCall)";
    for (size_t i = sizeof *call; i < call->struct_size; i++)
        if (bytes[i]) return "the call has a field of a later version of the library that is not zero";
    return NULL;
}

// What is wrong with a call, its size and its pointers; NULL: nothing.
static const char *find_problem(const Congruent *congruent, const CongruentCall *call) {
    if (!congruent) return "the Congruent is missing";
    if (!call) return "the call is missing";
    const char *problem = find_size_problem(call);
    if (problem) return problem;
    if ((call->word_count && !call->words) || call->word_count > WORDS_MAX) return "the words are missing, or too many";
    for (size_t i = 0; i < call->word_count; i++)
        if (!call->words[i]) return "a word is missing";
    if (call->content_count && !call->contents) return "the contents are missing";
    for (size_t i = 0; i < call->content_count; i++)
        if (!call->contents[i].buffer || (!call->contents[i].bytes && call->contents[i].size))
            return "contents without a buffer's name, or without bytes";
    return NULL;
}

static int refuse(FpdSession *s, const char *problem) {
    Diagnostics diagnostics = {0};
    diag_fail(&diagnostics, (Location){0}, E_USAGE, "%s", problem);
    fpd_put_diagnostics(s, &diagnostics);
    diagnostics_close(&diagnostics);
    return 2;
}

// The caller may round otherwise, flush denormals, trap, or write numbers with commas.
typedef struct Surroundings {
    fenv_t floats;
    locale_t own, before;
} Surroundings;

static void enter(Surroundings *outside) {
    fegetenv(&outside->floats);
    fesetenv(FE_DFL_ENV);
    outside->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    outside->before = uselocale(outside->own);
}

static void leave(const Surroundings *outside) {
    uselocale(outside->before);
    if (outside->own) freelocale(outside->own);
    fesetenv(&outside->floats);
}

CongruentResult *congruent_call(Congruent *congruent, const CongruentCall *call) {
    CongruentResult *r = calloc(1, sizeof *r);
    if (!r) abort(); // as arenas do
    Surroundings outside;
    const char *problem = find_problem(congruent, call);
    const CongruentCall nothing = {0};
    Congruent nobody = {0};
    if (problem) call = &nothing;
    if (!congruent) congruent = &nobody;
    FpdSession *s = &congruent->session;
    FpdContents *contents = arena_array(&r->arena, FpdContents, call->content_count + 1);
    for (size_t i = 0; i < call->content_count; i++)
        contents[i] = (FpdContents){call->contents[i].buffer, call->contents[i].bytes, call->contents[i].size};
    const FpdHost host = {.contents = contents,
                          .content_count = call->content_count,
                          .see_outcome = see_outcome,
                          .see_run = see_run,
                          .see_report = see_report,
                          .data = r};
    const int count = (int)call->word_count + 1;
    char **words = arena_array(&r->arena, char *, call->word_count + 2);
    words[0] = "congruent";
    for (size_t i = 0; i < call->word_count; i++)
        words[i + 1] = arena_text(&r->arena, call->words[i], strlen(call->words[i]));
    r->keeps_arrays = call->keeps_arrays;
    s->out = open_memstream(&r->streams[0], &r->stream_sizes[0]);
    s->err = open_memstream(&r->streams[1], &r->stream_sizes[1]);
    if (!s->out || !s->err) abort();
    s->host = &host;
    enter(&outside);
    if (problem) {
        r->status = refuse(s, problem);
    } else {
        r->status = fpd_run_words(s, count, words);
        forget_settings(congruent);
    }
    leave(&outside);
    s->host = NULL;
    fclose(s->out);
    fclose(s->err);
    s->out = s->err = NULL;
    arena_reset(&s->arena);
    return r;
}

void congruent_result_free(CongruentResult *result) {
    if (!result) return;
    if (result->has_report) report_close(&result->report);
    for (int f = 0; f < REPORT_FORMAT_COUNT; f++) buffer_free(&result->texts[f]);
    free(result->streams[0]);
    free(result->streams[1]);
    arena_reset(&result->arena);
    free(result);
}

int congruent_status(const CongruentResult *result) {
    return result->status;
}

const char *congruent_text(CongruentResult *result, CongruentText text) {
    static const ReportFormat formats[] = {[CONGRUENT_JSON] = REPORT_json,
                                           [CONGRUENT_HTML] = REPORT_html,
                                           [CONGRUENT_MARKDOWN] = REPORT_markdown,
                                           [CONGRUENT_JUNIT] = REPORT_junit,
                                           [CONGRUENT_SARIF] = REPORT_sarif};
    if (text == CONGRUENT_OUTPUT || text == CONGRUENT_ERRORS) return result->streams[text];
    if ((size_t)text >= BASE_COUNT(formats) || !result->has_report) return NULL;
    const ReportFormat format = formats[text];
    Buffer *made = &result->texts[format];
    if (!made->size) {
        Surroundings outside;
        enter(&outside);
        report_printer(format)(&result->report, &(ReportSettings){.source_root = result->source_root}, made);
        leave(&outside);
    }
    return made->data;
}
