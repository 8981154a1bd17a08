import Foundation
import TestSupport
import Tidemark
@testable import TidemarkEssentials

extension TemporaryFolder {
  /// The path of the database.
  var database: String { path("db.sqlite") }

  /// A pool on the database of the folder.
  func pool(_ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    var configuration = Configuration()
    setUp(&configuration)
    return try DatabasePool(path: database, configuration: configuration)
  }

  /// A pool on the database of the folder, with a new table `t(n INTEGER)`.
  func tablePool(_ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    let pool = try pool(setUp)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    return pool
  }

  /// The number of descriptors that the process has open on the files of the folder.
  var descriptorCount: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target?.hasPrefix(path) == true
    }
  }
}

extension Database {
  /// The rows of the table `t`.
  func numbers() throws -> [Int] { try Int.fetchAll(self, sql: "SELECT n FROM t ORDER BY n") }

  func insert(_ number: Int) throws { try execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
}

/// An event that happens once. Threads wait for it blocked (see `Wait`), tasks suspended.
final class Moment: Sendable {
  private struct State {
    var hasHappened = false
    var waiters: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  var hasHappened: Bool { state.withLock { $0.hasHappened } }

  func happen() {
    let waiters = state.withLock { state in
      state.hasHappened = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  private func whenHappened(_ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if !state.hasHappened { state.waiters.append(body) }
      return state.hasHappened
    }
    if isNow { body() }
  }

  /// Waits, and blocks the thread.
  func wait(file: String = #fileID, line: Int = #line) throws {
    let semaphore = DispatchSemaphore(value: 0)
    whenHappened { semaphore.signal() }
    try Wait.on(semaphore, file: file, line: line)
  }

  /// Waits, suspended.
  func reached() async {
    await withCheckedContinuation { continuation in
      whenHappened { continuation.resume() }
    }
  }
}

struct NeverHappened: Error {}

/// A closure that runs on its own thread.
final class Background<Value: Sendable>: Sendable {
  private let end = Moment()
  private let result = Mutex<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) {
    Thread.detachNewThread { [self] in
      let value = Result { try body() }
      result.withLock { $0 = value }
      end.happen()
    }
  }

  var hasEnded: Bool { end.hasHappened }

  /// Waits for the end of the closure, and blocks the thread.
  func value() throws -> Value {
    try end.wait()
    guard let result = result.withLock({ $0 }) else { throw NeverHappened() }
    return try result.get()
  }

  /// Waits for the end of the closure, suspended.
  func reached() async throws -> Value {
    await end.reached()
    return try value()
  }
}

/// An access, on its own thread, that lasts until the test ends it.
///
///     let read = try LongAccess { last in try pool.read { db in try last(); return try db.numbers() } }
///     // While it reads, …
///     #expect(try read.end() == [])
final class LongAccess<Value: Sendable>: Sendable {
  private let isInside = Moment()
  private let mayEnd = Moment()
  private let background: Background<Value>

  private init(beginning access: @escaping @Sendable (_ last: () throws -> Void) throws -> Value) {
    background = Background { [isInside, mayEnd] in
      // An access that fails before it lasts must not block the test: its error is thrown at the end.
      defer { isInside.happen() }
      return try access {
        isInside.happen()
        try mayEnd.wait()
      }
    }
  }

  /// Starts an access, and blocks the thread until it lasts.
  ///
  /// - Parameter access: Calls its argument inside the access.
  convenience init(_ access: @escaping @Sendable (_ last: () throws -> Void) throws -> Value) throws {
    self.init(beginning: access)
    try isInside.wait()
  }

  /// Starts an access, and waits suspended until it lasts.
  ///
  /// - Parameter access: Calls its argument inside the access.
  convenience init(_ access: @escaping @Sendable (_ last: () throws -> Void) throws -> Value) async {
    self.init(beginning: access)
    await isInside.reached()
  }

  var hasEnded: Bool { background.hasEnded }

  /// Ends the access.
  func mayGoOn() { mayEnd.happen() }

  /// Ends the access, and blocks the thread until it has ended.
  @discardableResult
  func end() throws -> Value {
    mayEnd.happen()
    return try background.value()
  }

  /// Ends the access, and waits suspended until it has ended.
  @discardableResult
  func end() async throws -> Value {
    mayEnd.happen()
    return try await background.reached()
  }
}

/// A list to which several threads append.
final class Journal<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  var entries: [Entry] { storage.withLock { $0 } }

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
}

/// The result code of the error that a closure throws; nil if it throws no `DatabaseError`.
func resultCode(of body: () throws -> Void) -> ResultCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? DatabaseError)?.resultCode
  }
}

/// A query that never ends by itself, and reports that it runs.
enum NeverEnding {
  static let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(running(i)) FROM n"

  /// Adds the function of the query to connections.
  static func add(to configuration: inout Configuration, _ isRunning: @escaping @Sendable () -> Void) {
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("running", argumentCount: 1) { values in
          isRunning()
          return values[0]
        })
    }
  }
}
