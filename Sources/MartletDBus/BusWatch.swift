// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch
internal import Glibc

/// One direction of libdbus's descriptor as a Dispatch source on the main queue.
///
/// libdbus makes a watch for reading and one for writing, and enables the second only while something waits to be
/// written: the source is suspended otherwise, for a writable socket would fire without end.
///
/// Dispatch on Linux takes a descriptor whose other end has closed (`EPOLLHUP`) out of its set and fires once more,
/// also when bytes are left to be read. So an event is not to be relied on to come again: whoever handles one goes on
/// until ``isReady`` is false.
@MainActor
final class BusWatch {
    private let source: any DispatchSourceProtocol
    private let descriptor: CInt
    private let isReading: Bool
    private let ready: @MainActor () -> Void
    private var isRunning = false

    /// - Parameter ready: Runs on the main queue when the descriptor is ready in the watch's direction.
    init(_ watch: OpaquePointer, ready: @escaping @MainActor () -> Void) {
        // A source must not outlive its descriptor, and libdbus closes its own right after it removes the watch while
        // a source is cancelled later: the source gets a duplicate, closed when Dispatch has let go of it.
        let descriptor = fcntl(unsafe dbus_watch_get_unix_fd(watch), F_DUPFD_CLOEXEC, 0)
        self.descriptor = descriptor
        self.ready = ready
        isReading = unsafe dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE.rawValue != 0
        source =
            isReading
            ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
            : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated(ready) }
        source.setCancelHandler { close(descriptor) }
        setEnabled(unsafe dbus_watch_get_enabled(watch) != 0)
    }

    func setEnabled(_ isEnabled: Bool) {
        guard isEnabled != isRunning else { return }
        isRunning = isEnabled
        if isEnabled { source.resume() } else { source.suspend() }
    }

    /// libdbus wants to hear of the descriptor, or no longer.
    func toggle(_ isEnabled: Bool) {
        setEnabled(isEnabled)
        // A hang-up may have had its one event while nobody wanted to hear of it.
        if isEnabled, isReading { goOnLater() }
    }

    /// Whether there is something to read now, an end included. A descriptor to write to is never asked.
    var isReady: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe isReading && poll(&poller, 1, 0) > 0
    }

    /// Acts as if the descriptor had become ready, on a later turn of the main queue.
    func goOnLater() {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.isRunning, self.isReady else { return }
                self.ready()
            }
        }
    }

    /// Ends the watch. To be called exactly once.
    func cancel() {
        source.cancel()
        // A suspended source never runs its cancel handler, and releasing one traps.
        setEnabled(true)
    }
}

/// A timer of libdbus: the time limit of the authentication.
@MainActor
final class BusTimeout {
    private var timer: (any DispatchSourceTimer)?
    private let expired: @MainActor () -> Void

    init(_ timeout: OpaquePointer, expired: @escaping @MainActor () -> Void) {
        self.expired = expired
        unsafe toggle(timeout)
    }

    func toggle(_ timeout: OpaquePointer) {
        cancel()
        guard unsafe dbus_timeout_get_enabled(timeout) != 0 else { return }
        let interval = DispatchTimeInterval.milliseconds(Int(unsafe dbus_timeout_get_interval(timeout)))
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [expired] in MainActor.assumeIsolated(expired) }
        timer.resume()
        self.timer = timer
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }
}
