// SPDX-License-Identifier: Apache-2.0
// The functions that emitted code calls: rules with tables or with loops of their own length in every lane.
#include "sanitizer/tower_internal.h"

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static TowerPayload load_lane(const uint32_t *values, uint32_t lanes, uint32_t lane) {
    TowerPayload a;
    for (unsigned i = 0; i < TOWER_LENGTH; i++) a.component[i] = values[i * lanes + lane];
    a.state = values[TOWER_LENGTH * lanes + lane];
    return a;
}

static void store_lane(uint32_t *values, uint32_t lanes, uint32_t lane, TowerPayload a) {
    for (unsigned i = 0; i < TOWER_LENGTH; i++) values[i * lanes + lane] = a.component[i];
    values[TOWER_LENGTH * lanes + lane] = a.state;
}

EXPORTED void congruent_tower_powi(uint32_t tower, uint32_t lanes, const uint32_t *a, const int32_t *exponents,
                                   uint32_t *result) {
    const Tower *t = tower_chain(tower);
    for (uint32_t lane = 0; lane < lanes; lane++)
        store_lane(result, lanes, lane, tower_powi(t, load_lane(a, lanes, lane), exponents[lane]));
}

#define BINARY(name)                                                                                                   \
    EXPORTED void congruent_tower_##name(uint32_t tower, uint32_t lanes, const uint32_t *a, const uint32_t *b,         \
                                         const int32_t *ieee_signs, uint32_t *result) {                                \
        const Tower *t = tower_chain(tower);                                                                           \
        for (uint32_t lane = 0; lane < lanes; lane++)                                                                  \
            store_lane(result, lanes, lane,                                                                            \
                       tower_##name(t, load_lane(a, lanes, lane), load_lane(b, lanes, lane), ieee_signs[lane]));       \
    }
#define UNARY(name)                                                                                                    \
    EXPORTED void congruent_tower_##name(uint32_t tower, uint32_t lanes, const uint32_t *a, uint32_t *result) {        \
        const Tower *t = tower_chain(tower);                                                                           \
        for (uint32_t lane = 0; lane < lanes; lane++)                                                                  \
            store_lane(result, lanes, lane, tower_##name(t, load_lane(a, lanes, lane)));                               \
    }
BINARY(pow)
BINARY(mul)
BINARY(div)
UNARY(sqrt)
UNARY(rsqrt)

EXPORTED const void *congruent_tower_tables(uint32_t chain, uint32_t function) {
    return tower_tables(chain, (TowerTable)function);
}

void *tower_runtime_address(const char *name) {
    static const struct {
        const char *name;
        void *address;
    } functions[] = {{"congruent_tower_pow", (void *)congruent_tower_pow},
                     {"congruent_tower_powi", (void *)congruent_tower_powi},
                     {"congruent_tower_mul", (void *)congruent_tower_mul},
                     {"congruent_tower_div", (void *)congruent_tower_div},
                     {"congruent_tower_sqrt", (void *)congruent_tower_sqrt},
                     {"congruent_tower_rsqrt", (void *)congruent_tower_rsqrt},
                     {"congruent_tower_tables", (void *)congruent_tower_tables}};
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].name, name)) return functions[i].address;
    return NULL;
}
