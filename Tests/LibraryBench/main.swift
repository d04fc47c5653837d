// SPDX-License-Identifier: Apache-2.0
import Glibc
import MartletCore
import MartletLibrary
import MartletTags

// library-bench FOLDER DATABASE [TIMES]: scans the folder into the database and says, a line a scan, what it took.
// library-bench search FOLDER [TRACKS [QUERIES]]: makes a library of so many tracks there, unless one is there, and says what
// searches of it take, kind by kind.
// A database that is there is brought up to date; memory is the highest so far (`VmHWM`).

func processorTime() -> Double {
    var usage = rusage()
    getrusage(0, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// In MiB.
func peakMemory() -> Double {
    var usage = rusage()
    getrusage(0, &usage)
    return Double(usage.ru_maxrss) / 1024
}

func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

func measure(_ folder: String, _ path: String, times: Int) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let opened = try await LibraryStore.open(path: path, now: .now)
    for notice in opened.notices { print("notice: \(notice)") }
    let store = opened.store
    if try await store.roots().isEmpty { _ = try await store.addRoot(Array(folder.utf8), now: .now) }
    print("open \(rounded((clock.now - start) / .seconds(1))) s")
    for _ in 0..<times {
        let start = clock.now
        let used = processorTime()
        let report = try await LibraryScan(store: store, tags: TagLibReader(), now: { .now }).run()
        let seconds = (clock.now - start) / .seconds(1)
        let progress = report.progress
        print(
            "found \(progress.found) read \(progress.read) failed \(progress.failed) missing \(report.missing)",
            "moved \(report.moved) wall \(rounded(seconds)) s cpu \(rounded(processorTime() - used)) s",
            "rate \(Int(Double(progress.read) / seconds))/s peak \(rounded(peakMemory())) MiB")
    }
    try await store.close()
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: LibraryBench FOLDER DATABASE [TIMES] | search FOLDER [TRACKS [QUERIES]]")
    exit(2)
}
func number(_ index: Int, _ usual: Int) -> Int {
    arguments.count > index ? Int(arguments[index]) ?? usual : usual
}
if arguments[1] == "search" {
    try await measureSearch(arguments[2], count: number(3, 1_000_000), queries: number(4, 1000))
    exit(0)
}
try await measure(arguments[1], arguments[2], times: number(3, 1))
