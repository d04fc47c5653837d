// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc

/// Hears of changes below a root by inotify(7), and says which folder to look at again.
///
/// One a root, each on a queue of its own: a mount that hangs holds up its own watch only. What changes close together is
/// told together, as the folder that holds all of it, so that a move from one folder to another is seen as one by the
/// scan. Where the system's limit of watches is reached, or the root is away, it says so and asks for a look at
/// everything from time to time.
// All mutable state is touched on `queue` only.
public final class FolderWatch: @unchecked Sendable {
    /// What the watch has to tell.
    public enum Event: Hashable, Sendable {
        /// Something changed in this folder, or below it; a path below the root, empty for all of it.
        case changed(folder: [UInt8])
        /// Not every folder can be watched: so many are. From now on there is a look at everything now and then.
        case limited(watched: Int)
        /// The root cannot be watched: it is not there, or the system has no more inotify instances.
        case away(errno: Int32)
        /// Every folder is watched (again).
        case complete(watched: Int)
    }

    /// How patient the watch is.
    public struct Timing: Sendable {
        /// Quiet before changes are told.
        public var settle = Duration.seconds(1)
        /// Changes that never settle are told after so long.
        public var patience = Duration.seconds(10)
        /// Between looks at everything, where not everything is watched.
        public var fallback = Duration.seconds(600)

        public init() {}
    }

    /// For one listener; ends with ``stop()``.
    public let events: AsyncStream<Event>

    private let continuation: AsyncStream<Event>.Continuation
    private let queue = DispatchQueue(label: "org.martlet.library.watch", qos: .utility)
    private let root: [UInt8]
    private let timing: Timing
    private let mostWatches: Int

    private var descriptor: Int32 = -1
    private var source: (any DispatchSourceRead)?
    /// Folders below the root, by watch.
    private var folders: [Int32: [UInt8]] = [:]
    private var state: Event?
    /// A look at everything is due.
    private var looksAgain = false
    private var changed: [UInt8]?
    private var changedSince: DispatchTime?
    private var lastChange = DispatchTime.now()
    private var isStopped = false

    static let interest = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR)

    /// - Parameters:
    ///   - root: The bytes of its absolute path.
    ///   - mostWatches: Watches this root may have at most, below what the system allows
    ///     (`/proc/sys/fs/inotify/max_user_watches`).
    public init(root: [UInt8], timing: Timing = Timing(), mostWatches: Int = .max) {
        self.root = root
        self.timing = timing
        self.mostWatches = mostWatches
        (events, continuation) = AsyncStream.makeStream(of: Event.self)
    }

    /// Begins. The first event tells whether everything is watched.
    public func start() {
        queue.async { self.begin() }
    }

    /// Ends the watch and its events.
    public func stop() {
        queue.async {
            self.isStopped = true
            self.letGo()
            self.continuation.finish()
        }
    }

    // MARK: Watches

    private func begin() {
        guard !isStopped else { return }
        letGo()
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return tell(.away(errno: errno)) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.drain() }
        let descriptor = descriptor
        source.setCancelHandler { close(descriptor) }
        self.source = source
        source.resume()
        switch watch([]) {
        case .whole: tell(.complete(watched: folders.count))
        case .limited: tell(.limited(watched: folders.count))
        case .absent(let code): tell(.away(errno: code))
        }
    }

    private func letGo() {
        // Closing takes all watches away.
        source?.cancel()
        source = nil
        folders = [:]
    }

    /// Tells a state once, and sees to it that a worse one is not for ever.
    private func tell(_ event: Event) {
        if state != event { continuation.yield(event) }
        state = event
        if case .complete = event { return }
        guard !looksAgain else { return }
        looksAgain = true
        queue.asyncAfter(deadline: .now() + FolderWatch.interval(timing.fallback)) { [weak self] in
            guard let self, !self.isStopped else { return }
            self.looksAgain = false
            if case .complete = self.state { return }
            // Folders may have gone, the limit may be higher, the root may be back.
            self.begin()
            self.note([])
        }
    }

    private enum Outcome {
        case whole
        case limited
        case absent(Int32)
    }

    /// Watches a folder and what is below it.
    private func watch(_ folder: [UInt8]) -> Outcome {
        var pending = [folder]
        while let next = pending.popLast() {
            if folders.count >= mostWatches { return .limited }
            let path = LibraryPath.join(root, next)
            let watch = unsafe inotify_add_watch(descriptor, FolderContent.cString(path), FolderWatch.interest)
            if watch < 0 {
                if errno == ENOSPC || errno == ENOMEM { return .limited }
                if next.isEmpty { return .absent(errno) }
                continue
            }
            // A second way to a folder has the watch of the first.
            if folders[watch] != nil { continue }
            folders[watch] = next
            pending += FolderWatch.subfolders(of: path).map { LibraryPath.below(next, $0) }
        }
        return .whole
    }

    private func forget(_ folder: [UInt8]) {
        for (watch, path) in folders where LibraryPath.contains(folder, path) {
            inotify_rm_watch(descriptor, watch)
            folders[watch] = nil
        }
    }

    private static func subfolders(of path: [UInt8]) -> [[UInt8]] {
        guard let directory = unsafe opendir(FolderContent.cString(path)) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(directory) {
            let type = unsafe Int(entry.pointee.d_type)
            guard type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN else { continue }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            // What is no folder is refused by IN_ONLYDIR.
            if name.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names
    }

    // MARK: Events

    private func drain() {
        guard !isStopped, source != nil else { return }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return }
            let inotify = descriptor
            for event in InotifyEvent.all(in: buffer[..<count]) {
                take(event)
                // It may have been begun anew.
                if descriptor != inotify { return }
            }
        }
    }

    /// For ``drain()`` and tests; on the queue.
    func take(_ event: InotifyEvent) {
        if event.has(IN_Q_OVERFLOW) {
            // Folders may have come and gone unheard.
            begin()
            return note([])
        }
        guard let folder = folders[event.watch] else { return }
        if event.has(IN_IGNORED) || event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_UNMOUNT) {
            // Of others their own folder tells.
            guard folder.isEmpty else {
                if event.has(IN_IGNORED) { folders[event.watch] = nil }
                return
            }
            letGo()
            tell(.away(errno: ENOENT))
            return note([])
        }
        guard !event.name.isEmpty, event.name.first != UInt8(ascii: ".") else { return }
        let path = LibraryPath.below(folder, event.name)
        if event.has(IN_ISDIR) {
            if event.has(IN_MOVED_FROM) || event.has(IN_DELETE) { forget(path) }
            if event.has(IN_MOVED_TO) || event.has(IN_CREATE), case .limited = watch(path) {
                tell(.limited(watched: folders.count))
            }
            note(folder)
        } else if FileKind(name: event.name) != nil {
            // One that is still being written is told when it is closed; a second name for a file never is.
            if event.has(IN_CREATE), !isSecondName(path) { return }
            note(folder)
        } else if event.has(IN_CREATE) || event.has(IN_MOVED_TO) || event.has(IN_DELETE) || event.has(IN_MOVED_FROM) {
            // A link to a folder is no folder to inotify.
            var status = stat()
            let full = FolderContent.cString(LibraryPath.join(root, path))
            let isThere = unsafe stat(full, &status) == 0
            if isThere, status.st_mode & S_IFMT == S_IFDIR {
                _ = watch(path)
                note(folder)
            } else if !isThere, folders.values.contains(path) {
                forget(path)
                note(folder)
            }
        }
    }

    private func isSecondName(_ path: [UInt8]) -> Bool {
        var status = stat()
        guard unsafe lstat(FolderContent.cString(LibraryPath.join(root, path)), &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1
    }

    /// Adds to what is to be told, and waits for quiet.
    private func note(_ folder: [UInt8]) {
        lastChange = .now()
        changed = changed.map { LibraryPath.common($0, folder) } ?? folder
        guard changedSince == nil else { return }
        changedSince = lastChange
        wait(FolderWatch.interval(timing.settle))
    }

    private func wait(_ interval: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, !self.isStopped, let since = self.changedSince, let folder = self.changed else { return }
            let now = DispatchTime.now()
            let isQuiet = self.lastChange + FolderWatch.interval(self.timing.settle) <= now
            guard isQuiet || since + FolderWatch.interval(self.timing.patience) <= now else {
                return self.wait(interval)
            }
            self.changedSince = nil
            self.changed = nil
            self.continuation.yield(.changed(folder: folder))
        }
    }

    private static func interval(_ duration: Duration) -> DispatchTimeInterval {
        .nanoseconds(Int(clamping: Nanoseconds(duration).count))
    }

    /// Runs something on the queue and waits; for tests.
    func onQueue<Result>(_ body: () -> Result) -> Result { queue.sync(execute: body) }
}

/// An event as the kernel packs it (inotify(7)).
struct InotifyEvent {
    var watch: Int32
    var mask: UInt32
    /// Within the watched folder; empty when it is about that folder.
    var name: [UInt8] = []

    func has<Bit: BinaryInteger>(_ bit: Bit) -> Bool { mask & UInt32(truncatingIfNeeded: bit) != 0 }

    static func all(in bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        unsafe bytes.withUnsafeBytes { bytes in
            var start = 0
            // int wd; uint32_t mask, cookie, len; char name[len], filled up with NULs.
            while start + 16 <= bytes.count {
                let length = unsafe Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                guard start + 16 + length <= bytes.count else { break }
                events.append(
                    InotifyEvent(
                        watch: unsafe bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                        mask: unsafe bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                        name: unsafe Array(bytes[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 })))
                start += 16 + length
            }
        }
        return events
    }
}
