// SPDX-License-Identifier: Apache-2.0
// The main loop put through its paces, in a process of its own: a loop needs the main thread. Ends with
// "N passed, N failed".
import Dispatch
import Glibc
import MartletLoop
import Synchronization

let loop = MainLoop()
var passed = 0
var failed = 0

@MainActor func check(_ sentence: String, _ holds: Bool) {
    if holds {
        passed += 1
    } else {
        failed += 1
        print("failed: \(sentence)")
    }
}

/// A step that has to come to an end by itself, within seconds.
@MainActor func eventually(_ sentence: String, _ body: (@escaping @MainActor () -> Void) -> Void) async {
    let limit = MainTimer()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        var isOver = false
        @MainActor func end(_ holds: Bool) {
            guard !isOver else { return }
            isOver = true
            check(sentence, holds)
            continuation.resume()
        }
        limit.arm(after: .seconds(5)) { end(false) }
        body { end(true) }
    }
    limit.disarm()
}

@MainActor func pipePair() -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return (ends[0], ends[1])
}

@MainActor func put(_ text: String, into descriptor: CInt) { _ = write(descriptor, text, text.utf8.count) }

/// How often this process gave up its processors, all threads added.
@MainActor func switches() -> Int {
    var count = 0
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard let file = fopen("/proc/self/task/\(name)/status", "r") else { continue }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split { $0.isWhitespace }
            if words.first == "voluntary_ctxt_switches:" { count += Int(words[1]) ?? 0 }
        }
        fclose(file)
    }
    return count
}

@MainActor func timers() async {
    await eventually("timers ring in the order of their instants, whatever the order they were armed in") { done in
        let (late, early, middle) = (MainTimer(), MainTimer(), MainTimer())
        var rung: [String] = []
        late.arm(after: .milliseconds(30)) {
            rung.append("late")
            check("each once", rung == ["early", "middle", "late"])
            withExtendedLifetime((late, early, middle)) { done() }
        }
        early.arm(after: .milliseconds(5)) { rung.append("early") }
        middle.arm(after: .milliseconds(10)) { rung.append("middle") }
    }
    await eventually("a timer that is disarmed, armed anew or gone does not ring as it was") { done in
        let (disarmed, moved, last) = (MainTimer(), MainTimer(), MainTimer())
        disarmed.arm(after: .milliseconds(5)) { check("a disarmed timer rang", false) }
        disarmed.disarm()
        moved.arm(after: .milliseconds(5)) { check("the first call of a timer that was armed anew came", false) }
        moved.arm(after: .milliseconds(15)) {}
        MainTimer().arm(after: .milliseconds(5)) { check("a timer that nobody has rang", false) }
        last.arm(after: .milliseconds(40)) {
            check("a timer has rung and is not armed", !moved.isArmed)
            withExtendedLifetime((disarmed, moved, last)) { done() }
        }
    }
    await eventually("a timer for now rings on a later turn, and may arm itself again") { done in
        let timer = MainTimer()
        var count = 0
        var isInside = true
        @MainActor func again() {
            check("not inside the call that arms it", !isInside)
            count += 1
            if count == 100 { return withExtendedLifetime(timer) { done() } }
            isInside = true
            timer.arm(after: .zero, again)
            isInside = false
        }
        timer.arm(after: .seconds(-1), again)
        isInside = false
    }
    await eventually("one of two that are due at once can disarm the other") { done in
        let (first, second, last) = (MainTimer(), MainTimer(), MainTimer())
        let instant = MainTimer.now + 5_000_000
        first.arm(at: instant) { second.disarm() }
        second.arm(at: instant + 1) { check("it rang all the same", false) }
        last.arm(at: instant + 20_000_000) { withExtendedLifetime((first, second, last)) { done() } }
        // Both are past when the loop looks.
        while MainTimer.now < instant + 2 {}
    }
}

@MainActor func descriptors() async {
    let (reading, writing) = pipePair()
    var watch: DescriptorWatch?
    await eventually("a descriptor is told of until it is empty") { done in
        var told = 0
        put("abc", into: writing)
        watch = DescriptorWatch(reading, .reading) {
            told += 1
            var byte: UInt8 = 0
            read(reading, &byte, 1)
            if told == 3 { done() }
        }
    }
    await eventually("paused it says nothing; enabled again it tells what came meanwhile") { done in
        watch?.end()
        var isPaused = true
        watch = DescriptorWatch(reading, .reading, isEnabled: false) {
            check("told while it was paused", !isPaused)
            watch?.setEnabled(false)
            done()
        }
        put("d", into: writing)
        let timer = MainTimer()
        timer.arm(after: .milliseconds(20)) {
            isPaused = false
            withExtendedLifetime(timer) { watch?.setEnabled(true) }
        }
    }
    await eventually("a handler may end its own watch, and the descriptor can be closed then") { done in
        watch?.end()
        watch = DescriptorWatch(reading, .reading, onEnd: { close(reading) }) {
            watch?.end()
            check("it is closed", fcntl(reading, F_GETFD) == -1)
            watch = nil
            done()
        }
    }
    close(writing)

    let pairs = [pipePair(), pipePair()]
    var watches: [DescriptorWatch] = []
    await eventually("of two that are ready at once the first can end the second") { done in
        for (index, pair) in pairs.enumerated() {
            put("x", into: pair.writing)
            watches.append(
                DescriptorWatch(pair.reading, .reading) {
                    watches[1 - index].end()
                    watches[index].end()
                    // An event for the other would have to come before this.
                    DispatchQueue.main.async { done() }
                })
        }
    }
    for pair in pairs {
        close(pair.reading)
        close(pair.writing)
    }

    let closed = pipePair()
    close(closed.writing)
    await eventually("the end of the other side is told") { done in
        watches = [
            DescriptorWatch(closed.reading, .reading) {
                watches[0].setEnabled(false)
                done()
            }
        ]
    }
    let before = switches()
    await eventually("a paused watch of a closed end keeps nobody awake") { done in
        let timer = MainTimer()
        let used = clock()
        timer.arm(after: .milliseconds(300)) {
            check("no processor time", clock() - used < CLOCKS_PER_SEC / 50)
            check("no wake-ups", switches() - before < 20)
            withExtendedLifetime(timer) { done() }
        }
    }
    watches = []
    close(closed.reading)
}

actor Elsewhere {
    func add(_ a: Int, _ b: Int) -> Int { a + b }
}

@MainActor func tasks() async {
    await eventually("work for the main queue runs, in order, also a hundred thousand of it from another thread") {
        done in
        nonisolated(unsafe) var last = -1
        DispatchQueue.global().async {
            for number in 0..<100_000 {
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        if number != last + 1 { check("in order", false) }
                        last = number
                        if number == 99_999 { done() }
                    }
                }
            }
        }
    }
    let elsewhere = Elsewhere()
    var sum = 0
    for number in 0..<1_000 { sum = await elsewhere.add(sum, number) }
    check("a task goes to another actor and comes back", sum == 499_500)
    let began = MainTimer.now
    try? await Task.sleep(for: .milliseconds(30))
    check("a task sleeps for as long as it was to", MainTimer.now - began >= 30_000_000)
    await eventually("what a handler leaves for later comes before the next event") { done in
        let (reading, writing) = pipePair()
        var order: [String] = []
        put("ab", into: writing)
        var watch: DescriptorWatch?
        watch = DescriptorWatch(reading, .reading, onEnd: { close(reading) }) {
            var byte: UInt8 = 0
            read(reading, &byte, 1)
            order.append("event")
            DispatchQueue.main.async { order.append("later") }
            if order.count > 2 {
                check("\(order)", order == ["event", "later", "event"])
                watch?.end()
                close(writing)
                done()
            }
        }
    }
}

@MainActor func signals() async {
    var watch: SignalWatch?
    await eventually("a signal is told on the main actor and does not end the process") { done in
        watch = SignalWatch([SIGHUP, SIGTERM]) { number in
            if number == SIGTERM { done() } else { kill(getpid(), SIGTERM) }
        }
        kill(getpid(), SIGHUP)
    }
    withExtendedLifetime(watch) {}
}

@MainActor func threads() -> Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = -2
    while readdir(folder) != nil { count += 1 }
    return count
}

final class Counter: Sendable {
    let value = Atomic<Int>(0)
}

@MainActor func queues() async {
    let before = threads()
    await eventually("a queue does its work in order, one after the other, on another thread") { done in
        let queue = WorkQueue(label: "in-order")
        nonisolated(unsafe) var order: [Int] = []
        let main = pthread_self()
        for number in 0..<5_000 {
            queue.async {
                order.append(number)
                if number == 4_999 {
                    let isElsewhere = pthread_equal(main, pthread_self()) == 0
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated {
                            check("all of it, in order, elsewhere", order == Array(0..<5_000) && isElsewhere)
                            done()
                        }
                    }
                }
            }
        }
    }
    await eventually("work that blocks holds up as much of a wide queue as is blocked") { done in
        let queue = WorkQueue(label: "wide", width: 3)
        let (reading, writing) = pipePair()
        _ = fcntl(reading, F_SETFL, 0)
        for _ in 0..<2 {
            queue.async {
                var byte: UInt8 = 0
                read(reading, &byte, 1)
            }
        }
        queue.async {
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    put("ab", into: writing)
                    done()
                }
            }
        }
    }
    let queue = WorkQueue(label: "sum", width: 4)
    let counter = Counter()
    for _ in 0..<1_000 { queue.async { counter.value.add(1, ordering: .relaxed) } }
    var sum = 0
    for number in 0..<500 { sum += await queue.run { number } }
    check("what is run is waited for", sum == 124_750)
    check("what was given before has begun", counter.value.load(ordering: .relaxed) >= 997)
    await eventually("a queue that is let go still does what it was given") { done in
        let counter = Counter()
        for _ in 0..<100 {
            WorkQueue(label: "let go").async {
                guard counter.value.add(1, ordering: .relaxed).newValue == 100 else { return }
                DispatchQueue.main.async { MainActor.assumeIsolated { done() } }
            }
        }
    }
    // Four of "sum" wait for more; all others have nothing to wait for.
    let timer = MainTimer()
    await eventually("threads of queues that are gone end") { done in
        @MainActor func look() {
            if threads() <= before + 4 { return done() }
            timer.arm(after: .milliseconds(1), look)
        }
        look()
    }
    withExtendedLifetime(queue) {}
}

/// Pages of files that are mapped and present, by proc_pid_statm(5).
@MainActor func mappedPages() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    fgets(&line, 256, file)
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split { $0.isWhitespace }
    return Int(fields[2]) ?? -1
}

@MainActor func pages() async {
    let before = mappedPages()
    ProgramPages.release()
    let after = mappedPages()
    check("code that the start needed is let go: \(before) pages, then \(after)", after < before * 3 / 4)
    await eventually("and what is needed comes back") { done in
        let timer = MainTimer()
        timer.arm(after: .milliseconds(1)) { withExtendedLifetime(timer) { done() } }
    }
}

Task {
    await timers()
    await descriptors()
    await tasks()
    await signals()
    await queues()
    await pages()
    print("\(passed) passed, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
}
loop.run()
