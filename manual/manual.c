// SPDX-License-Identifier: Apache-2.0
#include "manual/manual.h"

#include <ctype.h>
#include <string.h>

const ManualValue *manual_keep_values(Arena *arena, const ManualValue *values) {
    size_t count = 0;
    while (values[count].words) count++;
    ManualValue *kept = arena_array(arena, ManualValue, count + 1);
    memcpy(kept, values, count * sizeof *kept);
    return kept;
}

const char *manual_words(Arena *arena, const Manual *manual, const ManualOption *option) {
    if (!option->value) return NULL;
    for (const ManualValue *row = manual->values; row->words; row++)
        if (!strcmp(row->value, option->value)) return row->words;
    // What values are called has capitals.
    if (isupper((unsigned char)*option->value)) return NULL;
    char *words = arena_text(arena, option->value, strlen(option->value));
    for (char *at = words; (at = strchr(at, '|'));) *at = ' ';
    return words;
}

bool manual_is_file(const ManualOption *option) {
    return option->value && !strcmp(option->value, "FILE");
}

bool manual_is_folder(const ManualOption *option) {
    return option->value && !strcmp(option->value, "DIR");
}

bool manual_is_list(const ManualOption *option) {
    return option->value && strstr(option->value, ",...");
}

const char *manual_suffix(const ManualCommand *command) {
    static const char *const suffixes[] = {".yaml", ".json"};
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++)
        if (strstr(command->usage, suffixes[i])) return suffixes[i];
    return NULL;
}
