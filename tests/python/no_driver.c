// SPDX-License-Identifier: Apache-2.0
// A driver of CUDA that does nothing, for what cuTile asks of one before it looks at arguments.
#include <stdint.h>
#include <string.h>

enum { HAS_CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, MAJOR = 75, VERSION = 13040 };

static int nothing(void) {
    return 0;
}

static int version(int *value) {
    *value = VERSION;
    return 0;
}

static int pointer_attribute(void *value, int attribute, uint64_t pointer) {
    if (attribute == DEVICE_ORDINAL)
        *(int *)value = 0;
    else
        *(uint64_t *)value = pointer;
    return 0;
}

static int context(void **value) {
    *value = (void *)(intptr_t)HAS_CONTEXT;
    return 0;
}

static int zero(int *value) {
    *value = 0;
    return 0;
}

static int device_attribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == MAJOR ? 10 : 0;
    return 0;
}

int cuGetProcAddress_v2(const char *name, void **function, int since, uint64_t flags, int *status) {
    const struct {
        const char *name;
        void *function;
    } known[] = {{"cuDriverGetVersion", (void *)version},      {"cuPointerGetAttribute", (void *)pointer_attribute},
                 {"cuCtxGetCurrent", (void *)context},         {"cuDevicePrimaryCtxRetain", (void *)context},
                 {"cuDeviceGetCount", (void *)zero},           {"cuCtxGetDevice", (void *)zero},
                 {"cuDeviceGet", (void *)zero},                {"cuDeviceGetAttribute", (void *)device_attribute}};
    (void)since, (void)flags;
    *function = (void *)nothing;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(name, known[i].name)) *function = known[i].function;
    if (status) *status = 0;
    return 0;
}
