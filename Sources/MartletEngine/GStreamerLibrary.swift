// SPDX-License-Identifier: Apache-2.0
import CMartletGStreamer
import MartletCore

/// GStreamer itself: initialised once in a process, with the decoders we prefer.
enum GStreamerLibrary {
    /// Why GStreamer cannot be used; `nil` when it can. The first call initialises, which takes 10 ms with a warm plugin
    /// registry and up to a second with a cold one: never on the main actor.
    static func failure() -> EngineFailure? { initialisation }

    private static let initialisation: EngineFailure? = {
        var error: UnsafeMutablePointer<GError>?
        guard unsafe gst_init_check(nil, nil, &error) != 0 else {
            defer { unsafe g_clear_error(&error) }
            let detail = unsafe error.map { unsafe String(cString: $0.pointee.message) }
            return EngineFailure(
                cause: .other, message: "GStreamer could not be initialised.", debugText: detail)
        }
        preferLightDecoders()
        return nil
    }()

    /// Lifts decoders that play the same samples as libav's without loading its 35 MiB.
    ///
    /// Not faad: it saves as much on AAC, but loses a packet more at each join than avdec_aac does.
    private static func preferLightDecoders() {
        for name in ["mpg123audiodec", "flacdec", "vorbisdec", "opusdec"] {
            raise(name, above: GST_RANK_PRIMARY)
        }
    }

    private static func raise(_ name: String, above rank: GstRank) {
        guard let feature = unsafe gst_registry_lookup_feature(gst_registry_get(), name) else { return }
        unsafe gst_plugin_feature_set_rank(feature, guint(rank.rawValue) + 1)
        unsafe gst_object_unref(UnsafeMutableRawPointer(feature))
    }
}
