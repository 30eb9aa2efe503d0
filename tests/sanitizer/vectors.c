// SPDX-License-Identifier: Apache-2.0
// Reads vector files and evaluates their rows, scalar and emitted, from one description of each operation.
#include "tests/sanitizer/vectors.h"

#include "tests/sanitizer/jit_harness.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 5, MESSAGE_SIZE = 512, LANES = 16 };

typedef enum RowKind {
    ROW_RULE,
    ROW_CLAMP,
    ROW_CAST,
    ROW_WIDE_DIVISION,
    ROW_LIBDEVICE,
    ROW_DOT,
    ROW_SCALED_DOT
} RowKind;

typedef struct RowOp {
    const char *name;
    RowKind kind;
    FpsanRule rule;
    unsigned types; // operand types in the second column
} RowOp;

static const RowOp row_ops[] = {
    {"add", ROW_RULE, FPSAN_RULE_ADD, 2},
    {"sub", ROW_RULE, FPSAN_RULE_SUB, 2},
    {"mul", ROW_RULE, FPSAN_RULE_MUL, 2},
    {"neg", ROW_RULE, FPSAN_RULE_NEG, 1},
    {"fma", ROW_RULE, FPSAN_RULE_FMA, 3},
    {"muladd", ROW_RULE, FPSAN_RULE_FMA, 3},
    {"div", ROW_RULE, FPSAN_RULE_DIV, 2},
    {"div_rn", ROW_RULE, FPSAN_RULE_DIV, 2},
    {"rem", ROW_RULE, FPSAN_RULE_REM, 2},
    {"min", ROW_RULE, FPSAN_RULE_MIN, 2},
    {"minnan", ROW_RULE, FPSAN_RULE_MIN, 2},
    {"max", ROW_RULE, FPSAN_RULE_MAX, 2},
    {"maxnan", ROW_RULE, FPSAN_RULE_MAX, 2},
    {"exp", ROW_RULE, FPSAN_RULE_EXP, 1},
    {"exp2", ROW_RULE, FPSAN_RULE_EXP2, 1},
    {"sin", ROW_RULE, FPSAN_RULE_SIN, 1},
    {"cos", ROW_RULE, FPSAN_RULE_COS, 1},
    {"log", ROW_RULE, FPSAN_RULE_LOG, 1},
    {"log2", ROW_RULE, FPSAN_RULE_LOG2, 1},
    {"sqrt", ROW_RULE, FPSAN_RULE_SQRT, 1},
    {"sqrt_rn", ROW_RULE, FPSAN_RULE_SQRT_RN, 1},
    {"rsqrt", ROW_RULE, FPSAN_RULE_RSQRT, 1},
    {"erf", ROW_RULE, FPSAN_RULE_ERF, 1},
    {"floor", ROW_RULE, FPSAN_RULE_FLOOR, 1},
    {"ceil", ROW_RULE, FPSAN_RULE_CEIL, 1},
    {"abs", ROW_RULE, FPSAN_RULE_ABS, 1},
    {"clamp", ROW_CLAMP, FPSAN_RULE_MAX, 3},
    {"cast", ROW_CAST, FPSAN_RULE_COUNT, 1},
    {"div_via_fp32", ROW_WIDE_DIVISION, FPSAN_RULE_DIV, 2},
    {"dot", ROW_DOT, FPSAN_RULE_COUNT, 3},
    {"dot_scaled", ROW_SCALED_DOT, FPSAN_RULE_COUNT, 5},
};

// What the rows of one op, types and operand count have in common.
typedef struct Group {
    char *op, *types, *result_name; // as in the file
    RowKind kind;
    FpsanRule rule;
    char symbol[64]; // libdevice
    FpsanAlgebra algebra;
    FpsanFormat formats[TYPES_MAX], result;
    bool unscaled[2]; // dot_scaled
    unsigned type_count, operand_count, length, block;
    FpsanFormat operand_formats[JIT_OPERANDS_MAX];
    int jit_index;
    size_t rows, capacity;
    uint64_t *values; // rows of operand_count + 1
    unsigned *lines;
} Group;

typedef struct Vectors {
    const char *path;
    unsigned line;
    Group **groups;
    size_t count, capacity;
    char *message;
} Vectors;

static bool fail(Vectors *v, const char *what, const char *text) {
    snprintf(v->message, MESSAGE_SIZE, "%s:%u: %s '%.100s'", v->path, v->line, what, text);
    return false;
}

static void *grown(void *items, size_t size) {
    void *result = realloc(items, size);
    if (!result) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return result;
}

// ---- evaluation -----------------------------------------------------------------------------------------------------

// One evaluator serves both: a value is a payload or an LLVM value.
typedef union Value {
    uint64_t scalar;
    LLVMValueRef emitted;
} Value;

typedef struct Machine {
    FpsanAlgebra algebra;
    const FpsanEmit *emit; // NULL: scalar
} Machine;

static Value value_embed(const Machine *m, FpsanFormat f, Value x) {
    if (m->emit) return (Value){.emitted = fpsan_emit_embed(m->emit, f, x.emitted)};
    return (Value){.scalar = fpsan_embed(m->algebra.profile, f, x.scalar)};
}

static Value value_unembed(const Machine *m, FpsanFormat f, Value x) {
    if (m->emit) return (Value){.emitted = fpsan_emit_unembed(m->emit, f, x.emitted)};
    return (Value){.scalar = fpsan_unembed(m->algebra.profile, f, x.scalar)};
}

static Value value_cast(const Machine *m, FpsanFormat from, FpsanFormat to, Value x) {
    if (m->emit) return (Value){.emitted = fpsan_emit_cast(m->emit, from, to, x.emitted, FPSAN_NEAREST_EVEN)};
    return (Value){.scalar = fpsan_cast(&m->algebra, from, to, x.scalar, FPSAN_NEAREST_EVEN)};
}

static Value value_apply(const Machine *m, FpsanRule rule, FpsanFormat f, const Value *x) {
    unsigned count = fpsan_rule_info(rule)->operands;
    LLVMValueRef emitted[3];
    uint64_t scalar[3];
    for (unsigned i = 0; i < count; i++) emitted[i] = x[i].emitted;
    if (m->emit) return (Value){.emitted = fpsan_emit(m->emit, rule, f, emitted, count)};
    for (unsigned i = 0; i < count; i++) scalar[i] = x[i].scalar;
    return (Value){.scalar = fpsan_apply(m->algebra.profile, rule, f, scalar)};
}

static Value value_extern(const Machine *m, const char *symbol, FpsanFormat f, const Value *x, unsigned count) {
    LLVMValueRef emitted[3];
    uint64_t scalar[3];
    for (unsigned i = 0; i < count; i++) emitted[i] = x[i].emitted;
    if (m->emit) return (Value){.emitted = fpsan_emit_extern(m->emit, f, symbol, emitted, count)};
    for (unsigned i = 0; i < count; i++) scalar[i] = x[i].scalar;
    return (Value){.scalar = fpsan_extern(f, symbol, scalar, NULL, count)};
}

static LLVMValueRef dot_element(const Machine *m, const Group *g, const Value *x, const Value *scales, unsigned side,
                                FpsanFormat compute, unsigned k) {
    if (g->kind == ROW_DOT) return x[k].emitted;
    FpsanFormat format = g->formats[2 * side], scale = g->formats[2 * side + 1];
    if (g->unscaled[side]) return value_cast(m, format, compute, x[k]).emitted;
    return fpsan_emit_scaled_operand(m->emit, format, scale, compute, x[k].emitted, scales[k / g->block].emitted);
}

// Operands: a, its scales, b, its scales, accumulator.
static Value evaluate_dot(const Machine *m, const Group *g, const Value *x) {
    bool is_scaled = g->kind == ROW_SCALED_DOT;
    FpsanFormat a = g->formats[0], b = is_scaled ? g->formats[2] : g->formats[1], accumulator_format = g->result;
    unsigned blocks = is_scaled ? g->length / g->block : 0;
    const Value *a_scales = x + g->length, *y = a_scales + (g->unscaled[0] ? 0 : blocks), *b_scales = y + g->length;
    Value accumulator = b_scales[g->unscaled[1] ? 0 : blocks];
    if (!m->emit) {
        uint64_t start = accumulator.scalar;
        _Static_assert(sizeof(Value) == sizeof(uint64_t), "scalar values are an array of payloads");
        const uint64_t *p = &x->scalar, *q = &y->scalar;
        if (!is_scaled)
            return (Value){.scalar = fpsan_dot(&m->algebra, a, b, accumulator_format, g->length, p, 1, q, 1, start)};
        FpsanScaled left = {a, g->formats[1], p, g->unscaled[0] ? NULL : &a_scales->scalar, 1, 1, g->block};
        FpsanScaled right = {b, g->formats[3], q, g->unscaled[1] ? NULL : &b_scales->scalar, 1, 1, g->block};
        return (Value){.scalar = fpsan_scaled_dot(&m->algebra, &left, &right, accumulator_format, g->length, start)};
    }
    FpsanFormat compute = fpsan_scaled_compute_format(a, b);
    LLVMValueRef sum = accumulator.emitted;
    for (unsigned k = 0; k < g->length; k++)
        sum = fpsan_emit_dot_step(m->emit, is_scaled ? compute : a, is_scaled ? compute : b, accumulator_format,
                                  dot_element(m, g, x, a_scales, 0, compute, k),
                                  dot_element(m, g, y, b_scales, 1, compute, k), sum);
    return (Value){.emitted = sum};
}

// The result's bits from the operands' bits.
static Value evaluate_row(const Machine *m, const Group *g, const Value *bits) {
    Value x[JIT_OPERANDS_MAX], wide[2];
    for (unsigned i = 0; i < g->operand_count; i++) x[i] = value_embed(m, g->operand_formats[i], bits[i]);
    FpsanFormat f = g->formats[0];
    switch (g->kind) {
    case ROW_RULE: x[0] = value_apply(m, g->rule, f, x); break;
    case ROW_CLAMP:
        x[1] = value_apply(m, FPSAN_RULE_MAX, f, x);
        x[0] = value_apply(m, FPSAN_RULE_MIN, f, x + 1);
        break;
    case ROW_CAST: x[0] = value_cast(m, f, g->result, x[0]); break;
    case ROW_WIDE_DIVISION:
        for (unsigned i = 0; i < 2; i++) wide[i] = value_cast(m, f, FPSAN_F32, x[i]);
        x[0] = value_cast(m, FPSAN_F32, f, value_apply(m, FPSAN_RULE_DIV, FPSAN_F32, wide));
        break;
    case ROW_LIBDEVICE:
        x[0] = g->rule == FPSAN_RULE_EXTERN ? value_extern(m, g->symbol, f, x, g->operand_count)
                                            : value_apply(m, g->rule, f, x);
        break;
    case ROW_DOT:
    case ROW_SCALED_DOT: x[0] = evaluate_dot(m, g, x); break;
    }
    return value_unembed(m, g->result, x[0]);
}

static LLVMValueRef emit_group(const FpsanEmit *e, const void *what, const LLVMValueRef *operands) {
    const Group *g = what;
    FpsanEmit own = *e;
    own.algebra = g->algebra;
    Machine machine = {g->algebra, &own};
    Value x[JIT_OPERANDS_MAX];
    for (unsigned i = 0; i < g->operand_count; i++) x[i].emitted = operands[i];
    return evaluate_row(&machine, g, x).emitted;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool parse_type(const char *name, FpsanFormat *format) {
    for (unsigned i = 0; i < FPSAN_FORMAT_COUNT; i++)
        if (!strcmp(name, element_info((ElementType)i)->triton)) {
            *format = (FpsanFormat)i;
            return true;
        }
    return fpsan_format_by_name(name, format);
}

// libdevice's symbol behind Triton's name of a function at 32 or 64 bits.
static void libdevice_symbol(const char *name, bool is_wide, char symbol[64]) {
    static const char *const special[][3] = {{"sqrt_rn", "__nv_fsqrt_rn", "__nv_dsqrt_rn"},
                                             {"rcp_rn", "__nv_frcp_rn", "__nv_drcp_rn"},
                                             {"div_rn", "__nv_fdiv_rn", "__nv_ddiv_rn"},
                                             {"fast_dividef", "__nv_fast_fdividef", "__nv_fast_fdividef"}};
    bool is_fast = !strncmp(name, "fast_", 5);
    snprintf(symbol, 64, "__nv_%.50s%s", name, is_wide || is_fast ? "" : "f");
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (!strcmp(name, special[i][0])) snprintf(symbol, 64, "%s", special[i][is_wide ? 2 : 1]);
}

static bool parse_types(Vectors *v, Group *g, char *text) {
    for (char *name = text, *next; name; name = next) {
        next = strchr(name, '|');
        if (next) *next++ = 0;
        unsigned i = g->type_count++;
        if (i == TYPES_MAX) return fail(v, "too many operand types, the last being", name);
        bool is_scale = g->kind == ROW_SCALED_DOT && i % 2 == 1;
        if (is_scale && !strcmp(name, "none"))
            g->unscaled[i / 2] = true;
        else if (!parse_type(name, &g->formats[i]))
            return fail(v, "unknown type", name);
    }
    return true;
}

static bool parse_op(Vectors *v, Group *g, const char *op) {
    char name[64];
    snprintf(name, sizeof name, "%.60s", op);
    if (strlen(op) > 60) return fail(v, "unknown operation", op);
    g->algebra = fpsan_default_algebra();
    char *suffix = strstr(name, "_homomorphic");
    if (suffix && !suffix[12] && suffix != name) {
        *suffix = 0;
        g->algebra.casts = FPSAN_CASTS_HOMOMORPHIC;
    }
    char *dot = strchr(name, '.');
    if (dot) *dot++ = 0;
    if (dot && !strcmp(name, "libdevice") && !suffix) {
        g->kind = ROW_LIBDEVICE;
        return *dot ? true : fail(v, "unknown operation", op);
    }
    for (size_t i = 0; i < sizeof row_ops / sizeof *row_ops; i++) {
        if (strcmp(row_ops[i].name, name)) continue;
        g->kind = row_ops[i].kind;
        g->rule = row_ops[i].rule;
        if (suffix && g->kind != ROW_CAST && g->kind != ROW_DOT && g->kind != ROW_SCALED_DOT) break;
        if ((dot != NULL) != (g->kind == ROW_SCALED_DOT)) break;
        if (!dot) return true;
        char *end;
        unsigned long block = strtoul(dot, &end, 10);
        if (*end || block < 1 || block > 1024) return fail(v, "expected a block size after 'dot_scaled.' in", op);
        g->block = (unsigned)block;
        return true;
    }
    return fail(v, "unknown operation", op);
}

// Fills the formats of all operands of a dot row with `count` of them.
static bool parse_dot_shape(Vectors *v, Group *g, unsigned count) {
    bool is_scaled = g->kind == ROW_SCALED_DOT;
    unsigned scaled_sides = is_scaled ? !g->unscaled[0] + !g->unscaled[1] : 0, unit = is_scaled ? g->block : 1;
    unsigned per_unit = 2 * unit + scaled_sides;
    g->length = (count - 1) / per_unit * unit;
    FpsanFormat accumulator = g->formats[g->type_count - 1];
    if (count < 2 || (count - 1) % per_unit || !g->length)
        return fail(v, "operand count does not fit a dot of", g->types);
    if (accumulator != g->result || !fpsan_format_has_rules(g->result))
        return fail(v, "accumulator and result must be one format with rules, found", g->result_name);
    unsigned n = 0;
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < g->length; i++) g->operand_formats[n++] = g->formats[is_scaled ? 2 * side : side];
        if (is_scaled && !g->unscaled[side])
            for (unsigned i = 0; i < g->length / g->block; i++) g->operand_formats[n++] = g->formats[2 * side + 1];
    }
    g->operand_formats[n++] = accumulator;
    return true;
}

static bool parse_group(Vectors *v, Group *g, unsigned count) {
    if (!parse_op(v, g, g->op)) return false;
    char *types = strdup(g->types);
    bool good = parse_types(v, g, types);
    free(types);
    if (!good) return false;
    if (!parse_type(g->result_name, &g->result)) return fail(v, "unknown type", g->result_name);
    g->operand_count = count;
    unsigned wanted = g->type_count; // libdevice
    for (size_t i = 0; i < sizeof row_ops / sizeof *row_ops; i++)
        if (row_ops[i].kind == g->kind && (g->kind != ROW_RULE || row_ops[i].rule == g->rule))
            wanted = row_ops[i].types;
    if (g->type_count != wanted) return fail(v, "wrong number of operand types", g->types);
    if (g->kind == ROW_DOT || g->kind == ROW_SCALED_DOT) return parse_dot_shape(v, g, count);
    if (count != wanted) return fail(v, "wrong number of operands for", g->types);
    for (unsigned i = 0; i < count; i++) {
        g->operand_formats[i] = g->formats[i];
        if (g->kind != ROW_CAST && (g->formats[i] != g->result || !fpsan_format_has_rules(g->result)))
            return fail(v, "operands and result must have one format with rules, found", g->types);
    }
    if (g->kind == ROW_WIDE_DIVISION && fpsan_format_info(g->result)->ring_bits != 16)
        return fail(v, "div_via_fp32 takes 16-bit operands, found", g->types);
    if (g->kind == ROW_LIBDEVICE) {
        if (count > 3) return fail(v, "too many operands for", g->op);
        libdevice_symbol(g->op + strlen("libdevice."), fpsan_format_info(g->result)->lane_bits == 64, g->symbol);
        g->rule = fpsan_symbol_rule(g->symbol);
        if (g->rule != FPSAN_RULE_EXTERN && fpsan_rule_info(g->rule)->operands != count)
            return fail(v, "wrong number of operands for", g->op);
    }
    return true;
}

static Group *find_group(Vectors *v, const char *op, const char *types, const char *result, unsigned count) {
    for (size_t i = v->count; i-- > 0;) { // rows of a group mostly lie together
        Group *g = v->groups[i];
        if (g->operand_count == count && !strcmp(g->op, op) && !strcmp(g->types, types) &&
            !strcmp(g->result_name, result))
            return g;
    }
    if (v->count == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 64;
        v->groups = grown(v->groups, v->capacity * sizeof *v->groups);
    }
    Group *g = calloc(1, sizeof *g);
    if (!g) grown(NULL, sizeof *g);
    g->op = strdup(op), g->types = strdup(types), g->result_name = strdup(result);
    v->groups[v->count++] = g;
    return parse_group(v, g, count) ? g : NULL;
}

static bool parse_bits(Vectors *v, const char *text, FpsanFormat format, uint64_t *bits) {
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (!digits || digits > 16 || text[digits]) return fail(v, "expected up to 16 hexadecimal digits, found", text);
    *bits = strtoull(text, NULL, 16);
    unsigned width = format == FPSAN_F4E2M1FN ? 4 : fpsan_format_info(format)->lane_bits;
    if (width < 64 && *bits >> width) return fail(v, "bits wider than their type:", text);
    return true;
}

static bool parse_row(Vectors *v, char *line) {
    char *fields[JIT_OPERANDS_MAX + 4];
    unsigned count = 0;
    for (char *field = line, *next; field; field = next) {
        next = strchr(field, ',');
        if (next) *next++ = 0;
        if (count == JIT_OPERANDS_MAX + 4) return fail(v, "too many fields, the last being", field);
        fields[count++] = field;
    }
    if (count < 5) return fail(v, "expected op, operand types, result type, operands and result, found", line);
    unsigned operands = count - 4;
    Group *g = find_group(v, fields[0], fields[1], fields[2], operands);
    if (!g) return false;
    if (g->rows == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 64;
        g->values = grown(g->values, g->capacity * (operands + 1) * sizeof *g->values);
        g->lines = grown(g->lines, g->capacity * sizeof *g->lines);
    }
    uint64_t *values = g->values + g->rows * (operands + 1);
    for (unsigned i = 0; i <= operands; i++)
        if (!parse_bits(v, fields[3 + i], i < operands ? g->operand_formats[i] : g->result, &values[i])) return false;
    g->lines[g->rows++] = v->line;
    return true;
}

static bool read_rows(Vectors *v) {
    FILE *file = fopen(v->path, "r");
    if (!file) {
        snprintf(v->message, MESSAGE_SIZE, "%s: cannot be opened", v->path);
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &capacity, file)) >= 0) {
        v->line++;
        if (strlen(line) != (size_t)length) {
            good = fail(v, "zero byte after", line);
            break;
        }
        line[strcspn(line, "\r\n")] = 0;
        good = parse_row(v, line);
    }
    if (good && ferror(file)) {
        snprintf(v->message, MESSAGE_SIZE, "%s: cannot be read", v->path);
        good = false;
    }
    if (good && !v->line) {
        snprintf(v->message, MESSAGE_SIZE, "%s: holds no rows", v->path);
        good = false;
    }
    free(line);
    fclose(file);
    return good;
}

// ---- checking -------------------------------------------------------------------------------------------------------

static void count_results(const Vectors *v, const Group *g, const char *which, const uint64_t *results, FILE *out,
                          VectorCounts *counts) {
    size_t differ = 0;
    for (size_t row = 0; row < g->rows; row++) {
        uint64_t want = g->values[row * (g->operand_count + 1) + g->operand_count];
        if (results[row] == want) continue;
        if (differ++ < 3)
            fprintf(out, "%s:%u: %s of %s to %s: %s code gives %llx, expected %llx\n", v->path, g->lines[row], g->op,
                    g->types, g->result_name, which, (unsigned long long)results[row], (unsigned long long)want);
    }
    if (differ > 3)
        fprintf(out, "%s: %s of %s to %s: %zu rows differ in %s code\n", v->path, g->op, g->types, g->result_name,
                differ, which);
    counts->equal += g->rows - differ;
    counts->differ += differ;
}

static void check_group(const Vectors *v, Jit *jit, const Group *g, FILE *out, VectorCounts *scalar,
                        VectorCounts *emitted) {
    uint64_t *results = grown(NULL, g->rows * sizeof *results);
    uint64_t *columns = grown(NULL, g->rows * g->operand_count * sizeof *columns);
    const uint64_t *table[JIT_OPERANDS_MAX];
    Machine machine = {g->algebra, NULL};
    for (size_t row = 0; row < g->rows; row++) {
        Value x[JIT_OPERANDS_MAX];
        for (unsigned i = 0; i < g->operand_count; i++)
            columns[i * g->rows + row] = x[i].scalar = g->values[row * (g->operand_count + 1) + i];
        results[row] = evaluate_row(&machine, g, x).scalar;
    }
    count_results(v, g, "scalar", results, out, scalar);
    for (unsigned i = 0; i < g->operand_count; i++) table[i] = columns + i * g->rows;
    jit_call(jit, g->jit_index, g->rows, table, results);
    count_results(v, g, "emitted", results, out, emitted);
    free(columns);
    free(results);
}

static void check_groups(const Vectors *v, FILE *out, VectorCounts *scalar, VectorCounts *emitted) {
    Jit *jit = jit_open(fpsan_default_algebra(), (JitOptions){.lanes = LANES});
    for (size_t i = 0; i < v->count; i++) {
        Group *g = v->groups[i];
        unsigned bits[JIT_OPERANDS_MAX];
        for (unsigned k = 0; k < g->operand_count; k++) bits[k] = fpsan_format_info(g->operand_formats[k])->lane_bits;
        g->jit_index = jit_add(jit, emit_group, g, g->operand_count, bits, fpsan_format_info(g->result)->lane_bits);
    }
    for (size_t i = 0; i < v->count; i++) check_group(v, jit, v->groups[i], out, scalar, emitted);
    jit_close(jit);
}

bool vectors_check(const char *path, FILE *out, VectorCounts *scalar, VectorCounts *emitted, char *message) {
    Vectors v = {.path = path, .message = message};
    bool good = read_rows(&v);
    *scalar = *emitted = (VectorCounts){0, 0};
    if (good) check_groups(&v, out, scalar, emitted);
    for (size_t i = 0; i < v.count; i++) {
        Group *g = v.groups[i];
        free(g->op), free(g->types), free(g->result_name), free(g->values), free(g->lines), free(g);
    }
    free(v.groups);
    return good;
}
