import Tidemark

/// A session of random transactions, each of which is recorded.
///
/// The keys move on: a session leaves those whose lists have become long, so that lists remain short in long histories.
package struct RandomSession: Sendable {
  package typealias Operation = TransactionHistory.Operation
  package typealias Transaction = TransactionHistory.Transaction

  package let number: Int
  package private(set) var numbers: RandomNumbers
  private var firstKey = 0
  private var lastValue: Int

  /// How many keys are in use, and how long their lists become.
  private static let keyCount = 6
  private static let listLimit = 20

  /// Values of each session are different.
  static let valuesPerSession = 1_000_000

  /// - Parameter number: The number of the session, up to 2,000.
  package init(_ number: Int, seed: UInt64) {
    self.number = number
    numbers = RandomNumbers(seed: seed, stream: number)
    lastValue = number * Self.valuesPerSession
  }

  // MARK: Plans

  /// A read of a key, without its result. One of four keys is a register.
  package static func read(of key: Int) -> Operation {
    key % 4 == 3 ? .read(key: key, nil) : .list(key: key, [])
  }

  package mutating func randomReads() -> [Operation] {
    (0...numbers.below(4)).map { _ in Self.read(of: randomKey()) }
  }

  package mutating func randomOperations() -> [Operation] {
    (0...numbers.below(4)).map { _ in
      let key = randomKey()
      if numbers.once(in: 3) { return Self.read(of: key) }
      lastValue += 1
      return key % 4 == 3 ? .write(key: key, value: lastValue) : .append(key: key, value: lastValue)
    }
  }

  private mutating func randomKey() -> Int { firstKey + numbers.below(Self.keyCount) }

  /// Leaves the keys up to one whose list is long.
  package mutating func moveOn(_ operations: [Operation]) {
    for case .list(let key, let values) in operations where values.count >= Self.listLimit {
      firstKey = max(firstKey, key + 1)
    }
  }

  // MARK: Transactions

  /// Executes a random transaction on this thread, and records it.
  ///
  /// - Returns: The way in which it was executed, and its outcome.
  @discardableResult
  package mutating func runInPlace(
    in writer: some DatabaseWriter, _ sink: some TransactionSink
  ) throws -> (SessionAccess, TransactionHistory.Outcome) {
    let attempt = attempt(SessionAccess.inPlace)
    sink.begins(attempt.transaction)
    let result = Result { try attempt.access.perform(attempt.body, in: writer) }
    return (attempt.access, try end(attempt, result, sink))
  }

  /// Executes a random transaction with `await`, and records it.
  ///
  /// - Returns: The way in which it was executed, and its outcome.
  @discardableResult
  package mutating func run(
    in writer: some DatabaseWriter, _ sink: some TransactionSink
  ) async throws -> (SessionAccess, TransactionHistory.Outcome) {
    let attempt = attempt(SessionAccess.suspending)
    sink.begins(attempt.transaction)
    let yieldCount = numbers.below(6)
    let result: Result<[Operation], any Error>
    do {
      let body = attempt.body
      result = .success(try await attempt.access.performSuspending(body, cancelledAfter: yieldCount, in: writer))
    } catch {
      result = .failure(error)
    }
    return (attempt.access, try end(attempt, result, sink))
  }

  private struct Attempt {
    var access: SessionAccess
    var transaction: Transaction
    var undone: [Operation]
    var isRefused: Bool

    var body: @Sendable (Database) throws -> [Operation] {
      { [operations = transaction.operations, undone, isRefused] db in
        let half = operations.count / 2
        let first = try HistoryTables.perform(Array(operations[..<half]), db)
        if !undone.isEmpty {
          try db.inSavepoint {
            _ = try HistoryTables.perform(undone, db)
            return .rollback
          }
        }
        let second = try HistoryTables.perform(Array(operations[half...]), db)
        if isRefused { throw Refusal() }
        return first + second
      }
    }
  }

  private struct Refusal: Error {}

  private mutating func attempt(_ accesses: [SessionAccess]) -> Attempt {
    let isRead = numbers.once(in: 2)
    let candidates = accesses.filter { $0.isRead == isRead }
    let access = candidates[numbers.below(candidates.count)]
    let operations = isRead ? randomReads() : randomOperations()
    return Attempt(
      access: access, transaction: Transaction(session: number, begin: moment(), end: 0, operations: operations),
      undone: !isRead && numbers.once(in: 6) ? randomOperations() : [], isRefused: !isRead && numbers.once(in: 8))
  }

  private mutating func end(
    _ attempt: Attempt, _ result: Result<[Operation], any Error>, _ sink: some TransactionSink
  ) throws -> TransactionHistory.Outcome {
    var transaction = attempt.transaction
    do {
      transaction.operations = try result.get()
      moveOn(transaction.operations)
    } catch is Refusal where attempt.isRefused {
      transaction.outcome = .aborted
    } catch is CancellationError where attempt.access.isCancelled {
      transaction.outcome = .aborted
    }
    transaction.end = moment()
    sink.ends(transaction)
    if !attempt.undone.isEmpty {
      // A savepoint that is rolled back is a transaction that is rolled back, whatever becomes of the one around it.
      var undone = transaction
      undone.outcome = .aborted
      undone.operations = attempt.undone.filter(\.isWrite)
      sink.ends(undone)
    }
    return transaction.outcome
  }
}

extension TransactionHistory.Operation {
  package var isWrite: Bool {
    switch self {
    case .append, .write: true
    case .list, .read: false
    }
  }
}
