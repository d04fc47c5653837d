// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

// libdbus calls these from inside our own calls into it, so always on the main actor's executor. They are file-scope and
// nonisolated all the same: a closure literal in a @MainActor type would trap where that assumption ever failed.

nonisolated func busAddWatch(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    guard let watch = unsafe watch, let data = unsafe data else { return 0 }
    let sources = unsafe Unmanaged<BusEventSources>.fromOpaque(data).takeUnretainedValue()
    // Not shared: libdbus lends the pointer until busRemoveWatch, which comes on the same actor.
    nonisolated(unsafe) let lent = unsafe watch
    MainActor.assumeIsolated { unsafe sources.add(watch: lent) }
    return 1
}

nonisolated func busRemoveWatch(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let watch = unsafe watch, let data = unsafe data else { return }
    let sources = unsafe Unmanaged<BusEventSources>.fromOpaque(data).takeUnretainedValue()
    // As above.
    nonisolated(unsafe) let lent = unsafe watch
    MainActor.assumeIsolated { unsafe sources.remove(watch: lent) }
}

nonisolated func busToggleWatch(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    // Looked at in ``BusEventSources/arm()``: libdbus toggles the write watch twice for every message it sends.
}

nonisolated func busAddTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    guard let timeout = unsafe timeout, let data = unsafe data else { return 0 }
    let sources = unsafe Unmanaged<BusEventSources>.fromOpaque(data).takeUnretainedValue()
    // As above.
    nonisolated(unsafe) let lent = unsafe timeout
    MainActor.assumeIsolated { unsafe sources.add(timeout: lent) }
    return 1
}

nonisolated func busRemoveTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    guard let timeout = unsafe timeout, let data = unsafe data else { return }
    let sources = unsafe Unmanaged<BusEventSources>.fromOpaque(data).takeUnretainedValue()
    // As above.
    nonisolated(unsafe) let lent = unsafe timeout
    MainActor.assumeIsolated { unsafe sources.remove(timeout: lent) }
}

nonisolated func busToggleTimeout(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe busRemoveTimeout(timeout, data)
    _ = unsafe busAddTimeout(timeout, data)
}

/// May come from any thread (`dbus_connection_set_wakeup_main_function`).
nonisolated func busWakeUp(_ data: UnsafeMutableRawPointer?) {
    guard let data = unsafe data else { return }
    let sources = unsafe Unmanaged<BusEventSources>.fromOpaque(data).takeUnretainedValue()
    sources.wake()
}
