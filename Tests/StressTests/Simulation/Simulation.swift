import StressSupport
import Foundation
import Synchronization

import Tidemark
@testable import TidemarkEssentials

/// A small world in which one thing happens at a time, in an order that a seed determines.
///
/// Tasks run on its task executor, threads are fibers that run when it is their turn, and time passes when there is
/// nothing else to do. Nothing is left to the system: the same seed gives the same trace.
final class Simulation: @unchecked Sendable {
  // The running fiber or the thread of `run` has exclusive access to all of this.
  private var ready: [Step] = []
  private var timers: [Timer] = []
  private var numbers: RandomNumbers
  private var lastTimer = 0
  private var unfinishedCount = 0
  private var idleFibers: [Fiber] = []
  private(set) var fiberCount = 0

  /// A digest of the events.
  private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var stepCount = 0
  private(set) var time = Duration.zero

  fileprivate(set) var current: Fiber?

  private enum Step {
    case job(UnownedJob, SimulatedTaskExecutor)
    case fiber(Fiber)
  }

  private struct Timer {
    var time: Duration
    var number: Int
    var body: @Sendable () -> Void

    func isBefore(_ other: Timer) -> Bool { (time, number) < (other.time, other.number) }
  }

  /// The operations that were pending when no event was left.
  struct Stuck: Error, CustomStringConvertible {
    var unfinishedCount: Int
    var description: String { "\(unfinishedCount) activities wait for something that will not happen" }
  }

  init(seed: UInt64) {
    numbers = RandomNumbers(seed: seed, stream: 77)
  }

  // MARK: - Activities

  /// Starts a task.
  ///
  /// - Parameter isEndless: Whether it may wait when there is nothing else to do.
  @discardableResult
  func task(isEndless: Bool = false, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if !isEndless { unfinishedCount += 1 }
    return Task.detached(executorPreference: SimulatedTaskExecutor(self)) {
      await body()
      if !isEndless { self.unfinishedCount -= 1 }
    }
  }

  /// Starts a thread.
  func thread(_ body: @escaping @Sendable () -> Void) {
    unfinishedCount += 1
    fiber {
      body()
      self.unfinishedCount -= 1
    }
  }

  /// Runs a closure on a thread when it is its turn.
  fileprivate func fiber(_ body: @escaping @Sendable () -> Void) {
    let fiber = idleFibers.popLast() ?? newFiber()
    fiber.job = body
    ready.append(.fiber(fiber))
  }

  private func newFiber() -> Fiber {
    fiberCount += 1
    return Fiber(number: fiberCount, of: self)
  }

  fileprivate func isIdle(_ fiber: Fiber) { idleFibers.append(fiber) }
  fileprivate func resume(_ fiber: Fiber) { ready.append(.fiber(fiber)) }
  fileprivate func enqueue(_ job: UnownedJob, _ executor: SimulatedTaskExecutor) { ready.append(.job(job, executor)) }

  /// Lets others go first, perhaps. To be called between two statements.
  func yield() {
    guard let fiber = current else { return }
    ready.append(.fiber(fiber))
    fiber.handBack()
  }

  /// A number below a bound.
  func below(_ bound: Int) -> Int { numbers.below(bound) }

  // MARK: - Time

  /// Calls a closure when some time has passed.
  func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    lastTimer += 1
    let number = lastTimer
    timers.append(Timer(time: time + max(duration, .zero), number: number, body: body))
    return { [weak self] in self?.timers.removeAll { $0.number == number } }
  }

  /// The number of pending timers.
  var timerCount: Int { timers.count }

  /// Waits, on a fiber.
  func sleep(_ duration: Duration) {
    guard let fiber = current else { preconditionFailure("Only a fiber can sleep") }
    _ = after(duration) { [self] in resume(fiber) }
    fiber.handBack()
  }

  // MARK: - Running

  /// Runs until there is nothing to do any more before some time.
  func run(until end: Duration = .seconds(3600)) throws {
    defer {
      for fiber in idleFibers { fiber.end() }
      idleFibers = []
    }
    while true {
      if ready.isEmpty {
        guard let next = timers.indices.min(by: { timers[$0].isBefore(timers[$1]) }) else { break }
        let timer = timers.remove(at: next)
        // Some wait with timers, and would do so for ever.
        if timer.time > end { break }
        time = max(time, timer.time)
        note(UInt64(timer.number) &+ 1 << 40)
        timer.body()
        continue
      }
      let signal = numbers.below(ready.count)
      note(UInt64(signal) &+ UInt64(ready.count) << 20)
      switch ready.remove(at: signal) {
      case .job(let job, let executor):
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
      case .fiber(let fiber):
        note(UInt64(fiber.number) << 50)
        current = fiber
        fiber.takeTurn()
        current = nil
      }
    }
    if unfinishedCount > 0 { throw Stuck(unfinishedCount: unfinishedCount) }
  }

  private func note(_ number: UInt64) {
    stepCount += 1
    trace = (trace ^ number) &* 0x0000_0100_0000_01B3
  }
}

/// Runs tasks when it is their turn.
final class SimulatedTaskExecutor: TaskExecutor {
  private let simulation: Simulation

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  func enqueue(_ job: consuming ExecutorJob) {
    simulation.enqueue(UnownedJob(job), self)
  }
}

/// A thread that runs when it is its turn.
final class Fiber: @unchecked Sendable {
  let number: Int
  fileprivate var job: (@Sendable () -> Void)?
  private let mine = Baton()
  private let others = Baton()

  fileprivate init(number: Int, of simulation: Simulation) {
    self.number = number
    let thread = Thread { [self, unowned simulation] in
      mine.take()
      while let job {
        self.job = nil
        job()
        simulation.isIdle(self)
        others.hand()
        mine.take()
      }
      others.hand()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Runs until it hands back.
  fileprivate func takeTurn() {
    mine.hand()
    others.take()
  }

  /// Called on the fiber.
  fileprivate func handBack() {
    others.hand()
    mine.take()
  }

  fileprivate func end() {
    job = nil
    takeTurn()
  }
}

/// Handed from one thread to another, in a way that the thread sanitizer sees.
private final class Baton: @unchecked Sendable {
  private let condition = NSCondition()
  private var isHanded = false

  func hand() {
    condition.lock()
    isHanded = true
    condition.signal()
    condition.unlock()
  }

  func take() {
    condition.lock()
    while !isHanded { condition.wait() }
    isHanded = false
    condition.unlock()
  }
}

// MARK: - What the library takes from the world

extension Simulation {
  var environment: Environment {
    Environment(
      vfs: nil,
      clock: MonotonicClock(
        now: { [self] in time }, sleep: { [self] in sleep($0) }, after: { [self] in after($0, $1) }),
      makeExecutor: { [self] _, countMax in SimulatedExecutor(self, countMax) },
      makeWaitSignal: { [self] in SimulatedWaitSignal(self) })
  }
}

/// Runs accesses on fibers, so many at the same time.
private final class SimulatedExecutor: AccessExecutor, @unchecked Sendable {
  private let simulation: Simulation
  private let countMax: Int
  private var runningCount = 0
  private var jobs: [@Sendable () -> Void] = []

  init(_ simulation: Simulation, _ countMax: Int) {
    self.simulation = simulation
    self.countMax = countMax
  }

  func execute(_ job: @escaping @Sendable () -> Void) {
    jobs.append(job)
    if runningCount < countMax { begin() }
  }

  private func begin() {
    runningCount += 1
    simulation.fiber { [self] in
      while !jobs.isEmpty { jobs.removeFirst()() }
      runningCount -= 1
    }
  }

  func executeBeside(_ job: @escaping @Sendable () -> Void) { simulation.fiber(job) }

  func retire() {}
}

private final class SimulatedWaitSignal: WaitSignal, @unchecked Sendable {
  private let simulation: Simulation
  private var isNotified = false
  private var waiting: Fiber?

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  func notify() {
    isNotified = true
    if let fiber = waiting {
      waiting = nil
      simulation.resume(fiber)
    }
  }

  func wait() {
    if isNotified { return }
    guard let fiber = simulation.current else { preconditionFailure("Only a fiber can wait") }
    waiting = fiber
    fiber.handBack()
  }

  func wait(for duration: Duration) -> Bool {
    if isNotified { return true }
    guard let fiber = simulation.current else { preconditionFailure("Only a fiber can wait") }
    waiting = fiber
    let stop = simulation.after(duration) { [self] in
      guard waiting === fiber else { return }
      waiting = nil
      simulation.resume(fiber)
    }
    fiber.handBack()
    stop()
    return isNotified
  }
}
