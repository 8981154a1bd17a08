/// Told of the changes and the ends of transactions of a connection that writes.
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
/// All calls come on the connection that writes, in this order: `observes(eventsOfKind:)` when a statement is about to
/// run, for the first time in a transaction; the changes, when it has ended, or, inside savepoints, when the outermost
/// one has; `databaseWillCommit()`; and `databaseDidCommit(_:)` or `databaseDidRollback(_:)`. A change that was undone,
/// by the failure of its statement or the rollback of its savepoint, is not told.
///
/// Only `databaseDidCommit(_:)` and `databaseDidRollback(_:)` may use the database.
///
/// See Documentation/Changes.md.
public protocol TransactionObserver: AnyObject {
  /// Whether changes of that kind are to be told.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Something has changed that the database does not tell of by itself: see `Database.notifyChanges(in:)`.
  func databaseDidChange()

  /// A row was inserted, deleted or updated.
  func databaseDidChange(with event: DatabaseEvent)

  /// The transaction is about to be committed. An error that is thrown undoes it, and is what the commit throws.
  func databaseWillCommit() throws

  /// The transaction was committed.
  func databaseDidCommit(_ db: Database)

  /// The transaction was undone.
  func databaseDidRollback(_ db: Database)

  /// A row is about to be inserted, deleted or updated.
  ///
  /// It is told at once, even when it turns out later that the statement fails. It is not told where SQLite has no
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

  /// Has no more changes told until the transaction has ended.
  ///
  /// An observer that knows enough after the first change saves the time that the others take:
  ///
  /// ```swift
  /// func databaseDidChange(with event: DatabaseEvent) {
  ///   isModified = true
  ///   stopObservingDatabaseChangesUntilNextTransaction()
  /// }
  /// ```
  ///
  /// - precondition: It is called by one of the methods `databaseDidChange`, or by `databaseWillChange(with:)`.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    guard let telling = Telling.current, let observation = telling.observation, observation.isOf(self) else {
      preconditionFailure(
        """
        stopObservingDatabaseChangesUntilNextTransaction() must be called by the databaseDidChange or \
        databaseWillChange method of the observer, while it is told a change
        """)
    }
    observation.isSilent = true
    telling.wantsSilence = true
  }
}

extension Database {
  /// How long an observer observes.
  public enum TransactionObservationExtent: Sendable {
    /// As long as it exists. The database does not keep it.
    case observerLifetime

    /// Until the end of the current transaction, or of the next one. The database keeps it until then.
    case nextTransaction

    /// As long as the connection is open. The database keeps it.
    case databaseLifetime
  }
}
