import Foundation

/// Writes the transactions of a process into a file, for the case that it is killed.
///
/// Each entry is written by one call. It consists of numbers of eight bytes; the first is the number of those that
/// follow.
package final class TransactionLog: TransactionSink {
  private let descriptor: CInt

  /// - Parameter path: A file of this process alone.
  package init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  package func begins(_ transaction: TransactionHistory.Transaction) { write(transaction, isEnd: false) }

  package func ends(_ transaction: TransactionHistory.Transaction) { write(transaction, isEnd: true) }

  private func write(_ transaction: TransactionHistory.Transaction, isEnd: Bool) {
    var words = [
      0, isEnd ? 1 : 0, transaction.session, transaction.begin, transaction.end, Int(transaction.outcome.rawValue),
    ]
    for operation in transaction.operations {
      switch operation {
      case .append(let key, let value): words += [0, key, value]
      case .list(let key, let values): words += [1, key, values.count] + values
      case .write(let key, let value): words += [2, key, value]
      case .read(let key, let value?): words += [3, key, value]
      case .read(let key, nil): words += [4, key, 0]
      }
    }
    words[0] = words.count - 1
    words.withUnsafeBytes { bytes in
      let count = Foundation.write(descriptor, bytes.baseAddress, bytes.count)
      precondition(count == bytes.count, "the log of transactions cannot be written")
    }
  }

  /// Reads the log of a process that has ended.
  ///
  /// - Parameters:
  ///   - end: A moment after the end of the process. The outcome of the transactions that had begun is unknown.
  ///   - add: Receives the transactions of each session in their order.
  package static func read(
    path: String, processEnd end: Int, _ add: (TransactionHistory.Transaction) -> Void
  ) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    let words = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int.self) }
    }
    var begun: [Int: TransactionHistory.Transaction] = [:]
    var place = 0
    // The last entry is incomplete if the process was killed while it was written.
    while place < words.count, place + words[place] < words.count {
      let (entry, isEnd) = try transaction(words[place + 1...place + words[place]])
      place += 1 + words[place]
      if isEnd {
        begun[entry.session] = nil
        add(entry)
      } else {
        begun[entry.session] = entry
      }
    }
    for (_, var transaction) in begun.sorted(by: { $0.key < $1.key }) {
      (transaction.outcome, transaction.end) = (.unknown, end)
      add(transaction)
    }
  }

  private struct InvalidEntry: Error {}

  private static func transaction(_ words: ArraySlice<Int>) throws -> (TransactionHistory.Transaction, isEnd: Bool) {
    let first = words.startIndex
    guard words.count >= 5, let outcome = TransactionHistory.Outcome(rawValue: UInt8(clamping: words[first + 4])) else {
      throw InvalidEntry()
    }
    var transaction = TransactionHistory.Transaction(
      session: words[first + 1], begin: words[first + 2], end: words[first + 3], outcome: outcome, operations: [])
    var rest = words.dropFirst(5)
    while rest.count >= 3 {
      let (code, key, value) = (rest.removeFirst(), rest.removeFirst(), rest.removeFirst())
      switch code {
      case 0: transaction.operations.append(.append(key: key, value: value))
      case 1:
        guard rest.count >= value else { throw InvalidEntry() }
        transaction.operations.append(.list(key: key, Array(rest.prefix(value))))
        rest = rest.dropFirst(value)
      case 2: transaction.operations.append(.write(key: key, value: value))
      case 3: transaction.operations.append(.read(key: key, value))
      case 4: transaction.operations.append(.read(key: key, nil))
      default: throw InvalidEntry()
      }
    }
    guard rest.isEmpty else { throw InvalidEntry() }
    return (transaction, words[first] == 1)
  }
}
