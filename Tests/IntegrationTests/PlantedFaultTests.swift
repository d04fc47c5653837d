// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Testing

/// Faults put there on purpose: a sanitizer that does not find them finds nothing.
///
/// `make test-asan` and `make test-tsan` run one with `MARTLET_PLANT` set and want that run to fail, before they believe a
/// run that does not. The tests themselves pass: it is the process that must not end well.
@Suite("Planted faults", .enabled(if: planted != nil, "planted by the sanitizer runs only"))
struct PlantedFaultTests {
    @Test(.enabled(if: planted == "leak"))
    func `memory is lost`() {
        // Overwritten before it returns: a pointer that a register or the stack still holds is no leak.
        var address = malloc(12_345).map { UInt(bitPattern: $0) }
        #expect(address != nil)
        withUnsafeMutablePointer(to: &address) { $0.pointee = nil }
    }

    @Test(.enabled(if: planted == "overrun"))
    func `memory behind the end is read`() {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
        bytes.initialize(repeating: 1, count: 16)
        var index = 16
        withUnsafeMutablePointer(to: &index) { #expect(bytes[$0.pointee] >= 0) }
        bytes.deallocate()
    }

    @Test(.enabled(if: planted == "race"))
    func `two threads write one number`() {
        nonisolated(unsafe) let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        number.initialize(to: 0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { number.pointee += 1 }
        }
        #expect(number.pointee > 0)
        number.deallocate()
    }
}

private let planted = getenv("MARTLET_PLANT").map { String(cString: $0) }
