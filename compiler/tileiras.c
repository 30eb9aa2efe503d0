// SPDX-License-Identifier: Apache-2.0
// tileiras: compiles a file of Tile IR bytecode, with the command line of NVIDIA's tool of that name. This file is the
// command line; reading and compiling are libraries. LLVM is loaded only once a module has been read and found good.
#include "compiler/compiler.h"
#include "compiler/rewrite/rewrite.h"
#include "compiler/tileir/tir.h"
#include "compiler/tileiras.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable_name[] = "TILEIRAS_INSTRUMENTATION", math_variable_name[] = "TILEIRAS_MATH";
static const char default_object[] = "elf.o"; // as NVIDIA's tool

// ---- tables ---------------------------------------------------------------------------------------------------------

typedef enum OptionId {
#define OPTION(id, name, alias, kind, argument, help) OPTION_ID_##id,
#include "compiler/options.def"
#undef OPTION
    OPTION_ID_COUNT
} OptionId;

static const struct OptionRow {
    const char *name, *alias;
    OptionKind kind;
    const char *argument, *help;
} option_rows[OPTION_ID_COUNT] = {
#define OPTION(id, name, alias, kind, argument, help) {name, alias, kind, argument, help},
#include "compiler/options.def"
#undef OPTION
};

static const struct TargetRow {
    const char *name;
    bool built;
} target_rows[] = {
    {"host", true},
#define GPU(name, compute, ptx, toolkit, shared, threads, registers) {name, true},
#include "compiler/target/gpus.def"
    {"sm_107", false}, // of NVIDIA's tool of release 13.4
};

#define EMIT_NUMBER(id, ...) EMIT_##id,
typedef enum EmitKind { EMIT_KINDS(EMIT_NUMBER) EMIT_COUNT } EmitKind;
#define EMIT_ROW(id, name, output, host, gpu) {name, COMPILE_##output, host, gpu},
static const struct EmitRow {
    const char *name;
    CompileOutput output; // of what is compiled
    bool host, gpu;
} emit_rows[EMIT_COUNT] = {EMIT_KINDS(EMIT_ROW)};

// ---- reading the command line ---------------------------------------------------------------------------------------

// What the command line says: per option its text (NULL: not given), and the file.
typedef struct CommandLine {
    const char *values[OPTION_ID_COUNT];
    const char *input;
    MathSettings math;
    Arena arena; // of `math`
} CommandLine;

static bool usage_error(Diagnostics *diagnostics, const char *format, ...) BASE_PRINTF(2, 3);
static bool usage_error(Diagnostics *diagnostics, const char *format, ...) {
    Arena arena = {0};
    va_list args;
    va_start(args, format);
    diag_fail(diagnostics, (Location){0}, E_USAGE, "%s; see tileiras --help", arena_vformat(&arena, format, args));
    va_end(args);
    arena_reset(&arena);
    return false;
}

// The option that `text` (without dashes, up to `length`) names; OPTION_ID_COUNT if there is none.
static OptionId find_option(const char *text, size_t length) {
    for (int id = 0; id < OPTION_ID_COUNT; id++) {
        const char *names[] = {option_rows[id].name, option_rows[id].alias};
        for (size_t i = 0; i < BASE_COUNT(names); i++)
            if (names[i] && strlen(names[i]) == length && !strncmp(names[i], text, length)) return (OptionId)id;
    }
    return OPTION_ID_COUNT;
}

// -O3: a joined option whose name is followed by its argument at once.
static OptionId find_joined(const char *text, const char **value) {
    for (int id = 0; id < OPTION_ID_COUNT; id++) {
        const char *alias = option_rows[id].alias;
        if (option_rows[id].kind != OPTION_JOINED || strncmp(text, alias, strlen(alias)) || !text[strlen(alias)])
            continue;
        *value = text + strlen(alias);
        return (OptionId)id;
    }
    return OPTION_ID_COUNT;
}

static bool read_switch(Diagnostics *diagnostics, const char *argument, const char *value, const char **out) {
    static const char *const words[][2] = {{"true", "1"}, {"1", "1"}, {"false", "0"}, {"0", "0"}};
    if (!value) value = "1";
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (!strcmp(words[i][0], value)) {
            *out = words[i][1];
            return true;
        }
    return usage_error(diagnostics, "'%s': expected true, 1, false or 0 after =", argument);
}

// How floats may be computed: several options say it, some of them more than once.
static bool set_math(Diagnostics *diagnostics, CommandLine *line, const char *name, const char *value) {
    Arena scratch = {0};
    const MathReader reader = {.diagnostics = diagnostics,
                               .arena = &line->arena,
                               .code = E_USAGE,
                               .from = arena_format(&scratch, "--%s", name)};
    const bool good = math_set(&reader, &line->math, &line->math.command, name, value);
    arena_reset(&scratch);
    return good;
}

static bool read_math_variable(Diagnostics *diagnostics, CommandLine *line) {
    const MathReader reader = {
        .diagnostics = diagnostics, .arena = &line->arena, .code = E_USAGE, .from = math_variable_name};
    return math_read_environment(&reader, &line->math, getenv(math_variable_name)) &&
           rewrite_check_bounds(diagnostics, (Location){0}, E_USAGE, &line->math);
}

// One option at argv[*index]; moves on if the next argument belongs to it.
static bool read_option(Diagnostics *diagnostics, CommandLine *line, int argc, char **argv, int *index) {
    const char *argument = argv[*index], *text = argument + (argument[1] == '-' ? 2 : 1);
    const char *value = strchr(text, '=');
    OptionId id = find_option(text, value ? (size_t)(value - text) : strlen(text));
    if (value) value++;
    if (id == OPTION_ID_COUNT) id = find_joined(text, &value);
    if (id == OPTION_ID_COUNT) return usage_error(diagnostics, "unknown option '%s'", argument);
    const struct OptionRow *row = &option_rows[id];
    if (row->kind == OPTION_SWITCH) return read_switch(diagnostics, argument, value, &line->values[id]);
    if (row->kind == OPTION_MATH) return set_math(diagnostics, line, row->name, value);
    bool joined = row->kind == OPTION_JOINED && row->alias && !strcmp(text, row->alias); // -O 3 is not -O3
    if (!value && !joined && *index + 1 < argc) value = argv[++*index];
    if (!value) return usage_error(diagnostics, "option '%s' needs an argument %s", argument, row->argument);
    line->values[id] = value;
    return true;
}

static bool read_command_line(Diagnostics *diagnostics, CommandLine *line, int argc, char **argv) {
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && !strcmp(argv[i], "--")) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(diagnostics, line, argc, argv, &i)) return false;
        } else if (line->input) {
            return usage_error(diagnostics, "two input files, '%s' and '%s'; expected one", line->input, argv[i]);
        } else {
            line->input = argv[i];
        }
    }
    return true;
}

// ---- what is asked for ----------------------------------------------------------------------------------------------

typedef struct Request {
    EmitKind emit;
    CompileOptions compile;
    uint16_t bytecode_version;  // 0: the module's own
    const char *input, *output; // output NULL: standard output
    const char *remarks;        // file that is made empty; NULL: none
    bool times, resources, drop_math, math_report;
} Request;

static bool is_on(const CommandLine *line, OptionId id) {
    return line->values[id] && line->values[id][0] == '1';
}

static const char *target_name(const CommandLine *line) {
    return line->values[OPTION_ID_TARGET] ? line->values[OPTION_ID_TARGET] : target_rows[0].name;
}

static bool is_host(const CommandLine *line) {
    return !strcmp(target_name(line), target_rows[0].name);
}

static bool read_emit(Diagnostics *diagnostics, const CommandLine *line, EmitKind *emit) {
    const char *name = line->values[OPTION_ID_EMIT];
    bool host = is_host(line);
    *emit = host ? EMIT_OBJECT : EMIT_CUBIN;
    if (!name) return true;
    for (int i = 0; i < EMIT_COUNT; i++)
        if (!strcmp(emit_rows[i].name, name)) {
            *emit = (EmitKind)i;
            if (host ? emit_rows[i].host : emit_rows[i].gpu) return true;
            return usage_error(diagnostics, "--emit=%s is for %s, not for %s", name, host ? "GPUs" : "host",
                               target_name(line));
        }
    return usage_error(diagnostics,
                       "--emit=%s: expected object, asm, cubin, ptx, llvm, tileir, tileir-math or bytecode", name);
}

static bool is_compiled(EmitKind emit) {
    return emit != EMIT_TILEIR && emit != EMIT_TILEIR_MATH && emit != EMIT_BYTECODE;
}

// 13.1, 13.2, ...; only where bytecode is written.
static bool read_bytecode_version(Diagnostics *diagnostics, const CommandLine *line, Request *request) {
    const char *text = line->values[OPTION_ID_BYTECODE];
    if (!text) return true;
    if (request->emit != EMIT_BYTECODE) return usage_error(diagnostics, "--bytecode-version needs --emit=bytecode");
    for (uint16_t version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX; version++) {
        char name[16];
        snprintf(name, sizeof name, "%d.%d", version / 100, version % 100);
        if (!strcmp(name, text)) request->bytecode_version = version;
    }
    return request->bytecode_version ||
           usage_error(diagnostics, "--bytecode-version=%s: expected %d.%d to %d.%d", text, TIR_VERSION_MIN / 100,
                       TIR_VERSION_MIN % 100, TIR_VERSION_MAX / 100, TIR_VERSION_MAX % 100);
}

// An unknown target is an error; one that cannot be compiled for is one unless nothing is compiled.
static bool check_target(Diagnostics *diagnostics, const CommandLine *line, EmitKind emit) {
    const char *name = target_name(line);
    Buffer known = {0};
    const struct TargetRow *found = NULL;
    for (size_t i = 0; i < BASE_COUNT(target_rows); i++) {
        if (!strcmp(target_rows[i].name, name)) found = &target_rows[i];
        if (target_rows[i].built) buffer_print(&known, "%s%s", known.size ? ", " : "", target_rows[i].name);
    }
    bool good = found && (found->built || !is_compiled(emit));
    if (!found)
        diag_fail(diagnostics, (Location){0}, E_TARGET, "unknown target '%s'; known targets: %s", name, known.data);
    else if (!good)
        diag_fail(diagnostics, (Location){0}, E_TARGET,
                  "this version cannot compile for target '%s'; known targets: %s", name, known.data);
    buffer_free(&known);
    return good;
}

static bool read_level(Diagnostics *diagnostics, const CommandLine *line, unsigned *level) {
    const char *text = line->values[OPTION_ID_LEVEL] ? line->values[OPTION_ID_LEVEL] : "3";
    if (text[0] < '0' || text[0] > '3' || text[1])
        return usage_error(diagnostics, "optimisation level '%s': expected 0, 1, 2 or 3", text);
    *level = (unsigned)(text[0] - '0');
    return true;
}

// The command line, else the environment.
static bool read_instrumentation(Diagnostics *diagnostics, const CommandLine *line,
                                 FpsanInstrumentation *instrumentation) {
    char message[FPSAN_MESSAGE_SIZE];
    const char *text = line->values[OPTION_ID_INSTRUMENT], *from = text ? "--instrument" : variable_name;
    if (!text) text = getenv(variable_name);
    if (fpsan_parse_instrumentation(text, instrumentation, message)) return true;
    return usage_error(diagnostics, "%s: %s", from, message);
}

static bool read_rounds(Diagnostics *diagnostics, const CommandLine *line, uint64_t *rounds) {
    const char *text = line->values[OPTION_ID_ROUNDS];
    char *end;
    if (!text) return true;
    errno = 0;
    *rounds = strtoull(text, &end, 10);
    return (*text >= '0' && *text <= '9' && !*end && !errno && *rounds >= 1 && *rounds <= INT64_MAX) ||
           usage_error(diagnostics, "--rounds=%s: expected a number from 1 to 9223372036854775807", text);
}

static bool read_outside_tiles(Diagnostics *diagnostics, const CommandLine *line, bool *padding) {
    const char *text = line->values[OPTION_ID_OUTSIDE];
    *padding = text && !strcmp(text, "padding");
    return !text || *padding || !strcmp(text, "error") ||
           usage_error(diagnostics, "--outside-tiles=%s: expected error or padding", text);
}

// Options of NVIDIA's tool that change nothing here: what they may say.
#define CATEGORIES {"none", "all", "memory", "tensorcore"}, "none, all, memory or tensorcore"
static bool read_accepted(Diagnostics *diagnostics, const CommandLine *line, Request *request) {
    static const struct {
        OptionId id;
        const char *values[5], *expected;
    } rows[] = {
        {OPTION_ID_REMARK_FORMAT, {"command-line", "yaml"}, "command-line or yaml"},
        {OPTION_ID_REMARKS, CATEGORIES},
        {OPTION_ID_REMARKS_ANALYSIS, CATEGORIES},
        {OPTION_ID_REMARKS_FAILED, CATEGORIES},
        {OPTION_ID_REMARKS_MISSED, CATEGORIES},
        {OPTION_ID_REMARKS_PASSED, CATEGORIES},
        {OPTION_ID_SANITIZE, {"memcheck"}, "memcheck"},
        {OPTION_ID_HOST_ARCH, {"x86_64", "aarch64"}, "x86_64 or aarch64"},
        {OPTION_ID_HOST_OS, {"linux", "windows"}, "linux or windows"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const char *value = line->values[rows[i].id];
        bool known = !value;
        for (size_t k = 0; !known && rows[i].values[k]; k++) known = !strcmp(rows[i].values[k], value);
        if (!known)
            return usage_error(diagnostics, "--%s=%s: expected %s", option_rows[rows[i].id].name, value,
                               rows[i].expected);
    }
    static const struct {
        OptionId id;
        const char *why; // behind the option as it was written
    } refused[] = {
        {OPTION_ID_PREVIEW, "--preview=%s: previews are not supported, only what versions of bytecode have"},
        {OPTION_ID_LIBRARY, "-l %s: libraries, which are of a preview, are not supported"},
        {OPTION_ID_CONTROLS,
         "--apply-controls=%s: controls of NVIDIA's compiler, which is not used, are not supported"},
    };
    for (size_t i = 0; i < BASE_COUNT(refused); i++)
        if (line->values[refused[i].id]) return usage_error(diagnostics, refused[i].why, line->values[refused[i].id]);
    const char *format = line->values[OPTION_ID_REMARK_FORMAT];
    if (format && !strcmp(format, "yaml")) request->remarks = line->values[OPTION_ID_REMARKS_FILE];
    return true;
}

// out.cubin: out.ptx; other names get it behind.
static const char *name_of_ptx(Arena *arena, const char *cubin) {
    static const char ending[] = ".cubin";
    size_t length = strlen(cubin), less = sizeof ending - 1;
    bool ends = length > less && !strcmp(cubin + length - less, ending);
    return arena_format(arena, "%.*s.ptx", (int)(ends ? length - less : length), cubin);
}

// What only cubins have.
static bool read_cubin_options(Diagnostics *diagnostics, Arena *arena, const CommandLine *line, Request *request) {
    static const OptionId only[] = {OPTION_ID_RESOURCES, OPTION_ID_SAVE};
    request->resources = is_on(line, OPTION_ID_RESOURCES);
    if (request->compile.gpu && request->compile.cpu)
        return usage_error(diagnostics, "--cpu is for host, not for %s", request->compile.gpu);
    for (size_t i = 0; i < BASE_COUNT(only); i++)
        if (is_on(line, only[i]) && request->emit != EMIT_CUBIN)
            return usage_error(diagnostics, "--%s needs --emit=cubin", option_rows[only[i]].name);
    if (!is_on(line, OPTION_ID_SAVE)) return true;
    if (!request->output) return usage_error(diagnostics, "--save-temps needs an output file");
    request->compile.save = name_of_ptx(arena, request->output);
    return true;
}

static bool read_drop_math(Diagnostics *diagnostics, const CommandLine *line, Request *request) {
    request->drop_math = is_on(line, OPTION_ID_DROP_MATH);
    return !request->drop_math || request->emit == EMIT_BYTECODE ||
           usage_error(diagnostics, "--drop-math needs --emit=bytecode");
}

static bool read_math_report(Diagnostics *diagnostics, const CommandLine *line, Request *request) {
    request->math_report = is_on(line, OPTION_ID_MATH_REPORT);
    return !request->math_report || is_compiled(request->emit) ||
           usage_error(diagnostics, "--math-report is of what is compiled, not of --emit=%s",
                       emit_rows[request->emit].name);
}

static bool read_request(Diagnostics *diagnostics, Arena *arena, CommandLine *line, Request *request) {
    CompileOptions *compile = &request->compile;
    if (!read_emit(diagnostics, line, &request->emit) || !read_bytecode_version(diagnostics, line, request) ||
        !check_target(diagnostics, line, request->emit) || !read_accepted(diagnostics, line, request) ||
        !read_level(diagnostics, line, &compile->optimize) ||
        !read_instrumentation(diagnostics, line, &compile->instrumentation) ||
        !read_rounds(diagnostics, line, &compile->iterations) ||
        !read_outside_tiles(diagnostics, line, &compile->outside_tiles) || !read_math_variable(diagnostics, line) ||
        !read_drop_math(diagnostics, line, request) || !read_math_report(diagnostics, line, request))
        return false;
    compile->math = &line->math;
    if (is_on(line, OPTION_ID_DEBUG) && compile->optimize && is_compiled(request->emit))
        return usage_error(diagnostics, "--device-debug needs optimisation level 0, found %u", compile->optimize);
    compile->numeric = compile->instrumentation.enabled ? COMPILE_PAYLOAD : COMPILE_IEEE;
    compile->cpu = line->values[OPTION_ID_CPU];
    compile->gpu = is_host(line) ? NULL : target_name(line);
    compile->check_assume = compile->check_hints = is_on(line, OPTION_ID_ASSUME);
    compile->debugger = is_on(line, OPTION_ID_DEBUG);
    compile->line_info = is_on(line, OPTION_ID_LINES) || compile->debugger;
    request->times = is_on(line, OPTION_ID_TIMES);
    request->input = line->input;
    request->output = line->values[OPTION_ID_OUTPUT];
    if (!request->output && (request->emit == EMIT_OBJECT || request->emit == EMIT_CUBIN))
        request->output = default_object;
    if (request->output && !strcmp(request->output, "-")) request->output = NULL;
    if (request->output && !*request->output) return usage_error(diagnostics, "the name of the output file is empty");
    return read_cubin_options(diagnostics, arena, line, request);
}

// ---- answers that need no file --------------------------------------------------------------------------------------

static void print_wrapped(Buffer *out, const char *text, size_t indent, size_t width) {
    size_t column = indent;
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " ");
        if (column > indent && column + 1 + length > width) {
            buffer_print(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        buffer_print(out, "%s%.*s", column > indent ? " " : "", (int)length, word);
        column += length + (column > indent);
        word += length + strspn(word + length, " ");
    }
    buffer_print(out, "\n");
}

static void print_help(Buffer *out) {
    buffer_print(out, "usage: tileiras [options] FILE\n\n" TILEIRAS_ABOUT "\n\noptions:\n");
    for (int id = 0; id < OPTION_ID_COUNT; id++) {
        const struct OptionRow *row = &option_rows[id];
        const char *argument = row->argument ? row->argument : "", *between = row->kind == OPTION_JOINED ? ""
                                                                              : row->argument            ? " "
                                                                                                         : "";
        const bool letter = strlen(row->name) == 1; // -l PATH
        buffer_print(out, "  %s%s%s%s", letter ? "-" : "--", row->name,
                     !row->argument ? ""
                     : letter       ? " "
                                    : "=",
                     argument);
        if (row->alias)
            buffer_print(out, ", %s%s%s%s", strlen(row->alias) == 1 ? "-" : "--", row->alias, between, argument);
        buffer_print(out, "\n      ");
        print_wrapped(out, row->help, 6, 100);
    }
#define STATUS(number, text) "  " number " " text "\n"
    buffer_print(out, "%s", "\nexit status:\n" TILEIRAS_STATUSES(STATUS));
#undef STATUS
}

// Compilation caches take this text as a key: whatever changes what is compiled belongs in it.
static void print_version(Buffer *out, const CompileOptions *options) {
    char text[FPSAN_MESSAGE_SIZE];
    fpsan_print_instrumentation(&options->instrumentation, text);
    buffer_print(
        out, "tileiras: Tile IR compiler of congruent\ncongruent %s\nbytecode %d.%d to %d.%d\ninstrumentation: %s\n",
        CONGRUENT_VERSION, TIR_VERSION_MIN / 100, TIR_VERSION_MIN % 100, TIR_VERSION_MAX / 100, TIR_VERSION_MAX % 100,
        text);
    buffer_print(out, "math: ");
    math_print_settings(options->math, out);
    buffer_print(out, "\n");
    compiler_print_tools(out);
}

static void print_bytecode_versions(Buffer *out) {
    for (int version = TIR_VERSION_MIN; version <= TIR_VERSION_MAX; version++)
        buffer_print(out, "%d.%d\n", version / 100, version % 100);
}

// ---- compiling ------------------------------------------------------------------------------------------------------

static bool write_output(Diagnostics *diagnostics, const char *path, const Buffer *out) {
    if (path) return file_write(diagnostics, path, out->data, out->size);
    bool good = !out->size || fwrite(out->data, 1, out->size, stdout) == out->size;
    good = !fflush(stdout) && good;
    return good ||
           diag_fail(diagnostics, (Location){0}, E_FILE, "cannot write to standard output: %s", strerror(errno));
}

// What --times prints, in seconds.
typedef struct Times {
    double read, verify, open;
    CompileTimes compile;
} Times;

static void print_times(const Request *request, const Times *times) {
    fprintf(stderr, "read %.1f ms, verify %.1f, start of LLVM %.1f, lowering %.1f, passes %.1f, code generation %.1f",
            times->read * 1e3, times->verify * 1e3, times->open * 1e3, times->compile.lower * 1e3,
            times->compile.optimize * 1e3, times->compile.generate * 1e3);
    if (request->emit == EMIT_CUBIN) fprintf(stderr, ", ptxas %.1f", times->compile.assemble * 1e3);
    fprintf(stderr, "\n");
}

static void print_resources(const CompileResources *resources) {
    for (size_t i = 0; i < resources->count; i++) {
        const CompileKernelResources *kernel = &resources->kernels[i];
        fprintf(stderr,
                "%s: %u registers, %u bytes of stack, %u bytes of spill stores, %u bytes of spill loads, %u bytes of "
                "static shared memory, barriers: %u\n",
                kernel->kernel, kernel->registers, kernel->stack_bytes, kernel->spill_store_bytes,
                kernel->spill_load_bytes, kernel->shared_bytes, kernel->barriers);
    }
}

// The module after the rewrites, before implementations are chosen.
static bool print_rewritten(Diagnostics *diagnostics, const Request *request, const TirModule *module, Buffer *out) {
    const CompileOptions *options = &request->compile;
    TirModule *rewritten = NULL;
    const RewriteRequest wanted = {.settings = options->math,
                                   .payloads = options->numeric == COMPILE_PAYLOAD ? REWRITE_FOR_RING : REWRITE_ALL,
                                   .gpu = options->gpu};
    if (!rewrite_module(diagnostics, module, &wanted, &rewritten)) return false;
    tir_print(rewritten ? rewritten : module, options->line_info, out);
    tir_module_close(rewritten);
    return true;
}

static bool compile_module(Diagnostics *diagnostics, const Request *request, TirModule *module, Times *times,
                           CompileResources *resources, Buffer *out) {
    if (request->emit == EMIT_TILEIR) {
        tir_print(module, request->compile.line_info, out);
        return true;
    }
    const Program *program = tir_program(module);
    if (!compiler_check_math(diagnostics, (Location){.file = module->path}, E_USAGE, request->compile.math, 1,
                             &program))
        return false;
    if (request->emit == EMIT_TILEIR_MATH) return print_rewritten(diagnostics, request, module, out);
    if (request->drop_math) tir_drop_math(module);
    if (request->emit == EMIT_BYTECODE)
        return tir_write_bytecode(diagnostics, module,
                                  request->bytecode_version ? request->bytecode_version : module->version, out);
    double start = clock_thread_seconds();
    Compiler *compiler = compiler_open(diagnostics);
    if (compiler) compiler_host_cpu(compiler); // asked first by whoever compiles first
    times->open = clock_thread_seconds() - start;
    CompileOptions options = request->compile;
    options.times = &times->compile;
    options.resources = request->resources ? resources : NULL;
    Buffer report = {0};
    options.math_report = request->math_report ? &report : NULL;
    bool good =
        compiler && compiler_emit(compiler, diagnostics, program, &options, emit_rows[request->emit].output, out);
    compiler_close(compiler);
    if (good && report.size) fwrite(report.data, 1, report.size, stderr);
    buffer_free(&report);
    return good;
}

static bool compile_file(Diagnostics *diagnostics, const Request *request) {
    Buffer out = {0};
    Times times = {0};
    CompileResources resources = {0};
    double start = clock_thread_seconds();
    TirModule *module = tir_read_file(diagnostics, request->input);
    times.read = clock_thread_seconds() - start;
    bool good = module && tir_verify(diagnostics, module);
    times.verify = clock_thread_seconds() - start - times.read;
    good = good && compile_module(diagnostics, request, module, &times, &resources, &out) &&
           write_output(diagnostics, request->output, &out) &&
           (!request->remarks || file_write(diagnostics, request->remarks, "", 0));
    if (good && request->times) print_times(request, &times);
    if (good) print_resources(&resources);
    arena_reset(&resources.arena);
    tir_module_close(module);
    buffer_free(&out);
    return good;
}

static bool run(Diagnostics *diagnostics, int argc, char **argv) {
    CommandLine line = {0};
    Request request = {0};
    Arena arena = {0};
    if (!read_command_line(diagnostics, &line, argc, argv)) return false;
    Buffer answer = {0};
    bool good = true;
    if (is_on(&line, OPTION_ID_HELP))
        print_help(&answer);
    else if (is_on(&line, OPTION_ID_LIST))
        print_bytecode_versions(&answer);
    else if (!read_request(diagnostics, &arena, &line, &request))
        good = false;
    else if (is_on(&line, OPTION_ID_VERSION))
        print_version(&answer, &request.compile);
    else if (!line.input || !*line.input)
        good = usage_error(diagnostics, "no input file");
    else
        good = compile_file(diagnostics, &request);
    if (answer.size) good = write_output(diagnostics, NULL, &answer);
    buffer_free(&answer);
    arena_reset(&line.arena);
    arena_reset(&arena);
    return good;
}

int main(int argc, char **argv) {
    Diagnostics diagnostics = {0};
    run(&diagnostics, argc, argv);
    diagnostics_print(&diagnostics);
    int status = diagnostics_exit_status(&diagnostics);
    diagnostics_close(&diagnostics);
    return status;
}
