// SPDX-License-Identifier: Apache-2.0
// Shadow memory: where the records of floats in buffers are (host_abi.h), and making them invalid.
#include "runtime/shadow_words.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

// Records are read before they are written: a page that was never written costs no memory.
static void invalidate_bytes(const HostShadow *shadow, uint32_t widths, uint64_t begin, uint64_t size) {
    if (!size) return;
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++) {
        if (!(widths >> k & 1)) continue;
        for (uint64_t i = begin >> k; i <= (begin + size - 1) >> k; i++) {
            uint32_t *state = word_at(shadow, k, 0, i << k);
            if (__atomic_load_n(state, __ATOMIC_RELAXED)) __atomic_store_n(state, 0, __ATOMIC_RELAXED);
        }
    }
}

static uint8_t *byte_at(const HostShadow *shadow, uint64_t address) {
    return (uint8_t *)(uintptr_t)(shadow->bytes + address);
}

static void set_bytes(const HostShadow *shadow, uint64_t begin, uint64_t size, HostByte byte) {
    for (uint64_t i = 0; i < size; i++) __atomic_store_n(byte_at(shadow, begin + i), (uint8_t)byte, __ATOMIC_RELAXED);
}

static void forget(const HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes, const uint64_t *addresses,
                   uint64_t mask) {
    for (uint32_t i = 0; i < lanes; i++)
        if (mask >> i & 1) {
            invalidate_bytes(shadow, widths, addresses[i], bytes);
            if (widths & HOST_MAY_BE_UNSPECIFIED) set_bytes(shadow, addresses[i], bytes, HOST_BYTE_WRITTEN);
        }
}

// ---- what nobody specified ------------------------------------------------------------------------------------------

enum {
    ORIGIN_COMPONENT = 3, // who made what is poison
    WORD_WIDTH = 2,       // of floats of four bytes
    ORIGIN = offsetof(HostRecord, component[ORIGIN_COMPONENT]) / sizeof(uint32_t)
};

// Of a record, or of a byte without one. Only records of towers and of degrees can be poison.
static uint32_t origin_at(const HostShadow *shadow, unsigned width, uint64_t address) {
    uint32_t word = __atomic_load_n(word_at(shadow, width, ORIGIN, address), __ATOMIC_RELAXED);
    return word & host_component_mask(HOST_RECORDS_OF_TOWERS, ORIGIN_COMPONENT);
}

static void spoil(const HostShadow *shadow, uint32_t widths, uint64_t bytes, uint32_t lanes, const uint64_t *addresses,
                  uint64_t mask, const uint32_t *origins) {
    for (uint32_t i = 0; i < lanes; i++) {
        if (!(mask >> i & 1)) continue;
        invalidate_bytes(shadow, widths, addresses[i], bytes);
        set_bytes(shadow, addresses[i], bytes, HOST_BYTE_UNSPECIFIED);
        for (uint64_t at = 0; at < bytes; at++)
            __atomic_store_n(word_at(shadow, 0, ORIGIN, addresses[i] + at), origins[i], __ATOMIC_RELAXED);
    }
}

static const HostUnfilled *unfilled_at(const HostShadow *shadow, uint64_t address) {
    uint64_t low = 0, high = shadow->unfilled_count; // those below `low` begin at or before the address
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (shadow->unfilled[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < shadow->unfilled[low - 1].end ? &shadow->unfilled[low - 1] : NULL;
}

// A float with a record may cover the byte; then its state says what is in it.
static bool byte_is_unspecified(const HostShadow *shadow, uint32_t widths, uint64_t address, uint32_t *origin) {
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++) {
        if (!(widths >> k & 1)) continue;
        uint64_t first = address >> k << k;
        uint32_t state = __atomic_load_n(word_at(shadow, k, 0, first), __ATOMIC_RELAXED);
        if (!(state & HOST_RECORD_VALID)) continue;
        *origin = origin_at(shadow, k, first);
        return state & HOST_RECORD_POISON;
    }
    uint8_t byte = __atomic_load_n(byte_at(shadow, address), __ATOMIC_RELAXED);
    const HostUnfilled *unfilled = byte == HOST_BYTE_INITIAL ? unfilled_at(shadow, address) : NULL;
    *origin = unfilled ? unfilled->origin : byte == HOST_BYTE_UNSPECIFIED ? origin_at(shadow, 0, address) : 0;
    return unfilled || byte == HOST_BYTE_UNSPECIFIED;
}

static uint64_t find_unspecified(const HostShadow *shadow, uint32_t widths, uint32_t bytes, uint32_t lanes,
                                 const uint64_t *addresses, uint64_t mask, uint32_t *origins) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        origins[i] = 0;
        for (uint32_t at = 0; mask >> i & 1 && at < bytes && !(found >> i & 1); at++)
            if (byte_is_unspecified(shadow, widths, addresses[i] + at, &origins[i])) found |= UINT64_C(1) << i;
    }
    return found;
}

// The arrays of a width follow one another, those of the next width behind them.
bool rt_shadow_open(RtShadow *shadow, const uint8_t *begin, size_t size, size_t page) {
    assert(size % (8 * page) == 0);
    uint64_t total = 0, starts[HOST_SHADOW_WIDTHS];
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++) {
        starts[k] = total;
        total += (uint64_t)(size >> k) * sizeof(HostRecord);
    }
    const uint64_t bytes = total;
    total += size;
    void *base = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    madvise(base, total, MADV_NOHUGEPAGE); // memory for what is written, not for two megabytes around it
    madvise(base, total, MADV_DONTDUMP);
    *shadow = (RtShadow){.abi = {.plane_bytes = size * sizeof(uint32_t),
                                 .forget = forget,
                                 .spoil = spoil,
                                 .unspecified = find_unspecified},
                         .base = base,
                         .size = total,
                         .page = page};
    uint64_t origin = (uint64_t)(uintptr_t)begin;
    shadow->abi.bytes = (uint64_t)(uintptr_t)base + bytes - origin;
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        shadow->abi.planes[k] = (uint64_t)(uintptr_t)base + starts[k] - (origin >> k) * sizeof(uint32_t);
    return true;
}

void rt_shadow_close(RtShadow *shadow) {
    if (shadow->base) munmap(shadow->base, shadow->size);
    *shadow = (RtShadow){0};
}

// The pages that hold one word of the records of a buffer's floats.
typedef struct PageSpan {
    uint8_t *begin;
    size_t size;
} PageSpan;

// No other buffer has a part in them: a page of words stands for at most two pages of addresses (floats of 8 bytes),
// and there is an unmapped one between any two buffers.
static PageSpan word_pages(const RtShadow *shadow, const RtBuffer *buffer, unsigned width, unsigned word) {
    uint64_t begin = (uint64_t)(uintptr_t)word_at(&shadow->abi, width, word, buffer->address);
    uint64_t last = buffer->address + (buffer->size ? buffer->size - 1 : 0);
    uint64_t end = (uint64_t)(uintptr_t)word_at(&shadow->abi, width, word, last) + sizeof(uint32_t);
    begin = begin / shadow->page * shadow->page;
    end = (end + shadow->page - 1) / shadow->page * shadow->page;
    return (PageSpan){(uint8_t *)(uintptr_t)begin, end - begin};
}

static PageSpan byte_pages(const RtShadow *shadow, const RtBuffer *buffer) {
    uint64_t begin = shadow->abi.bytes + buffer->address, end = begin + buffer->size;
    begin = begin / shadow->page * shadow->page;
    end = (end + shadow->page - 1) / shadow->page * shadow->page;
    return (PageSpan){(uint8_t *)(uintptr_t)begin, end - begin};
}

static unsigned count_words(const RtBuffer *buffer, unsigned width) {
    unsigned count = 0;
    for (unsigned word = 0; word < HOST_RECORD_WORDS; word++) count += keeps_word(buffer, width, word);
    return count;
}

// Tiles have few elements of a row, and seven words for each, all of them in other pages: kernels waited for the
// translation of addresses. So words are in huge pages, where the buffer has at least half of one. Not those of larger
// buffers, in which a kernel may store a float here and there.
enum { HUGE_PAGE = 2 << 20, HUGE_SPAN_MAX = 16 << 20 };

static void use_huge_pages(const PageSpan *span) {
    const uintptr_t first = (uintptr_t)span->begin, begin = (first + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE,
                    end = (first + span->size + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE;
    if (span->size <= HUGE_SPAN_MAX && begin < end) // a wish: else they are ordinary pages
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void rt_shadow_expect(const RtShadow *shadow, RtBuffer *buffer, uint32_t widths) {
    const uint32_t known = buffer->widths | buffer->kept_widths;
    for (unsigned k = 0; shadow->base && k < HOST_SHADOW_WIDTHS; k++)
        for (unsigned word = 0; (widths & ~known) >> k & 1 && word < HOST_RECORD_WORDS; word++) {
            const PageSpan span = word_pages(shadow, buffer, k, word);
            if (keeps_word(buffer, k, word)) use_huge_pages(&span);
        }
    buffer->widths |= widths;
}

typedef enum Words { ALL_WORDS, DEEP_WORDS } Words;

// Gives the memory of words of records of these widths back to the system. Fails for locked memory.
static bool give_back(const RtShadow *shadow, const RtBuffer *buffer, uint32_t widths, Words words) {
    bool good = true;
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        for (unsigned word = words == DEEP_WORDS ? DEEP : 0; widths >> k & 1 && word < HOST_RECORD_WORDS; word++) {
            if (!keeps_word(buffer, k, word) || (words == DEEP_WORDS && word >= LOW)) continue;
            PageSpan span = word_pages(shadow, buffer, k, word);
            good &= !madvise(span.begin, span.size, MADV_DONTNEED);
        }
    return good;
}

// Without valid records, whatever is left of their memory.
static void begin_anew(const RtShadow *shadow, RtBuffer *buffer) {
    if (buffer->widths & HOST_MAY_BE_UNSPECIFIED) {
        PageSpan span = byte_pages(shadow, buffer);
        if (madvise(span.begin, span.size, MADV_DONTNEED))
            set_bytes(&shadow->abi, buffer->address, buffer->size, HOST_BYTE_INITIAL);
    }
    buffer->widths = 0;
    buffer->deep = false;
    buffer->unfilled = false;
}

void rt_shadow_clear(const RtShadow *shadow, RtBuffer *buffer) {
    if (!shadow->base || !buffer->widths) return;
    if (!give_back(shadow, buffer, buffer->widths, ALL_WORDS))
        invalidate_bytes(&shadow->abi, buffer->widths, buffer->address, buffer->size);
    begin_anew(shadow, buffer);
}

// ---- memory that is kept for the records of further runs ------------------------------------------------------------

// The runs of a case leave the same records again and again, and memory that is new to a process costs more than what
// is written to it: it is cleared first. States that are zero make what the other words hold invalid; but those of deep
// records may be read where only other records were written, so they are always new.

#define KEPT_MAX ((size_t)64 << 20) // bytes of all buffers of a device

static size_t kept_words(const RtShadow *shadow, const RtBuffer *buffer, uint32_t widths) {
    size_t bytes = 0;
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        for (unsigned word = 0; widths >> k & 1 && word < HOST_RECORD_WORDS; word++)
            if (keeps_word(buffer, k, word) && (word < DEEP || word >= LOW))
                bytes += word_pages(shadow, buffer, k, word).size;
    return bytes;
}

// Pages that were never touched have no states, and get none. What is not in memory may have been swapped out, with the
// states that it had: that is given back.
static void zero_states(const RtShadow *shadow, const RtBuffer *buffer, unsigned width) {
    const PageSpan span = word_pages(shadow, buffer, width, 0);
    uint8_t resident[1024];
    for (size_t at = 0; at < span.size; at += sizeof resident * shadow->page) {
        size_t size = span.size - at;
        if (size > sizeof resident * shadow->page) size = sizeof resident * shadow->page;
        if (mincore(span.begin + at, size, resident)) memset(resident, 1, sizeof resident);
        for (size_t i = 0; i < size / shadow->page; i++)
            if (resident[i] & 1 || madvise(span.begin + at + i * shadow->page, shadow->page, MADV_DONTNEED))
                memset(span.begin + at + i * shadow->page, 0, shadow->page);
    }
}

void rt_shadow_renew(RtShadow *shadow, RtBuffer *buffer) {
    const uint32_t widths = buffer->widths & ((1u << HOST_SHADOW_WIDTHS) - 1);
    if (!shadow->base || !buffer->widths) return;
    const size_t bytes = kept_words(shadow, buffer, widths | buffer->kept_widths);
    if (shadow->kept - buffer->kept_bytes + bytes > KEPT_MAX) {
        rt_shadow_clear(shadow, buffer);
        return;
    }
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++)
        if (widths >> k & 1) zero_states(shadow, buffer, k);
    if (buffer->deep && !give_back(shadow, buffer, widths, DEEP_WORDS)) rt_shadow_clear(shadow, buffer);
    begin_anew(shadow, buffer);
    shadow->kept += bytes - buffer->kept_bytes;
    buffer->kept_bytes = bytes;
    buffer->kept_widths |= widths;
}

void rt_shadow_leave(RtShadow *shadow, RtBuffer *buffer) {
    rt_shadow_clear(shadow, buffer);
    if (!buffer->kept_widths) return;
    (void)give_back(shadow, buffer, buffer->kept_widths, ALL_WORDS); // their states are zero in any case
    shadow->kept -= buffer->kept_bytes;
    buffer->kept_bytes = 0;
    buffer->kept_widths = 0;
}

void rt_leave_unfilled(RtDevice *device, RtBuffer *buffer, uint32_t origin) {
    if (!device->shadow.base) return;
    rt_shadow_clear(&device->shadow, buffer);
    buffer->widths = HOST_MAY_BE_UNSPECIFIED;
    buffer->unfilled = true;
    buffer->origin = origin;
}

bool rt_is_unspecified(const RtDevice *device, const RtBuffer *buffer, size_t offset, unsigned size, uint32_t *origin) {
    *origin = 0;
    if (!device->shadow.base || !(buffer->widths & HOST_MAY_BE_UNSPECIFIED)) return false;
    HostShadow shadow = device->shadow.abi;
    HostUnfilled own = {buffer->address, buffer->address + buffer->size, buffer->origin};
    shadow.unfilled = &own;
    shadow.unfilled_count = buffer->unfilled;
    uint64_t address = buffer->address + offset;
    return find_unspecified(&shadow, buffer->widths, size, 1, &address, 1, origin);
}

void rt_shadow_invalidate(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size) {
    invalidate_bytes(&shadow->abi, buffer->widths, buffer->address + offset, size);
    if (buffer->widths & HOST_MAY_BE_UNSPECIFIED)
        set_bytes(&shadow->abi, buffer->address + offset, size, HOST_BYTE_WRITTEN);
}

// Words of a record of a width, for all floats of the bytes.
static void fill_words(const HostShadow *shadow, unsigned width, unsigned word, uint64_t begin, uint64_t last,
                       uint32_t value) {
    uint32_t *words = word_at(shadow, width, word, begin);
    const size_t count = (last >> width) - (begin >> width) + 1;
    for (size_t i = 0; i < count; i++) words[i] = value;
}

void rt_shadow_spoil(const RtShadow *shadow, const RtBuffer *buffer, size_t offset, size_t size, bool keeps_words) {
    const uint64_t begin = buffer->address + offset, last = begin + size - 1;
    if (!size) return;
    for (unsigned k = 0; k < HOST_SHADOW_WIDTHS; k++) {
        const bool kept = keeps_words && k == WORD_WIDTH;
        if (!(buffer->widths >> k & 1)) continue;
        fill_words(&shadow->abi, k, 0, begin, last, kept ? HOST_RECORD_POISON : 0);
        if (kept) fill_words(&shadow->abi, k, ORIGIN, begin, last, 0);
    }
    memset(byte_at(&shadow->abi, begin), HOST_BYTE_UNSPECIFIED, size);
    memset(word_at(&shadow->abi, 0, ORIGIN, begin), 0, size * sizeof(uint32_t));
}

// How many of the `count` pages from `page` on hold a valid state. Pages that were never touched are not looked at,
// which would give them memory.
static size_t count_valid_pages(const RtShadow *shadow, const uint8_t *begin, size_t count, const uint8_t *resident) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *states = (const uint32_t *)(const void *)(begin + i * shadow->page);
        bool valid = false;
        for (size_t k = 0; resident[i] & 1 && !valid && k < shadow->page / sizeof *states; k++)
            valid = states[k] & HOST_RECORD_VALID;
        found += valid;
    }
    return found;
}

// Bytes of memory that hold records of the buffer: the pages in which there is a valid one.
static size_t memory_of_records(const RtShadow *shadow, const RtBuffer *buffer) {
    size_t total = 0;
    uint8_t resident[1024];
    for (unsigned k = 0; shadow->base && k < HOST_SHADOW_WIDTHS; k++) {
        if (!(buffer->widths >> k & 1)) continue;
        PageSpan span = word_pages(shadow, buffer, k, 0);
        for (size_t at = 0; at < span.size; at += sizeof resident * shadow->page) {
            size_t size = span.size - at;
            if (size > sizeof resident * shadow->page) size = sizeof resident * shadow->page;
            if (mincore(span.begin + at, size, resident)) memset(resident, 1, sizeof resident);
            total += count_words(buffer, k) * shadow->page *
                     count_valid_pages(shadow, span.begin + at, size / shadow->page, resident);
        }
    }
    return total;
}

unsigned rt_record_bytes(unsigned width, bool deep) {
    const RtBuffer buffer = {.deep = deep};
    return count_words(&buffer, (unsigned)__builtin_ctz(width)) * (unsigned)sizeof(uint32_t);
}

size_t rt_shadow_bytes(const RtDevice *device) {
    size_t total = 0;
    for (const RtBuffer *buffer = device->range.buffers; buffer; buffer = buffer->next)
        total += memory_of_records(&device->shadow, buffer);
    return total;
}
