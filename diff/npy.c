// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, versions 1 to 3: magic, version, header length, a Python dictionary with the keys descr,
// fortran_order and shape, then the data.
#include "diff/case.h"

#include <stdlib.h>
#include <string.h>

typedef struct NpyReader {
    Diagnostics *diagnostics;
    const FpdBuffer *buffer;
    const char *at, *end; // of the header
} NpyReader;

static bool npy_fail(NpyReader *r, const char *what) {
    return diag_fail(r->diagnostics, r->buffer->fill.at, E_CASE, "%s is not a .npy file this program reads: %s",
                     r->buffer->fill.file, what);
}

static void npy_skip(NpyReader *r) {
    while (r->at < r->end && strchr(" \t\n\r", *r->at) && *r->at) r->at++;
}

static bool npy_take(NpyReader *r, char c) {
    npy_skip(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool npy_string(NpyReader *r, char *text, size_t size) {
    npy_skip(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) return false;
    char quote = *r->at++;
    size_t length = 0;
    for (; r->at < r->end && *r->at != quote; r->at++)
        if (length + 1 < size) text[length++] = *r->at;
    text[length] = 0;
    return npy_take(r, quote);
}

// Whether elements of a file's dtype have the bits of the buffer's.
static bool npy_type_fits(ElementType type, const char *descr) {
    const char *names = element_info(type)->numpy;
    size_t length = strlen(descr);
    for (const char *at = names; length == 3 && (at = strstr(at, descr)); at++)
        if ((at == names || at[-1] == ' ') && (at[3] == ' ' || !at[3])) return true;
    return false;
}

static bool npy_shape(NpyReader *r, bool *equal) {
    uint32_t rank = 0;
    *equal = true;
    if (!npy_take(r, '(')) return false;
    while (!npy_take(r, ')')) {
        npy_skip(r);
        uint64_t size = 0;
        const char *first = r->at;
        for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && size < UINT64_C(1) << 40; r->at++)
            size = size * 10 + (*r->at - '0');
        if (r->at == first) return false;
        if (rank >= r->buffer->rank || size != (uint64_t)r->buffer->shape[rank]) *equal = false;
        if (rank < FPD_RANK_MAX) rank++; // a longer one differs already
        if (!npy_take(r, ',')) {
            if (!npy_take(r, ')')) return false;
            break;
        }
    }
    if (rank != r->buffer->rank) *equal = false;
    return true;
}

static bool npy_header(NpyReader *r) {
    char key[16], descr[16] = "";
    bool has_order = false, has_shape = false, equal = false;
    if (!npy_take(r, '{')) return npy_fail(r, "its header is no dictionary");
    while (!npy_take(r, '}')) {
        if (!npy_string(r, key, sizeof key) || !npy_take(r, ':')) return npy_fail(r, "its header cannot be read");
        npy_skip(r);
        size_t left = (size_t)(r->end - r->at);
        if (!strcmp(key, "descr")) {
            if (!npy_string(r, descr, sizeof descr)) return npy_fail(r, "its elements are structures");
        } else if (!strcmp(key, "fortran_order")) {
            if (left < 5 || strncmp(r->at, "False", 5)) return npy_fail(r, "it is in Fortran order");
            r->at += 5;
            has_order = true;
        } else if (!strcmp(key, "shape")) {
            if (!npy_shape(r, &equal)) return npy_fail(r, "its shape cannot be read");
            has_shape = true;
        } else {
            return npy_fail(r, "its header has an unknown key");
        }
        if (!npy_take(r, ',')) {
            if (!npy_take(r, '}')) return npy_fail(r, "its header cannot be read");
            break;
        }
    }
    if (!*descr || !has_order || !has_shape) return npy_fail(r, "its header lacks descr, fortran_order or shape");
    if (!npy_type_fits(r->buffer->type, descr))
        return diag_fail(r->diagnostics, r->buffer->fill.at, E_CASE,
                         "%s holds elements of type '%s', expected those of buffer %s, %s", r->buffer->fill.file, descr,
                         r->buffer->name, element_info(r->buffer->type)->name);
    if (!equal) {
        Buffer shape = {0};
        for (uint32_t d = 0; d < r->buffer->rank; d++)
            buffer_print(&shape, "%s%lld", d ? ", " : "", (long long)r->buffer->shape[d]);
        diag_fail(r->diagnostics, r->buffer->fill.at, E_CASE, "%s has another shape than buffer %s, expected [%s]",
                  r->buffer->fill.file, r->buffer->name, shape.data);
        buffer_free(&shape);
        return false;
    }
    return true;
}

bool fpd_read_npy(Diagnostics *diagnostics, const FpdBuffer *buffer, const uint8_t *file, size_t size,
                  const uint8_t **data) {
    NpyReader r = {diagnostics, buffer, NULL, NULL};
    if (size < 10) return npy_fail(&r, "it ends in its header");
    size_t before = file[6] == 1 ? 10 : 12;
    if (file[6] < 1 || file[6] > 3) return npy_fail(&r, "its version is not 1, 2 or 3");
    if (size < before) return npy_fail(&r, "it ends in its header");
    size_t length = file[8] | (size_t)file[9] << 8;
    if (before == 12) length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (length > size - before) return npy_fail(&r, "it ends in its header");
    r.at = (const char *)file + before;
    r.end = r.at + length;
    if (!npy_header(&r)) return false;
    if (size - before - length != buffer->bytes)
        return diag_fail(diagnostics, buffer->fill.at, E_CASE,
                         "%s holds %zu bytes of data, expected %llu for buffer %s", buffer->fill.file,
                         size - before - length, (unsigned long long)buffer->bytes, buffer->name);
    *data = file + before + length;
    return true;
}
