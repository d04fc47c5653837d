// SPDX-License-Identifier: Apache-2.0
internal import CMartletDBus
internal import Dispatch

/// What libdbus asks of an event loop, and the way of a message from the socket to whom it is for.
extension BusConnection {
    // MARK: Watches and timeouts, called through BusTrampolines.swift

    func addWatch(_ watch: OpaquePointer) {
        unsafe watches[watch] = BusWatch(watch) { [weak self] in unsafe self?.watchIsReady(watch) }
    }

    func removeWatch(_ watch: OpaquePointer) {
        unsafe watches.removeValue(forKey: watch)?.cancel()
    }

    func toggleWatch(_ watch: OpaquePointer) {
        unsafe watches[watch]?.toggle(unsafe dbus_watch_get_enabled(watch) != 0)
    }

    func addTimeout(_ timeout: OpaquePointer) {
        unsafe timeouts[timeout] = BusTimeout(timeout) { [weak self] in
            // The handler may have been on its way when the timeout was removed and its memory freed.
            guard unsafe self?.timeouts[timeout] != nil else { return }
            unsafe dbus_timeout_handle(timeout)
            self?.drain()
        }
    }

    func removeTimeout(_ timeout: OpaquePointer) {
        unsafe timeouts.removeValue(forKey: timeout)?.cancel()
    }

    func toggleTimeout(_ timeout: OpaquePointer) {
        unsafe timeouts[timeout]?.toggle(timeout)
    }

    // MARK: Draining

    /// Messages handled before the main queue's other work gets its turn.
    private static let turn = 256

    private func watchIsReady(_ watch: OpaquePointer) {
        // libdbus reads 2 KiB at a time. Going on while there is more saves a way through Dispatch for each piece, and
        // is needed after a hang-up: see BusWatch.
        var left = BusConnection.turn
        repeat {
            // Removed by a handler, or before a source's event reached us: its memory is gone.
            guard unsafe watches[watch] != nil, unsafe dbus_watch_get_enabled(watch) != 0 else { return }
            unsafe dbus_watch_handle(watch, unsafe dbus_watch_get_flags(watch))
            left -= max(drain(atMost: max(left, 1)), 1)
            guard let watch = unsafe watches[watch], watch.isReady else { return }
        } while left > 0
        unsafe watches[watch]?.goOnLater()
    }

    /// Handles what has been read, on a later turn of the main queue.
    func scheduleDrain() {
        guard !isDraining, !isDrainScheduled else { return }
        isDrainScheduled = true
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                self?.isDrainScheduled = false
                self?.drain()
            }
        }
    }

    /// Handles the messages that have been read, in the order of arrival.
    ///
    /// Never re-entered: a handler that reads, as `flush` does, leaves the messages to the loop that called it.
    /// - Returns: How many were handled.
    @discardableResult
    func drain(atMost limit: Int = turn) -> Int {
        guard !isDraining else { return 0 }
        isDraining = true
        var count = 0
        // Messages are taken here and not by libdbus's dispatch: that has filters, handlers and answers of its own,
        // and what it answers by itself would not pass the table that introspection shows.
        while count < limit, let handle = unsafe handle, let raw = unsafe dbus_connection_pop_message(handle) {
            count += 1
            if let message = BusMessage(unsafe RawMessage(owning: raw)) { receive(message) }
        }
        isDraining = false
        if count == limit { scheduleDrain() }
        return count
    }

    private func receive(_ message: BusMessage) {
        switch message.kind {
        case .methodCall:
            objects.dispatch(message, on: self)
        case .methodReturn:
            pending.complete(message.replySerial, .success(message))
        case .error:
            pending.complete(message.replySerial, .failure(message.error ?? .failed("")))
        case .signal:
            if message.sender == .bus, message.interface == .bus { receiveFromBus(message) }
            if message.interface == .local {
                // libdbus refuses this interface from outside, so it is its own word.
                if message.member == "Disconnected" { lost() }
                return
            }
        }
        if !subscriptions.isEmpty { deliver(message) }
    }

    private func deliver(_ message: BusMessage) {
        // A handler may end subscriptions or make new ones; those that are gone look at their own state.
        for entry in subscriptions { entry.subscription?.deliver(message) }
    }

    private func receiveFromBus(_ message: BusMessage) {
        guard message.member == "NameAcquired" || message.member == "NameLost",
            let name = message.body.first?.string.flatMap({ BusName($0) }), !name.isUnique
        else { return }
        if message.member == "NameAcquired" {
            if ownedNames.insert(name).inserted { onNameAcquired?(name) }
        } else {
            if ownedNames.remove(name) != nil { onNameLost?(name) }
        }
    }

    private func lost() {
        let hook = onDisconnect
        onDisconnect = nil
        close()
        hook?()
    }
}
