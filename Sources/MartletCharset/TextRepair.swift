// SPDX-License-Identifier: Apache-2.0

/// Makes text fit to be shown and to be sent: the bus daemon disconnects whoever sends invalid UTF-8 or a NUL.
public enum TextRepair {
    /// Shows bytes that ought to be UTF-8, such as a file name, with U+FFFD for what is not.
    ///
    /// For show only: what opens the file are the bytes. A NUL or another control character, a line feed in a file
    /// name among them, becomes U+FFFD too, so that a name stays one line.
    public static func repair(_ bytes: some Collection<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var view = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { view.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(view)
    }

    /// Takes out of a text what no display and no bus wants.
    ///
    /// NULs at the end are padding and are cut, an inner NUL becomes U+FFFD; other control characters but tab and
    /// line ends go, C1 ones included, and so does a byte order mark at the start. Line ends become `\n`.
    public static func clean(_ text: String) -> String {
        if isClean(text) { return text }
        var scalars = Array(text.unicodeScalars)
        while scalars.last == "\0" { scalars.removeLast() }
        var view = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in scalars {
            switch scalar {
            case "\0": view.append("\u{FFFD}")
            case "\r": view.append("\n")
            case "\n": if previous != "\r" { view.append("\n") }
            case "\t": view.append(scalar)
            case "\u{FEFF}": if previous != nil { view.append(scalar) }
            default: if !isControl(scalar) { view.append(scalar) }
            }
            previous = scalar
        }
        return String(view)
    }

    private static func isClean(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        while let byte = utf8.next() {
            switch byte {
            case 0x09, 0x0A, 0x20...0x7E: continue
            // C1 controls begin with C2 and the byte order mark with EF; the slow path looks closer.
            case 0xC2, 0xEF, 0x00...0x1F, 0x7F: return false
            default: continue
            }
        }
        return true
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
