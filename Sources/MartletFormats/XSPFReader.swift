// SPDX-License-Identifier: Apache-2.0
internal import CMartletExpat
internal import MartletCore

/// XSPF 1 (xspf.org/spec), read with expat.
///
/// Elements outside every namespace count too: many writers forget it. Entity declarations, which the format has no
/// use for, end the reading, so no document can grow.
struct XSPFReader {
    private let reader: PlaylistReader

    init(_ reader: PlaylistReader) {
        self.reader = reader
    }

    func read(_ bytes: [UInt8]) throws(PlaylistError) -> Playlist {
        switch parse(bytes, encoding: nil) {
        case .success(let playlist): return playlist
        case .failure(let failure) where failure.isAboutEncoding:
            // An encoding expat does not know, or bytes that are not what the declaration says.
            let text = reader.decode([bytes], XSPFReader.declaredEncoding(bytes))[0]
            switch parse(Array(text.utf8), encoding: "UTF-8") {
            case .success(let playlist): return playlist
            case .failure(let failure): throw failure.error
            }
        case .failure(let failure): throw failure.error
        }
    }

    private struct Failure: Error {
        var error: PlaylistError
        var isAboutEncoding = false
    }

    private func parse(_ bytes: [UInt8], encoding: String?) -> Result<Playlist, Failure> {
        // The separator is a byte no XML name or namespace can hold.
        guard let parser = unsafe XML_ParserCreateNS(encoding, 0x0A) else {
            return .failure(Failure(error: .malformed("Out of memory.")))
        }
        defer { unsafe XML_ParserFree(parser) }
        let document = unsafe XSPFDocument(reader, parser: parser)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(document).toOpaque())
        unsafe XML_SetElementHandler(parser, xspfElementStarted, xspfElementEnded)
        unsafe XML_SetCharacterDataHandler(parser, xspfTextFound)
        unsafe XML_SetEntityDeclHandler(parser, xspfEntityDeclared)
        // expat takes lengths as int; pieces also keep its own buffer small.
        let piece = 1 << 20
        var offset = 0
        var status = XML_STATUS_OK
        repeat {
            let end = min(offset + piece, bytes.count)
            status = unsafe bytes[offset..<end].withUnsafeBytes { buffer in
                unsafe XML_Parse(
                    parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count),
                    end == bytes.count ? 1 : 0)
            }
            offset = end
        } while status == XML_STATUS_OK && offset < bytes.count
        return withExtendedLifetime(document) {
            if document.isFull { return .success(document.playlist) }
            if let refusal = document.refusal { return .failure(Failure(error: refusal)) }
            guard status == XML_STATUS_OK else {
                let code = unsafe XML_GetErrorCode(parser)
                let line = unsafe Int(XML_GetCurrentLineNumber(parser))
                let message = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "no reason given"
                return .failure(
                    Failure(
                        error: .malformed("This is no XML: \(message).", line: line),
                        isAboutEncoding: [
                            XML_ERROR_UNKNOWN_ENCODING, XML_ERROR_INCORRECT_ENCODING, XML_ERROR_INVALID_TOKEN,
                            XML_ERROR_PARTIAL_CHAR,
                        ].contains(code) && encoding == nil))
            }
            guard document.hasRoot else {
                return .failure(Failure(error: .malformed("This XML is no XSPF playlist.")))
            }
            return .success(document.playlist)
        }
    }

    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let name = head.firstRange(of: "encoding=") else { return nil }
        let value = head[name.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
        return ByteText.field(value)
    }
}
