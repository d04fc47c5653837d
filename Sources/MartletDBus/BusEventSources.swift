// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch
internal import Glibc

/// libdbus' watches and timeouts as Dispatch sources on the main queue. Nothing here ticks.
@MainActor
@safe
final class BusEventSources {
    private let handle: @MainActor () -> Void
    private var watches: [OpaquePointer: Watch] = unsafe [:]
    private var timers: [OpaquePointer: any DispatchSourceTimer] = unsafe [:]

    /// - Parameter handle: Called after libdbus has read or written something.
    init(handle: @escaping @MainActor () -> Void) {
        self.handle = handle
    }

    func add(watch: OpaquePointer) {
        unsafe watches[watch] = unsafe Watch(watch) { [handle] in handle() }
        arm()
    }

    func remove(watch: OpaquePointer) {
        unsafe watches.removeValue(forKey: watch)?.cancel()
    }

    /// Brings the sources in line with what libdbus waits for; call after anything that may have sent or read.
    func arm() {
        // Copied out: swift-format mangles `for unsafe`.
        let all = unsafe Array(watches.values)
        for watch in all { watch.arm() }
    }

    func add(timeout: OpaquePointer) {
        guard unsafe dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = unsafe Int(dbus_timeout_get_interval(timeout))
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .milliseconds(interval), repeating: .milliseconds(max(interval, 1)))
        timer.setEventHandler { [handle] in
            MainActor.assumeIsolated {
                unsafe dbus_timeout_handle(timeout)
                handle()
            }
        }
        timer.activate()
        unsafe timers[timeout] = timer
    }

    func remove(timeout: OpaquePointer) {
        unsafe timers.removeValue(forKey: timeout)?.cancel()
    }

    nonisolated func wake() {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.handle() } }
    }

    func cancelAll() {
        let all = unsafe Array(watches.values)
        for watch in all { watch.cancel() }
        let ticking = unsafe Array(timers.values)
        for timer in ticking { timer.cancel() }
        unsafe watches.removeAll()
        unsafe timers.removeAll()
    }
}

/// One watch: a read or a write source on a descriptor of its own, which outlives libdbus' until the source lets go.
@MainActor
@safe
private final class Watch {
    private let watch: OpaquePointer
    private let source: any DispatchSourceProtocol
    private var isArmed = false

    init(_ watch: OpaquePointer, handled: @escaping @MainActor () -> Void) {
        unsafe self.watch = watch
        let descriptor = unsafe dup(dbus_watch_get_unix_fd(watch))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let isReader = unsafe dbus_watch_get_flags(watch) & UInt32(DBUS_WATCH_READABLE.rawValue) != 0
        let flag = isReader ? UInt32(DBUS_WATCH_READABLE.rawValue) : UInt32(DBUS_WATCH_WRITABLE.rawValue)
        source =
            isReader
            ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
            : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .main)
        // Only ever called on the main queue, and not after ``cancel()``.
        nonisolated(unsafe) let lent = unsafe watch
        source.setEventHandler {
            MainActor.assumeIsolated {
                unsafe dbus_watch_handle(lent, flag)
                handled()
            }
        }
        source.setCancelHandler { _ = close(descriptor) }
    }

    func arm() {
        let isWanted = unsafe dbus_watch_get_enabled(watch) != 0
        guard isWanted != isArmed else { return }
        isArmed = isWanted
        if isWanted { source.resume() } else { source.suspend() }
    }

    func cancel() {
        // A source must not be released while suspended.
        if !isArmed { source.resume() }
        isArmed = true
        source.cancel()
    }
}
