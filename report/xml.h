// SPDX-License-Identifier: Apache-2.0
// Writes XML 1.0 in UTF-8: elements with attributes, and text in elements that have nothing else. An element stands on
// a line of its own, a space further in than the one around it.
#ifndef CONGRUENT_REPORT_XML_H
#define CONGRUENT_REPORT_XML_H

#include "base/base.h"

enum { XML_DEPTH_MAX = 8 };
// `elements` are names that outlive the writer; deeper than XML_DEPTH_MAX nothing may be begun. Zeros but for `out`: as
// it begins.
typedef struct XmlWriter {
    Buffer *out;
    const char *elements[XML_DEPTH_MAX];
    unsigned depth;
    bool tag_is_open; // attributes may follow
    bool has_text;    // the element that is open
} XmlWriter;

void xml_begin_document(XmlWriter *writer);
void xml_begin(XmlWriter *writer, const char *element);
// Only before anything is in the element. A value or text has any bytes; what XML cannot write becomes U+FFFD.
void xml_attribute(XmlWriter *writer, const char *name, const char *value);
void xml_text(XmlWriter *writer, const char *text);
void xml_end(XmlWriter *writer);

#endif
