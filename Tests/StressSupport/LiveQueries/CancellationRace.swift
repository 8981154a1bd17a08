import Dispatch
import Foundation
import Synchronization
import Tidemark

/// Observations that end at random moments, while a thread writes.
///
/// Most of what an observation holds is released when it ends: subscriptions, the thread that looks for external
/// commits, connections. A release that happens while a lock is held shows here as a deadlock, in release builds more
/// often than in debug builds: the optimizer moves releases.
package enum CancellationRace {
  /// How an observation ends.
  package enum Ending: String, CaseIterable, Codable, Sendable {
    /// `cancel()`, after values were delivered on a dispatch queue.
    case cancel

    /// The cancellable is released.
    case release

    /// A loop over the values is left after the first one.
    case leaveLoop
  }

  /// Starts and ends observations of one pool, one after the other.
  package static func endObservations(_ ending: Ending, _ count: Int, _ run: Run) async throws {
    let folder = try TestFolder()
    let pool = try folder.pool()
    try await createSchema(pool)
    let isOver = Flag()
    let writer = Task { await write(to: pool, until: isOver, run) }
    var numbers = RandomNumbers(seed: run.seed, stream: 1)
    for _ in 0..<count {
      try await observe(pool, ending, &numbers)
      run.count("cancelled")
    }
    isOver.set()
    await writer.value
    if pool.observationMetrics.observationCount > 0 { run.problem("observations are left") }
    try pool.close()
  }

  /// Opens pools, observes them, and closes them while observations run.
  package static func closePools(_ count: Int, _ run: Run) async throws {
    let folder = try TestFolder()
    try await createSchema(folder.pool())
    var numbers = RandomNumbers(seed: run.seed, stream: 2)
    for _ in 0..<count {
      let pool = try folder.pool()
      let endings = [Ending.cancel, .release]
      let first = start(in: pool)
      let second = start(in: pool)
      try await pool.write { try $0.execute(sql: "INSERT INTO item (n) VALUES (1); DELETE FROM item") }
      try await pause(&numbers)
      if numbers.once(in: 2) { first.cancel() }
      try pool.close()
      withExtendedLifetime(second) {}
      try await observe(folder.pool(), endings[numbers.below(2)], &numbers)
      run.count("cancelled", 3)
    }
  }

  // MARK: - Parts

  /// A flag that one thread sets for another.
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    func set() { value.store(true, ordering: .releasing) }
    var isSet: Bool { value.load(ordering: .acquiring) }
  }

  private static func createSchema(_ pool: DatabasePool) async throws {
    try await pool.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)") }
  }

  private static var observation: ValueObservation<ValueReducers.Fetch<Int?>> {
    ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item WHERE n = 1") }
  }

  private static let queue = DispatchQueue(label: "CancellationRace")

  private static func start(in pool: DatabasePool) -> AnyDatabaseCancellable {
    observation.start(
      in: pool, scheduling: .async(onQueue: queue), onError: { _ in }, onChange: { _ in })
  }

  private static func observe(
    _ pool: DatabasePool, _ ending: Ending, _ numbers: inout RandomNumbers
  ) async throws {
    switch ending {
    case .cancel:
      let cancellable = start(in: pool)
      try await pause(&numbers)
      cancellable.cancel()
    case .release:
      let cancellable = start(in: pool)
      try await pause(&numbers)
      withExtendedLifetime(cancellable) {}
    case .leaveLoop:
      for try await _ in observation.values(in: pool) { break }
    }
  }

  /// Waits for up to three milliseconds, or not at all.
  private static func pause(_ numbers: inout RandomNumbers) async throws {
    let duration = numbers.below(4_000) - 1_000
    if duration > 0 { try await Task.sleep(for: .microseconds(duration)) }
  }

  private static func write(to pool: DatabasePool, until isOver: Flag, _ run: Run) async {
    await Workers(run: run).threads(1, "writer") { _ in
      var number = 0
      while !isOver.isSet {
        number += 1
        try pool.write { [number] in
          try $0.execute(sql: "INSERT INTO item (n) VALUES (?)", arguments: [number % 3])
          if number.isMultiple(of: 50) { try $0.execute(sql: "DELETE FROM item") }
        }
        usleep(300)
      }
      run.count("transactions", number)
    }
  }
}
