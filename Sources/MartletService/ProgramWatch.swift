// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletLibrary
internal import MartletLoop
internal import MartletProtocol

/// Hears of an upgrade, and says when the process may make room: after the track that plays, or soon if none does.
///
/// The program's folder is watched by inotify(7). What was put in the program's place is tried before it counts, for
/// in the middle of an upgrade it may not run yet.
@MainActor
final class ProgramWatch {
    private let succession: Succession
    private let player: Player
    private let log: Log
    private let onDue: @MainActor () -> Void
    private let name: [UInt8]
    private var watch: DescriptorWatch?
    private let timer = MainTimer()
    private var trial: Task<Void, Never>?
    private var isReplaced = false
    private var isDue = false
    /// What was current when the wait began.
    private var entry: EntryID?

    /// A package's files come one by one; and who paused for a moment is not to press play into a gap.
    private static let quiet = Duration.seconds(2)
    /// Until what did not run is tried again.
    private static let retryInterval = Duration.seconds(60)

    /// Watches from now on. Without inotify it does not, and an upgrade comes with the next start.
    ///
    /// - Parameter onDue: Called once.
    init(succession: Succession, player: Player, log: Log, onDue: @escaping @MainActor () -> Void) {
        self.succession = succession
        self.player = player
        self.log = log
        self.onDue = onDue
        let slash = succession.program.lastIndex(of: UInt8(ascii: "/")) ?? 0
        name = Array(succession.program[slash...].dropFirst())
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return }
        let folder = succession.program[..<max(slash, 1)].map { CChar(bitPattern: $0) } + [0]
        guard unsafe inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR)) >= 0
        else {
            close(descriptor)
            return
        }
        watch = DescriptorWatch(descriptor, .reading, onEnd: { close(descriptor) }) { [weak self] in
            self?.drain(descriptor)
        }
        player.observe { [weak self] change in self?.playerChanged(change) }
    }

    private func drain(_ descriptor: CInt) {
        var isNamed = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            let events = InotifyEvent.all(in: buffer[..<count])
            if events.contains(where: { $0.name == name || $0.has(IN_Q_OVERFLOW) }) { isNamed = true }
        }
        if isNamed, !isReplaced { timer.arm(after: ProgramWatch.quiet) { [weak self] in self?.tryOut() } }
    }

    private func tryOut() {
        trial?.cancel()
        trial = Task { [weak self, succession] in
            let runs = await succession.hasSuccessor()
            guard let self, !Task.isCancelled, !isReplaced else { return }
            guard runs else {
                timer.arm(after: ProgramWatch.retryInterval) { [weak self] in self?.tryOut() }
                return
            }
            isReplaced = true
            log.notice(tr("the program was replaced; the new one takes over when nothing plays, or after this track"))
            entry = player.machine.queue.currentID
            waitForSilence()
        }
    }

    private func playerChanged(_ change: Player.PlayerChange) {
        guard isReplaced, !isDue else { return }
        // A track that is repeated keeps its entry, and is over all the same.
        if player.machine.status == .playing, !change.heard.isEmpty || player.machine.queue.currentID != entry {
            isDue = true
            // The others who observe hear of this change first.
            timer.arm(after: .zero) { [weak self] in self?.end() }
        } else {
            waitForSilence()
        }
    }

    private func waitForSilence() {
        if player.machine.status == .playing { return timer.disarm() }
        guard !timer.isArmed else { return }
        timer.arm(after: ProgramWatch.quiet) { [weak self] in self?.end() }
    }

    private func end() {
        isDue = true
        watch?.end()
        onDue()
    }
}
