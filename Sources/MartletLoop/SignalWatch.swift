// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization

/// Tells the main actor of signals that would end the process.
///
/// A handler may do next to nothing: it writes the number into a pipe, whose other end is watched.
@MainActor
public final class SignalWatch {
    private let watch: DescriptorWatch

    /// Takes over signals from now on. There can be one watch in a process.
    ///
    /// - Parameter received: Runs on the main actor, with the signal's number.
    public init(_ signals: [CInt], received: @escaping @MainActor (CInt) -> Void) {
        var ends: [CInt] = [-1, -1]
        unsafe pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let reading = ends[0]
        signalPipe.store(ends[1], ordering: .relaxed)
        watch = DescriptorWatch(reading, .reading) {
            var number: UInt8 = 0
            while unsafe read(reading, &number, 1) == 1 { received(CInt(number)) }
        }
        for signal in signals {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = signalArrived
            action.sa_flags = SA_RESTART
            unsafe sigaction(signal, &action, nil)
        }
    }
}

private let signalPipe = Atomic<CInt>(-1)

/// Runs between any two instructions of any thread: what it calls must be on the list of signal-safety(7).
private func signalArrived(_ number: CInt) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(signalPipe.load(ordering: .relaxed), &byte, 1)
    errno = before
}
