// SPDX-License-Identifier: Apache-2.0
internal import CMartletExpat

// What expat calls, on the thread that called XML_Parse, with the XSPFDocument as its user data.

nonisolated func xspfElementStarted(
    _ document: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
) {
    guard let document = unsafe document, let name = unsafe name else { return }
    var base: String?
    // Pairs of a name and a value, ended by a null pointer.
    var index = 0
    while let attributes = unsafe attributes, let key = unsafe attributes[index],
        let value = unsafe attributes[index + 1]
    {
        if unsafe String(cString: key) == "http://www.w3.org/XML/1998/namespace\nbase" {
            base = unsafe String(cString: value)
        }
        index += 2
    }
    unsafe xspfDocument(document).started(Substring(String(cString: name)), base: base)
}

nonisolated func xspfElementEnded(_ document: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?) {
    guard let document = unsafe document else { return }
    unsafe xspfDocument(document).ended()
}

nonisolated func xspfTextFound(
    _ document: UnsafeMutableRawPointer?, _ text: UnsafePointer<XML_Char>?, _ length: Int32
) {
    guard let document = unsafe document, let text = unsafe text else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
    unsafe xspfDocument(document).found(bytes)
}

nonisolated func xspfEntityDeclared(
    _ document: UnsafeMutableRawPointer?, _ name: UnsafePointer<XML_Char>?, _ isParameter: Int32,
    _ value: UnsafePointer<XML_Char>?, _ valueLength: Int32, _ base: UnsafePointer<XML_Char>?,
    _ systemID: UnsafePointer<XML_Char>?, _ publicID: UnsafePointer<XML_Char>?, _ notation: UnsafePointer<XML_Char>?
) {
    guard let document = unsafe document else { return }
    unsafe xspfDocument(document).declaredEntity()
}

private nonisolated func xspfDocument(_ pointer: UnsafeMutableRawPointer) -> XSPFDocument {
    unsafe Unmanaged<XSPFDocument>.fromOpaque(pointer).takeUnretainedValue()
}
