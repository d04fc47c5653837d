// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A program of somebody else's: it knows this repository as a dependency, and one product of it.
let package = Package(
    name: "ten-lines",
    dependencies: [.package(name: "martlet", path: "../../..")],
    targets: [
        .executableTarget(
            name: "ten-lines", dependencies: [.product(name: "NowPlaying", package: "martlet")],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
