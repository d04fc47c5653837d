// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore

/// What can be told about a local file before GStreamer opens it.
///
/// GStreamer folds "permission denied", "is a directory" and "is empty" into general errors with a text in the
/// user's language; `stat(2)` tells them apart. May block on a dead mount: never on the main actor.
enum SourceCheck {
    /// Why the source will not play; `nil` when nothing speaks against it or it is no file.
    static func failure(of uri: MediaURI) -> EngineFailure? {
        guard uri.scheme == "file" else { return nil }
        guard var path = uri.filePath else {
            return EngineFailure(cause: .notFound, message: "The address names no file.")
        }
        path.append(0)
        return unsafe path.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { path in
                var status = stat()
                guard unsafe stat(path.baseAddress!, &status) == 0, unsafe access(path.baseAddress!, R_OK) == 0 else {
                    return failure(errno: errno)
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    return EngineFailure(cause: .unsupportedFormat, message: "This is a folder, not an audio file.")
                case S_IFREG where status.st_size == 0:
                    return EngineFailure(cause: .unsupportedFormat, message: "The file is empty.")
                default:
                    return nil
                }
            }
        }
    }

    private static func failure(errno code: CInt) -> EngineFailure {
        let debugText = unsafe String(cString: strerror(code))
        return switch code {
        case ENOENT, ENOTDIR:
            EngineFailure(cause: .notFound, message: "The file does not exist.", debugText: debugText)
        case EACCES, EPERM:
            EngineFailure(cause: .accessDenied, message: "The file may not be read.", debugText: debugText)
        default:
            EngineFailure(cause: .other, message: "The file cannot be opened.", debugText: debugText)
        }
    }
}
