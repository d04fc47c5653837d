// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What the run is watched by: `make test-asan` and `make test-tsan` say so in `MARTLET_SANITIZER`.
public enum Sanitizer {
    /// `address`, `thread`; `nil` in an ordinary run.
    public static var kind: String? { getenv("MARTLET_SANITIZER").map { String(cString: $0) } }

    /// Whether everything takes several times as long, so that a figure of speed says nothing.
    public static var isSlow: Bool { kind != nil }

    /// Whether there is a thread that wakes by itself: ThreadSanitizer's own.
    public static var wakes: Bool { kind == "thread" }
}
