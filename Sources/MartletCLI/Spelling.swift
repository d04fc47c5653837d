// SPDX-License-Identifier: Apache-2.0

/// What somebody may have meant.
enum Spelling {
    /// The one of the words that is nearest, if it is near enough to be meant.
    static func nearest(to word: String, among words: [String]) -> String? {
        // What was begun is meant before what is written alike.
        let begun = words.filter { word.count >= 2 && $0.hasPrefix(word) }
        if begun.count == 1 { return begun[0] }
        let limit = word.count <= 3 ? 1 : 2
        let ranked = words.map { (word: $0, distance: distance(word, $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit else {
            return nil
        }
        return best.word
    }

    /// Insertions, deletions, substitutions and swaps of neighbours that lead from one to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            before = last
            last = row
        }
        return last[right.count]
    }
}
