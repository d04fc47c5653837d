// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus

// File scope and nonisolated on purpose: a closure literal inside a @MainActor type is itself main-actor isolated,
// compiles as a C callback, and traps when C calls it from another thread. These are called by libdbus from within
// calls that BusConnection makes on the main actor, so they may assume it.
//
// The data pointer is the BusConnection, unretained: it takes its functions back before it goes.

nonisolated func watchAdded(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    unsafe onConnection(data, watch) { unsafe $0.addWatch($1) }
    return 1
}

nonisolated func watchRemoved(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe onConnection(data, watch) { unsafe $0.removeWatch($1) }
}

nonisolated func watchToggled(_ watch: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe onConnection(data, watch) { unsafe $0.toggleWatch($1) }
}

nonisolated func timeoutAdded(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> dbus_bool_t {
    unsafe onConnection(data, timeout) { unsafe $0.addTimeout($1) }
    return 1
}

nonisolated func timeoutRemoved(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe onConnection(data, timeout) { unsafe $0.removeTimeout($1) }
}

nonisolated func timeoutToggled(_ timeout: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
    unsafe onConnection(data, timeout) { unsafe $0.toggleTimeout($1) }
}

/// Called when messages have come in while somebody else was reading, as `flush` does.
nonisolated func dispatchStatusChanged(
    _ connection: OpaquePointer?, _ status: DBusDispatchStatus, _ data: UnsafeMutableRawPointer?
) {
    guard status == DBUS_DISPATCH_DATA_REMAINS else { return }
    unsafe onConnection(data, connection) { connection, _ in connection.scheduleDrain() }
}

/// Called when a thread that is not in the main loop has queued something.
nonisolated func mainLoopWoken(_ data: UnsafeMutableRawPointer?) {
    guard let data = unsafe data else { return }
    nonisolated(unsafe) let object = unsafe data
    MainActor.assumeIsolated {
        unsafe Unmanaged<BusConnection>.fromOpaque(object).takeUnretainedValue().scheduleDrain()
    }
}

private nonisolated func onConnection(
    _ data: UnsafeMutableRawPointer?, _ subject: OpaquePointer?,
    _ body: @MainActor (BusConnection, OpaquePointer) -> Void
) {
    guard let data = unsafe data, let subject = unsafe subject else { return }
    // Both pointers stay on this thread: assumeIsolated runs the closure here and now.
    nonisolated(unsafe) let object = unsafe data
    nonisolated(unsafe) let argument = unsafe subject
    MainActor.assumeIsolated {
        unsafe body(Unmanaged<BusConnection>.fromOpaque(object).takeUnretainedValue(), argument)
    }
}
