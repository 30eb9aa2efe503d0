// SPDX-License-Identifier: Apache-2.0
#include "report/xml.h"

#include <assert.h>
#include <string.h>

// Characters that XML 1.0 has no way to write: control characters, and U+FFFE and U+FFFF.
static size_t unwritable(const uint8_t *at) {
    if (*at < 0x20 && *at != '\t' && *at != '\n' && *at != '\r') return 1;
    return at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe ? 3 : 0;
}

// Ends of lines and tabs of an attribute would be read as spaces, a carriage return anywhere as an end of line.
static const char *reference(char byte, bool in_attribute) {
    switch (byte) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\r': return "&#13;";
    case '\n': return in_attribute ? "&#10;" : NULL;
    case '\t': return in_attribute ? "&#9;" : NULL;
    default: return NULL;
    }
}

static void put_escaped(Buffer *out, const char *text, bool in_attribute) {
    for (const char *at = text; *at;) {
        const size_t left_out = unwritable((const uint8_t *)at);
        const char *instead = left_out ? "\xef\xbf\xbd" : reference(*at, in_attribute); // U+FFFD
        buffer_append(out, instead ? instead : at, instead ? strlen(instead) : 1);
        at += left_out ? left_out : 1;
    }
}

static void close_tag(XmlWriter *writer, const char *with) {
    if (writer->tag_is_open) buffer_print(writer->out, "%s", with);
    writer->tag_is_open = false;
}

void xml_begin_document(XmlWriter *writer) {
    buffer_print(writer->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

void xml_begin(XmlWriter *writer, const char *element) {
    assert(writer->depth < XML_DEPTH_MAX && !writer->has_text);
    close_tag(writer, ">\n");
    buffer_print(writer->out, "%*s<%s", (int)writer->depth, "", element);
    writer->elements[writer->depth++] = element;
    writer->tag_is_open = true;
}

void xml_attribute(XmlWriter *writer, const char *name, const char *value) {
    assert(writer->tag_is_open);
    buffer_print(writer->out, " %s=\"", name);
    put_escaped(writer->out, value, true);
    buffer_append(writer->out, "\"", 1);
}

void xml_text(XmlWriter *writer, const char *text) {
    close_tag(writer, ">");
    put_escaped(writer->out, text, false);
    writer->has_text = true;
}

void xml_end(XmlWriter *writer) {
    const char *element = writer->elements[--writer->depth];
    if (writer->tag_is_open)
        close_tag(writer, "/>\n");
    else
        buffer_print(writer->out, "%*s</%s>\n", writer->has_text ? 0 : (int)writer->depth, "", element);
    writer->has_text = false;
}
