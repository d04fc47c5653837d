// SPDX-License-Identifier: Apache-2.0

/// A subscription that lives as long as its owner holds it.
struct WeakSubscription {
    weak var subscription: Subscription?
}

extension BusConnection {
    // MARK: Names

    /// Asks the bus for a well-known name.
    ///
    /// - Throws: ``BusError``: `AccessDenied` when a policy or a sandbox forbids it (F118), `InvalidArgs` for a
    ///   unique name.
    public func requestName(_ name: BusName, flags: NameRequestFlags = .doNotQueue) async throws(BusError)
        -> NameRequestReply
    {
        try await call(.toBus("RequestName", [.string(name.string), .uint32(flags.rawValue)]))
            .busReply(NameRequestReply.self)
    }

    /// Gives a name back, or leaves the line for it.
    public func releaseName(_ name: BusName) async throws(BusError) -> NameReleaseReply {
        try await call(.toBus("ReleaseName", [.string(name.string)])).busReply(NameReleaseReply.self)
    }

    /// The unique name behind a name; `nil` while nobody owns it.
    public func owner(of name: BusName) async throws(BusError) -> BusName? {
        do throws(BusError) {
            return try await call(.toBus("GetNameOwner", [.string(name.string)])).body.first?.string
                .flatMap { BusName($0) }
        } catch {
            guard error.name == .nameHasNoOwner else { throw error }
            return nil
        }
    }

    // MARK: Signals

    /// Asks the bus for messages and hands each to the handler, in the order of arrival.
    ///
    /// The request is on its way when this returns: whatever is called afterwards on this connection is answered
    /// after the bus knows of it. A rule the bus refuses is found in ``Subscription/failure``.
    public func subscribe(_ rule: MatchRule, handler: @escaping @MainActor (BusMessage) -> Void) -> Subscription {
        let subscription = Subscription(rule, connection: self, handler: handler)
        subscriptions.append(WeakSubscription(subscription: subscription))
        call(.toBus("AddMatch", [.string(rule.description)])) { [weak subscription] in
            if case .failure(let error) = $0 { subscription?.failure = error }
        }
        return subscription
    }

    /// Tells who owns a name: once soon after this returns, and at each change. `nil` is nobody.
    public func watchName(_ name: BusName, onChange: @escaping @MainActor (BusName?) -> Void) -> Subscription {
        var rule = MatchRule.signal("NameOwnerChanged", of: .bus, from: .bus)
        rule.argument0 = name.string
        var known: BusName??
        func tell(_ owner: BusName?) {
            guard known != .some(owner) else { return }
            known = .some(owner)
            onChange(owner)
        }
        let subscription = subscribe(rule) { message in
            guard message.body.count == 3, let owner = message.body[2].string else { return }
            tell(BusName(owner))
        }
        // The bus answers in order: a change it has told before this answer is older than the answer.
        call(.toBus("GetNameOwner", [.string(name.string)])) { [weak subscription] in
            guard let subscription, subscription.connection != nil else { return }
            switch $0 {
            case .success(let reply): tell(reply.body.first?.string.flatMap { BusName($0) })
            case .failure(let error) where error.name == .nameHasNoOwner: tell(nil)
            case .failure(let error): subscription.failure = error
            }
        }
        return subscription
    }

    func unsubscribe(_ subscription: Subscription) {
        subscriptions.removeAll { $0.subscription == nil || $0.subscription === subscription }
        // The bus counts equal rules, so another subscription with this rule keeps its own.
        if subscription.failure == nil {
            _ = try? send(.toBus("RemoveMatch", [.string(subscription.rule.description)]))
        }
    }

    // MARK: Answering

    /// Sends the answer to a call that wants one. A connection that has closed meanwhile is no error.
    func answer(_ call: BusMessage, _ result: Result<[BusValue], BusError>, expecting signature: BusSignature) {
        guard !call.flags.contains(.noReply) else { return }
        do throws(BusError) {
            try send(message(answering: call, result, expecting: signature))
        } catch {
            // The values could not be sent; the caller gets to know that instead of nothing.
            _ = try? send(.error(to: call, error))
        }
    }

    private func message(
        answering call: BusMessage, _ result: Result<[BusValue], BusError>, expecting signature: BusSignature
    ) throws(BusError) -> BusMessage {
        switch result {
        case .failure(let error):
            return .error(to: call, error)
        case .success(let values):
            let text = signatureText(of: values)
            guard text == signature.string else {
                throw .failed("\(call.member?.string ?? "The method") answered (\(text)) and promised (\(signature)).")
            }
            return .reply(to: call, body: values)
        }
    }
}
