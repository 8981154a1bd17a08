/// The transactions of concurrent sessions on lists and registers, with what they wrote and read.
///
/// A key names a list or a register. Values are never repeated: for each key, each value is appended or written once at
/// most. So a reader's values show which transactions it has seen. Keys are small numbers: the checker has arrays with
/// an element for each of them.
///
/// Millions of operations are stored without an object for each of them.
package struct TransactionHistory: Sendable {
  package enum Outcome: UInt8, Sendable {
    case committed

    /// The transaction has failed, or was rolled back: no other transaction may see it.
    case aborted

    /// The process was killed: the transaction is committed or rolled back, and until `end` at the latest.
    case unknown
  }

  package enum Operation: Hashable, Sendable {
    case append(key: Int, value: Int)

    /// A read of a list, with its values.
    case list(key: Int, [Int])

    case write(key: Int, value: Int)

    /// A read of a register, with its value; nil if nothing was written.
    case read(key: Int, Int?)
  }

  package struct Transaction: Hashable, Sendable {
    /// Transactions of one session follow each other, and are added to the history in this order.
    package var session: Int

    /// A moment before its first operation, on a clock that all sessions share.
    ///
    /// `TransactionHistory.noMoment` for a read that may be older than the moment when it was asked for.
    package var begin: Int

    /// A moment when it had ended.
    package var end: Int

    package var outcome = Outcome.committed
    package var operations: [Operation]

    package init(
      session: Int, begin: Int, end: Int, outcome: Outcome = .committed, operations: [Operation]
    ) {
      (self.session, self.begin, self.end, self.outcome) = (session, begin, end, outcome)
      self.operations = operations
    }
  }

  package static let noMoment = Int.min

  struct StoredTransaction {
    var session: Int32
    var outcome: Outcome
    var begin: Int
    var end: Int
    var operations: Range<Int>
  }

  enum Kind: UInt8 {
    case append, list, write, read, readOfNothing
  }

  struct StoredOperation {
    var kind: Kind
    var key: Int32

    /// The value of a register or of an appended element; the number of elements of a list that was read.
    var value: Int32

    /// The position of the first element in `elements`.
    var start: Int
  }

  private(set) var transactions: [StoredTransaction] = []
  private(set) var operations: [StoredOperation] = []

  /// The elements of all lists that were read, one list after the other.
  private(set) var elements: [Int32] = []

  /// The number of keys, all of which are smaller.
  package private(set) var keyCount = 0

  package init() {}

  package var transactionCount: Int { transactions.count }
  package var operationCount: Int { operations.count }

  package mutating func add(_ transaction: Transaction) {
    let first = operations.count
    for operation in transaction.operations { add(operation) }
    transactions.append(
      StoredTransaction(
        session: Int32(transaction.session), outcome: transaction.outcome, begin: transaction.begin,
        end: transaction.end, operations: first..<operations.count))
  }

  private mutating func add(_ operation: Operation) {
    switch operation {
    case .append(let key, let value): add(.append, key, value)
    case .write(let key, let value): add(.write, key, value)
    case .read(let key, let value?): add(.read, key, value)
    case .read(let key, nil): add(.readOfNothing, key, 0)
    case .list(let key, let values):
      let start = elements.count
      elements.append(contentsOf: values.lazy.map { Int32($0) })
      add(.list, key, values.count, start)
    }
  }

  private mutating func add(_ kind: Kind, _ key: Int, _ value: Int, _ start: Int = 0) {
    keyCount = max(keyCount, key + 1)
    operations.append(StoredOperation(kind: kind, key: Int32(key), value: Int32(value), start: start))
  }

  /// One transaction, as it was added.
  package subscript(transaction index: Int) -> Transaction {
    let stored = transactions[index]
    return Transaction(
      session: Int(stored.session), begin: stored.begin, end: stored.end, outcome: stored.outcome,
      operations: operations[stored.operations].map { operation in
        let (key, value) = (Int(operation.key), Int(operation.value))
        switch operation.kind {
        case .append: return .append(key: key, value: value)
        case .write: return .write(key: key, value: value)
        case .read: return .read(key: key, value)
        case .readOfNothing: return .read(key: key, nil)
        case .list: return .list(key: key, elements[operation.range].map { Int($0) })
        }
      })
  }
}

extension TransactionHistory.StoredOperation {
  /// The positions of the elements of a list that was read.
  var range: Range<Int> { start..<start + Int(value) }
}
