// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file descriptor that travels in a message, owned: closed when the last reference goes.
///
/// Sending duplicates it, so the sender's stays open and its own; each decoding of a message duplicates it again.
/// Two are equal when they are the same object: a number says nothing about what is behind it.
public final class BusFileDescriptor: Sendable, Hashable, CustomStringConvertible {
    /// The number. Valid as long as this object lives.
    public let rawValue: CInt

    /// Takes over an open descriptor; from now on nobody else closes it.
    public init(owning descriptor: CInt) { rawValue = descriptor }

    /// A duplicate (close-on-exec) of a descriptor that stays the caller's.
    ///
    /// - Throws: ``BusError`` named `…Error.Failed` when the number is not open or no descriptor is left.
    public init(duplicating descriptor: CInt) throws(BusError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw BusError(.failed, "file descriptor \(descriptor) cannot be duplicated") }
        rawValue = copy
    }

    deinit { Glibc.close(rawValue) }

    public static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    public var description: String { "fd \(rawValue)" }
}
