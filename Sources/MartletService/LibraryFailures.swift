// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol
internal import MartletSQLite

extension LibraryError {
    /// What it means for somebody who asked for something.
    var failure: MartletFailure {
        switch self {
        case .notFound: .notFound
        case .inUse, .closed: .unavailable
        case .conflict, .overtaken: .conflict
        case .invalid: .invalidArguments
        case .database(let error):
            switch error.code.primary {
            case .full: .noSpace
            case .readOnly: .denied
            case .cannotOpen, .busy, .locked: .unavailable
            default: .failed
            }
        }
    }

    /// For people.
    static func words(for error: any Error) -> String {
        switch error {
        case LibraryError.notFound: tr("there is nothing of that number in the library")
        case LibraryError.inUse: tr("another process has the library")
        case LibraryError.conflict: tr("the library has it already, or keeps it as it is")
        case LibraryError.invalid(let sentence): sentence
        case LibraryError.overtaken: tr("a newer search took its place")
        case LibraryError.closed: tr("the library is closed")
        case LibraryError.database(let error): error.message
        default: "\(error)"
        }
    }
}

extension BusError {
    /// The reply for what a question to the library threw.
    init(libraryFailure error: any Error) {
        switch error {
        case let error as BusError: self = error
        case let error as LibraryError: self.init(error.failure.errorName, LibraryError.words(for: error))
        default: self = .failed("\(error)")
        }
    }
}
