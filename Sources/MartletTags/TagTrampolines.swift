// SPDX-License-Identifier: Apache-2.0
import CMartletTagLib

// File scope, because C calls them. They run inside martlet_tag_read, on its caller's thread; the context is the
// RawTags of that call, which the caller keeps alive.

nonisolated func takeTagValue(
    _ context: UnsafeMutableRawPointer?, _ family: martlet_tag_family, _ name: UnsafePointer<CChar>?,
    _ nameLength: Int, _ bytes: UnsafePointer<CChar>?, _ length: Int, _ isEightBit: Int32
) {
    guard let context = unsafe context else { return }
    let tags = unsafe Unmanaged<RawTags>.fromOpaque(context).takeUnretainedValue()
    unsafe tags.take(
        family, UnsafeRawBufferPointer(start: name, count: nameLength),
        UnsafeRawBufferPointer(start: bytes, count: length), isEightBit: isEightBit != 0)
}

nonisolated func takeTagPicture(
    _ context: UnsafeMutableRawPointer?, _ kind: Int32, _ mime: UnsafePointer<CChar>?, _ mimeLength: Int,
    _ bytes: UnsafePointer<CChar>?, _ length: Int
) {
    guard let context = unsafe context else { return }
    let tags = unsafe Unmanaged<RawTags>.fromOpaque(context).takeUnretainedValue()
    unsafe tags.take(
        picture: Int(kind), mime: UnsafeRawBufferPointer(start: mime, count: mimeLength),
        bytes: UnsafeRawBufferPointer(start: bytes, count: length))
}

nonisolated func takeAudioHead(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ length: Int) {
    guard let context = unsafe context else { return }
    let tags = unsafe Unmanaged<RawTags>.fromOpaque(context).takeUnretainedValue()
    unsafe tags.take(audioHead: UnsafeRawBufferPointer(start: bytes, count: length))
}
