/// An observer, and how long it observes.
final class TransactionObservation {
  private let strongObserver: (any TransactionObserver)?
  private weak var weakObserver: (any TransactionObserver)?
  let extent: Database.TransactionObservationExtent

  /// Whether it wants no more changes of this transaction.
  var isSilent = false

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

  /// The observer, as long as it is to be told.
  var observer: (any TransactionObserver)? { isRemoved ? nil : strongObserver ?? weakObserver }

  func isOf(_ other: any TransactionObserver) -> Bool { (strongObserver ?? weakObserver) === other }
}

/// Which observation is told a change on the current thread. Observers can ask for silence then, and do not know the
/// connection.
final class Telling: @unchecked Sendable {
  // One thread tells, and the observers that it tells are all who look.
  @TaskLocal static var current: Telling?

  var observation: TransactionObservation?
  var wantsSilence = false
}
