import Foundation
import Tidemark

/// An observation, and its state in the model.
final class ModelObservation {
  let query: ModelQuery
  let database: ModelDatabase
  let received: ModelReceivedValues
  private let cancellable: AnyDatabaseCancellable

  /// The version of the file that was current at the start.
  let firstVersion: Int
  var isCancelled = false

  /// Whether a fetch may have been interrupted, which ends the observation.
  var mayBeInterrupted = false

  init(_ query: ModelQuery, _ database: ModelDatabase, _ kind: ModelObserve.Kind, _ fault: ModelFault?) {
    (self.query, self.database) = (query, database)
    firstVersion = database.file.versions.count - 1
    let received = ModelReceivedValues(drops: fault == .dropsValue)
    self.received = received
    cancellable = kind.start(query, database.writer, received)
  }

  func cancel() {
    isCancelled = true
    cancellable.cancel()
    received.stop()
  }
}

/// The values that an observation has delivered.
final class ModelReceivedValues: @unchecked Sendable {
  // The condition protects all properties.
  private let condition = NSCondition()
  private let drops: Bool
  private var count = 0
  private var list: [String] = []
  private var error: String?
  private var isStopped = false
  private var afterStop: String?

  init(drops: Bool) { self.drops = drops }

  func add(_ value: String) {
    condition.withLock {
      count += 1
      if isStopped { afterStop = value }
      if drops, count % 3 == 0 { return }
      list.append(value)
      condition.signal()
    }
  }

  func fail(_ error: any Error) {
    condition.withLock {
      self.error = ModelError(of: error).label
      condition.signal()
    }
  }

  func stop() { condition.withLock { isStopped = true } }

  /// The delivered values, and the error.
  var state: (values: [String], error: String?) { condition.withLock { (list, error) } }

  /// A value that was delivered after the observation was cancelled.
  var lateValue: String? { condition.withLock { afterStop } }

  /// Waits until the last value or the error is acceptable.
  func wait(_ patience: Duration, _ isAcceptable: (_ last: String?, _ error: String?) -> Bool) -> Bool {
    let end = ContinuousClock.now + patience
    condition.lock()
    defer { condition.unlock() }
    while !isAcceptable(list.last, error) {
      if ContinuousClock.now > end { return false }
      _ = condition.wait(until: Date.now + 0.02)
    }
    return true
  }
}

/// Starts, checks, and cancels observations.
struct ModelObserve: ModelCommand {
  enum Kind: String, CaseIterable, Sendable {
    case immediate, onQueue, inTask, shared, removingDuplicates, constantRegion
  }

  private let slot: Int
  private let database: Int
  private let kind: Kind
  private let query: ModelQuery
  private let cancels: Bool

  init(_ random: inout RandomNumbers) {
    slot = random.below(3)
    database = random.slot()
    kind = Kind.allCases.randomElement(using: &random) ?? .onQueue
    query = ModelQuery(&random)
    cancels = random.once(in: 6)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let observation = world.observations[slot] else { return try start(world) }
    if cancels {
      world.note("observation\(slot).cancel()")
      world.count("cancelled")
      observation.cancel()
      world.observations[slot] = nil
      return true
    }
    return try observation.check(slot, world)
  }

  private func start(_ world: ModelWorld) throws -> Bool {
    guard let database = world.databases[database], !database.isClosed else { return false }
    // `PRAGMA user_version` changes without a change of a table.
    if query == .version || query == .dump { return false }
    var observation: ModelObservation?
    try world.check(
      "observation\(slot) = \(kind.rawValue) observation of \(query.text) in db\(self.database)", "started"
    ) {
      observation = ModelObservation(query, database, kind, world.fault)
      return "started"
    }
    world.count("start \(kind.rawValue)")
    world.observations[slot] = observation
    return true
  }
}

extension ModelObserve.Kind {
  func start(
    _ query: ModelQuery, _ writer: any DatabaseWriter, _ received: ModelReceivedValues
  ) -> AnyDatabaseCancellable {
    let observation = ValueObservation.tracking { db in try query.fetch(db) }
    let fail: @Sendable (any Error) -> Void = { received.fail($0) }
    let add: @Sendable (String) -> Void = { received.add($0) }
    let queue = DispatchQueue(label: "model")
    switch self {
    case .immediate:
      // The initial value is delivered before the start returns, on any thread.
      return observation.start(in: writer, scheduling: ImmediateScheduler(queue: queue), onError: fail, onChange: add)
    case .onQueue:
      return observation.start(in: writer, scheduling: .async(onQueue: queue), onError: fail, onChange: add)
    case .inTask:
      return observation.start(in: writer, scheduling: .task, onError: fail, onChange: add)
    case .shared:
      let shared = observation.shared(in: writer, scheduling: .async(onQueue: queue))
      let other = shared.start(onError: { _ in }, onChange: { _ in })
      let cancellable = shared.start(onError: fail, onChange: add)
      other.cancel()
      return cancellable
    case .removingDuplicates:
      return observation.removeDuplicates()
        .start(in: writer, scheduling: .async(onQueue: queue), onError: fail, onChange: add)
    case .constantRegion:
      return ValueObservation.trackingConstantRegion { db in try query.fetch(db) }
        .start(in: writer, scheduling: .async(onQueue: queue), onError: fail, onChange: add)
    }
  }
}

private struct ImmediateScheduler: ValueObservationScheduler {
  let queue: DispatchQueue
  func immediateInitialValue() -> Bool { true }
  func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ModelObservation {
  /// Waits for the last value, and checks that all values are results in the order of the versions.
  func check(_ slot: Int, _ world: ModelWorld) throws -> Bool {
    if database.isClosed { return false }
    let versions = database.file.versions[min(firstVersion, database.file.versions.count - 1)...]
    let results = versions.map { content in Result { () throws(ModelError) in try query.result(in: content) } }
    guard let last = results.last else { return false }
    let mayFail = results.contains { result in
      if case .failure = result { true } else { false }
    }
    let isDelivered = received.wait(world.patience) { value, error in
      if error != nil, mayFail { return true }
      if error == ModelError.interrupted.label, mayBeInterrupted { return true }
      if case .success(let expected) = last { return value == expected }
      return false
    }
    let (values, error) = received.state
    world.note("observation\(slot) has delivered \(values.suffix(2)) \(error ?? "")")
    world.count(error.map { "ended with \($0)" } ?? "value")
    if !isDelivered {
      try world.fail(
        "the observation must deliver \(last) at last, and has delivered \(values), \(error ?? "no error")")
    }
    var position = results.startIndex
    for value in values {
      let next = results[position...].firstIndex { result in
        if case .success(value) = result { true } else { false }
      }
      guard let next else {
        try world.fail("the observation has delivered \(value) in \(values), and the versions had \(results)")
      }
      position = next
    }
    if error != nil {
      cancel()
      world.observations[slot] = nil
    }
    return true
  }
}
