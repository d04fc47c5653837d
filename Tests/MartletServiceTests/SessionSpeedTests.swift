// SPDX-License-Identifier: Apache-2.0
#if !DEBUG
    import Glibc
    import MartletCore
    import MartletTestSupport
    import Testing

    @testable import MartletService

    /// In time of the process, since the machine has other things to do; to be run alone.
    @Suite("Session store: 100,000 entries", .serialized)
    struct SessionSpeedTests {
        let folder = try! ScratchDirectory()

        private func measure(_ body: () async throws -> Void) async rethrows -> Duration {
            func now() -> Duration {
                var time = timespec()
                clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
                return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            }
            let start = now()
            try await body()
            return now() - start
        }

        @Test func `a session of 100,000 entries is restored within 300 ms and saved within a second`() async throws {
            let opened = await open(folder)
            var queue = sessionQueue(100_000, ids: opened.ids)
            _ = queue.goTo(queue.list[50_000])
            queue.setShuffleMode(.songs)
            let store = opened.store
            func save(_ position: Duration = .zero) async throws -> Duration {
                let state = SessionState(queue) { $0.position = position }
                return try await measure { try await store.save(state) }
            }
            let first = try await save()
            queue.insert([.numbered(1)], at: 500)
            let edit = try await save()
            queue.setShuffleMode(.albums)
            let shuffle = try await save()
            let position = try await save(.seconds(9))
            let nothing = try await save(.seconds(9))
            try await store.close()
            var restores: [Duration] = []
            for _ in 0..<5 {
                var again: SessionStore.Opened?
                restores.append(await measure { again = await open(folder) })
                #expect(again?.session?.queue.count == 100_001)
                try await again?.store.close()
            }
            let restore = restores.min()!
            print(
                "session of 100,000: first save \(first), edit \(edit), shuffle \(shuffle), position \(position),",
                "nothing \(nothing), restore \(restore)")
            #expect(restore < .milliseconds(300))
            #expect(first < .seconds(1))
            #expect(edit < .milliseconds(20))
            #expect(shuffle < .milliseconds(100))
        }
    }
#endif
