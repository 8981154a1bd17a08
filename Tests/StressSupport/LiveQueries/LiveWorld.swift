import CSQLite
import Foundation
import TestSupport
import Tidemark

/// A database under change, and the history of its commits.
package final class LiveWorld: Sendable {
  package let pool: DatabasePool
  package let run: Run

  // The operations of each commit, which are numbered from 1.
  private let history = Mutex<[[LiveOperation]]>([])

  /// Whether all commits and values are kept. Otherwise only the last values can be checked.
  private let keepsHistory: Bool

  package init(_ pool: DatabasePool, _ run: Run, keepsHistory: Bool = true) throws {
    self.pool = pool
    self.run = run
    self.keepsHistory = keepsHistory
    try pool.write { try Self.createSchema($0) }
  }

  private static func createSchema(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE clock (number INTEGER);
        INSERT INTO clock VALUES (0);
        CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT, score REAL, note, slug TEXT UNIQUE);
        CREATE INDEX itemByOwner ON item(owner);
        CREATE TABLE tag (
          item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE, name TEXT COLLATE NOCASE,
          PRIMARY KEY (item, name)) WITHOUT ROWID;
        CREATE TABLE gone (item INTEGER);
        CREATE TRIGGER itemIsGone AFTER DELETE ON item BEGIN INSERT INTO gone (item) VALUES (old.id); END;
        CREATE VIEW good AS SELECT id, owner, score FROM item WHERE score >= 5;
        """)
  }

  // MARK: - Writing

  private struct PlannedFailure: Error {}

  private func transaction(_ db: Database, _ seed: UInt64) throws {
    var numbers = RandomNumbers(seed: seed)
    let operations = (0..<1 + numbers.below(4)).map { _ in LiveOperation.random(&numbers) }
    for operation in operations { try operation.perform(db) }
    if numbers.once(in: 12) { throw PlannedFailure() }
    try db.execute(sql: "UPDATE clock SET number = number + 1")
    if !keepsHistory { return }
    // No other transaction can be the next one. If it fails to commit, its number is used again.
    let number = try Int.fetchOne(db, sql: "SELECT number FROM clock") ?? 0
    history.withLock { history in
      history.removeSubrange((number - 1)...)
      history.append(operations)
    }
  }

  /// - Parameter other: Another connection to the same file.
  package func write(as worker: Int, _ count: Int, in other: (any DatabaseWriter)? = nil) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<count {
      let seed = numbers.next()
      do {
        try (other ?? pool).write { try transaction($0, seed) }
      } catch is PlannedFailure {}
      run.count("transactions")
    }
  }

  package func writeAsync(as worker: Int, _ count: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<count {
      let seed = numbers.next()
      do {
        try await pool.write { [self] in try transaction($0, seed) }
      } catch is PlannedFailure {}
      run.count("transactions")
    }
  }

  // MARK: - Watching

  package func observe(count: Int) throws -> [LiveQueryObserver] {
    var numbers = RandomNumbers(seed: run.seed, stream: 1000)
    return (0..<count).map { _ in LiveQueryObserver(RandomLiveQuery.random(&numbers), in: pool, keepsAll: keepsHistory)
    }
  }

  /// Starts and cancels observations, some of them before their first value.
  package func startAndCancel(_ count: Int) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: 2000)
    for _ in 0..<count {
      let observer = LiveQueryObserver(RandomLiveQuery.random(&numbers), in: pool)
      if numbers.once(in: 2) { _ = observer.firstValue() }
      observer.cancel()
      run.count("cancelled")
    }
  }

  /// Waits until all observations have received the current value.
  package func checkWhenIdle(_ observers: [LiveQueryObserver]) throws {
    for observer in observers {
      let value = try pool.read { try observer.query.result($0) }
      if !observer.waits(forLast: value.text) {
        run.problem("\(observer.query) is \(value.text), and \(observer.values.last?.text ?? "nothing") was delivered")
      }
    }
  }

  /// Replays all commits one by one, and compares the delivered values.
  package func checkHistory(_ observers: [LiveQueryObserver]) throws {
    var expected: [Int: [(RandomLiveQuery, String)]] = [:]
    for observer in observers {
      var last = -1
      for value in observer.values {
        if value.number < last { run.problem("\(observer.query) went back from \(last) to \(value.number)") }
        last = value.number
        expected[value.number, default: []].append((observer.query, value.text))
        run.count("reads")
      }
    }
    let replay = try DatabaseQueue()
    try replay.write { try Self.createSchema($0) }
    let history = history.withLock { $0 }
    for number in 0...history.count {
      try replay.write { db in
        if number > 0 { for operation in history[number - 1] { try operation.perform(db) } }
        for (query, text) in expected[number] ?? [] {
          let result = try query.result(db).text
          if result != text { run.problem("\(query) was \(result) at commit \(number), and \(text) was delivered") }
        }
      }
    }
    run.count("histories")
  }
}

/// A live query, and the values that it has received.
package final class LiveQueryObserver: Sendable {
  let query: RandomLiveQuery
  private let state = Mutex<[LiveResult]>([])
  private let cancellable = Mutex<AnyDatabaseCancellable?>(nil)
  private let keepsAll: Bool

  /// - Parameter keepsAll: Whether all values are kept, or only the last one.
  init(_ query: RandomLiveQuery, in pool: DatabasePool, keepsAll: Bool = true) {
    self.query = query
    self.keepsAll = keepsAll
    let observation = ValueObservation.tracking { db in try query.result(db) }
    let cancellable = observation.start(
      in: pool, scheduling: .task,
      onError: { [weak self] error in self?.append(LiveResult(number: -1, text: "\(error)")) },
      onChange: { [weak self] result in self?.append(result) })
    self.cancellable.withLock { $0 = cancellable }
  }

  var values: [LiveResult] { state.withLock { $0 } }

  private func append(_ result: LiveResult) {
    state.withLock { state in
      if !keepsAll { state.removeAll(keepingCapacity: true) }
      state.append(result)
    }
  }

  package func cancel() { cancellable.withLock { $0 }?.cancel() }

  /// Replaces the last value with a wrong one.
  package func plant() { state.withLock { $0[$0.count - 1].text += "!" } }

  /// Waits for the first value.
  func firstValue() -> LiveResult? {
    _ = waits { !$0.isEmpty }
    return values.first
  }

  /// Waits for the correct last value; returns false if it does not arrive.
  func waits(forLast text: String) -> Bool { waits { $0.last?.text == text } }

  private func waits(until isReached: ([LiveResult]) -> Bool) -> Bool {
    // The caller reports a hang, with the values.
    try? Wait.until("a value") { isReached(values) }
    return isReached(values)
  }
}
