// SPDX-License-Identifier: Apache-2.0

/// What a walk found to be other than the tables have it. Folders are paths below the root.
enum ScanChange: Sendable {
    /// A folder that is new, has been replaced, or can be reached again.
    case folder([UInt8], FileNode)
    /// Nothing can be said of what is in it: its mount is not there.
    case offline([UInt8])
    case found(folder: [UInt8], name: [UInt8], kind: FileKind, FileStamp)
    case changed(FileID, FileStamp)
    /// Moved, or renamed, as it was.
    case moved(FileID, folder: [UInt8], name: [UInt8])
    /// Only the device's number is another one.
    case renumbered(FileID, FileStamp)
    /// A cue sheet came, changed or went: whatever lies beside it is read again.
    case sheets([UInt8])
}

/// A folder a scan could not look into.
public struct ScanProblem: Hashable, Sendable {
    /// The bytes of its absolute path.
    public var path: [UInt8]
    public var errno: Int32
}
