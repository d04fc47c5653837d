// SPDX-License-Identifier: Apache-2.0
internal import MartletCore
internal import MartletDBus
internal import MartletLoop
internal import MartletProtocol

/// Covers in the size somebody asks for, out of the one store of pictures.
///
/// Files are read and pictures scaled on two threads of its own, which come and go with the requests: a picture that is hard to
/// decode holds one of them, and only until the scaler gives up.
final class CoverDesk: Sendable {
    private let reader: any TagReader
    private let artwork: ArtworkCache
    private let scaler: any ImageScaler
    private let log: Log
    private let queue = WorkQueue(label: "covers", width: 2)
    private let onGrowth: @MainActor @Sendable () -> Void

    /// The largest side that may be asked for, in pixels.
    static let largestSide: UInt32 = 4096

    /// - Parameter onGrowth: Told when the store may have grown.
    init(
        reader: any TagReader, artwork: ArtworkCache, scaler: any ImageScaler, log: Log,
        onGrowth: @escaping @MainActor @Sendable () -> Void
    ) {
        self.reader = reader
        self.artwork = artwork
        self.scaler = scaler
        self.log = log
        self.onGrowth = onGrowth
    }

    /// A side as it comes over the bus.
    static func side(_ value: BusValue) throws(BusError) -> Int {
        let side = value.uint32!
        guard side <= largestSide else {
            throw BusError(.invalidArgs, tr("a picture's side is at most {0} pixels", String(largestSide)))
        }
        return Int(side)
    }

    /// A stored picture, fitted into a square.
    ///
    /// - Parameter side: In pixels; 0 for the picture as it is.
    /// - Returns: `nil` if it cannot be shown in that size.
    @MainActor
    func picture(_ picture: MediaURI, side: Int) async -> MediaURI? {
        let found = await queue.run { [self] in thumbnail(picture, side) }
        onGrowth()
        return found
    }

    /// The cover of the first of these files that has one.
    @MainActor
    func cover(of paths: [[UInt8]], side: Int) async -> MediaURI? {
        let found: MediaURI? = await queue.run { [self] in
            for path in paths {
                if let picture = stored(path) { return thumbnail(picture, side) }
            }
            return nil
        }
        onGrowth()
        return found
    }

    private func stored(_ path: [UInt8]) -> MediaURI? {
        let reading = try? reader.read(path: path, wanted: .picture)
        do {
            return try artwork.store(embedded: reading?.picture?.bytes, beside: path)
        } catch {
            log.warning("cannot keep a cover picture: \(error)")
            return nil
        }
    }

    private func thumbnail(_ picture: MediaURI, _ side: Int) -> MediaURI? {
        do throws(ThumbnailError) {
            return try artwork.thumbnail(of: picture, side: side, by: scaler)
        } catch {
            switch error {
            case .file(let error): log.warning("cannot keep a cover picture: \(error)")
            case .scaling(let error): log.debug("a cover cannot be scaled: \(error.message)")
            }
            return nil
        }
    }
}
