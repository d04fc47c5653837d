// SPDX-License-Identifier: Apache-2.0
internal import CMartletLoop
internal import Glibc

/// The loop of a program whose main thread waits for descriptors, instants and the main queue by itself, in place of
/// `dispatchMain()`.
///
/// Dispatch serves a main queue of its own with two threads: one that waits for events, and one that runs what they call.
/// A message then wakes both, and the first again to be armed anew, and once a second the first wakes for the sake of the
/// pool. Here an event is one return of `epoll_wait(2)` on the thread that handles it. The main queue is served between
/// events, so tasks, actors and `DispatchQueue.main` work as ever.
///
/// ``DescriptorWatch`` and ``MainTimer`` use it where there is one and Dispatch elsewhere: rooms that are also used in programs
/// without this loop need not know.
///
/// On the main actor, and made on the main thread before anything that is to use it.
@MainActor
public final class MainLoop {
    /// The program's loop; `nil` when the main queue is served by Dispatch or by a run loop.
    public private(set) static var current: MainLoop?

    private let poller: CInt
    private let alarm: CInt
    private var watches: [UInt64: @MainActor () -> Void] = [:]
    private var timers: [ObjectIdentifier: WeakTimer] = [:]
    private var armedFor = UInt64.max
    private var lastToken: UInt64 = 1

    private struct WeakTimer {
        weak var timer: MainTimer?
        var deadline: UInt64
    }

    /// What an event is about, beside watches.
    private static let mainQueueToken: UInt64 = 0
    private static let alarmToken: UInt64 = 1

    /// Makes the loop of this program. There can be one.
    public init() {
        precondition(MainLoop.current == nil, "a program has one main loop")
        poller = epoll_create1(CInt(EPOLL_CLOEXEC))
        alarm = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
        precondition(poller >= 0 && alarm >= 0, "no descriptor is left")
        // By edge: the number in it needs never be read.
        add(_dispatch_get_main_queue_handle_4CF(), MainLoop.mainQueueToken, EPOLLIN.rawValue | EPOLLET.rawValue)
        add(alarm, MainLoop.alarmToken, EPOLLIN.rawValue)
        MainLoop.current = self
        unsafe martlet_take_jobs(jobArrived)
    }

    /// Serves events for as long as the process lives.
    public func run() -> Never {
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 16)
        // What came before the loop was there has had its edge.
        _dispatch_main_queue_callback_4CF(nil)
        while true {
            let count = unsafe epoll_wait(poller, events.baseAddress, CInt(events.count), -1)
            for index in 0..<max(Int(count), 0) {
                let token = unsafe events[index].data.u64
                switch token {
                case MainLoop.mainQueueToken: break
                case MainLoop.alarmToken: fire()
                // A handler before this one may have ended the watch.
                default: watches[token]?()
                }
                // The end of an event's turn: what it left for later comes before the next event.
                _dispatch_main_queue_callback_4CF(nil)
            }
        }
    }

    // MARK: Descriptors

    /// Watches a descriptor; the handler runs again and again while it is ready.
    func watch(_ descriptor: CInt, _ direction: DescriptorWatch.Direction, _ ready: @escaping @MainActor () -> Void)
        -> UInt64
    {
        lastToken += 1
        watches[lastToken] = ready
        add(descriptor, lastToken, direction == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue)
        return lastToken
    }

    /// Ends a watch, before its descriptor is closed.
    func unwatch(_ descriptor: CInt, _ token: UInt64) {
        watches[token] = nil
        var ignored = unsafe epoll_event()
        unsafe epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &ignored)
    }

    private func add(_ descriptor: CInt, _ token: UInt64, _ events: UInt32) {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: token))
        unsafe epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
    }

    // MARK: Instants

    /// - Parameter deadline: In nanoseconds of the monotonic clock.
    func arm(_ timer: MainTimer, for deadline: UInt64) {
        timers[ObjectIdentifier(timer)] = WeakTimer(timer: timer, deadline: deadline)
        setAlarm()
    }

    func disarm(_ timer: ObjectIdentifier) {
        if timers.removeValue(forKey: timer) != nil { setAlarm() }
    }

    private func fire() {
        var expirations: UInt64 = 0
        unsafe read(alarm, &expirations, 8)
        armedFor = .max
        let now = MainTimer.now
        let due = timers.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
        for (id, entry) in due {
            // One before it may have disarmed it or put it off.
            guard timers[id]?.deadline == entry.deadline else { continue }
            timers[id] = nil
            entry.timer?.fire()
        }
        setAlarm()
    }

    private func setAlarm() {
        let earliest = timers.values.map(\.deadline).min() ?? .max
        guard earliest != armedFor else { return }
        armedFor = earliest
        // Nought would disarm it; what is past rings at once.
        let nanoseconds = earliest == .max ? 0 : max(Int(clamping: earliest), 1)
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        unsafe timerfd_settime(alarm, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    }
}

/// The threads of tasks that belong to no actor: a continuation that is resumed passes through here, too. Dispatch's pool, which
/// they had otherwise, is looked at by Dispatch once a second for as long as the process lives.
private final class TaskThreads: TaskExecutor {
    static let all = TaskThreads()
    private let queue = WorkQueue(label: "tasks", width: max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2))

    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }

    func run(_ job: UnownedJob) {
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

private func jobArrived(_ job: UnsafeMutableRawPointer?) {
    if let job = unsafe job { TaskThreads.all.run(unsafe unsafeBitCast(job, to: UnownedJob.self)) }
}
