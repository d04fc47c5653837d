// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

// What Dispatch offers to another loop that serves its main queue: CoreFoundation's run loop is built on these two. They
// are exported by the library and declared in its private/private.h alone, which no toolchain ships.

/// An eventfd(2) that becomes readable when the main queue has work. Asking for it binds the main queue to the main thread.
extern int _dispatch_get_main_queue_handle_4CF(void);

/// Runs the work that the main queue has; to be called on the main thread. The argument is not used.
extern void _dispatch_main_queue_callback_4CF(void *ignored);

/// pthread_setname_np(3); its header shows it to GNU sources alone, which Swift's modules are not.
extern int pthread_setname_np(pthread_t thread, const char *name);

/// Has jobs that belong to no actor go to a function, from now on, in place of the Swift runtime's pool.
void martlet_take_jobs(void (*taker)(void *job));
