// SPDX-License-Identifier: Apache-2.0
// What running blocks need and is slow to open, kept for blocks and launches to come.
#include "runtime/runtime_internal.h"

void rt_idle_open(RtIdle *idle, const RtIdleKind *kind, const void *launch, uint32_t limit, RtIdleItem *items) {
    *idle = (RtIdle){.kind = kind, .launch = launch, .limit = limit};
    for (RtIdleItem *next; items; items = next) {
        next = items->next;
        if (!kind->fits(items, launch)) {
            kind->close(items);
            continue;
        }
        items->next = idle->free;
        idle->free = items;
        idle->count++;
    }
    pthread_mutex_init(&idle->mutex, NULL);
    pthread_cond_init(&idle->given, NULL);
}

RtIdleItem *rt_idle_close(RtIdle *idle) {
    pthread_cond_destroy(&idle->given);
    pthread_mutex_destroy(&idle->mutex);
    return idle->free;
}

RtIdleItem *rt_idle_take(RtIdle *idle) {
    pthread_mutex_lock(&idle->mutex);
    while (!idle->free && idle->count >= idle->limit) pthread_cond_wait(&idle->given, &idle->mutex);
    RtIdleItem *item = idle->free;
    if (item)
        idle->free = item->next;
    else
        idle->count++;
    pthread_mutex_unlock(&idle->mutex);
    if (item || (item = idle->kind->open(idle->launch))) return item;
    pthread_mutex_lock(&idle->mutex);
    idle->count--;
    pthread_mutex_unlock(&idle->mutex);
    return NULL;
}

void rt_idle_give(RtIdle *idle, RtIdleItem *item) {
    pthread_mutex_lock(&idle->mutex);
    item->next = idle->free;
    idle->free = item;
    pthread_cond_signal(&idle->given);
    pthread_mutex_unlock(&idle->mutex);
}

void rt_idle_close_items(const RtIdleKind *kind, RtIdleItem *items) {
    for (RtIdleItem *next; items; items = next) {
        next = items->next;
        kind->close(items);
    }
}
