// SPDX-License-Identifier: Apache-2.0
// What runs kernels: a compiler and a device, and what a target cannot do.
#include "diff/machine.h"

#include <string.h>

static const struct TargetRow {
    const char *name;
    RtDevice *(*open)(Diagnostics *, const RtDeviceOptions *);
} target_rows[] = {
#define TARGET(name, open) {#name, open},
#include "diff/targets.def"
#undef TARGET
};

const char *fpd_target_name(FpdTarget target) {
    return target_rows[target].name;
}

bool fpd_target_by_name(const char *name, FpdTarget *target) {
    for (size_t t = 0; t < BASE_COUNT(target_rows); t++) {
        *target = (FpdTarget)t;
        if (!strcmp(target_rows[t].name, name)) return true;
    }
    return false;
}

static RtDevice *open_device(Diagnostics *diagnostics, const FpdMachine *machine) {
    RtDeviceOptions options = {.jobs = machine->jobs, .shadow = machine->shadow, .index = machine->device_index};
    return target_rows[machine->target].open(diagnostics, &options);
}

bool fpd_machine_open(Diagnostics *diagnostics, unsigned jobs, FpdMachine *machine) {
    machine->jobs = jobs;
    machine->compiler = compiler_open(diagnostics);
    machine->device = machine->compiler ? open_device(diagnostics, machine) : NULL;
    if (!machine->device) return false;
    if (machine->target == FPD_TARGET_cuda) machine->gpu = rt_gpu_name(machine->device);
    if (machine->target == FPD_TARGET_simt && !machine->gpu) machine->gpu = FPD_SIMT_GPU;
    return true;
}

bool fpd_open_device(Diagnostics *diagnostics, unsigned jobs, FpdMachine *copy) {
    copy->jobs = jobs;
    copy->device = open_device(diagnostics, copy);
    return copy->device;
}

void fpd_machine_close(FpdMachine *machine) {
    compiler_settle();
    rt_close(machine->device);
    fpd_kept_close(machine->kept);
    compiler_close(machine->compiler);
}

// Shadow memory takes a lot of addresses, which not everybody has: it is there once a case needs it.
bool fpd_open_shadow(Diagnostics *diagnostics, FpdMachine *machine) {
    if (machine->shadow) return true;
    rt_close(machine->device);
    machine->shadow = true;
    machine->device = open_device(diagnostics, machine);
    machine->shadow = machine->device;
    return machine->device;
}

bool fpd_check_modules(Diagnostics *diagnostics, const FpdMachine *machine, const FpdPrograms *programs) {
    const FpdCase *cas = programs->cas;
    for (uint32_t v = 0; v < cas->variant_count && machine->target == FPD_TARGET_cuda; v++)
        for (uint32_t i = 0; i < cas->variants[v].launch_count; i++)
            if (programs->launches[v][i].threads)
                return diag_fail(diagnostics, cas->variants[v].launches[i].module_at, E_USAGE,
                                 "module %s is PTX, which is emulated; --target cuda cannot run it",
                                 cas->variants[v].launches[i].path);
    return true;
}

bool fpd_check_target(Diagnostics *diagnostics, const FpdMachine *machine, const FpdCase *cas) {
    if (machine->target == FPD_TARGET_host || fpd_family_info(cas->family)->everywhere) return true;
    const char *profile = fpsan_profile_at(0)->name;
    return diag_fail(diagnostics, (Location){.file = cas->path}, E_USAGE,
                     "this case is for profile %s, which runs on --target %s only; --profile %s runs it on %s",
                     fpd_profile_name(cas), fpd_target_name(FPD_TARGET_host), profile,
                     fpd_target_name(machine->target));
}
