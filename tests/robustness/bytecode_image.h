// SPDX-License-Identifier: Apache-2.0
// A bytecode file taken apart into its sections, so that changes in them keep their headers right.
#ifndef CONGRUENT_BYTECODE_IMAGE_H
#define CONGRUENT_BYTECODE_IMAGE_H

#include "compiler/tileir/format.h"
#include "tests/robustness/mutation.h"

enum { IMAGE_SECTIONS_MAX = 16, IMAGE_HEADER_BYTES = 12 };

typedef struct ImageSection {
    uint8_t id; // with the bit that says whether an alignment follows
    uint64_t alignment;
    size_t offset; // of the contents, in the file
    Buffer bytes;  // the contents
} ImageSection;
typedef struct Image {
    uint8_t header[IMAGE_HEADER_BYTES];
    uint32_t count;
    ImageSection sections[IMAGE_SECTIONS_MAX];
} Image;

// ---- mutate_bytes.c -------------------------------------------------------------------------------------------------

// False if the file is not a row of sections up to an end byte. The image must be closed in any case.
bool image_open(Image *image, const uint8_t *bytes, size_t size);
void image_write(const Image *image, Buffer *out);
void image_close(Image *image);
ImageSection *image_section(Image *image, uint8_t id); // NULL: there is none
bool image_take_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value);
void image_put_varint(Buffer *out, uint64_t value);
// Change some bytes at random; the second may change how many there are.
void image_change_bytes(Random *random, uint8_t *bytes, size_t size);
void image_change_range(Random *random, Buffer *bytes);
void image_replace_range(Buffer *bytes, size_t at, size_t removed, const void *added, size_t size);

// ---- mutate_records.c -----------------------------------------------------------------------------------------------

// Change an item of a table; change the records of ops in the last function, and drop the debug information. False if
// the file has none that could be changed.
bool mutate_table(Random *random, Image *image, const Image *other);
bool mutate_records(Arena *arena, Random *random, const CorpusFile *file, const CorpusFile *other, Buffer *out);

#endif
