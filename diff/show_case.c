// SPDX-License-Identifier: Apache-2.0
// `fpdiff show`: what would run, without running it.
#include "diff/report.h"

#include <inttypes.h>
#include <string.h>

static void show_addresses(const FpdBuffer *buffer, Buffer *out) {
    enum { SHOWN = 8 };
    buffer_print(out, "addresses (");
    for (uint64_t i = 0; i < buffer->elements && i < SHOWN; i++)
        buffer_print(out, "%s%s", i ? "; " : "", buffer->fill.addresses[i].text);
    buffer_print(out, buffer->elements > SHOWN ? "; ...)" : ")");
}

static void show_fill(const FpdBuffer *buffer, Buffer *out) {
    const FpdFill *fill = &buffer->fill;
    char text[FPD_TEXT_SIZE];
    switch (fill->kind) {
    case FPD_FILL_zeros: buffer_print(out, fill->given ? "zeros" : "not filled"); break;
    case FPD_FILL_constant:
        fpd_element_text(buffer->type, fill->constant, text);
        buffer_print(out, "constant %s", text);
        break;
    case FPD_FILL_uniform: buffer_print(out, "uniform (%g to %g)", fill->low, fill->high); break;
    case FPD_FILL_normal: buffer_print(out, "normal (mean %g, std %g)", fill->low, fill->high); break;
    case FPD_FILL_integers: buffer_print(out, "integers (%" PRId64 " to %" PRId64 ")", fill->first, fill->last); break;
    case FPD_FILL_bits: buffer_print(out, "random bits"); break;
    case FPD_FILL_adversarial:
        buffer_print(out, "adversarial (std %g, axis %" PRId64 ")", fill->high, fill->first);
        break;
    case FPD_FILL_correlated:
        buffer_print(out, "correlated (correlation %g, std %g, axis %" PRId64 ")", fill->low, fill->high, fill->first);
        break;
    case FPD_FILL_log_uniform:
        buffer_print(out, "log-uniform (%g to %g, %s)", fill->low, fill->high,
                     fill->positive ? "positive" : "of both signs");
        break;
    case FPD_FILL_iota: buffer_print(out, "iota"); break;
    case FPD_FILL_file: buffer_print(out, "file %s", fill->file); break;
    case FPD_FILL_addresses: show_addresses(buffer, out); break;
    case FPD_FILL_offset: // read as another
    case FPD_FILL_near_overflow:
    case FPD_FILL_COUNT: break;
    }
}

static void show_buffers(const FpdCase *cas, Buffer *out) {
    int width = 0;
    for (uint32_t b = 0; b < cas->buffer_count; b++)
        if ((int)strlen(cas->buffers[b].name) > width) width = (int)strlen(cas->buffers[b].name);
    buffer_print(out, "  buffers\n");
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        const FpdBuffer *buffer = &cas->buffers[b];
        buffer_print(out, "    %-*s  %s [", width, buffer->name, element_info(buffer->type)->name);
        for (uint32_t d = 0; d < buffer->rank; d++) buffer_print(out, "%s%" PRId64, d ? ", " : "", buffer->shape[d]);
        buffer_print(out, "], %" PRIu64 " bytes, ", buffer->bytes);
        show_fill(buffer, out);
        buffer_print(out, "%s%s\n", fpd_family_info(cas->family)->meanings && buffer->literal ? ", literal" : "",
                     fpd_is_compared(cas, b) ? ", compared" : "");
    }
}

// How a launch uses a buffer: READS and WRITES are for certain, as far as anybody can know; MAY is through addresses in
// memory, or of a kernel of threads, and whether it does nobody knows.
typedef enum ShownUse { READS, WRITES, MAY } ShownUse;

static bool is_shown(const FpdPrograms *programs, uint32_t variant, uint32_t launch, uint32_t buffer, ShownUse shown) {
    const ProgramUse use = fpd_launch_use(programs, variant, launch, buffer);
    if (programs->launches[variant][launch].threads) return use.reads;
    if (shown != MAY) return shown == READS ? use.reads_own : use.writes_own;
    return use.reads > use.reads_own || use.writes > use.writes_own;
}

// How many.
static uint32_t show_names(const FpdPrograms *programs, uint32_t variant, uint32_t launch, ShownUse shown,
                           const char *before, Buffer *out) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < programs->cas->buffer_count; b++)
        if (is_shown(programs, variant, launch, b, shown))
            buffer_print(out, "%s%s", count++ ? ", " : before, programs->cas->buffers[b].name);
    return count;
}

// What a launch of a kernel of tiles does, and what it may do through addresses in memory.
static void show_uses(const FpdPrograms *programs, uint32_t variant, uint32_t launch, Buffer *out) {
    const ProgramUse *use = &programs->launches[variant][launch].addresses.followed;
    const char *may = !use->writes ? "; may read " : !use->reads ? "; may write " : "; may read and write ";
    if (!show_names(programs, variant, launch, READS, "reads ", out)) buffer_print(out, "reads nothing");
    if (!show_names(programs, variant, launch, WRITES, "; writes ", out)) buffer_print(out, "; writes nothing");
    show_names(programs, variant, launch, MAY, may, out);
}

static void show_threads(const RtThreads *threads, Buffer *out) {
    buffer_print(out, ", block %" PRIu32 " x %" PRIu32 " x %" PRIu32, threads->block[0], threads->block[1],
                 threads->block[2]);
    if (threads->shared_bytes) buffer_print(out, ", %" PRIu32 " bytes of dynamic shared memory", threads->shared_bytes);
    buffer_print(out, ", emulated\n");
}

static void show_launch(const FpdPrograms *programs, uint32_t variant, uint32_t index, Buffer *out) {
    const FpdCase *cas = programs->cas;
    const FpdLaunch *launch = &cas->variants[variant].launches[index];
    const FpdResolvedLaunch *resolved = &programs->launches[variant][index];
    buffer_print(out, "      %u. kernel %s of %s, grid %u x %u x %u%s", index + 1, resolved->kernel, launch->module,
                 launch->grid[0], launch->grid[1], launch->grid[2], resolved->threads ? "" : "\n");
    if (resolved->threads) show_threads(&resolved->threads->launch, out);
    const Program *program = programs->modules[resolved->module].program;
    if (program->made_by) buffer_print(out, "         made by %s\n", program->made_by);
    if (launch->build) buffer_print(out, "         in build %s\n", fpd_build_name(cas, launch->build - 1));
    for (uint32_t v = 0; v < resolved->entry->parameter_count; v++) {
        const FpdValue *value = &resolved->values[v];
        if (resolved->entry->parameters[v].padding_of) continue; // its view says it
        bool first_of_argument = resolved->threads ? launch->arguments[v].kind != FPD_ARGUMENT_VALUE
                                                   : value->pointer || !strchr(value->text, '=');
        const char *name = resolved->threads ? NULL : resolved->entry->parameters[v].name;
        buffer_print(out, "%s", v == 0 ? "         " : first_of_argument ? "\n         " : "  ");
        if (name && first_of_argument) buffer_print(out, "%s: ", name);
        buffer_print(out, "%s", value->text);
    }
    buffer_print(out, "%s         ", resolved->entry->parameter_count ? "\n" : "");
    if (!resolved->threads)
        show_uses(programs, variant, index, out);
    else if (!show_names(programs, variant, index, MAY, "may read and write ", out))
        buffer_print(out, "may read and write nothing");
    buffer_print(out, "\n");
    for (uint32_t b = 0; b < cas->buffer_count; b++) {
        if (resolved->threads || !fpd_reads_unfilled(programs, variant, index, b)) continue;
        buffer_print(out, "         note: ");
        fpd_print_unfilled(programs, variant, index, b, "here", out);
    }
}

static void show_builds(const FpdCase *cas, Buffer *out) {
    for (uint32_t b = 0; b < cas->build_count; b++) {
        const bool own = b >= cas->run_build_count;
        buffer_print(out, "%s%s%s: ", b ? "; " : "  builds ", cas->builds[b].name, own ? " (of launches)" : "");
        math_print_settings(&cas->builds[b].settings, out);
    }
    if (cas->build_count) buffer_print(out, "\n");
}

static void show_meanings(const FpdCase *cas, Buffer *out) {
    if (!cas->meaning_count || !fpd_family_info(cas->family)->meanings) return;
    for (uint32_t i = 0; i < cas->meaning_count; i++)
        buffer_print(out, "%s%s is %s", i ? "; " : "  means ", cas->meanings[i].number, cas->meanings[i].expression);
    buffer_print(out, "\n");
}

void fpd_print_programs(const FpdPrograms *programs, Buffer *out) {
    const FpdCase *cas = programs->cas;
    const FpdFamilyInfo *family = fpd_family_info(cas->family);
    char version[24] = "";
    if (family->version) snprintf(version, sizeof version, ", version %d", family->version);
    buffer_print(out, "%s", cas->path);
    for (uint32_t i = 0; i < cas->parameters.count; i++)
        buffer_print(out, ", %s = %" PRId64, cas->parameters.items[i].name, cas->parameters.items[i].value);
    buffer_print(out, "%s%s\n", cas->title ? ": " : "", cas->title ? cas->title : "");
    show_buffers(cas, out);
    buffer_print(out, "  variants\n");
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        buffer_print(out, "    %s%s\n", cas->variants[v].name, v ? "" : ", the reference");
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++) show_launch(programs, v, i, out);
    }
    show_meanings(cas, out);
    show_builds(cas, out);
    buffer_print(out, "  modes");
    for (uint32_t m = 0; m < cas->mode_count; m++) {
        buffer_print(out, "%s %s", m ? "," : "", fpd_mode_name(cas->modes[m]));
        if (fpd_arithmetic(cas->family, cas->modes[m])->question == FPD_QUESTION_formula)
            buffer_print(out, " (profile %s%s%s%s%s)", fpd_profile_name(cas), version, family->casts ? ", casts " : "",
                         family->casts ? fpsan_casts_name(cas->algebra.casts) : "",
                         family->meanings && cas->allow_roots ? ", roots allowed" : "");
        else if (cas->tolerance.given)
            buffer_print(out, " (rtol %g, atol %g)", cas->tolerance.rtol, cas->tolerance.atol);
    }
    buffer_print(out, "; seed %" PRIu64 "\n", cas->seed);
}
