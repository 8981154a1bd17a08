import StressSupport
import Tidemark

/// A write that is made at the same time as others.
enum GroupedWrite: Sendable {
  case ordinary

  /// Changes more pages than a small page cache holds.
  case large

  /// Its closure throws after its changes.
  case throwing

  /// Its task is cancelled while it waits.
  case cancelledWaiting

  /// Its closure cancels its task after its changes, and executes another statement.
  case cancelledInside

  /// Its task is cancelled after its closure has returned, by the closure of the next write.
  case cancelledTooLate

  /// Its closure executes a statement that makes SQLite roll back the transaction of all.
  case rollingBack

  /// Its closure changes the schema, so that it is executed in a transaction of its own.
  case alone

  /// Whether it fails on every disk.
  fileprivate var fails: Bool {
    switch self {
    case .ordinary, .large, .cancelledTooLate, .alone: false
    case .throwing, .cancelledWaiting, .cancelledInside, .rollingBack: true
    }
  }

  fileprivate struct Planned: Error {}

  fileprivate func run(_ number: Int, _ db: Database) throws {
    try World.insert(number, db)
    // All writes change this row: the changes show their order.
    try db.execute(sql: "UPDATE one SET filler = ? WHERE n = 1", arguments: ["\(number)"])
    switch self {
    case .ordinary, .cancelledTooLate: break
    case .large: try db.execute(sql: "UPDATE two SET filler = filler || hex(zeroblob(3000)) WHERE n % 4 = 0")
    case .throwing: throw Planned()
    case .cancelledWaiting, .cancelledInside:
      withUnsafeCurrentTask { $0?.cancel() }
      try db.execute(sql: "UPDATE one SET filler = 'cancelled' WHERE n = 1")
    case .rollingBack: try db.execute(sql: "INSERT OR ROLLBACK INTO one (n) VALUES (1)")
    case .alone: try db.execute(sql: "CREATE TABLE extra\(number) (n)")
    }
  }

  /// Whether it may throw such an error.
  fileprivate func throwsIntentionally(_ error: any Error) -> Bool {
    switch self {
    case .throwing: error is Planned
    // In the third case if it is executed again, because the transaction was rolled back.
    case .cancelledWaiting, .cancelledInside, .cancelledTooLate: error is CancellationError
    case .ordinary, .large, .rollingBack, .alone: false
    }
  }
}

extension World {
  /// Makes writes at the same time, which wait for the writer in this order, and records the reported outcomes.
  func writeTogether(_ kinds: [GroupedWrite]) {
    guard let writer else { return problem("nothing to write to") }
    let results = StressSupport.Mutex<[Int: Result<Void, any Error>]>([:])
    let writes = kinds.map { (number: ledger.nextNumber(), kind: $0) }
    let tasks = ConcurrentCalls.Tasks()
    let calls = writes.enumerated().map { index, write in
      let (number, kind) = write
      let cancelsPrevious = index > 0 && writes[index - 1].kind == .cancelledTooLate
      return ConcurrentCalls.Call(isCancelled: kind == .cancelledWaiting) {
        do {
          try await writer.write { db in
            if cancelsPrevious { tasks.cancel(index - 1) }
            try kind.run(number, db)
          }
          results.withLock { $0[number] = .success(()) }
        } catch {
          results.withLock { $0[number] = .failure(error) }
        }
      }
    }
    attempt("writes at the same time") { try ConcurrentCalls.make(calls, writer, tasks) }
    for (number, kind) in writes {
      switch results.withLock({ $0[number] }) {
      case .success?:
        noteSuccess(number)
        if kind.fails { problem("write \(number) has succeeded, but not failed: \(kind)") }
      case .failure(let error)? where kind.throwsIntentionally(error): noteRefusal(number)
      case .failure(let error)?: noteFailure(number, error)
      case nil:
        problem("write \(number) has not returned: \(kind)")
        hasHung = true
      }
    }
  }

  /// Opens a database whose writes share transactions, and follows its changes.
  func openGroupingWrites() throws {
    groupsWrites = true
    try open()
    if let writer { follower = try ChangeFollower(writer) }
  }

  /// Compares the changes that the follower has received with the file. The database is closed.
  func checkFollower() throws {
    guard let follower else { return }
    try follower.waitForEnd()
    let database = try DatabaseQueue(path: path)
    let file = try database.read { try FeedCopy($0) }
    // A database that is opened again after a stop has other streams.
    let isWhole = stopCount == 0
    let acknowledged = isWhole ? ledger.acknowledged : acknowledgedBeforeStop
    for words in follower.complaints(about: file, acknowledged: acknowledged, isWhole: isWhole) { problem(words) }
  }
}
