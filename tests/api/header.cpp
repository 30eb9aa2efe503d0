// SPDX-License-Identifier: Apache-2.0
// congruent.h from C++.
#include <congruent.h>

#include <cstring>

int main() {
    CongruentCall call = {};
    const char *words[] = {"--version"};
    call.words = words;
    call.word_count = 1;
    Congruent *congruent = congruent_open();
    CongruentResult *result = congruent_call(congruent, &call);
    const bool good =
        congruent_status(result) == 0 && std::strstr(congruent_text(result, CONGRUENT_OUTPUT), congruent_version());
    congruent_result_free(result);
    congruent_close(congruent);
    return good && congruent_interface() == CONGRUENT_INTERFACE ? 0 : 1;
}
