import Foundation

/// Receives the transactions of sessions while they happen.
package protocol TransactionSink: Sendable {
  /// A transaction will begin: if its process is killed, nothing else will be known of it.
  ///
  /// - Parameter transaction: The transaction without its results.
  func begins(_ transaction: TransactionHistory.Transaction)

  /// The transaction that its session has begun has ended.
  func ends(_ transaction: TransactionHistory.Transaction)
}

/// The time of the machine in nanoseconds, the same for all processes.
package func moment() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Records the transactions of one process.
package final class TransactionRecorder: TransactionSink {
  private let history: Mutex<TransactionHistory>

  /// - Parameter history: Transactions that have happened before.
  package init(_ history: TransactionHistory = TransactionHistory()) {
    self.history = Mutex(history)
  }

  package func begins(_ transaction: TransactionHistory.Transaction) {}

  package func ends(_ transaction: TransactionHistory.Transaction) {
    history.withLock { $0.add(transaction) }
  }

  package var recorded: TransactionHistory { history.withLock { $0 } }
}
