// SPDX-License-Identifier: Apache-2.0
// What kernels print (print_tko), under a line that names the launch.
#include "diff/machine.h"

#include <stdio.h>

static void write_output(void *data, const char *text, size_t size) {
    FpdKernelOutput *output = data;
    if (!output->last) { // the first of this launch
        if (output->machine->progress) fprintf(stderr, "\r\033[K");
        fprintf(output->machine->output, "%s, prints:\n", output->label);
    }
    fwrite(text, 1, size, output->machine->output);
    output->last = text[size - 1] ? text[size - 1] : ' ';
}

void fpd_output_open(FpdKernelOutput *output, const FpdMachine *machine, const char *label) {
    *output = (FpdKernelOutput){machine, label, 0};
    if (machine->output) rt_print_to(machine->device, write_output, output);
}

void fpd_output_close(FpdKernelOutput *output) {
    rt_print_to(output->machine->device, NULL, NULL);
    if (output->last && output->last != '\n') fputc('\n', output->machine->output);
    if (output->last) fflush(output->machine->output); // so that errors come after it
}
