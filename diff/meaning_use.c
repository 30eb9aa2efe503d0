// SPDX-License-Identifier: Apache-2.0
// The constants of programs, and whether each number of `means` is one of the case's at all: a digit too few, and the
// key would silently mean nothing.
#include "diff/programs.h"

#include <math.h>
#include <string.h>

void fpd_see_constants(const ProgramConstant *constants, uint32_t count, FpdSeeConstant *see, void *context) {
    for (uint32_t c = 0; c < count; c++) {
        const ProgramConstant *constant = &constants[c];
        const size_t width = constant->format == FPSAN_F32 ? 4 : 8;
        for (uint64_t i = 0; i < constant->count; i++) {
            uint64_t bits = 0;
            memcpy(&bits, constant->bytes + i * width, width);
            see(context, constant->format, bits, constant->at);
        }
    }
}

typedef struct MeaningUse {
    const FpdCase *cas;
    bool *used;
    double *nearest;        // NaN: none
    FpsanFormat *of_format; // of the nearest
} MeaningUse;

static void see_number(MeaningUse *u, FpsanFormat format, uint64_t bits) {
    double number = fabs(fpsan_decode(format, bits));
    if (format != FPSAN_F32 && format != FPSAN_F64) return; // narrower ones are read exactly
    for (uint32_t i = 0; i < u->cas->meaning_count; i++) {
        double meant = fabs(u->cas->meanings[i].value);
        u->used[i] |= number == fpsan_decode(format, fpsan_encode_nearest(format, meant));
        if (fabs(number - meant) >= fabs(u->nearest[i] - meant)) continue; // true if there is a nearest
        u->nearest[i] = number;
        u->of_format[i] = format;
    }
}

// An FpdSeeConstant.
static void see_constant(void *use, FpsanFormat format, uint64_t bits, Location at) {
    (void)at;
    see_number(use, format, bits);
}

// False: the buffer may hold any number.
static bool see_literal(MeaningUse *u, const FpdBuffer *buffer) {
    if (!buffer->literal) return true;
    if (buffer->fill.kind == FPD_FILL_constant) see_number(u, element_format(buffer->type), buffer->fill.constant);
    return buffer->fill.kind == FPD_FILL_constant;
}

static bool see_programs(MeaningUse *u, const FpdPrograms *programs) {
    const FpdCase *cas = programs->cas;
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if (!see_literal(u, &cas->buffers[b])) return false;
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++) {
            const FpdLaunch *launch = &cas->variants[v].launches[i];
            for (uint32_t a = 0; a < launch->argument_count; a++)
                if (launch->arguments[a].kind == FPD_ARGUMENT_VALUE && element_is_float(launch->arguments[a].type))
                    see_number(u, element_format(launch->arguments[a].type), launch->arguments[a].bits);
        }
    for (uint32_t m = 0; m < programs->module_count; m++) {
        const Program *module = programs->modules[m].program;
        fpd_see_constants(module->constants, module->constant_count, see_constant, u);
        for (uint32_t k = 0; k < module->kernel_count; k++)
            fpd_see_constants(module->kernels[k].constants, module->kernels[k].constant_count, see_constant, u);
    }
    return true;
}

bool fpd_check_meanings(Diagnostics *diagnostics, const FpdPrograms *programs) {
    const FpdCase *cas = programs->cas;
    Arena scratch = {0};
    MeaningUse use = {.cas = cas};
    bool good = true;
    if (!fpd_family_info(cas->family)->meanings || !cas->meaning_count) return true;
    use.used = arena_array(&scratch, bool, cas->meaning_count);
    use.nearest = arena_array(&scratch, double, cas->meaning_count);
    use.of_format = arena_array(&scratch, FpsanFormat, cas->meaning_count);
    for (uint32_t i = 0; i < cas->meaning_count; i++) use.nearest[i] = NAN;
    bool known = see_programs(&use, programs);
    for (uint32_t i = 0; i < cas->meaning_count && known && good; i++) {
        const char *number = cas->meanings[i].number;
        if (use.used[i]) continue;
        good = isnan(use.nearest[i])
                   ? diag_fail(diagnostics, cas->meanings[i].at, E_CASE,
                               "%s is no constant of the kernels: they have none in f32 or f64", number)
                   : diag_fail(diagnostics, cas->meanings[i].at, E_CASE,
                               "%s is no constant of the kernels, no argument and no literal; the nearest is %.*g",
                               number, use.of_format[i] == FPSAN_F32 ? 9 : 17, use.nearest[i]);
    }
    arena_reset(&scratch);
    return good;
}
