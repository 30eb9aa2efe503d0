// SPDX-License-Identifier: Apache-2.0
// The style and the script of the page that write_html.c writes: the files of report/page, which embed.cmake makes C
// of.
#ifndef CONGRUENT_REPORT_PAGE_H
#define CONGRUENT_REPORT_PAGE_H

extern const char report_page_style[], report_page_script[];

#endif
