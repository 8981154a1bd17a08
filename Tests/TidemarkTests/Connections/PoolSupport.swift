import Foundation
import TestSupport
import Tidemark
@testable import TidemarkEssentials

extension TemporaryFolder {
  /// Where the database is, or will be.
  var database: String { path("db.sqlite") }

  /// A pool on the database of the folder.
  func pool(_ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    var configuration = Configuration()
    setUp(&configuration)
    return try DatabasePool(path: database, configuration: configuration)
  }

  /// A pool on the database of the folder, which has a table `t(n INTEGER)` now.
  func tablePool(_ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    let pool = try pool(setUp)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER)") }
    return pool
  }

  /// How many descriptors of the process are open on the files of the folder.
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

/// Something that happens once. Threads wait for it asleep (see `Wait`), tasks suspended.
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

  /// Waits, with the thread.
  func wait(file: String = #fileID, line: Int = #line) throws {
    let semaphore = DispatchSemaphore(value: 0)
    whenHappened { semaphore.signal() }
    try Wait.on(semaphore, file: file, line: line)
  }

  /// Waits, without a thread.
  func reached() async {
    await withCheckedContinuation { continuation in
      whenHappened { continuation.resume() }
    }
  }
}

struct NeverHappened: Error {}

/// A closure that runs on a thread of its own.
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

  /// Waits for the end of the closure, with the thread.
  func value() throws -> Value {
    try end.wait()
    guard let result = result.withLock({ $0 }) else { throw NeverHappened() }
    return try result.get()
  }

  /// Waits for the end of the closure, without a thread.
  func reached() async throws -> Value {
    await end.reached()
    return try value()
  }
}

/// An access, on a thread of its own, that lasts until it is told to end.
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
      // An access that fails before it lasts keeps nobody waiting: its error is that of the end.
      defer { isInside.happen() }
      return try access {
        isInside.happen()
        try mayEnd.wait()
      }
    }
  }

  /// Begins an access, and waits with the thread until it lasts.
  ///
  /// - parameter access: Calls its argument inside the access.
  convenience init(_ access: @escaping @Sendable (_ last: () throws -> Void) throws -> Value) throws {
    self.init(beginning: access)
    try isInside.wait()
  }

  /// Begins an access, and waits without a thread until it lasts.
  ///
  /// - parameter access: Calls its argument inside the access.
  convenience init(_ access: @escaping @Sendable (_ last: () throws -> Void) throws -> Value) async {
    self.init(beginning: access)
    await isInside.reached()
  }

  var hasEnded: Bool { background.hasEnded }

  /// Has the access end.
  func mayGoOn() { mayEnd.happen() }

  /// Has the access end, and waits for that with the thread.
  @discardableResult
  func end() throws -> Value {
    mayEnd.happen()
    return try background.value()
  }

  /// Has the access end, and waits for that without a thread.
  @discardableResult
  func end() async throws -> Value {
    mayEnd.happen()
    return try await background.reached()
  }
}

/// A list that several threads append to.
final class Journal<Entry: Sendable>: Sendable {
  private let storage = Mutex<[Entry]>([])

  var entries: [Entry] { storage.withLock { $0 } }

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
}

/// The result code of what a closure throws, nil when it does not throw a `DatabaseError`.
func resultCode(of body: () throws -> Void) -> ResultCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? DatabaseError)?.resultCode
  }
}

/// A query that never ends by itself, and says that it runs.
enum NeverEnding {
  static let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(running(i)) FROM n"

  /// Gives connections the function of the query.
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
