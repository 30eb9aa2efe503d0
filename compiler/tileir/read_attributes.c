// SPDX-License-Identifier: Apache-2.0
// Attributes of ops, tagged attributes and section Constant of the bytecode.
#include "compiler/tileir/read_internal.h"

enum { FEW_ENTRIES = 8 };

// ---- constants ----------------------------------------

// table8 of: varint byte length, raw bytes
bool read_constant_section(Cursor *cursor) {
    Reader *reader = cursor->reader;
    ReadTable table;
    if (!read_table(cursor, 8, "the number of constants", &table)) return false;
    reader->tables->constants_padded = !table.count && bytes_left(cursor);
    Arena *arena = &reader->module->arena;
    reader->tables->constant_count = (uint32_t)table.count;
    reader->tables->constants = arena_array(arena, TirConstant, table.count);
    size_t size = bytes_left(&table.cursor), base = table.cursor.offset;
    uint8_t *copy = arena_alloc(arena, size);
    if (size) memcpy(copy, table.cursor.data + base, size);
    for (uint64_t i = 0; i < table.count; i++) {
        Cursor item;
        uint64_t length;
        if (!table_item(&table, i, &item)) return false;
        if (!read_count(&item, 1, &length, "the byte length of a constant")) return false;
        reader->tables->constants[i] = (TirConstant){copy + (item.offset - base), length, (uint32_t)i};
    }
    return true;
}

// Either all elements or one; booleans are packed, and up to 8 of them always take the one byte.
static bool constant_fits(TirTypeKind element, uint64_t elements, size_t size) {
    if (element == TIR_TYPE_i1) return size == (elements + 7) / 8 || size == 1;
    size_t bytes = (tir_type_rows[element].bits + 7) / 8;
    return size == elements * bytes || size == bytes;
}

bool read_constant(Cursor *cursor, TirType type, TirConstant *constant) {
    const Reader *reader = cursor->reader;
    const TirModule *module = reader->module;
    size_t begin = cursor->offset;
    uint64_t index;
    if (!read_varint(cursor, &index, "a constant")) return false;
    if (index >= reader->tables->constant_count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "constant %llu is used, but there are %u",
                         (unsigned long long)index, reader->tables->constant_count);
    *constant = reader->tables->constants[index];
    if (tir_type(module, type)->kind != TIR_TYPE_tile)
        return READ_FAIL(cursor, begin, E_BYTECODE, "a constant of %s, expected a tile",
                         tir_type_rows[tir_type(module, type)->kind].name);
    TirTypeKind element = tir_tile_element_kind(module, type);
    if (element == TIR_TYPE_ptr || element == TIR_TYPE_i4)
        return READ_FAIL(cursor, begin, E_BYTECODE, "a constant of %s elements, expected numbers other than i4",
                         tir_type_rows[element].name);
    uint64_t elements = (uint64_t)tir_tile_elements(module, type);
    if (constant_fits(element, elements, constant->size)) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "constant %llu has %zu bytes, expected %llu elements of %s or one",
                     (unsigned long long)index, constant->size, (unsigned long long)elements,
                     tir_type_rows[element].name);
}

// ---- tagged attributes ----------------------------------------

// The bits of an integer or float must fit its width.
static bool bits_fit(Cursor *cursor, size_t begin, uint64_t value, TirTypeKind kind) {
    unsigned bits = tir_type_rows[kind].bits;
    if (bits >= 64 || value >> bits == 0) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "value 0x%llx does not fit %s", (unsigned long long)value,
                     tir_type_rows[kind].name);
}

static bool read_number_type(Cursor *cursor, TirTypeClass class, TirAttribute *attribute, TirTypeKind *kind) {
    size_t begin = cursor->offset;
    if (!read_type(cursor, &attribute->type, "the type of an attribute")) return false;
    *kind = tir_type(cursor->reader->module, attribute->type)->kind;
    if (tir_type_rows[*kind].class == class) return true;
    return READ_FAIL(cursor, begin, E_BYTECODE, "an attribute of type %s, expected %s", tir_type_rows[*kind].name,
                     class == TIR_CLASS_FLOAT ? "a float" : "an integer");
}

// type, then a varint; i1: one byte
static bool read_integer_attribute(Cursor *cursor, TirAttribute *attribute) {
    TirTypeKind kind;
    if (!read_number_type(cursor, TIR_CLASS_INTEGER, attribute, &kind)) return false;
    size_t begin = cursor->offset;
    uint8_t byte;
    if (kind == TIR_TYPE_i1) {
        if (!read_byte(cursor, &byte, "an i1 attribute")) return false;
        attribute->integer = byte != 0;
        return true;
    }
    return read_varint(cursor, &attribute->integer, "an integer attribute") &&
           bits_fit(cursor, begin, attribute->integer, kind);
}

// type, then the bits: one byte up to 8 bits, else as a signed varint
static bool read_float_attribute(Cursor *cursor, TirAttribute *attribute) {
    TirTypeKind kind;
    if (!read_number_type(cursor, TIR_CLASS_FLOAT, attribute, &kind)) return false;
    size_t begin = cursor->offset;
    if (tir_type_rows[kind].bits <= 8) {
        uint8_t byte;
        if (!read_byte(cursor, &byte, "a float attribute")) return false;
        attribute->integer = byte;
    } else {
        int64_t bits;
        if (!read_svarint(cursor, &bits, "a float attribute")) return false;
        attribute->integer = (uint64_t)bits;
        bool long_form = cursor->offset - begin == 10 && cursor->data[cursor->offset - 1] & 2;
        if (kind == TIR_TYPE_f64 && long_form) attribute->flags = FLOAT_LONG;
    }
    return bits_fit(cursor, begin, attribute->integer, kind);
}

// varint count, items of fixed width, little endian, sign-extended; one byte: a bool, true unless it is 0
static bool read_number_list(Cursor *cursor, size_t width, TirAttribute *attribute) {
    uint64_t count;
    if (!read_count(cursor, width, &count, "the length of a list")) return false;
    const uint8_t *bytes = read_bytes(cursor, count * width, "a list");
    if (!bytes) return false;
    int64_t *numbers = arena_array(&cursor->reader->module->arena, int64_t, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = little_endian(bytes + i * width, width);
        numbers[i] = width == 1 ? value != 0 : width == 4 ? (int32_t)value : (int64_t)value;
    }
    attribute->numbers = numbers;
    attribute->length = count;
    return true;
}

// varint count, tagged items. They grow as they come: inner ones could each claim all the bytes that are left.
static bool read_array_attribute(Cursor *cursor, TirAttribute *attribute, uint32_t depth) {
    uint64_t count;
    size_t length = 0, capacity = 0;
    TirAttribute *items = NULL;
    if (!read_count(cursor, 2, &count, "the length of an array attribute")) return false;
    while (length < count) {
        TirAttribute item = {0};
        if (!read_tagged_attribute(cursor, &item, depth + 1)) return false;
        items = arena_grow(&cursor->reader->module->arena, items, length, &capacity, sizeof *items);
        items[length++] = item;
    }
    attribute->items = items;
    attribute->length = length;
    return true;
}

// A dictionary being read. Its entries grow as they come: inner ones could each claim all the bytes that are left.
typedef struct DictionaryReader {
    bool of_dictionaries;
    uint32_t depth;
    TirNamedAttribute *entries;
    size_t count, capacity;
    Map keys;      // from FEW_ENTRIES on
    Arena scratch; // of the keys: the names of all dictionaries together could be many times the file
} DictionaryReader;

// Whether the key was not there before.
static bool key_is_new(DictionaryReader *reader, const char *key) {
    const TirNamedAttribute *entries = reader->entries;
    size_t count = reader->count;
    if (count >= FEW_ENTRIES) {
        for (size_t i = 0; count == FEW_ENTRIES && i < count; i++)
            map_insert(&reader->keys, &reader->scratch, entries[i].name, i);
        return map_insert(&reader->keys, &reader->scratch, key, count);
    }
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entries[i].name, key)) return false;
    return true;
}

static bool read_entry(Cursor *cursor, DictionaryReader *reader) {
    size_t begin = cursor->offset;
    TirNamedAttribute entry = {0};
    if (!read_name(cursor, &entry.name, "the key of a dictionary")) return false;
    if (!key_is_new(reader, entry.name))
        return READ_FAIL(cursor, begin, E_BYTECODE, "key '%s' is twice in a dictionary", entry.name);
    if (!read_tagged_attribute(cursor, &entry.value, reader->depth + 1)) return false;
    if (reader->of_dictionaries && entry.value.tag != TIR_TAG_DICTIONARY)
        return READ_FAIL(cursor, begin, E_BYTECODE, "optimization hint '%s' has tag %d, expected a dictionary",
                         entry.name, entry.value.tag);
    reader->entries = arena_grow(&cursor->reader->module->arena, reader->entries, reader->count, &reader->capacity,
                                 sizeof *reader->entries);
    reader->entries[reader->count++] = entry;
    return true;
}

// varint count, (string key, tagged value)*
static bool read_dictionary(Cursor *cursor, bool of_dictionaries, TirAttribute *attribute, uint32_t depth) {
    uint64_t count;
    if (!read_count(cursor, 3, &count, "the length of a dictionary")) return false;
    DictionaryReader reader = {.of_dictionaries = of_dictionaries, .depth = depth};
    bool good = true;
    while (good && reader.count < count) good = read_entry(cursor, &reader);
    arena_reset(&reader.scratch);
    attribute->entries = reader.entries;
    attribute->length = count;
    return good;
}

static bool read_hints(Cursor *cursor, TirAttribute *attribute) {
    return read_dictionary(cursor, true, attribute, 0);
}

// Which of two optional numbers follow.
static bool read_presence(Cursor *cursor, TirAttribute *attribute, const char *what) {
    uint64_t flags;
    if (!read_limited(cursor, 3, &flags, what)) return false;
    attribute->flags = (uint8_t)flags;
    return true;
}

// varint divisor, flags, svarint each that is present
static bool read_div_by(Cursor *cursor, TirAttribute *attribute) {
    int64_t *numbers = arena_array(&cursor->reader->module->arena, int64_t, 3);
    uint64_t divisor;
    if (!read_varint(cursor, &divisor, "the divisor of div_by")) return false;
    if (!read_presence(cursor, attribute, "the flags of div_by")) return false;
    numbers[0] = (int64_t)divisor;
    numbers[1] = numbers[2] = -1;
    if (attribute->flags & EVERY_FLAG && !read_svarint(cursor, &numbers[1], "'every' of div_by")) return false;
    if (attribute->flags & ALONG_FLAG && !read_svarint(cursor, &numbers[2], "'along' of div_by")) return false;
    attribute->numbers = numbers;
    attribute->length = 3;
    return true;
}

// flags, svarint each bound that is present
static bool read_bounded(Cursor *cursor, TirAttribute *attribute) {
    int64_t *numbers = arena_array(&cursor->reader->module->arena, int64_t, 2);
    if (!read_presence(cursor, attribute, "the flags of bounded")) return false;
    if (attribute->flags & LOWER_FLAG && !read_svarint(cursor, &numbers[0], "the lower bound")) return false;
    if (attribute->flags & UPPER_FLAG && !read_svarint(cursor, &numbers[1], "the upper bound")) return false;
    attribute->numbers = numbers;
    attribute->length = 2;
    return true;
}

static bool read_bool(Cursor *cursor, TirAttribute *attribute) {
    uint8_t byte;
    if (!read_byte(cursor, &byte, "a bool attribute")) return false;
    attribute->integer = byte != 0;
    return true;
}

static bool read_reduction(Cursor *cursor, TirAttribute *attribute, size_t begin) {
    const uint16_t version = cursor->reader->module->version;
    if (version < SINCE_REDUCTION_ATTRIBUTES)
        return READ_FAIL(cursor, begin, E_VERSION, "attribute tag %d needs version %u.%u, the file is %u.%u",
                         TIR_TAG_REDUCTION, SINCE_REDUCTION_ATTRIBUTES / 100, SINCE_REDUCTION_ATTRIBUTES % 100,
                         version / 100, version % 100);
    return read_word(cursor, &tir_enum_multimem_reduction, "multimem_reduction_kind", &attribute->integer);
}

bool read_tagged_attribute(Cursor *cursor, TirAttribute *attribute, uint32_t depth) {
    size_t begin = cursor->offset;
    uint64_t tag;
    if (!read_varint(cursor, &tag, "the tag of an attribute")) return false;
    bool nests = tag == TIR_TAG_ARRAY || tag == TIR_TAG_DICTIONARY || tag == TIR_TAG_HINTS;
    if (nests && depth >= TIR_ATTRIBUTE_DEPTH_MAX)
        return READ_FAIL(cursor, begin, E_BYTECODE, "attributes are nested too deeply");
    attribute->present = true;
    attribute->tag = (TirTag)tag;
    switch (tag) {
    case TIR_TAG_INTEGER: return read_integer_attribute(cursor, attribute);
    case TIR_TAG_FLOAT: return read_float_attribute(cursor, attribute);
    case TIR_TAG_BOOL: return read_bool(cursor, attribute);
    case TIR_TAG_TYPE: return read_type(cursor, &attribute->type, "a type attribute");
    case TIR_TAG_STRING: return read_string(cursor, &attribute->text, &attribute->length, "a string attribute");
    case TIR_TAG_ARRAY: return read_array_attribute(cursor, attribute, depth);
    case TIR_TAG_DIV_BY: return read_div_by(cursor, attribute);
    case TIR_TAG_SAME_ELEMENTS: return read_number_list(cursor, 8, attribute);
    case TIR_TAG_DICTIONARY: return read_dictionary(cursor, false, attribute, depth);
    case TIR_TAG_HINTS: return read_dictionary(cursor, true, attribute, depth);
    case TIR_TAG_BOUNDED: return read_bounded(cursor, attribute);
    case TIR_TAG_REDUCTION: return read_reduction(cursor, attribute, begin);
    default:
        return READ_FAIL(cursor, begin, E_BYTECODE, "attribute tag %llu, expected 1 to 6 or 8 to 13",
                         (unsigned long long)tag);
    }
}

// ---- attributes of ops ----------------------------------------

bool read_word(Cursor *cursor, const TirEnum *enumeration, const char *what, uint64_t *value) {
    size_t begin = cursor->offset;
    if (!read_varint(cursor, value, what)) return false;
    if (*value >= enumeration->count)
        return READ_FAIL(cursor, begin, E_BYTECODE, "%s is %llu, expected 0 to %u", what, (unsigned long long)*value,
                         enumeration->count - 1);
    const uint16_t since = tir_enum_since(enumeration, *value), version = cursor->reader->module->version;
    return since <= version ||
           READ_FAIL(cursor, begin, E_VERSION, "%s '%s' needs version %u.%u, the file is %u.%u", what,
                     tir_enum_word(enumeration, *value), since / 100, since % 100, version / 100, version % 100);
}

bool read_op_attribute(Cursor *cursor, const TirAttributeInfo *info, TirType result, TirAttribute *attribute) {
    attribute->present = true;
    switch (info->kind) {
    case TIR_ATTR_UNIT: attribute->integer = 1; return true;
    case TIR_ATTR_BOOL: return read_bool(cursor, attribute);
    case TIR_ATTR_ENUM: return read_word(cursor, info->enumeration, info->name, &attribute->integer);
    case TIR_ATTR_I32: return read_limited(cursor, UINT32_MAX, &attribute->integer, info->name);
    case TIR_ATTR_I64: return read_varint(cursor, &attribute->integer, info->name);
    case TIR_ATTR_STRING:
        if (info->symbol)
            return read_name(cursor, &attribute->text, info->name) &&
                   (attribute->length = strlen(attribute->text), true);
        return read_string(cursor, &attribute->text, &attribute->length, info->name);
    case TIR_ATTR_I32_ARRAY: return read_number_list(cursor, 4, attribute);
    case TIR_ATTR_BOOL_ARRAY: return read_number_list(cursor, 1, attribute);
    case TIR_ATTR_ARRAY: return read_array_attribute(cursor, attribute, 0);
    case TIR_ATTR_HINTS: return read_hints(cursor, attribute);
    case TIR_ATTR_CONSTANT: return read_constant(cursor, result, &attribute->constant);
    case TIR_ATTR_TAGGED: return read_tagged_attribute(cursor, attribute, 0);
    }
    return false;
}
