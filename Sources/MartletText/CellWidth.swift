// SPDX-License-Identifier: Apache-2.0
import CMartletUtf8proc

extension String {
    /// How many cells of a terminal the text takes.
    ///
    /// East Asian wide and emoji take two, marks and joiners none, a joined emoji sequence or flag two as one. Characters
    /// of ambiguous width take one, as terminals do outside of East Asian settings. Control characters count as none:
    /// take them out before writing.
    public var cellWidth: Int {
        if isASCII { return utf8.reduce(0) { $0 + ($1 >= 0x20 && $1 < 0x7F ? 1 : 0) } }
        return CellCluster.all(in: self).reduce(0) { $0 + $1.width }
    }

    /// The text if it fits into so many cells, else as much of it as fits with an ellipsis behind.
    ///
    /// Never cuts through a character as readers see it, and leaves no space before the ellipsis. May be one cell
    /// narrower than asked, where a wide character would not fit.
    public func truncated(toCells cells: Int, ellipsis: String = "…") -> String {
        guard cells > 0 else { return "" }
        let clusters = CellCluster.all(in: self)
        guard clusters.reduce(0, { $0 + $1.width }) > cells else { return self }
        let mark = ellipsis.cellWidth <= cells ? ellipsis : ""
        var room = cells - mark.cellWidth
        var end = unicodeScalars.startIndex
        for cluster in clusters {
            guard cluster.width <= room else { break }
            room -= cluster.width
            end = cluster.range.upperBound
        }
        var kept = unicodeScalars[..<end]
        while let last = kept.last, last.properties.isWhitespace { kept.removeLast() }
        return String(kept) + mark
    }

    /// The text brought to exactly so many cells: cut with an ellipsis, or filled with spaces.
    public func fitted(toCells cells: Int, alignment: CellAlignment = .leading) -> String {
        let text = truncated(toCells: cells)
        let padding = String(repeating: " ", count: max(0, cells - text.cellWidth))
        return alignment == .leading ? text + padding : padding + text
    }
}

/// On which side of a column its text stands.
public enum CellAlignment: Sendable {
    case leading
    case trailing
}

/// One character as readers see it: what a cursor passes in one step.
struct CellCluster {
    var range: Range<String.UnicodeScalarIndex>
    var width: Int

    static func all(in text: String) -> [CellCluster] {
        var clusters: [CellCluster] = []
        var state: Int32 = 0
        var previous: UInt32?
        let scalars = text.unicodeScalars
        for index in scalars.indices {
            let code = scalars[index].value
            let next = scalars.index(after: index)
            if let previous,
                !(unsafe utf8proc_grapheme_break_stateful(Int32(bitPattern: previous), Int32(bitPattern: code), &state))
            {
                clusters[clusters.count - 1].extend(by: code, until: next)
            } else {
                clusters.append(CellCluster(range: index..<next, width: width(of: code)))
            }
            previous = code
        }
        return clusters
    }

    private mutating func extend(by code: UInt32, until end: String.UnicodeScalarIndex) {
        range = range.lowerBound..<end
        switch code {
        // Asks for the emoji form of what is text by default, such as a heart.
        case 0xFE0F: width = max(width, width == 1 ? 2 : width)
        // The second half of a flag.
        case 0x1F1E6...0x1F1FF: width = 2
        default: width = max(width, CellCluster.width(of: code))
        }
    }

    private static func width(of code: UInt32) -> Int {
        switch code {
        case 0x20...0x7E: 1
        case 0x00...0x1F, 0x7F...0x9F: 0
        default: max(0, Int(utf8proc_charwidth(Int32(bitPattern: code))))
        }
    }
}
