// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import MartletSQLite

@Suite("Executors", .timeLimit(.minutes(1)))
struct ExecutorTests {
    actor Worker {
        private let executor: SerialQueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(isBackground: Bool) {
            executor = SerialQueueExecutor(label: "test", isBackground: isBackground)
        }

        func niceness() -> CInt { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
    }

    @Test func `work in the background steps back, and nobody else with it`() async {
        let background = Worker(isBackground: true)
        #expect(await background.niceness() >= SerialQueueExecutor.niceness)
        for _ in 0..<20 {
            #expect(await background.niceness() >= SerialQueueExecutor.niceness)
            #expect(await Worker(isBackground: false).niceness() < SerialQueueExecutor.niceness)
        }
    }
}
