/// What contradicts that a history is strictly serializable. Transactions are named by their position in the history.
package enum Anomaly: Hashable, Sendable, CustomStringConvertible {
  /// A value that no transaction has written.
  case unwrittenValue(key: Int, value: Int, reader: Int)

  /// A value of a transaction that was rolled back.
  case abortedRead(key: Int, value: Int, reader: Int, writer: Int)

  /// A value that its own transaction has replaced, or to which it has appended another one.
  case intermediateRead(key: Int, value: Int, reader: Int, writer: Int)

  /// A list that contains a value twice.
  case duplicate(key: Int, value: Int, reader: Int)

  /// A list that is not the beginning of a longer list that another transaction has read.
  case incompatibleOrder(key: Int, reader: Int)

  /// A value that is in a list before another one that its own transaction has appended earlier.
  case exchanged(key: Int, value: Int, reader: Int, writer: Int)

  /// A read that does not agree with earlier operations of its own transaction.
  case inconsistentInside(key: Int, transaction: Int)

  /// A value that is missing in a read that began after its transaction was acknowledged.
  case lost(key: Int, value: Int, writer: Int)

  /// Transactions each of which must come before the next, and the last before the first.
  case cycle(Cycle)

  package struct Cycle: Hashable, Sendable {
    package enum Kind: String, Sendable {
      /// Of writes only. In the literature: G0.
      case writes = "cycle of writes"

      /// Of writes, and of reads that have seen another transaction's values. G1c.
      case information = "cycle of information"

      /// Exactly one transaction did not see what another one has written. G-single.
      case singleMissedWrite = "cycle with one missed write"

      /// Several did not. G2.
      case missedWrites = "cycle with missed writes"
    }

    /// Why a transaction must come before the next one.
    package enum Step: UInt8, Sendable {
      /// The next one has replaced its value, or appended to its list.
      case overwritten

      /// The next one has read its value.
      case seen

      /// It has not seen what the next one has written.
      case missed

      /// The next one follows it in the same session.
      case session

      /// It had ended before the next one began.
      case time
    }

    package var kind: Kind
    package var transactions: [Int]

    /// The steps from each transaction to the next one.
    package var steps: [Step]

    package init(kind: Kind, transactions: [Int], steps: [Step]) {
      (self.kind, self.transactions, self.steps) = (kind, transactions, steps)
    }

    package var needsSessions: Bool { steps.contains(.session) }
    package var needsTime: Bool { steps.contains(.time) }
  }

  package var description: String {
    switch self {
    case .unwrittenValue(let key, let value, let reader):
      "transaction \(reader) has read \(value) of key \(key), which nobody has written"
    case .abortedRead(let key, let value, let reader, let writer):
      "transaction \(reader) has read \(value) of key \(key), which transaction \(writer) has rolled back"
    case .intermediateRead(let key, let value, let reader, let writer):
      "transaction \(reader) has read \(value) of key \(key) from the middle of transaction \(writer)"
    case .duplicate(let key, let value, let reader):
      "transaction \(reader) has read \(value) of key \(key) twice"
    case .incompatibleOrder(let key, let reader):
      "transaction \(reader) has read a list of key \(key) that is not the beginning of a longer one"
    case .exchanged(let key, let value, let reader, let writer):
      "transaction \(reader) has read \(value) of key \(key) before an earlier value of transaction \(writer)"
    case .inconsistentInside(let key, let transaction):
      "transaction \(transaction) does not see its own operations on key \(key)"
    case .lost(let key, let value, let writer):
      "\(value) of key \(key), which transaction \(writer) has committed, is missing in a later read"
    case .cycle(let cycle): cycle.description
    }
  }
}

extension Anomaly.Cycle: CustomStringConvertible {
  package var description: String {
    let words = zip(transactions, steps).map { transaction, step in
      switch step {
      case .overwritten: "\(transaction) is overwritten by"
      case .seen: "\(transaction) is seen by"
      case .missed: "\(transaction) has not seen"
      case .session: "\(transaction) is before, in its session,"
      case .time: "\(transaction) had ended before"
      }
    }
    return "\(kind.rawValue): \(words.joined(separator: " ")) \(transactions[0])"
  }
}
