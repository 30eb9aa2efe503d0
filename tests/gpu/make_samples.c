// SPDX-License-Identifier: Apache-2.0
// Makes cases of single instructions: make_samples FOLDER [NAME...]. Each is a row of compiler/ptx/instructions.def (or
// those named) that computes in registers, is atomic, or a product of matrices: in FOLDER a case of each kind of
// result, and a module of each instruction. A thread takes its operands from pools of random and of special bits, has
// 16 bytes of memory of its own, and stores what the instruction makes of them.
//
// Samples of each form take every combination of words, or, where there are too many, every word once and some random
// combinations; those that the reader refuses, and those for other GPUs than sm_90a, are left out.
#include "tests/gpu/samples.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL_MAX = 80, // combinations of a form
    RANDOM = 40,  // taken of more
    GPU = 90,
    LITERALS = 8, // of instructions whose literal is a table
    VARIANT = TEXT + 8,
};

typedef struct Output {
    const char *folder;
    uint64_t random;
    unsigned samples, refused;
    char (*names)[64]; // of cases, sorted as they come
    size_t name_count;
} Output;

// ---- cases ----------------------------------------------------------------------------------------------------------

// What the instruction computes with in memory: NaNs are told from other bits only where the buffer has floats.
static const char *memory_type(const Taken *taken) {
    const char *type = first_type(taken);
    return strstr(type, "bf16") ? "bf16" : strstr(type, "f16") ? "f16" : *type == 'f' ? type : "i32";
}

static unsigned bits_of(const char *type) {
    return (unsigned)strtoul(strpbrk(type, "0123456789"), NULL, 10);
}

static void print_case(const Taken *taken, Buffer *out) {
    const Result result = result_of(taken);
    const unsigned threads = is_approximate(taken) ? APPROXIMATE : THREADS;
    const unsigned type_bits = strstr(result.type, "f16") ? 16 : result.bits;
    buffer_print(out, "# SPDX-License-Identifier: Apache-2.0\n# Written by make_samples.\nprofile: triton-3.9\n"
                      "modes: [ieee]\nbuffers:\n");
    for (size_t p = 0; p < POOLS; p++)
        buffer_print(out, "  %s: {type: %s, shape: [%d], fill: {file: %s.bin}}\n", pools[p].name, pools[p].type, POOL,
                     pools[p].name);
    buffer_print(out, "  NUMBERS: {type: i32, shape: [%d], fill: {file: NUMBERS.bin}}\n", APPROXIMATE);
    const unsigned results = taken->result_count ? taken->result_count : 1;
    buffer_print(out, "  Z: {type: %s, shape: [%u]}\n  Q: {type: i32, shape: [%u]}\n", result.type,
                 threads * results * (result.bits / type_bits), threads);
    const char *memory = memory_type(taken);
    buffer_print(out, "  M: {type: %s, shape: [%u], fill: {file: MEMORY.bin}}\n", memory,
                 THREADS * MEMORY * 8 / bits_of(memory));
    buffer_print(out, "compare: [Z, Q%s]\ntolerance: {ieee: {}}\nvariants:\n", has_memory(taken) ? ", M" : "");
}

static bool append_file(const char *path, const Buffer *text) {
    FILE *file = fopen(path, "a");
    const bool good = file && fwrite(text->data, 1, text->size, file) == text->size;
    if (file) fclose(file);
    return good;
}

// "cvt-rn-f16-f32-s0123": variants have no other characters.
static void name_variant(const Taken *taken, const char *module, char name[VARIANT]) {
    snprintf(name, VARIANT, "%s-%.5s", taken->opcode, module);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-') *c = *c == '.' ? '-' : '_';
}

// A variant of the case of its kind.
static bool add_variant(Output *out, const Taken *taken, const char *module) {
    const Result result = result_of(taken);
    const unsigned threads = is_approximate(taken) ? APPROXIMATE : THREADS;
    char name[64], path[TEXT], variant[VARIANT];
    Buffer text = {0};
    name_variant(taken, module, variant);
    snprintf(name, sizeof name, "%s%s.%s.%ux%u", is_approximate(taken) ? "approximate." : "", taken->info->id,
             result.type, taken->result_count, result.bits);
    size_t known = 0;
    while (known < out->name_count && strcmp(out->names[known], name)) known++;
    if (known == out->name_count) {
        out->names = realloc(out->names, (out->name_count + 1) * sizeof *out->names);
        if (!out->names) abort();
        strcpy(out->names[out->name_count++], name);
        print_case(taken, &text);
    }
    buffer_print(&text,
                 "  %s:\n    - {module: %s, grid: [%u], block: [%d], args: [P8, P16, P32, P64, NUMBERS, Z, Q, M]}\n",
                 variant, module, threads / BLOCK, BLOCK);
    snprintf(path, sizeof path, "%s/%s.yaml", out->folder, name);
    const bool good = append_file(path, &text);
    buffer_free(&text);
    return good;
}

static bool is_read(const Buffer *module) {
    Diagnostics diagnostics = {0};
    const Program *program =
        ptx_front_end.read(&diagnostics, "sample.ptx", (const uint8_t *)module->data, module->size);
    const bool good = program;
    program_close(program);
    diagnostics_close(&diagnostics);
    return good;
}

static bool write_sample(Output *out, const Taken *taken, const char *text) {
    Buffer module = {0};
    char name[64], path[TEXT];
    print_module(taken, text, &module);
    bool good = true;
    if (is_read(&module)) {
        snprintf(name, sizeof name, "s%04u.ptx", out->samples++);
        snprintf(path, sizeof path, "%s/%s", out->folder, name);
        FILE *file = fopen(path, "w");
        good = file && fprintf(file, "// %s\n", text) > 0;
        if (file) fclose(file);
        good = good && append_file(path, &module) && add_variant(out, taken, name);
    } else {
        out->refused++;
    }
    buffer_free(&module);
    return good;
}

// ---- samples --------------------------------------------------------------------------------------------------------

// Whether it computes in registers, of numbers.
static bool is_wanted(const PtxOpInfo *info, const PtxForm *form) {
    static const char *const left_out[] = {"cvta", "isspacep", "mapa", "getctarank", "activemask", "mov"};
    const unsigned classes = 1u << PTX_CLASS_INTEGER | 1u << PTX_CLASS_FLOAT | 1u << PTX_CLASS_MOVE |
                             1u << PTX_CLASS_MATRIX | 1u << PTX_CLASS_WARP | 1u << PTX_CLASS_VIDEO |
                             1u << PTX_CLASS_ATOMIC;
    const bool addresses =
        info->class == PTX_CLASS_ATOMIC || strstr(info->id, "tmatrix") || strstr(info->id, "dmatrix");
    if (!(classes >> info->class & 1) || !form->rule_count) return false;
    for (size_t i = 0; i < BASE_COUNT(left_out); i++)
        if (!strcmp(left_out[i], info->id)) return false;
    if (!strncmp(info->id, "wmma", 4)) return false; // who has what of a matrix is not documented
    for (unsigned i = 0; i < form->rule_count; i++)
        if (form->rules[i].kind >= PTX_RULE_LABEL || (form->rules[i].kind == PTX_RULE_ADDRESS && !addresses))
            return false;
    return form->rules[0].result || addresses;
}

static bool write_with_literals(Output *out, const Sample *sample, const char *text) {
    Taken taken;
    if (!take_apart(sample, text, &taken) || strstr(text, "%q")) return true;
    for (unsigned i = 1; i < taken.count; i++) {
        if (!is_named(&taken.operands[i], "lut")) continue;
        for (int n = 0; n < LITERALS; n++) { // a literal 0 stands there
            char changed[TEXT];
            const char *at = strstr(text, ", 0");
            snprintf(changed, sizeof changed, "%.*s, %u%s", (int)(at - text), text,
                     (unsigned)(next_random(&out->random) & 255), at + 3);
            if (!take_apart(sample, changed, &taken) || !write_sample(out, &taken, changed)) return false;
        }
        return true;
    }
    return write_sample(out, &taken, text);
}

// Of wgmma: signs and, where there are some, transpositions behind the predicate; a matrix in registers has none.
static void change_numbers(Output *out, const Sample *sample, char text[TEXT]) {
    const bool transposes = strstr(ptx_op_info(sample->op)->forms[sample->form].operands, "#ta");
    const bool integers = !strstr(ptx_op_info(sample->op)->forms[sample->form].operands, "#sa");
    char *at = strstr(text, ", %p");
    at = at ? strchr(at + 2, ',') : NULL;
    if (!at || integers) return;
    const uint64_t random = next_random(&out->random);
    const bool registers = strstr(text, "}, {");
    at += snprintf(at, (size_t)(text + TEXT - at), ", %d, %d", random & 1 ? 1 : -1, random & 2 ? 1 : -1);
    if (transposes && !registers) at += snprintf(at, (size_t)(text + TEXT - at), ", %d", (int)(random >> 2 & 1));
    if (transposes) at += snprintf(at, (size_t)(text + TEXT - at), ", %d", (int)(random >> 3 & 1));
    snprintf(at, (size_t)(text + TEXT - at), ";");
}

static bool write_one(Output *out, const Sample *sample) {
    const PtxTargetInfo *target = sample_target(sample);
    const PtxForm *form = &ptx_op_info(sample->op)->forms[sample->form];
    if (!target || target->sm > GPU || (target->suffix && target->sm != GPU) || sample_version(sample) > VERSION)
        return true;
    Buffer text = {0};
    sample_print_instruction(sample, &text);
    char changed[TEXT];
    const char *space = strchr(text.data, ' '), *comma = space ? strchr(space, ',') : NULL;
    bool good = true;
    if (comma && form->rules[0].pair == 1) { // with the second result
        snprintf(changed, sizeof changed, "%.*s|%%p0%s", (int)(comma - text.data), text.data, comma);
        good = write_with_literals(out, sample, changed);
    }
    if (text.size + 16 < TEXT && !strncmp(ptx_op_info(sample->op)->id, "wgmma", 5)) {
        snprintf(changed, sizeof changed, "%s", text.data);
        change_numbers(out, sample, changed);
        good = write_with_literals(out, sample, changed);
    } else if (form->rules[0].pair != 1 || ptx_op_info(sample->op)->class != PTX_CLASS_WARP) {
        good = good && write_with_literals(out, sample, text.data);
    }
    buffer_free(&text);
    return good;
}

// The choices of number `n` of all combinations.
static Sample combination(PtxOp op, unsigned form, uint64_t n) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    Sample sample = sample_plain(op, form);
    for (unsigned slot = 0; slot < f->slot_count; slot++) {
        const unsigned count = sample_alternatives(&f->slots[slot]) + f->slots[slot].optional;
        sample.choices[slot] = (int)(n % count) - f->slots[slot].optional;
        n /= count;
    }
    return sample;
}

static bool write_form(Output *out, PtxOp op, unsigned form) {
    const PtxForm *f = &ptx_op_info(op)->forms[form];
    uint64_t all = 1, random = (uint64_t)op << 16 | form;
    if (!is_wanted(ptx_op_info(op), f) || !sample_is_possible(op, form)) return true;
    for (unsigned slot = 0; slot < f->slot_count; slot++)
        all *= sample_alternatives(&f->slots[slot]) + f->slots[slot].optional;
    const bool wgmma = !strncmp(ptx_op_info(op)->id, "wgmma", 5);
    for (uint64_t n = 0; n < all && all <= ALL_MAX; n++) {
        const Sample sample = combination(op, form, n);
        if (!write_one(out, &sample)) return false;
    }
    for (int n = 0; n < RANDOM && all > ALL_MAX; n++) {
        const Sample sample = combination(op, form, next_random(&random) % all);
        if (!write_one(out, &sample)) return false;
    }
    for (unsigned slot = 0; slot < f->slot_count && all > ALL_MAX; slot++)
        for (unsigned choice = 0; choice < sample_alternatives(&f->slots[slot]); choice++) {
            Sample sample = sample_plain(op, form);
            sample.choices[slot] = (int)choice;
            sample.second = wgmma && choice & 1; // matrix A in registers
            if (!write_one(out, &sample)) return false;
        }
    return true;
}

int main(int count, char **words) {
    Output out = {.folder = count > 1 ? words[1] : NULL, .random = 7};
    if (!out.folder) {
        fprintf(stderr, "usage: make_samples FOLDER [NAME...]\n");
        return 2;
    }
    bool good = write_pools(out.folder);
    for (unsigned op = 0; op < PTX_OP_COUNT && good; op++) {
        bool asked = count == 2;
        for (int i = 2; i < count; i++) asked |= !strcmp(words[i], ptx_op_info((PtxOp)op)->id);
        for (unsigned form = 0; asked && form < ptx_op_info((PtxOp)op)->form_count && good; form++)
            good = write_form(&out, (PtxOp)op, form);
    }
    printf("%u samples in %zu cases; the reader refuses %u\n", out.samples, out.name_count, out.refused);
    free(out.names);
    return !good;
}
