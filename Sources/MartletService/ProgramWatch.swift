// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import MartletCore
internal import MartletLoop
internal import MartletProtocol

/// Hears of an upgrade, and says when the process may make room: after the track that plays, or soon if none does.
///
/// The program's folder is watched by inotify(7), for a file that is put in place of another is another file. What came
/// there is looked at, and tried before it counts: in the middle of an upgrade it may not run yet.
@MainActor
final class ProgramWatch {
    private let succession: Succession
    private let player: Player
    private let log: Log
    private let onDue: @MainActor () -> Void
    private var watch: DescriptorWatch?
    private let timer = MainTimer()
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
        // Whatever came is looked at itself.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while unsafe buffer.withUnsafeMutableBytes({ unsafe read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
        if !isReplaced { tryOut(after: ProgramWatch.quiet) }
    }

    private func tryOut(after delay: Duration) {
        timer.arm(after: delay) { [weak self] in
            guard let self else { return }
            Task { [self] in take(await succession.candidate()) }
        }
    }

    private func take(_ candidate: Succession.Candidate) {
        guard !isReplaced else { return }
        switch candidate {
        case .none: break
        case .unfit: if !timer.isArmed { tryOut(after: ProgramWatch.retryInterval) }
        case .fit:
            isReplaced = true
            timer.disarm()
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
