// SPDX-License-Identifier: Apache-2.0

/// A character set that iconv can convert, by name.
///
/// The old regional sets go by the superset that real files hold: Korean is CP949 and not EUC-KR, Japanese is CP932
/// and not Shift-JIS, Latin-1 is Windows-1252.
public struct Charset: Hashable, Sendable, CustomStringConvertible {
    /// The name iconv knows it by, in capitals.
    public let name: String

    /// A set by a name as a user, a tag or a detector writes it.
    ///
    /// - Returns: `nil` if iconv does not know the name.
    public init?(named name: String) {
        let capitals = name.uppercased()
        guard !capitals.isEmpty, capitals.utf8.allSatisfy(Charset.isNameByte) else { return nil }
        let known = Charset.supersets[capitals] ?? capitals
        guard Converter.exists(from: known) else { return nil }
        self.name = known
    }

    private init(known name: String) {
        self.name = name
    }

    public var description: String { name }

    public static let utf8 = Charset(known: "UTF-8")
    public static let utf16 = Charset(known: "UTF-16")
    public static let utf32 = Charset(known: "UTF-32")
    /// Korean: EUC-KR and its Windows superset.
    public static let cp949 = Charset(known: "CP949")
    /// Japanese: Shift-JIS and its Windows superset.
    public static let cp932 = Charset(known: "CP932")
    /// Japanese on old Unix machines.
    public static let eucJP = Charset(known: "EUC-JP")
    /// Simplified Chinese: GB2312, GBK and GB18030.
    public static let gb18030 = Charset(known: "GB18030")
    /// Traditional Chinese.
    public static let big5 = Charset(known: "BIG5")
    /// Cyrillic on Windows.
    public static let windows1251 = Charset(known: "WINDOWS-1251")
    /// Russian on old Unix machines.
    public static let koi8R = Charset(known: "KOI8-R")
    /// Western European: Latin-1 and its Windows superset.
    public static let windows1252 = Charset(known: "WINDOWS-1252")

    /// Whether every byte pair of the set is one character of a script too large for one byte.
    var isMultibyte: Bool {
        switch self {
        case .cp949, .cp932, .eucJP, .gb18030, .big5: true
        default: false
        }
    }

    // iconv takes suffixes such as //TRANSLIT in a name, and they would change what an error is.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }

    private static let supersets: [String: String] = [
        "UTF8": "UTF-8",
        "ASCII": "UTF-8", "US-ASCII": "UTF-8",
        "EUC-KR": "CP949", "EUCKR": "CP949", "UHC": "CP949", "KS_C_5601-1987": "CP949", "MS949": "CP949",
        "WINDOWS-949": "CP949",
        "SHIFT_JIS": "CP932", "SHIFT-JIS": "CP932", "SJIS": "CP932", "MS932": "CP932", "WINDOWS-31J": "CP932",
        "EUCJP": "EUC-JP",
        "GB2312": "GB18030", "GBK": "GB18030", "CP936": "GB18030", "EUC-CN": "GB18030",
        "BIG-5": "BIG5", "CP950": "BIG5",
        "CP1251": "WINDOWS-1251", "KOI8R": "KOI8-R",
        "CP1252": "WINDOWS-1252", "ISO-8859-1": "WINDOWS-1252", "ISO8859-1": "WINDOWS-1252",
        "LATIN1": "WINDOWS-1252", "LATIN-1": "WINDOWS-1252",
    ]
}

extension Charset {
    /// A text as bytes of this set, as a playlist for an old player wants them.
    ///
    /// Without a byte order mark, except for ``utf16`` and ``utf32``.
    ///
    /// - Returns: `nil` if a character of the text is not in the set: then write UTF-8 instead.
    public func encode(_ text: String) -> [UInt8]? {
        if self == .utf8 { return Array(text.utf8) }
        guard let converter = Converter(from: "UTF-8", to: name) else { return nil }
        return converter.convert(Array(text.utf8))
    }
}
