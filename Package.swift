// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The rooms of docs/architecture.md, lower layers first. A room names here what it may import; the build refuses
// any other target (`--explicit-target-dependency-import-check error` in the Makefile), and `.imports` beside this
// file lists the toolchain modules each room may use, which the compiler does not check and `make lint` does.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let shipped = strict + [.strictMemorySafety()]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: shipped)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["MartletTestSupport"], swiftSettings: strict)
}

let package = Package(
    name: "martlet",
    products: [
        .library(name: "NowPlaying", targets: ["NowPlaying"]),
        .executable(name: "martletd", targets: ["martletd"]),
        .executable(name: "martlet", targets: ["martlet"]),
    ],
    targets: [
        // Layer 0: C libraries named for Swift.
        .systemLibrary(name: "CMartletDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CMartletGStreamer", pkgConfig: "gstreamer-audio-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(name: "CMartletSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CMartletTagLib", linkerSettings: [.linkedLibrary("tag"), .linkedLibrary("z")]),
        .systemLibrary(name: "CMartletUchardet", pkgConfig: "uchardet", providers: [.apt(["libuchardet-dev"])]),
        .systemLibrary(name: "CMartletUtf8proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CMartletExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CMartletXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .target(name: "CMartletLoop"),
        // The one room of Swift below the others: what they wait with.
        room("MartletLoop", ["CMartletLoop"]),

        // Layer 1.
        room("MartletCore"),
        room("MartletText", ["CMartletUtf8proc"]),
        room("MartletCharset", ["CMartletUchardet"]),
        room("MartletDBus", ["CMartletDBus", "MartletLoop"]),
        room("MartletSQLite", ["CMartletSQLite", "MartletLoop"]),

        // Layer 2.
        room("MartletFormats", ["MartletCore", "MartletCharset", "CMartletExpat"]),
        room("NowPlaying", ["MartletDBus"]),
        room("MartletEngine", ["MartletCore", "MartletLoop", "CMartletGStreamer"]),
        room("MartletTags", ["MartletCore", "MartletCharset", "CMartletTagLib"]),
        room("MartletProtocol", ["MartletDBus"]),

        // Layer 3.
        room(
            "MartletLibrary",
            ["MartletCore", "MartletLoop", "MartletSQLite", "MartletText", "MartletFormats", "CMartletXXHash"]),

        // Layer 4.
        room(
            "MartletService",
            [
                "MartletCore", "MartletLoop", "MartletText", "MartletCharset", "MartletDBus", "MartletSQLite",
                "MartletFormats", "MartletLibrary", "NowPlaying", "MartletProtocol", "CMartletXXHash",
            ]),

        room("MartletCLI", ["MartletProtocol", "MartletCore", "MartletDBus", "MartletText"]),

        // Layer 5.
        .executableTarget(name: "martlet", dependencies: ["MartletCLI", "MartletProtocol"], swiftSettings: shipped),
        .executableTarget(
            name: "martletd",
            dependencies: ["MartletService", "MartletEngine", "MartletTags", "MartletCharset", "MartletLoop"],
            swiftSettings: shipped),

        // Tests.
        .target(
            name: "MartletTestSupport", dependencies: ["MartletCore", "MartletDBus"], path: "Tests/MartletTestSupport",
            swiftSettings: strict),
        // Measures the collection; Tests/Bench calls it.
        .executableTarget(
            name: "LibraryBench", dependencies: ["MartletLibrary", "MartletCore", "MartletTags", "MartletSQLite"],
            path: "Tests/LibraryBench", swiftSettings: strict),
        // A loop needs a main thread of its own; Tests/BlackBox/loop.test runs it.
        .executableTarget(
            name: "LoopExercise", dependencies: ["MartletLoop"], path: "Tests/LoopExercise", swiftSettings: strict),
        tests("MartletCoreTests", ["MartletCore"]),
        tests("MartletTextTests", ["MartletText", "MartletCore"]),
        tests("MartletCharsetTests", ["MartletCharset", "MartletCore"]),
        tests("MartletDBusTests", ["MartletDBus", "MartletCore", "CMartletDBus"]),
        tests("MartletSQLiteTests", ["MartletSQLite"]),
        tests("MartletFormatsTests", ["MartletFormats", "MartletCore"]),
        tests("NowPlayingTests", ["NowPlaying", "MartletDBus", "MartletCore"]),
        tests("MartletEngineTests", ["MartletEngine", "MartletCore"]),
        tests("MartletTagsTests", ["MartletTags", "MartletCharset", "MartletCore"]),
        tests("MartletProtocolTests", ["MartletProtocol", "MartletDBus"]),
        tests(
            "MartletLibraryTests",
            ["MartletLibrary", "MartletCore", "MartletSQLite", "MartletText", "MartletFormats", "MartletTags"]),
        tests(
            "MartletServiceTests",
            [
                "MartletService", "MartletLibrary", "MartletTags", "MartletCore", "MartletDBus", "NowPlaying",
                "MartletProtocol", "MartletSQLite",
            ]),
        tests("MartletCLITests", ["MartletCLI", "MartletProtocol", "MartletText"]),
        tests("IntegrationTests", ["MartletDBus", "MartletProtocol"]),
    ],
    cLanguageStandard: .c17,
    cxxLanguageStandard: .cxx17
)
