/// An observer of the changes and of the ends of transactions of the writer connection.
///
/// ```swift
/// final class BookCounter: TransactionObserver {
///   var insertedCount = 0
///   var committedCount = 0
///
///   func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///     eventKind.tableName == "book"
///   }
///
///   func databaseDidChange(with event: DatabaseEvent) {
///     if event.kind == .insert { insertedCount += 1 }
///   }
///
///   func databaseDidCommit(_ db: Database) {
///     committedCount += insertedCount
///     insertedCount = 0
///   }
///
///   func databaseDidRollback(_ db: Database) {
///     insertedCount = 0
///   }
/// }
///
/// let counter = BookCounter()
/// dbQueue.add(transactionObserver: counter)
/// ```
///
/// All methods are called on the writer connection, in this order: `observes(eventsOfKind:)` before the first
/// execution of a statement in a transaction; changes after the statement has ended, or, inside savepoints, after the
/// outermost one has; `databaseWillCommit()`; and `databaseDidCommit(_:)` or `databaseDidRollback(_:)`. Changes that
/// are rolled back, by a failure of their statement or with their savepoint, are not reported.
///
/// Only `databaseDidCommit(_:)` and `databaseDidRollback(_:)` may use the database.
///
/// See Documentation/Changes.md.
public protocol TransactionObserver: AnyObject {
  /// Returns whether changes of a kind are reported.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Called for changes that the program reports explicitly: see ``Database/notifyChanges(in:)``.
  func databaseDidChange()

  /// Called when a row was inserted, deleted or updated.
  func databaseDidChange(with event: DatabaseEvent)

  /// Called before a commit. A thrown error rolls back the transaction, and is thrown by the commit.
  func databaseWillCommit() throws

  /// Called after a commit.
  func databaseDidCommit(_ db: Database)

  /// Called after a rollback.
  func databaseDidRollback(_ db: Database)

  /// Called before a row is inserted, deleted or updated.
  ///
  /// The call happens immediately, even if the statement fails later. It does not happen if SQLite has no
  /// pre-update hook.
  func databaseWillChange(with event: DatabasePreUpdateEvent)
}

extension TransactionObserver {
  /// Does nothing.
  public func databaseDidChange() {}

  /// Does nothing.
  public func databaseWillCommit() throws {}

  /// Does nothing.
  public func databaseWillChange(with event: DatabasePreUpdateEvent) {}

  /// Stops the notifications about changes until the transaction has ended.
  ///
  /// An observer that needs only the first change saves the time for the others:
  ///
  /// ```swift
  /// final class BookObserver: TransactionObserver {
  ///   var isModified = false
  ///
  ///   func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "book" }
  ///
  ///   func databaseDidChange(with event: DatabaseEvent) {
  ///     isModified = true
  ///     stopObservingDatabaseChangesUntilNextTransaction()
  ///   }
  ///
  ///   func databaseDidCommit(_ db: Database) {
  ///     if isModified { print("books have changed") }
  ///     isModified = false
  ///   }
  ///
  ///   func databaseDidRollback(_ db: Database) { isModified = false }
  /// }
  /// ```
  ///
  /// - Precondition: It is called by one of the methods `databaseDidChange`, or by `databaseWillChange(with:)`.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    guard let notification = ObserverNotification.current, let observation = notification.observation,
      observation.isOf(self)
    else {
      preconditionFailure(
        """
        stopObservingDatabaseChangesUntilNextTransaction() must be called from the databaseDidChange or \
        databaseWillChange method of the observer that stops
        """)
    }
    observation.ignoresChanges = true
    notification.wantsNoMoreChanges = true
  }
}

extension Database {
  /// How long an observer is notified.
  public enum TransactionObservationExtent: Sendable {
    /// While the observer exists. The database does not retain it.
    case observerLifetime

    /// Until the end of the current or the next transaction. The database retains it until then.
    case nextTransaction

    /// While the connection is open. The database retains it.
    case databaseLifetime
  }
}

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
