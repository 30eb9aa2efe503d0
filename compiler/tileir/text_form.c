// SPDX-License-Identifier: Apache-2.0
// Reading the markers of a text form.
#include "compiler/tileir/text_form.h"

bool tir_is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

TirMarker tir_take_marker(const char **at) {
    TirMarker marker = {.marker = *(*at)++};
    if (marker.marker == '^' && (**at == '1' || **at == '=')) marker.mode = *(*at)++;
    marker.name = *at;
    while (tir_is_name_char(**at)) (*at)++;
    marker.length = (size_t)(*at - marker.name);
    return marker;
}
