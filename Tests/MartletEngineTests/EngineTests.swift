// SPDX-License-Identifier: Apache-2.0
import Testing

/// Every suite of this room, one test after another: they play in real time on the main actor, and one that has to
/// keep up with a pipeline cannot share it with one that encodes a file.
@Suite(.serialized)
enum EngineTests {}
