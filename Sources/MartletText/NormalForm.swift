// SPDX-License-Identifier: Apache-2.0
import CMartletUtf8proc

extension String {
    /// Normal form C: composed, as keyboards and tags have it.
    ///
    /// File names from a Mac are form D; the two look alike and compare as unequal bytes (F264).
    public var nfc: String {
        normalized(UTF8PROC_COMPOSE)
    }

    /// Normal form D: decomposed into base letters and marks.
    public var nfd: String {
        normalized(UTF8PROC_DECOMPOSE)
    }

    private func normalized(_ form: utf8proc_option_t) -> String {
        if isASCII { return self }
        var codes: [UInt32] = []
        for scalar in unicodeScalars { CodePoints.decompose(scalar.value, UTF8PROC_DECOMPOSE, into: &codes) }
        CodePoints.order(&codes)
        return CodePoints.text(form == UTF8PROC_COMPOSE ? CodePoints.compose(codes) : codes)
    }
}
