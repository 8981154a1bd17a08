import Foundation
import TestSupport
import Tidemark

/// The deliveries of an observation, in order.
final class Deliveries<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var storage: [Value] = []
  private var failure: (any Error)?

  var values: [Value] {
    condition.lock()
    defer { condition.unlock() }
    return storage
  }

  func append(_ value: Value) {
    condition.lock()
    storage.append(value)
    condition.broadcast()
    condition.unlock()
  }

  func fail(_ error: any Error) {
    condition.lock()
    failure = error
    condition.broadcast()
    condition.unlock()
  }

  /// Waits for values that satisfy a condition, and blocks the thread.
  @discardableResult
  func wait(
    file: String = #fileID, line: Int = #line, until isReached: ([Value]) -> Bool
  ) throws -> [Value] {
    condition.lock()
    defer { condition.unlock() }
    try Wait.on(condition, "other values than \(storage)", file: file, line: line) {
      if isReached(storage) { return true }
      if let failure { throw failure }
      return false
    }
    return storage
  }

  /// Waits for the error that ends the observation, and blocks the thread.
  func error(file: String = #fileID, line: Int = #line) throws -> any Error {
    condition.lock()
    defer { condition.unlock() }
    try Wait.on(condition, "an error after \(storage)", file: file, line: line) { failure != nil }
    guard let failure else { throw Hang(description: "no error") }
    return failure
  }
}

extension Deliveries {
  /// The description of the error that ends the observation.
  func failureText() throws -> String { "\(try error())" }
}

extension Deliveries where Value: Equatable {
  /// Waits until the last value is a given one.
  @discardableResult
  func wait(forLast value: Value, file: String = #fileID, line: Int = #line) throws -> [Value] {
    try wait(file: file, line: line) { $0.last == value }
  }
}

/// A scheduler that delivers immediately, on any thread.
struct Inline: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { false }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

/// A scheduler that fetches and delivers the first value before the start returns, and the others on any thread.
struct ImmediateScheduler: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { true }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

extension ValueObservation {
  /// Starts an observation, and collects its deliveries.
  func collect(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = Inline()
  ) -> (deliveries: Deliveries<Reducer.Value>, cancellable: AnyDatabaseCancellable) {
    let deliveries = Deliveries<Reducer.Value>()
    let cancellable = start(
      in: reader, scheduling: scheduler, onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) })
    return (deliveries, cancellable)
  }
}

/// An observed database, with a table `player(id, name, score)` and one `team(id, name)`.
enum Observed: String {
  /// A queue in memory, a queue of a file, and a pool.
  case queue, fileQueue, pool

  /// A database, and the folder of its file.
  struct Opened {
    let folder: TemporaryFolder
    let writer: any DatabaseWriter
  }

  func open(_ configuration: Configuration = Configuration()) throws -> Opened {
    let folder = try TemporaryFolder()
    let writer: any DatabaseWriter =
      switch self {
      case .queue: try DatabaseQueue(configuration: configuration)
      case .fileQueue: try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      case .pool: try DatabasePool(path: folder.path("db"), configuration: configuration)
      }
    try writer.write { try $0.createPlayers() }
    return Opened(folder: folder, writer: writer)
  }

  func withDatabase(_ body: (any DatabaseWriter) throws -> Void) throws {
    let database = try open()
    try withExtendedLifetime(database.folder) { try body(database.writer) }
  }
}

extension Observed: CaseIterable {
  /// Observations are the same on both kinds of queues.
  static let allCases: [Observed] = [.queue, .pool]

  /// Change streams identify commits in different ways.
  static let streamed: [Observed] = [.queue, .fileQueue, .pool]
}

extension Database {
  func createPlayers() throws {
    try execute(
      sql: """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        """)
  }

  func addPlayer(_ name: String, score: Int = 0) throws {
    try execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: [name, score])
  }

  func playerCount() throws -> Int { try Int.fetchOne(self, sql: "SELECT COUNT(*) FROM player") ?? 0 }

  func playerNames() throws -> [String] { try String.fetchAll(self, sql: "SELECT name FROM player ORDER BY id") }
}
