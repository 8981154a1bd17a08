extension DatabaseWriter {
  /// Adds an observer of the changes of this database, and of the ends of its transactions.
  ///
  /// ```swift
  /// let counter = BookCounter()
  /// dbQueue.add(transactionObserver: counter)
  /// ```
  ///
  /// It waits for the writer connection. See ``TransactionObserver``.
  ///
  /// - Parameter extent: By default, the observer is notified while it exists, and is not retained.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    unsafeReentrantWrite { $0.add(transactionObserver: transactionObserver, extent: extent) }
  }

  /// Removes an observer.
  public func remove(transactionObserver: some TransactionObserver) {
    unsafeReentrantWrite { $0.remove(transactionObserver: transactionObserver) }
  }
}

extension DatabaseWriter {
  /// Delivers the commits of this database, for the library's own use.
  var changeBroker: ChangeBroker { _core.ownWriter.changeBroker }
}
