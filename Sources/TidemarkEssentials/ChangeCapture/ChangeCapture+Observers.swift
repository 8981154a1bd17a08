// Notifications of transaction observers.

extension ChangeCapture {
  func add(_ observation: TransactionObservation) {
    needs.observations.append(observation)
    observersDidChange()
  }

  func remove(_ observer: any TransactionObserver) {
    guard let index = needs.observations.firstIndex(where: { !$0.isRemoved && $0.isOf(observer) }) else { return }
    needs.observations[index].isRemoved = true
    needs.observations.remove(at: index)
    observersDidChange()
  }

  func removeReleasedObservers() {
    guard needs.observations.contains(where: { $0.observer == nil }) else { return }
    needs.observations.removeAll { $0.observer == nil }
    observersDidChange()
  }

  private func observersDidChange() {
    broker.setObserverCount(needs.observations.count)
    forgetPlans()
    if !needs.observations.isEmpty { receiveRowsNow() }
  }

  // MARK: - Notifying

  /// Notifies observers of changes that have happened.
  func deliver(_ range: Range<Int>) {
    if range.isEmpty { return }
    withNotification { notification in
      for index in range {
        let record = log.records[index]
        guard record.isObserved else { continue }
        let table = log.tables[Int(record.table)]
        let event = DatabaseEvent(record, table.key, isFormerRowIDKnown: usesRowHook)
        for observation in table.state.observers[record.kind] where !observation.ignoresChanges {
          notification.observation = observation
          observation.observer?.databaseDidChange(with: event)
        }
      }
    }
    log.didDeliver(range)
  }

  /// Notifies observers of a change that is about to happen.
  func notifyWillChange(_ signal: RowChangeSignal, _ table: CapturedTable, _ observers: [TransactionObservation]) {
    let event = DatabasePreUpdateEvent(signal, databaseName: table.key.database, tableName: table.key.name)
    withNotification { notification in
      for observation in observers where !observation.ignoresChanges {
        notification.observation = observation
        observation.observer?.databaseWillChange(with: event)
      }
    }
  }

  /// Notifies observers of a change that is not specified further.
  func notifyUnspecifiedChange(where isConcerned: (any TransactionObserver) -> Bool) {
    withNotification { notification in
      for observation in needs.observations where !observation.ignoresChanges {
        guard let observer = observation.observer, isConcerned(observer) else { continue }
        notification.observation = observation
        observer.databaseDidChange()
      }
    }
  }

  private func withNotification(_ body: (ObserverNotification) -> Void) {
    let notification = ObserverNotification()
    ObserverNotification.$current.withValue(notification) { body(notification) }
    if notification.wantsNoMoreChanges { forgetPlans() }
  }

  /// Notifies observers of the end of a transaction.
  func notifyObservers(_ body: (any TransactionObserver, Database) -> Void) {
    if needs.observations.isEmpty || db.isReadOnlyForObservers { return }
    let observed = needs.observations
    for observation in observed { observation.ignoresChanges = false }
    needs.observations.removeAll { $0.extent == .nextTransaction }
    if needs.observations.count != observed.count { broker.setObserverCount(needs.observations.count) }
    // Their statements do not belong to the transaction that has ended, nor to an access that may be cancelled.
    db.withoutTransactionChecks {
      db.shielded {
        for observation in observed { if let observer = observation.observer { body(observer, db) } }
      }
    }
  }
}

extension DatabaseEvent {
  fileprivate init(_ record: ChangeRecord, _ key: TableKey, isFormerRowIDKnown: Bool) {
    let kind: Kind =
      switch record.kind {
      case .insert: .insert
      case .delete: .delete
      case .update: .update
      }
    self.init(
      kind: kind, databaseName: key.database, tableName: key.name, rowID: record.newRowID,
      formerRowID: isFormerRowIDKnown ? record.oldRowID : nil)
  }
}
