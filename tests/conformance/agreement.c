// SPDX-License-Identifier: Apache-2.0
// Whether reader and verifier accept the same files as tileirdisasm, on mutants of bytecode:
//   agreement [options] FILE.tileirbc...
//   --tools=DIR       with bin/tileirdisasm and lib/, as the pip package nvidia-cuda-tileiras has them; without it
//   nothing is done
//   --mutants=N       how many of each kind: changed bytes, changed modules (20000)
//   --kind=bytes|module    only this kind            --seed=N    of all random choices (1)
//   --first=N         number of the first one (0)    --jobs=N    processes of the tool at a time (2)
//   --save=FOLDER     keeps a mutant of each class   --print     what both say about each mutant
// Prints how often they agree, and each class of disagreement with its reason from disagreements.def. Exit status 1: a
// kind agrees in less than 99 of 100 mutants, or a class is not in disagreements.def.
#include "tests/robustness/mutation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 16, TEXT_MAX = 400, TOOL_SECONDS_MAX = 20, AGREEMENT_PERCENT = 99 };

typedef enum Kind { KIND_bytes, KIND_module, KIND_COUNT } Kind;
static const char *const kind_names[] = {"bytes", "module"};

typedef enum Verdict { BOTH_ACCEPT, BOTH_REFUSE, WE_REFUSE, TOOL_REFUSES, TOOL_DIES, VERDICT_COUNT } Verdict;
static const char *const verdict_names[] = {"both accept", "both refuse", "we refuse", "tool refuses", "tool dies"};

typedef struct Explanation {
    Verdict verdict;
    const char *pattern, *reason;
} Explanation;
static const Explanation explanations[] = {
#define WE                          WE_REFUSE
#define TOOL                        TOOL_REFUSES
#define CLASS(who, pattern, reason) {who, pattern, reason},
#include "tests/conformance/disagreements.def"
    {VERDICT_COUNT, "", ""}};

typedef struct Options {
    const char *tools, *save;
    uint64_t mutants, first, seed, jobs;
    Kind first_kind, last_kind;
    bool print;
} Options;

typedef struct Class { // mutants that are disagreed on for one cause
    Kind kind;
    Verdict verdict;
    const char *text; // shape of the message
    uint64_t count, example;
} Class;

typedef struct Job { // a mutant at the tool
    pid_t process;   // 0: idle
    uint64_t number;
    bool accepted;       // by us
    char ours[TEXT_MAX]; // our first message
    uint8_t *bytes;
    size_t size;
    Arena arena;
} Job;

typedef struct Run {
    Options options;
    Arena arena;
    CorpusFile *files;
    size_t file_count, file_capacity;
    char folder[64]; // of the tool's input and messages
    Job jobs[JOBS_MAX];
    Kind kind;
    uint64_t counts[KIND_COUNT][VERDICT_COUNT], skipped;
    Class *classes;
    size_t class_count, class_capacity;
} Run;

// ---- messages -------------------------------------------------------------------------------------------------------

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_hex(const char *text) {
    return text[0] == '0' && text[1] == 'x';
}

// The text after <, up to where that closes.
static const char *skip_angle(const char *text) {
    for (int depth = 1; *text; text++)
        if (*text == '<')
            depth++;
        else if (*text == '>' && text[-1] != '-' && !--depth)
            break;
    return text;
}

static bool ends_name(const Buffer *text) {
    return text->size >= 2 && text->data[text->size - 2] == ' ' && text->data[text->size - 1] == '@';
}

// The message without what differs from one mutant to the next: numbers are N, types lose their parts, symbols NAME.
static const char *shape_of(Arena *arena, const char *text) {
    Buffer out = {0};
    for (; *text && *text != '\n'; text++) {
        if (ends_name(&out) && *text != ' ') {
            buffer_append(&out, "NAME", 4);
            text += strcspn(text, " ,") - 1;
        } else if (*text >= '0' && *text <= '9' && (!out.size || !is_word(out.data[out.size - 1]))) {
            text += is_hex(text) ? 2 + strspn(text + 2, "0123456789abcdefABCDEF") : strspn(text, "0123456789");
            if (out.size && out.data[out.size - 1] == '-') out.size--;
            buffer_append(&out, "N", 1);
            text--;
        } else if (*text == '<' && text[1]) {
            buffer_append(&out, "<>", 2);
            text = skip_angle(text + 1);
            if (!*text) break;
        } else {
            buffer_append(&out, text, 1);
        }
    }
    const char *shape = arena_text(arena, out.data ? out.data : "", out.size);
    buffer_free(&out);
    return shape;
}

// * in the pattern stands for any text.
static bool matches(const char *pattern, const char *text) {
    for (; *pattern != '*'; pattern++, text++) {
        if (*pattern != *text) return false;
        if (!*pattern) return true;
    }
    for (;; text++) {
        if (matches(pattern + 1, text)) return true;
        if (!*text) return false;
    }
}

static const Explanation *explain(const Class *class) {
    for (const Explanation *row = explanations; row->verdict != VERDICT_COUNT; row++)
        if (row->verdict == class->verdict && matches(row->pattern, class->text)) return row;
    return NULL;
}

// The tool's first error without its place.
static void tool_message(Run *run, const Job *job, char text[TEXT_MAX]) {
    char line[4096];
    *text = 0;
    FILE *file = fopen(arena_format(&run->arena, "%s/%td.err", run->folder, job - run->jobs), "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        if (run->options.print) printf("    tool: %s", line);
        const char *found = strstr(line, "error: ");
        if (!found || *text) continue;
        while (!strncmp(found, "error: ", 7)) found += 7;
        if (!strncmp(found, "error at offset ", 16) && strchr(found, ':')) found = strchr(found, ':') + 2;
        snprintf(text, TEXT_MAX, "%s", found);
    }
    fclose(file);
}

// ---- a mutant -------------------------------------------------------------------------------------------------------

// False: a module that cannot be written.
static bool make_module_mutant(Job *job, const CorpusFile *file, Random *random) {
    Diagnostics diagnostics = {0};
    Buffer out = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, file->path, file->bytes, file->size);
    if (module) mutate_module(module, random);
    bool written = module && tir_write_bytecode(&diagnostics, module, module->version, &out);
    job->size = out.size;
    job->bytes = arena_alloc(&job->arena, out.size + 1);
    if (written) memcpy(job->bytes, out.data, out.size);
    buffer_free(&out);
    tir_module_close(module);
    diagnostics_close(&diagnostics);
    return written;
}

static bool make_mutant(Run *run, Job *job) {
    const CorpusFile *file = &run->files[job->number % run->file_count];
    Random random = random_of_mutant(file->path, run->options.seed, job->number / run->file_count);
    const CorpusFile *other = &run->files[random_below(&random, run->file_count)];
    arena_reset(&job->arena);
    if (run->kind == KIND_module) return make_module_mutant(job, file, &random);
    job->bytes = mutate_bytes(&job->arena, &random, file, other, &job->size);
    return true;
}

static void judge(Run *run, Job *job) {
    Diagnostics diagnostics = {0};
    TirModule *module = tir_read_bytecode(&diagnostics, "mutant", job->bytes, job->size);
    job->accepted = module && tir_verify(&diagnostics, module);
    snprintf(job->ours, sizeof job->ours, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    if (run->options.print) {
        printf("%s mutant %llu of %s\n", kind_names[run->kind], (unsigned long long)job->number,
               short_path(run->files[job->number % run->file_count].path));
        for (size_t i = 0; i < diagnostics.count; i++) printf("    we: %s\n", diagnostics.items[i].message);
    }
    tir_module_close(module);
    diagnostics_close(&diagnostics);
}

// ---- the tool -------------------------------------------------------------------------------------------------------

static void become_tool(const char *program, char *input, const char *messages) {
    const struct rlimit seconds = {TOOL_SECONDS_MAX, TOOL_SECONDS_MAX}, memory = {(rlim_t)4 << 30, (rlim_t)4 << 30},
                        core = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    int nowhere = open("/dev/null", O_RDWR), out = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (nowhere < 0 || out < 0) _exit(126);
    dup2(nowhere, 0);
    dup2(nowhere, 1);
    dup2(out, 2);
    execl(program, "tileirdisasm", input, (char *)NULL);
    _exit(126);
}

static bool start_tool(Run *run, Job *job) {
    Diagnostics diagnostics = {0};
    char *input = arena_format(&job->arena, "%s/%td.tileirbc", run->folder, job - run->jobs);
    const char *messages = arena_format(&job->arena, "%s/%td.err", run->folder, job - run->jobs);
    const char *program = arena_format(&job->arena, "%s/bin/tileirdisasm", run->options.tools);
    bool good = file_write(&diagnostics, input, job->bytes, job->size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fflush(stdout);
    job->process = good ? fork() : -1;
    if (!job->process) become_tool(program, input, messages);
    return job->process > 0;
}

static void count_class(Run *run, Job *job, Verdict verdict, const char *text) {
    const char *shape = shape_of(&run->arena, text);
    size_t i = 0;
    while (i < run->class_count && (run->classes[i].kind != run->kind || run->classes[i].verdict != verdict ||
                                    strcmp(run->classes[i].text, shape) != 0))
        i++;
    if (i == run->class_count) {
        run->classes =
            arena_grow(&run->arena, run->classes, run->class_count++, &run->class_capacity, sizeof *run->classes);
        run->classes[i] = (Class){run->kind, verdict, shape, 0, job->number};
        if (run->options.save) {
            Diagnostics diagnostics = {0};
            file_write(&diagnostics,
                       arena_format(&job->arena, "%s/%s-%llu.tileirbc", run->options.save, kind_names[run->kind],
                                    (unsigned long long)job->number),
                       job->bytes, job->size);
            diagnostics_print(&diagnostics);
            diagnostics_close(&diagnostics);
        }
    }
    run->classes[i].count++;
}

// False: the tool could not be run.
static bool end_tool(Run *run, Job *job, int status) {
    char text[TEXT_MAX];
    tool_message(run, job, text);
    job->process = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 126) return false;
    bool accepts = WIFEXITED(status) && !WEXITSTATUS(status);
    Verdict verdict = WIFSIGNALED(status)        ? TOOL_DIES
                      : accepts == job->accepted ? accepts ? BOTH_ACCEPT : BOTH_REFUSE
                      : accepts                  ? WE_REFUSE
                                                 : TOOL_REFUSES;
    run->counts[run->kind][verdict]++;
    if (run->options.print) printf("    %s\n", verdict_names[verdict]);
    if (verdict >= WE_REFUSE) count_class(run, job, verdict, verdict == TOOL_REFUSES ? text : job->ours);
    return true;
}

static bool wait_for_tool(Run *run) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    for (uint64_t j = 0; j < run->options.jobs; j++)
        if (ended > 0 && run->jobs[j].process == ended) return end_tool(run, &run->jobs[j], status);
    return false;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static Job *idle_job(Run *run) {
    for (uint64_t j = 0; j < run->options.jobs; j++)
        if (!run->jobs[j].process) return &run->jobs[j];
    return NULL;
}

static bool any_busy(const Run *run) {
    for (uint64_t j = 0; j < run->options.jobs; j++)
        if (run->jobs[j].process) return true;
    return false;
}

// `mutants` of the kind; what cannot be written is replaced by the next one.
static bool run_kind(Run *run) {
    uint64_t number = run->options.first, started = 0;
    uint64_t limit = number + 4 * run->options.mutants;
    while (started < run->options.mutants && number < limit) {
        Job *job = idle_job(run);
        if (!job) {
            if (!wait_for_tool(run)) return false;
            continue;
        }
        job->number = number++;
        if (!make_mutant(run, job)) {
            run->skipped++;
            continue;
        }
        judge(run, job);
        if (!start_tool(run, job)) return false;
        started++;
    }
    while (any_busy(run))
        if (!wait_for_tool(run)) return false;
    return true;
}

static int more_first(const void *a, const void *b) {
    const Class *left = a, *right = b;
    return left->count != right->count ? left->count < right->count ? 1 : -1 : strcmp(left->text, right->text);
}

static bool report_kind(const Run *run, Kind kind) {
    uint64_t total = 0, agreed = run->counts[kind][BOTH_ACCEPT] + run->counts[kind][BOTH_REFUSE];
    for (int v = 0; v < VERDICT_COUNT; v++) total += run->counts[kind][v];
    printf("%-8s", kind_names[kind]);
    for (int v = 0; v < VERDICT_COUNT; v++) printf(" %12llu", (unsigned long long)run->counts[kind][v]);
    printf(" %10.3f %%\n", total ? 100.0 * (double)agreed / (double)total : 0.0);
    return total && agreed * 100 >= total * AGREEMENT_PERCENT;
}

static bool report(Run *run) {
    bool good = true;
    printf("%-8s", "mutants");
    for (int v = 0; v < VERDICT_COUNT; v++) printf(" %12s", verdict_names[v]);
    printf(" %12s\n", "agreement");
    for (Kind kind = run->options.first_kind; kind <= run->options.last_kind; kind++) good &= report_kind(run, kind);
    qsort(run->classes, run->class_count, sizeof *run->classes, more_first);
    uint64_t unexplained = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < run->class_count; i++) {
            const Class *class = &run->classes[i];
            const Explanation *row = explain(class);
            if ((row ? 0 : 1) != pass) continue;
            unexplained += !row;
            printf("%6llu %s, %s, first %llu: %s\n         %s\n", (unsigned long long)class->count,
                   kind_names[class->kind], verdict_names[class->verdict], (unsigned long long)class->example,
                   *class->text ? class->text : "(no message)",
                   row ? row->reason : "NOT EXPLAINED in disagreements.def");
        }
    if (run->skipped) printf("%llu modules that cannot be written were left out\n", (unsigned long long)run->skipped);
    if (unexplained) printf("%llu classes of disagreement are not explained\n", (unsigned long long)unexplained);
    if (!good) printf("the verdicts agree in less than %d of 100 mutants\n", AGREEMENT_PERCENT);
    return good && !unexplained;
}

// ---- the command line -----------------------------------------------------------------------------------------------

static bool take_option(const char *text, Options *options) {
    const struct {
        const char *name;
        uint64_t *number;
    } rows[] = {{"--mutants=", &options->mutants},
                {"--first=", &options->first},
                {"--seed=", &options->seed},
                {"--jobs=", &options->jobs}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (!strncmp(text, rows[i].name, strlen(rows[i].name))) {
            *rows[i].number = strtoull(text + strlen(rows[i].name), NULL, 10);
            return true;
        }
    if (!strncmp(text, "--tools=", 8))
        options->tools = text + 8;
    else if (!strncmp(text, "--save=", 7))
        options->save = text + 7;
    else if (!strcmp(text, "--print"))
        options->print = true;
    else if (!strcmp(text, "--kind=bytes"))
        options->last_kind = KIND_bytes;
    else if (!strcmp(text, "--kind=module"))
        options->first_kind = KIND_module;
    else
        return false;
    return true;
}

static bool add_file(Run *run, const char *path) {
    Diagnostics diagnostics = {0};
    CorpusFile file = {.path = path};
    bool good = file_read(&diagnostics, &run->arena, path, &file.bytes, &file.size);
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    run->files = arena_grow(&run->arena, run->files, run->file_count, &run->file_capacity, sizeof *run->files);
    if (good) run->files[run->file_count++] = file;
    return good;
}

// The tool finds its own libraries; what the caller has set must not lead it to others.
static void set_environment(Run *run) {
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    setenv("LD_LIBRARY_PATH", arena_format(&run->arena, "%s/lib", run->options.tools), 1);
}

static bool run_all(Run *run) {
    const char *folder = getenv("TMPDIR");
    snprintf(run->folder, sizeof run->folder, "%s/agreement-XXXXXX", folder && strlen(folder) < 40 ? folder : "/tmp");
    if (!mkdtemp(run->folder)) {
        fprintf(stderr, "agreement: cannot make %s: %s\n", run->folder, strerror(errno));
        return false;
    }
    set_environment(run);
    bool good = true;
    for (run->kind = run->options.first_kind; good && run->kind <= run->options.last_kind; run->kind++)
        good = run_kind(run);
    if (!good) fprintf(stderr, "agreement: cannot run %s/bin/tileirdisasm\n", run->options.tools);
    for (uint64_t j = 0; j < run->options.jobs; j++) {
        unlink(arena_format(&run->arena, "%s/%llu.tileirbc", run->folder, (unsigned long long)j));
        unlink(arena_format(&run->arena, "%s/%llu.err", run->folder, (unsigned long long)j));
        arena_reset(&run->jobs[j].arena);
    }
    rmdir(run->folder);
    return good && report(run);
}

int main(int count, char **texts) {
    Run run = {.options = {.mutants = 20000, .seed = 1, .jobs = 2, .last_kind = KIND_module}};
    for (int i = 1; i < count; i++) {
        if (!strncmp(texts[i], "--", 2) ? take_option(texts[i], &run.options) : add_file(&run, texts[i])) continue;
        fprintf(stderr, "agreement: cannot use '%s'\n", texts[i]);
        return 2;
    }
    if (!run.options.tools || !*run.options.tools) {
        printf("agreement: the verdicts of tileirdisasm are skipped: TILEIR_TOOLS=DIR names no folder with its bin/ "
               "and lib/\n");
        return 0;
    }
    if (!run.file_count || !run.options.jobs || run.options.jobs > JOBS_MAX) {
        fprintf(stderr, "usage: agreement [options] FILE.tileirbc... (see the head of agreement.c)\n");
        return 2;
    }
    bool good = run_all(&run);
    arena_reset(&run.arena);
    return !good;
}
