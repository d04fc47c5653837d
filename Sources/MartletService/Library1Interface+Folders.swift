// SPDX-License-Identifier: Apache-2.0
internal import MartletDBus
internal import MartletLibrary
internal import MartletProtocol

/// Where the music lies, and looking through it.
extension Library1Interface {
    var folders: [MethodEntry] {
        [
            method("GetRoots", [], [Argument("roots", "aa{sv}")]) { me, _ in
                [.rows(try await me.library.reader().roots().map(\.pairs))]
            },
            method("AddRoot", [Argument("path", "ay")], [Argument("root", "t")]) { me, values in
                let path = values[0].bytes!
                let store = try await me.library.writer()
                guard path.first == UInt8(ascii: "/"), !path.contains(0) else {
                    throw BusError(.invalidArgs, tr("a folder of the library has an absolute path"))
                }
                guard await me.library.isFolder(path) else {
                    throw BusError(MartletFailure.notFound.errorName, tr("there is no such folder"))
                }
                let root = try await store.addRoot(path, now: me.library.now())
                try await me.library.rootsChanged(store)
                me.library.scans?.scan([LibraryScan.Place(root: root)])
                return [.id(root)]
            },
            method("RemoveRoot", [Argument("root", "t")]) { me, values in
                let store = try await me.library.writer()
                let id: RootID = values[0].id()
                if try await store.roots().contains(where: { $0.id == id && $0.isConfigured }) {
                    throw BusError(
                        MartletFailure.conflict.errorName, tr("this folder stands in the setting library.folders"))
                }
                try await store.removeRoot(id, now: me.library.now())
                try await me.library.rootsChanged(store)
                me.library.note(.content)
                return []
            },
            method("Scan") { me, _ in
                _ = try await me.library.writer()
                me.library.scans?.scan()
                me.library.note(.scan)
                return []
            },
            method("CancelScan") { me, _ in
                me.library.scans?.cancel()
                return []
            },
            method(
                "GetFailedFiles", Library1Interface.page, [Argument("total", "u"), Argument("files", "a(ays)")]
            ) { me, values in
                let reader = try await me.library.reader()
                let files = try await reader.failures(page: Library1Interface.page(values[0], values[1]))
                let rows = files.map { BusValue.structure([.bytes($0.path), .string($0.failure.words)]) }
                return [.count(try await reader.failureCount()), .array(rows, of: "(ays)")]
            },
        ]
    }
}
