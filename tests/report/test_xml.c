// SPDX-License-Identifier: Apache-2.0
#include "report/xml.h"

#include <criterion/criterion.h>

Test(xml, elements_attributes_and_text) {
    Buffer out = {0};
    XmlWriter writer = {.out = &out};
    xml_begin_document(&writer);
    xml_begin(&writer, "a");
    xml_attribute(&writer, "n", "1 < 2 & \"x\"\n\t\r'");
    xml_begin(&writer, "empty");
    xml_end(&writer);
    xml_begin(&writer, "words");
    xml_attribute(&writer, "n", "");
    xml_text(&writer, "1 > 2 & \"x\"\n\t\r'\n");
    xml_end(&writer);
    xml_begin(&writer, "b");
    xml_begin(&writer, "c");
    xml_end(&writer);
    xml_end(&writer);
    xml_end(&writer);
    cr_assert_str_eq(out.data, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<a n=\"1 &lt; 2 &amp; &quot;x&quot;&#10;&#9;&#13;'\">\n"
                               " <empty/>\n"
                               " <words n=\"\">1 &gt; 2 &amp; &quot;x&quot;\n\t&#13;'\n</words>\n"
                               " <b>\n"
                               "  <c/>\n"
                               " </b>\n"
                               "</a>\n");
    buffer_free(&out);
}

// Control characters, U+FFFE and U+FFFF become U+FFFD; U+FFFD, U+FF3F and other characters stay.
Test(xml, what_cannot_be_written) {
    Buffer out = {0};
    XmlWriter writer = {.out = &out};
    xml_begin(&writer, "a");
    xml_text(&writer, "\x01"
                      "b\x1f\x7f \xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xef\xbc\xbf \xc3\xa9");
    xml_end(&writer);
    cr_assert_str_eq(out.data, "<a>\xef\xbf\xbd"
                               "b\xef\xbf\xbd\x7f \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbc\xbf \xc3\xa9</a>\n");
    buffer_free(&out);
}
