// SPDX-License-Identifier: Apache-2.0
#include "CMartletLoop.h"

// What the Swift runtime offers to a program that brings threads of its own for tasks: the hook, if set, gets each job that
// would go to the pool. Declared in the runtime's Concurrency.h, which no toolchain ships.
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(
    void *job, __attribute__((swiftcall)) void (*original)(void *job));

static void (*job_taker)(void *job);

static __attribute__((swiftcall)) void enqueued(void *job, __attribute__((swiftcall)) void (*original)(void *job)) {
    (void)original;
    job_taker(job);
}

void martlet_take_jobs(void (*taker)(void *job)) {
    job_taker = taker;
    swift_task_enqueueGlobal_hook = enqueued;
}
