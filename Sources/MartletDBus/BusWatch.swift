// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch
internal import Glibc
internal import MartletLoop

/// One direction of libdbus's descriptor, watched on the main actor.
///
/// libdbus makes a watch for reading and one for writing, and enables the second only while something waits to be
/// written.
///
/// An event is not to be relied on to come again, see ``DescriptorWatch/repeats``: whoever handles one goes on until
/// ``isReady`` is false.
@MainActor
final class BusWatch {
    private let watch: DescriptorWatch
    private let descriptor: CInt
    private let isReading: Bool
    private let ready: @MainActor () -> Void

    /// - Parameter ready: Runs when the descriptor is ready in the watch's direction.
    init(_ watch: OpaquePointer, ready: @escaping @MainActor () -> Void) {
        // A watch must not outlive its descriptor, and libdbus closes its own right after it removes the watch while
        // ours may end later: it gets a duplicate, closed when nobody looks at it any more.
        let descriptor = fcntl(unsafe dbus_watch_get_unix_fd(watch), F_DUPFD_CLOEXEC, 0)
        self.descriptor = descriptor
        self.ready = ready
        isReading = unsafe dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE.rawValue != 0
        self.watch = DescriptorWatch(
            descriptor, isReading ? .reading : .writing, isEnabled: unsafe dbus_watch_get_enabled(watch) != 0,
            onEnd: { close(descriptor) }, ready: ready)
    }

    /// libdbus wants to hear of the descriptor, or no longer.
    func toggle(_ isEnabled: Bool) {
        watch.setEnabled(isEnabled)
        // A hang-up may have had its one event while nobody wanted to hear of it.
        if isEnabled, isReading { goOnLater() }
    }

    /// Whether there is something to read now, an end included, of which nothing more will be told. A descriptor to write to is
    /// never asked.
    var isReady: Bool {
        guard isReading, !watch.repeats else { return false }
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&poller, 1, 0) > 0
    }

    /// Acts as if the descriptor had become ready, on a later turn of the main queue.
    func goOnLater() {
        guard !watch.repeats else { return }
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.watch.isEnabled, self.isReady else { return }
                self.ready()
            }
        }
    }

    func cancel() {
        watch.end()
    }
}

/// A timer of libdbus: the time limit of the authentication.
@MainActor
final class BusTimeout {
    private let timer = MainTimer()
    private let expired: @MainActor () -> Void

    init(_ timeout: OpaquePointer, expired: @escaping @MainActor () -> Void) {
        self.expired = expired
        unsafe toggle(timeout)
    }

    func toggle(_ timeout: OpaquePointer) {
        cancel()
        guard unsafe dbus_timeout_get_enabled(timeout) != 0 else { return }
        arm(every: .milliseconds(unsafe dbus_timeout_get_interval(timeout)))
    }

    private func arm(every interval: Duration) {
        timer.arm(after: interval) { [weak self] in
            // Before the handler, which may well end the timeout.
            self?.arm(every: interval)
            self?.expired()
        }
    }

    func cancel() {
        timer.disarm()
    }
}
