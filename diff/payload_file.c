// SPDX-License-Identifier: Apache-2.0
// What `fpdiff run --payload` writes of a buffer of floats: 24 bytes for each element, little-endian (docs/fpdiff.md).
#include "diff/report.h"

// words: four components, the state, flags
enum { WORD_STATE = TOWER_LENGTH, WORD_FLAGS, WORDS };
_Static_assert(WORDS * sizeof(uint32_t) == FPD_PAYLOAD_SIZE, "the layout is documented");

static void element_words(const FpdCase *cas, const FpdBuffer *buffer, uint64_t bits, const HostRecord *record,
                          uint32_t *words) {
    bool valid = record && record->state & HOST_RECORD_VALID;
    TowerPayload outside = {{0}, 0};
    if (!valid) outside = tower_embed(tower_chain(cas->chain), element_format(buffer->type), bits);
    for (unsigned i = 0; i < TOWER_LENGTH; i++) words[i] = valid ? record->component[i] : outside.component[i];
    words[WORD_STATE] = valid ? record->state & ~HOST_RECORD_VALID : outside.state;
    words[WORD_FLAGS] = valid ? (fpd_was_stored(record) ? FPD_PAYLOAD_STORED : FPD_PAYLOAD_LITERAL) : 0;
}

void fpd_print_payloads(const FpdCase *cas, const FpdBuffer *buffer, const uint8_t *bytes, const HostRecord *records,
                        Buffer *out) {
    for (uint64_t e = 0; e < buffer->elements; e++) {
        uint32_t words[WORDS];
        uint8_t text[FPD_PAYLOAD_SIZE];
        element_words(cas, buffer, fpd_element_bits(buffer->type, bytes, e), records ? &records[e] : NULL, words);
        for (unsigned i = 0; i < FPD_PAYLOAD_SIZE; i++) text[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
        buffer_append(out, text, sizeof text);
    }
}
