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
    guard let writer = _ground.writer else { preconditionFailure("Who writes has a connection for that") }
    return writer.changeBroker
  }
}
