extension DatabaseWriter {
  /// Has an observer told of the changes of this database, and of the ends of its transactions.
  ///
  /// ```swift
  /// let counter = BookCounter()
  /// dbQueue.add(transactionObserver: counter)
  /// ```
  ///
  /// It waits for the connection that writes. See `TransactionObserver`.
  ///
  /// - parameter extent: By default, the observer is told as long as it exists, and is not kept.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
  }

  /// Has an observer told no more.
  public func remove(transactionObserver: some TransactionObserver) {
    unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
  }
}

extension DatabaseWriter {
  /// Where the commits of this database are told, for the library's own use.
  var changeBroker: ChangeBroker {
    switch self {
    case let writer as AnyDatabaseWriter: writer.base.changeBroker
    case let queue as DatabaseQueue: queue.connection.changeBroker
    case let pool as DatabasePool: pool.writer.changeBroker
    default: unsafeReentrantWrite { $0.changeCapture.broker }
    }
  }
}
