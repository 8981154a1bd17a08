/// An observer, with its extent.
final class TransactionObservation {
  private let strongObserver: (any TransactionObserver)?
  private weak var weakObserver: (any TransactionObserver)?
  let extent: Database.TransactionObservationExtent

  /// Whether it needs no further changes of this transaction.
  var ignoresChanges = false

  /// Whether it was removed.
  var isRemoved = false

  init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
    self.extent = extent
    if extent == .observerLifetime {
      strongObserver = nil
      weakObserver = observer
    } else {
      strongObserver = observer
    }
  }

  /// The observer, unless it was removed or released.
  var observer: (any TransactionObserver)? { isRemoved ? nil : strongObserver ?? weakObserver }

  func isOf(_ other: any TransactionObserver) -> Bool { (strongObserver ?? weakObserver) === other }
}

/// The observation that is being notified of a change by the current thread. The observer can then stop
/// observing without a reference to the connection.
final class ObserverNotification: @unchecked Sendable {
  // Not checked by the compiler, because an observation belongs to the thread of its connection. Only that thread sets
  // these properties, and only the observers that it calls read them. A task-local value must be Sendable.
  @TaskLocal static var current: ObserverNotification?

  var observation: TransactionObservation?
  var wantsNoMoreChanges = false
}
