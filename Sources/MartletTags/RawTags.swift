// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib
import MartletCharset
import MartletCore

/// The values of one file as the fence hands them over, sorted by meaning.
///
/// For each field only the values of the best tag are kept: the file's richest tag comes first, and a worse one (an
/// ID3v1 title of thirty letters) fills gaps only. Owned by one read, on one thread.
final class RawTags {
    struct Value {
        /// Valid text, or bytes the tag does not tell the encoding of.
        enum Content {
            case text(String)
            case bytes([UInt8])
        }

        var content: Content
        var family: martlet_tag_family
        /// Of a line of synchronised lyrics.
        var milliseconds = 0
    }

    let wanted: TagReadingOptions
    private(set) var picture: EmbeddedPicture?
    private(set) var audioHead: [UInt8]?
    private var pictureRank = Int.max
    private var slots: [Slot] = Array(repeating: Slot(), count: TagField.allCases.count)
    private var families: [martlet_tag_family] = []

    private struct Slot {
        var priority = Int.max
        var values: [Value] = []
    }

    init(wanted: TagReadingOptions) {
        self.wanted = wanted
    }

    subscript(field: TagField) -> [Value] {
        slots[field.rawValue].values
    }

    // Honest tags stay far below; a hostile one may hold a million values.
    private static let mostValues = 256
    private static let mostLines = 20_000
    private static let longestText = 1 << 20

    func take(
        _ family: martlet_tag_family, _ name: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, isEightBit: Bool
    ) {
        guard bytes.count <= RawTags.longestText, name.count <= 256 else { return }
        let name = unsafe RawTags.capitals(name)
        guard let (ranked, milliseconds) = meaning(family, name) else { return }
        if ranked.field == .cueSheet, !wanted.contains(.cueSheet) { return }

        let order = families.firstIndex(of: family) ?? families.count
        if order == families.count { families.append(family) }
        let priority = order * 2 + ranked.rank
        let slot = ranked.field.rawValue
        guard priority <= slots[slot].priority else { return }
        if priority < slots[slot].priority { slots[slot] = Slot(priority: priority) }
        guard slots[slot].values.count < (ranked.field == .syncedLine ? RawTags.mostLines : RawTags.mostValues) else {
            return
        }
        let content: Value.Content =
            isEightBit ? .bytes(unsafe Array(bytes)) : .text(unsafe String(decoding: bytes, as: UTF8.self))
        slots[slot].values.append(Value(content: content, family: family, milliseconds: milliseconds))
    }

    /// Keeps the front cover, else the first picture that is not an icon of the file.
    func take(picture kind: Int, mime: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer) {
        let rank = kind == 3 ? 0 : kind == 1 || kind == 2 ? 2 : 1
        guard rank < pictureRank else { return }
        let mimeType = unsafe String(decoding: mime, as: UTF8.self)
        // The picture is elsewhere; these bytes are its address.
        guard mimeType != "-->" else { return }
        pictureRank = rank
        picture = EmbeddedPicture(
            mimeType: TextRepair.clean(mimeType), bytes: unsafe Array(bytes), isFrontCover: kind == 3)
    }

    func take(audioHead bytes: UnsafeRawBufferPointer) {
        audioHead = unsafe bytes.isEmpty ? nil : Array(bytes)
    }

    /// Decodes what has no told encoding, all of it together.
    func decodeBytes(with decoder: TextDecoder) {
        var places: [(slot: Int, value: Int)] = []
        var fields: [[UInt8]] = []
        for (slot, content) in slots.enumerated() {
            for (index, value) in content.values.enumerated() {
                guard case .bytes(let bytes) = value.content else { continue }
                places.append((slot, index))
                fields.append(bytes)
            }
        }
        guard !fields.isEmpty else { return }
        for (place, decoded) in zip(places, decoder.decode(together: fields)) {
            slots[place.slot].values[place.value].content = .text(decoded.text)
        }
    }

    private func meaning(_ family: martlet_tag_family, _ name: String) -> (RankedField, Int)? {
        if let field = TagNames.field(family, name) { return (field, 0) }
        guard family == MARTLET_TAG_ID3V2 else { return nil }
        if name.hasPrefix("COMM:") {
            // iTunes keeps its loudness and gapless numbers in comments, MediaMonkey its own fields.
            let isTechnical = name.hasPrefix("COMM:ITUN") || name.hasPrefix("COMM:SONGS-DB_")
            return isTechnical ? nil : (RankedField(field: .comment, rank: name == "COMM:" ? 0 : 1), 0)
        }
        if name.hasPrefix("USLT:") { return (RankedField(field: .lyrics, rank: 0), 0) }
        if name.hasPrefix("SYLT:"), let milliseconds = Int(name.dropFirst(5)) {
            return (RankedField(field: .syncedLine, rank: 0), milliseconds)
        }
        return nil
    }

    // Names differ in case between taggers; all that are known are ASCII but for MP4's ©.
    private static func capitals(_ name: UnsafeRawBufferPointer) -> String {
        unsafe String(unsafeUninitializedCapacity: name.count) { buffer in
            for index in 0..<name.count {
                let byte = unsafe name[index]
                unsafe buffer[index] = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            }
            return name.count
        }
    }
}
