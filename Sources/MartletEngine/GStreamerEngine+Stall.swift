// SPDX-License-Identifier: Apache-2.0
import MartletCore
import MartletLoop

/// What should sound must move: a look every few seconds catches whatever no message ever comes for (F185).
///
/// Damaged files end in many ways: a decoder that swallows its input, a hand-over whose second half never flows, a
/// change of state that is never confirmed. They have in common that nothing goes on.
extension GStreamerEngine {
    /// How far what is to sound had come at a look.
    struct Progress: Hashable {
        var entry: EntryID
        var phase: LoadedSource.Phase
        var seek: UInt64?
        var position: Duration?
        var horizon: Duration?
    }

    /// Begins to look, and goes on while something is to sound.
    func watchProgress() {
        lastProgress = nil
        stalledLooks = 0
        lookLater()
    }

    private func lookLater() {
        stallTimer.arm(after: options.stallCheck) { [weak self] in self?.lookAtProgress() }
    }

    private func lookAtProgress() {
        guard let source, source.wantsPlaying, let pipeline else { return }
        switch source.phase {
        case .ended, .suspended: return
        case .starting, .positioning, .running: break
        }
        // A source that opens, or waits for the network, has a limit of its own.
        guard !watchdog.isArmed, !source.isBuffering else {
            watchProgress()
            return
        }
        let progress = Progress(
            entry: source.item.entry, phase: source.phase, seek: source.landing?.serial,
            position: pipeline.position(), horizon: pipeline.horizon())
        // A sink without a device counts on when nothing comes any more; then it is the sound that stands still.
        let isStarved =
            progress.horizon == lastProgress?.horizon
            && (pipeline.runningTime() ?? .zero) > (progress.horizon ?? .zero) + options.stallCheck
        let isStalled = progress == lastProgress || (lastProgress?.entry == progress.entry && isStarved)
        lastProgress = progress
        stalledLooks = isStalled ? stalledLooks + 1 : 0
        guard options.stallCheck * stalledLooks >= patience(with: source.taken.first ?? source.item) else {
            lookLater()
            return
        }
        if !source.taken.isEmpty {
            failTaken(.timedOut)
        } else if isNearEnd || isStarved {
            self.source?.landing = nil
            slot.release()
            ended()
        } else {
            fail(source.heldFailure ?? EngineFailure(.timedOut))
        }
    }

    /// A file comes at once or not at all; a server may take its time.
    private func patience(with item: EngineItem) -> Duration {
        item.uri.scheme == "file" ? options.stallCheck : options.watchdog
    }
}
