// SPDX-License-Identifier: Apache-2.0
// Texts that the verifier has seen. A file can use one long string in very many places: each is looked at once.
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>
#include <stdio.h>

typedef char TextKey[48];

static const char *address_key(TextKey key, const char *text, size_t length) {
    snprintf(key, sizeof(TextKey), "%" PRIxPTR ".%zx", (uintptr_t)text, length);
    return key;
}

const char *verify_text_key(Verifier *v, const char *text) {
    TextKey key;
    uint64_t number;
    address_key(key, text, 0);
    if (!map_find(&v->addresses, key, &number)) {
        if (!map_find(&v->contents, text, &number)) {
            number = v->contents.count;
            map_insert(&v->contents, &v->scratch, text, number);
        }
        map_insert(&v->addresses, &v->scratch, key, number);
    }
    return arena_format(&v->texts, "%" PRIu64, number);
}

bool verify_text_measured(Verifier *v, const char *text, size_t length, uint64_t *measure) {
    TextKey key;
    return map_find(&v->measures, address_key(key, text, length), measure);
}

void verify_text_measure(Verifier *v, const char *text, size_t length, uint64_t measure) {
    TextKey key;
    map_insert(&v->measures, &v->scratch, address_key(key, text, length), measure);
}
